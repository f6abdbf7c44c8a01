# The passes over the blocks of chunks(): a block read and checked, what is done with it, and
# where: here, on the workers of a cluster or under a plan of future.

# list(x, w, mark): rows, their weights, and what tells the block from another. `before` is what the
# first pass found: list(n, mark), or NULL; `columns`: those of block 1, or NULL.
read_block <- function(reader, i, weights, columns = NULL, before = NULL) {
  fail <- function(came, hint = NULL) {
    kg_abort(
      c("Block {i} cannot be used.", "x" = "{came}", "i" = if (!is.null(hint)) "{hint}"),
      "chunks",
      call = quote(kgroups())
    )
  }
  call <- rlang::env()
  block <- tryCatch(reader(i), error = function(e) {
    reason <- conditionMessage(e)
    kg_abort(
      c(
        "The reader failed at block {i}.", "x" = "{reason}",
        "i" = "Try {.code reader({i})} by itself; on workers it starts in a fresh R process."
      ),
      "reader",
      call = quote(kgroups())
    )
  })
  if (inherits(block, c("dist", "dissimilarity", "simil", "kgroups_gram", "kernelMatrix"))) {
    fail(
      sprintf("The reader gave %s.", describe(block)),
      "Blocks hold rows of data; dissimilarities and kernel values of all pairs are one object for kgroups()."
    )
  }
  if (is.numeric(block)) block <- without_integer64(block, i)
  if (length(dim(block)) < 2L && is.numeric(block)) block <- matrix(block, ncol = 1L)
  if (!is.matrix(block) && !is.data.frame(block)) {
    fail(
      paste0("The reader gave ", describe(block), "."), "It must give a numeric matrix or data frame."
    )
  }
  # row names of a file may say any number of rows
  if (is.data.frame(block)) {
    check_frame(block, fail)
    block <- without_integer64(block, i)
  }
  w <- rep(1, nrow(block))
  if (is.character(weights)) {
    if (!weights %in% colnames(block)) fail(sprintf("It has no column %s for the weights.", weights))
    own <- if (is.data.frame(block)) block[[weights]] else block[, weights]
    w <- check_weights(own, nrow(block), call = quote(kgroups()))
    block <- block[, !colnames(block) %in% weights, drop = FALSE]
  }
  if (nrow(block) == 0L) fail("It has no rows.", "Leave empty blocks out.")
  same <- "The reader must give the same rows each time."
  if (!is.null(before) && nrow(block) != before$n) {
    fail(sprintf("It has %d rows now and had %d.", nrow(block), before$n), same)
  }
  if (!is.null(columns)) check_block_columns(block, columns, fail)
  mark <- c(block_mark(block_numbers(block)), block_mark(w))
  if (!is.null(before) && !same_mark(mark, before$mark)) fail("Its values are not those of the first pass.", same)
  list(x = block, w = w, mark = mark)
}

# 64-bit integers as doubles, before anything takes their bits for numbers.
without_integer64 <- function(block, i) {
  number <- function(v, label) from_integer64(v, label, block_name(i), "x", quote(kgroups()))
  if (inherits(block, "integer64")) {
    return(array(number(block, 1L), if (is.null(dim(block))) length(block) else dim(block), dimnames(block)))
  }
  if (is.data.frame(block)) {
    for (j in which(vapply(block, inherits, NA, "integer64"))) block[[j]] <- number(block[[j]], names(block)[j])
  }
  block
}

check_frame <- function(block, fail) {
  lengths <- vapply(unclass(block), NROW, 0)
  bad <- which(lengths != nrow(block))
  if (length(bad)) {
    fail(
      sprintf(
        "Column %s has %.0f values for %.0f rows.", column_label(names(block), bad[1L]), lengths[bad[1L]], nrow(block)
      ),
      "Make the data frame anew by data.frame()."
    )
  }
}

# Cells as numbers, text by its length, whatever a column is; missing ones as a number of their own.
block_numbers <- function(x) {
  number <- function(v) {
    if (is.data.frame(v)) {
      return(block_numbers(v))
    }
    v <- if (is.character(v)) nchar(v, "bytes") else if (is.list(v)) lengths(v) else as.double(unclass(v))
    v[is.na(v)] <- 0.377
    v
  }
  if (is.data.frame(x)) unlist(lapply(x, number), use.names = FALSE) else number(x)
}

