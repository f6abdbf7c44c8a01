# Tables: what the columns hold, read once into plain numbers and codes. A column is
# list(label, at, type, values, levels, unit, weight): `values` are doubles, or codes of `levels`.

# A matrix of numbers or a data frame (tibble, data.table) as list(n, names, rows, columns):
# `rows` are its row names, if it has any of its own. `what` is the class of errors. `complete`: are these finite
# numbers only?
read_table <- function(x, arg, what = arg, call = rlang::caller_env()) {
  x <- bare_numbers(x)
  complete <- is_complete_matrix(x)
  if (is.data.frame(x)) {
    columns <- flat_columns(x)
    n <- .row_names_info(x, 2L)
    rows <- if (.row_names_info(x) > 0L) row.names(x)
    check_column_lengths(columns, n, arg, what, call)
  } else {
    if (!complete) check_number_matrix(x, arg, what, call)
    n <- nrow(x)
    rows <- rownames(x)
    columns <- lapply(seq_len(ncol(x)), function(j) .subset(x, seq_len(n) + (j - 1) * n))
    if (inherits(x, "integer64")) columns <- lapply(columns, structure, class = "integer64")
    names(columns) <- colnames(x)
  }
  if (n < 1L || length(columns) < 1L) {
    abort_input(
      what, call, "`{arg}` must hold finite numbers, one observation a row.",
      "You supplied {n} row{?s} and {length(columns)} column{?s}.", "Check how `{arg}` was made."
    )
  }
  names <- plain_names(names(columns))
  label <- column_label(names, seq_along(columns))
  columns <- lapply(seq_along(columns), function(j) {
    if (complete) {
      new_column(label[j], j, "number", as.double(columns[[j]]))
    } else {
      read_column(columns[[j]], label[j], j, arg, what, call)
    }
  })
  if (!complete) check_usable(columns, rows, arg, what, call)
  list(n = n, names = names, rows = rows, columns = columns, complete = complete)
}

# One pass over the numbers.
is_complete_matrix <- function(x) {
  is.matrix(x) && is.numeric(x) && !inherits(x, "integer64") && length(x) > 0L && all_finite(x)
}

new_column <- function(label, at, type, values, levels = NULL, unit = NULL) {
  list(label = label, at = at, type = type, values = values, levels = levels, unit = unit, weight = 1)
}

# A matrix or data frame inside a data frame stands for its columns. One without a name, as of scale(), has that of the
# whole.
flat_columns <- function(x) {
  columns <- lapply(seq_along(x), function(j) .subset2(x, j))
  names(columns) <- names(x)
  wide <- vapply(columns, function(column) length(dim(column)) == 2L && !is_one_value_each(column), NA)
  if (!any(wide)) {
    return(columns)
  }
  do.call(c, lapply(seq_along(columns), function(j) {
    column <- columns[[j]]
    inner <- if (!wide[j]) {
      columns[j]
    } else if (is.data.frame(column)) {
      flat_columns(column)
    } else {
      stats::setNames(lapply(seq_len(ncol(column)), function(l) column[, l]), colnames(column))
    }
    if (!wide[j] || length(inner) == 0L) {
      return(inner)
    }
    plain <- is.null(names(inner)) && length(inner) == 1L
    stats::setNames(inner, paste0(names(columns)[j], if (!plain) paste0(".", names(inner) %||% seq_along(inner))))
  }))
}

check_column_lengths <- function(columns, n, arg, what, call) {
  lengths <- vapply(columns, NROW, 0)
  bad <- which(lengths != n)
  if (length(bad)) {
    at <- bad[1L]
    abort_input(
      what, call, "Every column of `{arg}` must have {n} value{?s}.",
      "Column {column_label(names(columns), at)} has {lengths[at]}.", "Make the data frame again by `data.frame()`."
    )
  }
}

check_number_matrix <- function(x, arg, what, call) {
  if (is.matrix(x) && is.numeric(x)) {
    return(invisible())
  }
  known <- gsub("\\bx\\b", arg, object_hint(x) %||% "Pass a matrix of numbers or a data frame.")
  abort_input(
    what, call, "`{arg}` must hold finite numbers, one observation a row.", "You supplied {value_text(x)}.",
    if (is.matrix(x) && is.character(x)) {
      "Pass the data frame itself, before `as.matrix()`."
    } else if (inherits(x, "kgroups_blocks")) {
      "Pass the rows of one block at a time, as `x$reader(1)`."
    } else {
      "{known}"
    }
  )
}

