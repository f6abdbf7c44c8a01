# "gaps" and "units" are for fits of rho_connected() and of units: test-connected.R, test-units.R;
# two types need columns
any_fit_types <- setdiff(plot_types, c("gaps", "pairs", "profile", "units"))

test_that("plot() draws and returns a ggplot invisibly; graphs have no silhouettes and dispersions", {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off())
  fit <- every_fit()$points
  expect_s3_class(expect_invisible(plot(fit, outline = "none")), "ggplot")
  graph <- every_fit()$graph
  # its matrix has no distances
  expect_s3_class(plot(graph), "ggplot")
  for (type in c("silhouette", "dispersion")) expect_error(plot(graph, type = type), class = "kg_error_graph")
})

test_that("wrong arguments of plot are classed errors", {
  fit <- kgroups(iris[1:4], 3)
  expect_error(plot(fit, type = "p"), class = "kg_error_type")
  expect_error(plot(fit, outline = NA), class = "kg_error_outline")
  one <- kgroups(iris[1:4], 1)
  expect_error(plot(one, type = "silhouette"), class = "kg_error_k")
  expect_snapshot(error = TRUE, plot(one, type = "silhouette"))
})

test_that("the plane holds the principal components of the points", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  plane <- fit_plane(fit, NULL, NULL, NULL)
  found <- stats::prcomp(iris[1:4])
  expect_equal(abs(unname(plane$at)), abs(unname(found$x[, 1:2])))
  share <- found$sdev^2 / sum(found$sdev^2)
  figure <- as_figure(fit)
  expect_identical(figure$x$label, sprintf("Component 1 (%.0f %% of variance)", 100 * share[1]))
  numbers <- figure$layers[[length(figure$layers)]]$data
  means <- rowsum(unname(plane$at), fit$cluster) / fit$sizes
  expect_equal(cbind(numbers$x, numbers$y), unname(means))
  expect_identical(as.character(numbers$group), c("1", "2", "3"))
  # more columns than rows, weights, and scales near the ends of the range
  x <- matrix(rnorm(300), 10)
  w <- runif(10)
  wide <- kgroups(x, 2, weights = w)
  z <- t(t(x) - colSums(w * x) / sum(w))
  at <- svd(sqrt(w) * z)
  expect_equal(abs(unname(fit_plane(wide, NULL, NULL, NULL)$at)), abs(unname(z %*% at$v[, 1:2])))
  for (scale in c(1e-200, 1e200)) expect_drawn(as_figure(kgroups(scale * as.matrix(iris[1:4]), 3)))
  expect_drawn(as_figure(kgroups(matrix(1, 6, 3) + rep(0:1, each = 3), 2)))
})

test_that("discriminant coordinates are those of MASS::lda()", {
  skip_if_not_installed("MASS")
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  at <- fit_plane(fit, NULL, "discriminant", NULL)$at
  theirs <- stats::predict(MASS::lda(iris[1:4], fit$cluster))$x
  expect_equal(abs(diag(stats::cor(at, theirs))), c(1, 1), ignore_attr = TRUE)
  expect_drawn(as_figure(kgroups(iris[1:4], 2), space = "discriminant"))
})

test_that("chosen columns, names and planes are shown or refused", {
  set.seed(1)
  fit <- kgroups(iris, 3, missing = "impute")
  figure <- expect_drawn(as_figure(fit, c("Petal.Length", "Species")))
  expect_identical(figure$x$label, "Petal.Length")
  expect_identical(figure$y$labels, rev(levels(iris$Species))[3:1])
  expect_drawn(as_figure(fit, 3))
  for (columns in list("a", 9, c(1.5, 2), NA, 1:3, "silhouette")) expect_error(
    plot(fit, columns), class = "kg_error_columns"
  )
  expect_error(plot(kgroups(dist(iris[1:4]), 3), 1:2), class = "kg_error_columns")
  expect_error(plot(kgroups(dist(iris[1:4]), 3), space = "points"), class = "kg_error_space")
  expect_error(plot(fit, space = "round"), class = "kg_error_space")
  expect_error(ggplot2::autoplot(fit, colour = 1), class = "kg_error_dots")
  cities <- as_figure(kgroups(UScitiesD, 3))
  text <- cities$layers[[which(kinds_of(cities) == "text")]]$data
  expect_setequal(text$label, attr(UScitiesD, "Labels"))
  expect_drawn(cities)
})

test_that("an ellipse holds 90 % of its cluster", {
  set.seed(1)
  frame <- data.frame(x = rnorm(500), y = 3 + rexp(500), group = factor(1))
  corners <- ellipse_corners(frame)
  inside <- vapply(seq_len(500), function(i) {
    hull <- grDevices::chull(c(corners$x, frame$x[i]), c(corners$y, frame$y[i]))
    !61 %in% hull
  }, NA)
  expect_equal(mean(inside), 0.9, tolerance = 0.01)
  expect_null(ellipse_corners(data.frame(x = 1:9, y = 1:9, group = factor(1))))
})

test_that("cells count all points; points at one place are one with their count", {
  set.seed(1)
  frame <- data.frame(x = rnorm(6000), y = rnorm(6000), group = as_cluster(rep(1:2, 3000), 2))
  cells <- density_cells(frame)
  expect_lte(nrow(cells), 4900)
  expect_equal(max(cells$alpha), 1)
  large <- kgroups(as.matrix(frame[1:2]), 2, init = frame$group, iter.max = 1) |> suppressWarnings()
  figure <- expect_drawn(as_figure(large))
  expect_true("rect" %in% kinds_of(figure))
  expect_false("point" %in% kinds_of(figure)[1:2])
  codes <- data.frame(x = rep(1:2, c(30, 10)), y = 1, group = as_cluster(rep(1, 40), 1))
  expect_equal(counted_points(codes)$size, 0.8 + 2.7 * sqrt(c(1, 1 / 3)))
  expect_null(counted_points(frame))
})

test_that("one column is a histogram whose lines lie midway between neighbours", {
  x <- c(1, 2, 3, 11, 12, 14)
  fit <- kgroups(x, 2)
  figure <- expect_drawn(as_figure(fit))
  kinds <- kinds_of(figure)
  expect_equal(figure$layers[[which(kinds == "down")]]$data$x, 7)
  bars <- figure$layers[[which(kinds == "rect")]]$data
  expect_equal(sum(bars$ymax - bars$ymin), 6)
  expect_length(cluster_cuts(c(1, 2, 3, 4), c(1, 2, 1, 2)), 0)
})

