# The values of a semimetric, or of its kernel, as a matrix, and principal coordinates of them.

#' Matrices of semimetric values
#'
#' `semimetric_matrix()` returns the values \eqn{\rho(x_i, y_j)}{rho(x_i, y_j)} of a
#' semimetric as a plain matrix, or the Gram matrix of the kernel that the semimetric generates.
#'
#' With `type = "gram"` the result holds
#' \deqn{K(x, y) = [\rho(x, x_0) + \rho(y, x_0) - \rho(x, y)] / 2}{K(x, y) = [rho(x, x0) + rho(y, x0) - rho(x, y)]/2}
#' (França, Rizzo and Vogelstein 2021). The semimetric follows from it:
#' \eqn{\rho(x, y) = K(x, x) + K(y, y) - 2 K(x, y)}{rho(x, y) = K(x, x) + K(y, y) - 2 K(x, y)}. The partition that
#' [kgroups()] returns does not depend on \eqn{x_0}{x0}.
#'
#' @param x Numeric matrix, data frame or vector: the points, in rows. Or a `dist`
#'   object, to whose values the semimetric is applied, or a Gram matrix (see [as_gram()]),
#'   which brings its own semimetric.
#' @param y More points, with the same columns, or `NULL` (default) for the values
#'   among the rows of `x`.
#' @param semimetric A semimetric; see [semimetrics].
#' @param type `"semimetric"` (default) or `"gram"`.
#' @param x0 The base point of the kernel. `NULL` (default) is the origin, or the first observation if the
#'   origin has no distance ([rho_metric()]); otherwise a point with as many coordinates as `x` has columns. For
#'   a `dist`, the number of a row, by default 1.
#' @param ... `column_weights`, `standardize` and `missing`, which define how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @return A numeric matrix, rows of `x` by rows of `y` (of `x` if `y` is `NULL`), with
#'   their row names. With `type = "gram"` a Gram matrix of class `kgroups_gram`.
#' @section Complexity: \eqn{O(n m d)}{O(n m d)} time, \eqn{n m}{n m} doubles.
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#' @family semimetrics
#' @examples
#' # distances of two points, between two sets of numbers, and squares of distances
#' semimetric_matrix(cbind(c(0, 3), c(0, 4)))
#' semimetric_matrix(1:3, 4:5, rho_power(1/2))
#' semimetric_matrix(dist(1:3), semimetric = rho_power(2))
#'
#' # the Gram matrix of the distances has the same least W as the points
#' x <- scale(swiss)
#' kgroups(semimetric_matrix(x, type = "gram"), 3)$W - kgroups(x, 3)$W
#' @export
semimetric_matrix <- function(x, y = NULL, semimetric = rho_power(1), type = c("semimetric", "gram"), x0 = NULL,
                              ...) {
  call <- rlang::current_env()
  check_data(x, call)
  type <- check_choice(type, "type", c("semimetric", "gram"))
  if (!is.null(y)) y <- same_time(y, "y", x, call)
  x <- read_data(x, ..., context = list(call = call, topic = "semimetric_matrix"))$points
  problem <- all_pairs_problem(x, semimetric, call = call)
  if (type == "gram") {
    check_gram_arguments(y, problem, call)
    return(generated_gram(problem, x0, call))
  }
  if (!is.null(x0)) {
    abort_input(
      "x0", call, "`x0` must be left out without `type = \"gram\"`.", "You supplied `x0`.",
      "Use `type = \"gram\"` for the kernel with this base point."
    )
  }
  if (!is.null(y)) {
    return(cross_matrix(problem, x, y, call))
  }
  check_memory(8 * problem$n^2, problem$n, "the matrix", call = call)
  value <- check_values_range(rho_values(problem), call)
  named_matrix(value, problem$names, problem$names)
}

cross_matrix <- function(problem, x, y, call) {
  if (is.null(problem$points)) {
    abort_input(
      "x", call, "`y` needs points in `x`.", "You supplied {value_text(x)}.", "Leave `y` out, or pass the coordinates."
    )
  }
  if (inherits(y, "kgroups_semimetric") || is_string(y)) {
    abort_argument(y, "y", "be other observations.", "Name the semimetric: `semimetric = `.", call = call)
  }
  y <- check_new_points(y, problem, "y", call = call)
  check_memory(8 * as.numeric(problem$n) * nrow(y), problem$n, "the matrix", call = call)
  value <- check_values_range(cross_rho(problem, y, transpose = TRUE), call)
  named_matrix(value, problem$names, rownames(y))
}

