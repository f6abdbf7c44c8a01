# Figures (R/figure.R) by base graphics.

# `theirs` are the user's arguments of plot(): `col`, `pch` and `cex` belong to the points (one value
# per cluster sets the clusters'), the others go to plot.default().
draw_figure <- function(figure, theirs = list()) {
  styled <- styled_groups(figure, theirs)
  figure <- styled$figure
  theirs <- styled$theirs
  if (is.null(figure$panels)) {
    draw_panel(figure, figure$layers, figure$title, theirs)
    return(invisible(figure))
  }
  settings <- list(mar = c(4, label_margin(figure$y), 3, 1))
  # a single panel respects the user's layout
  many <- length(figure$panels) > 1L
  titled <- many && is.null(theirs$main)
  if (many) settings$mfrow <- rev(grDevices::n2mfrow(length(figure$panels)))
  if (titled) settings$oma <- c(0, 0, 1.8, 0)
  if (!many) figure$subtitle <- figure$panels
  old <- graphics::par(settings)
  on.exit(graphics::par(old))
  for (panel in figure$panels) {
    layers <- lapply(figure$layers, function(layer) {
      layer$data <- layer$data[layer$data$panel == panel, , drop = FALSE]
      layer
    })
    layers <- Filter(function(layer) nrow(layer$data) > 0L, layers)
    draw_panel(figure, layers, if (many) panel else figure$title, theirs)
  }
  if (titled) graphics::mtext(figure$title, 3, 0.2, outer = TRUE, font = 2)
  invisible(figure)
}

draw_panel <- function(figure, layers, title, theirs) {
  for_points <- intersect(names(theirs), c("col", "pch", "cex"))
  rest <- theirs[setdiff(names(theirs), for_points)]
  x <- figure$x
  y <- figure$y
  mar <- graphics::par("mar")
  if (is.null(figure$panels)) {
    graphics::par(mar = pmax(mar, c(if (x$upright) label_margin(x) else 0, label_margin(y), 0, 0)))
    on.exit(graphics::par(mar = mar))
  }
  ours <- list(
    x = NA, type = "n", xlim = axis_limits(x, layers, "x"), ylim = axis_limits(y, layers, "y"), xlab = x$label,
    ylab = y$label, main = "", asp = if (figure$equal) 1 else NA, xaxt = "n", yaxt = "n",
    bty = if (figure$equal && has_no_marks(x)) "n" else "l"
  )
  draw(graphics::plot.default, ours, rest)
  if (is.null(rest$main)) draw_title(title, figure$subtitle)
  draw_axis(1L, x, rest$xaxt)
  draw_axis(2L, y, rest$yaxt)
  values <- unlist(lapply(layers, function(layer) layer$data$value))
  for (layer in layers) draw_layer(layer, figure$groups, theirs[for_points], values)
  if (figure$legend) draw_legend(figure)
}

# Call a function with our arguments, replaced by the user's.
draw <- function(f, ours, theirs) do.call(f, utils::modifyList(ours, theirs))

# Margin in lines for labels of an axis: half a line per letter.
label_margin <- function(axis) {
  named <- is.numeric(axis$breaks) && length(axis$labels) && anyNA(suppressWarnings(as.numeric(axis$labels)))
  if (named) min(13, 1.5 + 0.5 * max(nchar(axis$labels))) else 4
}

# Limits of an axis: given, or the range of all layers; widened if all values are equal but for rounding.
axis_limits <- function(axis, layers, name) {
  columns <- paste0(name, c("", "end", "min", "max"))
  values <- unlist(lapply(layers, function(layer) layer$data[intersect(columns, names(layer$data))]), use.names = FALSE)
  values <- values[is.finite(values)]
  found <- axis$limits %||% if (length(values)) range(values) else c(0, 1)
  if (diff(found) > 1e-9 * max(abs(found))) {
    return(found)
  }
  found + c(-1, 1) * max(0.05 * abs(found), if (all(found == 0)) 1)
}

# Title in lines that fit the width: a bold letter is about .6 of its height wide.
draw_title <- function(title, subtitle) {
  letter <- 0.62 * graphics::par("ps") / 72 * graphics::par("cex")
  width <- graphics::par("pin")[1L] + 2 * min(graphics::par("mai")[c(2L, 4L)])
  lines <- strwrap(title, max(20, floor(width / letter)))
  subtitle <- substr(subtitle %||% "", 1L, max(20, floor(1.35 * width / letter)))
  graphics::title(main = paste(lines, collapse = "\n"), cex.main = 1, line = if (nzchar(subtitle)) 1.4 else 0.8)
  if (nzchar(subtitle)) graphics::mtext(subtitle, 3, 0.3, cex = 0.8 * graphics::par("cex"))
}

