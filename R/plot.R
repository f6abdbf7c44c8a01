#' Plot a fit
#'
#' `plot()` draws by base graphics, `autoplot()` the same figure with \pkg{ggplot2}, to which layers, scales and themes
#' can be added.
#'
#' @param x,object A fit from [kgroups()] or [kernel_kmeans()].
#' @param type What to show:
#'   * `"coordinates"` (default): the observations in the plane, a colour and a shape per cluster, the
#'     medoids marked by crosses with the number of the cluster. The plane is that of the two columns of
#'     two-column data, else of the first two principal coordinates of the semimetric (classical scaling).
#'     One-column data are shown against their cluster. Graphs are shown in a layout chosen by \pkg{igraph};
#'   * `"silhouette"`: the silhouette widths by cluster, in decreasing order, and their weighted mean;
#'   * `"objective"`: W attained from every start (\eqn{\Phi}{Phi} with `size_term = TRUE`), and the
#'     result as a line;
#'   * `"dispersion"`: the mean semimetric of pairs within and between clusters, the matrix g
#'     of equation (13), as a heat map;
#'   * `"gaps"`, of a fit under [rho_connected()]: the heights of the spanning tree in decreasing
#'     order, with the threshold, and the tree of the branches, each with its weight and the
#'     colour of the cluster that has most of it.
#' @param hulls Draw the convex hull of each cluster? Default `TRUE`.
#' @param ... In `plot()`, passed to [plot.default()], which makes the frame. `col` and `pch` with one value per
#'   cluster set the colours and shapes of the clusters; otherwise `col`, `pch` and `cex` apply to the points. In
#'   `autoplot()` not used: an unknown argument is an error (`kg_error_dots`).
#' @return `plot()` returns `x`, invisibly; `autoplot()` a `ggplot` object.
#' @details Colours are those of Okabe and Ito, which most readers can distinguish; above eight clusters they
#' recur with other shapes. Labels of principal coordinates contain their share of the dispersion.
#'
#' Above 2000 observations about 2000 are drawn, from every cluster in proportion: the same each time, without a
#' random number of the user's stream. Above 10000 medoids are omitted.
#' @section Complexity: Coordinates: the pairwise dissimilarities of at most 2000 observations, and for the medoids
#'   one pass over the pairs, \eqn{O(n^2 d)}{O(n^2 d)} time and \eqn{O(n k)}{O(n k)} memory, which
#'   silhouettes and dispersions need too.
#'
#' A fit made with `keep.data = FALSE` has the plots `"objective"` and `"gaps"` only, a graph no silhouettes and
#' dispersions: its matrix has no distances.
#' @family fits
#' @examples
#' fit <- kgroups(iris[1:4], 3)
#' plot(fit)
#' plot(fit, type = "silhouette", col = c("grey40", "orange", "purple"))
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' ggplot2::autoplot(fit, type = "dispersion") + ggplot2::theme_minimal()
#' @export
plot.kgroups_fit <- function(x, type = c("coordinates", "silhouette", "objective", "dispersion", "gaps"),
                             hulls = TRUE, ...) {
  draw_figure(fit_figure(x, type, hulls), list(...))
  invisible(x)
}

#' @rdname plot.kgroups_fit
#' @method autoplot kgroups_fit
#' @rawNamespace S3method(ggplot2::autoplot,kgroups_fit)
autoplot.kgroups_fit <- function(object, type = c("coordinates", "silhouette", "objective", "dispersion", "gaps"),
                                 hulls = TRUE, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_fit")
  ggplot_figure(fit_figure(object, type, hulls))
}

plot_types <- c("coordinates", "silhouette", "objective", "dispersion", "gaps")

# Check that the fit supports the plot, and return its figure.
fit_figure <- function(fit, type, hulls = TRUE, call = rlang::caller_env()) {
  type <- check_choice(type, "type", plot_types, call = call)
  hulls <- check_flag(hulls, "hulls", call = call)
  if (type == "silhouette") check_distances(fit, "silhouette widths", call)
  if (type == "dispersion") check_distances(fit, "mean semimetric values", call)
  if (!type %in% c("objective", "gaps")) kept_problem(fit, call)
  switch(type,
    coordinates = coordinates_figure(fit, hulls),
    silhouette = silhouette_figure(fit, call),
    objective = objective_figure(fit),
    dispersion = dispersion_figure(fit),
    gaps = gaps_figure(fit, call)
  )
}

