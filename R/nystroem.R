#' Landmarks: clustering beyond what all pairs allow
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
#'   `max(5000, 10 m)` observations. Or given: row numbers, or (for points) a matrix or data
#'   frame, one landmark a row.
#' @param polish `TRUE` finishes with the exact method from the labels found: \eqn{O(n^2
#'   d)}{O(n^2 d)} time, so for n up to some 100000. Default `FALSE`.
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
#'   `W`, `within`, `S` and `total` are approximate, and the print says so, with the
#'   estimated error; with `polish = TRUE` they are exact.
#'
#' @section Algorithm:
#' With landmarks \eqn{z_1, \dots, z_m}{z_1..z_m}, \eqn{B = -\rho/2}{B = -rho/2} (or the Gram
#' matrix) and
#' \deqn{c_a(x) = B(x, z_a) - \frac1m \sum_b B(x, z_b) - \frac1m \sum_b B(z_b, z_a) +
#' \frac1{m^2} \sum_{b, c} B(z_b, z_c)}{c_a(x) = B(x, z_a) - mean_b B(x, z_b) - mean_b B(z_b,
#' z_a) + mean_bc B(z_b, z_c)}
#' (so that no base point is needed) the features are \eqn{\phi(x) = L^{-1} c(x)}{phi(x) = L^-1
#' c(x)}, with \eqn{L L^T}{LL'} the Cholesky factorisation with pivoting of the landmarks' own
#' matrix; pivots below \eqn{10^{-10}}{1e-10} of the largest are dropped. They are kept in single
#' precision, \eqn{4 m}{4 m} bytes an observation; decisions are made in double.
#'
#' What of an observation the landmarks do not span, \eqn{r(x)^2 = K(x, x) -
#' |\phi(x)|^2}{r(x)^2 = K(x, x) - |phi(x)|^2}, adds \eqn{\sum_i w_i r(x_i)^2}{sum_i w_i
#' r(x_i)^2} to W whatever the partition. With it the W reported is an upper bound of the exact
#' W of the same partition, without it a lower bound, if the semimetric is of negative type; if
#' it is not, the features hold its positive part only, and a warning says so.
#'
#' Several samples are clustered by the search of [kgroups()], each result is improved on a
#' larger sample, and the best is the start for Hartigan's method on all observations. Bounds on
#' the distances to the means let most observations pass unseen once the means have settled.
#'
#' The error is estimated from random pairs of observations within the clusters.
#'
#' @section Choosing m:
#' The error falls slowly for rough semimetrics (small \eqn{\alpha}{alpha} of [rho_power()],
#' small `sigma`) and in many dimensions, fast for smooth ones. The labels are often much
#' better than the error of W suggests, as most of it is common to all good partitions. Compare the
#' labels of two calls with different landmarks; if they differ more than you like, double
#' `m` or set `polish = TRUE`.
#'
#' @section Complexity: Time \eqn{O(n m (d + m))}{O(n m (d + m))} for the features and \eqn{O(n
#'   m k)}{O(n m k)} for the first sweeps, less for the later ones; memory \eqn{4 n
#'   m}{4 n m} bytes. Data that do not fit: [chunks()].
#' @section Errors: `kg_error_m`, `kg_error_landmarks`, `kg_error_approx` (an argument of
#'   `kgroups()` that does not go with landmarks), `kg_error_memory`.
#'
#' @references
#' Williams CKI, Seeger M (2001). "Using the Nystroem Method to Speed Up Kernel Machines."
#' *Advances in Neural Information Processing Systems*, 13, 682-688.
#'
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#' @family clustering
#' @examples
#' set.seed(1)
#' x <- rbind(matrix(rnorm(2000), ncol = 2), matrix(rnorm(2000, 4), ncol = 2))
#' fit <- kgroups(x, 2, approx = nystroem(50))
#' fit
#' energy_statistics(x, fit$cluster)$W
#' predict(fit, rbind(c(0, 0), c(4, 4)))
#'
#' # exact in the end
#' kgroups(x, 2, approx = nystroem(50, polish = TRUE))$W
#' @export
nystroem <- function(m = 256, landmarks = c("uniform", "kmeans++"), polish = FALSE) {
  polish <- check_flag(polish, "polish")
  check_count(m, "m", 2, 1e5)
  if (is.data.frame(landmarks)) landmarks <- numeric_columns(landmarks, "landmarks", environment())
  if (is.numeric(landmarks)) {
    number <- if (is.matrix(landmarks)) nrow(landmarks) else length(landmarks)
    if (is.matrix(landmarks)) landmarks <- check_points(landmarks, "landmarks")
    if (number < 2L || (!missing(m) && !identical(as.numeric(m), as.numeric(number)))) {
      kg_abort(
        c(
          "{.arg landmarks} must give {if (missing(m)) 'at least 2' else 'the m'} landmarks.",
          "x" = "You supplied {number}.",
          "i" = "Leave {.arg m} out where {.arg landmarks} gives them."
        ),
        "landmarks"
      )
    }
    m <- number
  } else {
    landmarks <- check_choice(landmarks, "landmarks", c("uniform", "kmeans++"))
  }
  structure(
    list(m = check_count(m, "m", 2, 1e5), landmarks = landmarks, polish = polish),
    class = "kgroups_nystroem"
  )
}

