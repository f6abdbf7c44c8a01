#' Predict clusters, distances and probabilities
#'
#' Assigns new observations to the clusters of a fit; returns labels, distances or probabilities.
#'
#' @param object A fit from [kgroups()] or [kernel_kmeans()].
#' @param newdata The new observations:
#'   * after a fit of points: a matrix or data frame with the same columns, found by name if both have names, else by
#'     position, and in the units of the fit: `standardize` of the fit applies to them, and missing cells are filled, as
#'     at the fit. After a fit of `z <- scale(x)` new rows are `scale(new, attr(z, "scaled:center"), attr(z,
#'     "scaled:scale"))`. A level that the data did not have is missing, with a warning; an observation of which nothing
#'     is known gets `NA`, with a warning. A vector is one observation, or the only column;
#'   * after a fit of a `dist` or a Gram matrix: an \eqn{m \times n}{m x n} matrix of dissimilarities or kernel values
#'     of the new observations (rows) and the n of the fit, found by name if both have names, else by position;
#'   * after a fit of a graph: the edges of new vertices. A matrix, sparse or not, has a row for each new vertex and a
#'     column for each vertex of the graph (by name where both have names), of 0 and 1 or edge weights. A data frame has
#'     a row for each edge: the new vertex, the vertex of the graph by name or number, and the weight, if there are
#'     weights. A vertex of the graph is treated as a new vertex with the same edges.
#'
#'   If left out, the answer is that of the fit's own observations.
#' @param type `"class"`: labels; `"distance"`: the m x k matrix of \eqn{\sqrt{\max(d^2, 0)}}{sqrt(max(d2, 0))};
#'   `"squared"`: \eqn{d^2}{d2} itself, which can be negative if the semimetric is not of negative type; `"cluster"`:
#'   the labels in the form of \pkg{tidymodels}, a table of the one column `.pred_cluster`, a factor with levels
#'   `Cluster_1` to `Cluster_k`; `"prob"`: the m x k matrix of probabilities of the clusters, see below; `"noise"`, of a
#'   fit with `trim`: is its distance to the nearest mean larger than that of every kept observation of the fit?
#' @param diag For a Gram matrix: the m values \eqn{K(x, x)}{K(x, x)} of the new observations.
#'   Needed for distances only; labels do not depend on it.
#' @param units `NULL`, or the unit of each row of `newdata`: then the cluster of each unit, by the mean squared
#'   distance of its rows ([kgroups-units]).
#' @param threads Threads for large problems, as in [kgroups()].
#' @param ... Not used: an unknown argument is an error.
#' @return m integer labels named by the rows of `newdata`, an m x k matrix of numbers with one row for each new
#'   observation, or a table (a tibble where \pkg{tibble} is installed) of m rows.
#' @details The squared distance of a new observation \eqn{x}{x} to the mean of cluster \eqn{l}{l} in the feature space
#'   is its mean dissimilarity to the members, less half their mean dissimilarity to each other:
#' \deqn{d^2_l(x) = B(x, x) - \frac{2}{s_l} \sum_{y \in C_l} w_y B(x, y) + \frac{V_l}{s_l^2}}{
#' d2_l(x) = B(x, x) - 2 sum_{y in C_l} w_y B(x, y)/s_l + V_l/s_l^2}
#' with \eqn{B = -\rho/2}{B = -rho/2}, or \eqn{B = K}{B = K} for a Gram matrix, and
#' \eqn{V_l = \sum_{x, y \in C_l} w_x w_y B(x, y)}{V_l = sum_{x, y in C_l} w_x w_y B(x, y)}.
#' A new observation goes to the cluster with the least, ties to the lowest label. For the data of a
#' converged fit the answer is the fit's own labels, up to ties, if the semimetric is of negative type.
#' @section Probabilities: \eqn{p_l(x)}{p_l(x)} is proportional to
#'   \eqn{\exp(-\beta\, d^2_l(x) / 2)}{exp(-beta d2_l(x)/2)} with
#'   \eqn{\beta = \frac{a}{2} d (s - k) / W}{beta = (a/2) d (s - k)/W}. Here s is the total weight, d the effective
#'   dimension of the clusters in feature space and a the exponent of the semimetric. (If weights are not whole numbers,
#'   s is the number of rows and W that of weights with this sum.) The exponent is 2 for kernels and `rho_power(2)`,
#'   where this is the normal model with one spherical variance; `alpha` for `rho_power(alpha)`; the local exponent at
#'   the mean distance within clusters for `rho_gaussian()` and `rho_exponential()`; 1 for functions of the user. For
#'   the observations of the fit \eqn{d^2}{d2} is corrected for their own share in the mean, as in Hartigan's rule. So
#'   the most probable cluster is the label if the fit converged, without `sizes`, `together` or `apart`. For new
#'   observations the label of `type = "class"` is always the most probable cluster.
#'
#'   Probabilities are calibrated for clusters of similar variance. On normals in 2, 5 and 10 dimensions the calibration
#'   error is at most 3 percent for means 2.5 standard deviations apart or more, and 5 percent for means two apart. They
#'   are overconfident for clusters of unequal variance and for a wrong `k`. None of them is the probability of
#'   belonging to no cluster: for outliers see `trim` of [kgroups()]. For clusters of unequal variance, shape or size
#'   those of [kgroups_mixture()] are nearer in five columns, and of \pkg{mclust} for normal clusters (`bench/beyond.md`).
#' @section Complexity: \eqn{O(m n d)}{O(m n d)} time for points, \eqn{O(m n)}{O(m n)} for dissimilarities and kernel
#'   values; \eqn{O(m k)}{O(m k)} memory. For the labels of many points, bounds from 1000 of the rows decide all points
#'   but those close to a border, if the semimetric is of negative type; the labels are the same. A fit on landmarks
#'   needs \eqn{O(m l (d + k))}{O(m l (d + k))} for l of them.
#' @family fits
#' @seealso [kgroups()]
#' @examples
#' # a fit of every second eruption assigns the others: short and long ones
#' odd <- seq(1, nrow(faithful), by = 2)
#' fit <- kgroups(faithful[odd, ], 2, standardize = TRUE)
#' others <- faithful[-odd, ]
#' table(predict(fit, others), ifelse(others$eruptions < 3, "short", "long"))
#' head(predict(fit, others, type = "distance"))
#' round(head(predict(fit, others, type = "prob")), 3)
#' @concept probability
#' @concept fuzzy
#' @concept soft clustering
#' @export
predict.kgroups_fit <- function(object, newdata = NULL,
                                type = c("class", "distance", "squared", "cluster", "prob", "noise"),
                                diag = NULL, threads = getOption("kgroups.threads", 1L), units = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "predict.kgroups_fit")
  check_fit(object, env)
  if (!is.null(units)) {
    return(predict_units(object, newdata, units, env))
  }
  type <- check_choice(type, "type", c("class", "distance", "squared", "cluster", "prob", "noise"))
  if (type == "cluster") {
    return(prediction_table(predict(object, newdata, diag = diag, threads = threads), object$k))
  }
  if (type == "noise") {
    return(predicted_noise(object, newdata, diag, threads, env))
  }
  if (is.null(newdata) && type == "class") {
    return(object$cluster)
  }
  object <- observed_fit(object)
  local_threads(check_threads(threads, call = env))
  if (type == "prob") {
    check_probabilities(object, env)
    kept_problem(object, env)
  } else if (type != "class") {
    check_distances(object, "distances", env)
  }
  kept <- kept_data(object)
  new <- read_newdata(object, kept, newdata, env)
  if (!any(new$known)) {
    return(unknown_answer(new, object$k, type))
  }
  if (type != "class") {
    rows <- if (is.null(new$y)) object$n else NROW(new$y)
    bytes <- 16 * as.numeric(rows) * object$k
    check_memory(bytes, rows, "their distances to the means", "Predict fewer rows at a time.", env)
  }
  if (is.matrix(new$y)) inform_far_rows(object, kept, new$y, env)
  answer <- predict_rows(object, kept, new$y, diag, type, env)
  if (all(new$known)) {
    return(answer)
  }
  whole <- unknown_answer(new, object$k, type)
  if (type == "class") whole[new$known] <- answer else whole[new$known, ] <- answer
  whole
}

