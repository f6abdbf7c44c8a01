own_shapes <- function(n = 90, seed = 1) {
  set.seed(seed)
  truth <- rep(1:3, each = n / 3)
  shapes <- list(diag(c(3, 0.3)), diag(c(0.3, 3)), diag(2))
  x <- t(vapply(truth, function(l) as.vector(shapes[[l]] %*% rnorm(2)) + 4 * c(l, l %% 2), numeric(2)))
  list(x = data.frame(a = x[, 1], b = x[, 2]), truth = truth)
}

test_that("clusters of unequal shapes are found, and the result is a fit with a mixture", {
  set.seed(1)
  o <- own_shapes(300)
  fit <- kgroups_mixture(o$x, 3)
  expect_s3_class(fit, c("kgroups_mixture", "kgroups_metric_fit", "kgroups_fit"), exact = TRUE)
  expect_identical(fit$form, "own")
  expect_gt(
    compare_clusters(o$truth, fit$cluster),
    compare_clusters(o$truth, kgroups(o$x, 3, standardize = "within")$cluster) + 0.05
  )
  expect_equal(rowSums(fit$probabilities), rep(1, 300), ignore_attr = TRUE)
  expect_identical(max.col(fit$probabilities, "first"), unname(fit$cluster))
  expect_equal(sum(fit$shares), 1)
  expect_true(all(fit$bic[["own"]] <= fit$bic))
})

test_that("means and scatters are in the units of the columns", {
  o <- own_shapes(300)
  set.seed(1)
  fit <- kgroups_mixture(o$x, 3)
  P <- fit$probabilities
  means <- crossprod(P, as.matrix(o$x)) / colSums(P)
  expect_equal(fit$means, means, tolerance = 0.1, ignore_attr = TRUE)
  expect_identical(dimnames(fit$scatters)[1:2], list(c("a", "b"), c("a", "b")))
  density <- sapply(1:3, function(l) {
    q <- mahalanobis(o$x, fit$means[l, ], fit$scatters[, , l])
    log(fit$shares[l]) - determinant(fit$scatters[, , l])$modulus / 2 - (fit$nu + 2) / 2 * log1p(q / fit$nu)
  })
  density <- exp(density - apply(density, 1, max))
  expect_equal(unname(P), unname(density / rowSums(density)), tolerance = 1e-6)
})

test_that("the log likelihood is that of the density of the columns, for every k and any units", {
  set.seed(1)
  o <- own_shapes(150)
  for (x in list(o$x, transform(o$x, a = 1e6 * a + 5, b = b / 1e6), as.matrix(o$x), o$x[1])) {
    x <- as.matrix(x)
    d <- ncol(x)
    for (k in 1:3) {
      fit <- kgroups_mixture(x, k)
      density <- matrix(vapply(seq_len(k), function(l) {
        S <- matrix(fit$scatters[, , l], d)
        q <- mahalanobis(x, fit$means[l, ], S, tol = 0)
        log(fit$shares[l]) + lgamma((fit$nu + d) / 2) - lgamma(fit$nu / 2) - d / 2 * log(fit$nu * pi) -
          determinant(S)$modulus / 2 - (fit$nu + d) / 2 * log1p(q / fit$nu)
      }, numeric(150)), 150)
      top <- apply(density, 1, max)
      expect_equal(as.numeric(logLik(fit)), sum(top + log(rowSums(exp(density - top)))), tolerance = 1e-6)
      if (fit$form != "within") expect_equal(BIC(fit), fit$bic[[fit$form]], tolerance = 1e-6)
    }
  }
  # of dependent columns the density is that of their plane: here u = (a, b, a) has twice the area of a
  value <- function(x) {
    set.seed(1)
    as.numeric(logLik(kgroups_mixture(x, 2)))
  }
  expect_equal(value(o$x) - value(transform(o$x, c = a)), 75 * log(2), tolerance = 0.01)
})

test_that("units and orders of columns and labels of collinear columns do not matter", {
  o <- own_shapes(150)
  set.seed(1)
  fit <- kgroups_mixture(o$x, 3)
  set.seed(1)
  other <- kgroups_mixture(transform(o$x, a = 1000 * a - 5), 3)
  expect_gt(compare_clusters(fit, other), 0.95)
  expect_equal(other$means[, "a"], 1000 * fit$means[, "a"] - 5, tolerance = 0.05)
  set.seed(1)
  collinear <- kgroups_mixture(transform(o$x, c = a + b), 3)
  expect_gt(compare_clusters(fit, collinear), 0.9)
  expect_equal(collinear$means[, "c"], rowSums(collinear$means[, c("a", "b")]), tolerance = 1e-8)
})

