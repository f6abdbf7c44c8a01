# Communities by belief propagation: six stochastic block models from the same starts (R/belief-models.R,
# src/kg_belief.c), the one of least description length is returned.

#' Communities by belief propagation
#'
#' Refines the partition of [cluster_bethe_hessian()] by belief propagation for a stochastic block model with `k`
#' groups: one of six models, or that of least description length. On sparse graphs of these models its adjusted Rand
#' index is within .004 of that of a start at the planted groups (`bench/graphs.md` of the sources).
#'
#' @section Algorithm:
#' Two vertices of groups q and s are joined with probability \eqn{1 - \exp(-y_{ij})}{1 -
#' exp(-y_ij)}, \eqn{y_{ij}(q, s) = \theta_i \theta_j W_{qs}}{y_ij(q, s) = theta_i theta_j W_qs}:
#' the probability of at least one edge if their number is Poisson. Every vertex i has a marginal
#' \eqn{P_i}{P_i} over the groups, every edge a message each way:
#' \deqn{L_i(q) = \log g_q + X(d_i, q) - h_i(q) + \sum_{j \sim i} \log T_{ji}(q), \quad T_{ji}(q) = \sum_s (1 -
#' e^{-y_{ij}(q, s)}) M_{j \to
#' i}(s),}{L_i(q) = log g_q + X(d_i, q) - h_i(q) + sum_(j ~ i) log T_ji(q),
#' T_ji(q) = sum_s (1 - exp(-y_ij(q, s))) M_ji(s),}
#' where \eqn{h_i(q)}{h_i(q)} is the sum of \eqn{y_{iu}(q, s) P_u(s)}{y_iu(q, s) P_u(s)} over the groups s of all
#' vertices u that are not neighbours of i. Then \eqn{P_i \propto \exp L_i}{P_i ~ exp(L_i)}, and the message from i to j
#' is \eqn{\exp L_i}{exp(L_i)} without the term of j. Vertices are updated in turn with the current values of the
#' others. After each sweep the parameters are estimated from the marginals (EM). W is a inside groups and b across,
#' both at least 0.01/n. Degree-corrected models use the \eqn{\theta_i}{theta_i} at which every vertex attains its
#' degree in expectation.
#'
#' The starts are the labels of [cluster_bethe_hessian()], of the eigenvectors of a regularised Laplacian, and of
#' [igraph::cluster_leiden()] at a resolution of k communities. Those of the models above it in the table below are
#' added. After 4 sweeps, and again after 12, the half of the runs with the least Bethe free energy continues, and the
#' best is returned. If 2 m k is above 2e6, `"auto"` compares plain_p, dc_p and dc_norm only, with one start each. Below
#' 100 vertices runs that have not converged are ignored if another has, because their free energy is unreliable.
#'
#' Near the detectability limit the posterior can be uninformative: all groups are equally probable. If the mean
#' certainty \eqn{(\max_q P_i(q) - 1/k)/(1 - 1/k)}{(max P - 1/k)/(1 - 1/k)} is below 0.05, the labels are those of the
#' start, with a message. Groups that are most probable for no vertex are dropped, with a message.
#'
#' Edge weights are counts of edges in units of the mean weight: an edge of weight v contributes \eqn{y^v
#' e^{-y}}{y^v exp(-y)}, and \eqn{\theta}{theta} is the share in the weights.
#'
#' @section Choosing a model:
#' | `model` | \eqn{\theta}{theta} | W | sizes g | X |
#' |---|---|---|---|---|
#' | `"plain"`, `"plain_p"` | 1 | a, b | even, learnt | none |
#' | `"dc"`, `"dc_p"` | of the degree | a, b | even, learnt | none |
#' | `"dc_norm"` | the same over the group's mean | a, b | learnt | none |
#' | `"dc_norm_bins"` | the same as above | a, b | learnt | a degree distribution for each group |
#'
#' `"auto"` returns the model of least description length. This is the sum of the free energy, the code length of the
#' degrees (a distribution constant within bins) for models that fit them, and half a logarithm for each parameter.
#' Description lengths can be compared between models and numbers of groups, as [cluster_communities()] does. They are
#' not defined for edge weights: `"auto"` then returns the largest modularity of the first four models. Use a
#' degree-corrected model if degrees vary within groups, one with learnt sizes if groups differ in size, and `"dc_norm"`
#' or `"dc_norm_bins"` if their mean degrees differ.
#'
#' @seealso [cluster_bethe_hessian()] on components, isolated vertices, heavy edges and the choice of a method.
#' @section Complexity: \eqn{O(k m)}{O(k m)} a sweep, at most 40 sweeps, some 10 to 30 runs for `"auto"`; memory for
#'   \eqn{2 m k}{2 m k} numbers.
#'
#' @inheritParams cluster_bethe_hessian
#' @param model The model, see Choosing a model; `"auto"` (the default) compares them.
#' @param sweeps Largest number of sweeps of a run; fewer if the marginals converge. 0 returns the start.
#' @param ... Not used: an unknown argument is an error.
#' @return An igraph `communities` object of class `kgroups_beliefs`, as from [cluster_bethe_hessian()], of `k` groups
#'   or fewer, with every vertex in its most probable group.
#'   Attributes: `marginals`, a matrix with a row for each vertex and a column for each group; `rates`, n times a and b;
#'   `sweeps` made; `model`; `description_length` (in nats; `NA` with edge weights); `models`, a data frame with a row
#'   for each model compared.
#' @references
#' Decelle A, Krzakala F, Moore C, Zdeborová L (2011). "Asymptotic analysis of the stochastic
#' block model for modular networks and its algorithmic applications." *Physical Review E*,
#' 84, 066106. \doi{10.1103/PhysRevE.84.066106}
#'
#' Karrer B, Newman MEJ (2011). "Stochastic blockmodels and community structure in networks."
#' *Physical Review E*, 83, 016107. \doi{10.1103/PhysRevE.83.016107} (degree correction)
#'
#' Yan X, Shalizi C, Jensen JE, Krzakala F, Moore C, Zdeborová L, Zhang P, Zhu Y (2014). "Model
#' selection for degree-corrected block models." *Journal of Statistical Mechanics: Theory and
#' Experiment*, P05007. \doi{10.1088/1742-5468/2014/05/P05007}
#' @family graphs
#' @examples
#' # three planted blocks, and the probabilities of the blocks
#' set.seed(1)
#' block <- rep(1:3, c(200, 150, 150))
#' graph <- igraph::sample_sbm(500, diag(0.022, 3) + 0.003, c(200, 150, 150))
#' found <- cluster_belief_propagation(graph, 3)
#' table(block, igraph::membership(found))
#' head(round(attr(found, "marginals"), 3))
#' # the models by description length
#' attr(found, "models")
#' @export
cluster_belief_propagation <- function(graph, k = NULL, weights = NULL, sweeps = 40, nstart = NULL,
                                       model = c("auto", "plain", "plain_p", "dc", "dc_p", "dc_norm", "dc_norm_bins"),
                                       ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "cluster_belief_propagation")
  model <- check_choice(model, "model", belief_choices)
  sweeps <- check_count(sweeps, "sweeps", 0, 1e6)
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  input <- read_graph(graph, k, weights, env, linked = TRUE)
  # models without a norm accept edge weights, as numbers of edges
  if (input$damped$weighted && model != "auto" && belief_models[[model]]$norm) {
    abort_input(
      "model", env, "A graph must be without edge weights for model {quoted(model)}.",
      "You supplied a graph with edge weights.", "Use `weights = NA` to leave them out, or `model = \"dc_p\"`."
    )
  }
  check_belief_memory(input$damped, input$k, env)
  starts <- c(belief_starts(input$damped, input$parts, input$k, nstart), leiden_start(input$damped, input$k))
  compared <- belief_candidates(input$damped, starts, input$k, model, sweeps)
  chosen <- compared[[belief_choice(compared)]]
  out <- belief_communities(graph, weights, input, chosen, starts[[1L]])
  attr(out, "models") <- belief_table(compared, input$simple)
  out
}