# Name new rows if more than half are farther from every cluster than any row of the data, as rows of other units.
inform_far_rows <- function(object, kept, y, call, most = 500L) {
  problem <- kept$problem
  m <- nrow(y)
  if (m < 5L || is.null(problem) || !is.null(kept$map) || !inherits(problem$store, "kgroups_coordinates")) {
    return(invisible())
  }
  nearest <- function(x) {
    x <- x[evenly_spaced(seq_len(nrow(x)), most), , drop = FALSE]
    row_least(squared_to_means(object, kept, x, NULL, "squared", call))
  }
  far <- mean(nearest(y) > 1.01 * max(nearest(problem$points[inside_rows(problem), , drop = FALSE])))
  if (far > 0.5) {
    kg_inform(c(
      "{round(far * m)} of {m} new rows are farther from all clusters than any row of the data: other units?",
      "i" = "New rows are taken in the units of the fit; after `scale(x)` scale them by its attributes."
    ), "far_rows", of = colnames(y))
  }
}

# Clusters of new units: the least mean over their rows of the squared distance to a cluster.
predict_units <- function(object, newdata, units, call) {
  squared <- stats::predict(object, newdata, type = "squared")
  rows <- if (is.null(newdata)) names(object$cluster) else names_of_rows(newdata)
  code <- check_labels(match_rows(units, rows, "units", call), nrow(squared), "units", call)
  mean <- group_means(squared, as.integer(code), max(code))
  stats::setNames(max.col(-mean, ties.method = "first"), attr(code, "levels"))
}

