# Communities of graphs: the Bethe Hessian's eigenvectors, and Hartigan's moves on -H_r.

check_graph_k <- function(k, n, call = rlang::caller_env()) {
  hint <- "Lower `k`, or leave it out: the graph itself then tells how many."
  as.integer(check_count(k, "k", 1, n, hint = hint, call = call))
}

# k = NULL: as many groups as the Bethe Hessian has negative eigenvalues, at least one.
graph_k <- function(k, simple, parts, call = rlang::caller_env()) {
  if (!is.null(k)) {
    return(check_graph_k(k, simple$n, call))
  }
  max(count_negative(simple, parts)$count, 1L)
}

#' Communities from the Bethe Hessian
#'
#' Divides the vertices of a graph by k-means on the eigenvectors of the `k` smallest
#' eigenvalues of its Bethe Hessian matrix.
#'
#' @section Algorithm:
#' With `normalize = FALSE`, the method of the paper: the eigenvectors of
#' \eqn{H_r}{H_r} at \eqn{r = \sqrt{c}}{r = sqrt(c)} (see [bethe_hessian()]), k-means on their
#' rows.
#'
#' With `normalize = TRUE`, the default: (1) up to three Newton steps bring r to where the
#' eigenvalues 2 to k are 0 in the mean, never above the square root of the mean degree
#' (unweighted graphs only); (2) rows are scaled to unit length; (3) k-means, 20
#' k-means++ starts. Where \eqn{n k^2}{n k^2} is above 5e7, 3 starts, at both values of r, and the
#' labels of higher modularity. Both steps help where groups are many, unequal, or near the limit of
#' what can be detected; figures are in `vignette("graphs")`.
#'
#' @section Components and isolated vertices:
#' Eigenpairs are found component by component, so a graph may fall into any number of
#' components, `k` below that number included. Components below `n / (10 k)` vertices get
#' eigenvectors of their own only after the larger ones have as many as they have negative
#' eigenvalues: a small detached clique does not take the place of a community. Vertices in
#' components without an eigenvector, isolated vertices among them, get the
#' cluster of smallest squared distance in the Bethe Hessian's feature space, ties to the
#' lowest label. Every one of the `k` clusters has at least one vertex; a graph without edges
#' is one cluster for `k = NULL`.
#'
#' If the iterative eigen-solver does not converge, a second try uses a larger search space;
#' then graphs up to 3000 vertices are solved densely, and above that the eigenvectors that
#' did converge are used, with a warning.
#'
#' @section Choosing a method:
#' `cluster_bethe_hessian()` is the fastest. [cluster_kgroups()] improves its labels by exact
#' single moves; it pays where the graph is not too sparse and degrees do not vary too
#' much. [cluster_belief_propagation()] is the most accurate on sparse graphs, and comes
#' with a probability per vertex and group; it assumes a stochastic block model.
#'
#' @param graph An igraph graph, or its adjacency matrix as a sparse matrix of package Matrix, symmetric, whose
#'   entries are the edge weights. ([kgroups()] takes a sparse matrix for a Gram matrix.)
#' @param k Number of clusters, from 1 to the number of vertices. `NULL` (the default): as
#'   many as [count_communities()] says, at least 1.
#' @param weights Edge weights as in igraph's own functions: `NULL` (the default) for the
#'   edge attribute `weight` if there is one, `NA` for none, or a number per edge. `"log1p"`
#'   takes log(1 + weight) of the attribute: better where a few edges are heavy.
#' @param normalize Scale the rows and refine r (`TRUE`, the default), or the paper's method?
#' @param nstart Number of k-means++ starts of the k-means, 20 by default; in
#'   `cluster_bethe_hessian()` 3 where \eqn{n k^2}{n k^2} is above 5e7.
#' @return An igraph `communities` object: `membership` (integer 1 to k, numbered by first
#'   appearance), `names` (vertex names, if any), `modularity` (with the edge weights used),
#'   `vcount`, `algorithm`. igraph's [igraph::membership()], [igraph::sizes()],
#'   [igraph::modularity()], [igraph::compare()] and `plot()` work on it.
#' @section Errors:
#' `kg_error_graph`: no igraph graph, or no vertices. `kg_error_k`: `k` below 1 or
#' above the number of vertices. `kg_error_weights`: edge weights that are negative
#' (`kg_error_signed`), not finite or not one per edge. `kg_error_bipartite`: the vertex attribute
#' `type` of the graph tells two sides, and every edge joins the two. A directed graph is no
#' error: an edge either way counts as one, with a message.
#' @section Complexity:
#' \eqn{O(m + n k)}{O(m + n k)} a step of the eigen-solver, some tens of steps, and
#' \eqn{O(n k^2)}{O(n k^2)} for every tenth of them; memory \eqn{O(m + n k)}{O(m + n k)}. Components
#' up to 300 vertices are solved densely, up to 3000 by Lanczos iterations, larger ones by
#' subspace iteration with a Chebyshev filter on blocks of 16 vectors in single precision,
#' to what the noise of a sparse graph's eigenvectors makes worthwhile.
#' @references
#' Saade A, Krzakala F, Zdeborova L (2014). "Spectral clustering of graphs with the Bethe
#' Hessian." *Advances in Neural Information Processing Systems*, 27. \doi{10.48550/arXiv.1406.1880}
#'
#' Dall'Amico L, Couillet R, Tremblay N (2019). "Revisiting the Bethe-Hessian: improved community
#' detection in sparse heterogeneous graphs." *Advances in Neural Information Processing
#' Systems*, 32. \doi{10.48550/arXiv.1901.09715} (on the choice of r)
#'
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#' @family graphs
#' @examples
#' set.seed(1)
#' graph <- sample_sparse_sbm(300, k = 3, degree = 6, snr = 2)
#' found <- cluster_bethe_hessian(graph, 3)
#' found
#' compare_clusters(igraph::V(graph)$block, igraph::membership(found), "overlap")
#' @export
cluster_bethe_hessian <- function(graph, k = NULL, weights = NULL, normalize = TRUE,
                                  nstart = NULL) {
  normalize <- check_flag(normalize, "normalize")
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  simple <- as_simple_adjacency(graph, weights)
  abort_bipartite(graph)
  if (!is.null(k)) k <- check_graph_k(k, simple$n)
  parts <- bethe_parts(simple)
  k <- graph_k(k, simple, parts)
  labels <- if (k == 1L) {
    rep(1L, simple$n)
  } else {
    start <- graph_starts(simple, parts, k, normalize, nstart, one = TRUE)[[1L]]
    fill_groups(simple, parts, start$labels, k)
  }
  new_communities(graph, weights, labels, k, "Bethe Hessian")
}

