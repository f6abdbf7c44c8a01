# Figures of choices of k and of the semimetric, of communities, of stability and of tests.

#' Plot choices, stability and tests
#'
#' `plot()` prints what `autoplot()` returns, a figure of \pkg{ggplot2}.
#'
#' @param x A result of [select_k()], [select_semimetric()], [stability()] or [energy_test()].
#' @param type What to show. Of [select_k()] and [select_semimetric()]:
#'   * `"criteria"` (default): a panel for W and each criterion, with plus and minus one standard error
#'     where there is one, the choice in vermilion and as a diamond;
#'   * `"agreement"`, for [select_semimetric()]: the adjusted Rand index between the clusters by
#'     any two candidates, as a heat map.
#'
#'   Of [stability()]:
#'   * `"clusters"` (default): a box plot of the Jaccard coefficients of each cluster over the
#'     bootstrap samples, with lines at 0.5 (dissolved) and 0.75 (recovered);
#'   * `"observations"`: the share of samples in which each observation stayed with its cluster, in falling
#'     order within each cluster, with a line at 0.5.
#'
#'   A test has one plot: the distribution of the statistic over the permutations, and the statistic of the data.
#' @param ... Not used: an unknown argument is an error. Add layers and scales to `autoplot()` instead.
#' @return A `ggplot` object, of `plot()` invisibly.
#' @family choices
#' @examples
#' # number of clusters: two by the silhouette
#' set.seed(1)
#' geyser <- scale(faithful)
#' choice <- select_k(geyser, 1:5, criterion = c("silhouette", "pseudo_f"))
#' plot(choice)
#'
#' # stability of clusters, and a permutation test
#' plot(stability(kgroups(geyser, 3), B = 20))
#' plot(energy_test(chickwts$weight, chickwts$feed, R = 199))
#' @name plot.kgroups_selection
#' @aliases plot.kgroups_stability plot.kgroups_test
NULL

# ---- choices ----

#' @rdname plot.kgroups_selection
#' @export
as_figure.kgroups_selection <- function(x, type = c("criteria", "agreement"), ...) {
  types <- c("criteria", if (!inherits(x, "kgroups_select_k")) "agreement")
  type <- if (missing(type)) "criteria" else check_choice(type, "type", types, call = rlang::caller_env())
  if (type == "criteria") criteria_figure(x) else agreement_figure(x)
}

# A panel a criterion. Along k the points are joined; semimetrics have a row each.
criteria_figure <- function(x) {
  by_k <- inherits(x, "kgroups_select_k")
  columns <- c(if (by_k) "W", shown_criteria(x))
  # at half width three panels, with the criterion of the choice
  if (is_narrow()) columns <- utils::head(columns, 3L)
  rows <- do.call(rbind, lapply(columns, function(column) selection_panel(x, column)))
  rows <- rows[!is.na(rows$value), ]
  names <- x$table$semimetric
  at <- if (by_k) rows$at else length(names) + 1 - match(rows$at, names)
  # a frame of places and values, along x by k and along y by semimetric
  place <- function(value, ends = c("x", "y")) stats::setNames(data.frame(at, value), if (by_k) ends else rev(ends))
  frame <- cbind(place(rows$value), group = as_choice(rows$chosen), panel = rows$label)
  bars <- cbind(place(rows$low), place(rows$high, c("xend", "yend")), frame[c("group", "panel")])
  one <- length(columns) == 1L
  value <- new_axis(if (one) rows$label[1L] else "")
  new_figure(
    selection_title(x),
    list(
      # W is compared with 0, but for that of a graph, which has no zero
      if (by_k && all(x$table$W >= 0)) {
        new_layer("across", data.frame(y = 0, panel = "W"), colour = "grey80", lty = 1)
      },
      if (by_k) new_layer("line", frame[order(rows$at), c("x", "y", "panel")], colour = "grey60"),
      new_layer("segment", bars[rows$high > rows$low, ]),
      new_layer("point", frame, size = 1.2),
      new_layer("point", frame[rows$chosen, ], size = 2.2)
    ),
    subtitle = if (by_k) selection_verdict(x) else ties_note(x), groups = choice_groups(),
    panels = if (!one) unique(rows$label),
    x = if (by_k) new_axis("k", whole = TRUE) else value, y = if (by_k) value else named_axis(names, down = TRUE)
  )
}

# Names of criteria that fit above a panel.
panel_names <- replace(c(W = "W", criterion_names), c("icl", "apart"), c("ICL of t mixtures", "merged components"))

# One column of the table: `at` (k or the name of the semimetric), `value`, one standard
# error below and above, `chosen`, and the `label` of the criterion.
selection_panel <- function(x, column) {
  value <- x$table[[column]]
  value[!is.finite(value)] <- NA
  se <- x$table[[paste0(column, "_se")]] %||% rep(0, length(value))
  se[is.na(se)] <- 0
  data.frame(
    at = x$table$k %||% x$table$semimetric, value = value, low = value - se, high = value + se,
    chosen = selected_rows(x), label = panel_names[[column]]
  )
}

