# Landmark (Nystroem) features. With landmarks z_1..z_m and B centred on their mean,
# phi(x) = L^-1 c(x), c_a(x) = B(x, z_a) centred, L the Cholesky factor of the landmarks' own
# centred matrix: explicit features whose inner products are those of the feature space
# projected on the landmarks' span. Kept as doubles where they are few, else in 16
# bits a value in a raw vector.

# A problem for landmarks: as any other, but the user's function is not evaluated at all
# pairs of points.
landmark_problem <- function(x, semimetric, weights, call) {
  abort_connected_landmarks(semimetric, call)
  own <- inherits(semimetric, "kgroups_semimetric") && semimetric$family == "function"
  if (!own || inherits(x, "dist") || is_gram(x)) {
    return(as_problem(x, semimetric, weights, call = call))
  }
  out <- as_problem(x, rho_power(1), weights, call = call)
  few <- out$points[seq_len(min(out$n, 5L)), , drop = FALSE]
  packed_function_values(semimetric, few, call)
  out$semimetric <- semimetric
  out$unit <- 1
  out$exponent <- 0
  out$store <- new_function_store(out$points, semimetric)
  out
}

# ---- choosing landmarks: row numbers, or points ----

choose_landmarks <- function(problem, approx, call) {
  given <- approx$landmarks
  if (length(dim(given)) == 2L) {
    return(given_points(problem, given, call))
  }
  if (is.numeric(given)) {
    return(given_rows(problem, given, call))
  }
  inside <- inside_rows(problem)
  if (given == "kmeans++" && approx$m < length(inside)) {
    return(kmeanspp_landmarks(problem, inside, approx$m))
  }
  draw_rows(inside, approx$m)
}

given_points <- function(problem, given, call) {
  if (is.null(problem$points)) {
    abort_input(
      "landmarks", call,
      "Landmarks for {if (has_kernel(problem)) 'a Gram matrix' else 'dissimilarities'} must be row numbers.",
      "You supplied {value_text(given)}.",
      "Name some of the observations, for example `landmarks = sample({problem$n}, 100)`."
    )
  }
  points <- check_new_points(given, problem, "landmarks", call)
  new_coordinates(problem, points, call, "landmarks")
}

given_rows <- function(problem, given, call) {
  if (anyNA(given) || any(given != round(given)) || any(given < 1 | given > problem$n) ||
    anyDuplicated(given)) {
    abort_input(
      "landmarks", call, "Row numbers in `landmarks` must be distinct whole numbers from 1 to {problem$n}.",
      "You supplied {value_text(given)}.",
      "Points of your own go in as a matrix, one landmark a row."
    )
  }
  as.integer(given)
}

# k-means++ draws among a sample: each next landmark with probability ~ w rho(x, nearest).
kmeanspp_landmarks <- function(problem, inside, m) {
  rows <- draw_rows(inside, max(5000, 10 * m))
  size <- length(rows)
  w <- problem$w[rows]
  part <- subset_problem(problem, rows)
  uniforms <- stats::runif(m)
  chosen <- integer(m)
  nearest <- rep(Inf, size)
  for (a in seq_len(m)) {
    share <- cumsum(if (a == 1L) w else w * nearest)
    chosen[a] <- if (share[size] > 0) {
      min(findInterval(uniforms[a] * share[size], share) + 1L, size)
    } else {
      setdiff(seq_len(size), chosen[seq_len(a - 1L)])[1L]
    }
    rho <- store_rho(part$store, rep(chosen[a], size), seq_len(size))
    nearest <- pmin(nearest, pmax(rho, 0))
    nearest[chosen[a]] <- 0
  }
  sort(rows[chosen])
}

# ---- the map to features ----

# landmarks: row numbers (integer) or points (matrix). The order of the pivoted Cholesky
# factor; pivots below 1e-10 of the largest are dropped.
landmark_map <- function(problem, landmarks, call = rlang::caller_env()) {
  store <- problem$store
  m <- NROW(landmarks)
  check_memory(40 * as.numeric(m)^2, m, "the values among landmarks", "Use fewer landmarks.", call)
  if (is.integer(landmarks)) landmarks <- store_landmarks(store, landmarks)
  map <- list(
    landmarks = landmarks, semimetric = problem$semimetric, exponent = problem$exponent,
    n = problem$n, names = if (is.null(problem$points)) problem$names, unit = problem$unit,
    # the store without its observations; it holds the semimetric
    store = store_detach(store)
  )
  A <- store_among(store, landmarks)
  means <- rowMeans(A)
  offset <- means - mean(means)
  centred <- A - means
  check_interrupt()
  centred <- t(t(centred) - offset)
  check_interrupt()
  centred <- (centred + t(centred)) / 2
  warn_landmarks(problem, centred)
  factor <- guarded_cholesky(centred)
  used <- seq_len(factor$rank)
  map$landmarks <- if (is.matrix(landmarks)) landmarks[factor$order, , drop = FALSE] else landmarks[factor$order]
  if (inherits(store, "kgroups_rows")) map$rows <- store_subset(store, map$landmarks)
  map$m <- as.numeric(length(factor$order))
  map$rank <- factor$rank
  map$offset <- offset[factor$order[used]]
  # features of unit size, so that their units do not overflow
  map$scale <- factor$exponent
  map$constants <- c(mean(means), 4^factor$exponent)
  map$bounded <- known_negative_type(problem)
  map$short <- problem$n * feature_width(map) > most_doubles
  map$T <- matrix(.Call(ffi_lowrank_inverse, factor$R, as.numeric(factor$rank), 2^-factor$exponent), factor$rank)
  map
}

