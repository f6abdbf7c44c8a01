# Input checks: messages about input that is probably not of the kind it is taken for. An exported
# function calls inform_input() once, through read_input(). Nothing is changed or refused.

#' Checks of the input
#'
#' Every function of the package that takes observations checks them for the mistakes below and reports each once a call.
#' The result is computed all the same. Names begin with `kg_warning_` or `kg_message_`.
#'
#' | class | input | use |
#' |---|---|---|
#' | warning `dissimilarities` | a square or Gram matrix of values from 0 with a diagonal of zeros; also asymmetric, or one triangle | [as.dist()] |
#' | warning `adjacency` | the same, with 0 and 1 only | `igraph::graph_from_adjacency_matrix()` |
#' | message `gram` | another square symmetric matrix of data | [as_gram()] |
#' | warning `similarities` | a `dist` of values from 0 to 1 whose roots often violate the triangle inequality, unlike 1 minus them | `1 - x` |
#' | message `scale` | columns that keep their units, with standard deviations that differ by a factor above 100 | [scale()] |
#' | message `id` | a column that numbers the rows, or different whole numbers named `id`, `X`, `patient` or the like | leave it out |
#' | message `edges` | two columns that are the ends of edges, perhaps with a third of weights | `igraph::graph_from_data_frame()` |
#' | message `degrees` | columns named as longitude and latitude, within the ranges of degrees | `rho_metric("haversine")` |
#' | message `text` | text or a factor of numbers, also with a currency, a unit, % or marks of thousands, or of dates | as stated |
#' | message `groups` | a factor or text column with `k` levels of about equal use | leave it out if it holds the known groups |
#' | message `labels` | numbers that all have a label, as `haven` reads them | `haven::as_factor()` |
#'
#' A `dist` with an attribute `method` is not checked; identifiers and edges need 10 rows. To suppress one kind: `suppressMessages(kgroups(x, 3), classes = "kg_message_scale")`.
#' @section Complexity: \eqn{O(n d)}{O(n d)}; above 4000 rows a sample of 2000 of them, of a `dist`
#'   24 observations.
#' @family inputs
#' @examples
#' x <- cbind(id = 1:150, iris[1:4])
#' fit <- kgroups(x, 3)
#' @name input-checks
NULL

# `k`: the number of clusters, if known. `as_is`: numbers keep their units. `places`:
# the columns are known to be degrees of places.
inform_input <- function(x, k, as_is, places) {
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  if (inherits(x, "dist")) {
    if (is_similarity(x)) report("similarities")
  } else if (is_gram(x) || inherits(x, "Matrix")) {
    inform_gram(x)
  } else if (is.data.frame(x) || is.matrix(x)) {
    inform_table(x, k, as_is, places)
  }
  invisible()
}

# ---- reports ----

