# The number of clusters. Fits, halves and reference sets are independent tasks; every criterion is
# computed from their results.

k_criteria <- c("elbow", "gap", "pseudo_f", "silhouette", "stability", "eigengap", "description_length")

#' Choose the number of clusters
#'
#' Clusters the data into each number of clusters in `ks` and compares the results by one or
#' more criteria. The first criterion chooses. By default this is the elbow ratio of W, with the split-half
#' stability for comparison, and a warning is given if one cluster fits as well.
#'
#' @inheritParams energy_statistics
#' @param x The observations, as in [kgroups()]: points, dissimilarities, a Gram matrix, a sparse
#'   symmetric matrix or a graph (its halves are those of the vertices). Of a tree from [kgroups_tree()] the
#'   cuts are compared by the elbow ratio, and only `ks` is used. With criterion `"description_length"` a
#'   sparse matrix is the adjacency matrix of a graph.
#' @param ks The numbers of clusters to compare: whole numbers from 1 to the number of
#'   observations of positive weight. `NULL` (default) is 1 to 10, or to that number if it is smaller; for
#'   the description length of a graph it is 1 and the numbers from two below to three above
#'   [count_communities()]. For a single number a message (`kg_message_ks`) reports that
#'   nothing is compared.
#' @param criterion One or more of `"elbow"`, `"gap"`, `"pseudo_f"`, `"silhouette"`,
#'   `"stability"`, `"eigengap"` and `"description_length"`, see Criteria. The first chooses. `NULL` (default) is
#'   `c("elbow", "stability")`; `"description_length"` for a graph, `"stability"` for one with edge weights.
#'   Sparse matrices and landmarks have no `"gap"` and no `"eigengap"`.
#' @param semimetric A semimetric, see [semimetrics]; or a list of them, for instance
#'   `list(rho_power(1/2), rho_power(1))`. Each of them chooses its own k by the first criterion. The
#'   result is that of the semimetric with the most stable clusters at its k.
#' @param splits The number of random split halves for the stability, at least 2. Default 12.
#' @param B The number of reference sets for the gap statistic, at least 2. Default 50.
#' @param reference The reference sets of criterion `"gap"`: `"box"` (default),
#'   uniform in the box along the principal axes, or `"gaussian"`, normal with the same covariance.
#' @param one_cluster Compare with one cluster? If `TRUE` (default) and the choice is above
#'   1, the gap statistic with a Gaussian reference compares the choice with one cluster. If one cluster fits as
#'   well, a warning of class `kg_warning_one_cluster` is given. If not, the in-sample dip compares with one
#'   unimodal distribution, for numbers without weights. Above .05 a message of class
#'   `kg_message_one_cluster` is given. The in-sample dip uses the same rows for the direction and the dip
#'   statistic, so it is not a test; [cluster_test()] uses disjoint halves and is one.
#' @param ... How the fits are made, as in [kgroups()]: `method`, `iter.max`, `effort`, `sizes`, `trim`, `size_term`,
#'   `approx`, and `column_weights`, `standardize`, `missing`. Limits on sizes shrink with the halves.
#'
#' @return A list of class `c("kgroups_select_k", "kgroups_selection")`:
#'   \item{k}{the choice, one integer}
#'   \item{criterion}{the criteria; the first chose}
#'   \item{table}{a data frame with a row for each of `ks`: `k`, `W`, a column for each criterion,
#'     and its standard error in a column that ends in `_se`, if there is one; with the description length of a
#'     graph `model`, the block model that attains it}
#'   \item{reasons}{a data frame of undefined values: `at` (the k), `criterion`, `reason`}
#'   \item{cluster}{the labels of all observations for the k chosen; if the description length chose, those
#'     of the block model}
#'   \item{semimetric}{the semimetric, with its parameter}
#'   \item{half_choices}{with both `"elbow"` and `"stability"`: how often the elbow ratio chose
#'     each k in the half samples, a table}
#'   \item{one_cluster}{`TRUE` if one normal distribution fits as well, `FALSE` if not; `NA` if the in-sample
#'     dip has p above .05, or if the comparison was not made}
#'   \item{in_sample_dip}{p of the in-sample dip, along the line between the means of two groups, `NA` if it
#'     was not computed}
#'   \item{candidates}{with a list of semimetrics: a data frame with the k of each, its
#'     stability there and the comparison with one cluster}
#'   \item{splits, B, reference, n, call}{as given}
#'
#'   Methods: `print`, `format`, [`plot`][plot.kgroups_selection] and `autoplot`.
#'
#' @section Criteria:
#' A number of clusters with fewer than three observations per cluster is shown but not chosen, unless
#' no smaller one was compared.
#' * **`elbow`**, largest: \eqn{(W_{k-1} - W_k) / (W_k - W_{k+1})}{(W[k-1] - W[k])/(W[k] -
#'   W[k+1])}, the decrease of W up to k divided by the next one. The neighbours of `ks` are fitted
#'   too. Not defined at 1 and n, so it never chooses 1.
#' * **`stability`**, largest: the data are split in halves at random, both halves are clustered, both results
#'   are extended to all observations by the nearest mean, and compared by [compare_clusters()]; mean
#'   over `splits`, with its standard error (of these splits; they overlap, so it is too small).
#'   Not defined at 1. Stability is no proof of clusters: partitions of uniform data can be stable too. The gaps of
#'   [rho_connected()] are computed from all observations, which increases the stability.
#' * **`gap`**: \eqn{E^*[\log W^*] - \log W}{E*[log W*] - log W} over `B` reference sets, by the
#'   rule of Tibshirani, Walther and Hastie: the first k whose gap is at least that of the next k in `ks`
#'   less its standard error. It can choose 1. Dissimilarities and Gram matrices are embedded by
#'   their principal coordinates first, after the least constant that makes the squared distances
#'   Euclidean; at most 200 axes are simulated, the others enter by their mean. The principal coordinates of
#'   a Gram matrix are those of its feature space, often of many dimensions, in which the gap tends to
#'   increase with k. Not defined if W is not above 0.
#' * **`pseudo_f`**, largest: \eqn{[S / (k - 1)] / [W / (n - k)]}{[S/(k - 1)]/[W/(n - k)]}, n the total
#'   weight (the F of DISCO).
#' * **`silhouette`**, largest: the mean silhouette with \eqn{\rho}{rho} in place of the distance.
#' * **`eigengap`**, largest above k = 1, at which it is large for any data:
#'   \eqn{\lambda_{k+1} - \lambda_k}{lambda[k+1] - lambda[k]} of the
#'   ascending eigenvalues of the random-walk Laplacian \eqn{I - D^{-1} A}{I - D^-1 A}. The affinity A is
#'   \eqn{1 - \rho/2}{1 - rho/2} for the bounded semimetrics ([rho_exponential()], [rho_gaussian()]) and
#'   \eqn{\exp(-\rho / \mathrm{median}\,\rho)}{exp(-rho/median rho)} otherwise.
#' * **`description_length`**, smallest: about minus the logarithm of the probability of a graph under the best of
#'   six block models, see [cluster_belief_propagation()]. For graphs without edge weights only. One
#'   community is a possible choice. [cluster_communities()] extends the range if the minimum is at its edge.
#'
#' @section Choosing a criterion:
#' On labelled data sets the elbow ratio attained the number of labels most often, followed by the gap with
#' a Gaussian reference; silhouette and pseudo-F were worse. None of them is always right: compare
#' the table, `half_choices` and more than one criterion. W, the silhouette and the pseudo-F
#' must not be compared between semimetrics; use [select_semimetric()].
#'
#' The comparison with one cluster uses the gap of 1 cluster, of 2 and of the k chosen, less
#' one standard error. It is no test: two clusters that overlap strongly also give the warning.
#'
#' @section Complexity:
#' A fit for each k; `2 splits` fits of half the data for each k (stability); `B` sets of fits
#' for each k (gap), `B` sets for three values of k (one cluster). With landmarks the features are computed once,
#' and a half has at most 5000 observations. Up to 2000 observations the pairwise dissimilarities are
#' computed once. The eigengap and the gap of dissimilarities need matrices of \eqn{n^2}{n^2} doubles.
#'
#' @section Parallel work:
#' Fits, splits and reference sets run on the workers of your future plan if you have chosen
#' one, for example `future::plan("multisession")`, and the package \pkg{future.apply} is
#' installed. Every task has its own random stream: after one [set.seed()] the answer is the same for
#' any plan.
#'
#' @references
#' Tibshirani R, Walther G, Hastie T (2001). "Estimating the number of clusters in a data set via the gap
#' statistic." *Journal of the Royal Statistical Society B*, 63(2), 411-423.
#' \doi{10.1111/1467-9868.00293}
#'
#' Rizzo ML, Szekely GJ (2010). "DISCO analysis: A nonparametric extension of analysis of
#' variance." *The Annals of Applied Statistics*, 4(2), 1034-1055. \doi{10.1214/09-AOAS245}
#'
#' von Luxburg U (2007). "A tutorial on spectral clustering." *Statistics and Computing*,
#' 17(4), 395-416. \doi{10.1007/s11222-007-9033-z}
#' @concept number of clusters
#' @concept elbow
#' @family choices
#' @examples
#' set.seed(1)
#' x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 4), 30), matrix(rnorm(60, 8), 30))
#' choice <- select_k(x, 1:5, B = 20)
#' choice
#' kgroups(x, choice$k)
#' @export
select_k <- function(x, ks = NULL, criterion = NULL,
                     semimetric = rho_power(1), weights = NULL, splits = 12, B = 50,
                     reference = c("box", "gaussian"), one_cluster = TRUE, ...,
                     threads = getOption("kgroups.threads", 1L)) {
  call <- match.call()
  call[[1L]] <- quote(select_k)
  env <- rlang::current_env()
  check_kind(x, env)
  if (inherits(x, "kgroups_tree")) {
    abort_tree_arguments(setdiff(names(call)[-1L], c("x", "ks")), env)
    return(select_tree_k(x, ks, call, env))
  }
  # with this criterion a sparse matrix is the graph of which it is the adjacency matrix
  expected <- if ("description_length" %in% criterion) "kg_warning_adjacency" else character()
  settings <- split_settings(...)
  x <- suppressWarnings(
    do.call(read_input, c(list(x, weights), settings$other, list(context = input_context(env, "select_k", fit_settings()))), quote = TRUE),
    classes = expected
  )
  control <- selection_control(c(settings$fit, list(threads = threads)), env)
  reference <- check_choice(reference, "reference", c("box", "gaussian"), call = env)
  options <- selection_options(
    criterion %||% default_criterion(x, weights, env), k_criteria, splits, B, reference, control, env
  )
  kind <- kind_of_input(x, control$approx)
  check_possible_criteria(options$criterion, kind, env)
  options$one_cluster <- check_flag(one_cluster, "one_cluster", call = env) && "gap" %in% possible_criteria[[kind]]
  use_threads(control$threads)
  on.exit(use_threads(1))
  if (inherits(x, "sparseMatrix") && "description_length" %in% options$criterion) x <- adjacency_graph(x, env)
  out <- if (is.list(semimetric) && !inherits(semimetric, "kgroups_semimetric")) {
    choose_k_among(x, ks, semimetric, weights, options, env)
  } else {
    semimetric <- check_selected_semimetric(if (!missing(semimetric)) semimetric, x, env)
    problem <- selection_problem(x, semimetric, weights, control, env)
    if (inherits(x, "igraph")) ks <- graph_ks(problem, ks, options$criterion, env)
    choose_k(problem, check_compared_ks(ks, problem$n, env), options, env)
  }
  out$call <- call
  inform_one_k(out)
  warn_one_cluster(out)
  out
}

