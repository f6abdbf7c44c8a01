# kgroups_changes() without the number of changes: its level, and beside ecp::e.divisive() where that is installed hits and
# false alarms. A true change is hit if a found one lies within 10 of it, each found change hits at most one, and the others
# are false alarms. Each design has its own seed.
#   Rscript bench/changes.R level [sets, default 1000]|power [series, default 100] [numbers of designs] >> bench/changes.md
#   (minutes of one core: 2, 5)

library(kgroups)

R <- 59
n <- 200
near <- 10

runs <- function(lengths, values) rep(values, lengths)
correlated <- function(m, r) {
  z <- matrix(rnorm(2 * m), m)
  cbind(z[, 1], r * z[, 1] + sqrt(1 - r^2) * z[, 2])
}
none <- list(
  "normal" = function() rnorm(n),
  "exponential" = function() rexp(n),
  "Cauchy" = function() rcauchy(n),
  "normal in 5 dimensions" = function() matrix(rnorm(5 * n), n)
)
designs <- list(
  "mean 0, 0.8" = list(121, function() rnorm(n, runs(c(120, 80), c(0, 0.8)))),
  "mean 0, 1, 0" = list(c(81, 131), function() rnorm(n, runs(c(80, 50, 70), c(0, 1, 0)))),
  "mean 0, 1, 0, 1" = list(c(51, 101, 151), function() rnorm(n, runs(rep(50, 4), c(0, 1, 0, 1)))),
  "standard deviation 1, 2.5" = list(101, function() rnorm(n, sd = runs(c(100, 100), c(1, 2.5)))),
  "mean and deviation: (0, 1), (0, 3), (1.2, 1)" =
    list(c(61, 131), function() rnorm(n, runs(c(60, 70, 70), c(0, 0, 1.2)), runs(c(60, 70, 70), c(1, 3, 1)))),
  "a small change beside a large scale: (0, 1), (0.8, 1), (0, 6)" =
    list(c(71, 141), function() rnorm(n, runs(c(70, 70, 60), c(0, 0.8, 0)), runs(c(70, 70, 60), c(1, 1, 6)))),
  "correlation 0.8, -0.6" = list(101, function() rbind(correlated(100, 0.8), correlated(100, -0.6))),
  "Cauchy, location 0, 2" = list(101, function() rcauchy(n) + runs(c(100, 100), c(0, 2))),
  "mean of one of 5 columns 0, 1.2" = list(
    121, function() matrix(rnorm(5 * n), n) + outer(runs(c(120, 80), c(0, 1.2)), c(1, 0, 0, 0, 0))
  )
)

run_level <- function(sets = 1000, which = seq_along(none)) {
  if (1 %in% which) {
    cat(sprintf(
      "## Series without a change\n\n%d series of %d observations, R = 19, level .05: share with a change found.\n\n",
      sets, n
    ))
  }
  if (1 %in% which) cat("| series | found |\n|---|---|\n")
  for (i in which) {
    set.seed(i)
    cat(sprintf(
      "| %s | %.3f |\n", names(none)[i],
      mean(replicate(sets, kgroups_changes(none[[i]](), R = 19, independent = TRUE)$k > 1))
    ))
  }
}

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
run_power <- function(series = 100, which = seq_along(designs)) {
  methods <- list(
    "independent = TRUE" = function(x) kgroups_changes(x, R = R, independent = TRUE)$changes[[1]],
    "and least = 30" = function(x) kgroups_changes(x, R = R, independent = TRUE, least = 30)$changes[[1]]
  )
  if (requireNamespace("ecp", quietly = TRUE)) {
    methods[["e.divisive()"]] <- function(x) {
      found <- ecp::e.divisive(as.matrix(x), sig.lvl = 0.05, R = R, min.size = 30)$estimates
      found[found > 1 & found <= n]
    }
  }
  if (1 %in% which) {
    cat(sprintf(
      paste0(
        "\n## Series with changes\n\n%d series of %d observations for each row, R = %d, level .05; means over the series: changes hit ",
        "(within %d observations), false alarms, and the share of series with the right number. The least run of `e.divisive()` is 30, ",
        "its default; ours is %d.\n\n"
      ),
      series, n, R, near, n %/% 10
    ))
    cat(
      "| design | changes |", sprintf(" %s: hits | false | right |", names(methods)), "\n|---|---|",
      strrep("---|", 3 * length(methods)), "\n", sep = ""
    )
  }
  for (i in which) {
    set.seed(100 + i)
    true <- designs[[i]][[1]]
    scores <- 0
    for (run in seq_len(series)) {
      x <- designs[[i]][[2]]()
      scores <- scores + vapply(methods, function(method) score(method(x), true), numeric(3)) / series
    }
    cat(
      sprintf("| %s | %d |", names(designs)[i], length(true)),
      sprintf(" %.2f | %.2f | %.2f |", scores[1, ], scores[2, ], scores[3, ]), "\n", sep = ""
    )
  }
  if (length(designs) %in% which) {
    long <- rnorm(5000)
    cat(sprintf(
      "\nFive thousand numbers, `ks = 1:5`: %.2f seconds of processor time.\n",
      system.time(kgroups_changes(long, 1:5))[[1L]]
    ))
  }
}

given <- commandArgs(TRUE)
numbers <- lapply(given[-1L], function(text) eval(parse(text = text)))
switch(given[1L], level = do.call(run_level, numbers), power = do.call(run_power, numbers))
