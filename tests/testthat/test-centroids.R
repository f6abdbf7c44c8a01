# Centroid swaps.

means_from <- function(x, w, k, start, patience = 50, uniforms = seq(0.013, 0.987, length.out = 131)) {
  found <- swap_centroids(list(w = w, store = new_features_store(t(x), nrow(x))), k, start, patience, Inf, uniforms)
  c(found, W = sum(found$cost))
}

# The objective of the centroids: the sum of squares within clusters.
centroid_W <- function(x, w, labels) {
  sum(vapply(unique(labels), function(l) {
    own <- labels == l
    mean <- colSums(w[own] * x[own, , drop = FALSE]) / sum(w[own])
    sum(w[own] * colSums((t(x[own, , drop = FALSE]) - mean)^2))
  }, 0))
}

test_that("centroid swaps: W is that of its labels, no move lowers it, and it is never above that of a local search", {
  set.seed(31)
  for (case in 1:12) {
    n <- sample(c(7, 40, 40, 150, 200), 1)
    d <- sample(c(1, 2, 5, 17), 1)
    k <- sample(2:min(9, n - 1), 1)
    x <- matrix(round(rnorm(n * d), sample(c(1, 8), 1)), n)
    w <- if (case %% 2 == 0) rep(1, n) else sample(c(0.25, 1, 3), n, TRUE)
    start <- sample(rep_len(seq_len(k), n))
    found <- means_from(x, w, k, start)
    expect_setequal(found$cluster, seq_len(k))
    expect_equal(found$W, centroid_W(x, w, found$cluster), tolerance = 1e-10)
    problem <- as_problem(x, semimetric = rho_power(2), weights = w)
    more <- descend(problem, k, matrix(found$cluster), new_control(k))
    # with unequal weights the screen of moves goes by the mean weight
    expect_lte(found$W, centroid_W(x, w, more$cluster) * (1 + if (case %% 2 == 0) 1e-9 else 0.05))
    expect_lte(found$W, means_from(x, w, k, start, 0)$W * (1 + 1e-12))
  }
})

test_that("moves of distant points are found", {
  missed <- 0
  for (seed in seq_len(repeats(30, 60))) {
    set.seed(seed)
    n <- sample(20:60, 1)
    k <- sample(3:8, 1)
    d <- sample(3, 1)
    x <- matrix(stats::rt(n * d, 1.2), n)
    found <- means_from(x, rep(1, n), k, sample(rep_len(seq_len(k), n)))
    moved <- vapply(seq_len(n * k), function(at) {
      centroid_W(x, rep(1, n), replace(found$cluster, (at - 1) %/% k + 1, (at - 1) %% k + 1))
    }, 0)
    missed <- missed + (min(moved) < found$W * (1 - 1e-6))
  }
  expect_identical(missed, 0)
})

test_that("centroid swaps give the same labels with every instruction set", {
  set.seed(32)
  for (size in list(c(500, 3, 12), c(333, 10, 7), c(1000, 2, 25), c(64, 33, 2))) {
    x <- matrix(rnorm(size[1L] * size[2L]), size[1L])
    start <- sample(rep_len(seq_len(size[3L]), size[1L]))
    found <- lapply(c("base", "auto"), function(loops) {
      withr::local_options(kgroups.simd = loops)
      means_from(x, rep(1, size[1L]), size[3L], start)
    })
    expect_identical(found[[1L]], found[[2L]])
  }
})

test_that("centroid swaps find the best of all partitions, and take equal points", {
  set.seed(33)
  x <- matrix(rnorm(18), 9)
  labels <- do.call(rbind, all_partitions(9, 3))
  least <- min(apply(labels, 1, centroid_W, x = x, w = rep(1, 9)))
  expect_equal(means_from(x, rep(1, 9), 3, rep(1:3, 3), 200)$W, least, tolerance = 1e-9)
  same <- matrix(1, 30, 2)
  expect_equal(means_from(same, rep(1, 30), 4, rep_len(1:4, 30))$W, 0)
  two <- rbind(same, 2 * same)
  expect_setequal(means_from(two, rep(1, 60), 5, rep_len(1:5, 60))$cluster, 1:5)
})

test_that("two clouds of clusters, so distant that single precision does not resolve them", {
  # the same clusters wherever the clouds are, so the same W, once no cluster is in both
  x <- withr::with_seed(40, overlapping(2400, 10, 4))
  right <- seq_len(2400) <= 1200
  for (case in list(list(2, 20), list(1, 44))) {
    W <- vapply(c(1e2, 1e4, 1e6), function(apart) {
      x[right, 1] <- x[right, 1] + apart
      set.seed(41)
      kgroups(x, case[[2]], semimetric = rho_power(case[[1]]))$W
    }, 0)
    expect_lt(max(W) / min(W) - 1, 0.005)
  }
})

test_that("many clusters that lie apart are all found, from every seed: none is split while two are merged", {
  skip_on_cran()
  cases <- list(
    list(n = 2500, d = 2, k = 50, apart = 30), list(n = 2500, d = 3, k = 45, apart = 10),
    list(n = 3000, d = 10, k = 60, apart = 3),
    list(n = 2500, d = 4, k = 50, apart = 8, uneven = TRUE), list(n = 2200, d = 5, k = 30, apart = 6),
    list(n = 1000, d = 5, k = 40, apart = 6)
  )
  for (case in cases) {
    set.seed(case$k)
    centres <- matrix(rnorm(case$k * case$d, sd = case$apart), case$k)
    truth <- sample(case$k, case$n, TRUE, prob = if (isTRUE(case$uneven)) 1:case$k)
    x <- centres[truth, ] + rnorm(case$n * case$d)
    for (alpha in 1:2) {
      known <- suppressWarnings(kgroups(x, case$k, semimetric = rho_power(alpha), init = truth))$W
      W <- vapply(seq_len(repeats(1, 4)), function(seed) {
        set.seed(seed)
        kgroups(x, case$k, semimetric = rho_power(alpha))$W
      }, 0)
      # one cluster taken as two costs a thousandth and more
      expect_lte(max(W) / known - 1, 2e-4)
    }
  }
})

