# Random calls of everything a user can call (helper-fuzz-*.R; the long run is
# tools/trust/fuzz.R), and what such calls have found.

test_that("random calls return a valid result or a classed error", {
  skip_on_cran()
  for (package in c("kernlab", "ggplot2", "cluster", "clue", "withr")) skip_if_not_installed(package)
  for (seed in repeats(seq(4, 200, 4), 1:200)) {
    expect_identical(as.vector(fuzz_run(seed)), character(), info = paste("seed", seed))
  }
})

plot_to_nowhere <- function(...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(...)
}

test_that("a missing required argument is a classed error", {
  for (call in expression(
    kgroups(), kernel_kmeans(), energy_statistics(), energy_distance(), energy_distance(g = 1:2),
    energy_test(), as_gram(), is_negative_type(), semimetric_matrix(), rho_function(), select_k(), select_semimetric(),
    compare_clusters(), compare_clusters(1:3, "accuracy"), bethe_hessian(), count_communities(),
    cluster_kgroups(), cluster_bethe_hessian(), cluster_belief_propagation(), cluster_communities(),
    row_blocks(), stability()
  )) {
    expect_error(eval(call), class = "kg_error", info = deparse(call))
  }
  # the first argument of all that is exported; the generics of other packages have answers of their own
  for (name in setdiff(getNamespaceExports("kgroups"), c("augment", "glance", "tidy"))) {
    f <- getExportedValue("kgroups", name)
    needed <- setdiff(names(formals(f)), "...")[1L]
    if (is.na(needed) || !rlang::is_missing(formals(f)[[needed]])) next
    expect_error(f(), class = "kg_error", info = name)
  }
})

test_that("an error in a user's function is the parent of a classed error", {
  set.seed(1)
  f <- rho_function(function(x, y) stop("no such {ink}"))
  e <- expect_error(kgroups(matrix(rnorm(20), 10), 2, semimetric = f), class = "kg_error_semimetric")
  expect_match(conditionMessage(e$parent), "no such {ink}", fixed = TRUE)
  for (part in c("It gets two rows of the data as vectors", "no such {ink}")) expect_match(conditionMessage(e), part, fixed = TRUE)
  expect_error(kgroups(1:5, 2, semimetric = rho_function(function(x) 1)), class = "kg_error_semimetric")
  e <- expect_error(
    kgroups(1:5, 2, semimetric = rho_function(function(x, y) stop("no ink"), vectorized = TRUE)),
    class = "kg_error_semimetric"
  )
  expect_match(conditionMessage(e$parent), "no ink")
})

test_that("new observations whose distances overflow are refused, not labelled", {
  set.seed(1)
  x <- matrix(rnorm(40), 20)
  far <- matrix(1e200, 1, 2)
  for (fit in list(kgroups(x, 2), kgroups(x, 2, semimetric = rho_power(2)), kgroups(x, 2, approx = nystroem(5)))) {
    expect_error(predict(fit, far), class = "kg_error_range")
    expect_error(predict(fit, far, type = "squared"), class = "kg_error_range")
  }
  expect_error(predict(kgroups(dist(x), 2), matrix(1e200, 1, 20)), class = "kg_error_range")
  expect_error(semimetric_matrix(x, far), class = "kg_error_range")
  expect_error(predict(kgroups(x, 2), replace(far, 1, NA)), class = "kg_error_range")
  expect_error(predict(kgroups(x, 2), data.frame(a = "u", b = 1)), class = "kg_error_newdata")
  # in the scale of data that are far out themselves there is no overflow
  fit <- kgroups(1e200 * x, 2)
  expect_identical(predict(fit, 1e200 * x), fit$cluster)
})

test_that("pairwise dissimilarities out of range are reported", {
  x <- c(-1, -1, 1, 1) * 1.7e308
  y <- matrix(c(-1, 1), 4, 3) * 1.7e308
  expect_error(energy_distance(y, 0 * y), class = "kg_error_range")
  expect_error(select_semimetric(x, 2), class = "kg_error_range")
  expect_error(semimetric_matrix(x), class = "kg_error_range")
  expect_error(semimetric_matrix(x, type = "gram"), class = "kg_error_range")
})

