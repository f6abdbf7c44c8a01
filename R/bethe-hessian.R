# The Bethe Hessian of a graph, Saade, Krzakala, Zdeborova (2014).
#
#     H_r = (r^2 - 1) I - r A + D
#
# and for edge weights a the form that becomes it at a = 1:
#     (r^2 - 1) times  1 + sum_j a_ij^2 / (r^2 - a_ij^2)  on the diagonal,
#                      -r a_ij / (r^2 - a_ij^2)           off it.

#' Bethe Hessian matrix of a graph
#'
#' The sparse symmetric matrix whose negative eigenvalues count the communities of a
#' sparse graph and whose eigenvectors find them, down to the limit of what can be
#' detected at all.
#'
#' @section Definition:
#' With the adjacency matrix \eqn{A}, the diagonal matrix of degrees \eqn{D} and a number
#' \eqn{r},
#' \deqn{H_r = (r^2 - 1) I - r A + D.}{H_r = (r^2 - 1) I - r A + D.}
#' With edge weights \eqn{a_{ij}}{a_ij} it is \eqn{r^2 - 1} times the matrix with
#' \eqn{1 + \sum_j a_{ij}^2 / (r^2 - a_{ij}^2)}{1 + sum_j a_ij^2/(r^2 - a_ij^2)} on the
#' diagonal and \eqn{-r a_{ij} / (r^2 - a_{ij}^2)}{-r a_ij/(r^2 - a_ij^2)} off it, which is
#' the same at \eqn{a = 1}. It exists for \eqn{r > \max |a|}{r > max |a|} only: smaller
#' `r` makes the function scale the weights down, with a message.
#'
#' @section Choosing r:
#' The default, \eqn{\sqrt{c}}{sqrt(c)} with \eqn{c} the mean degree, puts the bulk of the
#' spectrum of a random graph without communities at 0 and above. For graphs with weights
#' it is the root of the mean over vertices of \eqn{\sum_j a_{ij}^2}{sum_j a_ij^2}, which
#' is \eqn{c} at \eqn{a = 1}; the count of communities then does not depend on the unit of
#' the weights. `"nonbacktracking"` is
#' \eqn{\sqrt{\sum d^2 / \sum d - 1}}{sqrt(sum d^2 / sum d - 1)}, better suited to degrees
#' that vary much. A negative `r` looks for groups that avoid each other.
#'
#' @section Graphs that are not simple:
#' Directions are dropped (an edge either way is an edge), loops are dropped, parallel
#' edges become one of weight 1 or, in a weighted graph, of the sum of their weights.
#' Edges of weight 0 are no edges. Each comes with a message.
#'
#' @param graph An igraph graph with at least one vertex, or its adjacency matrix as a sparse matrix of
#'   package Matrix, symmetric, whose entries are the edge weights.
#' @param r `NULL` (the default) for the square root of the mean degree,
#'   `"nonbacktracking"`, or a number.
#' @param weights Edge weights as in igraph: `NULL` (the default) for the edge attribute
#'   `weight` if there is one, `NA` for none, or one number, 0 or above, per edge.
#' @return A sparse symmetric matrix of class `dsCMatrix`, n x n, named by the vertex names
#'   if there are any, with `r` as an attribute.
#' @section Errors:
#' `kg_error_graph` when `graph` is no igraph graph or has no vertices, `kg_error_weights`
#' for edge weights that are negative, not finite or of the wrong length, `kg_error_r`.
#' @references
#' Saade A, Krzakala F, Zdeborova L (2014). "Spectral clustering of graphs with the Bethe
#' Hessian." *Advances in Neural Information Processing Systems*, 27. \doi{10.48550/arXiv.1406.1880}
#' @family graphs
#' @examples
#' graph <- igraph::make_full_graph(4) + igraph::make_full_graph(4) + igraph::edge(1, 5)
#' H <- bethe_hessian(graph)
#' H
#' attr(H, "r")
#' eigen(as.matrix(H))$values # two are negative: two communities
#' @export
bethe_hessian <- function(graph, r = NULL, weights = NULL) {
  check_r(r)
  graph <- as_graph(graph)
  simple <- as_simple_adjacency(graph, weights)
  parts <- bethe_parts(simple, r)
  H <- bethe_matrix(parts)
  if (!is.null(simple$names)) dimnames(H) <- list(simple$names, simple$names)
  attr(H, "r") <- parts$r
  H
}

