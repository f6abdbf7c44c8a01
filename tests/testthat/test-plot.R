# "gaps" is for rho_connected() alone: test-connected.R
any_fit_types <- setdiff(plot_types, "gaps")

test_that("arguments of plot.default() are passed on; graphs have no silhouettes and dispersions", {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off())
  fit <- every_fit()$points
  expect_invisible(plot(fit, hulls = FALSE, main = "of mine", xlim = c(-4, 4)))
  graph <- every_fit()$graph
  # its matrix has no distances
  for (type in c("coordinates", "objective")) expect_identical(plot(graph, type = type), graph)
  for (type in c("silhouette", "dispersion")) expect_error(plot(graph, type = type), class = "kg_error_graph")
})

test_that("wrong arguments of plot are classed errors", {
  fit <- kgroups(iris[1:4], 3)
  expect_error(plot(fit, type = "p"), class = "kg_error_type")
  expect_error(plot(fit, hulls = NA), class = "kg_error_hulls")
  one <- kgroups(iris[1:4], 1)
  expect_error(plot(one, type = "silhouette"), class = "kg_error_k")
  expect_snapshot(error = TRUE, plot(one, type = "silhouette"))
})

test_that("figures contain the labels, medoids, silhouettes and starts of the fit", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  shown <- shown_points(fit)
  expect_identical(shown$cluster, unname(fit$cluster))
  expect_identical(shown$medoids, medoids(fit))
  layers <- silhouette_figure(fit)$layers
  expect_equal(layers[[2]]$data$x, mean(silhouette_widths(fit)$width))
  bars <- layers[[1]]$data
  expect_false(is.unsorted(as.integer(bars$group)))
  for (part in split(bars$xmin + bars$xmax, bars$group)) expect_false(is.unsorted(-part))
  expect_equal(min(objective_figure(fit)$layers[[2]]$data$y), fit$W)
  set.seed(1)
  large <- kgroups(matrix(rnorm(6000), 3000), 2, init = "random")
  shown <- shown_points(large)
  expect_lte(length(shown$x), 2002)
  expect_equal(
    cbind(shown$x, shown$y)[shown$medoids, ],
    unname(large$data[medoids(large), ])
  )
})

test_that("points, crosses and texts of a figure stand for numbers of the fit", {
  set.seed(1)
  fit <- kgroups(iris[1:2], 3)
  layer <- function(figure, kind) lapply(figure$layers[kinds_of(figure) == kind], `[[`, "data")
  figure <- fit_figure(fit, "coordinates")
  points <- layer(figure, "point")
  expect_equal(cbind(points[[1]]$x, points[[1]]$y), unname(as.matrix(iris[1:2])))
  expect_equal(cbind(points[[2]]$x, points[[2]]$y), unname(as.matrix(iris[medoids(fit), 1:2])))
  expect_identical(layer(figure, "text")[[1]]$label, as.character(1:3))
  figure <- fit_figure(fit, "dispersion")
  between <- semimetric_matrix(iris[1:2])
  means <- outer(1:3, 1:3, Vectorize(function(a, b) mean(between[fit$cluster == a, fit$cluster == b])))
  tile <- layer(figure, "tile")[[1]]
  expect_equal(tile$value, means[cbind(as.integer(tile$x), 4L - as.integer(tile$y))])
  expect_equal(as.numeric(layer(figure, "text")[[1]]$label), tile$value, tolerance = 0.002)
})

test_that("the line of the start plot is the value that starts are compared by", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  x <- rbind(matrix(rnorm(200), 100), matrix(rnorm(20, 4), 10))
  fits <- list(kgroups(x, 2, size_term = TRUE), kgroups(x, 2, approx = nystroem(20, polish = TRUE)))
  labels <- c("Phi attained", "W attained")
  for (at in 1:2) {
    figure <- ggplot2::autoplot(fits[[at]], type = "objective")
    expect_identical(figure$labels$y, labels[at])
    line <- ggplot2::layer_data(figure, 1)$yintercept
    expect_true(any(ggplot2::layer_data(figure, 2)$y == line))
  }
})

