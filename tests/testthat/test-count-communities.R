# Counts of eigenvalues by elimination and by subspace iteration, against eigen().

below <- function(parts, shift, ...) {
  eigenvalues_below(component_columns(parts, seq_along(parts$diagonal)), shift, ...)$count
}

inertia_of <- function(parts, scale, budget = inertia_budget) {
  inertia_count(component_columns(parts, seq_along(parts$diagonal)), scale, budget)
}

dense_below <- function(parts, shift) {
  values <- eigen(as.matrix(bethe_matrix(parts)), symmetric = TRUE, only.values = TRUE)$values
  # eigen() itself cannot determine a sign nearer to the shift than this
  if (min(abs(values - shift)) < 1e-9) NA else sum(values < shift)
}

test_that("elimination counts what a dense eigen-decomposition counts", {
  set.seed(1)
  compared <- 0
  for (i in 1:60) {
    n <- sample(2:150, 1)
    graph <- if (i %% 3) igraph::sample_gnm(n, sample.int(min(4 * n, n * (n - 1) / 2), 1)) else {
      igraph::sample_pa(n, m = 1 + i %% 2, directed = FALSE)
    }
    if (i %% 4 == 0) graph <- igraph::disjoint_union(graph, igraph::make_full_graph(5), graph)
    if (i %% 2 == 0) igraph::E(graph)$weight <- runif(igraph::ecount(graph), 0.2, 1.5)
    parts <- suppressMessages(bethe_parts(as_simple_adjacency(graph)))
    for (shift in c(0, runif(2, -4, 8))) {
      exact <- dense_below(parts, shift)
      if (is.na(exact)) next
      compared <- compared + 1
      expect_identical(below(parts, shift), exact)
    }
  }
  expect_gt(compared, 120)
})

test_that("odd graphs are counted, hubs among them", {
  for (graph in odd_graphs()) {
    parts <- bethe_parts(as_simple_adjacency(graph), 1.9)
    expect_identical(below(parts, 0.01), dense_below(parts, 0.01))
  }
  set.seed(2)
  # two vertices with half of the others as neighbours
  edges <- rbind(cbind(1, sample(3:700, 350)), cbind(2, sample(3:700, 350)), c(1, 2), cbind(3:699, 4:700))
  parts <- bethe_parts(as_simple_adjacency(igraph::graph_from_edgelist(edges, directed = FALSE)))
  for (shift in c(0, 1.3, 4)) {
    expect_identical(below(parts, shift), dense_below(parts, shift))
  }
})

test_that("an eigenvalue of 0 is in doubt, and the budget ends", {
  # K_n has the eigenvalue (r - 1)(r + 2 - n)
  parts <- bethe_parts(as_simple_adjacency(igraph::make_full_graph(1200)), 1198)
  found <- inertia_of(parts, 2 * max(parts$diagonal))
  expect_false(found$sure)
  expect_identical(found$above, 0)
  set.seed(3)
  graph <- igraph::sample_gnm(4000, 40000)
  parts <- bethe_parts(as_simple_adjacency(graph))
  expect_true(is.na(below(parts, 0, 1000)))
  expect_null(inertia_of(parts, 100, 1000))
})

test_that("margins are the eigenvalues next to 0", {
  set.seed(4)
  parts <- bethe_parts(as_simple_adjacency(sample_sparse_sbm(300, 4, 4, 1.8)))
  values <- eigen(as.matrix(bethe_matrix(parts)), symmetric = TRUE, only.values = TRUE)$values
  found <- inertia_of(parts, 100)
  expect_identical(found$count, sum(values < 0))
  expect_equal(found$below, max(values[values < 0]), tolerance = 1e-3)
  expect_equal(found$above, min(values[values > 0]), tolerance = 1e-3)
})

test_that("a graph of many components is one elimination, the same count as one by one", {
  set.seed(5)
  pieces <- replicate(60, igraph::sample_gnp(60, 0.12), simplify = FALSE)
  graph <- igraph::disjoint_union(c(pieces, list(sample_sparse_sbm(1100, 5, 4, 1.9))))
  simple <- as_simple_adjacency(graph)
  parts <- bethe_parts(simple)
  with_replaced("component_count", function(...) stop("not needed"), {
    count <- count_negative(simple, parts)
  })
  with_replaced("inertia_count", function(...) NULL, {
    expect_identical(count_negative(simple, parts)$count, count$count)
  })
  whole <- bethe_matrix(parts)
  below <- vapply(split(seq_len(simple$n), simple$component), function(rows) {
    sum(eigen(as.matrix(whole[rows, rows]), symmetric = TRUE, only.values = TRUE)$values < 0)
  }, 0L)
  expect_identical(count$count, sum(below))
})

test_that("blocks count as elimination does, also more than one block holds", {
  set.seed(6)
  graph <- sample_sparse_sbm(4000, 4, 6, 2.2)
  parts <- bethe_parts(as_simple_adjacency(graph))
  rows <- which(as_simple_adjacency(graph)$component == 1)
  found <- chebyshev_count(parts, rows)
  expect_identical(found$count, 4L)
  expect_true(found$sure)
  many <- igraph::sample_islands(30, 130, 0.1, 3)
  simple <- as_simple_adjacency(many)
  expect_identical(max(simple$component), 1L)
  parts <- bethe_parts(simple)
  expect_identical(chebyshev_count(parts, seq_len(simple$n))$count, 30L)
})

test_that("wrong arguments of the routines are R errors", {
  g <- entry_ring()
  counted <- function(start, row, value, diagonal, ...) {
    .Call(ffi_inertia, list(start = start, row = row, value = value, diagonal = diagonal), ...)
  }
  expect_error(counted(g$start, g$row, replace(g$value, 3, NaN), g$diagonal, 0, 1e6, 0), "finite")
  expect_error(counted(g$start, g$row, g$value, replace(g$diagonal, 3, Inf), 0, 1e6, 0), "finite")
  expect_error(counted(g$start, g$row, g$value[-1], g$diagonal, 0, 1e6, 0), "length")
  expect_error(counted(g$start, g$row, g$value, g$diagonal, NaN, 1e6, 0), "shift")
  expect_error(counted(g$start, replace(g$row, 1, 20L), g$value, g$diagonal, 0, 1e6, 0), "range")
  smallest <- function(k = 2, block = NULL, tolerance = c(0.01, 0.1), cycles = 5) {
    .Call(ffi_chebyshev, g, k, block, tolerance, cycles, FALSE)
  }
  expect_error(smallest(k = 0), "k must")
  expect_error(smallest(k = 15), "too large")
  expect_error(smallest(block = 1:3), "block")
  expect_error(smallest(tolerance = c(NaN, 1)), "finite")
  expect_error(smallest(cycles = 0), "cycles")
  # a block that is no block: not numbers, or all the same
  odd <- smallest(block = rep(c(2143289344L, 0L), 160))
  expect_false(odd$converged)
  expect_false(smallest(block = integer(320))$converged)
})
