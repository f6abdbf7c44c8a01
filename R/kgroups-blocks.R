# Clustering of blocks: landmarks and a start from a sample of rows, then Lloyd's passes
# over all blocks. A pass needs no features: with the means mu_l in the features' space
#     phi(x) . mu_l = sum_a U_la B(x, z_a) - constant,
# so a block gives back the sums of B(x, z_a) over its clusters, k x m numbers.

#' Cluster observations in blocks
#'
#' The method of [kgroups()] for [row_blocks()]: landmark features ([nystroem()]), with rows that
#' are read block by block in every pass, here or on workers.
#'
#' @param x Blocks, from [row_blocks()].
#' @inheritParams kgroups
#' @param k The number of clusters, a whole number of at least 1.
#' @param semimetric The dissimilarity of two observations, see [semimetrics]. Default `rho_power(1)`, the Euclidean distance.
#' @param nstart The number of starts that the sample is clustered from. `NULL` (default): a search, see [kgroups-search].
#' @param weights `NULL`; or one weight for each row, in the order of the blocks; or the
#'   name of the column that holds the weights (it is then no coordinate).
#' @param iter.max The largest number of passes over the data, default 100.
#' @param approx [nystroem()], needed; without `polish`, and landmarks chosen from the sample
#'   or given as points.
#' @param cl The workers that process the blocks: a cluster of package \pkg{parallel} (on this
#'   machine, over ssh, by MPI). `NULL` (default): the workers of your [future::plan()], batch queues included, if
#'   there are any, else this process.
#' @param tol Passes end when one lowers W by less than this share, default `1e-6`.
#'
#' @return A fit as [kgroups()] makes, with `approx` as in [nystroem()]. `iterations` counts the
#'   passes. [predict()][predict.kgroups_fit] needs `newdata`; for a block of the data it gives
#'   the fit's labels.
#'
#' @section Algorithm:
#' A first pass counts rows and draws a sample of about `max(20000, 50 k, 10 m)` rows by R's
#' generator. Landmarks, bandwidth and start come from the sample, the start by the search
#' of [nystroem()] with Hartigan's method. Then each pass assigns every row to the nearest mean
#' (Lloyd's method: for data of this size a single row hardly moves a mean, and the result does not
#' depend on how blocks are spread over workers). A last pass gives labels and W.
#'
#' Tables become points as in [as_points()]: if columns are not all numbers, or cells are missing, or
#' columns are standardised, one more pass finds means, standard deviations and shares over all blocks. The
#' model of missing cells is learnt from the sample.
#'
#' The same `set.seed()` gives the same labels for any number of workers. Workers return the rows of the sample once, k x m sums and
#' weights in each pass, and the labels at the end; landmarks and means are sent to them.
#'
#' @section When a worker fails:
#' An error names the block if its reader fails, or if the block has columns of other names or types, infinite values, a row in
#' which nothing is observed, no rows, or another number of rows than before. It is also an error if a worker of a cluster
#' dies. Nothing was changed then: make a new cluster and call again with the same seed. If a future is lost, its pass is
#' repeated once.
#'
#' @section Complexity: A pass costs \eqn{O(n m (d + k))}{O(n m (d + k))}, the last one
#'   \eqn{O(n m (d + m))}{O(n m (d + m))}. Memory: the sample, one block for each worker and
#'   \eqn{O(k m + m^2)}{O(k m + m^2)}; the labels, 4 bytes for each row.
#' @family clustering
#' @examples
#' # earthquakes in five blocks of 200 rows: sizes of three clusters
#' parts <- row_blocks(function(i) quakes[200 * (i - 1) + 1:200, c("depth", "mag")], 5)
#' set.seed(1)
#' kgroups(parts, 3, standardize = TRUE, approx = nystroem(50))
#' @export
kgroups.kgroups_blocks <- function(x, k, ..., semimetric = rho_power(1), weights = NULL, nstart = NULL,
                                   iter.max = 100, approx = NULL, cl = NULL, tol = 1e-6,
                                   threads = getOption("kgroups.threads", 1L), keep.data = TRUE,
                                   column_weights = NULL, standardize = FALSE, missing = c("impute", "fail")) {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  env <- rlang::current_env()
  check_no_dots(..., call = env)
  approx <- check_block_approx(approx, env)
  semimetric <- check_semimetric(semimetric, env)
  control <- read_control(list(iter.max = iter.max, approx = approx, threads = threads, keep.data = keep.data), env)
  use_threads(control$threads)
  on.exit(use_threads(1))
  tol <- check_number(tol, "tol", 0, call = env)
  if (!is.null(nstart)) check_count(nstart, "nstart", 1, 1e6, call = env)
  cl <- check_cluster(cl, env)
  k <- check_count(k, "k", 1, 1e6, call = env)
  settings <- list(
    column_weights = column_weights, standardize = is_within(standardize, env) || standardize,
    missing = check_choice(missing, "missing", c("impute", "fail"), env)
  )
  survey <- survey_blocks(x, k, weights, approx, settings, cl, env)
  scatter <- NULL
  if (is_within(standardize, env)) { # the metric of the sampled rows, for all blocks
    sampled <- as_problem(survey$x, semimetric, survey$w, call = env)
    learned <- solve_problem(sampled, new_control(check_k(k, sampled, env), metric = TRUE), env)
    scatter <- learned$extra$scatter
    semimetric <- learned$problem$semimetric
    survey$x <- new_points(learned$problem$points, learned$problem$blueprint)
    survey$job$blueprint <- learned$problem$blueprint
  }
  problem <- landmark_problem(survey$x, semimetric, survey$w, env)
  control <- complete_control(control, problem, k, NULL, nstart, env)
  k <- control$k
  landmarks <- choose_landmarks(problem, approx, env)
  map <- landmark_map(problem, landmarks, env)
  job <- survey$job
  job$map <- map
  job$w_exponent <- log2(problem$w_unit)
  features <- store_features(problem$store, map, env)
  on_sample <- control
  on_sample$iter.max <- 100
  start <- solve_on_features(features_problem(problem, features), on_sample)
  run <- means_passes(x$n, job, map, start$means, features$z, problem, k, control$iter.max, tol, cl, env)
  out <- block_solution(x$n, job, run, cl, env)
  used <- which(tabulate(out$cluster, k) > 0L)
  if (length(used) < k) {
    warn_fewer_clusters(k, length(used))
    k <- length(used)
    out$cluster <- match(out$cluster, used)
    for (part in c("cost", "s", "rest")) out[[part]] <- out[[part]][used]
    run$means <- run$means[, used, drop = FALSE]
  }
  out$objectives <- start$objectives * sum(out$s) / sum(problem$w)
  out$best_start <- start$best_start
  out$objectives[out$best_start] <- out$features
  out$objectives <- out$objectives + sum(out$rest)
  sampled <- assign_features(features_problem(problem, features), run$means)
  pairs <- random_pairs(sampled, problem$w, k, gap_pairs(problem))
  rho <- store_rho(problem$store, pairs[, 1L], pairs[, 2L])
  gap <- feature_gap(rho / 4^map$scale, features, problem$n, pairs)
  control$k <- k
  weights <- if (is.character(weights)) out$w else weights
  # the rows will not be at hand when new ones come
  if (is.null(problem$blueprint$normal)) problem$blueprint <- learn_normal(problem$blueprint, problem$points, survey$w)
  fit <- new_block_fit(call, x, out, run, control, map, gap, problem, weights, env)
  inform_known_groups(survey$table, fit$cluster[survey$at])
  if (is.null(scatter)) {
    return(fit)
  }
  structure(c(unclass(fit), list(scatter = scatter)), class = c("kgroups_metric_fit", class(fit)))
}

