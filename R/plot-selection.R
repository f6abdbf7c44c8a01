# Figures of choices of k and of the semimetric, of stability and of tests.

#' Plot a choice of k or of a semimetric
#'
#' `plot()` draws by base graphics, `autoplot()` the same with \pkg{ggplot2}.
#'
#' @param x,object A result of [select_k()] or [select_semimetric()].
#' @param type What to show:
#'   * `"criteria"` (default): a panel for each criterion, with plus and minus one standard error
#'     where there is one, the choice in vermilion and as a diamond;
#'   * `"objective"`, for [select_k()]: the within dispersion W against k, the choice marked likewise;
#'   * `"halves"`, for [select_k()] with criteria `"elbow"` and `"stability"`: how often the elbow
#'     ratio chose each k in the half samples;
#'   * `"agreement"`, for [select_semimetric()]: the adjusted Rand index between the clusters by
#'     any two candidates, as a heat map.
#' @param ... Passed to [plot.default()], which makes the frame; `col`, `pch` and `cex` go to the
#'   points. Not used by `autoplot()`: an argument that is not used is an error (`kg_error_dots`).
#' @return `plot()` returns `x`, invisibly; `autoplot()` a `ggplot` object.
#' @section Errors: `kg_error_type` for a type that does not exist for this result.
#' @family choices
#' @examples
#' set.seed(1)
#' choice <- select_k(iris[1:4], 1:5, criterion = c("silhouette", "pseudo_f"))
#' plot(choice)
#' plot(choice, type = "objective")
#' @export
plot.kgroups_selection <- function(x, type = c("criteria", "objective", "halves", "agreement"), ...) {
  type <- check_selection_type(x, type)
  draw_figure(selection_figure(x, type), list(...))
  invisible(x)
}

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
  check_package("ggplot2", "autoplot()")
  ggplot_figure(selection_figure(object, check_selection_type(object, type)))
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
#' @param ... Passed to [plot.default()], which makes the frame. Not used by `autoplot()`: an argument that is not
#'   used is an error (`kg_error_dots`).
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
  draw_figure(stability_figure(x, type), list(...))
  invisible(x)
}

#' @rdname plot.kgroups_stability
#' @usage \method{autoplot}{kgroups_stability}(object, type = c("clusters", "observations"), ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_stability <- function(object, type = c("clusters", "observations"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_stability")
  check_package("ggplot2", "autoplot()")
  ggplot_figure(stability_figure(object, check_choice(type, "type", stability_types)))
}

#' Plot an energy test
#'
#' The distribution of the statistic over the permutations, and where that of the data stands.
#' `plot()` draws by base graphics, `autoplot()` the same with \pkg{ggplot2}.
#'
#' @param x,object A result of [energy_test()].
#' @param ... Passed to [plot.default()], which makes the frame. Not used by `autoplot()`: an argument that is not
#'   used is an error (`kg_error_dots`).
#' @return `plot()` returns `x`, invisibly; `autoplot()` a `ggplot` object.
#' @section Errors: `kg_error_package` for `autoplot()` without \pkg{ggplot2}.
#' @seealso [energy_test()]
#' @examples
#' set.seed(1)
#' plot(energy_test(iris[51:150, 1:4], iris$Species[51:150], R = 199))
#' # labels that mean nothing
#' plot(energy_test(iris[1:50, 1:4], rep(1:2, 25), R = 199))
#' @export
plot.kgroups_energy_test <- function(x, ...) {
  draw_figure(test_figure(x), list(...))
  invisible(x)
}

#' @rdname plot.kgroups_energy_test
#' @usage \method{autoplot}{kgroups_energy_test}(object, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_energy_test <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_energy_test")
  check_package("ggplot2", "autoplot()")
  ggplot_figure(test_figure(object))
}

selection_types <- c("criteria", "objective", "halves", "agreement")

stability_types <- c("clusters", "observations")

