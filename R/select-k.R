# The number of clusters. Fits, halves and reference sets are independent tasks; every criterion is
# computed from their results.

#' Criteria for the number of clusters
#'
#' Definitions of the criteria of [select_k()], the rule by which BIC chooses, and how often they are right.
#'
#' @section Criteria:
#' A k above n/3 is shown but not chosen, unless no smaller one was compared. `print()` notes a choice at the edge of
#' `ks`.
#' * **`elbow`**, largest: \eqn{(W_{k-1} - W_k) / (W_k - W_{k+1})}{(W[k-1] - W[k])/(W[k] -
#'   W[k+1])}, the decrease of W up to k divided by the next one. The neighbours of `ks` are fitted
#'   too. Not defined at 1 and n, and if W of k + 1 clusters is higher, so it never chooses 1.
#' * **`stability`**, largest: the data are split in halves at random, of at most 1000 observations or 20 for each of
#'   the largest `ks`. Both halves are clustered, extended to the other half by the nearest mean, and compared by
#'   [compare_clusters()]. The value is the mean over `splits`, with its standard error. That is too small, because the
#'   splits overlap. Not defined at 1. Stability is no proof of clusters: partitions of uniform data can be stable too.
#'   The gaps of [rho_connected()] are computed from all observations, which increases the stability.
#' * **`pseudo_f`**, largest: \eqn{[S / (k - 1)] / [W / (n - k)]}{[S/(k - 1)]/[W/(n - k)]}, n the total
#'   weight (the F of DISCO).
#' * **`silhouette`**, largest: the mean silhouette with \eqn{\rho}{rho} in place of the distance.
#' * **`bic`**, smallest: the least BIC of mixtures of k t distributions, see [kgroups_mixture()], started from the
#'   clusters, of at most 2000 rows. For tables of numbers. Columns of at most five values are taken as cut normal
#'   variables, as by `standardize = "within"`, and counts and other multiples of a step are spread over one step: on
#'   the values themselves BIC has no bound. If the 5 and 95 percent quantiles of a column lie at distances from the
#'   median whose ratio is above 1.5, BIC is also computed on a logarithmic scale, with the same density in view, and
#'   the smaller value counts. The column `icl` is BIC plus twice the entropy of the probabilities (Biernacki, Celeux
#'   and Govaert 2000), which is large for components that overlap. Whole weights are numbers of observations, so that
#'   BIC finds finer structure with them. Divide weights of another meaning by their mean.
#'
#'   BIC needs as many components as describe the density, and one skewed cluster needs several. So with `"elbow"` as a
#'   further criterion the components that BIC chooses are examined: their skewness (Mori, Rohatgi and Szekely) and
#'   Mardia's kurtosis. If they are skewed or have light tails, or if their BIC is lower by at most 10 than that of one
#'   cluster, the choice is 1 unless an `icl` is lower by more than 10 than that of one cluster or the test of one
#'   cluster rejects. Otherwise skewed components are merged by average linkage of the probability that a row of one is
#'   assigned to the other (Hennig 2010), while it is 5 % or more. The elbow ratio chooses if the t distributions have
#'   one degree of freedom, as with ties, and if BIC is not defined for more components: the rows are too few, or a sum
#'   of columns is constant within the clusters.
#' * **`description_length`**, smallest: about minus the logarithm of the probability of a graph under the best of six
#'   block models, see [cluster_belief_propagation()]. For graphs without edge weights only. One community is a possible
#'   choice. [cluster_communities()] extends the range if the minimum is at its edge. If by its rule a partition
#'   comes back in samples of the vertices and its number is one of `ks`, that is chosen; the value is then the
#'   description length of a planted partition less that of one community, and `model` is `"stability"`.
#'
#' @section Choosing a criterion:
#' On simulated designs (105 samples with clusters of many shapes and sizes, 40 of one cluster) the default is right for
#' .63 and all, BIC alone for .66 and .65, the elbow ratio for .33 and none (`bench/mixture.md` of the sources). W, the
#' silhouette and the pseudo-F must not be compared between semimetrics; use [select_semimetric()].
#'
#' Only `"bic"` and `"description_length"` can choose one cluster. For the gap statistic use `cluster::clusGap(x,
#' FUNcluster = kgroups, K.max = 8)`. The print shows the test of one cluster beside the choice. [cluster_test()] agrees
#' with it only in the same metric.
#'
#' @section Learned metric:
#' With `standardize = "within"` every k has its own metric, and all have the same volume, so that W can be compared.
#' Halves are clustered in the metric of all observations, because they have too few rows to learn one of many clusters.
#' As with gaps this increases the stability. The test of one cluster learns a metric from each half and tests the other
#' half. If no two numbers of clusters can be compared, columns have standard deviation 1.
#'
#' The elbow ratio is 2 on most tables, as with other metrics: two groups often reduce W most, although more are stable
#' (`MASS::crabs`: stability .99 for three and .97 for four of its kinds). Marriott's \eqn{k^2 |S_W|}{k^2 |S_W|} chooses
#' the largest k on 16 of 17 tables (`bench/selection.md` of the sources). Compare the columns `bic` and `stability`
#' too.
#'
#' @section Complexity:
#' A fit for each k; `2 splits` fits of halves for each k (stability); ten fits of two clusters (test). Fits of halves
#' are local searches from the clusters of k - 1, one of them divided, and from up to ten k-means++ starts, until two
#' agree. Landmarks are computed once. Mixtures take about as long as the stability. Observations that are not compared
#' cost one pass over some of them.
#'
#' @references
#' Rizzo ML, Székely GJ (2010). "DISCO analysis: A nonparametric extension of analysis of
#' variance." *The Annals of Applied Statistics*, 4(2), 1034-1055. \doi{10.1214/09-AOAS245}
#'
#' Biernacki C, Celeux G, Govaert G (2000). "Assessing a mixture model for clustering with the integrated completed
#' likelihood." *IEEE Transactions on Pattern Analysis and Machine Intelligence*, 22(7), 719-725.
#' \doi{10.1109/34.865189}
#'
#' Hennig C (2010). "Methods for merging Gaussian mixture components." *Advances in Data Analysis and Classification*,
#' 4(1), 3-34. \doi{10.1007/s11634-010-0058-3}
#' @family choices
#' @examples
#' # four criteria of the eruptions of a geyser
#' set.seed(1)
#' select_k(scale(faithful), 1:5, c("elbow", "stability", "silhouette", "pseudo_f"))$table
#' @name select_k-criteria
NULL

