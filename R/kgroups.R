# kgroups(), its methods, and the help pages of a fit and of the search.

#' Clustering by energy statistics
#'
#' Partitions observations into `k` clusters with the least sum over the clusters of size times mean distance within:
#' those whose distributions differ most. `kernel_kmeans()` minimises the same criterion by Lloyd's method.
#'
#' **Choosing the arguments.** If units differ or columns are correlated, use `standardize = "within"`. For outliers set
#' `trim`; for clusters of unequal shapes and sizes see [kgroups_mixture()]; for shapes that gaps separate
#' `semimetric = rho_connected()`.
#'
#' @param x The observations, one per row or element:
#'   * a numeric matrix or vector, or a data frame with columns of numbers, dates, times, categories, text and logical
#'     values; [as_points()] describes the coding;
#'   * a `dist` (also \pkg{cluster}'s `dissimilarity`), to whose values the semimetric is applied;
#'   * a kernel (Gram) matrix, marked by [as_gram()];
#'   * a sparse symmetric matrix of \pkg{Matrix}, taken as a Gram matrix and kept sparse;
#'   * an \pkg{igraph} graph: see [cluster_kgroups()];
#'   * a formula without a left side, `~ a + b` or `~ . - c`, of columns of `data`, in which other arguments are
#'   evaluated.
#'
#'   An empty row and infinite values are errors.
#' @param k The number of clusters, a whole number from 1 to the number of observations of
#'   positive weight, or a result of [select_k()].
#' @param ... Not used. Arguments after `k` must be named in full.
#' @param data With a formula: the data frame whose columns it names.
#' @param subset With a formula: the rows of `data` to cluster, as `age > 30`.
#' @param semimetric The dissimilarity of two observations; see [semimetrics]. Default
#'   `rho_power(1)`, the Euclidean distance; also a result of [select_semimetric()]. A Gram matrix defines its own.
#' @param weights Weights of the observations, not negative; default: all 1. A weight of 2 counts as two equal
#'   observations; weight 0 as by [predict()][predict.kgroups_fit].
#' @param standardize `FALSE` (default): a table of numbers keeps its units. `TRUE`: numeric columns get mean 0
#'   and standard deviation 1; beside columns of other types they always do. `"within"`: differences count relative to
#'   the covariance within the clusters, which is learned with them; see [kgroups-metric].
#' @param column_weights Weights of columns in squared distances, as `c(sex = 0.3)`; other columns keep 1.
#' @param missing Missing cells: `"impute"` (default), by their conditional means in a multivariate normal
#'   model; `print()` reports their number. `"fail"`: an error.
#' @param method `"hartigan"` (default) or `"lloyd"`; see [kgroups-search].
#' @param init The start. `NULL` (default): a search. `"kmeans++"`, `"random"`, `"sample"` or `"spectral"`: `nstart`
#'   local searches from such partitions. Or a label for each observation; or a fit, whose predictions are the labels.
#' @param nstart The number of starts; default 1 if `init` is named. With labels in `init`, further starts are random.
#' @param effort A multiple of the budget of the search, above 0; default 1. See [kgroups-search].
#' @param iter.max The largest number of passes of one local search, which gives a warning. Default 100.
#' @param trim The share of the total weight that is treated as noise, from 0 (default) to below 0.5; `"auto"`
#'   estimates it. See [kgroups-variants].
#' @param sizes Limits on the number of observations in a cluster, or with `weights` on its sum of weights: `c(least,
#'   most)`, one number for both, or `"equal"`. See [kgroups-variants].
#' @param together,apart Rows that must be in one cluster, and in different clusters: a two-column matrix of
#'   pairs, a list of groups, or an id for each row. See [kgroups-variants].
#' @param contiguous The graph in which every cluster is connected: an \pkg{igraph}, an adjacency matrix, a list of
#'   the neighbours of each row, or `"order"`; vertices with names are the rows of these names. See
#'   [kgroups-variants].
#' @param units `NULL`, or the unit of each row, such as a patient, whose rows get one cluster; see [kgroups-units].
#' @param approx `NULL` (default): exact. [nystroem()]: landmark features, for large data.
#' @param threads The number of threads; the result is the same for any number.
#' @param keep.data Keep the data for [predict()][predict.kgroups_fit]? Default `TRUE`.
#' @return A list of class `kgroups_fit`, described in [kgroups-fit]. Most used: `cluster`, the labels from 1 to k
#'   (0: noise); `sizes`; `W`, the within dispersion, which is minimised; `S`, the between statistic. Methods:
#'   [plot()][plot.kgroups_fit], [summary()][summary.kgroups_fit], [predict()][predict.kgroups_fit],
#'   [tidy()][tidy.kgroups_fit], [describe_clusters()], [stability()].
#' @details The within dispersion is \eqn{W = \sum_j s_j g(C_j, C_j) / 2}{W = sum_j s_j g(C_j, C_j)/2}.
#'   Here \eqn{s_j}{s_j} is the weight of cluster \eqn{C_j}{C_j}, and \eqn{g}{g} is the weighted mean of the semimetric
#'   over pairs. Its sum with S is the same for every partition. For `rho_power(2)` W is the sum of squares of
#'   [kmeans()].
#'
#'   W has many local minima; a search ([kgroups-search]) combines several partitions and returns the least W. For
#'   one variable with the Euclidean distance dynamic programming finds the best partition into intervals of the sorted
#'   data in \eqn{O(k n \log n)}{O(k n log n)}. Call [set.seed()] to reproduce a fit.
#' @section Complexity: \eqn{n (n - 1) / 2}{n(n - 1)/2} pairs for each start, then
#'   \eqn{O(n k)}{O(n k)} per pass; \eqn{O(n k)}{O(n k)} memory. [nystroem()] is linear in n.
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Li S, Rizzo ML (2017). "K-groups: A Generalization of K-means Clustering." \doi{10.48550/arXiv.1711.04359}
#' @family clustering
#' @seealso [select_k()]; `vignette("kgroups")`; `` ?`kgroups-package` ``, functions by task.
#' @concept centers
#' @concept n_clusters
#' @concept distance
#' @concept seed
#' @concept Manhattan
#' @concept cosine
#' @concept centroid
#' @concept outlier
#' @concept must-link
#' @concept cannot-link
#' @examples
#' # three species of flowers by four measurements: two of the species overlap
#' fit <- kgroups(iris[1:4], 3)
#' fit
#' table(fit$cluster, iris$Species)
#'
#' # with scales and correlations learned from the clusters they are nearly separate
#' set.seed(1)
#' within <- kgroups(iris[1:4], 3, standardize = "within")
#' table(within$cluster, iris$Species)
#'
#' # numbers and categories: plants from two places, chilled or not
#' plants <- kgroups(CO2[c("Type", "Treatment", "conc", "uptake")], 4)
#' table(plants$cluster, CO2$Type:CO2$Treatment)
#'
#' # distances alone; Lloyd's method
#' kgroups(UScitiesD, 3)$cluster
#' kernel_kmeans(iris[1:4], 3)$W
#' @export
kgroups <- function(x, k, ...) {
  if (missing(x)) check_no_dots(..., call = rlang::current_env())
  check_data(x, rlang::current_env())
  if (is.data.frame(x) && !missing(k) && inherits(k, "formula")) {
    must <- "A formula comes first: `kgroups(~ a + b, k, data = x)`."
    abort_input("formula", rlang::current_env(), must, "You supplied it behind the data.")
  }
  if (!missing(k) && is.character(k) && length(dim(x)) == 2L && all(k %in% colnames(x))) {
    columns <- if (is.data.frame(x)) "x[{deparse_short(k)}]" else "x[, {deparse_short(k)}]"
    hint <- sprintf("Columns are chosen before: `kgroups(%s, k)`.", fill_templates(columns))
    abort_argument(k, "k", "be the number of clusters.", "{hint}", call = rlang::current_env())
  }
  UseMethod("kgroups")
}

