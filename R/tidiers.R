#' Tidy tables of a fit
#'
#' `tidy()` returns one row per cluster, `glance()` one row per fit, `augment()` one row per
#' observation, in the conventions of the broom package.
#'
#' @param x A fit from [kgroups()] or [kernel_kmeans()].
#' @param data The data to add columns to, one row per observation: matched by the row names of the fit if both have the
#'   same, else in the order of the fit. Columns of the fit in another order of rows are an error (`kg_error_data`).
#'   `NULL` (default): the data of the fit if it was made from points, else a column `.rownames`.
#' @param newdata Other observations, as [predict()][predict.kgroups_fit] takes them; they
#'   get the columns that are defined for new observations, and `data` is not used.
#' @param prefix Text before the names of the columns that `augment()` adds, by default a dot as in the broom package.
#'   Names of SPSS and Stata begin with a letter: `prefix = ""` for `haven::write_sav()`.
#' @param ... Not used: an unknown argument is an error.
#' @return A tibble if the tibble package is installed, else a data frame.
#'
#'   `tidy()`, one row per cluster:
#'   \item{cluster}{factor with levels 1 to k}
#'   \item{size, weight}{number of observations, and their weight}
#'   \item{within}{within dispersion; the sum of the column is W}
#'   \item{medoid}{the observation nearest to the mean in the feature space, by its name or number; of a graph the
#'     vertex with the most edges into its own group}
#'   \item{...}{for each column of numbers, dates or times of the data its weighted mean, by the name of
#'     the column}
#'
#'   `glance()`, one row: `clusters` (their number), `W`, `S`, `total`, `explained` (S / total), `exact` (`FALSE` if W
#'   is an approximation by landmarks), `iterations`, `converged`, `nobs`. For a graph `clusters`, `modularity`,
#'   `W`, `iterations`, `converged`, `nobs`: S and the total of its matrix have no meaning as shares.
#'
#'   `augment()`, one row per observation: the data and
#'   \item{.cluster}{factor with levels 1 to k}
#'   \item{.distance, .next_distance}{distance in the feature space to the mean of the own
#'     and of the nearest other cluster}
#'   \item{.next_cluster}{that cluster}
#'   \item{.prob}{probability of the own cluster, see [predict()][predict.kgroups_fit]; not under
#'     [rho_connected()]}
#'   \item{.noise, .outlier}{of fits with `trim`: is it noise? the outlier score, see [kgroups()]}
#'   \item{.silhouette}{silhouette width in the semimetric (see
#'     [silhouette][silhouette.kgroups_fit]); not with `newdata`}
#'
#'   For a graph there is only `.cluster`: its matrix has no distances.
#'
#'   Row names come first as a column `.rownames`, unless they are the row numbers. Without the data
#'   of the fit (`keep.data = FALSE`, [row_blocks()]) `medoid` is `NA`.
#' @inheritSection silhouette.kgroups_fit Complexity
#' @family fits
#' @examples
#' # one row for each cluster, one for the fit, one for each observation
#' fit <- kgroups(USArrests, 3, standardize = TRUE)
#' tidy(fit)
#' glance(fit)
#' head(augment(fit, USArrests))
#' augment(fit, newdata = USArrests[c("Iowa", "Texas"), ])
#' @name tidiers
NULL

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

#' @rdname tidiers
#' @export
tidy.kgroups_fit <- function(x, ...) {
  x <- observed_fit(x)
  weight <- x$weights %||% rep(1, x$n)
  medoid <- if (is.null(x$kept$problem)) rep(NA_integer_, x$k) else medoids(x)
  if (!is.null(names(x$cluster))) medoid <- names(x$cluster)[medoid]
  as_table(c(list(
    cluster = factor(seq_len(x$k)),
    size = x$sizes,
    weight = sum_by(weight, x$cluster, x$k),
    within = unname(x$within),
    medoid = medoid
  ), cluster_means(x)))
}

#' @rdname tidiers
#' @export
glance.kgroups_fit <- function(x, ...) {
  check_fit(x)
  as_table(data.frame(
    clusters = x$k, W = x$W, S = x$S, total = x$total, explained = x$S / x$total,
    exact = !is_approximate(x), iterations = x$iterations, converged = x$converged, nobs = x$n
  ))
}

#' @export
glance.kgroups_graph_fit <- function(x, ...) {
  as_table(data.frame(
    clusters = x$k, modularity = x$graph$modularity, W = x$W,
    iterations = x$iterations, converged = x$converged, nobs = x$n
  ))
}