test_that("whole weights are repeated rows in the mixture", {
  set.seed(2)
  y <- matrix(rnorm(120), 60) + rep(c(0, 4), 30)
  w <- sample(1:3, 60, TRUE)
  rows <- rep(1:60, w)
  P <- soft_labels(rep(1:2, 30), 2)
  for (form in mixture_forms) {
    a <- run_mixture(y, w, P, form, 0.01)
    b <- run_mixture(y[rows, ], rep(1, length(rows)), P[rows, ], form, 0.01)
    expect_equal(a[c("value", "nu", "bic")], b[c("value", "nu", "bic")], tolerance = 1e-8)
  }
  o <- own_shapes(150)
  set.seed(1)
  weighted <- kgroups_mixture(o$x, 3, weights = rep(2, 150))
  set.seed(1)
  repeated <- kgroups_mixture(o$x[rep(1:150, each = 2), ], 3)
  expect_gt(compare_clusters(rep(weighted$cluster, each = 2), repeated$cluster), 0.9)
})

test_that("one seed gives one result for any threads", {
  o <- own_shapes(120)
  results <- lapply(1:2, function(threads) {
    set.seed(9)
    kgroups_mixture(o$x, 3, threads = threads)[c("cluster", "probabilities", "bic", "nu")]
  })
  expect_identical(results[[1]], results[[2]])
})

test_that("predict, tidy, glance, augment, BIC, relabel and silhouette are those of the mixture", {
  o <- own_shapes(150)
  set.seed(1)
  fit <- kgroups_mixture(o$x, 3)
  expect_equal(predict(fit, o$x, type = "prob"), fit$probabilities, tolerance = 1e-10, ignore_attr = TRUE)
  expect_identical(unname(predict(fit, o$x)), unname(fit$cluster))
  expect_identical(predict(fit), fit$cluster)
  expect_equal(nrow(predict(fit, o$x[1:2, ], type = "distance")), 2)
  expect_identical(levels(predict(fit, o$x[1:2, ], type = "cluster")$.pred_cluster), paste0("Cluster_", 1:3))
  expect_equal(BIC(fit), min(fit$bic))
  expect_equal(attr(logLik(fit), "nobs"), 150)
  expect_equal(tidy(fit)$share, fit$shares)
  expect_identical(glance(fit)$form, fit$form)
  expect_equal(augment(fit)$.prob, apply(fit$probabilities, 1, max), ignore_attr = TRUE)
  turned <- relabel(fit, c(3, 1, 2))
  expect_identical(max.col(turned$probabilities, "first"), unname(turned$cluster))
  expect_equal(turned$means[3, ], fit$means[1, ])
  expect_equal(turned$scatters[, , 1], fit$scatters[, , 2])
  expect_equal(predict(turned, o$x, type = "prob")[, 3], fit$probabilities[, 1], ignore_attr = TRUE)
  expect_equal(fit$W, energy_statistics(kept_problem(fit)$points, fit$cluster)$W)
  expect_s3_class(cluster::silhouette(fit), "silhouette")
  expect_s3_class(summary(fit), "summary.kgroups_mixture")
  expect_s3_class(describe_clusters(fit), "kgroups_description")
  expect_s3_class(as_figure(fit), "kgroups_figure")
  expect_s3_class(as_figure(fit, type = "uncertainty"), "kgroups_figure")
})

test_that("a fit gives its labels, and they are kept where no mixture is better", {
  set.seed(1)
  x <- rbind(matrix(rnorm(100), 50), matrix(rnorm(100, 4), 50))
  fit <- kgroups(x, 2, standardize = "within")
  mixture <- kgroups_mixture(fit)
  expect_identical(mixture$form, "within")
  expect_identical(mixture$cluster, fit$cluster)
  expect_identical(mixture$W, fit$W)
  for (why in names(kept_text)) {
    text <- format(replace(mixture, "why", why))
    expect_true(any(startsWith(text, sprintf("Form: within (%s)", kept_text[[why]]))))
  }
  expect_snapshot({
    mixture
    summary(mixture)
  })
  set.seed(1)
  expect_s3_class(kgroups_mixture(kgroups(x, 2)), "kgroups_mixture")
})

test_that("degenerate tables give a result or a classed error", {
  set.seed(1)
  few <- suppressMessages(kgroups_mixture(matrix(rnorm(30), 5), 2))
  expect_identical(few$form, "within")
  expect_output(print(few), "too few rows")
  expect_equal(rowSums(predict(few, type = "prob")), rep(1, 5), ignore_attr = TRUE)
  expect_error(kgroups_mixture(matrix(1, 20, 2), 2), class = "kg_error")
  ties <- cbind(rep(0:1, 40), rep(c(0, 0, 1, 1), 20), rnorm(80))
  expect_s3_class(kgroups_mixture(ties, 3), "kgroups_mixture")
  expect_s3_class(kgroups_mixture(ties[, 1:2], 3), "kgroups_mixture")
  expect_s3_class(kgroups_mixture(rnorm(40), 2), "kgroups_mixture")
  expect_identical(kgroups_mixture(matrix(rnorm(60), 30), 1)$k, 1L)
  x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 6), 30))
  zero <- kgroups_mixture(x, 2, weights = rep(c(0, 1, 1), 20))
  expect_identical(sum(zero$sizes), 60L)
  x[3, 1] <- NA
  expect_false(anyNA(suppressMessages(kgroups_mixture(x, 2))$probabilities))
  x[4, ] <- NA
  expect_error(kgroups_mixture(x, 2), "Row 4 has nothing", class = "kg_error_x")
})

