# Figures: a figure is a title, two axes and layers, computed once and drawn by ggplot2 (R/figure-ggplot.R). A layer is
# a kind and a data frame, whose columns `group` and `panel` set colour, shape and panel. Kinds: "point", "line",
# "segment", "polygon", "rect", "tile", "text", "number" (of a cluster, in a circle), "across", "down".

new_figure <- function(title, layers, subtitle = NULL, x = new_axis(), y = new_axis(), groups = NULL,
                       legend = FALSE, equal = FALSE, panels = NULL) {
  structure(
    list(
      title = title, subtitle = subtitle, x = x, y = y, layers = Filter(Negate(is.null), layers), groups = groups,
      legend = legend, equal = equal, panels = panels
    ),
    class = "kgroups_figure"
  )
}

# An axis. `breaks = NULL` leaves the tick marks to ggplot2, `numeric()` draws none. Labels are vertical on an x axis if
# `upright`. Long labels are cut.
new_axis <- function(label = "", limits = NULL, breaks = NULL, labels = breaks, whole = FALSE, upright = FALSE) {
  list(
    label = shorten(label, most_drawn), limits = limits, breaks = breaks,
    labels = shorten(as.character(labels), most_drawn), whole = whole, upright = upright
  )
}

# An axis with a name at each of the places 1, 2, ..., the first on top if `down`.
named_axis <- function(names, label = "", down = FALSE, upright = FALSE) {
  at <- seq_along(names)
  breaks <- if (down) rev(at) else at
  c(new_axis(label, c(0.5, length(at) + 0.5), breaks, brief_names(names, 24L), upright = upright), named = TRUE)
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
      new_layer(
        "text", frame[is.finite(values), c("x", "y", "label")], size = size, cells = ncol(values), rows = nrow(values)
      )
    }
  )
}

# Texts in lines of at most about so many letters, unless a word is longer.
wrapped <- function(text, letters) vapply(text, function(one) {
  least <- max(1, ceiling(nchar(one) / max(letters, 1)))
  for (lines in least + 0:2) {
    out <- balanced_lines(one, lines)
    if (max(nchar(out), 0L) <= letters) break
  }
  paste(out, collapse = "\n")
}, "", USE.NAMES = FALSE)

percent <- function(share) sprintf("%.0f %%", 100 * share)

# Breaks at whole numbers only.
whole_breaks <- function(limits) unique(round(pretty(limits, 5)))

# Two to four round numbers between the limits of a panel.
few_breaks <- function(limits) {
  for (n in 2:8) {
    at <- pretty(limits, n)
    at <- at[at >= limits[1L] & at <= limits[2L]]
    if (length(at) > 1L) break
  }
  at
}

# A text in some lines of about the same length, none of them a single short word.
balanced_lines <- function(text, lines) {
  # "p < 0.05", "90 %" and times of a day stay in one line
  text <- gsub(" ([<=]) ", "\r\\1\r", gsub(" (%|[0-9]+:[0-9])", "\r\\1", paste(text, collapse = "; ")))
  for (width in ceiling(nchar(text) / lines):(nchar(text) + 1L)) {
    out <- gsub("\r", " ", strwrap(text, width + 1L), fixed = TRUE)
    if (length(out) <= lines) break
  }
  out
}

# ---- texts ----

# Inches of the device that is open, or of a cell of its rows and columns; else those of a usual figure.
figure_size <- function() {
  if (grDevices::dev.cur() == 1L) c(7, 5) else if (has_cells()) graphics::par("fin") else grDevices::dev.size()
}

# Is the open device divided by par(mfrow) or layout()?
has_cells <- function() grDevices::dev.cur() > 1L && any(graphics::par("mfrow") > 1L)

# The next cell of a divided device, else NULL.
next_cell <- function() if (has_cells()) {
  old <- graphics::par(mar = numeric(4))
  on.exit(graphics::par(old))
  graphics::plot.new()
  at <- graphics::par("fig")
  grid::viewport(at[1L], at[3L], at[2L] - at[1L], at[4L] - at[3L], just = c("left", "bottom"))
}

# The factor of symbols on a small device.
small_device <- function() min(1, sqrt(min(figure_size()) / 5))

# Is a device that narrow that fewer panels fit?
is_narrow <- function() figure_size()[1L] < 5

kinds_of <- function(figure) vapply(figure$layers, `[[`, "", "kind")

# Names of at most so many letters: the part in which the long ones differ if the words that they share at their start
# and end leave little of them, else their start; of names that begin alike, start and end, or that part.
brief_names <- function(names, most = 15L) {
  names <- shorten(as.character(names), most_drawn)
  long <- nchar(names) > most
  half <- (most - 3L) %/% 2L
  start <- shared_start(names[long])
  end <- shared_start(reversed(substring(names[long], start + 1L)))
  differing <- function(one) {
    part <- substr(one, start + 1L, nchar(one) - end)
    paste0(if (start) "..", substr(part, 1L, most - 4L), ifelse(nchar(part) > most - 4L | end > 0L, "..", ""))
  }
  little <- start + end > 0L && all(nchar(names[long]) - start - end <= most - 4L)
  ways <- list(
    if (little) differing,
    function(one) paste0(substr(one, 1L, most - 2L), ".."),
    function(one) paste0(substr(one, 1L, half), "..", substring(one, nchar(one) - half)),
    differing
  )
  out <- names
  for (way in Filter(Negate(is.null), ways)) {
    again <- long & (out == names | duplicated(out) | duplicated(out, fromLast = TRUE))
    out[again] <- way(names[again])
  }
  out
}

reversed <- function(texts) {
  vapply(strsplit(texts, ""), function(letters) paste(rev(letters), collapse = ""), "")
}

# The number of letters at their start that names share, up to the end of a word.
shared_start <- function(names) {
  if (length(names) < 2L) {
    return(0L)
  }
  ends <- sort(names, method = "radix")[c(1L, length(names))]
  letters <- strsplit(ends, "")
  shortest <- seq_len(min(lengths(letters)))
  same <- cumprod(letters[[1L]][shortest] == letters[[2L]][shortest]) == 1
  max(0L, gregexpr("[^[:alnum:]]", substr(ends[1L], 1L, sum(same)))[[1L]])
}
