# Figures of tests, distances, change points and scores.

#' @rdname kgroups_changes
#' @param runs In `plot()` and `predict()`: the number of runs, by default the largest of `k`.
#' @export
as_figure.kgroups_changes <- function(x, runs = NULL, ...) {
  call <- rlang::caller_env()
  at <- which_runs(x, runs, call)
  k <- x$k[at]
  run <- cumsum(seq_len(x$n) %in% c(1L, x$changes[[at]]))
  series <- x$series %||% cbind(run = run)
  time <- x$time %||% seq_len(x$n)
  place <- as.double(time)
  columns <- seq_len(min(ncol(series), 6L))
  panels <- (colnames(series) %||% if (ncol(series) == 1L) line_label(x) else sprintf("column %d", columns))[columns]
  unnamed <- is.na(panels) | !nzchar(panels)
  panels <- make.unique(as_utf8(replace(panels, unnamed, sprintf("column %d", columns[unnamed]))))
  shown <- evenly_spaced(seq_len(x$n), small_n)
  # places of the first and the last observation of each run
  ends <- list(place[!duplicated(run)], place[!duplicated(run, fromLast = TRUE)])
  changes <- place[x$changes[[at]]]
  drawn <- at_rim(series)
  layer <- function(kind, frame, ...) new_layer(kind, do.call(rbind, lapply(columns, frame)), ...)
  new_figure(
    changes_title(x, at),
    list(
      layer("point", function(j) data.frame(
        x = place[shown], y = unname(drawn[shown, j]), group = factor(run[shown], seq_len(k)), panel = panels[j]
      ), size = if (x$n > 300L) 0.5 else 0.8),
      layer("segment", function(j) {
        # of the points as drawn, so that one at the rim does not carry the line off
        seen <- !is.na(series[, j])
        mean <- group_means(drawn[seen, j], run[seen], k)
        data.frame(x = ends[[1L]], y = mean, xend = ends[[2L]], yend = mean, panel = panels[j])
      }, lwd = 2.5, colour = "black"),
      layer(
        "down", function(j) data.frame(x = changes, panel = rep(panels[j], length(changes))), lty = 2, colour = "grey40"
      )
    ),
    subtitle = notes_text(
      if (length(x$k) > 1L) "their number is given by `runs`, not chosen",
      if (length(changes)) {
        paste("runs begin at", sizes_text(format(time[x$changes[[at]]], digits = 6, trim = TRUE), 8L))
      },
      attr(drawn, "note")
    ),
    groups = new_groups(seq_len(k), "run"), panels = if (length(panels) > 1L) panels, x = time_axis(x$time),
    y = new_axis(if (length(panels) > 1L) "" else panels)
  )
}

# The number of changes, and whether others were computed.
changes_title <- function(x, at) {
  changes <- x$k[at] - 1L
  title <- if (changes == 0L) "One run: no change" else sprintf("%d change%s", changes, plural(changes))
  if (length(x$k) == 1L) {
    return(title)
  }
  most <- if (at == length(x$k)) "the most " else ""
  paste0(title, sprintf(", %sof %d to %d computed", most, min(x$k) - 1L, max(x$k) - 1L))
}

#' @export
as_figure.kgroups_cluster_test <- function(x, ...) {
  splits <- length(x$p.splits)
  histogram_figure(
    x$projected,
    paste0("One cluster ", if (x$p.value <= 0.05) "rejected, " else "not rejected, ", p_text(x$p.value)),
    paste0(
      "half of the observations along the line between two groups of the other half; p: median of ", splits, " split",
      plural(splits)
    ),
    "place along the line", "observations"
  )
}

#' @export
as_figure.kgroups_dispersion_test <- function(x, ...) {
  k <- nlevels(x$g)
  new_figure(
    sprintf("F = %s, %s", format(x$statistic[[1L]], digits = 3), p_text(x$p.value)),
    box_layers(split(x$distances, x$g)),
    subtitle = "distances to the spatial median of the group", groups = cluster_groups(k),
    x = named_axis(levels(x$g), upright = sum(nchar(levels(x$g))) > 60L), y = new_axis("distance to the median")
  )
}