test_that("in pairs the levels of categories are marks of the axis", {
  skip_if_not_installed("ggplot2")
  table <- data.frame(
    size = gl(3, 20, labels = c("small", "middle", "large")), kind = gl(2, 30, labels = c("a", "b")), value = 1:60 / 9
  )
  fit <- suppressMessages(kgroups(table, 2))
  figure <- expect_drawn(as_figure(fit, names(table), type = "pairs"))
  expect_identical(figure$axes[["kind by size"]]$x$labels, levels(table$size))
  expect_null(figure$axes[["value by size"]]$y$breaks)
  # no number of a cluster stands at the mean of codes
  expect_false("number" %in% kinds_of(figure))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  built <- ggplot2::ggplot_build(ggplot2::autoplot(fit, names(table), type = "pairs"))$layout$panel_params
  marks <- function(panel, side) {
    found <- built[[panel]][[side]]$get_labels()
    found[!is.na(found)]
  }
  expect_identical(marks(1, "x"), levels(table$size))
  expect_identical(marks(1, "y"), levels(table$kind))
  expect_false(anyNA(suppressWarnings(as.numeric(marks(2, "y")))))
  # one pair has them on the axes of the figure
  one <- expect_drawn(as_figure(fit, c("size", "value"), type = "pairs"))
  expect_identical(one$x$labels, levels(table$size))
  expect_identical(c(one$x$label, one$y$label), c("size", "value"))
})

test_that("lines of a wrapped text have about the same length", {
  texts <- c(
    "k = 2 by silhouette in the semimetric; one cluster rejected, p < 0.0001",
    "too few rows to cross-fit: components of the columns; sizes 22, 28, 12, 19, 16, 23, 18, 12"
  )
  for (text in texts) for (lines in 2:3) {
    found <- balanced_lines(text, lines)
    expect_identical(paste(found, collapse = " "), text)
    expect_lte(length(found), lines)
    expect_gt(min(nchar(found)), 0.5 * max(nchar(found)))
  }
  expect_identical(balanced_lines("word", 3), "word")
  expect_match(paste(balanced_lines("ellipses hold 90 %; sizes", 3), collapse = "/"), "90 %;", fixed = TRUE)
})

test_that("names of levels are in bars that are wide enough for them", {
  levels <- c(paste("a long name", 1:6), "b")
  kind <- factor(rep_len(levels, 100), levels)
  figure <- as_figure(describe_clusters(rep(1:20, each = 5), data.frame(kind = kind)), type = "distributions")
  labels <- figure$layers[[which(kinds_of(figure) == "text")]]$data$label
  expect_length(unique(labels), 7)
  expect_lte(max(nchar(labels)), 8)
})

test_that("pairs and profiles hold the means of the columns", {
  fit <- kgroups(iris[1:4], 3)
  figure <- expect_drawn(as_figure(fit, type = "pairs"))
  expect_length(figure$panels, 6)
  numbers <- figure$layers[[length(figure$layers)]]$data
  first <- numbers[numbers$panel == figure$panels[1], ]
  expect_equal(first$x, as.vector(tapply(iris$Sepal.Length, fit$cluster, mean)))
  figure <- expect_drawn(as_figure(fit, type = "profile"))
  points <- figure$layers[[which(kinds_of(figure) == "point")[1]]]$data
  z <- scale(iris[1:4])
  expect_equal(sort(points$y), sort(as.vector(rowsum(z, fit$cluster) / fit$sizes)))
})

test_that("points and texts of a figure stand for numbers of the fit", {
  set.seed(1)
  fit <- kgroups(iris[1:2], 3)
  layer <- function(figure, kind) lapply(figure$layers[kinds_of(figure) == kind], `[[`, "data")
  figure <- as_figure(fit)
  points <- layer(figure, "point")
  expect_equal(cbind(points[[1]]$x, points[[1]]$y), unname(as.matrix(iris[1:2])))
  expect_identical(as.character(layer(figure, "number")[[1]]$group), as.character(1:3))
  figure <- as_figure(fit, type = "dispersion")
  apart <- unname(as.matrix(energy_distance(iris[1:2], g = fit$cluster)))
  diag(apart) <- NA
  tile <- layer(figure, "tile")[[1]]
  expect_equal(tile$value, apart[cbind(as.integer(tile$x), 4L - as.integer(tile$y))])
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
  layers <- as_figure(fit)$layers
  edges <- do.call(rbind, lapply(layers[1:2], function(layer) layer$data[c("x", "y", "xend", "yend")]))
  within <- fit$cluster[igraph::as_edgelist(graph, FALSE)]
  expect_identical(nrow(layers[[2]]$data), sum(within[1:78] == within[79:156]))
  expect_equal(nrow(edges), igraph::ecount(graph))
  points <- ggplot2::layer_data(figure, 3)
  expect_equal(nrow(points), igraph::vcount(graph))
  # every edge begins and ends at a vertex
  at <- paste(points$x, points$y)
  ends <- igraph::as_edgelist(graph, names = FALSE)
  expect_setequal(paste(edges$x, edges$y), at[ends[, 1]])
  expect_setequal(paste(edges$xend, edges$yend), at[ends[, 2]])
})

test_that("figures of a fit have the same titles, axes and layers", {
  set.seed(1)
  fit <- kgroups(iris[1:2], 3, init = "kmeans++", nstart = 4)
  for (type in any_fit_types) expect_snapshot(described(expect_drawn(as_figure(fit, type = type))))
  expect_snapshot(described(expect_drawn(as_figure(kgroups(iris[[1]], 2)))))
})

test_that("ggplot2 draws the layers of a figure", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  for (type in any_fit_types) {
    figure <- as_figure(fit, type = type)
    drawn <- ggplot_figure(figure)
    expect_identical(gsub("\n", " ", drawn$labels$title), figure$title)
    built <- ggplot2::ggplot_build(drawn)$data
    # a number is a circle and a text
    expect_length(built, length(figure$layers) + sum(kinds_of(figure) == "number"))
    for (i in which(cumsum(kinds_of(figure) == "number") == 0)) {
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
  many <- kgroups(iris[1:2], 14, init = "random", nstart = 2)
  for (type in any_fit_types) expect_drawn(as_figure(many, type = type))
})

test_that("the silhouette plot contains n and the mean width, labels of axes their share of the dispersion", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  figure <- as_figure(fit, type = "silhouette")
  kinds <- kinds_of(figure)
  reported <- figure$layers[[which(kinds == "text")]]$data$label
  width <- silhouette_widths(fit)$width
  means <- tapply(width, fit$cluster, mean)
  # the least mean first
  expect_identical(reported, sprintf("%d: %d, %.2f", 1:3, fit$sizes, means)[order(means)])
  bars <- figure$layers[[which(kinds == "rect")]]$data
  expect_equal(sum(bars$xmax + bars$xmin), sum(width))
  expect_false(is.unsorted(as.integer(bars$group)))
  for (part in split(bars$xmin + bars$xmax, bars$group)) expect_false(is.unsorted(-part))
  # the shares of all principal coordinates sum to one
  scaled <- classical_scaling(pair_values(kept_problem(fit)), 2L, 150L)
  shares <- scaled$values / scaled$trace
  expect_equal(sum(shares), 1)
  expect_match(
    as_figure(fit, space = "feature")$x$label, sprintf("(%.0f %% of dispersion)", 100 * shares[1]), fixed = TRUE
  )
})

