# How often each way of starting reaches the best known W on the dermatology data, the agreement with the diagnosis
# there, and that of kernel k-means by the number of starts. Stops if a requirement fails.
#   Rscript bench/dermatology.R > bench/dermatology.md     (a minute)

library(kgroups)

data <- read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
diagnosis <- data$class
x <- data[names(data) != "class"]
x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
sample_sd <- scale(x)
population_sd <- sample_sd * sqrt(366 / 365)
half <- rho_power(1 / 2)
seeds <- 1:100

reached <- function(fit, best) fit$W <= best * (1 + 1e-8)
share <- function(data, best, ...) {
  sum(vapply(seeds, function(seed) {
    set.seed(seed)
    reached(kgroups(data, 6, semimetric = half, ...), best)
  }, NA))
}
# The partition by the nearest of six centres: patients drawn alike, or by k-means++.
rho <- semimetric_matrix(sample_sd, semimetric = half)
nearest <- function(centres) max.col(-rho[, centres], "first")
random_centres <- function() nearest(sample(366, 6))
far_centres <- function() {
  centres <- sample(366, 1)
  for (j in 2:6) centres <- c(centres, sample(366, 1, prob = apply(rho[, centres, drop = FALSE], 1, min)))
  nearest(centres)
}
of_centres <- sum(vapply(seeds, function(seed) {
  set.seed(seed)
  reached(kgroups(sample_sd, 6, semimetric = half, init = random_centres()), 414.3205185)
}, NA))

ways <- list(
  "default call" = list(),
  "one k-means++ start" = list(init = "kmeans++", nstart = 1),
  "one random start" = list(init = "random", nstart = 1),
  "ten random starts" = list(init = "random", nstart = 10),
  "one spectral start" = list(init = "spectral", nstart = 1)
)
best <- 414.3205185
shares <- vapply(ways, function(way) do.call(share, c(list(sample_sd, best), way)), 0)
population <- share(population_sd, 414.6040085)
lloyd <- vapply(seeds, function(seed) {
  set.seed(seed)
  kernel_kmeans(sample_sd, 6, semimetric = half)$W
}, 0)

# ---- kernel k-means by starts ----

accuracy <- function(cluster) compare_clusters(diagnosis, cluster, "accuracy")
G <- unclass(semimetric_matrix(sample_sd, semimetric = half, type = "gram"))
# Algorithm 1 of the paper from given labels. Its lines 12 and 13 omit the diagonal term in the update of q.
algorithm_1 <- function(cluster, k = 6, diagonal = FALSE) {
  Z <- outer(cluster, seq_len(k), "==") * 1
  s <- colSums(Z)
  Q <- G %*% Z
  q <- colSums(Z * Q)
  repeat {
    before <- cluster
    for (i in seq_along(cluster)) {
      from <- cluster[i]
      to <- which.min(q / s^2 - 2 * Q[i, ] / s)
      if (to == from || s[from] == 1) next
      change <- c(-1, 1)
      q[c(from, to)] <- q[c(from, to)] + 2 * change * Q[i, c(from, to)] + diagonal * G[i, i]
      s[c(from, to)] <- s[c(from, to)] + change
      Q[, c(from, to)] <- Q[, c(from, to)] + outer(G[, i], change)
      cluster[i] <- to
    }
    if (identical(before, cluster)) break
  }
  Z <- outer(cluster, seq_len(k), "==")
  list(accuracy = accuracy(cluster), q = sum(colSums(Z * (G %*% Z)) / colSums(Z)))
}
# The best by the objective of each `starts` runs after another.
best_of <- function(runs, starts) {
  vapply(split(runs, (seq_along(runs) - 1) %/% starts), function(some) {
    some[[which.max(vapply(some, `[[`, 0, "q"))]]$accuracy
  }, 0)
}
set.seed(2)
begins <- lapply(1:200, function(i) far_centres())
printed <- lapply(begins, algorithm_1)
corrected <- lapply(begins, algorithm_1, diagonal = TRUE)
ours <- function(starts, runs = 40) vapply(seq_len(runs), function(seed) {
  set.seed(seed)
  accuracy(kernel_kmeans(sample_sd, 6, semimetric = half, init = "kmeans++", nstart = starts)$cluster)
}, 0)
mean_sd <- function(x) sprintf("%.3f (%.3f)", mean(x), sd(x))
by_starts <- vapply(c(1, 5, 10, 50), function(starts) {
  sprintf("| %d | %s | %s | %s |\n", starts, mean_sd(ours(starts)), mean_sd(best_of(printed, starts)),
    mean_sd(best_of(corrected, starts)))
}, "")

set.seed(1)
fit <- kgroups(sample_sd, 6, semimetric = half)
scores <- c(
  accuracy = compare_clusters(diagnosis, fit$cluster, "accuracy"),
  "adjusted Rand" = compare_clusters(diagnosis, fit$cluster),
  "NMI (geometric)" = compare_clusters(diagnosis, fit$cluster, "nmi")
)
time <- median(vapply(1:11, function(i) {
  sum(system.time(kgroups(sample_sd, 6, semimetric = half))[1:2])
}, 0))

cat("# Dermatology: 366 patients, 34 standardised columns, k = 6, rho_power(1/2)\n\n")
cat("Best known W:", format(best, nsmall = 7), "after `scale()`,",
    "414.6040085 with the population sd. Made by `bench/dermatology.R`.\n\n")
cat("| start | seeds of 100 that reach it |\n|---|---|\n")
cat(sprintf("| %s | %d |\n", names(shares), shares), sep = "")
cat(sprintf("| one start from six patients as centres, drawn alike | %d |\n", of_centres))
cat(sprintf("| default call, population sd | %d |\n", population))
cat(sprintf("| `kernel_kmeans()`, default call | %d |\n\n", sum(lloyd <= best * (1 + 1e-8))))
cat("Kernel k-means, k-means++ starts: mean accuracy (standard deviation) of the best of so many starts by the objective.\n\n")
cat("| starts | `kernel_kmeans()` | Algorithm 1 as printed | Algorithm 1 with the diagonal term |\n|---|---|---|---|\n")
cat(by_starts, "\n", sep = "")
cat("| at the best W | |\n|---|---|\n")
cat(sprintf("| %s | %.4f |\n", names(scores), scores), sep = "")
cat(sprintf("| sizes | %s |\n", paste(sort(fit$sizes), collapse = " ")))
cat(sprintf("| CPU seconds of a default call, median of 11 | %.3f |\n", time))

stopifnot(
  shares[["default call"]] >= 99, population >= 99,
  scores[["accuracy"]] >= .961, scores[["adjusted Rand"]] >= .935,
  scores[["NMI (geometric)"]] >= .93
)
