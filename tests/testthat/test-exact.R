P_of <- function(x) abs(outer(x, x, "-"))

test_that("W is the least over all partitions, weighted and tied", {
  set.seed(1)
  for (trial in seq_len(repeats(12, 60))) {
    n <- sample(2:7, 1)
    x <- switch(trial %% 3 + 1, rnorm(n), sample(4, n, TRUE), rcauchy(n))
    w <- if (trial %% 2) rep(1, n) else sample(c(0.5, 1, 3, 10), n, TRUE)
    for (k in seq_len(min(n, 4))) {
      fit <- kgroups(x, k, weights = w)
      expect_equal(fit$W, best_of_all_partitions(x, w, k), tolerance = 1e-10)
      expect_equal(fit$W, reference_W(P_of(x), fit$cluster, w), tolerance = 1e-10)
      expect_identical(sort(unique(unname(fit$cluster))), seq_len(k))
    }
  }
})

test_that("W is that of the slow dynamic programming, for every k", {
  set.seed(3)
  draws <- list(
    rnorm(60), round(rnorm(80), 1), rexp(50)^3, c(rnorm(30), rnorm(30, 20), 500),
    cumsum(rexp(70)), rep(1:5, 10)
  )
  for (x in third(draws, 2)) {
    n <- length(x)
    for (w in list(NULL, rexp(n), sample(1:5, n, TRUE))) {
      fits <- solution_1d(as_problem(x, weights = w), 1:9)
      v <- if (is.null(w)) rep(1, n) else w
      least <- best_of_runs(x, v, 9)
      for (k in 1:9) {
        fit <- kgroups(x, k, weights = w)
        expect_equal(fit$W, least[k], tolerance = 1e-10)
        expect_equal(fit$W, reference_W(P_of(x), fit$cluster, v), tolerance = 1e-10)
        expect_identical(fits[[k]]$cluster, fit$cluster)
      }
    }
  }
})

test_that("the fit holds the energy statistics of its partition", {
  set.seed(4)
  x <- c(a = 3, b = 1, c = 2.5, d = 9, e = 8, f = 20)
  w <- c(1, 2, 3, 1, 0.5, 4)
  fit <- kgroups(x, 3, weights = w)
  slow <- reference_statistics(P_of(x), fit$cluster, w)
  expect_s3_class(fit, "kgroups_fit", exact = TRUE)
  expect_equal(fit$W, slow$W)
  expect_equal(fit$S, slow$S)
  expect_equal(fit$total, slow$total)
  expect_equal(fit$within, slow$within)
  expect_equal(fit$sizes, tabulate(fit$cluster))
  expect_identical(names(fit$cluster), names(x))
  expect_identical(fit$cluster, c(a = 1L, b = 1L, c = 1L, d = 2L, e = 2L, f = 3L))
  statistics <- energy_statistics(x, fit, weights = w)
  expect_equal(fit$W, statistics$W)
  expect_equal(fit$S, statistics$S)
  expect_equal(
    unname(predict(fit, x, type = "squared")),
    unname(reference_d2(P_of(x), fit$cluster, w))
  )
  expect_snapshot(fit)
})

test_that("integer weights are replicated rows", {
  set.seed(5)
  x <- round(rnorm(40), 2)
  w <- sample(1:6, 40, TRUE)
  for (k in 1:6) {
    weighted <- kgroups(x, k, weights = w)
    replicated <- kgroups(rep(x, w), k)
    expect_equal(weighted$W, replicated$W)
    expect_identical(rep(weighted$cluster, w), replicated$cluster)
  }
})

test_that("order, offset and scale change nothing, W follows the scale", {
  set.seed(6)
  x <- round(c(rnorm(30), rnorm(30, 6), rexp(10)), 3)
  for (k in c(2, 4)) {
    fit <- kgroups(x, k)
    shuffled <- sample(70)
    expect_equal(compare_clusters(kgroups(x[shuffled], k), fit$cluster[shuffled]), 1)
    expect_equal(kgroups(-x, k)$W, fit$W)
    for (scale in c(1e-200, 1e-3, 1e200)) {
      scaled <- kgroups(x * scale, k)
      expect_equal(scaled$W / scale, fit$W, tolerance = 1e-12)
      expect_identical(scaled$cluster, fit$cluster)
    }
    by_weight <- kgroups(x, k, weights = rep(1e-250, 70))
    expect_equal(by_weight$W * 1e250, fit$W)
    # Multiples of 2^-10 keep all their digits at an offset of 1e8.
    y <- round(x * 1024) / 1024
    far <- kgroups(y + 1e8, k)
    expect_identical(far$cluster, kgroups(y, k)$cluster)
    expect_equal(far$W, kgroups(y, k)$W, tolerance = 1e-12)
  }
})

