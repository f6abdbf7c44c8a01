# The number of communities: negative eigenvalues of the Bethe Hessian.

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
    kg_warn(
      c(
        "The number of communities is not certain: {found$count} negative eigenvalue{?s} found.",
        "x" = "{why}",
        "i" = "Supply `k`, or another `r`."
      ),
      "count"
    )
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
