#' Test of equal dispersion
#'
#' A permutation test of the hypothesis that groups have the same dispersion, whatever their locations: a
#' one-way analysis of variance of the squared distances of the observations to the mean of their group.
#'
#' [energy_test()] rejects for any difference of distributions. This test shows whether the dispersion is part of it, as
#' `vegan::betadisper()` with `vegan::permutest()` does.
#'
#' @inheritParams energy_test
#' @param x The observations, as in [energy_statistics()], or a formula `values ~ group` with `data`.
#' @param g The group of each observation, a label of any type. Every group must have at least two observations.
#' @return An object of class `htest`: `statistic` (F), `parameter` (the number of permutations), `p.value`, `method`,
#'   `data.name`; and `estimate`, the dispersion of each group (half the mean of rho over its pairs of different
#'   observations, which is the mean of the squared distances), `distances` (squared, of all observations) and `semimetric`.
#' @section Algorithm:
#' The mean of a group is that of the feature space of the semimetric, in which
#' \deqn{d_i^2 = \frac{1}{n_l} \sum_{j \in C_l} \rho(x_i, x_j) - \frac{1}{2 n_l^2} \sum_{j, j' \in C_l} \rho(x_j, x_{j'})}{d_i^2
#' = mean of rho(x_i, x_j) over j in C_l - mean of rho(x_j, x_j') over pairs in C_l / 2}
#' for an observation of group \eqn{C_l}{C_l}. With `rho_power(2)` it is the squared distance to the group's mean itself. It is
#' multiplied by \eqn{n_l/(n_l - 1)}{n_l/(n_l - 1)}, because the mean is nearer to the observations that it is
#' computed from. F is that of the analysis of variance, and the values are permuted among the groups.
#'
#' Squared distances to one mean are dependent: their mean varies \eqn{n_l/(n_l - 1)}{n_l/(n_l - 1)} times as much as that
#' of independent values (exact for normal data in one dimension). The means of the groups are contracted to the overall
#' mean by the root of that factor before F is computed. The level is then near the nominal one from 10 observations a
#' group on; it is not exact. For skewed data in groups of 10 and fewer it is too high:
#' `bench/tests.md` of the sources.
#' @section Complexity: One pass over the pairs, \eqn{O(n^2 d / 2)}{O(n^2 d/2)}, and \eqn{O(n R)}{O(n R)}. One variable with
#'   `rho_power(1)` is sorted: \eqn{O(n \log n + n R)}{O(n log n + n R)}.
#' @references
#' Anderson MJ (2006). "Distance-based tests for homogeneity of multivariate dispersions." *Biometrics*, 62(1), 245-253.
#' \doi{10.1111/j.1541-0420.2005.00440.x}
#' @family energy statistics
#' @concept homogeneity of variance
#' @concept betadisper
#' @examples
#' # insects after six sprays: do the counts vary alike?
#' set.seed(1)
#' dispersion_test(InsectSprays$count, InsectSprays$spray, R = 199)
#' @export
dispersion_test <- function(x, g = NULL, semimetric = rho_power(1), R = 999, ..., data = NULL,
                            threads = getOption("kgroups.threads", 1L)) {
  names <- c(deparse_short(substitute(x)), deparse_short(substitute(g)))
  env <- rlang::current_env()
  check_kind(x, env)
  check_table_dots(..., call = env, topic = "dispersion_test")
  R <- check_count(R, "R", 1, 1e7, call = env)
  use_threads(check_threads(threads, env))
  on.exit(use_threads(1))
  samples <- labelled_samples(x, g, data, env)
  observed <- leave_empty_rows(samples$x, list(labels = samples$labels), list(...))
  points <- sample_points(observed$x, NULL, ..., call = env, topic = "dispersion_test")
  problem <- statistics_problem(points, semimetric, NULL, env)
  labels <- check_groups(observed$labels, problem, "S", env)
  groups <- attr(labels, "levels")
  warn_found_groups(g, problem, labels)
  labels <- as.integer(labels)
  size <- tabulate(labels, length(groups))
  if (min(size) < 2) abort_single_groups(groups[size < 2], env)
  distance <- squared_from_means(problem, labels, size)
  estimate <- sum_by(distance, labels, length(groups)) / size
  # the mean of n values about their own mean varies n/(n - 1) times as much as that of n independent ones
  shrink <- 1 - sqrt((size - 1) / size)
  values <- distance - (shrink * (estimate - mean(distance)))[labels]
  columns <- all_arrangements(labels, NULL, R)
  if (!is.null(columns)) R <- ncol(columns) - 1
  F <- vapply(seq_len(R + 1), function(p) {
    check_interrupt()
    variance_ratio(values, if (!is.null(columns)) columns[, p] else if (p == 1) labels else sample(labels), size)
  }, 0)
  # permutations that attain F up to rounding, as in energy_test()
  attained <- function(value) mean(F >= value * (1 - 1e-12))
  inform_few_arrangements(list(all = !is.null(columns), least = attained(max(F)), value = F))
  structure(
    list(
      statistic = c(F = F[1L]), parameter = c(R = R), p.value = attained(F[1L]),
      estimate = stats::setNames(estimate, paste("dispersion of", groups)),
      method = "Permutation test of equal dispersion (distances to the group's mean)",
      data.name = data_text(names, size, if (inherits(x, "formula")) "whole" else "labels"),
      distances = stats::setNames(distance, problem$names), g = factor(groups[labels], groups), semimetric = problem$semimetric
    ),
    class = c("kgroups_dispersion_test", "kgroups_test", "kgroups_result", "htest")
  )
}

# Return the squared distances to the mean of the own group, in the units of the semimetric, times n/(n - 1).
squared_from_means <- function(problem, labels, size) {
  k <- length(size)
  self <- self_values(problem)
  s <- sum_by(problem$w, labels, k)
  line <- is_1d_problem(problem) && !is_connected(problem$semimetric)
  sums <- if (line) sums_on_line(problem, labels, k) else group_sums(problem, labels, k)
  sums <- sums[cbind(seq_along(labels), labels)]
  # rho = B_ii + B_jj - 2 B_ij, averaged over the group
  mean_rho <- self + (sum_by(problem$w * self, labels, k) / s)[labels] -
    2 * sums / s[labels]
  within <- sum_by(problem$w * mean_rho, labels, k) / s
  squared <- pmax(mean_rho - within[labels] / 2, 0)
  true_units(problem, squared, "pair") * (size / (size - 1))[labels]
}

# F of a one-way analysis of variance.
variance_ratio <- function(values, labels, size) {
  k <- length(size)
  values <- values - mean(values)
  between <- sum(sum_by(values, labels, k)^2 / size)
  total <- sum(values^2)
  # equal distances have no variance within groups
  if (between <= 1e-14 * total) 0 else between / (k - 1) / (max(total - between, 0) / (length(values) - k))
}

abort_single_groups <- function(single, call) {
  abort_input(
    "g", call,
    "Every group must have at least two observations.",
    "{cli::qty(length(single))}Group{?s} {.val {single}} {?has/have} one.",
    "Drop these observations, or join groups."
  )
}
