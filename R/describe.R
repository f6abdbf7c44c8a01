# Descriptions of clusters: for every variable and cluster the energy coefficient between the
# cluster and the rest in that variable alone, Székely and Rizzo (2013),
#     H = (2 E|X - Y| - E|X - X'| - E|Y - Y'|) / (2 E|X - Y|),
# 0 for equal distributions, 1 for two different constants. X is a row of the cluster, Y one of the
# rest; |x - y| is that of the variable's own block of coordinates, for categories 1{x != y} up to
# a factor that cancels. One sort a variable and closed forms for all clusters at once:
# O(n log n) for numbers, O(n + k L) for L categories.

#' Describe clusters by variables
#'
#' Compares the distribution of every variable inside each cluster with that outside, by a coefficient between 0 and 1.
#' Also gives means and standard deviations of numbers and shares of categories.
#'
#' The energy coefficient of a cluster \eqn{X}{X} and the rest \eqn{Y}{Y} in one variable is
#' \deqn{H = \frac{2 E|X - Y| - E|X - X'| - E|Y - Y'|}{2 E|X -
#' Y|}}{ H = (2 E|X - Y| - E|X - X'| - E|Y - Y'|) / (2 E|X - Y|)} over independent draws by the weights. It is 0 only if
#' the two distributions are equal, and 1 only for two different constants, in any unit. For numbers
#' \eqn{|x - y|}{|x - y|} is the difference (for ordered levels of their numbers, for dates in days); for categories it
#' is 1 where they differ. Clusters may differ in the dependence between variables alone; the coefficients do not show
#' this. Clusters are chosen to differ, so a coefficient is no test.
#'
#' @param fit A fit of [kgroups()] or another function of the package, or labels of any kind: a vector, a
#'   factor, a `communities` object.
#' @param data The variables, one row for each observation, in the order of `fit` or with its row names: a data frame
#'   with columns of any type that [as_points()] takes, a matrix or a vector of numbers. They need not be those that
#'   were clustered. Default: the table that `fit` clustered. For a fit of [row_blocks()] any rows, such as those of a
#'   block: [predict()][predict.kgroups_fit] labels them.
#' @param weights Weights of the observations. Default: those of the fit, else all 1; all 1 for a fit of a graph.
#' @param n The number of variables to show for each cluster; default 5.
#' @param ... Not used.
#' @return `describe_clusters()`: an object of class `kgroups_description`, a list with
#'   \item{table}{a data frame with a row for each variable and cluster: `variable`, `cluster`, `type`, `coefficient`,
#'   and `inside`, `outside`, `sd_inside`, `sd_outside`, the means and standard deviations. For categories `level` is
#'   the one whose share differs most, `inside` and `outside` its shares}
#'   \item{shares}{a data frame with a row for each variable of categories, cluster and level: shares
#'     `inside` and `outside`}
#'   \item{sizes}{weights of the clusters}
#'
#'   Names of variables, clusters and levels are cut at 120 bytes.
#'
#'   Both frames stand in the order of clusters, and within them of falling coefficients. A coefficient is `NA` if the
#'   cluster or the rest has nothing observed. Missing values are left out, variable by variable.
#'
#'   `tidy()`: a data frame (a tibble if that package is installed) with a row for each variable of numbers and cluster,
#'   and for each variable of categories, cluster and level. `plot()` and `autoplot()`: a `ggplot` object.
#' @section Tests of variables:
#' Groups that were fixed beforehand are tested in each variable by [energy_test()], with p-values adjusted for the
#' number of variables: `p.adjust(sapply(x, function(v) energy_test(v, g)$p.value))`. Clusters that were found from the
#' same columns differ in them by construction, so that p-values have no level.
#' @section Complexity: \eqn{O(p\, n \log n)}{O(p n log n)} time for p variables, \eqn{O(n)}{O(n)} memory beside the
#' data.
#' @references
#' Székely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on
#' distances." *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#' @family fits
#' @examples
#' # three clusters of states: which offences distinguish them?
#' fit <- kgroups(USArrests, 3, standardize = TRUE)
#' what <- describe_clusters(fit, USArrests)
#' what
#' plot(what)
#' head(tidy(what))
#'
#' # which columns differ between given groups?
#' set.seed(1)
#' p.adjust(sapply(mtcars[1:4], function(v) energy_test(v, mtcars$am, R = 199)$p.value))
#' @export
describe_clusters <- function(fit, data = NULL, weights = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "describe_clusters")
  check_given(fit, "fit")
  if (is.data.frame(fit) || is.matrix(fit)) {
    abort_argument(
      fit, "fit", "be a fit or labels.", "The clusters come first: `describe_clusters(fit, data)`.", call = env
    )
  }
  data <- if (is.null(data)) described_table(fit) else with_unit(plain_numbers(data, env))
  # a vector is a column; of classes only those that a column can have
  column <- is.null(dim(data)) && is.atomic(data) && !is.null(data)
  if (column && (!is.object(data) || inherits(data, c("factor", "Date", "POSIXct", "difftime", "integer64", "AsIs")))) {
    data <- structure(list(x1 = data), row.names = .set_row_names(length(data)), class = "data.frame")
  }
  if (inherits(fit, "kgroups_fit") && is_block_fit(fit)) fit <- predict(fit, data)
  is_fit <- inherits(fit, "kgroups_fit")
  if (is_fit) {
    at <- rows_in_order(fit, data, "describe_clusters(predict(fit, data), data)", env)
    if (!is.null(at)) data <- data[at, , drop = FALSE]
  } else {
    fit <- match_rows(fit, names_of_rows(data), "fit", env)
  }
  weights <- match_rows(weights, names_of_rows(data), "weights", env)
  if (is_fit) fit <- observed_fit(fit)
  table <- read_table(data, "data")
  if (is_fit && fit$n != table$n) {
    abort_input(
      "data", env, "`data` must have the {fit$n} rows of the fit.", "It has {table$n}.",
      "Use `describe_clusters(predict(fit, data), data)` for other rows."
    )
  }
  cluster <- check_labels(fit, table$n, "fit")
  # the weights of a graph fit are degrees
  if (is.null(weights) && is_fit && has_distances(fit)) weights <- fit$weights
  w <- check_weights(weights, table$n)
  levels <- attr(cluster, "levels")
  k <- length(levels)
  code <- as.integer(cluster)
  # names of any length would stop a print or a plot
  brief <- function(names) if (!is.null(names)) all_different(shorten(names, most_drawn))
  variables <- brief(result_names(table$columns))
  levels <- brief(levels)
  table$columns <- lapply(table$columns, function(column) {
    column["levels"] <- list(brief(column$levels))
    column[c("type", "values", "levels", "unit")]
  })
  parts <- Map(describe_variable, table$columns, variables, MoreArgs = list(code = code, k = k, w = w))
  structure(
    list(
      table = stack_parts(parts, "row", levels), shares = stack_parts(parts, "shares", levels),
      sizes = stats::setNames(sum_by(w, code, k), levels), weighted = any(w != 1),
      columns = table$columns, variables = variables, cluster = factor(levels[code], levels), weights = w
    ),
    class = c("kgroups_description", "kgroups_result")
  )
}

