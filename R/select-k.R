# The number of clusters. Fits, halves and reference sets are independent tasks; every
# criterion works on what they return.

k_criteria <- c("drop_ratio", "gap", "disco", "silhouette", "stability", "eigengap", "evidence")

#' How many clusters?
#'
#' Clusters the data into each number of clusters in `ks` and weighs the results by one or
#' more criteria. The first criterion chooses, the others stand beside it. By default the
#' drop ratio of W chooses, the stability under resampling is shown beside it, and a
#' warning is given if a reference without clusters explains the data as well.
#'
#' @inheritParams kgroups
#' @param x The observations, as in [kgroups()]: points, dissimilarities, a Gram matrix, a sparse
#'   symmetric matrix or a graph (its halves are those of the vertices). With criterion `"evidence"` a
#'   sparse matrix is the adjacency matrix of a graph.
#' @param weights Weights of the observations, finite and not negative; `NULL` (default) weighs
#'   all alike. A weight of 2 counts as two equal observations; those of weight 0 are left out.
#' @param ks The numbers of clusters to compare: whole numbers from 1 to the number of
#'   observations of positive weight. `NULL` (default) is 1 to 10, or to that number if it is less; for
#'   the evidence of a graph it is 1 and the numbers from two below to three above its
#'   [count_communities()]. A single number is tried alone, not as the largest of several, and a message
#'   says so (`kg_message_ks`): a computed `ks` may have length one.
#' @param criterion One or more of `"drop_ratio"`, `"gap"`, `"disco"`, `"silhouette"`,
#'   `"stability"`, `"eigengap"` and `"evidence"`, see Criteria. The first chooses. `NULL` (default) is
#'   `c("drop_ratio", "stability")`; `"evidence"` for a graph, `"stability"` for one with edge weights: no
#'   others compare there.
#'   Sparse matrices and landmarks have no `"gap"` and no `"eigengap"`.
#' @param semimetric A semimetric, see [semimetrics]; or a list of them, for instance
#'   `list(rho_power(1/2), rho_power(1))`: then each chooses its own k by the first criterion, and the one whose
#'   clusters are most stable at its own k is believed.
#' @param splits The number of random half-splits for the stability, at least 2. Default 12.
#' @param B The number of reference sets for the gap statistic, at least 2. Default 50.
#' @param reference What the sets of criterion `"gap"` are drawn from: `"box"` (default),
#'   uniform in the box along the principal axes, or `"gaussian"`, normal with the same covariance.
#' @param one_cluster Compare with one cluster? If `TRUE` (default) and the choice is above
#'   1, a gap statistic with a Gaussian reference tells whether one cluster would do as well; if so,
#'   a warning of class `kg_warning_one_cluster` is given.
#'
#' @param ... `column_weights`, `standardize` and `missing`, which say how a table becomes points: see [as_points()].
#'   Anything else is an error.
#' @param method,iter.max,size_term,approx How the fits are made, as in [kgroups()].
#'
#' @return A list of class `c("kgroups_select_k", "kgroups_selection")`:
#'   \item{k}{the choice, one integer}
#'   \item{criterion}{the criteria; the first chose}
#'   \item{table}{a data frame with a row for each of `ks`: `k`, `W`, a column for each criterion,
#'     and its standard error in a column that ends in `_se`, where there is one; with the evidence of a
#'     graph `model`, which has the least}
#'   \item{reasons}{a data frame that says why a criterion is `NA` somewhere: `at` (the k),
#'     `criterion`, `reason`}
#'   \item{cluster}{the labels of the clusters chosen; where the evidence chose, those of the block model}
#'   \item{semimetric}{the semimetric, with its parameter}
#'   \item{half_choices}{with both `"drop_ratio"` and `"stability"`: how often the drop ratio chose
#'     which k in the half samples, a table}
#'   \item{one_cluster}{`TRUE` if the reference without clusters explains the data as well, `FALSE` if
#'     not, `NA` if not asked or not defined}
#'   \item{candidates}{with a list of semimetrics: a data frame with the k of each, its
#'     stability there and the verdict on one cluster}
#'   \item{splits, B, reference, n, call}{as given}
#'
#'   Methods: `print`, `format`, [`plot`][plot.kgroups_selection] and `autoplot`.
#'
#' @section Criteria:
#' * **`drop_ratio`**, largest: \eqn{(W_{k-1} - W_k) / (W_k - W_{k+1})}{(W[k-1] - W[k])/(W[k] -
#'   W[k+1])}, the last fall of W that is large beside the next one. The neighbours of `ks` are fitted
#'   too. Not defined at 1 and n, so it never chooses 1.
#' * **`stability`**, largest: the data are halved at random, both halves are clustered, both results
#'   are extended to all observations by the nearest mean, and compared by [compare_clusters()]; mean
#'   over `splits`, with its standard error (of these splits; they overlap, so it is on the low side).
#'   Not defined at 1. Stability is no proof of clusters: uniform data can be cut stably too. The gaps of
#'   [rho_connected()] are those of all observations in the halves too, which makes these alike.
#' * **`gap`**: \eqn{E^*[\log W^*] - \log W}{E*[log W*] - log W} over `B` reference sets, by the
#'   rule of Tibshirani, Walther and Hastie: the first k whose gap is at least that of the next k in `ks`
#'   less its standard error. It can choose 1. Dissimilarities and Gram matrices are embedded by
#'   their principal coordinates first, after the least constant that makes the squared distances
#'   Euclidean; at most 200 axes are drawn from, the others enter by their mean. The principal coordinates of
#'   a Gram matrix are those of its feature space, often of many dimensions, where the gap tends to
#'   rise with k. Not defined where W is not above 0.
#' * **`disco`**, largest: \eqn{[S / (k - 1)] / [W / (n - k)]}{[S/(k - 1)]/[W/(n - k)]}, n the total
#'   weight.
#' * **`silhouette`**, largest: the mean silhouette with \eqn{\rho}{rho} in place of the distance.
#' * **`eigengap`**, largest above k = 1, where it is large whatever the data:
#'   \eqn{\lambda_{k+1} - \lambda_k}{lambda[k+1] - lambda[k]} of the
#'   ascending eigenvalues of the random-walk Laplacian \eqn{I - D^{-1} A}{I - D^-1 A}. The affinity A is
#'   \eqn{1 - \rho/2}{1 - rho/2} for the bounded semimetrics ([rho_exponential()], [rho_gaussian()]) and
#'   \eqn{\exp(-\rho / \mathrm{median}\,\rho)}{exp(-rho/median rho)} otherwise.
#' * **`evidence`**, least: about minus the logarithm of the probability of a graph under the best of
#'   six block models, see [cluster_belief_propagation()]. For graphs without edge weights only. It can choose
#'   1. [cluster_communities()] looks further where the least is at the edge of what it has tried.
#'
#' @section Choosing a criterion:
#' On labelled data sets the drop ratio named the number of labels most often, followed by the gap with
#' a Gaussian reference; silhouette and DISCO ratio were behind. None of them is right always: look
#' at the table, at `half_choices`, and at more than one criterion. W, the silhouette and the DISCO
#' ratio must not be compared between semimetrics; use [select_semimetric()].
#'
#' The verdict on one cluster compares the gap of 1 cluster with that of 2 and of the k chosen, less
#' one standard error. It is a warning, not a test: it also fires for two clusters that overlap much.
#'
#' @section Complexity:
#' A fit for each k; `2 splits` fits of half the data for each k (stability); `B` sets of fits
#' for each k (gap), `B` sets for three values of k (verdict). Up to 2000 observations the
#' pair values are computed once and shared by all of them. The eigengap and the gap of dissimilarities need matrices of
#' \eqn{n^2}{n^2} doubles.
#'
#' @section Parallel work:
#' Fits, splits and reference sets run on the workers of your future plan if you have chosen
#' one, for example `future::plan("multisession")`, and the package \pkg{future.apply} is
#' installed. Every task has its own random stream: after one [set.seed()] the answer is the same for
#' any plan.
#'
#' @section Errors:
#' `kg_error_ks`, `kg_error_criterion` (unknown, or undefined for every k), `kg_error_splits`,
#' `kg_error_B`, `kg_error_reference`, `kg_error_candidates` and those of [kgroups()].
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
                     reference = c("box", "gaussian"), one_cluster = TRUE, ..., method = "hartigan",
                     iter.max = 100, size_term = FALSE, approx = NULL,
                     threads = getOption("kgroups.threads", 1L)) {
  call <- match.call()
  call[[1L]] <- quote(select_k)
  env <- rlang::current_env()
  check_kind(x, env)
  x <- preprocess_dots(x, weights, ..., call = env)
  # what has no coordinates is told by how firm its partitions are
  without <- inherits(x, "igraph") || inherits(x, "sparseMatrix")
  if (is.null(criterion)) {
    criterion <- if (!inherits(x, "igraph")) {
      c("drop_ratio", "stability")
    } else if (is.null(check_edge_weights(check_graph(x, "x", env), weights, env))) {
      "evidence"
    } else {
      "stability"
    }
  }
  criterion <- check_criteria(criterion, k_criteria, env)
  if ("evidence" %in% criterion && inherits(x, "sparseMatrix")) x <- adjacency_graph(x, env)
  splits <- check_count(splits, "splits", 2, 1e6, call = env)
  B <- check_count(B, "B", 2, 1e6, call = env)
  reference <- check_choice(reference, "reference", c("box", "gaussian"), call = env)
  one_cluster <- check_flag(one_cluster, "one_cluster", call = env)
  control <- selection_control(method, iter.max, size_term, approx, threads, env)
  use_threads(control$threads)
  on.exit(use_threads(1))
  check_possible_criteria(criterion, x, approx, env)
  many <- is.list(semimetric) && !inherits(semimetric, "kgroups_semimetric")
  options <- list(
    criterion = if (many) union(criterion, "stability") else criterion,
    splits = splits, B = B, reference = reference,
    # the verdict compares with reference sets, which want coordinates
    one_cluster = one_cluster && !without && is.null(approx), control = control
  )
  if (many) {
    candidates <- check_candidates(semimetric, x, env)
    # what is wrong with x or the weights is said before any candidate is tried
    as_problem(x, rho_power(1), weights, call = env)
    out <- choose_k_among(x, ks, candidates, weights, options, env)
  } else {
    semimetric <- if (brings_kernel(x) || inherits(x, "igraph")) {
      gram_semimetric(if (!missing(semimetric)) semimetric)
    } else {
      check_semimetric(semimetric, env)
    }
    problem <- selection_problem(x, semimetric, weights, control, env)
    if ("evidence" %in% criterion) {
      simple <- problem$store$simple
      if (simple$weighted) abort_weighted_evidence(env)
      if (is.null(ks)) ks <- evident_ks(simple, bethe_parts(simple))
    }
    if (inherits(x, "igraph") && is.null(ks)) {
      kg_abort(
        c(
          "{.arg ks} must be given for a graph.",
          "x" = "You left it out.",
          "i" = "For example {.code ks = 2:10}; {.fn count_communities} asks the graph itself."
        ),
        "ks",
        call = env
      )
    }
    ks <- check_compared_ks(ks, problem$n, env)
    halves <- if ("stability" %in% options$criterion) draw_halves(problem$n, splits)
    out <- choose_k(problem, ks, halves, options, env)
  }
  out$call <- call
  inform_one_k(out)
  warn_one_cluster(out)
  out
}

