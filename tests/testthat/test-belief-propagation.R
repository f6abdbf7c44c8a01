random_beliefs <- function(n, k) {
  P <- matrix(rexp(n * k), n)
  P / rowSums(P)
}

run_belief <- function(A, P, rates, sweeps, learn, size_prior = FALSE) {
  A <- methods::as(methods::as(Matrix::Matrix(A, sparse = TRUE), "generalMatrix"), "CsparseMatrix")
  weight <- if (any(A@x != 1)) A@x
  call_belief(list(A@p, A@i, weight, t(P), rates, sweeps, learn, size_prior, 0))
}

# start, row, weight, marginals, rates, sweeps, learn, size_prior, tolerance
call_belief <- function(x) {
  .Call(
    ffi_belief, list(start = x[[1]], row = x[[2]], weight = x[[3]]), x[[4]], x[[5]],
    list(sweeps = x[[6]], learn = x[[7]], size_prior = x[[8]], tolerance = x[[9]])
  )
}

test_that("sweeps are those of the definition", {
  set.seed(1)
  for (case in 1:12) {
    n <- sample(6:14, 1)
    k <- sample(1:4, 1)
    A <- as.matrix(igraph::as_adjacency_matrix(igraph::sample_gnp(n, 0.35)))
    if (case %% 3 == 0) {
      A[upper.tri(A)] <- A[upper.tri(A)] * runif(sum(upper.tri(A)), 0.3, 2)
      A <- A * upper.tri(A)
      A <- A + t(A)
    }
    P <- random_beliefs(n, k)
    rates <- if (case %% 2) c(6, 1.5) else c(1, 4)
    learn <- k > 1 && case %% 4 < 2
    for (sweeps in c(0, 1, 5)) {
      want <- reference_belief(A, P, rates, sweeps, learn, case %% 5 == 0)
      got <- run_belief(A, P, rates, sweeps, learn, case %% 5 == 0)
      expect_equal(t(got$marginals), want$P, tolerance = 1e-9)
      expect_equal(got$rates, want$rates, tolerance = 1e-9)
    }
  }
})

test_that("on a tree, sweeps end at the marginals of the model", {
  # With as many vertices believed in one group as in the other the field is the same for
  # both, and P(z) is proportional to the product over edges of b + (a - b)[z_i = z_j].
  set.seed(2)
  tree <- igraph::make_tree(7, 2, mode = "undirected")
  A <- as.matrix(igraph::as_adjacency_matrix(tree))
  # A leaf that knows its group, twice: the graph and its mirror image.
  both <- as.matrix(Matrix::bdiag(A, A))
  known <- rbind(random_beliefs(7, 2))
  a <- 3
  b <- 1
  got <- run_belief(both, rbind(known, known[, 2:1]), c(a, b), 60, FALSE)
  ends <- igraph::as_edgelist(tree)
  states <- as.matrix(expand.grid(rep(list(1:2), 7)))
  mass <- apply(states, 1, function(z) prod(ifelse(z[ends[, 1]] == z[ends[, 2]], a, b)))
  marginal <- vapply(1:7, function(i) sum(mass[states[, i] == 1]) / sum(mass), 0)
  expect_equal(got$marginals[1, 1:7], marginal, tolerance = 1e-9)
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
    best <- clustering_overlap(block, max.col(t(best$marginals), "first"))
    start <- clustering_overlap(block, cluster_bethe_hessian(graph, 3))
    found <- cluster_belief_propagation(graph, 3)
    c(best - clustering_overlap(block, found), clustering_overlap(block, found) - start)
  }, numeric(2))
  expect_lt(max(gap[1, ]), 0.02)
  expect_lt(mean(gap[1, ]), 0.01)
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
  expect_lte(attr(found, "sweeps"), 20)
  expect_equal(attr(cluster_belief_propagation(graph, 4, sweeps = 0), "sweeps"), 0)
  set.seed(6)
  one <- cluster_belief_propagation(graph, 4)
  set.seed(6)
  expect_identical(cluster_belief_propagation(graph, 4), one)
})

test_that("flat beliefs are said, and the labels are those of the start", {
  set.seed(20)
  graph <- sample_sparse_sbm(128, 4, 16, 0.6)
  set.seed(21)
  expect_message(found <- cluster_belief_propagation(graph, 4), class = "kg_message_flat")
  set.seed(21)
  start <- cluster_bethe_hessian(graph, 4)
  expect_identical(igraph::membership(found), igraph::membership(start))
  expect_lt(max(attr(found, "marginals")), 0.5)
  expect_equal(certainty(diag(3)), 1)
  expect_equal(certainty(matrix(1 / 3, 3, 5)), 0)
  expect_equal(certainty(rbind(c(0.7, 0.5), c(0.3, 0.5))), 0.2)
})