#' Choose the number of clusters
#'
#' Clusters the data into each number of clusters in `ks` and compares the results by one or
#' more criteria. The first criterion given determines the choice. By default this is the BIC of mixtures for a table of
#' numbers, and the elbow ratio of W for other input, with the split-half stability for comparison. Beside the choice
#' stands the p-value of [cluster_test()] for one cluster.
#'
#' @inheritParams energy_statistics
#' @param x The observations, as in [kgroups()]: points, dissimilarities, a Gram matrix, a sparse
#'   symmetric matrix or a graph (its halves are those of the vertices). For a tree from [kgroups_tree()] the
#'   cuts are compared by the elbow ratio, and only `ks` is used. With criterion `"description_length"` a
#'   sparse matrix is the adjacency matrix of a graph.
#' @param ks The numbers of clusters to compare: whole numbers from 1 to the number of
#'   observations of positive weight. `NULL` (default) is 1 to 10, or to that number if it is smaller; for
#'   the description length of a graph it is 1 and the numbers from two below to three above
#'   the first number of [cluster_communities()]. A single number is compared with no other;
#'   `print()` notes it.
#' @param criterion One or more of `"elbow"`, `"pseudo_f"`, `"silhouette"`, `"stability"`, `"bic"` and
#'   `"description_length"`, see [select_k-criteria]. The first determines the choice. `NULL` (default) is `c("bic",
#'   "elbow", "stability")` for a table of numbers with Euclidean distances, unless `trim`, `sizes`, `together`, `apart`
#'   or `approx` is given; `c("elbow", "stability")` for other data; `"description_length"` for a graph, `"stability"`
#'   for one with edge weights.
#' @param semimetric A semimetric, see [semimetrics]. [select_semimetric()] compares several.
#' @param splits The number of random split halves for the stability, at least 2. Default 12.
#' @param rows The most observations that are compared, at least 10. From more a random sample of this size is drawn,
#'   or of 20 for each of the largest `ks` if these are more. Default 5000; `Inf` compares all. Sparse matrices and
#'   graphs are never sampled.
#' @param one_cluster Test one cluster by [cluster_test()]? Default `TRUE`, for numbers, dissimilarities and Gram
#'   matrices without weights or `together`. If p is above .05, a message of class `kg_message_one_cluster` is given.
#' @param ... How the fits are made, as in [kgroups()]: `method`, `iter.max`, `effort`, `sizes`, `trim`, `approx`, and
#'   `column_weights`, `standardize`, `missing`. Limits on sizes shrink with the halves. With `standardize = "within"`,
#'   numbers of clusters for which the rows are too few to learn a metric are left out, with a message of class
#'   `kg_message_few_rows`.
#'
#' @return A list of class `c("kgroups_select_k", "kgroups_selection")`:
#'   \item{k}{the choice, one integer}
#'   \item{criterion}{the criteria; the first determines the choice}
#'   \item{by}{the criterion that chose: the first, or for `"bic"` with `"elbow"` the elbow ratio, `"icl"` or `"apart"`
#'   (components merged)}
#'   \item{why}{why BIC did not choose, or `NULL`}
#'   \item{table}{a data frame with a row for each of `ks`: `k`, `W` of the observations compared, a column for each
#'   criterion, and its standard error in a column that ends in `_se`, if there is one; with `"bic"` columns
#'   `icl` and `apart` (the components after merging); with the description length of a graph `model`, the block model
#'   that attains it}
#'   \item{reasons}{a data frame of undefined values: `at` (the k), `criterion`, `reason`}
#'   \item{cluster}{the labels of all observations for the k chosen; if the description length chose, those
#'     of the block model. Observations that were not compared are assigned to the nearest mean; with `sizes`, `trim`
#'     or a learned metric all are clustered again}
#'   \item{semimetric}{the semimetric, with its parameter}
#'   \item{half_choices}{with both `"elbow"` and `"stability"`: how often the elbow ratio chose
#'     each k in the half samples, a table}
#'   \item{p.value}{p of [cluster_test()] for the hypothesis of one cluster, `NA` if it was not computed}
#'   \item{rows}{the number of observations compared}
#'   \item{splits, n, call}{as given}
#'
#'   Methods: `print`, `format`, [`plot`][plot.kgroups_selection] and `autoplot`.
#'
#' @details By default the BIC of mixtures of k t distributions chooses. Skewed components that overlap are merged,
#' because one skewed cluster needs several. If mixtures do not suit the columns, the elbow ratio chooses.
#' [select_k-criteria] defines the criteria and lists the exceptions.
#'
#' No criterion but `"bic"` and `"description_length"` can choose one cluster; the test of one cluster stands beside
#' them. A p-value above .05 is no proof of one cluster, because clusters that overlap are often not detected. The rule
#' is right for .63 of 105 simulated samples with clusters and for 40 of 40 of one cluster (`bench/mixture.md` of the
#' sources). Compare the table, `half_choices` and more than one criterion.
#' @concept number of clusters
#' @concept elbow
#' @family choices
#' @examples
#' # three normal clusters: the elbow ratio and stability agree on three
#' set.seed(1)
#' x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 4), 30), matrix(rnorm(60, 8), 30))
#' choice <- select_k(x, 1:5)
#' choice
#' kgroups(x, choice$k)
#' @export
select_k <- function(x, ks = NULL, criterion = NULL, semimetric = rho_power(1), weights = NULL, splits = 12,
                     rows = 5000, one_cluster = TRUE, ..., threads = getOption("kgroups.threads", 1L)) {
  call <- match.call()
  call[[1L]] <- quote(select_k)
  env <- rlang::current_env()
  check_data(x, env)
  if (inherits(x, "kgroups_tree")) {
    must <- "The cuts of a tree are compared by the elbow ratio alone."
    abort_more(setdiff(names(call)[-1L], c("x", "ks")), must, "the data for other criteria", env)
    return(select_tree_k(x, ks, call, env))
  }
  values <- list(weights = weights, splits = splits, rows = rows, threads = threads)
  read <- read_selection(x, values, "select_k", env, ...)
  x <- read$x
  criteria <- check_criteria(criterion %||% default_criterion(x, read$weights, env), x, read$control$approx, env)
  one_cluster <- check_flag(one_cluster, "one_cluster", call = env)
  local_threads(read$control$threads)
  if (inherits(x, "sparseMatrix") && "description_length" %in% criteria) x <- adjacency_graph(x, env)
  semimetric <- check_selected_semimetric(if (!missing(semimetric)) semimetric, x, env)
  problem <- selection_problem(x, semimetric, read$weights, read$control, env)
  if (problem$n < 3L) {
    abort_input(
      "x", env, "`x` must have at least three observations of positive weight to choose a number of clusters.",
      "It has {problem$n}."
    )
  }
  if (is.null(criterion) && suits_mixtures(problem, read$control)) criteria <- c("bic", criteria)
  if (inherits(x, "igraph")) ks <- graph_ks(problem, ks, criteria, env)
  ks <- check_compared_ks(ks, problem$n, env)
  part <- sampled_problem(problem, draw_sample(problem, max(read$rows, selection_defaults$least * max(ks))))
  out <- choose_k(part, ks, criteria, read, env, test = function() {
    if (one_cluster) one_cluster_p(problem, read$control) else NA_real_
  })
  out$call <- call
  inform_known_groups(read$given, out$cluster)
  inform_one_cluster(out)
  out
}