#' @export
format.kgroups_nystroem <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "nystroem")
  how <- if (is.character(x$landmarks)) x$landmarks else "given"
  sprintf("Nystroem, %d landmarks (%s)%s", x$m, how, if (x$polish) ", exact finish" else "")
}

#' @export
print.kgroups_nystroem <- function(x, ...) {
  cat("Approximation: ", format(x, ...), "\n", sep = "")
  invisible(x)
}

check_approx <- function(approx, method, init, call) {
  if (!inherits(approx, "kgroups_nystroem")) {
    kg_abort(
      c(
        "{.arg approx} must be NULL or {.fn nystroem}.",
        "x" = "You supplied {describe(approx)}.",
        "i" = "For example {.code approx = nystroem(256)}."
      ),
      "approx",
      call = call
    )
  }
  if (method != "hartigan") {
    kg_abort(
      c(
        "Landmarks go with {.code method = \"hartigan\"}.",
        "x" = "You supplied {.val {method}}.",
        "i" = "Leave {.arg approx} or {.arg method} out."
      ),
      "approx",
      call = call
    )
  }
  if (identical(init, "spectral")) {
    kg_abort(
      c(
        "{.arg init} with landmarks must be NULL, {.val kmeans++}, {.val random} or labels.",
        "x" = "You supplied {.val spectral}.",
        "i" = "Leave {.arg init} out for the search."
      ),
      "approx",
      call = call
    )
  }
  approx
}

# The way of kgroups.default() when `approx` is given.
kgroups_landmarks <- function(call, x, k, semimetric, weights, init, nstart, iter.max, method,
                              approx, keep.data, env) {
  approx <- check_approx(approx, method, init, env)
  problem <- landmark_problem(x, semimetric, weights, env)
  k <- check_k(k, problem, env)
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6, call = env)
  init <- check_init(init, problem, k, env, setdiff(start_names, "sample"))
  kind <- init_name(init)
  landmarks <- choose_landmarks(problem, approx, env)
  map <- landmark_map(problem, landmarks, env)
  check_memory(
    (4 * feature_width(map) + 40) * problem$n, problem$n, "their landmark features",
    hint = cli::format_inline("Use fewer landmarks, or {.fn chunks} to leave the data on disk."), call = env
  )
  work <- as.numeric(problem$n) * map$m^2
  progress_step(sprintf("Features of %d observations", problem$n), work)
  features <- problem_features(problem, map, env)
  progress_step("Search and descent on the features", work)
  out <- solve_features(features$z, problem, k, init, nstart, iter.max)
  warn_features(out, iter.max)
  out <- with_rest(out, features$rest, problem$w, k)
  pairs <- random_pairs(out$cluster, problem$w, k, if (map$kind == "function") 500 else 10000)
  rho <- problem_rho(problem, pairs) / 4^map$scale
  gap <- feature_gap(rho, features, problem$n, pairs)
  found <- approximation(
    approx, map, out, gap, sum(problem$w), problem$unit * problem$w_unit * 4^map$scale
  )
  weights <- if (!is.null(weights)) as.numeric(weights)
  if (approx$polish) {
    if (problem$kind == "function") problem <- as_problem(x, semimetric, weights, call = env)
    return(polished(call, weights, problem, k, out, iter.max, method, kind, found, keep.data, env))
  }
  scaled <- problem
  scaled$unit <- problem$unit * 4^map$scale
  fit <- new_kgroups_fit(
    call, scaled, k, out,
    method = method, init = kind, weights = weights, keep.data = FALSE, error_call = env
  )
  fit$approx <- found
  fit["W_exact"] <- list(NULL)
  if (keep.data) {
    first <- first_appearance(out$cluster, k)
    fit$data <- list(problem = problem, map = map, means = out$means[, first, drop = FALSE])
  }
  fit
}

