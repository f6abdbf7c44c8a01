#' Assign new observations to the clusters of a fit
#'
#' The squared distance of a new observation \eqn{x}{x} to the mean of cluster \eqn{l}{l} in
#' the feature space is
#' \deqn{d^2_l(x) = B(x, x) - \frac{2}{s_l} \sum_{y \in C_l} w_y B(x, y) + \frac{V_l}{s_l^2}}{
#' d2_l(x) = B(x, x) - 2 sum_{y in C_l} w_y B(x, y)/s_l + V_l/s_l^2}
#' with \eqn{B = -\rho/2}{B = -rho/2}, or \eqn{B = K}{B = K} for a Gram matrix, and
#' \eqn{V_l = \sum_{x, y \in C_l} w_x w_y B(x, y)}{V_l = sum_{x, y in C_l} w_x w_y B(x, y)}.
#' A new observation goes to the cluster with the least, ties to the lowest label. For the
#' data of a converged fit the answer is the fit's own labels, if the semimetric is of
#' negative type and up to ties. After `kgroups(size_term = TRUE)` the label is that of the
#' least \eqn{d^2_l - \frac{2 W}{s d} \log(s_l/s)}{d2_l - 2 W/(s d) log(s_l/s)}.
#'
#' @param object A fit from [kgroups()] or [kernel_kmeans()].
#' @param newdata The new observations:
#'   * after a fit of points: a matrix or data frame with the same columns. They are found by name if both
#'     have names, so that further columns do no harm and a missing one is an error, else by position.
#'     They are scaled, and missing cells are filled, as at the fit; a level that the data did not have is
#'     missing, with a warning; an observation of which nothing is known gets `NA`, with a warning. After a
#'     fit of a matrix from [scale()], rows that are not scaled so are scaled by its centre and scale,
#'     with a message, and a warning where it cannot be told. A vector is one observation, or the only
#'     column;
#'   * after a fit of a `dist`: an \eqn{m \times n}{m x n} matrix of dissimilarities of the new
#'     observations (rows) to the n of the fit;
#'   * after a fit of a Gram matrix: an \eqn{m \times n}{m x n} matrix of kernel values;
#'   * after a fit of a graph: the edges of new vertices, as a matrix or a data frame, see
#'     [predict.kgroups_beliefs()]. A vertex of the graph given by its own edges is a new one like it.
#'
#'   If left out, the fit's labels are returned (`type = "class"`), or the distances of its
#'   own observations.
#' @param type `"class"`: labels; `"distance"`: the m x k matrix of
#'   \eqn{\sqrt{\max(d^2, 0)}}{sqrt(max(d2, 0))}; `"squared"`: \eqn{d^2}{d2} itself, which
#'   can be negative where the semimetric is not of negative type; `"cluster"`: the labels as \pkg{tidymodels} has
#'   predictions, a table of the one column `.pred_cluster`, a factor with levels `Cluster_1` to `Cluster_k`.
#' @param diag For a Gram matrix: the m values \eqn{K(x, x)}{K(x, x)} of the new observations.
#'   Needed for distances only; labels do not depend on it.
#' @param threads Threads for large problems, as in [kgroups()].
#' @param ... Not used; anything here is an error.
#' @return m integer labels named by the rows of `newdata`, an m x k matrix of numbers with a
#'   row a new observation, or a table (a tibble where \pkg{tibble} is installed) of m rows.
#' @section Complexity: \eqn{O(m n d)}{O(m n d)} time for points, \eqn{O(m n)}{O(m n)} for dissimilarities
#'   and kernel values; \eqn{O(m k)}{O(m k)} memory. A fit on landmarks needs
#'   \eqn{O(m l (d + k))}{O(m l (d + k))} for l of them.
#' @section Errors: `kg_error_newdata` for new observations that do not fit the data,
#'   `kg_error_range` for some so far away that their distances overflow, `kg_error_memory` for more
#'   distances than memory holds, `kg_error_dots` for
#'   unknown arguments, `kg_error_keep` if the fit was made with `keep.data = FALSE`, `kg_error_graph` for
#'   distances of a fit of a graph, whose matrix has none.
#' @family fits
#' @seealso [kgroups()]
#' @examples
#' odd <- seq(1, 150, by = 2)
#' fit <- kgroups(iris[odd, 1:4], 3)
#' table(predict(fit, iris[-odd, 1:4]), iris$Species[-odd])
#' head(predict(fit, iris[-odd, 1:4], type = "distance"))
#' @export
predict.kgroups_fit <- function(object, newdata, type = c("class", "distance", "squared", "cluster"),
                                diag = NULL, threads = getOption("kgroups.threads", 1L), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "predict.kgroups_fit")
  type <- check_choice(type, "type", c("class", "distance", "squared", "cluster"))
  if (type == "cluster") {
    label <- predict(object, newdata, diag = diag, threads = threads)
    names <- paste0("Cluster_", seq_len(object$k))
    return(as_table(data.frame(.pred_cluster = factor(names[label], names))))
  }
  if (missing(newdata) && type == "class") {
    return(object$cluster)
  }
  threads <- check_threads(threads, rlang::current_env())
  use_threads(threads)
  on.exit(use_threads(1))
  if (type != "class") abort_graph(object, "distances", rlang::current_env())
  kept <- kept_data(object)
  newdata <- if (!missing(newdata)) newdata
  new <- NULL
  if (!is.null(newdata) && !is.null(object$blueprint)) {
    new <- new_points(newdata, object$blueprint, kept$problem$points, object$weights, rlang::current_env())
    if (!any(new$known)) {
      return(unknown_answer(new, object$k, type))
    }
    newdata <- new$y
  }
  env <- rlang::current_env()
  if (type != "class") {
    rows <- if (is.null(newdata)) object$n else NROW(newdata)
    check_memory(16 * as.numeric(rows) * object$k, rows, "their distances to the means", "Predict fewer rows at a time.")
  }
  answer_for <- function(newdata) {
    d2 <- if (!is.null(kept$map)) {
      landmark_distances(kept, newdata, diag, type, env)
    } else if (is.null(newdata)) {
      own_squared_distances(object, kept)
    } else {
      new_squared_distances(object, kept, newdata, diag, type, env)
    }
    switch(type,
      class = assign_classes(d2, object$size_term),
      distance = sqrt(pmax(d2, 0)),
      squared = d2
    )
  }
  # labels alone need no distances of all at once
  parts <- if (type == "class" && is.matrix(newdata) && is.null(diag)) strips(nrow(newdata), object$k, 1e7)
  answer <- if (length(parts) > 1L) {
    do.call(c, lapply(parts, function(rows) answer_for(newdata[rows, , drop = FALSE])))
  } else {
    answer_for(newdata)
  }
  if (is.null(new) || all(new$known)) {
    return(answer)
  }
  whole <- unknown_answer(new, object$k, type)
  if (type == "class") whole[new$known] <- answer else whole[new$known, ] <- answer
  whole
}

