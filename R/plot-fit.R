#' Plot a fit
#'
#' `autoplot()` returns a figure of \pkg{ggplot2}; `plot()` prints it, into the next cell of a device that is divided by
#' `par(mfrow)` or `layout()`. Both take the arguments of `as_figure()`.
#'
#' @param x,object A fit from [kgroups()] or [kernel_kmeans()].
#' @param columns Columns of the data, by name or number: two for the plane, `plot(fit, c("a", "b"))`, any number for
#'   `"pairs"` and `"profile"`. Default `NULL`: see `type`.
#' @param type What to show:
#'   * `"coordinates"` (default): the observations in a plane, see `space`, the numbers of the clusters at their means.
#'     One column is shown as a histogram with lines midway between neighbouring clusters;
#'   * `"pairs"`: every two of `columns`, by default of the four numbers that the clusters separate best; with `space`,
#'     of its first axes, one less than there are clusters, from two to four;
#'   * `"profile"`: means of standardised `columns` by cluster and their standard deviations, by default of twelve
#'     numbers; the means as a heat map above twelve clusters;
#'   * `"silhouette"`: the silhouette widths by cluster, in decreasing order, and their weighted mean;
#'   * `"dispersion"`: the energy distances between clusters, as a heat map;
#'   * `"gaps"`, of a fit under [rho_connected()]: the heights of the spanning tree in decreasing order, with the
#'     threshold, and the tree of the branches, each with its weight and the colour of its largest cluster;
#'   * `"units"`, the default of a fit with [units][kgroups-units]: the units in a plane by their energy distances
#'     (classical scaling), beside their rows.
#' @param space The plane of `"coordinates"`, the axes of `"pairs"`:
#'   * `"cross-fitted"`: the rows are divided into halves, and each is clustered as the fit was. A row is drawn by the
#'     metric of the half that it is not in, along the axes in which the means of its clusters differ most, turned into
#'     those of the fit. See Planes;
#'   * `"points"`: two columns as they are, or the first two principal components of more;
#'   * `"discriminant"`: linear discriminant coordinates, in which the clusters are as far apart as a linear map
#'     permits;
#'   * `"feature"`: principal coordinates of the semimetric (classical scaling).
#'
#'   Default: `"cross-fitted"` for a learned metric of three columns or more, else `"points"`, and `"feature"` for
#'   dissimilarities and kernels.
#' @param outline Around each cluster: `"ellipse"`, that of its covariance which holds 90 % of it, `"hull"` or `"none"`.
#'   Default: ellipses above 200 observations, else hulls; none under [rho_connected()] and for graphs. For `contiguous`
#'   clusters lines join the neighbours in different clusters and mark the borders.
#' @param newdata New rows, as for [predict()][predict.kgroups_fit], that `"coordinates"` draws as stars in the colour
#'   of their cluster, with up to 50 names. They take no part in the choice of the plane. In the cross-fitted plane they
#'   are drawn midway between their places by the two halves. Default `NULL`: none.
#' @param ... Not used: an unknown argument is an error that names a close one. Add layers and scales to `autoplot()`.
#' @return A `ggplot` object, of `plot()` invisibly.
#' @details The eight colours differ also for readers with deficient colour vision; above eight clusters they
#' recur with other shapes. Labels of axes give their share of the variance (components) or of the dispersion (feature
#' space). The layout of a graph depends on its edges alone, not on the clusters.
#'
#' Up to 50 observations are drawn with their names, of at most 15 letters. Long names that share words are reduced to
#' the part in which they differ. Names and numbers that would touch another, or cover a point, are left out. A legend
#' replaces missing numbers of at most eight clusters.
#'
#' The subtitle reports the result of [cluster_test()] on at most 1000 rows, in the metric of the fit, or why there is
#' none, and the column that alone gives the clusters. A partition of one cloud can show white gaps.
#'
#' If some rows lie so far out that the others would fill less than a quarter of an axis, they are drawn at the rim, and
#' the subtitle reports their number. Columns that are named are drawn as they are.
#'
#' Above 5000 observations cells of the plane are shaded by their number. Without coordinates about
#' 2000 are drawn, from every cluster in proportion, and the figure states it. No random number is used.
#' @section Planes: A metric that was learned with the labels, and axes that were chosen by them, separate any labels.
#'   In the discriminant plane of one normal cloud (150 rows, 8 columns, three clusters) each row is nearest to the mean
#'   of its own cluster. In the cross-fitted plane no row takes part in the choice of its own metric and axes. There the
#'   share of these rows is 0.65 for the cloud (mean of 6), 0.69 for a uniform cloud of 300 rows and 5 columns (mean of
#'   12), and 0.96 for iris (`bench/plane.md`). The subtitle reports the adjusted Rand index of the clusters drawn and
#'   those that a half finds, the mean of both halves. For single clouds its means are 0.18 to 0.53, and 300 rows reach
#'   0.77. If the halves are too small to learn a metric, the plane is that of the components of the columns, and the
#'   subtitle states it.
#'
#' @section Complexity: Components: \eqn{O(n d^2)}{O(n d^2)}. Feature space: the pairwise dissimilarities of at most
#'   2000 observations. Cross-fitted: two fits of at most 1000 rows each. Silhouettes and dispersions:
#'   \eqn{O(n^2 d)}{O(n^2 d)} time and \eqn{O(n k)}{O(n k)} memory.
#'
#' A fit made with `keep.data = FALSE` can be drawn by `type = "gaps"` only. For a fit of a graph silhouettes and
#' dispersions are not defined, because its matrix defines no distances.
#' @family fits
#' @examples
#' # the plane of largest variance, then two columns
#' fit <- kgroups(USArrests, 3, standardize = TRUE)
#' plot(fit)
#' plot(fit, c("Murder", "UrbanPop"))
#'
#' # means of the columns by cluster; observations between two clusters have small silhouettes
#' plot(fit, type = "profile")
#' plot(fit, type = "silhouette")
#' ggplot2::autoplot(fit, type = "dispersion") + ggplot2::theme_minimal()
#' @export
plot.kgroups_fit <- plot.kgroups_result

