quiet <- function(code) suppressMessages(code)

test_that("planted groups are found, with their number", {
  set.seed(1)
  for (k in repeats(4, c(2, 4))) {
    graph <- sample_sparse_sbm(400, k, 8, 2.2)
    igraph::V(graph)$name <- paste0("v", 1:400)
    found <- cluster_communities(graph)
    expect_s3_class(
      found, c("kgroups_communities", "kgroups_beliefs", "kgroups_partition", "kgroups_result", "communities"),
      exact = TRUE
    )
    expect_length(found, k)
    expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.8)
    # igraph's functions take it
    expect_named(igraph::membership(found), paste0("v", 1:400))
    expect_equal(igraph::modularity(found), igraph::modularity(graph, igraph::membership(found)))
    expect_equal(sum(igraph::sizes(found)), 400)
    expect_equal(igraph::compare(found, found, "nmi"), 1)
    expect_named(found$candidates$membership[[1L]], NULL)
  }
})

test_that("the table has a row for each number of communities, and the chosen one is returned", {
  set.seed(2)
  graph <- sample_sparse_sbm(300, 3, 6, 1.8)
  igraph::V(graph)$name <- paste0("v", 1:300)
  found <- quiet(cluster_communities(graph))
  expect_identical(rownames(attr(found, "marginals")), paste0("v", 1:300))
  table <- found$candidates
  expect_named(
    table, c("k", "method", "modularity", "nats", "stability", "description_length", "chosen", "membership")
  )
  expect_false(is.unsorted(table$k, strictly = TRUE))
  expect_identical(sum(table$chosen), 1L)
  expect_identical(found$rule, "description length")
  expect_equal(table$description_length[table$chosen], min(table$description_length, na.rm = TRUE))
  expect_lt(found$dispersion, most_dispersion)
  expect_equal(table$k[table$chosen], length(found))
  expect_identical(table$method[table$chosen], attr(found, "model"))
  expect_equal(table$description_length[table$chosen], attr(found, "description_length"))
  # one group is always evaluated, and both neighbours of the best
  expect_true(all(c(1, length(found) + c(-1, 0, 1)) %in% table$k[!is.na(table$description_length)]))
  # for more or fewer communities users take the row
  for (i in seq_len(nrow(table))) {
    labels <- table$membership[[i]]
    expect_equal(table$modularity[i], igraph::modularity(graph, labels))
    expect_identical(max(labels) - found$isolated, table$k[i])
  }
  expect_identical(table$membership[[which(table$chosen)]], found$membership)
  set.seed(3)
  one <- quiet(cluster_communities(graph))
  set.seed(3)
  expect_identical(quiet(cluster_communities(graph)), one)
})

test_that("k is returned, with the largest modularity of all methods if block models do not choose", {
  set.seed(4)
  graphs <- list(karate(), igraph::sample_sbm(150, diag(0.25, 3) + 0.02, rep(50, 3)), sample_sparse_sbm(200, 3, 8, 2))
  for (graph in graphs) {
    for (k in repeats(c(2, 7), 1:8)) {
      set.seed(k)
      found <- quiet(cluster_communities(graph, k))
      expect_identical(linked_communities(found), as.integer(k))
      set.seed(k)
      if (found$rule == "modularity") expect_gte(found$modularity, quiet(cluster_kgroups(graph, k))$modularity - 1e-9)
    }
  }
  # near the limit of detection block models choose
  graph <- sample_sparse_sbm(400, 3, 6, 1.6)
  found <- quiet(cluster_communities(graph, 3))
  expect_identical(found$rule, "description length")
  expect_gt(compare_clusters(found, quiet(cluster_belief_propagation(graph, 3))), 0.9)
})

test_that("resolution has a hint", {
  expect_error(cluster_communities(karate(), resolution = 2), "supply|use `k`, or another row", class = "kg_error_dots")
})

# Groups whose vertices have preferences of their own, which no model has.
sample_likings <- function(n, k, degree, inside, shape) {
  block <- rep_len(seq_len(k), n)
  liking <- matrix(stats::rgamma(n * k, shape) / shape, n)
  P <- ifelse(outer(block, block, "=="), inside, 1) * sqrt(liking[, block] * t(liking[, block]))
  P <- P * degree * n / sum(P)
  ends <- which(upper.tri(P) & matrix(stats::runif(n * n), n) < P, arr.ind = TRUE)
  igraph::set_vertex_attr(igraph::make_graph(t(ends), n = n, directed = FALSE), "block", value = block)
}