# Features hold only the part of a kernel that is positive.
warn_landmarks <- function(problem, centred, most = 400L) {
  if (known_negative_type(problem)) {
    return(invisible())
  }
  some <- seq_len(min(nrow(centred), most))
  values <- dense_eigenvalues(centred[some, some, drop = FALSE])
  if (values[length(some)] >= -1e-10 * max(values[1L], 0)) {
    return(invisible())
  }
  smallest <- values[length(some)]
  size <- violation_text(smallest, values[1L])
  what <- if (has_kernel(problem)) "Gram matrix" else "semimetric"
  kg_warn(
    c(
      "The {what} is not of negative type on the landmarks: {size}.",
      "i" = "The features hold its positive part only; `polish = TRUE` finishes with the exact method.",
      "i" = "See `is_negative_type()`."
    ),
    "negative_type",
    once = paste("landmarks", what, violation_size(-smallest / values[1L]))
  )
}

guarded_cholesky <- function(A) {
  m <- nrow(A)
  largest <- max(diag(A), 0)
  if (largest == 0 || m == 1L) {
    return(list(rank = 0L, order = seq_len(m), R = numeric(), exponent = 0))
  }
  exponent <- floor(log2(largest) / 2)
  # ends where no pivot is above the tolerance
  factor <- .Call(ffi_cholesky, A, as.numeric(m), 1e-10 * largest)
  c(factor, list(rank = nrow(factor$R), exponent = exponent))
}

# The features of a problem as a problem of their own: W is the same except for the part that the landmarks
# do not span.
features_problem <- function(problem, features) {
  out <- problem
  out$store <- new_features_store(features$z, problem$n)
  out["points"] <- list(NULL)
  out["semimetric"] <- list(NULL)
  out
}

# ---- the argument ----

