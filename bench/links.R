# Constraints on pairs: W, W without pairs apart, and seconds, medians of five draws.
#
#   Rscript bench/links.R > bench/links.md
library(kgroups)
one <- function(n, pairs, seed) {
  set.seed(seed)
  x <- matrix(rnorm(4 * n), n) + 2 * rep(0:2, length.out = n)
  rows <- matrix(sample(n, 2 * pairs), ncol = 2)
  same <- rows[, 1] %% 3 == rows[, 2] %% 3
  time <- system.time(
    fit <- kgroups(x, 3, together = rows[same, , drop = FALSE], apart = rows[!same, , drop = FALSE])
  )[[1]]
  free <- kgroups(x, 3)
  truth <- rep(1:3, length.out = n)
  agreement <- function(fit) compare_clusters(truth, fit$cluster)
  c(fit$W, fit$constraints$W_free, time, agreement(fit), agreement(free))
}
cat("# Constraints on pairs\n\n`Rscript bench/links.R`: three normal clusters in four columns, true pairs, Euclidean distance.\n\n")
cat("| n | pairs | W | W without apart | s | adjusted Rand index | without constraints |\n|---|---|---|---|---|---|---|\n")
for (n in c(300, 1000)) {
  for (pairs in c(n / 10, n / 3)) {
    runs <- vapply(1:5, function(seed) one(n, pairs, seed), numeric(5))
    cat(sprintf(
      "| %.0f | %.0f | %s |\n", n, floor(pairs), paste(signif(apply(runs, 1, stats::median), 3), collapse = " | ")
    ))
  }
}
