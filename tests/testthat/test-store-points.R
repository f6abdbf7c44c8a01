# Categories compared by their codes: the answers of their coordinates.

many_levels <- function(n = 240, levels = 60) {
  data.frame(
    a = c(rnorm(n / 2), rnorm(n / 2, 4)),
    code = factor(paste0("c", c(seq_len(levels), sample(levels, n - levels, TRUE)))),
    few = rep(c("u", "v", "w"), n / 3), city = paste0("t", c(seq_len(levels), sample(levels, n - levels, TRUE)))
  )
}

test_that("codes and coordinates have the same values and parts", {
  x <- withr::with_seed(1, many_levels())
  w <- withr::with_seed(2, runif(240))
  for (columns in list(1:4, 2, c(2, 4), c(3, 4))) {
    for (rho in list(rho_power(1), rho_power(0.5), rho_gaussian(), rho_exponential(2), rho_power(1.3))) {
      points <- as_points(x[columns], w, c(code = 0.3, city = 2)[intersect(c("code", "city"), names(x)[columns])])
      plain <- as_problem(points, rho, w)
      coded <- code_categories(plain)
      expect_s3_class(coded$store, "kgroups_codes")
      expect_equal(pair_values(coded), pair_values(plain), tolerance = 1e-12)
      i <- c(1, 5, 5, 200)
      j <- c(1, 9, 5, 61)
      expect_equal(store_rho(coded$store, i, j), store_rho(plain$store, i, j), tolerance = 1e-12)
      rows <- c(3L, 70L, 71L, 239L)
      expect_equal(
        pair_values(subset_problem(coded, rows)), pair_values(subset_problem(plain, rows)), tolerance = 1e-12
      )
    }
  }
})

test_that("a fit by codes is the fit of its points", {
  x <- withr::with_seed(3, many_levels(2400))
  w <- withr::with_seed(4, rep(c(0.5, 1, 2), 800))
  fit <- kgroups(x, 3, weights = w)
  points <- as_points(x, w)
  expect_equal(fit$W, energy_statistics(points, fit$cluster, weights = w)$W, tolerance = 1e-10)
  start <- rep(1:3, length.out = 2400)
  same <- kgroups(x, 3, weights = w, init = start)
  D <- kgroups(dist(points), 3, weights = w, init = start)
  expect_identical(same$cluster, D$cluster)
  expect_equal(same$W, D$W, tolerance = 1e-10)
  expect_identical(predict(fit, x), fit$cluster)
  expect_length(predict(fit, data.frame(a = 1, code = "new", few = "u", city = "t3")), 1L) |>
    expect_warning(class = "kg_warning_levels")
})

test_that("rows without a category, squared distances and numbers have no codes", {
  x <- withr::with_seed(5, many_levels())
  coded <- function(x, rho = rho_power(1)) inherits(
    code_categories(suppressMessages(as_problem(x, rho)))$store, "kgroups_codes"
  )
  expect_true(coded(x))
  expect_false(coded(x, rho_power(2)))
  expect_false(coded(x, rho_metric("cosine")))
  expect_false(coded(x[c(1, 3)]))
  expect_false(coded(as.matrix(x["a"])))
  x$code[7] <- NA
  expect_true(coded(x))
  expect_false(coded(x[c("a", "code")]))
  fit <- suppressMessages(kgroups(x, 2))
  expect_equal(fit$W, energy_statistics(suppressMessages(as_points(x)), fit$cluster)$W, tolerance = 1e-10)
})
