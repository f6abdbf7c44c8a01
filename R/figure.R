# Figures: a figure is a title, two axes and layers, computed once and drawn by base graphics (below)
# or ggplot2 (R/figure-ggplot.R). A layer is a kind and a data frame, whose columns `group` and `panel` set colour,
# shape and panel. Kinds: "point", "line", "segment", "polygon", "rect", "tile", "text", "names" (R/figure-names.R),
# "across", "down".

new_figure <- function(title, layers, subtitle = NULL, x = new_axis(), y = new_axis(), groups = NULL,
                       legend = FALSE, equal = FALSE, panels = NULL) {
  layers <- Filter(Negate(is.null), layers)
  # names keep clear of all symbols, those that are drawn later too; they are drawn last
  names <- vapply(layers, `[[`, "", "kind") == "names"
  for (i in which(names)) layers[[i]]$style$around <- symbols_of(layers)
  structure(
    list(
      title = title, subtitle = subtitle, x = x, y = y, layers = layers[order(names)], groups = groups,
      legend = legend, equal = equal, panels = panels
    ),
    class = "kgroups_figure"
  )
}

# An axis. `breaks = NULL` leaves the tick marks to the backend, `numeric()` draws none. Labels are
# horizontal on a y axis unless they stand `along` it, and vertical on an x axis if `upright`. Long labels are cut.
new_axis <- function(label = "", limits = NULL, breaks = NULL, labels = breaks, whole = FALSE, upright = FALSE,
                     along = FALSE) {
  list(
    label = shorten(label, most_drawn), limits = limits, breaks = breaks,
    labels = shorten(as.character(labels), most_drawn), whole = whole, upright = upright, along = along
  )
}

# An axis with a name at each of the places 1, 2, ..., the first on top if `down`.
named_axis <- function(names, label = "", down = FALSE, upright = FALSE) {
  at <- seq_along(names)
  new_axis(label, c(0.5, length(at) + 0.5), if (down) rev(at) else at, brief_names(names, 24L), upright = upright)
}

has_no_marks <- function(axis) is.numeric(axis$breaks) && length(axis$breaks) == 0L

# A layer, or NULL if it has no rows. `style` holds constants: colour, alpha, shape, size, lty, lwd,
# adj, face, limits; `key`: does the legend show this layer?
new_layer <- function(kind, data, ..., key = FALSE) {
  if (NROW(data) > 0L) list(kind = kind, data = data, style = Filter(Negate(is.null), list(...)), key = key)
}

# Levels with their colours and shapes: eight colours that protanopes and deuteranopes distinguish (bench/palette.R), on
# white; the shapes shift by one after each eight levels, which gives 64 pairs.
new_groups <- function(levels, name, colours = NULL, shapes = NULL) {
  at <- seq_along(levels) - 1L
  data.frame(
    level = as.character(levels), colour = unname(colours %||% palette8[at %% 8L + 1L]),
    shape = shapes %||% group_shapes[(at + at %/% 8L) %% 8L + 1L], name = rep(name, length(levels))
  )
}

palette8 <- c(
  blue = "#0072B2", vermilion = "#D55E00", green = "#009E73", purple = "#CC79A7",
  amber = "#E6B800", sky = "#7CC7F2", black = "#000000", brown = "#7A3E12"
)

neutral <- "#6F7782"

group_shapes <- c(16L, 17L, 15L, 18L, 1L, 2L, 0L, 5L)

heat_colours <- c("#F7FBFF", "#56A3CF")

cluster_groups <- function(k) new_groups(seq_len(k), "cluster")

as_cluster <- function(cluster, k) factor(unname(cluster), seq_len(k))

choice_groups <- function() new_groups(c("rest", "chosen"), "", c(neutral, palette8[["vermilion"]]), c(16L, 18L))

as_choice <- function(chosen) factor(ifelse(chosen, "chosen", "rest"), c("rest", "chosen"))

