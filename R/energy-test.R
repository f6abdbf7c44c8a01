#' Test of equal distributions by energy statistics
#'
#' A permutation test of the hypothesis that two or more samples have the same distribution, by the between
#' statistic S or a related one. The samples are points of any dimension, dissimilarities or a Gram matrix.
#' Weights and strata are possible.
#'
#' @inheritParams energy_statistics
#' @param x All observations, as in [energy_statistics()]; or the first of two samples; or a list of
#'   samples, such as `split(data, group)`; or a formula `values ~ group` with `data` (`a + b ~ group` takes two
#'   columns, `. ~ group` all others).
#' @param g The group of each observation, a label of any type, chosen independently of `x`. For clusters
#'   found from the same `x` the type I error is not controlled: a clustering gives a warning (`kg_warning_level`), and
#'   labels that look like a converged clustering give a message (`kg_message_level`). Or a second sample: a table
#'   with the columns of `x`, or a numeric vector that cannot be labels because it has another length, fractions, or more values than a third of its length.
#' @param R The number of random permutations, at least 1. Default 999. If there are no more arrangements
#'   than `R`, each is used once and the p-value is exact.
#' @param strata `NULL`, or one label per observation (of two samples: those of the first, then of the second). Groups are then
#'   permuted within the strata only (blocks, batches, sites).
#' @param statistic One of
#'   * `"S"` (default): the between statistic, DISCO's between component;
#'   * `"F"`: the ratio \eqn{F = \frac{S / (k - 1)}{W / (n - k)}}{F = (S/(k - 1))/(W/(n -
#'     k))} of DISCO, n the number of observations of positive weight. Without weights \eqn{W + S}{W + S} is the same
#'     for all permutations, so F has the p-value of S;
#'   * `"H"`: the normalised energy coefficient \eqn{H = E / (2\, \mathrm{mean}\, \rho(X,
#'     Y))}{H = E/(2 mean rho(X, Y))} of two samples, between 0 and 1 for semimetrics of
#'     negative type; two groups only;
#'   * `"original"`: the multi-sample statistic \eqn{\sum_{i<j} \frac{s_i s_j}{s_i + s_j}
#'     E_{ij}}{sum_{i<j} s_i s_j/(s_i + s_j) E_ij} of Székely and Rizzo (2004). For two groups
#'     it is twice S; for more it is another statistic.
#' @param approx `NULL` (default) for the statistic of all pairs, or [nystroem()] for that of landmark features, in time
#'   linear in n; see Large samples. With statistic `"S"` only.
#' @param data With a formula: a data frame with its variables, in which `weights`, `strata` and `subset` are evaluated too.
#' @param subset With a formula: the rows to use, as a condition on `data`.
#' @return An object of class `htest`: `statistic`, `parameter`
#'   (the number of permutations), `p.value`, `method`, `data.name`; and `permuted`, the values of the statistic
#'   under permutation, `sizes` of the groups and `semimetric`.
#' @section Algorithm:
#' Labels are permuted together with their weights. The p-value \eqn{(b + 1)/(R +
#' 1)}{(b + 1)/(R + 1)} counts the b permutations whose statistic attains the observed one
#' up to rounding (\eqn{10^{-12}}{1e-12} of \eqn{W + S}{W + S}). Under
#' the hypothesis \eqn{P(p \le \alpha) \le \alpha}{P(p <= alpha) <= alpha} for any sample
#' size, semimetric and number of permutations. Weights may depend on the group, as design weights of strata do, but
#' within a group not on the values. Observations of weight 0 take no part. Consistency against all alternatives requires a semimetric of
#' strong negative type; `rho_power(2)` detects differences in mean only.
#'
#' Small groups have few arrangements, and the smallest p-value is one over their number: .1 for three against
#' three. A message (`kg_message_arrangements`) reports a smallest possible p-value above .05.
#' @section Large samples:
#' With `approx = nystroem(128)` S is computed from the features on the landmarks. Each group is divided at random into
#' blocks of equal size and weight, at most some 2000 in all if few observations have a weight of their own, and the
#' blocks are permuted. These permutations are a subgroup of
#' those of the observations, so the level is the same as without landmarks. Before an exact test of more than 20 seconds a message (`kg_message_long`) reports the expected time.
#' @section Complexity:
#' A dissimilarity is computed once for 64 permutations: \eqn{O(n^2 (d/64 + 1) R / 2)}{O(n^2 (d/64
#' + 1) R/2)} for any number of groups, in \eqn{O(n)}{O(n)} memory; up to 2000 observations
#' the pairwise dissimilarities are computed once. No matrix is permuted. One variable with
#' `rho_power(1)` is sorted once: \eqn{O(n \log n + n k R)}{O(n log n + n k R)}, except for `"original"`.
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
#' # several columns by a distance of one's own: the form for distances
#' versicolor <- iris$Species[51:150]
#' energy_test(dist(iris[51:150, 1:4], "manhattan"), versicolor, R = 199, statistic = "H")
#'
#' # two samples of equal means and unequal variance
#' energy_test(rnorm(40), rnorm(40, sd = 3), R = 199)$p.value
#' @export
energy_test <- function(x, g = NULL, semimetric = rho_power(1), weights = NULL, R = 999,
                        strata = NULL, statistic = c("S", "F", "H", "original"), approx = NULL, ..., data = NULL,
                        subset = NULL, threads = getOption("kgroups.threads", 1L)) {
  names <- c(deparse_short(substitute(x)), deparse_short(substitute(g)))
  env <- rlang::current_env()
  check_kind(x, env)
  check_table_dots(..., call = env, topic = "energy_test")
  data <- formula_data(x, g, data, rlang::enquo(subset), env)
  weights <- sample_argument(rlang::enquo(weights), x, data, "weights", env)
  strata <- sample_argument(rlang::enquo(strata), x, data, "strata", env)
  use_threads(check_threads(threads))
  on.exit(use_threads(1))
  statistic <- check_choice(statistic, "statistic", names(statistic_titles))
  R <- check_count(
    R, "R", 1, 1e7,
    hint = "The smallest p-value possible is 1 / (R + 1); 999 permutations are usual."
  )
  if (!is.null(approx)) approx <- check_test_approx(approx, statistic, env)
  samples <- test_samples(x, g, data, env)
  observed <- leave_empty_rows(samples$x, list(labels = samples$labels, weights = weights, strata = strata), list(...))
  weights <- observed$weights
  known <- inform_group_column(observed$x, observed$labels)
  points <- sample_points(observed$x, weights, ..., call = env, topic = "energy_test")
  semimetric <- if (!brings_kernel(points) || is_connected(semimetric)) semimetric
  problem <- if (is.null(approx)) {
    all_pairs_problem(points, semimetric, weights)
  } else {
    landmark_problem(points, semimetric, weights, env)
  }
  labels <- check_groups(observed$labels, problem, statistic)
  groups <- attr(labels, "levels")
  k <- length(groups)
  sizes <- tabulate(labels, k)
  rows <- inside_rows(problem)
  strata <- check_strata(observed$strata, labels, problem$n, rows)
  if (length(rows) < problem$n) problem <- subset_problem(problem, rows)
  labels <- labels[rows]
  if (!is.null(approx)) problem <- even_landmarks(problem, approx, env)
  if (!identical(samples$form, "pair")) warn_found_groups(g, problem, labels, known)
  if (is.null(approx)) {
    if (statistic == "original" || !is_1d_problem(problem)) problem <- cache_pairs(problem)
    inform_long_test(problem, R)
    test <- permutation_test(problem, labels, k, strata, R, statistic)
  } else {
    test <- landmark_test(problem, labels, k, strata, R)
  }
  if (statistic %in% c("S", "original")) check_values_range(test$value, env)
  inform_few_arrangements(test)
  permuted <- test$value[-1L]
  structure(
    list(
      statistic = stats::setNames(test$value[1L], if (statistic == "original") "E" else statistic),
      parameter = c(R = length(permuted)),
      p.value = test$p.value,
      method = test_title(statistic, k, strata, test),
      data.name = data_text(names, sizes, samples$form),
      permuted = permuted,
      sizes = stats::setNames(sizes, groups),
      semimetric = problem$semimetric %||% problem$shown_semimetric
    ),
    class = c("kgroups_energy_test", "kgroups_test", "kgroups_result", "htest")
  )
}

