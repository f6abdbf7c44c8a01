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
#'   * after a fit of points: a matrix or data frame with the same columns, which are found by
#'     name where `newdata` has all the names and else by position, so that further columns do no
#'     harm; a vector is one observation, or the only column;
#'   * after a fit of a `dist`: an \eqn{m \times n}{m x n} matrix of dissimilarities of the new
#'     observations (rows) to the n of the fit;
#'   * after a fit of a Gram matrix: an \eqn{m \times n}{m x n} matrix of kernel values.
#'
#'   If left out, the fit's labels are returned (`type = "class"`), or the distances of its
#'   own observations.
#' @param type `"class"`: labels; `"distance"`: the m x k matrix of
#'   \eqn{\sqrt{\max(d^2, 0)}}{sqrt(max(d2, 0))}; `"squared"`: \eqn{d^2}{d2} itself, which
#'   can be negative where the semimetric is not of negative type.
#' @param diag For a Gram matrix: the m values \eqn{K(x, x)}{K(x, x)} of the new observations.
#'   Needed for distances only; labels do not depend on it.
#' @param ... Not used; anything here is an error.
#' @return m integer labels named by the rows of `newdata`, or an m x k matrix of numbers with a
#'   row a new observation.
#' @section Complexity: \eqn{O(m n d)}{O(m n d)} time for points, \eqn{O(m n)}{O(m n)} for dissimilarities
#'   and kernel values; \eqn{O(m k)}{O(m k)} memory. A fit on landmarks needs
#'   \eqn{O(m l (d + k))}{O(m l (d + k))} for l of them.
#' @section Errors: `kg_error_newdata` for new observations that do not fit the data,
#'   `kg_error_range` for some so far away that their distances overflow, `kg_error_dots` for
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
predict.kgroups_fit <- function(object, newdata, type = c("class", "distance", "squared"),
                                diag = NULL, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "predict.kgroups_fit")
  type <- check_choice(type, "type", c("class", "distance", "squared"))
  if (missing(newdata) && type == "class") {
    return(object$cluster)
  }
  if (type != "class") refuse_graph(object, "distances", rlang::current_env())
  kept <- kept_data(object)
  d2 <- if (!is.null(kept$map)) {
    landmark_distances(object, kept, if (!missing(newdata)) newdata, diag, type)
  } else if (missing(newdata)) {
    own_squared_distances(object, kept)
  } else {
    new_squared_distances(object, kept, newdata, diag, type)
  }
  switch(type,
    class = assign_classes(d2, object$size_term),
    distance = sqrt(pmax(d2, 0)),
    squared = d2
  )
}

# Least d2, ties to the lowest label; with the size term large clusters reach further.
assign_classes <- function(d2, size_term = NULL) {
  cost <- if (is.null(size_term)) d2 else d2 + rep(size_term$offset, each = nrow(d2))
  stats::setNames(max.col(-cost, ties.method = "first"), rownames(d2))
}

# New values in the scale of the data: their squares must not overflow.
scaled_new <- function(newdata, exponent, call, arg = "newdata") {
  scaled <- times_power_of_two(newdata, -exponent)
  if (max(abs(scaled)) > 1e150) {
    kg_abort(
      c(
        "{.arg {arg}} must be of the order of the data.",
        "x" = "Its largest value is {format(max(abs(newdata)), digits = 3)}: distances overflow.",
        "i" = "Look for a mark of missing values among the new observations."
      ),
      "range",
      call = call
    )
  }
  scaled
}