# ---- what is drawn, for both ways of drawing ----

selection_figure <- function(x, type) {
  switch(type,
    criteria = criteria_figure(x, shown_criteria(x)),
    objective = criteria_figure(x, "W"),
    halves = halves_figure(x),
    agreement = agreement_figure(x)
  )
}

# A panel a criterion. Along k the points are joined; semimetrics have a row each.
criteria_figure <- function(x, columns) {
  by_k <- inherits(x, "kgroups_select_k")
  rows <- do.call(rbind, lapply(columns, function(column) selection_panel(x, column)))
  rows <- rows[!is.na(rows$value), ]
  at <- if (by_k) rows$at else length(x$table$semimetric) + 1 - match(rows$at, x$table$semimetric)
  frame <- data.frame(
    x = if (by_k) at else rows$value, y = if (by_k) rows$value else at,
    group = as_choice(rows$chosen), panel = rows$label
  )
  bars <- rows$high > rows$low
  low <- data.frame(x = if (by_k) at else rows$low, y = if (by_k) rows$low else at)
  high <- data.frame(xend = if (by_k) at else rows$high, yend = if (by_k) rows$high else at)
  panels <- unique(rows$label)
  one <- identical(columns, "W")
  new_figure(
    if (one) sprintf("W falls with k; chosen: %s", selection_title(x)) else selection_title(x),
    list(
      if (by_k) new_layer("segment", joined(frame), colour = "grey60"),
      new_layer("segment", cbind(low, high, frame[c("group", "panel")])[bars, ]),
      new_layer("point", frame, size = 1.2),
      new_layer("point", frame[rows$chosen, ], size = 2.2)
    ),
    groups = choice_groups(), panels = if (!one) panels,
    x = if (by_k) new_axis("k", whole = TRUE) else new_axis(),
    y = if (by_k) {
      new_axis(if (one) "W" else "")
    } else {
      new_axis(
        limits = c(0.5, length(x$table$semimetric) + 0.5), breaks = rev(seq_along(x$table$semimetric)),
        labels = x$table$semimetric
      )
    }
  )
}

# Segments from every point to the next of its panel.
joined <- function(frame) {
  do.call(rbind, lapply(split(frame, frame$panel), function(part) {
    part <- part[order(part$x), ]
    n <- nrow(part)
    if (n < 2L) {
      return(NULL)
    }
    data.frame(
      x = part$x[-n], y = part$y[-n], xend = part$x[-1L], yend = part$y[-1L], panel = part$panel[-1L]
    )
  }))
}

halves_figure <- function(x) {
  ks <- names(x$half_choices)
  count <- as.vector(x$half_choices)
  at <- seq_along(ks)
  new_figure(
    sprintf("k = %s chosen by the elbow ratio in %d of %d half samples", x$k, sum(count[ks == x$k]), sum(count)),
    list(new_layer("rect", data.frame(
      xmin = at - 0.4, xmax = at + 0.4, ymin = 0, ymax = count, group = as_choice(ks == x$k)
    ))),
    groups = choice_groups(), x = new_axis("k", breaks = at, labels = ks),
    y = new_axis("half samples", limits = c(0, max(count, 1)), whole = TRUE)
  )
}

agreement_figure <- function(x) {
  rand <- candidate_agreement(x$clusters)
  k <- nrow(rand)
  others <- rand[upper.tri(rand)]
  title <- "One candidate: nothing to compare it with"
  if (length(others)) {
    range <- format(range(others), digits = 2)
    title <- sprintf("Candidates agree to an adjusted Rand index of %s to %s", range[1L], range[2L])
  }
  layers <- heat_layers(rand, rand_limits(rand))
  new_figure(
    title, layers,
    x = new_axis(limits = c(0.5, k + 0.5), breaks = seq_len(k), labels = colnames(rand), upright = TRUE),
    y = new_axis(limits = c(0.5, k + 0.5), breaks = rev(seq_len(k)), labels = rownames(rand))
  )
}

