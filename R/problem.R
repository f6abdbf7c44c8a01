# The problem: every kind of input becomes one list that the solvers understand. A new
# kind of input is one more method of as_problem() and one more kind of store.
#
#   kind      "points", "packed" (a dist) or "dense": how pair values are stored
#   form      "rho" (B = -rho/2) or "gram" (B = G)
#   store     list(kind code, data, n, d, c(family, parameter)) for the C routines
#   n, names  observations
#   w         weights, scaled by a power of two so that the largest lies in [1, 2)
#   unit      what a pair value of the store must be multiplied by
#   w_unit    what w must be multiplied by
#   exponent  the data were divided by 2^exponent
#   points    the user's coordinates (form "rho", kind "points" and functions), else NULL

store_kinds <- c(points = 0, packed = 1, dense = 2)

new_problem <- function(kind, form, data, n, d, code, names, weights, unit = 1, exponent = 0,
                        points = NULL, semimetric = NULL) {
  use_simd()
  w_exponent <- binary_exponent(weights)
  list(
    kind = kind,
    form = form,
    store = list(unname(store_kinds[kind]), data, as.numeric(n), as.numeric(d), code),
    n = n,
    names = names,
    w = times_power_of_two(weights, -w_exponent),
    w_unit = 2^w_exponent,
    weighted = any(weights != weights[1L]) || weights[1L] != 1,
    unit = unit,
    exponent = exponent,
    points = points,
    semimetric = semimetric
  )
}

# floor(log2(max |x|)), 0 for all zero
binary_exponent <- function(x) {
  range <- value_range(x)
  largest <- max(range[["largest"]], -range[["smallest"]])
  if (largest == 0) 0 else floor(log2(largest))
}

# In one look that copies nothing: a dist may be as large as memory allows.
value_range <- function(x) {
  out <- .Call(ffi_range, if (is.double(x)) x else as.double(x))
  stats::setNames(out, c("smallest", "largest", "missing", "infinite"))
}

# x * 2^e in steps that neither over- nor underflow by themselves
times_power_of_two <- function(x, e) {
  if (e == 0) {
    return(x)
  }
  half <- trunc(e / 2)
  x * 2^half * 2^(e - half)
}

# rho_sine() grows with the square of the distance and cannot be rescaled.
check_sine_range <- function(semimetric, x, call) {
  if (semimetric$family == "sine" && binary_exponent(x) > 490) {
    kg_abort(
      c(
        "{.fn rho_sine} cannot be represented on these data.",
        "x" = "The largest value is {format(max(abs(x)), digits = 3)}; its square overflows.",
        "i" = "Rescale {.arg x}, for example divide it by {.code max(abs(x))}."
      ),
      "range",
      call = call
    )
  }
}

# Exponents within 400 leave room for squares and sums of them: data are used as they are.
scaling_exponent <- function(x) {
  e <- binary_exponent(x)
  if (abs(e) > 400) e else 0
}

as_problem <- function(x, semimetric = rho_power(1), weights = NULL, for_matrix = FALSE,
                       call = rlang::caller_env()) {
  check_kind(x, call)
  speak_of_traps(x)
  UseMethod("as_problem")
}

