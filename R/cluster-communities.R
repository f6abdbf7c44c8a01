# Communities of a graph and their number: partitions that come back without some of the vertices, else block models.

#' Communities of a graph and their number
#'
#' Finds the communities of a graph and their number. A partition is returned if it comes back when some of the vertices
#' are left out. If none does, block models are compared by their description length. One community is a possible
#' answer.
#'
#' @section The rule:
#' [igraph::cluster_leiden()] gives partitions at 17 resolutions. A planted partition is a degree-corrected block model
#' with one rate within communities and one between. The *gain* of a partition is the number of nats by which it
#' describes the graph more shortly than one community. Its *stability* is its mean adjusted Rand index with the
#' partitions of four samples of 7 in 10 vertices; a pair of vertices counts by the product of its degrees, as in
#' modularity. Of the partitions with a gain above 0, a stability of at least .82 and at most n/5 communities, that of
#' the largest product of both is returned.
#'
#' If there is none, the largest modularity is compared with that of a random graph of the same degrees within and
#' between the communities of largest gain. If it is larger by more than .05, as in lattices, small worlds and clouds of
#' points, the graph is one community. Otherwise [cluster_belief_propagation()] fits block models for several numbers,
#' and the least description length is returned; if its dispersion (Pearson's chi-square over the degrees of freedom) is
#' above 1.25, one community.
#'
#' If `k` is given, k communities are returned. If Leiden's partition does not come back and block models describe the
#' graph, the least description length chooses, else the largest modularity of all methods.
#'
#' Weights count in the partitions, their gain and stability. If no partition comes back, a block model of edges and
#' weights is fitted: log weights have one mean within communities and one between. It is returned if it is shorter than
#' one community and its dispersion is at most 1.25. Otherwise the rule is applied to the edges alone. Parallel edges
#' are weights (their number), unless `weights = NA`.
#'
#' @section What it does not find:
#' In `bench/communities.md` of the sources 301 of 312 graphs without communities were one community; of 24 random
#' geometric graphs 10 were divided. Groups that overlap by more than a tenth are one community. Groups with fewer
#' edges inside than between, a core with its periphery, and weak groups of a two-mode projection are not found. With
#' large hubs and groups of unequal sizes the number is too small (`bench/graphs.md`). Below 100 vertices it is
#' uncertain. Supply `k` if it is known.
#'
#' @section Isolated vertices:
#' A vertex without edges is a community of its own, numbered after the others, here and in [cluster_bethe_hessian()],
#' [cluster_belief_propagation()] and [cluster_kgroups()]. `k` does not count them, and the component `isolated` is
#' their number. A fit of [kgroups()] labels every vertex: there they get the nearest mean. Each component of 20
#' vertices or more is divided by itself, smaller ones are communities.
#'
#' @seealso [cluster_bethe_hessian()] on components and heavy edges.
#' @section Complexity: Twenty to sixty runs of Leiden's algorithm, \eqn{O(m)}{O(m)} a pass, above 3e4 edges fewer;
#'   block models for four to six numbers.
#'
#' @inheritParams cluster_bethe_hessian
#' @param k Number of groups; `NULL` (the default) chooses it.
#' @param ... For `cluster_communities()`, not used: an unknown argument is an error. For `plot()`,
#'   arguments of igraph's plot of communities.
#' @return An igraph `communities` object of class `kgroups_communities`, with the attributes of
#'   [cluster_belief_propagation()] if a block model was chosen, and the components
#'   \item{candidates}{A data frame with a row for each number of communities: `k` (isolated vertices left out),
#'   `method` (`"Leiden"`, a block model, `"k-groups"`, `"Bethe Hessian"`, `"one community"`, `"components"`),
#'   `modularity` (with all weights), `nats` (the gain), `stability` (`NA` if not needed), `description_length` (of
#'   block models, in nats; of edges and weights, less that of one community), `chosen`, and `membership`, a list of
#'   the labels. For more or fewer communities take another row, or supply `k`}
#'   \item{rule}{`"stability"`, `"description length"`, `"one community"`, or `"modularity"` for given `k`}
#'   \item{stability, dispersion}{That of the result (if it is one community, the largest that was found), and that of
#'   the block model}
#'   \item{passed}{The number and stability of the partition that came back most, if none was accepted}
#'   \item{isolated}{Number of isolated vertices}
#'   The print reports a stability within .05 of the limit.
#' @references
#' Aicher C, Jacobs AZ, Clauset A (2015). "Learning latent block structure in weighted networks." *Journal of Complex
#' Networks*, 3(2), 221-248. \doi{10.1093/comnet/cnu026}
#'
#' Traag VA, Waltman L, van Eck NJ (2019). "From Louvain to Leiden: guaranteeing well-connected
#' communities." *Scientific Reports*, 9, 5233. \doi{10.1038/s41598-019-41695-z}
#'
#' Ben-Hur A, Elisseeff A, Guyon I (2002). "A stability based method for discovering structure in clustered data."
#' *Pacific Symposium on Biocomputing*, 7, 6-17. \doi{10.1142/9789812799623_0002}
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
#' # the best partition for each number of communities, and that of three
#' summary(found)
#' table <- found$candidates
#' table$membership[table$k == 3]
#'
#' # no communities are found in a random graph
#' igraph::sizes(cluster_communities(igraph::sample_gnp(60, 0.1)))
#' @export
cluster_communities <- function(graph, k = NULL, weights = NULL, nstart = NULL, ...) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "cluster_communities")
  if (!is.null(nstart)) nstart <- check_count(nstart, "nstart", 1, 1e6)
  graph <- as_graph(graph)
  input <- read_graph(graph, k, weights, env, count = FALSE, linked = TRUE)
  check_belief_memory(input$damped, input$k %||% 1, env)
  found <- if (is.null(input$k)) search_communities(input, nstart) else search_given(input, nstart)
  chosen <- found$candidates[[found$at]]
  out <- if (is.null(chosen$marginals)) {
    labels <- of_all_vertices(chosen$labels, input$simple, igraph::vcount(graph))
    new_communities(graph, weights, labels, chosen$method, input$simple$changed)
  } else {
    belief_communities(graph, weights, replace(input, "damped", list(found$simple)), chosen, found$start)
  }
  out$candidates <- candidate_table(found, input$simple, out$membership)
  out[c("rule", "dispersion", "stability")] <- found[c("rule", "dispersion", "stability")]
  out["passed"] <- list(found$passed)
  class(out) <- communities_class
  out
}

