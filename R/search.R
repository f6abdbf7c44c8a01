# The search: where a fit begins when the user leaves it to us.

# `init = NULL`: the best search for the size and the kind of store.
solve_search <- function(problem, control) {
  if (control$k == 1L || control$k == count_inside(problem)) {
    return(solve_trivial(problem, control))
  }
  found <- search_distinct(problem, control)
  found %||% search_store(problem$store, problem, control)
}

# The search of the distinct rows, each with the weight of all that are equal to it; NULL where few rows are equal, or there are
# fewer distinct ones of weight above 0 than clusters. A move of weight t of one point from cluster a to cluster b changes W by
#   t (s_b / (s_b + t) d_b^2 - s_a / (s_a - t) d_a^2),
# and what is in brackets falls as t grows: what does not pay for all of some equal rows does not pay for a part of them. So the
# least W never cuts them apart, and a search one by one only sees less.
search_distinct <- function(problem, control) {
  group <- equal_rows(problem)
  if (is.null(group)) {
    return(NULL)
  }
  w <- sum_by(problem$w, group, max(group))
  if (sum(w > 0) < control$k) {
    return(NULL)
  }
  part <- subset_problem(problem, which(!duplicated(group)))
  part$w <- w
  part$weighted <- TRUE
  found <- solve_search(part, control)
  labels <- found$cluster[group]
  if (!inherits(problem$store, "kgroups_points")) {
    # equal but for rounding, or features, whose means are part of the solution
    return(go_on(problem, control, labels, found$objectives, found$best_start))
  }
  found$cluster <- labels
  found
}

# The search for a kind of store.
search_store <- function(store, problem, control) UseMethod("search_store")

#' @export
search_store.default <- function(store, problem, control) {
  k <- control$k
  many <- count_inside(problem)
  if (many < problem$n && (many <= small_n || 2 * many <= problem$n)) {
    return(search_inside(problem, control))
  }
  line <- if (is.null(control$nstart) && control$method == "hartigan") solve_line(problem, control)
  if (!is.null(line)) {
    return(line)
  }
  # few clusters of few observations cost no more by pair values, unless these are squared distances
  points <- embed(problem, squares = problem$n <= small_n && k <= 20L && problem$n * k <= 1e4)
  if (!is.null(points)) {
    return(search_points(problem, control, points))
  }
  found <- if (problem$n <= small_n) small_by_means(problem, control) else if (problem$n <= whole_n) search_by_means(problem, control)
  if (!is.null(found)) {
    return(found)
  }
  if (problem$n <= small_n) {
    return(search_small(problem, control))
  }
  # trials cost about 200 / k bare passes, and samples have to be a part of the points
  few <- many <= 4 * sample_size(problem$n, k)
  if (problem$n <= whole_n && (k > 40L || few)) search_whole(problem, control) else search_sampled(problem, control)
}

# The search for the size of the rows of weight above 0; a descent places the others. Where it spares little they stay.
search_inside <- function(problem, control) {
  inside <- inside_rows(problem)
  part <- subset_problem(problem, inside)
  found <- search_store(part$store, part, control)
  labels <- replace(rep(1L, problem$n), inside, found$cluster)
  go_on(problem, control, labels, found$objectives, found$best_start)
}

# Points on a line: a descent from the exact answer. NULL where they are not, or where its table takes too much memory.
solve_line <- function(problem, control) {
  line <- embed_line(problem)
  found <- if (!is.null(line)) tryCatch(solution_1d(line, control$k)[[1L]], kg_error_memory = function(e) NULL)
  if (!is.null(found)) go_on(problem, control, found$cluster, c(line = sum(found$cost)), 1L)
}

# The search is that of points with these pair values, but for rounding; a descent ends it.
search_points <- function(problem, control, points) {
  found <- solve_search(points, control)
  W <- found$objectives[found$best_start]
  out <- go_on(problem, control, found$cluster, found$objectives, found$best_start)
  others <- -out$best_start
  if (W > 0) out$objectives[others] <- out$objectives[others] * (out$objectives[[out$best_start]] / W)
  out
}

