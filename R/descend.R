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

# ---- crossovers of partitions ----

# From every column of `starts` a descent. Of the best of them that differ any two are crossed, and what comes of it
# descends too, for as long as W falls, at most `turns` times. What W is after the descents, and the labels.
crossed_descents <- function(problem, control, starts, turns = 3, best = 5) {
  k <- control$k
  found <- descend(problem, k, starts, control, each = TRUE)
  pool <- list(labels = found$labels, W = found$objectives)
  for (turn in seq_len(turns)) {
    order <- order(pool$W)
    order <- utils::head(order[!duplicated(round(1e6 * pool$W[order] / pool$W[order[1L]]))], best)
    pool <- list(labels = pool$labels[, order, drop = FALSE], W = pool$W[order])
    pairs <- expand.grid(one = seq_along(order), other = seq_along(order))
    new <- unlist(lapply(which(pairs$one != pairs$other), function(at) {
      crossed_labels(pool$labels[, pairs$one[at]], pool$labels[, pairs$other[at]], k)
    }), recursive = FALSE)
    if (length(new) == 0L) break
    starts <- vapply(new, fill_clusters, integer(problem$n), problem$w, k)
    found <- descend(problem, k, starts, control, each = TRUE)
    better <- min(found$objectives) < min(pool$W) * (1 - 1e-9)
    pool <- list(labels = cbind(pool$labels, found$labels), W = c(pool$W, found$objectives))
    if (!better) break
  }
  pool
}

# Two partitions of the same points. Clusters of both that share more than 15 per cent of the smaller one belong
# together: what is so linked gives way to the other partition's, one group at a time where it has as many clusters in
# both, else two whose numbers make up for each other. A list of labels, empty where all that differs is one.
crossed_labels <- function(one, other, k) {
  share <- matrix(tabulate(one + k * (other - 1L), k * k), k)
  edges <- which(share > 0.15 * pmin(matrix(rowSums(share), k, k), matrix(colSums(share), k, k, byrow = TRUE)), TRUE)
  links <- igraph::make_graph(rbind(edges[, 1L], k + edges[, 2L]), n = 2 * k, directed = FALSE)
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
