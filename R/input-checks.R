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
#' | message `groups` | one text column or factor with `k` levels, or whole numbers named `class`, `label` or the like | leave it out if it holds the known groups |
#' | message `separates` | a column whose values give the clusters that were found, but for 2 percent of the rows | the same |
#' | message `grouped` | a grouped table of \pkg{dplyr} | leave the grouping columns out |
#' | message `code` | "NA", ".", "?" and the like as text; -999, 9999, 99 far outside of the other values; labels such as "refused" | `NA` |
#' | message `survival` | a column of `survival::Surv()` | the columns that are meant |
#' | message `counts` | a table of all combinations with their counts `Freq` | `weights` |
#' | message `index` | dates that rise by the row; in [kgroups_changes()] also numbers in equal steps | leave it out |
#' | message `equal` | dissimilarities that are all 0 | another semimetric |
#' | message `long` | series in long form: every label at every time | a row a series |
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

# `known`: the number of clusters `k`, if known; `as_is`: numbers keep their units; `places`: the columns are degrees
# of places; `sequence`: the rows are in an order; `weights` of the rows.
inform_input <- function(x, known) {
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  if (inherits(x, "dist")) {
    if (is_similarity(x)) report("similarities")
  } else if (is_gram(x) || inherits(x, "Matrix")) {
    inform_gram(x)
  } else if (is.data.frame(x) || is.matrix(x)) {
    inform_table(x, known)
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
  code = c(
    "In {.arg x} column {.field {name}} has {code}, which {cli::qty(count)}look{?s/} like {cli::qty(count)}{?a code/codes} for missing values.",
    "If so, use {.code {use}}."
  ),
  groups = c(
    "In {.arg x} column {.field {name}} has {k} categories, as many as there are clusters.",
    "If it holds the known groups, leave it out."
  ),
  groups_named = c(
    "In {.arg x} column {.field {name}} has {k} different whole numbers, which count as numbers.",
    "If it holds the known groups, leave it out."
  ),
  separates = c(
    "Column {.field {name}} of {.arg x} alone gives the clusters: each of its values lies in one of them.",
    "If it holds the known groups, leave it out: {.code x[names(x) != {quoted}]}."
  ),
  grouped = c(
    "{.arg x} is grouped by {.field {names}}: all rows are clustered together, and the grouping is one of the columns.",
    "Leave {cli::qty(names)}{?it/them} out, or call the function for each group."
  ),
  survival = c(
    "In {.arg x} column {.field {names}} holds survival times: the time and the status count as two numbers.",
    "Leave {cli::qty(names)}{?it/them} out, or keep the time alone."
  ),
  counts = c(
    "{.arg x} looks like a table of counts: column {.field {name}} counts as a measurement.",
    "For the counts as weights use {.code x[names(x) != {quoted}]} with {.code weights = x[[{quoted}]]}."
  ),
  index = c(
    "In {.arg x} column {.field {names}} rise{?s/} by the row: it looks like the time of the observation.",
    "If so, leave {cli::qty(names)}{?it/them} out, or the order of the rows decides."
  ),
  long = c(
    "{.arg x} looks like series in long form: {series} of {.field {name}} at {times} of {.field {time}}, one row each.",
    "For clusters of series use a row a series: {.code reshape(x, idvar = {quoted}, timevar = {clock}, direction = \"wide\")[-1]}."
  ),
  edges = c(
    "{.arg x} looks like a list of edges: two columns of the same labels.",
    "For the graph itself pass {.code igraph::graph_from_data_frame(as.data.frame(x), directed = FALSE)}."
  ),
  dissimilarities_long = c(
    "{.arg x} looks like dissimilarities in long form: two columns of the same labels and a value for every pair.",
    "Use {.code v <- unique(unlist(x[1:2]))} and {.code d <- matrix(0, length(v), length(v))}.",
    "Then {.code i <- sapply(x[1:2], match, v)}, {.code d[i] <- d[i[, 2:1]] <- x[[3]]} and {.code as.dist(d)}."
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
  ),
  similarities_triangle = c(
    "{.arg x} looks like one triangle of a matrix of similarities, but was taken as data.",
    "Pass {.code {use}} if it is one."
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

inform_table <- function(x, known) {
  n <- nrow(x)
  if (is.data.frame(x)) {
    for (check in frame_checks) check(x, known)
    words <- vapply(x, function(column) is.factor(column) || is.character(column) || is.logical(column), NA)
    known$as_is <- known$as_is && !any(words)
  } else if (known$sequence) {
    frame_checks$index(as.data.frame(x), known)
  }
  if (n < 3L || ncol(x) < 1L) {
    return(invisible())
  }
  if (ncol(x) %in% 2:3) inform_edges(x)
  # symmetry is tested on all rows
  some <- n > 4000L && (n != ncol(x) || n > 20000L)
  rows <- if (some) round(seq(1, n, length.out = 2000)) else seq_len(n)
  points <- number_columns(x, rows)
  if (is.null(points) || value_range(points)[["infinite"]] > 0) {
    return(invisible())
  }
  inform_codes(points)
  if (ncol(x) < 2L) {
    return(invisible())
  }
  if (!known$places) inform_degrees(points)
  id <- id_columns(points, rows, n, known$sequence)
  if (n == ncol(points) - sum(id) && n == nrow(points)) {
    left <- setdiff(seq_len(ncol(x)), match(colnames(points)[!id], column_label(colnames(x), seq_len(ncol(x)))))
    inform_square(points[, !id, drop = FALSE], if (length(left)) sprintf("x[-%s]", deparse_short(as.numeric(left))) else "x")
  }
  if (any(id)) report("id", names = column_label(colnames(points), which(id)))
  if (known$as_is && !known$places) inform_scale(points[, !id, drop = FALSE])
}

# ---- checks of data frames: one function a check ----

frame_checks <- list(
  function(x, known) {
    if (inherits(x, "grouped_df")) report("grouped", names = setdiff(names(attr(x, "groups")), ".rows"))
  },
  function(x, known) {
    survival <- vapply(x, inherits, NA, "Surv")
    if (any(survival)) report("survival", names = names(x)[survival])
  },
  function(x, known) {
    labelled <- vapply(x, is_labelled, NA)
    if (any(labelled)) report("labels", names = names(x)[labelled])
  },
  function(x, known) inform_text(x),
  function(x, known) inform_groups(x, known$k),
  # all combinations of categories, with their counts
  function(x, known) {
    count <- which(names(x) %in% c("Freq", "n", "count"))
    if (length(count) != 1L || !is.null(known$weights) || length(x) < 2L) {
      return(invisible())
    }
    others <- x[-count]
    values <- x[[count]]
    words <- all(vapply(others, function(column) is.factor(column) || is.character(column), NA))
    whole <- is.numeric(values) && !anyNA(values) && all(values == round(values) & values >= 0)
    cells <- prod(vapply(others, function(column) length(unique(column)), 0))
    if (words && whole && nrow(x) > 2L && nrow(x) <= cells && !anyDuplicated(as.data.frame(others))) {
      report("counts", name = names(x)[count], quoted = encodeString(names(x)[count], quote = "\""))
    }
  },
  # dates in their order; in a sequence also numbers in equal steps
  index = function(x, known) {
    rising <- vapply(x, function(column) {
      date <- inherits(column, c("Date", "POSIXct")) && !is_damaged(column)
      steps <- if (date || known$sequence && is.numeric(column) && is.null(dim(column))) diff(as.double(column))
      length(steps) > 8L && !anyNA(steps) && all(steps > 0) && (date || diff(range(steps)) <= 1e-9 * steps[1L])
    }, NA)
    if (any(rising) && !all(rising)) report("index", names = names(x)[rising])
  },
  function(x, known) inform_long_form(x)
)

# Series in long form: a label and a time that cross completely, one row each.
inform_long_form <- function(x) {
  n <- nrow(x)
  clocks <- which(grepl("^(.*[._ ])?(t|time|date|day|week|month|quarter|year|hour|wave|step|period)$", lower_ascii(names(x))))
  for (clock in clocks) {
    times <- length(unique(x[[clock]]))
    if (n < 10L || times < 3L || times > n / 2) next
    for (label in setdiff(seq_along(x), clock)) {
      column <- x[[label]]
      plain <- is.null(dim(column)) && (is.factor(column) || is.character(column) || is.integer(column))
      if (!plain || length(unique(column)) * times != n || length(x) < 3L) next
      if (!anyDuplicated(data.frame(column, x[[clock]]))) {
        quote <- function(j) encodeString(names(x)[j], quote = "\"")
        return(report(
          "long",
          series = n / times, name = names(x)[label], times = times, time = names(x)[clock],
          quoted = quote(label), clock = quote(clock)
        ))
      }
    }
  }
}

# ---- codes for missing values ----

missing_words <- c(".", "NA", "N/A", "n/a", "na", "-", "--", "?", "NULL", "null", "NaN", "nan", "#N/A", "missing", "none", "unknown")
missing_numbers <- c(outer(c(1, -1), c(99, 98, 97, 88, 999, 998, 997, 888, 9999, 9998, 8888, 99999, 999999)), -9, -8, -7)
missing_labels <- "refus|don.?t know|no answer|not (applicable|stated)|missing|unknown|n/a|weiss nicht|keine angabe"

# Numbers such as -999 that lie far outside of the other values of their column; of two digits at least twice, beside
# whole numbers.
inform_codes <- function(points) {
  for (j in seq_len(ncol(points))) {
    column <- points[, j]
    ends <- suppressWarnings(range(column, na.rm = TRUE))
    if (!any(ends %in% missing_numbers)) next
    values <- unique(column[!is.na(column)])
    rest <- values[!values %in% missing_numbers]
    if (length(rest) < 2L) next
    low <- min(rest)
    high <- max(rest)
    coded <- values[values %in% missing_numbers & (values > 2 * high - low | values < 2 * low - high)]
    short <- abs(coded) < 100
    often <- vapply(coded, function(code) sum(column == code, na.rm = TRUE), 0) > 1
    whole <- all(rest == round(rest))
    coded <- coded[!short | often & whole & (coded > 0 | low >= 0)]
    if (length(coded) == 0L) next
    name <- column_label(colnames(points), j)
    text <- sort(coded)
    place <- if (name == as.character(j)) name else encodeString(name, quote = "\"")
    set <- if (length(text) > 1L) sprintf("c(%s)", paste(text, collapse = ", ")) else text
    report(
      "code",
      name = name, code = text, count = length(text),
      use = sprintf("x[x[, %s] %%in%% %s, %s] <- NA", place, set, place)
    )
  }
}

# Words for missing values in a text column: all that stand beside numbers, else those of a tenth of the rows.
inform_missing_words <- function(column, name, numbers) {
  values <- as.vector(column)
  coded <- values %in% missing_words
  if (!any(coded) || all(coded | is.na(values)) || !numbers && mean(coded) <= 0.1) {
    return(invisible())
  }
  words <- unique(values[coded])
  quoted <- encodeString(words, quote = "\"")
  at <- sprintf("x[[%s]]", encodeString(name, quote = "\""))
  set <- if (length(words) > 1L) sprintf("c(%s)", paste(quoted, collapse = ", ")) else quoted
  report(
    "code",
    name = name, code = quoted, count = length(words), use = sprintf("%s[%s %%in%% %s] <- NA", at, at, set)
  )
}

# Labels of a code for missing values, as haven reads them.
inform_missing_labels <- function(column, name) {
  labels <- attr(column, "labels")
  if (!inherits(column, "haven_labelled") || !is.numeric(labels) || is_labelled(column)) {
    return(invisible())
  }
  coded <- labels[grepl(missing_labels, lower_ascii(names(labels))) & labels %in% unclass(column)]
  if (length(coded)) {
    at <- sprintf("x[[%s]]", encodeString(name, quote = "\""))
    report(
      "code",
      name = name, code = sprintf("%s (%s)", coded, names(coded)), count = length(coded),
      use = sprintf("%s[%s %%in%% c(%s)] <- NA", at, at, paste(coded, collapse = ", "))
    )
  }
}

# ---- clusters that a column gives ----

# Report the one column of few values that determines the clusters, but for 2 percent of the rows.
inform_separating <- function(x, cluster) {
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  k <- max(cluster)
  named <- is.data.frame(x) || is.matrix(x) && is.numeric(x) && !is.null(colnames(x)) && nrow(x) != ncol(x)
  if (!named || length(dim(x)) != 2L || ncol(x) < 3L || nrow(x) < 5L * k || k < 2L) {
    return(invisible())
  }
  rows <- evenly_spaced(seq_len(nrow(x)), 4000)
  label <- cluster[rows]
  gives <- vapply(seq_len(ncol(x)), function(j) {
    column <- if (is.data.frame(x)) x[[j]] else x[, j]
    if (!is.null(dim(column)) || !is.atomic(column) || length(column) != nrow(x)) {
      return(FALSE)
    }
    value <- as.vector(unclass(if (is.factor(column)) as.integer(column) else column))[rows]
    found <- unique(value)
    few <- length(found) >= k && length(found) <= max(10, k) && (is.character(value) || all(value == round(value), na.rm = TRUE))
    few && !anyNA(value) && sum(apply(table(value, label), 1L, max)) >= 0.98 * length(rows)
  }, NA)
  if (sum(gives) == 1L && !identical(which(gives), answer_column(x, k))) {
    name <- colnames(x)[gives]
    report("separates", name = name, quoted = encodeString(name, quote = "\""))
  }
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
  for (j in seq_along(x)) {
    if (is_text_column(x[[j]])) inform_missing_words(x[[j]], names[j], nzchar(kind[j])) else inform_missing_labels(x[[j]], names[j])
  }
  for (one in setdiff(unique(kind), "")) {
    at <- which(kind == one)
    column <- sprintf("x[[%s]]", encodeString(names[at[1L]], quote = "\""))
    value <- switch(one,
      numbers = sprintf("as.numeric(as.character(%s))", column),
      comma = sprintf("as.numeric(sub(\",\", \".\", %s))", column),
      points = sprintf("as.numeric(sub(\",\", \".\", gsub(\".\", \"\", %s, fixed = TRUE)))", column),
      limits = sprintf("as.numeric(sub(\"^[<>]=? *\", \"\", %s))", column),
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
# values; "comma", with a decimal comma; "points", with points before thousands as well; "limits", as "<0.1"; "marked" by %, a currency, a unit or marks of thousands; "dates"
# with their format. NULL for other columns.
text_numbers <- function(column) {
  if (!is_text_column(column)) {
    return(NULL)
  }
  values <- as.vector(column)
  values <- values[!is.na(values) & nzchar(values) & !values %in% missing_words]
  text <- unique(values)
  # a short first pass: most categories are words
  if (length(text) < 3L || !any(grepl("[0-9]", utils::head(text, 100L), useBytes = TRUE))) {
    return(NULL)
  }
  is <- function(pattern, of = text) grepl(pattern, of, useBytes = TRUE)
  # 1,008 and 2,250 have marks of thousands, 1,5 and 0,125 a decimal comma
  comma <- any(is(comma_number)) && !all(is(thousands, text[is(",", text)]))
  good <- is(plain_number) | comma & is(comma_number)
  # codes such as 007 are no numbers
  few <- is.factor(column) && all(is("^[0-9]+$", text[good])) && sum(good) <= 10L
  if (any(is("^0[0-9]+$")) || few) {
    return(NULL)
  }
  if (sum(good) >= 3L && sum(!good) <= 3L && mean(good[match(values, text)]) >= 0.9) {
    return(list(kind = if (comma) "comma" else "numbers"))
  }
  if (all(is(limit_number)) && any(is("^ *[<>]"))) {
    return(list(kind = "limits"))
  }
  if (all(is(european_number)) && any(is("[.].*,"))) {
    return(list(kind = "points"))
  }
  format <- names(date_patterns)[vapply(date_patterns, function(pattern) all(is(pattern)), NA)]
  if (length(format)) {
    return(list(kind = "dates", format = format[1L]))
  }
  if (all(is(plain_number, unmarked(text)))) list(kind = "marked")
}

plain_number <- "^[ \t]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$"
comma_number <- "^[ \t]*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?[ \t]*$"
thousands <- "^[ \t]*[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+[ \t]*$"
limit_number <- "^[ \t]*([<>]=?[ \t]*)?[-+]?[0-9]*[.]?[0-9]+[ \t]*$"
european_number <- "^[ \t]*[-+]?[0-9]{1,3}([.][0-9]{3})*(,[0-9]+)?[ \t]*$"
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

# A factor or text column with as many levels as clusters may be the answer, and a column of few whole numbers with
# the name of one.
inform_groups <- function(x, k) {
  if (ncol(x) < 2L) {
    return(invisible())
  }
  class_name <- grepl("^(.*[._ ])?(class|classes|label|labels|target|outcome|diagnosis|species|group|cluster|clusters|type)$", lower_ascii(names(x)))
  for (j in which(class_name)) {
    column <- x[[j]]
    levels <- if (is.numeric(column) && !is.object(column) && is.null(dim(column))) unique(column[!is.na(column)])
    if (length(levels) %in% 2:12 && length(levels) * 5L <= nrow(x) && all(levels == round(levels))) {
      report("groups_named", name = names(x)[j], k = length(levels))
    }
  }
  answer <- answer_column(x, k)
  if (length(answer)) report("groups", name = column_label(names(x), answer), k = k)
}

# The one text column or factor with k levels; several of them are questions with the same answers.
answer_column <- function(x, k) {
  if (!is.data.frame(x) || !is_number(k) || k < 2 || nrow(x) < 3 * k) {
    return(integer())
  }
  answer <- which(vapply(x, function(column) {
    (is_text_column(column) || is.ordered(column)) && length(unique(column[!is.na(column)])) == k
  }, NA))
  if (length(answer) == 1L) unname(answer)
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
inform_square <- function(x, arg = "x") {
  n <- nrow(x)
  diagonal <- x[cbind(seq_len(n), seq_len(n))]
  if (anyNA(diagonal)) diag(x)[is.na(diagonal)] <- 0
  range <- value_range(x)
  largest <- max(range[["largest"]], -range[["smallest"]])
  empty <- all(is.na(diagonal) | abs(diagonal) <= 1e-8 * largest)
  blank <- function(values) all(is.na(values) | values == 0)
  # ones on the diagonal and one triangle of values from 0 to 1
  if (!empty && isTRUE(all(diagonal == largest)) && range[["smallest"]] >= 0 && largest %in% c(1, 100)) {
    half <- c(lower = blank(x[upper.tri(x)]), upper = blank(x[lower.tri(x)]))
    if (sum(half) == 1L) {
      full <- if (half[["lower"]]) arg else sprintf("t(%s)", arg)
      return(report("similarities_triangle", use = sprintf("as.dist(%g - %s)", largest, full)))
    }
  }
  if (!empty || largest == 0 || range[["smallest"]] < -1e-8 * largest) {
    if (range[["missing"]] == 0 && asymmetry(x, 1e-12 * largest) == 0) {
      report("gram")
    }
    return(invisible())
  }
  lower <- x[lower.tri(x)]
  upper <- x[upper.tri(x)]
  if (blank(upper) || blank(lower)) {
    full <- if (blank(upper)) lower else upper
    use <- sprintf(if (blank(upper)) "as.dist(%s)" else "as.dist(t(%s))", arg)
    if (mean(full > 0 & !is.na(full)) >= 0.5) report("dissimilarities", what = "one triangle of a matrix", use = use)
  } else if (anyNA(lower) || anyNA(upper)) {
    return(invisible())
  } else if (asymmetry(x, 1e-8 * largest) > 0) {
    # entries that are nearly all above 0 beside a diagonal of 0
    if (mean(c(lower, upper) > 0) > 0.9) {
      report("dissimilarities", what = "an asymmetric matrix", use = sprintf("as.dist((%s + t(%s)) / 2)", arg, arg))
    }
  } else if (isTRUE(all(diagonal == 0)) && largest == 1 && all(x == 0 | x == 1)) {
    report("adjacency", taken = "data")
  } else {
    report("dissimilarities", what = "a matrix", use = sprintf("as.dist(%s)", arg))
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
  "id|ids|[a-z]id|rn|nummer|uid|guid|uuid|identifier|key|nr|no|num|number|index|idx|rowid|rowname|rownames|row.names|row|rownum|",
  "obs|observation|case|caseno|record|patient|subject|participant|respondent|sample|sampleno|student|",
  "customer|client|person|animal|unnamed|code|barcode|serial|seq|sequence|x1|v1"
)

# Return which columns number the rows: 0 or 1 to n in order, or different whole numbers under the
# name of an identifier. Other rising whole numbers may be measurements (datasets::women).
id_columns <- function(points, rows, n, sequence = FALSE) {
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

inform_edges <- function(x) {
  weighted <- ncol(x) == 3L
  third <- if (weighted) if (is.data.frame(x)) x[[3L]] else x[, 3L]
  if (weighted && !is.numeric(third) || !resembles_edges(x)) {
    return(invisible())
  }
  ends <- lapply(1:2, function(j) as.character(if (is.data.frame(x)) x[[j]] else x[, j]))
  m <- length(unique(unlist(ends)))
  every <- nrow(x) %in% c(m * (m - 1) / 2, m * (m - 1), m^2)
  report(if (weighted && every && is.data.frame(x)) "dissimilarities_long" else if (weighted) "edges_weighted" else "edges")
}

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
