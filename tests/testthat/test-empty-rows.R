# Rows in which nothing is observed: the fit is that of the others, and every method has NA for them.

empty_table <- function() {
  data <- iris[c(1:14, 51:64, 101:112), ]
  row.names(data) <- NULL
  data[c(4, 27), ] <- NA
  data
}

quietly <- function(code) suppressWarnings(suppressMessages(code))

test_that("labels are those of the fit of the other rows, and NA", {
  data <- empty_table()
  numbers <- data[1:4]
  forms <- list(
    frame = numbers, matrix = as.matrix(numbers), bare = unname(as.matrix(numbers)), vector = numbers[[3]],
    table = data,
    named = as.matrix(structure(numbers, row.names = paste0("f", 1:40))), points = quietly(as_points(data))
  )
  for (name in names(forms)) {
    x <- forms[[name]]
    rest <- if (is.null(dim(x))) x[-c(4, 27)] else x[-c(4, 27), , drop = FALSE]
    expect_warning(
      fit <- suppressMessages(kgroups(x, 3, init = rep_len(1:3, 40), weights = rep(1:2, 20))),
      class = "kg_warning_missing"
    )
    plain <- quietly(kgroups(rest, 3, init = rep_len(1:3, 40)[-c(4, 27)], weights = rep(1:2, 20)[-c(4, 27)]))
    expect_identical(unname(fit$cluster[-c(4, 27)]), unname(plain$cluster))
    expect_identical(which(is.na(fit$cluster)), if (name == "named") c(f4 = 4L, f27 = 27L) else c(4L, 27L))
    expect_identical(c(fit$W, fit$S, fit$sizes), c(plain$W, plain$S, plain$sizes))
    expect_identical(nobs(fit), 40L)
  }
  expect_error(kgroups(numbers, 3, missing = "fail"), class = "kg_error_x")
  expect_error(kgroups(numbers * NA, 3), class = "kg_error_x")
})

test_that("methods agree: the values of the other rows, and NA", {
  data <- empty_table()
  settings <- list(
    list(), list(trim = 0.1), list(sizes = "equal"), list(standardize = "within"), list(approx = nystroem(9)),
    list(semimetric = rho_connected())
  )
  for (one in settings) {
    set.seed(1)
    fit <- quietly(do.call(kgroups, c(list(data[1:4], 3), one)))
    set.seed(1)
    plain <- quietly(do.call(kgroups, c(list(data[-c(4, 27), 1:4], 3), one)))
    for (type in c(
      "class", "distance", "squared", if (is.null(one$semimetric)) "prob", if (!is.null(one$trim)) "noise"
    )) {
      own <- predict(fit, type = type)
      expect_equal(
        unname(if (is.matrix(own)) own[-c(4, 27), ] else own[-c(4, 27)]), unname(predict(plain, type = type))
      )
      expect_true(all(is.na(if (is.matrix(own)) own[c(4, 27), ] else own[c(4, 27)])))
    }
    new <- quietly(predict(fit, data[1:4]))
    expect_identical(which(is.na(new)), c(4L, 27L), ignore_attr = TRUE)
    all <- augment(fit)
    expect_identical(nrow(all), 40L)
    added <- setdiff(names(all), names(data))
    expect_equal(as.data.frame(all)[-c(4, 27), added], as.data.frame(augment(plain))[added], ignore_attr = TRUE)
    expect_true(all(is.na(all[c(4, 27), added])))
    same <- c("size", "weight", "within", "Sepal.Length")
    expect_equal(tidy(fit)[same], tidy(plain)[same])
    expect_equal(unname(data[tidy(fit)$medoid, 1]), unname(data[as.integer(tidy(plain)$medoid), 1]))
    expect_identical(summary(fit)$clusters, summary(plain)$clusters)
    expect_match(format(fit)[1], "and 2 with nothing observed")
    types <- c("coordinates", "pairs", "profile", "silhouette", "dispersion")
    for (type in types) expect_s3_class(as_figure(fit, type = type), "kgroups_figure")
    sure <- stability(fit, B = 2)
    expect_identical(which(is.na(sure$observations)), c(4L, 27L), ignore_attr = TRUE)
    expect_s3_class(as_figure(sure, type = "observations"), "kgroups_figure")
    expect_identical(which(is.na(relabel(fit, "size")$cluster)), c(4L, 27L), ignore_attr = TRUE)
    expect_identical(
      unname(relabel(fit, data$Species)$cluster[-c(4, 27)]), unname(relabel(plain, data$Species[-c(4, 27)])$cluster)
    )
    expect_equal(describe_clusters(fit, data)$sizes, describe_clusters(plain, data[-c(4, 27), ])$sizes)
    expect_identical(dim(cluster::silhouette(fit)), c(38L, 3L))
  }
})

