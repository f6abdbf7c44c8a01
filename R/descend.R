# Descents and what they give: the solution that every way through the search ends in.

# One descent from each start.
solve_starts <- function(problem, control, starts, names, dimension = 0, leap = FALSE) {
  solution(descend(problem, control$k, starts, control, dimension, leap = leap), names)
}

solution <- function(out, names) {
  best <- out$best
  objectives <- out$objectives
  names(objectives) <- names
  list(
    cluster = out$cluster, cost = out$cost, V = out$V, s = out$s, total = out$total,
    objectives = objectives,
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
solve_swaps <- function(problem, control, best, swaps, again, near, patience = 10 * control$k + 20) {
  k <- control$k
  found <- swap(problem, k, best$cluster, control, swap_uniforms(swaps), patience, again, near)
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
solve_borders <- function(problem, control, starts, patience, kinds = rep("sample", NCOL(starts)), promises = FALSE) {
  most <- 20 * patience
  trials <- if (promises) trial_uniforms()
  found <- swap(problem, control$k, starts, control, swap_uniforms(most), patience, most, 0, TRUE, trials)
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

# A descent from each start and trials that promise a lower W, until three in a row have not kept it: little beside a pass.
solve_promises <- function(problem, control, starts, names) {
  k <- control$k
  solution(split_dissolve(problem, k, starts, control, trial_uniforms(), 3, 0, 0, 256, Inf, promising = TRUE), names)
}

# ---- crossovers of partitions ----

# The best of some partitions (a column of labels each, and W of each) is crossed with every other one, until none
# lowers W. A list: labels, W.
cross_partitions <- function(problem, control, labels, W) {
  by_W <- least_first(W)
  best <- list(labels = labels[, by_W[1L]], W = W[by_W[1L]])
  others <- by_W[-1L]
  failed <- 0
  while (failed < length(others)) {
    found <- cross_pair(problem, control, best, labels[, others[1L]])
    others <- c(others[-1L], others[1L])
    failed <- if (is.null(found)) failed + 1 else 0
    if (!is.null(found)) best <- found
  }
  best
}

# What the other one has better, all of it at once, or what brings most; NULL if there is nothing.
cross_pair <- function(problem, control, best, other) {
  finish <- function(labels) {
    starts <- vapply(labels, fill_clusters, integer(problem$n), problem$w, control$k)
    descend(problem, control$k, starts, control, each = TRUE)
  }
  crossed <- crossed_labels(best$labels, other, control$k)
  if (length(crossed) == 0L) {
    return(NULL)
  }
  found <- finish(crossed)
  gains <- which(found$objectives < best$W * (1 - 1e-9))
  if (length(gains) > 1L) {
    all <- best$labels
    for (one in crossed[gains[rev(least_first(found$objectives[gains]))]]) {
      all <- ifelse(one == best$labels, all, one)
    }
    merged <- finish(list(all))
    if (merged$objectives < min(found$objectives) * (1 - 1e-9)) found <- merged
  }
  at <- least_first(found$objectives)[1L]
  if (length(gains) > 0L) list(labels = found$labels[, at], W = found$objectives[at])
}

# Two partitions of the same points. Clusters of both that share more than 15 per cent of the smaller one belong
# together: what is so linked gives way to the other partition's, one group at a time where it has as many clusters in
# both, else two whose numbers make up for each other. A list of labels, empty where all that differs is one.
crossed_labels <- function(one, other, k) {
  pair <- one + k * (other - 1)
  pairs <- unique(pair)
  mine <- (pairs - 1) %% k + 1
  theirs <- (pairs - 1) %/% k + 1
  share <- tabulate(match(pair, pairs), length(pairs))
  edge <- share > 0.15 * pmin(tabulate(one, k)[mine], tabulate(other, k)[theirs])
  links <- igraph::make_graph(rbind(mine, k + theirs)[, edge], n = 2 * k, directed = FALSE)
  group <- igraph::components(links)$membership
  mine <- group[seq_len(k)]
  theirs <- group[k + seq_len(k)]
  surplus <- tabulate(mine, max(group)) - tabulate(theirs, max(group))
  differ <- which(tabulate(group) != 2L | surplus != 0L)
  moves <- as.list(differ[surplus[differ] == 0L])
  for (more in differ[surplus[differ] > 0L]) {
    moves <- c(moves, lapply(differ[surplus[differ] == -surplus[more]], c, more))
  }
  lapply(moves[lengths(moves) < length(differ)], function(groups) {
    name <- integer(k)
    name[theirs %in% groups] <- which(mine %in% groups)
    ifelse(name[other] > 0L, name[other], one)
  })
}
