# From the eigenvectors of the Bethe Hessian to labels.

# The smallest sum of squares a row of eigenvectors must have to take part: rows of
# components that hold none of the eigenvectors are 0 up to rounding.
row_floor <- 1e-12

# list(rows, features): the vertices that take part and their coordinates.
embedding_rows <- function(vectors, normalize) {
  norm <- rowSums(vectors^2)
  rows <- which(norm >= row_floor)
  features <- vectors[rows, , drop = FALSE]
  if (normalize) features <- features / sqrt(norm[rows])
  list(rows = rows, features = features)
}

# k-means of the embedding; labels of the vertices that take part. Many vertices: the
# starts compete on a sample, the best means are polished on all.
embedding_labels <- function(features, k, nstart = 20, sample_size = 20000) {
  n <- nrow(features)
  k <- min(k, n)
  if (k < 2L || ncol(features) == 0L) {
    return(rep(1L, n))
  }
  if (n <= 2 * sample_size) {
    return(feature_kmeans(features, k, nstart = nstart)$cluster)
  }
  part <- features[sample.int(n, sample_size), , drop = FALSE]
  means <- feature_kmeans(part, k, nstart = nstart)$means
  feature_kmeans(
    features, k,
    starts = matrix(nearest_mean(features, t(means)), ncol = 1L), iter.max = 20
  )$cluster
}

# means: k x m
nearest_mean <- function(features, means) {
  score <- tcrossprod(features, means) - rep(rowSums(means^2) / 2, each = nrow(features))
  max.col(score, ties.method = "first")
}
