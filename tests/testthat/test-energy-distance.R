# E of Eq. (4) between two groups, from the matrix P of rho.
reference_E <- function(P, cluster, a, b, w = rep(1, nrow(P))) {
  A <- which(cluster == a)
  B <- which(cluster == b)
  mean_rho <- function(X, Y) sum(outer(w[X], w[Y]) * P[X, Y]) / (sum(w[X]) * sum(w[Y]))
  2 * mean_rho(A, B) - mean_rho(A, A) - mean_rho(B, B)
}

test_that("distances between several groups follow (4) for every input, with weights", {
  set.seed(1)
  for (semimetric in test_semimetrics()) {
    for (kind in c("unit", "integer", "real", "zero")) {
      x <- matrix(rnorm(60), 20)
      w <- random_weights(20, kind)
      cluster <- sample(c("p", "q", "r"), 20, replace = TRUE)
      cluster[which(w > 0)[1:3]] <- c("p", "q", "r")
      P <- reference_rho(x, semimetric = semimetric)
      G <- as_gram(-(P - P[, 1] - rep(P[1, ], each = 20)) / 2)
      right <- c(
        reference_E(P, cluster, "p", "q", w), reference_E(P, cluster, "p", "r", w),
        reference_E(P, cluster, "q", "r", w)
      )
      for (got in list(
        energy_distance(x, semimetric = semimetric, weights = w, g = cluster),
        energy_distance(dist(x), semimetric = semimetric, weights = w, g = cluster),
        energy_distance(G, weights = w, g = cluster)
      )) {
        expect_s3_class(got, "dist")
        expect_identical(attr(got, "Labels"), c("p", "q", "r"))
        expect_lt(max(abs(as.vector(got) - right)), 1e-10 * max(P))
      }
    }
  }
})

test_that("E is twice the squared mean discrepancy of the kernel, (9), and S follows from it", {
  set.seed(2)
  x <- matrix(rnorm(30), 15)
  y <- matrix(rnorm(20, 1), 10)
  a <- rexp(15)
  b <- rexp(10)
  for (semimetric in list(rho_power(1), rho_power(0.5), rho_gaussian(2), rho_exponential(1))) {
    E <- energy_distance(x, y, semimetric, weights_x = a, weights_y = b)
    v <- c(a / sum(a), -b / sum(b))
    for (x0 in list(NULL, c(3, -4))) {
      K <- unclass(semimetric_matrix(rbind(x, y), semimetric = semimetric, x0 = x0, type = "gram"))
      expect_equal(2 * sum(outer(v, v) * K), E)
    }
    S <- energy_statistics(rbind(x, y), rep(1:2, c(15, 10)), semimetric, weights = c(a, b))$S
    expect_equal(S, sum(a) * sum(b) / (2 * (sum(a) + sum(b))) * E)
  }
  # rho_power(2): twice the squared distance of the means
  expect_equal(energy_distance(x, y, rho_power(2)), 2 * sum((colMeans(x) - colMeans(y))^2))
})

test_that("its square root is a metric", {
  set.seed(3)
  for (semimetric in list(rho_power(1), rho_power(0.5), rho_gaussian(1))) {
    x <- matrix(rnorm(120), 60)
    D <- as.matrix(energy_distance(x, semimetric = semimetric, g = rep(1:6, 10), sqrt = TRUE))
    for (i in 1:6) {
      for (j in 1:6) expect_true(all(D[i, j] <= D[i, ] + D[, j] + 1e-12))
    }
    expect_true(is_negative_type(as.dist(D^2)))
  }
  # negative E of an indefinite semimetric counts as 0
  far <- as.dist(matrix(c(0, 9, 1, 1, 9, 0, 1, 1, 1, 1, 0, 9, 1, 1, 9, 0), 4))
  expect_lt(energy_distance(far, g = c(1, 1, 2, 2)), 0)
  expect_identical(as.vector(energy_distance(far, g = c(1, 1, 2, 2), sqrt = TRUE)), 0)
})

