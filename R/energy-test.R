#' Energy tests of units and of two factors
#'
#' Designs in which rows are not exchangeable one by one: several rows of one patient, plot or site, and two factors.
#'
#' @section Units:
#' With `energy_test(x, g, units = id)` the labels of whole units are permuted. The statistic follows from the matrix P
#' of mean dissimilarities between units and the weights w of the units:
#' \deqn{S = \sum_l \frac{z_l' A z_l}{w' z_l} - \frac{1' A 1}{1' w}, \qquad A_{uv} = - \frac{w_u w_v
#' P_{uv}}{2}}{S = sum_l z_l'A z_l / w'z_l - 1'A1 / 1'w, A_uv = -w_u w_v P_uv / 2} with \eqn{z_l}{z_l} the indicator of
#' the units of group l. The weights of `"precision"` are \eqn{1/(\sigma_b^2 + \sigma^2/m_u)}{1/(s_b^2 + s^2/m_u)}. The
#' variances between and within units in feature space are estimated by the moments of an analysis of variance without
#' the groups. With `weights` m is \eqn{(\sum w)^2 / \sum w^2}{(sum w)^2 / sum w^2} of the rows of the unit.
#'
#' The test is exact if units, their sizes included, are exchangeable. If the units of one group have fewer rows, it
#' rejects too often (.08 at .05 for 2 and 20 rows). A message (`kg_message_units`) reports unequal sizes. Two groups of
#' u units each permit choose(2u, u) / 2 different arrangements: p is at least .1 for 3 and 3 units, .029 for 4 and 4.
#'
#' @section Two factors:
#' `energy_test(y ~ a + b, data)` returns a table as [anova()] does: the dispersion of each factor given the other, its
#' share of the total, F and p. The dispersion is \eqn{tr((H_{ab} - H_b) G)}{tr((H_ab - H_b) G)} with G the centred
#' matrix \eqn{-\rho/2}{-rho/2} and H the projections of both models. With `rho_power(2)` dispersions and F are those of
#' an analysis of variance, and of `vegan::adonis2(by = "margin")` of Euclidean distances.
#'
#' Labels of a factor are permuted within the levels of the other. The test is exact if the factor has no effect,
#' whatever the other does. There is no test of the interaction.
#'
#' With `units` a factor that is constant in them is permuted among whole units, another one within units. The second
#' test assumes that the rows of a unit are independent given the unit: autocorrelation makes its p too small.
#' @family energy statistics
#' @examples
#' # chicks are weighed twelve times: labels are permuted among chicks
#' energy_test(weight ~ Diet, ChickWeight, units = Chick, R = 199)
#'
#' # two factors, each within the levels of the other
#' energy_test(len ~ supp + factor(dose), ToothGrowth, R = 99)
#' @name energy_test-designs
NULL

