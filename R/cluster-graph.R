# Communities of graphs: k-means on eigenvectors of the Bethe Hessian, and Hartigan's moves on -H_r.

# Return the input of all graph methods: list(simple, damped, parts, k), `parts` of the graph with damped
# weights. Without `count`, k can be NULL. With `linked`, it is the input of the graph without isolated vertices.
read_graph <- function(graph, k, weights, call, count = TRUE, linked = FALSE) {
  simple <- as_simple_adjacency(graph, weights, call = call)
  abort_bipartite(graph, call = call)
  if (!is.null(k)) k <- graph_k(k, simple, call = call)
  if (linked) {
    simple <- linked_graph(simple)
    # without edges there is nothing to divide
    if (!is.null(k)) k <- if (length(simple$adjacency@x)) min(k, simple$n) else 1L
  }
  input <- damped_graph(simple)
  c(list(simple = simple), input, list(k = k %||% if (count) graph_k(NULL, input$damped, input$parts)))
}

#' Communities from the Bethe Hessian
#'
#' Divides the vertices of a graph by k-means on the eigenvectors of the `k` smallest
#' eigenvalues of its Bethe Hessian matrix.
#'
#' @section Algorithm:
#' With `normalize = FALSE`, the method of França et al. (2020): k-means on the rows of the eigenvectors of
#' \eqn{H_r}{H_r} at \eqn{r = \sqrt{c}}{r = sqrt(c)} (see [bethe_hessian()]).
#'
#' With `normalize = TRUE`, the default: (1) In unweighted graphs up to three Newton steps move r to the value at which
#' the mean of the eigenvalues 2 to k is 0, but not above the square root of the mean degree. (2) Rows are scaled to
#' unit length. (3) k-means has 20 k-means++ starts. Both steps help if groups are many, unequal, or near the
#' detectability limit; figures are in `vignette("graphs")`. If \eqn{n k^2}{n k^2} is large, k-means has fewer starts,
#' and of the labels at both values of r those of higher modularity are returned; in the largest graphs r is not moved.
#'
#' @section Components and isolated vertices:
#' Eigenpairs are computed component by component. Components below `n / (10 k)` vertices get eigenvectors only after
#' the larger ones have one for each of their negative eigenvalues: a small detached clique does not replace a
#' community. Vertices in components without an eigenvector get the cluster of smallest squared distance in the Bethe
#' Hessian's feature space. Each of the `k` clusters has at least one vertex. Isolated vertices are communities of their
#' own, numbered after the `k` others. Messages report communities that contain several components, and a modularity
#' below 0, that of one community.
#'
#' @section Heavy edges:
#' Weights above 3 times the median of the weights are lowered to that for the number of communities, the
#' eigenvectors and block models, as the print states: a single heavy edge would have an eigenvector of its own
#' and hide the communities. [cluster_belief_propagation()] also compares candidates by the
#' modularity of the lowered weights. The modularity of the result and the objective of [cluster_kgroups()] use the
#' weights as given. On graphs of three planted groups with random weights this raises the adjusted Rand index of
#' `cluster_bethe_hessian()` from .37 to .54 (exponential weights) and from .02 to .46 (log-normal, sigma 1.5).
#'
#' @section Choosing a method:
#' `cluster_bethe_hessian()` is the fastest. [cluster_kgroups()] improves its labels by exact
#' single moves, which helps if the graph is not very sparse and degrees vary
#' little. [cluster_belief_propagation()] is the most accurate on sparse graphs, and returns
#' a probability per vertex and group. It assumes a stochastic block model.
#'
#' @param graph An igraph graph, or its adjacency matrix as a sparse matrix of package Matrix, symmetric, whose
#'   entries are the edge weights. ([kgroups()] takes a sparse matrix for a Gram matrix.)
#' @param k Number of clusters, from 1 to the number of vertices. `NULL` (the default): the
#'   number of [count_communities()], at least 1.
#' @param weights Edge weights as in igraph's own functions: `NULL` (the default) for the
#'   edge attribute `weight` if there is one (else parallel edges count by their number), `NA` for none, or a number per
#'   edge. `"log1p"`
#'   uses log(1 + weight) of the attribute, which is better if a few edges are heavy.
#' @param normalize `TRUE` (default): rows of eigenvectors are scaled to unit length and r is adapted. `FALSE`: the
#'   method of França et al. (2020).
#' @param nstart Number of k-means++ starts of each embedding. `NULL` (the default): 20, or fewer for large
#'   \eqn{n k^2}{n k^2}, see [cluster_bethe_hessian()].
#' @param ... Not used: an unknown argument is an error.
#' @return An igraph `communities` object: `membership` (integer 1 to k, numbered by first appearance, isolated vertices
#'   last), `isolated` (their number), `names` (vertex names, if any), `modularity` (with the edge weights used),
#'   `vcount`, `algorithm`. igraph's [igraph::membership()], [igraph::sizes()], [igraph::modularity()],
#'   [igraph::compare()] and `plot()` accept it.
#' @section Complexity:
#' \eqn{O(m + n k)}{O(m + n k)} a step of the eigen-solver, some tens of steps, and \eqn{O(n k^2)}{O(n k^2)} for every
#' tenth of them; memory \eqn{O(m + n k)}{O(m + n k)}. Small components are solved densely, larger ones by Lanczos
#' iterations, and the largest by subspace iteration with a Chebyshev filter in single precision. Its tolerance is far
#' below the noise of the eigenvectors of a sparse graph. If it does not converge, the eigenvectors that have are used,
#' with a warning.
#' @references
#' Saade A, Krzakala F, Zdeborová L (2014). "Spectral clustering of graphs with the Bethe
#' Hessian." *Advances in Neural Information Processing Systems*, 27. \doi{10.48550/arXiv.1406.1880}
#'
#' Dall'Amico L, Couillet R, Tremblay N (2019). "Revisiting the Bethe-Hessian: improved community
#' detection in sparse heterogeneous graphs." *Advances in Neural Information Processing
#' Systems*, 32. \doi{10.48550/arXiv.1901.09715} (on the choice of r)
#' @family graphs
#' @examples
#' # three planted blocks are recovered
#' set.seed(1)
#' block <- rep(1:3, each = 100)
#' graph <- igraph::sample_sbm(300, diag(0.05, 3) + 0.005, c(100, 100, 100))
#' found <- cluster_bethe_hessian(graph, 3)
#' found
#' table(block, igraph::membership(found))
#' @export
cluster_bethe_hessian <- function(graph, k = NULL, weights = NULL, normalize = TRUE,
                                  nstart = NULL, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_bethe_hessian")
  normalize <- check_flag(normalize, "normalize")
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  input <- read_graph(graph, k, weights, rlang::current_env())
  start <- graph_starts(input$damped, input$parts, input$k, normalize, nstart, one = TRUE)[[1L]]
  labels <- fill_groups(input$damped, input$parts, start, input$k)
  new_communities(graph, weights, labels, "Bethe Hessian", input$damped$changed)
}

