# Belief propagation as a front door: six stochastic block models from the same starts
# (R/belief-models.R, src/kg_belief.c), the one with the least evidence returned.

#' Communities by belief propagation
#'
#' Refines the partition of [cluster_bethe_hessian()] by sweeps of belief propagation for a
#' stochastic block model with `k` groups, one of six or the one that the graph has most
#' evidence for. On sparse graphs of these models it comes within thousandths of the best
#' that any method can do.
#'
#' @section Algorithm:
#' Two vertices of groups q and s are joined with probability \eqn{1 - \exp(-y_{ij})}{1 -
#' exp(-y_ij)}, \eqn{y_{ij}(q, s) = \theta_i \theta_j W_{qs}}{y_ij(q, s) = theta_i theta_j W_qs}:
#' that of at least one edge, where their number is Poisson. Every vertex i keeps a marginal
#' \eqn{P_i}{P_i} over the groups, every edge a message each way:
#' \deqn{L_i(q) = \log g_q + X(d_i, q) - h_i(q) + \sum_{j \sim i} \log T_{ji}(q), \quad
#' T_{ji}(q) = \sum_s (1 - e^{-y_{ij}(q, s)}) M_{j \to i}(s),}{L_i(q) = log g_q + X(d_i, q) - h_i(q) +
#' sum_(j ~ i) log T_ji(q), T_ji(q) = sum_s (1 - exp(-y_ij(q, s))) M_ji(s),}
#' where \eqn{h_i(q)}{h_i(q)} is the sum of \eqn{y_{iu}(q, s) P_u(s)}{y_iu(q, s) P_u(s)} over the groups s
#' of all vertices u that i is not joined to. Then \eqn{P_i \propto \exp L_i}{P_i ~ exp(L_i)}, and the
#' message from i to j is \eqn{\exp L_i}{exp(L_i)} without j's term. Vertices are visited in turn,
#' upwards and downwards, and each sees at once what those before it changed. After each sweep the
#' parameters become what the beliefs suggest. W is a inside groups and b across, both at least
#' 0.01/n; with `affinity = "full"` any symmetric matrix.
#'
#' That a pair has no second edge is why hubs need care: with the usual Poisson numbers of
#' edges, two hubs that are joined once would be joined too rarely, and hubs of one group be told
#' apart. Degree-corrected models take the \eqn{\theta_i}{theta_i} that give every vertex its degree in the mean.
#'
#' Below 100 vertices, runs whose beliefs still swing after the last sweep are passed over where
#' another run has come to rest: their free energy says little.
#'
#' Starts: the labels of [cluster_bethe_hessian()] and of the eigenvectors of a regularised
#' Laplacian, each believed at 0.8, the rest spread evenly, and what the models before it in the
#' table below have found; vertices in components that hold no eigenvector start with even
#' beliefs. The least Bethe free energy wins. Above 50000 vertices there is no Laplacian, and
#' where 2 m k is above 2e6, `"auto"` looks at plain_p, dc_p and dc_norm only, one start each.
#'
#' Near the limit of what can be detected, on small and not so sparse graphs also above it, the
#' beliefs can go flat: every group is as likely as any other. If the mean certainty
#' \eqn{(\max_q P_i(q) - 1/k)/(1 - 1/k)}{(max P - 1/k)/(1 - 1/k)} ends below 0.05, the labels are
#' those of the start, with a message.
#'
#' A group that ends as nobody's most probable one is dropped, with a message that says how many are
#' left.
#'
#' Edge weights are taken as counts of edges in units of the mean weight, all of them seen: an edge
#' of weight v has \eqn{y^v e^{-y}}{y^v exp(-y)} in its term, and \eqn{\theta}{theta} is the share in
#' the weights.
#'
#' @section Choosing a model:
#' | `model` | \eqn{\theta}{theta} | W | sizes g | X |
#' |---|---|---|---|---|
#' | `"plain"`, `"plain_p"` | 1 | a, b | even, learnt | none |
#' | `"dc"`, `"dc_p"` | of the degree | a, b | even, learnt | none |
#' | `"dc_norm"` | the same over the group's mean | a, b | learnt | none |
#' | `"dc_norm_bins"` | the same as above | a, b | learnt | a law of degrees for each group |
#'
#' `"auto"` runs them all and takes the least evidence: the free energy, what the degrees cost
#' (a law flat within bins of degrees) where the model is given them, and half a logarithm for each
#' parameter; the laws of the groups cost what their prior makes of them. Evidence can be
#' compared between models and numbers of groups; [cluster_communities()] does both. It is not defined
#' for edge weights: there, `"auto"` takes the largest modularity of
#' the first four. Where degrees vary within groups take a degree-corrected model, where groups
#' differ in size a learnt one; `"dc_norm"` and `"dc_norm_bins"` are for groups whose mean degrees
#' differ.
#'
#' `affinity = "full"` finds patterns other than groups with more edges inside than across, a core
#' and its rim above all, which on real networks is often what it finds first.
#'
#' @section Choosing a method:
#' Take it for sparse graphs, and where probabilities are wanted: it is the most accurate of the
#' three. [cluster_kgroups()] optimises a stated objective of the labels, assumes no model, and
#' is the same for weighted and dense graphs; its output is never changed by belief propagation.
#'
#' @inheritSection cluster_bethe_hessian Components and isolated vertices
#' @section Errors:
#' As [cluster_bethe_hessian()]; `kg_error_model` where the model or the affinity cannot take the
#' edge weights; `kg_error_memory`.
#' @section Complexity: \eqn{O(k m)}{O(k m)} a sweep (\eqn{O(k^2 m)}{O(k^2 m)} with a full affinity), at
#'   most 40 sweeps, some 27 runs for `"auto"` on a graph that is not large; memory for
#'   \eqn{2 m k}{2 m k} numbers. A tenth of a second to half a second at 1000 vertices.
#'
#' @inheritParams cluster_bethe_hessian
#' @param model Which model, see there; `"auto"` (the default) compares them.
#' @param sweeps Most sweeps of a run; fewer if the marginals stop changing. 0 gives the start.
#' @param affinity `"two"` rates, inside and across (the default), or a `"full"` matrix, for graphs
#'   without edge weights.
#' @param size_prior Former name of a choice of model: `TRUE` is `model = "plain_p"`, `FALSE` is
#'   `model = "plain"`, with a message.
#' @param ... Not used: an unknown argument is an error.
#' @return An igraph `communities` object of class `kgroups_beliefs`, as from [cluster_bethe_hessian()], of
#'   `k` groups or fewer:
#'   every vertex in its most probable group (unless the beliefs went flat, see Algorithm).
#'   Attributes: `marginals`, a matrix with a row a vertex (named by the vertices) and a column a
#'   group, in the order of the labels; `rates`, n times a and b, or the matrix of n W; `sweeps`
#'   made; `model`; `evidence` (in nats, less is better; `NA` with edge weights); `models`, a data frame with the model,
#'   the groups left, free energy, evidence and modularity of each model tried; `field`, what
#'   [predict()][predict.kgroups_beliefs] needs beside the marginals.
#' @references
#' Decelle A, Krzakala F, Moore C, Zdeborova L (2011). "Asymptotic analysis of the stochastic
#' block model for modular networks and its algorithmic applications." *Physical Review E*,
#' 84, 066106. \doi{10.1103/PhysRevE.84.066106}
#'
#' Karrer B, Newman MEJ (2011). "Stochastic blockmodels and community structure in networks."
#' *Physical Review E*, 83, 016107. \doi{10.1103/PhysRevE.83.016107} (degree correction)
#'
#' Yan X, Shalizi C, Jensen JE, Krzakala F, Moore C, Zdeborova L, Zhang P, Zhu Y (2014). "Model
#' selection for degree-corrected block models." *Journal of Statistical Mechanics: Theory and
#' Experiment*, P05007. \doi{10.1088/1742-5468/2014/05/P05007}
#' @family graphs
#' @examples
#' set.seed(1)
#' graph <- sample_sparse_sbm(500, k = 3, degree = 4, snr = 1.6)
#' found <- cluster_belief_propagation(graph, 3)
#' compare_clusters(igraph::V(graph)$block, found, "overlap")
#' head(round(attr(found, "marginals"), 3))
#' attr(found, "models")
#' @export
cluster_belief_propagation <- function(graph, k = NULL, weights = NULL, sweeps = 40, size_prior = NULL, nstart = 20,
                                       model = c("auto", "plain", "plain_p", "dc", "dc_p", "dc_norm", "dc_norm_bins"),
                                       affinity = c("two", "full"), ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "cluster_belief_propagation")
  model <- check_belief_model(model, size_prior, env)
  sweeps <- check_count(sweeps, "sweeps", 0, 1e6)
  full <- check_choice(affinity, "affinity", c("two", "full")) == "full"
  nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  simple <- as_simple_adjacency(graph, weights)
  abort_bipartite(graph, call = env)
  check_belief_weights(simple, model, full, env)
  n <- simple$n
  if (!is.null(k)) k <- check_graph_k(k, n)
  parts <- bethe_parts(simple)
  k <- graph_k(k, simple, parts)
  check_memory(
    8 * k * (length(simple$adjacency@x) + 4 * n), n, "the messages of belief propagation",
    call = env
  )
  starts <- belief_starts(simple, parts, k, nstart)
  tried <- belief_candidates(simple, starts, k, model, sweeps, full)
  chosen <- tried[[belief_choice(tried)]]
  belief_communities(graph, weights, simple, parts, chosen, starts[[1L]], tried)
}