#' Test of equal distributions by energy statistics
#'
#' Tests by permutation the hypothesis that two or more samples have the same distribution. The statistic is the between
#' statistic S or a related one. The samples are points of any dimension, dissimilarities or a Gram matrix.
#'
#' @inheritParams energy_statistics
#' @param x All observations, as in [energy_statistics()]; or a list of samples, such as `list(x, y)` or `split(data,
#'   group)`; or a formula `values ~ group` with `data` (`a + b ~ group` takes two columns, `. ~ group` all others).
#' @param g The group of each observation, a label of any type, chosen independently of `x`. For clusters found from the
#'   same `x` the type I error is not controlled: a clustering gives a warning (`kg_warning_level`), and labels that
#'   resemble a converged clustering give a message (`kg_message_level`).
#' @param R The number of random permutations, at least 1. Default 999. If there are no more arrangements
#'   than `R`, each is used once and the p-value is exact.
#' @param strata `NULL`, or one label per observation. Groups are then permuted only within the strata (blocks, batches,
#'   sites). Strata do not replace `units`: if the rows of a patient have one group, permuting rows within times rejects
#'   in most data sets without a difference.
#' @param units `NULL`, or the unit of each observation: the patient, plot or site that has one group and several rows.
#'   Labels are then permuted among whole units. Groups and strata must be constant in a unit.
#' @param unit_weights With `units`, the weight of a unit of m rows:
#'   * `"precision"` (default): the inverse of the estimated variance of its mean in feature space;
#'   * `"rows"`: m.
#' @param statistic One of
#'   * `"S"` (default): the between statistic, DISCO's between component;
#'   * `"F"`: the ratio \eqn{F = \frac{S / (k - 1)}{W / (n - k)}}{F = (S/(k - 1))/(W/(n -
#'     k))} of DISCO, n the number of observations of positive weight. Without weights its p-value is that of S;
#'   * `"H"`: the normalised energy coefficient \eqn{H = E / (2\, \mathrm{mean}\, \rho(X,
#'     Y))}{H = E/(2 mean rho(X, Y))} of two samples, between 0 and 1 for semimetrics of
#'     negative type; two groups only;
#'   * `"original"`: the multi-sample statistic \eqn{\sum_{i<j} \frac{s_i s_j}{s_i + s_j}
#'     E_{ij}}{sum_{i<j} s_i s_j/(s_i + s_j) E_ij} of Székely and Rizzo (2004). For two groups
#'     it is twice S; for more it is another statistic.
#' @param data With a formula: a data frame with its variables. `weights`, `strata`, `units` and `subset` are also
#'   evaluated in it.
#' @param subset With a formula: the rows to use, as a condition on `data`.
#' @return An object of class `htest`: `statistic`, `parameter` (the number of permutations), `p.value`, `method`,
#'   `data.name`. Further components are `permuted`, the values of the statistic under permutation; `sizes` of the
#'   groups; `least.p`, the least p-value possible; `semimetric`; and with `units` a list `units` of their `weight`,
#'   `rows` and `icc`, the share of the variance between units.
#' @section Algorithm:
#' Labels are permuted together with their weights. The p-value is \eqn{(b + 1)/(R + 1)}{(b + 1)/(R + 1)}, where b
#' is the number of permutations whose statistic attains the observed one up to rounding (\eqn{10^{-12}}{1e-12} of
#' \eqn{W + S}{W + S}). Under the hypothesis \eqn{P(p \le \alpha) \le \alpha}{P(p <= alpha) <= alpha} for any sample
#' size, semimetric and number of permutations. Weights may depend on the group, as design weights of strata do, but
#' within a group not on the values. The test is consistent against all alternatives if the semimetric is of strong
#' negative type. `rho_power(2)` detects differences in mean only.
#'
#' Small groups permit few arrangements, and the smallest p-value is one over their number: .1 for three against three.
#' A message (`kg_message_arrangements`) reports a smallest possible p-value above .05. Another one (`kg_message_long`)
#' reports the expected time of a test of more than 20 seconds. A random sample of the rows, `rows <- sample(n, 5000)`,
#' gives a test of the same level.
#' @section Units and two factors:
#' `units` permutes labels among whole units, `energy_test(y ~ a + b, data)` tests two factors: see
#' [energy_test-designs].
#' @section Complexity:
#' \eqn{O(n^2 (d/m + 1) R / 2)}{O(n^2 (d/m + 1) R/2)} time and \eqn{O(n)}{O(n)} memory: a dissimilarity is computed once
#' for m permutations, at least 64. Up to 2000 observations all dissimilarities are computed once. One variable with
#' `rho_power(1)` is sorted once: \eqn{O(n \log n + n R)}{O(n log n + n R)}, except for `"original"`. U units take one
#' pass over the pairs and \eqn{O(U^2 R)}{O(U^2 R)}.
#' @references
#' Székely GJ, Rizzo ML (2004). "Testing for Equal Distributions in High Dimension."
#' *InterStat*, November (5).
#'
#' Rizzo ML, Székely GJ (2010). "DISCO analysis: A nonparametric extension of analysis of
#' variance." *The Annals of Applied Statistics*, 4(2), 1034-1055. \doi{10.1214/09-AOAS245}
#'
#' Phipson B, Smyth GK (2010). "Permutation P-values Should Never Be Zero." *Statistical
#' Applications in Genetics and Molecular Biology*, 9(1), 39. \doi{10.2202/1544-6115.1585}
#' @family energy statistics
#' @concept two-sample test
#' @concept permutation test
#' @concept PERMANOVA
#' @examples
#' # do six feeds give the same weights of chicks?
#' set.seed(1)
#' energy_test(chickwts$weight, chickwts$feed, R = 199)
#' energy_test(weight ~ feed, data = chickwts, R = 199)
#'
#' # several columns by another distance
#' versicolor <- iris$Species[51:150]
#' energy_test(dist(iris[51:150, 1:4], "manhattan"), versicolor, R = 199, statistic = "H")
#'
#' # two samples of equal means and unequal variance
#' energy_test(list(rnorm(40), rnorm(40, sd = 3)), R = 199)$p.value
#' @export
energy_test <- function(x, g = NULL, semimetric = rho_power(1), weights = NULL, R = 999,
                        strata = NULL, statistic = c("S", "F", "H", "original"), units = NULL,
                        unit_weights = c("precision", "rows"), ..., data = NULL, subset = NULL,
                        threads = getOption("kgroups.threads", 1L)) {
  env <- rlang::current_env()
  check_data(x, env)
  given <- rlang::enquos(weights = weights, strata = strata, units = units, subset = subset)
  statistic <- check_choice(statistic, "statistic", names(statistic_titles))
  unit_weights <- check_choice(unit_weights, "unit_weights", unit_weight_kinds)
  samples <- read_test(env, given, list(...), "energy_test")
  if (!is.null(samples$factors)) {
    return(factor_test(samples, semimetric, statistic, samples$R, env))
  }
  test <- test_problem(samples, semimetric, env, statistic = statistic)
  problem <- test$problem
  found <- if (!is.null(test$units)) {
    unit_test(unit_means(problem, test$units, unit_weights), test, samples$R, statistic)
  } else {
    if (statistic == "original" || !is_1d_problem(problem)) problem <- cache_pairs(problem)
    inform_long_test(problem, samples$R)
    permutation_test(problem, test$labels, length(test$groups), test$strata, samples$R, statistic)
  }
  if (statistic %in% c("S", "original")) check_values_range(found$value, env)
  inform_few_arrangements(found)
  structure(
    list(
      statistic = stats::setNames(found$value[1L], if (statistic == "original") "E" else statistic),
      parameter = c(R = length(found$value) - 1L),
      p.value = found$p.value,
      method = test_title(statistic, test, found),
      data.name = samples_text(samples, test$sizes),
      permuted = found$value[-1L],
      sizes = test$sizes,
      units = found$units,
      least.p = found$least,
      semimetric = problem$semimetric %||% problem$shown_semimetric
    ),
    class = c("kgroups_energy_test", "kgroups_test", "kgroups_result", "htest")
  )
}

