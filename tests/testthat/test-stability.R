test_that("Jaccard coefficients and matches follow their definitions", {
  set.seed(1)
  for (a in seq_len(repeats(6, 20))) {
    k <- sample(2:5, 1)
    n <- 40
    one <- sample(k, n, replace = TRUE)
    two <- sample(k, n, replace = TRUE)
    w <- rexp(n)
    overlap <- weight_table(one, two, w, k)
    for (l in seq_len(k)) {
      for (m in seq_len(k)) expect_equal(overlap[l, m], sum(w[one == l & two == m]))
    }
    right <- vapply(seq_len(k), function(l) {
      best <- vapply(seq_len(k), function(m) {
        sum(w[one == l & two == m]) / sum(w[one == l | two == m])
      }, 0)
      if (any(one == l)) max(best, na.rm = TRUE) else NA_real_
    }, 0)
    expect_equal(best_jaccard(overlap), right)
    # the match is the best one-to-one match
    partner <- match_clusters(overlap)
    expect_setequal(partner, seq_len(k))
    orders <- as.matrix(expand.grid(rep(list(seq_len(k)), k)))
    orders <- orders[apply(orders, 1, function(o) length(unique(o)) == k), , drop = FALSE]
    total <- apply(orders, 1, function(o) sum(overlap[cbind(o, seq_len(k))]))
    expect_equal(sum(overlap[cbind(partner, seq_len(k))]), max(total))
  }
})

test_that("an empty cluster of a sample is NA", {
  expect_identical(best_jaccard(weight_table(c(1, 1, 3), c(1, 2, 3), rep(1, 3), 3)), c(0.5, NA, 1))
})

test_that("a partition of a sample is extended as predict() extends it", {
  set.seed(2)
  x <- matrix(rnorm(160), 80)
  w <- rexp(80)
  rows <- sort(sample(80, 50))
  part <- kgroups(x[rows, ], 3, weights = w[rows])
  out <- list(cluster = unname(part$cluster), s = part$kept$s, V = part$kept$V)
  # weights are scaled by powers of two in the fit
  unit <- part$kept$problem$w_unit
  for (problem in list(as_problem(x, weights = w / unit), cache_pairs(as_problem(dist(x), weights = w / unit)))) {
    problem$w <- w / unit
    expect_identical(extend_solution(problem, rows, out, 3), unname(predict(part, x)))
  }
})

test_that("clear clusters are stable, one cloud cut at random is not", {
  set.seed(3)
  clear <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 10), 30), matrix(rnorm(60, 20), 30))
  sure <- stability(kgroups(clear, 3), B = 20)
  expect_equal(sure$clusters$jaccard, rep(1, 3))
  expect_identical(unname(sure$observations), rep(1, 90))
  expect_identical(sure$clusters$recovered, rep(1, 3))
  cloud <- matrix(rnorm(400), 100)
  unsure <- stability(kgroups(cloud, 4), B = 20)
  expect_lt(mean(unsure$clusters$jaccard), 0.75)
  expect_true(all(unsure$observations >= 0 & unsure$observations <= 1))
  expect_identical(dim(unsure$jaccard), c(20L, 4L))
  expect_gt(mean(unsure$clusters$dissolved), 0)
})

test_that("samples with a share of the effort have the coefficients of full searches", {
  set.seed(7)
  centres <- matrix(c(0, 0, 3, 0, 1.5, 2.6, 4.5, 2.6), 2)
  x <- t(matrix(rnorm(1200), 2) + centres[, rep(1:4, 150)])
  fit <- kgroups(x, 4)
  sure <- stability(fit, B = 10)
  found <- resampling_problem(fit)
  full <- vapply(1:10, function(sample) {
    rows <- bootstrap_rows(found$problem, 4)
    own <- solve_problem(subset_problem(found$problem, rows), found$control)
    best_jaccard(weight_table(fit$cluster[rows], own$cluster, rep(1, length(rows)), 4))
  }, numeric(4))
  expect_equal(sure$clusters$jaccard, rowMeans(full), tolerance = 0.05)
  expect_lt(max(sure$clusters$jaccard), 0.99)
})

test_that("every kind of fit is fitted again as it was made", {
  set.seed(4)
  x <- as.matrix(iris[1:4])
  fits <- list(
    kgroups(x, 3, init = "random", nstart = 2), kernel_kmeans(x, 3, init = "kmeans++"),
    kgroups(dist(x), 3), kgroups(semimetric_matrix(x, type = "gram"), 3), kgroups(x[, 1], 2),
    kgroups(x, 3, init = iris$Species, weights = rep(0:2, 50)),
    kgroups(x, 2, semimetric = rho_function(function(x, y) sum(abs(x - y)))), kgroups(x, 1)
  )
  for (fit in fits) {
    got <- stability(fit, B = 5)
    expect_false(anyNA(got$clusters))
    expect_identical(length(got$observations), 150L)
  }
})

test_that("what the solve takes can be resampled: sparse, landmarks, graphs, Lloyd", {
  set.seed(14)
  x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 10), 30))
  graph <- sample_sparse_sbm(200, 2, 20, 4)
  fits <- list(
    kgroups(methods::as(Matrix::Matrix(tcrossprod(x), sparse = TRUE), "CsparseMatrix"), 2),
    kgroups(x, 2, approx = nystroem(20)), kernel_kmeans(x, 2), suppressMessages(kgroups(graph, 2))
  )
  for (fit in fits) {
    sure <- suppressMessages(stability(fit, B = 4))
    expect_gt(min(sure$clusters$jaccard), 0.9)
    expect_gt(min(sure$observations), 0.5)
  }
  set.seed(15)
  one <- stability(fits[[2]], B = 3)
  set.seed(15)
  expect_identical(stability(fits[[2]], B = 3, threads = 2), one)
})