# One row a report: the text, and what to do. Values in braces are named by the check; the name of a
# row begins with the class of the condition.
input_reports <- list(
  labels = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} ha{?s/ve} a label for every value and count{?s/} as numbers.",
    "If they are categories, pass {.code haven::as_factor(x)}."
  ),
  text = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} hold{?s/} {what} as text and count{?s/} as categories.",
    "For {what} use {.code {use}}."
  ),
  groups = c(
    "In {.arg x} column {.field {name}} has {k} categories, as many as there are clusters.",
    "If it holds the known groups, leave it out."
  ),
  edges = c(
    "{.arg x} looks like a list of edges: two columns of the same labels.",
    "For the graph itself pass {.code igraph::graph_from_edgelist(as.matrix(x), directed = FALSE)}."
  ),
  edges_weighted = c(
    "{.arg x} looks like a list of edges: two columns of the same labels and one of weights.",
    "For the graph itself pass {.code igraph::graph_from_data_frame(x, directed = FALSE)} with its weights as {.field weight}."
  ),
  id = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} look{?s/} like the number of the observation.",
    "If so, leave {cli::qty(names)}{?it/them} out: such numbers do not describe the observation."
  ),
  scale = c(
    "The standard deviation of column {.field {large}} of {.arg x} is {fold} times that of {.field {small}}: {.field {small}} hardly affects distances.",
    "Unless that is intended, use {.code standardize = \"within\"} in {.fn kgroups}, or {.code TRUE}, or {.code scale(x)}."
  ),
  degrees = c(
    "Columns {.field {names}} of {.arg x} look like degrees of longitude and latitude.",
    "Use {.code semimetric = rho_metric(\"haversine\")} for great-circle distances; others take degrees as coordinates in a plane."
  ),
  gram = c(
    "{.arg x} is a symmetric matrix and was taken as data.",
    "Pass {.code as_gram(x)} if it is a Gram matrix."
  ),
  adjacency = c(
    "{.arg x} looks like the adjacency matrix of a graph, but was taken as {taken}.",
    "For the graph itself pass {.code igraph::graph_from_adjacency_matrix(x, mode = \"undirected\")}."
  ),
  dissimilarities = c(
    "{.arg x} looks like {what} of dissimilarities, but was taken as data.",
    "Pass {.code {use}} if it is one."
  ),
  dissimilarities_gram = c(
    "{.arg x} is 0 on the diagonal: it looks like dissimilarities, but was taken as a Gram matrix.",
    "Pass {.code as.dist(as.matrix(x))} if they are."
  ),
  dissimilarities_sparse = c(
    "{.arg x} is 0 on the diagonal: it looks like dissimilarities, but was taken as a Gram matrix.",
    "Pass {.code as.dist(as.matrix(x))} if they are.",
    "For weights of a graph pass {.code igraph::graph_from_adjacency_matrix(x, mode = \"undirected\", weighted = TRUE)}."
  ),
  similarities = c(
    "{.arg x} looks like similarities, but was taken as dissimilarities.",
    "All values lie between 0 and 1, and {.code 1 - x} is nearer to the triangle inequality than {.arg x}.",
    "Pass {.code 1 - x} if large values mean similar observations."
  )
)

# Classes of warnings; others are messages.
reported_as_warning <- c("adjacency", "dissimilarities", "similarities")

# Report a row with the values of its braces.
report <- function(row, ...) {
  text <- input_reports[[row]]
  names(text) <- c("", rep("i", length(text) - 1L))
  class <- sub("_.*", "", row)
  raise <- if (class %in% reported_as_warning) kg_warn else kg_inform
  raise(text, class, .envir = rlang::env(...))
}

# ---- tables ----

inform_table <- function(x, k, as_is, places) {
  n <- nrow(x)
  if (is.data.frame(x)) {
    labelled <- vapply(x, is_labelled, NA)
    if (any(labelled)) report("labels", names = names(x)[labelled])
    inform_text(x)
    inform_groups(x, k)
    as_is <- as_is && !any(vapply(x, function(column) is.factor(column) || is.character(column) || is.logical(column), NA))
  }
  if (n < 3L || ncol(x) < 2L) {
    return(invisible())
  }
  weighted <- ncol(x) == 3L && is.numeric(if (is.data.frame(x)) x[[3L]] else x)
  if ((ncol(x) == 2L || weighted) && resembles_edges(x)) report(if (weighted) "edges_weighted" else "edges")
  # symmetry is tested on all rows
  some <- n > 4000L && (n != ncol(x) || n > 20000L)
  rows <- if (some) round(seq(1, n, length.out = 2000)) else seq_len(n)
  points <- number_columns(x, rows)
  if (is.null(points) || value_range(points)[["infinite"]] > 0) {
    return(invisible())
  }
  if (!places) inform_degrees(points)
  id <- id_columns(points, rows, n)
  if (n == ncol(points) - sum(id) && n == nrow(points)) inform_square(points[, !id, drop = FALSE])
  if (any(id)) report("id", names = column_label(colnames(points), which(id)))
  if (as_is && !places) inform_scale(points[, !id, drop = FALSE])
}

# Are these numbers whose values all have labels, as in files of SPSS, Stata and SAS?
is_labelled <- function(column) {
  inherits(column, "haven_labelled") && is.numeric(unclass(column)) &&
    all(unclass(column) %in% c(attr(column, "labels"), NA))
}

# Columns of text or factors whose values nearly all read as numbers or dates.
inform_text <- function(x) {
  found <- lapply(x, text_numbers)
  names <- column_label(names(x), seq_along(x))
  kind <- vapply(found, function(one) one$kind %||% "", "")
  for (one in setdiff(unique(kind), "")) {
    at <- which(kind == one)
    column <- sprintf("x[[%s]]", encodeString(names[at[1L]], quote = "\""))
    value <- switch(one,
      numbers = sprintf("as.numeric(as.character(%s))", column),
      comma = sprintf("as.numeric(sub(\",\", \".\", %s))", column),
      marked = sprintf("as.numeric(gsub(\"[^-.0-9]\", \"\", %s))", column),
      dates = sprintf("as.Date(%s, \"%s\")", column, found[[at[1L]]]$format)
    )
    what <- if (one == "dates") "dates" else "numbers"
    report("text", names = names[at], what = what, use = paste(column, "<-", value))
  }
}

