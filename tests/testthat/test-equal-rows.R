counted <- function(n, d, mean = 2) matrix(rpois(n * d, mean), n)

test_that("rows are equal where all values are, and told in the order of the first ones", {
  set.seed(1)
  for (case in 1:20) {
    x <- counted(30, 2, 1)
    group <- row_groups(x, 31)
    expect_identical(group, match(data.frame(t(x)), unique(as.list(data.frame(t(x))))))
    expect_null(row_groups(x, max(group)))
    expect_identical(row_groups(x, max(group) + 1), group)
  }
  groups <- function(x, ...) equal_rows(as_problem(x, ...))
  x <- counted(60, 2)
  told <- groups(x, rho_power(1))
  expect_identical(told, row_groups(x, 61))
  expect_identical(groups(dist(x), rho_power(1)), told)
  expect_identical(groups(as_gram(tcrossprod(x))), told)
  expect_identical(groups(x, rho_gaussian(2)), told)
  expect_identical(groups(x, rho_function(function(x, y) sum(abs(x - y)))), told)
  expect_null(groups(matrix(rnorm(60), 30), rho_power(1)))
  expect_null(groups(dist(matrix(rnorm(60), 30)), rho_power(1)))
  # no distance between the first two, but others to the third
  D <- matrix(c(0, 0, 1, 1, 0, 0, 2, 2, 1, 2, 0, 0, 1, 2, 0, 0), 4)
  expect_identical(groups(as.dist(D), rho_power(1)), c(1L, 2L, 3L, 3L))
  # a pair of rows that are nearly equal
  near <- dist(rbind(x, x[1, ] + 1e-13))
  expect_false(anyDuplicated(groups(near, rho_power(1))[c(1, 61)]) > 0)
})

test_that("the search of equal rows finds the best of all partitions, with and without weights", {
  set.seed(2)
  for (case in 1:6) {
    x <- matrix(rnorm(10), 5)[c(1:5, sample(5, 4, TRUE)), ]
    for (weights in list(rep(1, 9), sample(3, 9, TRUE))) {
      best <- reference_optimum(reference_rho(x, semimetric = rho_power(1)), 3, weights)
      for (form in list(x, dist(x))) {
        expect_equal(kgroups(form, 3, weights = weights)$W, best, tolerance = 1e-10)
        expect_gte(kernel_kmeans(form, 3, weights = weights)$W, best * (1 - 1e-10))
      }
    }
  }
})

test_that("a fit of equal rows says of them what a fit without a search does", {
  set.seed(3)
  x <- counted(400, 3)
  w <- replace(runif(400), 1:30, 0)
  for (alpha in c(0.5, 1, 2)) {
    for (weights in list(NULL, w)) {
      forms <- list(x, as.data.frame(x), dist(x), as_gram(-as.matrix(dist(x))^alpha / 2))
      fits <- lapply(forms, function(form) {
        set.seed(4)
        suppressMessages(if (inherits(form, "kgroups_gram")) kgroups(form, 5, weights = weights) else kgroups(form, 5, semimetric = rho_power(alpha), weights = weights))
      })
      for (fit in fits) expect_equal(fit$W, fits[[1L]]$W, tolerance = 1e-9)
      fit <- fits[[1L]]
      expect_identical(fit$cluster, fit$cluster[match(data.frame(t(x)), data.frame(t(x)))])
      stats <- energy_statistics(x, fit$cluster, semimetric = rho_power(alpha), weights = weights)
      expect_equal(c(fit$W, fit$S), c(stats$W, stats$S), tolerance = 1e-10)
      again <- kgroups(x, 5, semimetric = rho_power(alpha), weights = weights, init = fit$cluster, nstart = 1)
      expect_equal(again$W, fit$W, tolerance = 1e-12)
      expect_identical(again$cluster, fit$cluster)
      expect_equal(fit$within, again$within, tolerance = 1e-10)
      expect_identical(unname(predict(fit, x)), unname(fit$cluster))
      expect_equal(predict(fit, x + 0.3, type = "distance"), predict(again, x + 0.3, type = "distance"), tolerance = 1e-9)
    }
  }
})

test_that("rounded, counted and 0/1 data end no higher than starts on the distinct rows", {
  set.seed(5)
  sets <- list(round(matrix(rnorm(1200), ncol = 2) * 3), counted(900, 3, 1), matrix(rbinom(9000, 1, 0.25), ncol = 10))
  for (x in sets) {
    group <- row_groups(x, nrow(x))
    rows <- !duplicated(group)
    for (k in c(4, 12)) {
      set.seed(6)
      peer <- kgroups(x[rows, ], k, weights = tabulate(group), init = "kmeans++", nstart = 30)$W
      fit <- kgroups(x, k)
      expect_lte(fit$W, peer)
      # nor does any one row move
      expect_identical(kgroups(x, k, init = fit$cluster, nstart = 1)$count, 0)
    }
  }
})

test_that("equal rows of many: pairs, features and landmarks", {
  set.seed(7)
  x <- round(matrix(rnorm(50000), ncol = 2) * 3)
  for (alpha in c(1, 2)) {
    fit <- kgroups(x, 6, semimetric = rho_power(alpha))
    again <- kgroups(x, 6, semimetric = rho_power(alpha), init = fit$cluster, nstart = 1)
    expect_equal(again$W, fit$W, tolerance = 1e-11)
    expect_identical(again$cluster, fit$cluster)
    expect_equal(again$within, fit$within, tolerance = 1e-10)
  }
  near <- kgroups(x, 6, approx = nystroem(60))
  expect_identical(near$cluster, near$cluster[match(data.frame(t(x)), data.frame(t(x)))])
  expect_identical(predict(near, x), near$cluster)
})

test_that("fewer distinct rows than clusters, or as many, are divided", {
  x <- matrix(rep(c(1, 2, 5, 9), each = 10), ncol = 1)[, c(1, 1)]
  for (k in c(3, 4, 6)) {
    fit <- suppressMessages(kgroups(x, k))
    expect_identical(sort(unique(fit$cluster)), seq_len(k))
    expect_equal(fit$W, if (k == 3) 5 * sqrt(2) else 0, tolerance = 1e-12)
  }
})
