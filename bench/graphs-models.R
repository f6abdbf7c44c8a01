# Block models chosen by evidence: Rscript bench/graphs-models.R [GRAPHS [FILE]]
#
# Families of planted groups, GRAPHS of each (24), graph i from seed 52000 + i:
#   accuracy  overlap (planted partition) or adjusted Rand index of every way, and of the same
#             belief propagation started from the planted groups
#   models    which model the evidence picks, 10 graphs from each of the six models
#   none      graphs without groups: is the answer of cluster_communities() one group?
# Writes bench/graphs-models.csv (a row a graph) and prints the summary that TESTING quotes.
library(kgroups)
source("bench/belief-limit.R")
arguments <- commandArgs(TRUE)
graphs <- if (length(arguments)) as.integer(arguments[1]) else 24L
file <- if (length(arguments) > 1) arguments[2] else "bench/graphs-models.csv"
quiet <- suppressMessages
models <- c("plain", "plain_p", "dc", "dc_p", "dc_norm", "dc_norm_bins")

# Expected degrees theta (mean 1) times the rates of the groups; probabilities cut at 1.
planted <- function(block, theta, a, b) {
  n <- length(block)
  P <- outer(theta, theta) * ifelse(outer(block, block, "=="), a, b) / n
  ends <- which(upper.tri(P) & matrix(runif(n * n), n) < P, arr.ind = TRUE)
  graph <- igraph::make_graph(t(ends), n = n, directed = FALSE)
  igraph::set_vertex_attr(graph, "block", value = block)
}
pareto <- function(n, tail) {
  theta <- runif(n)^(-1 / tail)
  theta / mean(theta)
}
of_sizes <- function(sizes) rep(seq_along(sizes), sizes)
rates <- function(k, degree, snr) {
  c(degree + (k - 1) * snr * sqrt(degree), degree - snr * sqrt(degree))
}
hubs <- function(sizes, tail) {
  r <- rates(length(sizes), 8, 1.4)
  planted(of_sizes(sizes), pareto(sum(sizes), tail), r[1], r[2])
}
even <- rep(250, 4)

families <- list(
  "planted partition, lambda 1.553" = list(function() sample_sparse_sbm(1000, 5, 3, 1.553), 5, 1.553),
  "planted partition, lambda 1.237" = list(function() sample_sparse_sbm(1000, 5, 3, 1.237), 5, 1.237),
  "degrees of tail 2.5" = list(function() hubs(even, 2.5), 4),
  "degrees of tail 2" = list(function() hubs(even, 2), 4),
  "degrees of tail 1.5" = list(function() hubs(even, 1.5), 4),
  "tail 2, sizes 450/300/150/100" = list(function() planted(of_sizes(c(450, 300, 150, 100)), pareto(1000, 2), 22, 2.5), 4),
  "sizes 600/200/100/100" = list(function() planted(of_sizes(c(600, 200, 100, 100)), rep(1, 1000), 13, 2), 4),
  "sizes 500/300/200" = list(function() planted(of_sizes(c(500, 300, 200)), rep(1, 1000), 12, 2.2), 3)
)

# The same six models started from the planted groups: what the least evidence, and what the best of
# them in hindsight, scores.
from_truth <- function(graph, block, k, score) {
  simple <- kgroups:::as_simple_adjacency(graph)
  start <- list(list(labels = block, inside = rep(TRUE, length(block))))
  tried <- lapply(models, function(model) {
    run <- kgroups:::propagate_beliefs(simple, block, k, model = model)
    kgroups:::belief_candidate(simple, run, model)
  })
  scores <- vapply(tried, function(one) score(block, one$labels), 0)
  c(truth = scores[kgroups:::belief_choice(tried)], best = max(scores))
}

