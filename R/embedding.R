# Coordinates for the searches by means (R/means.R): the points themselves, or, of distances and Gram matrices, those
# that tell them, where few do (classical scaling). They propose partitions; W and what ends a search are of the
# pair values that came in.

# list(x, alpha): the semimetric is the distance between rows of x to the power alpha; 0: another function of it that
# rises. NULL if there are none.
coordinates_of <- function(problem) {
  if (!inherits(problem$store, "kgroups_points")) {
    return(problem$embedding)
  }
  alpha <- power_of(problem$semimetric)
  if (!is.null(alpha)) list(x = problem$store$x, alpha = alpha)
}

# NULL for a kernel, and for what does not rise.
power_of <- function(semimetric) {
  family <- semimetric$family
  if (identical(family, "power")) semimetric$parameter else if (isTRUE(family %in% c("exponential", "gaussian"))) 0
}

# The problem with coordinates beside its pair values, where 100 tell them or fewer. Distances that came in may be
# Euclidean ones or their squares, so may be what a kernel or a function of the user's implies: this is tried on some rows
# first.
embed <- function(problem) {
  store <- problem$store
  if (!inherits(store, c("kgroups_packed", "kgroups_dense"))) {
    return(problem)
  }
  of <- power_of(problem$semimetric)
  if (inherits(store, "kgroups_packed") && !is.null(of)) store$rho <- semimetric_code(rho_power(1)) else of <- 1
  some <- unique(round(seq(1, problem$n, length.out = min(problem$n, 2 * most_coordinates))))
  for (alpha in 1:2) {
    if (is.null(scaled_rows(store, alpha, some))) next
    x <- scaled_rows(store, alpha, seq_len(problem$n))
    if (!is.null(x)) {
      problem$embedding <- list(x = x, alpha = alpha * of)
      return(problem)
    }
  }
  problem
}

most_coordinates <- 100L

# Coordinates of some rows, the pivoted Cholesky factor of the inner products about the first of them,
#   <x_i - x_1, x_j - x_1> = (d2(i, 1) + d2(j, 1) - d2(i, j)) / 2,     d2 = rho^(2 / alpha)
# (Gower 1966). Its columns end where they leave 1e-7 of the largest square. NULL where they do not, or do not tell d2
# of pairs here and there: then the semimetric is no power of Euclidean distances, or of more coordinates, or they
# lie too many orders apart.
scaled_rows <- function(store, alpha, rows) {
  n <- length(rows)
  squares <- function(i, j) pmax(store_rho(store, rows[i], rows[j]), 0)^(2 / alpha)
  from <- function(i) squares(rep(i, n), seq_len(n))
  origin <- from(1L)
  left <- origin
  x <- matrix(0, n, most_coordinates)
  for (d in 0:most_coordinates) {
    pivot <- which.max(left)
    if (left[pivot] <= 1e-7 * max(origin)) break
    if (d == most_coordinates) {
      return(NULL)
    }
    known <- seq_len(d)
    inner <- (origin + origin[pivot] - from(pivot)) / 2
    x[, d + 1L] <- (inner - x[, known, drop = FALSE] %*% x[pivot, known]) / sqrt(left[pivot])
    left <- left - x[, d + 1L]^2
  }
  x <- x[, seq_len(d), drop = FALSE]
  i <- seq_len(n)
  j <- (i * 7919) %% n + 1
  d2 <- squares(i, j)
  if (d > 0L && all(abs(rowSums((x[i, , drop = FALSE] - x[j, , drop = FALSE])^2) - d2) <= 1e-3 * d2)) x
}
