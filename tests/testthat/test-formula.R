# Formulas: columns, weights and subset, as in lm().

test_that("columns that a formula computes are those of a table that holds them", {
  set.seed(1)
  data <- data.frame(a = rexp(40) + 1, b = rnorm(40), w = runif(40))
  other <- data.frame(a = rexp(9) + 1, b = rnorm(9))
  init <- rep(1:2, 20)
  forms <- list(
    list(~ log(a) + b, function(d) data.frame(log(d$a), d$b)),
    list(~ I(a^2) + b, function(d) data.frame(d$a^2, d$b)),
    list(~ scale(a) + b, function(d) data.frame((d$a - mean(data$a)) / sd(data$a), d$b))
  )
  for (form in forms) {
    fit <- kgroups(form[[1]], 2, data = data, init = init)
    plain <- kgroups(form[[2]](data), 2, init = init)
    expect_equal(fit$W, plain$W)
    expect_identical(unname(predict(fit, data)), unname(fit$cluster))
    expect_equal(unname(predict(fit, other)), unname(predict(plain, unname(form[[2]](other)))))
  }
  outside <- runif(40)
  expect_equal(seeded(kgroups(~ a + b, 2, data = data, weights = w))$W, seeded(kgroups(data[1:2], 2, weights = data$w))$W)
  expect_equal(seeded(kgroups(~ a + b, 2, data = data, weights = outside))$W, seeded(kgroups(data[1:2], 2, weights = outside))$W)
  rows <- which(data$a > 1.5)
  some <- kgroups(~ a + b, 2, data = data, subset = a > 1.5, weights = w)
  expect_equal(some$W, kgroups(data[rows, 1:2], 2, weights = data$w[rows])$W)
  expect_identical(names(some$cluster), as.character(rows))
})

test_that("formulas that cannot be used are refused with the text to write", {
  data <- data.frame(a = 1:6, b = c(2, 1, 4, 3, 6, 5))
  expect_snapshot(error = TRUE, {
    kgroups(~ a:b, 2, data = data)
    kgroups(~"a", 2, data = data)
    kgroups(~ unknown(a), 2, data = data)
    kgroups(~ mean(a), 2, data = data)
    kgroups(~ a + b, 2, data = data, weights = nothing)
    kgroups(~ a + b, 2, data = data, subset = 1:40)
    kgroups(data, 2, weights = "w")
  })
})

test_that("tests of groups read values ~ group, with data by name or in second place", {
  set.seed(1)
  for (f in list(energy_test, pairwise_energy_test, dispersion_test)) {
    got <- lapply(1:3, function(i) {
      set.seed(1)
      switch(
        i, f(weight ~ group, data = PlantGrowth, R = 49), f(weight ~ group, PlantGrowth, R = 49),
        f(PlantGrowth["weight"], PlantGrowth$group, R = 49)
      )
    })
    expect_equal(got[[1]]$p.value, got[[3]]$p.value)
    expect_equal(got[[2]]$p.value, got[[3]]$p.value)
    expect_error(f(weight ~ nothing, PlantGrowth), class = "kg_error_formula")
    expect_error(f(weight ~ group, data = 1), class = "kg_error_data")
    expect_error(f(PlantGrowth["weight"], PlantGrowth$group, data = PlantGrowth), class = "kg_error_input")
  }
  expect_error(pairwise_energy_test(PlantGrowth["weight"]), class = "kg_error_g")
  expect_error(dispersion_test(PlantGrowth["weight"]), class = "kg_error_g")
})

test_that("data are the third argument or named", {
  set.seed(2)
  data <- data.frame(a = c(rnorm(20), rnorm(20, 6)), b = rnorm(40), w = 1:40)
  wanted <- kgroups(~ a + b, 2, data = data, weights = w)
  for (fit in list(
    kgroups(~ a + b, 2, data, weights = w), kgroups(k = 2, ~ a + b, data = data, weights = w)
  )) {
    expect_identical(fit$cluster, wanted$cluster)
    expect_identical(unname(predict(fit, data)), unname(fit$cluster))
  }
  expect_identical(seeded(kgroups(~., 2, data))$W, seeded(kgroups(data, 2))$W)
  more <- cbind(data, "two words" = 1)
  expect_identical(seeded(kgroups(~ . - w - `two words`, 2, data = more))$W, seeded(kgroups(data[1:2], 2))$W)
  expect_identical(seeded(kernel_kmeans(~a, 2, data = data))$sizes, seeded(kernel_kmeans(data["a"], 2))$sizes)
  expect_identical(predict(wanted, data[40:1, 3:1]), rev(wanted$cluster), ignore_attr = "names")
  expect_identical(wanted$call$data, quote(data))
  expect_error(kgroups(data, ~ a + b, 2), class = "kg_error_formula")
  expect_error(kgroups(~ a + nothing, k = 2, data = data), class = "kg_error_formula")
  expect_error(kgroups(as.matrix(data), ~ a + b, k = 2), class = "kg_error_dots")
})

