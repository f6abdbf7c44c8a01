# Connected by definition.
is_linked <- function(graph, labels) {
  all(vapply(
    split(seq_along(labels), labels), function(rows) igraph::is_connected(igraph::induced_subgraph(graph, rows)), NA
  ))
}

random_graph <- function(n, edges) {
  graph <- igraph::sample_gnm(n, edges)
  part <- igraph::components(graph)
  if (part$no == 1) {
    return(graph)
  }
  first <- match(seq_len(part$no), part$membership)
  igraph::add_edges(graph, rbind(first[-1], first[1]))
}

# A small problem under constraints of some kinds: arguments, and which of `all` partitions satisfy them.
constrained_problem <- function(kinds, all, n, k) {
  good <- rep(TRUE, nrow(all))
  w <- if ("sums" %in% kinds) sample(1:4, n, TRUE) else rep(1, n)
  out <- list()
  if (any(c("counts", "sums") %in% kinds)) {
    out$sizes <- if ("sums" %in% kinds) sum(w) / k * c(0.75, 1.3) else c(sample(n %/% k, 1), sample(ceiling(n / k):n, 1))
    sizes <- vapply(seq_len(k), function(l) (all == l) %*% w, numeric(nrow(all)))
    good <- rowSums(sizes < out$sizes[1] - 1e-9 | sizes > out$sizes[2] + 1e-9) == 0
  }
  if ("sums" %in% kinds) out$weights <- w
  if ("apart" %in% kinds) {
    out$apart <- t(combn(n, 2))[sample(n * (n - 1) / 2, sample(2:6, 1)), , drop = FALSE]
    for (i in seq_len(nrow(out$apart))) good <- good & all[, out$apart[i, 1]] != all[, out$apart[i, 2]]
  }
  graph <- random_graph(n, n + 2)
  if ("contiguous" %in% kinds) {
    out$contiguous <- graph
    good <- good & apply(all, 1, is_linked, graph = graph)
  }
  if ("together" %in% kinds) {
    pair <- igraph::as_edgelist(graph)[1, ]
    out$together <- rbind(pair)
    good <- good & all[, pair[1]] == all[, pair[2]]
  }
  list(arguments = out, good = good & apply(all, 1, function(z) length(unique(z)) == k), w = w)
}

test_that("W is the least under pairs of constraints, by brute force", {
  set.seed(1)
  kinds <- list(
    "sums", "contiguous", c("counts", "apart"), c("counts", "together"), c("sums", "apart"), c("sums", "together"),
    c("apart", "together"), c("contiguous", "counts"), c("contiguous", "sums"), c("contiguous", "apart"),
    c("contiguous", "together")
  )
  found <- vapply(rep(kinds, repeats(2, 10)), function(one) {
    n <- sample(6:repeats(7, 9), 1)
    k <- sample(2:3, 1)
    all <- partition_rows(n, k)
    P <- as.matrix(dist(matrix(rnorm(2 * n), n)))
    problem <- constrained_problem(one, all, n, k)
    fit <- tryCatch(do.call(kgroups, c(list(as.dist(P), k), problem$arguments)), kg_error_input = function(e) NULL)
    expect_identical(is.null(fit), !any(problem$good))
    if (is.null(fit)) {
      return(TRUE)
    }
    expect_true(any(colSums(t(all[problem$good, , drop = FALSE]) != unname(fit$cluster)) == 0))
    fit$W <= min(W_of_rows(P, all[problem$good, , drop = FALSE], problem$w)) * (1 + 1e-8)
  }, NA)
  expect_gte(mean(found), 0.95)
})

test_that("clusters are connected in random graphs, with weights and limits", {
  set.seed(2)
  for (i in seq_len(repeats(6, 200))) {
    n <- sample(30:60, 1)
    k <- sample(2:5, 1)
    graph <- random_graph(n, 2 * n)
    w <- if (i %% 2) rexp(n) + 0.2 else rep(1, n)
    limits <- if (i %% 3 == 0) c(0.4, 1.8) * sum(w) / k
    if (!is.null(limits) && i %% 2 == 0) limits <- round(limits)
    fit <- kgroups(matrix(rnorm(2 * n), n), k, contiguous = graph, weights = w, sizes = limits)
    expect_true(is_linked(graph, fit$cluster))
    if (!is.null(limits)) expect_true(all(within_limits(rowsum(w, fit$cluster), limits + c(-1, 1) * 1e-6)))
  }
})

