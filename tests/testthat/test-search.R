# The search: properties of its result, whatever the input.

test_that("the search finds the partition of a grid that restarts miss", {
  set.seed(6)
  centres <- as.matrix(expand.grid(1:5, 1:5))
  truth <- rep(1:25, each = 10)
  x <- centres[truth, ] + matrix(rnorm(500, sd = 0.15), 250)
  fits <- lapply(1:3, function(seed) {
    set.seed(seed)
    kgroups(x, 25)
  })
  planted <- energy_statistics(x, truth)$W
  for (fit in fits) expect_lte(fit$W, planted * (1 + 1e-9))
  restarts <- kgroups(x, 25, init = "random", nstart = 10)
  expect_gt(restarts$W, planted)
})

test_that("a start from a sample ends where a local search from its labels ends", {
  set.seed(7)
  centres <- matrix(rnorm(40, sd = 2), 4)
  x <- centres[sample(4, 2500, TRUE), ] + matrix(rnorm(25000), 2500)
  weights <- sample(0:3, 2500, TRUE)
  set.seed(8)
  fit <- kgroups(x, 4, init = "sample", weights = weights)
  expect_identical(fit$init, "sample")
  expect_identical(names(fit$objectives), "sample")
  problem <- as_problem(x, weights = weights)
  set.seed(8)
  start <- sample_labels(problem, 4, 1)[, 1L]
  expect_setequal(start, 1:4)
  expect_equal(kgroups(x, 4, init = start, weights = weights)$W, fit$W, tolerance = 1e-12)
  expect_identical(dim(sample_labels(as_problem(x[1:50, ]), 3, 2)), c(50L, 2L))
})

split_merge_from <- function(problem, k, starts, control = new_control(k), fails = 5) {
  split_merge(problem, k, starts, control, move_uniforms(), move_effort(k, fails = fails, again = ceiling(k / 2)))
}

# A sparse kernel: near neighbours only.
near_kernel <- function(x) {
  d <- as.matrix(dist(x))
  Matrix::Matrix(exp(-d) * (d < 1.5), sparse = TRUE)
}

explicit_problem <- function(x, weights, short = FALSE) {
  problem <- as_problem(x, rho_power(2), weights)
  z <- t(x)
  if (short) {
    unit <- apply(abs(z), 2, max) / 32767
    whole <- rbind(round(t(t(z) / unit)), matrix(0, 16 - nrow(z), ncol(z)))
    z <- c(writeBin(as.integer(whole), raw(), size = 2), writeBin(unit, raw(), size = 4))
  }
  problem$store <- new_features_store(z, problem$n)
  problem
}

# One problem for every store and engine.
every_engine <- function(x, weights) {
  n <- nrow(x)
  list(
    as_problem(x, weights = weights),
    as_problem(dist(x), weights = weights),
    as_problem(as.dist(matrix(runif(n^2), n)), weights = weights),
    as_problem(as_gram(tcrossprod(x)), weights = weights),
    as_problem(near_kernel(x), weights = weights),
    as_problem(x, rho_connected(), weights = weights),
    explicit_problem(x, weights),
    explicit_problem(x, weights, short = TRUE)
  )
}

# W by its definition, from all values of rho.
dispersion_of <- function(problem, cluster) {
  explicit <- inherits(problem$store, "kgroups_features")
  B <- if (explicit) -as.matrix(dist(t(problem$store$z)))^2 / 2 else pair_values(problem)
  rho <- outer(diag(B), diag(B), "+") - 2 * B
  sum(vapply(split(seq_len(problem$n), cluster), function(rows) {
    w <- problem$w[rows]
    if (sum(w) == 0) 0 else sum(outer(w, w) * rho[rows, rows]) / (2 * sum(w))
  }, 0))
}

