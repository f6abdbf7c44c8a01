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
#' 2. For this number, its two neighbours and 1, [cluster_belief_propagation()] fits all six models. Numbers next to the best one
#'    are compared as long as the description length falls, fewer on large graphs. If `k` is given, it is the only number.
#' 3. The labels of [igraph::cluster_leiden()], which maximise modularity, are a further start for their number of groups; its
#'    neighbours are compared if that number is the best.
#' 4. The model and number of groups of least description length are returned, unless there is lack of fit (see the section on
#'    it). The description length approximates the negative log probability of the graph, see
#'    [cluster_belief_propagation()]. A difference of 5 nats is a probability ratio of 150.
#'
#' A graph without communities gives one group.
#'
#' @section Lack of fit:
#' The comparison assumes that one of the models fits. If there are groups, the numbers of edges
#' \eqn{x_{iq}}{x_iq} from each vertex to each group are compared with their expectation under the
#' model of least description length. The dispersion is
#' Pearson's \eqn{\sum (x_{iq} - \mu_{iq})^2/\mu_{iq}}{sum (x_iq - mu_iq)^2/mu_iq} over its degrees of freedom,
#' about 1 on graphs drawn from the models, and larger on many real ones. Above 1.5 the description
#' length finds too many groups, and model differences reflect the lack of fit. Then
#' the log-likelihood of the edges is divided by the dispersion, as in a quasi-likelihood (McCullagh and
#' Nelder 1989). The number of groups minimises this adjusted description length, and of all candidates
#' with this number the one of largest modularity is returned.
#'
#' @section Large graphs:
#' The larger the number of edges times groups, the fewer models, starts and sweeps are tried; in the largest graphs the number of
#' groups is the count or 1. So the time is bounded: graphs of up to 10,000 edges take at most some seconds.
#'
#' @section Choosing a method:
#' Use this function first. For small graphs (some tens of vertices) the number of groups is uncertain, and it is often
#' below that of known labels if sizes are very unequal: supply `k` if it is known. `summary()` lists the description
#' lengths of the candidates. [igraph::cluster_leiden()] nearly always attains the highest modularity, but finds
#' groups in random graphs too.
#'
#' @section Edge weights:
#' Weights have an influence only if they carry information beyond the edges. Equal weights are ignored. Partitions are
#' compared by
#' the description length of the edges and of the logarithms of their weights. The model is a degree-corrected block model for
#' the edges, with a normal distribution of log weights. Its rates and means are for each pair of communities, or one
#' within and one between. Candidates come from [cluster_bethe_hessian()], [cluster_kgroups()], the edges without their weights, Leiden, and
#' mean-field fits of the model (`"weighted block model"`; Aicher, Jacobs and Clauset 2015). The table has the description length
#' less that of one community, which is the result if no partition is shorter.
#'
#' If the model does not fit (see Lack of fit), as in a complete graph of similarities, the largest modularity chooses among
#' the candidates, with a message. One community is then the result if the modularity is not above that of graphs of the
#' same degrees with rewired edges and permuted weights. For such graphs [igraph::cluster_leiden()] is as good, and faster. For
#' graphs of nearest neighbours, which no block model describes, it is better: adjusted Rand index .40 against .23, or .61 with
#' `k` given. The modularity in `candidates` is that of all weights, as
#' [igraph::modularity()] computes it.
#'
#' @seealso [cluster_bethe_hessian()] on components, isolated vertices and heavy edges.
#' @section Complexity: That of [cluster_belief_propagation()] for every number of groups compared, mostly four to
#'   six: one to three seconds at 1000 vertices.
#'
#' @inheritParams cluster_bethe_hessian
#' @param k Number of groups; `NULL` (the default) chooses it. Fewer can be returned, see
#'   [cluster_belief_propagation()].
#' @param ... For `cluster_communities()`, not used: an unknown argument is an error. For `plot()`,
#'   arguments of igraph's plot of communities, or of [plot.default()].
#' @return An igraph `communities` object of class `kgroups_communities`, with the attributes of
#'   [cluster_belief_propagation()] and `candidates`, a data frame with a row for every
#'   candidate: `method` (a model, `"Bethe Hessian"`, `"k-groups"`, `"Leiden"`, with edge weights also `"edges without weights"`,
#'   `"weighted block model"` and `"one community"`), `k_requested`, `k` (groups in the result), `description_length` (`NA` if it
#'   is not defined), `modularity` (with all weights), `trusted` (`FALSE` if belief propagation has not converged in a graph
#'   below 100 vertices), `chosen`, `compared` (the description length, or the adjusted one, that was compared; `Inf` for
#'   candidates left out). Its component `dispersion` is that of the lack of fit. `summary()` prints the best candidate of each
#'   method and number of communities, the shortest description first.
#' @references
#' Aicher C, Jacobs AZ, Clauset A (2015). "Learning latent block structure in weighted networks." *Journal of
#' Complex Networks*, 3, 221-248. \doi{10.1093/comnet/cnu026}
#'
#' McCullagh P, Nelder JA (1989). *Generalized Linear Models*, second edition, chapter 9. Chapman and
#' Hall. ISBN 978-0-412-31760-6 (quasi-likelihood)
#'
#' Traag VA, Waltman L, van Eck NJ (2019). "From Louvain to Leiden: guaranteeing well-connected
#' communities." *Scientific Reports*, 9, 5233. \doi{10.1038/s41598-019-41695-z}
#' @family graphs
#' @examples
#' # two planted blocks: the number of communities is found, and most vertices
#' set.seed(1)
#' block <- rep(1:2, each = 50)
#' graph <- igraph::sample_sbm(100, diag(0.13, 2) + 0.02, c(50, 50))
#' found <- cluster_communities(graph)
#' found
#' table(block, igraph::membership(found))
#'
#' # the models and numbers that were compared, the best first
#' summary(found)
#'
#' # no communities are found in a random graph
#' igraph::sizes(cluster_communities(igraph::sample_gnp(60, 0.1)))
#' @export
cluster_communities <- function(graph, k = NULL, weights = NULL, nstart = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "cluster_communities")
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  input <- read_graph(graph, k, weights, env)
  check_belief_memory(input$damped, input$k, env)
  found <- if (input$simple$weighted) search_weighted(input, k, nstart) else search_plain(input, k, nstart)
  chosen <- found$candidates[[found$at]]
  out <- if (is.null(chosen$marginals)) {
    new_communities(graph, weights, chosen$labels, chosen$k, chosen$algorithm)
  } else {
    belief_communities(graph, weights, input, chosen, found$start)
  }
  out$candidates <- candidate_table(found$candidates, found$compared, found$at, input$simple)
  out$dispersion <- found$dispersion
  out$weighted <- input$simple$weighted
  out["chance"] <- list(found$chance)
  if (input$simple$weighted) inform_weights(out, k)
  class(out) <- c("kgroups_communities", "kgroups_beliefs", "kgroups_partition", "kgroups_result", "communities")
  out
}

