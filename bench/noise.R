# Trimmed k-groups on data with noise: adjusted Rand index of the clean rows, share of the noise that is found (recall) and
# of clean rows taken for noise, means over 10 sets: three normals of 100 rows in 2, 5 and 10 dimensions, 6 apart, and noise
# of three kinds. Peers where installed: tclust, mclust with a noise component, dbscan::hdbscan.
#   Rscript bench/noise.R        (3 minutes; the table of bench/noise.md)
library(kgroups)
runs <- 10

draw <- function(p, kind, m) {
  truth <- c(rep(1:3, each = 100), rep(0, m))
  x <- matrix(rnorm(300 * p), 300)
  x[, 1:2] <- x[, 1:2] + 6 * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))[truth[1:300], ]
  noise <- switch(kind,
    none = NULL, box = matrix(runif(m * p, -6, 12), m), far = matrix(rnorm(m * p, sd = 100), m),
    clump = matrix(rnorm(m * p, 25, 0.5), m)
  )
  list(x = rbind(x, noise), truth = truth)
}
fitted <- function(x, ...) {
  fit <- kgroups(x, 3, ...)
  list(cluster = unname(fit$cluster), noise = if (is.null(fit$noise)) rep(FALSE, nrow(x)) else unname(fit$noise))
}
methods <- list(
  "kgroups" = function(x, ...) fitted(x), "kgroups, alpha 1/2" = function(x, ...) fitted(x, semimetric = rho_power(1 / 2)),
  "kgroups, trim given" = function(x, share) fitted(x, trim = max(share, 0.01)),
  "kgroups, trim auto" = function(x, ...) fitted(x, trim = "auto")
)
if (requireNamespace("tclust", quietly = TRUE)) methods$tclust <- function(x, share) {
  cluster <- tclust::tclust(x, 3, alpha = max(share, 0.01))$cluster
  list(cluster = cluster, noise = cluster == 0)
}
if (requireNamespace("dbscan", quietly = TRUE)) methods$hdbscan <- function(x, ...) {
  cluster <- dbscan::hdbscan(x, minPts = 10)$cluster
  list(cluster = cluster, noise = cluster == 0)
}
if (requireNamespace("mclust", quietly = TRUE)) {
  suppressPackageStartupMessages(library(mclust))
  methods$`mclust, noise` <- function(x, share) {
    first <- seq_len(nrow(x)) %in% order(-rowSums(scale(x)^2))[seq_len(ceiling(max(share, 0.01) * nrow(x)))]
    cluster <- Mclust(x, 3, initialization = list(noise = first), verbose = FALSE)$classification
    list(cluster = cluster, noise = cluster == 0)
  }
}
methods$kmeans <- function(x, ...) list(cluster = stats::kmeans(x, 3, nstart = 20)$cluster, noise = rep(FALSE, nrow(x)))

set.seed(43)
cat("| p | noise | method | ARI | recall | clean rows taken |\n|---|---|---|---|---|---|\n")
for (p in c(2, 5, 10)) for (setting in list(c("none", 0), c("box", 30), c("far", 15), c("far", 75), c("clump", 30))) {
  m <- as.numeric(setting[2])
  found <- lapply(seq_len(runs), function(r) {
    data <- draw(p, setting[1], m)
    clean <- data$truth > 0
    sapply(methods, function(f) {
      fit <- tryCatch(f(data$x, m / nrow(data$x)), error = function(e) NULL)
      if (is.null(fit)) return(c(NA, NA, NA))
      c(compare_clusters(data$truth[clean], fit$cluster[clean]), mean(fit$noise[!clean]), mean(fit$noise[clean]))
    })
  })
  mean <- Reduce(`+`, found) / runs
  for (method in names(methods)) {
    cat(sprintf("| %d | %s %d | %s | %.2f | %.2f | %.3f |\n", p, setting[1], m, method, mean[1, method], mean[2, method], mean[3, method]))
  }
}
