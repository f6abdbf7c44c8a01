# The number of communities: negative eigenvalues of the Bethe Hessian.

#' Count the communities of a graph
#'
#' Counts the negative eigenvalues of the Bethe Hessian matrix, which estimate the
#' number of communities that can be detected in the graph.
#'
#' @section Interpretation:
#' A negative eigenvalue stands for a group that differs from a random graph of the same mean
#' degree. The number is an estimate. It can differ from the number of groups in known
#' labels (the football network: 10 of 12). It counts a dense detached component
#' as a group of its own. If it is 0, the graph does not differ from a random one (the
#' `cluster_*` functions then return one cluster). With `details = TRUE`, `below` and `above` show how
#' clear the count is: the largest eigenvalue counted and the smallest one not counted. If one
#' of them is near 0 beside the others, one group more or less is as good an estimate.
#'
#' @section Algorithm:
#' Components with no more edges than vertices have no negative eigenvalue for
#' \eqn{r \ge 1}{r >= 1}. Others up to 1000 vertices are solved by a dense
#' eigen-decomposition. For larger ones (or very many) the whole graph is
#' eliminated vertex by vertex in order of minimum degree,
#' \eqn{H = L D L'}{H = LDL'}. The signs of D are the signs of the eigenvalues (Sylvester's law of
#' inertia). This is fast for graphs with small separators, such as many real networks, roads and grids.
#' If the elimination fills up and its budget ends, large components are counted by subspace iteration
#' with a Chebyshev filter (see [cluster_bethe_hessian()]). It stops when two counts in a row agree and
#' the next eigenvalue is positive.
#'
#' Edge weights: weights above 3 times their median are lowered to that first, with a message, unless `r` is
#' given. One heavy edge alone would raise r and hide all communities.
#'
#' `sure` is `FALSE`, with a warning of class `kg_warning_count`, if an eigenvalue is 0 within rounding,
#' if the solver does not converge, or if the checks disagree.
#'
#' @inheritParams bethe_hessian
#' @param details Return the count with its details (`TRUE`), or the count alone (`FALSE`, the default)?
#' @param ... Not used: an unknown argument is an error.
#' @return An integer. With `details = TRUE`, a list of class `kgroups_community_count`:
#'   \item{count}{the integer}
#'   \item{below, above}{the eigenvalues next to 0 on either side; `NA` if there is none or it was
#'     not computed}
#'   \item{nearest}{the one of the two that is nearer to 0}
#'   \item{sure}{`FALSE` if the count is uncertain}
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
#' graph <- igraph::sample_sbm(400, diag(0.05, 4) + 0.005, rep(100, 4))
#' count_communities(graph)
#' count_communities(graph, details = TRUE)
#' @export
count_communities <- function(graph, r = NULL, weights = NULL, details = FALSE, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "count_communities")
  details <- check_flag(details, "details")
  check_r(r)
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
        "i" = "Supply {.arg k}, or another {.arg r}."
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
    class = "kgroups_community_count"
  )
}

