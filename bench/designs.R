# Level and power of tests in designs, and clusters of units: units with several rows, two factors, dissimilarities that are
# not Euclidean, dependent series, all columns, clusters of units, pyrifos, and one normal distribution.
#
#   Rscript bench/designs.R [draws, default 200] [numbers of sections, default all] > bench/designs.md
suppressMessages(library(kgroups))
given <- as.integer(commandArgs(TRUE))
draws <- c(given, 200L)[1L]
quiet <- function(code) suppressMessages(suppressWarnings(code))
share <- function(p) sprintf("%.3f", mean(p <= 0.05))
row <- function(...) cat("|", paste(c(...), collapse = " | "), "|\n")
head_of <- function(...) {
  row(...)
  row(rep("---", ...length()))
}
title <- function(name, text) cat(sprintf("\n## %s\n\n%s %d draws a row.\n\n", name, text, draws))
# The share of p-values up to .05 of each row of a matrix, or of a vector.
shares <- function(p) if (is.matrix(p)) apply(p, 1, function(v) share(v[!is.na(v)])) else share(p)

whole_units <- function() {
  title("Whole units", "Units of 2 to 30 rows, effects of units of standard deviation sd; two groups; R = 99.")
  head_of("units", "sd", "rows", "difference", "units, by precision", "by rows", "equal", "strata of rows")
  one <- function(U, sd, r, shift) {
    m <- sample(2:30, U, TRUE)
    id <- rep(seq_len(U), m)
    g <- sample(rep_len(1:2, U))[id]
    x <- matrix(r(2 * length(id)), ncol = 2) + sd * matrix(r(2 * U), U)[id, ] + shift * (g == 2)
    p <- function(...) quiet(energy_test(x, g, R = 99, ...)$p.value)
    strata <- stats::ave(id, id, FUN = seq_along)
    c(
      p(units = id), p(units = id, unit_weights = "rows"), p(units = id, unit_weights = "equal"),
      tryCatch(p(strata = strata), error = function(e) NA)
    )
  }
  set.seed(131)
  t2 <- function(n) rt(n, 2)
  for (case in list(
    list(6, 1, rnorm, 0), list(8, 1, rnorm, 0), list(12, 0, rnorm, 0), list(12, 1, rnorm, 0), list(12, 3, t2, 0),
    list(40, 0, rnorm, 0), list(40, 1, rnorm, 0), list(40, 3, t2, 0), list(12, 1, rnorm, 1.2), list(40, 1, rnorm, 0.6)
  )) {
    row(
      case[[1]], case[[2]], if (identical(case[[3]], t2)) "t(2)" else "normal", case[[4]],
      shares(replicate(draws, do.call(one, case)))
    )
  }
}

# Rows of six cells, a in 0, 1 and b in 0, 1, 2.
six_cells <- function(cells) {
  cell <- rep(1:6, cells)
  list(a = (cell - 1) %/% 3, b = (cell - 1) %% 3, e = matrix(rnorm(2 * length(cell)), ncol = 2))
}
cells_of <- list("8 each" = rep(8, 6), "3 to 14" = c(3, 5, 8, 12, 6, 14))
adonis <- function(x, a, b) {
  vegan::adonis2(x ~ a * b, data.frame(a = factor(a), b = factor(b)), permutations = 99, by = "terms")[["Pr(>F)"]][3]
}