# Is a column text or an unordered factor?
is_text_column <- function(column) {
  (is.character(column) || is.factor(column) && !is.ordered(column) && is.character(levels(column))) && is.null(dim(column))
}

# Return list(kind, format) for a column that holds numbers or dates as text: "numbers", but for a few
# values; "comma", with a decimal comma; "marked" by %, a currency, a unit or marks of thousands; "dates"
# with their format. NULL for other columns.
text_numbers <- function(column) {
  if (!is_text_column(column)) {
    return(NULL)
  }
  values <- as.vector(column)
  values <- values[!is.na(values) & nzchar(values)]
  text <- unique(values)
  # a short first pass: most categories are words
  if (length(text) < 3L || !any(grepl("[0-9]", utils::head(text, 100L), useBytes = TRUE))) {
    return(NULL)
  }
  is <- function(pattern, of = text) grepl(pattern, of, useBytes = TRUE)
  comma <- any(is(comma_number))
  good <- is(plain_number) | comma & is(comma_number)
  # codes such as 007 are no numbers
  few <- is.factor(column) && all(is("^[0-9]+$", text[good])) && sum(good) <= 10L
  if (any(is("^0[0-9]+$")) || few) {
    return(NULL)
  }
  if (sum(good) >= 3L && sum(!good) <= 3L && mean(good[match(values, text)]) >= 0.9) {
    return(list(kind = if (comma) "comma" else "numbers"))
  }
  format <- names(date_patterns)[vapply(date_patterns, function(pattern) all(is(pattern)), NA)]
  if (length(format)) {
    return(list(kind = "dates", format = format[1L]))
  }
  if (all(is(plain_number, unmarked(text)))) list(kind = "marked")
}

plain_number <- "^[ \t]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$"
comma_number <- "^[ \t]*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?[ \t]*$"
date_patterns <- c(
  "%Y-%m-%d" = "^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T].*)?$", "%Y/%m/%d" = "^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}$",
  "%d.%m.%Y" = "^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}$", "%d/%m/%Y" = "^([0-2]?[0-9]|3[01])/(0?[0-9]|1[0-2])/[0-9]{4}$",
  "%m/%d/%Y" = "^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$"
)

# Text without a currency before it, a percent sign or one unit behind it, and marks of thousands.
unmarked <- function(text) {
  text <- as_utf8(text)
  unit <- unique(sub("^.*[0-9.] *", "", text))
  if (length(unit) == 1L && grepl("^([%\u00b0]|[a-zA-Z]{1,3})$", unit)) text <- sub(unit, "", text, fixed = TRUE)
  text <- sub("^([-+]?)[$\u20ac\u00a3] *", "\\1", text)
  gsub("(?<=[0-9])[,'\u00a0 ](?=[0-9]{3}($|[^0-9]))| +$", "", text, perl = TRUE)
}

# A factor or text column with as many levels as clusters, about equally used, may be the answer.
inform_groups <- function(x, k) {
  if (!is_number(k) || k < 2 || ncol(x) < 2L) {
    return(invisible())
  }
  answer <- vapply(x, function(column) {
    if (!is_text_column(column) && !is.ordered(column) || length(column) < 3 * k) {
      return(FALSE)
    }
    found <- stats::na.omit(unique(as.vector(column)))
    used <- tabulate(match(as.vector(column), found), length(found))
    length(found) == k && max(used) <= 2 * min(used)
  }, NA)
  # several such columns are questions with the same answers
  if (sum(answer) == 1L) report("groups", name = column_label(names(x), which(answer)), k = k)
}

# 64-bit integers are stored as doubles; the methods of bit64 stop at others.
is_damaged_integer64 <- function(column) inherits(column, "integer64") && !is.double(unclass(column))

