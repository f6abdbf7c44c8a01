# Change points: the best partition of a sequence into runs, by dynamic programming.

#' Change points of dependent series
#'
#' How [kgroups_changes()] removes the dependence of successive observations before it tests for changes.
#'
#' @section Autoregression:
#' By default each column is an autoregression of order 1 to 3 within runs. Its order p (by BIC) and the number m of
#' changes are chosen together: they minimise \deqn{\sum_j [n \log v_j + p_j \log n] + \kappa m (d + 1) \log
#' n,}{sum_j [n log v_j + p_j log n] + kappa m (d + 1) log n,} with the variance v of the innovations and
#' \eqn{\kappa}{kappa} 1 below 150 observations, .7 above. The statistics of the tests are those of the residuals
#' \eqn{x_t - \sum_h \phi_h x_{t-h}}{x_t - sum_h phi_h x_(t-h)}. For each of R draws the residuals are permuted within
#' the runs, a series is computed from them, and its autoregression is fitted again (a sieve). Dissimilarities are
#' represented by 8 principal coordinates. Values farther than 4 robust standard deviations from a running median do not
#' count in the autoregression. Series of fewer than 20 observations are taken as independent.
#'
#' @section Other dependence:
#' Columns that drive each other, volatility and switching states are other kinds of dependence. The autocorrelations of
#' the signs and sizes of residuals, and those across columns, are tested at .05. If they reject, blocks of adjacent
#' residuals are permuted, of length \eqn{4 n^{1/3}}{4 n^(1/3)} but at most n / 6. A message (`kg_message_dependence`)
#' reports that p-values are approximate. To a trend steps are fitted, which the print mentions.
#'
#' @section Level:
#' The level is approximate. For series without a change the first test rejects at .05 in
#' * .04 to .08, for 100 observations with autocorrelations of .3, .5 and .8; the test of independent rows rejects in .4
#'   of moving averages (`bench/designs.md` of the sources);
#' * .04 to .08, for 150 observations of autoregressions, moving averages and random walks, and for columns that drive
#'   each other; .09 to .11 for volatility and switching states, but .27 if two states switch beneath noise
#'   (`bench/dependent-changes.md`). Blocks in every series would hold .09, but find none of three shifts of two
#'   standard deviations in 200 observations, which are found in .90.
#' @family trees
#' @examples
#' # autocorrelation .5, no change
#' set.seed(1)
#' x <- as.numeric(arima.sim(list(ar = 0.5), 100))
#' kgroups_changes(x, R = 99)
#' @name kgroups_changes-dependence
NULL

