#' Plot a fit
#'
#' Five pictures of a fit, drawn by base graphics;
#' [autoplot()][autoplot.kgroups_fit] draws the same, from one description, with \pkg{ggplot2}.
#'
#' @param x A fit from [kgroups()] or [kernel_kmeans()].
#' @param type What to show:
#'   * `"coordinates"` (default): the observations in the plane, a colour and a shape a cluster, the
#'     medoids marked by crosses with the number of the cluster. The plane is that of the two columns of
#'     two-column data, else of the first two principal coordinates of the semimetric (classical scaling of the pair
#'     values). For one-column data the observations are shown against their cluster;
#'   * `"silhouette"`: the silhouette widths by cluster, in falling order, and their weighted mean;
#'   * `"objective"`: W reached from every start (\eqn{\Phi}{Phi} with `size_term = TRUE`), and the
#'     result as a line;
#'   * `"dispersion"`: mean semimetric value of pairs within and between clusters, the matrix g
#'     of equation (13), as a heat map;
#'   * `"gaps"`, of a fit under [rho_connected()]: the heights of the spanning tree in falling
#'     order, with the threshold, and the tree of the branches, each with its weight and the
#'     colour of the cluster that has most of it.
#' @param hulls Draw the convex hull of each cluster? Default `TRUE`.
#' @param ... Passed to [plot.default()], which makes the frame; `col`, `pch` and `cex` go to the points.
#' @return `x`, invisibly.
#' @details Colours are those of Okabe and Ito, which most eyes can tell apart; above eight clusters they
#' come again with other shapes. Axes of principal coordinates tell their share of the dispersion, silhouettes
#' the number of observations and the mean width of each cluster, and the vertices of a small graph their
#' names. Coordinates of graphs are a layout that \pkg{igraph} chooses.
#'
#' Above 2000 observations about 2000 are drawn, from every cluster its share, evenly spaced in
#' the order of the rows: the same each time. No random number is drawn from the user's stream.
#' Above 10000 medoids are left out, and instead of dots stands a density, each place in the colour of the
#' cluster that is densest there.
#' @section Complexity: Coordinates: the pair values of at most 2000 observations, and for the medoids
#'   one pass over the pairs, \eqn{O(n^2 d)}{O(n^2 d)} time and \eqn{O(n k)}{O(n k)} memory, which
#'   silhouettes and dispersions need too.
#' @section Errors: `kg_error_type` (also for the gaps of another semimetric) and `kg_error_hulls` for wrong arguments;
#'   `kg_error_keep` if the fit was made with `keep.data = FALSE` (not for `"objective"` and `"gaps"`); `kg_error_k` for
#'   silhouettes of one cluster; `kg_error_graph` for silhouettes and dispersions of a graph, whose matrix has none.
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
  check_drawable(x, type, rlang::current_env())
  draw_picture(fit_picture(x, type, hulls), list(...))
  invisible(x)
}

# What a picture needs, said in the words of the call.
check_drawable <- function(fit, type, call) {
  if (type == "gaps") fit_gaps(fit, call)
  if (type %in% c("objective", "gaps")) {
    return(invisible())
  }
  if (type == "silhouette") check_distances(fit, "silhouette widths", call)
  if (type == "dispersion") check_distances(fit, "mean semimetric values", call)
  kept_problem(fit, call)
  if (type == "silhouette" && fit$k == 1L) {
    kg_abort(
      c("A silhouette needs two clusters or more.", "x" = "The fit has one."),
      "k",
      call = call
    )
  }
}

# Layouts of graphs are drawn at random: the same each time, and the user's stream of random
# numbers stays where it was.
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

# At most about `most` rows to draw, the same each time: from every cluster its share, evenly
# spaced in the order of the rows.
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

# Those of every fit, and those of some.
any_fit_types <- c("coordinates", "silhouette", "objective", "dispersion")
plot_types <- c(any_fit_types, "gaps")

# ---- what is drawn, for both ways of drawing ----

# The picture of a fit: a description that base graphics and ggplot2 draw alike.
fit_picture <- function(fit, type, hulls = TRUE) {
  switch(type,
    coordinates = if (has_distances(fit)) points_picture(fit, hulls) else graph_picture(fit, hulls),
    silhouette = silhouette_picture(fit),
    objective = objective_picture(fit),
    dispersion = dispersion_picture(fit),
    gaps = gaps_picture(fit)
  )
}

