# Stores of coordinates x (n x d), of which C or the user's function computes values when they are requested:
# points (a function of the Euclidean distance), codes (categories beside them), metrics and functions.

#' @export
store_subset.kgroups_coordinates <- function(store, rows) {
  held <- intersect(c("x", "numbers", "code"), names(store))
  store[held] <- lapply(store[held], function(values) values[rows, , drop = FALSE])
  store$n <- as.numeric(length(rows))
  store
}

#' @export
store_work.kgroups_coordinates <- function(store) ncol(store$x) + 4

#' @export
store_landmarks.kgroups_coordinates <- function(store, rows) store$x[rows, , drop = FALSE]

#' @export
store_among.kgroups_coordinates <- function(store, landmarks) landmark_values(store, landmarks, landmarks)

#' @export
store_features.kgroups_coordinates <- function(store, map, call) {
  features_of_strips(store, map, function(rows) {
    landmark_values(store, map$landmarks, store$x[rows, , drop = FALSE], call)
  })
}

#' @export
store_new_features.kgroups_coordinates <- function(store, map, new, call) point_features(map, new$points, call)

#' @export
read_new.kgroups_coordinates <- function(store, of, y, diag, type, call) {
  abort_diag(diag, call)
  list(points = new_coordinates(of, y, call), names = rownames(y))
}

# ---- points ----

# Points: coordinates and a semimetric of their Euclidean distance; nothing of size n^2 is made.

new_points_store <- function(x, rho) {
  out <- list(x = x, rho = rho, n = as.numeric(nrow(x)))
  class(out) <- c("kgroups_points", "kgroups_coordinates")
  out
}

#' @export
store_rho.kgroups_points <- function(store, i, j) {
  d <- sqrt(rowSums((store$x[i, , drop = FALSE] - store$x[j, , drop = FALSE])^2))
  -2 * .Call(ffi_from_distances, d, store$rho)
}

#' @export
store_cross.kgroups_points <- function(store, problem, new, cluster, k) {
  list(R = .Call(ffi_cross_sums, problem, new$points, as.integer(cluster), as.numeric(k)), self = 0)
}

# Coordinates of a few dimensions are as quick as memory: few passes do not pay for the matrix.
#' @export
store_cost.kgroups_points <- function(store) 0.15 + 0.03 * ncol(store$x) + function_cost(store$rho)

#' @export
landmark_values.kgroups_points <- function(store, landmarks, data, call = rlang::caller_env()) {
  .Call(ffi_landmark_values, new_points_store(data, store$rho), landmarks, 1, as.numeric(nrow(data)))
}

#' @export
store_features.kgroups_points <- function(store, map, call) store_features.default(store, map, call)

# ---- metrics ----

# Metric: points under a metric that is no function of the Euclidean distance (R/metric.R).
# C computes the values; nothing of size n^2 is kept.

new_metric_store <- function(x, rho, p) {
  structure(list(x = x, rho = rho, p = p, n = as.numeric(nrow(x))), class = c("kgroups_metric", "kgroups_coordinates"))
}

#' @export
store_cross.kgroups_metric <- function(store, problem, new, cluster, k) {
  Z <- weighted_indicator(problem, cluster, k)
  R <- matrix(0, nrow(new$points), k)
  for (rows in strips(nrow(R), problem$n)) {
    R[rows, ] <- .Call(ffi_cross_values, store, new$points[rows, , drop = FALSE]) %*% Z
  }
  list(R = R, self = 0)
}

#' @export
store_cost.kgroups_metric <- function(store) {
  each <- switch(store_family(store$rho), minkowski = 15, canberra = 1.5, 0.3)
  0.5 + each * as.numeric(ncol(store$x)) + function_cost(store$rho)
}

#' @export
landmark_values.kgroups_metric <- function(store, landmarks, data, call = rlang::caller_env()) {
  .Call(ffi_cross_values, new_metric_store(landmarks, store$rho, store$p), data)
}

# ---- functions of the user ----

# A function of the user's that has not been evaluated at all pairs, for landmarks, which need few of its values. A fit
# without landmarks packs them (R/store-pairs.R).

new_function_store <- function(x, semimetric) {
  structure(
    list(x = x, semimetric = semimetric, n = as.numeric(nrow(x))), class = c("kgroups_function", "kgroups_coordinates")
  )
}

#' @export
store_values.kgroups_function <- function(store) -0.5 * evaluate_function(store$semimetric, store$x, store$x)

#' @export
store_rho.kgroups_function <- function(store, i, j) {
  vapply(seq_along(i), function(at) {
    evaluate_function(store$semimetric, store$x[i[at], , drop = FALSE], store$x[j[at], , drop = FALSE])[1L]
  }, 0)
}

#' @export
store_attach.kgroups_function <- function(store, source) {
  store$x <- source$points
  store
}

#' @export
landmark_values.kgroups_function <- function(store, landmarks, data, call = rlang::caller_env()) {
  -0.5 * evaluate_function(store$semimetric, data, landmarks, call = call)
}

# ---- features ----

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
  new_points_store(t(take_features(store$z, store$n, rows, doubles = TRUE)), semimetric_code("power", 2))
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
store_cost.kgroups_features <- function(store) NA

# Features of some observations, width x rows, doubles or as they are.
take_features <- function(z, n, rows, doubles = FALSE) {
  .Call(ffi_features_take, new_features_store(z, n), as.integer(rows), as.numeric(doubles))
}

has_features <- function(problem) inherits(problem$store, "kgroups_features")

# The nearest of given means (width x k).
assign_features <- function(problem, means) {
  .Call(ffi_features_assign, problem, means)$cluster
}

# Weighted means of some of the observations by their labels, width x k.
feature_means <- function(problem, rows, labels, k) {
  x <- t(take_features(problem$store$z, problem$n, rows, doubles = TRUE))
  w <- problem$w[rows]
  t(group_means(x, labels, k, w, empty = 0))
}
