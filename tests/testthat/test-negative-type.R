test_that("negative type is found from the eigenvalues", {
  set.seed(4)
  x <- matrix(rnorm(60), 20)
  for (semimetric in list(rho_power(0.5), rho_power(1), rho_power(2), rho_gaussian(1), rho_exponential(2))) {
    expect_true(is_negative_type(x, semimetric))
  }
  bad <- as.dist(as.matrix(dist(x))^2.5)
  P <- as.matrix(bad)
  J <- diag(20) - 1 / 20
  values <- eigen(-J %*% P %*% J / 2, symmetric = TRUE)$values
  expect_identical(is_negative_type(bad), FALSE)
  got <- is_negative_type(bad, details = TRUE)
  expect_identical(got$negative_type, FALSE)
  expect_equal(got$smallest, min(values))
  expect_equal(got$largest, max(values))
  expect_equal(got$tolerance, 1e-10 * max(values))
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
  iterative <- withr::with_seed(1, iterative_centred(problem))
  expect_equal(iterative$smallest, dense$smallest, tolerance = 1e-8)
  expect_equal(iterative$largest, dense$largest, tolerance = 1e-8)
})

test_that("make_negative_type adds the smallest constant", {
  set.seed(6)
  n <- 20
  x <- matrix(rnorm(3 * n), n)
  bad <- as.dist(as.matrix(dist(x))^2.5)
  repaired <- make_negative_type(bad)
  constant <- attr(repaired, "constant")
  expect_equal(constant, 2 * abs(is_negative_type(bad, details = TRUE)$smallest))
  expect_equal(as.vector(repaired), as.vector(bad) + constant)
  expect_true(is_negative_type(repaired))
  expect_false(is_negative_type(bad + 0.999 * constant))
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
    repaired <- make_negative_type(bad, weights = weights)
    c_value <- attr(repaired, "constant")
    mended_gram <- make_negative_type(G, weights = weights)
    P_gram <- outer(diag(G), diag(G), "+") - 2 * unclass(G)
    P_mended <- outer(diag(mended_gram), diag(mended_gram), "+") - 2 * unclass(mended_gram)
    for (k in 2:3) {
      partitions <- all_partitions(n, k)
      rise <- vapply(partitions, function(p) {
        reference_W(as.matrix(repaired), p, w) - reference_W(as.matrix(bad), p, w)
      }, 0)
      expect_equal(rise, rep(c_value * (n - k) / if (is.null(weights)) 2 else 1, length(rise)))
      expect_identical(ends(as.matrix(bad), partitions, w), ends(as.matrix(repaired), partitions, w))
      rise <- vapply(partitions, function(p) reference_W(P_mended, p, w) - reference_W(P_gram, p, w), 0)
      expect_equal(rise, rep(attr(mended_gram, "constant") * (n - k) / if (is.null(weights)) 2 else 1, length(rise)))
    }
  }
})

test_that("the answer is a plain logical, and its margins measure a failure", {
  set.seed(9)
  x <- matrix(rnorm(40), 20)
  bad <- as.dist(as.matrix(dist(x))^2.5)
  expect_identical(is_negative_type(x), TRUE)
  expect_identical(ifelse(is_negative_type(bad), "yes", "no"), "no")
  expect_identical(data.frame(yes = is_negative_type(bad))$yes, FALSE)
  expect_identical(c(before = is_negative_type(bad)), c(before = FALSE))
  got <- is_negative_type(bad, details = TRUE)
  expect_equal(got$constant, -2 * got$smallest)
  expect_equal(got$mean, mean(bad))
  expect_equal(is_negative_type(x, details = TRUE)$mean, mean(dist(x)))
  expect_equal(is_negative_type(semimetric_matrix(x, type = "gram"), details = TRUE)$mean, mean(dist(x)))
  expect_equal(is_negative_type(1e200 * x, details = TRUE)$mean, 1e200 * mean(dist(x)))
  expect_identical(is_negative_type(x, details = TRUE)$constant, 0)
  expect_snapshot({
    got
    is_negative_type(x, details = TRUE)
    print(is_negative_type(as_gram(-tcrossprod(x)), details = TRUE), digits = 5)
    is_negative_type(5, details = TRUE)
  })
  expect_snapshot(error = TRUE, {
    is_negative_type(letters, details = TRUE)
  })
  utils::capture.output(shown <- withVisible(print(got)))
  expect_false(shown$visible)
})