# Which criteria a kind of input can answer.
check_possible_criteria <- function(criterion, x, approx, call) {
  bad <- if (inherits(x, "igraph")) {
    setdiff(criterion, c("evidence", "stability"))
  } else if (inherits(x, "sparseMatrix")) {
    intersect(criterion, c("gap", "eigengap"))
  } else if (!is.null(approx)) {
    intersect(criterion, c("gap", "eigengap", "evidence"))
  } else {
    intersect(criterion, "evidence")
  }
  if (length(bad) == 0L) {
    return(invisible())
  }
  bad <- bad[1L]
  why <- if (inherits(x, "igraph")) {
    "On a graph only evidence and stability compare numbers of clusters: W belongs to no distance there."
  } else if (bad == "evidence") {
    "It is that of block models of a graph."
  } else if (inherits(x, "sparseMatrix")) {
    "It needs an n x n matrix, and the input is sparse."
  } else {
    "It needs the pair values, and landmarks avoid them."
  }
  kg_abort(
    c(
      "Criterion {.val {bad}} cannot be had for this input.",
      "x" = "{why}",
      "i" = if (inherits(x, "igraph")) {
        "Use {.val evidence} or {.val stability}."
      } else {
        "Use {.val stability}, drop_ratio, disco or silhouette."
      }
    ),
    "criterion",
    call = call
  )
}