test_that("weights matter within a sample only; integers are replicates; a group without weight is NA", {
  set.seed(4)
  x <- matrix(rnorm(20), 10)
  y <- matrix(rnorm(16), 8)
  a <- sample(3, 10, replace = TRUE)
  b <- sample(3, 8, replace = TRUE)
  E <- energy_distance(x, y, weights_x = a, weights_y = b)
  expect_equal(energy_distance(x, y, weights_x = 1e200 * a, weights_y = b / 1e200), E)
  expect_equal(energy_distance(x[rep(1:10, a), ], y[rep(1:8, b), ]), E)
  expect_equal(energy_distance(y, x, weights_x = b, weights_y = a), E)
  expect_equal(energy_distance(x[10:1, ], y, weights_x = rev(a), weights_y = b), E)
  three <- energy_distance(x, g = rep(1:3, c(4, 3, 3)), weights = rep(c(1, 0, 1), c(4, 3, 3)))
  expect_identical(is.na(as.vector(three)), c(TRUE, FALSE, TRUE))
  expect_equal(three[2], energy_distance(x[1:4, ], x[8:10, ]))
})

test_that("columns are paired by name where both samples have names", {
  x <- iris[1:50, 1:4]
  y <- iris[51:100, 1:4]
  right <- energy_distance(x, y)
  expect_identical(energy_distance(x, y[c(3, 1, 4, 2)]), right)
  expect_identical(energy_distance(as.matrix(x), y[c(3, 1, 4, 2)]), right)
  expect_equal(energy_distance(x[c(2, 1, 4, 3)], as.matrix(y)), right)
  expect_identical(energy_distance(x, unname(as.matrix(y))), right)
  expect_identical(energy_distance(unname(as.matrix(x)), y), right)
  other <- stats::setNames(y, c("Sepal.Length", "{stop('run')}", "Petal.Length", "b"))
  expect_error(energy_distance(other, y), "{stop('run')}", fixed = TRUE, class = "kg_error_y")
  expect_error(energy_distance(x[c(1, 1)], y[c(1, 2)]), class = "kg_error_y")
  expect_error(energy_distance(data.frame(a = 1:3), data.frame(a = c("u", "v", "w"))), class = "kg_error_y")
  expect_snapshot(error = TRUE, {
    energy_distance(x, stats::setNames(y, letters[1:4]))
    energy_distance(cbind(a = 1:3, a = 4:6), cbind(a = 1:3, b = 4:6))
    energy_distance(x, y[1:3])
  })
})

test_that("weights are those of all observations with groups, and refused with two samples", {
  set.seed(4)
  w <- rexp(150)
  x <- iris[1:50, 1:4]
  y <- iris[51:100, 1:4]
  expect_snapshot(error = TRUE, {
    energy_distance(x, y, weights = 1:50)
    energy_distance(iris[1:4], g = iris$Species, weights_x = w)
    energy_distance(iris[1:4], g = iris$Species, weights_y = w)
    energy_distance(x, y, extra = 1)
  })
})

test_that("two samples, labels, a list and a formula give one distance, with missing cells too", {
  set.seed(5)
  x <- matrix(rnorm(40), 20)
  y <- matrix(rnorm(30, 1), 15)
  group <- rep(c("x", "y"), c(20, 15))
  for (missing in c(FALSE, TRUE)) {
    if (missing) x[3, 2] <- y[7, 1] <- NA
    right <- as.vector(energy_distance(rbind(x, y), g = group))
    expect_equal(energy_distance(x, y), right)
    expect_equal(energy_distance(as.data.frame(x), as.data.frame(y)), right)
    expect_equal(as.vector(energy_distance(list(x, y))), right)
    expect_equal(as.vector(energy_distance(split(as.data.frame(rbind(x, y)), group))), right)
    expect_equal(as.vector(energy_distance(. ~ group, data = data.frame(rbind(x, y), group))), right)
    expect_equal(as.vector(energy_distance(as_points(rbind(x, y)), g = group)), right)
  }
})

