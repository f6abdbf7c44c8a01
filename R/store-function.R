# A function of the user's that has not been evaluated at all pairs: for landmarks alone, which
# ask for few of its values. A fit without landmarks packs them (R/store-packed.R).

new_function_store <- function(x, semimetric) {
  structure(list(x = x, semimetric = semimetric, n = as.numeric(nrow(x))), class = "kgroups_function")
}

#' @export
store_subset.kgroups_function <- function(store, rows) {
  new_function_store(store$x[rows, , drop = FALSE], store$semimetric)
}

#' @export
store_values.kgroups_function <- function(store) -0.5 * evaluate_function(store$semimetric, store$x, store$x)

#' @export
store_rho.kgroups_function <- function(store, i, j) {
  vapply(seq_along(i), function(at) {
    evaluate_function(
      store$semimetric, store$x[i[at], , drop = FALSE], store$x[j[at], , drop = FALSE]
    )[1L]
  }, 0)
}

#' @export
store_detach.kgroups_function <- function(store) {
  store["x"] <- list(NULL)
  store
}

#' @export
store_attach.kgroups_function <- function(store, source) {
  store$x <- source$points
  store
}

#' @export
store_landmarks.kgroups_function <- function(store, rows) store$x[rows, , drop = FALSE]

#' @export
store_among.kgroups_function <- function(store, landmarks) landmark_values(store, landmarks, landmarks)

#' @export
store_features.kgroups_function <- function(store, map, call) features_of_strips(store, map, call)

#' @export
store_new_features.kgroups_function <- function(store, map, y, diag, type, call) {
  new_point_features(map, y, call)
}

# The problem with the values of all pairs.
all_pairs <- function(problem, call) {
  if (!inherits(problem$store, "kgroups_function")) {
    return(problem)
  }
  values <- packed_function_values(problem$semimetric, problem$points, call)
  out <- packed_problem(values, problem$n, problem$names, problem$semimetric, problem$w * problem$w_unit, call)
  out$points <- problem$points
  out
}

# Columns that show the observations of such a fit: their coordinates.
coordinates_problem <- function(problem) {
  if (!inherits(problem$store, "kgroups_function")) {
    return(problem)
  }
  out <- as_problem(problem$points)
  kept <- c("w", "w_unit", "weighted", "names")
  out[kept] <- problem[kept]
  out
}

#' @export
landmark_values.kgroups_function <- function(store, landmarks, data, call = rlang::caller_env()) {
  -0.5 * evaluate_function(store$semimetric, data, landmarks, call = call)
}
