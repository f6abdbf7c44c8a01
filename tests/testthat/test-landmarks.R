# Landmark features against their definition, and the fits made from them.

feature_parts <- function(problem, rows, short = FALSE) {
  map <- landmark_map(problem, as.integer(rows))
  map$short <- short
  features <- store_features(problem$store, map)
  z <- take_features(features$z, problem$n, seq_len(problem$n), doubles = TRUE)
  list(map = map, z = t(z) * 2^map$scale, rest = features$rest * 4^map$scale)
}

test_that("features have the inner products of the definition, for every kind of input", {
  set.seed(1)
  x <- matrix(rnorm(120), 40)
  rows <- c(3, 9, 11, 20, 33, 38)
  semimetrics <- list(
    rho_power(1), rho_power(0.5), rho_power(2), rho_exponential(1), rho_gaussian(2)
  )
  for (semimetric in semimetrics) {
    B <- -reference_rho(x, x, semimetric) / 2
    expected <- reference_landmark_gram(B, rows)
    for (problem in list(as_problem(x, semimetric), as_problem(dist(x), semimetric))) {
      got <- feature_parts(problem, rows)
      expect_equal(tcrossprod(got$z), expected, tolerance = 1e-12)
      expect_equal(got$rest, reference_self(B, rows) - diag(expected), tolerance = 1e-10)
      # 16 bits: half a unit of 2^-15 of the largest value of an observation
      brief <- feature_parts(problem, rows, short = TRUE)
      unit <- apply(abs(got$z), 1L, max) / 32767
      expect_true(all(abs(brief$z - got$z) <= 0.5 * unit * (1 + 1e-4)))
      expect_identical(brief$rest, got$rest)
    }
  }
  G <- tcrossprod(x) + 1
  got <- feature_parts(as_problem(as_gram(G)), rows)
  expect_equal(tcrossprod(got$z), reference_landmark_gram(G, rows), tolerance = 1e-5)
  manhattan <- rho_function(function(x, y) sum(abs(x - y)))
  got <- feature_parts(landmark_problem(x, manhattan, NULL, NULL), rows)
  B <- -as.matrix(dist(x, "manhattan")) / 2
  expect_equal(tcrossprod(got$z), unname(reference_landmark_gram(B, rows)), tolerance = 1e-5)
})

test_that("all loops give the same features, means and labels", {
  for (short in c(FALSE, TRUE)) {
    set.seed(2)
    x <- three_clouds(333)
    problem <- as_problem(x)
    map <- landmark_map(problem, seq(1L, 333L, by = 7L))
    map$short <- short
    w <- runif(333)
    labels <- rep(1:3, length.out = 333)
    withr::defer(.Call(ffi_choose_loops, "auto"))
    results <- lapply(c("base", "avx2", "avx512"), function(set) {
      if (is.null(.Call(ffi_choose_loops, set))) {
        return(NULL)
      }
      f <- store_features(problem$store, map)
      on_features <- features_problem(replace(problem, "w", list(w)), f)
      list(
        z = take_features(f$z, 333, 1:333, TRUE),
        fit = descend(on_features, 3, matrix(labels), new_control())
      )
    })
    for (other in Filter(length, results[-1])) {
      expect_equal(other$z, results[[1]]$z, tolerance = 1e-6)
      expect_identical(other$fit$cluster, results[[1]]$fit$cluster)
      expect_equal(other$fit$means, results[[1]]$fit$means, tolerance = 1e-6)
      expect_equal(other$pass, results[[1]]$pass, tolerance = 1e-10)
    }
  }
})

