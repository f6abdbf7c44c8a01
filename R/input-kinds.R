# Kinds of input that are another kind in disguise: I(x), a dense Matrix, proxy's
# similarities. What they mean here they mean in every function that takes x.

# What I() was put around.
as_it_was <- function(x) {
  class(x) <- setdiff(class(x), "AsIs")
  if (identical(oldClass(x), c("matrix", "array"))) oldClass(x) <- NULL
  x
}

#' @export
as_problem.AsIs <- function(x, semimetric = rho_power(1), weights = NULL,
                            for_matrix = FALSE, call = rlang::caller_env()) {
  as_problem(as_it_was(x), semimetric, weights, for_matrix, call)
}

# As kgroups() has it: a Matrix is a Gram matrix or nothing.
#' @export
as_problem.denseMatrix <- function(x, semimetric = NULL, weights = NULL,
                                   for_matrix = FALSE, call = rlang::caller_env()) {
  if (!methods::is(x, "symmetricMatrix")) fail_sparse_gram(x, call)
  gram_problem(as_gram(as.matrix(x)), weights, call)
}

#' @export
as_problem.simil <- function(x, semimetric = NULL, weights = NULL,
                             for_matrix = FALSE, call = rlang::caller_env()) {
  fail_similarities("x", call)
}

fail_similarities <- function(arg, call) {
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