#' Communities by kernel k-groups
#'
#' Divides the vertices of a graph by Hartigan's moves in the feature space of
#' \eqn{-H_r}{-H_r}, the negative of the Bethe Hessian matrix, started from labels of its
#' eigenvectors. `kgroups()` on an igraph graph does the same and returns a fit;
#' `as_communities()` turns such a fit into igraph's class.
#'
#' @section Algorithm:
#' The objective is \eqn{Q = \sum_l V_l / s_l}{Q = sum_l V_l/s_l} of [kgroups()] with the Gram
#' matrix
#' * `"bethe-hessian"`: \eqn{G = -H_r}{G = -H_r}, \eqn{r = \sqrt{c}}{r = sqrt(c)};
#' * `"adjacency"`: \eqn{G = W^{-1} A W^{-1}}{G = W^-1 A W^-1}, so that Q is the ratio
#'   association (31), with W the diagonal matrix of the vertex weights;
#' * `"normalized-cut"`: \eqn{G = W^{-1} (A - D) W^{-1}}{G = W^-1 (A - D) W^-1}, so that -Q is the
#'   ratio cut (32), which is the normalised cut for `vertex_weights = "degree"`.
#'
#' Three embeddings give starting labels: that of [cluster_bethe_hessian()] by default, the
#' same at \eqn{r = \sqrt{c}}{r = sqrt(c)}, and the unscaled one of the paper; with
#' `normalize = FALSE` only the last. From each, vertices are moved one at a time to the
#' cluster that raises Q most until no single move does. Above 50000 vertices, or where
#' \eqn{n k^2}{n k^2} is above 5e7, only the first is used.
#'
#' The largest Q is not always the best partition, so it is kept with care: (1) vertices of
#' components without an eigenvector (see [cluster_bethe_hessian()]) have no weight in the
#' moves, so no small detached component can become a cluster for the sake of its high Q;
#' they are placed at the end. (2) Another start replaces the first only if its Q is higher
#' and its modularity is not lower. (3) Where degrees vary much, degree weights gather
#' vertices of high degree in one cluster: if `vertex_weights` is left to its default and
#' the modularity is more than 5 % below what unit weights reach from the same starts, the
#' partition of unit weights is returned, with a message (Gram matrix `"bethe-hessian"` only).
#'
#' (4) If the modularity after the moves is below that of the first start, the labels of
#' [cluster_bethe_hessian()], those are returned, with a message: where hubs are, moves can
#' end far below their start (Gram matrix `"bethe-hessian"` with `normalize = TRUE`, `init` and
#' `vertex_weights` left out: weights that are named are an objective that was asked for). `graph$result`
#' of the fit, and the attribute `result` of the communities, is then `"start"` instead of `"moves"`.
#'
#' Labels in `init` are used as they are, with no such care: one descent on the whole graph.
#'
#' @section Choosing vertex weights:
#' `"degree"` is the paper's choice for its Figure 5, `"unit"` for its real networks.
#' Unit weights are the better choice when degrees vary much, and were as good or better in
#' most of our experiments: see `vignette("graphs")`.
#'
#' @inheritSection cluster_bethe_hessian Components and isolated vertices
#' @inheritSection cluster_bethe_hessian Choosing a method
#' @inheritSection cluster_bethe_hessian Errors
#' @section Complexity:
#' A sweep costs \eqn{O(m + n \cdot}{O(m + n *} clusters looked at), at most
#' \eqn{O(m + n k)}{O(m + n k)}: a vertex looks at its neighbours' clusters, and at all
#' others only when a bound says that one of them could be better. Memory of the moves:
#' \eqn{O(n + m + k)}{O(n + m + k)}.
#'
#' @inheritParams cluster_bethe_hessian
#' @param vertex_weights Weights of the vertices in the objective: their `"degree"` (the
#'   default, see Algorithm for its exception; with edge weights, their sum) or `"unit"`.
#' @param gram The Gram matrix, see Algorithm.
#' @param ... For `cluster_kgroups()`, further arguments of the graph method of `kgroups()`:
#'   `init`, `nstart`, `iter.max`, `method`.
#' @return `cluster_kgroups()` and `as_communities()`: an igraph `communities` object as from
#'   [cluster_bethe_hessian()]. `kgroups()`: a fit as described there, with W of the Gram
#'   matrix (which can be negative), `weights` the vertex weights and `graph` the graph, its
#'   edge weights and the choices made. Its `predict()` takes the edges of new vertices, which go to
#'   the cluster with the nearest mean, see [predict.kgroups_fit()].
#' @references
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}, sections 3.1 and
#' 5.2. (The matrix maximised there is \eqn{-H_r}{-H_r}.)
#'
#' Dhillon IS, Guan Y, Kulis B (2007). "Weighted Graph Cuts without Eigenvectors: A
#' Multilevel Approach." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 29(11), 1944-1957. \doi{10.1109/TPAMI.2007.1115}
#' @family graphs
#' @examples
#' set.seed(1)
#' graph <- sample_sparse_sbm(300, k = 3, degree = 6, snr = 2)
#' found <- cluster_kgroups(graph, 3)
#' igraph::sizes(found)
#' compare_clusters(igraph::V(graph)$block, found, "overlap")
#'
#' fit <- kgroups(graph, 3, vertex_weights = "unit")
#' fit
#' igraph::modularity(as_communities(fit))
#' @export
cluster_kgroups <- function(graph, k = NULL, weights = NULL,
                            vertex_weights = c("degree", "unit"), normalize = TRUE, ...) {
  graph <- as_graph(graph)
  env <- rlang::current_env()
  fit <- fit_graph(
    match.call(), env, !missing(vertex_weights), graph, k,
    weights = weights, vertex_weights = vertex_weights, normalize = normalize, ...
  )
  as_communities(fit)
}

