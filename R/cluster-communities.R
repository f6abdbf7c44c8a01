# Communities of a graph and their number: block models by description length, and separation where none fits.

#' Communities of a graph, models and number of groups compared
#'
#' Finds the communities of a graph and their number. On graphs of the kind of a block model, six stochastic block
#' models and the numbers of groups around a first one are compared by their description length. On graphs of
#' neighbours, lattices and small worlds, which no block model describes, separation chooses. One community is a
#' possible answer of both. The result has a table of all partitions compared.
#'
#' @section The rule:
#' 1. [igraph::cluster_leiden()] gives partitions at up to 18 resolutions of modularity.
#' 2. Each is described as a planted partition (a degree-corrected block model with one rate within communities and one
#'    between); the one of least description length gives a first number of communities.
#' 3. If one community is shorter than all of them, the first number is that of [count_communities()]: so sparse graphs
#'    near the detectability limit are treated. Communities found from it are compared as in step 4.
#' 4. The insides of these communities are compared with random graphs of the same degrees by two ratios, that of the
#'    sparsest cuts to those of random graphs, and that of the triangles of random graphs to theirs. The insides are
#'    *local* if the second ratio is below .8 and the product of both below .35, if it is above 2 and the first below
#'    .8, or if it is below .5, the first below 1 and the share that leaves a community above 1.5 times its sparsest cut.
#' 5. If they are not local, [cluster_belief_propagation()] fits all six models for the first number, its neighbours and
#'    1, and for further neighbours of the best number as long as the description length falls; the least description
#'    length is returned. Models more than 50 nats behind at the first number are left out at others, if one fits.
#' 6. If they are local, the *ratio* of a partition is the share of the edge ends that leave a community over the
#'    conductance of its sparsest cut (the smaller side at least .15 of it), at most 1, in the mean of communities.
#' 7. A partition can be returned if its ratio is at most .6, or at most .25 if it has more communities than that of
#'    largest modularity and a modularity that is lower by more than .03.
#' 8. The score is the modularity times the root of 1 less the ratio. Of the partitions within half a standard error of
#'    the largest score, that of fewest communities is returned, or that of least description length if its ratio is at
#'    most .5 and at most twice as large. If none can be, one community is returned, and the print names the partition
#'    that was passed over.
#' 9. A graph of several components is divided by separation in each that has 20 vertices or more.
#' 10. If communities are not local but the dispersion (see Lack of fit) is above 1.5, the graph is one community if
#'    that ratio is above .75.
#'
#' If `k` is given, it is the only number: all models are fitted, and the partition of Leiden's whose resolution gives k
#' communities is a further start. If no model fits or the communities are local, the largest modularity of all methods
#' chooses.
#'
#' @section Error rates:
#' On four fresh graphs of each kind (`bench/neighbour-graphs.md` of the sources), all random, regular and scale-free
#' graphs, trees, rings, lattices and small worlds were one community, and of the graphs of 10 neighbours of one cloud of
#' 400 points 19 of 20 in 2 to 30 columns. One cloud of 300 to 1500 points in 10 or 40 columns, with 10 neighbours or
#' more, was never divided. Some clouds are. Points in few columns have sparse places: two of four random geometric
#' graphs in the plane were divided, and of the graphs of 30 neighbours among 300 points three of four in 2 columns and
#' one in 3. With 5 neighbours in 40 columns one of four was divided, and with 15 neighbours in 200 columns, where a few
#' points are neighbours of most, all four. Of 50 points with 8 neighbours three of four were divided, of 100 points one:
#' below 100 points, supply `k`. The limits have a price: clouds that overlap so much that Leiden finds half of them are
#' often one community, too. Leiden's partitions and their separation do not depend on the seed.
#'
#' @section Lack of fit:
#' If there are groups, the numbers of edges
#' \eqn{x_{iq}}{x_iq} from each vertex to each group are compared with their expectation under the
#' model of least description length. The dispersion is
#' Pearson's \eqn{\sum (x_{iq} - \mu_{iq})^2/\mu_{iq}}{sum (x_iq - mu_iq)^2/mu_iq} over its degrees of freedom,
#' about 1 on graphs drawn from the models, and larger on many real ones. Above 1.5 the description
#' length finds too many groups, and model differences reflect the lack of fit. Then
#' the log-likelihood of the edges is divided by the dispersion, as in a quasi-likelihood (McCullagh and
#' Nelder 1989). The number of groups minimises this adjusted description length, and of the models
#' with this number the one of largest modularity is returned.
#'
#' @section Isolated vertices:
#' A vertex without edges is a community of its own, numbered after the others, here and in [cluster_bethe_hessian()],
#' [cluster_belief_propagation()] and [cluster_kgroups()]. `k` does not count them, and the component `isolated` is
#' their number. A fit of [kgroups()] labels every vertex: there they get the nearest mean.
#'
#' @section Large graphs:
#' The larger the number of edges times groups, the fewer models, starts and sweeps are tried; in the largest graphs the
#' number of groups is the first one or 1.
#'
#' @section Choosing a method:
#' Use this function first. For small graphs (some tens of vertices) the number of groups is uncertain, and it is often
#' below that of known labels if sizes are very unequal: supply `k` if it is known. `summary()` lists the
#' candidates. [igraph::cluster_leiden()] nearly always attains the highest modularity, but finds
#' groups in random graphs too.
#'
#' @section Edge weights:
#' The communities of the edges alone are the base. Equal weights are ignored, and the unit of weights does not matter.
#' If the edges alone are described by a block model, partitions are compared by the description length of the edges and
#' of the logarithms of their weights. The model is a degree-corrected block model for the edges, with a normal
#' distribution of log weights. Its rates and means are for each pair of communities, or one within and one between.
#' Candidates come from [cluster_bethe_hessian()], [cluster_kgroups()], the edges without their weights, Leiden's
#' partitions by the weights, their logarithms and their ranks, and mean-field fits of the model (`"weighted block
#' model"`; Aicher, Jacobs and Clauset 2015). The table has the description length less that of one community, which is
#' the result if no partition is shorter and the edges alone have no communities.
#'
#' If no model of edges and weights fits (a dispersion above 2 of the best planted partition of the weighted graph, or
#' above 1.5 of the one chosen), as in a complete graph of similarities, or the communities of the heavier half of the
#' edges or of all edges are local, steps 6 to 9 of the rule choose in the weighted graph (for given `k` the largest
#' modularity). The modularity in `candidates` is that of all weights, as [igraph::modularity()] computes it.
#'
#' @seealso [cluster_bethe_hessian()] on components and heavy edges.
#' @section Complexity: Some twenty runs of Leiden's algorithm, \eqn{O(m)}{O(m)} a pass, and by separation 81 products
#'   with the adjacency matrix for each of their partitions; otherwise that of [cluster_belief_propagation()] for every
#'   number of groups compared, mostly four to six. Half a second to two seconds at 1000 vertices. Memory is
#'   \eqn{O(n + m)}{O(n + m)}, and \eqn{O(m k)}{O(m k)} where block models are fitted.
#'
#' @inheritParams cluster_bethe_hessian
#' @param k Number of groups; `NULL` (the default) chooses it. Fewer can be returned, see
#'   [cluster_belief_propagation()].
#' @param ... For `cluster_communities()`, not used: an unknown argument is an error. For `plot()`,
#'   arguments of igraph's plot of communities.
#' @return An igraph `communities` object of class `kgroups_communities`, with the attributes of
#'   [cluster_belief_propagation()] if a block model was chosen, and the components
#'   \item{candidates}{A data frame with a row for every partition compared: `method` (a model, `"Bethe Hessian"`,
#'   `"k-groups"`, `"Leiden"`, with edge weights also `"edges without weights"`, `"weighted block model"` and `"one
#'   community"`), `k_requested`, `k` (groups in the result, isolated vertices left out), `description_length` (less
#'   that of one community for planted partitions and weighted graphs; `NA` if it is not defined), `modularity` (with
#'   all weights), `trusted` (`FALSE` if belief propagation has not converged in a graph below 100 vertices), `chosen`,
#'   `compared` (the description length, or the adjusted one, that was compared; `Inf` for candidates left out), `ratio`
#'   (of separation)}
#'   \item{rule}{`"description length"`, `"adjusted"` (see Lack of fit), `"separation"`, or `"modularity"` for given
#'   `k`}
#'   \item{dispersion, separation}{The dispersion of the lack of fit; the ratio of the result and the partition `passed`
#'   over}
#'   \item{isolated}{Number of isolated vertices} `summary()` prints the best candidate of each method and number of
#'   communities.
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
  input <- read_graph(graph, k, weights, env, count = FALSE, linked = TRUE)
  check_belief_memory(input$damped, input$k %||% 1, env)
  found <- if (input$simple$weighted) search_weighted(input, nstart) else search_plain(input, nstart)
  chosen <- found$candidates[[found$at]]
  out <- if (is.null(chosen$marginals)) {
    labelled_communities(graph, weights, input, chosen)
  } else {
    belief_communities(graph, weights, input, chosen, found$starts[[as.character(chosen$requested)]][[1L]])
  }
  out$candidates <- candidate_table(found, input$simple)
  out[c("rule", "dispersion", "weighted")] <- list(found$rule, found$dispersion, input$simple$weighted)
  out["separation"] <- list(found$separation)
  class(out) <- c("kgroups_communities", "kgroups_beliefs", "kgroups_partition", "kgroups_result", "communities")
  out
}

