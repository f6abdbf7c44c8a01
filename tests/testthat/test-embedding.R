# Distances and Gram matrices that few coordinates tell are searched as points.

squares_of <- function(x) as.matrix(stats::dist(x))^2

# Kernel values of which these are rho = |phi_i - phi_j|^2, about the first row.
gram_of <- function(rho) as_gram((outer(rho[, 1], rho[1, ], "+") - rho) / 2)

test_that("distances, squared ones, what a semimetric makes of them and their kernels have the coordinates of the points", {
  set.seed(61)
  for (d in c(1, 4, 60)) {
    x <- matrix(rnorm(300 * d), 300) %*% diag(exp(seq(0, 3, length.out = d)), d)
    D <- stats::dist(x)
    forms <- list(
      list(as_problem(D), 1), list(as_problem(D, rho_power(2)), 2), list(as_problem(D, rho_power(0.7)), 0.7),
      list(as_problem(D, rho_gaussian(1)), 0), list(as_problem(D, rho_exponential(1)), 0),
      list(as_problem(stats::as.dist(as.matrix(D)^2)), 2), list(as_problem(stats::as.dist(as.matrix(D)^2), rho_power(0.5)), 1), list(as_problem(as_gram(tcrossprod(x))), 2),
      list(as_problem(gram_of(as.matrix(D))), 1), list(as_problem(x, rho_function(function(a, b) sum((a - b)^2))), 2)
    )
    for (form in forms) {
      at <- coordinates_of(embed(form[[1]]))
      expect_identical(at$alpha, form[[2]])
      expect_identical(dim(at$x), c(300L, as.integer(d)))
      ratio <- squares_of(at$x)[lower.tri(diag(300))] / as.vector(D)^2
      expect_equal(range(ratio), rep(ratio[1], 2), tolerance = 1e-5)
      rho <- store_rho(form[[1]]$store, 1:150, 151:300)
      expect_equal(store_rho(embed(form[[1]])$store, 1:150, 151:300), rho, tolerance = 1e-5)
    }
  }
  expect_null(embed(as_problem(x)))
  expect_identical(coordinates_of(as_problem(x))$x, as_problem(x)$store$x)
  expect_identical(coordinates_of(as_problem(x, rho_gaussian(1))), list(x = as_problem(x)$store$x, alpha = 0))
})

test_that("where no few coordinates tell the values there are none", {
  set.seed(62)
  x <- matrix(rnorm(1500), 300)
  wide <- matrix(rnorm(300 * 130), 300)
  apart <- rbind(x * 1e-7, x * 1e-7 + 1e6)
  symmetric <- matrix(runif(9e4), 300)
  none <- list(
    as_problem(stats::dist(x, "manhattan")), as_problem(stats::dist(wide)), as_problem(stats::as.dist(squares_of(x)), rho_gaussian(1)),
    as_problem(as_gram(exp(-squares_of(x)))), as_problem(stats::as.dist(symmetric)),
    as_problem(as_gram(symmetric + t(symmetric))), as_problem(stats::dist(matrix(1, 300, 2))), as_problem(stats::dist(apart))
  )
  for (problem in none) expect_null(embed(problem))
})

test_that("of small sets squared distances alone are searched as points: those of few coordinates", {
  x <- withr::with_seed(64, matrix(rnorm(900), 300))
  squares <- function(...) embed(as_problem(...), squares = TRUE)
  same <- function(problem) {
    expect_s3_class(problem$store, "kgroups_points")
    expect_equal(coordinates_of(problem)$alpha, 2)
    expect_equal(as.vector(stats::dist(coordinates_of(problem)$x)), as.vector(stats::dist(x)), tolerance = 1e-7)
  }
  same(squares(stats::dist(x), rho_power(2)))
  same(squares(as_gram(tcrossprod(x))))
  same(squares(as_gram(-squares_of(x) / 2)))
  same(squares(x, rho_function(function(x, y) sum((x - y)^2))))
  wide <- withr::with_seed(65, matrix(rnorm(300 * 40), 300))
  expect_null(squares(stats::dist(x)))
  expect_null(squares(stats::dist(x), rho_power(1.5)))
  expect_null(squares(stats::dist(x), rho_gaussian(1)))
  expect_null(squares(as_gram(exp(-squares_of(x)))))
  expect_null(squares(stats::dist(wide), rho_power(2)))
  expect_null(squares(x, rho_power(2)))
})