# NA for every new row, to be filled in where something is observed.
unknown_answer <- function(new, k, type) {
  m <- length(new$known)
  if (type == "class") {
    return(stats::setNames(rep(NA_integer_, m), new$names))
  }
  matrix(NA_real_, m, k, dimnames = list(new$names, seq_len(k)))
}

# Least d2, ties to the lowest label; with the size term large clusters reach further.
assign_classes <- function(d2, size_term = NULL) {
  labels <- integer(nrow(d2))
  for (rows in strips(nrow(d2), ncol(d2))) {
    look_for_interrupt()
    cost <- d2[rows, , drop = FALSE]
    if (!is.null(size_term)) cost <- cost + rep(size_term$offset, each = length(rows))
    labels[rows] <- max.col(-cost, ties.method = "first")
  }
  stats::setNames(labels, rownames(d2))
}

# What the fit keeps beside its data: `problem`, put together with the data again, V and s, or
# `map` and `means` of landmarks, and `control`.
kept_data <- function(object, call = rlang::caller_env()) {
  if (is.null(object$kept)) {
    kg_abort(
      c(
        "The fit does not hold its data.",
        "x" = "It was made with {.code keep.data = FALSE}.",
        "i" = "Fit again with {.code keep.data = TRUE}, or {.code init = fit$cluster} to come back to it."
      ),
      "keep",
      call = call
    )
  }
  kept <- object$kept
  if (!is.null(kept$problem) && !kept$whole) {
    kept$problem <- attach_problem(kept$problem, object$data, object$blueprint)
  }
  kept
}

# The problem of a fit, for what looks at the data; landmark fits of a user's function are
# shown by their coordinates.
kept_problem <- function(object, call = rlang::caller_env()) {
  problem <- kept_data(object, call)$problem
  if (is.null(problem)) {
    kg_abort(
      c(
        "The fit does not hold its data.",
        "x" = "It was made from {.fn chunks}: the rows stayed where they are.",
        "i" = "Give some rows to {.fn predict} or {.fn augment} as {.arg newdata}."
      ),
      "keep",
      call = call
    )
  }
  coordinates_problem(problem)
}

# Do new observations come as kernel values?
fit_has_kernel <- function(object) !is.null(object$kept$problem) && has_kernel(object$kept$problem)

# n x k squared distances from the sums R (n x k) and the diagonal, in true units.
squared_distances <- function(R, self, kept, names) {
  k <- length(kept$s)
  for (l in seq_len(k)) {
    look_for_interrupt()
    own <- kept$V[l] / kept$s[l] / kept$s[l]
    # Inf: no mean to be near to
    R[, l] <- if (kept$s[l] == 0) Inf else true_units(kept$problem, self - 2 * (R[, l] / kept$s[l]) + own, "pair")
  }
  dimnames(R) <- list(names, seq_len(k))
  R
}

own_squared_distances <- function(object, kept) {
  problem <- kept$problem
  R <- group_sums(problem, unname(object$cluster), object$k)
  squared_distances(R, self_values(problem), kept, problem$names)
}

new_squared_distances <- function(object, kept, newdata, diag, type,
                                  call = rlang::caller_env()) {
  problem <- kept$problem
  cross <- store_cross(problem$store, problem, newdata, unname(object$cluster), object$k, diag, type, call)
  squared_distances(cross$R, cross$self, kept, cross$names)
}

# n x k squared distances to the means, in true units.
landmark_distances <- function(kept, newdata, diag, type, call = rlang::caller_env()) {
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
    features <- c(store_features(problem$store, map, call), list(names = problem$names))
  } else {
    features <- store_new_features(map$store, map, newdata, diag, type, call)
  }
  k <- ncol(kept$means)
  d2 <- .Call(ffi_features_distances, new_features_store(features$z, length(features$rest)), kept$means)
  if (type != "class") d2 <- d2 + features$rest
  dimnames(d2) <- list(features$names, seq_len(k))
  d2 * 4^map$scale * map$unit
}

# The graph of a fit.
fit_graph_data <- function(fit, call = rlang::caller_env()) {
  kept_data(fit, call)
  fit$data
}