# ---- settings ----

# The criteria that each kind of input permits.
possible_criteria <- list(
  "a graph" = c("description_length", "stability"),
  "a sparse matrix" = c("elbow", "stability", "pseudo_f", "silhouette", "description_length"),
  "landmarks" = c("elbow", "stability", "pseudo_f", "silhouette"),
  "points, dissimilarities or a Gram matrix" = setdiff(k_criteria, "description_length")
)

kind_of_input <- function(x, approx) {
  kind <- c(inherits(x, "igraph"), inherits(x, "sparseMatrix"), !is.null(approx), TRUE)
  names(possible_criteria)[which(kind)[1L]]
}

default_criterion <- function(x, weights, call) {
  if (!inherits(x, "igraph")) {
    return(c("elbow", "stability"))
  }
  weighted <- !is.null(check_edge_weights(check_graph(x, "x", call), weights, call))
  if (weighted) "stability" else "description_length"
}

check_possible_criteria <- function(criterion, kind, call) {
  bad <- setdiff(criterion, possible_criteria[[kind]])
  if (length(bad)) {
    abort_input(
      "criterion", call,
      "Criterion {.val {bad[1L]}} is not available for {kind}.",
      hint = "Use {.or {.val {possible_criteria[[kind]]}}}."
    )
  }
}

