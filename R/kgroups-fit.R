# The result class. new_kgroups_fit() is the only place where a fit is put together.

# `out` is a solution (R/solve.R) in internal units. keep.data keeps the problem and the
# sums V, s, from which predict() works.
new_kgroups_fit <- function(call, problem, k, out, method, init, weights = NULL,
                            keep.data = TRUE, error_call = rlang::caller_env()) {
  # the exact method numbers its labels itself
  numbered <- isTRUE(out$numbered)
  first <- if (numbered) seq_len(k) else first_appearance(out$cluster, k)
  cluster <- if (numbered) out$cluster else match(out$cluster, first)
  unit <- problem$unit * problem$w_unit
  within <- out$cost[first] * unit
  total <- out$total * unit
  check_range(out$total, total, within, error_call)
  W <- sum(within)
  fit <- structure(
    list(
      call = call,
      cluster = stats::setNames(cluster, problem$names),
      sizes = tabulate(cluster, k),
      within = within,
      W = W,
      S = if (k == 1L) 0 else total - W,
      total = if (k == 1L) W else total,
      count = out$moves,
      iterations = out$iterations,
      k = k,
      weights = weights,
      semimetric = problem$semimetric,
      method = method,
      init = init,
      converged = out$converged,
      objectives = if (is.null(out$size_term)) out$objectives * unit else out$objectives,
      best_start = out$best_start,
      n = problem$n,
      data = if (keep.data) {
        list(problem = problem, V = out$V[first], s = out$s[first])
      }
    ),
    class = c("kgroups_fit", "kgroups")
  )
  if (!is.null(out$size_term)) {
    offset <- out$size_term$offset[first] * problem$unit
    fit$size_term <- list(dimension = out$size_term$dimension, offset = offset)
  }
  if (!isTRUE(out$converged) && !is.null(out$fall)) fit$last_fall <- out$fall * unit
  fit
}

# Old labels in the order in which they appear; every label 1..k appears.
first_appearance <- function(cluster, k) {
  first <- unique(cluster)
  c(first, setdiff(seq_len(k), first))
}

# Values in true units that overflow; NA stands for a value that is not defined.
check_values_range <- function(values, call) {
  if (any(is.infinite(values) | is.nan(values))) {
    kg_abort(
      c(
        "The pair values are above the range of double precision numbers.",
        "x" = "They are of the order of 1e308 or more.",
        "i" = "Rescale {.arg x}, for example divide it by {.code max(abs(x))}."
      ),
      "range",
      call = call
    )
  }
  invisible(values)
}

# W outside the range of doubles is said, not returned as Inf or 0.
check_range <- function(internal, total, within, call) {
  vanished <- isTRUE(internal != 0 && abs(total) < .Machine$double.xmin)
  if (is.finite(total) && all(is.finite(within)) && !vanished) {
    return(invisible())
  }
  kg_abort(
    c(
      "W is {if (vanished) 'below' else 'above'} the range of double precision numbers.",
      "x" = "The pair values are of the order of {if (vanished) '1e-308 or less' else '1e308 or more'}.",
      "i" = "Rescale {.arg x}, for example divide it by {.code max(abs(x))}."
    ),
    "range",
    call = call
  )
}

#' @export
print.kgroups_fit <- function(x, ...) {
  cat(format(x, ...), sep = "\n")
  invisible(x)
}

#' @export
format.kgroups_fit <- function(x, digits = 7, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  number <- function(value) format(value, digits = digits)
  share <- if (x$total > 0 && x$W >= 0) sprintf(" (%.1f %% of the total)", 100 * x$S / x$total)
  c(
    sprintf(
      "Energy clustering: %d observation%s in %d cluster%s of size%s %s",
      x$n, plural(x$n), x$k, plural(x$k), plural(x$k), sizes_text(x$sizes)
    ),
    if (is.null(x$graph)) {
      paste0(
        "Within dispersion W = ", if (isFALSE(x$approx$polished)) "about ", number(x$W),
        ", between S = ", number(x$S), share
      )
    } else {
      paste0("Modularity ", format(fit_modularity(x), digits = min(digits, 4)))
    },
    if (!is.null(x$approx)) approximation_text(x$approx),
    if (is.null(x$graph)) {
      paste0("Semimetric: ", if (is.null(x$semimetric)) "of the Gram matrix" else format(x$semimetric))
    } else {
      graph_text(x$graph)
    },
    paste0("Method: ", method_text(x))
  )
}

