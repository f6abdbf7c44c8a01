# W, S and total by sums that carry what they lose (Neumaier's form of Kahan's sum), and
# coordinates that are differences first: the reference for ill-conditioned input.

exact_sum <- function(x) {
  sum <- 0
  lost <- 0
  for (one in x) {
    next_sum <- sum + one
    lost <- lost + if (abs(sum) >= abs(one)) (sum - next_sum) + one else (one - next_sum) + sum
    sum <- next_sum
  }
  sum + lost
}

# W of labels in units of 2^exponent, so that scales of 1e150 stay in range: x is divided by it.
exact_W <- function(x, cluster, alpha = 1, w = rep(1, nrow(x))) {
  x <- as.matrix(x)
  e <- floor(log2(max(abs(x - rep(x[1L, ], each = nrow(x))), 2^-1000)))
  terms <- lapply(unique(cluster), function(l) {
    rows <- which(cluster == l)
    if (length(rows) < 2L) {
      return(0)
    }
    pairs <- utils::combn(rows, 2L)
    d <- vapply(seq_len(ncol(pairs)), function(p) {
      apart <- (x[pairs[1L, p], ] - x[pairs[2L, p], ]) * 2^-e
      sqrt(exact_sum(apart^2))
    }, 0)
    exact_sum(w[pairs[1L, ]] * w[pairs[2L, ]] * d^alpha) / exact_sum(w[rows])
  })
  exact_sum(unlist(terms)) * (2^alpha)^e
}
