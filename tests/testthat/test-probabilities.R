# Probabilities from the definition, of the rows of a fit, in plain R. P: all values of rho.
slow_probabilities <- function(P, cluster, w, beta) {
  k <- max(cluster)
  p <- t(vapply(seq_along(cluster), function(i) {
    D <- vapply(seq_len(k), function(l) {
      m <- cluster == l
      s <- sum(w[m])
      d2 <- sum(w[m] * P[i, m]) / s - sum(outer(w[m], w[m]) * P[m, m]) / (2 * s^2)
      if (w[i] == 0) return(d2)
      if (l == cluster[i]) d2 * s / (s - w[i]) else d2 * s / (s + w[i])
    }, 0)
    exp(-beta / 2 * (D - min(D)))
  }, numeric(k)))
  p / rowSums(p)
}

three_normals <- function(n, p = 2, apart = 3) {
  at <- rep_len(1:3, n)
  x <- matrix(rnorm(n * p), n)
  x[, 1:2] <- x[, 1:2] + apart * cbind(c(0, 1, 0.5), c(0, 0, 0.87))[at, ]
  x
}

test_that("probabilities are those of the definition, for every input, and weights", {
  set.seed(1)
  x <- three_normals(60)
  new <- three_normals(7)
  w <- sample(0:3, 60, TRUE)
  for (weights in list(NULL, w)) for (alpha in c(0.5, 1, 2)) {
    rho <- rho_power(alpha)
    fit <- kgroups(x, 3, semimetric = rho, weights = weights)
    full <- weights %||% rep(1, 60)
    P <- reference_rho(x, semimetric = rho)
    beta <- alpha / 2 * fitted_dimension(fit, kept_problem(fit)) * (sum(full) - 3) / fit$W
    p <- predict(fit, type = "prob")
    expect_equal(unname(p), slow_probabilities(P, unname(fit$cluster), full, beta))
    expect_identical(colnames(p), c("1", "2", "3"))
    d2 <- predict(fit, new, type = "squared")
    q <- exp(-beta / 2 * (d2 - apply(d2, 1, min)))
    expect_equal(predict(fit, new, type = "prob"), q / rowSums(q))
    # the forms of one input agree
    by_dist <- kgroups(dist(x), 3, semimetric = rho, weights = weights, init = fit$cluster)
    if (identical(unname(by_dist$cluster), unname(fit$cluster))) {
      expect_equal(unname(predict(by_dist, type = "prob")), unname(p))
    }
  }
  G <- tcrossprod(scale(x, scale = FALSE))
  by_gram <- kgroups(as_gram(G), 3, init = kgroups(x, 3, semimetric = rho_power(2))$cluster)
  by_points <- kgroups(x, 3, semimetric = rho_power(2), init = by_gram$cluster)
  expect_equal(predict(by_gram, type = "prob"), predict(by_points, type = "prob"), tolerance = 1e-6)
})

test_that("rows sum to 1 and the label is the most probable cluster", {
  set.seed(2)
  x <- three_normals(150, 4, 2)
  sparse <- methods::as(Matrix::Matrix(tcrossprod(round(x, 1)), sparse = TRUE), "CsparseMatrix")
  fits <- list(
    kgroups(x, 3), kgroups(x, 5, semimetric = rho_gaussian()), kgroups(x, 3, semimetric = rho_exponential()),
    kernel_kmeans(x, 4), kgroups(x, 3, weights = rexp(150)), kgroups(dist(x, "manhattan"), 3),
    suppressMessages(kgroups(iris, 3)), kgroups(x, 3, semimetric = rho_function(function(a, b) sum(abs(a - b)))),
    kgroups(x, 1),
    kgroups(sparse, 3), kgroups(x, 20)
  )
  for (fit in fits) {
    p <- predict(fit, type = "prob")
    expect_equal(unname(rowSums(p)), rep(1, 150))
    expect_true(all(p >= 0))
    expect_identical(max.col(p, "first"), unname(fit$cluster))
    if (fit$k > 1L) expect_equal(augment(fit)$.prob, p[cbind(1:150, fit$cluster)])
    expect_identical(names(fit$cluster), rownames(p))
  }
  landmarks <- kgroups(x, 3, approx = nystroem(60))
  new <- three_normals(40, 4, 2)
  for (fit in c(fits[1:5], list(landmarks))) {
    p <- predict(fit, new, type = "prob")
    expect_identical(max.col(p, "first"), unname(predict(fit, new)))
    expect_equal(augment(fit, newdata = new)$.prob, apply(p, 1, max))
  }
  expect_equal(max.col(predict(landmarks, type = "prob")), unname(landmarks$cluster))
})

test_that("a weight is a number of equal rows", {
  set.seed(3)
  x <- three_normals(60)
  w <- sample(1:3, 60, TRUE)
  labels <- kgroups(x, 3, weights = w)$cluster
  fit <- kgroups(x, 3, weights = w, init = labels)
  twice <- kgroups(x[rep(1:60, w), ], 3, init = unname(labels)[rep(1:60, w)])
  skip_if_not(identical(unname(twice$cluster), unname(fit$cluster)[rep(1:60, w)]))
  new <- three_normals(20)
  expect_equal(fit$W, twice$W)
  # the dimension is estimated from pairs of different rows
  beta <- function(fit) probability_rate(fit, kept_problem(fit)) / fitted_dimension(fit, kept_problem(fit))
  expect_equal(beta(fit), beta(twice))
})

test_that("without dispersion probabilities are 0 and 1", {
  fit <- kgroups(rep(c(1, 5), each = 4), 2)
  expect_identical(unname(predict(fit, type = "prob")), cbind(rep(1:0, each = 4), rep(0:1, each = 4)) + 0)
  expect_identical(unname(predict(fit, 2, type = "prob")), cbind(1, 0))
})

test_that("fits without probabilities are refused with the reason", {
  x <- as.matrix(iris[1:4])
  graph <- kgroups(karate(), 2)
  connected <- kgroups(x, 2, semimetric = rho_connected())
  blocks <- kgroups(row_blocks(function(i) x, 1), 2, approx = nystroem(10))
  expect_snapshot(error = TRUE, {
    predict(graph, type = "prob")
    predict(connected, type = "prob")
    predict(blocks, x, type = "prob")
    predict(kgroups(x, 2, keep.data = FALSE), type = "prob")
  })
  expect_false(".prob" %in% names(augment(connected)))
  expect_false(".prob" %in% names(augment(blocks, newdata = x)))
  # rows of which nothing is known, and no rows
  fit <- kgroups(iris[1:4], 3)
  new <- iris[1:3, 1:4]
  new[2, ] <- NA
  expect_identical(unname(is.na(suppressWarnings(predict(fit, new, type = "prob"))[, 1])), c(FALSE, TRUE, FALSE))
  expect_identical(dim(predict(fit, iris[0, 1:4], type = "prob")), c(0L, 3L))
})

test_that("the local exponent is the slope of log rho in log distance", {
  for (semimetric in list(rho_power(0.7), rho_exponential(2), rho_gaussian(2), rho_metric("manhattan", alpha = 0.5))) {
    rho <- function(d) semimetric_matrix(matrix(c(0, d)), semimetric = semimetric)[1, 2]
    slope <- log(rho(1.3 * 1.0001) / rho(1.3 / 1.0001)) / (2 * log(1.0001))
    expect_equal(local_exponent(semimetric, rho(1.3)), slope, tolerance = 1e-6)
  }
})
