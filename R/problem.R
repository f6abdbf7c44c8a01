# The problem: every kind of input becomes one list of named fields that the solvers and the
# compiled code understand. A new kind of input is one more method of as_problem() and one more
# store (R/store.R).
#
#   n, names    number and names of the observations
#   w           weights of the user divided by w_unit, so that the largest lies in [1, 2)
#   w_unit      a power of two; w * w_unit are the weights of the user
#   weighted    does any weight of the user differ from 1?
#   store       holds or computes rho divided by unit, where rho are the dissimilarities of the user
#   unit        rho = unit * (value of the store)
#   exponent    data of the store = data of the user / 2^exponent, which prevents overflow. The data
#               are coordinates, dissimilarities or kernel values. With squared distances, for
#               example, unit = 2^(2 exponent).
#   semimetric  with its parameters; NULL if the user gave kernel values
#   points      coordinates as a matrix of doubles, or NULL
#   blueprint   the preprocessing that made the points (R/blueprint.R), or NULL
#
# The matrix B = -rho/2 has a diagonal of 0 in every store but the sparse one (R/store.R).

new_problem <- function(store, names, weights, unit = 1, exponent = 0, semimetric = NULL, points = NULL,
                        blueprint = NULL) {
  use_simd()
  w_exponent <- binary_exponent(weights)
  out <- list(
    n = store$n,
    names = names,
    w = times_power_of_two(weights, -w_exponent),
    w_unit = 2^w_exponent,
    weighted = min(weights) != 1 || max(weights) != 1,
    store = store,
    unit = unit,
    exponent = exponent,
    semimetric = semimetric,
    points = points,
    blueprint = blueprint
  )
  class(out) <- "kgroups_problem"
  out
}

# Return the row numbers of the observations of positive weight ("inside"), and their number. If all
# are positive, nothing is allocated: vectors of length n are most of the memory of a large call.
inside_rows <- function(problem) if (min(problem$w) > 0) seq_len(problem$n) else which(problem$w > 0)

count_inside <- function(problem) if (min(problem$w) > 0) as.integer(problem$n) else sum(problem$w > 0)

# Return dispersions (W, S, cost), pairwise dissimilarities or weights in the units of the user.
true_units <- function(problem, value, what = "dispersion") {
  value * switch(what, dispersion = problem$unit * problem$w_unit, pair = problem$unit, weight = problem$w_unit)
}

# Return values of W with those set to 0 that are negative by rounding alone. The rounding error is
# taken as at most `rounding` times the sum of |total| and the weighted diagonal of the kernel.
# `values` and `total` are in internal units.
rounded_to_zero <- function(problem, values, total, rounding = 1e-13) {
  if (min(values) >= 0) {
    return(values)
  }
  size <- abs(total) + sum(problem$w * abs(kernel_diagonal(problem)))
  values[values < 0 & values >= -rounding * size] <- 0
  values
}

as_problem <- function(x, semimetric = rho_power(1), weights = NULL, call = rlang::caller_env()) {
  check_data(x, call)
  if (!inherits(semimetric, "kgroups_semimetric")) semimetric <- chosen_semimetric(semimetric)
  if (inherits(semimetric, "kgroups_rho_connected")) {
    return(connected_problem(as_problem(x, semimetric$base, weights, call), semimetric, call))
  }
  UseMethod("as_problem")
}

# The problem of rho_connected() from that of its base, in the metric of the neighbours if `metric` is "auto", their
# directions are not uniform, and the tree in it still has gaps or that in the given metric has none either.
connected_problem <- function(problem, semimetric, call) {
  turned <- in_neighbour_metric(problem, semimetric, call)
  if (!is.null(turned)) turned <- connect_problem(turned, semimetric, call)
  if (!is.null(turned) && has_gaps(turned)) {
    return(turned)
  }
  given <- connect_problem(problem, semimetric, call)
  if (is.null(turned) || has_gaps(given)) given else turned
}

