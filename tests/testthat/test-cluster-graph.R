methods_of <- list(
  bethe = cluster_bethe_hessian, paper = function(...) cluster_bethe_hessian(..., normalize = FALSE),
  kgroups = function(...) suppressMessages(cluster_kgroups(...)),
  belief = function(...) suppressMessages(cluster_belief_propagation(...))
)

links <- function(A, one, other) sum(A[one, other])

test_that("the Gram matrices have the objectives (31), (32) and (34)", {
  set.seed(1)
  graph <- igraph::sample_gnp(20, 0.35)
  igraph::E(graph)$weight <- runif(igraph::ecount(graph), 0.5, 2)
  for (weights in list(NULL, NA)) {
    A <- as.matrix(igraph::as_adjacency_matrix(graph, attr = if (is.null(weights)) "weight"))
    degree <- rowSums(A)
    cluster <- rep(1:4, 5)
    for (kind in c("degree", "unit")) {
      w <- if (kind == "degree") degree else rep(1, 20)
      s <- vapply(1:4, function(l) sum(w[cluster == l]), 0)
      association <- sum(vapply(1:4, function(l) links(A, cluster == l, cluster == l), 0) / s)
      cut <- sum(vapply(1:4, function(l) links(A, cluster == l, cluster != l), 0) / s)
      Q_of <- function(gram) {
        simple <- as_simple_adjacency(graph, weights)
        problem <- graph_problem(simple, bethe_parts(simple), gram, kind)
        objective_of(problem, cluster, 4)
      }
      expect_equal(Q_of("adjacency"), association)
      expect_equal(Q_of("normalized-cut"), -cut)
      # (33), (34): the trace form, Y = Z diag(s)^(-1/2)
      Z <- outer(cluster, 1:4, "==") * 1
      H <- sqrt(w) * Z %*% diag(1 / sqrt(s))
      expect_equal(crossprod(H), diag(4))
      expect_equal(sum(diag(t(H) %*% diag(1 / sqrt(w)) %*% A %*% diag(1 / sqrt(w)) %*% H)), association)
      # equivalent for degree weights only (always, according to the paper)
      if (kind == "degree") expect_equal(association + cut, 4)
      H_r <- as.matrix(bethe_hessian(graph, weights = weights))
      expect_equal(Q_of("bethe-hessian"), reference_Q(-H_r, cluster, w))
    }
  }
})

test_that("fits report W of their Gram matrix and end where no move helps", {
  set.seed(2)
  graph <- igraph::sample_gnp(25, 0.2)
  H <- as.matrix(bethe_hessian(graph))
  A <- as.matrix(igraph::as_adjacency_matrix(graph))
  degree <- rowSums(A)
  for (vertex_weights in c("degree", "unit")) {
    w <- if (vertex_weights == "degree") degree else rep(1, 25)
    grams <- list(
      "bethe-hessian" = -H, adjacency = A / outer(w, w),
      "normalized-cut" = (A - diag(degree)) / outer(w, w)
    )
    for (gram in names(grams)) {
      B <- grams[[gram]]
      fit <- kgroups(graph, 3, gram = gram, vertex_weights = vertex_weights, init = rep_len(1:3, 25))
      expect_equal(fit$W, sum(w * diag(B)) - reference_Q(B, fit$cluster, w))
      expect_equal(fit$total, sum(w * diag(B)) - sum(outer(w, w) * B) / sum(w))
      expect_equal(fit$S, fit$total - fit$W)
      expect_equal(fit$weights, w)
      expect_gte(reference_best_move(B, fit$cluster, 3, w), -1e-9 * sum(w * abs(B)))
      descent <- reference_descent(B, rep_len(1:3, 25), 3, w)
      expect_equal(compare_clusters(descent, fit$cluster), 1)
    }
  }
})

test_that("the default, too, ends where no single move helps", {
  set.seed(3)
  graph <- sample_sparse_sbm(80, 3, 8, 2)
  H <- as.matrix(bethe_hessian(graph))
  for (vertex_weights in c("degree", "unit")) {
    fit <- kgroups(graph, 3, vertex_weights = vertex_weights)
    w <- if (vertex_weights == "degree") igraph::degree(graph) else rep(1, 80)
    expect_equal(fit$W, sum(w * diag(-H)) - reference_Q(-H, fit$cluster, w))
    expect_gte(reference_best_move(-H, fit$cluster, 3, w), -1e-9 * sum(w * abs(diag(H))))
    expect_identical(fit$init, "embeddings")
    expect_named(fit$objectives, c("refined", "scaled", "paper", "leiden"))
  }
})

