# Test of one unimodal distribution: two groups of one half define a direction, and the dip statistic tests the other
# half along it. In a tree the same test is applied to each split from the root down.

cluster_test_defaults <- list(
  splits = 5L, # random divisions into halves, by default
  rows = 2000L, # the most rows of a half that define the direction, and the most that are tested without coordinates
  reference = 2000L, # uniform samples of the dip statistic, and their largest size
  least = 20L # observations of a node of a tree that is tested
)

#' Test of one cluster
#'
#' Tests the hypothesis of one unimodal distribution against several clusters by the dip statistic of split samples.
#' With a tree it tests its splits from the top.
#'
#' @inheritParams energy_statistics
#' @param x The observations: a matrix or data frame of numbers, a `dist` object of Euclidean distances or a Gram
#'   matrix; or a fit, whose data are tested in its semimetric. Categories are refused, because a level is a mode by
#'   itself. At least 10 observations.
#' @param tree `NULL`, or a tree of the same observations by [kgroups_tree()] (or by [stats::hclust()], with a leaf
#'   for each): its splits are tested from the top.
#' @param splits The number of random divisions into halves. Default 5.
#' @param alpha With a tree: the familywise level. A split is tested only if all splits above it are significant.
#' @return An object of class `htest` with `statistic` (the median over the splits of the larger dip of both halves),
#'   `p.value`, and `p.splits`, one value for each split. `projected` has one half of the observations along the
#'   direction of the other, in the split whose p-value is nearest to their median.
#'
#'   With a tree a data frame with a row for each tested split, from the top: `node` (row of `tree$merge`), `height`,
#'   `left` and `right` (observations of both branches), `p.value` (adjusted) and `significant`.
#' @section Algorithm:
#' Direction and dip are computed from disjoint halves. [select_k()] reports the p-value beside its choice.
#'
#' 1. The observations are divided at random into halves A and B.
#' 2. [kgroups()] finds two groups in A. The direction is \eqn{S^{-1}(m_1 - m_2)}{S^-1 (m_1 - m_2)}: the difference of
#'    their means and their within-group covariance S, with its diagonal times \eqn{1 + d/n_A}{1 + d/n_A}.
#' 3. The dip statistic of B along this direction is compared with that of 2000 uniform samples of the same size.
#' 4. A kernel density of A along the direction gives three adjacent windows: a mode, the valley and the other mode. For
#'    every unimodal density the mean density on the middle window is at least the smaller of those on the outer ones.
#'    So the larger of two binomial p-values of the counts of B is valid, whatever windows A chose.
#' 5. The same with A and B exchanged. The p-values of both dips, at most 1/2, are combined by the sum of their normal
#'    scores, and those of both valleys too. Twice the smaller of both gives p, and the result is the median of p over
#'    the splits.
#'
#' B is independent of direction and windows, so each p-value of a half satisfies
#' \eqn{P(p \le \alpha) \le \alpha}{P(p <= alpha) <= alpha} for every distribution whose projections on lines are
#' unimodal: normal, t, log-concave and many others. The two halves of a split are not independent; the level of the
#' combination was measured. Shares of 500 samples of one cloud (100 rows) and of clusters (200 rows) with p at
#' most .05, distances in standard deviations:
#'
#' | sample | share |
#' |---|---|
#' | one cloud: uniform on a line | .016 |
#' | one cloud: uniform square, cube, disc | .006, .006, .000 |
#' | one cloud: normal, t, exponential, lognormal | .000 |
#' | two normals in the plane, 3, 4, 5 apart | .07, .97, 1.00 |
#' | two normals in 10 dimensions, 4, 5 apart | .84, 1.00 |
#' | two normals of sizes 170 and 30, 5, 6 apart | .27, .70 |
#' | three normals in a row, 4 apart | .70 |
#'
#' Values of rounded columns are distributed evenly over their rounding unit. Dissimilarities are represented by their
#' principal coordinates. If at least half of the rows equal another, normal noise is added, its standard deviation half
#' of the least distance of two different rows. Otherwise a rounded column shows as modes: pass the table itself
#' (`bench/cluster-test.md`). In a tree the p-value of a split with m of n observations is multiplied by n/m
#' (Meinshausen 2008). The branches are chosen by the same data: planes cut a log-concave cloud into log-concave
#' ones, but for other clouds the level below the first split is approximate.
#' @section Clusters that overlap:
#' The test finds clusters that are separated by a valley of the density. A large p-value does not show that there is
#' one cluster: clusters that overlap have no valley. `mclust::mclustBootstrapLRT()` tests one normal distribution
#' against two; it also rejects one cluster with another shape.
#' @section Metric: A valley of the columns as given, of scaled columns and of a learned metric are three hypotheses,
#'   and their p-values can differ much for the same rows. Pass the fit to test in its metric; [select_k()] tests in the
#'   metric of its call.
#' @section Where it fails: Clusters that differ in scale alone, and clusters that overlap (two standard deviations
#'   apart) are not detected. Clusters of unequal size (85 and 15 percent) must be 6 standard deviations apart. Many
#'   small clusters in a row are rarely detected: ten of 8 values each, 100 apart with standard deviation 6, in .03. A
#'   ring is one cluster, but the test rejects it, because its projections have two modes.
#' @section Complexity: Two searches of two clusters for each split, on at most 2000 rows, and
#'   \eqn{O(n d)}{O(n d)} for projections; \eqn{O(n^2)}{O(n^2)} memory for dissimilarities.
#' @references
#' Hartigan JA, Hartigan PM (1985). "The Dip Test of Unimodality." *Annals of Statistics*, 13(1), 70-84.
#' \doi{10.1214/aos/1176346577}
#'
#' Meinshausen N (2008). "Hierarchical testing of variable importance." *Biometrika*, 95(2), 265-278.
#' \doi{10.1093/biomet/asn007}
#' @family choices
#' @concept unimodality
#' @concept dip test
#' @concept number of clusters
#' @examples
#' # eruptions of a geyser, short and long: one cluster is rejected
#' set.seed(1)
#' cluster_test(scale(faithful))
#'
#' # uniform points: it is not
#' cluster_test(matrix(runif(400), 200))
#'
#' # the same for every division of a tree
#' cluster_test(scale(faithful), tree = kgroups_tree(scale(faithful)))
#' @export
cluster_test <- function(x, semimetric = rho_power(1), tree = NULL, splits = 5, alpha = 0.05, ...,
                         threads = getOption("kgroups.threads", 1L)) {
  name <- deparse_short(substitute(x))
  env <- rlang::current_env()
  learned <- FALSE
  check_given(x, "x", env)
  if (inherits(x, c("kgroups_tree", "hclust"))) {
    abort_test_input("You supplied a tree, which does not hold the data.", env, "Use `cluster_test(x, tree = tree)`.")
  }
  if (inherits(x, "kgroups_fit")) {
    if (missing(semimetric) && !is.null(x$semimetric)) semimetric <- x$semimetric
    learned <- inherits(x, "kgroups_metric_fit")
    x <- fit_test_data(x, env)
  }
  check_data(x, env)
  if (igraph::is_igraph(x)) {
    abort_test_input("You supplied a graph.", env, "Use `count_communities()` or `cluster_communities()`.")
  }
  if (inherits(x, c("sparseMatrix", "simple_triplet_matrix"))) {
    abort_test_input(paste0("You supplied ", value_text(x), "."), env, "Use `cluster_test(as.matrix(x))`.")
  }
  x <- read_data(x, ..., context = list(call = env, topic = "cluster_test"))$points
  splits <- check_count(splits, "splits", 1, 1000, call = env)
  alpha <- check_number(alpha, "alpha", 0, 1, call = env)
  local_threads(check_threads(threads, call = env))
  semimetric <- check_selected_semimetric(if (!missing(semimetric)) semimetric, x, env)
  problem <- selection_problem(x, semimetric, NULL, selection_control(list(threads = threads), env), env)
  if (has_categories(problem)) {
    abort_test_input("It has categories.", env, "Leave such columns out; `select_k()` takes them.")
  }
  if (problem$n < 10L) abort_test_input("It has fewer than 10 observations.", env)
  if (!is.null(tree)) {
    return(test_splits(problem, check_test_tree(tree, problem$n, env), splits, alpha, halves_control(learned)))
  }
  test <- test_one_cluster(problem, splits, halves_control(learned))
  structure(
    list(
      statistic = c(dip = test$dip), parameter = c(splits = splits), p.value = test$p.value,
      method = "Split-sample dip test of one unimodal distribution", data.name = name,
      alternative = "several clusters", p.splits = test$p.splits, projected = test$projected
    ),
    class = c("kgroups_cluster_test", "kgroups_test", "kgroups_result", "htest")
  )
}

