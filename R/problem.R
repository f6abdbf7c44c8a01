# The problem: every kind of input becomes one list of named fields that the solvers and the
# compiled code understand. A new kind of input is one more method of as_problem() and one more
# store (R/store.R).
#
#   n, names    observations
#   w           weights, scaled by a power of two so that the largest lies in [1, 2)
#   w_unit      what w must be multiplied by
#   weighted    are they not all 1?
#   store       the pair values
#   unit        what a pair value of the store must be multiplied by
#   exponent    the data were divided by 2^exponent
#   semimetric  with its parameters; NULL where kernel values came in
#   points      the user's coordinates as a matrix of doubles, where there are any

new_problem <- function(store, names, weights, unit = 1, exponent = 0, semimetric = NULL, points = NULL) {
  use_simd()
  w_exponent <- binary_exponent(weights)
  out <- list(
    n = store$n,
    names = names,
    w = times_power_of_two(weights, -w_exponent),
    w_unit = 2^w_exponent,
    weighted = any(weights != 1),
    store = store,
    unit = unit,
    exponent = exponent,
    semimetric = semimetric,
    points = points
  )
  class(out) <- "kgroups_problem"
  out
}

# Everything that new_problem() takes on trust.
validate_problem <- function(problem) {
  good <- c(
    class = inherits(problem, "kgroups_problem") && inherits(problem$store, store_classes),
    n = is_number(problem$n) && is.double(problem$n) && problem$n >= 1 && problem$n == problem$store$n,
    names = is.null(problem$names) || length(problem$names) == problem$n,
    w = is.double(problem$w) && length(problem$w) == problem$n && all(problem$w >= 0 & problem$w < 2) &&
      max(problem$w) >= 1,
    units = is_number(problem$unit) && problem$unit > 0 && is_number(problem$w_unit) && problem$w_unit > 0,
    semimetric = is.null(problem$semimetric) || inherits(problem$semimetric, "kgroups_semimetric"),
    points = is.null(problem$points) || is.matrix(problem$points) && nrow(problem$points) == problem$n
  )
  if (!all(good)) {
    kg_abort(
      c("This is not a problem.", "x" = "Wrong: {.field {names(good)[!good]}}."),
      "problem"
    )
  }
  problem
}

store_classes <- c(
  "kgroups_points", "kgroups_packed", "kgroups_dense", "kgroups_sparse", "kgroups_features", "kgroups_function",
  "kgroups_connected"
)

# Values in the units of the user: of a dispersion (W, S, cost), a pair value or a weight.
true_units <- function(problem, value, what = "dispersion") {
  value * switch(what,
    dispersion = problem$unit * problem$w_unit,
    pair = problem$unit,
    weight = problem$w_unit
  )
}

# `for_matrix`: is the n x n matrix of values itself what is asked for?
as_problem <- function(x, semimetric = rho_power(1), weights = NULL, for_matrix = FALSE,
                       call = rlang::caller_env()) {
  check_kind(x, call)
  if (for_matrix) refuse_sparse(x, call)
  if (is_connected(semimetric)) {
    return(connect_problem(as_problem(x, semimetric$base, weights, for_matrix, call), semimetric, call))
  }
  UseMethod("as_problem")
}

#' @export
as_problem.default <- function(x, semimetric = rho_power(1), weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  if (!is.numeric(x) || is.object(x) || !(is.null(dim(x)) || length(dim(x)) <= 2L)) {
    came <- describe(x)
    hint <- if (inherits(x, "formula")) {
      "There is no formula interface: pass the columns themselves."
    } else if (is.function(x) || length(dim(x)) > 2L) {
      "Pass a matrix or data frame with one observation a row."
    } else if (is.logical(x) || inherits(x, c("Date", "POSIXct", "difftime", "ts"))) {
      "If its numbers are meant, pass {.code as.numeric(x)}."
    } else {
      "For mixed data compute dissimilarities first, for example by {.fn cluster::daisy}."
    }
    kg_abort(
      c(
        "{.arg x} must be numeric data, a {.cls dist} object or a Gram matrix.",
        "x" = "You supplied {came}.",
        "i" = hint
      ),
      "x",
      call = call
    )
  }
  names <- names(x)
  x <- matrix(as.numeric(x), ncol = 1L)
  rownames(x) <- names
  points_problem(x, semimetric, weights, call)
}

#' @export
as_problem.matrix <- function(x, semimetric = rho_power(1), weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  points_problem(x, semimetric, weights, call)
}