statistic_titles <- c(
  S = "between statistic S", F = "DISCO statistic F", H = "energy coefficient H", original = "original statistic"
)

test_title <- function(statistic, test, found) {
  permutations <- if (found$all) "all permutations" else "permutations"
  if (!is.null(test$units)) permutations <- sprintf("%s of %d units", permutations, length(test$units$names))
  k <- length(test$groups)
  sprintf(
    "%s energy test (%s, %s%s)", if (k == 2L) "Two-sample" else paste0(k, "-sample"), statistic_titles[[statistic]],
    permutations, if (is.null(test$strata)) "" else " within strata"
  )
}

# Seconds per pair, 64 columns and permutation: the last rows of bench/tests.R print it.
test_rate <- 4e-10

inform_long_test <- function(problem, R) {
  sorted <- is_1d_problem(problem)
  work <- if (sorted) 0 else problem$n^2 / 2 * R * (1 + store_work(problem$store) / 64)
  inform_long(work * test_rate, "A random sample of the rows has a test of the same level.")
}

# ---- statistics of permuted labels ----

# Values are permuted against pairs of a label and a weight, all weights above 0. Return `code`, the pair of each
# observation, and `label` and `weight` of each code; equal weights are those of the problem, and `weight` is NULL.
test_design <- function(labels, w) {
  labels <- as.integer(labels)
  if (all(w == w[1L])) {
    return(list(code = labels, label = seq_len(max(labels))))
  }
  pairs <- labels + max(labels) * match(w, unique(w))
  first <- which(!duplicated(pairs))
  list(code = match(pairs, pairs[first]), label = labels[first], weight = as.double(w[first]))
}

