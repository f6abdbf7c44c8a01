# What is known of the columns of a table: their weights, and their means and standard deviations
# or shares. Columns that say nothing are left out by name.

# `columns`: named numbers, or one for each column. Columns of weight 0 are left out.
weigh_columns <- function(table, columns, names, arg, call) {
  weight <- check_column_weights(columns, length(table), names, arg, call)
  out <- which(weight == 0)
  if (length(out) == length(table)) {
    kg_abort(
      c("A column of {.arg {arg}} must have a weight above 0.", "x" = "All weights are 0."),
      "column_weights",
      call = call
    )
  }
  if (length(out)) {
    left <- column_label(names, out)
    kg_inform("{cli::qty(left)}Column{?s} {.field {left}} left out: weight 0.", "column_weights")
  }
  lapply(setdiff(seq_along(table), out), function(j) c(table[[j]], weight = weight[j]))
}

check_column_weights <- function(columns, width, names, arg, call) {
  if (is.null(columns)) {
    return(rep(1, width))
  }
  fail <- function(came, hint) {
    kg_abort(
      c(
        "{.arg column_weights} must give weights of columns, finite numbers that are not negative.",
        "x" = "{came}",
        "i" = "{hint}"
      ),
      "column_weights",
      call = call,
      .envir = rlang::env(came = came, hint = hint)
    )
  }
  given <- names(columns)
  example <- "For example column_weights = c(sex = 0.3); others keep 1, and 0 leaves a column out."
  if (!is.numeric(columns) || is.object(columns) || (is.null(given) && length(columns) != width)) {
    fail(sprintf("You supplied %s.", describe(columns)), example)
  }
  bad <- which(!is.finite(columns) | columns < 0)
  if (length(bad)) {
    at <- bad[1L]
    fail(sprintf("The weight of %s is %s.", column_label(given, at), format(unname(columns[at]))), example)
  }
  if (is.null(given)) {
    return(as.numeric(columns))
  }
  unknown <- setdiff(given, names)
  if (length(unknown)) {
    near <- nearest_name(unknown[1L], names)
    fail(
      sprintf("There is no column %s in %s.", paste(unknown, collapse = ", "), arg),
      if (length(near)) sprintf("Did you mean %s?", near) else example
    )
  }
  twice <- given[duplicated(given)]
  if (length(twice)) fail(sprintf("There are two weights of %s.", twice[1L]), example)
  weight <- rep(1, width)
  # one weight for all columns of a name that stands more than once
  at <- match(names, given)
  weight[!is.na(at)] <- columns[at[!is.na(at)]]
  weight
}

# Mean and sd, or shares, of what is observed. The sd is scale()'s: a divisor of the number of
# rows less 1, with weights s (1 - 1/number). Whole weights are numbers of rows.
describe_column <- function(column, w) {
  seen <- !is.na(column$values) & w > 0
  w <- w[seen]
  x <- column$values[seen]
  column$count <- length(x)
  column$size <- length(column$levels)
  if (column$type == "categories") {
    column$shares <- sum_by(w / max(w), x, column$size)
    column$shares <- column$shares / sum(column$shares)
    column$constant <- max(column$shares) == 1
    return(column)
  }
  column$size <- 1L
  column$constant <- min(x) == max(x)
  unit <- power_near(max(abs(x))) # so that squares neither over- nor underflow
  x <- x / unit
  s <- w / sum(w)
  mean <- sum(s * x)
  mean <- mean + sum(s * (x - mean))
  column$mean <- if (column$constant) x[1L] * unit else mean * unit
  variance <- sum(s * (x - mean)^2) / (1 - 1 / row_count(w))
  column$sd <- if (column$constant || !(variance > 0)) 0 else sqrt(variance) * unit
  column$constant <- column$sd == 0
  column
}

power_near <- function(x) if (x == 0) 1 else 2^max(-1000, min(1000, floor(log2(x))))

# Columns of which nothing is observed (with a weight above 0) cannot be used.
drop_empty <- function(used, w, arg, call) {
  full <- if (all(w > 0)) function(x) !all(is.na(x)) else function(x) !all(is.na(x[w > 0]))
  leave_out_empty(used, !vapply(used, function(column) full(column$values), NA), arg, call)
}

leave_out_empty <- function(used, empty, arg, call) leave_out(used, empty, arg, call, "empty")

drop_constant <- function(used, arg, call) {
  leave_out(used, vapply(used, `[[`, NA, "constant"), arg, call, "constant")
}

leave_out <- function(used, out, arg, call, why) {
  if (!any(out)) {
    return(used)
  }
  if (all(out)) {
    kg_abort(
      c(
        "{.arg {arg}} must have a column that tells rows apart.",
        "x" = "All of them are {why}.",
        "i" = "Look at {.code summary({arg})}."
      ),
      arg,
      call = call
    )
  }
  left <- vapply(used[out], `[[`, "", "label")
  kind <- c(empty = "Empty", constant = "Constant")[[why]]
  # scale() makes 0 / 0 of a constant column
  scaled <- why == "empty" && all(vapply(used[out], function(column) {
    length(column$values) > 0L && all(is.nan(column$values))
  }, NA))
  kg_warn(
    c(
      "{kind} {cli::qty(left)}column{?s} of {.arg {arg}} left out: {.field {left}}.",
      "x" = if (scaled) {
        "{cli::qty(left)}{?It is/They are} NaN in every row, as {.fn scale} makes of a constant column."
      },
      "i" = "Drop {cli::qty(left)}{?it/them} yourself to be rid of this warning."
    ),
    why
  )
  used[!out]
}

# A column in which nearly every row has a level of its own names the rows.
inform_many_levels <- function(used, arg) {
  many <- vapply(used, function(column) column$type == "categories" && column$size > column$count / 2, NA)
  if (any(many)) {
    which <- vapply(used[many], function(column) sprintf("%s (%d)", column$label, column$size), "")
    kg_warn(
      c(
        "{.arg {arg}} has more levels than half its rows in {which}.",
        "i" = "Names and identifiers are no categories: drop such columns."
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
