test_that("blocks, edges and probabilities are as planned", {
  set.seed(1)
  graph <- sample_sparse_sbm(2000, 4, 10, 1.5)
  block <- igraph::V(graph)$block
  expect_identical(block, rep(1:4, each = 500))
  ends <- igraph::as_edgelist(graph)
  inside <- sum(block[ends[, 1]] == block[ends[, 2]])
  a <- 10 + 3 * 1.5 * sqrt(10)
  b <- 10 - 1.5 * sqrt(10)
  expect_equal((a + 3 * b) / 4, 10)
  expect_equal((a - b) / (4 * sqrt(10)), 1.5)
  pairs <- 4 * choose(500, 2)
  expect_lt(abs(inside - pairs * a / 2000), 5 * sqrt(pairs * a / 2000))
  across <- choose(2000, 2) - pairs
  outside <- nrow(ends) - inside
  expect_lt(abs(outside - across * b / 2000), 5 * sqrt(across * b / 2000))
  expect_false(igraph::is_directed(graph))
  expect_true(igraph::is_simple(graph))
})

test_that("sizes that k does not divide, one group, and the ends of the range", {
  expect_identical(tabulate(igraph::V(sample_sparse_sbm(11, 3, 2, 1))$block), c(4L, 4L, 3L))
  expect_identical(igraph::V(sample_sparse_sbm(5, 1, 2, 0))$block, rep(1L, 5))
  graph <- sample_sparse_sbm(60, 3, 3, sqrt(3))
  block <- igraph::V(graph)$block
  ends <- igraph::as_edgelist(graph)
  expect_true(all(block[ends[, 1]] == block[ends[, 2]]))
  graph <- sample_sparse_sbm(60, 3, 3, -sqrt(3) / 2)
  ends <- igraph::as_edgelist(graph)
  expect_true(all(block[ends[, 1]] != block[ends[, 2]]))
})

test_that("one seed, one graph", {
  set.seed(3)
  one <- igraph::as_edgelist(sample_sparse_sbm(200, 2, 3, 1.2))
  set.seed(3)
  expect_identical(igraph::as_edgelist(sample_sparse_sbm(200, 2, 3, 1.2)), one)
})

test_that("what cannot be sampled is a classed error", {
  expect_snapshot(error = TRUE, {
    sample_sparse_sbm(1000, 2, 3, 1.8)
    sample_sparse_sbm(1000, 5, 3, -1)
    sample_sparse_sbm(20, 10, 10, 2)
    sample_sparse_sbm(10, 2, 30, 0)
    sample_sparse_sbm(0, 2, 3, 1)
    sample_sparse_sbm(10, 11, 3, 1)
    sample_sparse_sbm(10, 2, -3, 1)
    sample_sparse_sbm(10, 2, 3, NA)
  })
  expect_error(sample_sparse_sbm(1000, 2, 3, 1.8), class = "kg_error_snr")
  expect_error(sample_sparse_sbm(10.5, 2, 3, 1), class = "kg_error_n")
  expect_error(sample_sparse_sbm(10, 0, 3, 1), class = "kg_error_k")
  expect_error(sample_sparse_sbm(10, 2, 0, 1), class = "kg_error_degree")
})