#' @rdname plot.kgroups_fit
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_fit <- autoplot.kgroups_result

plot_types <- c("coordinates", "pairs", "profile", "silhouette", "dispersion", "gaps", "units")

#' @rdname plot.kgroups_fit
#' @export
as_figure.kgroups_fit <- function(x, columns = NULL,
                                  type = c(
                                    "coordinates", "pairs", "profile", "silhouette", "dispersion", "gaps", "units"
                                  ),
                                  space = NULL, outline = NULL, newdata = NULL, ...) {
  call <- rlang::caller_env()
  of_units <- missing(type) && !is.null(x$units) && is.null(columns) && is.null(space) && is.null(newdata)
  type <- if (of_units) "units" else check_choice(type, "type", plot_types, call = call)
  if (!is.null(space)) space <- check_choice(space, "space", spaces, call = call)
  if (!is.null(outline)) outline <- check_choice(outline, "outline", outlines, call = call)
  if (type == "silhouette") check_distances(x, "silhouette widths", call)
  if (type == "dispersion") check_distances(x, "mean semimetric values", call)
  if (!is.null(newdata) && type != "coordinates") {
    abort_input(
      "newdata", call, "`newdata` is drawn by `type = \"coordinates\"` alone.", "You supplied `type = \"{type}\"`.",
      "Leave one of them out."
    )
  }
  if (type != "gaps") kept_problem(x, call)
  x <- observed_fit(x)
  out <- switch(type,
    coordinates = coordinates_figure(x, columns, space, outline, newdata, call),
    pairs = pairs_figure(x, columns, space, call),
    profile = profile_figure(x, columns, call),
    silhouette = silhouette_figure(x, call),
    dispersion = dispersion_figure(x),
    gaps = gaps_figure(x, call),
    units = units_figure(x, call)
  )
  if (type == "gaps") out else with_verdict(out, x)
}

