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
