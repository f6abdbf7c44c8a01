# Pictures as descriptions: titles, labels, colours and data are computed once, and drawn from there by
# base graphics or by ggplot2. A picture is made of layers, each a kind ("point", "segment", "polygon",
# "rect", "tile", "text", "across", "down") and a data frame; a column `group` is shown by colour
# and shape, a column `panel` says in which panel the row stands.

new_picture <- function(title, layers, subtitle = NULL, x = new_axis(), y = new_axis(), groups = NULL,
                        legend = FALSE, equal = FALSE, panels = NULL) {
  structure(
    list(
      title = title, subtitle = subtitle, x = x, y = y, layers = Filter(Negate(is.null), layers),
      groups = groups, legend = legend, equal = equal, panels = panels
    ),
    class = "kgroups_picture"
  )
}

# An axis: its label, its limits, where it has marks and what stands there. `breaks = NULL` leaves
# marks to the drawer, `numeric()` draws none. Names of things are written level on a y axis, and
# upright on an x axis where `upright`. Names of any length are the user's, and cut here.
new_axis <- function(label = "", limits = NULL, breaks = NULL, labels = breaks, whole = FALSE, upright = FALSE) {
  list(
    label = shorten(label, most_drawn), limits = limits, breaks = breaks,
    labels = shorten(as.character(labels), most_drawn), whole = whole, upright = upright
  )
}

# A layer without rows is no layer. `style` holds what is the same for all rows: colour, fill,
# alpha, shape, size, lty, lwd, adj, face; `key` says that the legend shows this layer.
new_layer <- function(kind, data, ..., key = FALSE) {
  if (is.null(data) || nrow(data) == 0L) {
    return(NULL)
  }
  list(kind = kind, data = data, style = list(...), key = key)
}

# Levels with their colours and shapes. Okabe and Ito's colours, which most eyes can tell apart, the
# yellow darker so that it shows on white. Above eight levels colours come again with another
# shape: 64 pairs.
new_groups <- function(levels, name, colours = NULL, shapes = NULL) {
  at <- seq_along(levels) - 1L
  if (is.null(colours)) colours <- okabe_ito[at %% 8L + 1L]
  if (is.null(shapes)) shapes <- group_shapes[(at + at %/% 8L) %% 8L + 1L]
  data.frame(level = as.character(levels), colour = unname(colours), shape = shapes, name = rep(name, length(levels)))
}

okabe_ito <- c(
  blue = "#0072B2", vermilion = "#D55E00", green = "#009E73", purple = "#CC79A7",
  orange = "#E69F00", sky = "#56B4E9", grey = "#6F7782", yellow = "#B5A800"
)

group_shapes <- c(16L, 17L, 15L, 18L, 1L, 2L, 0L, 5L)

cluster_groups <- function(k) new_groups(seq_len(k), "cluster")

cluster_colours <- function(k) cluster_groups(k)$colour

# What was chosen, and the rest.
choice_groups <- function() new_groups(c("rest", "chosen"), "", okabe_ito[c("grey", "vermilion")], c(16L, 18L))

as_choice <- function(chosen) factor(ifelse(chosen, "chosen", "rest"), c("rest", "chosen"))

# Where along an axis, from the data of all layers in one panel.
spread_of <- function(layers, axis) {
  columns <- paste0(axis, c("", "end", "min", "max"))
  values <- unlist(lapply(layers, function(layer) layer$data[intersect(columns, names(layer$data))]), use.names = FALSE)
  values <- values[is.finite(values)]
  if (length(values)) range(values) else c(0, 1)
}

# Values in the cells of a symmetric matrix with names, the first row on top.
heat_layers <- function(values) {
  k <- nrow(values)
  text <- format_few(values)
  frame <- data.frame(
    x = as.vector(col(values)), y = as.vector(k + 1L - row(values)), value = as.vector(values), label = text
  )
  list(
    new_layer("tile", frame),
    if (k <= 12L) new_layer("text", frame[is.finite(values), c("x", "y", "label")], colour = "black", size = if (k > 8L) 0.65 else 0.9)
  )
}

