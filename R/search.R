# The search of `init = NULL`: one memetic, multilevel algorithm for every store (?kgroups-search has the steps).

# Constants of the search; bench/search.md has the row that set each. An evaluation is one of the semimetric, or a
# product of that cost; a pass is one over all pairs.
search_defaults <- list(
  evaluations = 1e8, # the budget at effort 1 has so many evaluations,
  passes = 2, # or those of so many passes if these are more
  members = 10, # the population has so many members unless they agree earlier
  starts = 30, # those judged by W are up to so many, one for every 1000 passes in the budget, so in small problems
  quorum = 0.5, # members agree if this share of the population attains the least objective
  few = 3, # the least number of members that agree, of local searches on W, and of split-merge moves
  local = 3, # a local search on W is counted as so many passes, with moves and perturbation as twice as many
  same = 1e-5, # two objectives are the same up to this relative difference
  far = 3, # coordinates beyond so many median distances are drawn in if the objective of the centroids is not W
  centroid_passes = 50, # centroid swaps of a member take at most so many passes if their objective is not W
  patience = 4, # centroid swaps of a member end if so many times k of them fail in a row,
  long = 2, # and those of the last one have so many times the patience if their objective is not W
  share = 0.1, # perturbation of several members has this share of the budget, and moves of one on which they agree
  rounds = 0.5, # perturbation ends if so many times k in a row fail; for each of several members half as many end it
  again = 0.45, # moves after a perturbation end if so many times k in a row fail
  idle = 0.02, # failures that have cost less than this share of the budget do not end it, but 300 do
  link = 0.15, # clusters of two partitions that share more than this of the smaller one are exchanged together
  reads = 50, # a search reads all values about so often
  whole = 20000, # a problem with more rows is first searched on a sample
  part = 5000 # the sample has at least so many rows
)

# Which objectives are the same as the least one?
attains <- function(W, least = min(W)) W <= least + search_defaults$same * abs(least)

solve_search <- function(problem, control) {
  k <- control$k
  if (k == 1L || k == count_inside(problem)) {
    return(solve_trivial(problem, control))
  }
  smaller <- reduce_problem(problem, control)
  if (is.null(smaller)) {
    return(search_levels(problem, control))
  }
  found <- smaller$solution %||% solve_search(smaller$problem, control)
  labels <- smaller$labels(found$cluster)
  if (smaller$keeps_W) replace(found, "cluster", list(labels)) else refine_on_all_rows(problem, control, labels, found)
}

# The search of a problem that no reduction applies to: of a sample first if there are many rows.
search_levels <- function(problem, control, whole = search_defaults$whole, part = search_defaults$part) {
  inside <- count_inside(problem)
  size <- max(part, 20 * control$k)
  large <- inside > whole || has_features(problem) # features of landmarks are wide, and their W is an approximation
  if (!large || 2 * size > inside || inherits(problem$store, "kgroups_sparse")) {
    return(search_level(problem, control))
  }
  rows <- draw_rows(inside_rows(problem), size)
  coarse <- search_level(subset_observations(problem, rows), coarse_control(control))
  start <- fill_clusters(extend_level(problem, control$k, rows, coarse$cluster), problem$w, control$k)
  found <- few_moves(problem, control, matrix(start))
  with_search(found, coarse$search, problem, levels = c(length(rows), inside))
}

# The control of a coarser level: its partition is only a start.
coarse_control <- function(control) new_control(control$k, effort = control$effort, nstart = control$nstart)

# Labels of all rows from those of some, of which pairs need only a sample.
extend_level <- function(problem, k, rows, labels) {
  some <- draw_rows(seq_along(rows), if (has_features(problem)) Inf else sample_size(problem$n, k))
  extend(problem, k, rows[some], labels[some])
}

# One level: population, crossover, local search on W, split-merge moves and perturbation.
search_level <- function(problem, control) {
  k <- control$k
  budget <- search_budget(problem, control)
  view <- centroid_view(problem, k) # coordinates for centroid swaps; NULL if there are none
  found <- if (!is.null(view)) centroid_population(view, problem, k, budget)
  exact <- view$exact
  view <- NULL # as large as the data, as the pairs can be
  problem <- cache_pairs(problem, search_defaults$reads)
  if (is.null(found)) {
    found <- start_population(problem, k, budget)
  } else if (!exact || budget$starts > budget$members) {
    found <- fill_population(problem, k, found, budget)
  } else if (problem$n > small_n) { # the objective of the centroids is W: one local search verifies the best
    labels <- fill_clusters(found$labels[, 1L], problem$w, k)
    out <- solve_starts(problem, control, matrix(labels), "member")
    return(with_search(out, found, problem))
  }
  improve_population(problem, control, found, budget)
}

