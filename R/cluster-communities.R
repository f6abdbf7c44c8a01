# The front door for people who just have a graph: models and numbers of groups are compared
# by evidence, and the result shows what was passed over.

#' Communities of a graph, models and number chosen by evidence
#'
#' Divides the vertices of a graph when nothing is known of its groups: six stochastic block models
#' and the numbers of groups around a first count are compared by the evidence that the graph
#' has for them, one group included. The result has a table of all that were tried, the partitions of
#' other methods beside them.
#'
#' @section Algorithm:
#' 1. [count_communities()] gives a first number of groups.
#' 2. For this number, its two neighbours and 1, [cluster_belief_propagation()] is run for all
#'    six models; from the best of them on, further numbers are tried as long as the evidence
#'    improves, and as their sum times 2 m stays below 1e6 (or twice what the count costs). With `k` given, that number alone.
#' 3. If igraph has [igraph::cluster_leiden()], its labels (modularity; up to 200000 edges) are one
#'    more start for their own number of groups, and its neighbours follow if that is the best.
#' 4. The model and the number of least evidence E win, if the models hold (see there). E is the
#'    free energy of belief propagation, what the degrees cost where the model is given them, and half a logarithm for every
#'    parameter: about minus the logarithm of the probability of the graph. Of two models, one
#'    whose E is 5 less is 150 times as probable.
#'
#' A graph without communities gives one group.
#'
#' @section Where the models do not hold:
#' Evidence is as good as its models. Where groups exist, the numbers of edges \eqn{x_{iq}}{x_iq} from each
#' vertex to each group are compared with what the model of least evidence expects: the dispersion is
#' Pearson's \eqn{\sum (x_{iq} - \mu_{iq})^2/\mu_{iq}}{sum (x_iq - mu_iq)^2/mu_iq} over its degrees of freedom,
#' .8 to 1.2 on graphs drawn from the models, 1.2 to 4 on many real ones, whose vertices have likings of
#' their own. Above 1.5 evidence finds too many groups, and tells models apart by what none of them has. Then
#' the edges' part of the evidence is divided by the dispersion, as a quasi-likelihood's is (McCullagh and
#' Nelder 1989), the least of that has the number of groups, and of all candidates with this number the one of the
#' largest modularity is returned.
#'
#' Where 2 m k is above 2e6, three models are tried, one start each; where it is above 2e7, the
#' number of groups is the count or 1.
#'
#' @section Choosing a method:
#' Take this one first. Evidence is built for large sparse graphs: on small ones (some tens of
#' vertices) its number of groups is a guess, and where sizes of groups are very uneven it
#' tends to fewer groups than people name. Give `k` if it is known, and look at
#' `summary()`, which shows how near the others came. [cluster_belief_propagation()] is one
#' number of groups; [cluster_kgroups()] optimises a stated objective without a model;
#' [igraph::cluster_leiden()] reaches the highest modularity, nearly always, and finds groups in
#' random graphs too.
#'
#' Edge weights: evidence is defined for graphs without weights only. With weights, the candidate
#' of the largest modularity is returned, with a message; it is taken from
#' belief propagation, [cluster_bethe_hessian()] and [cluster_kgroups()], all for the count of
#' communities or `k`. Weights that vary by factors of ten are best damped:
#' `weights = "log1p"`. `weights = NA` leaves them out.
#'
#' Directed graphs: an edge either way counts as one, with a message. Negative weights and bipartite
#' graphs are errors that name a way out.
#'
#' @inheritSection cluster_bethe_hessian Errors
#' @section Complexity: As [cluster_belief_propagation()] for every number of groups tried, mostly four to
#'   six: one to three seconds at 1000 vertices. Longer where edges or groups are many, as in
#'   the political blogs of `bench/graphs-real.R` (1222 vertices, 16,714 edges), and where there is no number of
#'   groups to find, as in a ring.
#'
#' @inheritParams cluster_bethe_hessian
#' @param k Number of groups; `NULL` (the default) has it chosen. Fewer may come back, see
#'   [cluster_belief_propagation()].
#' @param nstart Number of k-means starts of each embedding.
#' @param ... For `cluster_communities()`, not used: an unknown argument is an error. For `plot()`,
#'   arguments of igraph's plot of communities, or of [plot.default()].
#' @return An igraph `communities` object of class `kgroups_communities`, with the attributes of
#'   [cluster_belief_propagation()] and `candidates`, a data frame with a row for every
#'   candidate: `method` (a model, `"Bethe Hessian"`, `"k-groups"` or `"Leiden"`), `asked` (the
#'   number of groups asked for), `k` (those it has), `evidence` (`NA` where it is not
#'   defined), `modularity`, `trusted` (`FALSE` where beliefs still swing in a graph below 100
#'   vertices), `chosen`, `tempered` (what was compared: the evidence, or what it is at the
#'   dispersion; `Inf` where it was left out). Its component `dispersion` is the number. `summary()` gives the table in the order of evidence.
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
#' graph <- sample_sparse_sbm(100, k = 2, degree = 8, snr = 2.4)
#' found <- cluster_communities(graph)
#' found
#' compare_clusters(igraph::V(graph)$block, found, "overlap")
#' summary(found)
#' @export
cluster_communities <- function(graph, k = NULL, weights = NULL, nstart = 20, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "cluster_communities")
  nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  simple <- as_simple_adjacency(graph, weights)
  abort_bipartite(graph, call = env)
  if (!is.null(k)) k <- check_graph_k(k, simple$n)
  parts <- bethe_parts(simple)
  count <- graph_k(k, simple, parts)
  check_memory(
    8 * count * (length(simple$adjacency@x) + 4 * simple$n), simple$n, "the messages of belief propagation",
    call = env
  )
  leiden <- leiden_labels(simple)
  tried <- communities_tried(simple, parts, count, is.null(k), leiden, nstart)
  out <- communities_result(graph, weights, simple, parts, tried, communities_choice(tried, simple))
  out <- communities_others(out, graph, weights, simple, leiden, nstart, simple$weighted)
  class(out) <- c("kgroups_communities", "kgroups_beliefs", "communities")
  out
}

