# The solver of constraints: limits on sizes, rows together or apart, contiguous clusters. One local search in C
# (src/kg_constrained.c) makes the moves and exchanges that lower W and that all rules allow. Groups of rows that stay
# together are units, points of the feature space; single rows are units too.

constrained_defaults <- list(
  starts = 50L, # k-means++ starts, at most: brute force in tests/testthat/test-constraints.R
  random = 100L, # random starts of small problems,
  work = 5e3, # at most so many units in all
  distances = 20, # a local search reads about so many distances of each unit to each mean: bench/constraints.md
  regroup = 40, # splits and merges of contiguous clusters cost at most so many passes over all pairs,
  regroup_work = 1e10 # and so many distances, some ten seconds
)

#' @export
solve_problem.kgroups_together_control <- function(
  problem, control, call = rlang::caller_env()
) solve_constrained(problem, control, call)

#' @export
solve_problem.kgroups_apart_control <- solve_problem.kgroups_together_control

#' @export
solve_problem.kgroups_contiguous_control <- solve_problem.kgroups_together_control

#' @export
solve_problem.kgroups_sized_control <- solve_problem.kgroups_together_control

solve_constrained <- function(problem, control, call) {
  check_solve_memory(problem, control, 1, call)
  k <- control$k
  units <- new_units(problem, control$together)
  check_units(units, k, call)
  rules <- constraint_rules(problem, control, units, call)
  if (is.numeric(control$init)) control$init <- majority_labels(control$init, problem, units, k)
  free <- if (is.null(control$init) && is.null(rules$contiguous)) free_units(units, control, length(rules) > 1L)
  held <- !is.null(free) && units$exact && violations(free$cluster, rules, k)$none
  out <- if (held) free else search_constrained(problem, control, units, rules, free)
  if (!held) check_satisfied(out, problem, units, rules, k, call)
  found <- out$cluster
  out$cluster <- out$cluster[units$group]
  if (units$exact && max(units$group) < problem$n) { # else the search was one of the rows
    sums <- partition(problem, out$cluster, k)
    out$objectives <- out$objectives - sum(out$cost) + sums$W
    out[c("cost", "V", "s", "total")] <- sums[c("within", "V", "s", "total")]
  }
  W_free <- if (!is.null(free)) true_units(problem, sum(free$cost) + units$within)
  number_clusters(with_constraints(out, control, units, rules, found, held, W_free), k)
}

# The components of a fit that have its constraints.
with_constraints <- function(out, control, units, rules, found, held, W_free) {
  pairs <- control[c("together", "apart", "contiguous")]
  if (any(lengths(pairs) > 0L)) {
    out$extra$constraints <- c(pairs, list(W_free = if (!is.null(control$apart)) W_free))
  }
  if (!is.null(rules$limits)) {
    amount <- attr(control$sizes, "amount")
    sums <- sum_by(rules$amount, found, control$k)
    near <- outer(sums * rules$unit, rules$sizes, function(a, b) abs(a - b) <= 1e-9 * sum(amount))
    out$extra$limits <- list(
      sizes = rules$sizes, binding = if (held) integer() else which(rowSums(near) > 0), W_free = W_free,
      weighted = max(amount) != 1 || min(amount) != 1
    )
  }
  out
}

# ---- units ----

# Return the units, a list:
#   group     the unit of each row
#   w         sums of weights
#   problem   a problem of the units: exact if there are few or all are single rows, else with the coordinates of their
#             means (or one row of each), for starts
#   exact     is it?
#   within    the dispersion within units that W of the exact problem lacks
new_units <- function(problem, together) {
  group <- unit_numbers(together, problem$n)
  m <- max(group)
  if (m == problem$n) {
    return(list(group = group, w = problem$w, exact = TRUE, problem = problem, within = 0))
  }
  weight <- sum_by(problem$w, group, m)
  # in a group of weight 0 all rows count alike
  even <- problem
  even$w <- replace(problem$w, weight[group] == 0, 1)
  if (m > small_n) {
    return(list(group = group, w = weight, exact = FALSE, problem = proxy_problem(even, group, weight), within = 0))
  }
  c(list(group = group, w = weight, exact = TRUE), grouped_problem(even, group, weight))
}

# Number the units of n rows by first appearance: groups, and rows in none.
unit_numbers <- function(together, n = length(together)) {
  if (is.null(together)) {
    return(seq_len(n))
  }
  key <- ifelse(is.na(together), -seq_along(together), together)
  match(key, unique(key))
}