test_that("the dispersion is about 1 on graphs of the models", {
  set.seed(42)
  graphs <- list(sample_sparse_sbm(500, 4, 6, 1.8), sample_hubs(500, 3, 8, 1.6, 2))
  for (graph in graphs) {
    simple <- as_simple_adjacency(graph)
    k <- max(igraph::V(graph)$block)
    one <- belief_candidates(simple, belief_starts(simple, bethe_parts(simple), 1L, 2), 1L)
    tried <- belief_candidates(simple, belief_starts(simple, bethe_parts(simple), k, 2), k)
    best <- tried[[belief_choice(tried)]]
    expect_gt(belief_dispersion(simple, best), 0.7)
    expect_lt(belief_dispersion(simple, best), 1.3)
    expect_identical(belief_dispersion(simple, one[[1L]]), 1)
  }
  # by its definition, an entry at a time
  simple <- as_simple_adjacency(karate())
  labels <- match(karate_classes(), unique(karate_classes()))
  A <- as.matrix(simple$adjacency)
  theta <- belief_theta(simple, "dc")
  pairs <- outer(theta, theta)
  diag(pairs) <- 0
  same <- outer(labels, labels, "==")
  expected <- pairs * ifelse(same, sum(A[same]) / sum(pairs[same]), sum(A[!same]) / sum(pairs[!same]))
  chi <- 0
  for (i in 1:34) {
    for (q in 1:2) {
      mean <- sum(expected[i, labels == q])
      chi <- chi + (sum(A[i, labels == q]) - mean)^2 / mean
    }
  }
  expect_equal(belief_dispersion(simple, list(labels = labels, model = "dc")), chi / (34 * 2 - 2 - 34))
})

test_that("graphs without groups are one group", {
  set.seed(5)
  one <- c(
    vapply(
      seq_len(repeats(2, 4)), function(i) linked_communities(cluster_communities(igraph::sample_gnm(300, 900))), 0L
    ),
    vapply(
      seq_len(repeats(2, 4)), function(i) linked_communities(cluster_communities(sample_hubs(300, 1, 6, 0, 2))), 0L
    )
  )
  expect_gte(sum(one == 1L), length(one) - 1)
})

test_that("further numbers are tried for a bounded time, and only where a model fits", {
  climbed <- function(graph, k, runs) {
    simple <- as_simple_adjacency(graph)
    input <- read_graph(graph, k, NULL, NULL)
    add <- function(search, k) add_number(search, input, k, list(), 3)
    search <- add(add(list(), as.integer(k)), 1L)
    climbed <- climb_numbers(search, add, simple, work = runs * length(simple$adjacency@x))
    fits <- communities_choice(search$candidates, simple)$dispersion <= most_dispersion
    list(numbers = names(climbed$starts), fits = fits)
  }
  # a ring, where fewer groups are better for long
  graph <- igraph::make_lattice(length = 90, dim = 1, nei = 3, circular = TRUE)
  simple <- as_simple_adjacency(graph)
  expect_identical(belief_work(simple, 5), 5 * 540)
  # fewer models are tried where a sweep is long
  expect_lt(belief_work(simple, 1e4), 1e4 * 540)
  set.seed(1)
  expect_identical(climbed(graph, 12, 40), list(numbers = c("12", "1"), fits = FALSE))
  # no partition comes back
  expect_length(cluster_communities(graph), 1)
  # five planted groups from the number three
  graph <- sample_sparse_sbm(400, 5, 6, 1.7)
  expect_identical(climbed(graph, 3, 5.9), list(numbers = c("3", "1"), fits = TRUE))
  more <- climbed(graph, 3, 30)$numbers
  expect_identical(more[1:4], c("3", "1", "2", "4"))
  expect_true("5" %in% more)
  expect_lte(sum(as.integer(more[-(1:2)])), 30)
})

test_that("odd graphs are defined", {
  set.seed(1)
  graphs <- odd_graphs()
  graphs$large_clique <- igraph::make_full_graph(repeats(40, 120))
  for (graph in third(graphs, 1)) {
    found <- quiet(cluster_communities(graph))
    expect_identical(sort(unique(found$membership)), seq_len(length(found)))
    expect_length(found$membership, igraph::vcount(graph))
    expect_output(print(found))
    expect_output(print(summary(found)))
  }
  expect_length(quiet(cluster_communities(odd_graphs()$two_cliques)), 2)
})

test_that("karate falls into its two clubs", {
  set.seed(6)
  graph <- karate()
  found <- cluster_communities(graph)
  expect_equal(compare_clusters(karate_classes(), found), 1)
})

test_that("free energies are trusted where they can be", {
  small <- list(n = 50)
  large <- list(n = 200)
  expect_true(belief_trusted(small, 1e-3, 10))
  expect_false(belief_trusted(small, 0.1, 10))
  expect_true(belief_trusted(large, 0.1, 10))
  # a probability above 1
  expect_false(belief_trusted(large, 0, -5))
  expect_true(belief_trusted(large, 0, NA_real_))
  tried <- list(list(description_length = 3, trusted = FALSE), list(description_length = 5, trusted = TRUE))
  expect_identical(belief_choice(tried), 2L)
  tried[[2]]$trusted <- FALSE
  expect_identical(belief_choice(tried), 1L)
})

