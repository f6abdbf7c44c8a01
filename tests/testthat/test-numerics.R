# Ill-conditioned input against sums that carry what they lose (helper-reference.R).

# Both ways that W is reported: by a fit and of a given partition.
expect_exact <- function(x, k = 3, alpha = 1, tolerance = 1e-12, w = NULL) {
  x <- as.matrix(x)
  each <- if (is.null(w)) rep(1, nrow(x)) else w
  fit <- suppressMessages(kgroups(x, k, semimetric = rho_power(alpha), weights = w))
  expect_equal(fit$W, exact_W(x, fit$cluster, alpha, each), tolerance = tolerance)
  expect_equal(fit$total, exact_W(x, rep(1, nrow(x)), alpha, each), tolerance = tolerance)
  given <- energy_statistics(x, fit$cluster, rho_power(alpha), weights = w)
  expect_equal(given$W, fit$W, tolerance = tolerance)
  expect_equal(given$W + given$S, fit$total, tolerance = tolerance)
  # what is reported never depends on the way through the solver
  d <- kgroups(stats::dist(x), k, semimetric = rho_power(alpha), weights = w, init = fit$cluster)
  expect_lte(d$W, fit$W * (1 + 1e-10))
  invisible(fit)
}

test_that("an offset of 1e8 does not change W beyond rounding of the data", {
  set.seed(1)
  x <- matrix(rnorm(120), 40)
  for (alpha in c(0.5, 1, 1.5, 2)) expect_exact(x + 1e8, alpha = alpha)
  expect_exact(x + rep(c(1e8, -1e8, 1e15), each = 40), 2)
  # whole numbers move without rounding, so that W must be the same to the last digits
  whole <- round(100 * x)
  near <- kgroups(whole, 3, init = rep_len(1:3, 40))
  far <- kgroups(whole + 2^40, 3, init = rep_len(1:3, 40))
  expect_identical(near$cluster, far$cluster)
  expect_equal(near$W, far$W, tolerance = 1e-14)
  expect_exact(whole[, 1, drop = FALSE] + 1e8)
})

test_that("scales from 1e-150 to 1e150 change W by their power and nothing else", {
  set.seed(2)
  x <- matrix(rnorm(100), 50)
  start <- rep_len(1:3, 50)
  for (alpha in c(1, 2)) {
    base <- kgroups(x, 3, semimetric = rho_power(alpha), init = start)
    for (e in c(-498, -300, -100, 100, 300, 498)) {
      fit <- kgroups(x * 2^e, 3, semimetric = rho_power(alpha), init = start)
      expect_identical(fit$cluster, base$cluster)
      expect_equal(fit$W / 2^(alpha * e), base$W, tolerance = 1e-13)
    }
  }
  expect_exact(x * 1e-150)
  expect_exact(x * 1e150)
  # columns of scales that are worlds apart
  expect_exact(cbind(x[, 1] * 1e120, x[, 2] * 1e-120))
  w <- 10^runif(50, -150, 150)
  fit <- kgroups(x, 3, weights = w)
  expect_equal(fit$W, exact_W(x, fit$cluster, w = w / 1e150) * 1e150, tolerance = 1e-12)
})

test_that("duplicates, collinear points, two points", {
  set.seed(3)
  few <- matrix(rnorm(10), 5)
  expect_exact(few[rep(1:5, 8), ])
  fit <- kgroups(few[rep(1:5, 8), ], 5)
  expect_lt(fit$W, 1e-12)
  expect_equal(kgroups(matrix(1 / 3, 10, 2), 2)$W, 0)
  line <- rnorm(40) %o% c(1, 2, -3)
  fit <- expect_exact(line)
  expect_equal(
    fit$total, sqrt(14) * kgroups(line[, 1], 1)$W,
    tolerance = 1e-12
  )
  pair <- rbind(c(0, 0), c(3, 4))
  expect_equal(kgroups(pair, 1)$W, 2.5)
  expect_identical(kgroups(pair, 2)$W, 0)
  expect_exact(pair * 1e-150, 1)
})