# Replace colours or shapes of the groups by arguments of the user that have one value per group.
# Return list(figure, theirs): the arguments that are left go to the points.
styled_groups <- function(figure, theirs) {
  size <- NROW(figure$groups)
  ours <- function(name) size > 1L && length(theirs[[name]]) == size
  if (ours("col")) {
    figure$groups$colour <- fade(theirs$col, 1)
    theirs$col <- NULL
  }
  if (ours("pch") && is.numeric(theirs$pch)) {
    figure$groups$shape <- theirs$pch
    theirs$pch <- NULL
  }
  list(figure = figure, theirs = theirs)
}

# Layers of a matrix, the first row on top. `size`: of the numbers, none if NULL; by default less for many rows.
heat_layers <- function(values, limits = NULL, text = format(values, digits = 3, trim = TRUE), name = NULL,
                        size = if (nrow(values) <= 8L) 0.9 else if (nrow(values) <= 12L) 0.65) {
  frame <- data.frame(
    x = as.vector(col(values)), y = as.vector(nrow(values) + 1L - row(values)), value = as.vector(values),
    label = as.vector(text)
  )
  list(
    new_layer("tile", frame, limits = limits, name = name),
    if (!is.null(size)) {
      new_layer("text", frame[is.finite(values), c("x", "y", "label")], size = size, cells = ncol(values))
    }
  )
}

fade <- function(colours, alpha) grDevices::rgb(t(grDevices::col2rgb(colours)) / 255, alpha = alpha)

# Texts in lines of at most about so many letters.
wrapped <- function(text, letters) vapply(text, function(one) {
  paste(balanced_lines(one, ceiling(nchar(one) / max(letters, 1))), collapse = "\n")
}, "", USE.NAMES = FALSE)

percent <- function(share) sprintf("%.0f %%", 100 * share)

# Breaks at whole numbers only.
whole_breaks <- function(limits) unique(round(pretty(limits, 5)))

# ---- base graphics ----

# `theirs` are the user's arguments of plot(): `col`, `pch` and `cex` belong to the points (one value
# per cluster sets the clusters'), the others go to plot.default().
draw_figure <- function(figure, theirs = list()) {
  # of the figure among several that the user has on one device
  size <- graphics::par("fin")
  scale <- device_scale(size)
  styled <- styled_groups(sized_figure(figure, size), theirs)
  figure <- styled$figure
  if (length(figure$panels) > 1L) {
    return(draw_panels(figure, styled$theirs, size, scale))
  }
  figure$subtitle <- figure$subtitle %||% figure$panels
  old <- graphics::par(c("cex", "mar", "mgp"))
  on.exit(graphics::par(old))
  small <- scale < 1 && isTRUE(all.equal(old[-1L], list(mar = c(5, 4, 4, 2) + 0.1, mgp = c(3, 1, 0))))
  graphics::par(cex = min(old$cex, scale))
  graphics::par(mar = figure_margins(figure, if (small) c(3.4, 3.3, 1, 0.8) else old$mar))
  if (small) graphics::par(mgp = c(2.1, 0.7, 0))
  draw_panel(figure, figure$layers, figure$title, styled$theirs)
  invisible(figure)
}