test_that("principal coordinates give back the distances", {
  set.seed(2)
  x <- matrix(rnorm(20), 10)
  found <- feature_plane(as_problem(dist(x), rho_power(2)), 1:10)
  expect_equal(as.vector(dist(found)), as.vector(dist(x)))
})

test_that("the nearest clusters are those of the least energy distance", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 4)
  apart <- as.matrix(energy_distance(iris[1:4], g = fit$cluster))
  diag(apart) <- NA
  at <- sort(arrayInd(which.min(apart), dim(apart)))
  expect_match(
    as_figure(fit, type = "dispersion")$title,
    sprintf("Nearest clusters: %d and %d (%s)", at[1], at[2], format(min(apart, na.rm = TRUE), digits = 3)),
    fixed = TRUE
  )
})

test_that("vertices of a small graph have their names: short ones within, long ones beside", {
  graph <- karate()
  label_of <- function(kind) {
    figure <- expect_drawn(as_figure(kgroups(graph, 2)))
    figure$layers[[which(kinds_of(figure) == kind)]]$data$label
  }
  igraph::V(graph)$name <- paste0("v", 1:34)
  expect_setequal(label_of("text"), paste0("v", 1:34))
  igraph::V(graph)$name <- paste("vertex", 1:34)
  expect_setequal(label_of("text"), paste("vertex", 1:34))
})

test_that("names are cut at 15 letters and stay different", {
  expect_identical(brief_names(c("short", "a name of many letters")), c("short", "a name of man.."))
  long <- paste("Member of the club number", 1:34)
  expect_true(all(nchar(brief_names(long)) <= 15))
  expect_false(anyDuplicated(brief_names(long)) > 0)
  # names that differ at their start, end or middle, in any order
  for (names in list(
    sprintf("participant number %02d of the study", 12:1), c("Rhode Island and more", "Rhode Island and less"),
    sprintf("%d of all participants of it", 1:9)
  )) {
    expect_true(all(nchar(brief_names(names)) <= 15))
    expect_length(unique(brief_names(names)), length(names))
  }
  expect_identical(brief_names(rep("a very long name of all", 2)), rep("..all", 2))
  # what names share at their start and end is left out
  expect_identical(brief_names(sprintf("Department %d of Statistics", 1:3)), sprintf("..%d..", 1:3))
  expect_identical(brief_names(sprintf("%d of all participants", 1:3)), sprintf("%d..", 1:3))
})

test_that("names that a number of a cluster would cover are left out", {
  set.seed(1)
  figure <- as_figure(suppressWarnings(kgroups(eurodist, 5), classes = "kg_warning"))
  cleared <- clear_numbers(figure)
  kinds <- kinds_of(figure)
  names <- cleared[[which(kinds == "text")]]$data
  numbers <- cleared[[which(kinds == "number")]]$data
  all <- figure$layers[[which(kinds == "text")]]$data
  unit <- max(diff(figure_range(figure, "x")), diff(figure_range(figure, "y"))) / min(frame_inches(figure))
  near <- function(at) {
    min(sqrt(outer(at$x, numbers$x, "-")^2 + outer(at$y + 0.13 * unit, numbers$y, "-")^2)) / unit
  }
  expect_lt(nrow(names), nrow(all))
  expect_lt(near(all[!all$label %in% names$label, ]), 0.3)
  # a name of a unit in its own panel
  u <- rep(1:20, each = 5)
  set.seed(1)
  figure <- as_figure(kgroups(matrix(rnorm(200), 100) + 3 * (u > 10), 2, units = u))
  left <- clear_numbers(figure)[[which(kinds_of(figure) == "text")]]$data
  expect_identical(unique(left$panel), figure$panels[1L])
})

test_that("a narrow figure has fewer panels, shorter names of levels and no legend of numbers that are drawn", {
  set.seed(1)
  grDevices::pdf(NULL, 3.4, 2.6)
  on.exit(grDevices::dev.off())
  x <- iris[1:4]
  names(x) <- sprintf("%s of the flower", c("sepal length", "sepal width", "petal length", "petal width"))
  fit <- kgroups(x, 3)
  pairs <- as_figure(fit, type = "pairs")
  expect_length(pairs$panels, 3L)
  expect_lte(max(nchar(pairs$panels)), 28L)
  legend <- function(figure) ggplot_figure(figure)$theme$legend.position
  expect_identical(legend(as_figure(fit, type = "dispersion")), "none")
  expect_identical(legend(as_figure(kgroups(as.matrix(x), 20), type = "dispersion")), "bottom")
  # marks of categories are shortened, those of dates are not
  marks <- function(figure) ggplot_figure(figure)$scales$get_scales("x")$labels
  table <- data.frame(
    g = rep(c("a fairly long level", "another level", "third"), 10), a = rep(1:10, 3), date = Sys.Date() + 1:30
  )
  fit <- kgroups(table, 2)
  expect_lte(max(nchar(marks(as_figure(fit, c("g", "a"))))), 12L)
  expect_match(marks(as_figure(fit, c("date", "a"))), "^ [A-Z][a-z]{2} [0-9]{2} $")
})

test_that("lines are not wider than the device, and numbers are in cells that hold them", {
  set.seed(1)
  names <- "within one standard error: rho_power(1), rho_exponential(2.14), rho_gaussian(2.51), rho_connected()"
  expect_lte(max(nchar(strsplit(wrapped(names, 52), "\n")[[1L]])), 52L)
  expect_identical(wrapped("a b", 10), "a b")
  grDevices::pdf(NULL, 3.4, 2.6)
  on.exit(grDevices::dev.off())
  drawn <- function(rows) has_cell_texts(list(layers = heat_layers(matrix(runif(3 * rows), rows), size = 0.8)))
  expect_true(drawn(5))
  expect_false(drawn(24))
})

test_that("panels have two marks or more, and the subtitle the number of rows drawn", {
  for (limits in list(c(1312, 1391), c(0, 1), c(-0.013, 0.0021), c(1e6, 1e6 + 3))) {
    at <- few_breaks(limits)
    expect_gte(length(at), 2L)
    expect_true(all(at >= limits[1L] & at <= limits[2L]))
  }
  set.seed(1)
  x <- matrix(rnorm(9000), 3000)
  expect_match(as_figure(kgroups(x, 2, nstart = 1), type = "pairs")$subtitle, "[0-9]+ of 3000 drawn")
})