test_that("planted groups are found, by every method", {
  set.seed(4)
  graph <- sample_sparse_sbm(400, 4, 8, 2.2)
  for (method in methods_of) {
    found <- method(graph, 4)
    expect_gt(compare_clusters(igraph::V(graph)$block, found, "overlap"), 0.85)
  }
  found <- cluster_kgroups(graph, 4, normalize = FALSE)
  expect_gt(compare_clusters(igraph::V(graph)$block, found, "overlap"), 0.85)
  expect_equal(linked_communities(cluster_kgroups(graph)), as.integer(count_communities(graph)))
})

test_that("scaled rows do better than the paper's where groups are many", {
  set.seed(5)
  score <- vapply(1:2, function(i) {
    graph <- sample_sparse_sbm(1000, 15, 3, 1.6)
    block <- igraph::V(graph)$block
    c(
      compare_clusters(block, cluster_bethe_hessian(graph, 15), "overlap"),
      compare_clusters(block, cluster_bethe_hessian(graph, 15, normalize = FALSE), "overlap"),
      compare_clusters(block, cluster_kgroups(graph, 15), "overlap"),
      compare_clusters(block, cluster_kgroups(graph, 15, normalize = FALSE), "overlap")
    )
  }, numeric(4))
  score <- rowMeans(score)
  expect_gt(score[1], score[2] + 0.06)
  expect_gt(score[3], score[4] + 0.03)
})

test_that("the karate club", {
  set.seed(6)
  truth <- karate_classes()
  for (method in methods_of) {
    expect_gte(compare_clusters(truth, method(karate(), 2), "accuracy"), 33 / 34)
  }
  expect_equal(as.integer(count_communities(karate())), 2L)
})

test_that("communities work with igraph's own functions", {
  set.seed(7)
  graph <- karate()
  igraph::V(graph)$name <- paste0("m", 1:34)
  for (method in methods_of) {
    found <- method(graph, 3)
    expect_s3_class(found, "communities")
    member <- igraph::membership(found)
    expect_s3_class(member, "membership")
    expect_identical(names(member), igraph::V(graph)$name)
    expect_identical(as.vector(member), match(as.vector(member), unique(as.vector(member))))
    # belief propagation drops groups that the graph does not carry
    groups <- length(unique(member))
    expect_equal(length(found), groups)
    expect_true(groups == 3 || inherits(found, "kgroups_beliefs") && groups == 2)
    expect_equal(sum(igraph::sizes(found)), 34)
    expect_equal(igraph::modularity(found), igraph::modularity(graph, as.vector(member)))
    expect_equal(igraph::compare(found, found, method = "adjusted.rand"), 1)
    expect_true(is.numeric(igraph::compare(found, igraph::cluster_louvain(graph))))
    expect_named(igraph::communities(found), as.character(seq_len(groups)))
  }
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_silent(plot(found, graph))
  expect_invisible(plot(kgroups(graph, 3)))
})

test_that("modularity is that of the edge weights in use", {
  set.seed(8)
  graph <- karate()
  weight <- runif(igraph::ecount(graph), 0.5, 2)
  igraph::E(graph)$weight <- weight
  plain <- igraph::delete_edge_attr(graph, "weight")
  for (method in methods_of) {
    set.seed(9)
    found <- method(graph, 2)
    member <- as.vector(igraph::membership(found))
    expect_equal(igraph::modularity(found), igraph::modularity(plain, member, weights = weight))
    set.seed(9)
    expect_identical(as.vector(igraph::membership(method(plain, 2, weights = weight))), member)
    found <- method(graph, 2, weights = NA)
    member <- as.vector(igraph::membership(found))
    expect_equal(igraph::modularity(found), igraph::modularity(plain, member))
  }
})

