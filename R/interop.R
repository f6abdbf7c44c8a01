# Methods for generics of other packages: cluster and clue. Those for igraph are in R/cluster-graph.R.

#' Silhouette widths of a fit
#'
#' `cluster::silhouette(fit)` gives the class of \pkg{cluster}, with its print, summary and plot methods. The width of an
#' observation is \eqn{(b - a)/\max(a, b)}{(b - a)/max(a, b)}, where \eqn{a}{a} is its mean semimetric value to the other
#' observations of its cluster and \eqn{b}{b} the least mean to another cluster; both are weighted means if the fit is
#' weighted. For `rho_power(1)` these are the widths that \pkg{cluster} computes from `dist(x)`. Widths are not comparable
#' between semimetrics.
#'
#' @param x A fit from [kgroups()] or [kernel_kmeans()] with more than one cluster.
#' @param ... Not used.
#' @return An n x 3 matrix of class `silhouette`, one row for each observation (without rows in which nothing is observed), with columns `cluster`, `neighbor` (the cluster of
#'   the least mean) and `sil_width`, 0 for an observation alone in its cluster; `NA` for one
#'   cluster, as \pkg{cluster} has it.
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
  check_no_dots(..., call = rlang::current_env(), topic = "silhouette.kgroups_fit")
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
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  x$graph$modularity
}

# ---- components and values under names of other packages ----

# Components of other packages' partitions that a fit has under another name.
same_components <- list(
  clustering = "cluster", classification = "cluster", clusters = "cluster", labels = "cluster",
  class = "cluster", groups = "cluster", size = "sizes", iter = "iterations"
)

# Components that users of other packages try, by class of the result, with the code to use. Other unknown names are an error
# in scripts and at the console, and NULL in the code of packages, which test for components so.
likelihood_use <- c(bic = "select_k(data)", BIC = "select_k(data)", loglik = "select_k(data)")
test_use <- c(pvalue = "x$p.value", p_value = "x$p.value", pval = "x$p.value", p = "x$p.value")
other_components <- list(
  kgroups_metric_fit = c(metric = "x$scatter"),
  kgroups_trimmed_fit = c(outlier = "x$noise", outliers = "x$noise"),
  kgroups_fit = c(
    totss = "x$total", withinss = "x$within", tot.withinss = "x$W", betweenss = "x$S", metric = "x$semimetric",
    silinfo = "cluster::silhouette(x)", isolation = "cluster::silhouette(x)", silhouette = "cluster::silhouette(x)",
    z = "predict(x, type = \"prob\")", membership = "predict(x, type = \"prob\")", uncertainty = "1 - apply(predict(x, type = \"prob\"), 1, max)",
    breaks = "tapply(data, x$cluster, range)", cut = "tapply(data, x$cluster, range)", likelihood_use
  ),
  kgroups_select_k = c(
    best = "x$k", optimal = "x$k", best.k = "x$k", nbclust = "x$k", Best.nc = "x$k",
    fit = "kgroups(data, x)", fits = "kgroups(data, x)", partition = "kgroups(data, x)$cluster"
  ),
  kgroups_select_semimetric = c(
    best = "x$semimetric", fit = "kgroups(data, k, semimetric = x$semimetric)", fits = "kgroups(data, k, semimetric = x$semimetric)"
  ),
  kgroups_stability = c(bootmean = "x$clusters$jaccard", mean = "x$clusters$jaccard", bootresult = "x$jaccard"),
  kgroups_tree = c(cluster = "predict(x, k)", clusters = "predict(x, k)", heights = "x$height"),
  kgroups_changes = c(
    breakpoints = "x$changes", breaks = "x$changes", changepoints = "x$changes", cpts = "x$changes", estimates = "x$changes", cluster = "x$run"
  ),
  kgroups_test = test_use, kgroups_pairwise_test = test_use, kgroups_result = c(table = "as.data.frame(x)")
)

#' @export
`$.kgroups_fit` <- function(x, name) {
  if (name %in% names(same_components)) {
    return(.subset2(x, same_components[[name]]))
  }
  switch(name,
    centers = , centres = , centroids = fit_centers(x, rlang::caller_env()),
    id.med = medoid_numbers(x),
    medoids = medoid_rows(x),
    membership = fit_membership(x, rlang::caller_env()),
    scatter = fit_scatter(component(x, name, rlang::caller_env())),
    component(x, name, rlang::caller_env())
  )
}

#' @export
`$.kgroups_result` <- function(x, name) {
  if (is.list(x)) component(x, name, rlang::caller_env()) else NextMethod()
}

