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
semimetric_matrix <- function(x, y = NULL, semimetric = rho_power(1)) {
  problem <- as_problem(x, semimetric, weights = NULL, for_matrix = TRUE)
  if (is.null(y)) {
    check_memory(8 * problem$n^2, problem$n, "the matrix")
    value <- -2 * true_units(problem, pair_values(problem), "pair")
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
  y <- check_new_points(y, problem$points, "y")
  check_memory(8 * as.numeric(problem$n) * nrow(y), problem$n, "the matrix")
  value <- check_values_range(cross_rho(problem, y, transpose = TRUE), rlang::current_env())
  named_matrix(value, problem$names, rownames(y))
}

named_matrix <- function(value, rows, columns) {
  if (!is.null(rows) || !is.null(columns)) dimnames(value) <- list(rows, columns)
  value
}
