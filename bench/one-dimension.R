# Figures 1 and 2 of the paper, two classes on a line, accuracy against the number of points: vignettes/articles/one-dimension.csv.
#   Rscript bench/one-dimension.R [repetitions, default 100]
#   Rscript bench/one-dimension.R times     kgroups() beside sort(x) at a million numbers: bench/one-dimension.md

library(kgroups)
given <- commandArgs(TRUE)

# ---- times: medians of the ratio to a sort(x) just before, so that other work on the machine matters little ----

if (identical(given, "times")) {
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
    "`kgroups(x, 2)`" = list(function() kgroups(x, 2), 21),
    "`kgroups(x, 2, weights = w)`" = list(function() kgroups(x, 2, weights = w), 11),
    "`kgroups(x, 10)`" = list(function() kgroups(x, 10), 3)
  )
  took <- vapply(calls, function(call) compare(call[[1L]], call[[2L]]), c(0, 0))

  writeLines(c(
    "# One dimension: a million numbers", "", "Made by `bench/one-dimension.R times`.", "",
    "| call | seconds | times `sort(x)` |", "|---|---|---|",
    sprintf("| %s | %.3f | %.2f |", colnames(took), took[1L, ], took[2L, ])
  ), "bench/one-dimension.md")
  quit(status = 0L)
}

# ---- accuracy ----

suppressPackageStartupMessages(library(mclust))
repetitions <- if (length(given)) as.integer(given[1L]) else 100L
set.seed(12)

draw <- function(n, exponential) {
  truth <- rep(1:2, each = n / 2)
  x <- rnorm(n, c(0, 1.5)[truth], c(1.5, 0.3)[truth])
  list(x = if (exponential) exp(x) else x, truth = truth)
}

# The labels of highest posterior probability: the best that labels can do. The exponential
# is one to one, so it is the same for both.
bayes <- function(data, exponential) {
  z <- if (exponential) log(data$x) else data$x
  1L + (dnorm(z, 1.5, 0.3) > dnorm(z, 0, 1.5))
}

methods <- list(
  "k-groups" = function(x) kgroups(x, 2)$cluster,
  "k-means" = function(x) kmeans(x, 2, nstart = 5)$cluster,
  "GMM" = function(x) Mclust(x, 2, verbose = FALSE)$classification
)

rows <- list()
for (exponential in c(FALSE, TRUE)) {
  for (n in c(20, 50, 100, 200, 400, 800, 1200, 2000)) {
    found <- vapply(seq_len(repetitions), function(run) {
      data <- draw(n, exponential)
      c(
        vapply(methods, function(method) compare_clusters(data$truth, method(data$x), "accuracy"), 0),
        Bayes = mean(bayes(data, exponential) == data$truth)
      )
    }, numeric(4))
    rows[[length(rows) + 1L]] <- data.frame(
      data = if (exponential) "lognormal" else "normal", n = n, runs = repetitions,
      method = rownames(found), accuracy = round(rowMeans(found), 4),
      se = round(apply(found, 1L, sd) / sqrt(repetitions), 4),
      median = round(apply(found, 1L, median), 4)
    )
  }
}
table <- do.call(rbind, rows)
rownames(table) <- NULL
print(table)
write.csv(table, "vignettes/articles/one-dimension.csv", row.names = FALSE, quote = FALSE)