check_belief_memory <- function(simple, k, call) {
  check_memory(
    8 * k * (length(simple$adjacency@x) + 4 * simple$n), simple$n, "the messages of belief propagation",
    call = call
  )
}

# ---- Starts and runs -----------------------------------------------------------------------

# Return starting labels: of the default embedding and, unless there are many vertices or groups, of a regularised
# Laplacian.
belief_starts <- function(simple, parts, k, nstart) {
  starts <- graph_starts(simple, parts, k, normalize = TRUE, nstart, one = TRUE)[1L]
  names(starts) <- "embedding"
  if (k == 1L || simple$n > 50000 || (k > 100L && simple$n > dense_limit)) {
    return(starts)
  }
  labels <- laplacian_labels(simple, k, nstart %||% embedding_starts(simple$n, k))
  if (all(is.na(labels))) starts else c(starts, list(laplacian = labels))
}

# Return k-means labels of the unit rows of the k leading eigenvectors of (D + c)^-1/2 A (D + c)^-1/2, c the
# mean degree; NA for vertices whose rows are 0.
laplacian_labels <- function(simple, k, nstart = 20) {
  A <- simple$adjacency
  n <- simple$n
  labels <- rep(NA_integer_, n)
  strength <- Matrix::colSums(A)
  # many groups of a larger graph would need a dense eigen-decomposition, which answers no interrupt
  if (sum(strength) == 0 || k >= n || (k > n / 4 && n > dense_limit)) {
    return(labels)
  }
  scale <- 1 / sqrt(strength + mean(strength))
  vectors <- if (n <= dense_limit) {
    eigen(as.matrix(A) * outer(scale, scale), symmetric = TRUE)$vectors[, seq_len(k), drop = FALSE]
  } else {
    product <- function(v, args) scale * as.vector(A %*% (scale * v))
    lanczos(product, k, max(2L * k + 10L, 30L), 1e-6, n)$vectors
  }
  if (is.null(vectors)) labels else unit_row_labels(vectors, k, nstart)
}

