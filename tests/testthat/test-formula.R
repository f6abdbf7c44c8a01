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
  expect_equal(kgroups(~ a + b, 2, data = data, weights = w)$W, kgroups(data[1:2], 2, weights = data$w)$W)
  expect_equal(kgroups(~ a + b, 2, data = data, weights = outside)$W, kgroups(data[1:2], 2, weights = outside)$W)
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
