# The blueprint: how a table becomes points, kept so that new rows become points the same way.
#
# A column of numbers (dates, times, differences of times and the numbers of ordered levels are
# such) gives one coordinate, (x - mean) / sd. A column of categories gives one a level,
#     sqrt(2) (1{x = l} - share of l),
# so that rows that differ in it are 2 apart, as by two standard deviations. A weight of the column
# multiplies by its square root. A table of numbers alone keeps its units unless `standardize`
# says otherwise. Missing cells get conditional means (R/impute.R). Time and memory O(n D).
#
#   names        of the table's columns, or NULL; `width` is their number
#   columns      a list, one element a column that is used: label, at (its place in the table), type,
#                levels, unit, mean, sd, shares, weight, size; NULL: all are numbers as they are
#   as_is        are the points the numbers in their units?
#   coordinates  names of the coordinates, or NULL
#   scaled       what scale() had done to the matrix: list(center, scale, low, high), or NULL
#   normal       the model of missing cells; NULL until it is needed for numbers as they are
#   missing      list(cells, total, rows, columns): what was missing, counts by column named

make_blueprint <- function(x, weights = NULL, columns = NULL, standardize = FALSE,
                           na = c("impute", "fail"), arg = "x", call = rlang::caller_env()) {
  standardize <- check_flag(standardize, "standardize", call)
  na <- check_choice(na, "na", c("impute", "fail"), call)
  if (is.null(columns) && !standardize && is_complete_matrix(x)) {
    scaled <- scaling_of(x, seq_len(ncol(x)))
    return(list(blueprint = plain_blueprint(x, scaled), points = plain_points(x)))
  }
  table <- read_table(x, arg, arg, call)
  w <- check_weights(weights, table$n, call = call, names = table$rows)
  used <- weigh_columns(table$columns, columns, table$names, arg, call)
  used <- drop_empty(used, w, arg, call)
  missing <- count_missing(used, table$n)
  if (na == "fail") refuse_missing(missing, used, table, arg, call)
  as_is <- !standardize && all(vapply(used, `[[`, "", "type") == "number")
  complete <- missing$cells == 0
  if (!(as_is && complete)) {
    used <- lapply(used, describe_column, w = w)
    if (!as_is) used <- drop_constant(used, arg, call)
    say_many_levels(used, arg)
    refuse_empty_rows(used, table, arg, call)
  }
  blueprint <- new_blueprint(
    table$names, length(table$columns), lapply(used, function(column) column[names(column) != "values"]),
    as_is, coordinate_names(used, table$names), scaling_of(x, places_of(used)), missing
  )
  if (as_is && complete) {
    points <- in_units(NULL, used, blueprint, table$n)
  } else {
    check_memory(
      16 * table$n * width_of(used), table$n, "their coordinates",
      hint = "Names and identifiers are no categories: drop such columns.", call = call
    )
    z <- coordinates(used, table$n)
    blueprint$normal <- normal_model(z, w, first_coordinates(used))
    say_missing(blueprint, arg)
    z <- fill_points(z, blueprint$normal, first_coordinates(used))
    points <- in_units(z, used, blueprint, table$n)
  }
  dimnames(points) <- name_both(table$rows, blueprint$coordinates)
  list(blueprint = blueprint, points = points)
}

# Of complete numbers that stay as they are.
plain_blueprint <- function(x, scaled = NULL) {
  new_blueprint(plain_names(colnames(x)), ncol(x), NULL, TRUE, colnames(x), scaled)
}

new_blueprint <- function(names, width, columns, as_is, coordinates, scaled = NULL, missing = NULL) {
  structure(
    list(
      names = names, width = width, columns = columns, as_is = as_is, coordinates = coordinates,
      scaled = scaled, normal = NULL, missing = missing
    ),
    class = "kgroups_blueprint"
  )
}

