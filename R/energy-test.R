#' Test of equal distributions by energy statistics
#'
#' Do the observations of all groups come from one distribution? A permutation test by the
#' between statistic S of the given groups, or by one of its relatives: groups of any
#' number, in any dimension, from data, dissimilarities or a Gram matrix, with weights and
#' with permutations restricted to strata.
#'
#' @inheritParams energy_statistics
#' @param cluster One label per observation, of any type: the groups to compare, chosen
#'   without looking at `x`. Clusters found from the same `x` are no such groups: the test
#'   then has no level, and a fit given here is warned about.
#' @param R The number of random permutations, at least 1. Default 999.
#' @param strata `NULL`, or one label per observation: labels are then permuted within the
#'   strata only (blocks, batches, sites).
#' @param statistic One of
#'   * `"S"` (default): the between statistic (16), DISCO's between component;
#'   * `"F"`: the ratio \eqn{F = \frac{S / (k - 1)}{W / (n - k)}}{F = (S/(k - 1))/(W/(n -
#'     k))}, n the number of observations of positive weight. \eqn{W + S}{W + S} does not
#'     depend on the labels, so F rises with S and its p-value is that of S;
#'   * `"H"`: the normalised energy coefficient \eqn{H = E / (2\, \mathrm{mean}\, \rho(X,
#'     Y))}{H = E/(2 mean rho(X, Y))} of two samples, between 0 and 1 for semimetrics of
#'     negative type; two groups only;
#'   * `"original"`: the multi-sample statistic \eqn{\sum_{i<j} \frac{s_i s_j}{s_i + s_j}
#'     E_{ij}}{sum_{i<j} s_i s_j/(s_i + s_j) E_ij} of Szekely and Rizzo (2004). For two groups
#'     it is twice S; for more it is another statistic.
#' @param ... `column_weights`, `standardize` and `missing`, which say how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @return An object of class `htest`, printed as R's tests are: `statistic`, `parameter`
#'   (R), `p.value`, `method`, `data.name`; and `permuted`, the R values of the statistic
#'   under permutation, `sizes` of the groups and `semimetric`.
#' @section Algorithm:
#' Labels are permuted, weights stay with their observations. The p-value \eqn{(b + 1)/(R +
#' 1)}{(b + 1)/(R + 1)} counts the b permutations whose statistic reaches the observed one
#' up to rounding (\eqn{10^{-12}}{1e-12} of it); the observed arrangement counts once. Under
#' the hypothesis \eqn{P(p \le \alpha) \le \alpha}{P(p <= alpha) <= alpha} for any sample
#' size, semimetric and number of permutations. That needs no semimetric of negative type;
#' power against every alternative does, and `rho_power(2)` sees differences in mean only.
#'
#' Level and power on simulated data are in `bench/energy-test.md` of the sources.
#'
#' Groups of a single observation are allowed. If every group has one, no permutation
#' changes S, and the call is refused.
#' @section Complexity:
#' A pair value is computed once for 64 permutations: \eqn{O(n^2 (d/64 + 1) R / 2)}{O(n^2 (d/64
#' + 1) R/2)} whatever the number of groups, in \eqn{O(n)}{O(n)} memory; up to 2000 observations
#' the pair values are computed once. No matrix is permuted.
#' @section Errors: `kg_error_cluster` for fewer than two groups, groups of one observation
#'   only or a group without weight, `kg_error_R`, `kg_error_strata`, `kg_error_statistic`,
#'   `kg_error_range` (S above the range of doubles: rescale the data),
#'   and those of [energy_statistics()].
#' @references
#' Szekely GJ, Rizzo ML (2004). "Testing for Equal Distributions in High Dimension."
#' *InterStat*, November (5).
#'
#' Rizzo ML, Szekely GJ (2010). "DISCO analysis: A nonparametric extension of analysis of
#' variance." *The Annals of Applied Statistics*, 4(2), 1034-1055. \doi{10.1214/09-AOAS245}
#'
#' Phipson B, Smyth GK (2010). "Permutation P-values Should Never Be Zero." *Statistical
#' Applications in Genetics and Molecular Biology*, 9(1), 39. \doi{10.2202/1544-6115.1585}
#' @family energy statistics
#' @examples
#' set.seed(1)
#' energy_test(iris[1:4], iris$Species, R = 199)
#' energy_test(dist(iris[1:100, 1:4]), iris$Species[1:100], R = 199, statistic = "H")
#' # equal means, unequal spread
#' energy_test(c(rnorm(40), rnorm(40, sd = 3)), rep(1:2, each = 40), R = 199)$p.value
#' @export
energy_test <- function(x, cluster, semimetric = rho_power(1), weights = NULL, R = 999,
                        strata = NULL, statistic = c("S", "F", "H", "original"), ...,
                        threads = getOption("kgroups.threads", 1L)) {
  names <- c(deparse_short(substitute(x)), deparse_short(substitute(cluster)))
  check_kind(x, rlang::current_env())
  check_given(cluster, "cluster")
  x <- preprocess_dots(x, weights, ..., call = rlang::current_env(), topic = "energy_test")
  use_threads(check_threads(threads))
  on.exit(use_threads(1))
  statistic <- check_choice(statistic, "statistic", c("S", "F", "H", "original"))
  R <- check_count(
    R, "R", 1, 1e7,
    hint = "The smallest p-value possible is 1 / (R + 1); 999 will do for most purposes."
  )
  problem <- all_pairs_problem(x, if (!brings_kernel(x) || is_connected(semimetric)) semimetric, weights)
  labels <- check_groups(cluster, problem, statistic)
  strata <- check_strata(strata, labels, problem$n)
  warn_no_level(cluster)

  problem <- cache_pairs(problem)
  k <- length(attr(labels, "levels"))
  value <- permutation_statistics(problem, as.integer(labels), k, strata, R, statistic)
  # the two that have the unit of the data
  if (statistic %in% c("S", "original")) check_values_range(value, rlang::current_env())
  observed <- value[1L]
  permuted <- value[-1L]
  reached <- sum(permuted >= observed - 1e-12 * abs(observed))
  structure(
    list(
      statistic = stats::setNames(observed, statistic_names[[statistic]]),
      parameter = c(R = R),
      p.value = (reached + 1) / (R + 1),
      method = test_title(statistic, k, strata),
      data.name = sprintf(
        "%s by %s, %d groups of sizes %s", names[1L], names[2L], k,
        sizes_text(tabulate(labels, k))
      ),
      permuted = permuted,
      sizes = stats::setNames(tabulate(labels, k), attr(labels, "levels")),
      semimetric = problem$semimetric
    ),
    class = c("kgroups_energy_test", "htest")
  )
}

