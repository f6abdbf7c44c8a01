# rho_connected(): a base semimetric plus a term for the gaps of the minimum spanning tree.
# Parameters that depend on the data are set by connect_problem(). Its store adds the gaps between branches to the values
# of the base: rho(x, y) = base(x, y) + H[branch(x), branch(y)], H an ultrametric in the units of the base.

#' How rho_connected() finds branches and its metric
#'
#' All steps from the data to the gaps of [rho_connected()].
#'
#' @section Algorithm:
#' A whole weight counts observations: a weight of 2 equals two rows. Other weights have no unit: they are multiplied so
#' that their sum is the number of observations of positive weight. Let \eqn{N}{N} be the sum. Equal observations are
#' one of summed weight. An observation of weight 0 is left out and gets the branch of its nearest neighbour.
#'
#' 1. The *core* of an observation is the least \eqn{r}{r} such that the observations within the distance \eqn{r}{r},
#'    itself included, weigh at least `neighbours`; the largest distance if there is none. The *height* of a pair is the
#'    largest of its distance and the two cores (mutual reachability), 0 for equal observations. The tree is the minimum
#'    spanning tree of the heights; ties are broken by the distance.
#' 2. The *threshold* \eqn{q}{q} is the quantile `level` of the cores, by weight.
#' 3. *Branches*: edges are added in the order of increasing height. A part is *heavy* if it weighs at least `least`. If
#'    heavy parts meet at height \eqn{h}{h}, all pairs of their branches get
#'    \eqn{v = \max(h - q, 0)}{v = max(h - q, 0)}. A light part takes the branch to which it is joined. Light parts that
#'    are heavy together are a new branch. Branches with \eqn{v = 0}{v = 0} between them are one.
#' 4. *Small groups far from the rest*: a light part of weight at least 3, and at least `neighbours`, can stay a branch.
#'    The height at which it meets heavy parts must be at least `apart` times the threshold and every height within it
#'    and within their branches. Its weight \eqn{u}{u} is small, so its gaps are at least
#'    \eqn{v = (h - q) m / u}{v = (h - q) m/u}, with \eqn{m}{m} for `least`.
#' 5. \eqn{B}{B} is the mean of the base over all pairs, \eqn{U}{U} that of the heights at which pairs meet in the tree,
#'    \eqn{c}{c} the `strength`.
#'
#' Distances that agree to nine digits are equal. A light part that is joined to several branches alike takes the
#' heaviest; if these weigh the same, it is a branch of its own. So the order of the rows does not matter. The distance
#' of the tree is the Euclidean one for points, whatever the base, the value itself for a `dist` and for
#' `rho_function()`, and \eqn{\sqrt{G_{ii} + G_{jj} - 2 G_{ij}}}{sqrt(G_ii + G_jj - 2 G_ij)} for a Gram matrix.
#'
#' @section Metric of the neighbours:
#' With `metric = "auto"` the base and the tree are those of coordinates in which the directions from an observation to
#' its neighbours are uniform. The neighbours of an observation lie within the least distance that contains a tenth of
#' the weight (a twenty-fifth if d > n/20) and at least 10 observations. M is the mean of \eqn{u u'}{uu'} over the
#' directions u between neighbours. It is found in its own metric \eqn{(x - y)' M^{-1} (x - y)}{(x - y)' M^-1 (x - y)}
#' with \eqn{|M| = 1}{|M| = 1}, in columns of standard deviation 1, and shrunk towards its diagonal by
#' \eqn{2 d/n}{2d/n}. Observations closer than a millionth of that distance have no direction.
#'
#' The given metric is kept
#' * if the directions in it are uniform up to their sampling error (level 0.01, with the variance of a U statistic). So
#'   the result depends on the units of the columns: scale columns of different units first, by `standardize = TRUE`;
#' * if they are so among neighbours on one side of the mean of the first eigenvector of M (level 0.05): groups that
#'   overlap have neighbours in the direction that separates them;
#' * if the tree has gaps in the given metric and none in the other, as for spirals among columns of small noise;
#' * for a `dist`, a Gram matrix, [rho_metric()] but the Euclidean one, categories, more than 100 columns, and fewer
#'   than 40 observations.
#'
#' Above 600 observations M comes from 600 spaced ones. It does not depend on k, so W can be compared over k. The fit
#' keeps it for new observations.
#' @references
#' Art D, Gnanadesikan R, Kettenring JR (1982). "Data-based metrics for cluster analysis." *Utilitas Mathematica*, 21A,
#' 75-99.
#' @family semimetrics
#' @name rho_connected-algorithm
NULL

