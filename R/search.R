# The search: where a fit begins when the user leaves it to us.

# `init = NULL`: the best search for the size and the kind of store.
solve_search <- function(problem, control) {
  if (control$k == 1L || control$k == sum(problem$w > 0)) {
    return(solve_trivial(problem, control))
  }
  search_store(problem$store, problem, control)
}

# The search for a kind of store.
search_store <- function(store, problem, control) UseMethod("search_store")

#' @export
search_store.default <- function(store, problem, control) {
  k <- control$k
  inside <- sum(problem$w > 0)
  if (problem$n <= small_n || inside <= 2 * sample_size(k)) {
    return(search_small(problem, control))
  }
  # trials cost about 200 / k bare passes
  if (k > 40L && problem$n <= whole_n) search_whole(problem, control) else search_sampled(problem, control)
}

# Above this size starts on all points cost more than they bring.
whole_n <- 20000

# One cluster, or each point its own: nothing to search.
solve_trivial <- function(problem, control) {
  labels <- rep(1L, problem$n)
  inside <- which(problem$w > 0)
  if (control$k > 1L) labels[inside] <- seq_along(inside)
  solve_starts(problem, control, matrix(labels), "only")
}

# The best of a few greedy k-means++ starts, each followed by trials inside a few clusters that
# split one and dissolve another, until as many as there are clusters have failed in a row. Then
# swaps on all points: dissolve a cluster, centre a new one on a point far from its mean, descend,
# keep what is better. Where points are few or without clusters a swap, which sees all of them,
# finds more than rounds of trials do in the same time. With max(50, 5 k) swaps the best known W
# was missed two to five times as often. Where `again` swaps have led back to the same W, within
# `near` of it, the landscape is smooth, and there is little left to look for.
search_small <- function(problem, control, swaps = NULL, again = 30, near = 1e-10) {
  k <- control$k
  if (is.null(swaps)) swaps <- max(200, min(20 * k, 5e5 / problem$n))
  nstart <- if (is.null(control$nstart)) 3 else control$nstart
  problem <- cache_pairs(problem, passes = nstart + min(swaps, 2 * again) / 2)
  starts <- plusplus_labels(problem, k, nstart, greedy_candidates(k))
  best <- solve_split(problem, control, starts, rep("kmeans++", nstart), k, 0, 0)
  if (swaps == 0) best else solve_swaps(problem, control, best, swaps, again, near)
}

# All points at once: trials see a few clusters only, so where clusters are many they cost little
# beside a pass. They end where they have cost 40 passes, counted in pair values.
search_whole <- function(problem, control, starts = NULL) {
  k <- control$k
  if (is.null(starts)) {
    nstart <- if (is.null(control$nstart)) 1 else control$nstart
    starts <- plusplus_labels(problem, k, nstart, greedy_candidates(k))
  }
  values <- 20 * problem$n^2
  solve_split(problem, control, starts, rep("kmeans++", ncol(starts)), k, 20, ceiling(0.3 * k), values)
}

# Large n: searches on samples of about a thousand points; results are extended to all points by
# the nearest mean and polished on all of them. Of results that are the same partition but for
# noise one goes on; those that do share a first pass. If all were the same the landscape is
# smooth, and that is all. Else with many clusters trials on all points follow, with few more
# samples, until three have led to the least W or `most` are spent.
search_sampled <- function(problem, control) {
  k <- control$k
  nstart <- control$nstart
  inside <- which(problem$w > 0)
  size <- sample_size(k)
  # where clusters are few samples cost little, and four may all miss a small cluster
  batch <- if (!is.null(nstart)) nstart else if (k < 8L && problem$n <= whole_n) 8 else 4
  most <- if (!is.null(nstart)) nstart else if (problem$n <= whole_n) 24 else 4
  best <- NULL
  samples <- 0
  repeat {
    parts <- lapply(seq_len(batch), function(sample) {
      sample_partition(problem, k, sample_rows(inside, size))
    })
    samples <- samples + batch
    basin <- if (is.null(nstart)) probe_basins(problem, k, parts, inside) else seq_len(batch)
    starts <- vapply(parts[!duplicated(basin)], function(part) {
      extend(problem, k, part$rows, part$cluster)
    }, integer(problem$n))
    found <- solve_starts(problem, control, starts, rep("sample", ncol(starts)))
    best <- better_solution(best, found)
    W <- best$objectives
    if (samples >= most || length(W) == 1L || sum(W <= min(W) + 1e-6 * abs(min(W))) > 2L) {
      return(best)
    }
    if (k > 10L) {
      trials <- search_whole(problem, control, matrix(best$cluster))
      names(trials$objectives) <- "trials"
      return(better_solution(best, trials))
    }
  }
}

