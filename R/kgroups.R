# kgroups(), its methods, and the help pages of a fit and of the search.

#' Clustering by energy statistics
#'
#' Partitions observations into `k` clusters that maximise the between-cluster energy statistic, by a call like
#' [kmeans()]: `kgroups(x, k)`. This minimises the mean within-cluster distance, so the partition resists outliers.
#' `kernel_kmeans()` minimises the same criterion by Lloyd's method.
#'
#' @param x The observations:
#'   * a numeric matrix, or a data frame (also a tibble or a data.table) with columns of numbers, dates,
#'     times, categories, text and logical values, one observation per row; [as_points()] states how each is coded;
#'   * a numeric vector, one observation per element;
#'   * a `dist` object (also \pkg{cluster}'s `dissimilarity`), to whose values the semimetric is applied;
#'   * a kernel (Gram) matrix, marked by [as_gram()] or of \pkg{kernlab}'s class `kernelMatrix`;
#'   * a sparse symmetric matrix of the \pkg{Matrix} package, taken as a Gram matrix and never
#'     made dense;
#'   * an \pkg{igraph} graph: see [cluster_kgroups()];
#'   * a formula without a left side, `~ a + b`, `~ .` or `~ . - c`, that names columns of `data`.
#'
#'   Missing cells of a matrix or data frame are imputed by their conditional means (multivariate normal model), with
#'   a message. Infinite values are an error.
#' @param k The number of clusters, a whole number from 1 to the number of observations of
#'   positive weight. For a graph it can be left out.
#' @param ... Not used: arguments after `k` must be named in full, and an unknown one is an error.
#' @param data With a formula: the data frame whose columns it names.
#' @param semimetric The dissimilarity of two observations; see [semimetrics]. Default
#'   `rho_power(1)`, the Euclidean distance. A Gram matrix defines its own.
#' @param weights Weights of the observations, finite and not negative; `NULL` (default)
#'   gives equal weights. A weight of 2 counts as two equal observations. Observations of
#'   weight 0 do not influence the clusters; each gets the label of the nearest mean.
#' @param init The start. `NULL` (default): a search, see [kgroups-search]. Or `nstart` local searches from
#'   * `"kmeans++"` (also `"k-means++"`): centres drawn one after another with probability
#'     proportional to the weight times the semimetric to the nearest centre so far;
#'   * `"random"`: every observation in a cluster drawn at random;
#'   * `"sample"`: the best of three k-means++ fits on `max(500, 20 * k, n^(2/3))` observations,
#'     extended to all: the fastest for large data (not for sparse matrices, graphs or with
#'     `approx`);
#'   * `"spectral"`: weighted k-means of the rows of the top k - 1 eigenvectors (the relaxation
#'     (29)); if eigenvalues are close, of approximate eigenvectors;
#'   * or one label per observation, a vector of any type or a factor with k values. Centres cannot be given:
#'     the means lie in the feature space.
#' @param nstart The number of starts, at least 1; the best result is kept. `NULL` (default) is 1 if
#'   `init` is named. With labels in `init`, further starts are random. See [kgroups-search] for the search.
#' @param iter.max The largest number of passes over the observations in one local search, at least 1.
#'   Default 100. A local search that reaches it gives a warning.
#' @param method `"hartigan"` (default) or `"lloyd"`.
#' @param size_term Correct for unequal cluster sizes? Default `FALSE`; see [kgroups-search], section on
#'   clusters of unequal sizes.
#' @param approx `NULL` (default): exact. [nystroem()]: landmark features, for data too large
#'   for a pass over all pairs.
#' @param threads Threads for large problems, a whole number; the default is the option
#'   `kgroups.threads`, else 1. Labels and W are the same for any number. It is 1 if the package was built
#'   without OpenMP and in forked processes. The environment variable `OMP_THREAD_LIMIT`
#'   is honoured.
#' @param keep.data Keep what [predict()][predict.kgroups_fit] needs? Default `TRUE`. The data are referred to; a
#'   data.table is copied.
#' @param column_weights Weights of columns, as `c(sex = 0.3)`: the contribution of a column to squared distances is
#'   multiplied by its weight, 0 leaves it out, other columns keep 1.
#' @param standardize `TRUE`: numeric columns get mean 0 and standard deviation 1. Default `FALSE`: a
#'   table of numbers keeps its original units. Beside columns of other types numbers are always scaled.
#' @param missing Treatment of missing cells: `"impute"` (default), or `"fail"`, an error.
#' @return A list of class `kgroups_fit`, described in [kgroups-fit]. Most used: `cluster`, the labels from 1 to k, named
#'   by the row names; `sizes`; `W`, the within dispersion, which is minimised; `S`, the between statistic;
#'   `total`, their sum. Methods: [plot()][plot.kgroups_fit], [summary()][summary.kgroups_fit],
#'   [predict()][predict.kgroups_fit], [tidy()][tidy.kgroups_fit], [describe_clusters()], [stability()].
#' @details The within dispersion is \eqn{W = \sum_j s_j g(C_j, C_j) / 2}{W = sum_j s_j g(C_j, C_j)/2}. Here
#'   \eqn{s_j}{s_j} is the weight of cluster \eqn{C_j}{C_j}, and \eqn{g}{g} is the weighted mean of the semimetric over
#'   pairs. W + S is the same for every partition, so the least W is the largest energy statistic S between clusters.
#'   For `rho_power(2)` W is the within sum of squares of [kmeans()].
#'
#'   A semimetric of negative type is a squared distance in a feature space, and W is the objective of kernel k-means
#'   there. Hartigan's method moves one observation at a time to the cluster that lowers W most. It ends when
#'   no single move lowers W. Lloyd's method assigns all observations to the nearest mean and then recomputes the
#'   means. Every end point of Hartigan's method is one of Lloyd's, but not conversely.
#'
#'   W has many local minima. By default a search ([kgroups-search]) starts from several k-means++ partitions, improves
#'   them by local search, by splitting and merging clusters and by combining partitions, and returns the least W. One
#'   variable with the Euclidean distance has an exact solution, which is returned ([kgroups_1d()]).
#'   Random numbers are R's: call [set.seed()] to reproduce a fit.
#' @section Choosing the arguments: Scale the columns if their units differ: `standardize = TRUE`. `rho_power(1/2)` is
#'   more robust to outliers and in many dimensions. `rho_connected()` recovers clusters of any shape that gaps
#'   separate. Other metrics are given as a `dist`, for example `dist(x, "manhattan")`. [select_k()] and
#'   [select_semimetric()] compare choices of `k` and of the semimetric.
#' @section Complexity: One pass over the \eqn{n (n - 1) / 2}{n(n - 1)/2} pairs for each start, then
#'   \eqn{O(n k)}{O(n k)} per pass; \eqn{O(n k)}{O(n k)} memory. [nystroem()] is linear in n.
#' @section Errors:
#' Wrong input gives an error of class `kg_error_input` (and `kg_error`), with a class of
#' its own for each argument: `kg_error_x`, `kg_error_k`, `kg_error_weights`,
#' `kg_error_init`, `kg_error_nstart`, `kg_error_method`, `kg_error_dist`, `kg_error_gram`,
#' `kg_error_semimetric`, `kg_error_column_weights`, `kg_error_standardize`, `kg_error_missing`, `kg_error_formula`,
#' `kg_error_dots` (an unknown argument), `kg_error_memory` (the call does not
#' fit), `kg_error_range` (W cannot be represented: rescale the data). Warnings have classes
#' `kg_warning_...` in the same way: `iterations` (`iter.max` was reached), `negative_type` (once per session and kind),
#' `weights` (some are less than 1e-150 of the largest: products of two such vanish),
#' `constant`, `empty`, `levels`, `missing` (columns, see [as_points()]),
#' `dissimilarities` (a square matrix that resembles distances was taken as data; see [input-checks]).
#' @references
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#' @family clustering
#' @seealso [select_k()] and [select_semimetric()] for the choices; [semimetrics]; [energy_statistics()] for W and S of any
#'   partition; `energy.hclust()` of package \pkg{energy} for a hierarchy by the same distances.
#'   `vignette("kgroups")` is an introduction, `` ?`kgroups-package` `` lists functions by task.
#' @concept centers
#' @concept n_clusters
#' @concept distance
#' @concept seed
#' @concept Manhattan
#' @concept cosine
#' @concept centroid
#' @concept outlier
#' @examples
#' fit <- kgroups(iris[1:4], 3)
#' fit
#' table(fit$cluster, iris$Species)
#'
#' kgroups(~ Petal.Length + Petal.Width, 3, data = iris)$sizes
#' kgroups(dist(iris[1:4], "manhattan"), 3)$W
#'
#' # robust to heavy tails, on standardised columns
#' kgroups(iris[1:4], 3, semimetric = rho_power(1/2), standardize = TRUE)
#'
#' # weights
#' kgroups(iris[1:4], 3, weights = rep(1:2, 75))$sizes
#'
#' # one local search, from given labels
#' kgroups(iris[1:4], 3, init = iris$Species)
#'
#' # Lloyd's method, and what Hartigan's method improves from its end point
#' start <- rep(1:3, 50)
#' lloyd <- kernel_kmeans(iris[1:4], 3, init = start)
#' c(lloyd$W, kgroups(iris[1:4], 3, init = lloyd$cluster)$W)
#' @export
kgroups <- function(x, k, ...) {
  check_kind(x, rlang::current_env())
  UseMethod("kgroups")
}

