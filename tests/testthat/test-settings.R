# The settings of a fit, read once for every entry point.

entries <- function(...) {
  set.seed(1)
  x <- matrix(rnorm(80), 40)
  G <- methods::as(Matrix::Matrix(tcrossprod(x), sparse = TRUE), "CsparseMatrix")
  graph <- igraph::make_ring(40)
  blocks <- row_blocks(function(i) x[seq(i, 40, by = 2), ], 2)
  list(
    points = function(...) kgroups(x, 2, ...), dist = function(...) kgroups(dist(x), 2, ...),
    gram = function(...) kgroups(semimetric_matrix(x, type = "gram"), 2, ...),
    sparse = function(...) kgroups(G, 2, ...),
    graph = function(...) kgroups(graph, 2, ...), landmarks = function(...) kgroups(x, 2, approx = nystroem(9), ...),
    lloyd = function(...) kernel_kmeans(x, 2, ...), blocks = function(...) kgroups(blocks, 2, approx = nystroem(9), ...)
  )
}

test_that("every entry point has the same limits and the same words", {
  wrong <- list(
    list(iter.max = 0), list(iter.max = NA), list(nstart = 0), list(nstart = 1e7), list(threads = 0),
    list(threads = "a"),
    list(keep.data = NA)
  )
  for (arguments in wrong) {
    reported <- vapply(entries(), function(entry) {
      out <- tryCatch(suppressMessages(do.call(entry, arguments)), error = function(e) e)
      expect_s3_class(out, paste0("kg_error_", names(arguments)))
      sub("\n.*", "", cli::ansi_strip(conditionMessage(out)))
    }, "")
    expect_length(unique(reported), 1L)
  }
})

test_that("arguments after k are named in full: nothing is matched in part or taken by position", {
  for (entry in entries()) {
    expect_error(entry(n = 5), class = "kg_error_dots")
    expect_error(entry(it = 5), class = "kg_error_dots")
    expect_error(entry(5), class = "kg_error_dots")
    expect_error(entry(nonsense = 1), class = "kg_error_dots")
  }
  methods <- ls(asNamespace("kgroups"), pattern = "^kgroups[.](default|igraph|kgroups_blocks)$")
  expect_length(methods, 3L)
  for (method in methods) {
    expect_identical(names(formals(get(method, asNamespace("kgroups"))))[3L], "...")
  }
})

test_that("threads change no answer, wherever pairs are processed", {
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
  same(function(threads) select_k(x, 2:3, splits = 2, one_cluster = FALSE, threads = threads)$table)
  same(function(threads) select_semimetric(x, 2, splits = 2, threads = threads)$table)
  same(function(threads) energy_test(x, rep(1:2, 100), R = 19, threads = threads)$p.value)
  same(function(threads) energy_statistics(x, rep(1:2, 100), threads = threads))
  same(function(threads) energy_distance(x, g = rep(1:2, 100), threads = threads))
  expect_error(energy_statistics(x, rep(1:2, 100), threads = 0), class = "kg_error_threads")
})

test_that("labels that are 1..k already are taken as any others of the same groups", {
  set.seed(5)
  x <- matrix(rnorm(90), 30)
  labels <- sample(rep(1:3, 10))
  forms <- list(
    labels, as.numeric(labels), stats::setNames(labels, paste0("a", 1:30)), factor(labels), letters[labels],
    10L * labels, matrix(labels), array(labels)
  )
  for (w in list(NULL, rep(0:2, 10))) {
    problem <- as_problem(x, weights = w)
    for (init in forms) expect_identical(check_init(init, problem, 3L), labels)
    for (init in list(labels, labels + 1L, replace(labels, 1, NA), replace(labels, labels == 2L, 1L))) {
      expect_error(check_init(init, problem, 4L), class = "kg_error_init")
    }
  }
})

