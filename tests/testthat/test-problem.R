# Problems, their stores, and what a fit keeps of them.

every_form <- function(n = 30) {
  x <- matrix(rnorm(2 * n), n, dimnames = list(paste0("p", seq_len(n)), c("a", "b")))
  own <- rho_function(function(x, y) sqrt(sum((x - y)^2)))
  G <- gram_matrix(x, rho_power(2))
  list(
    points = as_problem(x), frame = as_problem(as.data.frame(x)), vector = as_problem(x[, 1]),
    dist = as_problem(dist(x)), own = as_problem(x, own), gram = as_problem(G),
    sparse = as_problem(methods::as(Matrix::Matrix(unclass(G), sparse = TRUE), "CsparseMatrix"), NULL),
    weighted = as_problem(x, rho_gaussian(1), weights = runif(n)), large = as_problem(x * 1e200),
    landmarks = landmark_problem(x, own, NULL, NULL)
  )
}

test_that("every form of input makes a valid problem, and parts of it", {
  set.seed(1)
  for (problem in every_form()) {
    expect_identical(validate_problem(problem), problem)
    rows <- c(2, 5, 11, 12, 30)
    part <- subset_problem(problem, rows)
    if (!any(problem$weighted)) expect_identical(validate_problem(part), part)
    expect_equal(pair_values(part), pair_values(problem)[rows, rows], ignore_attr = TRUE)
    expect_equal(self_values(problem), diag(pair_values(problem)))
    i <- c(1, 4, 7, 7)
    j <- c(3, 4, 2, 30)
    rho <- outer(self_values(problem), self_values(problem), "+") - 2 * pair_values(problem)
    expect_equal(store_rho(problem$store, i, j), rho[cbind(i, j)])
    expect_equal(as.vector(store_product(cache_pairs(problem)$store, seq_len(30) / 1)), as.vector(pair_values(problem) %*% seq_len(30)))
  }
})

test_that("what is no problem is told by its fields", {
  problem <- as_problem(matrix(1:6, 3))
  expect_error(validate_problem(unclass(problem)), class = "kg_error_problem")
  expect_error(validate_problem(replace(problem, "w", list(c(1, 1)))), class = "kg_error_problem")
  expect_error(validate_problem(replace(problem, "unit", list(0))), class = "kg_error_problem")
  expect_error(validate_problem(replace(problem, "n", list(3L))), class = "kg_error_problem")
})

test_that("the data of a fit are the data, and it is serialised with them once", {
  set.seed(2)
  x <- matrix(rnorm(1e5), 1e4)
  fit <- kgroups(x, 3, init = "random")
  expect_identical(fit$data, x)
  once <- length(serialize(x, NULL))
  expect_lt(length(serialize(fit, NULL)), 1.2 * once)
  d <- dist(x[1:400, ])
  G <- gram_matrix(x[1:400, ])
  expect_lt(length(serialize(kgroups(d, 3), NULL)), 1.1 * length(serialize(d, NULL)))
  expect_lt(length(serialize(kgroups(G, 3), NULL)), 1.1 * length(serialize(G, NULL)))
  expect_identical(kgroups(d, 3)$data, d)
  expect_identical(kgroups(iris[1:4], 3)$data, iris[1:4])
  expect_identical(kgroups(1:9, 3)$data, 1:9)
  graph <- igraph::make_graph("Zachary")
  expect_true(igraph::is_igraph(kgroups(graph, 2)$data))
  none <- kgroups(iris[1:4], 3, keep.data = FALSE)
  expect_null(none$data)
  expect_null(none$kept)
  landmarks <- kgroups(x, 3, approx = nystroem(20))
  expect_identical(landmarks$data, x)
  expect_lt(length(serialize(landmarks, NULL)), 1.2 * once)
})

test_that("a fit read back predicts what it did", {
  set.seed(3)
  x <- as.matrix(iris[1:4])
  own <- rho_function(function(x, y) sum(abs(x - y)))
  fits <- list(
    kgroups(x, 3), kgroups(iris[1:4], 3, weights = rep(0:2, 50)), kgroups(dist(x), 3), kgroups(gram_matrix(x), 3),
    kgroups(x * 1e200, 3), kgroups(dist(x) * 1e200, 3), kgroups(x, 3, semimetric = own),
    kgroups(x, 3, semimetric = own, approx = nystroem(10)), kgroups(x, 3, approx = nystroem(20, polish = TRUE)),
    kgroups(x[, 1], 2), kgroups(x, 3, semimetric = rho_gaussian(), size_term = TRUE)
  )
  for (fit in fits) {
    back <- unserialize(serialize(fit, NULL))
    expect_identical(predict(back, type = "squared"), predict(fit, type = "squared"))
    d2 <- predict(fit, type = "squared")
    expect_identical(dim(d2), c(150L, fit$k))
    if (is.null(fit$size_term)) expect_gt(mean(max.col(-d2) == fit$cluster), 0.97)
  }
})
