random_beliefs <- function(n, k) {
  P <- matrix(rexp(n * k), n)
  P / rowSums(P)
}

# The result that the compiled entry makes of a plain matrix, the model given by its parts.
run_belief <- function(A, P, rates, sweeps, learn, has, tolerance = 0) {
  A <- methods::as(methods::as(Matrix::Matrix(A, sparse = TRUE), "generalMatrix"), "CsparseMatrix")
  weight <- if (any(A@x != 1)) A@x
  .Call(
    ffi_belief, list(p = A@p, i = A@i, weight = weight), t(P),
    list(
      theta = has$theta, bin = if (!is.null(has$bins)) has$bins$bin - 1L, share = has$bins$share,
      learn_sizes = has$sizes, normed = has$norm, rates = as.double(rates)
    ),
    list(sweeps = sweeps, learn = learn, tolerance = tolerance)
  )
}

# The six models, and two with edge weights, on one adjacency matrix.
forms_of <- function(A) {
  theta <- rowSums(A) / mean(rowSums(A))
  bins <- bin_degrees(rowSums(A > 0))
  form <- function(theta = NULL, sizes = FALSE, norm = FALSE, bins = NULL, weights = FALSE) {
    list(theta = theta, sizes = sizes, norm = norm, bins = bins, weights = weights)
  }
  list(
    plain = form(), plain_p = form(sizes = TRUE), dc = form(theta), dc_p = form(theta, TRUE),
    dc_norm = form(theta, TRUE, TRUE), dc_norm_bins = form(theta, TRUE, TRUE, bins),
    weighted = form(weights = TRUE), weighted_dc = form(theta, TRUE, weights = TRUE)
  )
}

test_that("sweeps, parameters and free energy are those of the definition", {
  set.seed(1)
  for (case in repeats(2:3, 1:6)) {
    n <- sample(6:14, 1)
    k <- sample(1:4, 1)
    A <- as.matrix(igraph::as_adjacency_matrix(igraph::sample_gnp(n, 0.35)))
    P <- random_beliefs(n, k)
    for (has in forms_of(A)) {
      values <- A
      if (has$weights) {
        values <- values * upper.tri(A) * matrix(runif(n * n, 0.3, 2), n)
        values <- values + t(values)
      }
      rates <- if (case %% 2) c(6, 1.5) else c(1, 4)
      learn <- k > 1 && case %% 3 != 0
      for (sweeps in c(0, 1, 4)) {
        want <- reference_belief(values, P, rates, sweeps, learn, has)
        got <- run_belief(values, P, rates, sweeps, learn, has)
        expect_equal(t(got$marginals), want$P, tolerance = 1e-8)
        expect_equal(as.vector(got$rates), as.vector(want$rates), tolerance = 1e-8)
        # what theta adds is not the kernel's
        adds <- if (!is.null(has$theta)) sum(log(has$theta[has$theta > 0]) * rowSums(values)[has$theta > 0]) else 0
        expect_equal(got$energy - adds, want$energy, tolerance = 1e-8)
      }
    }
  }
})

test_that("on trees, sweeps end at the exact marginals, and F is the exact free energy", {
  # Given the field h of the end, P(z) is proportional to prod_i g X exp(-h_i) prod_ij psi, whose
  # marginals and sum over all z can be written out; with the field's own share, F is -log of the sum.
  set.seed(2)
  n <- 7
  k <- 2
  states <- as.matrix(expand.grid(rep(list(seq_len(k)), n)))
  trees <- list(igraph::make_tree(n, 2, mode = "undirected"), igraph::make_star(n, mode = "undirected"))
  for (tree in trees) {
    A <- as.matrix(igraph::as_adjacency_matrix(tree))
    ends <- igraph::as_edgelist(tree)
    for (has in forms_of(A)) {
      values <- A
      if (has$weights) values[values > 0] <- A[values > 0] * outer(1:n, 1:n, "+")[values > 0] / n
      rates <- c(2, 1)
      P <- random_beliefs(n, k)
      got <- run_belief(values, P, rates, 40000, FALSE, has, 1e-15)
      P <- t(got$marginals)
      end <- reference_belief(values, P, rates, 0, FALSE, has)
      mass <- apply(states, 1, function(z) {
        edges <- mapply(function(psi, i, j) psi[z[i], z[j]], end$psi, ends[, 1], ends[, 2])
        prod(end$alone[cbind(seq_len(n), z)]) * prod(edges)
      })
      marginal <- vapply(seq_len(n), function(i) sum(mass[states[, i] == 1]) / sum(mass), 0)
      expect_equal(got$marginals[1, ], marginal, tolerance = 1e-6)
      adds <- if (!is.null(has$theta)) sum(log(has$theta) * rowSums(values)) else 0
      expect_equal(got$energy - adds, -log(sum(mass)) - sum(P * end$h) / 2, tolerance = 1e-6)
    }
  }
})