test_that("edge weights: modularity is that of all weights, log1p that of the logarithms", {
  set.seed(7)
  graph <- sample_sparse_sbm(200, 3, 8, 2)
  ends <- igraph::as_edgelist(graph)
  block <- igraph::V(graph)$block
  igraph::E(graph)$weight <- ifelse(block[ends[, 1]] == block[ends[, 2]], 2, 1) * runif(nrow(ends), 0.5, 1.5)
  found <- quiet(cluster_communities(graph))
  table <- found$candidates
  expect_equal(table$modularity[table$chosen], found$modularity)
  expect_equal(found$modularity, igraph::modularity(graph, igraph::membership(found), igraph::E(graph)$weight))
  expect_gt(compare_clusters(block, found), 0.8)
  # log1p is the attribute's logarithm, in every function
  for (method in list(cluster_communities, cluster_bethe_hessian, cluster_kgroups, cluster_belief_propagation)) {
    set.seed(8)
    one <- quiet(method(graph, 3, weights = "log1p"))
    set.seed(8)
    two <- quiet(method(graph, 3, weights = log1p(igraph::E(graph)$weight)))
    expect_equal(one$membership, two$membership)
    expect_equal(one$modularity, two$modularity)
  }
})

test_that("signed, directed and bipartite graphs have a clear way each", {
  graph <- igraph::make_ring(8)
  entries <- list(
    cluster_communities, cluster_bethe_hessian, cluster_kgroups, cluster_belief_propagation, kgroups,
    function(...) select_k(..., splits = 2)
  )
  sides <- igraph::make_bipartite_graph(rep(0:1, 4), c(1, 2, 1, 4, 3, 4, 3, 6, 5, 6, 7, 8, 5, 2))
  directed <- igraph::as.directed(igraph::make_full_graph(4) + igraph::make_full_graph(4) + igraph::edge(1, 5))
  for (entry in entries) {
    expect_error(entry(graph, 2, weights = c(-1, rep(1, 7))), class = "kg_error_signed")
    expect_error(entry(graph, 2, weights = c(-1, rep(1, 7))), class = "kg_error_weights")
    expect_error(entry(sides, 2), class = "kg_error_bipartite")
    expect_error(entry(sides, 2), class = "kg_error_graph")
    # the way out
    expect_silent(quiet(entry(igraph::delete_vertex_attr(sides, "type"), 2)))
    expect_no_error(quiet(entry(directed, 2)))
  }
  # no error: a ring has two sides but no attribute `type`; a graph with edges within a side is not bipartite
  expect_silent(abort_bipartite(graph))
  expect_silent(abort_bipartite(igraph::add_edges(sides, c(1, 3))))
  expect_silent(abort_bipartite(igraph::set_vertex_attr(graph, "type", value = letters[1:8])))
  expect_snapshot(error = TRUE, {
    cluster_communities(sides)
    cluster_communities(graph, weights = c(-1, rep(1, 7)))
    cluster_communities(graph, weights = "log1p")
    cluster_communities(graph, weights = "log")
  })
})

test_that("wrong arguments are classed errors", {
  graph <- igraph::make_ring(5)
  expect_snapshot(error = TRUE, {
    cluster_communities(graph, 6)
    cluster_communities(graph, 0)
    cluster_communities("graph")
    cluster_communities(graph, model = "plain")
    cluster_communities(graph, nstart = 0)
    plot(cluster_communities(graph), 3)
  })
  withr::local_options(kgroups.memory = 10)
  expect_error(cluster_communities(graph, 2), class = "kg_error_memory")
})

test_that("print and summary", {
  table <- data.frame(
    k = c(1L, 2L, 3L, 5L), method = c("plain", "plain", "dc", "Leiden"), modularity = c(0, 0.4321, 0.4, 0.45),
    nats = c(0, 20.04, 12, 8), stability = c(NA, NA, NA, 0.79), description_length = c(120, 100.04, 110, NA),
    chosen = c(FALSE, TRUE, FALSE, FALSE), membership = I(rep(list(rep(1:2, 25)), 4))
  )
  found <- structure(
    list(
      membership = rep(1:2, c(30, 20)), vcount = 50, modularity = 0.4321, algorithm = "belief propagation",
      candidates = table, dispersion = 1.02, rule = "description length", isolated = 0L, stability = 0.79,
      passed = list(k = 5L, stability = 0.79)
    ),
    class = communities_class
  )
  expect_snapshot({
    found
    summary(found)
    print(summary(found), rows = 2)
  })
  found$rule <- "one community"
  found$candidates$chosen <- 1:4 == 1
  expect_snapshot(found)
  found[c("rule", "stability")] <- list("stability", 0.85)
  found$candidates$chosen <- 1:4 == 4
  expect_snapshot(found)
  expect_invisible(print(found))
})