# Above this size starts on all points cost more than they bring.
whole_n <- 20000

# One cluster, or each point its own: nothing to search.
solve_trivial <- function(problem, control) {
  labels <- rep(1L, problem$n)
  inside <- inside_rows(problem)
  if (control$k > 1L) labels[inside] <- seq_along(inside)
  solve_starts(problem, control, matrix(labels), "only")
}

# Small sets. Where observations are few and the starts and the swaps have not all led to one W, a search is a lottery, and
# another one costs little: as many as there is time for are made, until a quarter of them have led to the least W. Six that
# give up after half as many swaps miss less in less time than four that do not.
search_small <- function(problem, control) {
  k <- control$k
  if (problem$n > few_n || k > 20L || !is.null(control$nstart)) {
    return(search_once(problem, control))
  }
  problem <- cache_pairs(problem)
  patience <- 5 * k + 10
  best <- search_swaps(problem, control, patience = patience)
  W <- min(best$objectives)
  clear <- near_least(best$objectives, 1e-7) == length(best$objectives)
  most <- min(12, max(6, round(6000 / problem$n)))
  while (!clear && length(W) < most && near_least(W, 1e-7) < most / 4) {
    found <- search_swaps(problem, control, patience = patience)
    W <- c(W, min(found$objectives))
    best <- better_solution(best, found)
  }
  best
}

# Up to this size a search by swaps may be made again: a tenth of a second in all.
few_n <- 1000

# Up to 20 clusters swaps, which see all of a few clusters, find more than rounds of trials do in the same time; for more,
# rounds end nearer to the best W (the grid in bench/search.md).
search_once <- function(problem, control) {
  if (control$k > 20L) search_rounds(problem, control) else search_swaps(cache_pairs(problem), control)
}

# The best of a few greedy k-means++ starts, each followed by trials inside a few clusters that
# split one and dissolve another, until as many as there are clusters have failed in a row. Then
# swaps on all points: dissolve a cluster, centre a new one on a point far
# from its mean, descend, keep what is better. Where `again` swaps have led back to the same W,
# within 1e-10 of it, the landscape is smooth, and there is little left to look for.
search_swaps <- function(problem, control, ...) {
  k <- control$k
  nstart <- control$nstart %||% 3
  found <- plusplus_starts(problem, k, nstart)
  best <- solve_split(problem, control, found$labels, found$kinds, k, 0, 0)
  swaps <- max(200, min(20 * k, 5e5 / problem$n))
  solve_swaps(problem, control, best, swaps, again = 20, near = 1e-10, ...)
}

# Trials from a start cost the more the more observations and clusters there are.
few_starts <- function(n, k) min(8, max(2, round(4000 / n * min(1, 100 / k))))

# Rounds of trials from each start, few; what they lead to is crossed, as clusters that are wrong in one are mostly right
# in another, and the best goes on.
search_rounds <- function(problem, control) {
  k <- control$k
  nstart <- control$nstart %||% few_starts(problem$n, k)
  found <- start_and_means(problem, control, nstart)
  problem <- cache_pairs(problem)
  if (is.null(found)) found <- plusplus_starts(problem, k, nstart)
  rounds <- min(220, 1.45e5 / problem$n)
  fits <- lapply(seq_len(ncol(found$labels)), function(start) {
    solve_split(
      problem, control, found$labels[, start, drop = FALSE], found$kinds[start], k, ceiling(0.7 / nstart * rounds), ceiling(0.45 * k)
    )
  })
  W <- vapply(fits, function(fit) min(fit$objectives), 0)
  best <- cross_partitions(problem, control, vapply(fits, `[[`, integer(problem$n), "cluster"), W)
  last <- solve_split(problem, control, matrix(best$labels), "crossover", 0, ceiling(0.14 * rounds), ceiling(0.45 * k))
  last$objectives <- c(stats::setNames(W, found$kinds), last$objectives)
  last$best_start <- length(last$objectives)
  last
}

