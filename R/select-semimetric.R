# The semimetric, among candidates that are compared by their stability.

#' Choose the semimetric
#'
#' Clusters the data into `k` clusters with each candidate semimetric and chooses the one whose clusters are the most
#' stable under resampling.
#'
#' @inheritParams select_k
#' @param x The observations: points or dissimilarities. A Gram matrix has only one semimetric, its own.
#' @param k The number of clusters, at least 2.
#' @param candidates A list of semimetrics, named or not, or names of metrics, see [rho_metric()]. `NULL` (default) is
#'   `rho_power(1/2)`, `rho_power(1)`, [rho_exponential()] at the 0.1 quantile and [rho_gaussian()] at
#'   the 0.15 quantile of the pairwise distances (of 2000 spaced observations if there are more, as for `sigma` of
#'   [semimetrics]), and [rho_connected()], but for sparse rows.
#' @param rows The most observations that are compared, as in [select_k()]. The branches of [rho_connected()] are those
#'   of all.
#' @param ... How the fits are made, as in [select_k()], without `approx`.
#'
#' @return A list of class `c("kgroups_select_semimetric", "kgroups_selection")`:
#'   \item{semimetric}{the choice, with its parameter}
#'   \item{choice}{its name among the candidates}
#'   \item{criterion}{`"stability"`}
#'   \item{table}{a data frame with a row for each candidate: `semimetric` (its name), `stability` and its standard
#'     error `stability_se`}
#'   \item{reasons}{a data frame of undefined values: `at` (the name of the candidate), `criterion`
#'     (`"candidate"` if it failed as a whole), `reason`}
#'   \item{clusters}{an integer matrix, the labels by each candidate in its columns}
#'   \item{cluster}{the labels by the choice}
#'   \item{rows}{the number of observations compared}
#'   \item{k, splits, n, call}{as given}
#'
#'   Methods: `print`, `format`, [`plot`][plot.kgroups_selection] and `autoplot`.
#'
#' @section Stability: W, the silhouette and the pseudo-F of different semimetrics must not be compared. The stability
#'   of [select_k()] can be: the mean adjusted Rand index of the clusters of two random halves, which are the same for
#'   all candidates. Its standard errors are those of each candidate; differences between candidates vary less.
#'
#' @section Choosing candidates:
#' The default candidates are few on purpose: on labelled data sets they came within a few percent of the best of many.
#' The branches of [rho_connected()] are those of all observations, in the halves too, which favours it. If clusters are
#' connected shapes, use [rho_connected()] without a choice. Its mean loss was smaller than that of any criterion.
#' Stability favours reproducible partitions, right or wrong: plot the clusters too. Scale columns of different units
#' first: only [rho_connected()] corrects for units, by the metric of the neighbours, so its comparison with the others
#' is also one of metrics.
#'
#' A candidate that fails is reported in `reasons`. It is an error if all fail.
#'
#' @section Complexity: For each candidate a fit, and `2 splits` fits of halves of at most 1000 observations.
#' @family choices
#' @examples
#' # three species: which semimetric has the most stable clusters?
#' set.seed(1)
#' choice <- select_semimetric(iris[1:4], 3, splits = 6)
#' choice
#' kgroups(iris[1:4], 3, semimetric = choice$semimetric)$sizes
#' @export
select_semimetric <- function(x, k, candidates = NULL, weights = NULL, splits = 12, rows = 5000, ...,
                              threads = getOption("kgroups.threads", 1L)) {
  call <- match.call()
  call[[1L]] <- quote(select_semimetric)
  env <- rlang::current_env()
  check_data(x, env)
  abort_gram(x, env)
  values <- list(weights = weights, splits = splits, rows = rows, threads = threads)
  read <- read_selection(x, values, "select_semimetric", env, ...)
  local_threads(read$control$threads)
  # errors of x, the weights and k come before any candidate is tried
  plain <- selection_problem(read$x, rho_power(1), read$weights, read$control, env)
  k <- check_selected_k(if (!missing(k)) k, plain$n, env)
  candidates <- if (is.null(candidates)) default_candidates(plain, env) else check_candidates(candidates, env)
  read$sample <- draw_sample(plain, max(read$rows, selection_defaults$least * k))
  part <- sampled_problem(plain, read$sample)
  # drawn before, so that all candidates have the same halves
  read$halves <- draw_halves(part, read$splits, k)
  results <- run_tasks(candidates, try_candidate, read = read, k = k, purpose = "Candidates")
  out <- compare_candidates(stats::setNames(results, names(candidates)), env)
  inform_known_groups(read$given, out$cluster)
  new_selection(
    c(out, list(k = k, rows = as.integer(part$n), splits = read$splits, n = length(out$cluster), call = call)),
    "semimetric"
  )
}

