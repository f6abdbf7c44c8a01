# Names beside points: each in a free place near its point, clear of symbols, circles and other names. Places are
# computed in inches when the plot is drawn, as the device is known then.

# Centres `x`, `y` of boxes of names, `wide` and `high`, near the points `at`; NA for a name without a free place.
# `around`: x, y and radius of all symbols, and `clear`: those that no name may touch; `frame`: left, right, bottom,
# top. All in inches.
place_names <- function(at, wide, high, around, frame) {
  n <- nrow(at)
  apart <- sqrt(outer(at$x, around$x, "-")^2 + outer(at$y, around$y, "-")^2)
  own <- apply(apart, 1L, function(far) max(0, around$radius[far < 1e-6]))
  turn <- pi / 2 - c(0, 4, 12, 8, 2, 14, 6, 10, 1, 15, 3, 13, 5, 11, 7, 9) * pi / 8
  far <- rep(c(0.02, 0.1, 0.18, 0.28, 0.4), each = length(turn))
  turn <- rep(turn, 5L)
  # the nearest side or corner of the box faces the point
  side <- function(part) pmin(1, pmax(-1, 1.42 * part))
  x <- y <- rep(NA_real_, n)
  # names with few neighbours first
  for (i in order(rowSums(apart < 0.5))) {
    cx <- at$x[i] + (own[i] + far) * cos(turn) + side(cos(turn)) * wide[i] / 2
    cy <- at$y[i] + (own[i] + far) * sin(turn) + side(sin(turn)) * high[i] / 2
    gap_x <- pmax(abs(outer(cx, around$x, "-")) - wide[i] / 2, 0)
    gap_y <- pmax(abs(outer(cy, around$y, "-")) - high[i] / 2, 0)
    hit <- gap_x^2 + gap_y^2 < rep(around$radius^2, each = length(cx))
    placed <- which(!is.na(x))
    on_names <- abs(outer(cx, x[placed], "-")) < rep((wide[i] + wide[placed]) / 2, each = length(cx)) &
      abs(outer(cy, y[placed], "-")) < rep((high[i] + high[placed]) / 2, each = length(cx))
    inside <- cx - wide[i] / 2 >= frame[1L] & cx + wide[i] / 2 <= frame[2L] & cy - high[i] / 2 >= frame[3L] & cy +
      high[i] / 2 <= frame[4L]
    free <- inside & rowSums(on_names) == 0 & rowSums(hit[, around$clear, drop = FALSE]) == 0
    cost <- ifelse(free, 4 * rowSums(hit) + 10 * far + 1e-3 * seq_along(far), Inf)
    best <- which.min(cost)
    # a name may hide one small symbol
    if (cost[best] < 8) {
      x[i] <- cx[best]
      y[i] <- cy[best]
    }
  }
  data.frame(x = x, y = y)
}

# From each point to the box of a name that lies apart from it; none for names at their points.
leader_lines <- function(at, centre, wide, high) {
  shift_x <- pmax(abs(centre$x - at$x) - wide / 2, 0)
  shift_y <- pmax(abs(centre$y - at$y) - high / 2, 0)
  apart <- which(sqrt(shift_x^2 + shift_y^2) > 0.14)
  end <- function(name, shift) at[[name]] + sign(centre[[name]] - at[[name]]) * shift
  data.frame(x = at$x, y = at$y, xend = end("x", shift_x), yend = end("y", shift_y))[apart, ]
}

# The corner of the frame with the fewest symbols and names.
free_corner <- function(wide, high, frame, around, centre) {
  x <- c(frame[2L] - wide / 2, frame[1L] + wide / 2)[c(1L, 2L, 1L, 2L)]
  y <- c(frame[3L] + high / 2, frame[4L] - high / 2)[c(1L, 1L, 2L, 2L)]
  hits <- vapply(1:4, function(i) {
    sum(abs(around$x - x[i]) < wide / 2 + 0.05 & abs(around$y - y[i]) < high) +
      sum(abs(centre$x - x[i]) < wide & abs(centre$y - y[i]) < high, na.rm = TRUE)
  }, 0)
  c(x[which.min(hits)], y[which.min(hits)])
}

