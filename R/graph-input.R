# Graph input: an igraph graph becomes a sparse symmetric adjacency matrix without a diagonal.

check_graph <- function(graph, arg = "graph", call = rlang::caller_env()) {
  check_given(graph, arg, call)
  if (!inherits(graph, "igraph")) {
    hint <- if (is.data.frame(graph)) {
      "For a list of edges use `igraph::graph_from_data_frame(x, directed = FALSE)`; weights are its column weight."
    } else if (is.matrix(graph) && nrow(graph) == ncol(graph)) {
      "For an adjacency matrix use `igraph::graph_from_adjacency_matrix(x, mode = \"max\", weighted = TRUE)`."
    } else if (is.matrix(graph) && ncol(graph) == 2L) {
      "For a list of edges use `igraph::graph_from_edgelist(x, directed = FALSE)`."
    } else if (is.matrix(graph)) {
      "An adjacency matrix is square; `kgroups(x, k)` clusters the rows of others."
    } else if (inherits(graph, "dist")) {
      "Dissimilarities are no graph: use `kgroups(x, k)`."
    } else if (is.list(graph) && !is.object(graph)) {
      "For lists of neighbours use `igraph::graph_from_adj_list(x, mode = \"all\")`."
    } else {
      "Use `igraph::graph_from_data_frame()` or `igraph::graph_from_adjacency_matrix()`."
    }
    abort_argument(graph, arg, "be an <igraph> graph.", hint, what = "graph", call = call)
  }
  # igraph::is_igraph() of version 2 itself stops at objects of other versions
  vertices <- catch_error(with_igraph(igraph::vcount(graph) + 0 * igraph::ecount(graph)), error = function(e) NULL)
  if (is.null(vertices)) {
    abort_input(
      "graph", call, "`{arg}` must be a graph that igraph can read.",
      "You supplied an object of class <igraph> that it cannot read.",
      "Use `igraph::upgrade_graph()`, or create the graph again."
    )
  }
  if (vertices == 0) {
    abort_input("graph", call, "`{arg}` must have vertices.", "You supplied a graph without vertices.")
  }
  invisible(graph)
}

# Return an igraph graph, from one or from its sparse adjacency matrix.
as_graph <- function(graph, call = rlang::caller_env()) {
  check_given(graph, "graph", call)
  check_matrix_object(graph, call, "graph")
  if (inherits(graph, "sparseMatrix")) adjacency_graph(graph, call) else check_graph(graph, "graph", call)
}

adjacency_graph <- function(x, call) {
  values <- methods::as(x, "dMatrix")
  symmetric <- nrow(x) == ncol(x) && Matrix::isSymmetric(values, tol = 0, check.attributes = FALSE)
  entries <- Matrix::drop0(methods::as(methods::as(values, "generalMatrix"), "CsparseMatrix"))
  if (!symmetric || any(!is.finite(entries@x) | entries@x < 0)) {
    came <- if (symmetric) "with entries that are negative or not finite" else "that is not symmetric"
    abort_input(
      "graph", call, "A sparse matrix must be the adjacency matrix of a graph here.", "You supplied one {came}.",
      "Use a symmetric matrix of finite numbers, 0 or above."
    )
  }
  weighted <- if (any(entries@x != 1)) TRUE
  with_igraph(
    igraph::graph_from_adjacency_matrix(entries, "upper", weighted, add.colnames = if (is.null(rownames(x))) NA)
  )
}

# Refuse a graph whose vertex attribute `type` marks it as bipartite. Trees and even rings are
# bipartite too, so a graph without that attribute is accepted.
abort_bipartite <- function(graph, call = rlang::caller_env()) {
  side <- igraph::vertex_attr(graph, "type")
  if (!is.logical(side) || anyNA(side) || igraph::ecount(graph) == 0) {
    return(invisible())
  }
  ends <- with_igraph(igraph::as_edgelist(graph, names = FALSE))
  if (all(side[ends[, 1L]] != side[ends[, 2L]])) abort_input(
    c("bipartite", "graph"), call, "`graph` must not be bipartite.",
    "Every edge joins the two sides of its vertex attribute type.",
    c(
      "Use `igraph::bipartite_projection(graph)` for a graph of each side.",
      "Use `igraph::delete_vertex_attr(graph, \"type\")` to divide both sides together."
    )
  )
}

