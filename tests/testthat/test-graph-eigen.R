# Eigenvectors by filtered blocks of vectors, against Lanczos iterations and eigen().

test_that("filtered blocks find the eigenvectors that Lanczos iterations find", {
  set.seed(1)
  graphs <- list(sample_sparse_sbm(3500, 5, 8, 2), sample_sparse_sbm(3500, 20, 12, 2.2))
  weighted <- graphs[[1]]
  igraph::E(weighted)$weight <- runif(igraph::ecount(weighted), 0.5, 1.5)
  for (graph in c(graphs, list(weighted))) {
    k <- max(igraph::V(graph)$block)
    simple <- as_simple_adjacency(graph)
    parts <- bethe_parts(simple)
    rows <- which(simple$component == 1)
    found <- component_eigen(parts, rows, k)
    expect_true(found$sure)
    expect_length(found$block, 16 * ceiling((k + 4) / 16) * length(rows))
    with_replaced("is_wide", function(...) FALSE, exact <- component_eigen(parts, rows, k))
    scale <- 2 * max(parts$diagonal)
    expect_lt(max(abs(found$values - exact$values)), 1e-4 * scale)
    expect_equal(crossprod(found$vectors), diag(k), tolerance = 1e-4)
    # the same space: all cosines of its angles near 1
    expect_gt(min(svd(crossprod(found$vectors, exact$vectors))$d), 0.999)
  }
})

test_that("labels of filtered blocks are as good as those of Lanczos iterations", {
  set.seed(2)
  for (i in 1:3) {
    graph <- sample_sparse_sbm(3400, 4, 4, 1.6)
    truth <- igraph::V(graph)$block
    found <- compare_clusters(truth, cluster_bethe_hessian(graph, 4))
    with_replaced("is_wide", function(...) FALSE, {
      expect_equal(found, compare_clusters(truth, cluster_bethe_hessian(graph, 4)), tolerance = 0.02)
    })
  }
})

test_that("the same answer for any number of threads, and going on from a block is quicker", {
  set.seed(3)
  simple <- as_simple_adjacency(sample_sparse_sbm(3500, 6, 8, 2))
  parts <- bethe_parts(simple)
  rows <- which(simple$component == 1)
  one <- wide_solve(parts, rows, 6)
  .Call(ffi_choose_threads, 2)
  on.exit(.Call(ffi_choose_threads, 1))
  expect_identical(wide_solve(parts, rows, 6), one)
  again <- wide_solve(parts, rows, 6, block = one$block)
  expect_identical(again$cycles, 1L)
  expect_equal(again$values[1:6], one$values[1:6], tolerance = 1e-4)
})

test_that("a component is cut out of the graph as it is", {
  set.seed(4)
  star <- igraph::make_star(7, mode = "undirected")
  graph <- igraph::disjoint_union(igraph::make_ring(5), igraph::sample_gnp(40, 0.2), star)
  for (weighted in c(FALSE, TRUE)) {
    if (weighted) igraph::E(graph)$weight <- runif(igraph::ecount(graph), 0.5, 1.5)
    simple <- suppressMessages(as_simple_adjacency(graph))
    parts <- suppressMessages(bethe_parts(simple))
    for (at in unique(simple$component)) {
      rows <- component_rows(component_table(simple, parts), at)
      expect_false(is.unsorted(rows))
      cut <- pattern_on(parts, rows)
      off <- off_matrix(parts)[rows, rows, drop = FALSE]
      expect_identical(as.integer(cut$start), off@p)
      expect_identical(as.integer(cut$row), off@i)
      expect_equal(rep_len(cut$value, length(off@x)), off@x)
    }
  }
})

test_that("vectors that do not converge are left out and said", {
  set.seed(5)
  simple <- as_simple_adjacency(sample_sparse_sbm(3500, 6, 8, 2))
  parts <- bethe_parts(simple)
  rows <- which(simple$component == 1)
  found <- wide_eigen(parts, rows, 40, cycles = 1)
  expect_false(found$sure)
  expect_lt(length(found$values), 40)
  expect_identical(ncol(found$vectors), length(found$values))
})
