# One and two threads on the same exact local search: n = 100000, d = 10, k = 10, from labels that
# a fit of a sample gives. Elapsed seconds, so the machine must be quiet.
#   Rscript bench/threads.R > bench/threads.md

library(kgroups)
set.seed(1)
n <- 1e5
centres <- matrix(rnorm(100), 10)
x <- centres[sample(10, n, TRUE), ] + matrix(rnorm(10 * n), n)
part <- kgroups(x[1:1000, ], 10)
start <- predict(part, x)
run <- function(threads) {
  time <- system.time(fit <- kgroups(x, 10, init = start, threads = threads))[["elapsed"]]
  list(time = time, fit = fit)
}
one <- run(1)
two <- run(2)
stopifnot(identical(one$fit$cluster, two$fit$cluster), identical(one$fit$W, two$fit$W))
cat("# Threads\n\nn = 100000, d = 10, k = 10, from a sample's labels; made by `bench/threads.R`.\n\n")
cat("| threads | seconds elapsed |\n|---|---|\n")
cat(sprintf("| %d | %.2f |\n", 1:2, c(one$time, two$time)), sep = "")
cat(sprintf("\nTwo threads are %.2f times as fast; labels and W are identical.\n", one$time / two$time))