# Return the edge weights as igraph's functions take them, NULL if all are 1. NULL: the attribute
# `weight`; NA: none; "log1p": log(1 + attribute).
check_edge_weights <- function(graph, weights, call = rlang::caller_env()) {
  if (is.atomic(weights) && length(weights) == 1L && is.na(weights)) {
    return(NULL)
  }
  logarithm <- identical(weights, "log1p")
  if (logarithm || is.null(weights)) weights <- igraph::edge_attr(graph, "weight")
  if (is.null(weights) && logarithm) {
    abort_input(
      "weights", call, "A graph must have edge weights for `weights = \"log1p\"`.",
      "You supplied one without the edge attribute weight.", "Use no `weights`, or one number per edge."
    )
  }
  if (is.null(weights)) {
    return(NULL)
  }
  m <- igraph::ecount(graph)
  weights <- plain_integers(weights)
  refuse <- function(came, hint, what = "weights") {
    abort_input(what, call, "Edge weights must be {m} finite number{?s}, 0 or above.", "You supplied {came}.", "{hint}")
  }
  refuse_some <- function(bad, ...) {
    if (any(bad)) refuse(sprintf("weight %d, which is %s", which(bad)[1L], format(weights[bad][1L])), ...)
  }
  if (!is.numeric(weights) || length(weights) != m) {
    of_name <- "For an edge attribute use `weights = igraph::edge_attr(graph, \"%s\")`."
    known <- is_string(weights) && weights %in% igraph::edge_attr_names(graph)
    of_edges <- "Use one weight per edge, in the order of `igraph::E(graph)`; NA leaves weights out."
    refuse(value_text(weights), if (known) sprintf(of_name, weights) else of_edges)
  }
  refuse_some(!is.finite(weights), "Drop that edge or correct its weight.")
  negative <- "Drop negative edges, or use `kgroups(as_gram(A), k)` of the matrix A of the weights."
  refuse_some(weights < 0, negative, c("signed", "weights"))
  # products of five weights must neither overflow nor vanish
  far <- weights > 1e50 | weights > 0 & weights < 1e-50
  refuse_some(far, "Divide all weights by one number, so that those above 0 lie between 1e-50 and 1e50.")
  if (logarithm) log1p(as.numeric(weights)) else as.numeric(weights)
}

# Return list(adjacency, n, names, weighted, unit, log1p, component, component_size, changed); the adjacency matrix is a
# dgCMatrix with both triangles and no diagonal. Directions, loops and edges of weight 0 are dropped, parallel edges
# merged into one of summed weights (their number if there are none), or of weight 1 without weights, as two of opposite
# directions are; `changed` is text for the print of results, NULL for simple graphs.
# Equal weights are those of none, `unit` times 1.
as_simple_adjacency <- function(graph, weights = NULL, call = rlang::caller_env()) {
  check_graph(graph, call = call)
  log1p <- identical(weights, "log1p")
  free <- is.null(weights)
  weights <- check_edge_weights(graph, weights, call = call)
  n <- igraph::vcount(graph)
  ends <- with_igraph(igraph::as_edgelist(graph, names = FALSE))
  ends <- list(from = as.integer(ends[, 1L]), to = as.integer(ends[, 2L]))
  keep <- ends$from != ends$to
  loops <- sum(!keep)
  zeros <- !is.null(weights) && any(weights == 0)
  if (zeros) keep <- keep & weights > 0
  if (!all(keep)) {
    ends <- lapply(ends, `[`, keep)
    weights <- weights[keep]
  }
  adjacency <- both_triangles(ends, weights, n)
  merged <- length(ends$from) - length(adjacency@x) / 2
  if (merged > 0 && free && is.null(weights) && anyDuplicated(ends$from + ends$to * (n + 1))) {
    weights <- rep(1, length(ends$from))
    adjacency <- both_triangles(ends, weights, n)
  }
  # equal weights are none
  equal <- length(adjacency@x) > 0L && all(same_weight(adjacency@x, adjacency@x[1L]))
  unit <- if (equal) adjacency@x[1L] else 1
  adjacency@x[] <- if (equal) 1 else adjacency@x
  # igraph counts edges of weight 0 as edges
  parts <- if (zeros) connected_parts(adjacency) else connected_graph(graph)
  list(
    adjacency = adjacency, n = n, names = vertex_names(graph),
    weighted = !is.null(weights) && any(adjacency@x != 1), unit = unit, log1p = log1p,
    component = parts$membership, component_size = parts$size,
    changed = c(
      if (igraph::is_directed(graph)) "directions dropped",
      if (loops > 0) sprintf("%d loop%s dropped", loops, plural(loops)),
      if (merged > 0) paste0(merged, " parallel edge", plural(merged), " merged", if (!is.null(weights)) " by sum")
    )
  )
}

