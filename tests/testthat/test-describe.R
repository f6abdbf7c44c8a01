# Energy coefficient of a cluster and the rest by all pairs.
reference_coefficient <- function(x, inside, w) {
  d <- if (is.numeric(x)) abs(outer(x, x, "-")) else outer(as.character(x), as.character(x), "!=") + 0
  mean_of <- function(a, b) sum(outer(w[a], w[b]) * d[a, b]) / (sum(w[a]) * sum(w[b]))
  between <- mean_of(inside, !inside)
  if (between == 0) 0 else (2 * between - mean_of(inside, inside) - mean_of(!inside, !inside)) / (2 * between)
}

test_that("coefficients are those of the definition, for every type and any weights", {
  set.seed(1)
  data <- mixed_table(50, 0.1)
  cluster <- sample(c("u", "v", "w"), 50, TRUE)
  for (w in list(rep(1, 50), sample(0:3, 50, TRUE), rexp(50))) {
    what <- describe_clusters(cluster, data, w)
    for (i in seq_len(nrow(what$table))) {
      row <- what$table[i, ]
      x <- data[[row$variable]]
      seen <- !is.na(x) & w > 0
      x <- x[seen]
      if (!is.character(x) && !is.logical(x) && (is.ordered(x) || !is.factor(x))) x <- as.numeric(x)
      inside <- (cluster == row$cluster)[seen]
      expect_equal(row$coefficient, reference_coefficient(x, inside, w[seen]), tolerance = 1e-9)
      if (is.numeric(x)) {
        expect_equal(row$inside, weighted.mean(x[inside], w[seen][inside]), tolerance = 1e-12)
        expect_equal(row$outside, weighted.mean(x[!inside], w[seen][!inside]), tolerance = 1e-12)
        if (all(w == 1)) expect_equal(row$sd_inside, sd(x[inside]), tolerance = 1e-7)
      } else {
        share <- function(a) sum(w[seen][a & x == row$level]) / sum(w[seen][a])
        expect_equal(c(row$inside, row$outside), c(share(inside), share(!inside)), tolerance = 1e-12)
      }
    }
  }
})

test_that("coefficients lie between 0 and 1, attain both and do not depend on units", {
  cluster <- rep(1:2, each = 4)
  data <- data.frame(
    same = rep(c(1, 5, 7, 9), 2), parted = rep(c(3, 8), each = 4), constant = 2,
    letters = rep(c("a", "b"), 4), group = rep(c("x", "y"), each = 4), one = "z"
  )
  what <- describe_clusters(cluster, data)$table
  first <- what[what$cluster == 1, ]
  expect_equal(first$coefficient[match(names(data), first$variable)], c(0, 1, 0, 0, 1, 0), tolerance = 1e-14)
  set.seed(2)
  x <- rexp(200)
  cluster <- 1 + (x + rnorm(200) > 1.2)
  right <- describe_clusters(cluster, x)$table
  expect_equal(describe_clusters(cluster, 1e200 * x)$table$coefficient, right$coefficient, tolerance = 1e-12)
  expect_equal(describe_clusters(cluster, 1e6 - x)$table$coefficient, right$coefficient, tolerance = 1e-9)
  # two clusters: what is the one's rest is the other
  expect_equal(right$coefficient[1], right$coefficient[2])
  # the energy distance of the package
  E <- energy_distance(x[cluster == 1], x[cluster == 2])
  between <- mean(abs(outer(x[cluster == 1], x[cluster == 2], "-")))
  expect_equal(right$coefficient[1], unname(E) / (2 * between), tolerance = 1e-10)
})

test_that("whole weights are rows; the order of rows and the names of clusters do not matter", {
  set.seed(3)
  data <- mixed_table(40, 0.1)
  cluster <- sample(3, 40, TRUE)
  w <- sample(0:3, 40, TRUE)
  rows <- rep(1:40, w)
  expect_equal(
    describe_clusters(cluster, data, w)$table, describe_clusters(cluster[rows], data[rows, ])$table,
    tolerance = 1e-9
  )
  p <- sample(40)
  expect_equal(
    describe_clusters(cluster[p], data[p, ])$table, describe_clusters(cluster, data)$table,
    tolerance = 1e-9
  )
  expect_equal(
    describe_clusters(letters[cluster], data)$table$coefficient,
    describe_clusters(cluster, data)$table$coefficient
  )
})

