# Landmark (Nystroem) features. With landmarks z_1..z_m and B centred on their mean,
# phi(x) = L^-1 c(x), c_a(x) = B(x, z_a) centred, L the Cholesky factor of the landmarks' own
# centred matrix: explicit features whose inner products are those of the feature space
# projected on the landmarks' span. Kept in single precision in a raw vector.

# A problem for landmarks: as any other, but the user's function is not evaluated at all
# pairs of points.
landmark_problem <- function(x, semimetric, weights, call) {
  own <- inherits(semimetric, "kgroups_semimetric") && semimetric$family == "function"
  if (!own || inherits(x, "dist") || is_gram(x)) {
    return(as_problem(x, semimetric, weights, call = call))
  }
  points <- as_problem(x, rho_power(1), weights, call = call)
  few <- points$points[seq_len(min(points$n, 5L)), , drop = FALSE]
  packed_function_values(semimetric, few, call)
  points$kind <- "function"
  points$semimetric <- semimetric
  points$unit <- 1
  points$exponent <- 0
  points$store[[2L]] <- points$points
  points
}

# Values of B, rows by landmarks, in the units of the problem.
landmark_values <- function(map, data, call = rlang::caller_env()) {
  if (map$kind == "function") {
    return(-0.5 * evaluate_function(map$semimetric, data, map$landmarks, call = call))
  }
  .Call(ffi_landmark_values, points_store(data, map$code), map$landmarks, 1, as.numeric(nrow(data)))
}

# ---- choosing landmarks: row numbers, or points ----

choose_landmarks <- function(problem, approx, call) {
  given <- approx$landmarks
  if (is.matrix(given)) {
    return(given_points(problem, given, call))
  }
  if (is.numeric(given)) {
    return(given_rows(problem, given, call))
  }
  inside <- which(problem$w > 0)
  m <- min(approx$m, length(inside))
  if (m == length(inside)) {
    return(inside)
  }
  if (given == "uniform") {
    return(sort(inside[sample.int(length(inside), m)]))
  }
  spread_landmarks(problem, inside, m)
}

given_points <- function(problem, given, call) {
  if (is.null(problem$points)) {
    kg_abort(
      c(
        "Landmarks for {if (problem$form == 'gram') 'a Gram matrix' else 'dissimilarities'} must be row numbers.",
        "x" = "You supplied {describe(given)}.",
        "i" = "Name some of the observations, for example {.code landmarks = sample({problem$n}, 100)}."
      ),
      "landmarks",
      call = call
    )
  }
  points <- check_new_points(given, problem$points, "landmarks", call)
  times_power_of_two(points, -problem$exponent)
}

given_rows <- function(problem, given, call) {
  if (anyNA(given) || any(given != round(given)) || any(given < 1 | given > problem$n) ||
    anyDuplicated(given)) {
    came <- describe(given)
    kg_abort(
      c(
        "Row numbers in {.arg landmarks} must be distinct whole numbers from 1 to {problem$n}.",
        "x" = "You supplied {came}.",
        "i" = "Points of your own go in as a matrix, one landmark a row."
      ),
      "landmarks",
      call = call
    )
  }
  as.integer(given)
}

# k-means++ draws among a sample: each next landmark with probability ~ w rho(x, nearest).
spread_landmarks <- function(problem, inside, m) {
  size <- min(length(inside), max(5000, 10 * m))
  rows <- sort(inside[sample.int(length(inside), size)])
  w <- problem$w[rows]
  part <- landmark_subset(problem, rows)
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
    rho <- if (part$kind == "function") {
      data <- part$points
      evaluate_function(part$semimetric, data, data[chosen[a], , drop = FALSE])[, 1L]
    } else {
      B <- .Call(ffi_landmark_values, c_store(part), as.integer(chosen[a]), 1, as.numeric(size))[, 1L]
      self <- core_self(part)
      self + self[chosen[a]] - 2 * B
    }
    nearest <- pmin(nearest, pmax(rho, 0))
    nearest[chosen[a]] <- 0
  }
  sort(rows[chosen])
}

landmark_subset <- function(problem, rows) {
  if (problem$kind == "function") {
    problem$points <- problem$points[rows, , drop = FALSE]
    return(problem)
  }
  subset_problem(problem, rows)
}

# ---- the map to features ----