points_picture <- function(fit, hulls) {
  shown <- shown_points(fit)
  frame <- data.frame(x = shown$x, y = shown$y, group = factor(shown$cluster, seq_len(fit$k)))
  dense <- fit$n > crowd && shown$plane
  numbers <- cluster_numbers(frame, shown$medoids)
  new_picture(
    fit_title(fit),
    list(
      if (dense) new_layer("rect", density_cells(all_in_plane(fit, frame))),
      if (hulls && shown$plane && !dense) new_layer("polygon", hull_corners(frame), alpha = 0.1),
      if (!dense) new_layer("point", frame, size = if (nrow(frame) > 500L) 0.6 else 0.9, key = TRUE),
      new_layer("point", frame[shown$medoids, c("x", "y")], shape = 4L, size = 1.9, lwd = 3, colour = "black"),
      if (shown$plane) new_layer("text", numbers, colour = "black", face = "bold", ground = TRUE)
    ),
    subtitle = sizes_line(fit), groups = cluster_groups(fit$k), equal = shown$isometric,
    x = new_axis(shown$labels[1L]),
    y = if (shown$plane) new_axis(shown$labels[2L]) else new_axis("cluster", c(0.5, fit$k + 0.5), breaks = seq_len(fit$k))
  )
}

# Of data of two columns all rows are in the plane, and a density can count them all.
all_in_plane <- function(fit, frame) {
  points <- kept_problem(fit)$points
  if (is.null(points) || ncol(points) != 2L) {
    return(frame)
  }
  data.frame(x = unname(points[, 1L]), y = unname(points[, 2L]), group = factor(unname(fit$cluster), seq_len(fit$k)))
}

# Above so many rows dots are a blot, and a density is drawn.
crowd <- 10000

graph_picture <- function(fit, hulls) {
  shown <- shown_vertices(fit)
  frame <- data.frame(x = shown$x, y = shown$y, group = factor(shown$cluster, seq_len(fit$k)))
  few <- nrow(frame) <= 80L
  new_picture(
    fit_title(fit),
    list(
      new_layer("segment", shown$edges, colour = "grey75", lwd = if (few) 1 else 0.4),
      if (hulls) new_layer("polygon", hull_corners(frame), alpha = 0.1),
      new_layer("point", frame, size = if (few) 1.6 else 0.8, key = TRUE),
      if (few) new_layer("text", below(frame, shown$names), colour = "grey15", size = 0.7),
      if (!few) new_layer("text", cluster_numbers(frame, shown$medoids), colour = "black", face = "bold", ground = TRUE)
    ),
    subtitle = sizes_line(fit), groups = cluster_groups(fit$k), equal = TRUE,
    # the coordinates of a layout say nothing
    x = new_axis(breaks = numeric()), y = new_axis(breaks = numeric()), legend = few && fit$k <= 8L
  )
}

# Names a little below their vertices.
below <- function(frame, names) {
  data.frame(x = frame$x, y = frame$y - 0.045 * diff(range(frame$y)), label = names)
}

# The number of each cluster beside its medoid, or amid its rows where there is none.
cluster_numbers <- function(frame, medoids) {
  if (length(medoids)) {
    at <- frame[medoids, ]
    shift <- 0.035 * diff(range(frame$x))
    return(data.frame(x = at$x + shift, y = at$y, label = as.character(at$group)))
  }
  parts <- split(frame, frame$group, drop = TRUE)
  middle <- function(column) vapply(parts, function(part) stats::median(part[[column]]), 0, USE.NAMES = FALSE)
  data.frame(x = middle("x"), y = middle("y"), label = names(parts))
}

hull_corners <- function(frame) {
  out <- do.call(rbind, lapply(split(frame, frame$group, drop = TRUE), function(part) {
    part[grDevices::chull(part$x, part$y), ]
  }))
  rownames(out) <- NULL
  out
}

# The plane in cells, each in the colour of the cluster that is densest there, the fuller the
# denser: counts smoothed by a normal of 1.5 cells.
density_cells <- function(frame, m = 64L) {
  cells <- function(v) pmin(floor((v - min(v)) / max(diff(range(v)), .Machine$double.xmin) * m) + 1, m)
  column <- cells(frame$x)
  row <- cells(frame$y)
  smooth <- exp(-outer(seq_len(m), seq_len(m), "-")^2 / (2 * 1.5^2))
  smooth <- smooth / rowSums(smooth)
  best <- matrix(0, m, m)
  cluster <- matrix(0L, m, m)
  for (l in seq_len(nlevels(frame$group))) {
    at <- as.integer(frame$group) == l
    counts <- matrix(tabulate((row[at] - 1) * m + column[at], m * m), m)
    d <- smooth %*% counts %*% t(smooth)
    more <- d > best
    best[more] <- d[more]
    cluster[more] <- l
  }
  alpha <- sqrt(best / max(best))
  keep <- which(alpha > 0.05)
  wide <- diff(range(frame$x)) / m
  high <- diff(range(frame$y)) / m
  left <- min(frame$x) + wide * ((keep - 1L) %% m)
  low <- min(frame$y) + high * ((keep - 1L) %/% m)
  data.frame(
    xmin = left, xmax = left + wide, ymin = low, ymax = low + high,
    group = factor(levels(frame$group)[cluster[keep]], levels(frame$group)), alpha = round(alpha[keep], 3)
  )
}