# Return the clusters and the stability of one candidate, or the error of this package that stopped it, which may be one
# of the user's function. Others are passed on.
try_candidate <- function(semimetric, read, k) {
  tryCatch(
    {
      problem <- selection_problem(read$x, semimetric, read$weights, read$control, NULL)
      candidate_result(sampled_problem(problem, read$sample), k, read)
    },
    kg_error = identity
  )
}

# list(cluster, semimetric, stability, stability_se), NA if not defined.
candidate_result <- function(problem, k, read) {
  whole <- complete_settings(read$control, problem$whole %||% problem, k, call = quote(select_semimetric()))
  control <- restrict_settings(whole, problem$rows, problem$whole$n)
  fit <- search_task(k, problem, control)
  abort_all_equal(problem, true_units(problem, fit$total), NULL)
  fits <- stats::setNames(list(fit), k)
  stability <- split_half_stability(read$halves, problem, k, fits, control)
  list(
    cluster = labels_of_all(problem, fit, whole), semimetric = problem$semimetric %||% problem$shown_semimetric,
    stability = stability$value, stability_se = stability$se
  )
}

# At most as many clusters as a half has observations.
check_selected_k <- function(k, n, call) {
  if (n < 2L) {
    abort_input(
      "x", call, "`x` must have at least 2 observations of positive weight.", "You supplied {n}.",
      "A choice compares partitions into 2 clusters or more."
    )
  }
  as.integer(check_count(
    k, "k", 2, max(2, n %/% 2L),
    hint = "Use at most half the number of observations, because the data are split in halves.",
    call = call
  ))
}

# A number for each observation that does not depend on the order of the rows.
problem_key <- function(problem) {
  if (inherits(problem$store, "kgroups_rows")) {
    return(point_key(rows_matrix(problem$store)))
  }
  if (is.null(problem$points)) store_product(problem$store, problem$w) else point_key(problem$points)
}

# The default candidates; the quantiles are over pairs of observations of positive weight.
default_candidates <- function(problem, call) {
  rows <- inside_rows(problem)
  if (length(rows) > small_n) rows <- spaced_rows(rows, problem_key(problem), small_n)
  part <- subset_problem(problem, rows)
  rho <- -2 * true_units(problem, pair_values(part), "pair")
  d <- check_values_range(rho[lower.tri(rho)], call)
  w <- part$w
  pair_weights <- if (problem$weighted) outer(w, w)[lower.tri(rho)]
  sigma <- function(p) {
    value <- weighted_quantile(d, p, pair_weights)
    if (value > 0) {
      return(value)
    }
    above <- d > 0
    if (!any(above)) 1 else weighted_quantile(d[above], p, pair_weights[above])
  }
  candidates <- list(rho_power(0.5), rho_power(1), rho_exponential(sigma(0.1)), rho_gaussian(sigma(0.15)))
  if (has_tree(problem$store)) candidates <- c(candidates, list(rho_connected()))
  stats::setNames(candidates, vapply(candidates, short_name, ""))
}

# Return the choice, the table and the reasons for undefined values.
compare_candidates <- function(results, call) {
  found <- failed_candidates(results, call)
  failed <- found$failed
  names <- names(results)
  clusters <- do.call(cbind, lapply(results[!failed], function(one) unname(one$cluster)))
  dimnames(clusters) <- list(names(results[!failed][[1L]]$cluster), names[!failed])
  value <- function(field) {
    vapply(results, function(one) if (inherits(one, "error")) NA_real_ else one[[field]], 0, USE.NAMES = FALSE)
  }
  table <- data.frame(semimetric = names, stability = value("stability"), stability_se = value("stability_se"))
  none <- names[!failed & is.na(table$stability)]
  reasons <- rbind(found$reasons, new_reasons(none, "stability", "too few observations"))
  if (all(is.na(table$stability))) abort_undefined("stability", reasons, call)
  best <- which.max(table$stability)
  list(
    semimetric = results[[best]]$semimetric, choice = names[best], criterion = "stability",
    table = table, reasons = reasons, clusters = clusters, cluster = results[[best]]$cluster
  )
}

# Adjusted Rand index of every two columns, m x m, with their names.
candidate_agreement <- function(clusters) {
  columns <- seq_len(ncol(clusters))
  rand <- outer(columns, columns, Vectorize(function(a, b) adjusted_rand(clusters[, a], clusters[, b])))
  dimnames(rand) <- list(colnames(clusters), colnames(clusters))
  rand
}

#' @export
format.kgroups_select_semimetric <- function(x, ...) {
  failed <- sum(x$reasons$criterion == "candidate")
  c(
    sprintf("Semimetric for %d clusters: %s", x$k, x$choice),
    sprintf(
      "  by split-half stability, the largest among %d candidates%s", nrow(x$table),
      if (failed) sprintf(", %d of which failed", failed) else ""
    ),
    paste0("  ", format(x$semimetric)),
    "",
    selection_table(x$table, match(x$choice, x$table$semimetric)),
    reason_text(x$reasons, "")
  )
}
