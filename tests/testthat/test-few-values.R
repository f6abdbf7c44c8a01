# Columns of few values, and sums of columns that are constant but for rounding.

flowers <- as.matrix(iris[1:4])

with_coin <- function(x = flowers) {
  set.seed(7)
  data.frame(x, coin = stats::rbinom(nrow(x), 1, 0.5))
}

index <- function(fit, z = iris$Species) compare_clusters(unname(fit$cluster), z)

test_that("rows of a value are spread as the part of a normal variable of its share", {
  set.seed(1)
  n <- 400
  x <- cbind(stats::rnorm(n), sample(c(1, 2, 5), n, TRUE, c(0.5, 0.4, 0.1)))
  w <- sample(1:3, n, TRUE)
  out <- spread_columns(x, w)
  expect_identical(out$few, c(FALSE, TRUE))
  expect_identical(out$points[, 1], x[, 1])
  y <- out$points[, 2]
  mean_of <- function(v) sum(w * v) / sum(w)
  at <- match(x[, 2], c(1, 2, 5))
  share <- tapply(w, at, sum) / sum(w)
  cut <- stats::qnorm(cumsum(c(0, share)))
  # the means of a standard normal variable between the cuts, and its values less these means
  s <- -diff(stats::dnorm(cut)) / share
  unit <- sqrt(mean_of((x[, 2] - mean_of(x[, 2]))^2) / sum(share * s^2))
  for (l in 1:3) {
    rows <- which(at == l)
    expect_equal(sum(w[rows] * y[rows]) / sum(w[rows]), c(1, 2, 5)[l])
    # quantiles at the middles of the weights
    rows <- rows[order(y[rows])]
    u <- (cumsum(w[rows]) - w[rows] / 2) / sum(w[rows])
    reference <- stats::qnorm(sum(share[seq_len(l - 1)]) + u * share[l])
    expect_equal(y[rows] - c(1, 2, 5)[l], (reference - s[l]) * unit, tolerance = 0.02)
  }
  # even along the other column
  expect_lt(abs(stats::cor(y - x[, 2], x[, 1])), 0.1)
})

test_that("the spread is a function of the rows, not of their order, the unit, or the sign of two values", {
  set.seed(2)
  x <- cbind(stats::rnorm(60), stats::rbinom(60, 1, 0.5), stats::rbinom(60, 1, 0.2), rep(0:1, 30))
  w <- c(0, stats::runif(59))
  y <- spread_columns(x, w)$points
  order <- sample(60)
  expect_equal(spread_columns(x[order, ], w[order])$points, y[order, ])
  scale <- c(3, 2, 0.1, 5)
  expect_equal(spread_columns(x %*% diag(scale), w)$points, y %*% diag(scale))
  turned <- x
  turned[, 2:4] <- 1 - x[, 2:4]
  expect_equal(spread_columns(turned, w)$points[, 2:4], 1 - y[, 2:4])
  expect_identical(y[1, ], x[1, ])
})

test_that("columns of a lattice are spread over one step", {
  expect_equal(lattice_step(c(0.3, 1.2, 0.6, 2.1, 6.6, 9.9)), 0.3)
  expect_equal(lattice_step(2.54 * c(7, 10, 12, 20, 31, 45) + 1000), 2.54)
  set.seed(3)
  expect_identical(lattice_step(stats::rnorm(30)), 0)
  expect_identical(lattice_step(rep(1, 5)), 0)
  x <- cbind(stats::rpois(200, 9), stats::rnorm(200))
  out <- spread_columns(x, rep(1, 200), lattice = TRUE)
  expect_identical(out$lattice, c(TRUE, FALSE))
  expect_identical(round(out$points[, 1]), x[, 1])
  expect_identical(anyDuplicated(out$points[, 1]), 0L)
  for (value in 7:11) {
    own <- sort(out$points[x[, 1] == value, 1])
    expect_equal(own, value - 0.5 + (seq_along(own) - 0.5) / length(own))
  }
})