#' @rdname kgroups
#' @export
kgroups.default <- function(x, k, ..., semimetric = rho_power(1), weights = NULL, init = NULL,
                            nstart = NULL, iter.max = 100, method = "hartigan",
                            approx = NULL, threads = getOption("kgroups.threads", 1L),
                            size_term = FALSE, keep.data = TRUE, effort = 1, column_weights = NULL, standardize = FALSE,
                            missing = c("impute", "fail")) {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  env <- rlang::current_env()
  check_no_dots(..., call = env)
  check_kind(x, env)
  control <- read_control(method, iter.max, size_term, approx, threads, keep.data, effort, env)
  use_threads(control$threads)
  on.exit(use_threads(1))
  semimetric <- if (is_gram(x) || inherits(x, "Matrix")) {
    gram_semimetric(if (!missing(semimetric)) semimetric)
  } else {
    check_semimetric(semimetric, env)
  }
  table <- preprocess_dots(
    x, weights,
    column_weights = column_weights, standardize = standardize, missing = missing, call = env,
    k = if (!missing(k)) k
  )
  problem <- if (is.null(approx)) {
    as_problem(table, semimetric, weights, call = env)
  } else {
    landmark_problem(table, semimetric, weights, env)
  }
  if (missing(k)) k <- NULL
  control <- complete_control(control, problem, k, init, nstart, env)
  fit_problem(call, x, problem, control, weights, env)
}