test_that("autoplot returns a ggplot with the same layers", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  for (type in any_fit_types) {
    figure <- ggplot2::autoplot(fit, type = type)
    expect_s3_class(figure, "ggplot")
    expect_silent(built <- ggplot2::ggplot_build(figure))
  }
  points <- ggplot2::layer_data(ggplot2::autoplot(fit), 2)
  expect_equal(nrow(points), 150)
  expect_equal(length(unique(points$colour)), 3)
  expect_equal(nrow(ggplot2::layer_data(ggplot2::autoplot(fit), 3)), 3)
  # bars lie: their length is along x
  bars <- ggplot2::layer_data(ggplot2::autoplot(fit, type = "silhouette"), 1)
  expect_equal(sum(bars$xmax + bars$xmin), sum(silhouette_widths(fit)$width))
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
  figure <- ggplot2::autoplot(fit)
  edges <- ggplot2::layer_data(figure, 1)
  expect_equal(nrow(edges), igraph::ecount(graph))
  points <- ggplot2::layer_data(figure, 3)
  expect_equal(nrow(points), igraph::vcount(graph))
  # every edge begins and ends at a vertex
  at <- paste(points$x, points$y)
  ends <- igraph::as_edgelist(graph, names = FALSE)
  expect_identical(paste(edges$x, edges$y), at[ends[, 1]])
  expect_identical(paste(edges$xend, edges$yend), at[ends[, 2]])
  for (type in c("coordinates", "objective")) expect_s3_class(ggplot2::autoplot(fit, type = type), "ggplot")
})

test_that("figures of a fit have the same titles, axes and layers", {
  set.seed(1)
  fit <- kgroups(iris[1:2], 3, init = "kmeans++", nstart = 4)
  for (type in any_fit_types) expect_snapshot(described(expect_drawn(fit_figure(fit, type))))
  expect_snapshot(described(expect_drawn(fit_figure(kgroups(iris[[1]], 2), "coordinates"))))
})

test_that("ggplot2 draws the layers of a figure", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  for (type in any_fit_types) {
    figure <- fit_figure(fit, type)
    drawn <- ggplot_figure(figure)
    expect_identical(drawn$labels$title, wrapped(figure$title, 52))
    built <- ggplot2::ggplot_build(drawn)$data
    expect_length(built, length(figure$layers))
    for (i in seq_along(built)) {
      layer <- figure$layers[[i]]
      expect_equal(nrow(built[[i]]), nrow(layer$data))
      if (!is.null(layer$data$group) && layer$kind == "point") {
        expect_identical(built[[i]]$colour, figure$groups$colour[as.integer(layer$data$group)])
      }
    }
  }
})

test_that("colours and shapes differ for 64 clusters", {
  groups <- cluster_groups(64)
  expect_false(anyDuplicated(groups[c("colour", "shape")]) > 0)
  expect_identical(length(unique(cluster_groups(8)$colour)), 8L)
  expect_identical(length(unique(cluster_groups(8)$shape)), 8L)
  set.seed(1)
  many <- kgroups(iris[1:2], 14, init = "random")
  for (type in any_fit_types) expect_drawn(fit_figure(many, type))
})

test_that("the silhouette plot contains n and the mean width, labels of axes their share of the dispersion", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  figure <- fit_figure(fit, "silhouette")
  kinds <- kinds_of(figure)
  reported <- figure$layers[[which(kinds == "text")]]$data$label
  width <- silhouette_widths(fit)$width
  means <- tapply(width, fit$cluster, mean)
  expect_identical(reported, sprintf("%d: n = %d, mean %.2f", 1:3, fit$sizes, means))
  bars <- figure$layers[[which(kinds == "rect")]]$data
  expect_equal(sum(bars$xmax + bars$xmin), sum(width))
  # the shares of all principal coordinates sum to one
  scaled <- classical_scaling(pair_values(kept_problem(fit)), 2L, 150L)
  shares <- scaled$values / scaled$trace
  expect_equal(sum(shares), 1)
  expect_match(fit_figure(fit, "coordinates")$x$label, sprintf("(%.0f %% of dispersion)", 100 * shares[1]), fixed = TRUE)
})