# A figure whose subtitle begins with the test of one cluster and the columns that alone give the clusters.
with_verdict <- function(figure, fit) {
  figure$subtitle <- notes_text(one_cluster_text(fit), given_by_column(fit), figure$subtitle)
  figure
}

# ---- observations in a plane ----

# Neighbours in different ones of contiguous clusters, linked by lines.
border_layer <- function(fit, all, rows) {
  ends <- matrix(match(fit$constraints$contiguous, rows), ncol = 2L)
  ends <- ends[which(all$group[ends[, 1L]] != all$group[ends[, 2L]]), , drop = FALSE]
  lines <- cbind(all[ends[, 1L], c("x", "y")], all[ends[, 2L], c("x", "y")])
  names(lines) <- c("x", "y", "xend", "yend")
  new_layer("segment", lines, colour = "grey40", alpha = 0.6)
}

outlines <- c("ellipse", "hull", "none")

coordinates_figure <- function(fit, columns, space, outline, newdata, call) UseMethod("coordinates_figure")

#' @export
coordinates_figure.kgroups_fit <- function(fit, columns, space, outline, newdata, call) {
  new <- if (!is.null(newdata)) new_rows(fit, newdata, call)
  plane <- fit_plane(fit, columns, space, call, new)
  cluster <- c(unname(fit$cluster), new$cluster)[plane$rows]
  old <- plane$rows <= fit$n
  noise <- c(is_noise(fit), logical(length(new$cluster)))[plane$rows]
  if (ncol(plane$at) == 1L) {
    return(line_figure(fit, plane, cluster, old, noise, new$note))
  }
  if (is.null(columns)) plane$at <- at_rim(plane$at)
  connected <- is_connected(fit$semimetric)
  categories <- lengths(lapply(plane$columns, `[[`, "levels")) > 0L
  if (any(categories)) plane$at[, categories] <- plane$at[, categories] + beside(cluster, fit$k)
  outline <- outline %||% if (connected || any(categories)) "none" else if (fit$n > 200L) "ellipse" else "hull"
  all <- data.frame(x = plane$at[, 1L], y = plane$at[, 2L], group = as_cluster(cluster, fit$k))
  found <- all[old & !noise, ]
  drawn <- point_layers(found, outline, fit$k, (attr(plane$at, "far") %||% logical(nrow(all)))[old & !noise])
  names <- cbind(all[c("x", "y")], label = drawn_names(fit, new)[plane$rows])
  names <- names[!is.na(names$label), ]
  new_figure(
    fit_title(fit),
    c(
      list(border_layer(fit, all, plane$rows)), drawn$layers,
      list(noise_layer(all[old & noise, ])), new_layers(all[!old, ]), list(name_layer(names)),
      if (!any(categories)) list(number_layer((if (connected) middle_points else projected_means)(found), fit$k))
    ),
    subtitle = notes_text(
      plane$note, noise_note(fit), drawn_note(plane$rows[old], fit), drawn$notes, new$note, attr(plane$at, "note")
    ),
    groups = cluster_groups(fit$k), equal = plane$isometric && alike_ranges(all), x = plane_axis(plane, 1L),
    y = plane_axis(plane, 2L), legend = any(categories) && fit$k > 1L
  )
}

# The test of one cluster, or why there is none.
one_cluster_text <- function(fit) {
  test <- one_cluster_of(fit)
  if (!is.null(test$p)) verdict_of(test$p) else if (!is.null(test)) {
    sprintf("one cluster not tested: %s", test$untested)
  }
}

given_by_column <- function(fit) sub("^(.)", "\\L\\1", alone_text(fit) %||% character(), perl = TRUE)

# New rows of predict(): their points in the space of the fit, if it has one, their clusters, names and a note.
new_rows <- function(fit, newdata, call) {
  kept <- kept_data(fit, call)
  if (is.null(kept$problem$points)) {
    abort_input(
      "newdata", call, "`newdata` needs a fit of a matrix or a data frame.",
      "This fit has no coordinates.", "Leave `newdata` out."
    )
  }
  read <- read_newdata(fit, kept, newdata, call)
  cluster <- stats::predict(fit, newdata)
  known <- which(read$known)
  list(
    data = newdata, points = read$y, known = known, cluster = unname(cluster[known]),
    names = names(cluster)[known], note = sprintf("%s (*)", count_of(length(known), "new row", "new rows"))
  )
}