test_that("every method answers for tables of every kind, and probabilities sum to 1", {
  set.seed(1)
  group <- rep(1:3, each = 16)
  x <- matrix(rnorm(144), 48, dimnames = list(NULL, c("a", "b", "c"))) + 5 * cbind(group, group %% 2, 0)
  gaps <- replace(x, cbind(1:6, rep(1:3, 2)), NA)
  check <- function(x, k = 3, ...) {
    fit <- suppressWarnings(suppressMessages(kgroups_mixture(x, k, ...)))
    expect_true(is.null(fit$mixture) || is.finite(BIC(fit)) && all(is.finite(fit$means)) && fit$nu >= 1)
    for (p in list(predict(fit, type = "prob"), predict(fit, x, type = "prob"))) {
      expect_equal(unname(rowSums(p)), rep(1, fit$n), tolerance = 1e-8)
    }
    expect_identical(unname(predict(fit)), unname(fit$cluster))
    expect_identical(c(nrow(tidy(fit)), nrow(glance(fit)), nrow(augment(fit))), c(fit$k, 1L, fit$n))
    turned <- relabel(fit, rev(seq_len(k)))
    expect_equal(unname(turned$cluster), k + 1 - unname(fit$cluster))
    expect_equal(turned$shares, rev(fit$shares))
    expect_equal(compare_clusters(fit, turned), 1)
    expect_output(print(summary(fit)), "Form")
    expect_s3_class(as_figure(fit), "kgroups_figure")
    invisible(fit)
  }
  check(x, weights = c(1e6, rep(1, 47))) # a component of one point: no mixture
  check(cbind(x, c(1, rep(0, 47))))
  check(x, weights = as.numeric(group != 3))
  check(x, weights = rep(1 / 48, 48))
  check(gaps)
  check(x[rep(1:4, 12), ])
  check(round(x[, 1:2]))
  check(x[, 1])
  check(x, 1)
  check(x, 47)
  check(x[1:4, ], 2)
  check(rbind(x, 1e100))
  same <- check(x)
  for (other in list(x * 1e150, x * 1e-150, sweep(x, 2, 10^c(100, 0, -100), `*`), x + 1e9, cbind(x, x[, 1]))) {
    expect_equal(compare_clusters(check(other), same), 1)
  }
  expect_identical(colnames(check(`colnames<-`(x, c("\u00e9", "b c", "1")))$means), c("\u00e9", "b c", "1"))
})

test_that("objects that are no data have the error of kgroups()", {
  for (x in list(list(1:5), array(1, c(4, 3, 2)), kgroups_tree(iris[1:9, 1:4]), sum, "a", NULL)) {
    expect_error(kgroups_mixture(x, 2), class = "kg_error_x")
  }
  blocks <- row_blocks(function(i) if (i <= 3) iris3[, , i], n = 150)
  for (x in list(blocks, dist(iris[1:4]), data.frame(f = letters[1:3]), igraph::make_ring(4))) {
    expect_error(kgroups_mixture(x, 2), class = "kg_error_mixture")
  }
})

test_that("input without a density is refused with the reason", {
  expect_snapshot(error = TRUE, {
    kgroups_mixture(dist(iris[1:4]), 3)
    kgroups_mixture(iris[-1], 4)
    kgroups_mixture(kgroups(iris[1:4], 3, sizes = 50))
    kgroups_mixture(iris[1:4], 3, standardize = TRUE)
  })
  expect_error(kgroups_mixture(kgroups(dist(iris[1:4]), 3)), class = "kg_error_mixture")
  expect_error(stability(kgroups_mixture(iris[1:4], 2)), class = "kg_error_mixture")
})

test_that("more rows than the algorithm takes are assigned by its result", {
  o <- own_shapes(7200)
  fit <- kgroups_mixture(o$x, 3)
  expect_length(fit$cluster, 7200)
  expect_identical(fit$mixture$rows, 5000L)
  expect_gt(compare_clusters(o$truth, fit$cluster), 0.6)
  expect_output(print(fit), "of 5000 rows")
})

test_that("a mixture of many columns is announced before its work", {
  set.seed(1)
  x <- matrix(rnorm(2500 * 130), 2500)
  z <- rep(1:5, 500)
  for (j in 1:5) x[z == j, j] <- x[z == j, j] + 6
  with_replaced("mixture_of_fit", function(...) NULL, {
    fit <- kgroups(x, 5, init = z, standardize = "within")
    expect_message(kgroups_mixture(fit), "25 seconds|26 seconds", class = "kg_message_long")
    expect_no_message(kgroups_mixture(faithful, 2), class = "kg_message_long")
  })
})
