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
#' @param semimetric The dissimilarity of two observations, see [semimetrics]. Default `rho_power(1)`, the Euclidean
#'   distance.
#' @param nstart The number of starts that the sample is clustered from. `NULL` (default): a search, see
#'   [kgroups-search].
#' @param weights `NULL`; or one weight for each row, in the order of the blocks; or the
#'   name of the column that holds the weights (it is then no coordinate).
#' @param iter.max The largest number of passes over the data, default 100.
#' @param approx [nystroem()], needed; without `polish`, and landmarks chosen from the sample
#'   or given as points.
#' @param tol Passes end when one lowers W by less than this share, default `1e-6`.
#'
#' @return A fit as [kgroups()] makes, with `approx` as in [nystroem()]. `iterations` counts the
#'   passes. [predict()][predict.kgroups_fit] needs `newdata`; for a block of the data it gives
#'   the fit's labels.
#'
#' @section Algorithm:
#' A first pass counts rows and draws a sample of about `max(20000, 50 k, 10 m)` rows by R's generator; it has all rows
#' if there are fewer. Landmarks, bandwidth and start come from the sample, the start by the search of [nystroem()] with
#' Hartigan's method. Then each pass assigns every row to the nearest mean (Lloyd's method: for data of this size a
#' single row hardly moves a mean, and the result does not depend on how blocks are spread over workers). A last pass
#' gives labels and W.
#'
#' Tables become points as in [as_points()], with the means, standard deviations, shares and levels of the sample.
#' Levels that the sample does not have are taken as missing, with a warning. Columns of the blocks are matched by name.
#' Rows in which nothing is observed have the label `NA`.
#'
#' Blocks are read on the workers of your [future::plan()], if there are any; `future::plan(future::cluster, workers =
#' cl)` uses a cluster of package \pkg{parallel}. The same `set.seed()` gives the same labels for any number of workers.
#' Workers return the rows of the sample once, k x m sums and weights in each pass, and the labels at the end.
#'
#' @section When a worker fails:
#' An error names the block if its reader fails, or if the block has columns of other names or types, infinite values,
#' no rows, or other rows than in the first pass. If a worker is lost, its pass is repeated once.
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
                                   iter.max = 100, approx = NULL, tol = 1e-6,
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
  k <- check_count(k, "k", 1, 1e6, call = env)
  within <- is_within(standardize, env)
  fail <- check_choice(missing, "missing", c("impute", "fail"), env) == "fail"
  survey <- survey_blocks(x, max(20000, 50 * k, 10 * approx$m), weights, fail, env)
  inform_input(survey$x, names(column_weights), TRUE, survey$at)
  sample <- block_sample(survey, semimetric, k, column_weights, standardize, missing, within, env)
  problem <- sample$problem
  control <- complete_control(control, problem, k, NULL, nstart, env)
  k <- control$k
  map <- landmark_map(problem, choose_landmarks(problem, approx, env), env)
  job <- c(survey$job, list(blueprint = problem$blueprint, map = map, w_exponent = log2(problem$w_unit)))
  features <- store_features(problem$store, map, env)
  start <- solve_on_features(features_problem(problem, features), replace(control, "iter.max", 100))
  run <- means_passes(job, start$means, features$z, problem, k, control$iter.max, tol)
  out <- filled_clusters(block_solution(job, run), k)
  control$k <- length(out$s)
  fit <- new_block_fit(call, x, out, control, map, features, start, sample, env)
  if (control$keep.data) {
    first <- first_appearance(out$cluster, control$k)
    fit$kept <- list(
      map = map, means = out$means[, first, drop = FALSE], control = replace(control, "keep.data", FALSE)
    )
    fit$kept$control$method <- "lloyd"
  }
  if (length(out$open)) fit <- with_empty_rows(fit, out$open, n = out$n)
  inform_known_groups(survey$x, fit$cluster[survey$at])
  fit
}

check_block_approx <- function(approx, call) {
  if (!inherits(approx, "kgroups_nystroem")) {
    abort_argument(approx, "approx", "be landmarks for blocks.", "Use {.code approx = nystroem(256)}.", call = call)
  }
  if (is.numeric(approx$landmarks) && is.null(dim(approx$landmarks))) {
    abort_input(
      "approx", call, "Blocks cannot have landmarks by row number.", hint = "Give {.fn nystroem} a matrix of points."
    )
  }
  check_unpolished(approx, call)
}

# ---- the first pass ----

