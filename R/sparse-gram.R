# kgroups() on a sparse symmetric Matrix, taken as a Gram matrix.

#' @rdname kgroups
#' @export
kgroups.Matrix <- function(x, k, weights = NULL, init = NULL, nstart = NULL,
                           iter.max = 100, method = "hartigan", keep.data = TRUE, ...) {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  env <- rlang::current_env()
  if (!methods::is(x, "sparseMatrix")) {
    if (!methods::is(x, "symmetricMatrix")) fail_sparse_gram(x, env)
    fit <- kgroups(
      as_gram(as.matrix(x)), k,
      weights = weights, init = init, nstart = nstart, iter.max = iter.max,
      method = method, keep.data = keep.data, ...
    )
    fit$call <- call
    return(fit)
  }
  dots <- list(...)
  if ("semimetric" %in% names(dots)) {
    gram_semimetric(dots$semimetric)
    dots$semimetric <- NULL
  }
  do.call(check_no_dots, c(dots, list(call = env)))
  method <- check_choice(method, "method", names(method_codes), call = env)
  iter.max <- check_count(iter.max, "iter.max", 1, 1e9, call = env)
  keep.data <- check_flag(keep.data, "keep.data", call = env)
  problem <- sparse_gram_problem(x, weights, env)
  k <- check_k(k, problem, env)
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6, call = env)
  init <- check_init(init, problem, k, env, setdiff(start_names, "sample"))
  starts <- sparse_starts(problem, k, init, nstart)
  solved <- lapply(starts, sparse_solve,
    problem = problem, k = k, method = method, iter.max = iter.max
  )
  Q <- vapply(solved, `[[`, 0, "Q")
  best <- which.max(Q)
  out <- sparse_solution(problem, solved[[best]]$labels, k, solved[[best]], Q, unname(best))
  warn_sparse_unfinished(out, iter.max)
  new_kgroups_fit(
    call, problem, k, out,
    method = method,
    init = init_name(init),
    weights = if (!is.null(weights)) as.numeric(weights),
    keep.data = keep.data, error_call = env
  )
}

fail_sparse_gram <- function(x, call, came = NULL) {
  if (is.null(came)) {
    came <- sprintf("You supplied an object of class %s, %d x %d.", class(x)[1L], nrow(x), ncol(x))
  }
  kg_abort(
    c(
      "A {.cls Matrix} must be a Gram matrix: square, symmetric and finite.",
      "x" = came,
      "i" = "Pass data as {.code as.matrix(x)}; symmetrise a Gram matrix by (G + t(G)) / 2."
    ),
    "gram",
    call = call
  )
}

# A sparse problem (R/sparse-solve.R) with what a fit asks of a problem.
sparse_gram_problem <- function(x, weights, call) {
  n <- nrow(x)
  if (n != ncol(x) || n == 0L || !methods::is(x, "sparseMatrix")) fail_sparse_gram(x, call)
  names <- rownames(x)
  x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  dimnames(x) <- list(NULL, NULL)
  if (!all(is.finite(x@x))) {
    fail_sparse_gram(x, call, sprintf("%d of its entries are not finite.", sum(!is.finite(x@x))))
  }
  turned <- Matrix::t(x)
  gap <- abs(x - turned)
  if (length(gap@x) && max(gap@x) > 0) {
    if (max(gap@x) > 1e-8 * max(abs(x@x))) {
      fail_sparse_gram(x, call, sprintf("It differs from its transpose by up to %s.", format(max(gap@x))))
    }
    x <- (x + turned) / 2
  }
  speak_of_traps(x)
  diagonal <- Matrix::diag(x)
  off <- Matrix::drop0(x - Matrix::Diagonal(x = diagonal))
  off <- methods::as(methods::as(off, "generalMatrix"), "CsparseMatrix")
  weights <- check_weights(weights, n, call = call)
  # as in new_problem(): sums of sums must neither overflow nor vanish
  exponent <- scaling_exponent(c(off@x, diagonal))
  off@x <- times_power_of_two(off@x, -exponent)
  w_exponent <- binary_exponent(weights)
  out <- new_sparse_problem(
    off, times_power_of_two(diagonal, -exponent), times_power_of_two(weights, -w_exponent), names
  )
  out$weighted <- any(weights != 1)
  out$unit <- 2^exponent
  out$exponent <- exponent
  out$w_unit <- 2^w_exponent
  out
}

new_sparse_problem <- function(off, diagonal, w, names) {
  list(
    kind = "sparse", form = "gram", off = off, diagonal = as.double(diagonal),
    w = as.double(w), n = length(diagonal), names = names,
    weighted = any(w != 1), unit = 1, w_unit = 1, exponent = 0
  )
}

# The named starts of a sparse Gram matrix. The search is one spectral start, some
# k-means++ and some random ones; fewer where n is large.
sparse_starts <- function(problem, k, init, nstart) {
  if (is.numeric(init)) {
    more <- if (is.null(nstart)) 0 else nstart - 1
    kinds <- rep("random", more)
    return(c(list(labels = init), sparse_named_starts(problem, k, kinds)))
  }
  kinds <- if (!is.null(init)) {
    rep(init, if (is.null(nstart)) 1 else nstart)
  } else {
    search <- c("spectral", rep(c("kmeans++", "random"), 10))
    size <- if (!is.null(nstart)) nstart else if (problem$n <= 50000) 11 else 3
    rep_len(search, size)
  }
  sparse_named_starts(problem, k, kinds)
}

sparse_named_starts <- function(problem, k, kinds) {
  starts <- lapply(kinds, function(kind) {
    if (k == 1L) {
      return(rep(1L, problem$n))
    }
    switch(kind,
      "kmeans++" = sparse_plusplus(problem, k),
      random = random_labels(problem, k, 1)[, 1L],
      spectral = spectral_labels(problem, k, 1)[, 1L]
    )
  })
  stats::setNames(starts, kinds)
}
