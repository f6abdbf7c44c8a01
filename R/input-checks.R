# Input checks: messages about input that is probably not of the kind it is taken for, by properties of its values
# alone. read_data() calls inform_input() once for each exported function. Nothing is changed or refused.

#' Checks of the input
#'
#' Every function that takes observations checks them for the mistakes below. The result is computed all the same.
#' A message is shown once a session for a kind and its columns.
#'
#' | class `kg_message_` | input | use |
#' |---|---|---|
#' | `symmetric` | a square matrix that is symmetric or has zeros in one half, as of dissimilarities or a kernel, taken as data | [as.dist()], [as_gram()], a graph |
#' | `id` | a column that is 1, ..., n (or 0, ..., n - 1) in the order of the rows | leave it out |
#' | `code` | a whole number that is repeated, as -999, in less than a tenth of the rows, beyond the other values of its column by three times their range | `NA` |
#' | `text` | text most of whose cells begin with a number, as "5,1", "5.1 cm", "$5.1", and none is a code as "02139" | `as.numeric()` |
#' | `separates` | a factor or text of at most 2 k values, which give the clusters that were found in 98 percent of the rows | leave it out |
#' | `weights` | a column that is the weights | leave it out |
#' | `group` | in tests and statistics of groups: a column that has one value for each group | leave it out |
#'
#' An explicit argument is an answer: `column_weights` with the name of a column takes that column as it is;
#' `semimetric` or `standardize` takes a square matrix as data.
#' `options(rlib_message_verbosity = "quiet")` silences all messages of the package, `"verbose"` repeats them;
#' `suppressMessages(kgroups(x, 3), classes = "kg_message_id")` silences one kind.
#' @section Complexity: \eqn{O(n d)}{O(n d)}; above 2000 rows so many of them are checked.
#' @family inputs
#' @examples
#' # a message: the first column numbers the rows
#' fit <- kgroups(cbind(id = 1:50, USArrests), 3, standardize = TRUE)
#' # stated: no message
#' fit <- kgroups(cbind(id = 1:50, USArrests), 3, standardize = TRUE, column_weights = c(id = 1))
#' @name input-checks
NULL

# Report the mistakes that the values of a table show. `x` is a matrix if all columns are plain numbers. `stated`: names
# of columns that the call takes as they are; `as_data`: are the rows data by the call? `rows`: the numbers of the rows.
inform_input <- function(x, stated = NULL, as_data = FALSE, rows = seq_len(nrow(x)), weights = NULL) {
  n <- nrow(x)
  number <- ncol(x)
  if (n < 4L || number == 0L) {
    return(invisible())
  }
  if (is.data.frame(x)) {
    inform_number_text(x[!names(x) %in% stated])
    x <- x[vapply(x, function(column) is_plain_vector(column) && length(column) == n, NA)]
    x <- matrix(as.double(unlist(x, use.names = FALSE)), n, dimnames = list(NULL, names(x)))
  }
  checked <- if (length(stated)) which(!colnames(x) %in% stated) else seq_len(ncol(x))
  id <- checked[x[1L, checked] %in% (rows[1L] - 0:1)]
  id <- if (n > 9L) id[vapply(id, function(j) all(x[, j] - x[1L, j] == rows - rows[1L], na.rm = TRUE), NA)]
  if (length(id) && length(id) < number) {
    them <- if (length(id) == 1L) c("numbers", "it") else c("number", "them")
    names <- column_label(colnames(x), id)
    kg_inform("{columns_text(names)} of `x` {them[1L]} the rows: if so, leave {them[2L]} out.", "id", of = names)
  }
  weighs <- if (is.numeric(weights) && length(unique(weights)) > 1L) {
    checked[vapply(checked, function(j) identical(as.double(x[, j]), as.double(weights)), NA)]
  }
  if (length(weighs) && length(weighs) < number) {
    one <- column_label(colnames(x), weighs[1L])
    kg_inform("{columns_text(one)} of `x` is the weights: leave it out.", "weights", of = one)
  }
  inform_codes(x, setdiff(checked, id))
  if (!as_data && length(id) == 0L && ncol(x) == n) inform_square(x)
}

# At most three names, each of at most 20 letters.
columns_text <- function(names) {
  shown <- vapply(names, function(name) if (nchar(name) > 20L) paste0(substr(name, 1L, 17L), "...") else name, "")
  if (length(shown) > 2L) shown <- c(shown[1L], sprintf("%d others", length(names) - 1L))
  paste(if (length(names) > 1L) "Columns" else "Column", in_words(unname(shown)))
}

