# Figures of the observations of a fit: in a plane, along one column, in pairs of columns, as profiles.

spaces <- c("cross-fitted", "points", "discriminant", "feature")
outlines <- c("ellipse", "hull", "none")

# ---- a plane ----

coordinates_figure <- function(fit, columns, space, outline, newdata, call) UseMethod("coordinates_figure")

#' @export
coordinates_figure.kgroups_fit <- function(fit, columns, space, outline, newdata, call) {
  new <- if (!is.null(newdata)) new_rows(fit, newdata, call)
  plane <- fit_plane(fit, columns, space, call, new)
  if (ncol(plane$at) == 1L) {
    return(line_figure(fit, plane, new))
  }
  connected <- is_connected(fit$semimetric)
  categories <- lengths(plane$levels) > 0L
  cluster <- c(unname(fit$cluster), new$cluster)[plane$rows]
  if (any(categories)) plane$at[, categories] <- plane$at[, categories] + beside(cluster, fit$k)
  outline <- outline %||% if (connected || any(categories)) "none" else if (fit$n > 200L) "ellipse" else "hull"
  all <- data.frame(x = plane$at[, 1L], y = plane$at[, 2L], group = as_cluster(cluster, fit$k))
  noise <- c(is_noise(fit), logical(length(new$cluster)))[plane$rows]
  old <- plane$rows <= fit$n
  drawn <- point_layers(all[old & !noise, ], outline, fit$k)
  names <- drawn_names(fit, new)[plane$rows]
  if (all(is.na(names))) names <- NULL
  notes <- c(
    plane$note, sizes_note(fit), if (sum(old) < fit$n) sprintf("%d of %d drawn", sum(old), fit$n), drawn$notes, new$note
  )
  new_figure(
    fit_title(fit),
    c(
      drawn$layers,
      list(
        new_layer("point", all[old & noise, c("x", "y")], shape = 3L, size = 0.8, colour = "grey50"),
        if (!is.null(names)) {
          new_layer("names", cbind(all[c("x", "y")], label = names)[!is.na(names), ], colour = "grey15", size = 0.7)
        }
      ),
      if (!any(categories)) {
        number_layers((if (connected) middle_points else projected_means)(all[old & !noise, ]), fit$k)
      },
      new_layers(all[!old, ])
    ),
    subtitle = notes_text(notes), groups = cluster_groups(fit$k),
    equal = plane$isometric && alike_ranges(all), x = plane_axis(plane, 1L),
    y = plane_axis(plane, 2L, if (!is.null(names)) all$y),
    legend = any(categories) && fit$k > 1L
  )
}

