# The best runs by brute force over their starts.
reference_runs <- function(x, m, least) {
  n <- nrow(x)
  cuts <- utils::combn(2:n, m)
  cuts <- cuts[, apply(rbind(1, cuts, n + 1), 2L, function(one) all(diff(one) >= least)), drop = FALSE]
  W <- apply(cuts, 2L, function(one) energy_statistics(x, findInterval(seq_len(n), c(1, one)))$W)
  c(1, cuts[, which.min(W)])
}

# Each change moved by one row, to the least sum of squares about the means.
reference_settled <- function(x, starts, least) {
  n <- nrow(x)
  squares <- function(rows) sum((x[rows, ] - rep(colMeans(x[rows, , drop = FALSE]), each = length(rows)))^2)
  for (i in seq_along(starts)[-1L]) {
    before <- starts[i - 1L]
    after <- c(starts, n + 1)[i + 1L]
    at <- starts[i] + -1:1
    at <- at[at - before >= least & after - at >= least]
    starts[i] <- at[which.min(vapply(at, function(one) squares(before:(one - 1)) + squares(one:(after - 1)), 0))]
  }
  starts
}

# The autoregression of deviations by the equations of Yule and Walker: list(phi, value).
reference_autoregression <- function(rest, run) {
  n <- length(rest)
  raw <- vapply(0:3, function(h) {
    same <- which(run[seq_len(n - h)] == run[seq_len(n - h) + h])
    sum(rest[same] * rest[same + h]) / max(length(same), 1)
  }, 0)
  gamma <- raw
  for (again in 1:2) {
    one <- max(-0.98, min(0.98, gamma[2] / gamma[1]))
    gamma <- raw + gamma[1] * (1 - one^2) / (1 - one)^2 * max(run) / n
  }
  tried <- lapply(1:3, function(p) {
    phi <- solve(toeplitz(gamma[seq_len(p)]), gamma[1 + seq_len(p)])
    list(phi = phi, value = n * log(gamma[1] - sum(phi * gamma[1 + seq_len(p)])) + p * log(n))
  })
  phi <- tried[[which.min(vapply(tried, `[[`, 0, "value"))]]$phi * (1 + 2 / n)
  while (min(Mod(polyroot(c(1, -phi)))) < 1.01) phi <- 0.98 * phi
  e <- stats::filter(rest, c(1, -phi), sides = 1)[-(1:3)]
  list(phi = c(phi, numeric(3 - length(phi))), value = n * log(mean(e^2)) + length(phi) * log(n))
}

reference_dependence <- function(x, least, most) {
  n <- nrow(x)
  tried <- lapply(0:most, function(m) {
    run <- findInterval(seq_len(n), if (m > 0) reference_settled(x, reference_runs(x, m, least), least) else 1)
    rest <- x - rowsum(x, run)[run, , drop = FALSE] / tabulate(run)[run]
    fits <- lapply(seq_len(ncol(x)), function(j) reference_autoregression(rest[, j], run))
    value <- sum(vapply(fits, `[[`, 0, "value")) + m * (ncol(x) + 1) * log(n)
    list(phi = vapply(fits, `[[`, numeric(3), "phi"), changes = m, value = value)
  })
  tried[[which.min(vapply(tried, `[[`, 0, "value"))]][c("phi", "changes")]
}

test_that("the autoregression and its changes are those of brute force", {
  changes <- integer()
  for (seed in 1:20) {
    set.seed(seed)
    x <- matrix(as.numeric(replicate(1 + seed %% 2, stats::arima.sim(list(ar = runif(1, -0.5, 0.9)), 26))), 26)
    if (seed %% 3) x[(8 + seed %% 10):26, ] <- x[(8 + seed %% 10):26, ] + 4
    found <- fit_dependence(x, as_problem(x), 8)
    expect_equal(found, reference_dependence(x, 8, 2), tolerance = 1e-8)
    changes <- c(changes, found$changes)
  }
  expect_setequal(changes, 0:1)
})

test_that("residuals and series are inverse, for every order", {
  set.seed(2)
  e <- matrix(rnorm(400), 200)
  phi <- cbind(c(0.5, -0.2, 0.1), c(0.8, 0, 0))
  x <- simulated_series(e, phi, 200)
  expect_equal(innovations_of(x, phi), e[-(1:3), ])
  expect_equal(x[, 2], as.vector(stats::filter(e[, 2], 0.8, "recursive")))
  walk <- matrix(cumsum(rnorm(60)) + 1:60)
  found <- fit_dependence(walk, as_problem(walk), 30)$phi
  expect_gte(min(Mod(polyroot(c(1, -found)))), 1.01)
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
  p <- replicate(60, kgroups_changes(as.numeric(stats::arima.sim(list(ar = 0.7), 60)), R = 19)$tests$p.value[1])
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

test_that("a burst of far values hides no shift and makes no autoregression", {
  set.seed(4)
  x <- c(rnorm(100), rnorm(60, 2.5), rnorm(80))
  found <- kgroups_changes(replace(x, 50:55, 9), R = 99)
  for (at in c(101, 161)) expect_lte(min(abs(found$changes[[1]] - at)), 3)
  expect_lt(abs(found$dependence[1]), 0.2)
  nile <- kgroups_changes(replace(Nile, 60:62, 3000), R = 99)
  expect_true(1899 %in% nile$time[nile$changes[[1]]])
  # what is no burst stays
  y <- cbind(as.numeric(stats::arima.sim(list(ar = 0.8), 120)), rep(0:1, 60))
  expect_equal(without_bursts(y), y)
})

test_that("dependence beyond an autoregression of each column is reported, and an autoregression is not", {
  set.seed(11)
  A <- matrix(c(0.5, 0.3, 0, 0, 0.5, 0.3, 0.3, 0, 0.5), 3)
  across <- function() Reduce(function(before, t) drop(A %*% before) + rnorm(3), 1:150, numeric(3), accumulate = TRUE)
  arch <- function() Reduce(function(x, t) rnorm(1) * sqrt(0.3 + 0.7 * x^2), 1:300, 0, accumulate = TRUE)
  reported <- function(x) {
    any <- FALSE
    withCallingHandlers(kgroups_changes(x, R = 19), message = function(c) {
      any <<- any || inherits(c, "kg_message_dependence")
      invokeRestart("muffleMessage")
    })
    any
  }
  withr::local_options(rlib_message_verbosity = "verbose")
  expect_gte(sum(replicate(5, reported(do.call(rbind, across())))), 4)
  expect_gte(sum(replicate(5, reported(unlist(arch())))), 3)
  expect_lte(sum(replicate(10, reported(as.numeric(stats::arima.sim(list(ar = 0.6), 100))))), 1)
  expect_lte(sum(replicate(10, reported(matrix(rnorm(300), 100)))), 1)
})

test_that("permuted blocks hold each row once and adjacent rows together", {
  set.seed(12)
  for (each in c(1, 3, 7)) {
    out <- permuted_blocks(11:40, each)
    expect_setequal(out, 11:40)
    if (each > 1) expect_gte(mean(diff(out) == 1), 1 - 1.2 / each - 0.05)
  }
})
