# Whole units: rows of one patient, plot or site have one label, and labels are permuted among units. Everything follows
# from the matrix P of mean dissimilarities between units and from the weights w of units.

unit_weight_kinds <- c("precision", "rows")

# Return list(P, w, m, icc): mean dissimilarities between units in true units, their weights and numbers of rows
# (effective ones of weighted rows), and the share of the variance between units.
unit_means <- function(problem, units, kind = "precision") {
  U <- length(units$names)
  code <- units$code
  check_memory(24 * as.numeric(U)^2, U, "the mean dissimilarities between units")
  P <- true_units(problem, partition(problem, code, U)$g, "pair")
  rows <- sum_by(problem$w, code, U)
  m <- rows^2 / sum_by(problem$w^2, code, U)
  found <- precision_weights(P, m)
  w <- if (kind == "precision") found$w else rows
  list(P = P, w = w / mean(w), m = m, icc = found$icc)
}

# Variance components in the feature space by the moments of an analysis of variance, labels not used: each unit weighs
# the inverse of the variance of its mean.
precision_weights <- function(P, m) {
  U <- length(m)
  n <- sum(m)
  within <- m * diag(P) / 2
  s2 <- if (n - U > 1e-8 * n) sum(within) / (n - U) else 0
  between <- sum(outer(m, m) * P) / (2 * n) - sum(within)
  m0 <- (n - sum(m^2) / n) / max(U - 1, 1)
  sb2 <- max(0, (between / max(U - 1, 1) - s2) / m0)
  variance <- sb2 + s2 / m
  if (!all(variance > 1e-12 * max(P))) {
    return(list(w = rep(1, U), icc = NA_real_))
  }
  list(w = 1 / variance, icc = sb2 / (sb2 + s2))
}

# Permutations of labels keep the distribution of units of one size only: sizes that go with the groups are named.
inform_unit_sizes <- function(labels, m) {
  if (length(unique(m)) > 1L && isTRUE(stats::kruskal.test(m, labels)$p.value <= 0.05)) {
    shown <- sizes_text(round(tapply(m, labels, mean), 1))
    kg_inform(c(
      "Units of the groups differ in their mean numbers of rows ({shown}): p-values are too small.",
      "i" = "Means of units with few rows vary more. Draw as many rows of each unit for an exact test."
    ), "units")
  }
}

# As permutation_test(), with labels of whole units.
unit_test <- function(means, test, R, statistic) {
  unit <- test$units
  U <- length(unit$names)
  labels <- test$labels[match(seq_len(U), unit$code)]
  k <- length(test$groups)
  labellings <- permuted_labels(labels, test$strata, R)
  sums <- unit_sums(means, labellings, k, statistic)
  value <- switch(statistic, H = sums$H, F = test_ratio(sums, k, U, "F"), sums$S)
  # W + S is the same for all arrangements, so F orders them as S does
  p <- if (statistic == "H") permutation_p(value, labellings, 1) else permutation_p(sums$S, labellings, sums$total)
  c(list(value = value), p, list(
    units = list(
      weight = stats::setNames(means$w, unit$names), rows = stats::setNames(means$m, unit$names), icc = means$icc
    )
  ))
}

# As pair_sums(), of permuted labels of units. P is centred with the weights, so that S = sum_l z_l'A z_l / s_l.
unit_sums <- function(means, labellings, k, statistic) {
  w <- means$w
  P <- means$P
  row <- drop(P %*% w) / sum(w)
  total <- sum(w * row) / 2
  centred <- -(P - row - rep(row, each = length(w)) + 2 * total / sum(w)) / 2
  parts <- lapply(strips(labellings$number, as.numeric(length(w)) * k), function(turns) {
    check_interrupt()
    part_of_units(labellings$columns(turns), w, centred, P, k, statistic)
  })
  joined <- function(name) unlist(lapply(parts, `[[`, name))
  list(S = joined("S"), H = joined("H"), total = total)
}

part_of_units <- function(columns, w, centred, P, k, statistic) {
  each <- function(f) matrix(vapply(seq_len(k), f, numeric(ncol(columns))), ncol(columns))
  shares <- lapply(seq_len(k), function(l) w * (columns == l))
  sums <- lapply(shares, function(z) centred %*% z)
  s <- each(function(l) colSums(shares[[l]]))
  of_pair <- function(a, b) colSums(shares[[a]] * sums[[b]]) / (s[, a] * s[, b])
  own <- each(function(l) of_pair(l, l))
  E <- function(a, b) 2 * (own[, a] + own[, b] - 2 * of_pair(a, b))
  if (statistic == "original") {
    pairs <- utils::combn(k, 2L)
    value <- apply(pairs, 2L, function(p) s[, p[1L]] * s[, p[2L]] / (s[, p[1L]] + s[, p[2L]]) * E(p[1L], p[2L]))
    return(list(S = rowSums(matrix(value, ncol(columns)))))
  }
  H <- if (statistic == "H") {
    within <- rowSums(each(function(l) colSums(shares[[l]] * (P %*% shares[[l]])) / s[, l]^2))
    ifelse(E(1L, 2L) == 0, 0, E(1L, 2L) / (E(1L, 2L) + within))
  }
  list(S = rowSums(own * s), H = H)
}

# ---- clusters of units: rows of one patient, site or series get one label ----

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
  others <- Filter(Negate(is.null), list(together = together, apart = apart, approx = approx))
  check_excluded("units", names(others), call)
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
    abort_input("weights", call, "`weights` must be above 0 with `units`.", "Some are 0.", "Leave these rows out.")
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
