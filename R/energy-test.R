#' Test of equal distributions by energy statistics
#'
#' A permutation test of the hypothesis that two or more samples have the same distribution, by the between
#' statistic S or a related one. The samples are points of any dimension, dissimilarities or a Gram matrix.
#' Weights and strata are possible.
#'
#' @inheritParams energy_statistics
#' @param x All observations, as in [energy_statistics()]; or the first of two samples; or a list of
#'   samples, such as `split(data, group)`; or a formula `values ~ group` with `data` (`. ~ group` takes all
#'   other columns).
#' @param g The group of each observation, a label of any type, chosen independently of `x`. For clusters
#'   found from the same `x` the type I error is not controlled, and a fit gives a warning. Or a second sample: a table with the columns of `x`, or a numeric vector that
#'   cannot be labels because it has another length, fractions, or more values than a third of its length.
#' @param R The number of random permutations, at least 1. Default 999. If there are no more arrangements
#'   than `R`, each is used once and the p-value is exact.
#' @param strata `NULL`, or one label per observation: labels are then permuted within the
#'   strata only (blocks, batches, sites).
#' @param statistic One of
#'   * `"S"` (default): the between statistic (16), DISCO's between component;
#'   * `"F"`: the ratio \eqn{F = \frac{S / (k - 1)}{W / (n - k)}}{F = (S/(k - 1))/(W/(n -
#'     k))} of DISCO, n the number of observations of positive weight. \eqn{W + S}{W + S} does not
#'     depend on the labels, so F increases with S and its p-value is that of S;
#'   * `"H"`: the normalised energy coefficient \eqn{H = E / (2\, \mathrm{mean}\, \rho(X,
#'     Y))}{H = E/(2 mean rho(X, Y))} of two samples, between 0 and 1 for semimetrics of
#'     negative type; two groups only;
#'   * `"original"`: the multi-sample statistic \eqn{\sum_{i<j} \frac{s_i s_j}{s_i + s_j}
#'     E_{ij}}{sum_{i<j} s_i s_j/(s_i + s_j) E_ij} of Szekely and Rizzo (2004). For two groups
#'     it is twice S; for more it is another statistic.
#' @param approx `NULL` (default) for the statistic of all pairs, or [nystroem()] for that of landmark features, in time
#'   linear in n; see Large samples. With statistic `"S"` only.
#' @param data With a formula: a data frame with its variables.
#' @return An object of class `htest`: `statistic`, `parameter`
#'   (the number of permutations), `p.value`, `method`, `data.name`; and `permuted`, the values of the statistic
#'   under permutation, `sizes` of the groups and `semimetric`.
#' @section Algorithm:
#' Labels are permuted, weights stay with their observations. The p-value \eqn{(b + 1)/(R +
#' 1)}{(b + 1)/(R + 1)} counts the b permutations whose statistic attains the observed one
#' up to rounding (\eqn{10^{-12}}{1e-12} of \eqn{W + S}{W + S}). Under
#' the hypothesis \eqn{P(p \le \alpha) \le \alpha}{P(p <= alpha) <= alpha} for any sample
#' size, semimetric and number of permutations. Consistency against all alternatives requires a semimetric of
#' strong negative type; `rho_power(2)` detects differences in mean only.
#'
#' Small groups have few arrangements, and the smallest p-value is one over their number: .1 for three against
#' three. A message (`kg_message_arrangements`) reports a smallest possible p-value above .05.
#'
#' Level and power on simulated data are in `bench/tests.md` of the sources.
#' @section Large samples:
#' With `approx = nystroem(128)` S is computed from the features on the landmarks. Each group is divided at random into
#' blocks of equal size, at most some 2000 in all, and labels of blocks are permuted. These permutations are a subgroup of
#' those of the observations, so the level is the same as without landmarks. Before an exact test of more than 20 seconds a message (`kg_message_long`) reports the expected time.
#' @section Complexity:
#' A dissimilarity is computed once for 64 permutations: \eqn{O(n^2 (d/64 + 1) R / 2)}{O(n^2 (d/64
#' + 1) R/2)} for any number of groups, in \eqn{O(n)}{O(n)} memory; up to 2000 observations
#' the pairwise dissimilarities are computed once. No matrix is permuted. One variable with
#' `rho_power(1)` is sorted once: \eqn{O(n \log n + n k R)}{O(n log n + n k R)}, except for `"original"`.
#' @section Errors: `kg_error_g` for fewer than two groups, for more than a third of the observations, and if
#'   every group has one observation, because no permutation changes S.
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
#' @concept two-sample test
#' @concept permutation test
#' @concept PERMANOVA
#' @examples
#' set.seed(1)
#' energy_test(iris[1:4], iris$Species, R = 199)
#' energy_test(. ~ Species, data = iris, R = 199)
#' energy_test(dist(iris[1:100, 1:4]), iris$Species[1:100], R = 199, statistic = "H")
#' # two samples of equal means and unequal variance
#' energy_test(rnorm(40), rnorm(40, sd = 3), R = 199)$p.value
#' @export
energy_test <- function(x, g = NULL, semimetric = rho_power(1), weights = NULL, R = 999,
                        strata = NULL, statistic = c("S", "F", "H", "original"), approx = NULL, ..., data = NULL,
                        threads = getOption("kgroups.threads", 1L)) {
  names <- c(deparse_short(substitute(x)), deparse_short(substitute(g)))
  env <- rlang::current_env()
  check_kind(x, env)
  use_threads(check_threads(threads))
  on.exit(use_threads(1))
  statistic <- check_choice(statistic, "statistic", names(statistic_titles))
  R <- check_count(
    R, "R", 1, 1e7,
    hint = "The smallest p-value possible is 1 / (R + 1); 999 permutations are usual."
  )
  if (!is.null(approx)) approx <- check_test_approx(approx, statistic, env)
  samples <- test_samples(x, g, data, env)
  points <- sample_points(samples$x, weights, ..., call = env, topic = "energy_test")
  semimetric <- if (!brings_kernel(points) || is_connected(semimetric)) semimetric
  problem <- if (is.null(approx)) {
    all_pairs_problem(points, semimetric, weights)
  } else {
    landmark_features(landmark_problem(points, semimetric, weights, env), approx, env)
  }
  labels <- check_groups(samples$labels, problem, statistic)
  strata <- check_strata(strata, labels, problem$n)
  warn_no_level(g)
  k <- length(attr(labels, "levels"))
  if (is.null(approx)) {
    if (statistic == "original" || !is_1d_problem(problem)) problem <- cache_pairs(problem)
    inform_long_test(problem, R)
    test <- permutation_test(problem, as.integer(labels), k, strata, R, statistic)
  } else {
    test <- landmark_test(problem, as.integer(labels), k, strata, R)
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
      data.name = data_text(names, labels, k, samples$form),
      permuted = permuted,
      sizes = stats::setNames(tabulate(labels, k), attr(labels, "levels")),
      semimetric = problem$semimetric %||% problem$shown_semimetric
    ),
    class = c("kgroups_energy_test", "htest")
  )
}

