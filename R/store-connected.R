# Connected: another store, with the gaps between branches added to its values:
# rho(x, y) = base(x, y) + H[branch(x), branch(y)], H an ultrametric in the units of the base.

new_connected_store <- function(base, branch, H) {
  structure(list(base = base, branch = as.integer(branch), H = H, n = base$n), class = "kgroups_connected")
}

# ---- gaps ----

# The problem of a base with the gaps of its data. `problem` is that of the base.
connect_problem <- function(problem, semimetric, call = rlang::caller_env()) {
  store <- problem$store
  if (!has_tree(store)) {
    abort_input(
      "semimetric", call, "`rho_connected()` needs points, dissimilarities or a dense Gram matrix.",
      "You supplied a sparse one.",
      "Pass `as_gram(as.matrix(x))` if it fits into memory."
    )
  }
  w <- problem$w
  N <- sum(w)
  # whole weights are numbers of rows; others count as rows together
  rows <- row_count(w * problem$w_unit)
  weights <- c(semimetric$neighbours, least_branch(semimetric, rows), max(3, semimetric$neighbours)) * (N / rows)
  rule <- c(weights, semimetric$level, semimetric$apart)
  gaps <- .Call(ffi_connected, list(store = store, w = w), rule)
  if (is.null(gaps$H)) {
    abort_input(
      "least", call, "`least` is too small: there are more than 4096 branches.",
      "It is {format(least_branch(semimetric, rows))}.",
      "Leave it out, or raise it."
    )
  }
  mean_base <- -2 * gaps$sum / N^2
  mean_height <- gaps$height_sum / (N^2 / 2)
  connected <- mean_height > 0 && nrow(gaps$H) > 1L
  if (connected && !(mean_base > 0)) {
    abort_input(
      "base", call, "The mean of the base must be positive.",
      "On these data it is {format(mean_base * problem$unit)}.",
      "Use another `base`, for example `rho_power(1)`."
    )
  }
  semimetric["base"] <- list(problem$semimetric)
  semimetric$found <- gaps_found(problem, gaps, mean_base, mean_height)
  problem$semimetric <- semimetric
  if (connected) {
    H <- semimetric$strength * mean_base / mean_height * gaps$H
    problem$store <- new_connected_store(store, gaps$branch, H)
    problem$base_unit <- problem$unit
    problem$unit <- 1 / mean_base
  }
  problem
}

# The problem without its gaps.
base_problem <- function(problem) {
  problem["semimetric"] <- list(base_semimetric(problem$semimetric))
  if (inherits(problem$store, "kgroups_connected")) {
    problem$store <- problem$store$base
    problem$unit <- problem$base_unit
  }
  problem
}

# Other data of the same kind, with gaps of their own if the semimetric has any.
connect_again <- function(problem, semimetric) {
  if (is_connected(semimetric)) connect_problem(problem, semimetric, NULL) else problem
}

# In the units of the user: heights are distances.
gaps_found <- function(problem, gaps, mean_base, mean_height) {
  unit <- if (store_kernel(problem$store)) sqrt(problem$unit) else 2^problem$exponent
  merges <- data.frame(
    height = unit * (gaps$threshold + gaps$merges[, 1L]),
    a = as.integer(gaps$merges[, 2L]), b = as.integer(gaps$merges[, 3L]),
    weight_a = problem$w_unit * gaps$merges[, 4L], weight_b = problem$w_unit * gaps$merges[, 5L]
  )
  list(
    branches = nrow(gaps$H), branch = stats::setNames(gaps$branch, problem$names), gap = unit * gaps$H,
    weight = problem$w_unit * sum_by(problem$w, gaps$branch, nrow(gaps$H)),
    threshold = unit * gaps$threshold, cores = unit * gaps$core, heights = unit * gaps$heights,
    merges = merges, mean_base = problem$unit * mean_base, mean_height = unit * mean_height,
    scatter = metric_scatter(problem)
  )
}