# Rows of all variables by cluster, the largest coefficients first.
stack_parts <- function(parts, name, levels) {
  out <- vctrs::vec_rbind(!!!lapply(unname(parts), `[[`, name))
  if (length(out)) {
    out <- vctrs::vec_slice(out, order(out$cluster, -out$coefficient))
    out$cluster <- factor(levels[out$cluster], levels)
    out
  }
}

# The table that a fit clustered.
described_table <- function(fit, call = rlang::caller_env()) {
  data <- if (inherits(fit, "kgroups_fit") && !is.null(fit$blueprint)) fit$data
  if (is.null(data)) {
    abort_input(
      "data", call, "`data` must be given.",
      if (inherits(fit, "kgroups_fit")) "The fit holds no table." else "You supplied labels alone.",
      if (inherits(fit, "kgroups_fit") && is_block_fit(fit)) {
        "Supply rows, of one block or a sample: `describe_clusters(fit, rows)`."
      } else {
        "Supply the variables, such as `describe_clusters(fit, data)`."
      }
    )
  }
  with_unit(data, if (is.null(dim(data))) fit$blueprint$unit)
}

# ---- print ----

#' @export
format.kgroups_description <- function(x, n = 5, ...) {
  n <- check_count(n, "n", 1)
  unit <- if (x$weighted) "weight %s" else "%s observations"
  lines <- c(
    sprintf("Energy coefficient between each of %d clusters and the rest, by variable.", length(x$sizes)),
    "Inside and outside the cluster: mean (sd), or share of the category that differs most."
  )
  if (length(x$sizes) == 1L) lines <- "One cluster, and no rest to compare it with:"
  for (l in seq_along(x$sizes)) {
    rows <- utils::head(x$table[as.integer(x$table$cluster) == l, ], n)
    shown <- cbind(
      c("variable", rows$variable), c("coefficient", format(round(rows$coefficient, 2), nsmall = 2)),
      c("inside", show_values(rows, rows$inside, rows$sd_inside, x)),
      c("outside", show_values(rows, rows$outside, rows$sd_outside, x))
    )
    size <- sprintf(if (x$sizes[l] == 1) sub("ns$", "n", unit) else unit, format(unname(x$sizes[l])))
    lines <- c(lines, "", sprintf("%s: %s", names(x$sizes)[l], size), aligned(shown))
  }
  lines
}