test_that("numbers of clusters stand clear of one another and of new rows, at the size of the device", {
  numbers <- function(figure) Find(function(layer) layer$kind == "number", clear_numbers(figure))$data
  set.seed(1)
  x <- matrix(rnorm(60, sd = 5), 30)[rep(1:30, each = 20), ] + rnorm(1200)
  figure <- as_figure(kgroups(x, 30, nstart = 2))
  kept <- lapply(list(c(14, 10), c(3.4, 2.6)), function(size) {
    grDevices::pdf(NULL, size[1L], size[2L])
    on.exit(grDevices::dev.off())
    at <- numbers(figure)
    inches <- frame_inches(figure)
    unit <- max(diff(figure_range(figure, "x")) / inches[1L], diff(figure_range(figure, "y")) / inches[2L])
    expect_gt(min(stats::dist(at[c("x", "y")])) / unit, 0.12)
    nrow(at)
  })
  expect_identical(kept[[1L]], 30L)
  expect_lt(kept[[2L]], 30L)
  # a new row at the mean of a cluster
  fit <- kgroups(faithful, 2)
  new <- as.data.frame(t(colMeans(faithful[fit$cluster == 1, ])))
  figure <- as_figure(fit, newdata = new)
  expect_gt(max(abs(numbers(figure)[1L, c("x", "y")] - new)), 0)
  # few clusters whose numbers are left out have a legend
  drawn <- function(figure) ggplot_figure(figure)$scales$get_scales("colour")$guide
  figure <- as_figure(kgroups(faithful, 2))
  expect_identical(drawn(figure), "none")
  at <- which(kinds_of(figure) == "number")
  figure$layers[[at]]$data[c("x", "y")] <- 3
  expect_identical(drawn(figure), "legend")
})

test_that("a plane of equal units fills the device", {
  grDevices::pdf(NULL, 7, 5)
  withr::defer(grDevices::dev.off())
  for (x in list(cbind(rep(0:1, 20), 1:40 / 15), cbind(1:40 / 15, rep(0:1, 20)))) {
    figure <- as_figure(kgroups(x, 2))
    expect_true(figure$equal)
    ends <- vapply(equal_limits(figure), diff, 0)
    expect_equal(ends / frame_inches(figure), rep(max(ends / frame_inches(figure)), 2), ignore_attr = TRUE)
    expect_gte(min(ends - c(diff(range(x[, 1])), diff(range(x[, 2])))), -1e-8)
  }
})

test_that("the subtitle has the test of one cluster, and the column that alone gives the clusters", {
  set.seed(1)
  noise <- matrix(round(rnorm(200)), 100)
  expect_match(as_figure(kgroups(noise, 3))$subtitle, "^one cluster not rejected, p = [^;]*; column 2 ")
  fit <- kgroups(faithful, 2)
  set.seed(7)
  before <- .Random.seed
  expect_match(as_figure(fit)$subtitle, "^one cluster rejected, p < 0.0001")
  expect_identical(.Random.seed, before)
  expect_match(as_figure(kgroups(dist(faithful), 2))$subtitle, "^one cluster rejected, p < 0.0001")
  # every type states it, of fits with noise and of kernels too
  cloud <- matrix(rnorm(300), 100)
  trimmed <- kgroups(cloud, 3, trim = 0.1)
  for (type in c("coordinates", "pairs", "profile", "silhouette", "dispersion")) {
    expect_match(as_figure(trimmed, type = type)$subtitle, "^one cluster not rejected, p = ")
  }
  expect_match(as_figure(kernel_kmeans(as_gram(tcrossprod(cloud)), 3))$subtitle, "^one cluster not rejected")
  expect_match(as_figure(kgroups_mixture(cloud, 2), type = "uncertainty")$subtitle, "^one cluster not rejected")
})

test_that("the subtitle has the reason if one cluster is not tested", {
  set.seed(1)
  cloud <- matrix(rnorm(300), 100)
  fits <- list(
    categories = suppressMessages(kgroups(iris, 3)), weights = kgroups(cloud, 3, weights = 1:100),
    gaps = kgroups(cloud, 3, semimetric = rho_connected()), "few rows" = kgroups(cloud[1:8, ], 2),
    "rows in groups" = kgroups(cloud, 3, units = rep(1:20, 5))
  )
  for (why in names(fits)) {
    expect_match(as_figure(fits[[why]])$subtitle, paste("^one cluster not tested:", why))
  }
  expect_no_match(paste("", as_figure(kgroups(cloud, 1))$subtitle), "one cluster")
  # a random graph has one community
  random <- igraph::sample_gnp(120, 0.05)
  expect_match(as_figure(kgroups(random, 4))$subtitle, "; count_communities\\(\\) gives [01]$")
})

test_that("cells of a histogram are centred at repeated values and hold the same number of them", {
  set.seed(1)
  for (x in list(rpois(200, 2), 58:72, rep(c(1, 2, 7), 20), round(rnorm(300), 1), sample(18:90, 300, TRUE) / 4)) {
    step <- min(diff(sort(unique(round(x, 8)))))
    breaks <- histogram_breaks(x)
    expect_true(min(breaks) < min(x) && max(breaks) > max(x))
    # every value is half a step from the breaks, or at the centre of a cell narrower than a step
    width <- diff(breaks)[1]
    from <- ((x - breaks[1]) %% width) / min(width, step)
    expect_equal(abs(from %% 1 - 0.5), numeric(length(x)), tolerance = 1e-6)
    expect_lt(min((width / step) %% 1, 1 - (width / step) %% 1, (step / width) %% 1, 1 - (step / width) %% 1), 1e-6)
  }
  expect_true(all(is.finite(histogram_breaks(c(5, 5, 5)))))
  expect_true(all(is.finite(histogram_breaks(rep(c(-1e300, 1e300), 3)))))
  # others have round breaks, and counts whole marks
  expect_identical(histogram_breaks(c(0.13, 1.2, 2.71, 3)), pretty(c(0.13, 3), 20))
  one <- kgroups(datasets::women$height, 2)
  marks <- ggplot2::ggplot_build(ggplot2::autoplot(one))$layout$panel_params[[1]]$y$get_breaks()
  expect_identical(marks %% 1, 0 * marks)
  bars <- as_figure(kgroups(rep(c(1, 2, 7), c(40, 30, 30)), 3))$layers[[1]]$data
  expect_equal((bars$xmin + bars$xmax) / 2, c(1, 2, 7))
})

