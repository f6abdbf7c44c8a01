# Passes over row_blocks(): reading and checking a block, the work of a pass on it, and
# where it runs: in this process, on the workers of a cluster, or under a plan of future.

abort_block <- function(i, came, hint = NULL) {
  abort_input("blocks", quote(kgroups()), "Block {i} cannot be used.", "{came}", if (!is.null(hint)) "{hint}")
}

same_rows <- "The reader must give the same rows each time."

# Return list(x, w, mark): the rows, their weights, and a checksum. `before` is list(n, mark) of
# the first pass, `columns` those of block 1, or NULL.
read_block <- function(reader, i, weights, columns = NULL, before = NULL, kind = NULL) {
  block <- check_block(call_reader(reader, i, kind), i)
  w <- rep(1, nrow(block))
  if (is.character(weights)) {
    if (!weights %in% colnames(block)) abort_block(i, sprintf("It has no column %s for the weights.", weights))
    own <- if (is.data.frame(block)) block[[weights]] else block[, weights]
    w <- check_weights(own, nrow(block), call = quote(kgroups()))
    block <- block[, !colnames(block) %in% weights, drop = FALSE]
  }
  if (nrow(block) == 0L) abort_block(i, "It has no rows.", "Leave empty blocks out.")
  if (!is.null(before) && nrow(block) != before$n) {
    abort_block(i, sprintf("It has %d rows now and had %d.", nrow(block), before$n), same_rows)
  }
  if (!is.null(columns)) check_block_columns(ncol(block), colnames(block), columns, i)
  mark <- block_mark(block, w)
  if (!is.null(before) && !same_mark(mark, before$mark)) {
    abort_block(i, "Its values are not those of the first pass.", same_rows)
  }
  list(x = block, w = w, mark = mark)
}

# `kind`: that of the generator in the calling process, so that set.seed() in a reader draws the same on workers.
call_reader <- function(reader, i, kind = NULL) {
  own <- RNGkind()
  if (!is.null(kind) && !identical(own, kind)) {
    old <- globalenv()[[".Random.seed"]]
    on.exit(set_stream(old))
    suppressWarnings(RNGkind(kind[1L], kind[2L], kind[3L]))
  }
  tryCatch(reader(i), error = function(e) {
    if (inherits(e, "kg_error_reader")) stop(e)
    reason <- conditionMessage(e)
    abort_input(
      "reader", quote(kgroups()),
      "The reader failed at block {i}.",
      "{reason}",
      "Try {.code x$reader({i})}, {.code x} being the blocks; on workers it starts in a fresh R process."
    )
  })
}

# Return a block as a numeric matrix, or a data frame of plain columns.
check_block <- function(block, i) {
  if (inherits(block, c("dist", "dissimilarity", "simil", "kgroups_gram", "kernelMatrix"))) {
    abort_block(
      i, sprintf("The reader gave %s.", value_text(block)),
      "Blocks hold rows of data; dissimilarities and kernel values of all pairs are one object for kgroups()."
    )
  }
  block <- plain_numbers(block)
  if (inherits(block, "integer64")) block <- block_integer64(block, i, 1L)
  if (length(dim(block)) < 2L && is.numeric(block)) block <- matrix(block, ncol = 1L)
  if (is.data.frame(block)) {
    return(check_frame(block, i))
  }
  if (!is.matrix(block) || !is.numeric(block)) {
    abort_block(i, sprintf("The reader gave %s.", value_text(block)), "It must give a numeric matrix or data frame.")
  }
  block
}

# 64-bit integers as doubles: other functions would read their bits as numbers.
block_integer64 <- function(x, i, label) {
  out <- from_integer64(x, label, block_name(i), "x", quote(kgroups()))
  if (is.null(dim(x))) out else array(out, dim(x), dimnames(x))
}

# Return a data frame whose matrices and data frames are columns of their own.
check_frame <- function(block, i) {
  check_column_lengths(unclass(block), .row_names_info(block, 2L), block_name(i), "blocks", quote(kgroups()))
  columns <- flat_columns(block)
  for (j in seq_along(columns)) {
    if (inherits(columns[[j]], "POSIXlt")) columns[[j]] <- as.POSIXct(columns[[j]])
    if (inherits(columns[[j]], "integer64")) columns[[j]] <- block_integer64(columns[[j]], i, names(columns)[j])
  }
  structure(columns, class = "data.frame", row.names = attr(block, "row.names"))
}