# Starts by k-means++.
plusplus_starts <- function(problem, k, nstart) {
  list(labels = plusplus_labels(problem, k, nstart, greedy_candidates(k)), kinds = rep("kmeans++", nstart))
}

# One that swaps of means have led to, and these: NULL where means say little, or where the user has said how many starts
# there are.
start_and_means <- function(problem, control, nstart) {
  if (!is.null(control$nstart) || !like_means(problem, control$k)) {
    return(NULL)
  }
  means <- swapped_means(problem, control$k, 1, 500)
  if (is.null(means)) {
    return(NULL)
  }
  found <- plusplus_starts(problem, control$k, nstart - 1)
  list(labels = cbind(found$labels, means$labels), kinds = c(found$kinds, "means"))
}

# All points at once: trials see a few clusters only, so where clusters are many they cost little
# beside a pass.
search_whole <- function(problem, control) {
  k <- control$k
  nstart <- control$nstart %||% 1
  found <- plusplus_starts(problem, k, nstart)
  # pairs of clusters are listed: no more of them than pairs of points of a small set
  if (k > 2 * small_n) {
    return(solve_starts(problem, control, found$labels, found$kinds))
  }
  solve_rounds(problem, control, found$labels, found$kinds)
}

# Rounds of trials on all points. Where clusters are many, many short ones lower W more than few long ones. They end
# where they have cost 300 passes, for fewer clusters 40, and fewer where n is large. `share`: of the rounds.
solve_rounds <- function(problem, control, starts, kinds, share = 1) {
  k <- control$k
  many <- k > 40L
  values <- min((if (many) 150 else 20) * problem$n^2, 1e13 / problem$n)
  rounds <- if (many) ceiling(min(1.2 * k, 120) * min(1, 5000 / problem$n)^2) else 20
  solve_split(
    problem, control, starts, kinds, k, ceiling(share * rounds), ceiling((if (many) 0.15 else 0.3) * k), values
  )
}

# Where the spread of clusters tells W nearly, swaps of means are the search. With up to 40 clusters three short
# searches that agree leave nothing to look for but borders, in more than three dimensions: in fewer the spread
# tells less. If they do not agree, up to 20 clusters what a longer search finds is put beside samples. What ten
# clusters are, or more in many dimensions, samples tell for less. Where the spread only proposes, it does so for more than 20
# clusters. NULL where the search is another.
search_by_means <- function(problem, control) {
  k <- control$k
  if (is_means(problem, k)) {
    return(search_means(problem, control))
  }
  # trials list pairs of clusters, see search_whole()
  if (k <= 10L || k > 2 * small_n || !is.null(control$nstart) || !means_propose(problem, k)) {
    return(NULL)
  }
  like <- like_means(problem, k)
  if (k > 40L || !like && k > 20L) {
    return(means_and_rounds(problem, control))
  }
  d <- ncol(coordinates_of(problem)$x)
  if (d > 20L || !like) {
    return(NULL)
  }
  found <- short_means(problem, k, 0.15 * means_looks(problem, k))
  if (is.null(found)) {
    return(NULL)
  }
  if (d > 3L && found$agree) {
    return(solve_borders(problem, control, found$best, 30, "means"))
  }
  if (k > 20L) {
    return(means_and_rounds(problem, control, found$best))
  }
  found <- swapped_means(problem, k, 1, means_looks(problem, k), found$best)
  search_sampled(problem, control, found$labels)
}

# Short searches by swaps of means, the best of them, and whether they agree, of more than three all but one.
short_means <- function(problem, k, looks, many = 3L, ...) {
  found <- swapped_means(problem, k, many, looks, ...)
  if (!is.null(found)) {
    found$best <- found$labels[, least_first(found$W)[1L], drop = FALSE]
    found$agree <- near_least(found$W) >= max(3L, many - 1L)
  }
  found
}