#' Landmarks for large data
#'
#' `kgroups(x, k, approx = nystroem(m))` replaces the feature space of the semimetric by
#' its projection on `m` landmarks (the Nystroem method). Observations get explicit features
#' with at most `m - 1` coordinates, and Hartigan's method runs on those: \eqn{O(n m)}{O(n m)}
#' memory and no pass over all pairs.
#'
#' @param m The number of landmarks, at least 2; all observations if there are fewer.
#'   Default 256. May be left out where `landmarks` gives them.
#' @param landmarks How they are chosen: `"uniform"` (default), each observation of positive
#'   weight alike; `"kmeans++"`, far from one another: each next one is drawn with probability
#'   proportional to weight times the semimetric to the nearest so far, among a sample of
#'   `max(5000, 10 m)` observations, which finds small distant clusters more often
#'   (`bench/landmarks.md`). Or given: row numbers, or (for points) a matrix or data frame, one
#'   landmark per row, with the columns of the data; it becomes points as they do.
#' @param polish `TRUE` finishes with the exact method from the labels found: \eqn{O(n^2
#'   d)}{O(n^2 d)} time, so for n up to some 100000. Default `FALSE`.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `kgroups_nystroem` for the argument `approx` of [kgroups()]. The fit
#'   has these components beside the usual ones:
#'   \item{approx}{a list: `m` and `rank` (features in use), `landmarks` (how they were
#'     chosen), `W`, `W_features` (of the features alone, a lower bound), `W_estimate` and
#'     `W_se` (the exact W of the partition, estimated from `pairs` random pairs, and its
#'     standard error), `error` and `error_se` (the same relative to it), `polished`}
#'   \item{W_exact}{the exact W with `polish = TRUE`, else `NULL`;
#'     `energy_statistics(x, fit$cluster)$W` computes it for any fit}
#'
#'   `W`, `within`, `S` and `total` are approximate, and the print reports so, with the
#'   estimated error; with `polish = TRUE` they are exact.
#'
#' @section Algorithm:
#' With landmarks \eqn{z_1, \dots, z_m}{z_1..z_m}, \eqn{B = -\rho/2}{B = -rho/2} (or the Gram
#' matrix) and
#' \deqn{c_a(x) = B(x, z_a) - \frac1m \sum_b B(x, z_b) - \frac1m \sum_b B(z_b, z_a) + \frac1{m^2} \sum_{b, c} B(z_b,
#' z_c)}{c_a(x) = B(x, z_a) - mean_b B(x, z_b) - mean_b B(z_b, z_a) + mean_bc B(z_b, z_c)} (so that no base point is
#' needed) the features are \eqn{\phi(x) = L^{-1} c(x)}{phi(x) = L^-1 c(x)}, with \eqn{L L^T}{LL'} the Cholesky
#' factorisation with pivoting of the landmarks' own matrix; pivots below \eqn{10^{-10}}{1e-10} of the largest are
#' dropped. Above a million values they are rounded to 16 bits each, relative to the largest of the observation,
#' \eqn{2 m}{2 m} bytes for each observation; sums and decisions are in double.
#'
#' The part of an observation that the landmarks do not span, \eqn{r(x)^2 = K(x, x) -
#' |\phi(x)|^2}{r(x)^2 = K(x, x) - |phi(x)|^2}, adds \eqn{\sum_i w_i r(x_i)^2}{sum_i w_i
#' r(x_i)^2} to W whatever the partition. With it the W reported is an upper bound of the exact
#' W of the same partition, without it a lower bound, if the semimetric is of negative type; if
#' it is not, the features hold its positive part only, and a warning reports so.
#'
#' Above 10,000 observations the search of [kgroups()] clusters a sample of 5,000 (see [kgroups-search]). Its result is
#' the start of Hartigan's method on all observations. Bounds on the distances to the means skip most observations once
#' the means have converged.
#'
#' The error is estimated from random pairs of observations within the clusters. The print has the estimate and its
#' standard error, in per cent of the exact W.
#'
#' @section Choosing m:
#' The error falls slowly for rough semimetrics (small \eqn{\alpha}{alpha} of [rho_power()],
#' small `sigma`) and in many dimensions, fast for smooth ones. Most of it is common to all good partitions, so the
#' exact W of the partition found is much nearer to that of the exact fit than the error of W suggests. Compare the
#' labels of two calls with different landmarks. If they differ more than you accept, double `m` or set `polish = TRUE`.
#'
#' @section Complexity: Time \eqn{O(n m (d + m))}{O(n m (d + m))} for the features and \eqn{O(n m k)}{O(n m k)} for the
#'   first sweeps, less for the later ones; memory \eqn{2 n m}{2 n m} bytes above a million values. Up to about 20,000
#'   observations in few columns the exact fit takes no longer; above 2000 it replaces the landmarks where `k * m` is
#'   above `n * (d + 4) / 2`. Data that do not fit: [row_blocks()].
#' @references
#' Williams CKI, Seeger M (2001). "Using the Nyström Method to Speed Up Kernel Machines."
#' *Advances in Neural Information Processing Systems*, 13, 682-688.
#'
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#' @family clustering
#' @examples
#' # 50 landmarks in place of all pairs of 2000 points
#' set.seed(1)
#' x <- rbind(matrix(rnorm(2000), ncol = 2), matrix(rnorm(2000, 4), ncol = 2))
#' fit <- kgroups(x, 2, approx = nystroem(50))
#' fit
#' predict(fit, rbind(c(0, 0), c(4, 4)))
#'
#' # W of its labels from all pairs, and W after a last pass over them
#' energy_statistics(x, fit$cluster)$W
#' kgroups(x, 2, approx = nystroem(50, polish = TRUE))$W
#' @export
nystroem <- function(m = 256, landmarks = c("uniform", "kmeans++"), polish = FALSE, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "nystroem")
  polish <- check_flag(polish, "polish")
  check_count(m, "m", 2, 1e5)
  points <- is.data.frame(landmarks) || is.matrix(landmarks) && is.numeric(landmarks)
  if (points || is.numeric(landmarks)) {
    # columns are checked when the data are known
    if (points && anyNA(landmarks)) abort_missing_landmarks(landmarks)
    number <- if (points) read_table(landmarks, "landmarks")$n else length(landmarks)
    if (number < 2L || (!missing(m) && !identical(as.numeric(m), as.numeric(number)))) {
      wanted <- if (missing(m)) "at least 2" else "the m"
      abort_input(
        "landmarks", rlang::current_env(), "`landmarks` must give {wanted} landmarks.",
        "You supplied {number}.",
        "Leave `m` out where `landmarks` gives them."
      )
    }
    m <- number
  } else {
    landmarks <- check_choice(landmarks, "landmarks", c("uniform", "kmeans++"))
  }
  structure(list(m = check_count(m, "m", 2, 1e5), landmarks = landmarks, polish = polish), class = "kgroups_nystroem")
}

abort_missing_landmarks <- function(landmarks, call = rlang::caller_env()) {
  missing <- sum(is.na(as.matrix(landmarks)))
  abort_input(
    "landmarks", call, "`landmarks` must have no missing values.",
    "{missing} of its values {?is/are} missing.",
    "Drop these rows, or give row numbers of the data."
  )
}

#' @export
format.kgroups_nystroem <- function(x, ...) {
  how <- if (is.character(x$landmarks)) x$landmarks else "given"
  sprintf("Nystroem, %d landmarks (%s)%s", x$m, how, if (x$polish) ", exact finish" else "")
}

#' @export
print.kgroups_nystroem <- function(x, ...) {
  cat("Approximation: ", format(x, ...), "\n", sep = "")
  invisible(x)
}

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