check_units <- function(units, k, call) {
  many <- sum(units$w > 0)
  if (many < k) {
    abort_input(
      "together", call, "`together` must leave at least `k` groups or single rows of positive weight.",
      "It leaves {many} for {k} cluster{?s}.", "Lower `k`, or put fewer rows together."
    )
  }
}

# list(problem, within): the problem of groups of rows, in whose store B = -rho/2 with rho half the energy distance, and
# the dispersion within groups (internal units).
grouped_problem <- function(problem, group, weight) {
  m <- length(weight)
  s <- sum_by(problem$w, group, m)
  sums <- dispersion_sums(problem, group, m)
  within <- sums$within %||% (sums$t - diag(sums$M) / s)
  # the mean of rho within a group is twice own: B_gh = M_gh / (s_g s_h) less half the means of B_xx, plus half of both
  # own
  half <- (within / s - sums$t / s) / 2
  B <- sums$M
  sums$M <- NULL
  # in place: m^2 values
  for (j in seq_len(m)) B[, j] <- B[, j] / (s * s[j]) + (half + half[j])
  diag(B) <- 0
  units <- new_problem(new_dense_store(B), problem$names[!duplicated(group)], weight)
  units[c("w", "w_unit")] <- list(weight, 1)
  list(problem = units, within = sum(within[weight > 0]))
}

# A problem whose observations lie near the units: the means of coordinates, else the first rows of groups.
proxy_problem <- function(problem, group, weight) {
  first <- which(!duplicated(group))
  out <- subset_problem(problem, first)
  out$w <- weight
  out$weighted <- TRUE
  if (identical(class(problem$store), class(new_points_store(matrix(0), numeric())))) {
    m <- length(first)
    out$store$x <- sum_by(problem$w * problem$store$x, group, m) / sum_by(problem$w, group, m)
  }
  out
}

# The label of the largest weight in each unit; every cluster keeps a unit.
majority_labels <- function(labels, problem, units, k) {
  w <- problem$w
  w <- if (min(units$w) > 0) w else w + max(w) * 1e-12
  m <- length(units$w)
  shares <- vapply(seq_len(k), function(l) sum_by(w * (labels == l), units$group, m), numeric(m))
  fill_clusters(max.col(matrix(shares, ncol = k), ties.method = "first"), units$w, k)
}

# ---- rules ----

# Return what src/ffi_constrained.c takes, for units: list(work, amount, limits, apart, contiguous) with those that
# there are, and `sizes`, the limits in the units of the weights, `unit` times those of the amounts.
constraint_rules <- function(problem, control, units, call) {
  m <- length(units$w)
  work <- min(constrained_defaults$regroup * as.numeric(problem$n)^2, constrained_defaults$regroup_work)
  rules <- list(work = control$effort * work)
  of_units <- function(pairs) {
    pairs <- matrix(units$group[unclass(pairs)], ncol = 2L)
    distinct_pairs(pairs[pairs[, 1L] != pairs[, 2L], , drop = FALSE])
  }
  if (!is.null(control$apart) && nrow(control$apart)) rules$apart <- of_units(control$apart)
  if (!is.null(control$contiguous)) {
    check_parts(control$contiguous, problem$n, problem$w, control$k, call)
    rules$contiguous <- of_units(control$contiguous)
  }
  if (!is.null(control$sizes)) {
    rules$sizes <- size_limits(control$sizes, control$k, call)
    amount <- sum_by(attr(control$sizes, "amount"), units$group, m)
    check_largest_unit(amount, rules$sizes, units, problem, call)
    rules$unit <- mean(amount)
    rules$amount <- amount / rules$unit
    rules$limits <- rules$sizes / rules$unit + c(-1, 1) * 1e-9 * m
  }
  rules
}

check_largest_unit <- function(amount, sizes, units, problem, call) {
  at <- which.max(amount)
  if (amount[at] > sizes[2L] * (1 + 1e-9)) {
    row <- observation_text(match(at, units$group), problem$names)
    abort_input(
      "sizes", call, "The largest size must be at least that of each row, or group of rows that stay together.",
      "{row} counts {format(amount[at])}, and the largest size is {format(sizes[2L])}.",
      "Raise the largest size, or divide that row or group."
    )
  }
}

# How far labels of units are from the rules: list(none, pairs, sums).
violations <- function(labels, rules, k) {
  pairs <- rules$apart
  broken <- if (is.null(pairs)) integer() else which(labels[pairs[, 1L]] == labels[pairs[, 2L]])
  sums <- if (!is.null(rules$limits)) sum_by(rules$amount, labels, k)
  off <- if (!is.null(sums)) !within_limits(sums, rules$limits)
  list(none = length(broken) == 0L && !any(off), pairs = broken, sums = sums, off = off)
}