# Return what stats::kmeans() takes as numbers: matrices and vectors of numbers, truth values, dates or times of any
# class (xts, zoo, ts, units, table, yearqtr, integer64, ...) and dense or triplet matrices of other packages; other
# values as they are.
plain_numbers <- function(x, call = rlang::caller_env()) {
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  if (inherits(x, "simple_triplet_matrix")) { # slam, tm: a document a row
    return(Matrix::sparseMatrix(x$i, x$j, x = as.numeric(x$v), dims = c(x$nrow, x$ncol), dimnames = x$dimnames))
  }
  if (inherits(x, "denseMatrix") && !is_gram(x)) x <- as.matrix(x)
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (inherits(x, "integer64")) {
    attributes <- attributes(x)[c("names", "dim", "dimnames")]
    x <- from_integer64(x, NULL, "x", "x", call)
    attributes(x) <- attributes[!vapply(attributes, is.null, NA)]
  }
  if (is_one_value_each(x) || inherits(x, "units")) abort_no_data(x, call, "Pass its numbers, without their class.")
  if (is.atomic(x) && !is.object(x) && length(dim(x)) == 1L) x <- stats::setNames(as.vector(x), names(x))
  if (is.logical(x) && !is.object(x) && length(dim(x)) <= 2L) storage.mode(x) <- "double"
  if (is.matrix(x) && is.double(x)) check_lost_integers(unclass(x), call)
  # names of rows and columns that are missing are no names
  if (is.data.frame(x)) {
    if (anyNA(names(x))) names(x) <- replace(names(x), is.na(names(x)), "")
  } else if (length(dim(x)) == 2L && !isS4(x) && anyNA(dimnames(x), recursive = TRUE)) {
    dimnames(x) <- lapply(dimnames(x), function(names) replace(names, is.na(names), ""))
  }
  own <- c("kgroups_prepared", "kgroups_gram", "kernelMatrix", "dist", "simil", "factor")
  if (!is.object(x) || isS4(x) || !is.numeric(unclass(x)) || inherits(x, own)) {
    return(x)
  }
  if (length(dim(x)) == 2L) {
    named_matrix(matrix(as.vector(unclass(x)), nrow(x)), rownames(x), colnames(x))
  } else if (length(dim(x)) <= 1L) {
    values <- stats::setNames(as.vector(unclass(x)), if (inherits(x, "table")) names(x) else names(unclass(x)))
    structure(values, unit = unit_of(x))
  } else {
    x
  }
}

# The same with sparse matrices as dense ones.
dense_numbers <- function(x, call = rlang::caller_env()) {
  x <- plain_numbers(x, call)
  if (inherits(x, "Matrix")) as.matrix(x) else x
}

# Refuse columns of 64-bit integers that as.matrix() left without their class: the bits of their values are those of
# numbers near 1e-320, beside columns of ordinary numbers.
check_lost_integers <- function(x, call) {
  least <- .Machine$double.xmin
  first <- x[seq_len(min(nrow(x), 3L)), , drop = FALSE]
  tiny <- which(colSums(first != 0 & abs(first) < least, na.rm = TRUE) > 0)
  lost <- tiny[vapply(tiny, function(j) all(abs(x[, j]) < least, na.rm = TRUE), NA)]
  if (length(lost) && any(abs(x[, -lost]) >= least, na.rm = TRUE)) {
    abort_input(
      "x", call, "64-bit integers in a matrix must have their class.",
      "Column {column_label(colnames(x), lost[1L])} has lost it: its values are below 1e-307.",
      "Convert such columns by `as.numeric()` before `as.matrix()`."
    )
  }
}

# Return a data frame of plain numbers as a matrix; other values as they are.
bare_numbers <- function(x) {
  bare <- is.data.frame(x) && length(x) > 0L && .row_names_info(x, 2L) > 0L && is.null(attr(x, "formula")) &&
    !inherits(x, "grouped_df") && all(vapply(x, function(column) {
      is.numeric(column) && is.null(attributes(column)) && length(column) == .row_names_info(x, 2L)
    }, NA))
  if (!bare) {
    return(x)
  }
  rows <- if (.row_names_info(x) > 0L) row.names(x)
  named_matrix(matrix(unlist(x, use.names = FALSE), ncol = length(x)), rows, names(x))
}

