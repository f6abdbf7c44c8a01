# A graph: a sparse store that remembers the graph, as a part of it is that of the graph among the
# vertices chosen, not a part of the matrix, whose diagonal holds the degrees.

new_graph_store <- function(simple, parts, gram, vertex_weights, normalize) {
  A <- simple$adjacency
  if (gram == "bethe-hessian") {
    store <- new_sparse_store(off_matrix(parts), -parts$diagonal)
  } else {
    # Vertices of weight 0 have no edges; their rows are 0 whatever stands for 1 / w.
    w <- vertex_strength(simple, vertex_weights)
    inverse <- ifelse(w > 0, 1 / w, 0)
    off <- A
    off@x <- A@x * inverse[A@i + 1L] * rep.int(inverse, diff(A@p))
    diagonal <- if (gram == "adjacency") numeric(simple$n) else -Matrix::colSums(A) * inverse^2
    store <- new_sparse_store(off, diagonal)
  }
  store[c("simple", "gram", "vertex_weights", "normalize", "edge")] <-
    list(simple, gram, vertex_weights, normalize, parts[c("r", "scale")])
  class(store) <- c("kgroups_graph", "kgroups_sparse")
  store
}

#' @export
store_subset.kgroups_graph <- function(store, rows) {
  simple <- store$simple
  adjacency <- methods::as(simple$adjacency[rows, rows, drop = FALSE], "generalMatrix")
  parts <- connected_parts(adjacency)
  simple[c("adjacency", "n", "component", "component_size")] <-
    list(adjacency, length(rows), parts$membership, parts$size)
  simple["names"] <- list(simple$names[rows])
  new_graph_store(simple, bethe_parts(simple), store$gram, store$vertex_weights, store$normalize)
}

#' @export
store_weights.kgroups_graph <- function(store, w, w_unit) vertex_strength(store$simple, store$vertex_weights) / w_unit
