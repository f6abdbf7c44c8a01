# Figures for graphs: Rscript bench/graphs.R PART [GRAPHS [CORES]]
#
#   girvan-newman   Table I of the paper         -> vignettes/graphs-girvan-newman.csv
#   girvan-newman-drawn  the same, groups drawn at random
#                                                -> vignettes/graphs-girvan-newman-drawn.csv
#   phase           Figure 5 of the paper        -> vignettes/graphs-phase.csv
#   gaps            every graph at two settings  -> bench/graphs-gaps.csv
#   uneven          uneven degrees and sizes     -> vignettes/graphs-uneven.csv
#
# Every method sees the same graphs; graph i of a setting comes from seed i. Afterwards
# Rscript bench/graphs-report.R writes bench/graphs.md.
library(kgroups)
source("bench/belief-limit.R")
arguments <- commandArgs(TRUE)
part <- arguments[1]
number <- function(at, default) if (length(arguments) >= at) as.integer(arguments[at]) else default
cores <- number(3, 1L)

methods <- list(
  "paper Bethe" = function(g, k) cluster_bethe_hessian(g, k, normalize = FALSE),
  "paper k-groups" = function(g, k) cluster_kgroups(g, k, normalize = FALSE, vertex_weights = "degree"),
  "paper k-groups, w = 1" = function(g, k) cluster_kgroups(g, k, normalize = FALSE, vertex_weights = "unit"),
  "Bethe Hessian" = function(g, k) cluster_bethe_hessian(g, k),
  "k-groups" = function(g, k) suppressMessages(cluster_kgroups(g, k)),
  "k-groups, w = degree" = function(g, k) cluster_kgroups(g, k, vertex_weights = "degree"),
  "k-groups, w = 1" = function(g, k) cluster_kgroups(g, k, vertex_weights = "unit"),
  "belief propagation" = function(g, k) suppressMessages(cluster_belief_propagation(g, k))
)

sbm_rates <- function(k, degree, snr) {
  c(a = degree + (k - 1) * snr * sqrt(degree), b = degree - snr * sqrt(degree))
}

# A row a graph, a column a method.
run <- function(graphs, sample, limit, score, k) {
  one <- function(i) {
    set.seed(i)
    graph <- sample()
    block <- igraph::V(graph)$block
    got <- vapply(methods, function(method) score(block, method(graph, k)), 0)
    if (is.null(limit)) got else c(got, limit = score(block, limit(graph, block)))
  }
  do.call(rbind, parallel::mclapply(seq_len(graphs), one, mc.cores = cores))
}

summarise <- function(scores, ...) {
  data.frame(
    ..., method = colnames(scores), graphs = nrow(scores), mean = round(colMeans(scores), 4),
    se = round(apply(scores, 2, sd) / sqrt(nrow(scores)), 4), row.names = NULL
  )
}

# The same model, each vertex in a group drawn at random: sizes vary.
drawn_sbm <- function(n, k, degree, snr) {
  rate <- sbm_rates(k, degree, snr)
  unequal(tabulate(sample.int(k, n, replace = TRUE), k), rate[["a"]], rate[["b"]])
}

symmetric <- function(n, k, degree, snr, graphs, sampler = sample_sparse_sbm) {
  rate <- sbm_rates(k, degree, snr)
  limit <- function(graph, block) belief_limit(graph, block, rate[["a"]], rate[["b"]])
  if (!identical(sampler, sample_sparse_sbm)) limit <- NULL
  run(graphs, function() sampler(n, k, degree, snr), limit, clustering_overlap, k)
}

table_of <- function(settings, n, degree, graphs, file, sampler = sample_sparse_sbm) {
  out <- do.call(rbind, lapply(seq_len(nrow(settings)), function(row) {
    k <- settings$k[row]
    snr <- settings$snr[row]
    message("k = ", k, ", lambda = ", snr)
    summarise(symmetric(n, k, degree, snr, graphs, sampler), n = n, k = k, degree = degree, snr = snr)
  }))
  write.csv(out, file, row.names = FALSE)
}

