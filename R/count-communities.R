# How many communities: the negative eigenvalues of the Bethe Hessian, counted so that
# none is missed in silence.

#' Count the communities of a graph
#'
#' The number of negative eigenvalues of the Bethe Hessian matrix, which estimates the
#' number of communities that the graph lets one detect.
#'
#' @section How to read it:
#' An eigenvalue below 0 stands for a group that differs from a random graph of the same mean
#' degree. The number is an estimate: it can differ from the number of groups that the
#' graph's labels have (the football network: 10 of 12), it counts a dense detached component
#' as a group of its own, and 0 means that there is nothing but chance to be seen (the
#' `cluster_*` functions then give one cluster). `below` and `above` of [community_spectrum()] say how
#' clear the count is: the largest eigenvalue counted and the smallest one that was not. Where one
#' of them is near 0 beside the others, one group more or less is as good an estimate.
#'
#' @section Algorithm:
#' Components with no more edges than vertices have no negative eigenvalue for
#' \eqn{r \ge 1}{r >= 1}. Others up to 1000 vertices are solved by a dense
#' eigen-decomposition. With larger ones (or very many) the whole graph is
#' eliminated vertex by vertex, those of least degree first,
#' \eqn{H = L D L'}{H = LDL'}: the signs of D are the signs of the eigenvalues. Graphs with small
#' separators (real networks of some thousands of vertices, roads, grids) are done in a fraction
#' of a second. Where the elimination fills up and its budget of work ends, large
#' components are counted by iterations for the smallest eigenvalues
#' (Chebyshev-filtered blocks, see [cluster_bethe_hessian()]; Lanczos iterations up to 3000
#' vertices), until two in a row agree and the next eigenvalue is above 0.
#'
#' Where an eigenvalue is so near 0 that rounding could give it either sign, or the solver
#' does not converge, or the check disagrees, `sure` is `FALSE` and there is a
#' warning of class `kg_warning_count`.
#'
#' @inheritParams bethe_hessian
#' @param ... Not used: an unknown argument is an error.
#' @return `count_communities()`: one plain integer.
#'
#'   `community_spectrum()`: what there is to say about it, a list of class
#'   `kgroups_community_spectrum` that prints in words:
#'   \item{count}{the integer}
#'   \item{below, above}{the eigenvalues next to 0 on either side; `NA` if there is none or it was
#'     not needed}
#'   \item{nearest}{the one of the two that is nearer to 0}
#'   \item{sure}{`FALSE` where the count could be another}
#'   \item{r}{the parameter of the matrix}
#' @section Errors: As [bethe_hessian()].
#' @section Complexity: Elimination of at most 3e8 entries, or some tens of products of the sparse
#'   matrix with 16 vectors; \eqn{O(m + n k)}{O(m + n k)} memory for a count of k.
#' @references
#' Saade A, Krzakala F, Zdeborova L (2014). "Spectral clustering of graphs with the Bethe
#' Hessian." *Advances in Neural Information Processing Systems*, 27. \doi{10.48550/arXiv.1406.1880}
#'
#' Amestoy PR, Davis TA, Duff IS (1996). "An approximate minimum degree ordering algorithm."
#' *SIAM Journal on Matrix Analysis and Applications*, 17(4), 886-905.
#' \doi{10.1137/S0895479894278952}
#' @family graphs
#' @examples
#' set.seed(1)
#' graph <- sample_sparse_sbm(400, k = 4, degree = 8, snr = 2)
#' count_communities(graph)
#' community_spectrum(graph)
#' @export
count_communities <- function(graph, r = NULL, weights = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "count_communities")
  graph_count(graph, r, weights, env)$count
}

#' @rdname count_communities
#' @export
community_spectrum <- function(graph, r = NULL, weights = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "count_communities")
  graph_count(graph, r, weights, env)
}

graph_count <- function(graph, r, weights, call) {
  check_r(r, call)
  graph <- as_graph(graph, call = call)
  simple <- as_simple_adjacency(graph, weights, call)
  parts <- bethe_parts(simple, r, call)
  count_negative(simple, parts)
}

count_dense_limit <- 1000L
count_factor_limit <- 3000L

count_negative <- function(simple, parts) {
  found <- counted_negative(simple, parts)
  near <- c(found$below, found$above)
  near <- near[which.min(abs(near))]
  if (abs(near) <= found$tolerance) found$sure <- FALSE
  if (!found$sure) {
    why <- if (abs(near) <= found$tolerance) {
      sprintf(
        "One eigenvalue is %s, which is 0 within the accuracy of %s.",
        format(signif(near, 3)), format(signif(found$tolerance, 2))
      )
    } else {
      "The eigen-solver did not converge, or missed an eigenvalue."
    }
    kg_warn(
      c(
        "The number of communities is not certain: {found$count} negative eigenvalue{?s} found.",
        "x" = "{why}",
        "i" = "Give {.arg k} yourself, or another {.arg r}."
      ),
      "count"
    )
  }
  known <- function(x) if (is.finite(x)) x else NA_real_
  structure(
    list(
      count = as.integer(found$count), below = known(found$below), above = known(found$above),
      nearest = known(near), sure = found$sure, r = as.numeric(parts$r)
    ),
    class = "kgroups_community_spectrum"
  )
}