# The chosen candidate as igraph's class, with what belief propagation knows beside the labels.
# `start`: the labels where the beliefs say nothing, list(labels, inside).
belief_communities <- function(graph, weights, simple, parts, chosen, start, tried) {
  asked <- nrow(chosen$marginals)
  labels <- chosen$labels
  groups <- sort(unique(labels))
  if (asked > 1L && any(start$inside) && certainty(chosen$marginals) < 0.05) {
    kg_inform(
      c(
        "The beliefs went flat: to the model, the graph has no groups.",
        "i" = "The labels are those of {.fn cluster_bethe_hessian}; the marginals are the flat ones."
      ),
      "flat"
    )
    groups <- seq_len(asked)
    labels <- fill_groups(simple, parts, start$labels, asked)
  } else if (length(groups) < asked) {
    left <- length(groups)
    kg_inform(
      c(
        "Of {asked} groups {left} {?is/are} left: {.val {chosen$model}} finds nothing in the graph for the others.",
        "i" = "The number of communities of the result is {left}."
      ),
      "dropped"
    )
  }
  labels <- match(labels, groups)
  k <- length(groups)
  out <- new_communities(graph, weights, labels, k, "belief propagation")
  order <- groups[first_appearance(labels, k)]
  marginals <- t(chosen$marginals)[, order, drop = FALSE]
  if (k < asked) {
    sums <- rowSums(marginals)
    marginals[sums > 0, ] <- marginals[sums > 0, , drop = FALSE] / sums[sums > 0]
    marginals[sums <= 0, ] <- 1 / k
  }
  dimnames(marginals) <- list(simple$names, seq_len(k))
  rates <- if (is.matrix(chosen$rates)) {
    chosen$rates[order, order, drop = FALSE]
  } else {
    stats::setNames(chosen$rates, c("inside", "outside"))
  }
  attr(out, "marginals") <- marginals
  attr(out, "rates") <- rates
  attr(out, "sweeps") <- chosen$sweeps
  attr(out, "model") <- chosen$model
  attr(out, "evidence") <- chosen$evidence
  attr(out, "models") <- belief_table(tried)
  attr(out, "field") <- belief_field(simple, chosen$model, unname(marginals), rates)
  class(out) <- c("kgroups_beliefs", class(out))
  out
}

