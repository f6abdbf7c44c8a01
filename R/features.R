# Weighted k-means on explicit features: the last step of spectral starts, of graph
# embeddings and of landmark features.

# `features`: n x m matrix. `starts`: n x nstart integer labels, or NULL for greedy
# k-means++ starts drawn here. Returns a list: cluster, means (m x k), W, objectives,
# iterations, best, converged.
feature_kmeans <- function(features, k, weights = NULL, nstart = 10, iter.max = 100,
                           starts = NULL, candidates = 1) {
  n <- nrow(features)
  if (is.null(weights)) weights <- rep(1, n)
  uniforms <- if (is.null(starts)) stats::runif(k * candidates * nstart)
  z <- t(features)
  storage.mode(z) <- "double"
  .Call(
    ffi_features, z, as.double(weights), as.double(k), starts,
    as.double(candidates), uniforms, as.double(iter.max)
  )
}
