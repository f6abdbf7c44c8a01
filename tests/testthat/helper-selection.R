# Slow references for the criteria, from their definitions.

reference_silhouette <- function(P, cluster, w = rep(1, nrow(P))) {
  width <- vapply(seq_len(nrow(P)), function(i) {
    own <- setdiff(which(cluster == cluster[i]), i)
    if (length(own) == 0) {
      return(0)
    }
    a <- sum(w[own] * P[i, own]) / sum(w[own])
    b <- min(vapply(setdiff(unique(cluster), cluster[i]), function(l) {
      other <- which(cluster == l)
      sum(w[other] * P[i, other]) / sum(w[other])
    }, 0))
    (b - a) / max(a, b)
  }, 0)
  sum(w * width) / sum(w)
}

# Eigenvalues of I - D^-1 A itself, not of a symmetric form of it.
reference_eigengap <- function(P, k, bounded, w = rep(1, nrow(P))) {
  A <- if (bounded) 1 - P / 2 else exp(-P / median(P[lower.tri(P)]))
  M <- t(t(A) * w)
  L <- diag(nrow(P)) - M / rowSums(M)
  lambda <- sort(Re(eigen(L, only.values = TRUE)$values))
  lambda[k + 1] - lambda[k]
}

# Labels of all points from the clusters of some: nearest mean, the members keep theirs.
reference_extend <- function(P, rows, labels, k) {
  out <- vapply(seq_len(nrow(P)), function(i) {
    d2 <- vapply(seq_len(k), function(l) {
      A <- rows[labels == l]
      mean(P[i, A]) - sum(P[A, A]) / (2 * length(A)^2)
    }, 0)
    which.min(d2)
  }, 1L)
  out[rows] <- labels
  out
}

three_groups <- function(n = 20, apart = 5, columns = 2) {
  x <- matrix(rnorm(3 * n * columns), ncol = columns)
  x[, 1] <- x[, 1] + rep(c(0, apart, 2 * apart), each = n)
  x
}