#' @rdname cluster_kgroups
#' @param x For `kgroups()`, an igraph graph; for `as_communities()`, the fit it gave.
#' @param init `NULL` (the default) for the starts above, `"spectral"` for the first of them
#'   only, `"kmeans++"`, `"random"`, or one label per vertex, used as they are.
#' @param nstart Number of starts for `"kmeans++"`, `"random"` and labels (1 if `NULL`); for the
#'   embeddings, the number of k-means starts of each (`NULL`: 20, or 3 where
#'   \eqn{n k^2}{n k^2} is above 5e7).
#' @param iter.max Largest number of sweeps.
#' @param threads,keep.data As in [kgroups()].
#' @param method `"hartigan"` (the default) or `"lloyd"`, weighted kernel k-means with the
#'   diagonal shifted so that it is defined for this matrix.
#' @export
kgroups.igraph <- function(x, k = NULL, ..., weights = NULL, init = NULL, nstart = NULL,
                           iter.max = 100, method = "hartigan",
                           vertex_weights = c("degree", "unit"),
                           gram = c("bethe-hessian", "adjacency", "normalized-cut"),
                           normalize = TRUE, threads = getOption("kgroups.threads", 1L), keep.data = TRUE) {
  call <- match.call()
  call[[1L]] <- quote(kgroups)
  if (missing(k)) k <- NULL # left out by who calls this too
  fit_graph(
    call, rlang::current_env(), !missing(vertex_weights), x, k, ...,
    weights = weights, init = init, nstart = nstart, iter.max = iter.max, method = method,
    vertex_weights = vertex_weights, gram = gram, normalize = normalize, threads = threads, keep.data = keep.data
  )
}

