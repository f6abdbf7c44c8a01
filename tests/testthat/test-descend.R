# The driver of descents: W never above the start, sums of the labels returned, whatever the
# weights, the offset and the store; and no wait for threads that a fork has left behind.

wide_weights <- function(n, decades) 10^runif(n, -decades, 0)

forms_of <- function(x) {
  G <- semimetric_matrix(x, semimetric = rho_power(1), type = "gram")
  list(
    points = x, dist = dist(x), gram = G,
    sparse = Matrix::Matrix(unclass(G), sparse = TRUE)
  )
}

test_that("W is that of the labels and never above that of the start, whatever the weights", {
  skip_if_not_installed("Matrix")
  for (seed in 1:12) {
    set.seed(seed)
    n <- sample(20:120, 1)
    k <- sample(2:6, 1)
    x <- matrix(rnorm(2 * n), n)
    w <- wide_weights(n, c(0, 3, 9, 15)[seed %% 4 + 1])
    start <- sample(rep_len(seq_len(k), n))
    for (input in forms_of(x)) {
      before <- energy_statistics(input, start, weights = w)
      for (method in c("hartigan", "lloyd")) {
        fit <- suppressWarnings(kgroups(input, k, weights = w, init = start, method = method))
        now <- energy_statistics(input, fit$cluster, weights = w)
        expect_true(fit$converged)
        expect_lte(fit$W, before$W * (1 + 1e-12))
        expect_equal(fit$W, now$W, tolerance = 1e-10)
        expect_equal(unname(fit$within), unname(now$within), tolerance = 1e-10)
        expect_lt(abs(fit$S - now$S), 1e-10 * now$total)
        expect_equal(unname(fit$objectives), fit$W, tolerance = 1e-10)
      }
    }
  }
})

test_that("many clusters and weights 1e15 apart keep their sums", {
  skip_on_cran()
  set.seed(7)
  n <- 2300
  x <- matrix(rnorm(3 * n), n)
  w <- wide_weights(n, 15)
  fit <- kgroups(x, 70, weights = w, init = "kmeans++")
  now <- energy_statistics(x, fit$cluster, weights = w)
  expect_equal(fit$W, now$W, tolerance = 1e-10)
  expect_lt(max(abs(fit$within - now$within)), 1e-10 * now$W)
  expect_lt(abs(fit$S - now$S), 1e-10 * now$total)
})

test_that("a Gram matrix of data far from the origin is clustered as near it", {
  set.seed(1)
  x <- rbind(matrix(rnorm(100), 50), matrix(rnorm(60, 4), 30))
  start <- sample(2, 80, TRUE)
  near <- kgroups(x, 2, semimetric = rho_power(2), init = start)
  for (offset in c(0, 10, 1e3, 1e5)) {
    fit <- suppressWarnings(kgroups(semimetric_matrix(x + offset, semimetric = rho_power(2), type = "gram"), 2, init = start))
    expect_identical(unname(fit$cluster), unname(near$cluster))
    # the matrix itself has lost what the square of the offset rounds away
    expect_equal(fit$W, near$W, tolerance = 1e-11 + 1e-15 * offset^2)
    expect_equal(unname(fit$objectives), fit$W, tolerance = 1e-10)
  }
})

test_that("Lloyd's method on a sparse Gram matrix is that of the dense one", {
  skip_if_not_installed("Matrix")
  set.seed(8)
  G <- semimetric_matrix(matrix(rnorm(400), 200), semimetric = rho_power(2), type = "gram")
  M <- Matrix::Matrix(unclass(G), sparse = TRUE)
  for (k in 2:5) {
    start <- sample(rep_len(seq_len(k), 200))
    sparse <- kernel_kmeans(M, k, init = start)
    expect_identical(unname(sparse$cluster), unname(kernel_kmeans(G, k, init = start)$cluster))
    expect_identical(predict(sparse), sparse$cluster)
  }
})

test_that("Lloyd's W falls in every sweep of an indefinite matrix too, and its end stays", {
  skip_if_not_installed("Matrix")
  set.seed(9)
  for (case in 1:6) {
    n <- 60
    M <- Matrix::rsparsematrix(n, n, 0.2, symmetric = TRUE)
    start <- sample(rep_len(1:4, n))
    W <- vapply(1:8, function(iter.max) {
      suppressWarnings(kernel_kmeans(M, 4, init = start, iter.max = iter.max))$W
    }, 0)
    expect_lte(max(diff(W)), 1e-9 * max(abs(W)))
    end <- suppressWarnings(kernel_kmeans(M, 4, init = start))
    expect_identical(unname(suppressWarnings(kernel_kmeans(M, 4, init = end$cluster))$cluster), unname(end$cluster))
  }
})

