# Measures the numbers of README.md that no other script has: bench/facts.csv, one row a number.
#   Rscript bench/facts.R        with kgroups installed; CPU seconds of one thread

library(kgroups)
rows <- list()
add <- function(fact, value, digits) rows[[length(rows) + 1L]] <<- data.frame(fact = fact, value = signif(value, digits))
cpu <- function(expression) {
  gc()
  sum(system.time(expression)[c("user.self", "sys.self")])
}
mixture <- function(n, d, k, sd) {
  centres <- matrix(rnorm(k * d, sd = sd), k)
  centres[sample(k, n, TRUE), ] + rnorm(n * d)
}

# k-means: squared distances, 10,000 points around 50 centres in 10 dimensions
set.seed(1)
x <- mixture(10000, 10, 50, 3)
add("squared, seconds of kgroups", cpu(ours <- kgroups(x, 50, semimetric = rho_power(2))), 2)
add("squared, W of kgroups", ours$W, 6)
theirs <- vapply(1:5, function(seed) {
  set.seed(seed)
  seconds <- cpu(fit <- suppressWarnings(kmeans(x, 50, nstart = 10, iter.max = 100)))
  c(fit$tot.withinss, seconds)
}, numeric(2))
add("squared, least sum of squares of kmeans, 5 seeds", min(theirs[1, ]), 6)
add("squared, seconds of kmeans", stats::median(theirs[2, ]), 2)

# many rows
set.seed(2)
x <- mixture(100000, 10, 10, 3)
add("100,000 rows, seconds of kgroups", cpu(kgroups(x, 10)), 2)
add("100,000 rows, seconds of kgroups, rho_power(2)", cpu(kgroups(x, 10, semimetric = rho_power(2))), 2)
add("100,000 rows, seconds of kmeans, 10 starts", cpu(suppressWarnings(kmeans(x, 10, nstart = 10, iter.max = 100))), 2)

# one centre, standard deviations 1 and 3, 100 points each: share of points in their group
runs <- 20
for (d in c(1, 2, 5, 10, 30)) {
  share <- vapply(seq_len(runs), function(seed) {
    set.seed(seed)
    x <- rbind(matrix(rnorm(100 * d), 100), matrix(rnorm(100 * d, sd = 3), 100))
    truth <- rep(1:2, each = 100)
    c(
      compare_clusters(truth, suppressMessages(kgroups(x, 2))$cluster, "accuracy"),
      compare_clusters(truth, kmeans(x, 2, nstart = 20)$cluster, "accuracy")
    )
  }, numeric(2))
  add(sprintf("scale only, d = %d, kgroups", d), mean(share[1, ]), 2)
  add(sprintf("scale only, d = %d, kmeans", d), mean(share[2, ]), 2)
}

# heavy tails: t with 1.5 degrees of freedom, three groups in 5 dimensions, adjusted Rand index
rand <- vapply(seq_len(runs), function(seed) {
  set.seed(seed)
  truth <- rep(1:3, each = 100)
  x <- matrix(rt(1500, 1.5), 300)
  x[, 1] <- x[, 1] + 6 * truth
  x[, 2] <- x[, 2] + 6 * (truth == 2)
  c(compare_clusters(truth, kgroups(x, 3)$cluster), compare_clusters(truth, kmeans(x, 3, nstart = 20)$cluster))
}, numeric(2))
add("heavy tails, kgroups", mean(rand[1, ]), 2)
add("heavy tails, kmeans", mean(rand[2, ]), 2)

rows <- do.call(rbind, rows)
print(rows)
write.csv(rows, "bench/facts.csv", row.names = FALSE, quote = 1)