# 2 m k above which cluster_communities() runs three models, one start each.
few_models_work <- 5e4

# 2 m k above which a sweep is so long (some hundredths of a second) that not all models can run.
large_sweep <- 2e6

# Return for each model its run of least free energy over all starts: list(model, k, labels, marginals,
# rates, sweeps, energy, description_length, modularity, trusted). Each model also starts from the labels of
# earlier ones. If a sweep is long, fewer models run, each from one start.
belief_candidates <- function(simple, starts, k, model = "auto", sweeps = 40, large = large_sweep, tolerance = 1e-6) {
  large <- message_values(simple, k) > large
  models <- models_to_run(simple, k, model, large)
  if (!simple$weighted) simple$fugacity <- fugacities(diff(simple$adjacency@p))
  known <- starts
  found <- list()
  first <- if (large) {
    which.max(vapply(starts, function(labels) adjacency_modularity(simple, replace(labels, is.na(labels), 1L)), 0))
  }
  for (name in models) {
    from <- if (large) known[first] else distinct_starts(known, k)
    found[[name]] <- belief_candidate(simple, best_run(simple, from, k, sweeps, name, tolerance), name)
    # labels of a posterior without information are noise
    if (k > 1L && certainty(found[[name]]$marginals) < least_certainty) next
    known[[name]] <- found[[name]]$labels
    first <- length(known)
  }
  if (identical(model, "auto")) found else found[model]
}

# Share of vertices in which starts differ, up to the order of groups, below which their runs end alike.
same_start <- 0.02

# Return the starts that are not alike, the later of two that are.
distinct_starts <- function(starts, k) {
  kept <- list()
  for (labels in rev(starts)) {
    if (!any(vapply(kept, alike_labels, NA, labels, k))) kept <- c(kept, list(labels))
  }
  kept
}

alike_labels <- function(one, other, k) {
  known <- !is.na(one)
  if (!identical(known, !is.na(other))) {
    return(FALSE)
  }
  both <- matrix(tabulate(one[known] + k * (other[known] - 1L), k^2), k)
  same <- min(sum(apply(both, 1L, max)), sum(apply(both, 2L, max)))
  same >= (1 - same_start) * sum(known)
}

# Sweeps after which only the runs of least free energy go on, half of them each time.
halving_sweeps <- c(4, 12)

# Return the run of least free energy from several starting labels.
best_run <- function(simple, starts, k, sweeps, model, tolerance = 1e-6) {
  runs <- lapply(starts, function(labels) list(state = labels, sweeps = 0, moving = TRUE))
  for (until in c(halving_sweeps[halving_sweeps < sweeps], sweeps)) {
    if (length(runs) == 1L) until <- sweeps
    runs <- lapply(runs, continue_run, simple, k, until, model, tolerance)
    energy <- vapply(runs, function(run) run$state$energy, 0)
    runs <- runs[order(energy)[seq_len(if (until == sweeps) 1L else ceiling(length(runs) / 2))]]
  }
  replace(runs[[1L]]$state, "sweeps", runs[[1L]]$sweeps)
}