# Panels below one title, with one name for each axis.
draw_panels <- function(figure, theirs, size, scale) {
  panels <- figure$panels
  grid <- grDevices::n2mfrow(length(panels))
  cex <- max(0.6, scale * if (max(grid) > 2L) 0.66 else if (all(grid == 2L)) 0.83 else 1)
  letters <- min(1, 1.4 * cex)
  given <- graphics::par("cex")
  titled <- is.null(theirs$main)
  title <- if (titled) fitted_lines(figure$title, 0.97 * size[1L], letters / given, 2)
  below <- if (titled) fitted_lines(figure$subtitle, 0.97 * size[1L], 0.75 * letters / given)
  labels <- c(figure$x$label, figure$y$label)
  labels[c(!is.null(theirs$xlab), !is.null(theirs$ylab)) | identical(theirs$ann, FALSE)] <- ""
  figure$x$label <- figure$y$label <- ""
  figure["subtitle"] <- list(NULL)
  old <- graphics::par(
    mfrow = rev(grid), mgp = c(1.8, 0.6, 0), mar = graphics::par("mar"),
    oma = c(1.4 * nzchar(labels), if (titled) 0.5 + 1.5 * length(title) + length(below) else 0, 0)
  )
  graphics::par(cex = cex) # mfrow sets another one
  high <- max(lengths(lapply(panels, function(panel) title_lines(panel, NULL)$title)))
  graphics::par(mar = c(2, max(2.2, label_margin(figure$y, 0)), 1.1 + 1.1 * high, 0.6))
  on.exit({
    graphics::par(old)
    graphics::par(cex = given)
  })
  for (panel in panels) {
    layers <- lapply(figure$layers, function(layer) {
      layer$data <- layer$data[layer$data$panel == panel, , drop = FALSE]
      layer
    })
    axes <- figure$axes[[panel]]
    figure[names(axes)] <- axes
    draw_panel(figure, Filter(function(layer) nrow(layer$data) > 0L, layers), panel, theirs)
  }
  write <- function(text, side, line, share, ...) write_lines(
    text, side, line, share * letters / cex, 0.97 * size[if (side == 2L) 2L else 1L], ..., outer = TRUE
  )
  write(title, 3L, 0.3 + length(below), 1, font = 2, step = 1.5)
  write(below, 3L, 0.2, 0.75)
  for (side in which(nzchar(labels))) write(labels[side], side, 0.2, 0.8)
  invisible(figure)
}

# Margins in lines: those given, or more for long labels of an axis, the title and the legend.
figure_margins <- function(figure, given) {
  right <- if (figure$legend) legend_margin(figure$groups) else if (needs_key(figure$layers)) 4.5 else 0
  if (has_no_marks(figure$x) && has_no_marks(figure$y) && !nzchar(figure$x$label)) {
    return(c(0.6, 0.6, 3.6, max(0.6, right)))
  }
  title <- title_lines(figure$title, figure$subtitle)
  above <- 0.7 + 1.15 * length(title$title) + 0.9 * length(title$subtitle)
  pmax(given, c(if (figure$x$upright) label_margin(figure$x) else 0, label_margin(figure$y), above, right))
}

# Title and subtitle in lines that fit the device.
title_lines <- function(title, subtitle) {
  wide <- 0.97 * graphics::par("fin")[1L]
  list(title = fitted_lines(title, wide, font = 2), subtitle = fitted_lines(subtitle, wide, 0.8))
}

legend_margin <- function(groups) min(13, 2.2 + text_lines(c(groups$level, groups$name)))

# The width of the widest of some texts, in lines of a margin.
text_lines <- function(text) {
  max(graphics::strwidth(text, "inches")) / (graphics::par("cin")[2L] * graphics::par("cex"))
}

# Cells without their numbers.
needs_key <- function(layers) {
  kinds <- vapply(layers, `[[`, "", "kind")
  "tile" %in% kinds && !"text" %in% kinds
}

# The width of names, and the label beyond them; 4 lines for numbers.
label_margin <- function(axis, numbers = 4) {
  if (!is.numeric(axis$breaks) || !has_names(axis)) {
    return(numbers)
  }
  1.6 + text_lines(axis$labels) + 1.2 * nzchar(axis$label)
}

draw_panel <- function(figure, layers, title, theirs) {
  for_points <- intersect(names(theirs), c("col", "pch", "cex"))
  rest <- theirs[setdiff(names(theirs), for_points)]
  x <- figure$x
  y <- figure$y
  if (figure$equal && is.null(rest$xlim) && is.null(rest$ylim)) {
    old <- shrink_frame(axis_limits(x, layers, "x"), axis_limits(y, layers, "y"))
    on.exit(graphics::par(old))
  }
  ours <- list(
    x = NA, type = "n", xlim = axis_limits(x, layers, "x"), ylim = axis_limits(y, layers, "y"), xlab = "",
    ylab = "", main = "", asp = if (figure$equal) 1 else NA, xaxt = "n", yaxt = "n",
    bty = if (!nzchar(x$label) && has_no_marks(x) && has_no_marks(y)) "n" else "l"
  )
  draw(graphics::plot.default, ours, rest)
  if (is.null(rest$main)) draw_title(title, figure$subtitle)
  if (!identical(rest$ann, FALSE)) {
    if (is.null(rest$xlab)) draw_label(x, 1L, rest)
    if (is.null(rest$ylab)) draw_label(y, 2L, rest)
  }
  draw_axis(1L, x, rest$xaxt)
  draw_axis(2L, y, rest$yaxt)
  values <- unlist(lapply(layers, function(layer) layer$data$value))
  if (needs_key(layers)) draw_key(layers, values)
  for (layer in layers) draw_layer(layer, figure$groups, theirs[for_points], values)
  if (figure$legend) draw_legend(figure$groups)
}

