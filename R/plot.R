#' Plot a fit
#'
#' Five pictures of a fit, drawn by base graphics;
#' [autoplot()][autoplot.kgroups_fit] draws the same with \pkg{ggplot2}.
#'
#' @param x A fit from [kgroups()] or [kernel_kmeans()].
#' @param type What to show:
#'   * `"coordinates"` (default): the observations in the plane, coloured by cluster, the
#'     medoids marked by crosses with the number of the cluster. The plane is that of the two columns of two-column data, else of
#'     the first two principal coordinates of the semimetric (classical scaling of the pair
#'     values). For one-column data the observations are shown against their cluster;
#'   * `"silhouette"`: the silhouette widths by cluster, in falling order, and their mean;
#'   * `"objective"`: W reached from every start (\eqn{\Phi}{Phi} with `size_term = TRUE`), and the
#'     result as a line;
#'   * `"dispersion"`: mean semimetric value of pairs within and between clusters, the matrix g
#'     of equation (13), as a heat map;
#'   * `"gaps"`, of a fit under [rho_connected()]: the heights of the spanning tree in falling
#'     order, with the threshold, and the tree of the branches, each with its weight and the
#'     colour of the cluster that has most of it.
#' @param hulls Draw the convex hull of each cluster? Default `TRUE`.
#' @param ... Passed to the function that draws: [plot.default()], [barplot()] for
#'   silhouettes, [image()] for dispersions.
#' @return `x`, invisibly.
#' @details The coordinates of a fit of a graph are a layout that \pkg{igraph} chooses: `plot()`
#' leaves them to its method for communities, to which further arguments go; `autoplot()` draws the
#' edges too. Above 2000 observations a random sample of 2000 is drawn, so that the pictures stay
#' readable and the principal coordinates affordable; medoids are left out above 10000.
#' @section Complexity: Coordinates: the pair values of at most 2000 observations, and for the medoids
#'   one pass over the pairs, \eqn{O(n^2 d)}{O(n^2 d)} time and \eqn{O(n k)}{O(n k)} memory, which
#'   silhouettes and dispersions need too.
#' @section Errors: `kg_error_type` (also for the gaps of another semimetric) and `kg_error_hulls` for wrong arguments; `kg_error_keep` if the
#'   fit was made with `keep.data = FALSE` (not for `"objective"` and `"gaps"`); `kg_error_k` for silhouettes of one
#'   cluster.
#' @family fits
#' @examples
#' fit <- kgroups(iris[1:4], 3)
#' plot(fit)
#' plot(fit, type = "silhouette")
#' @export
plot.kgroups_fit <- function(x, type = c("coordinates", "silhouette", "objective", "dispersion", "gaps"),
                             hulls = TRUE, ...) {
  type <- check_choice(type, "type", plot_types)
  hulls <- check_flag(hulls, "hulls")
  if (type == "coordinates" && !is.null(x$graph)) {
    ours <- list(x = as_communities(x), y = drawable_graph(fit_graph_data(x)), main = fit_title(x))
    draw(graphics::plot, ours, list(...))
    return(invisible(x))
  }
  if (!type %in% c("objective", "gaps")) kept_problem(x)
  switch(type,
    coordinates = base_coordinates(x, hulls, list(...)),
    silhouette = base_silhouette(x, list(...)),
    objective = base_objective(x, list(...)),
    dispersion = base_dispersion(x, list(...)),
    gaps = base_gaps(x, list(...))
  )
  invisible(x)
}

plot_types <- c("coordinates", "silhouette", "objective", "dispersion", "gaps")

# A function with arguments of ours that the user's replace.
draw <- function(f, ours, theirs) do.call(f, utils::modifyList(ours, theirs))

cluster_colours <- function(k, ...) grDevices::hcl.colors(max(k, 2L), "Dark 3", ...)

base_coordinates <- function(fit, hulls, arguments) {
  shown <- shown_points(fit)
  colours <- cluster_colours(fit$k)
  draw(
    graphics::plot.default,
    list(
      x = shown$x, y = shown$y, xlab = shown$labels[1L], ylab = shown$labels[2L],
      col = colours[shown$cluster], pch = (shown$cluster - 1L) %% 25L + 1L,
      asp = if (shown$isometric) 1 else NA, main = fit_title(fit),
      yaxt = if (shown$plane) "s" else "n"
    ),
    arguments
  )
  if (!shown$plane) graphics::axis(2, seq_len(fit$k), las = 1)
  if (hulls && shown$plane) {
    for (part in split(seq_along(shown$x), shown$cluster)) {
      corners <- part[grDevices::chull(shown$x[part], shown$y[part])]
      colour <- colours[shown$cluster[part[1L]]]
      graphics::polygon(
        shown$x[corners], shown$y[corners],
        border = colour, col = grDevices::adjustcolor(colour, 0.08)
      )
    }
  }
  at <- shown$medoids
  graphics::points(shown$x[at], shown$y[at], pch = 4, cex = 2, lwd = 3)
  if (shown$plane) {
    graphics::text(shown$x[at], shown$y[at], shown$cluster[at], pos = 4, offset = 0.8, font = 2)
  }
}

