# Crossover of partitions: regions in which two of them differ, each from the one that costs less there.

# The best of some partitions, crossed with the others until none lowers its cost. A partition is a list with cluster,
# cost (of each cluster) and evaluations; `improve` returns one at a local optimum near labels, or NULL. The evaluations
# returned are those of the crossovers.
cross_partitions <- function(fits, k, improve) {
  W <- vapply(fits, function(fit) sum(fit$cost), 0)
  order <- least_first(W)
  best <- fits[[order[1L]]]
  others <- fits[order[-1L]]
  evaluations <- 0
  failed <- 0
  while (failed < length(others)) {
    labels <- cross_pair(best, others[[1L]], k)
    found <- if (!is.null(labels)) improve(labels)
    others <- c(others[-1L], others[1L])
    evaluations <- sum(evaluations, found$evaluations)
    better <- !is.null(found) && is_lower(sum(found$cost), sum(best$cost), sum(abs(best$cost)))
    failed <- if (better) 0 else failed + 1
    if (better) best <- found
  }
  replace(best, "evaluations", evaluations)
}

# Labels of the first partition with the regions of the second that lower the sum of the costs of clusters most; NULL if
# there are none. A region is a set of clusters of both that overlap by more than `link` of the smaller one.
cross_pair <- function(first, second, k, link = search_defaults$link) {
  region <- cross_regions(first$cluster, second$cluster, k, link)
  many <- max(region)
  surplus <- tabulate(region[k + seq_len(k)], many) - tabulate(region[seq_len(k)], many)
  gain <- sum_by(first$cost, region[seq_len(k)], many) - sum_by(second$cost, region[k + seq_len(k)], many)
  take <- choose_regions(gain, surplus, rounding * sum(abs(first$cost)))
  if (!any(take)) {
    return(NULL)
  }
  name <- integer(k)
  name[take[region[k + seq_len(k)]]] <- which(take[region[seq_len(k)]])
  ifelse(name[second$cluster] > 0L, name[second$cluster], first$cluster)
}

# The region of each cluster of the first partition, then of the second: components of the overlaps.
cross_regions <- function(first, second, k, link) {
  pair <- first + k * (second - 1)
  pairs <- unique(pair)
  mine <- (pairs - 1) %% k + 1
  theirs <- (pairs - 1) %/% k + 1
  linked <- tabulate(match(pair, pairs), length(pairs)) > link * pmin(
    tabulate(first, k)[mine], tabulate(second, k)[theirs]
  )
  from <- mine[linked]
  to <- k + theirs[linked]
  region <- seq_len(2 * k)
  repeat {
    least <- pmin(region[from], region[to])
    joined <- region
    for (end in list(from, to)) { # the least number among the neighbours
      order <- order(-least)
      joined[end[order]] <- pmin(joined[end[order]], least[order])
    }
    joined <- joined[joined]
    if (identical(joined, region)) break
    region <- joined
  }
  match(region, unique(region))
}

# The regions of positive gain that keep the number of clusters: those of surplus 0, and pairs of one more and one less.
choose_regions <- function(gain, surplus, least) {
  take <- surplus == 0 & gain > least
  by_gain <- function(rows) rows[order(-gain[rows])]
  more <- by_gain(which(surplus == 1))
  less <- by_gain(which(surplus == -1))
  both <- seq_len(min(length(more), length(less)))
  both <- both[gain[more[both]] + gain[less[both]] > least]
  replace(take, c(more[both], less[both]), TRUE)
}