# Text columns most of whose cells begin with a number: "1,5", "5.1 cm", "$7", "15%". Digits after a leading zero are a
# code: "02139".
inform_number_text <- function(x) {
  begin <- "^[[:space:]]*[-+<>~]?[[:space:]]*[^[:alnum:][:space:]]?[[:space:]]*[.]?[0-9]"
  text <- vapply(x, function(column) {
    is.character(column) && is.null(dim(column)) && {
      cells <- column[!is.na(column)]
      cells <- cells[evenly_spaced(seq_along(cells), 2000L)]
      2L * sum(grepl(begin, cells, useBytes = TRUE)) > length(cells) && !any(grepl("^0[0-9]+$", cells, useBytes = TRUE))
    }
  }, NA)
  if (any(text)) {
    has <- if (sum(text) == 1L) "is" else "are"
    kg_inform(paste(
      "{columns_text(names(x)[text])} of `x` {has} text that begins with numbers.",
      "Make numbers of it if these are meant."
    ), "text", of = names(x)[text])
  }
}

# Codes of missing values in columns of numbers. All others lie in one quarter of the range if the code is as far.
inform_codes <- function(x, columns) {
  if (nrow(x) > 2000L) x <- x[evenly_spaced(seq_len(nrow(x)), 2000L), , drop = FALSE]
  codes <- vapply(columns, function(j) far_code(x[, j]), 0)
  far <- which(!is.na(codes))
  if (length(far)) {
    shown <- format(codes[far[1L]], digits = 7)
    names <- column_label(colnames(x), columns[far])
    kg_inform(
      "{columns_text(names)} of `x`: {shown} repeats far outside of the others. Use `NA` if this is a code.",
      "code", of = names
    )
  }
}

# The least or the largest value of a column, if it is whole, repeated in less than a tenth of the cells, and beyond the
# others by three times their range; NA if there is none.
far_code <- function(column) {
  if (anyNA(column)) column <- column[!is.na(column)]
  ends <- if (length(column)) range(column) else return(NA_real_)
  if (!any(ends == round(ends))) { # counts would take memory for each of many columns
    return(NA_real_)
  }
  quarter <- (ends[2L] - ends[1L]) / 4
  few <- c(sum(column <= ends[1L] + quarter), sum(column >= ends[2L] - quarter))
  side <- which(few > 1L & 10L * few < length(column) & rev(few) + few == length(column))
  if (length(side) != 1L) {
    return(NA_real_)
  }
  code <- ends[side]
  rest <- column[column != code]
  far <- length(rest) + few[side] == length(column) && code == round(code) && length(unique(rest)) > 2L &&
    min(abs(code - range(rest))) > 3 * diff(range(rest))
  if (far) code else NA_real_
}

# A square matrix that is symmetric but for rounding, or has zeros in one half, and is not of one value.
inform_square <- function(x) {
  if (!all_finite(x) || all(x == x[1L])) {
    return(invisible())
  }
  x <- unname(x)
  low <- all(x[upper.tri(x)] == 0)
  if (isSymmetric(x, tol = 1e-8)) {
    kg_inform(
      "`x` is a symmetric matrix taken as data. For dissimilarities pass `as.dist(x)`, for a kernel `as_gram(x)`.",
      "symmetric", of = dim(x)
    )
  } else if (low || all(x[lower.tri(x)] == 0)) {
    whole <- if (low) "as.dist(x)" else "as.dist(t(x))"
    kg_inform(
      "`x` is one half of a square matrix, taken as data. For dissimilarities pass `{whole}`.", "symmetric", of = dim(x)
    )
  }
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
  m <- as.numeric(length(values))
  counts <- matrix(tabulate(match(column, values) + m * (cluster - 1L), m * k), m)
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
      name <- sub("C", "c", columns_text(names(x)[j]))
      kg_inform("The clusters of `x` are those of {name} alone: leave it out for other ones.", "separates", of = name)
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
  is_plain <- function(x) is.atomic(x) && is.null(dim(x))
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
    one <- colnames(x)[same][1L]
    kg_inform("{columns_text(one)} of `x` is the groups themselves: leave it out.", "group", of = one)
  }
  any(same)
}
