# Figures of the columns of a fit: one as a histogram, pairs, profiles of means.

# ---- one column ----

# A histogram stacked by cluster, with a line between neighbouring clusters; far values stand at the rim, noise below.
line_figure <- function(fit, plane, cluster, old, noise, note) {
  k <- fit$k
  kept <- old & !noise
  cuts <- cluster_cuts(plane$at[kept, 1L], cluster[kept])
  plane$at <- at_rim(plane$at)
  all <- data.frame(x = plane$at[, 1L], y = 0, group = as_cluster(cluster, k))
  x <- all$x[kept]
  cuts <- cuts[cuts > min(x) & cuts < max(x)]
  breaks <- histogram_breaks(x)
  cells <- length(breaks) - 1L
  cell <- findInterval(x, breaks, rightmost.closed = TRUE, all.inside = TRUE)
  means <- sum_by(x, cluster[kept], k) / tabulate(cluster[kept], k)
  # clusters in the order of their means, one upon the other
  upon <- order(means)
  counts <- matrix(tabulate(cell + cells * (cluster[kept] - 1L), cells * k), cells)[, upon, drop = FALSE]
  top <- matrix(apply(counts, 1L, cumsum), ncol = k, byrow = TRUE)
  bars <- data.frame(
    xmin = breaks[-(cells + 1L)], xmax = breaks[-1L], ymin = as.vector(top - counts), ymax = as.vector(top),
    group = as_cluster(rep(upon, each = cells), k)
  )
  most <- max(top)
  at <- which(is.finite(means))
  # numbers of many clusters in three rows, of few beside each other
  if (k <= 8L) means[at] <- set_apart(means[at], 0.04 * diff(range(breaks)))
  high <- if (k > 8L) 0.11 * (rank(means[at]) - 1) %% 3 else 0
  new_figure(
    fit_title(fit),
    c(
      list(
        new_layer("rect", bars[bars$ymax > bars$ymin, ], alpha = 0.75),
        new_layer("down", data.frame(x = cuts), lty = 2, colour = "grey30"), noise_layer(all[noise, ])
      ),
      number_layers(data.frame(x = means[at], y = (1.07 + high) * most, group = as_cluster(at, k)), k),
      new_layers(all[!old, ])
    ),
    subtitle = notes_text(
      sizes_note(fit), if (length(cuts)) "lines: midway between neighbouring clusters", attr(plane$at, "note"), note
    ),
    groups = cluster_groups(k), x = plane_axis(plane, 1L),
    y = new_axis("observations", c(0, (1.12 + max(high)) * most))
  )
}

histogram_breaks <- function(x) {
  range <- range(x)
  if (diff(range) <= 1e-9 * max(abs(range))) range <- range + c(-0.5, 0.5) * max(abs(range), 1)
  width <- 2 * stats::IQR(x) / length(x)^(1 / 3)
  cells <- if (width > 0) min(60, max(20, ceiling(1.5 * diff(range) / width))) else 20
  breaks <- pretty(range, cells)
  if (all(is.finite(breaks))) breaks else seq(range[1L], range[2L], length.out = 21L)
}

# Midpoints between clusters along a line; none if they are no intervals.
cluster_cuts <- function(x, cluster) {
  by_size <- order(x)
  at <- which(diff(cluster[by_size]) != 0)
  if (length(at) >= length(unique(cluster))) numeric() else (x[by_size][at] + x[by_size][at + 1L]) / 2
}

# ---- several columns ----

