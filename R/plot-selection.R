# Pictures of choices and of stability by base graphics, and the tables that they and
# ggplot2 (R/autoplot-selection.R) draw from.

#' Plot a choice of k or of a semimetric
#'
#' `plot()` draws by base graphics, `autoplot()` the same with \pkg{ggplot2}.
#'
#' @param x,object A result of [select_k()] or [select_semimetric()].
#' @param type What to show:
#'   * `"criteria"` (default): a panel for each criterion, with plus and minus one standard error
#'     where there is one, the choice in red;
#'   * `"objective"`, for [select_k()]: the within dispersion W against k, the choice in red;
#'   * `"halves"`, for [select_k()] with criteria `"drop_ratio"` and `"stability"`: how often the drop
#'     ratio chose which k in the half samples;
#'   * `"agreement"`, for [select_semimetric()]: the adjusted Rand index between the clusters by
#'     any two candidates, as a heat map.
#' @param ... Passed to the base function that draws: [plot.default()], [barplot()] for
#'   `"halves"`, [image()] for `"agreement"`. In `autoplot()` an unknown argument is an error.
#' @return `plot()` returns `x`, invisibly; `autoplot()` a `ggplot` object.
#' @section Errors: `kg_error_type` for a type that does not exist for this result.
#' @family choices
#' @examples
#' set.seed(1)
#' choice <- select_k(iris[1:4], 1:5, criterion = c("silhouette", "disco"))
#' plot(choice)
#' plot(choice, type = "objective")
#' @export
plot.kgroups_selection <- function(x, type = c("criteria", "objective", "halves", "agreement"), ...) {
  type <- check_selection_type(x, type)
  switch(type,
    criteria = base_criteria(x, list(...)),
    objective = base_along_k(selection_panel(x, "W"), list(...)),
    halves = base_halves(x, list(...)),
    agreement = base_agreement(x, list(...))
  )
  invisible(x)
}

#' Plot the stability of clusters
#'
#' `plot()` draws by base graphics, `autoplot()` the same with \pkg{ggplot2}.
#'
#' @param x,object A result of [stability()].
#' @param type What to show:
#'   * `"clusters"` (default): a box plot of the Jaccard coefficients of each cluster over the
#'     bootstrap samples, with lines at 0.5 (dissolved) and 0.75 (recovered);
#'   * `"observations"`: the share of samples in which each observation stayed with its cluster, in falling
#'     order within each cluster, with a line at 0.5.
#' @param ... Passed to the base function that draws: [boxplot()] or [barplot()]. In `autoplot()` an
#'   unknown argument is an error.
#' @return `plot()` returns `x`, invisibly; `autoplot()` a `ggplot` object.
#' @section Errors: `kg_error_type` for a type that does not exist.
#' @family fits
#' @examples
#' set.seed(1)
#' sure <- stability(kgroups(iris[1:4], 3), B = 20)
#' plot(sure)
#' plot(sure, type = "observations")
#' @export
plot.kgroups_stability <- function(x, type = c("clusters", "observations"), ...) {
  type <- check_choice(type, "type", stability_types)
  switch(type,
    clusters = base_jaccard(x, list(...)),
    observations = base_sureness(x, list(...))
  )
  invisible(x)
}

selection_types <- c("criteria", "objective", "halves", "agreement")

stability_types <- c("clusters", "observations")

# ---- base graphics ----

base_criteria <- function(x, arguments) {
  columns <- shown_criteria(x)
  by_k <- inherits(x, "kgroups_select_k")
  # names of semimetrics need room on the left: half a line a letter
  left <- if (by_k) 4 else min(12, 1 + 0.5 * max(nchar(x$table$semimetric)))
  settings <- list(mar = c(4, left, 1, 1))
  # a single panel may stand in a layout of the user's
  if (length(columns) > 1L) settings$mfrow <- rev(grDevices::n2mfrow(length(columns)))
  old <- graphics::par(settings)
  on.exit(graphics::par(old))
  for (column in columns) {
    panel <- selection_panel(x, column)
    if (by_k) base_along_k(panel, arguments) else base_along_semimetrics(panel, arguments)
  }
}

choice_colours <- c("FALSE" = "#555555", "TRUE" = "#B2182B")

panel_colours <- function(panel) choice_colours[as.character(panel$chosen)]

base_along_k <- function(panel, arguments) {
  draw(
    graphics::plot.default,
    list(
      x = panel$at, y = panel$value, type = "b", pch = 19, xaxt = "n", xlab = "k",
      ylab = panel$label[1L], ylim = range(panel$low, panel$high, na.rm = TRUE), col = panel_colours(panel)
    ),
    arguments
  )
  graphics::axis(1, panel$at)
  bars <- panel[panel$high > panel$low & !is.na(panel$value), ]
  graphics::segments(bars$at, bars$low, bars$at, bars$high, col = panel_colours(bars))
}

