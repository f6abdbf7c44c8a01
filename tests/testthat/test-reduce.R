# Reductions: equal rows, points on a line, coordinates of pairwise dissimilarities.

counted <- function(n, d, mean = 2) matrix(rpois(n * d, mean), n)

test_that("equal rows are numbered in the order of the first ones", {
  set.seed(1)
  for (case in 1:20) {
    x <- counted(30, 2, 1)
    group <- row_groups(x, 31)
    expect_identical(group, match(data.frame(t(x)), unique(as.list(data.frame(t(x))))))
    expect_null(row_groups(x, max(group)))
    expect_identical(row_groups(x, max(group) + 1), group)
  }
  groups <- function(x, ...) equal_rows(as_problem(x, ...))
  x <- counted(60, 2)
  group <- groups(x, rho_power(1))
  expect_identical(group, row_groups(x, 61))
  expect_identical(groups(dist(x), rho_power(1)), group)
  expect_identical(groups(as_gram(tcrossprod(x))), group)
  expect_identical(groups(x, rho_gaussian(2)), group)
  expect_identical(groups(x, rho_function(function(x, y) sum(abs(x - y)))), group)
  expect_null(groups(matrix(rnorm(60), 30), rho_power(1)))
  expect_null(groups(dist(matrix(rnorm(60), 30)), rho_power(1)))
  # no distance between the first two, but others to the third
  D <- matrix(c(0, 0, 1, 1, 0, 0, 2, 2, 1, 2, 0, 0, 1, 2, 0, 0), 4)
  expect_identical(groups(as.dist(D), rho_power(1)), c(1L, 2L, 3L, 3L))
  # a pair of rows that are nearly equal
  near <- dist(rbind(x, x[1, ] + 1e-13))
  expect_false(anyDuplicated(groups(near, rho_power(1))[c(1, 61)]) > 0)
})

test_that("the search of equal rows finds the best of all partitions, with and without weights", {
  set.seed(2)
  for (case in seq_len(repeats(2, 6))) {
    x <- matrix(rnorm(10), 5)[c(1:5, sample(5, 4, TRUE)), ]
    for (weights in list(rep(1, 9), sample(3, 9, TRUE))) {
      best <- reference_optimum(reference_rho(x, semimetric = rho_power(1)), 3, weights)
      for (form in list(x, dist(x))) {
        expect_equal(kgroups(form, 3, weights = weights)$W, best, tolerance = 1e-10)
        expect_gte(kernel_kmeans(form, 3, weights = weights)$W, best * (1 - 1e-10))
      }
    }
  }
})

test_that("a fit of equal rows equals a fit from its labels", {
  set.seed(3)
  x <- counted(400, 3)
  w <- replace(runif(400), 1:30, 0)
  for (alpha in c(0.5, 1, 2)) {
    for (weights in list(NULL, w)) {
      forms <- list(x, as.data.frame(x), dist(x), as_gram(-as.matrix(dist(x))^alpha / 2))
      fits <- lapply(forms, function(form) {
        set.seed(4)
        suppressMessages(if (inherits(form, "kgroups_gram")) kgroups(form, 5, weights = weights) else kgroups(
          form, 5, semimetric = rho_power(alpha), weights = weights
        ))
      })
      for (fit in fits) expect_equal(fit$W, fits[[1L]]$W, tolerance = 1e-4)
      fit <- fits[[1L]]
      expect_identical(fit$cluster, fit$cluster[match(data.frame(t(x)), data.frame(t(x)))])
      stats <- energy_statistics(x, fit$cluster, semimetric = rho_power(alpha), weights = weights)
      expect_equal(c(fit$W, fit$S), c(stats$W, stats$S), tolerance = 1e-10)
      again <- kgroups(x, 5, semimetric = rho_power(alpha), weights = weights, init = fit$cluster, nstart = 1)
      expect_equal(again$W, fit$W, tolerance = 1e-12)
      expect_identical(again$cluster, fit$cluster)
      expect_equal(fit$within, again$within, tolerance = 1e-10)
      expect_identical(unname(predict(fit, x)), unname(fit$cluster))
      expect_equal(
        predict(fit, x + 0.3, type = "distance"), predict(again, x + 0.3, type = "distance"), tolerance = 1e-9
      )
    }
  }
})

