# New observations of a problem: points made as its own were, or a row of dissimilarities each.

# Return new points of a problem; each must have an observed value. Points that predict() has
# made are returned as they are.
check_new_points <- function(newdata, problem, arg = "newdata", call = rlang::caller_env()) {
  if (inherits(newdata, "kgroups_new_points")) {
    return(unclass(newdata))
  }
  all_observed(
    apply_blueprint(problem$blueprint, newdata, arg, call, problem$points, problem$w * problem$w_unit),
    arg, "newdata", call
  )
}

# Refuse rows without an observed value.
all_observed <- function(points, arg, what, call) {
  withCallingHandlers(points, kg_warning_missing = function(w) {
    kg_abort(
      c(
        "Every row of {.arg {arg}} must have an observed value.",
        "x" = "Some rows have no observed value.",
        "i" = "Drop them."
      ),
      what,
      call = call
    )
  })
}

# Return new values in the scale of the data; refuse those whose squares overflow.
scaled_new <- function(newdata, exponent, call, arg = "newdata") {
  scaled <- times_power_of_two(newdata, -exponent)
  if (max(abs(scaled)) > 1e150) {
    kg_abort(
      c(
        "{.arg {arg}} must be of the order of the data.",
        "x" = "Its largest value is {format(max(abs(newdata)), digits = 3)}: distances overflow.",
        "i" = "Check the new observations for a code of missing values."
      ),
      "range",
      call = call
    )
  }
  scaled
}

# Return a matrix of values of the new observations (rows) and the n observations of the fit.
check_cross_matrix <- function(newdata, n, what, call) {
  if (is.data.frame(newdata)) newdata <- as.matrix(newdata)
  if (is.null(dim(newdata)) && is.numeric(newdata) && !is.object(newdata)) {
    newdata <- matrix(newdata, nrow = 1L)
  }
  if (!is.matrix(newdata) || !is.numeric(newdata) || ncol(newdata) != n) {
    abort_argument(
      newdata, "newdata", "be a matrix of {what}: one row a new observation, {n} column{?s}.",
      "The columns are the observations of the fit, in their order.",
      call = call
    )
  }
  make_blueprint(newdata, missing = "fail", arg = "newdata", call = call)$points
}

check_not_negative <- function(newdata, call) {
  if (any(newdata < 0)) {
    kg_abort(
      c(
        "Dissimilarities must not be negative.",
        "x" = "{.arg newdata} has {sum(newdata < 0)} negative value{?s}."
      ),
      "newdata",
      call = call
    )
  }
}

abort_diag <- function(diag, call) {
  if (!is.null(diag)) {
    kg_abort(
      c("{.arg diag} belongs to a fit of a Gram matrix.", "x" = "This fit has a semimetric."),
      "newdata",
      call = call
    )
  }
}

check_diag <- function(diag, m, type, call) {
  if (is.null(diag) && type == "class") {
    return(rep(0, m))
  }
  if (!is.numeric(diag) || length(diag) != m || !all(is.finite(diag))) {
    abort_argument(
      diag, "diag", "hold the {m} kernel value{?s} K(x, x) of the new observations.",
      "Distances need them; {.code type = \"class\"} does not.", "newdata", call
    )
  }
  as.numeric(diag)
}
