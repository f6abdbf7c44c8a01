# Problems, their stores, and what a fit keeps of them.

every_form <- function(n = 30) {
  x <- matrix(rnorm(2 * n), n, dimnames = list(paste0("p", seq_len(n)), c("a", "b")))
  own <- rho_function(function(x, y) sqrt(sum((x - y)^2)))
  G <- semimetric_matrix(x, semimetric = rho_power(2), type = "gram")
  list(
    points = as_problem(x), frame = as_problem(as.data.frame(x)), vector = as_problem(x[, 1]),
    dist = as_problem(dist(x)), own = as_problem(x, own), gram = as_problem(G),
    sparse = as_problem(methods::as(Matrix::Matrix(unclass(G), sparse = TRUE), "CsparseMatrix"), NULL),
    weighted = as_problem(x, rho_gaussian(1), weights = runif(n)), large = as_problem(x * 1e200),
    landmarks = landmark_problem(x, own, NULL, NULL)
  )
}

# Fields of a problem that break the contract of new_problem().
problem_faults <- function(problem) {
  good <- c(
    class = inherits(problem, "kgroups_problem"),
    n = problem$n >= 1 && problem$n == problem$store$n,
    names = is.null(problem$names) || length(problem$names) == problem$n,
    w = length(problem$w) == problem$n && all(problem$w >= 0 & problem$w < 2) && max(problem$w) >= 1,
    units = problem$unit > 0 && problem$w_unit > 0,
    points = is.null(problem$points) || is.matrix(problem$points) && nrow(problem$points) == problem$n
  )
  names(good)[!good]
}

test_that("every form of input makes a valid problem, and parts of it", {
  set.seed(1)
  for (problem in every_form()) {
    expect_identical(problem_faults(problem), character())
    rows <- c(2, 5, 11, 12, 30)
    part <- subset_problem(problem, rows)
    if (!any(problem$weighted)) expect_identical(problem_faults(part), character())
    expect_equal(pair_values(part), pair_values(problem)[rows, rows], ignore_attr = TRUE)
    expect_equal(self_values(problem), diag(pair_values(problem)))
    i <- c(1, 4, 7, 7)
    j <- c(3, 4, 2, 30)
    rho <- outer(self_values(problem), self_values(problem), "+") - 2 * pair_values(problem)
    expect_equal(store_rho(problem$store, i, j), rho[cbind(i, j)])
    expect_equal(
      as.vector(store_product(cache_pairs(problem)$store, seq_len(30) / 1)),
      as.vector(pair_values(problem) %*% seq_len(30))
    )
  }
})

test_that("the data of a fit are the data, and it is serialised with them once", {
  set.seed(2)
  x <- matrix(rnorm(1e5), 1e4)
  fit <- kgroups(x, 3, init = "random", iter.max = 1000)
  expect_identical(fit$data, x)
  once <- length(serialize(x, NULL))
  expect_lt(length(serialize(fit, NULL)), 1.2 * once)
  d <- dist(x[1:400, ])
  G <- semimetric_matrix(x[1:400, ], type = "gram")
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
    kgroups(x, 3), kgroups(iris[1:4], 3, weights = rep(0:2, 50)), kgroups(dist(x), 3),
    kgroups(semimetric_matrix(x, type = "gram"), 3),
    kgroups(x * 1e200, 3), kgroups(dist(x) * 1e200, 3), kgroups(x, 3, semimetric = own),
    kgroups(x, 3, semimetric = own, approx = nystroem(10)), kgroups(x, 3, approx = nystroem(20, polish = TRUE)),
    kgroups(x[, 1], 2)
  )
  for (fit in fits) {
    back <- unserialize(serialize(fit, NULL))
    expect_identical(predict(back, type = "squared"), predict(fit, type = "squared"))
    d2 <- predict(fit, type = "squared")
    expect_identical(dim(d2), c(150L, fit$k))
    expect_gt(mean(max.col(-d2) == fit$cluster), 0.97)
  }
})