#' @rdname kgroups
#' @export
kgroups.formula <- function(x, k, ..., data = NULL) {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  fit <- kgroups(formula_columns(x, data, rlang::current_env()), k, ...)
  fit$call <- call
  fit
}

#' @rdname kgroups
#' @export
kernel_kmeans <- function(x, k, ...) {
  check_kind(x, rlang::current_env())
  if ("method" %in% ...names_compat(...)) {
    kg_abort(
      c(
        "{.fn kernel_kmeans} has no argument {.arg method}.",
        "x" = "It is {.fn kgroups} with {.code method = \"lloyd\"}.",
        "i" = "Call {.fn kgroups} to choose a method."
      ),
      "method"
    )
  }
  fit <- kgroups(x, k, ..., method = "lloyd")
  fit$call <- match.call()
  fit
}

#' Components of a fit
#'
#' The value of [kgroups()], [kernel_kmeans()], [kgroups_1d()] and of fits of graphs: a list of class `kgroups_fit`.
#'
#' With weights \eqn{w_i}{w_i}, \eqn{s_j}{s_j} the weight of cluster \eqn{C_j}{C_j} and
#' \deqn{g(C_i, C_j) = \frac{1}{s_i s_j} \sum_{x \in C_i} \sum_{y \in C_j} w_x w_y \rho(x,
#' y)}{g(C_i, C_j) = sum_{x in C_i, y in C_j} w_x w_y rho(x, y) / (s_i s_j)}
#' the within dispersion is \eqn{W = \sum_j s_j g(C_j, C_j) / 2}{W = sum_j s_j g(C_j,
#' C_j)/2} (equations (13) and (15) of the paper), and \eqn{W + S}{W + S} is the same for every
#' partition. For `rho_power(2)`, W is the within sum of squares of [kmeans()].
#'
#' @return A list of class `c("kgroups_fit", "kgroups")`; fits of graphs and on landmarks have the subclasses
#'   `kgroups_graph_fit` and `kgroups_landmark_fit`.
#'   \item{call}{the call}
#'   \item{cluster}{n integer labels from 1 to k, numbered by first appearance, named by the row
#'     names}
#'   \item{sizes}{number of observations in each cluster, k integers}
#'   \item{within}{within dispersion of each cluster, k numbers}
#'   \item{W, S, total}{within dispersion (15), between statistic (16), and their sum (18)}
#'   \item{count}{number of moves in the best local search}
#'   \item{iterations}{number of its passes}
#'   \item{k}{number of clusters}
#'   \item{weights}{the weights, or `NULL`}
#'   \item{semimetric}{the semimetric with its parameters, `NULL` for a Gram matrix}
#'   \item{method, init}{the method; the kind of start}
#'   \item{converged}{did the best local search end before `iter.max`?}
#'   \item{objectives, best_start}{W attained from every start (named by its kind), and the
#'     start of the result. With `size_term = TRUE` the objective is
#'     \eqn{\Phi}{Phi}}
#'   \item{size_term}{with `size_term = TRUE`, else `NULL`: a list of the effective `dimension`
#'     (`Inf` if it cannot be estimated; then the plain solution is returned) and the
#'     `offset` of each cluster that [predict()] adds to squared distances}
#'   \item{last_fall}{if not converged: the decrease of W in the last pass, else `NULL`}
#'   \item{n, data}{number of observations; the data as given (`NULL` with `keep.data = FALSE` and for [chunks()])}
#'   \item{blueprint}{the preprocessing of points, see [as_points()]; `NULL` for other input}
#'   \item{kept}{internal: what [predict()][predict.kgroups_fit] needs besides the data (`NULL` with
#'     `keep.data = FALSE`)}
#'   \item{approx, W_exact}{of fits on landmarks: a list about the approximation, and the exact W if it was computed}
#'   \item{graph}{of fits of graphs: a list with the modularity}
#'
#'   The names of [kmeans()] that have no counterpart (`centers`, `totss`, `withinss`, `tot.withinss`, `betweenss`,
#'   `size`, `iter`) are an error that names the component to use.
#'
#'   Methods: `print`, `summary`, `fitted`, `predict`, `plot`, `as.data.frame`, `nobs`;
#'   [tidy()][tidy.kgroups_fit], `glance` and `augment`; and if their packages are installed
#'   [autoplot()][plot.kgroups_fit], [cluster::silhouette()][silhouette.kgroups_fit] and those of
#'   [clue][clue-methods].
#' @family fits
#' @examples
#' fit <- kgroups(iris[1:4], 3)
#' c(fit$W, fit$S, fit$total)
#' fit$objectives
#' fit$within / fit$W
#' @name kgroups-fit
NULL

