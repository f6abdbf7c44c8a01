# Counts of eigenvalues by elimination and by subspace iteration, against eigen().

eliminated <- function(parts, most = elimination_most) {
  scale <- max(abs(parts$diagonal) + off_sums(parts))
  elimination_count(parts, seq_along(parts$diagonal), scale, most)
}

test_that("elimination counts what a dense eigen-decomposition counts", {
  set.seed(1)
  compared <- 0
  for (i in 1:60) {
    n <- sample(2:150, 1)
    graph <- if (i %% 3) igraph::sample_gnm(n, sample.int(min(4 * n, n * (n - 1) / 2), 1)) else {
      igraph::sample_pa(n, m = 1 + i %% 2, directed = FALSE)
    }
    if (i %% 2 == 0) igraph::E(graph)$weight <- runif(igraph::ecount(graph), 0.2, 1.5)
    parts <- suppressMessages(bethe_parts(as_simple_adjacency(graph)))
    values <- eigen(as.matrix(bethe_matrix(parts)), symmetric = TRUE, only.values = TRUE)$values
    found <- eliminated(parts)
    if (is.null(found) || min(abs(values)) < 1e-6) next
    compared <- compared + 1
    expect_identical(found$count, sum(values < 0))
    expect_true(found$sure)
  }
  expect_gt(compared, 40)
})

test_that("grids have more negative eigenvalues than blocks hold, and are eliminated", {
  simple <- as_simple_adjacency(igraph::make_lattice(c(45, 30)))
  parts <- bethe_parts(simple)
  values <- eigen(as.matrix(bethe_matrix(parts)), symmetric = TRUE, only.values = TRUE)$values
  expect_gt(sum(values < 0), 2 * first_block)
  expect_identical(eliminated(parts)$count, sum(values < 0))
  with_replaced("dense_eigenvalues", function(...) stop("not needed"), {
    expect_identical(count_negative(simple, parts)$count, sum(values < 0))
  })
})

test_that("an eigenvalue of 0 is in doubt, and wide graphs are not eliminated", {
  # K_n has the eigenvalue (r - 1)(r + 2 - n)
  found <- eliminated(bethe_parts(as_simple_adjacency(igraph::make_full_graph(400)), 398))
  expect_true(is.null(found) || !found$sure)
  set.seed(3)
  graph <- igraph::sample_gnm(400, 4000)
  parts <- bethe_parts(as_simple_adjacency(graph))
  expect_null(eliminated(parts, 1e6))
  # levels of a ring have two vertices, those of a grid from its corner at most the shorter side
  width <- function(graph) level_width(as_simple_adjacency(graph)$adjacency, Inf)
  expect_identical(width(igraph::make_ring(50)), 2L)
  expect_identical(width(igraph::make_lattice(c(12, 5))), 5L)
})

test_that("many components are counted one by one", {
  set.seed(5)
  pieces <- replicate(60, igraph::sample_gnp(60, 0.12), simplify = FALSE)
  graph <- igraph::disjoint_union(c(pieces, list(sample_sparse_sbm(1100, 5, 4, 1.9))))
  simple <- as_simple_adjacency(graph)
  parts <- bethe_parts(simple)
  whole <- bethe_matrix(parts)
  below <- vapply(split(seq_len(simple$n), simple$component), function(rows) {
    sum(eigen(as.matrix(whole[rows, rows]), symmetric = TRUE, only.values = TRUE)$values < 0)
  }, 0L)
  expect_identical(count_negative(simple, parts)$count, sum(below))
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
  smallest <- function(k = 2, block = NULL, tolerance = c(0.01, 0.1), cycles = 5, graph = g) {
    .Call(ffi_chebyshev, graph, k, block, tolerance, cycles, FALSE)
  }
  with_field <- function(...) smallest(graph = utils::modifyList(g, list(...)))
  expect_error(with_field(value = replace(g$value, 3, NaN)), "finite")
  expect_error(with_field(diagonal = replace(g$diagonal, 3, Inf)), "finite")
  expect_error(with_field(value = g$value[-1]), "length")
  expect_error(with_field(row = replace(g$row, 1, 20L)), "range")
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