test_that("figures: the table's, and the graph's", {
  set.seed(9)
  graph <- sample_sparse_sbm(120, 2, 8, 2.4)
  found <- cluster_communities(graph)
  path <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(path)
  withr::defer(grDevices::dev.off())
  expect_invisible(plot(found))
  expect_s3_class(plot(found), "ggplot")
  expect_s3_class(plot(found, graph), "ggplot")
  expect_error(plot(cluster_bethe_hessian(graph, 2)), "graph of 120 vertices.*none", class = "kg_error_y")
  layers <- expect_drawn(communities_figure(found))$layers
  # one point for each number of communities
  points <- layers[[2L]]$data
  expect_identical(points$x, found$candidates$k)
  expect_equal(layers[[3L]]$data$x, length(found))
  skip_if_not_installed("ggplot2")
  figure <- ggplot2::autoplot(found)
  expect_s3_class(figure, "ggplot")
  expect_identical(nrow(ggplot2::layer_data(figure, 2)), nrow(points))
})

# Three planted groups and one edge of a weight far above the others.
heavy_edge <- function(weight, rest = function(m) rep(1, m)) {
  graph <- sample_sparse_sbm(240, 3, 12, 2.3)
  igraph::set_edge_attr(graph, "weight", value = replace(rest(igraph::ecount(graph)), 5, weight))
}

test_that("one heavy edge moves neither the count nor the communities", {
  set.seed(51)
  for (weight in c(10, 1000)) {
    graph <- heavy_edge(weight)
    expect_silent(count <- count_communities(graph))
    expect_identical(count, 3L)
    found <- quiet(cluster_bethe_hessian(graph))
    expect_output(print(found), "Graph: 1 weight lowered to 3 in the search")
    expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.75)
  }
  found <- quiet(cluster_communities(heavy_edge(10)))
  expect_length(found, 3)
  # at a given r the count is that of the matrix
  graph <- heavy_edge(10)
  H <- quiet(bethe_hessian(graph, 15))
  values <- eigen(as.matrix(H), symmetric = TRUE, only.values = TRUE)$values
  expect_identical(quiet(count_communities(graph, 15)), sum(values < 0))
  # edges of one weight are not damped
  expect_silent(count_communities(karate(), weights = rep(7, 78)))
})

test_that("a few edges that hold nearly all weight do not hide the communities", {
  set.seed(54)
  for (weight in c(1e6, 1e12)) {
    graph <- heavy_edge(weight)
    found <- quiet(cluster_communities(graph))
    expect_length(found, 3)
    expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.75)
    # the modularity of all weights, which is that of one edge
    expect_equal(found$modularity, igraph::modularity(graph, igraph::membership(found), igraph::E(graph)$weight))
  }
  expect_silent(found <- cluster_communities(graph, 3))
  expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.75)
})

test_that("heavy tails of the weights do not hide the communities", {
  set.seed(55)
  for (rest in list(function(m) stats::rgamma(m, 0.2), function(m) stats::runif(m)^(-1 / 0.6))) {
    graph <- heavy_edge(1, rest)
    found <- quiet(cluster_communities(graph, 3))
    expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.75)
  }
})

test_that("similarities of two clouds are divided by their weights", {
  set.seed(52)
  x <- matrix(stats::rnorm(120), 60) + 4 * rep(0:1, each = 30)
  similar <- exp(-as.matrix(stats::dist(x))^2 / 2)
  graph <- igraph::graph_from_adjacency_matrix(similar, "undirected", weighted = TRUE, diag = FALSE)
  found <- quiet(cluster_communities(graph))
  expect_identical(found$rule, "stability")
  expect_length(found, 2)
  expect_identical(sum(found$candidates$chosen), 1L)
  expect_equal(found$modularity, found$candidates$modularity[found$candidates$chosen])
  expect_equal(found$modularity, igraph::modularity(graph, igraph::membership(found), igraph::E(graph)$weight))
  expect_match(format(found), "Method: Leiden, stability", all = FALSE)
})

test_that("similarities of three clouds, most of them near 0, are divided by the weights as given", {
  set.seed(54)
  block <- rep(1:3, each = 40)
  x <- matrix(stats::rnorm(240), 120) + 3.5 * cbind(block %% 2, block > 2)
  similar <- exp(-as.matrix(stats::dist(x))^2 / 2)
  graph <- igraph::graph_from_adjacency_matrix(similar, "undirected", weighted = TRUE, diag = FALSE)
  # most weights within the clouds are above three times the median
  expect_silent(found <- cluster_communities(graph))
  expect_length(found, 3)
  expect_gt(compare_clusters(block, found), 0.7)
  # one cloud is not divided
  one <- exp(-as.matrix(stats::dist(matrix(stats::rnorm(500), 100)))^2 / 10)
  one <- igraph::graph_from_adjacency_matrix(one, "undirected", weighted = TRUE, diag = FALSE)
  expect_length(quiet(cluster_communities(one)), 1)
})

