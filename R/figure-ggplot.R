# Figures (R/figure.R) by ggplot2.

# .data is ggplot2's pronoun, bound when its aesthetics are evaluated.
utils::globalVariables(".data")

# Letters and symbols have the sizes of ggplot2, whatever the device, on which the plot can still be saved.
ggplot_figure <- function(figure) {
  in_panels <- !is.null(figure$panels)
  label <- function(axis) if (nzchar(axis$label)) axis$label
  # a plane of equal units can be narrower than the device
  letters <- figure_size()[1L] * if (figure$equal) 0.8 else 1
  out <- ggplot2::ggplot() + lapply(figure$layers, ggplot_layer, figure$groups) +
    ggplot2::scale_alpha_identity() + ggplot2::scale_size_identity() + ggplot_groups(figure$groups, figure$legend) +
    ggplot2::labs(
      x = label(figure$x), y = label(figure$y), title = wrapped(figure$title, 10 * letters),
      subtitle = if (length(figure$subtitle)) wrapped(paste(figure$subtitle, collapse = "; "), 12.5 * letters)
    ) + ggplot_theme(figure) + lapply(c("x", "y"), if (is.null(figure$axes)) ggplot_axis else panel_axis, figure)
  # coord_cartesian() has one pair of limits for all panels; scales have their own
  if (in_panels) {
    wide <- max(10, 12 * letters / grDevices::n2mfrow(length(figure$panels))[1L])
    short <- function(labels) lapply(labels, function(text) wrapped(as.character(text), wide))
    panels <- ggplot2::vars(factor(.data$panel, figure$panels))
    return(out + ggplot2::facet_wrap(panels, scales = "free", labeller = short))
  }
  coordinates <- if (figure$equal) ggplot2::coord_equal else ggplot2::coord_cartesian
  named <- any(kinds_of(figure) == "text")
  out + coordinates(xlim = figure$x$limits, ylim = figure$y$limits, clip = if (named) "off" else "on")
}

ggplot_groups <- function(groups, legend) {
  if (is.null(groups)) {
    return(NULL)
  }
  guide <- if (legend) "legend" else "none"
  scale <- function(f, column, guide) {
    f(groups$name[1L], values = stats::setNames(groups[[column]], groups$level), guide = guide, drop = FALSE)
  }
  list(
    scale(ggplot2::scale_colour_manual, "colour", guide), scale(ggplot2::scale_shape_manual, "shape", guide),
    scale(ggplot2::scale_fill_manual, "colour", "none")
  )
}

ggplot_theme <- function(figure) {
  none <- ggplot2::element_blank()
  bare <- has_no_marks(figure$x) || any(kinds_of(figure) == "tile")
  # many names have smaller letters
  small <- function(axis) if (length(axis$breaks) > 25L && has_names(axis)) max(4.5, 8.8 * 25 / length(axis$breaks))
  ggplot2::theme_minimal() +
    ggplot2::theme(
      panel.grid.minor = none, plot.title.position = "plot", plot.margin = ggplot2::margin(5, 11, 5, 5),
      axis.text.y = ggplot2::element_text(size = small(figure$y)),
      axis.text.x = if (figure$x$upright) {
        ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5, size = small(figure$x))
      }
    ) + (if (bare) ggplot2::theme(panel.grid = none))
}

ggplot_scale <- function(side, ...) {
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  scale(..., guide = ggplot2::guide_axis(check.overlap = TRUE))
}

ggplot_axis <- function(side, figure) {
  axis <- figure[[side]]
  in_panels <- !is.null(figure$panels)
  given <- !is.null(axis$breaks)
  # a space on both sides, so that neighbours do not touch
  labels <- if (side == "x" && !axis$upright) sprintf(" %s ", axis$labels) else axis$labels
  free <- if (axis$whole) whole_breaks else ggplot2::waiver()
  ggplot_scale(
    side, limits = if (in_panels) axis$limits, n.breaks = if (in_panels) 3,
    breaks = if (given) as.numeric(axis$breaks) else free, labels = if (given) labels else ggplot2::waiver()
  )
}

# Marks of single panels, which a scale identifies by their limits; an empty layer sets these.
panel_axis <- function(side, figure) {
  axes <- Filter(function(axis) !is.null(axis$limits), lapply(figure$axes, `[[`, side))
  if (length(axes) == 0L) {
    return(ggplot_scale(side, n.breaks = 3))
  }
  marks <- function(limits) {
    # some versions of ggplot2 widen them by a twentieth on both sides
    wide <- function(axis, by) max(abs(axis$limits + c(-by, by) * diff(axis$limits) - limits)) < 1e-6 * diff(limits)
    axis <- Find(function(axis) wide(axis, 0) || wide(axis, 0.05), axes)
    if (is.null(axis$breaks)) pretty(limits, 3) else stats::setNames(as.numeric(axis$breaks), axis$labels)
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
  if (layer$kind == "names") {
    return(names_layer(data, style))
  }
  kind <- ggplot_kinds[[layer$kind]]
  tile <- layer$kind == "tile"
  set <- ggplot_constants(layer$kind, style, 0.5 * (style$lwd %||% 1))
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
  set <- set[setdiff(names(set), names(columns))]
  mapping <- do.call(ggplot2::aes, lapply(as.list(columns), function(column) rlang::expr(.data[[!!column]])))
  geom <- getExportedValue("ggplot2", paste0("geom_", kind[[1L]]))
  list(
    do.call(geom, c(list(mapping, data, show.legend = if (layer$key || tile) NA else FALSE), set)),
    if (tile) {
      ggplot2::scale_fill_gradient(style$name %||% "",
        low = heat_colours[1L], high = heat_colours[2L], limits = style$limits, na.value = "grey90"
      )
    }
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
      size = 3.4 * min(size, if (!is.null(style$cells)) (figure_size()[1L] - 2.2) / (0.45 * style$cells)),
      fontface = style$face %||% "plain", hjust = style$adj %||% 0.5, vjust = if (isTRUE(style$above)) -0.9,
      check_overlap = if (isTRUE(style$thin) || !is.null(style$cells)) TRUE
    ),
    list(linetype = style$lty %||% 2, linewidth = width)
  )
  Filter(Negate(is.null), out)
}