#' Semimetric with the gaps between connected groups
#'
#' A plain distance cuts rings, moons, bands and other groups that are connected but not compact into pieces.
#' `rho_connected()` adds a term from the minimum spanning tree of the data to a base semimetric:
#' \deqn{\rho(x, y) = \frac{b(x, y)}{B} + c\,\frac{v(x, y)}{U}}{ rho(x, y) = b(x, y)/B + c v(x, y)/U} with \eqn{b}{b}
#' the base and \eqn{v}{v} the height of the highest gap between the branches of the tree in which x and y lie, 0 within
#' a branch. If the tree has no gap, \eqn{\rho}{rho} is the base itself, in the metric in use.
#'
#' @section Algorithm:
#' The *core* of an observation is the distance in which `neighbours` observations lie, itself included. The *height* of
#' a pair is the largest of its distance and the two cores, as in HDBSCAN. The *threshold* is the quantile `level` of
#' the cores. Edges of the minimum spanning tree of the heights are added in increasing order. If two parts of weight at
#' least `least` meet above the threshold, they are *branches*, and the excess of the height is the *gap* v between
#' them. [rho_connected-algorithm] gives all steps, with weights, small groups and the metric of the neighbours.
#'
#' \eqn{v}{v} is an ultrametric, so \eqn{\rho}{rho} is of negative type if the base is. A new observation takes the
#' branch of the nearest observation of the data, the first of equal ones.
#'
#' @section Choosing the arguments:
#' The default finds gaps between shapes, also with some noise and in many dimensions. It is worse than its base if
#' clouds overlap, if noise bridges the gaps, and for groups that weigh less than `least`, unless they are compact and
#' distant. `level = 0.9` is cautious: it loses less where clouds overlap and finds less in noise. Smaller `least` and
#' `neighbours` act in the other direction (`bench/connected-settings.md` of the sources).
#'
#' One cluster in the plane often has gaps, a thin ring of three times the threshold. The print of a fit reports the
#' largest in this unit; `plot(fit, type = "gaps")` draws all.
#'
#' @param base The semimetric to which the gaps are added; `rho_power(1)` by default. A Gram
#'   matrix brings its own.
#' @param strength The factor \eqn{c}{c}, a number of at least 0.
#' @param neighbours The weight within a core, a number above 0.
#' @param level Quantile of the cores below which nothing is a gap, from 0 to 1; 0.9 is the cautious
#'   setting.
#' @param least The least weight of a branch, a number above 0. `NULL`: the larger of 3 and
#'   \eqn{\sqrt N}{sqrt(N)}. It does not depend on the number of clusters, so that W can be
#'   compared over several.
#' @param apart A small group is a branch if its gap is at least so many times all heights around it. A number of at
#'   least 1; `Inf`: never.
#' @param metric `"auto"` (default): the metric of the neighbours where it differs from the given one, see below;
#'   `"given"`: the coordinates as they are.
#' @param ... Not used: an unknown argument is an error.
#' @return An object of class `kgroups_semimetric`. In a fit, its component `found` is a list of `branches`, their
#'   number; `branch`, that of each observation; `gap`, the matrix of \eqn{v}{v} between branches; `weight` of each;
#'   `threshold`; `cores`; `heights` of the tree in order; `merges`, a data frame of the merges of branches with the
#'   `height`, the branches `a` and `b`, and the weights `weight_a` and `weight_b` of both sides; `mean_base` and
#'   `mean_height`; `scatter`, the matrix M in the metric of the neighbours, in the units of the columns, else `NULL`.
#' @section Complexity: For points the tree takes \eqn{O(n^2 d)}{O(n^2 d)} time at most, far less
#'   in few dimensions; for a `dist` and a Gram matrix \eqn{O(n^2)}{O(n^2)}; \eqn{O(n d)}{O(n d)} memory
#'   beside the data. The fit after it costs as much as that of the base.
#'   The metric of the neighbours adds some 0.1 seconds, and a second tree where the first has no gap.
#' @references
#' Campello RJGB, Moulavi D, Sander J (2013). "Density-Based Clustering Based on Hierarchical
#' Density Estimates." *Advances in Knowledge Discovery and Data Mining*, 160-172.
#' \doi{10.1007/978-3-642-37456-2_14}
#'
#' Gagolewski M, Bartoszuk M, Cena A (2016). "Genie: A new, fast, and outlier-resistant
#' hierarchical clustering algorithm." *Information Sciences*, 363, 8-23.
#' \doi{10.1016/j.ins.2016.05.003}
#' @family semimetrics
#' @seealso [semimetrics] for the base, `vignette("shapes", "kgroups")`.
#' @examples
#' # two rings, one within the other: recovered, with an adjusted Rand index of 1
#' angle <- seq(0, 2 * pi, length.out = 121)[-1]
#' rings <- rbind(cbind(cos(angle), sin(angle)), 3 * cbind(cos(angle), sin(angle)))
#' fit <- kgroups(rings, 2, semimetric = rho_connected())
#' fit
#' compare_clusters(rep(1:2, each = 120), fit$cluster)
#'
#' # the Euclidean distance cuts both
#' compare_clusters(rep(1:2, each = 120), kgroups(rings, 2)$cluster)
#'
#' # new points beside the inner and the outer ring
#' predict(fit, rbind(c(0, 1.1), c(0, 2.9)))
#' @export
rho_connected <- function(base = rho_power(1), strength = 8, neighbours = 3, level = 0.85, least = NULL,
                          apart = 3, metric = c("auto", "given"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "rho_connected")
  base <- check_base(base)
  out <- new_semimetric("connected", NULL, paste(base$label, "and the gaps of the spanning tree"))
  out$base <- base
  out$strength <- check_number(strength, "strength", 0)
  out$neighbours <- check_number(neighbours, "neighbours", 0, open = c(TRUE, FALSE))
  out$level <- check_number(level, "level", 0, 1)
  out["least"] <- list(if (!is.null(least)) check_number(least, "least", 0, open = c(TRUE, FALSE)))
  out$apart <- if (identical(apart, Inf)) Inf else check_number(apart, "apart", 1)
  out$space <- check_choice(metric, "metric", c("auto", "given"))
  class(out) <- c("kgroups_rho_connected", class(out))
  out
}

