# energy_test() and dispersion_test(): the share of rejections at the level 5 % where the hypothesis holds and
# where it does not. Stops if a level of energy_test() is off.
#   Rscript bench/tests.R [PART ...] > bench/tests.md
# Parts, each from its own seed, and minutes of one core: level (3), power (2), dispersion (2), other (2), vegan (2).

library(kgroups)
options(rlib_message_verbosity = "quiet")

runs <- 1000
R <- 199
given <- commandArgs(TRUE)
is_part <- function(name) {
  set.seed(match(name, c("level", "power", "other", "vegan", "dispersion")))
  length(given) == 0 || name %in% given
}

rate <- function(make, ..., times = runs) {
  mean(vapply(seq_len(times), function(run) {
    data <- make()
    energy_test(data$x, data$group, ..., R = R)$p.value <= 0.05
  }, NA))
}

normal <- function(sizes, d, shift = 0, scale = 1) {
  group <- rep(seq_along(sizes), sizes)
  x <- matrix(rnorm(sum(sizes) * d), ncol = d)
  last <- group == length(sizes)
  x[last, ] <- x[last, ] * scale + shift
  list(x = x, group = group)
}
heavy <- function(sizes, shift = 0) {
  group <- rep(seq_along(sizes), sizes)
  list(x = rcauchy(sum(sizes)) + shift * (group == length(sizes)), group = group)
}
weighted <- function() {
  data <- normal(c(15, 15), 2)
  c(data, list(weights = rexp(30)))
}
blocked <- function() {
  data <- normal(c(15, 15), 1)
  block <- rep(1:3, 10)
  # blocks far apart, groups of unequal share in them
  data$group <- as.integer(runif(30) < c(0.2, 0.5, 0.8)[block]) + 1L
  data$x <- data$x + 5 * block
  c(data, list(block = block))
}

# one variable, with the same weight for all observations of a group
by_group <- function(sizes, weights, shift = 0, ...) {
  group <- rep(seq_along(sizes), sizes)
  mean(vapply(seq_len(runs), function(run) {
    x <- rnorm(sum(sizes)) + shift * (group == length(sizes))
    energy_test(x, group, weights = weights[group], R = R, ...)$p.value <= 0.05
  }, NA))
}

if (is_part("level")) {
  level <- c(
    "two normal samples of 15, d = 2" = rate(function() normal(c(15, 15), 2)),
    "sizes 5, 10, 30, d = 5" = rate(function() normal(c(5, 10, 30), 5)),
    "two Cauchy samples of 20" = rate(function() heavy(c(20, 20))),
    "H, sizes 10 and 25" = rate(function() normal(c(10, 25), 2), statistic = "H"),
    "original, sizes 5, 10, 30" = rate(function() normal(c(5, 10, 30), 2), statistic = "original"),
    "weights, drawn for each observation" = mean(replicate(runs, {
      data <- weighted()
      energy_test(data$x, data$group, weights = data$weights, R = R)$p.value <= 0.05
    })),
    "sizes 200 and 10, weights 1 and 4" = by_group(c(200, 10), c(1, 4)),
    "sizes 100 and 20, weights 5 and 1" = by_group(c(100, 20), c(5, 1)),
    "sizes 100, 50, 50, weights 44, 20, 15" = by_group(c(100, 50, 50), c(44, 20, 15)),
    "the same, F" = by_group(c(100, 50, 50), c(44, 20, 15), statistic = "F"),
    "the same, in three strata" = by_group(c(100, 50, 50), c(44, 20, 15), strata = rep(1:3, length.out = 200)),
    "sizes 100 and 20, weights 5 and 1, H" = by_group(c(100, 20), c(5, 1), statistic = "H"),
    "sizes 100 and 20, weights 5 and 1, by pair" = mean(replicate(runs, {
      pairwise_energy_test(rnorm(120), rep(1:2, c(100, 20)), weights = rep(c(5, 1), c(100, 20)), R = R)$p.value <= 0.05
    })),
    "strata that differ" = mean(replicate(runs, {
      data <- blocked()
      energy_test(data$x, data$group, strata = data$block, R = R)$p.value <= 0.05
    })),
    "the same without `strata`" = mean(replicate(runs, {
      data <- blocked()
      energy_test(data$x, data$group, R = R)$p.value <= 0.05
    })),
    "clusters of one normal sample, k = 2" = mean(replicate(runs, {
      x <- matrix(rnorm(80), 40)
      suppressWarnings(energy_test(x, kgroups(x, 2), R = R))$p.value <= 0.05
    }))
  )

  cat(sprintf(
    "# energy_test()\n\nShare of p-values up to .05 over %d data sets, R = %d.\n\n| no difference | rejected |\n|---|---|\n",
    runs, R
  ))
  cat(sprintf("| %s | %.3f |\n", names(level), level), sep = "")
  cat("\nWithout `strata` the groups differ because the blocks do; clusters found from the same data always differ.\n")
  valid <- level[!names(level) %in% c("the same without `strata`", "clusters of one normal sample, k = 2")]
  # five standard errors
  stopifnot(all(abs(valid - 0.05) < 5 * sqrt(0.05 * 0.95 / runs)))
}