test_that("fine structure far away from the rest is seen", {
  set.seed(1)
  # Two pairs of tight groups, 1e8 apart: four clusters, W of the order of 1e-7.
  tight <- c(0, 1, 2, 10, 11, 12) * 2^-24
  x <- c(tight, 1e8 + tight)
  fit <- kgroups(x, 4)
  expect_identical(fit$cluster, rep(1:4, each = 3))
  expect_equal(fit$W / 2^-24, 4 * (1 + 1 + 2) / 3)
  # and so does a standard deviation of 5 at 1e8 beside one of 1e-7 at 0
  expect_identical(kgroups(c(tight, 1e8 + 1:6), 3)$cluster, rep(1:3, c(6, 3, 3)))
})

test_that("ties stay together unless there are more clusters than values", {
  set.seed(1)
  x <- c(2, 1, 2, 1, 3, 3, 1)
  fit <- kgroups(x, 2)
  expect_true(all(tapply(fit$cluster, x, function(l) length(unique(l))) == 1L))
  for (k in 3:7) {
    fit <- kgroups(x, k)
    expect_identical(fit$W, 0)
    expect_true(all(fit$sizes > 0))
    expect_true(all(tapply(x, fit$cluster, function(v) length(unique(v))) == 1L))
  }
  expect_identical(kgroups(rep(7, 5), 3)$W, 0)
  expect_identical(kgroups(4, 1)$cluster, 1L)
})

test_that("points of weight 0 take no part and go to the nearest mean", {
  set.seed(7)
  for (trial in seq_len(repeats(20, 40))) {
    n <- 12
    x <- if (trial %% 2) rnorm(n) else as.numeric(sample(5, n, TRUE))
    w <- sample(c(0, 0, 1, 2.5), n, TRUE)
    if (sum(w > 0) < 4) next
    for (k in 1:4) {
      fit <- kgroups(x, k, weights = w)
      without <- kgroups(x[w > 0], k, weights = w[w > 0])
      expect_equal(fit$W, without$W)
      expect_equal(compare_clusters(fit$cluster[w > 0], without), 1)
      d2 <- reference_d2(P_of(x), fit$cluster, w)
      own <- d2[cbind(seq_len(n), fit$cluster)]
      expect_true(all(own[w == 0] <= apply(d2, 1, min)[w == 0] + 1e-12))
    }
  }
  # A tie goes to the left run, first or not.
  expect_identical(kgroups(c(1, 0, -1), 2, weights = c(1, 0, 1))$cluster, c(1L, 2L, 2L))
  expect_identical(kgroups(c(1, 5, 1), 2, weights = c(1, 0, 1))$W, 0)
})

test_that("several k come from one table, in the order requested", {
  set.seed(8)
  x <- rnorm(200)
  problem <- as_problem(x)
  ks <- c(5, 1, 200, 3, 3)
  fits <- solution_1d(problem, ks)
  for (i in seq_along(fits)) {
    fields <- c("cluster", "cost", "V", "s", "total")
    expect_identical(fits[[i]][fields], solution_1d(problem, ks[i])[[1L]][fields])
    expect_identical(fits[[i]]$cluster, kgroups(x, ks[i])$cluster)
  }
  W <- vapply(solution_1d(problem, 1:20), function(one) sum(one$cost), 0)
  expect_true(all(diff(W) < 0))
})

test_that("kgroups() is exact on one column unless given how to start", {
  set.seed(9)
  x <- c(rnorm(40), rnorm(40, 3), rnorm(40, 7))
  exact <- kgroups(x, 3)
  expect_equal(exact$W, best_of_runs(x, rep(1, 120), 3)[3], tolerance = 1e-10)
  for (input in list(x, matrix(x), data.frame(x = x))) {
    fit <- kgroups(input, 3)
    expect_identical(fit$method, "exact")
    expect_equal(unname(fit$cluster), exact$cluster)
    expect_equal(fit$W, exact$W)
  }
  expect_identical(kgroups(x, 3, nstart = 2)$method, "hartigan")
  expect_identical(kgroups(x, 3, init = "kmeans++")$method, "hartigan")
  expect_identical(kgroups(x, 3, semimetric = rho_power(2))$method, "hartigan")
  expect_identical(kernel_kmeans(x, 3)$method, "lloyd")
  # No local search does better.
  expect_gte(kgroups(x, 3, init = "random", nstart = 20)$W, exact$W * (1 - 1e-12))
})