# What tells a block from another, and from itself in another order: sums of its numbers, plain and
# by place, and how large rounding can be in them. Workers may round differently.
block_mark <- function(x) {
  place <- seq_along(x) %% 1021
  c(sum(x), sum(x * place), sum(abs(x)))
}

same_mark <- function(now, before) {
  if (identical(now, before)) {
    return(TRUE)
  }
  size <- rep(before[c(3L, 6L)] * 1021, each = 3L)
  isTRUE(all(abs(now - before) <= 1e-13 * size))
}

block_name <- function(i) sprintf("block %d", as.integer(i))

# The rows of a block as points, by the blueprint of all blocks.
block_points <- function(x, blueprint, i) {
  again <- function(w) {
    kg_abort(
      c(
        "Block {i} cannot be used.",
        "x" = "It has levels that it did not have before.",
        "i" = "The reader must give the same rows each time."
      ),
      "chunks",
      call = quote(kgroups())
    )
  }
  arg <- block_name(i)
  call <- quote(kgroups())
  points <- withCallingHandlers(
    all_observed(apply_blueprint(blueprint, x, arg, call, what = "x"), arg, "x", call),
    kg_warning_levels = again
  )
  rownames(points) <- NULL
  points
}

check_block_columns <- function(block, columns, fail) {
  if (ncol(block) != columns$number) {
    fail(sprintf("It has %d column%s, block 1 has %d.", ncol(block), plural(ncol(block)), columns$number))
  }
  if (!identical(colnames(block), columns$names)) {
    fail("Its columns have other names, or another order, than those of block 1.")
  }
}

# ---- tasks: what a worker does with block i. `job` is all that travels to it. ----

run_task <- function(i, job) {
  tryCatch(
    switch(job$task,
      survey = survey_block(i, job),
      describe = describe_block(i, job),
      pass = pass_block(i, job),
      label = label_block(i, job)
    ),
    kg_error = function(e) structure(list(error = e), class = "kgroups_block_error")
  )
}

# Number of rows, what the columns hold, and some rows drawn by the uniforms that came with the job.
survey_block <- function(i, job) {
  block <- read_block(job$reader, i, job$weights)
  n <- nrow(block$x)
  rows <- unique(floor(job$uniforms[, i] * n) + 1)
  list(
    n = n, mark = block$mark, columns = block_columns(block$x, block_name(i), quote(kgroups())),
    x = block$x[rows, , drop = FALSE], w = block$w[rows], rows = rows
  )
}

# Sums for means, standard deviations and shares.
describe_block <- function(i, job) {
  block <- weighted_block(i, job)
  values <- block_values(block$x, job$used, block_name(i), quote(kgroups()))
  lapply(values, column_sums, w = block$w)
}

# A block that was read before, with its part of the weights.
weighted_block <- function(i, job) {
  block <- read_block(job$reader, i, job$weights, job$columns, list(n = job$rows[i], mark = job$marks[, i]))
  if (is.numeric(job$weights)) block$w <- job$weights[job$before[i] + seq_len(nrow(block$x))]
  block
}

block_for <- function(i, job) {
  block <- weighted_block(i, job)
  block$w <- times_power_of_two(block$w, -job$w_exponent)
  points <- block_points(block$x, job$blueprint, i)
  block$x <- times_power_of_two(metric_coordinates(job$map$semimetric, points, quote(kgroups())), -job$map$exponent)
  block
}

# Rows of a block in pieces whose values against the landmarks stay in the cache.
pieces_of <- function(n, m) {
  step <- max(16, floor(131072 / m))
  lapply(seq(1, n, by = step), function(at) seq.int(at, min(at + step - 1, n)))
}

pass_block <- function(i, job) {
  block <- block_for(i, job)
  sums <- 0
  s <- 0
  least <- 0
  for (rows in pieces_of(nrow(block$x), job$map$m)) {
    values <- landmark_values(job$map$store, job$map$landmarks, block$x[rows, , drop = FALSE], quote(kgroups()))
    part <- .Call(ffi_lowrank_pass, values, block$w[rows], job$U, job$h)
    sums <- sums + part$sums
    s <- s + part$s
    least <- least + part$least
  }
  list(sums = sums, s = s, least = least)
}