#' @rdname kgroups
#' @export
kgroups.default <- function(x, k, ..., standardize = FALSE, weights = NULL,
                            semimetric = rho_power(if (is.null(units)) 1 else 0.5), missing = c("impute", "fail"),
                            column_weights = NULL,
                            trim = 0, sizes = NULL, together = NULL, apart = NULL, contiguous = NULL,
                           units = NULL,
                            approx = NULL, threads = getOption("kgroups.threads", 1L), keep.data = TRUE,
                            init = NULL, nstart = NULL, effort = 1, iter.max = 100, method = "hartigan") {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  env <- rlang::current_env()
  if (...length()) check_no_dots(..., call = env)
  hint <- "Columns are found in `x$w`, or by a formula: `kgroups(~ a + b, k, data = x, weights = w)`."
  weights <- found_value(weights, "weights", hint, env)
  as_data <- !missing(semimetric) || !missing(standardize) # stated by the call
  metric <- !isFALSE(standardize) && is_within(standardize, env)
  if (!is.null(units)) together <- unit_links(units, x, together, apart, approx, env)
  control <- read_settings(mget(c(setdiff(fit_settings, "metric"), "threads", "keep.data", "standardize")), env)
  local_threads(control$threads)
  read <- read_data(
    x, list(weights = weights, init = init, units = units),
    column_weights = column_weights, standardize = if (metric) !is_points(x) else standardize, missing = missing,
    context = list(call = env, topic = "kgroups", as_data = as_data)
  )
  x <- read$x
  weights <- read$weights
  init <- read$init
  semimetric <- if (is.object(x) && !is.data.frame(x) && brings_kernel(x)) {
    gram_semimetric(if (!missing(semimetric)) semimetric)
  } else {
    check_semimetric(semimetric, env)
  }
  problem <- if (is.null(approx)) {
    as_problem(read$points, semimetric, weights, call = env)
  } else {
    landmark_problem(read$points, semimetric, weights, env)
  }
  if (missing(k)) k <- NULL
  if (inherits(init, "kgroups_fit") && init$n != problem$n && !is.null(problem$blueprint)) init <- predict(init, x)
  if (!is.null(units)) {
    of_units <- weights_of_units(problem, read$units, env)
    weights <- of_units$rows
    problem <- as_problem(read$points, semimetric, weights, call = env)
  }
  control <- complete_settings(control, problem, k, init, nstart, env)
  inform_long_fit(problem, control)
  out <- solve_problem(problem, control, env)
  problem <- out$problem %||% problem
  warn_unfinished(out, control$iter.max, problem)
  fit <- fit_solution(call, x, problem, control, out, out$weights %||% weights, env)
  if (!is_approximate(fit)) warn_negative_type(problem, control$method, fit$W)
  inform_equal(fit)
  if (fit$W <= 1e-9 * abs(fit$total)) inform_distinct(problem, control$k)
  inform_unlearned(out$unlearned)
  if (!is.null(units)) fit <- with_units(fit, of_units)
  if (is.data.frame(x)) inform_known_groups(x, fit$cluster)
  fit
}