# New rows of predict(): their points in the space of the fit, if it has one, their clusters, names and a note.
new_rows <- function(fit, newdata, call) {
  kept <- kept_data(fit, call)
  if (is.null(kept$problem$points)) {
    abort_input(
      "newdata", call, "{.arg newdata} needs a fit of a matrix or a data frame.",
      "This fit has no coordinates.", "Leave {.arg newdata} out."
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

# New rows as stars in the colour of their cluster, on white ones.
new_layers <- function(frame) {
  list(
    new_layer("point", frame[c("x", "y")], shape = 8L, size = 2, lwd = 6, colour = "white"),
    new_layer("point", frame[c("x", "y", "group")], shape = 8L, size = 1.9, lwd = 2.5)
  )
}

most_named <- 50L # observations that have their names
most_points <- 5000L # above, the figure shows their density

# Layers of the points and the outlines of clusters, and notes on them. Outlines are drawn upon many points, which are
# pale.
point_layers <- function(frame, outline, k) {
  many <- nrow(frame) > most_points
  dense <- nrow(frame) > 1000L
  counted <- if (!many) counted_points(frame)
  points <- if (many) {
    new_layer("rect", density_cells(frame))
  } else {
    new_layer(
      "point", counted %||% frame, size = if (nrow(frame) > 500L) 0.6 else 0.9, alpha = if (dense) 0.4, key = TRUE
    )
  }
  lines <- outline_layer(frame, outline, k, dense && !many)
  list(
    layers = if (dense) list(points, lines) else list(lines, points),
    notes = c(
      if (many) "darker where there are more", if (!is.null(counted)) "size by count",
      if (outline == "ellipse" && k > 0L) "ellipses hold 90 %"
    )
  )
}

# Places beside a level, by cluster.
beside <- function(cluster, k) 0.6 * (unname(cluster) - (k + 1) / 2) / k

# Equal units on both axes unless one range is a small part of the other.
alike_ranges <- function(frame) {
  range <- c(diff(range(frame$x)), diff(range(frame$y)))
  all(is.finite(range)) && min(range) >= max(range) / 3
}

# Names above the points of `named` need space.
plane_axis <- function(plane, axis, named = NULL) {
  levels <- plane$levels[[axis]]
  label <- colnames(plane$at)[axis]
  if (length(levels) > 0L && length(levels) <= 20L) {
    return(named_axis(levels, label))
  }
  range <- if (any(is.finite(named))) range(named, finite = TRUE)
  new_axis(label, if (!is.null(range) && diff(range) > 1e-6 * max(abs(range))) range + c(0, 0.06) * diff(range))
}

projected_means <- function(frame) {
  frame <- frame[is.finite(frame$x) & is.finite(frame$y), ]
  k <- nlevels(frame$group)
  size <- tabulate(frame$group, k)
  at <- which(size > 0)
  mean_of <- function(values) (sum_by(values, as.integer(frame$group), k) / size)[at]
  data.frame(x = mean_of(frame$x), y = mean_of(frame$y), group = as_cluster(at, k))
}

# The number of each cluster in a white circle in its colour.
number_layers <- function(at, k) {
  if (NROW(at) == 0L || NROW(at) == 1L && isTRUE(k == 1L)) {
    return(NULL)
  }
  size <- if (nrow(at) > 12L) 0.75 else 1
  text <- data.frame(at[c("x", "y")], label = as.character(at$group))
  list(
    new_layer("point", at, shape = 21L, size = 2.9 * size, lwd = 1.5, ground = "white"),
    new_layer("text", text, colour = "black", face = "bold", size = 0.75 * size)
  )
}

# The point nearest to the median of each cluster, which carries its number.
middle_points <- function(frame) {
  parts <- lapply(split(frame, frame$group, drop = TRUE), function(part) {
    part[which.min((part$x - stats::median(part$x))^2 + (part$y - stats::median(part$y))^2), c("x", "y", "group")]
  })
  do.call(rbind, unname(parts))
}

# Names of at most 15 letters, cut in the middle if they begin alike.
brief_names <- function(names) {
  names <- shorten(names, most_drawn)
  long <- nchar(names) > 15L
  start <- substr(names, 1L, 13L)
  alike <- long & (duplicated(start) | duplicated(start, fromLast = TRUE))
  names[long & !alike] <- paste0(start[long & !alike], "..")
  names[alike] <- paste0(substr(start[alike], 1L, 6L), "..", substring(names[alike], nchar(names[alike]) - 6L))
  names
}

outline_layer <- function(frame, outline, k, above = FALSE) {
  frame <- frame[is.finite(frame$x) & is.finite(frame$y), ]
  corners <- switch(outline, none = NULL, hull = hull_corners(frame), ellipse = ellipse_corners(frame))
  # thin grey lines leave many clusters readable
  if (k > 12L || above) {
    new_layer("polygon", corners, colour = if (above && k <= 12L) "grey20" else "grey70", alpha = 0)
  } else {
    new_layer("polygon", corners, alpha = 0.1)
  }
}

hull_corners <- function(frame) {
  corners <- lapply(split(frame, frame$group, drop = TRUE), function(part) part[grDevices::chull(part$x, part$y), ])
  do.call(rbind, unname(corners))[c("x", "y", "group")]
}

# The ellipse of the covariance of each cluster that holds 90 % of its points.
ellipse_corners <- function(frame, share = 0.9) {
  turn <- seq(0, 2 * pi, length.out = 61L)[-1L]
  corners <- lapply(split(frame, frame$group, drop = TRUE), function(part) {
    z <- cbind(part$x, part$y)
    middle <- colMeans(z)
    z <- t(t(z) - middle)
    values <- eigen(crossprod(z) / nrow(z), symmetric = TRUE)
    sd <- sqrt(pmax(values$values, 0))
    if (nrow(z) < 4L || sd[2L] <= 1e-8 * sd[1L]) {
      return(NULL)
    }
    axes <- t(values$vectors) / sd
    far <- sqrt(stats::quantile(colSums((axes %*% t(z))^2), share, names = FALSE))
    at <- far * (cbind(cos(turn), sin(turn)) * rep(sd, each = 60L)) %*% t(values$vectors)
    data.frame(x = middle[1L] + at[, 1L], y = middle[2L] + at[, 2L], group = part$group[1L])
  })
  do.call(rbind, unname(corners))
}

# Points at few places, as of factors: one for each place, with an area as its count. NULL if most places differ.
counted_points <- function(frame) {
  key <- paste(signif(frame$x, 10), signif(frame$y, 10), frame$group)
  places <- !duplicated(key)
  if (nrow(frame) < 10L || 2 * sum(places) > nrow(frame)) {
    return(NULL)
  }
  count <- tabulate(match(key, key[places]))
  out <- frame[places, ]
  out$size <- 0.8 + 2.7 * sqrt(count / max(count))
  out
}

# Cells of the plane in the colour of the cluster that has most of its points, opaque by their number.
density_cells <- function(frame, cells = 70L) {
  frame <- frame[is.finite(frame$x) & is.finite(frame$y), ]
  cut <- function(values) {
    low <- min(values)
    width <- max(diff(range(values)), .Machine$double.xmin) / cells
    list(at = pmin(floor((values - low) / width), cells - 1), low = low, width = width)
  }
  x <- cut(frame$x)
  y <- cut(frame$y)
  k <- nlevels(frame$group)
  key <- x$at + cells * y$at
  places <- sort(unique(key))
  counts <- matrix(
    tabulate(match(key, places) + length(places) * (as.integer(frame$group) - 1L), length(places) * k), ncol = k
  )
  total <- rowSums(counts)
  left <- x$low + x$width * (places %% cells)
  foot <- y$low + y$width * (places %/% cells)
  data.frame(
    xmin = left, xmax = left + x$width, ymin = foot, ymax = foot + y$width,
    group = as_cluster(max.col(counts, ties.method = "first"), k), alpha = 0.1 + 0.9 * sqrt(total / max(total))
  )
}

fit_title <- function(fit) {
  if (fit$k == 1L) {
    sprintf("One cluster of %d observations", fit$n)
  } else {
    sprintf("%d clusters of %s observations", fit$k, sizes_range(fit$sizes))
  }
}

# The sizes of at most six clusters, else their range.
sizes_range <- function(sizes) {
  k <- length(sizes)
  if (k > 6L) {
    sprintf("%d to %d", min(sizes), max(sizes))
  } else {
    sub(", ([0-9]+)$", " and \\1", paste(sizes, collapse = ", "))
  }
}

is_noise <- function(fit) unname(fit$noise) %||% logical(fit$n)

# The sizes that the title has no room for, and the number of trimmed observations.
sizes_note <- function(fit) {
  noise <- sum(is_noise(fit))
  c(
    if (fit$k %in% 7:12) paste("sizes", paste(fit$sizes, collapse = ", ")),
    if (noise > 0) sprintf("%d noise (+)", noise)
  )
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

# ---- coordinates ----

# Return `at`, named columns, two unless `axes` is more or the data have one; the `rows` they belong to, those above n
# are new; `levels` of columns of categories; `isometric`: are distances in the plane those of the data? `note`: how the
# plane was chosen.
fit_plane <- function(fit, columns, space, call, new = NULL, axes = 2L) {
  problem <- kept_problem(fit, call)
  usable <- !is.null(problem$points) && all(is.finite(problem$points))
  if (!is.null(columns)) {
    return(column_plane(fit, columns, call, new))
  }
  if (!usable && !is.null(space) && space != "feature") {
    abort_input(
      "space", call,
      "{.code space = \"{space}\"} needs observations with finite coordinates.",
      "You supplied a fit of dissimilarities, a kernel or a sparse matrix.",
      "Leave {.arg space} out."
    )
  }
  space <- space %||% if (!usable) "feature" else if (
    is_learned(fit) && fit$k > 1L && ncol(problem$points) > 2L
  ) "cross-fitted" else "points"
  if (space == "feature") {
    rows <- thinned_rows(fit$cluster, small_n)
    return(new_plane(feature_plane(problem, rows, axes), rows))
  }
  # new rows have no weight in the choice of a plane
  problem$points <- rbind(problem$points, new$points)
  problem$w <- c(problem$w, numeric(length(new$cluster)))
  switch(space,
    "cross-fitted" = crossed_plane(fit, problem, call, new, axes),
    points = points_plane(fit, problem, call, new, axes),
    discriminant = new_plane(
      discriminant_coordinates(problem$points, c(unname(fit$cluster), new$cluster), problem$w, fit$k, axes),
      note = "axes chosen by the clusters: a single cloud appears divided too"
    )
  )
}

new_plane <- function(at, rows = seq_len(nrow(at)), levels = NULL, isometric = TRUE, note = NULL) {
  rownames(at) <- NULL
  list(at = at, rows = rows, levels = levels, isometric = isometric, note = note)
}

# Was the metric of a fit chosen with its labels?
is_learned <- function(fit) inherits(fit, "kgroups_metric_fit") && !has_few_rows(fit)

# One or two columns of numbers in their own units, else the points themselves or their components.
points_plane <- function(fit, problem, call, new, axes) {
  at <- problem$points
  if (ncol(at) > 2L) {
    note <- if (is_learned(fit)) "metric chosen by the clusters: a single cloud appears divided too"
    return(new_plane(principal_components(at, problem$w, axes), note = note))
  }
  own <- unit_columns(fit, call)
  if (!is.null(own)) {
    return(column_plane(fit, own, call, new))
  }
  colnames(at) <- colnames(at) %||% if (ncol(at) == 1L) line_label(fit) else c("x1", "x2")
  new_plane(at)
}

# Places of the one or two columns of a fit in which they were scaled; NULL if some are no complete numbers.
unit_columns <- function(fit, call) {
  blueprint <- fit$blueprint
  if (is.null(blueprint) || blueprint$as_is && is.null(blueprint$map)) {
    return(NULL)
  }
  labels <- vapply(used_columns(blueprint), `[[`, "", "label")
  table <- fit_columns(fit, call)
  at <- match(labels, names(table))
  plain <- !anyNA(at) &&
    all(vapply(table[at], function(column) column$type != "categories" && all(is.finite(column$values)), NA))
  if (plain) at
}

# The cross-fitted plane; if the rows are too few for it, components of the columns before a metric was learned.
crossed_plane <- function(fit, problem, call, new, axes) {
  halves <- half_fits(fit, call)
  at <- cross_fitted_plane(fit, halves, problem, axes)
  if (!is.null(at)) {
    colnames(at) <- paste("Cross-fitted", seq_len(axes))
    return(new_plane(at, note = sprintf("cross-fitted: fits of two halves agree to %.2f", halves$agreement)))
  }
  blueprint <- fit$blueprint
  blueprint["map"] <- list(NULL)
  before <- function(data) suppressMessages(apply_blueprint(blueprint, data), classes = "kg_message")
  points <- rbind(before(fit$data), if (!is.null(new)) before(new$data)[new$known, , drop = FALSE])
  new_plane(
    principal_components(points, problem$w, axes), note = "too few rows to cross-fit: components of the columns"
  )
}

# One or two columns of the data by name or number, values of new rows below.
column_plane <- function(fit, columns, call, new) {
  table <- fit_columns(fit, call)
  at <- check_columns(columns, names(table), call)
  if (length(at) > 2L) {
    abort_input(
      "columns", call,
      "{.arg columns} must be one or two columns if {.code type = \"coordinates\"}.",
      "You supplied {length(at)}.",
      "Use {.code type = \"pairs\"} for more."
    )
  }
  old <- vapply(table[at], function(column) as.numeric(column$values), numeric(fit$n))
  values <- rbind(matrix(old, fit$n), if (!is.null(new)) new_values(fit, table, at, new, call))
  colnames(values) <- names(table)[at]
  rows <- which(rowSums(!is.finite(values)) == 0)
  new_plane(values[rows, , drop = FALSE], rows, lapply(table[at], `[[`, "levels"), isometric = FALSE)
}

# Columns of new rows by the types and levels of those of the fit.
new_values <- function(fit, table, at, new, call) {
  blueprint <- fit$blueprint
  given <- read_table(
    as_rows(formula_rows(plain_numbers(new$data, call), blueprint, call), blueprint), "newdata", call = call
  )
  places <- place_columns(
    at, blueprint$names, blueprint$width, given$names, length(given$columns), "newdata", "newdata", call
  )
  columns <- Map(
    function(one, old) as_old_column(one, old, "newdata", "newdata", call), given$columns[places], table[at]
  )
  matrix(
    vapply(columns, function(column) as.numeric(column$values), numeric(given$n)), given$n
  )[new$known, , drop = FALSE]
}

# The columns of the data of a fit, with their names.
fit_columns <- function(fit, call) {
  data <- fit$data
  if (is.null(fit$blueprint) || is.null(dim(data)) && !is.numeric(data)) abort_no_columns("data without columns", call)
  if (is.null(dim(data))) data <- matrix(data, dimnames = list(NULL, line_label(fit)))
  columns <- read_table(data, "data", call = call)$columns
  stats::setNames(columns, shorten(result_names(columns), most_drawn))
}

abort_no_columns <- function(came, call) {
  abort_input(
    "columns", call,
    "{.arg columns} needs a fit of a matrix or a data frame.",
    "You supplied a fit of {came}.",
    "Leave {.arg columns} out; a fit holds its data: {.code plot(fit)}."
  )
}

check_columns <- function(columns, names, call) {
  at <- if (is.character(columns)) match(columns, names) else if (is.numeric(columns)) match(columns, seq_along(names))
  if (length(at) && !anyNA(at)) {
    return(at)
  }
  type <- if (is_string(columns)) nearest_name(columns, plot_types)
  abort_argument(
    columns, "columns", "be names or numbers of columns of the data.",
    if (length(type)) {
      "Use {.code type = \"{type}\"}."
    } else if (length(dim(columns)) == 2L || igraph::is_igraph(columns)) {
      "A fit holds its data: {.code plot(fit)}."
    } else if (is_clustering(columns)) {
      "To compare two fits use {.code compare_clusters(fit, other)}."
    } else {
      "The columns are {.val {names}}."
    },
    call = call
  )
}

# Centred columns in units that neither over- nor underflow.
centred <- function(points, w) {
  points <- points / max(abs(points), .Machine$double.xmin)
  t(t(points) - colSums(w * points) / sum(w))
}

# The first principal components, in the units of the points, with the share of the variance.
principal_components <- function(points, w, axes = 2L) {
  scale <- max(abs(points), .Machine$double.xmin)
  z <- centred(points, w)
  weighted <- sqrt(w) * z
  wide <- ncol(z) > nrow(z)
  square <- if (wide) tcrossprod(weighted) else crossprod(weighted)
  found <- if (nrow(square) <= 500L) eigen(square, symmetric = TRUE) else eigs_of_matrix(square, axes, "LA")
  # one observation has one component
  many <- seq_len(min(axes, nrow(square)))
  share <- pmax(found$values[many], 0) / max(sum(diag(square)), .Machine$double.xmin)
  along <- found$vectors[, many, drop = FALSE]
  if (wide) along <- crossprod(weighted, along)
  along <- t(t(along) / pmax(sqrt(colSums(along^2)), .Machine$double.xmin))
  named_axes(scale * (z %*% turned(along)), axes, "Component", share, "of variance")
}

# Coordinates with names that have a share of something, 0 for axes beyond those that there are.
named_axes <- function(at, axes, name, share, of) {
  share <- c(share, numeric(axes))[seq_len(axes)]
  at <- cbind(at, matrix(0, nrow(at), axes))[, seq_len(axes), drop = FALSE]
  dimnames(at) <- list(
    NULL, sprintf("%s %d (%s%s)", name, seq_len(axes), percent(share), c(paste0(" ", of), rep("", axes - 1L)))
  )
  at
}

# The largest entry of each axis is positive.
turned <- function(axes) t(
  t(axes) * sign(axes[cbind(max.col(t(abs(axes)), ties.method = "first"), seq_len(ncol(axes)))])
)

# Linear discriminant coordinates: the covariance within clusters becomes the identity, axes separate the means most.
discriminant_coordinates <- function(points, cluster, w, k, axes = 2L) {
  z <- centred(points, w)
  size <- sum_by(w, cluster, k)
  means <- matrix(sum_by(w * z, cluster, k), k) / pmax(size, .Machine$double.xmin)
  inner <- z - means[cluster, , drop = FALSE]
  within <- cross_axes(sqrt(w / sum(w)) * inner, 1e-10)
  white <- within$vectors * rep(1 / sqrt(within$values), each = ncol(z))
  z <- z %*% white
  B <- crossprod(sqrt(size) * (means %*% white)) / sum(w)
  between <- symmetric_eigen(B)
  share <- pmax(between$values, 0) / max(sum(diag(B)), .Machine$double.xmin)
  at <- z %*% turned(between$vectors[, seq_len(min(axes, ncol(B))), drop = FALSE])
  named_axes(at, axes, "Discriminant", share, "between means")
}

# Principal coordinates of the semimetric for some rows of a problem, by classical scaling.
feature_plane <- function(problem, rows, axes = 2L) {
  part <- subset_problem(problem, rows)
  scaled <- classical_scaling(pair_values(part) * part$unit, axes, 200L)
  many <- seq_len(min(axes, length(scaled$values)))
  values <- pmax(scaled$values[many], 0)
  at <- t(t(turned(scaled$vectors[, many, drop = FALSE])) * sqrt(values))
  share <- values / scaled$trace
  out <- named_axes(at, axes, "Principal coordinate", share, "of dispersion")
  if (!all(is.finite(share) & share <= 1)) colnames(out) <- paste("Principal coordinate", seq_len(axes))
  out
}

# ---- one column ----

# A histogram stacked by cluster, with a line between neighbouring clusters.
line_figure <- function(fit, plane, new) {
  old <- plane$rows <= fit$n
  x <- plane$at[old, 1L]
  cluster <- unname(fit$cluster)[plane$rows[old]]
  stars <- data.frame(
    x = plane$at[!old, 1L], y = numeric(sum(!old)), group = as_cluster(new$cluster[plane$rows[!old] - fit$n], fit$k)
  )
  breaks <- histogram_breaks(x)
  cell <- findInterval(x, breaks, rightmost.closed = TRUE, all.inside = TRUE)
  cells <- length(breaks) - 1L
  counts <- matrix(tabulate(cell + cells * (cluster - 1L), cells * fit$k), cells)
  means <- sum_by(x, cluster, fit$k) / tabulate(cluster, fit$k)
  upon <- order(means)
  top <- t(apply(counts[, upon, drop = FALSE], 1L, cumsum))
  if (fit$k == 1L) top <- t(top)
  bars <- data.frame(
    xmin = breaks[-(cells + 1L)], xmax = breaks[-1L], ymin = as.vector(top - counts[, upon]), ymax = as.vector(top),
    group = as_cluster(rep(upon, each = cells), fit$k)
  )
  most <- max(top)
  cuts <- cluster_cuts(x, cluster)
  at <- which(is.finite(means))
  # numbers of many clusters in three rows
  high <- if (fit$k > 8L) 0.11 * (rank(means[at]) - 1) %% 3 else 0
  notes <- c(sizes_note(fit), if (length(cuts)) "lines: midway between neighbouring clusters", new$note)
  new_figure(
    fit_title(fit),
    c(
      list(
        new_layer("rect", bars[bars$ymax > bars$ymin, ], alpha = 0.75),
        if (length(cuts)) new_layer("down", data.frame(x = cuts), lty = 2, colour = "grey30")
      ),
      number_layers(data.frame(x = means[at], y = (1.07 + high) * most, group = as_cluster(at, fit$k)), fit$k),
      new_layers(stars)
    ),
    subtitle = notes_text(notes), groups = cluster_groups(fit$k),
    x = plane_axis(plane, 1L), y = new_axis("observations", c(0, (1.12 + max(high)) * most))
  )
}

histogram_breaks <- function(x) {
  range <- range(x)
  if (diff(range) <= 1e-9 * max(abs(range))) range <- range + c(-0.5, 0.5) * max(abs(range), 1)
  width <- 2 * stats::IQR(x) / length(x)^(1 / 3)
  cells <- if (width > 0) min(60, max(20, ceiling(1.5 * diff(range) / width))) else 20
  breaks <- pretty(range, cells)
  if (all(is.finite(breaks))) breaks else seq(range[1L], range[2L], length.out = 21L)
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

# A panel for every two columns, with the numbers at the means; levels of categories have their names.
pairs_figure <- function(fit, columns, space, call) {
  chosen <- if (is.null(space)) shown_columns(fit, columns, 4L, call) else plane_columns(fit, space, call)
  columns <- utils::head(chosen$columns, 6L)
  if (length(columns) < 2L) {
    abort_input(
      "columns", call, "{.code type = \"pairs\"} needs two columns or more.", "There is one.",
      "Use {.code type = \"coordinates\"}."
    )
  }
  rows <- thinned_rows(fit$cluster, small_n)
  values <- lapply(columns, function(column) {
    as.numeric(column$values[rows]) + if (length(column$levels)) beside(fit$cluster[rows], fit$k) else 0
  })
  pairs <- utils::combn(length(columns), 2L)
  panels <- sprintf("%s by %s", names(columns)[pairs[2L, ]], names(columns)[pairs[1L, ]])
  parts <- lapply(seq_len(ncol(pairs)), function(p) {
    part <- data.frame(
      x = values[[pairs[1L, p]]], y = values[[pairs[2L, p]]], group = as_cluster(fit$cluster[rows], fit$k),
      panel = panels[p]
    )
    part[is.finite(part$x) & is.finite(part$y), ]
  })
  means <- do.call(rbind, Map(function(part, panel) cbind(projected_means(part), panel = panel), parts, panels))
  numbers <- number_layers(means, fit$k)
  if (length(numbers)) numbers[[2L]]$data$panel <- means$panel
  points <- do.call(rbind, parts)
  new_figure(
    fit_title(fit),
    c(
      list(new_layer(
        "point", points, size = if (length(rows) > 500L) 0.8 else 1.1, alpha = if (length(rows) > 500L) 0.5, key = TRUE
      )),
      numbers,
      list(new_layer("text", level_names(columns, pairs, panels, parts), colour = "grey30", size = 0.7))
    ),
    subtitle = notes_text(c(chosen$note, sizes_note(fit))), groups = cluster_groups(fit$k), panels = panels
  )
}

# The first axes of a space as columns: one less than there are clusters, from two to four.
plane_columns <- function(fit, space, call) {
  axes <- max(2L, min(4L, fit$k - 1L))
  plane <- fit_plane(fit, NULL, space, call, axes = axes)
  values <- matrix(NA_real_, fit$n, ncol(plane$at))
  values[plane$rows, ] <- plane$at
  list(
    columns = stats::setNames(
      lapply(seq_len(ncol(values)), function(j) list(values = values[, j])), colnames(plane$at)
    ),
    note = plane$note
  )
}

# Texts of the levels of categories, at the foot or the left of each panel.
level_names <- function(columns, pairs, panels, parts) {
  one <- function(p, side) {
    levels <- shorten(columns[[pairs[side, p]]]$levels %||% character(), 12L)
    if (length(levels) == 0L || length(levels) > 12L) {
      return(NULL)
    }
    other <- range(parts[[p]][[if (side == 1L) "y" else "x"]])
    place <- rep(other[1L] - 0.06 * diff(other), length(levels))
    out <- if (side == 1L) {
      data.frame(x = seq_along(levels), y = place)
    } else {
      data.frame(x = place, y = seq_along(levels))
    }
    cbind(out, label = levels, panel = panels[p])
  }
  do.call(rbind, unlist(lapply(seq_along(panels), function(p) lapply(1:2, one, p = p)), FALSE))
}

# Means of standardised columns by cluster, with one standard deviation on both sides.
profile_figure <- function(fit, columns, call) {
  chosen <- shown_columns(fit, columns, 12L, call)
  columns <- chosen$columns
  k <- fit$k
  frame <- do.call(rbind, lapply(seq_along(columns), function(j) column_profile(fit, columns[[j]]$values, j)))
  frame <- frame[is.finite(frame$y), ]
  bars <- data.frame(x = frame$x, y = frame$low, xend = frame$x, yend = frame$high, group = frame$group)
  last <- frame[frame$column == length(columns), ]
  last$x <- length(columns) + 0.45
  last$y <- set_apart(last$y, 0.07 * diff(range(frame$low, frame$high)))
  few <- k <= 12L
  new_figure(
    fit_title(fit),
    c(
      list(
        new_layer("across", data.frame(y = 0), lty = 3, colour = "grey60"),
        if (few) new_layer("segment", bars, alpha = 0.45, lwd = 1.5),
        new_layer("point", frame[c("x", "y", "group")], size = 1.1, key = TRUE)
      ),
      if (few) number_layers(last[c("x", "y", "group")], k)
    ),
    subtitle = notes_text(
      c(paste0("means of standardised columns", if (few) ", bars of one standard deviation"), chosen$note)
    ),
    groups = cluster_groups(k),
    x = named_axis(names(columns), upright = max(nchar(names(columns))) * length(columns) > 60L),
    y = new_axis("standardised mean")
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
  size <- tabulate(cluster, k)
  mean <- sum_by(values, cluster, k) / size
  spread <- sqrt(pmax(sum_by(values^2, cluster, k) / size - mean^2, 0))
  shift <- if (k > 1L) (seq_len(k) - (k + 1) / 2) * 0.5 / k else 0
  data.frame(
    x = column + shift, y = mean, low = mean - spread, high = mean + spread, group = as_cluster(seq_len(k), k),
    column = column
  )
}

notes_text <- function(notes) if (length(notes)) paste(notes, collapse = "; ")

# Heights moved as little as their order and a least gap between them allow.
set_apart <- function(y, gap) {
  order <- order(y)
  steps <- gap * seq_along(y)
  y[order] <- stats::isoreg(y[order] - steps)$yf + steps
  y
}
