# rho_connected() against its definition (helper-connected.R), its invariants, all forms of
# input, and what it refuses.

# Coordinates whose squared distances have no rounding, with ties and, sometimes, a gap.
tied_points <- function(run) {
  n <- sample(1:30, 1)
  d <- sample(1:3, 1)
  x <- matrix(if (run %% 2) sample(0:6, n * d, TRUE) else round(rnorm(n * d) * 64) / 64, n)
  if (run %% 5 == 0) x[seq_len(n %/% 2), 1] <- x[seq_len(n %/% 2), 1] + 20
  x
}

tied_weights <- function(run, n) {
  w <- switch(run %% 4 + 1,
    rep(1, n),
    sample(1:3, n, TRUE),
    sample(c(0, 0.5, 1, 2.25), n, TRUE),
    rep(0.1, n)
  )
  if (sum(w) == 0) w[1] <- 1
  w
}

two_rings <- function(n = 100, sd = 0.05) {
  angle <- runif(2 * n, 0, 2 * pi)
  truth <- rep(1:2, each = n)
  list(x = c(1, 3)[truth] * cbind(cos(angle), sin(angle)) + rnorm(4 * n, sd = sd), truth = truth)
}

values_of <- function(x, rho, w = NULL) {
  problem <- as_problem(x, rho, w)
  list(rho = -2 * problem$unit * pair_values(problem), found = problem$semimetric$found)
}

test_that("cores, heights, gaps and values are those of the definition, in every form", {
  set.seed(1)
  gaps <- 0
  for (run in seq_len(repeats(8, 60))) {
    x <- tied_points(run)
    w <- tied_weights(run, nrow(x))
    d <- as.matrix(dist(x))
    arguments <- list(
      neighbours = sample(c(1, 2, 3, 5), 1), level = sample(c(0.3, 0.5, 0.8, 1), 1),
      least = sample(c(1, 2, max(3, sqrt(sum(w)))), 1), apart = sample(c(1.5, 3, Inf), 1)
    )
    right <- do.call(slow_connected, c(list(d, w), arguments))
    rho <- do.call(rho_connected, c(arguments, metric = "given"))
    forms <- list(x, as.data.frame(x), if (nrow(x) > 1) as.dist(d), as_gram(tcrossprod(x) + 0))
    for (form in seq_along(forms)[lengths(forms) > 0]) {
      got <- values_of(forms[[form]], rho, w)
      if (form == 4 && !isTRUE(all.equal(right$rho, d))) { # the base of a Gram matrix is d^2
        base <- d^2
        expected <- base / (sum(outer(w, w) * base) / sum(w)^2) + 8 * right$v / right$U
      } else {
        expected <- if (form == 4) d^2 else right$rho
      }
      expect_equal(unname(got$rho), unname(expected), tolerance = 1e-9)
      found <- got$found
      expect_equal(unname(found$gap[found$branch, found$branch, drop = FALSE]), unname(right$v), tolerance = 1e-8)
      expect_equal(found$cores, right$core, tolerance = 1e-9)
      expect_equal(found$heights, right$heights, tolerance = 1e-9)
      expect_equal(found$threshold, right$q, tolerance = 1e-9)
      expect_equal(found$mean_height, right$U, tolerance = 1e-9)
      expect_equal(sum(found$weight), sum(w))
      expect_equal(nrow(found$merges), found$branches - 1L)
    }
    gaps <- gaps + any(right$v > 0)
  }
  expect_gt(gaps / run, 1 / 3)
})

test_that("many points in boxes give the tree of the rows", {
  set.seed(2)
  for (d in c(1, 2, 5)) {
    x <- round(matrix(rnorm(1500 * d), 1500) * 256) / 256
    x[1:500, 1] <- x[1:500, 1] + 12
    w <- sample(1:3, 1500, TRUE)
    one <- values_of(x, rho_connected(metric = "given"), w)$found
    other <- values_of(dist(x), rho_connected(metric = "given"), w)$found
    same <- c("branches", "branch", "gap", "threshold", "cores", "heights", "merges", "mean_height")
    expect_equal(one[same], other[same], tolerance = 1e-12)
    expect_gt(one$branches, 1L)
  }
})