two_factors <- function() {
  title(
    "Two factors",
    "2 x 3 cells. Interaction a:b and main effect a of `energy_test(x ~ a * b)`, a:b of `vegan::adonis2()`; R = 99."
  )
  head_of("rows of the cells", "effect", "a:b", "a", "a:b of adonis2")
  effects <- list(
    none = function(a, b, e) e, "a and b shift by 2" = function(a, b, e) e + 2 * a + 2 * b,
    "b shifts by 2" = function(a, b, e) e + 2 * b,
    "sd 1 : 3 by a" = function(a, b, e) e * (1 + 2 * a),
    "crossed shifts of .5" = function(a, b, e) e + (a - 0.5) * (b - 1),
    "one cell shifts by 1.2" = function(a, b, e) e + 1.2 * (a == 1 & b == 2),
    "crossed standard deviations, 1 : 1.6" = function(a, b, e) e * exp((a - 0.5) * (b - 1))
  )
  set.seed(132)
  for (cells in names(cells_of)) {
    for (effect in names(effects)) {
      row(cells, effect, shares(replicate(draws, {
        one <- six_cells(cells_of[[cells]])
        x <- effects[[effect]](one$a, one$b, one$e)
        data <- data.frame(a = one$a, b = one$b)
        c(quiet(energy_test(x ~ a * b, data, R = 99)[["Pr(>F)"]][c(3, 1)]), adonis(dist(x), one$a, one$b))
      })))
    }
  }
}

# Counts of 30 taxa; the effect of a is on the first taxa, that of b on others or on the same ones.
counts <- function(one, of_a, of_b, same) {
  n <- length(one$a)
  log_mean <- rep(seq(3, -1, length.out = 30), each = n) + of_a * outer(one$a, rep(c(1, 0), c(8, 22)))
  log_mean <- log_mean + of_b * outer(one$b - 1, if (same) rep(c(1, 0), c(8, 22)) else rep(c(0, 1, 0), c(8, 8, 14)))
  matrix(rnbinom(30 * n, mu = exp(log_mean), size = 2), n)
}

not_euclidean <- function() {
  title(
    "Dissimilarities that are not Euclidean",
    paste(
      "a:b of `energy_test(D ~ a * b)`, 2 x 3 cells of 8 rows. Counts: 30 taxa, negative binomial of size 2, additive effects on the",
      "logarithm of means. Split plot: 8 units, a between units, b within, effects of units. R = 99."
    )
  )
  head_of("dissimilarities", "effects", "a:b", "a:b of adonis2")
  bray <- function(x) vegan::vegdist(x + 0.001)
  of_counts <- function(of_a, of_b, same) function() {
    one <- six_cells(rep(8, 6))
    c(one, list(D = bray(counts(one, of_a, of_b, same))))
  }
  of_shifts <- function(kind, of_a, of_b) function() {
    one <- six_cells(rep(8, 6))
    c(one, list(D = dist(one$e + of_a * one$a + of_b * one$b, kind)))
  }
  split_plot <- function(of_a, of_b) function() {
    unit <- rep(1:8, each = 6)
    one <- list(a = (unit - 1) %% 2, b = rep(0:2, 16), unit = unit)
    x <- counts(one, of_a, of_b, FALSE)
    x <- x + matrix(rnbinom(30 * 8, mu = 2, size = 1), 8)[unit, ]
    c(one, list(D = bray(x)))
  }
  cases <- list(
    list("Bray-Curtis", "none", of_counts(0, 0, FALSE)), list("Bray-Curtis", "a", of_counts(1, 0, FALSE)),
    list("Bray-Curtis", "b", of_counts(0, 1, FALSE)),
    list("Bray-Curtis", "a and b, other taxa", of_counts(1, 1, FALSE)),
    list("Bray-Curtis", "a and b, the same taxa", of_counts(1, 1, TRUE)),
    list("Manhattan", "a and b shift by 2", of_shifts("manhattan", 2, 2)),
    list("maximum", "a and b shift by 2", of_shifts("maximum", 2, 2)),
    list("Bray-Curtis, split plot", "none", split_plot(0, 0)),
    list("Bray-Curtis, split plot", "a and b, other taxa", split_plot(1, 1))
  )
  set.seed(133)
  for (case in cases) {
    row(case[[1]], case[[2]], shares(replicate(draws, {
      one <- case[[3]]()
      D <- one$D
      data <- data.frame(a = one$a, b = one$b)
      test <- if (is.null(one$unit)) {
        energy_test(D ~ a * b, data, R = 99)
      } else {
        energy_test(D ~ a * b, data, units = one$unit, R = 99)
      }
      c(test[["Pr(>F)"]][3], if (is.null(one$unit)) adonis(D, one$a, one$b) else NA)
    })))
  }
}

