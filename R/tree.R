# A tree of clusters: Ward's method in the feature space, on observations or on micro-clusters.

#' A tree of clusters
#'
#' Merges clusters in the order of the smallest increase of W, as Ward's method does in the feature space of
#' the semimetric. The tree has one leaf for each observation, or per micro-cluster, so that its memory stays bounded
#' for any number of observations. W of each cut is computed exactly.
#'
#' @inheritParams energy_statistics
#' @param x The observations, as in [kgroups()]: points, tables with categories and missing cells,
#'   dissimilarities, a Gram matrix or a sparse symmetric matrix. No graphs. For a fit, its observations with its
#'   weights and semimetric, in the metric that `standardize = "within"` learned; other arguments on the data are then
#'   left out. In `plot()`, a tree.
#' @param m The number of leaves. `NULL` (default) is a leaf per observation of positive weight up to 5000 of
#'   them, and 300 micro-clusters above.
#' @param approx `NULL` (default): exact. [nystroem()]: landmark features, for data too large for all pairs.
#' @param contiguous `NULL`, or a connected graph of the rows, as in [kgroups()]: only clusters with a common edge are
#'   merged, so that every cut has contiguous clusters. One leaf for each observation. A merge may increase W less than
#'   the one before; its height is then the same.
#' @return An object of class `c("kgroups_tree", "hclust")` with the components of [stats::hclust()] and
#'   \item{height}{twice the increase of W of each merge, the unit of `ward.D` and of `energy::energy.hclust()`}
#'   \item{W}{the within dispersion of the cuts into 1, 2, ... clusters; with landmarks that of their features}
#'   \item{leaf}{the leaf of every observation}
#'   \item{size}{the number of observations of each leaf}
#'   \item{semimetric, total}{the semimetric and W + S}
#'
#'   `predict()` returns the labels 1 to `k` of all observations, in the order of first appearance. `plot()` and
#'   `autoplot()` draw the last merges, with the number of observations at each end. [stats::as.hclust()] returns a
#'   plain `hclust` for other packages. The methods of `hclust` apply too, such as [stats::cutree()] (labels of leaves,
#'   which may be micro-clusters), [stats::cophenetic()] and [stats::as.dendrogram()]. [`kgroups(x, k, init =
#'   tree)`][kgroups] starts a local search from a cut, and [`select_k(tree)`][select_k] compares all cuts.
#' @section Algorithm:
#' A merge of clusters a and b increases W by \eqn{\frac{s_a s_b}{s_a + s_b} E_{ab} / 2}{s_a s_b/(s_a + s_b)
#' E_ab/2}, E the energy distance. These increases follow the recurrence of Ward's method, so that
#' chains of nearest neighbours build the tree from those of the leaves. Micro-clusters are a local search on a
#' sample of ten observations each; the other observations join the nearest mean.
#'
#' W of a cut is a few per cent above that of [kgroups()], and `kgroups(x, k, init = tree)` lowers it. The cuts need not
#' be those of a tree of all observations: the adjusted Rand index between the two is often .4 to .8.
#' @section Complexity: One pass over the pairs, \eqn{O(n^2 d / 2)}{O(n^2 d/2)}, and \eqn{O(m^2)}{O(m^2)} memory;
#'   with landmarks (`approx`) \eqn{O(n m)}{O(n m)} features and no pass. Set a seed for reproducible
#'   micro-clusters.
#' @references
#' Székely GJ, Rizzo ML (2005). "Hierarchical Clustering via Joint Between-Within Distances: Extending Ward's
#' Minimum Variance Method." *Journal of Classification*, 22, 151-183. \doi{10.1007/s00357-005-0012-9}
#' @family trees
#' @concept dendrogram
#' @concept hierarchical clustering
#' @concept Ward
#' @examples
#' # cities from their distances: the coasts divide first
#' tree <- kgroups_tree(UScitiesD)
#' tree
#' plot(tree)
#' predict(tree, 3)
#'
#' # a tree of states as the start of a fit
#' x <- scale(USArrests)
#' kgroups(x, 3, init = kgroups_tree(x))$sizes
#' @export
kgroups_tree <- function(x, m = NULL, semimetric = rho_power(1), weights = NULL, ..., approx = NULL, contiguous = NULL,
                         threads = getOption("kgroups.threads", 1L)) {
  call <- match.call()
  env <- rlang::current_env()
  check_data(x, env)
  if ("k" %in% ...names_compat(...)) check_no_dots(..., call = env, topic = "kgroups_tree")
  if (igraph::is_igraph(x) || inherits(x, "kgroups_graph_fit")) abort_tree_input("x", "You supplied a graph.", env)
  of_fit <- inherits(x, "kgroups_fit")
  if (!of_fit) {
    observed <- read_data(x, list(weights = weights), ..., context = list(call = env, topic = "kgroups_tree"))
    weights <- observed$weights
    x <- observed$points
  } else if (!missing(semimetric) || !is.null(weights) || ...length() > 0L) {
    abort_input(
      "x", env, "With a fit in `x` its weights and its semimetric are used.",
      "You supplied arguments on the data besides.", "Leave them out, or pass the data."
    )
  }
  control <- selection_control(list(approx = approx, threads = threads), env)
  local_threads(control$threads)
  semimetric <- if (!of_fit) check_selected_semimetric(if (!missing(semimetric)) semimetric, x, env)
  problem <- selection_problem(x, semimetric, weights, control, env)
  if (problem$n < 2L) abort_tree_input("x", "It has fewer than two observations of positive weight.", env)
  edges <- if (!is.null(contiguous)) tree_edges(contiguous, problem, m, approx, env)
  m <- if (is.null(edges)) check_leaves(m, problem$n, env) else problem$n
  leaf <- if (m == problem$n) seq_len(m) else micro_clusters(problem, m)
  leaves <- if (m == problem$n) list(of = problem, W = 0, s = problem$w) else leaf_rises(problem, leaf, m)
  leaves$edges <- edges
  tree <- new_tree(problem, leaf, leaves, call)
  if (!of_fit) inform_known_cuts(observed$x, seq_len(min(m, 12L)), function(k) predict(tree, k))
  tree
}