# What both ways in share; `named`: did the user choose the vertex weights?
fit_graph <- function(call, env, named, x, k = NULL, ..., weights = NULL, init = NULL, nstart = NULL,
                      iter.max = 100, method = "hartigan", vertex_weights = vertex_weight_choices,
                      gram = gram_choices, normalize = TRUE, threads = getOption("kgroups.threads", 1L),
                      keep.data = TRUE) {
  abort_graph_arguments(..., call = env)
  check_no_dots(..., call = env, topic = "cluster_kgroups")
  control <- read_control(method, iter.max, threads = threads, keep.data = keep.data, call = env)
  chosen <- named && !identical(vertex_weights, vertex_weight_choices)
  vertex_weights <- check_choice(vertex_weights, "vertex_weights", vertex_weight_choices, call = env)
  gram <- check_choice(gram, "gram", gram_choices, call = env)
  normalize <- check_flag(normalize, "normalize", call = env)
  if (!is.null(nstart)) control$nstart <- check_count(nstart, "nstart", 1, 1e6, call = env)
  use_threads(control$threads)
  on.exit(use_threads(1))
  simple <- as_simple_adjacency(x, weights, call = env)
  abort_bipartite(x, call = env)
  if (!is.null(k)) k <- check_graph_k(k, simple$n, env)
  parts <- bethe_parts(simple)
  control$k <- graph_k(k, simple, parts, env)
  problem <- graph_problem(simple, parts, gram, vertex_weights, normalize)
  # every vertex counts among the labels, whatever its weight
  all_alike <- replace(problem, "w", list(rep(1, simple$n)))
  control["init"] <- list(check_init(init, all_alike, control$k, env))
  if (is.null(init) || identical(init, "spectral")) {
    starts <- graph_starts(simple, parts, control$k, normalize, control$nstart, one = !is.null(init))
    solved <- solve_graph(simple, problem, starts, control)
    if (!chosen && is.null(init) && gram == "bethe-hessian") {
      other <- graph_problem(simple, parts, gram, "unit", normalize)
      unit <- solve_graph(simple, other, starts, control)
      if (unit$modularity > 0 && solved$modularity < 0.95 * unit$modularity) {
        kg_inform(
          c(
            "Unit vertex weights are used: degree weights gather vertices of high degree here.",
            "i" = "Modularity is {signif(unit$modularity, 3)} instead of {signif(solved$modularity, 3)}.",
            "i" = "Name {.arg vertex_weights} to have the one or the other."
          ),
          "vertex_weights"
        )
        vertex_weights <- "unit"
        problem <- other
        solved <- unit
      }
    }
    if (!chosen && is.null(init) && normalize && gram == "bethe-hessian") {
      solved <- not_below_start(simple, problem, parts, starts[[1L]], solved, control)
    }
  } else {
    solved <- solve_graph_named(problem, control)
  }
  labels <- fill_groups(simple, parts, solved$labels, control$k)
  out <- graph_solution(problem, control, labels, solved)
  warn_unfinished(out, control$iter.max, problem, control$method)
  fit <- fit_solution(
    call, x, problem, control, out, true_units(problem, problem$w, "weight"), env,
    init = if (is.null(init)) "embeddings" else init_name(control$init), detach = FALSE
  )
  new_graph_fit(fit, list(
    weights = weights, edges = length(simple$adjacency@x) / 2, gram = gram, vertex_weights = vertex_weights,
    modularity = graph_modularity(x, unname(fit$cluster), weights),
    result = solved$result %||% "moves"
  ))
}