plural <- function(n) if (n == 1) "" else "s"

sizes_text <- function(sizes, most = 20L) {
  shown <- sizes[seq_len(min(length(sizes), most))]
  paste0(
    paste(shown, collapse = ", "),
    if (length(sizes) > most) sprintf(", ... (%d more)", length(sizes) - most)
  )
}

method_text <- function(x) {
  if (x$method == "exact") {
    return("exact (best partition into runs of the sorted data)")
  }
  name <- switch(x$method,
    hartigan = "Hartigan (kernel k-groups)",
    lloyd = "Lloyd (kernel k-means)",
    x$method
  )
  starts <- length(x$objectives)
  paste0(
    name, size_text(x$size_term), ", ", if (starts == 1L) "1 start" else paste(starts, "starts"), " (", x$init, "), ",
    x$iterations, " iteration", plural(x$iterations), ", ",
    if (isTRUE(x$converged)) "converged" else "NOT converged"
  )
}

size_text <- function(size_term) {
  if (is.null(size_term)) {
    return("")
  }
  if (is.finite(size_term$dimension)) {
    sprintf(" with size term (effective dimension %s)", format(size_term$dimension, digits = 3))
  } else {
    " with size term (without effect)"
  }
}

#' Look into a fit
#'
#' `summary()` adds to the printed fit a table of the clusters and what is known about how
#' sure the optimum is: how far apart the starts ended, how many of them reached the best,
#' and, if `iter.max` ended the descent, which observations would still move and by how much
#' W was still falling; each with the advice that follows.
#'
#' @param object,x A fit from [kgroups()] or [kernel_kmeans()].
#' @param row.names,optional As in [as.data.frame()].
#' @param ... Not used: an unknown argument is an error (`kg_error_dots`). In `fitted()` there are no
#'   fitted centres to ask for, as the means lie in the feature space.
#' @return `summary()`: a list of class `summary.kgroups_fit`:
#'   \item{fit}{the fit}
#'   \item{clusters}{a data frame, a row a cluster: `cluster`, `size`, `weight`, `within`
#'     dispersion, and mean dispersion `mean`, which is `within / weight`}
#'   \item{starts}{a list: `number` of starts, `least`, `median` and `largest` W over them, their
#'     `spread` (largest - least)/|least|, how many `found` the least to `1e-8` of it}
#'   \item{moving}{if not converged and the data are kept: a data frame of the observations that
#'     would still move, from which cluster to which, and by how much W would fall if it alone moved}
#'   \item{advice}{text}
#'
#'   `fitted()`: the n labels. `nobs()`: the number of observations. `as.data.frame()`: a row an
#'   observation, with its name (`observation`), `weight` and `cluster`.
#' @section Complexity: \eqn{O(n)}{O(n)}; for a fit that did not converge `summary()` needs one pass
#'   over the pairs.
#' @family fits
#' @examples
#' fit <- kgroups(iris[1:4], 3)
#' summary(fit)
#' head(as.data.frame(fit))
#' @name fit-methods
NULL

#' @rdname fit-methods
#' @export
fitted.kgroups_fit <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  object$cluster
}

#' @rdname fit-methods
#' @export
nobs.kgroups_fit <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  object$n
}

#' @rdname fit-methods
#' @export
as.data.frame.kgroups_fit <- function(x, row.names = NULL, optional = FALSE, ...) {
  # data.frame() and as_tibble() hand these on to every method
  if (!all(names(list(...)) %in% c("stringsAsFactors", "nm", "make.names"))) {
    check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  }
  name <- names(x$cluster)
  if (is.null(name)) name <- as.character(seq_len(x$n))
  data.frame(
    observation = name,
    weight = if (is.null(x$weights)) rep(1, x$n) else x$weights,
    cluster = unname(x$cluster),
    row.names = row.names,
    stringsAsFactors = FALSE
  )
}
