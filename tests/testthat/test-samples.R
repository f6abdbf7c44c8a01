
test_that("values with the names of the rows are matched to those of a list of samples, or refused", {
  set.seed(5)
  rows <- paste0("r", sample(24))
  x <- matrix(rnorm(48), 24, dimnames = list(rows, c("a", "b")))
  g <- rep(c("u", "v", "u"), each = 8)
  w <- stats::setNames(runif(24), rows)
  block <- stats::setNames(rep(1:2, 12), rows)
  unit <- stats::setNames(rep(1:12, each = 2), rows)
  lists <- list(
    split(as.data.frame(x), g), lapply(split(rows, g), function(r) x[r, ]), split(x[, "a"], g)
  )
  for (i in 1:3) {
    form <- list(x, x, x[, "a"])[[i]]
    samples <- lists[[i]]
    expect_equal(
      energy_test(samples, weights = w, R = 9)$statistic, energy_test(form, g, weights = w, R = 9)$statistic
    )
    expect_equal(energy_distance(samples, weights = w), energy_distance(form, g = g, weights = w), ignore_attr = TRUE)
    expect_equal(
      suppressMessages(pairwise_energy_test(samples, weights = w, R = 9))$statistic,
      suppressMessages(pairwise_energy_test(form, g, weights = w, R = 9))$statistic
    )
    # all arrangements, whatever the order of the rows
    expect_equal(
      energy_test(samples, units = unit, R = 999)$p.value, energy_test(form, g, units = unit, R = 999)$p.value
    )
    expect_equal(energy_test(samples, strata = block, R = 99)$statistic, energy_test(form, g, R = 9)$statistic)
    expect_error(energy_test(samples, weights = stats::setNames(w, letters[1:24])), class = "kg_error_weights")
  }
  expect_error(energy_test(x[1:8, "a"], x[9:16, "b"]), "list(x, y)", fixed = TRUE, class = "kg_error_g")
  # without names, or with a name in two samples, by position
  twice <- list(x[1:8, ], x[1:8, ])
  expect_equal(
    energy_test(twice, weights = w[1:16], R = 9)$statistic,
    energy_test(twice, weights = unname(w[1:16]), R = 9)$statistic
  )
})

test_that("terms of other models in a formula of groups are refused with the arguments that have them", {
  d <- data.frame(y = 1:12, g = gl(2, 6), u = rep(1:6, each = 2), s = rep(1:3, 4))
  formulas <- list(
    y ~ g + Error(u), y ~ g + (1 | u), y ~ (1 | u), y ~ Error(u) + g, y ~ g + strata(s), y ~ g | s, y ~ g - 1, y ~ 0 + g,
    y ~ g + 0, y ~ 1 + g, y ~ g + offset(s), y ~ offset(s) + g, y ~ (g + s)^2, y ~ g * s, y ~ g / s, y ~ g:s, y ~ g %in% s
  )
  for (formula in formulas) for (f in list(energy_test, pairwise_energy_test, dispersion_test, energy_distance)) {
    expect_error(f(formula, data = d), "`units = unit`", class = "kg_error_formula")
  }
  # two factors, parentheses and functions are none of these
  expect_no_error(suppressMessages(energy_test(y ~ g + factor(s), data = d, R = 9)))
  expect_no_error(energy_test(y ~ (g), data = d, R = 9))
  expect_error(energy_test(y ~ g, data = d, strata = "s"), "strata = data$group", fixed = TRUE)
  expect_error(energy_test(y ~ g, data = d, strata = ~s), "strata = data$group", fixed = TRUE)
  expect_error(energy_test(d$y, d$g, strata = d[3:4]), "interaction(strata)", fixed = TRUE)
})

test_that("a call in the place of the data is refused, not evaluated", {
  for (f in list(energy_test, pairwise_energy_test, dispersion_test, energy_distance)) {
    expect_error(f(quote(stop("evaluated")), g = gl(2, 5)), class = "kg_error_x")
  }
})

test_that("labels that R does not find have the hint of a column; a time limit stays one", {
  for (f in list(energy_test, pairwise_energy_test, dispersion_test)) {
    error <- expect_error(f(iris, Species), class = "kg_error_g")
    expect_match(conditionMessage(error), "object 'Species' not found.*x[$]g")
  }
  limit <- expect_error(energy_test(iris, stop("reached elapsed time limit")), class = "simpleError")
  expect_false(inherits(limit, "kg_error"))
  expect_error(kgroups(iris[1:4], 3, weights = stop("reached elapsed time limit")), class = "simpleError")
})