test_that("points on a line, their distances and their kernel have one exact answer", {
  set.seed(66)
  for (case in list(c(40, 3), c(300, 5), c(900, 12), c(2100, 25))) {
    n <- case[1L]
    k <- case[2L]
    x <- round(rt(n, 3), 2)
    w <- sample(c(0, 1, 1, 3), n, TRUE)
    distances <- stats::dist(x)
    forms <- list(
      matrix(x), data.frame(x), distances, gram_of(as.matrix(distances)), cbind(x, 7), cbind(3 * x, 4 * x) / 5,
      x %*% t(c(2, -1, 2) / 3)
    )
    for (weights in list(NULL, w)) {
      exact <- kgroups_1d(x, k, weights = weights)
      for (form in forms) {
        fit <- withr::with_seed(1, kgroups(form, k, weights = weights))
        expect_equal(fit$W, exact$W, tolerance = 1e-10)
      }
    }
  }
  line <- kgroups(distances, 4)
  expect_named(line$objectives, "line")
  expect_equal(line$objectives[["line"]], line$W)
  # more clusters than values, all rows equal, other semimetrics and what is asked for by name
  expect_equal(kgroups(stats::dist(rep(1:3, 20)), 5)$W, 0)
  expect_equal(kgroups(stats::dist(rep(1, 20)), 2)$W, 0)
  expect_false("line" %in% names(kgroups(distances, 4, semimetric = rho_power(0.5))$objectives))
  expect_false("line" %in% names(kgroups(distances, 4, nstart = 2)$objectives))
  expect_equal(kgroups(rep(1:3, 20), 3, semimetric = rho_function(function(x, y) abs(x - y)))$W, 0)
  withr::with_options(list(kgroups.memory = 1e6), {
    many <- as_problem(cbind(seq_len(3000), 0))
    expect_null(solve_line(many, new_control(200)))
    expect_error(solution_1d(as_problem(seq_len(3000)), 200), class = "kg_error_memory")
  })
  expect_null(embed_line(as_problem(matrix(rnorm(90), 30))))
  expect_null(embed_line(as_problem(stats::dist(matrix(rnorm(90), 30)))))
})

test_that("points, their distances and their kernel are searched alike: the same W, many clusters or few", {
  set.seed(63)
  for (case in list(c(2100, 3, 8), c(2200, 8, 12), c(2100, 6, 45), c(900, 4, 24), c(2100, 7, 22), c(400, 3, 6), c(300, 5, 14))) {
    n <- case[1]
    k <- case[3]
    x <- matrix(rnorm(k * case[2], sd = 3), k)[sample(k, n, TRUE), ] + rnorm(n * case[2])
    w <- sample(c(0, 1, 1, 2), n, TRUE)
    W <- function(...) withr::with_seed(1, kgroups(..., k = k, weights = w)$W)
    fit <- withr::with_seed(1, kgroups(stats::dist(x), k, weights = w))
    expect_equal(fit$W, W(x), tolerance = 1e-6)
    expect_equal(fit$W, energy_statistics(stats::dist(x), fit$cluster, weights = w)$W, tolerance = 1e-12)
    expect_equal(fit$W, min(fit$objectives), tolerance = 1e-12)
    expect_true(fit$converged)
    squared <- W(x, semimetric = rho_power(2))
    expect_equal(W(stats::dist(x), semimetric = rho_power(2)), squared, tolerance = 1e-6)
    expect_equal(W(stats::as.dist(squares_of(x))), squared, tolerance = 1e-6)
    expect_equal(W(as_gram(tcrossprod(x))), squared, tolerance = 1e-6)
    narrow <- rho_gaussian(3)
    expect_equal(W(stats::dist(x), semimetric = narrow), W(x, semimetric = narrow), tolerance = 1e-6)
  }
})
