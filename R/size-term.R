# Clusters of unequal sizes: kgroups(size_term = TRUE). The plain solution gives the
# effective dimension d; local searches of
#   Phi = (s d / 2) log W - sum_l s_l log(s_l / s)
# start from it and from balls of several sizes, and the least Phi is kept.

fit_variants$size_term <- list(
  class = "size_term", default = FALSE, check = function(value, call) check_flag(value, "size_term", call = call),
  excludes = c("approx", "method = \"lloyd\"")
)

# A solution as in R/solve.R, with `objectives` the Phi of every start in true units and
# `size_term` list(dimension, offset): d, and the term added to d2 of every cluster when a
# new observation is assigned (internal units).
#' @export
solve_problem.kgroups_size_term_control <- function(problem, control, call = rlang::caller_env()) {
  problem <- code_categories(problem)
  k <- control$k
  check_fit_memory(problem$n, k, ball_count(k, control$nstart), NCOL(problem$store$x), call)
  check_pairs_of_points(problem, k, control$init, call)
  check_store_pairs(problem, call)
  plain <- if (is.null(control$init)) {
    searched <- control
    searched["nstart"] <- list(NULL)
    solve_search(problem, searched)
  } else {
    solve_named(problem, control)
  }
  check_positive_dispersion(plain, call)
  if (k == 1L) {
    return(without_size_term(plain, "only"))
  }
  small <- problem$n <= small_n
  if (small) {
    problem <- cache_pairs(problem)
    part <- problem
    part_plain <- plain
  } else {
    inside <- inside_rows(problem)
    rows <- sample_rows(inside, min(small_n, length(inside)))
    part <- cache_pairs(subset_problem(problem, rows))
    part_plain <- solve_search(part, new_control(k))
  }
  dimension <- effective_dimension(part, k, part_plain$cluster)
  if (!usable_dimension(dimension, plain)) {
    return(without_size_term(plain, "plain"))
  }
  starts <- if (!is.null(control$init)) {
    named_starts(problem, control, plain)
  } else {
    balls <- ball_labels(part, k, ball_count(k, control$nstart))
    if (small) {
      cbind(plain$cluster, balls, deparse.level = 0)
    } else {
      found <- descend(part, k, cbind(part_plain$cluster, balls), control, dimension)
      cbind(plain$cluster, extend(problem, k, rows, found$cluster), deparse.level = 0)
    }
  }
  names <- if (is.null(control$init)) {
    c("plain", rep(if (small) "ball" else "sample", ncol(starts) - 1L))
  } else {
    c(if (is.numeric(control$init)) "labels" else control$init, rep("random", ncol(starts) - 1L))
  }
  phi_solution(problem, control, starts, dimension, names)
}

# Every cluster holds two observations.
#' @export
least_rows.kgroups_size_term_control <- function(control, k) 2L * k

# Participation ratio of the spectra within the clusters, less 5 % (bench/unbalanced.R: one large cluster).
effective_dimension <- function(problem, k, cluster) 0.95 * dimension_of(problem, k, cluster)

# 0: no cluster of five points, or no variance in them. W = 0: nothing to gain.
usable_dimension <- function(dimension, plain) {
  is.finite(dimension) && dimension > 0 && sum(plain$cost) > 1e-12 * abs(plain$total)
}

# Starts from given labels, or the plain solution.
named_starts <- function(problem, control, plain) {
  if (is.numeric(control$init)) {
    return(start_labels(problem, control, control$nstart %||% 1))
  }
  matrix(plain$cluster)
}

ball_count <- function(k, nstart) {
  if (!is.null(nstart)) nstart else max(52, 8 * k)
}

# The best local search of Phi, with Phi in true units.
phi_solution <- function(problem, control, starts, dimension, names) {
  out <- solve_starts(problem, control, starts, names, dimension)
  W <- sum(out$cost)
  s <- sum(problem$w)
  unit <- log(problem$unit) + log(problem$w_unit)
  out$objectives <- problem$w_unit * (out$objectives + s * dimension / 2 * unit)
  out$rose <- FALSE
  out$size_term <- list(dimension = dimension, offset = -2 * W / (s * dimension) * log(out$s / s))
  out
}

