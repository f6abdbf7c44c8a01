# Communities with models and numbers of groups compared by description length.

#' Communities of a graph, models and number of groups compared
#'
#' Finds the communities of a graph and their number. Six stochastic block models
#' and the numbers of groups around a first count, one group included, are compared by their
#' description length. The result has a table of all candidates, with the partitions of
#' other methods for comparison.
#'
#' @section Algorithm:
#' 1. [count_communities()] gives a first number of groups.
#' 2. For this number, its two neighbours and 1, [cluster_belief_propagation()] fits all
#'    six models. Further numbers next to the best one are compared as long as the description length
#'    decreases, and while their sum times 2 m is below 6e4 (or that of the count; if three models are compared,
#'    nine times that). If `k` is given, it is the only number.
#' 3. If igraph has [igraph::cluster_leiden()], its labels (modularity; up to 200000 edges) are a further
#'    start for their number of groups; its neighbours are compared if that number is the best.
#' 4. The model and number of groups of least description length are returned, unless there is lack of fit
#'    (see there). The description length is the free energy of belief propagation, the code length of the
#'    degrees for models that fit them, and half a logarithm for every
#'    parameter: an approximation of the negative log probability of the graph. A difference of 5 nats is a
#'    probability ratio of 150.
#'
#' A graph without communities gives one group.
#'
#' @section Lack of fit:
#' The comparison assumes that one of the models fits. If there are groups, the numbers of edges
#' \eqn{x_{iq}}{x_iq} from each vertex to each group are compared with their expectation under the
#' model of least description length. The dispersion is
#' Pearson's \eqn{\sum (x_{iq} - \mu_{iq})^2/\mu_{iq}}{sum (x_iq - mu_iq)^2/mu_iq} over its degrees of freedom,
#' .8 to 1.2 on graphs drawn from the models, 1.2 to 4 on many real ones. Above 1.5 the description
#' length finds too many groups, and model differences reflect the lack of fit. Then
#' the log-likelihood of the edges is divided by the dispersion, as in a quasi-likelihood (McCullagh and
#' Nelder 1989). The number of groups minimises this adjusted description length, and of all candidates
#' with this number the one of largest modularity is returned.
#'
#' @section Large graphs:
#' If 2 m k is above 5e4, three models are compared, one start each, with fewer sweeps the more groups there
#' are. If it is above 1e6, the number of groups is the count or 1; above 100 groups only model dc_p is run.
#' So the time is bounded: graphs of up to 10,000 edges take at most some seconds.
#'
#' @section Choosing a method:
#' Use this function first. For small graphs (some tens of vertices) the number of groups is uncertain, and it is often
#' below that of known labels if sizes are very unequal: supply `k` if it is known. `summary()` lists the description
#' lengths of all candidates. [cluster_belief_propagation()] fits one number of groups; [cluster_kgroups()] optimises an
#' objective without a model; [igraph::cluster_leiden()] nearly always attains the highest modularity, but finds groups
#' in random graphs too.
#'
#' Directed graphs: an edge in either direction counts as one, with a message. Negative weights and bipartite
#' graphs are errors that name an alternative.
#'
#' @section Edge weights:
#' The description length is defined for graphs without weights only. With weights, the candidate
#' of the largest modularity is returned, with a message. The candidates are those of belief propagation,
#' [cluster_bethe_hessian()] and [cluster_kgroups()] for the count of communities (or `k`). If the count is at
#' most 1, they are those for the number of communities of the Leiden partition, and that partition.
#'
#' One community is returned if the count is at most 1 with and without weights, and the modularity of the Leiden
#' partition is within 2.5 standard deviations of the mean of 19 shuffled graphs: of the same degrees, with
#' rewired edges and permuted weights. Modularity alone finds groups in any graph.
#'
#' If fewer than n/2 heavy edges hold three quarters of the weight, they count as 3 times the median in the
#' modularity too, with a message.
#'
#' If weights vary by factors of ten, `weights = "log1p"` is often better. `weights = NA` ignores them.
#'
#' @inheritSection cluster_bethe_hessian Components and isolated vertices
#' @inheritSection cluster_bethe_hessian Heavy edges
#' @inheritSection cluster_bethe_hessian Errors
#' @section Complexity: That of [cluster_belief_propagation()] for every number of groups compared, mostly four to
#'   six: one to three seconds at 1000 vertices.
#'
#' @inheritParams cluster_bethe_hessian
#' @param k Number of groups; `NULL` (the default) chooses it. Fewer can be returned, see
#'   [cluster_belief_propagation()].
#' @param nstart Number of k-means starts of each embedding; `NULL` (the default): 20, or 3 if
#'   \eqn{n k^2}{n k^2} is above 5e7.
#' @param ... For `cluster_communities()`, not used: an unknown argument is an error. For `plot()`,
#'   arguments of igraph's plot of communities, or of [plot.default()].
#' @return An igraph `communities` object of class `kgroups_communities`, with the attributes of
#'   [cluster_belief_propagation()] and `candidates`, a data frame with a row for every
#'   candidate: `method` (a model, `"Bethe Hessian"`, `"k-groups"` or `"Leiden"`), `k_requested`, `k` (groups
#'   in the result), `description_length` (`NA` if it is not
#'   defined), `modularity`, `trusted` (`FALSE` if marginals have not converged in a graph below 100
#'   vertices), `chosen`, `compared` (the value compared: the description length, or the adjusted one; `Inf` for
#'   candidates left out). Its component `dispersion` is that of the lack of fit. `summary()` gives the table in
#'   the order of description length.
#' @references
#' Decelle A, Krzakala F, Moore C, Zdeborova L (2011). "Asymptotic analysis of the stochastic
#' block model for modular networks and its algorithmic applications." *Physical Review E*,
#' 84, 066106. \doi{10.1103/PhysRevE.84.066106}
#'
#' Yan X, Shalizi C, Jensen JE, Krzakala F, Moore C, Zdeborova L, Zhang P, Zhu Y (2014). "Model
#' selection for degree-corrected block models." *Journal of Statistical Mechanics: Theory and
#' Experiment*, P05007. \doi{10.1088/1742-5468/2014/05/P05007}
#'
#' McCullagh P, Nelder JA (1989). *Generalized Linear Models*, second edition, chapter 9. Chapman and
#' Hall. ISBN 978-0-412-31760-6 (quasi-likelihood)
#'
#' Traag VA, Waltman L, van Eck NJ (2019). "From Louvain to Leiden: guaranteeing well-connected
#' communities." *Scientific Reports*, 9, 5233. \doi{10.1038/s41598-019-41695-z}
#' @family graphs
#' @examples
#' set.seed(1)
#' block <- rep(1:2, each = 50)
#' graph <- igraph::sample_sbm(100, diag(0.13, 2) + 0.02, c(50, 50))
#' found <- cluster_communities(graph)
#' found
#' table(block, igraph::membership(found))
#' summary(found)
#' @export
cluster_communities <- function(graph, k = NULL, weights = NULL, nstart = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "cluster_communities")
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  weights <- lower_dominant(graph, weights, env)
  input <- read_graph(graph, k, weights, env)
  check_belief_memory(input$damped, input$k, env)
  leiden <- leiden_labels(input$simple)
  weighted <- input$simple$weighted
  # with weights, a count above 1 is kept: the largest modularity has too many groups
  fixed <- !is.null(k) || (weighted && input$k > 1L)
  if (fixed && !is.null(leiden) && max(leiden) != input$k) leiden <- NULL
  chance <- if (weighted && is.null(k)) chance_modularity(input, leiden)
  if (!is.null(chance)) {
    input$k <- 1L
    leiden <- NULL
  }
  runs <- communities_runs(input, is.null(k), leiden, nstart)
  choice <- communities_choice(runs, input$damped)
  runs <- refine_chosen(runs, choice, input$damped)
  out <- communities_result(graph, weights, input, runs, choice)
  compared <- if (weighted) runs else runs[as.character(choice$requested)]
  out <- add_other_methods(out, graph, weights, input, leiden, nstart, compared)
  if (weighted) inform_weights(chance)
  out["chance"] <- list(chance)
  class(out) <- c("kgroups_communities", "kgroups_beliefs", "communities")
  out
}

