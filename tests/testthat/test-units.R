# Slow reference: S, H and the statistic of 2004 of labels of units from the definitions, every row of unit u with weight w_u a_i / sum a
# over its rows (a: weights of rows), and arrangements of whole units.
reference_units <- function(D, id, label, w, a, statistic) {
  row <- w[id] * a / stats::ave(a, id, FUN = sum)
  pair <- function(i, j) sum(outer(row[i], row[j]) * D[i, j]) / (sum(row[i]) * sum(row[j]))
  groups <- lapply(sort(unique(label)), function(l) which(label[id] == l))
  s <- vapply(groups, function(i) sum(row[i]), 0)
  g <- outer(seq_along(groups), seq_along(groups), Vectorize(function(i, j) pair(groups[[i]], groups[[j]])))
  E <- 2 * g - outer(diag(g), diag(g), "+")
  upper <- upper.tri(E)
  switch(statistic,
    S = sum((outer(s, s) / (2 * sum(s)) * E)[upper]),
    original = sum((outer(s, s) / outer(s, s, "+") * E)[upper]),
    H = E[1, 2] / (2 * g[1, 2])
  )
}

unit_sample <- function(sizes, groups = rep_len(1:2, length(sizes)), sd = 1, d = 2) {
  id <- rep(seq_along(sizes), sizes)
  list(
    x = matrix(rnorm(d * length(id)), ncol = d) + sd * matrix(rnorm(d * length(sizes)), ncol = d)[id, , drop = FALSE],
    id = id, g = groups[id]
  )
}

test_that("statistics of whole units are those of their definition, for every form of the data, with weights", {
  set.seed(1)
  draw <- unit_sample(c(3, 1, 5, 2, 4, 2), rep(1:2, each = 3))
  D <- as.matrix(dist(draw$x))
  columns <- all_arrangements(rep(1:2, each = 3), NULL, 999)
  for (a in list(rep(1, 17), rexp(17))) {
    for (kind in unit_weight_kinds) {
      for (statistic in c("S", "H", "original")) {
        for (data in list(draw$x, dist(draw$x), semimetric_matrix(draw$x, type = "gram"), as.data.frame(draw$x))) {
          test <- suppressMessages(
            energy_test(data, draw$g, units = draw$id, weights = a, unit_weights = kind, statistic = statistic)
          )
          right <- apply(
            columns, 2, function(label) reference_units(D, draw$id, label, test$units$weight, a, statistic)
          )
          expect_equal(unname(c(test$statistic, test$permuted)), right)
          expect_equal(test$p.value, mean(right >= right[1] - 1e-12))
          expect_equal(test$least.p, 0.1)
        }
      }
      F <- suppressMessages(
        energy_test(draw$x, draw$g, units = draw$id, weights = a, unit_weights = kind, statistic = "F")
      )
      S <- suppressMessages(energy_test(draw$x, draw$g, units = draw$id, weights = a, unit_weights = kind))
      expect_identical(F$p.value, S$p.value)
    }
  }
})

test_that("equal units are the test of their energy distance, units of rows of weight m those of the rows", {
  set.seed(2)
  draw <- unit_sample(c(4, 7, 2, 3, 5, 6, 3))
  first <- !duplicated(draw$id)
  E <- energy_distance(draw$x, g = draw$id)
  rows <- energy_test(draw$x, draw$g, units = draw$id, unit_weights = "rows")
  # weights of mean 1 by unit
  expect_equal(unname(rows$statistic) * 30 / 7, energy_statistics(draw$x, draw$g)$S)
  # units of one row are rows
  set.seed(3)
  a <- energy_test(draw$x, draw$g, units = 1:30, R = 99)
  set.seed(3)
  b <- energy_test(dist(draw$x), draw$g, R = 99)
  expect_equal(a[c("statistic", "permuted", "p.value")], b[c("statistic", "permuted", "p.value")])
})

test_that("weights by precision follow the variance components, which do not depend on labels", {
  set.seed(4)
  draw <- unit_sample(rep(c(2, 30), 30), d = 1, sd = 2)
  fit <- stats::anova(stats::lm(draw$x ~ factor(draw$id)))
  m <- tabulate(draw$id)
  m0 <- (960 - sum(m^2) / 960) / 59
  sb2 <- (fit[["Mean Sq"]][1] - fit[["Mean Sq"]][2]) / m0
  right <- 1 / (sb2 + fit[["Mean Sq"]][2] / m)
  test <- energy_test(draw$x, draw$g, rho_power(2), units = draw$id, R = 9)
  # rho is twice the squared distance of variances
  expect_equal(unname(test$units$weight), right / mean(right))
  expect_equal(test$units$icc, sb2 / (sb2 + fit[["Mean Sq"]][2]))
  other <- energy_test(draw$x, 3 - draw$g, rho_power(2), units = draw$id, R = 9)
  expect_equal(other$units, test$units)
  # without differences between units rows decide
  none <- energy_test(matrix(rep(rnorm(20), 6)), rep(1:2, each = 60), units = rep(1:6, each = 20), R = 9)
  expect_equal(unname(none$units$weight), rep(1, 6))
})

