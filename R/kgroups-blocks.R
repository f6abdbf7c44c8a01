# Clustering of blocks: landmarks and a start from a sample of rows, then Lloyd's passes
# over all blocks: a block gives back its labels, and the sums of the features over its clusters, k x m numbers.

#' Cluster observations in blocks
#'
#' The method of [kgroups()] for [row_blocks()]: landmark features ([nystroem()]), with rows that
#' are read block by block in every pass.
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
#' A first pass counts rows and draws a sample of about `max(20000, 50 k, 10 m)` rows by R's generator; it contains all
#' rows if there are fewer. Landmarks, bandwidth and start come from the sample, the start by the search of
#' [nystroem()] with Hartigan's method. Then each pass assigns every row to the nearest mean (Lloyd's method: for data
#' of this size a single row hardly moves a mean), until W falls no more.
#'
#' Tables become points as in [as_points()], with the means, standard deviations, shares and levels of the sample.
#' Levels that the sample does not have are taken as missing, with a warning. Columns of the blocks are matched by name.
#'
#' An error names the block if its reader fails, or if the block has columns of other names or types, infinite values,
#' no rows, or other rows than in the first pass.
#'
#' @section Complexity: A pass costs \eqn{O(n m (d + m + k))}{O(n m (d + m + k))}. Memory: the sample, one block and
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
  control <- read_settings(list(iter.max = iter.max, approx = approx, threads = threads, keep.data = keep.data), env)
  local_threads(control$threads)
  tol <- check_number(tol, "tol", 0, call = env)
  if (!is.null(nstart)) check_count(nstart, "nstart", 1, 1e6, call = env)
  k <- check_count(k, "k", 1, 1e6, call = env)
  within <- is_within(standardize, env)
  fail <- check_choice(missing, "missing", c("impute", "fail"), env) == "fail"
  survey <- survey_blocks(x, max(20000, 50 * k, 10 * approx$m), weights, fail, env)
  inform_input(survey$x, names(column_weights), TRUE, survey$at)
  sample <- block_sample(survey, semimetric, k, column_weights, standardize, missing, within, env)
  problem <- sample$problem
  control <- complete_settings(control, problem, k, NULL, nstart, env)
  k <- control$k
  map <- landmark_map(problem, choose_landmarks(problem, approx, env), env)
  job <- c(survey$job, list(blueprint = problem$blueprint, map = map, w_exponent = log2(problem$w_unit)))
  features <- store_features(problem$store, map, env)
  sampled <- features_problem(problem, features)
  start <- solve_on_features(sampled, replace(control, "iter.max", 100))
  out <- block_passes(job, start$means, control$iter.max, tol)
  control[c("k", "method")] <- list(length(out$s), "lloyd")
  starts <- start$objectives * sum(out$s) / sum(problem$w)
  out$objectives <- replace(starts, start$best_start, out$features) + sum(out$rest)
  out[c("best_start", "map")] <- list(start$best_start, map)
  near <- assign_features(sampled, out$means)
  error <- approximation(approx, map, out, problem, features, near, sum(out$s))
  out$extra <- c(list(approx = error, W_exact = NULL), sample$learned)
  # the rows take the place of those of the sample
  weights <- survey$weights
  problem$n <- length(out$cluster)
  problem$w <- weights %||% rep(1, problem$n)
  problem$unit <- problem$unit * 4^map$scale
  fit <- fit_solution(call, NULL, problem, control, out, weights, env, init = "search")
  # the rows stay where they are
  if (control$keep.data) fit$kept["problem"] <- NULL
  if (within) class(fit) <- c("kgroups_metric_fit", class(fit))
  inform_known_groups(survey$x, fit$cluster[survey$at])
  fit
}

check_block_approx <- function(approx, call) {
  if (!inherits(approx, "kgroups_nystroem") || is.numeric(approx$landmarks) && is.null(dim(approx$landmarks))) {
    hint <- "Use `approx = nystroem(256)`; landmarks of your own are points, not row numbers."
    abort_argument(approx, "approx", "be landmarks for blocks.", hint, call = call)
  }
  check_unpolished(approx, call)
}