# R's own OpenMP stands for that of another package.
test_that("a child that loads the package after its parent has used OpenMP does not hang", {
  skip_on_os("windows")
  skip_on_cran()
  skip_on_covr()
  code <- c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    ".Internal(setMaxNumMathThreads(2L))",
    ".Internal(setNumMathThreads(2L))",
    "sums <- colSums(matrix(1, 2000, 2000))",
    ".Internal(setNumMathThreads(1L))",
    "job <- parallel::mcparallel(",
    "  kgroups::kgroups(matrix(sin(1:9000), 3000), 3, init = rep(1:3, 1000), threads = 2)$W",
    ")",
    "out <- parallel::mccollect(job, wait = FALSE, timeout = 60)",
    "if (is.null(out)) tools::pskill(job$pid, 9)",
    "cat(if (is.null(out)) 'it hangs' else 'it ends')"
  )
  script <- withr::local_tempfile(lines = code, fileext = ".R")
  said <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = TRUE, stderr = TRUE
  )
  expect_match(paste(said, collapse = "\n"), "it ends")
})

# ---- starts that say nothing: the first visits go to a part of the points ----

leaping <- function(problem, k, start, leap = TRUE, iter.max = 100) {
  descend(problem, k, matrix(start), new_control(k, iter.max = iter.max), leap = leap)
}

# Points as in src/ffi_leap.c: which of n go first.
first_visits <- function(n, k) {
  m <- max(ceiling(2.5 * n^(2 / 3)), 25 * k)
  turn <- (seq_len(m) - 0.5) * 0.6180339887498949
  sort(floor((turn - floor(turn)) * n) + 1)
}

test_that("from random labels W is never above the start, and no move is left", {
  for (seed in 1:8) {
    set.seed(seed)
    n <- sample(1000:1600, 1)
    k <- c(2, 3, 6, 10)[seed %% 4 + 1]
    x <- matrix(rnorm(k * 3, sd = 1 + seed %% 3), k)[sample(k, n, TRUE), ] + rnorm(3 * n)
    w <- if (seed %% 2) runif(n) + 0.1 else rep(1, n)
    if (seed > 6) w[sample(n, n %/% 5)] <- 0
    start <- rep_len(sample(k), n)
    before <- energy_statistics(x, start, weights = w)
    fit <- kgroups(x, k, weights = w, init = start)
    expect_true(fit$converged)
    expect_lt(fit$W, before$W)
    expect_equal(fit$W, energy_statistics(x, fit$cluster, weights = w)$W, tolerance = 1e-10)
    again <- leaping(as_problem(x, weights = w), k, fit$cluster, leap = FALSE)
    expect_equal(again$moves, 0)
    once <- suppressWarnings(kgroups(x, k, weights = w, init = start, iter.max = 1))
    expect_gte(once$W, fit$W * (1 - 1e-12))
  }
})

test_that("from random labels every store, loop and number of threads gives the same fit", {
  set.seed(1)
  n <- 1100
  x <- matrix(rnorm(4 * n), n)
  start <- sample(4, n, TRUE)
  fit <- kgroups(x, 4, init = start)
  expect_identical(kgroups(dist(x), 4, init = start)$cluster, fit$cluster)
  expect_identical(kgroups(semimetric_matrix(x, type = "gram"), 4, init = start)$cluster, fit$cluster)
  expect_identical(kgroups(x, 4, init = start, threads = 2)$cluster, fit$cluster)
  expect_identical(kgroups(x, 4, weights = rep(3, n), init = start)$cluster, fit$cluster)
  loops <- .Call(ffi_choose_loops, NULL)
  on.exit(.Call(ffi_choose_loops, loops))
  .Call(ffi_choose_loops, "base")
  expect_identical(kgroups(x, 4, init = start)$cluster, fit$cluster)
})

test_that("labels that say something are where the descent begins", {
  for (seed in 1:6) {
    set.seed(seed)
    n <- 1500
    k <- c(2, 5, 12)[seed %% 3 + 1]
    x <- matrix(rnorm(3 * n), n)
    problem <- as_problem(x)
    good <- leaping(problem, k, sample(k, n, TRUE))$cluster
    half <- ifelse(runif(n) < 0.4, sample(k, n, TRUE), good)
    seeds <- plusplus_labels(problem, k, 1)
    for (start in list(good, half, c(seeds))) {
      expect_identical(leaping(problem, k, start), leaping(problem, k, start, leap = FALSE))
    }
  }
  # random labels do not: most moves are spared
  k <- 12
  start <- sample(k, n, TRUE)
  expect_lt(leaping(problem, k, start)$moves, 0.6 * leaping(problem, k, start, leap = FALSE)$moves)
})

test_that("a leap that ends above the start is taken back", {
  set.seed(1)
  n <- 2000
  k <- 5
  group <- sample(k, n, TRUE)
  x <- matrix(rnorm(2 * k, sd = 20), k)[group, ] + rnorm(2 * n)
  # those visited first are all alike, and say nothing of the others
  rows <- first_visits(n, k)
  x[rows, ] <- rnorm(2 * length(rows), sd = 1e-3)
  group[rows] <- sample(k, length(rows), TRUE)
  problem <- as_problem(x)
  for (store in list(problem, as_problem(dist(x)))) {
    expect_identical(leaping(store, k, group), leaping(store, k, group, leap = FALSE))
  }
  # with fewer than two of a cluster among them there is no leap either
  group[rows] <- 1L
  expect_identical(leaping(problem, k, group), leaping(problem, k, group, leap = FALSE))
})

