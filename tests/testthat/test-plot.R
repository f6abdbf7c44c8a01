# "gaps" is for rho_connected() alone: test-connected.R
any_fit_types <- setdiff(plot_types, "gaps")

test_that("plot draws every type for every kind of input", {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off())
  set.seed(1)
  fits <- list(
    kgroups(iris[1:4], 3), kgroups(dist(iris[1:4]), 3), kgroups(iris[[1]], 3),
    kgroups(as_gram(tcrossprod(as.matrix(iris[1:4]))), 2), kgroups(iris[1:2], 14, init = "random"),
    kgroups(iris[1:2], 3, approx = nystroem(20))
  )
  for (fit in fits) {
    for (type in any_fit_types) expect_invisible(plot(fit, type = type))
  }
  plot(fits[[1]], hulls = FALSE, main = "of mine", xlim = c(-4, 4))
  graph <- kgroups(igraph::make_graph("Zachary"), 2)
  for (type in any_fit_types) expect_identical(plot(graph, type = type), graph)
})

test_that("wrong arguments of plot are classed errors", {
  fit <- kgroups(iris[1:4], 3)
  expect_error(plot(fit, type = "p"), class = "kg_error_type")
  expect_error(plot(fit, hulls = NA), class = "kg_error_hulls")
  one <- kgroups(iris[1:4], 1)
  expect_error(plot(one, type = "silhouette"), class = "kg_error_k")
  expect_snapshot(error = TRUE, plot(one, type = "silhouette"))
})

test_that("what is drawn is what the fit says", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  shown <- shown_points(fit)
  expect_identical(shown$cluster, unname(fit$cluster))
  expect_identical(shown$medoids, medoids(fit))
  bars <- silhouette_bars(fit)
  expect_equal(attr(bars, "mean"), mean(silhouette_widths(fit)$width))
  expect_false(is.unsorted(as.integer(bars$cluster)))
  for (part in split(bars$width, bars$cluster)) expect_false(is.unsorted(-part))
  starts <- start_table(fit)
  expect_equal(min(starts$value), fit$W)
  set.seed(1)
  large <- kgroups(matrix(rnorm(6000), 3000), 2, init = "random")
  shown <- shown_points(large)
  expect_lte(length(shown$x), 2002)
  expect_equal(
    cbind(shown$x, shown$y)[shown$medoids, ],
    unname(large$data[medoids(large), ])
  )
})

test_that("the line among the starts is the value they were compared by", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  x <- rbind(matrix(rnorm(200), 100), matrix(rnorm(20, 4), 10))
  fits <- list(kgroups(x, 2, size_term = TRUE), kgroups(x, 2, approx = nystroem(20, polish = TRUE)))
  labels <- c("Phi reached", "W reached")
  for (at in 1:2) {
    picture <- ggplot2::autoplot(fits[[at]], type = "objective")
    expect_identical(picture$labels$y, labels[at])
    line <- ggplot2::layer_data(picture, 1)$yintercept
    expect_true(any(ggplot2::layer_data(picture, 2)$y == line))
  }
})

test_that("autoplot gives ggplots of the same", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  for (type in any_fit_types) {
    picture <- ggplot2::autoplot(fit, type = type)
    expect_s3_class(picture, "ggplot")
    expect_silent(built <- ggplot2::ggplot_build(picture))
  }
  points <- ggplot2::layer_data(ggplot2::autoplot(fit), 2)
  expect_equal(nrow(points), 150)
  expect_equal(length(unique(points$colour)), 3)
  expect_equal(nrow(ggplot2::layer_data(ggplot2::autoplot(fit), 3)), 3)
  bars <- ggplot2::layer_data(ggplot2::autoplot(fit, type = "silhouette"), 1)
  expect_equal(sum(bars$y), sum(silhouette_widths(fit)$width))
  tiles <- ggplot2::layer_data(ggplot2::autoplot(fit, type = "dispersion"), 1)
  expect_equal(nrow(tiles), 9)
  expect_s3_class(ggplot2::autoplot(kgroups(iris[[1]], 3)), "ggplot")
  expect_error(ggplot2::autoplot(fit, type = "x"), class = "kg_error_type")
})

test_that("autoplot of a graph draws its layout and its edges", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  graph <- igraph::make_graph("Zachary")
  fit <- kgroups(graph, 2)
  picture <- ggplot2::autoplot(fit)
  edges <- ggplot2::layer_data(picture, 1)
  expect_equal(nrow(edges), igraph::ecount(graph))
  points <- ggplot2::layer_data(picture, 3)
  expect_equal(nrow(points), igraph::vcount(graph))
  # every edge begins and ends at a vertex
  at <- paste(points$x, points$y)
  ends <- igraph::as_edgelist(graph, names = FALSE)
  expect_identical(paste(edges$x, edges$y), at[ends[, 1]])
  expect_identical(paste(edges$xend, edges$yend), at[ends[, 2]])
  for (type in any_fit_types) expect_s3_class(ggplot2::autoplot(fit, type = type), "ggplot")
})

test_that("pictures do not change by accident", {
  skip_if_not_installed("vdiffr")
  skip_if_not_installed("ggplot2")
  skip_on_cran()
  set.seed(1)
  fit <- kgroups(iris[1:2], 3)
  for (type in any_fit_types) {
    vdiffr::expect_doppelganger(paste("base", type), function() plot(fit, type = type))
    if (same_ggplot2()) {
      vdiffr::expect_doppelganger(paste("ggplot", type), ggplot2::autoplot(fit, type = type))
    }
  }
})
