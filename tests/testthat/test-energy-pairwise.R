test_that("each pair has the test of its rows, adjusted", {
  set.seed(1)
  x <- matrix(rnorm(60), 30)
  x[1:10, ] <- x[1:10, ] + 1
  g <- rep(c("a", "b", "c"), each = 10)
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"), as.data.frame(x))) {
    found <- pairwise_energy_test(data, g, R = 19)
    expect_s3_class(found, "pairwise.htest")
    expect_identical(dimnames(found$p.value), list(c("b", "c"), c("a", "b")))
    for (pair in list(c("a", "b"), c("a", "c"), c("b", "c"))) {
      rows <- g %in% pair
      S <- energy_statistics(x[rows, ], g[rows])$S
      expect_equal(found$S[pair[2], pair[1]], S)
    }
  }
  one <- pairwise_energy_test(x, g, "none", against = "b", R = 19)
  expect_identical(dimnames(one$p.value), list(c("a", "c"), "b"))
  expect_output(print(one), "P value adjustment method: none")
  set.seed(2)
  p <- pairwise_energy_test(x, g, "none", R = 99)$p.value
  set.seed(2)
  expect_equal(pairwise_energy_test(x, g, "bonferroni", R = 99)$p.value, pmin(3 * p, 1))
  expect_snapshot(error = TRUE, {
    pairwise_energy_test(x, g, against = "d")
    pairwise_energy_test(x, g, "fisher")
    pairwise_energy_test(x, rep(1, 30))
    pairwise_energy_test(x, 1:3)
  })
})

test_that("sorted values on a line give the statistics of all pairs", {
  set.seed(3)
  for (w in list(NULL, sample(0:3, 40, TRUE), rexp(40))) {
    x <- round(rnorm(40), 1)
    g <- rep(1:4, 10)
    for (statistic in c("S", "F")) {
      set.seed(4)
      sorted <- energy_test(x, g, weights = w, R = 30, statistic = statistic)
      set.seed(4)
      pairs <- energy_test(dist(x), g, weights = w, R = 30, statistic = statistic)
      expect_equal(sorted$permuted, pairs$permuted, tolerance = 1e-10)
      expect_equal(sorted$statistic, pairs$statistic, tolerance = 1e-10)
      expect_identical(sorted$p.value, pairs$p.value)
    }
    set.seed(5)
    H <- energy_test(x, g > 2, weights = w, R = 30, statistic = "H")
    set.seed(5)
    expect_equal(
      energy_test(dist(x), g > 2, weights = w, R = 30, statistic = "H")$permuted, H$permuted, tolerance = 1e-10
    )
  }
})

test_that("a message names the least adjusted p-value where it is above .05", {
  x <- c(1.2, 1.4, 1.1, 5.3, 5.1, 5.6, 9.9, 9.2, 9.5)
  expect_message(
    p <- pairwise_energy_test(x, rep(1:3, each = 3)), "below 0.3: each of 3 tests has at most 20 arrangements",
    class = "kg_message_arrangements"
  )
  expect_equal(min(p$p.value, na.rm = TRUE), 0.3)
  expect_message(pairwise_energy_test(rnorm(60), rep(1:3, 20), R = 19), "larger `R`", class = "kg_message_arrangements")
  expect_no_message(pairwise_energy_test(rnorm(60), rep(1:3, 20), R = 99), class = "kg_message_arrangements")
  # every p-value that the data can have is at least the one named
  expect_message(
    pairwise_energy_test(x, rep(1:3, each = 3), p.adjust.method = "none"), "below 0.1",
    class = "kg_message_arrangements"
  )
})