has_gaps <- function(problem) inherits(problem$store, "kgroups_connected")

# NULL: in the given metric. Only numeric columns under the Euclidean distance have the other.
in_neighbour_metric <- function(problem, semimetric, call) {
  base <- semimetric$base
  plain <- !is_metric(base) || base$metric == "euclidean"
  if (semimetric$space == "given" || !plain || !inherits(problem$store, "kgroups_points") || has_categories(problem)) {
    return(NULL)
  }
  inside <- inside_rows(problem)
  transform <- neighbour_transform(problem$store$x[inside, , drop = FALSE], problem$w[inside] * problem$w_unit)
  if (is.null(transform)) {
    return(NULL)
  }
  base$transform <- transform
  moved_problem(problem, problem$points, base, call)
}

# The problem of other points, or under another semimetric, with the weights and names of this one.
moved_problem <- function(problem, points, semimetric, call = NULL) {
  out <- points_problem(points, semimetric, problem$w * problem$w_unit, call, problem$blueprint)
  kept <- c("w", "w_unit", "weighted", "names")
  out[kept] <- problem[kept]
  out
}

#' @export
as_problem.default <- function(x, semimetric = rho_power(1), weights = NULL, call = rlang::caller_env()) {
  if (!inherits(x, "kgroups_prepared") && is_complete_matrix(x)) {
    return(points_problem(plain_points(x), semimetric, weights, call))
  }
  if (!is_points(x)) {
    x <- one_column(plain_numbers(x))
    if (!inherits(x, c("matrix", "data.frame"))) abort_other(x, call)
    x <- make_points(x, weights, call = call)
  }
  points_problem(plain_points(x), semimetric, weights, call, attr(x, "blueprint"))
}

# Raise the error of an object that is no data.
abort_other <- function(x, call) {
  hint <- if (is.factor(x)) {
    "Categories are a column, `data.frame(x)`."
  } else if (is.character(x) && length(x) > 1L) {
    "Numbers are `as.numeric(x)`, categories a column, `data.frame(x)`, distances of texts `as.dist(adist(x))`."
  } else if (is.logical(x) && is.null(dim(x)) || inherits(x, c("Date", "POSIXct", "difftime", "ts"))) {
    "If its numbers are meant, pass `as.numeric(x)`."
  } else {
    object_hint(x) %||% "Pass a matrix or data frame with one observation a row."
  }
  abort_no_data(x, call, hint)
}

#' @export
as_problem.dist <- function(x, semimetric = rho_power(1), weights = NULL, call = rlang::caller_env()) {
  check_dist(x, call)
  n <- attr(x, "Size")
  semimetric <- check_semimetric(semimetric, call)
  if (semimetric$family == "function" || is_metric(semimetric)) {
    abort_input(
      "semimetric", call,
      "{if (is_metric(semimetric)) 'A metric by name' else 'A semimetric of your own'} needs points in `x`.",
      "You supplied dissimilarities.", "Transform the dissimilarities yourself and use `rho_power(1)`."
    )
  }
  weights <- check_weights(weights, n, call = call, names = attr(x, "Labels"))
  # removing the attributes of a dist of doubles would copy it
  values <- if (is.double(x)) x else as.double(x)
  packed_problem(values, n, attr(x, "Labels"), semimetric, weights)
}

#' @export
as_problem.kgroups_gram <- function(x, semimetric = NULL, weights = NULL, call = rlang::caller_env()) {
  gram_problem(x, weights, call)
}

#' @export
as_problem.kernelMatrix <- function(x, semimetric = NULL, weights = NULL, call = rlang::caller_env()) {
  gram_problem(as_gram(x), weights, call)
}

#' @export
as_problem.simil <- function(x, semimetric = NULL, weights = NULL, call = rlang::caller_env()) abort_other(x, call)

# ---- points ----