dependent_series <- function() {
  title("Dependent series", "First test of `kgroups_changes()` on 100 observations of one column, R = 99.")
  head_of("series", "whitened", "independent = TRUE")
  series <- list(
    independent = function() rnorm(100), "AR .3" = function() arima.sim(list(ar = 0.3), 100),
    "AR .5" = function() arima.sim(list(ar = 0.5), 100),
    "AR .8" = function() arima.sim(list(ar = 0.8), 100), "MA .8" = function() arima.sim(list(ma = 0.8), 100),
    "one shift of .6" = function() rnorm(100, rep(c(0, 0.6), each = 50)),
    "up and down by .9" = function() rnorm(100, rep(c(0, 0.9, 0), c(33, 34, 33))),
    "sd 1 : 2.2" = function() rnorm(100, 0, rep(c(1, 2.2), each = 50)),
    "AR .5, one shift of 2" = function() arima.sim(list(ar = 0.5), 100) + rep(c(0, 2), each = 50)
  )
  set.seed(134)
  for (name in names(series)) {
    p <- replicate(draws, {
      x <- as.numeric(series[[name]]())
      c(kgroups_changes(x, R = 99)$tests$p.value[1], kgroups_changes(x, R = 99, independent = TRUE)$tests$p.value[1])
    })
    row(name, shares(p))
  }
}

# The level of the whitened test alone, on other seeds.
dependent_level <- function() {
  title("Dependent series: level", "First test of `kgroups_changes()` on 100 observations of one column, R = 99.")
  head_of("series", "whitened")
  set.seed(7101)
  for (a in c(0.3, 0.5, 0.8)) {
    series <- function() as.numeric(arima.sim(list(ar = a), 100))
    row(paste("AR", a), share(replicate(draws, kgroups_changes(series(), R = 99)$tests$p.value[1])))
  }
}

all_columns <- function() {
  title(
    "All columns",
    "`describe_clusters(g, x, test = TRUE)`, 50 columns, 60 rows, R = 199: any false finding; share of six columns with a difference of 1.2 that are found."
  )
  head_of("columns", "any false finding", "found")
  kinds <- list(
    independent = function() matrix(rnorm(3000), 60),
    "correlation .64" = function() 0.8 * rnorm(60) + 0.6 * matrix(rnorm(3000), 60),
    "numbers, heavy tails, categories, missing cells" = function() {
      x <- as.data.frame(matrix(rnorm(3000), 60))
      x[11:20] <- rt(600, 1)
      for (j in 21:30) x[[j]] <- sample(letters[1:5], 60, TRUE)
      x[31:40][matrix(runif(600) < 0.5, 60)] <- NA
      x
    }
  )
  set.seed(135)
  for (kind in names(kinds)) {
    p <- replicate(draws, {
      x <- kinds[[kind]]()
      g <- rep(1:2, 30)
      none <- min(describe_clusters(g, x, test = TRUE, R = 199)$tests$p.adjusted)
      x[, 1:6] <- x[, 1:6] + 1.2 * (g == 2)
      c(none, mean(describe_clusters(g, x, test = TRUE, R = 199)$tests$p.adjusted[1:6] <= 0.05))
    })
    row(kind, share(p[1, ]), sprintf("%.2f", mean(p[2, ])))
  }
  x <- matrix(rnorm(5e4), 500)
  cat(sprintf(
    "\n500 rows, 100 columns, R = 999: %.2f s of CPU.\n",
    sum(system.time(describe_clusters(rep(1:2, 250), x, test = TRUE))[1:2])
  ))
}

