# How often each way of starting reaches the best known W on the dermatology data, and the
# agreement with the diagnosis there. Stops if a requirement fails.
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

set.seed(1)
fit <- kgroups(sample_sd, 6, semimetric = half)
scores <- c(
  accuracy = compare_clusters(diagnosis, fit$cluster, "accuracy"),
  "adjusted Rand" = compare_clusters(diagnosis, fit$cluster),
  "NMI (geometric)" = compare_clusters(diagnosis, fit$cluster, "nmi")
)
time <- median(vapply(1:11, function(i) {
  system.time(kgroups(sample_sd, 6, semimetric = half))[["elapsed"]]
}, 0))

cat("# Dermatology: 366 patients, 34 standardised columns, k = 6, rho_power(1/2)\n\n")
cat("Best known W:", format(best, nsmall = 7), "after `scale()`,",
    "414.6040085 with the population sd. Made by `bench/dermatology.R`.\n\n")
cat("| start | seeds of 100 that reach it |\n|---|---|\n")
cat(sprintf("| %s | %d |\n", names(shares), shares), sep = "")
cat(sprintf("| default call, population sd | %d |\n", population))
cat(sprintf("| `kernel_kmeans()`, default call | %d |\n\n", sum(lloyd <= best * (1 + 1e-8))))
cat("| at the best W | |\n|---|---|\n")
cat(sprintf("| %s | %.4f |\n", names(scores), scores), sep = "")
cat(sprintf("| sizes | %s |\n", paste(sort(fit$sizes), collapse = " ")))
cat(sprintf("| seconds a default call, median of 11 | %.3f |\n", time))

stopifnot(
  shares[["default call"]] >= 99, population >= 99,
  scores[["accuracy"]] >= .961, scores[["adjusted Rand"]] >= .935,
  scores[["NMI (geometric)"]] >= .93
)
