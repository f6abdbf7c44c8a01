# Slow references: every statistic from the definitions, on the permuted labels.
reference_test_statistic <- function(P, cluster, w, statistic) {
  parts <- reference_statistics(P, cluster, w)
  g <- parts$g
  s <- parts$s
  k <- length(s)
  E <- 2 * g - outer(diag(g), diag(g), "+")
  switch(statistic,
    S = parts$S,
    F = (parts$S / (k - 1)) / (parts$W / (sum(w > 0) - k)),
    H = E[1, 2] / (2 * g[1, 2]),
    original = {
      pairs <- outer(s, s) / outer(s, s, "+") * E
      sum(pairs[upper.tri(pairs)])
    }
  )
}

# All distinct arrangements of the labels.
arrangements <- function(labels) {
  if (length(labels) == 1L) {
    return(matrix(labels))
  }
  do.call(cbind, lapply(unique(labels), function(first) {
    rest <- labels[-match(first, labels)]
    rbind(first, arrangements(rest), deparse.level = 0)
  }))
}

test_that("the kernel gives every statistic of every relabelling as defined", {
  set.seed(1)
  for (semimetric in test_semimetrics()) {
    for (kind in c("unit", "integer", "real", "zero")) {
      n <- sample(6:40, 1)
      k <- sample(2:4, 1)
      x <- matrix(rnorm(n * 2), n)
      w <- random_weights(n, kind)
      cluster <- sample(k, n, replace = TRUE)
      cluster[which(w > 0)[seq_len(k)]] <- seq_len(k)
      P <- reference_rho(x, semimetric = semimetric)
      G <- as_gram(-(P - P[, 1] - rep(P[1, ], each = n)) / 2)
      inside <- which(w > 0)
      orders <- replicate(19, inside[sample.int(length(inside))])
      for (statistic in c("S", "F", "original", if (k == 2) "H")) {
        # values move, labels and weights stay
        right <- apply(orders, 2, function(o) reference_test_statistic(P[o, o], cluster[inside], w[inside], statistic))
        size <- max(abs(right), 1e-3 * reference_statistics(P, cluster, w)$total)
        for (problem in list(
          as_problem(x, semimetric, w), as_problem(dist(x), semimetric, w),
          as_problem(G, weights = w)
        )) {
          part <- subset_problem(problem, inside)
          design <- test_design(cluster[inside], part$w)
          columns <- apply(orders, 2, function(o) design$code[match(inside, o)])
          given <- list(number = 19, columns = function(turns) columns[, turns, drop = FALSE])
          got <- permutation_statistics(part, design, k, given, statistic)$value
          expect_lt(max(abs(got - right)), 1e-8 * size)
        }
      }
    }
  }
})

test_that("tiles larger than one, with and without a stored matrix, agree", {
  set.seed(2)
  n <- 700
  x <- matrix(rnorm(n * 2), n)
  labels <- sample(3L, n, replace = TRUE)
  for (w in list(rep(1, n), rexp(n))) {
    problem <- as_problem(x, weights = w)
    design <- test_design(labels, problem$w)
    for (statistic in c("S", "F", "original")) {
      set.seed(3)
      free <- permutation_statistics(problem, design, 3, permuted_labels(design$code, NULL, 40), statistic)$value
      set.seed(3)
      stored <- permutation_statistics(
        cache_pairs(problem), design, 3, permuted_labels(design$code, NULL, 40), statistic
      )$value
      expect_equal(free, stored, tolerance = 1e-10)
      expect_equal(free[1], reference_test_statistic(as.matrix(dist(x)), labels, w, statistic))
    }
  }
})

test_that("values are permuted against pairs of label and weight", {
  set.seed(4)
  x <- matrix(rnorm(24), 12)
  cluster <- rep(1:3, c(5, 4, 3))
  P <- as.matrix(dist(x))
  for (w in list(rexp(12), c(1, 4, 9)[cluster], replace(rexp(12), c(2, 7), 0))) {
    set.seed(5)
    got <- energy_test(x, cluster, weights = w, R = 30)
    set.seed(5)
    inside <- which(w > 0)
    right <- replicate(30, {
      o <- inside[order(sample.int(length(inside)))]
      reference_statistics(P[o, o], cluster[inside], w[inside])$S
    })
    expect_equal(got$permuted, right)
    expect_equal(got$p.value, (1 + sum(right >= got$statistic)) / 31)
    expect_equal(unname(got$statistic), energy_statistics(x, cluster, weights = w)$S)
  }
})

test_that("weights that depend on the group change neither level nor power", {
  set.seed(6)
  rejected <- function(sizes, w, shift, ...) {
    group <- rep(seq_along(sizes), sizes)
    mean(vapply(seq_len(60), function(run) {
      x <- rnorm(sum(sizes)) + shift * (group == length(sizes))
      energy_test(x, group, weights = w[group], R = 19, ...)$p.value <= 0.05
    }, NA))
  }
  # four standard errors above .05
  expect_lt(rejected(c(100, 5), c(1, 8), 0), 0.17)
  expect_lt(rejected(c(100, 5), c(1, 8), 0, statistic = "F"), 0.17)
  expect_gt(rejected(c(30, 30), c(10, 1), 1), 0.7)
  expect_gt(rejected(c(60, 15), c(8, 1), 1.2), 0.7)
  # within a group all weights are equal: the arrangements have the order of those without weights
  x <- rnorm(20)
  group <- rep(1:2, c(12, 8))
  set.seed(7)
  plain <- energy_test(x, group, R = 99)$p.value
  set.seed(7)
  expect_equal(energy_test(x, group, weights = c(3, 1)[group], R = 99, statistic = "H")$p.value, plain, tolerance = 0.2)
})

