# Partitions of a graph at several resolutions of modularity (igraph's Leiden algorithm), the nats that each gains over
# one community, and whether it comes back if some of the vertices are left out. The graphs have no isolated vertices.

# Resolutions that are compared, the largest first. Above the number of edges only those around the best are.
leiden_resolutions <- 2^seq(5, -3, -0.5)
many_edges <- 3e4

# Passes from single vertices, and from the partition of a larger resolution, which attain the same modularity.
leiden_passes <- c(3, 2)

# Return the labels 1, 2, ... by first appearance.
renumbered <- function(labels) match(labels, unique(labels))

# Return the labels of the largest modularity at a resolution, from `labels` if these are given. One pass a call,
# because a pass answers no interrupt.
leiden_run <- function(graph, resolution, labels = NULL) {
  # igraph 2 has another name for the resolution
  name <- intersect(c("resolution", "resolution_parameter"), names(formals(igraph::cluster_leiden)))[1L]
  for (pass in seq_len(leiden_passes[2L - is.null(labels)])) {
    settings <- list(
      graph,
      objective_function = "modularity", n_iterations = 1, initial_membership = if (!is.null(labels)) labels - 1L
    )
    settings[[name]] <- resolution
    new <- with_igraph(renumbered(as.integer(igraph::membership(do.call(igraph::cluster_leiden, settings)))))
    if (identical(new, labels)) break
    labels <- new
  }
  labels
}

# Return the igraph graph of a simple one, with its weights, if it has some.
leiden_graph <- function(simple) {
  A <- simple$adjacency
  graph <- plain_graph(A)
  if (!simple$weighted) {
    return(graph)
  }
  igraph::set_edge_attr(graph, "weight", value = A@x[A@i + 1L < column_index(A)] / mean(A@x))
}

# ---- Gain of a planted partition -----------------------------------------------------------

# Return the nats by which the planted partition of labels (a degree-corrected block model with one rate within
# communities and one between) describes the graph more shortly than one community: log likelihood less half a logarithm
# for its second rate and the code length of the labels. Weights are numbers of edges in units of their mean, heavy ones
# lowered, so that a few edges are few.
planted_gain <- function(simple, labels) {
  sizes <- tabulate(labels)
  n <- sum(sizes)
  k <- length(sizes)
  if (k <= 1L) {
    return(0)
  }
  A <- simple$adjacency
  if (simple$weighted) {
    A <- damp_weights(simple)$adjacency
    A@x <- A@x / mean(A@x)
  }
  edges <- sum(A@x) / 2
  inside <- sum(A@x[labels[A@i + 1L] == labels[column_index(A)]]) / 2
  expected <- sum(rowsum(Matrix::colSums(A), labels)^2) / (4 * edges)
  part <- function(edges, expected) if (edges > 0) edges * log(edges / expected) else 0
  code <- lfactorial(n) - sum(lfactorial(sizes)) + lchoose(n - 1, k - 1) + log(n)
  part(inside, expected) + part(edges - inside, edges - expected) - log(edges) / 2 - code
}

# A partition is list(method, labels, k, gain, resolution, stability).
new_partition <- function(simple, method, labels, resolution = NA_real_) {
  list(
    method = method, labels = labels, k = max(labels), gain = planted_gain(simple, labels), resolution = resolution,
    stability = NA_real_
  )
}

leiden_partition <- function(simple, graph, resolution, labels = NULL) {
  new_partition(simple, "Leiden", leiden_run(graph, resolution, labels), resolution)
}

# Return the different partitions of all resolutions, each from the one before.
leiden_partitions <- function(simple) {
  graph <- leiden_graph(simple)
  edges <- length(simple$adjacency@x) / 2
  progress_step("Partitions at several resolutions", 2e5 * edges)
  at <- function(last, resolution) leiden_partition(simple, graph, resolution, last$labels)
  if (edges <= many_edges) {
    found <- Reduce(at, leiden_resolutions, NULL, accumulate = TRUE)[-1L]
  } else {
    found <- list(at(NULL, 1))
    for (factor in c(2, 1 / 2)) {
      last <- found[[1L]]
      repeat {
        new <- at(last, last$resolution * factor)
        found <- c(found, list(new))
        if (new$gain <= last$gain) break
        last <- new
      }
    }
  }
  # a partition of several resolutions has their geometric mean
  labels <- lapply(found, `[[`, "labels")
  plateau <- match(labels, labels)
  resolution <- exp(tapply(log(vapply(found, `[[`, 0, "resolution")), plateau, mean))
  Map(replace, found[unique(plateau)], "resolution", resolution)
}

# Return the best partition of k communities, from those that are known and by bisection of the resolution; NULL if
# none has k.
leiden_at <- function(simple, k, known = list()) {
  if (length(simple$adjacency@x) == 0L) {
    return(NULL)
  }
  graph <- leiden_graph(simple)
  for (step in 1:14) {
    number <- vapply(known, `[[`, 0L, "k")
    at <- vapply(known, `[[`, 0, "resolution")
    if (sum(number == k) >= 2L) break
    low <- max(2^-8, at[number <= k])
    high <- min(2^9, at[number > k])
    if (high < 1.001 * low) break
    known <- c(known, list(leiden_partition(simple, graph, sqrt(low * high))))
  }
  best_gain(Filter(function(one) one$k == k, known))
}

