# Layers of the figures of observations: points, outlines, numbers and names of clusters, new rows; titles and notes.

most_named <- 50L # observations that have their names
most_points <- 5000L # above, the figure shows their density

fit_title <- function(fit) {
  if (fit$k == 1L) sprintf("One cluster of %d observations", fit$n) else sprintf(
    "%d clusters of %s observations", fit$k, sizes_range(fit$sizes)
  )
}

# The sizes of at most six clusters, else their range.
sizes_range <- function(sizes) {
  if (length(sizes) > 6L) paste(unique(range(sizes)), collapse = " to ") else in_words(sizes)
}

# The sizes that the title has no room for, and the number of trimmed observations.
noise_note <- function(fit) {
  noise <- sum(is_noise(fit))
  if (noise > 0) sprintf("%d noise (+)", noise)
}

drawn_note <- function(rows, fit) if (length(rows) < fit$n) sprintf("%d of %d drawn", length(rows), fit$n)

notes_text <- function(...) if (length(c(...))) paste(c(...), collapse = "; ")

noise_layer <- function(frame) {
  new_layer("point", frame[setdiff(names(frame), "group")], shape = 3L, size = 0.8, colour = "grey50")
}

# Layers of the points and the outlines of clusters, and notes on them. Outlines are drawn upon many points, which are
# pale; points that were moved, `far`, have no part in them.
point_layers <- function(frame, outline, k, far = logical(nrow(frame))) {
  many <- nrow(frame) > most_points
  dense <- nrow(frame) > 1000L
  counted <- if (!many) counted_points(frame)
  points <- if (many) new_layer("rect", density_cells(frame)) else new_layer(
    "point", counted %||% frame, size = if (nrow(frame) > 500L) 0.6 else 0.9, alpha = if (dense) 0.4, key = TRUE
  )
  lines <- outline_layer(frame[!far, ], outline, k, dense && !many)
  list(
    layers = if (dense) list(points, lines) else list(lines, points),
    notes = c(
      if (many) "darker where there are more", if (!is.null(counted)) "size by count",
      if (outline == "ellipse" && k > 0L) "ellipses hold 90 %"
    )
  )
}

# Points at few places, as of factors: one for each place, with an area as its count. NULL if most places differ.
counted_points <- function(frame, most = 2.7) {
  key <- paste(signif(frame$x, 10), signif(frame$y, 10), frame$group)
  places <- !duplicated(key)
  if (nrow(frame) >= 10L && 2 * sum(places) <= nrow(frame)) {
    count <- tabulate(match(key, key[places]))
    cbind(frame[places, ], size = 0.8 + most * sqrt(count / max(count)))
  }
}

# Cells of the plane in the colour of the cluster that has most of its points, opaque by their number.
density_cells <- function(frame, cells = 70L) {
  frame <- finite_points(frame)
  edges <- function(values) {
    range <- range(values)
    seq(range[1L], range[2L] + (diff(range) == 0) * max(abs(range), 1), length.out = cells + 1L)
  }
  x <- edges(frame$x)
  y <- edges(frame$y)
  column <- findInterval(frame$x, x, all.inside = TRUE)
  row <- findInterval(frame$y, y, all.inside = TRUE)
  counts <- table(column + cells * (row - 1L), frame$group)
  places <- as.integer(rownames(counts)) - 1L
  total <- as.vector(rowSums(counts))
  column <- places %% cells + 1L
  row <- places %/% cells + 1L
  data.frame(
    xmin = x[column], xmax = x[column + 1L], ymin = y[row], ymax = y[row + 1L],
    group = as_cluster(max.col(counts, ties.method = "first"), nlevels(frame$group)),
    alpha = 0.1 + 0.9 * sqrt(total / max(total))
  )
}

# Columns in which some values lie so far out that the others would fill less than a quarter of an axis: these are moved
# to the rim. Return the matrix with its rows that were moved, `far`, and a note on them.
at_rim <- function(at) {
  moved <- apply(at, 2L, function(values) {
    seen <- values[is.finite(values)]
    ends <- if (length(seen)) stats::quantile(seen, c(0.1, 0.9), names = FALSE, type = 1L) else c(0, 0)
    inner <- seen[seen >= ends[1L] - 1.5 * diff(ends) & seen <= ends[2L] + 1.5 * diff(ends)]
    if (diff(ends) > 0) to_rim(values, range(inner)) else values
  })
  dim(moved) <- dim(at)
  far <- rowSums(moved != at, na.rm = TRUE) > 0
  dimnames(moved) <- dimnames(at)
  structure(moved, far = far, note = far_note(sum(far), if (ncol(at) == 1L) at[far]))
}