test_that("few arrangements of labels and weights are all used", {
  x <- c(0.3, 1.1, 1.9, 2.2, 4.1)
  group <- c(1, 1, 2, 2, 2)
  w <- c(1, 2, 1, 1, 1)
  P <- as.matrix(dist(x))
  S <- apply(arrangements(1:5), 2, function(o) reference_statistics(P[o, o], group, w)$S)
  right <- mean(S >= reference_statistics(P, group, w)$S * (1 - 1e-12))
  for (input in list(x, dist(x))) {
    test <- energy_test(input, group, weights = w)
    expect_identical(unname(test$parameter), 19L)
    expect_equal(test$p.value, right)
  }
})

test_that("the p-value is that of all arrangements if they are few, and comes near it if drawn", {
  set.seed(6)
  x <- c(0.3, 1.1, 1.9, 2.2, 4.1, 5.5, 6.8)
  cluster <- c(1, 1, 1, 2, 2, 2, 2)
  P <- as.matrix(dist(x))
  all_labels <- arrangements(cluster)
  expect_identical(ncol(all_labels), 35L)
  S <- apply(all_labels, 2, function(l) reference_statistics(P, l)$S)
  exact <- mean(S >= reference_statistics(P, cluster)$S * (1 - 1e-12))
  expect_equal(exact, 2 / 35)
  label <- as.integer(cluster)
  draws <- list(number = 5000, columns = function(turns) vapply(turns, function(p) if (p > 1) sample(label) else label, label))
  for (input in list(x, dist(x), semimetric_matrix(x, type = "gram"))) {
    p <- energy_test(input, cluster)
    expect_equal(p$p.value, exact)
    expect_identical(unname(p$parameter), 34L)
    drawn <- permutation_statistics(
      as_problem(input), list(code = label, label = 1:2), 2, draws, "S"
    )$value
    expect_lt(abs(mean(drawn >= drawn[1] - 1e-9) - exact), 4 * sqrt(exact * (1 - exact) / 5000))
  }
  # two equal sizes: exchanging the groups gives the same S, which must count
  x <- c(1, 2, 10.5, 11.7)
  expect_message(test <- energy_test(x, c(1, 1, 2, 2)), class = "kg_message_arrangements")
  expect_equal(test$p.value, 1 / 3)
})

test_that("strata restrict the permutations", {
  set.seed(7)
  # the groups differ between the strata only
  strata <- rep(c("a", "b"), each = 20)
  cluster <- c(rep(1:2, c(15, 5)), rep(1:2, c(5, 15)))
  x <- rnorm(40) + 10 * (strata == "b")
  expect_lt(energy_test(x, cluster)$p.value, 0.05)
  expect_gt(energy_test(x, cluster, strata = strata)$p.value, 0.05)
  for (i in 1:5) {
    labels <- permute_labels(as.integer(cluster), split(1:40, strata))
    expect_identical(tabulate(labels[1:20]), c(15L, 5L))
    expect_identical(tabulate(labels[21:40]), c(5L, 15L))
  }
  # all arrangements within strata of two
  x <- c(0, 5, 1, 7, 2, 8)
  expect_message(test <- energy_test(x, rep(1:2, 3), strata = rep(1:3, each = 2)), class = "kg_message_arrangements")
  expect_equal(test$p.value, 2 / 8)
})

test_that("p-values under the hypothesis are uniform, and power is there", {
  set.seed(8)
  p <- replicate(300, energy_test(rnorm(20), rep(1:2, 10), R = 19)$p.value)
  # P(p <= j / 20) = j / 20 exactly; four standard errors
  for (level in c(0.05, 0.1, 0.25, 0.5)) {
    expect_lt(abs(mean(p <= level) - level), 4 * sqrt(level * (1 - level) / 300))
  }
  scale <- replicate(20, energy_test(c(rnorm(30), rnorm(30, sd = 4)), rep(1:2, each = 30), R = 99)$p.value)
  expect_gt(mean(scale <= 0.05), 0.8)
  blind <- replicate(40, energy_test(
    c(rnorm(30), rnorm(30, sd = 4)), rep(1:2, each = 30), rho_power(2), R = 99
  )$p.value)
  expect_lt(mean(blind <= 0.05), 0.4)
})