#' @export
as_figure.kgroups_pairwise_test <- function(x, ...) {
  p <- x$p.value
  tested <- sum(!is.na(p))
  small <- sum(p <= 0.05, na.rm = TRUE)
  text <- ifelse(is.na(p), "", format.pval(p, digits = 2, eps = 1e-4))
  dim(text) <- dim(p)
  # a title that other data could have changed
  bound <- isTRUE(x$least > 0.05)
  heat_figure(
    if (bound) sprintf("No p can be below %s: too few permutations", format(x$least, digits = 2)) else sprintf(
      "%d of %d pair%s differ at the 5 %% level", small, tested, plural(tested)
    ),
    # on the scale of log p, the small ones dark
    -log10(pmax(p, 1e-3)), c(0, 3), text, "-log10 p",
    subtitle = sprintf("p-values of energy tests, adjustment: %s; small values are dark", x$p.adjust.method)
  )
}

#' @export
as_figure.kgroups_energy_distance <- function(x, ...) {
  distance_figure(unclass(as.matrix(x)), "sample")
}

#' @export
as_figure.energy_statistics <- function(x, ...) {
  out <- distance_figure(energies_of(x$g), "group", "One group: no distances")
  out$subtitle <- sprintf(
    "energy distances between the groups; W = %s, S = %s", format(x$W, digits = 4), format(x$S, digits = 4)
  )
  out
}

#' @export
as_figure.kgroups_comparison <- function(x, ...) {
  scores <- as.matrix(as.data.frame(x)[intersect(names(x), score_methods)])
  names <- c(
    adjusted_rand = "adjusted Rand index", accuracy = "accuracy", overlap = "overlap", nmi = "NMI"
  )[colnames(scores)]
  best <- x$partition[scores[, 1L] >= max(scores[, 1L]) - 1e-8]
  many <- length(best)
  y <- nrow(scores) + 1L - as.vector(row(scores))
  panel <- names[col(scores)]
  one <- length(names) == 1L
  new_figure(
    paste(
      if (many > 3L) paste(many, "partitions") else paste(best, collapse = " and "),
      if (many == 1L) "agrees" else "agree", "best with the truth"
    ),
    list(
      new_layer("segment", data.frame(x = min(0, scores), xend = 1, y, yend = y, panel), lty = 3, colour = "grey80"),
      new_layer("point", data.frame(
        x = as.vector(scores), y, group = as_choice(x$partition %in% best)[row(scores)], panel
      ), size = 1.4)
    ),
    subtitle = if (!one) paste("by", names[1L]), groups = choice_groups(), panels = if (!one) unname(names),
    x = new_axis(if (one) names else "score", c(min(0, scores), 1)),
    y = named_axis(if (one) x$partition else brief_names(x$partition, if (is_narrow()) 12L else 24L), down = TRUE)
  )
}

# Bars of the shares of the terms, with their F and p.
#' @export
as_figure.kgroups_factor_test <- function(x, ...) {
  table <- result_table(x)
  table <- table[table$term != "Total", ]
  y <- rev(seq_len(nrow(table)))
  share <- pmax(table$share, 0)
  p <- ifelse(
    is.na(table$p.value), "",
    sprintf(", F = %s, %s", format(round(table$statistic, 2), trim = TRUE), vapply(table$p.value, p_text, ""))
  )
  differ <- table$term[!is.na(table$p.value) & table$p.value <= 0.05]
  new_figure(
    if (length(differ)) paste("Below p = 0.05:", toString(differ)) else "No term has p below 0.05",
    list(
      new_layer("rect", data.frame(
        xmin = 0, xmax = share, ymin = y - 0.3, ymax = y + 0.3, group = as_choice(table$term %in% differ)
      )),
      new_layer("text", data.frame(x = 0.01, y = y + 0.42, label = paste0(percent(share), p)), adj = 0, size = 0.85)
    ),
    subtitle = "share of each term in the dispersion", groups = choice_groups(),
    x = new_axis("share", c(0, max(share))), y = named_axis(table$term, down = TRUE)
  )
}
