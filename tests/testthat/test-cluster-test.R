# The test of one unimodal cloud.

dip_of <- function(x) .Call(ffi_dip, sort(as.double(x)))

# The definition: the least bound on |F_n - F| over the cdfs F that are convex below a mode and concave above it,
# as a linear programme in the values of F at the observations, by bisection on the bound for every mode.
dip_bound_holds <- function(x, bound) {
  n <- length(x)
  lower <- seq_len(n) / n - bound
  upper <- (seq_len(n) - 1) / n + bound
  # greatest convex function below `upper`, least concave one above `lower`
  convex <- function(at) {
    vapply(at, function(j) min(upper[j], vapply(at, function(a) {
      min(c(Inf, vapply(at, function(b) {
        if (a < j && b > j) upper[a] + (upper[b] - upper[a]) * (x[j] - x[a]) / (x[b] - x[a]) else Inf
      }, 0)))
    }, 0)), 0)
  }
  for (mode in seq_len(n)) {
    left <- seq_len(mode)
    right <- mode:n
    below <- convex(left)
    x_turned <- -rev(x[right])
    above <- {
      up <- 1 - rev(lower[right])
      at <- seq_along(right)
      vapply(at, function(j) min(up[j], vapply(at, function(a) {
        min(c(Inf, vapply(at, function(b) {
          if (a < j && b > j) {
            up[a] + (up[b] - up[a]) * (x_turned[j] - x_turned[a]) / (x_turned[b] - x_turned[a])
          } else {
            Inf
          }
        }, 0)))
      }, 0)), 0)
    }
    # the largest convex F left of the mode reaches `lower`, the least concave one right of it stays below `upper`;
    # F may jump at the mode
    fits_left <- all(below[-mode] >= lower[left][-mode] - 1e-12)
    fits_right <- all((1 - rev(above))[-1L] <= upper[right][-1L] + 1e-12)
    if (fits_left && fits_right) {
      return(TRUE)
    }
  }
  FALSE
}

test_that("the dip is the least distance to a unimodal distribution", {
  set.seed(1)
  for (n in c(4, 7, 10)) {
    for (repetition in 1:4) {
      x <- sort(c(rnorm(n %/% 2), rnorm(n - n %/% 2, 3)))
      dip <- dip_of(x)
      expect_true(dip_bound_holds(x, dip + 1e-9))
      if (dip > 1 / (2 * n) + 1e-9) expect_false(dip_bound_holds(x, dip - 1e-6))
    }
  }
})

test_that("the dip has the values of diptest, with ties too", {
  skip_if_not_installed("diptest")
  set.seed(2)
  samples <- list(
    rnorm(50), runif(200), c(rnorm(30), rnorm(30, 5)), rexp(99), round(rnorm(80), 1), 1:2, rep(1, 5), c(0, 0, 1, 1)
  )
  for (x in samples) expect_equal(dip_of(x), diptest::dip(x), tolerance = 1e-12)
})

test_that("the dip does not depend on scale and direction", {
  set.seed(3)
  x <- c(rnorm(40), rnorm(20, 4))
  expect_equal(dip_of(-x), dip_of(x))
  expect_equal(dip_of(1e100 * x + 1), dip_of(x))
  expect_identical(dip_of(5), 0.5)
  expect_error(.Call(ffi_dip, c(2, 1)), "ascending")
})

test_that("clusters are found, single clouds are not", {
  set.seed(4)
  for (cloud in list(
    matrix(runif(300), 150), matrix(rexp(300), 150), matrix(rt(450, 3), 150), matrix(rpois(300, 1), 150)
  )) {
    expect_gt(cluster_test(cloud, splits = 3)$p.value, 0.05)
  }
  test <- cluster_test(iris[1:4])
  expect_lt(test$p.value, 0.01)
  expect_s3_class(test, "htest")
  expect_length(test$p.splits, 5L)
})

test_that("points, distances and Gram matrices are tested alike", {
  x <- as.matrix(iris[1:4])
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"), as_points(iris[1:4], standardize = TRUE))) {
    set.seed(5)
    expect_lt(cluster_test(data, splits = 3)$p.value, 0.01)
  }
  set.seed(6)
  first <- cluster_test(x)
  set.seed(6)
  expect_identical(cluster_test(as.data.frame(x))$p.value, first$p.value)
})

test_that("columns may have any scale, or all their values equal", {
  set.seed(7)
  x <- rbind(matrix(rnorm(120), 60), matrix(rnorm(120, 6), 60))
  expect_lt(cluster_test(1e200 * x)$p.value, 0.05)
  expect_lt(cluster_test(cbind(x, 1))$p.value, 0.05)
  expect_lt(cluster_test(cbind(x, x[, 1]))$p.value, 0.05)
  expect_identical(suppressWarnings(cluster_test(matrix(1, 20, 2)))$p.value, 1)
})

