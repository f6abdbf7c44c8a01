# Large cases: above 2^31 pairs, as many clusters as observations less one, thousands of columns, millions
# of numbers. Each is right by a check that costs less than the call, or is refused with a figure; the
# largest memory of the process (its own child) is measured.
#   Rscript tools/trust/sizes.R [--only REGEX] [--record yes]      some minutes
source("tools/trust/common.R")

# W of given labels from sums over a sample of observations: it must lie within a few standard errors.
cases <- list(
  "70,000 points, 2.45e9 pairs: fit and statistics" = function() {
    x <- matrix(rnorm(140000), 70000) + rep(c(0, 6), each = 35000)
    fit <- kgroups(x, 2)
    reported <- energy_statistics(x, fit$cluster)
    some <- sample.int(70000, 300)
    rho <- semimetric_matrix(x[some, ], x)
    own <- outer(fit$cluster[some], fit$cluster, "==")
    sampled <- 70000 * mean(rowSums(rho * own) / rowSums(own)) / 2
    c(
      "W of the fit is that of its labels" = abs(fit$W / reported$W - 1) < 1e-10,
      "W is that of a sample of rows" = abs(reported$W / sampled - 1) < 0.1,
      "groups are the two clouds" = compare_clusters(rep(1:2, each = 35000), fit$cluster, "accuracy") > 0.99
    )
  },
  "70,000 points: silhouettes" = function() {
    x <- matrix(rnorm(140000), 70000) + rep(c(0, 6), each = 35000)
    fit <- kgroups(x, 2, init = rep(1:2, each = 35000))
    found <- augment(fit)$.silhouette
    some <- sample.int(70000, 100)
    rho <- semimetric_matrix(x[some, ], x)
    mine <- outer(fit$cluster[some], fit$cluster, "==")
    a <- rowSums(rho * mine) / (rowSums(mine) - 1)
    b <- rowSums(rho * !mine) / rowSums(!mine)
    c("silhouettes by definition" = max(abs((b - a) / pmax(a, b) - found[some])) < 1e-9)
  },
  "70,000 points: energy test" = function() {
    x <- matrix(rnorm(140000), 70000)
    group <- rep(1:2, 35000)
    test <- energy_test(x, group, R = 1)
    c("statistic is that of the groups" = abs(test$statistic / energy_statistics(x, group)$S - 1) < 1e-6)
  },
  "70,000 points: a dist is refused or reported" = function() refused(
    kgroups(structure(numeric(10), class = "dist", Size = 70000L), 2)
  ),
  "5,000 points, 4,999 clusters" = function() {
    x <- matrix(rnorm(10000), 5000)
    fit <- kgroups(x, 4999)
    nearest <- min(stats::dist(x))
    c("the two nearest points share a cluster" = abs(fit$W / (nearest / 2) - 1) < 1e-9)
  },
  "500 rows, 20,000 columns" = function() {
    x <- matrix(rnorm(1e7), 500) + rep(c(0, 1), each = 250)
    fit <- kgroups(x, 2)
    c(
      "groups are the two clouds" = compare_clusters(rep(1:2, each = 250), fit$cluster, "accuracy") == 1,
      "W by stats::dist" = abs(fit$W / energy_statistics(stats::dist(x), fit$cluster)$W - 1) < 1e-10
    )
  },
  "10,000,000 numbers, exact" = function() {
    x <- c(rnorm(5e6), rnorm(5e6, 9))
    fit <- kgroups(x, 2)
    own <- vapply(split(x, fit$cluster), function(v) {
      v <- sort(v)
      sum((2 * seq_along(v) - 1 - length(v)) * (v - mean(v))) / length(v)
    }, 0)
    cut <- max(x[fit$cluster == fit$cluster[which.min(x)]])
    c("W by its definition" = abs(fit$W / sum(own) - 1) < 1e-9, "the cut lies between" = abs(cut - 4.5) < 0.2)
  },
  "10,000,000 numbers, 2,000 clusters" = function() refused(kgroups(rnorm(1e7), 2000)),
  "matrix of 70,000 points" = function() refused(semimetric_matrix(matrix(rnorm(70000), 70000))),
  "1,000,000 points without landmarks" = function() refused(kgroups(matrix(0, 1e6, 2) + seq_len(1e6), 3e5)),
  "1,000,000 points, 256 landmarks" = function() {
    x <- matrix(rnorm(5e6), 1e6) + rep(c(0, 6), each = 5e5)
    fit <- kgroups(x, 2, approx = nystroem(256))
    c("groups are the two clouds" = compare_clusters(rep(1:2, each = 5e5), fit$cluster, "accuracy") > 0.99)
  }
)

# A refusal is a classed error that names a figure.
refused <- function(call) {
  came <- tryCatch(call, error = identity)
  c(
    refused = inherits(came, "kg_error"),
    "with a figure" = inherits(came, "error") && grepl("[0-9]", conditionMessage(came))
  )
}

# One case in this process: its checks, CPU seconds and the largest memory that it had, MB.
here <- function(name) {
  suppressPackageStartupMessages(library(kgroups))
  options(rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet")
  set.seed(1)
  time <- system.time(good <- cases[[name]]())
  status <- grep("VmHWM", readLines("/proc/self/status"), value = TRUE)
  peak <- as.numeric(gsub("[^0-9]", "", status)) / 1024
  cat(sprintf("case\t%s\t%s\t%.1f\t%.0f\n", name, paste(names(good)[!good], collapse = "; "), sum(time[1:2]), peak))
}

one <- argument("case", "")
if (nzchar(one)) {
  here(one)
  quit()
}
wanted <- grep(argument("only", "."), names(cases), value = TRUE)
bad <- 0
reported <- character()
for (name in wanted) {
  child <- run_child("tools/trust/sizes.R", c("--case", name), 600)
  line <- grep("^case\t", child$lines, value = TRUE)
  part <- strsplit(c(line, "\t\tended\t\t")[1L], "\t")[[1L]]
  wrong <- !length(line) || nzchar(part[3L])
  bad <- bad + wrong
  cat(sprintf("%-52s %s %s s, %s MB\n", name, if (wrong) paste("WRONG:", part[3L]) else "right,", part[4L], part[5L]))
  if (wrong) cat(utils::tail(child$lines, 6), sep = "\n")
  reported <- c(reported, sprintf("%s: %s s, %s MB", name, part[4L], part[5L]))
}
record("sizes.R", sprintf("%d sizes", length(wanted)), bad, gsub(",", "", paste(reported, collapse = "; ")))
quit(status = as.integer(bad > 0))