# Ascending whole numbers from 1 to n, each once.
check_compared_ks <- function(ks, n, call) {
  if (is.null(ks)) {
    return(seq_len(min(10L, n)))
  }
  hint <- "For example `ks = 1:10`; at most the number of observations of positive weight."
  sort(unique(check_counts(ks, "ks", n, hint, call)))
}

# Graphs have a default range only for the description length.
graph_ks <- function(problem, ks, criterion, call) {
  simple <- problem$store$simple
  described <- "description_length" %in% criterion
  if (described && simple$weighted) {
    abort_input(
      "criterion", call,
      "Criterion {.val description_length} is for graphs without edge weights.",
      "The edges have weights.",
      "Use {.code weights = NA} to ignore them, or criterion {.val stability}."
    )
  }
  if (is.null(ks) && !described) {
    abort_input(
      "ks", call,
      "{.arg ks} must be given for a graph.",
      "You left it out.",
      "For example {.code ks = 2:10}; {.fn count_communities} estimates the number."
    )
  }
  ks %||% counted_ks(simple, bethe_parts(simple))
}

# ---- the choice ----

# The choice of k for one problem.
choose_k <- function(problem, ks, options, call, halves = NULL) {
  n <- problem$n
  # one k of a candidate semimetric is no choice
  only <- !is.null(halves) && length(ks) == 1L
  criterion <- options$criterion
  all_ks <- if ("elbow" %in% criterion) sort(unique(c(ks - 1L, ks, ks + 1L))) else ks
  all_ks <- all_ks[all_ks >= 1L & all_ks <= n]
  # drawn before the tasks, so that all candidates have the same halves
  if ("stability" %in% criterion) halves <- halves %||% draw_halves(problem, options$splits)
  fits <- run_tasks(as.list(all_ks), search_task, problem = problem, control = options$control, purpose = "Fits")
  total <- true_units(problem, fits[[1L]]$total)
  check_range(fits[[1L]]$total, total, 0, call)
  abort_all_equal(problem, total, call)
  names(fits) <- all_ks
  values <- lapply(stats::setNames(nm = criterion), criterion_values, problem, ks, fits, total, halves, options)
  fits <- fits[as.character(ks)]
  table <- criteria_table(values, ks, vapply(fits, function(fit) true_W(problem, fit), 0))
  reasons <- criteria_reasons(values, ks)
  best <- if (only) 1L else chosen_row(table, criterion[1L], n)
  if (is.na(best)) abort_undefined(criterion[1L], reasons, call)
  k <- ks[best]
  labels <- if (identical(criterion[1L], "description_length")) values[[1L]]$labels[[best]] else fits[[best]]$cluster
  cluster <- labels_of_all(problem, labels, k)
  fields <- list(
    k = k, criterion = criterion, table = table, reasons = reasons, cluster = cluster,
    semimetric = problem$semimetric %||% problem$shown_semimetric,
    half_choices = if (all(c("elbow", "stability") %in% criterion)) {
      table(k = factor(values$stability$choices, ks), useNA = "no")
    },
    one_cluster = if (options$one_cluster && k > 1L) one_cluster_verdict(problem, k, options) else NA,
    in_sample_dip = NA_real_, splits = options$splits, B = options$B, reference = options$reference, n = length(cluster)
  )
  new_selection(test_verdict(fields, problem), "k")
}