base_silhouette <- function(fit, arguments) {
  bars <- silhouette_bars(fit)
  mean <- attr(bars, "mean")
  colours <- cluster_colours(fit$k)[bars$cluster]
  draw(
    graphics::barplot,
    list(
      height = bars$width, col = colours, border = colours, space = 0,
      xlab = "observations, by cluster", ylab = "silhouette width",
      main = silhouette_title(mean)
    ),
    arguments
  )
  graphics::abline(h = mean, lty = 2)
}

base_objective <- function(fit, arguments) {
  starts <- start_table(fit)
  kinds <- levels(starts$kind)
  colours <- cluster_colours(length(kinds))
  reached <- starts$value[fit$best_start]
  shown <- range(starts$value, reached, finite = TRUE)
  # where all starts reached the same, rounding is not worth an axis
  if (diff(shown) <= 1e-9 * abs(reached)) shown <- reached + c(-1, 1) * if (reached == 0) 1 else 0.05 * abs(reached)
  draw(
    graphics::plot.default,
    list(
      x = starts$start, y = starts$value, col = colours[starts$kind], pch = 19,
      lab = c(max(1, min(5, nrow(starts) - 1)), 5, 7),
      # room for the legend
      ylim = shown + c(0, diff(shown) * (0.05 + 0.08 * length(kinds))),
      xlab = "start", ylab = objective_label(fit), main = fit_title(fit)
    ),
    arguments
  )
  graphics::abline(h = reached, lty = 2)
  graphics::legend("topright", kinds, col = colours[seq_along(kinds)], pch = 19, bty = "n")
}

base_dispersion <- function(fit, arguments) {
  base_heat_map(fit_dispersions(fit), dispersion_title, NULL, arguments)
  graphics::axis(1, seq_len(fit$k))
  graphics::axis(2, seq_len(fit$k), rev(seq_len(fit$k)), las = 1)
}

base_gaps <- function(fit, arguments) {
  drawn <- gaps_drawn(fit, rlang::caller_env())
  before <- graphics::par(mfrow = c(1L, 2L))
  on.exit(graphics::par(before))
  top <- range(0, drawn$heights$height, drawn$lines$y_end, drawn$threshold)
  draw(
    graphics::plot.default,
    list(
      x = drawn$heights$rank, y = drawn$heights$height, type = "b", pch = 20, cex = 0.6, log = "x", ylim = top,
      xlab = "edges of the spanning tree, falling", ylab = "height", main = drawn$title
    ),
    arguments
  )
  graphics::abline(h = drawn$threshold, lty = 2)
  leaves <- drawn$leaves
  graphics::plot.default(
    leaves$x, rep(drawn$threshold, nrow(leaves)),
    ylim = top, xlim = c(0.5, nrow(leaves) + 0.5), xaxt = "n", xlab = "branches, by weight", ylab = "height", pch = 19,
    cex = 0.8 + 2 * sqrt(leaves$weight / sum(leaves$weight)), col = cluster_colours(fit$k)[leaves$cluster],
    main = fit_title(fit)
  )
  graphics::abline(h = drawn$threshold, lty = 2)
  lines <- drawn$lines
  if (nrow(lines)) graphics::segments(lines$x, lines$y, lines$x_end, lines$y_end)
  if (nrow(leaves) <= 20L) graphics::axis(1, leaves$x, format(leaves$weight, trim = TRUE, digits = 3), las = 2, tick = FALSE)
}

# A symmetric matrix, its first row on top, with its values written into it if they are few.
# The caller draws the axes.
base_heat_map <- function(values, title, range, arguments) {
  at <- seq_len(nrow(values))
  upright <- t(values[rev(at), , drop = FALSE])
  ours <- list(
    x = at, y = at, z = upright, col = grDevices::hcl.colors(64, "Blues", rev = TRUE)[1:48],
    xlab = "cluster", ylab = "cluster", axes = FALSE, main = title
  )
  # without a cluster of positive weight there is nothing to colour
  if (is.null(range) && !any(is.finite(values))) ours$zlim <- c(0, 1)
  if (!is.null(range)) ours[c("zlim", "xlab", "ylab")] <- list(range, "", "")
  draw(graphics::image.default, ours, arguments)
  if (length(at) <= 12L) graphics::text(row(upright), col(upright), format_dispersion(upright))
}

# ---- what is drawn, for both ways of drawing ----

fit_title <- function(fit) {
  sprintf("%d cluster%s, W = %s", fit$k, plural(fit$k), format(fit$W, digits = 6))
}

silhouette_title <- function(mean) sprintf("Mean silhouette width %s", format(mean, digits = 3))

dispersion_title <- "Mean semimetric value of pairs"

format_dispersion <- function(g) format(as.vector(g), digits = 3, trim = TRUE)

