# Methods of base generics for fits.

#' Summary, labels and column means of a fit
#'
#' `print()` shows the clusters and the means of at most eight columns of numbers. A line names the columns of at most
#' 2 k values that alone give the clusters or some of them: each value lies in one cluster, but for 2 percent of the
#' rows and a tenth of each cluster. `summary()` adds a table of the clusters, the agreement of halves, the test of one
#' cluster, and information about the optimum: the range of W over the starts, the number of starts that attained the
#' least W, and advice.
#'
#' @param object,x A fit from [kgroups()] or [kernel_kmeans()].
#' @param row.names,optional As in [as.data.frame()].
#' @param method `"centers"` (default): the means of the columns of each observation's cluster; `"classes"`: the labels.
#' @param ... Not used: an unknown argument is an error.
#' @return `summary()`: a list of class `summary.kgroups_fit`:
#'   \item{fit}{the fit}
#'   \item{clusters}{a data frame with one row for each cluster: `cluster`, `size`, `weight`, `within` dispersion, and
#'     `half_mean`, half the mean dissimilarity of two of its observations (`within / weight`); under
#'     [rho_connected()] also `separated_by`: `"gap"` if the cluster is a union of whole branches, so that
#'     a gap surrounds it, else `"distance"`}
#'   \item{starts}{a list: `number` of starts, `least`, `median` and `largest` W over them, their
#'     `spread` (largest - least)/|least|, how many `found` the least to `1e-5` of it}
#'   \item{halves}{the adjusted Rand index of the clusters of the fit and those of a half of the rows, extended to all
#'   rows: the mean of two halves, the same at each call. It is near 1 for clusters that half of the rows show; a lower
#'   value indicates that some clusters, or the number of them, depend on the sample: [stability()] shows which. `NULL`
#'   for one cluster, for graphs and for too few rows}
#'   \item{one_cluster}{p of [cluster_test()] on at most 1000 rows, in the metric of the fit, the same at each call. A
#'   large p: a single cloud is not rejected, whatever the other values are. `NULL` without coordinates, with weights
#'   that differ, and with `units` or `together`, whose rows are not independent}
#'   \item{advice}{text}
#'
#'   `fitted()`: the n rows of `fit$centers`, or with `method = "classes"` the labels, as of [stats::kmeans()].
#'   `nobs()`: the number of observations. `as.data.frame()`: one row for each observation, with its name
#'   (`observation`), `weight` and `cluster`.
#' @section Centers and sizes:
#' `fit$centers` is the k x p matrix of weighted means of the numbers among the columns (`NULL` without them). They
#' describe the clusters, but do not define them: the means that k-groups compares lie in the feature space of the
#' semimetric, see [predict()][predict.kgroups_fit]. `fit$size` and `fit$sizes` count the labels, as
#' `table(fit$cluster)`: also those of rows of weight 0, but not noise, whose label is 0. Sums of squares as those of
#' [stats::kmeans()] are `within`, `W`, `S` and `total` of a fit under `rho_power(2)`; other names are `NULL`.
#' Components cannot be replaced by labels of another partition, or added.
#' @section Complexity: \eqn{O(n)}{O(n)}; `summary()` adds two fits of half of the rows, and [cluster_test()] on at
#'   most 1000 rows.
#' @family fits
#' @examples
#' # states in three clusters: their sizes and dispersion, the optimum, advice
#' fit <- kgroups(USArrests, 3, standardize = TRUE)
#' summary(fit)
#'
#' # means in the units of the columns
#' fit$centers
#' head(as.data.frame(fit))
#' @name fit-methods
NULL

#' @rdname fit-methods
#' @export
nobs.kgroups_fit <- function(object, ...) {
  object$n
}

#' @rdname fit-methods
#' @export
as.data.frame.kgroups_fit <- function(x, row.names = NULL, optional = FALSE, ...) {
  data.frame(
    observation = names(x$cluster) %||% as.character(seq_len(x$n)), weight = x$weights %||% rep(1, x$n),
    cluster = unname(x$cluster), row.names = row.names
  )
}

# ---- text: format() ----

