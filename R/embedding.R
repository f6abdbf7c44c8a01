# Distances and Gram matrices that few coordinates tell (classical scaling) are searched as the points they are of: means
# of coordinates say where to begin (R/means.R), and a row of pair values is read in the order it lies in. W, and the
# descent that ends the search, are of the values that came in.

# The problem with points for a store, all that a search reads; NULL where few coordinates do not tell the values, up to
# 100. Distances that came in may be Euclidean ones or their squares, so may be what a kernel or a function of the user's
# implies: this is tried on some rows first. `squares`: only squared distances, where they are likely, and of up to 20
# coordinates, which takes little time beside a search of small sets.
embed <- function(problem, squares = FALSE) {
  store <- problem$store
  if (!inherits(store, c("kgroups_packed", "kgroups_dense"))) {
    return(NULL)
  }
  rho <- problem$semimetric
  given <- !inherits(store, "kgroups_packed") || rho$family == "function"
  # the values themselves; of distances these, and what rho makes of them then
  if (given) rho <- rho_power(1) else store$rho <- semimetric_code(rho_power(1))
  power <- if (rho$family == "power") rho$parameter else 0
  alphas <- if (power > 0 && power <= 1) 1:2 else 1
  if (squares) alphas <- if (given) 2 else if (power == 2) 1
  for (alpha in alphas) {
    x <- scaled_points(store, alpha, problem$n, if (squares) 20L else 100L)
    if (is.null(x)) next
    code <- if (power > 0) semimetric_code(rho_power(alpha * power)) else problem$store$rho
    problem$store <- new_points_store(x, code)
    return(problem)
  }
}

# The problem with points on a line, whose best partition is found exactly, where the values are their distances.
embed_line <- function(problem) {
  store <- problem$store
  rho <- problem$semimetric
  distances <- if (inherits(store, "kgroups_points")) {
    identical(store$rho, semimetric_code(rho_power(1)))
  } else if (inherits(store, "kgroups_packed")) {
    rho$family == "function" || rho$family == "power" && rho$parameter == 1
  } else {
    inherits(store, "kgroups_dense")
  }
  x <- if (distances) scaled_points(store, 1, problem$n, 1L)
  if (is.null(x)) {
    return(NULL)
  }
  problem$store <- new_points_store(x, semimetric_code(rho_power(1)))
  problem
}

# Coordinates of all rows; some of them tell whether there are any.
scaled_points <- function(store, alpha, n, most) {
  some <- unique(round(seq(1, n, length.out = min(n, max(2 * most, 40)))))
  if (!is.null(scaled_rows(store, alpha, some, most))) scaled_rows(store, alpha, seq_len(n), most)
}

# Coordinates of some rows, the pivoted Cholesky factor of the inner products about the first of them,
#   <x_i - x_1, x_j - x_1> = (d2(i, 1) + d2(j, 1) - d2(i, j)) / 2,     d2 = rho^(2 / alpha)
# (Gower 1966). Its columns end where they leave 1e-9 of the largest square. NULL where they do not, or do not tell d2
# of pairs here and there: then the semimetric is no power of Euclidean distances, or of more coordinates, or they
# lie too many orders apart.
scaled_rows <- function(store, alpha, rows, most) {
  n <- length(rows)
  squares <- function(i, j) pmax(store_rho(store, rows[i], rows[j]), 0)^(2 / alpha)
  from <- function(i) squares(rep(i, n), seq_len(n))
  origin <- from(1L)
  left <- origin
  x <- matrix(0, n, most)
  for (d in 0:most) {
    pivot <- which.max(left)
    if (left[pivot] <= 1e-9 * max(origin)) break
    if (d == most) {
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