test_that("odd graphs are defined: k groups, no missing label", {
  for (name in third(names(odd_graphs()), 3)) {
    graph <- odd_graphs()[[name]]
    n <- igraph::vcount(graph)
    for (k in unique(pmin(c(1, 2, 5, if (n <= 20) n), n))) {
      for (method in methods_of[1:3]) {
        found <- suppressMessages(method(graph, k))
        member <- as.vector(igraph::membership(found))
        expect_identical(sort(unique(member)), seq_len(max(member)), info = name)
        linked <- n - found$isolated
        if (found$isolated == 0L || identical(method, cluster_bethe_hessian)) {
          expect_identical(linked_communities(found), min(as.integer(k), linked), info = name)
        }
      }
    }
    count <- max(as.integer(count_communities(graph)), 1L)
    for (method in methods_of) {
      found <- method(graph)
      expect_equal(linked_communities(found), min(count, n - found$isolated), info = name)
    }
  }
})

test_that("components become communities where k allows, and k below their number works", {
  set.seed(11)
  cliques <- odd_graphs()$many_cliques
  truth <- rep(1:30, each = 4)
  for (method in methods_of) {
    expect_equal(compare_clusters(truth, method(cliques, 30)), 1)
    found <- as.vector(igraph::membership(method(cliques, 7)))
    # no clique is torn apart
    expect_equal(max(tapply(found, truth, function(x) length(unique(x)))), 1)
  }
})

test_that("isolated vertices take no part and are communities of their own; a fit gives them the nearest cluster", {
  set.seed(12)
  graph <- sample_sparse_sbm(200, 2, 10, 2.5)
  truth <- igraph::V(graph)$block
  more <- igraph::add_vertices(graph, 30)
  first <- igraph::permute(more, c(31:230, 1:30))
  for (method in c(methods_of, cluster_communities)) {
    found <- method(more, 2)
    expect_identical(found$isolated, 30L)
    found <- as.vector(igraph::membership(found))
    expect_gt(compare_clusters(truth, found[1:200], "overlap"), 0.95)
    expect_identical(found[201:230], 3:32)
    # whatever their place
    found <- as.vector(igraph::membership(method(first, 2)))
    expect_gt(compare_clusters(truth, found[31:230], "overlap"), 0.95)
    expect_identical(found[1:30], 3:32)
  }
  fit <- kgroups(more, 2)
  # predict() refuses the distances of a graph: only their order means something
  d2 <- squared_to_means(fit, kept_data(fit), NULL, NULL, "squared", quote(predict()))
  expect_identical(unname(fit$cluster[201:230]), unname(max.col(-d2[201:230, ], "first")))
})

test_that("a small detached component does not take the place of a community", {
  set.seed(13)
  graph <- sample_sparse_sbm(400, 2, 6, 2.2)
  truth <- igraph::V(graph)$block
  # A clique of 8 has an eigenvalue far below that of the planted groups.
  both <- igraph::disjoint_union(graph, igraph::make_full_graph(8))
  for (method in methods_of[c("bethe", "kgroups", "belief")]) {
    found <- as.vector(igraph::membership(method(both, 2)))
    expect_gt(compare_clusters(truth, found[1:400], "overlap"), 0.85)
    expect_equal(length(unique(found[401:408])), 1)
  }
  # requested three, it is the third
  found <- as.vector(igraph::membership(cluster_kgroups(both, 3)))
  expect_true(all(found[401:408] == 3))
  expect_false(any(found[1:400] == 3))
})

test_that("degree weights yield to equal weights where they gather the hubs, unless requested", {
  set.seed(14)
  n <- 1000
  truth <- rep(1:4, each = 250)
  theta <- runif(n)^(-1 / 2.5)
  theta <- theta / mean(theta)
  a <- 8 + 3 * 1.5 * sqrt(8)
  b <- 8 - 1.5 * sqrt(8)
  P <- outer(theta, theta) * ifelse(outer(truth, truth, "=="), a, b) / n
  edges <- which(upper.tri(P) & matrix(runif(n * n), n) < P, arr.ind = TRUE)
  graph <- igraph::make_graph(t(edges), n = n, directed = FALSE)
  set.seed(15)
  found <- cluster_kgroups(graph, 4)
  expect_output(print(found), "Graph: vertex weights unit")
  set.seed(15)
  unit <- cluster_kgroups(graph, 4, vertex_weights = "unit")
  expect_identical(igraph::membership(found), igraph::membership(unit))
  expect_gt(compare_clusters(truth, found), 0.5)
  degree <- cluster_kgroups(graph, 4, vertex_weights = "degree")
  expect_output(print(degree), "Graph: vertex weights degree")
  expect_lt(igraph::modularity(degree), 0.95 * igraph::modularity(unit))
})

