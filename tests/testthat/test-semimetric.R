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
  fit <- kgroups(x, 2, semimetric = rho_exponential())
  expect_equal(fit$semimetric$parameter, median(dist(x)))
  w <- as.numeric(sample(3, 15, replace = TRUE))
  weighted <- kgroups(x, 2, semimetric = rho_gaussian(), weights = w)$semimetric$parameter
  pairs <- as.vector(as.dist(outer(w, w)))
  d <- as.vector(dist(x))
  below <- sum(pairs[d < weighted])
  up_to <- sum(pairs[d <= weighted])
  expect_true(below <= sum(pairs) / 2 && up_to >= sum(pairs) / 2)
  expect_equal(kgroups(dist(x), 2, semimetric = rho_exponential())$semimetric$parameter, median(dist(x)))
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