# Return the partition of largest gain, NULL if there is none.
best_gain <- function(partitions) {
  if (length(partitions)) partitions[[which.max(vapply(partitions, `[[`, 0, "gain"))]]
}

# ---- Stability -----------------------------------------------------------------------------

# Samples of the vertices, the share of these in each, and the least mean adjusted Rand index of a partition that comes
# back; the largest share of communities in the vertices (bench/communities.md).
stability_draws <- 4
stability_share <- 0.7
least_stability <- 0.82
most_communities <- 1 / 5

# Return list(partitions, at): the partitions with their stability, and the place of the largest stability times gain
# among those that come back, NULL if none does. The stability is the mean adjusted Rand index, weighted by degrees, of
# a partition with those of samples at its resolution. Partitions and samples that cannot decide are left out.
stable_partition <- function(simple, partitions, k = NULL) {
  gain <- vapply(partitions, `[[`, 0, "gain")
  number <- vapply(partitions, `[[`, 0L, "k")
  eligible <- gain > 0 & if (is.null(k)) number > 1L & number <= most_communities * simple$n else number == k
  graph <- if (any(eligible)) leiden_graph(simple)
  draws <- if (length(simple$adjacency@x) > 2 * most_leiden_edges) stability_draws / 2 else stability_draws
  samples <- lapply(seq_len(draws), function(draw) sort(sample.int(simple$n, round(stability_share * simple$n))))
  progress_step("Partitions of samples of the vertices", 2e5 * length(simple$adjacency@x))
  degree <- Matrix::colSums(simple$adjacency)
  at <- NULL
  best <- 0
  for (i in order(-gain)) {
    if (!eligible[i]) next
    if (is.null(k) && gain[i] <= best) break
    least <- if (is.null(k)) max(least_stability, best / gain[i]) else least_stability
    stability <- partition_stability(graph, partitions[[i]], samples, least, degree)
    partitions[[i]]$stability <- stability
    if (stability >= least && (is.null(at) || stability * gain[i] > best)) {
      at <- i
      best <- stability * gain[i]
    }
  }
  list(partitions = partitions, at = at)
}

# Return the mean over the samples, up to the one after which it cannot be `least`.
partition_stability <- function(graph, partition, samples, least, degree) {
  same <- numeric()
  for (rows in samples) {
    labels <- leiden_run(with_igraph(igraph::induced_subgraph(graph, rows)), partition$resolution)
    one <- max(labels) == 1L
    same <- c(same, if (one) 0 else weighted_rand(partition$labels[rows], labels, degree[rows]))
    if (sum(same) + length(samples) - length(same) < least * as.numeric(length(samples))) break
  }
  mean(same)
}

# Return the adjusted Rand index in which a pair of vertices counts by the product of their weights, so that peripheral
# vertices count little.
weighted_rand <- function(one, other, weight) {
  squares <- function(...) sum(rowsum(weight, vctrs::vec_group_id(data.frame(...)))^2) - sum(weight^2)
  first <- squares(one)
  second <- squares(other)
  expected <- first * second / (sum(weight)^2 - sum(weight^2))
  largest <- (first + second) / 2
  if (largest <= expected) 0 else (squares(one, other) - expected) / (largest - expected)
}

# ---- Are the insides random graphs? ----------------------------------------------------------

# Largest modularity above that of a random graph at which the insides of communities are random, and largest dispersion
# of a block model that fits (bench/communities.md).
most_excess <- 0.05
most_dispersion <- 1.25

# Return the largest modularity, over resolutions of at least 1, above that of a random graph of the same degrees within
# the communities and between them. Without weights.
modularity_excess <- function(simple, partitions, labels) {
  use <- Filter(
    function(one) isTRUE(one$resolution >= 1) && one$k > 1L && one$k <= most_communities * simple$n, partitions
  )
  excess <- 0
  if (length(use)) {
    random <- rewired_graph(simple, labels)
    graph <- leiden_graph(random)
    last <- NULL
    for (one in use) {
      last <- leiden_run(graph, one$resolution, last)
      excess <- max(excess, adjacency_modularity(simple, one$labels) - adjacency_modularity(random, last))
    }
  }
  excess
}

# Return a random graph of the same degrees within communities and between them, by matching the ends of edges; loops
# are left out and parallel edges merged.
rewired_graph <- function(simple, labels) {
  upper <- Matrix::triu(simple$adjacency, 1)
  from <- upper@i + 1L
  to <- column_index(upper)
  same <- labels[from] == labels[to]
  matched <- function(ends, group) ends[order(group, stats::runif(length(ends)))]
  inside <- c(from[same], to[same])
  ends <- c(matched(inside, labels[inside]), matched(c(from[!same], to[!same]), 0L * c(from[!same], to[!same])))
  from <- ends[c(TRUE, FALSE)]
  to <- ends[c(FALSE, TRUE)]
  keep <- from != to
  simple$adjacency <- both_triangles(list(from = from[keep], to = to[keep]), NULL, simple$n)
  simple
}