# ---- coordinates ----

coordinates_figure <- function(fit, hulls) UseMethod("coordinates_figure")

#' @export
coordinates_figure.kgroups_fit <- function(fit, hulls) {
  shown <- shown_points(fit)
  whole <- data.frame(x = shown$x, y = shown$y, group = as_cluster(shown$cluster, fit$k))
  frame <- whole[!shown$noise, ]
  new_figure(
    fit_title(fit),
    list(
      if (hulls && shown$plane) new_layer("polygon", hull_corners(frame), alpha = 0.1),
      new_layer("point", frame, size = if (nrow(frame) > 500L) 0.6 else 0.9, key = TRUE),
      new_layer("point", whole[shown$noise, c("x", "y")], shape = 3L, size = 0.8, colour = "grey50"),
      new_layer("point", whole[shown$medoids, c("x", "y")], shape = 4L, size = 1.9, lwd = 3, colour = "black"),
      if (shown$plane) number_layer(whole, shown$medoids)
    ),
    subtitle = sizes_line(fit), groups = cluster_groups(fit$k), equal = shown$isometric, x = new_axis(shown$labels[1L]),
    y = if (shown$plane) new_axis(shown$labels[2L]) else named_axis(seq_len(fit$k), "cluster")
  )
}

#' @export
coordinates_figure.kgroups_graph_fit <- function(fit, hulls) {
  shown <- shown_vertices(fit)
  frame <- data.frame(x = shown$x, y = shown$y, group = as_cluster(shown$cluster, fit$k))
  few <- nrow(frame) <= 80L
  below <- data.frame(x = frame$x, y = frame$y - 0.045 * diff(range(frame$y)), label = shown$names)
  # coordinates of a layout have no unit
  bare <- new_axis(breaks = numeric())
  new_figure(
    sprintf("%d group%s, modularity %s", fit$k, plural(fit$k), format(fit$graph$modularity, digits = 3)),
    list(
      new_layer("segment", shown$edges, colour = "grey75", lwd = if (few) 1 else 0.4),
      if (hulls) new_layer("polygon", hull_corners(frame), alpha = 0.1),
      new_layer("point", frame, size = if (few) 1.6 else 0.8, key = TRUE),
      if (few) new_layer("text", below, colour = "grey15", size = 0.7) else number_layer(frame, shown$medoids)
    ),
    subtitle = sizes_line(fit), groups = cluster_groups(fit$k), equal = TRUE, x = bare, y = bare,
    legend = few && fit$k <= 8L
  )
}

fit_title <- function(fit) {
  share <- fit$S / fit$total
  if (fit$k == 1L) {
    sprintf("One cluster of %d observations", fit$n)
  } else if (isTRUE(share >= 0 && share <= 1)) {
    sprintf("%d clusters, between them %s of the dispersion", fit$k, percent(share))
  } else {
    sprintf("%d clusters, W = %s", fit$k, format(fit$W, digits = 6))
  }
}

is_noise <- function(fit) unname(fit$noise) %||% logical(fit$n)

sizes_line <- function(fit) {
  if (fit$k > 12L) {
    return(sprintf("%d observations, clusters of %d to %d", fit$n, min(fit$sizes), max(fit$sizes)))
  }
  noise <- sum(is_noise(fit))
  paste0("sizes ", paste(fit$sizes, collapse = ", "), if (noise > 0) sprintf("; %d noise (+)", noise))
}

# The number of each cluster beside its medoid, or at the median of its rows.
number_layer <- function(frame, medoids) {
  if (length(medoids)) {
    at <- frame[medoids, ]
    numbers <- data.frame(x = at$x + 0.05 * diff(range(frame$x)), y = at$y, label = as.character(at$group))
  } else {
    parts <- split(frame, frame$group, drop = TRUE)
    middle <- function(column) vapply(parts, function(part) stats::median(part[[column]]), 0, USE.NAMES = FALSE)
    numbers <- data.frame(x = middle("x"), y = middle("y"), label = names(parts))
  }
  new_layer("text", numbers, colour = "black", face = "bold", ground = TRUE)
}