test_that("Hartigan on features ends where no single move helps, bounds or not", {
  for (seed in seq_len(repeats(2, 6))) {
    set.seed(seed)
    n <- repeats(300, 500)
    x <- matrix(rnorm(2 * n), n)
    problem <- as_problem(x, weights = sample(0:3, n, TRUE))
    map <- landmark_map(problem, sample.int(n, 20))
    map$short <- seed %% 2 == 1
    f <- store_features(problem$store, map)
    expect_identical(is.raw(f$z), map$short)
    z <- t(take_features(f$z, n, 1:n, TRUE))
    k <- 5
    start <- fill_clusters(sample.int(k, n, TRUE), problem$w, k)
    fit <- descend(features_problem(problem, f), k, matrix(start), new_control(iter.max = 1000))
    expect_true(fit$converged)
    P <- as.matrix(dist(z))^2
    W <- reference_W(P, fit$cluster, problem$w)
    expect_equal(sum(fit$cost), W, tolerance = 1e-10)
    expect_equal(fit$total, sum(outer(problem$w, problem$w) * P) / (2 * sum(problem$w)), tolerance = 1e-10)
    expect_lt(reference_best_fall(P, fit$cluster, problem$w, k), 1e-8 * W)
    expect_lt(W, reference_W(P, start, problem$w))
  }
})

test_that("with all observations as landmarks W is the exact one", {
  set.seed(3)
  x <- three_clouds()
  for (semimetric in list(rho_power(1), rho_gaussian(2))) {
    fit <- kgroups(x, 3, semimetric = semimetric, approx = nystroem(60))
    exact <- energy_statistics(x, fit$cluster, semimetric)
    expect_equal(fit$W, exact$W, tolerance = 1e-6)
    expect_equal(fit$S, exact$S, tolerance = 1e-5)
    expect_equal(fit$within, unname(exact$within), tolerance = 1e-6)
    expect_equal(fit$approx$error, 0, tolerance = 1e-6)
    expect_equal(fit$W, kgroups(x, 3, semimetric = semimetric)$W, tolerance = 1e-6)
  }
})

test_that("16 bits lose less than landmarks do, from the ends of the range too", {
  for (seed in 1:6) {
    set.seed(seed)
    n <- 600
    x <- three_clouds(n) * 10^c(-100, 0, 100)[seed %% 3 + 1]
    w <- if (seed %% 2) runif(n) else 10^runif(n, -12, 0)
    if (seed > 3) x[1, ] <- 1e6 * x[1, ]
    problem <- as_problem(x, weights = w)
    map <- landmark_map(problem, sample.int(n, 30))
    start <- sample.int(3, n, TRUE)
    fits <- lapply(c(FALSE, TRUE), function(short) {
      map$short <- short
      on_features <- features_problem(problem, store_features(problem$store, map))
      descend(on_features, 3, matrix(start), new_control())
    })
    expect_gt(mean(fits[[1]]$cluster == fits[[2]]$cluster), 0.99)
    expect_equal(sum(fits[[2]]$cost), sum(fits[[1]]$cost), tolerance = 1e-4)
  }
})

test_that("values in 16 bits that are not finite, or all 0, are found", {
  problem <- as_problem(matrix(c(0, 1, 3, 3, 0, 0, 0, 1), 4))
  map <- landmark_map(problem, c(1L, 3L))
  map$short <- TRUE
  values <- landmark_values(problem$store, map$landmarks, cbind(c(0, 1, 3), 0) / 2^problem$exponent)
  wrong <- values
  wrong[2, 1] <- Inf
  z <- value_features(map, wrong)$z
  z <- take_features(z, 3, 1:3, doubles = TRUE)
  expect_true(all(is.finite(z[, -2])))
  expect_false(any(is.finite(z[, 2])))
  # the two landmarks lie at equal distances from their own mean
  expect_equal(z[1, 1], -z[1, 3], tolerance = 1e-4)
})

test_that("weights 1e12 apart keep the W of landmark fits", {
  for (seed in 1:12) {
    set.seed(seed)
    n <- sample(30:90, 1)
    x <- matrix(rnorm(2 * n), n)
    w <- 10^runif(n, -c(9, 12, 15)[seed %% 3 + 1], 0)
    fit <- kgroups(x, 4, weights = w, approx = nystroem(n))
    expect_equal(fit$W, energy_statistics(x, fit$cluster, weights = w)$W, tolerance = 1e-5)
  }
})

