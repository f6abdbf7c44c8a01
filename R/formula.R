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
  terms <- tryCatch(stats::terms(formula, data = data), error = function(e) {
    abort_formula(sprintf("It cannot be read: %s.", conditionMessage(e)), "Write names of columns: ~ a + b.", call)
  })
  if (any(all.names(formula) %in% c("|", "||"))) {
    abort_formula("You supplied a condition behind |.", "Divide the data: lapply(split(d, d$group), function(d) kgroups(~ a + b, k, data = d)).", call)
  }
  labels <- attr(terms, "term.labels")
  if (length(labels) == 0L) abort_formula("You supplied no column.", "Write ~ . for all of them.", call)
  joint <- labels[attr(terms, "order") > 1L]
  if (length(joint)) {
    abort_formula(
      sprintf("You supplied the interaction %s.", joint[1L]),
      "Distances have no interactions: name the columns, ~ a + b.", call
    )
  }
  # calls, not their text, which need not parse
  variables <- as.list(attr(terms, "variables"))[-1L]
  if (length(attr(terms, "offset"))) {
    abort_formula(
      sprintf("You supplied %s.", deparse_short(variables[[attr(terms, "offset")[1L]]])), "Distances have no offset: name the columns, ~ a + b.", call
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
  out <- tryCatch(stats::model.frame(terms, data, na.action = stats::na.pass), error = function(e) {
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
  abort_input(
    "formula", call,
    "A formula names columns of {.arg data}: {.code ~ a + b}.",
    "{came}",
    "{hint}"
  )
}

# Return `subset` or `weights` of a call with a formula, evaluated in `data` as in lm(); NULL if it
# was left out.
formula_argument <- function(quosure, data, arg, call) {
  if (rlang::quo_is_missing(quosure) || rlang::quo_is_null(quosure)) {
    return(NULL)
  }
  tryCatch(rlang::eval_tidy(quosure, data), error = function(e) {
    reason <- conditionMessage(e)
    abort_input(
      arg, call,
      "{.arg {arg}} must be a column of {.arg data}, or computed from its columns.",
      "{reason}"
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

# Is a formula the second argument, or the first one without a name behind it, as in data |> kgroups(~ a + b, k = 3)?
has_formula <- function(k, ...) {
  inherits(k, "formula") || ...length() > 0L && !nzchar(c(...names_compat(...), "")[1L]) && inherits(..1, "formula")
}

# ---- samples in groups ----

# Return the data of a formula `values ~ group`, which may also be in second place, as in lm(): the rows of `subset`, a
# quosure. Without a formula `data` as given; `subset` is then an error.
formula_data <- function(x, second, data, subset, call, arg = "g") {
  if (inherits(second, "formula")) {
    group <- deparse_short(second[[length(second)]])
    if (group == ".") group <- deparse_short(second[[2L]])
    abort_argument(second, arg, "be labels.", "A formula comes first: {.code . ~ {group}}, then the data frame.", call = call)
  }
  if (!inherits(x, "formula")) {
    if (rlang::quo_is_missing(subset) || rlang::quo_is_null(subset)) {
      return(data)
    }
    abort_input(
      "subset", call, "{.arg subset} goes with a formula.", "You supplied the observations as {.arg x}.",
      "Take the rows first: {.code x[rows, ]} and {.code {arg}[rows]}."
    )
  }
  # data in second place, as in lm()
  if (is.null(data) && is.data.frame(second)) {
    data <- second
  } else if (!is.null(second)) {
    abort_input(
      arg, call, "{.arg {arg}} must be left out with a formula.", "You supplied both.",
      "The right side of the formula names the groups."
    )
  }
  rows <- formula_argument(subset, data, "subset", call)
  if (is.null(rows)) {
    return(data)
  }
  if (!is.data.frame(data)) abort_argument(data, "data", "be a data frame with the variables of the formula.", call = call)
  as.data.frame(data)[subset_rows(rows, nrow(data), call), , drop = FALSE]
}

# Return an argument with one value an observation: with a formula it is evaluated in its data.
sample_argument <- function(quosure, x, data, arg, call) {
  if (inherits(x, "formula")) {
    return(formula_argument(quosure, data, arg, call))
  }
  if (!rlang::quo_is_missing(quosure)) rlang::eval_tidy(quosure)
}

check_formula_data <- function(data, call) {
  if (!is.null(data)) {
    abort_input(
      "data", call,
      "{.arg data} goes with a formula.",
      "You supplied the observations as {.arg x}.",
      "Use {.code values ~ group} as {.arg x}, or leave {.arg data} out."
    )
  }
}

# Raise the error of a formula that does not name values and one group.
abort_samples <- function(formula, hint, call) {
  abort_input(
    "formula", call,
    "The formula must be {.code values ~ group}, with one grouping variable.",
    "You supplied {.code {deparse_short(formula)}}.",
    "{hint}"
  )
}

# Return list(x, labels): the values and the groups of `values ~ group`.
formula_samples <- function(formula, data, call) {
  group <- if (length(formula) == 3L) formula[[3L]]
  kind <- if (is.call(group)) as.character(group[[1L]])[1L] else ""
  hint <- if (is.null(group) && is.name(formula[[2L]])) {
    fill_templates("The group stands right: {.code . ~ {deparse_short(formula[[2L]])}} for all other columns.")
  } else if (identical(group, quote(.)) && is.name(formula[[2L]])) {
    fill_templates("The group stands right, the values left: {.code . ~ {deparse_short(formula[[2L]])}}.")
  } else if (identical(group, quote(.)) || is.numeric(group)) {
    fill_templates("Name the column of the groups: {.code {deparse_short(formula[[2L]])} ~ group}.")
  } else if (kind == "|") {
    shown <- lapply(list(call("~", formula[[2L]], group[[2L]]), group[[3L]]), deparse_short)
    fill_templates("For labels permuted within blocks use {.code energy_test({shown[[1L]]}, data, strata = {shown[[2L]]})}.")
  } else if (is.null(group) || kind %in% c("+", "*", ":", "-", "/", "%in%")) {
    fill_templates("Use {.fn interaction} for the groups of two variables, {.fn cbind} for several values.")
  }
  if (!is.null(hint)) abort_samples(formula, hint, call)
  if (is.null(data)) data <- environment(formula)
  if (!is.list(data) && !is.environment(data)) {
    abort_argument(data, "data", "be a data frame with the variables of the formula.", call = call)
  }
  value <- function(term) {
    tryCatch(eval(term, data, environment(formula)), error = function(e) {
      why <- conditionMessage(e)
      abort_input(
        "formula", call,
        "The formula must name variables of {.arg data}.",
        "{.code {deparse_short(term)}}: {why}."
      )
    })
  }
  left <- formula[[2L]]
  values <- if (identical(left, quote(.)) && is.data.frame(data)) {
    as.data.frame(data)[!names(data) %in% all.vars(group)]
  } else if (is.call(left) && as.character(left[[1L]])[1L] %in% c("+", "-")) {
    # a list of columns, as in kgroups(~ a + b)
    if (!is.data.frame(data)) {
      names <- all.vars(left)
      data <- as.data.frame(lapply(stats::setNames(names, names), function(name) value(as.name(name))), optional = TRUE)
    }
    columns <- formula_columns(stats::as.formula(call("~", left), environment(formula)), data[!names(data) %in% all.vars(group)], call)
    structure(columns, formula = NULL)
  } else {
    value(left)
  }
  labels <- value(group)
  if (is.factor(values) || is.character(values) && is.null(dim(values))) {
    measured <- is.numeric(labels) && (too_many_groups(length(unique(labels)), length(labels)) || any(labels != round(labels), na.rm = TRUE))
    if (measured) abort_samples(formula, sprintf("The group stands right: `%s`.", deparse_short(call("~", group, left))), call)
    values <- stats::setNames(data.frame(values), deparse_short(left))
  }
  list(x = values, labels = labels)
}

abort_clustering <- function(x, call) {
  abort_input(
    "x", call,
    "{.arg x} must be the observations, not a clustering of them.",
    "You supplied {value_text(x)}.",
    "Clusters differ by construction: {.fn cluster_test} has a p-value for them. For statistics pass the data and the labels: {.code x, fit$cluster}."
  )
}
