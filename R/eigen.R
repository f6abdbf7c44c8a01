# Eigenvalues of an operator by RSpectra. A jump out of its callback would leak memory, so the callback returns after an
# interrupt or error, which is raised again when RSpectra has returned.

eigs_of <- function(product, ...) {
  stopped <- NULL
  note <- function(condition) stopped <<- condition
  guarded <- function(v, args) {
    value <- tryCatch(
      {
        check_interrupt()
        product(v)
      },
      interrupt = note, error = note
    )
    if (!is.null(stopped)) stop("the product has stopped")
    value
  }
  out <- catch_error(
    suppressWarnings(RSpectra::eigs_sym(guarded, ...)), error = function(e) if (is.null(stopped)) stop(e)
  )
  if (inherits(stopped, "interrupt")) rlang::interrupt()
  if (!is.null(stopped)) stop(stopped)
  out
}

# Of a symmetric matrix, the largest first, as by eigen(), but interruptible.
dense_eigenvalues <- function(A) {
  storage.mode(A) <- "double" # without a copy where it is
  rev(.Call(ffi_eigen, A, as.numeric(nrow(A)), 0)$values)
}

symmetric_eigen <- function(A) {
  n <- nrow(A)
  if (n <= 500L) {
    return(eigen(A, symmetric = TRUE))
  }
  storage.mode(A) <- "double"
  found <- .Call(ffi_eigen, A, as.numeric(n), 1)
  list(values = rev(found$values), vectors = found$vectors[, rev(seq_len(n)), drop = FALSE])
}

# Eigenvalues of A'A above `least` times the largest, and their vectors; of A A' where A has fewer rows than columns.
cross_axes <- function(A, least) {
  wide <- nrow(A) < ncol(A)
  e <- symmetric_eigen(if (wide) tcrossprod(A) else cross_rows(A, A))
  keep <- e$values > least * max(e$values[1L], 0)
  values <- e$values[keep]
  vectors <- e$vectors[, keep, drop = FALSE]
  if (wide) vectors <- crossprod(A, vectors) * rep(1 / sqrt(values), each = ncol(A))
  list(values = values, vectors = vectors)
}

# Of a matrix: an interrupt ends the computation between two products.
eigs_of_matrix <- function(A, k, which, ...) eigs_of(function(v) as.vector(A %*% v), k, which = which, n = nrow(A), ...)

# ---- both ends of a spectrum ----

# Up to so many observations all eigenvalues are quick, above it the ends are computed alone.
most_dense <- 2000L

# Of a dense matrix: all eigenvalues if that is quick, else the ends alone.
symmetric_extremes <- function(A) {
  n <- nrow(A)
  if (n > most_dense) {
    return(iterative_extremes(function(v, ...) as.vector(A %*% v), n))
  }
  values <- dense_eigenvalues(A)
  list(smallest = values[n], largest = values[1L])
}

# The value of largest modulus, then the other end of the spectrum moved by that one: RSpectra's tolerance is relative
# to the value searched for, which eigenvalues near 0 would never meet. If eigenvalues cluster at an end, restarts may
# not converge. The extreme Ritz values of one large Krylov space are then returned; they lie inside.
iterative_extremes <- function(product, n) {
  end <- function(product, which, tol = 1e-11, restarts = 10, space = min(n, 100)) {
    opts <- list(retvec = FALSE, tol = tol, maxitr = restarts, ncv = space)
    found <- eigs_of(product, k = 1L, n = n, which = which, opts = opts)
    if (length(found$values)) found$values[1L] else NA_real_
  }
  most <- min(n, max(100, min(1000, floor(sqrt(5e9 / n)))))
  either <- function(product, which) {
    found <- end(product, which)
    if (is.na(found)) end(product, which, tol = 1e10, restarts = 1, space = most) else found
  }
  far <- end(product, "LM")
  if (is.na(far)) {
    # two ends of one size
    return(list(smallest = either(product, "SA"), largest = either(product, "LA")))
  }
  other <- far + either(function(v, ...) product(v) - far * v, if (far > 0) "SA" else "LA")
  list(smallest = min(far, other), largest = max(far, other))
}

# ---- eigenvectors for a start ----

# The top m eigenvectors of a symmetric operator on n numbers, as columns. Lanczos' method converges in a few restarts
# if eigenvalues are separated. If they cluster, as those of a banded matrix, the Ritz vectors of one Krylov space span
# the dominant invariant subspace approximately.
top_vectors <- function(product, n, m) {
  space <- min(n, max(2 * m + 1, 40))
  found <- eigs_of(product, k = m, n = n, which = "LA", opts = list(tol = 1e-8, ncv = space, maxitr = 30))
  if (length(found$values) < m) {
    space <- min(n, max(space, min(1000, floor(sqrt(1e9 / n)))))
    found <- eigs_of(product, k = m, n = n, which = "LA", opts = list(tol = 1e10, ncv = space, maxitr = 1))
  }
  matrix(found$vectors, nrow = n)
}

singular <- 1e-10 # eigenvalues of a correlation matrix below are 0

# Whiten by the total covariance; twice, because the first covariance is that of correlated columns.
whitening <- function(scaled) {
  z <- scaled$z
  share <- scaled$share
  axes <- cross_axes(sqrt(share) * z, singular)
  map <- axes$vectors * rep(1 / sqrt(axes$values), each = ncol(z))
  if (ncol(map) == 0L) {
    return(c(scaled[c("center", "sd")], list(map = map, rank = 0L, back = t(map))))
  }
  y <- times_rows(z, map)
  e <- symmetric_eigen(cross_rows(y, share * y))
  map <- times_rows(map, e$vectors * rep(1 / sqrt(e$values), each = ncol(map)))
  y <- times_rows(z, map)
  unit <- ifelse(scaled$sd > 0, scaled$sd, Inf)
  list(
    center = scaled$center, sd = scaled$sd, map = map / unit, rank = ncol(map),
    back = cross_rows(y, share * z) * rep(scaled$sd, each = ncol(map))
  )
}