# Return p of the test for a problem, as select_k() reports it; NA where it is not tested.
one_cluster_p <- function(problem, control = new_control()) {
  if (is.null(untested(problem, control))) {
    test_one_cluster(problem, cluster_test_defaults$splits, control)$p.value
  } else {
    NA_real_
  }
}

# Why one cluster is not tested; NULL if it is. Rows in groups are not independent, and all observations define gaps.
untested <- function(problem, control) {
  why <- c(
    weights = min(problem$w) != max(problem$w), categories = has_categories(problem),
    "rows in groups" = !is.null(control$together), gaps = is_connected(problem$semimetric),
    "few rows" = problem$n < 10L,
    "no matrix of distances" = !uses_all_pairs(problem) ||
      is.null(problem$points) && is.null(problem$distances) && !is.null(problem$semimetric)
  )
  if (any(why)) names(which.max(why))
}

# ---- one cloud ----

# The test of a problem: list(dip, p.value, p.splits). Dissimilarities and Gram matrices above `rows` are tested on a
# sample.
test_one_cluster <- function(problem, splits, control = halves_control(), rows = cluster_test_defaults$rows) {
  if (is.null(problem$points)) problem <- sampled_problem(problem, draw_sample(problem, rows))
  dip_test_halves(
    problem, jitter_rounded(test_coordinates(problem)), splits, dip_reference(), halves_control(control$metric)
  )
}

