# Gram matrices, and whether a semimetric is of negative type.

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
  if (inherits(G, "kgroups_gram")) {
    return(G)
  }
  if (inherits(G, "kernelMatrix")) G <- methods::as(G, "matrix")
  if (is.data.frame(G)) G <- as.matrix(G)
  fail <- function(came, hint = NULL) {
    kg_abort(
      c("A Gram matrix must be square, symmetric and finite.", "x" = came, "i" = hint),
      "gram",
      call = rlang::caller_env(),
      .envir = rlang::env()
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
  class(G) <- c("kgroups_gram", "matrix", "array")
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
  if (problem$form == "gram") {
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
  rho <- -2 * problem$unit * pair_values(problem)
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
  G <- (outer(base, base, "+") - rho) / 2
  as_gram(named_matrix(G, problem$names, problem$names))
}

#' Is a semimetric of negative type on given data?
#'
#' Energy statistics rest on semimetrics of negative type: only then is the energy
#' distance of two distributions never negative, and \eqn{\rho}{rho} a squared distance in
#' a feature space. On \eqn{n}{n} observations it holds exactly when the centred matrix
#' \eqn{-J P J / 2}{-J P J/2} with \eqn{P_{ij} = \rho(x_i, x_j)}{P_ij = rho(x_i, x_j)} has no
#' negative eigenvalue. For a Gram matrix the matrix is \eqn{J G J}{J G J}.
#'
#' Real input does fail: the Chebyshev distance, Gower's coefficient with missing values,
#' powers above 2 of a distance.
#'
#' @section What a failure means:
#' Hartigan's method (`kgroups()`) needs nothing of this: it still ends in a partition that
#' no single move improves. What is lost is the interpretation: squared distances to a
#' mean, energy distances and W can be negative. Lloyd's method (`kernel_kmeans()`) can
#' raise W; it then stops and says so. [make_negative_type()] mends the input.
#'
#' @inheritParams semimetric_matrix
#' @param x Numeric matrix, data frame, vector, `dist` object or Gram matrix
#'   ([as_gram()]).
#' @return `TRUE` or `FALSE`, with attributes `smallest` and `largest` (eigenvalues) and
#'   `tolerance`: `TRUE` if `smallest >= -1e-10 * largest`, or if all values are 0.
#' @section Complexity: \eqn{O(n^3)}{O(n^3)} up to n = 1000; above, \eqn{O(n^2 d)}{O(n^2 d)} for each
#'   of some dozens of products by the Lanczos method (package \pkg{RSpectra}), with O(n) memory
#'   for points.
#' @family semimetrics
#' @examples
#' x <- as.matrix(iris[1:4])
#' is_negative_type(x)
#' is_negative_type(dist(x, method = "maximum"))
#' @export
is_negative_type <- function(x, semimetric = rho_power(1)) {
  problem <- as_problem(x, semimetric, weights = NULL, for_matrix = TRUE)
  negative_type(problem)
}

negative_type <- function(problem) {
  ends <- centred_extremes(problem)
  tolerance <- 1e-10 * max(ends$largest, 0)
  structure(
    ends$smallest >= -tolerance,
    smallest = ends$smallest * problem$unit,
    largest = ends$largest * problem$unit,
    tolerance = tolerance * problem$unit
  )
}

# Smallest and largest eigenvalue of J B J, in the units of the store.
centred_extremes <- function(problem, dense_n = 1000L) {
  n <- problem$n
  if (n == 1L) {
    return(list(smallest = 0, largest = 0))
  }
  if (n <= dense_n) {
    B <- pair_values(problem)
    B <- B - rowMeans(B)
    B <- t(t(B) - colMeans(B))
    values <- eigen((B + t(B)) / 2, symmetric = TRUE, only.values = TRUE)$values
    # the centring itself contributes an eigenvalue 0, known without rounding
    return(list(smallest = min(values[n], 0), largest = max(values[1L], 0)))
  }
  product <- function(v, ...) {
    v <- .Call(ffi_product, problem$store, v - mean(v))
    v - mean(v)
  }
  end <- function(which) {
    found <- suppressWarnings(RSpectra::eigs_sym(
      product,
      k = 1L, n = n, which = which, opts = list(retvec = FALSE, tol = 1e-12, maxitr = 3000)
    ))
    if (length(found$values)) found$values[1L] else NA_real_
  }
  largest <- end("LA")
  smallest <- end("SA")
  if (is.na(largest) || is.na(smallest)) {
    # a spectrum that crowds at 0: twice as many vectors in the search
    found <- RSpectra::eigs_sym(
      product,
      k = 2L, n = n, which = "BE",
      opts = list(retvec = FALSE, tol = 1e-8, maxitr = 10000, ncv = min(n, 60))
    )
    largest <- max(found$values)
    smallest <- min(found$values)
  }
  list(smallest = min(smallest, 0), largest = max(largest, 0))
}

#' Make a semimetric of negative type
#'
#' Adds the smallest constant to the semimetric off the diagonal that makes it of negative
#' type on the given observations: \eqn{c = 2 |\lambda|}{c = 2 |lambda|} with
#' \eqn{\lambda}{lambda} the smallest eigenvalue of [is_negative_type()].
#'
#' With unit weights the constant raises W by \eqn{c (n - k) / 2}{c (n - k)/2} for every
#' partition into \eqn{k}{k} clusters, so the partitions that Hartigan's method can end in
#' stay as they were; what changes is that distances are true ones, W is not negative and
#' Lloyd's method is safe. With weights the constant that does this is
#' \eqn{c (1/w_i + 1/w_j)}{c (1/w_i + 1/w_j)}, which raises W by \eqn{c (n - k)}{c (n - k)}.
#'
#' @inheritParams is_negative_type
#' @param weights Weights above 0, one per observation, or `NULL`.
#' @return For points and dissimilarities a `dist` object holding the values
#'   \eqn{\rho + c}{rho + c}, to be used with `rho_power(1)`; for a Gram matrix a Gram
#'   matrix. Attribute `constant` is \eqn{c}{c}; input of negative type comes back with
#'   constant 0.
#' @section Complexity: As [is_negative_type()], and \eqn{n^2}{n^2} doubles.
#' @family semimetrics
#' @examples
#' d <- dist(as.matrix(iris[1:4]), method = "maximum")
#' is_negative_type(d)
#' mended <- make_negative_type(d)
#' is_negative_type(mended)
#' kgroups(mended, 3)
#' @export
make_negative_type <- function(x, semimetric = rho_power(1), weights = NULL) {
  problem <- as_problem(x, semimetric, weights, for_matrix = TRUE)
  if (any(problem$w == 0)) {
    kg_abort(
      c(
        "{.arg weights} must be above 0 here.",
        "x" = "{sum(problem$w == 0)} of them {?is/are} 0.",
        "i" = "Drop those observations first."
      ),
      "weights"
    )
  }
  n <- problem$n
  check_memory(40 * n^2, n, "the matrix")
  B <- pair_values(problem) * problem$unit
  w <- if (problem$weighted) problem$w * problem$w_unit else rep(1, n)
  # H: the form centred with the weights, so that c / w on the diagonal of B adds c
  A <- B - tcrossprod(rep(1, n), B %*% w) / sum(w)
  A <- A - (A %*% w) %*% t(rep(1, n)) / sum(w)
  H <- sqrt(w) * t(sqrt(w) * A)
  values <- eigen((H + t(H)) / 2, symmetric = TRUE, only.values = TRUE)$values
  short <- max(-values[n], 0)
  if (short <= 1e-10 * max(values[1L], 0)) short <- 0
  short <- short * (1 + 1e-12)
  constant <- if (problem$weighted) short else 2 * short
  if (problem$form == "gram") {
    G <- B + diag(short / w, n)
    out <- as_gram(named_matrix(G, problem$names, problem$names))
  } else {
    out <- stats::as.dist(-2 * B + outer(short / w, short / w, "+"))
    attr(out, "Labels") <- problem$names
  }
  attr(out, "constant") <- constant
  out
}
