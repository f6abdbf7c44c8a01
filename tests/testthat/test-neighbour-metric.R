# The metric of the neighbours, R/neighbour-metric.R.

# Three long parallel groups; z is x in other units and turned.
bands <- function(n = 60) {
  truth <- rep(1:3, each = n)
  list(x = cbind(rnorm(3 * n, sd = 4), 2.5 * truth + rnorm(3 * n, sd = 0.4)), truth = truth)
}

score_of <- function(truth, fit) compare_clusters(truth, unname(fit$cluster))

test_that("the weights of pairs, the test and the metric are those of the definition", {
  set.seed(1)
  x <- cbind(rnorm(50), 3 * rnorm(50))
  w <- sample(1:2, 50, TRUE)
  D <- as.matrix(dist(x))
  G <- matrix(0, 50, 50)
  pairs <- 0
  S <- matrix(0, 2, 2)
  wanted <- max(0.1 * sum(w), 10)
  for (i in 1:50) {
    by_distance <- order(D[i, ])
    radius <- D[i, by_distance[which(cumsum(w[by_distance]) >= wanted)[1]]]
    for (j in setdiff(which(D[i, ] <= radius), i)) {
      u <- (x[i, ] - x[j, ]) / D[i, j]
      G[i, j] <- G[i, j] + w[i] * w[j] / D[i, j]^2
      G[j, i] <- G[j, i] + w[i] * w[j] / D[i, j]^2
      S <- S + w[i] * w[j] * tcrossprod(u)
      pairs <- pairs + w[i] * w[j]
    }
  }
  expect_equal(unname(neighbour_weights(x, w)), G)
  expect_equal(crossprod(x, rowSums(G) * x) - crossprod(x, G %*% x), S)
  expect_equal(sum(G * D^2) / 2, pairs)
  # the metric: directions in it are uniform up to the shrinkage, and its determinant is 1
  x <- bands(20)$x
  w <- rep(1, 60)
  T <- neighbour_transform(x, w)
  expect_equal(abs(det(T)), 1)
  y <- x %*% T
  H <- neighbour_weights(y, w)
  C <- crossprod(y, rowSums(H) * y) - crossprod(y, H %*% y)
  expect_lt(max(abs(C / sum(diag(C)) - diag(0.5, 2))), 0.08)
})

test_that("the level of the test of directions is about that of the constant", {
  set.seed(2)
  taken <- function(draw) mean(replicate(40, !uniform_directions(draw(), rep(1, 80))))
  expect_lte(taken(function() matrix(rnorm(160), 80)), 0.1)
  expect_lte(taken(function() matrix(runif(400), 80)), 0.1)
  expect_gte(taken(function() bands(30)$x[1:80, ]), 0.9)
})

test_that("round groups that overlap keep the given metric, a long one does not", {
  set.seed(11)
  w <- rep(1, 600)
  x <- matrix(rnorm(9600), 600)
  two <- x + 1.4 * rep(c(-1, 1), 300) / sqrt(16)
  p <- function(x) direction_test(x, w, neighbour_weights(x, w))$p
  expect_gt(p(x), 0.01)
  expect_lt(p(two), 0.01)
  expect_true(uniform_directions(two, w))
  expect_true(uniform_directions(two[600:1, ], w))
  expect_false(uniform_directions(x * rep(c(1, 2), each = 4800), w))
})

test_that("weights are repeated rows, and neither their order nor units nor a turn change the metric", {
  set.seed(3)
  x <- bands(25)$x
  w <- sample(1:3, 75, TRUE)
  distances <- function(x, T) as.vector(dist(x %*% T))
  one <- distances(x, neighbour_transform(x, w))
  expect_equal(distances(x, neighbour_transform(x[rep(1:75, w), ], rep(1, sum(w)))), one)
  expect_equal(distances(x, neighbour_transform(x[75:1, ], w[75:1])), one)
  expect_equal(uniform_directions(x, w), uniform_directions(x[rep(1:75, w), ], rep(1, sum(w))))
  units <- x %*% diag(c(100, 0.01))
  other <- distances(units, neighbour_transform(units, w))
  expect_equal(other / mean(other), one / mean(one), tolerance = 1e-6)
})

test_that("long groups are found in the metric of the neighbours; round ones keep the given metric", {
  set.seed(4)
  data <- bands()
  auto <- kgroups(data$x, 3, semimetric = rho_connected())
  given <- kgroups(data$x, 3, semimetric = rho_connected(metric = "given"))
  expect_gt(score_of(data$truth, auto), 0.95)
  expect_lt(score_of(data$truth, given), 0.8)
  expect_match(format(auto$semimetric), "metric of the neighbours")
  M <- auto$semimetric$found$scatter
  expect_equal(det(M), 1)
  expect_equal(
    as.vector(dist(data$x %*% auto$semimetric$base$transform))^2,
    apply(
      combn(180, 2), 2,
      function(i) drop(crossprod(data$x[i[1], ] - data$x[i[2], ], solve(M, data$x[i[1], ] - data$x[i[2], ])))
    )
  )
  expect_null(given$semimetric$found$scatter)
  round <- rbind(matrix(rnorm(120), 60), matrix(rnorm(120, 7), 60))
  fit <- kgroups(round, 2, semimetric = rho_connected())
  expect_null(fit$semimetric$found$scatter)
  expect_equal(fit$W, kgroups(round, 2, semimetric = rho_connected(metric = "given"))$W)
})