test_that("rounded, counted and 0/1 data end no higher than starts on the distinct rows", {
  set.seed(5)
  sets <- list(round(matrix(rnorm(1200), ncol = 2) * 3), counted(900, 3, 1), matrix(rbinom(9000, 1, 0.25), ncol = 10))
  for (x in sets) {
    group <- row_groups(x, nrow(x))
    rows <- !duplicated(group)
    for (k in c(4, 12)) {
      set.seed(6)
      peer <- kgroups(x[rows, ], k, weights = tabulate(group), init = "kmeans++", nstart = 30)$W
      fit <- kgroups(x, k)
      expect_lte(fit$W, peer * (1 + 1e-12))
      # nor does any one row move
      expect_identical(kgroups(x, k, init = fit$cluster, nstart = 1)$count, 0)
    }
  }
})

test_that("equal rows of many: pairs, features and landmarks", {
  set.seed(7)
  x <- round(matrix(rnorm(50000), ncol = 2) * 3)
  for (alpha in c(1, 2)) {
    fit <- kgroups(x, 6, semimetric = rho_power(alpha))
    again <- kgroups(x, 6, semimetric = rho_power(alpha), init = fit$cluster, nstart = 1)
    expect_equal(again$W, fit$W, tolerance = 1e-11)
    expect_identical(again$cluster, fit$cluster)
    expect_equal(again$within, fit$within, tolerance = 1e-10)
  }
  near <- kgroups(x, 6, approx = nystroem(60))
  expect_identical(near$cluster, near$cluster[match(data.frame(t(x)), data.frame(t(x)))])
  expect_identical(predict(near, x), near$cluster)
})

test_that("fewer distinct rows than clusters, or as many, are divided", {
  x <- matrix(rep(c(1, 2, 5, 9), each = 10), ncol = 1)[, c(1, 1)]
  for (k in c(3, 4, 6)) {
    fit <- suppressMessages(kgroups(x, k))
    expect_identical(sort(unique(fit$cluster)), seq_len(k))
    expect_equal(fit$W, if (k == 3) 5 * sqrt(2) else 0, tolerance = 1e-12)
  }
})

# The exponent of a power of the distance, 0 of other functions.
alpha_of <- function(store) if (store$rho[1L] == semimetric_code("power", 1)[1L]) store$rho[2L] else 0

squares_of <- function(x) as.matrix(stats::dist(x))^2

# Kernel values of which these are rho = |phi_i - phi_j|^2, about the first row.
gram_of <- function(rho) as_gram((outer(rho[, 1], rho[1, ], "+") - rho) / 2)

test_that("many equal rows and more clusters: W is 0, and the time that of the rows", {
  set.seed(12)
  x <- matrix(1, 2e5, 3)
  x[1:3, ] <- 2
  for (k in 2:5) {
    fit <- suppressMessages(kgroups(x, k))
    expect_identical(fit$W, 0)
    expect_length(fit$sizes, k)
    expect_gt(min(fit$sizes), 0)
  }
  # rows of weight 0 are no clusters
  w <- rep(c(0, 1), c(5, 4))
  fit <- suppressMessages(kgroups(x[4:12, ], 4, weights = w))
  expect_setequal(fit$cluster[w > 0], 1:4)
})