test_that("split-merge moves never raise W above that of the local search before them", {
  set.seed(11)
  for (method in c("hartigan", "lloyd")) {
    for (weighted in repeats(TRUE, c(FALSE, TRUE))) {
      x <- overlapping(300, 9)
      weights <- if (weighted) sample(0:3, 300, TRUE) else rep(1, 300)
      for (problem in every_engine(x, weights)) {
        control <- new_control(9, method = method)
        starts <- random_labels(problem, 9, 2)
        plain <- descend(problem, 9, starts, control)
        found <- split_merge_from(problem, 9, starts, control)
        expect_true(all(found$objectives <= plain$objectives * (1 + 1e-12)))
        expect_setequal(found$cluster[weights > 0], 1:9)
        expect_true(all(found$cluster %in% 1:9))
        # W is that of the labels
        again <- descend(problem, 9, matrix(found$cluster), new_control(9, iter.max = 0))
        expect_equal(sum(again$cost), min(found$objectives), tolerance = 1e-10)
        if (!is.raw(problem$store$z)) {
          expect_equal(sum(again$cost), dispersion_of(problem, found$cluster), tolerance = 1e-9)
        }
        # and no single move lowers it
        if (method == "hartigan") {
          expect_identical(descend(problem, 9, matrix(found$cluster), control)$moves, 0)
        }
      }
    }
  }
})

test_that("small problems cache their pairwise dissimilarities if many passes follow", {
  set.seed(1)
  small <- as_problem(matrix(rnorm(300), ncol = 3))
  large <- as_problem(matrix(rnorm(3300), ncol = 3))
  kept <- function(problem, passes) inherits(cache_pairs(problem, passes)$store, "kgroups_dense")
  expect_true(kept(small, 30))
  expect_false(kept(small, 2))
  expect_false(kept(large, 30))
  large$store$rho <- semimetric_code("gaussian", 2)
  expect_true(kept(large, 30))
})

test_that("pairs of a wide table are kept above 2000 rows, with the same values, and at most 800 MB", {
  set.seed(15)
  x <- matrix(rnorm(2100 * 530), ncol = 530)
  problem <- as_problem(x)
  wide <- cache_pairs(problem)
  expect_s3_class(wide$store, "kgroups_dense")
  for (columns in list(530, 520)) {
    expect_identical(most_cached(columns), 4 * columns)
  }
  expect_identical(most_cached(NCOL(NULL)), 2000)
  expect_identical(most_cached(1e5), 1e4)
  some <- c(1, 2, 2099, 2100)
  expect_equal(-2 * wide$store$values[some, some], as.matrix(dist(x[some, ])), ignore_attr = TRUE, tolerance = 1e-14)
  cluster <- rep(1:3, 700)
  expect_equal(dispersion_sums(wide, cluster, 3)$M, dispersion_sums(problem, cluster, 3)$M, tolerance = 1e-13)
})

test_that("the search gives the same answer for any number of threads", {
  x <- withr::with_seed(12, overlapping(2500, 45, 2))
  fits <- lapply(1:2, function(threads) {
    set.seed(13)
    kgroups(x, 45, threads = threads)
  })
  expect_identical(fits[[1L]]$cluster, fits[[2L]]$cluster)
  expect_identical(fits[[1L]]$W, fits[[2L]]$W)
})

test_that("split-merge moves give the same answer for any number of threads and every engine", {
  withr::defer(use_threads(1))
  set.seed(47)
  x <- overlapping(300, 12)
  for (problem in every_engine(x, sample(0:3, 300, TRUE))) {
    starts <- plusplus_labels(problem, 12, 2)
    uniforms <- move_uniforms()
    found <- lapply(c(1, 2, 5), function(threads) {
      use_threads(threads)
      split_merge(problem, 12, starts, new_control(12), uniforms, move_effort(12, fails = 6, again = 4))
    })
    # what is evaluated ahead must not count before its turn
    few <- lapply(c(1, 3), function(threads) {
      use_threads(threads)
      split_merge(problem, 12, starts, new_control(12), uniforms, move_effort(12, fails = 6, again = 4, values = 2e5))
    })
    expect_identical(found[[1L]], found[[2L]])
    expect_identical(found[[1L]], found[[3L]])
    expect_identical(few[[1L]], few[[2L]])
  }
})