communities_class <- c("kgroups_communities", "kgroups_beliefs", "kgroups_partition", "kgroups_result", "communities")

# ---- Search --------------------------------------------------------------------------------
# A partition or block model is a candidate: list(method, labels, k, gain, stability, ...), with `marginals` and
# `description_length` of block models. A search returns list(candidates, at, rule, stability, dispersion, passed): all
# candidates, the place of the chosen one, and how it was chosen. Block models are those of the edges alone, `simple`.

# Return the search for the number of communities: a partition that comes back, by the weights; else a block model of
# edges and weights that fits; else the same for the edges alone, or one community.
search_communities <- function(input, nstart, judged = judge_partitions(input$simple)) {
  if (!judged$stable && input$simple$weighted) {
    plain <- without_weights(input)
    of_edges <- judge_partitions(plain$simple)
    found <- weighted_search(input$simple, c(judged$candidates, of_edges$candidates)) %||%
      search_communities(plain, nstart, of_edges)
    return(replace(found, "candidates", list(c(found$candidates, judged$candidates))))
  }
  if (judged$stable || !judged$random) {
    return(c(judged, list(rule = if (judged$stable) "stability" else "one community")))
  }
  found <- compare_numbers(input, judged$candidates, nstart)
  all <- c(judged$candidates, found$candidates)
  fits <- found$dispersion <= most_dispersion
  list(
    candidates = all, at = if (fits) length(judged$candidates) + found$at else 1L, simple = input$damped,
    rule = if (fits) "description length" else "one community", stability = judged$stability,
    dispersion = found$dispersion, passed = judged$passed, start = found$start
  )
}