test_that("the same for any number of threads and instruction set", {
  skip_on_cran()
  set.seed(3)
  x <- round(matrix(rnorm(3000 * 3), 3000) * 256) / 256
  one <- values_of(x, rho_connected(metric = "given"))$found
  use_threads(2)
  expect_identical(values_of(x, rho_connected(metric = "given"))$found, one)
  use_threads(1)
  was <- .Call(ffi_choose_loops, NULL)
  for (set in c("base", "avx2", "avx512")) {
    if (is.null(.Call(ffi_choose_loops, set))) next
    expect_equal(values_of(x, rho_connected(metric = "given"))$found, one, tolerance = 1e-14)
  }
  .Call(ffi_choose_loops, was)
})

test_that("integer weights are replicated rows, and rows may come in any order", {
  set.seed(4)
  for (run in 1:20) {
    n <- sample(5:40, 1)
    x <- matrix(rnorm(2 * n), n) # no ties
    x[seq_len(n %/% 2), 1] <- x[seq_len(n %/% 2), 1] + 6
    w <- sample(1:3, n, TRUE)
    rows <- rep(seq_len(n), w)
    weighted <- values_of(x, rho_connected(metric = "given"), w)
    replicated <- values_of(x[rows, ], rho_connected(metric = "given"))
    expect_equal(unname(replicated$rho), unname(weighted$rho[rows, rows]), tolerance = 1e-9)
    turned <- sample(n)
    expect_equal(
      unname(values_of(x[turned, ], rho_connected(metric = "given"), w[turned])$rho),
      unname(weighted$rho[turned, turned]),
      tolerance = 1e-9
    )
  }
})

test_that("ties in whole numbers do not depend on order, rotation or form, with any neighbours", {
  set.seed(3)
  gaps <- 0
  for (run in 1:60) {
    x <- matrix(sample(0:sample(c(3, 6, 12, 20), 1), 2 * sample(20:60, 1), TRUE), ncol = 2) / sample(c(1, 10), 1)
    n <- nrow(x)
    rho <- rho_connected(
      metric = "given", neighbours = sample(4:9, 1), level = sample(c(0.3, 0.5, 0.85), 1), least = sample(c(3, 5, 8), 1)
    )
    turned <- sample(n)
    angle <- runif(1, 0, 2 * pi)
    rotation <- rbind(c(cos(angle), -sin(angle)), c(sin(angle), cos(angle)))
    w <- if (run %% 3 == 0) sample(1:3, n, TRUE) else rep(1, n)
    expected <- values_of(x, rho, w)
    rho_of <- function(x, rows = seq_len(n)) unname(values_of(x, rho, w[rows])$rho)
    expect_equal(rho_of(x[turned, ], turned), unname(expected$rho)[turned, turned], tolerance = 1e-9)
    expect_equal(rho_of(x %*% rotation), unname(expected$rho), tolerance = 1e-9)
    expect_equal(rho_of(dist(x)), unname(expected$rho), tolerance = 1e-9)
    expect_equal(rho_of(dist((x %*% rotation)[turned, ]), turned), unname(expected$rho)[turned, turned], tolerance = 1e-9)
    gap_of <- function(found) unname(found$gap[found$branch, found$branch, drop = FALSE])
    by_gram <- values_of(as_gram(tcrossprod(x)[turned, turned]), rho, w[turned])$found
    expect_equal(gap_of(by_gram), gap_of(expected$found)[turned, turned], tolerance = 1e-9)
    gaps <- gaps + (expected$found$branches > 1L)
  }
  expect_gt(gaps, 10)
})

test_that("who is as near to two equal branches is a branch of its own", {
  x <- c(0, 1, 2, 3, 4, 9, 14, 15, 16, 17, 18)
  found <- values_of(x, rho_connected(metric = "given", level = 0.5, neighbours = 1, least = 4))$found
  expect_equal(unname(found$branch), rep(c(1, 2, 3), c(5, 1, 5)))
  expect_equal(found$gap[upper.tri(found$gap)], rep(5, 3))
  # of unequal ones the heavier has it, wherever it stands
  for (x in list(c(x, 19), c(-1, x))) {
    found <- values_of(x, rho_connected(metric = "given", level = 0.5, neighbours = 1, least = 4))$found
    expect_equal(found$weight[found$branch[match(9, x)]], 7)
    expect_equal(found$branches, 2L)
  }
})

