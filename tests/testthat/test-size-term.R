# Phi from its definition, d given.
reference_phi <- function(P, cluster, dimension, w = rep(1, nrow(P))) {
  s <- tapply(w, cluster, sum)
  s <- s[s > 0]
  sum(w) * dimension / 2 * log(reference_W(P, cluster, w)) - sum(s * log(s / sum(s)))
}

# Largest fall of Phi by a single move that leaves two points of positive weight.
reference_phi_fall <- function(P, cluster, dimension, w) {
  now <- reference_phi(P, cluster, dimension, w)
  best <- 0
  for (i in which(w > 0)) {
    if (sum(w > 0 & cluster == cluster[i]) < 3) next
    for (l in setdiff(unique(cluster), cluster[i])) {
      moved <- replace(cluster, i, l)
      best <- max(best, now - reference_phi(P, moved, dimension, w))
    }
  }
  best
}

# The participation ratio from centred Gram matrices, weights as reliabilities.
reference_dimension <- function(P, cluster, w = rep(1, nrow(P))) {
  above <- below <- 0
  for (l in unique(cluster)) {
    A <- which(cluster == l & w > 0)
    if (length(A) < 5) next
    v <- w[A]
    s <- sum(v)
    centre <- diag(length(A)) - rep(1, length(A)) %*% t(v) / s
    K <- centre %*% (-P[A, A] / 2) %*% t(centre)
    t1 <- sum(v * diag(K)) / (s - sum(v^2) / s)
    t2 <- (sum(outer(v, v) * K^2) - sum(v^2 * diag(K)^2)) / (s^2 - sum(v^2))
    above <- above + s * t1^2
    below <- below + s * t2
  }
  above / below
}

# 20 points beside 180, both round; W alone cuts the large cluster.
uneven <- function(far = 3.5) {
  x <- matrix(rnorm(400), 200)
  x[1:20, 1] <- x[1:20, 1] + far
  list(x = x, truth = rep(1:2, c(20, 180)))
}

test_that("the effective dimension follows its definition", {
  set.seed(1)
  for (kind in c("unit", "integer", "real", "zero")) {
    x <- matrix(rnorm(120), 40)
    w <- random_weights(40, kind)
    cluster <- rep(1:3, c(20, 16, 4))
    problem <- as_problem(x, rho_power(1), w)
    P <- as.matrix(dist(x))
    expect_equal(effective_dimension(problem, 3, cluster), 0.95 * reference_dimension(P, cluster, w))
  }
  # at alpha = 2 it is that of the covariance: near d for a round cloud
  x <- matrix(rnorm(3000), 1000)
  expect_lt(abs(effective_dimension(as_problem(x, rho_power(2)), 1, rep(1L, 1000)) / 0.95 - 3), 0.15)
  # four points do not determine it
  expect_identical(effective_dimension(as_problem(x[1:4, ]), 1, rep(1L, 4)), 0)
})

test_that("no single move lowers Phi, clusters keep two points, Phi is what is reported", {
  set.seed(2)
  for (kind in c("unit", "integer", "real", "zero")) {
    for (k in 2:4) {
      n <- 30
      x <- matrix(rnorm(2 * n), n)
      w <- random_weights(n, kind)
      P <- as.matrix(dist(x))
      fit <- kgroups(x, k, weights = w, size_term = TRUE)
      d <- fit$size_term$dimension
      expect_lt(reference_phi_fall(P, fit$cluster, d, w), 1e-8 * sum(w))
      expect_true(all(tabulate(fit$cluster[w > 0], k) >= 2))
      kept <- ifelse(w > 0, fit$cluster, NA)
      expect_equal(min(fit$objectives), reference_phi(P[w > 0, w > 0], fit$cluster[w > 0], d, w[w > 0]))
      expect_equal(fit$W, reference_W(P, fit$cluster, w))
      expect_equal(fit$W + fit$S, fit$total)
      # a fixed point of the assignment that predict() makes
      expect_identical(predict(fit, x)[w == 0], fit$cluster[w == 0])
      expect_true(all(predict(fit, x) == fit$cluster | tabulate(fit$cluster[w > 0], k)[fit$cluster] == 2))
    }
  }
})

test_that("a small cluster beside a large one is found, where W alone cuts the large one", {
  set.seed(3)
  scores <- replicate(8, {
    data <- uneven()
    c(
      compare_clusters(data$truth, kgroups(data$x, 2)$cluster),
      compare_clusters(data$truth, kgroups(data$x, 2, size_term = TRUE)$cluster)
    )
  })
  expect_lt(mean(scores[1, ]), 0.5)
  expect_gt(mean(scores[2, ]), 0.75)
})