# ---- forms of samples ----

# Return `x`, `labels` and the `form` of the samples.
test_samples <- function(x, g, data, call) {
  if (is_second_sample(g, x)) {
    check_formula_data(data, call)
    return(c(bind_samples(list(x = x, y = g), call), form = "pair"))
  }
  out <- group_samples(x, g, data, call)
  inform_numeric_labels(x, g)
  c(out, form = if (is.null(g)) "whole" else "labels")
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

too_many_groups <- function(k, n) k > max(2, n / 3)

# Counts can be a second sample or labels. Only labels 1..k and labels of two values are plain.
inform_numeric_labels <- function(x, g) {
  if (!(is.numeric(g) && is.null(dim(g)) && !is.object(g) && NCOL(x) == 1L && is.numeric(x))) {
    return(invisible())
  }
  values <- sort(unique(as.vector(g)))
  k <- length(values)
  if (k <= 2L || anyNA(g) || identical(as.numeric(values), as.numeric(seq_len(k)))) {
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

data_text <- function(names, labels, k, form) {
  if (form == "whole") names <- names[1L]
  data <- paste(names, collapse = if (form == "pair") " and " else " by ")
  sprintf("%s, %d groups of sizes %s", data, k, sizes_text(tabulate(labels, k)))
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

check_strata <- function(strata, labels, n, call = rlang::caller_env()) {
  if (is.null(strata)) {
    return(NULL)
  }
  strata <- check_labels(strata, n, "strata", call = call)
  free <- vapply(split(as.integer(labels), as.integer(strata)), function(l) any(l != l[1L]), NA)
  if (!any(free)) {
    abort_input(
      "strata", call,
      "Some stratum must hold observations of more than one group.",
      "Within each of the {length(free)} strata all labels are the same.",
      "Leave {.arg strata} out, or use coarser ones: no permutation within these changes a label."
    )
  }
  split(seq_len(n), as.integer(strata))
}

warn_no_level <- function(g) {
  if (inherits(g, "kgroups")) {
    kg_warn(
      c(
        "The groups are clusters found from data: the test has no level.",
        "x" = "Clusters differ by construction, so the p-value is small even for one distribution.",
        "i" = "Test groups that were fixed beforehand, or cluster one half of the data and test the other half."
      ),
      "level"
    )
  }
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

# Return the statistic of the labels and of their permutations (`value`, in true units), the p-value, whether
# all arrangements were used, and the least p-value that these permit.
permutation_test <- function(problem, labels, k, strata, R, statistic) {
  columns <- all_arrangements(labels, k, strata, R)
  all <- !is.null(columns)
  if (all) R <- ncol(columns) - 1
  raw <- permutation_statistics(problem, labels, k, strata, R, statistic, columns)
  # S orders the arrangements as F does; its rounding is that of the total
  order <- if (statistic == "H") raw$value else raw$S
  rounding <- 1e-12 * if (statistic == "H") 1 else raw$total
  attained <- function(value) mean(order >= value - rounding)
  list(value = raw$value, p.value = attained(order[1L]), all = all, least = attained(max(order)))
}

# All distinct arrangements of the labels within strata as columns, the given one first; NULL if they are more
# than R + 1 or too many to store.
all_arrangements <- function(labels, k, strata, R) {
  n <- length(labels)
  rows <- strata %||% list(seq_len(n))
  logs <- vapply(rows, function(r) lgamma(length(r) + 1) - sum(lgamma(tabulate(labels[r], k) + 1)), 0)
  if (sum(logs) > log(min(R + 1, 2e7 / n)) + 1e-9) {
    return(NULL)
  }
  out <- matrix(0L, n, 1L)
  for (r in rows) {
    part <- arrange_labels(labels[r])
    old <- ncol(out)
    out <- out[, rep(seq_len(old), each = ncol(part)), drop = FALSE]
    out[r, ] <- part[, rep(seq_len(ncol(part)), old)]
  }
  first <- which(colSums(out == labels) == n)
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

# The statistic of the labels and of R permutations: random ones, or the given columns. Labels are drawn
# in batches of bounded memory; the draws do not depend on the batches.
permutation_statistics <- function(problem, labels, k, strata, R, statistic, given = NULL) {
  n <- problem$n
  w <- problem$w
  s <- sum(w)
  form <- as.numeric(statistic == "original")
  line <- if (!form && is_1d_problem(problem) && !is_connected(problem$semimetric)) sort_line(problem)
  means <- (line$product %||% store_product(problem$store, w)) / s
  centre <- means - sum(w * means) / (2 * s)
  batch <- floor(max(1, min(64, 2^26 / (8 * n), if (form) 2^26 / (8 * k^2) else 64)))
  value <- S <- numeric(R + 1)
  for (done in seq(0, R, by = batch)) {
    at <- done + seq_len(min(batch, R + 1 - done))
    columns <- if (is.null(given)) {
      vapply(at, function(p) if (p == 1) labels else permute_labels(labels, strata), integer(n))
    } else {
      given[, at, drop = FALSE]
    }
    S[at] <- if (is.null(line)) permuted_sums(problem, centre, columns, k, form) else line_sums(line, columns, k)
    value[at] <- finish_statistic(S[at], columns, problem, centre, k, statistic)
  }
  list(value = value, S = S, total = sum(abs(w * (self_values(problem) - 2 * centre))))
}

# Points on a line in ascending order, with |x - y|: with the cumulated weights c of a group of total s in this
# order, W = sum diff(x) c (s - c) / s. `product` is B w.
sort_line <- function(problem) {
  order <- order(problem$store$x[, 1L])
  gap <- diff(problem$store$x[order, 1L])
  w <- problem$w[order]
  c <- cumsum(w)[-length(w)]
  s <- sum(w)
  # sum of w_j |x_i - x_j| at the smallest x, then its steps
  first <- sum(gap * (s - c))
  product <- numeric(problem$n)
  product[order] <- -(first + c(0, cumsum(gap * (2 * c - s)))) / 2
  list(order = order, gap = gap, w = w, total = sum(gap * c * (s - c)) / s, product = product)
}

# S of columns of labels.
line_sums <- function(line, columns, k) {
  apply(columns, 2L, function(labels) {
    labels <- labels[line$order]
    W <- vapply(seq_len(k), function(l) {
      c <- cumsum(line$w * (labels == l))
      s <- c[length(c)]
      if (s > 0) sum(line$gap * c[-length(c)] * (s - c[-length(c)])) / s else 0
    }, 0)
    line$total - sum(W)
  })
}

permute_labels <- function(labels, strata) {
  if (is.null(strata)) {
    return(labels[sample.int(length(labels))])
  }
  for (rows in strata) labels[rows] <- labels[rows[sample.int(length(rows))]]
  labels
}

# The requested statistic from S in internal units.
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

# ---- landmarks: labels of blocks of observations are permuted ----

# Blocks of all observations, at most about; sums over fewer would leave few arrangements of small groups.
most_blocks <- 2000

# A block holds at most this share of the observations of a group and stratum.
block_share <- 1 / 20

# As permutation_test(), for S of landmark features.
landmark_test <- function(problem, labels, k, strata, R) {
  blocks <- permutation_blocks(labels, strata)
  sums <- block_sums(problem, blocks)
  s <- sum_by(problem$w, blocks$block, blocks$number)
  S <- vapply(seq_len(R + 1), function(p) {
    l <- if (p == 1) blocks$label else permute_labels(blocks$label, blocks$exchanged)
    weight <- sum_by(s, l, k)
    sum(sum_by(sums, l, k)^2 / pmax(weight, .Machine$double.xmin))
  }, 0)
  S <- true_units(problem, S - sum(colSums(sums)^2) / sum(s))
  attained <- function(value) mean(S >= value - 1e-12 * max(abs(S)))
  list(value = S, p.value = attained(S[1L]), all = FALSE, least = 1 / (R + 1), blocks = blocks$number)
}

# Random blocks of equal size within each group and stratum: `block` of each observation, `label` of each block, their
# `number`, and as `exchanged` the full blocks of each stratum. The rest of a group is a block that stays.
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

# Weighted sums of the features over the blocks, in strips of bounded memory.
block_sums <- function(problem, blocks) {
  store <- problem$store
  width <- width_of_features(store)
  sums <- matrix(0, blocks$number, width)
  for (rows in strips(problem$n, width)) {
    check_interrupt()
    z <- t(take_features(store$z, store$n, rows, doubles = TRUE))
    part <- rowsum(problem$w[rows] * z, blocks$block[rows], reorder = FALSE)
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
