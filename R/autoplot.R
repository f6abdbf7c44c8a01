#' Draw a fit with ggplot2
#'
#' The pictures of [plot()][plot.kgroups_fit] as \pkg{ggplot2} objects, to add layers, scales
#' and themes to.
#'
#' @param object A fit from [kgroups()] or [kernel_kmeans()].
#' @inheritParams plot.kgroups_fit
#' @param ... Not used.
#' @return A `ggplot` object.
#' @section Complexity: As [plot()][plot.kgroups_fit].
#' @section Errors: Those of [plot()][plot.kgroups_fit]; `kg_error_package` without \pkg{ggplot2}.
#' @family fits
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' fit <- kgroups(iris[1:4], 3)
#' ggplot2::autoplot(fit) + ggplot2::theme_minimal()
#' ggplot2::autoplot(fit, type = "dispersion")
#' @usage
#' \method{autoplot}{kgroups_fit}(
#'   object,
#'   type = c("coordinates", "silhouette", "objective", "dispersion", "gaps"),
#'   hulls = TRUE,
#'   ...
#' )
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_fit <- function(object, type = c("coordinates", "silhouette", "objective", "dispersion", "gaps"),
                                 hulls = TRUE, ...) {
  need_package("ggplot2", "{.fn autoplot}")
  type <- check_choice(type, "type", plot_types)
  hulls <- check_flag(hulls, "hulls")
  if (!type %in% c("objective", "gaps")) kept_problem(object)
  switch(type,
    coordinates = ggplot_coordinates(object, hulls),
    silhouette = ggplot_silhouette(object),
    objective = ggplot_objective(object),
    dispersion = ggplot_dispersion(object),
    gaps = ggplot_gaps(object)
  )
}

# .data is ggplot2's pronoun, bound when its aesthetics are evaluated.
utils::globalVariables(".data")

ggplot_coordinates <- function(fit, hulls) {
  shown <- if (is.null(fit$graph)) shown_points(fit) else shown_vertices(fit)
  frame <- data.frame(x = shown$x, y = shown$y, cluster = factor(shown$cluster, seq_len(fit$k)))
  out <- ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$y, colour = .data$cluster))
  if (!is.null(shown$edges)) {
    out <- out + ggplot2::geom_segment(
      ggplot2::aes(.data$x, .data$y, xend = .data$x_end, yend = .data$y_end),
      data = shown$edges, colour = "grey70", inherit.aes = FALSE
    )
  }
  if (hulls && shown$plane) {
    corners <- do.call(rbind, lapply(split(frame, frame$cluster), function(part) {
      part[grDevices::chull(part$x, part$y), ]
    }))
    out <- out + ggplot2::geom_polygon(
      ggplot2::aes(fill = .data$cluster),
      data = corners, alpha = 0.1, colour = NA
    )
  }
  if (shown$isometric) out <- out + ggplot2::coord_equal()
  out <- out + ggplot2::geom_point() +
    ggplot2::geom_point(
      data = frame[shown$medoids, ], shape = 4, size = 4, stroke = 1.5, colour = "black"
    )
  if (shown$plane) {
    out <- out + ggplot2::geom_text(
      ggplot2::aes(label = .data$cluster),
      data = frame[shown$medoids, ], colour = "black", fontface = "bold", hjust = -1.2, show.legend = FALSE
    )
  }
  if (!shown$plane) out <- out + ggplot2::scale_y_continuous(breaks = seq_len(fit$k))
  # the coordinates of a layout say nothing
  if (!is.null(fit$graph)) {
    out <- out + ggplot2::theme(
      axis.text = ggplot2::element_blank(), axis.ticks = ggplot2::element_blank(),
      panel.grid = ggplot2::element_blank()
    )
  }
  out + ggplot2::labs(
    x = shown$labels[1L], y = shown$labels[2L], colour = "cluster", fill = "cluster",
    title = fit_title(fit)
  )
}

ggplot_silhouette <- function(fit) {
  bars <- silhouette_bars(fit)
  ggplot2::ggplot(bars, ggplot2::aes(.data$place, .data$width, fill = .data$cluster)) +
    ggplot2::geom_col(width = 1) +
    ggplot2::geom_hline(yintercept = attr(bars, "mean"), linetype = 2) +
    ggplot2::labs(
      x = "observations, by cluster", y = "silhouette width",
      title = silhouette_title(attr(bars, "mean"))
    ) +
    ggplot2::theme(axis.text.x = ggplot2::element_blank(), axis.ticks.x = ggplot2::element_blank())
}

ggplot_objective <- function(fit) {
  frame <- start_table(fit)
  ggplot2::ggplot(frame, ggplot2::aes(.data$start, .data$value, colour = .data$kind)) +
    ggplot2::geom_hline(yintercept = frame$value[fit$best_start], linetype = 2) +
    ggplot2::geom_point(size = 2) +
    ggplot2::scale_x_continuous(breaks = whole_breaks) +
    ggplot2::labs(x = "start", y = objective_label(fit), colour = "kind of start", title = fit_title(fit))
}

# Breaks at whole numbers only.
whole_breaks <- function(limits) unique(round(pretty(limits, 5)))

ggplot_dispersion <- function(fit) {
  ggplot_heat_map(fit_dispersions(fit), dispersion_title, NULL) +
    ggplot2::labs(x = "cluster", y = "cluster", fill = "g")
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

# A symmetric matrix with names, its first row on top, with its values written into it if
# they are few.
ggplot_heat_map <- function(values, title, limits) {
  names <- rownames(values)
  frame <- data.frame(
    row = factor(names[row(values)], rev(names)), column = factor(names[col(values)], names),
    value = as.vector(values), text = format_dispersion(values)
  )
  out <- ggplot2::ggplot(frame, ggplot2::aes(.data$column, .data$row, fill = .data$value)) +
    ggplot2::geom_tile() +
    ggplot2::scale_fill_gradient(low = "#F7FBFF", high = "#4A90C2", limits = limits) +
    ggplot2::coord_equal() +
    ggplot2::labs(title = title)
  if (length(names) > 12L) out else out + ggplot2::geom_text(ggplot2::aes(label = .data$text))
}