# ---- forms of samples ----

# Return `x`, `labels` and the `form` of the samples.
test_samples <- function(x, g, data, call) {
  if (is_second_sample(g, x)) {
    check_formula_data(data, call)
    inform_sizes(g, NROW(x))
    return(c(bind_samples(list(x = x, y = g), call), form = "pair"))
  }
  out <- group_samples(x, g, data, call)
  inform_numeric_labels(x, g)
  c(out, form = if (is.null(g) || inherits(x, "formula")) "whole" else "labels")
}

# A second sample of whole numbers that sum to the number of observations.
inform_sizes <- function(g, n) {
  if (is.null(dim(g)) && are_sizes(g, n)) {
    kg_inform(
      c(
        "{.arg g} is taken as a second sample of {length(g)} values.",
        "i" = "If they are sizes of groups in {.arg x}, use {.code g = rep(1:{length(g)}, c({sizes_text(g)}))}."
      ),
      "numeric_labels"
    )
  }
}

# Is it a table with the columns of x, or a numeric vector that cannot be labels of a numeric vector x?
is_second_sample <- function(y, x) {
  plain <- is.data.frame(x) || is.matrix(x) || is.numeric(x) && is.null(dim(x)) && !is.object(x)
  if (brings_kernel(x) || !plain) {
    return(FALSE)
  }
  vector <- is.numeric(y) && !is.object(y) && NCOL(y) == 1L && NCOL(x) == 1L
  if (is.data.frame(y) || is.matrix(y) && (NCOL(y) > 1L || vector)) {
    return(TRUE)
  }
  vector && length(y) > 0L && !anyNA(y) &&
    (length(y) != NROW(x) || any(y != round(y)) || too_many_groups(length(unique(y)), length(y)))
}