#' @rdname kgroups
#' @export
kgroups.formula <- function(x, k, data = NULL, ..., subset = NULL, weights = NULL, init = NULL, together = NULL,
                            apart = NULL,
                            units = NULL) {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  env <- rlang::current_env()
  columns <- formula_columns(x, data, env)
  of_rows <- rlang::enquos(weights = weights, init = init, together = together, apart = apart, units = units)
  of_rows <- Map(formula_argument, of_rows, arg = names(of_rows), MoreArgs = list(data = data, call = env))
  rows <- formula_argument(rlang::enquo(subset), data, "subset", env)
  if (!is.null(rows)) {
    rows <- subset_rows(rows, nrow(data), env)
    of_rows <- lapply(of_rows, values_of_rows, rows, nrow(data), rownames(data))
    columns <- structure(columns[rows, , drop = FALSE], formula = attr(columns, "formula"))
  }
  fit <- with_call(call, kgroups(
    columns, k, ...,
    weights = of_rows$weights, init = of_rows$init, together = of_rows$together, apart = of_rows$apart,
    units = of_rows$units
  ))
  fit$call <- call
  fit
}

#' @rdname kgroups
#' @export
kernel_kmeans <- function(x, k, ...) {
  check_data(x, rlang::current_env())
  if ("method" %in% ...names_compat(...)) {
    abort_input(
      "method", rlang::current_env(), "`kernel_kmeans()` has no argument `method`.",
      "It is `kgroups()` with `method = \"lloyd\"`.", "Call `kgroups()` to choose a method."
    )
  }
  call <- match.call()
  fit <- with_call(call, kgroups(x, k, ..., method = "lloyd"))
  fit$call <- call
  fit
}