#' Change points of a sequence
#'
#' Divides a sequence of observations into runs with the least within dispersion W, for one or several numbers of runs.
#' Without `ks` permutation tests choose the number of changes.
#'
#' @inheritParams energy_statistics
#' @param x The observations in the order of time, as in [kgroups()]: points, tables, dissimilarities or a Gram matrix.
#'   A time series (`ts`, `zoo`, `xts`) brings its time; in a table it may be a column, see `time`.
#' @param ks The numbers of runs: one or more whole numbers from 1, one more than that of changes. Without it their
#'   number is chosen by tests, which use random numbers: call [set.seed()] to reproduce them.
#' @param least The least number of observations of a run. Default (`NULL`): 2 with `ks`; else a tenth of the
#'   observations, at least 2 and at most 30. A small value finds shorter runs, a large one smaller changes.
#' @param alpha Without `ks`: the level of each test. Default .05.
#' @param R Without `ks`: the number of permutations of each test, at least 19. Default 199.
#' @param time The time of every observation: numbers, dates, times or differences of times, in ascending or descending
#'   order; or the name of a column of `x`, which is then no part of the data. Only the output uses it: changes depend
#'   on the order of the observations. Default (`NULL`): the time of a series.
#' @param independent Without `ks`: are observations independent? Default `FALSE`: their autocorrelation is estimated
#'   and removed. `TRUE` permutes the observations. This test detects many short runs better, but it is not valid for
#'   dependent series.
#' @return A list of class `kgroups_changes`:
#'   \item{changes}{a list with an element for each of `ks`: the first observation of every run but the first}
#'   \item{k, W}{the numbers of runs, ascending, and their W}
#'   \item{run}{the run of every observation; for several numbers a matrix with a column for each}
#'   \item{time}{the time of every observation, of the class that it came in, or `NULL`}
#'   \item{tests}{without `ks`: a data frame with a row for each test: `changes`, those found before it, and `p.value`
#'   of a further change}
#'   \item{dependence}{without `ks`: the coefficients of the autoregression of each column, or `NULL`}
#'   \item{n, least, alpha, semimetric, call}{as given}
#'
#'   Methods: `print`, `plot`, `autoplot`, [tidy()][results]; `fitted()`, the mean of the run of each observation;
#'   `predict()`, the run of each observation, or of each time (or number of an observation) in `newdata`.
#' @section Algorithm:
#' With `ks` the result is exact: no other runs of at least `least` observations have a lower W. W of the runs from i to
#' j follows from that to j - 1 by the dissimilarities to observation j. The best division of the first j observations
#' into k runs minimises W over the start of the last one (dynamic programming, for all k at once).
#'
#' Without `ks` the sequence starts as one run. Two statistics are computed: the decrease of W by the best change within
#' a run, and by the best two changes. Both are divided by W/m of that run of m observations, and the largest of each
#' over the runs counts. The observations are permuted within the runs, and each statistic is standardised by its
#' permutations. The larger one is compared with those of the permutations. If p is at most `alpha`, the change is added
#' (or both, if one alone is not significant), all changes move to the best place between their neighbours, and the test
#' is repeated. Otherwise the search ends. The places compared are the ends of some 64 cells of equal size. Above 1000
#' observations blocks of adjacent ones are permuted.
#'
#' With `independent = TRUE` the first test is exact for independent observations of one distribution: a change is found
#' in at most `alpha` of such sequences. Later tests depend on the changes found. By default the autocorrelation within
#' runs is estimated and removed first, see [kgroups_changes-dependence]. The level is approximate then.
#'
#' On simulated independent series `independent = TRUE` finds the right number of changes in 69 to 94 percent, depending
#' on the design; `ecp::e.divisive()` in 67 to 97 percent (`bench/changes.md` of the sources). That function is better
#' at a change of location under Cauchy tails; this function at changes of correlation and of location beside a large
#' scale. If all runs are long, a larger `least` finds the right number more often.
#' @section Complexity: \eqn{O(n^2 (d + k))}{O(n^2 (d + k))} time, \eqn{O(k n)}{O(k n)} memory. A test of a further
#' change adds R passes over the pairs, with `independent = TRUE` over those of at most 1000 observations or blocks.
#' @references
#' Matteson DS, James NA (2014). "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
#' Data." *Journal of the American Statistical Association*, 109(505), 334-345.
#' \doi{10.1080/01621459.2013.849605}
#' @family trees
#' @concept change points
#' @concept segmentation
#' @concept time series
#' @examples
#' # changes after 40 (in the mean) and after 70 (in the mean and standard deviation)
#' set.seed(1)
#' x <- c(rnorm(40), rnorm(30, 3), rnorm(50, 0, 3))
#' kgroups_changes(x, 1:4)
#' kgroups_changes(x, independent = TRUE, R = 99)
#'
#' # the yearly flow of the Nile fell after 1898
#' kgroups_changes(Nile, R = 99)
#' @export
kgroups_changes <- function(x, ks, least = NULL, semimetric = rho_power(1), alpha = 0.05, R = 199, independent = FALSE,
                            ..., time = NULL,
                            threads = getOption("kgroups.threads", 1L)) {
  call <- match.call()
  env <- rlang::current_env()
  check_data(x, env)
  found <- take_time(x, time)
  independent <- check_flag(independent, "independent", env)
  x <- read_data(found$x, ..., context = list(call = env, topic = "kgroups_changes"))$points
  local_threads(check_threads(threads, call = env))
  semimetric <- check_selected_semimetric(if (!missing(semimetric)) semimetric, x, env)
  problem <- all_pairs_problem(x, semimetric, NULL, call = env)
  n <- problem$n
  if (!is.null(time)) {
    time <- match_rows(found$time, names_of_rows(found$x), "time", call = env)
    found$time <- check_time(time, n, env)
  }
  if (is.null(least)) least <- min(n, if (missing(ks)) max(2, min(30, n %/% 10)) else 2)
  least <- check_count(least, "least", 1, n, call = env)
  alpha <- check_number(alpha, "alpha", 0, 1, call = env)
  R <- check_count(R, "R", 19, 1e7, call = env)
  if (missing(ks)) {
    passes <- if (independent) 1 else R + 1
    inform_long(
      changes_defaults$rate * n^2 * passes * (1 + store_work(problem$store)),
      "Means of adjacent observations have the same changes; `independent = TRUE` takes one pass over the pairs."
    )
    white <- if (!independent) whitened_problem(problem, least)
    divided <- tested_runs(problem, least, alpha, R, white)
  } else {
    hint <- sprintf("For example `ks = 1:5`; a run has at least %d observation%s.", least, plural(least))
    ks <- sort(unique(check_counts(ks, "ks", n %/% least, hint, env)))
    check_memory(12 * as.numeric(n) * (max(ks) + length(ks)), n, "the starts of runs", "Use fewer `ks`.", env)
    inform_long(1e-9 * n^2 / 2 * max(ks), "Its time is proportional to the largest of `ks`.")
    best <- best_runs(problem, max(ks), least)
    divided <- list(starts = lapply(ks, function(k) trace_runs(best$start, k, n)), W = best$W[ks])
  }
  k <- lengths(divided$starts)
  starts <- divided$starts
  run <- matrix(
    vapply(starts, function(start) cumsum(seq_len(n) %in% start), integer(n)), n, dimnames = list(NULL, names(starts))
  )
  inform_known_cuts(found$x, k, function(one) run[, match(one, k)])
  structure(
    list(
      changes = stats::setNames(lapply(starts, function(start) start[-1L]), k), k = k,
      W = true_units(problem, divided$W), run = if (length(k) == 1L) run[, 1L] else run, tests = divided$tests,
      dependence = divided$dependence, slope = !is.null(divided$tests) && follows_slope(problem$points, divided$run),
      n = as.integer(n), least = least, alpha = if (missing(ks)) alpha,
      series = problem$points, time = found$time,
      clock = found$clock, semimetric = problem$semimetric, call = call
    ),
    class = c("kgroups_changes", "kgroups_result")
  )
}