# Bars that lie, a block a cluster, the first on top; beside each block its number of
# observations and its mean width.
silhouette_picture <- function(fit) {
  bars <- silhouette_bars(fit)
  means <- attr(bars, "clusters")
  n <- nrow(bars)
  gap <- max(1, round(0.015 * n))
  top <- n - bars$place + 1 + gap * (fit$k - as.integer(bars$cluster))
  frame <- data.frame(
    xmin = pmin(bars$width, 0), xmax = pmax(bars$width, 0), ymin = top - 1, ymax = top, group = bars$cluster
  )
  middle <- vapply(split((frame$ymin + frame$ymax) / 2, frame$group, drop = TRUE), mean, 0)
  at <- match(names(middle), means$cluster)
  label <- sprintf("%s: n = %s, mean %s", means$cluster[at], means$n[at], format(round(means$width[at], 2), nsmall = 2))
  left <- min(0, frame$xmin)
  right <- 1.06 + 0.0235 * max(nchar(label))
  mean <- attr(bars, "mean")
  least <- means[which.min(means$width), ]
  new_picture(
    sprintf(
      "Mean silhouette width %s, least in cluster %s (%s)", format(mean, digits = 3),
      least$cluster, format(least$width, digits = 2)
    ),
    list(
      new_layer("rect", frame),
      new_layer("down", data.frame(x = mean), lty = 2),
      new_layer(
        "text", data.frame(x = 1.03, y = unname(middle), label = label),
        adj = 0, size = if (fit$k > 12L) 0.65 else 0.85
      )
    ),
    groups = cluster_groups(fit$k), x = new_axis("silhouette width", c(left, right), breaks = pretty(c(left, 1))),
    y = new_axis("observations, by cluster", breaks = numeric())
  )
}

objective_picture <- function(fit) {
  starts <- start_table(fit)
  kinds <- levels(starts$kind)
  reached <- starts$value[fit$best_start]
  found <- sum(starts$value <= reached + 1e-8 * abs(reached), na.rm = TRUE)
  n <- nrow(starts)
  title <- if (n == 1L) {
    "One start: nothing to compare it with"
  } else if (found == n) {
    sprintf("All %d starts reached the same", n)
  } else {
    sprintf("%d of %d starts reached the best", found, n)
  }
  new_picture(
    title,
    list(
      new_layer("across", data.frame(y = reached), lty = 2),
      new_layer("point", data.frame(x = starts$start, y = starts$value, group = starts$kind), size = 1.2, key = TRUE)
    ),
    groups = new_groups(kinds, "kind of start"), legend = TRUE,
    x = new_axis("start", whole = TRUE), y = new_axis(objective_label(fit), limits = objective_limits(starts$value, kinds))
  )
}

# Room for the legend above; where all starts reached the same, rounding is not worth an axis.
objective_limits <- function(values, kinds) {
  shown <- range(values, finite = TRUE)
  most <- max(abs(shown))
  if (diff(shown) <= 1e-9 * most) shown <- shown + c(-1, 1) * if (most == 0) 1 else 0.05 * most
  shown + c(0, diff(shown) * (0.1 + 0.1 * length(kinds)))
}

# The mean semimetric value of pairs within and between clusters. The energy distance of two
# clusters is what the cell between them has more than the two on the diagonal.
dispersion_picture <- function(fit) {
  g <- fit_dispersions(fit)
  k <- nrow(g)
  title <- "Mean semimetric value of pairs"
  if (k > 1L) {
    apart <- 2 * g - outer(diag(g), diag(g), "+")
    apart[!upper.tri(apart)] <- NA
    nearest <- arrayInd(which.min(apart), dim(g))
    if (length(nearest)) {
      title <- sprintf(
        "Nearest clusters: %d and %d, energy distance %s", nearest[1L], nearest[2L],
        format(min(apart, na.rm = TRUE), digits = 3)
      )
    }
  }
  cluster <- function(at) new_axis("cluster", c(0.5, k + 0.5), breaks = at, labels = as.character(seq_len(k)))
  new_picture(
    title, heat_layers(g),
    subtitle = "mean semimetric value of pairs within and between clusters",
    x = cluster(seq_len(k)), y = cluster(rev(seq_len(k)))
  )
}