# Squared distances of small sets: swaps of means find as much as trials on pair values, in a half to a fifth of the time.
# Clusters of few points are left to these.
small_by_means <- function(problem, control) {
  k <- control$k
  if (is.null(control$nstart) && 8 * k <= problem$n && is_means(problem, k)) search_means(problem, control)
}

# Squared distances: the spread tells W, and a descent on pair values with borders ends the search. Up to 10 clusters,
# where a search costs little, five short ones, of few points eight, are crossed unless all but one agree, for more clusters
# ten shorter ones, in about the time of ten starts of kmeans. Both find more than one search does in as much time.
search_means <- function(problem, control) {
  k <- control$k
  means <- as_means(problem, k)
  labels <- if (!is.null(control$nstart)) {
    swapped_means(problem, k, control$nstart, 4000, means = means)$labels
  } else if (k > 10L) {
    crossed_means(problem, k, (if (problem$n > small_n) 3600 else 3000) * min(1, 40 / k)^0.3, means = means)$labels
  } else {
    found <- short_means(problem, k, 500, if (problem$n > 500L) 5L else 8L, means = means, patience = max(20, 5 * k))
    if (identical(found$agree, FALSE)) cross_labels(problem, k, found$labels, means, 1200) else found$best
  }
  if (!is.null(labels)) solve_borders(problem, control, labels, 30, rep("means", ncol(labels)))
}

# Crossovers of searches by swaps of means, and rounds of trials for what the spread does not tell: more of the first
# and fewer of the second where pairs say which partition is better, only borders where a descent on pair values has
# lowered W by little, unless in few dimensions means only propose. NULL where single precision sees too little.
means_and_rounds <- function(problem, control, starts = NULL) {
  k <- control$k
  few <- few_dimensions(problem)
  like <- like_means(problem, k)
  more <- if (few && like) max(2, 8.5 / ncol(coordinates_of(problem)$x)) else 1.05
  found <- crossed_means(problem, k, more * means_looks(problem, k), starts)
  if (is.null(found)) {
    return(NULL)
  }
  best <- solve_split(problem, control, found$labels, "means", 0, 0, 0)
  path <- best$path[, 1L]
  if (few && !like || path[1L] - path[2L] > 5e-4 * path[2L]) {
    share <- if (few && like) 0.35 else if (k > 40L) 0.9 else 0.6
    best <- solve_rounds(problem, control, matrix(best$cluster), "means", share)
    if (k > 40L) {
      return(best)
    }
  }
  end_by_borders(problem, control, best)
}

# Looks at all points that swaps of means may cost, by what is left of the time that ten starts of kmeans take.
means_looks <- function(problem, k) 2000 * min(1, 50 / k)^0.15 * min(1, 5000 / problem$n)^1.3