# igraph reads the labels of a graph here; in other packages memberships are a matrix.
fit_membership <- function(fit, call) {
  if (inherits(fit, "kgroups_graph_fit") || is_code_of_package(call)) fit$cluster else component(fit, "membership", call)
}

is_code_of_package <- function(env) !identical(topenv(env), globalenv())

# Components that some fits and results have; NULL of others.
optional_components <- c(
  "approx", "W_exact", "noise", "trim", "cut", "center", "scale", "limits", "constraints", "empty", "scatter", "graph", "weights",
  "search", "size_term", "last_fall", "blueprint", "kept", "data", "semimetric", "time", "tests", "alpha", "series", "reasons",
  "half_choices", "p.value", "splits", "B", "reference", "rows"
)

# Return a component of a list, or raise an error for one that has another name here.
component <- function(x, name, call) {
  if (!name %in% names(x)) {
    for (class in intersect(class(x), names(other_components))) {
      use <- other_components[[class]]
      if (name %in% names(use)) {
        shown <- eval(quote(substitute(x)), parent.frame())
        shown <- if (is.name(shown) && shown != "*tmp*") deparse_short(shown) else "x"
        code <- gsub("\\bx\\b", shown, use[[name]])
        abort_input("component", call, "The result {.arg {shown}} has no component {.val {name}}.", hint = "Use {.code {code}}.")
      }
    }
    own <- !is.data.frame(x) && !inherits(x, c("htest", "communities", "pairwise.htest")) && !name %in% optional_components
    if (own && !is_code_of_package(call) && is.null(.subset2(x, name, exact = FALSE))) abort_component(x, name, call)
  }
  .subset2(x, name, exact = FALSE)
}

abort_component <- function(x, name, call) {
  near <- nearest_name(name, names(x))
  abort_input(
    "component", call, "The result {.arg x} has no component {.val {name}}.",
    hint = if (length(near)) {
      "Did you mean {.code x${near}}?"
    } else if (inherits(x, "kgroups_fit")) {
      "The labels are {.code x$cluster}; see {.code names(x)}."
    } else {
      "See {.code names(x)}."
    }
  )
}

# The k x p weighted means of the columns of numbers.
fit_centers <- function(fit, call) {
  if (inherits(fit, "kgroups_graph_fit")) check_distances(fit, "centers", call)
  if (is.null(dim(fit$data)) && is.numeric(fit$data)) {
    fit$data <- matrix(fit$data, dimnames = list(NULL, line_label(fit)))
  }
  means <- cluster_means(observed_fit(fit, call))
  if (is.null(means)) {
    blocks <- is_block_fit(fit)
    abort_input(
      "component", call, "The fit has no centers.",
      if (blocks) "It was made from {.fn row_blocks}: the rows stayed where they are." else "It was made without columns of numbers, or does not keep its data.",
      if (blocks) "Use {.code describe_clusters(fit, rows)} with the rows of a block." else "Use {.code tidy(fit)} for medoids."
    )
  }
  matrix(
    unlist(lapply(means, as.numeric)), fit$k, dimnames = list(seq_len(fit$k), names(means))
  )
}

# Among all rows of the data, of which the empty ones belong to no cluster.
medoid_numbers <- function(fit) setdiff(seq_len(fit$n), fit$empty)[medoids(observed_fit(fit))]

medoid_rows <- function(fit) {
  at <- medoid_numbers(fit)
  if (!is.null(fit$blueprint) && !is.null(dim(fit$data))) fit$data[at, , drop = FALSE] else names(fit$cluster)[at] %||% at
}

#' @rdname fit-methods
#' @export
fitted.kgroups_fit <- function(object, method = c("classes", "centers"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  if (check_choice(method, "method", c("classes", "centers")) == "classes") {
    return(object$cluster)
  }
  centers <- fit_centers(object, rlang::current_env())[object$cluster, , drop = FALSE]
  rownames(centers) <- names(object$cluster)
  centers
}

# ---- easystats ----

#' @rawNamespace S3method(parameters::model_parameters,kgroups_fit)
model_parameters.kgroups_fit <- function(model, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  table <- tidy(model)
  means <- table[setdiff(names(table), c("cluster", "size", "weight", "within", "medoid"))]
  as_table(c(list(Cluster = table$cluster, n_Obs = table$size, W = table$within), means))
}

#' @rawNamespace S3method(performance::model_performance,kgroups_fit)
model_performance.kgroups_fit <- function(model, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  one <- glance(model)
  widths <- if (model$k > 1L && has_distances(model) && !is.null(model$kept$problem)) silhouette_widths(observed_fit(model))$width
  as_table(c(as.list(one), list(silhouette = if (is.null(widths)) NA_real_ else mean(widths))))
}
