# Columns of data as a matrix of finite doubles: for the data of a fit and for new observations.

# A data frame as a numeric matrix; other columns are refused by name.
numeric_columns <- function(x, arg, call, what = "x") {
  numeric <- vapply(x, function(column) is.numeric(column) && !is.factor(column), NA)
  if (!all(numeric)) {
    bad <- names(x)[!numeric]
    kg_abort(
      c(
        "The columns of {.arg {arg}} must be numeric.",
        "x" = "{cli::qty(bad)}Column{?s} {.field {bad}} {?is/are} not.",
        "i" = "Drop {cli::qty(bad)}{?it/them}, or compute dissimilarities of mixed data by {.fn cluster::daisy}."
      ),
      what,
      call = call
    )
  }
  names <- if (.row_names_info(x) > 0L) row.names(x)
  out <- as.matrix(x)
  rownames(out) <- names
  out
}

# Checks a matrix of points; returns it as doubles.
check_points <- function(x, arg = "x", call = rlang::caller_env(), what = "x") {
  fail <- function(came, hint) {
    kg_abort(
      c(
        "{.arg {arg}} must hold finite numbers, one observation a row.",
        "x" = "{came}", "i" = hint
      ),
      what,
      call = call,
      .envir = rlang::env(arg = arg)
    )
  }
  if (nrow(x) < 1L || ncol(x) < 1L) {
    fail(
      sprintf("You supplied %d row%s and %d column%s.", nrow(x), plural(nrow(x)), ncol(x), plural(ncol(x))),
      "Check how {.arg {arg}} was made."
    )
  }
  if (!is.numeric(x)) {
    fail(
      paste0("You supplied ", describe(x), "."),
      "Recode it as numbers, or compute dissimilarities by {.fn cluster::daisy}."
    )
  }
  storage.mode(x) <- "double"
  if (!is.finite(sum(x)) && !all(is.finite(x))) {
    at <- which(!is.finite(x), arr.ind = TRUE)[1L, ]
    bad <- sum(rowSums(!is.finite(x)) > 0)
    value <- format(x[at[1L], at[2L]])
    fail(
      sprintf(
        "Row %d, column %d is %s (%d row%s of %d affected).", at[1L], at[2L], value,
        bad, if (bad == 1) "" else "s", nrow(x)
      ),
      paste(
        "Drop such rows by {.fn na.omit}, impute them, or pass",
        "{.fn cluster::daisy} dissimilarities, which allow missing values."
      )
    )
  }
  x
}

# New points for predict() and cross matrices: same columns, in the order of the old.
check_new_points <- function(newdata, points, arg = "newdata", call = rlang::caller_env()) {
  if (is.data.frame(newdata)) {
    columns <- colnames(points)
    if (!is.null(columns) && all(columns %in% names(newdata))) {
      newdata <- newdata[columns]
    }
    newdata <- numeric_columns(newdata, arg, call, "newdata")
  } else if (is.null(dim(newdata)) && is.numeric(newdata) && !is.object(newdata)) {
    newdata <- if (ncol(points) == 1L) {
      matrix(newdata, ncol = 1L, dimnames = list(names(newdata), NULL))
    } else {
      matrix(newdata, nrow = 1L)
    }
  }
  if (!is.matrix(newdata) || ncol(newdata) != ncol(points)) {
    came <- describe(newdata)
    kg_abort(
      c(
        "{.arg {arg}} must have {ncol(points)} column{?s}, as the data.",
        "x" = "You supplied {came}."
      ),
      "newdata",
      call = call
    )
  }
  columns <- colnames(points)
  if (!is.null(columns) && !is.null(colnames(newdata)) && all(columns %in% colnames(newdata))) {
    newdata <- newdata[, columns, drop = FALSE]
  }
  check_points(newdata, arg, call, "newdata")
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
  check_points(newdata, "newdata", call, "newdata")
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