# ---- Search --------------------------------------------------------------------------------
# A comparison is list(candidates, starts, at, compared, rule, dispersion, separation): all candidates; the starting
# labels
# of each number of groups; the place of the chosen one; the values that were compared, less being better; the rule;
# the dispersion about the models; and for the rule "separation" its ratio and the partition that was passed over.

# Return the communities of a partition that no block model found.
labelled_communities <- function(graph, weights, input, chosen) {
  n <- igraph::vcount(graph)
  labels <- of_all_vertices(chosen$labels, input$damped, n)
  new_communities(graph, weights, labels, chosen$algorithm, input$damped$changed)
}

# Return the comparison for a graph without weights.
search_plain <- function(input, nstart) {
  simple <- input$damped
  if (!is.null(input$k)) {
    one <- leiden_at(leiden_of(simple), input$k)
    return(compare_given(input, if (!is.null(one)) list(one), nstart))
  }
  rule <- plain_rule(simple)
  if (!is.null(rule$separated)) {
    return(rule$separated)
  }
  found <- compare_numbers(input, first_number(simple, input$parts, rule$best), rule$partitions, nstart)
  # the number came from the count, which takes the triangles of neighbours in many columns for communities
  counted <- is.null(rule$best) && length(rule$partitions) > 0L && found$candidates[[found$at]]$k > 1L
  if (counted && is_local(simple, found$candidates[[found$at]]$labels)) {
    return(compare_separated(simple, rule$partitions))
  }
  found
}

