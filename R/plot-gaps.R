# The gaps that rho_connected() found, for both ways of drawing: heights of the spanning tree in
# falling order, and the tree of the branches on the same scale.

# Data frames: `heights` (rank, height), at most some 2000 of them; `lines`, the segments of the
# tree of branches (x, y, x_end, y_end); `leaves` (x, branch, weight, cluster): the cluster that
# has most of a branch.
gaps_drawn <- function(fit, call = rlang::caller_env()) {
  found <- fit_gaps(fit, call)
  heights <- rev(found$heights)
  rank <- unique(round(exp(seq(0, log(max(1, length(heights))), length.out = 2000))))
  rank <- rank[rank <= length(heights)]
  tree <- gap_tree(found)
  shares <- branch_shares(fit)
  leaves <- data.frame(
    x = tree$x, branch = seq_len(found$branches), weight = found$weight,
    cluster = factor(max.col(shares, ties.method = "first"), seq_len(fit$k))
  )
  list(
    heights = data.frame(rank = rank, height = heights[rank]), lines = tree$lines, leaves = leaves,
    threshold = found$threshold, title = gaps_title(found)
  )
}

fit_gaps <- function(fit, call = rlang::caller_env()) {
  found <- if (is_connected(fit$semimetric)) fit$semimetric$found
  if (is.null(found)) {
    kg_abort(
      c(
        "{.code type = \"gaps\"} needs a fit under {.fn rho_connected}.",
        "x" = "This one has another semimetric.",
        "i" = "Fit with {.code semimetric = rho_connected()}."
      ),
      "type",
      call = call
    )
  }
  found
}

gaps_title <- function(found) {
  sprintf("%d branch%s, threshold %s", found$branches, if (found$branches == 1L) "" else "es", format(found$threshold, digits = 3))
}

# Branches stand side by side, those that meet first next to each other.
gap_tree <- function(found) {
  m <- found$branches
  meetings <- found$meetings
  side <- as.list(seq_len(m)) # the branches on the side of each branch
  owner <- seq_len(m)
  for (e in seq_len(nrow(meetings))) {
    a <- owner[meetings$a[e]]
    b <- owner[meetings$b[e]]
    owner[side[[b]]] <- a
    side[[a]] <- c(side[[a]], side[[b]])
  }
  x <- numeric(m)
  x[side[[owner[1L]]]] <- seq_len(m)
  at <- x
  height <- rep(found$threshold, m)
  owner <- seq_len(m)
  lines <- matrix(0, 0L, 4L)
  for (e in seq_len(nrow(meetings))) {
    a <- owner[meetings$a[e]]
    b <- owner[meetings$b[e]]
    top <- meetings$height[e]
    lines <- rbind(
      lines, c(at[a], height[a], at[a], top), c(at[b], height[b], at[b], top), c(at[a], top, at[b], top)
    )
    owner[owner == b] <- a
    at[a] <- (at[a] + at[b]) / 2
    height[a] <- top
  }
  list(x = x, lines = stats::setNames(as.data.frame(lines), c("x", "y", "x_end", "y_end")))
}

base_gaps <- function(fit, arguments) {
  drawn <- gaps_drawn(fit, rlang::caller_env())
  before <- graphics::par(mfrow = c(1L, 2L))
  on.exit(graphics::par(before))
  top <- range(0, drawn$heights$height, drawn$lines$y_end, drawn$threshold)
  draw(
    graphics::plot.default,
    list(
      x = drawn$heights$rank, y = drawn$heights$height, type = "b", pch = 20, cex = 0.6, log = "x", ylim = top,
      xlab = "edges of the spanning tree, falling", ylab = "height", main = drawn$title
    ),
    arguments
  )
  graphics::abline(h = drawn$threshold, lty = 2)
  leaves <- drawn$leaves
  graphics::plot.default(
    leaves$x, rep(drawn$threshold, nrow(leaves)),
    ylim = top, xlim = c(0.5, nrow(leaves) + 0.5), xaxt = "n", xlab = "branches, by weight", ylab = "height", pch = 19,
    cex = 0.8 + 2 * sqrt(leaves$weight / sum(leaves$weight)), col = cluster_colours(fit$k)[leaves$cluster],
    main = fit_title(fit)
  )
  graphics::abline(h = drawn$threshold, lty = 2)
  lines <- drawn$lines
  if (nrow(lines)) graphics::segments(lines$x, lines$y, lines$x_end, lines$y_end)
  if (nrow(leaves) <= 20L) graphics::axis(1, leaves$x, format(leaves$weight, trim = TRUE, digits = 3), las = 2, tick = FALSE)
}

ggplot_gaps <- function(fit) {
  drawn <- gaps_drawn(fit, rlang::caller_env())
  panels <- c("edges of the spanning tree, falling (log10)", "branches, by weight")
  of <- function(frame, panel) cbind(frame, panel = rep(factor(panels[panel], panels), nrow(frame)))
  heights <- of(drawn$heights, 1L)
  heights$rank <- log10(heights$rank)
  lines <- of(drawn$lines, 2L)
  leaves <- of(drawn$leaves, 2L)
  out <- ggplot2::ggplot() +
    ggplot2::geom_hline(yintercept = drawn$threshold, linetype = 2) +
    ggplot2::geom_line(ggplot2::aes(.data$rank, .data$height), data = heights) +
    ggplot2::geom_point(ggplot2::aes(.data$rank, .data$height), data = heights, size = 0.6)
  if (nrow(lines)) {
    out <- out + ggplot2::geom_segment(
      ggplot2::aes(.data$x, .data$y, xend = .data$x_end, yend = .data$y_end),
      data = lines
    )
  }
  out + ggplot2::geom_point(
    ggplot2::aes(.data$x, drawn$threshold, size = .data$weight, colour = .data$cluster),
    data = leaves
  ) +
    ggplot2::facet_wrap(~panel, scales = "free_x") +
    ggplot2::labs(x = NULL, y = "height", colour = "cluster", size = "weight", title = drawn$title)
}