test_that("split-merge moves find the best of all partitions of a few points, for every engine", {
  set.seed(21)
  x <- matrix(rnorm(18), 9)
  labels <- do.call(rbind, all_partitions(9, 3))
  for (problem in third(every_engine(x, c(1, 2, 1, 1, 3, 1, 1, 1, 2))[-8], 1)) {
    least <- min(apply(labels, 1, dispersion_of, problem = problem))
    found <- split_merge_from(problem, 3, random_labels(problem, 3, 8), fails = 20)
    expect_equal(min(found$objectives), least, tolerance = 1e-9)
  }
})

test_that("squared distances of many points: features and pairwise dissimilarities have the same W and totals", {
  set.seed(22)
  x <- overlapping(20100, 4, 2) + 1e4
  weights <- sample(0:2, 20100, TRUE)
  fit <- kgroups(x, 4, semimetric = rho_power(2), weights = weights)
  exact <- energy_statistics(x, fit$cluster, semimetric = rho_power(2), weights = weights)
  expect_equal(fit$W, exact$W, tolerance = 1e-9)
  expect_equal(fit$total, exact$total, tolerance = 1e-9)
  expect_equal(fit$within, unname(exact$within), tolerance = 1e-9, ignore_attr = TRUE)
  expect_identical(predict(fit, x)[weights > 0], fit$cluster[weights > 0])
  rows <- sample(20100, 50)
  d2 <- predict(fit, x[rows, ], type = "squared")
  means <- rowsum(weights * x, fit$cluster) / as.vector(rowsum(weights, fit$cluster))
  by_hand <- outer(1:50, 1:4, Vectorize(function(i, l) sum((x[rows[i], ] - means[l, ])^2)))
  expect_equal(unname(d2), by_hand, tolerance = 1e-6)
  # labels given: the same local search
  again <- kgroups(x, 4, semimetric = rho_power(2), weights = weights, init = fit$cluster)
  expect_equal(again$W, fit$W, tolerance = 1e-12)
})

test_that("points, their distances and a matrix of their values give the same moves", {
  set.seed(14)
  x <- overlapping(400, 12)
  starts <- random_labels(as_problem(x), 12, 1)
  found <- lapply(list(as_problem(x), as_problem(dist(x)), cache_pairs(as_problem(x))), function(problem) {
    set.seed(15)
    split_merge_from(problem, 12, starts)
  })
  expect_identical(found[[1L]]$cluster, found[[2L]]$cluster)
  expect_identical(found[[1L]]$cluster, found[[3L]]$cluster)
})

test_that("the moves do not depend on the numbers of the clusters", {
  set.seed(6)
  x <- matrix(rnorm(900), ncol = 3)
  problem <- as_problem(x, weights = sample(0:3, 300, TRUE))
  control <- new_control(6)
  start <- plusplus_labels(problem, 6, 1, 2)[, 1L]
  turned <- c(4L, 6L, 1L, 2L, 5L, 3L)[start]
  set.seed(7)
  found <- solve_split(problem, control, matrix(start), move_effort(control$k, fails = 10))
  set.seed(7)
  again <- solve_split(problem, control, matrix(turned), move_effort(control$k, fails = 10))
  expect_identical(again[c("cluster", "cost", "objectives")], found[c("cluster", "cost", "objectives")])
})

test_that("the last moves from the sums of the best local search are those from its labels", {
  set.seed(3)
  problem <- as_problem(matrix(rnorm(5600), ncol = 2) + 2 * sample(3, 2800, TRUE))
  control <- new_control(3)
  budget <- search_budget(problem, control)
  share <- search_defaults$share * budget$evaluations
  expect_identical(brief_effort(problem, 3, share), few_effort(3))
  labels <- plusplus_labels(problem, 3, 3)
  set.seed(4)
  found <- improve_population(problem, control, list(labels = labels, count = rep(1, 3), members = 3), budget)
  local <- descend(problem, 3, labels, control, each = TRUE)
  set.seed(4)
  slow <- improve_briefly(problem, control, local$labels[, local$best, drop = FALSE], share)
  expect_true(sum(attains(local$objectives)) >= 2)
  expect_identical(found$cluster, slow$cluster)
  expect_equal(found$cost, slow$cost, tolerance = 1e-12)
  expect_identical(found$search$evaluations, local$spent + slow$evaluations - 2800^2 / 2)
  expect_identical(unname(found$objectives), c(local$objectives, sum(found$cost)))
})