test_that("similarities of proxy's class are refused by name everywhere", {
  sim <- structure(stats::as.dist(cor(t(as.matrix(iris[1:20, 1:4])))), class = c("simil", "dist"))
  labels <- rep(1:2, 10)
  for (call in expression(
    kgroups(sim, 3), kernel_kmeans(sim, 2), energy_statistics(sim, labels), energy_distance(sim, g = labels),
    energy_distance(sim, sim), energy_test(sim, labels), semimetric_matrix(sim), semimetric_matrix(sim, type = "gram"),
    is_negative_type(sim),
    make_negative_type(sim), select_k(sim, 2:3), select_semimetric(sim, 2), kgroups(I(sim), 2)
  )) {
    expect_error(eval(call), "proxy::as.dist", fixed = TRUE, class = "kg_error_x")
  }
  expect_snapshot(error = TRUE, kgroups(sim, 2))
})

test_that("a formula that names no columns is an error with a hint", {
  expect_snapshot(error = TRUE, {
    kgroups(~ a + b, 3)
    kgroups(~ a + b, 3, data = as.matrix(iris[1:4]))
    kgroups(Species ~ Petal.Length, 3, data = iris)
    kgroups(~1, 3, data = iris)
    kgroups(~ Petal.Length:Petal.Width, 3, data = iris)
    kgroups(~Petal.Lenth, 3, data = iris)
    kgroups(~., data = iris[1:4])
    kgroups(iris[1:4], 3, data = iris)
    select_k(~Petal.Length)
  })
})

# ---- forms of one input ----

# The same answers from every form: helper-agreement.R. A failure names the form and the question.

expect_agreement <- function(problem, alpha) {
  differences <- agreement_differences(problem, agreement_forms(problem, alpha))
  reported <- if (!is.null(differences)) {
    paste(differences$form, differences$question, format(differences$difference), differences$text, collapse = "\n")
  }
  expect_null(reported)
}

test_that("all forms of one input agree, whatever the semimetric and the weights", {
  set.seed(1201)
  for (alpha in repeats(list(0.5, 2), list(1, 0.5, 1.5, 2, NULL))) {
    for (weighted in c(FALSE, TRUE)) {
      expect_agreement(agreement_problem(weighted = weighted), alpha)
    }
  }
})

test_that("all forms agree where observations are equal and where there are many clusters", {
  set.seed(1202)
  expect_agreement(agreement_problem(ties = TRUE, weighted = TRUE), 1)
  expect_agreement(agreement_problem(n = 40, d = 2, k = 8), 1)
  expect_agreement(agreement_problem(n = 40, d = 12, k = 4, weighted = TRUE), 1)
})

test_that("all forms agree far from the origin", {
  set.seed(1203)
  for (offset in c(-1e3, 1e5)) expect_agreement(agreement_problem(offset = offset, weighted = TRUE), 1)
})

test_that("blocks agree with the definitions and with each other", {
  set.seed(1204)
  for (alpha in list(1, 2, NULL, rho_exponential(1))) {
    for (weighted in c(FALSE, TRUE)) {
      expect_null(agreement_blocks(agreement_problem(weighted = weighted, ties = weighted), alpha))
    }
  }
})

test_that("a graph and the matrices that it stands for agree", {
  set.seed(1205)
  for (gram in c("adjacency", "normalized-cut", "bethe-hessian")) {
    for (vertex_weights in c("degree", "unit")) {
      problem <- agreement_graph(weighted = vertex_weights == "unit", gram = gram, vertex_weights = vertex_weights)
      expect_null(agreement_differences(problem, agreement_graph_forms(problem)))
    }
  }
})

test_that("a path is to be read, and text is a column", {
  hint <- function(x) tryCatch(kgroups(x, 2), kg_error_x = function(e) e$body[["i"]])
  expect_match(hint("data/a.csv"), "Read the file first", fixed = TRUE)
  expect_match(hint("abc"), "Pass a matrix or data frame", fixed = TRUE)
  expect_match(hint(c("a.csv", "b.csv")), "data.frame(x)", fixed = TRUE)
})