# Symbols of all layers of points: x, y, size, and `clear` for the circles of clusters, rings and vertices.
symbols_of <- function(layers) {
  parts <- lapply(Filter(function(layer) layer$kind == "point", layers), function(layer) {
    size <- layer$data$size %||% layer$style$size %||% 1
    data.frame(x = layer$data$x, y = layer$data$y, size = size, clear = size >= 1.5)
  })
  do.call(rbind, parts)
}

# The names in their places with leader lines, and how many have none, drawn by grid. `at` has columns x, y and label;
# all in inches from the lower left corner of `frame`; letters in points.
names_grob <- function(at, around, frame, points, colour) {
  font <- grid::gpar(fontsize = points, col = colour)
  width <- function(text, font) {
    vapply(text, function(one) grid::convertWidth(grid::grobWidth(grid::textGrob(one, gp = font)), "inches", TRUE), 0)
  }
  wide <- unname(width(at$label, font)) + 0.04
  high <- rep(1.3 * points / 72, nrow(at))
  centre <- place_names(at, wide, high, around, frame)
  lines <- leader_lines(at, centre, wide, high)
  placed <- !is.na(centre$x)
  inch <- function(value) grid::unit(value, "inches")
  grid::gList(
    if (nrow(lines)) {
      grid::segmentsGrob(
        inch(lines$x), inch(lines$y), inch(lines$xend), inch(lines$yend), gp = grid::gpar(col = "grey60", lwd = 0.8)
      )
    },
    if (any(placed)) grid::textGrob(at$label[placed], inch(centre$x[placed]), inch(centre$y[placed]), gp = font),
    if (!all(placed)) {
      note <- sprintf("%d of %d names", sum(placed), nrow(at))
      small <- grid::gpar(fontsize = 0.9 * points, col = "grey40")
      corner <- free_corner(width(note, small), high[1L], frame, around, centre)
      grid::textGrob(note, inch(corner[1L]), inch(corner[2L]), gp = small)
    }
  )
}

names_layer <- function(data, style) {
  geom <- ggplot2::ggproto("GeomKgroupsNames", ggplot2::Geom,
    required_aes = c("x", "y", "label"), draw_key = ggplot2::draw_key_blank,
    draw_panel = function(data, panel_params, coord, around, size, colour) {
      grid::gTree(
        at = coord$transform(data, panel_params), around = coord$transform(around, panel_params), size = size,
        colour = colour, cl = "kgroups_names"
      )
    }
  )
  ggplot2::layer(
    geom = geom, stat = "identity", position = "identity", data = data,
    mapping = ggplot2::aes(x = .data$x, y = .data$y, label = .data$label), show.legend = FALSE, inherit.aes = FALSE,
    params = list(around = style$around, size = 11 * max(style$size %||% 0.7, 0.64), colour = style$colour %||% "black")
  )
}

#' @importFrom grid makeContent
#' @export
makeContent.kgroups_names <- function(x) {
  inches <- function(x, y) data.frame(
    x = grid::convertX(grid::unit(x, "npc"), "inches", TRUE), y = grid::convertY(grid::unit(y, "npc"), "inches", TRUE)
  )
  # points of ggplot2: a size in millimetres; the radius is 3/8 of it
  radius <- 0.375 * 1.8 * x$around$size / 25.4 + 0.01
  around <- cbind(inches(x$around$x, x$around$y), clear = x$around$clear, radius = radius)
  at <- cbind(inches(x$at$x, x$at$y), label = as.character(x$at$label))
  grid::setChildren(x, names_grob(at, around, unlist(inches(0:1, 0:1)), x$size, x$colour))
}
