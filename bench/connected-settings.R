# rho_connected(): how far its arguments matter, and gaps within one cluster. Data of bench/connected-designs.R with other
# seeds than those of bench/connected.R, in the default metric.
# 1. Mean adjusted Rand index with the right k as each argument takes values about its default.
# 2. Share of samples of one cluster in which the tree has a gap, and the largest gap over the threshold; the same ratio
#    for the least of the k - 1 largest gaps of k shapes.
#   Rscript bench/connected-settings.R vignettes/connected-settings.csv > bench/connected-settings.md     (8 minutes)
library(kgroups)
source("bench/connected-designs.R")
file <- commandArgs(TRUE)[1L]
runs <- 5
runs_overlapping <- 20
draws <- 100
quietly <- function(call) suppressMessages(suppressWarnings(call))
number <- function(x, digits = 3) formatC(x, format = "f", digits = digits)
line <- function(...) cat("|", paste(c(...), collapse = " | "), "|\n")
head_line <- function(...) {
  line(...)
  line(rep("---", length(c(...))))
}

# ---- arguments ----

root <- function(x) sqrt(nrow(x))
settings <- list(
  default = function(x) rho_connected(),
  `level .80` = function(x) rho_connected(level = 0.8),
  `level .90` = function(x) rho_connected(level = 0.9),
  `least: half of root n` = function(x) rho_connected(least = root(x) / 2),
  `least: twice root n` = function(x) rho_connected(least = 2 * root(x)),
  `core: nearest other` = function(x) rho_connected(neighbours = 2),
  `core: fourth nearest` = function(x) rho_connected(neighbours = 5),
  `c = 4` = function(x) rho_connected(strength = 4),
  `c = 16` = function(x) rho_connected(strength = 16),
  `apart = 2` = function(x) rho_connected(apart = 2),
  `apart = Inf` = function(x) rho_connected(apart = Inf)
)

seed <- 52000
# The index of each argument, and the ratio of the gap that separates k clusters to the threshold (1: no gap).
measure <- function(group, set) {
  many <- if (group == "overlapping normals") runs_overlapping else runs
  do.call(rbind, lapply(seq_len(many), function(run) {
    seed <<- seed + 1
    set.seed(seed)
    data <- connected_sets[[group]][[set]]()
    known <- !is.na(data$truth)
    k <- length(unique(data$truth[known]))
    fits <- lapply(settings, function(of) {
      set.seed(1)
      quietly(kgroups(data$x, k, semimetric = of(data$x)))
    })
    found <- fits$default$semimetric$found
    gaps <- c(sort(found$merges$height, decreasing = TRUE), rep(found$threshold, k))
    data.frame(
      group = group, set = set, setting = names(settings),
      rand = vapply(fits, function(fit) compare_clusters(data$truth[known], fit$cluster[known]), 0),
      gap = gaps[k - 1] / found$threshold
    )
  }))
}
rows <- do.call(rbind, lapply(names(connected_sets), function(group) {
  do.call(rbind, lapply(names(connected_sets[[group]]), function(set) measure(group, set)))
}))
rows$group <- factor(rows$group, names(connected_sets))
rows$setting <- factor(rows$setting, names(settings))
means <- tapply(rows$rand, list(rows$setting, rows$group), mean)
# Standard error of the difference to the default: data sets within designs.
error <- function(setting, group) {
  one <- rows[rows$group == group, ]
  change <- one$rand[one$setting == setting] - one$rand[one$setting == "default"]
  set <- one$set[one$setting == setting]
  sqrt(sum(tapply(change, set, function(v) var(v) / length(v)))) / length(unique(set))
}
errors <- outer(rownames(means), colnames(means), Vectorize(error))

# ---- one cluster ----

one_cluster <- list(
  ring = function(n, d) {
    a <- runif(n, 0, 2 * pi)
    cbind(cos(a), sin(a), matrix(0, n, d - 2)) + rnorm(n * d, sd = 0.1)
  },
  `thin ring` = function(n, d) {
    a <- runif(n, 0, 2 * pi)
    cbind(cos(a), sin(a)) + rnorm(2 * n, sd = 0.02)
  },
  normal = function(n, d) matrix(rnorm(n * d), n),
  uniform = function(n, d) matrix(runif(n * d), n),
  exponential = function(n, d) matrix(rexp(n * d), n),
  `t with 3 degrees of freedom` = function(n, d) matrix(rt(n * d, 3), n)
)
cells <- rbind(
  expand.grid(n = c(200, 1000), d = c(2, 5), of = setdiff(names(one_cluster), "thin ring"), stringsAsFactors = FALSE),
  data.frame(n = c(100, 200, 1000, 100, 100), d = 2, of = c("thin ring", "thin ring", "thin ring", "ring", "normal"))
)
gaps <- t(mapply(function(of, n, d) {
  ratio <- vapply(seq_len(draws), function(run) {
    seed <<- seed + 1
    set.seed(seed)
    found <- quietly(kgroups(one_cluster[[of]](n, d), 1, semimetric = rho_connected()))$semimetric$found
    if (found$branches > 1L) max(found$merges$height) / found$threshold else 1
  }, 0)
  c(share = mean(ratio > 1), quantile = unname(quantile(ratio, 0.95)), max = max(ratio))
}, cells$of, cells$n, cells$d))
# The gap that separates k shapes, a row a group of designs and a row a design.
shapes <- rows[rows$setting == "default" & rows$group %in% c("shapes", "in 10 to 50 dimensions", "noisy shapes"), ]
ratios <- function(by) t(vapply(split(shapes$gap, factor(by, unique(by))), quantile, numeric(3), c(0.05, 0.5, 0.95)))
apart <- rbind(ratios(shapes$group), ratios(paste0(shapes$group, ": ", shapes$set)))

# ---- the tables ----

utils::write.csv(rbind(
  data.frame(part = "argument", of = rep(colnames(means), each = nrow(means)), n = NA, d = NA,
    value = rownames(means), mean = round(as.vector(means), 4), quantile = NA),
  data.frame(part = "one cluster", cells[c("of", "n", "d")], value = "share with a gap", mean = gaps[, "share"],
    quantile = round(gaps[, "quantile"], 3)),
  data.frame(part = "shapes", of = rownames(apart), n = NA, d = NA, value = "gap between them, median and .05 quantile",
    mean = round(apart[, 2L], 3), quantile = round(apart[, 1L], 3))
), file, row.names = FALSE, na = "")

cat("# Arguments of `rho_connected()`\n\nMean adjusted Rand index with the right k, written by `bench/connected-settings.R`:", runs,
  "data sets a design,", runs_overlapping, "of\noverlapping normals; behind the sign the standard error of the difference to the default.\n\n")
head_line("", colnames(means))
for (i in seq_len(nrow(means))) {
  line(rownames(means)[i], if (i == 1L) number(means[i, ]) else paste(number(means[i, ]), "\u00b1", number(errors[i, ])))
}
cat("\n## Gaps within one cluster\n\nShare of", draws, "samples with a gap; quantile .95 and maximum of the largest gap over the threshold (1: no gap).\n\n")
head_line("one cluster", "n", "d", "share", "quantile", "maximum")
for (i in seq_len(nrow(cells))) line(cells$of[i], cells$n[i], cells$d[i], number(gaps[i, ], 2))
cat("\nThe gap that separates k clusters, the (k - 1)-th largest, over the threshold (1: no gap): quantiles.\n\n")
head_line("shapes", ".05", ".5", ".95")
for (set in rownames(apart)) line(set, number(apart[set, ], 2))