clusters_of_units <- function() {
  sets <- max(2L, ceiling(draws / 10))
  cat(sprintf(
    "\n## Clusters of units\n\n60 units of 20 to 60 rows in three clusters; mean adjusted Rand index over %d sets.\n\n",
    sets
  ))
  head_of(
    "clusters differ in", "kgroups(units = )", "k-means of means", "k-means of means and sds",
    "kgroups(), then the most frequent cluster"
  )
  set.seed(136)
  for (kind in c("location", "standard deviation", "correlation")) {
    found <- replicate(sets, {
      z <- rep(1:3, 20)
      id <- rep(1:60, sample(20:60, 60, TRUE))
      e <- matrix(rnorm(2 * length(id)), ncol = 2)
      r <- c(-0.8, 0, 0.8)[z[id]]
      x <- switch(kind,
        location = e + cbind(c(0, 1.2, 2.4)[z[id]], 0), "standard deviation" = e * cbind(c(1, 2, 4)[z[id]], 1),
        correlation = cbind(e[, 1], r * e[, 1] + sqrt(1 - r^2) * e[, 2])
      ) + 0.1 * matrix(rnorm(120), 60)[id, ]
      m <- rowsum(x, id) / tabulate(id)
      s <- sqrt(pmax(rowsum(x^2, id) / tabulate(id) - m^2, 0))
      most <- max.col(table(id, quiet(kgroups(x, 3))$cluster), "first")
      c(
        compare_clusters(quiet(kgroups(x, 3, units = id))$units$cluster, z),
        compare_clusters(kmeans(m, 3, nstart = 20)$cluster, z),
        compare_clusters(kmeans(cbind(m, s), 3, nstart = 20)$cluster, z), compare_clusters(most, z)
      )
    })
    row(kind, sprintf("%.2f", rowMeans(found)))
  }
}

pyrifos_test <- function() {
  cat("\n## pyrifos\n\nTwelve ditches, eleven weeks, five doses, Bray-Curtis: `energy_test(D ~ dose * week, units = ditch, R = 499)`.\n\n```\n")
  data("pyrifos", package = "vegan", envir = environment())
  ditch <- gl(12, 1, length = 132)
  week <- gl(11, 12)
  dose <- factor(rep(c(0.1, 0, 0, 0.9, 0, 44, 6, 0.1, 44, 0.9, 0, 6), 11))
  D <- vegan::vegdist(get("pyrifos"))
  set.seed(137)
  seconds <- sum(system.time(test <- energy_test(D ~ dose * week, units = ditch, R = 499))[1:2])
  print(as.data.frame(test), digits = 3)
  cat(sprintf(
    "```\n\n%.1f s of CPU. Rows as independent: dose p = %.3f.\n", seconds, energy_test(D, dose, R = 499)$p.value
  ))
}

one_normal <- function() {
  title("Overlapping clusters", "`cluster_test()` with both hypotheses, 200 rows, R = 99.")
  head_of("rows", "no valley", "one normal")
  cases <- list(
    "one normal, 2 columns" = function() matrix(rnorm(400), 200),
    "one normal, 5 columns of correlation .5" = function() sqrt(0.5) * (matrix(rnorm(1000), 200) + rnorm(200)),
    "two normals, 2 apart" = function() cbind(rnorm(200, rep(c(0, 2), 100)), rnorm(200)),
    "two normals, 3 apart" = function() cbind(rnorm(200, rep(c(0, 3), 100)), rnorm(200)),
    "two normals, 3 apart, 170 and 30" = function() cbind(rnorm(200, rep(c(0, 3), c(170, 30))), rnorm(200)),
    "exponential" = function() matrix(rexp(400), 200), "t(5)" = function() matrix(rt(400, 5), 200)
  )
  set.seed(138)
  for (case in names(cases)) {
    row(case, shares(replicate(draws, {
      x <- cases[[case]]()
      quiet(cluster_test(x))$p.value
    })))
  }
}

parts <- list(
  whole_units, two_factors, not_euclidean, dependent_series, all_columns, clusters_of_units, pyrifos_test, one_normal,
  dependent_level
)
sections <- if (length(given) > 1L) given[-1L] else seq_along(parts)
if (1 %in% sections) {
  cat("# Designs\n\nShares of p-values up to .05. With 100 draws a share of .05 has a standard error of .022, with 40 of .034.\n")
}
for (i in sections) parts[[i]]()