test_that("squared distances: W is never above that of kmeans with many starts", {
  for (case in list(c(2100, 12, 4), c(2500, 25, 10), c(3000, 5, 2))) {
    x <- withr::with_seed(case[1L], overlapping(case[1L], case[2L], case[3L]))
    peer <- suppressWarnings(withr::with_seed(37, stats::kmeans(x, case[2L], nstart = 30, iter.max = 100)))
    ours <- vapply(1:4, function(seed) {
      set.seed(seed)
      fit <- kgroups(x, case[2L], semimetric = rho_power(2))
      sum(fit$W)
    }, 0)
    best <- energy_statistics(x, peer$cluster, semimetric = rho_power(2))$W
    expect_true(all(ours <= best * (1 + 1e-5)))
  }
})

test_that("rows of weight below single precision are left to the local search", {
  x <- withr::with_seed(34, overlapping(2100, 5, 3))
  weights <- replace(rep(1, 2100), 7, 1e-9)
  expect_identical(centroid_view(as_problem(x, weights = weights), 5)$rows, seq_len(2100)[-7])
  expect_null(centroid_view(as_problem(x[1:300, ], weights = weights[1:300]), 5))
  expect_null(centroid_view(as_problem(dist(x)), 5))
  expect_identical(
    vapply(list(0.5, 1, 1.5, 2), function(a) centroid_view(as_problem(x, rho_power(a)), 5)$exact, NA), 1:4 == 4
  )
})

test_that("however far a row is, the others are found", {
  x <- withr::with_seed(1, matrix(rnorm(45000), 15000) + 4 * rep(1:10, length.out = 15000))
  W <- function(far, seed) {
    x[17, ] <- far
    withr::with_seed(seed, kgroups(x, 10))$W
  }
  expect_equal(c(W(1e8, 1), W(1e8, 5)), rep(W(1e4, 1), 2), tolerance = 1e-6)
})

test_that("rows are drawn in beyond three median distances, to the geometric mean, then centred and scaled", {
  z <- withr::with_seed(4, matrix(stats::rt(900, 1.5), 3))
  w <- withr::with_seed(5, stats::runif(300))
  scaled <- function(z) (z - rowMeans(z)) / max(abs(z - rowMeans(z)))
  drawn <- z - apply(z, 1L, stats::median)
  distance <- sqrt(colSums(drawn^2))
  limit <- 3 * stats::median(distance)
  far <- distance > limit
  expect_gt(sum(far), 10)
  drawn[, far] <- drawn[, far] * rep(sqrt(limit / distance[far]), each = 3)
  view <- centroid_view(as_problem(t(z), weights = w), 5)
  expect_equal(view$some$store$z, scaled(drawn))
  expect_equal(view$least, 1e-5 * sum(w / max(w) * colSums(scaled(drawn)^2)) * max(view$some$w))
  square <- centroid_view(as_problem(t(z), rho_power(2)), 5)
  expect_equal(square$some$store$z, scaled(z))
})

test_that("coordinates end at 1000 median deviations from the median, unless these are 0", {
  z <- withr::with_seed(4, rbind(stats::rnorm(2500), c(1, rep(0, 2499))))
  z[1L, 2400L] <- 1e9
  found <- centroid_view(as_problem(t(z), rho_power(2)), 5)$some$store$z
  some <- z[, round(seq(1, 2500, length.out = 1000))]
  middle <- apply(some, 1L, stats::median)
  end <- middle[1L] + 1000 * stats::median(abs(some[1L, ] - middle[1L]))
  limited <- rbind(pmin(z[1L, ], end), z[2L, ])
  limited <- limited - rowMeans(limited)
  expect_equal(found, limited / max(abs(limited)))
  expect_null(centroid_view(as_problem(t(z)), 3000))
})

test_that("the best member by centroids leads near the least W, however heavy the tails", {
  excess <- vapply(1:8, function(seed) {
    set.seed(seed)
    x <- matrix(stats::rt(1500 * 5, 2.2), 1500)
    problem <- as_problem(x)
    control <- new_control(3)
    found <- centroid_population(centroid_view(problem, 3), problem, 3, search_budget(problem, control))
    W <- true_units(problem, descend(problem, 3, found$labels[, 1L, drop = FALSE], control)$objectives)
    W / kgroups(x, 3, init = "kmeans++", nstart = 10)$W - 1
  }, 0)
  expect_lt(mean(excess), 0.001)
})

test_that("a group of rows far from most others is split as W requires", {
  set.seed(5)
  far <- stats::runif(2000) < 0.3
  x <- matrix(stats::rnorm(4 * 12, sd = 3), 12)[sample(12, 2000, TRUE), ] + stats::rnorm(8000)
  x[far, 1] <- x[far, 1] + 100
  for (k in c(6, 12)) {
    W <- kgroups(x, k, semimetric = rho_power(1.5))$W
    expect_lte(W, kgroups(x, k, semimetric = rho_power(1.5), init = "kmeans++", nstart = 10)$W * (1 + 1e-4))
  }
})