# Return list(x, w, at, job): a sample of about `target` rows, in proportion to the blocks, with their weights and
# numbers, and the job of later passes.
survey_blocks <- function(x, target, weights, fail, call) {
  named <- is.character(weights) && length(weights) == 1L
  draws <- min(target, ceiling(2 * target / x$n) + 10)
  job <- list(
    purpose = "Counting rows", reader = x$reader, kind = RNGkind(), blocks = x$n, here = x$here, fail = fail,
    weights = if (named) weights, uniforms = matrix(stats::runif(draws * x$n), draws)
  )
  found <- over_blocks(survey_block, job)
  prototype <- join_prototypes(found)
  rows <- vapply(found, `[[`, 0L, "n")
  total <- sum(as.numeric(rows))
  if (total > .Machine$integer.max) {
    abort_input(
      "blocks", call, "The blocks must have at most {(.Machine$integer.max)} rows together.",
      "They have {format(total)}.",
      "Cluster some of the blocks and use {.fn predict} on the others."
    )
  }
  before <- c(0, cumsum(as.numeric(rows)))
  if (!named && !is.null(weights)) weights <- check_weights(weights, total, call = call)
  some <- lapply(seq_along(found), function(i) {
    one <- found[[i]]
    take <- utils::head(seq_along(one$rows), if (total <= target) Inf else max(1, round(target * rows[i] / total)))
    take <- take[order(one$rows[take])]
    list(x = cast_block(one$x[take, , drop = FALSE], prototype, i), w = one$w[take], at = before[i] + one$rows[take])
  })
  x <- do.call(if (is.data.frame(some[[1L]]$x)) vctrs::vec_rbind else rbind, lapply(some, `[[`, "x"))
  at <- unlist(lapply(some, `[[`, "at"))
  if (is.matrix(x) && !found[[1L]]$named) colnames(x) <- NULL
  if (nrow(x) == 0L) {
    abort_input("blocks", call, "The blocks must have observed values.", "Nothing is observed in their rows.")
  }
  w <- if (is.numeric(weights)) weights[at] else unlist(lapply(some, `[[`, "w"))
  if (all(w == 0)) {
    abort_input("weights", call, "The sample must have rows of positive weight.", "{length(w)} row{?s} were drawn.")
  }
  job[c("uniforms", "weights")] <- list(NULL, weights)
  later <- list(
    prototype = prototype, marks = lapply(found, `[[`, "mark"), before = before, open = lapply(found, `[[`, "open")
  )
  list(x = x, w = w, at = at, job = c(job, later))
}

# Return work(i, job) for all blocks in their order.
over_blocks <- function(work, job) {
  run_tasks(
    seq_len(job$blocks), work, job,
    purpose = job$purpose, workers = !job$here && have_workers(), user = job$reader
  )
}

# Return list(problem, w, scatter): the problem of the sampled rows, in the learned metric if there is one.
block_sample <- function(survey, semimetric, k, column_weights, standardize, missing, within, call) {
  points <- make_points(survey$x, survey$w, column_weights, within || standardize, missing, call = call)
  scatter <- NULL
  if (within) {
    sampled <- as_problem(points, semimetric, survey$w, call = call)
    learned <- solve_problem(sampled, new_control(check_k(k, sampled, call), metric = TRUE), call)
    scatter <- learned$extra$scatter
    semimetric <- learned$problem$semimetric
    points <- new_points(learned$problem$points, learned$problem$blueprint)
  }
  problem <- landmark_problem(points, semimetric, survey$w, call)
  # the rows will not be at hand when new ones come
  if (is.null(problem$blueprint$normal)) problem$blueprint <- learn_normal(problem$blueprint, problem$points, survey$w)
  list(problem = problem, w = survey$w, scatter = scatter)
}

# Rows with equal features (duplicate rows, for example) share a cluster: leave clusters without rows out.
filled_clusters <- function(out, k) {
  used <- which(tabulate(out$cluster, k) > 0L)
  if (length(used) < k) {
    kg_warn(
      c(
        "The fit has {length(used)} cluster{?s} instead of {k}: the others had no row left at the end.",
        "i" = "Lower {.arg k}, or give {.fn nystroem} more landmarks."
      ),
      "empty"
    )
    out$cluster <- match(out$cluster, used)
    for (part in c("cost", "s", "rest")) out[[part]] <- out[[part]][used]
    out$means <- out$means[, used, drop = FALSE]
  }
  out
}

# ---- passes ----

