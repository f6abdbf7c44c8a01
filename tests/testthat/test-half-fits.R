# The share of rows nearest to the mean of their own cluster in a plane.
nearest_own <- function(at, cluster) {
  means <- rowsum(at, cluster) / as.vector(table(cluster))
  d <- vapply(seq_len(nrow(means)), function(l) colSums((t(at) - means[l, ])^2), numeric(nrow(at)))
  mean(max.col(-d) == cluster)
}

star_points <- function(figure) Find(
  function(layer) identical(layer$style$shape, 8L) && !is.null(layer$data$group), figure$layers
)$data

test_that("in the cross-fitted plane one cloud is one cloud, and clusters that are there stay apart", {
  set.seed(1)
  cloud <- kgroups(matrix(rnorm(1200), 150), 3, standardize = "within")
  expect_lt(nearest_own(fit_plane(cloud, NULL, NULL, NULL)$at, cloud$cluster), 0.8)
  expect_gt(nearest_own(fit_plane(cloud, NULL, "discriminant", NULL)$at, cloud$cluster), 0.95)
  flowers <- kgroups(iris[1:4], 3, standardize = "within")
  expect_gt(nearest_own(fit_plane(flowers, NULL, NULL, NULL)$at, flowers$cluster), 0.9)
  expect_lt(half_fits(cloud)$agreement, 0.5)
  expect_gt(half_fits(flowers)$agreement, 0.6)
})

test_that("each row is drawn by the half that it is not in, turned into the plane of the fit", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3, standardize = "within", weights = rep(1:3, 50))
  halves <- half_fits(fit)
  expect_setequal(unlist(halves$rows), 1:150)
  at <- cross_fitted_plane(fit, halves)
  problem <- halves$problem
  whole <- means_plane(problem$points, 1:150, unname(fit$cluster), problem$w, 3L)
  for (side in 1:2) {
    rows <- halves$rows[[side]]
    own <- halves$rows[[3 - side]]
    # reference: the axes of the means by the weighted covariance between clusters
    points <- viewed(problem, halves$fits[[3 - side]])$points
    cluster <- halves$fits[[3 - side]]$cluster
    w <- problem$w[own]
    means <- vapply(
      1:3, function(l) apply(points[own, ][cluster == l, ], 2, weighted.mean, w[cluster == l]), numeric(4)
    )
    axes <- eigen(stats::cov.wt(t(means), as.vector(tapply(w, cluster, sum)) / sum(w))$cov)$vectors[, 1:2]
    expect_equal(as.vector(dist(at[rows, ])), as.vector(dist(points[rows, ] %*% axes)))
    # no other turn or reflection comes nearer to the plane of the fit
    plane <- points %*% axes
    plane <- plane - rep(apply(plane, 2, weighted.mean, problem$w), each = 150)
    middle <- apply(whole, 2, weighted.mean, problem$w)
    loss <- function(turned) sum(problem$w * rowSums((turned + rep(middle, each = 150) - whole)^2))
    best <- min(vapply(seq(0, 2 * pi, length.out = 721), function(angle) {
      turn <- matrix(c(cos(angle), sin(angle), -sin(angle), cos(angle)), 2)
      min(loss(plane %*% turn), loss(plane %*% diag(c(1, -1)) %*% turn))
    }, 0))
    ours <- turned_into(plane, whole, problem$w)
    expect_lte(loss(ours - rep(middle, each = 150)), best + 1e-8)
    expect_equal(at[rows, ], ours[rows, ], ignore_attr = TRUE)
  }
})

test_that("halves are the same at each call, for each form of the data, and use no random number of the user", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3, standardize = "within")
  set.seed(1)
  same <- kgroups(as.matrix(iris[1:4]), 3, standardize = "within")
  before <- .Random.seed
  at <- fit_plane(fit, NULL, NULL, NULL)$at
  expect_identical(.Random.seed, before)
  expect_identical(fit_plane(fit, NULL, NULL, NULL)$at, at)
  expect_equal(fit_plane(same, NULL, NULL, NULL)$at, at)
  expect_identical(summary(fit)$halves, half_fits(fit)$agreement)
})