# Return the weights, with heavy ones lowered if fewer than n/2 edges hold three quarters of all weight. The
# modularity would otherwise be that of these edges alone.
lower_dominant <- function(graph, weights, call) {
  known <- check_edge_weights(graph, weights, call)
  if (is.null(known) || length(known) == 0L) {
    return(weights)
  }
  largest <- heaviest_weight * stats::median(known[known > 0])
  heavy <- known > largest
  if (2 * sum(heavy) > igraph::vcount(graph) || sum(known[heavy]) <= 0.75 * sum(known)) {
    return(weights)
  }
  few <- sum(heavy)
  share <- round(100 * sum(known[heavy]) / sum(known))
  kg_inform(
    c(
      "{few} heavy edge{?s} {?holds/hold} {share} % of all weight.",
      "i" = "Weights above {signif(largest, 3)}, 3 times the median, count as that, in the modularity too."
    ),
    "damped"
  )
  pmin(known, largest)
}

# Weighted graphs: return NULL if there are communities, else c(modularity, mean, sd), the modularity of the
# Leiden partition and of those of graphs with the same degrees, edges rewired and weights permuted. There
# are communities if the count is above 1, with or without weights, or if these differ by 2.5 sd.
chance_modularity <- function(input, leiden, graphs = 19) {
  simple <- input$simple
  if (input$k > 1L || is.null(leiden) || max(leiden) == 1L) {
    return(if (input$k > 1L) NULL else c(0, 0, 0))
  }
  plain <- simple
  plain$weighted <- FALSE
  plain$adjacency@x[] <- 1
  if (suppressWarnings(graph_k(NULL, plain, bethe_parts(plain)), classes = "kg_warning_count") > 1L) {
    return(NULL)
  }
  upper <- Matrix::triu(simple$adjacency, 1)
  graph <- upper_graph(upper, simple$n)
  shuffled <- vapply(seq_len(graphs), function(i) {
    ends <- edge_ends(igraph::rewire(graph, igraph::keeping_degseq(niter = 5 * length(upper@x))))
    other <- list(adjacency = both_triangles(ends, sample(upper@x), simple$n), n = simple$n, weighted = TRUE)
    adjacency_modularity(other, leiden_labels(other))
  }, 0)
  found <- c(adjacency_modularity(simple, leiden), mean(shuffled), stats::sd(shuffled))
  if (found[1L] - found[2L] > 2.5 * found[3L]) NULL else found
}