test_that("W lies above the exact one, W of the features below; the estimate finds it", {
  set.seed(4)
  x <- matrix(rnorm(3000), 1000)
  w <- runif(1000)
  fit <- kgroups(x, 4, weights = w, approx = nystroem(40))
  exact <- energy_statistics(x, fit$cluster, weights = w)$W
  expect_gt(fit$W, exact)
  expect_lt(fit$approx$W_features, exact)
  expect_lt(abs(fit$approx$W_estimate - exact), 5 * fit$approx$W_se)
  expect_lt(fit$approx$W_se, 0.01 * exact)
  expect_null(fit$W_exact)
  expect_equal(fit$W + fit$S, fit$total)
})

test_that("a polished fit is the exact local search from the labels", {
  set.seed(5)
  x <- matrix(rnorm(800), 400)
  fit <- kgroups(x, 4, approx = nystroem(10, polish = TRUE))
  expect_equal(fit$W_exact, fit$W)
  expect_equal(fit$W, energy_statistics(x, fit$cluster)$W)
  expect_lt(reference_best_fall(reference_rho(x, x, rho_power(1)), fit$cluster), 1e-8 * fit$W)
  expect_identical(predict(fit, x), unname(fit$cluster), ignore_attr = TRUE)
  manhattan <- rho_function(function(x, y) sum(abs(x - y)))
  small <- kgroups(x[1:60, ], 2, semimetric = manhattan, approx = nystroem(10, polish = TRUE))
  expect_equal(small$W, energy_statistics(x[1:60, ], small$cluster, manhattan)$W)
})

test_that("predict goes through the same map", {
  set.seed(6)
  x <- three_clouds(300)
  rownames(x) <- paste0("r", 1:300)
  fit <- kgroups(x, 3, approx = nystroem(30))
  expect_identical(predict(fit, x), fit$cluster)
  exact <- reference_d2(reference_rho(x, x, rho_power(1)), fit$cluster)
  expect_equal(predict(fit, type = "squared"), exact, tolerance = 0.05, ignore_attr = TRUE)
  expect_equal(predict(fit, x, type = "distance"), predict(fit, type = "distance"))
  d <- dist(x)
  by_dist <- kgroups(d, 3, approx = nystroem(30))
  expect_identical(predict(by_dist, as.matrix(d)), by_dist$cluster)
  G <- semimetric_matrix(x, type = "gram")
  by_gram <- kgroups(G, 3, approx = nystroem(30))
  expect_identical(predict(by_gram, unclass(G)), by_gram$cluster)
  expect_equal(
    predict(by_gram, unclass(G), type = "squared", diag = diag(G)), predict(by_gram, type = "squared")
  )
  all_rows <- kgroups(x, 3, approx = nystroem(300))
  expect_equal(predict(all_rows, type = "squared"), reference_d2(
    reference_rho(x, x, rho_power(1)), all_rows$cluster
  ), tolerance = 1e-5, ignore_attr = TRUE)
})

test_that("what evaluates a fit works on landmark fits", {
  set.seed(13)
  x <- three_clouds(60)
  manhattan <- rho_function(function(x, y) sum(abs(x - y)))
  for (fit in list(
    kgroups(x, 3, approx = nystroem(20)), kgroups(x, 3, semimetric = manhattan, approx = nystroem(20)),
    kgroups(dist(x), 3, approx = nystroem(20)), kgroups(semimetric_matrix(x, type = "gram"), 3, approx = nystroem(20))
  )) {
    expect_identical(nrow(tidy(fit)), 3L)
    expect_identical(nrow(augment(fit)), 60L)
    expect_silent(summary(fit))
    withr::with_pdf(NULL, expect_silent(plot(fit)))
  }
})

