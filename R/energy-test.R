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
#' @param g The group of each observation, a label of any type, chosen independently of `x`. Two samples are `list(x,
#'   y)`. For clusters found from the same `x` the type I error is not controlled: a clustering gives a warning
#'   (`kg_warning_level`), and labels that look like a converged clustering give a message (`kg_message_level`).
#' @param R The number of random permutations, at least 1. Default 999. If there are no more arrangements
#'   than `R`, each is used once and the p-value is exact.
#' @param strata `NULL`, or one label per observation (of two samples: those of the first, then of the second). Groups
#'   are then permuted within the strata only (blocks, batches, sites). Strata do not replace `units`: if the rows of a
#'   patient or plot have one group, permuting rows within times rejects in most data sets without a difference.
#' @param units `NULL`, or the unit of each observation: the patient, plot or site that has one group and several rows.
#'   Labels are then permuted among whole units. Groups (and strata) must be constant in a unit.
#' @param unit_weights With `units`, the weight of a unit of m rows:
#'   * `"precision"` (default): the inverse of the estimated variance of its mean in feature space, between those of
#'   the next two;
#'   * `"rows"`: m; `"equal"`: 1.
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
#' @param data With a formula: a data frame with its variables, in which `weights`, `strata`, `units` and `subset` are
#'   evaluated too; they may also stand outside it.
#' @param subset With a formula: the rows to use, as a condition on `data`.
#' @return An object of class `htest`: `statistic`, `parameter` (the number of permutations), `p.value`, `method`,
#'   `data.name`; and `permuted`, the values of the statistic under permutation, `sizes` of the groups, `least.p`, the
#'   least p-value possible, `semimetric`, and with `units` a list `units` of their `weight`, `rows` and `icc`, the
#'   share of the variance between units.
#' @section Algorithm:
#' Labels are permuted together with their weights. The p-value \eqn{(b + 1)/(R + 1)}{(b + 1)/(R + 1)} counts the b
#' permutations whose statistic attains the observed one up to rounding (\eqn{10^{-12}}{1e-12} of \eqn{W + S}{W + S}).
#' Under the hypothesis \eqn{P(p \le \alpha) \le \alpha}{P(p <= alpha) <= alpha} for any sample size, semimetric and
#' number of permutations. Weights may depend on the group, as design weights of strata do, but within a group not on
#' the values. Observations of weight 0 take no part. Consistency against all alternatives requires a semimetric of
#' strong negative type; `rho_power(2)` detects differences in mean only.
#'
#' Small groups have few arrangements, and the smallest p-value is one over their number: .1 for three against
#' three. A message (`kg_message_arrangements`) reports a smallest possible p-value above .05.
#' @section Units:
#' All follows from the matrix P of mean dissimilarities between units, with the weights w of the units:
#' \deqn{S = \sum_l \frac{z_l' A z_l}{w' z_l} - \frac{1' A 1}{1' w}, \qquad A_{uv} = - \frac{w_u w_v
#' P_{uv}}{2}}{S = sum_l z_l'A z_l / w'z_l - 1'A1 / 1'w, A_uv = -w_u w_v P_uv / 2} with \eqn{z_l}{z_l} the indicator of
#' the units of group l. The weights of `"precision"` are \eqn{1/(\sigma_b^2 + \sigma^2/m_u)}{1/(s_b^2 + s^2/m_u)} with
#' the variances between and within units in feature space, estimated by the moments of an analysis of variance without
#' the groups. So the test is exact for exchangeable units, of any sizes. With `weights` m is
#' \eqn{(\sum w)^2 / \sum w^2}{(sum w)^2 / sum w^2} of the rows of the unit. Two groups of u units each have choose(2u,
#' u) / 2 different arrangements: p is at least .1 for 3 and 3 units, .029 for 4 and 4.
#' @section Two factors:
#' `energy_test(y ~ a * b, data)` and `y ~ a + b` return a table as [anova()] does: the dispersion of each term,
#' \eqn{tr((H_1 - H_0) G)}{tr((H_1 - H_0) G)} with G the centred matrix \eqn{-\rho/2}{-rho/2} and H the projections of
#' both models, its share of the total, F and p. Main effects are those given the other factor. Their labels are
#' permuted within the levels of the other: exact if the factor has no effect, whatever the other does. With
#' `rho_power(2)` dispersions and F are those of an analysis of variance, and of `vegan::adonis2()` of Euclidean
#' distances.
#'
#' With another power of a distance two plain shifts are an interaction in the feature space, where the hypothesis is
#' additive distribution functions. So rows are aligned before F and p of `a:b`: residuals of the additive model in the
#' space of the distance, by least squares with cells weighted by the inverse of their dispersion; their distances to
#' the power alpha; signs of the residuals are flipped at random. This test is approximate: its level was .02 to .07 in
#' simulations at .05 (`bench/designs.md`), also of Bray-Curtis and Manhattan dissimilarities, of which negative squared
#' distances of the residuals count as 0. Effects must be additive in the dissimilarities: shifts under the maximum
#' distance, or two factors that multiply the counts of the same species under Bray-Curtis, are an interaction there, as
#' for `vegan::adonis2()`. Kernels are taken as they are.
#'
#' With `units` a factor that is constant in them is permuted among whole units, another one within units, for which the
#' rows of a unit must be independent given the unit: a trend or autocorrelation in time makes its p too small.
#' @section Large samples:
#' With `approx = nystroem(128)` S is computed from the features on the landmarks. Each group is divided at random into
#' blocks of equal size and weight, at most some 2000 in all if few observations have a weight of their own, and the
#' blocks are permuted. These permutations are a subgroup of
#' those of the observations, so the level is the same as without landmarks. Before an exact test of more than 20
#' seconds a message (`kg_message_long`) reports the expected time.
#' @section Complexity:
#' A dissimilarity is computed once for m permutations, m = 64 or more of few observations: \eqn{O(n^2 (d/m + 1) R /
#' 2)}{O(n^2 (d/m + 1) R/2)} for any number of groups, in \eqn{O(n)}{O(n)} memory; up to 2000 observations
#' the pairwise dissimilarities are computed once. No matrix is permuted. One variable with
#' `rho_power(1)` is sorted once: \eqn{O(n \log n + n R)}{O(n log n + n R)}, except for `"original"`. U
#' units take one pass over the pairs and \eqn{O(U^2 R)}{O(U^2 R)}.
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
#' energy_test(list(rnorm(40), rnorm(40, sd = 3)), R = 199)$p.value
#'
#' # chicks are weighed twelve times: labels are permuted among chicks
#' energy_test(weight ~ Diet, ChickWeight, units = Chick, R = 199)
#'
#' # two factors
#' energy_test(len ~ supp * factor(dose), ToothGrowth, R = 99)
#' @export
energy_test <- function(x, g = NULL, semimetric = rho_power(1), weights = NULL, R = 999,
                        strata = NULL, statistic = c("S", "F", "H", "original"), units = NULL,
                        unit_weights = c("precision", "rows", "equal"), approx = NULL, ..., data = NULL,
                        subset = NULL, threads = getOption("kgroups.threads", 1L)) {
  names <- c(deparse_short(substitute(x)), deparse_short(substitute(g)))
  env <- rlang::current_env()
  check_data(x, env)
  given <- rlang::enquos(weights = weights, strata = strata, units = units, subset = subset)
  local_threads(check_threads(threads))
  statistic <- check_choice(statistic, "statistic", names(statistic_titles))
  unit_weights <- check_choice(unit_weights, "unit_weights", unit_weight_kinds)
  R <- check_count(R, "R", 1, 1e7, hint = "The smallest p-value possible is 1 / (R + 1); 999 permutations are usual.")
  samples <- read_samples(x, g, data, given, list(...), env, "energy_test")
  if (!is.null(samples$factors)) {
    check_factor_arguments(samples, statistic, approx, env)
    return(factor_test(samples, semimetric, R, data_text(names, NULL, "formula"), env))
  }
  if (!is.null(approx)) approx <- check_test_approx(approx, statistic, samples$units, env)
  make <- if (is.null(approx)) all_pairs_problem else landmark_problem
  test <- test_problem(samples, semimetric, env, make, statistic)
  problem <- test$problem
  if (!is.null(approx)) problem <- even_landmarks(problem, approx, env)
  warn_found_groups(g, problem, test$labels, samples$known)
  k <- length(test$groups)
  found <- if (!is.null(test$units)) {
    unit_test(unit_means(problem, test$units, unit_weights), test, R, statistic)
  } else if (!is.null(approx)) {
    landmark_test(problem, test$labels, k, test$strata, R)
  } else {
    if (statistic == "original" || !is_1d_problem(problem)) problem <- cache_pairs(problem)
    inform_long_test(problem, R)
    permutation_test(problem, test$labels, k, test$strata, R, statistic)
  }
  if (statistic %in% c("S", "original")) check_values_range(found$value, env)
  inform_few_arrangements(found)
  permuted <- found$value[-1L]
  structure(
    list(
      statistic = stats::setNames(found$value[1L], if (statistic == "original") "E" else statistic),
      parameter = c(R = length(permuted)),
      p.value = found$p.value,
      method = test_title(statistic, test, found),
      data.name = data_text(names, test$sizes, samples$form),
      permuted = permuted,
      sizes = test$sizes,
      units = found$units,
      least.p = if (found$all) found$least else 1 / (R + 1),
      semimetric = problem$semimetric %||% problem$shown_semimetric
    ),
    class = c("kgroups_energy_test", "kgroups_test", "kgroups_result", "htest")
  )
}

