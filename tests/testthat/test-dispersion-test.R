test_that("distances and F are those of their definitions, for all forms of the data", {
  set.seed(1)
  x <- matrix(rnorm(60), 30)
  g <- rep(c("a", "b", "c"), c(8, 10, 12))
  size <- as.vector(table(g)[g])
  found <- dispersion_test(x, g, semimetric = rho_power(2), R = 19)
  expect_s3_class(found, "htest")
  d <- numeric(30)
  for (l in unique(g)) {
    rows <- x[g == l, ]
    from <- function(centre) sqrt(colSums((t(rows) - centre)^2))
    d[g == l] <- from(
      optim(colMeans(rows), function(centre) sum(from(centre)), control = list(reltol = 1e-14, maxit = 5000))$par
    )
  }
  d <- d * sqrt(size / (size - 1))
  expect_equal(unname(found$distances), d, tolerance = 1e-4)
  expect_equal(unname(found$statistic), summary(aov(found$distances ~ g))[[1]][["F value"]][1])
  expect_equal(
    unname(found$estimate), vapply(split(1:30, g), function(rows) sum(apply(x[rows, ], 2, var)), 0), ignore_attr = TRUE
  )
  plain <- withr::with_seed(2, dispersion_test(x, g, R = 19))
  # in the feature space no weights give a lower sum of distances
  rho <- as.matrix(dist(x))
  own <- plain$distances / sqrt(size / (size - 1))
  for (l in unique(g)) {
    rows <- rho[g == l, g == l]
    total <- function(a) {
      a <- exp(a) / sum(exp(a))
      sum(sqrt(pmax(rows %*% a - sum(a * rows %*% a) / 2, 0)))
    }
    least <- optim(numeric(nrow(rows)), total, method = "BFGS", control = list(reltol = 1e-12, maxit = 1000))$value
    expect_equal(sum(own[g == l]), least, tolerance = 1e-6)
  }
  # the estimate is half the mean over the pairs
  pairs <- vapply(c("a", "b", "c"), function(l) mean(as.dist(rho[g == l, g == l])) / 2, 0)
  expect_equal(unname(plain$estimate), unname(pairs))
  for (data in list(
    dist(x), semimetric_matrix(x, type = "gram"), as.data.frame(x), semimetric_matrix(x, type = "gram") * 1e-200
  )) {
    other <- withr::with_seed(2, dispersion_test(data, g, R = 19))
    expect_equal(other[c("statistic", "p.value")], plain[c("statistic", "p.value")], tolerance = 1e-6)
  }
  sparse <- Matrix::Matrix(tcrossprod(x) * outer(g, g, "=="), sparse = TRUE)
  expect_equal(
    dispersion_test(sparse, g, R = 9)$distances, dispersion_test(as_gram(as.matrix(sparse)), g, R = 9)$distances,
    tolerance = 1e-6, ignore_attr = TRUE
  )
})

test_that("one variable with squared distances gives the test of Brown and Forsythe", {
  set.seed(6)
  x <- rexp(45)
  g <- rep(1:3, each = 15)
  deviation <- abs(x - ave(x, g, FUN = median))
  expect_equal(
    dispersion_test(x, g, rho_power(2), R = 9)$statistic[[1]], summary(aov(deviation ~ factor(g)))[[1]][["F value"]][1],
    tolerance = 1e-3
  )
})

test_that("small groups of skewed data keep the level", {
  set.seed(7)
  p <- replicate(200, dispersion_test(rexp(20), rep(1:2, 10), R = 39)$p.value)
  expect_lt(mean(p <= 0.05), 0.1)
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
  expect_snapshot(dispersion_test(
    c(a = 1, b = 2, c = 4, d = 0, e = 10, f = 30), rep(1:2, each = 3), R = 9
  )[c("statistic", "data.name", "estimate")])
})

test_that("few arrangements are all used", {
  set.seed(1)
  x <- c(1, 2, 4, 9, 11, 17)
  g <- rep(1:2, each = 3)
  test <- dispersion_test(x, g)
  expect_identical(unname(test$parameter), 19)
  expect_identical(dispersion_test(x, g)$p.value, test$p.value)
})

test_that("distances to the medians on a line are those of the pairs, in n log n, and few arrangements are reported", {
  set.seed(31)
  for (n in c(6, 50)) {
    x <- round(rnorm(n), 1) + 1e3
    g <- rep(1:2, length.out = n)
    on_line <- suppressMessages(dispersion_test(x, g, R = 19))
    expect_equal(
      on_line$distances, suppressMessages(dispersion_test(dist(x), g, R = 19))$distances, tolerance = 1e-9,
      ignore_attr = TRUE
    )
  }
  x <- rnorm(2e5)
  expect_lt(system.time(dispersion_test(x, rep(1:2, 1e5), R = 1))[[1]], 5)
  expect_message(dispersion_test(c(1, 5, 2, 9, 4, 2.5), rep(1:2, each = 3)), class = "kg_message_arrangements")
  expect_no_message(dispersion_test(rnorm(20), rep(1:2, each = 10), R = 99), class = "kg_message_arrangements")
})
