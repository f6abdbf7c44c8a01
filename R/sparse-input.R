# Sparse matrices as input: a Gram matrix if symmetric, else observations in rows.

#' @export
as_problem.Matrix <- function(x, semimetric = NULL, weights = NULL, call = rlang::caller_env()) {
  if (is_sparse_rows(x)) {
    return(sparse_rows_problem(x, semimetric, weights, call))
  }
  sparse_gram_problem(x, weights, call)
}

# The problem for a result that holds all pairs: a sparse Gram matrix becomes dense.
all_pairs_problem <- function(x, semimetric, weights = NULL, call = rlang::caller_env()) {
  if (!inherits(x, "sparseMatrix") || is_sparse_rows(x)) {
    return(as_problem(x, semimetric, weights, call))
  }
  n <- nrow(x)
  if (n != ncol(x) || n == 0L) abort_sparse_gram(x, call)
  check_memory(
    16 * as.numeric(n)^2, n, "all pairwise dissimilarities of a sparse matrix",
    hint = "`kgroups()` itself keeps it sparse.", call = call
  )
  gram_problem(as_gram(as.matrix(x)), weights, call)
}

# Does the input bring a kernel, and so its own semimetric?
brings_kernel <- function(x) is_gram(x) || inherits(x, "sparseMatrix") && !is_sparse_rows(x)

sparse_rows_problem <- function(x, semimetric, weights, call) {
  semimetric <- check_rows_semimetric(check_semimetric(semimetric %||% rho_power(1), call), call)
  names <- dimnames(x)
  x <- plain_rows(x, call)
  if (nrow(x) == ncol(x)) {
    kg_inform(c(
      "`x` is a square sparse matrix that is not symmetric: its {nrow(x)} rows are taken as observations.",
      "i" = "A Gram matrix is symmetric: `(x + t(x)) / 2`."
    ), "sparse_rows")
  }
  weights <- check_weights(weights, nrow(x), call = call, names = names[[1L]])
  # squares must neither overflow nor vanish
  exponent <- if (is_metric(semimetric)) 0 else scaling_exponent(x@x)
  made <- stored_rows(semimetric, x, exponent, call, "x")
  pairs <- list(
    distances = function(rows) {
      own <- made$rows[rows, , drop = FALSE]
      d <- sqrt(rows_squares(own, made$centre[rows], own, made$centre[rows]))
      d[lower.tri(d)]
    },
    key = function() point_key(made$rows)
  )
  semimetric <- with_sigma(semimetric, weights, pairs, exponent)
  scaled <- scaled_semimetric(semimetric, exponent)
  store <- new_rows_store(made$rows, made$centre, scaled$code, plain_names(names[[2L]]))
  new_problem(store, names[[1L]], weights, unit = scaled$unit, exponent = exponent, semimetric = semimetric)
}

check_rows_semimetric <- function(semimetric, call) {
  fits <- semimetric$family %in% c("power", "exponential", "gaussian") &&
    (!is_metric(semimetric) || semimetric$metric %in% c("cosine", "correlation"))
  if (fits) {
    return(semimetric)
  }
  abort_input(
    "semimetric", call, "Sparse rows need a function of the Euclidean distance, \"cosine\" or \"correlation\".",
    "You supplied {format(semimetric)}.", "Use one of these, or `as.matrix(x)` if it fits into memory."
  )
}

# ---- sparse symmetric matrices ----

# A symmetric matrix is a Gram matrix, others are data.
#' @export
as_problem.denseMatrix <- function(x, semimetric = NULL, weights = NULL, call = rlang::caller_env()) {
  if (!is_gram(x)) {
    return(as_problem(plain_numbers(x), semimetric, weights, call))
  }
  gram_problem(as_gram(as.matrix(x)), weights, call)
}

sparse_gram_problem <- function(x, weights, call) {
  n <- nrow(x)
  if (n != ncol(x) || n == 0L || !methods::is(x, "sparseMatrix")) abort_sparse_gram(x, call)
  names <- rownames(x)
  x <- plain_columns(x)
  if (!all(is.finite(x@x))) {
    abort_sparse_gram(x, call, sprintf("%d of its entries are not finite.", sum(!is.finite(x@x))))
  }
  turned <- Matrix::t(x)
  gap <- abs(x - turned)
  if (length(gap@x) && max(gap@x) > 0) {
    if (max(gap@x) > 1e-8 * max(abs(x@x))) {
      abort_sparse_gram(x, call, sprintf("It differs from its transpose by up to %s.", format(max(gap@x))))
    }
    x <- (x + turned) / 2
  }
  diagonal <- Matrix::diag(x)
  off <- plain_columns(Matrix::drop0(x - Matrix::Diagonal(x = diagonal)))
  weights <- check_weights(weights, n, call = call, names = names)
  # sums of sums must neither overflow nor vanish
  exponent <- scaling_exponent(c(off@x, diagonal))
  off@x <- times_power_of_two(off@x, -exponent)
  new_problem(
    new_sparse_store(off, times_power_of_two(diagonal, -exponent)), names, weights,
    unit = 2^exponent, exponent = exponent
  )
}