# The names to draw: of few rows, and of few new ones; NA for the others.
drawn_names <- function(fit, new) {
  some <- function(names, n) if (n <= most_named && !is.null(names)) brief_names(names) else rep(NA_character_, n)
  c(some(names(fit$cluster), fit$n), some(new$names, length(new$cluster)))
}

# Equal units on both axes unless one range is a small part of the other.
alike_ranges <- function(frame) {
  range <- c(diff(range(frame$x)), diff(range(frame$y)))
  all(is.finite(range)) && min(range) >= max(range) / 3
}

# ---- one column ----

# A histogram stacked by cluster, with a line between neighbouring clusters; far values stand at the rim, noise below.
line_figure <- function(fit, plane, cluster, old, noise, note) {
  k <- fit$k
  kept <- old & !noise
  cuts <- cluster_cuts(plane$at[kept, 1L], cluster[kept])
  plane$at <- at_rim(plane$at)
  all <- data.frame(x = plane$at[, 1L], y = 0, group = as_cluster(cluster, k))
  x <- all$x[kept]
  cuts <- cuts[cuts > min(x) & cuts < max(x)]
  breaks <- histogram_breaks(x)
  cells <- length(breaks) - 1L
  cell <- findInterval(x, breaks, rightmost.closed = TRUE, all.inside = TRUE)
  means <- group_means(x, cluster[kept], k)
  # clusters in the order of their means, one upon the other
  upon <- order(means)
  counts <- matrix(tabulate(cell + cells * (cluster[kept] - 1L), cells * k), cells)[, upon, drop = FALSE]
  top <- matrix(apply(counts, 1L, cumsum), ncol = k, byrow = TRUE)
  bars <- data.frame(
    xmin = breaks[-(cells + 1L)], xmax = breaks[-1L], ymin = as.vector(top - counts), ymax = as.vector(top),
    group = as_cluster(rep(upon, each = cells), k)
  )
  most <- max(top)
  at <- which(is.finite(means))
  # numbers of many clusters in three rows, of few beside each other
  if (k <= 8L) means[at] <- set_apart(means[at], max(0.04, 0.2 / (figure_size()[1L] - 0.8)) * diff(range(breaks)))
  high <- if (k > 8L) 0.11 * (rank(means[at]) - 1) %% 3 else 0
  new_figure(
    fit_title(fit),
    c(
      list(
        new_layer("rect", bars[bars$ymax > bars$ymin, ], alpha = 0.75),
        new_layer("down", data.frame(x = cuts), lty = 2, colour = "grey30"), noise_layer(all[noise, ])
      ),
      new_layers(all[!old, ]),
      list(number_layer(data.frame(x = means[at], y = (1.07 + high) * most, group = as_cluster(at, k)), k))
    ),
    subtitle = notes_text(
      noise_note(fit), if (length(cuts)) "lines: midway between neighbouring clusters",
      attr(plane$at, "note"), note
    ),
    groups = cluster_groups(k), x = plane_axis(plane, 1L),
    y = new_axis("observations", c(0, (1.12 + max(high)) * most), whole = TRUE)
  )
}

# Midpoints between clusters along a line; none if they are no intervals.
cluster_cuts <- function(x, cluster) {
  by_size <- order(x)
  at <- which(diff(cluster[by_size]) != 0)
  if (length(at) >= length(unique(cluster))) numeric() else (x[by_size][at] + x[by_size][at + 1L]) / 2
}

# ---- several columns ----