# New rows as points: m x D, named by the rows. A row with nothing observed gets NA and a warning.
# Where the data were complete numbers the model of missing cells is not kept: it is learnt from
# `training`, the points of the data, and their weights.
apply_blueprint <- function(blueprint, newdata, arg = "newdata", call = rlang::caller_env(), training = NULL,
                            weights = NULL, what = "newdata") {
  if (is_made_points(newdata) && identical(attr(newdata, "blueprint")$coordinates, blueprint$coordinates)) {
    return(plain_points(newdata))
  }
  newdata <- as_rows(newdata, blueprint)
  if (is.null(blueprint$columns) && is.null(blueprint$scaled) && is_complete_matrix(newdata)) {
    at <- place_columns(
      seq_len(blueprint$width), blueprint$names, blueprint$width, plain_names(colnames(newdata)),
      ncol(newdata), arg, what, call
    )
    return(name_columns(plain_points(newdata, at), blueprint$coordinates))
  }
  table <- read_table(newdata, arg, what, call)
  old <- used_columns(blueprint)
  at <- place_columns(
    places_of(old), blueprint$names, blueprint$width, table$names, length(table$columns), arg, what, call
  )
  used <- Map(function(new, old) {
    new <- as_old_column(new, old, arg, what, call)
    old[c("values", "unseen")] <- new[c("values", "unseen")]
    old
  }, table$columns[at], old)
  say_unseen(used, arg)
  used <- rescale_new(used, scaling_of(newdata, at), blueprint$scaled, arg)
  missing <- count_missing(used, table$n)
  if (blueprint$as_is && missing$cells == 0) {
    points <- in_units(NULL, used, blueprint, table$n)
  } else {
    if (is.null(blueprint$normal)) {
      if (is.null(training)) refuse_missing(missing, used, table, arg, call, what)
      blueprint <- learn_normal(blueprint, training, weights)
      used <- Map(function(column, learnt) {
        learnt$values <- column$values
        learnt
      }, used, blueprint$columns)
    }
    empty <- empty_rows(used, table$n)
    say_empty_rows(empty, table$rows, arg)
    z <- fill_points(coordinates(used, table$n), blueprint$normal, first_coordinates(used))
    points <- in_units(z, used, blueprint, table$n)
    points[empty, ] <- NA
  }
  dimnames(points) <- name_both(table$rows, blueprint$coordinates)
  points
}

# Points that as_points() made.
is_made_points <- function(x) {
  is.matrix(x) && is.double(x) && inherits(attr(x, "blueprint"), "kgroups_blueprint") &&
    ncol(x) == length(coordinate_sizes(attr(x, "blueprint"))) && all(is.finite(x))
}

unpack_points <- function(x) list(blueprint = attr(x, "blueprint"), points = plain_points(x))

coordinate_sizes <- function(blueprint) {
  sizes <- if (!blueprint$as_is) vapply(blueprint$columns, `[[`, 0L, "size")
  if (is.null(sizes)) rep(1L, length(used_columns(blueprint))) else rep(sizes, sizes)
}

# The points of the data of a fit, without saying anew what was said at the fit.
points_again <- function(blueprint, data) {
  if (is_made_points(data)) {
    return(plain_points(data))
  }
  if (is.null(blueprint$columns)) {
    return(if (is.matrix(data)) plain_points(data) else data)
  }
  suppressWarnings(suppressMessages(apply_blueprint(blueprint, data)))
}

# New rows for predict(): the points of those in which something is observed, and which these are.
new_points <- function(newdata, blueprint, training, weights, call) {
  y <- apply_blueprint(blueprint, newdata, "newdata", call, training, weights)
  known <- if (anyNA(y)) !is.na(y[, 1L]) else rep(TRUE, nrow(y))
  list(y = as_new_points(y[known, , drop = FALSE]), known = known, names = rownames(y))
}

as_new_points <- function(y) structure(y, class = "kgroups_new_points")

