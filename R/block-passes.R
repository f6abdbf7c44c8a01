# Passes over row_blocks(): reading and checking a block, and the work of a pass on it. A block is a matrix of numbers
# or a data frame; all have the columns of their common prototype. Work runs by run_tasks(), in this process or on
# workers.

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
