mixed_table <- function(n = 24) {
  data.frame(
    a = rnorm(n), b = round(rexp(n), 1), c = factor(sample(letters[1:3], n, TRUE)),
    d = as.Date("2024-01-01") + sample(99, n),
    e = replace(rnorm(n), sample(n, 5), NA), f = 1
  )
}

# Share S/(W + S) of one column from the definition.
reference_share <- function(values, label) {
  seen <- !is.na(values)
  values <- values[seen]
  D <- if (is.factor(values)) {
    outer(as.integer(values), as.integer(values), "!=") + 0
  } else {
    abs(outer(as.numeric(values), as.numeric(values), "-"))
  }
  parts <- reference_statistics(D, match(label[seen], sort(unique(label[seen]))))
  if (parts$W + parts$S == 0) 0 else parts$S / (parts$W + parts$S)
}

test_that("shares are those of the definition for every type of column and labelling, and p is that of the largest z", {
  set.seed(1)
  data <- mixed_table()
  g <- rep(1:3, 8)
  labels <- label_columns(g, NULL, 19)
  table <- read_table(data, "data")
  found <- test_columns(table$columns, labels, 19)
  right <- vapply(data, function(column) apply(labels, 2, function(label) reference_share(column, label)), numeric(20))
  expect_equal(found$share, unname(right[1, ]))
  z <- apply(right, 2, function(t) if (diff(range(t)) > 0) (t - mean(t)) / sqrt(mean((t - mean(t))^2)) else 0 * t)
  adjusted <- vapply(1:6, function(j) mean(apply(z, 1, max) >= z[1, j] - 1e-9), 0)
  adjusted[6] <- 1
  expect_equal(found$adjusted, adjusted)
  expect_equal(found$p.value[1:5], unname(apply(right, 2, function(t) mean(t >= t[1] - 1e-12)))[1:5])
  expect_true(all(found$adjusted >= found$p.value - 1e-12 | found$p.value > 0.5))
  # shares at or above the bound are those with an adjusted p of at most .05
  expect_identical(found$share[1:5] >= found$bound[1:5] - 1e-12, found$adjusted[1:5] <= 0.05)
  expect_identical(is.na(found$bound), c(rep(FALSE, 5), TRUE))
})

test_that("the family level holds, and a column that differs is found among many", {
  set.seed(2)
  found <- replicate(60, {
    x <- matrix(rnorm(40 * 20), 40)
    min(describe_clusters(rep(1:2, 20), x, test = TRUE, R = 39)$tests$p.adjusted)
  })
  expect_lt(mean(found <= 0.05), 0.17)
  x <- as.data.frame(matrix(rnorm(40 * 20), 40))
  x$V3 <- x$V3 + 3 * rep(1:2, 20)
  what <- describe_clusters(rep(c("u", "v"), 20), x, test = TRUE, R = 199)
  expect_identical(what$tests$variable[what$tests$p.adjusted <= 0.05], "V3")
  expect_output(print(what), "1 of 20 variables differ")
})

test_that("whole units and strata are permuted as in energy_test()", {
  set.seed(3)
  id <- rep(1:6, each = 3)
  g <- rep(1:2, each = 9)
  x <- rnorm(18)
  found <- describe_clusters(g, data.frame(x), test = TRUE, units = id, R = 99)$tests
  expect_equal(found$p.value, suppressMessages(energy_test(x, g, units = id, unit_weights = "rows", R = 99)$p.value))
  expect_equal(found$p.adjusted, found$p.value)
  strata <- rep(1:3, 6)
  columns <- described_labels(check_labels(g, 18), NULL, strata, 9, NULL)
  for (s in 1:3) expect_true(all(apply(columns[strata == s, ], 2, function(l) sum(l == 1)) == 3))
  expect_error(describe_clusters(rep(1:2, 9), data.frame(x), test = TRUE, units = id), class = "kg_error_units")
})

test_that("clusters that were found from the same columns have no p-values", {
  fit <- kgroups(iris[1:4], 3)
  expect_error(describe_clusters(fit, iris[1:4], test = TRUE), class = "kg_error_test")
  expect_error(describe_clusters(fit, test = TRUE), class = "kg_error_test")
  expect_error(describe_clusters(kmeans(iris[1:4], 3), iris, test = TRUE), class = "kg_error_test")
  expect_s3_class(describe_clusters(kgroups(iris[1:2], 3), iris[3:4], test = TRUE, R = 9), "kgroups_description")
  expect_error(describe_clusters(iris$Species, iris[1:4], weights = 1:150, test = TRUE), class = "kg_error_weights")
  expect_error(describe_clusters(rep(1, 150), iris[1:4], test = TRUE), class = "kg_error_fit")
})

test_that("the figure of tests has the variables with the least adjusted p, and their bounds", {
  set.seed(4)
  x <- as.data.frame(matrix(rnorm(30 * 8), 30))
  x$V3 <- x$V3 + 3 * rep(1:2, 15)
  what <- describe_clusters(rep(1:2, 15), x, test = TRUE, R = 99)
  figure <- as_figure(what, top = 3)
  best <- order(what$tests$p.adjusted, -what$tests$share)[1:3]
  expect_identical(figure$y$labels, what$tests$variable[best])
  expect_drawn(figure)
  expect_identical(figure$layers[[3L]]$data$x, what$tests$share[best])
  expect_identical(figure$layers[[2L]]$data$x, what$tests$bound[best])
  expect_identical(
    as.character(figure$layers[[3L]]$data$group), ifelse(what$tests$p.adjusted[best] <= 0.05, "chosen", "rest")
  )
  # fewer than twenty labelings have no bound at .05
  few <- describe_clusters(rep(1:2, 15), x, test = TRUE, R = 9)
  expect_true(all(is.na(few$tests$bound)))
  expect_length(as_figure(few)$layers, 2L)
  expect_match(as_figure(what, type = "coefficients")$subtitle, "coefficient")
  expect_error(plot(describe_clusters(rep(1:2, 15), x), type = "tests"), class = "kg_error_type")
})
