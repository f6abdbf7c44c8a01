# Partitions of a graph at several resolutions of modularity (igraph's Leiden algorithm), and how many nats the planted
# partition of their labels gains over one community. These graphs have no isolated vertices.

# Resolutions that are compared, the largest first, fewer above the number of edges; most passes from single vertices,
# and from the partition of a larger resolution, which attain the same modularity.
leiden_resolutions <- function(m) if (m > 1e5) few_resolutions else 2^seq(4, -3, -0.5)
few_resolutions <- 2^(3:-2)
leiden_passes <- c(4, 2)

# Return the labels 1, 2, ... by first appearance.
renumbered <- function(labels) match(labels, unique(labels))

# Return list(run, simple) of a graph: run(resolution, labels) are the labels of the largest modularity at a resolution,
# from `labels` if these are given; NULL without edges. `weights` are those of all entries of the adjacency matrix, by
# default its own.
leiden_of <- function(simple, weights = if (simple$weighted) simple$adjacency@x) {
  A <- simple$adjacency
  if (length(A@x) == 0L) {
    return(NULL)
  }
  graph <- plain_graph(A)
  weights <- if (is.null(weights)) NA else weights[A@i + 1L < column_index(A)]
  # igraph 2 has another name for the resolution
  name <- intersect(c("resolution", "resolution_parameter"), names(formals(igraph::cluster_leiden)))[1L]
  # one pass a call, because a pass answers no interrupt
  run <- function(resolution, labels = NULL) {
    for (pass in seq_len(leiden_passes[2L - is.null(labels)])) {
      settings <- list(
        graph,
        objective_function = "modularity", weights = weights, n_iterations = 1,
        initial_membership = if (!is.null(labels)) labels - 1L
      )
      settings[[name]] <- resolution
      new <- renumbered(as.integer(igraph::membership(do.call(igraph::cluster_leiden, settings))))
      if (identical(new, labels)) break
      labels <- new
    }
    labels
  }
  list(run = run, simple = simple)
}

# Return the sums of the planted partition, degree-corrected: list(inside, expected, edges), the edges within
# communities, their expectation, and all edges.
planted_sums <- function(simple, labels) {
  A <- simple$adjacency
  edges <- sum(A@x) / 2
  list(
    inside = sum(A@x[labels[A@i + 1L] == labels[column_index(A)]]) / 2,
    expected = sum(rowsum(Matrix::colSums(A), labels)^2) / (4 * edges), edges = edges
  )
}

# Return the nats by which the planted partition of labels describes the graph more shortly than one community: log
# likelihood less half a logarithm for its second rate and the code length of the labels.
planted_gain <- function(simple, labels) {
  sizes <- tabulate(labels)
  n <- sum(sizes)
  k <- length(sizes)
  if (k <= 1L) {
    return(0)
  }
  sums <- planted_sums(simple, labels)
  part <- function(edges, expected) if (edges > 0) edges * log(edges / expected) else 0
  code <- lfactorial(n) - sum(lfactorial(sizes)) + lchoose(n - 1, k - 1) + log(n)
  part(sums$inside, sums$expected) + part(sums$edges - sums$inside, sums$edges - sums$expected) -
    log(sums$edges) / 2 - code
}

# Return the resolution at which modularity is the likelihood of the planted partition (Newman 2016), NA if its rate
# inside is not above that between communities.
planted_resolution <- function(simple, labels) {
  sums <- planted_sums(simple, labels)
  inside <- sums$inside / sums$expected
  between <- (sums$edges - sums$inside) / (sums$edges - sums$expected)
  if (!is.finite(between) || between <= 0 || inside <= between) {
    return(NA_real_)
  }
  (inside - between) / (log(inside) - log(between))
}

# A partition with its number of communities and its gain.
graph_partition <- function(simple, labels, resolution) {
  list(labels = labels, k = max(labels), gain = planted_gain(simple, labels), resolution = resolution)
}