check_r <- function(r, call = rlang::caller_env()) {
  if (is.null(r) || identical(r, "nonbacktracking")) {
    return(invisible(r))
  }
  # its square and products with it must stay finite
  if (!is_number(r) || abs(r) > 1e100) {
    came <- describe(r)
    kg_abort(
      c(
        "{.arg r} must be a number of at most 1e100, {.val nonbacktracking}, or NULL for the square root of the mean degree.",
        "x" = "You supplied {came}."
      ),
      "r",
      call = call
    )
  }
  invisible(r)
}

# list(off, diagonal, r, every, scale): H_r = diag(diagonal) - off, off a dgCMatrix without diagonal, whose
# entries are all `every`, whatever its values (those of the adjacency matrix, so that there is no second array),
# NULL with edge weights; `scale` is what these were divided by. off_matrix() has the values in place.
bethe_parts <- function(simple, r = NULL, call = rlang::caller_env()) {
  A <- simple$adjacency
  r <- choose_r(simple, r)
  if (!simple$weighted) {
    r <- as.numeric(r)
    return(list(off = A, diagonal = r^2 - 1 + diff(A@p), r = r, every = r, scale = 1))
  }
  divided <- 1
  largest <- max(A@x)
  if (abs(r) <= 1) {
    # The factor r^2 - 1 would turn the matrix round.
    if (!is.null(attr(r, "given"))) {
      kg_abort(
        c(
          "{.arg r} must be above 1, or below -1, for a graph with edge weights.",
          "x" = "You supplied {format(as.numeric(r))}."
        ),
        "r",
        call = call
      )
    }
    scale <- sqrt(mean(A@x^2))
    kg_inform(
      "Edge weights were divided by {signif(scale, 3)}, their root mean square.",
      "rescaled"
    )
    A@x <- A@x / scale
    divided <- scale
    largest <- largest / scale
    r <- sqrt(sum(A@x^2) / nrow(A))
    if (r <= 1) r <- 1.02
  }
  r <- as.numeric(r)
  if (abs(r) <= largest) {
    scale <- 1.05 * largest / abs(r)
    kg_inform(
      c(
        "Edge weights were divided by {signif(scale, 3)}.",
        "i" = "The largest is {signif(largest, 3)}; the matrix needs them below r = {signif(abs(r), 3)}."
      ),
      "rescaled"
    )
    A@x <- A@x / scale
    divided <- divided * scale
  }
  square <- A@x^2
  factor <- r^2 - 1
  off <- A
  off@x <- factor * r * A@x / (r^2 - square)
  ratio <- A
  ratio@x <- square / (r^2 - square)
  list(off = off, diagonal = factor * (1 + Matrix::colSums(ratio)), r = r, scale = divided)
}

# r as a number, with the attribute "given" when the user gave it. A graph with so few
# edges that r would be below 1 gets 1: H_1 is the Laplacian matrix.
choose_r <- function(simple, r) {
  A <- simple$adjacency
  if (is.null(r)) {
    squares <- if (simple$weighted) sum(A@x^2) else length(A@x)
    r <- sqrt(squares / simple$n)
    return(if (simple$weighted) r else max(r, 1))
  }
  if (identical(r, "nonbacktracking")) {
    # Second over first moment of the degrees; with weights, of the squared weights' sums.
    A@x <- A@x^2
    degree <- Matrix::colSums(A)
    if (sum(degree) == 0) {
      return(1)
    }
    excess <- sum(degree^2) / sum(degree) - if (simple$weighted) sum(A@x^2) / sum(A@x) else 1
    r <- sqrt(max(excess, 0))
    return(if (simple$weighted) r else max(r, 1))
  }
  structure(as.numeric(r), given = TRUE)
}

off_matrix <- function(parts) {
  off <- parts$off
  if (!is.null(parts$every)) off@x <- rep(parts$every, length(off@x))
  off
}

# Sums of the sizes of the entries of every column: radii of Gershgorin's circles.
off_sums <- function(parts) {
  if (is.null(parts$every)) Matrix::colSums(abs(parts$off)) else abs(parts$every) * diff(parts$off@p)
}

bethe_matrix <- function(parts) {
  Matrix::forceSymmetric(Matrix::Diagonal(x = parts$diagonal) - off_matrix(parts), uplo = "U")
}