# The columns that a figure of several shows: those of the user, else the numbers that the clusters separate best,
# columns of few values last; and a note on those left out.
shown_columns <- function(fit, columns, most, call) {
  table <- fit_columns(fit, call)
  if (!is.null(columns)) {
    return(list(columns = table[check_columns(columns, names(table), call)]))
  }
  plain <- vapply(table, function(column) column$type != "categories" && length(column$levels) == 0L, NA)
  numbers <- table[plain]
  if (length(numbers) == 0L) abort_no_columns("categories alone", call)
  share <- vapply(numbers, function(column) {
    separated_share(column$values, unname(fit$cluster), fit$k) - (length(unique(column$values)) <= 10L)
  }, 0)
  shown <- sort(utils::head(order(-share), most))
  left <- c(
    if (length(shown) < length(numbers)) {
      sprintf("%d of %d columns of numbers, those that differ most", length(shown), length(numbers))
    },
    if (any(!plain)) sprintf("without %s of categories", count_of(sum(!plain), "column", "columns"))
  )
  list(columns = numbers[shown], note = left)
}

# The share of the variance of a column that lies between the clusters.
separated_share <- function(values, cluster, k) {
  seen <- is.finite(values)
  values <- values[seen] / max(abs(values[seen]), .Machine$double.xmin)
  values <- values - mean(values)
  size <- pmax(tabulate(cluster[seen], k), 1)
  share <- sum(sum_by(values, cluster[seen], k)^2 / size) / sum(values^2)
  if (is.finite(share)) share else 0
}

# Panels of every two of at most six columns: their names, the `pairs`, the `points` of some rows with their number
# `row`, the axes of each, and whether both columns are `plain` numbers; categories stand beside their levels, by
# cluster; far values at the `rim`, with a note.
pair_panels <- function(columns, fit, rows, rim = FALSE) {
  columns <- utils::head(columns, 6L)
  cluster <- unname(fit$cluster)[rows]
  values <- lapply(columns, function(column) {
    as.numeric(column$values[rows]) + if (length(column$levels)) beside(cluster, fit$k) else 0
  })
  at <- do.call(cbind, values)
  if (rim) at <- at_rim(at)
  axes <- Map(function(column, j) {
    axis <- column_axis(column, at[, j])
    # marks of single panels need limits
    if (length(axis$breaks) && is.null(axis$limits)) axis$limits <- range(at[, j], finite = TRUE)
    axis
  }, columns, seq_along(columns))
  pairs <- utils::combn(length(columns), 2L)
  brief <- all_different(brief_names(names(columns), if (is_narrow()) 12L else 20L))
  plain <- lengths(lapply(columns, `[[`, "levels")) == 0L
  names <- sprintf("%s by %s", brief[pairs[2L, ]], brief[pairs[1L, ]])
  points <- Map(function(x, y, panel) {
    finite_points(data.frame(x = at[, x], y = at[, y], group = as_cluster(cluster, fit$k), panel = panel, row = rows))
  }, pairs[1L, ], pairs[2L, ], names)
  list(
    names = names, pairs = matrix(names(columns)[pairs], 2L), points = do.call(rbind, points),
    axes = stats::setNames(Map(function(x, y) list(x = axes[[x]], y = axes[[y]]), pairs[1L, ], pairs[2L, ]), names),
    note = attr(at, "note"), plain = unname(plain[pairs[1L, ]] & plain[pairs[2L, ]])
  )
}

# A figure of such panels; one pair has the names of its columns on the axes.
pair_figure <- function(panels, title, layers, subtitle, k) {
  figure <- new_figure(title, layers, subtitle = subtitle, groups = cluster_groups(k))
  # panels of categories have no numbers
  figure$legend <- !any(panels$plain) && k > 1L
  if (length(panels$names) > 1L) {
    figure[c("panels", "axes")] <- panels[c("names", "axes")]
  } else {
    figure[c("x", "y")] <- Map(replace, panels$axes[[1L]], "label", panels$pairs[, 1L])
  }
  figure
}

