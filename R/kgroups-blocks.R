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
  sampled <- features_problem(problem, features)
  start <- solve_on_features(sampled, replace(control, "iter.max", 100))
  run <- means_passes(job, start, sampled, k, control$iter.max, tol)
  out <- filled_clusters(block_solution(job, run), k)
  control$k <- length(out$s)
  starts <- start$objectives * sum(out$s) / sum(problem$w)
  out$objectives <- replace(starts, start$best_start, out$features) + sum(out$rest)
  out$best_start <- start$best_start
  labels <- assign_features(sampled, out$means)
  out$extra <- list(approx = approximation(approx, map, out, problem, features, labels, sum(out$s)), W_exact = NULL)
  fit <- new_block_fit(call, problem, map, control, out, sample$scatter, env)
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
    list(x = cast_block(vctrs::vec_slice(one$x, take), prototype), w = one$w[take], at = before[i] + one$rows[take])
  })
  x <- lapply(some, `[[`, "x")
  x <- if (is.matrix(x[[1L]])) do.call(rbind, x) else vctrs::list_unchop(x)
  at <- unlist(lapply(some, `[[`, "at"))
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

# Return list(problem, scatter): the problem of the sampled rows, in the learned metric if there is one.
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
  list(problem = problem, scatter = scatter)
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

