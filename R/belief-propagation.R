# Belief propagation for the stochastic block model, with parameters that the beliefs
# themselves supply (src/kg_belief.c).

#' Communities by belief propagation
#'
#' Refines the partition of [cluster_bethe_hessian()] by sweeps of belief propagation for the
#' stochastic block model with `k` groups. On sparse graphs of that model it comes within
#' thousandths of the best that any method can do.
#'
#' @section Algorithm:
#' Every vertex i keeps a marginal \eqn{P_i}{P_i} over the groups, every edge a message each way.
#' With \eqn{a/n}{a/n} and \eqn{b/n}{b/n} the probabilities of an edge inside a group and
#' across,
#' \deqn{L_i(q) = -\frac{a - b}{n} \sum_u P_u(q) + \sum_{j \sim i} \log(b + (a - b) M_{j \to
#' i}(q)),}{L_i(q) = -(a - b)/n sum_u P_u(q) + sum_(j ~ i) log(b + (a - b) M_ji(q)),}
#' \eqn{P_i \propto \exp L_i}{P_i ~ exp(L_i)}, and the message from i to j is
#' \eqn{\exp L_i}{exp(L_i)} without j's term. Sweeps are simultaneous and not damped. After each,
#' a and b become what the beliefs suggest, at least 0.01.
#'
#' Start: the labels of [cluster_bethe_hessian()], each believed at 0.8, the rest spread evenly;
#' vertices in components that hold no eigenvector start with even beliefs.
#'
#' Near the limit of what can be detected, on small and not so sparse graphs also above it, the
#' beliefs can go flat: every group is as likely as any other. If the mean certainty
#' \eqn{(\max_q P_i(q) - 1/k)/(1 - 1/k)}{(max P - 1/k)/(1 - 1/k)} ends below 0.05, the labels are
#' those of the start, with a message.
#'
#' Edge weights are taken as counts of edges in units of the mean weight (a Poisson model):
#' the term of an edge of weight v is \eqn{b^v + (a^v - b^v) M}{b^v + (a^v - b^v) M}.
#'
#' @section Choosing a method:
#' Take it for sparse graphs in which the groups are of similar make, and where
#' probabilities are wanted: it is the most accurate of the three. [cluster_kgroups()] optimises a
#' stated objective of the labels, assumes no model, and is the same for weighted and dense graphs;
#' its output is never changed by belief propagation. `size_prior = TRUE` adds the logarithm
#' of the group sizes to \eqn{L_i}{L_i}: better for groups of unequal size, slightly worse for
#' equal ones.
#'
#' @inheritSection cluster_bethe_hessian Components and isolated vertices
#' @inheritSection cluster_bethe_hessian Errors
#' @section Complexity: \eqn{O(k m)}{O(k m)} a sweep; memory for \eqn{2 m k}{2 m k} numbers.
#'
#' @inheritParams cluster_bethe_hessian
#' @param sweeps Number of sweeps, 20 by default; fewer if the marginals stop changing. 0 gives
#'   the start.
#' @param size_prior Use the sizes of the groups as a prior? `FALSE` by default.
#' @param ... Not used: an unknown argument is an error.
#' @return An igraph `communities` object as from [cluster_bethe_hessian()]: every vertex in its
#'   most probable group (unless the beliefs went flat, see Algorithm). Attributes: `marginals`, an n x k matrix with the probabilities
#'   (rows named by the vertices, columns in the order of the labels); `rates`, the final
#'   a and b; `sweeps` made. A group that is nobody's most probable one gets the vertex
#'   that fits worst where it is, so that all k exist.
#' @references
#' Decelle A, Krzakala F, Moore C, Zdeborova L (2011). "Asymptotic analysis of the stochastic
#' block model for modular networks and its algorithmic applications." *Physical Review E*,
#' 84, 066106. \doi{10.1103/PhysRevE.84.066106}
#' @family graphs
#' @examples
#' set.seed(1)
#' graph <- sample_sparse_sbm(500, k = 3, degree = 4, snr = 1.6)
#' found <- cluster_belief_propagation(graph, 3)
#' clustering_overlap(igraph::V(graph)$block, found)
#' head(round(attr(found, "marginals"), 3))
#' @export
cluster_belief_propagation <- function(graph, k = NULL, weights = NULL, sweeps = 20,
                                       size_prior = FALSE, nstart = 20, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "cluster_belief_propagation")
  sweeps <- check_count(sweeps, "sweeps", 0, 1e6)
  size_prior <- check_flag(size_prior, "size_prior")
  nstart <- check_count(nstart, "nstart", 1, 1e6)
  simple <- as_simple_adjacency(graph, weights)
  n <- simple$n
  if (!is.null(k)) k <- check_graph_k(k, n)
  parts <- bethe_parts(simple)
  k <- graph_k(k, simple, parts)
  check_memory(
    8 * k * (length(simple$adjacency@x) + 4 * n), n, "the messages of belief propagation",
    call = env
  )
  start <- graph_starts(simple, parts, k, normalize = TRUE, nstart, one = TRUE)[[1L]]
  start_labels <- start$labels
  start$labels[!start$inside] <- NA
  found <- propagate_beliefs(simple, start$labels, k, sweeps, size_prior)
  labels <- max.col(t(found$marginals), ties.method = "first")
  if (k > 1L && any(start$inside) && certainty(found$marginals) < 0.05) {
    kg_inform(
      c(
        "The beliefs went flat: to the model, the graph has no groups.",
        "i" = "The labels are those of {.fn cluster_bethe_hessian}; the marginals are the flat ones."
      ),
      "flat"
    )
    labels <- start_labels
  }
  labels <- fill_groups(simple, parts, labels, k)
  out <- new_communities(graph, weights, labels, k, "belief propagation")
  marginals <- t(found$marginals)[, first_appearance(labels, k), drop = FALSE]
  dimnames(marginals) <- list(simple$names, seq_len(k))
  attr(out, "marginals") <- marginals
  attr(out, "rates") <- stats::setNames(found$rates, c("inside", "outside"))
  attr(out, "sweeps") <- found$sweeps
  out
}