test_that("a column of two or three values is not the clusters, in any form of the table", {
  d <- with_coin()
  set.seed(1)
  fit <- kgroups(d, 3, standardize = "within")
  expect_gt(index(fit), 0.85)
  expect_identical(fit$few_values, "coin")
  expect_true(any(grepl("^Taken as cut normal variables: coin$", format(fit))))
  expect_identical(predict(fit, d), fit$cluster)
  expect_equal(fit$W, energy_statistics(as_points(d, like = fit$blueprint), fit$cluster)$W)
  # without noise: the label of a row does not depend on the others
  expect_identical(unname(predict(fit, d[7:9, ])), unname(fit$cluster[7:9]))
  same <- function(x, ...) {
    set.seed(1)
    kgroups(x, 3, standardize = "within", ...)
  }
  expect_equal(unname(same(as.matrix(d))$cluster), unname(fit$cluster))
  expect_identical(same(transform(d, coin = 1 - coin))$cluster, fit$cluster)
  expect_identical(same(transform(d, coin = 3 + 7 * coin, Sepal.Width = 2.54 * Sepal.Width))$cluster, fit$cluster)
  w <- rep(1:2, 75)
  repeated <- d[rep(seq_len(150), w), ]
  expect_gt(compare_clusters(same(repeated)$cluster[cumsum(w)], same(d, weights = w)$cluster), 0.9)
  expect_gt(index(same(transform(d, kind = factor(rep(1:3, 50))))), 0.85)
  open <- d
  open$coin[c(1, 60, 150)] <- NA
  expect_identical(same(open, missing = "impute")$few_values, "coin")
  expect_gt(index(same(open, missing = "impute")), 0.85)
  expect_gt(index(same(d, semimetric = rho_power(2))), 0.85)
  expect_gt(index(same(d, trim = 0.02)), 0.85)
  expect_gt(index(same(transform(d, part = rep(c(1, 2, 4), 50)))), 0.85)
})

test_that("a frequent value of a column is spread as the values of a column of few values, and the others stay", {
  set.seed(8)
  x <- cbind(stats::rnorm(300), ifelse(stats::runif(300) < 0.6, 0, stats::rexp(300)), rep(1:5, 60), rep(1:6, each = 50))
  w <- rep(c(1, 2), 150)
  out <- spread_columns(x, w)
  expect_identical(out$few, c(FALSE, TRUE, TRUE, FALSE))
  zero <- x[, 2] == 0
  expect_identical(out$points[, c(1, 4)], x[, c(1, 4)])
  expect_equal(out$points[!zero, 2], x[!zero, 2])
  expect_identical(anyDuplicated(out$points[zero, 2]), 0L)
  expect_equal(stats::weighted.mean(out$points[zero, 2], w[zero]), 0)
  # by the definition: the shares of weight are cut from a normal distribution, of which a value has the mean
  share <- sum(w[zero]) / sum(w)
  mean <- -stats::dnorm(stats::qnorm(share)) / share
  score <- ifelse(zero, mean, stats::qnorm(vapply(x[, 2], function(v) {
    (sum(w[x[, 2] < v]) + sum(w[x[, 2] == v]) / 2) / sum(w)
  }, 0)))
  unit <- sqrt(stats::cov.wt(x[, 2, drop = FALSE], w)$cov / stats::cov.wt(cbind(score), w)$cov)[1]
  order <- order(out$points[zero, 2])
  place <- (cumsum(w[zero][order]) - w[zero][order] / 2) / sum(w[zero])
  expect_equal(out$points[zero, 2][order] / unit, stats::qnorm(share * place) - mean, tolerance = 0.01)
  expect_equal(spread_columns(7 * x, w)$points, 7 * out$points)
  expect_equal(spread_columns(x[300:1, ], w[300:1])$points, out$points[300:1, ])
})

test_that("an amount with many zeros is not the clusters of a metric or a mixture, and no number of clusters", {
  set.seed(9)
  z <- rep(1:3, each = 80)
  x <- matrix(stats::rnorm(960), 240) + 4 * cbind(z == 1, z == 2, z == 3, 0)
  amounts <- list(
    exponential = ifelse(stats::runif(240) < 0.7, 0, stats::rexp(240)),
    cents = ifelse(stats::runif(240) < 0.5, 0, round(stats::rlnorm(240, 3), 2)),
    limit = pmin(stats::rnorm(240), 0.3)
  )
  for (name in names(amounts)) {
    d <- cbind(x, amounts[[name]])
    expect_gt(compare_clusters(z, kgroups(d, 3, standardize = "within")), 0.8, label = name)
    expect_gt(compare_clusters(z, kgroups_mixture(d, 3)), 0.8, label = name)
  }
  expect_identical(select_k(cbind(x, amounts$cents), 1:5)$k, 3L)
  one <- kgroups(cbind(x, amounts$exponential), 3, standardize = "within")
  expect_identical(one$few_values, "5")
})

