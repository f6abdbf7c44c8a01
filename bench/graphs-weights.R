# Heavy edges: adjusted Rand index of the methods for graphs on three planted groups with random edge weights,
# whose weights above 3 medians are lowered for counts, starts and block models.
#   Rscript bench/graphs-weights.R [graphs]     (package installed, from the root; a minute for 6 graphs)
suppressPackageStartupMessages(library(kgroups))
source("bench/graphs-common.R")
graphs <- as.integer(c(commandArgs(TRUE), 6)[1])
quiet <- function(code) suppressWarnings(suppressMessages(code))
draws <- list(
  "one edge of 10" = function(m) replace(rep(1, m), 5, 10), "one edge of 100" = function(m) replace(rep(1, m), 5, 100),
  uniform = function(m) runif(m, 0.5, 1.5), exponential = rexp, "log-normal, sigma 1.5" = function(m) exp(rnorm(m, 0, 1.5))
)
for (name in names(draws)) {
  scores <- vapply(seq_len(graphs), function(i) {
    set.seed(i)
    graph <- sample_sparse_sbm(300, 3, 12, 1.8)
    weights <- draws[[name]](igraph::ecount(graph))
    found <- quiet(list(
      cluster_bethe_hessian(graph, 3, weights), cluster_kgroups(graph, 3, weights),
      cluster_belief_propagation(graph, 3, weights), cluster_communities(graph, weights = weights)
    ))
    c(vapply(found, function(one) compare_clusters(igraph::V(graph)$block, one), 0), length(found[[4L]]))
  }, numeric(5))
  cat(sprintf("%-22s Bethe Hessian %.3f  k-groups %.3f  belief propagation %.3f  communities %.3f (k %.1f)\n",
    name, mean(scores[1, ]), mean(scores[2, ]), mean(scores[3, ]), mean(scores[4, ]), mean(scores[5, ])))
}