# The lines of a matrix of text, its columns of one width.
aligned <- function(text) sub(" +$", "", paste0("  ", apply(apply(text, 2L, format), 1L, paste, collapse = "  ")))

show_values <- function(rows, mean, sd, x) {
  vapply(seq_along(mean), function(i) {
    column <- x$columns[[match(rows$variable[i], x$variables)]]
    if (is.na(mean[i])) {
      return("-")
    }
    if (column$type == "categories") {
      return(sprintf("%s %.0f %%", strtrim(rows$level[i], 20L), 100 * mean[i]))
    }
    centre <- as_column_type(mean[i], column)
    centre <- if (column$type == "time") format(centre, "%Y-%m-%d %H:%M") else format(centre, digits = 3)
    unit <- switch(column$type, date = " days", time = " s", "")
    if (is.na(sd[i])) centre else sprintf("%s (sd %s%s)", centre, format(sd[i], digits = 3), unit)
  }, "")
}

#' @rdname describe_clusters
#' @param x A result of `describe_clusters()`.
#' @export
print.kgroups_description <- function(x, n = 5, ...) print_lines(x, n = n, ...)

#' @export
result_table.kgroups_description <- function(x) {
  out <- x$table[x$table$type != "categories", ]
  if (!is.null(x$shares)) {
    shares <- x$shares
    shares$type <- "categories"
    shares$sd_inside <- shares$sd_outside <- NA_real_
    out <- rbind(out, shares[names(out)])
    out <- out[order(out$cluster, -out$coefficient), ]
  }
  row.names(out) <- NULL
  out
}

# ---- figures: a heat map of coefficients, distributions by cluster ----

description_types <- c("coefficients", "distributions")

#' @rdname describe_clusters
#' @param type What to draw: `"coefficients"` (default), a heat map of variables by clusters;
#'   `"distributions"`, the variables with the largest coefficients by cluster, numbers as box plots and
#'   categories as shares.
#' @param top The largest number of variables to draw, those with the largest coefficients first. Default 20
#'   for coefficients and 6 for distributions, 10 and 4 on a device below five inches.
#' @export
as_figure.kgroups_description <- function(x, type = c("coefficients", "distributions"), top = NULL, ...) {
  call <- rlang::caller_env()
  type <- check_choice(type, "type", description_types, call = call)
  most <- if (type == "distributions") c(6, 4) else c(20, 10)
  top <- check_count(top %||% most[1L + is_narrow()], "top", 1, call = call)
  shown <- top_variables(x, type, top)
  title <- sprintf("%s differs most between a cluster and the rest", x$variables[shown[1L]])
  if (length(x$sizes) == 2L) title <- sprintf("%s differs most between the clusters", x$variables[shown[1L]])
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
  # of two clusters one is the rest of the other
  two <- length(clusters) == 2L
  columns <- if (two) paste(clusters, collapse = " and ") else clusters
  if (two) clusters <- clusters[1L]
  names <- x$variables[shown]
  key <- function(variable, cluster) paste(variable, cluster, sep = "\r")
  at <- match(outer(names, clusters, key), key(x$table$variable, x$table$cluster))
  H <- matrix(x$table$coefficient[at], length(names))
  heat_figure(
    title, H, c(0, 1), sprintf("%.2f", H), "coefficient", size = if (length(H) <= 240L && nrow(H) <= 24L) 0.8,
    subtitle = sprintf(
      "energy coefficient between %s, by variable", if (two) "the two clusters" else "a cluster and the rest"
    ),
    rows = names, columns = columns, label = if (two) "clusters" else "cluster"
  )
}