# Narrow the frame so that equal units fill it; return the old place.
shrink_frame <- function(x, y) {
  graphics::plot.new()
  graphics::par(new = TRUE)
  share <- (diff(y) / diff(x)) * do.call(`/`, as.list(graphics::par("pin")))
  place <- graphics::par("plt")
  middle <- (place[1L] + place[2L]) / 2
  half <- (place[2L] - place[1L]) / 2 / max(1, share)
  high <- (place[4L] - place[3L]) * min(1, share)
  graphics::par(plt = c(middle - half, middle + half, place[4L] - high, place[4L]))
}

# Call a function with our arguments, replaced by the user's.
draw <- function(f, ours, theirs) do.call(f, utils::modifyList(ours, theirs))

# Limits of an axis: given, or the range of all layers; widened if all values are equal but for rounding.
axis_limits <- function(axis, layers, name) {
  columns <- paste0(name, c("", "end", "min", "max"))
  values <- unlist(lapply(layers, function(layer) layer$data[intersect(columns, names(layer$data))]), use.names = FALSE)
  values <- values[is.finite(values)]
  found <- if (all(is.finite(axis$limits))) axis$limits
  found <- found %||% if (length(values)) range(values) else c(0, 1)
  if (diff(found) > 1e-9 * max(abs(found))) {
    return(found)
  }
  found + c(-1, 1) * max(0.05 * abs(found), if (all(found == 0)) 1)
}

# Title and subtitle above the frame, or in the middle of the figure if they are wider.
draw_title <- function(title, subtitle) {
  wide <- graphics::par("fin")[1L]
  above <- graphics::par("pin")[1L] + 1.8 * min(graphics::par("mai")[c(2L, 4L)])
  lines <- title_lines(title, subtitle)
  write <- function(text, line, cex, font, step) write_lines(
    text, 3L, line, cex, 0.97 * wide, font, step,
    at = if (fitting(text, above, font, cex) < 1) graphics::grconvertX(0.5, "nfc", "user") else NA
  )
  write(lines$title, 0.5 + 0.95 * length(lines$subtitle), 1, 2, 1.1)
  write(lines$subtitle, 0.3, 0.8, 1, 0.9)
}

# Lines of a text in a margin, the last one nearest to the frame, smaller if one is longer than some inches.
write_lines <- function(text, side, line, cex, inches, font = 1, step = 1, ...) {
  cex <- cex * min(1, fitting(text, inches, font, cex)) * graphics::par("cex")
  for (one in rev(text)) {
    graphics::mtext(one, side, line, font = font, cex = cex, ...)
    line <- line + step
  }
}

# The name of an axis, as large as the side of the frame and the shorter margin allow, beyond the names of its places.
draw_label <- function(axis, side, theirs) {
  room <- graphics::par("pin")[side] +
    if (side == 1L) 1.8 * min(graphics::par("mai")[c(2L, 4L)]) else 0
  beyond <- (side == 2L || axis$upright) && is.numeric(axis$breaks) && has_names(axis)
  ours <- list(
    axis$label, cex.lab = max(0.5, min(1, fitting(axis$label, room))),
    line = if (beyond) graphics::par("mar")[side] - 1.2 else NA
  )
  names(ours)[1L] <- c("xlab", "ylab")[side]
  draw(graphics::title, ours, theirs[intersect(names(theirs), c("cex.lab", "col.lab", "font.lab"))])
}

