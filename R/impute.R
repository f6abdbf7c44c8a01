# Missing coordinates by their conditional means under one normal model of the points, which are
# scaled so that an observed mean is 0 and a standard deviation 1:
#     x_mis = mu_mis + Sigma_mo (Sigma_oo + ridge)^-1 (x_obs - mu_obs).
# They start at 0; then six times mu is the mean and Sigma the covariance plus the mean conditional
# covariance of the missing cells, its off-diagonal entries times 1 - lambda. Every step is a
# function of the data alone: no random numbers, no k. Cost O(D m) a row with m coordinates
# missing and O(m^3) a pattern of them (C: kg_impute.c); the model is learnt from 4000 rows.

model_rounds <- 6L
model_rows <- 4000L
model_coordinates <- 300L

# z: n x D with NA where a coordinate is missing; first: one coordinate for each column.
normal_model <- function(z, w, first = seq_len(ncol(z))) {
  d <- ncol(z)
  # infinite: values at the end of the range, in units of their standard deviation
  if (d > model_coordinates || any(is.infinite(z))) {
    return(list(mean = numeric(d), precision = NULL, ridge = 0))
  }
  rows <- evenly_spaced(which(w > 0), model_rows)
  w <- w[rows]
  z <- z[rows, , drop = FALSE]
  lambda <- min(0.9, d / row_count(w) + 0.05)
  w <- w / sum(w)
  open <- if (anyNA(z)) open_rows(z, first)
  filled <- z
  filled[is.na(filled)] <- 0
  extra <- 0
  for (round in seq_len(if (length(open)) model_rounds else 1L)) {
    if (round > 1L) {
      step <- .Call(ffi_impute, z, open, model$mean, model$precision, model$ridge, w)
      filled <- step$x
      extra <- step$extra
    }
    mean <- drop(crossprod(filled, w))
    centred <- filled - rep(mean, each = nrow(filled))
    sigma <- crossprod(centred * sqrt(w)) + extra
    keep <- diag(sigma)
    sigma <- sigma * (1 - lambda)
    # where nothing varies the mean is filled in
    ridge <- 1e-6 * max(mean(keep), 1e-100)
    diag(sigma) <- keep + ridge
    model <- list(mean = mean, precision = chol2inv(chol(sigma)), ridge = ridge)
  }
  model
}

# Rows with something missing, equal patterns side by side.
open_rows <- function(z, first = seq_len(ncol(z))) {
  if (!anyNA(z)) {
    return(integer())
  }
  with_missing <- first[vapply(first, function(j) anyNA(z[, j]), NA)]
  mask <- lapply(with_missing, function(j) is.na(z[, j]))
  open <- which(Reduce(`|`, mask))
  open[do.call(order, c(lapply(mask, `[`, open), method = "radix"))]
}

fill_points <- function(z, model, first = seq_len(ncol(z))) {
  open <- open_rows(z, first)
  if (length(open) == 0L) {
    return(z)
  }
  if (is.null(model$precision)) {
    z[is.na(z)] <- 0
    return(z)
  }
  .Call(ffi_impute, z, open, model$mean, model$precision, model$ridge, NULL)$x
}

# ---- messages about missing cells ----

count_missing <- function(used, n) {
  counts <- vapply(used, function(column) if (anyNA(column$values)) sum(is.na(column$values)) else 0L, 0L)
  names(counts) <- vapply(used, function(column) {
    if (identical(column$label, as.character(column$at))) paste("column", column$label) else column$label
  }, "")
  rows <- 0L
  if (any(counts > 0L)) {
    open <- lapply(used[counts > 0L], function(column) is.na(column$values))
    rows <- sum(Reduce(`|`, open))
  }
  list(cells = sum(counts), total = n * as.numeric(length(used)), rows = rows, n = n, columns = counts)
}

abort_missing <- function(missing, used, table, arg, call, what = arg) {
  if (missing$cells == 0) {
    return(invisible())
  }
  column <- used[[which(missing$columns > 0L)[1L]]]
  row <- observation_text(which(is.na(column$values))[1L], table$rows)
  abort_input(
    what, call, "`{arg}` must hold finite numbers, one observation a row.",
    "Row {row}, column {column$label} is missing ({missing$rows} row{?s} of {missing$n} affected).",
    "Drop such rows by `na.omit()`, or use `missing = \"impute\"`."
  )
}

empty_rows <- function(used, n) {
  Reduce(function(empty, column) empty & is.na(column$values), used, rep(TRUE, n))
}

abort_empty_rows <- function(used, table, arg, call) {
  empty <- which(empty_rows(used, table$n))
  if (length(empty) == 0L) {
    return(invisible())
  }
  rows <- column_label(table$rows, empty)
  abort_input(
    arg, call, "Every row of `{arg}` must have something observed.",
    "{cli::qty(rows)}Row{?s} {rows} {?has/have} nothing.",
    if (length(used) == 1L && is.null(table$names)) {
      "Use `{arg}[!is.na({arg})]`, in a formula `subset = !is.na(y)`."
    } else {
      "Use `{arg}[rowSums(!is.na({arg})) > 0, ]`."
    }
  )
}

# `empty`: numbers of rows.
warn_empty_rows <- function(empty, rows, arg = "x") {
  if (length(empty)) {
    rows <- column_label(rows, empty)
    kg_warn("Nothing is observed in {cli::qty(rows)}row{?s} {rows} of `{arg}`: the answer is `NA`.", "missing")
  }
}

# If most cells are missing, the clusters may be those of what was observed.
warn_missing <- function(missing, arg) {
  share <- 100 * missing$cells / missing$total
  if (share > 50) {
    worst <- names(which.max(missing$columns))
    kg_warn(paste(
      "{format(share, digits = 2)} % of the cells of `{arg}` are missing, most in {worst}:",
      "clusters may be those of what is observed."
    ), "missing")
  }
}
