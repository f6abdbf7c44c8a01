#' Energy statistics of a given partition
#'
#' The within dispersion W, the between statistic S and the matrix of mean pair values g
#' of a partition, exactly as defined, with no search.
#'
#' With \eqn{s_j}{s_j} the weight of cluster \eqn{C_j}{C_j} and \eqn{s}{s} the total weight,
#' \deqn{g(C_i, C_j) = \frac{1}{s_i s_j} \sum_{x \in C_i} \sum_{y \in C_j} w_x w_y \rho(x,
#' y) \qquad (13)}{g(C_i, C_j) = sum_{x in C_i, y in C_j} w_x w_y rho(x, y) / (s_i s_j)   (13)}
#' with the diagonal included,
#' \deqn{W = \sum_j \frac{s_j}{2} g(C_j, C_j) \qquad (15)}{W = sum_j s_j/2 g(C_j, C_j)   (15)}
#' and
#' \deqn{S = \sum_{i < j} \frac{s_i s_j}{2 s} [2 g(C_i, C_j) - g(C_i, C_i) - g(C_j,
#' C_j)]. \qquad (16)}{S = sum_{i<j} s_i s_j/(2 s) [2 g(C_i, C_j) - g(C_i, C_i) - g(C_j, C_j)]   (16)}
#' Their sum is \eqn{s\, g(X, X) / 2}{s g(X, X)/2}, whatever the partition (18). The numbers are
#' those of Franca, Rizzo and Vogelstein (2020).
#'
#' @inheritParams kgroups
#' @param x The observations:
#'   * a numeric matrix or data frame, one observation a row (all columns must be numeric);
#'   * a numeric vector, one observation an element;
#'   * a `dist` object (also \pkg{cluster}'s `dissimilarity`), whose values the semimetric is
#'     applied to;
#'   * a Gram matrix, marked by [as_gram()] or of \pkg{kernlab}'s class `kernelMatrix`.
#'
#'   Missing and infinite values are refused.
#' @param weights Weights of the observations, finite and not negative; `NULL` (default) weighs
#'   all alike. A weight of 2 counts as two equal observations, one of 0 as none.
#' @param cluster One label per observation, of any type; or a fit.
#' @param ... `column_weights`, `standardize` and `missing`, which say how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @return A list of class `energy_statistics`: `W`, `S`, `total`, `within` (the terms of W),
#'   `g` (k x k), `size` and `weight` of each cluster, with the clusters in the order of
#'   their sorted labels. Clusters of weight 0 have `NA` in `g` and 0 in `within`.
#' @section Complexity: One pass over the pairs, \eqn{O(n^2 d / 2)}{O(n^2 d/2)} for points, with
#'   \eqn{O(n + k^2)}{O(n + k^2)} memory; sums are compensated.
#' @section Errors: `kg_error_x`, `kg_error_cluster` (no labels, missing labels, not one per
#'   observation), `kg_error_weights`, `kg_error_semimetric`, and those of [kgroups()] for its
#'   kinds of input.
#' @references
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Szekely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on
#' distances." *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#' @family energy statistics
#' @examples
#' energy_statistics(iris[1:4], iris$Species)
#' @export
energy_statistics <- function(x, cluster, semimetric = rho_power(1), weights = NULL, ...,
                              threads = getOption("kgroups.threads", 1L)) {
  check_kind(x, rlang::current_env())
  x <- preprocess_dots(x, weights, ..., call = rlang::current_env(), topic = "energy_statistics")
  use_threads(check_threads(threads))
  on.exit(use_threads(1))
  if (missing(cluster)) cluster <- NULL
  problem <- statistics_problem(x, semimetric, weights, rlang::current_env())
  labels <- check_labels(cluster, problem$n, names = problem$names)
  groups <- attr(labels, "levels")
  out <- group_statistics(problem, labels, length(groups))
  check_range(out$total, true_units(problem, out$total), 0, rlang::current_env())
  for (name in c("W", "S", "within")) out[[name]] <- rounded_to_zero(problem, out[[name]], out$total)
  structure(
    list(
      W = true_units(problem, out$W),
      S = true_units(problem, out$S),
      total = true_units(problem, out$total),
      within = stats::setNames(true_units(problem, out$within), groups),
      g = matrix(true_units(problem, out$g, "pair"), length(groups), dimnames = list(groups, groups)),
      size = stats::setNames(tabulate(labels, length(groups)), groups),
      weight = stats::setNames(true_units(problem, out$s, "weight"), groups)
    ),
    class = "energy_statistics"
  )
}

