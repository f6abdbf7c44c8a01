# Figures (R/figure.R) by ggplot2.

# .data is ggplot2's pronoun, bound when its aesthetics are evaluated.
utils::globalVariables(".data")

ggplot_figure <- function(figure) {
  out <- ggplot2::ggplot()
  for (layer in figure$layers) out <- out + ggplot_layer(layer, figure$groups)
  if (!is.null(figure$groups)) out <- out + ggplot_groups(figure$groups, figure$legend)
  in_panels <- !is.null(figure$panels)
  out <- out + ggplot_axis(figure$x, "x", in_panels) + ggplot_axis(figure$y, "y", in_panels) +
    ggplot2::labs(
      x = shown_label(figure$x), y = shown_label(figure$y), title = wrapped(figure$title, 60), subtitle = figure$subtitle
    ) + ggplot_theme(figure)
  # coord_cartesian() has one pair of limits for all panels; scales have their own
  if (in_panels) {
    panels <- ggplot2::vars(factor(.data$panel, figure$panels))
    return(out + ggplot2::facet_wrap(panels, scales = "free", labeller = short_strips))
  }
  coordinates <- if (figure$equal) ggplot2::coord_equal else ggplot2::coord_cartesian
  out + coordinates(xlim = figure$x$limits, ylim = figure$y$limits)
}

ggplot_groups <- function(groups, legend) {
  guide <- if (legend) "legend" else "none"
  named <- function(column) stats::setNames(groups[[column]], groups$level)
  name <- groups$name[1L]
  list(
    ggplot2::scale_colour_manual(name, values = named("colour"), guide = guide, drop = FALSE),
    ggplot2::scale_shape_manual(name, values = named("shape"), guide = guide, drop = FALSE),
    ggplot2::scale_fill_manual(name, values = named("colour"), guide = "none", drop = FALSE)
  )
}

shown_label <- function(axis) if (nzchar(axis$label)) axis$label

# Long names of panels are broken into lines.
short_strips <- function(labels) lapply(labels, function(text) wrapped(as.character(text), 34))

ggplot_theme <- function(figure) {
  none <- ggplot2::element_blank()
  out <- ggplot2::theme_minimal() + ggplot2::theme(panel.grid.minor = none, plot.title.position = "plot")
  if (has_no_marks(figure$x) || any(kinds_of(figure) == "tile")) out <- out + ggplot2::theme(panel.grid = none)
  if (figure$x$upright) {
    out <- out + ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
  }
  out
}

ggplot_axis <- function(axis, side, in_panels) {
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  limits <- if (in_panels) axis$limits
  if (!is.null(axis$breaks)) {
    return(scale(breaks = as.numeric(axis$breaks), labels = axis$labels, limits = limits))
  }
  if (axis$whole) scale(breaks = whole_breaks, limits = limits) else scale(limits = limits)
}

# Columns of the data that each kind maps, and the aesthetics that `group` sets.
ggplot_kinds <- list(
  point = list(geom = "geom_point", map = c("x", "y"), group = c("colour", "shape")),
  segment = list(geom = "geom_segment", map = c("x", "y", "xend", "yend"), group = "colour"),
  polygon = list(geom = "geom_polygon", map = c("x", "y"), group = c("colour", "fill")),
  rect = list(geom = "geom_rect", map = c("xmin", "xmax", "ymin", "ymax"), group = "fill"),
  tile = list(geom = "geom_tile", map = c("x", "y"), group = character()),
  text = list(geom = "geom_text", map = c("x", "y", "label"), group = "colour")
)

ggplot_layer <- function(layer, groups) {
  style <- layer$style
  data <- layer$data
  width <- 0.5 * (style$lwd %||% 1)
  if (layer$kind %in% c("across", "down")) {
    line <- list(linetype = style$lty %||% 2, colour = style$colour %||% "black", linewidth = width)
    if (layer$kind == "across") {
      return(do.call(ggplot2::geom_hline, c(list(yintercept = data$y), line)))
    }
    return(do.call(ggplot2::geom_vline, c(list(xintercept = data$x), line)))
  }
  kind <- ggplot_kinds[[layer$kind]]
  by_group <- !is.null(data$group)
  if (by_group) data$group <- factor(as.character(data$group), groups$level)
  set <- c(
    ggplot_constants(layer$kind, style, width),
    list(show.legend = if (layer$key || layer$kind == "tile") NA else FALSE), if (!by_group) ungrouped_colours(layer$kind, style)
  )
  grouped <- setdiff(if (by_group) kind$group, names(set))
  if (by_group && isTRUE(style$border)) grouped <- c(grouped, "colour")
  columns <- c(stats::setNames(kind$map, kind$map), stats::setNames(rep("group", length(grouped)), grouped))
  if (layer$kind == "tile") columns <- c(columns, fill = "value")
  if (!is.null(data$alpha)) columns <- c(columns, alpha = "alpha")
  mapping <- do.call(ggplot2::aes, lapply(columns, function(column) rlang::expr(.data[[!!column]])))
  geom <- getExportedValue("ggplot2", if (isTRUE(style$ground)) "geom_label" else kind$geom)
  list(
    do.call(geom, c(list(mapping = mapping, data = data, inherit.aes = FALSE), set)),
    if (!is.null(data$alpha)) ggplot2::scale_alpha_identity(),
    if (layer$kind == "tile") {
      ggplot2::scale_fill_gradient(style$name %||% "",
        low = heat_colours[1L], high = heat_colours[2L], limits = style$limits, na.value = "grey90"
      )
    }
  )
}

# Aesthetics that are the same for all rows of a layer.
ggplot_constants <- function(kind, style, width) {
  ground <- if (isTRUE(style$ground)) list(label.size = 0, alpha = 0.8, label.padding = ggplot2::unit(0.12, "lines"))
  size <- style$size %||% 1
  out <- switch(kind,
    point = list(size = 1.8 * size, alpha = style$alpha, shape = style$shape, stroke = width),
    segment = list(linetype = style$lty %||% 1, linewidth = width),
    polygon = list(alpha = style$alpha, linewidth = 0.3),
    rect = list(alpha = style$alpha),
    tile = list(colour = "white"),
    text = c(list(size = 3.4 * size, fontface = style$face %||% "plain", hjust = style$adj %||% 0.5), ground)
  )
  Filter(Negate(is.null), out)
}

ungrouped_colours <- function(kind, style) {
  colour <- style$colour %||% "black"
  switch(kind,
    point = ,
    segment = ,
    text = list(colour = colour),
    rect = c(list(fill = colour), if (isTRUE(style$border)) list(colour = colour))
  )
}