#' @export
format.kgroups_community_spectrum <- function(x, digits = 3, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "count_communities")
  value <- function(which) format(x[[which]], digits = digits)
  next_to <- c(
    if (!is.na(x$below)) paste("the last one counted is", value("below")),
    if (!is.na(x$above)) paste("the next one is", value("above"))
  )
  c(
    sprintf(
      "%d communit%s: negative eigenvalues of the Bethe Hessian, r = %s",
      x$count, if (x$count == 1L) "y" else "ies", value("r")
    ),
    if (length(next_to)) paste0("  ", paste(next_to, collapse = ", ")),
    if (!x$sure) "  the count is not certain"
  )
}

#' @export
print.kgroups_community_spectrum <- function(x, ...) {
  cat(format(x, ...), sep = "\n")
  invisible(x)
}

component_negative <- function(parts, rows, scale) {
  n <- length(rows)
  if (n <= count_dense_limit) {
    values <- dense_eigen(parts, rows, n, vectors = FALSE)$values
    return(negative_of(values, TRUE, 1e-13 * n * scale))
  }
  if (n > wide_limit) {
    out <- wide_negative(parts, rows)
    if (!is.null(out)) {
      return(out)
    }
  }
  # Signs are wanted, not digits: the accuracy rises only while a sign is in doubt.
  ladder <- if (n <= count_factor_limit) 1e-9 else c(1e-4, 1e-6, if (n <= 50000) 1e-8)
  for (tol in ladder) {
    out <- lanczos_negative(parts, rows, tol, 2 * tol * scale)
    if (min(abs(c(out$below, out$above))) > out$tolerance) break
  }
  if (n <= count_factor_limit) {
    out$sure <- out$sure && identical(out$count, factor_negative(parts, rows))
  }
  out
}

# Batches of eigenvalues until what is left without their eigenvectors is not below 0.
lanczos_negative <- function(parts, rows, tol, tolerance) {
  n <- length(rows)
  k <- 10L
  repeat {
    found <- component_eigen(parts, rows, k, tol = tol)
    out <- negative_of(found$values, found$sure, tolerance)
    if (!found$sure || k >= n) {
      return(out)
    }
    rest <- smallest_of_rest(parts, rows, found, tol)
    out$sure <- is.finite(rest) && (rest >= 0 || is.finite(out$above))
    if (!is.finite(rest) || rest >= 0) {
      out$above <- min(out$above, rest, na.rm = TRUE)
      return(out)
    }
    if (is.finite(out$above)) {
      # Eigenvalues above 0 were found before one below 0: the batch missed it.
      out$sure <- rest > -tolerance
      return(out)
    }
    k <- min(2L * k, n)
  }
}

# The inertia of H = L D L': D has as many negative entries as H negative eigenvalues. NA if
# the factorisation fails (a pivot of 0).
factor_negative <- function(parts, rows) {
  H <- bethe_matrix(part_on(parts, rows))
  factor <- tryCatch(
    Matrix::Cholesky(H, perm = TRUE, LDL = TRUE, super = FALSE),
    error = function(e) NULL, warning = function(w) NULL
  )
  if (is.null(factor)) {
    return(NA_integer_)
  }
  pivots <- factor@x[factor@p[-length(factor@p)] + 1L]
  if (!all(is.finite(pivots))) NA_integer_ else sum(pivots < 0)
}

# The smallest eigenvalue of H once the negative ones found are taken out; NA if the solver
# does not converge.
smallest_of_rest <- function(parts, rows, found, tol) {
  turned <- turned_matrix(parts, rows)
  out <- found$values < 0
  X <- found$vectors[, out, drop = FALSE]
  value <- turned$shift - found$values[out]
  product <- function(x, args) {
    as.vector(turned$matrix %*% x) - as.vector(X %*% (value * crossprod(X, x)))
  }
  rest <- lanczos(product, 1L, 40L, tol, vectors = FALSE, n = length(rows))
  if (length(rest$values) == 1L) turned$shift - rest$values else NA_real_
}

# list(count, below, above, sure, tolerance): by elimination of the whole graph where that goes,
# else component by component.
counted_negative <- function(simple, parts) {
  table <- component_table(simple, parts)
  scale <- max(abs(parts$diagonal) + off_sums(parts))
  found <- list(count = 0L, below = -Inf, above = Inf, sure = TRUE, tolerance = 1e-12 * scale)
  # Nothing to count where Gershgorin's circles stay above 0, and in a Laplacian matrix.
  counts <- which(table$cyclic & table$bound <= 1e-12 * scale)
  if (abs(parts$r) == 1 && !simple$weighted) counts <- integer()
  size <- as.numeric(table$size[counts])
  if (any(size > count_dense_limit) || sum(size^3) > count_dense_work) {
    whole <- inertia_negative(parts, scale)
    if (!is.null(whole)) {
      return(whole)
    }
  }
  for (at in counts) {
    one <- component_negative(parts, component_rows(table, at), scale)
    found$count <- found$count + one$count
    found$below <- max(found$below, one$below)
    found$above <- min(found$above, one$above)
    found$sure <- found$sure && one$sure
    found$tolerance <- max(found$tolerance, one$tolerance)
  }
  found
}
