# All partitions of n observations into k clusters of sizes within the limits, one a row.
partitions_within <- function(n, k, limits) {
  all <- as.matrix(expand.grid(rep(list(seq_len(k)), n - 1)))
  all <- cbind(1L, all)
  counts <- vapply(seq_len(k), function(l) rowSums(all == l), numeric(nrow(all)))
  all[rowSums(counts < limits[1] | counts > limits[2]) == 0, , drop = FALSE]
}

test_that("W is the least within the limits, by brute force", {
  set.seed(1)
  for (i in 1:12) {
    n <- sample(5:7, 1)
    k <- sample(2:3, 1)
    limits <- c(sample(n %/% k, 1), sample(ceiling(n / k):n, 1))
    P <- reference_rho(matrix(rnorm(2 * n), n), semimetric = rho_power(1))
    all <- partitions_within(n, k, limits)
    W <- apply(all, 1, function(labels) reference_statistics(P, labels)$W)
    fit <- kgroups(as.dist(P), k, sizes = limits)
    expect_true(all(fit$sizes >= limits[1] & fit$sizes <= limits[2]))
    expect_equal(fit$W, min(W), tolerance = 1e-9)
  }
})

test_that("no allowed move and no exchange lowers W", {
  set.seed(2)
  x <- matrix(rnorm(60), 30)
  for (semimetric in third(list(rho_power(1), rho_power(2), rho_gaussian(1)), 1)) {
    P <- reference_rho(x, semimetric = semimetric)
    for (limits in list(c(7, 8), c(5, 9))) {
      fit <- kgroups(x, 4, semimetric = semimetric, sizes = limits, nstart = 1)
      changed <- function(rows, labels) reference_statistics(P, replace(fit$cluster, rows, labels))$W
      least <- fit$W * (1 - 1e-9)
      for (i in 1:30) {
        own <- fit$cluster[[i]]
        into <- if (fit$sizes[own] > limits[1]) setdiff(which(fit$sizes < limits[2]), own)
        for (l in into) expect_gte(changed(i, l), least)
        for (j in which(fit$cluster != own & seq_len(30) < i)) expect_gte(changed(c(i, j), fit$cluster[c(j, i)]), least)
      }
    }
  }
})

test_that("all forms of one input give the same fit, and limits without effect the plain one", {
  x <- as.matrix(iris[1:4])
  set.seed(3)
  W <- kgroups(x, 3, sizes = "equal")$W
  for (input in list(iris[1:4], dist(x), as_gram(-as.matrix(dist(x)) / 2))) {
    fit <- suppressWarnings(kgroups(input, 3, sizes = 50))
    expect_equal(fit$W, W)
    expect_identical(fit$sizes, rep(50L, 3))
    expect_s3_class(fit, c("kgroups_sized_fit", "kgroups_fit"), exact = TRUE)
    expect_equal(energy_statistics(dist(x), unname(fit$cluster))$W, fit$W)
  }
  expect_equal(kgroups(~., 3, data = iris[1:4], sizes = "equal")$W, W)
  expect_equal(kgroups(x, 3, sizes = "equal", weights = rep(2, 150))$W, 2 * W)
  free <- kgroups(x, 3, sizes = c(1, Inf))
  expect_equal(free$W, kgroups(x, 3)$W)
  expect_length(free$limits$binding, 0)
  expect_equal(kgroups(matrix(1:6), 6, sizes = 1)$W, 0)
  expect_identical(kgroups(matrix(1:6), 1, sizes = "equal")$sizes, 6L)
  expect_identical(kgroups(matrix(rep(1, 6)), 3, sizes = 2)$sizes, rep(2L, 3)) |> suppressMessages()
})

test_that("a start of the user is put within the limits and improved", {
  x <- as.matrix(iris[1:4])
  start <- rep(1:3, c(100, 30, 20))
  fit <- kgroups(x, 3, sizes = c(40, 60), init = start)
  expect_identical(names(fit$objectives), "labels")
  expect_null(fit$limits$W_free)
  expect_true(all(fit$sizes >= 40 & fit$sizes <= 60))
  expect_length(kgroups(x, 3, sizes = 50, init = "random", nstart = 4)$objectives, 4)
})

test_that("many observations have equal sizes, close to the fit without limits", {
  set.seed(4)
  x <- matrix(rnorm(24000), 12000)
  fit <- kgroups(x, 4, sizes = "equal")
  expect_identical(fit$sizes, rep(3000L, 4))
  expect_lt(fit$W, 1.02 * kgroups(x, 4)$W)
})

test_that("methods of a fit accept it", {
  fit <- kgroups(iris[1:4], 3, sizes = c(45, 60))
  expect_snapshot({
    fit
    kgroups(iris[1:4], 3, sizes = c(1, 100))
  }, transform = function(lines) sub("W = [^(]*[(]", "W (", lines))
  expect_identical(predict(fit), fit$cluster)
  expect_length(predict(fit, iris[1:5, 1:4]), 5)
  expect_identical(nrow(augment(fit)), 150L)
})

test_that("wrong sizes are a classed error", {
  x <- as.matrix(iris[1:4])
  expect_snapshot(error = TRUE, {
    kgroups(x, 3, sizes = c(60, 100))
    kgroups(x, 3, sizes = c(10, 40))
    kgroups(x, 3, sizes = 40)
    kgroups(x, 3, sizes = c(60, 40))
    kgroups(x, 3, sizes = c(20.5, 60))
    kgroups(x, 3, sizes = c(NA, 60))
    kgroups(x, 3, sizes = "same")
    kgroups(x, 3, sizes = "equal", weights = rep(1:2, 75))
    kgroups(x, 3, sizes = "equal", approx = nystroem(10))
    kgroups(x, 3, sizes = "equal", trim = 0.1)
    kernel_kmeans(x, 3, sizes = "equal")
  })
})
