# The paper's experiments on graphs, and the report of all benches of graphs.
#   Rscript bench/graphs.R PART [GRAPHS]
#
#   girvan-newman        Table I of the paper: n = 128, four groups of 32, mean degree 16
#   girvan-newman-drawn  the same, each vertex in a group drawn at random, so that sizes vary
#   phase                Figure 5 of the paper: n = 1000, mean degree 3, 2, 5 and 15 groups
#   report               writes bench/graphs.md from the csv files
#
# The first three put mean overlaps into vignettes/graphs.csv. Every method sees the same graphs;
# graph i of a setting comes from seed i. The other benches: graphs-models.R (models, hubs, uneven
# groups), graphs-real.R (real graphs), graphs-size.R (time and memory).
source("bench/graphs-common.R")
arguments <- commandArgs(TRUE)
part <- if (length(arguments)) arguments[1] else ""
graphs <- function(default) if (length(arguments) > 1) as.integer(arguments[2]) else default

# ---- the paper's experiments ----

quiet <- suppressMessages
methods <- list(
  "paper Bethe" = function(g, k) cluster_bethe_hessian(g, k, normalize = FALSE),
  "paper k-groups" = function(g, k) cluster_kgroups(g, k, normalize = FALSE, vertex_weights = "degree"),
  "Bethe Hessian" = function(g, k) cluster_bethe_hessian(g, k),
  "k-groups" = function(g, k) quiet(cluster_kgroups(g, k)),
  "belief propagation" = function(g, k) quiet(cluster_belief_propagation(g, k))
)

# Mean overlap of every method at every setting.
overlaps <- function(settings, n, degree, graphs, drawn = FALSE) {
  do.call(rbind, lapply(seq_len(nrow(settings)), function(row) {
    k <- settings$k[row]
    snr <- settings$snr[row]
    rate <- sbm_rates(k, degree, snr)
    scores <- do.call(rbind, lapply(seq_len(graphs), function(i) {
      set.seed(i)
      graph <- if (drawn) {
        sizes <- tabulate(sample.int(k, n, replace = TRUE), k)
        planted(of_sizes(sizes), rep(1, n), rate[["a"]], rate[["b"]])
      } else {
        sample_sparse_sbm(n, k, degree, snr)
      }
      block <- igraph::V(graph)$block
      got <- vapply(methods, function(method) clustering_overlap(block, method(graph, k)), 0)
      if (drawn) got else c(got, limit = clustering_overlap(block, belief_limit(graph, block, rate[["a"]], rate[["b"]])))
    }))
    message("k = ", k, ", lambda = ", snr)
    data.frame(
      case = if (nlevels(factor(settings$k)) > 1) sprintf("k = %d, lambda = %g", k, snr) else format(snr),
      method = colnames(scores), graphs = graphs, value = round(colMeans(scores), 4),
      se = round(apply(scores, 2, sd) / sqrt(graphs), 4), row.names = NULL
    )
  }))
}

if (part %in% c("girvan-newman", "girvan-newman-drawn", "phase")) library(kgroups)
if (part == "girvan-newman") {
  settings <- data.frame(k = 4, snr = c(0.6, 1.1, 1.5, 1.8, 2, 2.5, 3.5))
  page_rows(part, overlaps(settings, 128, 16, graphs(100L)))
} else if (part == "girvan-newman-drawn") {
  page_rows(part, overlaps(data.frame(k = 4, snr = c(1.5, 1.8, 2)), 128, 16, graphs(100L), drawn = TRUE))
} else if (part == "phase") {
  settings <- expand.grid(snr = c(0.8, 1, 1.1, 1.237, 1.395, 1.553, 1.658), k = c(2, 5, 15))
  page_rows(part, overlaps(settings, 1000, 3, graphs(24L)))
} else if (part != "report") {
  stop("PART is one of girvan-newman, girvan-newman-drawn, phase, report")
}
