# The blueprint of a table in blocks. The first pass finds the types of columns; one more, if it is
# needed, sums for means, standard deviations and shares. The model of missing cells is learnt from
# the sample.

# ---- on a worker ----

# Return the types of the columns (NA for a column without a value), their levels and counts of
# missing cells; `sizes` are the largest values of the columns, `largest` that of all numbers.
block_columns <- function(x, arg, call) {
  if (is_complete_matrix(x)) {
    p <- ncol(x)
    return(list(
      number = p, names = colnames(x), types = rep("number", p), levels = vector("list", p),
      units = vector("list", p), missing = integer(p), open = 0L, sizes = rep(max(abs(x)), p),
      largest = max(abs(x))
    ))
  }
  table <- read_table(x, arg, "x", call)
  columns <- table$columns
  types <- vapply(columns, `[[`, "", "type")
  types[vapply(columns, function(column) all(is.na(column$values)), NA)] <- NA
  sizes <- vapply(columns, function(column) {
    if (column$type == "categories") 0 else max(0, abs(column$values), na.rm = TRUE)
  }, 0)
  missing <- count_missing(columns, table$n)
  list(
    number = length(columns), names = colnames(x), types = types, levels = lapply(columns, `[[`, "levels"),
    units = lapply(columns, `[[`, "unit"), missing = unname(missing$columns), open = missing$rows,
    sizes = sizes, largest = max(0, sizes[types %in% "number"])
  )
}

# Return the columns of a block in the types and levels of the whole table.
block_values <- function(x, columns, arg, call) {
  Map(function(new, old) {
    new <- as_old_column(new, old, arg, "x", call)
    old$values <- new$values
    old
  }, read_table(x, arg, "x", call)$columns[places_of(columns)], columns)
}

# ---- in this process ----

# Return the columns of the whole table: types must agree, levels are joined.
join_columns <- function(found, call) {
  first <- found[[1L]]
  labels <- column_label(plain_names(first$names), seq_len(first$number))
  lapply(seq_len(first$number), function(j) {
    types <- vapply(found, function(one) one$types[j], "")
    known <- which(!is.na(types))
    column <- list(label = labels[j], at = j, type = if (length(known)) types[known[1L]] else "empty")
    levels <- lapply(found[known], function(one) one$levels[[j]])
    odd <- known[types[known] != column$type]
    if (column$type == "ordered") odd <- c(odd, known[!vapply(levels, identical, NA, levels[[1L]])])
    if (length(odd)) abort_block_type(column, odd[1L], known[1L], types[odd[1L]], call)
    column$levels <- join_levels(levels)
    if (length(known)) column$unit <- found[[known[1L]]]$units[[j]]
    column$magnitude <- power_near(max(vapply(found, function(one) one$sizes[j], 0)))
    column
  })
}

# Text has sorted levels, as in read_column(); factors keep their order.
join_levels <- function(levels) {
  all <- unique(unlist(levels))
  if (is.null(all)) {
    return(NULL)
  }
  ordered <- sort_text(all)
  sorted <- !vapply(levels, function(one) is.unsorted(match(one, ordered)), NA)
  if (all(sorted)) ordered else all
}

abort_block_type <- function(column, i, first, type, call) {
  abort_input(
    "blocks", call,
    "Column {.field {column$label}} must hold the same in all blocks.",
    if (type == column$type) {
      "The ordered levels of block {i} are not those of block {first}."
    } else {
      "Block {i} holds {type_text(type)}, block {first} {type_text(column$type)}."
    },
    "Let the reader convert it."
  )
}

# Return the counts of missing cells of all blocks.
join_missing <- function(found, n, used) {
  counts <- Reduce(`+`, lapply(found, `[[`, "missing"))[places_of(used)]
  names(counts) <- vapply(used, `[[`, "", "label")
  total <- sum(as.numeric(n))
  list(
    cells = sum(counts), total = total * length(used), rows = 0, n = total,
    columns = counts
  )
}

abort_block_missing <- function(found, used, call) {
  at <- places_of(used)
  block <- which(vapply(found, function(one) any(one$missing[at] > 0L), NA))[1L]
  if (is.na(block)) {
    return(invisible())
  }
  column <- used[[which(found[[block]]$missing[at] > 0L)[1L]]]
  abort_input(
    "blocks", call,
    "The blocks must hold finite numbers, one observation a row.",
    "Column {.field {column$label}} of block {block} has {found[[block]]$missing[column$at]} missing cell{?s}.",
    "Leave such rows out in the reader, or use {.code missing = \"impute\"}."
  )
}

# Return the points of the sampled rows, with the blueprint of all blocks. `sums_of(columns)` makes the pass for
# means and shares: a list of blocks, of each list(sums, open).
blueprint_of_blocks <- function(found, rows, samples, w, settings, sums_of, call) {
  plain <- all(vapply(found, function(one) all(one$types %in% "number") && all(one$missing == 0L), NA))
  first <- found[[1L]]
  if (plain && is.null(settings$column_weights) && !settings$standardize) {
    blueprint <- plain_blueprint(named_matrix(matrix(0, 1L, first$number), NULL, first$names))
    return(new_points(do.call(rbind, lapply(samples, apply_blueprint, blueprint = blueprint)), blueprint))
  }
  names <- plain_names(first$names)
  used <- weigh_columns(join_columns(found, call), settings$column_weights, names, "x", call)
  used <- leave_out(used, vapply(used, `[[`, "", "type") == "empty", "x", call, "empty")
  if (settings$missing == "fail") abort_block_missing(found, used, call)
  missing <- join_missing(found, rows, used)
  as_is <- !settings$standardize && all(vapply(used, `[[`, "", "type") == "number")
  if (!(as_is && missing$cells == 0)) {
    passed <- sums_of(used)
    missing$rows <- sum(vapply(passed, `[[`, 0L, "open"))
    sums <- lapply(seq_along(used), function(j) lapply(passed, function(one) one$sums[[j]]))
    # values in rows of weight 0 only
    empty <- vapply(sums, function(one) all(vapply(one, `[[`, 0L, "count") == 0L), NA)
    used <- Map(merge_sums, leave_out(used, empty, "x", call, "empty"), sums[!empty])
    if (!as_is) used <- leave_out(used, vapply(used, `[[`, NA, "constant"), "x", call, "constant")
  }
  blueprint <- new_blueprint(names, first$number, used, as_is, coordinate_names(used, names), NULL, missing)
  values <- lapply(samples, block_values, columns = used, arg = "x", call = call)
  sampled <- lapply(seq_along(used), function(j) {
    c(used[[j]], list(values = unlist(lapply(values, function(one) one[[j]]$values))))
  })
  first_points(sampled, length(w), blueprint, w, "x", call)
}
