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
  abort_input(
    "x", call,
    "{.arg {arg}} must be dissimilarities, not similarities.",
    "You supplied an object of class {.cls simil}.",
    "Turn it round by {.code proxy::pr_simil2dist({arg})}."
  )
}
