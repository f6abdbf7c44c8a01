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