statistic_names <- c(S = "S", F = "F", H = "H", original = "E")

test_title <- function(statistic, k, strata) {
  what <- switch(statistic,
    S = "between statistic S",
    F = "DISCO statistic F",
    H = "energy coefficient H",
    original = "original statistic"
  )
  paste0(
    if (k == 2L) "Two-sample" else paste0(k, "-sample"), " energy test (", what, ", ",
    if (is.null(strata)) "permutations)" else "permutations within strata)"
  )
}

check_groups <- function(cluster, problem, statistic, call = rlang::caller_env()) {
  if (is.data.frame(cluster) || is.matrix(cluster) && ncol(cluster) > 1L) {
    came <- describe(cluster)
    kg_abort(
      c(
        "{.arg cluster} must give one label for each of the {problem$n} observation{?s}.",
        "x" = "You supplied {came}.",
        "i" = "Of two samples x and y: {.code energy_test(rbind(x, y), rep(1:2, c(nrow(x), nrow(y))))}."
      ),
      "cluster",
      call = call
    )
  }
  labels <- check_labels(cluster, problem$n, call = call, names = problem$names)
  groups <- attr(labels, "levels")
  k <- length(groups)
  size <- tabulate(labels[problem$w > 0], k)
  if (k < 2L) {
    kg_abort(
      c(
        "{.arg cluster} must form at least two groups.",
        "x" = "All observations have the same label.",
        "i" = "Give each observation the label of the sample it belongs to."
      ),
      "cluster",
      call = call
    )
  }
  if (any(size == 0)) {
    empty <- encodeString(groups[size == 0][1L], quote = "\"")
    kg_abort(
      c(
        "Every group in {.arg cluster} must have an observation of positive weight.",
        "x" = "Group {empty} has none.",
        "i" = "Drop the observations of that group."
      ),
      "cluster",
      call = call
    )
  }
  if (all(size == 1)) {
    kg_abort(
      c(
        "At least one group in {.arg cluster} must have more than one observation.",
        "x" = "You supplied {k} groups of one.",
        "i" = "Every permutation of such groups gives the same statistic."
      ),
      "cluster",
      call = call
    )
  }
  if (statistic == "H" && k != 2L) {
    kg_abort(
      c(
        "{.code statistic = \"H\"} compares two groups.",
        "x" = "{.arg cluster} forms {k}.",
        "i" = "Use {.val S}, {.val F} or {.val original} for more than two."
      ),
      "statistic",
      call = call
    )
  }
  labels
}