# ---- settings ----

# The criteria that each kind of input permits.
possible_criteria <- list(
  "a graph" = c("description_length", "stability"),
  "a sparse matrix" = c("elbow", "stability", "pseudo_f", "silhouette", "description_length"),
  "landmarks" = c("elbow", "stability", "pseudo_f", "silhouette"),
  "points, dissimilarities or a Gram matrix" = c("elbow", "pseudo_f", "silhouette", "stability", "bic")
)

# Return the criteria, each once, if there are such and x permits them.
check_criteria <- function(criterion, x, approx, call) {
  known <- names(k_criteria)
  named <- is.character(criterion) && length(criterion) > 0L
  bad <- if (named) utils::head(setdiff(criterion, known), 1L) else criterion
  if (!named || length(bad)) {
    near <- if (named) nearest_name(bad, known)
    abort_argument(
      bad, "criterion", "be one or more of {either(quoted(known))}.",
      if (length(near)) "Did you mean {quoted(near)}?", call = call
    )
  }
  kind <- which(c(inherits(x, "igraph"), inherits(x, "sparseMatrix"), !is.null(approx), TRUE))[1L]
  impossible <- setdiff(criterion, possible_criteria[[kind]])
  if (length(impossible)) {
    abort_input(
      "criterion", call, "`criterion` must be available for {names(possible_criteria)[kind]}.",
      "You supplied {quoted(impossible[1L])}.", "Use {either(quoted(possible_criteria[[kind]]))}."
    )
  }
  unique(criterion)
}