kept_data <- function(object, call = rlang::caller_env()) {
  if (is.null(object$data)) {
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
  object$data
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
  if (problem$kind == "function") {
    kept <- problem[c("w", "w_unit", "names")]
    problem <- points_problem(problem$points, rho_power(1), NULL, call)
    problem[names(kept)] <- kept
  }
  problem
}

# m x k squared distances from the sums R (m x k) and the diagonal, in true units.
squared_distances <- function(R, self, kept, unit, names) {
  k <- length(kept$s)
  d2 <- self - 2 * t(t(R) / kept$s)
  d2 <- t(t(d2) + kept$V / kept$s / kept$s) * unit
  d2[, kept$s == 0] <- Inf # no mean to be near to
  dimnames(d2) <- list(names, seq_len(k))
  d2
}

own_squared_distances <- function(object, kept) {
  problem <- kept$problem
  R <- if (problem$kind == "sparse") {
    indicator <- weighted_indicator(object, problem)
    as.matrix(problem$off %*% indicator) + problem$diagonal * indicator
  } else {
    .Call(
      ffi_group_sums, problem$store, problem$w, unname(object$cluster), as.numeric(object$k)
    )
  }
  squared_distances(R, self_values(problem), kept, problem$unit, problem$names)
}

weighted_indicator <- function(object, problem) {
  out <- matrix(0, problem$n, object$k)
  out[cbind(seq_len(problem$n), object$cluster)] <- problem$w
  out
}

new_squared_distances <- function(object, kept, newdata, diag, type,
                                  call = rlang::caller_env()) {
  problem <- kept$problem
  if (!is.null(object$graph)) {
    kg_abort(
      c(
        "New vertices cannot be assigned to a fit of a graph.",
        "x" = "You supplied {.arg newdata}.",
        "i" = "Add the vertices and their edges to the graph and fit again."
      ),
      "newdata",
      call = call
    )
  }
  if (problem$form == "rho" && !is.null(diag)) {
    kg_abort(
      c("{.arg diag} belongs to a fit of a Gram matrix.", "x" = "This fit has a semimetric."),
      "newdata",
      call = call
    )
  }
  if (!is.null(problem$points)) {
    newdata <- check_new_points(newdata, problem$points, call = call)
    R <- if (problem$kind == "points") {
      y <- scaled_new(newdata, problem$exponent, call)
      .Call(
        ffi_cross_sums, problem$store, y, problem$w, unname(object$cluster),
        as.numeric(object$k)
      )
    } else {
      rho <- evaluate_function(problem$semimetric, newdata, problem$points, call = call)
      -0.5 * times_power_of_two(rho, -problem$exponent) %*% weighted_indicator(object, problem)
    }
    return(squared_distances(R, 0, kept, problem$unit, rownames(newdata)))
  }
  newdata <- check_cross_matrix(newdata, problem, call)
  scaled <- scaled_new(newdata, problem$exponent, call)
  if (problem$form == "rho") {
    B <- .Call(ffi_from_distances, as.vector(scaled), problem$store[[5L]])
    R <- matrix(B, nrow(newdata)) %*% weighted_indicator(object, problem)
    return(squared_distances(R, 0, kept, problem$unit, rownames(newdata)))
  }
  R <- scaled %*% weighted_indicator(object, problem)
  self <- times_power_of_two(check_diag(diag, nrow(newdata), type, call), -problem$exponent)
  squared_distances(R, self, kept, problem$unit, rownames(newdata))
}

check_cross_matrix <- function(newdata, problem, call) {
  what <- if (problem$form == "rho") "dissimilarities" else "kernel values"
  if (is.data.frame(newdata)) newdata <- as.matrix(newdata)
  if (is.null(dim(newdata)) && is.numeric(newdata) && !is.object(newdata)) {
    newdata <- matrix(newdata, nrow = 1L)
  }
  if (!is.matrix(newdata) || !is.numeric(newdata) || ncol(newdata) != problem$n) {
    came <- describe(newdata)
    kg_abort(
      c(
        "{.arg newdata} must be a matrix of {what}: a row a new observation, {problem$n} column{?s}.",
        "x" = "You supplied {came}.",
        "i" = "The columns are the observations of the fit, in their order."
      ),
      "newdata",
      call = call
    )
  }
  newdata <- check_points(newdata, "newdata", call, "newdata")
  if (problem$form == "rho" && any(newdata < 0)) {
    kg_abort(
      c(
        "Dissimilarities must not be negative.",
        "x" = "{.arg newdata} has {sum(newdata < 0)} negative value{?s}."
      ),
      "newdata",
      call = call
    )
  }
  newdata
}

check_diag <- function(diag, m, type, call) {
  if (is.null(diag) && type == "class") {
    return(rep(0, m))
  }
  if (!is.numeric(diag) || length(diag) != m || !all(is.finite(diag))) {
    came <- describe(diag)
    kg_abort(
      c(
        "{.arg diag} must hold the {m} kernel value{?s} K(x, x) of the new observations.",
        "x" = "You supplied {came}.",
        "i" = "Distances need them; {.code type = \"class\"} does not."
      ),
      "newdata",
      call = call
    )
  }
  as.numeric(diag)
}
