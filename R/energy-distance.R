# Energy distance, and the forms in which samples are given: x and y, x and labels, a list, or a formula.

#' Energy distance between samples
#'
#' The generalised energy distance of two weighted samples,
#' \deqn{E = 2\, \mathrm{mean}\, \rho(X, Y) - \mathrm{mean}\, \rho(X, X') - \mathrm{mean}\,
#' \rho(Y, Y')}{E = 2 mean rho(X, Y) - mean rho(X, X') - mean rho(Y, Y')}
#' (equation (4), V-statistics), which is twice the squared maximum mean discrepancy of the
#' kernel that \eqn{\rho}{rho} generates (9). If \eqn{\rho}{rho} is of negative type it is
#' never negative; for `rho_power(alpha)` with `alpha` below 2 it is 0 only for equal
#' samples.
#'
#' @param x The first sample: a matrix, data frame or vector. Or a list of samples, such as `split(data, group)`. Or a
#'   formula `values ~ group` with `data`; `a + b ~ group` takes two columns, `. ~ group` all others. With `g`, all
#'   observations; then also a `dist` or a Gram matrix, dense or sparse.
#' @param y The second sample, with the same columns: paired by name if both samples have
#'   names of columns, in any order, else by position. All samples together are one table.
#' @inheritParams energy_statistics
#' @param weights_x,weights_y Weights of the two samples, or `NULL`.
#' @param weights With `g`, a list or a formula: weights of all observations, or `NULL`. With `y` it is
#'   an error: each sample has its own.
#' @param sqrt Return the square root, a metric on distributions? Default `FALSE`.
#' @param g In place of `y`: the group of each observation, a label of any type. Distances between all groups are
#'   returned.
#' @param data With a formula: a data frame with its variables, in which `weights` and `subset` are evaluated too.
#' @param subset With a formula: the rows to use, as a condition on `data`.
#' @return One number for `x` and `y`; else a `dist` object between the groups, labelled by them, `NA`
#'   for a group of weight 0. A negative value, possible if the semimetric is not of negative
#'   type, has square root 0.
#' @section Complexity: \eqn{O(n^2 d / 2)}{O(n^2 d/2)} with n observations in all; memory
#'   \eqn{O(n)}{O(n)}. One variable with `rho_power(1)`: \eqn{O(n \log n)}{O(n log n)}, below a second for two samples
#'   of a million.
#' @references
#' Székely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on
#' distances." *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' Sejdinovic D, Sriperumbudur B, Gretton A, Fukumizu K (2013). "Equivalence of
#' distance-based and RKHS-based statistics in hypothesis testing." *The Annals of
#' Statistics*, 41(5), 2263-2291. \doi{10.1214/13-AOS1140}
#' @family energy statistics
#' @concept two-sample
#' @concept maximum mean discrepancy
#' @examples
#' # two samples that differ in location
#' set.seed(1)
#' energy_distance(rnorm(50), rnorm(50, 1))
#'
#' # weights of chicks by feed: pairs of feeds with different distributions are far apart
#' energy_distance(weight ~ feed, data = chickwts)
#' energy_distance(iris[1:4], g = iris$Species)
#' @export
energy_distance <- function(x, y = NULL, semimetric = rho_power(1), weights_x = NULL,
                            weights_y = NULL, sqrt = FALSE, g = NULL, weights = NULL, ...,
                            data = NULL, subset = NULL, threads = getOption("kgroups.threads", 1L)) {
  env <- rlang::current_env()
  check_given(x, "x")
  local_threads(check_threads(threads))
  sqrt <- check_flag(sqrt, "sqrt")
  # data in second place
  if (inherits(x, "formula") && is.null(data) && is.data.frame(y)) {
    data <- y
    y <- NULL
  }
  weights <- rlang::enquo(weights)
  check_sample_arguments(y, g, weights, weights_x, weights_y, data, env)
  two <- !is.null(y)
  if (two) {
    bound <- bind_samples(list(x = x, y = y), env)
    weights <- c(
      share_weights(weights_x, x, bound$sizes[1L], "weights_x", env),
      share_weights(weights_y, y, bound$sizes[2L], "weights_y", env)
    )
    x <- bound$x
    g <- bound$labels
  }
  given <- rlang::quos(weights = !!weights, subset = !!rlang::enquo(subset))
  samples <- read_samples(x, g, data, given, list(...), env, "energy_distance")
  problem <- statistics_problem(samples$points, semimetric, scale_group_weights(samples$weights, samples$labels), env)
  labels <- check_labels(samples$labels, problem$n, "g", env, problem$names)
  groups <- attr(labels, "levels")
  if (two && length(groups) < 2L) abort_no_observation(setdiff(c("x", "y"), groups)[1L], env)
  rho <- partition(problem, labels, length(groups))$g
  E <- true_units(problem, energies_of(rho), "pair")
  check_values_range(E, env)
  if (sqrt) E <- base::sqrt(pmax(E, 0))
  if (two) {
    return(E[1L, 2L])
  }
  dimnames(E) <- list(groups, groups)
  out <- stats::as.dist(E)
  class(out) <- c("kgroups_energy_distance", "kgroups_result", class(out))
  out
}

# Arguments of two samples and of groups exclude each other.
check_sample_arguments <- function(y, g, weights, weights_x, weights_y, data, call) {
  two <- c(y = !is.null(y), weights_x = !is.null(weights_x), weights_y = !is.null(weights_y))
  groups <- c(g = !is.null(g), data = !is.null(data), weights = !rlang::quo_is_null(weights))
  if (if (is.null(y)) !any(two) else !any(groups)) {
    return(invisible())
  }
  wrong <- if (is.null(y)) names(two)[two][1L] else names(groups)[groups][1L]
  abort_input(
    if (wrong == "g") "y" else "weights", call,
    paste(
      "Two samples are `x` and `y` with `weights_x` and `weights_y`;",
      "groups are `x` and `g`, or a formula, with `weights`."
    ),
    if (is.null(y)) "You supplied `{wrong}` without `y`." else "You supplied `y` and `{wrong}`.", "Leave one out."
  )
}

# Scale weights within their groups by powers of two: none may vanish beside those of another
# group. Invalid weights are left to the checks.
scale_group_weights <- function(weights, g) {
  plain <- is.numeric(weights) && is.atomic(g) && length(weights) == length(g)
  if (!plain || !all(is.finite(weights))) {
    return(weights)
  }
  stats::ave(as.numeric(weights), g, FUN = function(w) times_power_of_two(w, -binary_exponent(w)))
}

# The weights of one sample, in units in which the largest is 1 if they are tiny or huge.
share_weights <- function(weights, x, n, arg, call) {
  weights <- check_weights(weights, n, arg, call, names_of_rows(x))
  times_power_of_two(weights, -scaling_exponent(weights))
}

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