# Return checksums of a block. Numbers have sums, plain and weighted by row, with their size, because workers may round
# differently; text has a hash.
block_mark <- function(x, w) {
  columns <- if (is.data.frame(x)) unclass(x) else list(x)
  text <- vapply(columns, function(v) !is.numeric(unclass(v)) && !is.logical(v), NA)
  numbers <- lapply(columns[!text], function(v) {
    v <- as.double(unclass(v))
    v[is.na(v)] <- 0.377
    v
  })
  sums <- function(v) c(sum(v), sum(v * sin(seq_along(v))), sum(abs(v)))
  words <- lapply(columns, function(v) if (is.factor(v)) levels(v) else if (!is.numeric(v)) as_utf8(as.character(v)))
  list(sums = c(sums(as.double(unlist(numbers, use.names = FALSE))), sums(w)), text = rlang::hash(unname(words)))
}

same_mark <- function(now, before) {
  size <- rep(before$sums[c(3L, 6L)], each = 3L)
  identical(now$text, before$text) && isTRUE(all(abs(now$sums - before$sums) <= 1e-12 * size))
}

block_name <- function(i) sprintf("block %d", as.integer(i))

# Return the rows of a block as points, by the blueprint of all blocks.
block_points <- function(x, blueprint, i) {
  arg <- block_name(i)
  call <- quote(kgroups())
  points <- withCallingHandlers(
    all_observed(apply_blueprint(blueprint, x, arg, call, what = "x"), arg, "x", call),
    kg_warning_levels = function(w) abort_block(i, "It has levels that it did not have before.", same_rows)
  )
  rownames(points) <- NULL
  points
}

check_block_columns <- function(number, names, columns, i) {
  if (number != columns$number) {
    abort_block(i, sprintf("It has %d column%s, block 1 has %d.", number, plural(number), columns$number))
  }
  if (!identical(names, columns$names)) {
    abort_block(i, "Its columns have other names, or another order, than those of block 1.")
  }
}

# ---- the work of a pass on block i; `job` holds all that a worker needs ----

# Return the number of rows, the kinds of columns, and some rows drawn by the uniforms of the job.
survey_block <- function(i, job) {
  block <- read_block(job$reader, i, job$weights, kind = job$kind)
  n <- nrow(block$x)
  rows <- unique(floor(job$uniforms[, i] * n) + 1)
  list(
    n = n, mark = block$mark, columns = block_columns(block$x, block_name(i), quote(kgroups())),
    x = block$x[rows, , drop = FALSE], w = block$w[rows], rows = rows
  )
}

# Return sums for means, standard deviations and shares, and the number of rows with missing cells.
describe_block <- function(i, job) {
  block <- weighted_block(i, job)
  values <- block_values(block$x, job$used, block_name(i), quote(kgroups()))
  list(sums = lapply(values, column_sums, w = block$w), open = count_missing(values, nrow(block$x))$rows)
}