test_that("more clusters than distinct observations are reported", {
  set.seed(1)
  x <- rbind(c(1, 2), c(1, 2), c(1, 3), c(2, 2), c(2, 2))
  expect_message(kgroups(x, 4), class = "kg_message_distinct")
  expect_no_message(kgroups(x, 3), class = "kg_message_distinct")
  expect_message(kgroups(x, 3, weights = c(1, 1, 0, 1, 1)), class = "kg_message_distinct")
  set.seed(4)
  for (case in 1:50) {
    x <- matrix(sample(3, 24, TRUE), 8)
    count <- nrow(unique(x))
    for (enough in c(1, count, count + 1)) expect_identical(is.null(row_groups(x, enough)), count >= enough)
    expect_identical(max(row_groups(x, 100)), count)
    # the first rows are evaluated before all
    problem <- as_problem(x[rep(seq_len(nrow(x)), each = 20), , drop = FALSE])
    expect_no_message(inform_distinct(problem, count))
    expect_message(inform_distinct(problem, count + 1L), class = "kg_message_distinct")
  }
})

test_that("k is chosen for every input the solve takes", {
  set.seed(5)
  x <- rbind(matrix(rnorm(40), 20), matrix(rnorm(40, 12), 20), matrix(rnorm(40, 24), 20))
  sparse <- methods::as(Matrix::Matrix(tcrossprod(x), sparse = TRUE), "CsparseMatrix")
  graph <- sample_sparse_sbm(150, 3, 30, 5)
  choice <- function(...) suppressMessages(select_k(..., splits = 4, one_cluster = FALSE))
  expect_identical(choice(sparse, 2:4)$k, 3L)
  expect_identical(choice(x, 2:4, method = "lloyd")$k, 3L)
  expect_identical(choice(x, 2:4, approx = nystroem(20))$k, 3L)
  expect_identical(choice(graph, 2:4)$k, 3L)
  # the description length needs no numbers of groups to choose from
  expect_identical(choice(graph)$k, 3L)
  expect_error(choice(graph, 2:3, "elbow"), class = "kg_error_criterion")
  expect_error(choice(sparse, 2:3, "bic"), class = "kg_error_criterion")
  expect_error(choice(x, 2:3, "bic", approx = nystroem(20)), class = "kg_error_criterion")
  expect_error(choice(x, 2:3, approx = nystroem(20, polish = TRUE)), class = "kg_error_approx")
})

# Every instruction set that this processor has agrees with plain C.

sets <- function() {
  available <- Filter(function(name) !is.null(.Call(ffi_choose_loops, name)), c("avx2", "avx512"))
  .Call(ffi_choose_loops, "auto")
  available
}

test_that("pairwise dissimilarities agree with plain C to 1e-14, for every semimetric, width and size", {
  set.seed(1)
  skip_if(length(sets()) == 0, "no vector instructions")
  semimetrics <- c(test_semimetrics(), list(rho_exponential(50), rho_gaussian(0.3), rho_gaussian(1e4)))
  for (d in c(1, 3, 10, 33)) {
    x <- matrix(rnorm(71 * d), 71)
    x[7, ] <- x[3, ] # distance 0
    x[8, ] <- x[3, ] * (1 + 1e-9)
    x[9, ] <- x[3, ] * 4
    for (semimetric in semimetrics) {
      withr::local_options(kgroups.simd = "base")
      plain <- semimetric_matrix(x, semimetric = semimetric)
      plain_dist <- semimetric_matrix(dist(x), semimetric = semimetric)
      plain_fit <- suppressMessages(suppressWarnings(kgroups(x, 3, semimetric = semimetric, init = rep_len(1:3, 71))))
      for (set in sets()) {
        withr::local_options(kgroups.simd = set)
        got <- semimetric_matrix(x, semimetric = semimetric)
        expect_true(all(abs(got - plain) <= 1e-14 * abs(plain)))
        expect_identical(diag(got), numeric(71))
        expect_identical(got, t(got))
        got <- semimetric_matrix(dist(x), semimetric = semimetric)
        expect_true(all(abs(got - plain_dist) <= 1e-14 * abs(plain_dist)))
        fit <- suppressMessages(suppressWarnings(kgroups(x, 3, semimetric = semimetric, init = rep_len(1:3, 71))))
        expect_identical(fit$cluster, plain_fit$cluster)
        expect_equal(fit$W, plain_fit$W, tolerance = 1e-12)
      }
    }
  }
})