polished <- function(call, weights, problem, k, out, iter.max, method, kind, found, keep.data,
                     env) {
  check_fit_memory(problem$n, k, 1, env)
  exact <- solve_named(problem, k, fill_clusters(out$cluster, problem$w, k), 1, method, iter.max)
  warn_unfinished(exact, iter.max, problem, method)
  fit <- new_kgroups_fit(
    call, problem, k, exact,
    method = method, init = kind, weights = weights, keep.data = keep.data, error_call = env
  )
  found$polished <- TRUE
  fit$approx <- found
  fit$W_exact <- fit$W
  fit
}

# Weighted means of the rows of x, width x k.
means_by_label <- function(x, w, labels, k) {
  groups <- factor(labels, seq_len(k))
  sums <- matrix(0, k, ncol(x))
  at <- sort(unique(labels))
  sums[at, ] <- rowsum(w * x, labels, reorder = TRUE)
  s <- as.vector(tapply(w, groups, sum, default = 0))
  t(sums / pmax(s, .Machine$double.xmin))
}

# ---- how far W of the features is from the exact one ----

# Pairs of observations as W weighs them: x by weight, y by weight in the cluster of x.
random_pairs <- function(cluster, w, k, count) {
  members <- split(seq_along(cluster), factor(cluster, seq_len(k)))
  s <- vapply(members, function(rows) sum(w[rows]), 0)
  from <- tabulate(sample.int(k, count, replace = TRUE, prob = s), k)
  draws <- lapply(seq_len(k), function(l) {
    rows <- members[[l]]
    if (from[l] == 0) {
      return(NULL)
    }
    share <- cumsum(w[rows])
    pick <- function() {
      at <- findInterval(stats::runif(from[l]) * share[length(rows)], share) + 1L
      rows[pmin(at, length(rows))]
    }
    cbind(pick(), pick())
  })
  do.call(rbind, draws)
}

# rho at pairs of rows, in the units of the problem.
problem_rho <- function(problem, pairs) {
  i <- pairs[, 1L]
  j <- pairs[, 2L]
  data <- problem$store[[2L]]
  n <- problem$n
  switch(problem$kind,
    points = point_rho(problem, data[i, , drop = FALSE], data[j, , drop = FALSE]),
    "function" = point_rho(
      problem, problem$points[i, , drop = FALSE], problem$points[j, , drop = FALSE]
    ),
    packed = {
      low <- pmin(i, j)
      high <- pmax(i, j)
      d <- numeric(length(i))
      apart <- low != high
      d[apart] <- data[(n * (low - 1) - low * (low - 1) / 2 + high - low)[apart]]
      -2 * .Call(ffi_from_distances, d, problem$store[[5L]])
    },
    dense = data[cbind(i, i)] + data[cbind(j, j)] - 2 * data[pairs]
  )
}

# rho between the rows of two matrices of points of the same size.
point_rho <- function(map, x, y) {
  if (map$kind != "function") {
    code <- if (is.null(map$code)) map$store[[5L]] else map$code
    return(-2 * .Call(ffi_from_distances, sqrt(rowSums((x - y)^2)), code))
  }
  vapply(seq_len(nrow(x)), function(at) {
    evaluate_function(map$semimetric, x[at, , drop = FALSE], y[at, , drop = FALSE])[1L]
  }, 0)
}