# ---- Numbers of groups ---------------------------------------------------------------------

# Return the runs of all numbers of groups compared: list(requested, starts, candidates) each.
communities_runs <- function(input, search, leiden, nstart) {
  simple <- input$damped
  count <- as.integer(input$k)
  add <- function(runs, k) add_run(runs, input, k, leiden, nstart)
  runs <- add(list(), count)
  if (!search) {
    return(runs)
  }
  # numbers far from the count have the Leiden partition as their only start
  add_leiden <- function(runs) {
    if (is.null(leiden) || max(leiden) > 3L * count + 2L) {
      return(runs)
    }
    add_run(runs, input, max(leiden), leiden, nstart, alone = TRUE)
  }
  if (simple$weighted) {
    return(add_leiden(runs))
  }
  runs <- add(runs, 1L)
  if (belief_large(simple, count, most_work)) {
    return(runs)
  }
  runs <- add(add(runs, count - 1L), count + 1L)
  runs <- climb_numbers(runs, add, simple, max(climb_work, belief_work(simple, count)))
  more <- add_leiden(runs)
  if (length(more) > length(runs)) more <- climb_numbers(more, add, simple, climb_work)
  more
}

# Return the runs with those of k groups, from the embeddings and, if it has k groups, the Leiden partition
# (`alone`: from that only).
add_run <- function(runs, input, k, leiden, nstart, alone = FALSE) {
  simple <- input$damped
  name <- as.character(k)
  if (k < 1L || k > simple$n || !is.null(runs[[name]])) {
    return(runs)
  }
  starts <- if (!alone) belief_starts(simple, input$parts, k, nstart)
  if (alone || (!is.null(leiden) && max(leiden) == k)) {
    starts$leiden <- list(labels = leiden, inside = rep(TRUE, simple$n))
  }
  # one model of few sweeps for many groups, so that the time is bounded for any k
  large <- belief_large(simple, k, few_models_work)
  candidates <- belief_candidates(
    simple, starts, k,
    model = if (large && k > 100L) "dc_p" else "auto",
    sweeps = if (large) min(20, max(8, 350 %/% k)) else 40, large = few_models_work
  )
  runs[[name]] <- list(requested = k, starts = starts, candidates = candidates)
  runs
}

