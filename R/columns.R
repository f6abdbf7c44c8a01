# What is known of the columns of a table: their weights, and their means and standard deviations
# or shares. Columns that say nothing are left out by name.

# `columns`: named numbers, or one for each column. Columns of weight 0 are left out.
weigh_columns <- function(table, columns, names, arg, call) {
  weight <- column_weights(columns, length(table), names, arg, call)
  out <- which(weight == 0)
  if (length(out) == length(table)) {
    kg_abort(
      c("A column of {.arg {arg}} must have a weight above 0.", "x" = "All weights are 0."),
      "columns",
      call = call
    )
  }
  if (length(out)) {
    left <- column_label(names, out)
    kg_inform("{cli::qty(left)}Column{?s} {.field {left}} left out: weight 0.", "columns")
  }
  lapply(setdiff(seq_along(table), out), function(j) c(table[[j]], weight = weight[j]))
}

column_weights <- function(columns, width, names, arg, call) {
  if (is.null(columns)) {
    return(rep(1, width))
  }
  fail <- function(came, hint) {
    kg_abort(
      c(
        "{.arg columns} must give weights of columns, finite numbers that are not negative.",
        "x" = "{came}",
        "i" = "{hint}"
      ),
      "columns",
      call = call,
      .envir = rlang::env(came = came, hint = hint)
    )
  }
  given <- names(columns)
  example <- "For example columns = c(sex = 0.3); others keep 1, and 0 leaves a column out."
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
    column$shares <- as.vector(tapply_sum(w / max(w), x, column$size))
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

tapply_sum <- function(w, code, size) vapply(split(w, factor(code, seq_len(size))), sum, 0)

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
  scaled <- why == "empty" && all(vapply(used[out], function(column) length(column$values) > 0L && all(is.nan(column$values)), NA))
  kg_warn(
    c(
      "{kind} {cli::qty(left)}column{?s} of {.arg {arg}} left out: {.field {left}}.",
      "x" = if (scaled) "{cli::qty(left)}{?It is/They are} NaN in every row, as {.fn scale} makes of a constant column.",
      "i" = "Drop {cli::qty(left)}{?it/them} yourself to be rid of this warning."
    ),
    why
  )
  used[!out]
}

# A column in which nearly every row has a level of its own names the rows.
say_many_levels <- function(used, arg) {
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