# The budget of a level, a list:
#   evaluations  in all
#   pass         evaluations of a pass
#   members      of the population by centroids
#   starts       members judged by W
#   improved     members that get a local search on W, at most
search_budget <- function(problem, control) {
  pass <- pass_cost(problem)
  evaluations <- control$effort * max(search_defaults$evaluations, search_defaults$passes * pass)
  members <- control$nstart %||% search_defaults$members
  starts <- if (is.null(control$nstart)) {
    max(members, min(search_defaults$starts, evaluations %/% (1000 * pass)))
  } else {
    members
  }
  improved <- max(search_defaults$few, evaluations / (search_defaults$local * pass))
  list(
    evaluations = evaluations, pass = pass, members = members, starts = starts,
    improved = floor(min(starts + 1, improved))
  )
}

# Evaluations of one pass over the problem.
pass_cost <- function(problem) {
  store <- problem$store
  if (inherits(store, "kgroups_sparse")) length(store$value) + problem$n else problem$n^2 / 2
}

# ---- population ----

# A population is a list:
#   labels       a column for each distinct member, the best first
#   distinct     the numbers of these among all members
#   count        how many members have the objective of each column; 0 if it is derived from members
#   members      how many members there are
#   attained     how many have the least objective; NA before objectives are computed
#   evaluations  the cost so far; none without centroids
new_population <- function(labels, objectives) {
  order <- least_first(objectives)
  objectives <- objectives[order]
  many <- length(order)
  group <- cumsum(c(TRUE, diff(objectives) > search_defaults$same * abs(objectives[-many])))
  count <- tabulate(group)
  list(
    labels = labels[, order[!duplicated(group)], drop = FALSE], distinct = order[!duplicated(group)],
    count = count, members = many, attained = count[1L]
  )
}

# Do the members so far agree: all of the first few, or the quorum?
agreed <- function(W, members) {
  if (length(W) == 0L) {
    return(FALSE)
  }
  attained <- sum(attains(W))
  attained >= search_defaults$quorum * members || attained == length(W) && attained >= search_defaults$few
}

# Members by k-means++ and centroid swaps, judged by the objective of the centroids; a crossover and a long member join
# them if fewer than the quorum agree. NULL if single precision does not resolve the clusters.
centroid_population <- function(view, problem, k, budget) {
  members <- budget$members
  # passes over the centroids
  each <- budget$evaluations / (problem$n * k * members)
  if (!view$exact) each <- min(search_defaults$centroid_passes, each)
  patience <- search_defaults$patience * max(5, k)
  fits <- list()
  W <- numeric()
  while (length(W) < members && !agreed(W, members)) {
    fit <- swapped_means(view, k, plusplus_labels(view$some, k, 1L)[, 1L], each, patience)
    if (is.null(fit)) {
      return(NULL)
    }
    fits <- c(fits, list(fit))
    W <- c(W, sum(fit$cost))
  }
  labels_of <- function(fits) {
    vapply(fits, function(fit) replace(rep(1L, problem$n), view$rows, fit$cluster), integer(problem$n))
  }
  found <- new_population(labels_of(fits), W)
  if (k > 2L && members > 1 && !agreed(W, members)) {
    crossed <- cross_partitions(fits[found$distinct], k, function(labels) {
      swapped_means(view, k, labels, passes = 0, patience = 0)
    })
    longer <- if (view$exact) members else search_defaults$long
    long <- swapped_means(view, k, crossed$cluster, each * members, longer * patience)
    more <- c(if (!is.null(long)) list(long), list(crossed))
    found$labels <- cbind(labels_of(more), found$labels)
    # both are derived from the members and do not count when independent members are compared
    found$count <- c(rep(0, length(more)), found$count)
    fits <- c(more, fits)
  }
  found$evaluations <- evaluations_of(fits)
  found
}

# Members by greedy k-means++. If the budget allows moves of each, every second one has random labels instead; of a
# sparse matrix the first one is spectral.
start_population <- function(problem, k, budget) {
  many <- min(budget$improved, budget$starts)
  labels <- plusplus_labels(problem, k, many, greedy_candidates(k))
  if (budget$evaluations >= 2 * search_defaults$local * many * budget$pass) {
    random <- which(seq_len(many) %% 2L == 0L)
    labels[, random] <- random_labels(problem, k, length(random))
  }
  if (inherits(problem$store, "kgroups_sparse")) labels[, 1L] <- spectral_labels(problem, k, 1L)
  list(labels = labels, count = rep(1, many), members = many, attained = NA)
}

