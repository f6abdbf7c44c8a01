# A metric learned with the partition.

flowers <- as.matrix(iris[1:4])

learner_for <- function(x, k, w = NULL, semimetric = rho_power(1), lambda = NULL) {
  problem <- as_problem(x, semimetric, w)
  space <- metric_space(problem, k, NULL)
  if (!is.null(lambda)) space$lambda <- lambda
  new_learner(problem, space, new_control(k), NULL)
}

# W of labels in the metric M of whitened coordinates.
metric_W <- function(learner, labels, M) {
  energy_statistics(learner$z %*% inverse_root(M), labels, learner$space$semimetric, learner$problem$w)$W
}

test_that("W of the fit is that of its labels in the metric of its scatter", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3, standardize = "within")
  e <- eigen(fit$scatter, TRUE)
  y <- flowers %*% e$vectors %*% diag(1 / sqrt(e$values))
  expect_equal(fit$W, energy_statistics(y, fit$cluster)$W, tolerance = 1e-8)
  # the determinant is that of the total covariance
  expect_equal(det(fit$scatter), det(cov(flowers) * 149 / 150), tolerance = 1e-8)
})

test_that("labels, W and predictions are the same after an invertible linear map", {
  set.seed(1)
  fit <- kgroups(flowers, 3, standardize = "within")
  for (run in 1:10) {
    set.seed(100 + run)
    A <- matrix(rnorm(16), 4)
    set.seed(1)
    mapped <- suppressMessages(kgroups(flowers %*% A + 10, 3, standardize = "within"))
    expect_identical(mapped$cluster, fit$cluster)
    expect_equal(mapped$W, fit$W, tolerance = 1e-8)
    expect_equal(unname(mapped$scatter), unname(t(A) %*% fit$scatter %*% A), tolerance = 1e-6)
    expect_identical(predict(mapped, flowers %*% A + 10), predict(fit, flowers))
  }
})

# One step by its definition: the slope `u` of distances in the metric of M, pairs of rows that count.
step_of <- function(x, rest, w, z, M, u, lambda, count = seq_len(nrow(x))) {
  y <- cbind(x %*% inverse_root(M), rest)
  S <- matrix(0, ncol(x), ncol(x))
  for (a in count) {
    for (b in count) {
      if (a == b || z[a] != z[b]) next
      D <- x[a, ] - x[b, ]
      s <- sum(w[intersect(count, which(z == z[a]))])
      S <- S + w[a] * w[b] / s * u(sqrt(sum((y[a, ] - y[b, ])^2))) * outer(D, D)
    }
  }
  unit_scatter(S, lambda)
}

test_that("a step of the pairwise scatter is its definition", {
  set.seed(2)
  x <- matrix(rnorm(60), 20)
  w <- c(0, runif(19))
  z <- rep(1:2, 10)
  M <- unit_scatter(crossprod(matrix(rnorm(30), 10)), 0)
  slope <- list(
    rho_power(1), rho_power(1.4), rho_power(2), rho_exponential(1.3), rho_gaussian(0.7)
  )
  weight <- list(
    function(d) 1 / d, function(d) d^-0.6, function(d) 1, function(d) exp(-d / 2.6) / d, function(d) exp(-d^2 / 0.98)
  )
  for (i in seq_along(slope)) {
    for (rest in list(x[, 0L], cbind(rnorm(20)))) {
      order <- sample(20L)
      points <- scatter_points(x, rest, w, slope[[i]], order, 6)
      counts <- unlist(lapply(1:2, function(l) utils::head(order[z[order] == l & w[order] > 0], 6L)))
      found <- .Call(ffi_scatter_steps, points, z, 2, M, scatter_settings(0.2, 1))
      expect_equal(found, step_of(x, rest, w, z, M, weight[[i]], 0.2, counts), tolerance = 1e-10)
    }
  }
})

