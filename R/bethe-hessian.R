# The Bethe Hessian of a graph, Saade, Krzakala, Zdeborová (2014).
#
#     H_r = (r^2 - 1) I - r A + D
#
# and for edge weights a the form that becomes it at a = 1:
#     (r^2 - 1) times  1 + sum_j a_ij^2 / (r^2 - a_ij^2)  on the diagonal,
#                      -r a_ij / (r^2 - a_ij^2)           off it.

#' Bethe Hessian matrix of a graph
#'
#' Computes the sparse symmetric matrix whose negative eigenvalues count the communities of a
#' sparse graph. Its eigenvectors find them, down to the detectability limit.
#'
#' @section Definition:
#' With the adjacency matrix \eqn{A}, the diagonal matrix of degrees \eqn{D} and a number
#' \eqn{r},
#' \deqn{H_r = (r^2 - 1) I - r A + D.}{H_r = (r^2 - 1) I - r A + D.}
#' With edge weights \eqn{a_{ij}}{a_ij} it is \eqn{r^2 - 1} times the matrix with
#' \eqn{1 + \sum_j a_{ij}^2 / (r^2 - a_{ij}^2)}{1 + sum_j a_ij^2/(r^2 - a_ij^2)} on the
#' diagonal and \eqn{-r a_{ij} / (r^2 - a_{ij}^2)}{-r a_ij/(r^2 - a_ij^2)} off it, which is
#' the same at \eqn{a = 1}. It exists for \eqn{r > \max |a|}{r > max |a|} only: for a smaller
#' `r` the weights are divided by the attribute `scale` of the result (otherwise 1).
#'
#' @section Choosing r:
#' The default is \eqn{\sqrt{c}}{sqrt(c)} with \eqn{c} the mean degree. It puts the bulk of the
#' spectrum of a random graph without communities at 0 and above. For graphs with weights
#' it is the root of the mean over vertices of \eqn{\sum_j a_{ij}^2}{sum_j a_ij^2}, which
#' is \eqn{c} at \eqn{a = 1}, so the count does not depend on the unit of the weights.
#' A negative `r` finds disassortative groups, which have fewer edges inside than across.
#'
#' @section Graphs that are not simple:
#' Directions and loops are dropped. Parallel edges become one, whose weight is their number or the sum of their
#' weights; with `weights = NA` it is 1. Two edges of opposite directions are one edge. Edges of weight 0 are dropped.
#' The print of communities and of fits reports edges that were dropped or merged.
#'
#' @param graph An igraph graph with at least one vertex, or its adjacency matrix as a sparse matrix of
#'   package Matrix, symmetric, whose entries are the edge weights.
#' @param r `NULL` (the default) for the square root of the mean degree, or a number of at most 1e100.
#' @param weights Edge weights as in igraph: `NULL` (the default) for the edge attribute
#'   `weight` if there is one (else parallel edges count by their number), `NA` for none, or one number, 0 or above, per
#'   edge.
#' @param ... Not used: an unknown argument is an error.
#' @return A sparse symmetric matrix of class `dsCMatrix`, n x n, named by the vertex names
#'   if there are any, with the attributes `r` and `scale`, the divisor of the weights.
#' @references
#' Saade A, Krzakala F, Zdeborová L (2014). "Spectral clustering of graphs with the Bethe
#' Hessian." *Advances in Neural Information Processing Systems*, 27. \doi{10.48550/arXiv.1406.1880}
#' @family graphs
#' @examples
#' # two complete graphs joined by an edge: two negative eigenvalues, so two communities
#' graph <- igraph::make_full_graph(4) + igraph::make_full_graph(4) + igraph::edge(1, 5)
#' H <- bethe_hessian(graph)
#' H
#' attr(H, "r")
#' eigen(as.matrix(H))$values
#' @export
bethe_hessian <- function(graph, r = NULL, weights = NULL, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "bethe_hessian")
  # its square and products with it must stay finite
  if (!is.null(r)) r <- check_number(r, "r", -1e100, 1e100)
  graph <- as_graph(graph)
  simple <- as_simple_adjacency(graph, weights)
  if (simple$unit != 1) {
    # equal weights count here, because r has their unit
    simple$adjacency@x <- simple$adjacency@x * simple$unit
    simple$weighted <- TRUE
  }
  parts <- bethe_parts(simple, r)
  H <- bethe_matrix(parts)
  if (!is.null(simple$names)) dimnames(H) <- list(simple$names, simple$names)
  attr(H, "r") <- parts$r
  attr(H, "scale") <- parts$scale
  H
}