# landmarks: row numbers (integer) or points (matrix). The order of the pivoted Cholesky
# factor; pivots below 1e-10 of the largest are dropped.
landmark_map <- function(problem, landmarks, call = rlang::caller_env()) {
  points <- problem$kind %in% c("points", "function")
  if (points && is.integer(landmarks)) {
    data <- if (problem$kind == "points") problem$store[[2L]] else problem$points
    landmarks <- data[landmarks, , drop = FALSE]
  }
  map <- list(
    kind = problem$kind, form = problem$form, code = problem$store[[5L]],
    landmarks = landmarks, semimetric = problem$semimetric, exponent = problem$exponent,
    columns = if (points) problem$points[0L, , drop = FALSE], n = problem$n,
    unit = problem$unit
  )
  A <- if (points) {
    landmark_values(map, landmarks, call)
  } else {
    among_landmarks(problem, landmarks)
  }
  means <- rowMeans(A)
  offset <- means - mean(means)
  centred <- A - means
  centred <- t(t(centred) - offset)
  centred <- (centred + t(centred)) / 2
  warn_landmarks(problem, centred)
  factor <- guarded_cholesky(centred)
  used <- seq_len(factor$rank)
  map$landmarks <- if (points) landmarks[factor$order, , drop = FALSE] else landmarks[factor$order]
  if (problem$form == "gram") map$half <- half_diagonal(problem$store[[2L]])[map$landmarks]
  map$m <- length(factor$order)
  map$rank <- factor$rank
  map$offset <- offset[factor$order[used]]
  # features of unit size, so that single precision cannot overflow
  map$scale <- factor$exponent
  map$constants <- c(mean(means), 4^factor$exponent)
  map$T <- matrix(.Call(
    ffi_lowrank_inverse, factor$R, as.numeric(factor$rank), 2^-factor$exponent
  ), factor$rank)
  map
}

# Features hold only the part of a kernel that is positive.
warn_landmarks <- function(problem, centred, most = 400L) {
  known <- problem$form == "rho" && problem$kind == "points" &&
    problem$semimetric$family %in% c("power", "exponential", "gaussian")
  if (known) {
    return(invisible())
  }
  some <- seq_len(min(nrow(centred), most))
  values <- eigen(centred[some, some], symmetric = TRUE, only.values = TRUE)$values
  if (values[length(some)] >= -1e-10 * max(values[1L], 0)) {
    return(invisible())
  }
  share <- format(-values[length(some)] / values[1L], digits = 2)
  what <- if (problem$form == "gram") "Gram matrix" else "semimetric"
  kg_warn(
    c(
      "The {what} is not of negative type on the landmarks: smallest eigenvalue {share} of the largest, below 0.",
      "i" = "The features hold its positive part only; {.code polish = TRUE} finishes with the exact method.",
      "i" = "See {.fn is_negative_type}."
    ),
    "negative_type"
  )
}

among_landmarks <- function(problem, rows) {
  if (problem$kind == "dense") {
    part <- unname(problem$store[[2L]][rows, rows, drop = FALSE])
    half <- if (problem$form == "gram") half_diagonal(part) else 0
    return(part - outer(half, half, "+"))
  }
  out <- .Call(ffi_landmark_values, c_store(problem), rows, 1, as.numeric(problem$n))
  unname(out[rows, , drop = FALSE])
}

guarded_cholesky <- function(A) {
  m <- nrow(A)
  largest <- max(diag(A), 0)
  if (largest == 0 || m == 1L) {
    return(list(rank = 0L, order = seq_len(m), R = numeric(), exponent = 0))
  }
  exponent <- floor(log2(largest) / 2)
  # LAPACK's dpstrf: stops where no pivot is above the tolerance
  R <- suppressWarnings(chol(A, pivot = TRUE, tol = 1e-10 * largest))
  rank <- attr(R, "rank")
  used <- seq_len(rank)
  list(rank = rank, order = attr(R, "pivot"), R = R[used, used], exponent = exponent)
}

# ---- features ----

# Features of all observations of a problem: `z`, a raw vector, and `rest`, what of the
# squared norms the landmarks do not span.
problem_features <- function(problem, map, call = rlang::caller_env()) {
  if (problem$kind == "function") {
    return(point_features(map, problem$points, call))
  }
  .Call(ffi_lowrank_features, c_store(problem), map$landmarks, c_map(map))
}

# Features of points (in the scale of the map).
point_features <- function(map, data, call = rlang::caller_env()) {
  if (map$kind == "function") {
    step <- max(1L, floor(2^21 / map$m))
    parts <- lapply(seq(1L, nrow(data), by = step), function(at) {
      rows <- seq.int(at, min(at + step - 1L, nrow(data)))
      value_features(map, landmark_values(map, data[rows, , drop = FALSE], call))
    })
    return(list(
      z = unlist(lapply(parts, `[[`, "z")), rest = unlist(lapply(parts, `[[`, "rest"))
    ))
  }
  .Call(ffi_lowrank_features, points_store(data, map$code), map$landmarks, c_map(map))
}

# Features from the values of B against the landmarks.
value_features <- function(map, values, self = NULL) {
  .Call(ffi_lowrank_convert, values, self, c_map(map))
}

c_map <- function(map) {
  list(m = as.numeric(map$m), T = map$T, offset = map$offset, constants = map$constants)
}

feature_width <- function(map) 16 * max(1, ceiling(map$rank / 16))

take_features <- function(z, n, rows, doubles = FALSE) {
  .Call(ffi_features_take, features_store(z, n), as.integer(rows), as.numeric(doubles))
}

# Features as a problem of squared Euclidean distances: W is the same.
feature_problem <- function(z, n, rows, w) {
  x <- t(take_features(z, n, rows, doubles = TRUE))
  new_problem(
    "points", "rho", x, length(rows), ncol(x), semimetric_code(rho_power(2)), NULL, w,
    points = x, semimetric = rho_power(2)
  )
}
