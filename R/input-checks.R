# Input checks: messages about input that is probably not of the kind it is taken for, by properties of its values
# alone. read_input() calls inform_input() once for each exported function. Nothing is changed or refused.

#' Checks of the input
#'
#' Every function that takes observations checks them for the mistakes below. The result is computed all the same.
#' A kind of message is shown once a session.
#'
#' | class `kg_message_` | input | use |
#' |---|---|---|
#' | `dissimilarities` | a square matrix of values from 0 with a diagonal of zeros | [as.dist()] |
#' | `adjacency` | the same, with many zeros that are not those of equal observations |
#'   `igraph::graph_from_adjacency_matrix()` |
#' | `similarities` | a symmetric matrix whose diagonal has one value, the largest; a `dist` in which the middle value of a triple is
#'   nearer to the lowest than to the highest, by ranks | `as.dist(1 - x)` |
#' | `gram` | a symmetric matrix with \eqn{x_{ij}^2 \le x_{ii} x_{jj}}{x_ij^2 <= x_ii x_jj} | [as_gram()] |
#' | `id` | a column that is 1, ..., n (or 0, ..., n - 1) in the order of the rows | leave it out |
#' | `code` | numbers that repeat far outside of the other values of their column, as -999; "NA", ".", "?" and blanks as
#'   text | `NA` |
#' | `text` | a column of text in which nearly all values are numbers | [as.numeric()] |
#' | `separates` | a factor or text of at most 2 k values, which give the clusters that were found in 98 percent of the rows | leave it out |
#' | `group` | in tests and statistics of groups: a column that has one value for each group | leave it out |
#'
#' Codes lie beyond the other values by three times the range of these. If they are negative and the others are not, the
#' range itself suffices, and of whole numbers twice the widest spacing in the lower half. At most three values at
#' either end of a column are codes, several only if they are whole numbers.
#'
#' An explicit argument is an answer: `column_weights` with the name of a column takes that column as it is;
#' `semimetric` or `standardize` takes a square matrix as data. A `dist` with an attribute `method` is not checked.
#' `options(rlib_message_verbosity = "quiet")` silences all messages of the package, `"verbose"` repeats them;
#' `suppressMessages(kgroups(x, 3), classes = "kg_message_id")` silences one kind.
#' @section Complexity: \eqn{O(n d)}{O(n d)}; above 4000 rows 2000 of them are checked, of a `dist` 24 observations.
#' @family inputs
#' @examples
#' # a message: the first column numbers the rows
#' fit <- kgroups(cbind(id = 1:50, USArrests), 3, standardize = TRUE)
#' # stated: no message
#' fit <- kgroups(cbind(id = 1:50, USArrests), 3, standardize = TRUE, column_weights = c(id = 1))
#' @name input-checks
NULL

# `stated`: names of columns that the call takes as they are; `as_data`: are the rows data by the call? `rows`:
# the numbers of the rows.
inform_input <- function(x, stated = NULL, as_data = FALSE, rows = NULL) {
  if (inherits(x, "dist")) {
    if (is_similarity(x)) inform_pairs("similarities", "dissimilarities", if (max(x) <= 1) 1 else max(x))
  } else if (inherits(x, "Matrix")) {
    if (!as_data && is.null(attr(x, "kgroups_gram"))) inform_sparse(x)
  } else if (is_table(x) && !is_points(x)) {
    inform_table(x, stated, as_data, rows)
  }
  invisible()
}

# Columns in a message: at most two names of at most 20 characters.
columns_text <- function(names) {
  shown <- vapply(names, function(name) if (nchar(name) > 20L) paste0(substr(name, 1L, 17L), "...") else name, "")
  if (length(shown) > 2L) shown <- c(shown[1L], sprintf("%d others", length(names) - 1L))
  paste(if (length(names) > 1L) "Columns" else "Column", in_words(unname(shown)))
}

# ---- tables ----

