# select_k(), stability() and predict() on graphs.

# The labels of communities or of a fit.
labels_of <- function(x) if (inherits(x, "communities")) igraph::membership(x) else x$cluster

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
  block <- rep(1:3, each = 50)
  graph <- igraph::add_vertices(neighbours(3 * diag(6)[block, ] * 2 + matrix(stats::rnorm(900), 150)), 2)
  chosen <- select_k(graph, 1:4)
  expect_identical(chosen$k, 3L)
  expect_identical(chosen$table$model, c(NA, NA, "separation", NA))
  expect_equal(compare_clusters(chosen$cluster[1:150], cluster_communities(graph)$membership[1:150]), 1)
  expect_gt(compare_clusters(block, chosen$cluster[1:150]), 0.9)
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

test_that("stability() of a graph resamples its edges, whoever does the work", {
  set.seed(5)
  graph <- sample_sparse_sbm(200, 2, 20, 4)
  simple <- as_simple_adjacency(graph)
  sample <- bootstrap_edges(simple)
  share <- length(sample$adjacency@x) / length(simple$adjacency@x)
  expect_lt(abs(share - (1 - exp(-1))), 0.03)
  expect_true(all((simple$adjacency - sample$adjacency)@x %in% c(0, 1)))
  expect_identical(Matrix::isSymmetric(sample$adjacency), TRUE)
  fit <- suppressMessages(kgroups(graph, 2))
  set.seed(6)
  one <- stability(fit, B = 5)
  expect_identical(dim(one$jaccard), c(5L, 2L))
  expect_gt(min(one$clusters$jaccard), 0.9)
  expect_gt(mean(one$observations), 0.95)
  set.seed(6)
  expect_identical(stability(fit, B = 5), one)
  set.seed(6)
  expect_identical(stability(fit, B = 5, threads = 2), one)
  # groups that are not there are not found again
  none <- igraph::sample_gnm(200, 600)
  expect_lt(max(stability(suppressMessages(kgroups(none, 4)), B = 5)$clusters$jaccard), 0.75)
  # edge weights, other matrices and starts go the same way
  weighted <- suppressMessages(kgroups(graph, 2, weights = runif(igraph::ecount(graph), 1, 2), gram = "adjacency"))
  expect_gt(min(stability(weighted, B = 2)$clusters$jaccard), 0.8)
  expect_gt(min(stability(suppressMessages(kgroups(graph, 2, init = "random")), B = 2)$clusters$jaccard), 0.5)
})

test_that("workers give the answer of one process", {
  skip_on_cran()
  skip_if_not_installed("future.apply")
  set.seed(7)
  fit <- suppressMessages(kgroups(sample_sparse_sbm(60, 2, 10, 2.6), 2))
  set.seed(8)
  alone <- stability(fit, B = 4)
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  set.seed(8)
  expect_equal(stability(fit, B = 4), alone)
})

# B between new vertices and old ones, from the matrix of the graph with both.
reference_new_distances <- function(A, edges, fit, r) {
  gram <- fit$graph$gram
  w <- if (fit$graph$vertex_weights == "degree") rowSums(A) else rep(1, nrow(A))
  own <- if (fit$graph$vertex_weights == "degree") rowSums(edges) else rep(1, nrow(edges))
  B <- switch(gram,
    "bethe-hessian" = -reference_bethe(A, r),
    adjacency = A / outer(w, w),
    "normalized-cut" = (A - diag(rowSums(A))) / outer(w, w)
  )
  new <- if (gram == "bethe-hessian") r * edges else edges / own / rep(w, each = nrow(edges))
  vapply(seq_len(fit$k), function(l) {
    at <- fit$cluster == l
    s <- sum(w[at])
    -2 * as.vector(new[, at, drop = FALSE] %*% w[at]) / s + sum(outer(w[at], w[at]) * B[at, at]) / s^2
  }, numeric(nrow(edges)))
}

test_that("new vertices of a fit go to the nearest mean", {
  set.seed(9)
  graph <- sample_sparse_sbm(60, 3, 10, 2.6)
  A <- as.matrix(igraph::as_adjacency_matrix(graph))
  edges <- matrix(rbinom(20 * 60, 1, 0.15), 20)
  edges[cbind(1:20, 1:20)] <- 1
  for (gram in gram_choices) {
    for (weights in c("degree", "unit")) {
      fit <- suppressMessages(kgroups(graph, 3, gram = gram, vertex_weights = weights))
      d2 <- reference_new_distances(A, edges, fit, sqrt(mean(rowSums(A))))
      expect_identical(unname(predict(fit, edges)), max.col(-d2, "first"))
      expect_identical(predict(fit, Matrix::Matrix(edges, sparse = TRUE)), predict(fit, edges))
    }
  }
  expect_identical(predict(fit), fit$cluster)
})