test_that("the prior of sizes helps unequal groups", {
  set.seed(7)
  P <- matrix(2 / 600, 2, 2)
  diag(P) <- 9 / 600
  score <- vapply(1:8, function(i) {
    graph <- igraph::sample_sbm(600, P, c(400, 200))
    truth <- rep(1:2, c(400, 200))
    c(
      adjusted_rand(truth, cluster_belief_propagation(graph, 2)),
      adjusted_rand(truth, cluster_belief_propagation(graph, 2, size_prior = TRUE))
    )
  }, numeric(2))
  expect_gt(mean(score[2, ]), mean(score[1, ]) + 0.01)
  expect_gt(mean(score[1, ]), 0.55)
})

test_that("edge weights count as edges in units of their mean", {
  set.seed(8)
  graph <- sample_sparse_sbm(150, 3, 8, 2)
  igraph::E(graph)$weight <- runif(igraph::ecount(graph), 0.5, 1.5)
  one <- cluster_belief_propagation(graph, 3)
  igraph::E(graph)$weight <- igraph::E(graph)$weight * 16
  set.seed(9)
  big <- suppressMessages(cluster_belief_propagation(graph, 3))
  expect_equal(adjusted_rand(one, big), 1)
  expect_gt(adjusted_rand(igraph::V(graph)$block, one), 0.9)
})

test_that("odd graphs are defined: k groups, no missing label, marginals that sum to 1", {
  for (graph in odd_graphs()) {
    n <- igraph::vcount(graph)
    for (k in unique(pmin(c(1, 2, 5), n))) {
      found <- suppressMessages(cluster_belief_propagation(graph, k))
      expect_identical(sort(unique(as.vector(igraph::membership(found)))), seq_len(k))
      expect_equal(rowSums(attr(found, "marginals")), rep(1, n), ignore_attr = TRUE)
    }
  }
})

test_that("wrong arguments are classed errors", {
  graph <- igraph::make_ring(5)
  expect_snapshot(error = TRUE, {
    cluster_belief_propagation(graph, 6)
    cluster_belief_propagation(graph, 2, sweeps = -1)
    cluster_belief_propagation(graph, 2, size_prior = NA)
    cluster_belief_propagation(graph, 2, damping = 1)
    cluster_belief_propagation("graph", 2)
  })
  expect_error(cluster_belief_propagation(graph, 0), class = "kg_error_k")
  withr::local_options(kgroups.memory = 10)
  expect_error(cluster_belief_propagation(graph, 2), class = "kg_error_memory")
})

test_that("the compiled entry refuses whatever is not its own", {
  p <- c(0L, 1L, 2L)
  i <- c(1L, 0L)
  base <- list(p, i, NULL, matrix(0.5, 2, 2), c(2, 1), 5, TRUE, FALSE, 0)
  call <- call_belief
  expect_silent(call(base))
  wrong <- list(
    list(1, NULL), list(1, c(0, 1, 2)), list(2, c(1L, 1L)), list(2, 1L), list(1, c(0L, 2L, 2L)),
    list(3, 1:2), list(3, 1), list(3, c(-1, 1)), list(3, c(NaN, 1)), list(4, NULL), list(4, 1),
    list(4, c(1, 1, 1)), list(4, c(1, 1, -1, 1)), list(4, c(1, 1, NA, 1)), list(4, "a"), list(5, 1),
    list(5, c(0, 1)), list(5, c(Inf, 1)), list(5, NULL), list(6, -1), list(6, 1L), list(6, NULL),
    list(7, NA), list(7, 1), list(7, logical()), list(8, NULL), list(8, NA), list(9, NaN), list(9, NULL)
  )
  for (case in wrong) {
    arguments <- base
    arguments[case[[1]]] <- list(case[[2]])
    expect_error(call(arguments))
  }
  # a pattern that is not symmetric
  expect_error(call(list(c(0L, 1L, 1L), 1L, NULL, matrix(0.5, 2, 2), c(2, 1), 1, TRUE, FALSE, 0)))
})

test_that("a long run can be interrupted, and the session goes on", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("processx")
  skip_if_interrupts_ignored()
  ready <- withr::local_tempfile()
  code <- paste0("
    suppressMessages(library(kgroups, lib.loc = ", deparse(dirname(system.file(package = "kgroups"))), "))
    set.seed(1)
    simple <- kgroups:::as_simple_adjacency(sample_sparse_sbm(100000, 10, 10, 2))
    labels <- sample.int(10, 100000, replace = TRUE)
    writeLines('ready', ", deparse(ready), ")
    tryCatch(
      kgroups:::propagate_beliefs(simple, labels, 10, sweeps = 1e6, tolerance = 0),
      interrupt = function(e) cat('stopped\\n')
    )
    cat(kgroups:::propagate_beliefs(simple, labels, 10, sweeps = 2)$sweeps, '\\n')
  ")
  child <- processx::process$new(
    file.path(R.home("bin"), "R"), c("--vanilla", "--no-echo", "-e", code),
    stdout = "|", stderr = "2>&1"
  )
  on.exit(child$kill())
  for (i in 1:600) {
    if (file.exists(ready)) break
    Sys.sleep(0.1)
  }
  Sys.sleep(0.3)
  child$interrupt()
  child$wait(20000)
  expect_match(child$read_all_output(), "stopped\\s+2")
})
