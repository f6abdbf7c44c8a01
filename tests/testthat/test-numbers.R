# Rows drawn and means of groups, which many files use.

test_that("rows are drawn at random, in their order and without repeats; all of them cost no random number", {
  rows <- c(2L, 3L, 5L, 8L, 13L)
  set.seed(1)
  before <- .Random.seed
  expect_identical(draw_rows(rows, 5), rows)
  expect_identical(draw_rows(rows, Inf), rows)
  expect_identical(.Random.seed, before)
  drawn <- replicate(2000, draw_rows(rows, 2))
  expect_true(all(drawn[1, ] < drawn[2, ]))
  # each of the ten pairs with the same probability
  counts <- table(factor(paste(drawn[1, ], drawn[2, ]), utils::combn(rows, 2, paste, collapse = " ")))
  expect_gt(stats::chisq.test(counts)$p.value, 1e-4)
})

test_that("means of groups are those of tapply() and weighted.mean(); empty groups have `empty`", {
  set.seed(2)
  x <- matrix(rnorm(40), 20)
  group <- rep_len(c(3L, 1L, 4L), 20)
  w <- c(0, 2, 1, 5, runif(16))
  expect_equal(group_means(x[, 1], group, 4), c(tapply(x[, 1], factor(group, 1:4), mean, default = NaN)), ignore_attr = TRUE)
  mean_of <- function(j, g) if (any(group == g)) stats::weighted.mean(x[group == g, j], w[group == g]) else -7
  expect_equal(group_means(x, group, 4, w, empty = -7), outer(1:2, 1:4, Vectorize(mean_of)) |> t())
  # a group of weight 0 is empty
  expect_identical(group_means(c(1, 2, 3), c(1L, 2L, 2L), 2, c(0, 1, 1), empty = 0), c(0, 2.5))
})