# Return the different partitions of all resolutions, and of the resolution that the best of them implies. The stream
# has a fixed seed, so that no partition depends on the user's.
leiden_partitions <- function(leiden, resolutions = leiden_resolutions(length(leiden$simple$adjacency@x) / 2)) {
  kept_stream(partitions_at(leiden, resolutions))
}

partitions_at <- function(leiden, resolutions) {
  set.seed(1)
  simple <- leiden$simple
  at <- function(resolution, labels) graph_partition(simple, leiden$run(resolution, labels), resolution)
  progress_step("Partitions at several resolutions", 1e5 * length(simple$adjacency@x))
  found <- Reduce(function(last, resolution) at(resolution, last$labels), resolutions, NULL, accumulate = TRUE)[-1L]
  best <- best_gain(found)
  last <- planted_resolution(simple, best$labels)
  for (step in 1:3) {
    if (is.na(last)) break
    one <- at(min(max(last, 0.01), 500), best$labels)
    found <- c(found, list(one))
    new <- planted_resolution(simple, one$labels)
    if (is.na(new) || abs(log(new / last)) < 0.03) break
    last <- new
  }
  found[!duplicated(lapply(found, `[[`, "labels"))]
}

# Return the partition of largest gain, NULL if there is none.
best_gain <- function(partitions) {
  if (length(partitions)) partitions[[which.max(vapply(partitions, `[[`, 0, "gain"))]]
}

# The same, NULL if one community is shorter.
best_planted <- function(partitions) {
  best <- best_gain(partitions)
  if (!is.null(best) && best$gain > 0) best
}

# Return the best partition of k communities, from those that are known and by bisection of the resolution; NULL if
# none has k.
leiden_at <- function(leiden, k, known = list()) {
  if (is.null(leiden)) {
    return(NULL)
  }
  for (step in 1:14) {
    number <- vapply(known, `[[`, 0L, "k")
    at <- vapply(known, `[[`, 0, "resolution")
    if (sum(number == k) >= 2L) break
    low <- max(2^-8, at[number <= k])
    high <- min(2^9, at[number > k])
    if (high < 1.001 * low) break
    resolution <- sqrt(low * high)
    known <- c(known, list(graph_partition(leiden$simple, leiden$run(resolution), resolution)))
  }
  best_gain(Filter(function(one) one$k == k, known))
}

# ---- Parts of a graph ------------------------------------------------------------------------

# Return the graph of some vertices, whole components.
graph_part <- function(simple, rows) {
  if (length(rows) == simple$n) {
    return(simple)
  }
  simple$adjacency <- methods::as(simple$adjacency[rows, rows, drop = FALSE], "generalMatrix")
  simple$n <- length(rows)
  simple["names"] <- list(simple$names[rows])
  component <- simple$component[rows]
  kept <- sort(unique(component))
  simple$component <- match(component, kept)
  simple$component_size <- simple$component_size[kept]
  simple
}

# Return the graph without isolated vertices, with `linked`, the places of its vertices; a graph without edges as it is.
linked_graph <- function(simple) {
  linked <- which(diff(simple$adjacency@p) > 0L)
  if (length(linked) == 0L) linked <- seq_len(simple$n)
  out <- graph_part(simple, linked)
  out$linked <- linked
  out
}

# Return values of the vertices of linked_graph() for all n vertices, `alone` for the others.
of_all_vertices <- function(values, simple, n, alone = NA_integer_) replace(rep(alone, n), simple$linked, values)

# Edges above which igraph's algorithm takes seconds, and fits with given k do without its start.
most_leiden_edges <- 2e5

# Return list(leiden = list(labels, inside)), the best partition of k communities as a start; NULL if there is none.
leiden_start <- function(simple, k) {
  if (k == 1L || length(simple$adjacency@x) > 2 * most_leiden_edges) {
    return(NULL)
  }
  linked <- linked_graph(simple)
  one <- leiden_at(leiden_of(linked), k)
  if (!is.null(one)) {
    list(leiden = list(
      labels = of_all_vertices(one$labels, linked, simple$n, 1L), inside = seq_len(simple$n) %in% linked$linked
    ))
  }
}