#' @export
as_problem.data.frame <- function(x, semimetric = rho_power(1), weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  points_problem(numeric_columns(x, "x", call), semimetric, weights, call)
}

#' @export
as_problem.dist <- function(x, semimetric = rho_power(1), weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  n <- check_dist(x, call)
  semimetric <- check_semimetric(semimetric, call)
  if (semimetric$family == "function") {
    kg_abort(
      c(
        "A semimetric of your own needs points in {.arg x}.",
        "x" = "You supplied dissimilarities.",
        "i" = "Transform the dissimilarities yourself and use {.code rho_power(1)}."
      ),
      "semimetric",
      call = call
    )
  }
  weights <- check_weights(weights, n, call = call)
  # a dist of doubles stays as it is, attributes and all: without them it would be a copy
  values <- if (is.double(x)) x else as.double(x)
  packed_problem(values, n, attr(x, "Labels"), semimetric, weights, call)
}

#' @export
as_problem.kgroups_gram <- function(x, semimetric = NULL, weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  gram_problem(x, weights, call)
}

#' @export
as_problem.kernelMatrix <- function(x, semimetric = NULL, weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  gram_problem(as_gram(methods::as(x, "matrix")), weights, call)
}

#' @export
as_problem.Matrix <- function(x, semimetric = NULL, weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  if (!methods::is(x, "sparseMatrix")) {
    if (!methods::is(x, "symmetricMatrix")) fail_sparse_gram(x, call)
    return(gram_problem(as_gram(as.matrix(x)), weights, call))
  }
  sparse_gram_problem(x, weights, call)
}

refuse_sparse <- function(x, call) {
  if (!inherits(x, "Matrix")) {
    return(invisible())
  }
  came <- describe(x)
  kg_abort(
    c(
      "{.arg x} must be numeric data, a {.cls dist} object or a Gram matrix, not sparse, here.",
      "x" = "You supplied {came}.",
      "i" = "Pass {.code as_gram(as.matrix(x))} for a Gram matrix, {.code as.matrix(x)} for data, if they fit into memory."
    ),
    "x",
    call = call
  )
}

#' @export
as_problem.igraph <- function(x, semimetric = NULL, weights = NULL, for_matrix = FALSE,
    call = rlang::caller_env()) {
  kg_abort(
    c(
      "{.arg x} must be numeric data, a {.cls dist} object or a Gram matrix here.",
      "x" = "You supplied a graph.",
      "i" = "Pass {.code as.dist(igraph::distances(x))}, or a kernel of its vertices by {.fn as_gram}."
    ),
    "x",
    call = call
  )
}

# ---- points ----

points_problem <- function(x, semimetric, weights, call) {
  semimetric <- check_semimetric(semimetric, call)
  x <- check_points(x, "x", call)
  n <- nrow(x)
  weights <- check_weights(weights, n, call = call)
  names <- rownames(x)
  if (semimetric$family == "function") {
    check_memory(16 * n * (n - 1) / 2, n, "the values of your semimetric", call = call)
    values <- packed_function_values(semimetric, x, call)
    problem <- packed_problem(values, n, names, semimetric, weights, call)
    problem$points <- x
    return(problem)
  }
  check_sine_range(semimetric, x, call)
  exponent <- data_exponent(semimetric, x)
  data <- times_power_of_two(x, -exponent)
  sigma_from <- function(rows) as.vector(stats::dist(data[rows, , drop = FALSE]))
  semimetric <- choose_sigma(semimetric, n, weights, sigma_from, exponent)
  new_problem(
    new_points_store(data, scaled_code(semimetric, exponent)), names, weights,
    unit = semimetric_unit(semimetric, exponent), exponent = exponent,
    semimetric = semimetric, points = x
  )
}

# sigma = NULL: the weighted median of pair distances, each observation's to itself among them,
# so that a weight of 2 equals two rows; of a subsample where n is large.
choose_sigma <- function(semimetric, n, weights, distances, exponent) {
  if (!semimetric$family %in% c("exponential", "gaussian") || !is.null(semimetric$parameter)) {
    return(semimetric)
  }
  rows <- which(weights > 0)
  many <- length(rows) > 2000L
  if (many) rows <- sort(rows[sample.int(length(rows), 2000L)])
  d <- distances(rows)
  w <- weights[rows]
  sigma <- if (length(d)) median_distance(d, length(rows), if (any(w != w[1L])) w / max(w)) else 0
  if (sigma == 0) sigma <- if (any(d > 0)) mean(d[d > 0]) else 1
  semimetric$parameter <- times_power_of_two(sigma, exponent)
  semimetric$chosen <- if (many) {
    "median pair distance of a subsample of 2000"
  } else {
    "median pair distance"
  }
  semimetric
}

