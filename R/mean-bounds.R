# Labels of many new points without most of the pairs: bounds on the distances to the means decide most points, the
# exact distances the others.
#
# With mu_l the distribution of cluster l less weights a_l on landmarks z_j, of sum 1, E_l(x) = sum mu_l B(x, .) has
# |E_l(x) - E_l(z_j)| <= sqrt(rho(x, z_j)) |mu_l|, by Cauchy-Schwarz in the feature space of a semimetric of negative
# type.

# landmarks: the most; rows: of the fit, a landmark; pairs: below, the exact rule is fast; rounding: of a sum, a unit.
bound_defaults <- list(landmarks = 1000, rows = 10, pairs = 4e8, rounding = 1e-11)

# Do bounds save time for m new points? A cluster without weight has no mean.
bounds_pay <- function(kept, m) {
  problem <- kept$problem
  is.null(kept$map) && all(kept$s > 0) && inherits(problem$store, c("kgroups_points", "kgroups_metric")) &&
    problem$n * as.numeric(m) > bound_defaults$pairs && known_negative_type(problem)
}

# list(landmarks, own, a, mean, error, norm, rounding): a_l as columns, E_l(z_j) as `error`, |mu_l| as `norm`.
mean_bounds <- function(problem, cluster, kept, call) {
  store <- problem$store
  rows <- thinned_rows(cluster, min(bound_defaults$landmarks, problem$n / bound_defaults$rows), which(problem$w > 0))
  z <- store$x[rows, , drop = FALSE]
  B <- landmark_values(store, z, z, call)
  R <- store_cross(store, problem, list(points = z), cluster, length(kept$s))$R
  mean <- R / rep(kept$s, each = nrow(R))
  a <- interpolation_weights(B, mean)
  Ba <- by_columns(a, function(some) B %*% some)
  own <- kept$V / kept$s^2
  size <- max(abs(B), abs(own))
  rounding <- bound_defaults$rounding * size * colSums(abs(a))^2
  norm2 <- own - 2 * colSums(a * mean) + colSums(a * Ba)
  k <- ncol(a)
  U <- rbind(t(a), matrix(0, -k %% 8, nrow(a)))
  list(
    U = as.vector(t(U)), landmarks = z, own = own, a = a, error = mean - Ba, norm = sqrt(pmax(norm2, 0) + rounding),
    rounding = rounding
  )
}

# Weights of sum 1 on the landmarks, a column a cluster, whose sums of B are `mean` there up to a ridge: B relative to
# the first landmark is a kernel.
interpolation_weights <- function(B, mean) {
  m <- nrow(B)
  if (m == 1L) {
    return(matrix(1, 1L, ncol(mean)))
  }
  kernel <- (B - B[, 1L] - rep(B[1L, ], each = m))[-1L, -1L, drop = FALSE]
  from_first <- (mean - rep(mean[1L, ], each = m) - B[, 1L])[-1L, , drop = FALSE]
  diag(kernel) <- diag(kernel) + 1e-10 * max(mean(diag(kernel)), .Machine$double.xmin)
  root <- .Call(ffi_cholesky, kernel, m - 1, 0)
  if (nrow(root$R) < m - 1) {
    return(matrix(1 / m, m, ncol(mean)))
  }
  rest <- by_columns(from_first, function(some) {
    some[root$order, ] <- backsolve(root$R, backsolve(root$R, some[root$order, , drop = FALSE], transpose = TRUE))
    some
  })
  rbind(1 - colSums(rest), rest)
}

# x with f() of its columns, which takes time in the square of their length and cannot be interrupted.
by_columns <- function(x, f) {
  for (columns in strips(ncol(x), nrow(x)^2, 2e7)) {
    check_interrupt()
    x[, columns] <- f(x[, columns, drop = FALSE])
  }
  x
}

# Which means may be the nearest of each new point?
possible_means <- function(bounds, problem, points, call) {
  if (identical(class(problem$store), c("kgroups_points", "kgroups_coordinates"))) {
    return(.Call(ffi_possible, new_points_store(points, problem$store$rho), bounds))
  }
  B <- landmark_values(problem$store, bounds$landmarks, points, call)
  nearest <- max.col(B, ties.method = "first")
  gap <- sqrt(pmax(-2 * B[cbind(seq_along(nearest), nearest)], 0))
  mean <- B %*% bounds$a + bounds$error[nearest, , drop = FALSE]
  d2 <- -2 * mean + rep(bounds$own, each = nrow(mean))
  apart <- 2 * (outer(gap, bounds$norm) + rep(bounds$rounding, each = length(gap)))
  d2 - apart <= row_least(d2 + apart)
}

# The observations of one cluster, in the units of all.
members_problem <- function(problem, rows) {
  problem$store <- store_subset(problem$store, rows)
  problem$n <- as.numeric(length(rows))
  problem$w <- problem$w[rows]
  problem
}

# The label of each new point: the exact distances are those to the means that the bounds leave.
bounded_labels <- function(bounds, members, kept, points, call) {
  possible <- possible_means(bounds, members[[1L]], points, call)
  open <- rowSums(possible) > 1
  label <- max.col(possible, ties.method = "first")
  d2 <- matrix(Inf, sum(open), ncol(possible))
  for (l in which(colSums(possible[open, , drop = FALSE]) > 0)) {
    at <- which(possible[open, l])
    one <- members[[l]]
    new <- list(points = points[which(open)[at], , drop = FALSE])
    R <- store_cross(one$store, one, new, rep(1L, one$n), 1L)$R
    d2[at, l] <- -2 * R / kept$s[l] + bounds$own[l]
  }
  if (any(open)) label[open] <- max.col(-d2, ties.method = "first")
  label
}