statistics_problem <- function(x, semimetric, weights, call) {
  check_kind(x, call)
  as_problem(x, if (!is_gram(x) || is_connected(semimetric)) semimetric, weights, call = call)
}

# W, S, total, within, g, s in internal units; labels 1..k.
group_statistics <- function(problem, labels, k) {
  sums <- dispersion_sums(problem, labels, k)
  s <- sum_by(problem$w, labels, k)
  self <- sums$t / s
  # rho = B_ii + B_jj - 2 B_ij, averaged over pairs of groups
  g <- outer(self, self, "+") - 2 * sums$M / outer(s, s)
  if (!is.null(sums$within)) diag(g) <- 2 * sums$within / s
  filled <- s > 0
  g[!filled, ] <- NA_real_
  g[, !filled] <- NA_real_
  within <- ifelse(filled, s * diag(g) / 2, 0)
  total <- sum(s)
  pairs <- outer(s, s) / (2 * total) * (2 * g - outer(diag(g), diag(g), "+"))
  S <- sum(pairs[upper.tri(pairs)], na.rm = TRUE)
  list(W = sum(within), S = S, total = sum(within) + S, within = within, g = g, s = s)
}

#' @export
print.energy_statistics <- function(x, digits = 7, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "energy_statistics")
  cat(
    "Energy statistics of ", length(x$size), " group", plural(length(x$size)), ", ",
    sum(x$size), " observations\n",
    "W = ", format(x$W, digits = digits), ", S = ", format(x$S, digits = digits),
    ", total = ", format(x$total, digits = digits), "\nMean semimetric values g:\n",
    sep = ""
  )
  print(x$g, digits = 4)
  invisible(x)
}

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
#' @param x Matrix, data frame or vector: the first sample. With `cluster`, all
#'   observations; then also a `dist` or a Gram matrix, dense or sparse.
#' @param y The second sample, with the same columns: paired by name where both samples have
#'   names of columns, in any order, else by place.
#' @param semimetric A semimetric; see [semimetrics].
#' @param weights_x,weights_y Weights of the two samples, or `NULL`.
#' @param weights With `cluster`: weights of all observations, or `NULL`. (`weights_x` is taken for
#'   it too.) With `y` it is an error: each sample has its own.
#' @param ... `column_weights`, `standardize` and `missing`, which say how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @param threads Threads for large problems, as in [kgroups()].
#' @param sqrt Return the square root, a metric on distributions? Default `FALSE`.
#' @param cluster Instead of `y`: a label per observation; distances between all groups are
#'   returned.
#' @return One number; with `cluster` a `dist` object between the groups, labelled by them, `NA`
#'   for a group of weight 0. A negative value, possible where the semimetric is not of negative
#'   type, has square root 0.
#' @section Errors: `kg_error_y` for samples whose columns do not match, `kg_error_weights` for weights
#'   that do not go with what is compared, `kg_error_dots`, and those of [energy_statistics()].
#' @section Complexity: \eqn{O(n^2 d / 2)}{O(n^2 d/2)} with n observations in all; memory
#'   \eqn{O(n)}{O(n)}.
#' @references
#' Szekely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on
#' distances." *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' Sejdinovic D, Sriperumbudur B, Gretton A, Fukumizu K (2013). "Equivalence of
#' distance-based and RKHS-based statistics in hypothesis testing." *The Annals of
#' Statistics*, 41(5), 2263-2291. \doi{10.1214/13-AOS1140}
#' @family energy statistics
#' @examples
#' energy_distance(rnorm(50), rnorm(50, 1))
#' energy_distance(iris[1:4], cluster = iris$Species)
#' @export
energy_distance <- function(x, y, semimetric = rho_power(1), weights_x = NULL,
                            weights_y = NULL, sqrt = FALSE, cluster = NULL, weights = NULL, ...,
                            threads = getOption("kgroups.threads", 1L)) {
  env <- rlang::current_env()
  use_threads(check_threads(threads))
  on.exit(use_threads(1))
  sqrt <- check_flag(sqrt, "sqrt")
  if (missing(y) == is.null(cluster)) {
    came <- if (is.null(cluster)) "neither" else "both"
    kg_abort(
      c(
        "Give either a second sample {.arg y} or groups in {.arg cluster}.",
        "x" = "You supplied {came}."
      ),
      "y"
    )
  }
  check_given(x, "x")
  if (is.null(cluster)) {
    if (!is.null(weights)) {
      kg_abort(
        c(
          "{.arg weights} goes with {.arg cluster}.",
          "x" = "You supplied {.arg y}.",
          "i" = "Give {.arg weights_x} and {.arg weights_y}, the weights of each sample."
        ),
        "weights"
      )
    }
    both <- two_samples(x, y, weights_x, weights_y, ..., call = env)
    problem <- as_problem(both$x, semimetric, both$weights)
    labels <- both$labels
    groups <- c("x", "y")
  } else {
    weights <- weights_of_groups(weights, weights_x, weights_y, env)
    weights <- even_weights(weights, cluster)
    x <- preprocess_dots(x, weights, ..., call = env, topic = "energy_distance")
    problem <- statistics_problem(x, semimetric, weights, env)
    labels <- check_labels(cluster, problem$n, names = problem$names)
    groups <- attr(labels, "levels")
  }
  g <- group_statistics(problem, labels, length(groups))$g
  E <- true_units(problem, 2 * g - outer(diag(g), diag(g), "+"), "pair")
  check_values_range(E, rlang::current_env())
  if (sqrt) E <- base::sqrt(pmax(E, 0))
  if (is.null(cluster)) {
    return(E[1L, 2L])
  }
  dimnames(E) <- list(groups, groups)
  stats::as.dist(E)
}

