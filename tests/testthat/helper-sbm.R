# Draws a sparse graph with planted communities; used by tests, tools and bench.

# The symmetric stochastic block model with k equal groups (the first ones a vertex larger if k does not
# divide n), mean degree d and lambda = (a - b) / (k sqrt(d)): probabilities a / n inside and b / n across.
sample_sparse_sbm <- function(n, k, degree, snr) {
  inside <- (degree + (k - 1) * snr * sqrt(degree)) / n
  outside <- if (k == 1) inside else (degree - snr * sqrt(degree)) / n
  # snr = sqrt(degree) leaves outside = 0 up to rounding
  probability <- matrix(max(outside, 0), k, k)
  diag(probability) <- max(inside, 0)
  sizes <- rep(n %/% k, k) + (seq_len(k) <= n %% k)
  graph <- igraph::sample_sbm(n, probability, sizes)
  igraph::set_vertex_attr(graph, "block", value = rep(seq_len(k), sizes))
}