test_that("weights of no structure are one community", {
  set.seed(53)
  for (rest in list(stats::runif, stats::rexp)) {
    graph <- igraph::sample_gnm(200, 700)
    igraph::E(graph)$weight <- rest(700)
    found <- quiet(cluster_communities(graph))
    expect_identical(linked_communities(found), 1L)
    expect_equal(found$modularity, 0)
    expect_match(format(found), "^1 community", all = FALSE)
  }
})

test_that("a large weighted graph without communities has candidates of at least one community, without a warning", {
  set.seed(57)
  graph <- igraph::sample_gnm(1500, 6800)
  igraph::E(graph)$weight <- stats::rexp(6800)
  expect_no_warning(found <- quiet(cluster_communities(graph)))
  expect_identical(linked_communities(found), 1L)
  expect_gte(min(found$candidates$k), 1)
})

test_that("weights without structure do not hide the groups of the edges", {
  set.seed(56)
  graph <- sample_sparse_sbm(200, 3, 10, 2.4)
  plain <- quiet(cluster_communities(graph))
  igraph::E(graph)$weight <- stats::rlnorm(igraph::ecount(graph), 0, 2)
  found <- quiet(cluster_communities(graph))
  expect_length(found, length(plain))
  expect_gt(compare_clusters(plain, found), 0.95)
})

test_that("equal weights are no weights", {
  set.seed(1)
  for (weight in c(7, 0.3, 1e-20)) {
    graph <- igraph::set_edge_attr(karate(), "weight", value = weight)
    for (method in list(cluster_communities, cluster_kgroups, cluster_bethe_hessian, cluster_belief_propagation)) {
      set.seed(1)
      one <- quiet(method(karate(), 2))
      set.seed(1)
      two <- quiet(method(graph, 2))
      expect_identical(two$membership, one$membership)
    }
    expect_identical(quiet(count_communities(graph)), quiet(count_communities(karate())))
    set.seed(1)
    fit <- quiet(kgroups(graph, 2))
    set.seed(1)
    expect_equal(fit$W, quiet(kgroups(karate(), 2))$W)
    # new edges have the unit of the graph's
    edges <- rbind(weight * as.numeric(seq_len(34) < 4))
    expect_identical(unname(predict(fit, edges)), unname(predict(quiet(kgroups(karate(), 2)), edges / weight)))
    expect_error(predict(fit, edges * 2), class = "kg_error_newdata")
    expect_length(predict(quiet(kgroups(graph, 2, weights = "log1p")), edges), 1)
    # the matrix itself has r in the unit of the weights
    expect_gt(attr(bethe_hessian(igraph::set_edge_attr(karate(), "weight", value = 7)), "r"), 10)
  }
})

test_that("communities across components and a modularity below 0 are reported", {
  two <- igraph::disjoint_union(igraph::make_full_graph(3), igraph::make_full_graph(3))
  expect_message(cluster_bethe_hessian(two, 1), class = "kg_message_components")
  expect_snapshot({
    one <- cluster_bethe_hessian(igraph::add_vertices(two, 2), 2)
    star <- cluster_kgroups(igraph::make_star(20, mode = "undirected"), 3)
  })
  expect_lt(star$modularity, 0)
  expect_silent(cluster_bethe_hessian(two, 2))
})

test_that("work is bounded: fewer models and sweeps for many groups", {
  set.seed(54)
  graph <- igraph::sample_islands(30, 12, 0.8, 1)
  input <- read_graph(graph, 30, NULL, NULL)
  expect_lte(length(add_number(list(), input, 30L, list(), 3)$candidates), 3)
  found <- quiet(cluster_communities(graph))
  expect_gt(found$modularity, 0.95 * max(found$candidates$modularity))
})

test_that("models far behind at the first number are not fitted for others, and would not be chosen there", {
  set.seed(62)
  graph <- linked_graph(as_simple_adjacency(igraph::sample_sbm(450, diag(0.08, 3) + 0.01, c(200, 150, 100))))
  input <- c(list(simple = graph), damped_graph(graph))
  search <- add_number(list(), input, 3L, list(), 3)
  nats <- vapply(search$candidates, `[[`, 0, "description_length")
  models <- vapply(search$candidates, `[[`, "", "model")
  expect_identical(models, names(belief_models))
  near <- models[nats < min(nats) + far_model]
  expect_lt(length(near), length(belief_models))
  more <- add_number(search, input, 4L, list(), 3)$candidates
  expect_identical(vapply(more[-seq_along(models)], `[[`, "", "model"), near)
  all <- belief_candidates(graph, belief_starts(graph, input$parts, 4L, 3), 4L)
  expect_true(names(which.min(vapply(all, `[[`, 0, "description_length"))) %in% near)
})