data_text <- function(names, sizes, form) {
  data <- paste(if (form == "labels") names else names[1L], collapse = " by ")
  if (is.null(sizes)) data else sprintf("%s, %d groups of sizes %s", data, length(sizes), sizes_text(sizes))
}

statistic_titles <- c(
  S = "between statistic S", F = "DISCO statistic F", H = "energy coefficient H", original = "original statistic"
)

test_title <- function(statistic, test, found) {
  permutations <- if (found$all) "all permutations" else "permutations"
  if (!is.null(found$blocks)) permutations <- sprintf("landmarks, permutations of %d blocks", found$blocks)
  if (!is.null(test$units)) permutations <- sprintf("%s of %d units", permutations, length(test$units$names))
  k <- length(test$groups)
  sprintf(
    "%s energy test (%s, %s%s)", if (k == 2L) "Two-sample" else paste0(k, "-sample"), statistic_titles[[statistic]],
    permutations, if (is.null(test$strata)) "" else " within strata"
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
  batch <- floor(max(1, min(max(64, 2^21 / n), 2^23 / n, if (form) c(64, 2^23 / k^2))))
  value <- S <- total <- numeric(R + 1)
  for (done in seq(0, R, by = batch)) {
    at <- done + seq_len(min(batch, R + 1 - done))
    columns <- if (is.null(given)) {
      vapply(at, function(p) if (p == 1) design$code else permute_labels(design$code, strata), integer(n))
    } else {
      given[, at, drop = FALSE]
    }
    sums <- if (is.null(line)) {
      pair_sums(problem, centre, columns, design, statistic)
    } else {
      line_sums(line, columns, design, w[1L])
    }
    S[at] <- sums$S
    total[at] <- sums$total
    value[at] <- if (statistic %in% c("S", "original")) {
      true_units(problem, sums$S)
    } else {
      test_ratio(sums, k, n, statistic)
    }
  }
  list(value = value, S = S, total = total[1L])
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
    codes <- vapply(
      turns, function(p) if (p == 1) blocks$label else permute_labels(blocks$label, blocks$exchanged), blocks$label
    )
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

# Random blocks of equal size, each of one code and stratum: `block` of each observation, `label` of each block (its
# code), their `number`, and as `exchanged` the full blocks of each stratum. The rest of a code is a block that stays.
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

check_test_approx <- function(approx, statistic, units, call) {
  approx <- check_unpolished(check_approx(approx, "approx", call), call)
  if (!is.null(units)) {
    abort_input(
      "units", call, "`units` goes without `approx`.", "You supplied both.",
      "A test of units takes one pass over the pairs, whatever `R`."
    )
  }
  if (statistic == "S") {
    return(approx)
  }
  abort_input(
    "statistic", call, "`approx` goes with `statistic = \"S\"`.",
    "You supplied {quoted(statistic)}.",
    "F has the p-value of S."
  )
}

# Seconds per pair, 64 columns and permutation: the last rows of bench/tests.R print it.
test_rate <- 4e-10

inform_long_test <- function(problem, R) {
  sorted <- is_1d_problem(problem)
  work <- if (sorted) 0 else problem$n^2 / 2 * R * (1 + store_work(problem$store) / 64)
  inform_long(work * test_rate, "`approx = nystroem()` takes time linear in n.")
}