check_block_approx <- function(approx, call) {
  if (!inherits(approx, "kgroups_nystroem")) {
    abort_argument(approx, "approx", "be landmarks for blocks, rows that stand for all.", "Use {.code approx = nystroem(256)}.", call = call)
  }
  if (is.numeric(approx$landmarks) && is.null(dim(approx$landmarks))) {
    abort_input(
      "approx", call,
      "Blocks cannot have landmarks by row number.",
      "You supplied them in {.fn nystroem}.",
      "Give landmarks as a matrix of points."
    )
  }
  check_unpolished(approx, call)
}

# ---- the first pass ----

# Rows of each block, and a sample in proportion to them.
survey_blocks <- function(x, k, weights, approx, settings, cl, call) {
  n <- x$n
  target <- max(20000, 50 * k, 10 * approx$m)
  draws <- min(target, ceiling(2 * target / n) + 10)
  named <- is.character(weights) && length(weights) == 1L
  job <- list(
    purpose = "Counting rows", reader = x$reader,
    weights = if (named) weights, uniforms = matrix(stats::runif(draws * n), draws)
  )
  found <- over_blocks(n, survey_block, job, cl, call)
  columns <- found[[1L]]$columns
  for (i in seq_along(found)) with_call(rlang::error_call(call), check_block_columns(found[[i]]$columns$number, found[[i]]$columns$names, columns, i))
  rows <- vapply(found, `[[`, 0L, "n")
  total <- sum(as.numeric(rows))
  if (total > .Machine$integer.max) {
    abort_input(
      "blocks", call,
      "The blocks must have at most {(.Machine$integer.max)} rows together.",
      "They have {format(total)}.",
      "Cluster some of the blocks and use {.fn predict} on the others."
    )
  }
  before <- c(0, cumsum(as.numeric(rows)))
  if (!named && !is.null(weights)) weights <- check_weights(weights, total, call = call)
  take <- Map(function(one) {
    seq_len(min(nrow(one$x), max(1, round(target * one$n / total))))
  }, found)
  samples <- Map(function(one, at) one$x[at, , drop = FALSE], found, take)
  check_block_range(vapply(found, function(one) one$columns$largest, 0), samples, call)
  w <- unlist(Map(function(one, at, start) {
    if (is.numeric(weights)) weights[start + one$rows[at]] else one$w[at]
  }, found, take, before[seq_len(n)]))
  if (all(w == 0)) {
    abort_input(
      "weights", call,
      "The sample has no row of positive weight.",
      "{length(w)} row{?s} were drawn.",
      "Leave rows of weight 0 out of the blocks."
    )
  }
  job$uniforms <- NULL
  job$weights <- weights
  job$columns <- columns[c("number", "names")]
  job$rows <- rows
  job$marks <- lapply(found, `[[`, "mark")
  job$before <- before
  some <- sampled_table(samples, Map(function(one, at, start) start + one$rows[at], found, take, before[seq_len(n)]))
  inform_input(some$table, names(settings$column_weights), TRUE, some$at)
  made <- blueprint_of_blocks(lapply(found, `[[`, "columns"), rows, samples, w, settings, function(used) {
    job$purpose <- "Means and shares"
    job$used <- used
    over_blocks(n, describe_block, job, cl, call)
  }, call)
  job$blueprint <- blueprint_of(made)
  list(x = made, w = w, job = job, table = some$table, at = some$at)
}

