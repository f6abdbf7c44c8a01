# Crossover of partitions: regions in which two of them differ, each from the one that costs less there.

# The best of some solutions, crossed with the others until none lowers W.
cross_partitions <- function(problem, control, fits) {
  W <- vapply(fits, function(fit) sum(fit$cost), 0)
  order <- least_first(W)
  best <- fits[[order[1L]]]
  others <- fits[order[-1L]]
  failed <- 0
  while (failed < length(others)) {
    labels <- cross_pair(best, others[[1L]], control$k)
    found <- if (!is.null(labels)) {
      solve_starts(problem, control, matrix(fill_clusters(labels, problem$w, control$k)), "crossover")
    }
    others <- c(others[-1L], others[1L])
    better <- !is.null(found) && sum(best$cost) - sum(found$cost) > 1e-9 * sum(abs(best$cost))
    failed <- if (better) 0 else failed + 1
    if (better) best <- found
  }
  best
}

# Labels of the first partition with the regions of the second that lower the sum of the costs of clusters most; NULL if
# there are none. A region is a set of clusters of both that overlap by more than `link` of the smaller one.
cross_pair <- function(first, second, k, link = 0.15) {
  region <- cross_regions(first$cluster, second$cluster, k, link)
  many <- max(region)
  surplus <- tabulate(region[k + seq_len(k)], many) - tabulate(region[seq_len(k)], many)
  gain <- sum_by(first$cost, region[seq_len(k)], many) - sum_by(second$cost, region[k + seq_len(k)], many)
  take <- choose_regions(gain, surplus, 1e-9 * sum(abs(first$cost)))
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
  linked <- tabulate(match(pair, pairs), length(pairs)) > link * pmin(tabulate(first, k)[mine], tabulate(second, k)[theirs])
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

# The regions whose surpluses of clusters add up to 0, of the largest gain (a knapsack).
choose_regions <- function(gain, surplus, least) {
  take <- surplus == 0 & gain > least
  odd <- which(surplus != 0)
  reach <- sum(abs(surplus[odd]))
  at <- seq_len(2 * reach + 1)
  best <- replace(rep(-Inf, length(at)), reach + 1, 0)
  choice <- matrix(FALSE, length(odd), length(at))
  for (i in seq_along(odd)) {
    from <- at - surplus[odd[i]]
    inside <- from >= 1 & from <= length(at)
    with <- replace(rep(-Inf, length(at)), inside, best[from[inside]] + gain[odd[i]])
    choice[i, ] <- with > best
    best <- pmax(best, with)
  }
  place <- reach + 1
  if (best[place] > least) {
    for (i in rev(seq_along(odd))) {
      if (choice[i, place]) {
        take[odd[i]] <- TRUE
        place <- place - surplus[odd[i]]
      }
    }
  }
  take
}