# Vertices below which free energies may be wrong and random graphs differ much.
few_vertices <- 100

# Return Newman's modularity of the labels.
adjacency_modularity <- function(simple, labels) {
  A <- simple$adjacency
  total <- sum(A@x)
  if (total == 0 || all(labels == labels[1L])) {
    return(0)
  }
  inside <- sum(A@x[labels[A@i + 1L] == labels[column_index(A)]])
  share <- rowsum(Matrix::colSums(A), labels) / total
  inside / total - sum(share^2)
}

# ---- Judgement -------------------------------------------------------------------------------

# Parts below this size have no communities of their own.
least_component <- 20L

# Return list(candidates, at, stable, random, stability, passed): Leiden's partitions and one community, the place of
# the answer; does it come back; may block models describe the graph, if not; and the partition that came back most. Of
# several components each is divided by itself; the largest one, in which the partitions differ, is last. The stream has
# a fixed seed, so that no answer depends on the user's.
judge_partitions <- function(simple) {
  kept_stream({
    set.seed(1)
    judge_components(simple)
  })
}

judge_components <- function(simple) {
  labels <- simple$component
  for (at in rev(which(simple$component_size >= least_component))) {
    rows <- which(simple$component == at)
    part <- subgraph_of(simple, rows)
    partitions <- leiden_partitions(part)
    found <- stable_partition(part, partitions)
    if (at > 1L && !is.null(found$at)) labels[rows] <- max(labels) + found$partitions[[found$at]]$labels
  }
  none <- new_partition(simple, if (max(labels) == 1L) "one community" else "components", renumbered(labels))
  if (simple$component_size[1L] < least_component) {
    return(list(candidates = list(none), at = 1L, stable = FALSE, random = TRUE))
  }
  whole <- lapply(found$partitions, function(one) {
    divided <- renumbered(replace(labels, rows, max(labels) + one$labels))
    all <- new_partition(simple, one$method, divided, one$resolution)
    replace(all, "stability", one$stability)
  })
  divides <- vapply(found$partitions, `[[`, 0L, "k") > 1L
  out <- list(candidates = c(list(none), whole[divides]), at = 1L, stable = !is.null(found$at))
  if (out$stable) {
    out$at <- 1L + sum(divides[seq_len(found$at)])
    out$stability <- found$partitions[[found$at]]$stability
    return(out)
  }
  best <- best_gain(found$partitions)
  if (best$gain <= 0) best$labels[] <- 1L
  if (!simple$weighted) out$random <- random_insides(part, found$partitions, best$labels)
  tried <- Filter(function(one) !is.na(one$stability), found$partitions)
  if (length(tried)) out$passed <- tried[[which.max(vapply(tried, `[[`, 0, "stability"))]][c("k", "stability")]
  out$stability <- out$passed$stability
  out
}

# Are the insides of communities random graphs, or so few vertices that this cannot be known?
random_insides <- function(simple, partitions, labels) {
  simple$n < few_vertices || modularity_excess(simple, partitions, labels) <= most_excess
}

# Return the number of communities of the best planted partition, or the count if one community is shorter. Small
# components that are joined to no other vertex are not counted.
first_number <- function(simple, parts, partitions) {
  best <- best_gain(partitions)
  if (best$gain <= 0) {
    return(graph_k(NULL, simple, parts))
  }
  A <- simple$adjacency
  column <- best$labels[column_index(A)]
  joined <- tabulate(column[column != best$labels[A@i + 1L]], best$k) > 0L
  max(1L, sum(joined | tabulate(best$labels) >= max(10, simple$n / 200)))
}

# ---- Parts of a graph ------------------------------------------------------------------------

# Return the graph without isolated vertices, with `linked`, the places of its vertices; a graph without edges as it is.
linked_graph <- function(simple) {
  linked <- which(diff(simple$adjacency@p) > 0L)
  if (length(linked) == 0L) linked <- seq_len(simple$n)
  out <- subgraph_of(simple, linked)
  out$linked <- linked
  out
}

# Return values of the vertices of linked_graph() for all n vertices, `alone` for the others.
of_all_vertices <- function(values, simple, n, alone = NA_integer_) replace(rep(alone, n), simple$linked, values)

# Edges above which igraph's algorithm takes seconds, and fits with given k do without its start.
most_leiden_edges <- 2e5

# Return list(leiden = labels), the best partition of k communities as a start; NULL if there is none.
leiden_start <- function(simple, k) {
  if (k == 1L || length(simple$adjacency@x) > 2 * most_leiden_edges) {
    return(NULL)
  }
  linked <- linked_graph(simple)
  one <- leiden_at(linked, k)
  if (!is.null(one)) list(leiden = of_all_vertices(one$labels, linked, simple$n))
}