# The share of a text that fits in some inches. Widths are not proportional to `cex`: devices round the size of letters.
fitting <- function(text, inches, font = 1, cex = 1) inches / max(
  if (length(text)) graphics::strwidth(text, "inches", font = font, cex = cex), 0.01
)

# A text in as few lines as some inches need, at most three.
fitted_lines <- function(text, inches, cex = 1, font = 1) {
  out <- NULL
  for (lines in seq_len(3L * (length(text) > 0L))) {
    out <- balanced_lines(text, lines)
    if (fitting(out, inches, font, cex) >= 1) break
  }
  out
}

# A text in some lines of about the same length, none of them a single short word.
balanced_lines <- function(text, lines) {
  # "p < 0.05" and "90 %" stay in one line
  text <- gsub(" ([<=]) ", "\r\\1\r", gsub(" %", "\r%", paste(text, collapse = "; "), fixed = TRUE))
  for (width in ceiling(nchar(text) / lines):(nchar(text) + 1L)) {
    out <- gsub("\r", " ", strwrap(text, width + 1L), fixed = TRUE)
    if (length(out) <= lines) break
  }
  out
}

# The size of names on an axis: as large as the space between them allows, at least .4.
axis_size <- function(side, axis, upright) {
  many <- length(axis$breaks)
  if (many < 2L) {
    return(1)
  }
  high <- 1.25 * graphics::strheight("M", "inches")
  name <- if (upright) high else 1.15 * max(graphics::strwidth(axis$labels, "inches"))
  space <- graphics::par("pin")[side] * diff(range(axis$breaks)) / diff(graphics::par("usr")[2 * side - 1:0])
  max(0.4 / graphics::par("cex"), min(1, space / (many - 1L) / name))
}

draw_axis <- function(side, axis, theirs) {
  if (identical(theirs, "n") || has_no_marks(axis)) {
    return(invisible())
  }
  if (is.null(axis$breaks)) {
    usr <- graphics::par("usr")[2 * side - 1:0]
    at <- if (axis$whole) Filter(function(at) at >= usr[1L] && at <= usr[2L], whole_breaks(usr))
    return(graphics::axis(side, at))
  }
  upright <- axis$upright || side == 2L && !axis$along
  named <- length(axis$breaks) > 1L && all(diff(sort(axis$breaks)) == 1)
  graphics::axis(
    side, axis$breaks, axis$labels, las = if (upright) 2L else 0L, tick = !has_names(axis),
    cex.axis = if (named) axis_size(side, axis, upright) else 1, gap.axis = if (named) -1 else NA
  )
}

# The legend stands to the right of the frame, so that it covers nothing.
draw_legend <- function(groups) {
  usr <- graphics::par("usr")
  graphics::legend(
    usr[2L], usr[4L], groups$level,
    col = groups$colour, pch = groups$shape, bty = "n", title = groups$name[1L], xpd = NA
  )
}

# A strip of colours to the right of the frame, with the limits.
draw_key <- function(layers, values) {
  style <- Find(function(layer) layer$kind == "tile", layers)$style
  limits <- style$limits %||% range(values, finite = TRUE)
  usr <- graphics::par("usr")
  left <- usr[2L] + 0.03 * diff(usr[1:2])
  foot <- usr[3L] + 0.5 * diff(usr[3:4])
  high <- 0.44 * diff(usr[3:4])
  shades <- heat_shades(seq(limits[1L], limits[2L], length.out = 32L), limits, values)
  graphics::rasterImage(rev(shades), left, foot, left + 0.035 * diff(usr[1:2]), foot + high, FALSE, xpd = NA)
  marks <- pretty(limits, 3)
  marks <- marks[marks >= limits[1L] & marks <= limits[2L]]
  at <- foot + high * (marks - limits[1L]) / max(diff(limits), .Machine$double.xmin)
  write <- function(x, y, text) graphics::text(x, y, text, adj = c(0, 0.5), cex = 0.7, xpd = NA)
  write(left + 0.045 * diff(usr[1:2]), at, format(marks))
  write(left, usr[4L], style$name %||% "")
}

