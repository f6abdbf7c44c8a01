# New vertices of a graph that has been divided, by their edges to the vertices it had: for fits the
# cluster whose mean is nearest, for beliefs the posterior of the block model.

# list(at, to, value, m, names): the edges that newdata gives, `at` which new vertex, `to` which old one.
new_edges <- function(newdata, simple, call) {
  out <- if (is.data.frame(newdata)) {
    listed_edges(newdata, simple, call)
  } else {
    matrix_edges(newdata, simple, call)
  }
  bad <- which(!is.finite(out$value) | out$value < 0 | out$value > 1e100)
  if (length(bad)) {
    abort_new_edges(sprintf("The weight of an edge is %s.", format(out$value[bad[1L]])), call)
  }
  keep <- out$value > 0
  out[c("at", "to", "value")] <- lapply(out[c("at", "to", "value")], `[`, keep)
  odd <- which(out$value != 1)
  if (!simple$weighted && length(odd)) {
    abort_new_edges(sprintf("An edge has weight %s, and the graph has no weights.", format(out$value[odd[1L]])), call)
  }
  if (isTRUE(simple$log1p)) out$value <- log1p(out$value)
  out
}

abort_new_edges <- function(came, call) {
  kg_abort(
    c(
      "{.arg newdata} must be the edges between new vertices and those of the graph.",
      "x" = "{came}",
      "i" = "Give a matrix, a row for each new vertex and a column for each of the graph, of 0, 1 or edge weights,",
      "i" = "or a data frame with a row for each edge: new vertex, vertex of the graph, weight if there are weights."
    ),
    "newdata",
    call = call
  )
}

matrix_edges <- function(newdata, simple, call) {
  if (is.atomic(newdata) && is.null(dim(newdata)) && length(newdata) == simple$n) newdata <- t(newdata)
  good <- (is.matrix(newdata) && (is.numeric(newdata) || is.logical(newdata))) || inherits(newdata, "Matrix")
  if (!good) {
    abort_new_edges(sprintf("You supplied %s.", describe(newdata)), call)
  }
  named <- !is.null(simple$names) && !is.null(colnames(newdata))
  column <- if (named) match(colnames(newdata), simple$names) else seq_len(ncol(newdata))
  if (named && anyNA(column)) {
    name <- encodeString(colnames(newdata)[is.na(column)][1L], quote = "\"")
    abort_new_edges(sprintf("The graph has no vertex %s, as a column is named.", name), call)
  }
  if (!named && ncol(newdata) != simple$n) {
    abort_new_edges(sprintf("It has %d columns, and the graph %d vertices.", ncol(newdata), simple$n), call)
  }
  entries <- methods::as(methods::as(methods::as(newdata, "dMatrix"), "generalMatrix"), "TsparseMatrix")
  # equal positions are added up
  entries <- methods::as(methods::as(entries, "CsparseMatrix"), "TsparseMatrix")
  names <- rownames(newdata)
  list(at = entries@i + 1L, to = column[entries@j + 1L], value = entries@x, m = nrow(newdata), names = names)
}

# Two columns, the new vertex and the old one, and a third of weights if there is one.
listed_edges <- function(newdata, simple, call) {
  if (ncol(newdata) < 2L || ncol(newdata) > 3L || anyNA(newdata[[1L]])) {
    abort_new_edges(sprintf("You supplied %s.", describe(newdata)), call)
  }
  end <- newdata[[2L]]
  if (is.factor(end)) end <- as.character(end)
  to <- if (is.character(end)) {
    match(end, simple$names)
  } else if (is.numeric(end)) {
    match(end, seq_len(simple$n))
  } else {
    rep(NA_integer_, length(end))
  }
  if (anyNA(to)) {
    came <- encodeString(as.character(end[is.na(to)][1L]), quote = if (is.numeric(end)) "" else "\"")
    abort_new_edges(sprintf("The graph has no vertex %s.", came), call)
  }
  value <- if (ncol(newdata) == 3L) newdata[[3L]] else rep(1, length(to))
  if (!is.numeric(value)) {
    abort_new_edges("The third column, of weights, holds no numbers.", call)
  }
  names <- unique(as.character(newdata[[1L]]))
  at <- match(as.character(newdata[[1L]]), names)
  # parallel edges are one, as in the graph: of their summed weights
  key <- at + length(names) * (to - 1)
  sums <- rowsum(as.numeric(value), key, reorder = FALSE)[, 1L]
  first <- !duplicated(key)
  value <- if (simple$weighted) unname(sums) else value[first]
  list(at = at[first], to = to[first], value = value, m = length(names), names = names)
}

