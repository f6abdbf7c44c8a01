# Agreement of two partitions. All scores are computed from one sparse contingency table,
# in O(n) memory whatever the numbers of groups.

#' Compare two partitions
#'
#' Computes the agreement of a clustering with known labels, or with another clustering: the adjusted Rand
#' index, the accuracy of the best matching, the overlap used for communities in networks, or the
#' normalised mutual information. None of them depends on the names or the order of the labels.
#'
#' @param truth The known groups of the n observations: a vector of any type, a factor, igraph's `membership` or
#'   `communities`, or a fit, also of other packages. The noise of \pkg{dbscan} is a group of its own, 0:
#'   leave these rows out of both to compare the others.
#' @param cluster The groups found, in the same forms and of the same length, or a list or data frame of several. The
#'   numbers of groups may differ. Two fits or other objects with the same row names are matched by them.
#' @param method The score: `"adjusted_rand"` (default), `"accuracy"`, `"overlap"` or `"nmi"`; see Definitions.
#' @param mean For `"nmi"`: the mean of the two entropies that divides the mutual information,
#'   `"geometric"` (default, as in França, Rizzo and Vogelstein 2021),
#'   `"arithmetic"` (as in igraph), `"min"` or `"max"`.
#'
#' @param ... Not used: an unknown argument is an error.
#' @return One number; for a list or data frame a data frame with a row for each partition: its name, its number of
#'   `clusters`, and all four scores (or that of `method`); it prints three digits, and `plot()` draws the table. The
#'   accuracy lies in (0, 1], the mutual information in \[0, 1\]. The overlap and the adjusted Rand index are at most 1
#'   and may be negative.
#'
#' @section Definitions:
#' With \eqn{n_{ij}}{n_ij} observations in true group i and found group j, row sums
#' \eqn{a_i}, column sums \eqn{b_j} and n observations:
#'
#' * **adjusted Rand index**: with \eqn{A = \sum_i {a_i \choose 2}}{A = sum_i choose(a_i, 2)},
#'   \eqn{B = \sum_j {b_j \choose 2}}{B = sum_j choose(b_j, 2)} and
#'   \eqn{E = A B / {n \choose 2}}{E = A B / choose(n, 2)}, it is
#'   \eqn{(\sum_{ij} {n_{ij} \choose 2} - E) / ((A + B)/2 - E)}{(sum_ij choose(n_ij, 2) - E) / ((A + B)/2 - E)}.
#'   It is 1 for equal partitions and has mean 0 for random ones with the same group sizes.
#'   The formula is 0/0 only if both are one group or both are all single observations (n = 1
#'   included); the partitions are then equal and the index is 1.
#' * **accuracy**: \eqn{\max_\pi \sum_i n_{i\pi(i)} / n}{max over pi of sum_i n_{i,pi(i)} / n}
#'   over one-to-one matchings of true to found groups. With unequal numbers of
#'   groups the observations of unmatched groups count as wrong.
#' * **overlap**: \eqn{(\mathrm{accuracy} - 1/k) / (1 - 1/k)}{(accuracy - 1/k) / (1 - 1/k)}
#'   with k the number of distinct true labels. It is 1 for a perfect match and 0
#'   for an accuracy of 1/k. Random labels have a positive mean, because the best matching counts: about 0.1 for 128
#'   observations in four groups. For k = 1 the formula is 0/0:
#'   the overlap is then 1 if `cluster` is one group too and 0 if not.
#' * **nmi**, normalised mutual information: \eqn{I / m(H_1, H_2)} with the mutual information I,
#'   the entropies \eqn{H_1, H_2} and the chosen mean m. If both partitions are one group,
#'   it is 1; if only one of them is, it is 0 for every mean. Random labels have a positive mean, which increases with
#'   the numbers of groups.
#'
#' @section Complexity:
#' O(n) for a moderate number of groups. The accuracy and the overlap solve an assignment problem
#' ([clue::solve_LSAP()]), cubic in the number of groups, separately for each set of groups
#' that share observations. More than 10,000 by 10,000 groups in one such set are an error.
#'
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Hubert L, Arabie P (1985). "Comparing partitions." *Journal of Classification*, 2, 193-218.
#' \doi{10.1007/BF01908075}
#'
#' Vinh NX, Epps J, Bailey J (2010). "Information theoretic measures for clusterings
#' comparison." *Journal of Machine Learning Research*, 11, 2837-2854.
#'
#' @concept Rand index
#' @concept purity
#' @concept mutual information
#' @examples
#' # twelve observations in three groups, one of them divided by the clusters
#' truth <- rep(c("a", "b", "c"), c(5, 4, 3))
#' found <- c(2, 2, 2, 2, 1, 1, 1, 1, 1, 3, 3, 3)
#' compare_clusters(truth, found)
#' compare_clusters(truth, found, "accuracy")
#' compare_clusters(truth, found, "nmi", mean = "arithmetic")
#'
#' # several partitions, each with the truth: halves agree with it no more than by chance
#' compare_clusters(truth, list(found = found, halves = rep(1:2, 6)))
#' @family scores
#' @export
compare_clusters <- function(truth, cluster, method = c("adjusted_rand", "accuracy", "overlap", "nmi"),
                             mean = c("geometric", "arithmetic", "min", "max"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "compare_clusters")
  all_scores <- missing(method)
  method <- check_choice(
    method, "method", score_methods, several = "For all scores use `compare_clusters(truth, list(cluster))`."
  )
  if (!missing(mean) && method != "nmi") {
    abort_input(
      "mean", rlang::current_env(), "`mean` belongs to `method = \"nmi\"`.", "You supplied it for {quoted(method)}.",
      "Leave it out."
    )
  }
  mean <- check_choice(mean, "mean", c("geometric", "arithmetic", "min", "max"))
  call <- rlang::current_env()
  check_given(truth, "truth", call)
  if (missing(cluster) && is_list_of_labels(truth)) {
    abort_input(
      "cluster", call, "`cluster` must be given.", "You supplied {value_text(truth)} as `truth`.",
      "To compare the first with the others use `compare_clusters(x[[1]], as.list(x)[-1])`."
    )
  }
  check_given(cluster, "cluster", call)
  if (is_list_of_labels(cluster)) {
    return(compare_several(truth, cluster, if (!all_scores) method, mean, call))
  }
  score_of_table(label_table(truth, cluster, call), method, mean, call)
}