abort_weighted_evidence <- function(call) {
  kg_abort(
    c(
      "Criterion {.val evidence} is for graphs without edge weights.",
      "x" = "The edges have weights.",
      "i" = "{.code weights = NA} leaves them out; {.val stability} takes them."
    ),
    "criterion",
    call = call
  )
}

# Ascending whole numbers from 1 to n, each once.
check_compared_ks <- function(ks, n, call) {
  if (is.null(ks)) {
    return(seq_len(min(10L, n)))
  }
  good <- is.numeric(ks) && length(ks) > 0L && all(is.finite(ks)) && all(ks == round(ks))
  if (good && min(ks) >= 1 && max(ks) <= n) {
    return(sort(unique(as.integer(ks))))
  }
  came <- if (good) {
    sprintf("You supplied %s.", format(ks[ks < 1 | ks > n][1L]))
  } else {
    paste0("You supplied ", describe(ks), ".")
  }
  kg_abort(
    c(
      "{.arg ks} must hold whole numbers from 1 to {n}.",
      "x" = "{came}",
      "i" = "For example {.code ks = 1:10}; no more clusters than observations of positive weight."
    ),
    "ks",
    call = call
  )
}

# The choice of k for one problem.
choose_k <- function(problem, ks, halves, options, call) {
  n <- problem$n
  criterion <- options$criterion
  all_ks <- if ("drop_ratio" %in% criterion) sort(unique(c(ks - 1L, ks, ks + 1L))) else ks
  all_ks <- all_ks[all_ks >= 1L & all_ks <= n]
  control <- options$control
  fits <- run_tasks(as.list(all_ks), search_task, problem = problem, control = control)
  all_W <- stats::setNames(vapply(fits, function(fit) true_W(problem, fit), 0), all_ks)
  total <- true_units(problem, fits[[1L]]$total)
  check_range(fits[[1L]]$total, total, 0, call)
  if (all_equal(problem, total)) abort_all_equal(call)
  fits <- fits[match(ks, all_ks)]
  W <- unname(all_W[as.character(ks)])
  values <- lapply(stats::setNames(nm = criterion), function(one) {
    switch(one,
      drop_ratio = drop_ratio(all_W, ks, n, total),
      disco = disco_ratio(W, total, ks, true_units(problem, sum(problem$w), "weight")),
      silhouette = silhouettes(problem, fits, ks),
      eigengap = eigengaps(problem, ks),
      evidence = evidences(problem, ks),
      stability = summarise_halves(
        run_tasks(halves, compare_halves, problem = problem, ks = ks, all_ks = all_ks, control = control),
        ks, all_ks, problem
      ),
      gap = run_gap(problem, ks, options$reference, options$B, control)
    )
  })
  table <- data.frame(k = ks, W = W)
  for (one in criterion) {
    table[[one]] <- values[[one]]$value
    if (!is.null(values[[one]]$se)) table[[paste0(one, "_se")]] <- values[[one]]$se
  }
  if ("evidence" %in% criterion) table$model <- values$evidence$model
  reasons <- do.call(rbind, lapply(criterion, function(one) {
    at <- which(is.na(values[[one]]$value))
    new_reasons(as.character(ks[at]), rep(one, length(at)), values[[one]]$reason[at])
  }))
  best <- chosen_row(table, criterion[1L])
  if (is.na(best)) abort_undefined(criterion[1L], reasons, call)
  k <- ks[best]
  labels <- if (criterion[1L] == "evidence") values$evidence$labels[[best]] else fits[[best]]$cluster
  cluster <- match(labels, first_appearance(labels, k))
  fields <- list(
    k = k,
    criterion = criterion,
    table = table,
    reasons = reasons,
    cluster = stats::setNames(cluster, problem$names),
    semimetric = problem$semimetric %||% problem$shown_semimetric,
    half_choices = if (all(c("drop_ratio", "stability") %in% criterion)) {
      table(k = factor(values$stability$choices, ks), useNA = "no")
    },
    one_cluster = if (options$one_cluster && k > 1L) one_cluster_verdict(problem, k, options$B, control) else NA,
    splits = options$splits, B = options$B, reference = options$reference, n = as.integer(n)
  )
  new_selection(fields, "k")
}