test_that("the scatter of the closest pairs is its definition", {
  set.seed(12)
  x <- matrix(rnorm(90), 30)
  x[2, ] <- x[1, ]
  pair <- which(lower.tri(diag(30)), arr.ind = TRUE)
  for (w in list(rep(2, 30), runif(30))) {
    M <- diag(3)
    for (round in seq_len(metric_defaults$close$rounds)) {
      d <- as.vector(dist(x %*% inverse_root(M)))
      product <- (w[pair[, 1L]] * w[pair[, 2L]])[d > 1e-9]
      order <- order(d[d > 1e-9])
      share <- cumsum(product[order]) / sum(product)
      cut <- d[d > 1e-9][order][which(share >= metric_defaults$close$share - 1e-12)[1L]]
      M <- step_of(x, x[, 0L], w, rep(1L, 30), M, function(d) as.numeric(d > 1e-9 && d <= cut * (1 + 1e-12)), 0)
    }
    expect_equal(close_pairs(x, w), M, tolerance = 1e-9)
  }
  expect_identical(close_pairs(matrix(1, 5, 2), rep(1, 5)), diag(2))
})

test_that("scatter steps do not raise W, and end at the least W over scatters", {
  set.seed(3)
  x <- matrix(rnorm(120), 40) %*% matrix(rnorm(9), 3)
  z <- rep(1:2, 20)
  for (semimetric in list(rho_power(1), rho_power(0.6), rho_exponential(1), rho_gaussian(1.5))) {
    learner <- learner_for(x, 2, semimetric = semimetric, lambda = 0)
    M <- diag(3)
    W <- metric_W(learner, z, M)
    for (step in 1:40) {
      M <- scatter_steps(learner, z, M, 1L)
      W <- c(W, metric_W(learner, z, M))
    }
    expect_lt(max(diff(W)), 1e-9 * W[1L])
    # against a numerical optimiser over Cholesky factors
    objective <- function(par) {
      L <- matrix(0, 3, 3)
      L[lower.tri(L, TRUE)] <- par
      M <- tcrossprod(L)
      metric_W(learner, z, M / det(M)^(1 / 3))
    }
    best <- optim(diag(3)[lower.tri(diag(3), TRUE)], objective, method = "BFGS", control = list(reltol = 1e-12))
    expect_equal(W[length(W)], best$value, tolerance = 1e-5)
  }
})

test_that("squared distances give the determinant criterion of Friedman and Rubin", {
  learner <- learner_for(flowers, 3, semimetric = rho_power(2), lambda = 0)
  z <- as.integer(iris$Species)
  M <- scatter_steps(learner, z, diag(4), 1L)
  within <- Reduce(`+`, lapply(split(as.data.frame(learner$z), z), function(y) crossprod(scale(y, scale = FALSE))))
  expect_equal(M, unname(within / det(within)^(1 / 4)), tolerance = 1e-8)
  expect_equal(metric_W(learner, z, M), 4 * det(within)^(1 / 4), tolerance = 1e-8)
})

test_that("no partition of few points has a lower W in its own best metric", {
  set.seed(4)
  x <- rbind(matrix(rnorm(12), 6), cbind(rnorm(6), 4 + rnorm(6)))[, 1:2] %*% matrix(c(1, 0.9, 0, 0.3), 2)
  fit <- kgroups(x, 2, standardize = "within")
  learner <- learner_for(x, 2)
  least <- Inf
  for (code in third(seq_len(2^11 - 1), 1)) {
    z <- as.integer(c(0L, bitwAnd(code, 2^(0:10)) > 0)) + 1L
    if (min(tabulate(z, 2)) < 3) next
    least <- min(least, metric_W(learner, z, scatter_steps(learner, z, diag(2), 4L)))
  }
  found <- metric_W(learner, fit$cluster, scatter_steps(learner, fit$cluster, diag(2), 4L))
  expect_lte(found, least * 1.001)
})

test_that("whole weights are repeated rows, and rows of weight 0 are absent", {
  set.seed(5)
  w <- sample(0:2, 150, TRUE)
  z <- as.integer(iris$Species)
  whole <- learner_for(flowers, 3, w)
  repeated <- learner_for(flowers[rep(1:150, w), ], 3)
  S <- function(learner, z) scatter_in_units(
    learner$problem$blueprint, learner$space, scatter_steps(learner, z, diag(4), 3L)
  )
  expect_equal(whole$space$lambda, repeated$space$lambda)
  expect_equal(S(whole, z), S(repeated, z[rep(1:150, w)]), tolerance = 1e-8)
  set.seed(1)
  fit <- kgroups(rbind(flowers, 1e3), 3, weights = rep(1:0, c(150, 1)), standardize = "within")
  set.seed(1)
  expect_equal(fit$W, kgroups(flowers, 3, standardize = "within")$W, tolerance = 1e-6)
})

