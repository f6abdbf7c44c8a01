# Graphs of neighbours, and graphs without communities: cluster_communities() and Leiden's partition of largest modularity.
#
#   Rscript bench/neighbour-graphs.R [GRAPHS [GRAPHS WITHOUT]] > bench/neighbour-graphs.md
#
# Adjusted Rand index with the clouds; without communities, the share of graphs left in one. Isolated vertices and bits
# that are detached from the largest component are left out of both. Seconds are processor time of cluster_communities().
suppressPackageStartupMessages({
  library(kgroups)
  library(igraph)
})
arguments <- commandArgs(TRUE)
graphs <- if (length(arguments)) as.integer(arguments) else 20L

# Return the places of the k nearest rows.
nearest <- function(x, k) {
  norm <- rowSums(x^2)
  do.call(rbind, lapply(split(seq_len(nrow(x)), (seq_len(nrow(x)) - 1L) %/% 500L), function(rows) {
    d <- outer(norm[rows], norm, "+") - 2 * tcrossprod(x[rows, , drop = FALSE], x)
    d[cbind(seq_along(rows), rows)] <- Inf
    t(apply(d, 1L, function(one) {
      near <- which(one <= sort(one, partial = k)[k])
      near[order(one[near])][seq_len(k)]
    }))
  }))
}
# Return the graph in which each row is joined to its k nearest rows.
neighbours <- function(x, k) {
  ends <- rbind(rep(seq_len(nrow(x)), k), c(nearest(x, k)))
  simplify(make_graph(ends, n = nrow(x), directed = FALSE))
}
# Return the graph of shared neighbours: Jaccard indices of the sets of k neighbours and the row itself, if above 1/15.
shared <- function(x, k) {
  n <- nrow(x)
  A <- Matrix::sparseMatrix(c(rep(seq_len(n), k), seq_len(n)), c(nearest(x, k), seq_len(n)), x = 1, dims = c(n, n))
  both <- methods::as(Matrix::tcrossprod(A), "generalMatrix")
  both@x <- both@x / (2 * (k + 1) - both@x)
  both@x[both@x < 1 / 15] <- 0
  graph_from_adjacency_matrix(Matrix::drop0(both), "undirected", weighted = TRUE, diag = FALSE)
}
clouds <- function(n, k, columns, apart, share = rep(1, k)) {
  block <- sort(sample.int(k, n, TRUE, share))
  centres <- matrix(stats::rnorm(k * columns), k) * apart
  list(x = centres[block, , drop = FALSE] + matrix(stats::rnorm(n * columns), n), block = block)
}
of_clouds <- function(make, k, ...) {
  function() {
    drawn <- clouds(...)
    set_vertex_attr(make(drawn$x, k), "block", value = drawn$block)
  }
}
pareto_degrees <- function(n, tail) {
  theta <- stats::runif(n)^(-1 / tail)
  sample_fitness(4 * n, theta)
}