# ---- the first pass ----

# Return list(x, at, n, weights, job): a sample of about `target` rows, in proportion to the blocks, with their
# numbers, of all rows their number and the weights, and the job of later passes.
survey_blocks <- function(x, target, weights, fail, call) {
  named <- is_string(weights)
  draws <- min(target, ceiling(2 * target / x$n) + 10)
  job <- list(purpose = "Counting rows", reader = x$reader, fail = fail, weights = if (named) weights)
  job$tasks <- lapply(seq_len(x$n), function(i) list(i = i, uniforms = stats::runif(draws)))
  found <- over_blocks(survey_block, job)
  rows <- vapply(found, `[[`, 0L, "n")
  ends <- cumsum(as.numeric(rows))
  total <- ends[x$n]
  if (total > .Machine$integer.max) {
    abort_input(
      "blocks", call, "The blocks must have at most {(.Machine$integer.max)} rows together.", "They have {total}.",
      "Cluster some of the blocks and use `predict()` on the others."
    )
  }
  if (named) weights <- unlist(lapply(found, `[[`, "w"))
  if (!is.null(weights)) weights <- check_weights(weights, total, call = call)
  taken <- lapply(seq_along(found), function(i) {
    drawn <- found[[i]]$rows
    take <- utils::head(seq_along(drawn), if (total <= target) Inf else max(1, round(target * rows[i] / total)))
    take[order(drawn[take])]
  })
  job$tasks <- lapply(seq_along(found), function(i) {
    list(i = i, mark = found[[i]]$mark, w = weights[ends[i] - rows[i] + seq_len(rows[i])])
  })
  at <- Map(function(one, take, end) end - one$n + one$rows[take], found, taken, ends)
  x <- join_blocks(Map(function(one, take) vctrs::vec_slice(one$x, take), found, taken))
  list(x = x, at = unlist(at), n = total, weights = weights, job = job)
}

# Return work(task, job) for all blocks in their order.
over_blocks <- function(work, job) {
  tasks <- job$tasks
  job$tasks <- NULL
  run_tasks(tasks, work, job, purpose = job$purpose)
}

# Return list(problem, learned): the problem of the sampled rows, in the learned metric if there is one.
block_sample <- function(survey, semimetric, k, column_weights, standardize, missing, within, call) {
  w <- survey$weights[survey$at]
  points <- make_points(survey$x, w, column_weights, within || standardize, missing, call = call)
  learned <- NULL
  if (within) {
    sampled <- as_problem(points, semimetric, w, call = call)
    learned <- solve_problem(sampled, new_control(check_k(k, sampled, call), metric = TRUE), call)
    semimetric <- learned$problem$semimetric
    points <- new_points(learned$problem$points, learned$problem$blueprint)
  }
  problem <- landmark_problem(points, semimetric, w, call)
  # the rows will not be at hand when new ones come
  if (is.null(problem$blueprint$normal)) problem$blueprint <- learn_normal(problem$blueprint, problem$points, w)
  list(problem = problem, learned = learned$extra["scatter"])
}

# ---- passes ----

# Lloyd's passes from the means of the sample. Return a solution of the observed rows: labels, the means that gave them,
# W of the features about the labels' own means, and the squared norms orthogonal to the landmarks. A cluster that loses
# its last row keeps its mean.
block_passes <- function(job, means, iter.max, tol) {
  before <- Inf
  for (pass in seq_len(iter.max)) {
    job[c("means", "purpose")] <- list(means, sprintf("Pass %d", pass))
    found <- over_blocks(pass_block, job)
    out <- add_up(found)
    own <- t(t(out$sums) / pmax(out$s, .Machine$double.xmin))
    filled <- out$s > 0
    converged <- before - sum(out$cost) <= tol * sum(out$cost)
    if (converged || pass == iter.max) break
    before <- sum(out$cost)
    means[, filled] <- own[, filled]
  }
  if (!converged) {
    hint <- "Raise `iter.max`, or `tol` if W is good enough."
    kg_warn(c("The passes had not converged after {pass}.", "i" = hint), "iterations")
  }
  if (any(vapply(found, `[[`, NA, "unseen"))) {
    kg_warn("Blocks have levels that the sample of rows does not have: they are taken as missing.", "levels")
  }
  cost <- pmax(out$cost - out$s * colSums((own - means)^2), 0) * filled
  out$cost <- cost + out$rest
  out$features <- sum(cost)
  out$total <- sum(out$cost) + sum(out$s * colSums((own - as.vector(own %*% out$s) / sum(out$s))^2))
  out[c("means", "iterations", "converged", "moves")] <- list(means, pass, converged, NA_real_)
  out$cluster <- unlist(lapply(found, `[[`, "cluster"))
  number_filled(out, ncol(means))
}