points_problem <- function(x, semimetric, weights, call, blueprint = new_blueprint(x)) {
  semimetric <- check_semimetric(semimetric, call)
  n <- nrow(x)
  names <- rownames(x)
  if (is_metric(semimetric) && semimetric$metric == "jaccard" && !isTRUE(blueprint$as_is)) {
    abort_input(
      "semimetric", call, "The metric \"jaccard\" needs numbers, of which 0 is absent.",
      "The columns of `x` are categories, or standardized.",
      "Use `data.matrix(x)` for logical columns, a column of 0 and 1 for each level of a factor."
    )
  }
  weights <- check_weights(weights, n, call = call, names = names)
  if (semimetric$family == "function") {
    check_memory(16 * n * (n - 1) / 2, n, "the values of your semimetric", call = call)
    values <- packed_function_values(semimetric, x, call)
    problem <- packed_problem(values, n, names, semimetric, weights)
    problem$points <- x
    problem$blueprint <- blueprint
    return(problem)
  }
  euclidean <- !is_metric(semimetric)
  family <- if (!euclidean) metric_families[[semimetric$metric]]
  if (!euclidean) semimetric <- resolve_columns(semimetric, blueprint)
  coordinates <- if (euclidean && is.null(semimetric$transform)) x else metric_coordinates(semimetric, x, call)
  exponent <- if (any(family %in% c("power", "arc", "jaccard", "hamming"))) 0 else scaling_exponent(coordinates)
  data <- times_power_of_two(coordinates, -exponent)
  if (is.null(semimetric$parameter)) {
    pairs <- list(
      distances = function(rows) as.vector(stats::dist(data[rows, , drop = FALSE])), key = function() point_key(data)
    )
    semimetric <- with_sigma(semimetric, weights, pairs, exponent)
  }
  scaled <- scaled_semimetric(semimetric, exponent)
  as_points <- euclidean || family %in% c("power", "arc")
  store <- if (as_points) new_points_store(data, scaled$code) else new_metric_store(data, scaled$code, semimetric$p)
  new_problem(
    store, names, weights,
    unit = scaled$unit, exponent = exponent, semimetric = semimetric, points = x, blueprint = blueprint
  )
}

# Return the semimetric with sigma set, if it has one and the user gave none. sigma is the weighted
# median over all n^2 pairs (i, j), also i = j with distance 0: then a weight of 2 equals two rows.
# Of more than 2000 rows, spaced_rows() by `key()` are used. A list(distances, key) of functions comes with the data.
with_sigma <- function(semimetric, weights, data, exponent) {
  if (!semimetric$family %in% c("exponential", "gaussian") || !is.null(semimetric$parameter)) {
    return(semimetric)
  }
  rows <- which(weights > 0)
  many <- length(rows) > small_n
  if (many) rows <- spaced_rows(rows, data$key(), small_n)
  d <- data$distances(rows)
  w <- weights[rows]
  sigma <- if (length(d)) median_distance(d, length(rows), if (any(w != w[1L])) w / max(w)) else 0
  if (sigma == 0) sigma <- if (any(d > 0)) mean(d[d > 0]) else 1
  semimetric$parameter <- times_power_of_two(sigma, exponent)
  semimetric$chosen <- if (many) sprintf("median pair distance of %d rows", small_n) else "median pair distance"
  semimetric
}

# ---- dissimilarities ----

