# Block models chosen by description length: Rscript bench/graphs-models.R [GRAPHS [INTERFACES]]
#
# Families of planted groups, GRAPHS of each (24; the cluster_communities() on the first INTERFACES of them, 4), graph i
# from seed 640000 + i:
#   accuracy  every way that was passed over beside the one taken, and the same belief propagation
#             started from the planted groups: adjusted Rand index; overlap where the limit is known
#   models    which model the description length selects, 10 graphs from each of the six models
#   none      graphs without groups, 20 of each kind: is the answer of cluster_communities() one group?
# Writes bench/graphs-models.csv, a row a graph, and goes on where it was stopped; remove the file to
# measure again. The means go to vignettes/graphs.csv, the table to bench/graphs.md by
# `Rscript bench/graphs.R report`.
library(kgroups)
source("bench/graphs-common.R")
arguments <- commandArgs(TRUE)
graphs <- if (length(arguments)) as.integer(arguments[1]) else 24L
interfaces <- if (length(arguments) > 1) as.integer(arguments[2]) else 4L
file <- "bench/graphs-models.csv"
quiet <- suppressMessages
models <- c("plain", "plain_p", "dc", "dc_p", "dc_norm", "dc_norm_bins")

hubs <- function(sizes, tail) {
  rate <- sbm_rates(length(sizes), 8, 1.4)
  planted(of_sizes(sizes), pareto(sum(sizes), tail), rate[["a"]], rate[["b"]])
}
even <- rep(250, 4)

# the graph, the number of groups and, where the limit is known, lambda
families <- list(
  "planted partition, lambda 1.553" = list(function() sample_sparse_sbm(1000, 5, 3, 1.553), 5, 1.553),
  "planted partition, lambda 1.237" = list(function() sample_sparse_sbm(1000, 5, 3, 1.237), 5, 1.237),
  "degrees of tail 2.5" = list(function() hubs(even, 2.5), 4),
  "degrees of tail 2" = list(function() hubs(even, 2), 4),
  "degrees of tail 1.5" = list(function() hubs(even, 1.5), 4),
  "tail 2, sizes 450/300/150/100" = list(function() {
    planted(of_sizes(c(450, 300, 150, 100)), pareto(1000, 2), 22, 2.5)
  }, 4),
  "sizes 600/200/100/100" = list(function() planted(of_sizes(c(600, 200, 100, 100)), rep(1, 1000), 13, 2), 4),
  "sizes 500/300/200" = list(function() planted(of_sizes(c(500, 300, 200)), rep(1, 1000), 12, 2.2), 3)
)

# Labels by the six models, each from the planted groups, and by the one of least description length.
from_planted <- function(graph, block, k) {
  simple <- kgroups:::as_simple_adjacency(graph)
  tried <- lapply(models, function(model) {
    run <- kgroups:::propagate_beliefs(simple, block, k, model = model)
    kgroups:::belief_candidate(simple, run, model)
  })
  labels <- lapply(tried, `[[`, "labels")
  names(labels) <- paste("planted", models, sep = "_")
  c(labels, list(planted = labels[[kgroups:::belief_choice(tried)]]))
}

