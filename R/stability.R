# How sure are the clusters of a fit: the same clustering on bootstrap samples.

#' Stability of the clusters of a fit
#'
#' Draws bootstrap samples of the observations (of a graph: of its edges) and clusters each sample in the same way as
#' the fit. Reports how well each cluster is found again, and how often each observation stays in its cluster.
#'
#' @param fit A fit from [kgroups()] or [kernel_kmeans()], with its data kept. For a fit with landmarks
#'   the features are resampled.
#' @param B The number of bootstrap samples, at least 1. Default 100.
#' @param threads Threads for large problems, as in [kgroups()].
#' @param ... Not used: an unknown argument is an error.
#' @return A list of class `kgroups_stability`:
#'   \item{clusters}{a data frame with one row for each cluster: `cluster`, `size`, `reading` (see Reading the numbers),
#'   `jaccard` (mean over the samples), `recovered` and `dissolved` (share of samples with a Jaccard coefficient of at
#'   least 0.75 and of at most 0.5), `observations` (mean share of samples in which its observations were assigned to
#'   it)}
#'   \item{observations}{for every observation the share of samples in which it was assigned to the counterpart of its
#'     cluster}
#'   \item{jaccard}{the B x k matrix of Jaccard coefficients, `NA` where a sample held no
#'     observation of the cluster}
#'   \item{cluster}{the clusters of the fit}
#'   \item{halves}{the agreement of halves with the clusters of the fit, see [summary()][fit-methods]}
#'   \item{alone}{lines on columns that alone give clusters: such clusters are stable, whether they are real or not}
#'   \item{B}{the number of samples}
#'
#'   Methods: `print`, [`plot`][plot.kgroups_stability] and `autoplot`.
#' @section Algorithm:
#' As [fpc::clusterboot()] (Hennig 2007). n observations of positive weight are drawn with replacement, and the distinct
#' ones are clustered as the fit was (by a search if labels were given), with a fiftieth of the effort. Every cluster of
#' the fit is restricted to the sample. It is compared by the Jaccard coefficient to the cluster of the sample that is
#' most like it. For the stability of observations the two partitions are matched one to one, and all observations,
#' drawn or not, are assigned as [predict()][predict.kgroups_fit] does. Samples keep the gaps of [rho_connected()] of
#' all observations.
#'
#' From a graph as many edges as it has are drawn with replacement; the distinct ones, some 63 % of them, with all
#' vertices, are clustered. A sample of a sparse graph may have too few edges to show its communities.
#' @section Reading the numbers:
#' The convention of `fpc::clusterboot()`: a cluster with a mean Jaccard coefficient below 0.6 is not stable, and below 0.75 it is
#' doubtful. One of 0.75 and more is stable, of 0.85 and more highly stable. A cluster that is recovered in fewer than
#' three of four samples is called doubtful here, whatever its mean. A stable cluster need not be a true one: a fixed
#' cut through a single cloud can be stable too. The stability of two fits can be compared if their metrics differ, and
#' W cannot.
#' @section Complexity: B fits of about 0.63 n observations, and as many passes over the pairs; of a
#'   graph B fits of 0.63 m edges. With landmarks a sample has at most 5000 observations, clustered from ten
#'   k-means++ starts.
#' @references
#' Hennig C (2007). "Cluster-wise assessment of cluster stability." *Computational Statistics
#' & Data Analysis*, 52(1), 258-271. \doi{10.1016/j.csda.2006.11.025}
#' @family fits
#' @seealso [summary()][summary.kgroups_fit] for how sure the optimum is, `fpc::clusterboot()` for
#'   any clustering.
#' @examples
#' # three clusters of states: which of them return in bootstrap samples?
#' set.seed(1)
#' fit <- kgroups(USArrests, 3, standardize = TRUE)
#' sure <- stability(fit, B = 20)
#' sure
#' # those least often in their cluster
#' head(sort(sure$observations))
#' plot(sure)
#' @export
stability <- function(fit, B = 100, ...) {
  check_given(fit, "fit")
  UseMethod("stability")
}

#' @rdname stability
#' @export
stability.default <- function(fit, ...) {
  abort_argument(
    fit, "fit", "be a fit from `kgroups()`.",
    if (is.numeric(fit) || is.data.frame(fit)) {
      "Cluster the data first: `stability(kgroups(x, k))`."
    } else {
      "For other clusterings see `fpc::clusterboot()`."
    }
  )
}