test_that("collinear and constant columns, equal rows, few rows and one cluster are clustered", {
  set.seed(6)
  fit <- kgroups(flowers, 3, standardize = "within")
  set.seed(6)
  more <- kgroups(cbind(flowers, sum = rowSums(flowers)), 3, standardize = "within")
  expect_equal(compare_clusters(fit$cluster, more$cluster), 1)
  expect_equal(more$W, fit$W, tolerance = 1e-5)
  expect_identical(kgroups(cbind(1, flowers), 3, standardize = "within")$blueprint$left_out, "1 (constant)")
  expect_s3_class(kgroups(flowers[rep(48:54, 20), ], 3, standardize = "within"), "kgroups_fit")
  few <- kgroups(matrix(rnorm(40), 4), 2, standardize = "within")
  expect_length(few$cluster, 4)
  one <- kgroups(flowers, 1, standardize = "within")
  expect_equal(dim(one$scatter), c(4L, 4L))
  expect_lt(one$W, kgroups(flowers %*% solve(chol(cov(flowers) * 149 / 150)), 1)$W)
  expect_equal(kgroups(flowers[, 1], 2, standardize = "within")$sizes, kgroups(flowers[, 1], 2)$sizes)
})

test_that("as many clusters as different rows have W = 0", {
  set.seed(1)
  x <- as.matrix(iris[c(1, 60, 120), 1:4])
  for (standardize in c("within", "TRUE")) {
    fit <- kgroups(x[rep(1:3, 20), ], 3, standardize = if (standardize == "within") "within" else TRUE)
    expect_identical(unname(fit$cluster), rep(1:3, 20))
    expect_equal(fit$W, 0)
    expect_true(all(fit$objectives >= 0))
    expect_output(print(summary(fit)), "sizes 20, 20, 20")
  }
  mixture <- kgroups_mixture(x[rep(1:3, 20), ], 3)
  expect_null(mixture$mixture)
  expect_output(print(mixture), "Form: within")
})

test_that("every variant and kind of table has its metric", {
  d <- iris[1:4]
  d$Sepal.Length[7] <- NA
  d$kind <- rep(c("a", "b"), 75)
  quietly <- function(...) suppressMessages(kgroups(..., standardize = "within"))
  set.seed(7)
  fits <- list(
    mixed = quietly(d, 3), formula = quietly(~., 3, data = iris[1:4]), trimmed = quietly(flowers, 3, trim = 0.05),
    sized = quietly(flowers, 3, sizes = "equal"),
    landmarks = quietly(flowers, 3, approx = nystroem(40)), labels = quietly(flowers, 3, init = iris$Species),
    named = quietly(flowers, 3, init = "kmeans++"), gaussian = quietly(flowers, 3, semimetric = rho_gaussian())
  )
  for (kind in names(fits)) {
    fit <- fits[[kind]]
    expect_gt(compare_clusters(fit$cluster, iris$Species), if (kind == "mixed") 0.3 else 0.7, label = kind)
    expect_s3_class(fit, "kgroups_metric_fit")
    expect_identical(dim(fit$scatter), c(4L, 4L))
    if (!kind %in% "trimmed") expect_identical(predict(fit, suppressMessages(fit$data)), fit$cluster)
  }
})

test_that("new rows, samples and choices are in the metric", {
  set.seed(8)
  odd <- seq(1, 150, 2)
  fit <- kgroups(iris[odd, 1:4], 3, standardize = "within")
  expect_gt(compare_clusters(predict(fit, iris[-odd, 1:4]), iris$Species[-odd]), 0.65)
  points <- as_points(iris[-odd, 1:4], like = fit$blueprint)
  expect_equal(colnames(points), paste0("LD", 1:4))
  expect_identical(unname(predict(fit, points)), unname(predict(fit, iris[-odd, 1:4])))
  expect_equal(rowSums(predict(fit, iris[-odd, 1:4], type = "prob")), rep(1, 75), ignore_attr = TRUE)
  expect_gt(min(stability(fit, 10)$clusters$jaccard), 0.7) # three samples are too few
  set.seed(8)
  choice <- select_k(iris[1:4], 2:4, criterion = "elbow", standardize = "within")
  expect_equal(nrow(choice$table), 3)
})