# Return list(off, diagonal, r, every, scale) with H_r = diag(diagonal) - off and `scale` the divisor of
# the edge weights. Without weights all entries of off are `every` and its values are those of the
# adjacency matrix, which saves a second array; off_matrix() fills them in.
bethe_parts <- function(simple, r = NULL, call = rlang::caller_env()) {
  A <- simple$adjacency
  given <- !is.null(r)
  r <- r %||% default_r(simple)
  if (!simple$weighted) {
    return(list(off = A, diagonal = r^2 - 1 + diff(A@p), r = r, every = r, scale = 1))
  }
  unit <- weight_unit(A, r, given, call)
  A@x <- A@x / unit$scale
  r <- unit$r
  square <- A@x^2
  factor <- r^2 - 1
  off <- A
  off@x <- factor * r * A@x / (r^2 - square)
  ratio <- A
  ratio@x <- square / (r^2 - square)
  list(off = off, diagonal = factor * (1 + Matrix::colSums(ratio)), r = r, scale = unit$scale)
}

# Return list(r, scale): the divisor that makes |r| > 1 and all weights smaller than |r|.
weight_unit <- function(A, r, given, call) {
  scale <- 1
  largest <- max(A@x)
  if (abs(r) <= 1) {
    # the factor r^2 - 1 must be positive
    if (given) {
      abort_input(
        "r", call, "`r` must be above 1, or below -1, for a graph with edge weights.", "You supplied {format(r)}."
      )
    }
    scale <- sqrt(mean(A@x^2))
    largest <- largest / scale
    r <- max(sqrt(sum((A@x / scale)^2) / nrow(A)), 1.02)
  }
  if (abs(r) <= largest) {
    scale <- scale * 1.05 * largest / abs(r)
  }
  list(r = r, scale = scale)
}

# Return the default r, the root of the mean degree (with weights, of the mean sum of squared weights). For a graph
# with so few edges that it would be below 1 it is 1, and H_1 is the Laplacian matrix.
default_r <- function(simple) {
  A <- simple$adjacency
  if (simple$weighted) sqrt(sum(A@x^2) / simple$n) else max(sqrt(length(A@x) / simple$n), 1)
}

off_matrix <- function(parts) {
  off <- parts$off
  if (!is.null(parts$every)) off@x <- rep(parts$every, length(off@x))
  off
}

# Return the radii of Gershgorin's circles.
off_sums <- function(parts) {
  if (is.null(parts$every)) Matrix::colSums(abs(parts$off)) else abs(parts$every) * diff(parts$off@p)
}

bethe_matrix <- function(parts) {
  Matrix::forceSymmetric(Matrix::Diagonal(x = parts$diagonal) - off_matrix(parts), uplo = "U")
}

# ---- Smallest eigenpairs, component by component -----------------------------------------
# Up to 300 vertices dense, up to 3000 by Lanczos iterations, above by subspace iteration with a Chebyshev filter
# (src/kg_chebyshev.c). A solver for the whole graph would not separate the eigenvalues of equal components.

dense_limit <- 300L
chebyshev_limit <- 3000L

# Return the rows of every component and two bounds. A component with no more edges than vertices (a
# tree or one cycle) has no negative eigenvalue for r >= 1; `bound` is Gershgorin's for the smallest one.
component_table <- function(simple, parts) {
  size <- simple$component_size
  entries <- sum_by(diff(parts$off@p), simple$component, length(size))
  bound <- tapply(parts$diagonal - off_sums(parts), simple$component, min)
  list(
    order = order(simple$component), start = cumsum(c(0, size)), size = size,
    cyclic = entries / 2 > size | abs(parts$r) < 1, bound = as.vector(bound)
  )
}

component_rows <- function(table, at) {
  table$order[(table$start[at] + 1):table$start[at + 1]]
}