#' @rdname stability
#' @export
stability.kgroups_fit <- function(fit, B = 100, ..., threads = getOption("kgroups.threads", 1L)) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "stability")
  kept_problem(fit, env)
  whole <- fit
  fit <- observed_fit(fit)
  B <- check_count(B, "B", 1, 1e6, hint = "100 is enough for two decimal places.")
  local_threads(check_threads(threads, call = env))
  resampled <- resampling_problem(fit)
  task <- if (inherits(fit, "kgroups_graph_fit")) edge_task else bootstrap_task
  samples <- run_tasks(
    as.list(seq_len(B)), task,
    problem = resampled$problem, control = resampled$control,
    fit = list(cluster = unname(fit$cluster), k = fit$k, w = resampled$w),
    purpose = "Bootstrap samples"
  )
  out <- new_stability(samples, fit$cluster, fit$sizes, B)
  out$halves <- half_fits(fit, env)$agreement
  out$alone <- alone_text(fit)
  out$cluster <- fit$cluster
  out
}

# The result from the samples, the labels and sizes of the fit.
new_stability <- function(samples, cluster, sizes, B) {
  jaccard <- do.call(rbind, lapply(samples, `[[`, "jaccard"))
  same <- numeric(length(cluster))
  for (one in samples) same <- same + as.integer(one$same)
  observations <- stats::setNames(same / B, names(cluster))
  k <- length(sizes)
  mean_jaccard <- colMeans(jaccard, na.rm = TRUE)
  recovered <- colMeans(jaccard >= 0.75, na.rm = TRUE)
  structure(
    list(
      clusters = data.frame(
        cluster = seq_len(k), size = sizes, reading = stability_reading(mean_jaccard, recovered),
        jaccard = mean_jaccard, recovered = recovered, dissolved = colMeans(jaccard <= 0.5, na.rm = TRUE),
        observations = as.vector(tapply(observations, factor(cluster, seq_len(k)), mean))
      ),
      observations = observations, cluster = cluster, jaccard = jaccard, B = as.integer(B)
    ),
    class = c("kgroups_stability", "kgroups_result")
  )
}

# The problem that samples are drawn from, how they are clustered (as the fit was, by a search if labels were given),
# and the weights of the fit, 0 for noise. Features of landmarks are computed once.
resampling_problem <- function(fit) {
  kept <- kept_data(fit)
  control <- without(kept$control, "approx")
  control$iter.max <- 100
  if (is.null(control$init)) control["nstart"] <- list(NULL)
  problem <- kept$problem
  if (!is.null(kept$map)) {
    problem <- features_problem(problem, store_features(problem$store, kept$map, NULL))
  } else if (fit$method != "exact") {
    problem <- cache_pairs(problem, search_defaults$reads)
  }
  w <- problem$w
  if (!is.null(kept$w)) problem$w <- kept$w
  list(problem = problem, control = control, w = w)
}

# Rows of a sample of landmark features, at most: a pass costs as much for each row as for each of many pairs.
most_sampled <- 5000L

# Cluster one bootstrap sample as the fit was, and compare: `jaccard` of each cluster, and as `same` whether each
# observation is in its cluster's counterpart, in one byte.
bootstrap_task <- function(task, problem, control, fit) {
  k <- fit$k
  rows <- bootstrap_rows(problem, k, least_rows(control, k))
  many <- has_features(problem) && length(rows) > most_sampled
  if (many) rows <- draw_rows(rows, most_sampled)
  control <- restrict_settings(control, rows, problem$n)
  part <- if (many) subset_observations(problem, rows) else subset_problem(problem, rows)
  out <- quick_fit(part, k, control)
  labels <- if (many) extend(problem, k, rows, out$cluster) else extend_solution(problem, rows, out, k)
  compare_sample(fit, labels, rows, out$cluster, fit$w[rows])
}

# `drawn`: the labels of the rows in the sample, of all rows `labels`.
compare_sample <- function(fit, labels, rows = seq_along(labels), drawn = labels[rows], w = rep(1, length(rows))) {
  overlap <- weight_table(fit$cluster[rows], drawn, w, fit$k)
  list(jaccard = best_jaccard(overlap), same = as.raw(match_clusters(overlap)[labels] == fit$cluster))
}