# The plain solution, if no effective dimension is available.
without_size_term <- function(plain, name) {
  plain$objectives <- stats::setNames(NA_real_, name)
  plain$best_start <- 1L
  plain$size_term <- list(dimension = Inf, offset = rep(0, length(plain$s)))
  plain
}

check_pairs_of_points <- function(problem, k, init, call) {
  inside <- count_inside(problem)
  if (2 * k > inside) {
    abort_input(
      "k", call,
      "With {.code size_term = TRUE} every cluster holds at least two observations of positive weight.",
      "{k} cluster{?s} cannot be made of {inside} observation{?s}.",
      "Lower {.arg k} to at most {inside %/% 2}, or leave {.arg size_term} out."
    )
  }
  if (is.numeric(init)) {
    few <- which(tabulate(init[problem$w > 0], k) < 2L)
    if (length(few)) {
      abort_input(
        "init", call,
        "With {.code size_term = TRUE} every group in {.arg init} must hold two observations of positive weight.",
        "{length(few)} of the {k} group{?s} hold{?s/} only one.",
        "Give other labels, or leave {.arg init} out."
      )
    }
  }
}

# log W needs W > 0: always so for semimetrics of negative type, W = 0 apart.
check_positive_dispersion <- function(plain, call) {
  if (sum(plain$cost) < -1e-10 * sum(abs(plain$cost))) {
    abort_input(
      "size_term", call,
      "{.code size_term = TRUE} takes the logarithm of W, which must be positive.",
      "W is negative: the semimetric is not of negative type on these data.",
      "Repair it by {.fn make_negative_type}, or leave {.arg size_term} out."
    )
  }
}

# The effective dimension and the balls need pairwise dissimilarities.
check_store_pairs <- function(problem, call) {
  if (uses_all_pairs(problem)) {
    return(invisible())
  }
  abort_input(
    "size_term", call,
    "{.code size_term = TRUE} needs points, dissimilarities or a dense Gram matrix.",
    "You supplied a sparse matrix or a graph.",
    "Pass {.code as_gram(as.matrix(x))} if it fits into memory, or leave {.arg size_term} out."
  )
}

#' Clusters of unequal sizes
#'
#' W is least for clusters of about equal weight, so one large cluster beside a small one is
#' cut in halves. `size_term = TRUE` maximises instead the profile classification likelihood of spherical normal clusters with
#' one variance in d dimensions, that is, it minimises
#' \deqn{\Phi = \frac{s d}{2} \log W - \sum_l s_l \log \frac{s_l}{s}}{Phi = (s d/2) log W -
#' sum_l s_l log(s_l/s)}
#' by the same moves, every cluster keeping two observations. d is the effective dimension of the clusters in the feature
#' space, for the solution without the term. It is the ratio \eqn{(\mathrm{tr}\, C)^2 / \mathrm{tr}\, C^2}{(tr C)^2/tr C^2} of
#' their covariance operators, less 5 %. Local searches start from that solution and from balls around random
#' observations (`nstart` of them), and the least \eqn{\Phi}{Phi} is kept. In large data the balls are tried on a sample.
#'
#' It works for compact clusters of similar variance with `rho_power(1)`, less well with
#' `rho_power(3/2)` and `rho_gaussian()`. It does not work with `rho_power(1/2)`,
#' `rho_power(2)` or `rho_exponential()` at the default `sigma`, and loses accuracy on heavy-tailed data.
#' For clusters of about equal size accuracy is lower by .01 to .02. In many dimensions d is large, and the result is the
#' solution without the term.
#' @family clustering
#' @examples
#' # a large cluster of 270 beside two of 15: the plain fit divides the large one
#' set.seed(1)
#' centre <- rep(c(0, 5, 10), c(270, 15, 15))
#' x <- cbind(rnorm(300, centre), rnorm(300))
#' table(kgroups(x, 3)$cluster, centre)
#' table(kgroups(x, 3, size_term = TRUE)$cluster, centre)
#' @name kgroups-size-term
NULL