# The edges between the observations of a connected graph.
tree_edges <- function(contiguous, problem, m, approx, call) {
  if (!is.null(m) || !is.null(approx)) {
    other <- if (is.null(m)) "approx" else "m"
    abort_input(
      "contiguous", call, "`contiguous` cannot be combined with `{other}`.", "You supplied both.",
      "Leave one of them out."
    )
  }
  whole <- problem$whole %||% problem
  edges <- read_edges(check_contiguous(contiguous, "contiguous", call), whole$n, whole$names, call)
  check_parts(edges, whole$n, whole$w, 1L, call)
  if (is.null(problem$rows)) edges else restrict_contiguous(edges, problem$rows, whole$n)
}

# Above so many observations the leaves are micro-clusters, by default so many.
most_leaves <- 5000
few_leaves <- 300

check_leaves <- function(m, n, call) {
  if (is.null(m)) {
    return(if (n <= most_leaves) n else few_leaves)
  }
  check_count(m, "m", 2, n, hint = "Use at most the number of observations of positive weight.", call = call)
}

abort_tree_input <- function(arg, came, call) {
  abort_input(
    arg, call, "`{arg}` must be at least two observations, not a graph.", "{came}",
    if (grepl("graph", came, fixed = TRUE)) {
      "Use `cluster_communities()`, or `as.dist(igraph::distances(graph))` of a connected graph."
    }
  )
}

# ---- leaves and their increases of W ----

# Labels of micro-clusters: a local search on ten observations for each, the others by the nearest mean.
micro_clusters <- function(problem, m) {
  rows <- draw_rows(seq_len(problem$n), 10 * m)
  part <- cache_if_pairs(subset_observations(problem, rows))
  found <- solve_starts(part, new_control(m, iter.max = 3), plusplus_labels(part, m, 1, 1), "kmeans++")
  extend(problem, m, rows, found$cluster)
}

# Rises of W by merging two micro-clusters, as a dist, with W and the weights of the clusters.
leaf_rises <- function(problem, leaf, m) {
  found <- if (has_features(problem)) feature_statistics(problem, leaf, m) else partition(problem, leaf, m)
  s <- found$s
  rise <- outer(s, s) / outer(s, s, "+") * energies_of(found$g) / 2
  list(of = rise[lower.tri(rise)], W = found$W, s = s)
}

# W, g and s of clusters of explicit features, from their means.
feature_statistics <- function(problem, labels, k) {
  n <- problem$n
  w <- problem$w
  width <- width_of_features(problem$store)
  s <- sum_by(w, labels, k)
  sums <- matrix(0, k, width)
  squares <- numeric(k)
  for (rows in strips(n, width)) {
    z <- t(take_features(problem$store$z, n, rows, doubles = TRUE))
    sums <- sums + sum_by(w[rows] * z, labels[rows], k)
    squares <- squares + sum_by(w[rows] * rowSums(z^2), labels[rows], k)
  }
  means <- sums / s
  within <- pmax(squares - s * rowSums(means^2), 0)
  g <- as.matrix(stats::dist(means))^2 + outer(within / s, within / s, "+")
  list(W = sum(within), g = unname(g), s = s)
}

# ---- the object ----