# Runs of all numbers of groups that were looked at: list(asked, starts, candidates) each.
communities_tried <- function(simple, parts, count, search, leiden, nstart) {
  tried <- list()
  try <- function(k, labels = NULL) {
    name <- as.character(k)
    if (k < 1L || k > simple$n || !is.null(tried[[name]])) {
      return(invisible())
    }
    starts <- if (is.null(labels)) {
      belief_starts(simple, parts, k, nstart)
    } else {
      list(leiden = list(labels = labels, inside = rep(TRUE, simple$n)))
    }
    if (is.null(labels) && !is.null(leiden) && max(leiden) == k) {
      starts$leiden <- list(labels = leiden, inside = rep(TRUE, simple$n))
    }
    tried[[name]] <<- list(asked = k, starts = starts, candidates = belief_candidates(simple, starts, k))
  }
  count <- as.integer(count)
  try(count)
  if (!search || simple$weighted) {
    return(tried)
  }
  try(1L)
  if (belief_large(simple, count, 2e7)) {
    return(tried)
  }
  try(count - 1L)
  try(count + 1L)
  climb_numbers(simple, try, function() tried, work = max(1e6, 2 * belief_work(simple, count)))
  if (!is.null(leiden) && max(leiden) <= 3L * count + 2L && is.null(tried[[as.character(max(leiden))]])) {
    try(max(leiden), leiden)
    climb_numbers(simple, try, function() tried, work = 1e6)
  }
  tried
}

# From the best number of groups on, as long as a neighbour has not been looked at and the `work` of those that
# are looked at has not come to an end: on grids and rings, which have no number of groups, there is no end of better ones.
climb_numbers <- function(simple, try, tried, work) {
  repeat {
    best <- communities_choice(tried(), simple)$asked
    new <- setdiff(best + c(-1L, 1L), c(0L, as.integer(names(tried())), if (best == simple$n) best + 1L))
    work <- work - sum(belief_work(simple, new))
    if (length(new) == 0L || best == 1L || work < 0) break
    for (k in new) try(k)
  }
}