with_clouds <- list(
  "6 clouds, 15 neighbours, n = 800" = of_clouds(neighbours, 15, 800, 6, 10, 1.5),
  "6 clouds, 15 neighbours, n = 1500" = of_clouds(neighbours, 15, 1500, 6, 10, 1.5),
  "6 clouds, 5 neighbours, n = 1500" = of_clouds(neighbours, 5, 1500, 6, 10, 1.5),
  "20 clouds, 15 neighbours, n = 2400" = of_clouds(neighbours, 15, 2400, 20, 10, 1.5),
  "3 clouds in 2 columns, 15 neighbours, n = 1500" = of_clouds(neighbours, 15, 1500, 3, 2, 4),
  "3 clouds of sizes .8, .15, .05, n = 1500" = of_clouds(neighbours, 15, 1500, 3, 10, 1.5, c(.8, .15, .05)),
  "6 clouds, shared neighbours with weights, n = 1500" = of_clouds(shared, 15, 1500, 6, 10, 1.5),
  "20 clouds, shared neighbours with weights, n = 2400" = of_clouds(shared, 15, 2400, 20, 10, 1.5)
)
without <- list(
  "random, mean degree 3" = function() sample_gnm(400, 600),
  "random, mean degree 8" = function() sample_gnm(400, 1600),
  "random, mean degree 20" = function() sample_gnm(400, 4000),
  "regular, degree 4" = function() sample_k_regular(400, 4),
  "degrees of tail 1.5" = function() pareto_degrees(400, 1.5),
  "preferential attachment" = function() sample_pa(400, m = 3, directed = FALSE),
  "tree" = function() sample_tree(400),
  "ring" = function() make_ring(400),
  "lattice" = function() make_lattice(c(20, 20)),
  "small world, 0 rewired" = function() sample_smallworld(1, 400, 4, 0),
  "small world, .05 rewired" = function() sample_smallworld(1, 400, 4, 0.05),
  "small world, .2 rewired" = function() sample_smallworld(1, 400, 4, 0.2),
  "one cloud, 30 columns" = of_clouds(neighbours, 10, 400, 1, 30, 1),
  "one cloud, 10 columns" = of_clouds(neighbours, 10, 400, 1, 10, 1),
  "one cloud, 5 columns" = of_clouds(neighbours, 10, 400, 1, 5, 1),
  "one cloud, 3 columns" = of_clouds(neighbours, 10, 400, 1, 3, 1),
  "one cloud, 2 columns" = of_clouds(neighbours, 10, 400, 1, 2, 1),
  "one cloud, 2 columns, 30 neighbours, n = 300" = of_clouds(neighbours, 30, 300, 1, 2, 1),
  "one cloud, 3 columns, 30 neighbours, n = 300" = of_clouds(neighbours, 30, 300, 1, 3, 1),
  "one cloud, 10 columns, 30 neighbours, n = 300" = of_clouds(neighbours, 30, 300, 1, 10, 1),
  "one cloud, 10 columns, 30 neighbours, n = 500" = of_clouds(neighbours, 30, 500, 1, 10, 1),
  "one cloud, 40 columns, 5 neighbours, n = 500" = of_clouds(neighbours, 5, 500, 1, 40, 1),
  "one cloud, 40 columns, 10 neighbours, n = 500" = of_clouds(neighbours, 10, 500, 1, 40, 1),
  "one cloud, 40 columns, 15 neighbours, n = 1500" = of_clouds(neighbours, 15, 1500, 1, 40, 1),
  "one cloud, 200 columns, 15 neighbours, n = 500" = of_clouds(neighbours, 15, 500, 1, 200, 1),
  "one cloud, 6 columns, 8 neighbours, n = 50" = of_clouds(neighbours, 8, 50, 1, 6, 1),
  "one cloud, 6 columns, 8 neighbours, n = 100" = of_clouds(neighbours, 8, 100, 1, 6, 1),
  "one cloud, 10 columns, shared neighbours" = of_clouds(shared, 10, 400, 1, 10, 1),
  "geometric, 2 columns" = function() sample_grg(400, 0.1),
  "geometric, 3 columns" = function() neighbours(matrix(stats::runif(1200), 400), 8)
)

# Return c(k, score, seconds, Leiden's k and score) of one graph.
measured <- function(draw, seed) {
  set.seed(seed)
  graph <- draw()
  block <- vertex_attr(graph, "block")
  part <- components(graph)
  inside <- which(part$membership == which.max(part$csize))
  score <- function(found) {
    found <- as.integer(membership(found))[inside]
    k <- length(unique(found))
    c(k, if (length(unique(block)) > 1L) compare_clusters(block[inside], found) else as.numeric(k == 1L))
  }
  time <- system.time(found <- suppressMessages(cluster_communities(graph)))
  c(score(found), sum(time[1:2]), score(cluster_leiden(graph, "modularity", n_iterations = 4)))
}
report <- function(designs, first, graphs, title) {
  cat("\n| ", title, " | graphs | k | score | Leiden's k | its score | seconds |\n|", strrep("---|", 7), "\n", sep = "")
  for (name in names(designs)) {
    all <- vapply(first + seq_len(graphs), function(seed) measured(designs[[name]], seed), numeric(5))
    mean <- rowMeans(all)
    cat(sprintf(
      "| %s | %d | %.1f | %.2f | %.1f | %.2f | %.2f |\n", name, graphs, mean[1], mean[2], mean[4], mean[5], mean[3]
    ))
  }
}
cat("# Graphs of neighbours\n\nMade by `bench/neighbour-graphs.R`, whose head explains the columns.\n")
# seeds up to 872000 set constants of the rule
report(with_clouds, 881000, graphs[1L], "clouds: adjusted Rand index")
report(without, 882000, graphs[length(graphs)], "without communities: share left in one")