test_that("on a narrow device legends stand below, and names of levels within their bars", {
  set.seed(1)
  grDevices::pdf(NULL, 3.4, 3)
  on.exit(grDevices::dev.off())
  graph <- igraph::make_graph("Zachary")
  expect_identical(ggplot_figure(as_figure(cluster_communities(graph)))$theme$legend.position, "bottom")
  kinds <- c("agricultural land", "built-up area", "forest")
  table <- data.frame(kind = sample(kinds, 90, TRUE), a = rnorm(90), b = rnorm(90))
  described <- describe_clusters(kgroups(table, 3))
  drawn <- as_figure(described, type = "distributions")
  texts <- Filter(function(layer) layer$kind == "text", drawn$layers)[[1]]$data
  # three bars in a panel of half the width, letters of .05 inches
  expect_lte(0.05 * max(nchar(texts$label)), 3.4 / 2 / 3)
  expect_gte(min(nchar(texts$label)), 4)
})

test_that("panels with the same names have them once, and their titles are whole", {
  set.seed(1)
  truth <- sample(3, 60, TRUE)
  found <- compare_clusters(truth, list(one = truth, "hierarchical clustering, Ward" = sample(truth)))
  grDevices::pdf(NULL, 5, 4)
  on.exit(grDevices::dev.off())
  built <- ggplot2::ggplot_build(ggplot2::autoplot(found))$layout
  expect_false(built$facet$params$free$y)
  panels <- as_figure(found)$panels
  titles <- unlist(built$facet$params$labeller(list(panel = panels)))
  expect_identical(unname(gsub("\n", " ", titles, fixed = TRUE)), panels)
  # names along a panel have at most a third of it
  table <- data.frame(a = rnorm(60), kind = rep(c("agricultural land", "built-up area"), 30), b = rnorm(60))
  figure <- as_figure(kgroups(table, 2), 1:3, type = "pairs")
  expect_lte(max(nchar(mark_labels("y", figure$axes[[1]]$y, figure))), 8L)
})

test_that("columns with the same number of levels have their own marks, points at one place their count", {
  set.seed(1)
  table <- data.frame(sex = gl(2, 30, labels = c("f", "m")), age = sample(c("child", "adult"), 60, TRUE), x = rnorm(60))
  fit <- kgroups(table, 2)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  figure <- as_figure(fit, c("sex", "age", "x"), type = "pairs")
  built <- ggplot2::ggplot_build(ggplot_figure(figure))$layout$panel_params
  marks <- function(panel, side) built[[match(panel, figure$panels)]][[side]]$get_labels()
  expect_setequal(stats::na.omit(marks("age by sex", "x")), c("f", "m"))
  expect_setequal(stats::na.omit(marks("age by sex", "y")), c("adult", "child"))
  expect_match(figure$subtitle, "size by count")
  points <- figure$layers[[1]]$data
  at <- points[points$panel == "age by sex", ]
  expect_lte(nrow(at), 8)
  expect_equal(max(((at$size - 0.8) / 2.7)^2), 1)
  expect_identical(unique(points$size[points$panel == "x by sex"]), 1.1)
  # categories alone have a legend of the clusters
  expect_true(as_figure(fit, c("sex", "age"), type = "pairs")$legend)
  expect_false(as_figure(kgroups(iris[1:4], 3), type = "pairs")$legend)
})

test_that("dates of distributions have marks of dates", {
  set.seed(1)
  table <- data.frame(day = as.Date("2020-01-01") + sample(900, 80), a = rnorm(80), g = gl(2, 40))
  figure <- as_figure(describe_clusters(kgroups(table, 2)), type = "distributions")
  expect_true("day" %in% figure$panels)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  built <- ggplot2::ggplot_build(ggplot_figure(figure))$layout$panel_params
  labels <- built[[match("day", figure$panels)]]$y$get_labels()
  expect_match(labels[!is.na(labels)], "^20[0-9]{2}")
  expect_true(all(c("1", "2") %in% built[[match("day", figure$panels)]]$x$get_labels()))
})

test_that("means of more than twelve clusters are a heat map, and numbers of theirs are left out with a note", {
  set.seed(1)
  x <- matrix(rnorm(1200), 400)
  fit <- kgroups(x, 13)
  figure <- as_figure(fit, type = "profile")
  expect_identical(kinds_of(figure), "tile")
  values <- figure$layers[[1]]$data$value
  expect_equal(matrix(values, 13), unname(apply(scale(x), 2, tapply, fit$cluster, mean)), ignore_attr = TRUE)
  grDevices::pdf(NULL, 3.4, 3)
  on.exit(grDevices::dev.off())
  subtitle <- gsub("\n", " ", ggplot2::autoplot(fit)$labels$subtitle, fixed = TRUE)
  expect_match(subtitle, "numbers that would touch another are left out")
})

test_that("names at the edge of a figure are whole", {
  graph <- igraph::make_graph("Zachary")
  igraph::V(graph)$name <- paste("member", 1:34)
  grDevices::pdf(NULL, 5, 4)
  on.exit(grDevices::dev.off())
  for (figure in list(as_figure(kgroups(graph, 2)), as_figure(kgroups(datasets::swiss, 3)))) {
    names <- Filter(function(layer) isTRUE(layer$style$above), figure$layers)[[1]]$data
    built <- ggplot2::ggplot_build(ggplot_figure(figure))$layout$panel_params[[1]]
    inch <- diff(built$x.range) / frame_inches(figure)[1]
    expect_gte(min(names$x - 0.025 * nchar(names$label) * inch), built$x.range[1])
    expect_lte(max(names$x + 0.025 * nchar(names$label) * inch), built$x.range[2])
  }
})

test_that("plots stand side by side on a device with rows and columns", {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file, 7, 4)
  graphics::par(mfrow = c(1, 2))
  fit <- kgroups(datasets::swiss, 3)
  cells <- lapply(c("coordinates", "silhouette"), function(type) {
    plot(fit, type = type)
    expect_equal(figure_size(), c(3.5, 4))
    graphics::par("fig")
  })
  mar <- graphics::par("mar")
  grDevices::dev.off()
  expect_equal(cells, list(c(0, 0.5, 0, 1), c(0.5, 1, 0, 1)))
  expect_gt(min(mar), 0)
  pages <- sum(grepl("/Type /Page ", readLines(file, warn = FALSE), fixed = TRUE, useBytes = TRUE))
  expect_identical(pages, 1L)
})