# The same for a given number. If neither a partition comes back nor block models describe the graph, the largest
# modularity of all methods.
search_given <- function(input, nstart) {
  simple <- input$simple
  k <- input$k
  judged <- kept_stream({
    set.seed(1)
    partitions <- if (length(simple$adjacency@x)) leiden_partitions(simple)
    one <- leiden_at(simple, k, partitions)
    others <- Filter(function(other) other$k != k, partitions)
    found <- stable_partition(simple, c(if (!is.null(one)) list(one), others), k)
    if (is.null(found$at) && !simple$weighted) {
      found$random <- k == 1L || is.null(one) || random_insides(simple, partitions, one$labels)
    }
    found
  })
  all <- c(judged$partitions, given_partitions(input, nstart))
  if (is.null(judged$at) && simple$weighted) {
    found <- weighted_search(simple, all, k) %||% search_given(without_weights(input), nstart)
    return(replace(found, "candidates", list(c(found$candidates, all))))
  }
  out <- list(rule = "modularity")
  if (!is.null(judged$at)) out$stability <- judged$partitions[[judged$at]]$stability
  if (isTRUE(judged$random)) {
    search <- add_number(list(), input, k, judged$partitions, nstart)
    choice <- communities_choice(search$candidates, simple, k)
    out[c("simple", "dispersion", "start")] <- list(input$damped, choice$dispersion, search$starts[[1L]][[1L]])
    if (!is.null(choice$at) && choice$dispersion <= most_dispersion) {
      out[c("at", "rule")] <- list(length(all) + choice$at, "description length")
    }
    all <- c(all, search$candidates)
  }
  number <- vapply(all, `[[`, 0L, "k")
  modularity <- vapply(all, function(one) adjacency_modularity(simple, one$labels), 0)
  out$at <- out$at %||% which.max(ifelse(number == k, round(modularity, 9), -Inf))
  c(out, list(candidates = all))
}

# Return the search of the block model of edges and weights, NULL if none fits.
weighted_search <- function(simple, partitions, k = NULL) {
  model <- weighted_model(simple, partitions, k)
  if (!is.null(model)) {
    list(candidates = list(model), at = 1L, rule = "description length", dispersion = model$dispersion)
  }
}

# Return the partitions of cluster_bethe_hessian() and cluster_kgroups() for a given number.
given_partitions <- function(input, nstart) {
  simple <- input$simple
  k <- input$k
  parts <- if (is.null(input$damped$largest)) input$parts else bethe_parts(simple)
  control <- new_control(k)
  control$nstart <- nstart
  solved <- solve_graph(graph_problem(simple, parts), control, input[c("damped", "parts")])
  start <- graph_starts(input$damped, input$parts, k, TRUE, nstart, one = TRUE)[[1L]]
  list(
    new_partition(simple, "k-groups", solved$cluster),
    new_partition(simple, "Bethe Hessian", fill_groups(input$damped, input$parts, start, k))
  )
}

# Return the input of the graph without its weights.
without_weights <- function(input) {
  simple <- input$simple
  if (simple$weighted) {
    simple$weighted <- FALSE
    simple$adjacency@x[] <- 1
  }
  list(simple = simple, damped = simple, parts = bethe_parts(simple), k = input$k)
}

# ---- Block models ----------------------------------------------------------------------------

# Return the comparison of models and numbers of groups: list(candidates, at, dispersion, start).
compare_numbers <- function(input, partitions, nstart) {
  simple <- input$damped
  count <- first_number(simple, input$parts, partitions)
  input$parts <- with_spectrum(simple, input$parts, count)
  add <- function(search, k) add_number(search, input, k, partitions, nstart)
  search <- add(add(list(), as.integer(count)), 1L)
  if (message_values(simple, count) <= most_work) {
    search <- add(add(search, count - 1L), count + 1L)
    search <- climb_numbers(search, add, simple, max(climb_work, belief_work(simple, count)))
  }
  choice <- communities_choice(search$candidates, simple)
  search <- refine_chosen(search, choice, simple)
  start <- search$starts[[as.character(choice$requested)]][[1L]]
  c(list(candidates = search$candidates, start = start), choice)
}

# Return the search, list(candidates, starts), with the runs of k groups, from the embeddings and the best partition
# with k communities.
add_number <- function(search, input, k, partitions, nstart) {
  simple <- input$damped
  name <- as.character(k)
  if (k < 1L || k > simple$n || !is.null(search$starts[[name]])) {
    return(search)
  }
  starts <- belief_starts(simple, input$parts, k, nstart)
  same <- best_gain(Filter(function(one) one$k == k, partitions))
  if (!is.null(same) && k > 1L) starts$leiden <- same$labels
  # one model of few sweeps for many groups, so that the time is bounded for any k
  large <- message_values(simple, k) > few_models_work
  candidates <- belief_candidates(
    simple, starts, k,
    model = if (!large) near_models(search$candidates, simple, k) else if (k > 100L) "dc_p" else "auto",
    sweeps = if (large) min(20, max(8, 350 %/% k)) else 40, large = few_models_work, tolerance = search_tolerance
  )
  search$candidates <- c(search$candidates, lapply(unname(candidates), c, list(requested = as.integer(k))))
  search$starts[[name]] <- starts
  search
}

