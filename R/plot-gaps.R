# The gaps of a fit under rho_connected(): heights of the spanning tree in decreasing order, and the tree of the
# branches on the same scale.

# On the left at most some 2000 heights; on the right the branches, with their weights, in the colour of
# the cluster that has most of each.
gaps_figure <- function(fit) {
  found <- fit_gaps(fit)
  panels <- c("edges of the spanning tree, by log10 of their rank", "branches, with their weights")
  heights <- rev(found$heights)
  rank <- unique(round(exp(seq(0, log(max(1, length(heights))), length.out = 2000))))
  rank <- rank[rank <= length(heights)]
  edges <- data.frame(x = log10(rank), y = heights[rank], panel = rep(panels[1L], length(rank)))
  tree <- gap_tree(found)
  cluster <- max.col(branch_shares(fit), ties.method = "first")
  leaves <- data.frame(
    x = tree$x, y = found$threshold, group = factor(cluster, seq_len(fit$k)), panel = panels[2L],
    label = format(found$weight, trim = TRUE, digits = 3)
  )
  lines <- cbind(tree$lines, panel = rep(panels[2L], nrow(tree$lines)))
  top <- range(0, heights, tree$lines$yend, found$threshold)
  weights <- leaves[c("x", "label", "panel")]
  weights$y <- max(found$threshold - 0.06 * top[2L], 0.02 * top[2L])
  last <- nrow(edges)
  new_figure(
    gaps_title(found),
    list(
      new_layer("segment", cbind(edges[-last, ], xend = edges$x[-1L], yend = edges$y[-1L]), colour = "grey60"),
      new_layer("point", edges, shape = 16L, size = 0.6, colour = "black"),
      new_layer("across", data.frame(y = found$threshold, panel = panels), colour = "grey40"),
      new_layer("segment", lines),
      new_layer("point", leaves[c("x", "y", "group", "panel")], size = 1.4, key = TRUE),
      if (nrow(leaves) <= 20L) new_layer("text", weights, colour = "black", size = 0.8)
    ),
    x = new_axis(whole = TRUE), y = new_axis("height", top), groups = cluster_groups(fit$k), panels = panels
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
  sprintf(
    "%d branch%s, threshold %s", found$branches, if (found$branches == 1L) "" else "es",
    format(found$threshold, digits = 3)
  )
}

# Return positions and lines of the tree: branches that merge first are neighbours.
gap_tree <- function(found) {
  m <- found$branches
  merges <- found$merges
  side <- as.list(seq_len(m)) # the branches on the side of each branch
  owner <- seq_len(m)
  for (e in seq_len(nrow(merges))) {
    a <- owner[merges$a[e]]
    b <- owner[merges$b[e]]
    owner[side[[b]]] <- a
    side[[a]] <- c(side[[a]], side[[b]])
  }
  x <- numeric(m)
  x[side[[owner[1L]]]] <- seq_len(m)
  at <- x
  height <- rep(found$threshold, m)
  owner <- seq_len(m)
  lines <- matrix(0, 0L, 4L)
  for (e in seq_len(nrow(merges))) {
    a <- owner[merges$a[e]]
    b <- owner[merges$b[e]]
    top <- merges$height[e]
    lines <- rbind(
      lines, c(at[a], height[a], at[a], top), c(at[b], height[b], at[b], top), c(at[a], top, at[b], top)
    )
    owner[owner == b] <- a
    at[a] <- (at[a] + at[b]) / 2
    height[a] <- top
  }
  list(x = x, lines = stats::setNames(as.data.frame(lines), c("x", "y", "xend", "yend")))
}
