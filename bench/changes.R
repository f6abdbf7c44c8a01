# kgroups_changes() without the number of changes, beside ecp::e.divisive() where that is installed: a true change is hit
# if a found one lies within 10 of it, each found change hits at most one, and the others are false alarms.
#   Rscript bench/changes.R [series, default 100] > bench/changes.md     (8 minutes)

library(kgroups)

given <- commandArgs(TRUE)
series <- if (length(given)) as.numeric(given[1]) else 100
R <- 59
n <- 200
near <- 10

runs <- function(lengths, values) rep(values, lengths)
designs <- list(
  "none, normal" = list(integer(), function() rnorm(n)),
  "none, exponential" = list(integer(), function() rexp(n)),
  "none, Cauchy" = list(integer(), function() rcauchy(n)),
  "none, normal in 5 dimensions" = list(integer(), function() matrix(rnorm(5 * n), n)),
  "mean 0, 0.8" = list(121, function() rnorm(n, runs(c(120, 80), c(0, 0.8)))),
  "mean 0, 1, 0" = list(c(81, 131), function() rnorm(n, runs(c(80, 50, 70), c(0, 1, 0)))),
  "mean 0, 1, 0, 1" = list(c(51, 101, 151), function() rnorm(n, runs(rep(50, 4), c(0, 1, 0, 1)))),
  "standard deviation 1, 2.5" = list(101, function() rnorm(n, sd = runs(c(100, 100), c(1, 2.5)))),
  "mean and deviation: (0, 1), (0, 3), (1.2, 1)" =
    list(c(61, 131), function() rnorm(n, runs(c(60, 70, 70), c(0, 0, 1.2)), runs(c(60, 70, 70), c(1, 3, 1))))
)

score <- function(found, true) {
  left <- found
  hits <- 0
  for (one in true) {
    at <- which(abs(left - one) <= near)
    if (length(at)) {
      left <- left[-at[which.min(abs(left[at] - one))]]
      hits <- hits + 1
    }
  }
  c(hits, length(left), length(found) == length(true))
}
others <- if (requireNamespace("ecp", quietly = TRUE)) {
  list("e.divisive()" = function(x) {
    found <- ecp::e.divisive(as.matrix(x), sig.lvl = 0.05, R = R, min.size = 30)$estimates
    found[found > 1 & found <= n]
  })
}
methods <- c(list("kgroups_changes()" = function(x) kgroups_changes(x, R = R)$changes[[1]]), others)

set.seed(1)
cat(sprintf(
  paste0(
    "# kgroups_changes()\n\n%d series of %d observations for each row, R = %d, level .05; means over the series: changes hit ",
    "(within %d observations), false alarms, and the share of series with the right number.\n\n"
  ),
  series, n, R, near
))
cat("| design | changes |", sprintf(" %s: hits | false | right |", names(methods)), "\n|---|---|", strrep("---|", 3 * length(methods)), "\n", sep = "")
for (name in names(designs)) {
  true <- designs[[name]][[1]]
  scores <- 0
  for (run in seq_len(series)) {
    x <- designs[[name]][[2]]()
    one <- vapply(seq_along(methods), function(j) {
      score(methods[[j]](x), true)
    }, numeric(3))
    scores <- scores + one / series
  }
  cat(sprintf("| %s | %d |", name, length(true)), sprintf(" %.2f | %.2f | %.2f |", scores[1, ], scores[2, ], scores[3, ]), "\n", sep = "")
}
long <- rnorm(5000)
cat(sprintf("\nFive thousand numbers, `ks = 1:5`: %.2f seconds.\n", system.time(kgroups_changes(long, 1:5))[[1L]]))
