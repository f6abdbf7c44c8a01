# Results: a class of results has a figure, as_figure(), and a table, as.data.frame(). plot(), autoplot(), tidy() and
# summary() of all of them follow here.

#' Figures and tables of results
#'
#' Each result of the package has `print()`, `summary()`, `plot()`, `ggplot2::autoplot()`, `as.data.frame()` and
#' `tidy()`; `glance()` if one row describes it. `as_figure()` computes the figure that both plots draw.
#'
#' @param x A result of this package: of [kgroups()], [select_k()], [select_semimetric()], [stability()],
#'   [kgroups_tree()], [kgroups_changes()], [cluster_communities()], [cluster_belief_propagation()], [energy_test()],
#'   [pairwise_energy_test()], [dispersion_test()], [cluster_test()], [energy_distance()], [energy_statistics()],
#'   [compare_clusters()] of several partitions or [describe_clusters()].
#' @param object A result.
#' @param row.names,optional As in [as.data.frame()].
#' @param ... Arguments of the figure, as `type`; see the page of the result. An unknown argument is an error.
#' @return `as_figure()`: an object of class `kgroups_figure` with a title, axes and layers. `autoplot()` draws it as a
#'   `ggplot` object, which `plot()` prints and returns invisibly; both need \pkg{ggplot2}.
#'
#'   `as.data.frame()`, and `tidy()` the same as a tibble if that package is installed:
#'
#' | result of | one row for each | columns |
#' |---|---|---|
#' | [select_k()], [select_semimetric()] | number of clusters, or semimetric | the criteria, and `chosen` |
#' | [stability()] | cluster | those of its component `clusters` |
#' | [kgroups_tree()] | cut | `k`, `W`, and `explained`, the share 1 - W/total |
#' | [kgroups_changes()] | run | `runs` (their number), `run`, `first` and `last` observation, their times `from` and `to` |
#' | [cluster_communities()] and others | vertex (`tidy()`: community) | `observation`, `cluster`, `probability` if there is one |
#' | tests | test, or pair of groups | `statistic`, `p.value`, `parameter`, `method`; of pairs `group1`, `group2`, `S`, `p.value` |
#' | [energy_distance()] | pair of samples | `group1`, `group2`, `distance` |
#' | [energy_statistics()] | group | `group`, `size`, `weight`, `within` |
#' | [describe_clusters()] | variable and cluster | as its component `table` |
#'
#'   `glance()`: one row for choices, trees, communities, tests and energy statistics.
#'
#'   `summary()` holds the `result` and this `table`, of which it prints 20 `rows`.
#' @family interfaces
#' @examples
#' # each result as a table: one row for each number of clusters, cluster, change or test
#' set.seed(1)
#' geyser <- scale(faithful)
#' choice <- select_k(geyser, 1:5, criterion = "elbow")
#' as.data.frame(choice)
#' tidy(stability(kgroups(geyser, choice$k), B = 20))
#' as.data.frame(kgroups_changes(Nile, ks = 1:3))
#' tidy(energy_test(chickwts$weight, chickwts$feed, R = 99))
#' @name results
NULL

#' @rdname results
#' @export
as_figure <- function(x, ...) {
  if (...length() > 0L) check_arguments(x, list(...), call = rlang::caller_env())
  UseMethod("as_figure")
}

#' @export
as_figure.default <- function(x, ...) {
  check_given(x, "x", rlang::caller_env())
  abort_argument(
    x, "x", "be a result of this package.", "Use a fit of `kgroups()`, for example.", call = rlang::caller_env()
  )
}

# A figure is its own figure.
#' @export
as_figure.kgroups_figure <- function(x, ...) x

#' @rdname results
#' @export
plot.kgroups_result <- function(x, ...) {
  if (...length() > 0L) check_arguments(x, list(...), call = rlang::current_env())
  cell <- next_cell()
  out <- ggplot_figure(as_figure(x, ...))
  print(out, newpage = is.null(cell), vp = cell)
  invisible(out)
}

