# The one way from a problem and a control to a solution, whatever the store. A solution is a list:
#   cluster     1..k
#   cost        within dispersion of each cluster   (internal units)
#   V, s        the sums that predict() needs       (internal units)
#   total       W + S                               (internal units)
#   objectives  W of every start, named by its kind (internal units)
#   best_start, iterations, moves, converged, rose, fall (of the best start)
#   method      "exact" where one dimension has an exact answer
#   means       of the features, width x k, where there are features

solve_problem <- function(problem, control, call = rlang::caller_env()) {
  if (control$size_term) {
    check_fit_memory(problem$n, control$k, ball_count(control$k, control$nstart), call)
    return(solve_size_term(problem, control, call))
  }
  if (is_exact(problem, control)) {
    return(solution_1d(problem, control$k, call)[[1L]])
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
  if (!has_pairs(problem)) {
    return(invisible())
  }
  check_fit_memory(problem$n, control$k, if (is.null(control$nstart)) starts else control$nstart, call)
}

# Naming a start or a number of starts asks for descents.
is_exact <- function(problem, control) {
  is.null(control$init) && is.null(control$nstart) && control$method == "hartigan" && is_1d_problem(problem)
}

# `init` named: exactly `nstart` starts, one descent each.
solve_named <- function(problem, control) {
  nstart <- if (is.null(control$nstart)) 1 else control$nstart
  problem <- cache_pairs(problem, passes = nstart + if (identical(control$init, "spectral")) 50 else 1)
  starts <- start_labels(problem, control, nstart)
  solve_starts(problem, control, starts, start_kinds(control$init, nstart))
}

# One descent from each start.
solve_starts <- function(problem, control, starts, names, dimension = 0) {
  solution(descend(problem, control$k, starts, control, dimension), names)
}

solution <- function(out, names) {
  best <- out$best
  list(
    cluster = out$cluster, cost = out$cost, V = out$V, s = out$s, total = out$total,
    objectives = stats::setNames(out$objectives, names),
    best_start = as.integer(best),
    iterations = as.integer(out$iterations[best]),
    moves = out$moves[best],
    converged = out$converged[best] == 1,
    rose = out$rose[best] == 1,
    fall = out$fall[best],
    means = out$means
  )
}

# Descents and trials from each start, rounds for the best. Points that say how a cluster is split:
# few where clusters are large, since the trial itself is exact.
solve_split <- function(problem, control, starts, names, patience, rounds, again, values = Inf) {
  halves <- if (control$k < 20L) 256 else 512
  found <- split_dissolve(
    problem, control$k, starts, control, trial_uniforms(), patience, rounds, again, halves, values
  )
  solution(found, names)
}

# Swaps from a solution; their outcome counts as one more start.
solve_swaps <- function(problem, control, best, swaps, again, near) {
  k <- control$k
  found <- swap(problem, k, best$cluster, control, swap_uniforms(swaps), 10 * k + 20, again, near)
  objectives <- c(best$objectives, swap = found$objectives)
  if (found$kept > 0) {
    best <- solution(found, "swap")
    best$best_start <- length(objectives)
  }
  best$objectives <- objectives
  best
}
