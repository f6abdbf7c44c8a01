test_that("squared distances are those of the feature space, for every input", {
  set.seed(1)
  x <- matrix(rnorm(60), 30)
  y <- matrix(rnorm(14), 7)
  w <- rexp(30)
  init <- rep(1:3, 10)
  for (semimetric in test_semimetrics()) {
    both <- rbind(x, y)
    P <- reference_rho(both, semimetric = semimetric)
    # not all of them are of negative type, which is reported
    fit <- suppressWarnings(kgroups(x, 3, semimetric = semimetric, weights = w, init = init))
    right <- reference_d2(P, c(fit$cluster, rep(4, 7)), c(w, rep(0, 7)), 3)
    size <- max(abs(P))
    expect_lt(max(abs(predict(fit, y, type = "squared") - right[31:37, ])), 1e-12 * size)
    expect_lt(max(abs(predict(fit, type = "squared") - right[1:30, ])), 1e-12 * size)
    expect_equal(
      predict(fit, y, type = "distance"), sqrt(pmax(right[31:37, ], 0)),
      ignore_attr = TRUE, tolerance = 1e-6
    )
    expect_identical(unname(predict(fit, y)), max.col(-right[31:37, ], "first"))

    by_dist <- suppressWarnings(kgroups(dist(x), 3, semimetric = semimetric, weights = w, init = init))
    d <- as.matrix(dist(both))[31:37, 1:30]
    expect_lt(max(abs(predict(by_dist, d, type = "squared") - right[31:37, ])), 1e-12 * size)

    G <- unclass(semimetric_matrix(both, semimetric = semimetric, x0 = c(1, 1), type = "gram"))
    by_gram <- suppressWarnings(kgroups(as_gram(G[1:30, 1:30]), 3, weights = w, init = init))
    cross <- G[31:37, 1:30]
    self <- diag(G)[31:37]
    expect_lt(max(abs(predict(by_gram, cross, type = "squared", diag = self) - right[31:37, ])), 1e-11 * size)
    expect_identical(unname(predict(by_gram, cross)), max.col(-right[31:37, ], "first"))
  }
})

test_that("the training data come back with the fit's own labels", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  x <- x + matrix(1e-6 * seq_len(600), 150) # no ties
  for (semimetric in list(rho_power(1), rho_power(0.5), rho_exponential(), rho_gaussian())) {
    fit <- kgroups(x, 4, semimetric = semimetric)
    expect_identical(unname(predict(fit, x)), unname(fit$cluster))
    expect_identical(predict(fit), fit$cluster)
  }
  fit <- kgroups(dist(x), 4)
  expect_identical(unname(predict(fit, as.matrix(dist(x)))), unname(fit$cluster))
  fit <- kgroups(semimetric_matrix(x, type = "gram"), 4)
  expect_identical(unname(predict(fit, unclass(semimetric_matrix(x, type = "gram")))), unname(fit$cluster))
})

test_that("data frames are matched by column names, functions of the user's work", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  expect_identical(predict(fit, iris[7:9, c(4, 2, 1, 3)]), predict(fit, iris[7:9, 1:4]))
  expect_named(predict(fit, data.frame(iris[1:4], row.names = paste0("r", 1:150))[3:4, ]), c("r3", "r4"))
  own <- kgroups(iris[1:4], 3, semimetric = rho_function(function(x, y) sqrt(sum((x - y)^2))), init = fit$cluster)
  expect_identical(own$cluster, fit$cluster)
  expect_equal(
    predict(own, iris[1:5, 1:4], type = "squared"), predict(fit, iris[1:5, 1:4], type = "squared")
  )
  one <- kgroups(c(1, 2, 9, 10), 2, init = "random")
  expect_length(predict(one, c(0, 11, 12)), 3)
  expect_identical(dim(predict(one, 5, type = "distance")), c(1L, 2L))
})

