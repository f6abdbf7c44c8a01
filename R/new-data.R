# New observations of a problem: points made as its own were, or a row of dissimilarities each.

# Return new points of a problem; each must have an observed value.
check_new_points <- function(newdata, problem, arg, call) {
  weights <- problem$w * problem$w_unit
  points <- apply_blueprint(problem$blueprint, newdata, arg, call, problem$points, weights)
  all_observed(points, arg, "newdata", call)
}

# Refuse rows without an observed value.
all_observed <- function(points, arg, what, call) {
  withCallingHandlers(points, kg_warning_missing = function(w) {
    abort_input(
      what, call, "Every row of `{arg}` must have an observed value.", "Some rows have no observed value.", "Drop them."
    )
  })
}

# Return new values in the scale of the data; refuse those whose squares overflow.
scaled_new <- function(newdata, exponent, call, arg = "newdata") {
  scaled <- times_power_of_two(newdata, -exponent)
  if (max(abs(scaled)) > 1e150) {
    abort_input(
      "range", call, "`{arg}` must be of the order of the data.",
      "Its largest value is {format(max(abs(newdata)), digits = 3)}: distances overflow.",
      "Check the new observations for a code of missing values."
    )
  }
  scaled
}

# Return a matrix of values of the new observations (rows) and the n observations of the fit, whose `names` those of the
# columns must be.
check_cross_matrix <- function(newdata, n, names, what, call) {
  supplied <- newdata
  newdata <- one_row(if (is.data.frame(newdata)) as.matrix(newdata) else newdata)
  if (!is.matrix(newdata) || !is.numeric(newdata) || ncol(newdata) != n) {
    abort_argument(
      supplied, "newdata", "be a matrix of {what}: one row a new observation, {n} column{?s}.",
      "The columns are the observations of the fit, in their order.", call = call
    )
  }
  at <- row_order(colnames(newdata), names, "newdata", call)
  if (!is.null(at)) newdata <- newdata[, at, drop = FALSE]
  plain_points(make_points(newdata, missing = "fail", arg = "newdata", call = call))
}

# Return dissimilarities of new observations (rows) to those of a problem or map, in its scale.
new_dissimilarities <- function(newdata, of, call) {
  newdata <- check_cross_matrix(newdata, of$n, of$names, "dissimilarities", call)
  if (any(newdata < 0)) {
    abort_input(
      "newdata", call, "Dissimilarities must not be negative.", "`newdata` has {sum(newdata < 0)} negative value{?s}."
    )
  }
  scaled_new(newdata, of$exponent, call)
}

# Return kernel values in the same way, with K(x, x) of the new observations; labels do not depend on these.
new_kernel_values <- function(newdata, of, diag, type, call) {
  newdata <- check_cross_matrix(newdata, of$n, of$names, "kernel values", call)
  m <- nrow(newdata)
  if (is.null(diag) && type == "class") diag <- numeric(m)
  if (!is.numeric(diag) || length(diag) != m || !all(is.finite(diag))) {
    abort_argument(
      diag, "diag", "hold the {m} kernel value{?s} K(x, x) of the new observations.",
      "Distances need them; `type = \"class\"` does not.", "newdata", call
    )
  }
  diag <- match_rows(diag, rownames(newdata), "diag", call)
  list(
    values = scaled_new(newdata, of$exponent, call), self = times_power_of_two(as.numeric(diag), -of$exponent),
    names = rownames(newdata)
  )
}

abort_diag <- function(diag, call) {
  if (!is.null(diag)) {
    abort_input("newdata", call, "`diag` belongs to a fit of a Gram matrix.", "This fit has a semimetric.")
  }
}