# NULL where no column has a name.
plain_names <- function(names) {
  names[is.na(names)] <- ""
  if (any(nzchar(names))) as_utf8(names)
}

# The name of column (or row) j in a message, its number without one.
column_label <- function(names, j) {
  own <- if (is.null(names)) rep("", length(j)) else names[j]
  ifelse(is.na(own) | !nzchar(own), as.character(j), own)
}

# Names of columns for a table of results: x3 for the third if it has none.
result_names <- function(columns) {
  vapply(columns, function(column) {
    if (column$label == as.character(column$at)) paste0("x", column$at) else column$label
  }, "")
}

# Numbers of a column as dates, times or differences of times.
as_column_type <- function(value, column) {
  switch(column$type,
    date = as.Date(value, origin = "1970-01-01"),
    time = as.POSIXct(value, origin = "1970-01-01", tz = column$unit %||% "UTC"),
    difference = as.difftime(value, units = column$unit),
    value
  )
}

read_column <- function(x, label, at, arg, what, call) {
  column <- function(...) new_column(label, at, ...)
  plain <- function(x) as.vector(unclass(x))
  if (!is_usable_column(x)) {
    return(column("unusable", NULL))
  }
  if (inherits(x, "POSIXlt")) x <- catch_error(as.POSIXct(x), error = function(e) NULL)
  if (inherits(x, "haven_labelled_spss")) x <- without_user_missing(x)
  known <- c("secs", "mins", "hours", "days", "weeks")
  if (inherits(x, "difftime") && !(is_string(attr(x, "units")) && attr(x, "units") %in% known)) x <- unclass(x)
  time <- inherits(x, c("Date", "POSIXct", "difftime"), which = TRUE) > 0
  if (is.factor(x)) {
    # levels of the same name are one
    names <- unique(as_utf8(levels(x)))
    codes <- match(as_utf8(levels(x)), names)[match(plain(x), seq_along(levels(x)))]
    if (is.ordered(x)) column("ordered", as.double(codes), names) else seen_levels(column("categories", codes, names))
  } else if (inherits(x, "integer64")) {
    column("number", from_integer64(x, label, arg, what, call))
  } else if (any(time) && is.numeric(unclass(x))) {
    type <- c("date", "time", "difference")[time][1L]
    unit <- switch(type, difference = attr(x, "units"), time = c(attr(x, "tzone"), "")[1L])
    column(type, as.double(plain(x)), unit = unit)
  } else if (is.character(x)) {
    x <- plain(x)
    found <- unique(x)
    levels <- sort_text(found)
    column("categories", match(as_utf8(found), levels)[match(x, found)], levels)
  } else if (is.logical(x)) {
    seen_levels(column("categories", plain(x) + 1L, c("FALSE", "TRUE")))
  } else if (is.numeric(unclass(x)) && is.atomic(x)) {
    column("number", as.double(plain(x)))
  } else {
    column("unusable", NULL)
  }
}

# Does a column hold numbers, dates, times, categories or text? A table inside a table stands for its columns. Numbers
# of an S4 object need not be its values, as the seconds of a period.
is_usable_column <- function(x) {
  if (inherits(x, "data.frame")) {
    return(TRUE)
  }
  known <- is.numeric(unclass(x)) || is.character(x) || is.logical(x) || inherits(x, c("factor", "POSIXlt"))
  known && !isS4(x) && length(dim(x)) <= 2L && !is_one_value_each(x) && !inherits(x, "units")
}

# Values that a file of SPSS declares missing, as is.na() has them where haven is loaded.
without_user_missing <- function(x) {
  values <- as.vector(unclass(x))
  range <- attr(x, "na_range")
  declared <- values %in% attr(x, "na_values")
  if (length(range) == 2L && is.numeric(values)) {
    declared <- declared | (!is.na(values) & values >= range[1L] & values <= range[2L])
  }
  values[declared] <- NA
  values
}

# Categories that no row has carry no information.
seen_levels <- function(column) {
  seen <- which(tabulate(column$values, length(column$levels)) > 0L)
  if (length(seen) < length(column$levels)) {
    column$values <- match(column$values, seen)
    column$levels <- column$levels[seen]
  }
  column
}

