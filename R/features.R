# Weighted k-means on explicit features: the last step of spectral starts, of graph
# embeddings and of landmark features.

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
