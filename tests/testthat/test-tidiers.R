test_that("a prefix replaces the dot of the added columns alone", {
  d <- data.frame(.own = rnorm(20), b = rnorm(20))
  fit <- kgroups(d, 2)
  out <- augment(fit, d, prefix = "")
  expect_identical(names(out)[1:3], c(".own", "b", "cluster"))
  expect_identical(unname(as.list(out)), unname(as.list(augment(fit, d))))
  expect_error(augment(fit, d, prefix = 1), class = "kg_error_prefix")
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
    expect_identical(augment(fit, newdata = x)$.rownames, names)
    x[2] <- NA
    expect_identical(suppressWarnings(augment(kgroups(x, 2)))$.rownames, shown)
  }
})
