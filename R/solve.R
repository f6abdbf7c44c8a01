# From a problem and a control to a solution, for every store. A solution is a list:
#   cluster     1..k
#   cost        within dispersion of each cluster   (internal units)
#   V, s        the sums that predict() needs       (internal units)
#   total       W + S                               (internal units)
#   objectives  W of every start, named by its kind (internal units)
#   best_start, iterations, moves, converged, rose, fall (of the best start)
#   method      "exact" where one dimension has an exact answer
#   means       of the features, width x k, where there are features
# A variant of a fit may add
#   problem     the problem in whose units and with whose weights these numbers are
#   weights     those of the fit, if not the user's; `drawn`: those that samples are drawn by (internal units)
#   view        a function that transforms the problem of other observations as the solver transformed this one
#   init        the kind of start that the fit reports
#   extra       further components of the fit, a named list

solve_problem <- function(problem, control, call = rlang::caller_env()) UseMethod("solve_problem", control)

#' @export
solve_problem.kgroups_control <- function(problem, control, call = rlang::caller_env()) {
  solve_store(problem$store, problem, control, call)
}

# Graphs have a method of their own in a higher layer (R/cluster-graph.R).
solve_store <- function(store, problem, control, call) UseMethod("solve_store")

#' @export
solve_store.default <- function(store, problem, control, call) {
  if (is_exact(problem, control)) {
    return(solution_1d(problem, control$k, call)[[1L]])
  }
  if (is_large_squared(problem, control)) {
    return(solve_squared(problem, control))
  }
  if (is.null(control$init)) {
    check_solve_memory(problem, control, 4, call)
    return(solve_search(problem, control))
  }
  check_solve_memory(problem, control, 1, call)
  solve_named(problem, control)
}

# The sums over clusters, where they are kept.
check_solve_memory <- function(problem, control, starts, call) {
  if (!uses_all_pairs(problem)) {
    return(invisible())
  }
  check_fit_memory(problem$n, control$k, control$nstart %||% starts, NCOL(problem$store$x), call)
}

# Seconds for a unit of store_work(): an evaluation of the search, and a pair of a pass over all; and the number of
# clusters from which a search takes its whole budget. 5000 rows, 500 columns, k = 900: 36 s; bench/scale.md. Values
# that are kept cost so many units at most.
fit_rates <- list(search = 7e-10, pass = 4e-11, clusters = 80, kept = 64)

# Expected seconds of a fit over the pairs.
fit_seconds <- function(problem, control) {
  n <- problem$n
  searched <- if (n > search_defaults$whole) max(search_defaults$part, 20 * control$k) else n
  evaluations <- max(search_defaults$evaluations, search_defaults$passes * searched^2)
  share <- min(1, 0.2 + control$k / fit_rates$clusters)
  work <- store_work(problem$store)
  if (n <= most_cached(NCOL(problem$store$x))) work <- min(work, fit_rates$kept)
  (fit_rates$search * share * evaluations * control$effort + fit_rates$pass * n^2) * work
}

# Announce a fit over the pairs that takes long, and show its progress.
inform_long_fit <- function(problem, control, envir = parent.frame()) {
  if (problem$n <= 1000 && NCOL(problem$store$x) <= 1000 && control$effort <= 1) {
    return(invisible())
  }
  fast <- !is.null(control$approx) || !uses_all_pairs(problem) || is_exact(problem, control) ||
    is_large_squared(problem, control)
  if (fast) {
    return(invisible())
  }
  work <- problem$n^2 * store_work(problem$store)
  progress_step(
    sprintf("Starts and local search over the pairs of %d observations", as.integer(problem$n)), work, envir
  )
  inform_long(fit_seconds(problem, control), "`approx = nystroem()` takes time linear in the number of rows.")
}

# A named start or a number of starts requires local searches.
is_exact <- function(problem, control) {
  is.null(control$init) && is.null(control$nstart) && control$method == "hartigan" && is_1d_problem(problem)
}

# Squared distances of many points need no pairwise dissimilarities: the coordinates are the features, and a pass costs
# O(n k d). Sums over pairs are faster for fewer points.
is_large_squared <- function(problem, control) {
  inherits(problem$store, "kgroups_points") && problem$n > search_defaults$whole &&
    identical(problem$store$rho, semimetric_code("power", 2)) &&
    (!is.character(control$init) || control$init %in% c("kmeans++", "random"))
}

solve_squared <- function(problem, control) {
  x <- problem$store$x
  problem$store <- new_features_store(t(x) - colMeans(x), problem$n)
  out <- if (is.null(control$init)) solve_search(problem, control) else solve_named(problem, control)
  # in the units of -rho / 2
  out$V <- -out$cost * out$s
  out$means <- NULL
  out
}

# The problem of all observations, transformed as a solution for some of them transformed its own.
viewed <- function(problem, out) if (is.null(out$view)) problem else out$view(problem)

# Warn if the local search ended before a local optimum.
warn_unfinished <- function(out, iter.max, problem) {
  if (isTRUE(out$rose)) {
    kg_warn(
      c(
        "Lloyd's method stopped because W rose.",
        "x" = "That happens only if the semimetric is not of negative type.",
        "i" = "The result is the partition before the rise. Use `method = \"hartigan\"`, or `make_negative_type()`."
      ),
      "rose"
    )
  } else if (!isTRUE(out$converged)) {
    W <- sum(out$cost)
    # W below 0 has no shares
    share <- if (W > 0) {
      paste(format(100 * abs(out$fall) / (W + max(out$fall, 0)), digits = 2), "%")
    } else {
      format(abs(true_units(problem, out$fall)), digits = 3)
    }
    kg_warn(
      c(
        "The best start had not converged after {iter.max} iteration{?s}.",
        "x" = "Its last sweep still lowered W by {share}.",
        "i" = "Raise `iter.max`."
      ),
      "iterations"
    )
  }
}