test_that("with one group F is minus the logarithm of the chance of the graph", {
  set.seed(32)
  A <- as.matrix(igraph::as_adjacency_matrix(igraph::sample_gnp(15, 0.5)))
  theta <- runif(15, 0.3, 2)
  for (has in forms_of(A)[c("plain", "dc")]) {
    if (!is.null(has$theta)) has$theta <- theta
    got <- run_belief(A, matrix(1, 15), c(7, 1), 0, FALSE, has)
    there <- if (is.null(has$theta)) rep(1, 15) else theta
    p <- 1 - exp(-outer(there, there) * 7 / 15)
    pair <- upper.tri(A)
    adds <- sum(log(there) * rowSums(A))
    expect_equal(got$energy - adds, -sum(log(ifelse(A == 1, p, 1 - p)[pair])), tolerance = 1e-10)
  }
})

test_that("fugacities give every vertex its degree in the mean, and the variance of it", {
  set.seed(33)
  star <- igraph::make_star(40, mode = "undirected")
  for (graph in list(sample_hubs(300, 1, 8, 0, 1.5), star, igraph::make_full_graph(12))) {
    d <- igraph::degree(graph)
    n <- length(d)
    found <- fugacities(d)
    p <- 1 - exp(-outer(found$t, found$t))
    diag(p) <- 0
    expect_equal(rowSums(p), pmin(d, n - 1.5), tolerance = 1e-4, ignore_attr = TRUE)
    expect_equal(rowSums(p * (1 - p)), found$variance, tolerance = 1e-4, ignore_attr = TRUE)
  }
  expect_identical(fugacities(c(0L, 0L))$t, c(0, 0))
  # where no pair is likely, the share in the edges
  d <- rep(c(1, 2, 3), 2000)
  t <- fugacities(d)$t
  expect_equal(t / mean(t), d / mean(d), tolerance = 1e-2)
})

test_that("hubs that would have double edges do not make groups of their own", {
  # every second pair of the hubs is joined, which a Poisson number of edges would call too few
  set.seed(34)
  scores <- vapply(seq_len(repeats(2, 4)), function(i) {
    graph <- sample_hubs(600, 3, 8, 1.8, 1.4)
    found <- cluster_belief_propagation(graph, 3)
    start <- cluster_bethe_hessian(graph, 3)
    c(compare_clusters(igraph::V(graph)$block, found), compare_clusters(igraph::V(graph)$block, start))
  }, numeric(2))
  expect_gt(min(scores[1, ] - scores[2, ]), -0.03)
  expect_gt(mean(scores[1, ]), mean(scores[2, ]))
})

test_that("bins hold the degrees of the formula, and their widths count them", {
  d <- 0:5000
  formula <- ifelse(d <= 5, d, floor(6 + 2 * log2(pmax(d, 6) / 6) + 1e-12))
  got <- bin_degrees(d)
  expect_identical(got$bin - 1L, as.integer(formula))
  # the widths do not depend on which degrees there are
  expect_identical(got$width[7:9], c(3, 3, 5))
  whole <- seq_len(max(formula)) # the last bin is cut by 5000
  expect_equal(got$width[whole], as.vector(table(formula))[whole])
  for (largest in c(0, 1, 5, 6, 8, 9, 11, 12, 100)) {
    one <- bin_degrees(c(0L, as.integer(largest)))
    expect_length(one$width, max(one$bin))
    expect_equal(one$width, got$width[seq_along(one$width)])
  }
})