# Two groups of each half, in a metric that it learns itself, so that the other half stays independent of it.
halves_control <- function(learned = FALSE) new_control(2L, metric = learned)

# Return list(p) or list(untested), the reason, for a fit: the test of one cluster on at most 1000 rows, the same at
# each call. NULL for one cluster and for graphs.
one_cluster_of <- function(fit) {
  if (fit$k == 1L || !has_distances(fit) || is.null(fit$kept$problem)) {
    return(NULL)
  }
  problem <- kept_data(fit, NULL)$problem
  rows <- setdiff(thinned_rows(fit$cluster, 1000L), which(is_noise(fit)))
  points <- if (is_learned(fit) && !has_categories(problem)) fit_test_data(fit, NULL) else problem$points
  part <- if (is.null(points)) sampled_problem(selection_part(problem), rows) else as_problem(
    points[rows, , drop = FALSE], fit$semimetric, problem$w[rows]
  )
  part$blueprint <- problem$blueprint
  why <- untested(part, fit$kept$control)
  if (is.null(why)) {
    list(p = kept_stream({
      set_stream(half_stream)
      test_one_cluster(part, 3L, halves_control(is_learned(fit)))
    })$p.value)
  } else {
    list(untested = why)
  }
}

# Return list(dip, p.value, p.splits, projected): for each split the dips and the valleys of both halves, each combined
# by normal scores, and twice the smaller of both; then the median over the splits.
dip_test_halves <- function(problem, z, splits, reference, control = new_control(2L)) {
  n <- problem$n
  projected <- vector("list", splits)
  tests <- vapply(seq_len(splits), function(split) {
    a <- sort(sample.int(n, n %/% 2L))
    b <- seq_len(n)[-a]
    first <- test_half(problem, z, a, b, reference, control)
    projected[[split]] <<- attr(first, "values")
    cbind(first, test_half(problem, z, b, a, reference, control), deparse.level = 0)
  }, matrix(0, 3L, 2L))
  combined <- apply(tests[-1L, , , drop = FALSE], c(1L, 3L), normal_scores)
  p <- pmin(1, 2 * apply(combined, 2L, min))
  dip <- apply(tests[1L, , , drop = FALSE], 3L, max)
  middle <- which.min(abs(p - stats::median(p)))
  list(dip = stats::median(dip), p.value = stats::median(p), p.splits = p, projected = projected[[middle]])
}

# Combine p-values of at most 1/2 by the sum of their normal scores.
normal_scores <- function(p) stats::pnorm(sum(stats::qnorm(pmin(pmax(p, 1e-12), 0.5))) / sqrt(length(p)))

# Return c(dip, p of the dip, p of the valley) of the rows `test` along the direction of the two groups of the rows
# `find`, with their places along it as the attribute `values`.
test_half <- function(problem, z, find, test, reference, control) {
  rows <- draw_rows(find, cluster_test_defaults$rows)
  groups <- solve_problem(subset_problem(problem, rows), control)$cluster
  direction <- group_direction(z[rows, , drop = FALSE], groups)
  values <- sort(drop(z[test, , drop = FALSE] %*% direction))
  dip <- .Call(ffi_dip, values)
  windows <- valley_windows(sort(drop(z[find, , drop = FALSE] %*% direction)))
  out <- c(dip, reference(dip, length(values)), if (is.null(windows)) 0.5 else valley_p(values, windows))
  structure(out, values = values)
}

