# The partitions that keep the rows of a group together and pairs apart, one a row.
partitions_with_links <- function(n, k, together, apart) {
  all <- partition_rows(n, k)
  good <- rep(TRUE, nrow(all))
  for (rows in split(seq_len(n), together)) good <- good & rowSums(all[, rows, drop = FALSE] != all[, rows[1]]) == 0
  for (i in seq_len(nrow(apart))) good <- good & all[, apart[i, 1]] != all[, apart[i, 2]]
  all[good, , drop = FALSE]
}

# A small random problem: dissimilarities, k, groups (NA: free) and pairs.
random_links <- function(i) {
  n <- sample(5:repeats(7, 9), 1)
  semimetric <- list(rho_power(1), rho_power(0.5), rho_power(2), rho_gaussian(1), rho_exponential(1))[[i %% 5 + 1]]
  together <- rep(NA_integer_, n)
  if (i %% 3 > 0) together[sample(n, sample(2:4, 1))] <- sample(1:2, 1)
  pairs <- t(combn(n, 2))
  apart <- pairs[sample(nrow(pairs), if (i %% 3 == 1) 0 else sample(1:6, 1)), , drop = FALSE]
  list(
    P = reference_rho(matrix(rnorm(2 * n), n), semimetric = semimetric), n = n, k = sample(2:3, 1),
    w = if (i %% 4 == 0) sample(1:3, n, TRUE) else rep(1, n), together = together, apart = apart
  )
}

test_that("W is the least that the constraints permit, by brute force", {
  set.seed(1)
  for (i in seq_len(repeats(25, 100))) {
    one <- random_links(i)
    all <- partitions_with_links(one$n, one$k, one$together, one$apart)
    call <- function() {
      kgroups(
        as.dist(one$P), one$k, weights = one$w, together = if (any(!is.na(one$together))) one$together,
        apart = if (nrow(one$apart)) one$apart
      )
    }
    if (nrow(all) == 0) {
      expect_error(call(), class = "kg_error_input")
      next
    }
    fit <- suppressMessages(call())
    expect_equal(fit$W, min(W_of_rows(one$P, all, one$w)), tolerance = 1e-8)
    expect_equal(fit$W, reference_statistics(one$P, fit$cluster, one$w)$W)
    expect_true(any(colSums(t(all) != match(fit$cluster, unique(fit$cluster))) == 0))
  }
})

test_that("groups that stay together are weighted observations at half their energy distance", {
  set.seed(2)
  x <- matrix(rnorm(120), 60) + 2 * rep(0:2, each = 20)
  group <- sample(12, 60, TRUE)
  fit <- kgroups(x, 3, together = group)
  between <- energy_distance(x, g = factor(group)) / 2
  units <- kgroups(as.dist(between), 3, weights = tabulate(group))
  within <- energy_statistics(x, group)$W
  expect_equal(fit$W, units$W + within)
  expect_equal(fit$W, energy_statistics(x, unname(fit$cluster))$W)
  expect_identical(nrow(unique(cbind(group, fit$cluster))), length(unique(group)))
  # the same as pairs, by names, and of all forms of input
  pairs <- do.call(rbind, lapply(split(1:60, group), function(rows) cbind(rows[-length(rows)], rows[-1])))
  rownames(x) <- paste0("r", 1:60)
  expect_equal(kgroups(x, 3, together = pairs)$W, fit$W)
  expect_equal(kgroups(x, 3, together = matrix(rownames(x)[pairs], ncol = 2))$W, fit$W)
  expect_equal(kgroups(dist(x), 3, together = factor(group))$W, fit$W)
  G <- as_gram(-as.matrix(dist(x)) / 2)
  expect_equal(suppressWarnings(kgroups(G, 3, together = group))$W, fit$W)
  expect_equal(suppressWarnings(kgroups(Matrix::Matrix(unclass(G), sparse = TRUE), 3, together = group))$W, fit$W)
  expect_equal(kgroups(x, 3, together = group, weights = rep(2, 60))$W, 2 * fit$W)
  expect_equal(kgroups(rbind(x, x), 3, together = c(group, group))$W, 2 * fit$W)
})