check_base <- function(base, call = rlang::caller_env()) {
  if (inherits(base, "kgroups_semimetric") && !is_connected(base)) {
    return(base)
  }
  abort_argument(
    base, "base", "be a semimetric that is not connected itself.",
    "Use `rho_power(1)` or another of those on `?semimetrics`.", "semimetric", call
  )
}

# The least weight of a branch, of N in all.
least_branch <- function(semimetric, N) semimetric$least %||% max(3, sqrt(N))

#' @export
format.kgroups_rho_connected <- function(x, ...) {
  base <- if (is.null(x$base)) "that of the Gram matrix" else format(x$base)
  if (!is.null(x$base$transform)) base <- paste(base, "in the metric of the neighbours")
  if (is.null(x$found)) {
    return(paste0(
      base, " and the gaps of the spanning tree, strength ", format(x$strength), ", level ", format(x$level),
      ", metric ", x$space
    ))
  }
  if (x$found$branches == 1L) {
    return(paste0(base, " alone: the spanning tree has no gaps"))
  }
  paste0(base, " and the gaps of the spanning tree: ", gaps_text(x$found))
}

gaps_text <- function(found) {
  largest <- max(found$merges$height)
  times <- largest / found$threshold
  size <- if (is.finite(times) && times < 1e6) {
    paste(format(times, digits = 2), "times the threshold")
  } else {
    paste("at", format(largest, digits = 3))
  }
  paste0(found$branches, " branches, largest gap ", size)
}