name_both <- function(rows, columns) if (!is.null(rows) || !is.null(columns)) list(rows, columns)

name_columns <- function(points, columns) {
  dimnames(points) <- name_both(rownames(points), columns)
  points
}

# ---- numbers as they are ----

# One look at the numbers; what else may be wrong with them is found out by read_table().
is_complete_matrix <- function(x) {
  is.matrix(x) && is.numeric(x) && !inherits(x, "integer64") && length(x) > 0L &&
    (is.finite(sum(x)) || all(is.finite(x)))
}

plain_points <- function(x, at = NULL) {
  if (!is.null(at) && !identical(at, seq_len(ncol(x)))) x <- x[, at, drop = FALSE]
  storage.mode(x) <- "double"
  if (!all(names(attributes(x)) %in% c("dim", "dimnames"))) {
    attributes(x) <- attributes(x)[c("dim", if (!is.null(dimnames(x))) "dimnames")]
  }
  x
}

# A vector is one row, or the only column; its names are those of the columns if they can be.
as_rows <- function(newdata, blueprint) {
  plain <- is.numeric(newdata) && (!is.object(newdata) || inherits(newdata, "integer64"))
  if (!is.null(dim(newdata)) || !plain) {
    return(newdata)
  }
  names <- names(newdata)
  class <- if (inherits(newdata, "integer64")) "integer64"
  newdata <- as.vector(unclass(newdata))
  newdata <- if (blueprint$width == 1L) {
    matrix(newdata, ncol = 1L, dimnames = if (!is.null(names)) list(names, NULL))
  } else {
    matrix(newdata, 1L, dimnames = if (any(names %in% blueprint$names)) list(NULL, names))
  }
  class(newdata) <- class
  newdata
}

used_columns <- function(blueprint) {
  if (!is.null(blueprint$columns)) {
    return(blueprint$columns)
  }
  lapply(seq_len(blueprint$width), function(j) {
    list(label = column_label(blueprint$names, j), at = j, type = "number", weight = 1)
  })
}

# What points that are complete numbers say about cells that are missing elsewhere.
learn_normal <- function(blueprint, points, weights = NULL) {
  w <- if (is.null(weights)) rep(1, nrow(points)) else weights
  used <- used_columns(blueprint)
  used <- lapply(seq_along(used), function(j) {
    used[[j]]$values <- points[, j] / sqrt(used[[j]]$weight)
    describe_column(used[[j]], w)
  })
  blueprint$normal <- normal_model(coordinates(used, nrow(points)), w)
  blueprint$columns <- lapply(used, function(column) column[names(column) != "values"])
  blueprint
}

# ---- weights of columns ----

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

# ---- what is known of a column ----

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
  empty <- !vapply(used, function(column) full(column$values), NA)
  # scale() makes 0 / 0 of a constant column
  scaled <- any(empty) && all(vapply(used[empty], function(column) all(is.nan(column$values)), NA))
  leave_out(used, empty, arg, call, "empty", function(left) {
    kg_warn(
      c(
        "{cli::qty(left)}Empty column{?s} of {.arg {arg}} left out: {.field {left}}.",
        "x" = if (scaled) "{cli::qty(left)}{?It is/They are} NaN in every row, as {.fn scale} makes of a constant column.",
        "i" = "Drop {cli::qty(left)}{?it/them} yourself to be rid of this warning."
      ),
      "empty",
      .envir = rlang::env(left = left, arg = arg, scaled = scaled)
    )
  })
}

drop_constant <- function(used, arg, call) {
  constant <- vapply(used, `[[`, NA, "constant")
  leave_out(used, constant, arg, call, "constant", function(left) {
    kg_warn(
      c(
        "{cli::qty(left)}Constant column{?s} of {.arg {arg}} left out: {.field {left}}.",
        "i" = "Drop {cli::qty(left)}{?it/them} yourself to be rid of this warning."
      ),
      "constant",
      .envir = rlang::env(left = left, arg = arg)
    )
  })
}