stability_figure <- function(x, type) {
  switch(type,
    clusters = jaccard_figure(x),
    observations = sureness_figure(x)
  )
}

# A box a cluster.
jaccard_figure <- function(x) {
  k <- nrow(x$clusters)
  recovered <- sum(apply(x$jaccard, 2L, stats::median, na.rm = TRUE) >= 0.75, na.rm = TRUE)
  new_figure(
    sprintf("%d of %d clusters recovered in most of %d bootstrap sample%s", recovered, k, x$B, plural(x$B)),
    c(
      list(new_layer("across", data.frame(y = c(0.5, 0.75)), lty = 3, colour = "grey40")),
      box_layers(lapply(seq_len(k), function(l) x$jaccard[, l]))
    ),
    subtitle = "above .75 a cluster counts as recovered, below .5 as dissolved",
    groups = cluster_groups(k), x = new_axis("cluster", c(0.5, k + 0.5), breaks = seq_len(k)),
    y = new_axis("Jaccard coefficient", c(0, 1))
  )
}

sureness_figure <- function(x) {
  bars <- sureness_bars(x)
  lost <- sum(bars$share < 0.5)
  new_figure(
    sprintf(
      "%d of %d observations leave%s cluster in most samples", lost, nrow(bars), if (lost == 1L) "s its" else " their"
    ),
    list(
      new_layer("rect", data.frame(
        xmin = bars$place - 1, xmax = bars$place, ymin = 0, ymax = bars$share, group = bars$cluster
      ), key = TRUE),
      new_layer("across", data.frame(y = 0.5), lty = 3)
    ),
    subtitle = sprintf("share of %d bootstrap samples in which an observation stayed", x$B),
    groups = cluster_groups(nrow(x$clusters)), x = new_axis("observations, by cluster", breaks = numeric()),
    y = new_axis("share of samples", c(0, 1))
  )
}

# The permuted statistics as a histogram, the bars at or beyond that of the data as chosen.
test_figure <- function(x) {
  name <- names(x$statistic)
  observed <- x$statistic[[1L]]
  range <- range(x$permuted)
  if (diff(range) <= 1e-9 * max(abs(range))) range <- range + c(-0.5, 0.5) * max(abs(range), 1)
  counts <- graphics::hist(x$permuted, pretty(range, 2 * length(x$permuted)^(1 / 3)), plot = FALSE)
  m <- length(counts$counts)
  reached <- sum(x$permuted >= observed - 1e-12 * abs(observed))
  R <- length(x$permuted)
  new_figure(
    sprintf(
      "%s = %s, %s permutations: p = %s", name, format(observed, digits = 3),
      if (reached == 0L) sprintf("beyond all %d", R) else sprintf("reached by %d of %d", reached, R),
      format(x$p.value, digits = 2)
    ),
    list(
      new_layer("rect", data.frame(
        xmin = counts$breaks[-(m + 1L)], xmax = counts$breaks[-1L], ymin = 0, ymax = counts$counts
      ), colour = okabe_ito[["grey"]], alpha = 0.7),
      new_layer("down", data.frame(x = observed), colour = okabe_ito[["vermilion"]], lty = 1, lwd = 2.5)
    ),
    subtitle = x$data.name, x = new_axis(name, range(counts$breaks, observed)),
    y = new_axis("permutations", c(0, max(counts$counts)))
  )
}

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

# Criteria with a value, those of the call first.
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

# The colours mean the same in any two figures unless an index is negative.
rand_limits <- function(rand) c(min(0, rand), 1)

# Observations in the order of drawing: by cluster, in falling order.
sureness_bars <- function(x) {
  shown <- order(x$cluster, -x$points)
  data.frame(
    place = seq_along(shown), share = unname(x$points)[shown],
    cluster = factor(unname(x$cluster)[shown], seq_len(nrow(x$clusters)))
  )
}
