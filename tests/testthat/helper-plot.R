# What a picture says, as text for snapshots: titles, axes, groups, and the data of every layer, rounded.
# Rows beyond `most` are told by their number.
described <- function(picture, most = 12L) {
  axis <- function(axis, name) {
    c(
      sprintf("%s: %s", name, axis$label),
      if (!is.null(axis$limits)) sprintf("  from %s to %s", rounded(axis$limits[1L]), rounded(axis$limits[2L])),
      if (length(axis$breaks)) sprintf("  marks: %s", paste(axis$labels, collapse = ", "))
    )
  }
  layer <- function(layer) {
    data <- layer$data
    shown <- as.data.frame(lapply(utils::head(data, most), function(column) {
      if (is.numeric(column)) rounded(column) else as.character(column)
    }))
    style <- vapply(layer$style, function(value) paste(format(value), collapse = " "), "")
    c(
      trimws(paste0(layer$kind, ", ", nrow(data), " rows ", paste(names(style), style, sep = " = ", collapse = ", "))),
      paste0("  ", utils::capture.output(print(shown, row.names = FALSE)))
    )
  }
  groups <- picture$groups
  cat(c(
    picture$title, picture$subtitle, axis(picture$x, "x"), axis(picture$y, "y"),
    if (!is.null(groups)) sprintf("%s %s: %s, sign %d", groups$name, groups$level, groups$colour, groups$shape),
    if (!is.null(picture$panels)) sprintf("panel: %s", picture$panels),
    unlist(lapply(picture$layers, layer))
  ), sep = "\n")
}

rounded <- function(x) format(zapsmall(signif(x, 4)), digits = 4, trim = TRUE)

# Every picture by both drawers, on a device that keeps nothing.
expect_drawn <- function(picture) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  testthat::expect_silent(draw_picture(picture))
  if (requireNamespace("ggplot2", quietly = TRUE)) testthat::expect_silent(print(ggplot_picture(picture)))
  invisible(picture)
}
