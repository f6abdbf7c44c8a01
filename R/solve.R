# The one way from a problem to a solution. A solution is a list:
#   cluster     1..k
#   cost        within dispersion of each cluster   (internal units)
#   V, s        the sums that predict() needs       (internal units)
#   total       W + S                               (internal units)
#   objectives  W of every start, named by its kind (internal units)
#   best_start, iterations, moves, converged, rose, fall (of the best start)

method_codes <- c(hartigan = 0, lloyd = 1)

# Starts given or named: one descent from each.
solve_starts <- function(problem, k, starts, method, iter.max, names) {
  out <- .Call(
    ffi_solve, problem$store, problem$w, as.numeric(k), starts,
    unname(method_codes[method]), as.numeric(iter.max)
  )
  best <- out$best
  solution(
    problem, out$fit,
    objectives = stats::setNames(base_cost(problem) - out$Q, names),
    best_start = as.integer(best),
    iterations = as.integer(out$iterations[best]),
    moves = out$moves[best],
    converged = out$converged[best] == 1,
    rose = out$rose[best] == 1,
    fall = out$fall[best]
  )
}

# sum_i w_i B_ii: W = base_cost - Q. Zero for a semimetric.
base_cost <- function(problem) {
  if (problem$form == "gram") sum(problem$w * self_values(problem)) else 0
}

solution <- function(problem, fit, ...) {
  total <- base_cost(problem) - fit$all / sum(problem$w)
  c(list(cluster = fit$cluster, cost = fit$cost, V = fit$V, s = fit$s, total = total), list(...))
}

# `init` named: exactly `nstart` starts, one descent each.
solve_named <- function(problem, k, init, nstart, method, iter.max) {
  names <- if (is.numeric(init)) {
    c("labels", rep("random", nstart - 1))
  } else {
    rep(init, nstart)
  }
  problem <- cache_pairs(problem)
  solve_starts(problem, k, start_labels(problem, k, init, nstart), method, iter.max, names)
}

# `init = NULL`: the best search for the size.
solve_search <- function(problem, k, nstart, method, iter.max) {
  if (k == 1L || k == sum(problem$w > 0)) {
    return(solve_trivial(problem, k, method, iter.max))
  }
  if (problem$n <= small_n) {
    return(search_small(cache_pairs(problem), k, nstart, method, iter.max))
  }
  search_sampled(problem, k, nstart, method, iter.max)
}

# One cluster, or each point its own: nothing to search.
solve_trivial <- function(problem, k, method, iter.max) {
  labels <- rep(1L, problem$n)
  inside <- which(problem$w > 0)
  if (k > 1L) labels[inside] <- seq_along(inside)
  solve_starts(problem, k, matrix(labels), method, iter.max, "only")
}

# The best of a few greedy k-means++ fits, then swaps: dissolve a cluster, centre a new
# one on a point far from its mean, descend, keep what is better. Two rounds of swaps, the
# second from another start, since one round can end in a poor valley.
search_small <- function(problem, k, nstart = NULL, method = "hartigan", iter.max = 100) {
  if (is.null(nstart)) nstart <- 3
  starts <- plusplus_labels(problem, k, nstart, greedy_candidates(k))
  best <- solve_starts(problem, k, starts, method, iter.max, rep("kmeans++", nstart))
  swaps <- max(50, 5 * k)
  found <- .Call(
    ffi_swap, problem$store, problem$w, as.numeric(k), best$cluster,
    unname(method_codes[method]), as.numeric(iter.max), stats::runif(2 * swaps),
    as.numeric(5 * k + 10)
  )
  add_swapped(problem, best, found)
}

# The outcome of swaps counts as one more start.
add_swapped <- function(problem, best, found) {
  objectives <- c(best$objectives, swap = base_cost(problem) - found$Q)
  if (found$kept == 0) {
    best$objectives <- objectives
    return(best)
  }
  solution(
    problem, found$fit,
    objectives = objectives, best_start = length(objectives),
    iterations = as.integer(found$iterations), moves = found$moves,
    converged = found$converged, rose = found$rose, fall = found$fall
  )
}

# Large n: swap search on samples of about a thousand points, each result extended to
# all points by the nearest mean; one sweep from each tells which start is best, and that
# one is polished to the end on all points.
search_sampled <- function(problem, k, nstart, method, iter.max) {
  inside <- which(problem$w > 0)
  size <- max(1000, 20 * k)
  samples <- if (is.null(nstart)) 4 else nstart
  if (2 * size > length(inside)) {
    starts <- plusplus_labels(problem, k, samples, greedy_candidates(k))
    return(solve_starts(problem, k, starts, method, iter.max, rep("kmeans++", samples)))
  }
  starts <- vapply(seq_len(samples), function(sample) {
    rows <- sort(inside[sample.int(length(inside), size)])
    part <- search_small(cache_pairs(subset_problem(problem, rows)), k)
    .Call(ffi_extend, problem$store, problem$w, as.numeric(k), rows, part$cluster)
  }, integer(problem$n))
  names <- rep("sample", samples)
  if (samples == 1) {
    return(solve_starts(problem, k, starts, method, iter.max, names))
  }
  first <- solve_starts(problem, k, starts, method, min(iter.max, 1), names)
  if (iter.max <= 1) {
    return(first)
  }
  out <- solve_starts(problem, k, matrix(first$cluster), method, iter.max - 1, "sample")
  out$iterations <- out$iterations + first$iterations
  out$moves <- out$moves + first$moves
  first$objectives[first$best_start] <- out$objectives
  out$objectives <- first$objectives
  out$best_start <- first$best_start
  out
}
