# Columns of new rows, in the place of the old: found by name, in their types, by their levels, and
# scaled as scale() had scaled the data.

# Equal names are told apart by their order.
name_keys <- function(names) {
  paste(stats::ave(seq_along(names), names, FUN = seq_along), names)
}

# Where the columns `wanted` (places among `names`) stand in new data with the names `given`.
place_columns <- function(wanted, names, width, given, n_given, arg, what, call) {
  if (is.null(names) || is.null(given)) {
    if (n_given != width) {
      kg_abort(
        c(
          "{.arg {arg}} must have {width} column{?s}, as the data.",
          "x" = "You supplied {n_given}.",
          "i" = if (!is.null(names)) "With column names it may have further ones."
        ),
        what,
        call = call
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
    kg_abort(
      c(
        "{.arg {arg}} must have the columns of the data.",
        "x" = "{cli::qty(missing)}Column{?s} {.field {missing}} {?is/are} missing.",
        "i" = if (length(near)) "Did you mean {.field {near}}?"
      ),
      what,
      call = call
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
    kg_abort(
      c(
        "The columns of {.arg {arg}} must be of the types that the data had.",
        "x" = "Column {.field {old$label}} holds {type_text(new$type)}; it held {type_text(old$type)}.",
        "i" = "Convert it, or fit again."
      ),
      what,
      call = call
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
    if (!identical(new$unit, old$unit)) {
      same <- as.difftime(new$values, units = new$unit)
      new$values <- as.double(same, units = old$unit)
    }
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

say_unseen <- function(used, arg) {
  unseen <- Filter(function(column) length(column$unseen) > 0L, used)
  if (length(unseen)) {
    what <- vapply(unseen, function(column) {
      sprintf("%s (%s)", column$label, paste(encodeString(column$unseen, quote = "\""), collapse = ", "))
    }, "")
    kg_warn(
      c(
        "{.arg {arg}} has levels that the data did not have: {what}.",
        "i" = "They are taken as missing."
      ),
      "levels"
    )
  }
}

# ---- what scale() had done ----

scaling_of <- function(x, at) {
  center <- attr(x, "scaled:center")
  scale <- attr(x, "scaled:scale")
  p <- NCOL(x)
  good <- function(a) is.null(a) || (is.numeric(a) && length(a) == p && all(is.finite(a)))
  if (!is.matrix(x) || is.null(center) && is.null(scale) || !good(center) || !good(scale)) {
    return(NULL)
  }
  if (is.null(center)) center <- numeric(p)
  if (is.null(scale)) scale <- rep(1, p)
  x <- x[, at, drop = FALSE]
  storage.mode(x) <- "double"
  range <- vapply(seq_along(at), function(j) suppressWarnings(range(x[, j], finite = TRUE)), c(0, 0))
  list(center = unname(center[at]), scale = unname(scale[at]), low = range[1L, ], high = range[2L, ])
}

# The data came from scale(). New rows that say how they were scaled are taken back and scaled as
# the data. Rows that do not say may be either, as subsetting forgets it: both readings are tried,
# and a row fits one where it lies within the range of the data widened by a tenth on both sides.
# A reading that fits more rows by half of them is taken; else the values as they are, with a
# warning.
rescale_new <- function(used, own, scaled, arg) {
  if (is.null(scaled)) {
    return(used)
  }
  raw <- vapply(used, `[[`, used[[1L]]$values, "values")
  dim(raw) <- c(length(used[[1L]]$values), length(used))
  move <- function(x, center, scale) (x - rep(center, each = nrow(x))) / rep(scale, each = nrow(x))
  if (!is.null(own)) {
    if (isTRUE(all.equal(own[1:2], scaled[1:2], tolerance = 1e-12))) {
      return(used)
    }
    raw <- raw * rep(own$scale, each = nrow(raw)) + rep(own$center, each = nrow(raw))
    return(with_values(used, move(raw, scaled$center, scaled$scale)))
  }
  moved <- move(raw, scaled$center, scaled$scale)
  as_they_are <- share_fitting(raw, scaled)
  from_units <- share_fitting(moved, scaled)
  if (as_they_are - from_units >= 0.5) {
    return(used)
  }
  if (from_units - as_they_are >= 0.5) {
    kg_inform(
      "{.arg {arg}} is scaled by the centre and scale that {.fn scale} had found in the data.",
      "scaled"
    )
    return(with_values(used, moved))
  }
  kg_warn(
    c(
      "{.arg {arg}} is taken as scaled already, as the data were by {.fn scale}, but may not be.",
      "i" = "Scale it by {.code scale(newdata, attr(x, \"scaled:center\"), attr(x, \"scaled:scale\"))}.",
      "i" = "Or let {.code standardize = TRUE} do it, at the fit and for new data."
    ),
    "scaled"
  )
  used
}

with_values <- function(used, x) {
  for (j in seq_along(used)) used[[j]]$values <- x[, j]
  used
}

share_fitting <- function(x, scaled) {
  room <- 0.1 * (scaled$high - scaled$low) + 1e-8 * pmax(abs(scaled$low), abs(scaled$high))
  outside <- x < rep(scaled$low - room, each = nrow(x)) | x > rep(scaled$high + room, each = nrow(x))
  mean(rowSums(outside, na.rm = TRUE) == 0)
}
