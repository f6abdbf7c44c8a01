# Graphs for select_k() and stability(): numbers of groups by evidence, and bootstrap samples of the
# edges. Each number and each sample is a task of its own, with its own random stream.

# A sparse matrix that is asked for its evidence is an adjacency matrix.
adjacency_graph <- function(x, call) {
  fail <- function(came) {
    kg_abort(
      c(
        "Criterion {.val evidence} takes a sparse matrix as the adjacency matrix of a graph.",
        "x" = "You supplied one {came}.",
        "i" = "It must be symmetric, of numbers that are finite and not negative."
      ),
      "graph",
      call = call
    )
  }
  values <- methods::as(x, "dMatrix")
  square <- nrow(x) == ncol(x)
  if (!square || !Matrix::isSymmetric(values, tol = 0, check.attributes = FALSE)) fail("that is not symmetric")
  entries <- methods::as(methods::as(values, "generalMatrix"), "TsparseMatrix")
  if (any(!is.finite(entries@x) | entries@x < 0)) fail("with entries that are negative or not finite")
  upper <- entries@i <= entries@j & entries@x > 0
  ends <- rbind(entries@i[upper], entries@j[upper]) + 1
  graph <- igraph::make_graph(ends, n = nrow(x), directed = FALSE)
  if (any(entries@x[upper] != 1)) graph <- igraph::set_edge_attr(graph, "weight", value = entries@x[upper])
  name <- rownames(x)
  if (is.null(name)) graph else igraph::set_vertex_attr(graph, "name", value = name)
}

# The numbers of groups to compare where none are given: 1 and those around the count.
evident_ks <- function(simple, parts) {
  count <- graph_k(NULL, simple, parts)
  ks <- c(1L, count + -2:3)
  unique(ks[ks >= 1L & ks <= simple$n])
}

# For each of ks the least evidence of all models, value and reason as of any criterion, and the labels
# and the model that have it. A run that has lost groups speaks of another number.
evidences <- function(problem, ks) {
  simple <- problem$store$simple
  parts <- bethe_parts(simple)
  found <- run_tasks(as.list(ks), evidence_task, simple = simple, parts = parts)
  out <- undefined(ks)
  out$value <- vapply(found, `[[`, 0, "evidence")
  out$reason[is.na(out$value)] <- "no model keeps so many groups"
  out$model <- vapply(found, `[[`, "", "model")
  out$labels <- lapply(found, `[[`, "labels")
  out
}

evidence_task <- function(k, simple, parts) {
  tried <- belief_candidates(simple, belief_starts(simple, parts, k, 20), k)
  whole <- Filter(function(one) one$k == k && one$trusted, tried)
  if (length(whole) == 0L) {
    return(list(evidence = NA_real_, model = NA_character_, labels = NULL))
  }
  best <- whole[[which.min(vapply(whole, `[[`, 0, "evidence"))]]
  best[c("evidence", "model", "labels")]
}

# As many edges as there are, drawn with replacement; the distinct ones are the sample.
bootstrap_edges <- function(simple) {
  upper <- methods::as(Matrix::triu(simple$adjacency, 1), "TsparseMatrix")
  m <- length(upper@i)
  kept <- sort(unique(sample.int(m, replace = TRUE)))
  half <- Matrix::sparseMatrix(upper@i[kept] + 1L, upper@j[kept] + 1L, x = upper@x[kept], dims = dim(upper))
  simple$adjacency <- methods::as(half + Matrix::t(half), "generalMatrix")
  parts <- connected_parts(simple$adjacency)
  simple[c("component", "component_size")] <- list(parts$membership, parts$size)
  simple
}

# Labels of all vertices from one sample of the edges, clustered as the fit was.
edge_task <- function(task, store, control) {
  simple <- bootstrap_edges(store$simple)
  parts <- suppressMessages(bethe_parts(simple), classes = "kg_message_rescaled")
  problem <- graph_problem(simple, parts, store$gram, store$vertex_weights, store$normalize)
  solve_problem(problem, control)$cluster
}

edge_samples <- function(problem, control, B) {
  run_tasks(as.list(seq_len(B)), edge_task, store = problem$store, control = control)
}
