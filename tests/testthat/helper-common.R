# Helpers that several files of tests use: numbers of repeats, blocks of rows, figures.

# Returns `quick`, or `all` if the environment variable KGROUPS_TESTS is "all" (make test-all).
repeats <- function(quick, all) if (identical(Sys.getenv("KGROUPS_TESTS"), "all")) all else quick

# ---- blocks ----

# Two clouds in `n` blocks of unequal size, and a reader for them with a small environment.
block_data <- function(rows = 900, blocks = 5, d = 2) {
  x <- matrix(rnorm(rows * d), rows) + 4 * rep(0:1, length.out = rows)
  colnames(x) <- letters[seq_len(d)]
  at <- sort(c(seq_len(blocks), sample.int(blocks, rows - blocks, TRUE, prob = seq_len(blocks))))
  split.data.frame(x, at)
}

list_reader <- function(blocks) {
  force(blocks)
  function(i) blocks[[i]]
}

# A reader that runs `event` at block 3 whenever `when(i)` states so, else gives the block.
broken_reader <- function(blocks, event) {
  force(blocks)
  force(event)
  function(i) if (i == 3) event(blocks[[i]]) else blocks[[i]]
}

# ---- figures ----

# The content that a figure states, as text for snapshots: titles, axes, groups, and the data of every layer, rounded.
# Rows beyond `most` are reported by their number.
described <- function(figure, most = 12L) {
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
  groups <- figure$groups
  cat(c(
    figure$title, figure$subtitle, axis(figure$x, "x"), axis(figure$y, "y"),
    if (!is.null(groups)) sprintf("%s %s: %s, sign %d", groups$name, groups$level, groups$colour, groups$shape),
    if (!is.null(figure$panels)) sprintf("panel: %s", figure$panels),
    unlist(lapply(figure$layers, layer))
  ), sep = "\n")
}

rounded <- function(x) format(zapsmall(signif(x, 4)), digits = 4, trim = TRUE)

# Every figure by both drawers, on a device that keeps nothing.
expect_drawn <- function(figure) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  testthat::expect_silent(draw_figure(figure))
  if (requireNamespace("ggplot2", quietly = TRUE)) testthat::expect_silent(print(ggplot_figure(figure)))
  invisible(figure)
}