test_that("pairs apart are kept, no move and no exchange lowers W", {
  set.seed(3)
  x <- matrix(rnorm(60), 30)
  for (semimetric in list(rho_power(1), rho_gaussian(1))) {
    P <- reference_rho(x, semimetric = semimetric)
    pairs <- matrix(sample(30, 40, TRUE), ncol = 2)
    pairs <- pairs[pairs[, 1] != pairs[, 2], ]
    fit <- kgroups(x, 4, semimetric = semimetric, apart = pairs)
    labels <- unname(fit$cluster)
    expect_true(all(labels[pairs[, 1]] != labels[pairs[, 2]]))
    expect_equal(fit$W, reference_statistics(P, labels)$W)
    moved <- matrix(labels, 120, 30, byrow = TRUE)
    moved[cbind(1:120, rep(1:30, 4))] <- rep(1:4, each = 30)
    at <- seq_len(nrow(pairs))
    swapped <- matrix(labels, length(at), 30, byrow = TRUE)
    for (end in 1:2) swapped[cbind(at, pairs[, end])] <- labels[pairs[, 3 - end]]
    others <- rbind(moved, swapped)
    others <- others[rowSums(others[, pairs[, 1]] == others[, pairs[, 2]]) == 0, ]
    expect_gt(nrow(others), 40)
    expect_gte(min(W_of_rows(P, others)), fit$W * (1 - 1e-9))
  }
  # ids: rows of the same id in different clusters, also as a list of groups
  id <- rep(1:10, each = 3)
  listed <- list(apart = split(1:30, id)[1:4], together = list(c(1, 4, 7), c(30, 12)))
  fit <- do.call(kgroups, c(list(x, 4), listed))
  expect_true(all(lengths(lapply(listed$apart, function(rows) unique(fit$cluster[rows]))) == 3))
  expect_true(all(lengths(lapply(listed$together, function(rows) unique(fit$cluster[rows]))) == 1))
  # rows of weight 0 keep the constraints too
  w <- rep_len(c(1, 0, 2), 30)
  fit <- kgroups(x, 4, apart = id, together = cbind(c(1, 4), c(5, 9)), weights = w)
  expect_true(all(tapply(fit$cluster, id, function(labels) length(unique(labels))) == 3))
  expect_identical(fit$cluster[c(1, 4)], fit$cluster[c(5, 9)])
})

test_that("a large problem and a start of the user keep the pairs", {
  set.seed(4)
  x <- matrix(rnorm(4400), 2200) + 3 * rep(0:1, 1100)
  pairs <- matrix(sample(2200, 60), ncol = 2)
  fit <- kgroups(x, 2, apart = pairs, init = rep(1:2, 1100))
  expect_true(all(fit$cluster[pairs[, 1]] != fit$cluster[pairs[, 2]]))
  expect_identical(names(fit$objectives), "labels")
  expect_null(fit$constraints$W_free)
  expect_equal(fit$W, energy_statistics(x, unname(fit$cluster))$W)
})

test_that("stability(), select_k(), relabel() and predict() accept a fit with constraints", {
  set.seed(5)
  group <- rep(1:30, each = 5)
  pairs <- cbind(c(1, 60, 20), c(10, 110, 55))
  fit <- kgroups(iris[1:4], 3, together = group, apart = pairs)
  expect_s3_class(fit, c("kgroups_together_fit", "kgroups_apart_fit", "kgroups_fit"), exact = TRUE)
  expect_identical(predict(fit), fit$cluster)
  expect_length(predict(fit, iris[1:4]), 150)
  expect_gt(min(stability(fit, B = 3)$clusters$jaccard), 0.5)
  chosen <- select_k(iris[1:4], 1:3, together = group, apart = pairs, splits = 2)
  expect_identical(chosen$table$k, 2:3)
  expect_identical(nrow(unique(cbind(group, chosen$cluster))), 30L)
  expect_identical(relabel(fit, "size")$constraints, fit$constraints)
  learned <- kgroups(iris[1:4], 3, standardize = "within", together = group)
  expect_identical(nrow(unique(cbind(group, learned$cluster))), 30L)
  lloyd <- kernel_kmeans(iris[1:4], 3, together = group)
  expect_identical(nrow(unique(cbind(group, lloyd$cluster))), 30L)
  expect_snapshot(fit, transform = function(lines) sub("W = [^(]*[(]", "W (", lines))
})

