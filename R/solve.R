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
  out <- descend(c_problem(problem), k, starts, method, iter.max)
  best <- out$best
  solution(
    problem, out,
    objectives = stats::setNames(out$objectives, names),
    best_start = as.integer(best),
    iterations = as.integer(out$iterations[best]),
    moves = out$moves[best],
    converged = out$converged[best],
    rose = out$rose[best],
    fall = out$fall[best]
  )
}

solution <- function(problem, fit, ...) {
  c(fit[c("cluster", "cost", "V", "s", "total")], list(...))
}

# `init` named: exactly `nstart` starts, one descent each.
solve_named <- function(problem, k, init, nstart, method, iter.max) {
  names <- if (is.numeric(init)) {
    c("labels", rep("random", nstart - 1))
  } else {
    rep(init, nstart)
  }
  problem <- cache_pairs(problem, passes = nstart + if (identical(init, "spectral")) 50 else 1)
  solve_starts(problem, k, start_labels(problem, k, init, nstart), method, iter.max, names)
}

# `init = NULL`: the best search for the size.
solve_search <- function(problem, k, nstart, method, iter.max) {
  if (k == 1L || k == sum(problem$w > 0)) {
    return(solve_trivial(problem, k, method, iter.max))
  }
  if (problem$n <= small_n) {
    return(search_small(problem, k, nstart, method, iter.max))
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
# one on a point far from its mean, descend, keep what is better. With max(50, 5 k) swaps the
# best known W was missed two to five times as often. Where `again` swaps have led back to the
# same W, within `near` of it, the landscape is smooth, and there is little left to look for.
search_small <- function(problem, k, nstart = NULL, method = "hartigan", iter.max = 100,
                         swaps = max(200, min(20 * k, 5e5 / problem$n)), again = 30,
                         near = 1e-10) {
  if (is.null(nstart)) nstart <- 3
  problem <- cache_pairs(problem, passes = nstart + min(swaps, 2 * again) / 2)
  starts <- plusplus_labels(problem, k, nstart, greedy_candidates(k))
  best <- solve_starts(problem, k, starts, method, iter.max, rep("kmeans++", nstart))
  if (swaps == 0) {
    return(best)
  }
  control <- list(
    method = unname(method_codes[method]), iter_max = as.numeric(iter.max),
    patience = as.numeric(10 * k + 20), again = as.numeric(again), near = near
  )
  found <- .Call(
    ffi_swap, c_problem(problem), as.numeric(k), best$cluster, control,
    stats::runif(2 * floor(swaps))
  )
  add_swapped(problem, best, found)
}

# The outcome of swaps counts as one more start.
add_swapped <- function(problem, best, found) {
  objectives <- c(best$objectives, swap = found$objectives)
  if (found$kept == 0) {
    best$objectives <- objectives
    return(best)
  }
  solution(
    problem, found,
    objectives = objectives, best_start = length(objectives),
    iterations = as.integer(found$iterations), moves = found$moves,
    converged = found$converged, rose = found$rose, fall = found$fall
  )
}

# Large n: swap search on samples of about a thousand points; results are extended to all
# points by the nearest mean and polished on all of them. Of results that are the same
# partition but for noise one goes on; those that do share a first pass. If only one sample
# led to the least W the landscape is rough, and four more follow, until two did or `most`
# samples are spent.
search_sampled <- function(problem, k, nstart, method, iter.max) {
  inside <- which(problem$w > 0)
  size <- sample_size(k)
  if (2 * size > length(inside)) {
    return(search_small(problem, k, nstart, method, iter.max))
  }
  batch <- if (is.null(nstart)) 4 else nstart
  most <- if (!is.null(nstart)) nstart else if (problem$n <= 20000) 24 else 4
  best <- NULL
  samples <- 0
  repeat {
    parts <- lapply(seq_len(batch), function(sample) {
      sample_partition(problem, k, inside[sample.int(length(inside), size)], swaps = 2 * k)
    })
    samples <- samples + batch
    basin <- if (is.null(nstart)) probe_basins(problem, k, parts, inside) else seq_len(batch)
    starts <- vapply(parts[!duplicated(basin)], extend_labels, integer(problem$n), problem = problem, k = k)
    found <- solve_starts(problem, k, starts, method, iter.max, rep("sample", ncol(starts)))
    twice <- sum(basin == unique(basin)[found$best_start]) > 1L
    best <- better_solution(best, found)
    W <- best$objectives
    near <- W <= min(W) + 1e-5 * abs(min(W))
    if (samples >= most || sum(near) > 1L || (twice && min(found$objectives) == min(W))) {
      return(best)
    }
  }
}

# Basins of the partitions of samples, told by what they say of some points.
probe_basins <- function(problem, k, parts, inside) {
  probe <- sort(inside[sample.int(length(inside), min(length(inside), max(500, 20 * k)))])
  labels <- vapply(parts, function(part) {
    rows <- sort(union(part$rows, probe))
    some <- subset_problem(problem, rows)
    part$rows <- match(part$rows, rows)
    extend_labels(part, some, k)[match(probe, rows)]
  }, integer(length(probe)))
  basins(labels, k)
}

# Which columns of labels are the same partition but for noise: each gets the number of the
# first it equals. Two are, if every cluster of one shares more than half of its points with a
# cluster of the other and the other way round: optima that differ have split or merged one.
basins <- function(starts, k) {
  same <- function(a, b) {
    shared <- matrix(tabulate(a + k * (b - 1), k^2), k)
    larger <- outer(rowSums(shared), colSums(shared), pmax)
    all(rowSums(shared > larger / 2) == 1)
  }
  out <- seq_len(ncol(starts))
  for (column in out[-1L]) {
    for (first in unique(out[seq_len(column - 1L)])) {
      if (same(starts[, first], starts[, column])) {
        out[column] <- first
        break
      }
    }
  }
  out
}

sample_size <- function(k) max(1000, 20 * k)

# A search on some of the points: their row numbers and labels. A few swaps will do: what a
# sample can tell of the best partition of all is soon found.
sample_partition <- function(problem, k, rows, swaps) {
  rows <- sort(rows)
  found <- search_small(subset_problem(problem, rows), k, swaps = swaps, again = 3, near = 1e-4)
  list(rows = rows, cluster = found$cluster)
}

# Labels of all points from those of some, by the nearest mean.
extend_labels <- function(part, problem, k) {
  .Call(ffi_extend, c_problem(problem), as.numeric(k), part$rows, part$cluster)
}

# The better of two solutions, with the objectives of both; ties to the first.
better_solution <- function(first, second) {
  if (is.null(first)) {
    return(second)
  }
  objectives <- c(first$objectives, second$objectives)
  if (min(second$objectives) < min(first$objectives)) {
    second$best_start <- length(first$objectives) + second$best_start
    first <- second
  }
  first$objectives <- objectives
  first
}
