test_that("values follow the formulas, among points, across points and from a dist", {
  set.seed(1)
  x <- matrix(rnorm(21), 7)
  y <- matrix(rnorm(9), 3)
  for (semimetric in test_semimetrics()) {
    expect_equal(
      semimetric_matrix(x, semimetric = semimetric), reference_rho(x, semimetric = semimetric),
      tolerance = 1e-13
    )
    expect_equal(
      semimetric_matrix(x, y, semimetric), reference_rho(x, y, semimetric),
      tolerance = 1e-13
    )
    expect_equal(
      semimetric_matrix(dist(x), semimetric = semimetric),
      reference_rho(x, semimetric = semimetric),
      tolerance = 1e-13
    )
  }
})

test_that("bounded semimetrics keep small distances", {
  d <- 1e-12
  expect_equal(semimetric_matrix(c(0, d), semimetric = rho_exponential(1))[1, 2], d, tolerance = 1e-10)
  expect_equal(
    semimetric_matrix(c(0, 1e-6), semimetric = rho_gaussian(1))[1, 2], 1e-12,
    tolerance = 1e-10
  )
})

test_that("the Gram matrix generates the semimetric, (7) and (8)", {
  set.seed(2)
  x <- matrix(rnorm(18), 9)
  x0 <- c(1, -2)
  for (semimetric in test_semimetrics()) {
    P <- reference_rho(x, semimetric = semimetric)
    base <- as.vector(reference_rho(x, matrix(x0, 1), semimetric))
    G <- gram_matrix(x, semimetric, x0)
    expect_equal(unclass(G), (outer(base, base, "+") - P) / 2, ignore_attr = TRUE, tolerance = 1e-12)
    expect_equal(outer(diag(G), diag(G), "+") - 2 * unclass(G), P, ignore_attr = TRUE, tolerance = 1e-10)
  }
  from_dist <- gram_matrix(dist(x), x0 = 4)
  expect_equal(unclass(from_dist), unclass(gram_matrix(x, x0 = x[4, ])), ignore_attr = TRUE)
  expect_equal(unname(from_dist[4, ]), rep(0, 9))
})

test_that("sigma = NULL is the weighted median of the pair distances", {
  set.seed(3)
  x <- matrix(rnorm(30), 15)
  fit <- kgroups(x, 2, rho_exponential())
  expect_equal(fit$semimetric$parameter, median(dist(x)))
  w <- as.numeric(sample(3, 15, replace = TRUE))
  weighted <- kgroups(x, 2, rho_gaussian(), weights = w)$semimetric$parameter
  pairs <- as.vector(as.dist(outer(w, w)))
  d <- as.vector(dist(x))
  below <- sum(pairs[d < weighted])
  up_to <- sum(pairs[d <= weighted])
  expect_true(below <= sum(pairs) / 2 && up_to >= sum(pairs) / 2)
  expect_equal(kgroups(dist(x), 2, rho_exponential())$semimetric$parameter, median(dist(x)))
})

test_that("printing says what is what", {
  expect_snapshot({
    print(rho_power())
    print(rho_power(0.5))
    print(rho_exponential(2))
    print(rho_gaussian())
    print(rho_localized())
    print(rho_sine())
    print(rho_function(function(x, y) 0))
  })
})

test_that("negative type is told from the eigenvalues", {
  set.seed(4)
  x <- matrix(rnorm(60), 20)
  for (semimetric in list(rho_power(0.5), rho_power(1), rho_power(2), rho_gaussian(1), rho_exponential(2))) {
    expect_true(is_negative_type(x, semimetric))
  }
  bad <- as.dist(as.matrix(dist(x))^2.5)
  P <- as.matrix(bad)
  J <- diag(20) - 1 / 20
  values <- eigen(-J %*% P %*% J / 2, symmetric = TRUE)$values
  got <- is_negative_type(bad)
  expect_false(got)
  expect_equal(attr(got, "smallest"), min(values))
  expect_equal(attr(got, "largest"), max(values))
  expect_true(is_negative_type(rep(1, 5)))
  expect_true(is_negative_type(as_gram(tcrossprod(x))))
  expect_false(is_negative_type(as_gram(-tcrossprod(x))))
})

test_that("the iterative method finds the eigenvalues of the dense one", {
  set.seed(5)
  x <- matrix(rnorm(300), 100)
  bad <- as.dist(as.matrix(dist(x))^2.5)
  problem <- as_problem(bad)
  dense <- centred_extremes(problem)
  iterative <- centred_extremes(problem, dense_n = 10L)
  expect_equal(iterative$smallest, dense$smallest, tolerance = 1e-8)
  expect_equal(iterative$largest, dense$largest, tolerance = 1e-8)
})

test_that("make_negative_type adds the smallest constant and keeps Hartigan's partitions", {
  set.seed(6)
  n <- 20
  x <- matrix(rnorm(3 * n), n)
  bad <- as.dist(as.matrix(dist(x))^2.5)
  mended <- make_negative_type(bad)
  constant <- attr(mended, "constant")
  expect_equal(constant, 2 * abs(attr(is_negative_type(bad), "smallest")))
  expect_equal(as.vector(mended), as.vector(bad) + constant)
  expect_true(is_negative_type(mended))
  for (k in 2:4) {
    start <- rep_len(seq_len(k), n)
    before <- suppressWarnings(kgroups(bad, k, init = start))
    after <- kgroups(mended, k, init = start)
    expect_identical(after$cluster, before$cluster)
    expect_equal(after$W, before$W + constant * (n - k) / 2)
  }
  # weights: c (1 / w_i + 1 / w_j), W rises by c (n - k)
  w <- sample(1:3, n, replace = TRUE)
  weighted <- make_negative_type(bad, weights = w)
  constant <- attr(weighted, "constant")
  cluster <- rep(1:4, 5)
  expect_equal(
    energy_statistics(weighted, cluster, weights = w)$W,
    energy_statistics(bad, cluster, weights = w)$W + constant * (n - 4)
  )
  G <- as_gram(-tcrossprod(x) + 4 * diag(n))
  expect_true(is_negative_type(make_negative_type(G)))
  expect_equal(attr(make_negative_type(dist(x)), "constant"), 0)
})