test_that("variants of a fit have the plane; rows that are kept together are in one half", {
  set.seed(1)
  holes <- as.matrix(iris[1:4])
  holes[sample(600, 60)] <- NA
  links <- cbind(c(1, 51, 101), c(2, 52, 102))
  variants <- list(
    list(trim = 0.1), list(sizes = "equal"), list(approx = nystroem(60)), list(weights = rep(0:4, 30)),
    list(together = links, apart = cbind(1, 60)), list(semimetric = rho_power(2))
  )
  fits <- lapply(variants, function(one) do.call(kgroups, c(list(iris[1:4], 3, standardize = "within"), one)))
  fits <- c(fits, list(
    kgroups(holes, 3, standardize = "within", missing = "impute"),
    suppressMessages(kgroups(iris, 3, standardize = "within"))
  ))
  for (i in seq_along(fits)) {
    fit <- fits[[i]]
    # that figures can be drawn does not depend on the variant
    drawn <- if (i %in% c(1, 8)) expect_drawn else identity
    figure <- drawn(as_figure(fit))
    expect_match(figure$subtitle, "cross-fitted")
    expect_identical(figure$x$label, "Cross-fitted 1")
    # new rows change the place of no other; a row that is given again has its cluster
    again <- if (ncol(fit$data) == 5) iris[c(1, 60, 150), ] else iris[c(1, 60, 150), 1:4]
    more <- drawn(as_figure(fit, newdata = again))
    expect_match(more$subtitle, "3 new rows (*)", fixed = TRUE)
    stars <- star_points(more)
    expect_identical(as.integer(as.character(stars$group)), unname(predict(fit, again)))
    is_star <- vapply(more$layers, function(layer) identical(layer$style$shape, 8L), NA)
    expect_equal(more$layers[!is_star & kinds_of(more) != "text"], figure$layers)
    pairs <- drawn(as_figure(fit, type = "pairs", space = "cross-fitted"))
    expect_identical(pairs$y$label, "Cross-fitted 2")
  }
  together <- half_fits(fits[[5]])$rows[[1]]
  expect_true(all(links[, 1] %in% together == links[, 2] %in% together))
})

test_that("new rows stand midway between their places by the two halves, and at their own place in other planes", {
  set.seed(1)
  old <- c(1:45, 51:95, 101:145)
  fit <- kgroups(iris[old, 1:4], 3, standardize = "within")
  others <- iris[-old, 1:4]
  halves <- half_fits(fit)
  at <- fit_plane(fit, NULL, NULL, NULL, new_rows(fit, others, NULL))$at
  # reference: the affine map of the rows that each half draws
  x <- cbind(1, as.matrix(iris[old, 1:4]))
  by <- lapply(halves$rows, function(rows) cbind(1, as.matrix(others)) %*% qr.solve(x[rows, ], at[rows, ]))
  expect_equal(at[-seq_along(old), ], (by[[1]] + by[[2]]) / 2, ignore_attr = TRUE)
  for (space in c("points", "discriminant")) {
    twice <- fit_plane(fit, NULL, space, NULL, new_rows(fit, iris[old, 1:4], NULL))$at
    expect_equal(twice[136:270, ], twice[1:135, ], ignore_attr = TRUE)
    expect_equal(twice[1:135, ], fit_plane(fit, NULL, space, NULL)$at)
  }
  own <- as_figure(fit, c("Sepal.Width", "Sepal.Length"), newdata = cbind(iris[-old, ], z = 1))
  expect_equal(star_points(own)[c("x", "y")], iris[-old, c("Sepal.Width", "Sepal.Length")], ignore_attr = TRUE)
  one <- as_figure(kgroups(iris[old, "Petal.Length", drop = FALSE], 3), newdata = iris[-old, ])
  expect_equal(star_points(one)$x, iris$Petal.Length[-old])
})

