test_that("every result prints, draws and has its tables", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  results <- every_result()
  # of each class one is drawn, which takes most of the time
  drawn <- names(results)[!duplicated(lapply(results, class))]
  for (name in names(results)) {
    x <- results[[name]]
    expect_s3_class(x, "kgroups_result")
    expect_gt(length(utils::capture.output(print(x))), 0)
    expect_gt(length(utils::capture.output(print(summary(x)))), 0)
    # communities without a table of models are drawn with their graph
    y <- if (inherits(x, "kgroups_partition") && !inherits(x, "kgroups_communities")) list(karate())
    expect_s3_class(do.call(as_figure, c(list(x), y)), "kgroups_figure")
    expect_s3_class(do.call(ggplot2::autoplot, c(list(x), y)), "ggplot")
    if (name %in% drawn) expect_s3_class(do.call(plot, c(list(x), y)), "ggplot")
    table <- as.data.frame(x)
    expect_identical(class(table), "data.frame", info = name)
    expect_gt(nrow(table), 0)
    tidied <- tidy(x)
    expect_s3_class(tidied, "data.frame")
    if (!inherits(x, "kgroups_partition")) expect_identical(names(tidied), names(table))
    one <- tryCatch(glance(x), error = function(e) NULL)
    if (!is.null(one)) expect_identical(nrow(one), 1L, info = name)
  }
})

test_that("every result draws on a small device without a warning", {
  skip_on_cran()
  grDevices::pdf(NULL, 4.06, 3.12)
  withr::defer(grDevices::dev.off())
  results <- c(every_result(), every_fit()[c("points", "graph")])
  results <- results[!duplicated(lapply(results, class)) & !vapply(results, inherits, NA, "kgroups_partition")]
  for (x in results) expect_silent(plot(x))
})

test_that("black numbers are readable on all fills", {
  luminance <- function(colour) {
    share <- grDevices::col2rgb(colour) / 255
    sum(c(0.2126, 0.7152, 0.0722) * ifelse(share <= 0.03928, share / 12.92, ((share + 0.055) / 1.055)^2.4))
  }
  for (fill in c(heat_colours, "grey90")) expect_gt((luminance(fill) + 0.05) / 0.05, 7)
  # the small p values have the darkest
  p <- every_result()$pairwise
  tile <- as_figure(p)$layers[[1L]]$data
  known <- is.finite(tile$value)
  expect_identical(order(tile$value[known]), order(-as.numeric(tile$label[known])))
})

test_that("tables hold the numbers of their results", {
  set.seed(1)
  results <- every_result()
  tree <- results$tree
  expect_equal(as.data.frame(tree)$W, tree$W)
  expect_equal(as.data.frame(tree)$explained[nrow(as.data.frame(tree))], 1)
  runs <- as.data.frame(results$changes)
  expect_identical(runs$first[runs$runs == 3], c(1L, as.integer(results$changes$changes[["3"]])))
  expect_identical(tapply(runs$last - runs$first + 1L, runs$runs, sum)[[2]], 100L)
  choice <- as.data.frame(results$select_k)
  expect_identical(choice$k[choice$chosen], results$select_k$k)
  expect_identical(
    as.data.frame(results$select_semimetric)$semimetric[as.data.frame(results$select_semimetric)$chosen],
    results$select_semimetric$choice
  )
  pairs <- as.data.frame(results$pairwise)
  expect_equal(pairs$p.value, results$pairwise$p.value[lower.tri(results$pairwise$p.value, TRUE)])
  apart <- as.data.frame(results$distance)
  expect_equal(apart$distance[2], as.matrix(results$distance)["setosa", "virginica"])
  expect_identical(tidy(results$energy_test)$p.value, results$energy_test$p.value)
  expect_equal(sum(as.data.frame(results$statistics)$within), results$statistics$W)
  vertices <- as.data.frame(results$beliefs)
  expect_identical(vertices$cluster, as.integer(igraph::membership(results$beliefs)))
  expect_true(all(vertices$probability > 0.3))
  expect_equal(tidy(results$beliefs)$size, as.vector(igraph::sizes(results$beliefs)))
})

test_that("an object that is no result has no figure", {
  expect_error(as_figure(1), class = "kg_error_x")
  expect_error(plot(stability(kgroups(iris[1:4], 2), B = 2), type = "none"), class = "kg_error_type")
})

test_that("arguments that a figure does not take are errors that name one", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  results <- c(every_result(), every_fit())
  for (x in results[!vapply(results, inherits, NA, "kgroups_partition")]) {
    expect_error(plot(x, bogus = 1), class = "kg_error_dots")
    expect_error(ggplot2::autoplot(x, bogus = 1), class = "kg_error_dots")
  }
  fit <- results$points
  expect_error(ggplot2::autoplot(fit, outlines = "none"), "outline", class = "kg_error_dots")
  expect_error(plot(fit, main = "a"), "main", class = "kg_error_dots")
  # figures of mixtures take the arguments of fits, all figures no more than they have
  mixture <- kgroups_mixture(iris[1:4], 2)
  expect_s3_class(plot(mixture, type = "coordinates", space = "feature"), "ggplot")
  expect_error(as_figure(fit, 1:2, "pairs", NULL, "none", NULL, 6), class = "kg_error_dots")
})

test_that("a new class needs a figure and a table only", {
  local({
    registerS3method("as_figure", "kg_new", function(x, shift = 0, ...) {
      new_figure("New", list(new_layer("point", data.frame(x = x$values + shift, y = 1))))
    }, envir = asNamespace("kgroups"))
  })
  x <- structure(list(values = 1:3), class = c("kg_new", "kgroups_result"))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_s3_class(plot(x, shift = 2), "ggplot")
  expect_equal(as_figure(x, shift = 2)$layers[[1]]$data$x, 3:5)
})

test_that("components of results are those of the list: names, parts of names, and NULL for unknown ones", {
  for (x in suppressMessages(every_result())) {
    if (!is.list(x)) next
    plain <- unclass(x)
    for (name in names(x)) expect_identical(eval(call("$", x, name)), plain[[name]])
    expect_null(x$zzz)
    expect_true(isTRUE(all.equal(x, x)) && identical(x, x))
    expect_output(utils::str(x, max.level = 1))
    expect_identical(utils::.DollarNames(x, "^"), utils::.DollarNames(plain, "^"))
  }
})