# ---- dissimilarities ----

check_dist <- function(x, call = rlang::caller_env()) {
  n <- attr(x, "Size")
  sized <- is_number(n) && n >= 1 && n == round(n) && length(x) == n * (n - 1) / 2
  if (!sized) {
    kg_abort(
      c(
        "A {.cls dist} object must hold n (n - 1) / 2 values for its {.field Size} n.",
        "x" = "{.arg x} has {length(x)} value{?s} and {.field Size} {describe(n)}.",
        "i" = "Make it anew by {.fn dist} or {.fn as.dist}."
      ),
      "dist",
      call = call
    )
  }
  range <- if (is.numeric(x)) value_range(x)
  bad <- if (is.null(range)) {
    paste0("You supplied values of type ", typeof(x), ".")
  } else if (range[["missing"]] > 0) {
    sprintf("%.0f of them %s missing.", range[["missing"]], is_are(range[["missing"]]))
  } else if (range[["infinite"]] > 0) {
    sprintf("%.0f of them %s infinite.", range[["infinite"]], is_are(range[["infinite"]]))
  } else if (range[["smallest"]] < 0) {
    sprintf("%d of them %s negative, the smallest %s.", sum(x < 0), is_are(sum(x < 0)), format(min(x)))
  }
  if (!is.null(bad)) {
    kg_abort(
      c(
        "Dissimilarities must be finite numbers that are not negative.",
        "x" = bad,
        "i" = "Drop the observations concerned, or compute the dissimilarities another way."
      ),
      "dist",
      call = call
    )
  }
  n
}

packed_problem <- function(values, n, names, semimetric, weights,
                           call = rlang::caller_env()) {
  check_sine_range(semimetric, values, call)
  exponent <- data_exponent(semimetric, values)
  data <- times_power_of_two(values, -exponent)
  sigma_from <- function(rows) packed_subset(data, n, rows)
  semimetric <- choose_sigma(semimetric, n, weights, sigma_from, exponent)
  new_problem(
    new_packed_store(data, n, scaled_code(semimetric, exponent)), names, weights,
    unit = semimetric_unit(semimetric, exponent), exponent = exponent, semimetric = semimetric
  )
}

is_are <- function(n) if (n == 1) "is" else "are"

# ---- Gram matrices ----

gram_problem <- function(G, weights, call) {
  # the class of a Gram matrix outlives what is done to its entries
  if (!is.matrix(G) || !is.numeric(G) || nrow(G) != ncol(G) || nrow(G) == 0L || !all(is.finite(range(G)))) {
    check_gram_matrix(unclass(G), call)
  }
  n <- nrow(G)
  weights <- check_weights(weights, n, call = call)
  # read in place: without its attributes it would be a copy
  if (!is.double(G)) storage.mode(G) <- "double"
  exponent <- scaling_exponent(G)
  if (exponent != 0) G <- times_power_of_two(unclass(G), -exponent)
  half <- .subset(G, cbind(seq_len(n), seq_len(n))) / 2
  new_problem(new_dense_store(G, half), rownames(G), weights, unit = 2^exponent, exponent = exponent)
}

# ---- sparse symmetric matrices ----

fail_sparse_gram <- function(x, call, came = NULL) {
  if (is.null(came)) {
    came <- sprintf("You supplied an object of class %s, %d x %d.", class(x)[1L], nrow(x), ncol(x))
  }
  kg_abort(
    c(
      "A {.cls Matrix} must be a Gram matrix: square, symmetric and finite.",
      "x" = came,
      "i" = "Pass data as {.code as.matrix(x)}; symmetrise a Gram matrix by (G + t(G)) / 2."
    ),
    "gram",
    call = call
  )
}