# Everything about the vertices with edges, if `more` isolated ones stand before them and as many after them.
of_linked <- function(graph, more, method, ...) {
  n <- igraph::vcount(graph)
  inside <- more + seq_len(n)
  set.seed(1)
  whole <- igraph::permute(igraph::add_vertices(graph, 2 * more), c(inside, seq_len(more), n + more + seq_len(more)))
  expect_no_warning(found <- quiet(method(whole, ...)))
  expect_identical(found$isolated, as.integer(2 * more))
  expect_setequal(found$membership[-inside], linked_communities(found) + seq_len(2 * more))
  list(
    found$candidates[names(found$candidates) != "membership"], lapply(found$candidates$membership, `[`, inside),
    found[c("rule", "dispersion", "stability", "passed", "modularity")], found$membership[inside],
    attr(found, "marginals")[inside, ], attributes(found)[c("rates", "model", "description_length")]
  )
}

test_that("isolated vertices change nothing, however many, wherever they stand and however large the graph is", {
  set.seed(58)
  graphs <- list(
    blocks = igraph::sample_sbm(500, diag(0.11, 5) + 0.01, rep(100, 5)),
    small_world = igraph::sample_smallworld(1, 150, 4, 0.05), random = igraph::sample_k_regular(100, 3),
    weighted = igraph::set_edge_attr(karate(), "weight", value = stats::rexp(78))
  )
  for (graph in graphs[repeats(c("small_world", "random"), names(graphs))]) {
    found <- of_linked(graph, 0, cluster_communities)
    for (more in repeats(4, c(1, 4, 40))) expect_equal(of_linked(graph, more, cluster_communities), found)
  }
  graph <- repeats(graphs$weighted, graphs$blocks)
  for (method in list(cluster_communities, cluster_belief_propagation)) {
    expect_equal(of_linked(graph, 7, method, 3), of_linked(graph, 0, method, 3))
  }
  for (more in c(0, 1, 4)) {
    first <- igraph::disjoint_union(igraph::make_empty_graph(more, directed = FALSE), graphs$blocks)
    found <- quiet(cluster_communities(first))
    expect_identical(linked_communities(found), 5L)
    expect_gt(compare_clusters(rep(1:5, each = 100), utils::tail(found$membership, 500)), 0.9)
  }
  two <- igraph::disjoint_union(
    igraph::make_full_graph(30), igraph::make_full_graph(30), igraph::make_empty_graph(3, FALSE)
  )
  expect_identical(quiet(cluster_communities(two, 2))$membership, c(rep(1:2, each = 30), 3:5))
  # more groups than vertices with edges
  three <- igraph::add_vertices(igraph::make_ring(3), 4)
  for (method in list(cluster_communities, cluster_belief_propagation)) expect_length(quiet(method(three, 6)), 7)
})

# The neighbour graph of points.
neighbour_graph <- function(x, k) {
  d <- as.matrix(stats::dist(x))
  near <- t(apply(d, 1, order))[, seq_len(k) + 1L]
  igraph::simplify(igraph::make_graph(rbind(rep(seq_len(nrow(x)), k), c(near)), n = nrow(x), directed = FALSE))
}

test_that("graphs of neighbours: clear clouds are communities, one cloud and small worlds are one", {
  set.seed(59)
  block <- rep(1:4, each = 75)
  x <- matrix(stats::rnorm(4 * 6), 4)[block, ] * 3 + matrix(stats::rnorm(300 * 6), 300)
  graph <- neighbour_graph(x, 8)
  found <- quiet(cluster_communities(graph))
  expect_identical(found$rule, "stability")
  expect_gt(compare_clusters(block, found), 0.95)
  # with similarities as weights, in any unit
  ends <- igraph::as_edgelist(graph)
  igraph::E(graph)$weight <- exp(-rowSums((x[ends[, 1], ] - x[ends[, 2], ])^2) / 8)
  weighted <- quiet(cluster_communities(graph))
  expect_gt(compare_clusters(block, weighted), 0.95)
  igraph::E(graph)$weight <- igraph::E(graph)$weight * 1e4
  set.seed(1)
  large <- quiet(cluster_communities(graph))
  expect_identical(compare_clusters(weighted, large), 1)
  one_graph <- neighbour_graph(matrix(stats::rnorm(300 * 6), 300), 8)
  one <- quiet(cluster_communities(one_graph))
  expect_length(one, 1)
  expect_gt(one$passed$k, 1)
  # the seed changes neither
  set.seed(2)
  expect_identical(quiet(cluster_communities(one_graph))[c("membership", "passed")], one[c("membership", "passed")])
  expect_match(format(one), "^Passed over: k = ", all = FALSE)
  expect_length(quiet(cluster_communities(igraph::sample_smallworld(1, 300, 4, 0.05))), 1)
})