#' Communities by kernel k-groups
#'
#' Divides the vertices of a graph by Hartigan's moves in the feature space of \eqn{-H_r}{-H_r}, the negative of the
#' Bethe Hessian matrix. `kgroups()` on an igraph graph does the same and returns a fit, which `cluster_kgroups()`
#' converts to igraph's class.
#'
#' @section Algorithm:
#' The objective is \eqn{Q = \sum_l V_l / s_l}{Q = sum_l V_l/s_l} of [kgroups()] with the Gram
#' matrix
#' * `"bethe-hessian"`: \eqn{G = -H_r}{G = -H_r}, \eqn{r = \sqrt{c}}{r = sqrt(c)};
#' * `"adjacency"`: \eqn{G = W^{-1} A W^{-1}}{G = W^-1 A W^-1}, so that Q is the ratio association, with W the diagonal
#'   matrix of the vertex weights;
#' * `"normalized-cut"`: \eqn{G = W^{-1} (A - D) W^{-1}}{G = W^-1 (A - D) W^-1}, so that -Q is the ratio cut, which is
#'   the normalised cut for `vertex_weights = "degree"`.
#'
#' Three embeddings give starting labels: that of [cluster_bethe_hessian()] by default, the same at
#' \eqn{r = \sqrt{c}}{r = sqrt(c)}, and the unscaled one of the paper; with `normalize = FALSE` only the last. A fourth
#' start is the partition of [igraph::cluster_leiden()] at a resolution of k communities, if there is one. From each,
#' vertices are moved one at a time to the cluster that increases Q most until no single move increases it. Above 50000
#' vertices, or if \eqn{n k^2}{n k^2} is above 5e7, only the first is used.
#'
#' The partition of largest Q is not always the best. Four rules guard against that:
#' 1. Vertices of components without an eigenvector (see [cluster_bethe_hessian()]) have no weight in the moves and are
#'    assigned at the end, so no small detached component becomes a cluster because of its high Q.
#' 2. Another start replaces the first only if its Q is higher and its modularity is not lower.
#' 3. If degrees vary much, degree weights gather vertices of high degree in one cluster. If their modularity is more
#'    than 5 % below that of unit weights from the same starts, the partition of unit weights is returned. This rule
#'    applies to the Gram matrix `"bethe-hessian"` and the default of `vertex_weights`.
#' 4. If the moves lower the modularity of the first start, its labels are returned. `graph$result` of the fit, and the
#'    attribute `result` of the communities, is then `"start"` instead of `"moves"`. This rule applies to the Gram
#'    matrix `"bethe-hessian"` with `normalize = TRUE` and the defaults of `init` and `vertex_weights`.
#'
#' The print reports which rule was used. Labels in `init` are used without these rules: one local search on the whole
#' graph.
#'
#' @section Choosing vertex weights:
#' França, Rizzo and Vogelstein choose `"degree"` for their Figure 5 and `"unit"` for real networks. Unit weights are
#' better if degrees vary much.
#'
#' @seealso [cluster_bethe_hessian()] on components, isolated vertices, heavy edges and the choice of a method.
#' @section Complexity:
#' A sweep takes at most \eqn{O(m + n k)}{O(m + n k)}: a vertex is compared with its neighbours' clusters, and with the
#' others only if a bound permits that one of them is better. Memory of the moves: \eqn{O(n + m + k)}{O(n + m + k)}.
#'
#' @inheritParams cluster_bethe_hessian
#' @param graph As in [cluster_bethe_hessian()]; or a fit of `kgroups()` on a graph.
#' @param vertex_weights Weights of the vertices in the objective: their `"degree"` (with edge weights, their sum) or
#'   `"unit"`. `NULL` (the default): degrees, unless rule 3 of the algorithm takes units.
#' @param gram The Gram matrix, see Algorithm.
#' @param ... For `cluster_kgroups()`, further arguments of the graph method of `kgroups()`:
#'   `init`, `nstart`, `iter.max`, `method`.
#' @return `cluster_kgroups()`: an igraph `communities` object as from
#'   [cluster_bethe_hessian()]. `kgroups()`: a fit as described there, with W of the Gram
#'   matrix (which can be negative), `weights` the vertex weights and `graph` the graph, its
#'   edge weights and the choices made. Its `predict()` takes the edges of new vertices, which get
#'   the cluster with the nearest mean, see [predict.kgroups_fit()]. A row of the graph's own adjacency matrix is taken
#'   for a new vertex with the same neighbours, so its cluster can differ from the label of that vertex.
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}, sections 3.1 and
#' 5.2. (The matrix maximised there is \eqn{-H_r}{-H_r}.)
#'
#' Dhillon IS, Guan Y, Kulis B (2007). "Weighted Graph Cuts without Eigenvectors: A
#' Multilevel Approach." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 29(11), 1944-1957. \doi{10.1109/TPAMI.2007.1115}
#' @family graphs
#' @examples
#' # three planted blocks, sizes and agreement
#' set.seed(1)
#' block <- rep(1:3, each = 100)
#' graph <- igraph::sample_sbm(300, diag(0.05, 3) + 0.005, c(100, 100, 100))
#' found <- cluster_kgroups(graph, 3)
#' igraph::sizes(found)
#' table(block, igraph::membership(found))
#'
#' # the same as a fit, and back to igraph
#' fit <- kgroups(graph, 3, vertex_weights = "unit")
#' fit
#' igraph::modularity(cluster_kgroups(fit))
#' @export
cluster_kgroups <- function(graph, k = NULL, weights = NULL, vertex_weights = NULL, normalize = TRUE, ...) {
  check_given(graph, "graph")
  env <- rlang::current_env()
  of_fit <- inherits(graph, "kgroups_graph_fit")
  fit <- if (of_fit) {
    given <- setdiff(names(match.call())[-1L], "graph")
    abort_more(given, "A fit is converted as it is.", "the graph to cluster it", env)
    graph
  } else {
    graph <- as_graph(graph)
    with_call(env, kgroups.igraph(
      graph, k, ..., weights = weights, vertex_weights = vertex_weights, normalize = normalize
    ))
  }
  out <- new_communities(fit_graph_data(fit), fit$graph$weights, as.integer(fit$cluster), "kernel k-groups", c(
    fit$graph$changed, sprintf("vertex weights %s", fit$graph$vertex_weights),
    if (identical(fit$graph$result, "start")) "the start, which no move improved"
  ), inform = of_fit)
  attr(out, "result") <- fit$graph$result
  out
}

