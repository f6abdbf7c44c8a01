# Features: explicit coordinates, width x n, of which W is the sum of squared distances: those of
# landmarks in 16 bits a value, a raw vector with a unit each behind, or those of points as doubles.

new_features_store <- function(z, n) structure(list(z = z, n = as.numeric(n)), class = "kgroups_features")

# 2 bytes a value and 4 a unit; or doubles, width x n.
width_of_features <- function(store) {
  if (is.raw(store$z)) (length(store$z) / store$n - 4) / 2 else length(store$z) / store$n
}

# Some of the observations as points of squared Euclidean distances: W is the same.
#' @export
store_subset.kgroups_features <- function(store, rows) {
  new_points_store(t(take_features(store$z, store$n, rows, doubles = TRUE)), semimetric_code(rho_power(2)))
}

#' @export
store_values.kgroups_features <- function(store) store_values(store_subset(store, seq_len(store$n)))

#' @export
store_rho.kgroups_features <- function(store, i, j) {
  .Call(ffi_features_rho, store, as.integer(i), as.integer(j))
}

#' @export
store_starts.kgroups_features <- function(store) c("kmeans++", "random")

#' @export
worth_caching.kgroups_features <- function(store, passes) FALSE

# Features of some observations, width x rows, doubles or as they are.
take_features <- function(z, n, rows, doubles = FALSE) {
  .Call(ffi_features_take, new_features_store(z, n), as.integer(rows), as.numeric(doubles))
}

# Some of the observations with their features as they are.
features_subset <- function(problem, rows) {
  out <- problem
  z <- problem$store$z
  out$store <- new_features_store(take_features(z, problem$n, rows, is.double(z)), length(rows))
  out$n <- out$store$n
  out$w <- problem$w[rows]
  out
}

# The nearest of given means (width x k).
assign_features <- function(problem, means) {
  .Call(ffi_features_assign, problem, means)$cluster
}

# Weighted means of some of the observations by their labels, width x k.
feature_means <- function(problem, rows, labels, k) {
  x <- t(take_features(problem$store$z, problem$n, rows, doubles = TRUE))
  w <- problem$w[rows]
  t(sum_by(w * x, labels, k) / pmax(sum_by(w, labels, k), .Machine$double.xmin))
}