test_that("a violation is described in words, once a session and kind", {
  set.seed(1)
  far <- as_gram(-tcrossprod(as.matrix(USArrests)))
  maximum <- dist(iris[1:4], "maximum")
  expect_snapshot({
    fit <- kgroups(maximum, 3)
    fit <- kernel_kmeans(maximum, 3)
    fit <- kgroups(eurodist, 3)
    fit <- kgroups(far, 2, init = rep(1:2, 25))
  })
  withr::local_options(rlib_warning_verbosity = "default")
  reported <- function(x, ...) {
    count <- 0
    withCallingHandlers(kgroups(x, 2, ...), kg_warning_negative_type = function(w) {
      count <<- count + 1
      invokeRestart("muffleWarning")
    })
    count
  }
  one <- dist(iris[1:60, 1:4], "maximum")
  two <- dist(iris[61:120, 1:4], "maximum")
  rlang::reset_warning_verbosity("kgroups: The semimetric kgroups_packed small hartigan")
  expect_identical(c(reported(one), reported(two), reported(one)), c(1, 0, 0))
})

test_that("violations have their words", {
  text <- kgroups:::violation_text
  expect_identical(text(-0.025, 1), "a small violation: the least eigenvalue is below 0, in size 2.5 % of the largest")
  expect_identical(text(-0.1, 1), "a moderate violation: the least eigenvalue is below 0, in size 10 % of the largest")
  expect_identical(text(-3, 1), "a large violation: the least eigenvalue is below 0, in size 3 times the largest")
  expect_identical(text(-3, 1e-16), "a large violation, no eigenvalue is above 0")
})

test_that("the constant of many observations is that of all eigenvalues", {
  n <- repeats(400, 2100)
  set.seed(23)
  d <- dist(matrix(rnorm(4 * n), n))^1.2 + dist(matrix(rnorm(2 * n), n), method = "maximum")^2
  repaired <- with_replaced("most_dense", min(n - 100L, most_dense), make_negative_type(d))
  B <- -as.matrix(d) / 2
  B <- t(t(B - rowMeans(B)) - colMeans(B - rowMeans(B)))
  expect_equal(
    attr(repaired, "constant"), -2 * min(eigen(B, symmetric = TRUE, only.values = TRUE)$values), tolerance = 1e-9
  )
  expect_true(is_negative_type(repaired))
})

test_that("the ends of a spectrum are found wherever it crowds", {
  set.seed(24)
  for (i in 1:30) {
    n <- sample(30:200, 1)
    Q <- qr.Q(qr(matrix(rnorm(n * n), n)))
    values <- list(
      rnorm(n), exp(-(1:n) / 3), -exp(-(1:n) / 3), c(5, -5, rnorm(n - 2)), c(-1e-9, exp(-(2:n)))
    )[[i %% 5 + 1]]
    A <- Q %*% (values * t(Q))
    ends <- iterative_extremes(function(v, ...) as.vector(A %*% v), n)
    expect_lt(abs(ends$smallest - min(values)), 1e-11 * max(abs(values)))
    expect_lt(abs(ends$largest - max(values)), 1e-11 * max(abs(values)))
  }
})

test_that("the search for the ends of a spectrum is bounded, and points under known semimetrics need none", {
  # distances on a line: eigenvalues crowd at 0
  n <- 400
  B <- -as.matrix(dist(seq_len(n)^1.5)) / 2
  B <- B - rowMeans(B)
  B <- t(t(B) - colMeans(B))
  products <- 0
  ends <- iterative_extremes(function(v, ...) {
    products <<- products + 1
    as.vector(B %*% v)
  }, n)
  expect_lte(products, 3000)
  expect_lt(abs(ends$smallest), 1e-10 * ends$largest)
  expect_true(is_negative_type(matrix(seq_len(20000) + 0, 20000)))
})

