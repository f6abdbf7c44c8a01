fit_of_iris <- function(...) {
  set.seed(1)
  kgroups(iris[1:4], 3, ...)
}

test_that("the fit has the components that it promises", {
  fit <- fit_of_iris()
  expect_s3_class(fit, c("kgroups_fit", "kgroups"), exact = TRUE)
  expect_true(all(c(
    "call", "cluster", "sizes", "within", "W", "count", "iterations", "k", "S", "total",
    "weights", "semimetric", "method", "init", "converged", "objectives", "best_start"
  ) %in% names(fit)))
  expect_identical(fit$call[1:3], quote(kgroups(x = iris[1:4], k = 3)))
  expect_identical(fit$k, 3L)
  expect_null(fit$weights)
  expect_equal(fit$W + fit$S, fit$total)
  expect_equal(sum(fit$within), fit$W)
  expect_identical(nobs(fit), 150L)
  expect_identical(fitted(fit), fit$cluster)
})

test_that("print, summary and as.data.frame show it", {
  fit <- fit_of_iris()
  expect_snapshot({
    print(fit)
    summary(fit)
    head(as.data.frame(fit), 3)
    fit_of_iris(weights = rep(1:3, 50), init = "random", nstart = 3)
    kgroups(as_gram(tcrossprod(as.matrix(iris[1:4]))), 2, init = rep(1:2, 75))
    kernel_kmeans(iris[1:4], 3, init = iris$Species, semimetric = rho_gaussian())
    energy_statistics(iris[1:4], iris$Species)
  })
  utils::capture.output(shown <- withVisible(print(fit)))
  expect_false(shown$visible)
  expect_identical(shown$value, fit)
  frame <- as.data.frame(fit)
  expect_identical(dim(frame), c(150L, 3L))
  expect_identical(frame$cluster, unname(fit$cluster))
})

test_that("plot draws points, coordinates of a dist, and one column", {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off())
  expect_invisible(plot(fit_of_iris()))
  plot(kgroups(dist(iris[1:4]), 3), main = "by distances")
  plot(kgroups(iris[1:2], 3))
  plot(kgroups(iris[[1]], 3))
  expect_error(plot(fit_of_iris(keep.data = FALSE)), class = "kg_error_keep")
})

test_that("principal coordinates give back the distances", {
  set.seed(2)
  x <- matrix(rnorm(20), 10)
  found <- principal_coordinates(as_problem(x, rho_power(2)), 2)
  expect_equal(as.vector(dist(found)), as.vector(dist(x)))
})

test_that("fitted() has no centres to give", {
  fit <- kgroups(iris[1:4], 3)
  expect_identical(fitted(fit), fit$cluster)
  expect_error(fitted(fit, "centers"), class = "kg_error_dots")
})