test_that("input without columns of numbers, and other metrics, are refused", {
  refused <- function(...) expect_error(kgroups(..., 3, standardize = "within"), class = "kg_error_input")
  refused(dist(flowers))
  refused(as_gram(tcrossprod(flowers)))
  refused(data.frame(a = gl(2, 6), b = gl(3, 1, 12)))
  expect_error(
    kgroups(flowers, 3, semimetric = rho_metric("manhattan"), standardize = "within"),
    class = "kg_error_standardize"
  )
  expect_error(
    kgroups(flowers, 3, semimetric = rho_connected(), standardize = "within"), class = "kg_error_standardize"
  )
})

test_that("blocks have the metric of the sampled rows", {
  set.seed(9)
  fit <- suppressMessages(kgroups(
    row_blocks(function(i) flowers[seq(i, 150, 3), ], 3), 3, approx = nystroem(40), standardize = "within"
  ))
  expect_gt(compare_clusters(fit$cluster, iris$Species[c(seq(1, 150, 3), seq(2, 150, 3), seq(3, 150, 3))]), 0.7)
  expect_identical(dim(fit$scatter), c(4L, 4L))
  expect_s3_class(fit, "kgroups_metric_fit")
  expect_gt(mean(predict(fit, flowers[seq(1, 150, 3), ]) == fit$cluster[1:50]), 0.97)
})

test_that("a fit can be saved, described and plotted", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3, standardize = "within")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), iris[1:5, 1:4]), predict(fit, iris[1:5, 1:4]))
  expect_s3_class(describe_clusters(fit, iris[1:4]), "kgroups_description")
  expect_match(paste(capture.output(print(fit)), collapse = " "), "Metric: learned from the clusters")
  expect_error(kgroups(iris[1:4], 3, standardize = "each"), class = "kg_error_standardize")
  expect_true(all(c(names(iris)[1:4], ".cluster", ".prob") %in% names(augment(fit, iris[1:4]))))
})

test_that("round clusters in many columns are found from few rows", {
  for (seed in 1:3) {
    set.seed(seed)
    truth <- rep_len(1:3, 90)
    x <- matrix(rnorm(900), 90)
    x[, 1] <- x[, 1] + c(0, 4, 0)[truth]
    x[, 2] <- x[, 2] + c(0, 0, 4)[truth]
    x <- x %*% qr.Q(qr(matrix(rnorm(100), 10)))
    fit <- kgroups(x, 3, standardize = "within")
    expect_lte(fit$W, kgroups(x, 3, standardize = "within", init = truth)$W * 1.002)
    expect_gt(compare_clusters(truth, fit$cluster), 0.6)
  }
})

test_that("too few rows to learn a metric are reported, and clustered as with standard deviations", {
  set.seed(1)
  few <- iris[seq(1, 150, 8), 1:4]
  expect_message(
    fit <- kgroups(few, 3, standardize = "within"), "19, but 4 columns and 3 clusters need 36",
    class = "kg_message_few_rows"
  )
  plain <- kgroups(few, 3, standardize = TRUE)
  expect_identical(fit[c("cluster", "W", "centers")], plain[c("cluster", "W", "centers")])
  expect_identical(predict(fit, iris[1:9, 1:4]), predict(plain, iris[1:9, 1:4]))
  expect_equal(cov2cor(fit$scatter), diag(4), ignore_attr = TRUE)
  text <- format(fit)
  expect_false(any(grepl("metric of the fit", text)))
  expect_match(text, "Metric: columns of standard deviation 1, from too few rows to learn one", all = FALSE)
  # also for points, whose columns have other standard deviations
  expect_message(fit <- kgroups(as_points(few), 3, standardize = "within"), class = "kg_message_few_rows")
  expect_identical(fit$cluster, plain$cluster)
  expect_no_message(kgroups(iris[1:4], 3, standardize = "within"))
  expect_no_message(stability(kgroups(few, 3, standardize = TRUE), 2))
})