# Above it the models do not describe the graph: on graphs drawn from them the dispersion is .8 to 1.2.
most_dispersion <- 1.5

# list(asked, model, dispersion, score): which number of groups and which model, and by what they were compared,
# less being better; `score` has a row for every candidate.
communities_choice <- function(tried, simple) {
  all <- unlist(lapply(unname(tried), `[[`, "candidates"), recursive = FALSE, use.names = FALSE)
  pick <- function(name, what) vapply(all, `[[`, what, name)
  asked <- rep(vapply(tried, `[[`, 0L, "asked"), lengths(lapply(tried, `[[`, "candidates")))
  k <- pick("k", 0L)
  score <- if (simple$weighted) -pick("modularity", 0) else trusted_evidence(all)
  at <- which.min(score)
  # one group is one group, however many were asked for
  if (k[at] == 1L && any(asked == 1L)) at <- which(asked == 1L)[which.min(score[asked == 1L])]
  dispersion <- if (simple$weighted) NA_real_ else belief_dispersion(simple, all[[at]])
  if (isTRUE(dispersion > most_dispersion)) {
    score <- dispersed_score(all, asked, score, simple, dispersion)
    # of groups the one, of models none is better than another: modularity tells
    same <- is.finite(score) & k == if (any(asked == 1L)) k[which.min(score)] else k[at]
    at <- order(!same, -round(pick("modularity", 0), 9), score)[1L]
  }
  list(asked = asked[[at]], model = all[[at]]$model, dispersion = dispersion, score = score)
}

# Evidence divided by the dispersion. That there are groups at all is known by then.
dispersed_score <- function(all, asked, score, simple, dispersion) {
  theta <- vapply(all, function(one) belief_models[[one$model]]$theta, NA)
  k <- vapply(all, `[[`, 0L, "k")
  if (!any(asked == 1L)) {
    return(score)
  }
  out <- rep(Inf, length(all))
  for (kind in unique(theta)) {
    one <- min(score[asked == 1L & theta == kind])
    here <- which(theta == kind & k > 1L & is.finite(score))
    out[here] <- vapply(all[here], tempered_evidence, 0, simple = simple, one = one, dispersion = dispersion)
  }
  out
}

communities_result <- function(graph, weights, simple, parts, tried, choice) {
  best <- tried[[as.character(choice$asked)]]
  out <- belief_communities(
    graph, weights, simple, parts, best$candidates[[choice$model]], best$starts[[1L]], best$candidates
  )
  attr(out, "models") <- NULL
  rows <- lapply(tried, function(one) {
    table <- belief_table(one$candidates)
    data.frame(
      method = table$model, asked = one$asked, k = table$k, evidence = table$evidence,
      modularity = table$modularity,
      trusted = vapply(one$candidates, `[[`, FALSE, "trusted", USE.NAMES = FALSE),
      chosen = table$model == choice$model & one$asked == choice$asked
    )
  })
  out$candidates <- do.call(rbind, unname(rows))
  out$candidates$tempered <- if (simple$weighted) NA_real_ else choice$score
  out$dispersion <- choice$dispersion
  out
}