# Mean change of the marginals in a sweep at which a model is compared: half of the sweeps to 1e-6, and the same
# description length.
search_tolerance <- 1e-3

# Nats above the best model of the first number from which a model is not fitted for others, if a model fits.
far_model <- 50

# Return the models that are fitted for a further number of groups.
near_models <- function(candidates, simple, k) {
  first <- Filter(function(one) one$requested == candidates[[1L]]$requested, candidates)
  if (length(first) < length(belief_models) || k == 1L) {
    return("auto")
  }
  if (communities_choice(first, simple)$dispersion > most_dispersion) {
    return("auto")
  }
  nats <- vapply(first, `[[`, 0, "description_length")
  near <- vapply(first, `[[`, "", "model")[nats < min(nats) + far_model]
  if (length(near) > 1L) near else "auto"
}

# Return the search with 40 more sweeps of the chosen candidate, if it had fewer and these are affordable.
refine_chosen <- function(search, choice, simple) {
  candidate <- search$candidates[[choice$at]]
  k <- choice$requested
  work <- message_values(simple, k)
  if (candidate$k < k || k == 1L || work > most_work || work <= few_models_work) {
    return(search)
  }
  refined <- belief_candidate(
    simple, propagate_beliefs(simple, candidate$labels, k, model = candidate$model), candidate$model
  )
  if (refined$k == k && refined$description_length < candidate$description_length) {
    search$candidates[[choice$at]] <- c(refined, list(requested = k))
  }
  search
}

# Return the search with neighbours of the best number until none is better, its model does not fit, or the `work` is
# spent. On grids and rings, which have no number of groups, the description length decreases for long.
climb_numbers <- function(search, add, simple, work) {
  repeat {
    choice <- communities_choice(search$candidates, simple)
    best <- choice$requested
    new <- setdiff(best + c(-1L, 1L), c(0L, as.integer(names(search$starts)), if (best == simple$n) best + 1L))
    work <- work - sum(belief_work(simple, new))
    if (length(new) == 0L || best == 1L || work < 0 || choice$dispersion > most_dispersion) {
      return(search)
    }
    for (k in new) search <- add(search, k)
  }
}

# Work of further numbers of groups, in message values of a run of all models, some 60 microseconds each; 2 m k above
# which only the first number and 1 are compared.
climb_work <- 6e4
most_work <- 1e6

# Return the work of k groups in message values; 1/9 if fewer models run.
belief_work <- function(simple, k) {
  values <- message_values(simple, k)
  values / ifelse(values > few_models_work, 9, 1)
}

# Return list(at, requested, dispersion) of the candidate of least description length, of those with k groups if k is
# given; `at` is NULL if there is none.
communities_choice <- function(all, simple, k = NULL) {
  requested <- vapply(all, `[[`, 0L, "requested")
  number <- vapply(all, `[[`, 0L, "k")
  among <- which(if (is.null(k)) !logical(length(all)) else number == k)
  if (length(among) == 0L) {
    return(list(at = NULL))
  }
  nats <- trusted_length(all[among])
  at <- among[which.min(nats)]
  # one group is the same, however many were requested
  if (number[at] == 1L && any(requested[among] == 1L)) {
    at <- among[which.min(ifelse(requested[among] == 1L, nats, Inf))]
  }
  list(at = at, requested = requested[[at]], dispersion = belief_dispersion(simple, all[[at]]))
}

# ---- Table, print and summary ------------------------------------------------------------------