# Return k eigenpairs of H, fewer if the solver fails: list(values, vectors (n x k, unit length), component, converged,
# blocks). `blocks` of a spectrum at another r are a warm start. Negative eigenvalues of components of at least
# `min_size` vertices come first: a small dense component would replace a community.
bethe_spectrum <- function(simple, parts, k, min_size = simple$n / (10 * k), blocks = list()) {
  table <- component_table(simple, parts)
  found <- data.frame(value = numeric(), component = integer(), column = integer())
  kept <- list()
  converged <- TRUE
  largest <- Inf
  first <- seq_along(table$size) == 1L | table$cyclic
  alone <- table$size == 1L
  for (at in c(which(first), which(!first & !alone), utils::head(which(!first & alone), k))) {
    # a tree or cycle counts only while values above 0 are in use
    if (!first[at] && (largest <= 0 || table$bound[at] >= largest)) next
    name <- as.character(at)
    part <- component_eigen(parts, component_rows(table, at), k, blocks[[name]])
    converged <- converged && part$converged
    blocks[[name]] <- part$block
    if (length(part$values) == 0) next
    kept[[name]] <- part$vectors
    found <- rbind(found, data.frame(value = part$values, component = at, column = seq_along(part$values)))
    small <- table$size[found$component] < min_size
    found <- found[order(found$value >= 0, found$value < 0 & small, found$value), ]
    if (nrow(found) >= k) {
      found <- found[seq_len(k), ]
      largest <- max(found$value)
    }
  }
  vectors <- matrix(0, simple$n, nrow(found))
  for (at in unique(found$component)) {
    mine <- which(found$component == at)
    vectors[component_rows(table, at), mine] <- kept[[as.character(at)]][, found$column[mine], drop = FALSE]
    kept[[as.character(at)]] <- NULL
  }
  list(values = found$value, vectors = vectors, component = found$component, converged = converged, blocks = blocks)
}

# Return list(values, vectors, converged) of the k smallest eigenvalues of H on a connected set of rows.
# Lanczos iterations get shift I - H: their tolerance is relative to the eigenvalue, and the values of
# interest of H are near 0.
component_eigen <- function(parts, rows, k, block = NULL) {
  n <- length(rows)
  k <- min(k, n)
  if (n <= dense_limit || (k > n / 4 && n <= 3000)) {
    return(dense_eigen(parts, rows, k))
  }
  if (use_chebyshev(n, k)) {
    return(chebyshev_eigen(parts, rows, k, block))
  }
  part <- parts_of(parts, rows)
  # no less than any eigenvalue
  shift <- max(part$diagonal + off_sums(part))
  shifted <- methods::as(off_matrix(part) + Matrix::Diagonal(x = shift - part$diagonal), "generalMatrix")
  found <- lanczos(function(v, args) as.vector(shifted %*% v), k, max(2L * k + 10L, 30L), 1e-9, n)
  if (length(found$values) < k && n <= chebyshev_limit) {
    # many eigenvalues near the smallest, as in a ring
    return(if (4 * (k + 20) <= n) chebyshev_eigen(parts, rows, k) else dense_eigen(parts, rows, k))
  }
  list(values = shift - found$values, vectors = found$vectors, converged = length(found$values) == k)
}

# Filtered blocks pay if the graph is large and k a small part of it.
use_chebyshev <- function(n, k) n > chebyshev_limit && 4 * (k + 20) <= n

# Largest residual |H x - theta x|: a share of the largest eigenvalue, which is far below the noise of the
# eigenvectors of a random graph, or a share of theta.
chebyshev_tolerance <- c(5e-4, 0.03)

# As component_eigen(), with the block of vectors as a warm start for another r.
chebyshev_eigen <- function(parts, rows, k, block = NULL, cycles = 60) {
  found <- chebyshev_solve(parts, rows, k, block, cycles)
  bound <- pmax(chebyshev_tolerance[1L] * found$bound, chebyshev_tolerance[2L] * abs(found$values))
  good <- if (found$converged) seq_len(k) else which(!is.na(found$values[1:k]) & found$residuals[1:k] <= bound[1:k])
  list(
    values = found$values[good],
    vectors = if (length(good) == k) found$vectors else found$vectors[, good, drop = FALSE],
    converged = length(good) == k, block = if (length(good)) found$block
  )
}

chebyshev_solve <- function(parts, rows, k, block = NULL, cycles = 60, counting = FALSE) {
  part <- component_columns(parts, rows)
  .Call(
    ffi_chebyshev, part[c("start", "row", "value", "diagonal")], as.double(k), block,
    chebyshev_tolerance, as.double(cycles), counting
  )
}