# Members that agree on their sums of squares may agree on a partition whose W is not the least. A few k-means++ starts,
# or all of a small problem, join them if the budget allows their local searches.
fill_population <- function(problem, k, found, budget) {
  many <- if (budget$starts > budget$members) budget$starts else search_defaults$few
  spare <- floor(min(many, budget$evaluations / (search_defaults$local * budget$pass)))
  if (spare < 1) {
    return(found)
  }
  found$labels <- cbind(found$labels, plusplus_labels(problem, k, spare, greedy_candidates(k)))
  found$count <- c(found$count, rep(1, spare))
  found$members <- found$members + spare
  found
}

# ---- local search on W ----

# A local search on W from the best distinct members, then split-merge moves: brief ones of the best if the
# members agree, otherwise thorough ones of all, with perturbation. Return the solution with the report of the level.
improve_population <- function(problem, control, found, budget) {
  k <- control$k
  take <- seq_len(min(budget$improved, ncol(found$labels)))
  labels <- found$labels[, take, drop = FALSE]
  for (j in take) labels[, j] <- fill_clusters(labels[, j], problem$w, k)
  count <- found$count[take]
  if (ncol(labels) == 1L) { # nothing to compare, and a local search would cost a pass
    out <- improve_briefly(problem, control, labels, search_defaults$share * budget$evaluations)
    if (is.na(found$attained)) found$attained <- count
    return(with_search(out, found, problem))
  }
  brief <- brief_effort(problem, k, search_defaults$share * budget$evaluations)
  # moves of the best go on from its sums, which saves a pass if the members agree
  at_once <- k <= 2 * small_n && !problem$weighted
  stream <- globalenv()[[".Random.seed"]]
  moves <- if (at_once) c(brief, list(uniforms = move_uniforms()))
  local <- descend(problem, k, labels, control, each = TRUE, moves = moves)
  W <- local$objectives
  attained <- sum(count[attains(W)])
  settled <- attained >= search_defaults$quorum * sum(count)
  at_once <- at_once && settled
  if (!is.null(moves) && !settled) set_stream(stream)
  distinct <- new_population(local$labels, W)$labels
  out <- if (at_once) {
    solution(local, "search")
  } else if (settled) {
    improve_briefly(problem, control, distinct[, 1L, drop = FALSE], search_defaults$share * budget$evaluations)
  } else {
    improve_thoroughly(problem, control, distinct, budget)
  }
  # sums kept by moves lose the light rows if weights differ by many orders: W of the labels decides
  if (is_lower(min(W), sum(out$cost))) out <- solve_starts(problem, control, distinct[, 1L, drop = FALSE], "search")
  reached <- sum(out$cost)
  attained <- sum(count[attains(W, reached)])
  out$objectives <- c(stats::setNames(W, rep("member", length(W))), search = reached)
  out$best_start <- length(out$objectives)
  found$attained <- attained
  if (!at_once) found$evaluations <- sum(found$evaluations, local$spent)
  with_search(out, found, problem)
}

# A few split-merge moves of positive estimated gain.
few_moves <- function(problem, control, start) {
  if (control$k > 2 * small_n) { # pairs of clusters are listed
    return(solve_starts(problem, control, start, "search"))
  }
  solve_split(problem, control, start, few_effort(control$k))
}

# Split-merge moves of one start, within so many `evaluations`.
improve_briefly <- function(problem, control, start, evaluations) {
  effort <- brief_effort(problem, control$k, evaluations)
  if (effort$improving == 1) few_moves(problem, control, start) else solve_split(problem, control, start, effort)
}

brief_effort <- function(problem, k, evaluations) {
  # a move relabels one cluster and half of another one: about 1.5 n / k rows of n evaluations
  moves <- min(k, floor(evaluations * k / (1.5 * problem$n^2)))
  if (moves < search_defaults$few || k > 2 * small_n) {
    return(few_effort(k))
  }
  move_effort(k, patience = moves, values = evaluations)
}

few_effort <- function(k) move_effort(k, patience = search_defaults$few, improving = TRUE)

# Split-merge moves and perturbation of each start, crossover of the results, and the same moves of the best.
improve_thoroughly <- function(problem, control, starts, budget) {
  k <- control$k
  if (k > 2 * small_n) { # pairs of clusters are listed
    return(solve_starts(problem, control, starts, "search"))
  }
  many <- min(ncol(starts), floor(budget$evaluations / (2 * search_defaults$local * budget$pass)))
  best <- starts[, 1L]
  fits <- list()
  if (many > 1) {
    fits <- lapply(seq_len(many), function(start) {
      move_and_perturb(
        problem, control, starts[, start, drop = FALSE], search_defaults$rounds / 2, budget,
        search_defaults$share / many
      )
    })
    crossed <- cross_partitions(fits, k, function(labels) {
      solve_starts(problem, control, matrix(fill_clusters(labels, problem$w, k)), "crossover")
    })
    fits <- c(fits, list(crossed))
    best <- crossed$cluster
  }
  out <- move_and_perturb(problem, control, as.matrix(best), search_defaults$rounds, budget)
  out$evaluations <- evaluations_of(c(fits, list(out)))
  out
}