draw_axis <- function(side, axis, theirs) {
  if (identical(theirs, "n") || has_no_marks(axis)) {
    return(invisible())
  }
  las <- if (side == 2L || axis$upright) 2L else 0L
  if (!is.null(axis$breaks)) {
    graphics::axis(side, axis$breaks, axis$labels, las = las, tick = !anyNA(suppressWarnings(as.numeric(axis$labels))))
  } else if (axis$whole) {
    usr <- graphics::par("usr")[if (side == 1L) 1:2 else 3:4]
    at <- whole_breaks(usr)
    graphics::axis(side, at[at >= usr[1L] & at <= usr[2L]])
  } else {
    graphics::axis(side)
  }
}

# The legend stands below a figure without axes, else in the space that the y limits leave on top.
draw_legend <- function(figure) {
  groups <- figure$groups
  usr <- graphics::par("usr")
  at <- if (figure$equal) list(mean(usr[1:2]), usr[3L], xjust = 0.5, horiz = TRUE, xpd = NA) else list("topright")
  ours <- list(legend = groups$level, col = groups$colour, pch = groups$shape, bty = "n", title = groups$name[1L])
  do.call(graphics::legend, c(at, ours))
}

# Draw one layer. `points` are the user's arguments for points, `values` those of all tiles.
draw_layer <- function(layer, groups, points, values) {
  data <- layer$data
  style <- layer$style
  at <- if (!is.null(data$group)) match(as.character(data$group), groups$level)
  style$colour <- if (is.null(at)) (style$colour %||% "black") else groups$colour[at]
  alpha <- data$alpha %||% style$alpha
  style$fill <- if (is.null(alpha)) style$colour else fade(rep_len(style$colour, nrow(data)), alpha)
  style$lwd <- style$lwd %||% 1
  switch(layer$kind,
    point = {
      ours <- list(
        x = data$x, y = data$y, col = style$fill, pch = style$shape %||% groups$shape[at], cex = style$size %||% 1,
        lwd = style$lwd
      )
      draw(graphics::points.default, ours, if (is.null(at)) list() else points)
    },
    segment = graphics::segments(
      data$x, data$y, data$xend, data$yend,
      col = style$fill, lty = style$lty %||% 1, lwd = style$lwd
    ),
    polygon = for (rows in split(seq_len(nrow(data)), data$group, drop = TRUE)) {
      graphics::polygon(data$x[rows], data$y[rows], border = style$colour[rows[1L]], col = style$fill[rows[1L]])
    },
    rect = graphics::rect(
      data$xmin, data$ymin, data$xmax, data$ymax,
      col = style$fill, border = if (isTRUE(style$border)) style$colour else NA
    ),
    tile = graphics::rect(
      data$x - 0.5, data$y - 0.5, data$x + 0.5, data$y + 0.5,
      col = heat_shades(data$value, style$limits, values), border = "white"
    ),
    text = draw_text(data, style),
    across = graphics::abline(h = data$y, lty = style$lty %||% 2, col = style$colour, lwd = style$lwd),
    down = graphics::abline(v = data$x, lty = style$lty %||% 2, col = style$colour, lwd = style$lwd)
  )
}

heat_shades <- function(value, limits, all) {
  limits <- limits %||% if (any(is.finite(all))) range(all, finite = TRUE) else c(0, 1)
  share <- pmin(pmax((value - limits[1L]) / max(diff(limits), .Machine$double.xmin), 0), 1)
  out <- rep("grey90", length(value))
  known <- is.finite(share)
  out[known] <- grDevices::rgb(grDevices::colorRamp(heat_colours)(share[known]), maxColorValue = 255)
  out
}

# Text, on a white ground if `ground`, so that it is readable over other layers.
draw_text <- function(data, style) {
  cex <- style$size %||% 1
  font <- if (identical(style$face, "bold")) 2 else 1
  if (isTRUE(style$ground)) {
    wide <- graphics::strwidth(data$label, cex = cex, font = font) * 0.62
    high <- graphics::strheight(data$label, cex = cex, font = font) * 0.8
    graphics::rect(data$x - wide, data$y - high, data$x + wide, data$y + high, col = "#FFFFFFCC", border = NA)
  }
  adj <- c(style$adj %||% 0.5, 0.5)
  graphics::text(data$x, data$y, data$label, adj = adj, cex = cex, font = font, col = style$colour, xpd = NA)
}