# Return list(means, iterations, converged). `sampled`: the problem of the features of the sample, solved by `start`.
means_passes <- function(job, start, sampled, k, iter.max, tol) {
  map <- job$map
  means <- start$means
  # all squared norms of the sample, a row
  norms <- (sum(start$cost) + sum(start$s * colSums(means^2))) / sum(sampled$w)
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
    fall <- before - least
    # W is this plus the sum of all squared norms; the mean of an empty cluster is replaced at most twice
    still <- if (fall <= tol * max(sum(s) * norms + least, 0)) still + 1 else 0
    if (still > 0 && (all(s > 0) || still > 2)) {
      converged <- TRUE
      break
    }
    before <- least
    means <- fill_means(means_from_sums(map, inverse, add_up(found, "sums"), s, means), s, sampled)
  }
  if (!converged) {
    hint <- "Raise {.arg iter.max}, or {.arg tol} if W is good enough."
    kg_warn(c("The passes had not converged after {pass}.", "i" = hint), "iterations")
  }
  list(means = means, iterations = pass, converged = converged)
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
fill_means <- function(means, s, sampled) {
  for (l in which(s == 0)) {
    cost <- sampled$w * row_least(.Call(ffi_features_distances, sampled$store, means))
    means[, l] <- take_features(sampled$store$z, sampled$n, which.max(cost), doubles = TRUE)
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

# Return the fit of the observed rows, whose number and weights take the place of those of the sample.
new_block_fit <- function(call, problem, map, control, out, scatter, env) {
  weights <- if (length(out$open)) out$w[-out$open] else out$w
  problem$n <- length(out$cluster)
  problem$w <- weights %||% rep(1, problem$n)
  problem$unit <- problem$unit * 4^map$scale
  problem["names"] <- list(NULL)
  control$method <- "lloyd"
  control$keep.data <- FALSE # the rows stay where they are
  fit <- fit_solution(call, NULL, problem, control, out, weights, env, init = "search")
  if (!is.null(scatter)) {
    fit <- structure(c(unclass(fit), list(scatter = scatter)), class = c("kgroups_metric_fit", class(fit)))
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
  list(x = if (is.null(job$prototype)) block else cast_block(block, job$prototype), w = w, mark = mark)
}

# Return a block as a matrix of numbers, or a data frame whose matrices and data frames are columns of their own.
check_block <- function(block, i) {
  block <- plain_numbers(block)
  if (length(dim(block)) < 2L && is.numeric(block) && !is.object(block)) block <- matrix(block)
  if (is.data.frame(block)) {
    n <- .row_names_info(block, 2L)
    check_column_lengths(unclass(block), n, sprintf("block %d", i), "blocks", quote(kgroups()))
    columns <- flat_columns(block)
    columns <- Map(plain_column, columns, rlang::names2(columns), i)
    block <- bare_numbers(structure(columns, class = "data.frame", row.names = .set_row_names(n)))
    if (is.data.frame(block) && is.null(names(block))) names(block) <- paste0("V", seq_along(block))
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

# Return the common prototype of all blocks, a data frame without rows and with the columns of block 1, or the error of
# the block that does not fit.
join_prototypes <- function(found) {
  out <- found[[1L]]$prototype
  for (i in seq_along(found)[-1L]) {
    own <- found[[i]]$prototype
    if (length(own) != length(out)) {
      abort_block(i, sprintf("It has %d column%s, block 1 has %d.", length(own), plural(length(own)), length(out)))
    }
    at <- match(names(out), names(own))
    lost <- names(out)[is.na(at) | duplicated(at)]
    if (length(lost) && !identical(names(own), names(out))) {
      abort_block(i, sprintf("It has no column %s, which block 1 has.", lost[1L]))
    }
    out <- tryCatch(
      vctrs::vec_ptype2(out, own, x_arg = "before", y_arg = "here"),
      vctrs_error_incompatible_type = function(e) abort_block(i, conditionMessage(e), "Let the reader convert it.")
    )
  }
  vctrs::vec_ptype_finalise(out)
}

# Return a block as a matrix, its columns by name if it has those names, if the columns of all blocks are numbers.
cast_block <- function(x, prototype) {
  if (is.data.frame(x)) {
    return(bare_numbers(vctrs::vec_cast(x, prototype)))
  }
  names <- names(prototype)
  if (identical(colnames(x), names) || !setequal(colnames(x), names)) x else x[, names, drop = FALSE]
}

# Return the points of the rows of a block in which something is observed, in units of `exponent`, with their weights;
# `open` are the others, `unseen`: were there levels that the sample does not have?
block_points <- function(i, job) {
  block <- read_block(i, job)
  kept <- setdiff(seq_along(block$w), job$open[[i]])
  w <- times_power_of_two(block$w[kept], -job$w_exponent)
  unseen <- FALSE
  if (length(kept) == 0L) {
    return(list(x = matrix(0, 0L, 0L), w = w, given = block$w, unseen = unseen))
  }
  arg <- sprintf("block %d", i)
  points <- withCallingHandlers(
    {
      points <- apply_blueprint(job$blueprint, vctrs::vec_slice(block$x, kept), arg, quote(kgroups()), what = "x")
      all_observed(points, arg, "x", quote(kgroups()))
    },
    kg_warning_levels = function(w) {
      unseen <<- TRUE
      tryInvokeRestart("muffleWarning")
    }
  )
  list(x = new_coordinates(job$map, points, quote(kgroups()), arg), w = w, given = block$w, unseen = unseen)
}

# ---- the work of a pass on block i; `job` holds all that a worker needs ----

# Return the number of rows, the prototype of the columns, the rows without an observed value, and some of the others,
# drawn by the uniforms of the job.
survey_block <- function(i, job) {
  block <- read_block(i, job)
  x <- block$x
  if (job$fail && anyNA(x)) {
    missing <- Filter(function(count) count > 0, colSums(is.na(as.data.frame(x))))
    abort_block(
      i, sprintf("Column %s has %d missing cell%s.", names(missing)[1L], missing[1L], plural(missing[1L])),
      "Leave such rows out in the reader, or use missing = \"impute\"."
    )
  }
  open <- unobserved_rows(x)
  kept <- setdiff(seq_len(nrow(x)), open)
  u <- job$uniforms[, i]
  drawn <- if (length(kept) <= length(u)) order(u[seq_along(kept)]) else unique(floor(u * length(kept)) + 1)
  rows <- kept[drawn]
  list(
    n = nrow(x), open = open, mark = block$mark, prototype = as.data.frame(vctrs::vec_slice(x, 0L)),
    x = vctrs::vec_slice(x, rows), w = block$w[rows], rows = rows
  )
}

add_up <- function(parts, name) Reduce(`+`, lapply(parts, `[[`, name), 0)

# Return work(x, w) of parts of a block whose values against the landmarks stay in the cache.
over_parts <- function(block, m, work) {
  rows <- seq_along(block$w)
  lapply(split(rows, ceiling(rows / max(16, floor(131072 / m)))), function(rows) {
    work(block$x[rows, , drop = FALSE], block$w[rows])
  })
}

pass_block <- function(i, job) {
  parts <- over_parts(block_points(i, job), job$map$m, function(x, w) {
    values <- landmark_values(job$map$store, job$map$landmarks, x, quote(kgroups()))
    .Call(ffi_lowrank_pass, values, w, job$U, job$h)
  })
  lapply(c(sums = "sums", s = "s", least = "least"), add_up, parts = parts)
}

label_block <- function(i, job) {
  block <- block_points(i, job)
  parts <- over_parts(block, job$map$m, function(x, w) {
    features <- point_features(job$map, x, quote(kgroups()))
    part <- .Call(ffi_features_assign, list(w = w, store = new_features_store(features$z, length(w))), job$means)
    part$rest <- sum_by(w * features$rest, part$cluster, ncol(job$means))
    part
  })
  out <- lapply(c(cost = "cost", sums = "sums", s = "s", rest = "rest"), add_up, parts = parts)
  out$cluster <- unlist(lapply(parts, `[[`, "cluster"), use.names = FALSE)
  out$given <- if (is.character(job$weights)) block$given
  out$unseen <- block$unseen
  out
}