hull_corners <- function(frame) {
  corners <- lapply(split(frame, frame$group, drop = TRUE), function(part) part[grDevices::chull(part$x, part$y), ])
  do.call(rbind, unname(corners))
}

# Return about `most` rows to draw, the same each time: evenly spaced rows of every cluster, in proportion.
thinned_rows <- function(cluster, most) {
  n <- length(cluster)
  if (n <= most) {
    return(seq_len(n))
  }
  by_cluster <- split(seq_len(n), cluster)
  sort(unlist(lapply(by_cluster, function(rows) {
    share <- max(1, round(most * length(rows) / n))
    rows[unique(round(seq(1, length(rows), length.out = share)))]
  }), use.names = FALSE))
}

# The rows to draw and, among them, the medoids, which take a pass over the pairs.
drawn_rows <- function(fit) {
  medoids <- if (fit$n <= 10000) medoids(fit) else integer()
  rows <- sort(unique(c(thinned_rows(fit$cluster, small_n), medoids)))
  list(rows = rows, medoids = match(medoids, rows))
}

# Return x, y, cluster of the observations drawn; `medoids`, their positions; `plane`: are there two
# coordinates? `isometric`: are they principal coordinates, in one unit?
shown_points <- function(fit) {
  problem <- kept_problem(fit)
  drawn <- drawn_rows(fit)
  frame <- plane_coordinates(problem, drawn$rows)
  given <- fit$call$x
  if (ncol(frame) == 1L && is.null(colnames(problem$points)) && is.language(given)) colnames(frame) <- deparse_short(given)
  cluster <- unname(fit$cluster[drawn$rows])
  plane <- ncol(frame) == 2L
  if (!plane) frame <- cbind(frame, cluster = cluster)
  list(
    x = unname(frame[, 1L]), y = unname(frame[, 2L]), labels = colnames(frame),
    cluster = cluster, medoids = drawn$medoids, plane = plane, noise = is_noise(fit)[drawn$rows],
    isometric = is.null(problem$points) || ncol(problem$points) > 2L
  )
}

# The same for the vertices of a graph, in a layout of igraph, with the ends of its edges.
shown_vertices <- function(fit) {
  graph <- drawable_graph(fit_graph_data(fit))
  drawn <- drawn_rows(fit)
  shown <- drawn$rows
  names <- vertex_names(graph)
  names <- if (is.null(names)) as.character(seq_len(fit$n)) else shorten(names, most_drawn)
  if (length(shown) < fit$n) graph <- igraph::induced_subgraph(graph, shown)
  at <- with_own_stream(igraph::layout_nicely(graph))
  if (!all(is.finite(at))) at <- igraph::layout_in_circle(graph) # as of graphs of loops alone
  ends <- igraph::as_edgelist(graph, names = FALSE)
  from <- at[ends[, 1L], , drop = FALSE]
  to <- at[ends[, 2L], , drop = FALSE]
  list(
    x = at[, 1L], y = at[, 2L], cluster = unname(fit$cluster[shown]), medoids = drawn$medoids, names = names[shown],
    edges = data.frame(x = from[, 1L], y = from[, 2L], xend = to[, 1L], yend = to[, 2L])
  )
}

# Layouts of igraph need positive edge weights, or none.
drawable_graph <- function(graph) {
  weight <- igraph::edge_attr(graph, "weight")
  if (is.null(weight) || (is.numeric(weight) && all(is.finite(weight) & weight > 0))) {
    return(graph)
  }
  igraph::delete_edge_attr(graph, "weight")
}

# Evaluate code with a fixed seed and restore the user's stream of random numbers.
with_own_stream <- function(code) {
  old <- globalenv()[[".Random.seed"]]
  on.exit(if (is.null(old)) {
    rm(".Random.seed", envir = globalenv())
  } else {
    assign(".Random.seed", old, envir = globalenv())
  })
  set.seed(1, kind = "default", normal.kind = "default", sample.kind = "default")
  code
}

