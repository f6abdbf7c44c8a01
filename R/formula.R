# Formulas: the columns, rows and weights that kgroups(~ a + b, k, data = d) names or computes.

# Return the columns of `data` that a formula names or computes: ~ a + b, ~ ., ~ . - c, ~ log(a) + b.
# If columns are computed, the attribute `formula` computes them of new data.
formula_columns <- function(formula, data, call) {
  if (!is.data.frame(data)) {
    abort_formula(
      if (is.null(data)) "You left `data` out." else sprintf("You supplied %s as `data`.", describe(data)),
      "Pass the data frame with these columns: kgroups(~ a + b, k, data = d).", call
    )
  }
  if (length(formula) == 3L) {
    abort_formula(
      sprintf("You supplied a left side, %s.", deparse_short(formula[[2L]])),
      sprintf("Clusters have none: ~ %s; compare the result with it by table().", deparse_short(formula[[3L]])), call
    )
  }
  terms <- tryCatch(attr(stats::terms(formula, data = data), "term.labels"), error = function(e) {
    abort_formula(sprintf("It cannot be read: %s.", conditionMessage(e)), "Write names of columns: ~ a + b.", call)
  })
  if (length(terms) == 0L) abort_formula("You supplied no column.", "Write ~ . for all of them.", call)
  parsed <- lapply(terms, str2lang)
  plain <- vapply(parsed, is.name, NA)
  names <- terms
  names[plain] <- vapply(parsed[plain], as.character, "")
  unknown <- setdiff(names[plain], names(data))
  if (length(unknown)) {
    near <- nearest_name(unknown[1L], names(data))
    abort_formula(
      sprintf("There is no column %s in `data`.", unknown[1L]),
      if (length(near)) sprintf("Did you mean %s?", near) else "See names(data).", call
    )
  }
  names(parsed) <- names
  out <- term_columns(parsed, data, environment(formula), call)
  if (!all(plain)) {
    # scale(a), poly(a, 2) with what they found in these data
    parsed <- Map(stats::makepredictcall, as.list(out), parsed)
    attr(out, "formula") <- list(terms = parsed, env = environment(formula))
  }
  out
}

# Return the columns of a list of named terms.
term_columns <- function(terms, data, env, call) {
  out <- as.data.frame(data)[integer()]
  for (name in names(terms)) out[[name]] <- formula_term(terms[[name]], data, env, call)
  out
}

abort_formula <- function(came, hint, call) {
  kg_abort(
    c("A formula names the columns of {.arg data} to cluster by: {.code ~ a + b}.", "x" = "{came}", "i" = "{hint}"),
    "formula",
    call = call
  )
}

# Return one computed column of a formula.
formula_term <- function(term, data, env, call) {
  text <- deparse_short(term)
  if (is.name(term)) {
    return(data[[as.character(term)]])
  }
  if (is.call(term) && (identical(term[[1L]], quote(`:`)) || identical(term[[1L]], quote(`%in%`)))) {
    abort_formula(sprintf("You supplied the interaction %s.", text), "Distances have no interactions: name the columns, ~ a + b.", call)
  }
  value <- tryCatch(eval(term, data, env), error = function(e) {
    abort_formula(sprintf("%s failed: %s.", text, conditionMessage(e)), "See names(data).", call)
  })
  if (NROW(value) != nrow(data)) {
    abort_formula(
      sprintf("%s has %d value%s for %d rows.", text, NROW(value), plural(NROW(value)), nrow(data)),
      "Write names of columns, or functions of them.", call
    )
  }
  value
}

# Return `subset` or `weights` of a call with a formula, evaluated in `data` as in lm(); NULL if it
# was left out.
formula_argument <- function(quosure, data, arg, call) {
  if (rlang::quo_is_missing(quosure) || rlang::quo_is_null(quosure)) {
    return(NULL)
  }
  tryCatch(rlang::eval_tidy(quosure, data), error = function(e) {
    reason <- conditionMessage(e)
    kg_abort(
      c("{.arg {arg}} must be a column of {.arg data}, or computed from its columns.", "x" = "{reason}"), arg,
      call = call
    )
  })
}

# Return the numbers of the rows that `subset` selects.
subset_rows <- function(subset, n, call) {
  if (is.logical(subset) && length(subset) == n) {
    return(which(subset))
  }
  rows <- if (is.numeric(subset)) tryCatch(seq_len(n)[subset], error = function(e) NA)
  if (is.null(rows) || anyNA(rows)) {
    abort_argument(subset, "subset", "select rows of {.arg data}.", "For example {.code subset = age > 30}.", call = call)
  }
  rows
}