# The components of hclust(): the clusters of a merge are leaves (negative) before merges, each in their order.
merges_of <- function(leaves, call) {
  m <- length(leaves$s)
  if (is.null(leaves$edges)) {
    check_memory(8 * m^2, m, "the tree", hint = "Use fewer leaves, such as `m = 300`.", call = call)
    found <- .Call(ffi_ward, leaves$of, as.numeric(leaves$s), leaves$self)
  } else {
    found <- .Call(ffi_border, leaves$of, unclass(leaves$edges))
    found$height <- cummax(pmax(found$rise, 0))
  }
  by <- order(found$height)
  cluster <- -seq_len(m)
  members <- as.list(seq_len(m))
  merge <- matrix(0L, m - 1L, 2L)
  for (i in seq_len(m - 1L)) {
    a <- found$a[by[i]]
    pair <- c(a, found$b[by[i]])
    if (xor(cluster[pair[1L]] > cluster[pair[2L]], all(cluster[pair] < 0L))) pair <- rev(pair)
    merge[i, ] <- cluster[pair]
    members[[a]] <- unlist(members[pair])
    cluster[a] <- i
  }
  list(
    merge = merge, height = 2 * found$height[by], order = members[[1L]], rise = (found$rise %||% found$height)[by]
  )
}

new_tree <- function(problem, leaf, leaves, call) {
  m <- length(leaves$s)
  merged <- merges_of(c(leaves, list(self = sum(problem$w * abs(kernel_diagonal(problem))))), NULL)
  whole <- if (!is.null(problem$whole)) extend(problem$whole, m, problem$rows, leaf) else leaf
  W <- rev(leaves$W + c(0, cumsum(merged$rise)))
  structure(
    list(
      merge = merged$merge, height = true_units(problem, merged$height), order = merged$order,
      labels = if (m == problem$n) problem$names else paste("micro-cluster", seq_len(m)), method = "ward.D",
      call = call, dist.method = "energy",
      W = true_units(problem, W), leaf = as.integer(whole), size = tabulate(whole, m),
      semimetric = problem$semimetric %||% problem$shown_semimetric, total = true_units(problem, W[1L]),
      names = problem$whole$names %||% problem$names, given = is.null(problem$blueprint)
    ),
    class = c("kgroups_tree", "kgroups_result", "hclust")
  )
}

# ---- methods ----

#' @rdname kgroups_tree
#' @param object A tree.
#' @param k The number of clusters, from 1 to the number of leaves. In `plot()` the branches are coloured at this cut;
#'   by default that of the largest elbow ratio of W among 2 to 8.
#' @param horizontal In `plot()`: lay the tree down? Default: above 30 ends.
#' @param labels In `plot()`: names or counts at the ends?
#' @export
predict.kgroups_tree <- function(object, k, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "kgroups_tree")
  check_given(k, "k", env)
  if (length(dim(k)) == 2L) {
    abort_argument(
      k, "k", "be a number of clusters: a tree has no clusters of new rows.",
      "A fit has them: `predict(kgroups(x, k), newdata)`.", call = env
    )
  }
  k <- check_count(k, "k", 1, length(object$W), hint = "Use at most the number of leaves.", call = env)
  labels <- unname(stats::cutree(plain_hclust(object), k))[object$leaf]
  stats::setNames(match(labels, unique(labels)), object$names)
}

#' @rdname kgroups_tree
#' @export
as.hclust.kgroups_tree <- function(x, ...) {
  plain_hclust(x)
}

plain_hclust <- function(tree) structure(
  unclass(tree)[c("merge", "height", "order", "labels", "method", "call", "dist.method")], class = "hclust"
)

#' @rdname kgroups_tree
#' @param top The number of clusters at the ends of the plot; `Inf` plots all leaves. Default: all if there are at most
#'   60, else 30.
#' @param ... In `kgroups_tree()`, `column_weights`, `standardize` and `missing`, see [as_points()].
#' @export
as_figure.kgroups_tree <- function(x, top = NULL, k = NULL, horizontal = NULL, labels = TRUE, ...) {
  call <- rlang::caller_env()
  top <- top %||% if (length(x$W) <= 60L) Inf else 30
  if (!identical(top, Inf)) top <- check_count(top, "top", 2, call = call)
  shown <- if (top < length(x$W)) top_of_tree(x, top) else plain_hclust(x)
  ends <- length(shown$order)
  if (!is.null(k)) k <- check_count(k, "k", 1, ends, hint = "Use at most `top`.", call = call)
  horizontal <- check_flag(horizontal %||% (ends > 30L), "horizontal", call = call)
  tree_figure(x, shown, k %||% elbow_of_tree(x, ends), horizontal, check_flag(labels, "labels", call = call))
}

