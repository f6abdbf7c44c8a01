# Figures 1 and 2 of the paper: two classes on a line, accuracy against the number of points.
#   Rscript bench/one-dimension.R [repetitions, default 100]
# writes vignettes/one-dimension.csv.

library(kgroups)
suppressPackageStartupMessages(library(mclust))
given <- commandArgs(TRUE)
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
  "kgroups_1d" = function(x) kgroups_1d(x, 2)$cluster,
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
write.csv(table, "vignettes/one-dimension.csv", row.names = FALSE, quote = FALSE)
