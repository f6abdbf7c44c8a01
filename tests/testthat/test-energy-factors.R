# Slow reference: dispersions as tr((H_1 - H_0) G) with projections of model matrices.
projection <- function(formula, data) {
  Q <- qr(stats::model.matrix(formula, data))
  tcrossprod(qr.Q(Q)[, seq_len(Q$rank), drop = FALSE])
}

reference_table <- function(rho, data, crossed = TRUE) {
  n <- nrow(data)
  J <- diag(n) - 1 / n
  G <- -J %*% rho %*% J / 2
  tr <- function(H) sum(diag(H %*% G))
  full <- projection(if (crossed) ~ a * b else ~ a + b, data)
  additive <- projection(~ a + b, data)
  ss <- c(
    tr(additive) - tr(projection(~b, data)), tr(additive) - tr(projection(~a, data)),
    if (crossed) tr(full) - tr(additive)
  )
  df <- round(c(sum(diag(additive)) - c(nlevels(data$b), nlevels(data$a)), if (crossed) sum(diag(full - additive))))
  rest <- tr(diag(n)) - tr(full)
  left <- n - round(sum(diag(full)))
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
  for (crossed in c(TRUE, FALSE)) {
    formula <- if (crossed) y ~ a * b else y ~ a + b
    right <- reference_table(rho, data, crossed)
    for (y in list(x, dist(x), semimetric_matrix(x, type = "gram"), as.data.frame(x))) {
      found <- tidy(energy_test(formula, data, R = 9))
      expect_equal(found$dispersion, c(right$ss, right$rest, sum(rho) / 48))
      expect_equal(found$df, c(right$df, right$left, 23))
      expect_equal(found$statistic[1:2], right$F[1:2])
      expect_equal(found$share, found$dispersion / (sum(rho) / 48))
    }
  }
  # labels of any type; an empty cell
  keep <- !(data$a == 0 & data$b == 1)
  y <- x[keep, ]
  other <- data.frame(a = ifelse(data$a == 0, "u", "v"), b = as.integer(data$b))[keep, ]
  expect_equal(tidy(energy_test(y ~ a * b, other, R = 9))$df, c(1, 2, 1, 14, 18))
})

test_that("empty cells and unequal ones have the dispersions of projections, also of cells beyond units", {
  set.seed(8)
  for (turn in 1:6) {
    data <- data.frame(a = factor(sample(3, 30, TRUE)), b = factor(sample(4, 30, TRUE)))
    data <- droplevels(data[!(data$a == sample(3, 1) & data$b == sample(4, 1)), ])
    x <- matrix(rnorm(2 * nrow(data)), ncol = 2)
    found <- energy_test(x ~ a * b, data, R = 1)
    right <- reference_table(as.matrix(dist(x)), data)
    expect_equal(found[["Dispersion"]][1:4], c(right$ss, right$rest))
    expect_equal(found[["Df"]][1:4], c(right$df, right$left))
  }
  unit <- rep(1:6, c(3, 5, 4, 4, 3, 5))
  a <- rep(1:2, 3)[unit]
  b <- sample(3, 24, TRUE)
  G <- centred_gram(as.matrix(dist(rnorm(24))))
  Q <- basis_beyond(indicators(unit))
  Q <- cbind(Q, basis_beyond(indicators(b), Q))
  got <- beyond(left_by(G, Q), Q, contrasts_of_cells(a, b))
  more <- basis_beyond(indicators(cell_code(a, b)), Q)
  expect_equal(got, list(ss = sum(more * (G %*% more)), df = ncol(more)))
})

test_that("squared distances are the analysis of variance, and the tests of adonis2", {
  set.seed(2)
  draw <- two_way(d = 1)
  y <- draw$x[, 1]
  found <- energy_test(y ~ a * b, draw$data, rho_power(2), R = 9)
  right <- stats::anova(stats::lm(y ~ b * a, draw$data))
  expect_equal(found[["F"]][c(1, 3)], right[["F value"]][2:3])
  expect_equal(found[["Dispersion"]][4], right[["Sum Sq"]][4])
  skip_if_not_installed("vegan")
  draw <- two_way()
  D <- dist(draw$x)
  found <- energy_test(D ~ a * b, draw$data, R = 9)
  roots <- vegan::adonis2(sqrt(D) ~ b * a, draw$data, permutations = 9, by = "terms")
  expect_equal(found[["F"]][1], roots[["F"]][2])
  expect_equal(found[["Dispersion"]][3:5], roots[["SumOfSqs"]][3:5])
  x <- draw$x
  found <- energy_test(x ~ a * b, draw$data, rho_power(2), R = 9)
  plain <- vegan::adonis2(D ~ a * b, draw$data, permutations = 9, by = "terms")
  expect_equal(found[["F"]][2:3], plain[["F"]][2:3])
  expect_equal(found[["Share"]][2:5], plain[["R2"]][2:5])
})