test_that("the best partition is found, and its W right, if weights differ by many orders", {
  # estimated gains are rounding there: moves that have not lowered W are undone
  W_of <- function(D, w, labels) {
    sum(vapply(split(seq_along(labels), labels), function(i) sum(outer(w[i], w[i] / sum(w[i])) * D[i, i]) / 2, 0))
  }
  labels <- do.call(rbind, all_partitions(6, 3))
  for (seed in seq_len(repeats(2, 12))) {
    for (range in c(3, 8, 20, 70)) {
      set.seed(seed)
      x <- matrix(rnorm(12), 6)
      weights <- 10^runif(6, -range, range)
      for (semimetric in list(rho_power(0.5), rho_power(1), rho_gaussian(1))) {
        D <- semimetric_matrix(x, semimetric = semimetric)
        fit <- expect_no_warning(kgroups(x, 3, weights = weights, semimetric = semimetric))
        least <- min(apply(labels, 1, function(row) W_of(D, weights, row)))
        expect_equal(fit$W / least, 1, tolerance = 1e-9)
        expect_equal(W_of(D, weights, fit$cluster) / least, 1, tolerance = 1e-9)
      }
      gram <- kernel_kmeans(as_gram(tcrossprod(x)), 3, weights = weights)
      D <- as.matrix(dist(x))^2
      least <- min(apply(labels, 1, function(row) W_of(D, weights, row)))
      expect_equal(2 * W_of(D, weights, gram$cluster) / (2 * least), 1, tolerance = 1e-9)
    }
  }
})

test_that("the search ends if weights differ by hundreds of orders", {
  # rounding claimed falls of W there, one after the other without end
  for (seed in seq_len(repeats(10, 40))) {
    set.seed(seed)
    x <- matrix(rnorm(12), 6)
    weights <- 10^runif(6, -150, 150)
    setTimeLimit(elapsed = 20, transient = TRUE)
    for (semimetric in list(rho_power(0.5), rho_power(1), rho_gaussian(1))) {
      fit <- quietly(kgroups(x, 3, weights = weights, semimetric = semimetric))
      expect_setequal(fit$cluster, 1:3)
    }
    setTimeLimit()
  }
})

# Clusters of these sizes; `wide`: of other widths and distances.
apart_clusters <- function(sizes, d, apart, wide = FALSE) {
  many <- length(sizes)
  truth <- rep(seq_len(many), sizes)
  centres <- matrix(stats::rnorm(many * d, sd = apart), many) * if (wide) stats::rexp(many) else 1
  list(
    x = centres[truth, ] + stats::rnorm(length(truth) * d) * if (wide) stats::runif(many, 0.2, 2)[truth] else 1,
    truth = truth
  )
}

test_that("a cluster of few points is found, for every input", {
  skip_on_cran()
  set.seed(12)
  made <- apart_clusters(c(rep(600, 5), 12), 20, 4)
  x <- made$x
  fits <- list(
    function(...) kgroups(x, 6, ...), function(...) kgroups(x, 6, semimetric = rho_power(0.5), ...),
    function(...) kgroups(x, 6, semimetric = rho_power(0.3), ...), function(...) kgroups(stats::dist(x), 6, ...),
    function(...) kgroups(x, 6, weights = rep(1:2, 1506), ...), function(...) kernel_kmeans(x, 6, ...)
  )
  for (fit in fits) {
    known <- fit(init = made$truth)$W
    W <- vapply(seq_len(repeats(1, 4)), function(seed) {
      set.seed(seed)
      fit()$W
    }, 0)
    expect_equal(max(W), known, tolerance = 1e-6)
  }
})