inform_table <- function(x, stated, as_data, rows) {
  n <- nrow(x)
  d <- ncol(x)
  if (n < 3L || d == 0L) {
    return(invisible())
  }
  frame <- is.data.frame(x)
  some <- if (n > 4000L) round(seq(1, n, length.out = 2000)) else seq_len(n)
  rows <- if (is.null(rows)) some else rows[some]
  delayedAssign("names", column_label(if (frame) base::names(x) else colnames(x), seq_len(d)))
  bare <- function(column) {
    is.numeric(column) && (!is.object(column) || inherits(column, "haven_labelled")) && is.null(dim(column)) &&
      length(column) == n
  }
  number <- if (frame) vapply(x, bare, NA) else rep(TRUE, d)
  checked <- if (is.null(stated)) seq_len(d) else setdiff(seq_len(d), match(stated, names))
  id <- integer()
  codes <- list()
  for (j in checked[number[checked]]) {
    column <- if (frame) as.vector(unclass(.subset2(x, j))) else x[, j]
    if (n > 4000L) column <- column[some]
    if (n > 9L && numbers_rows(column, rows)) id <- c(id, j)
    code <- far_codes(column)
    if (length(code)) codes[[names[j]]] <- code
  }
  # if every column goes up in equal steps, none stands out
  if (length(id) == d) id <- integer()
  if (length(id)) {
    report(
      "id",
      "{columns_text(names[id])} of {.arg x} number{if (length(id) == 1L) 's' else ''} the rows: if so, leave {if (length(id) == 1L) 'it' else 'them'} out."
    )
  }
  if (length(codes)) report_codes(codes)
  if (frame && !all(number)) inform_text(x, names, checked[!number[checked]])
  if (!as_data && sum(number) - length(id) == n) {
    points <- setdiff(which(number), id)
    plain <- function(column) as.double(unclass(column))
    square <- if (frame) do.call(cbind, lapply(unname(unclass(x)[points]), plain)) else x[, points, drop = FALSE]
    others <- as.numeric(setdiff(seq_len(d), points))
    code <- if (length(others)) sprintf(if (frame) "x[-%s]" else "x[, -%s]", deparse_short(others)) else "x"
    inform_square(square, code)
  }
}

report <- function(what, template, .envir = parent.frame()) kg_inform(template, what, .envir = .envir)

# Is a column 1, ..., n or 0, ..., n - 1 in the order of the rows?
numbers_rows <- function(column, rows) {
  offset <- column[1L] - rows[1L]
  !is.na(offset) && offset %in% c(-1, 0) && all(column == rows + offset, na.rm = TRUE)
}

# ---- codes for missing values ----

# Return the values of a column that repeat far outside of the others: at most three at either end.
far_codes <- function(column) {
  column <- as.double(column)
  if (anyNA(column)) column <- column[!is.na(column)]
  if (length(column) < 5L) {
    return(numeric())
  }
  # one end repeats, with less than half of the values within three quarters of the range next to it, or beyond 0
  low <- min(column)
  high <- max(column)
  wide <- 0.75 * (high - low)
  few <- function(beyond) 2L * sum(beyond) < length(column)
  may <- is.finite(wide) && (sum(column == low) > 1L && (few(column < low + wide) || low < 0 && few(column < 0)) ||
    sum(column == high) > 1L && (few(column > high - wide) || high > 0 && few(column > 0)))
  if (!may) {
    return(numeric())
  }
  values <- sort(unique(column))
  count <- tabulate(match(column, values), length(values))
  c(values[seq_len(far_below(values, count))], utils::tail(values, far_below(rev(-values), rev(count))))
}

# Return how many of the lowest values are codes: each repeats, several are whole, they are less than half of the cells,
# and lie far below the rest.
far_below <- function(values, count) {
  most <- min(3L, length(values) - 3L)
  for (m in rev(seq_len(max(most, 0L)))) {
    codes <- values[seq_len(m)]
    rest <- values[-seq_len(m)]
    if (m > 1L && any(codes != round(codes))) next
    if (all(count[seq_len(m)] > 1L) && sum(count[seq_len(m)]) < sum(count) / 2 && is_far(codes[m], rest)) {
      return(m)
    }
  }
  0L
}

# Does a value lie below the rest by three times their range, also on a logarithmic scale; or a negative one below
# values from 0 by their range or, if it is whole, twice their widest spacing in the lower half?
is_far <- function(code, rest) {
  gap <- rest[1L] - code
  range <- rest[length(rest)] - rest[1L]
  if (code >= 0 || rest[1L] < 0) {
    return(gap > 3 * range && !is_geometric(code, rest))
  }
  steps <- diff(rest)
  gap > range || code == round(code) && gap >= 2 * max(steps[seq_len((length(steps) + 1L) %/% 2L)])
}

