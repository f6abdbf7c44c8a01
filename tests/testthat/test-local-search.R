# The driver of local searches: W never above the start, sums of the labels returned, whatever the
# weights, the offset and the store; and no wait for threads that a fork has left behind.

wide_weights <- function(n, decades) 10^runif(n, -decades, 0)

forms_of <- function(x) {
  G <- semimetric_matrix(x, semimetric = rho_power(1), type = "gram")
  list(
    points = x, dist = dist(x), gram = G,
    sparse = Matrix::Matrix(unclass(G), sparse = TRUE)
  )
}

test_that("W is that of the labels and never above that of the start, whatever the weights", {
  skip_if_not_installed("Matrix")
  for (seed in seq_len(repeats(4, 12))) {
    set.seed(seed)
    n <- sample(20:120, 1)
    k <- sample(2:6, 1)
    x <- matrix(rnorm(2 * n), n)
    w <- wide_weights(n, c(0, 3, 9, 15)[seed %% 4 + 1])
    start <- sample(rep_len(seq_len(k), n))
    for (input in forms_of(x)) {
      before <- energy_statistics(input, start, weights = w)
      for (method in c("hartigan", "lloyd")) {
        fit <- suppressWarnings(kgroups(input, k, weights = w, init = start, method = method))
        now <- energy_statistics(input, fit$cluster, weights = w)
        expect_true(fit$converged)
        expect_lte(fit$W, before$W * (1 + 1e-12))
        expect_equal(fit$W, now$W, tolerance = 1e-10)
        expect_equal(unname(fit$within), unname(now$within), tolerance = 1e-10)
        expect_lt(abs(fit$S - now$S), 1e-10 * now$total)
        expect_equal(unname(fit$objectives), fit$W, tolerance = 1e-10)
      }
    }
  }
})

test_that("many clusters and weights 1e15 apart keep their sums", {
  skip_on_cran()
  set.seed(7)
  n <- 2300
  x <- matrix(rnorm(3 * n), n)
  w <- wide_weights(n, 15)
  fit <- kgroups(x, 70, weights = w, init = "kmeans++")
  now <- energy_statistics(x, fit$cluster, weights = w)
  expect_equal(fit$W, now$W, tolerance = 1e-10)
  expect_lt(max(abs(fit$within - now$within)), 1e-10 * now$W)
  expect_lt(abs(fit$S - now$S), 1e-10 * now$total)
})

test_that("a Gram matrix of data far from the origin is clustered as near it", {
  set.seed(1)
  x <- rbind(matrix(rnorm(100), 50), matrix(rnorm(60, 4), 30))
  start <- sample(2, 80, TRUE)
  near <- kgroups(x, 2, semimetric = rho_power(2), init = start)
  for (offset in c(0, 10, 1e3, 1e5)) {
    fit <- suppressWarnings(
      kgroups(semimetric_matrix(x + offset, semimetric = rho_power(2), type = "gram"), 2, init = start)
    )
    expect_identical(unname(fit$cluster), unname(near$cluster))
    # the matrix itself has lost what the square of the offset rounds away
    expect_equal(fit$W, near$W, tolerance = 1e-11 + 1e-15 * offset^2)
    expect_equal(unname(fit$objectives), fit$W, tolerance = 1e-10)
  }
})

test_that("Lloyd's method on a sparse Gram matrix is that of the dense one", {
  skip_if_not_installed("Matrix")
  set.seed(8)
  G <- semimetric_matrix(matrix(rnorm(400), 200), semimetric = rho_power(2), type = "gram")
  M <- Matrix::Matrix(unclass(G), sparse = TRUE)
  for (k in 2:5) {
    start <- sample(rep_len(seq_len(k), 200))
    sparse <- kernel_kmeans(M, k, init = start)
    expect_identical(unname(sparse$cluster), unname(kernel_kmeans(G, k, init = start)$cluster))
    expect_identical(predict(sparse), sparse$cluster)
  }
})

test_that("Lloyd's W falls in every sweep of an indefinite matrix too, and its end stays", {
  skip_if_not_installed("Matrix")
  set.seed(9)
  for (case in 1:6) {
    n <- 60
    M <- Matrix::rsparsematrix(n, n, 0.2, symmetric = TRUE)
    start <- sample(rep_len(1:4, n))
    W <- vapply(1:8, function(iter.max) {
      suppressWarnings(kernel_kmeans(M, 4, init = start, iter.max = iter.max))$W
    }, 0)
    expect_lte(max(diff(W)), 1e-9 * max(abs(W)))
    end <- suppressWarnings(kernel_kmeans(M, 4, init = start))
    expect_identical(unname(suppressWarnings(kernel_kmeans(M, 4, init = end$cluster))$cluster), unname(end$cluster))
  }
})

# R's own OpenMP stands for that of another package.
test_that("a child that loads the package after its parent has used OpenMP does not hang", {
  skip_on_os("windows")
  skip_on_cran()
  skip_on_covr()
  code <- c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    ".Internal(setMaxNumMathThreads(2L))",
    ".Internal(setNumMathThreads(2L))",
    "sums <- colSums(matrix(1, 2000, 2000))",
    ".Internal(setNumMathThreads(1L))",
    "job <- parallel::mcparallel(",
    "  kgroups::kgroups(matrix(sin(1:9000), 3000), 3, init = rep(1:3, 1000), threads = 2)$W",
    ")",
    "out <- parallel::mccollect(job, wait = FALSE, timeout = 60)",
    "if (is.null(out)) tools::pskill(job$pid, 9)",
    "cat(if (is.null(out)) 'it hangs' else 'it ends')"
  )
  script <- withr::local_tempfile(lines = code, fileext = ".R")
  reported <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = TRUE, stderr = TRUE
  )
  expect_match(paste(reported, collapse = "\n"), "it ends")
})