test_that("W is not above that of ten k-means++ starts if all members by centroids agree on a larger one", {
  for (seed in c(33, 34, 36)) {
    set.seed(seed)
    x <- matrix(stats::rnorm(16, sd = 3), 4)[sample(4, 3000, TRUE), ] + matrix(stats::rt(12000, 2), 3000)
    semimetric <- rho_power(if (seed %% 2) 0.5 else 1)
    set.seed(seed)
    W <- kgroups(x, 2, semimetric = semimetric)$W
    set.seed(seed)
    expect_lte(W, kgroups(x, 2, semimetric = semimetric, init = "kmeans++", nstart = 10)$W * (1 + 1e-5))
  }
})

test_that("a few distant rows are a cluster, though a sample of many rows has none of them", {
  set.seed(3)
  truth <- rep(1:4, c(7000, 7000, 6500, 4))
  x <- cbind(c(0, 5, 0, 150)[truth], c(0, 0, 5, 150)[truth]) + stats::rnorm(2 * length(truth), sd = 0.3)
  known <- kgroups(x, 4, init = truth)$W
  # a seed is a fair chance: halves of the large clusters gain nearly as much
  hits <- 0
  for (seed in 1:8) {
    set.seed(seed)
    hits <- hits + (abs(kgroups(x, 4)$W - known) < 1e-9 * known)
    if (hits == 2) break
  }
  expect_identical(hits, 2)
})

test_that("clusters of distances of different widths are separated", {
  set.seed(4)
  made <- apart_clusters(rep(81, 25), 8, 15, wide = TRUE)
  d <- stats::dist(made$x)
  known <- kgroups(d, 25, init = made$truth)
  W <- vapply(1:4, function(seed) {
    set.seed(seed)
    kgroups(d, 25)$W
  }, 0)
  expect_equal(max(W), known$W, tolerance = 1e-6)
})

test_that("rows of weight 0 do not change the search of the others", {
  set.seed(5)
  x <- matrix(stats::rnorm(9000), 3000)
  weights <- tabulate(sample(3000, 3000, TRUE), 3000)
  inside <- weights > 0
  for (take in list(identity, stats::dist)) {
    set.seed(1)
    all <- kgroups(take(x), 3, weights = weights)
    set.seed(1)
    some <- kgroups(take(x[inside, ]), 3, weights = weights[inside])
    expect_equal(unname(all$objectives), unname(some$objectives), tolerance = 1e-12)
    expect_identical(match(all$cluster[inside], unique(all$cluster[inside])), match(some$cluster, unique(some$cluster)))
  }
})

test_that("the fit reports the search, and its W is the least of the objectives", {
  set.seed(2)
  x <- rbind(matrix(rnorm(600), ncol = 2), matrix(rnorm(600, 8), ncol = 2))
  fit <- kgroups(x, 2)
  expect_gte(fit$search$attained, 1)
  expect_lte(fit$search$attained, fit$search$members)
  expect_identical(fit$search$levels, 600L)
  expect_identical(fit$init, "search")
  expect_equal(min(fit$objectives), fit$W, tolerance = 1e-12)
  expect_equal(fit$objectives[[fit$best_start]], fit$W, tolerance = 1e-12)
  expect_null(kgroups(x, 2, init = rep(1:2, 300))$search)
  expect_output(print(summary(fit)), "candidate partitions")
  # the search went below all of its candidates
  fit$search[c("members", "attained")] <- list(13, 0)
  expect_output(print(summary(fit)), "The search ended below all 13 candidate partitions: there may")
})

test_that("more effort costs more evaluations and does not raise W; nonsense is refused", {
  set.seed(3)
  x <- matrix(stats::rt(2000, 2), 1000)
  W <- vapply(c(0.1, 1, 4), function(effort) {
    set.seed(4)
    kgroups(x, 30, effort = effort)$W
  }, 0)
  expect_lte(W[2L], W[1L] * (1 + 1e-3))
  expect_lte(W[3L], W[2L] * (1 + 1e-4))
  for (effort in list(0, -1, NA, "much", c(1, 2), Inf)) {
    expect_error(kgroups(x, 3, effort = effort), class = "kg_error_effort")
  }
})