# The columns that a figure of several shows: those of the user, else the numbers that the clusters separate best,
# columns of few values last; and a note on those left out.
shown_columns <- function(fit, columns, most, call) {
  table <- fit_columns(fit, call)
  if (!is.null(columns)) {
    return(list(columns = table[check_columns(columns, names(table), call)]))
  }
  plain <- vapply(table, function(column) column$type != "categories" && length(column$levels) == 0L, NA)
  numbers <- table[plain]
  if (length(numbers) == 0L) abort_no_columns("categories alone", call)
  share <- vapply(numbers, function(column) {
    separated_share(column$values, unname(fit$cluster), fit$k) - (length(unique(column$values)) <= 10L)
  }, 0)
  shown <- sort(utils::head(order(-share), most))
  left <- c(
    if (length(shown) < length(numbers)) {
      sprintf("%d of %d columns of numbers, those that differ most", length(shown), length(numbers))
    },
    if (any(!plain)) sprintf("without %s of categories", count_of(sum(!plain), "column", "columns"))
  )
  list(columns = numbers[shown], note = left)
}

# The share of the variance of a column that lies between the clusters.
separated_share <- function(values, cluster, k) {
  seen <- is.finite(values)
  values <- values[seen] / max(abs(values[seen]), .Machine$double.xmin)
  values <- values - mean(values)
  size <- pmax(tabulate(cluster[seen], k), 1)
  share <- sum(sum_by(values, cluster[seen], k)^2 / size) / sum(values^2)
  if (is.finite(share)) share else 0
}

# Panels of every two of at most six columns: their names, the `pairs`, the `points` of some rows with their number
# `row`, the axes of each, and whether both columns are `plain` numbers; categories stand beside their levels, by
# cluster; far values at the `rim`, with a note.
pair_panels <- function(columns, fit, rows, rim = FALSE) {
  columns <- utils::head(columns, 6L)
  cluster <- unname(fit$cluster)[rows]
  values <- lapply(columns, function(column) {
    as.numeric(column$values[rows]) + if (length(column$levels)) beside(cluster, fit$k) else 0
  })
  at <- do.call(cbind, values)
  if (rim) at <- at_rim(at)
  axes <- Map(function(column, j) {
    axis <- column_axis(column, at[, j])
    # marks of single panels need limits
    if (length(axis$breaks) && is.null(axis$limits)) axis$limits <- range(at[, j], finite = TRUE)
    axis
  }, columns, seq_along(columns))
  pairs <- utils::combn(length(columns), 2L)
  brief <- all_different(brief_names(names(columns), 20L))
  plain <- lengths(lapply(columns, `[[`, "levels")) == 0L
  names <- sprintf("%s by %s", brief[pairs[2L, ]], brief[pairs[1L, ]])
  points <- Map(function(x, y, panel) {
    finite_points(data.frame(x = at[, x], y = at[, y], group = as_cluster(cluster, fit$k), panel = panel, row = rows))
  }, pairs[1L, ], pairs[2L, ], names)
  list(
    names = names, pairs = matrix(names(columns)[pairs], 2L), points = do.call(rbind, points),
    axes = stats::setNames(Map(function(x, y) list(x = axes[[x]], y = axes[[y]]), pairs[1L, ], pairs[2L, ]), names),
    note = attr(at, "note"), plain = unname(plain[pairs[1L, ]] & plain[pairs[2L, ]])
  )
}

# A figure of such panels; one pair has the names of its columns on the axes.
pair_figure <- function(panels, title, layers, subtitle, k) {
  figure <- new_figure(title, layers, subtitle = subtitle, groups = cluster_groups(k))
  if (length(panels$names) > 1L) {
    figure[c("panels", "axes")] <- panels[c("names", "axes")]
  } else {
    figure[c("x", "y")] <- Map(replace, panels$axes[[1L]], "label", panels$pairs[, 1L])
  }
  figure
}