test_that("the code length of degrees is that of a law flat within bins", {
  degree <- c(0, 1, 1, 2, 6, 7, 7, 8, 9, 30)
  # 0, 1, 2, {6, 7, 8}, 9 of {9, 10, 11}, 30 of {24 .. 33}: probability of each degree
  p <- c(1 / 10, 2 / 10, 2 / 10, 1 / 10, rep(4 / 10 / 3, 4), 1 / 10 / 3, 1 / 10 / 10)
  expect_equal(degree_code_length(bin_degrees(degree)), -sum(log(p)) + 6 / 2 * log(10))
})

test_that("the description length is the sum of its parts", {
  set.seed(3)
  graph <- sample_sparse_sbm(60, 3, 5, 2)
  simple <- as_simple_adjacency(graph)
  d <- igraph::degree(graph)
  m <- igraph::ecount(graph)
  run <- list(energy = 10, marginals = t(random_beliefs(60, 3)))
  extra <- function(model) description_length(simple, run, model) - 10
  bins <- bin_degrees(d)
  degrees <- degree_log_chance(d) + degree_code_length(bins)
  # without isolated vertices, of graphs that have none
  linked <- if (all(d > 0)) 60 * log(1 - exp(-mean(d))) else 0
  expect_equal(extra("plain"), log(m) + linked)
  expect_equal(extra("plain_p"), log(m) + log(60) + linked)
  expect_equal(extra("dc"), log(m) + degrees)
  expect_equal(extra("dc_p"), log(m) + log(60) + degrees)
  expect_equal(extra("dc_norm"), 5 / 2 * log(m) + log(60) + degrees)
  expect_equal(
    extra("dc_norm_bins"), 5 / 2 * log(m) + log(60) + degrees + degree_distribution_cost(bins, t(run$marginals))
  )
  # one group: one rate, whatever the model; it is the likelihood of a random graph
  alone <- list(energy = 10, marginals = matrix(1, 1, 60))
  expect_equal(description_length(simple, alone, "plain") - 10, log(m) / 2 + linked)
  one <- propagate_beliefs(simple, rep(1L, 60), 1)
  pairs <- 60 * 59 / 2
  expect_equal(one$energy, -(m * log(m / pairs) + (pairs - m) * log(1 - m / pairs)), tolerance = 1e-6)
  # degree-corrected with one group: as many edges as there are, in the mean
  one <- propagate_beliefs(simple, rep(1L, 60), 1, model = "dc")
  p <- 1 - exp(-outer(fugacities(d)$t, fugacities(d)$t))
  A <- as.matrix(simple$adjacency)
  expect_equal(one$energy, -sum(log(ifelse(A == 1, p, 1 - p))[upper.tri(p)]), tolerance = 1e-6)
})

test_that("degree distributions cost the log ratio of what was learnt to all that could be", {
  # two bins, one group: the average over a beta prior by numbers
  bins <- list(bin = c(1, 1, 1, 2, 2), share = c(0.6, 0.4), count = c(3, 2))
  p <- function(x) x^3 * (1 - x)^2 * dbeta(x, 20 * 0.6, 20 * 0.4)
  average <- integrate(p, 0, 1, rel.tol = 1e-10)$value
  learnt <- ((3 + 12) / 25)^3 * ((2 + 8) / 25)^2
  expect_equal(degree_distribution_cost(bins, matrix(1, 5, 1)), log(learnt) - log(average), tolerance = 1e-8)
  # bins without a vertex change nothing
  more <- list(bin = c(1, 1, 1, 3, 3), share = c(0.6, 0, 0.4), count = c(3, 0, 2))
  expect_equal(degree_distribution_cost(more, matrix(1, 5, 1)), degree_distribution_cost(bins, matrix(1, 5, 1)))
})