# Return the compressed columns of a component, whose rows are in increasing order, as the kernels read them;
# `value` is one number if all entries are equal. Time does not depend on the other components.
component_columns <- function(parts, rows) {
  off <- parts$off
  value <- parts$every %||% off@x
  if (length(rows) == length(parts$diagonal)) {
    return(list(start = off@p, row = off@i, value = value, diagonal = as.double(parts$diagonal)))
  }
  count <- off@p[rows + 1L] - off@p[rows]
  at <- sequence(count, off@p[rows] + 1L)
  list(
    start = c(0L, cumsum(count)), row = match(off@i[at] + 1L, rows) - 1L,
    value = if (is.null(parts$every)) value[at] else value, diagonal = as.double(parts$diagonal[rows])
  )
}

# Return the parts of H on the rows.
parts_of <- function(parts, rows) {
  if (length(rows) < length(parts$diagonal)) {
    parts$off <- parts$off[rows, rows, drop = FALSE]
    parts$diagonal <- parts$diagonal[rows]
  }
  parts
}

# Return H on the rows as a plain matrix.
dense_block <- function(parts, rows) {
  part <- component_columns(parts, rows)
  block <- diag(part$diagonal, length(rows))
  block[cbind(part$row + 1L, rep.int(seq_along(rows), diff(part$start)))] <- -part$value
  block
}

dense_eigen <- function(parts, rows, k) {
  found <- eigen(dense_block(parts, rows), symmetric = TRUE)
  last <- rev(seq_along(found$values))[seq_len(k)]
  list(values = found$values[last], vectors = found$vectors[, last, drop = FALSE], converged = TRUE)
}

# Return the largest eigenpairs, those that converge within 100 restarts. The product is an R function because
# RSpectra's own would answer no interrupt.
lanczos <- function(product, k, space, tolerance, n) {
  found <- suppressWarnings(catch_error(
    eigs_of(
      product, k,
      which = "LA", opts = list(ncv = min(space, n), tol = tolerance, maxitr = 100, retvec = TRUE), n = n
    ),
    error = function(e) list(values = numeric())
  ))
  good <- which(is.finite(found$values))
  order <- good[order(found$values[good], decreasing = TRUE)]
  list(values = found$values[order], vectors = if (length(order)) found$vectors[, order, drop = FALSE])
}

# ---- The number of communities: negative eigenvalues ----------------------------------------

#' Count the communities of a graph
#'
#' Counts the negative eigenvalues of the Bethe Hessian matrix, which estimate the
#' number of communities that can be detected in the graph.
#'
#' @section Interpretation:
#' A negative eigenvalue stands for a group that differs from a random graph of the same mean
#' degree. The number is an estimate, and can differ from the number of groups in known
#' labels (the football network: 10 of 12). It counts a dense detached component
#' as a group of its own. If it is 0, the graph does not differ from a random one. With `details = TRUE`, `below` and
#' `above` show how clear the count is: if one of them is near 0 beside the others, one group more or less is as
#' good an estimate.
#'
#' @section Algorithm:
#' Components up to 1000 vertices (300 if there are many) are solved by a dense eigen-decomposition. Larger ones are
#' counted by subspace iteration with a Chebyshev filter (see [cluster_bethe_hessian()]). A component with more than 12
#' negative eigenvalues is factorised by CHOLMOD, \eqn{H = L D L'}{H = LDL'}, if its breadth-first levels are narrow, as
#' in roads and grids. The signs of D are the signs of the eigenvalues (Sylvester's law of inertia).
#'
#' Edge weights: weights above 3 times their median are lowered to that first, unless `r` is
#' given. One heavy edge alone would raise r and hide all communities.
#'
#' `sure` is `FALSE`, with a warning of class `kg_warning_count`, if an eigenvalue is 0 within rounding,
#' if the solver does not converge, or if the checks disagree.
#'
#' @inheritParams bethe_hessian
#' @param details Return the count with its details (`TRUE`), or the count alone (`FALSE`, the default)?
#' @param ... Not used: an unknown argument is an error.
#' @return An integer. With `details = TRUE`, a data frame of one row: `count`; `below` and `above`, the eigenvalues
#'   next to 0 on either side (`NA` if there is none or it was not computed); `nearest`, the one of the two that is
#'   nearer to 0; `sure`, `FALSE` if the count is uncertain; and `r`, the parameter of the matrix.
#' @section Complexity: A factorisation of at most 1e10 operations, or some tens of products of the
#'   sparse matrix with 16 vectors; \eqn{O(m + n k)}{O(m + n k)} memory for a count of k.
#' @references
#' Chen Y, Davis TA, Hager WW, Rajamanickam S (2008). "Algorithm 887: CHOLMOD, supernodal sparse
#' Cholesky factorization and update/downdate." *ACM Transactions on Mathematical Software*, 35(3), 22.
#' \doi{10.1145/1391989.1391995}
#' @family graphs
#' @examples
#' # four planted blocks: four eigenvalues below zero
#' set.seed(1)
#' graph <- igraph::sample_sbm(400, diag(0.05, 4) + 0.005, rep(100, 4))
#' count_communities(graph)
#' count_communities(graph, details = TRUE)
#' @export
count_communities <- function(graph, r = NULL, weights = NULL, details = FALSE, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "count_communities")
  details <- check_flag(details, "details")
  if (!is.null(r)) r <- check_number(r, "r", -1e100, 1e100)
  graph <- as_graph(graph)
  simple <- as_simple_adjacency(graph, weights)
  # the spectrum at a given r is that of bethe_hessian()
  if (is.null(r)) simple <- damp_weights(simple)
  found <- count_negative(simple, bethe_parts(simple, r, env))
  if (details) found else found$count
}