# The scatter M, of determinant 1, of the metric (x - y)' M^-1 (x - y), in the units of the columns; NULL: the given
# one.
metric_scatter <- function(problem) {
  T <- problem$semimetric$transform
  if (is.null(T)) {
    return(NULL)
  }
  names <- colnames(problem$points)
  size <- apply(abs(T), 1L, max) # units may differ by many orders
  inverse <- solve(T / size) / rep(size, each = ncol(T))
  structure(crossprod(inverse), dimnames = if (!is.null(names)) list(names, names))
}

# Is there a spanning tree for a store of this kind?
has_tree <- function(store) inherits(store, c("kgroups_points", "kgroups_packed", "kgroups_dense"))

abort_connected_landmarks <- function(semimetric, call) {
  if (!is_connected(semimetric)) {
    return(invisible())
  }
  abort_input(
    "approx", call, "`rho_connected()` cannot be had from landmarks or blocks.",
    "Its spanning tree needs all pairs of observations.",
    c(
      "Leave `approx` out: the tree takes no more memory than the data.",
      "Or fit a sample of some 4000 or more, and `predict()` the rest."
    )
  )
}

# ---- distances of a store ----

# Row numbers of the nearest observations of positive weight, the first of equal ones, to new
# ones that read_new() returned.
store_nearest <- function(store, problem, new) UseMethod("store_nearest")

#' @export
store_nearest.kgroups_points <- function(store, problem, new) .Call(ffi_nearest, problem, new$points)

#' @export
store_nearest.kgroups_packed <- function(store, problem, new) nearest_column(new$values, problem$w)

#' @export
store_nearest.kgroups_dense <- function(store, problem, new) {
  nearest_column(rep(store$half, each = nrow(new$values)) - new$values, problem$w)
}

nearest_column <- function(d, w) {
  on <- which(w > 0)
  on[max.col(-d[, on, drop = FALSE], ties.method = "first")]
}

# ---- the store ----

# T[b, l] = -1/2 sum over branches a of H[b, a] times the weight of branch a in cluster l: what R
# gains.
branch_sums <- function(store, values) {
  -0.5 * store$H %*% sum_by(as.matrix(values), store$branch, nrow(store$H))
}

#' @export
store_subset.kgroups_connected <- function(store, rows) {
  new_connected_store(store_subset(store$base, rows), store$branch[rows], store$H)
}

#' @export
store_values.kgroups_connected <- function(store) {
  store_values(store$base) - 0.5 * store$H[store$branch, store$branch, drop = FALSE]
}

#' @export
store_rho.kgroups_connected <- function(store, i, j) {
  store_rho(store$base, i, j) + store$H[cbind(store$branch[i], store$branch[j])]
}

#' @export
store_product.kgroups_connected <- function(store, v) {
  store_product(store$base, v) + branch_sums(store, v)[store$branch, 1L]
}

#' @export
read_new.kgroups_connected <- function(store, of, y, diag, type, call) {
  read_new(store$base, base_problem(of), y, diag, type, call)
}

#' @export
store_cross.kgroups_connected <- function(store, problem, new, cluster, k) {
  problem <- base_problem(problem)
  out <- store_cross(store$base, problem, new, cluster, k)
  branch <- store$branch[store_nearest(store$base, problem, new)]
  T <- branch_sums(store, weighted_indicator(problem, cluster, k))
  out$R <- out$R + T[branch, , drop = FALSE]
  out
}

#' @export
store_starts.kgroups_connected <- function(store) store_starts(store$base)

#' @export
store_kernel.kgroups_connected <- function(store) store_kernel(store$base)

#' @export
store_cost.kgroups_connected <- function(store) store_cost(store$base)

#' @export
store_work.kgroups_connected <- function(store) store_work(store$base)

#' @export
store_detach.kgroups_connected <- function(store) {
  store$base <- store_detach(store$base)
  store
}

#' @export
store_attach.kgroups_connected <- function(store, source) {
  store$base <- store_attach(store$base, source)
  store
}