new_connected_store <- function(base, branch, H) {
  structure(list(base = base, branch = as.integer(branch), H = H, n = base$n), class = "kgroups_connected")
}

# ---- gaps ----

# The problem of a base with the gaps of its data. `problem` is that of the base.
connect_problem <- function(problem, semimetric, call = rlang::caller_env()) {
  store <- problem$store
  if (!has_tree(store)) {
    abort_input(
      "semimetric", call, "`rho_connected()` needs points, dissimilarities or a dense Gram matrix.",
      "You supplied a sparse one.", "Pass `as_gram(as.matrix(x))` if it fits into memory."
    )
  }
  w <- problem$w
  N <- sum(w)
  # whole weights are numbers of rows; others count as rows together
  rows <- row_count(w * problem$w_unit)
  weights <- c(semimetric$neighbours, least_branch(semimetric, rows), max(3, semimetric$neighbours)) * (N / rows)
  rule <- c(weights, semimetric$level, semimetric$apart)
  gaps <- .Call(ffi_connected, list(store = store, w = w), rule)
  if (is.null(gaps$H)) {
    abort_input(
      "least", call, "`least` is too small: there are more than 4096 branches.",
      "It is {format(least_branch(semimetric, rows))}.", "Leave it out, or raise it."
    )
  }
  mean_base <- -2 * gaps$sum / N^2
  mean_height <- gaps$height_sum / (N^2 / 2)
  connected <- mean_height > 0 && nrow(gaps$H) > 1L
  if (connected && !(mean_base > 0)) {
    abort_input(
      "base", call, "The mean of the base must be positive.", "On these data it is {format(mean_base * problem$unit)}.",
      "Use another `base`, for example `rho_power(1)`."
    )
  }
  semimetric["base"] <- list(problem$semimetric)
  semimetric$found <- gaps_found(problem, gaps, mean_base, mean_height)
  problem$semimetric <- semimetric
  if (connected) {
    H <- semimetric$strength * mean_base / mean_height * gaps$H
    problem$store <- new_connected_store(store, gaps$branch, H)
    problem$base_unit <- problem$unit
    problem$unit <- 1 / mean_base
  }
  problem
}

# The problem without its gaps.
base_problem <- function(problem) {
  problem["semimetric"] <- list(base_semimetric(problem$semimetric))
  if (inherits(problem$store, "kgroups_connected")) {
    problem$store <- problem$store$base
    problem$unit <- problem$base_unit
  }
  problem
}

# In the units of the user: heights are distances.
gaps_found <- function(problem, gaps, mean_base, mean_height) {
  unit <- if (store_kernel(problem$store)) sqrt(problem$unit) else 2^problem$exponent
  merges <- data.frame(
    height = unit * (gaps$threshold + gaps$merges[, 1L]),
    a = as.integer(gaps$merges[, 2L]), b = as.integer(gaps$merges[, 3L]),
    weight_a = problem$w_unit * gaps$merges[, 4L], weight_b = problem$w_unit * gaps$merges[, 5L]
  )
  list(
    branches = nrow(gaps$H), branch = stats::setNames(gaps$branch, problem$names), gap = unit * gaps$H,
    weight = problem$w_unit * sum_by(problem$w, gaps$branch, nrow(gaps$H)),
    threshold = unit * gaps$threshold, cores = unit * gaps$core, heights = unit * gaps$heights,
    merges = merges, mean_base = problem$unit * mean_base, mean_height = unit * mean_height,
    scatter = metric_scatter(problem)
  )
}

