#' Test of equal dispersion
#'
#' A permutation test of the hypothesis that groups have the same dispersion, whatever their locations: a
#' one-way analysis of variance of the distances of the observations to the spatial median of their group.
#'
#' [energy_test()] rejects for any difference of distributions. This test shows whether the dispersion is part of it, as
#' `vegan::betadisper()` with `vegan::permutest()` does.
#'
#' @inheritParams energy_test
#' @param x The observations, as in [energy_statistics()]; or a list of samples; or a formula `values ~ group` with
#'   `data`.
#' @param g The group of each observation, a label of any type. Every group must have at least two observations.
#' @param data With a formula: a data frame with its variables, in which `strata`, `units` and `subset` are evaluated
#'   too.
#' @return An object of class `htest`: `statistic` (F), `parameter` (the number of permutations), `p.value`, `method`,
#'   `data.name`; and `estimate`, which describes each group by another statistic than the test: half the mean of rho
#'   over its pairs of different observations (with `rho_power(2)` the sum of the variances of the columns), `distances`
#'   (those compared, of all observations or units) and `semimetric`.
#' @section Algorithm:
#' Distances are those of the feature space of the semimetric, in which \eqn{\rho}{rho} is the squared distance. Its
#' spatial median of a group \eqn{C_l}{C_l} has weights \eqn{a_j}{a_j} of sum 1, and the distance of observation i to it
#' is \eqn{d_i}{d_i}:
#' \deqn{d_i^2 = \sum_{j \in C_l} a_j \rho(x_i, x_j) - \frac{1}{2} \sum_{j, j' \in C_l} a_j a_{j'} \rho(x_j,
#' x_{j'})}{d_i^2 = sum of a_j rho(x_i, x_j) over j in C_l - sum of a_j a_j' rho(x_j, x_j') over pairs in C_l / 2} The
#' weights minimise the sum of the distances of the group; from equal weights, which define the mean, each pass sets
#' them proportional to \eqn{1/d_j}{1/d_j} (Weiszfeld). Distances are multiplied by the root of
#' \eqn{n_l/(n_l - 1)}{n_l/(n_l - 1)}, because the median is nearer to the observations that it is computed from. F is
#' that of the analysis of variance of the distances, and they are permuted among the groups. With one variable and
#' `rho_power(2)` this is the test of Brown and Forsythe by permutations.
#'
#' With `units` the means of these distances over whole units are compared, with weights by their precision, and labels
#' are permuted among units. A difference within units and one between units both count.
#'
#' The level is approximate, because the medians are estimated, and lower than the nominal one in
#' groups of 5.
#' @section Complexity: Some 5 to 50 passes over the pairs, each \eqn{O(n^2 d / 2)}{O(n^2 d/2)}, and
#'   \eqn{O(n R)}{O(n R)}. With one variable and `rho_power(1)` a pass takes \eqn{O(n \log n)}{O(n log n)}.
#' @references
#' Anderson MJ (2006). "Distance-based tests for homogeneity of multivariate dispersions." *Biometrics*, 62(1), 245-253.
#' \doi{10.1111/j.1541-0420.2005.00440.x}
#'
#' Brown MB, Forsythe AB (1974). "Robust tests for the equality of variances." *Journal of the American Statistical
#' Association*, 69(346), 364-367. \doi{10.1080/01621459.1974.10482955}
#' @family energy statistics
#' @concept homogeneity of variance
#' @concept betadisper
#' @examples
#' # insects after six sprays: do the counts vary alike?
#' set.seed(1)
#' dispersion_test(InsectSprays$count, InsectSprays$spray, R = 199)
#' @export
dispersion_test <- function(x, g = NULL, semimetric = rho_power(1), R = 999, strata = NULL, units = NULL, ...,
                            data = NULL, subset = NULL, threads = getOption("kgroups.threads", 1L)) {
  env <- rlang::current_env()
  check_data(x, env)
  given <- rlang::enquos(strata = strata, units = units, subset = subset)
  samples <- read_test(env, given, list(...), "dispersion_test")
  test <- test_problem(samples, semimetric, env, statistics_problem)
  problem <- test$problem
  groups <- test$groups
  labels <- test$labels
  size <- unname(test$sizes)
  if (min(size) < 2) abort_single_groups(groups[size < 2], env)
  found <- distances_to_medians(problem, labels, size)
  compared <- if (is.null(test$units)) {
    list(values = found$distance * sqrt(size / (size - 1))[labels], labels = labels, w = NULL)
  } else {
    distances_of_units(problem, test, found$distance)
  }
  ratio <- permuted_ratio(compared, test$strata, samples$R)
  inform_few_arrangements(ratio)
  shown <- "Permutation test of equal dispersion (distances to the group's spatial median%s)"
  structure(
    list(
      statistic = c(F = ratio$value[1L]), parameter = c(R = length(ratio$value) - 1), p.value = ratio$p.value,
      estimate = stats::setNames(found$dispersion, paste("dispersion of", groups)),
      method = sprintf(
        shown, if (is.null(test$units)) "" else sprintf(", means of %d units", length(test$units$names))
      ),
      data.name = samples_text(samples, test$sizes),
      distances = stats::setNames(compared$values, test$units$names %||% problem$names),
      g = factor(groups[compared$labels], groups), semimetric = problem$semimetric
    ),
    class = c("kgroups_dispersion_test", "kgroups_test", "kgroups_result", "htest")
  )
}

