# Level and power of tests in designs, and clusters of units: units with several rows, two factors, dependent series, all columns.
#
#   Rscript bench/designs.R [draws] > bench/designs.md
suppressMessages(library(kgroups))
draws <- as.integer(c(commandArgs(TRUE), 200)[1L])
quiet <- function(code) suppressMessages(suppressWarnings(code))
share <- function(p) sprintf("%.3f", mean(p <= 0.05))
row <- function(...) cat("|", paste(c(...), collapse = " | "), "|\n")
head_of <- function(...) {
  row(...)
  row(rep("---", ...length()))
}
cat(sprintf("# Designs\n\nShare of p-values up to .05, %d draws a row, R = 99, two columns.\n", draws))

cat("\n## Whole units\n\nUnits of 2 to 30 rows, effects of units of standard deviation sd; two groups.\n\n")
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
set.seed(31)
t2 <- function(n) rt(n, 2)
for (case in list(
  list(8, 1, rnorm, 0), list(12, 0, rnorm, 0), list(12, 1, rnorm, 0), list(12, 3, t2, 0), list(40, 1, rnorm, 0), list(40, 3, t2, 0),
  list(12, 1, rnorm, 1.2), list(40, 1, rnorm, 0.6)
)) {
  p <- replicate(draws, do.call(one, case))
  row(case[[1]], case[[2]], if (identical(case[[3]], t2)) "t(2)" else "normal", case[[4]], apply(p, 1, function(v) share(v[!is.na(v)])))
}

cat("\n## Two factors\n\n2 x 3 cells. Interaction a:b and main effect a of `energy_test(x ~ a * b)`.\n\n")
head_of("rows of the cells", "effect", "a:b", "a")
two <- function(cells, effect) {
  cell <- rep(1:6, cells)
  a <- (cell - 1) %/% 3
  b <- (cell - 1) %% 3
  e <- matrix(rnorm(2 * length(cell)), ncol = 2)
  x <- switch(effect,
    none = e, "a and b shift by 2" = e + 2 * a + 2 * b, "b shifts by 2" = e + 2 * b, "sd 1 : 3 by a" = e * (1 + 2 * a),
    "crossed shifts of 1" = e + (2 * a - 1) * (b - 1), "crossed standard deviations" = e * exp((2 * a - 1) * (b - 1))
  )
  quiet(energy_test(x ~ a * b, R = 99)[["Pr(>F)"]][c(3, 1)])
}
set.seed(32)
for (cells in list(rep(8, 6), c(3, 5, 8, 12, 6, 14))) {
  for (effect in c("none", "a and b shift by 2", "b shifts by 2", "sd 1 : 3 by a", "crossed shifts of 1", "crossed standard deviations")) {
    p <- replicate(draws, two(cells, effect))
    row(if (cells[1] == 8) "8 each" else "3 to 14", effect, share(p[1, ]), share(p[2, ]))
  }
}

cat("\n## Dependent series\n\nFirst test of `kgroups_changes()` on 100 observations of one column, half the draws.\n\n")
head_of("series", "whitened", "independent = TRUE")
series <- list(
  independent = function() rnorm(100), "AR .3" = function() arima.sim(list(ar = 0.3), 100), "AR .5" = function() arima.sim(list(ar = 0.5), 100),
  "AR .8" = function() arima.sim(list(ar = 0.8), 100), "MA .8" = function() arima.sim(list(ma = 0.8), 100),
  "one shift of .6" = function() rnorm(100, rep(c(0, 0.6), each = 50)), "up and down by .9" = function() rnorm(100, rep(c(0, 0.9, 0), c(33, 34, 33))),
  "sd 1 : 2.2" = function() rnorm(100, 0, rep(c(1, 2.2), each = 50))
)
set.seed(33)
for (name in names(series)) {
  p <- replicate(ceiling(draws / 2), {
    x <- as.numeric(series[[name]]())
    c(kgroups_changes(x, R = 99)$tests$p.value[1], kgroups_changes(x, R = 99, independent = TRUE)$tests$p.value[1])
  })
  row(name, share(p[1, ]), share(p[2, ]))
}

cat("\n## All columns\n\n`describe_clusters(g, x, test = TRUE)`, 50 columns of correlation .64, 60 rows, R = 199.\n\n")
set.seed(34)
p <- replicate(draws, {
  x <- 0.8 * rnorm(60) + 0.6 * matrix(rnorm(3000), 60)
  g <- rep(1:2, 30)
  none <- min(describe_clusters(g, x, test = TRUE, R = 199)$tests$p.adjusted)
  x[, 1:6] <- x[, 1:6] + 1.2 * (g == 2)
  c(none, mean(describe_clusters(g, x, test = TRUE, R = 199)$tests$p.adjusted[1:6] <= 0.05))
})
cat(sprintf("Any false finding: %s. Six columns shifted by 1.2: %.2f of them found.\n", share(p[1, ]), mean(p[2, ])))
x <- matrix(rnorm(5e4), 500)
cat(sprintf("500 rows, 100 columns, R = 999: %.2f s.\n", system.time(describe_clusters(rep(1:2, 250), x, test = TRUE))[[3]]))

cat("\n## Clusters of units\n\n60 units of 20 to 60 rows in three clusters; mean adjusted Rand index over 10 sets.\n\n")
head_of("clusters differ in", "kgroups(units = )", "k-means of means", "k-means of means and sds")
set.seed(35)
for (kind in c("location", "spread", "correlation")) {
  found <- replicate(10, {
    z <- rep(1:3, 20)
    id <- rep(1:60, sample(20:60, 60, TRUE))
    e <- matrix(rnorm(2 * length(id)), ncol = 2)
    r <- c(-0.8, 0, 0.8)[z[id]]
    x <- switch(kind,
      location = e + cbind(c(0, 1.2, 2.4)[z[id]], 0), spread = e * cbind(c(1, 2, 4)[z[id]], 1),
      correlation = cbind(e[, 1], r * e[, 1] + sqrt(1 - r^2) * e[, 2])
    ) + 0.1 * matrix(rnorm(120), 60)[id, ]
    m <- rowsum(x, id) / tabulate(id)
    s <- sqrt(pmax(rowsum(x^2, id) / tabulate(id) - m^2, 0))
    c(
      compare_clusters(quiet(kgroups(x, 3, units = id))$units$cluster, z), compare_clusters(kmeans(m, 3, nstart = 20)$cluster, z),
      compare_clusters(kmeans(cbind(m, s), 3, nstart = 20)$cluster, z)
    )
  })
  row(kind, sprintf("%.2f", rowMeans(found)))
}