test_that("norms are the same model in other units of theta", {
  set.seed(30)
  A <- as.matrix(igraph::as_adjacency_matrix(igraph::sample_gnp(12, 0.4)))
  P <- random_beliefs(12, 3)
  has <- forms_of(A)$dc_norm
  one <- run_belief(A, P, c(4, 2), 5, TRUE, has)
  has$theta <- has$theta * 7
  other <- run_belief(A, P, c(4, 2), 5, TRUE, has)
  expect_equal(other$marginals, one$marginals, tolerance = 1e-9)
  # sum of d_i log theta_i is what F differs by
  expect_equal(other$energy - one$energy, sum(A) * log(7), tolerance = 1e-9)
})

test_that("labels that are permuted, and vertices in another order, give the same groups", {
  set.seed(31)
  graph <- sample_sparse_sbm(300, 3, 8, 2)
  simple <- as_simple_adjacency(graph)
  labels <- as.integer(igraph::V(graph)$block)
  to <- sample.int(300)
  turned <- as_simple_adjacency(igraph::permute(graph, to))
  for (model in names(belief_models)) {
    one <- propagate_beliefs(simple, labels, 3, model = model, tolerance = 0)
    two <- propagate_beliefs(simple, c(3L, 1L, 2L)[labels], 3, model = model, tolerance = 0)
    expect_equal(two$marginals, one$marginals[c(2, 3, 1), ], tolerance = 1e-8)
    expect_equal(two$energy, one$energy, tolerance = 1e-10)
    far <- propagate_beliefs(turned, labels[order(to)], 3, sweeps = 200, model = model, tolerance = 0)
    near <- propagate_beliefs(simple, labels, 3, sweeps = 200, model = model, tolerance = 0)
    expect_equal(far$energy, near$energy, tolerance = 1e-6)
    expect_equal(far$marginals[, to], near$marginals, tolerance = 1e-4)
  }
})

test_that("a vertex with many edges neither over- nor underflows", {
  n <- 20001
  hub <- igraph::make_star(n, mode = "undirected")
  simple <- as_simple_adjacency(hub)
  # the first third of the leaves sure of group 1, the rest sure of group 2
  labels <- c(NA, rep(1:2, c(6000, 14000)))
  found <- propagate_beliefs(simple, labels, 2, sweeps = 1, rates = c(500, 0.01), belief = 0.999999)
  expect_true(all(is.finite(found$marginals)))
  expect_gt(found$marginals[2, 1], 0.999)
  expect_equal(colSums(found$marginals), rep(1, n))
})

test_that("the rates of labels are the formulas", {
  set.seed(3)
  graph <- igraph::sample_gnm(20, 40)
  simple <- as_simple_adjacency(graph)
  labels <- sample(c(1:3, NA), 20, replace = TRUE)
  ends <- igraph::as_edgelist(graph)
  from <- labels[ends[, 1]]
  to <- labels[ends[, 2]]
  inside <- sum(from == to, na.rm = TRUE)
  outside <- sum(from != to, na.rm = TRUE)
  S <- tabulate(labels, 3)
  expect_equal(
    label_rates(simple, labels, 3),
    pmax(0.01, 2 * 20 * c(inside / sum(S^2), outside / (sum(S)^2 - sum(S^2))))
  )
})

test_that("it comes near the best possible, and above its start", {
  set.seed(4)
  gap <- vapply(1:4, function(i) {
    graph <- sample_sparse_sbm(600, 3, 4, 1.7)
    block <- igraph::V(graph)$block
    a <- 4 + 2 * 1.7 * 2
    b <- 4 - 1.7 * 2
    best <- propagate_beliefs(as_simple_adjacency(graph), block, 3, 200, rates = c(a, b))
    best <- compare_clusters(block, max.col(t(best$marginals), "first"), "overlap")
    start <- compare_clusters(block, cluster_bethe_hessian(graph, 3), "overlap")
    found <- cluster_belief_propagation(graph, 3)
    c(best - compare_clusters(block, found, "overlap"), compare_clusters(block, found, "overlap") - start)
  }, numeric(2))
  expect_lte(max(gap[1, ]), 0.02 + 1e-12)
  expect_lte(mean(gap[1, ]), 0.01 + 1e-12)
  expect_gt(mean(gap[2, ]), -0.002)
})