score_methods <- c("adjusted_rand", "accuracy", "overlap", "nmi")

# A list or a table of partitions?
is_list_of_labels <- function(x) is.data.frame(x) || is.list(x) && !is.object(x)

# A row for each partition of a list, a column for each score: all of them, or that of the call.
compare_several <- function(truth, partitions, method, mean, call) {
  if (length(partitions) == 0L) {
    abort_argument(partitions, "cluster", "be labels, a fit, or a list of them.", call = call)
  }
  tables <- lapply(partitions, function(cluster) label_table(truth, cluster, call))
  methods <- method %||% score_methods
  scores <- lapply(
    stats::setNames(nm = methods), function(one) vapply(unname(tables), score_of_table, 0, one, mean, call)
  )
  names <- names(partitions) %||% character(length(partitions))
  names <- ifelse(nzchar(names), names, seq_along(partitions))
  out <- data.frame(
    partition = as.character(names), clusters = vapply(unname(tables), function(table) length(table$column_sums), 0L),
    scores
  )
  structure(out, class = c("kgroups_comparison", "kgroups_result", "data.frame"))
}

#' @export
print.kgroups_comparison <- function(x, ...) {
  table <- as.data.frame(x)
  scores <- intersect(names(table), score_methods)
  # rows and columns may have been left out
  if (length(scores) && nrow(table)) cat("Agreement with `truth`, at most 1:\n")
  table[scores] <- lapply(table[scores], function(score) sprintf("%.3f", score))
  print(table, row.names = FALSE)
  invisible(x)
}

#' @export
result_table.kgroups_comparison <- function(x) structure(x, class = "data.frame")