test_that("heavy tails", {
  set.seed(4)
  for (x in list(matrix(rcauchy(120), 60), matrix(rlnorm(120, sdlog = 5), 60), matrix(rt(120, 0.3), 60))) {
    expect_exact(x)
    expect_exact(x, w = rexp(60))
  }
  expect_exact(matrix(rcauchy(300), ncol = 1))
})

test_that("5000 columns", {
  set.seed(5)
  x <- matrix(rnorm(12 * 5000), 12) + 1e4
  expect_exact(x, 2)
  expect_exact(x, 2, alpha = 2)
})

test_that("S and energy distances of samples that nearly agree", {
  set.seed(6)
  x <- matrix(round(rnorm(60), 3), 30)
  # the same sample twice: S is 0 up to the rounding of the total
  both <- energy_statistics(rbind(x, x), rep(1:2, each = 30))
  expect_lt(abs(both$S), 1e-13 * both$total)
  expect_lt(abs(energy_distance(x, x)), 1e-13 * both$total)
  # a shift of 1e-4 is seen through an offset: dyadic numbers move without rounding
  near <- round(x * 2^10) / 2^10
  moved <- near + 2^-13
  plain <- energy_distance(near, moved)
  expect_gt(plain, 0)
  expect_equal(energy_distance(near + 2^25, moved + 2^25), plain, tolerance = 1e-6)
})

# Every interface at the ends of the range of doubles: what comes back is finite and not below 0, or a
# classed error.
end_entries <- list(
  fit = function(x, rho) kgroups(x, 2, semimetric = rho),
  Lloyd = function(x, rho) kernel_kmeans(x, 2, semimetric = rho),
  labels = function(x, rho) kgroups(x, 2, semimetric = rho, init = rep(1:2, each = 10)),
  spectral = function(x, rho) kgroups(x, 2, semimetric = rho, init = "spectral"),
  landmarks = function(x, rho) kgroups(x, 2, semimetric = rho, approx = nystroem(10)),
  "all landmarks" = function(x, rho) kgroups(x, 2, semimetric = rho, approx = nystroem(landmarks = seq_len(20))),
  polish = function(x, rho) kgroups(x, 2, semimetric = rho, approx = nystroem(10, polish = TRUE)),
  blocks = function(x, rho) kgroups(ends_blocks(x), 2, semimetric = rho, approx = nystroem(10)),
  dissimilarities = function(x, rho) kgroups(dist(x), 2, semimetric = rho),
  Gram = function(x, rho) kgroups(semimetric_matrix(x, semimetric = rho, type = "gram"), 2),
  table = function(x, rho) kgroups(data.frame(x, f = factor(rep(1:2, each = 10))), 2, semimetric = rho),
  standardised = function(x, rho) kgroups(x, 2, semimetric = rho, standardize = TRUE),
  weights = function(x, rho) kgroups(ends_near, 2, semimetric = rho, weights = abs(x[, 1])),
  "weights of blocks" = function(x, rho) {
    kgroups(ends_blocks(ends_near), 2, semimetric = rho, weights = abs(x[, 1]), approx = nystroem(10))
  },
  "one dimension" = function(x, rho) kgroups(x[, 1], 2),
  connected = function(x, rho) kgroups(x, 2, semimetric = rho_connected()),
  "new data" = function(x, rho) ends_predicted(kgroups(ends_near, 2, semimetric = rho), x),
  "new data, landmarks" = function(x, rho) ends_predicted(
    kgroups(ends_near, 2, semimetric = rho, approx = nystroem(10)), x
  ),
  "own data" = function(x, rho) ends_predicted(kgroups(x, 2, semimetric = rho), ends_near),
  statistics = function(x, rho) energy_statistics(x, rep(1:2, each = 10), rho),
  "weighted statistics" = function(x, rho) energy_statistics(
    ends_near, rep(1:2, each = 10), rho, weights = abs(x[, 1])
  ),
  distance = function(x, rho) energy_distance(x[1:10, ], x[11:20, ], rho),
  test = function(x, rho) energy_test(x, rep(1:2, each = 10), rho, R = 19)$statistic,
  matrix = function(x, rho) list(semimetric_matrix(x, semimetric = rho), semimetric_matrix(x, ends_near, rho)),
  type = function(x, rho) unclass(is_negative_type(x, rho, details = TRUE)),
  repaired = function(x, rho) make_negative_type(x, rho),
  "number of clusters" = function(x, rho) select_k(x, 1:3, semimetric = rho)$table$W,
  stability = function(x, rho) unlist(stability(x, 2, semimetric = rho)[["overall"]]),
  silhouettes = function(x, rho) augment(kgroups(x, 2, semimetric = rho))$.silhouette
)
ends_near <- local({
  set.seed(1)
  matrix(rnorm(40), 20) + rep(c(0, 5), each = 10)
})
ends_blocks <- function(x) row_blocks(function(i) x[seq(i, nrow(x), by = 2), , drop = FALSE], 2)
ends_predicted <- function(fit, x) list(
  predict(fit, x), predict(fit, x, type = "distance"), predict(fit, x, type = "squared")
)

