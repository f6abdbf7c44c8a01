# Gram matrices: the class, its checks and its methods.

#' Mark a matrix as a Gram matrix
#'
#' A Gram matrix holds the values \eqn{G_{ij} = K(x_i, x_j)}{G_ij = K(x_i, x_j)} of a
#' kernel. [kgroups()] cannot distinguish it from a matrix of data: `as_gram()` checks and
#' marks it. Matrices of class `kernelMatrix` from \pkg{kernlab} need no marking.
#'
#' @param G A square, symmetric numeric matrix with finite entries, also a sparse or dense one of package \pkg{Matrix}.
#'   Row names become the names of the observations. It need not be positive semidefinite for Hartigan's method; see
#'   [is_negative_type()].
#' @param ... Not used: an unknown argument is an error.
#' @return `G` with class `kgroups_gram`. Asymmetry of the size of rounding is averaged
#'   away. A sparse matrix stays sparse, with an attribute.
#' @family inputs
#' @seealso [semimetric_matrix()] for the Gram matrix that a semimetric generates.
#' @examples
#' # correlations of 24 psychological tests as a kernel matrix:
#' # the clusters are tests of space, language, speed and memory
#' fit <- kgroups(as_gram(Harman74.cor$cov), 4)
#' split(names(fit$cluster), fit$cluster)
#' @export
as_gram <- function(G, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "as_gram")
  check_given(G, "G")
  if (inherits(G, "kgroups_gram")) G <- unclass(G)
  if (inherits(G, "AsIs")) G <- drop_as_is(G)
  if (inherits(G, "kernelMatrix")) G <- methods::as(G, "matrix")
  if (inherits(G, "sparseMatrix")) {
    if (nrow(G) == ncol(G) && is_sparse_rows(G)) abort_sparse_gram(G, rlang::current_env(), "It is not symmetric.")
    if (nrow(G) != ncol(G)) abort_sparse_gram(G, rlang::current_env())
    attr(G, "kgroups_gram") <- TRUE
    return(G)
  }
  if (inherits(G, c("denseMatrix", "data.frame"))) G <- as.matrix(G)
  G <- check_gram_matrix(G)
  # R does not print names of unknown bytes
  if (any(Encoding(as.character(unlist(dimnames(G)))) == "bytes")) {
    dimnames(G) <- lapply(dimnames(G), function(names) if (!is.null(names)) as_utf8(names))
  }
  class(G) <- gram_class
  G
}

abort_sparse_gram <- function(x, call, came = NULL) {
  if (is.null(came)) {
    came <- sprintf("You supplied an object of class %s, %d x %d.", class(x)[1L], nrow(x), ncol(x))
  }
  abort_input(
    "gram", call, "A <Matrix> must be a Gram matrix: square, symmetric and finite.", "{came}",
    "Pass data as `as.matrix(x)`; symmetrise a Gram matrix by (G + t(G)) / 2."
  )
}

gram_class <- c("kgroups_gram", "matrix", "array")

# Return a symmetric matrix of finite doubles. O(n^2) without a copy, so every entry point can check again a matrix that
# may have changed after as_gram().
check_gram_matrix <- function(G, call = rlang::caller_env()) {
  fail <- function(came, hint = NULL) {
    abort_input("gram", call, "A Gram matrix must be square, symmetric and finite.", "{came}", "{hint}")
  }
  given <- sprintf("You supplied %s.", value_text(G))
  if (!is.matrix(G) || !is.numeric(G)) {
    fail(given, "Pass a numeric matrix, or a sparse one of package Matrix; dissimilarities are clustered as they are.")
  }
  if (nrow(G) != ncol(G) || nrow(G) == 0L) fail(given, "Use tcrossprod(x) for the linear kernel.")
  if (!is.double(G)) storage.mode(G) <- "double"
  scan <- gram_scan(G)
  if (scan$odd_row > 0) {
    fail(
      sprintf(
        "Entry (%.0f, %.0f) is %s%s.", scan$odd_row, scan$odd_column, format(G[scan$odd_row, scan$odd_column]),
        entry_names(G, scan$odd_row, scan$odd_column)
      ),
      "Drop the observations concerned, or compute the kernel another way."
    )
  }
  if (scan$gap > 0) {
    if (scan$gap > 1e-8 * scan$largest) {
      i <- scan$row
      j <- scan$column
      fail(
        sprintf(
          "Entries (%.0f, %.0f) and (%.0f, %.0f) are %s and %s%s.", i, j, j, i, format(G[i, j]), format(G[j, i]),
          entry_names(G, i, j)
        ),
        "Symmetrise it: (G + t(G)) / 2."
      )
    }
    G <- G / 2 + t(G) / 2
  }
  G
}

gram_scan <- function(G) {
  out <- .Call(ffi_gram_scan, G, as.numeric(nrow(G)))
  stats::setNames(as.list(out), c("largest", "gap", "row", "column", "odd_row", "odd_column"))
}

# ---- methods ----

