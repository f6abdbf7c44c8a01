test_that("a prefix replaces the dot of the added columns alone", {
  d <- data.frame(.own = rnorm(20), b = rnorm(20))
  fit <- kgroups(d, 2)
  out <- augment(fit, d, prefix = "")
  expect_identical(names(out)[1:3], c(".own", "b", "cluster"))
  expect_identical(unname(as.list(out)), unname(as.list(augment(fit, d))))
  expect_error(augment(fit, d, prefix = 1), class = "kg_error_prefix")
  # a column of the data keeps its values under a name that the prefix leaves free
  d$.cluster <- "mine"
  out <- augment(fit, d, prefix = "p_")
  expect_identical(out$.cluster, d$.cluster)
  expect_identical(as.integer(out$p_cluster), unname(fit$cluster))
})

test_that("columns without a name are described too", {
  a <- rnorm(20)
  expect_s3_class(describe_clusters(kgroups(cbind(a, 2 * a, -a), 2)), "kgroups_description")
})

test_that("augment() has the names of rows as they are: empty, missing, equal or not syntactic", {
  for (names in list(c("", NA, "b", "c"), c("b", "b", "b", "c"), c("1", "2", "a b", "-"))) {
    x <- matrix(c(1:3, 9), dimnames = list(names, NULL))
    shown <- replace(names, is.na(names), "")
    fit <- kgroups(x, 2)
    expect_identical(augment(fit)$.rownames, shown)
    expect_identical(augment(fit, newdata = x)$.rownames, shown)
  }
})

test_that("augment() takes the observations that predict() takes, one row each", {
  x <- withr::with_seed(1, matrix(rpois(60, 9) + 10 * (1:20 > 9), 20, dimnames = list(NULL, c("a", "b", "c"))))
  fit <- kgroups(x, 2)
  known <- augment(fit, newdata = x)
  for (other in list(as.table(x), noquote(x), structure(x, class = "zoo"), Matrix::Matrix(x + 0, sparse = TRUE))) {
    expect_equal(augment(fit, newdata = other)$.distance, known$.distance)
    expect_identical(augment(fit, other)$.cluster, known$.cluster)
  }
  expect_equal(augment(fit, newdata = x[3, ])$.distance, known$.distance[3])
  expect_equal(augment(fit, newdata = unname(x[3, ]))$.distance, known$.distance[3])
})