#' @export
format.kgroups_beliefs <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_belief_propagation")
  evidence <- attr(x, "evidence")
  communities_text(x, sprintf(
    "Belief propagation, model %s%s", attr(x, "model"),
    if (is.na(evidence)) "" else sprintf(", evidence %s nats", format(round(evidence, 1), nsmall = 1))
  ))
}

# Communities in lines: how many, how they came about, their sizes.
communities_text <- function(x, how) {
  k <- length(unique(x$membership))
  c(
    sprintf(
      "%d communit%s of %s vertices, modularity %s", k, if (k == 1L) "y" else "ies",
      format(x$vcount, big.mark = ","), format(round(x$modularity, 10), digits = 3)
    ),
    how,
    sprintf("Sizes: %s", sizes_text(tabulate(x$membership, k)))
  )
}

#' @export
print.kgroups_beliefs <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_belief_propagation")
  cat(format(x), sep = "\n")
  invisible(x)
}

#' @rdname cluster_belief_propagation
#' @param object What `cluster_belief_propagation()` gave; its summary shows the models that were tried.
#' @export
summary.kgroups_beliefs <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_belief_propagation")
  structure(list(head = format(object), models = attr(object, "models")), class = "summary.kgroups_beliefs")
}

#' @export
print.summary.kgroups_beliefs <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_belief_propagation")
  cat(x$head, "", sep = "\n")
  print(x$models, row.names = FALSE, digits = 5)
  invisible(x)
}

