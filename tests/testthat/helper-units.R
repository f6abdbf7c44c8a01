# Answers that do not depend on the unit of weights, of data or of dissimilarities: each function returns labels, probabilities,
# p-values or shares. tools/trust/metamorphic.R computes them on random problems, test-check.R on one.

answers_of_fit <- function(fit, new = NULL) {
  list(
    cluster = unname(fit$cluster), prob = unname(predict(fit, type = "prob")),
    new = if (!is.null(new)) unname(predict(fit, new))
  )
}

functions_of_weights <- list(
  kgroups = function(x, w) answers_of_fit(kgroups(x, 2, weights = w), x),
  within = function(x, w) answers_of_fit(kgroups(x, 2, weights = w, standardize = "within"), x),
  trim = function(x, w) unname(kgroups(x, 2, weights = w, trim = "auto")$noise),
  landmarks = function(x, w) unname(kgroups(x, 2, weights = w, approx = nystroem(10))$cluster),
  connected = function(x, w) unname(kgroups(x, 2, weights = w, semimetric = rho_connected())$cluster),
  apart = function(x, w) unname(kgroups(x, 2, weights = w, apart = cbind(1, 2), together = cbind(3, 4))$cluster),
  stability = function(x, w) unname(stability(kgroups(x, 2, weights = w), B = 3)$observations),
  tree = function(x, w) unname(predict(kgroups_tree(x, weights = w), 3)),
  select_k = function(x, w) unname(as.matrix(select_k(x, 1:3, weights = w, splits = 3)$table[c("elbow", "stability")])),
  mixture = function(x, w) unname(predict(kgroups_mixture(x, 2, weights = w), type = "prob")),
  one_column = function(x, w) unname(kgroups(x[, 1], 3, weights = w)$cluster),
  statistics = function(x, w) unname(unclass(energy_statistics(x, rep_len(1:2, nrow(x)), weights = w)$g)),
  distance = function(x, w) as.vector(energy_distance(x, g = rep_len(1:3, nrow(x)), weights = w)),
  energy_test = function(x, w) energy_test(x, rep_len(1:2, nrow(x)), weights = w, R = 19)$p.value,
  pairwise = function(x, w) unname(pairwise_energy_test(x, rep_len(1:3, nrow(x)), weights = w, R = 19)$p.value),
  describe = function(x, w) describe_clusters(rep_len(1:2, nrow(x)), x, weights = w)$table$coefficient,
  points = function(x, w) unname(unclass(as_points(x, weights = w, standardize = TRUE))[, 1])
)

# Of a matrix or its dissimilarities.
functions_of_distances <- list(
  kgroups = function(x) answers_of_fit(kgroups(x, 2)),
  tree = function(x) unname(predict(kgroups_tree(x), 3)),
  select_k = function(x) unname(as.matrix(select_k(x, 1:3, splits = 3)$table[c("elbow", "stability")])),
  connected = function(x) unname(kgroups(x, 2, semimetric = rho_connected())$cluster),
  trim = function(x) unname(kgroups(x, 2, trim = 0.1)$noise),
  sizes = function(x) unname(kgroups(x, 2, sizes = "equal")$cluster),
  changes = function(x) kgroups_changes(x, R = 19)[c("k", "changes")],
  cluster_test = function(x) cluster_test(x)$p.value,
  energy_test = function(x) energy_test(x, rep_len(1:2, NROW(as.matrix(x))), R = 19)$p.value,
  dispersion = function(x) dispersion_test(x, rep_len(1:2, NROW(as.matrix(x))), R = 19)$p.value
)

functions_of_points <- list(
  gaussian = function(x) answers_of_fit(kgroups(x, 2, semimetric = rho_gaussian()), x),
  exponential = function(x) answers_of_fit(kgroups(x, 2, semimetric = rho_exponential()), x),
  within = function(x) answers_of_fit(kgroups(x, 2, standardize = "within"), x),
  mixture = function(x) unname(predict(kgroups_mixture(x, 2), type = "prob")),
  describe = function(x) describe_clusters(rep_len(1:2, nrow(x)), x)$table$coefficient
)

# Of a graph and its adjacency matrix, for new rows.
functions_of_graphs <- list(
  kgroups = function(g, A) {
    fit <- kgroups(g, 2)
    list(unname(fit$cluster), unname(predict(fit, A)))
  },
  communities = function(g, A) as.vector(igraph::membership(cluster_communities(g))),
  beliefs = function(g, A) {
    found <- cluster_belief_propagation(g, 2)
    unname(attr(found, "marginals"))
  },
  bethe_hessian = function(g, A) as.vector(igraph::membership(cluster_bethe_hessian(g))),
  count = function(g, A) count_communities(g)
)

# A function called alike for the same random numbers, without messages.
quiet_answer <- function(f, ...) {
  set.seed(1)
  suppressMessages(suppressWarnings(f(...)))
}

# A graph of two groups, as a function of the unit of its weights, and its adjacency matrix.
weighted_graph <- function(n) {
  z <- rep_len(1:2, n)
  A <- matrix(stats::rbinom(n^2, 1, ifelse(outer(z, z, "=="), 0.4, 0.08)) * stats::rexp(n^2), n)
  A[lower.tri(A, TRUE)] <- 0
  A <- A + t(A)
  list(graph = function(unit) igraph::graph_from_adjacency_matrix(A * unit, "undirected", TRUE), A = A)
}