ends_wrong <- function(answer) {
  if (inherits(answer, "error")) {
    return(if (!inherits(answer, "kg_error")) paste("raw error:", conditionMessage(answer)))
  }
  is_fit <- inherits(answer, "kgroups_fit")
  if (is_fit) answer <- unclass(answer)[c("W", "S", "total", "within", "objectives", "cluster", "sizes")]
  values <- unlist(answer)
  if (!all(is.finite(values[!is.na(values) | is_fit]))) {
    return("not finite")
  }
  if (is_fit && any(unlist(answer) < 0)) paste("below 0:", min(unlist(answer)))
}

test_that("every function returns finite numbers of at least 0, or a classed error, at the ends of the range", {
  skip_on_cran()
  wrong <- character()
  turn <- 0
  for (value in repeats(c(1e150, 1e-300), c(1e150, 1e-150, 1e160, 1e-300))) {
    one <- ends_near
    one[7, 1] <- value
    for (shape in c("all", "one row")) {
      for (alpha in 1:2) {
        turn <- turn + 1
        for (entry in third(names(end_entries), turn)) {
          set.seed(2)
          answer <- tryCatch(
            suppressMessages(
              suppressWarnings(end_entries[[entry]](if (shape == "all") ends_near * value else one, rho_power(alpha)))
            ),
            error = identity
          )
          found <- ends_wrong(answer)
          if (!is.null(found)) wrong <- c(wrong, sprintf("%s, %s %g, alpha %d: %s", entry, shape, value, alpha, found))
        }
      }
    }
  }
  expect_identical(wrong, character())
})

test_that("W is never below 0 by rounding where observations are equal", {
  set.seed(17)
  for (problem in seq_len(repeats(10, 30))) {
    x <- matrix(rnorm(12), 4)[rep(1:4, 3), ] * 10^runif(1, -3, 3) + 10^runif(1, -2, 6)
    G <- semimetric_matrix(x, x0 = colMeans(x), type = "gram")
    labels <- rep(1:4, 3)
    for (W in list(
      kgroups(x, 4, init = labels), kgroups(G, 4, init = labels), kernel_kmeans(G, 4, init = labels),
      energy_statistics(G, labels), energy_statistics(x, labels),
      suppressMessages(kgroups(x, 4, approx = nystroem(landmarks = 1:12), init = labels)),
      suppressWarnings(kgroups(row_blocks(function(i) x, 1), 4, approx = nystroem(landmarks = x)))
    )) {
      expect_gte(W$W, 0)
      expect_true(all(W$within >= 0))
    }
  }
})
