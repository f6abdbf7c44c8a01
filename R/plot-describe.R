# Figures of what clusters are made of: a heat map of coefficients, distributions by cluster.

description_types <- c("coefficients", "distributions")

#' @rdname describe_clusters
#' @param type What to draw: `"coefficients"` (default), a heat map of variables by clusters;
#'   `"distributions"`, the variables with the largest coefficients by cluster, numbers as box plots and
#'   categories as shares.
#' @param top How many variables to draw at most, those with the largest coefficients first. Default 20
#'   for coefficients, 6 for
#'   distributions.
#' @export
plot.kgroups_description <- function(x, type = c("coefficients", "distributions"), top = NULL, ...) {
  type <- check_choice(type, "type", description_types)
  draw_figure(description_figure(x, type, top), list(...))
  invisible(x)
}

#' @rdname describe_clusters
#' @usage
#' \method{autoplot}{kgroups_description}(
#'   object,
#'   type = c("coefficients", "distributions"),
#'   top = NULL,
#'   ...
#' )
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_description <- function(object, type = c("coefficients", "distributions"), top = NULL, ...) {
  check_package("ggplot2", "{.fn autoplot}")
  check_no_dots(..., call = rlang::current_env(), topic = "describe_clusters")
  type <- check_choice(type, "type", description_types)
  ggplot_figure(description_figure(object, type, top))
}

description_figure <- function(x, type, top = NULL, call = rlang::caller_env()) {
  shown <- top_variables(x, type, top, call)
  x <- shown_names(x)
  switch(type,
    coefficients = coefficients_figure(x, shown),
    distributions = distributions_figure(x, shown)
  )
}

# Variables by their largest coefficient, as many as are to be drawn; those of which nothing is
# known come last, and have no distribution to draw.
top_variables <- function(x, type, top, call = rlang::caller_env()) {
  if (is.null(top)) top <- if (type == "coefficients") 20 else 6
  top <- check_count(top, "top", 1, call = call)
  largest <- vapply(x$variables, function(variable) {
    max(-1, x$table$coefficient[x$table$variable == variable], na.rm = TRUE)
  }, 0)
  out <- utils::head(order(-largest), top)
  if (type == "distributions") {
    out <- Filter(function(j) any(!is.na(x$columns[[j]]$values)), out)
  }
  out
}

coefficient_matrix <- function(x, shown) {
  clusters <- names(x$sizes)
  out <- matrix(NA_real_, length(shown), length(clusters), dimnames = list(x$variables[shown], clusters))
  at <- cbind(match(x$table$variable, rownames(out)), match(as.character(x$table$cluster), clusters))
  inside <- !is.na(at[, 1L])
  out[at[inside, , drop = FALSE]] <- x$table$coefficient[inside]
  out
}

description_title <- function(x, shown) {
  if (length(x$sizes) < 2L) {
    return("One cluster: no rest to compare with")
  }
  sprintf("%s differs most between a cluster and the rest", x$variables[shown[1L]])
}

cluster_axis <- function(x) {
  k <- length(x$sizes)
  new_axis("cluster", c(0.5, k + 0.5), breaks = seq_len(k), labels = names(x$sizes))
}

coefficients_figure <- function(x, shown) {
  H <- coefficient_matrix(x, shown)
  p <- nrow(H)
  cells <- data.frame(x = as.vector(col(H)), y = as.vector(p + 1L - row(H)), value = as.vector(H))
  cells$label <- sprintf("%.2f", cells$value)
  new_figure(
    description_title(x, shown),
    list(
      new_layer("tile", cells, limits = c(0, 1), name = "coefficient"),
      if (length(H) <= 240L) new_layer("text", cells[is.finite(cells$value), c("x", "y", "label")], size = 0.8)
    ),
    subtitle = "energy coefficient between a cluster and the rest, by variable",
    x = cluster_axis(x), y = new_axis(limits = c(0.5, p + 0.5), breaks = rev(seq_len(p)), labels = rownames(H))
  )
}

