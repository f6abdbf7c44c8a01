# Figures (R/figure.R) by ggplot2.

# .data is ggplot2's pronoun, bound when its aesthetics are evaluated.
utils::globalVariables(".data")

# Letters are smaller on a narrow device, and lines are broken to its width; the plot can be saved at any size.
ggplot_figure <- function(figure, call = rlang::caller_env()) {
  check_package("ggplot2", "A plot", call)
  wide <- figure_size()[1L]
  points <- c(title = min(13, 7.5 + 0.8 * wide), subtitle = min(10, 6 + 0.6 * wide))
  # a letter is about 0.55 as wide as high
  letters <- 130 * (wide - 0.2) / points
  label <- function(side, inches) if (nzchar(side$label)) wrapped(side$label, 130 * inches / points[["subtitle"]])
  # small panels have small numbers
  if (is_narrow() && !is.null(figure$panels)) {
    figure$layers <- lapply(figure$layers, function(layer) {
      if (layer$kind == "number") layer$style$size <- 0.75
      layer
    })
  }
  cleared <- clear_numbers(figure)
  # few clusters without their numbers have a legend
  if (number_count(cleared) < number_count(figure$layers) && is.null(figure$panels)) {
    few <- nrow(figure$groups) <= 8L
    figure$legend <- figure$legend || few
    if (!few) figure$subtitle <- c(figure$subtitle, "numbers that would touch another are left out")
  }
  figure$layers <- cleared
  out <- ggplot2::ggplot() + lapply(figure$layers, ggplot_layer, figure$groups) +
    ggplot2::scale_alpha_identity() + ggplot2::scale_size_identity() + ggplot_groups(figure$groups, figure$legend) +
    ggplot2::labs(
      x = label(figure$x, wide - 0.4), y = label(figure$y, figure_size()[2L] - 1),
      title = wrapped(figure$title, letters[["title"]]),
      subtitle = if (length(figure$subtitle)) wrapped(paste(figure$subtitle, collapse = "; "), letters[["subtitle"]])
    ) + ggplot_theme(figure, points) +
    lapply(c("x", "y"), if (is.null(figure$axes)) ggplot_axis else panel_axis, figure)
  # coord_cartesian() has one pair of limits for all panels; scales have their own
  if (!is.null(figure$panels)) {
    # panels with the same names along y have them once
    shared <- isTRUE(figure$y$named)
    most <- max(10, 115 * (frame_inches(figure)[1L] - 0.1 - 0.2 * !shared) / (0.8 * points[["title"]]))
    brief <- function(text) {
      paste(vapply(strsplit(text, " ", fixed = TRUE)[[1L]], brief_names, "", floor(most)), collapse = " ")
    }
    short <- function(labels) lapply(labels, function(text) wrapped(vapply(as.character(text), brief, ""), most))
    panels <- ggplot2::vars(factor(.data$panel, figure$panels))
    scales <- if (shared) "free_x" else "free"
    columns <- panel_columns(figure$panels)
    return(out + names_room(figure) + ggplot2::facet_wrap(panels, ncol = columns, scales = scales, labeller = short))
  }
  ends <- if (figure$equal) equal_limits(figure) else list(x = figure$x$limits, y = figure$y$limits)
  coordinates <- if (figure$equal) ggplot2::coord_equal else ggplot2::coord_cartesian
  whole <- is.null(ends$x) && is.null(ends$y) || any(kinds_of(figure) == "text")
  coordinates <- coordinates(xlim = ends$x, ylim = ends$y, clip = if (whole) "off" else "on")
  # one that a user adds replaces it without a message
  coordinates$default <- TRUE
  out + (if (!figure$equal) names_room(figure)) + coordinates
}

# Panels beside each other: at most two on a narrow device.
panel_columns <- function(panels) {
  if (is.null(panels)) 1L else min(grDevices::n2mfrow(length(panels))[1L], if (is_narrow()) 2L)
}

# The range of the points of a figure, or of one of its panels, along x or y.
figure_range <- function(figure, side, panel = NULL) {
  values <- lapply(figure$layers, function(layer) {
    rows <- if (is.null(panel) || is.null(layer$data$panel)) TRUE else layer$data$panel == panel
    layer$data[rows, intersect(paste0(side, c("", "min", "max", "end")), names(layer$data))]
  })
  range(unlist(values), figure[[side]]$limits, finite = TRUE)
}