test_that("principal coordinates give back the distances", {
  set.seed(2)
  x <- matrix(rnorm(20), 10)
  found <- plane_coordinates(as_problem(dist(x), rho_power(2)), 1:10)
  expect_equal(as.vector(dist(found)), as.vector(dist(x)))
})

test_that("the nearest clusters are those of the least energy distance", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 4)
  apart <- as.matrix(energy_distance(iris[1:4], g = fit$cluster))
  diag(apart) <- NA
  at <- sort(arrayInd(which.min(apart), dim(apart)))
  expect_match(
    fit_figure(fit, "dispersion")$title,
    sprintf("Nearest clusters: %d and %d, energy distance %s", at[1], at[2], format(min(apart, na.rm = TRUE), digits = 3))
  )
})

test_that("vertices of a small graph have their names", {
  graph <- karate()
  igraph::V(graph)$name <- paste0("v", 1:34)
  fit <- kgroups(graph, 2)
  figure <- expect_drawn(fit_figure(fit, "coordinates"))
  text <- figure$layers[[which(kinds_of(figure) == "text")]]$data
  expect_setequal(text$label, paste0("v", 1:34))
})

test_that("plots of many rows use the same rows each time and no random number", {
  skip_on_cran()
  set.seed(1)
  x <- rbind(matrix(rnorm(22000), ncol = 2), matrix(rnorm(30, 9), ncol = 2))
  fit <- kgroups(x, 2, approx = nystroem(20))
  graph <- kgroups(karate(), 2)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  set.seed(5)
  before <- .Random.seed
  for (type in any_fit_types) expect_error(plot(fit, type = type), NA)
  for (type in c("coordinates", "objective")) plot(graph, type = type)
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    for (type in any_fit_types) print(ggplot2::autoplot(fit, type = type))
    print(ggplot2::autoplot(graph))
  }
  expect_identical(.Random.seed, before)
  shown <- shown_points(fit)
  expect_identical(shown_points(fit), shown)
  expect_setequal(shown$cluster, 1:2)
})

test_that("plot() creates no seed if there is none", {
  old <- .Random.seed
  on.exit(assign(".Random.seed", old, envir = globalenv()))
  rm(".Random.seed", envir = globalenv())
  grDevices::pdf(NULL)
  fit <- kgroups(karate(), 2)
  if (exists(".Random.seed", globalenv())) rm(".Random.seed", envir = globalenv())
  plot(fit)
  grDevices::dev.off()
  expect_false(exists(".Random.seed", globalenv()))
})

test_that("rows are thinned in proportion to the clusters", {
  cluster <- rep(1:3, c(9000, 990, 10))
  rows <- thinned_rows(cluster, 2000)
  expect_equal(tabulate(cluster[rows]), c(1800, 198, 2))
  expect_identical(thinned_rows(cluster[1:100], 2000), 1:100)
})

test_that("one colour or shape per cluster sets those of all layers", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  for (type in any_fit_types) {
    figure <- fit_figure(fit, type)
    styled <- styled_groups(figure, list(col = 2:4, pch = 0:2, main = "a"))
    if (is.null(figure$groups) || nrow(figure$groups) != 3L) {
      expect_identical(styled$figure, figure)
      next
    }
    expect_identical(styled$figure$groups$colour, fade(2:4, 1))
    expect_identical(styled$figure$groups$shape, 0:2)
    expect_identical(styled$theirs, list(main = "a"))
  }
  # one value for all points, or one per observation, is left to points()
  for (col in list("red", rep("red", 150))) {
    styled <- styled_groups(figure, list(col = col))
    expect_identical(styled, list(figure = figure, theirs = list(col = col)))
  }
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit, col = 2:4, pch = c(1, 19, 4)))
})