test_that("select_k() compares numbers of clusters in metrics of one kind", {
  set.seed(11)
  h <- iris[sort(sample(150, 75)), 1:4]
  choose <- function(x, ...) select_k(x, ..., standardize = "within", one_cluster = FALSE, splits = 2)
  # up to six clusters of 75 rows in four columns have a metric, and the elbow ratio of five needs six
  for (ks in list(1:7, 5:8)) {
    expect_message(chosen <- choose(h, ks), "above 5", class = "kg_message_few_rows")
    expect_identical(chosen$table$k, as.integer(ks[ks <= 5]))
    expect_true(all(is.finite(chosen$table$elbow[chosen$table$k > 1])))
  }
  expect_message(chosen <- choose(h, 5:8, "stability"), "above 6", class = "kg_message_few_rows")
  expect_false(anyNA(chosen$table$stability))
  expect_no_message(choose(h, 2:5), class = "kg_message_few_rows")
  # no two numbers to compare: all without a metric
  few <- h[1:20, ]
  expect_message(chosen <- withr::with_seed(1, choose(few, 1:4)), class = "kg_message_few_rows")
  expect_equal(
    chosen$table$W, withr::with_seed(1, select_k(few, 1:4, standardize = TRUE, one_cluster = FALSE, splits = 2))$table$W
  )
})

test_that("halves are clustered in the metric of all rows", {
  set.seed(12)
  chosen <- select_k(iris[1:4], 2:8, standardize = "within", one_cluster = FALSE, splits = 6)
  # halves of 75 rows have no metric of their own for seven clusters
  expect_gt(sum(chosen$half_choices[c("2", "3")]), 6)
  fit <- kgroups(iris[1:4], 3, standardize = "within")
  problem <- as_problem(as.matrix(iris[1:4]))
  half <- draw_halves(problem, 1)[[1]]
  found <- compare_halves(half, problem, 3L, 3L, views = list(kept_problem(fit)))
  points <- as_points(iris[1:4], like = fit$blueprint)
  expect_equal(found$W[1], kgroups(points[half[[1]], ], 3)$W, tolerance = 1e-6)
})

test_that("the test of one cluster learns a metric from each half", {
  skip_if_not_installed("MASS")
  set.seed(1)
  crabs <- as_problem(as.matrix(MASS::crabs[4:8]))
  expect_gt(one_cluster_p(crabs), 0.5)
  expect_lt(one_cluster_p(crabs, new_control(metric = TRUE)), 0.2)
  cloud <- matrix(rnorm(400), 100) %*% matrix(rnorm(16), 4)
  expect_gt(one_cluster_p(as_problem(cloud), new_control(metric = TRUE)), 0.05)
})

test_that("the evaluations of a fit are those of all its searches", {
  spent <- 0
  searches <- solve_in_metric
  counted <- function(...) {
    out <- searches(...)
    spent <<- spent + sum(out$evaluations)
    out
  }
  for (nstart in list(NULL, 1, 3)) {
    spent <- 0
    fit <- with_replaced("solve_in_metric", counted, kgroups(iris[1:4], 3, standardize = "within", nstart = nstart))
    expect_equal(fit$search$evaluations, spent)
  }
})

test_that("the search of a learned metric is reported", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3, standardize = "within")
  expect_identical(fit$search$members, length(fit$objectives))
  expect_equal(min(fit$objectives), fit$W)
  expect_equal(unname(fit$objectives[fit$best_start]), fit$W)
  expect_equal(fit$search$levels, 150)
  expect_gt(fit$search$evaluations, 0)
  advice <- summary(fit)$advice
  expect_match(
    advice,
    sprintf("%d of %d candidate partitions of the search attained the least W", fit$search$attained, fit$search$members),
    all = FALSE
  )
  more <- kgroups(iris[1:4], 3, standardize = "within", effort = 2)
  expect_gt(more$search$members, fit$search$members)
  expect_null(kgroups(iris[1:4], 3, standardize = "within", init = iris$Species)$search)
  # the metric of many rows is that of a sample
  x <- matrix(rnorm(5000), 2500) + 4 * rep(1:2, 1250)
  expect_equal(kgroups(x, 2, standardize = "within")$search$levels, c(2000, 2500))
})

test_that("whitening has the total covariance of wide, tall and dependent columns", {
  set.seed(61)
  tall <- matrix(rnorm(300), 30)
  tables <- list(
    wide = matrix(rnorm(300), 10), tall = tall, dependent = cbind(tall, tall %*% matrix(rnorm(400), 10)),
    constant = cbind(tall[1:8, ], 1)
  )
  for (x in tables) {
    w <- runif(nrow(x))
    share <- w / sum(w)
    space <- whitening(scaled_columns(x, w))
    centred <- x - rep(colSums(share * x), each = nrow(x))
    total <- crossprod(centred, share * centred)
    expect_identical(space$rank, qr(centred)$rank)
    y <- centred %*% space$map
    expect_equal(crossprod(y, share * y), diag(space$rank), tolerance = 1e-8)
    expect_equal(crossprod(space$back), total, tolerance = 1e-7)
  }
})