# Values, of which those beyond two inner limits are moved to the rim if the inner ones would fill less than a quarter.
to_rim <- function(values, inner) {
  if (diff(range(values, inner, finite = TRUE)) <= 4 * diff(inner)) {
    return(values)
  }
  rim <- inner + c(-0.08, 0.08) * diff(inner)
  pmin(pmax(values, rim[1L]), rim[2L])
}

far_note <- function(far, values = NULL) if (far) {
  ends <- if (length(values)) {
    sprintf(" (%s)", paste(unique(format(range(values), digits = 3, trim = TRUE)), collapse = " to "))
  }
  sprintf("%d far out%s: at the rim", far, ends %||% "")
}

finite_points <- function(frame) frame[is.finite(frame$x) & is.finite(frame$y), ]

# Rows of each group by `f`, which returns a data frame or NULL, below one another.
by_group <- function(frame, f) do.call(rbind, unname(lapply(split(frame, frame$group, drop = TRUE), f)))

outline_layer <- function(frame, outline, k, above = FALSE) {
  corners <- switch(outline, none = function(frame) NULL, hull = hull_corners, ellipse = ellipse_corners)
  # thin grey lines leave many clusters readable
  grey <- if (k > 12L) "grey70" else if (above) "grey20"
  new_layer("polygon", corners(finite_points(frame)), colour = grey, alpha = if (is.null(grey)) 0.1 else 0)
}

hull_corners <- function(frame) by_group(
  frame, function(part) part[grDevices::chull(part$x, part$y), c("x", "y", "group")]
)

# The ellipse of the covariance of each cluster that holds 90 % of its points.
ellipse_corners <- function(frame, share = 0.9) by_group(frame, function(part) {
  z <- scale(cbind(part$x, part$y), scale = FALSE)
  axes <- eigen(crossprod(z) / nrow(z), symmetric = TRUE)
  sd <- sqrt(pmax(axes$values, 0))
  if (nrow(z) >= 4L && sd[2L] > 1e-8 * sd[1L]) {
    far2 <- stats::quantile(rowSums((z %*% axes$vectors * rep(1 / sd, each = nrow(z)))^2), share, names = FALSE)
    ellipse_points(attr(z, "scaled:center"), axes, far2, part$group[1L])
  }
})

# Sixty corners of the ellipse of a covariance with these eigenvalues and vectors, at a squared distance.
ellipse_points <- function(center, axes, far2, group) {
  turn <- seq(0, 2 * pi, length.out = 61L)[-1L]
  at <- (cbind(cos(turn), sin(turn)) * rep(sqrt(far2 * pmax(axes$values, 0)), each = 60L)) %*% t(axes$vectors)
  data.frame(x = center[[1L]] + at[, 1L], y = center[[2L]] + at[, 2L], group = group)
}

projected_means <- function(frame) by_group(
  finite_points(frame), function(part) data.frame(x = mean(part$x), y = mean(part$y), group = part$group[1L])
)

# The point nearest to the median of each cluster, which carries its number.
middle_points <- function(frame) by_group(frame, function(part) {
  part[which.min((part$x - stats::median(part$x))^2 + (part$y - stats::median(part$y))^2), c("x", "y", "group")]
})

# The number of each cluster; none for one cluster.
number_layer <- function(at, k) {
  if (NROW(at) > 1L || NROW(at) == 1L && !isTRUE(k == 1L)) {
    new_layer("number", at, size = if (length(unique(at$group)) > 12L) 0.75)
  }
}

# Names above their points, but for those that would touch another.
name_layer <- function(at) new_layer("text", at, colour = "grey15", size = 0.7, above = TRUE, thin = TRUE)

# New rows as stars in the colour of their cluster, on white ones.
new_layers <- function(frame) {
  star <- function(columns, size, lwd, ...) {
    new_layer("point", frame[columns], shape = 8L, size = size * small_device(), lwd = lwd * small_device(), ...)
  }
  list(star(c("x", "y"), 2, 6, colour = "white"), star(c("x", "y", "group"), 1.9, 2.5))
}