score_of_table <- function(table, method, mean, call) {
  switch(method,
    adjusted_rand = rand_of_table(table),
    accuracy = matched_share(table, call),
    overlap = overlap_of_table(table, call),
    nmi = nmi_of_table(table, mean)
  )
}

# Adjusted Rand index of two vectors of labels.
adjusted_rand <- function(truth, cluster) rand_of_table(label_table(truth, cluster))

# Eq. (63)
overlap_of_table <- function(table, call) {
  k <- length(table$row_sums)
  if (k == 1L) {
    return(as.numeric(length(table$column_sums) == 1L))
  }
  (matched_share(table, call) - 1 / k) * k / (k - 1)
}

nmi_of_table <- function(table, mean) {
  entropy <- function(counts) -sum(counts / table$n * log(counts / table$n))
  one_group <- c(length(table$row_sums), length(table$column_sums)) == 1L
  if (any(one_group)) {
    return(as.numeric(all(one_group)))
  }
  h_truth <- entropy(table$row_sums)
  h_cluster <- entropy(table$column_sums)
  independent <- table$row_sums[table$row] / table$n * table$column_sums[table$column]
  information <- sum(table$count / table$n * log(table$count / independent))
  information <- max(0, min(information, h_truth, h_cluster)) # rounding
  information / switch(mean,
    geometric = sqrt(h_truth * h_cluster),
    arithmetic = (h_truth + h_cluster) / 2,
    min = min(h_truth, h_cluster),
    max = max(h_truth, h_cluster)
  )
}

# Contingency table of two labellings: row, column and count of the cells above 0, and the
# margins. Counts are doubles because their products may exceed the integers.
label_table <- function(truth, cluster, call = rlang::caller_env()) {
  truth <- column_vector(partition_labels(truth))
  cluster <- match_rows(partition_labels(cluster), names(truth), "cluster", call)
  truth <- check_labels(truth, NULL, "truth", call = call)
  n <- length(truth)
  cluster <- check_labels(cluster, n, "cluster", call = call)
  rows <- length(attr(truth, "levels"))
  columns <- length(attr(cluster, "levels"))
  cells <- vctrs::vec_count(vctrs::data_frame(column = as.integer(cluster), row = as.integer(truth)), sort = "key")
  list(
    n = n, row = cells$key$row, column = cells$key$column, count = as.numeric(cells$count),
    row_sums = as.numeric(tabulate(truth, rows)), column_sums = as.numeric(tabulate(cluster, columns))
  )
}

# Accuracy of the best one-to-one matching, Eq. (55): one assignment problem for each
# connected set of groups.
matched_share <- function(table, call) {
  rows <- length(table$row_sums)
  edges <- cbind(table$row, rows + table$column)
  part <- component_numbers(edges, rows + length(table$column_sums))[table$row]
  matched <- vapply(split(seq_along(part), part), function(cells) {
    largest_matching(table$row[cells], table$column[cells], table$count[cells], call)
  }, 0)
  sum(matched) / table$n
}

# The largest sum of counts with at most one cell from each row and column.
largest_matching <- function(row, column, count, call) {
  row <- match(row, unique(row))
  column <- match(column, unique(column))
  if (max(row) == 1L || max(column) == 1L) {
    return(max(count))
  }
  # clue::solve_LSAP() requires at least as many columns as rows
  if (max(row) > max(column)) {
    return(largest_matching(column, row, count, call))
  }
  if (as.numeric(max(row)) * max(column) > 1e8) {
    abort_input(
      "groups", call, "The best matching is too large: at most 1e8 pairs of groups that share observations.",
      "There are {max(row)} by {max(column)} such groups.",
      "Use \"adjusted_rand\" or \"nmi\", which need no matching."
    )
  }
  counts <- matrix(0, max(row), max(column))
  counts[cbind(row, column)] <- count
  partner <- as.integer(clue::solve_LSAP(counts, maximum = TRUE))
  sum(counts[cbind(seq_along(partner), partner)])
}
