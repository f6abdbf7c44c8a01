# The blueprint: how a table becomes points, kept so that new rows become points the same way.
#
# A column of numbers (dates, times, differences of times and the numbers of ordered levels are
# such) gives one coordinate, (x - mean) / sd. A column of categories gives one a level,
#     sqrt(2) (1{x = l} - share of l),
# so that rows that differ in it are 2 apart, as by two standard deviations. A weight of the column
# multiplies by its square root. A table of numbers alone keeps its units if `standardize` is
# FALSE. Missing cells get conditional means (R/impute.R). Time and memory O(n D).
#
#   names        of the table's columns, or NULL; `width` is their number
#   columns      a list, one element a column that is used: label, at (its place in the table), type,
#                levels, unit, mean, sd, shares, weight, size; NULL: all are numbers as they are
#   as_is        are the points the numbers in their units?
#   coordinates  names of the coordinates, or NULL
#   normal       the model of missing cells; NULL until it is needed for numbers as they are
#   missing      list(cells, total, rows, columns): the missing cells, and their counts by column; NULL of complete
#                numbers
#   left_out     text: the columns that were left out, each with the reason
#   formula      terms that compute columns, or NULL
#   unit         of a vector of dates or times, see unit_of(), or NULL
#   map          a linear map of the coordinates, D x D, that is applied last; NULL is the identity

make_points <- function(x, weights = NULL, column_weights = NULL, standardize = FALSE,
                           missing = c("impute", "fail"), arg = "x", call = rlang::caller_env()) {
  if (is.null(column_weights) && !standardize && is_complete_matrix(x)) {
    return(new_points(plain_points(x), new_blueprint(x)))
  }
  table <- read_table(x, arg, arg, call)
  w <- check_weights(weights, table$n, call = call, names = table$rows)
  used <- table$columns
  if (!is.null(column_weights)) used <- weigh_columns(used, column_weights, table$names, arg, call)
  cells <- z <- normal <- NULL
  if (!table$complete) {
    # nothing is observed with a weight above 0
    empty <- vapply(used, function(column) all(is.na(column$values[w > 0])), NA)
    if (any(empty)) used <- leave_out(used, ifelse(empty, "empty", NA), arg, call)
    cells <- count_missing(used, table$n)
    if (missing[1L] == "fail") abort_missing(cells, used, table, arg, call)
  }
  as_is <- !standardize && all(vapply(used, `[[`, "", "type") == "number")
  complete <- is.null(cells) || cells$cells == 0
  if (!(as_is && complete)) {
    used <- describe_columns(used, w)
    if (!as_is) used <- drop_constant(used, w, arg, call)
    if (!complete) abort_empty_rows(used, table, arg, call)
    check_memory(
      16 * table$n * width_of(used), table$n, "their coordinates",
      hint = "Names and identifiers are no categories: drop such columns.", call = call
    )
    first <- first_coordinates(used)
    z <- coordinates(used, table$n)
    normal <- normal_model(z, w, first)
    if (!complete) z <- fill_points(z, normal, first)
  }
  # classes of other packages have formulas of their own
  formula <- attr(x, "formula")
  blueprint <- new_blueprint(
    x, table$names, length(table$columns),
    columns = without_values(used), as_is = as_is, coordinates = coordinate_names(used, table$names), normal = normal,
    missing = cells, left_out = attr(used, "left_out"), formula = if (inherits(formula, "terms")) formula
  )
  if (length(missing) > 1L && !complete) warn_missing(cells, arg)
  new_points(named_matrix(in_units(z, used, blueprint, table$n), table$rows, blueprint$coordinates), blueprint)
}

# Return a blueprint, by default that of complete numbers that stay as they are.
new_blueprint <- function(x, names = plain_names(coordinates), width = ncol(x), columns = NULL, as_is = TRUE,
                          coordinates = colnames(x), ...) {
  fields <- list(
    names = names, width = width, columns = columns, as_is = as_is, coordinates = coordinates,
    unit = attr(x, "unit", exact = TRUE), map = NULL, ...
  )
  structure(fields, class = "kgroups_blueprint")
}