# Return labels as tidymodels has predictions of clusters.
prediction_table <- function(label, k) {
  names <- paste0("Cluster_", seq_len(k))
  as_table(data.frame(.pred_cluster = factor(names[label], names)))
}

# Return list(y, known, names): the new rows as the store takes them (NULL for the rows of the fit),
# and which of them have an observed value.
read_newdata <- function(object, kept, newdata, call) {
  newdata <- plain_numbers(newdata, call)
  if (is.null(newdata)) {
    return(list(known = TRUE))
  }
  if (length(dim(newdata)) == 2L && nrow(newdata) == 0L) {
    return(list(known = logical(), names = NULL))
  }
  if (is.null(object$blueprint)) {
    return(list(y = newdata, known = TRUE))
  }
  y <- apply_blueprint(object$blueprint, newdata, "newdata", call, kept$problem$points, object$weights)
  known <- if (anyNA(y)) !is.na(y[, 1L]) else rep(TRUE, nrow(y))
  check_interrupt()
  list(y = if (all(known)) y else y[known, , drop = FALSE], known = known, names = rownames(y))
}

# Return labels or distances of rows with an observed value, in blocks of rows with a progress bar.
predict_rows <- function(object, kept, y, diag, type, call) {
  # labels of new rows of a trimmed fit; those of kernel values need K(x, x)
  noise <- type == "class" && !is.null(object$noise) && !(fit_has_kernel(object) && is.null(diag))
  one_block <- function(y) {
    # probabilities, as labels, do not depend on terms that all clusters share, as K(x, x)
    of <- if (noise) "squared" else if (type == "prob") "class" else type
    d2 <- squared_to_means(object, kept, y, diag, of, call)
    switch(type,
      prob = cluster_probabilities(object, kept, d2, own = is.null(y)),
      class = if (noise) replace(assign_classes(d2), beyond_kept(object, row_least(d2)), 0L) else assign_classes(d2),
      distance = sqrt(pmax(d2, 0)),
      squared = d2
    )
  }
  if (!is.matrix(y) || !is.null(diag)) {
    return(one_block(y))
  }
  if (type == "class" && !noise && bounds_pay(kept, nrow(y))) {
    return(labels_by_bounds(object, kept, y, call))
  }
  in_blocks(y, one_block, object$k + if (is.null(kept$map)) object$n * 0.02 else 0)
}

# f() of blocks of the rows of y, whose answers are labels or matrices; a row needs `of_each` numbers.
in_blocks <- function(y, f, of_each) {
  blocks <- strips(nrow(y), of_each, 1e7)
  if (length(blocks) <= 1L) {
    return(f(y))
  }
  answers <- lapply_progress(blocks, function(rows) f(y[rows, , drop = FALSE]), "New observations")
  do.call(if (is.matrix(answers[[1L]])) rbind else c, answers)
}

# Return the labels of the nearest means, by bounds and by the exact distances to the means that these leave.
labels_by_bounds <- function(object, kept, y, call) {
  problem <- kept$problem
  cluster <- unname(object$cluster)
  bounds <- mean_bounds(problem, cluster, kept, call)
  members <- lapply(seq_along(kept$s), function(l) members_problem(problem, which(cluster == l & problem$w > 0)))
  points <- read_new(problem$store, problem, y, NULL, "class", call)$points
  # a product of matrices cannot be interrupted
  each <- as.numeric(nrow(bounds$landmarks)) * max(1, object$k / 10)
  label <- in_blocks(points, function(some) bounded_labels(bounds, members, kept, some, call), each)
  stats::setNames(as.integer(label), rownames(y))
}

