# Local searches from labels, and the solutions that they end in.

# One local search from each column of `starts`.
solve_starts <- function(problem, control, starts, names) {
  solution(descend(problem, control$k, starts, control), names)
}

solution <- function(out, names) {
  best <- out$best
  list(
    cluster = out$cluster, cost = out$cost, V = out$V, s = out$s, total = out$total,
    objectives = stats::setNames(out$objectives, rep_len(names, length(out$objectives))),
    best_start = as.integer(best),
    iterations = as.integer(out$iterations[best]),
    moves = out$moves[best],
    converged = out$converged[best] == 1,
    rose = out$rose[best] == 1,
    fall = out$fall[best],
    means = out$means,
    evaluations = out$spent
  )
}

# Add the report of a search to a solution. `search`: members, attained and the evaluations before `out`.
with_search <- function(out, search, problem, levels = count_inside(problem)) {
  evaluations <- sum(search$evaluations, out$evaluations)
  out$search <- c(search[c("members", "attained")], list(levels = levels, evaluations = evaluations))
  out
}

# One cluster, or each point its own.
solve_trivial <- function(problem, control) {
  labels <- rep(1L, problem$n)
  inside <- inside_rows(problem)
  if (control$k > 1L) labels[inside] <- seq_along(inside)
  out <- solve_starts(problem, control, matrix(labels), "only")
  with_search(out, list(members = 1, attained = 1), problem)
}

# A local search on all rows from the labels of a solution of a reduced problem.
refine_on_all_rows <- function(problem, control, labels, found) {
  out <- solve_starts(problem, control, matrix(fill_clusters(labels, problem$w, control$k)), "search")
  W <- found$objectives[[found$best_start]]
  objectives <- found$objectives * if (W > 0) out$objectives[[1L]] / W else 1
  out$objectives <- replace(objectives, found$best_start, out$objectives[[1L]])
  out$best_start <- found$best_start
  out$search <- found$search
  out$search$evaluations <- found$search$evaluations + out$evaluations
  out
}

# Run local searches and split-merge moves, and perturb the best (R/engine.R).
solve_split <- function(problem, control, starts, effort) {
  solution(split_merge(problem, control$k, starts, control, move_uniforms(), effort), "search")
}

# Labels in which every cluster has a point of positive weight: the feature k-means
# guarantees it among the points it saw, so this only guards its contract.
fill_clusters <- function(labels, w, k) {
  counts <- tabulate(if (min(w) > 0) labels else labels[w > 0], k)
  for (l in which(counts == 0)) {
    from <- which(w > 0 & counts[labels] > 1)[1L]
    counts[labels[from]] <- counts[labels[from]] - 1
    labels[from] <- l
    counts[l] <- 1
  }
  labels
}

# Weighted k-means of the rows of a matrix of features: list(cluster, means (columns x k), W, objectives, iterations,
# best, converged). `starts`: n x nstart labels, by default k-means++.
feature_kmeans <- function(features, k, weights = NULL, nstart = 10, iter.max = 100, starts = NULL) {
  n <- nrow(features)
  z <- t(features)
  storage.mode(z) <- "double"
  problem <- list(w = as.double(weights %||% rep(1, n)), store = new_features_store(z, n))
  if (is.null(starts)) starts <- plusplus_labels(problem, k, nstart)
  out <- descend(problem, k, starts, new_control(iter.max = iter.max))
  out$W <- sum(out$cost)
  out
}