test_that("small groups far from the rest are branches, loose ones are not", {
  set.seed(17)
  cloud <- matrix(rnorm(400), 200)
  tight <- matrix(rnorm(6, sd = 0.05), 3)
  found <- values_of(rbind(cloud, tight + 12), rho_connected(metric = "given"))$found
  expect_true(3 %in% found$weight)
  small <- found$branch[203]
  expect_equal(unname(which(found$branch == small)), 201:203)
  # its gap is that of a heavy one
  gap <- max(found$merges$height) - found$threshold
  expect_equal(min(found$gap[small, -small]), gap * sqrt(203) / 3)
  expect_false(3 %in% values_of(rbind(cloud, tight + 12), rho_connected(metric = "given", apart = Inf))$found$weight)
  loose <- cbind(c(10, 13, 16), 10)
  expect_false(3 %in% values_of(rbind(cloud, loose), rho_connected(metric = "given"))$found$weight)
  fit <- kgroups(rbind(cloud, tight + 12, tight - 12), 3, semimetric = rho_connected())
  expect_equal(compare_clusters(rep(1:3, c(200, 3, 3)), fit$cluster), 1)
})

test_that("gaps are an ultrametric, and the semimetric of negative type", {
  set.seed(5)
  for (run in 1:15) {
    x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 6), 30), matrix(rnorm(60, -6), 30))
    rho <- rho_connected(metric = "given", least = sample(c(3, 5, 9), 1), neighbours = sample(2:4, 1))
    v <- values_of(x, rho)$found$gap
    for (a in seq_len(nrow(v))) expect_true(all(v <= outer(v[, a], v[a, ], pmax) + 1e-12))
    expect_true(is_negative_type(x, rho))
  }
})

test_that("rings are found, and new observations follow their branch", {
  set.seed(6)
  rings <- two_rings()
  fit <- kgroups(rings$x, 2, semimetric = rho_connected(metric = "given"))
  expect_equal(compare_clusters(rings$truth, fit$cluster), 1)
  expect_identical(predict(fit, rings$x), fit$cluster)
  more <- two_rings(30, 0.02)
  expect_equal(compare_clusters(more$truth, predict(fit, more$x)), 1)
  expect_equal(unname(predict(fit, rings$x, type = "squared")), unname(predict(fit, type = "squared")))
  # the same through other forms
  d <- as.matrix(dist(rings$x))
  by_dist <- kgroups(as.dist(d), 2, semimetric = rho_connected())
  expect_equal(by_dist$W, fit$W)
  expect_equal(unname(by_dist$cluster), unname(fit$cluster))
  expect_equal(unname(predict(by_dist, d)), unname(fit$cluster))
  G <- tcrossprod(rings$x)
  by_gram <- kgroups(as_gram(G), 2, semimetric = rho_connected())
  expect_equal(compare_clusters(rings$truth, by_gram$cluster), 1)
  expect_equal(unname(predict(by_gram, G)), unname(by_gram$cluster))
  own <- rho_function(function(x, y) as.matrix(
    dist(rbind(x, y))
  )[seq_len(nrow(x)), nrow(x) + seq_len(nrow(y)), drop = FALSE],
    vectorized = TRUE
  )
  by_function <- kgroups(rings$x, 2, semimetric = rho_connected(metric = "given", base = own))
  expect_equal(by_function$W, fit$W)
  expect_equal(unname(predict(by_function, rings$x)), unname(fit$cluster))
  expect_equal(
    compare_clusters(rings$truth, kernel_kmeans(rings$x, 2, semimetric = rho_connected(metric = "given"))$cluster), 1
  )
})