#' Noise and constraints: sizes, rows together or apart, contiguous clusters
#'
#' Variants of [kgroups()] that leave out a share of the rows, limit the sizes of clusters, keep rows together or
#' apart, or form clusters that are connected on a map or in an order.
#'
#' @section Noise: `trim` minimises the within dispersion of the observations that are kept. Trimming alternates with
#'   local search from several starts until the same rows are trimmed; in small data kept and trimmed rows are then
#'   exchanged while that lowers W. `noise` in the fit marks the trimmed; their `cluster` is 0, and that of the nearest
#'   mean is in `nearest`. `"auto"` compares several shares, and trims observations that are much farther from the
#'   nearest mean than those kept; on clean normal data these are 0 to 3 percent. The score is `.outlier` in
#'   `augment()`. `trim` cannot distinguish a dense group of outliers from a cluster, and it cuts the tails of skewed
#'   clusters: of 200 exponential rows in two columns `"auto"` trims 7 percent on average, at most 17 (200 samples; one
#'   column: 15, 34). Take logarithms of such columns. `rho_power(1/2)` alone resists scattered noise.
#' @section Constraints: With `sizes`, `together`, `apart` and `contiguous` W is minimised over the partitions that
#'   satisfy all of them. Each cluster may lose or gain an observation, or exchange it for one of another cluster, if
#'   all constraints still hold. Moves and exchanges follow until none of them lowers W, from several starts.
#'
#'   * `sizes`: without `weights` numbers of observations, with `weights` sums of weights, such as inhabitants or
#'   demand.
#'   * `together`: a group moves as one observation of its total weight, the mean of its rows in the feature space. This
#'     is exact, because the dispersion within groups is the same for all partitions.
#'   * `apart`: pairs of rows in different clusters.
#'   * `contiguous`: every cluster is connected in a graph of the rows, such as neighbouring areas of a map. Merges of
#'     clusters with a common edge start the search, those that increase W least first (constrained Ward). Moves of rows
#'     at a border follow; a row that alone links a part of its cluster takes this part along. Then one cluster is
#'     divided and two are merged, while that lowers W.
#'
#'   Starts that break a constraint are repaired by moves that lower the violations most, with a tabu list (Hertz and de
#'   Werra 1987). If none succeeds, the error `kg_error_constraints` contains the least violation that the search
#'   attained; a partition may exist all the same. A graph with more parts than clusters is the error
#'   `kg_error_contiguous`, whose `$components` holds the part of each row.
#'
#'   `limits` in the fit holds the limits on sizes, the clusters that attain one (`binding`) and W without constraints;
#'   `constraints` holds groups, pairs and edges. [predict()][predict.kgroups_fit] assigns new rows to the nearest mean,
#'   whatever the constraints. [stability()] and [select_k()] keep the constraints among the rows that they sample; a
#'   row of the graph that is left out belongs to a neighbour, so that the graph stays connected. The cuts of
#'   [`kgroups_tree(contiguous = )`][kgroups_tree] are contiguous. `approx` and `trim` are not combined with
#'   constraints, and Lloyd's method with `together` alone. Clusters that resemble each other (anticlusters) are no
#'   constraint: the package \pkg{anticlust} forms them.
#' @references
#' Hertz A, de Werra D (1987). "Using Tabu Search Techniques for Graph Coloring." *Computing*, 39, 345-351.
#' \doi{10.1007/BF02239976}
#'
#' Guo D (2008). "Regionalization with Dynamically Constrained Agglomerative Clustering and Partitioning (REDCAP)."
#' *International Journal of Geographical Information Science*, 22(7), 801-823. \doi{10.1080/13658810701674970}
#' @family clustering
#' @examples
#' # the farthest tenth of the rows as noise: `noise` marks them
#' table(kgroups(USArrests, 3, trim = 0.1, standardize = TRUE)$noise)
#'
#' # clusters of at least 10 and at most 20 states
#' kgroups(USArrests, 3, sizes = c(10, 20), standardize = TRUE)$sizes
#'
#' # rows of a group stay together, and two pairs of rows apart
#' plot <- rep(1:30, each = 5)
#' kgroups(iris[1:4], 3, together = plot, apart = rbind(c(1, 6), c(51, 101)))
#'
#' # three parts of a volcano, each connected on the grid of heights
#' heights <- volcano[seq(1, 87, 6), seq(1, 61, 6)]
#' grid <- igraph::make_lattice(dim(heights))
#' parts <- kgroups(c(heights), 3, contiguous = grid)
#' image(matrix(parts$cluster, nrow(heights)))
#' @concept regionalization
#' @concept spatially constrained
#' @concept balanced
#' @concept contiguity
#' @name kgroups-variants
NULL