# A row for every model tried.
belief_table <- function(tried) {
  pick <- function(name, what) vapply(tried, `[[`, what, name, USE.NAMES = FALSE)
  data.frame(
    model = pick("model", ""), k = pick("k", 0L), free_energy = pick("energy", 0),
    evidence = pick("evidence", 0), modularity = pick("modularity", 0)
  )
}

check_belief_model <- function(model, size_prior, call) {
  model <- check_choice(model, "model", belief_choices, call = call)
  if (is.null(size_prior)) {
    return(model)
  }
  mapped <- if (check_flag(size_prior, "size_prior", call = call)) "plain_p" else "plain"
  kg_inform("{.arg size_prior} is now {.code model = \"{mapped}\"}, and that is what is used.", "deprecated")
  mapped
}

# Weights count as numbers of edges. Only two rates know what to do with them.
check_belief_weights <- function(simple, model, full, call) {
  normed <- model != "auto" && belief_models[[model]]$norm
  if (!simple$weighted || !(full || normed)) {
    return(invisible())
  }
  kg_abort(
    c(
      if (full) {
        "{.code affinity = \"full\"} is for graphs without edge weights."
      } else {
        "Model {.val {model}} is for graphs without edge weights."
      },
      "x" = "The edges have weights.",
      "i" = "{.code weights = NA} leaves them out; {.code model = \"dc_p\"} takes them."
    ),
    "model",
    call = call
  )
}

# Labels to start from, list(labels, inside) each: the package's embedding and that of a
# regularised Laplacian, the latter for graphs where it costs little.
belief_starts <- function(simple, parts, k, nstart) {
  starts <- graph_starts(simple, parts, k, normalize = TRUE, nstart, one = TRUE)[1L]
  names(starts) <- "embedding"
  if (k == 1L || simple$n > 50000) {
    return(starts)
  }
  labels <- laplacian_labels(simple, k, nstart)
  c(starts, list(laplacian = list(labels = labels, inside = !is.na(labels))))
}

# k-means of the unit rows of the k eigenvectors of (D + c)^-1/2 A (D + c)^-1/2, c the mean
# degree, of the largest eigenvalues; NA where a vertex has no part in them.
laplacian_labels <- function(simple, k, nstart = 20) {
  A <- simple$adjacency
  n <- simple$n
  labels <- rep(NA_integer_, n)
  strength <- Matrix::colSums(A)
  # many groups of a larger graph would need a dense matrix's eigenvectors, which answer no interrupt
  if (sum(strength) == 0 || k >= n || (k > n / 4 && n > dense_limit)) {
    return(labels)
  }
  scale <- 1 / sqrt(strength + mean(strength))
  vectors <- if (n <= dense_limit) {
    eigen(as.matrix(A) * outer(scale, scale), symmetric = TRUE)$vectors[, seq_len(k), drop = FALSE]
  } else {
    product <- function(v, args) scale * as.vector(A %*% (scale * v))
    lanczos(product, k, min(n, max(2L * k + 10L, 30L)), 1e-6, n = n)$vectors
  }
  if (is.null(vectors)) {
    return(labels)
  }
  rows <- embedding_rows(vectors, normalize = TRUE)
  labels[rows$rows] <- embedding_labels(rows$features, k, nstart)
  labels
}