leave_out <- function(used, out, arg, call, why, warn) {
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
  warn(vapply(used[out], `[[`, "", "label"))
  used[!out]
}

# ---- missing cells ----

count_missing <- function(used, n) {
  counts <- vapply(used, function(column) if (anyNA(column$values)) sum(is.na(column$values)) else 0L, 0L)
  names(counts) <- vapply(used, function(column) {
    if (column$label == as.character(column$at)) paste("column", column$label) else column$label
  }, "")
  rows <- 0L
  if (any(counts > 0L)) {
    open <- lapply(used[counts > 0L], function(column) is.na(column$values))
    rows <- sum(Reduce(`|`, open))
  }
  list(cells = sum(counts), total = n * length(used), rows = rows, n = n, columns = counts)
}

refuse_missing <- function(missing, used, table, arg, call, what = arg) {
  if (missing$cells == 0) {
    return(invisible())
  }
  column <- used[[which(missing$columns > 0L)[1L]]]
  row <- called(which(is.na(column$values))[1L], table$rows)
  kg_abort(
    c(
      "{.arg {arg}} must hold finite numbers, one observation a row.",
      "x" = "Row {row}, column {.field {column$label}} is missing ({missing$rows} row{?s} of {missing$n} affected).",
      "i" = "Drop such rows by {.fn na.omit}, or say {.code na = \"impute\"}."
    ),
    what,
    call = call
  )
}

empty_rows <- function(used, n) {
  empty <- rep(TRUE, n)
  for (column in used) {
    if (!anyNA(column$values)) {
      return(logical(n))
    }
    empty <- empty & is.na(column$values)
  }
  empty
}

row_labels <- function(rows, which) if (is.null(rows)) as.character(which) else rows[which]

refuse_empty_rows <- function(used, table, arg, call) {
  empty <- which(empty_rows(used, table$n))
  if (length(empty) == 0L) {
    return(invisible())
  }
  rows <- row_labels(table$rows, empty)
  kg_abort(
    c(
      "Every row of {.arg {arg}} must have something observed.",
      "x" = "{cli::qty(rows)}Row{?s} {.field {rows}} {?has/have} nothing.",
      "i" = "Drop {cli::qty(rows)}{?it/them}."
    ),
    arg,
    call = call
  )
}

say_empty_rows <- function(empty, rows, arg) {
  if (any(empty)) {
    rows <- row_labels(rows, which(empty))
    kg_warn(
      "Nothing is observed in {cli::qty(rows)}row{?s} {.field {rows}} of {.arg {arg}}: the answer is {.code NA}.",
      "missing"
    )
  }
}