test_that("it agrees with fpc::clusterboot", {
  skip_if_not_installed("fpc")
  fit <- kgroups(iris[1:4], 4)
  set.seed(5)
  ours <- stability(fit, B = 100)$clusters$jaccard
  method <- function(data, k) {
    cluster <- unname(kgroups(data, k)$cluster)
    list(
      result = NULL, nc = k, clusterlist = lapply(seq_len(k), function(l) cluster == l), partition = cluster,
      clustermethod = "kgroups"
    )
  }
  theirs <- fpc::clusterboot(
    iris[1:4],
    B = 100, clustermethod = method, k = 4, count = FALSE, bootmethod = "boot"
  )
  of_theirs <- vapply(1:4, function(l) which.max(tabulate(theirs$partition[fit$cluster == l], 4)), 0L)
  expect_lt(max(abs(ours - theirs$bootmean[of_theirs])), 0.1)
})

test_that("seed, print and plot", {
  fit <- withr::with_seed(6, kgroups(iris[1:4], 5))
  set.seed(7)
  sure <- stability(fit, B = 25)
  set.seed(7)
  expect_identical(stability(fit, B = 25), sure)
  expect_snapshot(sure)
  utils::capture.output(shown <- withVisible(print(sure)))
  expect_false(shown$visible)
  sure$observations[] <- 1
  sure$observations[c(3, 8)] <- c(0.4, 0.2)
  expect_output(print(sure), "2 observations in their\\s+cluster in less than half of the samples: 8, 3")
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off())
  expect_invisible(plot(sure))
  expect_identical(
    stability_reading(c(0.5, 0.6, 0.75, 0.85, 0.9, NA), c(0, 0.8, 0.75, 0.9, 0.7, NA)),
    c("not stable", "doubtful", "stable", "highly stable", "doubtful", NA)
  )
})

test_that("wrong input is reported", {
  fit <- kgroups(iris[1:4], 3)
  expect_snapshot(error = TRUE, {
    stability(iris)
    stability(kgroups(iris[1:4], 3, keep.data = FALSE))
    stability(fit, B = 0)
    stability(kgroups(1:10, 10, init = 1:10))
  })
  expect_error(stability(iris), class = "kg_error_fit")
  expect_error(stability(fit, B = 0), class = "kg_error_B")
  expect_error(stability(kgroups(1:10, 10, init = 1:10)), class = "kg_error_k")
})

test_that("samples are clustered as the fit was: within limits on sizes, trimmed", {
  set.seed(4)
  x <- rbind(matrix(rnorm(160), 80), matrix(rnorm(40, 5), 20))
  sized <- resampling_problem(kgroups(x, 2, sizes = "equal"))
  rows <- bootstrap_rows(sized$problem, 2)
  control <- restrict_settings(sized$control, rows, sized$problem$n)
  sizes <- tabulate(solve_problem(subset_problem(sized$problem, rows), control)$cluster, 2)
  expect_lte(diff(range(sizes)), 1)
  # limits shrink with the sample
  limits <- resampling_problem(kgroups(x, 2, sizes = c(40, 60)))$control
  expect_identical(as.vector(restrict_settings(limits, 1:50, 100)$sizes), c(20, 30))

  fit <- kgroups(rbind(x, c(40, 40), c(-30, 50), c(60, -20)), 2, trim = 0.05)
  trimmed <- resampling_problem(fit)
  expect_identical(sum(trimmed$problem$w > 0), 103L) # noise is drawn too
  expect_identical(trimmed$w == 0, unname(fit$noise))
  out <- solve_problem(trimmed$problem, trimmed$control)
  expect_identical(sum(out$extra$noise), sum(fit$noise))
  expect_gt(min(stability(fit, B = 10)$clusters$jaccard), 0.75)
})

test_that("stability() of a graph resamples its edges, whoever does the work", {
  set.seed(5)
  graph <- sample_sparse_sbm(200, 2, 20, 4)
  simple <- as_simple_adjacency(graph)
  sample <- bootstrap_edges(simple)
  share <- length(sample$adjacency@x) / length(simple$adjacency@x)
  expect_lt(abs(share - (1 - exp(-1))), 0.03)
  expect_true(all((simple$adjacency - sample$adjacency)@x %in% c(0, 1)))
  expect_identical(Matrix::isSymmetric(sample$adjacency), TRUE)
  fit <- suppressMessages(kgroups(graph, 2))
  set.seed(6)
  one <- stability(fit, B = 5)
  expect_identical(dim(one$jaccard), c(5L, 2L))
  expect_gt(min(one$clusters$jaccard), 0.9)
  expect_gt(mean(one$observations), 0.95)
  set.seed(6)
  expect_identical(stability(fit, B = 5), one)
  set.seed(6)
  expect_identical(stability(fit, B = 5, threads = 2), one)
  # groups that are not there are not found again
  none <- igraph::sample_gnm(200, 600)
  expect_lt(max(stability(suppressMessages(kgroups(none, 4)), B = 5)$clusters$jaccard), 0.75)
  # edge weights, other matrices and starts go the same way
  weighted <- suppressMessages(kgroups(graph, 2, weights = runif(igraph::ecount(graph), 1, 2), gram = "adjacency"))
  expect_gt(min(stability(weighted, B = 2)$clusters$jaccard), 0.8)
  expect_gt(min(stability(suppressMessages(kgroups(graph, 2, init = "random")), B = 2)$clusters$jaccard), 0.5)
})