# New rows as points: m x D, named by the rows. A row with nothing observed gets NA and a warning.
# If the data were complete numbers the model of missing cells is not kept: it is learnt from
# `training`, the points of the data, and their weights.
apply_blueprint <- function(blueprint, newdata, arg = "newdata", call = rlang::caller_env(), training = NULL,
                            weights = NULL, what = "newdata") {
  if (is_points(newdata)) {
    own <- attr(newdata, "blueprint")
    if (identical(own[c("coordinates", "map")], blueprint[c("coordinates", "map")])) {
      return(plain_points(newdata))
    }
    # points before the map
    if (is.null(own$map) && identical(own$coordinates, blueprint$coordinates)) {
      return(map_coordinates(plain_points(newdata), blueprint$map))
    }
  }
  if (inherits(newdata, "sparseMatrix")) newdata <- as.matrix(check_matrix_object(newdata, call, arg))
  newdata <- in_form_of_data(plain_numbers(newdata, call), blueprint, call)
  newdata <- in_unit_of_data(newdata, blueprint$unit, what, call)
  newdata <- as_rows(formula_rows(newdata, blueprint, call), blueprint)
  if (is.null(blueprint$columns) && is_complete_matrix(newdata)) {
    at <- place_columns(
      seq_len(blueprint$width), blueprint$names, blueprint$width, plain_names(colnames(newdata)),
      ncol(newdata), arg, what, call
    )
    points <- named_matrix(plain_points(newdata, at), rownames(newdata), blueprint$coordinates)
    return(map_coordinates(points, blueprint$map))
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
    warn_empty_rows(which(empty), table$rows, arg)
    check_interrupt()
    z <- fill_points(coordinates(used, table$n), blueprint$normal, first_coordinates(used))
    check_interrupt()
    points <- in_units(z, used, blueprint, table$n)
    if (any(empty)) points[empty, ] <- NA
  }
  map_coordinates(named_matrix(points, table$rows, blueprint$coordinates), blueprint$map)
}

# ---- points: a matrix of coordinates with the blueprint that made them ----

new_points <- function(x, blueprint) {
  structure(x, blueprint = blueprint, class = c("kgroups_prepared", "matrix", "array"))
}

# Are these complete points?
is_points <- function(x) {
  inherits(x, "kgroups_prepared") && is.matrix(x) && inherits(attr(x, "blueprint"), "kgroups_blueprint") &&
    ncol(x) == coordinate_count(attr(x, "blueprint")) && all_finite(x)
}

#' @export
`[.kgroups_prepared` <- function(x, i, j, ..., drop = TRUE) {
  whole_rows <- nargs() - (!missing(drop)) == 3L && missing(j)
  out <- NextMethod()
  if (whole_rows && is.matrix(out)) new_points(out, attr(x, "blueprint")) else out
}

#' @export
print.kgroups_prepared <- function(x, ...) {
  print(plain_points(x), ...)
  if (!is.null(attr(x, "blueprint"))) print(attr(x, "blueprint"))
  invisible(x)
}

# Return points under a linear map of their coordinates, of which the blueprint keeps note: new rows are mapped too.
map_points <- function(points, map, weights = NULL) {
  blueprint <- attr(points, "blueprint")
  # the model of missing cells is one of the coordinates before the map
  if (is.null(blueprint$normal)) blueprint <- learn_normal(blueprint, points, weights)
  blueprint$map <- if (is.null(blueprint$map)) map else blueprint$map %*% map
  new_points(map_coordinates(plain_points(points), map), blueprint)
}

map_coordinates <- function(points, map) {
  check_interrupt()
  if (is.null(map)) {
    return(points)
  }
  named_matrix(times_rows(points, map), rownames(points), colnames(map) %||% colnames(points))
}

coordinate_count <- function(blueprint) {
  columns <- blueprint$columns
  if (is.null(columns)) blueprint$width else if (blueprint$as_is) length(columns) else width_of(columns)
}

# ---- numbers as they are ----