test_that("splits of a tree are tested from the top", {
  set.seed(8)
  x <- rbind(matrix(rnorm(100), 50), matrix(rnorm(100, 8), 50), cbind(rnorm(50, 8), rnorm(50)))
  for (tree in list(kgroups_tree(x), hclust(dist(x), "ward.D"), kgroups_tree(x, m = 30))) {
    table <- cluster_test(x, tree = tree)
    expect_identical(table$significant[1:2], c(TRUE, TRUE))
    expect_identical(sum(table$significant), 2L)
    expect_identical(table$left[1] + table$right[1], 150L)
    expect_true(all(diff(table$height) <= 0))
  }
  one <- cluster_test(matrix(runif(200), 100), tree = kgroups_tree(matrix(runif(200), 100)))
  expect_identical(nrow(one), 1L)
})

test_that("dissimilarities of many observations are tested on a sample", {
  set.seed(9)
  x <- rbind(matrix(rnorm(100), 50), matrix(rnorm(100, 6), 50))
  problem <- selection_problem(dist(x), rho_power(1), NULL, new_control(), NULL)
  some <- withr::with_seed(1, test_one_cluster(problem, 5, rows = 60L)$p.value)
  own <- withr::with_seed(1, {
    rows <- draw_rows(1:100, 60L)
    cluster_test(dist(x[rows, ]))$p.value
  })
  expect_identical(some, own)
  expect_lt(some, 0.05)
})

test_that("wrong input of the test is refused", {
  expect_snapshot(error = TRUE, {
    cluster_test(iris)
    cluster_test(1:9)
    cluster_test(igraph::make_ring(20))
    cluster_test(iris[1:4], splits = 0)
    cluster_test(iris[1:4], alpha = 2)
    cluster_test(iris[1:4], tree = kgroups_tree(iris[1:20, 1:4]))
    cluster_test(iris[1:4], tree = 3)
    cluster_test(iris[1:4], k = 2)
  })
})

test_that("a fit is tested by the data that it holds", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"))) {
    expect_lt(cluster_test(kgroups(data, 3), splits = 3)$p.value, 0.05)
  }
  set.seed(10)
  right <- cluster_test(as_points(iris[1:4], standardize = TRUE))
  set.seed(10)
  expect_equal(cluster_test(kgroups(iris[1:4], 3, standardize = TRUE))$p.value, right$p.value, tolerance = 0.05)
  expect_error(cluster_test(kgroups(x, 3, keep.data = FALSE)), class = "kg_error_keep")
})

test_that("the direction between two groups solves the equations of its definition, in few and in many columns", {
  set.seed(71)
  for (d in c(1, 3, 19, 20, 21, 60)) {
    z <- matrix(rnorm(20 * d), 20)
    if (d > 2) z[, 2] <- 4
    labels <- rep(1:2, c(8, 12))
    means <- rowsum(z, labels) / c(8, 12)
    S <- crossprod(z - means[labels, , drop = FALSE]) / 20
    diag(S) <- diag(S) * (1 + d / 20) + 1e-10 * mean(diag(S))
    wanted <- solve(S, means[1, ] - means[2, ], tol = 0)
    expect_equal(group_direction(z, labels), unname(wanted) / sqrt(sum(wanted^2)), tolerance = 1e-6)
  }
})

test_that("halves of a fit in a learned metric learn their own, from the columns before it", {
  set.seed(21)
  x <- matrix(runif(400), 80)
  fit <- kgroups(x, 2, standardize = "within")
  set.seed(1)
  p <- cluster_test(fit)$p.value
  set.seed(1)
  own <- test_one_cluster(as_problem(as_points(x, standardize = TRUE)), 5, halves_control(TRUE))$p.value
  expect_equal(p, own)
})

test_that("distances and kernels of tied rows of one cloud are one cluster, those of two clouds are not", {
  set.seed(1)
  p <- replicate(4, {
    x <- matrix(round(rnorm(300)), 150)
    c(cluster_test(dist(x))$p.value, cluster_test(as_gram(tcrossprod(scale(x, scale = FALSE))))$p.value)
  })
  expect_gt(min(p), 0.05)
  far <- matrix(round(rnorm(200)), 100) + rep(c(0, 8), each = 50)
  expect_lt(cluster_test(dist(far))$p.value, 0.01)
})

test_that("equal rows are one cluster in every form", {
  x <- matrix(1, 20, 2)
  for (form in list(x, dist(x), as_gram(tcrossprod(x)))) expect_identical(cluster_test(form)$p.value, 1)
})