# Mixtures describe columns of numbers, with fits of no variant but a learned metric.
suits_mixtures <- function(problem, control) {
  is.null(control$approx) && has_no_variant(without(control, "metric")) && is.null(no_metric(problem)) &&
    !has_categories(problem)
}

default_criterion <- function(x, weights, call) {
  if (!inherits(x, "igraph")) {
    return(c("elbow", "stability"))
  }
  weighted <- !is.null(check_edge_weights(check_graph(x, "x", call), weights, call))
  if (weighted) "stability" else "description_length"
}

# Ascending whole numbers from 1 to n, each once.
check_compared_ks <- function(ks, n, call) {
  if (is.null(ks)) {
    return(seq_len(min(10L, n)))
  }
  hint <- "For example `ks = 1:10`; at most the number of observations of positive weight."
  sort(unique(check_counts(ks, "ks", n, hint, call)))
}

# The description length of a graph has a default range of its own.
graph_ks <- function(problem, ks, criterion, call) {
  simple <- problem$store$simple
  described <- "description_length" %in% criterion
  if (described && simple$weighted) {
    abort_input(
      "criterion", call, "Criterion \"description_length\" is for graphs without edge weights.",
      "The edges have weights.", "Use `weights = NA` to ignore them, or criterion \"stability\"."
    )
  }
  if (described) ks %||% counted_ks(simple) else ks
}

