test_that("distances and F are those of their definitions, for all forms of the data", {
  set.seed(1)
  x <- matrix(rnorm(60), 30)
  g <- rep(c("a", "b", "c"), c(8, 10, 12))
  found <- dispersion_test(x, g, semimetric = rho_power(2), R = 19)
  expect_s3_class(found, "htest")
  centre <- apply(x, 2, function(column) ave(column, g))
  size <- as.vector(table(g)[g])
  d <- rowSums((x - centre)^2) * size / (size - 1)
  expect_equal(unname(found$distances), d)
  level <- ave(d, g) - mean(d)
  contracted <- d - (1 - sqrt((size - 1) / size)) * level
  expect_equal(unname(found$statistic), summary(aov(contracted ~ g))[[1]][["F value"]][1])
  expect_equal(unname(found$estimate), as.vector(tapply(d, g, mean)))
  plain <- withr::with_seed(2, dispersion_test(x, g, R = 19))
  rho <- as.matrix(dist(x))
  own <- vapply(1:30, function(i) {
    rows <- which(g == g[i])
    (mean(rho[i, rows]) - mean(rho[rows, rows]) / 2) * length(rows) / (length(rows) - 1)
  }, 0)
  expect_equal(unname(plain$distances), own)
  # the estimate is half the mean over the pairs
  pairs <- vapply(c("a", "b", "c"), function(l) mean(as.dist(rho[g == l, g == l])) / 2, 0)
  expect_equal(unname(plain$estimate), unname(pairs))
  for (data in list(dist(x), semimetric_matrix(x, type = "gram"), as.data.frame(x))) {
    other <- withr::with_seed(2, dispersion_test(data, g, R = 19))
    expect_equal(other[c("statistic", "p.value", "estimate")], plain[c("statistic", "p.value", "estimate")])
  }
})

test_that("a location does not matter, a scale does", {
  set.seed(3)
  x <- matrix(rnorm(120), 60)
  g <- rep(1:2, 30)
  p <- function(x) withr::with_seed(4, dispersion_test(x, g, R = 199)$p.value)
  expect_equal(p(x + 10 * g), p(x))
  expect_lt(p(x * g^2), 0.02)
  expect_identical(dispersion_test(rep(1:2, 5), rep(1:2, 5), R = 9)$p.value, 1)
})

test_that("wrong input is reported", {
  expect_snapshot(error = TRUE, {
    dispersion_test(1:9, c(rep(c("a", "b"), 4), "c"))
    dispersion_test(1:6, rep(1:2, 3), sizes = 3)
    dispersion_test(1:6)
    dispersion_test(1:6, 1:3)
    dispersion_test(1:6, rep(1, 6))
  })
  expect_snapshot(dispersion_test(c(a = 1, b = 2, c = 4, d = 0, e = 10, f = 30), rep(1:2, each = 3), R = 9)[c("statistic", "data.name", "estimate")])
})

test_that("few arrangements are all used", {
  x <- c(1, 2, 4, 9, 11, 17)
  g <- rep(1:2, each = 3)
  test <- dispersion_test(x, g)
  expect_identical(unname(test$parameter), 19)
  expect_identical(dispersion_test(x, g)$p.value, test$p.value)
})

test_that("distances to the mean on a line are those of the pairs, in n log n, and few arrangements are reported", {
  set.seed(31)
  for (n in c(6, 50)) {
    x <- round(rnorm(n), 1) + 1e3
    g <- rep(1:2, length.out = n)
    on_line <- suppressMessages(dispersion_test(x, g, R = 19))
    expect_equal(on_line$distances, suppressMessages(dispersion_test(dist(x), g, R = 19))$distances, tolerance = 1e-9, ignore_attr = TRUE)
  }
  x <- rnorm(2e5)
  expect_lt(system.time(dispersion_test(x, rep(1:2, 1e5), R = 1))[[1]], 5)
  expect_message(dispersion_test(c(1, 5, 2, 9, 4, 2.5), rep(1:2, each = 3)), class = "kg_message_arrangements")
  expect_no_message(dispersion_test(rnorm(20), rep(1:2, each = 10), R = 99), class = "kg_message_arrangements")
})