#' Components of a fit
#'
#' The value of [kgroups()], [kernel_kmeans()] and of fits of graphs: a list of class `kgroups_fit`.
#'
#' W is defined in [kgroups()].
#'
#' @return A list of class `kgroups_fit`; fits of graphs and on landmarks have the subclasses `kgroups_graph_fit` and
#'   `kgroups_landmark_fit`, fits with `trim` `kgroups_trimmed_fit`, with `sizes` `kgroups_sized_fit`, with `together`
#'   `kgroups_together_fit`, with `apart` `kgroups_apart_fit`, with `standardize = "within"` `kgroups_metric_fit`.
#'   \item{call}{the call}
#'   \item{cluster}{n integer labels from 1 to k, numbered by first appearance, named by the row names; 0 for noise of
#'     a fit with `trim`}
#'   \item{sizes}{number of observations in each cluster, k integers}
#'   \item{within}{within dispersion of each cluster, k numbers}
#'   \item{W, S, total}{within dispersion, between statistic, and their sum}
#'   \item{count}{number of moves in the best local search}
#'   \item{iterations}{number of its passes}
#'   \item{k}{number of clusters}
#'   \item{weights}{the weights, or `NULL`}
#'   \item{semimetric}{the semimetric with its parameters, `NULL` for a Gram matrix}
#'   \item{method, init}{the method; the kind of start}
#'   \item{converged}{did the best local search end before `iter.max`?}
#'   \item{objectives, best_start}{W attained from every start (named by its kind), and the
#'     start of the result}
#'   \item{search}{with `init = NULL`, else `NULL`: a list of the number of candidate partitions (`members`), how many
#'   `attained` the least W, the numbers of rows that were searched (`levels`), and the `evaluations` of the semimetric,
#'   or work of that cost. `NULL` with `trim`, and with `sizes` if a limit is attained: `objectives` has W of their
#'   starts}
#'   \item{last_fall}{if not converged: the decrease of W in the last pass, else `NULL`}
#'   \item{n, data}{number of observations; the data as given (`NULL` with `keep.data = FALSE` and for [row_blocks()])}
#'   \item{blueprint}{the preprocessing of points, see [as_points()]; `NULL` for other input}
#'   \item{kept}{internal: what [predict()][predict.kgroups_fit] needs besides the data (`NULL` with
#'     `keep.data = FALSE`)}
#'   \item{approx, W_exact}{of fits on landmarks: a list about the approximation, and the exact W if it was computed}
#'   \item{noise, trim, cut, center, scale}{of fits with `trim`: is the observation noise (logical)? the argument; the
#'     largest squared distance of a kept observation to its mean; median and median absolute deviation of
#'     \eqn{d^{2/3}}{d^(2/3)} over the kept observations, d their distance to the mean. The `weights` of noise are 0}
#'   \item{limits}{of fits with `sizes`: a list with the limits (`sizes`), the clusters that attain one (`binding`) and
#'   W without limits (`W_free`)}
#'   \item{constraints}{of fits with `together` or `apart`: a list with the group of each row (`together`, `NA` for rows
#'   in none), the pairs of row numbers (`apart`), and with `apart` W without them (`W_free`, `NULL` if `init` is
#'   given)}
#'   \item{scatter}{of fits with `standardize = "within"`: the scatter of the metric, a matrix in the units of the
#'   numeric columns, see [kgroups-metric]; `Inf` or 0 where these squares leave the range of doubles}
#'   \item{few_values, rounded}{of the same fits, if there are such: the columns of few or of frequent values, and of sums
#'   that are constant but for rounding, see [kgroups-metric]}
#'   \item{graph}{of fits of graphs: a list with the modularity}
#'
#'   Components under names of other packages, such as `fit$centers`, are documented at [fit-methods].
#'
#'   Methods: see [kgroups()], and if their packages are installed [cluster::silhouette()][silhouette.kgroups_fit] and
#'   those of [clue][clue-methods].
#' @family fits
#' @examples
#' # geyser: the least W, and the share of each cluster in it
#' fit <- kgroups(faithful, 2, standardize = TRUE)
#' c(fit$W, fit$S, fit$total)
#' fit$within / fit$W
#' @name kgroups-fit
NULL