# F of the values under permutations of the labels, with permutation_p() of them.
permuted_ratio <- function(compared, strata, R) {
  labellings <- permuted_labels(compared$labels, strata, R)
  F <- vapply(seq_len(labellings$number), function(turn) {
    check_interrupt()
    variance_ratio(compared$values, labellings$columns(turn)[, 1L], compared$w)
  }, 0)
  c(list(value = F), permutation_p(F, labellings))
}

# Mean distances of whole units, which weigh by their precision. The median is nearer to the rows that it is computed
# from: by the number of independent rows in a group, fewer than the rows if units differ.
distances_of_units <- function(problem, test, distance) {
  code <- test$units$code
  U <- length(test$units$names)
  means <- unit_means(problem, test$units)
  labels <- test$labels[match(seq_len(U), code)]
  icc <- means$icc %||% 1
  if (is.na(icc)) icc <- 1
  units_of <- sum_by(rep(1, U), labels, length(test$groups))
  rows_of <- sum_by(1 / means$m, labels, length(test$groups)) / units_of
  independent <- units_of / (icc + (1 - icc) * rows_of)
  values <- sum_by(distance, code, U) / means$m * sqrt(independent / pmax(independent - 1, 0.5))[labels]
  # variance of a unit's mean distance: between units and within
  squared <- sum_by(distance^2, code, U) / means$m - (sum_by(distance, code, U) / means$m)^2
  P <- outer(values, values, "-")^2 + outer(pmax(squared, 0), pmax(squared, 0), "+")
  list(values = values, labels = labels, w = precision_weights(P, means$m)$w)
}

median_passes <- 50L

# Return list(distance, dispersion): distances to the spatial median of the own group in the feature space, and the
# dispersion of the groups, half the mean of rho over pairs of different observations.
distances_to_medians <- function(problem, labels, size) {
  line <- is_line_problem(problem)
  if (!line) problem <- cache_pairs(problem, median_passes)
  k <- length(size)
  self <- self_values(problem)
  at <- cbind(seq_along(labels), labels)
  squared_for <- function(weights) {
    problem$w <- weights
    sums <- if (line) sums_on_line(problem, labels, k) else group_sums(problem, labels, k)
    # rho = B_ii + B_jj - 2 B_ij, averaged over the group
    rho <- self + (sum_by(weights * self, labels, k) / size)[labels] - 2 * sums[at] / size[labels]
    pmax(rho - (sum_by(weights * rho, labels, k) / size)[labels] / 2, 0)
  }
  squared <- squared_for(rep(1, problem$n))
  dispersion <- sum_by(squared, labels, k) / (size - 1)
  # observations at the median keep finite weights
  least <- 1e-8 * (sum_by(squared, labels, k) / size)[labels] + .Machine$double.xmin
  total <- Inf
  for (pass in seq_len(median_passes)) {
    distance <- sqrt(squared + least)
    if (sum(distance) >= total * (1 - 1e-10)) break
    total <- sum(distance)
    weights <- min(distance) / distance
    squared <- squared_for(weights * (size / sum_by(weights, labels, k))[labels])
  }
  list(distance = sqrt(true_units(problem, squared, "pair")), dispersion = true_units(problem, dispersion, "pair"))
}

# F of a one-way analysis of variance, with weights.
variance_ratio <- function(values, labels, w = NULL) {
  if (is.null(w)) w <- rep(1, length(values))
  k <- max(labels)
  values <- values - sum(w * values) / sum(w)
  between <- sum(sum_by(w * values, labels, k)^2 / sum_by(w, labels, k))
  total <- sum(w * values^2)
  # equal distances have no variance within groups
  if (between <= 1e-14 * total) 0 else between / (k - 1) / (max(total - between, 0) / (length(values) - k))
}

abort_single_groups <- function(single, call) {
  abort_input(
    "g", call, "Every group must have at least two observations.",
    "{cli::qty(length(single))}Group{?s} {quoted(single)} {?has/have} one.",
    "Drop these observations, or join groups."
  )
}