# A panel a variable: boxes of numbers, stacked shares of levels.
distributions_figure <- function(x, shown) {
  k <- length(x$sizes)
  panels <- vapply(shown, function(j) {
    unit <- value_unit(x$columns[[j]])
    if (nzchar(unit)) sprintf("%s (%s)", x$variables[j], unit) else x$variables[j]
  }, "")
  layers <- Map(function(j, panel) {
    column <- x$columns[[j]]
    if (column$type == "categories") {
      return(share_layers(level_shares(x, j), panel))
    }
    box_layers(split(column$values, x$cluster), panel)
  }, shown, panels)
  new_figure(
    description_title(x, shown), do.call(c, layers),
    groups = new_groups(seq_len(k), "cluster"), x = cluster_axis(x), panels = panels
  )
}

# A box for each element of a list: quartiles, median, whiskers to the last value within 1.5 boxes, the
# rest as points.
box_layers <- function(values, panel = NULL) {
  k <- length(values)
  of <- lapply(values, function(v) grDevices::boxplot.stats(v[!is.na(v)]))
  at <- which(vapply(of, function(one) !anyNA(one$stats), NA))
  stats <- vapply(of[at], `[[`, numeric(5), "stats")
  dim(stats) <- c(5L, length(at))
  in_panel <- function(frame) {
    if (!is.null(panel) && !is.null(frame)) frame$panel <- rep(panel, nrow(frame))
    frame
  }
  group <- factor(at, seq_len(k))
  out <- lapply(at, function(l) {
    if (length(of[[l]]$out)) data.frame(x = l, y = of[[l]]$out, group = factor(l, seq_len(k)))
  })
  list(
    new_layer("segment", in_panel(data.frame(
      x = rep(at, 2), y = c(stats[1L, ], stats[4L, ]), xend = rep(at, 2), yend = c(stats[2L, ], stats[5L, ]),
      group = rep(group, 2)
    ))),
    new_layer("rect", in_panel(data.frame(
      xmin = at - 0.3, xmax = at + 0.3, ymin = stats[2L, ], ymax = stats[4L, ], group = group
    )), alpha = 0.35, border = TRUE),
    new_layer("segment", in_panel(data.frame(
      x = at - 0.3, y = stats[3L, ], xend = at + 0.3, yend = stats[3L, ], group = group
    )), lwd = 3),
    new_layer("point", in_panel(do.call(rbind, out)), size = 0.7)
  )
}

# Shares of levels (rows) in clusters (columns), one upon the other, the first level at the foot. A
# narrow one has no room for its name.
share_layers <- function(share, panel) {
  top <- apply(share, 2L, cumsum)
  dim(top) <- dim(share)
  size <- nrow(share)
  at <- as.vector(col(share))
  bars <- data.frame(
    xmin = at - 0.4, xmax = at + 0.4, ymin = as.vector(top - share), ymax = as.vector(top),
    group = factor(at, seq_len(ncol(share))), alpha = (0.2 + 0.6 * row(share) / size)[seq_along(share)], panel = panel
  )
  wide <- as.vector(share) >= 0.08
  names <- data.frame(
    x = at, y = as.vector(top - share / 2), label = rownames(share)[row(share)], panel = panel
  )
  list(
    new_layer("rect", bars[as.vector(share) > 0, ]),
    new_layer("text", names[wide, ], size = 0.7)
  )
}

# L x k shares of the levels of a variable, by cluster.
level_shares <- function(x, j) {
  rows <- x$shares[x$shares$variable == x$variables[j], ]
  levels <- x$columns[[j]]$levels
  clusters <- names(x$sizes)
  out <- matrix(0, length(levels), length(clusters), dimnames = list(levels, clusters))
  out[cbind(match(rows$level, levels), match(as.character(rows$cluster), clusters))] <- rows$inside
  out[is.na(out)] <- 0
  out
}

value_unit <- function(column) {
  switch(column$type,
    date = "days since 1970", time = "seconds since 1970", difference = column$unit,
    ordered = "level", ""
  )
}
