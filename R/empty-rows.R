# Rows of a table in which nothing is observed. A fit is made without them: their labels are NA, and the methods of the
# fit return NA for them. Statistics and choices leave them out.

# Return the numbers of the rows in which nothing is observed; none if these are all rows.
empty_rows_of <- function(x) {
  # one complete column suffices for most tables
  first <- if (is.data.frame(x) && length(x)) .subset2(x, 1L) else if (!is.object(x)) x
  if (is.numeric(first) && !is.object(first) && (is.data.frame(x) <= is.null(dim(first))) && !anyNA(first)) {
    return(integer())
  }
  n <- NROW(x)
  vector <- is.null(dim(x)) && is.numeric(x) && (!is.object(x) || inherits(x, "ts"))
  empty <- if (vector) which(is.na(x)) else if (is_table(x) && n > 0L && ncol(x) > 0L) unobserved_rows(x)
  if (length(empty) < n) empty else integer()
}

# The same of a table, where these may be all rows.
unobserved_rows <- function(x) {
  columns <- if (is.data.frame(x)) flat_columns(x) else seq_len(ncol(x))
  empty <- seq_len(nrow(x))
  for (column in columns) {
    if (is.matrix(x)) column <- x[, column]
    gone <- is.na(if (inherits(column, "haven_labelled_spss")) without_user_missing(column) else column)
    empty <- if (length(gone) == nrow(x)) empty[gone[empty]]
    if (length(empty) == 0L) {
      return(integer())
    }
  }
  empty
}

# Return x without some rows, which keep their names or numbers.
without_rows <- function(x, out) {
  if (is.null(dim(x))) {
    return(structure(x[-out], unit = attr(x, "unit", exact = TRUE)))
  }
  if (is.matrix(x) && is.null(rownames(x))) rownames(x) <- seq_len(nrow(x))
  x[-out, , drop = FALSE]
}

# Return the values of some of n rows: of vectors with one value a row, of two columns with pairs of rows, by number or
# name, the pairs among these. Others stay as they are.
values_of_rows <- function(value, rows, n, names = NULL) {
  if (length(dim(value)) == 2L && ncol(value) == 2L) {
    pairs <- as.matrix(value)
    at <- match(pairs, if (is.character(pairs)) names else seq_len(n))
    own <- match(at, rows)
    if (!is.character(pairs)) pairs[!is.na(at)] <- own[!is.na(at)]
    gone <- matrix(!is.na(at) & is.na(own), ncol = 2L)
    return(pairs[rowSums(gone) == 0L, , drop = FALSE])
  }
  value <- if (is.factor(value)) value else partition_labels(value)
  if (is.atomic(value) && length(value) == n && is.null(dim(value))) value[rows] else value
}

# Return the names of observations that x has of its own.
names_of_rows <- function(x) {
  if (inherits(x, "dist")) {
    attr(x, "Labels")
  } else if (is.null(dim(x))) {
    if (is.atomic(x)) names(x)
  } else if (!is.data.frame(x) || .row_names_info(x) > 0L) {
    rownames(x)
  }
}

warn_left_out <- function(empty, x) {
  rows <- column_label(rownames(x), empty)
  kg_warn(
    "Nothing is observed in {cli::qty(rows)}row{?s} {rows} of `x`: {cli::qty(rows)}{?it is/they are} left out.",
    "missing"
  )
}

# Leave empty rows out of x and of `values`, a list of vectors with one value a row, with a warning, that they are left
# out or that their answer is NA; not if the settings have missing = "fail". Return list(x, left_out, ...) with the
# names of the values.
leave_empty_rows <- function(x, values, settings, answered = FALSE, call = rlang::caller_env()) {
  x <- plain_numbers(x, call)
  given <- names(values)[!vapply(values, is.null, NA)]
  if (length(given)) {
    args <- replace(given, given == "labels", "g")
    values[given] <- Map(match_rows, values[given], arg = args, MoreArgs = list(rows = names_of_rows(x), call = call))
  }
  empty <- if (!identical(settings$missing, "fail")) empty_rows_of(x)
  if (length(empty)) {
    if (answered) warn_empty_rows(empty, rownames(x)) else warn_left_out(empty, x)
    values <- lapply(values, values_of_rows, seq_len(NROW(x))[-empty], NROW(x))
    x <- without_rows(x, empty)
  }
  c(list(x = x, left_out = empty), values)
}

# ---- fits ----

# Return a fit that was made without the empty rows of x, or of n rows, as one of all rows.
with_empty_rows <- function(fit, empty, x = NULL, n = NROW(x)) {
  place <- function(values, blank) if (!is.null(values)) replace(rep(blank, n), -empty, values)
  own <- if (is.null(dim(x))) names(x) else if (!is.data.frame(x) || .row_names_info(x) > 0L) rownames(x)
  fit$cluster <- stats::setNames(place(unname(fit$cluster), NA_integer_), own)
  fit$weights <- place(fit$weights, 0)
  if (!is.null(fit$noise)) fit$noise <- place(unname(fit$noise), NA)
  if (!is.null(fit$constraints)) {
    fit$constraints["together"] <- list(place(fit$constraints$together, NA_integer_))
    fit$constraints$apart[] <- seq_len(n)[-empty][fit$constraints$apart]
  }
  if (!is.null(fit$data)) fit$data <- x
  fit$n <- n
  fit$empty <- empty
  fit
}

# Return values of the observed rows of a fit as values of all rows, NA for the empty ones; rows of a matrix or frame.
for_all_rows <- function(values, fit) {
  if (is.null(fit$empty)) {
    return(values)
  }
  at <- replace(rep(NA_integer_, fit$n), -fit$empty, seq_len(fit$n - length(fit$empty)))
  if (is.null(dim(values))) {
    return(stats::setNames(values[at], names(fit$cluster)))
  }
  out <- values[at, , drop = FALSE]
  if (is.matrix(out)) rownames(out) <- names(fit$cluster)
  out
}
