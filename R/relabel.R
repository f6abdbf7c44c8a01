#' Renumber the clusters of a fit
#'
#' Changes the numbers of the clusters: by size, by the mean of a variable, or to match a reference partition.
#' Everything that uses the fit follows: [predict()][predict.kgroups_fit], plots, [tidy()][tidy.kgroups_fit].
#'
#' @param fit A fit from [kgroups()] or a related function.
#' @param by The order of the new numbers:
#'   * `"size"` (default): cluster 1 has the largest weight;
#'   * a numeric vector with one value per observation: cluster 1 has the least (weighted) mean;
#'   * a reference partition: a factor, a character vector, integers with the values 1 to k, a fit or another clustering
#'     (see [compare_clusters()]) of the same observations. Clusters are matched one to one so that the weight in
#'     matched pairs is largest, and get the number of their match, for a factor the number of its level. Clusters
#'     without a match get the numbers that are left;
#'   * k numbers, a permutation of 1 to k: the new number of each cluster.
#' @param ... Not used: an unknown argument is an error.
#' @return The fit with other numbers of its clusters; W and the partition are the same.
#' @section Complexity: \eqn{O(n + k^3)}{O(n + k^3)}.
#' @family fits
#' @concept label switching
#' @concept numbering of clusters
#' @examples
#' # number the clusters by the length of the eruptions
#' fit <- kgroups(faithful, 2, standardize = TRUE)
#' tapply(faithful$eruptions, relabel(fit, faithful$eruptions)$cluster, mean)
#'
#' # match the numbers of an earlier fit
#' earlier <- kgroups(faithful, 2, semimetric = rho_power(1/2), standardize = TRUE)
#' table(relabel(fit, earlier)$cluster, earlier$cluster)
#'
#' # the cluster of most flowers of the first species is 1, and so on
#' flowers <- kgroups(iris[1:4], 3)
#' table(relabel(flowers, iris$Species)$cluster, iris$Species)
#' @export
relabel <- function(fit, by = "size", ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "relabel")
  check_given(fit, "fit")
  if (!inherits(fit, "kgroups_fit")) {
    came <- value_text(fit)
    abort_input("fit", rlang::current_env(), "`fit` must be a fit from `kgroups()`.", "You supplied {came}.")
  }
  if (inherits(by, "kgroups_fit") && by$n != fit$n) {
    abort_input(
      "by", rlang::current_env(), "`by` must be a partition of the {fit$n} observation{?s} of `fit`.",
      "You supplied a fit of {by$n}.", "Use its labels of these rows: `relabel(fit, predict(by, x))`."
    )
  }
  by <- match_rows(by, names(fit$cluster), "by", rlang::current_env())
  permute_clusters(fit, new_numbers(observed_fit(fit), by, rlang::current_env()))
}

# Return the new number of each cluster.
new_numbers <- function(fit, by, call) {
  w <- fit$weights %||% rep(1, fit$n)
  cluster <- unname(fit$cluster)
  if (identical(by, "size")) {
    return(order(order(-sum_by(w, cluster, fit$k))))
  }
  plain <- is.numeric(by) && !is.object(by) && is.null(dim(by))
  one_each <- length(by) == fit$n
  if (plain && length(by) == fit$k && setequal(by, seq_len(fit$k))) {
    return(as.integer(by))
  }
  # integer labels 1..k, as of a fit, are a partition
  labels <- is.integer(by) && one_each && setequal(by, seq_len(fit$k))
  if (plain && !labels && one_each) {
    known <- is.finite(by)
    return(order(order(group_means(replace(by, !known, 0), cluster, fit$k, w * known))))
  }
  names <- is.character(by) && length(by) == fit$k && fit$k < fit$n
  if (plain && !labels || is.null(by) || names) abort_by(fit, by, call)
  matched_numbers(fit, check_labels(by, fit$n, "by", call = call), w)
}