# Return a run, list(state, sweeps, moving), after `until` sweeps in all, or as it is if it has converged.
continue_run <- function(run, simple, k, until, model, tolerance) {
  more <- until - run$sweeps
  if (!run$moving || more == 0 && run$sweeps > 0) {
    return(run)
  }
  state <- propagate_beliefs(simple, run$state, k, more, model, tolerance = tolerance)
  list(state = state, sweeps = run$sweeps + state$sweeps, moving = state$sweeps == more)
}

# Return the models in the order of their runs, the earlier ones of a chosen model included.
models_to_run <- function(simple, k, model, large) {
  if (length(model) > 1L || large && model != "auto") {
    return(model)
  }
  models <- names(belief_models)
  if (simple$weighted) models <- models[!vapply(belief_models, `[[`, FALSE, "norm")]
  if (large) models <- intersect(models, c("plain_p", "dc_p", "dc_norm"))
  if (model != "auto") models <- models[seq_len(match(model, models))]
  # one group has one rate, with or without degrees
  if (k == 1L && model == "auto") models <- intersect(models, c("plain", "dc", if (large) c("plain_p", "dc_p")))
  models
}

# Return the number of message values of k groups, 2 m k.
message_values <- function(simple, k) as.numeric(k) * length(simple$adjacency@x)

# Return the run as a candidate: every vertex in its most probable group.
belief_candidate <- function(simple, run, model) {
  labels <- max.col(t(run$marginals), ties.method = "first")
  nats <- if (simple$weighted) NA_real_ else description_length(simple, run, model)
  list(
    model = model, k = length(unique(labels)), labels = labels, marginals = run$marginals, rates = run$rates,
    sweeps = run$sweeps, energy = run$energy, description_length = nats,
    modularity = adjacency_modularity(simple, labels), trusted = belief_trusted(simple, run$change, nats)
  )
}

# The free energy is exact on trees. In a small graph all loops are short, and without convergence it can be
# far too low. A description length below 0 is a probability above 1.
belief_trusted <- function(simple, change, nats) {
  (simple$n >= few_vertices || change < 0.01) && (is.na(nats) || nats >= 0)
}

# Return the index of the candidate of least trusted description length, or of largest modularity if edges
# have weights.
belief_choice <- function(candidates) {
  if (anyNA(vapply(candidates, `[[`, 0, "description_length"))) {
    return(which.max(vapply(candidates, `[[`, 0, "modularity")))
  }
  which.min(trusted_length(candidates))
}

# Return the description lengths, Inf for those not to be trusted unless none is.
trusted_length <- function(candidates) {
  nats <- vapply(candidates, `[[`, 0, "description_length")
  trusted <- vapply(candidates, `[[`, FALSE, "trusted")
  if (any(trusted)) replace(nats, !trusted, Inf) else nats
}

# Certainty below which a posterior is uninformative.
least_certainty <- 0.05

# Return the mean certainty of the marginals (k x n): 0 if all groups are equally probable, 1 if each vertex
# has a group of probability 1.
certainty <- function(marginals) {
  k <- nrow(marginals)
  largest <- marginals[cbind(max.col(t(marginals), ties.method = "first"), seq_len(ncol(marginals)))]
  (mean(largest) - 1 / k) / (1 - 1 / k)
}

# ---- Result --------------------------------------------------------------------------------

