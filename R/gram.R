# Gram matrices.

#' Mark a matrix as a Gram matrix
#'
#' A Gram matrix holds the values \eqn{G_{ij} = K(x_i, x_j)}{G_ij = K(x_i, x_j)} of a
#' kernel. [kgroups()] cannot tell it from a matrix of data: `as_gram()` checks and
#' marks it. Matrices of class `kernelMatrix` from \pkg{kernlab} need no marking.
#'
#' @param G A square, symmetric numeric matrix with finite entries. Row names become
#'   the names of the observations. It need not be positive semidefinite for
#'   Hartigan's method; see [is_negative_type()].
#' @return `G` with class `kgroups_gram`. Asymmetry of the size of rounding is averaged
#'   away.
#' @section Errors: A matrix that is not numeric, square, finite and symmetric to
#'   \eqn{10^{-8}}{1e-8} of its largest entry is refused (`kg_error_gram`).
#' @family inputs
#' @seealso [gram_matrix()] for the Gram matrix that a semimetric generates.
#' @examples
#' x <- as.matrix(iris[1:4])
#' kgroups(as_gram(tcrossprod(x)), 3)
#' @export
as_gram <- function(G) {
  check_given(G, "G")
  if (inherits(G, "kgroups_gram")) G <- unclass(G)
  if (inherits(G, "kernelMatrix")) G <- methods::as(G, "matrix")
  if (is.data.frame(G)) G <- as.matrix(G)
  G <- check_gram_matrix(G)
  class(G) <- c("kgroups_gram", "matrix", "array")
  G
}

# A symmetric matrix of finite doubles.
check_gram_matrix <- function(G, call = rlang::caller_env()) {
  fail <- function(came, hint = NULL) {
    kg_abort(
      c("A Gram matrix must be square, symmetric and finite.", "x" = "{came}", "i" = hint),
      "gram",
      call = call,
      .envir = rlang::env(came = came)
    )
  }
  if (!is.matrix(G) || !is.numeric(G)) {
    fail(
      paste0("You supplied ", describe(G), "."),
      "Pass a numeric matrix; a sparse one goes to kgroups() directly."
    )
  }
  if (nrow(G) != ncol(G) || nrow(G) == 0L) {
    fail(paste0("You supplied ", describe(G), "."), "Use tcrossprod(x) for the linear kernel.")
  }
  storage.mode(G) <- "double"
  if (!all(is.finite(G))) {
    at <- which(!is.finite(G), arr.ind = TRUE)[1L, ]
    fail(sprintf("Entry (%d, %d) is %s.", at[1L], at[2L], format(G[at[1L], at[2L]])))
  }
  gap <- abs(G - t(G))
  if (any(gap > 0)) {
    if (max(gap) > 1e-8 * max(abs(G))) {
      at <- which(gap == max(gap), arr.ind = TRUE)[1L, ]
      fail(
        sprintf(
          "Entries (%d, %d) and (%d, %d) are %s and %s.", at[1L], at[2L], at[2L], at[1L],
          format(G[at[1L], at[2L]]), format(G[at[2L], at[1L]])
        ),
        "Symmetrise it: (G + t(G)) / 2."
      )
    }
    G <- G / 2 + t(G) / 2
  }
  G
}

#' @export
print.kgroups_gram <- function(x, ...) {
  cat("Gram matrix of ", nrow(x), " observations\n", sep = "")
  print(unclass(x), ...)
  invisible(x)
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
gram_matrix <- function(x, semimetric = rho_power(1), x0 = NULL) {
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
  rho <- -2 * true_units(problem, pair_values(problem), "pair")
  if (is.null(problem$points)) {
    row <- check_count(
      if (is.null(x0)) 1 else x0, "x0", 1, n,
      hint = "For dissimilarities the base point is one of the observations."
    )
    base <- rho[, row]
  } else {
    if (is.null(x0)) x0 <- rep(0, ncol(problem$points))
    base <- cross_rho(problem, check_new_points(x0, problem$points, "x0"))[1L, ]
  }
  check_values_range(rho, rlang::current_env())
  G <- (outer(base, base, "+") - rho) / 2
  as_gram(named_matrix(G, problem$names, problem$names))
}