# Return list(table, at): sampled rows of the blocks that have the types of block 1, for the input checks, in the order of
# their numbers `at`.
sampled_table <- function(samples, rows) {
  types <- function(block) if (is.data.frame(block)) lapply(block, class)
  same <- vapply(samples, function(block) identical(types(block), types(samples[[1L]])), NA)
  at <- unlist(rows[same])
  kept <- evenly_spaced(order(at), 4000)
  list(table = do.call(rbind, unname(samples[same]))[kept, , drop = FALSE], at = at[kept])
}

# Refuse blocks with outliers so extreme that distances overflow. All blocks are checked because
# the sample may miss them.
check_block_range <- function(largest, samples, call) {
  size <- abs(as.double(unlist(lapply(samples, function(x) {
    if (is.matrix(x)) as.vector(x) else unlist(Filter(function(v) is.numeric(v) && !is.object(v), as.list(x)))
  }))))
  size <- size[!is.na(size) & size > 0]
  usual <- if (length(size)) stats::median(size) else 1
  far <- which(largest > 1e150 * usual)
  if (length(far)) {
    abort_input(
      "range", call,
      "The rows of all blocks must be of one order.",
      "Block {far[1L]} has a value of {format(largest[far[1L]], digits = 3)}; {format(usual, digits = 3)} is usual.",
      "Check the data for a code of missing values."
    )
  }
}

# Rows with equal features (duplicate rows, for example) share a cluster.
warn_fewer_clusters <- function(k, used) {
  kg_warn(
    c(
      "The fit has {used} cluster{?s} instead of {k}.",
      "x" = "{k - used} of them had no row left at the end.",
      "i" = "Lower {.arg k}, or give {.fn nystroem} more landmarks."
    ),
    "empty"
  )
}

# ---- passes ----

means_passes <- function(n, job, map, means, z, problem, k, iter.max, tol, cl, call) {
  # the triangular factor is not needed: 8 m^2 bytes less on the way
  job$map[c("T", "columns")] <- NULL
  inverse <- t(map$T[, seq_len(map$rank), drop = FALSE])
  used <- seq_len(map$rank)
  before <- Inf
  still <- 0
  converged <- FALSE
  for (pass in seq_len(iter.max)) {
    dual <- dual_means(map, inverse, means[used, , drop = FALSE], k)
    job$U <- dual$U
    job$h <- dual$h
    job$purpose <- sprintf("Pass %d", pass)
    found <- over_blocks(n, pass_block, job, cl, call)
    sums <- Reduce(`+`, lapply(found, `[[`, "sums"))
    s <- Reduce(`+`, lapply(found, `[[`, "s"))
    least <- Reduce(`+`, lapply(found, `[[`, "least"))
    # W is this plus the sum of all squared norms, which the sample estimates
    if (pass == 1L) norms <- sum(s) * squared_norms(z, problem)
    fall <- before - least
    # the mean of an empty cluster is replaced at most twice
    still <- if (fall <= tol * max(norms + least, 0)) still + 1 else 0
    if (still > 0 && (all(s > 0) || still > 2)) {
      converged <- TRUE
      break
    }
    before <- least
    means <- fill_means(means_from_sums(map, inverse, sums, s, means), s, z, problem, k)
  }
  list(means = means, iterations = pass, converged = converged)
}

