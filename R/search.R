# The search of `init = NULL`: one memetic, multilevel algorithm for every store (?kgroups-search has the steps).

# Constants of the search; bench/search.md has the row that set each. Evaluations are pairwise ones, or products of that cost.
search_defaults <- list(
  evaluations = 2e8, # budget at effort 1,
  passes = 2, # and at least so many passes over all pairs
  members = 10, # of the population
  quorum = 0.5, # share of the members at the least objective that ends the search
  same = 1e-5, # relative difference of two objectives that count as the same
  centroid_passes = 50, # of centroid swaps a member, if their objective only approximates W
  swap_failures = 4, # times k in a row, at least 20, end a member
  crossover = 4, # cost of the crossover and of the long member, in members
  polished = 3, # members that a local search on W follows, at least
  idle = 0.05, # share of the budget that perturbations in a row may cost without gain
  rounds = 20, # perturbations in a row without gain that end the search; 2 k if fewer
  whole = 20000, # rows of the largest level;
  part = 5000 # a larger problem is first searched on so many
)

solve_search <- function(problem, control) {
  k <- control$k
  if (k == 1L || k == count_inside(problem)) {
    return(solve_trivial(problem, control))
  }
  smaller <- reduce_problem(problem, control)
  if (is.null(smaller)) {
    return(search_store(problem$store, problem, control))
  }
  found <- smaller$solution %||% solve_search(smaller$problem, control)
  labels <- smaller$labels(found$cluster)
  if (smaller$exact) replace(found, "cluster", list(labels)) else go_on(problem, control, labels, found)
}

search_store <- function(store, problem, control) UseMethod("search_store")

#' @export
search_store.default <- function(store, problem, control) {
  inside <- count_inside(problem)
  size <- max(search_defaults$part, 20 * control$k)
  sampled <- inside > search_defaults$whole && 2 * size <= inside && !inherits(store, "kgroups_sparse")
  if (!sampled) {
    return(search_level(problem, control))
  }
  rows <- sample_rows(inside_rows(problem), size)
  part <- search_level(subset_problem(problem, rows), coarse_control(control))
  start <- fill_clusters(extend_level(problem, control$k, rows, part$cluster), problem$w, control$k)
  found <- improve_settled(problem, control, matrix(start), 0)
  with_search(found, part$search, problem, levels = c(length(rows), inside))
}

# The control of a coarser level: its partition is only a start.
coarse_control <- function(control) new_control(control$k, effort = control$effort, nstart = control$nstart)

# Labels of all rows by the nearest mean of those of some.
extend_level <- function(problem, k, rows, labels) {
  if (inherits(problem$store, "kgroups_features")) {
    return(assign_features(problem, feature_means(problem, rows, labels, k)))
  }
  some <- sample_rows(seq_along(rows), min(length(rows), sample_size(problem$n, k)))
  extend(problem, k, rows[some], labels[some])
}

# One level: population, crossover, local search on W, split-merge moves and perturbation.
search_level <- function(problem, control) {
  k <- control$k
  budget <- search_budget(problem, control)
  view <- centroid_view(problem, k)
  problem <- cache_pairs(problem)
  found <- if (!is.null(view)) centroid_population(view, problem, k, budget)
  by_centroids <- !is.null(found)
  if (!by_centroids) found <- start_population(problem, k, budget)
  exact <- by_centroids && view$power == 1
  if (exact && problem$n > small_n) {
    labels <- fill_clusters(found$labels[, 1L], problem$w, k)
    out <- solve_starts(problem, control, matrix(labels), "member")
    return(with_search(out, found[c("members", "attained")], problem))
  }
  polish_population(problem, control, found, budget)
}

# list(evaluations, pass, members, polished): what a level may cost.
search_budget <- function(problem, control) {
  pass <- pass_cost(problem, control$k)
  evaluations <- control$effort * max(search_defaults$evaluations, search_defaults$passes * pass)
  members <- control$nstart %||% search_defaults$members
  polished <- max(search_defaults$polished, evaluations / (4 * pass))
  list(evaluations = evaluations, pass = pass, members = members, polished = floor(min(members + 1, polished)))
}

# Evaluations of one pass over the problem.
pass_cost <- function(problem, k) {
  store <- problem$store
  if (inherits(store, "kgroups_sparse")) length(store$value) + problem$n else problem$n^2 / 2
}

# ---- population ----

# A population is a list: labels (a column for each distinct member, best first), count (members that each stands for),
# members, attained.
new_population <- function(labels, objectives) {
  order <- least_first(objectives)
  objectives <- objectives[order]
  many <- length(order)
  group <- cumsum(c(TRUE, diff(objectives) > search_defaults$same * abs(objectives[-many])))
  count <- tabulate(group)
  list(
    labels = labels[, order[!duplicated(group)], drop = FALSE], count = count, members = many, attained = count[1L]
  )
}