test_that("numbers at the rim of a line stand apart, and symbols of counts are small in small panels", {
  set.seed(1)
  grDevices::pdf(NULL, 3.4, 3)
  on.exit(grDevices::dev.off())
  fit <- kgroups(c(rnorm(60), rnorm(40, 5), 1000, 3000), 4)
  drawn <- Filter(function(layer) nrow(layer$data) == 4L, ggplot2::autoplot(fit)$layers)
  expect_gt(length(drawn), 0)
  table <- data.frame(a = gl(4, 25), b = gl(5, 20), x = rnorm(100))
  narrow <- as_figure(kgroups(table, 3), 1:3, type = "pairs")
  grDevices::dev.off()
  grDevices::pdf(NULL, 7, 5)
  wide <- as_figure(kgroups(table, 3), 1:3, type = "pairs")
  expect_lt(max(narrow$layers[[1]]$data$size), max(wide$layers[[1]]$data$size) / 1.5)
})

test_that("cells of layout() have figures of their own size", {
  grDevices::pdf(NULL, 8, 4)
  on.exit(grDevices::dev.off())
  graphics::layout(matrix(c(1, 1, 2, 3), 2, byrow = TRUE))
  sizes <- list()
  breaks <- vapply(1:3, function(i) {
    title <- plot(kgroups(datasets::swiss, 12), type = "silhouette")$labels$title
    sizes[[i]] <<- figure_size()
    lengths(strsplit(title, "\n", fixed = TRUE))
  }, 0L)
  # titles are broken to the width of their own cell
  expect_identical(breaks, c(1L, 2L, 2L))
  expect_equal(sizes, list(c(8, 2), c(4, 2), c(4, 2)))
})

test_that("scales and coordinates of a user replace those of a figure without a message, under the same title", {
  fit <- kgroups(datasets::swiss, 3)
  expect_no_message(ggplot2::autoplot(fit) + ggplot2::coord_flip())
  expect_identical(ggplot2::autoplot(fit)$labels$colour, "cluster")
  expect_identical(ggplot2::autoplot(describe_clusters(fit))$labels$fill, "coefficient")
})

test_that("upright labels stay upright under themes of a user, axes of a plane have short names", {
  set.seed(1)
  tree <- ggplot2::autoplot(kgroups_tree(matrix(rnorm(50), 25))) + ggplot2::theme_bw()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(ggplot2::ggplot_build(tree)$plot$scales$get_scales("x")$guide$angle, 90)
  fit <- kgroups(iris[1:4], 4)
  pairs <- as_figure(fit, type = "pairs", space = "points")
  expect_identical(pairs$panels, c("axis 2 by axis 1", "axis 3 by axis 1", "axis 3 by axis 2"))
  expect_match(pairs$subtitle, "axes: components")
  grDevices::pdf(NULL, 3.4, 3)
  expect_length(as_figure(kgroups(iris[1:4], 6), type = "pairs", space = "points")$panels, 3L)
  grDevices::dev.off()
})

test_that("the title of a choice for a graph names what chose it, and its W has no zero", {
  set.seed(1)
  choice <- select_k(igraph::sample_pref(150, 3, pref.matrix = diag(0.2, 3) + 0.02), 1:5)
  figure <- as_figure(choice)
  expect_match(figure$title, "by its return in samples of the vertices")
  expect_false("across" %in% kinds_of(figure))
  expect_true("across" %in% kinds_of(as_figure(select_k(faithful, 1:3, criterion = "elbow"))))
})

test_that("times stay in one line, and labels of blocks apart", {
  lines <- balanced_lines("runs begin at 2024-03-03 13:00:00, 2024-03-05 15:00:00", 2)
  expect_identical(lines, c("runs begin at 2024-03-03 13:00:00,", "2024-03-05 15:00:00"))
  set.seed(1)
  fit <- kgroups(matrix(rnorm(800), 400), 30)
  grDevices::pdf(NULL, 3.4, 3)
  on.exit(grDevices::dev.off())
  figure <- as_figure(fit, type = "silhouette")
  at <- sort(Filter(function(layer) layer$kind == "text", figure$layers)[[1]]$data$y)
  expect_gte(min(diff(at)) / max(at) * (3 - 1.2), 0.08)
  expect_match(figure$subtitle, "no room for all")
})

test_that("without ggplot2 a plot is a classed error; a summary has the figure of its result or an error", {
  fit <- kgroups(faithful, 2)
  ours <- asNamespace("kgroups")
  masked <- function(f, ...) {
    environment(f) <- list2env(list(...), parent = ours)
    f
  }
  without <- masked(ggplot_figure, check_package = masked(check_package, has_package = function(...) FALSE))
  expect_error(without(as_figure(fit)), "needs the package ggplot2", class = "kg_error_package")
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_error(plot(summary(fit)), class = "kg_error_x")
  expect_error(plot(summary(every_result()$communities)), class = "kg_error_x")
  expect_s3_class(plot(summary(every_result()$tree)), "ggplot")
  expect_error(plot(fit, axes = c(1, 3)), class = "kg_error_dots")
  for (name in c("legend", "names", "label")) {
    given <- stats::setNames(list(fit, TRUE), c("x", name))
    found <- tryCatch(do.call(plot, given), error = conditionMessage)
    expect_no_match(found, "Did you mean")
  }
})

test_that("columns with names of invalid bytes are drawn", {
  x <- stats::setNames(faithful, c("caf\xe9", "b"))
  expect_drawn(as_figure(kgroups(x, 2)))
  expect_drawn(as_figure(kgroups(x, 2), type = "profile"))
})

test_that("figures fit narrow devices", {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file, 3.9, 3.3)
  withr::defer(grDevices::dev.off())
  fit <- every_fit()$points
  expect_silent(plot(fit))
  tree <- kgroups_tree(scale(USArrests))
  expect_silent(plot(tree, top = Inf))
  expect_equal(set_apart(c(3, 1, 1.1), 0.5), c(3, 0.8, 1.3))
})

test_that("columns of categories are drawn beside their levels, by cluster", {
  fit <- kgroups(iris, 3, missing = "impute")
  figure <- as_figure(fit, c("Species", "Sepal.Width"))
  at <- figure$layers[[1]]$data$x
  expect_setequal(at, unique(as.integer(iris$Species) + beside(fit$cluster, 3)))
  expect_false("polygon" %in% kinds_of(figure))
})

test_that("plots of many rows use the same rows each time and no random number", {
  skip_on_cran()
  set.seed(1)
  x <- rbind(matrix(rnorm(6000), ncol = 2), matrix(rnorm(30, 9), ncol = 2))
  fit <- kgroups(x, 2, approx = nystroem(20))
  graph <- kgroups(karate(), 2)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  set.seed(5)
  before <- .Random.seed
  types <- any_fit_types
  for (type in types) expect_error(plot(fit, type = type), NA)
  plot(graph)
  expect_identical(.Random.seed, before)
  plane <- fit_plane(fit, NULL, "feature", NULL)
  expect_identical(fit_plane(fit, NULL, "feature", NULL), plane)
  expect_lte(length(plane$rows), 2002)
  expect_setequal(fit$cluster[plane$rows], 1:2)
})