# Whole numbers can be a second sample or labels. Labels are plain if they are 1..k with three rows each or have two values, unless
# x has no other values.
inform_numeric_labels <- function(x, g) {
  if (!(is.numeric(g) && is.null(dim(g)) && !is.object(g) && NCOL(x) == 1L && is.numeric(x)) || anyNA(g)) {
    return(invisible())
  }
  values <- sort(unique(as.vector(g)))
  k <- length(values)
  numbered <- identical(as.numeric(values), as.numeric(seq_len(k))) && min(tabulate(g, k)) >= min(3, length(g) / k)
  if (k <= 2L || numbered && !all(x %in% values)) {
    return(invisible())
  }
  kg_inform(
    c(
      "The numbers in {.arg g} are taken as labels of {k} groups.",
      "i" = "Use {.code energy_test(list(x, y))} for two samples."
    ),
    "numeric_labels"
  )
}

data_text <- function(names, sizes, form) {
  if (form == "whole") names <- names[1L]
  data <- paste(names, collapse = if (form == "pair") " and " else " by ")
  sprintf("%s, %d groups of sizes %s", data, length(sizes), sizes_text(sizes))
}

statistic_titles <- c(
  S = "between statistic S", F = "DISCO statistic F", H = "energy coefficient H", original = "original statistic"
)

test_title <- function(statistic, k, strata, test) {
  permutations <- if (test$all) "all permutations" else "permutations"
  if (!is.null(test$blocks)) permutations <- sprintf("landmarks, permutations of %d blocks", test$blocks)
  sprintf(
    "%s energy test (%s, %s%s)", if (k == 2L) "Two-sample" else paste0(k, "-sample"), statistic_titles[[statistic]],
    permutations, if (is.null(strata)) "" else " within strata"
  )
}

# ---- checks ----

