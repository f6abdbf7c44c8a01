# Time and memory of graphs: Rscript bench/graphs-size.R [SIZE,... [STEP,...]]
# Answers to Ctrl-C, printed only: Rscript bench/graphs-size.R interrupt [PAUSE,...]
#
#   1e5, 3e5 and 1e6 vertices, five edges a vertex, ten groups, lambda 2
#   5000 vertices that publish together in 150 fields: hundreds of components, cliques, hubs
#
# Every step in a process of its own that has read the graph from a file: processor seconds (all run
# on one core), megabytes of the process before and at the peak of the step, overlap or adjusted Rand
# index with the groups. Writes bench/graphs-size.csv and the part "size" of vignettes/graphs.csv. A
# step that has not ended after ten minutes is stopped and leaves no row.
source("bench/graphs-common.R")
arguments <- commandArgs(TRUE)
megabytes <- function(field) {
  line <- tryCatch(grep(field, readLines("/proc/self/status"), value = TRUE), error = function(e) "")
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

# Papers of one field: fields differ in size and authors in how much they write, a tenth of the
# authors of a paper comes from anywhere.
authors <- function(n = 5000, fields = 150, papers = 6000) {
  field <- sort(sample.int(fields, n, replace = TRUE, prob = pareto(fields, 3)))
  writes <- pareto(n, 2)
  ends <- lapply(sample.int(fields, papers, replace = TRUE, prob = tabulate(field, fields)), function(one) {
    size <- min(1 + rgeom(1, 0.4), 12)
    mine <- which(field == one)
    guests <- rbinom(1, size, 0.1)
    who <- unique(c(
      mine[sample.int(length(mine), min(size - guests, length(mine)), prob = writes[mine])], sample.int(n, guests)
    ))
    if (length(who) > 1) t(utils::combn(who, 2))
  })
  graph <- igraph::simplify(igraph::make_graph(t(do.call(rbind, ends)), n = n, directed = FALSE))
  igraph::set_vertex_attr(graph, "block", value = field)
}

steps <- list(
  count = function(graph, k) count_communities(graph),
  eigenvectors = function(graph, k) {
    simple <- kgroups:::as_simple_adjacency(graph)
    parts <- kgroups:::bethe_parts(simple)
    # the matrix is not part of what is timed
    list(time = system.time(kgroups:::bethe_spectrum(simple, parts, k)))
  },
  cluster_bethe_hessian = function(graph, k) cluster_bethe_hessian(graph, k),
  cluster_kgroups = function(graph, k) cluster_kgroups(graph, k),
  cluster_belief_propagation = function(graph, k) cluster_belief_propagation(graph, k),
  cluster_communities = function(graph, k) cluster_communities(graph),
  cluster_leiden = function(graph, k) igraph::cluster_leiden(graph, objective_function = "modularity", n_iterations = 10)
)

# Every graph function again and again for k = 3, 50 and 500, SIGINT after each of the pauses: seconds until R has it.
interrupts <- function(pauses) {
  source("tests/testthat/helper-interrupt.R")
  setup <- "suppressMessages({
    set.seed(1)
    blocks <- sample_sparse_sbm(20000, 50, 20, 3)
    wide <- sample_sparse_sbm(2e5, 10, 10, 2)
    hubs <- igraph::sample_pa(20000, 1.2, 8, directed = FALSE)
    dense <- igraph::sample_gnp(1500, 0.5)
  })"
  interfaces <- c("cluster_bethe_hessian", "cluster_kgroups", "cluster_belief_propagation", "cluster_communities")
  each <- expand.grid(interface = interfaces, graph = c("blocks", "hubs"), k = c(3, 50, 500))
  calls <- c(
    sprintf("%s(%s, %d)", each$interface, each$graph, each$k), "cluster_communities(blocks)",
    "cluster_belief_propagation(dense, 3)", "count_communities(wide)", "count_communities(hubs)",
    "bethe_hessian(wide)", "select_k(blocks, 45:55)", "stability(kgroups(blocks, 50))",
    "sample_sparse_sbm(1e6, 10, 10, 2)"
  )
  found <- do.call(rbind, lapply(pauses, function(pause) {
    # a call that ends begins again, so there is always one to be interrupted
    cbind(call = calls, pause, interrupt_calls(sprintf("repeat { %s }", calls), setup, pause, patience = 60)[-1])
  }))
  print(found[order(-found$seconds), c("call", "pause", "answer", "seconds", "right")], row.names = FALSE, digits = 3)
  cat(sprintf("%d signals, %d interrupted, longest %.2f s\n",
    nrow(found), sum(found$answer == "interrupted"), max(found$seconds, na.rm = TRUE)
  ))
}