if (is_part("power")) {
  settings <- list(
    "shift 0.6, two samples of 25, d = 3" = function() normal(c(25, 25), 3, shift = 0.6),
    "scale 2, two samples of 25, d = 3" = function() normal(c(25, 25), 3, scale = 2),
    "shift 0.8, sizes 15, 15, 40, d = 2" = function() normal(c(15, 15, 40), 2, shift = 0.8),
    "shift 2, two Cauchy samples of 25" = function() heavy(c(25, 25), 2)
  )
  power <- vapply(settings, function(make) {
    c(
      rate(make), rate(make, semimetric = rho_power(1 / 2)), rate(make, semimetric = rho_power(2)),
      rate(make, semimetric = rho_gaussian()), rate(make, statistic = "original")
    )
  }, numeric(5))

  cat(
    "\n| a difference | S, rho_power(1) | rho_power(1/2) | rho_power(2) | rho_gaussian() | original, rho_power(1) |\n",
    "|---|---|---|---|---|---|\n",
    sep = ""
  )
  cat(sprintf(
    "| %s | %.3f | %.3f | %.3f | %.3f | %.3f |\n", colnames(power), power[1, ], power[2, ], power[3, ],
    power[4, ], power[5, ]
  ), sep = "")
  weighted_power <- rbind(
    "30 and 30, shift 1" = c(
      by_group(c(30, 30), c(1, 1), 1), by_group(c(30, 30), c(10, 1), 1), by_group(c(30, 30), c(1, 10), 1)
    ),
    "100 and 20, shift 0.7" =
      c(by_group(c(100, 20), c(1, 1), 0.7), by_group(c(100, 20), c(10, 1), 0.7), by_group(c(100, 20), c(1, 10), 0.7))
  )
  cat("\n| sizes, weights by group | none | 10 and 1 | 1 and 10 |\n|---|---|---|---|\n")
  cat(sprintf(
    "| %s | %.3f | %.3f | %.3f |\n", rownames(weighted_power), weighted_power[, 1], weighted_power[, 2],
    weighted_power[, 3]
  ), sep = "")
}

if (is_part("dispersion")) {
  # distribution, sizes, columns
  designs <- list(
    "normal, sizes 5, 5" = list(rnorm, c(5, 5), 1), "normal, sizes 10, 10" = list(rnorm, c(10, 10), 1),
    "normal, sizes 15, 15, d = 2" = list(rnorm, c(15, 15), 2),
    "normal, sizes 10, 20, 30, d = 2" = list(rnorm, c(10, 20, 30), 2),
    "exponential, sizes 5, 5" = list(rexp, c(5, 5), 1), "exponential, sizes 10, 10" = list(rexp, c(10, 10), 1),
    "exponential, sizes 10, 40" = list(rexp, c(10, 40), 1), "exponential, sizes 7, 7, 7" = list(rexp, c(7, 7, 7), 1),
    "exponential, sizes 5, 5, d = 3" = list(rexp, c(5, 5), 3), "lognormal, sizes 10, 10" = list(rlnorm, c(10, 10), 1),
    "t with 3 degrees of freedom, sizes 10, 10" = list(function(n) rt(n, 3), c(10, 10), 1)
  )
  cat(sprintf(
    "\ndispersion_test(), %d data sets, R = 39, means of the groups apart:\n\n| the same dispersion | rejected |\n|---|---|\n",
    runs
  ))
  for (i in seq_along(designs)) {
    set.seed(i)
    one <- designs[[i]]
    group <- rep(seq_along(one[[2]]), one[[2]])
    rejected <- mean(replicate(runs, {
      x <- matrix(one[[1]](length(group) * one[[3]]), ncol = one[[3]])
      dispersion_test(x + 3 * group, group, R = 39)$p.value <= 0.05
    }))
    cat(sprintf("| %s | %.3f |\n", names(designs)[i], rejected))
  }
}

if (is_part("other")) {
  # processor time of exact tests
  x <- matrix(rnorm(4000 * 20), 4000)
  seconds <- vapply(c(2, 20), function(d) system.time(energy_test(x[, 1:d], rep(1:2, 2000), R = 199))[[1L]], 0)
  cat("\nTime of n = 4000, R = 199, seconds by pairs, permutations and 1 + (d + 4)/64:\n\n| d | seconds | rate |\n|---|---|---|\n")
  cat(sprintf("| %d | %.2f | %.1e |\n", c(2, 20), seconds, seconds / (8e6 * 199 * (1 + (c(2, 20) + 4) / 64))), sep = "")
}

# beside vegan, if it is installed
if (is_part("vegan") && requireNamespace("vegan", quietly = TRUE)) {
  pairs_of <- function(shift, scale) {
    rbind(matrix(rnorm(75), 25), matrix(rnorm(75, sd = scale), 25) + rep(c(shift, 0, 0), each = 25))
  }
  g <- rep(1:2, each = 25)
  group <- factor(g)
  p_values <- function(x) {
    D <- dist(x)
    c(
      energy_test(x, g, R = 99)$p.value, vegan::adonis2(D ~ group, permutations = 99)$`Pr(>F)`[1],
      dispersion_test(x, g, R = 99)$p.value,
      vegan::permutest(vegan::betadisper(D, group), permutations = 99)$tab$`Pr(>F)`[1]
    )
  }
  settings <- list(
    "no difference, d = 3" = c(0, 1), "shift 0.6, d = 3" = c(0.6, 1), "scale 2, d = 3" = c(0, 2),
    "shift 2 and scale 1.5" = c(2, 1.5)
  )
  cat("\nBeside vegan, 300 data sets, R = 99:\n\n")
  cat("| two samples of 25 | energy_test() | adonis2() | dispersion_test() | permutest(betadisper()) |\n|---|---|---|---|---|\n")
  for (name in names(settings)) {
    set.seed(match(name, names(settings)))
    p <- replicate(300, p_values(pairs_of(settings[[name]][1], settings[[name]][2])))
    cat(sprintf("| %s | %s |\n", name, paste(sprintf("%.3f", rowMeans(p <= 0.05)), collapse = " | ")))
  }
}