test_that("fewer communities than at the largest modularity are found if they come back", {
  set.seed(64)
  block <- rep(1:3, each = 100)
  graph <- neighbour_graph(matrix(stats::rnorm(600), 300) + 5 * cbind(block == 2, block == 3), 10)
  found <- quiet(cluster_communities(graph))
  expect_gt(compare_clusters(block, found), 0.9)
  table <- found$candidates
  top <- which.max(table$modularity)
  expect_lt(table$k[table$chosen], table$k[top])
  # no partition has a larger stability times gain
  score <- table$nats * table$stability
  expect_identical(which.max(ifelse(table$stability >= least_stability, score, 0)), which(table$chosen))
  untried <- is.na(table$stability) & table$k <= 300 * most_communities
  expect_true(all(table$nats[untried] <= score[table$chosen]))
})

test_that("the index of stability counts pairs of vertices by their degrees", {
  set.seed(66)
  one <- sample.int(3, 40, TRUE)
  other <- ifelse(stats::runif(40) < 0.4, sample.int(4, 40, TRUE), one)
  expect_equal(weighted_rand(one, other, rep(2.5, 40)), adjusted_rand(one, other))
  # by all pairs
  weight <- stats::rexp(40)
  pairs <- utils::combn(40, 2)
  mass <- weight[pairs[1, ]] * weight[pairs[2, ]]
  same <- lapply(list(one, other), function(labels) labels[pairs[1, ]] == labels[pairs[2, ]])
  share <- vapply(same, function(pair) sum(mass[pair]), 0)
  expected <- prod(share) / sum(mass)
  by_pairs <- (sum(mass[same[[1]] & same[[2]]]) - expected) / (mean(share) - expected)
  expect_equal(weighted_rand(one, other, weight), by_pairs)
  expect_equal(weighted_rand(one, one, weight), 1)
  expect_equal(weighted_rand(rep(1, 40), one, weight), 0)
  # a vertex of no weight is left out
  expect_equal(weighted_rand(c(one, 1), c(other, 2), c(weight, 0)), weighted_rand(one, other, weight))
})

test_that("two cores with a rim of vertices of one edge are found", {
  set.seed(67)
  core <- igraph::sample_sbm(60, diag(0.5, 2) + 0.05, c(30, 30))
  rim <- sample.int(60, 140, TRUE)
  graph <- igraph::add_edges(igraph::add_vertices(core, 140), rbind(60 + 1:140, rim))
  found <- cluster_communities(graph)
  expect_identical(found$rule, "stability")
  expect_gt(compare_clusters(rep(1:2, each = 30), found$membership[1:60]), 0.9)
})

test_that("one spectrum serves the starts of near numbers", {
  set.seed(68)
  graph <- sample_sparse_sbm(400, 4, 8, 1.9)
  simple <- linked_graph(as_simple_adjacency(graph))
  parts <- bethe_parts(simple)
  shared <- with_spectrum(simple, parts, 4L)
  expect_length(shared$spectrum$values, 5)
  own <- graph_starts(simple, parts, 4L, TRUE, 5, one = TRUE)[[1]]
  expect_gt(compare_clusters(own, graph_starts(simple, shared, 4L, TRUE, 5, one = TRUE)[[1]]), 0.95)
  for (k in 2:6) expect_identical(max(graph_starts(simple, shared, k, TRUE, 5, one = TRUE)[[1]]), k)
})

test_that("the order of vertices and the seed change neither the rule nor clear communities", {
  set.seed(64)
  block <- rep(1:3, each = 60)
  x <- matrix(stats::rnorm(3 * 6), 3)[block, ] * 3 + matrix(stats::rnorm(180 * 6), 180)
  planted <- igraph::sample_sbm(180, diag(0.3, 3) + 0.02, rep(60, 3))
  weighted <- igraph::set_edge_attr(planted, "weight", value = stats::rgamma(igraph::ecount(planted), 2))
  for (graph in list(planted, weighted, neighbour_graph(x, 8))) {
    found <- quiet(cluster_communities(graph))
    expect_gt(compare_clusters(block, found), 0.95)
    to <- sample.int(180)
    turned <- quiet(cluster_communities(igraph::permute(graph, to)))
    expect_identical(turned$rule, found$rule)
    expect_identical(compare_clusters(found$membership, turned$membership[to]), 1)
    again <- quiet(cluster_communities(graph))
    expect_identical(again$membership, found$membership)
  }
})