# The observations drawn: x, y, cluster; `medoids`, their places among those drawn; `plane`,
# are both coordinates real? `isometric`, are they principal coordinates, in one unit?
shown_points <- function(fit) {
  problem <- kept_problem(fit)
  shown <- seq_len(fit$n)
  if (fit$n > small_n) shown <- sort(sample.int(fit$n, small_n))
  medoids <- if (fit$n <= 10000) medoids(fit) else integer()
  shown <- sort(unique(c(shown, medoids)))
  frame <- plane_coordinates(problem, shown)
  cluster <- unname(fit$cluster[shown])
  plane <- ncol(frame) == 2L
  if (!plane) frame <- cbind(frame, cluster = cluster)
  list(
    x = unname(frame[, 1L]), y = unname(frame[, 2L]), labels = colnames(frame),
    cluster = cluster, medoids = match(medoids, shown), plane = plane,
    isometric = is.null(problem$points) || ncol(problem$points) > 2L
  )
}

# The same for the vertices of a graph, in a layout of igraph's, with the ends of its edges.
# Layouts of igraph want positive edge weights, or none.
drawable_graph <- function(graph) {
  weight <- igraph::edge_attr(graph, "weight")
  if (is.null(weight) || (is.numeric(weight) && all(is.finite(weight) & weight > 0))) {
    return(graph)
  }
  igraph::delete_edge_attr(graph, "weight")
}

shown_vertices <- function(fit) {
  graph <- drawable_graph(fit_graph_data(fit))
  shown <- seq_len(fit$n)
  if (fit$n > small_n) shown <- sort(sample.int(fit$n, small_n))
  medoids <- if (fit$n <= 10000) medoids(fit) else integer()
  shown <- sort(unique(c(shown, medoids)))
  if (length(shown) < fit$n) graph <- igraph::induced_subgraph(graph, shown)
  at <- igraph::layout_nicely(graph)
  if (!all(is.finite(at))) at <- igraph::layout_in_circle(graph) # as of graphs of loops alone
  ends <- igraph::as_edgelist(graph, names = FALSE)
  list(
    x = at[, 1L], y = at[, 2L], labels = c("", ""), cluster = unname(fit$cluster[shown]),
    medoids = match(medoids, shown), plane = TRUE, isometric = TRUE,
    edges = data.frame(
      x = at[ends[, 1L], 1L], y = at[ends[, 1L], 2L],
      x_end = at[ends[, 2L], 1L], y_end = at[ends[, 2L], 2L]
    )
  )
}

# Bars in the order of drawing: by cluster, in falling order.
silhouette_bars <- function(fit) {
  if (fit$k == 1L) {
    kg_abort(
      c("A silhouette needs two clusters or more.", "x" = "The fit has one."),
      "k",
      call = rlang::caller_env(2L)
    )
  }
  width <- silhouette_widths(fit)$width
  shown <- seq_len(fit$n)
  if (fit$n > small_n) shown <- sample.int(fit$n, small_n)
  shown <- shown[order(fit$cluster[shown], -width[shown])]
  structure(
    data.frame(
      place = seq_along(shown), width = width[shown],
      cluster = factor(fit$cluster[shown], seq_len(fit$k))
    ),
    mean = mean(width)
  )
}

# What the starts were compared by, which is Phi with a size term, and with landmarks W before
# they were polished.
# Where the size term had nothing to say Phi is NA, and W is what was minimised.
objective_label <- function(fit) {
  if (is.null(fit$size_term) || anyNA(fit$objectives)) "W reached" else "Phi reached"
}

start_table <- function(fit) {
  kind <- names(fit$objectives)
  if (is.null(kind)) kind <- rep(fit$init, length(fit$objectives))
  data.frame(
    start = seq_along(fit$objectives), value = if (anyNA(fit$objectives)) fit$W else unname(fit$objectives),
    kind = factor(kind, unique(kind))
  )
}

# One or two named columns for some rows of a problem.
plane_coordinates <- function(problem, rows) {
  points <- problem$points
  if (!is.null(points) && ncol(points) <= 2L) {
    out <- points[rows, , drop = FALSE]
    if (is.null(colnames(out))) colnames(out) <- c("x1", "x2")[seq_len(ncol(out))]
    return(out)
  }
  out <- principal_coordinates(subset_problem(problem, rows), 2L)
  colnames(out) <- c("Principal coordinate 1", "Principal coordinate 2")
  out
}

# Classical scaling: the top m eigenvectors of the centred B, times the root of their
# eigenvalues; each axis has its largest entry positive.
principal_coordinates <- function(problem, m) {
  n <- problem$n
  B <- pair_values(problem) * problem$unit
  B <- B - rowMeans(B)
  B <- t(t(B) - colMeans(B))
  B <- (B + t(B)) / 2
  top <- if (n <= 200L) {
    eigen(B, symmetric = TRUE)
  } else {
    RSpectra::eigs_sym(B, m, which = "LA")
  }
  out <- matrix(0, n, m)
  for (axis in seq_len(min(m, length(top$values)))) {
    v <- top$vectors[, axis]
    out[, axis] <- v * sign(v[which.max(abs(v))]) * sqrt(max(top$values[axis], 0))
  }
  out
}
