# Results made by hand, so that the figures do not depend on any search.
choice_of_k <- function() {
  new_selection(list(
    k = 3L, criterion = c("stability", "elbow"),
    table = data.frame(
      k = 1:5, W = c(100, 60, 30, 27, 25), stability = c(NA, 0.7, 0.9, 0.8, 0.75),
      stability_se = c(NA, 0.05, 0.02, 0.04, 0), elbow = c(NA, 1.3, 10, 1.5, Inf),
      pseudo_f = NA_real_
    ),
    half_choices = as.table(c("1" = 0L, "2" = 3L, "3" = 20L, "4" = 1L, "5" = 0L))
  ), "k")
}

choice_of_semimetric <- function() {
  new_selection(list(
    choice = "b", criterion = "stability",
    table = data.frame(
      semimetric = c("a", "b", "failed"), stability = c(0.6, 0.9, NA), stability_se = c(0.1, 0.05, NA)
    ),
    clusters = cbind(a = rep(1:2, each = 6), b = rep(1:2, c(7, 5)))
  ), "semimetric")
}

sureness <- function() {
  structure(list(
    clusters = data.frame(cluster = 1:2),
    observations = c(0.4, 1, 0.9, 0.6, 0.8), cluster = c(1L, 2L, 1L, 2L, 1L),
    jaccard = cbind(c(0.4, 0.7, 0.9, 1), c(NA, 0.8, 0.8, 0.7)), B = 4L
  ), class = c("kgroups_stability", "kgroups_result"))
}

k_types <- "criteria"
semimetric_types <- c("criteria", "agreement")

test_that("panels hold the table, its standard errors and the choice", {
  x <- choice_of_k()
  expect_identical(shown_criteria(x), c("stability", "elbow"))
  panel <- selection_panel(x, "stability")
  expect_identical(panel$at, 1:5)
  expect_equal(panel$low, c(NA, 0.65, 0.88, 0.76, 0.75))
  expect_equal(panel$high, c(NA, 0.75, 0.92, 0.84, 0.75))
  expect_identical(which(panel$chosen), 3L)
  # an infinite elbow ratio has no place in a figure
  expect_identical(selection_panel(x, "elbow")$value, c(NA, 1.3, 10, 1.5, NA))
  panel <- selection_panel(choice_of_semimetric(), "stability")
  expect_identical(panel$at[panel$chosen], "b")
})

test_that("the agreement of candidates is their adjusted Rand index", {
  clusters <- cbind(a = rep(1:2, each = 6), b = rep(1:2, c(7, 5)), c = rep(1:3, 4))
  rand <- candidate_agreement(clusters)
  expect_identical(dimnames(rand), list(c("a", "b", "c"), c("a", "b", "c")))
  expect_identical(unname(diag(rand)), c(1, 1, 1))
  expect_equal(rand["a", "b"], compare_clusters(clusters[, "a"], clusters[, "b"]))
  expect_equal(rand["c", "b"], compare_clusters(clusters[, "c"], clusters[, "b"]))
  expect_equal(rand, t(rand))
  expect_lt(min(rand), 0)
})

test_that("observations stand by cluster, in falling order of their stability, with the mean of each cluster", {
  layers <- sureness_figure(sureness())$layers
  expect_equal(layers[[1]]$data$xmax, c(0.9, 0.8, 0.4, 1, 0.6))
  expect_equal(as.integer(layers[[1]]$data$group), c(1, 1, 1, 2, 2))
  expect_setequal(layers[[3]]$data$label, c("1: 3, 0.70", "2: 2, 0.80"))
})

test_that("a type that a result does not have is a classed error", {
  x <- choice_of_k()
  expect_error(plot(x, type = "agreement"), class = "kg_error_type")
  expect_error(plot(x, type = "halves"), class = "kg_error_type")
  expect_error(plot(choice_of_semimetric(), type = "objective"), class = "kg_error_type")
  expect_error(plot(sureness(), type = "points"), class = "kg_error_type")
  expect_snapshot(error = TRUE, {
    plot(choice_of_k(), type = "agreement")
    plot(choice_of_semimetric(), type = "halves")
    plot(sureness(), type = c("clusters", "points"))
  })
  skip_if_not_installed("ggplot2")
  expect_error(ggplot2::autoplot(x, type = "halves"), class = "kg_error_type")
  expect_error(ggplot2::autoplot(sureness(), type = "points"), class = "kg_error_type")
})

test_that("autoplot draws the same tables", {
  skip_if_not_installed("ggplot2")
  layer <- function(x, type, number) ggplot2::layer_data(ggplot2::autoplot(x, type = type), number)
  x <- choice_of_k()
  # layers: the line at 0 of W, the line between, the standard errors, the points; the choice in vermilion
  points <- layer(x, "criteria", 4)
  expect_equal(points$y, c(x$table$W, 0.7, 0.9, 0.8, 0.75, 1.3, 10, 1.5))
  expect_equal(points$x[points$colour == "#D55E00"], c(3, 3, 3))
  x <- choice_of_semimetric()
  # a candidate that failed has no point, but its row stays
  expect_equal(layer(x, "criteria", 2)$x, c(0.6, 0.9))
  expect_equal(nrow(layer(x, "agreement", 1)), 4)
  x <- sureness()
  boxes <- layer(x, "clusters", 3)
  expect_equal(boxes$ymin, c(0.55, 0.75))
  expect_equal(layer(x, "clusters", 4)$y, c(0.8, 0.8))
  expect_equal(layer(x, "observations", 1)$xmax, sureness_figure(x)$layers[[1]]$data$xmax)
})

test_that("figures of choices and stability have the same titles, axes and layers", {
  for (type in k_types) expect_snapshot(described(expect_drawn(as_figure(choice_of_k(), type))))
  for (type in semimetric_types) {
    expect_snapshot(described(expect_drawn(as_figure(choice_of_semimetric(), type))))
  }
  for (type in stability_types) expect_snapshot(described(expect_drawn(as_figure(sureness(), type))))
})

a_test <- function(observed) {
  structure(
    list(
      statistic = c(S = observed), parameter = c(R = 9L), p.value = (sum(1:9 >= observed) + 1) / 10,
      data.name = "x by cluster, 2 groups of sizes 3, 4", permuted = as.numeric(1:9)
    ),
    class = c("kgroups_energy_test", "htest")
  )
}

test_that("the permutation distribution of a test is drawn", {
  expect_snapshot(described(expect_drawn(as_figure(a_test(3)))))
  expect_match(as_figure(a_test(3))$title, "S = 3, reached by 7 of 9 permutations: p = 0.8", fixed = TRUE)
  # a statistic beyond all is within the frame
  far <- as_figure(a_test(40))
  expect_match(far$title, "beyond all 9 permutations")
  expect_gte(far$x$limits[2], 40)
  set.seed(1)
  test <- energy_test(iris[1:60, 1:4], iris$Species[1:60], R = 49)
  expect_length(test$permuted, 49)
  bars <- as_figure(test)$layers[[1]]$data
  expect_equal(sum(bars$ymax), 49)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_s3_class(expect_invisible(plot(test)), "ggplot")
  # all permutations the same
  expect_drawn(as_figure(energy_test(c(0, 0, 1, 1), c(1, 1, 2, 2), R = 1)))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(test), "ggplot")
  expect_error(ggplot2::autoplot(test, type = "x"), class = "kg_error_dots")
})
