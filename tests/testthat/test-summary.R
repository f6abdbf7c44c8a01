test_that("what still moves is what single moves would bring", {
  set.seed(1)
  for (kind in c("unit", "integer", "real", "zero")) {
    n <- 40
    x <- matrix(rnorm(2 * n), n)
    w <- random_weights(n, kind)
    P <- as.matrix(dist(x))
    start <- rep(1:4, 10)
    start[which(w > 0)[1:4]] <- 1:4
    G <- gram_matrix(x)
    for (data in list(x, dist(x), G)) {
      fit <- suppressWarnings(kgroups(data, 4, weights = w, init = start, iter.max = 1))
      moving <- summary(fit)$moving
      if (fit$converged) {
        expect_null(moving)
        next
      }
      best <- reference_best_fall(P, fit$cluster, w)
      expect_equal(if (nrow(moving)) moving$fall[1] else 0, best, tolerance = 1e-7)
      if (nrow(moving) == 0) next
      row <- moving[1, ]
      expect_identical(row$from, unname(fit$cluster)[as.integer(row$observation)])
      moved <- replace(fit$cluster, as.integer(row$observation), row$to)
      expect_equal(fit$W - reference_W(P, moved, w), row$fall)
      expect_false(is.unsorted(-moving$fall))
      expect_true(all(w[as.integer(moving$observation)] > 0))
    }
  }
})

test_that("the last fall is that of the last sweep", {
  set.seed(2)
  x <- matrix(rnorm(120), 60)
  start <- rep(1:4, 15)
  one <- suppressWarnings(kgroups(x, 4, init = start, iter.max = 1))
  two <- suppressWarnings(kgroups(x, 4, init = start, iter.max = 2))
  expect_equal(one$last_fall, energy_statistics(x, start)$W - one$W)
  expect_equal(two$last_fall, one$W - two$W)
  expect_null(kgroups(x, 4, init = start)$last_fall)
  lloyd <- suppressWarnings(kernel_kmeans(x, 4, init = start, iter.max = 1))
  expect_equal(lloyd$last_fall, energy_statistics(x, start)$W - lloyd$W)
  # what Lloyd's next pass would do
  moving <- summary(lloyd)$moving
  expect_setequal(as.integer(moving$observation), unname(which(predict(lloyd, x) != lloyd$cluster)))
})

test_that("with the size term Phi is looked at", {
  set.seed(3)
  x <- rbind(matrix(rnorm(100), 50), matrix(rnorm(20, 2), 10))
  fit <- suppressWarnings(kgroups(x, 2, size_term = TRUE, init = rep(1:2, 30), iter.max = 1))
  moving <- summary(fit)$moving
  expect_gt(nrow(moving), 0)
  phi <- function(cluster) {
    s <- tabulate(cluster)
    60 * fit$size_term$dimension / 2 * log(reference_W(as.matrix(dist(x)), cluster)) - sum(s * log(s / 60))
  }
  moved <- replace(fit$cluster, as.integer(moving$observation[1]), moving$to[1])
  expect_equal(phi(unname(fit$cluster)) - phi(unname(moved)), moving$fall[1], tolerance = 1e-6)
})

test_that("starts are summed up, and advice follows", {
  set.seed(4)
  x <- scale(iris[1:4])
  fit <- kgroups(x, 7, init = "random", nstart = 6)
  starts <- summary(fit)$starts
  expect_identical(starts$number, 6L)
  expect_equal(starts$least, fit$W)
  expect_identical(starts$largest, max(fit$objectives))
  expect_equal(starts$spread, max(fit$objectives) / fit$W - 1)
  expect_identical(starts$found, sum(fit$objectives <= fit$W * (1 + 1e-8)))
  expect_match(summary(kgroups(x, 7, init = "random"))$advice, "One start says nothing")
  expect_match(summary(kgroups(x, 2, init = "random", nstart = 4))$advice, "All starts reached")
  fit$objectives[] <- c(fit$W, fit$W + 1:5)
  expect_match(summary(fit)$advice, "Only one start.*Raise nstart")
  fit$init <- "search"
  expect_match(summary(fit)$advice, "another seed")
  expect_null(summary(kgroups(iris[[1]], 3))$advice)
  expect_null(summary(kgroups(x, 3, init = iris$Species))$advice)
  set.seed(5)
  unfinished <- suppressWarnings(kgroups(x, 7, init = "random", nstart = 5, iter.max = 1))
  expect_snapshot({
    summary(unfinished)
    summary(suppressWarnings(kernel_kmeans(x, 4, init = "random", iter.max = 2)))
    summary(suppressWarnings(kgroups(x, 3, size_term = TRUE, iter.max = 1)))
  })
  dropped <- suppressWarnings(kgroups(x, 7, init = rep_len(1:7, 150), iter.max = 1, keep.data = FALSE))
  expect_null(summary(dropped)$moving)
  expect_match(summary(dropped)$advice[1], "lowered W by.*Raise iter.max")
})

test_that("a rise of W under Lloyd's method is told", {
  set.seed(6)
  x <- matrix(rnorm(60), 30)
  bad <- as_gram(-tcrossprod(x))
  fit <- suppressWarnings(kernel_kmeans(bad, 3, init = rep(1:3, 10)))
  skip_if(fit$converged)
  expect_match(summary(fit)$advice[1], "W rose")
})