# Return k, or for NULL the count, at least 1.
graph_k <- function(k, simple, parts, call = rlang::caller_env()) {
  if (is.null(k)) {
    return(max(count_negative(simple, parts)$count, 1L))
  }
  hint <- "Use a smaller `k`, or leave it out: the number is then estimated from the graph."
  as.integer(check_count(k, "k", 1, simple$n, hint = hint, call = call))
}

count_negative <- function(simple, parts) {
  found <- eigenvalue_count(simple, parts)
  near <- c(found$below, found$above)
  near <- near[which.min(abs(near))]
  zero <- abs(near) <= found$tolerance
  found$sure <- found$sure && !zero
  if (!found$sure) {
    why <- if (zero) {
      sprintf(
        "One eigenvalue is %s, which is 0 within the tolerance %s.",
        format(signif(near, 3)), format(signif(found$tolerance, 2))
      )
    } else {
      "The eigen-solver did not converge, or missed an eigenvalue."
    }
    kg_warn(c(
      "The number of communities is not certain: {found$count} negative eigenvalue{?s} found.", "x" = "{why}",
      "i" = "Supply `k`, or another `r`."
    ), "count")
  }
  known <- function(x) if (is.finite(x)) x else NA_real_
  data.frame(
    count = as.integer(found$count), below = known(found$below), above = known(found$above),
    nearest = known(near), sure = found$sure, r = as.numeric(parts$r)
  )
}

# Components up to this size are counted densely, those up to the second size if there are many.
count_dense_limit <- c(1000, 300)
count_dense_work <- 1e9

# Return list(count, below, above, sure, tolerance), component by component.
eigenvalue_count <- function(simple, parts) {
  table <- component_table(simple, parts)
  scale <- max(abs(parts$diagonal) + off_sums(parts))
  found <- list(count = 0L, below = -Inf, above = Inf, sure = TRUE, tolerance = 1e-12 * scale)
  # Gershgorin's circles above 0 and Laplacian matrices have no negative eigenvalue
  counts <- which(table$cyclic & table$bound <= 1e-12 * scale)
  if (abs(parts$r) == 1 && !simple$weighted) counts <- integer()
  dense <- count_dense_limit[1 + (sum(as.numeric(table$size[counts])^3) > count_dense_work)]
  for (at in counts) {
    one <- component_count(parts, component_rows(table, at), scale, dense)
    found$count <- found$count + one$count
    found$below <- max(found$below, one$below)
    found$above <- min(found$above, one$above)
    found$sure <- found$sure && one$sure
    found$tolerance <- max(found$tolerance, one$tolerance)
  }
  found
}