squared_norms <- function(z, problem) {
  store <- new_features_store(z, problem$n)
  zero <- matrix(0, width_of_features(store), 1L)
  d2 <- .Call(ffi_features_distances, store, zero)
  sum(problem$w * d2) / sum(problem$w)
}

# U (m x k, columns of zeros behind) and h with |phi(x) - mu_l|^2 - |phi(x)|^2 =
# h_l - 2 sum_a U_al B(x, z_a).
dual_means <- function(map, inverse, means, k) {
  V <- crossprod(inverse, means)
  U <- matrix(0, map$m, 8 * ceiling(k / 8))
  U[seq_len(map$rank), seq_len(k)] <- V
  U[, seq_len(k)] <- U[, seq_len(k)] - rep(colSums(V) / map$m, each = map$m)
  list(U = U, h = colSums(means^2) + 2 * as.vector(crossprod(map$offset, V)))
}

# Means of the features from the sums of B(x, z_a); a cluster without weight keeps its own.
means_from_sums <- function(map, inverse, sums, s, means) {
  used <- seq_len(map$rank)
  centred <- sums[used, , drop = FALSE] - rep(colMeans(sums), each = map$rank) - outer(map$offset, s)
  filled <- s > 0
  means[used, filled] <- t(t(inverse %*% centred[, filled, drop = FALSE]) / s[filled])
  means
}

# An empty cluster is centred again on the row of the sample that costs most.
fill_means <- function(means, s, z, problem, k) {
  for (l in which(s == 0)) {
    n <- problem$n
    d2 <- .Call(ffi_features_distances, new_features_store(z, n), means)
    cost <- problem$w * do.call(pmin, lapply(seq_len(k), function(j) d2[, j]))
    means[, l] <- take_features(z, n, which.max(cost), doubles = TRUE)
  }
  means
}

# Labels, W of the features about the labels' own means, and the squared norms orthogonal to the landmarks.
block_solution <- function(n, job, run, cl, call) {
  job$purpose <- "Labels"
  job$means <- run$means
  found <- over_blocks(n, label_block, job, cl, call)
  add <- function(name) Reduce(`+`, lapply(found, `[[`, name))
  s <- add("s")
  own <- t(t(add("sums")) / pmax(s, .Machine$double.xmin))
  cost <- pmax(add("cost") - s * colSums((own - run$means)^2), 0) * (s > 0)
  rest <- add("rest")
  centre <- as.vector(own %*% s) / sum(s)
  list(
    cluster = unlist(lapply(found, `[[`, "cluster")), cost = cost + rest, s = s, rest = rest,
    features = sum(cost), total = sum(cost) + sum(rest) + sum(s * colSums((own - centre)^2)),
    w = add_weights(found, job), moves = NA_real_, iterations = run$iterations, converged = run$converged
  )
}

# The weights of all rows, where a column holds them: as they are in the blocks.
add_weights <- function(found, job) if (is.character(job$weights)) unlist(lapply(found, `[[`, "w"))

new_block_fit <- function(call, x, out, run, control, map, gap, problem, weights, env) {
  scaled <- problem
  scaled$unit <- problem$unit * 4^map$scale
  scaled$n <- length(out$cluster)
  scaled$w <- weights %||% rep(1, scaled$n) # of all rows, not of the sample
  scaled["names"] <- list(NULL)
  control$method <- "lloyd"
  out$extra <- list(approx = approximation(control$approx, map, out, gap, sum(out$s), scaled), W_exact = NULL)
  keep <- control$keep.data
  # the rows stay where they are
  control$keep.data <- FALSE
  fit <- fit_solution(call, x, scaled, control, out, weights, env, init = "search")
  if (keep) {
    first <- first_appearance(out$cluster, control$k)
    fit$kept <- list(map = map, means = run$means[, first, drop = FALSE], control = control)
  }
  if (!run$converged) {
    kg_warn(
      c(
        "The passes had not converged after {out$iterations}.",
        "i" = "Raise {.arg iter.max}, or {.arg tol} if W is good enough."
      ),
      "iterations"
    )
  }
  fit
}