# Refuse arguments beside a result that has them.
abort_more <- function(given, must, instead, call) {
  if (length(given)) {
    abort_input("dots", call, "{must}", "You supplied `{given[1L]}` too.", "Supply {instead}.")
  }
}

#' @rdname cluster_kgroups
#' @param x An igraph graph.
#' @param init `NULL` (the default) for the starts of the algorithm, `"spectral"` for the first of them
#'   only, `"kmeans++"`, `"random"`, or one label per vertex, used as they are. `nstart` is then the number of
#'   these starts, 1 if `NULL`.
#' @param iter.max Largest number of sweeps.
#' @param threads,keep.data As in [kgroups()].
#' @param method `"hartigan"` (the default) or `"lloyd"`, weighted kernel k-means with the
#'   diagonal shifted so that it is defined for this matrix.
#' @export
kgroups.igraph <- function(x, k = NULL, ..., weights = NULL, init = NULL, nstart = NULL,
                           iter.max = 100, method = "hartigan", vertex_weights = NULL,
                           gram = c("bethe-hessian", "adjacency", "normalized-cut"),
                           normalize = TRUE, threads = getOption("kgroups.threads", 1L), keep.data = TRUE) {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  env <- rlang::current_env()
  for (what in intersect(names(control_classes), ...names_compat(...))) {
    abort_input(what, env, "`{what}` cannot be used with a graph.", hint = "Leave it out.")
  }
  check_no_dots(..., call = env, topic = "cluster_kgroups")
  control <- read_settings(list(method = method, iter.max = iter.max, threads = threads, keep.data = keep.data), env)
  if (!is.null(nstart)) control$nstart <- check_count(nstart, "nstart", 1, 1e6, call = env)
  if (!is.null(vertex_weights)) {
    vertex_weights <- check_choice(vertex_weights, "vertex_weights", c("degree", "unit"), call = env)
  }
  gram <- check_choice(gram, "gram", gram_choices, call = env)
  normalize <- check_flag(normalize, "normalize", call = env)
  local_threads(control$threads)
  # missing too if kernel_kmeans() was called without it
  k <- if (!missing(k)) (if (inherits(k, "kgroups_select_k")) k$k else k)
  input <- read_graph(x, k, weights, env)
  control$k <- input$k
  # the objective has all weights as given
  parts <- if (is.null(input$damped$largest)) input$parts else bethe_parts(input$simple)
  problem <- graph_problem(input$simple, parts, gram, vertex_weights, normalize)
  # all vertices count in the check of the labels, whatever their weights
  control["init"] <- list(check_init(init, replace(problem, "w", list(rep(1, problem$n))), control$k, env))
  out <- solve_graph(problem, control, input[c("damped", "parts")])
  problem <- out$problem
  warn_unfinished(out, control$iter.max, problem)
  fit <- fit_solution(
    call, x, problem, control, out, true_units(problem, problem$w, "weight"), env,
    init = if (is.null(control$init)) "embeddings" else init_name(control$init), detach = FALSE
  )
  edges <- length(input$simple$adjacency@x) / 2
  inform_components(x, fit$cluster, edges)
  new_graph_fit(fit, list(
    weights = weights, edges = edges, gram = gram, vertex_weights = problem$store$vertex_weights,
    modularity = graph_modularity(x, unname(fit$cluster), weights), result = out$result, changed = input$damped$changed
  ))
}

