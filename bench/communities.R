# Communities and their number: cluster_communities() and Leiden's partition of largest modularity on drawn graphs.
#
#   Rscript bench/communities.R [DRAWS [SEED [KIND,...]]] > bench/communities.md
#
# Adjusted Rand index with the groups that were drawn; without communities, the share of graphs left in one. Isolated
# vertices and small components are left out of both. Seconds are processor time of cluster_communities(). Seeds up to
# 710000 and from 990000 to 999000 set the constants of R/graph-leiden.R. KIND "real" is the networks of igraphdata, by
# their modularity. The ring of 200 cliques, the same for every seed, set the least stability too.
suppressPackageStartupMessages({
  library(kgroups)
  library(igraph)
})
arguments <- commandArgs(TRUE)
draws <- if (length(arguments)) as.integer(arguments[1L]) else 2L
seed <- if (length(arguments) > 1L) as.numeric(arguments[2L]) else 910000

nearest <- function(x, k) {
  norm <- rowSums(x^2)
  do.call(rbind, lapply(split(seq_len(nrow(x)), (seq_len(nrow(x)) - 1L) %/% 500L), function(rows) {
    d <- outer(norm[rows], norm, "+") - 2 * tcrossprod(x[rows, , drop = FALSE], x)
    d[cbind(seq_along(rows), rows)] <- Inf
    t(apply(d, 1L, function(one) order(one)[seq_len(k)]))
  }))
}
neighbours <- function(x, k) simplify(make_graph(rbind(rep(seq_len(nrow(x)), k), c(nearest(x, k))), n = nrow(x), directed = FALSE))
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
  centres <- matrix(rnorm(k * columns), k) * apart
  list(x = centres[block, , drop = FALSE] + matrix(rnorm(n * columns), n), block = block)
}
of_clouds <- function(make, nn, n, k, columns, apart, share = rep(1, k)) function() {
  d <- clouds(n, k, columns, apart, share)
  set_vertex_attr(make(d$x, nn), "block", value = d$block)
}
sbm <- function(sizes, degree, lambda) function() { # lambda = (a-b)/(k sqrt d)
  k <- length(sizes)
  n <- sum(sizes)
  a <- degree + (k - 1) * lambda * sqrt(degree)
  b <- degree - lambda * sqrt(degree)
  P <- matrix(max(b, 0) / n, k, k)
  diag(P) <- a / n
  set_vertex_attr(sample_sbm(n, P, sizes), "block", value = rep(seq_along(sizes), sizes))
}
sbm_ab <- function(sizes, inside, outside) function() {
  k <- length(sizes)
  set_vertex_attr(sample_sbm(sum(sizes), diag(inside - outside, k) + outside, sizes), "block", value = rep(seq_along(sizes), sizes))
}
hubs <- function(sizes, degree, ratio, tail) function() {
  block <- rep(seq_along(sizes), sizes)
  n <- length(block)
  theta <- pmin(runif(n)^(-1 / tail), sqrt(n))
  R <- outer(theta, theta) * ifelse(outer(block, block, "=="), ratio, 1)
  R <- R * degree * n / sum(R)
  e <- which(upper.tri(R) & matrix(runif(n * n), n) < R, arr.ind = TRUE)
  set_vertex_attr(make_graph(t(e), n = n, directed = FALSE), "block", value = block)
}
# LFR-like: degrees of tail 2 from 8 to 50, sizes of tail 1 in a range, a share mu of the ends outside
lfr <- function(n, mu, sizes = c(20, 100)) function() {
  power <- function(m, lo, hi, a) (lo^(1 - a) + runif(m) * (hi^(1 - a) - lo^(1 - a)))^(1 / (1 - a))
  s <- integer()
  while (sum(s) < n) s <- c(s, round(power(1, sizes[1], sizes[2], 1.01)))
  s[length(s)] <- s[length(s)] - (sum(s) - n)
  if (s[length(s)] < sizes[1] && length(s) > 1) {
    s[length(s) - 1] <- s[length(s) - 1] + s[length(s)]
    s <- s[-length(s)]
  }
  block <- rep(seq_along(s), s)
  d <- round(power(n, 8, 50, 2))
  ins <- pmin(round((1 - mu) * d), s[block] - 1)
  out <- pmax(d - ins, 0)
  v <- rep(seq_len(n), ins)
  v <- v[order(block[v], runif(length(v)))]
  if (length(v) %% 2) v <- v[-1]
  u <- rep(seq_len(n), out)
  u <- u[order(runif(length(u)))]
  if (length(u) %% 2) u <- u[-1]
  set_vertex_attr(simplify(make_graph(c(v, u), n = n, directed = FALSE)), "block", value = block)
}
caveman <- function(k, size, p) function() {
  g <- Reduce(`%du%`, rep(list(make_full_graph(size)), k))
  n <- k * size
  g <- simplify(rewire(g, each_edge(p)))
  set_vertex_attr(g, "block", value = rep(seq_len(k), each = size))
}
cliques <- function(k, size) function() {
  g <- Reduce(`%du%`, rep(list(make_full_graph(size)), k))
  f <- (seq_len(k) - 1) * size
  set_vertex_attr(add_edges(g, c(rbind(f + 1, c(f[-1], 0) + 2))), "block", value = rep(seq_len(k), each = size))
}
similarities <- function(n, k, columns, apart, least = 0) function() {
  d <- clouds(n, k, columns, apart)
  D <- as.matrix(dist(d$x))
  A <- exp(-D^2 / (2 * columns))
  A[A < least] <- 0
  diag(A) <- 0
  set_vertex_attr(graph_from_adjacency_matrix(A, "undirected", weighted = TRUE), "block", value = d$block)
}
wgcna <- function(k, genes, samples, noise, power = 6) function() {
  block <- rep(seq_len(k), genes / k)
  x <- matrix(rnorm(samples * k), samples)[, block] + noise * matrix(rnorm(samples * length(block)), samples)
  A <- abs(cor(x))^power
  A[A < .02] <- 0
  diag(A) <- 0
  set_vertex_attr(graph_from_adjacency_matrix(A, "undirected", weighted = TRUE), "block", value = block)
}
two_mode <- function(n, k, events, own) function() {
  block <- rep_len(seq_len(k), n)
  of <- rep_len(seq_len(k), events)
  B <- matrix(runif(n * events) < ifelse(outer(block, of, "=="), own[1], own[2]), n) + 0
  A <- tcrossprod(B)
  diag(A) <- 0
  set_vertex_attr(graph_from_adjacency_matrix(A, "undirected", weighted = TRUE), "block", value = block)
}
multigraph <- function(n, k, degree, ratio) function() {
  block <- rep_len(seq_len(k), n)
  R <- outer(rgamma(n, 2), rgamma(n, 2))
  R <- (R + t(R)) * ifelse(outer(block, block, "=="), ratio, 1)
  # few pairs are in contact, often
  R <- R * matrix(rbinom(n * n, 1, .15), n)
  R[lower.tri(R, TRUE)] <- 0
  R <- R * degree * n / 2 / sum(R)
  m <- rpois(n * n, R)
  e <- which(matrix(m, n) > 0, arr.ind = TRUE)
  times <- m[m > 0]
  set_vertex_attr(make_graph(t(e[rep(seq_len(nrow(e)), times), ]), n = n, directed = FALSE), "block", value = block)
}
# Four groups of 50, or others, and weights of draw(within), within = both ends in one group
with_weights <- function(sizes, inside, outside, draw) function() {
  graph <- sbm_ab(sizes, inside, outside)()
  ends <- as_edgelist(graph, names = FALSE)
  block <- V(graph)$block
  set_edge_attr(graph, "weight", value = draw(block[ends[, 1]] == block[ends[, 2]]))
}
even <- rep(50, 4)
steep <- 2^-(0:5)
families <- list(
  clouds = list(
    "6 p2 nn15" = of_clouds(neighbours, 15, 800, 6, 2, 4), "6 p5 nn15" = of_clouds(neighbours, 15, 800, 6, 5, 2),
    "6 p10 nn5" = of_clouds(neighbours, 5, 800, 6, 10, 1.3), "6 p10 nn15" = of_clouds(neighbours, 15, 800, 6, 10, 1.3),
    "6 p10 nn30" = of_clouds(neighbours, 30, 800, 6, 10, 1.3), "6 p30 nn15" = of_clouds(neighbours, 15, 800, 6, 30, .8),
    "6 p50 nn15" = of_clouds(neighbours, 15, 800, 6, 50, .6), "6 p10 steep" = of_clouds(neighbours, 15, 1500, 6, 10, 1.4, steep),
    "6 p5 steep" = of_clouds(neighbours, 15, 1500, 6, 5, 2.2, steep), "20 p10 nn15" = of_clouds(neighbours, 15, 1500, 20, 10, 1.4),
    "20 p30 nn15" = of_clouds(neighbours, 15, 1500, 20, 30, .8), "20 p10 unequal" = of_clouds(neighbours, 15, 2000, 20, 10, 1.5, 1 / (1:20)),
    "50 p10 nn15" = of_clouds(neighbours, 15, 2500, 50, 10, 1.6), "3 p2 nn15" = of_clouds(neighbours, 15, 800, 3, 2, 4),
    "2 p5 nn15" = of_clouds(neighbours, 15, 500, 2, 5, 1.5), "6 p10 overlap" = of_clouds(neighbours, 15, 800, 6, 10, .95),
    "20 p10 overlap" = of_clouds(neighbours, 15, 1500, 20, 10, 1.05),
    "snn 6 p10" = of_clouds(shared, 15, 800, 6, 10, 1.3), "snn 20 p10" = of_clouds(shared, 15, 1500, 20, 10, 1.4),
    "snn 6 p30 steep" = of_clouds(shared, 20, 1500, 6, 30, .8, steep)),
  blocks = list(
    "k5 d3 l1.55" = sbm(rep(200, 5), 3, 1.55), "k5 d3 l1.24" = sbm(rep(200, 5), 3, 1.24), "k10 d8 l1.5" = sbm(rep(100, 10), 8, 1.5),
    "k20 d10 l1.6" = sbm(rep(100, 20), 10, 1.6), "k2 d10 l1.3" = sbm(rep(300, 2), 10, 1.3),
    "600/200/100/100" = sbm_ab(c(600, 200, 100, 100), .02, .003), "500/300/200" = sbm_ab(c(500, 300, 200), .012, .003),
    "tail 2.5 k4" = hubs(rep(250, 4), 8, 6, 2.5), "tail 2 k4 uneven" = hubs(c(450, 300, 150, 100), 8, 9, 2),
    "tail 1.5 k4" = hubs(rep(250, 4), 8, 6, 1.5), "tail 1.8 k8" = hubs(rep(150, 8), 10, 20, 1.8)),
  cliques = list(
    "lfr 500 .2" = lfr(500, .2), "lfr 500 .4" = lfr(500, .4), "lfr 500 .5" = lfr(500, .5), "lfr 1500 .3" = lfr(1500, .3),
    "lfr 1500 .5" = lfr(1500, .5), "lfr small 1500 .4" = lfr(1500, .4, c(10, 50)), "caveman .1" = caveman(30, 6, .1),
    "caveman .3" = caveman(30, 6, .3), "60 cliques" = cliques(60, 5), "200 cliques" = cliques(200, 5)),
  weighted = list(
    "wgcna 6" = wgcna(6, 600, 30, 1), "similarities 4 p5" = similarities(300, 4, 5, 1.6), "similarities cut 6 p10" = similarities(400, 6, 10, 1, .1),
    "two-mode clear" = two_mode(400, 4, 80, c(.15, .02)), "two-mode" = two_mode(400, 4, 80, c(.1, .02)), "two-mode weak" = two_mode(400, 4, 80, c(.07, .03)),
    "edges and weights" = with_weights(even, .18, .02, function(same) rgamma(length(same), 2) * (1 + same)),
    "weights alone" = with_weights(even, .1, .1, function(same) rgamma(length(same), 2) * (1 + 3 * same)),
    "exponential at random" = with_weights(even, .18, .02, function(same) rexp(length(same))),
    "log-normal at random" = with_weights(even, .18, .02, function(same) rlnorm(length(same), 0, 2)),
    "120, 50, 30, counts" = with_weights(c(120, 50, 30), .18, .03, function(same) 1 + rpois(length(same), 1 + 2 * same)),
    "complete, weights" = with_weights(rep(30, 3), 1, 1, function(same) rgamma(length(same), 2) * (1 + 2 * same)),
    "multigraph clear" = multigraph(400, 4, 12, 8), "multigraph 6" = multigraph(400, 4, 12, 6),
    "multigraph" = multigraph(400, 4, 12, 4), "multigraph weak" = multigraph(400, 4, 8, 3)),
  none = list(
    "weights at random" = with_weights(150, .06, .06, function(same) rgamma(length(same), 2)),
    "random 3" = function() sample_gnm(400, 600), "random 8" = function() sample_gnm(400, 1600), "random 20" = function() sample_gnm(400, 4000),
    "tail 1.5" = function() sample_fitness(1600, runif(400)^(-1 / 1.5)), "attachment" = function() sample_pa(400, m = 3, directed = FALSE),
    "tree" = function() sample_tree(400), "ring" = function() make_ring(400), "lattice" = function() make_lattice(c(20, 20)),
    "small world 0" = function() sample_smallworld(1, 400, 4, 0), "small world .05" = function() sample_smallworld(1, 400, 4, .05),
    "small world .2" = function() sample_smallworld(1, 400, 4, .2), "cloud p2" = of_clouds(neighbours, 10, 400, 1, 2, 1),
    "cloud p3" = of_clouds(neighbours, 10, 400, 1, 3, 1), "cloud p5" = of_clouds(neighbours, 10, 400, 1, 5, 1),
    "cloud p10" = of_clouds(neighbours, 10, 400, 1, 10, 1), "cloud p30" = of_clouds(neighbours, 10, 400, 1, 30, 1),
    "cloud p30 n800" = of_clouds(neighbours, 15, 800, 1, 30, 1),
    "cloud p40 nn15 n1500" = of_clouds(neighbours, 15, 1500, 1, 40, 1), "cloud p10 nn30 n300" = of_clouds(neighbours, 30, 300, 1, 10, 1),
    "cloud p6 n100" = of_clouds(neighbours, 8, 100, 1, 6, 1), "snn cloud p10" = of_clouds(shared, 10, 400, 1, 10, 1),
    "geometric .1" = function() sample_grg(400, .1), "geometric .15" = function() sample_grg(400, .15),
    "strip" = function() neighbours(cbind(runif(400, 0, 4), runif(400)), 10),
    "ellipse" = of_clouds(function(x, k) neighbours(x * rep(c(3, 1), each = nrow(x)), k), 10, 400, 1, 2, 1)))

