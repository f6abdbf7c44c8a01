# Every wrong input gets a classed error in three lines: what was expected, what came,
# what to do.

x <- matrix(c(1.5, 2, 3, 8, 9, 10, 1, 2, 3, 4, 5, 7), 6)

expect_classed <- function(expr, class) {
  condition <- tryCatch(expr, error = identity)
  expect_s3_class(condition, paste0("kg_error_", class))
  expect_s3_class(condition, "kg_error_input")
  expect_s3_class(condition, "kg_error")
}

test_that("wrong data", {
  list_column <- data.frame(a = 1:6)
  list_column$b <- as.list(1:6)
  expect_snapshot(error = TRUE, {
    kgroups(replace(x, 3, NA), 2, missing = "fail")
    kgroups(replace(x, 3, NaN), 2, missing = "fail")
    kgroups(replace(x, 8, Inf), 2)
    kgroups("a", 1)
    kgroups(matrix(letters[1:4], 2), 1)
    kgroups(matrix(0, 0, 2), 1)
    kgroups(matrix(0, 3, 0), 1)
    kgroups(numeric(), 1)
    kgroups(NULL, 2)
    kgroups(list_column, 3)
    kgroups(list(1, 2), 1)
    kgroups(sum, 2)
    kgroups(array(0, c(2, 2, 2)), 2)
    kgroups(1i * 1:3, 2)
    kgroups(factor(c("a", "b")), 2)
  })
  # categories and missing cells have become points; what cannot be is refused as before
  expect_classed(kgroups(replace(x, 3, NA), 2, missing = "fail"), "x")
  expect_classed(kgroups(list_column, 3), "x")
})

test_that("wrong k", {
  expect_snapshot(error = TRUE, {
    kgroups(x, 0)
    kgroups(x)
    kgroups(x, 7)
    kgroups(x, 2.5)
    kgroups(x, NULL)
    kgroups(x, NA)
    kgroups(x, Inf)
    kgroups(x, "2")
    kgroups(x, 2:3)
    kgroups(x, 3, weights = c(1, 1, 0, 0, 0, 0))
  })
  expect_classed(kgroups(x, 0), "k")
})

test_that("wrong weights", {
  expect_snapshot(error = TRUE, {
    kgroups(x, 2, weights = 1:3)
    kgroups(x, 2, weights = c(1, 1, 1, -1, 1, 1))
    kgroups(x, 2, weights = rep(0, 6))
    kgroups(x, 2, weights = c(1, NA, 1, 1, 1, 1))
    kgroups(x, 2, weights = c(1, Inf, 1, 1, 1, 1))
    kgroups(x, 2, weights = letters[1:6])
  })
  expect_classed(kgroups(x, 2, weights = 1:3), "weights")
})

test_that("wrong starts", {
  expect_snapshot(error = TRUE, {
    kgroups(x, 2, init = "best")
    kgroups(x, 2, init = 1:3)
    kgroups(x, 2, init = rep(1, 6))
    kgroups(x, 2, init = 1:6)
    kgroups(x, 2, init = c(1, 2, NA, 1, 2, 1))
    kgroups(x, 2, init = list(1, 2))
    kgroups(x, 2, init = c(1, 1, 1, 1, 1, 2), weights = c(1, 1, 1, 1, 1, 0))
    kgroups(x, 2, nstart = 0)
    kgroups(x, 2, nstart = 1.5)
    kgroups(x, 2, iter.max = 0)
    kgroups(x, 2, method = "macqueen")
    kgroups(x, 2, keep.data = NA)
    kgroups(x, 2, centers = 3)
    kernel_kmeans(x, 2, method = "hartigan")
  })
  expect_classed(kgroups(x, 2, init = 1:3), "init")
  expect_classed(kgroups(x, 2, nstart = 0), "nstart")
  expect_classed(kgroups(x, 2, method = "macqueen"), "method")
})

test_that("wrong dissimilarities", {
  d <- dist(x)
  expect_snapshot(error = TRUE, {
    kgroups(replace(d, 2, NA), 2)
    kgroups(replace(d, 2, -1), 2)
    kgroups(replace(d, 2, Inf), 2)
    kgroups(structure(d, Size = 7L), 2)
    kgroups(d, 2, semimetric = rho_function(function(x, y) 0))
  })
  expect_classed(kgroups(replace(d, 2, NA), 2), "dist")
})

