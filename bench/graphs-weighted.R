# Communities of graphs with edge weights: adjusted Rand index of cluster_communities() with and without the number of
# communities, from the edges alone, and of igraph's methods, on planted graphs.
#
#   Rscript bench/graphs-weighted.R [GRAPHS] > bench/graphs-weighted.md

suppressPackageStartupMessages({
  library(kgroups)
  library(igraph)
})
arguments <- commandArgs(TRUE)
graphs <- if (length(arguments)) as.integer(arguments[1L]) else 10L

# Return the graph with the attribute `block`, and weights of `draw(within)`, within = both ends in one block.
planted <- function(sizes, inside, outside, draw) {
  block <- rep(seq_along(sizes), sizes)
  graph <- sample_sbm(length(block), diag(inside - outside, length(sizes)) + outside, sizes)
  ends <- as_edgelist(graph, names = FALSE)
  graph <- set_edge_attr(graph, "weight", value = draw(block[ends[, 1]] == block[ends[, 2]]))
  set_vertex_attr(graph, "block", value = block)
}
# Return the graph of similarities of points on the plane; of the 10 nearest neighbours only if `nearest`.
similar <- function(n, k, apart, nearest) {
  block <- rep_len(seq_len(k), n)
  x <- matrix(stats::rnorm(2 * n), n) + apart * cbind(block %% 2, block > 2)
  d <- as.matrix(stats::dist(x))
  A <- exp(-d^2 / 2)
  if (nearest) {
    near <- t(apply(d, 1, rank)) <= 11
    A <- A * (near | t(near))
  }
  diag(A) <- 0
  set_vertex_attr(graph_from_adjacency_matrix(A, "undirected", weighted = TRUE), "block", value = block)
}
even <- rep(50, 4)
designs <- list(
  "groups in edges and weights" = function() planted(
    even, 0.18, 0.02, function(same) stats::rgamma(length(same), 2) * (1 + same)
  ),
  "groups in weights alone" = function() planted(
    even, 0.1, 0.1, function(same) stats::rgamma(length(same), 2) * (1 + 3 * same)
  ),
  "exponential weights at random" = function() planted(even, 0.18, 0.02, function(same) stats::rexp(length(same))),
  "log-normal weights (sd 2) at random" = function() planted(
    even, 0.18, 0.02, function(same) stats::rlnorm(length(same), 0, 2)
  ),
  "sizes 120, 50, 30, counts" = function() planted(
    c(120, 50, 30), 0.18, 0.03, function(same) 1 + stats::rpois(length(same), 1 + 2 * same)
  ),
  "complete graph, groups in weights" = function() planted(
    rep(30, 3), 1, 1, function(same) stats::rgamma(length(same), 2) * (1 + 2 * same)
  ),
  "similarities of points" = function() similar(120, 3, 3.5, FALSE),
  "similarities of 10 neighbours" = function() similar(200, 4, 3, TRUE),
  "no communities" = function() planted(150, 0.06, 0.06, function(same) stats::rgamma(length(same), 2))
)
methods <- list(
  "cluster_communities()" = function(g, k) cluster_communities(g),
  "k known" = function(g, k) cluster_communities(g, k),
  "edges alone" = function(g, k) cluster_communities(g, weights = NA),
  "Leiden" = function(g, k) cluster_leiden(g, "modularity", n_iterations = 4),
  "Louvain" = function(g, k) cluster_louvain(g),
  "walktrap" = function(g, k) cluster_walktrap(g)
)
# With one block the score is 1 if one community is found, else 0.
score <- function(block, found) {
  if (max(block) == 1L) as.numeric(length(found) == 1L) else compare_clusters(block, found)
}
rows <- lapply(designs, function(design) {
  all <- vapply(seq_len(graphs), function(i) {
    set.seed(18000 + i)
    graph <- design()
    block <- V(graph)$block
    vapply(methods, function(method) {
      time <- system.time(found <- suppressMessages(method(graph, max(block))))
      c(score(block, found), sum(time[1:2]))
    }, c(0, 0))
  }, matrix(0, 2, length(methods)))
  c(sprintf("%.2f", rowMeans(all[1, , ])), sprintf("%.1f", mean(all[2, 1, ])))
})
cat(
  "# Communities of graphs with edge weights\n\nMade by `bench/graphs-weighted.R`:", graphs,
  "graphs a design, adjusted Rand index; "
)
cat("without communities, the share of graphs left in one. Seconds are processor time of cluster_communities().\n\n")
cat(
  "| ", paste(c("design", names(methods), "seconds"), collapse = " | "), "|\n|", strrep("---|", length(methods) + 2),
  "\n", sep = ""
)
for (name in names(rows)) cat("|", paste(c(name, rows[[name]]), collapse = " | "), "|\n")