# The fit of kgroups() for choices and samples.
#' @export
solve_store.kgroups_graph <- function(store, problem, control, call) {
  solve_graph(problem, control, damped_graph(store$simple))
}

# Return list(damped, parts): the graph with damped weights, and the parts of its Bethe Hessian.
damped_graph <- function(simple) {
  damped <- damp_weights(simple)
  list(damped = damped, parts = bethe_parts(damped))
}

# Return the solution for a graph: from embeddings of the graph with damped weights, or from named starts. `problem` has
# the vertex weights that were used, and `result` is "moves" or "start".
solve_graph <- function(problem, control, input) {
  init <- control$init
  solved <- if (is.null(init) || identical(init, "spectral")) {
    one <- !is.null(init)
    starts <- graph_starts(input$damped, input$parts, control$k, problem$store$normalize, control$nstart, one)
    placed <- lapply(starts, place_outside, simple = input$damped, parts = input$parts, k = control$k)
    solve_embeddings(problem, placed, !is.na(starts[[1L]]), control)
  } else {
    solve_graph_named(problem, control)
  }
  problem <- solved$problem %||% problem
  out <- graph_solution(problem, control, fill_groups(input$damped, input$parts, solved$labels, control$k), solved)
  out$problem <- problem
  out$result <- solved$result %||% "moves"
  out
}