test_that("small sets never end above the best of 100 random starts", {
  set.seed(5)
  missed <- 0
  for (case in seq_len(repeats(8, 20))) {
    n <- sample(15:40, 1)
    x <- matrix(stats::rt(2 * n, 3), n)
    k <- sample(2:5, 1)
    semimetric <- rho_power(sample(c(0.5, 1, 2), 1))
    best <- kgroups(x, k, semimetric = semimetric, init = "random", nstart = 100)$W
    missed <- missed + (kgroups(x, k, semimetric = semimetric)$W > best * (1 + 1e-9))
  }
  expect_identical(missed, 0)
})

test_that("a large problem is searched on two levels, whatever the weights and the number of clusters", {
  x <- withr::with_seed(23, overlapping(1800, 30))
  for (k in c(5, 30)) {
    for (weights in list(rep(1, 1800), rep(c(1, 2, 0, 1), length.out = 1800))) {
      problem <- as_problem(x, weights = weights)
      found <- search_levels(problem, new_control(k), whole = 1200, part = 600)
      expect_length(found$search$levels, 2L)
      expect_length(unique(found$cluster[weights > 0]), k)
      expect_equal(
        true_units(problem, sum(found$cost)), energy_statistics(x, found$cluster, weights = weights)$W, tolerance = 1e-9
      )
    }
  }
})

test_that("landmark features, in 16 bits too, are searched on two levels with the same W, and on one if k is large", {
  x <- withr::with_seed(24, overlapping(1800, 5))
  for (rows in c(1800, 9000)) { # from a million values on a value has 16 bits
    x <- x[rep_len(seq_len(1800), rows), ] + rep(seq_len(rows %/% 1800), each = 1800) / 100
    problem <- as_problem(x)
    features <- store_features(problem$store, landmark_map(problem, 1:120, quote(kgroups())), quote(kgroups()))
    problem <- features_problem(problem, features)
    expect_identical(is.raw(features$z), rows == 9000)
    set.seed(1)
    two <- search_levels(problem, new_control(5L), part = 600)
    expect_length(two$search$levels, 2L)
    set.seed(1)
    one <- search_levels(problem, new_control(5L), part = rows)
    expect_length(one$search$levels, 1L)
    expect_equal(sum(two$cost), sum(one$cost), tolerance = 1e-3)
    W <- sum(vapply(split(seq_len(rows), two$cluster), function(l) {
      z <- take_features(features$z, rows, l, doubles = TRUE)
      sum((z - rowMeans(z))^2)
    }, 0))
    expect_equal(sum(two$cost), W, tolerance = 1e-9)
  }
})

test_that("labels given are where the local search begins: no single pass ends above them", {
  set.seed(6)
  x <- overlapping(1500, 5)
  start <- sample(5, 1500, TRUE)
  before <- energy_statistics(x, start)$W
  once <- suppressWarnings(kgroups(x, 5, init = start, iter.max = 1))
  fit <- kgroups(x, 5, init = start)
  expect_lt(once$W, before)
  expect_lte(fit$W, once$W)
  expect_identical(kgroups(x, 5, init = fit$cluster)$count, 0)
})

test_that("the crossover of two partitions takes from each the region in which it is better", {
  set.seed(72)
  truth <- rep(1:12, each = 20)
  x <- 10 * cbind(truth, 5 * (truth > 6)) + matrix(rnorm(480), 240)
  # two clusters merged, and one near them split
  mixed <- function(a) ifelse(truth == a, a + 1L, ifelse(truth == a + 2L & seq_along(truth) %% 2L == 0L, a, truth))
  for (problem in list(as_problem(x), as_problem(dist(x)))) {
    control <- new_control(12)
    fits <- lapply(list(mixed(1L), mixed(8L)), function(labels) solve_starts(problem, control, matrix(labels), "start"))
    best <- solve_starts(problem, control, matrix(truth), "start")
    alone <- vapply(fits, function(fit) sum(fit$cost), 0)
    expect_gt(min(alone), 1.05 * sum(best$cost))
    crossed <- cross_partitions(fits, 12, function(labels) solve_starts(problem, control, matrix(labels), "crossover"))
    expect_equal(sum(crossed$cost), sum(best$cost), tolerance = 1e-10)
  }
})