test_that("labels and weights come from the fit", {
  set.seed(1)
  w <- rep(1:3, 50)
  fit <- kgroups(iris[1:4], 3, weights = w, init = iris$Species)
  expect_equal(describe_clusters(fit, iris)$table, describe_clusters(fit$cluster, iris, w)$table)
  graph <- igraph::make_graph("Zachary")
  communities <- cluster_kgroups(graph, 2)
  what <- describe_clusters(communities, data.frame(degree = igraph::degree(graph)))
  expect_identical(names(what$sizes), c("1", "2"))
})

test_that("coefficients without data are NA", {
  data <- data.frame(a = c(1, 2, NA, NA), b = c("u", NA, "v", "v"))
  what <- describe_clusters(c(1, 1, 2, 2), data)
  expect_identical(what$table$coefficient[what$table$variable == "a"], c(NA_real_, NA_real_))
  alone <- describe_clusters(rep(1, 4), data)
  expect_true(all(is.na(alone$table$coefficient)))
  expect_identical(alone$table$inside[alone$table$variable == "a"], 1.5)
  expect_output(print(alone), "One cluster")
  none <- describe_clusters(c(1, 1, 2, 2), data.frame(a = NA_real_, b = 1:4))
  expect_true(all(is.na(none$table$coefficient[none$table$variable == "a"])))
  zero <- describe_clusters(c(1, 1, 2, 3), data.frame(b = c(1, 2, 3, 9)), c(1, 1, 1, 0))
  expect_identical(is.na(zero$table$coefficient), c(FALSE, FALSE, TRUE))
})

test_that("a column without values is accepted", {
  for (none in list(NA, NA_character_, NA_real_, factor(NA))) {
    what <- describe_clusters(rep(1:2, 3), data.frame(a = 1:6, none = none))
    expect_true(all(is.na(what$table$coefficient[what$table$variable == "none"])))
    expect_identical(nrow(tidy(what)), if (is.numeric(none)) 4L else 2L)
    expect_output(print(what), "none +NA")
  }
})

test_that("tables are sorted, and tidy() has one row per level", {
  what <- describe_clusters(iris$Species, iris)
  for (l in levels(iris$Species)) {
    expect_false(is.unsorted(-what$table$coefficient[what$table$cluster == l]))
  }
  table <- tidy(what)
  expect_identical(nrow(table), 4L * 3L + 9L)
  expect_setequal(table$level[table$variable == "Species"], levels(iris$Species))
  expect_identical(nrow(tidy(describe_clusters(iris$Species, iris[1:4]))), 12L)
  same <- cbind(iris[1:2], iris[1])
  names(same)[3] <- "Sepal.Length"
  expect_identical(
    describe_clusters(iris$Species, same)$variables, c("Sepal.Length", "Sepal.Width", "Sepal.Length.1")
  )
  expect_identical(describe_clusters(1:2, unname(as.matrix(iris[1:2, 1:2])))$variables, c("x1", "x2"))
})

test_that("descriptions are printed in full", {
  set.seed(4)
  data <- mixed_table(60)
  what <- describe_clusters(rep(c("red", "green", "blue"), 20), data)
  expect_snapshot({
    what
    print(describe_clusters(iris$Species, iris, rep(1:2, 75)), n = 2)
  })
  expect_identical(expect_invisible(print(what)), what)
})

test_that("wrong arguments are classed errors", {
  expect_snapshot(error = TRUE, {
    describe_clusters(iris$Species)
    describe_clusters(iris$Species, iris[1:10, ])
    describe_clusters(c(NA, 1, 2), data.frame(a = 1:3))
    describe_clusters(1:2, data.frame(a = c(1, Inf)))
    describe_clusters(1:2, list(1, 2))
    describe_clusters(1:2, data.frame(a = 1:2), weights = -1)
    plot(describe_clusters(1:2, data.frame(a = 1:2)), type = "pie")
    plot(describe_clusters(1:2, data.frame(a = 1:2)), top = 0)
    print(describe_clusters(1:2, data.frame(a = 1:2)), n = 0)
  })
})