# A run of every model from every start, of each model the one of least free energy: list(model,
# k, labels, marginals, rates, sweeps, energy, evidence, modularity). Each model also starts
# from what the earlier ones found, so a model that is named is what "auto" makes of it. Where a
# sweep is long, fewer models, each from one start.
belief_candidates <- function(simple, starts, k, model = "auto", sweeps = 40, full = FALSE) {
  models <- names(belief_models)
  if (simple$weighted) models <- models[!vapply(belief_models, `[[`, FALSE, "norm")]
  large <- belief_large(simple, k)
  if (large) models <- intersect(models, c("plain_p", "dc_p", "dc_norm", setdiff(model, "auto")))
  if (model != "auto") models <- models[seq_len(match(model, models))]
  # one group is one rate, with degrees or without
  if (k == 1L && model == "auto") models <- intersect(models, c("plain", "dc", if (large) c("plain_p", "dc_p")))
  if (large && model != "auto") models <- model
  known <- lapply(starts, function(start) replace(start$labels, !start$inside, NA))
  tried <- list()
  for (name in models) {
    here <- if (large && length(known) > 1L) known[length(known)] else unique(known)
    runs <- lapply(here, function(labels) propagate_beliefs(simple, labels, k, sweeps, name, full = full))
    best <- runs[[which.min(vapply(runs, `[[`, 0, "energy"))]]
    tried[[name]] <- belief_candidate(simple, best, name, full)
    known[[name]] <- tried[[name]]$labels
  }
  if (model == "auto") tried else tried[model]
}

# Is a sweep so long (some hundredths of a second) that not all can be tried?
belief_large <- function(simple, k, values = 2e6) k * length(simple$adjacency@x) > values

# What a number of groups costs, in values of messages: some 20 microseconds each in all, where fewer models are
# tried an eighth.
belief_work <- function(simple, k) {
  as.numeric(k) * length(simple$adjacency@x) / ifelse(belief_large(simple, k), 8, 1)
}

# One run as a candidate: every vertex in its most probable group.
belief_candidate <- function(simple, run, model, full = FALSE) {
  labels <- max.col(t(run$marginals), ties.method = "first")
  k <- length(unique(labels))
  evidence <- if (simple$weighted) NA_real_ else belief_evidence(simple, run, model, full)
  list(
    model = model, k = k, labels = labels, marginals = run$marginals, rates = run$rates,
    sweeps = run$sweeps, energy = run$energy, evidence = evidence,
    modularity = adjacency_modularity(simple, labels), trusted = belief_trusted(simple, run$change, evidence)
  )
}

# Is the free energy to be trusted? It is exact on trees. In a small graph every loop is short, and
# beliefs that still swing can make it far too low; a probability above 1 is none.
belief_trusted <- function(simple, change, evidence) {
  (simple$n >= 100 || change < 0.01) && (is.na(evidence) || evidence >= 0)
}

# Which candidate: the least evidence that can be trusted; modularity where edges have weights, for which evidence
# is not defined.
belief_choice <- function(tried) {
  if (anyNA(vapply(tried, `[[`, 0, "evidence"))) {
    return(which.max(vapply(tried, `[[`, 0, "modularity")))
  }
  which.min(trusted_evidence(tried))
}

# The evidence of the candidates, Inf where it is not to be trusted; of none if of none.
trusted_evidence <- function(tried) {
  evidence <- vapply(tried, `[[`, 0, "evidence")
  trusted <- vapply(tried, `[[`, FALSE, "trusted")
  if (any(trusted)) replace(evidence, !trusted, Inf) else evidence
}

# How sure the marginals (k x n) are: 0 if all groups are alike to every vertex, 1 if each
# vertex is sure of its own.
certainty <- function(marginals) {
  k <- nrow(marginals)
  largest <- marginals[cbind(max.col(t(marginals), ties.method = "first"), seq_len(ncol(marginals)))]
  (mean(largest) - 1 / k) / (1 - 1 / k)
}