# On lattices points are as far from one centre as from another, and clusters of equal shape cost the same to remove: only
# rounding distinguishes them, and that is another one for every set.
test_that("the default call has one answer for every set, with ties and without", {
  skip_if(length(sets()) == 0, "no vector instructions")
  lattice <- as.matrix(expand.grid(1:12, 1:12)) + 0
  mixture <- function(seed, n, d, k) {
    set.seed(seed)
    matrix(rnorm(k * d), k)[sample(k, n, TRUE), ] + matrix(rnorm(n * d), n)
  }
  cases <- list(
    list(lattice, 25), list(dist(lattice), 25), list(lattice, 40), list(dist(lattice), 6),
    list(round(mixture(1, 400, 5, 18), 1), 18), list(round(mixture(2, 900, 2, 40), 1), 40),
    list(round(2 * mixture(3, 150, 2, 25)), 25), list(dist(round(2 * mixture(4, 300, 2, 30))), 30),
    list(mixture(3, 3000, 5, 50), 50), list(mixture(5, 600, 3, 30), 30), list(dist(mixture(6, 500, 4, 12)), 12)
  )
  for (case in cases[repeats(c(1, 2, 4, 5, 6, 8, 11), seq_along(cases))]) {
    answer <- function(set) {
      withr::local_options(kgroups.simd = set)
      set.seed(1)
      kgroups(case[[1L]], case[[2L]])
    }
    plain <- answer("base")
    for (set in sets()) {
      fit <- answer(set)
      expect_identical(fit$cluster, plain$cluster)
      expect_equal(fit$W, plain$W, tolerance = 1e-12)
    }
  }
})

test_that("equal values are ordered by their places", {
  expect_identical(least_first(c(2, 1 + 1e-13, 3, 1, 2 - 1e-12)), c(2L, 4L, 1L, 5L, 3L))
})

test_that("an unknown set is refused, and the option can be changed at any time", {
  withr::local_options(kgroups.simd = "mmx")
  expect_error(kgroups(1:5, 2, init = "random"), class = "kg_error_kgroups.simd")
  withr::local_options(kgroups.simd = "base")
  expect_identical(use_simd(), "base")
  withr::local_options(kgroups.simd = "auto")
  expect_true(use_simd() %in% simd_names)
})

test_that("each pair of arguments that exclude each other is one error, named by the table", {
  x <- as.matrix(iris[1:4])
  values <- list(
    contiguous = list(contiguous = "order"), together = list(together = cbind(1, 2)),
    apart = list(apart = cbind(1, 2)), sizes = list(sizes = "equal"),
    trim = list(trim = 0.1), units = list(units = rep(1:50, 3)),
    approx = list(approx = nystroem(20)), weights = list(weights = rep(1:2, 75)), init = list(init = "random"),
    "method = \"lloyd\"" = list(method = "lloyd"), "init = \"spectral\"" = list(init = "spectral"),
    "init = \"sample\"" = list(init = "sample"), "rho_connected()" = list(semimetric = rho_connected())
  )
  for (one in names(settings_table)) {
    for (other in settings_table[[one]]$excludes) {
      arguments <- c(list(x, 3), values[[one]], values[[other]])
      error <- expect_error(do.call(kgroups, arguments), class = paste0("kg_error_", one))
      expect_match(conditionMessage(error), "cannot be combined", label = paste(one, other))
    }
  }
})

test_that("trim takes the number of starts, and refuses one that it does not use", {
  set.seed(2)
  expect_length(kgroups(iris[1:4], 3, trim = 0.1, nstart = 7)$objectives, 8)
  expect_error(kgroups(iris[1:4], 3, trim = 0.1, init = rep(1:3, 50)), class = "kg_error_trim")
})

test_that("a fit of other rows of a table is a start by its predictions", {
  set.seed(1)
  x <- iris[1:4]
  fit <- kgroups(x[1:100, ], 3)
  of_labels <- kgroups(x, 3, init = predict(fit, x))
  of_fit <- kgroups(x, 3, init = fit)
  expect_identical(of_fit$cluster, of_labels$cluster)
  expect_identical(of_fit$W, of_labels$W)
  expect_error(kgroups(dist(x), 3, init = fit), class = "kg_error_init")
  expect_error(kgroups(x, 2, init = fit), class = "kg_error_init")
})