# Arguments for other kinds of input that have no meaning here, and why.
abort_graph_arguments <- function(..., call) {
  given <- intersect(c("size_term", "approx"), ...names_compat(...))
  why <- c(
    size_term = "The size term needs the logarithm of W, which is negative here.",
    approx = "A graph is sparse: it needs no landmarks."
  )
  for (what in given) {
    reason <- why[[what]]
    kg_abort(
      c("{.arg {what}} cannot be used with a graph.", "x" = "{reason}", "i" = "Leave it out."),
      what,
      call = call
    )
  }
}

# Above so many n k^2 the k-means of an embedding is what takes the time: one embedding, 3 starts.
large_embedding <- 5e7

# list(labels, inside) of each embedding, the one to be trusted first.
graph_starts <- function(simple, parts, k, normalize, nstart, one = FALSE) {
  large <- simple$n * k^2 > large_embedding
  if (is.null(nstart)) nstart <- if (large) 3 else 20
  everything <- list(list(labels = rep(1L, simple$n), inside = rep(TRUE, simple$n)))
  if (k == 1L) {
    return(stats::setNames(everything, "only"))
  }
  spectrum <- graph_spectrum(simple, parts, k)
  start <- function(parts, spectrum, normalize) {
    embedding_start(simple, parts, spectrum, k, normalize, nstart)
  }
  if (!normalize) {
    return(list(paper = start(parts, spectrum, FALSE)))
  }
  refined <- refine_spectrum(simple, parts, spectrum, k)
  first <- list(refined = start(refined$parts, refined$spectrum, TRUE))
  if (large && refined$parts$r != parts$r) {
    # with many groups in a real network the refined r can be the worse one
    other <- start(parts, spectrum, TRUE)
    modularity <- function(start) adjacency_modularity(simple, start$labels)
    if (modularity(other) > modularity(first$refined) + 1e-9) first <- list(scaled = other)
  }
  if (one || large || simple$n > 50000) {
    return(first)
  }
  c(first, list(scaled = start(parts, spectrum, TRUE), paper = start(parts, spectrum, FALSE)))
}

# Descends from every start and chooses. `inside`, of the first start, is who takes part.
solve_graph <- function(simple, problem, starts, control) {
  inside <- starts[[1L]]$inside & problem$w > 0
  problem$w <- ifelse(inside, problem$w, 0)
  runs <- lapply(starts, function(start) descend_graph(problem, control, start$labels))
  W <- vapply(runs, `[[`, 0, "objective")
  modularity <- vapply(runs, function(run) adjacency_modularity(simple, run$cluster), 0)
  allowed <- which(modularity >= modularity[1L] - 1e-9)
  best <- allowed[which.min(W[allowed])]
  list(
    labels = runs[[best]]$cluster, run = runs[[best]], objectives = W, best = unname(best),
    modularity = modularity[[best]]
  )
}