test_that("main effects are permuted within the levels of the other factor: all arrangements of few", {
  x <- c(1.1, 5.2, 2.3, 9.9, 0.4, 7.1, 3.3, 8.8)
  data <- data.frame(a = factor(rep(1:2, 4)), b = factor(rep(1:2, each = 4)))
  rho <- as.matrix(dist(x))
  columns <- all_arrangements(rep(1:2, 4), list(1:4, 5:8), 999)
  F <- apply(columns, 2, function(a) reference_table(rho, data.frame(a = factor(a), b = data$b))$F[1])
  found <- energy_test(x ~ a * b, data, R = 99)
  expect_equal(found[["Pr(>F)"]][1], mean(F >= F[1] * (1 - 1e-10)))
  expect_equal(attr(found, "permuted")[[1]], F)
})

test_that("two additive shifts are no interaction, crossed ones are, and levels hold", {
  set.seed(3)
  rejected <- function(shift, joint, draws) {
    p <- replicate(draws, {
      draw <- two_way(rep(6, 6))
      a <- as.integer(draw$data$a)
      b <- as.integer(draw$data$b)
      x <- draw$x + shift * (a + b) + joint * (2 * a - 3) * (b - 2)
      energy_test(x ~ a * b, data.frame(a, b), R = 39)[["Pr(>F)"]][3]
    })
    mean(p <= 0.05)
  }
  # raw rows are rejected in every draw here
  expect_lt(rejected(2, 0, 60), 0.17)
  expect_gt(rejected(2, 1, 20), 0.6)
})

test_that("a factor between units is permuted among whole units, one within them inside", {
  set.seed(4)
  unit <- rep(1:8, each = 4)
  data <- data.frame(unit, dose = rep(1:2, 4)[unit], week = rep(1:4, 8))
  p <- replicate(60, {
    x <- matrix(rnorm(16), 8)[unit, ] + matrix(rnorm(64), 32) + 2 * data$week
    energy_test(x ~ dose * week, data, units = unit, R = 39)[["Pr(>F)"]]
  })
  rejected <- rowMeans(p <= 0.05)
  expect_lt(rejected[1], 0.17)
  expect_gt(rejected[2], 0.9)
  expect_lt(rejected[3], 0.17)
  x <- matrix(rnorm(64), 32)
  found <- energy_test(x ~ dose * week, data, units = unit, R = 199)
  # four and four units
  expect_length(attr(found, "permuted")[[1]], 70L)
  expect_output(print(found), "Units: 8; labels are permuted among units for dose, within units for week")
})

test_that("wrong calls of two factors are reported", {
  set.seed(5)
  data <- data.frame(x = rnorm(12), a = rep(1:2, 6), b = rep(1:3, each = 4), one = 1)
  expect_snapshot(error = TRUE, {
    energy_test(x ~ a * one, data)
    energy_test(x ~ a:b, data)
    energy_test(x ~ a * b * one, data)
    energy_test(x ~ a + b, data, weights = a)
    energy_test(x ~ a + b, data, statistic = "H")
    pairwise_energy_test(x ~ a + b, data)
  })
  expect_snapshot(energy_test(x ~ a * b, data, R = 19))
})

test_that("a term without degrees of freedom is an error, in either order and with copies of its labels", {
  set.seed(7)
  data <- data.frame(x = rnorm(12), a = rep(1:2, 6), b = rep(1:4, 3), d = rep(1:3, each = 4), e = rep(1:4, 3))
  # b determines a; e is b
  formulas <- list(x ~ a * b, x ~ b * a, x ~ a + b, x ~ b + a, x ~ b + e, x ~ b * e, x ~ a * a)
  for (formula in formulas) expect_error(energy_test(formula, data, R = 9), class = "kg_error_formula")
  # one row a cell has no residual beside the interaction
  expect_error(energy_test(x ~ b * d, data, R = 9), "b + d", fixed = TRUE, class = "kg_error_formula")
  expect_equal(energy_test(x ~ b + d, data, R = 9)$Df, c(3, 2, 6, 11))
  # two levels of d have one level of a each: no interaction
  data$a <- ifelse(data$d == 1, data$a, data$d)
  expect_error(energy_test(x ~ a * d, data, R = 9), class = "kg_error_formula")
})

test_that("the figure of two factors has the shares of its terms", {
  set.seed(6)
  draw <- two_way(rep(4, 6))
  x <- draw$x + 3 * as.integer(draw$data$a)
  found <- energy_test(x ~ a * b, draw$data, R = 39)
  figure <- as_figure(found)
  bars <- figure$layers[[1L]]$data
  expect_equal(bars$xmax, found[["Share"]][1:4])
  expect_identical(figure$y$labels, c("a", "b", "a:b", "Residuals"))
  expect_identical(bars$group == "chosen", found[["Pr(>F)"]][1:4] <= 0.05 & !is.na(found[["Pr(>F)"]][1:4]))
  expect_match(figure$title, "a")
  expect_drawn(figure)
})
