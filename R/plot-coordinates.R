# The figure of the observations of a fit in a plane.

outlines <- c("ellipse", "hull", "none")

coordinates_figure <- function(fit, columns, space, outline, newdata, call) UseMethod("coordinates_figure")

#' @export
coordinates_figure.kgroups_fit <- function(fit, columns, space, outline, newdata, call) {
  new <- if (!is.null(newdata)) new_rows(fit, newdata, call)
  plane <- fit_plane(fit, columns, space, call, new)
  cluster <- c(unname(fit$cluster), new$cluster)[plane$rows]
  old <- plane$rows <= fit$n
  noise <- c(is_noise(fit), logical(length(new$cluster)))[plane$rows]
  if (ncol(plane$at) == 1L) {
    return(line_figure(fit, plane, cluster, old, noise, new$note))
  }
  if (is.null(columns)) plane$at <- at_rim(plane$at)
  connected <- is_connected(fit$semimetric)
  categories <- lengths(lapply(plane$columns, `[[`, "levels")) > 0L
  if (any(categories)) plane$at[, categories] <- plane$at[, categories] + beside(cluster, fit$k)
  outline <- outline %||% if (connected || any(categories)) "none" else if (fit$n > 200L) "ellipse" else "hull"
  all <- data.frame(x = plane$at[, 1L], y = plane$at[, 2L], group = as_cluster(cluster, fit$k))
  found <- all[old & !noise, ]
  drawn <- point_layers(found, outline, fit$k, (attr(plane$at, "far") %||% logical(nrow(all)))[old & !noise])
  names <- cbind(all[c("x", "y")], label = drawn_names(fit, new)[plane$rows])
  names <- names[!is.na(names$label), ]
  new_figure(
    fit_title(fit),
    c(
      drawn$layers,
      list(noise_layer(all[old & noise, ]), new_layer("names", names, colour = "grey15", size = 0.7)),
      if (!any(categories)) number_layers((if (connected) middle_points else projected_means)(found), fit$k),
      new_layers(all[!old, ])
    ),
    subtitle = notes_text(
      plane$note, sizes_note(fit), if (sum(old) < fit$n) sprintf("%d of %d drawn", sum(old), fit$n), drawn$notes,
      new$note, attr(plane$at, "note")
    ),
    groups = cluster_groups(fit$k), equal = plane$isometric && alike_ranges(all), x = plane_axis(plane, 1L),
    y = plane_axis(plane, 2L, if (nrow(names)) all$y), legend = any(categories) && fit$k > 1L
  )
}

# New rows of predict(): their points in the space of the fit, if it has one, their clusters, names and a note.
new_rows <- function(fit, newdata, call) {
  kept <- kept_data(fit, call)
  if (is.null(kept$problem$points)) {
    abort_input(
      "newdata", call, "`newdata` needs a fit of a matrix or a data frame.",
      "This fit has no coordinates.", "Leave `newdata` out."
    )
  }
  read <- read_newdata(fit, kept, newdata, call)
  cluster <- stats::predict(fit, newdata)
  known <- which(read$known)
  list(
    data = newdata, points = read$y, known = known, cluster = unname(cluster[known]),
    names = names(cluster)[known], note = sprintf("%s (*)", count_of(length(known), "new row", "new rows"))
  )
}

# The names to draw: of few rows, and of few new ones; NA for the others.
drawn_names <- function(fit, new) {
  some <- function(names, n) if (n <= most_named && !is.null(names)) brief_names(names) else rep(NA_character_, n)
  c(some(names(fit$cluster), fit$n), some(new$names, length(new$cluster)))
}

# Equal units on both axes unless one range is a small part of the other.
alike_ranges <- function(frame) {
  range <- c(diff(range(frame$x)), diff(range(frame$y)))
  all(is.finite(range)) && min(range) >= max(range) / 3
}