# Return c(score, k, seconds, Leiden's score) of one graph.
measured <- function(draw, seed) {
  set.seed(seed)
  graph <- draw()
  block <- vertex_attr(graph, "block")
  part <- components(graph)
  inside <- which(part$membership == which.max(part$csize))
  none <- length(unique(block)) < 2L
  score <- function(labels) {
    one <- length(unique(labels[inside])) == 1L
    if (none || one) as.numeric(none && one) else compare_clusters(block[inside], labels[inside])
  }
  time <- system.time(found <- suppressWarnings(suppressMessages(cluster_communities(graph))))
  labels <- as.integer(membership(found))
  leiden <- as.integer(membership(cluster_leiden(graph, "modularity", n_iterations = 10)))
  c(score(labels), length(unique(labels[inside])), sum(time[1:2]), score(leiden))
}
kinds <- if (length(arguments) > 2L) intersect(strsplit(arguments[3L], ",")[[1L]], names(families)) else names(families)
cat("# Communities\n\nMade by `bench/communities.R`, whose head explains the columns;", draws, "draws a family, seed", seed, "\n")
for (kind in kinds) {
  cat("\n| ", kind, " | score | k | seconds | Leiden |\n|", strrep("---|", 5), "\n", sep = "")
  all <- vapply(families[[kind]], function(family) {
    vapply(seed + seq_len(draws), function(one) measured(family, one), numeric(4))
  }, matrix(0, 4, draws))
  rows <- apply(all, c(1, 3), mean)
  rows <- cbind(rows, mean = rowMeans(rows))
  cat(sprintf("| %s | %.2f | %.1f | %.2f | %.2f |\n", colnames(rows), rows[1, ], rows[2, ], rows[3, ], rows[4, ]), sep = "")
  if (draws > 1L) {
    # with these families fixed: over the draws
    se <- function(values) sqrt(sum(apply(values, 2, stats::var) / draws)) / ncol(values)
    cat(sprintf(
      "\nStandard errors of the means: %.3f, Leiden %.3f; of the difference (%.3f) %.3f.\n", se(all[1, , ]), se(all[4, , ]),
      mean(all[1, , ] - all[4, , ]), se(all[1, , ] - all[4, , ])
    ))
  }
}

