# The one place where problems meet the compiled engines: descents, swaps, starts and sums, for
# every store. All of it is deterministic; what is random comes in as uniforms. A problem goes to
# C as it is, a named list: the class of its store names the engine.

method_codes <- c(hartigan = 0, lloyd = 1)

# Descents from every column of `starts`: the best, ties to the first. A list: cluster, cost, V,
# s, total, objectives, iterations, moves, converged, rose, fall (of each start), best; for
# features also means. `dimension` above 0 asks for the size term. `fill`: do clusters that start
# without a point of positive weight get the one that costs most? `each`: also the labels of all starts; the
# sums are as the moves have left them.
descend <- function(problem, k, starts, control, dimension = 0, fill = control$iter.max > 0, each = FALSE) {
  storage.mode(starts) <- "integer"
  settings <- compiled_control(
    control,
    dimension = as.numeric(dimension), fill = as.numeric(fill), each = as.numeric(each)
  )
  .Call(ffi_descend, problem, as.numeric(k), starts, settings)
}

# Old labels in the order in which they appear; every label 1..k appears, nearly always among the first.
first_appearance <- function(cluster, k) {
  first <- unique(cluster[seq_len(min(length(cluster), 100 * k))])
  if (length(first) < k) first <- unique(cluster)
  if (length(first) < k) c(first, setdiff(seq_len(k), first)) else first
}

# Columns of labels, numbered as they appear. Starts that end in the same partition may have numbered it in
# other ways, and rounding says which of them is the best: what is random from there on must not hang on it.
in_order <- function(labels, k) {
  out <- vapply(asplit(as.matrix(labels), 2), function(one) match(one, first_appearance(one, k)), integer(NROW(labels)))
  matrix(out, NROW(labels))
}

# From every column of `starts` a descent and trials that split a cluster and dissolve another one,
# until `patience` of them have failed in a row; the best of these goes on in `rounds` of a pair at
# random and trials with patience `again`. At most `halves` points say how a cluster is split, and
# trials cost at most `values` pair values. `promising`: only those that promise a lower W.
split_dissolve <- function(problem, k, starts, control, uniforms, patience, fails, idle, again, halves, values, promising) {
  settings <- compiled_control(
    control,
    patience = as.numeric(patience), fails = as.numeric(fails), idle = as.numeric(idle), again = as.numeric(again),
    halves = as.numeric(halves), values = as.numeric(min(values, 1e300)), promising = as.numeric(promising)
  )
  .Call(ffi_split, problem, as.numeric(k), in_order(starts, k), settings, uniforms)
}

# Swaps of means from given labels, features in double precision, until `patience` of them in a row have
# failed, or they have cost `work` products. A cluster of weight s whose squared distances from the mean add
# up to v costs s (v/s)^power. A list: cluster, W, swaps, kept, spread (the sum of v).
swap_means <- function(problem, k, labels, patience, work, uniforms, power) {
  control <- list(patience = as.numeric(patience), work = as.numeric(min(work, 1e300)), power = as.numeric(power))
  .Call(ffi_kmeans, problem, as.numeric(k), in_order(labels, k), control, uniforms)
}

# Crossovers of the partitions that swaps have led to, a column each. `pairs`: pairs within clusters tell W, not their spread.
cross_means <- function(problem, k, labels, patience, work, uniforms, power, pairs) {
  control <- list(
    patience = as.numeric(patience), work = as.numeric(min(work, 1e300)), power = as.numeric(power), pairs = as.numeric(pairs)
  )
  .Call(ffi_cross_means, problem, as.numeric(k), in_order(labels, k), control, uniforms)
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
trial_uniforms <- function() stats::runif(4096)

# Labels of all observations from those of some (row numbers), by the nearest mean.
extend <- function(problem, k, rows, labels) {
  if (has_pairs(problem)) {
    return(.Call(ffi_extend, problem, as.numeric(k), as.integer(rows), as.integer(labels)))
  }
  # the others without weight: a descent of no sweeps places them
  problem$w <- replace(numeric(problem$n), rows, problem$w[rows])
  start <- replace(rep(1L, problem$n), rows, as.integer(labels))
  used <- which(tabulate(start[problem$w > 0], k) > 0L)
  found <- descend(problem, length(used), matrix(match(start, used, 1L)), new_control(iter.max = 0))$cluster
  used[found]
}

# R_il, n x k: sums of w_y B_iy over the clusters of a given partition.
group_sums <- function(problem, cluster, k) {
  if (inherits(problem$store, "kgroups_sparse")) {
    return(sparse_group_sums(problem, cluster, k))
  }
  .Call(ffi_group_sums, problem, as.numeric(k), as.integer(cluster))
}

# list(M, t): M_jl the sum of w_x w_y B_xy over clusters j and l, t_j that of w_x B_xx, which is 0
# for all but sparse matrices.
dispersion_sums <- function(problem, cluster, k) {
  if (inherits(problem$store, "kgroups_sparse")) {
    return(sparse_dispersion_sums(problem, cluster, k))
  }
  list(M = .Call(ffi_dispersion, problem, as.integer(cluster), as.numeric(k)), t = numeric(k))
}

# Effective dimension of the clusters in the feature space.
dimension_of <- function(problem, k, cluster) .Call(ffi_dimension, problem, as.numeric(k), as.integer(cluster))

# S (or, with `original`, the statistic of the first paper) of several columns of labels, from the
# values centred by `centre`.
permuted_sums <- function(problem, centre, labels, k, original) {
  .Call(ffi_permute, problem, centre, labels, as.numeric(k), original)
}

# Which is the least, the next one, and so on: what are equal but for rounding stay in the order they are in.
least_first <- function(values) {
  by_size <- order(values)
  by_size[order(cumsum(c(0, diff(values[by_size])) > 1e-10 * max(abs(values))), by_size)]
}