abort_by <- function(fit, by, call) {
  came <- value_text(by)
  n <- fit$n
  abort_input(
    "by", call, "`by` must be \"size\", {n} value{?s} or labels, or a permutation of 1 to {fit$k}.",
    "You supplied {came}.",
    if (is.character(by) && length(by) == fit$k) {
      "Name them by `factor(fit$cluster, labels = names)`."
    } else {
      "Labels must be a factor, a character vector or a clustering; numbers are a variable."
    }
  )
}

# Match clusters to the levels of a reference so that the weight in matched pairs is largest.
matched_numbers <- function(fit, reference, w) {
  k <- fit$k
  size <- max(k, nlevels(reference))
  cell <- unname(fit$cluster) + size * (as.integer(reference) - 1L)
  match <- as.integer(clue::solve_LSAP(matrix(sum_by(w, cell, size^2), size), maximum = TRUE))[seq_len(k)]
  # numbers are 1 to k, even if the reference has more levels
  if (all(match <= k)) match else rank(match, ties.method = "first")
}

# Give cluster l the number `number[l]` in all fields; noise keeps 0.
permute_clusters <- function(fit, number) {
  first <- order(number)
  class <- class(fit)
  fit <- unclass(fit)
  for (labels in intersect(c("cluster", "nearest"), names(fit))) {
    fit[[labels]][] <- c(0L, as.integer(number))[fit[[labels]] + 1L]
  }
  by_cluster <- intersect(c("sizes", "within", "shares"), names(fit))
  fit[by_cluster] <- lapply(fit[by_cluster], `[`, first)
  if (!is.null(fit$limits)) fit$limits$binding <- sort(as.integer(number)[fit$limits$binding])
  if (!is.null(fit$mixture)) {
    fit$mixture <- permute_mixture(fit$mixture, first)
    fit$means[] <- fit$means[first, ]
    fit$scatters[] <- fit$scatters[, , first]
    fit$probabilities[] <- fit$probabilities[, first]
  }
  if (!is.null(fit$kept)) {
    for (field in intersect(c("V", "s"), names(fit$kept))) fit$kept[[field]] <- fit$kept[[field]][first]
    if (!is.null(fit$kept$means)) fit$kept$means <- fit$kept$means[, first, drop = FALSE]
  }
  structure(fit, class = class)
}

#' Fit again with other data or arguments
#'
#' @param object A fit of [kgroups()] or a function like it.
#' @param x New data; left out: those of the call of the fit. For a fit of a formula also a formula, in which `.` on the
#'   right of `. ~ .` or `~ .` are the terms of the old one, as in [stats::update.formula()].
#' @param ... Arguments of the function that replace or follow those of its call.
#' @param evaluate Evaluate the call? Default `TRUE`; `FALSE` returns it.
#' @return The new fit. The call of the fit is evaluated where `update()` is called, so names in it must still exist.
#' @seealso [stats::update()], [predict()][predict.kgroups_fit] for the labels of new rows.
#' @examples
#' fit <- kgroups(iris[1:100, 1:4], 2)
#' update(fit, iris[1:4], k = 3)
#' @importFrom stats update
#' @export
update.kgroups_fit <- function(object, x, ..., evaluate = TRUE) {
  check_fit(object)
  call <- object$call
  if (!missing(x)) {
    new <- substitute(x)
    at <- Position(is_formula_call, as.list(call))
    both <- is_formula_call(new) && !is.na(at)
    if (both) call[[at]] <- updated_formula(call[[at]], new) else call$x <- new
  }
  more <- match.call(expand.dots = FALSE)$...
  for (one in names(more)) call[[one]] <- more[[one]]
  if (!isTRUE(evaluate)) {
    return(call)
  }
  eval(call, parent.frame())
}

is_formula_call <- function(x) is.call(x) && identical(x[[1L]], quote(`~`))

# A formula without a left side, with the terms of the old one in the place of `.` on the right.
updated_formula <- function(old, new) {
  terms <- call("(", old[[length(old)]])
  call("~", do.call(substitute, list(new[[length(new)]], list(. = terms))))
}
