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

test_that("the constant raises W of every partition alike and keeps the ends of Hartigan's method", {
  set.seed(7)
  n <- 7
  bad <- as.dist(as.matrix(dist(matrix(rnorm(2 * n), n)))^3)
  G <- as_gram(-tcrossprod(matrix(rnorm(2 * n), n)) + diag(n))
  ends <- function(P, partitions, w) {
    vapply(partitions, function(p) reference_best_fall(P, p, w) < 1e-9, NA)
  }
  for (w in list(rep(1, n), c(1, 2, 3, 1, 2, 0.5, 4))) {
    weights <- if (any(w != 1)) w
    mended <- make_negative_type(bad, weights = weights)
    c_value <- attr(mended, "constant")
    mended_gram <- make_negative_type(G, weights = weights)
    P_gram <- outer(diag(G), diag(G), "+") - 2 * unclass(G)
    P_mended <- outer(diag(mended_gram), diag(mended_gram), "+") - 2 * unclass(mended_gram)
    for (k in 2:3) {
      partitions <- all_partitions(n, k)
      rise <- vapply(partitions, function(p) {
        reference_W(as.matrix(mended), p, w) - reference_W(as.matrix(bad), p, w)
      }, 0)
      expect_equal(rise, rep(c_value * (n - k) / if (is.null(weights)) 2 else 1, length(rise)))
      expect_identical(ends(as.matrix(bad), partitions, w), ends(as.matrix(mended), partitions, w))
      rise <- vapply(partitions, function(p) reference_W(P_mended, p, w) - reference_W(P_gram, p, w), 0)
      expect_equal(rise, rep(attr(mended_gram, "constant") * (n - k) / if (is.null(weights)) 2 else 1, length(rise)))
    }
  }
})

test_that("no smaller constant would do", {
  set.seed(8)
  x <- matrix(rnorm(40), 20)
  bad <- as.dist(as.matrix(dist(x))^2.5)
  constant <- attr(make_negative_type(bad), "constant")
  expect_false(is_negative_type(bad + 0.999 * constant))
  expect_true(is_negative_type(bad + 1.001 * constant))
})

test_that("the answer says how large the failure is, and can be used as a logical", {
  set.seed(9)
  x <- matrix(rnorm(40), 20)
  bad <- as.dist(as.matrix(dist(x))^2.5)
  got <- is_negative_type(bad)
  expect_equal(attr(got, "constant"), -2 * attr(got, "smallest"))
  expect_equal(attr(got, "mean"), mean(bad))
  expect_equal(attr(is_negative_type(x), "mean"), mean(dist(x)))
  expect_equal(attr(is_negative_type(gram_matrix(x)), "mean"), mean(dist(x)))
  expect_equal(attr(is_negative_type(1e200 * x), "mean"), 1e200 * mean(dist(x)))
  expect_identical(attr(is_negative_type(x), "constant"), 0)
  expect_identical(!got, TRUE)
  expect_identical(got == FALSE, TRUE)
  expect_identical(got | TRUE, TRUE)
  expect_identical(if (got) "yes" else "no", "no")
  expect_false(isTRUE(got))
  expect_type(got, "logical")
  expect_snapshot({
    got
    is_negative_type(x)
    is_negative_type(as_gram(-tcrossprod(x)))
    is_negative_type(5)
  })
  utils::capture.output(shown <- withVisible(print(got)))
  expect_false(shown$visible)
})