# ---- valleys ----

# Return the four limits of three adjacent windows, a valley of a kernel density of the sorted values between two modes:
# each ends where the density is midway between the valley and the lower mode. NULL without a valley; the largest count
# decides.
valley_windows <- function(values) {
  n <- length(values)
  scale <- min(stats::sd(values), stats::IQR(values) / 1.349)
  if (!isTRUE(scale > 0)) scale <- stats::sd(values)
  if (!isTRUE(scale > 0)) {
    return(NULL)
  }
  density <- stats::density(values, bw = 0.72 * scale * n^-0.2, n = 512, from = values[1L], to = values[n])
  y <- density$y
  last <- length(y)
  rises <- diff(y) > 0
  left_top <- cummax(y)
  right_top <- rev(cummax(rev(y)))
  found <- NULL
  most <- 0
  for (low in which(!rises[-(last - 1L)] & rises[-1L]) + 1L) {
    level <- (y[low] + min(left_top[low], right_top[low])) / 2
    above <- y >= level
    a <- max(which(above[seq_len(low)]), 1L)
    b <- min(which(above[low:last]) + low - 1L, last)
    l <- max(which(!above[seq_len(a)]), 0L) + 1L
    r <- min(which(!above[b:last]) + b - 1L, last + 1L) - 1L
    if (l >= a || r <= b) next
    limits <- density$x[c(l, a, b, r)]
    score <- min(valley_scores(window_counts(values, limits), diff(limits)))
    if (score > most) {
      most <- score
      found <- limits
    }
  }
  found
}

window_counts <- function(values, limits) diff(findInterval(limits, values, left.open = TRUE))

# Standardised deficits of the middle window beside each outer one.
valley_scores <- function(count, width) {
  vapply(c(1L, 3L), function(side) {
    m <- count[side] + count[2L]
    share <- width[2L] / (width[2L] + width[side])
    if (m == 0) 0 else (m * share - count[2L]) / sqrt(m * share * (1 - share))
  }, 0)
}

# A unimodal density has at least the smaller mean of both outer windows on the middle one: the larger binomial p-value.
valley_p <- function(values, limits) {
  count <- window_counts(values, limits)
  width <- diff(limits)
  max(vapply(c(1L, 3L), function(side) {
    stats::pbinom(count[2L], count[2L] + count[side], width[2L] / (width[2L] + width[side]))
  }, 0))
}

# Return S^-1 (m_1 - m_2), scaled to length 1; the diagonal of S counts 1 + d/n times. S is the product of A plus a
# diagonal matrix: with more columns than rows n x n numbers are solved for (Woodbury).
group_direction <- function(z, labels) {
  n <- nrow(z)
  d <- ncol(z)
  first <- labels == 1L
  means <- rbind(colMeans(z[first, , drop = FALSE]), colMeans(z[!first, , drop = FALSE]))
  A <- (z - means[2L - first, , drop = FALSE]) / sqrt(n)
  variance <- colSums(A^2)
  more <- variance * d / n + 1e-10 * mean(variance) + .Machine$double.xmin
  between <- means[1L, ] - means[2L, ]
  direction <- if (d <= n) {
    solve(crossprod(A) + diag(more, d), between, tol = 0)
  } else {
    B <- A / rep(more, each = n)
    between / more - drop(crossprod(B, solve(diag(n) + tcrossprod(B, A), B %*% between, tol = 0)))
  }
  direction / max(sqrt(sum(direction^2)), .Machine$double.xmin)
}

# Return a function of (dip, n): the p-value of a dip by uniform samples of n observations, drawn once for each
# size. Above `reference` observations sqrt(n) dip has the distribution at that size.
dip_reference <- function(draws = cluster_test_defaults$reference) {
  known <- list()
  function(dip, n) {
    size <- min(n, cluster_test_defaults$reference)
    key <- as.character(size)
    # cumulated exponentials are a uniform sample in order, up to its range
    if (is.null(known[[key]])) {
      known[[key]] <<- vapply(seq_len(draws), function(draw) .Call(ffi_dip, cumsum(stats::rexp(size))), 0)
    }
    permutation_p(c(dip, known[[key]] * sqrt(size / n)))$p.value
  }
}

# ---- coordinates ----

