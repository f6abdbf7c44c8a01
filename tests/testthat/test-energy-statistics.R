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

test_that("S agrees with `disco()` of package energy", {
  skip_if_not_installed("energy")
  between <- energy::disco(dist(iris[1:4]), iris$Species, R = 0)$between
  expect_equal(energy_statistics(iris[1:4], iris$Species)$S, as.numeric(between))
})

test_that("energy distances follow (4) and (9)", {
  set.seed(5)
  for (semimetric in test_semimetrics()) {
    x <- matrix(rnorm(20), 10)
    y <- matrix(rnorm(14, 1), 7)
    a <- rexp(10)
    b <- rexp(7)
    a <- a / sum(a)
    b <- b / sum(b)
    E <- 2 * sum(outer(a, b) * reference_rho(x, y, semimetric)) -
      sum(outer(a, a) * reference_rho(x, x, semimetric)) -
      sum(outer(b, b) * reference_rho(y, y, semimetric))
    expect_equal(
      energy_distance(x, y, semimetric, weights_x = 3 * a, weights_y = 0.1 * b), E,
      tolerance = 1e-9
    )
    both <- rbind(x, y)
    K <- unclass(semimetric_matrix(both, semimetric = semimetric, type = "gram"))
    v <- c(a, -b)
    expect_equal(2 * sum(outer(v, v) * K), E, tolerance = 1e-9)
  }
  groups <- energy_distance(iris[1:4], g = iris$Species)
  pair <- energy_distance(iris[1:50, 1:4], iris[51:100, 1:4])
  expect_equal(as.matrix(groups)["setosa", "versicolor"], pair)
  expect_equal(energy_distance(dist(iris[1:4]), g = iris$Species), groups)
  root <- energy_distance(iris[1:4], g = iris$Species, sqrt = TRUE)
  expect_equal(unclass(root)^2, unclass(groups), ignore_attr = TRUE)
  expect_equal(energy_distance(1:5, 1:5), 0)
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