test_that("weights of tables are repeated rows, whatever their size", {
  set.seed(6)
  x <- data.frame(a = rnorm(12), b = c("u", "v", "w"), c = 5 * rnorm(12))
  y <- data.frame(a = rnorm(9, 1), b = c("v", "w", "w"), c = rnorm(9))
  for (size in c(1, 2, 3, 5)) {
    w <- rep(c(1, size), c(5, 4))
    weighted <- energy_distance(x, y, weights_y = w)
    expect_equal(weighted, energy_distance(x, y[rep(1:9, w), ]))
    expect_equal(
      energy_distance(as.matrix(x[c(1, 3)]), as.matrix(y[c(1, 3)]), weights_y = w, standardize = TRUE),
      energy_distance(as.matrix(x[c(1, 3)]), as.matrix(y[rep(1:9, w), c(1, 3)]), standardize = TRUE)
    )
    expect_equal(as.vector(energy_distance(rbind(x, y), g = rep(1:2, c(12, 9)), weights = c(rep(1, 12), w))), weighted)
  }
  near <- vapply(c(1.999, 2.001), function(size) energy_distance(x, y, weights_y = rep(size, 9)), 0)
  expect_lt(diff(range(near)), 1e-3)
})

test_that("a sample without observations is named, in each place and form", {
  empty <- list(numeric(), matrix(0, 0, 2), data.frame(a = numeric(), b = numeric()))
  full <- list(c(1, 2, 4), matrix(1:6, 3), data.frame(a = 1:3, b = 4:6))
  for (i in 1:3) {
    expect_error(energy_distance(empty[[i]], full[[i]]), "`x` has none", class = "kg_error_x")
    expect_error(energy_distance(full[[i]], empty[[i]]), "`y` has none", class = "kg_error_x")
    expect_error(energy_test(list(one = full[[i]], two = empty[[i]]), R = 9), "`two` has none", class = "kg_error_x")
    expect_error(dispersion_test(list(empty[[i]], full[[i]]), R = 9), "has none", class = "kg_error_x")
  }
})

test_that("wrong samples are classed errors", {
  expect_snapshot(error = TRUE, {
    energy_distance(1:5)
    energy_distance(1:5, 1:4, g = 1:5)
    energy_distance(1:5, g = c(1, 1, 2, 2, 2.5))
    energy_distance(iris[1:4], rep(1:3, each = 50))
    energy_distance(as.matrix(iris[1:4]), rep(1:3, each = 50))
  })
})

test_that("W, S, total and g follow the definitions for every semimetric and input", {
  set.seed(1)
  for (semimetric in test_semimetrics()) {
    for (kind in repeats(c("real", "zero"), c("unit", "integer", "real", "zero"))) {
      n <- sample(5:25, 1)
      x <- matrix(rnorm(n * 3), n)
      w <- random_weights(n, kind)
      cluster <- sample(1:3, n, replace = TRUE)
      cluster[which(w > 0)[1:3]] <- 1:3
      P <- reference_rho(x, semimetric = semimetric)
      right <- reference_statistics(P, cluster, w)
      G <- -(P - P[, 1] - rep(P[1, ], each = n)) / 2
      inputs <- list(
        energy_statistics(x, cluster, semimetric, w),
        energy_statistics(dist(x), cluster, semimetric, w),
        energy_statistics(as_gram(G), cluster, weights = w),
        energy_statistics(as.data.frame(x), cluster, semimetric, w)
      )
      for (got in inputs) {
        size <- abs(right$W) + abs(right$S)
        expect_lt(abs(got$W - right$W), 1e-10 * size)
        expect_lt(abs(got$S - right$S), 1e-10 * size)
        expect_lt(abs(got$total - right$total), 1e-10 * size)
        expect_equal(unname(got$g), right$g, tolerance = 1e-10)
        expect_equal(unname(got$weight), right$s)
        expect_equal(unname(got$within), right$within, tolerance = 1e-10)
        expect_equal(sum(got$within), got$W)
      }
    }
  }
})

test_that("a function of the user's gives what the built-in one gives", {
  set.seed(2)
  x <- matrix(rnorm(40), 20)
  cluster <- rep(1:2, 10)
  own <- rho_function(function(x, y) sqrt(sum((x - y)^2)))
  matrices <- rho_function(function(x, y) {
    sqrt(pmax(outer(rowSums(x^2), rowSums(y^2), "+") - 2 * x %*% t(y), 0))
  }, vectorized = TRUE)
  built_in <- energy_statistics(x, cluster)
  expect_equal(energy_statistics(x, cluster, own), built_in, tolerance = 1e-12)
  expect_equal(energy_statistics(x, cluster, matrices), built_in, tolerance = 1e-7)
})

