# Methods for generics of other packages: cluster and clue. Those for igraph are in R/cluster-graph.R.

#' Silhouette widths of a fit
#'
#' `cluster::silhouette(fit)` gives the class of \pkg{cluster}, with its print, summary and plot methods. The width of
#' an observation is \eqn{(b - a)/\max(a, b)}{(b - a)/max(a, b)}, where \eqn{a}{a} is its mean semimetric value to the
#' other observations of its cluster and \eqn{b}{b} the least mean to another cluster; both are weighted means if the
#' fit is weighted. For `rho_power(1)` these are the widths that \pkg{cluster} computes from `dist(x)`. Widths are not
#' comparable between semimetrics.
#'
#' @param x A fit from [kgroups()] or [kernel_kmeans()] with more than one cluster.
#' @param ... Not used.
#' @return An n x 3 matrix of class `silhouette`, one row for each observation (without rows in which nothing is
#'   observed), with columns `cluster`, `neighbor` (the cluster of the least mean) and `sil_width`, 0 for an observation
#'   alone in its cluster; `NA` for one cluster, as \pkg{cluster} has it.
#' @section Complexity: One pass over the pairs, \eqn{O(n^2 d)}{O(n^2 d)} time and
#'   \eqn{O(n k)}{O(n k)} memory.
#' @references
#' Rousseeuw PJ (1987). "Silhouettes: a graphical aid to the interpretation and validation
#' of cluster analysis." *Journal of Computational and Applied Mathematics*, 20, 53-65.
#' \doi{10.1016/0377-0427(87)90125-7}
#' @family fits
#' @family interfaces
#' @examplesIf requireNamespace("cluster", quietly = TRUE)
#' # states in three clusters: the mean silhouette of each
#' fit <- kgroups(USArrests, 3, standardize = TRUE)
#' summary(cluster::silhouette(fit))
#' @usage \method{silhouette}{kgroups_fit}(x, ...)
#' @exportS3Method cluster::silhouette
silhouette.kgroups_fit <- function(x, ...) {
  check_fit(x)
  check_distances(x, "silhouette widths", rlang::current_env())
  if (x$k == 1L) {
    return(NA)
  }
  kept_problem(x)
  x <- observed_fit(x)
  widths <- silhouette_widths(x)
  structure(
    cbind(cluster = x$cluster, neighbor = widths$neighbor, sil_width = widths$width),
    Ordered = FALSE,
    call = match.call(),
    class = "silhouette"
  )
}

#' A fit as a partition for clue
#'
#' With these methods a fit is a hard partition in \pkg{clue}.
#'
#' @param x,object A fit from [kgroups()] or [kernel_kmeans()].
#' @param newdata New observations for [predict()][predict.kgroups_fit], or `NULL` for
#'   the fit's own.
#' @param type `"class_ids"` (default): labels; `"memberships"`: a matrix of 0 and 1.
#' @param ... Passed to [predict()][predict.kgroups_fit].
#' @return `cl_class_ids()`: the n labels, of class `cl_class_ids`. `is.cl_partition()` and
#'   `is.cl_hard_partition()`: `TRUE`. `cl_predict()`: the labels of the m new observations, or with
#'   `type = "memberships"` an m x k matrix of class `cl_membership`, one row for each observation.
#' @family fits
#' @family interfaces
#' @examples
#' # three local searches from random labels: how far do they agree?
#' fits <- lapply(1:3, function(seed) {
#'   set.seed(seed)
#'   kgroups(swiss, 3, standardize = TRUE, init = "random")
#' })
#' ensemble <- clue::cl_ensemble(list = fits)
#' clue::cl_agreement(ensemble, method = "cRand")
#' clue::cl_class_ids(clue::cl_medoid(ensemble))
#' @name clue-methods
NULL

#' @rdname clue-methods
#' @importFrom clue cl_class_ids
#' @export
cl_class_ids.kgroups_fit <- function(x) {
  clue::as.cl_class_ids(x$cluster)
}

#' @rdname clue-methods
#' @importFrom clue is.cl_partition
#' @export
is.cl_partition.kgroups_fit <- function(x) TRUE

#' @rdname clue-methods
#' @importFrom clue is.cl_hard_partition
#' @export
is.cl_hard_partition.kgroups_fit <- function(x) TRUE

#' @rdname clue-methods
#' @importFrom clue cl_predict
#' @export
cl_predict.kgroups_fit <- function(object, newdata = NULL,
                                   type = c("class_ids", "memberships"), ...) {
  type <- check_choice(type, "type", c("class_ids", "memberships"))
  if (is.null(newdata)) check_no_dots(..., call = rlang::current_env(), topic = "clue-methods")
  ids <- if (is.null(newdata)) object$cluster else predict(object, newdata, ...)
  ids <- clue::as.cl_class_ids(ids)
  if (type == "class_ids") ids else clue::as.cl_membership(ids)
}

# Generics of igraph that take a graph fit; membership() and sizes() read its component `membership`.
#' @exportS3Method igraph::modularity
modularity.kgroups_graph_fit <- function(x, ...) {
  x$graph$modularity
}

# The means of columns are computed at each access; other names are those of the list.
#' @export
`$.kgroups_fit` <- function(x, name) {
  own <- .subset2(x, name)
  switch(name,
    scatter = if (!is.null(own)) fit_scatter(own),
    centers = fit_centers(x),
    size = .subset2(x, "sizes"),
    merge = abort_no_tree(), # stats::cutree() reads it
    membership = if (inherits(x, "kgroups_graph_fit")) .subset2(x, "cluster"), # igraph reads it
    own
  )
}

abort_no_tree <- function(call = NULL) {
  abort_input(
    "fit", call, "A fit is a partition and has no tree to cut.", "You asked for its merges.",
    "Use `cutree(kgroups_tree(x), k)`, or fit again with another `k`."
  )
}

#' @rdname fit-methods
#' @export
fitted.kgroups_fit <- function(object, method = c("centers", "classes"), ...) {
  if (check_choice(method, "method", c("centers", "classes")) == "classes") {
    return(object$cluster)
  }
  centers <- fit_centers(object)
  if (is.null(centers)) {
    abort_input(
      "method", rlang::current_env(), "The fit must have columns of numbers for `method = \"centers\"`.",
      "It was made without them, or does not keep its data.", "Use `method = \"classes\"` for labels."
    )
  }
  centers <- centers[object$cluster, , drop = FALSE]
  rownames(centers) <- names(object$cluster)
  centers
}
