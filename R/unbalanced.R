# Clusters of unequal sizes: kgroups(size_term = TRUE). The plain solution gives the
# effective dimension d; descents of
#   Phi = (s d / 2) log W - sum_l s_l log(s_l / s)
# start from it and from balls of several sizes, and the least Phi is kept.

# A solution as in R/solve.R, with `objectives` the Phi of every start in true units and
# `size_term` list(dimension, offset): d, and what is added to d2 of every cluster when a
# new observation is assigned (internal units).
solve_unbalanced <- function(problem, k, init, nstart, iter.max, call = rlang::caller_env()) {
  check_pairs_of_points(problem, k, init, call)
  plain <- if (is.null(init)) {
    solve_search(problem, k, NULL, "hartigan", iter.max)
  } else {
    solve_named(problem, k, init, if (is.null(nstart)) 1 else nstart, "hartigan", iter.max)
  }
  check_positive_dispersion(plain, call)
  if (k == 1L) {
    return(without_size_term(plain, "only"))
  }
  if (problem$n <= small_n) {
    problem <- cache_pairs(problem)
    dimension <- effective_dimension(problem, k, plain$cluster)
    if (!usable_dimension(dimension, plain)) {
      return(without_size_term(plain, "plain"))
    }
    starts <- if (is.null(init)) {
      cbind(plain$cluster, ball_labels(problem, k, ball_count(k, nstart)), deparse.level = 0)
    } else {
      named_starts(problem, k, init, nstart, plain)
    }
  } else {
    inside <- which(problem$w > 0)
    rows <- sort(inside[sample.int(length(inside), min(small_n, length(inside)))])
    part <- cache_pairs(subset_problem(problem, rows))
    sample_plain <- search_small(part, k)
    dimension <- effective_dimension(part, k, sample_plain$cluster)
    if (!usable_dimension(dimension, plain)) {
      return(without_size_term(plain, "plain"))
    }
    starts <- if (is.null(init)) {
      found <- descend_phi(
        part, k, cbind(sample_plain$cluster, ball_labels(part, k, ball_count(k, nstart))),
        dimension, iter.max
      )
      cbind(
        plain$cluster,
        .Call(ffi_extend, c_problem(problem), as.numeric(k), rows, found$cluster),
        deparse.level = 0
      )
    } else {
      named_starts(problem, k, init, nstart, plain)
    }
  }
  out <- descend_phi(problem, k, starts, dimension, iter.max)
  names <- if (is.null(init)) {
    c("plain", rep(if (problem$n <= small_n) "ball" else "sample", ncol(starts) - 1L))
  } else {
    c(if (is.numeric(init)) "labels" else init, rep("random", ncol(starts) - 1L))
  }
  phi_solution(problem, k, out, dimension, names)
}

descend_phi <- function(problem, k, starts, dimension, iter.max) {
  descend(c_problem(problem), k, starts, "hartigan", iter.max, dimension)
}

# Participation ratio of the spectra within the clusters, less 5 %: where one cluster holds
# nine tenths of the points, the estimate itself leaves a tenth of the data sets at the
# equal halves that W prefers; bench/unbalanced.R.
effective_dimension <- function(problem, k, cluster) {
  0.95 * .Call(ffi_dimension, c_problem(problem), as.numeric(k), cluster)
}

# 0: no cluster of five points, or no spread in them. W = 0: nothing to gain.
usable_dimension <- function(dimension, plain) {
  is.finite(dimension) && dimension > 0 && sum(plain$cost) > 1e-12 * abs(plain$total)
}

# Descents from labels given: the given ones, or as many of the kind asked for.
named_starts <- function(problem, k, init, nstart, plain) {
  if (is.null(nstart)) nstart <- 1
  if (is.numeric(init)) {
    return(start_labels(problem, k, init, nstart))
  }
  matrix(plain$cluster)
}

ball_count <- function(k, nstart) {
  if (!is.null(nstart)) nstart else max(52, 8 * k)
}

