# The limits of a device of some inches: smaller letters and symbols down to 0.7 times, then fewer names; the place of
# names that are left out states it.

# Inches of the device that is open, else those of a usual figure.
figure_size <- function() if (grDevices::dev.cur() > 1L) grDevices::dev.size() else c(7, 5)

kinds_of <- function(figure) vapply(figure$layers, `[[`, "", "kind")

has_names <- function(axis) anyNA(suppressWarnings(as.numeric(axis$labels)))

# 1 from 7 x 5 inches on.
device_scale <- function(size) max(0.7, min(1, sqrt(min(size / c(7, 5)))))

# A figure without the names and numbers that would be unreadable on a device of `size` inches.
sized_figure <- function(figure, size) {
  scale <- device_scale(size)
  if (figure$x$upright) {
    figure$x$labels <- brief_names(figure$x$labels, as.integer(max(12, 4.5 * size[2L] / scale)))
  }
  frame <- frame_inches(figure, size, scale)
  figure$x <- readable_axis(figure$x, frame[1L], figure$x$upright)
  figure$y <- readable_axis(figure$y, frame[2L], TRUE)
  figure$layers <- Filter(function(layer) !too_small(layer, frame), figure$layers)
  figure
}

# Width and height of one panel, less margins of a usual size.
frame_inches <- function(figure, size, scale) {
  names <- function(axis) if (has_names(axis)) 0.08 * max(0, nchar(axis$labels)) else 0.3
  margin <- c(
    (if ("tile" %in% kinds_of(figure)) 1 else 0.5) + min(1.9, names(figure$y)),
    1 + if (figure$x$upright) min(1.9, names(figure$x)) else 0.3
  )
  panels <- max(1L, length(figure$panels))
  outer <- c(0.2, if (panels > 1L) 0.5 else 0)
  pmax(0.3, (size - outer) / grDevices::n2mfrow(panels)[2:1] - scale * margin)
}

# The least space in inches that a letter of 6 points and a line of 5 points need.
letter_inches <- 0.046
line_inches <- 0.068

# Names that do not fit along the axis: every few of numbers in order, none of others.
readable_axis <- function(axis, inches, across) {
  n <- length(axis$breaks)
  if (n < 9L || !all(diff(sort(axis$breaks)) == 1)) {
    return(axis)
  }
  # what the names need at least, in units of the room that they have
  need <- n * (if (across) line_inches else letter_inches * (max(nchar(axis$labels)) + 0.7)) / inches
  if (need <= 1) {
    return(axis)
  }
  kept <- if (identical(axis$labels, as.character(seq_len(n)))) seq(1L, n, by = ceiling(need))
  if (is.null(kept)) {
    axis$label <- sprintf("%s%d labels left out", if (nzchar(axis$label)) paste0(axis$label, "; ") else "", n)
    axis$upright <- FALSE
  }
  axis[c("breaks", "labels")] <- list(axis$breaks[kept], axis$labels[kept])
  axis
}

# Numbers in cells that are narrower or lower than they need.
too_small <- function(layer, frame) {
  cells <- layer$style$cells
  !is.null(cells) && (
    frame[1L] / cells < letter_inches * (max(nchar(layer$data$label)) + 0.5) ||
      frame[2L] / (diff(range(layer$data$y)) + 1) < line_inches
  )
}

# Names of at most so many letters: their start; of names that begin alike, start and end or, if they end alike too, the
# part from the first letter in which they differ.
brief_names <- function(names, most = 15L) {
  names <- shorten(as.character(names), most_drawn)
  long <- nchar(names) > most
  half <- (most - 3L) %/% 2L
  shared <- shared_start(names[long])
  ways <- list(
    function(one) paste0(substr(one, 1L, most - 2L), ".."),
    function(one) paste0(substr(one, 1L, half), "..", substring(one, nchar(one) - half)),
    function(one) {
      part <- substring(one, shared + 1L)
      paste0("..", substr(part, 1L, most - 4L), ifelse(nchar(part) > most - 4L, "..", ""))
    }
  )
  out <- names
  for (way in ways) {
    again <- long & (out == names | duplicated(out) | duplicated(out, fromLast = TRUE))
    out[again] <- way(names[again])
  }
  out
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