# Large n: searches on samples, extended to all points by the nearest mean and polished on all of
# them. What the samples found is compared on common ground, the points of all samples together:
# there equal optima come out nearly equal, and the difference of two others has an
# error that its points tell. Where one optimum is left, found by half the samples, the landscape is
# smooth, and one descent on all points ends the search, with borders that are moved. Where there are several,
# points alone do not tell which is the best of all: they descend on all points, and mostly meet there. If they
# do not, with few clusters more samples follow, each polished, 16 in all unless all but one have led to the least W,
# give or take 1e-5 of it. `means`: labels that swaps of means have led to, one more to
# descend from. With 11 to 20 clusters, which differ in more than one region, more samples are crossed with what there
# is, where descents on all points cost little. Swaps on all points follow, for more than 20 clusters trials, and in
# the end borders.
# Samples may all miss a cluster of few points, and agree: trials on all points that promise a lower W come first.
# Below 5000 points a pass costs little beside what it tells, and all samples come at once.
search_sampled <- function(problem, control, means = NULL) {
  k <- control$k
  size <- sample_size(problem$n, k)
  if (!is.null(control$nstart)) {
    return(polish_samples(problem, control, control$nstart))
  }
  if (problem$n > whole_n) {
    return(search_part(problem, control))
  }
  ground <- common_ground(problem, k, size, if (k < 10L || problem$n < 5000) 8L else c(3L, 5L))
  starts <- cbind(extend_ground(problem, control, ground, ground$contenders), means, deparse.level = 0)
  kinds <- c(ground$kinds[ground$contenders], if (!is.null(means)) "means")
  best <- solve_borders(problem, control, starts, 30, kinds, promises = TRUE)
  if (near_least(best$objectives) == ncol(starts)) {
    return(best)
  }
  if (k <= 10L) best <- more_samples(problem, control, best)
  by_means <- is.null(means) && k > 10L && like_means(problem, k)
  found <- if (by_means) means_and_rounds(problem, control, matrix(best$cluster))
  if (!is.null(found)) {
    return(better_solution(best, found))
  }
  if (k > 10L && k <= 20L && problem$n <= 10000) {
    best <- better_solution(best, cross_samples(problem, control, matrix(best$cluster)))
  }
  best <- if (k <= 20L) swap_on_all(problem, control, best) else try_on_all(problem, control, best)
  end_by_borders(problem, control, best)
}

# Where clusters are few swaps on all points find what samples and rounds of trials miss, in less time than these: as
# many as cost no more than 60 of 8000 points, and 10 where five samples agree, and half of all.
swap_on_all <- function(problem, control, best) {
  agree <- near_least(best$objectives) > max(4, length(best$objectives) / 2)
  swaps <- round(min(if (agree) 10 else 60, 4e9 / problem$n^2))
  solve_swaps(problem, control, best, swaps, if (agree) 5 else 30, near = 1e-6)
}

# Rounds of trials, until they have cost about as many operations as 45 n^2 additions.
try_on_all <- function(problem, control, best) {
  k <- control$k
  values <- 45 / store_work(problem$store) * problem$n^2
  trials <- solve_split(problem, control, matrix(best$cluster), "trials", k, 20, ceiling(0.3 * k), values)
  better_solution(best, trials)
}

# More samples, each polished, until several have led to the least W.
more_samples <- function(problem, control, best) {
  repeat {
    best <- better_solution(best, polish_samples(problem, control, min(8, 16 - length(best$objectives))))
    many <- length(best$objectives)
    if (many >= 16 || near_least(best$objectives) >= many - 1L) {
      return(best)
    }
  }
}

# Borders are moved from a solution: what they lead to counts as its own.
end_by_borders <- function(problem, control, best) {
  moved <- solve_borders(problem, control, best$cluster, 40)
  moved$objectives <- replace(best$objectives, best$best_start, moved$objectives)
  moved$best_start <- best$best_start
  moved
}

# How many have led to the least W, give or take a part of it?
near_least <- function(W, near = 1e-5) sum(W <= min(W) + near * abs(min(W)))

# Above this size a search on a quarter as many points says where to begin, unless clusters are so many
# that it takes nearly all. Trials that promise a lower W see what few points far away it has missed.
search_part <- function(problem, control) {
  inside <- inside_rows(problem)
  size <- max(whole_n / 4, 20 * control$k)
  if (2 * size > length(inside)) {
    return(search_whole(problem, control))
  }
  rows <- sample_rows(inside, size)
  part <- subset_problem(problem, rows)
  found <- search_store(part$store, part, new_control(control$k))
  some <- sample_rows(seq_along(rows), min(length(rows), sample_size(problem$n, control$k)))
  start <- extend(problem, control$k, rows[some], found$cluster[some])
  # trials list pairs of clusters, see search_whole()
  finish <- if (control$k > 2 * small_n) solve_starts else solve_promises
  finish(problem, control, matrix(start), "sample")
}

