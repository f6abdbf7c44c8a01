# Choices and stability drawn with ggplot2; what is drawn comes from R/plot-selection.R.

#' @rdname plot.kgroups_selection
#' @usage
#' \method{autoplot}{kgroups_selection}(
#'   object,
#'   type = c("criteria", "objective", "halves", "agreement"),
#'   ...
#' )
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_selection <- function(object, type = c("criteria", "objective", "halves", "agreement"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_selection")
  need_package("ggplot2", "{.fn autoplot}")
  type <- check_selection_type(object, type)
  switch(type,
    criteria = ggplot_criteria(object),
    objective = ggplot_along_k(selection_panel(object, "W")) +
      ggplot2::labs(y = "W", title = selection_title(object)),
    halves = ggplot_halves(object),
    agreement = ggplot_agreement(object)
  )
}

#' @rdname plot.kgroups_stability
#' @usage \method{autoplot}{kgroups_stability}(object, type = c("clusters", "observations"), ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_stability <- function(object, type = c("clusters", "observations"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_stability")
  need_package("ggplot2", "{.fn autoplot}")
  type <- check_choice(type, "type", stability_types)
  switch(type,
    clusters = ggplot_jaccard(object),
    observations = ggplot_sureness(object)
  )
}

ggplot_criteria <- function(x) {
  panels <- do.call(rbind, lapply(shown_criteria(x), function(column) selection_panel(x, column)))
  panels$label <- factor(panels$label, unique(panels$label))
  if (inherits(x, "kgroups_select_k")) {
    out <- ggplot_along_k(panels) + ggplot2::labs(y = NULL, title = selection_title(x))
    return(out + ggplot2::facet_wrap(ggplot2::vars(.data$label), scales = "free_y", labeller = short_strips))
  }
  panels$at <- factor(panels$at, rev(x$table$semimetric))
  ggplot2::ggplot(panels, ggplot2::aes(.data$value, .data$at, colour = .data$chosen)) +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$low, xmax = .data$high),
      orientation = "y", na.rm = TRUE
    ) +
    ggplot2::geom_point(size = 2, na.rm = TRUE) +
    choice_scale() +
    ggplot2::facet_wrap(ggplot2::vars(.data$label), scales = "free_x", labeller = short_strips) +
    ggplot2::labs(x = NULL, y = NULL, title = selection_title(x))
}

# Names of criteria in several lines where they are long.
short_strips <- function(labels) lapply(labels, function(text) wrapped(as.character(text), 24))

choice_scale <- function() ggplot2::scale_colour_manual(values = choice_colours, guide = "none")

ggplot_along_k <- function(panel) {
  panel <- panel[!is.na(panel$value), ]
  ggplot2::ggplot(panel, ggplot2::aes(.data$at, .data$value)) +
    ggplot2::geom_line(colour = "grey60") +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$low, ymax = .data$high, colour = .data$chosen)) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$chosen), size = 2) +
    ggplot2::scale_x_continuous(breaks = whole_breaks) +
    choice_scale() +
    ggplot2::labs(x = "k")
}

ggplot_halves <- function(x) {
  ks <- names(x$half_choices)
  frame <- data.frame(k = factor(ks, ks), count = as.vector(x$half_choices), chosen = ks == x$k)
  ggplot2::ggplot(frame, ggplot2::aes(.data$k, .data$count, fill = .data$chosen)) +
    ggplot2::geom_col() +
    ggplot2::scale_fill_manual(values = choice_colours, guide = "none") +
    ggplot2::labs(x = "k", y = "half samples", title = halves_title(x))
}

ggplot_agreement <- function(x) {
  rand <- candidate_agreement(x$clusters)
  ggplot_heat_map(rand, agreement_title, rand_limits(rand)) +
    ggplot2::labs(x = NULL, y = NULL, fill = "adjusted\nRand index") +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

ggplot_jaccard <- function(x) {
  k <- nrow(x$clusters)
  frame <- data.frame(
    cluster = factor(rep(seq_len(k), each = nrow(x$jaccard))), jaccard = as.vector(x$jaccard)
  )
  ggplot2::ggplot(frame, ggplot2::aes(.data$cluster, .data$jaccard, fill = .data$cluster)) +
    ggplot2::geom_hline(yintercept = c(0.5, 0.75), linetype = c(3, 2)) +
    ggplot2::geom_boxplot(na.rm = TRUE, show.legend = FALSE) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) +
    ggplot2::labs(x = "cluster", y = "Jaccard coefficient", title = stability_title(x))
}

ggplot_sureness <- function(x) {
  ggplot2::ggplot(sureness_bars(x), ggplot2::aes(.data$place, .data$share, fill = .data$cluster)) +
    ggplot2::geom_col(width = 1) +
    ggplot2::geom_hline(yintercept = 0.5, linetype = 3) +
    ggplot2::labs(x = "observations, by cluster", y = "share of samples", title = stability_title(x)) +
    ggplot2::theme(axis.text.x = ggplot2::element_blank(), axis.ticks.x = ggplot2::element_blank())
}
