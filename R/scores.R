# Scores of a clustering against known labels, and of a partition of a graph.
#
# All scores of label pairs go through one sparse contingency table (counts of the
# label pairs that occur), made by tabulate() or, when there are very many labels,
# by sorting: O(n) memory whatever the numbers of groups, fast at a million labels.

#' Scores of a clustering against known labels
#'
#' How well a clustering agrees with labels that are known: the share of matching
#' labels, the overlap used for communities in networks, the adjusted Rand index and
#' the normalised mutual information. None of them depends on what the labels are
#' called or on their order.
#'
#' @param truth The known groups of the n observations: a vector of any type, a factor,
#'   igraph's `membership` or `communities`, or a fit of this package.
#' @param cluster The groups found, in the same forms and of the same length. The two
#'   need not have the same number of groups.
#' @param mean Which mean of the two entropies divides the mutual information:
#'   `"geometric"` (the default, as in Franca, Rizzo and Vogelstein 2020),
#'   `"arithmetic"` (as in igraph), `"min"` or `"max"`.
#'
#' @return One number. The accuracy lies in (0, 1], the mutual information in \[0, 1\],
#'   the overlap and the adjusted Rand index are at most 1 and may be negative.
#'
#' @section Definitions:
#' With \eqn{n_{ij}}{n_ij} observations in true group i and found group j, row sums
#' \eqn{a_i}, column sums \eqn{b_j} and n observations:
#'
#' * **accuracy**: \eqn{\max_\pi \sum_i n_{i\pi(i)} / n}{max over pi of sum_i n_{i,pi(i)} / n}
#'   over one-to-one matchings of true to found groups (Eq. (55)). With unequal numbers of
#'   groups the ones left over match nothing and their observations count as wrong.
#' * **overlap**: \eqn{(\mathrm{accuracy} - 1/k) / (1 - 1/k)}{(accuracy - 1/k) / (1 - 1/k)}
#'   with k the number of distinct true labels (Eq. (63)). It is 1 for a perfect match and 0
#'   for the accuracy of a guess among k groups of equal size. For k = 1 the formula is 0/0:
#'   the overlap is then defined as 1 if `cluster` is one group too and 0 if not.
#' * **adjusted Rand index**: with \eqn{A = \sum_i {a_i \choose 2}}{A = sum_i choose(a_i, 2)},
#'   \eqn{B = \sum_j {b_j \choose 2}}{B = sum_j choose(b_j, 2)} and
#'   \eqn{E = A B / {n \choose 2}}{E = A B / choose(n, 2)}, it is
#'   \eqn{(\sum_{ij} {n_{ij} \choose 2} - E) / ((A + B)/2 - E)}{(sum_ij choose(n_ij, 2) - E) / ((A + B)/2 - E)}.
#'   It is 1 for equal partitions and has mean 0 for random ones with the same group sizes.
#'   The formula is 0/0 only if both are one group or both are all single observations (n = 1
#'   included); the partitions are then equal and the index is 1. If just one of the two is of
#'   such a kind it is 0.
#' * **normalised mutual information**: \eqn{I / m(H_1, H_2)} with the mutual information I,
#'   the entropies \eqn{H_1, H_2} and the chosen mean m. If both partitions are one group,
#'   it is 1; if only one of them is, I = 0 and the value is 0 for every mean.
#'
#' @section Complexity:
#' O(n) for a moderate number of groups. The accuracy solves an assignment problem
#' ([clue::solve_LSAP()]), cubic in the number of groups, separately for each set of groups
#' that share observations; beyond 10,000 by 10,000 groups in one such set it is refused.
#'
#' @section Errors:
#' `kg_error_truth`, `kg_error_cluster`: no labels, missing labels, lengths that differ;
#' `kg_error_mean`: an unknown mean; `kg_error_groups`: too many groups for the matching.
#'
#' @references
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Hubert L, Arabie P (1985). "Comparing partitions." *Journal of Classification*, 2, 193-218.
#' \doi{10.1007/BF01908075}
#'
#' Vinh NX, Epps J, Bailey J (2010). "Information theoretic measures for clusterings
#' comparison." *Journal of Machine Learning Research*, 11, 2837-2854.
#'
#' @examples
#' truth <- rep(c("a", "b", "c"), c(5, 4, 3))
#' found <- c(2, 2, 2, 2, 1, 1, 1, 1, 1, 3, 3, 3)
#' clustering_accuracy(truth, found)
#' clustering_overlap(truth, found)
#' adjusted_rand(truth, found)
#' normalized_mutual_info(truth, found)
#' @family scores
#' @name clustering_scores
NULL