test_that("communities with marginals that match them", {
  set.seed(5)
  graph <- sample_sparse_sbm(200, 4, 8, 2)
  igraph::V(graph)$name <- paste0("v", 1:200)
  found <- cluster_belief_propagation(graph, 4)
  expect_s3_class(found, "communities")
  marginals <- attr(found, "marginals")
  expect_identical(dim(marginals), c(200L, 4L))
  expect_identical(rownames(marginals), paste0("v", 1:200))
  expect_equal(rowSums(marginals), rep(1, 200), ignore_attr = TRUE)
  expect_equal(max.col(marginals, "first"), as.vector(igraph::membership(found)))
  rates <- attr(found, "rates")
  expect_named(rates, c("inside", "outside"))
  expect_gt(rates[["inside"]], rates[["outside"]])
  expect_lte(attr(found, "sweeps"), 40) # at most 40 now, when vertices are processed in turn
  expect_equal(attr(cluster_belief_propagation(graph, 4, sweeps = 0), "sweeps"), 0)
  set.seed(6)
  one <- cluster_belief_propagation(graph, 4)
  set.seed(6)
  expect_identical(cluster_belief_propagation(graph, 4), one)
})

test_that("flat beliefs are reported, and the labels are those of the start", {
  set.seed(20)
  # a denser one would be overfitted instead, now that pairs that are joined have left the field
  graph <- sample_sparse_sbm(300, 4, 10, 0.3)
  set.seed(21)
  expect_message(found <- cluster_belief_propagation(graph, 4), class = "kg_message_uninformative")
  set.seed(21)
  start <- cluster_bethe_hessian(graph, 4)
  expect_identical(igraph::membership(found), igraph::membership(start))
  expect_lt(max(attr(found, "marginals")), 0.5)
  expect_equal(certainty(diag(3)), 1)
  expect_equal(certainty(matrix(1 / 3, 3, 5)), 0)
  expect_equal(certainty(rbind(c(0.7, 0.5), c(0.3, 0.5))), 0.2)
})

test_that("learnt sizes help unequal groups, and their description length is shorter", {
  set.seed(7)
  P <- matrix(2 / 600, 2, 2)
  diag(P) <- 9 / 600
  truth <- rep(1:2, c(450, 150))
  score <- vapply(seq_len(repeats(4, 8)), function(i) {
    graph <- igraph::sample_sbm(600, P, c(450, 150))
    found <- cluster_belief_propagation(graph, 2)
    c(
      compare_clusters(truth, cluster_belief_propagation(graph, 2, model = "plain")),
      compare_clusters(truth, cluster_belief_propagation(graph, 2, model = "plain_p")),
      compare_clusters(truth, found), attr(found, "model") == "plain_p"
    )
  }, numeric(4))
  expect_gt(mean(score[2, ]), mean(score[1, ]) + 0.01)
  expect_gt(mean(score[3, ]), mean(score[2, ]) - 0.01)
  expect_gt(mean(score[4, ]), 0.7)
})

test_that("every model finds clear groups, and a named model is the one that auto evaluates", {
  set.seed(9)
  graph <- sample_sparse_sbm(240, 3, 10, 2.8)
  block <- igraph::V(graph)$block
  set.seed(1)
  auto <- cluster_belief_propagation(graph, 3)
  table <- attr(auto, "models")
  expect_identical(table$model, names(belief_models))
  expect_identical(attr(auto, "model"), table$model[which.min(table$description_length)])
  for (model in names(belief_models)) {
    set.seed(1)
    found <- cluster_belief_propagation(graph, 3, model = model)
    expect_gt(compare_clusters(block, found), 0.95)
    expect_equal(attr(found, "description_length"), table$description_length[table$model == model])
  }
})

test_that("degrees with a heavy tail ask for a degree-corrected model", {
  set.seed(10)
  graph <- sample_hubs(800, 3, 9, 1.8, 2)
  found <- cluster_belief_propagation(graph, 3)
  expect_true(startsWith(attr(found, "model"), "dc"))
  expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.5)
})