component_count <- function(parts, rows, scale, dense = count_dense_limit[1L]) {
  n <- length(rows)
  if (n <= dense) {
    return(count_values(dense_eigenvalues(dense_block(parts, rows)), TRUE, 1e-13 * n * scale))
  }
  # a few negative eigenvalues are the usual case; elimination counts any number of them
  found <- chebyshev_count(parts, rows, first_block)
  if (found$sure && min(abs(c(found$below, found$above))) > found$tolerance) {
    return(found)
  }
  elimination_count(parts, rows, scale) %||% chebyshev_count(parts, rows)
}

count_values <- function(values, sure, tolerance) {
  below <- values[values < 0]
  above <- values[values >= 0]
  list(count = length(below), below = max(below, -Inf), above = min(above, Inf), sure = sure, tolerance = tolerance)
}

# Negative eigenvalues in the first count.
first_block <- 12

# By subspace iteration, with more vectors as long as all values are negative; not sure if these are more
# than `most`. A large part of the spectrum is not for this method.
chebyshev_count <- function(parts, rows, most = length(rows) / 4 - 20) {
  k <- min(first_block, length(rows) %/% 4L)
  repeat {
    found <- chebyshev_solve(parts, rows, k, cycles = 100, counting = TRUE)
    full <- !anyNA(found$values) && sum(found$values < 0) + 1L >= length(found$values)
    if (!full) break
    k <- 4L * (k + 4L) - 4L
    if (k > most) {
      found$converged <- FALSE
      break
    }
  }
  # in single precision, values nearer to 0 have no sign
  count_values(found$values[!is.na(found$values)], found$converged, 1e-6 * found$bound)
}

# ---- Elimination: H - shift I = L D L' -----------------------------------------------------
# D has as many negative entries as eigenvalues lie below the shift, with no iteration that could miss one.

# Largest n w^2 for n vertices and breadth-first levels of at most w: by levels, elimination takes no more
# operations and n w numbers. The factorisation answers no interrupt; this much takes a second or two.
elimination_most <- 1e10

# Return list(count, below, above, sure, tolerance), or NULL if the work may be too large or the signs are not
# known. The counts on both sides of 0 differ if a sign is in doubt.
elimination_count <- function(parts, rows, scale, most = elimination_most) {
  parts <- parts_of(parts, rows)
  n <- length(rows)
  if (n * level_width(parts$off, sqrt(most / n))^2 > most) {
    return(NULL)
  }
  H <- bethe_matrix(parts)
  tolerance <- 1e-8 * scale
  # CHOLMOD stops at a pivot that is exactly 0
  counts <- catch_error(
    {
      factor <- Matrix::Cholesky(H, LDL = TRUE, super = FALSE, Imult = tolerance)
      c(count_pivots(factor, tolerance), count_pivots(Matrix::update(factor, H, mult = -tolerance), tolerance))
    },
    error = function(e) NA
  )
  if (anyNA(counts)) {
    return(NULL)
  }
  sure <- counts[1L] == counts[2L]
  list(count = counts[1L], below = -Inf, above = if (sure) Inf else 0, sure = sure, tolerance = tolerance)
}

# Return the number of negative pivots. NA if |L| |D| |L|', which bounds the rounding errors of a
# factorisation without pivoting, is too large: its trace is no less than its norm.
count_pivots <- function(factor, tolerance) {
  L <- factor@x
  first <- factor@p[-length(factor@p)] + 1L
  pivot <- L[first]
  L[first] <- 1
  growth <- sum(L^2 * rep.int(abs(pivot), diff(factor@p)))
  if (is.finite(growth) && 1e-15 * growth < tolerance) sum(pivot < 0) else NA_integer_
}

# Return the size of the largest breadth-first level of a connected graph, from a vertex far from the
# first one; at least `most` if it exceeds that.
level_width <- function(adjacency, most) {
  start <- adjacency@p[-length(adjacency@p)] + 1L
  count <- diff(adjacency@p)
  level <- 1L
  for (sweep in 1:2) {
    seen <- logical(length(start))
    width <- 1L
    while (length(level) > 0L && width <= most) {
      last <- level
      seen[level] <- TRUE
      level <- unique(adjacency@i[sequence(count[level], start[level])] + 1L)
      level <- level[!seen[level]]
      width <- max(width, length(level))
    }
    level <- last[1L]
  }
  width
}