# A panel a variable: boxes of numbers, stacked shares of levels, ordered or not.
distributions_figure <- function(x, shown, title) {
  columns <- x$columns[shown]
  dated <- vapply(columns, function(column) column$type %in% c("date", "time"), NA)
  panels <- mapply(function(column, name, dated) {
    unit <- if (dated) "" else value_unit(column)
    paste0(name, if (nzchar(unit)) sprintf(" (%s)", unit))
  }, columns, x$variables[shown], dated)
  clusters <- named_axis(names(x$sizes), "cluster")
  # letters of a level in a bar
  letters <- (figure_size()[1L] / panel_columns(panels) - 0.45) * 0.8 / length(x$sizes) / 0.05
  layers <- Map(function(j, column, panel) {
    categories <- length(column$levels) > 0L
    if (categories) share_layers(level_shares(x, j), panel, letters) else {
      box_layers(split(column$values, x$cluster), panel)
    }
  }, shown, columns, panels)
  out <- new_figure(
    title, do.call(c, layers),
    subtitle = far_note(sum(vapply(layers, function(one) attr(one, "far") %||% 0L, 0L))),
    groups = cluster_groups(length(x$sizes)), x = clusters, panels = panels
  )
  # dates have marks of their own
  if (any(dated)) {
    out$axes <- stats::setNames(lapply(columns, function(column) {
      list(x = clusters, y = if (column$type %in% c("date", "time")) {
        values <- as.double(column$values)
        column_axis(column, values, limits = range(values, finite = TRUE))
      })
    }), panels)
  }
  out
}

# Shares of levels (rows) in clusters (columns), one upon the other, the first level at the foot, with their names in
# the bars that are high enough, in so many letters.
share_layers <- function(share, panel, letters) {
  top <- matrix(apply(share, 2L, cumsum), nrow(share))
  at <- as.vector(col(share))
  bars <- data.frame(
    xmin = at - 0.4, xmax = at + 0.4, ymin = as.vector(top - share), ymax = as.vector(top),
    group = as_cluster(at, ncol(share)), alpha = as.vector(0.2 + 0.6 * row(share) / nrow(share))
  )
  levels <- brief_names(rownames(share), floor(max(letters, 4)))
  names <- data.frame(x = at, y = as.vector(top - share / 2), label = levels[row(share)])
  bars$panel <- names$panel <- rep(panel, length(share))
  list(
    new_layer("rect", bars[as.vector(share) > 0, ]),
    if (letters >= 4) new_layer("text", names[as.vector(share) >= 0.08, ], size = 0.7, thin = TRUE)
  )
}

# L x k shares of the levels of a variable, by cluster.
level_shares <- function(x, j) {
  column <- x$columns[[j]]
  clusters <- names(x$sizes)
  seen <- !is.na(column$values) & x$weights > 0
  L <- length(column$levels)
  code <- column$values[seen] + L * (as.integer(x$cluster)[seen] - 1L)
  sums <- sum_by(x$weights[seen], code, L * as.numeric(length(clusters)))
  sums <- matrix(sums, L, dimnames = list(column$levels, clusters))
  t(t(sums) / pmax(colSums(sums), .Machine$double.xmin))
}

value_unit <- function(column) {
  switch(column$type, date = "days since 1970", time = "seconds since 1970", difference = column$unit, "")
}
