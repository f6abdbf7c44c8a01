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

# Number the clusters of a solution by first appearance.
number_clusters <- function(out, k) {
  first <- first_appearance(out$cluster, k)
  if (identical(as.integer(first), seq_len(k)) && length(out$cost) <= k) {
    return(out)
  }
  out$cluster <- match(out$cluster, first)
  for (field in intersect(c("cost", "V", "s"), names(out))) out[[field]] <- out[[field]][first]
  if (!is.null(out$means)) out$means <- out$means[, first, drop = FALSE]
  out
}

# Run local searches from `starts`, then split-merge moves and perturbation of the best (move_effort()).
split_merge <- function(problem, k, starts, control, uniforms, effort) {
  settings <- c(compiled_control(control), effort, list(uniforms = uniforms))
  storage.mode(starts) <- "integer"
  .Call(ffi_descend, problem, as.numeric(k), starts, settings)
}

# Run centroid swaps from labels until `patience` of them in a row fail, or their cost is `work` products. Return
# list(cluster, cost, work): the sum of squares of each cluster, and products.
swap_centroids <- function(problem, k, labels, patience, work, uniforms) {
  settings <- list(patience = as.numeric(patience), work = as.numeric(min(work, 1e300)))
  .Call(ffi_swap_centroids, problem, as.numeric(k), as.integer(labels), settings, uniforms)
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

# Uniforms that swaps and split-merge moves use over and over.
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
  if (is_line_problem(problem) && as.numeric(k)^2 <= problem$n) {
    return(list(M = line_dispersion(problem, cluster, k), t = numeric(k)))
  }
  list(M = .Call(ffi_dispersion, problem, as.integer(cluster), as.numeric(k)), t = numeric(k))
}

# The sums of a partition from its labels 1..k, in internal units: list(W, S, total, within, g, V, s), `g` the k x k
# mean dissimilarities, V_l the sum of w_x w_y B_xy over cluster l. Every W of given labels is computed here.
partition <- function(problem, labels, k) {
  sums <- dispersion_sums(problem, labels, k)
  s <- sum_by(problem$w, labels, k)
  self <- sums$t / s
  # rho = B_ii + B_jj - 2 B_ij, averaged over pairs of groups
  # products of weights may leave the range of numbers
  g <- outer(self, self, "+") - 2 * sums$M / s / rep(s, each = k)
  filled <- s > 0
  within <- sums$within %||% (sums$t - diag(sums$M) / s)
  within[!filled] <- 0
  diag(g) <- 2 * within / s
  g[!filled, ] <- NA_real_
  g[, !filled] <- NA_real_
  S <- sum(s * energies_of(g) * rep(s / (4 * sum(s)), each = k), na.rm = TRUE)
  list(W = sum(within), S = S, total = sum(within) + S, within = within, g = g, V = diag(sums$M), s = s)
}

# Energy distances 2 g(C_i, C_j) - g(C_i, C_i) - g(C_j, C_j) of groups.
energies_of <- function(g) 2 * g - outer(diag(g), diag(g), "+")

# A solution with the sums of its labels, numbered by first appearance: sums that moves have updated depend on the way.
# Above `small_n` rows the solution keeps them (they agree to 1e-12), because this takes a pass over the pairs.
with_partition <- function(problem, out, k) {
  out <- number_clusters(out, k)
  problem <- out$problem %||% problem
  if (problem$n > small_n || has_features(problem) || !is.null(out$map) || identical(out$method, "exact")) {
    return(out)
  }
  sums <- partition(problem, out$cluster, length(out$cost))
  out[c("cost", "V", "s", "total")] <- sums[c("within", "V", "s", "total")]
  out$objectives[out$best_start] <- sums$W
  out
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

# ---- local searches from labels, and the solutions that they end in ----

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