# Return the comparison of models and numbers of groups, from the number `count`.
compare_numbers <- function(input, count, partitions, nstart) {
  simple <- input$damped
  add <- function(search, k, alone = FALSE) add_number(search, input, k, partitions, nstart, alone)
  search <- add(add(list(), as.integer(count)), 1L)
  if (message_values(simple, count) <= most_work) {
    search <- add(add(search, count - 1L), count + 1L)
    search <- climb_numbers(search, add, simple, max(climb_work, belief_work(simple, count)))
    # the number of largest modularity; if it is far, Leiden's partition is its only start
    number <- Find(function(one) one$resolution == 1, partitions)$k
    if (!is.null(number) && number <= 3L * count + 2L && is.null(search$starts[[as.character(number)]])) {
      search <- climb_numbers(add(search, number, alone = TRUE), add, simple, climb_work)
    }
  }
  choice <- communities_choice(search$candidates, simple)
  search <- refine_chosen(search, choice, simple)
  finish_comparison(input, search, choice, partitions, nstart)
}

# Return the comparison for a given number of groups: models by description length, unless they do not fit or the
# insides of communities are no random graphs. Then the most separated partition or the largest modularity of all
# methods is chosen.
compare_given <- function(input, partitions, nstart) {
  simple <- input$damped
  search <- add_number(list(), input, input$k, partitions, nstart)
  choice <- communities_choice(search$candidates, simple)
  search <- refine_chosen(search, choice, simple)
  found <- finish_comparison(input, search, choice, partitions, nstart)
  k <- vapply(found$candidates, `[[`, 0L, "k")
  is_random <- function() length(partitions) == 0L || !is_local(simple, partitions[[1L]]$labels)
  if (input$k == 1L || found$rule == "description length" && is_random()) {
    return(found)
  }
  modularity <- vapply(found$candidates, `[[`, 0, "modularity")
  found$at <- which.max(ifelse(k == max(k[k <= input$k]), round(modularity, 9), -Inf))
  found$rule <- "modularity"
  found
}

