test_that("a permutation changes the numbers everywhere, and nothing else", {
  for (kind in third(names(every_fit()), 1)) {
    fit <- every_fit()[[kind]]
    number <- c(seq_len(fit$k)[-1L], 1L)
    other <- relabel(fit, number)
    expect_identical(class(other), class(fit))
    expect_identical(other$cluster, structure(c(0L, number)[fit$cluster + 1L], names = names(fit$cluster)), info = kind)
    expect_identical(other$sizes[number], fit$sizes)
    expect_identical(other$within[number], fit$within)
    expect_setequal(other$sizes[other$limits$binding], fit$sizes[fit$limits$binding])
    expect_identical(c(other$W, other$S), c(fit$W, fit$S))
    # back again
    expect_identical(relabel(other, order(number))[names(unclass(fit))], fit[names(unclass(fit))], info = kind)
    if (is.null(fit$data)) next
    expect_identical(predict(other), other$cluster)
    expect_identical(tidy(other)$size[number], tidy(fit)$size)
    expect_identical(tidy(other)$medoid[number], tidy(fit)$medoid)
    if (is.matrix(fit$data) && is.numeric(fit$data) && !inherits(fit$data, "kgroups_gram")) {
      again <- suppressWarnings(suppressMessages(predict(fit, fit$data)))
      expect_identical(
        suppressWarnings(suppressMessages(predict(other, fit$data))), structure(c(0L, number)[again + 1L], names = names(again)),
        info = kind
      )
      expect_equal(
        unname(predict(other, type = "squared")[, number, drop = FALSE]), unname(predict(fit, type = "squared"))
      )
      expect_equal(augment(other)[[".silhouette"]], augment(fit)[[".silhouette"]])
    }
  }
})

test_that("by size, by a variable, by a reference", {
  for (fit in every_fit()) {
    fit <- observed_fit(relabel(fit))
    weight <- sum_by(fit$weights %||% rep(1, fit$n), unname(fit$cluster), fit$k)
    expect_false(is.unsorted(-weight))
  }
  set.seed(1)
  fit <- kgroups(as.matrix(iris[1:4]), 4)
  means <- tapply(iris$Petal.Length, relabel(fit, iris$Petal.Length)$cluster, mean)
  expect_false(is.unsorted(means))
  holes <- replace(iris$Petal.Length, 1, NA)
  expect_identical(relabel(fit, holes)$cluster, relabel(fit, iris$Petal.Length)$cluster)
  # any permutation of a partition is matched back, whatever the form of the reference
  for (number in list(c(2, 3, 4, 1), 4:1)) {
    other <- relabel(fit, number)
    for (reference in list(fit, factor(fit$cluster), as.character(fit$cluster), fit$cluster)) {
      expect_identical(relabel(other, reference)$cluster, fit$cluster)
    }
  }
  km <- stats::kmeans(iris[1:4], 4)
  expect_identical(relabel(fit, factor(km$cluster))$cluster, relabel(fit, relabel(fit, factor(km$cluster)))$cluster)
  # fewer or more levels than clusters
  expect_setequal(relabel(fit, iris$Species)$cluster, 1:4)
  expect_setequal(relabel(kgroups(iris[1:4], 2), iris$Species)$cluster, 1:2)
  two <- relabel(kgroups(iris[1:4], 2), factor(iris$Species, rev(levels(iris$Species))))
  expect_identical(unname(two$cluster[1]), 2L)
})

test_that("wrong `by` is a classed error", {
  fit <- kgroups(iris, 3)
  expect_snapshot(error = TRUE, {
    relabel(1:3)
    relabel(fit, "Species")
    relabel(fit, 1:4)
    relabel(fit, NULL)
    relabel(fit, c("a", "b"))
  })
})

test_that("names of clusters are refused with the way to a factor", {
  fit <- kgroups(iris[1:4], 3)
  expect_error(
    relabel(fit, c("a", "b", "c")), "factor(fit$cluster, labels = names)", fixed = TRUE, class = "kg_error_by"
  )
  expect_error(kgroups(iris[1:4], 3, threads = "all"), "detectCores", class = "kg_error_threads")
  expect_error(
    cluster_test(Matrix::Matrix(diag(20), sparse = TRUE)), "as.matrix(x)", fixed = TRUE, class = "kg_error_x"
  )
})

test_that("update() fits again on other data and with other arguments", {
  set.seed(1)
  fit <- kgroups(iris[1:100, 1:4], 2, standardize = TRUE)
  expect_identical(update(fit, iris[1:4], k = 3)$W, kgroups(iris[1:4], 3, standardize = TRUE)$W)
  expect_identical(update(fit, standardize = FALSE)$W, kgroups(iris[1:100, 1:4], 2)$W)
  expect_identical(
    update(fit, k = 3, evaluate = FALSE), quote(kgroups(x = iris[1:100, 1:4], k = 3, standardize = TRUE))
  )
})

test_that("update() changes a formula as that of a model", {
  set.seed(1)
  d <- iris[1:60, ]
  fit <- kgroups(~ Sepal.Length + Sepal.Width, 2, data = d)
  of <- function(columns) kgroups(d[columns], 2)$W
  expect_equal(update(fit, ~ . - Sepal.Width)$W, of(1))
  expect_equal(update(fit, . ~ . + Petal.Width)$W, of(c(1, 2, 4)))
  expect_equal(update(fit, ~Petal.Width)$W, of(4))
  expect_equal(update(kgroups(~ . - Species, 2, data = d), ~ . - Petal.Width)$W, of(1:3))
  expect_equal(update(fit, data = iris[1:40, ])$n, 40)
  gone <- local({
    own <- d[1:4]
    kgroups(own, 2)
  })
  expect_error(update(gone, k = 3), "own")
  expect_equal(update(gone, x = d[1:4])$W, gone$W)
  expect_error(update(gone, d[1:4], k = 99), class = "kg_error_k")
})