check_groups <- function(g, problem, statistic, call = rlang::caller_env()) {
  labels <- check_group_labels(g, problem, call)
  groups <- attr(labels, "levels")
  k <- length(groups)
  size <- tabulate(labels[problem$w > 0], k)
  if (k < 2L) {
    abort_input(
      "g", call,
      "{.arg g} must form at least two groups.",
      "All observations have the same label.",
      "Use one label for each sample."
    )
  }
  if (too_many_groups(k, problem$n)) {
    abort_input(
      "g", call,
      "{.arg g} must form at most {max(2, floor(problem$n / 3))} groups of {problem$n} observation{?s}.",
      "You supplied {k} different labels.",
      "Use {.code energy_test(list(x, y))} if they are a second sample, {.fn cut} for groups of a measurement."
    )
  }
  if (any(size == 0)) {
    empty <- encodeString(groups[size == 0][1L], quote = "\"")
    abort_input(
      "g", call,
      "Every group in {.arg g} must have an observation of positive weight.",
      "Group {empty} has none.",
      "Drop the observations of that group."
    )
  }
  if (all(size == 1)) {
    abort_input(
      "g", call,
      "At least one group in {.arg g} must have more than one observation.",
      "You supplied {k} groups of one.",
      "Use larger groups: every permutation of these gives the same statistic."
    )
  }
  if (statistic == "H" && k != 2L) {
    abort_input(
      "statistic", call,
      "{.code statistic = \"H\"} compares two groups.",
      "{.arg g} forms {k}.",
      "Use {.val S}, {.val F} or {.val original} for more than two."
    )
  }
  labels
}

# Return NULL, or the numbers of each stratum among the observations `rows`.
check_strata <- function(strata, labels, n, rows, call = rlang::caller_env()) {
  if (is.null(strata)) {
    return(NULL)
  }
  strata <- check_labels(strata, n, "strata", call = call)[rows]
  labels <- labels[rows]
  free <- vapply(split(as.integer(labels), as.integer(strata)), function(l) any(l != l[1L]), NA)
  if (!any(free)) {
    abort_input(
      "strata", call,
      "Some stratum must hold observations of more than one group.",
      "Within each of the {length(free)} strata all labels are the same.",
      "Leave {.arg strata} out, or use coarser ones: no permutation within these changes a label."
    )
  }
  split(seq_along(rows), as.integer(strata))
}

# Warn of groups that are a clustering. A message reports labels that no move of a single observation improves: they
# may be clusters too; not of groups that are a column of the data (`known`).
warn_found_groups <- function(g, problem, labels, known) {
  if (is_clustering(g)) {
    kg_warn(
      c(
        "The groups are clusters found from data: the test has no level.",
        "x" = "Clusters differ by construction, so the p-value is small even for one distribution.",
        "i" = "Test groups that were fixed beforehand, or cluster one half of the data and test the other half."
      ),
      "level"
    )
  } else if (!known && is_local_optimum(problem, labels)) {
    kg_inform(
      c(
        "The groups may be clusters found from the same data: they fit it as the clusters of a search do.",
        "i" = "If so, p-values are too small: clusters differ by construction. Fixed groups that are far apart also give this message."
      ),
      "level"
    )
  }
}

# Ten or more observations a group: random labels of few are optimal by chance.
is_local_optimum <- function(problem, labels) {
  labels <- as.integer(labels)
  k <- max(labels)
  if (problem$n < 10L * k) {
    return(FALSE)
  }
  if (is_1d_problem(problem) && !is_connected(problem$semimetric)) {
    return(is_line_optimum(problem, labels, k))
  }
  all(descend(problem, k, matrix(labels), new_control(iter.max = 1))$cluster == labels)
}

# The same for points on a line, in O(n log n + n k), by the change of W of every move (R/kgroups.R, Algorithm).
is_line_optimum <- function(problem, labels, k) {
  w <- problem$w
  s <- sum_by(w, labels, k)
  sums <- sums_on_line(problem, labels, k)
  own <- cbind(seq_along(w), labels)
  V <- sum_by(w * sums[own], labels, k)
  d2 <- rep(V / s^2, each = length(w)) - 2 * sums / rep(s, each = length(w))
  s_of <- rep(s, each = length(w))
  come <- w * s_of / (s_of + w) * d2
  come[own] <- Inf
  left <- s[labels] - w
  gone <- ifelse(left > 0 & w > 0, w * s[labels] / left * d2[own], 0)
  !any(row_least(come) < gone - 1e-10 * mean(abs(w * d2[own])))
}

