# Properties that the fast path for many points does: tiles, blocks of moves, threads.

# Hartigan's method as written: one point, one move at a time, sums kept as matrices.
slow_hartigan <- function(P, label, w, k) {
  B <- -P / 2
  n <- nrow(P)
  moves <- 0
  repeat {
    before <- moves
    Z <- outer(label, seq_len(k), "==") * w
    R <- B %*% Z
    s <- colSums(Z)
    V <- vapply(seq_len(k), function(l) sum((w * R[, l])[label == l]), 0)
    tolerance <- 1e-10 * sum(abs(V) / s) / n
    for (i in which(w > 0)) {
      j <- label[i]
      if (sum(label == j & w > 0) < 2) next
      d2 <- B[i, i] - 2 * R[i, ] / s + V / s^2
      change <- w[i] * s / (s + w[i]) * d2 - w[i] * s[j] / (s[j] - w[i]) * d2[j]
      change[j] <- Inf
      l <- which.min(change)
      if (change[l] >= 0 || change[l] >= -tolerance) next
      V[j] <- V[j] - 2 * w[i] * R[i, j] + w[i]^2 * B[i, i]
      V[l] <- V[l] + 2 * w[i] * R[i, l] + w[i]^2 * B[i, i]
      R[, j] <- R[, j] - w[i] * B[i, ]
      R[, l] <- R[, l] + w[i] * B[i, ]
      s[j] <- s[j] - w[i]
      s[l] <- s[l] + w[i]
      label[i] <- l
      moves <- moves + 1
    }
    if (moves == before) break
  }
  list(label = label, moves = moves)
}

# Any size, without the cache of small problems and its rebuilt sums.
uncached <- function(x, start, k, semimetric, w = rep(1, length(start)), method = "hartigan") {
  problem <- as_problem(x, semimetric, w)
  solve_starts(problem, new_control(k, method), matrix(start), "labels")
}

test_that("blocks of moves equal single moves, for every store and instruction set", {
  set.seed(1)
  n <- 331
  x <- matrix(rnorm(3 * n), n)
  start <- sample(rep_len(1:4, n))
  for (semimetric in list(rho_power(1), rho_power(0.5), rho_gaussian(1))) {
    P <- reference_rho(x, semimetric = semimetric)
    for (kind in c("unit", "integer", "zero")) {
      w <- random_weights(n, kind)
      slow <- slow_hartigan(P, start, w, 4)
      for (set in simd_names) {
        if (is.null(.Call(ffi_choose_loops, set))) next
        withr::local_options(kgroups.simd = set)
        for (input in list(x, dist(x))) {
          fast <- uncached(input, start, 4, semimetric, w)
          expect_identical(fast$cluster[w > 0], slow$label[w > 0])
          expect_equal(fast$moves, slow$moves)
        }
        B <- as_gram(-P / 2)
        dense <- solve_starts(as_problem(B, weights = w), new_control(4), matrix(start), "labels")
        expect_identical(dense$cluster[w > 0], slow$label[w > 0])
      }
    }
  }
})

test_that("tiles give the sums of the definition for any n, and any number of threads", {
  set.seed(2)
  for (n in c(1, 3, 255, 256, 257, 700, 1031)) {
    x <- matrix(rnorm(2 * n), n)
    k <- min(3, n)
    cluster <- sample(rep_len(seq_len(k), n))
    w <- rexp(n)
    problem <- as_problem(x, rho_power(1), w)
    Z <- outer(cluster, seq_len(k), "==") * problem$w
    right <- (-as.matrix(dist(x)) / 2) %*% Z
    for (threads in c(1, 2, 3)) {
      .Call(ffi_choose_threads, threads)
      got <- group_sums(problem, cluster, k)
      expect_equal(got, unname(right), tolerance = 1e-13)
      if (threads == 1) first <- got
      expect_identical(got, first)
    }
    .Call(ffi_choose_threads, 1)
  }
})

test_that("the fit is the same for any number of threads", {
  n <- 3000
  set.seed(3)
  x <- matrix(rnorm(3 * n), n)
  fits <- lapply(1:3, function(threads) {
    set.seed(4)
    fit <- kgroups(x, 5, threads = threads)
    fit$call <- NULL
    fit
  })
  expect_identical(fits[[2]], fits[[1]])
  expect_identical(fits[[3]], fits[[1]])
  one <- kgroups(x, 5, init = rep(1:5, 600), threads = 1)
  two <- kgroups(x, 5, init = rep(1:5, 600), threads = 2)
  expect_identical(two$cluster, one$cluster)
  expect_identical(two$W, one$W)
  expect_identical(.Call(ffi_choose_threads, 1), 1L)
})

test_that("a forked child uses one thread and does not hang", {
  set.seed(1)
  skip_on_os("windows")
  .Call(ffi_choose_threads, 2)
  x <- matrix(rnorm(6000), 3000)
  kgroups(x, 3, threads = 2, init = rep(1:3, 1000))
  used <- parallel::mclapply(1:2, function(i) {
    kgroups(x, 3, threads = 2, init = rep(1:3, 1000))
    .Call(ffi_choose_threads, 2)
  }, mc.cores = 2)
  .Call(ffi_choose_threads, 1)
  expect_identical(used, list(1L, 1L))
})

test_that("wrong numbers of threads are refused", {
  for (threads in list(0, -1, 1.5, NA, "2", NULL, 1:2)) {
    expect_error(kgroups(1:9, 2, threads = threads, init = "random"), class = "kg_error_threads")
  }
})

test_that("updated sums equal recomputed ones after a fit", {
  set.seed(5)
  n <- 3000
  x <- matrix(rnorm(4 * n), n)
  # first passes go to a part of the points only, so moves on all are fewer than points
  fit <- kgroups(x, 8, init = "random")
  expect_gt(fit$count, 1000)
  expect_equal(fit$W, energy_statistics(x, fit)$W, tolerance = 1e-12)
})

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
  expect_match(run_script(code), "it ends")
})
