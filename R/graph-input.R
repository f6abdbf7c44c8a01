# Every graph comes in here: an igraph becomes a sparse symmetric adjacency matrix
# without a diagonal, or a classed error says what is wrong with it.

check_graph <- function(graph, arg = "graph", call = rlang::caller_env()) {
  check_given(graph, arg, call)
  if (!inherits(graph, "igraph")) {
    came <- describe(graph)
    kg_abort(
      c(
        "{.arg {arg}} must be an {.cls igraph} graph.",
        "x" = "You supplied {came}.",
        "i" = "Make one with {.fn igraph::graph_from_edgelist} or {.fn igraph::graph_from_adjacency_matrix}."
      ),
      "graph",
      call = call
    )
  }
  # an object that only says it is a graph, or one of another version of igraph, of which even
  # igraph::is_igraph() of igraph 2 stops
  vertices <- tryCatch(igraph::vcount(graph) + 0 * igraph::ecount(graph), error = identity)
  if (inherits(vertices, "error")) {
    kg_abort(
      c(
        "{.arg {arg}} must be a graph that {.pkg igraph} can read.",
        "x" = "It cannot.",
        "i" = "Make it anew, or see {.fn igraph::upgrade_graph}."
      ),
      "graph",
      call = call, parent = vertices
    )
  }
  if (vertices == 0) {
    kg_abort(
      c("{.arg {arg}} must have vertices.", "x" = "You supplied a graph without any."),
      "graph",
      call = call
    )
  }
  invisible(graph)
}

# What the graph functions take: an igraph graph, or its adjacency matrix as a sparse one.
as_graph <- function(graph, arg = "graph", call = rlang::caller_env()) {
  check_given(graph, arg, call)
  if (inherits(graph, "sparseMatrix")) adjacency_graph(graph, call) else check_graph(graph, arg, call)
}