# Return the statistic of the data and of permutations (`value`, in true units), with permutation_p() of them.
permutation_test <- function(problem, labels, k, strata, R, statistic) {
  design <- test_design(labels, problem$w)
  labellings <- permuted_labels(design$code, strata, R)
  raw <- permutation_statistics(problem, design, k, labellings, statistic)
  # with equal weights S orders the arrangements as F does; its rounding is that of the total
  ratio <- statistic == "H" || statistic == "F" && !is.null(design$weight)
  p <- if (ratio) permutation_p(raw$value, labellings) else permutation_p(raw$S, labellings, raw$total)
  c(list(value = raw$value), p)
}

# The statistic of the labels and of their permutations, in batches of bounded memory.
permutation_statistics <- function(problem, design, k, labellings, statistic) {
  n <- problem$n
  form <- statistic == "original"
  line <- if (!form && is_line_problem(problem)) sort_line(problem)
  # own weights permit any centre
  weight <- if (is.null(design$weight)) problem$w else rep(1, n)
  means <- if (is.null(line)) store_product(problem$store, weight) / sum(weight)
  centre <- if (is.null(line)) means - sum(weight * means) / (2 * sum(weight))
  batch <- floor(max(1, min(max(64, 2^21 / n), 2^23 / n, if (form) c(64, 2^23 / k^2))))
  parts <- lapply(strips(labellings$number, 1, batch), function(turns) {
    columns <- labellings$columns(turns)
    sums <- if (is.null(line)) {
      pair_sums(problem, centre, columns, design, statistic)
    } else {
      line_sums(line, columns, design, problem$w[1L])
    }
    plain <- statistic %in% c("S", "original")
    list(
      S = sums$S, total = sums$total[1L],
      value = if (plain) true_units(problem, sums$S) else test_ratio(sums, k, n, statistic)
    )
  })
  joined <- function(name) unlist(lapply(parts, `[[`, name))
  list(value = joined("value"), S = joined("S"), total = parts[[1L]]$total)
}

# Return S (or the statistic of 2004), W + S and, for H, W_1/s_1 + W_2/s_2 of columns of codes, and s of the groups.
pair_sums <- function(problem, centre, columns, design, statistic) {
  raw <- function(which) .Call(ffi_permute, problem, centre, columns, design$label, design$weight, which)
  weight <- design$weight %||% rep(problem$w[1L], length(design$label))
  s <- sum_by(weight[columns[, 1L]], design$label[columns[, 1L]], max(design$label))
  self <- self_values(problem) - 2 * centre
  S <- raw(if (statistic == "original") 1 else 0)
  by_column <- function(value) colSums(matrix(value, problem$n))
  # without weights of their own all columns have the same masses
  some <- if (is.null(design$weight)) columns[, 1L] else columns
  total <- rep_len(by_column(weight[some] * self), ncol(columns))
  if (!is.null(design$weight) && statistic == "F") total <- total - raw(3) / sum(s)
  out <- list(S = S, total = total, s = s)
  if (statistic == "H") out$within <- by_column(weight[columns] * self / s[design$label[columns]]) - raw(2)
  out
}

