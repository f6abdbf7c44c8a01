# Figures of graphs: edges within a cluster in its colour. A layout has no unit, so it fills the device.

# `cluster` holds labels 1 to k; `probability`, if given, the opacity of each vertex; `marked` vertices carry the
# numbers.
graph_figure <- function(graph, cluster, k, title, subtitle, outline = "none", probability = NULL) {
  n <- length(cluster)
  shown <- thinned_rows(cluster, small_n)
  names <- vertex_names(graph)
  names <- if (is.null(names)) as.character(shown) else brief_names(names)[shown]
  names[is.na(names)] <- "NA"
  if (length(shown) < n) {
    graph <- with_igraph(igraph::induced_subgraph(graph, shown))
    subtitle <- c(subtitle, sprintf("%d of %d vertices drawn", length(shown), n))
  }
  cluster <- unname(cluster)[shown]
  at <- graph_layout(graph)
  frame <- vertices <- data.frame(x = at[, 1L], y = at[, 2L], group = as_cluster(cluster, k))
  # the label of a vertex without edges is certain
  if (!is.null(probability)) frame$alpha <- 0.15 + 0.85 * ifelse(is.na(probability), 1, probability)[shown]
  few <- nrow(frame) <= 80L
  ends <- with_igraph(igraph::as_edgelist(graph, names = FALSE))
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
      list(if (few && !inside) name_layer(labels), if (!few) number_layer(middle_points(frame), k))
    ),
    subtitle = subtitle, groups = new_groups(seq_len(k), "cluster", shapes = if (inside) rep(16L, k)), x = bare,
    y = bare, legend = few && k > 1L && k <= 8L
  )
}

group_sizes <- function(sizes) {
  if (length(sizes) > 12L) sprintf("groups of %d to %d", min(sizes), max(sizes)) else paste("sizes", toString(sizes))
}

# Vertices as circles that hold their names of at most three letters.
vertex_layers <- function(frame, labels) {
  size <- (if (nrow(frame) <= 40L) 2.6 else 2) * small_device()
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
  graph <- fit_graph_data(fit)
  # groups of a random graph are drawn apart too
  count <- suppressWarnings(count_communities(graph, weights = fit$graph$weights), classes = "kg_warning_count")
  note <- c(group_sizes(fit$sizes), if (count != fit$k) sprintf("count_communities() gives %d", count))
  graph_figure(graph, fit$cluster, fit$k, title, note, outline %||% "none")
}

#' @export
as_figure.kgroups_partition <- function(x, y = NULL, ...) {
  call <- rlang::caller_env()
  cluster <- as.integer(igraph::membership(x))
  number <- if (is.null(y)) 0 else igraph::vcount(check_graph(y, "y", call))
  if (number != length(cluster)) {
    wrong <- if (is.null(y)) "none" else sprintf("a graph of %d", number)
    abort_input(
      "y", call, "`y` must be the graph of {length(cluster)} vertices that was clustered.", "You supplied {wrong}.",
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

# ---- layout ----

# Coordinates of the vertices by the graph alone, whatever their clusters: each component by the method of Kamada and
# Kawai for few vertices, of Fruchterman and Reingold for many, the components side by side, the longer axis along x.
graph_layout <- function(graph) {
  one <- function(graph) {
    n <- igraph::vcount(graph)
    if (n <= 150L) {
      return(igraph::layout_with_kk(graph, weights = NA))
    }
    igraph::layout_with_fr(graph, niter = if (n > 1000L) 200 else 500, weights = NA)
  }
  at <- kept_stream({
    set_stream(half_stream)
    with_igraph(igraph::layout_components(graph, layout = one))
  })
  at <- t(t(at) - colMeans(at))
  at %*% turned(eigen(crossprod(at), symmetric = TRUE)$vectors)
}
