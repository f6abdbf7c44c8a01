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
    G <- semimetric_matrix(x, semimetric = semimetric, x0 = x0, type = "gram")
    expect_equal(unclass(G), (outer(base, base, "+") - P) / 2, ignore_attr = TRUE, tolerance = 1e-12)
    expect_equal(outer(diag(G), diag(G), "+") - 2 * unclass(G), P, ignore_attr = TRUE, tolerance = 1e-10)
  }
  from_dist <- semimetric_matrix(dist(x), x0 = 4, type = "gram")
  expect_equal(unclass(from_dist), unclass(semimetric_matrix(x, x0 = x[4, ], type = "gram")), ignore_attr = TRUE)
  expect_equal(unname(from_dist[4, ]), rep(0, 9))
})

test_that("sigma = NULL is the weighted median of the pair distances", {
  set.seed(3)
  x <- matrix(rnorm(30), 15)
  # SPEC section 1: the pairs of an observation with itself count too, so that the median over all
  # ordered pairs is meant, not that of dist(x); only so a weight of 2 can equal two rows
  fit <- kgroups(x, 2, semimetric = rho_exponential())
  expect_equal(fit$semimetric$parameter, median(as.matrix(dist(x))))
  w <- as.numeric(sample(3, 15, replace = TRUE))
  weighted <- kgroups(x, 2, semimetric = rho_gaussian(), weights = w)$semimetric$parameter
  pairs <- as.vector(outer(w, w))
  d <- as.vector(as.matrix(dist(x)))
  below <- sum(pairs[d < weighted])
  up_to <- sum(pairs[d <= weighted])
  expect_true(below <= sum(pairs) / 2 && up_to >= sum(pairs) / 2)
  expect_equal(kgroups(dist(x), 2, semimetric = rho_exponential())$semimetric$parameter, fit$semimetric$parameter)
  for (rows in 2:15) {
    for (semimetric in list(rho_gaussian(), rho_exponential())) {
      some <- x[seq_len(rows), , drop = FALSE]
      sigma <- function(...) kgroups(..., k = 1, semimetric = semimetric)$semimetric$parameter
      v <- w[seq_len(rows)]
      expect_equal(sigma(some, weights = v), sigma(some[rep(seq_len(rows), v), ]))
      expect_equal(sigma(some, weights = rep(2, rows)), sigma(some))
      expect_equal(sigma(some, weights = 0.3 * v), sigma(some, weights = v))
      expect_equal(sigma(some), median(as.matrix(dist(some))))
    }
  }
})

test_that("sigma = NULL and the default candidates are functions of the data, also above 2,000 rows", {
  set.seed(4)
  x <- matrix(round(rnorm(4100), 3), 2050)
  x[1:20, ] <- 0
  w <- rep(c(1, 0, 2), c(1000, 50, 1000))
  order <- sample(2050)
  forms <- list(
    points = list(x, function(rows) x[rows, ]),
    dist = list(dist(x), function(rows) as.dist(as.matrix(dist(x))[rows, rows])),
    sparse = list(Matrix::Matrix(x, sparse = TRUE), function(rows) Matrix::Matrix(x[rows, ], sparse = TRUE))
  )
  drawn <- function(data, weights) {
    c(
      as_problem(data, rho_gaussian(), weights)$semimetric$parameter,
      vapply(default_candidates(as_problem(data, rho_power(1), weights), NULL)[3:4], `[[`, 0, "parameter")
    )
  }
  for (form in forms[repeats(1:2, 1:3)]) {
    set.seed(5)
    seed <- .Random.seed
    one <- drawn(form[[1]], w)
    expect_identical(.Random.seed, seed)
    if (identical(form, forms$points)) expect_identical(drawn(form[[1]], w), one)
    expect_equal(drawn(form[[2]](order), w[order]), one)
  }
  # near the median of all pairs
  expect_equal(as_problem(x, rho_gaussian())$semimetric$parameter, median(dist(x)), tolerance = 0.01)
})

test_that("semimetrics print with their parameters", {
  expect_snapshot({
    print(rho_power())
    print(rho_power(0.5))
    print(rho_exponential(2))
    print(rho_gaussian())
    print(rho_function(function(x, y) 0))
  })
})

test_that("a function of the user has the values of a dist, in one call or a pair at a time", {
  x <- cbind(c(0, 1, 3, 7, 2, 5, 4), c(2, 2, 0, 1, 5, 3, 9))
  pair <- rho_function(function(x, y) sum(abs(x - y)))
  whole <- rho_function(function(x, y) sqrt(outer(x[, 1], y[, 1], "-")^2), vectorized = TRUE)
  expect_identical(packed_function_values(pair, x), as.vector(dist(x, "manhattan")))
  expect_identical(packed_function_values(whole, x), as.vector(dist(x[, 1])))
  wrong <- list(
    function(x, y) matrix(0, nrow(x), nrow(y) + 1L), function(x, y) matrix("0", nrow(x), nrow(y)), function(x, y) 0
  )
  for (f in wrong) {
    expect_error(packed_function_values(rho_function(f, vectorized = TRUE), x), class = "kg_error_semimetric")
  }
  kernel <- rho_function(function(x, y) exp(-sum((x - y)^2)))
  expect_error(packed_function_values(kernel, x), "is not 0.*as_gram", class = "kg_error_semimetric")
  expect_error(packed_function_values(rho_function(function(x, y) sum(x)), x), class = "kg_error_semimetric")
  ordered <- rho_function(function(x, y) max(x[1] - y[1], 0))
  expect_error(packed_function_values(ordered, x), "not symmetric.*Symmetrise", class = "kg_error_semimetric")
})
