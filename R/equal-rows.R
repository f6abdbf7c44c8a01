# Equal rows, as in rounded or counted data: which they are. What a search makes of them is in R/search.R.

# The number of its distinct row for each row, in the order of the first ones; NULL if more than nine in ten are distinct.
equal_rows <- function(problem) {
  enough <- floor(0.9 * problem$n) + 1
  store <- problem$store
  if (inherits(store, "kgroups_points")) {
    return(row_groups(store$x, enough))
  }
  if (inherits(store, "kgroups_features")) {
    return(if (!is.null(problem$points)) row_groups(problem$points, enough))
  }
  if (inherits(store, c("kgroups_packed", "kgroups_dense")) && problem$n <= small_n) equal_values(problem, enough)
}

# Rows of pair values that are equal but for rounding: three columns tell whether there may be such, sums of all which.
equal_values <- function(problem, enough) {
  n <- problem$n
  pivots <- unique(round(seq(1, n, length.out = 3)))
  some <- vapply(pivots, function(i) store_rho(problem$store, rep(i, n), seq_len(n)), numeric(n))
  if (is.null(row_groups(steps(some), enough))) {
    return(NULL)
  }
  values <- pair_values(problem)
  group <- row_groups(steps(values %*% cbind(sqrt(seq_len(n)) %% 1, sqrt(seq_len(n) + 0.5) %% 1)), enough)
  if (is.null(group)) {
    return(NULL)
  }
  first <- which(!duplicated(group))[group]
  rounding <- 1e-14 * max(abs(values), kernel_diagonal(problem))
  same <- all(abs(values - values[, first]) <= rounding) &&
    all(abs(values[cbind(seq_len(n), first)]) <= if (has_kernel(problem)) rounding else 0)
  if (same) group
}

# Numbers as whole multiples of what rounding may change.
steps <- function(x) round(x / max(abs(x), .Machine$double.xmin) * 1e11)
