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

test_that("vertices with names are the rows of these names, in every form of a graph", {
  set.seed(6)
  graph <- igraph::make_ring(12)
  x <- matrix(rnorm(24), 12, dimnames = list(letters[1:12], NULL))
  edges <- function(value, names) unclass(read_edges(value, 12, names, rlang::current_env()))
  pairs <- function(edges) paste(edges[, 1], edges[, 2])
  of_graph <- edges(graph, NULL)
  for (names in list(letters[1:12], as.character(1:12), as.character(41:30))) {
    turned <- sample(12)
    named <- igraph::permute(igraph::set_vertex_attr(graph, "name", value = names), turned)
    expect_identical(igraph::V(named)$name[turned], names)
    A <- igraph::as_adjacency_matrix(named)
    near <- lapply(igraph::as_adj_list(named), as.integer)
    rownames(x) <- names
    for (value in list(named, A, as.matrix(A), near)) {
      expect_setequal(pairs(edges(value, names)), pairs(of_graph))
      expect_true(is_linked(graph, kgroups(x, 4, contiguous = value)$cluster))
    }
    # rows without names are their numbers
    if (names[1L] == "1") expect_setequal(pairs(edges(named, NULL)), pairs(of_graph))
  }
  other <- igraph::set_vertex_attr(graph, "name", value = LETTERS[1:12])
  expect_error(kgroups(x, 4, contiguous = other), class = "kg_error_contiguous")
  expect_identical(edges(other, NULL), of_graph)
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
  set.seed(1)
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
  set.seed(1)
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

# The partitions that keep the rows of a group together and pairs apart, one a row.
partitions_with_links <- function(n, k, together, apart) {
  all <- partition_rows(n, k)
  good <- rep(TRUE, nrow(all))
  for (rows in split(seq_len(n), together)) good <- good & rowSums(all[, rows, drop = FALSE] != all[, rows[1]]) == 0
  for (i in seq_len(nrow(apart))) good <- good & all[, apart[i, 1]] != all[, apart[i, 2]]
  all[good, , drop = FALSE]
}

# A small random problem: dissimilarities, k, groups (NA: free) and pairs.
random_links <- function(i) {
  n <- sample(5:repeats(7, 9), 1)
  semimetric <- list(rho_power(1), rho_power(0.5), rho_power(2), rho_gaussian(1), rho_exponential(1))[[i %% 5 + 1]]
  together <- rep(NA_integer_, n)
  if (i %% 3 > 0) together[sample(n, sample(2:4, 1))] <- sample(1:2, 1)
  pairs <- t(combn(n, 2))
  apart <- pairs[sample(nrow(pairs), if (i %% 3 == 1) 0 else sample(1:6, 1)), , drop = FALSE]
  list(
    P = reference_rho(matrix(rnorm(2 * n), n), semimetric = semimetric), n = n, k = sample(2:3, 1),
    w = if (i %% 4 == 0) sample(1:3, n, TRUE) else rep(1, n), together = together, apart = apart
  )
}

test_that("W is the least that the constraints permit, by brute force", {
  set.seed(1)
  for (i in seq_len(repeats(25, 100))) {
    one <- random_links(i)
    all <- partitions_with_links(one$n, one$k, one$together, one$apart)
    call <- function() {
      kgroups(
        as.dist(one$P), one$k, weights = one$w, together = if (any(!is.na(one$together))) one$together,
        apart = if (nrow(one$apart)) one$apart
      )
    }
    if (nrow(all) == 0) {
      expect_error(call(), class = "kg_error_input")
      next
    }
    fit <- suppressMessages(call())
    expect_equal(fit$W, min(W_of_rows(one$P, all, one$w)), tolerance = 1e-8)
    expect_equal(fit$W, reference_statistics(one$P, fit$cluster, one$w)$W)
    expect_true(any(colSums(t(all) != match(fit$cluster, unique(fit$cluster))) == 0))
  }
})

test_that("groups that stay together are weighted observations at half their energy distance", {
  set.seed(2)
  x <- matrix(rnorm(120), 60) + 2 * rep(0:2, each = 20)
  group <- sample(12, 60, TRUE)
  fit <- kgroups(x, 3, together = group)
  between <- energy_distance(x, g = factor(group)) / 2
  units <- kgroups(as.dist(between), 3, weights = tabulate(group))
  within <- energy_statistics(x, group)$W
  expect_equal(fit$W, units$W + within)
  expect_equal(fit$W, energy_statistics(x, unname(fit$cluster))$W)
  expect_identical(nrow(unique(cbind(group, fit$cluster))), length(unique(group)))
  # the same as pairs, by names, and of all forms of input
  pairs <- do.call(rbind, lapply(split(1:60, group), function(rows) cbind(rows[-length(rows)], rows[-1])))
  rownames(x) <- paste0("r", 1:60)
  expect_equal(kgroups(x, 3, together = pairs)$W, fit$W)
  expect_equal(kgroups(x, 3, together = matrix(rownames(x)[pairs], ncol = 2))$W, fit$W)
  expect_equal(kgroups(dist(x), 3, together = factor(group))$W, fit$W)
  G <- as_gram(-as.matrix(dist(x)) / 2)
  expect_equal(suppressWarnings(kgroups(G, 3, together = group))$W, fit$W)
  expect_equal(suppressWarnings(kgroups(Matrix::Matrix(unclass(G), sparse = TRUE), 3, together = group))$W, fit$W)
  expect_equal(kgroups(x, 3, together = group, weights = rep(2, 60))$W, 2 * fit$W)
  expect_equal(kgroups(rbind(x, x), 3, together = c(group, group))$W, 2 * fit$W)
})

test_that("pairs apart are kept, no move and no exchange lowers W", {
  set.seed(3)
  x <- matrix(rnorm(60), 30)
  for (semimetric in list(rho_power(1), rho_gaussian(1))) {
    P <- reference_rho(x, semimetric = semimetric)
    pairs <- matrix(sample(30, 40, TRUE), ncol = 2)
    pairs <- pairs[pairs[, 1] != pairs[, 2], ]
    fit <- kgroups(x, 4, semimetric = semimetric, apart = pairs)
    labels <- unname(fit$cluster)
    expect_true(all(labels[pairs[, 1]] != labels[pairs[, 2]]))
    expect_equal(fit$W, reference_statistics(P, labels)$W)
    moved <- matrix(labels, 120, 30, byrow = TRUE)
    moved[cbind(1:120, rep(1:30, 4))] <- rep(1:4, each = 30)
    at <- seq_len(nrow(pairs))
    swapped <- matrix(labels, length(at), 30, byrow = TRUE)
    for (end in 1:2) swapped[cbind(at, pairs[, end])] <- labels[pairs[, 3 - end]]
    others <- rbind(moved, swapped)
    others <- others[rowSums(others[, pairs[, 1]] == others[, pairs[, 2]]) == 0, ]
    expect_gt(nrow(others), 40)
    expect_gte(min(W_of_rows(P, others)), fit$W * (1 - 1e-9))
  }
  # ids: rows of the same id in different clusters, also as a list of groups
  id <- rep(1:10, each = 3)
  listed <- list(apart = split(1:30, id)[1:4], together = list(c(1, 4, 7), c(30, 12)))
  fit <- do.call(kgroups, c(list(x, 4), listed))
  expect_true(all(lengths(lapply(listed$apart, function(rows) unique(fit$cluster[rows]))) == 3))
  expect_true(all(lengths(lapply(listed$together, function(rows) unique(fit$cluster[rows]))) == 1))
  # rows of weight 0 keep the constraints too
  w <- rep_len(c(1, 0, 2), 30)
  fit <- kgroups(x, 4, apart = id, together = cbind(c(1, 4), c(5, 9)), weights = w)
  expect_true(all(tapply(fit$cluster, id, function(labels) length(unique(labels))) == 3))
  expect_identical(fit$cluster[c(1, 4)], fit$cluster[c(5, 9)])
})

test_that("a large problem and a start of the user keep the pairs", {
  set.seed(4)
  x <- matrix(rnorm(4400), 2200) + 3 * rep(0:1, 1100)
  pairs <- matrix(sample(2200, 60), ncol = 2)
  fit <- kgroups(x, 2, apart = pairs, init = rep(1:2, 1100))
  expect_true(all(fit$cluster[pairs[, 1]] != fit$cluster[pairs[, 2]]))
  expect_identical(names(fit$objectives), "labels")
  expect_null(fit$constraints$W_free)
  expect_equal(fit$W, energy_statistics(x, unname(fit$cluster))$W)
})

test_that("stability(), select_k(), relabel() and predict() accept a fit with constraints", {
  set.seed(5)
  group <- rep(1:30, each = 5)
  pairs <- cbind(c(1, 60, 20), c(10, 110, 55))
  fit <- kgroups(iris[1:4], 3, together = group, apart = pairs)
  expect_s3_class(fit, c("kgroups_together_fit", "kgroups_apart_fit", "kgroups_fit"), exact = TRUE)
  expect_identical(predict(fit), fit$cluster)
  expect_length(predict(fit, iris[1:4]), 150)
  expect_gt(min(stability(fit, B = 3)$clusters$jaccard), 0.5)
  chosen <- select_k(iris[1:4], 1:3, together = group, apart = pairs, splits = 2)
  expect_identical(chosen$table$k, 2:3)
  expect_identical(nrow(unique(cbind(group, chosen$cluster))), 30L)
  expect_identical(relabel(fit, "size")$constraints, fit$constraints)
  learned <- kgroups(iris[1:4], 3, standardize = "within", together = group)
  expect_identical(nrow(unique(cbind(group, learned$cluster))), 30L)
  lloyd <- kernel_kmeans(iris[1:4], 3, together = group)
  expect_identical(nrow(unique(cbind(group, lloyd$cluster))), 30L)
  expect_snapshot(fit, transform = function(lines) sub("W = [^(]*[(]", "W (", lines))
})

test_that("a group of one row has no pair", {
  set.seed(1)
  x <- c(1, 2, 3, 10, 11, 12)
  with_one <- kgroups(x, 2, apart = c("a", "a", NA, NA, NA, "b"))
  expect_identical(with_one$cluster, kgroups(x, 2, apart = cbind(1, 2))$cluster)
  expect_identical(seeded(kgroups(x, 2, apart = c("a", NA, NA, NA, NA, "b")))$cluster, seeded(kgroups(x, 2))$cluster)
})

test_that("constraints that contradict each other are an error that names the rows", {
  x <- as.matrix(iris[1:4])
  expect_snapshot(error = TRUE, {
    kgroups(x, 3, together = rbind(c(1, 2), c(2, 3)), apart = rbind(c(3, 1)))
    kgroups(x, 2, apart = rbind(c(1, 2), c(2, 3), c(1, 3)))
    kgroups(x, 2, apart = cbind(c(1, 2, 3, 4, 5), c(2, 3, 4, 5, 1)))
    kgroups(x, 2, apart = rbind(c(1, 4), c(4, 7), c(2, 7)), together = rbind(c(1, 2)))
    kgroups(x, 3, apart = rep(1:30, each = 5))
    kgroups(x, 3, together = rep(1:2, 75))
    kgroups(x, 3, apart = cbind(1, 1))
    kgroups(x, 3, apart = cbind(1, 200))
    kgroups(x, 3, apart = cbind("a", "b"))
    kgroups(x, 3, apart = 1:3)
    kgroups(x, 3, together = list(1, 2:3))
    kgroups(x, 3, apart = cbind(1, 2), trim = 0.1)
    kernel_kmeans(x, 3, apart = cbind(1, 2))
    kgroups(x, 3, must_link = cbind(1, 2))
  })
})

test_that("a graph without large cliques that three colours do not suffice for is refused, a colourable one solved", {
  # the graph of Groetzsch: no triangle, four colours
  edges <- rbind(
    cbind(1:5, c(2:5, 1)), cbind(rep(6:10, each = 2), c(2, 5, 1, 3, 2, 4, 3, 5, 1, 4)), cbind(11, 6:10)
  )
  set.seed(6)
  x <- matrix(rnorm(22), 11)
  expect_error(kgroups(x, 3, apart = edges), class = "kg_error_constraints")
  fit <- kgroups(x, 4, apart = edges)
  expect_true(all(fit$cluster[edges[, 1]] != fit$cluster[edges[, 2]]))
  all <- partitions_with_links(8, 3, rep(NA, 8), edges[rowSums(edges > 8) == 0, ])
  part <- kgroups(x[1:8, ], 3, apart = edges[rowSums(edges > 8) == 0, ])
  P <- as.matrix(dist(x[1:8, ]))
  expect_equal(part$W, min(W_of_rows(P, all)))
})

test_that("logical values mark rows", {
  set.seed(5)
  x <- matrix(rnorm(60), 30)
  some <- seq_len(30) %in% c(4, 9, 20)
  expect_identical(kgroups(x, 3, together = some)$constraints$together, ifelse(some, 1L, NA))
  expect_identical(length(unique(kgroups(x, 3, apart = some)$cluster[some])), 3L)
})

test_that("no pair is broken by rows of weight 0, limits on sizes or groups, by brute force", {
  set.seed(7)
  for (i in seq_len(repeats(25, 150))) {
    n <- sample(5:repeats(6, 8), 1)
    k <- sample(2:3, 1)
    P <- as.matrix(dist(matrix(rnorm(2 * n), n)))
    w <- if (i %% 2) rpois(n, 1.2) else rep(1, n)
    if (sum(w > 0) < k) next
    apart <- t(combn(n, 2))[sample(n * (n - 1) / 2, sample(6, 1)), , drop = FALSE]
    together <- rep(NA_integer_, n)
    if (i %% 3 == 0) together[sample(n, 2)] <- 1L
    limits <- if (i %% 2 == 0) list(c(floor(n / k), ceiling(n / k)), c(2, n), c(1, ceiling(n / k)))[[sample(3, 1)]]
    all <- partitions_with_links(n, k, together, apart)
    good <- rep(TRUE, nrow(all))
    for (l in seq_len(k)) {
      good <- good & (all == l) %*% w > 0 & (is.null(limits) | within_limits(rowSums(all == l), limits %||% c(0, n)))
    }
    fit <- tryCatch(
      kgroups(
        as.dist(P), k, weights = if (i %% 2) w, apart = apart, sizes = limits,
        together = if (any(!is.na(together))) together
      ),
      kg_error_input = function(e) NULL
    )
    expect_identical(is.null(fit), !any(good))
    if (is.null(fit)) next
    labels <- unname(fit$cluster)
    expect_false(any(labels[apart[, 1]] == labels[apart[, 2]]))
    expect_true(is.null(limits) || all(within_limits(tabulate(labels, k), limits)))
    least <- min(W_of_rows(P, all[good, , drop = FALSE], w))
    expect_equal(fit$W, reference_statistics(P, labels, w)$W)
    # exchanges of many groups within limits may end above the least W
    expect_gte(fit$W, least * (1 - 1e-9))
    if (is.null(limits)) expect_equal(fit$W, least)
  }
  x <- c(0, 1, 9, 10, 5, 5)
  expect_error(kgroups(x, 2, weights = c(1, 1, 1, 1, 0, 0), apart = cbind(1:4, 5)), class = "kg_error_constraints")
})

test_that("teams of equal sizes keep rows apart and together", {
  set.seed(8)
  x <- matrix(rnorm(60), 30)
  free <- kgroups(x, 5, sizes = 6)
  team <- split(1:30, free$cluster)
  fit <- kgroups(
    x, 5, sizes = 6, apart = rbind(team[[1]][1:2], team[[2]][3:4]), together = rbind(c(team[[3]][1], team[[4]][1]))
  )
  expect_identical(fit$sizes, rep(6L, 5))
  expect_false(
    any(fit$cluster[team[[1]][1]] == fit$cluster[team[[1]][2]], fit$cluster[team[[2]][3]] == fit$cluster[team[[2]][4]])
  )
  expect_identical(fit$cluster[[team[[3]][1]]], fit$cluster[[team[[4]][1]]])
  expect_lt(fit$W, 1.2 * free$W)
  expect_equal(fit$W, energy_statistics(x, unname(fit$cluster))$W)
})

test_that("a unit takes the label of the largest weight in it, and one of weight 0 that of most of its rows", {
  problem <- list(w = c(1, 1, 3, 1, 0, 0, 0, 1))
  units <- list(group = c(1, 1, 1, 2, 3, 3, 3, 4), w = c(5, 1, 0, 1))
  expect_identical(majority_labels(c(1, 1, 2, 1, 3, 3, 1, 3), problem, units, 3), c(2L, 1L, 3L, 3L))
})

test_that("many units move as groups, without a matrix of pairs", {
  set.seed(9)
  y <- matrix(rnorm(4400), 2200) + 3 * rep(0:1, 1100)
  pairs <- rbind(c(1, 2), c(5, 20))
  fit <- kgroups(y, 2, together = pairs)
  expect_identical(unname(fit$cluster[pairs[, 1]]), unname(fit$cluster[pairs[, 2]]))
  expect_equal(fit$W, energy_statistics(y, unname(fit$cluster))$W)
  free <- kgroups(y, 2)
  expect_lte(fit$W, free$W * 1.01)
})

test_that("components of pairs are those of the graph", {
  set.seed(10)
  for (i in 1:20) {
    n <- sample(2:60, 1)
    pairs <- matrix(sample(n, 2 * sample(40, 1), TRUE), ncol = 2)
    reach <- diag(n) > 0
    reach[pairs] <- reach[pairs[, 2:1, drop = FALSE]] <- TRUE
    for (step in 1:6) reach <- reach %*% reach > 0
    expect_identical(component_numbers(pairs, n), match(apply(reach, 1, which.max), unique(apply(reach, 1, which.max))))
  }
})

# All partitions of n observations into k clusters of sizes within the limits, one a row.
partitions_within <- function(n, k, limits) {
  all <- as.matrix(expand.grid(rep(list(seq_len(k)), n - 1)))
  all <- cbind(1L, all)
  counts <- vapply(seq_len(k), function(l) rowSums(all == l), numeric(nrow(all)))
  all[rowSums(counts < limits[1] | counts > limits[2]) == 0, , drop = FALSE]
}

test_that("W is the least within the limits, by brute force", {
  set.seed(1)
  for (i in 1:12) {
    n <- sample(5:7, 1)
    k <- sample(2:3, 1)
    limits <- c(sample(n %/% k, 1), sample(ceiling(n / k):n, 1))
    P <- reference_rho(matrix(rnorm(2 * n), n), semimetric = rho_power(1))
    all <- partitions_within(n, k, limits)
    W <- apply(all, 1, function(labels) reference_statistics(P, labels)$W)
    fit <- kgroups(as.dist(P), k, sizes = limits)
    expect_true(all(fit$sizes >= limits[1] & fit$sizes <= limits[2]))
    expect_equal(fit$W, min(W), tolerance = 1e-9)
  }
})

test_that("no allowed move and no exchange lowers W", {
  set.seed(2)
  x <- matrix(rnorm(60), 30)
  for (semimetric in third(list(rho_power(1), rho_power(2), rho_gaussian(1)), 1)) {
    P <- reference_rho(x, semimetric = semimetric)
    for (limits in list(c(7, 8), c(5, 9))) {
      fit <- kgroups(x, 4, semimetric = semimetric, sizes = limits, nstart = 1)
      changed <- function(rows, labels) reference_statistics(P, replace(fit$cluster, rows, labels))$W
      least <- fit$W * (1 - 1e-9)
      for (i in 1:30) {
        own <- fit$cluster[[i]]
        into <- if (fit$sizes[own] > limits[1]) setdiff(which(fit$sizes < limits[2]), own)
        for (l in into) expect_gte(changed(i, l), least)
        for (j in which(fit$cluster != own & seq_len(30) < i)) expect_gte(changed(c(i, j), fit$cluster[c(j, i)]), least)
      }
    }
  }
})

test_that("all forms of one input give the same fit, and limits without effect the plain one", {
  x <- as.matrix(iris[1:4])
  set.seed(3)
  W <- kgroups(x, 3, sizes = "equal")$W
  for (input in list(iris[1:4], dist(x), as_gram(-as.matrix(dist(x)) / 2))) {
    fit <- suppressWarnings(kgroups(input, 3, sizes = 50))
    expect_equal(fit$W, W)
    expect_identical(fit$sizes, rep(50L, 3))
    expect_s3_class(fit, c("kgroups_sized_fit", "kgroups_fit"), exact = TRUE)
    expect_null(fit$constraints)
    expect_equal(energy_statistics(dist(x), unname(fit$cluster))$W, fit$W)
  }
  expect_equal(kgroups(~., 3, data = iris[1:4], sizes = "equal")$W, W)
  expect_equal(kgroups(x, 3, sizes = "equal", weights = rep(2, 150))$W, 2 * W)
  free <- kgroups(x, 3, sizes = c(1, Inf))
  expect_equal(free$W, kgroups(x, 3)$W)
  expect_length(free$limits$binding, 0)
  expect_equal(kgroups(matrix(1:6), 6, sizes = 1)$W, 0)
  expect_identical(kgroups(matrix(1:6), 1, sizes = "equal")$sizes, 6L)
  expect_identical(kgroups(matrix(rep(1, 6)), 3, sizes = 2)$sizes, rep(2L, 3)) |> suppressMessages()
})

test_that("a start of the user is put within the limits and improved", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  start <- rep(1:3, c(100, 30, 20))
  fit <- kgroups(x, 3, sizes = c(40, 60), init = start)
  expect_identical(names(fit$objectives), "labels")
  expect_null(fit$limits$W_free)
  expect_true(all(fit$sizes >= 40 & fit$sizes <= 60))
  expect_length(kgroups(x, 3, sizes = 50, init = "random", nstart = 4)$objectives, 4)
})

test_that("many observations have equal sizes, close to the fit without limits", {
  set.seed(4)
  x <- matrix(rnorm(24000), 12000)
  fit <- kgroups(x, 4, sizes = "equal")
  expect_identical(fit$sizes, rep(3000L, 4))
  expect_lt(fit$W, 1.02 * kgroups(x, 4)$W)
})

test_that("methods of a fit accept it", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3, sizes = c(45, 60))
  expect_snapshot({
    fit
    kgroups(iris[1:4], 3, sizes = c(1, 100))
  }, transform = function(lines) sub("W = [^(]*[(]", "W (", lines))
  expect_identical(predict(fit), fit$cluster)
  expect_length(predict(fit, iris[1:5, 1:4]), 5)
  expect_identical(nrow(augment(fit)), 150L)
})

test_that("wrong sizes are a classed error", {
  x <- as.matrix(iris[1:4])
  expect_snapshot(error = TRUE, {
    kgroups(x, 3, sizes = c(60, 100))
    kgroups(x, 3, sizes = c(10, 40))
    kgroups(x, 3, sizes = 40)
    kgroups(x, 3, sizes = c(60, 40))
    kgroups(x, 3, sizes = c(20.5, 60))
    kgroups(x, 3, sizes = c(NA, 60))
    kgroups(x, 3, sizes = "same")
    kgroups(x, 3, sizes = "equal", weights = rep(1:2, 75))
    kgroups(x, 3, sizes = "equal", approx = nystroem(10))
    kgroups(x, 3, sizes = "equal", trim = 0.1)
    kernel_kmeans(x, 3, sizes = "equal")
  })
})
