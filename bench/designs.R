# Level and power of tests in designs, and clusters of units: units with several rows, two factors, dissimilarities that are
# not Euclidean, dependent series, all columns, clusters of units, pyrifos, and clusters that overlap.
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
  head_of("units", "sd", "rows", "difference", "units, by precision", "by rows", "strata of rows")
  one <- function(U, sd, r, shift) {
    m <- sample(2:30, U, TRUE)
    id <- rep(seq_len(U), m)
    g <- sample(rep_len(1:2, U))[id]
    x <- matrix(r(2 * length(id)), ncol = 2) + sd * matrix(r(2 * U), U)[id, ] + shift * (g == 2)
    p <- function(...) quiet(energy_test(x, g, R = 99, ...)$p.value)
    strata <- stats::ave(id, id, FUN = seq_along)
    c(
      p(units = id), p(units = id, unit_weights = "rows"),
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
  cat("\n## pyrifos\n\nTwelve ditches, eleven weeks, five doses, Bray-Curtis: `energy_test(D ~ dose + week, units = ditch, R = 499)`.\n\n```\n")
  data("pyrifos", package = "vegan", envir = environment())
  ditch <- gl(12, 1, length = 132)
  week <- gl(11, 12)
  dose <- factor(rep(c(0.1, 0, 0, 0.9, 0, 44, 6, 0.1, 44, 0.9, 0, 6), 11))
  D <- vegan::vegdist(get("pyrifos"))
  set.seed(137)
  seconds <- sum(system.time(test <- energy_test(D ~ dose + week, units = ditch, R = 499))[1:2])
  print(as.data.frame(test), digits = 3)
  cat(sprintf(
    "```\n\n%.1f s of CPU. Rows as independent: dose p = %.3f.\n", seconds, energy_test(D, dose, R = 499)$p.value
  ))
}

overlapping <- function() {
  title("Overlapping clusters", "Share of p-values of `cluster_test()` up to .05, 200 rows.")
  head_of("rows", "share")
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
  whole_units, dependent_series, clusters_of_units, pyrifos_test, overlapping,
  dependent_level
)
sections <- if (length(given) > 1L) given[-1L] else seq_along(parts)
if (1 %in% sections) {
  cat("# Designs\n\nShares of p-values up to .05. With 100 draws a share of .05 has a standard error of .022, with 40 of .034.\n")
}
for (i in sections) parts[[i]]()
