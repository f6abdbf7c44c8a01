random_graph <- function(n, m) igraph::sample_gnm(n, m)

adjacency <- function(graph, attr = NULL) {
  as.matrix(igraph::as_adjacency_matrix(graph, attr = attr))
}

test_that("H_r is the definition, for every way to give r", {
  set.seed(1)
  graph <- random_graph(30, 60)
  A <- adjacency(graph)
  degree <- rowSums(A)
  choices <- list(
    list(NULL, sqrt(mean(degree))), list(2.5, 2.5), list(-1.5, -1.5), list(1, 1), list(0.3, 0.3)
  )
  for (choice in choices) {
    H <- bethe_hessian(graph, choice[[1]])
    expect_s4_class(H, "dsCMatrix")
    expect_equal(attr(H, "r"), choice[[2]])
    expect_equal(as.matrix(H), reference_bethe(A, choice[[2]]), ignore_attr = TRUE)
  }
})

test_that("edge weights enter as defined, and weights of 1 are no weights", {
  set.seed(2)
  graph <- random_graph(20, 50)
  plain <- bethe_hessian(graph)
  igraph::E(graph)$weight <- runif(50, 0.2, 1.6)
  A <- adjacency(graph, "weight")
  expect_equal(as.matrix(bethe_hessian(graph, r = 3)), reference_bethe(A, 3), ignore_attr = TRUE)
  H <- bethe_hessian(graph)
  expect_equal(attr(H, "r"), sqrt(mean(rowSums(A^2))))
  expect_equal(as.matrix(H), reference_bethe(A, attr(H, "r")), ignore_attr = TRUE)
  expect_equal(bethe_hessian(graph, weights = NA), plain)
  expect_equal(bethe_hessian(graph, weights = rep(1, 50)), plain)
  expect_equal(
    bethe_hessian(igraph::delete_edge_attr(graph, "weight"), weights = igraph::E(graph)$weight), H
  )
})

test_that("weights above r are divided by the attribute scale", {
  graph <- igraph::make_ring(6)
  igraph::E(graph)$weight <- c(1, 1, 1, 1, 1, 40)
  expect_silent(H <- bethe_hessian(graph))
  r <- attr(H, "r")
  A <- adjacency(graph, "weight")
  expect_equal(attr(H, "scale"), 1.05 * 40 / r)
  expect_equal(as.matrix(H), reference_bethe(A * r / (1.05 * 40), r), ignore_attr = TRUE)
  expect_equal(attr(bethe_hessian(graph, r = 2), "scale"), 1.05 * 40 / 2)
  expect_identical(attr(bethe_hessian(graph, r = 41), "scale"), 1)
  # weights so small that r is below 1
  igraph::E(graph)$weight <- rep(c(0.01, 0.02), 3)
  H <- bethe_hessian(graph)
  expect_gt(attr(H, "r"), 1)
  A <- adjacency(graph, "weight")
  expect_equal(as.matrix(H), reference_bethe(A / attr(H, "scale"), attr(H, "r")), ignore_attr = TRUE)
})

test_that("graphs that are not simple are made so, and the print of results reports it", {
  set.seed(1)
  edges <- rbind(c(1, 2), c(2, 1), c(2, 3), c(3, 3), c(1, 3), c(3, 4))
  simple <- igraph::graph_from_edgelist(rbind(c(1, 2), c(2, 3), c(1, 3), c(3, 4)), directed = FALSE)
  messy <- igraph::graph_from_edgelist(edges, directed = FALSE)
  directed <- igraph::graph_from_edgelist(edges)
  expect_silent(H <- bethe_hessian(messy, weights = NA))
  expect_equal(H, bethe_hessian(simple))
  expect_silent(H <- bethe_hessian(directed))
  expect_equal(H, bethe_hessian(simple))
  finders <- list(cluster_communities, cluster_bethe_hessian, cluster_kgroups, cluster_belief_propagation, kgroups)
  line <- function(find, graph) {
    grep("^Graph", utils::capture.output(print(suppressMessages(find(graph, 2)))), value = TRUE)
  }
  for (find in finders) {
    expect_match(line(find, messy), "[ ,]1 loop dropped, 1 parallel edge merged")
    expect_match(line(find, directed), "[ ,]directions dropped, 1 loop dropped, 1 parallel edge merged")
    expect_no_match(c("", line(find, simple)), "dropped|merged")
  }
  # parallel edges count by their number, those of opposite directions do not
  counts <- igraph::set_edge_attr(simple, "weight", value = c(2, 1, 1, 1))
  expect_equal(bethe_hessian(messy), bethe_hessian(counts))
  for (find in finders) {
    set.seed(1)
    of_messy <- suppressMessages(find(messy, 2))
    set.seed(1)
    of_counts <- suppressMessages(find(counts, 2))
    expect_equal(as.integer(partition_labels(of_messy)), as.integer(partition_labels(of_counts)))
  }
  igraph::E(messy)$weight <- c(0.5, 0.7, 1, 9, 1, 0)
  expect_match(line(cluster_bethe_hessian, messy), "1 parallel edge merged by sum")
  H <- bethe_hessian(messy, r = 3)
  A <- matrix(0, 4, 4)
  A[1, 2] <- 1.2
  A[2, 3] <- A[1, 3] <- 1
  expect_equal(as.matrix(H), reference_bethe(A + t(A), 3), ignore_attr = TRUE)
})