check_dist <- function(x, call = rlang::caller_env()) {
  n <- attr(x, "Size")
  sized <- is_number(n) && n >= 1 && n == round(n) && length(x) == n * (n - 1) / 2
  if (!sized) {
    abort_input(
      "dist", call, "A <dist> object must hold n (n - 1) / 2 values for its Size n.",
      "`x` has {length(x)} value{?s} and Size {value_text(n)}.", "Make it again by `dist()` or `as.dist()`."
    )
  }
  labels <- attr(x, "Labels")
  if (!is.null(labels) && (!is.atomic(labels) || length(labels) != n)) {
    abort_input(
      "dist", call, "The Labels of a <dist> object must name its {n} observation{?s}.", "`x` has {length(labels)}.",
      "Use `attr(x, \"Labels\") <- NULL`, or the names of all observations."
    )
  }
  must <- "Dissimilarities must be finite numbers that are not negative."
  if (!is.numeric(x)) abort_input("dist", call, must, "You supplied values of type {typeof(x)}.")
  range <- value_range(x)
  bad <- c(missing = range[["missing"]] > 0, infinite = range[["infinite"]] > 0, negative = range[["smallest"]] < 0)
  if (!any(bad)) {
    return(x)
  }
  kind <- names(which(bad))[1L]
  at <- which(switch(kind, missing = is.na(x), infinite = is.infinite(x), negative = x < 0))
  abort_input(
    "dist", call, must, "{length(at)} of them {?is/are} {kind}, the first {pair_text(x, at[1L])}.",
    if (kind == "negative" && range[["smallest"]] >= -1 && range[["largest"]] <= 1) {
      "Of correlations pass `1 - x`, or `1 - abs(x)` if the sign does not matter."
    } else {
      "Drop the observations concerned, or compute the dissimilarities another way."
    }
  )
}

# Return "between a and b" for the two observations of element `at` of a `dist`.
pair_text <- function(x, at) {
  n <- attr(x, "Size")
  before <- c(0, cumsum(rev(seq_len(n - 1))))
  first <- findInterval(at - 1, before)
  labels <- attr(x, "Labels")
  sprintf("between %s and %s", observation_text(first, labels), observation_text(first + at - before[first], labels))
}

packed_problem <- function(values, n, names, semimetric, weights) {
  exponent <- scaling_exponent(values)
  data <- times_power_of_two(values, -exponent)
  pairs <- list(
    distances = function(rows) packed_subset(data, n, rows),
    key = function() store_product(new_packed_store(data, n, semimetric_code("power", 1)), as.numeric(weights))
  )
  semimetric <- with_sigma(semimetric, weights, pairs, exponent)
  scaled <- scaled_semimetric(semimetric, exponent)
  store <- new_packed_store(data, n, scaled$code)
  new_problem(store, names, weights, unit = scaled$unit, exponent = exponent, semimetric = semimetric)
}

# ---- Gram matrices ----

gram_problem <- function(G, weights, call) {
  # checked again, because its entries may have been changed after as_gram()
  G <- check_gram_matrix(G, call)
  n <- nrow(G)
  weights <- check_weights(weights, n, call = call, names = rownames(G))
  # the attributes are kept, because removing them would copy the matrix
  if (!is.double(G)) storage.mode(G) <- "double"
  exponent <- scaling_exponent(G)
  if (exponent != 0) G <- times_power_of_two(unclass(G), -exponent)
  # B_ij = G_ij - G_ii / 2 - G_jj / 2, which is -rho_ij / 2; the store subtracts these halves
  half <- .subset(G, cbind(seq_len(n), seq_len(n))) / 2
  new_problem(new_dense_store(G, half), rownames(G), weights, unit = 2^exponent, exponent = exponent)
}

# ---- parts of a problem, and its values ----

# Return the problem of some of the observations, given by ascending row numbers.
subset_problem <- function(problem, rows) {
  out <- problem
  out$store <- store_subset(problem$store, rows)
  out$n <- out$store$n
  out$w <- store_weights(out$store, problem$w[rows], problem$w_unit)
  out$names <- problem$names[rows]
  if (!is.null(problem$points)) out$points <- problem$points[rows, , drop = FALSE]
  out
}

# Some of the observations; features stay features.
subset_observations <- function(problem, rows) {
  if (!has_features(problem)) {
    return(subset_problem(problem, rows))
  }
  z <- problem$store$z
  problem$store <- new_features_store(take_features(z, problem$n, rows, is.double(z)), length(rows))
  problem$n <- problem$store$n
  problem$w <- problem$w[rows]
  problem
}