test_that("all forms of new edges are the same question", {
  set.seed(10)
  graph <- igraph::set_vertex_attr(sample_sparse_sbm(90, 3, 12, 3), "name", value = paste0("v", 1:90))
  edges <- matrix(0, 3, 90, dimnames = list(c("a", "b", "c"), paste0("v", 1:90)))
  edges[1, 1:5] <- edges[2, 40:43] <- edges[3, 80:81] <- 1
  at <- which(edges > 0, arr.ind = TRUE)
  at <- at[order(at[, 1]), ]
  list <- data.frame(new = rownames(edges)[at[, 1]], old = colnames(edges)[at[, 2]])
  for (found in list(suppressMessages(kgroups(graph, 3)), cluster_belief_propagation(graph, 3))) {
    want <- predict(found, edges)
    expect_named(want, c("a", "b", "c"))
    expect_identical(unname(want), as.vector(labels_of(found)[c(1, 40, 80)]))
    expect_identical(predict(found, edges[, 90:1]), want)
    expect_identical(predict(found, methods::as(edges, "dgCMatrix")), want)
    expect_identical(predict(found, list), want)
    expect_identical(predict(found, rbind(list, list)), want)
    expect_identical(predict(found, data.frame(list$new, at[, 2])), want)
    expect_identical(unname(predict(found, unname(edges))), unname(want))
  }
})

test_that("the posterior of a new vertex is the model's", {
  set.seed(11)
  graph <- sample_hubs(60, 3, 8, 2, 2.5)
  simple <- as_simple_adjacency(graph)
  d <- igraph::degree(graph)
  joined <- list(c(1, 4, 7, 10), c(2, 3), integer(), 1:12)
  edges <- t(vapply(joined, function(j) as.numeric(seq_len(60) %in% j), numeric(60)))
  for (model in names(belief_models)) {
    has <- belief_models[[model]]
    found <- suppressMessages(cluster_belief_propagation(graph, 3, model = model))
    P <- unname(attr(found, "marginals"))
    k <- ncol(P)
    W <- matrix(attr(found, "rates")[[2]], k, k)
    diag(W) <- attr(found, "rates")[[1]]
    t <- fugacities(d)$t
    theta <- if (has$theta) t / mean(t) else rep(1, 60)
    N <- colSums(P)
    rho <- if (has$norm) N / colSums(theta * P) else rep(1, k)
    got <- predict(found, edges, type = "prob")
    for (i in seq_along(joined)) {
      j <- joined[[i]]
      miss <- function(x) sum(1 - exp(-x * t)) - length(j)
      own <- if (!has$theta) 1 else if (length(j) == 0) 0 else uniroot(miss, c(1e-6, 50), tol = 1e-12)$root / mean(t)
      L <- if (has$sizes) log(N / 60) else rep(0, k)
      if (has$bins) {
        bins <- bin_degrees(d)
        b <- bin_degrees(c(d, length(j)))$bin[61]
        C <- colSums(P[bins$bin == b, , drop = FALSE])
        if (any(bins$bin == b)) L <- L + log((C + 20 * bins$share[b]) / (N + 20))
      }
      for (u in seq_len(60)) {
        y <- own * theta[u] * outer(rho, rho) * W / 60
        L <- L + if (u %in% j) log(as.vector((1 - exp(-y)) %*% P[u, ])) else -as.vector(y %*% P[u, ])
      }
      expect_equal(as.vector(got[i, ]), exp(L - max(L)) / sum(exp(L - max(L))), tolerance = 1e-6)
    }
    expect_identical(unname(predict(found, edges)), max.col(got, "first"))
  }
})