# Return the solution from labels of embeddings, with `problem` if it has other vertex weights (rules 3 and 4
# of ?cluster_kgroups).
solve_embeddings <- function(problem, starts, inside, control) {
  store <- problem$store
  solved <- search_embeddings(problem, starts, inside, control)
  if (store$chosen || !is.null(control$init) || store$gram != "bethe-hessian") {
    return(solved)
  }
  parts <- bethe_parts(store$simple)
  other <- graph_problem(store$simple, parts, store$gram, "unit", store$normalize)
  unit <- search_embeddings(other, starts, inside, control)
  if (unit$modularity > 0 && solved$modularity < 0.95 * unit$modularity) {
    other$store$chosen <- FALSE
    problem <- other
    solved <- unit
  }
  if (store$normalize) solved <- not_below_start(problem, parts, starts[[1L]], solved, control)
  c(solved, list(problem = problem))
}

# Return the best of the local searches from all starts; the vertices `inside` take part.
search_embeddings <- function(problem, starts, inside, control) {
  simple <- problem$store$simple
  problem$w <- ifelse(inside, problem$w, 0)
  runs <- lapply(starts, search_graph, problem = problem, control = control)
  modularity <- vapply(runs, function(run) adjacency_modularity(simple, run$cluster), 0)
  found <- best_of_runs(runs, which(modularity >= modularity[1L] - 1e-9))
  c(found, list(modularity = modularity[[found$best]]))
}

# Return the solution, or its start if the moves have lowered modularity: on graphs with hubs a lower W can
# be a far worse partition.
not_below_start <- function(problem, parts, start, solved, control) {
  simple <- problem$store$simple
  labels <- fill_groups(simple, parts, start, control$k)
  before <- adjacency_modularity(simple, labels)
  if (before <= solved$modularity + 1e-9) {
    return(solved)
  }
  W <- c(solved$objectives, start = sum(graph_solution(problem, control, labels, solved)$cost))
  list(
    labels = labels, run = list(iterations = 0L, moves = 0, converged = TRUE, fall = 0), objectives = W,
    best = length(W), modularity = before, result = "start"
  )
}

# Return the result of one local search. There may be fewer vertices of positive weight than groups.
search_graph <- function(problem, control, labels) {
  groups <- min(max(labels), count_inside(problem))
  if (groups == 0L) {
    return(list(cluster = labels, objective = 0, moves = 0, iterations = 0L, converged = TRUE))
  }
  labels <- fill_empty(problem, pmin(labels, groups), groups)
  out <- solve_starts(problem, control_for(control, groups), matrix(labels), "only")
  out$objective <- out$objectives[[1L]]
  out
}