test_that("plot() creates no seed if there is none", {
  old <- .Random.seed
  on.exit(assign(".Random.seed", old, envir = globalenv()))
  rm(".Random.seed", envir = globalenv())
  grDevices::pdf(NULL)
  fit <- kgroups(karate(), 2)
  if (exists(".Random.seed", globalenv())) rm(".Random.seed", envir = globalenv())
  kind <- RNGkind()
  plot(fit)
  grDevices::dev.off()
  expect_identical(RNGkind(), kind)
  expect_false(exists(".Random.seed", globalenv()))
})

test_that("rows are thinned in proportion to the clusters", {
  cluster <- rep(1:3, c(9000, 990, 10))
  rows <- thinned_rows(cluster, 2000)
  expect_equal(tabulate(cluster[rows]), c(1800, 198, 2))
  expect_identical(thinned_rows(cluster[1:100], 2000), 1:100)
})

test_that("one group of a graph has no legend", {
  expect_true(as_figure(kgroups(karate(), 2))$legend)
  expect_false(as_figure(kgroups(karate(), 1))$legend)
})

test_that("the layout of a graph depends on the graph alone; components lie apart", {
  set.seed(1)
  graph <- igraph::sample_gnm(60, 120)
  place <- function(fit) {
    edges <- as_figure(fit)$layers[1:2]
    ends <- do.call(rbind, lapply(edges, function(layer) layer$data[c("x", "y", "xend", "yend")]))
    ends[do.call(order, ends), ]
  }
  expect_equal(place(kgroups(graph, 2)), place(kgroups(graph, 5)), ignore_attr = TRUE)
  full <- igraph::disjoint_union(
    igraph::make_full_graph(20), igraph::make_ring(10), igraph::make_empty_graph(3, FALSE)
  )
  at <- graph_layout(full)
  apart <- as.matrix(stats::dist(at))
  expect_gt(min(apart[1:20, 21:30]), 0)
  for (one in list(igraph::make_empty_graph(4, FALSE), igraph::make_ring(5), full, igraph::make_empty_graph(1, FALSE))) {
    expect_true(all(is.finite(graph_layout(one))))
  }
})

test_that("data as the second argument of plot() are refused with a hint", {
  fit <- kgroups(iris[1:4], 3)
  for (data in list(iris[1:4], as.matrix(iris[1:4]))) expect_error(
    plot(fit, data), "A fit holds its data", class = "kg_error"
  )
})

test_that("many clusters of one size have it once in the title", {
  expect_identical(sizes_range(rep(30, 7)), "30")
  expect_identical(sizes_range(c(rep(30, 6), 40)), "30 to 40")
  expect_identical(sizes_range(c(3, 3)), "3 and 3")
})

test_that("values far out on a line and beside ellipses stand at the rim, which the subtitle states", {
  set.seed(2)
  x <- c(rnorm(60), rnorm(40, 6))
  figure <- as_figure(kgroups(c(x, 500), 3))
  expect_match(figure$subtitle, "1 far out \\(500\\): at the rim")
  bars <- figure$layers[[1L]]$data
  expect_lt(max(bars$xmax), 2 * max(x))
  # a line between clusters that stand within the frame stays where it is, the other has no place, on either side
  for (far in c(500, -500)) {
    cut <- as_figure(kgroups(c(x, far), 3))$layers[[2L]]$data$x
    expect_length(cut, 1L)
    expect_true(cut > min(x) && cut < max(x))
  }
  expect_equal(sum(bars$ymax - bars$ymin), 101)
  expect_no_match(as_figure(kgroups(x, 2))$subtitle, "far out")
  y <- rbind(as.matrix(faithful), c(60, 900))
  figure <- as_figure(kgroups_mixture(y, 2))
  expect_match(figure$subtitle, "1 far out: at the rim")
  for (layer in figure$layers) expect_lt(max(layer$data$y), 150)
})

test_that("outlines leave out the rows at the rim; noise on a line has marks and no bars", {
  set.seed(1)
  near <- matrix(rnorm(200), 100) + rep(c(0, 5), each = 50)
  for (outline in c("hull", "ellipse")) {
    kinds <- function(x) Find(
      function(layer) layer$kind == "polygon", as_figure(kgroups(x, 2), outline = outline)$layers
    )$data
    edge <- max(near) + if (outline == "hull") 0 else 1
    expect_lte(max(kinds(rbind(near, c(90, 80), c(70, 95)))[c("x", "y")]), edge)
  }
  x <- c(rnorm(60), rnorm(60, 9), 300, 310)
  fit <- kgroups(x, 2, trim = 0.05)
  figure <- as_figure(fit)
  bars <- figure$layers[[1L]]$data
  expect_equal(sum(bars$ymax - bars$ymin), sum(!fit$noise))
  expect_lt(max(bars$xmax), 20)
  marks <- Find(function(layer) identical(layer$style$shape, 3L), figure$layers)$data
  expect_identical(nrow(marks), sum(fit$noise))
  expect_drawn(figure)
})

test_that("one column is drawn in its own units, in every form of the input and after any scaling", {
  set.seed(1)
  income <- c(rnorm(50, 1000), rnorm(50, 1010))
  for (x in list(income, matrix(income), data.frame(income), cbind(income = income))) {
    fits <- list(kgroups(x, 2, standardize = TRUE), kgroups_mixture(x, 2), kgroups(x, 2))
    for (fit in fits) expect_gt(min(as_figure(fit)$layers[[1L]]$data$xmin), 990)
  }
})

test_that("every score has a panel, and the best partition another colour; one score has none", {
  truth <- rep(1:3, 10)
  partitions <- list(`a partition with a long name` = rep(1:3, each = 10), b = truth)
  scores <- compare_clusters(truth, partitions)
  figure <- as_figure(scores)
  expect_identical(figure$panels, c("adjusted Rand index", "accuracy", "overlap", "NMI"))
  points <- figure$layers[[2L]]$data
  expect_equal(matrix(points$x, 2), unname(as.matrix(as.data.frame(scores)[3:6])))
  expect_identical(as.character(points$group), rep(c("rest", "chosen"), 4))
  expect_null(as_figure(compare_clusters(truth, partitions, "nmi"))$panels)
  grDevices::pdf(NULL, 3.5, 2.8)
  withr::defer(grDevices::dev.off())
  expect_silent(plot(scores))
  expect_silent(plot(compare_clusters(truth, partitions, "nmi")))
})