# Return one or two named columns for some rows of a problem.
plane_coordinates <- function(problem, rows) {
  points <- problem$points
  if (!is.null(points) && ncol(points) <= 2L) {
    out <- points[rows, , drop = FALSE]
    colnames(out) <- colnames(out) %||% c("x1", "x2")[seq_len(ncol(out))]
    return(out)
  }
  part <- subset_problem(problem, rows)
  scaled <- classical_scaling(pair_values(part) * part$unit, 2L, 200L)
  share <- pmax(scaled$values[1:2], 0) / scaled$trace
  names <- paste("Principal coordinate", 1:2)
  known <- is.finite(share) & share <= 1
  names[known] <- sprintf("%s (%s of dispersion)", names[known], percent(share[known]))
  out <- matrix(0, length(rows), 2L, dimnames = list(NULL, names))
  for (axis in seq_len(min(2L, length(scaled$values)))) {
    v <- scaled$vectors[, axis]
    # the largest entry is positive
    out[, axis] <- v * sign(v[which.max(abs(v))]) * sqrt(max(scaled$values[axis], 0))
  }
  out
}

# ---- silhouette ----

# Horizontal bars, a block per cluster, the first on top; beside each block its number of
# observations and its mean width.
silhouette_figure <- function(fit, call = rlang::caller_env()) {
  if (fit$k == 1L) abort_input("k", call, "A silhouette needs two clusters or more.", "The fit has one.")
  geometry <- fit_geometry(fit)
  width <- silhouette_widths(fit, geometry)$width
  mean_of <- function(rows) silhouette_mean(width[rows], geometry$w[rows])
  means <- vapply(seq_len(fit$k), function(l) mean_of(which(fit$cluster == l)), 0)
  overall <- mean_of(seq_along(width))
  shown <- setdiff(thinned_rows(fit$cluster, small_n), which(is_noise(fit)))
  shown <- shown[order(fit$cluster[shown], -width[shown])]
  cluster <- unname(fit$cluster[shown])
  n <- length(shown)
  gap <- max(1, round(0.015 * n))
  top <- n - seq_len(n) + 1 + gap * (fit$k - cluster)
  middle <- vapply(split(top - 0.5, cluster), mean, 0)
  at <- as.integer(names(middle))
  label <- sprintf("%d: n = %s, mean %s", at, fit$sizes[at], format(round(means[at], 2), nsmall = 2))
  left <- min(0, width[shown])
  new_figure(
    sprintf(
      "Mean silhouette width %s, least in cluster %d (%s)", format(overall, digits = 3),
      which.min(means), format(min(means, na.rm = TRUE), digits = 2)
    ),
    list(
      new_layer("rect", data.frame(
        xmin = pmin(width[shown], 0), xmax = pmax(width[shown], 0), ymin = top - 1, ymax = top,
        group = as_cluster(cluster, fit$k)
      )),
      new_layer("down", data.frame(x = overall), lty = 2),
      new_layer(
        "text", data.frame(x = 1.03, y = unname(middle), label = label),
        adj = 0, size = if (fit$k > 12L) 0.65 else 0.85
      )
    ),
    groups = cluster_groups(fit$k),
    x = new_axis("silhouette width", c(left, 1.06 + 0.0235 * max(nchar(label))), breaks = pretty(c(left, 1))),
    y = new_axis("observations, by cluster", breaks = numeric())
  )
}

# ---- objective ----

objective_figure <- function(fit) {
  kind <- names(fit$objectives) %||% rep(fit$init, length(fit$objectives))
  kind <- factor(kind, unique(kind))
  # Phi is NA if the size term had no effect; then W was minimised
  value <- if (anyNA(fit$objectives)) fit$W else unname(fit$objectives)
  starts <- data.frame(x = seq_along(kind), y = value, group = kind)
  reached <- starts$y[fit$best_start]
  found <- sum(attains(starts$y, reached), na.rm = TRUE)
  n <- nrow(starts)
  search <- fit$search
  title <- if (!is.null(search)) {
    sprintf("%d of %d members of the search attain the minimum", as.integer(search$attained), as.integer(search$members))
  } else if (n == 1L) {
    "One start"
  } else {
    sprintf("%s %d starts attained the minimum", if (found == n) "All" else paste(found, "of"), n)
  }
  new_figure(
    title,
    list(
      new_layer("across", data.frame(y = reached), lty = 2), new_layer("point", starts, size = 1.2, key = TRUE)
    ),
    groups = new_groups(levels(kind), "kind of start"), legend = TRUE, x = new_axis("start", whole = TRUE),
    y = new_axis(if (is.null(fit$size_term) || anyNA(fit$objectives)) "W attained" else "Phi attained")
  )
}