# Rows with equal features share a cluster: clusters without rows are left out.
number_filled <- function(out, k) {
  filled <- sum(tabulate(out$cluster, k) > 0L)
  if (filled < k) {
    kg_warn(c(
      "The fit has {filled} cluster{?s} instead of {k}: the others had no row left at the end.",
      "i" = "Lower `k`, or give `nystroem()` more landmarks."
    ), "empty")
  }
  number_clusters(out, filled)
}

# ---- a block: a matrix of numbers or a data frame, of the columns of the common prototype ----

abort_block <- function(i, came, hint = NULL) {
  abort_input("blocks", quote(kgroups()), "Block {i} cannot be used.", "{came}", if (!is.null(hint)) "{hint}")
}

# Return the block of a task as list(x, mark). A later pass compares the mark of the first.
read_block <- function(task, job) {
  i <- task$i
  block <- catch_error(job$reader(i), error = function(e) {
    reason <- conditionMessage(e)
    abort_input(
      "reader", quote(kgroups()), "The reader failed at block {i}.", "{reason}",
      "Try `x$reader({i})`, `x` being the blocks."
    )
  })
  block <- check_block(block, i)
  mark <- rlang::hash(block)
  if (!is.null(task$mark) && mark != task$mark) {
    abort_block(i, "Its rows are not those of the first pass.", "The reader must give the same rows each time.")
  }
  list(x = block, mark = mark)
}

# Return a block as a matrix of numbers, or a data frame whose matrices and data frames are columns of their own.
check_block <- function(block, i) {
  block <- plain_numbers(block)
  if (length(dim(block)) < 2L && is.numeric(block) && !is.object(block)) block <- matrix(block)
  if (!is_table(block)) {
    came <- sprintf("The reader gave %s.", value_text(block))
    abort_block(i, came, "It must give a matrix of numbers or a data frame.")
  }
  if (is.data.frame(block)) {
    n <- .row_names_info(block, 2L)
    columns <- flat_columns(block)
    check_column_lengths(columns, n, sprintf("block %d", i), "blocks", quote(kgroups()))
    columns <- lapply(columns, plain_column)
    block <- bare_numbers(structure(columns, class = "data.frame", row.names = .set_row_names(n)))
  }
  if (is.matrix(block)) block <- named_matrix(plain_points(block), NULL, colnames(block))
  names <- plain_names(colnames(block)) %||% character(ncol(block))
  colnames(block) <- ifelse(nzchar(names), names, paste0("V", seq_along(names)))
  if (nrow(block) == 0L) abort_block(i, "It has no rows.", "Leave empty blocks out.")
  block
}

# A column of a class that vctrs casts.
plain_column <- function(x) {
  if (inherits(x, "haven_labelled_spss")) x <- without_user_missing(x)
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  known <- c("factor", "Date", "POSIXct", "difftime")
  if (is.object(x) && !inherits(x, known)) plain_numbers(x, quote(kgroups())) else x
}