label_block <- function(i, job) {
  block <- block_for(i, job)
  out <- list(
    cluster = integer(), cost = 0, sums = 0, s = 0, rest = 0,
    w = if (is.character(job$weights)) times_power_of_two(block$w, job$w_exponent)
  )
  k <- ncol(job$means)
  labels <- list()
  for (rows in pieces_of(nrow(block$x), job$map$m)) {
    w <- block$w[rows]
    features <- point_features(job$map, block$x[rows, , drop = FALSE], quote(kgroups()))
    part <- .Call(ffi_features_assign, list(w = w, store = new_features_store(features$z, length(w))), job$means)
    labels[[length(labels) + 1L]] <- part$cluster
    out$cost <- out$cost + part$cost
    out$sums <- out$sums + part$sums
    out$s <- out$s + part$s
    out$rest <- out$rest + sum_by(w * features$rest, part$cluster, k)
  }
  out$cluster <- unlist(labels)
  out
}

# ---- where the tasks run ----

# Results of all blocks, in their order whatever the workers' number.
over_blocks <- function(n, job, cl, call) {
  seed <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (!is.null(seed)) assign(".Random.seed", seed, globalenv()))
  out <- if (inherits(cl, "cluster")) {
    on_workers(parallel::parLapply(cl, seq_len(n), run_task, job), call)
  } else if (identical(cl, "future")) {
    needs <- reader_needs(job$reader)
    on_workers(again_once(function() {
      future.apply::future_lapply(
        seq_len(n), run_task, job,
        future.seed = TRUE, future.packages = c("kgroups", needs$packages), future.globals = needs$globals
      )
    }), call)
  } else {
    blocks_here(n, job)
  }
  for (one in out) {
    if (inherits(one, "kgroups_block_error")) stop(one$error)
  }
  out
}

# What a reader uses from the workspace and from attached packages, found as future finds it for
# an expression. future_lapply() looks at the function it calls, which is not the reader.
reader_needs <- function(reader) {
  here <- rlang::env(reader = reader)
  found <- future::getGlobalsAndPackages(quote(reader(1)), envir = here)
  globals <- as.list(found$globals)
  list(globals = globals[setdiff(names(globals), "reader")], packages = setdiff(found$packages, "kgroups"))
}

blocks_here <- function(n, job) {
  if (!show_progress() || n < 2) {
    return(lapply(seq_len(n), abort_at_error, job))
  }
  out <- vector("list", n)
  bar <- cli::cli_progress_bar(literal(job$purpose), total = n)
  for (i in seq_len(n)) {
    out[[i]] <- abort_at_error(i, job)
    cli::cli_progress_update(id = bar)
  }
  cli::cli_progress_done(id = bar)
  out
}

abort_at_error <- function(i, job) {
  out <- run_task(i, job)
  if (inherits(out, "kgroups_block_error")) stop(out$error)
  out
}

on_workers <- function(expression, call) {
  tryCatch(expression, error = function(e) {
    reason <- conditionMessage(e)
    kg_abort(
      c(
        "A worker failed.",
        "x" = "{reason}",
        "i" = "Is {.pkg kgroups} installed there?",
        "i" = "If a worker died, stop the cluster, make a new one and call again: nothing was changed."
      ),
      "worker",
      call = call
    )
  })
}

# A future that was lost (a queue's job that died, or a file system too slow to show its
# result) is no fault of the blocks: the pass is done again, once.
again_once <- function(work) {
  tryCatch(work(), FutureError = function(e) work())
}

# NULL: the user's future plan if it is not sequential, else this process.
check_cluster <- function(cl, call) {
  if (inherits(cl, "cluster")) {
    return(cl)
  }
  if (is.null(cl)) {
    planned <- "future" %in% loadedNamespaces() && requireNamespace("future.apply", quietly = TRUE) &&
      !inherits(future::plan(), "sequential")
    return(if (planned) "future")
  }
  if (identical(cl, "future")) {
    check_package("future.apply", "cl = \"future\"", call)
    return(cl)
  }
  kg_abort(
    c(
      "{.arg cl} must be NULL, a cluster or {.val future}.",
      "x" = "You supplied {describe(cl)}.",
      "i" = "For example {.code parallel::makeCluster(2)}."
    ),
    "cl",
    call = call
  )
}