check_usable <- function(columns, rows, arg, what, call) {
  unusable <- vapply(columns, function(column) column$type == "unusable", NA)
  if (any(unusable)) {
    bad <- vapply(columns[unusable], `[[`, "", "label")
    abort_input(
      what, call, "The columns of `{arg}` must hold numbers, dates, times, categories or text.",
      "{cli::qty(bad)}Column{?s} {bad} {?does/do} not.",
      "Drop {cli::qty(bad)}{?it/them}, or make numbers of {cli::qty(bad)}{?it/them}."
    )
  }
  for (column in columns) {
    values <- column$values
    bad <- if (is.double(values) && !is.finite(sum(values))) which(is.infinite(values))
    if (length(bad)) {
      at <- observation_text(bad[1L], rows)
      abort_input(
        what, call, "`{arg}` must hold finite numbers, one observation a row.",
        "Row {at}, column {column$label} is {values[bad[1L]]} ({length(bad)} row{?s} of {length(values)} affected).",
        "Drop such rows, or set the values to `NA`."
      )
    }
  }
}

# ---- columns of new data, in the place of the old ----

# Equal names are distinguished by their order.
name_keys <- function(names) {
  paste(stats::ave(seq_along(names), names, FUN = seq_along), names)
}

# Places of the columns `wanted` (places among `names`) stand in new data with the names `given`.
place_columns <- function(wanted, names, width, given, n_given, arg, what, call) {
  if (is.null(names) || is.null(given)) {
    if (n_given != width) {
      abort_input(
        what, call, "`{arg}` must have {width} column{?s}, as the data.", "You supplied {n_given}.",
        if (!is.null(names)) "With column names it may have further ones."
      )
    }
    return(wanted)
  }
  if (identical(names, given)) {
    return(wanted)
  }
  at <- match(name_keys(names)[wanted], name_keys(given))
  missing <- column_label(names, wanted[is.na(at)])
  if (length(missing)) {
    near <- nearest_name(missing[1L], setdiff(given, names))
    abort_input(
      what, call, "`{arg}` must have the columns of the data.",
      "{cli::qty(missing)}Column{?s} {missing} {?is/are} missing.", if (length(near)) "Did you mean {near}?"
    )
  }
  at
}

# A column read from new data, in the type and by the levels of the old one.
as_old_column <- function(new, old, arg, what, call) {
  new$label <- old$label
  if (all(is.na(new$values))) {
    # a column of NA alone is logical, whatever was meant
    new$values <- rep(if (old$type == "categories") NA_integer_ else NA_real_, length(new$values))
    new$unseen <- character()
    return(new)
  }
  alike <- if (old$type %in% c("categories", "ordered")) c("categories", "ordered") else old$type
  if (!new$type %in% alike) {
    abort_input(
      what, call, "The columns of `{arg}` must be of the types that the data had.",
      "Column {old$label} holds {type_text(new$type)}; it held {type_text(old$type)}.", "Convert it, or fit again."
    )
  }
  new$unseen <- character()
  if (length(alike) > 1L) {
    codes <- match(new$levels, old$levels)
    used <- sort(unique(as.integer(new$values)))
    new$unseen <- new$levels[used[is.na(codes[used])]]
    new$values <- codes[new$values]
    if (old$type == "ordered") new$values <- as.double(new$values)
  } else if (old$type == "difference") {
    x <- structure(new$values, units = new$unit, class = "difftime")
    units(x) <- old$unit
    new$values <- as.vector(unclass(x))
  }
  new[c("type", "levels", "unit")] <- old[c("type", "levels", "unit")]
  new
}

type_text <- function(type) {
  c(
    number = "numbers", date = "dates", time = "times", difference = "differences of times",
    ordered = "ordered levels", categories = "categories"
  )[[type]]
}

inform_unseen <- function(used, arg) {
  unseen <- Filter(function(column) length(column$unseen) > 0L, used)
  if (length(unseen)) {
    what <- vapply(unseen, function(column) {
      sprintf("%s (%s)", column$label, paste(encodeString(column$unseen, quote = "\""), collapse = ", "))
    }, "")
    kg_warn(c("`{arg}` has levels that the data did not have: {what}.", "i" = "They are taken as missing."), "levels")
  }
}