# A number of samples, each extended; and polished.
extend_samples <- function(problem, control, many) {
  inside <- inside_rows(problem)
  vapply(seq_len(many), function(sample) {
    rows <- sample_rows(inside, min(length(inside), sample_size(problem$n, control$k)))
    part <- sample_partition(problem, control$k, rows, 1, control$k)
    extend(problem, control$k, part$rows, part$cluster)
  }, integer(problem$n))
}

polish_samples <- function(problem, control, many) {
  solve_starts(problem, control, extend_samples(problem, control, many), rep("sample", many))
}

# What crossovers make of these labels and of more samples.
cross_samples <- function(problem, control, labels) {
  starts <- cbind(labels, extend_samples(problem, control, 10))
  found <- descend(problem, control$k, starts, control, each = TRUE)
  best <- cross_partitions(problem, control, found$labels, found$objectives)
  solve_borders(problem, control, matrix(best$labels), 30, "crossover")
}

# Some columns of labels on common ground, each extended from a part of it; or by means, where they tell W, and
# points moved there cost less than a row of pair values each.
extend_ground <- function(problem, control, ground, columns) {
  if (like_means(problem, control$k) && !few_dimensions(problem)) {
    found <- extended_means(problem, control$k, ground$rows, ground$labels[, columns, drop = FALSE])
    if (!is.null(found)) {
      return(found)
    }
  }
  vapply(columns, function(column) {
    some <- sample_rows(seq_along(ground$rows), sample_size(problem$n, control$k))
    extend(problem, control$k, ground$rows[some], ground$labels[some, column])
  }, integer(problem$n))
}

# Partitions of samples out of some points, each gone on from on all of these, as many as `samples` says at a
# time until one contender is left. In few dimensions samples of clusters that overlap miss what swaps of means
# see: two partitions by these stand beside them, for up to ten clusters. A list: rows, labels (a column each),
# contenders (columns), kinds.
common_ground <- function(problem, k, size, samples) {
  inside <- inside_rows(problem)
  rows <- sample_rows(inside, 4 * size)
  ground <- subset_problem(problem, rows)
  found <- NULL
  for (many in samples) {
    starts <- vapply(seq_len(many), function(sample) {
      part <- sample_partition(ground, k, sample_rows(seq_along(rows), size), 2)
      extend(ground, k, part$rows, part$cluster)
    }, integer(length(rows)))
    means <- if (is.null(found) && k <= 10L && like_means(ground, k) && ncol(coordinates_of(ground)$x) <= 5L) {
      swapped_means(ground, k, 2, 100)$labels
    }
    starts <- cbind(starts, means, deparse.level = 0)
    new <- descend(ground, k, starts, new_control(k), each = TRUE)
    found <- list(
      objectives = c(found$objectives, new$objectives), labels = cbind(found$labels, new$labels),
      distances = cbind(found$distances, new$distances),
      kinds = c(found$kinds, rep(c("sample", "means"), c(many, ncol(starts) - many)))
    )
    left <- contenders(found, ground$w, k)
    if (length(left) == 1L) break
  }
  list(rows = rows, labels = found$labels, contenders = left, kinds = found$kinds)
}

# Of partitions of the same points those that may be the best of all, the least W first, one of each
# basin. What is above the best by two standard errors or more, as the points tell them, is no contender,
# but where the best was found by less than half of them the next ones make up for the rest.
contenders <- function(found, w, k) {
  order <- least_first(found$objectives)
  best <- order[1L]
  loss <- w * (found$distances - found$distances[, best])
  many <- length(w)
  error <- sqrt(pmax(colSums(loss * loss) - colSums(loss)^2 / many, 0) * many / (many - 1))
  basin <- basins(found$distances[, order, drop = FALSE], w, found$objectives[order], k)
  first <- which(!duplicated(basin))
  before <- cumsum(tabulate(basin)[first]) - tabulate(basin)[first]
  order <- order[first]
  order[colSums(loss)[order] <= 2 * error[order] | 2 * before < length(basin)]
}

