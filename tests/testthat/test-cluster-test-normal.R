# Twice the log likelihood ratio of two normals of one covariance matrix over one, by the algorithm from its definition.
reference_ratio <- function(z, p) {
  n <- nrow(z)
  normal <- function(m, S) exp(-stats::mahalanobis(z, m, S) / 2) / sqrt(det(2 * pi * S))
  one <- sum(log(normal(colMeans(z), stats::cov(z) * (n - 1) / n)))
  for (step in 1:300) {
    s <- mean(p)
    a <- colSums(z * p) / sum(p)
    b <- colSums(z * (1 - p)) / sum(1 - p)
    S <- (crossprod((z - rep(a, each = n)) * sqrt(p)) + crossprod((z - rep(b, each = n)) * sqrt(1 - p))) / n
    f <- s * normal(a, S)
    g <- (1 - s) * normal(b, S)
    p <- f / (f + g)
  }
  2 * (sum(log(f + g)) - one)
}

test_that("the likelihood ratio is that of its definition, and no linear map changes it", {
  set.seed(1)
  z <- rbind(matrix(rnorm(120), 60), cbind(rnorm(60, 4), rnorm(60)))
  right <- reference_ratio(z, as.numeric(z[, 1] > 2))
  expect_equal(two_normals(sphered_rows(z))$value, right, tolerance = 1e-3)
  mapped <- z %*% matrix(c(2, 1, -3, 5), 2) + 7
  expect_equal(two_normals(sphered_rows(mapped))$value, right, tolerance = 1e-3)
})

test_that("one normal cloud of any covariance keeps the level, two that overlap are found", {
  set.seed(2)
  p <- replicate(60, cluster_test(matrix(rnorm(60), 30) %*% matrix(c(1, 2, 0, 3), 2), null = "normal", R = 19)$p.value)
  expect_lt(mean(p <= 0.05), 0.17)
  x <- rbind(matrix(rnorm(160), 80), cbind(rnorm(80, 3.2), rnorm(80)))
  test <- cluster_test(x, null = "normal", R = 39)
  expect_lte(test$p.value, 0.05)
  expect_match(test$method, "one normal distribution against two")
  expect_no_error(as_figure(test))
  expect_lte(suppressMessages(cluster_test(dist(x[, 1]), null = "normal", R = 19))$p.value, 0.05)
})

test_that("too few rows, and trees, are errors", {
  expect_error(cluster_test(matrix(rnorm(60), 10), null = "normal"), class = "kg_error_x")
  x <- matrix(rnorm(60), 30)
  expect_error(cluster_test(x, tree = kgroups_tree(x), null = "normal"), class = "kg_error_tree")
  # columns that follow from others do not count
  set.seed(3)
  a <- cluster_test(x, null = "normal", R = 19)$p.value
  set.seed(3)
  expect_equal(cluster_test(cbind(x, x[, 1] + x[, 2], 1), null = "normal", R = 19)$p.value, a)
})