sizes_line <- function(fit) {
  if (fit$k > 12L) {
    return(sprintf("%d observations, clusters of %d to %d", fit$n, min(fit$sizes), max(fit$sizes)))
  }
  paste("sizes", paste(fit$sizes, collapse = ", "))
}

# The observations drawn: x, y, cluster; `medoids`, their places among those drawn; `plane`,
# are both coordinates real? `isometric`, are they principal coordinates, in one unit?
shown_points <- function(fit) {
  problem <- kept_problem(fit)
  shown <- thinned_rows(fit$cluster, small_n)
  medoids <- if (fit$n <= 10000) medoids(fit) else integer()
  shown <- sort(unique(c(shown, medoids)))
  frame <- plane_coordinates(problem, shown)
  given <- fit$call$x
  if (ncol(frame) == 1L && is.null(colnames(problem$points)) && is.language(given)) colnames(frame) <- deparse_short(given)
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
  shown <- thinned_rows(fit$cluster, small_n)
  medoids <- if (fit$n <= 10000) medoids(fit) else integer()
  shown <- sort(unique(c(shown, medoids)))
  names <- vertex_labels(graph)
  if (length(shown) < fit$n) graph <- igraph::induced_subgraph(graph, shown)
  at <- with_own_stream(igraph::layout_nicely(graph))
  if (!all(is.finite(at))) at <- igraph::layout_in_circle(graph) # as of graphs of loops alone
  ends <- igraph::as_edgelist(graph, names = FALSE)
  list(
    x = at[, 1L], y = at[, 2L], labels = c("", ""), cluster = unname(fit$cluster[shown]),
    medoids = match(medoids, shown), names = names[shown],
    edges = data.frame(
      x = at[ends[, 1L], 1L], y = at[ends[, 1L], 2L],
      xend = at[ends[, 2L], 1L], yend = at[ends[, 2L], 2L]
    )
  )
}

# What is written at a vertex: its name, else its number.
vertex_labels <- function(graph) {
  names <- vertex_names(graph)
  if (is.null(names)) as.character(seq_len(igraph::vcount(graph))) else shorten(names, most_drawn)
}

# Bars in the order of drawing: by cluster, in falling order. `clusters`, for each its number of
# observations and its mean width, all rows counted.
silhouette_bars <- function(fit) {
  geometry <- fit_geometry(fit)
  width <- silhouette_widths(fit, geometry)$width
  shown <- thinned_rows(fit$cluster, small_n)
  shown <- shown[order(fit$cluster[shown], -width[shown])]
  structure(
    data.frame(
      place = seq_along(shown), width = width[shown],
      cluster = factor(fit$cluster[shown], seq_len(fit$k))
    ),
    mean = silhouette_mean(width, geometry$w),
    clusters = data.frame(
      cluster = seq_len(fit$k), n = fit$sizes,
      width = vapply(seq_len(fit$k), function(l) {
        rows <- which(fit$cluster == l)
        silhouette_mean(width[rows], geometry$w[rows])
      }, 0)
    )
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
  share <- attr(out, "shares")
  names <- c("Principal coordinate 1", "Principal coordinate 2")
  known <- !is.na(share) & share <= 1
  names[known] <- sprintf("%s (%s of dispersion)", names[known], percent(share[known]))
  colnames(out) <- names
  out
}

# Classical scaling: the top m eigenvectors of the centred B, times the root of their
# eigenvalues; each axis has its largest entry positive. `shares`, the share of each axis in the
# dispersion of all observations drawn.
principal_coordinates <- function(problem, m) {
  n <- problem$n
  B <- pair_values(problem) * problem$unit
  B <- B - rowMeans(B)
  B <- t(t(B) - colMeans(B))
  B <- (B + t(B)) / 2
  top <- if (n <= 200L) {
    eigen(B, symmetric = TRUE)
  } else {
    eigs_of_matrix(B, m, "LA")
  }
  out <- matrix(0, n, m)
  for (axis in seq_len(min(m, length(top$values)))) {
    v <- top$vectors[, axis]
    out[, axis] <- v * sign(v[which.max(abs(v))]) * sqrt(max(top$values[axis], 0))
  }
  whole <- sum(diag(B))
  shares <- if (whole > 0) pmax(top$values[seq_len(m)], 0) / whole else rep(NA_real_, m)
  attr(out, "shares") <- shares
  out
}