test_that("S, F, E agree with package energy", {
  set.seed(1)
  skip_if_not_installed("energy")
  d <- dist(iris[1:4])
  sizes <- c(50, 50, 50)
  pseudo_f <- energy::disco(d, iris$Species, R = 0)
  value <- function(...) unname(energy_test(..., R = 9)$statistic)
  expect_equal(value(d, iris$Species), as.numeric(pseudo_f$between))
  expect_equal(value(d, iris$Species, statistic = "F"), as.numeric(pseudo_f$statistic))
  expect_equal(
    value(d, iris$Species),
    as.numeric(energy::eqdist.e(d, sizes, distance = TRUE, method = "discoB"))
  )
  expect_equal(
    value(d, iris$Species, statistic = "original"),
    as.numeric(energy::eqdist.e(d, sizes, distance = TRUE))
  )
  two <- dist(iris[1:80, 1:4])
  groups <- iris$Species[1:80]
  original <- as.numeric(energy::eqdist.e(two, c(50, 30), distance = TRUE))
  expect_equal(2 * value(two, groups), original)
  expect_equal(value(two, groups, statistic = "original"), original)
  # unequal sizes, three groups: the two statistics are not multiples of each other
  three <- rep(1:3, c(60, 50, 40))
  expect_equal(
    value(d, three, statistic = "original"),
    as.numeric(energy::eqdist.e(d, c(60, 50, 40), distance = TRUE))
  )
  set.seed(9)
  ours <- energy_test(d, rep(1:3, 50), R = 1999)$p.value
  mixed <- as.matrix(d)[order(rep(1:3, 50)), order(rep(1:3, 50))]
  theirs <- energy::eqdist.etest(as.dist(mixed), sizes, distance = TRUE, method = "discoB", R = 1999)$p.value
  expect_lt(abs(ours - theirs), 0.08)
})

test_that("the statistic F of DISCO has the p-value of S", {
  x <- iris[51:150, 1:2]
  groups <- rep(1:4, 25)
  set.seed(10)
  S <- energy_test(x, groups, R = 199)
  set.seed(10)
  F <- energy_test(x, groups, R = 199, statistic = "F")
  expect_identical(S$p.value, F$p.value)
})

test_that("edges: equal points, groups of one, indefinite semimetrics, names of labels", {
  set.seed(1)
  for (statistic in c("S", "F", "H", "original")) {
    expect_identical(energy_test(rep(1, 6), rep(1:2, 3), R = 19, statistic = statistic)$p.value, 1)
  }
  set.seed(11)
  one <- suppressMessages(energy_test(c(9, rnorm(9)), c("a", rep("b", 9)), R = 199))
  expect_equal(one$p.value, 0.1)
  x <- matrix(rnorm(30), 15)
  bad <- as.dist(as.matrix(dist(x))^2.5)
  indefinite <- energy_test(bad, rep(1:3, 5), R = 49)
  expect_equal(indefinite$statistic[["S"]], energy_statistics(bad, rep(1:3, 5))$S)
  set.seed(12)
  a <- energy_test(x, rep(c("u", "v", "w"), 5), R = 49)
  set.seed(12)
  b <- energy_test(x, factor(rep(1:3, 5)), R = 49)
  expect_identical(a$p.value, b$p.value)
  expect_identical(names(a$sizes), c("u", "v", "w"))
  # observations of weight 0 take no part
  for (statistic in c("S", "F", "H", "original")) {
    set.seed(14)
    w <- c(1, 1, 1, 0, 0, 0)
    light <- suppressMessages(energy_test(c(1, 2, 5, 6, 7, 9), rep(1:2, 3), weights = w, R = 99, statistic = statistic))
    none <- suppressMessages(energy_test(c(1, 2, 5), c(1, 2, 1), R = 99, statistic = statistic))
    expect_equal(light[c("statistic", "permuted", "p.value")], none[c("statistic", "permuted", "p.value")])
  }
  # infinitely far apart on the scale of W
  expect_identical(unname(energy_test(c(0, 0, 1, 1), c(1, 1, 2, 2), statistic = "F")$statistic), Inf)
})

test_that("it prints as R's tests do, and warns of clusters found from the data", {
  set.seed(13)
  expect_snapshot({
    energy_test(iris[1:4], iris$Species, R = 99)
    energy_test(iris[1:100, 1:4], rep(1:2, 50), R = 99, statistic = "H", strata = iris$Species[1:100])
    energy_test(iris[1:4], iris$Species, R = 99, statistic = "F")
    energy_test(dist(iris[1:4]), iris$Species, R = 99, statistic = "original")
  })
  fit <- kgroups(iris[1:4], 3)
  expect_warning(energy_test(iris[1:4], fit, R = 9), class = "kg_warning_level")
  expect_snapshot(p <- energy_test(iris[1:4], fit, R = 9)$p.value)
  expect_no_warning(energy_test(iris[1:4], iris$Species, R = 9))
})