test_that("a group of one row has no pair", {
  x <- c(1, 2, 3, 10, 11, 12)
  with_one <- kgroups(x, 2, apart = c("a", "a", NA, NA, NA, "b"))
  expect_identical(with_one$cluster, kgroups(x, 2, apart = cbind(1, 2))$cluster)
  expect_identical(seeded(kgroups(x, 2, apart = c("a", NA, NA, NA, NA, "b")))$cluster, seeded(kgroups(x, 2))$cluster)
})

test_that("constraints that contradict each other are an error that names the rows", {
  x <- as.matrix(iris[1:4])
  expect_snapshot(error = TRUE, {
    kgroups(x, 3, together = rbind(c(1, 2), c(2, 3)), apart = rbind(c(3, 1)))
    kgroups(x, 2, apart = rbind(c(1, 2), c(2, 3), c(1, 3)))
    kgroups(x, 2, apart = cbind(c(1, 2, 3, 4, 5), c(2, 3, 4, 5, 1)))
    kgroups(x, 2, apart = rbind(c(1, 4), c(4, 7), c(2, 7)), together = rbind(c(1, 2)))
    kgroups(x, 3, apart = rep(1:30, each = 5))
    kgroups(x, 3, together = rep(1:2, 75))
    kgroups(x, 3, apart = cbind(1, 1))
    kgroups(x, 3, apart = cbind(1, 200))
    kgroups(x, 3, apart = cbind("a", "b"))
    kgroups(x, 3, apart = 1:3)
    kgroups(x, 3, together = list(1, 2:3))
    kgroups(x, 3, apart = cbind(1, 2), trim = 0.1)
    kernel_kmeans(x, 3, apart = cbind(1, 2))
    kgroups(x, 3, must_link = cbind(1, 2))
  })
})

test_that("a graph without large cliques that three colours do not suffice for is refused, a colourable one solved", {
  # the graph of Groetzsch: no triangle, four colours
  edges <- rbind(
    cbind(1:5, c(2:5, 1)), cbind(rep(6:10, each = 2), c(2, 5, 1, 3, 2, 4, 3, 5, 1, 4)), cbind(11, 6:10)
  )
  set.seed(6)
  x <- matrix(rnorm(22), 11)
  expect_error(kgroups(x, 3, apart = edges), class = "kg_error_constraints")
  fit <- kgroups(x, 4, apart = edges)
  expect_true(all(fit$cluster[edges[, 1]] != fit$cluster[edges[, 2]]))
  all <- partitions_with_links(8, 3, rep(NA, 8), edges[rowSums(edges > 8) == 0, ])
  part <- kgroups(x[1:8, ], 3, apart = edges[rowSums(edges > 8) == 0, ])
  P <- as.matrix(dist(x[1:8, ]))
  expect_equal(part$W, min(W_of_rows(P, all)))
})

test_that("logical values mark rows", {
  set.seed(5)
  x <- matrix(rnorm(60), 30)
  some <- seq_len(30) %in% c(4, 9, 20)
  expect_identical(kgroups(x, 3, together = some)$constraints$together, ifelse(some, 1L, NA))
  expect_identical(length(unique(kgroups(x, 3, apart = some)$cluster[some])), 3L)
})