# Points as they are; dissimilarities and Gram matrices by principal coordinates.
test_coordinates <- function(problem) {
  if (is.null(problem$points)) {
    return(smooth_ties(principal_coordinates(problem), squared_distance_matrix(problem)))
  }
  times_power_of_two(problem$points, -binary_exponent(problem$points))
}

# Coordinates of rows of which half or more equal another, as of rounded columns, with normal noise: its standard
# deviation is half of the least distance D2^(1/2) of two different rows.
smooth_ties <- function(z, D2) {
  equal <- D2 <= 1e-10 * max(D2)
  if (2 * sum(rowSums(equal) > 1) < nrow(z) || all(equal)) {
    return(z)
  }
  z + sqrt(min(D2[!equal])) / 2 * stats::rnorm(length(z))
}

# Distribute the values of columns with equal ones evenly over the least difference between values.
jitter_rounded <- function(z) {
  for (j in which(apply(z, 2L, anyDuplicated) > 0L)) {
    steps <- diff(sort(unique(z[, j])))
    steps <- steps[steps > 1e-9 * max(abs(z[, j]))]
    if (length(steps)) z[, j] <- z[, j] + (stats::runif(nrow(z)) - 0.5) * min(steps)
  }
  z
}

# ---- splits of a tree ----

# Test the splits of a tree from the top; branches of a split that does not hold are left out.
test_splits <- function(problem, tree, splits, alpha, control = halves_control()) {
  n <- problem$n
  z <- jitter_rounded(test_coordinates(problem))
  reference <- dip_reference()
  queue <- nrow(tree$merge)
  rows <- list()
  while (length(queue) > 0L) {
    check_interrupt()
    node <- queue[1L]
    queue <- queue[-1L]
    branches <- lapply(tree$merge[node, ], function(branch) which(tree$leaf %in% node_leaves(tree$merge, branch)))
    inside <- sort(unlist(branches))
    p <- if (length(inside) >= cluster_test_defaults$least) {
      dip_test_halves(subset_problem(problem, inside), z[inside, , drop = FALSE], splits, reference, control)$p.value
    } else {
      NA_real_
    }
    p <- min(1, p * n / length(inside))
    significant <- !is.na(p) && p <= alpha
    if (significant) queue <- c(queue, sort(tree$merge[node, tree$merge[node, ] > 0L], decreasing = TRUE))
    rows <- c(rows, list(data.frame(
      node = node, height = tree$height[node], left = length(branches[[1L]]), right = length(branches[[2L]]),
      p.value = p, significant = significant
    )))
  }
  do.call(rbind, rows)
}

# Return the leaves below a node of `merge` (above 0) or a leaf (below 0).
node_leaves <- function(merge, node) {
  leaves <- integer()
  while (length(node) > 0L) {
    leaves <- c(leaves, -node[node < 0L])
    node <- as.vector(merge[node[node > 0L], ])
  }
  leaves
}

# ---- arguments ----

# Return the points that a fit clustered, or the dissimilarities or Gram matrix that it holds.
fit_test_data <- function(fit, call) {
  problem <- kept_data(fit, call)$problem
  if (is.null(problem)) abort_test_input("You supplied a fit of blocks, which holds no data.", call)
  if (!igraph::is_igraph(fit$data) && has_categories(problem)) abort_test_input("It has categories.", call)
  if (!inherits(fit, "kgroups_metric_fit")) {
    return(problem$points %||% fit$data)
  }
  # columns before the metric, which was learned from all rows
  blueprint <- fit$blueprint
  blueprint["map"] <- list(NULL)
  data <- observed_fit(fit, call)$data
  new_points(suppressMessages(suppressWarnings(apply_blueprint(blueprint, data))), blueprint)
}

abort_test_input <- function(came, call, hint = "`select_k()` compares numbers of clusters of any input.") {
  abort_input(
    "x", call, "`x` must be numbers, a <dist> object or a Gram matrix, of at least 10 observations.", "{came}",
    "{hint}"
  )
}

# Return list(merge, height, leaf) of a tree of n observations.
check_test_tree <- function(tree, n, call) {
  leaf <- if (inherits(tree, "kgroups_tree")) tree$leaf else if (inherits(tree, "hclust")) seq_along(tree$order)
  if (length(leaf) == n && n > 0L) {
    return(list(merge = tree$merge, height = tree$height, leaf = leaf))
  }
  came <- if (is.null(leaf)) value_text(tree) else paste("a tree of", length(leaf), "observations")
  abort_input(
    "tree", call, "`tree` must be a tree of the {n} observations of `x`.", "You supplied {came}.",
    "Use `kgroups_tree(x)`."
  )
}
