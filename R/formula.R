# Formulas: the columns, rows and weights that kgroups(~ a + b, k, data = d) names or computes.

# Return the columns of `data` that a formula names or computes: ~ a + b, ~ ., ~ . - c, ~ log(a) + b.
# If columns are computed, the attribute `formula` has the terms that compute them of new data.
formula_columns <- function(formula, data, call) {
  if (!is.data.frame(data)) {
    abort_formula(
      if (is.null(data)) "You left `data` out." else sprintf("You supplied %s as `data`.", value_text(data)),
      "Pass the data frame with these columns: kgroups(~ a + b, k, data = d).", call
    )
  }
  if (length(formula) == 3L) {
    abort_formula(
      sprintf("You supplied a left side, %s.", deparse_short(formula[[2L]])),
      sprintf("Clusters have none: ~ %s; compare the result with it by table().", deparse_short(formula[[3L]])), call
    )
  }
  terms <- catch_error(stats::terms(formula, data = data), error = function(e) {
    abort_formula(sprintf("It cannot be read: %s.", conditionMessage(e)), "Write names of columns: ~ a + b.", call)
  })
  labels <- attr(terms, "term.labels")
  if (length(labels) == 0L) abort_formula("You supplied no column.", "Write ~ . for all of them.", call)
  variables <- as.list(attr(terms, "variables"))[-1L]
  odd <- c(
    labels[attr(terms, "order") > 1L], vapply(variables[attr(terms, "offset")], deparse_short, ""),
    intersect(c("|", "||"), all.names(formula))
  )
  if (length(odd)) {
    abort_formula(
      sprintf("You supplied %s.", odd[1L]), "Distances have no terms of models: name the columns, ~ a + b.", call
    )
  }
  parsed <- apply(attr(terms, "factors") > 0, 2L, function(used) variables[[which(used)]], simplify = FALSE)
  plain <- vapply(parsed, is.name, NA)
  names <- vapply(parsed[plain], as.character, "")
  unknown <- setdiff(names, names(data))
  if (length(unknown)) {
    near <- nearest_name(unknown[1L], names(data))
    abort_formula(
      sprintf("There is no column %s in `data`.", unknown[1L]),
      if (length(near)) sprintf("Did you mean %s?", near) else "See names(data).", call
    )
  }
  if (all(plain)) {
    return(as.data.frame(data)[names])
  }
  sum_of_terms <- call("~", Reduce(function(a, b) call("+", a, b), parsed))
  out <- term_columns(stats::as.formula(sum_of_terms, environment(formula)), data, call)
  structure(out, formula = attr(out, "terms"), terms = NULL)
}

# Return the columns that terms compute; scale(a) and poly(a, 2) with their parameters from the first data.
term_columns <- function(terms, data, call) {
  out <- catch_error(stats::model.frame(terms, data, na.action = stats::na.pass), error = function(e) {
    abort_formula(sprintf("It cannot be computed: %s.", conditionMessage(e)), "See names(data).", call)
  })
  if (nrow(out) != nrow(data)) {
    abort_formula(
      sprintf("%s has %d value%s for %d rows.", names(out)[1L], nrow(out), plural(nrow(out)), nrow(data)),
      "Write names of columns, or functions of them.", call
    )
  }
  out
}

abort_formula <- function(came, hint, call) {
  abort_input("formula", call, "A formula names columns of `data`: `~ a + b`.", "{came}", "{hint}")
}

# Return `subset` or `weights` of a call with a formula, evaluated in `data` as in lm(); NULL if it
# was left out.
formula_argument <- function(quosure, data, arg, call) {
  if (rlang::quo_is_missing(quosure) || rlang::quo_is_null(quosure)) {
    return(NULL)
  }
  catch_error(rlang::eval_tidy(quosure, data), error = function(e) {
    reason <- conditionMessage(e)
    abort_input(arg, call, "`{arg}` must be a column of `data`, or computed from its columns.", "{reason}")
  })
}

# Return the numbers of the rows that `subset` selects.
subset_rows <- function(subset, n, call) {
  if (is.logical(subset) && length(subset) == n) {
    return(which(subset))
  }
  rows <- if (is.numeric(subset)) catch_error(seq_len(n)[subset], error = function(e) NA)
  if (is.null(rows) || anyNA(rows)) {
    abort_argument(subset, "subset", "select rows of `data`.", "For example `subset = age > 30`.", call = call)
  }
  rows
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
