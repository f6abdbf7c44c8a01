# Groups of new vertices by the posterior of a block model.

#' Groups of new vertices by their edges
#'
#' Assigns new vertices to groups by the posterior of the block model that
#' [cluster_belief_propagation()] or [cluster_communities()] has fitted.
#'
#' @section Algorithm:
#' One step of belief propagation for the new vertex alone:
#' \deqn{P(q) \propto g_q e^{X(d, q) - h(q)} \prod_{j \sim i} \sum_s (1 - e^{-y_{ij}(q, s)}) P_j(s),}{P(q) ~
#' g_q exp(X(d, q) - h(q)) prod_(j ~ i) sum_s (1 - exp(-y_ij(q, s))) P_j(s),}
#' with the notation of [cluster_belief_propagation()]; at \eqn{\theta}{theta} the new vertex has its degree
#' in expectation. Edges among new vertices are ignored. For a vertex of the graph
#' itself the answer can differ from its label, because the marginals of its neighbours include
#' its own messages: leave `newdata` out for the labels of the fit.
#'
#' @param object A result of [cluster_belief_propagation()] or [cluster_communities()].
#' @param newdata The edges of the new vertices: a matrix, sparse or not, with a row for each of
#'   them and a column for each vertex of the graph (by name where both have names), of 0 and 1 or,
#'   if the graph has edge weights, of weights; or a data frame with a row for each edge, its columns
#'   the new vertex, the vertex of the graph by name or number, and the weight if there are weights. If
#'   left out, the labels or marginals of the fit are returned.
#' @param type `"class"`, labels, or `"prob"`, a matrix with a column a group.
#' @param ... Not used: an unknown argument is an error.
#' @return Integer labels, or a matrix of probabilities, named by the rows of `newdata` or the new vertices of the data
#'   frame. Communities of [cluster_communities()] that were found without a block model are taken for groups of the
#'   model `"dc_p"` with certain labels; probabilities are then returned for new vertices only.
#'
#' @section Complexity: \eqn{O(k)}{O(k)} an edge, \eqn{O(k^2)}{O(k^2)} for models with norms.
#' @family graphs
#' @seealso [predict.kgroups_fit()] for fits of [kgroups()].
#' @examples
#' # two new persons, each with three friends in one community
#' set.seed(1)
#' graph <- igraph::sample_sbm(200, diag(0.07, 2) + 0.01, c(100, 100))
#' found <- cluster_belief_propagation(graph, 2)
#' friends <- data.frame(from = rep(c("a", "b"), each = 3), to = c(1:3, 198:200))
#' predict(found, friends)
#' predict(found, friends, type = "prob")
#' @export
predict.kgroups_beliefs <- function(object, newdata = NULL, type = c("class", "prob"), ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "predict.kgroups_beliefs")
  type <- check_choice(type, "type", c("class", "prob"))
  field <- attr(object, "field")
  if (is.null(field)) {
    abort_input(
      "beliefs", env, "`object` must be a result of belief propagation.",
      "You supplied a partition by {object$algorithm}.",
      "Use `cluster_belief_propagation(graph, k)`, or `kgroups(graph, k)` and its `predict()`."
    )
  }
  P <- attr(object, "marginals")
  if (is.null(newdata)) {
    if (type == "prob") {
      return(P %||% abort_no_probabilities(env))
    }
    return(stats::setNames(as.integer(object$membership), object$names))
  }
  P <- P %||% label_shares(object$membership, length(field$log_size))
  graph <- list(
    n = nrow(P), names = object$names, weighted = field$weighted, unit = field$unit, log1p = field$log1p,
    largest = field$largest
  )
  edges <- new_edges(newdata, graph, env)
  out <- posterior_of_new(edges, P, field)
  dimnames(out) <- list(edges$names, seq_len(ncol(P)))
  if (type == "prob") {
    return(out)
  }
  stats::setNames(max.col(out, ties.method = "first"), edges$names)
}

