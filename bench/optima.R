# W against time: how near to the best W known a method comes, and in how many CPU seconds.
#   Rscript bench/optima.R     (a few minutes; writes bench/optima.csv; needs mlbench, and for
#   the peers energy, kernlab and kkmeans)

library(kgroups)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
shelf <- new.env()
utils::data("Vowel", package = "mlbench", envir = shelf)
vowel <- scale(as.matrix(shelf$Vowel[vapply(shelf$Vowel, is.numeric, NA)]))
set.seed(5)
grid <- as.matrix(expand.grid(1:10, 1:5))
grid <- grid[rep(1:50, 10), ] + matrix(rnorm(1000, sd = sqrt(0.1)), 500)

ours <- function(x, k, semimetric) {
  force(semimetric)
  start <- function(...) function() kgroups(x, k, semimetric = semimetric, ...)$cluster
  list(
    "default call" = start(), "1 random start" = start(init = "random"),
    "10 random starts" = start(init = "random", nstart = 10),
    "100 random starts" = start(init = "random", nstart = 100),
    "10 k-means++ starts" = start(init = "kmeans++", nstart = 10)
  )
}
absent <- function(package) !requireNamespace(package, quietly = TRUE)
peers <- function(x, k) {
  kernel <- function() -as.matrix(stats::dist(x)) / 2
  out <- list(
    energy = function() energy::kgroups(x, k)$cluster,
    "energy, 10 starts" = function() energy::kgroups(x, k, nstart = 10)$cluster,
    kernlab = function() kernlab::kkmeans(kernlab::as.kernelMatrix(kernel()), k)@.Data,
    kkmeans = function() kkmeans::kkmeans(x, k, kmat = kernel(), nstart = 1)$cluster,
    "kkmeans, 10 starts" = function() kkmeans::kkmeans(x, k, kmat = kernel(), nstart = 10)$cluster
  )
  out[!vapply(sub(",.*", "", names(out)), absent, NA)]
}
means <- function(x, k) {
  list(
    "stats::kmeans, 10 starts" = function() kmeans(x, k, nstart = 10, iter.max = 100)$cluster,
    "stats::kmeans, 100 starts" = function() kmeans(x, k, nstart = 100, iter.max = 100)$cluster
  )
}
sets <- list(
  "Vowel, distance" = list(vowel, 11, rho_power(1), c(ours(vowel, 11, rho_power(1)), peers(vowel, 11))),
  "grid of 50, distance" = list(grid, 50, rho_power(1), c(ours(grid, 50, rho_power(1)), peers(grid, 50))),
  "Vowel, squared distance" = list(vowel, 11, rho_power(2), c(ours(vowel, 11, rho_power(2)), means(vowel, 11)))
)

rows <- lapply(names(sets), function(name) {
  set <- sets[[name]]
  runs <- lapply(names(set[[4L]]), function(method) {
    one <- lapply(1:9, function(seed) {
      set.seed(seed)
      seconds <- sum(system.time(cluster <- tryCatch(
        suppressWarnings(set[[4L]][[method]]()),
        error = function(e) NULL # a peer that leaves a cluster empty
      ))[1:2])
      W <- if (is.null(cluster)) NA else energy_statistics(set[[1L]], cluster, semimetric = set[[3L]])$W
      data.frame(set = name, method = method, seed = seed, seconds = seconds, W = W)
    })
    do.call(rbind, one)
  })
  do.call(rbind, runs)
})
rows <- do.call(rbind, rows)
rows$excess <- rows$W / stats::ave(rows$W, rows$set, FUN = function(W) min(W, na.rm = TRUE)) - 1
utils::write.csv(rows, file.path(here, "optima.csv"), row.names = FALSE)