# Return the solution of least W from starts that the user named.
solve_graph_named <- function(problem, control) {
  nstart <- control$nstart %||% 1
  groups <- min(control$k, count_inside(problem))
  named <- control_for(control, groups)
  if (is.numeric(named$init)) named$init <- pmin(named$init, groups)
  starts <- if (groups == 0L) {
    list(labels = rep(1L, problem$n))
  } else {
    labels <- start_labels(problem, named, nstart)
    stats::setNames(lapply(seq_len(nstart), function(a) labels[, a]), start_kinds(named$init, nstart))
  }
  runs <- lapply(starts, search_graph, problem = problem, control = control)
  best_of_runs(runs, seq_along(runs))
}

best_of_runs <- function(runs, allowed) {
  W <- vapply(runs, `[[`, 0, "objective")
  best <- unname(allowed[which.min(W[allowed])])
  list(labels = runs[[best]]$cluster, run = runs[[best]], objectives = W, best = best)
}

# Return the solution that new_kgroups_fit() takes: sums of the final labels, and the record of the
# local searches.
graph_solution <- function(problem, control, labels, solved) {
  sums <- partition(problem, labels, control$k)
  run <- solved$run
  list(
    cluster = labels, cost = sums$within, V = sums$V, s = sums$s, total = sums$total, objectives = solved$objectives,
    best_start = solved$best, iterations = as.integer(run$iterations), moves = run$moves, converged = run$converged,
    rose = run$rose, fall = run$fall
  )
}

# Return an object of igraph's class; igraph::make_clusters() leaves out names and edge weights. Every isolated vertex
# is a community of its own, numbered after the others. `changed`: that of as_simple_adjacency().
new_communities <- function(graph, weights, labels, algorithm, changed = NULL, inform = TRUE) {
  alone <- isolated_vertices(graph, weights)
  labels <- number_communities(labels, alone)
  out <- with_igraph(igraph::make_clusters(graph, labels, algorithm = algorithm, modularity = FALSE))
  out$membership <- labels
  out$isolated <- sum(alone)
  out$changed <- changed
  out$names <- vertex_names(graph)
  out$modularity <- graph_modularity(graph, labels, weights)
  class(out) <- c("kgroups_partition", "kgroups_result", class(out))
  if (inform) inform_components(graph, labels)
  if (out$modularity < -1e-9) {
    kg_inform("The modularity {signif(out$modularity, 3)} is below 0, the modularity of one community.", "modularity")
  }
  out
}

# Return the labels by first appearance, those of isolated vertices last.
number_communities <- function(labels, alone) {
  labels[!alone] <- renumbered(labels[!alone])
  labels[alone] <- max(0L, labels[!alone]) + seq_len(sum(alone))
  labels
}

# Return which vertices have no edge of weight above 0 to another vertex.
isolated_vertices <- function(graph, weights) {
  weights <- check_edge_weights(graph, weights) %||% rep(1, igraph::ecount(graph))
  unname(with_igraph(igraph::strength(graph, loops = FALSE, weights = weights))) == 0
}

# Report communities that contain vertices of several components, isolated ones apart, and graphs without edges.
inform_components <- function(graph, labels, edges = igraph::ecount(graph)) {
  if (edges == 0) {
    if (length(labels) > 1L) kg_inform("The graph has no edges: the communities are arbitrary.", "components")
    return(invisible())
  }
  component <- with_igraph(igraph::components(graph, "weak"))
  linked <- component$csize[component$membership] > 1L
  pairs <- unique(data.frame(labels = as.vector(labels), component = as.vector(component$membership))[linked, ])
  joined <- sum(table(pairs$labels) > 1L)
  if (joined > 0) {
    kg_inform(c(
      "{joined} communit{?y/ies} contain{?s/} vertices of several of the {component$no} components.",
      "i" = "Use `igraph::components(graph)$membership` to separate them."
    ), "components")
  }
}

graph_modularity <- function(graph, labels, weights) {
  weights <- check_edge_weights(graph, weights)
  if (igraph::ecount(graph) == 0 || identical(sum(weights), 0)) {
    return(0)
  }
  # igraph takes the edge attribute for NULL, which `weights = NA` excludes
  with_igraph(igraph::modularity(graph, labels, weights = weights %||% rep(1, igraph::ecount(graph))))
}