# Do ratios of neighbours reach the code in steps as wide as the widest of the others?
is_geometric <- function(code, rest) {
  size <- abs(c(code, rest))
  ratios <- abs(diff(log(size[size > 0])))
  code != 0 && length(ratios) > 1L && ratios[1L] <= 2 * max(ratios[-1L])
}

report_codes <- function(codes) {
  shown <- toString(format(utils::head(sort(unique(unlist(codes))), 3L), trim = TRUE, digits = 7))
  columns <- columns_text(names(codes))
  report(
    "code",
    "{columns} of {.arg x}: {shown} repeat{if (length(unlist(codes)) == 1L) 's' else ''} far outside of the other values. Use {.code NA} if this is a code."
  )
}

# ---- text ----

inform_text <- function(x, names, at) {
  words <- character()
  coded <- numbers <- character()
  for (j in at) {
    column <- .subset2(x, j)
    if (!is.null(dim(column)) || !(is.character(column) || is.factor(column) && is.character(levels(column)))) next
    values <- if (is.factor(column)) levels(column) else unique(as.character(unclass(column)))
    values <- values[!is.na(values)]
    missing <- missing_words(values)
    if (length(missing)) {
      words <- union(words, missing)
      coded <- c(coded, names[j])
    }
    if (is.character(column) && are_numbers(column, setdiff(values, missing))) numbers <- c(numbers, names[j])
  }
  if (length(numbers)) {
    name <- encodeString(numbers[1L], quote = "\"")
    at <- if (nchar(name) <= 20L) sprintf("x[[%s]]", name) else "x[[j]]"
    report(
      "text", "{columns_text(numbers)} of {.arg x}: numbers as text. For numbers use {.code {at} <- as.numeric({at})}."
    )
  } else if (length(words)) {
    shown <- encodeString(utils::head(words, 3L), quote = "\"")
    report(
      "code",
      "{columns_text(coded)} of {.arg x}: {shown} {if (length(shown) > 1L) 'count as categories' else 'counts as a category'}. Use {.code NA} if this stands for missing."
    )
  }
}

# Return the values that stand for a missing one beside others.
missing_words <- function(values) {
  missing <- is_missing_word(values)
  others <- values[!missing]
  # signs, and countries of two letters
  if ("+" %in% others) missing <- missing & values != "-"
  if (length(others) > 4L && all(grepl("^[A-Za-z]{1,2}$", others, useBytes = TRUE))) {
    missing <- missing & lower_ascii(values) != "na"
  }
  if (length(others)) values[missing] else character()
}

is_missing_word <- function(x) grepl("^([ \t]*|[.?-]+|<?na>?|n/a|n[.]a[.]|nan|null)$", lower_ascii(x)) & !is.na(x)

# Are nearly all values of a text numbers? Whole numbers with leading zeros, of one length above four, or different in
# half of the rows, are codes.
are_numbers <- function(column, values) {
  if (length(values) < 3L || !any(grepl("^[-+.0-9]", utils::head(values, 20L), useBytes = TRUE))) {
    return(FALSE)
  }
  number <- !is.na(suppressWarnings(as.numeric(values)))
  whole <- !any(grepl("[^0-9]", values, useBytes = TRUE))
  digits <- unique(nchar(values, "bytes"))
  id <- whole &&
    (
      any(grepl("^0[0-9]", values, useBytes = TRUE)) || length(values) > length(column) / 2 || length(digits) == 1L &&
      digits > 4L
    )
  mean(number) >= 0.9 && sum(!number) <= 3L && !id
}

# ---- matrices of pairs ----

# Square matrices of data.
inform_square <- function(x, code = "x") {
  n <- nrow(x)
  diagonal <- diag(x)
  # cells on the diagonal may be empty
  if (all(is.na(diagonal))) diag(x) <- diagonal <- 0
  if (n < 4L || !all(is.finite(x))) {
    return(invisible())
  }
  largest <- max(abs(x))
  if (largest == 0 || all(abs(diagonal) <= 1e-8 * largest)) {
    if (min(x) >= -1e-8 * largest && largest > 0) inform_hollow(x, largest, code)
  } else if (is_symmetric(x, 1e-8 * largest)) {
    if (max(diagonal) - min(diagonal) <= 1e-8 * largest && diagonal[1L] >= largest * (1 - 1e-8)) {
      inform_pairs("similarities", "data", largest, code)
    } else if (min(diagonal) > 0 && all(x^2 <= tcrossprod(diagonal) * (1 + 1e-8))) {
      report(
        "gram",
        "{.arg x} looks like a kernel or covariance matrix, but was taken as data. If so, pass {.code as_gram({code})}."
      )
    }
  }
}