format_few <- function(values) format(as.vector(values), digits = 3, trim = TRUE)

heat_colours <- c("#F7FBFF", "#56A3CF")

wrapped <- function(text, width) {
  vapply(text, function(one) paste(strwrap(one, width), collapse = "\n"), "", USE.NAMES = FALSE)
}

# ---- base graphics ----

# `theirs`, the arguments of a call of plot(): `col`, `pch` and `cex` are those of points, the rest
# goes to plot.default().
draw_picture <- function(picture, theirs = list()) {
  if (is.null(picture$panels)) {
    draw_panel(picture, picture$layers, picture$title, picture$x, picture$y, theirs)
    return(invisible(picture))
  }
  settings <- list(mar = c(4, side_room(picture$y), 3, 1))
  # a single panel may stand in a layout of the user's
  many <- length(picture$panels) > 1L
  if (many) {
    settings$mfrow <- rev(grDevices::n2mfrow(length(picture$panels)))
    if (is.null(theirs$main)) settings$oma <- c(0, 0, 1.8, 0)
  } else {
    picture$subtitle <- picture$panels
  }
  old <- graphics::par(settings)
  on.exit(graphics::par(old))
  for (panel in picture$panels) {
    layers <- lapply(picture$layers, function(layer) {
      layer$data <- layer$data[layer$data$panel == panel, , drop = FALSE]
      layer
    })
    layers <- Filter(function(layer) nrow(layer$data) > 0L, layers)
    draw_panel(picture, layers, if (many) panel else picture$title, picture$x, picture$y, theirs)
  }
  if (many && is.null(theirs$main)) graphics::mtext(picture$title, 3, 0.2, outer = TRUE, font = 2)
  invisible(picture)
}

# Lines of margin for the names of things on an axis: half a line a letter.
side_room <- function(axis) {
  if (is.numeric(axis$breaks) && length(axis$labels) && anyNA(suppressWarnings(as.numeric(axis$labels)))) {
    return(min(13, 1.5 + 0.5 * max(nchar(axis$labels))))
  }
  4
}

draw_panel <- function(picture, layers, title, x, y, theirs) {
  for_points <- intersect(names(theirs), c("col", "pch", "cex"))
  rest <- theirs[setdiff(names(theirs), for_points)]
  if (is.null(picture$panels)) {
    mar <- graphics::par("mar")
    need <- mar
    if (x$upright) need[1L] <- max(mar[1L], side_room(x))
    need[2L] <- max(mar[2L], side_room(y))
    if (!identical(need, mar)) {
      graphics::par(mar = need)
      on.exit(graphics::par(mar = mar))
    }
  }
  limits <- function(axis, name) {
    found <- axis$limits %||% spread_of(layers, name)
    # all values the same: rounding is not worth an axis
    if (diff(found) <= 1e-9 * max(abs(found))) found + c(-1, 1) * max(0.05 * abs(found), if (all(found == 0)) 1) else found
  }
  ours <- list(
    x = NA, type = "n", xlim = limits(x, "x"), ylim = limits(y, "y"), xlab = x$label, ylab = y$label,
    main = "", asp = if (picture$equal) 1 else NA, xaxt = "n", yaxt = "n", bty = "l"
  )
  if (picture$equal && length(x$breaks) == 0L && !is.null(x$breaks)) ours$bty <- "n"
  draw(graphics::plot.default, ours, rest)
  if (is.null(rest$main)) draw_title(title, picture$subtitle)
  draw_axis(1L, x, rest$xaxt)
  draw_axis(2L, y, rest$yaxt)
  values <- unlist(lapply(layers, function(layer) layer$data$value))
  for (layer in layers) draw_layer(layer, picture$groups, theirs[for_points], values)
  if (isTRUE(picture$legend)) {
    groups <- picture$groups
    # below a picture that fills its frame and has no axes, else in the room that others leave above
    usr <- graphics::par("usr")
    at <- if (picture$equal) list(mean(usr[1:2]), usr[3L], xjust = 0.5, horiz = TRUE, xpd = NA) else list("topright")
    ours <- list(legend = groups$level, col = groups$colour, pch = groups$shape, bty = "n", title = groups$name[1L])
    do.call(graphics::legend, c(at, ours))
  }
}

