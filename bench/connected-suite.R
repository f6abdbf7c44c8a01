# rho_connected() on the benchmark suite of Gagolewski (2022, SoftwareX 20, 101270), clustering-data-v1: adjusted Rand
# index with the right k. The rule: every set of at most 3,100 rows. Noise (label 0) is clustered but not compared. A set
# with several reference labelings is clustered with the k of each and takes the best index; `first` is labels0 alone.
# g2mg: two normal clusters, a part of the variances and dimensions, 40 of 72 sets.
#   Rscript bench/connected-suite.R FOLDER > bench/connected-suite.md     (one minute)
# FOLDER: an unpacked copy of the suite. Genie is run if the package genieclust is installed.
library(kgroups)
folder <- commandArgs(TRUE)[1L]
most_rows <- 3100L
batteries <- c("fcps", "graves", "other", "sipu", "wut")
normals <- expand.grid(sd = c(10, 30, 50, 70, 90), d = c(1, 2, 4, 8, 16, 32, 64, 128))
genie <- requireNamespace("genieclust", quietly = TRUE)

quietly <- function(call) suppressMessages(suppressWarnings(call))
methods <- list(
  `k-groups` = function(x, k) kgroups(x, k)$cluster,
  given = function(x, k) kgroups(x, k, semimetric = rho_connected(metric = "given"))$cluster,
  default = function(x, k) kgroups(x, k, semimetric = rho_connected())$cluster
)
# genieclust 1.3 refuses points of one column
if (genie) methods$Genie <- function(x, k) genieclust::genie(if (ncol(x) > 1L) x else dist(x), k)

# ---- sets ----

# Paths without their ending, in order.
sets_of <- function(battery) {
  files <- list.files(file.path(folder, battery), "[.]data[.]gz$", full.names = TRUE)
  sub("[.]data[.]gz$", "", files)
}

read_set <- function(path) {
  x <- as.matrix(utils::read.table(paste0(path, ".data.gz")))
  dimnames(x) <- NULL
  x <- x[, apply(x, 2L, stats::sd) > 0, drop = FALSE]
  labelings <- list.files(dirname(path), paste0("^", basename(path), "[.]labels[0-9]+[.]gz$"), full.names = TRUE)
  list(x = x, labels = lapply(labelings, function(file) scan(file, quiet = TRUE)))
}

# Rows: labelings; columns: methods.
rand <- function(set, x = set$x) {
  ks <- vapply(set$labels, function(labels) length(unique(labels[labels > 0])), 0L)
  found <- lapply(methods, function(method) {
    lapply(stats::setNames(nm = unique(ks)), function(k) quietly(method(x, k)))
  })
  one <- function(j) {
    known <- set$labels[[j]] > 0
    vapply(found, function(of) compare_clusters(set$labels[[j]][known], of[[as.character(ks[j])]][known]), 0)
  }
  do.call(rbind, lapply(seq_along(ks), one))
}

set.seed(20261129)
measure <- function(paths, scaled = FALSE) {
  all <- lapply(paths, function(path) {
    set <- read_set(path)
    if (nrow(set$x) > most_rows) {
      return(NULL)
    }
    value <- rand(set, if (scaled) scale(set$x) else set$x)
    c(apply(value, 2L, max), first = value[[1L, "default"]], n = nrow(set$x), d = ncol(set$x))
  })
  names(all) <- basename(paths)
  do.call(rbind, all)
}

# Clouds of variance one whose centres have random directions, at a distance from the origin: not of the suite.
clouds <- expand.grid(distance = 2:3, k = 2:4, d = c(6, 12, 20))
overlapping <- function(d, k, distance) {
  truth <- sample.int(k, 1000, TRUE)
  centre <- matrix(rnorm(k * d), k)
  centre <- distance * centre / sqrt(rowSums(centre^2))
  list(x = matrix(rnorm(1000 * d), 1000) + centre[truth, ], labels = list(truth))
}
measure_clouds <- function(d, k, distance) {
  one <- rowMeans(replicate(4, rand(overlapping(d, k, distance))[1L, ]))
  c(one, first = one[["default"]], n = 1000, d = d)
}

# ---- tables ----

number <- function(x) formatC(x, format = "f", digits = 3)
line <- function(...) cat("|", paste(c(...), collapse = " | "), "|\n")
head_line <- function(...) {
  line(...)
  cat("|", rep("---|", length(c(...))), "\n", sep = "")
}
shown <- names(methods)
means <- function(name, table) {
  change <- table[, "default"] - table[, "given"]
  against <- if (genie) table[, "default"] - table[, "Genie"]
  line(
    name, nrow(table), number(colMeans(table[, shown, drop = FALSE])), number(mean(table[, "first"])),
    sum(change > 0.02), sum(change < -0.02), if (genie) c(sum(against > 0.02), sum(against < -0.02))
  )
}
g2mg <- file.path(folder, "g2mg", sprintf("g2mg_%d_%d", normals$d, normals$sd))
results <- c(
  lapply(stats::setNames(nm = batteries), function(battery) measure(sets_of(battery))),
  list(
    g2mg = measure(g2mg), clouds = with(clouds, {
      structure(t(mapply(measure_clouds, d, k, distance)), dimnames = list(
        sprintf("%d clouds at %d, d = %d", k, distance, d), c(names(methods), "first", "n", "d")
      ))
    }), `uci, as given` = measure(sets_of("uci")), `uci, scaled` = measure(sets_of("uci"), TRUE)
  )
)
shapes <- do.call(rbind, results[batteries])

cat("# `rho_connected()` on the suite of Gagolewski\n\n")
cat("Adjusted Rand index with the right k, written by `bench/connected-suite.R`: means of the best over the reference\n")
cat("labelings; `first`: default with labels0 alone. Last columns: sets on which the default differs by .02. `clouds` are\nfour draws a row.\n\n")
head_line(
  "sets", "number", shown, "first", "better than given", "worse", if (genie) c("better than Genie", "worse")
)
for (name in names(results)) means(name, results[[name]])
means("the first five shapes", shapes)
means("..., at most 2,500 rows", shapes[shapes[, "n"] <= 2500, ])
means("..., without fcps", do.call(rbind, results[setdiff(batteries, "fcps")]))
cat("\n")
head_line("set", "n", "d", shown)
for (name in names(results)) {
  table <- results[[name]]
  for (set in rownames(table)) {
    label <- if (startsWith(name, "uci")) sub("uci", set, name) else set
    line(label, table[set, c("n", "d")], number(table[set, shown]))
  }
}