# The distinct observations of one bootstrap sample, at least k.
bootstrap_rows <- function(problem, k, least = k, call = quote(stability())) {
  inside <- inside_rows(problem)
  for (attempt in 1:100) {
    rows <- sort(unique(inside[sample.int(length(inside), replace = TRUE)]))
    if (length(rows) >= least) {
      return(rows)
    }
  }
  abort_input(
    "k", call, "There are too many clusters for bootstrap samples of {length(inside)} observation{?s}.",
    "None of 100 samples held {least} different observations for {k} cluster{?s}.",
    "Use fewer clusters in `kgroups()`."
  )
}

# Weight that every pair of clusters shares, k x k: rows are those of `a`.
weight_table <- function(a, b, w, k) matrix(sum_by(w, a + k * (b - 1), k * k), k)

# For every cluster of the sample the cluster of the fit that it is matched to.
match_clusters <- function(overlap) order(as.integer(clue::solve_LSAP(overlap, maximum = TRUE)))

best_jaccard <- function(overlap) {
  union <- outer(rowSums(overlap), colSums(overlap), "+") - overlap
  best <- apply(overlap / union, 1L, max)
  best[rowSums(overlap) == 0] <- NA
  best
}

#' @export
print.kgroups_stability <- function(x, digits = 2, ...) {
  k <- nrow(x$clusters)
  cat("Stability of ", k, " cluster", plural(k), " over ", x$B, " bootstrap sample", plural(x$B), "\n", sep = "")
  print(format(x$clusters, digits = digits, nsmall = digits), row.names = FALSE)
  cat(
    "jaccard: mean similarity to the most similar cluster of a sample, 1 if equal\n",
    "recovered, ", "dissolved", ": share of samples in which it is at least 0.75, at most 0.5\n",
    "observations: mean share of samples in which its observations stay in it\n",
    sep = ""
  )
  if (!is.null(x$halves)) {
    cat(sprintf("Fits of two halves agree with these clusters to %.2f (adjusted Rand index)\n", two_digits(x$halves)))
  }
  if (length(x$alone)) cat(paste0(x$alone, ", so that they are stable in any case"), sep = "\n")
  unsure <- sort(x$observations[x$observations < 0.5])
  if (length(unsure)) {
    name <- names(unsure)
    if (is.null(name)) name <- as.character(order(x$observations)[seq_along(unsure)])
    name <- shorten(name, 60L)
    cat(
      length(unsure), " observation", plural(length(unsure)), " in ", if (length(unsure) == 1L) "its" else "their",
      " cluster in less than half of the samples: ", sizes_text(name, 10L), "\n",
      sep = ""
    )
  }
  invisible(x)
}

# The bounds of fpc::clusterboot() on the mean; stable is only a cluster that most samples recover.
stability_reading <- function(jaccard, recovered) {
  text <- c("not stable", "doubtful", "stable", "highly stable")
  level <- findInterval(jaccard, c(0.6, 0.75, 0.85)) + 1L
  ifelse(is.na(jaccard), NA_character_, text[ifelse(recovered < 0.75, pmin(level, 2L), level)])
}

# ---- graphs: bootstrap samples of the edges ----

# As many edges as there are, drawn with replacement; the distinct ones are the sample.
bootstrap_edges <- function(simple) {
  upper <- methods::as(Matrix::triu(simple$adjacency, 1), "TsparseMatrix")
  m <- length(upper@i)
  kept <- sort(unique(sample.int(m, replace = TRUE)))
  half <- Matrix::sparseMatrix(upper@i[kept] + 1L, upper@j[kept] + 1L, x = upper@x[kept], dims = dim(upper))
  graph_of(simple, methods::as(half + Matrix::t(half), "generalMatrix"))
}

edge_task <- function(task, problem, control, fit) {
  store <- problem$store
  simple <- bootstrap_edges(store$simple)
  parts <- bethe_parts(simple)
  problem <- graph_problem(simple, parts, store$gram, if (store$chosen) store$vertex_weights, store$normalize)
  compare_sample(fit, solve_problem(problem, control)$cluster)
}
