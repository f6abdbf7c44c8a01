# Figures of graphs: components apart, isolated vertices in rows, edges within a cluster in its colour. A layout has no
# unit, so it fills the device.

# `cluster` holds labels 1 to k; `probability`, if given, the opacity of each vertex; `marked` vertices carry the
# numbers.
graph_figure <- function(graph, cluster, k, title, subtitle, outline = "none", probability = NULL) {
  graph <- drawable_graph(graph)
  n <- length(cluster)
  shown <- thinned_rows(cluster, small_n)
  names <- vertex_names(graph)
  names <- if (is.null(names)) as.character(shown) else brief_names(names)[shown]
  names[is.na(names)] <- "NA"
  if (length(shown) < n) {
    graph <- igraph::induced_subgraph(graph, shown)
    subtitle <- c(subtitle, sprintf("%d of %d vertices drawn", length(shown), n))
  }
  cluster <- unname(cluster)[shown]
  at <- layout_parts(graph, cluster)
  frame <- vertices <- data.frame(x = at[, 1L], y = at[, 2L], group = as_cluster(cluster, k))
  # the label of a vertex without edges is certain
  if (!is.null(probability)) frame$alpha <- 0.15 + 0.85 * ifelse(is.na(probability), 1, probability)[shown]
  few <- nrow(frame) <= 80L
  alone <- sum(igraph::degree(graph) == 0)
  if (alone > 0L && alone < nrow(frame)) subtitle <- c(subtitle, sprintf("%d isolated, below", alone))
  ends <- igraph::as_edgelist(graph, names = FALSE)
  edges <- cbind(vertices[ends[, 1L], ], xend = vertices$x[ends[, 2L]], yend = vertices$y[ends[, 2L]])
  within <- cluster[ends[, 1L]] == cluster[ends[, 2L]]
  labels <- data.frame(vertices[c("x", "y")], label = names)
  inside <- few && all(nchar(names) <= 3L)
  bare <- new_axis(breaks = numeric())
  new_figure(
    title,
    c(
      list(
        new_layer("segment", edges[!within, -3L], colour = "grey80", lwd = if (few) 1 else 0.4),
        new_layer("segment", edges[within, ], alpha = if (few) 0.6 else 0.3, lwd = if (few) 1 else 0.4),
        if (outline == "hull") new_layer("polygon", hull_corners(frame), alpha = 0.1),
        if (!inside) new_layer("point", frame, size = if (few) 1.6 else 0.8, key = TRUE)
      ),
      if (inside) vertex_layers(frame, labels),
      if (few && !inside) list(new_layer("names", labels, colour = "grey15", size = 0.7)),
      if (!few) number_layers(middle_points(frame), NULL)
    ),
    subtitle = subtitle, groups = new_groups(seq_len(k), "cluster", shapes = if (inside) rep(16L, k)), x = bare,
    y = bare,
    legend = few && k <= 8L
  )
}

group_sizes <- function(sizes) {
  if (length(sizes) > 12L) sprintf("groups of %d to %d", min(sizes), max(sizes)) else paste("sizes", toString(sizes))
}

# Vertices as circles that hold their names of at most three letters.
vertex_layers <- function(frame, labels) {
  size <- if (nrow(frame) <= 40L) 2.6 else 2
  circles <- function(frame, shape, ...) new_layer("point", frame, shape = shape, size = size, ...)
  list(
    circles(frame[c("x", "y")], 16L, colour = "white"),
    circles(replace(frame, "alpha", 0.4 * (frame$alpha %||% 1)), 16L, key = TRUE),
    circles(frame[c("x", "y", "group")], 1L, lwd = 1.5), new_layer("text", labels, colour = "black", size = 0.29 * size)
  )
}

#' @export
coordinates_figure.kgroups_graph_fit <- function(fit, columns, space, outline, newdata, call) {
  if (!is.null(columns) || !is.null(newdata)) abort_no_columns("a graph", call)
  title <- sprintf("%d group%s, modularity %s", fit$k, plural(fit$k), format(fit$graph$modularity, digits = 3))
  graph_figure(fit_graph_data(fit), fit$cluster, fit$k, title, group_sizes(fit$sizes), outline %||% "none")
}

#' @export
as_figure.kgroups_partition <- function(x, y = NULL, ...) {
  call <- rlang::caller_env()
  cluster <- as.integer(igraph::membership(x))
  wrong <- if (is.null(y)) {
    "none"
  } else if (igraph::vcount(check_graph(y, "y", call)) != length(cluster)) {
    sprintf("a graph of %d", igraph::vcount(y))
  }
  if (!is.null(wrong)) {
    abort_input(
      "y", call, "`y` must be the graph of {length(cluster)} vertices that was clustered.",
      "You supplied {wrong}.",
      "Use `plot(found, graph)`."
    )
  }
  k <- max(cluster, 1L)
  title <- sprintf("%d communit%s, modularity %s", k, if (k == 1L) "y" else "ies", format(x$modularity[1L], digits = 3))
  probability <- as.data.frame(x)$probability
  graph_figure(y, cluster, k, title, c(
    group_sizes(tabulate(cluster, k)), if (!is.null(probability)) "pale vertices are uncertain"
  ), probability = probability)
}