# Return rows of all blocks as one table with the columns of block 1, a matrix if all are numbers, or the error of the
# block that does not fit.
join_blocks <- function(parts) {
  names <- colnames(parts[[1L]])
  common <- NULL
  for (i in seq_along(parts)) {
    part <- as.data.frame(parts[[i]])
    if (length(part) > length(names)) {
      abort_block(i, sprintf("It has %d columns, block 1 has %d.", length(part), length(names)))
    }
    places <- seq_along(names)
    arg <- sprintf("block %d", i)
    at <- place_columns(places, names, length(names), names(part), length(part), arg, "blocks", quote(kgroups()))
    parts[[i]] <- stats::setNames(part[at], names)
    common <- tryCatch(
      vctrs::vec_ptype2(common, parts[[i]], x_arg = "before", y_arg = "here"),
      vctrs_error_incompatible_type = function(e) abort_block(i, conditionMessage(e), "Let the reader convert it.")
    )
  }
  bare_numbers(vctrs::list_unchop(parts, ptype = vctrs::vec_ptype_finalise(common)))
}

# Return list(x, w, unseen): the points of the rows of a block in which something is observed, and their weights;
# `unseen`: were there levels that the sample does not have?
block_points <- function(task, job) {
  block <- read_block(task, job)$x
  w <- times_power_of_two(task$w %||% rep(1, nrow(block)), -job$w_exponent)
  out <- list(w = w, unseen = FALSE)
  arg <- sprintf("block %d", task$i)
  points <- withCallingHandlers(
    {
      points <- apply_blueprint(job$blueprint, block, arg, quote(kgroups()), what = "blocks")
      all_observed(points, arg, "x", quote(kgroups()))
    },
    kg_warning_levels = function(w) {
      out$unseen <<- TRUE
      tryInvokeRestart("muffleWarning")
    }
  )
  out$x <- new_coordinates(job$map, points, quote(kgroups()), arg)
  out
}

# ---- the work of a pass on the block of a task; `job` holds all else ----

# Return the number of rows, some of them with their numbers, drawn by the uniforms of the task, and weights in a column.
survey_block <- function(task, job) {
  block <- read_block(task, job)
  x <- block$x
  w <- NULL
  if (!is.null(job$weights)) {
    own <- colnames(x) %in% job$weights
    if (!any(own)) abort_block(task$i, sprintf("It has no column %s for the weights.", job$weights))
    w <- as.data.frame(x)[[which(own)[1L]]]
    x <- x[, !own, drop = FALSE]
  }
  if (job$fail) {
    arg <- sprintf("block %d", task$i)
    table <- read_table(x, arg, "blocks", quote(kgroups()))
    abort_missing(count_missing(table$columns, table$n), table$columns, table, arg, quote(kgroups()), "blocks")
  }
  n <- nrow(x)
  empty <- which(rowSums(!is.na(x)) == 0)
  if (length(empty)) {
    abort_block(task$i, sprintf("Nothing is observed in its row %d.", empty[1L]), "Let the reader leave such rows out.")
  }
  u <- task$uniforms
  rows <- if (n <= length(u)) order(u[seq_len(n)]) else unique(floor(u * n) + 1)
  list(n = n, mark = block$mark, x = vctrs::vec_slice(x, rows), rows = rows, w = w)
}

# Return the sums of what blocks, or parts of a block, have by these names.
add_up <- function(parts) {
  names <- c("cost", "sums", "s", "rest")
  lapply(stats::setNames(nm = names), function(name) Reduce(`+`, lapply(parts, `[[`, name), 0))
}

# Labels of a block by the nearest mean, with the sums over its clusters; in parts whose features stay in the cache.
pass_block <- function(task, job) {
  block <- block_points(task, job)
  parts <- lapply(strips(length(block$w), job$map$m, 131072), function(rows) {
    w <- block$w[rows]
    features <- point_features(job$map, block$x[rows, , drop = FALSE], quote(kgroups()))
    part <- .Call(ffi_features_assign, list(w = w, store = new_features_store(features$z, length(w))), job$means)
    part$rest <- sum_by(w * features$rest, part$cluster, ncol(job$means))
    part
  })
  c(add_up(parts), list(cluster = unlist(lapply(parts, `[[`, "cluster")), unseen = block$unseen))
}