test_that("moves that lower modularity yield to their start, and the fit determines", {
  set.seed(142)
  returned <- 0L
  for (i in 1:3) {
    graph <- if (i <= 2) sample_hubs(400, 4, 8, 1.5, 1.6) else sample_sparse_sbm(200, 3, 5, 1.8)
    set.seed(i)
    start <- igraph::modularity(cluster_bethe_hessian(graph, 4))
    for (method in c("hartigan", "lloyd")) {
      set.seed(i)
      found <- suppressMessages(kgroups(graph, 4, method = method))
      communities <- cluster_kgroups(found)
      expect_gte(igraph::modularity(communities), start - 1e-9)
      expect_true(found$graph$result %in% c("start", "moves"))
      expect_identical(attr(communities, "result"), found$graph$result)
      if (found$graph$result == "start") {
        expect_equal(unname(found$objectives[found$best_start]), found$W)
        expect_equal(igraph::modularity(communities), start)
        expect_identical(found$iterations, 0L)
        expect_match(format(found)[3L], "the start")
        expect_output(print(communities), "the start, which no move improved")
        returned <- returned + 1L
      }
    }
  }
  expect_gt(returned, 0L)
})

test_that("the rule compares modularity alone", {
  graph <- karate()
  simple <- as_simple_adjacency(graph)
  parts <- bethe_parts(simple)
  problem <- graph_problem(simple, parts, "bethe-hessian", "degree")
  good <- match(karate_classes(), unique(karate_classes()))
  bad <- list(
    labels = rep(1:2, 17), modularity = adjacency_modularity(simple, rep(1:2, 17)), objectives = c(refined = 1),
    best = 1L
  )
  out <- not_below_start(problem, parts, good, bad, new_control(2))
  expect_identical(out$labels, good)
  expect_identical(out$result, "start")
  other <- list(
    labels = good, modularity = adjacency_modularity(simple, good), objectives = c(refined = 1), best = 1L
  )
  expect_silent(out <- not_below_start(problem, parts, bad$labels, other, new_control(2)))
  expect_identical(out, other)
  expect_identical(not_below_start(problem, parts, good, other, new_control(2)), other)
})

test_that("Lloyd's method and named starts work on graphs", {
  set.seed(16)
  graph <- sample_sparse_sbm(150, 3, 10, 2.5)
  lloyd <- kernel_kmeans(graph, 3)
  expect_identical(lloyd$method, "lloyd")
  expect_true(lloyd$converged)
  expect_identical(kernel_kmeans(graph, 3, init = lloyd$cluster)$cluster, lloyd$cluster)
  for (init in c("spectral", "random", "kmeans++")) {
    fit <- kgroups(graph, 3, init = init, nstart = 2)
    expect_identical(fit$init, init)
    expect_equal(sum(fit$sizes), 150)
  }
  fit <- kgroups(graph, 3, init = igraph::V(graph)$block)
  expect_identical(fit$init, "labels")
  expect_length(fit$objectives, 1)
  expect_gt(compare_clusters(igraph::V(graph)$block, fit), 0.9)
})

test_that("an eigen-solver that does not converge is reported, and k stays", {
  set.seed(17)
  graph <- sample_sparse_sbm(3600, 3, 6, 2)
  truth <- igraph::V(graph)$block
  # the solver finds fewer eigenvalues than requested
  fewer <- function(left, solver) {
    real <- solver
    function(...) {
      found <- real(...)
      list(
        values = found$values[seq_len(left)], vectors = found$vectors[, seq_len(left), drop = FALSE],
        converged = FALSE
      )
    }
  }
  with_replaced("chebyshev_eigen", fewer(2, chebyshev_eigen), {
    expect_warning(found <- cluster_bethe_hessian(graph, 3), class = "kg_warning_eigen")
    expect_gt(compare_clusters(truth, found), 0.2)
    expect_equal(linked_communities(found), 3)
  })
  # a count by neither method is not certain
  uncertain <- function(...) count_values(-1, FALSE, 0)
  with_replaced("elimination_count", function(...) NULL, with_replaced("chebyshev_count", uncertain, {
    expect_snapshot(found <- count_communities(graph, details = TRUE))
    expect_false(found$sure)
  }))
  with_replaced("chebyshev_eigen", fewer(0, chebyshev_eigen), {
    for (method in methods_of) {
      expect_warning(found <- method(graph, 3), class = "kg_warning_eigen")
      # belief propagation may drop groups that the graph does not carry, and reports it
      groups <- linked_communities(found)
      dropped <- identical(found$algorithm, "belief propagation") && groups == 1L
      expect_true(groups == 3L || dropped)
    }
  })
  # up to 3000 vertices the dense way takes over, in silence
  small <- sample_sparse_sbm(500, 3, 6, 2)
  with_replaced("lanczos", fewer(1, lanczos), {
    expect_no_warning(found <- cluster_bethe_hessian(small, 3))
  })
  expect_equal(compare_clusters(found, cluster_bethe_hessian(small, 3)), 1)
})

