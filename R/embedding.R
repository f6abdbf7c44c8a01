# Distances and Gram matrices that few coordinates tell (classical scaling) are searched as the points they are of: means
# of coordinates say where to begin (R/means.R), and a row of pair values is read in the order it lies in. W, and the
# descent that ends the search, are of the values that came in.

# The problem with points for a store, all that a search reads; NULL where up to 100 coordinates do not tell the values.
# Distances that came in may be Euclidean ones or their squares, so may be what a kernel or a function of the user's
# implies: this is tried on some rows first.
embed <- function(problem) {
  store <- problem$store
  if (!inherits(store, c("kgroups_packed", "kgroups_dense"))) {
    return(NULL)
  }
  rho <- problem$semimetric
  given <- !inherits(store, "kgroups_packed") || rho$family == "function"
  # the values themselves; of distances these, and what rho makes of them then
  if (given) rho <- rho_power(1) else store$rho <- semimetric_code(rho_power(1))
  some <- unique(round(seq(1, problem$n, length.out = min(problem$n, 2 * most_coordinates))))
  for (alpha in if (rho$family == "power" && rho$parameter <= 1) 1:2 else 1) {
    if (is.null(scaled_rows(store, alpha, some))) next
    x <- scaled_rows(store, alpha, seq_len(problem$n))
    if (is.null(x)) next
    code <- if (rho$family == "power") semimetric_code(rho_power(alpha * rho$parameter)) else problem$store$rho
    problem$store <- new_points_store(x, code)
    return(problem)
  }
}

most_coordinates <- 100L

# Coordinates of some rows, the pivoted Cholesky factor of the inner products about the first of them,
#   <x_i - x_1, x_j - x_1> = (d2(i, 1) + d2(j, 1) - d2(i, j)) / 2,     d2 = rho^(2 / alpha)
# (Gower 1966). Its columns end where they leave 1e-9 of the largest square. NULL where they do not, or do not tell d2
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
    if (left[pivot] <= 1e-9 * max(origin)) break
    if (d == most_coordinates) {
      return(NULL)
    }
    column <- (origin + origin[pivot] - from(pivot)) / 2
    for (c in seq_len(d)) column <- column - x[, c] * x[pivot, c] # no product of matrices, which libraries round differently
    x[, d + 1L] <- column / sqrt(left[pivot])
    left <- left - x[, d + 1L]^2
  }
  x <- x[, seq_len(d), drop = FALSE]
  i <- seq_len(n)
  j <- (i * 7919) %% n + 1
  d2 <- squares(i, j)
  if (d > 0L && all(abs(rowSums((x[i, , drop = FALSE] - x[j, , drop = FALSE])^2) - d2) <= 1e-3 * d2)) x
}