test_that("vertex names are kept", {
  graph <- igraph::make_ring(4)
  igraph::V(graph)$name <- letters[1:4]
  expect_identical(rownames(bethe_hessian(graph)), letters[1:4])
})

test_that("wrong graphs, weights and r are classed errors", {
  graph <- igraph::make_ring(4)
  expect_snapshot(error = TRUE, {
    bethe_hessian(matrix(1, 3, 3))
    bethe_hessian(igraph::make_empty_graph(0))
    bethe_hessian(graph, r = NA)
    bethe_hessian(graph, r = "large")
    bethe_hessian(graph, r = c(1, 2))
    bethe_hessian(graph, weights = c(1, 2, -1, 1))
    bethe_hessian(graph, weights = 1:3)
    bethe_hessian(graph, weights = c(1, NA, 1, 1))
    bethe_hessian(graph, weights = "a")
    bethe_hessian(graph, weights = c(.1, .2, .1, .1), r = 0.5)
    count_communities(NULL)
    count_communities(graph, extra = 1)
  })
  expect_error(bethe_hessian(1), class = "kg_error_graph")
  expect_error(bethe_hessian(graph, r = Inf), class = "kg_error_r")
  expect_error(count_communities(graph, weights = -(1:4)), class = "kg_error_weights")
})

test_that("the count is that of a dense eigen-decomposition", {
  set.seed(4)
  graphs <- c(
    lapply(1:12, function(i) random_graph(40, 30 + 10 * i)),
    list(sample_sparse_sbm(200, 4, 6, 2), karate(), sample_sparse_sbm(500, 8, 3, 1.5))
  )
  for (graph in graphs) {
    values <- eigen(as.matrix(bethe_hessian(graph)), symmetric = TRUE, only.values = TRUE)$values
    found <- count_communities(graph, details = TRUE)
    expect_identical(found$count, sum(values < 0))
    expect_identical(count_communities(graph), found$count)
    expect_true(found$sure)
    if (sum(values < 0)) expect_equal(found$below, max(values[values < 0]))
    expect_lte(abs(found$nearest), min(abs(values[values < 0])) + 1e-9)
  }
})

test_that("all ways to count agree with a dense eigen-decomposition", {
  set.seed(5)
  graph <- sample_sparse_sbm(1200, 14, 5, 1.9)
  simple <- as_simple_adjacency(graph)
  parts <- bethe_parts(simple)
  rows <- which(simple$component == 1)
  exact <- rev(eigen(dense_block(parts, rows), symmetric = TRUE, only.values = TRUE)$values)
  scale <- max(abs(parts$diagonal) + off_sums(parts))
  expect_gt(length(rows), count_dense_limit[1L])
  for (found in list(
    component_count(parts, rows, scale), chebyshev_count(parts, rows), elimination_count(parts, rows, scale)
  )) {
    expect_identical(found$count, sum(exact < 0))
    expect_true(found$sure)
  }
  found <- component_eigen(parts, rows, 6)
  expect_equal(found$values, exact[1:6], tolerance = 1e-7)
})

test_that("an eigenvalue of 0 is not counted in silence", {
  # K_n has the eigenvalue (r - 1)(r + 2 - n)
  expect_warning(count_communities(igraph::make_full_graph(5), r = 3), class = "kg_warning_count")
  expect_warning(
    found <- count_communities(igraph::make_full_graph(5), r = 3, details = TRUE), class = "kg_warning_count"
  )
  expect_false(found$sure)
  expect_lt(abs(found$nearest), 1e-10)
  expect_snapshot(count_communities(igraph::make_full_graph(5), r = 3, details = TRUE))
  found <- count_communities(igraph::make_full_graph(5), r = 2.999, details = TRUE)
  expect_equal(found$count, 1L)
  expect_equal(found$nearest, 1.999 * -0.001)
  expect_equal(as.integer(count_communities(igraph::make_full_graph(5), r = 3.001)), 0L)
})