test_that("no pair is broken by rows of weight 0, limits on sizes or groups, by brute force", {
  set.seed(7)
  for (i in seq_len(repeats(25, 150))) {
    n <- sample(5:repeats(6, 8), 1)
    k <- sample(2:3, 1)
    P <- as.matrix(dist(matrix(rnorm(2 * n), n)))
    w <- if (i %% 2) rpois(n, 1.2) else rep(1, n)
    if (sum(w > 0) < k) next
    apart <- t(combn(n, 2))[sample(n * (n - 1) / 2, sample(6, 1)), , drop = FALSE]
    together <- rep(NA_integer_, n)
    if (i %% 3 == 0) together[sample(n, 2)] <- 1L
    limits <- if (i %% 2 == 0) list(c(floor(n / k), ceiling(n / k)), c(2, n), c(1, ceiling(n / k)))[[sample(3, 1)]]
    all <- partitions_with_links(n, k, together, apart)
    good <- rep(TRUE, nrow(all))
    for (l in seq_len(k)) {
      good <- good & (all == l) %*% w > 0 & (is.null(limits) | within_limits(rowSums(all == l), limits %||% c(0, n)))
    }
    fit <- tryCatch(
      kgroups(
        as.dist(P), k, weights = if (i %% 2) w, apart = apart, sizes = limits,
        together = if (any(!is.na(together))) together
      ),
      kg_error_input = function(e) NULL
    )
    expect_identical(is.null(fit), !any(good))
    if (is.null(fit)) next
    labels <- unname(fit$cluster)
    expect_false(any(labels[apart[, 1]] == labels[apart[, 2]]))
    expect_true(is.null(limits) || all(within_limits(tabulate(labels, k), limits)))
    least <- min(W_of_rows(P, all[good, , drop = FALSE], w))
    expect_equal(fit$W, reference_statistics(P, labels, w)$W)
    # exchanges of many groups within limits may end above the least W
    expect_gte(fit$W, least * (1 - 1e-9))
    if (is.null(limits)) expect_equal(fit$W, least)
  }
  x <- c(0, 1, 9, 10, 5, 5)
  expect_error(kgroups(x, 2, weights = c(1, 1, 1, 1, 0, 0), apart = cbind(1:4, 5)), class = "kg_error_constraints")
})

test_that("teams of equal sizes keep rows apart and together", {
  set.seed(8)
  x <- matrix(rnorm(60), 30)
  free <- kgroups(x, 5, sizes = 6)
  team <- split(1:30, free$cluster)
  fit <- kgroups(
    x, 5, sizes = 6, apart = rbind(team[[1]][1:2], team[[2]][3:4]), together = rbind(c(team[[3]][1], team[[4]][1]))
  )
  expect_identical(fit$sizes, rep(6L, 5))
  expect_false(
    any(fit$cluster[team[[1]][1]] == fit$cluster[team[[1]][2]], fit$cluster[team[[2]][3]] == fit$cluster[team[[2]][4]])
  )
  expect_identical(fit$cluster[[team[[3]][1]]], fit$cluster[[team[[4]][1]]])
  expect_lt(fit$W, 1.2 * free$W)
  expect_equal(fit$W, energy_statistics(x, unname(fit$cluster))$W)
})

test_that("many units move as groups, without a matrix of pairs", {
  set.seed(9)
  y <- matrix(rnorm(4400), 2200) + 3 * rep(0:1, 1100)
  pairs <- rbind(c(1, 2), c(5, 20))
  fit <- kgroups(y, 2, together = pairs)
  expect_identical(unname(fit$cluster[pairs[, 1]]), unname(fit$cluster[pairs[, 2]]))
  expect_equal(fit$W, energy_statistics(y, unname(fit$cluster))$W)
  free <- kgroups(y, 2)
  expect_lte(fit$W, free$W * 1.01)
})

test_that("components of pairs are those of the graph", {
  set.seed(10)
  for (i in 1:20) {
    n <- sample(2:60, 1)
    pairs <- matrix(sample(n, 2 * sample(40, 1), TRUE), ncol = 2)
    reach <- diag(n) > 0
    reach[pairs] <- reach[pairs[, 2:1, drop = FALSE]] <- TRUE
    for (step in 1:6) reach <- reach %*% reach > 0
    expect_identical(component_numbers(pairs, n), match(apply(reach, 1, which.max), unique(apply(reach, 1, which.max))))
  }
})