# Return list(candidates, at, compared, dispersion, start): all candidates, the place of the chosen one, what was compared.
search_plain <- function(input, k, nstart) {
  simple <- input$damped
  leiden <- leiden_labels(simple)
  if (!is.null(k) && !is.null(leiden) && max(leiden) != input$k) leiden <- NULL
  runs <- communities_runs(input, is.null(k), leiden, nstart)
  choice <- communities_choice(runs, simple)
  runs <- refine_chosen(runs, choice, simple)
  best <- runs[[as.character(choice$requested)]]
  candidates <- c(run_candidates(runs), other_partitions(input, leiden, nstart, best))
  list(
    candidates = candidates, at = choice$at, compared = choice$compared, dispersion = choice$dispersion,
    start = best$starts[[1L]]
  )
}

# The same for a graph with weights. If the model of edges and weights does not fit, the largest modularity chooses among
# the candidates of the count of communities, or of the Leiden partition if the count is 1.
search_weighted <- function(input, k, nstart) {
  simple <- input$damped
  leiden <- leiden_labels(simple)
  if (!is.null(k) && !is.null(leiden) && max(leiden) != k) leiden <- NULL
  plain <- search_plain(without_weights(input, k), k, nstart)
  plain <- plain$candidates[[plain$at]]$labels
  plain <- match(plain, sort(unique(plain)))
  found <- weighted_candidates(input, plain, leiden, k, nstart)
  size <- vapply(found$candidates, `[[`, 0, "description_length")
  if (found$dispersion <= most_dispersion) {
    return(c(found, list(compared = size)))
  }
  count <- input$k
  if (is.null(k) && count == 1L) {
    chance <- chance_modularity(simple, leiden)
    if (!is.null(chance)) {
      at <- which(vapply(found$candidates, `[[`, 0L, "k") == 1L)[1L]
      return(utils::modifyList(found, list(at = at, chance = chance)))
    }
    count <- max(leiden)
  }
  eligible <- vapply(found$candidates, function(one) one$k == count && one$model != "weighted block model", NA)
  modularity <- vapply(found$candidates, `[[`, 0, "modularity")
  utils::modifyList(found, list(at = which.max(ifelse(eligible, modularity, -Inf))))
}

