# Eigenvalues of an operator by RSpectra, whose C++ holds what it allocated while it calls
# back. An error of the product comes back through it in order and leaves nothing behind, so an interrupt
# is handed through as one; what happened is noted and raised again behind it.

eigs_of <- function(product, ...) {
  stopped <- NULL
  note <- function(condition) stopped <<- condition
  guarded <- function(v, args) {
    value <- tryCatch(product(v), interrupt = note, error = note)
    if (!is.null(stopped)) stop("the product has stopped")
    value
  }
  out <- tryCatch(
    suppressWarnings(RSpectra::eigs_sym(guarded, ...)),
    error = function(e) if (is.null(stopped)) stop(e)
  )
  if (inherits(stopped, "interrupt")) rlang::interrupt()
  if (!is.null(stopped)) stop(stopped)
  out
}

# All of a symmetric matrix, the largest first, as eigen() gives them, but broken off by an interrupt.
dense_eigenvalues <- function(A) {
  storage.mode(A) <- "double" # without a copy where it is
  rev(.Call(ffi_eigenvalues, A, as.numeric(nrow(A))))
}

# Of a matrix: its products are made here, where an interrupt is heard between two of them.
eigs_of_matrix <- function(A, k, which, ...) eigs_of(function(v) as.vector(A %*% v), k, which = which, n = nrow(A), ...)

# How many eigenvectors a start is made from: k-means finds hundreds of clusters in fewer dimensions, and
# what the solver does with all vectors at once, some 4 n m^2 operations, hears of no interrupt.
most_vectors <- function(n, m) min(m, 300, max(1, floor(sqrt(2.5e8 / n))))

# The top m eigenvectors of a symmetric operator on n numbers, as columns, for a start: eigenvalues that lie
# apart have them in a few restarts of Lanczos' method. If they crowd, as those of a banded matrix do, no
# number of restarts may do; then the best vectors of one Krylov space serve, which hold as much of
# the trace as is in reach, whichever eigenvectors they mix.
top_vectors <- function(product, n, m) {
  space <- min(n, max(2 * m + 1, 40))
  found <- eigs_of(product, k = m, n = n, which = "LA", opts = list(tol = 1e-8, ncv = space, maxitr = 30))
  if (length(found$values) < m) {
    space <- min(n, max(space, min(1000, floor(sqrt(1e9 / n)))))
    found <- eigs_of(product, k = m, n = n, which = "LA", opts = list(tol = 1e10, ncv = space, maxitr = 1))
  }
  matrix(found$vectors, nrow = n)
}