# Return B = -rho/2, an n x n matrix, in the units of the store.
pair_values <- function(problem) store_values(problem$store)

# Return the diagonal of B.
self_values <- function(problem) store_self(problem$store)

# Return G_ii of a Gram matrix, else the diagonal of B. Limits of rounding errors are proportional
# to it, because B is computed from kernel values of this size.
kernel_diagonal <- function(problem) {
  if (is.null(problem$store$half)) self_values(problem) else 2 * problem$store$half
}

# Did the user give kernel values (a Gram matrix, a graph) instead of points or dissimilarities?
has_kernel <- function(problem) store_kernel(problem$store)

# Does a pass read or compute the values of all pairs? It does not for a sparse matrix or features.
uses_all_pairs <- function(problem) !inherits(problem$store, c("kgroups_sparse", "kgroups_features"))

# Return the problem with a store that holds the n x n matrix B, if that is faster and n is small, or the table wide.
# `passes` is about how often all values will be read; Inf if the matrix itself is needed. Other problems keep their
# store, so that no matrix of size n^2 is made.
cache_pairs <- function(problem, passes = Inf) {
  if (problem$n > most_cached(NCOL(problem$store$x))) {
    return(problem)
  }
  # nanoseconds a pair; 4 to store it, and `read` is larger if the matrix exceeds 8 MB
  compute <- store_cost(problem$store)
  read <- if (problem$n > 1000) 0.5 else 0.05
  if (!is.na(compute) && (passes == Inf || passes * (compute - read) > compute + 4)) {
    problem$store <- new_dense_store(store_values(problem$store))
  }
  problem
}

# With landmarks a user's function has a store that evaluates it at few pairs (R/store-points.R).
# The next two functions replace this store; a problem with another store is returned unchanged.

# Return the problem with the function evaluated at all pairs.
evaluate_function_store <- function(problem, call) {
  if (!inherits(problem$store, "kgroups_function")) {
    return(problem)
  }
  values <- packed_function_values(problem$semimetric, problem$points, call)
  out <- packed_problem(values, problem$n, problem$names, problem$semimetric, problem$w * problem$w_unit)
  out$points <- problem$points
  out
}

# Return the problem with the Euclidean distances of its points: the methods of a fit that need all
# pairs use these.
replace_function_store <- function(problem) {
  own <- inherits(problem$store, "kgroups_function")
  if (own) moved_problem(problem, problem$points, rho_power(1)) else problem
}

# A fit keeps its problem without the observations, because the data of the user are kept already.
# detach_problem() removes them; attach_problem() restores them from the data.
detach_problem <- function(problem) {
  problem$store <- store_detach(problem$store)
  problem[c("points", "blueprint")] <- list(NULL)
  problem
}

attach_problem <- function(problem, data, blueprint) {
  semimetric <- base_semimetric(problem$semimetric)
  own <- identical(semimetric$family, "function")
  # messages and warnings about the data were given at the fit
  source <- suppressWarnings(suppressMessages({
    plain <- is.null(blueprint$columns) && is.null(blueprint$map)
    if (!is.null(blueprint) && !plain) data <- new_points(apply_blueprint(blueprint, data), blueprint)
    as_problem(data, if (own) rho_power(1) else semimetric)
  }))
  problem$store <- store_attach(problem$store, source)
  problem["points"] <- source["points"]
  problem["blueprint"] <- list(blueprint)
  problem
}

# Is the semimetric of negative type for all data, so that it need not be tested?
known_negative_type <- function(problem) {
  store <- if (inherits(problem$store, "kgroups_connected")) problem$store$base else problem$store
  semimetric <- base_semimetric(problem$semimetric)
  if (is_metric(semimetric)) {
    return(isTRUE(metric_negative_type(semimetric, ncol(problem$points))))
  }
  inherits(store, "kgroups_points") && semimetric$family %in% c("power", "exponential", "gaussian")
}
