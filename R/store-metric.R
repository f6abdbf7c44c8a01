# Metric: points under a metric that is no function of the Euclidean distance (R/metric.R).
# C computes the values; nothing of size n^2 is kept.

new_metric_store <- function(x, rho, p) {
  structure(list(x = x, rho = rho, p = p, n = as.numeric(nrow(x))), class = "kgroups_metric")
}

# m x n values of B between coordinates y and those of the store.
metric_cross <- function(store, y) .Call(ffi_metric_cross, store, y)

#' @export
store_subset.kgroups_metric <- function(store, rows) new_metric_store(store$x[rows, , drop = FALSE], store$rho, store$p)

#' @export
store_rho.kgroups_metric <- function(store, i, j) -2 * .Call(ffi_pairs_at, store, as.integer(i), as.integer(j))

#' @export
store_cross.kgroups_metric <- function(store, problem, y, cluster, k, diag, type, call) {
  abort_diag(diag, call)
  y <- check_new_points(y, problem, call = call)
  scaled <- new_coordinates(problem, y, call)
  Z <- weighted_indicator(problem, cluster, k)
  R <- matrix(0, nrow(y), k)
  for (rows in strips(nrow(y), problem$n)) R[rows, ] <- metric_cross(store, scaled[rows, , drop = FALSE]) %*% Z
  list(R = R, self = 0, names = rownames(y))
}

#' @export
worth_caching.kgroups_metric <- function(store, passes) {
  each <- switch(semimetric_families[store$rho[1L] + 1], minkowski = 15, canberra = 1.5, 0.3)
  caching_pays(store$n, passes, 0.5 + each * ncol(store$x) + function_cost(store$rho))
}

#' @export
store_work.kgroups_metric <- function(store) ncol(store$x) + 4

#' @export
store_detach.kgroups_metric <- function(store) {
  store["x"] <- list(NULL)
  store
}

#' @export
store_landmarks.kgroups_metric <- function(store, rows) store$x[rows, , drop = FALSE]

#' @export
store_among.kgroups_metric <- function(store, landmarks) landmark_values(store, landmarks, landmarks)

#' @export
store_features.kgroups_metric <- function(store, map, call) features_of_strips(store, map, call)

#' @export
store_new_features.kgroups_metric <- function(store, map, y, diag, type, call) new_point_features(map, y, call)

#' @export
landmark_values.kgroups_metric <- function(store, landmarks, data, call = rlang::caller_env()) {
  metric_cross(new_metric_store(landmarks, store$rho, store$p), data)
}