silhouettes <- function(problem, fits, ks) {
  out <- undefined(ks)
  out$reason[ks == 1L] <- "one cluster has no other beside it"
  out$reason[ks == problem$n] <- "every observation is a cluster of its own"
  for (i in which(is.na(out$reason) | (ks > 1L & ks < problem$n))) {
    out$value[i] <- mean_silhouette(problem, fits[[i]]$cluster, ks[i])
  }
  out
}

run_gap <- function(problem, ks, shape, B, control = new_control()) {
  model <- reference_model(problem, shape)
  logs <- run_tasks(as.list(0:B), log_dispersions, model = model, ks = ks, control = control)
  gap_statistic(do.call(rbind, logs), ks)
}

# Does one cluster do as well as two, and as the k chosen? By the gap with a Gaussian
# reference, one standard error; NA where it is not defined.
one_cluster_verdict <- function(problem, k, B, control = new_control()) {
  ks <- unique(c(1L, 2L, k))
  gap <- run_gap(problem, ks, "gaussian", B, control)
  all(gap$value[1L] >= gap$value[-1L] - gap$se[-1L])
}

chosen_row <- function(table, criterion) {
  value <- table[[criterion]]
  if (all(is.na(value))) {
    return(NA_integer_)
  }
  if (criterion == "gap") {
    return(first_gap(value, table$gap_se))
  }
  if (criterion == "evidence") {
    return(which.min(value))
  }
  # lambda[2] is large for every affinity that is nowhere close to 0
  if (criterion == "eigengap" && any(table$k > 1L & !is.na(value))) value[table$k == 1L] <- NA
  which.max(value)
}

