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
    select_k(karate(), criterion = "elbow")
    select_k(karate(), 2:3, weights = rep(1:2, 39), criterion = "description_length")
    select_k(Matrix::Matrix(c(0, 1, 0, 0), 2, sparse = TRUE), criterion = "description_length")
    select_k(Matrix::Matrix(c(0, -1, -1, 0), 2, sparse = TRUE), criterion = "description_length")
  })
})

# A block model whose expected degrees have a Pareto tail, with 4,000 edges.
with_hubs <- function(block, tail, inside) {
  n <- length(block)
  theta <- pmin((1 - stats::runif(n))^(-1 / tail), sqrt(n))
  pair <- which(upper.tri(diag(n)), arr.ind = TRUE)
  same <- block[pair[, 1]] == block[pair[, 2]]
  rate <- theta[pair[, 1]] * theta[pair[, 2]] * ifelse(same, inside, 1)
  edges <- pair[stats::runif(nrow(pair)) < pmin(rate * 4000 / sum(rate), 1), ]
  as_simple_adjacency(igraph::make_graph(t(edges), n = n, directed = FALSE))
}

test_that("communities of a graph with hubs, harder to cut than random graphs of its degrees, are no neighbourhoods", {
  set.seed(640004)
  block <- rep(1:4, each = 250)
  expect_false(is_local(with_hubs(block, 1.5, 6), block))
})

test_that("blocks of uneven sizes with hubs are no neighbourhoods, also if the best partition joins some of them", {
  found <- vapply(9201:9206, function(seed) {
    set.seed(seed)
    simple <- linked_graph(with_hubs(rep(1:4, c(450, 300, 150, 100)), 2, 9))
    is_local(simple, best_planted(leiden_partitions(leiden_of(simple)))$labels)
  }, NA)
  expect_false(any(found))
})

test_that("of partitions within half a standard error of the best score, the fewest communities are chosen", {
  set.seed(1)
  block <- rep(1:6, each = 30)
  fewer <- 0
  for (near in seq(0.06, 0.1, 0.005)) {
    P <- diag(0.28, 6) + 0.02
    P[1, 2] <- P[2, 1] <- near
    simple <- linked_graph(as_simple_adjacency(igraph::sample_sbm(180, P, rep(30, 6))))
    # the blocks, two of them merged, and a partition of no sense that has the largest gain
    labels <- list(block, pmax(block - 1L, 1L), rep(1:2, 90))
    partitions <- lapply(labels, function(one) list(labels = one, k = max(one), gain = -max(one)))
    value <- vapply(labels, function(one) {
      ratio <- partition_ratio(simple, one)
      modularity <- adjacency_modularity(simple, one)
      c(modularity * sqrt(1 - ratio[["mean"]]), modularity * sqrt(1 - max(ratio[["mean"]] - ratio[["se"]] / 2, 0)))
    }, c(0, 0))
    best <- which.max(value[1L, ])
    # within the difference that half a standard error of the best makes
    close <- which(value[1L, best] - value[1L, ] <= value[2L, best] - value[1L, best])
    chosen <- most_separated(simple, partitions)$at
    expect_identical(chosen, close[which.min(vapply(labels[close], max, 0L))])
    fewer <- fewer + (chosen != best)
  }
  expect_gt(fewer, 0)
})

test_that("a mean of ratios is at most 1", {
  # communities of a random graph are cut no easier than divided; sums of their weights exceed 1 by rounding
  set.seed(2)
  for (k in 2:12) {
    simple <- linked_graph(as_simple_adjacency(igraph::sample_gnm(120, 500)))
    ratio <- partition_ratio(simple, renumbered(sample.int(k, simple$n, TRUE)))
    expect_lte(ratio[["mean"]], 1)
    expect_gte(ratio[["se"]], 0)
  }
})

test_that("the sparsest cut of a community is that of all its sweeps, and of its own edges", {
  # two cliques joined by an edge, and a clique apart
  clique <- igraph::make_full_graph(6)
  graph <- igraph::add_edges(igraph::disjoint_union(clique, clique, clique), c(1, 7, 2, 13))
  simple <- linked_graph(as_simple_adjacency(graph))
  found <- inner_conductance(simple$adjacency, rep(1:2, c(12, 6)))
  # one edge of 31 on the smaller side of the joined cliques; in a clique, a vertex of 5 edges or the halves of 15
  expect_equal(found, c(1 / 31, 9 / 15))
  # the unit of weights does not matter
  simple$adjacency@x <- simple$adjacency@x * 1e-6
  expect_equal(inner_conductance(simple$adjacency, rep(1:2, c(12, 6))), found)
})

test_that("a filtered walk is the Chebyshev polynomial of its matrix, for any number of threads", {
  set.seed(3)
  A <- as_simple_adjacency(igraph::sample_gnm(700, 3000))$adjacency
  weights <- A
  weights@x <- stats::runif(length(A@x))
  for (B in list(A, (weights + Matrix::t(weights)) / 2)) {
    degree <- Matrix::colSums(B)
    walk <- list(start = B@p, row = B@i, value = B@x, diagonal = 1 / pmax(degree, 1e-12))
    y <- matrix(stats::rnorm(1400), 2)
    found <- .Call(ffi_walk, walk, y, 0.8, 5)
    step <- function(v) (v + as.matrix(B %*% v) / pmax(degree, 1e-12)) / 0.8 - v
    all <- list(t(y), step(t(y)))
    for (power in 3:6) all[[power]] <- 2 * step(all[[power - 1L]]) - all[[power - 2L]]
    expect_equal(t(found), all[[6L]])
    .Call(ffi_choose_threads, 2)
    again <- .Call(ffi_walk, walk, y, 0.8, 5)
    .Call(ffi_choose_threads, 1)
    expect_identical(again, found)
  }
})
