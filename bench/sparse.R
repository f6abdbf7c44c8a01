# Sparse rows: time and memory of a fit, beside dense k-means of principal components.
#   Rscript bench/sparse.R [n] [columns] [share of entries]
library(kgroups)
args <- as.numeric(commandArgs(TRUE))
n <- if (length(args) > 0) args[1] else 2000
d <- if (length(args) > 1) args[2] else 2000
share <- if (length(args) > 2) args[3] else 0.02
k <- 10
set.seed(1)
# each group has its own columns, twenty times as often as the others
group <- rep_len(seq_len(k), n)
count <- stats::rbinom(n, d, share)
own <- split(seq_len(d), rep_len(seq_len(k), d))
columns <- lapply(seq_len(n), function(i) {
  special <- stats::rbinom(1L, count[i], 0.3)
  unique(c(sample.int(d, count[i] - special), sample(own[[group[i]]], min(special, length(own[[group[i]]])))))
})
x <- Matrix::sparseMatrix(
  rep(seq_len(n), lengths(columns)), unlist(columns),
  x = 1 + stats::rpois(sum(lengths(columns)), 0.5), dims = c(n, d)
)
rm(columns)
peak <- function() {
  line <- grep("VmHWM", readLines("/proc/self/status"), value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA
}
cpu <- function(expr) sum(system.time(expr)[c(1, 4)])
rows <- lapply(list(cosine = rho_metric("cosine"), power = rho_power(1)), function(rho) {
  time <- cpu(fit <- kgroups(x, k, semimetric = rho, init = "kmeans++", nstart = 1))
  agreement <- compare_clusters(group, fit$cluster, method = "adjusted_rand")
  data.frame(
    semimetric = format(rho), n = n, columns = d, entries = length(x@x), seconds = time, peak_mb = peak(),
    rand = agreement
  )
})
print(do.call(rbind, rows), digits = 3, row.names = FALSE)
if (n * d <= 4e6) {
  time <- cpu({
    scores <- stats::prcomp(as.matrix(x), rank. = 20)$x
    peer <- stats::kmeans(scores, k, nstart = 10)
  })
  cat(sprintf(
    "prcomp and kmeans: %.2f s, adjusted Rand %.3f\n", time,
    compare_clusters(group, peer$cluster, method = "adjusted_rand")
  ))
}