# A panel for every two columns, with the numbers at the means of columns of numbers.
pairs_figure <- function(fit, columns, space, call) {
  most <- if (is_narrow()) 3L else 4L
  chosen <- if (is.null(space)) shown_columns(fit, columns, most, call) else plane_columns(fit, space, call)
  if (length(chosen$columns) < 2L) {
    abort_input(
      "columns", call, "`type = \"pairs\"` needs two columns or more.", "There is one.",
      "Use `type = \"coordinates\"`."
    )
  }
  rows <- thinned_rows(fit$cluster, small_n)
  panels <- pair_panels(chosen$columns, fit, rows, is.null(columns))
  many <- length(rows) > 500L
  noise <- is_noise(fit)[panels$points$row]
  means <- lapply(panels$names[panels$plain], function(panel) {
    cbind(projected_means(panels$points[panels$points$panel == panel & !noise, ]), panel = panel)
  })
  found <- panels$points[!noise, 1:4]
  parts <- split(found, factor(found$panel, panels$names))
  # at most a tenth of an inch for each inch of a panel
  most <- min(frame_inches(list(panels = panels$names, legend = FALSE))) / 1.9
  counted <- lapply(parts, counted_points, most = 2.7 * min(1, most))
  few <- lengths(counted) == 0L
  counted[few] <- lapply(parts[few], cbind, size = if (many) 0.8 else 1.1)
  pair_figure(panels, fit_title(fit), list(
    new_layer("point", do.call(rbind, unname(counted)), alpha = if (many) 0.5, key = TRUE),
    noise_layer(panels$points[noise, ]), number_layer(do.call(rbind, means), fit$k)
  ), notes_text(
    chosen$note, noise_note(fit), drawn_note(rows, fit), if (!all(few)) "size by count", panels$note
  ), fit$k)
}

# The first axes of a space as columns: one less than there are clusters, from two to four.
plane_columns <- function(fit, space, call) {
  plane <- fit_plane(fit, NULL, space, call, axes = max(2L, min(if (is_narrow()) 3L else 4L, fit$k - 1L)))
  # titles of panels have no room for names and shares
  axes <- sub(" [(].*", "", colnames(plane$at))
  name <- tolower(sub(" [0-9]+$", "", axes[1L]))
  if (length(axes) > 2L) axes <- paste("axis", seq_along(axes))
  values <- matrix(NA_real_, fit$n, ncol(plane$at), dimnames = list(NULL, axes))
  values[plane$rows, ] <- plane$at
  list(
    columns = lapply(as.data.frame(values, optional = TRUE), function(one) list(values = one)),
    note = plane$note %||% sprintf("axes: %ss", name)
  )
}

# Means of standardised columns by cluster, with one standard deviation on both sides.
profile_figure <- function(fit, columns, call) {
  chosen <- shown_columns(fit, columns, 12L, call)
  columns <- chosen$columns
  k <- fit$k
  frame <- do.call(rbind, lapply(seq_along(columns), function(j) column_profile(fit, columns[[j]]$values, j)))
  if (k > 12L) {
    return(heat_figure(
      fit_title(fit), matrix(frame$y, k), text = "", name = "mean", size = NULL, rows = as.character(seq_len(k)),
      columns = names(columns), subtitle = notes_text("means of standardised columns by cluster", chosen$note)
    ))
  }
  frame <- frame[is.finite(frame$y), ]
  last <- frame[frame$column == length(columns), c("x", "y", "group")]
  last$x <- length(columns) + 0.45
  last$y <- set_apart(last$y, 0.085 * diff(range(frame$low, frame$high)))
  bars <- with(frame, data.frame(x, y = low, xend = x, yend = high, group))
  new_figure(
    fit_title(fit),
    list(
      new_layer("across", data.frame(y = 0), lty = 3, colour = "grey60"),
      new_layer("segment", bars, alpha = 0.45, lwd = 1.5),
      new_layer("point", frame[c("x", "y", "group")], size = 1.1, key = TRUE), number_layer(last, k)
    ),
    subtitle = notes_text("means of standardised columns, bars of one standard deviation", chosen$note),
    groups = cluster_groups(k), y = new_axis("standardised mean"),
    x = named_axis(names(columns), upright = max(nchar(names(columns))) > 8 * figure_size()[1L] / length(columns))
  )
}