# ---- time ----

# Return list(x, time, clock): the observations without their time. A series has it, of a table it may be the column
# named `time`; NULL for none.
take_time <- function(x, time) {
  if (is_string(time) && is_table(x) && time %in% colnames(x)) {
    rest <- colnames(x) != time
    return(list(x = x[, rest, drop = FALSE], time = unname(unlist_column(x, time)), clock = time))
  }
  if (!is.null(time)) {
    return(list(x = x, time = time))
  }
  if (stats::is.ts(x)) {
    return(list(x = x, time = as.numeric(stats::time(x))))
  }
  time <- if (inherits(x, "zoo")) attr(x, "index")
  if (inherits(x, "xts")) {
    date <- identical(attr(time, "tclass"), "Date")
    time <- as.POSIXct(as.numeric(time), origin = "1970-01-01", tz = if (date) "UTC" else attr(time, "tzone") %||% "")
    if (date) time <- as.Date(time)
  }
  list(x = x, time = if (length(time) == NROW(x) && is_time(time)) time)
}

unlist_column <- function(x, name) if (is.data.frame(x)) x[[name]] else x[, name]

is_time <- function(x) {
  inherits(x, c("Date", "POSIXct", "difftime", "yearmon", "yearqtr")) || is.numeric(x) && !is.object(x)
}

# Return the time of n observations that the user gave.
check_time <- function(time, n, call) {
  if (stats::is.ts(time)) time <- as.numeric(time)
  if (!is_time(time) || length(time) != n) {
    abort_argument(time, "time", "be numbers, dates or times, one for each of {n} observation{?s}.", call = call)
  }
  steps <- diff(as.double(time))
  if (anyNA(time) || any(steps < 0) && any(steps > 0)) {
    abort_argument(
      time, "time", "be known, and in ascending or descending order.",
      "Sort the observations: `x[order(time), ]`, `sort(time)`.", call = call
    )
  }
  unname(time)
}