test_that("wrong input is a classed error", {
  x <- c(1, 2, 4, 8)
  groups <- c("a", "a", "b", "b")
  expect_snapshot(error = TRUE, {
    energy_test(x, rep(1, 4))
    energy_test(x, letters[1:4])
    energy_test(x, letters[1:3])
    energy_test(x, c(1, 1, 2, NA))
    energy_test(cbind(x, x), c(1.5, 1, 2, 2))
    energy_test(dist(x), x / 3)
    energy_test(x)
    energy_test(list(x))
    energy_test(list(a = x, a = x))
    energy_test(list(x, "b"))
    energy_test(cbind(x, x), cbind(x, x, x))
    energy_test(~x, data = iris)
    energy_test(Sepal.Width ~ Species + Petal.Width + Petal.Length, data = iris)
    energy_test(Sepal.Width ~ Genus, data = iris)
    energy_test(x, groups, weights = c(1, 1, 0, 0))
    energy_test(x, groups, R = 0)
    energy_test(x, groups, R = 99.5)
    energy_test(x, groups, strata = 1:3)
    energy_test(x, groups, strata = groups)
    energy_test(x, groups, strata = c(1, 1, NA, 1))
    energy_test(x, groups, statistic = "anova")
    energy_test(1:9, rep(1:3, 3), statistic = "H")
    energy_test(x, groups, permutations = 99)
  })
  expect_error(energy_test(x, rep(1, 4)), class = "kg_error_g")
  expect_error(energy_test(x, letters[1:4]), class = "kg_error_g")
  expect_error(energy_test(x, groups, R = 0), class = "kg_error_R")
  expect_error(energy_test(x, groups, strata = groups), class = "kg_error_strata")
})
test_that("labels are values in messages, never code or format", {
  for (label in c("{stop('run')}", "{.arg x}", "%s %d", "a\nb")) {
    expect_error(
      energy_test(1:4, c(label, "b", "b", label), weights = c(0, 1, 1, 0)),
      encodeString(label, quote = "\""), fixed = TRUE, class = "kg_error_g"
    )
  }
})

test_that("two samples, labels, a list and a formula are the same test", {
  set.seed(15)
  x <- iris[1:20, 1:4]
  y <- iris[51:85, 1:4]
  both <- rbind(x, y)
  group <- rep(c("x", "y"), c(20, 35))
  right <- energy_statistics(both, group)$S
  value <- function(...) unname(energy_test(..., R = 9)$statistic)
  expect_equal(value(both, group), right)
  expect_equal(value(list(x, y)), right)
  expect_equal(value(list(x, y[4:1])), right)
  expect_equal(value(list(as.matrix(x), as.matrix(y))), right)
  expect_equal(value(list(unname(as.matrix(x)), y)), right)
  expect_equal(value(split(both, group)), right)
  expect_equal(value(. ~ group, data = cbind(both, group)), right)
  expect_equal(
    value(cbind(Sepal.Length, Sepal.Width, Petal.Length, Petal.Width) ~ group, data = cbind(both, group)), right
  )
  three <- split(iris[1:4], iris$Species)
  expect_identical(names(energy_test(three, R = 9)$sizes), levels(iris$Species))
  expect_equal(value(three), energy_statistics(iris[1:4], iris$Species)$S)
  # tables with categories and missing cells are one table
  mixed <- data.frame(a = c(rnorm(39), NA), b = rep(c("u", "v"), 20))
  expect_equal(value(list(mixed[1:15, ], mixed[16:40, ])), energy_statistics(mixed, rep(1:2, c(15, 25)))$S)
})

test_that("g is labels, whatever its values and the number of groups", {
  set.seed(16)
  v <- rnorm(12) + rep(c(0, 3), each = 6)
  for (g in list(gl(6, 2), rep(1:6, each = 2), rep(letters[1:6], each = 2), c(1, 1, 2:11))) {
    right <- energy_statistics(v, g)$S
    expect_no_message(test <- energy_test(v, g, R = 99))
    expect_equal(unname(test$statistic), right)
    expect_length(test$sizes, length(unique(g)))
    expect_equal(unname(suppressMessages(energy_test(split(v, g), R = 9)$statistic)), right)
    expect_equal(unname(energy_test(v ~ g, data = data.frame(v, g), R = 9)$statistic), right)
  }
  x <- rpois(60, 4)
  for (g in list(rnorm(60), rpois(50, 3), data.frame(x), cbind(x, x), rep(1, 60), sample(60))) {
    expect_error(energy_test(x, g, R = 9), class = "kg_error_g")
    expect_error(pairwise_energy_test(x, g, R = 9), class = "kg_error_g")
    expect_error(dispersion_test(x, g, R = 9), class = "kg_error_g")
  }
})

test_that("subset, weights, strata and groups may stand outside data, and the left side keeps the rows of subset", {
  set.seed(17)
  y <- matrix(rnorm(60), 20)
  d <- data.frame(v = rnorm(20), u = rep(1:4, 5))
  h <- gl(2, 10)
  w <- runif(20)
  rows <- d$u > 1
  expect_equal(
    energy_test(v ~ h, d, weights = w, strata = u, subset = u > 1, R = 9)$statistic,
    energy_test(d$v[rows], h[rows], weights = w[rows], strata = d$u[rows], R = 9)$statistic
  )
  gram <- semimetric_matrix(y, type = "gram")
  for (left in list(y, dist(y), gram, as.data.frame(y))) {
    right <- energy_statistics(y[rows, ], h[rows])$S
    expect_equal(unname(energy_test(left ~ h, data = d, subset = u > 1, R = 9)$statistic), right)
    expect_equal(
      unname(dispersion_test(left ~ h, data = d, subset = u > 1, R = 9)$statistic),
      unname(dispersion_test(y[rows, ], h[rows], R = 9)$statistic)
    )
  }
})

test_that("permuted statistics that differ by the rounding of the total are ties", {
  x <- c(0, 1, 10, 11)
  for (shift in c(0, 1e6)) {
    for (step in c(1, 1e-3)) {
      # two groups whose every arrangement within strata gives S = 0 up to rounding
      z <- shift + step * rep(c(1, 2, 3, 4) / 7, each = 4)
      test <- suppressMessages(energy_test(z, rep(1:2, 8), strata = rep(1:4, each = 4)))
      expect_identical(test$p.value, 1)
    }
  }
})

