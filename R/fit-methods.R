# Methods of base generics for fits.

#' Summarise a fit
#'
#' `summary()` adds to the printed fit a table of the clusters and information about the optimum: the range of W over
#' the starts, the number of starts that attained the least W, and advice. If `iter.max` was reached, it also lists the
#' observations that would still move and the decrease of W in the last pass.
#'
#' @param object,x A fit from [kgroups()] or [kernel_kmeans()].
#' @param row.names,optional As in [as.data.frame()].
#' @param ... Not used: an unknown argument is an error (`kg_error_dots`). In `fitted()` there are no
#'   fitted centres to ask for, as the means lie in the feature space.
#' @return `summary()`: a list of class `summary.kgroups_fit`:
#'   \item{fit}{the fit}
#'   \item{clusters}{a data frame, a row a cluster: `cluster`, `size`, `weight`, `within`
#'     dispersion, and mean dispersion `mean`, which is `within / weight`; under
#'     [rho_connected()] also `rests_on`: `"a gap"` if the cluster is made of whole branches, else `"distance"`}
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
    weight = x$weights %||% rep(1, x$n),
    cluster = unname(x$cluster),
    row.names = row.names,
    stringsAsFactors = FALSE
  )
}

# Components of kmeans() without a counterpart here, and what to use.
kmeans_names <- c(
  centers = "tidy(fit)", totss = "fit$total", withinss = "fit$within", tot.withinss = "fit$W", betweenss = "fit$S",
  size = "fit$sizes", iter = "fit$iterations"
)

#' @export
`$.kgroups_fit` <- function(x, name) {
  if (name %in% names(kmeans_names)) abort_kmeans_name(name, rlang::caller_env())
  .subset2(x, name, exact = FALSE)
}

abort_kmeans_name <- function(name, call) {
  use <- kmeans_names[[name]]
  kg_abort(
    c(
      "A fit has no component {.val {name}}, which is one of {.fn kmeans}.",
      "x" = if (name == "centers") "The means lie in the feature space; {.code {use}} has medoids and means of columns.",
      "i" = "Use {.code {use}}."
    ),
    "component",
    call = call
  )
}
