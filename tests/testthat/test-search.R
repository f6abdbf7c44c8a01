test_that("partitions that differ by noise share a basin, a split cluster does not", {
  a <- rep(1:4, each = 50)
  relabelled <- c(3, 1, 4, 2)[a]
  noisy <- replace(relabelled, c(1:10, 60:70), c(relabelled[c(101:110, 151:161)]))
  split <- a
  split[a == 2] <- 1
  split[151:175] <- 2
  expect_identical(basins(cbind(a, relabelled, split, noisy, split), 4), c(1L, 1L, 3L, 1L, 3L))
})

test_that("the search on samples counts its starts and keeps the best", {
  set.seed(2)
  x <- rbind(matrix(rnorm(3000), ncol = 2), matrix(rnorm(3000, 8), ncol = 2))
  fit <- kgroups(x, 2)
  expect_identical(names(fit$objectives), "sample")
  expect_identical(fit$sizes, c(1500L, 1500L))
  many <- kgroups(x, 2, nstart = 3)
  expect_identical(names(many$objectives), rep("sample", 3))
  expect_equal(min(many$objectives), many$W)
  set.seed(3)
  noise <- kgroups(matrix(runif(6000), ncol = 2), 7)
  expect_lte(length(noise$objectives), 24)
  expect_equal(noise$objectives[[noise$best_start]], noise$W)
  expect_equal(min(noise$objectives), noise$W)
})

test_that("the default call reaches the best known W of the dermatology data", {
  data <- utils::read.csv(kgroups_example("dermatology.csv"))
  x <- data[names(data) != "class"]
  x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
  W <- vapply(1:20, function(seed) {
    set.seed(seed)
    kgroups(scale(x), 6, semimetric = rho_power(1 / 2))$W
  }, 0)
  expect_equal(W, rep(414.3205185, 20), tolerance = 1e-9)
})

test_that("swaps find the partition of a grid that restarts miss", {
  set.seed(6)
  centres <- as.matrix(expand.grid(1:5, 1:5))
  truth <- rep(1:25, each = 10)
  x <- centres[truth, ] + matrix(rnorm(500, sd = 0.15), 250)
  fits <- lapply(1:3, function(seed) {
    set.seed(seed)
    kgroups(x, 25)
  })
  planted <- energy_statistics(x, truth)$W
  for (fit in fits) expect_lte(fit$W, planted * (1 + 1e-9))
  restarts <- kgroups(x, 25, init = "random", nstart = 10)
  expect_gt(restarts$W, planted)
})

test_that("a start from a sample ends where a descent from its labels ends", {
  set.seed(7)
  centres <- matrix(rnorm(40, sd = 2), 4)
  x <- centres[sample(4, 2500, TRUE), ] + matrix(rnorm(25000), 2500)
  weights <- sample(0:3, 2500, TRUE)
  set.seed(8)
  fit <- kgroups(x, 4, init = "sample", weights = weights)
  expect_identical(fit$init, "sample")
  expect_identical(names(fit$objectives), "sample")
  problem <- as_problem(x, weights = weights)
  set.seed(8)
  start <- sample_labels(problem, 4, 1)[, 1L]
  expect_setequal(start, 1:4)
  expect_equal(kgroups(x, 4, init = start, weights = weights)$W, fit$W, tolerance = 1e-12)
  # every point starts with the nearest of the means that the sample gives
  set.seed(8)
  inside <- which(problem$w > 0)
  part <- sample_partition(problem, 4, inside[sample.int(length(inside), 500)], swaps = 0)
  means <- kgroups(x[part$rows, ], 4, init = part$cluster, weights = weights[part$rows])
  expect_length(unique(paste(means$cluster, part$cluster)), 4) # it has converged
  outside <- setdiff(seq_len(2500), part$rows)
  expect_identical(
    start[outside],
    part$cluster[match(predict(means, x[outside, ]), means$cluster)]
  )
  expect_identical(dim(sample_labels(as_problem(x[1:50, ]), 3, 2)), c(50L, 2L))
})