say_missing <- function(blueprint, arg) {
  missing <- blueprint$missing
  if (missing$cells == 0) {
    return(invisible())
  }
  share <- 100 * missing$cells / missing$total
  percent <- format(share, digits = 2)
  counts <- sort(missing$columns[missing$columns > 0L], decreasing = TRUE)
  shown <- utils::head(counts, 5L)
  worst <- sprintf("%s (%d)", names(shown), shown)
  others <- length(counts) - length(shown)
  bullets <- c(
    "{percent} % of the cells of {.arg {arg}} are missing, in {missing$rows} of {missing$n} rows.",
    "i" = if (others > 0) "Most in {worst}; {others} other{?s}." else "In {worst}.",
    "i" = if (is.null(blueprint$normal$precision)) {
      "They get the mean of their column: there are more than {model_coordinates} coordinates."
    } else {
      "They get their conditional means under one normal model of the columns."
    },
    "i" = if (share > 20) "With so many missing the clusters may be those of what was observed."
  )
  if (share > 20) kg_warn(bullets, "missing") else kg_inform(bullets, "missing")
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

# ---- coordinates ----

places_of <- function(used) vapply(used, `[[`, 0L, "at")

width_of <- function(used) sum(vapply(used, `[[`, 0L, "size"))

first_coordinates <- function(used) {
  size <- vapply(used, `[[`, 0L, "size")
  cumsum(c(1L, size[-length(size)]))
}

# n x D: columns of mean 0, NA where missing, without the weights of columns.
coordinates <- function(used, n) {
  first <- first_coordinates(used)
  z <- matrix(0, n, width_of(used))
  rows <- seq_len(n)
  for (j in seq_along(used)) {
    column <- used[[j]]
    if (column$type != "categories") {
      z[, first[j]] <- (column$values - column$mean) / if (column$sd > 0) column$sd else 1
      next
    }
    block <- matrix(rep(-sqrt(2) * column$shares, each = n), n)
    is_level <- rows + (column$values - 1) * n
    if (anyNA(is_level)) {
      block[is.na(is_level), ] <- NA
      is_level <- is_level[!is.na(is_level)]
    }
    block[is_level] <- block[is_level] + sqrt(2)
    z[, seq.int(first[j], length.out = column$size)] <- block
  }
  z
}

# Standardised coordinates to points: numbers as they are go back to their units.
in_units <- function(z, used, blueprint, n) {
  if (blueprint$as_is) {
    points <- matrix(0, n, length(used))
    for (j in seq_along(used)) {
      x <- used[[j]]$values
      if (anyNA(x)) {
        x[is.na(x)] <- used[[j]]$mean + z[is.na(x), j] * used[[j]]$sd
      }
      points[, j] <- x
    }
    z <- points
  }
  weight <- vapply(used, `[[`, 0, "weight")
  if (all(weight == 1)) {
    return(z)
  }
  size <- if (blueprint$as_is) 1L else vapply(used, `[[`, 0L, "size")
  z * rep(sqrt(rep(weight, size)), each = n)
}

coordinate_names <- function(used, names) {
  if (is.null(names) && all(vapply(used, `[[`, "", "type") != "categories")) {
    return(NULL)
  }
  unlist(lapply(used, function(column) {
    if (column$type != "categories") column$label else paste(column$label, column$levels, sep = "=")
  }))
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

# ---- print ----

# Numbers as they are, none of them missing: nothing to say.
is_plain <- function(x) {
  x$as_is && (is.null(x$missing) || x$missing$cells == 0) &&
    all(vapply(used_columns(x), `[[`, 0, "weight") == 1)
}

#' @export
format.kgroups_blueprint <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env())
  if (x$as_is) {
    out <- sprintf("%d number%s as they are", length(used_columns(x)), plural(length(used_columns(x))))
    if (length(used_columns(x)) == 1L) out <- "1 number as it is"
  } else {
    type <- vapply(x$columns, `[[`, "", "type")
    scaled <- c(
      count_of(sum(type == "number"), "number", "numbers"),
      count_of(sum(type %in% c("date", "time", "difference")), "date or time", "dates or times"),
      count_of(sum(type == "ordered"), "ordered", "ordered")
    )
    levels <- sum(vapply(x$columns, `[[`, 0L, "size")[type == "categories"])
    out <- paste(c(
      if (length(scaled)) paste(in_words(scaled), "scaled to sd 1"),
      if (levels > 0) sprintf("%d categorical (%d levels; a mismatch counts 2 sd)", sum(type == "categories"), levels)
    ), collapse = ", ")
  }
  weight <- vapply(used_columns(x), `[[`, 0, "weight")
  if (any(weight != 1)) {
    labels <- vapply(used_columns(x), `[[`, "", "label")[weight != 1]
    out <- sprintf(
      "%s, weight%s %s", out, plural(length(labels)),
      paste(labels, vapply(weight[weight != 1], format, "", digits = 3), collapse = ", ")
    )
  }
  cells <- if (is.null(x$missing)) 0 else x$missing$cells
  if (cells > 0) sprintf("%s, %d missing cell%s filled", out, cells, plural(cells)) else out
}