test_that("distances, their squares, transforms and kernels have the coordinates of the points", {
  set.seed(61)
  for (d in c(1, 4, 60)) {
    x <- matrix(rnorm(300 * d), 300) %*% diag(exp(seq(0, 3, length.out = d)), d)
    D <- stats::dist(x)
    forms <- list(
      list(as_problem(D), 1), list(as_problem(D, rho_power(2)), 2), list(as_problem(D, rho_power(0.7)), 0.7),
      list(as_problem(D, rho_gaussian(1)), 0), list(as_problem(D, rho_exponential(1)), 0),
      list(as_problem(stats::as.dist(as.matrix(D)^2)), 2),
      list(as_problem(stats::as.dist(as.matrix(D)^2), rho_power(0.5)), 1), list(as_problem(as_gram(tcrossprod(x))), 2),
      list(as_problem(gram_of(as.matrix(D))), 1), list(as_problem(x, rho_function(function(a, b) sum((a - b)^2))), 2)
    )
    for (form in forms) {
      store <- embed(form[[1]])$store
      expect_identical(alpha_of(store), form[[2]])
      expect_identical(dim(store$x), c(300L, as.integer(d)))
      ratio <- squares_of(store$x)[lower.tri(diag(300))] / as.vector(D)^2
      expect_equal(range(ratio), rep(ratio[1], 2), tolerance = 1e-5)
      rho <- store_rho(form[[1]]$store, 1:150, 151:300)
      expect_equal(store_rho(embed(form[[1]])$store, 1:150, 151:300), rho, tolerance = 1e-5)
    }
  }
  expect_null(embed(as_problem(x)))
})

test_that("pairwise dissimilarities of high rank have no coordinates", {
  set.seed(62)
  x <- matrix(rnorm(1500), 300)
  wide <- matrix(rnorm(300 * 130), 300)
  apart <- rbind(x * 1e-7, x * 1e-7 + 1e6)
  symmetric <- matrix(runif(9e4), 300)
  none <- list(
    as_problem(stats::dist(x, "manhattan")), as_problem(stats::dist(wide)),
    as_problem(stats::as.dist(squares_of(x)), rho_gaussian(1)),
    as_problem(as_gram(exp(-squares_of(x)))), as_problem(stats::as.dist(symmetric)),
    as_problem(as_gram(symmetric + t(symmetric))), as_problem(stats::dist(matrix(1, 300, 2))),
    as_problem(stats::dist(apart))
  )
  for (problem in none) expect_null(embed(problem))
})

test_that("of small sets only squared distances of low rank become points", {
  x <- withr::with_seed(64, matrix(rnorm(900), 300))
  squares <- function(...) embed(as_problem(...), squares = TRUE)
  same <- function(problem) {
    expect_s3_class(problem$store, "kgroups_points")
    expect_equal(alpha_of(problem$store), 2)
    expect_equal(as.vector(stats::dist(problem$store$x)), as.vector(stats::dist(x)), tolerance = 1e-7)
  }
  same(squares(stats::dist(x), rho_power(2)))
  same(squares(as_gram(tcrossprod(x))))
  same(squares(as_gram(-squares_of(x) / 2)))
  same(squares(x, rho_function(function(x, y) sum((x - y)^2))))
  wide <- withr::with_seed(65, matrix(rnorm(300 * 40), 300))
  expect_null(squares(stats::dist(x)))
  expect_null(squares(stats::dist(x), rho_power(1.5)))
  expect_null(squares(stats::dist(x), rho_gaussian(1)))
  expect_null(squares(as_gram(exp(-squares_of(x)))))
  expect_null(squares(stats::dist(wide), rho_power(2)))
  expect_null(squares(x, rho_power(2)))
})

test_that("points on a line, their distances and their kernel have one exact answer", {
  set.seed(66)
  for (case in list(c(40, 3), c(300, 5), c(900, 12), c(2100, 25))[seq_len(repeats(3, 4))]) {
    n <- case[1L]
    k <- case[2L]
    x <- round(rt(n, 3), 2)
    w <- sample(c(0, 1, 1, 3), n, TRUE)
    distances <- stats::dist(x)
    forms <- list(
      matrix(x), data.frame(x), distances, gram_of(as.matrix(distances)), cbind(x, 7), cbind(3 * x, 4 * x) / 5,
      x %*% t(c(2, -1, 2) / 3)
    )
    for (weights in list(NULL, w)) {
      exact <- kgroups(x, k, weights = weights)
      for (form in forms) {
        fit <- withr::with_seed(1, kgroups(form, k, weights = weights))
        expect_equal(fit$W, exact$W, tolerance = 1e-10)
      }
    }
  }
  line <- kgroups(distances, 4)
  expect_equal(line$objectives[[1L]], line$W)
  # more clusters than values, all rows equal, other semimetrics and what is requested by name
  expect_equal(kgroups(stats::dist(rep(1:3, 20)), 5)$W, 0)
  expect_equal(kgroups(stats::dist(rep(1, 20)), 2)$W, 0)
  expect_equal(kgroups(rep(1:3, 20), 3, semimetric = rho_function(function(x, y) abs(x - y)))$W, 0)
  withr::with_options(list(kgroups.memory = 1e6), {
    many <- as_problem(cbind(seq_len(3000), 0))
    expect_null(reduce_line(many, new_control(200)))
    expect_error(solution_1d(as_problem(seq_len(3000)), 200), class = "kg_error_memory")
  })
  expect_null(embed_line(as_problem(matrix(rnorm(90), 30))))
  expect_null(embed_line(as_problem(stats::dist(matrix(rnorm(90), 30)))))
})