# Return the comparison of a search with its choice, and the partitions of other methods for the chosen number.
finish_comparison <- function(input, search, choice, partitions, nstart) {
  others <- other_partitions(
    input, partitions, nstart, choice$requested, search$starts[[as.character(choice$requested)]]
  )
  c(
    list(candidates = c(search$candidates, others), starts = search$starts),
    choice[c("at", "compared", "dispersion")],
    list(rule = if (choice$dispersion > most_dispersion) "adjusted" else "description length")
  )
}

# The same for a graph with weights. If no model of edges and weights fits, or the heavier half of the edges is no
# random graph inside communities, separation in the weighted graph chooses. The communities of the edges alone are the
# base of others.
search_weighted <- function(input, nstart) {
  simple <- unit_weights(input$damped)
  leiden <- leiden_of(simple)
  # if weights were lowered, others follow by those as given
  partitions <- if (!is.null(input$k)) {
    NULL
  } else if (is.null(input$damped$largest)) {
    leiden_partitions(leiden)
  } else {
    leiden_partitions(leiden, few_resolutions)
  }
  best <- best_planted(partitions)
  # in a dense graph, random graphs of the same degrees would lose many edges, and every inside would seem local
  sparse <- length(simple$adjacency@x) < simple$n * (simple$n - 1) / 2
  unmodelled <- function() {
    weighted_dispersion(log_weights(input$simple), best$labels, best$k) > unmodelled_dispersion
  }
  if (!is.null(best) && (unmodelled() || sparse && is_local(heavier_half(simple), best$labels))) {
    return(separated_weighted(input, partitions))
  }
  plain <- search_plain(without_weights(input), nstart)
  base <- renumbered(plain$candidates[[plain$at]]$labels)
  candidates <- function() {
    count <- if (is.null(input$k)) first_number(simple, input$parts, best)
    weighted_candidates(input, base, weighted_leiden(leiden, input$k), count, nstart)
  }
  found <- if (plain$rule != "separation") candidates()
  if (!is.null(found) && found$dispersion <= most_dispersion) {
    return(c(found, list(rule = "description length")))
  }
  if (is.null(input$k)) {
    return(separated_weighted(input, partitions))
  }
  found <- found %||% candidates()
  eligible <- vapply(found$candidates, function(one) one$k == input$k && one$model != "weighted block model", NA)
  modularity <- vapply(found$candidates, `[[`, 0, "modularity")
  found$at <- which.max(ifelse(eligible, modularity, -Inf))
  c(found, list(rule = "modularity"))
}

# Return the comparison by separation with the weights as given: where similarities fall to 0, as in a complete graph,
# most weights within clusters are above three times the median. `partitions` are those of lowered weights.
separated_weighted <- function(input, partitions) {
  simple <- unit_weights(input$simple)
  compare_separated(simple, if (is.null(input$damped$largest)) partitions else leiden_partitions(leiden_of(simple)))
}

# Dispersion of a planted partition above which no model of edges and weights fits. On planted graphs with weights it
# was .8 to 1.2, on graphs of similarities 2.3 and more.
unmodelled_dispersion <- 2

# Return the graph with weights of mean 1.
unit_weights <- function(simple) {
  if (length(simple$adjacency@x)) simple$adjacency@x <- simple$adjacency@x / mean(simple$adjacency@x)
  simple
}

# Return Leiden's partitions of the graph by the weights, their logarithms and ranks: of k communities, or of the
# largest modularity.
weighted_leiden <- function(leiden, k) {
  simple <- leiden$simple
  x <- simple$adjacency@x
  all <- list(leiden, leiden_of(simple, log1p(x / stats::median(x))), leiden_of(simple, rank(x)))
  Filter(
    length, lapply(all, function(one) if (is.null(k)) graph_partition(simple, one$run(1), 1) else leiden_at(one, k))
  )
}

