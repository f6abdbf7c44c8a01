# Energy distance, and the forms in which samples are given: x and y, x and labels, a list, or a formula.

#' Energy distance between samples
#'
#' The generalised energy distance of two weighted samples,
#' \deqn{E = 2\, \mathrm{mean}\, \rho(X, Y) - \mathrm{mean}\, \rho(X, X') - \mathrm{mean}\,
#' \rho(Y, Y')}{E = 2 mean rho(X, Y) - mean rho(X, X') - mean rho(Y, Y')}
#' (equation (4), V-statistics), which is twice the squared maximum mean discrepancy of the
#' kernel that \eqn{\rho}{rho} generates (9). If \eqn{\rho}{rho} is of negative type it is
#' never negative; for `rho_power(alpha)` with `alpha` below 2 it is 0 only for equal
#' samples.
#'
#' @param x The first sample: a matrix, data frame or vector. Or a list of samples, such as
#'   `split(data, group)`. Or a formula `values ~ group` with `data`; `a + b ~ group` takes two columns, `. ~ group` all others.
#'   With `g`, all observations; then also a `dist` or a Gram matrix, dense or sparse.
#' @param y The second sample, with the same columns: paired by name if both samples have
#'   names of columns, in any order, else by position. All samples together are one table.
#' @inheritParams energy_statistics
#' @param weights_x,weights_y Weights of the two samples, or `NULL`.
#' @param weights With `g`, a list or a formula: weights of all observations, or `NULL`. With `y` it is
#'   an error: each sample has its own.
#' @param sqrt Return the square root, a metric on distributions? Default `FALSE`.
#' @param g In place of `y`: the group of each observation, a label of any type. Distances between all groups are
#'   returned.
#' @param data With a formula: a data frame with its variables, in which `weights` and `subset` are evaluated too.
#' @param subset With a formula: the rows to use, as a condition on `data`.
#' @return One number for `x` and `y`; else a `dist` object between the groups, labelled by them, `NA`
#'   for a group of weight 0. A negative value, possible if the semimetric is not of negative
#'   type, has square root 0.
#' @section Complexity: \eqn{O(n^2 d / 2)}{O(n^2 d/2)} with n observations in all; memory
#'   \eqn{O(n)}{O(n)}. One variable with `rho_power(1)`: \eqn{O(n \log n)}{O(n log n)}, below a second for two samples of a million.
#' @references
#' Székely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on
#' distances." *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' Sejdinovic D, Sriperumbudur B, Gretton A, Fukumizu K (2013). "Equivalence of
#' distance-based and RKHS-based statistics in hypothesis testing." *The Annals of
#' Statistics*, 41(5), 2263-2291. \doi{10.1214/13-AOS1140}
#' @family energy statistics
#' @concept two-sample
#' @concept maximum mean discrepancy
#' @examples
#' # two samples that differ in location
#' set.seed(1)
#' energy_distance(rnorm(50), rnorm(50, 1))
#'
#' # weights of chicks by feed: pairs of feeds with different distributions are far apart
#' energy_distance(weight ~ feed, data = chickwts)
#' energy_distance(iris[1:4], g = iris$Species)
#' @export
energy_distance <- function(x, y = NULL, semimetric = rho_power(1), weights_x = NULL,
                            weights_y = NULL, sqrt = FALSE, g = NULL, weights = NULL, ...,
                            data = NULL, subset = NULL, threads = getOption("kgroups.threads", 1L)) {
  env <- rlang::current_env()
  check_given(x, "x")
  check_names(x, rlang::current_env())
  check_table_dots(..., call = env, topic = "energy_distance")
  use_threads(check_threads(threads))
  on.exit(use_threads(1))
  sqrt <- check_flag(sqrt, "sqrt")
  if (inherits(x, "formula")) {
    data <- formula_data(x, y %||% g, data, rlang::enquo(subset), env, if (is.null(g)) "y" else "g")
    y <- g <- NULL
  } else {
    formula_data(x, NULL, NULL, rlang::enquo(subset), env)
  }
  weights <- sample_argument(rlang::enquo(weights), x, data, "weights", env)
  check_sample_arguments(y, g, weights, weights_x, weights_y, data, env)
  if (is.null(y)) {
    samples <- group_samples(x, g, data, env)
  } else {
    samples <- bind_samples(list(x = x, y = y), env)
    weights <- c(
      share_weights(weights_x, x, samples$sizes[1L], "weights_x", env),
      share_weights(weights_y, y, samples$sizes[2L], "weights_y", env)
    )
  }
  observed <- leave_empty_rows(samples$x, list(labels = samples$labels, weights = weights), list(...))
  weights <- observed$weights
  if (is.null(y)) inform_group_column(observed$x, observed$labels)
  points <- sample_points(observed$x, weights, ..., call = env, topic = "energy_distance")
  problem <- statistics_problem(points, semimetric, scale_group_weights(weights, observed$labels), env)
  labels <- check_group_labels(observed$labels, problem, env)
  groups <- attr(labels, "levels")
  rho <- group_statistics(problem, labels, length(groups))$g
  E <- true_units(problem, 2 * rho - outer(diag(rho), diag(rho), "+"), "pair")
  check_values_range(E, env)
  if (sqrt) E <- base::sqrt(pmax(E, 0))
  if (!is.null(y)) {
    return(E[1L, 2L])
  }
  dimnames(E) <- list(groups, groups)
  out <- stats::as.dist(E)
  class(out) <- c("kgroups_energy_distance", "kgroups_result", class(out))
  out
}