accuracy <- function(name, i) {
  family <- families[[name]]
  k <- family[[2]]
  set.seed(640000 + i)
  graph <- family[[1]]()
  block <- igraph::V(graph)$block
  time <- system.time(picked <- quiet(cluster_belief_propagation(graph, k)))
  # the cluster_communities() fits some dozens of times: on the first graphs only
  interface_time <- system.time(interface <- if (i <= interfaces) quiet(cluster_communities(graph)))
  labels <- c(
    list(
      start = quiet(cluster_bethe_hessian(graph, k)), kgroups = quiet(cluster_kgroups(graph, k)),
      plain = quiet(cluster_belief_propagation(graph, k, model = "plain")), picked = picked
    ),
    from_planted(graph, block, k),
    if (i <= interfaces) list(interface = interface),
    list(
      leiden = igraph::cluster_leiden(graph, objective_function = "modularity", n_iterations = 20),
      louvain = igraph::cluster_louvain(graph)
    )
  )
  labels <- lapply(labels, function(one) if (is.list(one)) as.integer(igraph::membership(one)) else one)
  row <- data.frame(part = "accuracy", family = name, graph = i, lapply(labels, compare_clusters, truth = block))
  if (length(family) > 2) {
    rate <- sbm_rates(k, 3, family[[3]])
    row$overlap <- compare_clusters(block, labels$picked, "overlap")
    row$overlap_limit <- compare_clusters(block, belief_limit(graph, block, rate[["a"]], rate[["b"]]), "overlap")
  }
  row$interface_k <- if (i <= interfaces) length(interface) else NA_integer_
  row$leiden_k <- max(labels$leiden)
  row$model <- attr(picked, "model")
  row$seconds <- sum(time[1:2])
  row$interface_seconds <- if (i <= interfaces) sum(interface_time[1:2]) else NA_real_
  row
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
chosen <- function(name, i) {
  set.seed(640500 + i)
  graph <- of_model[[name]]()
  block <- igraph::V(graph)$block
  found <- quiet(cluster_belief_propagation(graph, max(block)))
  data.frame(
    part = "models", family = name, graph = i, picked = compare_clusters(block, found), model = attr(found, "model")
  )
}

without <- list(
  "random graph" = function(i) igraph::sample_gnm(1000, c(1500, 3000, 5000)[1 + i %% 3]),
  "random graph with hubs" = function(i) planted(rep(1L, 1000), pareto(1000, c(1.5, 2, 2.5)[1 + i %% 3]), 8, 8)
)
none <- function(name, i) {
  set.seed(641000 + i)
  graph <- without[[name]](i)
  found <- quiet(cluster_communities(graph))
  leiden <- igraph::cluster_leiden(graph, objective_function = "modularity", n_iterations = 20)
  data.frame(
    part = "none", family = name, graph = i, interface_k = length(found), leiden_k = length(leiden),
    model = attr(found, "model")
  )
}

bind <- function(above, row) {
  for (name in setdiff(names(row), names(above))) above[[name]] <- rep(NA, nrow(above))
  for (name in setdiff(names(above), names(row))) row[[name]] <- NA
  rbind(above, row[names(above)])
}
none_yet <- data.frame(part = character(), family = character(), graph = integer())
rows <- if (file.exists(file)) read.csv(file) else none_yet
keep <- function(part, name, i, measure) {
  if (any(rows$part == part & rows$family == name & rows$graph == i)) {
    return(invisible())
  }
  row <- measure(name, i)
  numbers <- vapply(row, is.double, NA)
  row[numbers] <- lapply(row[numbers], round, 4)
  rows <<- bind(rows, row)
  write.csv(rows, file, row.names = FALSE, na = "")
}
# a graph of every family in turn, so that a run that is stopped has the same number of each
for (i in seq_len(graphs)) {
  for (name in names(families)) keep("accuracy", name, i, accuracy)
  if (i <= 10) for (name in names(of_model)) keep("models", name, i, chosen)
  if (i <= 20) for (name in names(without)) keep("none", name, i, none)
}

# ---- what the page shows ----

page <- c(
  start = "Bethe Hessian", kgroups = "k-groups", plain = "plain model", picked = "model by description length",
  interface = "k by description length too", leiden = "Leiden", louvain = "Louvain",
  planted = "from planted"
)
part <- rows[rows$part == "accuracy", ]
page_rows("models", do.call(rbind, lapply(names(families), function(name) {
  one <- part[part$family == name, ]
  data.frame(
    case = name, method = page, graphs = colSums(!is.na(one[names(page)])),
    value = round(colMeans(one[names(page)], na.rm = TRUE), 4),
    se = round(apply(one[names(page)], 2, function(x) sd(x, na.rm = TRUE) / sqrt(sum(!is.na(x)))), 4)
  )
})))
part <- rows[rows$part == "none", ]
page_rows("none", do.call(rbind, lapply(names(without), function(name) {
  one <- part[part$family == name, ]
  # value: share of graphs that were left as one group; k: mean number of groups
  data.frame(
    case = name, method = c("k by description length too", "Leiden"), graphs = nrow(one),
    k = round(c(mean(one$interface_k), mean(one$leiden_k)), 1), value = c(mean(one$interface_k == 1), mean(one$leiden_k == 1))
  )
})))
part <- rows[rows$part == "models", ]
page_rows("choice", do.call(rbind, lapply(models, function(name) {
  one <- part[part$family == name, ]
  data.frame(case = name, method = "model by description length", graphs = nrow(one), value = mean(one$model == name))
})))