# A diagonal of zeros and values from 0.
inform_hollow <- function(x, largest, code) {
  symmetric <- is_symmetric(x, 1e-8 * largest)
  if (is_network(x)) {
    inform_graph(if (nchar(code) > 12L) "x" else code, "data", !all(x %in% c(0, largest)))
  } else if (symmetric) {
    inform_pairs("dissimilarities", "data", 0, code)
  } else if (mean(x > 0) > 0.8) {
    inform_pairs("dissimilarities", "data", 0, sprintf("(%s + t(%s)) / 2", code, code))
  }
}

# Report a kind of pairs with code that makes a dist of it; similarities are subtracted from `top`.
inform_pairs <- function(kind, taken, top, code = "x") {
  if (!top %in% c(1, 100)) top <- sprintf("max(%s)", code)
  use <- if (kind == "similarities") paste(top, "-", code) else code
  use <- if (taken == "dissimilarities") use else sprintf("as.dist(%s)", use)
  report(kind, "{.arg x} looks like {kind}, but was taken as {taken}. If so, pass {.code {use}}.")
}

# A third argument TRUE keeps the weights.
inform_graph <- function(code, taken, weighted) {
  use <- paste0("igraph::graph_from_adjacency_matrix(", code, ", \"undirected\"", if (weighted) ", TRUE", ")")
  report("adjacency", "{.arg x} looks like a graph, but was taken as {taken}. If so, pass {.code {use}}.")
}

is_symmetric <- function(x, tol) {
  n <- nrow(x)
  next_to <- cbind(seq_len(n), c(seq_len(n)[-1L], 1L))
  all(abs(x[next_to] - x[next_to[, 2:1]]) <= tol) && all(vapply(strips(n, n), function(columns) {
    check_interrupt()
    all(abs(x[, columns] - t(x[columns, , drop = FALSE])) <= tol)
  }, NA))
}

# Are there many zeros, and not those of equal observations? Observations at distance 0 have the same zeros.
is_network <- function(x) {
  zero <- x == 0
  mean(zero) > 0.3 && any(zero != zero[max.col(zero, "first"), ])
}

# A symmetric Matrix is taken as a Gram matrix, other sparse ones as rows.
inform_sparse <- function(x) {
  if (
    nrow(x) != ncol(x) || nrow(x) < 4L || !inherits(x, "dMatrix") && !inherits(x, "lMatrix") && !inherits(x, "nMatrix")
  ) {
    return(invisible())
  }
  values <- if (inherits(x, "sparseMatrix")) methods::as(methods::as(x, "dMatrix"), "TsparseMatrix")@x else as.vector(x)
  if (
    length(values) == 0L || !all(is.finite(values)) || min(values) < 0 || max(values) == 0 || any(Matrix::diag(x) != 0)
  ) {
    return(invisible())
  }
  taken <- if (is_sparse_rows(x)) "data" else "a Gram matrix"
  if (Matrix::nnzero(x) < 0.7 * nrow(x)^2) {
    inform_graph("x", taken, !all(values %in% c(0, 1)))
  } else {
    inform_pairs("dissimilarities", taken, 0, "as.matrix(x)")
  }
}

# ---- dissimilarities ----

# Is a `dist` one of similarities? Among similarities the two lower values of a triple are close, among dissimilarities
# the two higher, whatever their unit. Of m observations without structure the mean place has a standard deviation of
# about 0.27 / m.
is_similarity <- function(x) {
  n <- attr(x, "Size")
  sized <- is_number(n) && n >= 10 && length(x) == n * (n - 1) / 2
  if (!sized || !is.numeric(x) || !is.null(attr(x, "method")) || inherits(x, c("dissimilarity", "simil"))) {
    return(FALSE)
  }
  m <- min(n, 24)
  at <- evenly_spaced(seq_len(n), m)
  i <- rep(at, rev(seq_along(at)) - 1)
  j <- at[sequence(rev(seq_along(at)) - 1, seq_along(at) + 1)]
  d <- .subset(x, n * (i - 1) - i * (i - 1) / 2 + j - i)
  all(is.finite(d)) && min(d) >= 0 && middle_rank(d, m) < 0.5 - 1.2 / m
}

