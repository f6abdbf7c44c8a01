# What is read from a problem: pair values, parts of it, and whether to keep them.

# B, n x n, in the units of the store
pair_values <- function(problem) {
  if (problem$kind == "dense") {
    return(problem$store[[2L]])
  }
  .Call(ffi_pair_values, c_store(problem))
}

# The diagonal of B
self_values <- function(problem) {
  switch(problem$kind,
    dense = diag(problem$store[[2L]]),
    sparse = problem$diagonal,
    numeric(problem$n)
  )
}

# rho between new points y (rows) and the points of the problem, in true units.
cross_rho <- function(problem, y, transpose = FALSE) {
  value <- if (problem$semimetric$family == "function") {
    evaluate_function(problem$semimetric, y, problem$points)
  } else {
    y <- scaled_new(y, problem$exponent, rlang::caller_env(), "y")
    -2 * problem$unit * .Call(ffi_cross_values, c_store(problem), y)
  }
  if (transpose) t(value) else value
}

# The problem on some of its observations (ascending row numbers).
subset_problem <- function(problem, rows) {
  m <- length(rows)
  if (problem$kind == "sparse") {
    block <- as.matrix(problem$off[rows, rows, drop = FALSE])
    diag(block) <- problem$diagonal[rows]
    rownames(block) <- problem$names[rows]
    out <- gram_problem(block, problem$w[rows], rlang::caller_env())
    out$unit <- out$unit * problem$unit
    return(out)
  }
  out <- problem
  data <- problem$store[[2L]]
  out$store[[2L]] <- switch(problem$kind,
    points = data[rows, , drop = FALSE],
    packed = packed_subset(data, problem$n, rows),
    dense = data[rows, rows, drop = FALSE]
  )
  out$store[[3L]] <- as.numeric(m)
  out$n <- m
  out$w <- problem$w[rows]
  out$names <- problem$names[rows]
  if (!is.null(problem$points)) out$points <- problem$points[rows, , drop = FALSE]
  out
}

# Small problems: the pair values computed once and shared by all starts and swaps, 32 MB
# at most. Larger ones keep their store, and nothing of size n^2 is made. `passes`: about how
# often all pair values will be asked for, Inf where the matrix itself is. Coordinates of a
# few dimensions are as quick as memory, so that few passes do not pay for the matrix.
small_n <- 2000L

cache_pairs <- function(problem, passes = Inf) {
  if (problem$n > small_n || (problem$kind == "dense" && problem$form == "rho") ||
    !worth_caching(problem, passes)) {
    return(problem)
  }
  problem$store <- list(
    unname(store_kinds["dense"]), .Call(ffi_pair_values, c_store(problem)),
    problem$store[[3L]], 0, c(match("given", semimetric_families) - 1, 0)
  )
  problem$kind <- "dense"
  problem$form <- "rho"
  problem
}

# Nanoseconds a pair, roughly: to read it, to make the matrix, to compute it.
worth_caching <- function(problem, passes) {
  rho <- problem$store[[5L]]
  vectorised <- switch(semimetric_families[rho[1L] + 1],
    power = rho[2L] %in% c(0.5, 1, 1.5, 2),
    exponential = ,
    gaussian = TRUE,
    FALSE
  )
  compute <- if (problem$kind == "points") 0.15 + 0.03 * problem$store[[4L]] else 2
  if (!vectorised) compute <- compute + 10
  passes == Inf || passes * (compute - 0.3) > compute + 4
}