# Return the chosen candidate in igraph's class. The labels `start` are used if the posterior is uninformative.
belief_communities <- function(graph, weights, input, chosen, start) {
  simple <- input$damped
  requested <- nrow(chosen$marginals)
  labels <- chosen$labels
  left <- length(unique(labels))
  if (requested > 1L && !all(is.na(start)) && certainty(chosen$marginals) < least_certainty) {
    kg_inform(c(
      "The posterior is uninformative: all groups are equally probable.",
      "i" = "The labels are those of `cluster_bethe_hessian()`."
    ), "uninformative")
    labels <- fill_groups(simple, input$parts, start, requested)
  } else if (left < requested) {
    kg_inform(c(
      "{left} of {requested} groups {?is/are} left: model {quoted(chosen$model)} needs no more for this graph.",
      "i" = "The number of communities of the result is {left}."
    ), "dropped")
  }
  groups <- unique(labels)
  k <- length(groups)
  n <- igraph::vcount(graph)
  out <- new_communities(graph, weights, of_all_vertices(labels, simple, n), "belief propagation", simple$changed)
  marginals <- t(chosen$marginals)[, groups, drop = FALSE]
  if (k < requested) {
    sums <- rowSums(marginals)
    marginals[sums > 0, ] <- marginals[sums > 0, , drop = FALSE] / sums[sums > 0]
    marginals[sums <= 0, ] <- 1 / k
  }
  # nothing is known of isolated vertices
  marginals <- marginals[of_all_vertices(seq_len(simple$n), simple, n), , drop = FALSE]
  marginals[is.na(marginals)] <- 1 / k
  dimnames(marginals) <- list(out$names, seq_len(k))
  rates <- stats::setNames(chosen$rates, c("inside", "outside"))
  attributes(out)[c("marginals", "rates", "sweeps", "model", "description_length")] <- list(
    marginals, rates, chosen$sweeps, chosen$model, chosen$description_length
  )
  class(out) <- c("kgroups_beliefs", class(out))
  out
}

# Return a data frame with a row for every candidate, with the modularity of all weights.
belief_table <- function(candidates, simple) {
  column <- function(name, type) vapply(candidates, `[[`, type, name, USE.NAMES = FALSE)
  data.frame(
    model = column("model", ""), k = column("k", 0L), free_energy = column("energy", 0),
    description_length = column("description_length", 0),
    modularity = vapply(candidates, function(one) adjacency_modularity(simple, one$labels), 0, USE.NAMES = FALSE)
  )
}

#' @export
format.kgroups_beliefs <- function(x, ...) {
  nats <- attr(x, "description_length")
  communities_text(x, sprintf(
    "Belief propagation, model %s%s", attr(x, "model"),
    if (is.na(nats)) "" else sprintf(", description length %s nats", format(round(nats, 1), nsmall = 1))
  ))
}

# Return the line of the print on what was changed in the graph.
changed_text <- function(x) paste0("Graph: ", toString(x$changed))

# Return lines with the number of communities, the method and the sizes.
communities_text <- function(x, method) {
  alone <- x$isolated
  k <- max(x$membership) - alone
  c(
    sprintf(
      "%d communit%s of %s vertices%s, modularity %s", k, if (k == 1L) "y" else "ies",
      format(x$vcount - alone, big.mark = ",", decimal.mark = "."),
      if (alone) sprintf(" and %d isolated vert%s", alone, if (alone == 1L) "ex" else "ices") else "",
      format(round(x$modularity, 10), digits = 3)
    ),
    method,
    sprintf("Sizes: %s", sizes_text(tabulate(x$membership, k))),
    if (!is.null(x$changed)) changed_text(x)
  )
}

#' @export
print.kgroups_beliefs <- print_lines

#' @rdname cluster_belief_propagation
#' @param object A result of `cluster_belief_propagation()`; its summary shows the models compared.
#' @export
summary.kgroups_beliefs <- function(object, ...) {
  structure(list(head = format(object), models = attr(object, "models")), class = "summary.kgroups_beliefs")
}

#' @export
print.summary.kgroups_beliefs <- function(x, ...) {
  cat(x$head, "", sep = "\n")
  print(x$models, row.names = FALSE, digits = 5)
  invisible(x)
}

# ---- weights of edges ----

# Block model of edges and weights: a degree-corrected planted partition of the edges, and normal logarithms of their
# weights: an effect of each end, one mean within communities, one between, and one variance (after Aicher, Jacobs and
# Clauset 2015).

# Return list(A, Y, degree): the edges, and log w less the effects of both ends, in standard deviations. Vertices of
# heavy edges would be communities without these effects, as those of many edges are without degrees.
log_weights <- function(simple) {
  A <- simple$adjacency
  Y <- A
  Y@x <- log(A@x) - mean(log(A@x))
  for (step in 1:20) {
    effect <- Matrix::colSums(Y) / diff(A@p) / 2
    Y@x <- Y@x - effect[Y@i + 1L] - effect[column_index(Y)]
  }
  Y@x <- (Y@x - mean(Y@x)) / max(stats::sd(Y@x), 1e-9)
  A@x[] <- 1
  list(A = A, Y = Y, degree = diff(A@p))
}