test_that("groups that the graph does not carry are dropped, and it is reported", {
  set.seed(11)
  graph <- sample_sparse_sbm(300, 2, 10, 2.8)
  expect_message(found <- cluster_belief_propagation(graph, 5, model = "dc_p"), class = "kg_message_dropped")
  left <- length(found)
  expect_lt(left, 5)
  expect_identical(ncol(attr(found, "marginals")), left)
  expect_equal(rowSums(attr(found, "marginals")), rep(1, 300), ignore_attr = TRUE)
  expect_equal(attr(found, "models")$k, left)
})

test_that("edge weights count as edges in units of their mean", {
  set.seed(8)
  graph <- sample_sparse_sbm(150, 3, 8, 2)
  igraph::E(graph)$weight <- runif(igraph::ecount(graph), 0.5, 1.5)
  one <- cluster_belief_propagation(graph, 3)
  igraph::E(graph)$weight <- igraph::E(graph)$weight * 16
  set.seed(9)
  big <- suppressMessages(cluster_belief_propagation(graph, 3))
  expect_equal(compare_clusters(one, big), 1)
  expect_gt(compare_clusters(igraph::V(graph)$block, one), 0.9)
})

test_that("odd graphs are defined: at most k groups, no missing label, marginals that sum to 1", {
  for (graph in third(odd_graphs(), 2)) {
    n <- igraph::vcount(graph)
    for (k in if (n > 100) 2 else unique(pmin(c(1, 2, 5), n))) {
      found <- suppressMessages(cluster_belief_propagation(graph, k))
      # at most k: groups that nobody is most probably in are dropped and reported, not filled
      left <- sort(unique(as.vector(igraph::membership(found))))
      expect_identical(left, seq_along(left))
      groups <- linked_communities(found)
      expect_lte(groups, k)
      expect_identical(dim(attr(found, "marginals")), c(as.integer(n), max(groups, 1L)))
      expect_equal(rowSums(attr(found, "marginals")), rep(1, n), ignore_attr = TRUE)
    }
  }
})

test_that("wrong arguments are classed errors", {
  graph <- igraph::make_ring(5)
  expect_snapshot(error = TRUE, {
    cluster_belief_propagation(graph, 6)
    cluster_belief_propagation(graph, 2, sweeps = -1)
    cluster_belief_propagation(graph, 2, model = "best")
    cluster_belief_propagation(graph, 2, weights = 1:5, model = "dc_norm")
    cluster_belief_propagation(graph, 2, damping = 1)
    cluster_belief_propagation("graph", 2)
  })
  expect_error(cluster_belief_propagation(graph, 0), class = "kg_error_k")
  withr::local_options(kgroups.memory = 10)
  expect_error(cluster_belief_propagation(graph, 2), class = "kg_error_memory")
})