test_that("continuous columns, and tables too small for a metric, are not spread", {
  set.seed(4)
  fit <- kgroups(iris[1:4], 3, standardize = "within")
  expect_null(fit$few_values)
  expect_null(fit$rounded)
  expect_null(spread_problem(as_problem(flowers)))
  few <- suppressMessages(kgroups(with_coin()[c(1:6, 60:64), ], 3, standardize = "within"))
  expect_null(few$few_values)
})

test_that("a sum of columns that is constant but for rounding is left out", {
  set.seed(5)
  z <- rep(1:3, each = 60)
  x <- cbind(stats::rnorm(180, c(0, 4, 0)[z]), stats::rnorm(180, c(0, 0, 4)[z])) %*% matrix(c(1, 0.7, 0, 0.4), 2)
  rounded <- cbind(a = round(x[, 1], 2), b = round(x[, 2], 2), sum = round(x[, 1] + x[, 2], 2), c = stats::rnorm(180))
  set.seed(1)
  fit <- kgroups(rounded, 3, standardize = "within")
  expect_identical(fit$rounded, c("a", "b", "sum"))
  expect_gt(index(fit, z), 0.75)
  expect_true(any(grepl("^Left out, .* a sum of a, b, sum$", format(fit))))
  expect_identical(predict(fit, rounded), fit$cluster)
  # nothing varies along the sum: the scatter is that of the other columns
  set.seed(1)
  two <- kgroups(rounded[, c(1, 2, 4)], 3, standardize = "within")
  expect_gt(compare_clusters(fit$cluster, two$cluster), 0.95)
  expect_equal(cov2cor(fit$scatter)[-3, -3], cov2cor(two$scatter), tolerance = 0.02)
  expect_lt(abs(crossprod(c(1, 1, -1, 0), fit$scatter %*% c(1, 1, -1, 0))), 1e-4 * fit$scatter[1, 1])
  # a measured difference is no rounding: two clusters of it, 50 steps apart
  near <- round(x[, 1], 2)
  pair <- cbind(near, round(near + rep(c(0, 0.5), 90) + stats::rnorm(180, sd = 0.02), 2))
  set.seed(1)
  both <- kgroups(pair, 2, standardize = "within")
  expect_null(both$rounded)
  expect_gt(index(both, rep(1:2, 90)), 0.9)
})

test_that("a mixture of spread rows assigns the values", {
  d <- with_coin()
  set.seed(1)
  m <- kgroups_mixture(d, 3)
  expect_gt(index(m), 0.85)
  expect_true(is.finite(BIC(m)))
  expect_identical(predict(m, d, type = "class"), m$cluster)
  expect_equal(predict(m, d, type = "prob"), m$probabilities)
  if (m$form != "within") expect_equal(unname(max.col(m$probabilities)), unname(m$cluster))
  # the points of the mixture are the spread rows in the metric
  problem <- kept_problem(m)
  y <- spread_points(m, problem)
  x <- spread_columns(as.matrix(d), rep(1, 150))$points
  A <- stats::lm.fit(cbind(1, as.matrix(d)), unname(problem$points))$coefficients
  expect_equal(unname(y), unname(cbind(1, x) %*% A), tolerance = 1e-6)
})

test_that("a large table learns from spread rows of a sample, and its labels are those of the values", {
  set.seed(21)
  n <- 21000
  z <- sample(3, n, TRUE)
  x <- cbind(stats::rnorm(n) + 6 * (z == 1), stats::rnorm(n) + 6 * (z == 2), stats::rbinom(n, 1, 0.5))
  w <- sample(0:3, n, TRUE, c(0.02, 0.4, 0.38, 0.2))
  set.seed(22)
  fit <- kgroups(x, 3, standardize = "within", weights = w)
  expect_identical(fit$search$levels, c(2000L, 5000L, n))
  expect_gt(index(fit, z), 0.98)
  points <- as_points(x, like = fit$blueprint)
  again <- kgroups(points, 3, weights = w, init = fit)
  expect_equal(again$W, fit$W)
  expect_identical(unname(predict(fit, x)), unname(again$cluster))
  set.seed(22)
  some <- kgroups(x, 3, standardize = "within", weights = w, approx = nystroem(100))
  expect_gt(compare_clusters(unname(some$cluster), unname(fit$cluster)), 0.98)
})