# How sure the marginals (k x n) are: 0 if all groups are alike to every vertex, 1 if each
# vertex is sure of its own.
certainty <- function(marginals) {
  k <- nrow(marginals)
  largest <- marginals[cbind(max.col(t(marginals), ties.method = "first"), seq_len(ncol(marginals)))]
  (mean(largest) - 1 / k) / (1 - 1 / k)
}

# Sweeps from labels (NA: nothing is known). `rates` given are kept throughout.
propagate_beliefs <- function(simple, labels, k, sweeps = 20, size_prior = FALSE, rates = NULL,
                              belief = 0.8, tolerance = 1e-8) {
  A <- simple$adjacency
  weight <- if (simple$weighted) A@x / mean(A@x)
  marginals <- matrix(1 / k, k, simple$n)
  known <- which(!is.na(labels))
  marginals[, known] <- (1 - belief) / k
  at <- cbind(labels[known], known)
  marginals[at] <- marginals[at] + belief
  learn <- is.null(rates)
  progress_step("Belief propagation", 10 * sweeps * k * length(A@x))
  if (learn) rates <- label_rates(simple, labels, k, weight)
  .Call(
    ffi_belief, list(start = A@p, row = A@i, weight = weight), marginals, as.double(rates),
    list(
      sweeps = as.double(sweeps), learn = learn, size_prior = size_prior,
      tolerance = as.double(tolerance)
    )
  )
}

# a = 2 n E_in / sum S_q^2 and b = 2 n E_out / ((sum S)^2 - sum S_q^2) of labels, at least .01.
label_rates <- function(simple, labels, k, weight = NULL) {
  A <- simple$adjacency
  from <- labels[A@i + 1L]
  to <- labels[rep.int(seq_len(simple$n), diff(A@p))]
  if (is.null(weight)) weight <- rep(1, length(A@i))
  known <- !is.na(from) & !is.na(to)
  same <- sum(weight[known & from == to], na.rm = TRUE)
  other <- sum(weight[known]) - same
  size <- tabulate(labels, k)
  squares <- sum(size^2)
  across <- sum(size)^2 - squares
  pmax(0.01, c(
    if (squares > 0) simple$n * same / squares else 0,
    if (across > 0) simple$n * other / across else 0
  ))
}