# One criterion for all of ks. `fits`, named by k, hold the neighbours of ks too.
criterion_values <- function(criterion, problem, ks, fits, total, halves, options) {
  all_W <- vapply(fits, function(fit) true_W(problem, fit), 0)
  shown <- as.character(ks)
  all_ks <- as.integer(names(fits))
  switch(criterion,
    elbow = elbow_ratio(all_W, ks, problem$n, total),
    pseudo_f = pseudo_f(unname(all_W[shown]), total, ks, true_units(problem, sum(problem$w), "weight")),
    silhouette = silhouettes(problem, fits[shown], ks),
    eigengap = eigengaps(problem, ks),
    description_length = description_lengths(problem, ks),
    stability = split_half_stability(halves, problem, ks, all_ks, options$control),
    gap = run_gap(problem, ks, options$reference, options$B, options$control)
  )
}

criteria_table <- function(values, ks, W) {
  table <- data.frame(k = ks, W = unname(W))
  for (one in names(values)) {
    table[[one]] <- values[[one]]$value
    if (!is.null(values[[one]]$se)) table[[paste0(one, "_se")]] <- values[[one]]$se
  }
  table$model <- values$description_length$model
  table
}

criteria_reasons <- function(values, ks) {
  do.call(rbind, lapply(names(values), function(one) {
    at <- which(is.na(values[[one]]$value))
    new_reasons(as.character(ks[at]), one, values[[one]]$reason[at])
  }))
}