# Pareto weights of the vertices, as the expected degrees; probabilities are cut at 1.
degree_corrected <- function(n, k, degree, snr, tail) {
  block <- rep(seq_len(k), each = n / k)
  theta <- runif(n)^(-1 / tail)
  theta <- theta / mean(theta)
  rate <- sbm_rates(k, degree, snr)
  P <- outer(theta, theta) * ifelse(outer(block, block, "=="), rate[["a"]], rate[["b"]]) / n
  ends <- which(upper.tri(P) & matrix(runif(n * n), n) < P, arr.ind = TRUE)
  graph <- igraph::make_graph(t(ends), n = n, directed = FALSE)
  igraph::set_vertex_attr(graph, "block", value = block)
}

unequal <- function(sizes, a, b) {
  n <- sum(sizes)
  P <- matrix(b / n, length(sizes), length(sizes))
  diag(P) <- a / n
  graph <- igraph::sample_sbm(n, P, sizes)
  igraph::set_vertex_attr(graph, "block", value = rep(seq_along(sizes), sizes))
}

# The package's own belief propagation from the planted groups, parameters learnt.
planted <- function(k, size_prior = FALSE) {
  function(graph, block) {
    found <- kgroups:::propagate_beliefs(kgroups:::as_simple_adjacency(graph), block, k, model = if (size_prior) "plain_p" else "plain")
    max.col(t(found$marginals), ties.method = "first")
  }
}

if (part == "girvan-newman") {
  settings <- data.frame(k = 4, snr = c(0.6, 1.1, 1.5, 1.8, 2, 2.5, 3.5))
  table_of(settings, 128, 16, number(2, 100L), "vignettes/graphs-girvan-newman.csv")
} else if (part == "girvan-newman-drawn") {
  settings <- data.frame(k = 4, snr = c(1.5, 1.8, 2))
  table_of(settings, 128, 16, number(2, 100L), "vignettes/graphs-girvan-newman-drawn.csv", drawn_sbm)
} else if (part == "phase") {
  settings <- expand.grid(snr = c(0.6, 0.8, 1, 1.1, 1.237, 1.395, 1.553, 1.658), k = c(2, 5, 15))
  table_of(settings, 1000, 3, number(2, 24L), "vignettes/graphs-phase.csv")
} else if (part == "gaps") {
  graphs <- number(2, 48L)
  out <- lapply(c(2, 5, 15), function(k) {
    lapply(c(1.237, 1.553), function(snr) {
      scores <- symmetric(1000, k, 3, snr, graphs)
      gap <- scores[, "limit"] - scores[, -ncol(scores)]
      data.frame(
        k = k, snr = snr, method = colnames(gap), graphs = graphs, mean = round(colMeans(gap), 4),
        se = round(apply(gap, 2, sd) / sqrt(graphs), 4), worst = round(apply(gap, 2, max), 4),
        row.names = NULL
      )
    })
  })
  write.csv(do.call(rbind, unlist(out, recursive = FALSE)), "bench/graphs-gaps.csv", row.names = FALSE)
} else if (part == "uneven") {
  graphs <- number(2, 24L)
  methods[["belief propagation, size prior"]] <- function(g, k) {
    suppressMessages(cluster_belief_propagation(g, k, model = "plain_p"))
  }
  cases <- list(
    "degrees, tail 2.5, k = 4" = list(function() degree_corrected(1000, 4, 8, 1.4, 2.5), 4),
    "degrees, tail 1.5, k = 4" = list(function() degree_corrected(1000, 4, 8, 1.4, 1.5), 4),
    "sizes 500, 300, 200" = list(function() unequal(c(500, 300, 200), 12, 2.2), 3),
    "sizes 600, 200, 100, 100" = list(function() unequal(c(600, 200, 100, 100), 13, 2), 4)
  )
  out <- lapply(names(cases), function(name) {
    message(name)
    k <- cases[[name]][[2]]
    scores <- run(graphs, cases[[name]][[1]], planted(k), adjusted_rand, k)
    overlap <- run(graphs, cases[[name]][[1]], planted(k), clustering_overlap, k)
    cbind(summarise(scores, case = name), overlap = round(colMeans(overlap), 4))
  })
  write.csv(do.call(rbind, out), "vignettes/graphs-uneven.csv", row.names = FALSE)
} else {
  stop("PART is one of girvan-newman, phase, gaps, uneven")
}