# Places beside a level, by cluster.
beside <- function(cluster, k) 0.6 * (unname(cluster) - (k + 1) / 2) / k

# The axis of a column of a plane.
plane_axis <- function(plane, axis) column_axis(plane$columns[[axis]], plane$at[, axis], colnames(plane$at)[axis])

# The axis of the values of a column: at most twenty levels, dates and times have breaks of their own, differences of
# times a unit.
column_axis <- function(column, values, label = "", limits = NULL) {
  type <- column$type %||% ""
  values <- values[is.finite(values)]
  if (type %in% c("date", "time") && length(values)) {
    return(replace(time_axis(as_column_type(range(values), column), label), "limits", list(limits)))
  }
  if (type == "difference" && nzchar(label)) label <- sprintf("%s (%s)", label, column$unit)
  if (length(column$levels) == 0L) {
    return(new_axis(label, limits))
  }
  out <- named_axis(column$levels, label)
  if (length(column$levels) > 20L) out[c("breaks", "labels")] <- list(numeric(), character())
  out
}

# The axis of times, NULL for numbers of observations; dates have their own breaks.
time_axis <- function(time, label = "time") {
  if (is.null(time) || !is.object(time)) {
    return(new_axis(if (is.null(time)) "observation" else label))
  }
  breaks <- if (inherits(time, c("Date", "POSIXct"))) pretty(time) else evenly_spaced(time, 5)
  labels <- attr(breaks, "labels") %||% format(breaks)
  inside <- as.double(breaks) >= min(as.double(time)) & as.double(breaks) <= max(as.double(time))
  new_axis(label, breaks = as.double(breaks)[inside], labels = labels[inside])
}

# ---- figures of several results ----

# Values as horizontal bars, a block per cluster, the first on top; beside each block its number of observations and its
# mean; a line at `marked`.
blocks_figure <- function(values, cluster, k, title, name, marked, means = group_means(values, cluster, k),
                          sizes = tabulate(cluster, k), drawn = thinned_rows(cluster, small_n)) {
  drawn <- drawn[order(cluster[drawn], -values[drawn])]
  width <- values[drawn]
  group <- cluster[drawn]
  top <- rev(seq_along(drawn)) + max(1, round(0.015 * length(drawn))) * (k - group)
  middle <- vapply(split(top - 0.5, group), mean, 0)
  at <- as.integer(names(middle))
  label <- sprintf("%d: %d, %s", at, sizes[at], format(round(means[at], 2), nsmall = 2))
  left <- min(0, width)
  # the least have their label if there is no room for all
  place <- data.frame(x = 1.03, y = unname(middle), label = label)[order(means[at]), ]
  place <- clear_of(place, NULL, c(1, max(top) / max(0.5, figure_size()[2L] - 1.2)), if (k > 12L) 0.095 else 0.13)
  new_figure(
    title,
    list(
      new_layer("rect", data.frame(
        xmin = pmin(width, 0), xmax = pmax(width, 0), ymin = top - 1, ymax = top, group = as_cluster(group, k)
      ), border = TRUE),
      new_layer("down", data.frame(x = marked), lty = 2),
      new_layer("text", place, adj = 0, size = if (k > 12L) 0.7 else 0.85)
    ),
    subtitle = paste0("cluster: observations, mean", if (nrow(place) < length(at)) " (no room for all)"),
    groups = cluster_groups(k), x = new_axis(name, c(left, 1.06 + 0.025 * max(nchar(label))), pretty(c(left, 1))),
    y = new_axis("observations", breaks = numeric())
  )
}

# A matrix as a heat map by the arguments of heat_layers(); long names of columns are upright.
heat_figure <- function(title, values, ..., subtitle = NULL, rows = rownames(values), columns = colnames(values),
                        label = "") {
  new_figure(
    title, heat_layers(values, ...), subtitle = subtitle, y = named_axis(rows, down = TRUE),
    x = named_axis(columns, label, upright = sum(nchar(columns)) > 6 * figure_size()[1L])
  )
}

