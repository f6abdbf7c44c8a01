#' @export
as_problem.AsIs <- function(x, semimetric = rho_power(1), weights = NULL, call = rlang::caller_env()) {
  as_problem(as_it_was(x), semimetric, weights, call)
}

# As kgroups() has it: a Matrix is a Gram matrix or nothing.
#' @export
as_problem.denseMatrix <- function(x, semimetric = NULL, weights = NULL, call = rlang::caller_env()) {
  if (!methods::is(x, "symmetricMatrix")) abort_sparse_gram(x, call)
  gram_problem(as_gram(as.matrix(x)), weights, call)
}

#' @export
as_problem.simil <- function(x, semimetric = NULL, weights = NULL, call = rlang::caller_env()) {
  abort_similarities("x", call)
}

abort_similarities <- function(arg, call) {
  kg_abort(
    c(
      "{.arg {arg}} must be dissimilarities, not similarities.",
      "x" = "You supplied an object of class {.cls simil}.",
      "i" = "Turn it round by {.code proxy::pr_simil2dist({arg})}."
    ),
    "x",
    call = call
  )
}

# The columns of `data` that a formula names: ~ a + b, ~ ., ~ . - c.
formula_columns <- function(formula, data, call) {
  fail <- function(came, hint) {
    kg_abort(
      c("A formula names the columns of {.arg data} to cluster by: {.code ~ a + b}.", "x" = "{came}", "i" = "{hint}"),
      "formula",
      call = call
    )
  }
  if (!is.data.frame(data)) {
    fail(
      if (is.null(data)) "You left `data` out." else sprintf("You supplied %s as `data`.", describe(data)),
      "Pass the data frame with these columns: kgroups(~ a + b, k, data = d)."
    )
  }
  if (length(formula) == 3L) {
    fail(
      sprintf("You supplied a left side, %s.", deparse_short(formula[[2L]])),
      sprintf("Clusters have none: ~ %s; compare the result with it by table().", deparse_short(formula[[3L]]))
    )
  }
  terms <- lapply(attr(stats::terms(formula, data = data), "term.labels"), str2lang)
  if (length(terms) == 0L) fail("You supplied no column.", "Write ~ . for all of them.")
  plain <- vapply(terms, is.name, NA)
  if (!all(plain)) {
    term <- deparse_short(terms[!plain][[1L]])
    fail(
      sprintf("You supplied %s, which is no column.", term),
      sprintf("Compute it first: data[[\"%s\"]] <- with(data, ...), and name that column.", gsub("[^[:alnum:]]+", "_", term))
    )
  }
  names <- vapply(terms, as.character, "")
  unknown <- setdiff(names, names(data))
  if (length(unknown)) {
    near <- nearest_name(unknown[1L], names(data))
    fail(
      sprintf("There is no column %s in `data`.", unknown[1L]),
      if (length(near)) sprintf("Did you mean %s?", near) else "See names(data)."
    )
  }
  as.data.frame(data)[names]
}