# ---- dispersion ----

# The energy distance of two clusters is 2 g(C_i, C_j) - g(C_i, C_i) - g(C_j, C_j).
dispersion_figure <- function(fit) {
  g <- fit_dispersions(fit)
  distances <- 2 * g - outer(diag(g), diag(g), "+")
  distances[!upper.tri(distances)] <- NA
  nearest <- arrayInd(which.min(distances), dim(g))
  axis <- function(down) named_axis(seq_len(nrow(g)), "cluster", down = down)
  new_figure(
    if (length(nearest)) {
      sprintf(
        "Nearest clusters: %d and %d, energy distance %s", nearest[1L], nearest[2L],
        format(distances[nearest], digits = 3)
      )
    } else {
      "Mean semimetric of pairs"
    },
    heat_layers(g),
    subtitle = "mean semimetric of pairs within and between clusters", x = axis(FALSE), y = axis(TRUE)
  )
}

# ---- gaps of rho_connected(): the spanning tree, and the tree of the branches on the same scale ----

# On the left at most some 2000 heights; on the right the branches, with their weights, in the colour of
# the cluster that has most of each.
gaps_figure <- function(fit, call = rlang::caller_env()) {
  found <- fit_gaps(fit, call)
  panels <- c("edges, by log10 of rank", "branches, with weights")
  heights <- rev(found$heights)
  rank <- unique(round(exp(seq(0, log(max(1, length(heights))), length.out = 2000))))
  rank <- rank[rank <= length(heights)]
  edges <- data.frame(x = log10(rank), y = heights[rank], panel = rep(panels[1L], length(rank)))
  tree <- gap_tree(found)
  lines <- if (!is.null(tree)) cbind(tree_segments(tree, found$threshold), panel = panels[2L])
  cluster <- max.col(branch_shares(fit), ties.method = "first")
  leaves <- data.frame(
    x = if (is.null(tree)) 1 else order(tree$order), y = found$threshold, group = as_cluster(cluster, fit$k),
    panel = panels[2L], label = format(found$weight, trim = TRUE, digits = 3)
  )
  top <- range(0, heights, lines$yend, found$threshold)
  weights <- leaves[c("x", "label", "panel")]
  weights$y <- max(found$threshold - 0.06 * top[2L], 0.02 * top[2L])
  new_figure(
    sprintf("%s, threshold %s", count_of(found$branches, "branch", "branches"), format(found$threshold, digits = 3)),
    list(
      new_layer("line", edges, colour = "grey60"),
      new_layer("point", edges, shape = 16L, size = 0.6, colour = "black"),
      new_layer("across", data.frame(y = found$threshold, panel = panels), colour = "grey40"),
      new_layer("segment", lines),
      new_layer("point", leaves[c("x", "y", "group", "panel")], size = 1.4, key = TRUE),
      if (nrow(leaves) <= 20L) new_layer("text", weights, colour = "black", size = 0.8)
    ),
    x = new_axis(whole = TRUE), y = new_axis("height", top), groups = cluster_groups(fit$k), panels = panels
  )
}

fit_gaps <- function(fit, call) {
  found <- if (is_connected(fit$semimetric)) fit$semimetric$found
  if (is.null(found)) {
    abort_input(
      "type", call,
      "{.code type = \"gaps\"} needs a fit under {.fn rho_connected}.",
      "This one has another semimetric.",
      "Fit with {.code semimetric = rho_connected()}."
    )
  }
  found
}

# The tree of the branches, single linkage over the edges that join them; NULL for one branch.
gap_tree <- function(found) {
  merges <- found$merges
  if (nrow(merges) == 0L) {
    return(NULL)
  }
  d <- matrix(2 * max(merges$height), found$branches, found$branches)
  d[cbind(pmax(merges$a, merges$b), pmin(merges$a, merges$b))] <- merges$height
  stats::hclust(stats::as.dist(d), "single")
}
