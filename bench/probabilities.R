# Probabilities of clusters against the true posterior: three normals in 2, 5 and 10 dimensions, 300 rows, equal sizes and
# .6/.3/.1 (with the size term), and three of unequal scale. Kullback-Leibler divergence from the posterior and
# calibration error (ten bins of the probability of each cluster), beside mclust with the same number of clusters.
#   Rscript bench/probabilities.R        (2 minutes; the table of bench/probabilities.md)
library(kgroups)
suppressPackageStartupMessages(library(mclust))
runs <- 20

# Rows, their posterior under the true mixture, and the components.
draw <- function(p, share, sd, n = 300, apart = 3) {
  mean <- matrix(0, 3, p)
  mean[, 1:2] <- apart * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))
  truth <- rep(1:3, round(n * share))
  x <- mean[truth, ] + sd[truth] * matrix(rnorm(n * p), n)
  log_density <- sapply(1:3, function(l) log(share[l]) - p * log(sd[l]) - rowSums((x - rep(mean[l, ], each = n))^2) / (2 * sd[l]^2))
  q <- exp(log_density - apply(log_density, 1, max))
  list(x = x, q = q / rowSums(q), truth = truth)
}

# Columns of p in the order of the components that agrees best.
matched <- function(p, q) {
  orders <- rbind(1:3, c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), c(3, 2, 1))
  agree <- apply(orders, 1, function(o) sum(p[, o] * q))
  p[, orders[which.max(agree), ]]
}
divergence <- function(p, q) mean(rowSums(ifelse(q > 0, q * log(q / pmax(p, 1e-12)), 0)))
calibration <- function(p, truth) {
  hit <- outer(truth, 1:3, "==")
  bin <- pmin(floor(10 * p), 9)
  sum(tapply(p - hit, bin, function(d) abs(sum(d)))) / length(p)
}

settings <- list(
  "equal, p = 2" = list(2, rep(1 / 3, 3), c(1, 1, 1)), "equal, p = 5" = list(5, rep(1 / 3, 3), c(1, 1, 1)),
  "equal, p = 10" = list(10, rep(1 / 3, 3), c(1, 1, 1)), "sizes .6/.3/.1, p = 5" = list(5, c(.6, .3, .1), c(1, 1, 1)),
  "within-cluster sum of squares 1/1/2, p = 5" = list(5, rep(1 / 3, 3), c(1, 1, 2))
)
prob <- function(x, ...) predict(kgroups(x, 3, ...), type = "prob")
methods <- list(
  "alpha 2" = function(x) prob(x, semimetric = rho_power(2)), "alpha 1" = prob,
  "alpha 1/2" = function(x) prob(x, semimetric = rho_power(1 / 2)), "gaussian" = function(x) prob(x, semimetric = rho_gaussian()),
  "alpha 1, size term" = function(x) prob(x, size_term = TRUE),
  "mclust" = function(x) Mclust(x, 3, verbose = FALSE)$z
)
set.seed(41)
cat("| setting | method | 100 KL | calibration error, % |\n|---|---|---|---|\n")
for (setting in names(settings)) {
  found <- lapply(seq_len(runs), function(r) {
    data <- do.call(draw, settings[[setting]])
    sapply(methods, function(f) {
      p <- matched(f(data$x), data$q)
      c(divergence(p, data$q), calibration(p, data$truth))
    })
  })
  mean <- 100 * Reduce(`+`, found) / runs
  for (m in names(methods)) cat(sprintf("| %s | %s | %.1f | %.1f |\n", setting, m, mean[1, m], mean[2, m]))
}