#' @export
as_problem.default <- function(x, semimetric = rho_power(1), weights = NULL,
                               for_matrix = FALSE, call = rlang::caller_env()) {
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
as_problem.matrix <- function(x, semimetric = rho_power(1), weights = NULL,
                              for_matrix = FALSE, call = rlang::caller_env()) {
  points_problem(x, semimetric, weights, call)
}

#' @export
as_problem.data.frame <- function(x, semimetric = rho_power(1), weights = NULL,
                                  for_matrix = FALSE, call = rlang::caller_env()) {
  points_problem(numeric_columns(x, "x", call), semimetric, weights, call)
}

#' @export
as_problem.dist <- function(x, semimetric = rho_power(1), weights = NULL,
                            for_matrix = FALSE, call = rlang::caller_env()) {
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
as_problem.kgroups_gram <- function(x, semimetric = NULL, weights = NULL,
                                    for_matrix = FALSE, call = rlang::caller_env()) {
  gram_problem(x, weights, call)
}

#' @export
as_problem.kernelMatrix <- function(x, semimetric = NULL, weights = NULL,
                                    for_matrix = FALSE, call = rlang::caller_env()) {
  gram_problem(as_gram(methods::as(x, "matrix")), weights, call)
}

#' @export
as_problem.Matrix <- function(x, semimetric = NULL, weights = NULL,
                              for_matrix = FALSE, call = rlang::caller_env()) {
  kg_abort(
    c(
      "{.arg x} must be numeric data, a {.cls dist} object or a Gram matrix, not sparse, here.",
      "x" = "You supplied {describe(x)}.",
      "i" = "Pass {.code as_gram(as.matrix(x))} for a Gram matrix, {.code as.matrix(x)} for data, if they fit into memory."
    ),
    "x",
    call = call
  )
}

#' @export
as_problem.igraph <- function(x, semimetric = NULL, weights = NULL,
                              for_matrix = FALSE, call = rlang::caller_env()) {
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

# A data frame as a numeric matrix; other columns are refused by name.
numeric_columns <- function(x, arg, call, what = "x") {
  numeric <- vapply(x, function(column) is.numeric(column) && !is.factor(column), NA)
  if (!all(numeric)) {
    bad <- names(x)[!numeric]
    kg_abort(
      c(
        "The columns of {.arg {arg}} must be numeric.",
        "x" = "{cli::qty(bad)}Column{?s} {.field {bad}} {?is/are} not.",
        "i" = "Drop {cli::qty(bad)}{?it/them}, or compute dissimilarities of mixed data by {.fn cluster::daisy}."
      ),
      what,
      call = call
    )
  }
  names <- if (.row_names_info(x) > 0L) row.names(x)
  out <- as.matrix(x)
  rownames(out) <- names
  out
}

# Checks a matrix of points; returns it as doubles.
check_points <- function(x, arg = "x", call = rlang::caller_env(), what = "x") {
  fail <- function(came, hint) {
    kg_abort(
      c(
        "{.arg {arg}} must hold finite numbers, one observation a row.",
        "x" = "{came}", "i" = hint
      ),
      what,
      call = call,
      .envir = rlang::env(arg = arg)
    )
  }
  if (nrow(x) < 1L || ncol(x) < 1L) {
    fail(
      sprintf("You supplied %d row%s and %d column%s.", nrow(x), plural(nrow(x)), ncol(x), plural(ncol(x))),
      "Check how {.arg {arg}} was made."
    )
  }
  if (!is.numeric(x)) {
    fail(
      paste0("You supplied ", describe(x), "."),
      "Recode it as numbers, or compute dissimilarities by {.fn cluster::daisy}."
    )
  }
  storage.mode(x) <- "double"
  if (!is.finite(sum(x)) && !all(is.finite(x))) {
    at <- which(!is.finite(x), arr.ind = TRUE)[1L, ]
    bad <- sum(rowSums(!is.finite(x)) > 0)
    value <- format(x[at[1L], at[2L]])
    fail(
      sprintf(
        "Row %d, column %d is %s (%d row%s of %d affected).", at[1L], at[2L], value,
        bad, if (bad == 1) "" else "s", nrow(x)
      ),
      paste(
        "Drop such rows by {.fn na.omit}, impute them, or pass",
        "{.fn cluster::daisy} dissimilarities, which allow missing values."
      )
    )
  }
  x
}

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
  exponent <- if (semimetric$family %in% c("localized", "sine")) 0 else scaling_exponent(x)
  data <- times_power_of_two(x, -exponent)
  sigma_from <- function(rows) as.vector(stats::dist(data[rows, , drop = FALSE]))
  semimetric <- choose_sigma(semimetric, n, weights, sigma_from, exponent)
  new_problem(
    "points", "rho", data, n, ncol(x), scaled_code(semimetric, exponent), names, weights,
    unit = semimetric_unit(semimetric, exponent), exponent = exponent,
    points = x, semimetric = semimetric
  )
}

# The semimetric for data divided by 2^exponent, and the factor its values then lack.
scaled_code <- function(semimetric, exponent) {
  if (semimetric$family == "function") {
    return(c(match("given", semimetric_families) - 1, 0))
  }
  if (semimetric$family %in% c("exponential", "gaussian")) {
    # a sigma far from the data: 0 would make 0 / 0 of equal points
    sigma <- times_power_of_two(semimetric$parameter, -exponent)
    semimetric$parameter <- min(max(sigma, .Machine$double.xmin), .Machine$double.xmax)
  }
  semimetric_code(semimetric)
}

semimetric_unit <- function(semimetric, exponent) {
  switch(semimetric$family,
    power = 2^(exponent * semimetric$parameter),
    "function" = 2^exponent,
    1
  )
}

# sigma = NULL: the weighted median of pair distances, of a subsample where n is large.
choose_sigma <- function(semimetric, n, weights, distances, exponent) {
  if (!semimetric$family %in% c("exponential", "gaussian") || !is.null(semimetric$parameter)) {
    return(semimetric)
  }
  rows <- which(weights > 0)
  many <- length(rows) > 2000L
  if (many) rows <- sort(rows[sample.int(length(rows), 2000L)])
  d <- distances(rows)
  w <- weights[rows]
  pair_weights <- if (any(w != w[1L])) {
    w <- w / max(w)
    as.vector(stats::as.dist(outer(w, w)))
  }
  sigma <- weighted_median(d, pair_weights)
  if (length(d) == 0L || sigma == 0) sigma <- if (any(d > 0)) mean(d[d > 0]) else 1
  semimetric$parameter <- times_power_of_two(sigma, exponent)
  semimetric$chosen <- if (many) {
    "median pair distance of a subsample of 2000"
  } else {
    "median pair distance"
  }
  semimetric
}

weighted_median <- function(x, w = NULL) {
  if (length(x) == 0L) {
    return(0)
  }
  if (is.null(w)) {
    return(stats::median(x))
  }
  by_size <- order(x)
  share <- cumsum(w[by_size])
  x[by_size][which(share >= 0.5 * share[length(share)])[1L]]
}

# New points for predict() and cross matrices: same columns, in the order of the old.
check_new_points <- function(newdata, points, arg = "newdata", call = rlang::caller_env()) {
  if (is.data.frame(newdata)) {
    columns <- colnames(points)
    if (!is.null(columns) && all(columns %in% names(newdata))) {
      newdata <- newdata[columns]
    }
    newdata <- numeric_columns(newdata, arg, call, "newdata")
  } else if (is.null(dim(newdata)) && is.numeric(newdata) && !is.object(newdata)) {
    newdata <- if (ncol(points) == 1L) {
      matrix(newdata, ncol = 1L, dimnames = list(names(newdata), NULL))
    } else {
      matrix(newdata, nrow = 1L)
    }
  }
  if (!is.matrix(newdata) || ncol(newdata) != ncol(points)) {
    came <- describe(newdata)
    kg_abort(
      c(
        "{.arg {arg}} must have {ncol(points)} column{?s}, as the data.",
        "x" = "You supplied {came}."
      ),
      "newdata",
      call = call
    )
  }
  columns <- colnames(points)
  if (!is.null(columns) && !is.null(colnames(newdata)) && all(columns %in% colnames(newdata))) {
    newdata <- newdata[, columns, drop = FALSE]
  }
  check_points(newdata, arg, call, "newdata")
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
  exponent <- if (semimetric$family %in% c("localized", "sine")) 0 else scaling_exponent(values)
  data <- times_power_of_two(values, -exponent)
  sigma_from <- function(rows) packed_subset(data, n, rows)
  semimetric <- choose_sigma(semimetric, n, weights, sigma_from, exponent)
  new_problem(
    "packed", "rho", data, n, 0, scaled_code(semimetric, exponent), names, weights,
    unit = semimetric_unit(semimetric, exponent), exponent = exponent,
    semimetric = semimetric
  )
}

is_are <- function(n) if (n == 1) "is" else "are"

# The packed triangle among some of n observations; rows ascending.
packed_subset <- function(values, n, rows) {
  m <- length(rows)
  if (m == n) {
    return(as.vector(values))
  }
  if (m < 2L) {
    return(numeric())
  }
  unlist(lapply(seq_len(m - 1L), function(a) {
    j <- rows[a]
    .subset(values, n * (j - 1) - j * (j - 1) / 2 + rows[seq.int(a + 1L, m)] - j)
  }), use.names = FALSE)
}

# ---- Gram matrices ----

gram_problem <- function(G, weights, call) {
  # the class of a Gram matrix outlives what is done to its entries
  G <- check_gram_matrix(G, call)
  n <- nrow(G)
  weights <- check_weights(weights, n, call = call)
  names <- rownames(G)
  data <- unclass(G)
  storage.mode(data) <- "double"
  attributes(data) <- list(dim = c(n, n))
  exponent <- scaling_exponent(data)
  new_problem(
    "dense", "gram", times_power_of_two(data, -exponent), n, 0,
    c(match("given", semimetric_families) - 1, 0), names, weights,
    unit = 2^exponent, exponent = exponent
  )
}