# A panel for every two columns, with the numbers at the means of columns of numbers.
pairs_figure <- function(fit, columns, space, call) {
  chosen <- if (is.null(space)) shown_columns(fit, columns, 4L, call) else plane_columns(fit, space, call)
  if (length(chosen$columns) < 2L) {
    abort_input(
      "columns", call, "`type = \"pairs\"` needs two columns or more.", "There is one.",
      "Use `type = \"coordinates\"`."
    )
  }
  rows <- thinned_rows(fit$cluster, small_n)
  panels <- pair_panels(chosen$columns, fit, rows, is.null(columns))
  many <- length(rows) > 500L
  noise <- is_noise(fit)[panels$points$row]
  means <- lapply(panels$names[panels$plain], function(panel) {
    cbind(projected_means(panels$points[panels$points$panel == panel & !noise, ]), panel = panel)
  })
  pair_figure(panels, fit_title(fit), c(
    list(
      new_layer("point", panels$points[!noise, 1:4], size = if (many) 0.8 else 1.1, alpha = if (many) 0.5, key = TRUE),
      noise_layer(panels$points[noise, ])
    ),
    number_layers(do.call(rbind, means), fit$k)
  ), notes_text(chosen$note, sizes_note(fit), panels$note), fit$k)
}

# The first axes of a space as columns: one less than there are clusters, from two to four.
plane_columns <- function(fit, space, call) {
  plane <- fit_plane(fit, NULL, space, call, axes = max(2L, min(4L, fit$k - 1L)))
  # titles of panels have no room for shares
  values <- matrix(NA_real_, fit$n, ncol(plane$at), dimnames = list(NULL, sub(" [(].*", "", colnames(plane$at))))
  values[plane$rows, ] <- plane$at
  list(columns = lapply(as.data.frame(values, optional = TRUE), function(one) list(values = one)), note = plane$note)
}

# Means of standardised columns by cluster, with one standard deviation on both sides.
profile_figure <- function(fit, columns, call) {
  chosen <- shown_columns(fit, columns, 12L, call)
  columns <- chosen$columns
  k <- fit$k
  frame <- do.call(rbind, lapply(seq_along(columns), function(j) column_profile(fit, columns[[j]]$values, j)))
  frame <- frame[is.finite(frame$y), ]
  last <- frame[frame$column == length(columns), c("x", "y", "group")]
  last$x <- length(columns) + 0.45
  last$y <- set_apart(last$y, 0.085 * diff(range(frame$low, frame$high)))
  bars <- with(frame, data.frame(x, y = low, xend = x, yend = high, group))
  few <- k <= 12L
  new_figure(
    fit_title(fit),
    c(
      list(
        new_layer("across", data.frame(y = 0), lty = 3, colour = "grey60"),
        if (few) new_layer("segment", bars, alpha = 0.45, lwd = 1.5),
        new_layer("point", frame[c("x", "y", "group")], size = 1.1, key = TRUE)
      ),
      if (few) number_layers(last, k)
    ),
    subtitle = notes_text(
      paste0("means of standardised columns", if (few) ", bars of one standard deviation"), chosen$note
    ),
    groups = cluster_groups(k), y = new_axis("standardised mean"),
    x = named_axis(names(columns), upright = max(nchar(names(columns))) * length(columns) > 60L)
  )
}

# The place, mean and standard deviation on both sides of one column in each cluster.
column_profile <- function(fit, values, column) {
  k <- fit$k
  values <- as.numeric(values)
  seen <- is.finite(values) & !is_noise(fit)
  values <- values[seen]
  cluster <- unname(fit$cluster)[seen]
  sd <- stats::sd(values)
  values <- (values - mean(values)) / if (isTRUE(sd > 0)) sd else 1
  size <- tabulate(cluster, k)
  mean <- sum_by(values, cluster, k) / size
  spread <- sqrt(pmax(sum_by(values^2, cluster, k) / size - mean^2, 0))
  shift <- if (k > 1L) (seq_len(k) - (k + 1) / 2) * 0.5 / k else 0
  data.frame(
    x = column + shift, y = mean, low = mean - spread, high = mean + spread, group = as_cluster(seq_len(k), k),
    column = column
  )
}

# Heights moved as little as their order and a least gap between them allow.
set_apart <- function(y, gap) {
  order <- order(y)
  steps <- gap * seq_along(y)
  y[order] <- stats::isoreg(y[order] - steps)$yf + steps
  y
}