test_that("expected times are explained", {
  large <- list(n = 496306, store = structure(list(x = matrix(0, 1, 12)), class = c("kgroups_points", "kgroups_coordinates")))
  expect_snapshot({
    inform_long(30, "Wait.")
    inform_long(5400, "Wait.")
    inform_long(1e5, "Wait.")
    inform_long_test(large, 999)
  })
  expect_silent(inform_long(19, "Wait."))
})

test_that("groups that are clusters are reported in every test and form", {
  set.seed(32)
  x <- matrix(rnorm(120), 60)
  fit <- kgroups(x, 2)
  for (g in list(fit, kmeans(x, 2), cluster::pam(x, 2))) {
    expect_warning(energy_test(x, g, R = 9), class = "kg_warning_level")
    expect_warning(pairwise_energy_test(x, g, R = 9), class = "kg_warning_level")
    expect_warning(dispersion_test(x, g, R = 9), class = "kg_warning_level")
  }
  data <- data.frame(a = x[, 1], b = x[, 2], cluster = fit$cluster)
  expect_message(energy_test(cbind(a, b) ~ cluster, data, R = 9), class = "kg_message_level")
  expect_no_message(energy_test(x, rep(1:2, 30), R = 9))
  expect_no_message(energy_test(list(x[1:30, ], x[31:60, ] + 9), R = 9))
})

test_that("labels that no move improves are found as by a pass of the search, on a line in n log n", {
  set.seed(41)
  for (draw in 1:30) {
    n <- sample(30:60, 1)
    k <- sample(2:3, 1)
    x <- round(rnorm(n), sample(1:3, 1))
    w <- if (draw %% 2) rep(1, n) else sample(3, n, TRUE)
    labels <- kgroups(x, k, weights = w)$cluster
    if (draw %% 3 == 0) labels[sample(n, 1)] <- 1L
    problem <- as_problem(x, rho_power(1), w)
    by_pairs <- all(descend(problem, k, matrix(labels), new_control(iter.max = 1))$cluster == labels)
    expect_identical(is_local_optimum(problem, labels), by_pairs)
    expect_equal(sums_on_line(problem, labels, k), group_sums(problem, labels, k))
  }
  x <- rnorm(2e5)
  expect_lt(system.time(energy_test(x, rep(1:2, 1e5), R = 1))[[1]], 5)
})

test_that("tests of a formula name it alone, wherever the data stand", {
  set.seed(1)
  for (test in list(energy_test, dispersion_test, pairwise_energy_test)) {
    named <- suppressMessages(test(weight ~ feed, data = chickwts, R = 9))$data.name
    expect_identical(suppressMessages(test(weight ~ feed, chickwts, R = 9))$data.name, named)
    expect_false(grepl("chickwts", named))
  }
})

test_that("weights, strata and subset of a formula are evaluated in its data, in every function of samples", {
  set.seed(1)
  data <- data.frame(a = rnorm(24), b = rnorm(24), h = rep(c("u", "v"), 12), s = rep(1:3, 8), m = rep(1:4, 6))
  rows <- data[data$s < 3, ]
  calls <- list(
    energy_test(a ~ h, data, weights = m, strata = s, subset = s < 3, R = 19),
    energy_test(rows["a"], rows$h, weights = rows$m, strata = rows$s, R = 19)
  )
  expect_equal(calls[[1]]$statistic, calls[[2]]$statistic)
  columns <- list(quote(a), quote(a + b), quote(log(m) + a), quote(.), quote(. - b - s))
  tables <- list(
    rows["a"], rows[c("a", "b")], cbind(log(rows$m), rows$a), rows[c("a", "b", "s", "m")], rows[c("a", "m")]
  )
  functions <- list(
    function(...) energy_test(..., R = 19)$statistic, function(...) dispersion_test(..., R = 19)$statistic,
    function(...) pairwise_energy_test(..., R = 19)$S, function(...) energy_distance(...)[1]
  )
  for (i in seq_along(columns)) {
    formula <- stats::as.formula(call("~", columns[[i]], quote(h)))
    for (one in functions) {
      expected <- suppressMessages(
        if (identical(one, functions[[4]])) energy_distance(tables[[i]], g = rows$h)[1] else one(tables[[i]], rows$h)
      )
      expect_equal(suppressMessages(one(formula, data, subset = s < 3)), expected)
      expect_equal(suppressMessages(one(formula, data = data, subset = which(data$s < 3))), expected)
    }
  }
  # variables of the caller, and values that a function passes on
  own <- data$m
  expect_equal(energy_distance(a ~ h, data, weights = own)[1], energy_distance(data$a, g = data$h, weights = data$m)[1])
  pass <- function(w) energy_test(data$a, data$h, weights = w, R = 19)$statistic
  expect_equal(pass(own), energy_test(a ~ h, data, weights = m, R = 19)$statistic)
  a <- data$a
  b <- data$b
  expect_equal(energy_distance(a + b ~ own %% 2)[1], energy_distance(cbind(a, b), g = own %% 2)[1])
  expect_error(energy_test(a ~ h, data, weights = none), class = "kg_error_weights")
  expect_error(energy_test(a + none ~ h, data), class = "kg_error_formula")
  expect_error(energy_test(data["a"], data$h, subset = 1:10), "`x` and `subset`", class = "kg_error_g")
  expect_error(energy_test(a ~ h, data, subset = none > 1), class = "kg_error_subset")
  expect_error(dispersion_test(a ~ h, data$h, data = data), class = "kg_error_g")
})

