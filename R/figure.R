# Figures: a figure is a title, two axes and layers, computed once and drawn by base graphics
# (R/figure-base.R) or ggplot2 (R/figure-ggplot.R). A layer is a kind ("point", "segment", "polygon",
# "rect", "tile", "text", "across", "down") and a data frame; its columns `group` and `panel` set colour and panel.

new_figure <- function(title, layers, subtitle = NULL, x = new_axis(), y = new_axis(), groups = NULL,
                       legend = FALSE, equal = FALSE, panels = NULL) {
  structure(
    list(
      title = title, subtitle = subtitle, x = x, y = y, layers = Filter(Negate(is.null), layers),
      groups = groups, legend = legend, equal = equal, panels = panels
    ),
    class = "kgroups_figure"
  )
}

# An axis. `breaks = NULL` leaves the tick marks to the backend, `numeric()` draws none. Labels are
# horizontal on a y axis, and vertical on an x axis if `upright`. Long labels are cut.
new_axis <- function(label = "", limits = NULL, breaks = NULL, labels = breaks, whole = FALSE, upright = FALSE) {
  list(
    label = shorten(label, most_drawn), limits = limits, breaks = breaks,
    labels = shorten(as.character(labels), most_drawn), whole = whole, upright = upright
  )
}

has_no_marks <- function(axis) is.numeric(axis$breaks) && length(axis$breaks) == 0L

# A layer, or NULL if it has no rows. `style` holds constants: colour, alpha, shape, size, lty, lwd,
# adj, face, limits; `key`: does the legend show this layer?
new_layer <- function(kind, data, ..., key = FALSE) {
  if (is.null(data) || nrow(data) == 0L) {
    return(NULL)
  }
  list(kind = kind, data = data, style = Filter(Negate(is.null), list(...)), key = key)
}

kinds_of <- function(figure) vapply(figure$layers, `[[`, "", "kind")

# Levels with their colours and shapes: eight colours (Okabe and Ito 2008) that most readers can
# distinguish, on white; the shapes shift by one after each eight levels, which gives 64 pairs.
new_groups <- function(levels, name, colours = NULL, shapes = NULL) {
  at <- seq_along(levels) - 1L
  data.frame(
    level = as.character(levels), colour = unname(colours %||% okabe_ito[at %% 8L + 1L]),
    shape = shapes %||% group_shapes[(at + at %/% 8L) %% 8L + 1L], name = rep(name, length(levels))
  )
}

okabe_ito <- c(
  blue = "#0072B2", vermilion = "#D55E00", green = "#009E73", purple = "#CC79A7",
  orange = "#E69F00", sky = "#56B4E9", grey = "#6F7782", yellow = "#B5A800"
)

group_shapes <- c(16L, 17L, 15L, 18L, 1L, 2L, 0L, 5L)

cluster_groups <- function(k) new_groups(seq_len(k), "cluster")

cluster_colours <- function(k) cluster_groups(k)$colour

choice_groups <- function() new_groups(c("rest", "chosen"), "", okabe_ito[c("grey", "vermilion")], c(16L, 18L))

as_choice <- function(chosen) factor(ifelse(chosen, "chosen", "rest"), c("rest", "chosen"))

# Replace colours or shapes of the groups by arguments of the user that have one value per group.
# Return list(figure, theirs): the arguments that are left go to the points.
styled_groups <- function(figure, theirs) {
  size <- NROW(figure$groups)
  if (size > 1L && length(theirs$col) == size) {
    figure$groups$colour <- fade(theirs$col, 1)
    theirs$col <- NULL
  }
  if (size > 1L && length(theirs$pch) == size && is.numeric(theirs$pch)) {
    figure$groups$shape <- theirs$pch
    theirs$pch <- NULL
  }
  list(figure = figure, theirs = theirs)
}

# Layers of a symmetric matrix with names, the first row on top.
heat_layers <- function(values, limits = NULL) {
  k <- nrow(values)
  frame <- data.frame(
    x = as.vector(col(values)), y = as.vector(k + 1L - row(values)), value = as.vector(values),
    label = format(as.vector(values), digits = 3, trim = TRUE)
  )
  numbers <- frame[is.finite(values), c("x", "y", "label")]
  list(
    new_layer("tile", frame, limits = limits),
    if (k <= 12L) new_layer("text", numbers, colour = "black", size = if (k > 8L) 0.65 else 0.9)
  )
}

heat_colours <- c("#F7FBFF", "#56A3CF")

fade <- function(colours, alpha) {
  rgb <- grDevices::col2rgb(colours) / 255
  grDevices::rgb(rgb[1L, ], rgb[2L, ], rgb[3L, ], alpha)
}

wrapped <- function(text, width) {
  vapply(text, function(one) paste(strwrap(one, width), collapse = "\n"), "", USE.NAMES = FALSE)
}

percent <- function(share) sprintf("%.0f %%", 100 * share)

# Breaks at whole numbers only.
whole_breaks <- function(limits) unique(round(pretty(limits, 5)))