test_that("given landmarks, rows and points, are the same landmarks", {
  set.seed(7)
  x <- three_clouds(200)
  rows <- sample.int(200, 25)
  start <- rep(1:3, length.out = 200)
  by_row <- kgroups(x, 3, init = start, approx = nystroem(landmarks = rows))
  by_point <- kgroups(x, 3, init = start, approx = nystroem(landmarks = x[rows, ]))
  by_dist <- kgroups(dist(x), 3, init = start, approx = nystroem(landmarks = rows))
  expect_equal(by_row$W, by_point$W)
  expect_identical(by_row$cluster, by_point$cluster)
  expect_equal(by_row$W, by_dist$W, tolerance = 1e-6)
  expect_identical(by_row$init, "labels")
  spread <- kgroups(x, 3, approx = nystroem(25, "kmeans++"))
  expect_identical(spread$approx$landmarks, "kmeans++")
  expect_equal(compare_clusters(spread$cluster, by_row$cluster), 1)
})

test_that("invariants: weights, offset, scale, set.seed", {
  set.seed(8)
  x <- three_clouds(100)
  w <- sample(1:3, 100, TRUE)
  landmarks <- x[1:20, ]
  start <- rep(1:3, length.out = 100)
  fit <- kgroups(x, 3, weights = w, init = start, approx = nystroem(landmarks = landmarks))
  often <- rep(1:100, w)
  replicated <- kgroups(x[often, ], 3, init = start[often], approx = nystroem(landmarks = landmarks))
  expect_equal(fit$W, replicated$W, tolerance = 1e-5)
  heavy <- kgroups(x, 3, weights = 1e10 * w, init = start, approx = nystroem(landmarks = landmarks))
  expect_equal(heavy$W, 1e10 * fit$W, tolerance = 1e-10)
  expect_identical(heavy$cluster, fit$cluster)
  for (scale in c(1e-150, 1e150)) {
    scaled <- kgroups(x * scale, 3, weights = w, init = start, approx = nystroem(landmarks = landmarks * scale))
    expect_equal(scaled$W / scale, fit$W, tolerance = 1e-6)
    expect_identical(scaled$cluster, fit$cluster)
  }
  again <- lapply(1:2, function(time) {
    set.seed(9)
    kgroups(x, 3, approx = nystroem(20))
  })
  expect_identical(again[[1]]$cluster, again[[2]]$cluster)
  zero <- kgroups(x, 3, weights = replace(w, 1:30, 0), approx = nystroem(20))
  expect_identical(predict(zero, x), zero$cluster)
})

test_that("edges: k = 1, equal points, few landmarks, large k, starts by name", {
  set.seed(10)
  x <- three_clouds(50)
  expect_equal(kgroups(x, 1, approx = nystroem(20))$S, 0)
  same <- kgroups(matrix(1, 30, 2), 3, approx = nystroem(5))
  expect_equal(same$W, 0)
  expect_identical(sort(unique(same$cluster)), 1:3)
  expect_identical(kgroups(x, 50, approx = nystroem(50))$sizes, rep(1L, 50))
  expect_equal(kgroups(x, 3, approx = nystroem(2))$approx$rank, 1)
  for (init in c("kmeans++", "random")) {
    fit <- kgroups(x, 3, init = init, nstart = 3, approx = nystroem(20))
    expect_identical(fit$init, init)
    expect_length(fit$objectives, 3)
    expect_equal(min(fit$objectives), fit$W)
  }
  many <- kgroups(matrix(rnorm(6000), ncol = 2), 3, approx = nystroem(20))
  expect_equal(min(many$objectives), many$W)
  expect_warning(
    kgroups(matrix(rnorm(6000), ncol = 2), 8, init = "random", iter.max = 1, approx = nystroem(20)),
    class = "kg_warning_iterations"
  )
})

test_that("a semimetric that is not of negative type is reported to be approximated in part", {
  set.seed(11)
  x <- matrix(rnorm(120), 60)
  expect_warning(
    kgroups(x, 2, semimetric = rho_function(function(x, y) sum((x - y)^2)^2), approx = nystroem(30)),
    class = "kg_warning_negative_type"
  )
})