if (identical(arguments[1], "interrupt")) {
  interrupts(if (length(arguments) > 1) as.numeric(strsplit(arguments[2], ",")[[1]]) else c(0.4, 1.3, 3.1, 6.7))
} else if (length(arguments) == 4 && arguments[4] == "--one") {
  suppressMessages(library(kgroups))
  graph <- readRDS(arguments[1])
  block <- igraph::V(graph)$block
  k <- as.numeric(arguments[3])
  # what is loaded at a first call is no part of the step
  invisible(cluster_kgroups(igraph::make_ring(10), 2))
  invisible(gc())
  # from here on, the peak
  try(writeLines("5", "/proc/self/clear_refs"), silent = TRUE)
  before <- megabytes("VmRSS")
  set.seed(1)
  time <- system.time(found <- suppressMessages(steps[[arguments[2]]](graph, k)))
  peak <- megabytes("VmHWM")
  if (is.list(found) && !is.null(found$time)) time <- found$time
  labels <- if (inherits(found, "communities")) as.integer(igraph::membership(found))
  cat(sprintf(
    "%s,%d,%d,%d,%s,%.2f,%.0f,%.0f,%s,%s\n", arguments[2], igraph::vcount(graph), igraph::ecount(graph),
    igraph::components(graph)$no, arguments[3], sum(time[1:2]), before, peak - before,
    if (is.integer(found)) found else if (is.null(labels)) "" else max(labels),
    if (is.null(labels)) "" else sprintf("%.4f", compare_clusters(block, labels))
  ))
} else {
  sizes <- if (length(arguments)) as.numeric(strsplit(arguments[1], ",")[[1]]) else c(5000, 1e5, 3e5, 1e6)
  wanted <- if (length(arguments) > 1) strsplit(arguments[2], ",")[[1]] else names(steps)
  file <- "bench/graphs-size.csv"
  out <- if (file.exists(file)) readLines(file) else "step,n,edges,components,k,seconds,graph_mb,above_mb,groups,adjusted_rand"
  one <- function(graph, k) {
    kept <- tempfile(fileext = ".rds")
    saveRDS(graph, kept, compress = FALSE)
    on.exit(unlink(kept))
    for (name in wanted) {
      row <- suppressWarnings(system2(
        "Rscript", c("bench/graphs-size.R", kept, name, k, "--one"),
        stdout = TRUE, stderr = FALSE, timeout = 600
      ))
      row <- grep(paste0("^", name, ","), row, value = TRUE)
      message(name, ": ", if (length(row)) row else "no answer")
      if (length(row)) {
        # measured again, it takes the place of what was there
        same <- startsWith(out, sub("^([^,]*,[^,]*,).*", "\\1", row))
        out <<- c(out[!same], row)
        writeLines(out, file)
      }
    }
  }
  for (n in sizes) {
    set.seed(1)
    if (n == 5000) one(authors(), 150) else one(sample_sparse_sbm(n, 10, 10, 2), 10)
  }
  rows <- read.csv(file)
  rows <- rows[order(rows$n, match(rows$step, names(steps))), ]
  page_rows("size", data.frame(
    case = format(rows$n, scientific = FALSE, trim = TRUE), method = rows$step, graphs = 1, k = rows$groups,
    value = rows$adjusted_rand, seconds = rows$seconds, mb = rows$above_mb
  ))
}