test_that("lists of samples are taken by every test, and clusterings and labels in their place are refused", {
  set.seed(2)
  samples <- list(one = rnorm(12), two = rnorm(9, 0, 4), three = rnorm(10))
  x <- unlist(samples, use.names = FALSE)
  g <- rep(names(samples), lengths(samples))
  g <- factor(g, names(samples))
  for (call in list(
    function(...) dispersion_test(..., R = 19)$estimate, function(...) pairwise_energy_test(..., R = 19)$S,
    function(...) energy_test(..., R = 19)$statistic
  )) {
    expect_equal(suppressMessages(call(samples)), suppressMessages(call(x, g)))
  }
  expect_match(dispersion_test(samples, R = 19)$data.name, "^samples")
  for (clustering in list(kgroups(x, 2), stats::kmeans(x, 2), cluster::pam(x, 2))) {
    for (call in list(energy_test, dispersion_test, pairwise_energy_test, energy_distance)) {
      expect_error(call(clustering), "a clustering as `x`", class = "kg_error_g")
    }
    expect_error(energy_statistics(clustering), "not a clustering", class = "kg_error_x")
  }
  for (labels in list(g, as.character(g), x > 0)) expect_error(
    energy_distance(x, labels), "Labels of groups", class = "kg_error_y"
  )
})

test_that("a column that is the groups is named, whatever its coding and the function", {
  set.seed(3)
  g <- rep(c("v", "u", "w"), 12)
  groups <- list(text = g, factor = factor(g), number = match(g, c("w", "u", "v")), truth = g == "u")
  functions <- list(
    function(x, g) energy_test(x, g, R = 9), function(x, g) dispersion_test(x, g, R = 9),
    function(x, g) pairwise_energy_test(x, g, R = 9),
    function(x, g) energy_distance(x, g = g), energy_statistics
  )
  classes <- function(code) {
    out <- character()
    withCallingHandlers(code, message = function(m) {
      out <<- c(out, class(m)[1])
      invokeRestart("muffleMessage")
    })
    out
  }
  for (call in functions) {
    for (column in groups[1:3]) {
      x <- data.frame(a = rnorm(36), `the groups` = column, check.names = FALSE)
      informed <- classes(call(x, sample(1:3)[match(g, unique(g))]))
      expect_true("kg_message_group" %in% informed)
      expect_false("kg_message_level" %in% informed)
    }
    expect_true("kg_message_group" %in% classes(call(cbind(a = rnorm(36), b = match(g, unique(g))), g)))
    expect_true("kg_message_group" %in% classes(call(data.frame(a = rnorm(36), b = groups$truth), groups$truth + 0L)))
    # another partition, one column alone, and a coarser one are none
    for (x in list(
      data.frame(a = rnorm(36), b = rev(sample(g))), data.frame(a = rnorm(36), b = groups$truth), match(g, unique(g))
    )) {
      expect_false("kg_message_group" %in% classes(call(x, g)))
    }
  }
  expect_false("kg_message_group" %in% classes(energy_test(. ~ Species, iris, R = 9)))
})

test_that("found groups are reported by every function with p-values, also of standardized columns and in a factor", {
  set.seed(7)
  x <- matrix(rnorm(120), 60) %*% diag(c(1, 10))
  colnames(x) <- c("a", "b")
  other <- rep(1:2, 30)
  tests <- list(
    function(g) energy_test(x, g, R = 9), function(g) pairwise_energy_test(x, g, R = 9),
    function(g) dispersion_test(x, g, R = 9),
    function(g) energy_test(x ~ g + other, data = list(x = x, g = g, other = other), R = 9),
    function(g) energy_test(x, g, units = 1:60, R = 9)
  )
  for (fit in list(kgroups(x, 2), kgroups(x, 2, standardize = TRUE), kgroups(x, 2, semimetric = rho_power(1.5)))) {
    for (test in tests[if (is.null(fit$semimetric) || identical(fit$semimetric, rho_power(1))) 1:5 else 0]) {
      expect_message(test(fit$cluster), class = "kg_message_level")
    }
  }
  for (test in tests) expect_no_message(test(sample(other)), class = "kg_message_level")
})

test_that("groups of equal values are no clusters", {
  set.seed(41)
  for (x in list(rep(1, 60), matrix(1, 60, 2), dist(rep(1, 60)), rep(1:2, 30))) {
    g <- if (is.null(dim(x)) && length(unique(x)) == 2L) rep(1:3, each = 20) else sample(rep(1:3, 20))
    expect_no_message(energy_test(x, g, R = 9), class = "kg_message_level")
    expect_no_message(dispersion_test(x, g, R = 9), class = "kg_message_level")
  }
})

# ---- two factors ----

# Slow reference: dispersions as tr((H_ab - H_b) G) with projections of model matrices.
projection <- function(formula, data) {
  Q <- qr(stats::model.matrix(formula, data))
  tcrossprod(qr.Q(Q)[, seq_len(Q$rank), drop = FALSE])
}