test_that("progress is silent in scripts and reports if requested", {
  set.seed(14)
  x <- three_clouds(90)
  expect_silent(kgroups(x, 3, approx = nystroem(10)))
  withr::local_options(kgroups.progress = TRUE)
  report <- function() progress_step("Features of {n} observations", 1e10)
  expect_message(report(), "Features of {n} observations", fixed = TRUE)
  expect_silent(progress_step("Short", 1e6))
})

test_that("errors of landmarks", {
  x <- matrix(as.numeric(1:40), 20)
  cases <- list(
    m = quote(nystroem(1)),
    polish = quote(nystroem(10, polish = NA)),
    landmarks = quote(nystroem(10, "grid")),
    landmarks = quote(nystroem(3, landmarks = 1:5)),
    landmarks = quote(kgroups(x, 2, approx = nystroem(landmarks = c(1, 50)))),
    newdata = quote(kgroups(x, 2, approx = nystroem(landmarks = matrix(1:9, 3)))),
    landmarks = quote(kgroups(dist(x), 2, approx = nystroem(landmarks = x[1:3, ]))),
    approx = quote(kgroups(x, 2, approx = 10)),
    approx = quote(kernel_kmeans(x, 2, approx = nystroem(10))),
    approx = quote(kgroups(x, 2, init = "spectral", approx = nystroem(10))),
    k = quote(kgroups(x, 21, approx = nystroem(10)))
  )
  for (at in seq_along(cases)) {
    expect_error(eval(cases[[at]]), class = paste0("kg_error_", names(cases)[at]))
  }
  expect_snapshot(error = TRUE, {
    nystroem(1)
    nystroem(3, landmarks = 1:5)
    kgroups(x, 2, approx = nystroem(landmarks = c(1, 50)))
    kgroups(dist(x), 2, approx = nystroem(landmarks = x[1:3, ]))
    kgroups(x, 2, approx = 10)
    kernel_kmeans(x, 2, approx = nystroem(10))
    kgroups(x, 2, init = "spectral", approx = nystroem(10))
  })
  withr::local_options(kgroups.memory = 1000)
  expect_error(kgroups(x, 2, approx = nystroem(10)), class = "kg_error_memory")
})

test_that("prints", {
  set.seed(12)
  x <- round(three_clouds(90), 2)
  expect_snapshot({
    nystroem(50)
    nystroem(landmarks = 1:9, polish = TRUE)
    kgroups(x, 3, approx = nystroem(landmarks = 1:90))
    kgroups(x, 3, approx = nystroem(10, polish = TRUE))
  })
})

test_that("landmarks may be rows of a table, and become points as it does", {
  set.seed(13)
  data <- mixed_table(90, 0.05)
  rows <- which(stats::complete.cases(data))[1:30]
  given <- nystroem(landmarks = data[rows, ])
  fit <- suppressMessages(kgroups(data, 3, approx = given))
  problem <- suppressMessages(as_problem(data))
  expect_equal(
    suppressMessages(choose_landmarks(problem, given, NULL)), problem$store$x[rows, ],
    ignore_attr = TRUE
  )
  expect_identical(suppressMessages(predict(fit, data)), fit$cluster)
  # in another order, and with levels that the data do not have
  turned <- data[rows, rev(seq_along(data))]
  turned$town[1] <- "Rome"
  expect_warning(kgroups(data, 3, approx = nystroem(landmarks = turned)), class = "kg_warning_levels")
  expect_snapshot(error = TRUE, {
    nystroem(landmarks = data[1, ])
    nystroem(landmarks = data.frame(a = I(list(1, 2))))
    nystroem(landmarks = cbind(c(1, Inf)))
    suppressMessages(kgroups(data, 3, approx = nystroem(landmarks = data[rows, -1])))
    suppressMessages(kgroups(data, 3, approx = nystroem(landmarks = replace(data[rows, ], "size", "a"))))
  })
})

