# The paper's experiments on graphs, and the report of all benches of graphs.
#   Rscript bench/graphs.R PART [GRAPHS [METHOD ...]]
#
# (with methods named, only those are measured again; the rows of others in the csv stay)
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

if (length(arguments) > 2) methods <- methods[arguments[-(1:2)]]

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
      got <- vapply(methods, function(method) compare_clusters(block, method(graph, k), "overlap"), 0)
      if (drawn || length(arguments) > 2) {
        return(got)
      }
      c(got, limit = compare_clusters(block, belief_limit(graph, block, rate[["a"]], rate[["b"]]), "overlap"))
    }))
    message("k = ", k, ", lambda = ", snr)
    data.frame(
      case = if (nlevels(factor(settings$k)) > 1) sprintf("k = %d, lambda = %g", k, snr) else format(snr),
      method = colnames(scores), graphs = graphs, value = round(colMeans(scores), 4),
      se = round(apply(scores, 2, sd) / sqrt(graphs), 4), row.names = NULL
    )
  }))
}

put <- function(rows) page_rows(part, rows, again = length(arguments) > 2)
if (part %in% c("girvan-newman", "girvan-newman-drawn", "phase")) library(kgroups)
if (part == "girvan-newman") {
  settings <- data.frame(k = 4, snr = c(0.6, 1.1, 1.5, 1.8, 2, 2.5, 3.5))
  put(overlaps(settings, 128, 16, graphs(100L)))
} else if (part == "girvan-newman-drawn") {
  put(overlaps(data.frame(k = 4, snr = c(1.5, 1.8, 2)), 128, 16, graphs(100L), drawn = TRUE))
} else if (part == "phase") {
  settings <- expand.grid(snr = c(0.8, 1, 1.1, 1.237, 1.395, 1.553, 1.658), k = c(2, 5, 15))
  put(overlaps(settings, 1000, 3, graphs(24L)))
} else if (part != "report") {
  stop("PART is one of girvan-newman, girvan-newman-drawn, phase, report")
}

# ---- the report ----