# As pair_sums(), from W_l and s_l; `w` is the weight of all observations if they have none of their own.
line_sums <- function(line, columns, design, w) {
  k <- max(design$label)
  raw <- function(label) .Call(ffi_line, line$x, line$order, columns, label, design$weight)
  found <- raw(design$label)
  unit <- if (is.null(design$weight)) w else 1
  W <- unit * found[seq_len(k), , drop = FALSE]
  s <- unit * found[k + seq_len(k), , drop = FALSE]
  total <- unit * if (is.null(design$weight)) raw(rep(1L, k))[1L, 1L] else raw(rep(1L, length(design$label)))[1L, ]
  list(S = total - colSums(W), total = rep_len(total, ncol(columns)), within = colSums(W / s), s = s[, 1L])
}

# ---- two factors, each given the other ----

# G is the centred matrix -rho/2 and H_X the projection on the columns of X: SS(a) = tr((H_ab - H_b) G), which for
# squared distances is the sum of squares of a (multivariate) analysis of variance (Rizzo and Szekely 2010).
factor_test <- function(samples, semimetric, statistic, R, call) {
  if (!is.null(samples$weights) || !statistic %in% c("S", "F")) {
    abort_input(
      if (is.null(samples$weights)) "statistic" else "weights", call,
      "`weights` and other statistics go with one grouping variable.", "You supplied two factors.",
      "Leave them out: the statistic is F."
    )
  }
  problem <- samples_problem(samples, semimetric, call)
  n <- problem$n
  check_memory(64 * as.numeric(n)^2, n, "the pairwise dissimilarities of two factors", call = call)
  design <- two_factors(samples, n, call)
  Map(function(g, labels) warn_found_groups(g, problem, labels), samples$factors, design$labels)
  G <- centred_gram(pairwise_rho(problem))
  tests <- lapply(1:2, function(one) main_effect(G, design, one, R))
  check_degrees(tests, names(design$labels), call)
  of <- function(name) vapply(tests, `[[`, 0, name)
  total <- sum(diag(G))
  ss <- c(of("ss"), tests[[1L]]$rest, total)
  out <- data.frame(
    Df = c(of("df"), tests[[1L]]$left, n - 1L), Dispersion = ss, Share = ss / total,
    F = c(of("F"), NA, NA), `Pr(>F)` = c(of("p.value"), NA, NA), check.names = FALSE,
    row.names = c(names(design$labels), "Residuals", "Total")
  )
  structure(
    out, heading = factor_heading(design, samples$name, R),
    class = c("kgroups_factor_test", "kgroups_result", "anova", "data.frame"),
    semimetric = problem$semimetric, permuted = lapply(tests, `[[`, "value")
  )
}

check_degrees <- function(tests, names, call) {
  df <- c(vapply(tests, `[[`, 0, "df"), tests[[1L]]$left)
  if (any(df < 1)) {
    abort_input(
      "formula", call, "Both factors and the residual must have degrees of freedom.",
      "{c(names, 'The residual')[df < 1][1L]} has none.",
      "One factor determines the other: if rows of one unit have one group, use `values ~ group` with `units`."
    )
  }
}

# The factors of the rows, units and strata: `labels` a list of codes, `constant`: which factors are constant in a unit.
two_factors <- function(samples, n, call) {
  codes <- function(values, arg) if (!is.null(values)) check_labels(values, n, arg, call)
  labels <- lapply(samples$factors, codes, "g")
  one <- vapply(labels, function(code) length(attr(code, "levels")) < 2L, NA)
  if (any(one)) {
    abort_input(
      "g", call, "Factors must have at least two levels.", "{names(labels)[one][1L]} has one.",
      "Use `values ~ group` for one factor."
    )
  }
  unit <- codes(samples$units, "units")
  constant <- vapply(labels, function(code) !is.null(unit) && all(code == code[match(unit, unit)]), NA)
  list(
    labels = lapply(labels, as.integer), unit = unit, strata = codes(samples$strata, "strata"), constant = constant
  )
}