# Return the input of the graph without its weights.
without_weights <- function(input) {
  simple <- input$simple
  simple$weighted <- FALSE
  simple$adjacency@x[] <- 1
  list(simple = simple, damped = simple, parts = bethe_parts(simple), k = input$k)
}

# ---- Numbers of groups ---------------------------------------------------------------------

# Return the search, list(candidates, starts), with the runs of k groups, from the embeddings and the best partition
# with k communities (`alone`: from that only).
add_number <- function(search, input, k, partitions, nstart, alone = FALSE) {
  simple <- input$damped
  name <- as.character(k)
  if (k < 1L || k > simple$n || !is.null(search$starts[[name]])) {
    return(search)
  }
  starts <- if (!alone) belief_starts(simple, input$parts, k, nstart)
  same <- best_gain(Filter(function(one) one$k == k, partitions))
  if (!is.null(same) && k > 1L) starts$leiden <- list(labels = same$labels, inside = rep(TRUE, simple$n))
  # one model of few sweeps for many groups, so that the time is bounded for any k
  large <- message_values(simple, k) > few_models_work
  candidates <- belief_candidates(
    simple, starts, k,
    model = if (!large) near_models(search$candidates, simple, k) else if (k > 100L) "dc_p" else "auto",
    sweeps = if (large) min(20, max(8, 350 %/% k)) else 40, large = few_models_work
  )
  search$candidates <- c(search$candidates, lapply(unname(candidates), c, list(requested = as.integer(k))))
  search$starts[[name]] <- starts
  search
}

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

