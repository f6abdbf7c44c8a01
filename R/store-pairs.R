# Stores of given values for all pairs.

# ---- packed ----

# Packed: the lower triangle of a matrix of distances, or of the values of a user's function.

new_packed_store <- function(values, n, rho) {
  structure(list(values = values, n = as.numeric(n), rho = rho), class = "kgroups_packed")
}

#' @export
store_subset.kgroups_packed <- function(store, rows) {
  new_packed_store(packed_subset(store$values, store$n, rows), length(rows), store$rho)
}

#' @export
store_rho.kgroups_packed <- function(store, i, j) {
  low <- pmin(i, j)
  high <- pmax(i, j)
  d <- numeric(length(i))
  apart <- low != high
  at <- store$n * (low - 1) - low * (low - 1) / 2 + high - low
  d[apart] <- .subset(store$values, at[apart])
  -2 * .Call(ffi_from_distances, d, store$rho)
}

# Values of the user's function at new points, or an m x n matrix of distances.
#' @export
read_new.kgroups_packed <- function(store, of, y, diag, type, call) {
  abort_diag(diag, call)
  values <- if (is.null(of$points)) {
    new_dissimilarities(y, of, call)
  } else {
    times_power_of_two(evaluate_function(of$semimetric, y, of$points, call = call), -of$exponent)
  }
  list(values = values, names = rownames(y))
}

#' @export
store_cross.kgroups_packed <- function(store, problem, new, cluster, k) {
  B <- matrix(.Call(ffi_from_distances, as.vector(new$values), store$rho), nrow(new$values))
  list(R = B %*% weighted_indicator(problem, cluster, k), self = 0)
}

#' @export
store_cost.kgroups_packed <- function(store) 2 + function_cost(store$rho)

#' @export
store_new_features.kgroups_packed <- function(store, map, new, call) {
  value_features(map, .Call(ffi_from_distances, as.vector(new$values[, map$landmarks]), store$rho))
}

# The packed triangle among some of n observations; rows ascending.
packed_subset <- function(values, n, rows) {
  m <- length(rows)
  if (m == n) {
    return(as.vector(values))
  }
  if (m < 2L) {
    return(numeric())
  }
  unlist(lapply(seq_len(m - 1L), function(a) {
    j <- rows[a]
    .subset(values, n * (j - 1) - j * (j - 1) / 2 + rows[seq.int(a + 1L, m)] - j)
  }), use.names = FALSE)
}

# The values of a user's function are not in the data: they stay.
#' @export
store_detach.kgroups_packed <- function(store) if (inherits(store$values, "dist")) NextMethod() else store

# ---- dense ----

# Dense: a Gram matrix read in place, with `half` its diagonal by two: B_ij = G_ij - half_i -
# half_j, so that W does not depend on an offset. Or, `half` NULL, the matrix of B itself.

new_dense_store <- function(values, half = NULL) {
  structure(list(values = values, half = half, n = as.numeric(nrow(values))), class = "kgroups_dense")
}

#' @export
store_subset.kgroups_dense <- function(store, rows) {
  new_dense_store(.subset(store$values, rows, rows, drop = FALSE), store$half[rows])
}

#' @export
store_values.kgroups_dense <- function(store) {
  if (is.null(store$half)) {
    return(store$values)
  }
  out <- .subset(store$values, seq_len(store$n), seq_len(store$n), drop = FALSE)
  dimnames(out) <- NULL
  out <- out - outer(store$half, store$half, "+")
  diag(out) <- 0
  out
}

#' @export
store_rho.kgroups_dense <- function(store, i, j) {
  B <- .subset(store$values, cbind(i, j))
  if (!is.null(store$half)) B <- B - store$half[i] - store$half[j]
  -2 * replace(B, i == j, 0)
}

# K(new, y) - K(new, new)/2 - half_y
#' @export
store_cross.kgroups_dense <- function(store, problem, new, cluster, k) {
  B <- t(t(new$values) - store$half) - new$self / 2
  list(R = B %*% weighted_indicator(problem, cluster, k), self = 0)
}

#' @export
read_new.kgroups_dense <- function(store, of, y, diag, type, call) new_kernel_values(y, of, diag, type, call)

#' @export
store_kernel.kgroups_dense <- function(store) !is.null(store$half)

#' @export
store_cost.kgroups_dense <- function(store) NA

#' @export
store_new_features.kgroups_dense <- function(store, map, new, call) {
  values <- t(t(new$values[, map$landmarks, drop = FALSE]) - store$half[map$landmarks]) - new$self / 2
  value_features(map, as.double(values))
}
