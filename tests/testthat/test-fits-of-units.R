units_of_three <- function(sizes = sample(8:20, 18, TRUE), sd = c(1, 3, 9)) {
  cluster <- rep(1:3, length.out = length(sizes))
  id <- rep(seq_along(sizes), sizes)
  list(x = cbind(rnorm(length(id), 0, sd[cluster[id]]), rnorm(length(id))), id = id, cluster = cluster)
}

test_that("clusters of units are those of their energy distance, for every form of the data", {
  set.seed(1)
  draw <- units_of_three()
  x <- draw$x
  half <- rho_power(0.5)
  fit <- kgroups(x, 3, units = draw$id)
  expect_identical(nrow(fit$units), 18L)
  expect_equal(compare_clusters(fit$units$cluster, draw$cluster), 1, tolerance = 0.3)
  for (unit in split(fit$cluster, draw$id)) expect_length(unique(unit), 1L)
  E <- energy_distance(x, g = draw$id, semimetric = half)
  other <- kgroups(E, 3, weights = fit$units$weight)
  expect_equal(compare_clusters(other$cluster, fit$units$cluster), 1)
  # W of the rows is that of the units, half of E, and the dispersion inside units
  P <- unit_means(as_problem(x, half), list(code = draw$id, names = as.character(1:18)))$P
  expect_equal(fit$W, other$W / 2 + sum(fit$units$weight * diag(P)) / 2)
  for (form in list(
    list(as.data.frame(x)), list(dist(x), semimetric = half),
    list(semimetric_matrix(x, semimetric = half, type = "gram"))
  )) {
    again <- do.call(kgroups, c(form, list(k = 3, units = draw$id)))
    expect_equal(again$units$weight, fit$units$weight)
    expect_equal(compare_clusters(again$units$cluster, fit$units$cluster), 1)
  }
  by_formula <- kgroups(~ V1 + V2, 3, data = cbind(as.data.frame(x), id = draw$id), units = id)
  expect_equal(by_formula$W, fit$W)
})

test_that("new units go to the cluster of the least mean squared distance", {
  set.seed(2)
  draw <- units_of_three()
  fit <- kgroups(draw$x, 3, units = draw$id)
  expect_equal(unname(predict(fit, draw$x, units = draw$id)), fit$units$cluster)
  new <- units_of_three()
  got <- predict(fit, new$x, units = paste0("n", new$id))
  D <- predict(fit, new$x, type = "squared")
  expect_identical(unname(got["n3"]), unname(which.min(colMeans(D[new$id == 3, ]))))
})

test_that("units of one row, links and rows of weight 0 are errors", {
  x <- matrix(1:12, 6)
  id <- rep(1:3, each = 2)
  expect_error(kgroups(x, 2, units = 1:6), class = "kg_error_units")
  expect_error(kgroups(x, 2, units = id, apart = cbind(1, 2)), class = "kg_error_units")
  expect_error(kgroups(x, 2, units = id, weights = c(0, 1, 1, 1, 1, 1)), class = "kg_error_weights")
  expect_error(kgroups(x, 2, units = 1:4), class = "kg_error")
})

test_that("numbers of clusters, tree and figure of a fit of units are those of their energy distances, whatever their names", {
  set.seed(3)
  draw <- units_of_three()
  name <- paste("unit", 19 - draw$id)
  x <- data.frame(draw$x, id = name)
  fit <- kgroups(~ X1 + X2, 3, data = x, units = id)
  E <- energy_distance(as.matrix(x[1:2]), g = x$id, semimetric = rho_power(0.5))
  expect_identical(fit$units$unit, rownames(as.matrix(E)))
  expect_equal(energies_of_units(fit, NULL), E, ignore_attr = TRUE)
  w <- fit$units$weight
  expect_equal(kgroups_tree(fit)$merge, kgroups_tree(E, weights = w)$merge)
  # sums of weighted E within clusters over the weight of the cluster
  of_clusters <- function(one) {
    sum(vapply(
      split(seq_along(w), one), function(at) sum(outer(w[at], w[at]) * as.matrix(E)[at, at]) / (2 * sum(w[at])), 0
    ))
  }
  found <- select_k(fit, 2:4, criterion = "elbow")
  expect_equal(found$table$W[found$table$k == 3], of_clusters(fit$units$cluster))
  figure <- as_figure(fit)
  points <- figure$layers[[2L]]$data
  expect_identical(as.integer(points$group), fit$units$cluster)
  expect_identical(nrow(figure$layers[[1L]]$data), nrow(x))
  expect_identical(ncol(as_figure(fit, type = "coordinates")$layers[[1L]]$data), 3L)
  # one column: a line a unit, of one cluster each
  one <- kgroups(draw$x[, 1], 3, units = name)
  rows <- as_figure(one)$layers[[1L]]$data
  expect_identical(nrow(unique(rows[c("y", "group")])), 18L)
  expect_error(plot(kgroups(draw$x, 3), type = "units"), class = "kg_error_type")
  expect_drawn(figure)
})