near_least <- function(W) sum(W <= min(W) + search_defaults$same * abs(min(W)))

# Members by k-means++ and centroid swaps, judged by the objective of the centroids; a crossover and a long member join them
# if fewer than the quorum agree. NULL if single precision does not resolve the clusters.
centroid_population <- function(view, problem, k, budget) {
  members <- budget$members
  # products of a pass over the centroids
  each <- budget$evaluations / (problem$n * k) / (2 * members)
  each <- if (view$power == 1) 2 * each else min(search_defaults$centroid_passes, each)
  patience <- max(20, search_defaults$swap_failures * k)
  labels <- matrix(1L, problem$n, 0L)
  W <- numeric()
  enough <- max(1, ceiling(search_defaults$quorum * members))
  while (length(W) < members && (length(W) < enough || near_least(W) < enough)) {
    start <- matrix(1L, problem$n, 1L)
    start[view$rows, ] <- plusplus_labels(view$some, k, 1L)
    found <- swapped_means(problem, k, each, start, view, patience)
    if (is.null(found)) {
      return(NULL)
    }
    labels <- cbind(labels, found$labels)
    W <- c(W, found$W)
  }
  found <- new_population(labels, W)
  if (k == 2L || found$attained >= enough || members < 2) {
    return(found)
  }
  passes <- search_defaults$crossover * each * members
  crossed <- cross_labels(problem, k, labels, view, passes)
  long <- swapped_means(problem, k, passes, found$labels[, 1L, drop = FALSE], view, max(100, 10 * patience))$labels
  found$labels <- cbind(crossed, long, found$labels)
  found$count <- c(0, 0, found$count)
  found
}

# Members by greedy k-means++ on the values themselves; for a sparse matrix one of them is spectral.
start_population <- function(problem, k, budget) {
  many <- min(budget$polished, budget$members)
  labels <- plusplus_labels(problem, k, many, greedy_candidates(k))
  if (inherits(problem$store, "kgroups_sparse")) labels[, 1L] <- spectral_labels(problem, k, 1L)
  list(labels = labels, count = rep(1, many), members = many, attained = NA)
}

# ---- local search on W ----

polish_population <- function(problem, control, found, budget) {
  k <- control$k
  take <- seq_len(min(budget$polished, ncol(found$labels)))
  labels <- apply(found$labels[, take, drop = FALSE], 2L, fill_clusters, problem$w, k)
  count <- found$count[take]
  local <- descend(problem, k, labels, control, each = TRUE)
  W <- local$objectives
  attained <- sum(count[W <= min(W) + search_defaults$same * abs(min(W))])
  settled <- attained >= search_defaults$quorum * sum(count)
  distinct <- new_population(local$labels, W)$labels
  out <- if (settled) {
    improve_settled(problem, control, distinct[, 1L, drop = FALSE], budget$evaluations / 10)
  } else {
    improve_unsettled(problem, control, distinct, budget)
  }
  reached <- min(out$objectives)
  W[W <= min(W)] <- min(W)
  attained <- sum(count[W <= reached + search_defaults$same * abs(reached)])
  out$objectives <- c(stats::setNames(W, rep("member", length(W))), search = reached)
  out$best_start <- length(out$objectives)
  with_search(out, list(members = found$members, attained = attained), problem)
}

# The members agree: split-merge moves of positive estimated gain, then those that `evaluations` allow.
improve_settled <- function(problem, control, start, evaluations) {
  k <- control$k
  if (k > 2 * small_n) { # pairs of clusters are listed
    return(solve_starts(problem, control, start, "search"))
  }
  out <- solve_split(problem, control, start, 3, promising = TRUE)
  moves <- min(k, floor(evaluations * k / (1.5 * problem$n^2)))
  if (moves < 1) {
    return(out)
  }
  solve_split(problem, control, matrix(out$cluster), moves, idle = search_defaults$idle * evaluations, values = evaluations)
}

# They do not: split-merge moves on each, then perturbation of the best.
improve_unsettled <- function(problem, control, starts, budget) {
  k <- control$k
  if (k > 2 * small_n) {
    return(solve_starts(problem, control, starts, "search"))
  }
  fails <- min(search_defaults$rounds, 2 * k)
  idle <- search_defaults$idle * budget$evaluations
  solve_split(problem, control, starts, k, fails = fails, idle = idle, values = budget$evaluations)
}

with_search <- function(out, search, problem, levels = count_inside(problem)) {
  out$search <- c(search[c("members", "attained")], list(levels = levels))
  out
}