# The number of clusters with the largest elbow ratio of W, from 2 to 8.
elbow_of_tree <- function(tree, ends) {
  falls <- -diff(tree$W)
  ks <- seq_len(max(0L, min(8L, ends - 1L, length(falls) - 1L)))[-1L]
  if (length(ks) == 0L) 1L else ks[which.max(falls[ks - 1L] / pmax(falls[ks], 1e-12 * falls[1L], .Machine$double.xmin))]
}

tree_figure <- function(tree, shown, k, horizontal, labels) {
  ends <- length(shown$order)
  cut <- stats::cutree(shown, k)
  cluster <- match(cut, unique(cut[shown$order]))
  lines <- tree_segments(shown, cluster = cluster)
  lines[c("y", "yend")] <- lines[c("y", "yend")] / 2
  joined <- lines$cluster == 0L
  lines$group <- as_cluster(ifelse(joined, 1L, lines$cluster), k)
  sized <- ends < length(tree$W) || any(tree$size > 1L)
  if (ends == length(tree$W)) {
    shown$labels <- if (sized) as.character(tree$size) else shown$labels %||% as.character(seq_len(ends))
  }
  names <- brief_names(shown$labels[shown$order])
  leaves <- named_axis(
    names, if (sized && !horizontal) "observations at each end" else "", down = horizontal,
    upright = !horizontal && (!sized || sum(nchar(names)) > 60L)
  )
  if (!labels) leaves <- new_axis("", leaves$limits, breaks = numeric())
  height <- new_axis("Increase of W")
  if (horizontal) {
    lines[c("x", "y", "xend", "yend")] <- lines[c("y", "x", "yend", "xend")]
    for (column in c("y", "yend")) lines[[column]] <- ends + 1 - lines[[column]]
  }
  columns <- c("x", "y", "xend", "yend")
  new_figure(
    if (k == 1L) "Tree of clusters" else sprintf("Tree of clusters, cut into %d", k),
    list(
      new_layer("segment", lines[joined, columns], colour = "grey30"),
      new_layer("segment", lines[!joined, c(columns, "group")], lwd = 1.5)
    ),
    subtitle = if (labels && sized && horizontal) "numbers of observations at the ends",
    groups = cluster_groups(k), x = if (horizontal) height else leaves, y = if (horizontal) leaves else height
  )
}

# Two vertical segments and a horizontal one for each merge of an hclust, whose leaves stand at the height `base`.
# `cluster` of the leaves: that of the merge, 0 if it joins several.
tree_segments <- function(tree, base = 0, cluster = rep(1L, length(tree$order))) {
  leaves <- length(tree$order)
  place <- order(tree$order) # of leaves; those of merges follow
  height <- c(rep(base, leaves), tree$height)
  segments <- lapply(seq_along(tree$height), function(i) {
    below <- ifelse(tree$merge[i, ] < 0, -tree$merge[i, ], leaves + tree$merge[i, ])
    at <- place[below]
    top <- tree$height[i]
    place <<- c(place, mean(at))
    both <- cluster[below]
    own <- if (isTRUE(both[1L] == both[2L])) both[1L] else 0L
    cluster <<- c(cluster, own)
    data.frame(
      x = c(at, at[1L]), y = c(height[below], top), xend = c(at, at[2L]), yend = top,
      cluster = own
    )
  })
  do.call(rbind, segments)
}

# The tree of the last `top` clusters, labelled by their numbers of observations.
top_of_tree <- function(tree, top) {
  at <- length(tree$W) - top
  cluster <- stats::cutree(plain_hclust(tree), top)
  # the cluster of each merge that is not shown, by any of its leaves
  inside <- integer(at)
  for (i in seq_len(at)) {
    one <- tree$merge[i, 1L]
    inside[i] <- if (one < 0) cluster[-one] else inside[one]
  }
  shown <- at + seq_len(top - 1L)
  old <- tree$merge[shown, , drop = FALSE]
  merge <- old - at
  merge[old < 0] <- -cluster[-old[old < 0]]
  merge[old > 0 & old <= at] <- -inside[old[old > 0 & old <= at]]
  tree[c("merge", "height", "order")] <- list(merge, tree$height[shown], unique(cluster[tree$order]))
  tree$labels <- as.character(sum_by(tree$size, cluster, top))
  plain_hclust(tree)
}

#' @export
print.kgroups_tree <- function(x, ...) {
  m <- length(x$W)
  n <- length(x$leaf)
  cat(
    "Tree of ", n, " observations", if (m < n) paste0(" in ", m, " micro-clusters"), "\n",
    "Semimetric: ", semimetric_text(x), "\n",
    sep = ""
  )
  ks <- seq_len(min(8L, m))
  print(data.frame(k = ks, W = signif(x$W[ks], 5)), row.names = FALSE)
  invisible(x)
}