# The place, mean and standard deviation on both sides of one column in each cluster.
column_profile <- function(fit, values, column) {
  k <- fit$k
  values <- as.numeric(values)
  seen <- is.finite(values) & !is_noise(fit)
  values <- values[seen]
  cluster <- unname(fit$cluster)[seen]
  sd <- stats::sd(values)
  values <- (values - mean(values)) / if (isTRUE(sd > 0)) sd else 1
  mean <- group_means(values, cluster, k)
  spread <- sqrt(pmax(group_means(values^2, cluster, k) - mean^2, 0))
  shift <- if (k > 1L) (seq_len(k) - (k + 1) / 2) * 0.5 / k else 0
  data.frame(
    x = column + shift, y = mean, low = mean - spread, high = mean + spread, group = as_cluster(seq_len(k), k),
    column = column
  )
}

# Heights moved as little as their order and a least gap between them allow.
set_apart <- function(y, gap) {
  order <- order(y)
  steps <- gap * seq_along(y)
  y[order] <- stats::isoreg(y[order] - steps)$yf + steps
  y
}

# ---- silhouette ----

silhouette_figure <- function(fit, call = rlang::caller_env()) {
  if (fit$k == 1L) abort_input("k", call, "A silhouette needs two clusters or more.", "The fit has one.")
  geometry <- fit_geometry(fit)
  width <- silhouette_widths(fit, geometry)$width
  mean_of <- function(rows) silhouette_mean(width[rows], geometry$w[rows])
  means <- vapply(seq_len(fit$k), function(l) mean_of(which(fit$cluster == l)), 0)
  overall <- mean_of(seq_along(width))
  title <- sprintf(
    "Mean silhouette width %s, least in cluster %d (%s)", format(overall, digits = 3), which.min(means),
    format(min(means, na.rm = TRUE), digits = 2)
  )
  shown <- setdiff(thinned_rows(fit$cluster, small_n), which(is_noise(fit)))
  blocks_figure(width, unname(fit$cluster), fit$k, title, "silhouette width", overall, means, fit$sizes, shown)
}

# ---- dispersion ----

# Energy distances of the clusters; above eight in the order of a tree of them.
dispersion_figure <- function(fit) {
  E <- energies_of(fit_dispersions(fit))
  by_tree <- nrow(E) > 8L && all(is.finite(E))
  order <- if (by_tree) stats::hclust(stats::as.dist(pmax(E, 0)), "average")$order else seq_len(nrow(E))
  distance_figure(E, "cluster", "One cluster: no distances", order)
}

# ---- gaps of rho_connected(): the spanning tree, and the tree of the branches on the same scale ----

# On the left at most some 2000 heights; on the right the branches, with their weights, in the colour of
# the cluster that has most of each.
gaps_figure <- function(fit, call = rlang::caller_env()) {
  found <- fit_gaps(fit, call)
  panels <- c("edges by rank (log scale)", "branches with their weights")
  heights <- rev(found$heights)
  rank <- unique(round(exp(seq(0, log(max(1, length(heights))), length.out = 2000))))
  rank <- rank[rank <= length(heights)]
  edges <- data.frame(x = log10(rank), y = heights[rank], panel = rep(panels[1L], length(rank)))
  tree <- gap_tree(found)
  top <- range(0, heights, found$merges$height, found$threshold)
  # symbols and weights stand below the threshold
  foot <- found$threshold - 0.05 * top[2L]
  lines <- if (!is.null(tree)) cbind(tree_segments(tree, foot), panel = panels[2L])
  cluster <- max.col(branch_shares(fit), ties.method = "first")
  leaves <- data.frame(
    x = if (is.null(tree)) 1 else order(tree$order), y = foot, group = as_cluster(cluster, fit$k), panel = panels[2L]
  )
  weights <- data.frame(
    x = leaves$x, y = foot - 0.06 * top[2L], label = sprintf(" %s ", format(found$weight, trim = TRUE, digits = 3)),
    panel = panels[2L]
  )
  powers <- seq(0, floor(log10(max(1, length(heights)))))
  height <- new_axis("height", c(min(0, weights$y) - 0.05 * top[2L], top[2L]))
  last <- log10(max(2, length(heights)))
  ranks <- new_axis("", c(0, last), powers, format(10^powers, trim = TRUE, scientific = FALSE))
  branches <- new_axis("", c(0.5, found$branches + 0.5), numeric())
  figure <- new_figure(
    sprintf("%s, threshold %s", count_of(found$branches, "branch", "branches"), format(found$threshold, digits = 3)),
    list(
      new_layer("line", edges, colour = "grey60"),
      new_layer("point", edges, shape = 16L, size = 0.6, colour = "black"),
      new_layer("across", data.frame(y = found$threshold, panel = panels), colour = "grey40"),
      new_layer("segment", lines), new_layer("point", leaves, size = 1.4, key = TRUE),
      if (nrow(leaves) <= 20L) new_layer("text", weights, colour = "black", size = 0.8, thin = TRUE)
    ),
    y = height, groups = cluster_groups(fit$k), panels = panels
  )
  height$label <- ""
  figure$axes <- stats::setNames(Map(function(x) list(x = x, y = height), list(ranks, branches)), panels)
  figure
}

