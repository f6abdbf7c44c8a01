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
