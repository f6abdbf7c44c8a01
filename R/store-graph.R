# The store of a graph: a sparse store that keeps the graph, because the matrix of some vertices follows
# from their subgraph and not from the rows of the whole matrix.

gram_choices <- c("bethe-hessian", "adjacency", "normalized-cut")

# Return the sparse problem of a graph: Gram matrix -H_r, or that of the ratio association (31) or of the
# ratio cut (32). Without vertex weights these are degrees, until the solver chooses them (`chosen` is FALSE).
graph_problem <- function(simple, parts, gram = "bethe-hessian", vertex_weights = NULL, normalize = TRUE) {
  store <- new_graph_store(simple, parts, gram, vertex_weights %||% "degree", normalize, !is.null(vertex_weights))
  new_problem(store, simple$names, vertex_strength(simple, store$vertex_weights))
}

new_graph_store <- function(simple, parts, gram, vertex_weights, normalize, chosen) {
  A <- simple$adjacency
  if (gram == "bethe-hessian") {
    store <- new_sparse_store(off_matrix(parts), -parts$diagonal)
  } else {
    # vertices of weight 0 have no edges, so their rows are 0
    w <- vertex_strength(simple, vertex_weights)
    inverse <- ifelse(w > 0, 1 / w, 0)
    off <- A
    off@x <- A@x * inverse[A@i + 1L] * inverse[column_index(A)]
    diagonal <- if (gram == "adjacency") numeric(simple$n) else -Matrix::colSums(A) * inverse^2
    store <- new_sparse_store(off, diagonal)
  }
  store[c("simple", "gram", "vertex_weights", "normalize", "chosen", "edge")] <-
    list(simple, gram, vertex_weights, normalize, chosen, parts[c("r", "scale")])
  class(store) <- c("kgroups_graph", "kgroups_sparse")
  store
}

#' @export
store_subset.kgroups_graph <- function(store, rows) {
  simple <- subgraph_of(store$simple, rows)
  new_graph_store(simple, bethe_parts(simple), store$gram, store$vertex_weights, store$normalize, store$chosen)
}

#' @export
store_weights.kgroups_graph <- function(store, w, w_unit) vertex_strength(store$simple, store$vertex_weights) / w_unit

#' @export
read_new.kgroups_graph <- function(store, of, y, diag, type, call) edges_of_new(y, store$simple, call)

# R of predict(): sums over clusters of w B between new vertices and those of the graph.
#' @export
store_cross.kgroups_graph <- function(store, problem, new, cluster, k) {
  if (store$gram == "bethe-hessian") {
    # as in bethe_parts(), weights no larger than it allows
    r <- store$edge$r
    a <- pmin(new$value / store$edge$scale, r / 1.05)
    value <- if (store$simple$weighted) (r^2 - 1) * r * a / (r^2 - a^2) else rep(r, length(a))
  } else {
    own <- if (store$vertex_weights == "degree") sum_by(new$value, new$at, new$m) else rep(1, new$m)
    # vertices of weight 0 are not part of any mean
    w <- vertex_strength(store$simple, store$vertex_weights)[new$to]
    value <- ifelse(w > 0, new$value / own[new$at] / w, 0)
  }
  sums <- sum_by(value * problem$w[new$to], new$at + new$m * (cluster[new$to] - 1L), new$m * k)
  list(R = matrix(sums, new$m), self = 0)
}