# Sums of w_j B_ij over each group for each point of a line, n x k, B = -|x_i - x_j| / 2. From one value to the next the sum of
# w |x_i - x_j| rises by the gap times 2 c - s, with c the weight of the group up to the gap.
sums_on_line <- function(problem, labels, k) {
  x <- problem$store$x[, 1L]
  order <- order(x)
  gap <- diff(x[order])
  last <- length(x)
  vapply(seq_len(k), function(l) {
    c <- cumsum((problem$w * (labels == l))[order])
    s <- c[last]
    c <- c[-last]
    out <- numeric(last)
    out[order] <- -(sum(gap * (s - c)) + c(0, cumsum(gap * (2 * c - s)))) / 2
    out
  }, numeric(last))
}

# A p-value above .05 that no data could have lowered.
inform_few_arrangements <- function(test) {
  if (!test$all || test$least <= 0.05 || test$least == 1) {
    return(invisible())
  }
  number <- length(test$value)
  least <- format(test$least, digits = 2)
  kg_inform(
    c(
      "The p-value cannot be below {least}: the labels have only {number} arrangement{?s}.",
      "i" = "Use larger groups, or fewer strata."
    ),
    "arrangements"
  )
}

# ---- permutations ----

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

# Return the statistic of the data and of permutations (`value`, in true units), the p-value, whether
# all arrangements were used, and the least p-value that these permit.
permutation_test <- function(problem, labels, k, strata, R, statistic) {
  design <- test_design(labels, problem$w)
  columns <- all_arrangements(design$code, strata, R)
  all <- !is.null(columns)
  if (all) R <- ncol(columns) - 1
  raw <- permutation_statistics(problem, design, k, strata, R, statistic, columns)
  # with equal weights S orders the arrangements as F does; its rounding is that of the total
  ratio <- statistic == "H" || statistic == "F" && !is.null(design$weight)
  order <- if (ratio) raw$value else raw$S
  rounding <- 1e-12 * if (ratio) max(abs(order[is.finite(order)]), 0) else raw$total
  attained <- function(value) mean(order >= value - rounding)
  list(value = raw$value, p.value = attained(order[1L]), all = all, least = attained(max(order)))
}

# All distinct arrangements of the codes within strata as columns, the given one first; NULL if they are more
# than R + 1 or too many to store.
all_arrangements <- function(codes, strata, R) {
  n <- length(codes)
  rows <- strata %||% list(seq_len(n))
  logs <- vapply(rows, function(r) lgamma(length(r) + 1) - sum(lgamma(tabulate(codes[r]) + 1)), 0)
  if (sum(logs) > log(min(R + 1, 2e7 / n)) + 1e-9) {
    return(NULL)
  }
  out <- matrix(0L, n, 1L)
  for (r in rows) {
    part <- arrange_labels(codes[r])
    old <- ncol(out)
    out <- out[, rep(seq_len(old), each = ncol(part)), drop = FALSE]
    out[r, ] <- part[, rep(seq_len(ncol(part)), old)]
  }
  first <- which(colSums(out == codes) == n)
  out[, c(first, seq_len(ncol(out))[-first]), drop = FALSE]
}

# All distinct permutations of a vector, as columns.
arrange_labels <- function(labels) {
  values <- unique(labels)
  if (length(values) == 1L) {
    return(matrix(labels))
  }
  n <- length(labels)
  rest <- arrange_labels(labels[labels != values[1L]])
  places <- utils::combn(n, n - nrow(rest))
  out <- matrix(values[1L], n, ncol(places) * ncol(rest))
  for (j in seq_len(ncol(places))) {
    out[-places[, j], (j - 1L) * ncol(rest) + seq_len(ncol(rest))] <- rest
  }
  out
}