# ---- tests of further changes ----

# Return list(starts, W, tests, run, dependence): changes are added while a test rejects that there is no further one.
# With `white` the search is that of the residuals of an autoregression.
tested_runs <- function(problem, least, alpha, R, white = NULL) {
  searched <- if (is.null(white)) problem else white$problem
  n <- searched$n
  starts <- 1L
  tests <- list()
  while (max(diff(c(starts, n + 1L))) >= 2 * least) {
    test <- test_further_change(searched, starts, least, R, white$draw)
    tests <- c(tests, list(data.frame(changes = length(starts) - 1L, p.value = test$p.value)))
    if (test$p.value > alpha) break
    both <- test$p.one > alpha
    at <- if (both) test$run[2L] else test$run[1L]
    rows <- starts[at]:(c(starts, n + 1L)[at + 1L] - 1L)
    starts <- sort(unique(c(starts, runs_within(searched, rows, if (both) 3 else 2, least))))
    starts <- settle_changes(searched, starts, least)
  }
  if (!is.null(white)) starts <- c(1L, starts[-1L] + white$shift)
  run <- findInterval(seq_len(problem$n), starts)
  list(
    starts = list(starts), W = partition(problem, run, length(starts))$W, run = run, dependence = white$phi,
    tests = if (length(tests)) do.call(rbind, tests) else data.frame(changes = integer(), p.value = numeric())
  )
}

# Move each change to the best place between its neighbours, until all stay.
settle_changes <- function(problem, starts, least) {
  for (round in seq_len(10L)) {
    old <- starts
    ends <- c(starts, problem$n + 1L)
    for (i in seq_along(starts)[-1L]) {
      ends[i] <- runs_within(problem, ends[i - 1L]:(ends[i + 1L] - 1L), 2, least)[2L]
    }
    starts <- ends[seq_along(starts)]
    if (identical(starts, old)) break
  }
  starts
}

# Test of a further change. Return list(p.value, p.one, run): p of the larger of both statistics and of one change
# alone, and the run in which one change and two lower W most. Blocks of observations are permuted within the runs;
# `draw` draws problems instead.
test_further_change <- function(problem, starts, least, R, draw = NULL) {
  layout <- sequence_layout(problem$n, starts, least)
  falls <- if (is.null(draw)) permuted_falls(problem, layout, R) else drawn_falls(problem, layout, starts, R, draw)
  fall <- falls[1L, , ]
  scores <- apply(fall, 1L, function(f) if (stats::sd(f) > 0) (f - mean(f)) / stats::sd(f) else numeric(length(f)))
  p_of <- function(values) permutation_p(values)$p.value
  list(p.value = p_of(pmax(scores[, 1L], scores[, 2L])), p.one = p_of(scores[, 1L]), run = falls[2L, , 1L])
}

permuted_falls <- function(problem, layout, R) {
  sums <- sums_of_blocks(problem, layout$block)
  inside <- diag(sums)
  diag(sums) <- 0
  store <- new_dense_store(sums)
  number <- length(layout$size)
  vapply(seq_len(R + 1), function(p) {
    check_interrupt()
    cell <- layout$cell
    if (p > 1) for (i in layout$moving) cell[i] <- cell[i[sample.int(length(i))]]
    cells <- .Call(ffi_dispersion, list(store = store, w = rep(1, length(cell))), cell, as.numeric(number))
    diag(cells) <- diag(cells) + sum_by(inside, cell, number)
    falls_of_W(cells, layout)
  }, matrix(0, 2L, 2L))
}

drawn_falls <- function(problem, layout, starts, R, draw) {
  cell <- layout$cell[layout$block]
  vapply(seq_len(R + 1), function(p) {
    check_interrupt()
    if (p > 1) problem <- draw(starts)
    falls_of_W(.Call(ffi_dispersion, problem, cell, as.numeric(length(layout$size))), layout)
  }, matrix(0, 2L, 2L))
}