# Largest weight in the count, the starts and the block models, in medians of the weights. One heavier
# edge has an eigenvector of its own (figures in ?cluster_communities).
heaviest_weight <- 3

# Return the graph with heavier weights lowered, of which `changed` has note.
damp_weights <- function(simple) {
  if (!simple$weighted) {
    return(simple)
  }
  largest <- heaviest_weight * stats::median(simple$adjacency@x)
  heavy <- sum(simple$adjacency@x > largest) / 2
  if (heavy == 0) {
    return(simple)
  }
  simple$changed <- c(
    simple$changed, sprintf("%d weight%s lowered to %s in the search", heavy, plural(heavy), format(signif(largest, 3)))
  )
  simple$adjacency@x <- pmin(simple$adjacency@x, largest)
  simple$largest <- largest
  simple
}

# Return the dgCMatrix of edges, each in both triangles, parallel ones merged. Integers are sorted here
# because package Matrix takes half a gigabyte more for five million edges.
both_triangles <- function(ends, weights, n) {
  m <- length(ends$from)
  place <- order(c(ends$to, ends$from), c(ends$from, ends$to), method = "radix")
  column <- c(ends$to, ends$from)[place]
  row <- c(ends$from, ends$to)[place]
  first <- if (m > 0) c(TRUE, column[-1L] != column[-2L * m] | row[-1L] != row[-2L * m]) else logical()
  value <- if (is.null(weights)) {
    rep(1, sum(first))
  } else {
    ordered <- weights[(place - 1L) %% m + 1L]
    if (all(first)) ordered else rowsum(ordered, cumsum(first), reorder = FALSE)[, 1L]
  }
  rm(place)
  if (!all(first)) {
    column <- column[first]
    row <- row[first]
  }
  p <- c(0L, cumsum(tabulate(column, n)))
  class <- methods::getClass("dgCMatrix", where = asNamespace("Matrix"))
  methods::new(class, p = p, i = row - 1L, x = unname(value), Dim = c(as.integer(n), as.integer(n)))
}

vertex_names <- function(graph) {
  names <- igraph::vertex_attr(graph, "name")
  if (is.null(names)) NULL else as.character(names)
}

# Return the connected components, largest first: list(membership, size).
connected_parts <- function(adjacency) connected_graph(plain_graph(adjacency))

# Return the igraph graph of an adjacency matrix, its edges in the order of the upper triangle.
plain_graph <- function(adjacency) {
  column <- column_index(adjacency)
  upper <- adjacency@i < column - 1L
  with_igraph(igraph::make_graph(rbind(adjacency@i[upper] + 1L, column[upper]), n = nrow(adjacency), directed = FALSE))
}

# Return the graph of some vertices, or with other edges.
graph_of <- function(simple, adjacency, rows = seq_len(simple$n)) {
  parts <- connected_parts(adjacency)
  simple[c("adjacency", "n", "component", "component_size")] <-
    list(adjacency, length(rows), parts$membership, parts$size)
  simple["names"] <- list(simple$names[rows])
  simple
}

# Return the graph of some vertices.
subgraph_of <- function(simple, rows) {
  if (length(rows) == simple$n) {
    return(simple)
  }
  graph_of(simple, methods::as(simple$adjacency[rows, rows, drop = FALSE], "generalMatrix"), rows)
}

connected_graph <- function(graph) {
  found <- with_igraph(igraph::components(graph, "weak"))
  order <- order(-found$csize)
  list(membership = match(found$membership, order), size = found$csize[order])
}

# Return the column of every stored entry of a dgCMatrix.
column_index <- function(A) rep.int(seq_len(ncol(A)), diff(A@p))

vertex_strength <- function(simple, vertex_weights) {
  if (vertex_weights == "degree") Matrix::colSums(simple$adjacency) else rep(1, simple$n)
}