# ---- the choice ----

# Return list(ks, control): the numbers of clusters up to `most`, with a message about the others. If that leaves
# nothing to compare, all are compared without the variant that limits them.
fitted_ks <- function(ks, most, control) {
  if (max(ks) <= most) {
    return(list(ks = ks, control = control))
  }
  left <- ks[ks <= most & (ks > 1L | max(ks) == 1L)]
  some <- length(left) > 0L
  kg_inform(
    if (some) {
      c(
        "Numbers of clusters above {most} are left out: the rows are too few to learn a metric for more.",
        "i" = "Use `standardize = TRUE` to compare them."
      )
    } else {
      "The rows are too few to learn a metric: columns have standard deviation 1 instead, as with `standardize = TRUE`."
    },
    "few_rows"
  )
  if (some) list(ks = ks[ks <= most], control = control) else list(ks = ks, control = without(control, "metric"))
}

# The choice of k for one problem; `read` are the arguments, `test` computes p of one cluster.
choose_k <- function(problem, ks, criteria, read, call, test) {
  n <- problem$n
  whole <- complete_settings(read$control, problem$whole %||% problem, max(ks), call = call)
  control <- restrict_settings(whole, problem$rows, problem$whole$n)
  least <- min(least_clusters(control, n), max(ks))
  ks <- ks[ks >= least] # fewer clusters break a pair of `apart`
  # the elbow ratio needs one cluster more
  elbow <- "elbow" %in% criteria
  fitted <- fitted_ks(ks, most_clusters(control, problem) - elbow, control)
  if (!identical(fitted$control, control)) whole <- without(whole, "metric")
  control <- fitted$control
  ks <- fitted$ks
  all_ks <- if (elbow) sort(unique(c(ks - 1L, ks, ks + 1L))) else ks
  all_ks <- all_ks[all_ks >= least & all_ks <= n]
  halves <- if ("stability" %in% criteria) draw_halves(problem, read$splits, max(ks))
  fits <- run_tasks(as.list(all_ks), search_task, problem = problem, control = control, purpose = "Fits")
  total <- true_units(problem, fits[[1L]]$total)
  check_range(fits[[1L]]$total, total, 0, call)
  abort_all_equal(problem, total, call)
  names(fits) <- all_ks
  all_W <- vapply(fits, function(fit) true_W(problem, fit), 0)
  W <- unname(all_W[as.character(ks)])
  at <- list(
    problem = problem, n = n, ks = ks, fits = fits[as.character(ks)], all_fits = fits, W = W, all_W = all_W,
    total = total, halves = halves, control = control
  )
  values <- lapply(stats::setNames(nm = criteria), function(one) k_criteria[[one]]$value(at))
  table <- criteria_table(values, ks, W)
  reasons <- criteria_reasons(values, ks)
  p <- test()
  choice <- decide_k(table, criteria, n, p)
  if (is.na(choice$row)) abort_undefined(criteria[1L], reasons, call)
  fit <- at$fits[[choice$row]]
  if (criteria[1L] == "description_length") fit$cluster <- values[[1L]]$labels[[choice$row]]
  cluster <- labels_of_all(problem, fit, whole)
  new_selection(list(
    k = ks[choice$row], criterion = criteria, by = choice$by, why = doubt_text(choice$doubt, table, reasons, n),
    table = table[names(table) != "doubt"], reasons = reasons, cluster = cluster, p.value = p,
    semimetric = problem$semimetric %||% problem$shown_semimetric, given = is.null(problem$blueprint),
    half_choices = if (elbow && "stability" %in% criteria) {
      table(k = factor(half_choices(values$stability, ks), ks), useNA = "no")
    },
    rows = as.integer(n), splits = read$splits, n = length(cluster)
  ), "k")
}

