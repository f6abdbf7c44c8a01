# Separation: is a community easier to cut off than to split? Two conductances of every community are compared: that of
# its border, and that of the sparsest cut of its inside.

# Parts below this size have no communities of their own.
least_component <- 20L

# Largest ratio at which communities are returned, that at which the partition of largest gain goes before others, and
# the largest if there are more communities than at the largest modularity, with a modularity that is lower by more than
# the last: near-cliques of rings and lattices are hard to split (bench/neighbour-graphs.md).
most_ratio <- 0.6
gain_ratio <- 0.5
clear_ratio <- 0.25
least_modularity <- 0.03

# Return the share of the edge ends of each community that leave it.
outer_conductance <- function(A, labels) {
  k <- max(labels)
  to <- labels[A@i + 1L]
  out <- to != labels[column_index(A)]
  cut <- if (any(out)) sum_by(A@x[out], to[out], k) else numeric(k)
  cut / pmax(sum_by(Matrix::colSums(A), labels, k), 1e-300)
}

# Return the matrix of the edges within communities.
within_matrix <- function(A, labels) {
  A@x <- A@x * (labels[A@i + 1L] == labels[column_index(A)])
  Matrix::drop0(A)
}

# Upper ends of the spectrum of the lazy walk that its Chebyshev filter removes, one after the other, and the filter's
# degree; least share of the volume on the smaller side of a cut.
walk_filter <- c(0.8, 0.95, 0.99)
walk_degree <- 27
least_side <- 0.15

# Return the conductance of the sparsest cut of each community in its inside, at most 1: the least of the sweep cuts
# along smooth vectors, those of a filtered walk in all communities at once.
inner_conductance <- function(A, labels) {
  k <- max(labels)
  B <- within_matrix(A, labels)
  degree <- Matrix::colSums(B)
  volume <- sum_by(degree, labels, k)
  y <- smooth_vectors(B, labels, degree, volume)
  row <- B@i + 1L
  column <- column_index(B)
  do.call(pmin, lapply(1:2, function(j) sweep_cuts(row, column, B@x, labels, degree, volume, y[j, ])))
}

# Return the two vectors of the filtered walk, 2 x n. They start from fixed numbers, so that no answer depends on the
# seed.
smooth_vectors <- function(B, labels, degree, volume) {
  n <- length(labels)
  one <- length(B@x) > 0L && all(B@x == B@x[1L])
  walk <- list(start = B@p, row = B@i, value = if (one) B@x[1L] else B@x, diagonal = 1 / pmax(degree, 1e-12))
  y <- sin(outer(c(1.61803399, 2.71828183), seq_len(n)^2))
  for (upper in walk_filter) {
    # in each community about the mean, to a mean square of 1
    y <- y - t(sum_by(degree * t(y), labels, length(volume)) / pmax(volume, 1e-12))[, labels]
    y <- .Call(ffi_walk, walk, y, upper, walk_degree)
    y <- y / t(sqrt(pmax(sum_by(degree * t(y)^2, labels, length(volume)), 1e-300)))[, labels]
  }
  y
}

# Return the least conductance of each community among the cuts that a vector orders; 1 if there is none.
sweep_cuts <- function(row, column, weight, labels, degree, volume, y) {
  n <- length(labels)
  order <- order(labels, y)
  place <- integer(n)
  place[order] <- seq_len(n)
  up <- place[row] < place[column]
  ends <- c(place[row[up]], place[column[up]])
  cut <- c(0, cumsum(c(weight[up], -weight[up])[order(ends, method = "radix")]))[cumsum(tabulate(ends, n)) + 1L]
  community <- labels[order]
  left <- cumsum(degree[order]) - c(0, cumsum(volume))[community]
  small <- pmin(left, volume[community] - left)
  fine <- small >= least_side * volume[community] & small > 0
  out <- rep(1, length(volume))
  if (any(fine)) {
    least <- vapply(split((cut / small)[fine], community[fine]), min, 0)
    out[as.integer(names(least))] <- pmin(pmax(least, 0), 1)
  }
  out
}

# Return the ratio of a partition and its standard error: the share of the edge ends that leave a community over the
# conductance of its sparsest cut, at most 1, in the mean of communities, by their volume times the share of the volume
# outside, so that a giant with slivers is not separated.
partition_ratio <- function(simple, labels) {
  A <- simple$adjacency
  volume <- sum_by(Matrix::colSums(A), labels, max(labels))
  weight <- volume * (1 - volume / sum(volume))
  if (sum(weight) <= 0) {
    return(c(mean = 1, se = 0))
  }
  weight <- weight / sum(weight)
  ratio <- pmin(outer_conductance(A, labels) / inner_conductance(A, labels), 1)
  ratio[is.na(ratio)] <- 1
  # at most 1, but for rounding
  mean <- min(sum(weight * ratio), 1)
  c(mean = mean, se = sqrt(sum(weight^2 * (ratio - mean)^2)))
}