# Every candidate semimetric chooses its own k; the one most stable there is believed.
choose_k_among <- function(x, ks, candidates, weights, options, call) {
  halves <- NULL
  results <- lapply(candidates, function(semimetric) {
    tryCatch(
      {
        problem <- selection_problem(x, semimetric, weights, options$control, call)
        ks <- check_compared_ks(ks, problem$n, call)
        if (is.null(halves)) halves <<- draw_halves(problem$n, options$splits)
        choose_k(problem, ks, halves, options, call)
      },
      kg_error_ks = function(e) stop(e),
      error = function(e) e
    )
  })
  failed <- vapply(results, inherits, NA, what = "error")
  if (all(failed)) abort_all_failed(candidates, results, call)
  at_own_k <- function(column) {
    vapply(results, function(one) {
      if (inherits(one, "error")) NA_real_ else one$table[[column]][match(one$k, one$table$k)]
    }, 0)
  }
  stability <- at_own_k("stability")
  table <- data.frame(
    semimetric = names(candidates),
    k = vapply(results, function(one) if (inherits(one, "error")) NA_integer_ else one$k, 1L),
    stability = stability, stability_se = at_own_k("stability_se"),
    one_cluster = vapply(results, function(one) if (inherits(one, "error")) NA else one$one_cluster, NA),
    row.names = NULL, stringsAsFactors = FALSE
  )
  best <- if (all(is.na(stability))) which(!failed)[1L] else which.max(stability)
  out <- results[[best]]
  out$candidates <- table
  out$one_cluster <- all(table$one_cluster, na.rm = TRUE) && !all(is.na(table$one_cluster))
  out$reasons <- rbind(out$reasons, new_reasons(
    names(candidates)[failed], rep("candidate", sum(failed)),
    vapply(results[failed], one_line, "")
  ))
  rownames(out$reasons) <- NULL
  out
}