# The columns of each criterion: its value, its standard error, and what else it has.
criteria_table <- function(values, ks, W) {
  table <- data.frame(k = ks, W = W)
  for (one in names(values)) {
    table[[one]] <- values[[one]]$value
    if (!is.null(values[[one]]$se)) table[[paste0(one, "_se")]] <- values[[one]]$se
    more <- intersect(c("icl", "apart", "doubt", "model"), names(values[[one]]))
    table[more] <- values[[one]][more]
  }
  table
}

criteria_reasons <- function(values, ks) {
  do.call(rbind, lapply(names(values), function(one) {
    at <- which(is.na(values[[one]]$value))
    new_reasons(as.character(ks[at]), one, values[[one]]$reason[at])
  }))
}

# The choice of k among the cuts of a tree, by the elbow ratio.
select_tree_k <- function(tree, ks, call, env) {
  n <- length(tree$leaf)
  ks <- check_compared_ks(ks, length(tree$W), env)
  W <- stats::setNames(tree$W, seq_along(tree$W))
  values <- list(elbow = elbow_ratio(W, ks, length(tree$W), tree$total))
  table <- criteria_table(values, ks, tree$W[ks])
  reasons <- criteria_reasons(values, ks)
  best <- chosen_row(table, "elbow", n)
  if (is.na(best)) abort_undefined("elbow", reasons, env)
  new_selection(list(
    k = ks[best], criterion = "elbow", by = "elbow", table = table, reasons = reasons,
    cluster = predict(tree, ks[best]),
    semimetric = tree$semimetric, given = tree$given, p.value = NA_real_, rows = n, n = n, call = call
  ), "k")
}

# ---- messages and print ----

inform_one_cluster <- function(out) {
  if (isTRUE(out$p.value > 0.05) && out$k > 1L && !is_separate(out)) {
    kg_inform(c(
      "No valley between clusters was found: `cluster_test()` has p = {format(out$p.value, digits = 2)}.",
      "i" = "That also occurs for clusters that overlap much or differ in size.",
      "i" = "Plot the data before you rely on {out$k} cluster{?s}."
    ), "one_cluster")
  }
}

# Do the components of the mixture of the chosen k describe the data better than one, although overlap counts against
# them? The test of one cluster divides the data in two, and finds no valley beside that of many groups.
is_separate <- function(x) {
  icl <- x$table$icl
  isTRUE(icl[match(1L, x$table$k)] - icl[match(x$k, x$table$k)] > mixture_settings$clear)
}

#' @export
format.kgroups_select_k <- function(x, ...) {
  beside <- other_choices(x)
  chosen <- if (nrow(x$table) > 1L) x$half_choices[x$half_choices > 0]
  few <- few_text(x)
  c(
    if (comes_back(x)) {
      sprintf("Number of clusters: k = %d, a partition that comes back in samples of the vertices", x$k)
    } else {
      sprintf("Number of clusters: k = %d by %s%s", x$k, criterion_names[[x$by]], p_beside(x))
    },
    rule_text(x),
    if (!is.null(x$why)) paste0("  ", x$why),
    verdict_text(x),
    edge_text(x),
    few,
    if (length(beside)) {
      paste0("  other criteria", if (length(few)) " up to there", ": ", paste(beside, collapse = "; "))
    },
    if (length(chosen)) {
      sprintf(
        "  choices of the elbow ratio in %d half samples: k = %s", sum(chosen),
        paste(sprintf("%s in %d", names(chosen), as.vector(chosen)), collapse = ", ")
      )
    },
    if (x$rows < x$n) sprintf("  compared on a sample of %d observations", x$rows),
    paste0("Semimetric: ", semimetric_text(x)),
    "",
    selection_table(x$table, match(x$k, x$table$k)),
    # criteria that compare k with k - 1 do not exist at 1
    reason_text(x$reasons[x$reasons$at != "1", ], "k = ")
  )
}

