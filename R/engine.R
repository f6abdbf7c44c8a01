# Calls of the compiled engines: local searches, starts and sums, for every store. They are deterministic: uniforms are
# arguments. A problem goes to C as a named list; the class of its store names the engine.

method_codes <- c(hartigan = 0, lloyd = 1)

# Run a local search from every column of `starts`; return the best, ties to the first. A list: cluster, cost, V, s,
# total, objectives, iterations, moves, converged, rose, fall (of each start), best, spent; means of features; labels if
# `each`. `fill`: clusters without a point of positive weight get the one of largest cost. `moves`: uniforms and effort
# of split-merge moves of the best, of which labels and objectives of `each` start know nothing.
descend <- function(problem, k, starts, control, fill = control$iter.max > 0, each = FALSE, moves = NULL) {
  storage.mode(starts) <- "integer"
  settings <- c(compiled_control(control, fill = as.numeric(fill), each = as.numeric(each)), moves)
  .Call(ffi_descend, problem, as.numeric(k), starts, settings)
}

# Return the labels 1..k in the order of their first appearance, those that do not appear last.
first_appearance <- function(cluster, k) {
  first <- unique(cluster[seq_len(min(length(cluster), 100 * k))])
  if (length(first) < k) first <- unique(cluster)
  if (length(first) < k) c(first, setdiff(seq_len(k), first)) else first
}

# Number columns of labels by first appearance: later random draws must not depend on the numbers of the clusters.
in_order <- function(labels, k) {
  if (!is.matrix(labels)) labels <- matrix(labels)
  out <- matrix(0L, nrow(labels), ncol(labels))
  for (j in seq_len(ncol(labels))) out[, j] <- match(labels[, j], first_appearance(labels[, j], k))
  out
}

# Run local searches from `starts`, then split-merge moves and perturbation of the best (move_effort()).
split_merge <- function(problem, k, starts, control, uniforms, effort) {
  settings <- c(compiled_control(control), effort, list(uniforms = uniforms))
  .Call(ffi_descend, problem, as.numeric(k), in_order(starts, k), settings)
}

# Run centroid swaps from labels until `patience` of them in a row fail, or their cost is `work` products. Return
# list(cluster, cost, work): the sum of squares of each cluster, and products.
swap_centroids <- function(problem, k, labels, patience, work, uniforms) {
  settings <- list(patience = as.numeric(patience), work = as.numeric(min(work, 1e300)))
  .Call(ffi_swap_centroids, problem, as.numeric(k), in_order(labels, k), settings, uniforms)
}

# How long split-merge moves go on, as the compiled routine takes it:
#   patience   moves that fail in a row
#   fails      perturbations that fail in a row and have cost `idle` evaluations; 300 fail at most
#   again      patience of the moves after a perturbation
#   values     evaluations in all
#   improving  only moves of positive estimated gain?
move_effort <- function(
  k, patience = k, fails = 0, idle = 0, again = ceiling(search_defaults$again * k), values = Inf, improving = FALSE
) {
  effort <- list(
    patience = patience, fails = fails, idle = idle, again = again, values = min(values, 1e300), improving = improving
  )
  lapply(effort, as.numeric)
}

compiled_control <- function(control, ...) {
  list(method = method_codes[[control$method]], iter_max = as.numeric(control$iter.max), ...)
}

# n x nstart labels of k-means++, `candidates` drawn for every centre.
plusplus_labels <- function(problem, k, nstart, candidates = 1) {
  .Call(ffi_plusplus, problem, as.numeric(k), as.numeric(candidates), stats::runif(k * candidates * nstart))
}

# Greedy k-means++ draws several candidates a centre.
greedy_candidates <- function(k) 2 + floor(log(k))

# Uniforms that split-merge moves use over and over.
move_uniforms <- function() stats::runif(4096)

# Labels of all observations from those of some (row numbers), which keep theirs, by the nearest mean.
extend <- function(problem, k, rows, labels) {
  if (has_features(problem)) {
    return(replace(assign_features(problem, feature_means(problem, rows, labels, k)), rows, as.integer(labels)))
  }
  if (uses_all_pairs(problem)) {
    return(.Call(ffi_extend, problem, as.numeric(k), as.integer(rows), as.integer(labels)))
  }
  # a local search of no passes places the others, which have no weight
  problem$w <- replace(numeric(problem$n), rows, problem$w[rows])
  start <- replace(rep(1L, problem$n), rows, as.integer(labels))
  used <- which(tabulate(start[problem$w > 0], k) > 0L)
  found <- descend(problem, length(used), matrix(match(start, used, 1L)), new_control(iter.max = 0))$cluster
  used[found]
}

# R_il, n x k: sums of w_y B_iy over the clusters of a given partition.
group_sums <- function(problem, cluster, k) {
  if (inherits(problem$store, "kgroups_sparse")) {
    Z <- weighted_indicator(problem, cluster, k)
    return(as.matrix(sparse_off(problem$store) %*% Z) + problem$store$diagonal * Z)
  }
  .Call(ffi_group_sums, problem, as.numeric(k), as.integer(cluster))
}

# list(M, t): M_jl the sum of w_x w_y B_xy over clusters j and l, t_j that of w_x B_xx, which is 0
# for all but sparse matrices.
dispersion_sums <- function(problem, cluster, k) {
  if (inherits(problem$store, "kgroups_sparse")) {
    return(sparse_dispersion_sums(problem, cluster, k))
  }
  if (is_1d_problem(problem) && !is_connected(problem$semimetric) && as.numeric(k)^2 <= problem$n) {
    return(list(M = line_dispersion(problem, cluster, k), t = numeric(k)))
  }
  list(M = .Call(ffi_dispersion, problem, as.integer(cluster), as.numeric(k)), t = numeric(k))
}

# Objectives differ by rounding up to this relative difference, as in src/kg_rule.h.
rounding <- 1e-10

# Is W lower than another one, by more than rounding?
is_lower <- function(W, other, size = abs(other)) other - W > rounding * size

# Order by value; values equal up to rounding keep their order.
least_first <- function(values) {
  same <- rounding * max(abs(values))
  if (max(values) - min(values) <= same) {
    return(seq_along(values))
  }
  by_size <- order(values)
  apart <- diff(values[by_size]) > same
  if (all(apart)) by_size else by_size[order(cumsum(c(FALSE, apart)), by_size)]
}