test_that("the metric is kept: predictions, statistics, other bases, and what takes a fit", {
  set.seed(5)
  data <- bands()
  x <- data$x
  for (base in list(rho_power(1), rho_power(1.5), rho_gaussian(), rho_metric("euclidean"))) {
    rho <- rho_connected(base)
    fit <- kgroups(x, 3, semimetric = rho)
    T <- fit$semimetric$base$transform
    expect_identical(dim(T), c(2L, 2L))
    turned <- kgroups(x %*% T, 3, semimetric = rho_connected(base, metric = "given"))
    expect_equal(fit$W, turned$W)
    expect_identical(predict(fit, x), fit$cluster)
    expect_equal(predict(fit, x[1:5, ], "squared"), predict(turned, x[1:5, ] %*% T, "squared"), ignore_attr = TRUE)
    expect_equal(fit$W, energy_statistics(x, fit$cluster, rho)$W)
    expect_equal(semimetric_matrix(x, x[1:4, ], rho), semimetric_matrix(x, semimetric = rho)[, 1:4], ignore_attr = TRUE)
    expect_identical(predict(unserialize(serialize(fit, NULL)), x), fit$cluster)
  }
  expect_gt(min(stability(fit, B = 5)$clusters$jaccard), 0.8)
  expect_s3_class(select_k(x, 1:3, semimetric = rho_connected()), "kgroups_selection")
  expect_identical(
    seeded(kgroups(x, 3, semimetric = rho_connected(), threads = 2))$cluster,
    seeded(kgroups(x, 3, semimetric = rho_connected()))$cluster
  )
})

test_that("categories, dissimilarities, few rows, one column and other metrics keep the given metric", {
  set.seed(6)
  x <- bands()$x
  kept <- function(x, rho = rho_connected()) is.null(as_problem(x, rho)$semimetric$base$transform)
  expect_false(kept(x))
  expect_true(kept(dist(x)))
  expect_true(kept(x, rho_connected(rho_metric("cosine"))))
  expect_true(kept(x, rho_connected(metric = "given")))
  expect_true(kept(x[seq(1, 180, by = 6), ]))
  expect_true(kept(x[, 1]))
  expect_true(kept(data.frame(x, a = factor(rep(c("a", "b"), 90)))))
  # a column without variance, and one that is another's multiple
  expect_no_error(kgroups(cbind(x, 1, 2 * x[, 1]), 3, semimetric = rho_connected()))
})

test_that("gaps of the given metric that the other would lose keep it", {
  set.seed(7)
  t <- sqrt(runif(500, 0.05, 1)) * 2.5 * pi
  a <- t + pi * rep(0:1, each = 250)
  x <- cbind(t * cos(a), t * sin(a), matrix(0, 500, 12)) + rnorm(500 * 14, sd = 0.1)
  problem <- as_problem(x, rho_connected())
  expect_null(problem$semimetric$base$transform)
  expect_gt(problem$semimetric$found$branches, 1)
})

test_that("units, scaling and correlations of the columns do not matter, whatever their sizes", {
  set.seed(4)
  angle <- runif(100, 0, 2 * pi)
  x <- (rep(c(1, 4), each = 50) + rnorm(100, 0, 0.15)) * cbind(cos(angle), sin(angle))
  for (map in list(
    diag(2), diag(c(1, 1e8)), diag(c(1e-150, 1e100)), matrix(rnorm(4), 2), matrix(c(1, 0.9, 0, 0.2), 2)
  )) {
    fit <- kgroups(x %*% map, 2, semimetric = rho_connected())
    expect_equal(score_of(rep(1:2, each = 50), fit), 1)
    expect_true(all(is.finite(fit$semimetric$found$scatter)))
  }
})

test_that("moons among many columns of noise are found as in the given metric", {
  half <- function(turn) cbind(cos(turn), sin(turn))
  for (seed in 1:2) {
    set.seed(seed)
    truth <- rep(1:2, each = 150)
    moons <- rbind(half(runif(150, 0, pi)), half(runif(150, pi, 2 * pi)) + rep(c(1, 0.5), each = 150))
    x <- cbind(moons + rnorm(600, sd = 0.05), matrix(rnorm(300 * 40, sd = 0.12), 300))
    x <- x %*% qr.Q(qr(matrix(rnorm(42^2), 42)))
    given <- score_of(truth, kgroups(x, 2, semimetric = rho_connected(metric = "given")))
    expect_gte(score_of(truth, kgroups(x, 2, semimetric = rho_connected())), given - 0.02)
  }
})

test_that("rows that are equal, and those that are equal up to rounding, have the same metric, gaps and W", {
  set.seed(8)
  sets <- list(
    as.matrix(iris[1:4]), as.matrix(swiss), round(bands(40)$x, 1), matrix(rnorm(100), 50)[rep(1:50, 3), ],
    cbind(as.matrix(faithful), 5)
  )
  for (x in sets) {
    moved <- x + rnorm(length(x)) * rep(1e-11 * apply(x, 2, sd), each = nrow(x))
    fits <- lapply(list(x, moved), function(x) {
      set.seed(1)
      kgroups(x, 3, semimetric = rho_connected())
    })
    expect_identical(unname(fits[[1]]$cluster), unname(fits[[2]]$cluster))
    expect_equal(fits[[2]]$W, fits[[1]]$W, tolerance = 1e-6)
    found <- lapply(fits, function(fit) fit$semimetric$found)
    expect_equal(found[[2]]$scatter, found[[1]]$scatter, tolerance = 1e-6)
    expect_equal(found[[2]]$gap, found[[1]]$gap, tolerance = 1e-6)
  }
})
