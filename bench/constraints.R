# Contiguous clusters: W and seconds beside Ward's merges along edges, skater and rgeoda, and the other constraints.
#   Rscript bench/constraints.R > bench/constraints.md
library(kgroups)

field <- function(seed, side = 20) {
  set.seed(seed)
  z <- matrix(rnorm(side^2), side)
  for (i in 1:4) {
    up <- z[c(2:side, side), ]
    down <- z[c(1, 1:(side - 1)), ]
    z <- (z + up + down + z[, c(2:side, side)] + z[, c(1, 1:(side - 1))]) / 5
  }
  cbind(c(z) / sd(z), rnorm(side^2, sd = 0.3))
}

# CPU seconds
seconds <- function(expr) sum(system.time(expr)[1:2])

# k-1 cuts of skater, by squared distances of the columns; W by the Euclidean distance
skater <- function(x, graph, k) {
  nb <- lapply(igraph::as_adj_list(graph), as.integer)
  nb <- structure(nb, class = "nb", region.id = as.character(seq_along(nb)))
  cost <- spdep::nbcosts(nb, x)
  tree <- spdep::mstree(spdep::nb2listw(nb, cost, style = "B"))
  spdep::skater(tree[, 1:2], x, k - 1)$groups
}

cat("# Constraints\n\n`Rscript bench/constraints.R`. W relative to Ward's merges along edges, k = 6, 20 random fields of 400 cells.\n\n")
graph <- igraph::make_lattice(c(20, 20))
peers <- requireNamespace("spdep", quietly = TRUE)
found <- t(vapply(101:120, function(seed) {
  x <- field(seed)
  ward <- energy_statistics(x, predict(kgroups_tree(x, contiguous = graph), 6))$W
  took <- seconds(fit <- kgroups(x, 6, contiguous = graph))
  stopifnot(vapply(1:6, function(l) igraph::is_connected(igraph::induced_subgraph(graph, which(fit$cluster == l))), NA))
  c(kgroups = fit$W / ward, skater = if (peers) energy_statistics(x, skater(x, graph, 6))$W / ward else NA, seconds = took)
}, c(kgroups = 0, skater = 0, seconds = 0)))
cat("| | mean | worst |\n|---|---|---|\n")
cat(sprintf("| kgroups | %.3f | %.3f |\n", mean(found[, "kgroups"]), max(found[, "kgroups"])))
if (peers) cat(sprintf("| skater (spdep) | %.3f | %.3f |\n", mean(found[, "skater"]), max(found[, "skater"])))
cat(sprintf("| CPU seconds of kgroups | %.2f | %.2f |\n", mean(found[, "seconds"]), max(found[, "seconds"])))

cat("\n`\"order\"` beside the exact segmentation, 100 series of 30 to 60 observations, k = 2 to 5: ")
same <- vapply(1:100, function(seed) {
  set.seed(seed)
  n <- sample(30:60, 1)
  k <- sample(2:5, 1)
  x <- cumsum(rnorm(n)) + rnorm(n)
  abs(kgroups(x, k, contiguous = "order")$W / kgroups_changes(x, k, least = 1)$W - 1) < 1e-8
}, NA)
cat(sprintf("equal in %d.\n\n", sum(same)))

cat("| | CPU seconds |\n|---|---|\n")
set.seed(1)
large <- igraph::make_lattice(c(100, 200))
x <- cbind(c(outer(sin(1:100 / 9), cos(1:200 / 15))), rnorm(20000, sd = 0.3))
cat(sprintf("| contiguous, 20,000 cells, k = 20 | %.1f |\n", seconds(kgroups(x, 20, contiguous = large))))
y <- matrix(rnorm(20000), 10000)
pairs <- matrix(sample(10000, 2000), ncol = 2)
cat(sprintf("| 1,000 pairs apart, n = 10,000, k = 5 | %.1f |\n", seconds(kgroups(y, 5, apart = pairs))))
z <- matrix(rnorm(5200), 2600)
cat(sprintf("| equal sizes, n = 2,600, k = 500 | %.1f |\n", seconds(kgroups(z, 500, sizes = "equal"))))