# rho of all pairs in true units.
pairwise_rho <- function(problem) {
  B <- store_values(problem$store)
  self <- diag(B)
  rho <- true_units(problem, outer(self, self, "+") - 2 * B, "pair")
  diag(rho) <- 0
  pmax(rho, 0)
}

centred_gram <- function(rho) {
  B <- -rho / 2
  row <- rowMeans(B)
  B - outer(row, row, "+") + mean(row)
}

# An orthonormal basis of the indicators of labels beyond those of the basis Q.
basis_beyond <- function(code, Q = NULL) {
  X <- outer(code, sort(unique(code)), "==") + 0
  size <- sqrt(sum(X^2))
  if (!is.null(Q)) X <- X - Q %*% crossprod(Q, X)
  decomposed <- qr(X, tol = 1e-8)
  kept <- abs(diag(as.matrix(decomposed$qr)))[seq_len(min(dim(X)))] > 1e-8 * size
  qr.Q(decomposed)[, seq_len(min(decomposed$rank, sum(kept))), drop = FALSE]
}

# One factor given the other: its dispersion `ss` and degrees of freedom `df`, those that both leave (`rest`, `left`),
# and F under permutations, with their p.
main_effect <- function(G, design, one, R) {
  Q <- basis_beyond(design$labels[[3L - one]])
  rest <- G - Q %*% crossprod(Q, G)
  rest <- rest - tcrossprod(rest %*% Q, Q)
  size <- sum(diag(rest))
  effect <- function(code) {
    beyond <- basis_beyond(code, Q)
    ss <- sum(beyond * (rest %*% beyond))
    df <- ncol(beyond)
    left <- nrow(G) - ncol(Q) - df
    F <- if (ss <= 1e-14 * sum(diag(G))) 0 else ss / df / (max(size - ss, 0) / left)
    list(ss = ss, df = df, rest = size - ss, left = left, F = F)
  }
  labellings <- factor_labels(design, one, R)
  value <- vapply(seq_len(labellings$number), function(turn) {
    check_interrupt()
    effect(labellings$columns(turn)[, 1L])$F
  }, 0)
  c(effect(design$labels[[one]]), list(value = value), permutation_p(value, labellings))
}

# Permutations of the labels of a factor within the levels of the other one: of whole units if it is constant in them,
# else within units.
factor_labels <- function(design, one, R) {
  other <- design$labels[[3L - one]]
  labels <- design$labels[[one]]
  strata <- list(design$strata, if (!design$constant[one]) design$unit)
  first <- at <- seq_along(labels)
  if (design$constant[one]) {
    first <- match(sort(unique(design$unit)), design$unit)
    at <- match(design$unit, design$unit[first])
  }
  if (!design$constant[one] || design$constant[3L - one]) strata <- c(strata, list(other))
  strata <- lapply(Filter(Negate(is.null), strata), function(values) values[first])
  parts <- if (length(strata)) unname(split(seq_along(first), strata, drop = TRUE))
  out <- permuted_labels(labels[first], parts, R)
  list(number = out$number, all = out$all, columns = function(turns) out$columns(turns)[at, , drop = FALSE])
}

factor_heading <- function(design, name, R) {
  how <- ifelse(design$constant, "among", "within")
  lines <- c(
    sprintf("Energy test of two factors (%d permutations of each within the levels of the other)", R),
    paste("data:", name),
    if (!is.null(design$unit)) {
      shown <- paste(how, "units for", names(design$labels), collapse = ", ")
      sprintf("Units: %d; labels are permuted %s", max(design$unit), shown)
    }
  )
  paste0(paste(lines, collapse = "\n"), "\n")
}

#' @export
print.kgroups_factor_test <- function(x, ...) {
  out <- x
  class(out) <- c("anova", "data.frame")
  print(out)
  invisible(x)
}

#' @export
result_table.kgroups_factor_test <- function(x) {
  data.frame(
    term = attr(x, "row.names"), df = x[["Df"]], dispersion = x[["Dispersion"]], share = x[["Share"]],
    statistic = x[["F"]],
    p.value = x[["Pr(>F)"]]
  )
}