#' @rdname clustering_scores
#' @export
clustering_accuracy <- function(truth, cluster) {
  matched_share(label_table(truth, cluster))
}

#' @rdname clustering_scores
#' @export
clustering_overlap <- function(truth, cluster) {
  table <- label_table(truth, cluster)
  k <- length(table$row_sums)
  if (k == 1L) {
    return(as.numeric(length(table$column_sums) == 1L))
  }
  (matched_share(table) - 1 / k) * k / (k - 1) # Eq. (63)
}

#' @rdname clustering_scores
#' @export
adjusted_rand <- function(truth, cluster) {
  table <- label_table(truth, cluster)
  pairs <- function(counts) sum(counts * (counts - 1) / 2)
  in_truth <- pairs(table$row_sums)
  in_cluster <- pairs(table$column_sums)
  all_pairs <- pairs(table$n)
  # 0/0: both one group, or both all single observations, hence equal.
  if (in_truth == in_cluster && (in_truth == 0 || in_truth == all_pairs)) {
    return(1)
  }
  expected <- in_truth / all_pairs * in_cluster
  (pairs(table$count) - expected) / ((in_truth + in_cluster) / 2 - expected)
}

#' @rdname clustering_scores
#' @export
normalized_mutual_info <- function(truth, cluster,
                                   mean = c("geometric", "arithmetic", "min", "max")) {
  mean <- check_choice(mean, "mean", c("geometric", "arithmetic", "min", "max"))
  table <- label_table(truth, cluster)
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

#' Quality of a partition of a graph
#'
#' Performance, coverage and modularity of a grouping of the vertices of a graph. They need
#' no known labels. Directions, loops, repeated edges and edge weights are ignored.
#'
#' @param graph An igraph graph with at least one vertex.
#' @param membership The group of each vertex, in the order of the vertices: a vector of any
#'   type, a factor, igraph's `membership` or `communities`, or a fit of this package.
#'
#' @return A named numeric vector of length 3:
#'   * `performance`: the share of the n(n - 1)/2 vertex pairs that are as they should be,
#'     joined within a group or not joined across groups; `NaN` for a single vertex.
#'   * `coverage`: the share of the edges that lie within groups; `NaN` without edges.
#'   * `modularity`: [igraph::modularity()] without edge weights; `NaN` without edges.
#'
#' @section Complexity: O(vertices + edges).
#' @section Errors: `kg_error_graph`: not an igraph graph, or no vertices;
#'   `kg_error_membership`: missing labels or a wrong number of them.
#'
#' @references
#' Fortunato S (2010). "Community detection in graphs." *Physics Reports*, 486, 75-174.
#' \doi{10.1016/j.physrep.2009.11.002}
#'
#' @examples
#' karate <- igraph::make_graph("Zachary")
#' graph_partition_quality(karate, igraph::cluster_walktrap(karate))
#' @family scores
#' @family graphs
#' @export
graph_partition_quality <- function(graph, membership) {
  check_given(graph, "graph")
  if (!inherits(graph, "igraph")) {
    came <- describe(graph)
    kg_abort(
      c(
        "{.arg graph} must be an igraph graph with at least one vertex.",
        "x" = "You supplied {came}.",
        "i" = "{.fun igraph::graph_from_data_frame} makes a graph of a table of edges."
      ),
      "graph"
    )
  }
  check_graph(graph)
  n <- igraph::vcount(graph)
  label <- as.vector(check_labels(membership, n, "membership"))
  simple <- undirected_simple_graph(graph)
  edges <- igraph::as_edgelist(simple, names = FALSE)
  m <- nrow(edges)
  inside <- sum(label[edges[, 1L]] == label[edges[, 2L]])
  size <- as.numeric(tabulate(label))
  pairs <- n * (n - 1) / 2
  across <- pairs - sum(size * (size - 1) / 2)
  c(
    performance = (inside + across - (m - inside)) / pairs,
    coverage = inside / m,
    modularity = if (m > 0) igraph::modularity(simple, label) else NaN
  )
}

# One edge per joined pair, no loops, no edge attributes.
undirected_simple_graph <- function(graph) {
  if (igraph::is_directed(graph)) {
    # as.undirected() gave way to as_undirected() in igraph 2.1.
    name <- if ("as_undirected" %in% getNamespaceExports("igraph")) {
      "as_undirected"
    } else {
      "as.undirected"
    }
    graph <- getExportedValue("igraph", name)(graph, mode = "each")
  }
  igraph::simplify(graph, edge.attr.comb = "ignore")
}

# Contingency table of two labellings as the list of its cells that are not 0
# (row, column, count) with its margins. Counts are doubles: their products may
# exceed the integers.
label_table <- function(truth, cluster, call = rlang::caller_env()) {
  truth <- check_labels(truth, NULL, "truth", call = call)
  n <- length(truth)
  cluster <- check_labels(cluster, n, "cluster", call = call)
  rows <- length(attr(truth, "levels"))
  columns <- length(attr(cluster, "levels"))
  cell <- as.vector(truth) + (as.vector(cluster) - 1) * rows
  if (as.numeric(rows) * columns <= max(1e5, 4 * n)) {
    count <- tabulate(cell, rows * columns)
    cell <- which(count > 0L)
    count <- count[cell]
  } else {
    cell <- sort(cell)
    first <- which(c(TRUE, cell[-1L] != cell[-n]))
    count <- diff(c(first, n + 1L))
    cell <- cell[first]
  }
  list(
    n = n,
    row = as.integer((cell - 1) %% rows + 1),
    column = as.integer((cell - 1) %/% rows + 1),
    count = as.numeric(count),
    row_sums = as.numeric(tabulate(truth, rows)),
    column_sums = as.numeric(tabulate(cluster, columns))
  )
}

# Accuracy of the best one-to-one matching, Eq. (55). Groups that share no observation
# never match, so every connected set of groups is an assignment problem of its own.
matched_share <- function(table, call = rlang::caller_env()) {
  rows <- length(table$row_sums)
  edges <- rbind(table$row, rows + table$column)
  vertices <- rows + length(table$column_sums)
  graph <- igraph::make_graph(as.vector(edges), n = vertices, directed = FALSE)
  part <- igraph::components(graph)$membership
  row_part <- part[seq_len(rows)]
  row_number <- tabulate(row_part, max(part))
  column_number <- tabulate(part[-seq_len(rows)], max(part))
  part <- row_part[table$row]

  # A single group on either side matches its largest partner: no assignment to solve.
  star <- pmin(row_number, column_number)[part] == 1L
  matched <- 0
  if (any(star)) {
    largest_first <- order(part[star], -table$count[star])
    best <- !duplicated(part[star][largest_first])
    matched <- sum(table$count[star][largest_first][best])
  }
  for (cells in split(which(!star), part[!star])) {
    matched <- matched +
      largest_matching(table$row[cells], table$column[cells], table$count[cells], call)
  }
  matched / table$n
}

# The largest sum of counts with at most one cell from each row and column.
largest_matching <- function(row, column, count, call) {
  row <- match(row, unique(row))
  column <- match(column, unique(column))
  # Not more rows than columns, as clue::solve_LSAP() wants it.
  if (max(row) > max(column)) {
    swap <- row
    row <- column
    column <- swap
  }
  if (as.numeric(max(row)) * max(column) > 1e8) {
    kg_abort(
      c(
        "The best matching is too large: at most 1e8 pairs of groups that share observations.",
        "x" = "There are {max(row)} by {max(column)} such groups.",
        "i" = "Use {.fn adjusted_rand} or {.fn normalized_mutual_info}, which need no matching."
      ),
      "groups",
      call = call
    )
  }
  counts <- matrix(0, max(row), max(column))
  counts[cbind(row, column)] <- count
  partner <- as.integer(clue::solve_LSAP(counts, maximum = TRUE))
  sum(counts[cbind(seq_along(partner), partner)])
}