test_that("every function gives the same answer", {
  set.seed(7)
  rings <- two_rings(60)
  x <- rings$x
  w <- sample(1:3, nrow(x), TRUE)
  rho <- rho_connected(metric = "given")
  R <- semimetric_matrix(x, semimetric = rho)
  expect_equal(unname(R), unname(slow_connected(as.matrix(dist(x)))$rho), tolerance = 1e-9)
  expect_equal(semimetric_matrix(x, x[1:7, ], rho), R[, 1:7], ignore_attr = TRUE)
  fit <- kgroups(x, 2, semimetric = rho)
  plain <- kgroups(as.dist(R), 2)
  expect_equal(fit$W, plain$W)
  stats <- energy_statistics(x, rings$truth, rho)
  expect_equal(stats$W, energy_statistics(as.dist(R), rings$truth)$W)
  expect_equal(fit$W, energy_statistics(x, fit$cluster, rho)$W)
  weighted <- kgroups(x, 2, semimetric = rho, weights = w)
  Rw <- slow_connected(as.matrix(dist(x)), w)$rho
  expect_equal(weighted$W, kgroups(as.dist(Rw), 2, weights = w)$W)
  expect_equal(
    energy_test(x, rings$truth, rho, R = 49)$statistic, energy_test(as.dist(R), rings$truth, R = 49)$statistic,
    ignore_attr = TRUE
  )
  expect_s3_class(select_k(x, 1:3, semimetric = rho), "kgroups_selection")
  expect_gt(min(stability(fit, B = 5)$clusters$jaccard), 0.9)
  expect_equal(nrow(generics::augment(fit)), nrow(x))
  kept <- unserialize(serialize(fit, NULL))
  expect_identical(predict(kept, x), fit$cluster)
})

test_that("large problems keep their store and give what the matrix gives", {
  set.seed(20)
  rings <- two_rings(1300)
  x <- rings$x
  rho <- rho_connected(metric = "given")
  problem <- as_problem(x, rho)
  expect_s3_class(problem$store, "kgroups_connected")
  cluster <- sample(1:3, nrow(x), TRUE)
  full <- problem
  full$store <- new_dense_store(store_values(problem$store))
  expect_equal(group_sums(problem, cluster, 3L), group_sums(full, cluster, 3L), tolerance = 1e-10)
  expect_equal(dispersion_sums(problem, cluster, 3L), dispersion_sums(full, cluster, 3L), tolerance = 1e-10)
  v <- rnorm(nrow(x))
  expect_equal(store_product(problem$store, v), store_product(full$store, v), tolerance = 1e-10)
  rows <- sort(sample(nrow(x), 200))
  expect_identical(extend(problem, 3L, rows, cluster[rows]), extend(full, 3L, rows, cluster[rows]))
  # the same local searches, moves that wait among them, from points, distances and one or two threads
  for (method in c("hartigan", "lloyd")) {
    fits <- lapply(list(x, dist(x)), kgroups, 3, semimetric = rho, init = cluster, method = method)
    by_matrix <- kgroups(as.dist(semimetric_matrix(x, semimetric = rho)), 3, init = cluster, method = method)
    two <- kgroups(x, 3, semimetric = rho, init = cluster, method = method, threads = 2)
    expect_identical(two$cluster, fits[[1]]$cluster)
    for (fit in fits) {
      expect_equal(fit$W, by_matrix$W, tolerance = 1e-10)
      expect_identical(unname(fit$cluster), unname(by_matrix$cluster))
    }
  }
  fit <- kgroups(x, 2, semimetric = rho)
  expect_equal(compare_clusters(rings$truth, fit$cluster), 1)
  expect_identical(predict(fit, x), fit$cluster)
  expect_equal(fit$W, energy_statistics(x, fit$cluster, rho)$W)
})

test_that("without a gap the base comes back", {
  set.seed(8)
  x <- as.matrix(expand.grid(1:8, 1:8))
  rho <- rho_connected(metric = "given")
  fit <- kgroups(x, 3, semimetric = rho, init = "random")
  found <- fit$semimetric$found
  expect_equal(found$branches, 1L)
  set.seed(9)
  a <- kgroups(x, 3, semimetric = rho)
  set.seed(9)
  b <- kgroups(x, 3)
  expect_equal(a[c("W", "S", "cluster")], b[c("W", "S", "cluster")])
  constant <- matrix(1, 20, 2)
  expect_equal(kgroups(constant, 1, semimetric = rho)$W, 0)
  for (n in 1:3) {
    few <- matrix(c(0, 1, 9)[seq_len(n)])
    expect_equal(kgroups(few, 1, semimetric = rho)$W, kgroups(few, 1)$W)
  }
})