# R of predict(): B between the new vertices and the old ones, by the matrix of the fit.
#' @export
store_cross.kgroups_graph <- function(store, problem, y, cluster, k, diag, type, call) {
  edges <- new_edges(y, store$simple, call)
  if (store$gram == "bethe-hessian") {
    # as bethe_parts() has it, weights no larger than it allows
    r <- store$edge$r
    a <- pmin(edges$value / store$edge$scale, r / 1.05)
    value <- if (store$simple$weighted) (r^2 - 1) * r * a / (r^2 - a^2) else rep(r, length(a))
  } else {
    own <- if (store$vertex_weights == "degree") sum_by(edges$value, edges$at, edges$m) else rep(1, edges$m)
    value <- edges$value / own[edges$at] / vertex_strength(store$simple, store$vertex_weights)[edges$to]
  }
  sums <- sum_by(value * problem$w[edges$to], edges$at + edges$m * (cluster[edges$to] - 1L), edges$m * k)
  list(R = matrix(sums, edges$m), self = 0, names = edges$names)
}

#' Groups of new vertices by their edges
#'
#' The posterior of the block model that [cluster_belief_propagation()] or [cluster_communities()]
#' has found, for vertices that the graph did not have.
#'
#' @section Algorithm:
#' One step of belief propagation for a vertex that is added, which sends and receives nothing else:
#' \deqn{P(q) \propto g_q e^{X(d, q) - h(q)} \prod_{j \sim i} \sum_s (1 - e^{-y_{ij}(q, s)}) P_j(s),}{P(q) ~
#' g_q exp(X(d, q) - h(q)) prod_(j ~ i) sum_s (1 - exp(-y_ij(q, s))) P_j(s),}
#' with the letters of [cluster_belief_propagation()]; \eqn{\theta}{theta} of the new vertex is what gives it
#' its degree in the mean. Edges among new vertices are not looked at. For a vertex of the graph
#' itself the answer need not be that of the fit, which knows what its neighbours know of each
#' other: leave `newdata` out.
#'
#' @param object What [cluster_belief_propagation()] or [cluster_communities()] gave.
#' @param newdata The edges of the new vertices: a matrix, sparse or not, with a row for each of
#'   them and a column for each vertex of the graph (by name where both have names), of 0 and 1 or,
#'   if the graph has edge weights, of weights; or a data frame with a row for each edge, its columns
#'   the new vertex, the vertex of the graph by name or number, and the weight if there are weights. If
#'   left out, the answer is that of the fit.
#' @param type `"class"`, labels, or `"probability"`, a matrix with a column a group.
#' @param ... Not used: an unknown argument is an error.
#' @return Integer labels, or a matrix of probabilities, named by the rows of `newdata` or the new
#'   vertices of the data frame.
#' @section Errors: `kg_error_newdata` for edges that do not fit the graph; `kg_error_beliefs` where the
#'   communities do not come from belief propagation (edge weights and a partition of larger modularity).
#' @section Complexity: \eqn{O(k^2)}{O(k^2)} an edge.
#' @family graphs
#' @seealso [predict.kgroups_fit()] for fits of [kgroups()].
#' @examples
#' set.seed(1)
#' graph <- sample_sparse_sbm(200, k = 2, degree = 8, snr = 2.4)
#' found <- cluster_belief_propagation(graph, 2)
#' friends <- data.frame(from = rep(c("a", "b"), each = 3), to = c(1:3, 198:200))
#' predict(found, friends)
#' predict(found, friends, type = "probability")
#' @export
predict.kgroups_beliefs <- function(object, newdata, type = c("class", "probability"), ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "predict.kgroups_beliefs")
  type <- check_choice(type, "type", c("class", "probability"))
  field <- attr(object, "field")
  if (is.null(field)) {
    kg_abort(
      c(
        "{.arg object} must have beliefs.",
        "x" = "Its partition is that of {object$algorithm}.",
        "i" = "Use {.code cluster_belief_propagation(graph, k)}, or {.code kgroups(graph, k)} and its {.fn predict}."
      ),
      "beliefs",
      call = env
    )
  }
  P <- attr(object, "marginals")
  if (missing(newdata)) {
    if (type == "probability") {
      return(P)
    }
    return(stats::setNames(as.integer(object$membership), object$names))
  }
  graph <- list(n = nrow(P), names = object$names, weighted = field$weighted, log1p = field$log1p)
  edges <- new_edges(newdata, graph, env)
  out <- posterior_of_new(edges, P, field)
  dimnames(out) <- list(edges$names, seq_len(ncol(P)))
  if (type == "probability") {
    return(out)
  }
  stats::setNames(max.col(out, ties.method = "first"), edges$names)
}

