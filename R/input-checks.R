# Input checks: messages about input that is probably not of the kind it is taken for, by properties of its values
# alone. read_input() calls inform_input() once for each exported function. Nothing is changed or refused.

#' Checks of the input
#'
#' Every function that takes observations checks them for the mistakes below. The result is computed all the same.
#' A kind of message is shown once a session.
#'
#' | class `kg_message_` | input | use |
#' |---|---|---|
#' | `symmetric` | a symmetric square matrix, as of dissimilarities, a kernel or a graph, taken as data | [as.dist()], [as_gram()],
#'   `igraph::graph_from_adjacency_matrix()` |
#' | `id` | a column that is 1, ..., n (or 0, ..., n - 1) in the order of the rows | leave it out |
#' | `code` | one number that is repeated, as -999, beyond the other values of its column by three times their range | `NA` |
#' | `separates` | a factor or text of at most 2 k values, which give the clusters that were found in 98 percent of the rows | leave it out |
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

# `stated`: names of columns that the call takes as they are; `as_data`: are the rows data by the call? `rows`:
# the numbers of the rows.
inform_input <- function(x, stated = NULL, as_data = FALSE, rows = NULL) {
  n <- NROW(x)
  if (n < 4L || !is_table(x) || is_points(x) || ncol(x) == 0L) {
    return(invisible())
  }
  names <- column_label(colnames(x), seq_len(ncol(x)))
  some <- evenly_spaced(seq_len(n), 2000L)
  number <- if (is.data.frame(x)) which(vapply(x, is_bare_number, NA, n)) else seq_len(ncol(x))
  values <- function(j, rows = some) as.double(if (is.data.frame(x)) .subset2(x, j)[rows] else x[rows, j])
  checked <- number[!names[number] %in% stated]
  id <- if (n > 9L) checked[vapply(checked, function(j) numbers_rows(values(j), (rows %||% seq_len(n))[some]), NA)]
  if (length(id) && length(id) < ncol(x)) {
    them <- if (length(id) == 1L) c("numbers", "it") else c("number", "them")
    report("id", "{columns_text(names[id])} of `x` {them[1L]} the rows: if so, leave {them[2L]} out.")
  }
  codes <- vapply(setdiff(checked, id), function(j) far_code(values(j)), 0)
  if (any(!is.na(codes))) {
    at <- columns_text(names[setdiff(checked, id)[!is.na(codes)]])
    shown <- format(codes[!is.na(codes)][1L], digits = 7)
    report("code", "{at} of `x`: {shown} repeats far outside of the other values. Use `NA` if this is a code.")
  }
  number <- setdiff(number, id)
  if (!as_data && length(number) == n && is_symmetric(vapply(number, values, numeric(n), seq_len(n)))) {
    report(
      "symmetric",
      "`x` is a symmetric matrix taken as data. For dissimilarities pass `as.dist(x)`, for a kernel `as_gram(x)`."
    )
  }
}

report <- function(what, template, .envir = parent.frame()) kg_inform(template, what, .envir = .envir)

# At most three names, each of at most 20 letters.
columns_text <- function(names) {
  shown <- vapply(names, function(name) if (nchar(name) > 20L) paste0(substr(name, 1L, 17L), "...") else name, "")
  if (length(shown) > 2L) shown <- c(shown[1L], sprintf("%d others", length(names) - 1L))
  paste(if (length(names) > 1L) "Columns" else "Column", in_words(unname(shown)))
}

is_bare_number <- function(x, n) is.numeric(x) && !is.object(x) && is.null(dim(x)) && length(x) == n

# Does the column number the rows, from 0 or from 1?
numbers_rows <- function(column, rows) {
  offset <- column[1L] - rows[1L]
  !is.na(offset) && offset %in% c(-1, 0) && all(column == rows + offset, na.rm = TRUE)
}

# The least or the largest value of a column, if it is repeated in less than half of the cells and lies beyond the
# others by three times their range; NA if there is none.
far_code <- function(column) {
  column <- column[!is.na(column)]
  for (code in range(0[length(column) == 0L], column)) {
    rest <- column[column != code]
    count <- length(column) - length(rest)
    if (count > 1L && length(unique(rest)) > 2L && 2L * count < length(column)) {
      if (min(abs(code - range(rest))) > 3 * diff(range(rest))) {
        return(code)
      }
    }
  }
  NA_real_
}

# Is a square matrix symmetric, but for rounding, and not of one value?
is_symmetric <- function(x) {
  all(is.finite(x)) && any(x != x[1L]) && isSymmetric(unname(x), tol = 1e-8)
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
        "The clusters of `x` are those of {sub('C', 'c', columns_text(names(x)[j]))} alone. Leave it out to cluster by the other columns."
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
    report("group", "{columns_text(colnames(x)[same][1L])} of `x` is the groups themselves: leave it out.")
  }
  any(same)
}