plain_points <- function(x, at = NULL) {
  if (!is.null(at) && !identical(at, seq_len(ncol(x)))) x <- x[, at, drop = FALSE]
  storage.mode(x) <- "double"
  if (!all(names(attributes(x)) %in% c("dim", "dimnames"))) {
    attributes(x) <- attributes(x)[c("dim", if (!is.null(dimnames(x))) "dimnames")]
  }
  x
}

# Return new data with the columns that the formula of a fit computes.
formula_rows <- function(newdata, blueprint, call) {
  if (is.null(blueprint$formula) || !is.data.frame(newdata) ||
    all(blueprint$names %in% names(flat_columns(newdata)))) {
    return(newdata)
  }
  term_columns(blueprint$formula, newdata, call)
}

# A vector of dates or times and a data frame of it alone are the same rows: return those of plain_numbers() in the form
# of the data.
in_form_of_data <- function(newdata, blueprint, call) {
  own <- attr(newdata, "unit", exact = TRUE)
  type <- if (blueprint$width == 1L) vapply(blueprint$columns, `[[`, "", "type")
  if (!is.null(own) && any(type %in% c("date", "time", "difference"))) {
    return(stats::setNames(data.frame(with_unit(newdata, own), row.names = names(newdata)), blueprint$names))
  }
  column <- if (!is.null(blueprint$unit) && is.data.frame(newdata) && length(newdata) == 1L) newdata[[1L]]
  if (is.null(unit_of(column))) {
    return(newdata)
  }
  rows <- if (.row_names_info(newdata) > 0L) row.names(newdata)
  column <- plain_numbers(column, call)
  names(column) <- rows
  column
}

# A vector is one row, or the only column; its names are those of the columns if they can be.
as_rows <- function(newdata, blueprint) {
  newdata <- bare_numbers(newdata)
  if (blueprint$width == 1L || !is_plain_vector(newdata)) {
    return(one_column(newdata))
  }
  one_row(if (any(names(newdata) %in% blueprint$names)) newdata else as.vector(newdata))
}

used_columns <- function(blueprint) {
  if (!is.null(blueprint$columns)) {
    return(blueprint$columns)
  }
  label <- column_label(blueprint$names, seq_len(blueprint$width))
  lapply(seq_along(label), function(j) list(label = label[j], at = j, type = "number", weight = 1))
}

# Fit the model of missing cells to complete points.
learn_normal <- function(blueprint, points, weights = NULL) {
  w <- weights %||% rep(1, nrow(points))
  used <- used_columns(blueprint)
  used <- describe_columns(Map(function(column, j) {
    replace(column, "values", list(points[, j] / sqrt(column$weight)))
  }, used, seq_along(used)), w)
  blueprint$normal <- normal_model(coordinates(used, nrow(points)), w)
  blueprint$columns <- without_values(used)
  blueprint
}

without_values <- function(used) lapply(used, function(column) column[names(column) != "values"])