# What predict() needs of a run whose groups have the marginals P (n x k): theta and t, the rates as
# a k x k matrix of n W with the norms in it, log g, and X of each bin.
belief_field <- function(simple, model, P, rates) {
  n <- simple$n
  k <- ncol(P)
  has <- belief_models[[model]]
  theta <- belief_theta(simple, model)
  if (is.null(theta)) theta <- rep(1, n)
  N <- colSums(P)
  S <- colSums(theta * P)
  W <- if (is.matrix(rates)) rates else matrix(rates[[2L]], k, k) + diag(rates[[1L]] - rates[[2L]], k)
  if (has$norm && !is.matrix(rates)) W <- W * outer(N / S, N / S)
  bins <- bin_degrees(diff(simple$adjacency@p))
  there <- bins$count > 0
  law <- matrix(0, length(there), k)
  if (has$bins) {
    C <- rowsum(P, bins$bin)
    p <- bins$share[there]
    law[there, ] <- log((C + 20 * p) / rep(N + 20, each = length(p)) / p)
  }
  list(
    model = model, theta = theta, W = W / n, log_size = if (has$sizes) log(N / n) else rep(-log(k), k),
    law = law, weighted = simple$weighted, log1p = isTRUE(simple$log1p),
    unit = if (simple$weighted) mean(simple$adjacency@x) else 1, strength = sum(simple$adjacency@x) / n,
    t = if (has$theta && !simple$weighted) fugacities(diff(simple$adjacency@p))$t
  )
}

# m x k
posterior_of_new <- function(edges, P, field) {
  n <- nrow(P)
  k <- ncol(P)
  m <- edges$m
  degree <- tabulate(edges$at, m)
  has <- belief_models[[field$model]]
  theta <- if (!has$theta) {
    rep(1, m)
  } else if (field$weighted) {
    sum_by(edges$value, edges$at, m) / field$strength
  } else {
    new_fugacity(degree, field$t) / mean(field$t)
  }
  x <- theta[edges$at] * field$theta[edges$to]
  v <- edges$value / field$unit
  mass <- colSums(field$theta * P)
  near <- sum_by(field$theta[edges$to] * P[edges$to, , drop = FALSE], edges$at, m)
  left <- pmax(matrix(mass, m, k, byrow = TRUE) - near, 0)
  L <- matrix(field$log_size, m, k, byrow = TRUE) - theta * (left %*% field$W)
  if (has$bins) {
    bin <- findInterval(degree, degree_bins(max(degree, 6)))
    L <- L + field$law[pmin(bin, nrow(field$law)), , drop = FALSE]
  }
  for (q in seq_len(k)) {
    term <- numeric(length(x))
    for (s in seq_len(k)) {
      y <- x * field$W[q, s]
      seen <- if (field$weighted) (field$W[q, s] / field$W[1L])^v * exp(-y) else -expm1(-y)
      term <- term + seen * P[edges$to, s]
    }
    L[, q] <- L[, q] + sum_by(log(pmax(term, 1e-300)), edges$at, m)
  }
  L <- exp(L - L[cbind(seq_len(m), max.col(L, ties.method = "first"))])
  L / rowSums(L)
}

# The t of a vertex that is joined to each other with probability 1 - exp(-t t_j), of such a degree.
new_fugacity <- function(degree, t) {
  values <- sort(unique(t[t > 0]))
  count <- tabulate(match(t, values), length(values))
  vapply(degree, function(d) {
    if (d == 0) {
      return(0)
    }
    d <- min(d, sum(count) - 0.5)
    miss <- function(log_t) sum(count * -expm1(-exp(log_t) * values)) - d
    exp(stats::uniroot(miss, log(d / sum(t)) + c(-1, 1), extendInt = "upX", tol = 1e-10)$root)
  }, 0)
}