test_that("wrong Gram matrices", {
  G <- tcrossprod(x)
  expect_snapshot(error = TRUE, {
    as_gram(x)
    as_gram(replace(G, 2, 0))
    as_gram(replace(G, 1, NA))
    as_gram("a")
    as_gram(matrix(letters[1:4], 2))
    as_gram(matrix(0, 0, 0))
    semimetric_matrix(as_gram(G), type = "gram")
    semimetric_matrix(x, x0 = 1:3, type = "gram")
    semimetric_matrix(dist(x), x0 = 7, type = "gram")
  })
  expect_classed(as_gram(x), "gram")
  expect_snapshot(fit <- kgroups(as_gram(G), 2, semimetric = rho_power(1)))
})

test_that("wrong semimetrics", {
  expect_snapshot(error = TRUE, {
    rho_power(0)
    rho_power(2.5)
    rho_power(NA)
    rho_power("1")
    rho_exponential(0)
    rho_gaussian(-1)
    rho_function(1)
    kgroups(x, 2, semimetric = "mahalanobis")
    kgroups(x, 2, semimetric = rho_power)
    kgroups(x, 2, semimetric = rho_function(function(x, y) NA))
    kgroups(x, 2, semimetric = rho_function(function(x, y) 1:2))
    kgroups(x, 2, semimetric = rho_function(function(x, y) sum(x) - sum(y)))
    kgroups(x, 2, semimetric = rho_function(function(x, y) 1))
    kgroups(x, 2, semimetric = rho_function(function(x, y) 1, vectorized = TRUE))
    semimetric_matrix(dist(x), x)
    semimetric_matrix(x, 1:5)
  })
  expect_classed(rho_power(0), "alpha")
  expect_classed(kgroups(x, 2, semimetric = "mahalanobis"), "semimetric")
})

test_that("wrong calls of the energy statistics", {
  expect_snapshot(error = TRUE, {
    energy_statistics(x, 1:3)
    energy_statistics(x, c(1, 1, NA, 2, 2, 2))
    energy_distance(x)
    energy_distance(x, x, g = 1:6)
    energy_distance(x, 1:5)
    energy_distance(dist(x), x)
    energy_distance(x, x, sqrt = 2)
    energy_distance(x, g = 1:6, weights_y = 1:6)
    make_negative_type(x, weights = c(0, 1, 1, 1, 1, 1))
  })
})

test_that("messages name observations and columns", {
  x <- USArrests
  d <- dist(x)
  G <- as_gram(tcrossprod(as.matrix(x)))
  odd <- replace(rep(1, 50), 35, -1)
  missing <- unclass(G)
  missing[2, 35] <- missing[35, 2] <- NA
  expect_snapshot(error = TRUE, {
    kgroups(replace(x, cbind(35, 2), Inf), 3)
    kgroups(replace(x, cbind(35, 2), NA), 3, missing = "fail")
    kgroups(x, 3, weights = odd)
    kgroups(d, 3, weights = odd)
    kgroups(G, 3, weights = odd)
    kgroups(unname(as.matrix(x)), 3, weights = setNames(odd, letters[rep(1:25, 2)]))
    kgroups(x, 3, init = replace(rep(1:3, length.out = 50), 35, NA))
    energy_test(d, replace(rep(1:2, 25), 35, NA))
    kgroups(replace(d, 3, NA), 3)
    as_gram(missing)
  })
})

test_that("the position of a wrong pair of a dist is reported", {
  for (n in 2:6) {
    pairs <- which(lower.tri(diag(n)), arr.ind = TRUE)
    x <- structure(numeric(nrow(pairs)), Size = n)
    for (at in seq_len(nrow(pairs))) {
      expected <- sprintf("between %d and %d", pairs[at, 2], pairs[at, 1])
      expect_identical(kgroups:::pair_text(x, at), expected)
    }
  }
})

test_that("errors suggest the nearest name", {
  fit <- kgroups(iris[1:4], 3)
  expect_snapshot(error = TRUE, {
    kgroups(iris[1:4], 3, method = "Lloyd")
    plot(fit, "silhouete")
    kgroups(iris[1:4], 3, semimetric = "manhattan")
    kgroups(iris[1:4], 3, semimetric = "rbf")
    kgroups(iris[1:4], 3, metric = "euclidean")
    kgroups(iris$Species, 3)
    kgroups(Titanic, 3)
    kgroups(as.dist(cor(mtcars)), 3)
    energy_test(iris[1:50, 1:4], iris[51:100, 1:4])
    kgroups(iris[1:4], 3, semimetric = "gower")
    kgroups(iris[1:4], 3, semimetric = "manhatan")
    kgroups(iris[1:4], 3, missing = "omit")
  })
})

test_that("a constant column scaled to NaN is named", {
  expect_silent(fit <- kgroups(scale(cbind(USArrests, same = 1)), 3))
  expect_match(format(fit), "left out: same (empty)", fixed = TRUE, all = FALSE)
  expect_identical(fit$cluster, kgroups(scale(USArrests), 3)$cluster)
})