#' @rdname results
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_result <- function(object, ...) ggplot_figure(as_figure(object, ...))

#' @export
plot.kgroups_figure <- plot.kgroups_result

#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_figure <- autoplot.kgroups_result

#' @export
print.kgroups_figure <- function(x, ...) {
  plot(x)
  invisible(x)
}

# A summary of a result has the figure of the result; others do not hold it.
#' @export
plot.summary.kgroups_result <- function(x, ...) plot(x$result, ...)

#' @export
plot.summary.kgroups_fit <- function(x, ...) {
  abort_input("x", rlang::current_env(), "A summary has no figure.", NULL, "Plot the result itself.")
}

#' @export
plot.summary.kgroups_communities <- plot.summary.kgroups_fit

#' @export
plot.summary.kgroups_beliefs <- plot.summary.kgroups_fit

#' @export
plot.summary.kgroups_mixture <- function(x, ...) plot(x$fit, ...)

# The arguments of the figure of a result, those of inherited methods too.
figure_arguments <- function(x) {
  found <- lapply(class(x), function(class) utils::getS3method("as_figure", class, optional = TRUE))
  setdiff(unlist(lapply(Filter(Negate(is.null), found), function(method) names(formals(method)))), c("x", "..."))
}

# Raise the error of arguments that the figure does not have, and of too many without a name.
check_arguments <- function(x, given, call) {
  own <- figure_arguments(x)
  names <- names(given) %||% character(length(given))
  extra <- !nzchar(names)
  extra[extra] <- seq_len(sum(extra)) > length(setdiff(own, names))
  topic <- if (inherits(x, "kgroups_fit")) "plot.kgroups_fit" else "results"
  unknown <- given[extra | nzchar(names) & !names %in% own]
  do.call(check_no_dots, c(unknown, list(call = call, topic = topic, also = own)))
}

# ---- tables ----

#' @rdname results
#' @export
tidy.kgroups_result <- function(x, ...) {
  as_table(as.data.frame(x))
}

#' @rdname results
#' @export
summary.kgroups_result <- function(object, ...) {
  structure(list(result = object, table = as.data.frame(object)), class = "summary.kgroups_result")
}

#' @export
print.summary.kgroups_result <- function(x, rows = 20, digits = NULL, ...) {
  print(utils::head(x$table, rows), digits = digits, row.names = FALSE)
  left <- nrow(x$table) - rows
  if (left > 0) cat(sprintf("... and %d more row%s of $table\n", left, plural(left)))
  invisible(x)
}

#' @rdname results
#' @export
as.data.frame.kgroups_result <- function(x, row.names = NULL, optional = FALSE, ...) {
  out <- result_table(x)
  row.names(out) <- row.names
  out
}

# Return the table of a result as a data frame.
result_table <- function(x) UseMethod("result_table")

#' @export
result_table.kgroups_selection <- function(x) cbind(x$table, chosen = selected_rows(x))

selected_rows <- function(x) {
  if (inherits(x, "kgroups_select_k")) x$table$k == x$k else x$table$semimetric == x$choice
}

#' @export
result_table.kgroups_stability <- function(x) x$clusters

#' @export
result_table.kgroups_tree <- function(x) {
  data.frame(k = seq_along(x$W), W = x$W, explained = if (x$total > 0) 1 - x$W / x$total else NA_real_)
}

#' @export
result_table.kgroups_changes <- function(x) {
  parts <- Map(function(k, changes) {
    first <- c(1L, as.integer(changes))
    last <- c(first[-1L] - 1L, x$n)
    out <- data.frame(runs = k, run = seq_len(k), first = first, last = last)
    if (!is.null(x$time)) out[c("from", "to")] <- list(x$time[first], x$time[last])
    out
  }, x$k, x$changes)
  do.call(rbind, unname(parts))
}