fit_gaps <- function(fit, call) {
  found <- if (is_connected(fit$semimetric)) fit$semimetric$found
  if (is.null(found)) {
    abort_input(
      "type", call, "`type = \"gaps\"` needs a fit under `rho_connected()`.", "This one has another semimetric.",
      "Fit with `semimetric = rho_connected()`."
    )
  }
  found
}

# The tree of the branches, single linkage over the edges that join them; NULL for one branch.
gap_tree <- function(found) {
  merges <- found$merges
  if (nrow(merges) > 0L) {
    d <- matrix(2 * max(merges$height), found$branches, found$branches)
    d[cbind(pmax(merges$a, merges$b), pmin(merges$a, merges$b))] <- merges$height
    stats::hclust(stats::as.dist(d), "single")
  }
}

# ---- units ----

# Two panels: units by the principal coordinates of their energy distances, and rows in the plane of the points.
units_figure <- function(fit, call = rlang::caller_env()) {
  if (is.null(fit$units)) {
    abort_input(
      "type", call, "`type = \"units\"` needs a fit with `units`.", "This one has none.", "Fit with `units = id`."
    )
  }
  units <- fit$units
  problem <- as_problem(energies_of_units(fit, call), rho_power(1), units$weight, call = call)
  at <- feature_plane(problem, seq_len(problem$n))
  plane <- fit_plane(fit, NULL, NULL, call)
  rows <- plane$rows
  if (length(rows) > most_points) rows <- rows[thinned_rows(fit$cluster[rows], most_points)]
  place <- plane$at[match(rows, plane$rows), , drop = FALSE]
  # one column: a line a unit, by cluster
  if (ncol(place) == 1L) {
    line <- order(order(units$cluster))
    place <- cbind(place, unit = line[fit$kept$unit[rows]])
  }
  panels <- c(
    sprintf("%d units: coordinate 2 by 1", nrow(units)),
    sprintf("%d rows: %s by %s", length(rows), colnames(place)[2L], colnames(place)[1L])
  )
  points <- function(at, cluster, panel) data.frame(
    x = at[, 1L], y = at[, 2L], group = as_cluster(cluster, fit$k), panel = panel
  )
  of_units <- points(at, units$cluster, panels[1L])
  of_rows <- points(place, fit$cluster[rows], panels[2L])
  names <- if (nrow(units) <= most_named) cbind(of_units[c("x", "y", "panel")], label = brief_names(units$unit))
  new_figure(
    sprintf("%d cluster%s of %s units", fit$k, plural(fit$k), sizes_range(tabulate(units$cluster, fit$k))),
    list(
      new_layer("point", of_rows, size = 0.5, alpha = if (length(rows) > 500L) 0.4),
      new_layer("point", of_units, size = 1.2, key = TRUE),
      name_layer(names), number_layer(cbind(projected_means(of_units), panel = panels[1L]), fit$k)
    ),
    subtitle = "units by their energy distances", groups = cluster_groups(fit$k), panels = panels
  )
}