# A computed `ks` may have length one, so that it does not stand for 1 to it.
inform_one_k <- function(out) {
  k <- out$table$k
  if (length(k) != 1L || k == 1L) {
    return(invisible())
  }
  kg_inform(
    c(
      "Only k = {k} is tried, as {.arg ks} holds this one number.",
      "i" = "To compare 1 to {k} clusters pass {.code 1:{k}}."
    ),
    "ks"
  )
}

warn_one_cluster <- function(out) {
  if (!isTRUE(out$one_cluster)) {
    return(invisible())
  }
  kg_warn(
    c(
      "There may be no clusters: one normal distribution explains W at {.arg k} = {out$k} as well.",
      "i" = "By the gap statistic with a Gaussian reference; it also says so of clusters that overlap much.",
      "i" = "Look at the data, for instance by {.fn plot}, before you rely on {out$k} clusters."
    ),
    "one_cluster"
  )
}

#' @export
format.kgroups_select_k <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "select_k")
  first <- x$criterion[1L]
  rule <- if (first == "gap") {
    "the first k whose gap is at least the next one's less its standard error"
  } else {
    compared <- x$table$k[!is.na(x$table[[first]])]
    if (first == "eigengap" && x$k > 1L) compared <- compared[compared > 1L]
    if (nrow(x$table) == 1L) {
      "the only k that was tried"
    } else {
      sprintf("%s is %s there among k = %s", first, extreme_text(first), runs_text(compared))
    }
  }
  beside <- if (nrow(x$table) > 1L) setdiff(x$criterion[-1L], "gap")
  other <- vapply(as.character(beside), function(one) {
    row <- chosen_row(x$table, one)
    row <- row[!is.na(row)]
    if (length(row) == 0L) {
      return(sprintf("%s is nowhere defined", one))
    }
    sprintf("%s is %s at k = %d", one, extreme_text(one), x$table$k[row])
  }, "")
  chosen <- if (nrow(x$table) > 1L) x$half_choices[x$half_choices > 0]
  c(
    sprintf("Number of clusters: k = %d by %s", x$k, criterion_names[[first]]),
    paste0("  ", rule),
    if (length(other)) paste0("  beside it: ", paste(other, collapse = "; ")),
    if (length(chosen)) {
      sprintf(
        "  in %d half samples the drop ratio chose k = %s", sum(chosen),
        paste(sprintf("%s (%d)", names(chosen), as.vector(chosen)), collapse = ", ")
      )
    },
    if (isTRUE(x$one_cluster)) "  one normal distribution explains the data as well: there may be no clusters",
    if (identical(x$one_cluster, FALSE)) "  a single normal distribution does not explain the data as well",
    paste0("Semimetric: ", if (is.null(x$semimetric)) "of the Gram matrix" else format(x$semimetric)),
    "",
    selection_table(x$table, match(x$k, x$table$k)),
    if (!is.null(x$candidates)) c("", "Candidates, each at its own k:", selection_table(x$candidates, 0L)),
    reason_text(x$reasons, "k = ")
  )
}
