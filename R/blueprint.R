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

make_blueprint <- function(x, weights = NULL, column_weights = NULL, standardize = FALSE,
                           missing = c("impute", "fail"), arg = "x", call = rlang::caller_env()) {
  standardize <- check_flag(standardize, "standardize", call)
  missing <- check_choice(missing, "missing", c("impute", "fail"), call)
  if (is.null(column_weights) && !standardize && is_complete_matrix(x)) {
    scaled <- scaling_of(x, seq_len(ncol(x)))
    return(list(blueprint = plain_blueprint(x, scaled), points = plain_points(x)))
  }
  table <- read_table(x, arg, arg, call)
  w <- check_weights(weights, table$n, call = call, names = table$rows)
  used <- weigh_columns(table$columns, column_weights, table$names, arg, call)
  used <- drop_empty(used, w, arg, call)
  cells <- count_missing(used, table$n)
  if (missing == "fail") abort_missing(cells, used, table, arg, call)
  as_is <- !standardize && all(vapply(used, `[[`, "", "type") == "number")
  complete <- cells$cells == 0
  if (!(as_is && complete)) {
    used <- lapply(used, describe_column, w = w)
    if (!as_is) used <- drop_constant(used, arg, call)
    inform_many_levels(used, arg)
    abort_empty_rows(used, table, arg, call)
  }
  blueprint <- new_blueprint(
    table$names, length(table$columns), lapply(used, function(column) column[names(column) != "values"]),
    as_is, coordinate_names(used, table$names), scaling_of(x, places_of(used)), cells
  )
  made <- first_points(used, table$n, blueprint, w, arg, call)
  dimnames(made$points) <- name_both(table$rows, blueprint$coordinates)
  made
}

# The points of columns that are described, and the blueprint with the model of missing cells that
# they have given.
first_points <- function(used, n, blueprint, w, arg, call) {
  if (blueprint$as_is && blueprint$missing$cells == 0) {
    return(list(blueprint = blueprint, points = in_units(NULL, used, blueprint, n)))
  }
  check_memory(
    16 * n * width_of(used), n, "their coordinates",
    hint = "Names and identifiers are no categories: drop such columns.", call = call
  )
  first <- first_coordinates(used)
  z <- coordinates(used, n)
  blueprint$normal <- normal_model(z, w, first)
  inform_missing(blueprint, arg)
  list(blueprint = blueprint, points = in_units(fill_points(z, blueprint$normal, first), used, blueprint, n))
}

# Of complete numbers that stay as they are.
plain_blueprint <- function(x, scaled = NULL) {
  names <- dimnames(x)[[2L]]
  new_blueprint(plain_names(names), ncol(x), NULL, TRUE, names, scaled)
}

new_blueprint <- function(names, width, columns, as_is, coordinates, scaled = NULL, missing = NULL) {
  out <- list(
    names = names, width = width, columns = columns, as_is = as_is, coordinates = coordinates,
    scaled = scaled, normal = NULL, missing = missing
  )
  class(out) <- "kgroups_blueprint"
  out
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
  inform_unseen(used, arg)
  used <- rescale_new(used, scaling_of(newdata, at), blueprint$scaled, arg)
  missing <- count_missing(used, table$n)
  if (blueprint$as_is && missing$cells == 0) {
    points <- in_units(NULL, used, blueprint, table$n)
  } else {
    if (is.null(blueprint$normal)) {
      if (is.null(training)) abort_missing(missing, used, table, arg, call, what)
      blueprint <- learn_normal(blueprint, training, weights)
      used <- Map(function(column, learnt) {
        learnt$values <- column$values
        learnt
      }, used, blueprint$columns)
    }
    empty <- empty_rows(used, table$n)
    inform_empty_rows(empty, table$rows, arg)
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
  is.matrix(x) && is.numeric(x) && !inherits(x, "integer64") && length(x) > 0L && all_finite(x)
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
  w <- weights %||% rep(1, nrow(points))
  used <- used_columns(blueprint)
  used <- lapply(seq_along(used), function(j) {
    used[[j]]$values <- points[, j] / sqrt(used[[j]]$weight)
    describe_column(used[[j]], w)
  })
  blueprint$normal <- normal_model(coordinates(used, nrow(points)), w)
  blueprint$columns <- lapply(used, function(column) column[names(column) != "values"])
  blueprint
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
  for (j in seq_along(used)) {
    column <- used[[j]]
    if (column$type != "categories") {
      z[, first[j]] <- (column$values - column$mean) / if (column$sd > 0) column$sd else 1
      next
    }
    for (l in seq_len(column$size)) {
      value <- rep(-sqrt(2) * column$shares[l], column$size)
      value[l] <- value[l] + sqrt(2)
      z[, first[j] + l - 1L] <- value[column$values]
    }
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
