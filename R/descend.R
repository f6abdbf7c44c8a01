# Descents and what they give: the solution that every way through the search ends in.

# One descent from each start.
solve_starts <- function(problem, control, starts, names, dimension = 0, leap = FALSE) {
  solution(descend(problem, control$k, starts, control, dimension, leap = leap), names)
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
    means = out$means,
    path = out$path
  )
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

# A descent from each start, all points together a part of the way on that the best of them went, then
# borders between clusters are moved, until `patience` moves in a row have led to no lower W: near optima
# that differ in some points between two clusters are many, and a first pass over all pairs for each would
# cost more. One pass serves all starts: from the second on only the points that differ are moved.
solve_borders <- function(problem, control, starts, patience, kinds = rep("sample", NCOL(starts))) {
  most <- 20 * patience
  found <- swap(problem, control$k, starts, control, swap_uniforms(most), patience, most, 0, borders = TRUE)
  solution(found, kinds)
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