# Return the parameters for predict() of a run with marginals P (n x k): theta of all vertices (edges to isolated ones
# carry no information), t, W as a k x k matrix with the norms in it, log g, and X of each bin.
belief_field <- function(simple, model, P, rates, vertices) {
  n <- simple$n
  k <- ncol(P)
  has <- belief_models[[model]]
  theta <- belief_theta(simple, model) %||% rep(1, n)
  N <- colSums(P)
  S <- colSums(theta * P)
  W <- matrix(rates[[2L]], k, k) + diag(rates[[1L]] - rates[[2L]], k)
  if (has$norm) W <- W * outer(N / S, N / S)
  bins <- bin_degrees(diff(simple$adjacency@p))
  X <- matrix(0, length(bins$count), k)
  if (has$bins) X[bins$count > 0, ] <- bin_distributions(bins, P)$X
  list(
    model = model, theta = of_all_vertices(theta, simple, vertices, 0), W = W / n,
    log_size = if (has$sizes) log(N / n) else rep(-log(k), k),
    X = X, weighted = simple$weighted, unit = simple$unit, log1p = isTRUE(simple$log1p), largest = simple$largest,
    mean = if (simple$weighted) mean(simple$adjacency@x) else 1, strength = sum(simple$adjacency@x) / n,
    t = if (has$theta && !simple$weighted) fugacities(diff(simple$adjacency@p))$t
  )
}

# Return the parameters for predict() of a partition without beliefs, as belief_field(): labels are certain.
label_field <- function(simple, labels, vertices) {
  k <- max(labels)
  theta <- belief_theta(simple, "dc_p") %||% rep(1, simple$n)
  belief_field(simple, "dc_p", label_shares(labels, k), label_rates(simple, labels, k, theta), vertices)
}

# Return the n x k matrix of 1 for the label of a vertex and 0 for others.
label_shares <- function(labels, k) outer(labels, seq_len(k), "==") + 0

abort_no_probabilities <- function(call) {
  abort_input(
    "beliefs", call,
    "`object` must be a result of belief propagation for `type = \"prob\"` without `newdata`.",
    "You supplied communities that were found without a block model.",
    "Use `type = \"class\"`, or `cluster_belief_propagation(graph, k)`."
  )
}

# Return the posterior of new vertices, m x k.
posterior_of_new <- function(edges, P, field) {
  n <- nrow(P)
  k <- ncol(P)
  m <- edges$m
  if (m == 0L) {
    return(matrix(0, 0L, k))
  }
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
  v <- edges$value / field$mean
  mass <- colSums(field$theta * P)
  near <- sum_by(field$theta[edges$to] * P[edges$to, , drop = FALSE], edges$at, m)
  left <- pmax(matrix(mass, m, k, byrow = TRUE) - near, 0)
  L <- matrix(field$log_size, m, k, byrow = TRUE) - theta * (left %*% field$W)
  if (has$bins) {
    bin <- findInterval(degree, degree_bins(max(degree, 6)))
    L <- L + field$X[pmin(bin, nrow(field$X)), , drop = FALSE]
  }
  chance <- function(w) if (field$weighted) (w / field$W[1L])^v * exp(-x * w) else -expm1(-x * w)
  near <- P[edges$to, , drop = FALSE]
  # without norms W has one value within groups and one between
  planted <- !has$norm && k > 1L
  if (planted) {
    between <- chance(field$W[2L])
    within <- chance(field$W[1L]) - between
    between <- between * rowSums(near)
  }
  for (q in seq_len(k)) {
    term <- if (planted) {
      between + within * near[, q]
    } else {
      Reduce(`+`, lapply(seq_len(k), function(s) chance(field$W[q, s]) * near[, s]))
    }
    L[, q] <- L[, q] + sum_by(log(pmax(term, 1e-300)), edges$at, m)
  }
  L <- exp(L - L[cbind(seq_len(m), max.col(L, ties.method = "first"))])
  L / rowSums(L)
}

# Return the t at which a vertex, joined to others with probability 1 - exp(-t t_j), has the degree in
# expectation.
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