# With groups there is one vector of weights; `weights_x` is its older name.
weights_of_groups <- function(weights, weights_x, weights_y, call) {
  if (!is.null(weights_y)) {
    kg_abort(
      c("{.arg weights_y} goes with {.arg y}.", "x" = "You supplied {.arg cluster}."),
      "weights",
      call = call
    )
  }
  if (!is.null(weights) && !is.null(weights_x)) {
    kg_abort(
      c(
        "Give {.arg weights} or {.arg weights_x}, not both.",
        "x" = "You supplied both.",
        "i" = "With {.arg cluster} they mean the same: the weights of all observations."
      ),
      "weights",
      call = call
    )
  }
  weights %||% weights_x
}

# Two tables as points by one blueprint, the columns of y found by name.
join_samples <- function(x, y, ..., call) {
  x <- as.data.frame(x)
  y <- as.data.frame(y)
  at <- place_columns(seq_along(x), plain_names(names(x)), length(x), plain_names(names(y)), length(y), "y", "y", call)
  y <- y[at]
  names(y) <- names(x)
  Map(
    function(old, new) if (!all(is.na(old$values))) as_old_column(new, old, "y", "y", call),
    read_table(x, "x", "x", call)$columns, read_table(y, "y", "y", call)$columns
  )
  both <- preprocess_dots(rbind(x, y), NULL, ..., call = call, topic = "energy_distance")
  points <- if (is_made_points(both)) both else make_blueprint(both, arg = "x and y", call = call)$points
  first <- seq_len(nrow(x))
  list(x = points[first, , drop = FALSE], y = points[-first, , drop = FALSE])
}

