# Writes bench/graphs.md and bench/graphs-size.png from the csv files that bench/graphs.R and
# bench/graphs-size.R have left.
wide <- function(data, value, rows, digits = 3) {
  out <- tapply(data[[value]], list(factor(data$method, unique(data$method)), factor(rows, unique(rows))), identity)
  knitr::kable(round(t(out), digits))
}
gn <- read.csv("vignettes/graphs-girvan-newman.csv")
drawn <- read.csv("vignettes/graphs-girvan-newman-drawn.csv")
gaps <- read.csv("bench/graphs-gaps.csv")
uneven <- read.csv("vignettes/graphs-uneven.csv")
uneven$method[uneven$method == "limit"] <- "from planted"
phase <- read.csv("vignettes/graphs-phase.csv")
size <- read.csv("bench/graphs-size.csv")
setting <- paste0("k = ", gaps$k, ", lambda = ", gaps$snr)

png("bench/graphs-size.png", width = 900, height = 420, pointsize = 14)
par(mfrow = c(1, 2), mar = c(4, 4, 2, 1))
whole <- c("cluster_bethe_hessian", "cluster_kgroups", "cluster_belief_propagation", "cluster_louvain", "cluster_leiden")
pieces <- c("adjacency matrix", "eigenvectors", "eigenvectors at refined r", "k-means of the rows", "moves", "belief propagation")
for (steps in list(whole, pieces)) {
  at <- size$step %in% steps
  plot(NULL, xlim = range(size$n), ylim = pmax(range(size$seconds[at]), 0.01), log = "xy", xlab = "vertices", ylab = "processor seconds")
  colours <- grDevices::hcl.colors(length(steps), "Dark 3")
  for (i in seq_along(steps)) {
    one <- size[size$step == steps[i], ]
    lines(one$n, pmax(one$seconds, 0.01), type = "b", pch = 20, col = colours[i])
  }
  legend("topleft", steps, col = colours, lty = 1, pch = 20, bty = "n", cex = 0.8)
}
invisible(dev.off())

largest <- size[size$n == max(size$n), ]
calls <- largest[largest$step %in% whole, c("step", "seconds", "graph_mb", "peak_mb", "overlap", "groups")]
steps <- largest[largest$step %in% pieces, c("step", "seconds")]
text <- c(
  "# Graphs", "",
  "Made by `bench/graphs.R`, `bench/graphs-size.R` and `bench/graphs-report.R`. Every method sees the same graphs.",
  "`paper` is `normalize = FALSE`; `k-groups` is the default call; `limit` is belief propagation with the true",
  "parameters from the planted groups (`bench/belief-limit.R`).", "",
  "## Girvan-Newman: mean overlap",
  sprintf("n = 128, k = 4, mean degree 16, %d graphs a row; standard errors are at most %.3f.", gn$graphs[1], max(gn$se)), "",
  wide(gn, "mean", paste("lambda =", gn$snr)), "",
  "The same, each vertex in a group drawn at random, so that sizes vary:", "",
  wide(drawn, "mean", paste("lambda =", drawn$snr)), "",
  "The paper, 500 graphs (Bethe, k-groups): .183 .177, .485 .489, .840 .870, .943 .960, .975 .982, .997 .998, 1 1. Its figures",
  "are those of groups drawn at random.", "",
  "## n = 1000, mean degree 3: mean overlap",
  sprintf("%d graphs a row; standard errors are at most %.3f.", phase$graphs[1], max(phase$se)), "",
  wide(phase, "mean", paste0("k = ", phase$k, ", lambda = ", phase$snr)), "",
  "## Overlap short of the limit",
  sprintf("The limit's overlap less the method's on the same graph, %d graphs a setting: mean.", gaps$graphs[1]), "",
  wide(gaps, "mean", setting, 4), "", "The worst graph:", "", wide(gaps, "worst", setting), "",
  "## Uneven degrees, uneven sizes: mean adjusted Rand index",
  sprintf("n = 1000, %d graphs a row. Degrees: Pareto weights, mean degree 8, lambda = 1.4. Here `limit` is", uneven$graphs[1]),
  "the package's belief propagation started from the planted groups, its parameters learnt.", "",
  wide(uneven, "mean", uneven$case), "", "Mean overlap:", "", wide(uneven, "overlap", uneven$case), "",
  "## Size",
  sprintf(
    "%s vertices, %s edges, k = 10, lambda = 2; one core, processor seconds, memory in MB (`graph_mb`: the process with the graph alone).",
    format(max(size$n), big.mark = ",", scientific = FALSE), format(max(size$edges), big.mark = ",")
  ), "",
  knitr::kable(calls, row.names = FALSE), "",
  "A call that is not in the table was stopped when it had run for more than five minutes (igraph 1.3.5's Louvain).", "",
  "The parts:", "", knitr::kable(steps, row.names = FALSE), "",
  "![Processor seconds against the number of vertices](graphs-size.png)"
)
writeLines(text, "bench/graphs.md")