# Return the runs with 40 more sweeps of the chosen candidate, if it had fewer and these are affordable.
refine_chosen <- function(runs, choice, simple) {
  at <- as.character(choice$requested)
  candidate <- runs[[at]]$candidates[[choice$model]]
  k <- choice$requested
  if (simple$weighted || candidate$k < k || k == 1L || belief_large(simple, k, most_work) ||
    !belief_large(simple, k, few_models_work)) {
    return(runs)
  }
  run <- propagate_beliefs(simple, candidate$labels, k, model = choice$model)
  refined <- belief_candidate(simple, run, choice$model)
  if (refined$k == k && refined$description_length < candidate$description_length) {
    runs[[at]]$candidates[[choice$model]] <- refined
  }
  runs
}

# Return the runs with neighbours of the best number until none is better or the `work` is spent. On grids
# and rings, which have no number of groups, the description length decreases for long.
climb_numbers <- function(runs, add, simple, work) {
  repeat {
    best <- communities_choice(runs, simple)$requested
    new <- setdiff(best + c(-1L, 1L), c(0L, as.integer(names(runs)), if (best == simple$n) best + 1L))
    work <- work - sum(belief_work(simple, new))
    if (length(new) == 0L || best == 1L || work < 0) {
      return(runs)
    }
    for (k in new) runs <- add(runs, k)
  }
}

# Work of further numbers of groups, in message values of a run of all models, some 60 microseconds each;
# 2 m k above which three models run, one start each; 2 m k above which the number is the count or 1.
climb_work <- 6e4
few_models_work <- 5e4
most_work <- 1e6

# Return the work of k groups in message values; 1/9 if fewer models run.
belief_work <- function(simple, k) {
  as.numeric(k) * length(simple$adjacency@x) / ifelse(belief_large(simple, k, few_models_work), 9, 1)
}

# ---- Choice --------------------------------------------------------------------------------

# Dispersion above which the models do not fit: on graphs drawn from them it is .8 to 1.2.
most_dispersion <- 1.5

# Return list(requested, model, dispersion, compared): the chosen number of groups and model, and for every
# candidate the value compared, less being better.
communities_choice <- function(runs, simple) {
  all <- unlist(lapply(unname(runs), `[[`, "candidates"), recursive = FALSE, use.names = FALSE)
  requested <- rep(vapply(runs, `[[`, 0L, "requested"), lengths(lapply(runs, `[[`, "candidates")))
  k <- vapply(all, `[[`, 0L, "k")
  modularity <- vapply(all, `[[`, 0, "modularity")
  compared <- if (simple$weighted) -modularity else trusted_length(all)
  at <- which.min(compared)
  # one group is the same, however many were requested
  if (k[at] == 1L && any(requested == 1L)) at <- which(requested == 1L)[which.min(compared[requested == 1L])]
  dispersion <- if (simple$weighted) NA_real_ else belief_dispersion(simple, all[[at]])
  if (isTRUE(dispersion > most_dispersion)) {
    compared <- adjusted_lengths(all, requested, compared, simple, dispersion)
    # the model does not fit, so modularity chooses among the candidates of this number
    same <- is.finite(compared) & k == if (any(requested == 1L)) k[which.min(compared)] else k[at]
    at <- order(!same, -round(modularity, 9), compared)[1L]
  }
  list(requested = requested[[at]], model = all[[at]]$model, dispersion = dispersion, compared = compared)
}

# Return the adjusted description lengths of candidates with groups, Inf for those of one group. They are
# as given if one group was not run.
adjusted_lengths <- function(all, requested, nats, simple, dispersion) {
  if (!any(requested == 1L)) {
    return(nats)
  }
  theta <- vapply(all, function(one) belief_models[[one$model]]$theta, NA)
  k <- vapply(all, `[[`, 0L, "k")
  out <- rep(Inf, length(all))
  for (kind in unique(theta)) {
    one <- min(nats[requested == 1L & theta == kind])
    here <- which(theta == kind & k > 1L & is.finite(nats))
    out[here] <- vapply(all[here], adjusted_length, 0, simple = simple, one = one, dispersion = dispersion)
  }
  out
}

communities_result <- function(graph, weights, input, runs, choice) {
  best <- runs[[as.character(choice$requested)]]
  out <- belief_communities(
    graph, weights, input, best$candidates[[choice$model]], best$starts[[1L]], best$candidates
  )
  attr(out, "models") <- NULL
  rows <- lapply(runs, function(run) {
    table <- belief_table(run$candidates)
    data.frame(
      method = table$model, k_requested = run$requested, k = table$k,
      description_length = table$description_length, modularity = table$modularity,
      trusted = vapply(run$candidates, `[[`, FALSE, "trusted", USE.NAMES = FALSE),
      chosen = table$model == choice$model & run$requested == choice$requested
    )
  })
  out$candidates <- do.call(rbind, unname(rows))
  out$candidates$compared <- if (input$damped$weighted) NA_real_ else choice$compared
  out$dispersion <- choice$dispersion
  out
}