#' @rdname tidiers
#' @export
augment.kgroups_fit <- function(x, data = NULL, newdata = NULL, prefix = ".", ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "tidiers")
  check_fit(x)
  if (!is_string(prefix)) {
    abort_argument(prefix, "prefix", "be a text.", "`prefix = \"\"` gives names that other programs take.")
  }
  own <- is.null(newdata)
  if (own) data <- dense_numbers(data)
  at <- if (own) rows_in_order(x, data)
  if (!is.null(at)) {
    return(augment(x, data[at, , drop = FALSE], prefix = prefix)[order(at), ])
  }
  fit <- if (own) observed_fit(x) else x
  cluster <- predict(fit, newdata)
  # the warnings about new rows have been shown
  more <- function(type) suppressWarnings(suppressMessages(predict(fit, newdata, type = type)))
  geometry <- if (own && has_distances(fit)) fit_geometry(fit)
  d2 <- if (own) geometry$d2 else if (!fit_has_kernel(fit)) more("squared")
  noise <- which(cluster == 0L)
  if (length(noise)) cluster[noise] <- assign_classes(d2[noise, , drop = FALSE])
  added <- distance_columns(unname(cluster), d2, x$k)
  if (x$k > 1L && has_probabilities(fit)) added$.prob <- more("prob")[cbind(seq_along(cluster), unname(cluster))]
  if (x$k > 1L && !is.null(geometry)) added$.silhouette <- silhouette_widths(fit, geometry)$width
  added <- noise_columns(added, fit, d2, if (own) fit$noise)
  names(added) <- sub("^.", prefix, names(added))
  given <- colnames(if (own) data else newdata)
  old <- intersect(names(added), given)
  if (length(old)) {
    kg_inform(c(
      "{cli::qty(old)}Column{?s} {old} of the data {?is/are} replaced.",
      "i" = "Rename {cli::qty(old)}{?it/them} before to keep both."
    ), "replaced")
  }
  out <- as_table(if (own) fitted_data(x, data) else described_data(newdata, x, cluster))
  names(out)[names(out) == ".rownames" & !".rownames" %in% (given %||% colnames(x$data))] <- paste0(prefix, "rownames")
  out[names(added)] <- added
  out
}

# Return the places of the rows of a fit in `data`, if their row names are those of the fit in another order; else NULL.
# Refuse data whose columns have the values of the fit in another order. `way` returns the same result for rows in any
# order.
rows_in_order <- function(fit, data, way = "augment(fit, newdata = data)", call = rlang::caller_env()) {
  if (length(dim(data)) != 2L || nrow(data) != fit$n) {
    return(NULL)
  }
  at <- row_order(names_of_rows(data), names(fit$cluster), "data", call)
  old <- fit$data
  if (!is.null(at) || length(dim(old)) != 2L || nrow(old) != fit$n) {
    return(at)
  }
  common <- setdiff(intersect(colnames(data), colnames(old)), "")
  column <- function(table, name) as.vector(if (is.data.frame(table)) table[[name]] else table[, name])
  moved <- lapply(common, function(name) {
    a <- column(data, name)
    b <- column(old, name)
    if (!isTRUE(all.equal(a, b))) is.atomic(a) && is.atomic(b) && isTRUE(all.equal(sort(a), sort(b)))
  })
  first <- match(TRUE, moved)
  if (is.na(first) || !all(unlist(moved))) {
    return(NULL)
  }
  abort_input(
    "data", call, "`data` must have its rows in the order of the fit.",
    "Its column {common[first]} has the values of the fit in another order.",
    "Use `{way}`, which takes rows in any order."
  )
}

# Return the data of the fit, or those that augment() was given for its observations, as a data frame.
fitted_data <- function(fit, data, call = rlang::caller_env()) {
  if (is.null(data)) {
    data <- if (is.data.frame(fit$data)) fit$data else kept_problem(fit, call)$points
    data <- described_data(data, fit, fit$cluster)
  }
  if (is.matrix(data)) data <- points_frame(data)
  if (!is.data.frame(data) || nrow(data) != fit$n) {
    abort_input(
      "data", call, "`data` must be a data frame with the {fit$n} observation{?s} of the fit.",
      "You supplied {value_text(data)}.", "For other observations use `newdata`."
    )
  }
  data
}

# Return the columns of augment() on clusters and distances; d2 is NULL if there are none.
distance_columns <- function(cluster, d2, k) {
  as_levels <- function(number) factor(number, seq_len(k))
  out <- data.frame(.cluster = as_levels(cluster))
  if (is.null(d2)) {
    return(out)
  }
  own <- cbind(seq_along(cluster), cluster)
  out$.distance <- sqrt(pmax(d2[own], 0))
  if (k > 1L) {
    d2[own] <- Inf
    d2[is.na(d2)] <- Inf
    neighbor <- max.col(-d2, ties.method = "first")
    neighbor[is.na(cluster)] <- NA
    out$.next_cluster <- as_levels(neighbor)
    out$.next_distance <- sqrt(pmax(d2[cbind(seq_along(cluster), neighbor)], 0))
  }
  out
}

# Return the points as a data frame, or the names of the observations for dissimilarities and kernels.
described_data <- function(points, fit, cluster) {
  if (is.data.frame(points)) {
    return(points)
  }
  if (!is.null(points) && !is.null(fit$blueprint)) {
    return(points_frame(as.matrix(as_rows(dense_numbers(points), fit$blueprint))))
  }
  data.frame(.rownames = names(cluster) %||% as.character(seq_along(cluster)))
}

# Names of rows are a column, because as.data.frame() makes up others of those that are empty or stand twice.
points_frame <- function(points) {
  rows <- rownames(points)
  points <- as.data.frame(named_matrix(points, NULL, colnames(points) %||% paste0("x", seq_len(ncol(points)))))
  if (is.null(rows)) points else cbind(.rownames = rows, points)
}

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
#'   alone in its cluster; `NA` for one cluster, as in \pkg{cluster}.
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
    "fit", call, "A fit is a partition and has no tree to cut.", "It has no component `merge`.",
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