# Does one cluster do as well as two, and as the k chosen? By the gap with a Gaussian
# reference, one standard error; NA if it is not defined.
one_cluster_verdict <- function(problem, k, options) {
  gap <- run_gap(problem, unique(c(1L, 2L, k)), "gaussian", options$B, options$control)
  all(gap$value[1L] >= gap$value[-1L] - gap$se[-1L])
}

# If one normal distribution does not fit as well, the in-sample dip compares with one unimodal distribution. With p
# above .05 the comparison with one cluster is undecided.
test_verdict <- function(fields, problem) {
  if (identical(fields$one_cluster, FALSE)) fields$in_sample_dip <- in_sample_dip(problem)
  if (isTRUE(fields$in_sample_dip > 0.05)) fields$one_cluster <- NA
  fields
}

abort_tree_arguments <- function(given, call) {
  if (length(given)) {
    abort_input(
      "dots", call, "The cuts of a tree are compared by the elbow ratio alone.", "You supplied {.arg {given[1L]}} too.",
      "Supply the data for other criteria."
    )
  }
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
    k = ks[best], criterion = "elbow", table = table, reasons = reasons, cluster = predict(tree, ks[best]),
    semimetric = tree$semimetric, one_cluster = NA, n = n, call = call
  ), "k")
}

# Every candidate semimetric chooses its own k; the result is that of the most stable one.
choose_k_among <- function(x, ks, semimetrics, weights, options, call) {
  candidates <- check_candidates(semimetrics, x, call)
  options$criterion <- union(options$criterion, "stability")
  plain <- selection_problem(x, rho_power(1), weights, options$control, call)
  results <- choose_each(plain, candidates, x, weights, check_compared_ks(ks, plain$n, call), options)
  found <- failed_candidates(results, call)
  table <- candidates_table(results, found$failed)
  best <- if (all(is.na(table$stability))) which(!found$failed)[1L] else which.max(table$stability)
  out <- results[[best]]
  out$candidates <- table
  out$one_cluster <- all(table$one_cluster[!found$failed])
  out$reasons <- rbind(out$reasons, found$reasons)
  rownames(out$reasons) <- NULL
  out
}

# Return the choice of k with each candidate, or the error that stopped it, over the same halves. `plain` is the
# problem of the distance itself: errors of x and the weights come before any candidate is tried.
choose_each <- function(plain, candidates, x, weights, ks, options) {
  halves <- draw_halves(plain, options$splits)
  results <- run_tasks(
    candidates, try_candidate,
    x = x, weights = weights, ks = ks, options = options, halves = halves, purpose = "Candidates"
  )
  stats::setNames(results, names(candidates))
}

try_candidate <- function(semimetric, x, weights, ks, options, halves) {
  tryCatch(
    choose_k(selection_problem(x, semimetric, weights, options$control, NULL), ks, options, NULL, halves),
    error = identity
  )
}

# The choice of each candidate, NA for those that failed.
candidates_table <- function(results, failed) {
  table <- data.frame(
    semimetric = names(results), k = NA_integer_, stability = NA_real_, stability_se = NA_real_, one_cluster = NA
  )
  for (at in which(!failed)) {
    one <- results[[at]]
    table[at, c("k", "one_cluster")] <- one[c("k", "one_cluster")]
    table[at, c("stability", "stability_se")] <- one$table[match(one$k, one$table$k), c("stability", "stability_se")]
  }
  table
}