# Return the edges between new vertices (`at`) and vertices of the graph (`to`) as
# list(at, to, value, m, names), m new vertices.
edges_of_new <- function(newdata, simple, call) {
  out <- if (is.data.frame(newdata)) listed_edges(newdata, simple, call) else matrix_edges(newdata, simple, call)
  bad <- which(!is.finite(out$value) | out$value < 0 | out$value > 1e50)
  if (length(bad)) {
    abort_new_edges(sprintf("an edge of weight %s", format(out$value[bad[1L]])), call)
  }
  keep <- out$value > 0
  out[c("at", "to", "value")] <- lapply(out[c("at", "to", "value")], `[`, keep)
  unit <- if (isTRUE(simple$log1p)) expm1(simple$unit) else simple$unit
  odd <- which(!same_weight(out$value, unit))
  if (!simple$weighted && length(odd)) {
    abort_new_edges(sprintf("an edge of weight %s for a graph without weights", format(out$value[odd[1L]])), call)
  }
  if (isTRUE(simple$log1p)) out$value <- log1p(out$value)
  out$value <- out$value / simple$unit
  if (!is.null(simple$largest)) out$value <- pmin(out$value, simple$largest)
  out
}

# Are weights equal but for rounding?
same_weight <- function(x, unit) abs(x - unit) <= 1e-9 * unit

abort_new_edges <- function(came, call) {
  abort_input(
    "newdata", call, "`newdata` must be the edges between new vertices and those of the graph.", "You supplied {came}.",
    c(
      "Use a matrix with a row per new vertex and a column per vertex of the graph, of 0, 1 or edge weights,",
      "or a data frame with a row per edge: new vertex, vertex of the graph, weight if the graph has weights."
    )
  )
}

# Places of the vertices of the graph with these names; no other vertex may have the same.
vertices_named <- function(names, simple, call) {
  twice <- intersect(names, simple$names[duplicated(simple$names)])
  if (length(twice)) {
    abort_new_edges(sprintf("the name %s, which several vertices of the graph have", quoted(twice[1L])), call)
  }
  at <- match(names, simple$names)
  if (anyNA(at)) {
    abort_new_edges(sprintf("vertex %s, which the graph does not have", quoted(names[is.na(at)][1L])), call)
  }
  at
}

matrix_edges <- function(newdata, simple, call) {
  if (is.atomic(newdata) && is.null(dim(newdata)) && length(newdata) == simple$n) newdata <- t(newdata)
  good <- (is.matrix(newdata) && (is.numeric(newdata) || is.logical(newdata))) || inherits(newdata, "Matrix")
  if (!good) {
    abort_new_edges(value_text(newdata), call)
  }
  check_matrix_object(newdata, call, "newdata")
  named <- !is.null(simple$names) && !is.null(colnames(newdata))
  # columns in the order of the vertices need no unique names
  if (named && identical(colnames(newdata), simple$names)) named <- FALSE
  column <- if (named) vertices_named(colnames(newdata), simple, call) else seq_len(ncol(newdata))
  if (!named && ncol(newdata) != simple$n) {
    abort_new_edges(sprintf("%d columns for a graph of %d vertices", ncol(newdata), simple$n), call)
  }
  # compressed columns add entries of equal positions
  entries <- plain_columns(newdata)
  list(
    at = entries@i + 1L, to = column[column_index(entries)], value = entries@x,
    m = nrow(newdata), names = rownames(newdata)
  )
}

# Two columns, the new vertex and that of the graph, and a third of weights if there is one.
listed_edges <- function(newdata, simple, call) {
  if (ncol(newdata) < 2L || ncol(newdata) > 3L || anyNA(newdata[[1L]])) {
    abort_new_edges(value_text(newdata), call)
  }
  end <- newdata[[2L]]
  to <- if (is.numeric(end)) match(end, seq_len(simple$n)) else vertices_named(as.character(end), simple, call)
  if (anyNA(to)) {
    abort_new_edges(sprintf("vertex %s, which the graph does not have", as.character(end[is.na(to)][1L])), call)
  }
  value <- if (ncol(newdata) == 3L) newdata[[3L]] else rep(1, length(to))
  if (!is.numeric(value)) {
    abort_new_edges("weights in the third column that are no numbers", call)
  }
  names <- unique(as.character(newdata[[1L]]))
  # parallel edges are merged as in the graph
  entries <- Matrix::sparseMatrix(
    match(as.character(newdata[[1L]]), names), to,
    x = as.numeric(value), dims = c(length(names), simple$n), use.last.ij = !simple$weighted
  )
  list(at = entries@i + 1L, to = column_index(entries), value = entries@x, m = length(names), names = names)
}