sparse_gram_problem <- function(x, weights, call) {
  n <- nrow(x)
  if (n != ncol(x) || n == 0L || !methods::is(x, "sparseMatrix")) fail_sparse_gram(x, call)
  names <- rownames(x)
  x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  dimnames(x) <- list(NULL, NULL)
  if (!all(is.finite(x@x))) {
    fail_sparse_gram(x, call, sprintf("%d of its entries are not finite.", sum(!is.finite(x@x))))
  }
  turned <- Matrix::t(x)
  gap <- abs(x - turned)
  if (length(gap@x) && max(gap@x) > 0) {
    if (max(gap@x) > 1e-8 * max(abs(x@x))) {
      fail_sparse_gram(x, call, sprintf("It differs from its transpose by up to %s.", format(max(gap@x))))
    }
    x <- (x + turned) / 2
  }
  diagonal <- Matrix::diag(x)
  off <- Matrix::drop0(x - Matrix::Diagonal(x = diagonal))
  off <- methods::as(methods::as(off, "generalMatrix"), "CsparseMatrix")
  weights <- check_weights(weights, n, call = call)
  # as everywhere: sums of sums must neither overflow nor vanish
  exponent <- scaling_exponent(c(off@x, diagonal))
  off@x <- times_power_of_two(off@x, -exponent)
  new_problem(
    new_sparse_store(off, times_power_of_two(diagonal, -exponent)), names, weights,
    unit = 2^exponent, exponent = exponent
  )
}

# Weights as they are given: the degrees of a graph are whole numbers.
new_sparse_problem <- function(off, diagonal, w, names) {
  new_problem(new_sparse_store(off, diagonal), names, as.double(w))
}

# ---- parts of a problem, and what is read from it ----

# The problem on some of its observations (ascending row numbers).
subset_problem <- function(problem, rows) {
  out <- problem
  out$store <- store_subset(problem$store, rows)
  out$n <- out$store$n
  out$w <- store_weights(out$store, problem$w[rows], problem$w_unit)
  out$names <- problem$names[rows]
  if (!is.null(problem$points)) out$points <- problem$points[rows, , drop = FALSE]
  out
}

# B, n x n, in the units of the store
pair_values <- function(problem) store_values(problem$store)

# The diagonal of B
self_values <- function(problem) store_self(problem$store)

# G_ii of the kernel values that came in, 0 where none did: what rounding of them is measured by.
kernel_diagonal <- function(problem) {
  if (is.null(problem$store$half)) self_values(problem) else 2 * problem$store$half
}

# Did kernel values come in (a Gram matrix, a graph), instead of points or distances?
has_kernel <- function(problem) store_kernel(problem$store)

# Are there values of all pairs to visit, instead of a sparse matrix or features?
has_pairs <- function(problem) !inherits(problem$store, c("kgroups_sparse", "kgroups_features"))

# Small problems: the pair values computed once and shared by all starts and swaps, 32 MB
# at most. Larger ones keep their store, and nothing of size n^2 is made. `passes`: about how
# often all pair values will be asked for, Inf where the matrix itself is.
small_n <- 2000L

cache_pairs <- function(problem, passes = Inf) {
  if (problem$n <= small_n && worth_caching(problem$store, passes)) {
    problem$store <- new_dense_store(store_values(problem$store))
  }
  problem
}

# The problem without what the data say already, and put together again from the data.
detach_problem <- function(problem) {
  problem$store <- store_detach(problem$store)
  problem["points"] <- list(NULL)
  problem
}

attach_problem <- function(problem, data) {
  semimetric <- base_semimetric(problem$semimetric)
  own <- identical(semimetric$family, "function")
  source <- as_problem(data, if (own) rho_power(1) else semimetric)
  problem$store <- store_attach(problem$store, source)
  problem["points"] <- source["points"]
  problem
}

# rho between new points y (rows) and the points of the problem, in true units.
cross_rho <- function(problem, y, transpose = FALSE) {
  value <- if (inherits(problem$store, "kgroups_connected")) {
    connected_cross_rho(problem, y)
  } else if (base_semimetric(problem$semimetric)$family == "function") {
    evaluate_function(base_semimetric(problem$semimetric), y, problem$points)
  } else {
    y <- scaled_new(y, problem$exponent, rlang::caller_env(), "y")
    -2 * true_units(problem, cross_values(problem, y), "pair")
  }
  if (transpose) t(value) else value
}

# The same with gaps.
connected_cross_rho <- function(problem, y) {
  store <- problem$store
  unit <- problem$unit
  problem <- base_problem(problem)
  nearest <- store_nearest(store$base, problem, y, rlang::caller_env())
  problem$unit <- 1
  base <- if (identical(problem$semimetric$family, "function")) {
    times_power_of_two(evaluate_function(problem$semimetric, y, problem$points), -problem$exponent)
  } else {
    cross_rho(problem, y)
  }
  (base + store$H[store$branch[nearest], store$branch, drop = FALSE]) * unit
}