check_strata <- function(strata, labels, n, call = rlang::caller_env()) {
  if (is.null(strata)) {
    return(NULL)
  }
  strata <- check_labels(strata, n, "strata", call = call)
  free <- vapply(split(as.integer(labels), as.integer(strata)), function(l) any(l != l[1L]), NA)
  if (!any(free)) {
    kg_abort(
      c(
        "Some stratum must hold observations of more than one group.",
        "x" = "Within each of the {length(free)} strata all labels are the same.",
        "i" = "No permutation within {.arg strata} changes anything: leave it out, or coarsen it."
      ),
      "strata",
      call = call
    )
  }
  split(seq_len(n), as.integer(strata))
}

warn_no_level <- function(cluster) {
  if (inherits(cluster, "kgroups")) {
    kg_warn(
      c(
        "The groups are clusters found from data: the test has no level.",
        "x" = "Clusters differ by construction, so the p-value is small even where there is one distribution.",
        "i" = "Test groups that were fixed beforehand, or cluster one half of the data and test on the other."
      ),
      "level"
    )
  }
}

# The statistic of the labels and of R permutations of them, in true units. Labels are
# drawn in batches, so that memory stays bounded; the draws do not depend on the batches.
permutation_statistics <- function(problem, labels, k, strata, R, statistic) {
  n <- problem$n
  w <- problem$w
  s <- sum(w)
  means <- store_product(problem$store, w) / s
  centre <- means - sum(w * means) / (2 * s)
  form <- as.numeric(statistic == "original")
  batch <- max(1, min(64, 2^26 / (8 * n), if (form) 2^26 / (8 * k^2) else 64))
  batch <- floor(batch)
  value <- numeric(R + 1)
  done <- 0
  while (done < R + 1) {
    m <- min(batch, R + 1 - done)
    columns <- vapply(seq_len(m), function(p) {
      if (done + p == 1) labels else permute_labels(labels, strata)
    }, integer(n))
    raw <- permuted_sums(problem, centre, columns, k, form)
    value[done + seq_len(m)] <- finish_statistic(raw, columns, problem, centre, k, statistic)
    done <- done + m
  }
  value
}

permute_labels <- function(labels, strata) {
  if (is.null(strata)) {
    return(labels[sample.int(length(labels))])
  }
  for (rows in strata) labels[rows] <- labels[rows[sample.int(length(rows))]]
  labels
}

# From S in internal units to the statistic asked for.
finish_statistic <- function(S, columns, problem, centre, k, statistic) {
  if (statistic %in% c("S", "original")) {
    return(true_units(problem, S))
  }
  w <- problem$w
  self <- w * (self_values(problem) - 2 * centre)
  if (statistic == "F") {
    n <- sum(w > 0)
    W <- sum(self) - S
    # rounding of the total
    W <- ifelse(abs(W) <= 1e-14 * abs(sum(self)), 0, W)
    return(ifelse(S == 0, 0, (S / (k - 1)) / (W / (n - k))))
  }
  # Two groups of centred values: M_11 = M_22 = -M_12.
  one <- columns == 1L
  dim(one) <- c(problem$n, length(S))
  s1 <- as.vector(w %*% one)
  s2 <- as.vector(w %*% !one)
  E <- 2 * S * (1 / s1 + 1 / s2)
  across <- as.vector(self %*% one) / s1 + as.vector(self %*% !one) / s2 + 2 * S / (s1 + s2)
  # a permutation may leave only weights of 0 to a group
  ifelse(s1 == 0 | s2 == 0 | E == 0, 0, E / (2 * across))
}