base_along_semimetrics <- function(panel, arguments) {
  at <- rev(seq_len(nrow(panel)))
  draw(
    graphics::plot.default,
    list(
      x = panel$value, y = at, pch = 19, yaxt = "n", xlab = panel$label[1L], ylab = "",
      ylim = c(0.5, nrow(panel) + 0.5), xlim = range(panel$low, panel$high, na.rm = TRUE),
      col = panel_colours(panel)
    ),
    arguments
  )
  graphics::axis(2, at, panel$at, las = 1, tick = FALSE)
  bars <- which(panel$high > panel$low)
  graphics::segments(panel$low[bars], at[bars], panel$high[bars], at[bars], col = panel_colours(panel[bars, ]))
}

base_halves <- function(x, arguments) {
  draw(
    graphics::barplot,
    list(
      height = as.vector(x$half_choices), names.arg = names(x$half_choices),
      col = choice_colours[as.character(names(x$half_choices) == x$k)],
      xlab = "k", ylab = "half samples", main = halves_title(x)
    ),
    arguments
  )
}

base_agreement <- function(x, arguments) {
  rand <- candidate_agreement(x$clusters)
  k <- nrow(rand)
  side <- min(12, 1 + 0.5 * max(nchar(rownames(rand))))
  old <- graphics::par(mar = c(side, side, 3, 1))
  on.exit(graphics::par(old))
  base_heat_map(rand, agreement_title, rand_limits(rand), arguments)
  graphics::axis(1, seq_len(k), colnames(rand), las = 2, tick = FALSE)
  graphics::axis(2, seq_len(k), rev(rownames(rand)), las = 1, tick = FALSE)
}

base_jaccard <- function(x, arguments) {
  k <- nrow(x$clusters)
  draw(
    graphics::boxplot,
    list(
      x = as.data.frame(x$jaccard), names = as.character(seq_len(k)), col = cluster_colours(k)[seq_len(k)],
      ylim = c(0, 1), xlab = "cluster", ylab = "Jaccard coefficient", main = stability_title(x)
    ),
    arguments
  )
  graphics::abline(h = c(0.5, 0.75), lty = c(3L, 2L))
}

base_sureness <- function(x, arguments) {
  bars <- sureness_bars(x)
  colours <- cluster_colours(nrow(x$clusters))[bars$cluster]
  draw(
    graphics::barplot,
    list(
      height = bars$share, col = colours, border = colours, space = 0, ylim = c(0, 1),
      xlab = "observations, by cluster", ylab = "share of samples", main = stability_title(x)
    ),
    arguments
  )
  graphics::abline(h = 0.5, lty = 3L)
}

# ---- what is drawn, for both ways of drawing ----

# The type, if this result has it.
check_selection_type <- function(x, type, call = rlang::caller_env()) {
  types <- if (inherits(x, "kgroups_select_k")) {
    c("criteria", "objective", if (!is.null(x$half_choices)) "halves")
  } else {
    c("criteria", "agreement")
  }
  # the default names the types of all results
  if (identical(type, selection_types)) type <- types
  check_choice(type, "type", types, call = call)
}

# Criteria that are known somewhere, those that were asked for first.
shown_criteria <- function(x) {
  columns <- intersect(names(criterion_names), names(x$table))
  columns <- columns[vapply(x$table[columns], function(v) any(is.finite(v)), NA)]
  union(intersect(x$criterion, columns), columns)
}

# One column of the table: `at` (k or the name of the semimetric), `value`, one standard
# error below and above, `chosen`, and the `label` of the criterion.
selection_panel <- function(x, column) {
  by_k <- inherits(x, "kgroups_select_k")
  at <- if (by_k) x$table$k else x$table$semimetric
  value <- x$table[[column]]
  value[!is.finite(value)] <- NA
  se <- x$table[[paste0(column, "_se")]]
  if (is.null(se)) se <- rep(NA_real_, length(value))
  se[is.na(se)] <- 0
  label <- if (column == "W") "W" else criterion_names[[column]]
  data.frame(
    at = at, value = value, low = value - se, high = value + se,
    chosen = at == (if (by_k) x$k else x$choice), label = label, stringsAsFactors = FALSE
  )
}

selection_title <- function(x) {
  chosen <- if (inherits(x, "kgroups_select_k")) sprintf("k = %d", x$k) else x$choice
  wrapped(sprintf("%s by %s", chosen, criterion_names[[x$criterion[1L]]]), 50)
}

wrapped <- function(text, width) {
  vapply(text, function(one) paste(strwrap(one, width), collapse = "\n"), "", USE.NAMES = FALSE)
}

halves_title <- function(x) {
  sprintf("k by the drop ratio in %d half samples", sum(x$half_choices))
}

agreement_title <- "Adjusted Rand index between candidates"

# The colours mean the same in any two pictures unless an index is negative.
rand_limits <- function(rand) c(min(0, rand), 1)

stability_title <- function(x) sprintf("Stability over %d bootstrap sample%s", x$B, plural(x$B))

# Observations in the order of drawing: by cluster, in falling order.
sureness_bars <- function(x) {
  shown <- order(x$cluster, -x$points)
  data.frame(
    place = seq_along(shown), share = unname(x$points)[shown],
    cluster = factor(unname(x$cluster)[shown], seq_len(nrow(x$clusters)))
  )
}