# The statistic of the data and of R permutations: random ones, or the given columns of codes. They are drawn
# in batches of bounded memory; the draws do not depend on the batches.
permutation_statistics <- function(problem, design, k, strata, R, statistic, given = NULL) {
  n <- problem$n
  w <- problem$w
  form <- statistic == "original"
  line <- if (!form && is_1d_problem(problem) && !is_connected(problem$semimetric)) sort_line(problem)
  # own weights permit any centre
  weight <- if (is.null(design$weight)) w else rep(1, n)
  means <- if (is.null(line)) store_product(problem$store, weight) / sum(weight)
  centre <- if (is.null(line)) means - sum(weight * means) / (2 * sum(weight))
  batch <- floor(max(1, min(64, 2^26 / (8 * n), if (form) 2^26 / (8 * k^2) else 64)))
  value <- S <- total <- numeric(R + 1)
  for (done in seq(0, R, by = batch)) {
    at <- done + seq_len(min(batch, R + 1 - done))
    columns <- if (is.null(given)) {
      vapply(at, function(p) if (p == 1) design$code else permute_labels(design$code, strata), integer(n))
    } else {
      given[, at, drop = FALSE]
    }
    sums <- if (is.null(line)) pair_sums(problem, centre, columns, design, statistic) else line_sums(line, columns, design, w)
    S[at] <- sums$S
    total[at] <- sums$total
    value[at] <- if (statistic %in% c("S", "original")) true_units(problem, sums$S) else test_ratio(sums, k, n, statistic)
  }
  list(value = value, S = S, total = total[1L])
}

# F and H from W + S, S and W_l / s_l summed over two groups.
test_ratio <- function(sums, k, n, statistic) {
  S <- sums$S
  if (statistic == "F") {
    W <- sums$total - S
    # rounding of the total
    W <- ifelse(abs(W) <= 1e-14 * abs(sums$total), 0, W)
    return(ifelse(S == 0, 0, (S / (k - 1)) / (W / (n - k))))
  }
  E <- 2 * S * sum(sums$s) / prod(sums$s)
  ifelse(E == 0, 0, E / (E + 2 * sums$within))
}

# Return S (or the statistic of 2004), W + S and, for H, W_1/s_1 + W_2/s_2 of columns of codes, and s of the groups.
pair_sums <- function(problem, centre, columns, design, statistic) {
  raw <- function(which) .Call(ffi_permute, problem, centre, columns, design$label, design$weight, which)
  weight <- design$weight %||% rep(problem$w[1L], length(design$label))
  s <- sum_by(weight[columns[, 1L]], design$label[columns[, 1L]], max(design$label))
  self <- self_values(problem) - 2 * centre
  S <- raw(if (statistic == "original") 1 else 0)
  mass <- matrix(weight[columns], nrow(columns))
  total <- colSums(mass * self)
  if (!is.null(design$weight) && statistic == "F") total <- total - raw(3) / sum(s)
  out <- list(S = S, total = total, s = s)
  if (statistic == "H") out$within <- colSums(mass * self / s[design$label[columns]]) - raw(2)
  out
}

# Points on a line in ascending order, with |x - y|.
sort_line <- function(problem) {
  order <- order(problem$store$x[, 1L])
  list(order = order, gap = diff(problem$store$x[order, 1L]))
}

# As pair_sums(). With the cumulated weights c of a group of total s in ascending order W = sum diff(x) c (s - c)/s.
line_sums <- function(line, columns, design, w) {
  weight <- design$weight %||% rep(w[1L], length(design$label))
  k <- max(design$label)
  dispersion <- function(w) {
    c <- cumsum(w)
    s <- c[length(c)]
    c <- c[-length(c)]
    c(sum(line$gap * c * (s - c)) / s, s)
  }
  found <- apply(columns[line$order, , drop = FALSE], 2L, function(codes) {
    w <- weight[codes]
    labels <- design$label[codes]
    W <- vapply(seq_len(k), function(l) dispersion(w * (labels == l)), c(0, 0))
    total <- dispersion(w)[1L]
    c(total - sum(W[1L, ]), total, sum(W[1L, ] / W[2L, ]), W[2L, ])
  })
  list(S = found[1L, ], total = found[2L, ], within = found[3L, ], s = found[-(1:3), 1L])
}

permute_labels <- function(labels, strata) {
  if (is.null(strata)) {
    return(labels[sample.int(length(labels))])
  }
  for (rows in strata) labels[rows] <- labels[rows[sample.int(length(rows))]]
  labels
}

# ---- landmarks: pairs of label and weight are permuted among blocks of observations ----

# Blocks of all observations, at most about; sums over fewer would leave few arrangements of small groups.
most_blocks <- 2000

# A block holds at most this share of the observations of a group and stratum.
block_share <- 1 / 20