# Arguments of two samples and of groups exclude each other.
check_sample_arguments <- function(y, g, weights, weights_x, weights_y, data, call) {
  if (is.null(y)) {
    if (is.null(weights_x) && is.null(weights_y)) {
      return(invisible())
    }
    abort_input(
      "weights", call,
      "{.arg weights_x} and {.arg weights_y} go with {.arg y}.",
      "You supplied no {.arg y}.",
      "Use {.arg weights}, the weights of all observations."
    )
  }
  other <- c("g", "data")[c(!is.null(g), !is.null(data))]
  if (length(other)) {
    abort_input(
      "y", call,
      "{.arg y} must be left out if {.arg {other[1L]}} is given.",
      "You supplied both.",
      "Use {.arg y} for a second sample, or {.arg g} for the groups in {.arg x}."
    )
  }
  if (!is.null(weights)) {
    abort_input(
      "weights", call,
      "{.arg weights} goes with {.arg g}.",
      "You supplied {.arg y}.",
      "Use {.arg weights_x} and {.arg weights_y}, the weights of each sample."
    )
  }
}

# ---- forms of samples ----

# Return a list of `x` (all observations) and `labels` from observations and labels, a list of samples, or a
# formula.
group_samples <- function(x, g, data, call) {
  if (is.list(x) && !is.object(x) && is.null(g)) {
    check_formula_data(data, call)
    return(bind_samples(x, call))
  }
  if (is_clustering(x)) abort_clustering(x, call)
  if (is.null(g) && !inherits(x, "formula")) {
    abort_input(
      "g", call,
      "The samples must be given as {.arg x} with {.arg g}, a list, or a formula.",
      "You supplied {.arg x} alone.",
      "For example {.code g = group}, {.code x = list(a, b)}, or {.code values ~ group} with {.arg data}."
    )
  }
  if (inherits(x, "formula")) {
    return(formula_samples(x, data, call))
  }
  check_formula_data(data, call)
  list(x = x, labels = g)
}

# Return all rows of a list of samples as one table, with the labels and sizes of the samples.
bind_samples <- function(samples, call) {
  names <- names(samples) %||% character(length(samples))
  names[!nzchar(names)] <- as.character(seq_along(samples))[!nzchar(names)]
  if (length(samples) < 2L || anyDuplicated(names)) {
    abort_input(
      "x", call,
      "A list of samples must have at least two, with different names.",
      if (length(samples) < 2L) {
        "You supplied {length(samples)}."
      } else {
        "You supplied the name {.val {names[anyDuplicated(names)]}} twice."
      }
    )
  }
  samples <- Map(as_sample, samples, names, MoreArgs = list(call = call))
  named <- Find(function(x) !is.null(colnames(x)), samples)
  samples <- lapply(samples, function(x) {
    if (is.null(colnames(x)) && ncol(x) == ncol(named %||% x)) colnames(x) <- colnames(named)
    x
  })
  if (any(vapply(samples, is.data.frame, NA))) samples <- lapply(samples, as.data.frame)
  first <- samples[[1L]]
  others <- Map(function(y, name) paired_columns(first, y, name, call), samples[-1L], names[-1L])
  sizes <- vapply(samples, nrow, 0L)
  x <- do.call(rbind, c(list(first), unname(others)))
  rownames(x) <- NULL
  list(x = x, labels = factor(rep(names, sizes), names), sizes = unname(sizes))
}