# <r_x, r_y> at the pairs, r the part of phi that the landmarks do not span: W less the
# exact W is its weighted mean times the sum of weights.
feature_gap <- function(rho, features, n, pairs) {
  a <- take_features(features$z, n, pairs[, 1L], doubles = TRUE)
  b <- take_features(features$z, n, pairs[, 2L], doubles = TRUE)
  rest <- features$rest[pairs[, 1L]] + features$rest[pairs[, 2L]]
  (rest - (rho - colSums((a - b)^2))) / 2
}

# sum_i w_i r_i^2 goes to W: it is the same for every partition.
with_rest <- function(out, rest, w, k) {
  own <- vapply(split(w * rest, factor(out$cluster, seq_len(k))), sum, 0)
  out$features <- sum(out$cost)
  out$cost <- out$cost + unname(own)
  out$total <- out$total + sum(own)
  out$objectives <- out$objectives + sum(own)
  out
}

approximation <- function(approx, map, out, gap, weight, unit) {
  W <- sum(out$cost)
  estimate <- W - weight * mean(gap)
  se <- weight * stats::sd(gap) / sqrt(length(gap))
  list(
    m = map$m, rank = map$rank,
    landmarks = if (is.character(approx$landmarks)) approx$landmarks else "given",
    W = W * unit, W_features = out$features * unit, W_estimate = estimate * unit,
    W_se = se * unit, error = if (W == estimate) 0 else (W - estimate) / abs(estimate),
    error_se = if (se == 0) 0 else se / abs(estimate), pairs = length(gap), polished = FALSE
  )
}

# The lines of the print that speak of the approximation.
approximation_text <- function(approx) {
  percent <- function(value) format(round(100 * value, 4), digits = 2)
  c(
    sprintf(
      "Landmarks: %d (%s), %d features%s", approx$m, approx$landmarks, approx$rank,
      if (approx$polished) "; finished exactly: W is exact" else ""
    ),
    if (!approx$polished) {
      sprintf(
        "W is approximate: about %s %% (+- %s) above the exact W of this partition (%d pairs)",
        percent(approx$error), percent(approx$error_se), approx$pairs
      )
    }
  )
}

# ---- new observations ----

# n x k squared distances to the means, in true units.
landmark_distances <- function(object, kept, newdata, diag, type, call = rlang::caller_env()) {
  map <- kept$map
  problem <- kept$problem
  if (is.null(newdata)) {
    if (is.null(problem)) {
      kg_abort(
        c(
          "{.arg newdata} is needed: the data were left where they are.",
          "x" = "The fit comes from {.fn chunks}.",
          "i" = "Pass the rows whose distances you want, for example a block."
        ),
        "newdata",
        call = call
      )
    }
    features <- problem_features(problem, map, call)
    n <- problem$n
    names <- problem$names
  } else if (map$kind %in% c("points", "function")) {
    newdata <- check_new_points(newdata, map$columns, call = call)
    features <- point_features(map, scaled_new(newdata, map$exponent, call), call)
    n <- nrow(newdata)
    names <- rownames(newdata)
  } else {
    newdata <- check_cross_matrix(newdata, problem, call)
    values <- scaled_new(newdata[, map$landmarks, drop = FALSE], map$exponent, call)
    if (map$form == "rho") {
      values <- .Call(ffi_from_distances, as.vector(values), map$code)
    }
    self <- if (map$form == "gram") {
      times_power_of_two(check_diag(diag, nrow(newdata), type, call), -map$exponent)
    }
    features <- value_features(map, as.double(values), self)
    n <- nrow(newdata)
    names <- rownames(newdata)
  }
  d2 <- .Call(ffi_lowrank_distances, features$z, as.numeric(n), kept$means, as.numeric(object$k))
  if (type != "class") d2 <- d2 + features$rest
  unit <- 4^map$scale * map$unit
  dimnames(d2) <- list(names, seq_len(object$k))
  d2 * unit
}
