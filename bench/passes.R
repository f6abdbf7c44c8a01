# CPU time of the default search in passes over all pairs: a local search from its result is one pass. Each is the least
# of three runs.
#   Rscript bench/passes.R [DRAWS] [large]     prints a table; `large` adds n = 1e5
library(kgroups)
arguments <- commandArgs(TRUE)
draws <- if (length(arguments) > 0L) as.integer(arguments[1L]) else 8L
mixture <- function(n, d, k, apart) matrix(
  rnorm(k * d, sd = apart), k
)[sample(k, n, TRUE), , drop = FALSE] + rnorm(n * d)
cases <- list(
  "n = 1e4, d = 10, k = 10" = c(1e4, 10, 10, 2), "n = 1e4, d = 50, k = 20" = c(1e4, 50, 20, 1),
  "n = 1e4, d = 2, k = 10, overlapping" = c(1e4, 2, 10, 1), "n = 5000, d = 10, k = 50" = c(5000, 10, 50, 1)
)
if ("large" %in% arguments) cases[["n = 1e5, d = 5, k = 5"]] <- c(1e5, 5, 5, 2)
seconds <- function(run, times) min(vapply(seq_len(times), function(i) sum(system.time(run())[1:2]), 0))
fit <- NULL
cat("| | passes: mean | worst |\n|---|---|---|\n")
for (name in names(cases)) {
  case <- cases[[name]]
  passes <- vapply(seq_len(if (case[1L] > 5e4) 1L else draws), function(draw) {
    set.seed(draw)
    x <- mixture(case[1L], case[2L], case[3L], case[4L])
    times <- if (case[1L] > 5e4) 1L else 3L
    search <- seconds(function() {
      set.seed(draw)
      fit <<- kgroups(x, case[3L])
    }, times)
    search / seconds(function() kgroups(x, case[3L], init = unname(fit$cluster)), times)
  }, 0)
  cat(sprintf("| %s | %.1f | %.1f |\n", name, mean(passes), max(passes)))
}
