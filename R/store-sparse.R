# Sparse: a symmetric matrix in compressed columns, both triangles without the diagonal, which
# stands by itself. Taken as it is: B = G, and nothing of size n^2 is made for a fit.

new_sparse_store <- function(off, diagonal) {
  structure(
    list(start = off@p, row = off@i, value = off@x, diagonal = as.double(diagonal), n = as.numeric(length(diagonal))),
    class = "kgroups_sparse"
  )
}

# The matrix without its diagonal, of package Matrix.
sparse_off <- function(store) {
  n <- as.integer(store$n)
  methods::new("dgCMatrix", p = store$start, i = store$row, x = store$value, Dim = c(n, n))
}

#' @export
store_subset.kgroups_sparse <- function(store, rows) {
  off <- methods::as(sparse_off(store)[rows, rows, drop = FALSE], "generalMatrix")
  new_sparse_store(methods::as(off, "CsparseMatrix"), store$diagonal[rows])
}

#' @export
store_values.kgroups_sparse <- function(store) {
  out <- as.matrix(sparse_off(store))
  dimnames(out) <- NULL
  diag(out) <- store$diagonal
  out
}

#' @export
store_self.kgroups_sparse <- function(store) store$diagonal

#' @export
store_rho.kgroups_sparse <- function(store, i, j) {
  B <- as.vector(sparse_off(store)[cbind(i, j)])
  replace(store$diagonal[i] + store$diagonal[j] - 2 * B, i == j, 0)
}

#' @export
store_product.kgroups_sparse <- function(store, v) as.vector(sparse_off(store) %*% v) + store$diagonal * v

#' @export
read_new.kgroups_sparse <- function(store, of, y, diag, type, call) new_kernel_values(y, of, diag, type, call)

#' @export
store_cross.kgroups_sparse <- function(store, problem, new, cluster, k) {
  list(R = new$values %*% weighted_indicator(problem, cluster, k), self = new$self)
}

# A sample of the rows has no information on the entries between the others.
#' @export
store_starts.kgroups_sparse <- function(store) setdiff(names(known_starts), "sample")

#' @export
store_kernel.kgroups_sparse <- function(store) TRUE

#' @export
store_cost.kgroups_sparse <- function(store) NA

#' @export
store_among.kgroups_sparse <- function(store, landmarks) store_values(store_subset(store, landmarks))

#' @export
store_features.kgroups_sparse <- function(store, map, call) {
  columns <- sparse_off(store)[, map$landmarks, drop = FALSE]
  own <- cbind(map$landmarks, seq_along(map$landmarks))
  columns[own] <- store$diagonal[map$landmarks]
  features_of_strips(
    store, map, function(rows) as.matrix(columns[rows, , drop = FALSE]), function(rows) store$diagonal[rows]
  )
}

#' @export
store_new_features.kgroups_sparse <- function(store, map, new, call) {
  value_features(map, as.double(new$values[, map$landmarks]), new$self)
}

# W of each cluster comes from the pairs in it, w_i w_j (B_ii + B_jj - 2 B_ij)/2: as the difference of
# two sums it would lose as many digits as the weights lie apart.
sparse_dispersion_sums <- function(problem, cluster, k) {
  store <- problem$store
  w <- problem$w
  Z <- Matrix::sparseMatrix(seq_len(problem$n), as.integer(cluster), x = w, dims = c(problem$n, k))
  off <- as.matrix(Matrix::crossprod(Z, sparse_off(store) %*% Z))
  on <- sum_by(w^2 * store$diagonal, as.integer(cluster), k)
  s <- sum_by(w, as.integer(cluster), k)
  M <- unname(off + t(off)) / 2
  diag(M) <- diag(M) + on
  within <- (sum_by(w * store$diagonal * other_weights(w, cluster, s), as.integer(cluster), k) - diag(off)) / s
  list(M = M, t = as.vector(Matrix::crossprod(Z, store$diagonal)), within = within)
}

# For every point the weight of the others in its cluster; for the heaviest they are added up, as
# s - w would leave nothing of them.
other_weights <- function(w, cluster, s) {
  cluster <- as.integer(cluster)
  others <- s[cluster] - w
  heaviest <- order(cluster, -w)
  heaviest <- heaviest[!duplicated(cluster[heaviest])]
  rest <- replace(w, heaviest, 0)
  others[heaviest] <- sum_by(rest, cluster, length(s))[cluster[heaviest]]
  others
}

# ---- rows of a sparse Matrix ----

# Sparse rows: observations as rows of a sparse Matrix, never dense. Euclidean distances come from
# products of sparse rows; cosine and correlation distances from those of scaled rows.

# `rows`: a dgCMatrix, n x d, scaled; `centre`: of a correlation, x'y - centre_x centre_y; `names`: of the columns.
new_rows_store <- function(rows, centre, rho, names = NULL) {
  turned <- Matrix::t(rows)
  structure(
    list(
      row_start = turned@p, column = turned@i, row_value = turned@x,
      column_start = rows@p, row = rows@i, column_value = rows@x,
      centre = centre, rho = rho, names = names, n = as.numeric(nrow(rows)), d = as.numeric(ncol(rows))
    ),
    class = "kgroups_rows"
  )
}