# The solution, or its start where the moves have lowered modularity: on graphs with hubs a lower W
# can be a far worse partition. `result` tells which of the two it is.
not_below_start <- function(simple, problem, parts, start, solved, control) {
  labels <- fill_groups(simple, parts, start$labels, control$k)
  before <- adjacency_modularity(simple, labels)
  if (before <= solved$modularity + 1e-9) {
    return(solved)
  }
  kg_inform(
    "The start is returned: the moves lower modularity from {signif(before, 4)} to {signif(solved$modularity, 4)}.",
    "start"
  )
  W <- c(solved$objectives, start = sum(graph_solution(problem, control, labels, solved)$cost))
  list(
    labels = labels, run = list(iterations = 0L, moves = 0, converged = TRUE, fall = 0), objectives = W,
    best = length(W), modularity = before, result = "start"
  )
}

# One descent, where there may be fewer vertices with weight than groups.
descend_graph <- function(problem, control, labels) {
  groups <- min(max(labels), count_inside(problem))
  if (groups == 0L) {
    return(list(cluster = labels, objective = 0, moves = 0, iterations = 0L, converged = TRUE))
  }
  labels <- fill_empty(problem, pmin(labels, groups), groups)
  out <- solve_starts(problem, control_for(control, groups), matrix(labels), "only")
  out$objective <- out$objectives[[1L]]
  out
}

# Starts that were named: one descent each, the least W.
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
  runs <- lapply(starts, descend_graph, problem = problem, control = control)
  W <- vapply(runs, `[[`, 0, "objective")
  best <- unname(which.min(W))
  list(labels = runs[[best]]$cluster, run = runs[[best]], objectives = W, best = best)
}

# The sums of the labels in the end, with the record of the descents they come from.
graph_solution <- function(problem, control, labels, solved) {
  k <- control$k
  sums <- dispersion_sums(problem, labels, k)
  s <- sum_by(problem$w, labels, k)
  V <- diag(sums$M)
  share <- ifelse(s > 0, V / s, 0)
  list(
    cluster = labels, cost = sums$t - share, V = V, s = s,
    total = sum(sums$t) - if (sum(s) > 0) sum(sums$M) / sum(s) else 0,
    objectives = solved$objectives, best_start = solved$best,
    iterations = as.integer(solved$run$iterations), moves = solved$run$moves,
    converged = solved$run$converged, rose = isTRUE(solved$run$rose), fall = solved$run$fall
  )
}

#' @rdname cluster_kgroups
#' @export
as_communities <- function(x) {
  check_given(x, "x")
  if (inherits(x, "communities")) {
    return(x)
  }
  if (!inherits(x, "kgroups_graph_fit")) {
    came <- describe(x)
    kg_abort(
      c(
        "{.arg x} must be a fit of a graph.",
        "x" = "You supplied {came}.",
        "i" = "Fit one by {.code kgroups(graph, k)}."
      ),
      "fit"
    )
  }
  out <- new_communities(fit_graph_data(x), x$graph$weights, x$cluster, x$k, "kernel k-groups")
  attr(out, "result") <- x$graph$result
  out
}

# igraph's class; make_clusters() leaves out names and edge weights.
new_communities <- function(graph, weights, labels, k, algorithm) {
  labels <- match(labels, first_appearance(labels, k))
  out <- igraph::make_clusters(graph, labels, algorithm = algorithm, modularity = FALSE)
  out$membership <- labels
  out$names <- vertex_names(graph)
  out$modularity <- graph_modularity(graph, labels, weights)
  out
}

graph_modularity <- function(graph, labels, weights) {
  weights <- check_edge_weights(graph, weights)
  if (igraph::ecount(graph) == 0 || identical(sum(weights), 0)) {
    return(0)
  }
  # weights = NULL would take the edge attribute, which may be what NA has ruled out.
  if (is.null(weights)) weights <- rep(1, igraph::ecount(graph))
  igraph::modularity(graph, labels, weights = weights)
}

#' @export
search_store.kgroups_graph <- function(store, problem, control) {
  parts <- bethe_parts(store$simple)
  starts <- graph_starts(store$simple, parts, control$k, store$normalize, control$nstart)
  solved <- solve_graph(store$simple, problem, starts, control)
  graph_solution(problem, control, fill_groups(store$simple, parts, solved$labels, control$k), solved)
}