#' How a fit is found
#'
#' What [kgroups()] does between the data and the labels: the two methods, where they start, clusters of unequal sizes,
#' and what it costs.
#'
#' @section Algorithm:
#' Hartigan's method visits the observations in turn and moves each to the cluster that
#' lowers W most, by exact accounting for the change of both means (equation (50)). It ends
#' when no single move lowers W. Lloyd's method assigns all observations to the nearest
#' mean and only then recomputes the means; every end of Hartigan's method is also one of
#' Lloyd's, but not the other way round, so Hartigan's is the default.
#'
#' Naming `init` with `nstart = 1` gives exactly one start and one descent. For a vector or a
#' single column and `rho_power(1)` nothing is left to chance: [kgroups_1d()] gives the exact
#' answer, and `method` in the result says `"exact"`. Rows on a line in several columns, and a `dist` or a Gram matrix of
#' such rows, start from that answer, but for rounding; the start is named `"line"` in `objectives`.
#'
#' @section The search:
#' With `init = NULL` local optima are left by trials: one cluster is split into the two halves
#' that lower W most, another one is dissolved, and Hartigan's method goes on inside these two and
#' up to nine clusters beside them. What a trial gains is exact, and it costs little where clusters
#' are many. The pair that promises most is tried first; a gain is followed by a descent on all
#' observations; after k failures in a row the trials end.
#'
#' Up to 2000 observations there are three greedy k-means++ starts with such trials. The best is
#' improved by swaps on all observations, which find more than further trials where there
#' are no clear clusters: a cluster is dissolved, a new one is centred on an observation
#' far from its mean, and the result of the descent is kept if it is better. Up to
#' 200 swaps are tried (up to 20 k where that is more and n is small); they end when 20 of them have
#' led back to the W that was known, or after 10 k + 20 in a row without gain. Up to 1000 observations (unless `nstart`,
#' the number of starts, is given) they end after 5 k + 10; and where the starts and the swaps have not all led to one W,
#' give or take 1e-7 of it, all of this is done anew, until 6000 / n such searches are
#' made (six at least, twelve at most) or a quarter of that number have led to the least W. More than 20 clusters
#' are searched from 4000/n such starts (times 100/k above 100 clusters; two at least, eight at most; `nstart` if given)
#' by rounds of trials, as described next, as many in all as .7 times 220 or 145000/n, and without swaps. What these
#' have led to is crossed: clusters of two partitions that share more than .15 of the smaller one belong together, a
#' group of them that has as many in both gives way to the other's, or two groups whose numbers make up for each other,
#' and all observations descend; what lowers W is taken over at once, until no other partition has anything better. Then
#' .14 times as many rounds go on from there.
#'
#' From 2001 to 20000 observations and for more than 40 clusters there is one such start on all
#' of them (`nstart` if given), and 1.2 k rounds (at most 120, and fewer above 5000 observations), each of a trial at
#' random that is accepted whatever it costs and a few others after it, undone unless W has fallen.
#' Trials end where they have cost 300 times the pairs of observations, or 1e13 / n pair values.
#'
#' Of points and `rho_power(alpha)`, alpha from 1 to 2, W is near what the spread of clusters tells: one of weight s
#' whose squared distances from its mean add up to v costs about a multiple of s (v/s)^(alpha/2). For
#' alpha = 2 this is W, and k-means. A move costs O(d) there instead of a row of pair values, so swaps of means come
#' first: a cluster is dissolved and another one halved, as long as that promises a lower sum the best of all
#' pairs by what is known to be gained and lost, then of eight at random (four for up to 10 clusters) the one whose halves save most of what
#' dissolving the other costs at first, a fifth at least; points descend, and what has not lowered the
#' sum is undone. With more than 10 clusters the points of the two and of up to five around each descend first, the
#' others only if that has regained half of what was lost; a descent is given up after t sweeps if the last
#' regained less than 1/(10 t) of what is left. Single
#' precision says which points may move, double precision whether they do; of many clusters a point is looked at again
#' only where means have gone so far that it may move now, and all are in the end. Swaps end after 20 k in a row without
#' gain (40 k for more than 10 clusters, at least 100), or where they have cost some number of looks at all points,
#' fewer in more than 60 dimensions.
#'
#' Where clusters are many such searches end in partitions that differ in a few regions, each better in some. So 10 short
#' ones from k-means++ starts (700 / k of them above 70 clusters, four at least), each of
#' a twentieth of the looks or until 8 k swaps in a row have failed, are crossed: clusters of two are paired by their
#' means, mutual nearest first; of those whose means differ by more than .01 of the mean squared distance from the own
#' mean one at random and some nearest to it, k / 5 at most, become what they are in the other partition; points descend
#' as after a swap, and what has not lowered the sum of the first, or has led to what another one is, is undone. For alpha
#' below 2 it is W itself that decides, by the pairs within the clusters that
#' have changed, and the sum may rise by .005 / k of it, unless clusters are so large or uneven that the pairs within them
#' would take a quarter of the time. Crossovers end after 100 in a row without gain (150 in up to 5 dimensions), or where they
#' have cost a number of looks; the best is taken.
#'
#' Above 2000 observations, or for more than 20 clusters or n k above 10000, a `dist` or a Gram matrix is searched as the points
#' it is of, if there are such: if the values, or their squares, are squared Euclidean distances that up to 100
#' coordinates tell. The pivoted Cholesky factor of the inner products about one observation gives these (classical scaling;
#' Gower 1966), which costs O(n d^2). Below that squared distances alone are, of up to 20 coordinates: of a `dist` for
#' `rho_power(2)`, of a Gram matrix or a function of the user's where the values are. A descent on the values that came
#' in ends the search, and W is of these.
#'
#' Up to 2000 observations and for more than 20 clusters a search by swaps of means, from a greedy k-means++ start and
#' with 500 looks, takes the place of one of the starts. From 2001 to 20000 observations and for
#' more than 40 clusters what crossovers of 2100 looks (fewer above 50 clusters or 5000 observations) have led to is the
#' only start, in d = 5 dimensions or fewer of 2000 * max(8.5 / d, 2) looks; if a descent of W from there lowers it by more than 5e-4
#' of it, .9 of the rounds end the search, .35 in up to 5 dimensions, else borders, as described next. For 11 to 40 clusters in up to 20 dimensions there are three
#' starts by swaps of 300 looks. If the three sums agree to 1e-5, in more than three dimensions, a descent of W and borders, as
#' described next, end the search. If not, the best goes on, up to 20 clusters by swaps, and samples are put
#' beside it, as described next; for more it is crossed with 10 others, and followed as for more than 40 clusters, with 12
#' rounds at most, and borders. For `rho_power(2)` and up to 20000 observations, above 2000 or eight a cluster or more
#' on the mean, means are all of the search, for any number of clusters: up to 10
#' clusters five starts (eight for up to 500 observations) of 500 looks, or until 5 k swaps (20 at least) have failed in a row, which are
#' crossed with 1200 looks unless all but one of the sums agree to 1e-5, for more
#' clusters crossovers of 3000 looks (3600 above 2000 observations), times (40 / k)^.3 above 40 clusters; above 2000 observations with
#' `nstart` that many searches of 4000. Borders end it. With `nstart` (but for `rho_power(2)`), weights a million times apart, more than 2e7 coordinates or 2e9 of them times
#' k swaps of means are left out, and where the sum of squares within clusters is below 1e-5 of the total, as single
#' precision does not see into such clusters. `rho_power()` below 1, `rho_exponential()` and `rho_gaussian()` are functions of the
#' distance that rise, and what is close in one is close in the other: from 2001 to 20000 observations and for more than
#' 20 clusters what crossovers by the sum for alpha = 1 have led to, 2100 looks at most, is their only start, and what follows is
#' as for more than 40 clusters, in up to five dimensions with rounds in any case.
#'
#' Else samples of m = `max(500, 20 * k, n^(2/3))` observations come first, two greedy k-means++ starts each: eight
#' of them for fewer than 10 clusters or 5000 observations, else three, and five more if these do not agree.
#' For up to 10 clusters in up to 5 dimensions two partitions by swaps of means, 100 looks each at those
#' 4 m observations that follow, count as two samples more.
#' Descents from what they found are compared on 4 m observations, the same for all. There optima count as equal
#' where the squared distances to the own means differ by little, .15 of what they differ by among observations, and
#' W by no more than .02 / k of it; an optimum that is above the best by two standard errors of the difference is dropped, unless the better ones were
#' found by less than half of the samples. What is left is extended to all observations by the nearest mean, for
#' `rho_power(alpha)`, alpha from 1, in more than five dimensions that of the coordinates, by whose spreads points then move, and
#' finished by descent on all of them. Of the best of these trials are made, as above, that promise a lower W: samples may
#' all miss a cluster of few observations. No more than 256 of a cluster say how it is split, the others what that gains;
#' or a few are cut off, those nearer to the one farthest from the mean than to the mean. After three failures in a row
#' this ends. Then all observations go on together a quarter or half of the way that the
#' descent went, descend again, and the result is kept if it is better; after that borders are moved: between the
#' cluster of an observation at random and that of its second nearest mean, towards it, kept likewise; after 30 in a
#' row without gain this ends. All of that is tried among an eighth of the observations (1000 at least), those whose
#' second nearest mean is little farther than their own, while the others are at rest; what it leads to is finished
#' on all of them.
#'
#' If several optima were left and end more than 1e-5 of W apart, the search goes on. For up to 10 clusters eight
#' more samples at a time are finished, until all but one have led to the least W, give or take 1e-5 of it, or there
#' are 16. For 11 to 20 clusters and up to 10000 observations ten more samples are finished and
#' crossed with what there is, as for small sets; for 11 to
#' 40 clusters in more than 20 dimensions crossovers of means end the search, as above. Then, for up to 20 clusters,
#' swaps follow on all observations, as for small sets: 10 where five samples, and half of them, have led to the least W, until 5 have
#' led back to it, give or take 1e-6, else 60, until 30 have; no more than 4e9 / n^2 in any case. For more clusters there
#' are 20 rounds of trials, which end where they have cost 45 / (d + 4) n^2 pair values of points in d dimensions. In
#' the end borders are moved again, until 40 in a row bring no gain. With `nstart` given so many samples are finished,
#' and no more.
#'
#' Above 20000 observations this search is made on 5000 of them, and its result extended and
#' finished, with trials that promise a lower W as above. Squared distances, `rho_power(2)`, of so many points are not visited pair by pair: the
#' coordinates are explicit features, and a sweep costs O(n k d).
#'
#' Equal rows are searched as one with the weight of all, where no more than nine in ten are distinct (of a `dist` or a Gram
#' matrix up to 2000 observations): a move of weight t changes W by
#' \eqn{t \left(\frac{s_b}{s_b + t} d_b^2 - \frac{s_a}{s_a - t} d_a^2\right)}{t (s_b/(s_b + t) d_b^2 - s_a/(s_a - t) d_a^2)},
#' and what is in brackets falls as t grows, so that the least W never parts them, while one of many equal rows alone has
#' little to gain from a move that pays for all.
#'
#' Where no more than 2000 observations, or half of them, have a weight above 0 the search is that of these alone, and a
#' descent places the others.
#'
#' Sparse matrices have one spectral start, and k-means++ and random starts in turn: 11 in all,
#' three above 50000 observations; up to 20000 observations rounds of trials follow from the best, and
#' up to 2000 swaps.
#'
#' @section Clusters of unequal sizes:
#' W is least for clusters of about equal weight, so one large cluster beside a small one is
#' cut in halves. `size_term = TRUE` minimises instead the profile classification likelihood
#' of clusters with one spherical variance in d dimensions,
#' \deqn{\Phi = \frac{s d}{2} \log W - \sum_l s_l \log \frac{s_l}{s}}{Phi = (s d/2) log W -
#' sum_l s_l log(s_l/s)}
#' by the same moves, every cluster keeping two observations. d is the effective
#' dimension of the clusters of the plain solution in the feature space, the ratio
#' \eqn{(\mathrm{tr}\, C)^2 / \mathrm{tr}\, C^2}{(tr C)^2/tr C^2} of their covariance operators,
#' less 5 %. Descents start from the plain solution and from balls around random
#' observations (`nstart` of them, by default at least 52), and the least
#' \eqn{\Phi}{Phi} is kept. Above 2000 observations the balls are tried on a sample.
#'
#' It works for compact clusters of similar spread with `rho_power(1)`, less well with
#' `rho_power(3/2)` and `rho_gaussian()`. It does not work with `rho_power(1/2)`,
#' `rho_power(2)` or `rho_exponential()` at the default `sigma`, and loses accuracy on heavy-tailed data.
#' Where clusters are about equal it costs one or two hundredths of accuracy; in many
#' dimensions d is large and the plain solution comes back. Figures: `bench/unbalanced.md` in the sources.
#'
#' @section Choosing a method:
#' `kernel_kmeans()` is there for comparison: it solves the same problem, and stops at
#' partitions that single moves still improve. If the semimetric is not of negative type
#' ([is_negative_type()]) Lloyd's method can raise W; it then stops with a warning.
#'
#' @section Complexity:
#' For points in d dimensions one pass over the \eqn{n (n - 1) / 2}{n(n - 1)/2} pairs, shared by
#' descents that run side by side, then \eqn{O(n k)}{O(n k)} a sweep and \eqn{O(n d)}{O(n d)} a move. Memory \eqn{O(n k)}{O(n k)}: pair values are
#' computed when needed and never stored beyond n = 2000. A `dist` object and a Gram matrix
#' are read in place. What the call will need is estimated first; a call that cannot fit
#' is refused.
#'
#' @references
#' Gower JC (1966). "Some Distance Properties of Latent Root and Vector Methods Used in Multivariate Analysis."
#' *Biometrika*, 53(3/4), 325-338. \doi{10.1093/biomet/53.3-4.325}
#'
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Dhillon IS, Guan Y, Kulis B (2007). "Weighted Graph Cuts without Eigenvectors: A
#' Multilevel Approach." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 29(11), 1944-1957. \doi{10.1109/TPAMI.2007.1115}
#'
#' Arthur D, Vassilvitskii S (2007). "k-means++: The Advantages of Careful Seeding."
#' *Proceedings of the 18th Annual ACM-SIAM Symposium on Discrete Algorithms*, 1027-1035.
#' @family clustering
#' @examples
#' # a search, and what its starts reached
#' fit <- kgroups(iris[1:4], 4)
#' fit$objectives
#' # one start at random, one descent
#' kgroups(iris[1:4], 4, init = "random")$W
#' @name kgroups-search
NULL