test_that("the unit of weights that are not whole has no meaning", {
  set.seed(11)
  rings <- two_rings(60)
  w <- runif(120, 0.5, 2)
  rho <- rho_connected(metric = "given")
  fit <- kgroups(rings$x, 2, semimetric = rho, weights = w)
  expect_gt(fit$semimetric$found$branches, 1L)
  for (unit in c(9e-5, 1 / 7, 1e4 * pi)) {
    other <- kgroups(rings$x, 2, semimetric = rho, weights = unit * w)
    expect_equal(other$cluster, fit$cluster)
    expect_equal(other$W, unit * fit$W)
    expect_equal(other$semimetric$found$branch, fit$semimetric$found$branch)
    expect_equal(other$semimetric$found$weight, unit * fit$semimetric$found$weight)
  }
})

test_that("more clusters than branches, and weights far apart, work", {
  set.seed(10)
  rings <- two_rings(40)
  fit <- kgroups(rings$x, 5, semimetric = rho_connected(metric = "given"))
  expect_equal(fit$k, 5L)
  expect_equal(predict(fit, rings$x), fit$cluster)
  w <- rep(c(1, 1e9, 0, 1), 20)
  heavy <- kgroups(rings$x, 2, semimetric = rho_connected(metric = "given"), weights = w)
  expect_true(is.finite(heavy$W))
  expect_equal(sum(heavy$semimetric$found$weight), sum(w))
})

test_that("a base of a bandwidth keeps it, and one that is not of negative type is reported", {
  set.seed(11)
  rings <- two_rings(40)
  fit <- kgroups(rings$x, 2, semimetric = rho_connected(metric = "given", base = rho_gaussian()))
  expect_true(is.numeric(fit$semimetric$base$parameter))
  expect_warning(
    kgroups(rings$x, 2, semimetric = rho_connected(rho_function(function(x, y) sum((x - y)^2)^1.5))),
    class = "kg_warning_negative_type"
  )
})

test_that("gaps are drawn, and the summary lists the clusters that they separate", {
  set.seed(14)
  rings <- two_rings(100)
  fit <- kgroups(rings$x, 2, semimetric = rho_connected(metric = "given"))
  expect_identical(summary(fit)$clusters$separated_by, rep("gap", 2))
  even <- kgroups(as.matrix(expand.grid(1:8, 1:8)), 2, semimetric = rho_connected(metric = "given"))
  expect_identical(summary(even)$clusters$separated_by, rep("distance", 2))
  figure <- gaps_figure(fit)
  found <- fit$semimetric$found
  kinds <- vapply(figure$layers, function(layer) layer$kind, "")
  data <- lapply(figure$layers, function(layer) layer$data)
  expect_identical(kinds, c("line", "point", "across", "segment", "point", "text"))
  expect_identical(figure$axes[["edges by rank (log scale)"]]$x$labels[1:2], c("1", "10"))
  expect_false(is.unsorted(rev(data[[2L]]$y)))
  expect_equal(unique(data[[3L]]$y), found$threshold)
  expect_equal(nrow(data[[4L]]), 3L * nrow(found$merges))
  expect_equal(max(data[[4L]]$yend), max(found$gap) + found$threshold)
  expect_setequal(data[[5L]]$x, seq_len(found$branches))
  expect_equal(sum(branch_shares(fit)), 200)
  for (one in list(fit, even)) expect_drawn(gaps_figure(one))
  grDevices::pdf(NULL)
  expect_identical(withVisible(plot(fit, type = "gaps"))$visible, FALSE)
  grDevices::dev.off()
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(fit, type = "gaps"), "ggplot")
})

test_that("its print and its errors", {
  set.seed(12)
  rings <- two_rings(60)
  expect_snapshot({
    rho_connected()
    rho_connected(rho_gaussian(2), strength = 4, level = 0.9)
    kgroups(rings$x, 2, semimetric = rho_connected())
    kgroups(1:20, 2, semimetric = rho_connected())$semimetric
  })
  expect_snapshot(error = TRUE, {
    rho_connected("power")
    rho_connected(rho_connected())
    rho_connected(strength = -1)
    rho_connected(neighbours = 0)
    rho_connected(level = 2)
    rho_connected(least = "five")
    rho_connected(apart = 0.5)
    plot(kgroups(iris[1:4], 3), type = "gaps")
    kgroups(rings$x, 2, semimetric = rho_connected(), approx = nystroem(20))
    kgroups(Matrix::Matrix(diag(4), sparse = TRUE), 2, semimetric = rho_connected())
    kgroups(as.dist(matrix(c(0, 1, Inf, 1, 0, Inf, Inf, Inf, 0), 3)), 2, semimetric = rho_connected())
  })
})
