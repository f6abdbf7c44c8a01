# Change points: the best partition of a sequence into runs, by dynamic programming.

#' Change points of a sequence
#'
#' Divides a sequence of observations into runs with the least within dispersion W, for one number of runs or
#' several at once. The result is exact: no other runs of at least `least` observations have a lower W.
#'
#' @inheritParams energy_statistics
#' @param x The observations in the order of time, as in [kgroups()]: points, tables, dissimilarities or a Gram
#'   matrix.
#' @param ks The numbers of runs: one or more whole numbers from 1.
#' @param least The least number of observations of a run. Default 2.
#' @return A list of class `kgroups_changes`:
#'   \item{changes}{a list with an element for each of `ks`: the first observation of every run but the first}
#'   \item{k, W}{the numbers of runs, ascending, and their W}
#'   \item{run}{the run of every observation; for several numbers a matrix with a column for each}
#'   \item{n, least, semimetric, call}{as given}
#'
#'   Methods: `print`.
#' @section Algorithm:
#' W of the runs from i to j follows from that to j - 1 by the dissimilarities to observation j. The best
#' division of the first j observations into k runs minimises W over the start of the last one
#' (dynamic programming, for all k at once). The number of runs can be chosen at an elbow of W.
#' @section Complexity: \eqn{O(n^2 d + k n^2)}{O(n^2 d + k n^2)} time, \eqn{O(k n)}{O(k n)} memory.
#' @references
#' Matteson DS, James NA (2014). "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
#' Data." *Journal of the American Statistical Association*, 109(505), 334-345.
#' \doi{10.1080/01621459.2013.849605}
#' @family trees
#' @concept change points
#' @concept segmentation
#' @concept time series
#' @examples
#' set.seed(1)
#' x <- c(rnorm(40), rnorm(30, 3), rnorm(50, 0, 3))
#' kgroups_changes(x, 1:4)
#' @export
kgroups_changes <- function(x, ks, least = 2, semimetric = rho_power(1), ...,
                            threads = getOption("kgroups.threads", 1L)) {
  call <- match.call()
  env <- rlang::current_env()
  check_kind(x, env)
  time <- if (stats::is.ts(x)) as.numeric(stats::time(x))
  x <- read_input(x, ..., context = input_context(env, "kgroups_changes", sequence = TRUE))
  use_threads(check_threads(threads, env))
  on.exit(use_threads(1))
  semimetric <- check_selected_semimetric(if (!missing(semimetric)) semimetric, x, env)
  problem <- as_problem(x, semimetric, NULL, call = env)
  n <- problem$n
  least <- check_count(least, "least", 1, n, call = env)
  hint <- sprintf("For example `ks = 1:5`; a run has at least %d observation%s.", least, plural(least))
  k <- sort(unique(check_counts(if (!missing(ks)) ks, "ks", n %/% least, hint, env)))
  found <- best_runs(problem, max(k), least)
  starts <- lapply(k, function(one) trace_runs(found$start, one, n))
  run <- vapply(starts, function(start) cumsum(seq_len(n) %in% start), integer(n))
  structure(
    list(
      changes = stats::setNames(lapply(starts, function(start) start[-1L]), k), k = k,
      W = true_units(problem, found$W[k]), run = if (length(k) == 1L) run[, 1L] else run,
      n = as.integer(n), least = least, series = problem$points, time = time, semimetric = problem$semimetric, call = call
    ),
    class = c("kgroups_changes", "kgroups_result")
  )
}

# Return W of the best division of all observations into 1..k runs, and `start`, n x k: the first observation of the
# last run of the first j observations.
best_runs <- function(problem, k, least) .Call(ffi_changes, problem, as.numeric(k), as.numeric(least))

# The first observations of the best k runs.
trace_runs <- function(start, k, n) {
  out <- integer(k)
  last <- n
  for (l in k:1) {
    out[l] <- start[last, l]
    last <- out[l] - 1L
  }
  out
}

#' @export
print.kgroups_changes <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "kgroups_changes")
  cat("Change points of ", x$n, " observations, runs of at least ", x$least, "\n", sep = "")
  at <- vapply(x$changes, function(one) if (length(one)) paste(one, collapse = ", ") else "-", "")
  print(data.frame(runs = x$k, W = signif(x$W, 5), `first observations` = at, check.names = FALSE), row.names = FALSE)
  invisible(x)
}