# Return for the share Z of every vertex in every community the sums of its edges and weights, the degree of each
# community, and c(within, between) of rate and mean, the variance, and twice the edges. All count edges twice.
weighted_sums <- function(known, Z) {
  edges <- as.matrix(known$A %*% Z)
  weights <- as.matrix(known$Y %*% Z)
  degree <- colSums(Z * known$degree)
  total <- sum(degree)
  both <- function(inside, all) c(inside, all - inside)
  count <- both(sum(Z * edges), total)
  expected <- both(sum(degree^2) / total, total)
  weight <- both(sum(Z * weights), 0)
  mean <- weight / pmax(count, 1e-9)
  list(
    edges = edges, weights = weights, degree = degree, count = count, total = total, expected = expected,
    rate = pmax(count, 1e-6) / pmax(expected, 1e-6), mean = mean, variance = max(1 - sum(weight * mean) / total, 1e-6)
  )
}

# Return the labels after up to 40 steps of a mean-field fit from `labels`; communities may vanish.
fit_weighted <- function(known, labels) {
  Z <- 0.9 * as.matrix(label_matrix(labels, max(labels))) + 0.1 / max(labels)
  for (step in 1:40) {
    sums <- weighted_sums(known, Z)
    rate <- sums$rate
    mean <- sums$mean
    score <- sums$edges * log(rate[1L] / rate[2L]) + rep(log(colMeans(Z) + 1e-9), each = nrow(Z)) -
      outer(known$degree, sums$degree) * (rate[1L] - rate[2L]) / sums$total
    heavier <- sums$weights * (mean[1L] - mean[2L]) - sums$edges * (mean[1L]^2 - mean[2L]^2) / 2
    score <- score + heavier / max(sums$variance, 0.01)
    score <- exp(score - score[cbind(seq_len(nrow(Z)), max.col(score, "first"))])
    new <- (Z + score / rowSums(score)) / 2
    moved <- max(abs(new - Z))
    Z <- new
    if (moved < 1e-3) break
  }
  renumbered(max.col(Z, "first"))
}

# Return c(gain, dispersion): the nats by which the model of the labels describes edges and weights more shortly than
# one community, and the larger dispersion of the numbers of edges between vertices and communities and of the sums of
# their log weights, about 1 if the model fits.
weighted_fit <- function(known, labels) {
  k <- max(labels)
  n <- length(labels)
  if (k == 1L) {
    return(c(0, 1))
  }
  Z <- as.matrix(label_matrix(labels, k))
  sums <- weighted_sums(known, Z)
  parameter <- log(sums$total / 2) / 2
  edges <- sum(ifelse(sums$count > 0, sums$count * log(sums$rate), 0)) / 2 - parameter
  weights <- -sums$total / 4 * log(sums$variance) - parameter
  code <- lfactorial(n) - sum(lfactorial(tabulate(labels))) + lchoose(n - 1, k - 1) + log(n)
  expected <- outer(known$degree, sums$degree) / sums$total * sums$rate[2L - Z]
  some <- sums$edges > 0
  rest <- (sums$weights - sums$edges * sums$mean[2L - Z])[some]^2 / sums$edges[some]
  dispersion <- c(sum((sums$edges - expected)^2 / pmax(expected, 1e-9)) / (n * (k - 1)), mean(rest) / sums$variance)
  c(edges + max(0, weights) - code, max(dispersion))
}

# Return the candidate of largest gain among fits from the labels of partitions, with its dispersion, if it gains
# and fits; else NULL. The starts are those of fewest communities, until the work is spent.
weighted_model <- function(simple, partitions, k = NULL) {
  number <- vapply(partitions, `[[`, 0L, "k")
  of_size <- if (is.null(k)) number > 1L & number <= most_communities * simple$n else number == k
  at <- intersect(order(number), which(of_size))
  partitions <- partitions[at][cumsum(message_values(simple, number[at])) <= most_work]
  known <- log_weights(simple)
  progress_step("Block models of edges and weights", 40 * most_work)
  best <- NULL
  for (labels in unique(lapply(partitions, `[[`, "labels"))) {
    labels <- fit_weighted(known, labels)
    fit <- weighted_fit(known, labels)
    if (fit[1L] <= -(best$description_length %||% 0) || !is.null(k) && max(labels) != k) next
    best <- new_partition(simple, "edges and weights", labels)
    best[c("description_length", "dispersion", "trusted")] <- list(-fit[1L], fit[2L], TRUE)
  }
  if (!is.null(best) && best$k > 1L && best$dispersion <= most_dispersion) best
}