test_that("the compiled entry refuses whatever is not its own", {
  base <- list(
    graph = list(p = c(0L, 1L, 2L), i = c(1L, 0L), weight = NULL),
    marginals = matrix(0.5, 2, 2),
    model = list(
      theta = c(1, 1), bin = 0:1, share = c(0.5, 0.5), learn_sizes = TRUE, normed = FALSE, rates = c(2, 1)
    ),
    control = list(sweeps = 5, learn = TRUE, tolerance = 0)
  )
  call <- function(arguments) do.call(.Call, c(list(ffi_belief), unname(arguments)))
  expect_silent(call(base))
  wrong <- list(
    list("graph", "p", NULL), list("graph", "p", c(0, 1, 2)), list("graph", "i", c(1L, 1L)), list("graph", "i", 1L),
    list("graph", "p", c(0L, 2L, 2L)), list("graph", "weight", 1:2), list("graph", "weight", 1),
    list("graph", "weight", c(-1, 1)), list("graph", "weight", c(NaN, 1)), list("model", "theta", 1),
    list("model", "theta", c(-1, 1)), list("model", "theta", c(NA, 1)), list("model", "bin", c(0L, 2L)),
    list("model", "bin", c(0L, -1L)), list("model", "bin", c(0, 1)), list("model", "bin", 0L),
    list("model", "share", NULL), list("model", "share", c(NA, 1)), list("model", "learn_sizes", NA),
    list("model", "normed", 1), list("model", "rates", 1),
    list("model", "rates", c(0, 1)), list("model", "rates", c(Inf, 1)), list("model", "rates", NULL),
    list("control", "sweeps", -1), list("control", "sweeps", 1L), list("control", "sweeps", NULL),
    list("control", "learn", NA), list("control", "learn", logical()), list("control", "tolerance", NaN),
    list("control", "tolerance", NULL)
  )
  for (case in wrong) {
    arguments <- base
    arguments[[case[[1]]]][case[[2]]] <- list(case[[3]])
    expect_error(call(arguments))
  }
  for (marginals in list(NULL, 1, c(1, 1, 1), c(1, 1, -1, 1), c(1, 1, NA, 1), "a")) {
    expect_error(call(replace(base, "marginals", list(marginals))))
  }
  expect_error(call(replace(base, "graph", list(1))))
  # norms, a matrix of rates and weights exclude each other
  both <- base
  both$model$normed <- TRUE
  both$graph$weight <- c(1, 1)
  expect_error(call(both))
  # a pattern that is not symmetric
  one_sided <- base
  one_sided$graph <- list(p = c(0L, 1L, 1L), i = 1L, weight = NULL)
  expect_error(call(one_sided))
})

test_that("beliefs print as what they are, with few groups and with one", {
  set.seed(1)
  found <- cluster_belief_propagation(karate(), 2)
  expect_match(format(found), "^2 communities of 34 vertices, modularity 0[.]37", all = FALSE)
  expect_match(format(found), "description length [0-9.]+ nats", all = FALSE)
  expect_output(print(found), "Sizes: ")
  expect_output(print(summary(found)), "free_energy")
  one <- suppressMessages(cluster_belief_propagation(igraph::make_full_graph(12), 2))
  expect_match(format(one)[1], "^[12] communit")
  expect_output(print(summary(one)), "modularity")
})

test_that("of starts that differ in few vertices, up to the order of groups, the last is run", {
  one <- rep(1:4, each = 50)
  near <- replace(c(3L, 1L, 4L, 2L)[one], 1:3, 1L)
  expect_identical(distinct_starts(list(a = one, b = near), 4), list(near))
  for (far in list(replace(one, 1:5, 2L), pmin(one, 3L), replace(one, 1:2, NA))) {
    expect_identical(distinct_starts(list(one, far), 4), list(far, one))
  }
})

test_that("of several starts the run of least free energy is taken, with no more sweeps than allowed", {
  set.seed(63)
  graph <- sample_sparse_sbm(300, 3, 8, 2)
  simple <- as_simple_adjacency(graph)
  starts <- c(list(igraph::V(graph)$block), replicate(4, sample.int(3, 300, TRUE), simplify = FALSE))
  for (sweeps in c(0, 3, 10, 40)) {
    best <- best_run(simple, starts, 3, sweeps, "plain")
    expect_lte(best$sweeps, sweeps)
    alone <- propagate_beliefs(simple, starts[[1L]], 3, sweeps)
    expect_lte(best$energy, alone$energy + 0.01)
  }
})

weights_alone <- function() {
  block <- rep(1:4, each = 50)
  graph <- igraph::sample_gnp(200, 0.1)
  ends <- igraph::as_edgelist(graph)
  same <- block[ends[, 1]] == block[ends[, 2]]
  graph <- igraph::set_edge_attr(graph, "weight", value = stats::rgamma(nrow(ends), 2) * (1 + 3 * same))
  igraph::set_vertex_attr(graph, "block", value = block)
}