#' @export
format.kgroups_fit <- function(x, digits = 7, ...) {
  check_fit(x)
  c(
    sprintf(
      "k-groups clustering: %d observation%s in %d cluster%s of size%s %s",
      x$n, plural(x$n), x$k, plural(x$k), plural(x$k),
      if (x$k > most_sizes) sprintf("from %d to %d", min(x$sizes), max(x$sizes)) else sizes_text(x$sizes)
    ),
    objective_text(x, digits),
    clustered_by(x$blueprint, x$data),
    if (!is.null(x$blueprint) && !is_plain(x$blueprint)) {
      paste0("Columns: ", blueprint_text(x$blueprint, mismatch_text(x$semimetric)))
    },
    input_text(x),
    method_text(x)
  )
}

# Clusters that a print shows one by one.
most_sizes <- 12L

# Return the line of the print with the value of the objective.
objective_text <- function(fit, digits) UseMethod("objective_text")

#' @export
objective_text.kgroups_fit <- function(fit, digits) {
  number <- function(value) format(value, digits = digits)
  share <- if (fit$total > 0 && fit$W >= 0) sprintf(" (%.1f %% of the total)", 100 * fit$S / fit$total)
  about <- if (is_approximate(fit)) "about "
  paste0("Within dispersion W = ", about, number(fit$W), ", between S = ", number(fit$S), share)
}

#' @export
objective_text.kgroups_graph_fit <- function(fit, digits) {
  paste0("Modularity ", format(fit$graph$modularity, digits = min(digits, 4)))
}

# Return the lines of the print about the dissimilarity and the weights.
input_text <- function(fit) UseMethod("input_text")

#' @export
input_text.kgroups_fit <- function(fit) {
  c(semimetric_line(fit), weights_text(fit$weights))
}

#' @export
input_text.kgroups_landmark_fit <- function(fit) c(approximation_text(fit$approx), NextMethod())

#' @export
input_text.kgroups_graph_fit <- function(fit) {
  graph <- fit$graph
  sprintf(
    "Graph: %s edges%s, Gram matrix %s, vertex weights %s%s",
    format(graph$edges, big.mark = ","), paste0(", ", graph$changed, recycle0 = TRUE, collapse = ""), graph$gram,
    graph$vertex_weights,
    if (identical(graph$result, "start")) "; the start, which no move improved" else ""
  )
}

# Return the semimetric of a fit, a tree or a selection as text.
semimetric_text <- function(x) {
  if (is.null(x$semimetric)) {
    return("that of the Gram matrix")
  }
  label <- format(x$semimetric)
  if (x$given %||% (is.null(x$blueprint) && !inherits(x$data, "Matrix"))) {
    label <- gsub("|x - y|", "d", label, fixed = TRUE)
    label <- gsub("Euclidean distance", "given dissimilarities", label, fixed = TRUE)
  }
  label
}

# Return the line about another semimetric than the default.
semimetric_line <- function(fit) {
  text <- semimetric_text(fit)
  if (text != "Euclidean distance") paste0("Semimetric: ", text)
}

weights_text <- function(weights) {
  if (!is.null(weights)) {
    ends <- vapply(range(weights[weights > 0]), format, "", digits = 3)
    range <- if (ends[1L] != ends[2L]) sprintf(", from %s to %s", ends[1L], ends[2L])
    paste0("Weights: total ", format(sum(weights), digits = 7), range)
  }
}

# Return the lines of the print about the approximation by landmarks.
approximation_text <- function(approx) {
  percent <- function(value) format(round(100 * value, 4), digits = 2)
  if (approx$m == 0) {
    return("Landmarks: none, because the exact fit costs less; W is exact")
  }
  c(
    sprintf(
      "Landmarks: %d (%s), %d features%s", approx$m, approx$landmarks, approx$rank,
      if (approx$polished) "; finished exactly: W is exact" else ""
    ),
    if (!approx$polished) {
      sprintf(
        "W is approximate: about %s %% (standard error %s) above the exact W of this partition (%d pairs)",
        percent(approx$error), percent(approx$error_se), approx$pairs
      )
    }
  )
}

# Return the line of the print about the method: none for a fit by the default that converged.
method_text <- function(x) {
  converged <- isTRUE(x$converged)
  name <- switch(x$method,
    hartigan = if (!converged) "Hartigan (single moves)",
    lloyd = "Lloyd (reassignment of all)",
    exact = "exact (best partition into intervals of the sorted data)",
    x$method
  )
  unfinished <- sprintf(", NOT converged after %d iteration%s", x$iterations, plural(x$iterations))
  if (!is.null(name)) paste0("Method: ", name, if (!converged) unfinished)
}
