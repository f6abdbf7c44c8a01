# Figures (R/figure.R) by ggplot2.

# .data is ggplot2's pronoun, bound when its aesthetics are evaluated.
utils::globalVariables(".data")

# Letters and symbols have the sizes of ggplot2, whatever the device, on which the plot can still be saved.
ggplot_figure <- function(figure) {
  check_package("ggplot2", "autoplot()", call = rlang::caller_env())
  in_panels <- !is.null(figure$panels)
  label <- function(axis) if (nzchar(axis$label)) axis$label
  # a plane of equal units can be narrower than the device
  letters <- figure_size()[1L] * if (figure$equal) 0.8 else 1
  has <- function(column) any(vapply(figure$layers, function(layer) !is.null(layer$data[[column]]), NA))
  out <- ggplot2::ggplot() + lapply(figure$layers, ggplot_layer, figure$groups) +
    (if (has("alpha")) ggplot2::scale_alpha_identity()) + (if (has("size")) ggplot2::scale_size_identity()) +
    ggplot_groups(figure$groups, figure$legend) + (if (is.null(figure$axes)) {
      list(ggplot_axis(figure$x, "x", in_panels), ggplot_axis(figure$y, "y", in_panels))
    }) +
    ggplot2::labs(
      x = label(figure$x), y = label(figure$y), title = wrapped(figure$title, 10 * letters),
      subtitle = if (length(figure$subtitle)) wrapped(paste(figure$subtitle, collapse = "; "), 12.5 * letters)
    ) + ggplot_theme(figure)
  # coord_cartesian() has one pair of limits for all panels; scales have their own
  if (in_panels) {
    short <- function(labels) {
      columns <- grDevices::n2mfrow(length(figure$panels))[1L]
      lapply(labels, function(text) wrapped(as.character(text), max(10, 12 * letters / columns)))
    }
    panels <- ggplot2::vars(factor(.data$panel, figure$panels))
    facets <- ggplot2::facet_wrap(panels, scales = "free", labeller = short)
    return(out + panel_axis(figure, "x") + panel_axis(figure, "y") + facets)
  }
  coordinates <- if (figure$equal) ggplot2::coord_equal else ggplot2::coord_cartesian
  named <- any(vapply(figure$layers, function(layer) isTRUE(layer$style$thin) || layer$kind == "text", NA))
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

ggplot_axis <- function(axis, side, in_panels) {
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  limits <- if (in_panels) axis$limits
  guide <- ggplot2::guide_axis(check.overlap = TRUE)
  if (!is.null(axis$breaks)) {
    # a space on both sides, so that neighbours do not touch
    labels <- if (side == "x" && !axis$upright) sprintf(" %s ", axis$labels) else axis$labels
    return(scale(breaks = as.numeric(axis$breaks), labels = labels, limits = limits, guide = guide))
  }
  if (axis$whole) {
    scale(breaks = whole_breaks, limits = limits)
  } else {
    scale(limits = limits, n.breaks = if (in_panels) 3, guide = guide)
  }
}

# Marks of single panels, which a scale identifies by their limits; an empty layer sets these.
panel_axis <- function(figure, side) {
  axes <- lapply(figure$axes, `[[`, side)
  axes <- Filter(function(axis) !is.null(axis$limits), axes)
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  if (length(axes) == 0L) {
    return(if (length(figure$axes)) scale(n.breaks = 3, guide = ggplot2::guide_axis(check.overlap = TRUE)))
  }
  marks <- function(limits) {
    # some versions of ggplot2 widen them by a twentieth on both sides
    wide <- function(axis, by) max(abs(axis$limits + c(-by, by) * diff(axis$limits) - limits)) < 1e-6 * diff(limits)
    axis <- Find(function(axis) wide(axis, 0) || wide(axis, 0.05), axes)
    if (is.null(axis$breaks)) pretty(limits, 3) else stats::setNames(as.numeric(axis$breaks), axis$labels)
  }
  ends <- do.call(rbind, Map(function(axis, panel) data.frame(at = axis$limits, panel = panel), axes, names(axes)))
  mapping <- stats::setNames(list(rlang::expr(.data$at)), side)
  list(
    scale(breaks = marks, guide = ggplot2::guide_axis(check.overlap = TRUE)),
    ggplot2::geom_blank(do.call(ggplot2::aes, mapping), ends, inherit.aes = FALSE)
  )
}

# The geom of each kind, the columns of the data that it maps, the aesthetics that `group` sets, and those that
# `colour` sets without groups.
ggplot_kinds <- list(
  point = list(geom = "point", map = c("x", "y"), group = c("colour", "shape"), plain = "colour"),
  line = list(geom = "path", map = c("x", "y"), group = "colour", plain = "colour"),
  segment = list(geom = "segment", map = c("x", "y", "xend", "yend"), group = "colour", plain = "colour"),
  polygon = list(geom = "polygon", map = c("x", "y"), group = c("colour", "fill")),
  rect = list(geom = "rect", map = c("xmin", "xmax", "ymin", "ymax"), group = "fill", plain = "fill"),
  tile = list(geom = "tile", map = c("x", "y"), group = character()),
  text = list(geom = "text", map = c("x", "y", "label"), group = "colour", plain = "colour")
)

ggplot_layer <- function(layer, groups) {
  style <- layer$style
  data <- layer$data
  width <- 0.5 * (style$lwd %||% 1)
  colour <- style$colour %||% "black"
  if (layer$kind %in% c("across", "down")) {
    line <- list(linetype = style$lty %||% 2, colour = colour, linewidth = width)
    # in the panels of the data alone
    across <- layer$kind == "across"
    at <- if (across) ggplot2::aes(yintercept = .data$y) else ggplot2::aes(xintercept = .data$x)
    return(do.call(if (across) ggplot2::geom_hline else ggplot2::geom_vline, c(list(at, data), line)))
  }
  if (layer$kind == "names") {
    return(names_layer(data, style))
  }
  kind <- ggplot_kinds[[layer$kind]]
  border <- if (isTRUE(style$border)) "colour"
  by_group <- !is.null(data$group)
  if (by_group) data$group <- factor(as.character(data$group), groups$level)
  tile <- layer$kind == "tile"
  set <- c(ggplot_constants(layer$kind, style, width), list(show.legend = if (layer$key || tile) NA else FALSE))
  if (!by_group) set[c(kind$plain, border)] <- colour
  if (by_group && !is.null(style$colour)) set[kind$group] <- colour
  grouped <- c(if (by_group) c(setdiff(kind$group, names(set)), border))
  columns <- c(
    stats::setNames(kind$map, kind$map), if (by_group && layer$kind == "polygon") c(group = "group"),
    stats::setNames(rep("group", length(grouped)), grouped),
    if (tile) c(fill = "value"), if (!is.null(data$alpha)) c(alpha = "alpha"), if (!is.null(data$size)) c(size = "size")
  )
  mapping <- do.call(ggplot2::aes, lapply(columns, function(column) rlang::expr(.data[[!!column]])))
  if (!is.null(data$size)) {
    data$size <- 1.8 * data$size
    set$size <- NULL
  }
  geom <- getExportedValue("ggplot2", paste0("geom_", kind$geom))
  list(
    do.call(geom, c(list(mapping = mapping, data = data, inherit.aes = FALSE), set)),
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
    )
  )
  Filter(Negate(is.null), out)
}