# The scatter M, of determinant 1, of the metric (x - y)' M^-1 (x - y), in the units of the columns; NULL: the given
# one.
metric_scatter <- function(problem) {
  T <- problem$semimetric$transform
  if (is.null(T)) {
    return(NULL)
  }
  names <- colnames(problem$points)
  size <- apply(abs(T), 1L, max) # units may differ by many orders
  inverse <- solve(T / size) / rep(size, each = ncol(T))
  structure(crossprod(inverse), dimnames = if (!is.null(names)) list(names, names))
}

# Is there a spanning tree for a store of this kind?
has_tree <- function(store) inherits(store, c("kgroups_points", "kgroups_packed", "kgroups_dense"))

abort_connected_landmarks <- function(semimetric, call) {
  if (!is_connected(semimetric)) {
    return(invisible())
  }
  abort_input(
    "approx", call, "`rho_connected()` cannot be had from landmarks or blocks.",
    "Its spanning tree needs all pairs of observations.",
    c(
      "Leave `approx` out: the tree takes no more memory than the data.",
      "Or fit a sample of some 4000 or more, and `predict()` the rest."
    )
  )
}

# ---- distances of a store ----

# Row numbers of the nearest observations of positive weight, the first of equal ones, to new
# ones that read_new() returned.
store_nearest <- function(store, problem, new) UseMethod("store_nearest")

#' @export
store_nearest.kgroups_points <- function(store, problem, new) .Call(ffi_nearest, problem, new$points)

#' @export
store_nearest.kgroups_packed <- function(store, problem, new) nearest_column(new$values, problem$w)

#' @export
store_nearest.kgroups_dense <- function(store, problem, new) {
  nearest_column(rep(store$half, each = nrow(new$values)) - new$values, problem$w)
}

nearest_column <- function(d, w) {
  on <- which(w > 0)
  on[max.col(-d[, on, drop = FALSE], ties.method = "first")]
}

# ---- the store ----

# T[b, l] = -1/2 sum over branches a of H[b, a] times the weight of branch a in cluster l: what R
# gains.
branch_sums <- function(store, values) {
  -0.5 * store$H %*% sum_by(as.matrix(values), store$branch, nrow(store$H))
}

#' @export
store_subset.kgroups_connected <- function(store, rows) {
  new_connected_store(store_subset(store$base, rows), store$branch[rows], store$H)
}

#' @export
store_values.kgroups_connected <- function(store) {
  store_values(store$base) - 0.5 * store$H[store$branch, store$branch, drop = FALSE]
}

#' @export
store_rho.kgroups_connected <- function(store, i, j) {
  store_rho(store$base, i, j) + store$H[cbind(store$branch[i], store$branch[j])]
}

#' @export
store_product.kgroups_connected <- function(store, v) {
  store_product(store$base, v) + branch_sums(store, v)[store$branch, 1L]
}

#' @export
read_new.kgroups_connected <- function(store, of, y, diag, type, call) {
  read_new(store$base, base_problem(of), y, diag, type, call)
}

#' @export
store_cross.kgroups_connected <- function(store, problem, new, cluster, k) {
  problem <- base_problem(problem)
  out <- store_cross(store$base, problem, new, cluster, k)
  branch <- store$branch[store_nearest(store$base, problem, new)]
  T <- branch_sums(store, weighted_indicator(problem, cluster, k))
  out$R <- out$R + T[branch, , drop = FALSE]
  out
}

#' @export
store_starts.kgroups_connected <- function(store) store_starts(store$base)

#' @export
store_kernel.kgroups_connected <- function(store) store_kernel(store$base)

#' @export
store_cost.kgroups_connected <- function(store) store_cost(store$base)

#' @export
store_work.kgroups_connected <- function(store) store_work(store$base)

#' @export
store_detach.kgroups_connected <- function(store) {
  store$base <- store_detach(store$base)
  store
}

#' @export
store_attach.kgroups_connected <- function(store, source) {
  store$base <- store_attach(store$base, source)
  store
}