# Which partitions are the same but for some points between clusters: each gets the number of the first
# it equals. Labels do not tell, as many points may lie between clusters that overlap; squared distances to
# the own mean do: what differs of them is little beside what they differ by among points, of all and of the nine tenths
# nearest to their means, as a few points far away, which any partition has far away, would outweigh all others. Where W
# differs by .02 / k of it, one of many clusters is another, whatever the distances say. W ascends.
basins <- function(distances, w, W, k) {
  out <- seq_len(ncol(distances))
  core <- vector("list", length(out))
  for (column in out[-1L]) {
    other <- distances[, column]
    for (first in unique(out[seq_len(column - 1L)])) {
      d2 <- distances[, first]
      if (W[column] - W[first] <= 0.02 / k * W[first] && changed_share(d2, other, w) <= 0.15^2) {
        if (is.null(core[[first]])) core[[first]] <- nearest_part(d2, w, 0.9)
        near <- core[[first]]
        if (changed_share(d2[near], other[near], w[near]) <= 0.25^2) {
          out[column] <- first
          break
        }
      }
    }
  }
  out
}

# Those nearest to their means that make up a part of the weight.
nearest_part <- function(d2, w, part) {
  nearest <- order(d2)
  nearest[cumsum(w[nearest]) <= part * sum(w)]
}

# Squares of what changes, beside those of what values differ by among themselves.
changed_share <- function(values, changed, w) {
  spread <- sum(w * (values - sum(w * values) / sum(w))^2)
  change <- sum(w * (changed - values)^2)
  if (change > 0) change / spread else 0
}

# With m points the extension to all costs n m pair values, and the moves that are left n times
# about n / sqrt(m): so m grows as n^(2/3).
sample_size <- function(n, k) max(500, 20 * k, ceiling(n^(2 / 3)))

# A search on some of the points (ascending row numbers): these, and their labels.
sample_partition <- function(problem, k, rows, nstart, patience = 0) {
  some <- cache_pairs(subset_problem(problem, rows), passes = 2 * nstart)
  starts <- plusplus_labels(some, k, nstart, greedy_candidates(k))
  control <- new_control(k)
  found <- if (patience > 0) solve_split(some, control, starts, rep("kmeans++", nstart), patience, 0, 0)
  if (is.null(found)) found <- descend(some, k, starts, control, each = TRUE) # labels are all that is asked for
  list(rows = rows, cluster = found$cluster)
}

# The better of two solutions, with the objectives of both; ties, give or take rounding, to the first.
better_solution <- function(first, second) {
  if (is.null(first)) {
    return(second)
  }
  objectives <- c(first$objectives, second$objectives)
  least <- min(first$objectives)
  if (min(second$objectives) < least - 1e-12 * abs(least)) {
    second$best_start <- length(first$objectives) + second$best_start
    first <- second
  }
  first$objectives <- objectives
  first
}

# Sparse matrices: a sample of the rows says nothing of the entries between the others, so all
# starts are of the whole: one spectral, k-means++ and random ones in turn, and rounds of trials from
# the best; fewer starts where n is large.
#' @export
search_store.kgroups_sparse <- function(store, problem, control) {
  size <- if (!is.null(control$nstart)) control$nstart else if (problem$n <= 50000) 11 else 3
  kinds <- rep_len(c("spectral", rep(c("kmeans++", "random"), 10)), size)
  starts <- vapply(kinds, function(kind) {
    known_starts[[kind]](problem, control$k, 1, control$candidates)[, 1L]
  }, integer(problem$n))
  if (problem$n > whole_n) {
    return(solve_starts(problem, control, starts, kinds))
  }
  # rounds reach in a third of the time what swaps do, and swaps after them find yet more
  k <- control$k
  best <- solve_starts(problem, control, starts, kinds)
  trials <- solve_split(problem, control, matrix(best$cluster), "trials", k, 40, ceiling(0.15 * k))
  best <- better_solution(best, trials)
  if (problem$n > small_n) {
    return(best)
  }
  solve_swaps(problem, control, best, max(200, min(20 * control$k, 5e5 / problem$n)), 30, 1e-10)
}

