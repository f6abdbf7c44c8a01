# New observations of a problem: points made as its own were, or a row of pair values each.

# New points of a problem, made as its own were; each must have something observed. Those that
# predict() has made already go through.
check_new_points <- function(newdata, problem, arg = "newdata", call = rlang::caller_env()) {
  if (inherits(newdata, "kgroups_new_points")) {
    return(unclass(newdata))
  }
  all_observed(
    apply_blueprint(problem$blueprint, newdata, arg, call, problem$points, problem$w * problem$w_unit),
    arg, "newdata", call
  )
}

# Points that must not be NA: rows with nothing observed are an error.
all_observed <- function(points, arg, what, call) {
  withCallingHandlers(points, kg_warning_missing = function(w) {
    kg_abort(
      c(
        "Every row of {.arg {arg}} must have something observed.",
        "x" = "There are rows with nothing.",
        "i" = "Drop them."
      ),
      what,
      call = call
    )
  })
}

# New values in the scale of the data: their squares must not overflow.
scaled_new <- function(newdata, exponent, call, arg = "newdata") {
  scaled <- times_power_of_two(newdata, -exponent)
  if (max(abs(scaled)) > 1e150) {
    kg_abort(
      c(
        "{.arg {arg}} must be of the order of the data.",
        "x" = "Its largest value is {format(max(abs(newdata)), digits = 3)}: distances overflow.",
        "i" = "Look for a mark of missing values among the new observations."
      ),
      "range",
      call = call
    )
  }
  scaled
}

# A matrix of values, a row a new observation and a column each of the n; `what` they are.
check_cross_matrix <- function(newdata, n, what, call) {
  if (is.data.frame(newdata)) newdata <- as.matrix(newdata)
  if (is.null(dim(newdata)) && is.numeric(newdata) && !is.object(newdata)) {
    newdata <- matrix(newdata, nrow = 1L)
  }
  if (!is.matrix(newdata) || !is.numeric(newdata) || ncol(newdata) != n) {
    came <- describe(newdata)
    kg_abort(
      c(
        "{.arg newdata} must be a matrix of {what}: a row a new observation, {n} column{?s}.",
        "x" = "You supplied {came}.",
        "i" = "The columns are the observations of the fit, in their order."
      ),
      "newdata",
      call = call
    )
  }
  make_blueprint(newdata, na = "fail", arg = "newdata", call = call)$points
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

refuse_diag <- function(diag, call) {
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
    came <- describe(diag)
    kg_abort(
      c(
        "{.arg diag} must hold the {m} kernel value{?s} K(x, x) of the new observations.",
        "x" = "You supplied {came}.",
        "i" = "Distances need them; {.code type = \"class\"} does not."
      ),
      "newdata",
      call = call
    )
  }
  as.numeric(diag)
}

named_matrix <- function(value, rows, columns) {
  if (!is.null(rows) || !is.null(columns)) dimnames(value) <- list(rows, columns)
  value
}

# Kinds of input that are another kind in disguise: I(x), a dense Matrix, proxy's
# similarities. What they mean here they mean in every function that takes x.

# What I() was put around.
as_it_was <- function(x) {
  class(x) <- setdiff(class(x), "AsIs")
  if (identical(oldClass(x), c("matrix", "array"))) oldClass(x) <- NULL
  x
}
