# Points: coordinates and a semimetric of their Euclidean distance; nothing of size n^2 is made.

new_points_store <- function(x, rho) {
  out <- list(x = x, rho = rho, n = as.numeric(nrow(x)))
  class(out) <- "kgroups_points"
  out
}

#' @export
store_subset.kgroups_points <- function(store, rows) new_points_store(store$x[rows, , drop = FALSE], store$rho)

#' @export
store_rho.kgroups_points <- function(store, i, j) {
  d <- sqrt(rowSums((store$x[i, , drop = FALSE] - store$x[j, , drop = FALSE])^2))
  -2 * .Call(ffi_from_distances, d, store$rho)
}

#' @export
store_cross.kgroups_points <- function(store, problem, y, cluster, k, diag, type, call) {
  abort_diag(diag, call)
  y <- check_new_points(y, problem, call = call)
  scaled <- new_coordinates(problem, y, call)
  list(R = cross_sums(problem, scaled, cluster, k), self = 0, names = rownames(y))
}

# Coordinates of a few dimensions are as quick as memory: few passes do not pay for the matrix.
#' @export
worth_caching.kgroups_points <- function(store, passes) {
  caching_pays(store$n, passes, 0.15 + 0.03 * ncol(store$x) + function_cost(store$rho))
}

#' @export
store_work.kgroups_points <- function(store) ncol(store$x) + 4

#' @export
store_detach.kgroups_points <- function(store) {
  store["x"] <- list(NULL)
  store
}

#' @export
store_landmarks.kgroups_points <- function(store, rows) store$x[rows, , drop = FALSE]

#' @export
store_among.kgroups_points <- function(store, landmarks) landmark_values(store, landmarks, landmarks)

#' @export
store_new_features.kgroups_points <- function(store, map, y, diag, type, call) {
  new_point_features(map, y, call)
}

#' @export
landmark_values.kgroups_points <- function(store, landmarks, data, call = rlang::caller_env()) {
  .Call(
    ffi_landmark_values, new_points_store(data, store$rho), landmarks, 1, as.numeric(nrow(data))
  )
}

# The same for new points (rows of y, in the scale of the store).
cross_sums <- function(problem, y, cluster, k) {
  .Call(ffi_cross_sums, problem, y, as.integer(cluster), as.numeric(k))
}
