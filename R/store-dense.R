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
store_detach.kgroups_dense <- function(store) {
  if (!is.null(store$half)) store["values"] <- list(NULL)
  store
}

#' @export
store_attach.kgroups_dense <- function(store, source) if (is.null(store$values)) source$store else store

#' @export
store_new_features.kgroups_dense <- function(store, map, y, diag, type, call) {
  y <- check_cross_matrix(y, map$n, "kernel values", call)
  values <- scaled_new(y[, map$landmarks, drop = FALSE], map$exponent, call)
  self <- times_power_of_two(check_diag(diag, nrow(y), type, call), -map$exponent)
  values <- t(t(values) - store$half[map$landmarks]) - self / 2
  c(value_features(map, as.double(values)), list(names = rownames(y)))
}