# The rows as a dgCMatrix.
rows_matrix <- function(store) {
  methods::new(
    "dgCMatrix",
    p = store$column_start, i = store$row, x = store$column_value, Dim = as.integer(c(store$n, store$d))
  )
}

# A dgCMatrix of finite values without zeros and names.
plain_rows <- function(x, call, arg = "x") {
  x <- plain_columns(x)
  if (nrow(x) == 0L || ncol(x) == 0L || !all(is.finite(x@x))) {
    odd <- sum(!is.finite(x@x))
    came <- if (odd > 0L) {
      sprintf("%d of its entries are missing or infinite.", odd)
    } else {
      sprintf("It is %d x %d.", nrow(x), ncol(x))
    }
    abort_input(
      if (arg == "x") "x" else "newdata", call,
      "Sparse rows in `{arg}` must be finite numbers, at least one row and column.", "{came}",
      "Drop the rows or columns concerned."
    )
  }
  Matrix::drop0(x)
}

# list(rows, centre): rows as the store holds them.
stored_rows <- function(semimetric, x, exponent, call, arg) {
  if (!is_metric(semimetric)) {
    x@x <- times_power_of_two(x@x, -exponent)
    return(list(rows = x, centre = NULL))
  }
  size <- max(abs(x@x), 0)
  if (size > 0) x@x <- x@x / size
  correlation <- semimetric$metric == "correlation"
  centre <- if (correlation) Matrix::rowSums(x) / sqrt(ncol(x)) else numeric(nrow(x))
  all <- Matrix::rowSums(x^2)
  norm2 <- all - centre^2
  bad <- which(!(norm2 > 1e-14 * all))
  if (length(bad)) abort_metric_rows(semimetric, bad, NULL, call, arg)
  list(rows = Matrix::Diagonal(x = 1 / sqrt(norm2)) %*% x, centre = if (correlation) centre / sqrt(norm2))
}

# |x - y|^2 of rows of two scaled matrices.
rows_squares <- function(x, x_centre, y, y_centre) {
  norms <- function(z, centre) Matrix::rowSums(z^2) - (centre %||% 0)^2
  product <- as.matrix(Matrix::tcrossprod(x, y))
  if (!is.null(x_centre)) product <- product - outer(x_centre, y_centre)
  both <- outer(norms(x, x_centre), norms(y, y_centre), "+")
  q <- both - 2 * product
  q[q < 4e-15 * both] <- 0
  q
}

#' @export
store_subset.kgroups_rows <- function(store, rows) {
  new_rows_store(rows_matrix(store)[rows, , drop = FALSE], store$centre[rows], store$rho, store$names)
}

# B between new rows and those of the store, in strips.
#' @export
store_cross.kgroups_rows <- function(store, problem, new, cluster, k) {
  own <- rows_matrix(store)
  Z <- weighted_indicator(problem, cluster, k)
  R <- matrix(0, nrow(new$rows), k)
  for (rows in strips(nrow(R), problem$n)) {
    check_interrupt()
    q <- rows_squares(new$rows[rows, , drop = FALSE], new$centre[rows], own, store$centre)
    R[rows, ] <- matrix(.Call(ffi_from_distances, as.vector(sqrt(q)), store$rho), length(rows)) %*% Z
  }
  list(R = R, self = 0)
}

#' @export
read_new.kgroups_rows <- function(store, of, y, diag, type, call) {
  abort_diag(diag, call)
  c(new_sparse_rows(of, y, store, call), list(names = rownames(y)))
}

# Columns are matched by name, as those of other data; further ones are left out.
new_sparse_rows <- function(of, y, store, call) {
  supplied <- y
  y <- one_row(if (is.data.frame(y)) as.matrix(y) else y)
  if (!inherits(y, "Matrix") && !(is.matrix(y) && is.numeric(y))) {
    must <- "be a sparse or dense matrix with {store$d} column{?s}, as the data of the fit."
    abort_argument(supplied, "newdata", must, call = call)
  }
  given <- plain_names(colnames(y))
  at <- place_columns(seq_len(store$d), store$names, store$d, given, ncol(y), "newdata", "newdata", call)
  if (ncol(y) != store$d || is.unsorted(at)) y <- y[, at, drop = FALSE]
  check_matrix_object(y, call, "newdata")
  if (!inherits(y, "sparseMatrix")) y <- Matrix::Matrix(y, sparse = TRUE)
  stored_rows(of$semimetric, plain_rows(y, call, "newdata"), of$exponent, call, "newdata")
}

#' @export
store_cost.kgroups_rows <- function(store) 1 + products_of_rows(store)

#' @export
store_work.kgroups_rows <- function(store) 4 + products_of_rows(store)

# Products of stored values, on average of two rows.
products_of_rows <- function(store) sum(as.numeric(diff(store$column_start))^2) / store$n^2

#' @export
store_new_features.kgroups_rows <- function(store, map, new, call) {
  q <- rows_squares(new$rows, new$centre, rows_matrix(map$rows), map$rows$centre)
  values <- .Call(ffi_from_distances, as.vector(sqrt(q)), store$rho)
  value_features(map, values)
}