accuracy <- function(name, i) {
  family <- families[[name]]
  k <- family[[2]]
  set.seed(52000 + i)
  graph <- family[[1]]()
  block <- igraph::V(graph)$block
  score <- if (length(family) > 2) clustering_overlap else adjusted_rand
  time <- system.time(found <- quiet(cluster_belief_propagation(graph, k)))[[1]]
  door <- quiet(cluster_communities(graph))
  truth <- from_truth(graph, block, k, score)
  limit <- if (length(family) > 2) {
    r <- rates(k, 3, family[[3]])
    score(block, belief_limit(graph, block, r[1], r[2]))
  } else {
    truth[["truth"]]
  }
  data.frame(
    part = "accuracy", family = name, graph = i, start = score(block, quiet(cluster_bethe_hessian(graph, k))),
    kgroups = score(block, quiet(cluster_kgroups(graph, k))), found = score(block, found), limit = limit,
    truth = truth[["truth"]], truth_best = truth[["best"]], door = adjusted_rand(block, door),
    door_k = length(door), model = attr(found, "model"), seconds = time
  )
}

# Ten graphs from each of the six models, groups clear enough to be found.
of_model <- list(
  plain = function() sample_sparse_sbm(1000, 4, 6, 1.8),
  plain_p = function() planted(of_sizes(c(450, 300, 150, 100)), rep(1, 1000), 16, 2),
  dc = function() planted(of_sizes(even), pareto(1000, 2.5), 20, 2),
  # groups of different size, but of one sum of degrees
  dc_p = function() {
    block <- of_sizes(c(400, 300, 200, 100))
    theta <- pareto(1000, 2.5)
    planted(block, 250 * theta / ave(theta, block, FUN = sum), 20, 2)
  },
  # one law of theta: degrees rise with the size of the group, mildly
  dc_norm = function() {
    block <- of_sizes(c(310, 270, 230, 190))
    theta <- pareto(1000, 2.5)
    planted(block, theta / ave(theta, block), 20, 2)
  },
  # hubs and leaves in one group, equals in the others
  dc_norm_bins = function() {
    block <- of_sizes(even)
    theta <- ifelse(block == 1, pareto(1000, 1.3), ifelse(block == 2, runif(1000), 1))
    planted(block, theta / ave(theta, block), 40, 6)
  }
)

picked <- function(name, i) {
  set.seed(52500 + i)
  graph <- of_model[[name]]()
  block <- igraph::V(graph)$block
  found <- quiet(cluster_belief_propagation(graph, max(block)))
  data.frame(part = "models", family = name, graph = i, model = attr(found, "model"), found = adjusted_rand(block, found))
}

without <- list(
  "random graph" = function(i) igraph::sample_gnm(1000, c(1500, 3000, 5000)[1 + i %% 3]),
  "random graph with hubs" = function(i) planted(rep(1L, 1000), pareto(1000, c(1.5, 2, 2.5)[1 + i %% 3]), 8, 8)
)
none <- function(name, i) {
  set.seed(53000 + i)
  found <- quiet(cluster_communities(without[[name]](i)))
  data.frame(part = "none", family = name, graph = i, door_k = length(found), model = attr(found, "model"))
}

bind <- function(rows) {
  columns <- unique(unlist(lapply(rows, names)))
  do.call(rbind, lapply(rows, function(row) {
    row[setdiff(columns, names(row))] <- NA
    row[columns]
  }))
}
rows <- list()
keep <- function(row) {
  rows[[length(rows) + 1]] <<- row
  write.csv(bind(rows), file, row.names = FALSE)
}
# a graph of every family in turn, so that a run that is stopped has the same number of each
for (i in seq_len(graphs)) {
  if (i <= 10) for (name in names(of_model)) keep(picked(name, i))
  for (name in names(families)) keep(accuracy(name, i))
  if (i <= 20) for (name in names(without)) keep(none(name, i))
}

all <- bind(rows)
numbers <- c("start", "kgroups", "found", "limit", "truth", "truth_best", "door", "door_k", "seconds")
table <- all[all$part == "accuracy", ]
print(do.call(rbind, lapply(split(table, factor(table$family, names(families))), function(one) {
  round(c(colMeans(one[numbers]), gap = mean(one$limit - one$found), worst = max(one$limit - one$found)), 4)
})))
table <- all[all$part == "models", ]
print(table(factor(table$family, models), factor(table$model, models)))
cat(sprintf("evidence picks the model: %d of %d\n", sum(table$family == table$model), nrow(table)))
table <- all[all$part == "none", ]
cat(sprintf("one group: %d of %d\n", sum(table$door_k == 1), nrow(table)))
