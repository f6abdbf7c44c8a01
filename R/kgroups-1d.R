# kgroups_1d(): the exact method by itself.

#' Exact clustering of one variable
#'
#' Finds the best partition of numbers into `k` intervals of the sorted data, for the semimetric
#' \eqn{\rho(x, y) = |x - y|}{rho(x, y) = |x - y|}. The result is exact and
#' needs no start. [kgroups()] uses it for a numeric vector or a single column when `semimetric`,
#' `method`, `init` and `nstart` are left at their defaults.
#'
#' @param x The observations: a numeric vector of length n, or a matrix or data frame with
#'   one column. Missing and infinite values are refused.
#' @param k The number of clusters, a whole number from 1 to the number of observations of
#'   positive weight. Default 2.
#' @param weights Weights of the observations, n finite numbers that are not negative, or
#'   `NULL` (default) for all 1. Observations of weight 0 take no part; they get the
#'   label that [predict()][predict.kgroups_fit] gives.
#' @param ks Several numbers of clusters at once, for example `1:10`, in any order: they
#'   share one table, so that all of them cost about as much as the largest alone. Give `k`
#'   or `ks`, not both.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return With `k` a fit as [kgroups()] returns it, with `method` `"exact"`; labels are
#'   numbered by first appearance in `x`. With `ks` a list of such fits in the order of `ks`,
#'   named by the number of clusters.
#'
#' @section Proved and observed:
#' Proved: no partition into `k` intervals of the sorted data has a smaller within dispersion W
#' (up to rounding). An interval with total weight s costs
#' \eqn{\int L(t) R(t) / s \, dt}{the integral of L(t) R(t) / s over t}, with L and R its weight
#' to the left and right of t; \eqn{L R / (L + R)}{L R / (L + R)} increases in both and has a
#' mixed derivative that is not negative, so the cost obeys the quadrangle inequality, on which
#' the search relies.
#'
#' Observed, not proved: that the best of *all* partitions consists of intervals. It was so in
#' every one of thousands of small problems solved by enumeration of all partitions.
#'
#' @section Algorithm:
#' For sorted \eqn{x_1 \le \dots \le x_n}{x_1 <= ... <= x_n} an interval costs
#' \eqn{\sum_l (2 l - 1 - n) x_l / n}{sum_l (2 l - 1 - n) x_l / n} (with weights accordingly). One pass from each end
#' gives the costs of all first and all last intervals, hence the best cut for `k = 2`; the intervals in between come
#' from dynamic programming by divide and conquer, most cuts being ruled out by bounds first. Prefix sums carry about 32
#' digits, and W is computed again by intervals at the end, so that neither a large offset nor a far outlier costs
#' accuracy. Equal values stay in one cluster unless there are more clusters than distinct values; W is then 0.
#'
#' @section Complexity:
#' A sort, then \eqn{O(n)}{O(n)} for `k = 2` and \eqn{O(k n \log n)}{O(k n log n)} time for larger
#' `k`, with \eqn{4 n (k - 2)}{4 n (k - 2)} bytes for the table.
#'
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#' @family clustering
#' @examples
#' # short and long eruptions of a geyser
#' fit <- kgroups_1d(faithful$eruptions)
#' fit
#' tapply(faithful$eruptions, fit$cluster, range)
#'
#' # W for one to six clusters from one table
#' vapply(kgroups_1d(faithful$eruptions, ks = 1:6), function(fit) fit$W, 0)
#' @export
kgroups_1d <- function(x, k = 2, weights = NULL, ks = NULL, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "kgroups_1d")
  call <- match.call()
  env <- rlang::current_env()
  if (!missing(k) && !is.null(ks)) {
    abort_input(
      "ks", env, "Give `k` or `ks`, not both.", "You supplied both.",
      "`ks` returns a list of fits, one for each number of clusters."
    )
  }
  check_given(x, "x", env)
  x <- plain_numbers(x)
  problem <- as_problem_1d(x, weights, env)
  if (is.null(ks)) {
    if (is.numeric(k) && length(k) > 1L) {
      abort_argument(k, "k", "be one number.", "Give several numbers of clusters as `ks`.")
    }
    wanted <- check_k(k, problem, env)
  } else {
    hint <- "No more clusters than observations of positive weight."
    wanted <- check_counts(ks, "ks", count_inside(problem), hint, env)
  }
  fits <- lapply(solution_1d(problem, wanted, env), function(out) {
    control <- new_control(length(out$cost))
    fit_solution(call, x, problem, control, out, weights, env)
  })
  if (is.null(ks)) fits[[1L]] else stats::setNames(fits, wanted)
}

as_problem_1d <- function(x, weights, call) {
  columns <- if (length(dim(x)) == 2L) ncol(x) else 1L
  plain <- is.data.frame(x) || (is.numeric(x) && !is.object(x) && length(dim(x)) <= 2L)
  if (!plain || columns != 1L || NROW(x) == 0L) abort_1d(x, call)
  problem <- as_problem(x, rho_power(1), weights, call = call)
  # categories, truth values and a matrix in a data frame have several coordinates
  if (!is_1d_problem(problem)) abort_1d(x, call)
  problem
}

abort_1d <- function(x, call) {
  abort_argument(
    x, "x", "be a numeric vector or a single numeric column.",
    if (inherits(x, "formula")) {
      "Pass the column itself, `data$a`, or use `kgroups(~ a, k, data = data)`."
    } else if (inherits(x, c("Date", "POSIXct", "difftime")) || is.logical(x) && is.null(dim(x))) {
      "If its numbers are meant, pass `as.numeric(x)`."
    } else {
      "For several columns, categories or dissimilarities use `kgroups()`."
    },
    call = call
  )
}