# The coordinates of numbers; the others are those of categories.
number_coordinates <- function(blueprint, width) {
  # columns as they are have no description
  if (is.null(blueprint$columns) || isTRUE(blueprint$as_is)) {
    return(seq_len(width))
  }
  first_coordinates(blueprint$columns)[vapply(blueprint$columns, `[[`, "", "type") != "categories"]
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

# ---- column weights, means and standard deviations or shares ----

# `columns`: named numbers, or one for each column. Columns of weight 0 are left out.
weigh_columns <- function(used, columns, names, arg, call) {
  given <- names(columns)
  unknown <- setdiff(given, names)
  twice <- given[duplicated(given)]
  near <- if (length(unknown)) nearest_name(unknown[1L], names)
  bad <- if (is.numeric(columns)) which(!is.finite(columns) | columns < 0)
  came <- if (!is.numeric(columns) || is.object(columns) || is.null(given) && length(columns) != length(used)) {
    sprintf("You supplied %s.", value_text(columns))
  } else if (length(bad)) {
    sprintf("The weight of %s is %s.", column_label(given, bad[1L]), format(unname(columns[bad[1L]])))
  } else if (length(unknown)) {
    sprintf("There is no column %s in %s.", paste(unknown, collapse = ", "), arg)
  } else if (length(twice)) {
    sprintf("There are two weights of %s.", twice[1L])
  }
  if (!is.null(came)) {
    abort_input(
      "column_weights", call, "`column_weights` must give weights of columns, finite numbers that are not negative.",
      "{came}",
      if (length(near)) {
        "Did you mean {near}?"
      } else {
        "For example column_weights = c(sex = 0.3); others keep 1, and 0 leaves a column out."
      }
    )
  }
  weight <- as.numeric(columns)
  # one weight for all columns of a name that stands more than once
  if (!is.null(given)) weight <- weight[match(names, given)]
  weight[is.na(weight)] <- 1
  if (all(weight == 0)) {
    abort_input("column_weights", call, "A column of `{arg}` must have a weight above 0.", "All weights are 0.")
  }
  Map(function(column, weight) replace(column, "weight", weight), used[weight > 0], weight[weight > 0])
}

# Return columns with the mean and standard deviation, or shares, of their observed cells; those of numbers together,
# because a table may have 50,000.
describe_columns <- function(used, w) {
  numbers <- vapply(used, `[[`, "", "type") != "categories"
  used[!numbers] <- lapply(used[!numbers], describe_categories, w)
  for (some in strips(sum(numbers), length(w), 1e5)) {
    at <- which(numbers)[some]
    used[at] <- describe_numbers(used[at], w)
  }
  used
}

describe_categories <- function(column, w) {
  seen <- !is.na(column$values) & w > 0
  column$size <- length(column$levels)
  shares <- sum_by(w[seen] / 2^binary_exponent(w[seen]), column$values[seen], column$size)
  column$shares <- shares / sum(shares)
  column$constant <- max(column$shares) == 1
  column
}

# As weighted_moments() up to rounding.
describe_numbers <- function(used, w) {
  n <- length(w)
  of_each <- function(value) rep(value, each = n)
  x <- matrix(vapply(used, `[[`, numeric(n), "values"), n)
  seen <- w > 0 & !is.na(x)
  whole <- all(seen)
  x[!seen] <- 0
  values <- lapply(used, function(column) if (whole) column$values else column$values[w > 0 & !is.na(column$values)])
  low <- vapply(values, min, 0)
  high <- vapply(values, max, 0)
  magnitude <- vapply(pmax(0, -low, high), power_near, 0)
  x <- x / of_each(magnitude)
  count <- if (whole) row_count(w) else apply(seen, 2L, function(one) row_count(w[one]))
  share <- seen * (w / 2^binary_exponent(w))
  share <- share / of_each(colSums(share))
  mean <- colSums(share * x)
  x <- x - of_each(mean)
  rest <- colSums(share * x)
  variance <- colSums(share * (x - of_each(rest))^2) / (1 - 1 / count)
  same <- low == high
  constant <- same | !(variance > 0) | is.na(variance)
  mean <- ifelse(same, low, (mean + rest) * magnitude)
  sd <- ifelse(constant, 0, sqrt(variance) * magnitude)
  lapply(seq_along(used), function(j) {
    few <- if (anyNA(used[[j]]$values)) few_values(values[[j]], few_most)
    c(used[[j]], list(seen = few, size = 1L, constant = constant[j], mean = mean[j], sd = sd[j]))
  })
}

# Columns that do not distinguish rows: one value, or categories that all differ, as names and identifiers.
drop_constant <- function(used, w, arg, call) {
  reason <- vapply(used, function(column) {
    if (column$type == "categories") {
      seen <- !is.na(column$values) & w > 0
      differ <- sum(seen) > 4L && row_count(w[seen]) == sum(seen) && !anyDuplicated(column$values[seen])
      if (differ) return("different in all rows")
    }
    if (column$constant) "constant" else NA_character_
  }, "")
  if (all(is.na(reason))) used else leave_out(used, reason, arg, call)
}

# Return the columns without a `reason` to leave them out, with text on all others so far as attribute; one must remain.
leave_out <- function(used, reason, arg, call) {
  out <- !is.na(reason)
  if (all(out)) {
    differ <- "different in all rows" %in% reason
    abort_input(
      arg, call, "`{arg}` must have a column that varies.",
      "All of them are {paste(unique(reason), collapse = ' or ')}.",
      if (differ) {
        "For distances between texts pass `as.dist(adist(as.character(x[[1]])))`."
      } else {
        "Check `summary({arg})`."
      }
    )
  }
  left_out <- sprintf("%s (%s)", vapply(used[out], `[[`, "", "label"), reason[out])
  structure(used[!out], left_out = c(attr(used, "left_out"), left_out))
}

# ---- format ----

# Return the line of a print that names up to three columns, with their types but for numbers.
# Sparse rows have no blueprint.
clustered_by <- function(blueprint, data = NULL) {
  if (inherits(data, "sparseMatrix") && nrow(data) != ncol(data)) {
    blueprint <- list(names = colnames(data), width = ncol(data))
  }
  used <- if (!is.null(blueprint$names)) used_columns(blueprint)
  if (!length(used) %in% 1:3) {
    return(NULL)
  }
  label <- shorten(vapply(used, `[[`, "", "label"), 40L)
  type <- vapply(used, `[[`, "", "type")
  short <- c(
    date = " (date)", time = " (time)", difference = " (difference of times)", ordered = " (ordered)",
    categories = " (categories)", number = ""
  )
  paste0("Clustered by: ", paste0(label, short[type], collapse = ", "))
}

# Return TRUE for complete numbers as they are.
is_plain <- function(x) {
  x$as_is && is.null(x$map) && is.null(x$left_out) && missing_cells(x) == 0 &&
    all(vapply(x$columns, `[[`, 0, "weight") == 1)
}

missing_cells <- function(x) x$missing$cells %||% 0

#' @export
format.kgroups_blueprint <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env())
  blueprint_text(x)
}