# Layouts of igraph need positive edge weights, or none.
drawable_graph <- function(graph) {
  weight <- igraph::edge_attr(graph, "weight")
  fine <- is.null(weight) || is.numeric(weight) && all(is.finite(weight) & weight > 0)
  if (fine) graph else igraph::delete_edge_attr(graph, "weight")
}

# ---- layout ----

# Coordinates of all vertices: a square for each component, with a side as the square root of its size, on shelves;
# isolated vertices in rows below.
layout_parts <- function(graph, cluster) {
  component <- igraph::components(graph, "weak")
  out <- matrix(0, igraph::vcount(graph), 2L)
  large <- order(-component$csize)
  large <- large[component$csize[large] > 1L]
  side <- sqrt(component$csize[large])
  wide <- max(side[1L], 1.2 * sqrt(sum(side^2)), 1, na.rm = TRUE)
  gap <- 0.06 * wide
  left <- top <- high <- 0
  for (i in seq_along(large)) {
    rows <- which(component$membership == large[i])
    if (left > 0 && left + side[i] > wide) {
      top <- top - high - gap
      left <- high <- 0
    }
    at <- layout_component(igraph::induced_subgraph(graph, rows), cluster[rows])
    out[rows, ] <- cbind(left + at[, 1L] * side[i], top - side[i] + at[, 2L] * side[i])
    left <- left + side[i] + gap
    high <- max(high, side[i])
  }
  alone <- which(component$membership %in% which(component$csize == 1L))
  if (length(alone)) {
    per_row <- max(30, ceiling(sqrt(8 * length(alone))))
    step <- wide / per_row
    place <- seq_along(alone) - 1L
    bottom <- top - high - if (length(large)) 2 * gap else 0
    out[alone, ] <- cbind(step * (place %% per_row), bottom - 2 * step * (place %/% per_row))
  }
  out
}

# Coordinates of a connected graph within the unit square: by the method of Kamada and Kawai for few vertices, of
# Fruchterman and Reingold for many (edges within a cluster attract three times as much), from clusters on a circle.
# The longer axis lies along x, near vertices are moved apart, and both axes fill the square.
layout_component <- function(graph, cluster) {
  n <- igraph::vcount(graph)
  start <- circle_of_clusters(cluster)
  at <- kept_stream(if (n <= 150L) {
    igraph::layout_with_kk(graph, coords = start, weights = NA)
  } else {
    igraph::layout_with_fr(
      graph, coords = start * sqrt(n), niter = if (n > 1000L) 200 else 500,
      weights = 1 + 2 * within_edges(graph, cluster)
    )
  })
  if (!all(is.finite(at))) at <- start
  at <- t(t(at) - colMeans(at))
  axes <- eigen(crossprod(at), symmetric = TRUE)$vectors
  at <- unit_square(at %*% turned(axes))
  if (n <= 150L) unit_square(moved_apart(at, 0.7 / sqrt(n))) else at
}

# Columns from 0 to 1, a constant one at 0.5.
unit_square <- function(at) {
  low <- apply(at, 2L, min)
  range <- apply(at, 2L, max) - low
  flat <- range <= 1e-9 * max(range, .Machine$double.xmin)
  out <- t((t(at) - low) / ifelse(flat, 1, range))
  out[, flat] <- 0.5
  out
}

# Points nearer than `least` move away from each other, by half of what is lacking, in at most 100 rounds.
moved_apart <- function(at, least) {
  n <- nrow(at)
  # equal places part in different directions
  at <- at + 1e-6 * cbind(cos(seq_len(n)), sin(seq_len(n)))
  for (round in seq_len(if (n > 1L) 100L else 0L)) {
    dx <- outer(at[, 1L], at[, 1L], "-")
    dy <- outer(at[, 2L], at[, 2L], "-")
    far <- pmax(sqrt(dx^2 + dy^2), 1e-9)
    push <- pmax(least - far, 0) / (4 * far)
    diag(push) <- 0
    if (!any(push > 1e-3)) break
    at <- at + cbind(rowSums(push * dx), rowSums(push * dy))
  }
  at
}

within_edges <- function(graph, cluster) {
  ends <- igraph::as_edgelist(graph, names = FALSE)
  cluster[ends[, 1L]] == cluster[ends[, 2L]]
}

# Each cluster as a spiral of golden angles, the spirals on a circle.
circle_of_clusters <- function(cluster) {
  groups <- match(cluster, sort(unique(cluster)))
  k <- max(groups)
  size <- tabulate(groups, k)
  turn <- 2 * pi * (cumsum(size) - size / 2) / length(groups)
  rank <- stats::ave(seq_along(groups), groups, FUN = seq_along)
  angle <- 2.399963 * rank
  (k > 1L) * cbind(cos(turn), sin(turn))[groups, ] + 0.6 * sqrt(rank / length(groups)) * cbind(cos(angle), sin(angle))
}