check_gram_arguments <- function(y, problem, call) {
  if (!is.null(y)) {
    abort_argument(
      y, "y", "be left out with `type = \"gram\"`.",
      "Use `rbind(x, y)` as `x`, and the rows and columns of the result.", call = call
    )
  }
  if (has_kernel(problem)) {
    abort_input("x", call, "`x` must be points or dissimilarities.", "You supplied a Gram matrix.", "Use it as it is.")
  }
}

# The Gram matrix of the kernel (7) with the base point x0.
generated_gram <- function(problem, x0, call) {
  n <- problem$n
  check_memory(16 * n^2, n, "the matrix", call = call)
  rho <- rho_values(problem)
  if (is.null(problem$points)) {
    row <- check_count(
      x0 %||% 1, "x0", 1, n,
      hint = "For dissimilarities the base point is one of the observations.", call = call
    )
    base <- rho[, row]
  } else {
    base <- if (is.null(x0) && !has_origin(problem$semimetric)) {
      rho[, 1L]
    } else {
      x0 <- if (is.null(x0)) matrix(0, 1L, ncol(problem$points)) else check_new_points(x0, problem, "x0", call = call)
      cross_rho(problem, x0)[1L, ]
    }
  }
  check_values_range(rho, call)
  for (columns in strips(n, n)) {
    check_interrupt()
    rho[, columns] <- (outer(base, base[columns], "+") - rho[, columns]) / 2
  }
  check_gram_matrix(rho, call)
  structure(named_matrix(rho, problem$names, problem$names), class = gram_class)
}

# rho of all pairs, in true units, n x n.
rho_values <- function(problem) {
  value <- pair_values(problem)
  for (columns in strips(problem$n, problem$n)) {
    check_interrupt()
    value[, columns] <- -2 * true_units(problem, value[, columns], "pair")
  }
  value
}

# rho between new points and those of the problem, in true units.
connected_cross_rho <- function(problem, y) {
  store <- problem$store
  unit <- problem$unit
  problem <- base_problem(problem)
  new <- read_new(store$base, problem, y, NULL, "class", rlang::caller_env())
  nearest <- store_nearest(store$base, problem, new)
  # a user's function has its values, in the units of the store
  base <- new$values %||% (-2 * .Call(ffi_cross_values, problem, new$points))
  (base + store$H[store$branch[nearest], store$branch, drop = FALSE]) * unit
}

# rho between new points y (rows) and the points of the problem, in true units.
cross_rho <- function(problem, y, transpose = FALSE) {
  value <- if (inherits(problem$store, "kgroups_connected")) {
    connected_cross_rho(problem, y)
  } else if (base_semimetric(problem$semimetric)$family == "function") {
    evaluate_function(base_semimetric(problem$semimetric), y, problem$points)
  } else {
    y <- new_coordinates(problem, y, rlang::caller_env(), "y")
    -2 * true_units(problem, .Call(ffi_cross_values, problem, y), "pair")
  }
  if (transpose) t(value) else value
}

# ---- principal coordinates ----

# Return principal coordinates of the squared distances, on at most 200 axes. If these are not Euclidean, the least
# constant is added to them.
principal_coordinates <- function(problem, most = 200L) {
  n <- problem$n
  check_memory(40 * n^2, n, "the principal coordinates", call = NULL)
  found <- classical_scaling(-squared_distance_matrix(problem) / 2, most, 800L)
  smallest <- if (n <= 800L) {
    min(found$values)
  } else {
    eigs_of_matrix(found$B, 1L, "SA", opts = list(retvec = FALSE))$values
  }
  values <- found$values + if (smallest < -1e-10 * max(found$values, 0)) -smallest else 0
  # of equal rows one, which is 0
  keep <- seq_len(max(1L, min(most, n - 1L, sum(values > 1e-12 * max(values)))))
  t(t(found$vectors[, keep, drop = FALSE]) * sqrt(values[keep]))
}

# Classical scaling: return list(values, vectors, trace, B) of symmetric B about their centre, with all
# eigenvalues up to `few` rows and the m largest above.
classical_scaling <- function(B, m, few) {
  mean <- rowMeans(B)
  B <- B - outer(mean, mean, "+")
  check_interrupt()
  B <- B + mean(mean)
  found <- if (nrow(B) <= few) eigen(B, symmetric = TRUE) else eigs_of_matrix(B, m, "LA")
  list(values = found$values, vectors = found$vectors, trace = sum(diag(B)), B = B)
}

# Squared distances in units that neither over- nor underflow.
squared_distance_matrix <- function(problem) {
  if (has_kernel(problem)) {
    return(-2 * pair_values(base_problem(problem)))
  }
  d <- times_power_of_two(problem$distances, -binary_exponent(problem$distances))
  rho_values(packed_problem(d^2, problem$n, NULL, rho_power(1), rep(1, problem$n)))
}
