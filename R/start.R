# Starts of the local search.

# ---- starts by name ----

# One row a start: a function of the problem, k and the number of starts, which returns n x nstart labels.
known_starts <- list(
  "kmeans++" = function(...) plusplus_labels(...),
  random = function(...) random_labels(...),
  sample = function(...) sample_labels(...),
  spectral = function(...) spectral_labels(...)
)

# n x nstart matrix of labels for a control.
start_labels <- function(problem, control, nstart) {
  init <- control$init
  if (is.numeric(init)) {
    more <- if (nstart > 1) random_labels(problem, control$k, nstart - 1)
    return(cbind(init, more, deparse.level = 0))
  }
  known_starts[[init]](problem, control$k, nstart)
}

# Names of the starts in `objectives`.
start_kinds <- function(init, nstart) {
  if (is.numeric(init)) c("labels", rep("random", nstart - 1)) else rep(init, nstart)
}

# `init` named: exactly `nstart` starts, one local search each.
solve_named <- function(problem, control) {
  nstart <- control$nstart %||% 1
  problem <- cache_pairs(problem, passes = nstart + if (identical(control$init, "spectral")) 50 else 1)
  starts <- start_labels(problem, control, nstart)
  solve_starts(problem, control, starts, start_kinds(control$init, nstart))
}

# ---- draws ----

# The extension of n rows from m costs n m evaluations, and the moves that are left n times about n / sqrt(m).
sample_size <- function(n, k) max(500, 20 * k, ceiling(n^(2 / 3)))

# The best of three k-means++ fits on some rows, extended to all.
sample_labels <- function(problem, k, nstart) {
  inside <- inside_rows(problem)
  size <- sample_size(problem$n, k)
  vapply(seq_len(nstart), function(start) {
    rows <- draw_rows(inside, size)
    part <- cache_pairs(subset_problem(problem, rows), passes = 6)
    fit <- solve_split(part, new_control(k), plusplus_labels(part, k, 3, greedy_candidates(k)), move_effort(k))
    extend(problem, k, rows, fit$cluster)
  }, integer(problem$n))
}

# Every point a cluster at random; k points are dealt first, so none is empty.
random_labels <- function(problem, k, nstart) {
  inside <- inside_rows(problem)
  vapply(seq_len(nstart), function(start) {
    labels <- sample.int(k, problem$n, replace = TRUE)
    labels[inside[sample.int(length(inside), k)]] <- seq_len(k)
    labels
  }, integer(problem$n))
}

# SPEC of the relaxation, Eq. (29): rows of the top eigenvectors, scaled to unit length,
# then weighted k-means: the best of ten for the first start, one k-means each after it.
spectral_labels <- function(problem, k, nstart) {
  if (k == 1L) {
    return(matrix(1L, problem$n, nstart))
  }
  # hundreds of clusters are found in fewer dimensions, and the 4 n m^2 operations of the solver cannot be interrupted
  embedding <- spectral_embedding(problem, min(k - 1, 300, max(1, floor(sqrt(2.5e8 / problem$n)))))
  vapply(seq_len(nstart), function(start) {
    fit <- feature_kmeans(embedding, k, problem$w, nstart = if (start == 1L) 10 else 1)
    fill_clusters(fit$cluster, problem$w, k)
  }, integer(problem$n))
}

# Fill empty clusters: each gets the point that costs most, from a cluster that has another one. Points of weight 0 keep
# their labels.
fill_empty <- function(problem, labels, k) {
  labels <- as.integer(labels)
  filled <- descend(problem, k, matrix(labels), new_control(iter.max = 0), fill = TRUE)$cluster
  inside <- problem$w > 0
  replace(labels, inside, filled[inside])
}

# Top m eigenvectors of diag(sqrt w)(I - 1w'/s) B (I - w1'/s) diag(sqrt w), rows of unit
# length; rows with norm^2 < 1e-12 become 0. Matrix-free for points, with a bounded number of products.
spectral_embedding <- function(problem, m) {
  n <- problem$n
  root <- sqrt(problem$w)
  share <- problem$w / sum(problem$w)
  store <- problem$store
  multiply <- if (inherits(store, "kgroups_dense") && is.null(store$half)) {
    function(v) as.vector(store$values %*% v)
  } else {
    function(v) store_product(store, v)
  }
  product <- function(v, ...) {
    v <- root * v
    v <- multiply(v - share * sum(v))
    root * (v - sum(share * v))
  }
  vectors <- if (n <= 100L || m >= n - 1L) {
    H <- vapply(seq_len(n), function(i) product(as.numeric(seq_len(n) == i)), numeric(n))
    symmetric_eigen((H + t(H)) / 2)$vectors[, seq_len(m), drop = FALSE]
  } else {
    top_vectors(product, n, m)
  }
  norm2 <- rowSums(vectors^2)
  vectors <- vectors / sqrt(ifelse(norm2 < 1e-12, 1, norm2))
  vectors[norm2 < 1e-12, ] <- 0
  vectors
}