# ---- methods ----

#' @export
print.kgroups_changes <- function(x, ...) {
  cat("Change points of ", x$n, " observation", plural(x$n), ", runs of at least ", x$least, "\n", sep = "")
  if (!is.null(x$tests)) {
    last <- x$tests$p.value[nrow(x$tests)]
    cat(sprintf(
      "%d change%s at the level %s%s\n", x$k - 1L, plural(x$k - 1L), format(x$alpha),
      if (length(last) && last > x$alpha) sprintf("; a further one has p = %s", format(last, digits = 2)) else ""
    ))
  }
  if (!is.null(x$clock)) {
    names <- paste(shorten(x$clock, 40L), collapse = ", ")
    cat("Time: column", plural(length(x$clock)), " ", names, ", no part of the data\n", sep = "")
  }
  if (!is.null(x$dependence)) cat(dependence_text(x$dependence), "\n", sep = "")
  if (isTRUE(x$slope)) cat("A straight line in time explains as much: the steps may follow a trend\n")
  joined <- function(values) if (length(values)) paste(format(values, trim = TRUE), collapse = ", ") else "-"
  shown <- data.frame(
    runs = x$k, W = signif(x$W, 5), `new runs start at` = vapply(x$changes, joined, ""), check.names = FALSE
  )
  if (!is.null(x$time)) shown$times <- vapply(x$changes, function(one) joined(x$time[one]), "")
  print(shown, row.names = FALSE)
  invisible(x)
}

dependence_text <- function(phi) {
  lag_one <- apply(phi, 2L, function(one) stats::ARMAacf(ar = one, lag.max = 1)[[2L]])
  shown <- paste(format(round(utils::head(lag_one, 6L), 2), trim = TRUE, nsmall = 2), collapse = ", ")
  sprintf(
    "Autocorrelation of adjacent observations within runs: %s%s; tested after whitening", shown,
    if (length(lag_one) > 6L) ", ..." else ""
  )
}

#' @rdname kgroups_changes
#' @param object A result.
#' @param newdata Times in the units of `time`, or numbers of observations if there is none; `NULL` (default) for the
#'   observations themselves. Times before the first change get run 1.
#' @export
predict.kgroups_changes <- function(object, newdata = NULL, runs = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "kgroups_changes")
  at <- which_runs(object, runs, env)
  first <- object$changes[[at]]
  if (is.null(newdata)) {
    return(findInterval(seq_len(object$n), first) + 1L)
  }
  time <- object$time %||% seq_len(object$n)
  same <- inherits(newdata, setdiff(class(time), c("integer", "numeric"))) || !is.object(time) && is.numeric(newdata)
  if (!same || is.object(newdata) != is.object(time)) {
    wanted <- if (is.object(time)) {
      "be times of class <{class(time)[1L]}>, as those of the data."
    } else {
      "be numbers: times of the data, or of observations."
    }
    abort_argument(newdata, "newdata", wanted, call = env)
  }
  place <- as.double(time)
  down <- place[object$n] < place[1L]
  turn <- if (down) -1 else 1
  findInterval(turn * as.double(newdata), turn * place[first]) + 1L
}

#' @rdname kgroups_changes
#' @export
fitted.kgroups_changes <- function(object, runs = NULL, ...) {
  env <- rlang::current_env()
  series <- object$series
  if (is.null(series)) {
    abort_argument(
      object, "object", "be changes of observations with columns: dissimilarities have no means.", call = env
    )
  }
  run <- stats::predict(object, runs = runs)
  means <- stats::aggregate(series, list(run), mean, na.rm = TRUE)
  out <- as.matrix(means[match(run, means[[1L]]), -1L, drop = FALSE])
  rownames(out) <- NULL
  if (ncol(series) == 1L) out[, 1L] else out
}

# The place of a number of runs among those of a result; by default the last.
which_runs <- function(x, runs, call) {
  if (is.null(runs)) runs <- max(x$k)
  at <- if (is_number(runs)) match(runs, x$k) else NA
  if (is.na(at)) abort_argument(runs, "runs", "be one of the numbers of runs {quoted(x$k)} of `x`.", call = call)
  at
}
