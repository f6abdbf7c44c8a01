# The best that any method can do on a graph of the stochastic block model: belief propagation
# with the true parameters, started from the planted groups. Plain R, nothing of the package.
#
# `a`, `b`: n times the edge probabilities inside and across groups; `share`: sizes of the
# groups as shares. Returns the most probable group of every vertex.
belief_limit <- function(graph, block, a, b, share = NULL, sweeps = 100) {
  n <- igraph::vcount(graph)
  k <- max(block)
  b <- max(b, 1e-6)
  prior <- if (is.null(share)) rep(0, k) else log(share)
  ends <- igraph::as_edgelist(graph, names = FALSE)
  from <- c(ends[, 1], ends[, 2]) # message e goes from[e] -> to[e]
  to <- c(ends[, 2], ends[, 1])
  m <- nrow(ends)
  back <- c(m + seq_len(m), seq_len(m))
  P <- matrix(0.2 / k, n, k)
  P[cbind(seq_len(n), block)] <- P[cbind(seq_len(n), block)] + 0.8
  M <- P[from, , drop = FALSE]
  softmax <- function(L) {
    L <- exp(L - L[cbind(seq_len(nrow(L)), max.col(L, ties.method = "first"))])
    L / rowSums(L)
  }
  for (sweep in seq_len(sweeps)) {
    field <- prior - (a - b) / n * colSums(P)
    term <- log(b + (a - b) * M)
    L <- matrix(field, n, k, byrow = TRUE)
    sums <- rowsum(term, to)
    at <- as.integer(rownames(sums))
    L[at, ] <- L[at, , drop = FALSE] + sums
    new <- softmax(L)
    M <- softmax(L[from, , drop = FALSE] - term[back, , drop = FALSE])
    change <- mean(abs(new - P))
    P <- new
    if (change < 1e-4) break
  }
  max.col(P, ties.method = "first")
}
