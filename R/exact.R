# The exact best partition of numbers into runs. The kernels receive the sorted points of positive weight; R handles
# weights of 0 and k above the number of distinct values.

# Does the exact method apply, if the user chose no start?
is_1d_problem <- function(problem) {
  if (!inherits(problem$store, "kgroups_points") || ncol(problem$store$x) > 1L) {
    return(FALSE)
  }
  semimetric <- base_semimetric(problem$semimetric) # no gaps: the base itself
  identical(semimetric$family, "power") && semimetric$parameter == 1
}

# Do sums over pairs take a sort of points on a line?
is_line_problem <- function(problem) is_1d_problem(problem) && !is_connected(problem$semimetric)

# Sums of w_j |x_i - x_j| over all j for each i, x ascending, from cumulated sums.
weighted_distance_sums <- function(x, w) {
  weight <- cumsum(w)
  moment <- cumsum(w * x)
  n <- length(x)
  if (n == 0L) numeric() else x * (2 * weight - weight[n]) + moment[n] - 2 * moment
}

# Sums of w_j B_ij over group l for each point of a line, B = -|x_i - x_j| / 2, about the middle of the points.
sums_of_group <- function(line, w, labels, l) {
  out <- numeric(length(w))
  out[line$order] <- -weighted_distance_sums(line$x, (w * (labels == l))[line$order]) / 2
  out
}

# The same for all groups, n x k.
sums_on_line <- function(problem, labels, k) {
  line <- sort_line(problem)
  vapply(seq_len(k), function(l) sums_of_group(line, problem$w, labels, l), numeric(problem$n))
}

# Points on a line in ascending order about their middle.
sort_line <- function(problem) {
  x <- problem$store$x[, 1L]
  order <- order(x)
  list(order = order, x = x[order] - x[order[(length(x) + 1L) %/% 2L]])
}

# Sums of -w_x w_y |x - y| / 2 over pairs of groups, k x k.
line_dispersion <- function(problem, labels, k) {
  line <- sort_line(problem)
  labels <- as.integer(labels)
  M <- matrix(vapply(seq_len(k), function(l) {
    check_interrupt()
    sum_by(problem$w * sums_of_group(line, problem$w, labels, l), labels, k)
  }, numeric(k)), k)
  (M + t(M)) / 2
}

# Solutions in internal units, as fit_solution() takes them, in the order of `ks`.
solution_1d <- function(problem, ks, call = rlang::caller_env()) {
  increasing <- sort(unique(ks))
  n <- problem$n
  check_memory(
    n * (100 + 4 * max(0, max(ks) - 2)), n, "the table of best runs",
    hint = "Ask for fewer clusters, or round `x` and give the counts as weights.", call = call
  )
  solved <- solve_1d(as.vector(problem$store$x), increasing, if (problem$weighted) problem$w)
  solved[match(ks, increasing)]
}

# Best partitions of x (doubles) into each of `ks` (increasing) runs. Labels are numbered by first
# appearance.
solve_1d <- function(x, ks, weights = NULL) {
  taken <- NULL # which points take part, NULL for all
  ascending <- NULL
  if (is.null(weights)) {
    sorted <- sort(x)
    sorted_weights <- NULL
  } else {
    if (any(weights == 0)) taken <- which(weights > 0)
    ascending <- if (is.null(taken)) order(x) else taken[order(x[taken])]
    sorted <- x[ascending]
    sorted_weights <- weights[ascending]
  }
  found <- .Call(ffi_runs, sorted, sorted_weights, as.integer(ks))
  lapply(seq_along(ks), function(i) {
    k <- ks[i]
    if (k <= found$distinct) {
      within <- found$within[[i]]
      run_weight <- found$weight[[i]]
      bounds <- found$bounds[[i]]
      if (is.null(taken)) {
        named <- .Call(ffi_runs_label, x, bounds)
        return(describe_1d(named, within, run_weight, found$total))
      }
      run_of_sorted <- findInterval(sorted, bounds) + 1L
    } else {
      if (is.null(ascending)) ascending <- order(x)
      within <- numeric(k)
      run_of_sorted <- split_ties(sorted, k)
      each <- if (is.null(weights)) rep(1, length(sorted)) else sorted_weights
      run_weight <- sum_by(each, run_of_sorted, k)
    }
    run <- integer(length(x))
    run[ascending] <- run_of_sorted
    if (!is.null(taken)) {
      run[-taken] <- nearest_run(x[-taken], sorted, sorted_weights, run_of_sorted, within)
    }
    order <- unique(run)
    named <- list(cluster = match(run, order), run = order)
    describe_1d(named, within, run_weight, found$total)
  })
}

# `named`: the labels and which run became which cluster. For a semimetric V follows from
# W: W_l = -V_l / s_l.
describe_1d <- function(named, within, run_weight, total) {
  cost <- within[named$run]
  s <- run_weight[named$run]
  list(
    cluster = named$cluster, cost = cost, V = -cost * s, s = s,
    total = total, moves = 0L, iterations = 0L, converged = TRUE,
    objectives = c(exact = sum(cost)), best_start = 1L, method = "exact"
  )
}

# Runs of sorted values when there are more of them than distinct values: every value is a
# run, and the first ties are split until there are k. W is 0 however they are split.
split_ties <- function(sorted, k) {
  n <- length(sorted)
  starts <- c(TRUE, sorted[-1L] != sorted[-n])
  tied <- which(!starts)
  starts[tied[seq_len(k - sum(starts))]] <- TRUE
  cumsum(starts)
}

# The run of smallest d2 for each of the points x, ties to the leftmost:
# d2 = E|x - Y| - W_l / s_l, Y drawn from run l. `run` holds the runs of `sorted`.
nearest_run <- function(x, sorted, weights, run, within) {
  # Powers of two against overflow; they round nothing.
  scale <- 2^-max(-1000, min(1000, ceiling(log2(max(abs(x), abs(sorted), 2^-1000)))))
  weight_scale <- 2^-max(-1000, min(1000, ceiling(log2(max(weights)))))
  x <- x * scale
  weights <- weights * weight_scale
  best <- rep(Inf, length(x))
  nearest <- integer(length(x))
  last <- cumsum(tabulate(run, length(within)))
  first <- c(1L, last[-length(last)] + 1L)
  for (l in seq_along(within)) {
    members <- first[l]:last[l]
    middle <- sorted[members[(length(members) + 1) %/% 2]] * scale
    y <- sorted[members] * scale - middle
    at <- x - middle
    below <- findInterval(at, y) + 1L
    P <- c(0, cumsum(weights[members]))
    M <- c(0, cumsum(weights[members] * y))
    s <- P[length(P)]
    apart <- at * (2 * P[below] / s - 1) + (M[length(M)] - 2 * M[below]) / s
    d2 <- apart - within[l] * scale * weight_scale / s
    closer <- d2 < best
    best[closer] <- d2[closer]
    nearest[closer] <- l
  }
  nearest
}
