# Figures of descriptions of clusters: a heat map of coefficients, distributions by cluster, tests of variables.

description_types <- c("coefficients", "distributions", "tests")

#' @rdname describe_clusters
#' @param type What to draw: `"coefficients"` (default), a heat map of variables by clusters;
#'   `"distributions"`, the variables with the largest coefficients by cluster, numbers as box plots and
#'   categories as shares; `"tests"`, the default with `test = TRUE`: the share of the groups in the dispersion of
#'   each variable, with its adjusted bound.
#' @param top The largest number of variables to draw, those with the largest coefficients first. Default 20
#'   for coefficients and tests, 6 for distributions.
#' @export
as_figure.kgroups_description <- function(x, type = c("coefficients", "distributions", "tests"), top = NULL, ...) {
  call <- rlang::caller_env()
  tested <- missing(type) && !is.null(x$tests)
  type <- if (tested) "tests" else check_choice(type, "type", description_types, call = call)
  top <- check_count(top %||% if (type == "distributions") 6 else 20, "top", 1, call = call)
  if (type == "tests") {
    return(tests_figure(x, top, call))
  }
  shown <- top_variables(x, type, top)
  title <- sprintf("%s differs most between a cluster and the rest", x$variables[shown[1L]])
  if (length(x$sizes) < 2L) title <- "One cluster: no rest to compare with"
  (if (type == "coefficients") coefficients_figure else distributions_figure)(x, shown, title)
}

# Variables by their largest coefficient, as many as are to be drawn; those of which nothing is
# known come last, and have no distribution to draw.
top_variables <- function(x, type, top) {
  largest <- vapply(x$variables, function(variable) {
    max(-1, x$table$coefficient[x$table$variable == variable], na.rm = TRUE)
  }, 0)
  out <- utils::head(order(-largest), top)
  if (type == "distributions") Filter(function(j) any(!is.na(x$columns[[j]]$values)), out) else out
}

coefficients_figure <- function(x, shown, title) {
  clusters <- names(x$sizes)
  names <- x$variables[shown]
  key <- function(variable, cluster) paste(variable, cluster, sep = "\r")
  at <- match(outer(names, clusters, key), key(x$table$variable, x$table$cluster))
  H <- matrix(x$table$coefficient[at], length(names))
  heat_figure(
    title, H, c(0, 1), sprintf("%.2f", H), "coefficient", size = if (length(H) <= 240L && nrow(H) <= 24L) 0.8,
    subtitle = "energy coefficient between a cluster and the rest, by variable", rows = names, columns = clusters,
    label = "cluster"
  )
}

titled_levels <- 6L # in the title of a panel

# A panel a variable: boxes of numbers, stacked shares of levels, ordered or not.
distributions_figure <- function(x, shown, title) {
  panels <- vapply(shown, function(j) {
    column <- x$columns[[j]]
    levels <- if (length(column$levels)) sizes_text(shorten(column$levels, 12L), titled_levels)
    unit <- if (is.null(levels)) value_unit(column) else paste("foot to top:", levels)
    paste0(x$variables[j], if (nzchar(unit)) sprintf(" (%s)", unit))
  }, "")
  layers <- Map(function(j, panel) {
    column <- x$columns[[j]]
    categories <- length(column$levels) > 0L
    if (categories) share_layers(level_shares(x, j), panel) else box_layers(split(column$values, x$cluster), panel)
  }, shown, panels)
  new_figure(
    title, do.call(c, layers),
    subtitle = far_note(sum(vapply(layers, function(one) attr(one, "far") %||% 0L, 0L))),
    groups = cluster_groups(length(x$sizes)), x = named_axis(names(x$sizes), "cluster"), panels = panels
  )
}