# Return the search with neighbours of the best number until none is better or the `work` is spent. On grids
# and rings, which have no number of groups, the description length decreases for long.
climb_numbers <- function(search, add, simple, work) {
  repeat {
    best <- communities_choice(search$candidates, simple)$requested
    new <- setdiff(best + c(-1L, 1L), c(0L, as.integer(names(search$starts)), if (best == simple$n) best + 1L))
    work <- work - sum(belief_work(simple, new))
    if (length(new) == 0L || best == 1L || work < 0) {
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

# ---- Choice --------------------------------------------------------------------------------

# Return list(at, requested, dispersion, compared): the place and number of groups of the chosen candidate, and for
# every candidate the value compared, less being better.
communities_choice <- function(all, simple) {
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
  list(at = at, requested = requested[[at]], dispersion = dispersion, compared = compared)
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

# ---- Partitions of other methods, and the table --------------------------------------------

# Return partitions of methods without a model for k groups, and Leiden's, with the fields of candidates.
other_partitions <- function(input, partitions, nstart, k, starts) {
  simple <- input$damped
  partition <- function(method, requested, labels, algorithm = method) {
    list(
      model = method, algorithm = algorithm, requested = requested, labels = labels, k = max(labels),
      description_length = NA_real_, modularity = adjacency_modularity(simple, labels), trusted = NA
    )
  }
  found <- embedded_partitions(input, k, nstart, starts$embedding)
  c(
    list(partition("Bethe Hessian", k, found[[1L]]), partition("k-groups", k, found[[2L]], "kernel k-groups")),
    lapply(Filter(function(one) one$k > 1L, partitions), function(one) partition("Leiden", NA_integer_, one$labels))
  )
}

# Return a data frame with a row for every candidate, with the modularity of all weights.
candidate_table <- function(found, simple) {
  candidates <- found$candidates
  column <- function(name, type) vapply(candidates, `[[`, type, name, USE.NAMES = FALSE)
  data.frame(
    method = column("model", ""), k_requested = column("requested", 0L), k = column("k", 0L),
    description_length = column("description_length", 0),
    modularity = vapply(candidates, function(one) adjacency_modularity(simple, one$labels), 0, USE.NAMES = FALSE),
    trusted = column("trusted", NA), chosen = seq_along(candidates) == found$at,
    compared = c(found$compared, rep(NA_real_, length(candidates)))[seq_along(candidates)],
    ratio = vapply(candidates, function(one) one$ratio %||% NA_real_, 0)
  )
}

# ---- Print, summary and plots ----------------------------------------------------------------

#' @export
format.kgroups_communities <- function(x, ...) {
  table <- x$candidates
  chosen <- table[table$chosen, , drop = FALSE]
  dispersed <- x$rule == "adjusted"
  communities_text(x, c(
    paste("Method:", communities_method(x, chosen)),
    if (isTRUE(x$dispersion > most_dispersion) && x$rule != "separation") {
      sprintf("Lack of fit: a dispersion of %.1f about the block model", x$dispersion)
    },
    if (x$rule == "separation") {
      passed_text(x$separation$passed)
    } else {
      next_text(table, chosen, dispersed, if (isTRUE(x$weighted)) "partition" else "model")
    }
  ))
}

# Return how the partition was found and chosen, in words.
communities_method <- function(x, chosen) {
  nats <- function(value) format(round(value, 1), nsmall = 1, decimal.mark = ".")
  switch(x$rule,
    separation = separation_text(x$separation$ratio, chosen),
    modularity = sprintf("%s, the largest modularity of all methods for k = %d", chosen$method, chosen$k),
    adjusted = sprintf("model %s, the largest modularity of the models for k = %d", chosen$method, chosen$k),
    if (!isTRUE(x$weighted)) {
      sprintf("model %s, the least description length: %s nats", chosen$method, nats(chosen$description_length))
    } else if (chosen$k == 1L) {
      "one community, no partition found shortens the description of edges and weights"
    } else {
      sprintf(
        "%s, the least description length: %s nats below that of one community", chosen$method,
        nats(-chosen$description_length)
      )
    }
  )
}

separation_text <- function(ratio, chosen) {
  if (!is.null(ratio)) {
    sprintf("%s, by separation: borders have %.2f of the conductance of the sparsest cuts inside", chosen$method, ratio)
  } else if (chosen$k == 1L) {
    "separation, no partition is easier to cut off than to split"
  } else {
    "components, of which none is divided by separation"
  }
}

passed_text <- function(passed) {
  if (!is.null(passed)) {
    sprintf(
      "Passed over: k = %d, modularity %.3f, ratio %.2f; supply `k` to divide", passed$k, passed$modularity,
      passed$ratio
    )
  }
}

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
  table <- object$candidates
  table <- if (object$rule == "separation") {
    table[order(-table$modularity), , drop = FALSE]
  } else {
    table[order(table$compared, table$description_length, -table$modularity, na.last = TRUE), , drop = FALSE]
  }
  rownames(table) <- NULL
  structure(list(head = format(object), candidates = table, rule = object$rule), class = "summary.kgroups_communities")
}

#' @export
print.summary.kgroups_communities <- function(x, rows = 20, ...) {
  # of each method and number of groups the best candidate
  table <- x$candidates
  table <- table[order(!table$chosen), ]
  table <- table[!duplicated(table[c("method", "k")]), ]
  table <- table[order(as.integer(rownames(table))), ]
  separated <- x$rule == "separation"
  # rows without a description length are always shown
  without <- is.na(table$description_length)
  shown <- rbind(utils::head(table[!without, ], rows), table[without, ])
  left <- nrow(x$candidates) - nrow(shown)
  cat(x$head, "", sep = "\n")
  number <- function(value, digits) ifelse(is.finite(value), formatC(value, format = "f", digits = digits), "-")
  above <- if (separated) shown$description_length else shown$compared - min(table$compared, na.rm = TRUE)
  mark <- ifelse(shown$chosen, "*", ifelse(shown$trusted %in% FALSE, "not converged", ""))
  frame <- data.frame(
    method = shown$method, k = shown$k, nats = number(above, 1L),
    modularity = number(round(shown$modularity, 3) + 0, 3L),
    ratio = number(shown$ratio, 2L), " " = mark, check.names = FALSE
  )
  if (all(is.na(shown$ratio))) frame$ratio <- NULL
  print(frame, row.names = FALSE)
  cat(if (separated) {
    "nats: description length of a planted partition less that of one community; ratio: borders over sparsest cuts\n"
  } else {
    "nats: description length above the least; 5 nats are a probability ratio of 150\n"
  })
  if (left > 0) cat(sprintf("... and %d more candidates, see $candidates\n", left))
  invisible(x)
}

#' @rdname cluster_communities
#' @param y In `plot()`, the graph, to draw it with its communities. If left out, the description length is plotted
#'   against the number of groups, a line for every model or method (modularity if no block model fits the weights).
#' @export
as_figure.kgroups_communities <- function(x, y = NULL, ...) {
  if (is.null(y)) communities_figure(x) else NextMethod()
}