test_that("the level holds in a repeated design, in which strata of times reject", {
  set.seed(5)
  p <- replicate(120, {
    x <- matrix(rnorm(24), 12)[rep(1:12, 5), ] + matrix(rnorm(120), 60)
    g <- sample(rep(1:2, 6))[rep(1:12, 5)]
    c(
      energy_test(x, g, units = rep(1:12, 5), R = 39)$p.value,
      energy_test(x, g, strata = rep(1:5, each = 12), R = 39)$p.value,
      dispersion_test(x, g, units = rep(1:12, 5), R = 39)$p.value
    )
  })
  rejected <- rowMeans(p <= 0.05)
  # four standard errors
  expect_lt(rejected[1], 0.13)
  expect_gt(rejected[2], 0.2)
  expect_lt(rejected[3], 0.13)
})

test_that("units are permuted within strata, and pairs of groups have the test of their units", {
  set.seed(6)
  draw <- unit_sample(rep(3, 12), rep(1:3, 4))
  strata <- rep(1:2, each = 6)[draw$id]
  test <- energy_test(draw$x, draw$g, units = draw$id, strata = strata, R = 999)
  expect_match(test$method, "permutations of 12 units within strata")
  found <- pairwise_energy_test(
    draw$x, draw$g, "none", units = draw$id, strata = strata, unit_weights = "rows", R = 999
  )
  for (pair in list(1:2, 2:3, c(1, 3))) {
    rows <- draw$g %in% pair
    one <- energy_test(
      draw$x[rows, ], draw$g[rows], units = draw$id[rows], strata = strata[rows], unit_weights = "rows", R = 999
    )
    # two and two units in each stratum: 36 arrangements
    expect_length(one$permuted, 35L)
    expect_equal(found$p.value[as.character(pair[2]), as.character(pair[1])], one$p.value)
    expect_equal(found$S[as.character(pair[2]), as.character(pair[1])], one$statistic[[1]])
  }
})

test_that("the dispersion of units is compared, not their location", {
  set.seed(7)
  draw <- unit_sample(rep(c(4, 8), 12), rep(1:2, each = 12))
  x <- draw$x
  shifted <- x + 10 * (draw$g == 2)
  p <- function(x) withr::with_seed(8, dispersion_test(x, draw$g, units = draw$id, R = 199)$p.value)
  expect_equal(p(shifted), p(x), tolerance = 0.3)
  expect_lt(p(x * draw$g^2), 0.05)
  expect_length(dispersion_test(x, draw$g, units = draw$id, R = 9)$distances, 24L)
})

test_that("values that vary in a unit and single units are errors", {
  set.seed(1)
  x <- 1:8
  id <- rep(c("p", "q", "r", "s"), each = 2)
  g <- rep(1:2, each = 4)
  expect_snapshot(error = TRUE, {
    energy_test(x, rep(1:2, 4), units = id)
    energy_test(x, g, units = id, strata = c(1, 1, 1, 2, 1, 1, 1, 1))
    energy_test(x, g, units = 1:3)
    energy_test(x, g, units = rep(1:2, each = 4))
    energy_test(x, g, units = id, unit_weights = "size")
  })
  expect_snapshot(energy_test(x, g, units = id))
  expect_equal(suppressMessages(energy_test(x ~ g, data.frame(x, g, id), units = id)$p.value), 1 / 3)
})

test_that("units whose sizes go with the group are reported by every test of units, others are not", {
  set.seed(8)
  draw <- unit_sample(rep(c(2, 20), 8))
  for (test in list(energy_test, pairwise_energy_test, dispersion_test)) {
    expect_message(test(draw$x, draw$g, units = draw$id, R = 19), class = "kg_message_units")
    even <- unit_sample(rep(c(2, 20), each = 8), rep(1:2, 8))
    expect_no_message(test(even$x, even$g, units = even$id, R = 19), class = "kg_message_units")
    same <- unit_sample(rep(3, 16))
    expect_no_message(test(same$x, same$g, units = same$id, R = 19), class = "kg_message_units")
  }
})

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