# Return a data frame with a row for every number of communities: the chosen candidate, else that of least description
# length, else that of largest gain.
candidate_table <- function(found, simple, membership) {
  all <- found$candidates
  values <- function(f) vapply(all, f, 0)
  k <- vapply(all, `[[`, 0L, "k")
  nats <- values(function(one) planted_gain(simple, one$labels))
  length <- values(function(one) if (isTRUE(one$trusted)) one$description_length else NA_real_)
  chosen <- seq_along(all) == found$at
  order <- order(!chosen, length, -nats)
  rows <- order[!duplicated(k[order])]
  rows <- rows[order(k[rows])]
  alone <- membership > max(0L, membership[simple$linked][diff(simple$adjacency@p) > 0L])
  data.frame(
    k = k[rows], method = vapply(all[rows], function(one) one$method %||% one$model, ""),
    modularity = vapply(all[rows], function(one) adjacency_modularity(simple, one$labels), 0), nats = nats[rows],
    stability = vapply(all[rows], function(one) one$stability %||% NA_real_, 0), description_length = length[rows],
    chosen = chosen[rows],
    membership = I(lapply(all[rows], function(one) {
      labels <- of_all_vertices(one$labels, simple, base::length(membership))
      number_communities(labels, alone)
    }))
  )
}

#' @export
format.kgroups_communities <- function(x, ...) {
  table <- x$candidates
  chosen <- table[table$chosen, ]
  communities_text(x, c(
    paste("Method:", communities_method(x, chosen)), passed_text(x), near_text(x),
    if (x$rule == "description length") next_text(table, chosen)
  ))
}

# Return how the partition was found and chosen, in words.
communities_method <- function(x, chosen) {
  switch(x$rule,
    stability = sprintf("%s, stability %.2f if 3 of 10 vertices are left out", chosen$method, x$stability),
    modularity = sprintf("%s, the largest modularity of all methods for k = %d", chosen$method, chosen$k),
    "description length" = if (chosen$method == "edges and weights") sprintf(
      "block model of edges and weights, %.1f nats shorter than one community", -chosen$description_length
    ) else sprintf(
      "model %s, the least description length: %s nats", chosen$method,
      format(round(chosen$description_length, 1), nsmall = 1, decimal.mark = ".")
    ),
    sprintf("%s, no partition comes back if 3 of 10 vertices are left out", chosen$method)
  )
}

passed_text <- function(x) {
  if (x$rule == "one community" && !is.null(x$passed)) {
    sprintf("Passed over: k = %d, stability %.2f; supply `k` to divide", x$passed$k, x$passed$stability)
  }
}

# Return a line on an answer that another sample of vertices might change.
near_text <- function(x) {
  stability <- x$stability
  if (!is.null(stability) && abs(stability - least_stability) < 0.05) {
    sprintf("Near the limit: a stability of %.2f, and %.2f is required", stability, least_stability)
  }
}

# Return a line with the next number of groups.
next_text <- function(table, chosen) {
  rest <- table[!table$chosen & !is.na(table$description_length), ]
  if (!is.na(chosen$description_length) && nrow(rest) > 0L) {
    best <- rest[which.min(rest$description_length), ]
    more <- best$description_length - chosen$description_length
    sprintf("  next number: %s, k = %d, %.1f nats more", best$method, best$k, more)
  }
}

#' @rdname cluster_communities
#' @param object,x A result of `cluster_communities()`.
#' @export
summary.kgroups_communities <- function(object, ...) {
  table <- object$candidates[names(object$candidates) != "membership"]
  structure(list(head = format(object), candidates = table), class = "summary.kgroups_communities")
}

#' @export
print.summary.kgroups_communities <- function(x, rows = 20, ...) {
  table <- x$candidates
  cat(x$head, "", sep = "\n")
  number <- function(value, digits) ifelse(is.finite(value), formatC(value, format = "f", digits = digits), "-")
  frame <- data.frame(
    k = table$k, method = table$method, modularity = number(round(table$modularity, 3) + 0, 3L),
    nats = number(table$nats, 1L), stability = number(table$stability, 2L), " " = ifelse(table$chosen, "*", ""),
    check.names = FALSE
  )
  # the rows of largest gain, by number of communities
  shown <- sort(utils::head(order(!table$chosen, -table$nats), rows))
  print(frame[shown, ], row.names = FALSE)
  cat("nats: gain of a planted partition over one community\n")
  left <- nrow(table) - length(shown)
  if (left > 0) cat(sprintf("... and %d more number%s of communities, see $candidates\n", left, plural(left)))
  invisible(x)
}

#' @rdname cluster_communities
#' @param y In `plot()`, the graph, to draw it with its communities. If left out, the gain in description length is
#'   plotted against the number of communities.
#' @export
as_figure.kgroups_communities <- function(x, y = NULL, ...) {
  if (is.null(y)) communities_figure(x) else NextMethod()
}