# Partitions without a model, for the table. With edge weights, for which there is no evidence, the
# two of the package may be the better choice.
communities_others <- function(out, graph, weights, simple, leiden, nstart, may_win) {
  k <- length(out)
  dispersion <- out$dispersion
  quiet <- function(code) suppressMessages(code, classes = "kg_message")
  others <- list(
    "Bethe Hessian" = quiet(cluster_bethe_hessian(graph, k, weights, nstart = nstart)),
    "k-groups" = quiet(cluster_kgroups(graph, k, weights))
  )
  modularity <- vapply(others, function(one) one$modularity, 0)
  candidates <- rbind(
    out$candidates,
    data.frame(
      method = names(others), asked = k, k = k, evidence = NA_real_, modularity = unname(modularity),
      trusted = NA, chosen = FALSE, tempered = NA_real_
    ),
    if (!is.null(leiden)) {
      data.frame(
        method = "Leiden", asked = NA_integer_, k = max(leiden), evidence = NA_real_,
        modularity = adjacency_modularity(simple, leiden), trusted = NA, chosen = FALSE, tempered = NA_real_
      )
    }
  )
  if (may_win) {
    kg_inform(
      c(
        "Evidence is not defined for edge weights: the candidate of the largest modularity is returned.",
        "i" = "{.code weights = \"log1p\"} damps heavy edges, {.code weights = NA} leaves weights out."
      ),
      "evidence"
    )
    if (max(modularity) > out$modularity) {
      name <- names(others)[which.max(modularity)]
      out <- others[[name]]
      candidates$chosen <- candidates$method == name
    }
  }
  rownames(candidates) <- NULL
  out$candidates <- candidates
  out$dispersion <- dispersion
  out
}

# igraph's Leiden partition, where igraph has it: labels 1 to k, or NULL. It answers no interrupt, so
# large graphs go without.
leiden_labels <- function(simple, edges = 2e5) {
  m <- length(simple$adjacency@x) / 2
  if (m == 0 || m > edges || !"cluster_leiden" %in% getNamespaceExports("igraph")) {
    return(NULL)
  }
  upper <- Matrix::triu(simple$adjacency, 1)
  ends <- rbind(upper@i + 1, rep.int(seq_len(simple$n), diff(upper@p)))
  graph <- igraph::make_graph(ends, n = simple$n, directed = FALSE)
  found <- igraph::cluster_leiden(
    graph,
    objective_function = "modularity", weights = if (simple$weighted) upper@x else NA, n_iterations = 4
  )
  labels <- as.integer(igraph::membership(found))
  match(labels, unique(labels))
}

#' @export
format.kgroups_communities <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  table <- x$candidates
  chosen <- table[table$chosen, , drop = FALSE]
  communities_text(x, c(
    if (is.na(chosen$evidence)) {
      sprintf("Method %s: the largest modularity, as the edges have weights", chosen$method)
    } else if (is_dispersed(x)) {
      c(
        sprintf("Edges vary %.1f times as much as the models have it: evidence is divided by that.", x$dispersion),
        sprintf("Model %s: the largest modularity for k = %d", chosen$method, chosen$k)
      )
    } else {
      sprintf("Model %s, the least evidence: %s nats", chosen$method, format(round(chosen$evidence, 1), nsmall = 1))
    },
    next_text(table, chosen, is_dispersed(x))
  ))
}

is_dispersed <- function(x) isTRUE(x$dispersion > most_dispersion)

# How near the next model and the next number of groups came.
next_text <- function(table, chosen, dispersed) {
  rest <- table[!is.na(table$evidence) & table$trusted & is.finite(table$tempered), , drop = FALSE]
  if (is.na(chosen$evidence) || nrow(rest) == 0L) {
    return(NULL)
  }
  here <- rest[rest$k == chosen$k, , drop = FALSE]
  least <- if (dispersed && nrow(here)) min(here$tempered) else chosen$tempered
  one <- function(rows, what) {
    if (nrow(rows) == 0L) {
      return(NULL)
    }
    best <- rows[which.min(rows$tempered), ]
    more <- formatC(best$tempered - least, format = "f", digits = 1)
    sprintf("  next %s: %s, k = %d, %s more", what, best$method, best$k, more)
  }
  c(
    if (!dispersed) one(here[here$method != chosen$method, , drop = FALSE], "model"),
    one(rest[rest$k != chosen$k, , drop = FALSE], "number")
  )
}

#' @export
print.kgroups_communities <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  cat(format(x), sep = "\n")
  invisible(x)
}