test_that("an order gives the exact segmentation, all forms of a graph the same fit", {
  set.seed(3)
  same <- vapply(1:10, function(i) {
    x <- cumsum(rnorm(40)) + rnorm(40)
    isTRUE(all.equal(kgroups(x, 4, contiguous = "order")$W, kgroups_changes(x, 4, least = 1)$W))
  }, NA)
  expect_gte(mean(same), 0.9)
  graph <- igraph::make_lattice(c(6, 8))
  x <- matrix(rnorm(96), 48)
  near <- lapply(igraph::as_adj_list(graph), as.integer)
  fits <- lapply(
    list(
      graph, igraph::as_adjacency_matrix(graph), as.matrix(igraph::as_adjacency_matrix(graph)), near,
      structure(near, class = "nb")
    ),
    function(value) {
      set.seed(4)
      kgroups(x, 4, contiguous = value)$cluster
    }
  )
  for (fit in fits) expect_identical(fit, fits[[1]])
  tree <- kgroups_tree(x, contiguous = graph)
  for (k in 2:8) expect_true(is_linked(graph, predict(tree, k)))
  for (k in 2:5) expect_equal(tree$W[k], energy_statistics(x, predict(tree, k))$W)
  expect_lte(kgroups(x, 4, contiguous = graph)$W, tree$W[4])
})

test_that("a sample keeps a graph connected", {
  set.seed(5)
  for (i in 1:10) {
    n <- 40
    graph <- random_graph(n, 60)
    rows <- sort(sample(n, 15))
    edges <- restrict_contiguous(read_edges(graph, n, NULL, NULL), rows, n)
    expect_identical(max(component_numbers(edges, 15)), 1L)
  }
  fit <- kgroups(matrix(rnorm(80), 40), 3, contiguous = graph)
  expect_length(stability(fit, B = 2)$clusters$jaccard, 3)
})

test_that("graphs of the wrong size, of many parts, and unlinked groups are errors", {
  x <- matrix(rnorm(20), 10)
  parts <- igraph::make_graph(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), directed = FALSE)
  error <- expect_error(kgroups(x, 3, contiguous = parts), class = "kg_error_contiguous")
  expect_identical(error$components, rep(1:5, each = 2))
  expect_length(unique(kgroups(x, 5, contiguous = parts)$cluster), 5)
  expect_error(kgroups(x, 3, contiguous = igraph::make_ring(9)), class = "kg_error_contiguous")
  expect_error(kgroups(x, 3, contiguous = "row"), class = "kg_error_contiguous")
  expect_error(kgroups(x, 3, contiguous = rep(list(99), 10)), class = "kg_error_contiguous")
  expect_error(kgroups(x, 3, contiguous = "order", together = cbind(1, 9)), class = "kg_error_contiguous")
  expect_error(kgroups(x, 2, sizes = c(3, 8), weights = c(20, rep(1, 9))), class = "kg_error_sizes")
})

test_that("a plot marks the borders of contiguous clusters", {
  grid <- igraph::make_lattice(c(6, 7))
  cells <- as.matrix(expand.grid(column = 1:6, row = 1:7))
  fit <- kgroups(cells, 3, contiguous = grid)
  lines <- border_layer(fit, data.frame(x = cells[, 1], y = cells[, 2], group = fit$cluster), 1:42)
  edges <- igraph::as_edgelist(grid)
  expect_equal(nrow(lines$data), sum(fit$cluster[edges[, 1]] != fit$cluster[edges[, 2]]))
  expect_true(all(abs(lines$data$x - lines$data$xend) + abs(lines$data$y - lines$data$yend) == 1))
  expect_null(border_layer(kgroups(cells, 3), data.frame(x = 1, y = 1, group = 1), 1:42))
  expect_no_error(plot(fit))
})

test_that("a time limit ends each search soon, and can be caught", {
  skip_on_cran()
  x <- matrix(rnorm(12000), 6000)
  grid <- igraph::make_lattice(c(60, 100))
  pairs <- matrix(sample(6000, 4000), ncol = 2)
  calls <- list(
    function() kgroups(x, 20, contiguous = grid, sizes = c(250, 350)),
    function() kgroups(x, 6, apart = pairs, sizes = "equal"),
    function() kgroups(x, 4, sizes = "equal", init = "random", nstart = 20)
  )
  for (call in calls) {
    took <- system.time(caught <- tryCatch({
      setTimeLimit(elapsed = 0.5, transient = TRUE)
      call()
    }, error = function(e) "caught"))[["elapsed"]]
    setTimeLimit()
    expect_identical(caught, "caught")
    expect_lt(took, 5)
  }
})
