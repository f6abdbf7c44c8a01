# kgroups_1d() beside sort(x) at a million numbers: processor time, and the ratio to a
# sort(x) run just before (medians), so that other work on the machine matters little.
#   Rscript bench/onedim.R > bench/onedim.md     (a minute)

library(kgroups)

set.seed(1)
n <- 1e6
x <- c(rnorm(0.4 * n), rnorm(0.4 * n, 4), rexp(0.2 * n) + 8)[sample.int(n)]
w <- runif(n)

seconds <- function(call) {
  gc(FALSE)
  sum(system.time(call())[c("user.self", "sys.self")])
}

compare <- function(call, times) {
  took <- vapply(seq_len(times), function(i) c(seconds(function() sort(x)), seconds(call)), c(0, 0))
  c(stats::median(took[2L, ]), stats::median(took[2L, ] / took[1L, ]))
}

calls <- list(
  "`sort(x)`" = list(function() sort(x), 21),
  "`kgroups_1d(x)`" = list(function() kgroups_1d(x), 21),
  "`kgroups_1d(x, weights = w)`" = list(function() kgroups_1d(x, weights = w), 11),
  "`kgroups_1d(x, 10)`" = list(function() kgroups_1d(x, 10), 3),
  "`kgroups_1d(x, ks = 1:10)`" = list(function() kgroups_1d(x, ks = 1:10), 3)
)
took <- vapply(calls, function(call) compare(call[[1L]], call[[2L]]), c(0, 0))

cat("# One dimension: a million numbers\n\nMade by `bench/onedim.R`.\n\n")
cat("| call | seconds | times `sort(x)` |\n|---|---|---|\n")
cat(sprintf("| %s | %.3f | %.2f |\n", colnames(took), took[1L, ], took[2L, ]), sep = "")