test_that("invariants of a given partition hold", {
  set.seed(3)
  n <- 30
  x <- matrix(rnorm(2 * n), n)
  cluster <- rep(1:3, 10)
  w <- as.numeric(sample(3, n, replace = TRUE))
  base <- energy_statistics(x, cluster, weights = w)
  # integer weights = replicated rows
  rows <- rep(seq_len(n), w)
  replicated <- energy_statistics(x[rows, ], cluster[rows])
  expect_equal(replicated$W, base$W, tolerance = 1e-12)
  expect_equal(replicated$S, base$S, tolerance = 1e-12)
  expect_equal(replicated$g, base$g, tolerance = 1e-12)
  # row order, label names, scale of the weights
  mixed <- sample(n)
  expect_equal(energy_statistics(x[mixed, ], cluster[mixed], weights = w[mixed])$W, base$W)
  expect_equal(energy_statistics(x, letters[cluster], weights = w)$W, base$W)
  scaled <- energy_statistics(x, cluster, weights = 1e-7 * w)
  expect_equal(scaled$W, 1e-7 * base$W)
  expect_equal(scaled$S, 1e-7 * base$S)
  # x0 of the Gram matrix
  for (x0 in list(c(0, 0), c(5, -3))) {
    G <- semimetric_matrix(x, x0 = x0, type = "gram")
    expect_equal(energy_statistics(G, cluster, weights = w)$W, base$W, tolerance = 1e-10)
    expect_equal(energy_statistics(G, cluster, weights = w)$S, base$S, tolerance = 1e-10)
  }
  # total does not depend on the partition
  expect_equal(energy_statistics(x, sample(cluster), weights = w)$total, base$total)
})

test_that("W is the sum of squares of kmeans at alpha = 2", {
  x <- as.matrix(iris[1:4])
  km <- kmeans(x, 3, nstart = 5)
  got <- energy_statistics(x, km$cluster, rho_power(2))
  expect_equal(got$W, km$tot.withinss)
  expect_equal(unname(got$within), km$withinss)
  expect_equal(got$S, km$betweenss)
})

test_that("W agrees with energy::kgroups on the same labels", {
  skip_if_not_installed("energy")
  set.seed(4)
  x <- as.matrix(iris[1:4])
  e <- energy::kgroups(x, 3, nstart = 3)
  got <- energy_statistics(x, e$cluster)
  expect_equal(got$W, e$W)
  expect_equal(unname(got$within), as.vector(e$within))
})

test_that("large offsets keep the digits of W", {
  set.seed(6)
  x <- matrix(round(rnorm(40), 3), 20)
  cluster <- rep(1:2, 10)
  expect_equal(
    energy_statistics(x + 2^30, cluster)$W,
    energy_statistics((x + 2^30) - 2^30, cluster)$W,
    tolerance = 1e-14
  )
})

test_that("one variable is sorted, and gives the statistics of all pairs", {
  set.seed(31)
  n <- 400
  g <- sample(5, n, TRUE)
  for (w in list(NULL, sample(0:3, n, TRUE), rexp(n))) {
    for (x in list(rnorm(n), round(rnorm(n)), 1e6 + rnorm(n), 1e150 * rt(n, 2))) {
      line <- energy_statistics(x, g, weights = w)
      pairs <- energy_statistics(cbind(x, 0), g, weights = w)
      for (name in c("W", "S", "total", "within", "g")) expect_equal(line[[name]], pairs[[name]], tolerance = 1e-11)
      expect_equal(
        energy_distance(x, g = g, weights = w), energy_distance(cbind(x, 0), g = g, weights = w), tolerance = 1e-10
      )
    }
  }
  # all pairs of 4e5 numbers would take minutes
  x <- rnorm(4e5)
  apart <- 2 / sqrt(pi) * exp(-1 / 4) + 1 - 2 * pnorm(-1 / sqrt(2))
  expect_equal(energy_distance(x[1:2e5], x[-(1:2e5)] + 1), 2 * apart - 4 / sqrt(pi), tolerance = 0.05)
})