#' @export
result_table.kgroups_partition <- function(x) {
  cluster <- as.integer(igraph::membership(x))
  out <- data.frame(observation = x$names %||% as.character(seq_along(cluster)), cluster = cluster)
  marginals <- attr(x, "marginals")
  if (!is.null(marginals)) {
    # isolated vertices have a community of their own and no probability
    inside <- replace(cluster, cluster > ncol(marginals), NA)
    out$probability <- unname(marginals[cbind(seq_along(cluster), inside)])
  }
  out
}

#' @export
result_table.kgroups_test <- function(x) {
  data.frame(statistic = x$statistic[[1L]], p.value = x$p.value, parameter = x$parameter[[1L]], method = x$method)
}

#' @export
result_table.kgroups_pairwise_test <- function(x) {
  at <- which(!is.na(x$p.value), arr.ind = TRUE)
  data.frame(
    group1 = rownames(x$p.value)[at[, 1L]], group2 = colnames(x$p.value)[at[, 2L]], S = x$S[at], p.value = x$p.value[at]
  )
}

#' @export
result_table.kgroups_energy_distance <- function(x) {
  names <- attr(x, "Labels") %||% as.character(seq_len(attr(x, "Size")))
  pairs <- which(lower.tri(diag(length(names))), arr.ind = TRUE)
  data.frame(group1 = names[pairs[, 2L]], group2 = names[pairs[, 1L]], distance = as.vector(x))
}

#' @export
result_table.energy_statistics <- function(x) {
  data.frame(group = names(x$size), size = unname(x$size), weight = unname(x$weight), within = unname(x$within))
}

#' @rdname results
#' @export
tidy.kgroups_partition <- function(x, ...) {
  all <- as.data.frame(x)
  k <- max(all$cluster)
  out <- data.frame(cluster = factor(seq_len(k)), size = tabulate(all$cluster, k))
  if (!is.null(all$probability)) out$probability <- sum_by(all$probability, all$cluster, k) / out$size
  as_table(out)
}

#' @rdname results
#' @export
glance.kgroups_selection <- function(x, ...) {
  table <- as.data.frame(x)
  criterion <- x$by %||% x$criterion[1L]
  chosen <- if (inherits(x, "kgroups_select_k")) data.frame(k = x$k) else data.frame(semimetric = x$choice)
  as_table(
    cbind(chosen, criterion = criterion, value = table[[criterion]][which(table$chosen)[1L]], compared = nrow(table))
  )
}

#' @rdname results
#' @export
glance.kgroups_tree <- function(x, ...) {
  as_table(data.frame(leaves = length(x$W), total = x$total, nobs = length(x$leaf)))
}

#' @rdname results
#' @export
glance.kgroups_partition <- function(x, ...) {
  cluster <- as.integer(igraph::membership(x))
  as_table(data.frame(
    clusters = max(cluster), modularity = x$modularity[1L], model = attr(x, "model") %||% NA_character_,
    description_length = attr(x, "description_length") %||% NA_real_, nobs = length(cluster)
  ))
}

#' @rdname results
#' @export
glance.kgroups_test <- function(x, ...) tidy.kgroups_result(x, ...)

#' @rdname results
#' @export
glance.energy_statistics <- function(x, ...) {
  as_table(data.frame(groups = length(x$size), W = x$W, S = x$S, total = x$total, nobs = sum(x$size)))
}

# That of igraph, and what was changed in the graph.
#' @export
print.kgroups_partition <- function(x, ...) {
  NextMethod()
  if (!is.null(x$changed)) cat(within_width(changed_text(x)), sep = "\n")
  invisible(x)
}

# The lines of the print: format() of R fails on these lists for some names.
#' @export
format.kgroups_changes <- function(x, ...) {
  utils::capture.output(print(x))
}

#' @export
format.kgroups_partition <- format.kgroups_changes