test_that("the gain of edges and weights is that of its two likelihoods", {
  set.seed(71)
  graph <- igraph::sample_gnp(30, 0.3)
  weight <- stats::rlnorm(igraph::ecount(graph))
  simple <- as_simple_adjacency(graph, weight)
  labels <- rep(1:3, length.out = 30)
  ends <- igraph::as_edgelist(graph)
  m <- nrow(ends)
  same <- labels[ends[, 1]] == labels[ends[, 2]]
  degree <- igraph::degree(graph)
  # Poisson numbers of edges with rates within and between, against one rate
  expected <- sum(tapply(degree, labels, sum)^2) / (4 * m)
  edges <- sum(same) * log(sum(same) / expected) + sum(!same) * log(sum(!same) / (m - expected)) - log(m) / 2
  # normal logarithms of weights with two means, against one mean
  # less the effects of both ends
  incidence <- outer(1:30, ends[, 1], "==") + outer(1:30, ends[, 2], "==")
  y <- stats::residuals(stats::lm(log(weight) ~ t(incidence)))
  weights <- as.numeric(stats::logLik(stats::lm(y ~ same)) - stats::logLik(stats::lm(y ~ 1))) - log(m) / 2
  code <- log(factorial(30) / factorial(10)^3) + log(choose(29, 2)) + log(30)
  expect_equal(weighted_fit(log_weights(simple), labels)[1], edges + max(0, weights) - code, tolerance = 1e-3)
  expect_identical(weighted_fit(log_weights(simple), rep(1L, 30)), c(0, 1))
  # heavy edges within make it longer than random weights
  heavy <- as_simple_adjacency(graph, exp(4 * same + stats::rnorm(m)))
  expect_gt(weighted_fit(log_weights(heavy), labels)[1], weighted_fit(log_weights(simple), labels)[1])
})

test_that("the dispersion is about 1 for planted groups and above the limit for similarities of one cloud", {
  set.seed(72)
  planted <- weights_alone()
  simple <- as_simple_adjacency(planted, igraph::E(planted)$weight)
  dispersion <- weighted_fit(log_weights(simple), igraph::V(planted)$block)[2]
  expect_gt(dispersion, 0.75)
  expect_lt(dispersion, most_dispersion)
  x <- matrix(stats::rnorm(400), 200)
  near <- exp(-as.matrix(stats::dist(x))^2)
  near[near < 0.5] <- 0
  diag(near) <- 0
  cloud <- as_simple_adjacency(igraph::graph_from_adjacency_matrix(near, "undirected", weighted = TRUE))
  halves <- fit_weighted(log_weights(cloud), 1L + (x[, 1] > 0))
  expect_gt(weighted_fit(log_weights(cloud), halves)[2], most_dispersion)
})

test_that("groups in the weights alone are found, and random weights are one community", {
  set.seed(73)
  graph <- weights_alone()
  found <- cluster_communities(graph)
  expect_gt(compare_clusters(igraph::V(graph)$block, found), 0.7)
  expect_identical(found$candidates$method[found$candidates$chosen], "edges and weights")
  expect_match(format(found), "block model of edges and weights, .* nats shorter", all = FALSE)
  expect_output(print(summary(found)), "edges and weights")
  # any unit of the weights, and the same answer for every seed
  scaled <- igraph::set_edge_attr(graph, "weight", value = igraph::E(graph)$weight * 1e4)
  expect_identical(cluster_communities(scaled)$membership, found$membership)
  # a given number is returned
  given <- lapply(2:6, function(k) cluster_communities(graph, k))
  expect_identical(lengths(given), 2:6)
  expect_gt(compare_clusters(igraph::V(graph)$block, given[[3]]), 0.7)
  random <- igraph::set_edge_attr(graph, "weight", value = sample(igraph::E(graph)$weight))
  expect_length(cluster_communities(random), 1)
})

test_that("a fit of weights drops communities that the graph does not have", {
  set.seed(74)
  graph <- weights_alone()
  known <- log_weights(as_simple_adjacency(graph, igraph::E(graph)$weight))
  split <- 2L * igraph::V(graph)$block - sample(0:1, 200, TRUE)
  fitted <- fit_weighted(known, split)
  expect_gt(weighted_fit(known, fitted)[1], weighted_fit(known, split)[1])
  expect_setequal(unique(fitted), seq_len(max(fitted)))
})