#' Data in blocks
#'
#' `kgroups(row_blocks(reader, n), k, approx = nystroem(m))` clusters rows that come in `n` blocks and are never in
#' memory together. Each pass reads every block. [describe_clusters()] describes the clusters by the rows of a block.
#'
#' @param x A function of one argument: `x(i)` returns block i as a numeric matrix or data frame with columns as in
#'   [as_points()], one observation per row, the same every time; random rows need [set.seed()] in it. Or a connection
#'   of package \pkg{DBI} to a database.
#' @param n The number of blocks that the function gives, a whole number, at least 1. For a connection: the name of a
#'   table or view, or a query (text that begins with `SELECT` or `WITH`). If the database does not keep the order of
#'   rows, let the query sort them by a key.
#' @param rows Of a connection: the number of rows in a block. Default 100,000.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `kgroups_blocks`, for the argument `x` of [kgroups()].
#' @section Complexity: A pass of the fit reads every block once; memory for one block a process.
#' @family inputs
#' @seealso [kgroups.kgroups_blocks()] for the fit; `vignette("large")` for readers of text files, databases and
#'   Parquet.
#' @examples
#' # four files with 250 points each, read one after another: two clusters of 500
#' folder <- tempfile()
#' dir.create(folder)
#' set.seed(1)
#' for (i in 1:4) {
#'   block <- matrix(rnorm(500), ncol = 2) + 5 * (i %% 2)
#'   saveRDS(block, file.path(folder, paste0("block", i, ".rds")))
#' }
#' files <- list.files(folder, full.names = TRUE)
#' x <- row_blocks(function(i) readRDS(files[i]), length(files))
#' kgroups(x, 2, approx = nystroem(50))
#' unlink(folder, recursive = TRUE)
#' @export
row_blocks <- function(x, n, ..., rows = 1e5) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_given(x, "x")
  if (inherits(x, "DBIConnection")) {
    check_given(n, "n")
    return(database_blocks(x, n, check_count(rows, "rows", 1, 1e9), rlang::current_env()))
  }
  if (!is.function(x)) {
    abort_argument(
      x, "x", "be a function that returns block i, or a connection of DBI.",
      "For a list of blocks use `row_blocks(function(i) x[[i]], length(x))`; for files see `vignette(\"large\")`."
    )
  }
  if (!missing(rows)) {
    abort_argument(rows, "rows", "be left out for a function.", "A function gives blocks of any numbers of rows.")
  }
  check_given(n, "n")
  structure(list(reader = x, n = check_count(n, "n", 1, 1e7)), class = "kgroups_blocks")
}

# Blocks of the rows of one table or query.
database_blocks <- function(con, table, rows, call) {
  check_package("DBI", "row_blocks() of a database")
  if (!is_string(table)) {
    abort_argument(
      table, "n", "be the name of one table, or one query.", "Several tables are joined by a query.", call = call
    )
  }
  is_query <- grepl("^\\s*(select|with)\\s", table, ignore.case = TRUE)
  from <- if (is_query) sprintf("(%s) AS q", table) else as.character(DBI::dbQuoteIdentifier(con, table))
  rows_of <- function(what) DBI::dbGetQuery(con, sprintf("SELECT %s FROM %s", what, from))
  count <- catch_error(as.numeric(rows_of("COUNT(*)")[[1L]]), error = function(e) {
    reason <- conditionMessage(e)
    abort_input("n", call, "`n` must be a table or a query of the database.", "{reason}", "See `DBI::dbListTables(x)`.")
  })
  if (count == 0) abort_input("n", call, "`n` must have rows.", "The table or query has none.", "Check the condition.")
  reader <- function(i) {
    DBI::dbGetQuery(con, sprintf("SELECT * FROM %s LIMIT %.0f OFFSET %.0f", from, rows, (i - 1) * rows))
  }
  structure(list(reader = reader, n = ceiling(count / rows)), class = "kgroups_blocks")
}

#' @export
format.kgroups_blocks <- function(x, ...) {
  sprintf("Observations in %s block%s", format(x$n), plural(x$n))
}

#' @export
print.kgroups_blocks <- print_lines