in_words <- function(x) {
  if (length(x) < 2L) x else paste(paste(x[-length(x)], collapse = ", "), "and", x[length(x)])
}

count_of <- function(n, one, many) if (n > 0) paste(n, if (n == 1) one else many)

#' @export
print.kgroups_blueprint <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env())
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# ---- the settings of a fit ----

# `x` as it is, or as points where settings say how to make them.
read_recipe <- function(x, weights, columns, standardize, na, call) {
  standardize <- check_flag(standardize, "standardize", call)
  na <- check_choice(na, "na", c("impute", "fail"), call)
  if (is.null(columns) && !standardize && na == "impute") {
    return(x)
  }
  if (is.null(dim(x)) && is.numeric(x) && !is.object(x)) x <- matrix(x, ncol = 1L, dimnames = name_both(names(x), NULL))
  if (is_made_points(x) || !is.data.frame(x) && !(is.matrix(x) && is.numeric(x) && !inherits(x, "kgroups_gram"))) {
    kg_abort(
      c(
        "{.arg columns}, {.arg standardize} and {.arg na} are for matrices of numbers and data frames.",
        "x" = "You supplied {describe(x)}."
      ),
      "columns",
      call = call
    )
  }
  made <- make_blueprint(x, weights, columns, standardize, na, call = call)
  structure(made$points, blueprint = made$blueprint)
}

# ---- the points themselves ----