# Basins of the partitions of samples, told by what they say of some points.
probe_basins <- function(problem, k, parts, inside) {
  probe <- sample_rows(inside, min(length(inside), max(500, 20 * k)))
  labels <- vapply(parts, function(part) {
    rows <- sort(union(part$rows, probe))
    some <- subset_problem(problem, rows)
    extend(some, k, match(part$rows, rows), part$cluster)[match(probe, rows)]
  }, integer(length(probe)))
  basins(labels, k)
}

# Which columns of labels are the same partition but for noise: each gets the number of the
# first it equals. Two are, if every cluster of one shares more than four fifths of its points
# with a cluster of the other and the other way round. Half of them is not enough: where clusters
# have no gaps between them, optima that overlap by two thirds differ by 5e-3 of W.
basins <- function(starts, k) {
  same <- function(a, b) {
    shared <- matrix(tabulate(a + k * (b - 1), k^2), k)
    larger <- outer(rowSums(shared), colSums(shared), pmax)
    all(rowSums(shared > 0.8 * larger) == 1)
  }
  out <- seq_len(ncol(starts))
  for (column in out[-1L]) {
    for (first in unique(out[seq_len(column - 1L)])) {
      if (same(starts[, first], starts[, column])) {
        out[column] <- first
        break
      }
    }
  }
  out
}

sample_size <- function(k) max(1000, 20 * k)

# A search on some of the points: their row numbers and labels.
sample_partition <- function(problem, k, rows, nstart = 1) {
  rows <- sort(rows)
  control <- new_control(k, nstart = nstart)
  found <- search_small(subset_problem(problem, rows), control, swaps = 0)
  list(rows = rows, cluster = found$cluster)
}

# The better of two solutions, with the objectives of both; ties to the first.
better_solution <- function(first, second) {
  if (is.null(first)) {
    return(second)
  }
  objectives <- c(first$objectives, second$objectives)
  if (min(second$objectives) < min(first$objectives)) {
    second$best_start <- length(first$objectives) + second$best_start
    first <- second
  }
  first$objectives <- objectives
  first
}

# Sparse matrices: a sample of the rows says nothing of the entries between the others, so all
# starts are of the whole: one spectral, k-means++ and random ones in turn; fewer where n is large.
#' @export
search_store.kgroups_sparse <- function(store, problem, control) {
  size <- if (!is.null(control$nstart)) control$nstart else if (problem$n <= 50000) 11 else 3
  kinds <- rep_len(c("spectral", rep(c("kmeans++", "random"), 10)), size)
  starts <- vapply(kinds, function(kind) {
    known_starts[[kind]](problem, control$k, 1, control$candidates)[, 1L]
  }, integer(problem$n))
  best <- solve_starts(problem, control, starts, kinds)
  # swaps pay where a descent is cheap
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
  inside <- which(problem$w > 0)
  if (length(inside) <= small_n || length(inside) <= 40 * k) {
    part <- subset_problem(problem, inside)
    found <- search_store(part$store, part, control)
    labels <- replace(rep(1L, problem$n), inside, found$cluster)
    return(go_on(problem, control, labels, found$objectives, found$best_start))
  }
  samples <- if (is.null(control$nstart)) 4 else control$nstart
  many <- max(20000, 50 * k)
  middle <- if (length(inside) <= many) inside else sample_rows(inside, many)
  part <- features_subset(problem, middle)
  fits <- lapply(seq_len(samples), function(sample) {
    rows <- sample_rows(inside, sample_size(k))
    some <- subset_problem(problem, rows)
    plain <- control
    plain["nstart"] <- list(NULL)
    found <- search_small(some, plain)
    near <- assign_features(part, feature_means(problem, rows, found$cluster, k))
    solve_starts(part, control, matrix(fill_clusters(near, part$w, k)), "sample")
  })
  objectives <- vapply(fits, function(fit) sum(fit$cost), 0) * sum(problem$w) / sum(part$w)
  best <- which.min(objectives)
  near <- assign_features(problem, fits[[best]]$means)
  go_on(problem, control, near, stats::setNames(objectives, rep("sample", samples)), best)
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

# The best of three k-means++ fits on some points, extended to all. With m of them the
# extension costs n m pair values, and the moves that are left n times about n/sqrt(m): so m
# grows as n^(2/3).
sample_labels <- function(problem, k, nstart, ...) {
  inside <- which(problem$w > 0)
  size <- min(length(inside), max(500, 20 * k, ceiling(problem$n^(2 / 3))))
  vapply(seq_len(nstart), function(start) {
    part <- sample_partition(problem, k, sample_rows(inside, size), nstart = 3)
    extend(problem, k, part$rows, part$cluster)
  }, integer(problem$n))
}

# `init` named: exactly `nstart` starts, one descent each.
solve_named <- function(problem, control) {
  nstart <- if (is.null(control$nstart)) 1 else control$nstart
  problem <- cache_pairs(problem, passes = nstart + if (identical(control$init, "spectral")) 50 else 1)
  starts <- start_labels(problem, control, nstart)
  solve_starts(problem, control, starts, start_kinds(control$init, nstart), leap = TRUE)
}