# Limits of axes of equal units with which the plane fills the device.
equal_limits <- function(figure) {
  corners <- do.call(rbind, name_corners(figure))
  ends <- lapply(c(x = "x", y = "y"), function(side) range(figure_range(figure, side), corners[[side]]))
  units <- max(vapply(ends, diff, 0) / frame_inches(figure))
  Map(function(range, inches) range + c(-0.5, 0.5) * max(0, units * inches - diff(range)), ends, frame_inches(figure))
}

# Inches of a panel, about, without the names along y and the legend.
frame_inches <- function(figure) {
  columns <- panel_columns(figure$panels)
  rows <- ceiling(max(1L, length(figure$panels)) / columns)
  names <- if (isTRUE(figure$y$named)) 0.065 * max(nchar(figure$y$labels)) else 0
  legend <- figure$legend * if (is_narrow()) c(0, 0.3) else c(0.9, 0)
  pmax(0.5, figure_size() - c(0.8 + names, 1.2) - legend) / c(columns, rows)
}

number_count <- function(layers) {
  sum(vapply(layers, function(layer) if (layer$kind == "number") nrow(layer$data) else 0L, 0L))
}

# The layers of a figure, whose numbers of clusters stand clear of one another on this device: a number that would touch
# an earlier one is left out, and one on the star of a new row moves off it. Names that would cover a number or the
# point of another row are left out.
clear_numbers <- function(figure) {
  units <- function(panel) {
    out <- vapply(c("x", "y"), function(side) diff(figure_range(figure, side, if (nzchar(panel)) panel)), 0) /
      frame_inches(figure)
    if (figure$equal) out[] <- max(out)
    replace(out, out == 0, 1)
  }
  by_panel <- function(layer, clear) {
    panel <- layer$data$panel %||% rep("", nrow(layer$data))
    parts <- split(layer$data, factor(panel, unique(panel)))
    layer$data <- do.call(rbind, unname(Map(clear, parts, names(parts))))
    layer
  }
  layers <- figure$layers
  is_number <- kinds_of(figure) == "number"
  layers[is_number] <- lapply(layers[is_number], function(layer) {
    by_panel(layer, function(data, panel) clear_of(data, stars_of(figure), units(panel), 2 * number_radius(layer)))
  })
  at <- do.call(rbind, lapply(layers[is_number], `[[`, "data"))
  radius <- if (any(is_number)) number_radius(layers[is_number][[1L]])
  is_name <- vapply(layers, function(layer) isTRUE(layer$style$above), NA)
  layers[is_name] <- lapply(layers[is_name], function(layer) {
    by_panel(layer, function(data, panel) {
      numbers <- if (nzchar(panel)) at[at$panel == panel, ] else at
      covers <- covered_names(data, data, units(panel), 0.02)
      if (NROW(numbers)) covers <- covers | covered_names(data, numbers, units(panel), radius)
      names_apart(data[!covers, ], units(panel))
    })
  })
  layers
}

# Places at the upper corners of the names above points, which the edges of a panel would cut.
name_corners <- function(figure) {
  named <- Filter(function(layer) isTRUE(layer$style$above) && nrow(layer$data) > 0L, figure$layers)
  inches <- frame_inches(figure)
  lapply(named, function(layer) {
    ends <- lapply(split(layer$data, layer$data$panel %||% rep("", nrow(layer$data))), function(data) {
      across <- vapply(c("x", "y"), function(side) diff(figure_range(figure, side, data$panel[1L])), 0)
      if (figure$equal) across[] <- max(across / inches) * inches
      half <- pmin(0.03 * nchar(data$label) / inches[1L], 0.3)
      by <- half / (1 - 2 * max(half)) * across[["x"]]
      out <- data.frame(x = c(data$x - by, data$x + by), y = data$y + min(0.25 / inches[2L], 0.3) * across[["y"]])
      if (is.null(data$panel)) out else cbind(out, panel = data$panel)
    })
    do.call(rbind, unname(ends))
  })
}

# Room for the names, in which nothing is drawn.
names_room <- function(figure) {
  lapply(name_corners(figure), function(at) ggplot2::geom_blank(ggplot2::aes(.data$x, .data$y), at))
}