#' Work with a Gram matrix
#'
#' A matrix of class `kgroups_gram` keeps its class if the result of an operation is a Gram matrix, and loses it
#' otherwise.
#'
#' @param x,e1,e2 A Gram matrix; for operators the other side may be a number or a matrix.
#' @param i,j,drop As for any matrix; see [Extract].
#' @param m A Gram matrix.
#' @param diag,upper As for [stats::as.dist()].
#' @param digits For the print; see [print.default()].
#' @param ... Not used: an unknown argument is an error.
#' @return
#' * `x[i, j]`: a Gram matrix if the same two or more observations (or, with `drop = FALSE`, the
#'   same one) are named for rows and columns, else plain numbers; `x[i]` is plain.
#' * `+`, `-`, `*`, `/`, `^` of Gram matrices and single numbers: a Gram matrix as long as all
#'   values are finite. With anything else, and for comparisons: a plain matrix.
#' * `as.matrix(x)`: the plain matrix.
#'
#' * `as.dist(x)`: the distances in the feature space, the roots of
#'   \eqn{G_{ii} + G_{jj} - 2 G_{ij}}{G_ii + G_jj - 2 G_ij}. A matrix in which some are negative, beyond rounding, has
#'   none: an error (`kg_error_gram`), see [make_negative_type()].
#'
#' Entries can be changed as in any matrix. Every function checks that a Gram matrix is still
#' symmetric and finite.
#' @family inputs
#' @examples
#' # the same rows and columns are a Gram matrix again, others a plain one
#' G <- as_gram(Harman74.cor$cov)
#' class(G[1:5, 1:5])
#' class(G[1:5, 6:9])
#' as.dist(G[1:4, 1:4])
#' @name gram-methods
NULL

#' @rdname gram-methods
#' @export
`[.kgroups_gram` <- function(x, i, j, ..., drop = TRUE) {
  # NextMethod() must see the call as it came: x[i] and x[i, ] are not the same
  out <- NextMethod()
  paired <- (nargs() - (!missing(drop))) == 3L
  if (!paired || !is.matrix(out) || nrow(out) != ncol(out)) {
    return(out)
  }
  all <- seq_len(nrow(x))
  rows <- if (missing(i)) all else stats::setNames(all, rownames(x))[i]
  columns <- if (missing(j)) all else stats::setNames(all, colnames(x))[j]
  if (identical(unname(rows), unname(columns))) class(out) <- gram_class
  out
}

# Return the names of the two observations, for a message.
entry_names <- function(G, row, column) {
  if (is.null(rownames(G)) || is.null(colnames(G))) {
    return("")
  }
  sprintf(": %s and %s", shorten(rownames(G)[row], 60L), shorten(colnames(G)[column], 60L))
}

#' @rdname gram-methods
#' @export
Ops.kgroups_gram <- function(e1, e2) {
  out <- NextMethod()
  oldClass(out) <- NULL
  fits <- function(e) inherits(e, "kgroups_gram") || (is.numeric(e) && length(e) == 1L && is.null(dim(e)))
  keeps <- .Generic %in% c("+", "-", "*", "/", "^") && fits(e1) && (missing(e2) || fits(e2))
  if (keeps && all(value_range(out)[c("missing", "infinite")] == 0)) class(out) <- gram_class
  out
}

#' @rdname gram-methods
#' @export
as.matrix.kgroups_gram <- function(x, ...) {
  unclass(x)
}

#' @rdname gram-methods
#' @importFrom stats as.dist
#' @export
as.dist.kgroups_gram <- function(m, diag = FALSE, upper = FALSE) {
  G <- check_gram_matrix(unclass(m))
  squared <- outer(diag(G), diag(G), "+") - 2 * G
  least <- min(squared)
  if (least < -1e-8 * max(abs(G))) {
    at <- arrayInd(which.min(squared), dim(G))
    abort_input(
      "gram", rlang::current_env(),
      "A Gram matrix with distances must have `G[i, i] + G[j, j] - 2 * G[i, j]` of at least 0 for all pairs.",
      "It is {format(least, digits = 3)} for {at[1L]} and {at[2L]}{entry_names(G, at[1L], at[2L])}.",
      "Use `make_negative_type(G)` before."
    )
  }
  stats::as.dist(sqrt(pmax(squared, 0)), diag, upper)
}

#' @rdname gram-methods
#' @export
print.kgroups_gram <- function(x, digits = NULL, ...) {
  cat("Gram matrix of ", nrow(x), " observation", plural(nrow(x)), "\n", sep = "")
  print(unclass(x), digits = digits)
  invisible(x)
}

gram_semimetric <- function(given) {
  if (is_connected(given)) { # its base is that of the Gram matrix
    return(given)
  }
  if (!is.null(given)) {
    kg_warn(c(
      "`semimetric` is not used with a Gram matrix.",
      "i" = "The Gram matrix has its own: G_ii + G_jj - 2 G_ij."
    ), "semimetric")
  }
  NULL
}
