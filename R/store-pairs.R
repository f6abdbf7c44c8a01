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
store_cross.kgroups_packed <- function(store, problem, y, cluster, k, diag, type, call) {
  abort_diag(diag, call)
  Z <- weighted_indicator(problem, cluster, k)
  if (!is.null(problem$points)) {
    y <- check_new_points(y, problem, call = call)
    rho <- evaluate_function(problem$semimetric, y, problem$points, call = call)
    B <- -0.5 * times_power_of_two(rho, -problem$exponent)
  } else {
    y <- check_cross_matrix(y, problem$n, "dissimilarities", call)
    check_not_negative(y, call)
    scaled <- scaled_new(y, problem$exponent, call)
    B <- matrix(.Call(ffi_from_distances, as.vector(scaled), store$rho), nrow(y))
  }
  list(R = B %*% Z, self = 0, names = rownames(y))
}

#' @export
worth_caching.kgroups_packed <- function(store, passes) {
  caching_pays(store$n, passes, 2 + function_cost(store$rho))
}

#' @export
store_new_features.kgroups_packed <- function(store, map, y, diag, type, call) {
  y <- check_cross_matrix(y, map$n, "dissimilarities", call)
  check_not_negative(y, call)
  values <- scaled_new(y[, map$landmarks, drop = FALSE], map$exponent, call)
  values <- .Call(ffi_from_distances, as.vector(values), store$rho)
  c(value_features(map, values), list(names = rownames(y)))
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

# The values of a function of the user's are no data of theirs: they stay.
#' @export
store_fields.kgroups_packed <- function(store) if (is.null(store$values) || inherits(store$values, "dist")) "values"

# ---- dense ----

# Dense: a Gram matrix read in place, with `half` its diagonal by two: B_ij = G_ij - half_i -
# half_j, so that W has nothing of an offset. Or, `half` NULL, the matrix of B itself.

new_dense_store <- function(values, half = NULL) {
  structure(list(values = values, half = half, n = as.numeric(nrow(values))), class = "kgroups_dense")
}

#' @export
store_subset.kgroups_dense <- function(store, rows) {
  new_dense_store(.subset(store$values, rows, rows, drop = FALSE), store$half[rows])
}

#' @export
store_values.kgroups_dense <- function(store) {
  if (is.null(store$half)) store$values else gram_to_pairs(store)
}

gram_to_pairs <- function(store) {
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
store_cross.kgroups_dense <- function(store, problem, y, cluster, k, diag, type, call) {
  y <- check_cross_matrix(y, problem$n, "kernel values", call)
  scaled <- scaled_new(y, problem$exponent, call)
  self <- times_power_of_two(check_diag(diag, nrow(y), type, call), -problem$exponent)
  Z <- weighted_indicator(problem, cluster, k)
  R <- (t(t(scaled) - store$half) - self / 2) %*% Z
  list(R = R, self = 0, names = rownames(y))
}

#' @export
store_kernel.kgroups_dense <- function(store) !is.null(store$half)

#' @export
worth_caching.kgroups_dense <- function(store, passes) FALSE

#' @export
store_new_features.kgroups_dense <- function(store, map, y, diag, type, call) {
  y <- check_cross_matrix(y, map$n, "kernel values", call)
  values <- scaled_new(y[, map$landmarks, drop = FALSE], map$exponent, call)
  self <- times_power_of_two(check_diag(diag, nrow(y), type, call), -map$exponent)
  values <- t(t(values) - store$half[map$landmarks]) - self / 2
  c(value_features(map, as.double(values)), list(names = rownames(y)))
}

#' @export
store_fields.kgroups_dense <- function(store) if (!is.null(store$half)) "values"