test_that("energy statistics of a sparse Gram matrix are those of the dense one", {
  set.seed(1)
  sparse <- Matrix::crossprod(Matrix::rsparsematrix(30, 20, 0.2))
  labels <- rep(c("a", "b", "c"), c(5, 5, 10))
  w <- runif(20)
  dense <- as_gram(as.matrix(sparse))
  expect_equal(energy_statistics(sparse, labels, weights = w), energy_statistics(dense, labels, weights = w))
  expect_equal(energy_distance(sparse, g = labels), energy_distance(dense, g = labels))
  expect_equal(
    energy_statistics(Matrix::Diagonal(4), c(1, 1, 2, 2)), energy_statistics(as_gram(diag(4)), c(1, 1, 2, 2))
  )
  fit <- kgroups(sparse, 3, weights = w)
  expect_equal(energy_statistics(sparse, fit$cluster, weights = w)$W, fit$W)
  test <- function(x) {
    set.seed(2)
    energy_test(x, labels, R = 9)[c("statistic", "p.value")]
  }
  expect_equal(test(sparse), test(dense))
  expect_error(energy_statistics(igraph::make_ring(4), 1:4), class = "kg_error_x")
  # a sparse matrix is resampled
  expect_length(stability(fit, B = 3)$observations, 20)
})

test_that("graphs: weights and r whose squares overflow", {
  set.seed(1)
  graph <- igraph::make_full_graph(5)
  for (weight in c(1e200, 1e-200)) {
    expect_error(cluster_bethe_hessian(graph, 2, weights = rep(weight, 10)), class = "kg_error_weights")
    expect_error(kgroups(graph, 2, weights = rep(weight, 10)), class = "kg_error_weights")
    expect_error(count_communities(graph, weights = rep(weight, 10)), class = "kg_error_weights")
  }
  expect_error(bethe_hessian(graph, 1e200), class = "kg_error_r")
  # an error in r of a weighted graph used to be wrapped by a method of Matrix
  expect_error(count_communities(graph, 0.5, weights = 1:10), class = "kg_error_r")
  expect_error(cluster_kgroups(graph, 6), class = "kg_error_k")
  expect_identical(
    conditionCall(tryCatch(cluster_kgroups(graph, 6), error = identity))[[1L]], quote(cluster_kgroups)
  )
})

test_that("a cluster of weight 0 has no mean, which is NA in the summary", {
  fit <- kgroups(igraph::make_empty_graph(4, FALSE), 2)
  expect_false(any(is.nan(summary(fit)$clusters$half_mean)))
})

test_that("rows of blocks that cannot be distinguished share a cluster", {
  equal <- function(i) matrix(1, 5, 2)
  expect_warning(
    fit <- kgroups(row_blocks(equal, 2), 3, approx = nystroem(4)),
    class = "kg_warning_empty"
  )
  expect_identical(fit$k, 1L)
  # it does not read the blocks over and over to fill what cannot be filled
  expect_lt(fit$iterations, 5)
  expect_identical(fit$sizes, 10L)
  expect_identical(length(fit$within), 1L)
  expect_identical(unname(predict(fit, matrix(1, 2, 2))), c(1L, 1L))
})

test_that("sparse Gram matrices of any scale, with weights of any scale", {
  set.seed(1)
  sparse <- Matrix::crossprod(Matrix::rsparsematrix(30, 12, 0.3))
  w <- runif(12)
  set.seed(1)
  base <- kgroups(sparse, 3, weights = w)
  for (e in c(-900, 900)) {
    set.seed(1)
    fit <- kgroups(sparse, 3, weights = w * 2^e)
    expect_identical(fit$cluster, base$cluster)
    expect_equal(fit$W / 2^e, base$W)
    expect_equal(predict(fit, type = "squared"), predict(base, type = "squared"))
    set.seed(1)
    fit <- kgroups(sparse * 2^e, 3, weights = w)
    expect_equal(fit$W / 2^e, base$W)
    expect_silent(plot_to_nowhere(fit))
  }
  expect_error(energy_statistics(sparse * 1e300, 1:12, weights = w * 1e300), class = "kg_error_range")
  expect_error(kernel_kmeans(sparse), class = "kg_error_k")
})

test_that("a sigma so small that it vanishes in the scale of the data", {
  set.seed(1)
  x <- c(-1, -1, 1, 2) * 1e150
  expect_identical(kgroups(x, 3, semimetric = rho_gaussian(1e-200))$W, 0)
  expect_equal(kgroups(x, 1, semimetric = rho_exponential(1e-200))$W, 10 * 2 / 8)
})

test_that("values at the ends of the range are classed errors, never NA", {
  huge <- matrix(c(0, 0, -1, 0, 0, 0, 1, 1, 1, -1, 1, 1, 0, 1, -1, 0), 8) * .Machine$double.xmax
  expect_error(energy_test(huge, rep(1:2, 4), R = 19), class = "kg_error_range")
  expect_error(make_negative_type(huge), class = "kg_error_range")
  set.seed(1)
  tiny <- matrix(rnorm(24), 12) * 1e-320
  expect_error(
    suppressWarnings(
      kgroups(tiny, 1, semimetric = rho_function(function(x, y) max(abs(x - y))), approx = nystroem(10))
    ),
    class = "kg_error_range"
  )
})