# Return the columns of numbers as doubles, for some rows; NULL if there are none.
number_columns <- function(x, rows) {
  if (is.data.frame(x)) {
    number <- vapply(x, function(column) {
      is.numeric(column) && is.null(dim(column)) && length(column) == nrow(x) && !inherits(column, c("Date", "POSIXct")) &&
        !is_damaged_integer64(column)
    }, NA)
    if (!any(number)) {
      return(NULL)
    }
    bare <- function(column) if (inherits(column, "integer64")) column else unclass(column)
    out <- vapply(which(number), function(j) as.double(bare(x[[j]]))[rows], numeric(length(rows)))
    dim(out) <- c(length(rows), sum(number))
    colnames(out) <- column_label(names(x), which(number))
    return(out)
  }
  # the bits of 64-bit integers are not their numbers
  if (!is.numeric(x) || inherits(x, "integer64")) {
    return(NULL)
  }
  out <- if (length(rows) < nrow(x)) x[rows, , drop = FALSE] else x
  if (!is.double(out)) storage.mode(out) <- "double"
  out
}

# ---- square matrices ----

# Square matrices of data: dissimilarities, whole or half, adjacency or Gram matrices.
inform_square <- function(x) {
  n <- nrow(x)
  diagonal <- x[cbind(seq_len(n), seq_len(n))]
  if (anyNA(diagonal)) diag(x)[is.na(diagonal)] <- 0
  range <- value_range(x)
  largest <- max(range[["largest"]], -range[["smallest"]])
  empty <- all(is.na(diagonal) | abs(diagonal) <= 1e-8 * largest)
  if (!empty || largest == 0 || range[["smallest"]] < -1e-8 * largest) {
    if (range[["missing"]] == 0 && asymmetry(x, 1e-12 * largest) == 0) {
      report("gram")
    }
    return(invisible())
  }
  lower <- x[lower.tri(x)]
  upper <- x[upper.tri(x)]
  blank <- function(values) all(is.na(values) | values == 0)
  if (blank(upper) || blank(lower)) {
    full <- if (blank(upper)) lower else upper
    use <- if (blank(upper)) "as.dist(x)" else "as.dist(t(x))"
    if (mean(full > 0 & !is.na(full)) >= 0.5) report("dissimilarities", what = "one triangle of a matrix", use = use)
  } else if (anyNA(lower) || anyNA(upper)) {
    return(invisible())
  } else if (asymmetry(x, 1e-8 * largest) > 0) {
    # entries that are nearly all above 0 beside a diagonal of 0
    if (mean(c(lower, upper) > 0) > 0.9) {
      report("dissimilarities", what = "an asymmetric matrix", use = "as.dist((x + t(x)) / 2)")
    }
  } else if (isTRUE(all(diagonal == 0)) && largest == 1 && all(x == 0 | x == 1)) {
    report("adjacency", taken = "data")
  } else {
    report("dissimilarities", what = "a matrix", use = "as.dist(x)")
  }
}

# Return how many entries x[i, j] and x[j, i] differ by more than `tol`; 1 if the first ones do.
asymmetry <- function(x, tol) {
  n <- nrow(x)
  some <- cbind(seq_len(n), c(seq_len(n)[-1L], 1L))
  if (any(abs(x[some] - x[some[, 2:1]]) > tol)) {
    return(1)
  }
  sum(vapply(strips(n, n), function(columns) {
    check_interrupt()
    sum(abs(x[, columns] - t(x[columns, , drop = FALSE])) > tol)
  }, 0))
}

# ---- scales of columns ----

inform_scale <- function(points) {
  if (ncol(points) < 2L) {
    return(invisible())
  }
  # a square matrix has all its rows here
  points <- points[evenly_spaced(seq_len(nrow(points)), 4000), , drop = FALSE]
  points <- times_power_of_two(points, -scaling_exponent(points))
  squares <- colMeans(points^2, na.rm = TRUE)
  # rounding may make this negative if the mean is far larger
  sd <- sqrt(pmax(squares - colMeans(points, na.rm = TRUE)^2, 0))
  names(sd) <- column_label(colnames(points), seq_along(sd))
  sd <- sd[is.finite(sd) & sd > 1e-7 * sqrt(squares)]
  ratio <- if (length(sd) > 1L) max(sd) / min(sd) else 1
  if (ratio > 100) {
    fold <- format(signif(ratio, 2), big.mark = ",", scientific = ratio > 1e6)
    report("scale", large = names(which.max(sd)), small = names(which.min(sd)), fold = fold)
  }
}