adjacency_graph <- function(x, call) {
  fail <- function(came) {
    kg_abort(
      c(
        "A sparse matrix is taken as the adjacency matrix of a graph here.",
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

# Two sides and no edge within one: what groups of more edges inside than across are is another
# question there. Only a graph that says which its sides are is refused, for trees and even
# rings have two sides as well.
abort_bipartite <- function(graph, call = rlang::caller_env()) {
  side <- igraph::vertex_attr(graph, "type")
  if (!is.logical(side) || anyNA(side) || igraph::ecount(graph) == 0) {
    return(invisible())
  }
  ends <- igraph::as_edgelist(graph, names = FALSE)
  if (any(side[ends[, 1L]] == side[ends[, 2L]])) {
    return(invisible())
  }
  kg_abort(
    c(
      "{.arg graph} must not be bipartite.",
      "x" = "Its vertex attribute {.field type} tells two sides, and every edge joins the two.",
      "i" = "{.code igraph::bipartite_projection(graph)} makes a graph of each side.",
      "i" = "{.code igraph::delete_vertex_attr(graph, \"type\")} has both sides divided together."
    ),
    c("bipartite", "graph"),
    call = call
  )
}

# Edge weights the way igraph's own functions take them: NULL means the attribute
# `weight` if there is one, NA means none. "log1p" means log(1 + attribute). NULL comes back
# for "all 1".
check_edge_weights <- function(graph, weights, call = rlang::caller_env()) {
  if (identical(weights, "log1p")) {
    weights <- check_edge_weights(graph, attribute_weights(graph, call), call)
    return(if (!is.null(weights)) log1p(weights))
  }
  if (is.null(weights)) {
    weights <- igraph::edge_attr(graph, "weight")
    if (is.null(weights)) {
      return(NULL)
    }
  } else if (is.atomic(weights) && length(weights) == 1L && is.na(weights)) {
    return(NULL)
  }
  m <- igraph::ecount(graph)
  fail <- function(came, hint, what = "weights") {
    kg_abort(
      c(
        "Edge weights must be {m} finite number{?s} that are not negative.",
        "x" = "{came}",
        "i" = "{hint}"
      ),
      what,
      call = call
    )
  }
  if (!is.numeric(weights) || length(weights) != m) {
    fail(
      paste0("You supplied ", describe(weights), "."),
      "Give one weight per edge, in the order of `igraph::E(graph)`; NA leaves weights out."
    )
  }
  if (any(!is.finite(weights))) {
    at <- which(!is.finite(weights))[1L]
    fail(sprintf("Weight %d is %s.", at, format(weights[at])), "Drop that edge or mend its weight.")
  }
  if (any(weights < 0)) {
    at <- which(weights < 0)[1L]
    fail(
      sprintf("Weight %d is %s.", at, format(weights[at])),
      "A negative edge keeps its ends apart, which no method here counts: drop it, or see `igraph::cluster_spinglass()`.",
      c("signed", "weights")
    )
  }
  # squares of weights and their sums must neither overflow nor vanish
  odd <- which(weights > 1e100 | (weights > 0 & weights < 1e-100))
  if (length(odd)) {
    fail(
      sprintf("Weight %d is %s.", odd[1L], format(weights[odd[1L]])),
      "Those above 0 must lie between 1e-100 and 1e100: divide all by one number."
    )
  }
  as.numeric(weights)
}

attribute_weights <- function(graph, call) {
  weights <- igraph::edge_attr(graph, "weight")
  if (is.null(weights)) {
    kg_abort(
      c(
        "{.code weights = \"log1p\"} needs a graph with edge weights.",
        "x" = "The graph has no edge attribute {.field weight}.",
        "i" = "Leave {.arg weights} out, or give a number per edge."
      ),
      "weights",
      call = call
    )
  }
  weights
}

# list(adjacency, n, names, weighted, log1p, component, component_size). The adjacency matrix is
# a dgCMatrix with both triangles and no diagonal. Direction is dropped, so are loops and
# edges of weight 0; parallel edges become one, of weight 1 or of their weights' sum. Each
# says so in a message.
as_simple_adjacency <- function(graph, weights = NULL, call = rlang::caller_env()) {
  check_graph(graph, call = call)
  log1p_asked <- weights
  weights <- check_edge_weights(graph, weights, call = call)
  n <- igraph::vcount(graph)
  ends <- edge_ends(graph)
  if (igraph::is_directed(graph)) {
    kg_inform(
      "The graph is directed: an edge in either direction counts as an undirected edge.",
      "directed"
    )
  }
  loop <- ends$from == ends$to
  if (any(loop)) {
    dropped <- sum(loop)
    kg_inform("Dropped {dropped} loop{?s}.", "loops")
  }
  keep <- !loop
  dropped_weights <- !is.null(weights) && any(weights == 0)
  if (dropped_weights) keep <- keep & weights > 0
  if (!all(keep)) {
    ends <- lapply(ends, `[`, keep)
    weights <- weights[keep]
  }
  rm(loop, keep)
  adjacency <- both_triangles(ends, weights, n)
  merged <- length(ends$from) - length(adjacency@x) / 2
  if (merged > 0) {
    kg_inform(
      c(
        "Merged {merged} parallel edge{?s}.",
        "i" = if (is.null(weights)) "A merged edge has weight 1." else "Weights were added."
      ),
      "multiple"
    )
  }
  weighted <- !is.null(weights) && any(adjacency@x != 1)
  # edges of weight 0 are edges to igraph
  parts <- if (dropped_weights) connected_parts(adjacency) else connected_graph(graph)
  list(
    adjacency = adjacency, n = n, names = vertex_names(graph), weighted = weighted,
    log1p = identical(log1p_asked, "log1p"),
    component = parts$membership, component_size = parts$size
  )
}

# list(from, to): the ends of the edges as integers. igraph gives them as numbers, both at once.
edge_ends <- function(graph) {
  ends <- igraph::as_edgelist(graph, names = FALSE)
  list(from = as.integer(ends[, 1L]), to = as.integer(ends[, 2L]))
}

# The dgCMatrix of edges, each in both triangles; parallel ones are one of weight 1, or of their summed
# weights (NULL: none). Sorted by column and row as integers, so that there is never more than a few
# copies of the ends: package Matrix takes half a gigabyte more for five million edges.
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

# Connected components, the largest first.
connected_parts <- function(adjacency) {
  n <- nrow(adjacency)
  column <- rep.int(seq_len(n), diff(adjacency@p))
  upper <- adjacency@i < column - 1L
  ends <- rbind(adjacency@i[upper] + 1L, column[upper])
  rm(column, upper)
  connected_graph(igraph::make_graph(ends, n = n, directed = FALSE))
}

connected_graph <- function(graph) {
  found <- igraph::components(graph, "weak")
  order <- order(-found$csize)
  list(membership = match(found$membership, order), size = found$csize[order])
}

vertex_strength <- function(simple, vertex_weights) {
  if (vertex_weights == "degree") Matrix::colSums(simple$adjacency) else rep(1, simple$n)
}
