# The gaps that rho_connected() found, as both ways of drawing need them: heights of the spanning
# tree in falling order, and the tree of the branches on the same scale.

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