# Return a block of a later pass, with its part of the weights.
weighted_block <- function(i, job) {
  block <- read_block(job$reader, i, job$weights, job$columns, list(n = job$rows[i], mark = job$marks[[i]]), job$kind)
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

# Split the rows of a block so that their values against the landmarks stay in the cache.
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

# ---- where the work runs ----

# Return work(i, job) for all blocks in their order, for any number of workers.
over_blocks <- function(n, work, job, cl, call) {
  old <- globalenv()[[".Random.seed"]]
  on.exit(set_stream(old))
  job$kind <- RNGkind()
  # streams of its own for each pass: a reader that draws rows without a seed gives others, and is refused
  stats::runif(sum(utf8ToInt(job$purpose)))
  # an error of ours comes back as a value, so that its class and text stay
  run <- function(i, job) tryCatch(work(i, job), kg_error = function(e) structure(list(error = e), class = "kgroups_block_error"))
  environment(run) <- list2env(list(work = work), parent = asNamespace("kgroups"))
  out <- if (inherits(cl, "cluster")) {
    on_workers(parallel::parLapply(cl, seq_len(n), run, job), call)
  } else if (isTRUE(cl)) {
    needs <- reader_needs(job$reader)
    on_workers(again_once(function() {
      future.apply::future_lapply(
        seq_len(n), run, job,
        future.seed = TRUE, future.packages = c("kgroups", needs$packages), future.globals = needs$globals
      )
    }), call)
  } else {
    lapply_progress(seq_len(n), function(i) with_call(rlang::error_call(call), work(i, job)), job$purpose)
  }
  for (one in out) if (inherits(one, "kgroups_block_error")) with_call(rlang::error_call(call), stop(one$error))
  out
}

# Return the globals and packages that a reader uses, as future finds them for an expression:
# future_lapply() inspects the function it calls, which is not the reader.
reader_needs <- function(reader) {
  here <- rlang::env(reader = reader)
  found <- future::getGlobalsAndPackages(quote(reader(1)), envir = here)
  globals <- as.list(found$globals)
  list(globals = globals[setdiff(names(globals), "reader")], packages = setdiff(found$packages, "kgroups"))
}

on_workers <- function(expression, call) {
  tryCatch(expression, error = function(e) {
    if (is_time_limit(e)) stop(e)
    abort_worker(conditionMessage(e), call)
  })
}

# Did setTimeLimit() end the call? Its error has no class.
is_time_limit <- function(e) {
  limits <- c("reached elapsed time limit", "reached CPU time limit", "reached session elapsed time limit", "reached session CPU time limit")
  any(vapply(c(limits, gettext(limits, domain = "R")), grepl, NA, conditionMessage(e), fixed = TRUE))
}

# Repeat a pass once if a future was lost: a job of a queue died, or a file system was too slow.
again_once <- function(work) {
  tryCatch(work(), FutureError = function(e) work())
}

# Return a cluster, TRUE for the workers of a plan of future, or NULL for this process.
check_cluster <- function(cl, call) {
  if (is.null(cl)) {
    return(if (have_workers()) TRUE)
  }
  if (!inherits(cl, "cluster")) {
    abort_argument(
      cl, "cl", "be a cluster, or NULL for your plan of {.pkg future} or this process.",
      "For example {.code parallel::makeCluster(2)}.",
      call = call
    )
  }
  on_workers(drop_stale_answers(cl), call)
  cl
}

# An interrupted call leaves answers on the connections of its workers, which the next call would take for its own. Each worker
# gets a token to return, and what comes before the token is dropped.
drop_stale_answers <- function(cl) {
  token <- paste("kgroups", Sys.getpid(), format(as.numeric(Sys.time()), digits = 20))
  # so that the token's message is longer than a piece of skip_to_token()
  token <- paste0(token, strrep(" ", 2 * piece_of_bytes))
  for (i in seq_along(cl)) {
    # the answer may be an error, of a job or of R where the connection stands within a message
    answer <- tryCatch(parallel::clusterCall(cl[i], identity, token)[[1L]], error = identity)
    if (inherits(answer, "error") && is_time_limit(answer)) stop(answer)
    if (!identical(answer, token)) skip_to_token(cl[[i]]$con, token, answer)
  }
}

# Read what stands on a connection up to and including the message that holds the token. A time limit may have ended a call
# within a message, so bytes are read, not messages.
skip_to_token <- function(con, token, answer) {
  id <- charToRaw(trimws(token))
  read <- function(size) {
    check_interrupt()
    bytes <- readBin(con, "raw", size)
    if (length(bytes) == 0L) stop(if (inherits(answer, "error")) answer else "The worker does not answer.")
    bytes
  }
  bytes <- raw()
  while (length(at <- grepRaw(id, bytes, fixed = TRUE)) == 0L) bytes <- c(utils::tail(bytes, piece_of_bytes), read(piece_of_bytes))
  # the message begins with the last "X" or "B" and line feed before the token
  message <- bytes[max(grepRaw("[XB]\n", bytes[seq_len(at)], all = TRUE)):length(bytes)]
  while (inherits(tryCatch(unserialize(message), error = identity), "error")) message <- c(message, read(1L))
}

piece_of_bytes <- 4096L