#' @rdname cluster_communities
#' @param object,x What `cluster_communities()` gave.
#' @export
summary.kgroups_communities <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  table <- object$candidates
  table <- table[order(table$tempered, table$evidence, -table$modularity, na.last = TRUE), , drop = FALSE]
  rownames(table) <- NULL
  structure(list(head = format(object), candidates = table), class = "summary.kgroups_communities")
}

#' @export
print.summary.kgroups_communities <- function(x, rows = 20, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  table <- x$candidates
  best <- if (all(is.na(table$tempered))) NA else min(table$tempered, na.rm = TRUE)
  # what has no evidence is always shown
  shown <- rbind(utils::head(table[!is.na(table$evidence), ], rows), table[is.na(table$evidence), ])
  left <- nrow(table) - nrow(shown)
  cat(x$head, "", sep = "\n")
  above <- shown$tempered - best
  mark <- ifelse(shown$chosen, "*", ifelse(shown$trusted %in% FALSE, "swings", ""))
  print(
    data.frame(
      method = shown$method, asked = ifelse(is.na(shown$asked), "-", shown$asked), k = shown$k,
      "evidence above best" = ifelse(is.finite(above), formatC(above, format = "f", digits = 1), "-"),
      modularity = formatC(shown$modularity, format = "f", digits = 3), " " = mark,
      check.names = FALSE
    ),
    row.names = FALSE
  )
  if (left > 0) cat(sprintf("... and %d more\n", left))
  invisible(x)
}

#' @rdname cluster_communities
#' @param y The graph, to be drawn with its communities by igraph; left out, the evidence is drawn
#'   against the number of groups (modularity where there is none), a line for every model.
#' @export
plot.kgroups_communities <- function(x, y, ...) {
  if (!missing(y)) {
    check_graph(y, "y")
    inner <- x
    class(inner) <- "communities"
    graphics::plot(inner, drawable_graph(y), ...)
    return(invisible(x))
  }
  shown <- communities_lines(x)
  models <- unique(shown$lines$method)
  colours <- stats::setNames(cluster_colours(length(models)), models)
  draw(graphics::plot.default, list(
    x = shown$lines$k, y = shown$lines$value, col = colours[shown$lines$method], pch = 19,
    xlab = "Number of groups", ylab = shown$label, main = "Models and numbers of groups"
  ), list(...))
  for (model in models) {
    one <- shown$lines[shown$lines$method == model, ]
    graphics::lines(one$k, one$value, col = colours[[model]])
  }
  graphics::points(shown$chosen$k, shown$chosen$value, cex = 2)
  graphics::legend("topright", legend = models, col = colours, pch = 19, bty = "n")
  invisible(x)
}

# list(lines, chosen, label): what both pictures draw, a row for each model and number of groups.
communities_lines <- function(x) {
  table <- x$candidates
  evident <- is.finite(table$tempered) & table$trusted
  label <- if (any(evident)) "Evidence above the best" else "Modularity"
  if (any(evident)) table <- table[evident, , drop = FALSE]
  table$value <- if (any(evident)) table$tempered - min(table$tempered) else table$modularity
  sign <- if (any(evident)) 1 else -1
  # two runs can end with the same number of groups
  table <- table[order(table$method, table$k, sign * table$value), , drop = FALSE]
  lines <- table[!duplicated(table[c("method", "k")]), , drop = FALSE]
  list(lines = lines, chosen = table[table$chosen, , drop = FALSE], label = label)
}

#' @rdname cluster_communities
#' @usage \method{autoplot}{kgroups_communities}(object, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_communities <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "cluster_communities")
  check_package("ggplot2", "{.fn autoplot}")
  shown <- communities_lines(object)
  ggplot2::ggplot(shown$lines, ggplot2::aes(.data[["k"]], .data[["value"]], colour = .data[["method"]])) +
    ggplot2::geom_line() +
    ggplot2::geom_point() +
    ggplot2::geom_point(data = shown$chosen, shape = 1, size = 5, colour = "black") +
    ggplot2::labs(x = "Number of groups", y = shown$label, colour = NULL, title = "Models and numbers of groups")
}