# An error if the search found no partition that satisfies all rules: it contains the least violation.
check_satisfied <- function(out, problem, units, rules, k, call) {
  if (any(is.finite(out$objectives))) {
    return(invisible())
  }
  wrong <- violations(out$cluster, rules, k)
  pair <- if (length(wrong$pairs)) rows_text(match(rules$apart[wrong$pairs[1L], ], units$group), problem)
  sizes <- wrong$sums * rules$unit
  came <- if (length(pair)) {
    paste(
      "The nearest that was found breaks {length(wrong$pairs)} pair{?s} of `apart`:",
      "{pair[1L]} and {pair[2L]} are together."
    )
  } else if (any(wrong$off)) {
    "The nearest that was found has sizes from {format(min(sizes), digits = 4)} to {format(max(sizes), digits = 4)}."
  } else {
    "Each cluster needs a row of positive weight."
  }
  abort_input(
    "constraints", call, "No partition into {k} cluster{?s} was found that satisfies all constraints.", came,
    "There may be one: raise `k`, leave pairs out, or allow other sizes."
  )
}

# ---- search ----

# The best partition of the units without constraints.
free_units <- function(units, control, constrained) {
  solve_problem(units$problem, without(if (constrained) replace(control, "nstart", list(NULL)) else control))
}

# The best local search under the rules, with labels of units.
search_constrained <- function(problem, control, units, rules, free) {
  k <- control$k
  of <- if (units$exact) units$problem else problem
  starts <- if (is.null(rules$contiguous)) {
    labelled_starts(units$problem, of, control, free)
  } else {
    contiguous_starts(units$problem, of, control)
  }
  labels <- starts$labels
  if (!units$exact) {
    rules <- c(rules, list(group = units$group, m = as.numeric(length(units$w))))
    labels <- labels[units$group, , drop = FALSE]
  }
  of <- cache_pairs(of, passes = ncol(labels))
  rules$uniforms <- stats::runif(4096)
  settings <- list(method = method_codes[["hartigan"]], iter_max = as.numeric(control$iter.max))
  storage.mode(labels) <- "integer"
  found <- .Call(ffi_constrained, of, as.numeric(k), labels, rules, settings)
  out <- solution(found, starts$kinds)
  if (!units$exact) out$cluster <- out$cluster[!duplicated(units$group)]
  out$moves <- sum(out$moves, free$moves)
  reached <- is.finite(out$objectives)
  if (any(reached)) {
    out$best_start <- sum(reached[seq_len(out$best_start)])
    out$objectives <- out$objectives[reached]
  }
  out
}

# How many starts that cost so much each, and how many random ones.
start_numbers <- function(problem, control, cost) {
  passes <- floor(control$effort * search_defaults$evaluations / cost)
  some <- min(passes, constrained_defaults$starts * control$effort)
  floor(c(some, min(some, constrained_defaults$work / problem$n, constrained_defaults$random)))
}

# Labels of units, a column for each start of a search in the problem `of`, and the kinds of the starts: those without
# constraints, k-means++ and, in small problems, random ones.
labelled_starts <- function(problem, of, control, free) {
  k <- control$k
  if (is.null(free)) {
    many <- control$nstart %||% 1
    return(list(labels = start_labels(problem, control, many), kinds = start_kinds(control$init, many)))
  }
  cost <- max(pass_cost(of), constrained_defaults$distances * as.numeric(of$n) * k)
  many <- start_numbers(problem, control, cost)
  if (problem$n > small_n) many[2L] <- 0
  if (!is.null(control$nstart)) many <- c(control$nstart - 1, 0)
  labels <- cbind(
    free$cluster, if (many[1L] > 0) plusplus_labels(problem, k, many[1L]),
    if (many[2L] > 0) random_labels(problem, k, many[2L]), deparse.level = 0
  )
  list(labels = labels, kinds = c("free", rep("kmeans++", many[1L]), rep("random", many[2L])))
}

# Ward's merges along the edges (a column of zeros), then others with random factors; or the labels of the user.
contiguous_starts <- function(problem, of, control) {
  if (is.numeric(control$init)) {
    return(list(labels = matrix(control$init), kinds = "labels"))
  }
  cost <- max(4 * as.numeric(problem$n)^2, pass_cost(of))
  many <- control$nstart %||% max(1, sum(start_numbers(problem, control, cost)))
  list(labels = matrix(0L, problem$n, many), kinds = c("Ward", rep("random merges", many - 1)))
}