test_that("regions are components of overlaps, and those chosen keep the number of clusters", {
  one <- rep(1:4, each = 10)
  other <- c(2L, 1L, 4L, 3L)[one]
  expect_identical(cross_regions(one, other, 4, 0.15), c(1L, 2L, 3L, 4L, 2L, 1L, 4L, 3L))
  expect_null(cross_pair(list(cluster = one, cost = rep(1, 4)), list(cluster = other, cost = rep(1, 4)), 4))
  expect_identical(choose_regions(c(5, 1, 3, -1), c(0, 1, -1, 0), 1e-9), c(TRUE, TRUE, TRUE, FALSE))
  expect_identical(choose_regions(c(5, 1, -3), c(0, 1, -1), 1e-9), c(TRUE, FALSE, FALSE))
  expect_identical(choose_regions(c(-1, 7), c(0, 1), 1e-9), c(FALSE, FALSE))
})

test_that("crossovers end where W is not positive", {
  rising <- rho_function(function(x, y) sin(sum((x - y)^2)))
  for (seed in 1:5) {
    set.seed(seed)
    x <- matrix(rnorm(36, sd = 3), 18)
    problem <- suppressWarnings(as_problem(x, rising))
    improve <- function(labels) solve_starts(problem, new_control(4L), matrix(labels), "labels")
    fit <- improve(rep(1:4, length.out = 18))
    # a partition crossed with itself and with one of the same W does not get better
    expect_identical(cross_partitions(list(fit, fit, fit), 4, improve)$cost, fit$cost)
    other <- improve(c(rep(1:4, 4), 1:2))
    crossed <- cross_partitions(list(fit, other, other), 4, improve)
    expect_lte(sum(crossed$cost), min(sum(fit$cost), sum(other$cost)) + 1e-9)
  }
})

test_that("one member is a search for every store", {
  x <- withr::with_seed(24, overlapping(120, 4))
  city <- rho_metric("manhattan")
  G <- semimetric_matrix(x, type = "gram")
  for (form in list(x, dist(x), G, Matrix::Matrix(unclass(G), sparse = TRUE))) {
    fit <- kgroups(form, 4, nstart = 1)
    expect_equal(fit$W, energy_statistics(form, fit$cluster)$W)
  }
  fit <- kgroups(x, 4, semimetric = city, nstart = 1)
  expect_equal(fit$W, energy_statistics(x, fit$cluster, city)$W)
})

test_that("a search that takes long is announced, by its budget, the columns and the clusters", {
  seconds <- function(n, d, k, ...) fit_seconds(as_problem(matrix(seq_len(n), n, d)), new_control(k, ...))
  # seconds of CPU measured: 36, 15.2, 3.9 (noise: a search takes all of its budget), and 5.7 of ten clouds
  measured <- c(seconds(5000, 500, 900L), seconds(1e4, 100, 300L), seconds(5000, 50, 900L), seconds(1e5, 10, 10L))
  expect_true(all(abs(log(measured / c(36, 15.2, 3.9, 5.7))) < log(1.2)))
  expect_equal(seconds(5000, 50, 900L, effort = 3), 3 * seconds(5000, 50, 900L), tolerance = 0.02)
  reported <- function(d, k) {
    set.seed(1)
    x <- matrix(rnorm(2500 * d), 2500)
    tryCatch(kgroups(x, k), kg_message_long = function(m) "reported")
  }
  expect_identical(reported(500, 500), "reported")
  expect_no_message(inform_long_fit(as_problem(matrix(rnorm(1e4), 5000)), new_control(10L)))
})