# Which names, written above their points, would touch a number or another point? Their letters are about 0.05 inches
# wide, 0.1 high.
covered_names <- function(data, numbers, units, radius) {
  half <- 0.025 * nchar(data$label)
  vapply(seq_len(nrow(data)), function(i) {
    right <- abs(numbers$x - data$x[i]) / units[[1L]] - half[i]
    up <- abs((numbers$y - data$y[i]) / units[[2L]] - 0.13) - 0.05
    any(pmax(right, 0)^2 + pmax(up, 0)^2 < radius^2)
  }, NA)
}

# Names that touch no earlier one.
names_apart <- function(data, units) {
  half <- 0.031 * nchar(data$label)
  keep <- logical(nrow(data))
  for (i in seq_len(nrow(data))) {
    beside <- abs(data$x - data$x[i]) / units[[1L]] < half + half[i]
    keep[i] <- !any(keep & beside & abs(data$y - data$y[i]) / units[[2L]] < 0.1)
  }
  data[keep, ]
}

number_radius <- function(layer) 1.05 * (layer$style$size %||% 1) / 12

stars_of <- function(figure) {
  stars <- Filter(function(layer) identical(layer$style$shape, 8L), figure$layers)
  if (length(stars)) stars[[1L]]$data[c("x", "y")]
}

# Rows of `data` at least `gap` inches from the stars and from each other; `units` of x and y in an inch.
clear_of <- function(data, stars, units, gap) {
  far <- function(from, i) {
    sqrt(((from$x - data$x[i]) / units[[1L]])^2 + ((from$y - data$y[i]) / units[[2L]])^2)
  }
  keep <- logical(nrow(data))
  for (i in seq_len(nrow(data))) {
    if (length(stars) && min(far(stars, i)) < gap) data$y[i] <- data$y[i] + gap * units[[2L]]
    keep[i] <- !any(far(data[keep, ], i) < gap)
  }
  data[keep, , drop = FALSE]
}

ggplot_groups <- function(groups, legend) {
  if (is.null(groups)) {
    return(NULL)
  }
  guide <- if (legend) "legend" else "none"
  scale <- function(f, column, guide) {
    f(groups$name[1L], values = stats::setNames(groups[[column]], groups$level), guide = guide, drop = FALSE)
  }
  name <- groups$name[1L]
  list(
    scale(ggplot2::scale_colour_manual, "colour", guide), scale(ggplot2::scale_shape_manual, "shape", guide),
    scale(ggplot2::scale_fill_manual, "colour", "none"),
    # the title of scales that a user adds
    ggplot2::labs(colour = name, shape = name, fill = name)
  )
}

ggplot_theme <- function(figure, points) {
  none <- ggplot2::element_blank()
  bare <- has_no_marks(figure$x) || any(kinds_of(figure) == "tile")
  # the letters of many marks are smaller
  small <- function(axis, side) {
    high <- 0.85 * 72 * frame_inches(figure)[side] / max(1, length(axis$breaks))
    if (high < 8.8 && is.null(figure$panels)) max(4.5, high)
  }
  ggplot2::theme_minimal(min(11, points[["title"]])) +
    ggplot2::theme(
      plot.title = ggplot2::element_text(size = points[["title"]]),
      plot.subtitle = ggplot2::element_text(size = points[["subtitle"]]),
      axis.title = ggplot2::element_text(size = points[["subtitle"]]), panel.grid.minor = none,
      panel.spacing.x = ggplot2::unit(0.2, "inches"),
      plot.title.position = "plot", plot.margin = ggplot2::margin(5, 14, 5, 5),
      axis.text.y = ggplot2::element_text(size = small(figure$y, 2L)),
      axis.text.x = if (figure$x$upright) {
        ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5, size = small(figure$x, 1L))
      }
    ) + (if (is_narrow()) ggplot2::theme(
      # the numbers in the cells are enough
      legend.position = if (has_cell_texts(figure)) "none" else "bottom",
      legend.text = ggplot2::element_text(size = points[["subtitle"]]),
      legend.title = ggplot2::element_text(size = points[["subtitle"]]),
      legend.key.size = ggplot2::unit(0.12, "inches"), legend.margin = ggplot2::margin(),
      legend.key.width = if (any(kinds_of(figure) == "tile")) ggplot2::unit(0.35, "inches")
    )) + (if (bare) ggplot2::theme(panel.grid = none))
}