# The text of a blueprint; `mismatch`: by how much two categories are apart, or NULL.
blueprint_text <- function(x, mismatch = "a mismatch counts 2 sd") {
  used <- x$columns
  out <- if (x$as_is) {
    n <- coordinate_count(x)
    sprintf(if (n == 1L) "%d number as it is" else "%d numbers as they are", n)
  } else {
    type <- vapply(used, `[[`, "", "type")
    categories <- type == "categories"
    levels <- sum(vapply(used, `[[`, 0L, "size")[categories])
    scaled <- c(
      count_of(sum(type == "number"), "number", "numbers"),
      count_of(sum(type %in% c("date", "time", "difference")), "date or time", "dates or times"),
      count_of(sum(type == "ordered"), "ordered", "ordered")
    )
    paste(c(
      if (length(scaled)) paste(in_words(scaled), "scaled to sd 1"),
      if (levels > 0) {
        sprintf(
          "%d categorical (%s)", sum(categories), paste(c(sprintf("%d levels", levels), mismatch), collapse = "; ")
        )
      }
    ), collapse = ", ")
  }
  weight <- vapply(used, `[[`, 0, "weight")
  weighed <- which(weight != 1)
  if (length(weighed)) {
    labels <- vapply(used[weighed], `[[`, "", "label")
    values <- vapply(weight[weighed], format, "", digits = 3)
    out <- sprintf("%s, weight%s %s", out, plural(length(weighed)), paste(labels, values, collapse = ", "))
  }
  if (!is.null(x$map)) out <- paste0(out, ", in the metric of the fit")
  cells <- missing_cells(x)
  if (cells > 0) out <- sprintf("%s, %d missing cell%s filled", out, cells, plural(cells))
  left <- length(x$left_out)
  if (left == 0L) {
    return(out)
  }
  more <- if (left > 4L) sprintf("%d more", left - 3L)
  paste0(out, "; left out: ", toString(c(utils::head(x$left_out, if (left > 4L) 3L else 4L), more)))
}

#' @export
print.kgroups_blueprint <- print_lines

# Are there columns of categories?
has_categories <- function(problem) {
  any(vapply(problem$blueprint$columns, function(column) column$type == "categories", NA))
}