# Features on landmarks that do not depend on the weights, which are permuted.
even_landmarks <- function(problem, approx, call) {
  w <- problem$w
  problem$w[] <- 1
  replace(landmark_features(problem, approx, call), "w", list(w))
}

# As permutation_test(), for S of landmark features.
landmark_test <- function(problem, labels, k, strata, R) {
  design <- test_design(labels, problem$w)
  weight <- design$weight %||% rep(problem$w[1L], length(design$label))
  blocks <- permutation_blocks(design$code, strata)
  sums <- block_sums(problem, blocks)
  s <- sum_by(problem$w, labels, k)
  S <- unlist(lapply(strips(R + 1, blocks$number + k * ncol(sums)), function(turns) {
    check_interrupt()
    codes <- vapply(turns, function(p) if (p == 1) blocks$label else permute_labels(blocks$label, blocks$exchanged), blocks$label)
    permuted_S(codes, design, weight, sums, s)
  }))
  S <- true_units(problem, S)
  attained <- function(value) mean(S >= value - 1e-12 * max(abs(S)))
  list(value = S, p.value = attained(S[1L]), all = FALSE, least = 1 / (R + 1), blocks = blocks$number)
}

# S of the groups that each column of `codes` makes of the blocks.
permuted_S <- function(codes, design, weight, sums, s) {
  k <- length(s)
  group <- design$label[codes] + k * (col(codes) - 1L)
  shares <- Matrix::sparseMatrix(i = group, j = row(codes), x = weight[codes], dims = c(k * ncol(codes), nrow(codes)))
  groups <- as.matrix(shares %*% sums)
  total <- colSums(array(groups, c(k, ncol(codes), ncol(sums))))
  colSums(matrix(rowSums(groups^2), k) / s) - rowSums(matrix(total^2, ncol(codes))) / sum(s)
}

# Random blocks of equal size, each of one code and stratum: `block` of each observation, `label` of each block (its code),
# their `number`, and as `exchanged` the full blocks of each stratum. The rest of a code is a block that stays.
permutation_blocks <- function(labels, strata) {
  n <- length(labels)
  stratum <- integer(n)
  for (i in seq_along(strata)) stratum[strata[[i]]] <- i
  cells <- split(seq_len(n), list(labels, stratum), drop = TRUE)
  size <- max(1, floor(min(n / most_blocks, block_share * min(lengths(cells)))))
  block <- integer(n)
  number <- 0L
  full <- logical()
  for (rows in cells) {
    rows <- rows[sample.int(length(rows))]
    own <- (seq_along(rows) - 1L) %/% size + 1L
    block[rows] <- number + own
    number <- number + max(own)
    full <- c(full, tabulate(own) == size)
  }
  first <- match(seq_len(number), block)
  list(
    block = block, label = labels[first], number = number,
    exchanged = unname(split(which(full), stratum[first][full]))
  )
}

# Sums of the features over the blocks, in strips of bounded memory.
block_sums <- function(problem, blocks) {
  store <- problem$store
  width <- width_of_features(store)
  sums <- matrix(0, blocks$number, width)
  for (rows in strips(problem$n, width)) {
    check_interrupt()
    z <- t(take_features(store$z, store$n, rows, doubles = TRUE))
    part <- rowsum(z, blocks$block[rows], reorder = FALSE)
    at <- as.integer(rownames(part))
    sums[at, ] <- sums[at, ] + part
  }
  sums
}

check_test_approx <- function(approx, statistic, call) {
  approx <- check_unpolished(check_approx(approx, call), call)
  if (statistic == "S") {
    return(approx)
  }
  abort_input(
    "statistic", call,
    "{.arg approx} goes with {.code statistic = \"S\"}.",
    "You supplied {.val {statistic}}.",
    "F has the p-value of S."
  )
}

# Seconds per pair, 64 columns and permutation: the last rows of bench/tests.R print it.
test_rate <- 4e-10

inform_long_test <- function(problem, R) {
  sorted <- is_1d_problem(problem)
  work <- if (sorted) 0 else problem$n^2 / 2 * R * (1 + store_work(problem$store) / 64)
  inform_long(work * test_rate, fill_templates("{.code approx = nystroem()} takes time linear in n."))
}