test_that("edge weights of new vertices count", {
  set.seed(12)
  graph <- sample_sparse_sbm(80, 2, 12, 3)
  igraph::E(graph)$weight <- runif(igraph::ecount(graph), 1, 3)
  block <- igraph::V(graph)$block
  joined <- seq_len(80) %in% c(1:3, 41:43)
  edges <- rbind(joined * ifelse(block == 1, 5, 0.1), joined * ifelse(block == 2, 5, 0.1))
  for (weights in list(NULL, "log1p")) {
    fit <- suppressMessages(kgroups(graph, 2, weights = weights))
    beliefs <- suppressMessages(cluster_belief_propagation(graph, 2, weights = weights))
    for (one in list(fit, beliefs)) {
      membership <- as.vector(labels_of(one))
      expect_identical(unname(predict(one, edges)), membership[c(1, 80)])
    }
  }
})

test_that("no new vertices have no answer, and without newdata the labels of the fit are returned", {
  found <- cluster_belief_propagation(karate(), 2)
  expect_silent(none <- predict(found, matrix(0, 0, 34)))
  expect_length(none, 0)
  expect_identical(dim(predict(found, matrix(0, 0, 34), type = "prob")), c(0L, 2L))
  expect_identical(predict(found, NULL), predict(found))
})

test_that("edges to isolated vertices and equal vertex names have defined answers", {
  set.seed(14)
  graph <- igraph::add_vertices(sample_sparse_sbm(60, 2, 12, 3), 2)
  edges <- matrix(0, 2, 62)
  edges[1, c(1:4, 61)] <- edges[2, 62] <- 1
  for (gram in gram_choices) {
    for (weights in c("degree", "unit")) {
      fit <- suppressMessages(kgroups(graph, 2, gram = gram, vertex_weights = weights))
      expect_false(anyNA(predict(fit, edges)))
    }
  }
  # several vertices have a name: by position, or refused
  graph <- igraph::set_vertex_attr(graph, "name", value = c("a", "a", paste0("v", 3:62)))
  fit <- suppressMessages(kgroups(graph, 2))
  named <- edges
  colnames(named) <- igraph::V(graph)$name
  expect_identical(unname(predict(fit, named)), unname(predict(fit, edges)))
  expect_error(predict(fit, named[, 62:1]), class = "kg_error_newdata")
  expect_error(predict(fit, data.frame("x", "a")), class = "kg_error_newdata")
  expect_no_error(predict(fit, data.frame("x", "v3")))
  expect_snapshot(error = TRUE, predict(fit, data.frame("x", "a")))
})

test_that("edge weights up to the ends of their range have finite fits", {
  set.seed(15)
  graph <- sample_sparse_sbm(60, 2, 12, 3)
  for (unit in c(1e-49, 1e49)) {
    weights <- unit * stats::runif(igraph::ecount(graph), 0.5, 1)
    for (gram in gram_choices) {
      fit <- suppressMessages(kgroups(graph, 2, weights = weights, gram = gram))
      expect_true(is.finite(fit$W))
    }
    expect_length(suppressMessages(cluster_communities(graph, 2, weights = weights)), 2)
  }
  for (unit in c(1e-60, 1e99)) {
    expect_error(kgroups(graph, 2, weights = rep(unit, igraph::ecount(graph))), class = "kg_error_weights")
  }
})

test_that("wrong new vertices are classed errors", {
  set.seed(13)
  graph <- igraph::set_vertex_attr(karate(), "name", value = paste0("v", 1:34))
  found <- cluster_belief_propagation(graph, 2)
  fit <- suppressMessages(kgroups(graph, 2))
  one <- rep(0, 34)
  for (object in list(found, fit)) {
    wrong <- list(
      "a", matrix(0, 1, 33), replace(one, 1, -1), replace(one, 1, NA), replace(one, 1, 2), list(1), data.frame(1),
      data.frame("a", "nobody"), data.frame("a", 35), data.frame("a", 1, "x"),
      matrix(0, 1, 34, dimnames = list(NULL, paste0("w", 1:34)))
    )
    for (bad in wrong) expect_error(predict(object, bad), class = "kg_error_newdata")
  }
  expect_error(predict(found, one, type = "distance"), class = "kg_error_type")
  weighted <- suppressMessages(cluster_communities(graph, 2, weights = runif(78, 1, 9)))
  if (is.null(attr(weighted, "field"))) expect_error(predict(weighted, one), class = "kg_error_beliefs")
  expect_snapshot(error = TRUE, {
    predict(found, matrix(0, 1, 33))
    predict(found, replace(one, 1, 2))
    predict(found, data.frame("a", "nobody"))
    predict(fit, list(1))
    predict(structure(list(algorithm = "k-groups"), class = "kgroups_beliefs"))
  })
})

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
})