# Breaks of a histogram. Of values on a lattice each cell holds the same number, or one of an odd number of cells for
# each step has its value at the centre.
histogram_breaks <- function(x) {
  range <- range(x)
  if (diff(range) <= 1e-9 * max(abs(range))) range <- range + c(-0.5, 0.5) * max(abs(range), 1)
  width <- 2 * stats::IQR(x) / length(x)^(1 / 3)
  cells <- if (width > 0) min(60, max(20, ceiling(1.5 * diff(range) / width))) else 20
  breaks <- pretty(range, cells)
  from <- sort(unique(x - range[1L]))
  steps <- diff(from)
  step <- min(steps[steps > 1e-10 * diff(range)], Inf)
  if (is.finite(step) && all(is.finite(breaks)) && max(abs(from / step - round(from / step))) < 1e-6) {
    ratio <- diff(breaks)[1L] / step
    width <- step * if (ratio > 1) round(ratio) else 1 / (1 + 2 * floor(1 / (4 * ratio)))
    half <- min(step, width) / 2
    breaks <- range[1L] - half + width * 0:ceiling((diff(range) / width + 2 * half / width) - 1e-9)
  }
  if (all(is.finite(breaks))) breaks else seq(range[1L], range[2L], length.out = 21L)
}

# A heat map of distances, whose title names the nearest pair.
distance_figure <- function(E, what, alone = "One pair: no comparison", order = seq_len(nrow(E))) {
  diag(E) <- NA
  nearest <- arrayInd(which.min(replace(E, !upper.tri(E), NA)), dim(E))
  names <- rownames(E)[nearest]
  title <- sprintf("Nearest %ss: %s and %s (%s)", what, names[1L], names[2L], format(E[nearest], digits = 3))
  E <- E[order, order, drop = FALSE]
  text <- ifelse(is.na(E), "", format(E, digits = 3, trim = TRUE))
  heat_figure(
    if (length(nearest)) title else alone, E, c(0, max(0, E, na.rm = TRUE)), text,
    subtitle = sprintf("energy distances between the %ss", what)
  )
}

# A box for each element of a list: quartiles, median, whiskers to the last value within 1.5 boxes, the
# rest as points, in a panel at the rim if they lie so `far` out that the boxes would fill less than a quarter of it.
box_layers <- function(values, panel = NULL) {
  of <- lapply(values, function(v) grDevices::boxplot.stats(v[!is.na(v)]))
  at <- which(!vapply(of, function(one) anyNA(one$stats), NA))
  stats <- matrix(vapply(of[at], `[[`, numeric(5), "stats"), 5L)
  outside <- lapply(of[at], `[[`, "out")
  out <- as.numeric(unlist(outside))
  inner <- range(0[length(at) == 0L], stats)
  drawn <- if (!is.null(panel) && diff(inner) > 0) to_rim(out, inner) else out
  rows <- rep(at, lengths(outside))
  layer <- function(kind, at, frame, ...) {
    frame$group <- as_cluster(at, length(values))
    new_layer(kind, if (is.null(panel)) frame else cbind(frame, panel = rep(panel, nrow(frame))), ...)
  }
  structure(list(
    layer("segment", c(at, at), data.frame(
      x = c(at, at), y = c(stats[1L, ], stats[4L, ]), xend = c(at, at), yend = c(stats[2L, ], stats[5L, ])
    )),
    layer(
      "rect", at, data.frame(xmin = at - 0.3, xmax = at + 0.3, ymin = stats[2L, ], ymax = stats[4L, ]), alpha = 0.35,
      border = TRUE
    ),
    layer("segment", at, data.frame(x = at - 0.3, y = stats[3L, ], xend = at + 0.3, yend = stats[3L, ]), lwd = 3),
    layer("point", rows, data.frame(x = rows, y = drawn), size = 0.7)
  ), far = sum(drawn != out))
}

# A histogram of values, with a line at one of interest.
histogram_figure <- function(values, title, subtitle, x, y, marked = NULL) {
  breaks <- histogram_breaks(values)
  m <- length(breaks) - 1L
  counts <- tabulate(findInterval(values, breaks, all.inside = TRUE, left.open = TRUE), m)
  new_figure(
    title,
    list(
      new_layer("rect", data.frame(
        xmin = breaks[-(m + 1L)], xmax = breaks[-1L], ymin = 0, ymax = counts
      ), colour = neutral, alpha = 0.7),
      if (!is.null(marked)) {
        new_layer("down", data.frame(x = marked), colour = palette8[["vermilion"]], lty = 1, lwd = 2.5)
      }
    ),
    subtitle = subtitle, x = new_axis(x, range(breaks, marked)), y = new_axis(y, c(0, max(counts)), whole = TRUE)
  )
}
