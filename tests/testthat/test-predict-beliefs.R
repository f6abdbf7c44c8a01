# New vertices, of a fit and of belief propagation.

# The labels of communities or of a fit.
labels_of <- function(x) if (inherits(x, "communities")) igraph::membership(x) else x$cluster

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