test_that("values of rows in a call with a formula are found in the data, and counted there", {
  set.seed(4)
  d <- data.frame(
    a = rnorm(40), b = rnorm(40), block = rep(1:20, 2), old = rep(1:2, 20), keep = rep(c(TRUE, TRUE, FALSE, TRUE), 10)
  )
  row.names(d) <- paste0("r", 1:40)
  rows <- which(d$keep)
  expect_values <- function(got, plain) {
    expect_equal(got$W, plain$W)
    expect_identical(got$constraints, plain$constraints)
  }
  expect_values(kgroups(~ a + b, 2, data = d, together = block), kgroups(d[1:2], 2, together = d$block))
  expect_values(
    kgroups(~ a + b, 2, data = d, init = old, apart = cbind(1, 2)),
    kgroups(d[1:2], 2, init = d$old, apart = cbind(1, 2))
  )
  piped <- kgroups(~ a + b, k = 2, data = d, together = block, init = old, subset = keep)
  expect_values(piped, kgroups(d[rows, 1:2], 2, together = d$block[rows], init = d$old[rows]))
  # pairs of rows by number and by name; those that are left out have no part
  pairs <- rbind(c(1, 2), c(2, 3), c(8, 40))
  some <- kgroups(~ a + b, 2, data = d, subset = keep, apart = pairs)
  expect_values(some, kgroups(d[rows, 1:2], 2, apart = rbind(c(1, 2), c(6, 30))))
  expect_values(kgroups(~ a + b, 2, data = d, subset = keep, apart = matrix(row.names(d)[pairs], 3)), some)
  expect_values(
    kgroups(~ a + b, 2, data = d, subset = 40:21, together = rbind(c(40, 39))),
    kgroups(d[40:21, 1:2], 2, together = cbind(1, 2))
  )
  expect_error(kgroups(~ a + b, 2, data = d, together = nothing), class = "kg_error_together")
  expect_error(kgroups(~ a + offset(b), 2, data = d), "offset", class = "kg_error_formula")
  # errors show the call of the user
  for (call in expression(kgroups(~ a + b, 99, data = d), kernel_kmeans(d[1:2], 99))) {
    error <- expect_error(suppressMessages(eval(call)), class = "kg_error_k")
    expect_equal(as.list(conditionCall(error))[-1L], as.list(match.call(kgroups, call))[-1L])
  }
})

test_that("formulas of samples that are turned round, or without a group, are refused", {
  set.seed(1)
  d <- transform(chickwts, size = weight / 3, block = rep_len(1:3, 71))
  calls <- list(
    function() energy_test(feed ~ size, d), function() energy_test(feed ~ ., d), function() energy_test(~feed, d),
    function() energy_test(d, feed ~ .), function() dispersion_test(d, ~feed), function() pairwise_energy_test(feed ~ ., d),
    function() energy_test(size ~ feed | block, d)
  )
  for (call in calls) expect_error(call(), class = "kg_error_input")
  expect_s3_class(energy_test(size ~ feed, d, strata = block, R = 9), "htest")
  expect_error(energy_test(cbind(size, weight) ~ 1, d), class = "kg_error_input")
  # categories on the left are a column
  set.seed(1)
  formula <- energy_test(feed ~ block, d, R = 99)$p.value
  set.seed(1)
  expect_identical(formula, energy_test(d["feed"], d$block, R = 99)$p.value)
})

test_that("a formula without data, with data of another kind or with too short a subset is refused", {
  data <- data.frame(a = 1:9, b = 2)
  expect_error(kgroups(~ a + b, 2), class = "kg_error_formula")
  expect_error(kgroups(~a, 2, data = as.matrix(data)), class = "kg_error_formula")
  expect_error(kgroups(~a, 2, data = data, subset = c(TRUE, FALSE)), class = "kg_error_subset")
})