# Return the mean place of the middle of three dissimilarities between the least (0) and the largest (1), by ranks.
middle_rank <- function(d, m) {
  D <- matrix(0, m, m)
  D[lower.tri(D)] <- rank(d)
  D <- D + t(D)
  triples <- utils::combn(m, 3L)
  of <- function(a, b) D[cbind(triples[a, ], triples[b, ])]
  sides <- cbind(of(1, 2), of(1, 3), of(2, 3))
  low <- do.call(pmin, as.data.frame(sides))
  high <- do.call(pmax, as.data.frame(sides))
  wide <- high > low
  if (any(wide)) mean((rowSums(sides) - 2 * low - high)[wide]) / mean((high - low)[wide]) else 0.5
}

# ---- columns that hold the known groups ----

# Return the clusters that a column of at most 2 k values gives alone: each of its values lies in one cluster, but for 2
# percent of the rows and a tenth of each cluster. Many values lie in few clusters by the other columns, as the rows of
# one subject.
given_clusters <- function(column, cluster, k) {
  values <- unique(column)
  values <- values[!is.na(values)]
  if (length(values) < 2L || length(values) > 2L * k || 5L * length(values) > length(column)) {
    return(integer())
  }
  counts <- matrix(tabulate(match(column, values) + length(values) * (cluster - 1L), length(values) * k), length(values))
  most <- max.col(counts, "first")
  right <- sum_by(counts[cbind(seq_along(most), most)], most, k)
  size <- tabulate(cluster, k)
  given <- which(right > 0 & right >= 0.9 * size & sum_by(rowSums(counts), most, k) - right <= 0.1 * size)
  if (sum(size[given] - right[given]) <= 0.02 * length(column)) given else integer()
}

# Report a factor or text of a table that alone gives the clusters. Return whether there is one.
inform_known_groups <- function(x, cluster) {
  k <- max(cluster, 0L, na.rm = TRUE)
  if (!is.data.frame(x) || k < 2L || length(x) < 3L || nrow(x) != length(cluster)) {
    return(FALSE)
  }
  for (j in which(vapply(x, function(column) is.factor(column) || is.character(column), NA))) {
    column <- .subset2(x, j)
    if (length(given_clusters(column, cluster, k)) == k && !anyNA(column)) {
      report(
        "separates",
        "The clusters of {.arg x} are those of {sub('C', 'c', columns_text(names(x)[j]))} alone. Leave it out to cluster by the other columns."
      )
      return(TRUE)
    }
  }
  FALSE
}

# The same for clusters of several numbers, as the cuts of a tree: `labels` returns those of a number.
inform_known_cuts <- function(x, numbers, labels) {
  if (is.data.frame(x)) {
    few <- vapply(x, function(column) if (is.factor(column) || is.character(column)) length(unique(column)) else 0L, 0L)
    for (k in sort(intersect(few, numbers[numbers > 1]))) {
      if (inform_known_groups(x, labels(k))) break
    }
  }
  invisible()
}

# Report a column of x that is the groups under other labels. Return whether there is one.
inform_group_column <- function(x, labels) {
  labels <- partition_labels(labels)
  n <- length(labels)
  is_plain <- function(x) is.atomic(x) && is.null(dim(x)) && !is_damaged(x)
  first <- if (is_plain(labels)) match(labels, labels)
  named <- is_table(x) && !is.null(colnames(x))
  if (is.null(first) || !named || ncol(x) < 2L || n != nrow(x) || n < 3L * length(unique(first))) {
    return(FALSE)
  }
  same <- vapply(seq_len(ncol(x)), function(j) {
    column <- if (is.data.frame(x)) .subset2(x, j) else x[, j]
    is_plain(column) && length(column) == n && identical(match(column, column), first)
  }, NA)
  if (any(same)) {
    report("group", "{columns_text(colnames(x)[same][1L])} of {.arg x} is the groups themselves: leave it out.")
  }
  any(same)
}
