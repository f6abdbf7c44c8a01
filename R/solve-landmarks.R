# Landmarks: from the features of a problem to a solution, and the error of W.

# A solution as in R/solve.R, with the `map` to the features.
#' @export
solve_problem.kgroups_landmark_control <- function(problem, control, call = rlang::caller_env()) {
  approx <- control$approx
  if (exact_is_cheaper(problem, control)) {
    return(solve_exactly(problem, control, call))
  }
  map <- landmark_map(problem, choose_landmarks(problem, approx, call), call)
  check_memory(
    (2 * feature_width(map) + 44) * problem$n, problem$n, "their landmark features",
    hint = "Use fewer landmarks, or `row_blocks()` to leave the data on disk.", call = call
  )
  work <- as.numeric(problem$n) * map$m^2
  progress_step(sprintf("Features of %d observations", as.integer(problem$n)), work)
  features <- store_features(problem$store, map, call)
  progress_step("Starts and local search on the features", work)
  out <- solve_on_features(features_problem(problem, features), control, call)
  gc(full = FALSE)
  out <- with_rest(out, features$rest, problem$w, control$k)
  out$extra <- list(
    approx = approximation(approx, map, out, problem, features, out$cluster, sum(problem$w)), W_exact = NULL
  )
  out$map <- map
  out$problem <- replace(problem, "unit", problem$unit * 4^map$scale)
  if (approx$polish) polish(problem, control, out, call) else out
}

check_approx <- function(approx, arg, call) {
  if (inherits(approx, "kgroups_nystroem")) {
    return(approx)
  }
  abort_input(
    "approx", call, "`approx` must be NULL or `nystroem()`.",
    "You supplied {value_text(approx)}.",
    "For example `approx = nystroem(256)`."
  )
}

# Do sums over the means of the features cost more than those over the pairs? So with thousands of rows and many
# clusters. A function of the user is evaluated against landmarks alone.
exact_is_cheaper <- function(problem, control) {
  m <- if (is.character(control$approx$landmarks)) control$approx$m else NROW(control$approx$landmarks)
  !inherits(problem$store, "kgroups_function") && uses_all_pairs(problem) && problem$n > small_n &&
    as.numeric(control$k) * m > problem$n / 2 * store_work(problem$store)
}

# The solution without landmarks.
solve_exactly <- function(problem, control, call) {
  exact <- number_clusters(solve_problem(problem, without(control), call), control$k)
  W <- true_units(problem, sum(exact$cost))
  exact$extra <- list(approx = list(m = 0, rank = 0, landmarks = "none", W = W, polished = TRUE), W_exact = W)
  exact
}

# Solve the problem of the features; a function of the user is not scaled as the built-in semimetrics are.
solve_on_features <- function(problem, control, call = quote(kgroups())) {
  catch_error(
    solve_problem(problem, without(control), call),
    error = function(e) if (grepl("not finite", conditionMessage(e))) abort_features_range() else stop(e)
  )
}

abort_features_range <- function() {
  abort_input(
    "range", quote(kgroups()), "The features of the landmarks must be finite.",
    "The pairwise dissimilarities are too near the ends of the range of double precision numbers.",
    "Rescale `x`, for example divide it by `max(abs(x))`."
  )
}

# The exact method from the labels found.
polish <- function(problem, control, out, call) {
  if (!out$converged) warn_unfinished(out, control$iter.max, problem)
  problem <- evaluate_function_store(problem, call)
  check_fit_memory(problem$n, control$k, 1, NCOL(problem$store$x), call)
  control$init <- fill_clusters(out$cluster, problem$w, control$k)
  control$nstart <- 1
  exact <- number_clusters(solve_named(problem, control), control$k)
  exact$extra <- list(
    approx = replace(out$extra$approx, "polished", TRUE), W_exact = true_units(problem, sum(exact$cost))
  )
  exact$problem <- problem
  exact["means"] <- list(NULL)
  exact
}

# ---- error of W by landmarks ----

# Pairs of observations as W weighs them: x by weight, y by weight in the cluster of x.
random_pairs <- function(cluster, w, k, count) {
  members <- split(seq_along(cluster), label_factor(cluster, k))
  equal <- min(w) == max(w)
  s <- if (equal) lengths(members) else vapply(members, function(rows) sum(w[rows]), 0)
  from <- tabulate(sample.int(k, count, replace = TRUE, prob = s), k)
  draws <- lapply(seq_len(k), function(l) {
    rows <- members[[l]]
    if (from[l] == 0) {
      return(NULL)
    }
    share <- if (!equal) cumsum(w[rows])
    pick <- function() {
      u <- stats::runif(from[l])
      at <- if (equal) floor(u * as.numeric(length(rows))) else findInterval(u * share[length(rows)], share)
      rows[pmin(at + 1, length(rows))]
    }
    cbind(pick(), pick())
  })
  do.call(rbind, draws)
}

# Labels 1..k as a factor; factor() would write each of them out as text.
label_factor <- function(labels, k) structure(labels, levels = as.character(seq_len(k)), class = "factor")

# Add sum_i w_i r_i^2 to W: it is the same for every partition.
with_rest <- function(out, rest, w, k) {
  own <- vapply(split(w * rest, label_factor(out$cluster, k)), sum, 0)
  out$features <- sum(out$cost)
  out$cost <- out$cost + unname(own)
  out$total <- out$total + sum(own)
  out$objectives <- out$objectives + sum(own)
  out
}

# The error of W, the solution of rows of total weight `weight`, from pairs of observations with features and labels:
# W less the exact W is the weighted mean of <r_x, r_y> times the weight, r the part of phi that no landmark spans.
approximation <- function(approx, map, out, problem, features, labels, weight) {
  # a user's function is slow
  count <- if (inherits(problem$store, "kgroups_function")) 500 else 10000
  pairs <- random_pairs(labels, problem$w, length(out$cost), count)
  squared <- store_rho(new_features_store(features$z, problem$n), pairs[, 1L], pairs[, 2L])
  rho <- store_rho(problem$store, pairs[, 1L], pairs[, 2L]) / 4^map$scale
  gap <- (features$rest[pairs[, 1L]] + features$rest[pairs[, 2L]] - (rho - squared)) / 2
  W <- sum(out$cost)
  estimate <- W - weight * mean(gap)
  se <- weight * stats::sd(gap) / sqrt(length(gap))
  true <- function(value) true_units(problem, value * 4^map$scale)
  list(
    m = map$m, rank = map$rank,
    landmarks = if (is.character(approx$landmarks)) approx$landmarks else "given",
    W = true(W), W_features = true(out$features), W_estimate = true(estimate), W_se = true(se),
    error = if (W == estimate) 0 else (W - estimate) / abs(estimate),
    error_se = if (se == 0) 0 else se / abs(estimate), pairs = length(gap), polished = FALSE
  )
}