test_that("points, their distances and their kernel are searched alike: the same W, many clusters or few", {
  set.seed(63)
  cases <- list(
    c(2100, 6, 45), c(900, 4, 24), c(400, 3, 6), c(300, 5, 14), c(2100, 3, 8), c(2200, 8, 12), c(2100, 7, 22)
  )
  for (case in cases[repeats(2:4, 1:7)]) {
    n <- case[1]
    k <- case[3]
    x <- matrix(rnorm(k * case[2], sd = 3), k)[sample(k, n, TRUE), ] + rnorm(n * case[2])
    w <- sample(c(0, 1, 1, 2), n, TRUE)
    W <- function(...) withr::with_seed(1, kgroups(..., k = k, weights = w)$W)
    fit <- withr::with_seed(1, kgroups(stats::dist(x), k, weights = w))
    expect_equal(fit$W, W(x), tolerance = 1e-6)
    expect_equal(fit$W, energy_statistics(stats::dist(x), fit$cluster, weights = w)$W, tolerance = 1e-12)
    expect_equal(fit$W, min(fit$objectives), tolerance = 1e-12)
    expect_true(fit$converged)
    squared <- W(x, semimetric = rho_power(2))
    expect_equal(W(stats::dist(x), semimetric = rho_power(2)), squared, tolerance = 1e-6)
    expect_equal(W(stats::as.dist(squares_of(x))), squared, tolerance = 1e-6)
    expect_equal(W(as_gram(tcrossprod(x))), squared, tolerance = 1e-6)
    narrow <- rho_gaussian(3)
    expect_equal(W(stats::dist(x), semimetric = narrow), W(x, semimetric = narrow), tolerance = 1e-6)
  }
})

test_that("a small sparse Gram matrix gives the labels and W of the same dense one", {
  set.seed(1)
  x <- matrix(rnorm(240), 80) + 3 * sample(0:2, 80, TRUE)
  G <- exp(-as.matrix(dist(x))^2)
  G[G < 1e-3] <- 0
  for (w in list(rep(1, 80), rep_len(0:3, 80))) {
    sparse <- withr::with_seed(2, suppressWarnings(kgroups(Matrix::Matrix(G, sparse = TRUE), 4, weights = w)))
    dense <- withr::with_seed(2, suppressWarnings(kgroups(as_gram(G), 4, weights = w)))
    expect_identical(sparse$cluster, dense$cluster)
    expect_equal(sparse$W, dense$W)
    expect_equal(sparse$S, dense$S)
  }
})

test_that("coordinates of dissimilarities, and what centroids see of them, do not depend on the last digit", {
  set.seed(7)
  for (draw in 1:20) {
    G <- semimetric_matrix(matrix(rnorm(30), 15) + rep(c(0, 5, 10), each = 5), type = "gram")
    noise <- matrix(sample(-1:1, 225, replace = TRUE), 15)
    views <- lapply(list(G, G * (1 + .Machine$double.eps * (noise + t(noise)))), function(G) {
      centroid_view(embed(as_problem(as_gram(G), NULL), squares = TRUE), 2)$some$store$z
    })
    expect_equal(views[[1]], views[[2]], tolerance = 1e-6)
  }
})
