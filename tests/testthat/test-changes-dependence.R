# The best runs of cells by brute force over their ends.
reference_cell_runs <- function(x, m, ends, least) {
  n <- length(x)
  best <- NULL
  for (cuts in utils::combn(length(ends) - 1L, m, simplify = FALSE)) {
    starts <- c(1, ends[cuts] + 1)
    if (any(diff(c(starts, n + 1)) < least)) next
    W <- energy_statistics(x, findInterval(seq_len(n), starts))$W
    if (is.null(best) || W < best$W) best <- list(W = W, starts = starts)
  }
  best$starts
}

test_that("changes beside an autoregression are the best of all ends of cells", {
  set.seed(1)
  x <- c(rnorm(5), rnorm(4, 3), rnorm(6))
  for (data in list(x, dist(x))) {
    problem <- series_of(as_problem(data))$problem
    values <- if (inherits(data, "dist")) problem$store$x else x
    found <- best_cell_runs(with_points(problem, as.matrix(problem$store$x)), 3)
    for (m in 1:2) {
      semimetric <- if (inherits(data, "dist")) rho_power(2) else rho_power(1)
      W <- function(starts) energy_statistics(values, findInterval(1:15, starts), semimetric)$W
      right <- if (inherits(data, "dist")) NULL else reference_cell_runs(x, m, 1:15, 3)
      if (!is.null(right)) expect_equal(found[[m + 1]], right)
      expect_true(all(diff(c(found[[m + 1]], 16)) >= 3))
      expect_lt(W(found[[m + 1]]), W(1))
    }
  }
})

test_that("residuals and series are inverse, for every order", {
  set.seed(2)
  e <- matrix(rnorm(400), 200)
  phi <- cbind(c(0.5, -0.2, 0.1), c(0.8, 0, 0))
  x <- simulated_series(e, phi, 200)
  expect_equal(innovations_of(x, phi), e[-(1:3), ])
  expect_equal(x[, 2], as.vector(stats::filter(e[, 2], 0.8, "recursive")))
  expect_gte(min(Mod(polyroot(c(1, -steady(c(1.2, 0.3)))))), 1)
})

test_that("the autoregression is that of Yule and Walker without changes, whatever the shifts", {
  set.seed(3)
  x <- matrix(as.numeric(stats::arima.sim(list(ar = 0.6), 600)))
  problem <- as_problem(x)
  plain <- fit_dependence(x, problem, 30)
  expect_identical(plain$changes, 0L)
  expect_lt(abs(plain$phi[1] - 0.6), 0.12)
  shifted <- x + rep(c(0, 12, 0), each = 200)
  found <- fit_dependence(shifted, problem, 30)
  expect_identical(found$changes, 2L)
  expect_lt(abs(found$phi[1] - plain$phi[1]), 0.1)
  independent <- fit_dependence(matrix(rnorm(300) + rep(c(0, 3), 150)[rep(1:2, each = 150)]), problem, 30)
  expect_lt(max(abs(independent$phi)), 0.3)
  expect_identical(fit_dependence(matrix(1, 50), problem, 5)$phi, matrix(0, 3, 1))
})

test_that("autoregressions without a change have none, changes are found, and independent rows have the test of permutations", {
  set.seed(4)
  p <- replicate(30, kgroups_changes(as.numeric(stats::arima.sim(list(ar = 0.7), 60)), R = 19)$tests$p.value[1])
  # four standard errors
  expect_lt(mean(p <= 0.05), 0.21)
  x <- stats::arima.sim(list(ar = 0.5), 120) + rep(c(0, 5), each = 60)
  found <- kgroups_changes(as.numeric(x), R = 39)
  expect_identical(found$k, 2L)
  expect_lt(abs(found$changes[[1]] - 61), 4)
  expect_output(print(found), "Autocorrelation of adjacent observations within runs: 0")
  expect_identical(dim(found$dependence), c(3L, 1L))
  y <- rnorm(50)
  set.seed(5)
  a <- kgroups_changes(y, R = 39, independent = TRUE)
  set.seed(5)
  expect_identical(test_further_change(as_problem(y), 1L, 5, 39)$p.value, a$tests$p.value[1])
  expect_null(a$dependence)
})

test_that("dissimilarities, kernels and several columns are whitened too, and a trend is named", {
  set.seed(6)
  x <- cbind(as.numeric(stats::arima.sim(list(ar = 0.6), 60)), rnorm(60)) + rep(c(0, 6), each = 30)
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"))) {
    found <- kgroups_changes(data, R = 19)
    expect_identical(found$k, 2L)
    expect_lt(abs(found$changes[[1]] - 31), 3)
  }
  expect_true(follows_slope(matrix(1:60), rep(1:3, each = 20)) && !follows_slope(x, rep(1:3, c(15, 15, 30))))
})