# ---- Are the insides random graphs? ----------------------------------------------------------

# Two ratios: of the sparsest cut of the insides to that of random graphs of the same degrees, and of the triangles of
# these to those inside. Hubs alone make the second .5 to .8, neighbours .06 to .45 (bench/neighbour-graphs.md). Limits
# of the product if the second is below its first limit; of the first if it is above its second, as in lattices.
local_product <- 0.35
local_triangles <- c(0.8, 2)
local_cut <- 0.8
# With fewer triangles than the first in random graphs and borders above the second times the sparsest cuts, as in
# graphs of neighbours in many columns, hubs make the insides hard to cut, but not harder than those of random graphs.
many_triangles <- c(0.5, 1.5)

# Return the graph of the heavier half of the edges, without weights.
heavier_half <- function(simple) {
  A <- simple$adjacency
  A@x <- as.numeric(A@x >= stats::median(A@x))
  simple$adjacency <- methods::as(Matrix::drop0(A), "CsparseMatrix")
  simple
}

# Are the insides of communities no random graphs? Then edges depend on a distance or on an order, and no block model
# describes them.
is_local <- function(simple, labels) {
  inside <- simple
  inside$adjacency <- within_matrix(simple$adjacency, labels)
  inside$adjacency@x[] <- 1
  if (length(inside$adjacency@x) == 0L) {
    return(FALSE)
  }
  random <- rewired_within(inside, labels)
  volume <- sum_by(Matrix::colSums(inside$adjacency), labels, max(labels))
  cut <- function(simple) sum(volume * inner_conductance(simple$adjacency, labels))
  mine <- cut(inside)
  expected <- cut(random)
  triangles <- (count_triangles(random) + 10) / (count_triangles(inside) + 10)
  border <- length(simple$adjacency@x) - length(inside$adjacency@x)
  if (triangles < many_triangles[1L] && border > many_triangles[2L] * mine && mine < expected) {
    return(TRUE)
  }
  triangles < local_triangles[1L] && mine * triangles < local_product * expected ||
    triangles > local_triangles[2L] && mine < local_cut * expected
}

# Return a random graph of the same degrees within communities, by matching the ends of edges; loops are left out and
# parallel edges merged. The stream has a fixed seed, so that no answer depends on the user's.
rewired_within <- function(inside, labels) {
  upper <- Matrix::triu(inside$adjacency, 1)
  ends <- c(upper@i + 1L, column_index(upper))
  random <- kept_stream({
    set.seed(1)
    stats::runif(length(ends))
  })
  ends <- ends[order(labels[ends], random)]
  from <- ends[c(TRUE, FALSE)]
  to <- ends[c(FALSE, TRUE)]
  keep <- from != to
  inside$adjacency <- both_triangles(list(from = from[keep], to = to[keep]), NULL, inside$n)
  inside
}

# Return the number of triangles; igraph's count takes no quadratic memory.
count_triangles <- function(simple) sum(igraph::count_triangles(plain_graph(simple$adjacency))) / 3

# ---- The first number of communities ------------------------------------------------------------

# Return the number of communities of the best planted partition, or for NULL the count. Small components that are
# joined to no other vertex are not counted.
first_number <- function(simple, parts, best) {
  if (is.null(best)) {
    return(graph_k(NULL, simple, parts))
  }
  joined <- outer_conductance(simple$adjacency, best$labels) > 0
  max(1L, sum(joined | tabulate(best$labels) >= max(10, simple$n / 200)))
}

# ---- Choice ----------------------------------------------------------------------------------

# Return list(at, separated, ratio, modularity) of the partitions: the place of the fewest communities within half a
# standard error of the largest modularity times the root of 1 less the ratio, or that of largest gain if its ratio is
# at most 1/2 and twice as large; and whether it is separated. Ratios of partitions of too small a modularity are NA.
most_separated <- function(simple, partitions) {
  modularity <- vapply(partitions, function(one) adjacency_modularity(simple, one$labels), 0)
  k <- vapply(partitions, `[[`, 0L, "k")
  first <- which.max(vapply(partitions, `[[`, 0, "gain"))
  top <- which.max(modularity)
  most <- ifelse(k > k[top] & modularity < modularity[top] - least_modularity, clear_ratio, most_ratio)
  ratio <- rep(NA_real_, length(partitions))
  score <- rep(0, length(partitions))
  least <- 0
  for (i in unique(c(first, order(-modularity)))) {
    if (i != first && modularity[i] <= least) break
    found <- partition_ratio(simple, partitions[[i]]$labels)
    ratio[i] <- found[["mean"]]
    if (most[i] == clear_ratio && ratio[i] > clear_ratio) next
    score[i] <- modularity[i] * sqrt(1 - ratio[i])
    if (score[i] == max(score)) {
      least <- 2 * score[i] - modularity[i] * sqrt(1 - max(ratio[i] - found[["se"]] / 2, 0))
    }
  }
  separated <- ratio <= most
  near <- score > 0 & score >= least
  if (any(near & separated)) near <- near & separated
  at <- if (any(near)) which.min(ifelse(near, k, Inf)) else first
  if (separated[first] && ratio[first] <= min(gain_ratio, 2 * max(ratio[at], 0.02))) at <- first
  list(at = at, separated = separated[[at]], ratio = ratio, modularity = modularity)
}

