# Time and memory of graphs of growing size: Rscript bench/graphs-size.R [LARGEST [METHOD,...]]
# (methods that are named are measured again, the rows of others in the file stay)
# Mean degree 10, k = 10, lambda = 2; every method in a process of its own, on the graph of
# the same seed. Writes bench/graphs-size.csv: processor seconds of the whole call (all run on
# one core), memory of the process when it only holds the graph and at its peak (which the
# sampling of the graph and igraph's copies are part of), overlap. For cluster_kgroups also
# the parts. A process that takes more than five minutes is stopped and leaves no row.
arguments <- commandArgs(TRUE)
status <- function(field) {
  line <- tryCatch(grep(field, readLines("/proc/self/status"), value = TRUE), error = function(e) "")
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

if (length(arguments) == 3 && arguments[3] == "--one") {
  suppressMessages(library(kgroups))
  n <- as.numeric(arguments[1])
  method <- arguments[2]
  set.seed(1)
  graph <- sample_sparse_sbm(n, 10, 10, 2)
  block <- igraph::V(graph)$block
  invisible(gc())
  held <- status("VmRSS")
  found <- NULL
  times <- c()
  timed <- function(name, expr) {
    times[name] <<- sum(system.time(value <- expr)[c("user.self", "sys.self")])
    value
  }
  if (method == "parts") {
    simple <- timed("adjacency matrix", kgroups:::as_simple_adjacency(graph))
    parts <- kgroups:::bethe_parts(simple)
    timed("count", kgroups:::count_negative(simple, parts))
    spectrum <- timed("eigenvectors", kgroups:::graph_spectrum(simple, parts, 10))
    refined <- timed("eigenvectors at refined r", kgroups:::refine_spectrum(simple, parts, spectrum, 10))
    start <- timed("k-means of the rows", kgroups:::embedding_start(simple, refined$parts, refined$spectrum, 10, TRUE, 3))
    problem <- kgroups:::graph_problem(simple, parts, "bethe-hessian", "degree")
    found <- timed("moves", kgroups:::sparse_solve(problem, start$labels, 10))$labels
    timed("belief propagation", kgroups:::propagate_beliefs(simple, start$labels, 10))
  } else {
    call <- switch(method,
      cluster_bethe_hessian = function() cluster_bethe_hessian(graph, 10),
      cluster_kgroups = function() cluster_kgroups(graph, 10),
      cluster_belief_propagation = function() cluster_belief_propagation(graph, 10),
      cluster_louvain = function() igraph::cluster_louvain(graph),
      cluster_leiden = function() {
        igraph::cluster_leiden(graph, objective_function = "modularity", n_iterations = 10)
      }
    )
    found <- timed(method, call())
  }
  cat(sprintf(
    "%s,%.0f,%.0f,%.2f,%.0f,%.0f,%.4f,%d\n", names(times), n, igraph::ecount(graph), times, status("VmHWM"), held,
    clustering_overlap(block, found), max(if (is.list(found)) igraph::membership(found) else found)
  ), sep = "")
} else {
  file <- "bench/graphs-size.csv"
  largest <- if (length(arguments)) as.numeric(arguments[1]) else 1e6
  sizes <- c(1e4, 32000, 1e5, 320000, 1e6)
  methods <- c(
    "parts", "cluster_kgroups", "cluster_leiden", "cluster_belief_propagation", "cluster_bethe_hessian",
    "cluster_louvain"
  )
  head <- "step,n,edges,seconds,peak_mb,graph_mb,overlap,groups"
  kept <- character()
  if (length(arguments) >= 2) {
    methods <- intersect(methods, strsplit(arguments[2], ",")[[1]])
    kept <- readLines(file)[-1]
    step <- sub(",.*", "", kept)
    again <- step %in% methods | ("parts" %in% methods & !grepl("^cluster_", step))
    size <- as.numeric(sub("^[^,]*,([^,]*),.*", "\\1", kept))
    kept <- kept[!(again & size <= largest)]
  }
  writeLines(c(head, kept), file)
  for (n in sizes[sizes <= largest]) {
    for (method in methods) {
      rows <- suppressWarnings(system2(
        "Rscript", c("bench/graphs-size.R", format(n, scientific = FALSE), method, "--one"),
        stdout = TRUE, timeout = 300
      ))
      cat(rows, sep = "\n", file = file, append = TRUE)
      message(utils::tail(rows, 1))
    }
  }
}
