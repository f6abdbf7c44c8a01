# The values of a semimetric as a matrix.

#' Matrices of semimetric values
#'
#' `semimetric_matrix()` gives the values \eqn{\rho(x_i, y_j)}{rho(x_i, y_j)} that
#' [kgroups()] works with, as a plain matrix.
#'
#' @param x Numeric matrix, data frame or vector: the points, in rows. Or a `dist`
#'   object, to whose values the semimetric is applied, or a Gram matrix (see [as_gram()]),
#'   which brings its own semimetric.
#' @param y More points, with the same columns, or `NULL` (default) for the values
#'   among the rows of `x`.
#' @param semimetric A semimetric; see [semimetrics].
#' @param ... `column_weights`, `standardize` and `missing`, which say how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @return A numeric matrix, rows of `x` by rows of `y` (of `x` if `y` is `NULL`), with
#'   their row names.
#' @section Complexity: \eqn{O(n m d)}{O(n m d)} time, \eqn{n m}{n m} doubles.
#' @section Errors: `kg_error_x`, `kg_error_newdata` for a `y` that does not fit `x`,
#'   `kg_error_semimetric`, `kg_error_memory`.
#' @family semimetrics
#' @examples
#' semimetric_matrix(cbind(c(0, 3), c(0, 4)))
#' semimetric_matrix(1:3, 4:5, rho_power(1/2))
#' semimetric_matrix(dist(1:3), semimetric = rho_power(2))
#' @export
semimetric_matrix <- function(x, y = NULL, semimetric = rho_power(1), ...) {
  check_kind(x, rlang::current_env())
  x <- preprocess_dots(x, ..., call = rlang::current_env(), topic = "semimetric_matrix")
  problem <- as_problem(x, semimetric, weights = NULL, for_matrix = TRUE)
  if (is.null(y)) {
    check_memory(8 * problem$n^2, problem$n, "the matrix")
    value <- rho_values(problem)
    check_values_range(value, rlang::current_env())
    return(named_matrix(value, problem$names, problem$names))
  }
  if (is.null(problem$points)) {
    kg_abort(
      c(
        "{.arg y} needs points in {.arg x}.",
        "x" = "You supplied {describe(x)}.",
        "i" = "Leave {.arg y} out, or pass the coordinates."
      ),
      "x"
    )
  }
  y <- check_new_points(y, problem, "y")
  check_memory(8 * as.numeric(problem$n) * nrow(y), problem$n, "the matrix")
  value <- check_values_range(cross_rho(problem, y, transpose = TRUE), rlang::current_env())
  named_matrix(value, problem$names, rownames(y))
}

#' The Gram matrix that a semimetric generates
#'
#' \deqn{K(x, y) = [\rho(x, x_0) + \rho(y, x_0) - \rho(x, y)] / 2}{K(x, y) = [rho(x, x0) +
#' rho(y, x0) - rho(x, y)]/2}
#' is the kernel of a semimetric (equation (7) of Franca, Rizzo and Vogelstein 2020);
#' \eqn{\rho(x, y) = K(x, x) + K(y, y) - 2 K(x, y)}{rho(x, y) = K(x, x) + K(y, y) - 2 K(x,
#' y)} leads back (8). The partition that [kgroups()] finds does not depend on
#' \eqn{x_0}{x0}.
#'
#' @param x Numeric matrix, data frame, vector or `dist` object.
#' @param semimetric A semimetric; see [semimetrics].
#' @param x0 The base point. `NULL` (default) is the origin; otherwise a point with as
#'   many coordinates as `x` has columns. For a `dist`, the number of a row, by default 1.
#' @param ... `column_weights`, `standardize` and `missing`, which say how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @return A Gram matrix of class `kgroups_gram`, \eqn{n \times n}{n x n}.
#' @section Complexity: \eqn{O(n^2 d)}{O(n^2 d)} time, \eqn{n^2}{n^2} doubles. [kgroups()] on
#'   the data themselves needs neither.
#' @section Errors: `kg_error_x`, `kg_error_semimetric`, `kg_error_memory`; for `x0`
#'   `kg_error_newdata` with points, `kg_error_x0` with a `dist`.
#' @references
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#' @family semimetrics
#' @examples
#' G <- gram_matrix(as.matrix(iris[1:4]), rho_power(1))
#' kgroups(G, 3)$W - kgroups(iris[1:4], 3)$W
#' @export
gram_matrix <- function(x, semimetric = rho_power(1), x0 = NULL, ...) {
  check_kind(x, rlang::current_env())
  x <- preprocess_dots(x, ..., call = rlang::current_env(), topic = "gram_matrix")
  problem <- as_problem(x, semimetric, weights = NULL, for_matrix = TRUE)
  if (has_kernel(problem)) {
    kg_abort(
      c(
        "{.arg x} must be points or dissimilarities.",
        "x" = "You supplied a Gram matrix already.",
        "i" = "Use it as it is."
      ),
      "x"
    )
  }
  n <- problem$n
  check_memory(16 * n^2, n, "the matrix")
  rho <- rho_values(problem)
  if (is.null(problem$points)) {
    row <- check_count(
      if (is.null(x0)) 1 else x0, "x0", 1, n,
      hint = "For dissimilarities the base point is one of the observations."
    )
    base <- rho[, row]
  } else {
    # the origin of the points; of a table it is no row that could be given
    x0 <- if (is.null(x0)) matrix(0, 1L, ncol(problem$points)) else check_new_points(x0, problem, "x0")
    base <- cross_rho(problem, x0)[1L, ]
  }
  check_values_range(rho, rlang::current_env())
  for (columns in strips(n, n)) {
    look_for_interrupt()
    rho[, columns] <- (outer(base, base[columns], "+") - rho[, columns]) / 2
  }
  # symmetric as it was made: nothing to average, and the mark goes on without a copy
  check_gram_matrix(rho)
  if (!is.null(problem$names)) dimnames(rho) <- list(problem$names, problem$names)
  class(rho) <- gram_class
  rho
}

# rho of all pairs, in true units, n x n.
rho_values <- function(problem) {
  value <- pair_values(problem)
  for (columns in strips(problem$n, problem$n)) {
    look_for_interrupt()
    value[, columns] <- -2 * true_units(problem, value[, columns], "pair")
  }
  value
}

# rho between new points and those of the problem, in true units.
connected_cross_rho <- function(problem, y) {
  store <- problem$store
  unit <- problem$unit
  problem <- base_problem(problem)
  nearest <- store_nearest(store$base, problem, y, rlang::caller_env())
  problem$unit <- 1
  base <- if (identical(problem$semimetric$family, "function")) {
    times_power_of_two(evaluate_function(problem$semimetric, y, problem$points), -problem$exponent)
  } else {
    cross_rho(problem, y)
  }
  (base + store$H[store$branch[nearest], store$branch, drop = FALSE]) * unit
}

# rho between new points y (rows) and the points of the problem, in true units.
cross_rho <- function(problem, y, transpose = FALSE) {
  value <- if (inherits(problem$store, "kgroups_connected")) {
    connected_cross_rho(problem, y)
  } else if (base_semimetric(problem$semimetric)$family == "function") {
    evaluate_function(base_semimetric(problem$semimetric), y, problem$points)
  } else {
    y <- scaled_new(y, problem$exponent, rlang::caller_env(), "y")
    -2 * true_units(problem, cross_values(problem, y), "pair")
  }
  if (transpose) t(value) else value
}

# B between new points and those of the store.
cross_values <- function(problem, y) .Call(ffi_cross_values, problem, y)