# Return the result with partitions of methods without a model in its table, for the numbers of the runs. With edge weights, for which
# there is no description length, the candidate of largest modularity replaces the result.
add_other_methods <- function(out, graph, weights, input, leiden, nstart, runs) {
  simple <- input$simple
  quiet <- function(code) suppressMessages(code, classes = "kg_message")
  others <- unlist(lapply(unname(runs), function(run) {
    k <- run$requested
    start <- run$starts$embedding %||%
      graph_starts(input$damped, input$parts, k, TRUE, nstart, one = TRUE)[[1L]]
    labels <- fill_groups(input$damped, input$parts, start$labels, k)
    list(
      "Bethe Hessian" = quiet(new_communities(graph, weights, labels, k, "Bethe Hessian")),
      "k-groups" = quiet({
        new_communities(graph, weights, kgroups_labels(input, start, k), k, "kernel k-groups")
      })
    )
  }), recursive = FALSE)
  if (!is.null(leiden)) {
    others$Leiden <- quiet(new_communities(graph, weights, leiden, max(leiden), "Leiden"))
  }
  groups <- vapply(others, length, 0L)
  rows <- data.frame(
    method = names(others), k_requested = ifelse(names(others) == "Leiden", NA_integer_, groups), k = groups,
    description_length = NA_real_, modularity = vapply(others, function(one) one$modularity, 0),
    trusted = NA, chosen = FALSE, compared = NA_real_
  )
  candidates <- rbind(out$candidates, rows)
  dispersion <- out$dispersion
  if (simple$weighted) {
    best <- which.max(rows$modularity)
    if (rows$modularity[best] > out$modularity + 1e-9) {
      out <- others[[best]]
      candidates$chosen <- seq_len(nrow(candidates)) == nrow(candidates) - nrow(rows) + best
    }
  }
  rownames(candidates) <- NULL
  out$candidates <- candidates
  out$dispersion <- dispersion
  out
}

# Return the labels of cluster_kgroups() from one start.
kgroups_labels <- function(input, start, k) {
  settings <- graph_settings(call = NULL)
  settings$control$k <- k
  parts <- if (is.null(input$damped$original)) input$parts else bethe_parts(input$simple)
  problem <- graph_problem(input$simple, parts, settings$gram, settings$vertex_weights)
  solved <- solve_embeddings(input$simple, list(refined = start), problem, parts, settings$control, settings)
  fill_groups(input$damped, input$parts, solved$labels, k)
}

inform_weights <- function(chance) {
  if (!is.null(chance)) {
    text <- chance_text(chance)
    kg_inform(c("{text}.", "i" = "Supply {.arg k} for a partition all the same."), "weights")
    return(invisible())
  }
  kg_inform(
    c(
      "The description length is not defined for edge weights: the candidate of largest modularity is returned.",
      "i" = "Use {.code weights = \"log1p\"} to damp heavy edges, {.code weights = NA} to leave weights out."
    ),
    "weights"
  )
}

# Return the labels of igraph's Leiden partition, or NULL if igraph has none. Large graphs go without,
# because it answers no interrupt.
leiden_labels <- function(simple, edges = 2e5) {
  m <- length(simple$adjacency@x) / 2
  if (m == 0 || m > edges || !"cluster_leiden" %in% getNamespaceExports("igraph")) {
    return(NULL)
  }
  upper <- Matrix::triu(simple$adjacency, 1)
  found <- igraph::cluster_leiden(
    upper_graph(upper, simple$n),
    objective_function = "modularity", weights = if (simple$weighted) upper@x else NA, n_iterations = 4
  )
  labels <- as.integer(igraph::membership(found))
  match(labels, unique(labels))
}

# Return the igraph graph of an upper triangle.
upper_graph <- function(upper, n) {
  igraph::make_graph(rbind(upper@i + 1, column_index(upper)), n = n, directed = FALSE)
}

# ---- Print, summary and plots ----------------------------------------------------------------

