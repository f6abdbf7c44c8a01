# Fits of halves of the rows: split-half stability; how well two halves agree with the fit of all; and a plane in which
# each row is drawn by the half that it is not in. Metric and axes of a fit are chosen by its labels, so that its own
# plane separates any labels, also those of noise.

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

# ---- split-half stability ----

# For each split the row numbers of two halves, of at most so many rows as k clusters need. Rows of one `unit` are in
# the same half. Graphs and sparse Gram matrices are divided as a whole.
draw_halves <- function(problem, splits, k = 1L, unit = seq_len(problem$n)) {
  whole <- inherits(problem$store, "kgroups_sparse")
  most <- if (whole) Inf else max(selection_defaults$half, selection_defaults$least * k)
  inside <- inside_rows(problem)
  unit <- unit[inside]
  units <- unique(unit)
  lapply(seq_len(splits), function(split) {
    first <- unit %in% units[sample.int(length(units), length(units) %/% 2L)]
    list(draw_rows(inside[first], most), draw_rows(inside[!first], most))
  })
}

# Cluster both halves, extend each result to the other half by the nearest mean, and compare the two. `views`: the
# problem of all observations for each of all_ks, if that depends on k. Return `agreement` (adjusted Rand index for each
# of ks, NA if a half has fewer than k observations) and `W` (a row per half, a column for each of all_ks).
compare_halves <- function(halves, problem, ks, all_ks, control = new_control(), views = NULL) {
  controls <- lapply(halves, function(rows) restrict_settings(control, rows, problem$n))
  whole <- sum(lengths(halves)) == problem$n
  both <- sort(unlist(halves))
  halves <- lapply(halves, match, both)
  ready <- function(problem) {
    if (!whole) problem <- cache_if_pairs(subset_observations(problem, both), passes = length(all_ks))
    parts <- lapply(halves, function(rows) cache_if_pairs(subset_observations(problem, rows)))
    list(problem = problem, parts = parts)
  }
  if (is.null(views)) on <- ready(problem)
  W <- matrix(NA_real_, 2L, length(all_ks))
  agreement <- rep(NA_real_, length(ks))
  fits <- list(NULL, NULL)
  for (i in which(vapply(all_ks, function(k) least_rows(controls[[1L]], k), 0) <= length(halves[[1L]]))) {
    k <- all_ks[i]
    if (!is.null(views)) on <- ready(views[[i]])
    fits <- Map(quick_fit, on$parts, k, controls, fits)
    W[, i] <- mapply(true_W, on$parts, fits)
    at <- match(k, ks)
    if (is.na(at) || k == 1L) next
    labels <- Map(function(rows, fit) extend(viewed(on$problem, fit), k, rows, fit$cluster), halves, fits)
    agreement[at] <- rand_of_labels(labels[[1L]], labels[[2L]], k)
  }
  list(agreement = agreement, W = W)
}

# The stability for each of ks. Halves are clustered in the metric that `fits` of all observations, named by k, have
# learned, if they have: a half has too few rows to learn one of many clusters.
split_half_stability <- function(halves, problem, ks, fits, control) {
  all_ks <- as.integer(names(fits))
  views <- if (!is.null(fits[[1L]]$view)) lapply(unname(fits), viewed, problem = problem)
  found <- run_tasks(
    halves, compare_halves,
    problem = problem, ks = ks, all_ks = all_ks, control = if (is.null(views)) control else without(control, "metric"),
    views = views, purpose = "Split halves"
  )
  summarise_halves(found, ks, all_ks, length(halves[[1L]][[1L]]))
}

# Return means and standard errors over the splits, and W of each half (rows) and number of clusters.
summarise_halves <- function(found, ks, all_ks, half) {
  agreement <- matrix(vapply(found, function(one) one$agreement, numeric(length(ks))), nrow = length(ks))
  out <- undefined(ks)
  out$value <- rowMeans(agreement)
  out$se <- apply(agreement, 1L, stats::sd) / sqrt(length(found))
  out$reason[ks == 1L] <- "one cluster is the same in every sample"
  out$reason[ks > half] <- sprintf("a half has only %d observation%s", half, plural(half))
  out$W <- do.call(rbind, lapply(found, function(one) one$W))
  colnames(out$W) <- all_ks
  out$half <- half
  out
}