# Networks of igraphdata: modularity with all weights; index with the labels of the vertices, if there are some.
real_row <- function(name) {
  set.seed(seed)
  home <- new.env()
  utils::data(list = name, package = "igraphdata", envir = home)
  graph <- as.undirected(upgrade_graph(home[[name]]), mode = "each")
  time <- system.time(found <- suppressWarnings(suppressMessages(cluster_communities(graph))))
  label <- vertex_attr(graph, c(karate = "Faction", UKfaculty = "Group", yeast = "Class")[name])
  known <- which(!is.na(label))
  both <- vapply(list(found, cluster_leiden(graph, "modularity", n_iterations = 10)), function(one) {
    labels <- as.integer(membership(one))
    index <- if (length(known)) compare_clusters(as.integer(factor(label[known])), labels[known]) else NA
    c(modularity(graph, labels, weights = E(graph)$weight), index)
  }, numeric(2))
  passed <- if (is.null(found$passed)) "-" else sprintf("%d, %.2f", found$passed$k, found$passed$stability)
  cat(sprintf(
    "| %s | %d | %s | %s | %.3f | %.3f | %.2f | %.2f | %.2f |\n", name, length(found), found$rule, passed,
    both[1, 1], both[1, 2], both[2, 1], both[2, 2], sum(time[1:2])
  ))
}
if ((length(arguments) < 3L || "real" %in% strsplit(arguments[3L], ",")[[1L]]) && requireNamespace("igraphdata", quietly = TRUE)) {
  cat("\n| real | k | rule | passed over: k, stability | modularity | Leiden | index | Leiden | seconds |\n|", strrep("---|", 9), "\n", sep = "")
  for (name in c("karate", "UKfaculty", "macaque", "immuno", "yeast", "rfid", "enron", "USairports")) real_row(name)
}