test_that("wrong new data are refused", {
  set.seed(1)
  points <- kgroups(iris[1:4], 3)
  by_dist <- kgroups(dist(iris[1:4]), 3)
  by_gram <- kgroups(as_gram(tcrossprod(as.matrix(iris[1:4]))), 3)
  bare <- kgroups(iris[1:4], 3, keep.data = FALSE)
  expect_snapshot(error = TRUE, {
    predict(points, iris[1:3])
    predict(points, matrix(NA_real_, 2, 4))
    predict(points, iris[1:4], type = "labels")
    predict(points, iris[1:4], diag = 1:150)
    predict(by_dist, matrix(0, 2, 4))
    predict(by_dist, matrix(-1, 2, 150))
    predict(by_gram, matrix(0, 2, 150), type = "distance")
    predict(bare, iris[1:4])
  })
  expect_identical(predict(bare), bare$cluster)
})

test_that("a table of predictions is the labels", {
  odd <- seq(1, 150, by = 2)
  fit <- kgroups(iris[odd, 1:4], 3)
  new <- predict(fit, iris[-odd, ], type = "cluster")
  expect_named(new, ".pred_cluster")
  expect_identical(as.integer(new$.pred_cluster), unname(predict(fit, iris[-odd, ])))
  expect_identical(levels(new$.pred_cluster), paste0("Cluster_", 1:3))
  expect_identical(as.integer(predict(fit, type = "cluster")$.pred_cluster), unname(fit$cluster))
  # an observation of which nothing is known
  unknown <- iris[1:2, 1:4]
  unknown[1, ] <- NA
  expect_identical(is.na(suppressWarnings(predict(fit, unknown, type = "cluster"))$.pred_cluster), c(TRUE, FALSE))
})

test_that("labels of many new rows, found in strips, are those of the least distances", {
  skip_on_cran()
  set.seed(29)
  x <- matrix(rnorm(800), 400)
  fit <- suppressWarnings(kgroups(x, 300, init = rep_len(1:300, 400), iter.max = 1))
  new <- matrix(rnorm(70004), 35002, dimnames = list(paste0("r", 1:35002), NULL))
  label <- predict(fit, new)
  expect_identical(names(label), rownames(new))
  some <- c(1:40, 33300:33400, 35000:35002)
  expect_identical(label[some], predict(fit, new[some, ]))
})

test_that("new data without rows give predictions without rows, for every input", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  fits <- list(
    list(kgroups(iris[1:4], 3), iris[0, 1:4]), list(kgroups(iris, 3), iris[0, ]), list(kgroups(x, 3), x[0, ]),
    list(kgroups(dist(x), 3), as.matrix(dist(x))[0, ]), list(kgroups(as_gram(tcrossprod(x)), 3), tcrossprod(x)[0, ]),
    list(kgroups(x, 3, approx = nystroem(9)), x[0, ]), list(kgroups(x, 3, semimetric = rho_connected()), x[0, ])
  )
  for (one in fits) {
    expect_identical(length(predict(one[[1]], one[[2]])), 0L)
    expect_type(predict(one[[1]], one[[2]]), "integer")
    expect_identical(dim(predict(one[[1]], one[[2]], type = "distance")), c(0L, 3L))
    expect_identical(dim(predict(one[[1]], one[[2]], type = "cluster")), c(0L, 1L))
    expect_identical(nrow(augment(one[[1]], newdata = one[[2]])), 0L)
  }
})

test_that("newdata = NULL is the same as no newdata, for every input", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  for (fit in list(
    kgroups(x, 3), kgroups(dist(x), 3), kgroups(karate(), 3, vertex_weights = "unit"), kgroups(karate(), 2),
    suppressWarnings(kgroups(x, 3, init = "random", iter.max = 1))
  )) {
    expect_identical(predict(fit, NULL), predict(fit))
    expect_identical(predict(fit, newdata = NULL, type = "cluster"), predict(fit, type = "cluster"))
  }
})