#' A table as points
#'
#' What [kgroups()] makes of a table before it clusters: a row a point, the columns put on one scale,
#' missing cells filled. For other uses, and to see it.
#'
#' A table of numbers alone, none missing, is left as it is. Otherwise:
#' * A column of numbers, dates, times or differences of times gives
#'   \eqn{(x - \bar x)/s}{(x - mean)/sd}, as [scale()]; an ordered factor the same of its level
#'   numbers \eqn{1, \ldots, L}{1, ..., L}.
#' * A column of categories (factor, text, logical) gives for each level \eqn{l}{l} that occurs
#'   \eqn{\sqrt 2 (1\{x = l\} - p_l)}{sqrt(2) (1(x = l) - p_l)}, \eqn{p_l}{p_l} its share: rows with
#'   different levels are 2 apart, as by two standard deviations, and a balanced column of two
#'   levels is the same as a standardised column of zeros and ones.
#' * Constant columns are left out, with a warning.
#' * `columns` multiplies what a column adds to squared distances.
#'
#' If numbers alone have missing cells they keep their units, and only what is missing is
#' computed on the scale of standard deviations.
#'
#' @section Missing cells:
#' They get their conditional means under one normal model of the coordinates,
#' \deqn{x_m = \mu_m + \Sigma_{mo} (\Sigma_{oo} + \epsilon I)^{-1} (x_o - \mu_o)}{
#' x_m = mu_m + Sigma_mo (Sigma_oo + eps I)^-1 (x_o - mu_o),}
#' with eps a millionth of the mean variance. From 0 the mean and the covariance are estimated six
#' times, the covariance with the mean
#' conditional covariance of what is missing, its off-diagonal entries times
#' \eqn{1 - \min(0.9, D/n + 0.05)}{1 - min(0.9, D/n + 0.05)} for D coordinates; from 4000 rows, evenly
#' spread, if there are
#' more. Nothing is random, and nothing depends on k. Above 300 coordinates
#' cells get the means of their columns. A message says how much is missing and where, a warning
#' if it is more than a fifth of all cells.
#'
#' @section Where it fails:
#' A column of two levels that has nothing to do with the clusters can rule where k and the number of
#' columns are small; the remedy is a weight below 1, as `columns = c(sex = 0.3)`. Where columns
#' are independent within clusters of very unequal sizes, a mixture model of just that is better.
#'
#' @param x A data frame (also a tibble or a data.table) with columns of numbers, dates, times,
#'   categories, text and logical values, or a matrix of numbers. 64-bit integers are taken
#'   exactly up to \eqn{2^{53}}{2^53}.
#' @param weights Weights of the rows, for means, standard deviations, shares and the model of
#'   missing cells. Default all 1. Whole weights count rows.
#' @param columns Weights of columns: named numbers, others keep 1; or one number for each column.
#'   0 leaves a column out.
#' @param standardize Should numbers get mean 0 and standard deviation 1 although there is nothing but
#'   numbers? Default `FALSE`.
#' @param na What to do with missing cells: `"impute"`, or `"fail"`, which refuses them.
#' @param like Points from an earlier call, or their blueprint: `x` is then made into points in the
#'   same way, with the means, levels and model of that call, its columns found by name. The other
#'   arguments must be left out.
#' @return A matrix of numbers with a row a point and the attribute `"blueprint"`. With `like`, a row of
#' `x` in which nothing is
#'   observed gives `NA`.
#' @section Complexity: \eqn{O(n D)}{O(n D)} time and memory; with missing cells \eqn{O(D^3)}{O(D^3)}
#' more for the model, and for a pattern of m missing
#'   coordinates \eqn{O(m^3)}{O(m^3)}, for a row \eqn{O(m D)}{O(m D)}.
#' @section Errors: `kg_error_x` for columns that cannot be used, infinite values, rows in which
#'   nothing is observed, and with `like` for columns that are missing or of another type;
#'   `kg_error_columns`, `kg_error_weights`, `kg_error_na`, `kg_error_standardize`,
#'   `kg_error_like` for wrong arguments; `kg_error_memory`. Warnings: `kg_warning_constant`,
#'   `kg_warning_empty`,
#'   `kg_warning_levels`, `kg_warning_missing`, `kg_warning_scaled`.
#' @family inputs
#' @examples
#' people <- data.frame(
#'   age = c(31, 45, NA, 62, 27, 51),
#'   sex = c("f", "m", "f", "f", "m", NA),
#'   health = factor(c("poor", "good", "good", "fair", "good", "poor"), c("poor", "fair", "good"),
#'   ordered = TRUE)
#' )
#' points <- as_points(people)
#' round(points, 2)
#' attr(points, "blueprint")
#'
#' # new rows in the same way, and the points for another method
#' as_points(data.frame(age = 40, sex = "m", health = "fair"), like = points)
#' prcomp(as_points(iris, columns = c(Species = 0.5)))
#' @export
as_points <- function(x, weights = NULL, columns = NULL, standardize = FALSE, na = c("impute", "fail"),
                      like = NULL) {
  check_given(x, "x")
  if (is.null(like)) {
    made <- make_blueprint(x, weights, columns, standardize, na)
    blueprint <- made$blueprint
    # the data will not be at hand when new rows come
    if (is.null(blueprint$normal)) blueprint <- learn_normal(blueprint, made$points, weights)
    return(structure(made$points, blueprint = blueprint))
  }
  blueprint <- if (inherits(like, "kgroups_blueprint")) like else attr(like, "blueprint")
  if (!inherits(blueprint, "kgroups_blueprint")) {
    kg_abort(
      c(
        "{.arg like} must be points from {.fn as_points}, or their blueprint.",
        "x" = "You supplied {describe(like)}.",
        "i" = "Rows of such points forget their blueprint: keep {.code attr(points, \"blueprint\")}."
      ),
      "like"
    )
  }
  if (!(is.null(weights) && is.null(columns) && identical(standardize, FALSE) && missing(na))) {
    kg_abort(
      c(
        "With {.arg like} the other arguments must be left out.",
        "x" = "You supplied some of them.",
        "i" = "What they say was settled when {.arg like} was made."
      ),
      "like"
    )
  }
  points <- apply_blueprint(blueprint, x, "x", rlang::current_env(), what = "x")
  structure(points, blueprint = blueprint)
}