# Return list(means, iterations, converged).
means_passes <- function(job, means, z, problem, k, iter.max, tol) {
  map <- job$map
  # the triangular factor is not needed: 8 m^2 bytes less on the way
  job$map[c("T", "columns")] <- NULL
  used <- seq_len(map$rank)
  inverse <- t(map$T[, used, drop = FALSE])
  before <- Inf
  still <- 0
  converged <- FALSE
  for (pass in seq_len(iter.max)) {
    job[c("U", "h")] <- dual_means(map, inverse, means[used, , drop = FALSE], k)
    job$purpose <- sprintf("Pass %d", pass)
    found <- over_blocks(pass_block, job)
    s <- add_up(found, "s")
    least <- add_up(found, "least")
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
    means <- fill_means(means_from_sums(map, inverse, add_up(found, "sums"), s, means), s, z, problem, k)
  }
  if (!converged) {
    hint <- "Raise {.arg iter.max}, or {.arg tol} if W is good enough."
    kg_warn(c("The passes had not converged after {pass}.", "i" = hint), "iterations")
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

# Return a solution of the observed rows: labels, W of the features about the labels' own means, and the squared norms
# orthogonal to the landmarks.
block_solution <- function(job, run) {
  job$purpose <- "Labels"
  job$means <- run$means
  found <- over_blocks(label_block, job)
  s <- add_up(found, "s")
  own <- t(t(add_up(found, "sums")) / pmax(s, .Machine$double.xmin))
  cost <- pmax(add_up(found, "cost") - s * colSums((own - run$means)^2), 0) * (s > 0)
  rest <- add_up(found, "rest")
  centre <- as.vector(own %*% s) / sum(s)
  if (any(vapply(found, `[[`, NA, "unseen"))) {
    kg_warn("Blocks have levels that the sample of rows does not have: they are taken as missing.", "levels")
  }
  list(
    cluster = unlist(lapply(found, `[[`, "cluster")), cost = cost + rest, s = s, rest = rest, means = run$means,
    features = sum(cost), total = sum(cost) + sum(rest) + sum(s * colSums((own - centre)^2)),
    # the weights of all rows, as they are in the blocks
    w = if (is.character(job$weights)) unlist(lapply(found, `[[`, "given")) else job$weights,
    open = unlist(Map(`+`, job$open, job$before[seq_along(job$open)])), n = job$before[length(job$before)],
    moves = NA_real_, iterations = run$iterations, converged = run$converged
  )
}

# Return the fit of the observed rows.
new_block_fit <- function(call, x, out, control, map, features, start, sample, env) {
  problem <- sample$problem
  k <- control$k
  out$objectives <- start$objectives * sum(out$s) / sum(problem$w)
  out$best_start <- start$best_start
  out$objectives[out$best_start] <- out$features
  out$objectives <- out$objectives + sum(out$rest)
  sampled <- assign_features(features_problem(problem, features), out$means)
  pairs <- random_pairs(sampled, problem$w, k, gap_pairs(problem))
  rho <- store_rho(problem$store, pairs[, 1L], pairs[, 2L])
  gap <- feature_gap(rho / 4^map$scale, features, problem$n, pairs)
  problem$unit <- problem$unit * 4^map$scale
  problem$n <- length(out$cluster)
  weights <- if (length(out$open)) out$w[-out$open] else out$w
  problem$w <- weights %||% rep(1, problem$n) # of all rows, not of the sample
  problem["names"] <- list(NULL)
  out$extra <- list(approx = approximation(control$approx, map, out, gap, sum(out$s), problem), W_exact = NULL)
  control$method <- "lloyd"
  control$keep.data <- FALSE # the rows stay where they are
  fit <- fit_solution(call, x, problem, control, out, weights, env, init = "search")
  if (!is.null(sample$scatter)) {
    fit <- structure(c(unclass(fit), list(scatter = sample$scatter)), class = c("kgroups_metric_fit", class(fit)))
  }
  fit
}

# ---- a block: a matrix of numbers or a data frame, of the columns of the common prototype ----

abort_block <- function(i, came, hint = NULL) {
  abort_input("blocks", quote(kgroups()), "Block {i} cannot be used.", "{came}", if (!is.null(hint)) "{hint}")
}

# Return block i as list(x, w, mark). `job`: reader and weights; of later passes also the prototype, and rows and marks
# of the first pass.
read_block <- function(i, job) {
  # set.seed() in a reader draws the same on workers
  suppressWarnings(do.call(RNGkind, as.list(job$kind)))
  block <- tryCatch(job$reader(i), error = function(e) {
    reason <- conditionMessage(e)
    abort_input(
      "reader", quote(kgroups()), "The reader failed at block {i}.", "{reason}",
      "Try {.code x$reader({i})}, {.code x} being the blocks."
    )
  })
  block <- check_block(block, i)
  w <- rep(1, nrow(block))
  if (is.character(job$weights)) {
    if (!job$weights %in% colnames(block)) abort_block(i, sprintf("It has no column %s for the weights.", job$weights))
    w <- check_weights(as.data.frame(block)[[job$weights]], nrow(block), call = quote(kgroups()))
    block <- block[, !colnames(block) %in% job$weights, drop = FALSE]
  }
  mark <- block_mark(block, w)
  if (!is.null(job$marks) && !same_mark(mark, job$marks[[i]])) {
    abort_block(i, "Its rows are not those of the first pass.", "The reader must give the same rows each time.")
  }
  if (is.numeric(job$weights)) w <- job$weights[job$before[i] + seq_len(nrow(block))]
  list(x = if (is.null(job$prototype)) block else cast_block(block, job$prototype, i), w = w, mark = mark)
}

# Return a block as a matrix of numbers, or a data frame whose matrices and data frames are columns of their own.
check_block <- function(block, i) {
  block <- bare_numbers(plain_numbers(block))
  if (length(dim(block)) < 2L && is.numeric(block) && !is.object(block)) block <- matrix(block)
  if (is.data.frame(block)) {
    check_column_lengths(unclass(block), .row_names_info(block, 2L), sprintf("block %d", i), "blocks", quote(kgroups()))
    columns <- flat_columns(block)
    columns <- Map(plain_column, columns, rlang::names2(columns), i)
    block <- structure(columns, class = "data.frame", row.names = .set_row_names(.row_names_info(block, 2L)))
    block <- bare_numbers(block)
  } else if (!is_table(block)) {
    abort_block(
      i, sprintf("The reader gave %s.", value_text(block)), "It must give a matrix of numbers or a data frame."
    )
  }
  if (is.matrix(block)) block <- named_matrix(plain_points(block), NULL, plain_names(colnames(block)))
  if (nrow(block) == 0L) abort_block(i, "It has no rows.", "Leave empty blocks out.")
  block
}

# A column of a class that vctrs casts.
plain_column <- function(x, label, i) {
  if (inherits(x, "integer64")) x <- from_integer64(x, label, sprintf("block %d", i), "blocks", quote(kgroups()))
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (inherits(x, "haven_labelled_spss")) x <- without_user_missing(x)
  known <- c("factor", "Date", "POSIXct", "difftime")
  if (is.object(x) && is.numeric(unclass(x)) && !inherits(x, known)) as.vector(unclass(x)) else x
}

# Return checksums of a block: sums of numbers with a tolerance, because workers may round differently, and a hash of
# text.
block_mark <- function(x, w) {
  columns <- c(if (is.data.frame(x)) unclass(x) else list(x), list(w))
  text <- vapply(columns, is.character, NA)
  v <- unlist(lapply(columns[!text], function(v) as.double(unclass(v))), use.names = FALSE)
  v[is.na(v)] <- 0.377
  list(
    sums = c(sum(v), sum(v * sin(seq_along(v)))), size = sum(abs(v)),
    text = rlang::hash(list(dim(x), unname(columns[text])))
  )
}

same_mark <- function(now, before) {
  identical(now$text, before$text) && isTRUE(all(abs(now$sums - before$sums) <= 1e-12 * before$size))
}

# Return the common prototype of all blocks: a data frame without rows, or the error of the block that does not fit.
join_prototypes <- function(found) {
  out <- found[[1L]]$prototype
  for (i in seq_along(found)[-1L]) {
    own <- found[[i]]$prototype
    own <- own[block_columns(own, out, i)]
    out <- tryCatch(
      vctrs::vec_ptype2(out, own, x_arg = "before", y_arg = "here"),
      vctrs_error_incompatible_type = function(e) abort_block(i, conditionMessage(e), "Let the reader convert it.")
    )
  }
  vctrs::vec_ptype_finalise(out)
}

# Places of the columns of the first block in another one: by name.
block_columns <- function(x, first, i) {
  if (length(x) != length(first)) {
    abort_block(i, sprintf("It has %d column%s, block 1 has %d.", length(x), plural(length(x)), length(first)))
  }
  if (identical(names(x), names(first))) {
    return(seq_along(x))
  }
  at <- match(names(first), names(x))
  if (anyNA(at) || anyDuplicated(at)) {
    abort_block(
      i,
      sprintf("It has no column %s, which block 1 has.", names(first)[c(which(is.na(at)), which(duplicated(at)))[1L]])
    )
  }
  at
}

cast_block <- function(x, prototype, i) {
  numbers <- all(vapply(prototype, function(column) is.numeric(column) && !is.object(column), NA))
  if (is.matrix(x)) {
    other <- !identical(colnames(x), names(prototype)) && setequal(colnames(x), names(prototype))
    if (other) x <- x[, names(prototype), drop = FALSE]
    if (numbers) {
      return(x)
    }
    x <- as.data.frame(x)
  }
  x <- x[match(names(prototype), names(x))]
  x[] <- Map(vctrs::vec_cast, x, prototype)
  x
}

# Return the points of the rows of a block in which something is observed, in units of `exponent`, with their weights;
# `open` are the others, `unseen`: were there levels that the sample does not have?
block_points <- function(i, job) {
  block <- read_block(i, job)
  open <- job$open[[i]]
  unseen <- FALSE
  if (length(open)) block$x <- block$x[-open, , drop = FALSE]
  w <- times_power_of_two(if (length(open)) block$w[-open] else block$w, -job$w_exponent)
  if (length(w) == 0L) {
    return(list(x = matrix(0, 0L, 0L), w = w, given = block$w, unseen = FALSE))
  }
  arg <- sprintf("block %d", i)
  points <- withCallingHandlers(
    all_observed(
      apply_blueprint(job$blueprint, block$x, arg, quote(kgroups()), what = "x"), arg, "x", quote(kgroups())
    ),
    kg_warning_levels = function(w) {
      unseen <<- TRUE
      tryInvokeRestart("muffleWarning")
    }
  )
  rownames(points) <- NULL
  list(x = new_coordinates(job$map, points, quote(kgroups()), arg), w = w, given = block$w, unseen = unseen)
}

# ---- the work of a pass on block i; `job` holds all that a worker needs ----

# Return the number of rows, the prototype of the columns, the rows without an observed value, and some of the others,
# drawn by the uniforms of the job.
survey_block <- function(i, job) {
  block <- read_block(i, job)
  x <- block$x
  if (job$fail && anyNA(x)) {
    at <- which(vapply(as.data.frame(x), anyNA, NA))[1L]
    missing <- sum(is.na(as.data.frame(x)[[at]]))
    abort_block(
      i, sprintf("Column %s has %d missing cell%s.", names(at), missing, plural(missing)),
      "Leave such rows out in the reader, or use missing = \"impute\"."
    )
  }
  open <- unobserved_rows(x)
  kept <- setdiff(seq_len(nrow(x)), open)
  u <- job$uniforms[, i]
  drawn <- if (length(kept) <= length(u)) order(u[seq_along(kept)]) else unique(floor(u * length(kept)) + 1)
  rows <- kept[drawn]
  list(
    n = nrow(x), open = open, mark = block$mark, prototype = vctrs::vec_ptype(
      as.data.frame(if (is.matrix(x)) x[0L, , drop = FALSE] else x)
    ),
    named = !is.null(colnames(x)), x = x[rows, , drop = FALSE], w = block$w[rows], rows = rows
  )
}

# Split the rows of a block so that their values against the landmarks stay in the cache.
pieces_of <- function(n, m) split(seq_len(n), ceiling(seq_len(n) / max(16, floor(131072 / m))))

add_up <- function(parts, name) Reduce(`+`, lapply(parts, `[[`, name), 0)

pass_block <- function(i, job) {
  block <- block_points(i, job)
  parts <- lapply(pieces_of(nrow(block$x), job$map$m), function(rows) {
    values <- landmark_values(job$map$store, job$map$landmarks, block$x[rows, , drop = FALSE], quote(kgroups()))
    .Call(ffi_lowrank_pass, values, block$w[rows], job$U, job$h)
  })
  list(sums = add_up(parts, "sums"), s = add_up(parts, "s"), least = add_up(parts, "least"))
}

label_block <- function(i, job) {
  block <- block_points(i, job)
  parts <- lapply(pieces_of(nrow(block$x), job$map$m), function(rows) {
    w <- block$w[rows]
    features <- point_features(job$map, block$x[rows, , drop = FALSE], quote(kgroups()))
    part <- .Call(ffi_features_assign, list(w = w, store = new_features_store(features$z, length(w))), job$means)
    part$rest <- sum_by(w * features$rest, part$cluster, ncol(job$means))
    part
  })
  out <- lapply(c(cost = "cost", sums = "sums", s = "s", rest = "rest"), add_up, parts = parts)
  c(
    out,
    list(
      cluster = unlist(lapply(parts, `[[`, "cluster")), given = if (is.character(job$weights)) block$given,
      unseen = block$unseen
    )
  )
}
