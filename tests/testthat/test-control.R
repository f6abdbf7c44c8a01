# The settings of a fit, read once for every door.

doors <- function(...) {
  set.seed(1)
  x <- matrix(rnorm(80), 40)
  G <- methods::as(Matrix::Matrix(tcrossprod(x), sparse = TRUE), "CsparseMatrix")
  graph <- igraph::make_ring(40)
  blocks <- chunks(function(i) x[seq(i, 40, by = 2), ], 2)
  list(
    points = function(...) kgroups(x, 2, ...), dist = function(...) kgroups(dist(x), 2, ...),
    gram = function(...) kgroups(gram_matrix(x), 2, ...), sparse = function(...) kgroups(G, 2, ...),
    graph = function(...) kgroups(graph, 2, ...), landmarks = function(...) kgroups(x, 2, approx = nystroem(9), ...),
    lloyd = function(...) kernel_kmeans(x, 2, ...), chunks = function(...) kgroups(blocks, 2, approx = nystroem(9), ...)
  )
}

test_that("every door has the same limits and the same words", {
  wrong <- list(
    list(iter.max = 0), list(iter.max = NA), list(nstart = 0), list(nstart = 1e7), list(threads = 0), list(threads = "a"),
    list(keep.data = NA)
  )
  for (arguments in wrong) {
    said <- vapply(doors(), function(door) {
      out <- tryCatch(suppressMessages(do.call(door, arguments)), error = function(e) e)
      expect_s3_class(out, paste0("kg_error_", names(arguments)))
      sub("\n.*", "", cli::ansi_strip(conditionMessage(out)))
    }, "")
    expect_length(unique(said), 1L)
  }
})

test_that("arguments after k are named in full: nothing is matched in part or taken by position", {
  for (door in doors()) {
    expect_error(door(n = 5), class = "kg_error_dots")
    expect_error(door(it = 5), class = "kg_error_dots")
    expect_error(door(5), class = "kg_error_dots")
    expect_error(door(nonsense = 1), class = "kg_error_dots")
  }
  methods <- ls(asNamespace("kgroups"), pattern = "^kgroups[.](default|Matrix|igraph|kgroups_chunks)$")
  expect_length(methods, 4L)
  for (method in methods) {
    expect_identical(names(formals(get(method, asNamespace("kgroups"))))[3L], "...")
  }
})

test_that("threads change no answer, wherever pairs are visited", {
  set.seed(2)
  x <- matrix(rnorm(600), 200)
  fit <- kgroups(x, 3)
  same <- function(f) {
    set.seed(3)
    one <- f(1)
    set.seed(3)
    expect_equal(f(2), one)
    expect_identical(.Call(ffi_choose_threads, 1), 1L)
  }
  same(function(threads) predict(fit, x + 1, type = "squared", threads = threads))
  same(function(threads) stability(fit, B = 3, threads = threads))
  same(function(threads) select_k(x, 2:3, B = 3, splits = 2, threads = threads)[-1 * 14]$table)
  same(function(threads) select_semimetric(x, 2, splits = 2, threads = threads)$table)
  same(function(threads) energy_test(x, rep(1:2, 100), R = 19, threads = threads)$p.value)
  same(function(threads) energy_statistics(x, rep(1:2, 100), threads = threads))
  same(function(threads) energy_distance(x, cluster = rep(1:2, 100), threads = threads))
  expect_error(energy_statistics(x, rep(1:2, 100), threads = 0), class = "kg_error_threads")
})

test_that("more clusters than distinct observations are spoken of", {
  x <- rbind(c(1, 2), c(1, 2), c(1, 3), c(2, 2), c(2, 2))
  expect_message(kgroups(x, 4), class = "kg_message_distinct")
  expect_no_message(kgroups(x, 3), class = "kg_message_distinct")
  expect_message(kgroups(x, 3, weights = c(1, 1, 0, 1, 1)), class = "kg_message_distinct")
  set.seed(4)
  for (case in 1:50) {
    x <- matrix(sample(3, 24, TRUE), 8)
    count <- nrow(unique(x))
    for (enough in c(1, count, count + 1)) expect_identical(distinct_rows(x, enough) >= enough, count >= enough)
    expect_identical(distinct_rows(x, 100), count)
  }
})

test_that("k is chosen for every input the solve takes", {
  set.seed(5)
  x <- rbind(matrix(rnorm(40), 20), matrix(rnorm(40, 12), 20), matrix(rnorm(40, 24), 20))
  sparse <- methods::as(Matrix::Matrix(tcrossprod(x), sparse = TRUE), "CsparseMatrix")
  graph <- sample_sparse_sbm(150, 3, 30, 5)
  choice <- function(...) suppressMessages(select_k(..., splits = 4, one_cluster = FALSE))
  expect_identical(choice(sparse, 2:4)$k, 3L)
  expect_identical(choice(x, 2:4, size_term = TRUE)$k, 3L)
  expect_identical(choice(x, 2:4, method = "lloyd")$k, 3L)
  expect_identical(choice(x, 2:4, approx = nystroem(20))$k, 3L)
  expect_identical(choice(graph, 2:4)$k, 3L)
  # the evidence needs no numbers of groups to choose from
  expect_identical(choice(graph)$k, 3L)
  expect_error(choice(graph, 2:3, "gap"), class = "kg_error_criterion")
  expect_error(choice(sparse, 2:3, "eigengap"), class = "kg_error_criterion")
  expect_error(choice(x, 2:3, "gap", approx = nystroem(20)), class = "kg_error_criterion")
  expect_error(choice(x, 2:3, approx = nystroem(20, polish = TRUE)), class = "kg_error_approx")
})