as_sample <- function(x, arg, call) {
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  x <- plain_numbers(x)
  if (inherits(x, "simil")) abort_similarities(arg, call)
  if (is.numeric(x) && is.null(dim(x)) && !is.object(x)) x <- matrix(x, ncol = 1L)
  plain <- if (is.data.frame(x)) vapply(x, function(column) is.numeric(column) && !is.object(column), NA)
  if (length(plain) && all(plain)) x <- as.matrix(x)
  if (!is.matrix(x) && !is.data.frame(x) || is_gram(x)) {
    abort_argument(
      x, arg, "be a matrix, data frame or vector.",
      if (arg == "y" && (is.factor(x) || is.character(x) || is.logical(x))) {
        "Labels of groups are {.arg g}: {.code energy_distance(x, g = )}."
      } else {
        "For dissimilarities and Gram matrices use {.arg x} and {.arg g}."
      },
      call = call
    )
  }
  x
}

# The columns of a sample in the order and with the names of those of x: by name if both have names, else by
# position. Columns of data frames must be of the same types.
paired_columns <- function(x, y, arg, call) {
  if (ncol(x) != ncol(y)) {
    abort_input(
      "y", call,
      "{.arg x} and {.arg {arg}} must have the same columns.",
      "They have {ncol(x)} and {ncol(y)}.",
      if (ncol(y) == 1L) "Use {.arg g} for labels of the observations in {.arg x}."
    )
  }
  at <- place_columns(
    seq_len(ncol(x)), plain_names(colnames(x)), ncol(x), plain_names(colnames(y)), ncol(y), arg, "y", call
  )
  y <- y[, at, drop = FALSE]
  colnames(y) <- colnames(x)
  if (is.data.frame(x)) {
    Map(
      function(old, new) if (!all(is.na(old$values))) as_old_column(new, old, arg, "y", call),
      read_table(x, "x", "x", call)$columns, read_table(y, arg, "y", call)$columns
    )
  }
  y
}

# ---- points, labels and weights ----

# The points of all samples, by one preprocessing with the weights as they are.
sample_points <- function(x, weights, ..., call, topic) {
  x <- read_input(x, weights, ..., context = input_context(call, topic))
  if (is.numeric(x) && is.null(dim(x)) && !is.object(x) && anyNA(x)) x <- matrix(x, ncol = 1L)
  plain <- is_complete_matrix(x) || is_points(x) || is_gram(x) || inherits(x, "AsIs")
  if (plain || !(is.data.frame(x) || is.matrix(x) && is.numeric(x))) {
    return(x)
  }
  make_points(x, weights, call = call)
}

# Labels of groups whose distances are wanted: numbers must be whole.
check_group_labels <- function(labels, problem, call) {
  codes <- check_labels(labels, problem$n, "g", call, problem$names)
  if (is.double(labels) && !is.object(labels) && any(labels != round(labels))) {
    at <- format(labels[labels != round(labels)][1L])
    abort_input(
      "g", call,
      "Numbers in {.arg g} must be whole, because they are labels of groups.",
      "You supplied {at}, as of a measurement.",
      "Use {.code list(x, y)} for two samples, {.fn factor} for labels, {.fn cut} for groups of a measurement."
    )
  }
  codes
}

# Scale weights within their groups by powers of two: none may vanish beside those of another
# group. Invalid weights are left to the checks.
scale_group_weights <- function(weights, g) {
  plain <- is.numeric(weights) && is.atomic(g) && length(weights) == length(g)
  if (!plain || !all(is.finite(weights))) {
    return(weights)
  }
  stats::ave(as.numeric(weights), g, FUN = function(w) times_power_of_two(w, -binary_exponent(w)))
}

# The weights of one sample, in units in which the largest is 1 if they are tiny or huge.
share_weights <- function(weights, x, n, arg, call) {
  rows <- names_of_rows(x)
  weights <- match_rows(weights, rows$names, arg, sub("(x)", sub("weights_(.)", "(\\1)", arg), rows$code, fixed = TRUE), call)
  weights <- check_weights(weights, n, arg, call)
  times_power_of_two(weights, -scaling_exponent(weights))
}
