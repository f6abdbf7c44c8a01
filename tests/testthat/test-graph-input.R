# Forms of a graph, and the graphs of the tests.

test_that("an adjacency matrix is a graph to every graph function", {
  set.seed(31)
  graph <- sample_sparse_sbm(150, 3, 10, 2.4)
  igraph::V(graph)$name <- paste0("v", 1:150)
  weighted <- igraph::set_edge_attr(graph, "weight", value = sample(1:3, igraph::ecount(graph), TRUE))
  functions <- list(
    bethe_hessian, count_communities, cluster_bethe_hessian, cluster_kgroups, cluster_belief_propagation,
    cluster_communities
  )
  answer <- function(f, x) {
    set.seed(32)
    out <- suppressMessages(f(x))
    if (inherits(out, "communities")) igraph::membership(out) else out
  }
  for (one in list(weighted, graph)[seq_len(repeats(1, 2))]) {
    form <- igraph::as_adjacency_matrix(one, attr = if (identical(one, weighted)) "weight")
    for (f in functions) {
      expect_equal(answer(f, form), answer(f, one))
      expect_equal(answer(f, Matrix::forceSymmetric(form)), answer(f, one))
    }
  }
  for (f in functions) {
    expect_error(f(Matrix::triu(form)), class = "kg_error_graph")
    expect_error(f(-form), class = "kg_error_graph")
    expect_error(f(as.matrix(form)), class = "kg_error_graph")
    expect_error(f(), class = "kg_error_graph")
  }
})

test_that("the error for an object that is no graph has code that makes one of it", {
  ends <- data.frame(from = c("a", "a", "b", "d", "d", "e", "c"), to = c("b", "c", "c", "e", "f", "f", "d"))
  A <- as.matrix(igraph::as_adjacency_matrix(igraph::graph_from_data_frame(ends, directed = FALSE)))
  objects <- list(
    ends, A, A > 0, as.matrix(ends), list(2:3, c(1, 3), c(1, 2, 4), c(3, 5, 6), c(4, 6), 4:5)
  )
  for (x in objects) {
    found <- tryCatch(cluster_kgroups(x, 2), kg_error = conditionMessage)
    use <- gsub("\\s+", " ", sub("(?s).*use `(igraph[^`]*)`.*", "\\1", found, perl = TRUE))
    graph <- eval(str2lang(use), list(x = x))
    sizes <- suppressMessages(kgroups(graph, 2))$sizes
    expect_identical(as.vector(sizes), c(3L, 3L), info = use)
  }
  expect_error(cluster_kgroups(dist(1:5), 2), "kgroups(x, k)", fixed = TRUE)
  expect_error(cluster_kgroups(matrix(1, 5, 3), 2), "square")
  # the name of an edge attribute in place of its values
  graph <- igraph::set_edge_attr(igraph::make_ring(6), "strength", value = 1:6)
  expect_error(cluster_kgroups(graph, 2, weights = "strength"), "edge_attr(graph, \"strength\")", fixed = TRUE)
})