# ---- messages and print ----

# One number in `ks` is not expanded to 1:ks, because `ks` may be computed.
inform_one_k <- function(out) {
  k <- out$table$k
  if (length(k) == 1L && k > 1L) {
    kg_inform(
      c(
        "Only k = {k} is tried because {.arg ks} holds this one number.",
        "i" = "Use {.code ks = 1:{k}} to compare 1 to {k} clusters."
      ),
      "ks"
    )
  }
}

warn_one_cluster <- function(out) {
  if (isTRUE(out$one_cluster)) {
    kg_warn(
      c(
        "There may be no clusters: one normal distribution explains W at {.arg k} = {out$k} as well.",
        "i" = "This is the gap statistic with a Gaussian reference. It also occurs for clusters that overlap much.",
        "i" = "Plot the data before you rely on {out$k} clusters."
      ),
      "one_cluster"
    )
  } else if (is.na(out$one_cluster) && isTRUE(out$in_sample_dip > 0.05)) {
    kg_inform(
      c(
        "There may be no clusters: the data may be one unimodal cloud that is not normal.",
        "i" = "The in-sample dip has p = {format(out$in_sample_dip, digits = 2)}. That also occurs for clusters that overlap much or differ in size.",
        "i" = "Plot the data before you rely on {out$k} clusters; {.fn cluster_test} is a test with a level."
      ),
      "one_cluster"
    )
  }
}

#' @export
format.kgroups_select_k <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "select_k")
  beside <- other_choices(x)
  chosen <- if (nrow(x$table) > 1L) x$half_choices[x$half_choices > 0]
  c(
    sprintf("Number of clusters: k = %d by %s", x$k, criterion_names[[x$criterion[1L]]]),
    paste0("  ", rule_text(x)),
    if (length(beside)) paste0("  other criteria: ", paste(beside, collapse = "; ")),
    if (length(chosen)) {
      sprintf(
        "  in %d half samples the elbow ratio chose k = %s", sum(chosen),
        paste(sprintf("%s (%d)", names(chosen), as.vector(chosen)), collapse = ", ")
      )
    },
    verdict_text(x$one_cluster, x$in_sample_dip),
    paste0("Semimetric: ", semimetric_text(x, points = NA)),
    "",
    selection_table(x$table, match(x$k, x$table$k)),
    if (!is.null(x$candidates)) c("", "Candidates, each at its own k:", selection_table(x$candidates, 0L)),
    # criteria that compare k with k - 1 do not exist at 1
    reason_text(x$reasons[x$reasons$at != "1", ], "k = ")
  )
}

# The comparison with one cluster, NULL if there was none.
verdict_text <- function(one_cluster, p) {
  if (isTRUE(one_cluster)) {
    return("  one normal distribution explains the data as well: there may be no clusters")
  }
  if (is.null(p) || is.na(p)) {
    return(if (identical(one_cluster, FALSE)) "  one normal distribution does not explain the data as well; other single clouds may")
  }
  verdict <- if (p <= 0.05) "one unimodal distribution does not fit" else "the data may be one cloud that is not normal"
  sprintf("  %s (in-sample dip: p = %s)", verdict, format(p, digits = 2))
}

# The rule by which the first criterion chose.
rule_text <- function(x) {
  first <- x$criterion[1L]
  if (first == "gap") {
    return("the first k whose gap is at least the next one's less its standard error")
  }
  if (nrow(x$table) == 1L) {
    return("the only k that was tried")
  }
  compared <- x$table$k[may_choose(x$table, first, x$n)]
  sprintf("%s is %s there among k = %s", first, extreme_text(first), runs_text(compared))
}

# The choices of the other criteria.
other_choices <- function(x) {
  others <- if (nrow(x$table) > 1L) setdiff(x$criterion[-1L], "gap")
  vapply(as.character(others), function(one) {
    row <- chosen_row(x$table, one, x$n)
    if (is.na(row)) sprintf("%s is not defined", one) else sprintf("%s is %s at k = %d", one, extreme_text(one), x$table$k[row])
  }, "")
}