# Degrees of longitude and latitude, by the names and ranges of columns.
inform_degrees <- function(points) {
  # decimalLongitude as decimal_longitude
  plain <- lower_ascii(gsub("([a-z])([A-Z])", "\\1_\\2", as_utf8(colnames(points) %||% rep("", ncol(points)))))
  lon <- which(grepl("^(.*[._ ])?(lon|lng|long|longitude)([._ ].*)?$", plain))[1L]
  lat <- which(grepl("^(.*[._ ])?(lat|latitude)([._ ].*)?$", plain))[1L]
  if (is.na(lon) || is.na(lat)) {
    return(invisible())
  }
  within <- function(x, low, high) all(is.na(x) | x >= low & x <= high)
  if (within(points[, lon], -180, 360) && within(points[, lat], -90, 90)) {
    report("degrees", names = colnames(points)[c(lon, lat)])
  }
}

# ---- identifiers ----

id_words <- paste0(
  "id|ids|rn|nummer|uid|guid|uuid|identifier|key|nr|no|num|number|index|idx|rowid|rowname|rownames|row.names|row|rownum|",
  "obs|observation|case|caseno|record|patient|subject|participant|respondent|sample|sampleno|student|",
  "customer|client|person|animal|unnamed|code|barcode|serial|seq|sequence|x1|v1"
)

# Return which columns number the rows: 0 or 1 to n in order, or different whole numbers under the
# name of an identifier. Other rising whole numbers may be measurements (datasets::women).
id_columns <- function(points, rows, n) {
  out <- logical(ncol(points))
  if (n < 10L) {
    return(out)
  }
  named <- is_id_name(colnames(points), ncol(points))
  # the first number suffices for most columns
  for (j in which(named | points[1L, ] %in% c(0:1, NA))) {
    column <- points[, j]
    seen <- !is.na(column)
    value <- column[seen]
    if (length(value) < 10L) next
    offset <- value[1L] - rows[seen][1L]
    numbers <- offset %in% c(-1, 0) && all(value == rows[seen] + offset)
    out[j] <- numbers || named[j] && all(value == round(value)) && !anyDuplicated(value)
  }
  # if every column goes up in equal steps, none stands out
  even <- function(column) length(unique(diff(column))) == 1L
  if (any(out) && all(vapply(seq_len(ncol(points)), function(j) even(points[, j]), NA))) out[] <- FALSE
  out
}

# Names that identifiers and row numbers have, also as read.csv(), readr and pandas write them.
is_id_name <- function(names, p) {
  if (is.null(names)) {
    return(logical(p))
  }
  plain <- lower_ascii(names)
  # the last or the only word of the name; ID or Id after a lower-case letter
  word <- grepl(sprintf("^(.*[._ -])?(%s)$", id_words), plain) & !plain %in% c("x1", "v1") |
    grepl("^(id|nr|no|key)[._ -]", plain) | grepl("[a-z](ID|Id|Nr|No)$", names) | grepl("^(unnamed: *[0-9]+|[.]{3}[0-9]+)$", plain)
  # the first column without a name in the file; X beside Y is a coordinate
  first <- seq_along(names) == 1L & names %in% c("X", "X1", "V1", "...1", "Unnamed: 0", "") & !any(names %in% c("Y", "y"))
  word | first
}

# ---- edges ----

# Return TRUE if the first two columns look like pairs of vertices: no pair twice, none of equals,
# fewer vertices than rows, numbered 1 to m (0 to m - 1) without a gap, or labels that mostly occur
# on both sides. Pairs under the names of ends may occur twice, or be of equals.
resembles_edges <- function(x) {
  named <- has_end_names(colnames(x))
  ends <- lapply(1:2, function(j) if (is.data.frame(x)) x[[j]] else x[, j])
  ends <- lapply(ends, function(v) if (is.factor(v) && is.character(levels(v))) as.character(v) else v)
  is_all <- function(test) all(vapply(ends, test, NA))
  numbers <- is_all(function(v) is.numeric(v) && is.null(dim(v)) && !is_damaged_integer64(v))
  a <- ends[[1L]]
  b <- ends[[2L]]
  if (length(a) < 10L || !(numbers || is_all(is.character)) || anyNA(a) || anyNA(b) || !named && any(a == b)) {
    return(FALSE)
  }
  if (numbers) range <- range(a, b)
  # most data fail here, before anything is sorted
  if (numbers && !named && (!range[1L] %in% 0:1 || range[2L] - range[1L] + 1 > length(a))) {
    return(FALSE)
  }
  vertices <- unique(c(a, b))
  m <- length(vertices)
  gap <- numbers && (any(vertices != round(vertices)) || !named && m != range[2L] - range[1L] + 1)
  if (m < 5L || m > length(a) || gap) {
    return(FALSE)
  }
  both <- length(intersect(a, b)) >= 0.5 * min(length(unique(a)), length(unique(b)))
  both && (named || !anyDuplicated(match(a, vertices) + (m + 1) * match(b, vertices)))
}

