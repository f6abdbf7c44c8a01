#' Energy tests of all pairs of groups
#'
#' Tests every two groups, or every group against one control, by [energy_test()], with p-values adjusted for
#' the number of tests, in the manner of [stats::pairwise.t.test()].
#'
#' @inheritParams energy_test
#' @param x The observations, as in [energy_statistics()]; or a list of samples; or a formula `values ~ group` with
#'   `data`.
#' @param g The group of each observation, a label of any type.
#' @param p.adjust.method A method of [stats::p.adjust()]. Default `"holm"`.
#' @param against `NULL` for all pairs, or the label of one group: every other group is compared with it.
#' @param data With a formula: a data frame with its variables, in which `weights`, `strata`, `units` and `subset` are
#'   evaluated too.
#' @return An object of class `pairwise.htest`, as of [stats::pairwise.t.test()]: `method`, `data.name`, `p.value` (a
#'   matrix of adjusted p-values) and `p.adjust.method`; and `S`, the statistics in the same form.
#' @section Complexity: That of [energy_test()] for each pair. `R` should exceed the number of pairs divided by the
#'   level: the smallest p-value is 1 / (R + 1) before the adjustment. A message (`kg_message_arrangements`) reports a
#'   smallest possible adjusted p-value above .05: groups of three have 20 arrangements a pair, and p is at least .1.
#' @family energy statistics
#' @concept multiple comparisons
#' @concept post hoc
#' @examples
#' # which feeds differ? All pairs, then each against one
#' set.seed(1)
#' pairwise_energy_test(chickwts$weight, chickwts$feed, R = 999)
#' pairwise_energy_test(chickwts$weight, chickwts$feed, against = "casein", R = 199)
#' @export
pairwise_energy_test <- function(x, g = NULL, p.adjust.method = "holm", against = NULL, semimetric = rho_power(1),
                                 weights = NULL, R = 999, strata = NULL, units = NULL,
                                 unit_weights = c("precision", "rows"), ..., data = NULL, subset = NULL,
                                 threads = getOption("kgroups.threads", 1L)) {
  env <- rlang::current_env()
  check_data(x, env)
  given <- rlang::enquos(weights = weights, strata = strata, units = units, subset = subset)
  p.adjust.method <- check_choice(p.adjust.method, "p.adjust.method", stats::p.adjust.methods)
  unit_weights <- check_choice(unit_weights, "unit_weights", unit_weight_kinds)
  samples <- read_test(env, given, list(...), "pairwise_energy_test")
  test <- test_problem(samples, semimetric, env)
  pairs <- group_pairs(test$groups, against, env)
  means <- if (!is.null(test$units)) unit_means(test$problem, test$units, unit_weights)
  tests <- apply(pairs, 2L, function(pair) pair_test(test, means, pair, samples$R))
  p <- stats::p.adjust(vapply(tests, `[[`, 0, "p.value"), p.adjust.method)
  least <- inform_least_adjusted(tests, p.adjust.method)
  place <- function(values) place_pairs(values, pairs, test$groups, against)
  structure(
    list(
      method = if (is.null(means)) "energy tests" else sprintf("energy tests of %d units", length(means$w)),
      data.name = sub(" by ", " and ", samples$name, fixed = TRUE), p.value = place(p),
      p.adjust.method = p.adjust.method, least = least, S = place(vapply(tests, function(one) one$value[1L], 0))
    ),
    class = c("kgroups_pairwise_test", "kgroups_result", "pairwise.htest")
  )
}

# Two rows: the numbers of the groups of each test.
group_pairs <- function(groups, against, call) {
  k <- length(groups)
  if (is.null(against)) {
    return(utils::combn(k, 2L))
  }
  control <- if (is.atomic(against) && length(against) == 1L) match(as.character(against), groups) else NA
  if (is.na(control)) {
    abort_argument(against, "against", "be one of the labels {quoted(groups)}.", call = call)
  }
  rbind(control, setdiff(seq_len(k), control), deparse.level = 0)
}

# The test of two groups; strata are numbers of units if there are units, else of observations.
pair_test <- function(test, means, pair, R) {
  rows <- which(test$labels %in% pair)
  part <- list(labels = match(test$labels[rows], pair), groups = test$groups[pair])
  own <- rows
  if (!is.null(means)) {
    own <- sort(unique(test$units$code[rows]))
    part$units <- list(code = match(test$units$code[rows], own), names = test$units$names[own])
    means <- list(P = means$P[own, own], w = means$w[own], m = means$m[own], icc = means$icc)
  }
  strata <- lapply(test$strata, function(at) match(at[at %in% own], own))
  if (length(strata)) part$strata <- strata[lengths(strata) > 0L]
  if (!is.null(means)) {
    return(unit_test(means, part, R, "S"))
  }
  problem <- subset_problem(test$problem, rows)
  if (!is_1d_problem(problem)) problem <- cache_pairs(problem)
  permutation_test(problem, part$labels, 2L, part$strata, R, "S")
}

# No data could have lowered an adjusted p-value to .05.
inform_least_adjusted <- function(tests, method) {
  one <- vapply(tests, `[[`, 0, "least")
  least <- min(stats::p.adjust(one, method))
  if (least <= 0.05) {
    return(least)
  }
  at <- which.min(one)
  number <- length(tests[[at]]$value)
  count <- length(tests)
  unit <- if (tests[[at]]$all) "arrangements of the labels" else "permutations"
  bound <- format(least, digits = 2)
  kg_inform(c(
    "No adjusted p-value can be below {bound}: each of {count} test{?s} has at most {number} {unit}.",
    "i" = if (tests[[at]]$all) {
      "Use larger groups, or fewer tests by `against`."
    } else {
      "Use a larger `R`, or fewer tests by `against`."
    }
  ), "arrangements")
  least
}

# The matrix of pairwise.t.test(): a row for each group but the first, a column for each but the last; or one
# column, the control.
place_pairs <- function(values, pairs, groups, against) {
  if (!is.null(against)) {
    return(matrix(values, dimnames = list(groups[pairs[2L, ]], groups[pairs[1L, 1L]])))
  }
  k <- length(groups)
  out <- matrix(NA_real_, k - 1L, k - 1L, dimnames = list(groups[-1L], groups[-k]))
  out[cbind(pairs[2L, ] - 1L, pairs[1L, ])] <- values
  out
}