#' @export
format.kgroups_communities <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  table <- x$candidates
  chosen <- table[table$chosen, , drop = FALSE]
  nats <- chosen$description_length
  communities_text(x, c(
    if (!is.null(x$chance)) {
      chance_text(x$chance)
    } else if (is.na(nats)) {
      sprintf("Method %s: the largest modularity, because the edges have weights", chosen$method)
    } else if (is_dispersed(x)) {
      c(
        sprintf("Lack of fit: description lengths are adjusted for a dispersion of %.1f", x$dispersion),
        sprintf("Model %s: the largest modularity for k = %d", chosen$method, chosen$k)
      )
    } else {
      sprintf("Model %s, the least description length: %s nats", chosen$method, format(round(nats, 1), nsmall = 1))
    },
    next_text(table, chosen, is_dispersed(x))
  ))
}

chance_text <- function(chance) {
  if (chance[1L] == 0) {
    return("No communities: no eigenvalue of the Bethe Hessian counts one")
  }
  sprintf(
    "No communities: the largest modularity found is %.3f, and %.3f (sd %.3f) with shuffled edges and weights",
    chance[1L], chance[2L], chance[3L]
  )
}

is_dispersed <- function(x) isTRUE(x$dispersion > most_dispersion)

# Return lines with the next model and the next number of groups.
next_text <- function(table, chosen, dispersed) {
  rest <- table[!is.na(table$description_length) & table$trusted & is.finite(table$compared), , drop = FALSE]
  if (is.na(chosen$description_length) || nrow(rest) == 0L) {
    return(NULL)
  }
  here <- rest[rest$k == chosen$k, , drop = FALSE]
  least <- if (dispersed && nrow(here)) min(here$compared) else chosen$compared
  one <- function(rows, what) {
    if (nrow(rows) == 0L) {
      return(NULL)
    }
    best <- rows[which.min(rows$compared), ]
    more <- formatC(best$compared - least, format = "f", digits = 1)
    sprintf("  next %s: %s, k = %d, %s more", what, best$method, best$k, more)
  }
  c(
    if (!dispersed) one(here[here$method != chosen$method, , drop = FALSE], "model"),
    one(rest[rest$k != chosen$k, , drop = FALSE], "number")
  )
}

#' @rdname cluster_communities
#' @param object,x A result of `cluster_communities()`.
#' @export
summary.kgroups_communities <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  table <- object$candidates
  table <- table[order(table$compared, table$description_length, -table$modularity, na.last = TRUE), , drop = FALSE]
  rownames(table) <- NULL
  structure(list(head = format(object), candidates = table), class = "summary.kgroups_communities")
}

#' @export
print.summary.kgroups_communities <- function(x, rows = 20, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  table <- x$candidates
  best <- if (all(is.na(table$compared))) NA else min(table$compared, na.rm = TRUE)
  # rows without a description length are always shown
  without <- is.na(table$description_length)
  shown <- rbind(utils::head(table[!without, ], rows), table[without, ])
  left <- nrow(table) - nrow(shown)
  cat(x$head, "", sep = "\n")
  above <- shown$compared - best
  mark <- ifelse(shown$chosen, "*", ifelse(shown$trusted %in% FALSE, "not converged", ""))
  print(
    data.frame(
      method = shown$method, requested = ifelse(is.na(shown$k_requested), "-", shown$k_requested), k = shown$k,
      "nats above least" = ifelse(is.finite(above), formatC(above, format = "f", digits = 1), "-"),
      modularity = formatC(round(shown$modularity, 3) + 0, format = "f", digits = 3), " " = mark,
      check.names = FALSE
    ),
    row.names = FALSE
  )
  if (left > 0) cat(sprintf("... and %d more\n", left))
  invisible(x)
}

#' @rdname cluster_communities
#' @param y The graph, to plot it with its communities by igraph, without names if it has more than 80 vertices. If left out, the description length is
#'   plotted against the number of groups (modularity if edges have weights), a line for every model.
#' @export
plot.kgroups_communities <- function(x, y, ...) {
  if (!missing(y)) {
    check_graph(y, "y")
    inner <- x
    class(inner) <- "communities"
    # names of many vertices would cover the graph
    if (igraph::vcount(y) > 80) igraph::V(y)$label <- NA
    graphics::plot(inner, drawable_graph(y), ...)
    return(invisible(x))
  }
  draw_figure(communities_figure(x), list(...))
  invisible(x)
}

#' @rdname cluster_communities
#' @usage \method{autoplot}{kgroups_communities}(object, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_communities <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  ggplot_figure(communities_figure(object))
}