# Return TRUE if the first two names are those of the ends of edges.
has_end_names <- function(names) {
  pairs <- c("from to", "source target", "src dst", "head tail", "sender receiver", "node1 node2")
  length(names) >= 2L && paste(gsub("[._ -]|id$", "", lower_ascii(names[1:2])), collapse = " ") %in% pairs
}

# ---- Gram matrices ----

inform_gram <- function(x) {
  n <- nrow(x)
  if (is.null(n) || n < 3L || n != ncol(x)) {
    return(invisible())
  }
  sparse <- inherits(x, "sparseMatrix")
  if (inherits(x, "kernelMatrix")) x <- methods::as(x, "matrix")
  if (sparse) {
    x <- methods::as(methods::as(x, "dMatrix"), "TsparseMatrix")
    diagonal <- Matrix::diag(x)
    # one triangle of a symmetric matrix suffices
    values <- x@x[x@x != 0]
  } else {
    if (inherits(x, "Matrix")) x <- as.matrix(x)
    if (!is.matrix(x) || !is.numeric(x)) {
      return(invisible())
    }
    diagonal <- x[cbind(seq_len(n), seq_len(n))]
    values <- x
  }
  if (length(values) == 0L || anyNA(values) || !all(is.finite(diagonal))) {
    return(invisible())
  }
  range <- value_range(values)
  largest <- range[["largest"]]
  if (largest <= 0 || range[["smallest"]] < -1e-8 * largest || any(abs(diagonal) > 1e-8 * largest)) {
    return(invisible())
  }
  # of sparse matrices only symmetric ones are Gram matrices; the rows of others are observations
  rows <- sparse && !Matrix::isSymmetric(x, tol = 1e-8, checkDN = FALSE)
  if (all(diagonal == 0) && largest == 1 && all(values == 0 | values == 1)) {
    report("adjacency", taken = if (rows) "data" else "a Gram matrix")
  } else if (!rows) {
    report(if (sparse) "dissimilarities_sparse" else "dissimilarities_gram")
  }
}

# ---- dissimilarities ----

# Is a `dist` one of similarities? Similarities between 0 and 1 violate the triangle inequality within
# clusters, where pairs have large values; 1 minus them obeys it. dist() names its method in an attribute.
is_similarity <- function(x) {
  n <- attr(x, "Size")
  sized <- is_number(n) && n >= 10 && length(x) == n * (n - 1) / 2
  if (!sized || !is.numeric(x) || !is.null(attr(x, "method")) || inherits(x, "dissimilarity")) {
    return(FALSE)
  }
  m <- min(n, 24)
  at <- unique(round(seq(1, n, length.out = m)))
  i <- rep(at, rev(seq_along(at)) - 1)
  j <- at[sequence(rev(seq_along(at)) - 1, seq_along(at) + 1)]
  d <- .subset(x, n * (i - 1) - i * (i - 1) / 2 + j - i)
  if (anyNA(d) || min(d) < 0 || max(d) > 1) {
    return(FALSE)
  }
  # roots, because squared distances violate it too
  broken <- broken_triangles(sqrt(d), m)
  if (broken < 0.05 || broken_triangles(1 - d, m) > 0.1 * broken) {
    return(FALSE)
  }
  range <- value_range(x)
  range[["smallest"]] >= 0 && range[["largest"]] <= 1
}

# Return the share of triples a, b, c with d(a, b) > d(a, c) + d(c, b).
broken_triangles <- function(d, m) {
  D <- matrix(0, m, m)
  D[lower.tri(D)] <- d
  D <- D + t(D)
  broken <- vapply(seq_len(m), function(c) sum(D > outer(D[, c], D[c, ], "+") + 1e-9), 0)
  sum(broken) / (m * (m - 1) * (m - 2))
}