test_that("an error or an interrupt in a product ends the search for eigenvalues at once, and nothing is left", {
  set.seed(1)
  bytes <- function() {
    line <- grep("VmSize", readLines("/proc/self/status"), value = TRUE)
    1024 * as.numeric(gsub("[^0-9]", "", line))
  }
  if (file.exists("/proc/self/status")) {
    # 40 MB of vectors each time
    again <- function() {
      try(
        eigs_of(function(v, ...) rlang::interrupt(), k = 20, n = 50000, which = "LA", opts = list(ncv = 100)),
        silent = TRUE
      )
    }
    catching <- function() tryCatch(again(), interrupt = function(e) NULL)
    for (i in 1:3) catching()
    before <- bytes()
    for (i in 1:10) catching()
    expect_lt(bytes() - before, 1e8)
  }
  A <- crossprod(matrix(rnorm(10000), 100))
  jumps <- function(how) tryCatch(eigs_of(how, k = 1L, n = 100, which = "LA"), interrupt = function(e) "interrupted")
  expect_identical(jumps(function(v, ...) rlang::interrupt()), "interrupted")
  expect_equal(jumps(function(v, ...) seq_len(100) * v)$values, 100)
  for (at in c(1, 5, 40)) {
    calls <- 0
    product <- function(v, ...) {
      calls <<- calls + 1
      if (calls == at) stop("mine")
      as.vector(A %*% v)
    }
    expect_error(eigs_of(product, k = 5, n = 100, which = "LA", opts = list(ncv = 20, maxitr = 1000)), "mine")
    expect_identical(calls, at)
  }
})

test_that("all eigenvalues of a dense matrix are those of eigen(), whatever its size, scale and rank", {
  set.seed(1)
  expect_same <- function(A) {
    values <- dense_eigenvalues(A)
    expect_lte(max(abs(values - eigen(A, symmetric = TRUE, only.values = TRUE)$values)), 1e-13 * max(abs(A)) * nrow(A))
  }
  # blocks of 32 columns, and the last 64 at once
  for (n in c(1:4, 63:66, 95:98, 129, 300)) {
    A <- crossprod(matrix(rnorm(n * n), n)) - n / 2 * diag(n)
    expect_same(A)
    expect_same(A * 2^-500)
    expect_same(A * 2^900)
    expect_same(tcrossprod(seq_len(n)))
    expect_same(diag(seq_len(n), n))
  }
  expect_identical(dense_eigenvalues(matrix(0, 70, 70)), numeric(70))
  expect_error(dense_eigenvalues(matrix(c(1, NA, NA, 1), 2)), "finite")
})

# Eigenvalues and eigenvectors in pieces that an interrupt ends.

test_that("eigenvectors of large matrices are those of eigen()", {
  set.seed(1)
  for (n in c(1, 2, 63, 64, 65, 130)) {
    A <- crossprod(matrix(rnorm(n * (n %/% 2 + 1)), ncol = n)) * 1e200
    found <- .Call(ffi_eigen, A, as.numeric(n), 1)
    V <- found$vectors
    expect_equal(found$values, rev(eigen(A, TRUE)$values), tolerance = 1e-12)
    expect_equal(crossprod(V), diag(n), tolerance = 1e-12)
    expect_equal((V * rep(found$values, each = n)) %*% t(V) / 1e200, A / 1e200, tolerance = 1e-12)
    expect_identical(.Call(ffi_eigen, A, as.numeric(n), 0)$vectors, NULL)
  }
  A <- diag(501:1)
  expect_equal(symmetric_eigen(A)$values, 501:1)
  expect_equal(abs(symmetric_eigen(A)$vectors), diag(501))
})

test_that("axes of wide and of tall matrices are those of A'A", {
  set.seed(2)
  for (shape in list(c(5, 12), c(12, 5), c(7, 7))) {
    A <- matrix(rnorm(prod(shape)), shape[1])
    A[, 2] <- 0
    A[2, ] <- A[1, ]
    axes <- cross_axes(A, 1e-10)
    e <- eigen(crossprod(A), TRUE)
    rank <- sum(e$values > 1e-10 * e$values[1])
    expect_equal(axes$values, e$values[seq_len(rank)])
    expect_equal((axes$vectors * rep(axes$values, each = shape[2])) %*% t(axes$vectors), crossprod(A))
  }
})

test_that("products in blocks of rows are the products", {
  set.seed(3)
  x <- matrix(rnorm(700), 70)
  y <- matrix(rnorm(350), 70)
  with_replaced("product_rows", function(n, each) split(seq_len(n), (seq_len(n) - 1) %/% 9), {
    expect_equal(cross_rows(x, y), crossprod(x, y))
    expect_equal(times_rows(x, t(x)), x %*% t(x))
  })
  expect_identical(cross_rows(x, y), crossprod(x, y))
  expect_identical(product_rows(5, 1), list(1:5))
  expect_identical(unlist(product_rows(10, 3e7)), 1:10)
})