test_that("the Cholesky factor with pivots is that of the definition, whatever the rank", {
  set.seed(811)
  for (n in c(1, 2, 5, 63, 64, 65, 130, 200)) {
    for (rank in unique(pmin(n, c(1, 3, 64, 90, n)))) {
      A <- tcrossprod(matrix(rnorm(n * rank), n) * rep(10^runif(rank, -2, 2), each = n))
      least <- 1e-10 * max(diag(A))
      found <- .Call(ffi_cholesky, A, n, least)
      expect_identical(sort(found$order), seq_len(n))
      ours <- suppressWarnings(chol(A, pivot = TRUE, tol = least))
      expect_lte(abs(nrow(found$R) - attr(ours, "rank")), 1)
      expect_true(all(found$R[lower.tri(found$R)] == 0))
      used <- found$order[seq_len(nrow(found$R))]
      expect_equal(crossprod(found$R), A[used, used, drop = FALSE], tolerance = 1e-12)
      # pivots fall, and what they leave is below the tolerance
      expect_true(all(diff(diag(found$R)) <= 1e-12 * found$R[1L]))
      all_rows <- backsolve(found$R, A[used, , drop = FALSE], transpose = TRUE)
      expect_lte(max(diag(A) - colSums(all_rows^2)), least * (1 + 1e-3) + 1e-12 * max(diag(A)))
    }
  }
})

test_that("pairs of observations come as often as W weighs them, with equal weights and others", {
  set.seed(812)
  cluster <- c(1L, 3L, 2L, 3L, 3L, 1L)
  for (w in list(rep(1.5, 6), c(1, 0, 2, 1, 3, 1))) {
    pairs <- random_pairs(cluster, w, 3, 40000)
    # x by weight, y by weight within the cluster of x
    together <- outer(cluster, cluster, `==`) * outer(w, w)
    expected <- together / sum(w) / ave(w, cluster, FUN = sum)
    seen <- table(factor(pairs[, 1], 1:6), factor(pairs[, 2], 1:6)) / nrow(pairs)
    expect_lt(max(abs(seen - expected)), 0.01)
    expect_true(all(seen[expected == 0] == 0))
  }
})

test_that("labels in the order in which they appear, also where one comes late or never", {
  for (cluster in list(c(2L, 1L, 2L), c(rep(2L, 500), 1L, 3L), rep(3L, 400))) {
    first <- unique(cluster)
    expect_identical(first_appearance(cluster, 3L), c(first, setdiff(1:3, first)))
  }
})

test_that("landmarks with missing values are refused, in a matrix and a data frame", {
  landmarks <- matrix(c(1, NA, 3, 4, 5, 6), 3)
  expect_error(nystroem(landmarks = landmarks), class = "kg_error_landmarks")
  expect_error(nystroem(landmarks = as.data.frame(landmarks)), class = "kg_error_landmarks")
})

test_that("W, the squared distances and the cost of a landmark fit have the unit of the data", {
  x <- withr::with_seed(31, rbind(matrix(rnorm(120), 60), matrix(rnorm(120, 4), 60)))
  W <- vapply(c(1, 1000, 2^-40), function(scale) {
    fit <- withr::with_seed(32, kgroups(x * scale, 2, approx = nystroem(30), init = rep(1:2, 60)))
    d2 <- predict(fit, x * scale, type = "squared")
    expect_equal(sum(d2[cbind(1:120, fit$cluster)]), fit$W, tolerance = 1e-4)
    fit$W / scale
  }, 0)
  expect_equal(W, rep(W[1], 3), tolerance = 1e-4)
})

test_that("the exact fit replaces landmarks that cost more", {
  set.seed(1)
  x <- matrix(runif(4400), 2200)
  fit <- kgroups(x, 150, approx = nystroem(300))
  expect_equal(fit$W, energy_statistics(x, fit$cluster)$W)
  expect_equal(fit$W, seeded(kgroups(x, 150))$W, tolerance = 0.01)
  expect_identical(fit$W_exact, fit$W)
  expect_identical(predict(fit, x[1:50, ]), fit$cluster[1:50])
  expect_match(format(fit), "Landmarks: none", all = FALSE)
  expect_true(glance(fit)$exact)
})