# Starts for Phi: all points in cluster 1, then every further cluster takes a random
# point that is left and the points nearest to it, f / (k - 1) of all the weight. Small
# and large balls take turns. Needs the stored matrix.
ball_labels <- function(problem, k, nstart) {
  B <- problem$store[[2L]]
  self <- diag(B)
  w <- problem$w
  share <- sum(w) / (k - 1)
  vapply(seq_len(nstart), function(start) {
    labels <- rep(1L, problem$n)
    f <- c(0.05, 0.1, 0.2, 0.35)[(start - 1L) %% 4L + 1L]
    for (l in seq_len(k)[-1L]) {
      free <- which(labels == 1L & w > 0)
      # two points have to remain for each cluster to come, and for the first
      most <- length(free) - 2L * (k - l + 1L)
      x <- free[sample.int(length(free), 1L)]
      nearest <- free[order(self[free] - 2 * B[free, x])]
      size <- sum(cumsum(w[nearest]) <= f * share)
      labels[nearest[seq_len(min(max(size, 2L), most))]] <- l
    }
    labels
  }, integer(problem$n))
}

# The sums of the best labels, and Phi in true units.
phi_solution <- function(problem, k, out, dimension, names) {
  solution <- solve_starts(problem, k, matrix(out$cluster), "hartigan", 0, "phi")
  solution$cluster <- out$cluster
  W <- sum(solution$cost)
  s <- sum(problem$w)
  unit <- log(problem$unit) + log(problem$w_unit)
  best <- out$best
  solution$objectives <- stats::setNames(
    problem$w_unit * (out$objectives + s * dimension / 2 * unit), names
  )
  solution$best_start <- as.integer(best)
  solution$iterations <- as.integer(out$iterations[best])
  solution$moves <- out$moves[best]
  solution$converged <- out$converged[best]
  solution$rose <- FALSE
  solution$fall <- out$fall[best]
  solution$size_term <- list(
    dimension = dimension,
    offset = -2 * W / (s * dimension) * log(solution$s / s)
  )
  solution
}

# Where the size term has nothing to say the plain solution is the answer.
without_size_term <- function(plain, name) {
  plain$objectives <- stats::setNames(NA_real_, name)
  plain$best_start <- 1L
  plain$size_term <- list(dimension = Inf, offset = rep(0, length(plain$s)))
  plain
}

check_size_term <- function(size_term, method, approx, call) {
  size_term <- check_flag(size_term, "size_term", call = call)
  if (size_term && !is.null(approx)) {
    kg_abort(
      c(
        "{.code size_term = TRUE} needs the pair values themselves.",
        "x" = "You supplied {.arg approx} too.",
        "i" = "Leave one of the two out."
      ),
      "size_term",
      call = call
    )
  }
  if (size_term && method != "hartigan") {
    kg_abort(
      c(
        "{.code size_term = TRUE} works with {.code method = \"hartigan\"}.",
        "x" = "You supplied {.val {method}}.",
        "i" = "Leave {.arg method} out."
      ),
      "size_term",
      call = call
    )
  }
  size_term
}

check_pairs_of_points <- function(problem, k, init, call) {
  inside <- sum(problem$w > 0)
  if (2 * k > inside) {
    kg_abort(
      c(
        "With {.code size_term = TRUE} every cluster holds at least two observations of positive weight.",
        "x" = "{k} cluster{?s} cannot be made of {inside} observation{?s}.",
        "i" = "Lower {.arg k} to at most {inside %/% 2}, or leave {.arg size_term} out."
      ),
      "k",
      call = call
    )
  }
  if (is.numeric(init)) {
    few <- which(tabulate(init[problem$w > 0], k) < 2L)
    if (length(few)) {
      kg_abort(
        c(
          "With {.code size_term = TRUE} every group in {.arg init} must hold two observations of positive weight.",
          "x" = "{length(few)} of the {k} group{?s} hold{?s/} only one.",
          "i" = "Give other labels, or leave {.arg init} out."
        ),
        "init",
        call = call
      )
    }
  }
}

# log W needs W > 0: always so for semimetrics of negative type, W = 0 apart.
check_positive_dispersion <- function(plain, call) {
  if (sum(plain$cost) < -1e-10 * sum(abs(plain$cost))) {
    kg_abort(
      c(
        "{.code size_term = TRUE} takes the logarithm of W, which must be positive.",
        "x" = "W is negative: the semimetric is not of negative type on these data.",
        "i" = "Mend it by {.fn make_negative_type}, or leave {.arg size_term} out."
      ),
      "size_term",
      call = call
    )
  }
}
