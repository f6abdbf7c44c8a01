# Clusters that are connected in a graph of the rows: `contiguous` as a matrix of two columns, the edges.

settle_contiguous <- function(control, problem, call) {
  control$contiguous <- read_edges(control$contiguous, problem$n, problem$names, call)
  check_linked_groups(control, problem, call)
  control
}

# No fewer clusters than the graph has parts.
#' @export
least_clusters.kgroups_contiguous_control <- function(control, n) {
  max(NextMethod(), component_numbers(control$contiguous, n))
}

# ---- reading ----

is_nb <- function(value) is.list(value) && !is.object(value) || inherits(value, "nb")

check_contiguous <- function(value, arg, call) {
  known <- identical(value, "order") || igraph::is_igraph(value) || inherits(value, "Matrix") || is_nb(value) ||
    is.matrix(value) && (is.numeric(value) || is.logical(value))
  if (known) {
    return(value)
  }
  abort_argument(
    value, "contiguous", "be a graph whose vertices are the rows.",
    "Use an igraph, a (sparse) adjacency matrix, a list of the neighbours of each row, or \"order\".", call = call
  )
}

# The edges, one a row of a matrix of class kgroups_edges: each once, between different rows.
read_edges <- function(value, n, names, call) {
  if (inherits(value, "kgroups_edges")) {
    return(value)
  }
  if (identical(value, "order")) {
    return(new_edges(cbind(seq_len(n - 1L), seq_len(n)[-1L]), n))
  }
  many <- if (igraph::is_igraph(value)) igraph::vcount(value) else if (is_nb(value)) length(value) else dim(value)
  if (any(many != n)) {
    abort_input(
      "contiguous", call, "`contiguous` must have a vertex for each of the {n} row{?s}.",
      "It has {many[1L]}.", "Vertices are in the order of the rows of the data that you supply."
    )
  }
  edges <- if (igraph::is_igraph(value)) {
    igraph::as_edgelist(value, names = FALSE)
  } else if (is_nb(value)) {
    edges_of_lists(value, n, call)
  } else {
    Matrix::which(value != 0, arr.ind = TRUE)
  }
  # vertices of a list of edges are named by the numbers of rows, in the order of its edges
  own <- contiguous_names(value)
  numbers <- as.character(seq_len(n))
  at <- row_order(own, names %||% if (setequal(own, numbers)) numbers, "contiguous", call)
  if (!is.null(at)) edges[] <- match(edges, at)
  new_edges(edges, n)
}

contiguous_names <- function(value) {
  if (igraph::is_igraph(value)) {
    vertex_names(value)
  } else if (is_nb(value)) {
    names(value)
  } else {
    rownames(value) %||% colnames(value)
  }
}

edges_of_lists <- function(value, n, call) {
  to <- unlist(value)
  from <- rep(seq_len(n), lengths(value))
  if (length(to) && !(is.numeric(to) && all(to %in% 0:n))) {
    abort_input(
      "contiguous", call, "A list in `contiguous` must have the numbers of the neighbours of each row.",
      "It has {value_text(to[!to %in% 0:n][1L])}.", "No neighbours are an empty vector, or 0 as in class nb."
    )
  }
  cbind(from, to)[to > 0, , drop = FALSE]
}

new_edges <- function(edges, n) {
  edges <- distinct_pairs(edges[edges[, 1L] != edges[, 2L], , drop = FALSE])
  structure(unname(edges), n = n, class = c("kgroups_edges", "matrix"))
}

# The graph of some rows: the others belong to a neighbour in turn, so that what is connected stays connected.
restrict_contiguous <- function(edges, rows, n) {
  owner <- replace(integer(n), rows, seq_along(rows))
  from <- c(edges[, 1L], edges[, 2L])
  to <- c(edges[, 2L], edges[, 1L])
  repeat {
    open <- which(owner[from] > 0L & owner[to] == 0L)
    if (length(open) == 0L) break
    owner[to[open]] <- owner[from[open]]
  }
  edges <- matrix(owner[edges], ncol = 2L)
  new_edges(edges[rowSums(edges == 0L) == 0L, , drop = FALSE], length(rows))
}

# Groups of rows that stay together are connected by themselves.
check_linked_groups <- function(control, problem, call) {
  group <- control$together
  edges <- unclass(control$contiguous)
  if (is.null(group)) {
    return(invisible())
  }
  inside <- edges[which(group[edges[, 1L]] == group[edges[, 2L]]), , drop = FALSE]
  parts <- unique(cbind(group, component_numbers(inside, problem$n))[!is.na(group), , drop = FALSE])
  broken <- parts[duplicated(parts[, 1L]), 1L]
  if (length(broken)) {
    rows <- rows_text(utils::head(which(group == broken[1L]), 6L), problem)
    abort_input(
      "contiguous", call, "Rows that stay `together` must be connected in `contiguous`.",
      "{rows} are not.", "Add edges between them, or the rows that link them."
    )
  }
}

check_parts <- function(edges, n, w, k, call) {
  part <- component_numbers(edges, n)
  many <- max(part)
  empty <- setdiff(part, part[w > 0])
  if (many <= k && length(empty) == 0L) {
    return(invisible())
  }
  came <- if (many > k) "The graph in `contiguous` has {many} parts without an edge between them." else {
    "A part of the graph in `contiguous` has no row of positive weight: row {which(part == empty[1L])[1L]}."
  }
  abort_input(
    "contiguous", call, "{k} contiguous cluster{?s} must cover all rows.", came,
    "Raise `k`, add edges, or cluster each part by itself: `$components` has the part of each row.", components = part
  )
}

#' @export
input_text.kgroups_contiguous_fit <- function(fit) {
  edges <- nrow(fit$constraints$contiguous)
  c(NextMethod(), sprintf("Contiguous: every cluster is connected, %d pairs of rows are neighbours", edges))
}