# Return NA for every new row.
unknown_answer <- function(new, k, type) {
  m <- length(new$known)
  if (type == "class") {
    return(stats::setNames(rep(NA_integer_, m), new$names))
  }
  matrix(NA_real_, m, k, dimnames = list(new$names, seq_len(k)))
}

# Return the label of least d2, ties to the lowest.
assign_classes <- function(d2) {
  labels <- integer(nrow(d2))
  for (rows in strips(nrow(d2), ncol(d2))) {
    check_interrupt()
    cost <- d2[rows, , drop = FALSE]
    labels[rows] <- max.col(-cost, ties.method = "first")
  }
  stats::setNames(labels, rownames(d2))
}

# ---- data kept by a fit ----

# Return `kept` of a fit with its problem complete: the data are attached again.
kept_data <- function(object, call = rlang::caller_env()) {
  check_fit(object, call)
  if (is.null(object$kept)) {
    abort_input(
      "keep", call, "The fit does not hold its data.", "It was made with `keep.data = FALSE`.",
      "Fit again with `keep.data = TRUE`, starting from `init = fit$cluster`."
    )
  }
  object <- observed_fit(object, call)
  kept <- object$kept
  # a graph is kept complete; a fit of blocks has no problem, as its rows are not in memory
  if (has_distances(object) && !is.null(kept$problem)) {
    kept$problem <- attach_problem(kept$problem, object$data, object$blueprint)
  }
  kept
}

# Return the problem of a fit for methods that need all rows. A landmark fit with a user's function
# is represented by its coordinates.
kept_problem <- function(object, call = rlang::caller_env()) {
  problem <- kept_data(object, call)$problem
  if (is.null(problem)) {
    abort_input(
      "keep", call, "The fit does not hold its data.",
      "It was made from `row_blocks()`: the rows stayed where they are.",
      "Give some rows to `predict()` or `augment()` as `newdata`."
    )
  }
  replace_function_store(problem)
}

# Was the fit made from blocks, so that predict() has means but no rows?
is_block_fit <- function(object) !is.null(object$kept) && is.null(object$kept$problem)

# Do new observations come as kernel values?
fit_has_kernel <- function(object) !is.null(object$kept$problem) && has_kernel(object$kept$problem)

# The graph of a fit.
fit_graph_data <- function(fit, call = rlang::caller_env()) {
  kept_data(fit, call)
  fit$data
}

# ---- squared distances to the means ----

# Return the squared distances of new rows (or of the rows of the fit) to the means, in the units of the data.
squared_to_means <- function(object, kept, newdata, diag, type, call) UseMethod("squared_to_means")

#' @export
squared_to_means.kgroups_fit <- function(object, kept, newdata, diag, type, call) {
  problem <- kept$problem
  cluster <- unname(object$cluster)
  if (is.null(newdata)) {
    R <- group_sums(problem, cluster, object$k)
    return(squared_distances(R, self_values(problem), kept, problem$names))
  }
  new <- read_new(problem$store, problem, newdata, diag, type, call)
  cross <- store_cross(problem$store, problem, new, cluster, object$k)
  squared_distances(cross$R, cross$self, kept, new$names)
}

# A fit that was finished over all pairs keeps no map.
#' @export
squared_to_means.kgroups_landmark_fit <- function(object, kept, newdata, diag, type, call) {
  map <- kept$map
  if (is.null(map)) {
    return(NextMethod())
  }
  if (!is.null(newdata)) {
    new <- read_new(map$store, map, newdata, diag, type, call)
    features <- store_new_features(map$store, map, new, call)
    names <- new$names
  } else {
    kept_problem(object, call)
    features <- store_features(kept$problem$store, map, call)
    names <- kept$problem$names
  }
  d2 <- .Call(ffi_features_distances, new_features_store(features$z, length(features$rest)), kept$means)
  if (type != "class") d2 <- d2 + features$rest
  dimnames(d2) <- list(names, seq_len(object$k))
  d2 * 4^map$scale * map$unit
}

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