# In lines that the picture is wide enough for: a bold letter is about .6 of its height wide.
draw_title <- function(title, subtitle) {
  letter <- 0.62 * graphics::par("ps") / 72 * graphics::par("cex")
  room <- graphics::par("pin")[1L] + 2 * min(graphics::par("mai")[c(2L, 4L)])
  lines <- strwrap(title, max(20, floor(room / letter)))
  subtitle <- substr(subtitle %||% "", 1L, max(20, floor(1.35 * room / letter)))
  graphics::title(main = paste(lines, collapse = "\n"), cex.main = 1, line = if (nzchar(subtitle)) 1.4 else 0.8)
  if (nzchar(subtitle)) graphics::mtext(subtitle, 3, 0.3, cex = 0.8 * graphics::par("cex"))
}

draw_axis <- function(side, axis, theirs) {
  if (identical(theirs, "n") || (is.numeric(axis$breaks) && length(axis$breaks) == 0L)) {
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

# Breaks at whole numbers only.
whole_breaks <- function(limits) unique(round(pretty(limits, 5)))

draw_layer <- function(layer, groups, points, values) {
  data <- layer$data
  style <- layer$style
  n <- nrow(data)
  at <- if (is.null(data$group)) NULL else match(as.character(data$group), groups$level)
  colour <- if (is.null(at)) (style$colour %||% "black") else groups$colour[at]
  faded <- data$alpha %||% style$alpha
  filled <- if (is.null(faded)) colour else fade(rep_len(colour, n), faded)
  switch(layer$kind,
    point = {
      shape <- style$shape %||% groups$shape[at]
      ours <- list(x = data$x, y = data$y, col = filled, pch = shape, cex = style$size %||% 1, lwd = style$lwd %||% 1)
      if (!is.null(at)) ours <- utils::modifyList(ours, points)
      do.call(graphics::points.default, ours)
    },
    segment = graphics::segments(
      data$x, data$y, data$xend, data$yend,
      col = filled, lty = style$lty %||% 1, lwd = (style$lwd %||% 1)
    ),
    polygon = for (rows in split(seq_len(n), data$group)) {
      if (length(rows)) graphics::polygon(data$x[rows], data$y[rows], border = colour[rows[1L]], col = filled[rows[1L]])
    },
    rect = graphics::rect(
      data$xmin, data$ymin, data$xmax, data$ymax,
      col = filled, border = if (isTRUE(style$border)) colour else NA
    ),
    tile = graphics::rect(
      data$x - 0.5, data$y - 0.5, data$x + 0.5, data$y + 0.5,
      col = heat_shades(data$value, layer$style$limits, values), border = "white"
    ),
    text = halo(data, style, colour),
    across = graphics::abline(h = data$y, lty = style$lty %||% 2, col = colour, lwd = style$lwd %||% 1),
    down = graphics::abline(v = data$x, lty = style$lty %||% 2, col = colour, lwd = style$lwd %||% 1)
  )
}

# A function with arguments of ours that the user's replace.
draw <- function(f, ours, theirs) do.call(f, utils::modifyList(ours, theirs))

fade <- function(colours, alpha) {
  rgb <- grDevices::col2rgb(colours) / 255
  grDevices::rgb(rgb[1L, ], rgb[2L, ], rgb[3L, ], alpha)
}

heat_shades <- function(value, limits, all) {
  if (is.null(limits)) limits <- if (any(is.finite(all))) range(all, finite = TRUE) else c(0, 1)
  width <- max(diff(limits), .Machine$double.xmin)
  share <- pmin(pmax((value - limits[1L]) / width, 0), 1)
  out <- rep("grey90", length(value))
  known <- is.finite(share)
  out[known] <- grDevices::rgb(grDevices::colorRamp(heat_colours)(share[known]), maxColorValue = 255)
  out
}

# Text on a white ground, so that it can be read over what is drawn below.
halo <- function(data, style, colour) {
  adj <- style$adj %||% 0.5
  cex <- style$size %||% 1
  font <- if (identical(style$face, "bold")) 2 else 1
  if (isTRUE(style$ground)) {
    wide <- graphics::strwidth(data$label, cex = cex, font = font) * 0.62
    high <- graphics::strheight(data$label, cex = cex, font = font) * 0.8
    graphics::rect(data$x - wide, data$y - high, data$x + wide, data$y + high, col = "#FFFFFFCC", border = NA)
  }
  graphics::text(data$x, data$y, data$label, adj = c(adj, 0.5), cex = cex, font = font, col = colour, xpd = NA)
}

# ---- ggplot2 ----

# .data is ggplot2's pronoun, bound when its aesthetics are evaluated.
utils::globalVariables(".data")

ggplot_picture <- function(picture) {
  out <- ggplot2::ggplot()
  for (layer in picture$layers) out <- out + ggplot_layer(layer, picture)
  groups <- picture$groups
  if (!is.null(groups)) {
    guide <- if (isTRUE(picture$legend)) "legend" else "none"
    named <- function(column) stats::setNames(groups[[column]], groups$level)
    name <- groups$name[1L]
    out <- out +
      ggplot2::scale_colour_manual(name, values = named("colour"), guide = guide, drop = FALSE) +
      ggplot2::scale_shape_manual(name, values = named("shape"), guide = guide, drop = FALSE) +
      ggplot2::scale_fill_manual(name, values = named("colour"), guide = "none", drop = FALSE)
  }
  if (!is.null(picture$panels)) {
    out <- out + ggplot2::facet_wrap(
      ggplot2::vars(factor(.data$panel, picture$panels)),
      scales = "free", labeller = short_strips
    )
  }
  # coord_cartesian() has one pair of limits for all panels; scales have their own
  in_panels <- !is.null(picture$panels)
  out <- out + ggplot_axis(picture$x, "x", in_panels) + ggplot_axis(picture$y, "y", in_panels) +
    ggplot2::labs(
      x = shown_label(picture$x), y = shown_label(picture$y), title = wrapped(picture$title, 60),
      subtitle = picture$subtitle
    )
  if (picture$equal) out <- out + ggplot2::coord_equal(xlim = picture$x$limits, ylim = picture$y$limits)
  if (!picture$equal && is.null(picture$panels)) {
    out <- out + ggplot2::coord_cartesian(xlim = picture$x$limits, ylim = picture$y$limits)
  }
  out + ggplot_theme(picture)
}

shown_label <- function(axis) if (nzchar(axis$label)) axis$label

# Names of criteria in several lines where they are long.
short_strips <- function(labels) lapply(labels, function(text) wrapped(as.character(text), 34))

ggplot_theme <- function(picture) {
  none <- ggplot2::element_blank()
  bare <- function(axis) is.numeric(axis$breaks) && length(axis$breaks) == 0L
  out <- ggplot2::theme_minimal() + ggplot2::theme(panel.grid.minor = none, plot.title.position = "plot")
  if (bare(picture$x) || any(kinds_of(picture) == "tile")) out <- out + ggplot2::theme(panel.grid = none)
  if (picture$x$upright) {
    out <- out + ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
  }
  out
}

kinds_of <- function(picture) vapply(picture$layers, `[[`, "", "kind")

ggplot_axis <- function(axis, side, in_panels) {
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  limits <- if (in_panels) axis$limits
  if (!is.null(axis$breaks)) {
    return(scale(breaks = as.numeric(axis$breaks), labels = axis$labels, limits = limits))
  }
  if (axis$whole) scale(breaks = whole_breaks, limits = limits) else scale(limits = limits)
}

ggplot_layer <- function(layer, picture) {
  data <- layer$data
  style <- layer$style
  if (!is.null(data$group)) data$group <- factor(as.character(data$group), picture$groups$level)
  by_group <- !is.null(data$group)
  constant <- function(...) {
    given <- list(...)
    if (by_group) given$colour <- given$fill <- NULL
    Filter(Negate(is.null), given)
  }
  colour <- style$colour %||% "black"
  made <- function(geom, mapping, ...) {
    do.call(geom, c(list(mapping = mapping, data = data, inherit.aes = FALSE), constant(...)))
  }
  aes <- function(...) {
    mapping <- ggplot2::aes(...)
    if (!by_group) mapping[c("colour", "fill", "shape")] <- NULL
    mapping
  }
  key <- if (layer$key) NA else FALSE
  switch(layer$kind,
    point = if (is.null(style$shape)) {
      made(ggplot2::geom_point, aes(.data$x, .data$y, colour = .data$group, shape = .data$group),
        size = 1.8 * (style$size %||% 1), alpha = style$alpha, show.legend = key
      )
    } else {
      made(ggplot2::geom_point, aes(.data$x, .data$y, colour = .data$group),
        shape = style$shape, colour = colour, size = 1.8 * (style$size %||% 1),
        stroke = 0.5 * (style$lwd %||% 1), show.legend = key
      )
    },
    segment = made(ggplot2::geom_segment,
      aes(.data$x, .data$y, xend = .data$xend, yend = .data$yend, colour = .data$group),
      colour = colour, linetype = style$lty %||% 1, linewidth = 0.5 * (style$lwd %||% 1), show.legend = FALSE
    ),
    polygon = made(ggplot2::geom_polygon, aes(.data$x, .data$y, colour = .data$group, fill = .data$group),
      alpha = style$alpha, show.legend = FALSE, linewidth = 0.3
    ),
    rect = {
      box <- aes(
        xmin = .data$xmin, xmax = .data$xmax, ymin = .data$ymin, ymax = .data$ymax,
        fill = .data$group, colour = .data$group
      )
      if (!isTRUE(style$border)) box$colour <- NULL
      if (is.null(data$alpha)) {
        made(ggplot2::geom_rect, box,
          fill = colour, colour = if (isTRUE(style$border)) colour, alpha = style$alpha, show.legend = FALSE
        )
      } else {
        box$alpha <- ggplot2::aes(alpha = .data$alpha)$alpha
        list(
          made(ggplot2::geom_rect, box, fill = colour, show.legend = FALSE),
          ggplot2::scale_alpha_identity()
        )
      }
    },
    tile = list(
      made(ggplot2::geom_tile, ggplot2::aes(.data$x, .data$y, fill = .data$value), colour = "white"),
      ggplot2::scale_fill_gradient(style$name %||% "",
        low = heat_colours[1L], high = heat_colours[2L], limits = style$limits, na.value = "grey90"
      )
    ),
    text = {
      geom <- if (isTRUE(style$ground)) ggplot2::geom_label else ggplot2::geom_text
      ground <- if (isTRUE(style$ground)) list(label.size = 0, alpha = 0.8, label.padding = ggplot2::unit(0.12, "lines"))
      do.call(made, c(
        list(geom, aes(.data$x, .data$y, label = .data$label, colour = .data$group),
          colour = colour, size = 3.4 * (style$size %||% 1), fontface = style$face %||% "plain",
          hjust = style$adj %||% 0.5, show.legend = FALSE
        ),
        ground
      ))
    },
    across = ggplot2::geom_hline(
      yintercept = data$y, linetype = style$lty %||% 2, colour = colour, linewidth = 0.5 * (style$lwd %||% 1)
    ),
    down = ggplot2::geom_vline(
      xintercept = data$x, linetype = style$lty %||% 2, colour = colour, linewidth = 0.5 * (style$lwd %||% 1)
    )
  )
}

fit_title <- function(fit) {
  if (!has_distances(fit)) {
    return(sprintf("%d group%s, modularity %s", fit$k, plural(fit$k), format(fit$graph$modularity, digits = 3)))
  }
  if (fit$k == 1L) {
    return(sprintf("One cluster of %d observations", fit$n))
  }
  share <- fit$S / fit$total
  if (!isTRUE(share >= 0 && share <= 1)) {
    return(sprintf("%d clusters, W = %s", fit$k, format(fit$W, digits = 6)))
  }
  sprintf("%d clusters, between them %s of the dispersion", fit$k, percent(share))
}

percent <- function(share) sprintf("%.0f %%", 100 * share)