#' @export
format.kgroups_community_count <- function(x, digits = 3, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "count_communities")
  value <- function(which) format(x[[which]], digits = digits)
  next_to <- c(
    if (!is.na(x$below)) paste("the largest counted is", value("below")),
    if (!is.na(x$above)) paste("the next is", value("above"))
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
print.kgroups_community_count <- function(x, ...) {
  cat(format(x, ...), sep = "\n")
  invisible(x)
}

# Components up to this size, and of this sum of cubed sizes, are counted densely.
count_dense_limit <- 1000L
count_dense_work <- 1e9

# Return list(count, below, above, sure, tolerance), by elimination of the whole graph if it stays within
# its budget, else component by component.
eigenvalue_count <- function(simple, parts) {
  table <- component_table(simple, parts)
  scale <- max(abs(parts$diagonal) + off_sums(parts))
  found <- list(count = 0L, below = -Inf, above = Inf, sure = TRUE, tolerance = 1e-12 * scale)
  # Gershgorin's circles above 0 and Laplacian matrices have no negative eigenvalue
  counts <- which(table$cyclic & table$bound <= 1e-12 * scale)
  if (abs(parts$r) == 1 && !simple$weighted) counts <- integer()
  size <- as.numeric(table$size[counts])
  if (any(size > count_dense_limit) || sum(size^3) > count_dense_work) {
    columns <- component_columns(parts, seq_len(simple$n))
    whole <- inertia_count(columns, scale, inertia_budget)
    if (!is.null(whole)) {
      return(whole)
    }
  }
  for (at in counts) {
    one <- component_count(parts, component_rows(table, at), scale)
    found$count <- found$count + one$count
    found$below <- max(found$below, one$below)
    found$above <- min(found$above, one$above)
    found$sure <- found$sure && one$sure
    found$tolerance <- max(found$tolerance, one$tolerance)
  }
  found
}

component_count <- function(parts, rows, scale) {
  n <- length(rows)
  if (n <= count_dense_limit) {
    return(count_values(dense_eigenvalues(dense_block(parts, rows)), TRUE, 1e-13 * n * scale))
  }
  found <- chebyshev_count(parts, rows)
  if (found$sure && min(abs(c(found$below, found$above))) > found$tolerance) {
    return(found)
  }
  # doubles decide what single precision cannot, up to a size that takes seconds
  if (n <= 3000L) inertia_count(component_columns(parts, rows), scale, Inf) %||% found else found
}

count_values <- function(values, sure, tolerance) {
  below <- values[values < 0]
  above <- values[values >= 0]
  list(
    count = length(below), below = max(below, -Inf), above = min(above, Inf),
    sure = sure, tolerance = tolerance
  )
}

# By subspace iteration, with more vectors as long as all values are negative.
chebyshev_count <- function(parts, rows) {
  k <- min(12L, length(rows) %/% 4L)
  repeat {
    found <- chebyshev_solve(parts, rows, k, cycles = 100, counting = TRUE)
    full <- !anyNA(found$values) && sum(found$values < 0) + 1L >= length(found$values)
    if (!full) break
    k <- 4L * (k + 4L) - 4L
    # a large part of the spectrum is not for this method
    if (4 * (k + 20) > length(rows)) {
      found$converged <- FALSE
      break
    }
  }
  # in single precision, values nearer to 0 have no sign
  count_values(found$values[!is.na(found$values)], found$converged, 1e-6 * found$bound)
}

# ---- Elimination (src/kg_inertia.c) --------------------------------------------------------
# The count is exact up to rounding, with no iteration that could miss an eigenvalue.

# Largest work of an elimination, in entries of fronts: about a second.
inertia_budget <- 3e8

# Return list(count, work): how many eigenvalues of H are below `shift`; the count is NA if the budget
# ends.
eigenvalues_below <- function(columns, shift, budget = inertia_budget) {
  found <- .Call(
    ffi_inertia, columns[c("start", "row", "value", "diagonal")], as.double(shift), min(budget, 1e15),
    1e-14 * max(abs(columns$diagonal))
  )
  list(count = as.integer(found[1L]), work = found[2L])
}

# Return list(count, below, above, sure, tolerance), or NULL if the budget ends. Counts on both sides of 0
# differ if a sign is in doubt.
inertia_count <- function(columns, scale, budget) {
  tolerance <- 1e-10 * scale
  low <- eigenvalues_below(columns, -tolerance, budget)
  if (is.na(low$count)) {
    return(NULL)
  }
  high <- eigenvalues_below(columns, tolerance, budget)
  if (is.na(high$count)) {
    return(NULL)
  }
  out <- list(count = low$count, below = -Inf, above = Inf, sure = low$count == high$count, tolerance = tolerance)
  if (!out$sure) {
    out$above <- 0
  } else if (low$work + high$work < margin_work) {
    out[c("below", "above")] <- inertia_margins(columns, low$count, tolerance, scale)
  }
  out
}

# The eigenvalues next to 0 take some thirty counts more, so they are computed for small work only.
margin_work <- 1e6

# Return the distances at which the count changes, to three digits, by bisection of the logarithm.
inertia_margins <- function(columns, count, tolerance, scale) {
  change <- function(side) {
    changed <- function(distance) !identical(eigenvalues_below(columns, side * distance)$count, count)
    low <- tolerance
    high <- 0.01
    while (!changed(high)) {
      low <- high
      high <- 4 * high
      if (high > 2 * scale) {
        return(Inf)
      }
    }
    while (high / low > 1.001) {
      middle <- sqrt(low * high)
      if (changed(middle)) high <- middle else low <- middle
    }
    sqrt(low * high)
  }
  list(if (count > 0L) -change(-1) else -Inf, change(1))
}