# Return the input of the graph without its weights.
without_weights <- function(input, k) {
  simple <- input$simple
  simple$weighted <- FALSE
  simple$adjacency@x[] <- 1
  parts <- bethe_parts(simple)
  count <- k %||% suppressWarnings(graph_k(NULL, simple, parts), classes = "kg_warning_count")
  list(simple = simple, damped = simple, parts = parts, k = count)
}

# For a weighted graph with a count of at most 1: return NULL if the count without weights is above 1, or the modularity of
# the Leiden partition 2.5 sd above that of random graphs (same degrees, edges rewired, weights permuted). Otherwise
# c(modularity, mean, sd).
chance_modularity <- function(simple, leiden) {
  if (is.null(leiden) || max(leiden) == 1L) {
    return(c(0, 0, 0))
  }
  plain <- simple
  plain$weighted <- FALSE
  plain$adjacency@x[] <- 1
  if (suppressWarnings(graph_k(NULL, plain, bethe_parts(plain)), classes = "kg_warning_count") > 1L) {
    return(NULL)
  }
  upper <- Matrix::triu(simple$adjacency, 1)
  graph <- upper_graph(upper, simple$n)
  shuffled <- vapply(1:19, function(i) {
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
  candidates <- lapply(candidates, c, list(requested = as.integer(k)))
  runs[[name]] <- list(requested = k, starts = starts, candidates = candidates)
  runs
}

# Return the runs with 40 more sweeps of the chosen candidate, if it had fewer and these are affordable.
refine_chosen <- function(runs, choice, simple) {
  at <- as.character(choice$requested)
  candidate <- runs[[at]]$candidates[[choice$model]]
  k <- choice$requested
  if (candidate$k < k || k == 1L || belief_large(simple, k, most_work) ||
    !belief_large(simple, k, few_models_work)) {
    return(runs)
  }
  run <- propagate_beliefs(simple, candidate$labels, k, model = choice$model)
  refined <- belief_candidate(simple, run, choice$model)
  if (refined$k == k && refined$description_length < candidate$description_length) {
    runs[[at]]$candidates[[choice$model]] <- c(refined, list(requested = k))
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
# 2 m k above which the number is the count or 1.
climb_work <- 6e4
most_work <- 1e6

# Return the work of k groups in message values; 1/9 if fewer models run.
belief_work <- function(simple, k) {
  as.numeric(k) * length(simple$adjacency@x) / ifelse(belief_large(simple, k, few_models_work), 9, 1)
}

# ---- Choice --------------------------------------------------------------------------------

# Dispersion above which the models do not fit: on graphs drawn from them it is .8 to 1.2.
most_dispersion <- 1.5

# Return list(at, requested, model, dispersion, compared): the place, number of groups and model of the chosen
# candidate, and for every candidate the value compared, less being better.
communities_choice <- function(runs, simple) {
  all <- run_candidates(runs)
  requested <- vapply(all, `[[`, 0L, "requested")
  k <- vapply(all, `[[`, 0L, "k")
  modularity <- vapply(all, `[[`, 0, "modularity")
  compared <- trusted_length(all)
  at <- which.min(compared)
  # one group is the same, however many were requested
  if (k[at] == 1L && any(requested == 1L)) at <- which(requested == 1L)[which.min(compared[requested == 1L])]
  dispersion <- belief_dispersion(simple, all[[at]])
  if (dispersion > most_dispersion) {
    compared <- adjusted_lengths(all, requested, compared, simple, dispersion)
    # the model does not fit, so modularity chooses among the candidates of this number
    same <- is.finite(compared) & k == if (any(requested == 1L)) k[which.min(compared)] else k[at]
    at <- order(!same, -round(modularity, 9), compared)[1L]
  }
  list(at = at, requested = requested[[at]], model = all[[at]]$model, dispersion = dispersion, compared = compared)
}

# Return the candidates of all runs.
run_candidates <- function(runs) unlist(lapply(unname(runs), `[[`, "candidates"), recursive = FALSE, use.names = FALSE)

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

# ---- Partitions of other methods, and the table --------------------------------------------

# Return partitions of methods without a model for the number of the run, with the fields of candidates.
other_partitions <- function(input, leiden, nstart, run) {
  simple <- input$damped
  partition <- function(method, requested, labels, algorithm = method) {
    list(
      model = method, algorithm = algorithm, requested = requested, labels = labels, k = max(labels),
      description_length = NA_real_, modularity = adjacency_modularity(simple, labels), trusted = NA
    )
  }
  k <- run$requested
  start <- run$starts$embedding %||% graph_starts(simple, input$parts, k, TRUE, nstart, one = TRUE)[[1L]]
  list(
    partition("Bethe Hessian", k, fill_groups(simple, input$parts, start$labels, k)),
    partition("k-groups", k, kgroups_labels(simple, input$parts, start, k), "kernel k-groups"),
    if (!is.null(leiden)) partition("Leiden", NA_integer_, leiden)
  )[c(TRUE, TRUE, !is.null(leiden))]
}

# Return a data frame with a row for every candidate, with the modularity of all weights.
candidate_table <- function(candidates, compared, chosen, simple) {
  column <- function(name, type) vapply(candidates, `[[`, type, name, USE.NAMES = FALSE)
  compared <- c(compared, rep(NA_real_, length(candidates)))[seq_along(candidates)]
  data.frame(
    method = column("model", ""), k_requested = column("requested", 0L), k = column("k", 0L),
    description_length = column("description_length", 0),
    modularity = vapply(candidates, function(one) adjacency_modularity(simple, one$labels), 0, USE.NAMES = FALSE),
    trusted = column("trusted", NA), chosen = seq_along(candidates) == chosen,
    compared = compared
  )
}

inform_weights <- function(x, k) {
  if (!is.null(k)) {
    return(invisible())
  }
  if (length(x) == 1L) {
    text <- if (is.null(x$chance)) no_gain_text else chance_text(x$chance)
    kg_inform(c("{text}.", "i" = "Supply {.arg k} for a partition all the same."), "weights")
  } else if (is_dispersed(x)) {
    kg_inform(
      c(
        "No block model of edges and weights fits this graph: the largest modularity chooses.",
        "i" = "Use {.code weights = \"log1p\"} to damp weights further, {.code weights = NA} to leave them out."
      ),
      "weights"
    )
  }
}

no_gain_text <- "No communities: no partition found shortens the description of edges and weights"

# Return the labels of igraph's Leiden partition; NULL if igraph has none, or above 2e5 edges, because it cannot be
# interrupted.
leiden_labels <- function(simple) {
  m <- length(simple$adjacency@x) / 2
  if (m == 0 || m > 2e5 || !"cluster_leiden" %in% getNamespaceExports("igraph")) {
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
    } else if (isTRUE(x$weighted)) {
      weighted_text(x, chosen)
    } else if (is_dispersed(x)) {
      c(
        sprintf("Lack of fit: description lengths are adjusted for a dispersion of %.1f", x$dispersion),
        sprintf("Model %s: the largest modularity for k = %d", chosen$method, chosen$k)
      )
    } else {
      sprintf("Model %s, the least description length: %s nats", chosen$method, format(round(nats, 1), nsmall = 1))
    },
    next_text(table, chosen, is_dispersed(x), if (isTRUE(x$weighted)) "partition" else "model")
  ))
}

weighted_text <- function(x, chosen) {
  if (is_dispersed(x)) {
    return(c(
      sprintf("Lack of fit: a dispersion of %.1f about the block model of edges and weights", x$dispersion),
      sprintf("Found by %s: the largest modularity with heavy edges damped", chosen$method)
    ))
  }
  if (chosen$k == 1L) {
    return(no_gain_text)
  }
  nats <- format(round(-chosen$description_length, 1), nsmall = 1)
  sprintf("Found by %s: the least description length, %s nats below that of one community", chosen$method, nats)
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

# Return lines with the next model (or partition) and the next number of groups.
next_text <- function(table, chosen, dispersed, other) {
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
    sprintf("  next %s: %s, k = %d, %s nats more", what, best$method, best$k, more)
  }
  c(
    # other methods can find the same partition
    if (!dispersed) one(here[here$method != chosen$method & here$compared > least + 0.05, , drop = FALSE], other),
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
  # of each method and number of groups the best candidate
  table <- x$candidates
  table <- table[order(!table$chosen), ]
  table <- table[!duplicated(table[c("method", "k")]), ]
  table <- table[order(as.integer(rownames(table))), ]
  best <- if (all(is.na(table$compared))) NA else min(table$compared, na.rm = TRUE)
  # rows without a description length are always shown
  without <- is.na(table$description_length)
  shown <- rbind(utils::head(table[!without, ], rows), table[without, ])
  left <- nrow(x$candidates) - nrow(shown)
  cat(x$head, "", sep = "\n")
  above <- shown$compared - best
  mark <- ifelse(shown$chosen, "*", ifelse(shown$trusted %in% FALSE, "not converged", ""))
  print(
    data.frame(
      method = shown$method, k = shown$k, nats = ifelse(is.finite(above), formatC(above, format = "f", digits = 1), "-"),
      modularity = formatC(round(shown$modularity, 3) + 0, format = "f", digits = 3), " " = mark,
      check.names = FALSE
    ),
    row.names = FALSE
  )
  cat("nats: description length above the least; 5 nats are a probability ratio of 150\n")
  if (left > 0) cat(sprintf("... and %d more candidates, see $candidates\n", left))
  if (is.na(best)) cat("This modularity is that of all weights; the choice compared it with heavy edges damped.\n")
  invisible(x)
}

#' @rdname cluster_communities
#' @param y In `plot()`, the graph, to draw it with its communities. If left out, the description length is plotted
#'   against the number of groups, a line for every model or method (modularity if no block model fits the weights).
#' @export
as_figure.kgroups_communities <- function(x, y = NULL, ...) {
  check_no_dots(..., call = rlang::caller_env(), topic = "cluster_communities")
  if (is.null(y)) communities_figure(x) else NextMethod()
}
