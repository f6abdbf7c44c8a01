#' Energy statistics of a given partition
#'
#' Computes the within dispersion W, the between statistic S and the matrix g of mean dissimilarities of a
#' given partition.
#'
#' With \eqn{s_j}{s_j} the weight of cluster \eqn{C_j}{C_j} and \eqn{s}{s} the total weight,
#' \deqn{g(C_i, C_j) = \frac{1}{s_i s_j} \sum_{x \in C_i} \sum_{y \in C_j} w_x w_y \rho(x,
#' y) \qquad (13)}{g(C_i, C_j) = sum_{x in C_i, y in C_j} w_x w_y rho(x, y) / (s_i s_j)   (13)}
#' with the diagonal included,
#' \deqn{W = \sum_j \frac{s_j}{2} g(C_j, C_j) \qquad (15)}{W = sum_j s_j/2 g(C_j, C_j)   (15)}
#' and
#' \deqn{S = \sum_{i < j} \frac{s_i s_j}{2 s} [2 g(C_i, C_j) - g(C_i, C_i) - g(C_j,
#' C_j)]. \qquad (16)}{S = sum_{i<j} s_i s_j/(2 s) [2 g(C_i, C_j) - g(C_i, C_i) - g(C_j, C_j)]   (16)}
#' Their sum is \eqn{s\, g(X, X) / 2}{s g(X, X)/2}, whatever the partition (18). The numbers are
#' those of França, Rizzo and Vogelstein (2021).
#'
#' @inheritParams kgroups
#' @param x The observations, as in [kgroups()]: a matrix, a data frame, a vector, a `dist` object or a Gram matrix.
#' @param weights Weights of the observations, finite and not negative; `NULL` (default) gives all weight 1. A weight of
#'   2 counts as two equal observations, one of 0 as none.
#' @param cluster One label per observation, of any type; or a fit.
#' @param ... `column_weights`, `standardize` and `missing`, which define how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @return A list of class `energy_statistics`: `W`, `S`, `total`, `within` (the terms of W),
#'   `g` (k x k), `size` and `weight` of each cluster, with the clusters in the order of
#'   their sorted labels. Clusters of weight 0 have `NA` in `g` and 0 in `within`.
#' @section Complexity: One pass over the pairs, \eqn{O(n^2 d / 2)}{O(n^2 d/2)} for points, with
#'   \eqn{O(n + k^2)}{O(n + k^2)} memory; sums are compensated. One variable with `rho_power(1)` is sorted:
#'   \eqn{O(n \log n + n k^2)}{O(n log n + n k^2)}, for k up to the root of n.
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Székely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on
#' distances." *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#' @family energy statistics
#' @examples
#' # chicks by feed: the statistic between feeds S, within them W, and their sum
#' energy_statistics(chickwts$weight, chickwts$feed)
#' @export
energy_statistics <- function(x, cluster, semimetric = rho_power(1), weights = NULL, ...,
                              threads = getOption("kgroups.threads", 1L)) {
  check_data(x, rlang::current_env())
  if (is_clustering(x)) {
    abort_input(
      "x", rlang::current_env(), "`x` must be the observations, not a clustering of them.",
      "You supplied {value_text(x)}.",
      "A fit has `$W`, `$S` and `$total`; for g pass the data first: `energy_statistics(fit$data, fit)`."
    )
  }
  if (missing(cluster)) cluster <- NULL
  inform_group_column(x, cluster)
  context <- list(call = rlang::current_env(), topic = "energy_statistics")
  observed <- read_data(x, list(cluster = cluster, weights = weights), ..., context = context)
  cluster <- observed$cluster
  weights <- observed$weights
  x <- observed$points
  local_threads(check_threads(threads))
  problem <- statistics_problem(x, semimetric, weights, rlang::current_env())
  labels <- check_labels(cluster, problem$n, names = problem$names)
  if (is.atomic(cluster)) check_whole_labels(cluster, "cluster", rlang::current_env())
  groups <- attr(labels, "levels")
  out <- partition(problem, labels, length(groups))
  check_range(out$total, true_units(problem, out$total), 0, rlang::current_env())
  for (name in c("W", "S", "within")) out[[name]] <- rounded_to_zero(problem, out[[name]], out$total)
  structure(
    list(
      W = true_units(problem, out$W),
      S = true_units(problem, out$S),
      total = true_units(problem, out$total),
      within = stats::setNames(true_units(problem, out$within), groups),
      g = matrix(true_units(problem, out$g, "pair"), length(groups), dimnames = list(groups, groups)),
      size = stats::setNames(tabulate(labels, length(groups)), groups),
      weight = stats::setNames(true_units(problem, out$s, "weight"), groups)
    ),
    class = c("energy_statistics", "kgroups_result")
  )
}

statistics_problem <- function(x, semimetric, weights, call) {
  as_problem(x, if (!is_gram(x) || is_connected(semimetric)) semimetric, weights, call = call)
}

#' @export
print.energy_statistics <- function(x, digits = 7, ...) {
  cat(
    "Energy statistics of ", length(x$size), " group", plural(length(x$size)), ", ",
    sum(x$size), " observations\n",
    "W = ", format(x$W, digits = digits), ", S = ", format(x$S, digits = digits),
    ", total = ", format(x$total, digits = digits), "\nMean dissimilarities within and between groups, g:\n",
    sep = ""
  )
  print(x$g, digits = 4)
  invisible(x)
}