test_that("silhouettes of an indefinite Gram matrix stay within -1 and 1, and are drawn", {
  G <- matrix(c(0, 1, 2, 1, 0, 1, 2, 1, 0), 3)
  fit <- suppressWarnings(kgroups(as_gram(G), 2, init = c(1, 2, 2)))
  width <- silhouette_widths(fit)$width
  expect_true(all(abs(width) <= 1))
  expect_silent(plot_to_nowhere(fit, type = "silhouette"))
})

test_that("every graph has a finite layout", {
  graph <- igraph::make_graph(c(1, 2, 2, 3, 1, 3), n = 5, directed = FALSE)
  graph <- igraph::set_vertex_attr(graph, "x", value = c(NaN, 0, 1, 0, 0))
  graph <- igraph::set_vertex_attr(graph, "y", value = c(NaN, 0, 1, 0, 0))
  expect_silent(plot_to_nowhere(suppressMessages(kgroups(graph, 1))))
})

test_that("a graph needs no k, through kernel_kmeans() either", {
  set.seed(1)
  graph <- igraph::disjoint_union(igraph::make_full_graph(6), igraph::make_full_graph(6))
  fits <- suppressMessages(suppressWarnings(list(kgroups(graph), kernel_kmeans(graph))))
  expect_identical(fits[[2L]]$k, fits[[1L]]$k)
})

test_that("false graphs are refused, and graphs with extreme weights are drawn", {
  expect_error(kgroups(structure(list(), class = "igraph"), 2), class = "kg_error_graph")
  graph <- igraph::set_edge_attr(igraph::make_ring(6), "weight", value = c(0, 1, 1, 1, 1, 1))
  expect_silent(plot_to_nowhere(suppressMessages(kgroups(graph, 2))))
  lone <- kgroups(igraph::make_empty_graph(4, FALSE), 1)
  expect_silent(plot_to_nowhere(lone))
  expect_error(plot_to_nowhere(lone, type = "dispersion"), class = "kg_error_graph")
})

test_that("messages describe values", {
  expect_identical(value_text(character()), "a character vector of length 0")
  expect_identical(value_text(c(1, 2)), "a numeric vector of length 2")
  expect_identical(value_text(1:3), "an integer vector of length 3")
  expect_identical(value_text(quote(a + b)), "a call")
  expect_identical(value_text(list(1)), "a list of length 1")
})

test_that("faults found by random calls stay repaired", {
  set.seed(1)
  # nothing varies, and a cell is missing
  x <- matrix(c(3, 3, 3, 3, NA, 3), 2)
  expect_equal(suppressMessages(semimetric_matrix(x)), matrix(0, 2, 2), ignore_attr = TRUE)
  # a column whose name is missing, with a cell that is
  x <- matrix(c(1, 2, 5, 7, NA, 9), 3, dimnames = list(NULL, c("a", NA)))
  expect_s3_class(suppressMessages(kgroups(x, 2)), "kgroups_fit")
  # few landmarks of a function of the user's, in blocks
  set.seed(1)
  points <- matrix(rnorm(60), 30)
  f <- rho_function(function(x, y) as.matrix(semimetric_matrix(x, y)), vectorized = TRUE)
  blocks <- row_blocks(function(i) points[seq(i, 30, by = 3), ], 3)
  fit <- suppressMessages(suppressWarnings(kgroups(blocks, 3, semimetric = f, approx = nystroem(5))))
  expect_s3_class(fit, "kgroups_fit")
  expect_error(energy_test(points), class = "kg_error_g")
  # the largest doubles in blocks
  most <- as.data.frame(matrix(sample(c(-1, 0, 1), 60, TRUE) * .Machine$double.xmax, 30))
  blocks <- row_blocks(function(i) most[seq(i, 30, by = 3), ], 3)
  given <- nystroem(landmarks = matrix(rnorm(8), 4))
  answer <- tryCatch(suppressMessages(suppressWarnings(kgroups(blocks, 1, approx = given))), error = identity)
  expect_true(inherits(answer, "kgroups_fit") || inherits(answer, "kg_error"))
})

test_that("memory is estimated before an allocation", {
  set.seed(1)
  x <- matrix(rnorm(600), 200)
  fit <- kgroups(x, 3)
  marked <- kgroups(x, 3, approx = nystroem(20))
  withr::with_options(list(kgroups.memory = 5000), {
    for (one in list(fit, marked)) {
      for (type in c("distance", "squared")) {
        expect_error(predict(one, x, type = type), class = "kg_error_memory")
        expect_error(predict(one, type = type), class = "kg_error_memory")
      }
      expect_identical(unname(predict(one, x)), unname(one$cluster))
    }
    expect_error(kgroups(x, 3, approx = nystroem(100)), class = "kg_error_memory")
  })
})