test_that("few rows far out stand at the rim, which the subtitle states, and the others fill the frame", {
  set.seed(1)
  near <- matrix(rnorm(400) + rep(c(0, 5), each = 50), 100)
  range_of <- function(figure) vapply(c("x", "y"), function(axis) {
    diff(range(unlist(lapply(figure$layers, function(layer) layer$data[[axis]]))))
  }, 0)
  plain <- range_of(as_figure(kgroups(near, 2, standardize = FALSE), space = "points"))
  for (far in list(1e3, c(-1e4, 1e6, 1e6))) {
    x <- rbind(near, matrix(far, length(far), 4))
    fit <- kgroups(x, 3)
    figure <- as_figure(fit)
    expect_match(figure$subtitle, sprintf("%d far out: at the rim", length(far)))
    expect_lt(max(range_of(figure)), 4 * max(plain))
    expect_match(as_figure(fit, type = "pairs")$subtitle, "far out")
    # columns that are named are drawn as they are
    expect_gt(max(range_of(as_figure(fit, c(1, 2)))), 900)
  }
  for (x in list(near, matrix(rexp(500), 250), matrix(rt(500, 3), 250), cbind(rep(0:1, c(95, 5)), 1:100))) {
    expect_identical(c(at_rim(x)), c(x))
  }
  expect_identical(c(at_rim(matrix(c(NA, 1, Inf), 3))), c(NA, 1, Inf))
})

test_that("lines across a panel stand in that panel alone, by ggplot2 too", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  choice <- select_k(scale(faithful), 1:4, c("elbow", "silhouette"))
  built <- ggplot2::ggplot_build(ggplot2::autoplot(choice))
  lines <- do.call(rbind, lapply(built$data, function(layer) {
    if (!is.null(layer$yintercept)) layer[c("PANEL", "yintercept")]
  }))
  expect_identical(as.character(lines$PANEL), "1")
  # other panels do not reach to 0
  expect_gt(built$layout$panel_params[[2L]]$y.range[1L], 0.2)
})

test_that("dates and times have their own marks on every axis, by ggplot2 too", {
  set.seed(1)
  day <- as.Date("2020-01-01") + c(sample(50, 20, TRUE), sample(300:350, 20, TRUE))
  t <- as.POSIXct("2020-01-01", tz = "UTC") + 3600 * rnorm(40)
  x <- data.frame(day, t, h = as.difftime(rexp(40), units = "hours"))
  fit <- kgroups(x, 2)
  axis <- as_figure(fit, "day")$x
  expect_identical(axis$labels, attr(pretty(range(day)), "labels")[match(axis$breaks, as.numeric(pretty(range(day))))])
  expect_true(length(axis$breaks) > 1L && all(axis$breaks >= min(day) & axis$breaks <= max(day)))
  expect_match(as_figure(kgroups(x[1:2], 2))$y$labels, "^[0-9]{2}:[0-9]{2}$")
  expect_identical(as_figure(fit, "h")$x$label, "h (hours)")
  pairs <- as_figure(fit, type = "pairs")
  expect_identical(pairs$axes[["t by day"]]$x$labels, axis$labels)
  # numbers of clusters stand on numbers and times alike
  expect_setequal(as.character(pairs$layers[[2]]$data$panel), pairs$panels)
  skip_if_not_installed("ggplot2")
  built <- ggplot2::ggplot_build(ggplot2::autoplot(fit, type = "pairs"))
  expect_true(any(axis$labels %in% built$layout$panel_params[[1L]]$x$get_labels()))
})

test_that("far runs, and ellipses of mixtures beside far rows, leave the others their frame", {
  set.seed(1)
  x <- c(rnorm(50), rnorm(5, 500), rnorm(60, 3))
  figure <- as_figure(kgroups_changes(x, ks = 3))
  expect_match(figure$subtitle, "5 far out \\(499 to 501\\): at the rim")
  expect_lt(max(figure$layers[[1]]$data$y, figure$layers[[2]]$data$y), 10)
  expect_no_match(as_figure(kgroups_changes(Nile, ks = 2))$subtitle, "far out")
  # one far value at the rim does not carry the line of its run off
  set.seed(1)
  x <- c(rnorm(50), rnorm(50, 4))
  x[20] <- 90
  lines <- as_figure(kgroups_changes(x, 2))$layers[[2L]]$data
  expect_lt(max(abs(lines$y - c(0, 4))), 0.5)
  fit <- kgroups_mixture(rbind(as.matrix(faithful), c(50, 200), c(-20, 0)), 3)
  figure <- as_figure(fit)
  points <- figure$layers[[2]]$data
  expect_identical(figure$x$limits, range(points$x))
  at <- figure$layers[[1]]$data$x
  expect_true(all(at >= min(points$x) - 0.05 * diff(range(points$x))))
})

test_that("long expressions are no names, one mixture component is no clusters, and a single value has no panel", {
  set.seed(1)
  expect_identical(as_figure(kgroups(c(1, 2, 3, 11, 12, 13, 21, 22, 23, 31, 32, 33), 2))$x$label, "x")
  expect_identical(as_figure(kgroups(log(faithful$eruptions), 2))$x$label, "log(faithful$eruptions)")
  expect_identical(as_figure(kgroups_mixture(iris[1:2], 1))$title, "One cluster of 150 observations")
  set.seed(1)
  few <- suppressMessages(select_k(iris[c(1:8, 51:58), 1:4], 1:4))
  expect_identical(sum(!is.na(few$table$bic)), 1L)
  expect_false(any(grepl("BIC", as_figure(few)$panels)))
  # means of both clusters nearly equal on a line: their numbers stand beside each other
  fit <- kgroups(data.frame(a = rep(c(0, 9), each = 20), b = rep(1:20, 2) / 20), 2)
  figure <- as_figure(fit, "b")
  at <- Find(function(layer) layer$kind == "number", figure$layers)$data$x
  expect_gt(abs(diff(at)), 0.03)
})

test_that("columns of one name have a panel each, and ellipses of their own", {
  set.seed(1)
  x <- setNames(iris[1:4], c("a", "a", "b c", "b c"))
  figure <- as_figure(kgroups(x, 3), type = "pairs")
  expect_identical(anyDuplicated(figure$panels), 0L)
  expect_length(figure$panels, 6L)
  expect_identical(as.vector(table(figure$layers[[1]]$data$panel)), rep(150L, 6))
  set.seed(1)
  fit <- kgroups_mixture(x, 3)
  set.seed(1)
  other <- kgroups_mixture(setNames(x, letters[1:4]), 3)
  ellipses <- function(fit) as_figure(fit)$layers[[1]]$data[c("x", "y")]
  expect_equal(ellipses(fit), ellipses(other))
})