# Are there numbers in the cells of a heat map, in letters that can be read?
has_cell_texts <- function(figure) {
  texts <- Filter(function(layer) !is.null(layer$style$cells), figure$layers)
  length(texts) > 0L && text_size(texts[[1L]]$style) >= least_text
}

ggplot_scale <- function(side, ..., upright = FALSE) {
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  # by the guide, so that themes of a user leave upright labels upright
  scale(..., guide = do.call(ggplot2::guide_axis, c(list(check.overlap = TRUE), if (upright) list(angle = 90))))
}

ggplot_axis <- function(side, figure) {
  axis <- figure[[side]]
  in_panels <- !is.null(figure$panels)
  given <- !is.null(axis$breaks)
  free <- if (axis$whole) whole_breaks else if (in_panels) few_breaks else ggplot2::waiver()
  labels <- mark_labels(side, axis, figure)
  # a space on both sides, so that neighbours do not touch
  if (side == "x" && !axis$upright) labels <- sprintf(" %s ", labels)
  ggplot_scale(
    side, limits = if (in_panels) axis$limits, breaks = if (given) as.numeric(axis$breaks) else free,
    labels = if (given) labels else ggplot2::waiver(), upright = axis$upright
  )
}

# The labels of marks. Names have at most a third of the width or height, or their share of the width beside others.
mark_labels <- function(side, axis, figure) {
  labels <- axis$labels
  beside <- side == "x" && !axis$upright
  if (isTRUE(axis$named)) {
    # inches of the figure, or of the panel without its margins
    own <- !is.null(figure$axes)
    size <- if (own) 1.3 * frame_inches(figure) else figure_size()
    inches <- size[if (beside || side == "y") 1L else 2L] * if (beside) 0.6 / length(labels) else 0.3
    labels <- brief_names(labels, max(if (own) 5L else 8L, min(24L, as.integer(inches / 0.065))))
  }
  labels
}

# Marks of single panels, which a scale identifies by their limits; an empty layer sets these.
panel_axis <- function(side, figure) {
  axes <- Filter(function(axis) !is.null(axis$limits), lapply(figure$axes, `[[`, side))
  # axes of equal limits differ by a little
  axes <- Map(function(axis, i) {
    axis$limits <- axis$limits + c(-1e-4, 1e-4) * i * diff(axis$limits)
    axis
  }, axes, seq_along(axes))
  if (length(axes) == 0L) {
    return(ggplot_scale(side, breaks = few_breaks))
  }
  marks <- function(limits) {
    # some versions of ggplot2 widen them by a twentieth on both sides
    wide <- function(axis, by) max(abs(axis$limits + c(-by, by) * diff(axis$limits) - limits)) < 1e-6 * diff(limits)
    axis <- Find(function(axis) wide(axis, 0) || wide(axis, 0.05), axes)
    if (is.null(axis$breaks)) {
      return(few_breaks(limits))
    }
    stats::setNames(as.numeric(axis$breaks), mark_labels(side, axis, figure))
  }
  ends <- do.call(rbind, Map(function(axis, panel) data.frame(at = axis$limits, panel = panel), axes, names(axes)))
  mapping <- stats::setNames(list(rlang::expr(.data$at)), side)
  list(ggplot_scale(side, breaks = marks), ggplot2::geom_blank(do.call(ggplot2::aes, mapping), ends))
}

# The geom of each kind, the columns of its data by aesthetic, and the aesthetics that have its colour.
ggplot_kinds <- local({
  kind <- function(geom, columns, coloured = "colour", ...) list(geom, c(stats::setNames(nm = columns), ...), coloured)
  list(
    point = kind("point", c("x", "y")), line = kind("path", c("x", "y")), text = kind("text", c("x", "y", "label")),
    segment = kind("segment", c("x", "y", "xend", "yend")), polygon = kind("polygon", c("x", "y"), c("colour", "fill")),
    rect = kind("rect", c("xmin", "xmax", "ymin", "ymax"), "fill"),
    tile = kind("tile", c("x", "y"), NULL, fill = "value"),
    across = kind("hline", NULL, yintercept = "y"), down = kind("vline", NULL, xintercept = "x")
  )
})