# Criteria with a value, that of the choice and those of the call first.
shown_criteria <- function(x) {
  columns <- intersect(names(criterion_names), names(x$table))
  # a single value is compared with nothing
  columns <- columns[vapply(x$table[columns], function(v) sum(is.finite(v)) >= min(2L, nrow(x$table)), NA)]
  union(intersect(c(x$by, x$criterion), columns), columns)
}

# The choice; if one cluster was not rejected, under the condition that there are several.
selection_title <- function(x) {
  by <- if (comes_back(x)) "its return in samples of the vertices" else panel_names[[x$by %||% x$criterion[1L]]]
  if (!inherits(x, "kgroups_select_k")) {
    return(sprintf("%s by %s", x$choice, by))
  }
  sprintf("%sk = %d by %s", if (isTRUE(x$p.value > 0.05) && x$k > 1L) "If there are clusters, " else "", x$k, by)
}

# Semimetrics whose criterion is within one standard error of that of the choice.
ties_note <- function(x) {
  rows <- selection_panel(x, x$by %||% x$criterion[1L])
  chosen <- rows[rows$chosen, ]
  near <- rows$at[!rows$chosen & !is.na(rows$value) & rows$high >= chosen$low & rows$low <= chosen$high]
  if (length(near)) paste("within one standard error:", toString(near))
}

selection_verdict <- function(x) if (isTRUE(!is.na(x$p.value)) && x$k > 1L) verdict_of(x$p.value)

agreement_figure <- function(x) {
  rand <- candidate_agreement(x$clusters)
  title <- "One candidate: nothing to compare it with"
  if (ncol(rand) > 1L) {
    range <- unique(format(range(rand[upper.tri(rand)]), digits = 2))
    title <- paste("Candidates agree to an adjusted Rand index of", paste(range, collapse = " to "))
  }
  at <- seq_len(ncol(rand))
  # the colours mean the same in any two figures unless an index is negative
  limits <- c(min(0, rand), 1)
  heat_figure(title, rand, limits, sprintf("%.2f", rand), rows = paste(at, rownames(rand)), columns = as.character(at))
}

# ---- communities ----

# The gain in description length against the number of communities, by method.
communities_figure <- function(x) {
  table <- x$candidates
  methods <- unique(table$method)
  frame <- data.frame(x = table$k, y = table$nats, group = factor(table$method, methods))
  chosen <- table[table$chosen, ]
  model <- if (chosen$method %in% belief_choices) "model "
  new_figure(
    sprintf("%d communit%s by %s", chosen$k, if (chosen$k == 1) "y" else "ies", paste0(model, chosen$method)),
    list(
      new_layer("line", frame[c("x", "y")], colour = "grey80"), new_layer("point", frame, size = 1.2, key = TRUE),
      new_layer("point", frame[table$chosen, c("x", "y")], shape = 1L, size = 3.2, colour = "black")
    ),
    subtitle = "the best partition for each number of communities; ring: the choice",
    groups = new_groups(methods, "method"), legend = TRUE, x = new_axis("number of communities", whole = TRUE),
    y = new_axis("gain in description length, nats")
  )
}

# ---- stability ----

stability_types <- c("clusters", "observations")

#' @rdname plot.kgroups_selection
#' @export
as_figure.kgroups_stability <- function(x, type = c("clusters", "observations"), ...) {
  type <- check_choice(type, "type", stability_types, call = rlang::caller_env())
  if (type == "clusters") jaccard_figure(x) else sureness_figure(x)
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
    groups = cluster_groups(k), x = named_axis(seq_len(k), "cluster"), y = new_axis("Jaccard coefficient", c(0, 1))
  )
}

# The shares of samples in which the observations stayed.
sureness_figure <- function(x) {
  known <- which(!is.na(x$observations))
  share <- unname(x$observations)[known]
  cluster <- unname(x$cluster)[known]
  k <- nrow(x$clusters)
  lost <- sum(share < 0.5)
  title <- sprintf(
    "%d of %d observations leave%s cluster in most samples", lost, length(share), if (lost == 1L) "s its" else " their"
  )
  blocks_figure(share, cluster, k, title, sprintf("share of %d bootstrap samples in which each stayed", x$B), 0.5)
}

# ---- tests ----

# The permuted statistics as a histogram, that of the data as a line.
#' @export
as_figure.kgroups_energy_test <- function(x, ...) {
  name <- names(x$statistic)
  observed <- x$statistic[[1L]]
  reached <- sum(x$permuted >= observed - 1e-12 * abs(observed))
  R <- length(x$permuted)
  histogram_figure(
    x$permuted,
    sprintf(
      "%s = %s, %s permutations: p = %s", name, format(observed, digits = 3),
      if (reached == 0L) sprintf("beyond all %d", R) else sprintf("reached by %d of %d", reached, R),
      format(x$p.value, digits = 2)
    ),
    x$data.name, name, "permutations", observed
  )
}