# A box for each element of a list: quartiles, median, whiskers to the last value within 1.5 boxes, the
# rest as points, in a panel at the rim if they lie so `far` out that the boxes would fill less than a quarter of it.
box_layers <- function(values, panel = NULL) {
  of <- lapply(values, function(v) grDevices::boxplot.stats(v[!is.na(v)]))
  at <- which(!vapply(of, function(one) anyNA(one$stats), NA))
  stats <- matrix(vapply(of[at], `[[`, numeric(5), "stats"), 5L)
  outside <- lapply(of[at], `[[`, "out")
  out <- as.numeric(unlist(outside))
  inner <- range(0[length(at) == 0L], stats)
  drawn <- if (!is.null(panel) && diff(inner) > 0) to_rim(out, inner) else out
  rows <- rep(at, lengths(outside))
  layer <- function(kind, at, frame, ...) {
    frame$group <- as_cluster(at, length(values))
    new_layer(kind, if (is.null(panel)) frame else cbind(frame, panel = rep(panel, nrow(frame))), ...)
  }
  structure(list(
    layer("segment", c(at, at), data.frame(
      x = c(at, at), y = c(stats[1L, ], stats[4L, ]), xend = c(at, at), yend = c(stats[2L, ], stats[5L, ])
    )),
    layer(
      "rect", at, data.frame(xmin = at - 0.3, xmax = at + 0.3, ymin = stats[2L, ], ymax = stats[4L, ]), alpha = 0.35,
      border = TRUE
    ),
    layer("segment", at, data.frame(x = at - 0.3, y = stats[3L, ], xend = at + 0.3, yend = stats[3L, ]), lwd = 3),
    layer("point", rows, data.frame(x = rows, y = drawn), size = 0.7)
  ), far = sum(drawn != out))
}

# Shares of levels (rows) in clusters (columns), one upon the other, the first level at the foot. Levels that the title
# has no space for have their names in the bars, if these are high enough.
share_layers <- function(share, panel) {
  top <- matrix(apply(share, 2L, cumsum), nrow(share))
  at <- as.vector(col(share))
  bars <- data.frame(
    xmin = at - 0.4, xmax = at + 0.4, ymin = as.vector(top - share), ymax = as.vector(top),
    group = as_cluster(at, ncol(share)), alpha = as.vector(0.2 + 0.6 * row(share) / nrow(share))
  )
  names <- data.frame(x = at, y = as.vector(top - share / 2), label = brief_names(rownames(share), 8L)[row(share)])
  bars$panel <- names$panel <- rep(panel, length(share))
  list(
    new_layer("rect", bars[as.vector(share) > 0, ]),
    if (nrow(share) > titled_levels) {
      new_layer("text", names[as.vector(share) >= 0.08, ], size = 0.7, cells = ncol(share))
    }
  )
}

# L x k shares of the levels of a variable, by cluster.
level_shares <- function(x, j) {
  column <- x$columns[[j]]
  clusters <- names(x$sizes)
  seen <- !is.na(column$values) & x$weights > 0
  L <- length(column$levels)
  code <- column$values[seen] + L * (as.integer(x$cluster)[seen] - 1L)
  sums <- matrix(sum_by(x$weights[seen], code, L * length(clusters)), L, dimnames = list(column$levels, clusters))
  t(t(sums) / pmax(colSums(sums), .Machine$double.xmin))
}

value_unit <- function(column) {
  switch(column$type, date = "days since 1970", time = "seconds since 1970", difference = column$unit, "")
}

# Shares of the variables with the least adjusted p, and the bound of each.
tests_figure <- function(x, top, call) {
  tests <- x$tests
  if (is.null(tests)) {
    abort_input(
      "type", call, "`type = \"tests\"` needs a description with tests.", "This one has none.",
      "Use `test = TRUE`."
    )
  }
  found <- sum(tests$p.adjusted <= 0.05)
  tests <- utils::head(tests[order(tests$p.adjusted, -tests$share), ], top)
  y <- rev(seq_len(nrow(tests)))
  bounds <- data.frame(x = tests$bound, y = y - 0.3, xend = tests$bound, yend = y + 0.3)
  new_figure(
    sprintf("%d of %d variables differ between the groups", found, nrow(x$tests)),
    list(
      new_layer("segment", data.frame(x = 0, y = y, xend = tests$share, yend = y), colour = "grey80"),
      new_layer("segment", bounds[!is.na(tests$bound), ], lwd = 2),
      new_layer("point", data.frame(x = tests$share, y = y, group = as_choice(tests$p.adjusted <= 0.05)), size = 1.3)
    ),
    subtitle = "lines: the share from which a variable differs at the 5 % level, adjusted for all",
    groups = choice_groups(),
    x = new_axis("share of the groups in the dispersion", c(0, max(tests$share, tests$bound, na.rm = TRUE))),
    y = named_axis(tests$variable, down = TRUE)
  )
}