ggplot_layer <- function(layer, groups) {
  style <- layer$style
  data <- layer$data
  if (layer$kind == "number") {
    return(number_geoms(layer, groups))
  }
  kind <- ggplot_kinds[[layer$kind]]
  tile <- layer$kind == "tile"
  set <- ggplot_constants(layer$kind, style, 0.5 * (style$lwd %||% 1))
  # letters that cannot be read are left out
  if (layer$kind == "text" && set$size < least_text) {
    return(NULL)
  }
  coloured <- c(kind[[3L]], if (isTRUE(style$border)) "colour")
  grouped <- NULL
  if (is.null(data$group) || !is.null(style$colour)) {
    set[coloured] <- style$colour %||% "black"
  } else {
    grouped <- c(coloured, if (layer$kind == "point" && is.null(style$shape)) "shape")
  }
  columns <- c(kind[[2L]], stats::setNames(nm = intersect(c("alpha", "size"), names(data))))
  columns[c(grouped, if (layer$kind == "polygon") "group")] <- "group"
  if (!is.null(data$group)) data$group <- factor(as.character(data$group), groups$level)
  if (!is.null(data$size)) data$size <- 1.8 * data$size
  # a space on both sides, so that neighbours do not touch
  if (isTRUE(style$above)) data$label <- sprintf(" %s ", data$label)
  set <- set[setdiff(names(set), names(columns))]
  mapping <- do.call(ggplot2::aes, lapply(as.list(columns), function(column) rlang::expr(.data[[!!column]])))
  geom <- getExportedValue("ggplot2", paste0("geom_", kind[[1L]]))
  list(
    do.call(geom, c(list(mapping, data, show.legend = if (layer$key || tile) NA else FALSE), set)),
    if (tile) {
      list(ggplot2::scale_fill_gradient(style$name %||% "",
        low = heat_colours[1L], high = heat_colours[2L], limits = style$limits, na.value = "grey90"
      ), ggplot2::labs(fill = style$name %||% ""))
    }
  )
}

# The number of each cluster in a white circle in its colour.
number_geoms <- function(layer, groups) {
  data <- layer$data
  size <- layer$style$size %||% 1
  data$label <- sub(" .*", "", as.character(data$group))
  data$group <- factor(as.character(data$group), groups$level)
  at <- ggplot2::aes(.data$x, .data$y, colour = .data$group)
  text <- ggplot2::aes(.data$x, .data$y, label = .data$label)
  list(
    ggplot2::geom_point(at, data, shape = 21L, size = 5.2 * size, stroke = 0.75, fill = "white", show.legend = FALSE),
    ggplot2::geom_text(text, data, size = 2.6 * size, fontface = "bold", show.legend = FALSE)
  )
}

least_text <- 1.5 # mm

# The size of a text, in mm; of one in a cell at most what its width and height permit.
text_size <- function(style) {
  inches <- figure_size()
  # a narrow heat map with numbers has no legend
  3.4 * min(
    style$size %||% 1, if (!is.null(style$cells)) (inches[1L] - if (is_narrow()) 0.8 else 1.6) / (0.45 * style$cells),
    if (!is.null(style$rows)) (inches[2L] - 1.2) / (0.16 * style$rows)
  )
}

# Aesthetics that are the same for all rows of a layer.
ggplot_constants <- function(kind, style, width) {
  size <- style$size %||% 1
  out <- switch(kind,
    point = list(size = 1.8 * size, alpha = style$alpha, shape = style$shape, stroke = width, fill = style$ground),
    line = list(linewidth = width),
    segment = list(alpha = style$alpha, linetype = style$lty %||% 1, linewidth = width),
    polygon = list(alpha = style$alpha, linewidth = 0.3),
    rect = list(alpha = style$alpha),
    tile = list(colour = "white"),
    text = list(
      size = text_size(style),
      fontface = style$face %||% "plain", hjust = style$adj %||% 0.5, vjust = if (isTRUE(style$above)) -0.9,
      check_overlap = if (isTRUE(style$thin) || !is.null(style$cells)) TRUE
    ),
    list(linetype = style$lty %||% 2, linewidth = width)
  )
  Filter(Negate(is.null), out)
}