# The evaluations of several searches.
evaluations_of <- function(fits) sum(vapply(fits, `[[`, 0, "evaluations"))

# Split-merge moves, then perturbation until `rounds` times k in a row fail; both take at most this share of the budget.
move_and_perturb <- function(problem, control, starts, rounds, budget, share = 1) {
  values <- share * budget$evaluations
  k <- control$k
  effort <- move_effort(k, fails = ceiling(rounds * k), idle = search_defaults$idle * values, values = values)
  solve_split(problem, control, starts, effort)
}

#' Search for the optimum
#'
#' With `init = NULL` [kgroups()] searches for the partition of least W by itself. A name or labels in `init` give
#' exactly that start, and no search.
#'
#' @section Algorithm:
#' Hartigan's method moves single observations by the exact change of W (França et al. 2020) until no move lowers it.
#' Lloyd's method assigns all to the nearest mean. The search is a memetic algorithm: it keeps several candidate
#' partitions, improves each by local search and combines them. It is the same for both methods and every input:
#' 1. *Reduction.* Equal rows are summed. Points on a line are solved exactly ([kgroups()]). Dissimilarities of low
#'    rank become coordinates (Gower 1966).
#' 2. *Candidates.* Several partitions start from k-means++, fewer if the first agree. Centroid swaps (Fränti 2018)
#'    lower their sums of squares; for semimetrics other than the squared distance, far rows are first moved towards the
#'    medians. In small problems more candidates are added, until several attain the least W.
#' 3. *Crossover* (Gribel and Vidal 2019). Regions in which two candidates differ are exchanged if that lowers the
#'    objective.
#' 4. *Local search* on W from the best distinct members, then *split-merge moves*: one cluster is split, another one
#'    removed.
#' 5. *Perturbation*, unless half of the candidates agree. Random clusters are split and others removed, moves follow,
#'    and a lower W is kept. This ends if many attempts in a row fail, or if the budget is spent.
#'
#' Above 20,000 rows, or 10,000 with landmarks, a sample of 5,000 is searched first (Dhillon et al. 2007), and its
#' clusters are the start for all rows. The benchmarks of the sources report its times and results.
#'
#' @section Starts:
#' A name in `init` gives `nstart` local searches and no search:
#' * `"kmeans++"` (also `"k-means++"`): centres drawn one after another with probability proportional to the weight
#'   times the semimetric to the nearest centre so far;
#' * `"random"`: every observation in a cluster drawn at random;
#' * `"sample"`: the best of three k-means++ fits on `max(500, 20 * k, n^(2/3))` observations, extended to all: the
#'   fastest for large data (not for sparse matrices, graphs or with `approx`);
#' * `"spectral"`: k-means of the leading k - 1 eigenvectors of the kernel matrix, approximate if eigenvalues are close.
#'
#' @section Judging the result:
#' No search proves that its W is the least. `fit$search` holds the number of candidate partitions (`members`), how many
#' `attained` the least W, the numbers of rows that were searched, smallest first (`levels`), and the number of
#' `evaluations` of the semimetric. If half of the candidates attained it, a lower W is unlikely. Otherwise repeat with
#' `effort = 4` and compare W; [`summary()`][fit-methods] gives this advice.
#'
#' @section Complexity:
#' The budget is two passes over all pairs of rows, or 1e8 evaluations of the semimetric if these are more. `effort`
#' multiplies it. Most searches end before it is spent.
#'
#' @references
#' Dhillon, Guan and Kulis (2007) \doi{10.1109/TPAMI.2007.1115}. França, Rizzo and Vogelstein (2021)
#' \doi{10.1109/TPAMI.2020.2998120}. Fränti (2018) \doi{10.1186/s40537-018-0122-y}. Gower (1966)
#' \doi{10.1093/biomet/53.3-4.325}. Gribel and Vidal (2019) \doi{10.1016/j.patcog.2018.12.022}.
#' @family clustering
#' @examples
#' # Swiss provinces: how many candidate partitions attain the least W
#' set.seed(1)
#' fit <- kgroups(swiss, 4, standardize = TRUE)
#' fit$search[c("members", "attained")]
#'
#' # a single local search from random labels ends at a larger W: the ratio is above 1
#' set.seed(1)
#' kgroups(swiss, 4, standardize = TRUE, init = "random")$W / fit$W
#' @name kgroups-search
NULL

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