# Return list(labels, ratio, passed, ratios): the labels of a graph by separation in each component, the largest ratio
# that was accepted, the partition of the largest component that was passed over, and all ratios in a connected graph.
# `one`: none is accepted.
separated_labels <- function(simple, partitions, one = FALSE) {
  component <- simple$component
  out <- rep(0L, simple$n)
  accepted <- numeric()
  passed <- ratios <- NULL
  for (at in which(simple$component_size >= least_component)) {
    rows <- which(component == at)
    part <- graph_part(simple, rows)
    inside <- lapply(partitions, function(one) graph_partition(part, renumbered(one$labels[rows]), one$resolution))
    eligible <- vapply(inside, function(one) one$k > 1L && one$k < part$n / 2, NA)
    inside <- inside[eligible]
    if (length(inside) == 0L) next
    found <- most_separated(part, inside)
    if (part$n == simple$n) ratios <- replace(rep(NA_real_, length(partitions)), eligible, found$ratio)
    best <- inside[[found$at]]
    ratio <- found$ratio[[found$at]]
    if (found$separated && !one) {
      out[rows] <- best$labels
      accepted <- c(accepted, ratio)
    } else if (is.null(passed)) {
      passed <- list(k = best$k, modularity = found$modularity[[found$at]], ratio = ratio)
    }
  }
  list(
    labels = renumbered(component * (simple$n + 1) + out), ratio = if (length(accepted)) max(accepted), passed = passed,
    ratios = ratios
  )
}

# Dispersion above which the models do not fit: on graphs drawn from them it is .8 to 1.2. Ratio of conductances above
# which there is one community if they do not fit (bench/neighbour-graphs.md).
most_dispersion <- 1.5
most_block_ratio <- 0.75

# Return list(partitions, best, separated): Leiden's partitions of a graph, the best planted one, and the comparison by
# separation if no block model describes the graph.
plain_rule <- function(simple) {
  leiden <- leiden_of(simple)
  partitions <- if (!is.null(leiden)) leiden_partitions(leiden)
  best <- best_planted(partitions)
  separated <- if (is.null(best)) {
    NULL
  } else if (is_local(simple, best$labels)) {
    compare_separated(simple, partitions)
  } else if (no_block_model(simple, best, partitions)) {
    compare_separated(simple, partitions, one = TRUE)
  }
  list(partitions = partitions, best = best, separated = separated)
}

# Is a partition whose insides are random graphs neither that of a block model nor separated? In a connected graph.
no_block_model <- function(simple, best, partitions) {
  if (length(simple$component_size) > 1L) {
    return(FALSE)
  }
  if (belief_dispersion(simple, list(labels = best$labels, model = "dc")) <= most_dispersion) {
    return(FALSE)
  }
  partitions <- Filter(function(one) one$k > 1L && one$k < simple$n / 2, partitions)
  found <- most_separated(simple, partitions)
  found$ratio[[found$at]] > most_block_ratio
}

# Return the comparison by separation; `one`: the answer is one community.
compare_separated <- function(simple, partitions, one = FALSE) {
  found <- separated_labels(simple, partitions, one)
  known <- which(vapply(partitions, function(part) identical(part$labels, found$labels), NA))
  if (length(known) == 0L) {
    partitions <- c(partitions, list(graph_partition(simple, found$labels, NA_real_)))
    known <- length(partitions)
  }
  candidates <- lapply(seq_along(partitions), function(i) {
    part <- partitions[[i]]
    list(
      model = if (part$k == 1L) "one community" else if (is.na(part$resolution)) "Leiden by components" else "Leiden",
      algorithm = "Leiden, by separation", requested = NA_integer_, k = part$k,
      labels = part$labels, description_length = -part$gain, trusted = NA,
      ratio = if (i <= length(found$ratios)) found$ratios[i]
    )
  })
  list(
    candidates = candidates, at = known[1L], compared = rep(NA_real_, length(candidates)), rule = "separation",
    separation = found[c("ratio", "passed")]
  )
}