reference_table <- function(rho, data) {
  n <- nrow(data)
  J <- diag(n) - 1 / n
  G <- -J %*% rho %*% J / 2
  tr <- function(H) sum(diag(H %*% G))
  both <- projection(~ a + b, data)
  others <- list(projection(~b, data), projection(~a, data))
  ss <- vapply(others, function(H) tr(both - H), 0)
  df <- vapply(others, function(H) round(sum(diag(both - H))), 0)
  left <- n - round(sum(diag(both)))
  rest <- sum(diag(G)) - tr(both)
  list(ss = ss, df = df, rest = rest, left = left, F = ss / df / (rest / left))
}

two_way <- function(cells = c(3, 5, 4, 6, 2, 4), d = 2) {
  cell <- rep(1:6, cells)
  data <- data.frame(a = factor((cell - 1) %/% 3), b = factor((cell - 1) %% 3))
  list(data = data, x = matrix(rnorm(d * nrow(data)), ncol = d))
}

test_that("dispersions, shares and F of two factors are those of their projections, for every form of the data", {
  set.seed(1)
  draw <- two_way()
  data <- draw$data
  x <- draw$x
  rho <- as.matrix(dist(x))
  right <- reference_table(rho, data)
  for (y in list(x, dist(x), semimetric_matrix(x, type = "gram"), as.data.frame(x))) {
    found <- tidy(energy_test(y ~ a + b, data, R = 9))
    expect_equal(found$dispersion, c(right$ss, right$rest, sum(rho) / 48))
    expect_equal(found$df, c(right$df, right$left, 23))
    expect_equal(found$statistic[1:2], right$F)
    expect_equal(found$share, found$dispersion / (sum(rho) / 48))
  }
  # labels of any type; empty cells and unequal ones
  for (turn in 1:6) {
    data <- data.frame(a = factor(sample(3, 30, TRUE)), b = factor(sample(4, 30, TRUE)))
    data <- droplevels(data[!(data$a == sample(3, 1) & data$b == sample(4, 1)), ])
    x <- matrix(rnorm(2 * nrow(data)), ncol = 2)
    found <- energy_test(x ~ as.character(a) + as.integer(b), data, R = 1)
    right <- reference_table(as.matrix(dist(x)), data)
    expect_equal(found[["Dispersion"]][1:3], c(right$ss, right$rest))
    expect_equal(found[["Df"]][1:3], c(right$df, right$left))
  }
})

test_that("squared distances are the analysis of variance, and adonis2 by margin", {
  set.seed(2)
  draw <- two_way(d = 1)
  y <- draw$x[, 1]
  found <- energy_test(y ~ a + b, draw$data, rho_power(2), R = 9)
  right <- stats::drop1(stats::lm(y ~ a + b, draw$data), test = "F")
  expect_equal(found[["F"]][1:2], right[["F value"]][2:3])
  skip_if_not_installed("vegan")
  draw <- two_way()
  D <- dist(draw$x)
  found <- energy_test(D ~ a + b, draw$data, R = 9)
  roots <- vegan::adonis2(sqrt(D) ~ a + b, draw$data, permutations = 9, by = "margin")
  expect_equal(found[["F"]][1:2], roots[["F"]][1:2])
  expect_equal(found[["Dispersion"]], roots[["SumOfSqs"]])
})

test_that("a factor is permuted within the levels of the other: all arrangements of few", {
  x <- c(1.1, 5.2, 2.3, 9.9, 0.4, 7.1, 3.3, 8.8)
  data <- data.frame(a = factor(rep(1:2, 4)), b = factor(rep(1:2, each = 4)))
  rho <- as.matrix(dist(x))
  columns <- all_arrangements(rep(1:2, 4), list(1:4, 5:8), 999)
  F <- apply(columns, 2, function(a) reference_table(rho, data.frame(a = factor(a), b = data$b))$F[1])
  found <- energy_test(x ~ a + b, data, R = 99)
  expect_equal(found[["Pr(>F)"]][1], mean(F >= F[1] * (1 - 1e-10)))
  expect_equal(attr(found, "permuted")[[1]], F)
})

test_that("a factor between units is permuted among whole units, one within them inside, at the level", {
  set.seed(4)
  unit <- rep(1:8, each = 4)
  data <- data.frame(unit, dose = rep(1:2, 4)[unit], week = rep(1:4, 8))
  p <- replicate(60, {
    x <- matrix(rnorm(16), 8)[unit, ] + matrix(rnorm(64), 32) + 2 * data$week
    energy_test(x ~ dose + week, data, units = unit, R = 39)[["Pr(>F)"]]
  })
  rejected <- rowMeans(p <= 0.05)
  expect_lt(rejected[1], 0.17)
  expect_gt(rejected[2], 0.9)
  x <- matrix(rnorm(64), 32)
  found <- energy_test(x ~ dose + week, data, units = unit, R = 199)
  # four and four units
  expect_length(attr(found, "permuted")[[1]], 70L)
  expect_output(print(found), "Units: 8; labels are permuted among units for dose, within units for week")
})