test_that("a table of more columns than rows is refused by its shape: no work of p^3", {
  set.seed(1)
  x <- matrix(rnorm(20 * 1000), 20)
  small <- function(A) if (nrow(A) > 100L) stop("p x p") else eigen(A, TRUE)
  fit <- with_replaced("symmetric_eigen", small, withr::with_seed(2, quietly(kgroups(x, 4, standardize = "within"))))
  expect_match(input_text(fit), "standard deviation 1", all = FALSE)
  expect_length(fit[["scatter"]], 1000L)
  expect_identical(fit$cluster, withr::with_seed(2, kgroups(x, 4, standardize = TRUE))$cluster)
  # rows that are copies leave a rank at which there is one
  few <- x[1:3, ][rep(1:3, each = 20), ] + 1e-3 * outer(rnorm(60), rnorm(1000))
  expect_identical(ncol(kgroups(few, 3, standardize = "within")$scatter), 1000L)
})

test_that("the shape of a large table decides whether rows are too few", {
  set.seed(1)
  x <- matrix(rnorm(60 * 12), 60)
  problem <- as_problem(x, rho_power(1))
  by_rank <- lapply(c(1, 2, 5), function(k) total_space(problem, k))
  by_shape <- with_replaced("metric_defaults", replace(metric_defaults, "counted", 5L), {
    lapply(c(1, 2, 5), function(k) total_space(problem, k))
  })
  both <- c("center", "sd", "rank", "count", "numbers")
  for (at in 1:3) expect_equal(by_shape[[at]][both], by_rank[[at]][both])
  expect_identical(lengths(lapply(by_shape, `[[`, "map")), c(144L, 0L, 0L))
})

test_that("the scatter has its shape in units whose squares are no doubles", {
  set.seed(1)
  x <- matrix(rnorm(90), 30)
  shape <- cov2cor(kgroups(x, 2, standardize = "within")$scatter)
  for (unit in c(2^-700, 2^530)) {
    set.seed(1)
    scatter <- kgroups(x * unit, 2, standardize = "within")$scatter
    expect_true(all(is.finite(scatter)) && all(diag(scatter) > 0))
    expect_equal(cov2cor(scatter), shape, tolerance = 1e-4)
  }
})

test_that("the scatter is the one of least objective for the labels, whatever the start and the unit of weights", {
  for (seed in c(101007, 101010, 102003, 103008)) {
    set.seed(seed)
    x <- matrix(rnorm(80), 40) + rep(c(0, runif(1, 1, 4)), each = 20)
    w <- rexp(40) + 0.1
    fits <- lapply(list(w, w / 7, 3e4 * w), function(w) {
      set.seed(1)
      kgroups(x, 2, weights = w, standardize = "within")
    })
    fits[[4]] <- kgroups(x, 2, weights = w, standardize = "within", init = fits[[1]]$cluster)
    for (fit in fits[-1]) {
      expect_identical(fit$cluster, fits[[1]]$cluster)
      expect_equal(fit$scatter, fits[[1]]$scatter, tolerance = 1e-7)
      expect_equal(predict(fit, type = "prob"), predict(fits[[1]], type = "prob"), tolerance = 1e-6)
    }
  }
})

test_that("labels to start from are those of the rows that the metric is learned from, above 2000 rows", {
  for (n in c(2600, 4000)) {
    set.seed(1)
    x <- matrix(rnorm(4 * n), n)
    z <- rep(1:5, length.out = n)
    for (j in 1:4) x[z == j, j] <- x[z == j, j] + 6
    fit <- kgroups(x, 5, init = z, standardize = "within")
    expect_gt(compare_clusters(z, fit), 0.99)
    expect_gt(compare_clusters(z, kgroups_mixture(x, 5, init = z)), 0.99)
    # a cluster without a row among those learned from
    rare <- replace(rep(1:4, length.out = n), 7, 5L)
    expect_equal(kgroups(x, 5, init = rare, standardize = "within")$W, fit$W, tolerance = 1e-3)
    expect_gt(compare_clusters(z, kgroups(x, 5, init = z, standardize = "within", sizes = c(100, n))), 0.99)
  }
})