test_that("for given k, where no block model fits, no candidate of k communities has a larger modularity", {
  set.seed(65)
  x <- matrix(stats::rnorm(400), 200)
  for (graph in list(neighbour_graph(x, 8), sample_likings(200, 3, 20, 6, 0.5))) {
    for (k in c(2L, 4L)) {
      found <- quiet(cluster_communities(graph, k))
      table <- found$candidates
      expect_identical(found$rule, "modularity")
      expect_equal(found$modularity, max(table$modularity[table$k == k]))
    }
  }
})

test_that("a number of communities up to that of vertices is answered", {
  set.seed(2)
  x <- matrix(rnorm(60), 30)
  near <- as.matrix(dist(x)) < 0.8
  graphs <- list(igraph::graph_from_adjacency_matrix(near, "undirected", diag = FALSE), igraph::make_ring(20))
  for (graph in graphs) {
    n <- igraph::vcount(graph)
    for (k in n - 0:2) {
      found <- suppressMessages(cluster_communities(graph, k))
      expect_length(igraph::membership(found), n)
      expect_false(anyNA(igraph::membership(found)))
    }
  }
})

test_that("groups in the weights of a complete graph are found", {
  set.seed(66)
  block <- rep(1:3, each = 25)
  graph <- igraph::make_full_graph(75)
  ends <- igraph::as_edgelist(graph)
  same <- block[ends[, 1]] == block[ends[, 2]]
  igraph::E(graph)$weight <- stats::rgamma(length(same), 2) * (1 + 2 * same)
  expect_gt(compare_clusters(block, quiet(cluster_communities(graph))), 0.95)
})

test_that("seeds and threads change no answer", {
  set.seed(66)
  clique <- igraph::make_full_graph
  graphs <- list(
    karate(), igraph::make_ring(24), igraph::sample_tree(30), igraph::sample_gnm(40, 80),
    igraph::sample_sbm(60, diag(0.5, 2) + 0.05, c(30, 30)),
    neighbour_graph(matrix(stats::rnorm(9), 3)[rep(1:3, each = 30), ] * 3 + matrix(stats::rnorm(270), 90), 6),
    igraph::disjoint_union(rep(list(clique(5)), 3)), igraph::disjoint_union(clique(9), igraph::sample_gnm(30, 70))
  )
  on.exit(.Call(ffi_choose_threads, 1))
  for (graph in graphs[seq(1, 8, repeats(3, 1))]) {
    found <- lapply(seq_len(repeats(2, 5)), function(seed) {
      set.seed(seed)
      .Call(ffi_choose_threads, 1 + seed %% 2)
      quiet(cluster_communities(graph))
    })
    for (other in found[-1L]) {
      expect_identical(other$rule, found[[1L]]$rule)
      expect_length(other, length(found[[1L]]))
      expect_identical(compare_clusters(other$membership, found[[1L]]$membership), 1)
    }
  }
})

test_that("the gain of a planted partition is its definition", {
  set.seed(5)
  graph <- igraph::sample_gnm(40, 150)
  weights <- stats::rexp(150)
  for (w in list(NULL, weights)) {
    simple <- as_simple_adjacency(graph, w)
    a <- if (is.null(w)) rep(1, 150) else pmin(w, 3 * stats::median(w))
    a <- a / mean(a)
    labels <- rep(1:4, 10)
    ends <- igraph::as_edgelist(graph)
    m <- sum(a)
    inside <- sum(a[labels[ends[, 1]] == labels[ends[, 2]]])
    volume <- vapply(1:4, function(l) sum(a * ((labels[ends[, 1]] == l) + (labels[ends[, 2]] == l))), 0)
    expected <- sum(volume^2) / (4 * m)
    code <- lfactorial(40) - 4 * lfactorial(10) + lchoose(39, 3) + log(40)
    gain <- inside * log(inside / expected) + (m - inside) * log((m - inside) / (m - expected)) - log(m) / 2 - code
    expect_equal(planted_gain(simple, labels), gain)
    expect_identical(planted_gain(simple, rep(1L, 40)), 0)
  }
})

test_that("a random graph of the same degrees has them inside and between, and its excess is about 0", {
  set.seed(6)
  graph <- sample_sparse_sbm(400, 4, 12, 2.4)
  block <- igraph::V(graph)$block
  simple <- linked_graph(as_simple_adjacency(graph))
  labels <- block[simple$linked]
  random <- rewired_graph(simple, labels)
  expect_lte(length(random$adjacency@x), length(simple$adjacency@x))
  inside <- function(simple) sum(labels[simple$adjacency@i + 1L] == labels[column_index(simple$adjacency)])
  expect_gt(inside(random), 0.9 * inside(simple))
  expect_lt(modularity_excess(simple, leiden_partitions(simple), labels), most_excess)
  lattice <- linked_graph(as_simple_adjacency(igraph::make_lattice(c(20, 20))))
  expect_gt(modularity_excess(lattice, leiden_partitions(lattice), rep(1L, 400)), most_excess)
})