if (part == "report") {
  page <- read.csv("vignettes/graphs.csv", colClasses = c(case = "character"))
  part_of <- function(part, column = "value") {
    rows <- page[page$part == part, ]
    of <- function(x) factor(x, unique(x))
    tapply(rows[[column]], list(of(rows$case), of(rows$method)), identity)
  }
  shown <- function(x, digits = 3, ...) knitr::kable(round(x, digits), ...)
  raw <- read.csv("bench/graphs-models.csv")
  size <- read.csv("bench/graphs-size.csv")

  # planted groups: what was aimed at, what came out
  accuracy <- raw[raw$part == "accuracy", ]
  accuracy <- split(accuracy, factor(accuracy$family, unique(accuracy$family)))
  started <- paste("planted", c("plain", "plain_p", "dc", "dc_p", "dc_norm", "dc_norm_bins"), sep = "_")
  aims <- c(
    "planted partition, lambda 1.553" = 0.002, "planted partition, lambda 1.237" = 0.015, "degrees of tail 2.5" = 0.015,
    "degrees of tail 2" = 0.015, "degrees of tail 1.5" = 0.015, "tail 2, sizes 450/300/150/100" = 0.015,
    "sizes 600/200/100/100" = 0.01, "sizes 500/300/200" = 0.01
  )
  gap <- function(one) {
    if (!anyNA(one$overlap_limit)) {
      return(mean(one$overlap_limit - one$overlap))
    }
    max(colMeans(one[started])) - mean(one$picked)
  }
  short <- do.call(rbind, lapply(names(accuracy), function(name) {
    one <- accuracy[[name]]
    best <- started[which.max(colMeans(one[started]))]
    data.frame(
      family = name, graphs = nrow(one),
      round(rbind(colMeans(one[c("start", "kgroups", "plain", "picked", "planted")])), 3),
      "best from planted" = sprintf("%.3f (%s)", mean(one[[best]]), sub("planted_", "", best)),
      "short by" = sprintf("%.4f", gap(one)), aim = sprintf("%.3f", aims[[name]]),
      "cluster_communities()" = sprintf("%.3f (%d)", mean(one$interface, na.rm = TRUE), sum(!is.na(one$interface))),
      "its k" = sprintf("%.1f", mean(one$interface_k, na.rm = TRUE)),
      Leiden = sprintf("%.3f", mean(one$leiden)), check.names = FALSE
    )
  }))
  models <- raw[raw$part == "models", ]
  none <- raw[raw$part == "none", ]
  real <- part_of("real")
  modularity <- part_of("real", "modularity")
  parts <- c("Bethe Hessian", "k-groups")
  below <- rownames(real)[real[, "cluster_communities()"] < apply(real[, parts], 1, max) - 1e-4]

  text <- c(
    "# Graphs", "",
    "Made by `bench/graphs.R report` from what `bench/graphs.R`, `graphs-models.R`, `graphs-real.R` and `graphs-size.R`",
    "have measured. Adjusted Rand index where nothing else is reported; every method sees the same graphs.", "",
    "## Planted groups, the model chosen by description length", "",
    "`picked` is `cluster_belief_propagation(graph, k)`; beside it what was passed over: the eigenvectors (`start`),",
    "k-groups, the plain model. `planted` is the model of least description length among six started from the planted groups, `best from planted` the model that is best of",
    "these in the mean. `short by`: overlap below the limit for the planted partition (`bench/graphs-common.R`), else `picked` below",
    "the best from planted. The cluster_communities() chooses k too (in brackets: on how many of the graphs).", "",
    knitr::kable(short, align = "r"), "",
    sprintf(
      paste(
        "Description length selects the generating model for %d of %d graphs (aim: 90 %%). Without groups the cluster_communities() answers one",
        "group for %d of %d (aim: 95 %%), Leiden for %d."
      ),
      sum(models$family == models$model), nrow(models), sum(none$interface_k == 1), nrow(none), sum(none$leiden_k == 1)
    ),
    sprintf(
      "Processor seconds, mean: `cluster_belief_propagation()` %.2f, `cluster_communities()` %.2f.",
      mean(raw$seconds, na.rm = TRUE), mean(raw$interface_seconds, na.rm = TRUE)
    ), "",
    knitr::kable(table(from = factor(models$family, unique(models$family)), picked = factor(models$model, unique(models$family)))), "",
    "## Real graphs", "",
    "`cluster_communities()` chooses k; so do the Bethe Hessian, k-groups and belief propagation, by the count. Means of ten seeds, for our",
    "methods of three, of one above 150 vertices.", "", shown(real[, -(1:3)]), "", "Groups:", "", shown(part_of("real", "k"), 1), "",
    "Modularity:", "", shown(modularity[, -(1:3)]), "", "Processor seconds:", "", shown(part_of("real", "seconds")[, -(1:3)], 2), "",
    sprintf(
      paste(
        "Mean: cluster_communities() %.3f, Leiden %.3f (aim: at most .02 below). cluster_communities() below the better of start and k-groups",
        "(aim: nowhere): %s."
      ),
      mean(real[, "cluster_communities()"]), mean(real[, "Leiden"]), if (length(below)) paste(below, collapse = "; ") else "none"
    ), "",
    if (any(page$part == "weights")) c("Edge weights of the faculty's graph:", "", shown(part_of("weights")), ""),
    "## Size", "",
    "Processor seconds on one core; memory above the process that holds the graph. Aims: count at 5000 vertices .2 s and at 1e6 40 s; at 1e6",
    "vertices eigenvectors 20 s, a call 30 s, 1000 MB; k = 150 on 5000 vertices 12 s.", "",
    knitr::kable(size), "",
    "## The paper: Girvan and Newman's graphs, mean overlap", "",
    shown(part_of("girvan-newman")), "", "The same, each vertex in a group drawn at random, so that sizes vary:", "",
    shown(part_of("girvan-newman-drawn")), "",
    "The figures of the paper's graphs, here and below, were measured with version 0.1.0, whose belief propagation had the plain",
    "model alone.", "",
    "The paper, 500 graphs (Bethe, k-groups): .183 .177, .485 .489, .840 .870, .943 .960, .975 .982, .997 .998, 1 1. Its figures",
    "are those of groups drawn at random.", "",
    sprintf("## The paper: n = 1000, mean degree 3, mean overlap of %d graphs", page$graphs[page$part == "phase"][1]), "",
    sprintf("Standard errors are at most %.3f.", max(page$se[page$part == "phase"])), "", shown(part_of("phase"))
  )
  writeLines(text, "bench/graphs.md")
}