test_that("leaps end as low as plain descents", {
  skip_on_cran()
  ratio <- vapply(1:30, function(seed) {
    set.seed(seed)
    n <- 1000
    k <- c(3, 5, 10)[seed %% 3 + 1]
    d <- c(2, 5)[seed %% 2 + 1]
    x <- matrix(rnorm(k * d, sd = seed %% 4), k)[sample(k, n, TRUE), ] + rnorm(d * n)
    problem <- as_problem(x, if (seed %% 5) rho_power(1) else rho_power(0.5))
    W <- vapply(1:6, function(start) {
      start <- sample(k, n, TRUE)
      c(leaping(problem, k, start)$objectives, leaping(problem, k, start, leap = FALSE)$objectives)
    }, numeric(2))
    mean(W[1, ]) / mean(W[2, ])
  }, 0)
  # two standard errors: bench/passes.md has more of them
  expect_lt(mean(ratio), 1 + 2 * sd(ratio) / sqrt(30))
  expect_lt(stats::median(ratio), 1 + 1e-3)
})

test_that("crossovers of partitions: each group of clusters that differ gives way alone", {
  split_by <- function(labels) unname(c(tapply(labels, truth, function(l) length(unique(l)))))
  truth <- rep(1:6, each = 40)
  half <- rep(c(TRUE, FALSE), 120)
  # clusters 1 and 2 mixed in one, 4 and 5 in the other, whose names are others
  one <- ifelse(truth %in% 1:2, ifelse(half, 1L, 2L), truth)
  other <- ifelse(truth %in% 4:5, ifelse(half, 4L, 5L), truth)
  crossed <- crossed_labels(one, c(3L, 5L, 1L, 6L, 2L, 4L)[other], 6)
  expect_identical(lapply(crossed, split_by), list(rep(1L, 6), c(2L, 2L, 1L, 2L, 2L, 1L)))
  expect_true(all(vapply(crossed, function(new) setequal(new, 1:6), NA)))
  # two clusters as one here and one as two far from it: the one makes up for the other, as soon as something else differs
  merged <- ifelse(truth == 1L, 2L, ifelse(truth == 6L & half, 1L, truth))
  expect_identical(crossed_labels(merged, truth, 6), list())
  crossed <- crossed_labels(ifelse(truth %in% 4:5, ifelse(half, 4L, 5L), merged), truth, 6)
  expect_identical(lapply(crossed, split_by), list(c(1L, 1L, 1L, 1L, 1L, 2L), c(1L, 1L, 1L, 2L, 2L, 1L)))
  expect_true(all(vapply(crossed, function(new) setequal(new, 1:6), NA)))
  # what differs belongs together, or nothing does
  expect_identical(crossed_labels(one, truth, 6), list())
  expect_identical(crossed_labels(one, one, 6), list())
})

test_that("crossovers of descents: labels give W, no W is above that of the descents, weights of 0 empty no cluster", {
  set.seed(71)
  x <- rbind(overlapping(300, 6, 2), overlapping(300, 6, 2) + 40)
  for (w in list(rep(1, 600), rep(c(1, 0, 2), 200))) {
    problem <- as_problem(x, weights = w)
    starts <- plusplus_labels(problem, 12, 6)
    alone <- descend(problem, 12, starts, new_control(12), each = TRUE)
    found <- cross_partitions(problem, new_control(12), alone$labels, alone$objectives)
    expect_lte(found$W, min(alone$objectives))
    expect_setequal(found$labels[w > 0], 1:12)
    W <- true_units(problem, found$W)
    expect_equal(W, energy_statistics(x, found$labels, weights = w)$W, tolerance = 1e-10)
    expect_identical(cross_partitions(problem, new_control(12), starts[, 1L, drop = FALSE], 3)$labels, starts[, 1L])
  }
})

test_that("crossovers on pair values bring together what is right in one partition and what is right in the other", {
  set.seed(72)
  truth <- rep(1:12, each = 20)
  x <- 10 * cbind(truth, 5 * (truth > 6)) + matrix(rnorm(480), 240)
  # two clusters as one, and one near them as two
  spoilt <- function(a) ifelse(truth == a, a + 1L, ifelse(truth == a + 2L & seq_along(truth) %% 2L == 0L, a, truth))
  for (problem in list(as_problem(x), as_problem(dist(x)))) {
    starts <- cbind(spoilt(1L), spoilt(8L))
    alone <- descend(problem, 12, starts, new_control(12), each = TRUE)
    found <- cross_partitions(problem, new_control(12), alone$labels, alone$objectives)
    best <- descend(problem, 12, matrix(truth), new_control(12))
    expect_gt(min(alone$objectives), 1.05 * best$objectives)
    expect_equal(found$W, best$objectives, tolerance = 1e-10)
  }
})