# Was a partition of a graph chosen because it comes back, and no block model?
comes_back <- function(x) identical(x$table$model[x$table$k == x$k], "stability")

# The p-value of one cluster, beside the choice.
p_beside <- function(x) if (is.na(x$p.value)) "" else paste0("; one cluster: ", p_text(x$p.value))

# The verdict of the test of one cluster, NULL if there was none.
verdict_text <- function(x) {
  if (is.na(x$p.value)) {
    NULL
  } else if (x$p.value <= 0.05) {
    "  test of one cluster: a valley between clusters"
  } else if (x$k > 1L && is_separate(x)) {
    "  test of one cluster: no valley was found, but the components of the mixture are separate"
  } else {
    several <- if (x$k > 1L) sprintf("; k = %d if there are clusters", x$k)
    paste0("  test of one cluster: no valley between clusters was found", several)
  }
}

# The rule by which the first criterion chose.
rule_text <- function(x) {
  if (nrow(x$table) == 1L) {
    "  the only k that was tried"
  } else if (x$by == "apart") {
    "  components of which 5 % or more of the rows are assigned to another count as one"
  } else if (!comes_back(x)) {
    sprintf("  the %s among k = %s", extreme_text(x$by), runs_text(x$table$k[may_choose(x$table, x$by, x$rows)]))
  }
}

# Why BIC did not choose, NULL if it did.
doubt_text <- function(doubt, table, reasons, n) {
  if (is.null(doubt)) {
    return(NULL)
  }
  if (doubt == "undefined") {
    at <- table$k[max(0L, which(!is.na(table$bic))) + 1L]
    reason <- reasons$reason[reasons$criterion == "bic" & reasons$at == at]
    return(sprintf("BIC is not defined at k = %d: %s", at, reason))
  }
  k <- table$k[chosen_row(table, "bic", n)]
  but <- switch(
    doubt,
    ties = "so many values are equal that their density is none of t distributions", skewed = "they are skewed",
    flat = "their tails are light", "not clearly"
  )
  sprintf("BIC is smallest for %d component%s, but %s", k, plural(k), but)
}

# A line if the choice is the largest or smallest number that was compared, and others are possible.
edge_text <- function(x) {
  k <- x$table$k
  if (length(k) < 2L || x$criterion[1L] == "description_length") {
    NULL
  } else if (x$k == max(k) && 3 * (x$k + 1) <= x$rows) {
    sprintf("  no larger number was compared: try ks up to %d", 2L * x$k)
  } else if (x$k == min(k) && x$k > 2L) {
    "  no smaller number was compared: try ks from 1"
  }
}

# A line if numbers that were compared leave fewer than three observations a cluster, so that no criterion chooses them.
few_text <- function(x) {
  most <- x$rows %/% 3L
  if (most > 0L && min(x$table$k) <= most && max(x$table$k) > most) {
    sprintf("  no criterion chooses k above %d, a third of the observations", most)
  }
}

# The choices of the other criteria.
other_choices <- function(x) {
  others <- if (nrow(x$table) > 1L) setdiff(x$criterion, x$by)
  vapply(as.character(others), function(one) {
    row <- chosen_row(x$table, one, x$rows)
    if (is.na(row)) {
      sprintf("%s is not defined", one)
    } else {
      sprintf("%s is %s at k = %d", one, extreme_text(one), x$table$k[row])
    }
  }, "")
}