test_that("statistics and choices leave empty rows out with their labels and weights", {
  data <- empty_table()
  x <- data[1:4]
  rest <- x[-c(4, 27), ]
  g <- rep(1:2, 20)
  w <- rep_len(1:3, 40)
  out <- c(4, 27)
  calls <- list(
    function(x, g, w) energy_statistics(x, g, weights = w)$W,
    function(x, g, w) energy_test(x, g, weights = w, R = 19)$p.value,
    function(x, g, w) as.vector(energy_distance(x, g = g, weights = w)),
    function(x, g, w) pairwise_energy_test(x, g, R = 19)$p.value,
    function(x, g, w) dispersion_test(x, g, R = 19)$p.value,
    function(x, g, w) select_k(x, 2:3, criterion = "pseudo_f", weights = w)$table$W,
    function(x, g, w) select_semimetric(x, 2, splits = 2)$choice, function(x, g, w) is_negative_type(x),
    function(x, g, w) cluster_test(x)$p.value
  )
  for (call in calls) {
    set.seed(1)
    plain <- quietly(call(rest, g[-out], w[-out]))
    set.seed(1)
    expect_warning(all <- suppressMessages(call(x, g, w)), class = "kg_warning_missing")
    expect_equal(all, plain)
  }
  # the labels of a fit of the same rows
  fit <- quietly(kgroups(x, 2))
  expect_identical(quietly(energy_statistics(x, fit))$W, quietly(energy_statistics(rest, fit$cluster[-out]))$W)
})

test_that("trees leave empty rows out, and fits of one variable have NA for them", {
  data <- empty_table()[1:4]
  expect_warning(tree <- kgroups_tree(data, weights = rep(1:2, 20)), "are left out", class = "kg_warning_missing")
  plain <- kgroups_tree(data[-c(4, 27), ], weights = rep(1:2, 20)[-c(4, 27)])
  expect_equal(tree[c("merge", "height", "order")], plain[c("merge", "height", "order")])
  expect_identical(unname(predict(tree, 3)), unname(predict(plain, 3)))
  expect_warning(fit <- kgroups_1d(data[[1]], 3, weights = rep(1:2, 20)), class = "kg_warning_missing")
  expect_identical(which(is.na(fit$cluster)), c(4L, 27L))
  whole <- quietly(kgroups(data[[1]], 3, weights = rep(1:2, 20)))
  expect_equal(fit[c("W", "cluster", "sizes", "n")], whole[c("W", "cluster", "sizes", "n")])
  expect_identical(predict(fit), fit$cluster)
  expect_identical(quietly(kgroups_1d(data[1], ks = 2:3))[["3"]]$n, 40L)
})

test_that("an empty row without a name is reported by its number", {
  x <- as.matrix(iris[c(1:9, 51:59), 1:4])
  for (name in c("", NA)) {
    rownames(x)[18] <- name
    x[18, ] <- NA
    expect_warning(kgroups(x, 2), "row 18 of")
  }
})
