# Clusters of units: rows of one patient, site or series get one label.

#' Clusters of units with several rows
#'
#' `kgroups(x, k, units = id)` clusters units, of which each has several rows, by their distributions: patients by their
#' examinations, sites by their samples, series by their values.
#'
#' The energy distance of two units is a squared distance of their mean embeddings,
#' \deqn{E_{uv} = 2 P_{uv} - P_{uu} - P_{vv}}{E_uv = 2 P_uv - P_uu - P_vv} with the mean dissimilarities P between their
#' rows. W over units is that of k-means in this space, and the partition is the same as with `together = id` if each
#' row of a unit of m rows weighs w/m. So this is a shorthand for both, with two defaults:
#' * `semimetric = rho_power(1/2)`: a bounded growth of rho keeps few wide or far units from deciding, and shows
#'   differences of dispersion and correlation;
#' * the weight w of a unit is the inverse of the estimated variance of its mean embedding, as in [energy_test()]: more
#'   rows weigh more as far as units do not differ otherwise.
#'
#' The fit has a component `units`, a data frame with a row for each unit: `unit`, `cluster`, `rows` and `weight`.
#' [predict()][predict.kgroups_fit] with `units` assigns new units: to the cluster of the least mean squared distance of
#' their rows. [plot()][plot.kgroups_fit] draws the units beside their rows.
#'
#' `select_k(fit)` and `kgroups_tree(fit)` compare numbers of clusters of the units, by their energy distances and
#' weights. W is then that of the units in E, without the dispersion inside units. For all other functions use the
#' distances themselves: `E <- energy_distance(x, g = id, semimetric = rho_power(1/2))` with `weights =
#' fit$units$weight`.
#' @section What it does not find: A difference of scale in one of five columns: distances add all columns up. Unit
#'   effects that are as large as the effect: if the location of a unit does not matter, subtract the mean of each unit
#'   first.
#' @family fits
#' @examples
#' # chicks by their weights over time
#' set.seed(1)
#' fit <- kgroups(ChickWeight["weight"], 2, units = ChickWeight$Chick)
#' head(fit$units)
#' kgroups_tree(fit)
#' @name kgroups-units
NULL

# The links of whole units, for the control.
unit_links <- function(units, x, together, apart, approx, call) {
  check_excluded("units", names(Filter(Negate(is.null), list(together = together, apart = apart, approx = approx))), call)
  as.integer(check_labels(match_rows(units, names_of_rows(x), "units", call), NULL, "units", call))
}

# Return list(code, names, w, rows, m): the weight of each unit by its precision, and those of rows, w/m of equal ones.
weights_of_units <- function(problem, units, call) {
  code <- check_labels(units, problem$n, "units", call)
  names <- attr(code, "levels")
  code <- as.integer(code)
  if (length(names) == problem$n) {
    abort_input(
      "units", call, "Some unit must have several rows.", "You supplied {problem$n} units of one row.",
      "Leave `units` out."
    )
  }
  if (min(problem$w) == 0) {
    abort_input(
      "weights", call, "`weights` must be above 0 with `units`.", "Some are 0.", "Leave these rows out."
    )
  }
  means <- unit_means(problem, list(code = code, names = names))
  share <- problem$w / sum_by(problem$w, code, length(names))[code]
  list(code = code, names = names, w = means$w, m = tabulate(code, length(names)), rows = means$w[code] * share)
}

# A fit with the table of its units; it keeps the unit of each row.
with_units <- function(fit, of_units) {
  cluster <- unname(fit$cluster)[match(seq_along(of_units$names), of_units$code)]
  units <- data.frame(unit = of_units$names, cluster = cluster, rows = of_units$m, weight = of_units$w)
  fit["units"] <- list(units)
  if (!is.null(fit$kept)) fit$kept$unit <- of_units$code
  fit
}

# The energy distances of the units of a fit, in true units.
energies_of_units <- function(fit, call) {
  means <- unit_means(kept_problem(fit, call), list(code = fit$kept$unit, names = fit$units$unit), "rows")
  own <- diag(means$P)
  E <- pmax(2 * means$P - outer(own, own, "+"), 0)
  dimnames(E) <- list(fit$units$unit, fit$units$unit)
  stats::as.dist(E)
}
