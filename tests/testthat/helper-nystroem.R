# Landmark features from the definition: inner products phi(x).phi(y) = c(x)' A^+ c(y), with the
# values centred on the landmarks' mean and A^+ the pseudo-inverse of their own matrix. B is the
# full matrix -rho/2 or G, `rows` the landmarks.
reference_landmark_gram <- function(B, rows) {
  m <- length(rows)
  A <- B[rows, rows]
  C <- B[, rows]
  centre <- function(values) {
    t(t(values - rowMeans(values)) - (colMeans(A) - mean(A)))
  }
  e <- eigen((centre(A) + t(centre(A))) / 2, symmetric = TRUE)
  used <- e$values > 1e-10 * max(e$values)
  inverse <- e$vectors[, used, drop = FALSE] %*% (t(e$vectors[, used, drop = FALSE]) / e$values[used])
  C <- centre(C)
  C %*% inverse %*% t(C)
}

# |phi(x)|^2 in full, so that its excess over the diagonal above is what landmarks miss.
reference_self <- function(B, rows) {
  diag(B) - 2 * rowMeans(B[, rows]) + mean(B[rows, rows])
}

# Three clouds in the plane; well apart, so that every good method finds them.
three_clouds <- function(n = 60, shift = 6) {
  cbind(rnorm(n), rnorm(n)) + shift * cbind(rep(0:2, length.out = n) == 1, rep(0:2, length.out = n) == 2)
}
