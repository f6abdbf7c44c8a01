# Means: k-means++ starts; weighted k-means on explicit features, the last step of spectral starts, of graph
# embeddings and of landmark features; and searches by means of coordinates, where these tell W.

plusplus_labels <- function(problem, k, nstart, candidates = 1) {
  plusplus(problem, k, candidates, stats::runif(k * candidates * nstart))
}

# Greedy k-means++ tries several candidates a centre.
greedy_candidates <- function(k) 2 + floor(log(k))

# Uniforms for trials, which use them over and over.
trial_uniforms <- function() stats::runif(4096)

# Weighted k-means on features.
# `features`: n x m matrix. `starts`: n x nstart integer labels, or NULL for greedy
# k-means++ starts drawn here. Returns a list: cluster, means (m x k), W, objectives,
# iterations, best, converged.
feature_kmeans <- function(features, k, weights = NULL, nstart = 10, iter.max = 100,
                           starts = NULL, candidates = 1) {
  n <- nrow(features)
  if (is.null(weights)) weights <- rep(1, n)
  z <- t(features)
  storage.mode(z) <- "double"
  problem <- list(w = as.double(weights), store = new_features_store(z, n))
  if (is.null(starts)) starts <- plusplus(problem, k, candidates, stats::runif(k * candidates * nstart))
  out <- descend(problem, k, starts, new_control(iter.max = iter.max))
  out$W <- sum(out$cost)
  out
}

# list(x, alpha): the semimetric is the distance between rows of x to the power alpha; 0: another function of it that
# rises. NULL if there are no coordinates, or it does not rise.
coordinates_of <- function(problem) {
  store <- problem$store
  if (!inherits(store, "kgroups_points")) {
    return(NULL)
  }
  alpha <- switch(semimetric_families[store$rho[1L] + 1],
    power = store$rho[2L],
    exponential = 0,
    gaussian = 0
  )
  if (!is.null(alpha)) list(x = store$x, alpha = alpha)
}

# Where rho is a power alpha of the distance, not below the first, W is near what the spread of clusters tells:
# a cluster of weight s whose squared distances from the mean add up to v costs about s (v/s)^(alpha/2). Swaps cost
# a small part there of what trials on pair values do. The coordinates are copied, a look at
# all points is one piece between two polls, and single precision is what it sees of weights.
like_means <- function(problem, k, alpha = 1) {
  at <- coordinates_of(problem)
  !is.null(at) && length(at$x) <= 2e7 && length(at$x) * k <= 2e9 && at$alpha >= alpha &&
    max(problem$w) <= 1e6 * min(problem$w[problem$w > 0])
}

# Where rho is another function of the distance that rises, the spread tells less, but what is close in one is close in
# the other: it proposes partitions, from which trials on pair values go on.
means_propose <- function(problem, k) like_means(problem, k, 0)

# So few that the spread of a cluster, which does not see its shape, says little of its W; of squared distances it says all.
few_dimensions <- function(problem) {
  at <- coordinates_of(problem)
  ncol(at$x) <= 5L && at$alpha < 2
}

# Are they the same?
is_means <- function(problem, k) like_means(problem, k, 2)

# The points of weight above 0 as features, centred, with what the compiled searches are told: `rows`, `power`, a
# look at all points in products, and the least spread that single precision sees.
as_means <- function(problem, k) {
  rows <- inside_rows(problem)
  at <- coordinates_of(problem)
  x <- if (length(rows) < problem$n) at$x[rows, , drop = FALSE] else at$x
  z <- t(x) - colMeans(x)
  z <- z / max(z, -min(z), .Machine$double.xmin)
  some <- list(n = length(rows), w = problem$w[rows], store = new_features_store(z, length(rows)))
  list(
    some = some, rows = rows, power = if (at$alpha < 1) 0.5 else min(at$alpha / 2, 1), look = length(rows) * k * min(ncol(x) + 4, 64),
    least = 1e-5 * sum(some$w * colSums(z^2))
  )
}

# Partitions by swaps of means, from greedy k-means++ starts or given ones: swaps end where so many a cluster, a
# hundred at least, have failed in a row, or where they have cost as much as `sweeps` looks at all points,
# fewer in many dimensions. With more than 10 clusters a swap is tried on those around it, and
# costs little. A list: labels, W (by spread). Points of weight 0 are placed by the descent that follows. NULL where
# clusters are so small beside what lies between them that single precision does not see into them.
swapped_means <- function(problem, k, nstart, sweeps, starts = NULL, means = as_means(problem, k),
                          patience = max(100, (if (k > 10L) 40 else 20) * k)) {
  starts <- if (is.null(starts)) {
    plusplus_labels(means$some, k, nstart, greedy_candidates(k))
  } else {
    starts[means$rows, , drop = FALSE]
  }
  labels <- matrix(1L, problem$n, nstart)
  W <- numeric(nstart)
  for (start in seq_len(nstart)) {
    found <- swap_means(means$some, k, starts[, start], patience, sweeps * means$look, trial_uniforms(), means$power)
    if (!isTRUE(found$spread >= means$least)) { # NaN: coordinates that are not finite, which pair values speak of
      return(NULL)
    }
    labels[means$rows, start] <- found$cluster
    W[start] <- found$W
  }
  list(labels = labels, W = W)
}

# Labels of some rows, a column each, extended to all by the nearest mean, and points moved until none does better by
# spread. NULL as above.
extended_means <- function(problem, k, rows, labels) {
  means <- as_means(problem, k)
  at <- match(rows, means$rows)
  starts <- matrix(1L, problem$n, ncol(labels))
  starts[means$rows, ] <- vapply(seq_len(ncol(labels)), function(column) extend(means$some, k, at, labels[, column]), means$rows)
  found <- swapped_means(problem, k, ncol(labels), 0, starts, means, patience = 0)
  found$labels
}

# The best that crossovers make of some partitions by k-means++ and swaps of means, and of those in `starts` beside
# them. They cost `sweeps` looks in all, a twentieth of it the swaps of each; they end before where 100 crossovers in a
# row have failed, 150 in few dimensions. Crossovers bring the best of several searches together: short ones and
# crossovers end nearer to the least W than one long search. But what differs here and there at once, as a mean too
# many in one place and one too few in another, only swaps mend. There are 10 for up to 70 clusters, for more clusters
# fewer, as so many do not come together in the time. Pairs within clusters tell which of two partitions is the better
# one, as what is left to gain in the end is no more than what spreads are wrong by. A list: labels, one column.
crossed_means <- function(problem, k, sweeps, starts = NULL, means = as_means(problem, k)) {
  few <- few_dimensions(problem)
  many <- round(min(10, max(4, 700 / k)))
  drawn <- matrix(1L, problem$n, many)
  drawn[means$rows, ] <- plusplus_labels(means$some, k, many)
  starts <- cbind(drawn, starts, deparse.level = 0)
  each <- sweeps / 20
  found <- swapped_means(problem, k, ncol(starts), each, starts, means, patience = 8 * k)
  if (is.null(found)) {
    return(NULL)
  }
  list(labels = cross_labels(problem, k, found$labels, means, sweeps - ncol(starts) * each, if (few) 150 else 100))
}

# The best that crossovers make of some partitions, one column, at the cost of so many looks.
cross_labels <- function(problem, k, labels, means, sweeps, patience = 100) {
  best <- cross_means(
    means$some, k, labels[means$rows, , drop = FALSE], patience, sweeps * means$look, trial_uniforms(), means$power,
    pairs = means$power < 1
  )
  matrix(replace(rep(1L, problem$n), means$rows, best$cluster))
}