# Draw one layer. `points` are the user's arguments for points, `values` those of all tiles.
draw_layer <- function(layer, groups, points, values) {
  data <- layer$data
  style <- layer$style
  at <- if (!is.null(data$group)) match(as.character(data$group), groups$level)
  colour <- rep_len(style$colour %||% if (is.null(at)) "black" else groups$colour[at], nrow(data))
  alpha <- data$alpha %||% style$alpha
  fill <- if (is.null(alpha)) colour else fade(colour, alpha)
  lwd <- style$lwd %||% 1
  lty <- style$lty %||% if (layer$kind == "segment") 1 else 2
  box <- function(left, bottom, right, top, fill, border) graphics::rect(
    left, bottom, right, top, col = fill, border = border
  )
  parts <- split(seq_len(nrow(data)), data$group %||% rep(1L, nrow(data)), drop = TRUE)
  switch(layer$kind,
    point = {
      ours <- list(
        x = data$x, y = data$y, col = fill, pch = style$shape %||% if (is.null(at)) 16L else groups$shape[at],
        cex = data$size %||% style$size %||% 1, lwd = lwd, bg = style$ground %||% NA,
        xpd = if (is.null(style$ground) && is.null(data$size)) graphics::par("xpd") else NA
      )
      draw(graphics::points.default, ours, if (is.null(at) || !is.null(style$shape)) list() else points)
    },
    line = for (rows in parts) graphics::lines(data$x[rows], data$y[rows], col = fill[rows[1L]], lwd = lwd),
    polygon = for (rows in parts) {
      graphics::polygon(data$x[rows], data$y[rows], border = colour[rows[1L]], col = fill[rows[1L]])
    },
    segment = graphics::segments(data$x, data$y, data$xend, data$yend, col = fill, lty = lty, lwd = lwd),
    rect = box(data$xmin, data$ymin, data$xmax, data$ymax, fill, if (isTRUE(style$border)) colour else NA),
    tile = box(
      data$x - 0.5, data$y - 0.5, data$x + 0.5, data$y + 0.5, heat_shades(data$value, style$limits, values),
      if (length(unique(data$y)) > 24L) NA else "white"
    ),
    text = draw_text(data, style, colour[1L]),
    names = draw_names(data, style),
    across = graphics::abline(h = data$y, lty = lty, col = colour, lwd = lwd),
    down = graphics::abline(v = data$x, lty = lty, col = colour, lwd = lwd)
  )
}

heat_shades <- function(value, limits, all) {
  limits <- limits %||% if (any(is.finite(all))) range(all, finite = TRUE) else c(0, 1)
  share <- pmin(pmax((value - limits[1L]) / max(diff(limits), .Machine$double.xmin), 0), 1)
  shades <- grDevices::colorRamp(heat_colours)(ifelse(is.finite(share), share, 0))
  ifelse(is.finite(share), grDevices::rgb(shades, maxColorValue = 255), "grey90")
}

draw_text <- function(data, style, colour) {
  cex <- style$size %||% 1
  font <- if (identical(style$face, "bold")) 2 else 1
  if (!is.null(style$cells)) cex <- min(cex, 0.9 * cex / max(graphics::strwidth(data$label, cex = cex)))
  if (isTRUE(style$above)) data$y <- data$y + graphics::strheight("M") * (0.9 * cex + 0.4)
  if (isTRUE(style$thin)) data <- data[apart_labels(data, cex), ]
  adj <- c(style$adj %||% 0.5, 0.5)
  graphics::text(data$x, data$y, data$label, adj = adj, cex = cex, font = font, col = colour, xpd = NA)
}

# Which labels overlap none that is drawn before.
apart_labels <- function(data, cex) {
  wide <- graphics::strwidth(data$label, cex = cex)
  high <- 1.6 * graphics::strheight(data$label, cex = cex)
  kept <- logical(nrow(data))
  for (i in seq_along(kept)) {
    far <- pmax(abs(data$x - data$x[i]) * 2 / (wide + wide[i]), abs(data$y - data$y[i]) * 2 / (high + high[i]))
    kept[i] <- !any(far[kept] < 1)
  }
  kept
}
