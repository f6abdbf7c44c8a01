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
  m <- min(approx$m, length(inside))
  if (m == length(inside)) {
    return(inside)
  }
  if (given == "uniform") {
    return(sort(inside[sample.int(length(inside), m)]))
  }
  kmeanspp_landmarks(problem, inside, m)
}

given_points <- function(problem, given, call) {
  if (is.null(problem$points)) {
    abort_input(
      "landmarks", call,
      "Landmarks for {if (has_kernel(problem)) 'a Gram matrix' else 'dissimilarities'} must be row numbers.",
      "You supplied {value_text(given)}.",
      "Name some of the observations, for example {.code landmarks = sample({problem$n}, 100)}."
    )
  }
  points <- check_new_points(given, problem, "landmarks", call)
  new_coordinates(problem, points, call, "landmarks")
}

given_rows <- function(problem, given, call) {
  if (anyNA(given) || any(given != round(given)) || any(given < 1 | given > problem$n) ||
    anyDuplicated(given)) {
    abort_input(
      "landmarks", call, "Row numbers in {.arg landmarks} must be distinct whole numbers from 1 to {problem$n}.",
      "You supplied {value_text(given)}.",
      "Points of your own go in as a matrix, one landmark a row."
    )
  }
  as.integer(given)
}

# k-means++ draws among a sample: each next landmark with probability ~ w rho(x, nearest).
kmeanspp_landmarks <- function(problem, inside, m) {
  size <- min(length(inside), max(5000, 10 * m))
  rows <- sort(inside[sample.int(length(inside), size)])
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
      "i" = "The features hold its positive part only; {.code polish = TRUE} finishes with the exact method.",
      "i" = "See {.fn is_negative_type}."
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