test_that("a cluster of isolated vertices has no mean, and none is near to it", {
  graph <- igraph::make_graph(c(1, 2), n = 4, directed = FALSE)
  fit <- kgroups(graph, 4)
  expect_identical(unname(fit$sizes), rep(1L, 4))
  expect_true(is.finite(fit$W))
  expect_false(anyNA(squared_to_means(fit, kept_data(fit), NULL, NULL, "squared", quote(predict()))))
})

test_that("fits of graphs print, convert and refuse new vertices", {
  set.seed(18)
  fit <- kgroups(karate(), 2)
  expect_snapshot(fit)
  expect_snapshot(cluster_bethe_hessian(karate(), 2))
  expect_identical(predict(fit), fit$cluster)
  # distances on -H mean nothing: they are refused, no longer given
  expect_error(predict(fit, type = "distance"), class = "kg_error_graph")
  expect_identical(nobs(fit), 34L)
  expect_equal(as.data.frame(fit)$weight, igraph::degree(karate()))
  expect_error(predict(fit, matrix(1, 1, 33)), class = "kg_error_newdata")
})

test_that("wrong arguments are classed errors", {
  graph <- karate()
  expect_snapshot(error = TRUE, {
    cluster_bethe_hessian(graph, 35)
    cluster_bethe_hessian(graph, 0)
    cluster_bethe_hessian(graph, 2.5)
    cluster_bethe_hessian(diag(3), 2)
    cluster_bethe_hessian(igraph::make_empty_graph(0), 1)
    cluster_bethe_hessian(graph, 2, weights = rep(-1, 78))
    cluster_bethe_hessian(graph, 2, normalize = NA)
    cluster_kgroups(graph, 35)
    cluster_kgroups(diag(3), 2)
    cluster_kgroups(graph, 2, weights = 1)
    cluster_kgroups(graph, 2, vertex_weights = "size")
    cluster_kgroups(graph, 2, gram = "laplace")
    cluster_kgroups(graph, 2, colour = 1)
    cluster_kgroups(graph, 2, init = 1:3)
    kgroups(graph, 99)
    kgroups(graph, 2, method = "newton")
    cluster_kgroups(kgroups(1:10, 2))
    predict(kgroups(graph, 2), matrix(1, 1, 33))
  })
  for (method in methods_of) {
    expect_error(method(graph, 35), class = "kg_error_k")
    expect_error(method(graph, -1), class = "kg_error_k")
    expect_error(method(NULL, 2), class = "kg_error_graph")
    expect_error(method(igraph::make_empty_graph(0), 2), class = "kg_error_graph")
    expect_error(method(graph, 2, weights = rep(NaN, 78)), class = "kg_error_weights")
  }
})

test_that("graphs without edges and vertices without edges are reported by every function of communities", {
  bare <- igraph::make_empty_graph(6, directed = FALSE)
  parted <- igraph::make_full_graph(4) + igraph::make_full_graph(4) + igraph::vertices(letters[1:3])
  for (cluster in list(kgroups, cluster_kgroups)) {
    expect_message(cluster(bare, 2), "no edges", class = "kg_message_components")
    expect_no_message(cluster(parted, 2), class = "kg_message_components")
  }
  fit <- suppressMessages(kgroups(karate(), 2))
  expect_output(print(summary(fit)), "cluster size weight\n")
  expect_named(summary(fit)$clusters, c("cluster", "size", "weight", "within", "half_mean"))
  for (graph in list(bare, karate(), fit)) expect_error(
    kgroups_tree(graph), "cluster_communities", class = "kg_error_x"
  )
})

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
  set.seed(1)
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