two_samples <- function(x, y, weights_x, weights_y, ..., call) {
  as_sample <- function(x, arg) {
    if (inherits(x, "AsIs")) x <- as_it_was(x)
    x <- plain_numbers(x)
    inform_input(x, arg)
    if (inherits(x, "simil")) abort_similarities(arg, call)
    if (is.numeric(x) && is.null(dim(x)) && !is.object(x)) x <- matrix(x, ncol = 1L)
    if (!is.matrix(x) && !is.data.frame(x) || is_gram(x)) {
      came <- describe(x)
      kg_abort(
        c(
          "{.arg {arg}} must be a matrix, data frame or vector.",
          "x" = "You supplied {came}.",
          "i" = "For dissimilarities and Gram matrices give {.arg x} and {.arg cluster}."
        ),
        arg,
        call = call
      )
    }
    if (...length() > 0L) {
      return(as.data.frame(x))
    }
    numbers <- is.data.frame(x) && all(vapply(x, is.numeric, NA)) && !anyNA(x)
    if (is.data.frame(x) && !numbers || is_complete_matrix(x)) x else make_blueprint(x, arg = arg, call = call)$points
  }
  x <- as_sample(x, "x")
  y <- as_sample(y, "y")
  if (is.data.frame(x) || is.data.frame(y)) {
    both <- join_samples(x, y, ..., call = call)
    x <- both$x
    y <- both$y
  }
  y <- paired_columns(x, y, call)
  list(
    x = rbind(unname(x), unname(y)),
    labels = rep(1:2, c(nrow(x), nrow(y))),
    weights = c(
      share_weights(weights_x, nrow(x), "weights_x", call),
      share_weights(weights_y, nrow(y), "weights_y", call)
    )
  )
}

# The columns of y in the order of those of x: by name where both have names, else by place.
paired_columns <- function(x, y, call) {
  if (ncol(x) != ncol(y)) {
    kg_abort(
      c(
        "{.arg x} and {.arg y} must have the same columns.",
        "x" = "They have {ncol(x)} and {ncol(y)}."
      ),
      "y",
      call = call
    )
  }
  ours <- colnames(x)
  theirs <- colnames(y)
  if (is.null(ours) || is.null(theirs) || identical(ours, theirs)) {
    return(y)
  }
  twice <- unique(c(ours[duplicated(ours)], theirs[duplicated(theirs)]))
  if (length(twice)) {
    kg_abort(
      c(
        "The columns of {.arg x} and {.arg y} cannot be paired by name.",
        "x" = "{cli::qty(twice)}The name{?s} {.field {twice}} stand{?s/} more than once.",
        "i" = "Name every column differently, or pair them by place with {.code unname(as.matrix(y))}."
      ),
      "y",
      call = call
    )
  }
  only_x <- setdiff(ours, theirs)
  only_y <- setdiff(theirs, ours)
  if (length(only_x)) {
    kg_abort(
      c(
        "{.arg x} and {.arg y} must have the same columns.",
        "x" = "Only {.arg x} has {.field {only_x}}, only {.arg y} {.field {only_y}}.",
        "i" = "Rename them; {.code unname(as.matrix(y))} pairs the columns by place."
      ),
      "y",
      call = call
    )
  }
  y[, ours, drop = FALSE]
}

# Weights count within their group alone: none may vanish beside those of another. What is no
# weights is left for the checks.
even_weights <- function(weights, cluster) {
  plain <- is.numeric(weights) && is.atomic(cluster) && length(weights) == length(cluster)
  if (!plain || !all(is.finite(weights))) {
    return(weights)
  }
  stats::ave(as.numeric(weights), cluster, FUN = function(w) times_power_of_two(w, -binary_exponent(w)))
}

# Each sample's weights only matter relative to each other: both add up to 1.
share_weights <- function(weights, n, arg, call) {
  weights <- check_weights(weights, n, arg, call)
  weights <- weights / max(weights)
  weights / sum(weights)
}
