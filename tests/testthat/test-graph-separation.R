# The number of groups of a graph.

test_that("the number of groups by description length is the smallest of the models, for graphs and matrices alike", {
  set.seed(1)
  graph <- sample_sparse_sbm(200, 3, 10, 2.4)
  set.seed(2)
  chosen <- select_k(graph, 1:4)
  expect_identical(chosen$k, 3L)
  expect_identical(chosen$criterion, "description_length")
  expect_gt(compare_clusters(igraph::V(graph)$block, chosen$cluster), 0.8)
  expect_identical(chosen$k, chosen$table$k[which.min(chosen$table$description_length)])
  # the same numbers as of one model run after the other
  one <- cluster_belief_propagation(graph, 3)
  expect_equal(chosen$table$description_length[3], attr(one, "description_length"), tolerance = 1e-6)
  expect_identical(chosen$table$model[3], attr(one, "model"))
  adjacency <- igraph::as_adjacency_matrix(graph)
  for (form in list(Matrix::forceSymmetric(adjacency), adjacency)[seq_len(repeats(1, 2))]) {
    set.seed(2)
    expect_equal(select_k(form, 1:4, criterion = "description_length")$table, chosen$table)
  }
  expect_true(all(c(1L, 3L) %in% select_k(graph)$table$k))
  expect_output(print(chosen), "the smallest among k = 1 to 4")
  pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_error(plot(chosen))
})

test_that("where no block model describes a graph, separation chooses the number", {
  set.seed(21)
  neighbours <- function(x) {
    near <- t(apply(as.matrix(stats::dist(x)), 1, order))[, 2:9]
    igraph::simplify(igraph::make_graph(rbind(rep(seq_len(nrow(x)), 8), c(near)), n = nrow(x), directed = FALSE))
  }
  one <- neighbours(matrix(stats::rnorm(900), 150))
  chosen <- select_k(one)
  expect_identical(chosen$k, 1L)
  expect_identical(chosen$k, length(cluster_communities(one)))
  expect_output(print(chosen), "k = 1 by separation, because no block model describes the graph")
  block <- rep(1:3, each = 150)
  graph <- igraph::add_vertices(neighbours(3 * diag(6)[block, ] * 2 + matrix(stats::rnorm(2700), 450)), 2)
  chosen <- select_k(graph, 1:4)
  expect_identical(chosen$k, 3L)
  expect_identical(chosen$table$model, c(NA, NA, "separation", NA))
  expect_equal(compare_clusters(chosen$cluster[1:450], cluster_communities(graph)$membership[1:450]), 1)
  expect_gt(compare_clusters(block, chosen$cluster[1:450]), 0.9)
  expect_false(anyNA(chosen$cluster))
  # of other numbers block models choose
  expect_true(select_k(graph, 1:2)$table$model[2L] %in% names(belief_models))
})

test_that("a graph without groups is one group", {
  set.seed(3)
  expect_identical(select_k(igraph::sample_gnm(200, 500))$k, 1L)
})

test_that("edge weights are compared by stability, and the description length is refused", {
  set.seed(4)
  graph <- sample_sparse_sbm(80, 2, 10, 2.6)
  weights <- runif(igraph::ecount(graph), 0.5, 2)
  expect_identical(select_k(graph, 2:3, weights = weights, splits = 2)$criterion, "stability")
  expect_error(select_k(graph, 2:3, weights = weights, criterion = "description_length"), class = "kg_error_criterion")
})

test_that("wrong questions to select_k() are classed errors", {
  expect_snapshot(error = TRUE, {
    select_k(iris[1:4], criterion = "description_length")
    select_k(karate(), criterion = "gap")
    select_k(karate(), 2:3, weights = rep(1:2, 39), criterion = "description_length")
    select_k(Matrix::Matrix(c(0, 1, 0, 0), 2, sparse = TRUE), criterion = "description_length")
    select_k(Matrix::Matrix(c(0, -1, -1, 0), 2, sparse = TRUE), criterion = "description_length")
  })
})

test_that("communities of a graph with hubs, harder to cut than random graphs of its degrees, are no neighbourhoods", {
  set.seed(640004)
  n <- 1000
  block <- rep(1:4, each = 250)
  theta <- pmin((1 - stats::runif(n))^(-1 / 1.5), sqrt(n))
  pair <- which(upper.tri(diag(n)), arr.ind = TRUE)
  same <- block[pair[, 1]] == block[pair[, 2]]
  rate <- theta[pair[, 1]] * theta[pair[, 2]] * ifelse(same, 6, 1)
  edges <- pair[stats::runif(nrow(pair)) < pmin(rate * 4000 / sum(rate), 1), ]
  simple <- as_simple_adjacency(igraph::make_graph(t(edges), n = n, directed = FALSE))
  expect_false(is_local(simple, block))
})
