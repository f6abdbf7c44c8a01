# Two fits of half of the rows each: how well they agree with the fit of all, and a plane in which each row is drawn by
# the half that it is not in. Metric and axes of a fit are chosen by its labels, so that its own plane separates any
# labels, also those of noise.

half_stream <- c(10407L, 1:6) # the same halves for each call

# Return list(problem, rows, fits, agreement): the problem of all rows, the rows of both halves, their solutions, and
# the adjusted Rand index of the labels of the fit and those that a half gives to the rows of both, the mean of the
# halves. NULL if a half has too few rows for such a fit.
half_fits <- function(fit, call = rlang::caller_env()) {
  if (fit$k == 1L || !has_distances(fit) || is.null(fit$kept$problem)) {
    return(NULL)
  }
  problem <- kept_problem(fit, call)
  # that of the fit, for a search without landmarks
  control <- without(fit$kept$control, "approx")
  control[c("init", "nstart", "approx", "iter.max")] <- list(NULL, NULL, NULL, 100)
  k <- fit$k
  kept_stream({
    set_stream(half_stream)
    rows <- draw_halves(problem, 1L, k, unit_numbers(control$together, problem$n))[[1L]]
    both <- sort(unlist(rows))
    part <- if (length(both) < problem$n) subset_problem(problem, both) else problem
    inner <- restrict_settings(control, both, problem$n)
    found <- lapply(rows, function(half) fit_half(part, match(half, both), inner))
  })
  if (any(vapply(found, is.null, NA))) {
    return(NULL)
  }
  drawn <- unname(observed_fit(fit)$cluster)[sort(unlist(rows))]
  inside <- part$w > 0 & drawn > 0
  agreement <- mean(vapply(found, function(half) rand_of_labels(half$labels[inside], drawn[inside], k), 0))
  list(problem = problem, rows = rows, fits = lapply(found, `[[`, "out"), agreement = agreement)
}

# The solution of some rows, and the labels of all by it; NULL if they are too few.
fit_half <- function(problem, rows, control) {
  part <- subset_problem(problem, rows)
  if (length(rows) >= least_rows(control, control$k) && control$k <= most_clusters(control, part)) {
    out <- solve_problem(part, restrict_settings(control, rows, problem$n))
    list(out = out, labels = extend_solution(problem, rows, out, control$k))
  }
}

# Return n x `axes` coordinates of a fit with points, each row by the half that it is not in, rows in neither by both,
# turned into those of the whole fit. Rows of `problem` after those of the fit are new ones of weight 0. NULL if there
# are no such halves.
cross_fitted_plane <- function(fit, halves = half_fits(fit), problem = halves$problem, axes = 2L) {
  if (is.null(halves)) {
    return(NULL)
  }
  old <- seq_len(fit$n)
  whole <- means_plane(problem$points, old, unname(fit$cluster), problem$w[old], fit$k, axes)
  planes <- Map(function(out, rows) {
    points <- viewed(problem, out)$points
    w <- if (is.null(out$problem)) problem$w[rows] else out$problem$w
    turned_into(means_plane(points, rows, out$cluster, w, fit$k, axes), whole, problem$w)
  }, halves$fits, halves$rows)
  at <- (planes[[1L]] + planes[[2L]]) / 2
  for (side in 1:2) at[halves$rows[[side]], ] <- planes[[3L - side]][halves$rows[[side]], ]
  at
}

# All points along the axes in which the means of the clusters of some rows differ most; of few clusters further axes
# are those of the largest variance within them.
means_plane <- function(points, rows, cluster, w, k, axes = 2L) {
  x <- points[rows, , drop = FALSE]
  size <- sum_by(w, cluster, k)
  means <- group_means(x, cluster, k, w, empty = 0)
  center <- colSums(size * means) / sum(size)
  found <- svd(sqrt(size) * (means - rep(center, each = k)), nu = 0)
  between <- found$v[, found$d > 1e-10 * max(found$d, .Machine$double.xmin), drop = FALSE]
  between <- between[, seq_len(min(axes, ncol(between))), drop = FALSE]
  more <- min(axes, ncol(x)) - ncol(between)
  if (more > 0L) {
    inner <- sqrt(w) * (x - means[cluster, , drop = FALSE])
    inner <- inner - tcrossprod(inner %*% between, between)
    between <- cbind(between, eigen(crossprod(inner), symmetric = TRUE)$vectors[, seq_len(more)])
  }
  out <- (points - rep(center, each = nrow(points))) %*% between
  cbind(out, matrix(0, nrow(out), axes - ncol(out)))
}

# Turn and shift one configuration to be like another, without scaling (Procrustes).
turned_into <- function(from, to, w) {
  share <- w / sum(w)
  a <- from - rep(colSums(share * from), each = nrow(from))
  center <- colSums(share * to)
  s <- svd(crossprod(a, share * (to - rep(center, each = nrow(to)))))
  a %*% tcrossprod(s$u, s$v) + rep(center, each = nrow(a))
}

# Labels of all observations from a solution for some of them, as predict() assigns them. Drawn rows are reassigned too,
# unless the store is sparse.
extend_solution <- function(problem, rows, out, k) {
  problem <- viewed(problem, out)
  if (!uses_all_pairs(problem)) {
    return(extend(problem, k, rows, out$cluster))
  }
  labels <- replace(rep(1L, problem$n), rows, out$cluster)
  problem$w <- replace(numeric(problem$n), rows, if (is.null(out$problem)) problem$w[rows] else out$problem$w)
  R <- group_sums(problem, labels, k)
  d2 <- t(-2 * t(R) / out$s + out$V / out$s^2)
  unname(assign_classes(d2))
}