test_that("labels of many new points by bounds are those of the exact distances", {
  set.seed(4)
  x <- rbind(matrix(rnorm(600), 200), matrix(rnorm(600, 2), 200), matrix(rnorm(600, 1, 3), 200))
  y <- rbind(x[c(1:60, 401:440), ], matrix(rnorm(900, 1, 2), 300), matrix(1e3 * rnorm(30), 10))
  w <- rep_len(c(1, 0, 2.5), 600)
  fits <- lapply(c(test_semimetrics(), list(rho_metric("manhattan"), rho_metric("canberra"))), function(semimetric) {
    suppressWarnings(suppressMessages(kgroups(x, 3, semimetric = semimetric, weights = w, init = rep(1:3, each = 200))))
  })
  fits <- c(fits, list(
    kgroups(x, 3, trim = 0.1), kgroups(x * 1e200, 3),
    kgroups(data.frame(x, kind = rep_len(letters[1:4], 600)), 3, init = rep(1:3, each = 200))
  ))
  news <- c(rep(list(y), length(fits) - 2), list(y * 1e200, data.frame(y, kind = rep_len(letters[4:1], nrow(y)))))
  exact <- Map(predict, fits, news)
  bounds <- bound_defaults
  for (landmarks in c(2, 40)) {
    bounds[c("landmarks", "pairs", "rows")] <- list(landmarks, 0, 1)
    with_replaced("bound_defaults", bounds, expect_identical(Map(predict, fits, news), exact))
  }
  # the bounds decide most points, and ties go to the lowest label
  fit <- fits[[1L]]
  points <- kept_data(fit)
  possible <- possible_means(mean_bounds(points$problem, unname(fit$cluster), points, NULL), points$problem, y, NULL)
  expect_gt(mean(rowSums(possible) == 1), 0.5)
  even <- kgroups(cbind(c(-3, -2, 2, 3), 0), 2)
  expect_identical(unname(predict(even, cbind(rep(0, 3), 0:2))), rep(1L, 3))
})

test_that("new values in another unit than the data are converted, or refused", {
  set.seed(8)
  z <- c(1:15, 101:115) + runif(30)
  hours <- as.difftime(z, units = "hours")
  minutes <- as.difftime(60 * z, units = "mins")
  day <- as.Date("2024-01-01") + round(z)
  fits <- list(
    function(x) kgroups(x, 2), function(x) kgroups(x, 2, standardize = TRUE),
    function(x) kgroups(x, 2, approx = nystroem(10)),
    function(x) kgroups(data.frame(x), 2)
  )
  whole <- rep(1:2, each = 15)
  relabelled <- function(x) match(x, unique(x))
  for (make in fits) {
    fit <- suppressWarnings(make(hours))
    as_given <- if (length(fit$blueprint$names)) function(x) data.frame(x) else identity
    expect_identical(relabelled(unname(predict(fit, as_given(minutes)))), whole)
    expect_error(predict(fit, as_given(day)), class = "kg_error_newdata")
    of_days <- suppressWarnings(make(day))
    expect_identical(relabelled(unname(predict(of_days, as_given(day)))), whole)
    expect_error(predict(of_days, as_given(as.POSIXct(day))), class = "kg_error_newdata")
    expect_error(predict(of_days, as_given(hours)), class = "kg_error_newdata")
  }
  expect_identical(kgroups(minutes, 2, init = kgroups(hours[7:24], 2))$W, kgroups(minutes, 2)$W)
  blueprint <- kgroups(hours, 2)$blueprint
  expect_equal(as_points(minutes, like = blueprint), as_points(hours, like = blueprint))
  expect_error(as_points(day, like = blueprint), class = "kg_error_x")
  # numbers have the unit of the data
  expect_identical(predict(seeded(kgroups(day, 2)), as.numeric(day)), predict(seeded(kgroups(day, 2)), day))
})

test_that("new rows that are farther from all clusters than the data are named", {
  fit <- kgroups(scale(iris[1:4]), 3)
  rlang::local_options(rlib_message_verbosity = "verbose")
  expect_message(predict(fit, iris[1:4]), "150 of 150 new rows", class = "kg_message_far_rows")
  expect_message(predict(fit, iris[1:20, 1:4], type = "distance"), "20 of 20", class = "kg_message_far_rows")
  expect_no_message(predict(fit, scale(iris[1:4])))
  expect_no_message(predict(fit, scale(iris[1:4])[1:10, ] + 0.3))
  expect_no_message(predict(kgroups(iris[1:100, 1:4], 2), iris[101:150, 1:4]))
  expect_no_message(predict(kgroups(dist(iris[1:4]), 2), as.matrix(dist(iris[1:4])) + 100))
  error <- expect_error(cutree(fit, 2), class = "kg_error_fit")
  expect_match(conditionMessage(error), "kgroups_tree", fixed = TRUE)
})

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
  expect_identical(unname(twice$cluster), unname(fit$cluster)[rep(1:60, w)])
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
  set.seed(1)
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