test_that("above the size that is stored, too", {
  set.seed(4)
  n <- 2400
  x <- matrix(rnorm(2 * n), n)
  x[1:200, 1] <- x[1:200, 1] + 4
  truth <- rep(1:2, c(200, n - 200))
  fit <- kgroups(x, 2, size_term = TRUE)
  expect_gt(compare_clusters(truth, fit$cluster), 0.85)
  expect_identical(unname(predict(fit, x)), unname(fit$cluster))
  expect_named(fit$objectives, c("plain", "sample"))
})

test_that("matrix-free and stored local searches make the same moves", {
  set.seed(5)
  x <- matrix(rnorm(120), 60)
  problem <- as_problem(x, weights = rexp(60))
  starts <- ball_labels(cache_pairs(problem), 3, 8)
  free <- descend(problem, 3, starts, new_control(3, iter.max = 50), 4)
  stored <- descend(cache_pairs(problem), 3, starts, new_control(3, iter.max = 50), 4)
  expect_identical(free$cluster, stored$cluster)
  expect_equal(free$objectives, stored$objectives)
})

test_that("the answer does not depend on the form of the data or the scale of the weights", {
  data <- withr::with_seed(6, uneven())
  fit <- function(...) {
    set.seed(7)
    kgroups(..., k = 2, size_term = TRUE)
  }
  base <- fit(data$x)
  for (other in list(
    fit(dist(data$x)), fit(semimetric_matrix(data$x, type = "gram")), fit(data$x, weights = rep(1e-3, 200)),
    fit(data$x * 1e200)
  )) {
    expect_identical(other$cluster, base$cluster)
    expect_equal(other$size_term$dimension, base$size_term$dimension)
  }
  scaled <- fit(data$x, weights = rep(8, 200))
  P <- as.matrix(dist(data$x))
  expect_equal(
    min(scaled$objectives),
    reference_phi(P, scaled$cluster, scaled$size_term$dimension, rep(8, 200))
  )
})

test_that("balls leave two points for every cluster", {
  set.seed(8)
  for (n in 6:20) {
    for (k in 2:(n %/% 2)) {
      w <- replace(rep(1, n + 2), c(1, n), 0)
      problem <- cache_pairs(as_problem(matrix(rnorm(2 * n + 4), n + 2), weights = w))
      labels <- ball_labels(problem, k, 4)
      for (a in 1:4) expect_true(all(tabulate(labels[w > 0, a], k) >= 2))
    }
  }
})

test_that("labels given are the start, single points get a companion", {
  set.seed(9)
  data <- uneven()
  fit <- kgroups(data$x, 2, init = data$truth, size_term = TRUE)
  expect_named(fit$objectives, "labels")
  expect_identical(length(kgroups(data$x, 2, init = "random", size_term = TRUE)$objectives), 1L)
  problem <- as_problem(data$x)
  alone <- descend(problem, 2, matrix(rep(1:2, c(1, 199))), new_control(2, iter.max = 0), 1000)
  expect_identical(tabulate(alone$cluster), c(2L, 198L))
  second <- order(as.matrix(dist(data$x))[1, ])[2]
  expect_setequal(which(alone$cluster == 1), c(1, second))
})

test_that("where the data cannot determine the plain solution comes back", {
  x <- c(1, 1, 1, 5, 5, 5)
  expect_identical(kgroups(x, 2, size_term = TRUE)$size_term$dimension, Inf)
  expect_identical(unname(kgroups(x, 2, size_term = TRUE)$cluster), rep(1:2, each = 3))
  expect_identical(unname(kgroups(rep(1, 8), 1, size_term = TRUE)$cluster), rep(1L, 8))
  four <- kgroups(c(1, 2, 7, 9), 2, size_term = TRUE)
  expect_identical(unname(four$cluster), c(1L, 1L, 2L, 2L))
  expect_snapshot({
    four
    summary(four)
  })
})

test_that("prints, and combinations that are errors", {
  set.seed(10)
  data <- uneven()
  expect_snapshot({
    kgroups(data$x, 2, size_term = TRUE)
  })
  x <- c(1, 2, 4, 8, 9)
  P <- as.matrix(dist(data$x))
  expect_snapshot(error = TRUE, {
    kgroups(x, 3, size_term = TRUE)
    kgroups(x, 2, size_term = 1)
    kgroups(x, 2, size_term = TRUE, method = "lloyd")
    kgroups(x, 2, size_term = TRUE, approx = nystroem(2))
    kgroups(x, 2, size_term = TRUE, init = c(1, 1, 1, 1, 2))
    suppressWarnings(kgroups(as_gram(-tcrossprod(data$x)), 2, size_term = TRUE))
  })
  expect_error(kgroups(x, 3, size_term = TRUE), class = "kg_error_k")
  expect_error(kgroups(x, 2, size_term = TRUE, method = "lloyd"), class = "kg_error_size_term")
  expect_warning(kgroups(data$x, 2, size_term = TRUE, iter.max = 1), class = "kg_warning_iterations")
})
