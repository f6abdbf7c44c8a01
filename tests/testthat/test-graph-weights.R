weights_alone <- function() {
  block <- rep(1:4, each = 50)
  graph <- igraph::sample_gnp(200, 0.1)
  ends <- igraph::as_edgelist(graph)
  same <- block[ends[, 1]] == block[ends[, 2]]
  graph <- igraph::set_edge_attr(graph, "weight", value = stats::rgamma(nrow(ends), 2) * (1 + 3 * same))
  igraph::set_vertex_attr(graph, "block", value = block)
}

test_that("the gain of edges and weights is that of its two likelihoods", {
  set.seed(71)
  graph <- igraph::sample_gnp(30, 0.3)
  weight <- stats::rlnorm(igraph::ecount(graph))
  simple <- as_simple_adjacency(graph, weight)
  labels <- rep(1:3, length.out = 30)
  ends <- igraph::as_edgelist(graph)
  m <- nrow(ends)
  same <- labels[ends[, 1]] == labels[ends[, 2]]
  degree <- igraph::degree(graph)
  # Poisson numbers of edges with rates within and between, against one rate
  expected <- sum(tapply(degree, labels, sum)^2) / (4 * m)
  edges <- sum(same) * log(sum(same) / expected) + sum(!same) * log(sum(!same) / (m - expected)) - log(m) / 2
  # normal logarithms of weights with two means, against one mean
  # less the effects of both ends
  incidence <- outer(1:30, ends[, 1], "==") + outer(1:30, ends[, 2], "==")
  y <- stats::residuals(stats::lm(log(weight) ~ t(incidence)))
  weights <- as.numeric(stats::logLik(stats::lm(y ~ same)) - stats::logLik(stats::lm(y ~ 1))) - log(m) / 2
  code <- log(factorial(30) / factorial(10)^3) + log(choose(29, 2)) + log(30)
  expect_equal(weighted_fit(log_weights(simple), labels)[1], edges + max(0, weights) - code, tolerance = 1e-3)
  expect_identical(weighted_fit(log_weights(simple), rep(1L, 30)), c(0, 1))
  # heavy edges within make it longer than random weights
  heavy <- as_simple_adjacency(graph, exp(4 * same + stats::rnorm(m)))
  expect_gt(weighted_fit(log_weights(heavy), labels)[1], weighted_fit(log_weights(simple), labels)[1])
})

test_that("the dispersion is about 1 for planted groups and above the limit for similarities of one cloud", {
  set.seed(72)
  planted <- weights_alone()
  simple <- as_simple_adjacency(planted, igraph::E(planted)$weight)
  dispersion <- weighted_fit(log_weights(simple), igraph::V(planted)$block)[2]
  expect_gt(dispersion, 0.75)
  expect_lt(dispersion, most_dispersion)
  x <- matrix(stats::rnorm(400), 200)
  near <- exp(-as.matrix(stats::dist(x))^2)
  near[near < 0.5] <- 0
  diag(near) <- 0
  cloud <- as_simple_adjacency(igraph::graph_from_adjacency_matrix(near, "undirected", weighted = TRUE))
  halves <- fit_weighted(log_weights(cloud), 1L + (x[, 1] > 0))
  expect_gt(weighted_fit(log_weights(cloud), halves)[2], most_dispersion)
})

test_that("groups in the weights alone are found, and random weights are one community", {
  set.seed(73)
  graph <- weights_alone()
  found <- cluster_communities(graph)
  expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.7)
  expect_identical(found$candidates$method[found$candidates$chosen], "edges and weights")
  expect_match(format(found), "block model of edges and weights, .* nats shorter", all = FALSE)
  expect_output(print(summary(found)), "edges and weights")
  # any unit of the weights, and the same answer for every seed
  scaled <- igraph::set_edge_attr(graph, "weight", value = igraph::E(graph)$weight * 1e4)
  expect_identical(cluster_communities(scaled)$membership, found$membership)
  # a given number is returned
  given <- lapply(2:6, function(k) cluster_communities(graph, k))
  expect_identical(lengths(given), 2:6)
  expect_gt(compare_clusters(igraph::V(graph)$block, given[[3]]), 0.7)
  random <- igraph::set_edge_attr(graph, "weight", value = sample(igraph::E(graph)$weight))
  expect_length(cluster_communities(random), 1)
})

test_that("a fit of weights drops communities that the graph does not have", {
  set.seed(74)
  graph <- weights_alone()
  known <- log_weights(as_simple_adjacency(graph, igraph::E(graph)$weight))
  split <- 2L * igraph::V(graph)$block - sample(0:1, 200, TRUE)
  fitted <- fit_weighted(known, split)
  expect_gt(weighted_fit(known, fitted)[1], weighted_fit(known, split)[1])
  expect_setequal(unique(fitted), seq_len(max(fitted)))
})