test_that("a count is a plain integer, and its details are a row", {
  set.seed(1)
  graph <- sample_sparse_sbm(120, 3, 12, 2.5)
  count <- count_communities(graph)
  expect_identical(count, 3L)
  expect_null(attributes(count))
  expect_identical(sqrt(count), sqrt(3))
  expect_identical(data.frame(k = count)$k, 3L)
  expect_snapshot({
    count_communities(graph, details = TRUE)
    count_communities(igraph::make_full_graph(4), details = TRUE)
    count_communities(igraph::make_ring(5), details = TRUE)
  })
  expect_snapshot(error = TRUE, {
    count_communities(graph, details = 1)
    count_communities(1, details = TRUE)
  })
  expect_identical(count + 1L, 4L)
  expect_identical(max(count, 1L), 3L)
  expect_true(count == 3)
  expect_identical(kgroups(graph, count)$k, 3L)
})

test_that("components count one by one, however alike they are", {
  counts <- vapply(odd_graphs(), function(graph) as.integer(count_communities(graph)), 0L)
  expect_identical(
    counts,
    c(
      one = 0L, none = 0L, edge = 0L, star = 0L, clique = 1L, two_cliques = 2L,
      many_cliques = 30L, ring = 0L, forest = 0L, isolated = 1L, large_clique = 1L, large_star = 0L
    )
  )
})

test_that("eigenpairs of a graph in components are those of the whole matrix", {
  set.seed(7)
  for (i in 1:6) {
    graph <- igraph::sample_gnm(40, c(25, 40, 60)[1 + i %% 3])
    simple <- as_simple_adjacency(graph)
    parts <- bethe_parts(simple)
    H <- as.matrix(bethe_hessian(graph))
    for (k in c(1, 3, 8)) {
      spectrum <- bethe_spectrum(simple, parts, k, min_size = 0)
      values <- sort(eigen(H, symmetric = TRUE, only.values = TRUE)$values)[seq_len(k)]
      expect_equal(sort(spectrum$values), values)
      expect_equal(H %*% spectrum$vectors, t(t(spectrum$vectors) * spectrum$values), ignore_attr = TRUE)
      expect_equal(crossprod(spectrum$vectors), diag(k))
    }
  }
})

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
    expect_true(found$converged)
    expect_length(found$block, 16 * ceiling((k + 4) / 16) * length(rows))
    with_replaced("use_chebyshev", function(...) FALSE, exact <- component_eigen(parts, rows, k))
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
    with_replaced("use_chebyshev", function(...) FALSE, {
      expect_equal(found, compare_clusters(truth, cluster_bethe_hessian(graph, 4)), tolerance = 0.02)
    })
  }
})

test_that("the same answer for any number of threads, and going on from a block is quicker", {
  set.seed(3)
  simple <- as_simple_adjacency(sample_sparse_sbm(3500, 6, 8, 2))
  parts <- bethe_parts(simple)
  rows <- which(simple$component == 1)
  one <- chebyshev_solve(parts, rows, 6)
  .Call(ffi_choose_threads, 2)
  on.exit(.Call(ffi_choose_threads, 1))
  expect_identical(chebyshev_solve(parts, rows, 6), one)
  again <- chebyshev_solve(parts, rows, 6, block = one$block)
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
      cut <- component_columns(parts, rows)
      off <- off_matrix(parts)[rows, rows, drop = FALSE]
      expect_identical(as.integer(cut$start), off@p)
      expect_identical(as.integer(cut$row), off@i)
      expect_equal(rep_len(cut$value, length(off@x)), off@x)
    }
  }
})

test_that("vectors that do not converge are left out and reported", {
  set.seed(5)
  simple <- as_simple_adjacency(sample_sparse_sbm(3500, 6, 8, 2))
  parts <- bethe_parts(simple)
  rows <- which(simple$component == 1)
  found <- chebyshev_eigen(parts, rows, 40, cycles = 1)
  expect_false(found$converged)
  expect_lt(length(found$values), 40)
  expect_identical(ncol(found$vectors), length(found$values))
})

test_that("the smallest eigenvalues of a ring, which Lanczos iterations do not separate, are found", {
  simple <- as_simple_adjacency(igraph::make_ring(1500))
  parts <- bethe_parts(simple)
  exact <- sort(parts$r^2 + 1 - 2 * parts$r * cos(2 * pi * seq_len(1500) / 1500))
  found <- bethe_spectrum(simple, parts, 5)
  expect_true(found$converged)
  expect_lt(max(abs(found$values - exact[1:5])), 1e-3 * max(exact))
})

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