test_that("figures show the table", {
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  withr::defer(grDevices::dev.off())
  set.seed(5)
  what <- describe_clusters(rep(1:3, 20), mixed_table(60, 0.05))
  untested <- setdiff(description_types, "tests")
  plot(what, "distributions", top = 2)
  figure <- as_figure(what)
  H <- matrix(figure$layers[[1]]$data$value, 9, dimnames = list(figure$y$labels, figure$x$labels))
  expect_false(is.unsorted(-apply(H, 1, max)))
  expect_equal(H["town", "2"], what$table$coefficient[what$table$variable == "town" & what$table$cluster == 2])
  expect_equal(unname(colSums(level_shares(what, 6))), rep(1, 3))
  few <- describe_clusters(
    rep(c("b", "a"), 6), data.frame(size = c(1:11, 30), kind = rep(c("x", "y", "y"), 4), none = NA)
  )
  for (type in untested) expect_snapshot(described(expect_drawn(as_figure(few, type))))
  skip_if_not_installed("ggplot2")
  heat <- ggplot2::layer_data(ggplot2::autoplot(what), 1)
  expect_identical(nrow(heat), 27L)
  for (type in untested) expect_silent(plot(what, type = type))
  numbers <- describe_clusters(iris$Species, iris[1:4])
  for (type in untested) expect_s3_class(ggplot2::autoplot(numbers, type = type), "ggplot")
  expect_silent(print(ggplot2::autoplot(describe_clusters(1:2, data.frame(g = c("a", "b"))), "distributions")))
})

test_that("the computing time is that of a sort", {
  skip_on_cran()
  set.seed(6)
  n <- 2e5
  expect_lt(system.time(describe_clusters(sample(20, n, TRUE), data.frame(x = rnorm(n))))[["user.self"]], 3)
})

test_that("a fit of a graph gives no weights: its weights are degrees", {
  fit <- kgroups(karate(), 2)
  degree <- igraph::degree(karate())
  what <- describe_clusters(fit, data.frame(degree = degree))
  expect_equal(what$table$inside, as.vector(tapply(degree, fit$cluster, mean))[as.integer(what$table$cluster)])
})

test_that("exchanged arguments and other numbers of rows are named", {
  fit <- kgroups(iris[1:4], 3)
  for (data in list(iris, as.matrix(iris[1:4]))) expect_error(
    describe_clusters(data, fit), "come first", class = "kg_error_fit"
  )
  for (data in list(iris[1:100, ], as.matrix(iris[1:4])[1:9, ])) {
    expect_error(describe_clusters(fit, data), "150 rows of the fit", class = "kg_error_data")
    expect_error(augment(fit, data), class = "kg_error_data")
  }
})

test_that("values far beyond the boxes stand at the rim of their panel, which the subtitle states; boxes stay whole", {
  set.seed(1)
  x <- data.frame(a = c(rnorm(40), rnorm(38, 4), 500, -300), b = rnorm(80))
  description <- describe_clusters(rep(1:2, each = 40), x)
  figure <- as_figure(description, type = "distributions")
  expect_identical(figure$subtitle, "2 far out: at the rim")
  heights <- unlist(lapply(figure$layers, function(layer) layer$data[names(layer$data) %in% c("y", "yend")]))
  expect_lt(max(abs(heights)), 20)
  expect_drawn(figure)
  # a cluster that lies far away has its box, and no value is moved
  x$a <- rep(c(0, 500), each = 40) + rnorm(80)
  figure <- as_figure(describe_clusters(rep(1:2, each = 40), x), type = "distributions")
  expect_null(figure$subtitle)
  expect_gt(max(unlist(lapply(figure$layers, function(layer) layer$data$ymax))), 490)
})

test_that("of two clusters one column of coefficients is drawn", {
  fit <- kgroups(faithful, 2)
  tile <- as_figure(describe_clusters(fit))$layers[[1L]]$data
  expect_identical(nrow(tile), 2L)
  table <- as.data.frame(describe_clusters(fit))
  by_cluster <- split(table$coefficient[order(table$variable)], table$cluster[order(table$variable)])
  expect_equal(by_cluster[[1L]], by_cluster[[2L]])
})