test_that("wrong calls of two factors are reported", {
  set.seed(5)
  data <- data.frame(x = rnorm(12), a = rep(1:2, 6), b = rep(1:3, each = 4), one = 1)
  expect_snapshot(error = TRUE, {
    energy_test(x ~ a + one, data)
    energy_test(x ~ a * b, data)
    energy_test(x ~ a / b, data)
    energy_test(x ~ a + x, data)
    energy_test(x ~ a + b, data, weights = a)
    energy_test(x ~ a + b, data, statistic = "H")
    pairwise_energy_test(x ~ a + b, data)
  })
  expect_snapshot(energy_test(x ~ a + b, data, R = 19))
})

test_that("a factor without degrees of freedom is an error, in either order and with copies of its labels", {
  set.seed(7)
  data <- data.frame(x = rnorm(12), a = rep(1:2, 6), b = rep(1:4, 3), d = rep(1:3, each = 4), e = rep(1:4, 3))
  # b determines a; e is b
  for (formula in list(x ~ a + b, x ~ b + a, x ~ b + e, x ~ a + a)) {
    expect_error(energy_test(formula, data, R = 9), "`units`", class = "kg_error_formula")
  }
  expect_equal(energy_test(x ~ b + d, data, R = 9)$Df, c(3, 2, 6, 11))
})

test_that("the figure of two factors has the shares of its terms", {
  set.seed(6)
  draw <- two_way(rep(4, 6))
  x <- draw$x + 3 * as.integer(draw$data$a)
  found <- energy_test(x ~ a + b, draw$data, R = 39)
  figure <- as_figure(found)
  expect_equal(figure$layers[[1L]]$data$xmax, found[["Share"]][1:3])
  expect_identical(figure$y$labels, c("a", "b", "Residuals"))
  expect_drawn(figure)
})

test_that("each pair has the test of its rows, adjusted", {
  set.seed(1)
  x <- matrix(rnorm(60), 30)
  x[1:10, ] <- x[1:10, ] + 1
  g <- rep(c("a", "b", "c"), each = 10)
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"), as.data.frame(x))) {
    found <- pairwise_energy_test(data, g, R = 19)
    expect_s3_class(found, "pairwise.htest")
    expect_identical(dimnames(found$p.value), list(c("b", "c"), c("a", "b")))
    for (pair in list(c("a", "b"), c("a", "c"), c("b", "c"))) {
      rows <- g %in% pair
      S <- energy_statistics(x[rows, ], g[rows])$S
      expect_equal(found$S[pair[2], pair[1]], S)
    }
  }
  one <- pairwise_energy_test(x, g, "none", against = "b", R = 19)
  expect_identical(dimnames(one$p.value), list(c("a", "c"), "b"))
  expect_output(print(one), "P value adjustment method: none")
  set.seed(2)
  p <- pairwise_energy_test(x, g, "none", R = 99)$p.value
  set.seed(2)
  expect_equal(pairwise_energy_test(x, g, "bonferroni", R = 99)$p.value, pmin(3 * p, 1))
  expect_snapshot(error = TRUE, {
    pairwise_energy_test(x, g, against = "d")
    pairwise_energy_test(x, g, "fisher")
    pairwise_energy_test(x, rep(1, 30))
    pairwise_energy_test(x, 1:3)
  })
})

test_that("sorted values on a line give the statistics of all pairs", {
  set.seed(3)
  for (w in list(NULL, sample(0:3, 40, TRUE), rexp(40))) {
    x <- round(rnorm(40), 1)
    g <- rep(1:4, 10)
    for (statistic in c("S", "F")) {
      set.seed(4)
      sorted <- energy_test(x, g, weights = w, R = 30, statistic = statistic)
      set.seed(4)
      pairs <- energy_test(dist(x), g, weights = w, R = 30, statistic = statistic)
      expect_equal(sorted$permuted, pairs$permuted, tolerance = 1e-10)
      expect_equal(sorted$statistic, pairs$statistic, tolerance = 1e-10)
      expect_identical(sorted$p.value, pairs$p.value)
    }
    set.seed(5)
    H <- energy_test(x, g > 2, weights = w, R = 30, statistic = "H")
    set.seed(5)
    expect_equal(
      energy_test(dist(x), g > 2, weights = w, R = 30, statistic = "H")$permuted, H$permuted, tolerance = 1e-10
    )
  }
})

test_that("a message names the least adjusted p-value where it is above .05", {
  set.seed(1)
  x <- c(1.2, 1.4, 1.1, 5.3, 5.1, 5.6, 9.9, 9.2, 9.5)
  expect_message(
    p <- pairwise_energy_test(x, rep(1:3, each = 3)), "below 0.3: each of 3 tests has at most 20 arrangements",
    class = "kg_message_arrangements"
  )
  expect_equal(min(p$p.value, na.rm = TRUE), 0.3)
  expect_message(pairwise_energy_test(rnorm(60), rep(1:3, 20), R = 19), "larger `R`", class = "kg_message_arrangements")
  expect_no_message(pairwise_energy_test(rnorm(60), rep(1:3, 20), R = 99), class = "kg_message_arrangements")
  # every p-value that the data can have is at least the one named
  expect_message(
    pairwise_energy_test(x, rep(1:3, each = 3), p.adjust.method = "none"), "below 0.1",
    class = "kg_message_arrangements"
  )
})