# Features: small data as points, at once; else samples compete on a middle number of
# observations, and the best goes on to all.
#' @export
search_store.kgroups_features <- function(store, problem, control) {
  k <- control$k
  inside <- inside_rows(problem)
  if (length(inside) <= small_n || length(inside) <= 40 * k) {
    return(search_inside(problem, control))
  }
  best <- middle_means(problem, control, inside, control$nstart %||% 4)
  collect_young()
  go_on(problem, control, assign_features(problem, best$means), best$objectives, best$best_start)
}

# Searches on samples, each gone on from on a middle number of observations: means and objectives.
middle_means <- function(problem, control, inside, samples) {
  k <- control$k
  many <- max(20000, 50 * k)
  middle <- if (length(inside) <= many) inside else sample_rows(inside, many)
  part <- features_subset(problem, middle)
  fits <- lapply(seq_len(samples), function(sample) {
    rows <- sample_rows(inside, max(1000, 20 * k))
    some <- subset_problem(problem, rows)
    plain <- control
    plain["nstart"] <- list(NULL)
    found <- search_once(some, plain)
    near <- assign_features(part, feature_means(problem, rows, found$cluster, k))
    out <- solve_starts(part, control, matrix(fill_clusters(near, part$w, k)), "sample")
    collect_young()
    out
  })
  objectives <- vapply(fits, function(fit) sum(fit$cost), 0) * sum(problem$w) / sum(part$w)
  best <- which.min(objectives)
  list(means = fits[[best]]$means, objectives = stats::setNames(objectives, rep("sample", samples)), best_start = best)
}

# A descent on all observations from the labels that start number `place` has led to.
go_on <- function(problem, control, labels, objectives, place) {
  out <- solve_starts(problem, control, matrix(fill_clusters(labels, problem$w, control$k)), "only")
  objectives[place] <- out$objectives[[1L]]
  out$objectives <- objectives
  out$best_start <- as.integer(place)
  out
}

# Starting points. All randomness of a fit is drawn here, through R's generator; the compiled
# routines are deterministic.

# ---- starts by name ----

# One row a start: a function of the problem, k, how many and how many candidates, which gives an
# n x nstart matrix of labels. A store says which of them it can answer (store_starts()).
known_starts <- list(
  "kmeans++" = function(...) plusplus_labels(...),
  random = function(...) random_labels(...),
  sample = function(...) sample_labels(...),
  spectral = function(...) spectral_labels(...)
)

# n x nstart matrix of labels for a control.
start_labels <- function(problem, control, nstart) {
  init <- control$init
  if (is.numeric(init)) {
    more <- if (nstart > 1) random_labels(problem, control$k, nstart - 1)
    return(cbind(init, more, deparse.level = 0))
  }
  known_starts[[init]](problem, control$k, nstart, control$candidates)
}

# What the starts are called in `objectives`.
start_kinds <- function(init, nstart) {
  if (is.numeric(init)) c("labels", rep("random", nstart - 1)) else rep(init, nstart)
}

# The best of three k-means++ fits on some points, extended to all.
sample_labels <- function(problem, k, nstart, ...) {
  inside <- inside_rows(problem)
  size <- min(length(inside), sample_size(problem$n, k))
  vapply(seq_len(nstart), function(start) {
    part <- sample_partition(problem, k, sample_rows(inside, size), 3, k)
    extend(problem, k, part$rows, part$cluster)
  }, integer(problem$n))
}

# `init` named: exactly `nstart` starts, one descent each.
solve_named <- function(problem, control) {
  nstart <- control$nstart %||% 1
  problem <- cache_pairs(problem, passes = nstart + if (identical(control$init, "spectral")) 50 else 1)
  starts <- start_labels(problem, control, nstart)
  solve_starts(problem, control, starts, start_kinds(control$init, nstart), leap = TRUE)
}