test_that("new rows need coordinates, the columns of the data and the plane", {
  fit <- kgroups(iris[1:4], 3)
  expect_error(plot(fit, newdata = iris[1:3]), class = "kg_error_newdata")
  expect_error(plot(fit, newdata = iris, type = "profile"), "alone", class = "kg_error_newdata")
  expect_error(plot(kgroups(dist(iris[1:4]), 3), newdata = iris[1:4]), class = "kg_error_newdata")
  expect_error(plot(kgroups(igraph::make_graph("Zachary"), 2), newdata = iris[1:4]), class = "kg_error")
})

test_that("pairs of axes: one less than there are clusters, from two to four, of every space", {
  set.seed(1)
  for (k in c(2, 4, 6)) {
    fit <- kgroups(iris[1:4], k, standardize = "within")
    for (space in spaces) {
      figure <- as_figure(fit, type = "pairs", space = space)
      if (k == 4) expect_drawn(figure)
      first <- figure$layers[[1]]$data
      expect_length(unique(first$panel), choose(max(2, min(4, k - 1)), 2))
      if (space == "cross-fitted") next # the halves are turned in as many axes as are drawn
      plane <- fit_plane(fit, NULL, space, NULL)$at
      expect_equal(abs(as.matrix(first[first$panel == first$panel[1], 1:2])), abs(plane), ignore_attr = TRUE)
    }
  }
})

test_that("too few rows for halves give components of the columns, and other planes are there on request", {
  set.seed(1)
  few <- kgroups(mtcars[1:4], 2, standardize = "within")
  expect_null(half_fits(few))
  figure <- expect_drawn(as_figure(few))
  expect_match(figure$subtitle, "too few rows")
  expect_identical(nrow(star_points(as_figure(few, newdata = mtcars[1:3, ]))), 3L)
  expect_equal(
    abs(fit_plane(few, NULL, NULL, NULL)$at), abs(stats::prcomp(mtcars[1:4], scale. = TRUE)$x[, 1:2]),
    ignore_attr = TRUE
  )
  fit <- kgroups(iris[1:4], 3, standardize = "within")
  for (space in c("points", "discriminant")) expect_match(
    as_figure(fit, space = space)$subtitle, "chosen by the clusters"
  )
  # a metric of the user's choice is no choice by labels
  plain <- kgroups(iris[1:4], 3)
  expect_match(as_figure(plain)$x$label, "Component")
  expect_match(as_figure(plain, space = "cross-fitted")$x$label, "Cross-fitted")
  expect_null(half_fits(kgroups(iris[1:4], 1)))
  expect_null(half_fits(kgroups(igraph::make_graph("Zachary"), 2)))
})

test_that("two columns are drawn in their units", {
  set.seed(1)
  fit <- kgroups(faithful, 2, standardize = "within")
  expect_equal(fit_plane(fit, NULL, NULL, NULL)$at, as.matrix(faithful), ignore_attr = TRUE)
  expect_equal(
    fit_plane(kgroups(faithful["waiting"], 2, standardize = TRUE), NULL, NULL, NULL)$at, as.matrix(faithful["waiting"]),
    ignore_attr = TRUE
  )
})

test_that("the agreement is that of each half with the clusters of the fit", {
  set.seed(2)
  for (data in list(iris[1:4], dist(iris[1:4]))) {
    fit <- kgroups(data, 3)
    halves <- half_fits(fit)
    P <- reference_rho(as.matrix(iris[1:4]), semimetric = rho_power(1))
    each <- vapply(1:2, function(side) {
      labels <- reference_extend(P, halves$rows[[side]], halves$fits[[side]]$cluster, 3)
      compare_clusters(fit$cluster, labels)
    }, 0)
    expect_equal(halves$agreement, mean(each))
  }
})
