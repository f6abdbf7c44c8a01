# The solver of pairs apart, limits on sizes and many units: moves of one unit, exchanges of two, and exchanges along
# chains, none of which breaks a pair or a limit.

links_defaults <- list(
  # local searches from k-means++ and from random labels (brute force in tests/testthat/test-links.R),
  starts = c(30, 100),
  # at most these numbers divided by units, with limits also by clusters, none above `small_n` units
  work = c(1e4, 5e3),
  few = 3L, # but some
  colourings = 30L, # colourings from random costs
  chain = 500L, # longest chain that is exchanged
  # units of a cluster that are exchanged with others if sizes are limited: those that would move at least cost
  exchange = 40L
)

# A solution as in R/solve.R of the rows under `apart`, `together` and `sizes`, as far as the control has them.
solve_links <- function(problem, control, call) {
  check_solve_memory(problem, control, 1, call)
  k <- control$k
  units <- new_units(problem, control$together)
  many <- sum(units$w > 0)
  if (many < k) {
    abort_input(
      "together", call, "`together` must leave at least `k` groups or single rows of positive weight.",
      "It leaves {many} for {k} clusters.",
      "Lower `k`, or put fewer rows together."
    )
  }
  if (is.numeric(control$init)) control$init <- majority_labels(control$init, problem, units, k)
  pairs <- if (is.null(control$apart)) no_pairs else distinct_pairs(matrix(units$group[control$apart], ncol = 2L))
  rows <- function(u) rows_text(match(u, units$group), problem)
  graph <- with_colours(conflict_graph(pairs, length(units$w)), k, rows, call)
  if (!is.null(control$sizes)) graph$limits <- size_limits(control$sizes, problem$n, k, call)
  constrained <- nrow(pairs) > 0L || !is.null(graph$limits)
  free <- if (is.null(control$init) || !constrained) free_units(units, control, constrained)
  out <- if (!is.null(free) && keeps_all(graph, free$cluster, units$count)) {
    free
  } else {
    search_links(units, control, graph, free)
  }
  if (is.null(out)) abort_no_start(graph, k, call)
  binding <- if (!identical(out, free)) which(sum_by(units$count, out$cluster, k) %in% graph$limits) else integer()
  out$cluster <- out$cluster[units$group]
  if (problem$n <= small_n || !is.null(units$within)) {
    sums <- c("cost", "V", "s", "total")
    out[sums] <- solution_of_labels(problem, k, out$cluster)[sums]
  }
  W_free <- if (!is.null(free)) true_units(problem, sum(free$cost))
  if (!is.null(control$together) || !is.null(control$apart)) {
    out$extra$constraints <- list(
      together = control$together, apart = control$apart, W_free = if (!is.null(control$apart)) W_free
    )
  }
  if (!is.null(graph$limits)) out$extra$limits <- list(sizes = graph$limits, binding = binding, W_free = W_free)
  out
}

no_pairs <- matrix(0L, 0L, 2L)

# The best partition of the units without pairs apart and limits. If the problem of the units is not exact its solution
# is the start of a local search.
free_units <- function(units, control, constrained) {
  k <- control$k
  found <- solve_problem(
    units$problem, without(if (constrained) replace(control, "nstart", list(NULL)) else control)
  )
  if (!is.null(units$within)) {
    found$cost <- found$cost + sum_by(units$within, found$cluster, k)
    found$objectives <- found$objectives + sum(units$within)
  }
  if (units$exact) {
    return(found)
  }
  graph <- conflict_graph(no_pairs, length(units$w))
  best <- links_solution(descend_links(new_partition(units, graph, found$cluster, k), graph, control$iter.max))
  best$moves <- best$moves + found$moves
  replace(found, names(best), best)
}

# Does a partition keep all pairs apart, and the limits?
keeps_all <- function(graph, labels, count) {
  !any(is_broken(graph, labels)) &&
    (is.null(graph$limits) || all(within_limits(sum_by(count, labels, max(labels)), graph$limits)))
}

# The best local search from the labels without constraints and from others, or from the start of the user; NULL if no
# start keeps all constraints.
search_links <- function(units, control, graph, free) {
  k <- control$k
  starts <- links_starts(units, control, free, graph$limits)
  labels <- starts$labels
  many <- ncol(labels)
  same <- match(asplit(in_order(labels, k), 2), asplit(in_order(labels, k), 2))
  W <- rep(Inf, many)
  best <- NULL
  for (start in which(same == seq_len(many))) {
    check_interrupt()
    found <- repaired_partition(units, graph, labels[, start], k)
    if (is.null(found)) next
    found <- descend_links(found, graph, control$iter.max)
    W[start] <- partition_W(found)
    if (is.null(best) || is_lower(W[start], partition_W(best))) {
      best <- found
      at <- start
    }
  }
  if (is.null(best)) {
    return(NULL)
  }
  place_weightless(best, graph)
  out <- links_solution(best)
  if (!keeps_all(graph, out$cluster, units$count)) {
    return(NULL)
  }
  reached <- is.finite(W[same])
  out$objectives <- stats::setNames((W[same] - W[at] + sum(out$cost))[reached], starts$kinds[reached])
  out$best_start <- match(at, which(reached))
  out
}

# Labels of the units, a column for each start, and the kinds of the starts.
links_starts <- function(units, control, free, limits) {
  k <- control$k
  if (is.null(free)) {
    many <- control$nstart %||% 1
    return(list(labels = start_labels(units$problem, control, many), kinds = start_kinds(control$init, many)))
  }
  m <- length(units$w)
  work <- links_defaults$work / if (is.null(limits)) m else m * k
  many <- pmin(links_defaults$starts, pmax(links_defaults$few, work))
  many <- if (m > small_n) c(0, 0) else ceiling(control$effort * many)
  if (!is.null(control$nstart)) many <- c(control$nstart - 1, 0)
  first <- if (is.null(limits) || !is.null(control$together)) {
    free$cluster
  } else {
    solve_sizes(units$problem, control, limits, free$cluster)$cluster
  }
  labels <- cbind(
    first, if (many[1L] > 0) free_optima(units$problem, k, many[1L]),
    if (many[2L] > 0) random_labels(units$problem, k, many[2L]),
    deparse.level = 0
  )
  list(labels = labels, kinds = c("free", rep("kmeans++", many[1L]), rep("random", many[2L])))
}

# Local optima without constraints, one a column.
free_optima <- function(problem, k, many) {
  problem <- cache_pairs(problem, passes = many)
  descend(problem, k, plusplus_labels(problem, k, many), new_control(k), each = TRUE)$labels
}

# The partition nearest to labels that keeps all constraints, NULL if none is found.
repaired_partition <- function(units, graph, labels, k) {
  labels <- as.integer(labels)
  if (!keeps_all(graph, labels, units$count)) {
    cost <- mean_distances(new_partition(units, graph, labels, k), seq_along(labels))
    cost[!is.finite(cost)] <- max(cost[is.finite(cost)])
    labels <- if (is.null(graph$limits)) recoloured(graph, labels, cost) else within_sizes(units, graph, labels, cost)
    if (is.null(labels)) {
      return(NULL)
    }
  }
  p <- new_partition(units, graph, labels, k)
  for (l in which(p$count == 0L)) {
    if (!fill_cluster(p, graph, l)) {
      return(NULL)
    }
  }
  p$tolerance <- rounding * sum(abs(p$V / p$s)[p$s > 0])
  p
}

# Components with a broken pair are coloured again: by cost, else by the colours known, matched to the clusters of least
# cost.
recoloured <- function(graph, labels, cost) {
  k <- ncol(cost)
  bad <- graph$pairs[is_broken(graph, labels), 1L]
  for (one in which(vapply(graph$component, function(members) any(members %in% bad), NA))) {
    members <- graph$component[[one]]
    found <- greedy_colours(graph, members, cost[members, , drop = FALSE])
    if (is.null(found)) {
      total <- vapply(seq_len(k), function(l) sum_by(cost[members, l], graph$colours[[one]], k), numeric(k))
      found <- as.integer(clue::solve_LSAP(total - min(total)))[graph$colours[[one]]]
    }
    labels[members] <- found
  }
  labels
}

# Units are assigned within the limits, by cost: first the components with a broken pair and few others, then more of
# them, then all with random costs added.
within_sizes <- function(units, graph, labels, cost) {
  k <- ncol(cost)
  m <- nrow(cost)
  count <- units$count
  held <- all(within_limits(sum_by(count, labels, k), graph$limits))
  bad <- unlist(graph$component[vapply(
    graph$component, function(one) any(is_broken(graph, labels) & graph$pairs[, 1L] %in% one), NA
  )])
  for (attempt in seq_len(links_defaults$colourings)) {
    many <- if (held) k * 2^(attempt - 1) else m
    open <- if (many < m) union(bad, sample.int(m, many)) else seq_len(m)
    noise <- if (many < m || attempt == 1L) 0 else stats::runif(length(cost), 0, attempt * stats::median(cost))
    found <- greedy_colours(
      graph, open, (cost + noise)[open, , drop = FALSE], count, graph$limits, replace(labels, open, 0L)
    )
    if (!is.null(found)) {
      return(replace(labels, open, found))
    }
  }
  NULL
}

# Give a cluster without a unit of positive weight one, that farthest from its mean if no pair is broken, else with the
# chain of units between the two clusters. Return whether there is one.
fill_cluster <- function(p, graph, l) {
  m <- length(p$label)
  d2 <- mean_distances(p, seq_len(m))[cbind(seq_len(m), p$label)]
  alone <- tabulate(p$label[p$w > 0], p$k)[p$label] < 2L
  able <- which(p$w > 0 & !alone)
  for (i in able[order(p$broken[able, l] > 0, -d2[able])]) {
    members <- i
    repeat {
      near <- unlist(graph$near[members])
      near <- unique(near[p$label[near] %in% c(p$label[i], l)])
      if (all(near %in% members)) break
      members <- union(members, near)
    }
    from <- p$label[i]
    to <- from + l - p$label[members]
    after <- tabulate(replace(p$label, members, to)[p$w > 0], p$k)
    if (min(after[c(from, l)]) > 0L) {
      for (j in seq_along(members)) move_unit(p, graph, members[j], to[j])
      return(TRUE)
    }
  }
  FALSE
}

# The solution that given labels of rows are, also of rows of weight 0.
solution_of_labels <- function(problem, k, labels) {
  out <- solve_starts(problem, new_control(k, iter.max = 0), matrix(labels), "labels")
  out$cluster <- labels
  out$converged <- TRUE
  out
}

# ---- a partition and its moves ----

# A partition, an environment: label; R (units x k), V, s as in src/kg_state.h; count (rows of positive weight); broken
# (units x k: pairs of a unit that would be broken in each cluster); units, w, tolerance.
new_partition <- function(units, graph, labels, k) {
  w <- units$w
  m <- length(w)
  R <- units$sums(labels, k)
  at <- cbind(graph$from, labels[graph$to])
  out <- list(
    label = labels, R = R, V = sum_by(w * R[cbind(seq_len(m), labels)], labels, k), s = sum_by(w, labels, k),
    count = sum_by(units$count, labels, k), broken = matrix(tabulate(at[, 1L] + m * (at[, 2L] - 1L), m * k), m),
    units = units, w = w, k = k, changed = numeric(k), tried = matrix(-1, k, k), moves = 0L, passes = 0L,
    converged = FALSE, fall = 0
  )
  out$tolerance <- rounding * sum(abs(out$V / out$s)[out$s > 0])
  list2env(out, parent = emptyenv())
}

# W up to the sum of w B_ii over the rows, which is the same for all partitions.
partition_W <- function(p) -sum(p$V / p$s)

# The solution of the units that a partition is.
links_solution <- function(p) {
  own <- p$units$w * p$units$own
  cost <- -p$V / p$s + sum_by(own, p$label, p$k)
  list(
    cluster = p$label, cost = cost, V = p$V, s = p$s, total = -sum(p$w * p$R) / sum(p$w) + sum(own),
    objectives = c(links = sum(cost)), best_start = 1L, iterations = p$passes, moves = p$moves, converged = p$converged,
    rose = FALSE, fall = p$fall, evaluations = 0
  )
}

# Unit i to cluster l.
move_unit <- function(p, graph, i, l) {
  a <- p$label[i]
  w <- p$w[i]
  own <- w^2 * p$units$self[i]
  p$V[a] <- p$V[a] - 2 * w * p$R[i, a] + own
  p$V[l] <- p$V[l] + 2 * w * p$R[i, l] + own
  if (w > 0) {
    row <- w * p$units$row(i)
    p$R[, a] <- p$R[, a] - row
    p$R[, l] <- p$R[, l] + row
  }
  p$count[c(a, l)] <- p$count[c(a, l)] + c(-1, 1) * p$units$count[i]
  p$s[c(a, l)] <- p$s[c(a, l)] + c(-w, w)
  p$label[i] <- l
  near <- graph$near[[i]]
  p$broken[near, a] <- p$broken[near, a] - 1L
  p$broken[near, l] <- p$broken[near, l] + 1L
  p$moves <- p$moves + 1L
  p$changed[c(a, l)] <- p$moves
}

# d2 of some units to all means.
mean_distances <- function(p, i) {
  m <- length(i)
  p$units$self[i] - 2 * p$R[i, , drop = FALSE] / rep(p$s, each = m) + rep(p$V / p$s^2, each = m)
}

# The change of W, Eq. (50), if units move to each of the clusters; Inf if they must not.
move_changes <- function(p, i, graph) {
  m <- length(i)
  d2 <- mean_distances(p, i)
  own <- cbind(seq_len(m), p$label[i])
  w <- p$w[i]
  s <- rep(p$s, each = m)
  left <- p$s[own[, 2L]] - w
  change <- w * s / (s + w) * d2 - w * p$s[own[, 2L]] / left * d2[own]
  change[p$broken[i, ] > 0] <- Inf
  change[own] <- Inf
  count <- p$units$count[i]
  least <- max(1, graph$limits[1L])
  change[w == 0 | p$count[own[, 2L]] - count < least | left <= 0, ] <- Inf
  if (!is.null(graph$limits)) change[outer(count, p$count, "+") > graph$limits[2L]] <- Inf
  change
}

# Move units while that lowers W, those of the largest gain first, then exchange chains and pairs.
descend_links <- function(p, graph, passes) {
  inside <- which(p$w > 0)
  while (p$passes < passes) {
    check_interrupt()
    before <- partition_W(p)
    moves <- p$moves
    change <- row_least(move_changes(p, inside, graph))
    for (i in inside[order(change)][seq_len(sum(change < -p$tolerance))]) {
      own <- move_changes(p, i, graph)
      l <- which.min(own)
      if (own[l] < -p$tolerance) move_unit(p, graph, i, l)
    }
    if (p$moves == moves) exchange_all(p, graph)
    p$passes <- p$passes + 1L
    p$fall <- before - partition_W(p)
    if (p$moves == moves) {
      p$converged <- TRUE
      break
    }
  }
  p
}

# Exchange the chains of all pairs of clusters that lower W, and single units if sizes are limited. Pairs that have not
# changed since the last try are skipped.
exchange_all <- function(p, graph) {
  for (a in seq_len(p$k - 1L)) {
    for (b in seq.int(a + 1L, p$k)) {
      if (p$tried[a, b] >= max(p$changed[c(a, b)])) next
      p$tried[a, b] <- p$moves
      exchange_chains(p, graph, chains_between(p, graph, a, b), a, b)
      if (!is.null(graph$limits)) exchange_units(p, graph, a, b)
    }
  }
}

exchange_chains <- function(p, graph, chains, a, b) {
  if (is.null(chains)) {
    return(invisible())
  }
  change <- chain_changes(p, chains, a, b, graph$limits)
  for (one in order(change)[seq_len(sum(change < -p$tolerance))]) {
    members <- chains$unit[chains$chain == one]
    alone <- list(unit = members, chain = rep(1L, length(members)), count = 1L)
    if (chain_changes(p, alone, a, b, graph$limits) < -p$tolerance) {
      to <- a + b - p$label[members]
      for (i in seq_along(members)) move_unit(p, graph, members[i], to[i])
    }
  }
}

# Exchange single units of clusters a and b, the pairs that lower W most first, while there are any.
exchange_units <- function(p, graph, a, b) {
  nearest <- function(from, to) {
    free <- which(p$label == from & p$broken[, to] == 0L & p$w > 0)
    d2 <- mean_distances(p, free)
    utils::head(free[order(d2[, to] - d2[, from])], links_defaults$exchange)
  }
  repeat {
    check_interrupt()
    x <- nearest(a, b)
    y <- nearest(b, a)
    if (length(x) == 0L || length(y) == 0L) break
    pairs <- rbind(rep(x, length(y)), rep(y, each = length(x)))
    change <- chain_changes(p, pair_chains(pairs), a, b, graph$limits)
    pairs <- pairs[, order(change)[seq_len(sum(change < -p$tolerance))], drop = FALSE]
    pairs <- pairs[, !duplicated(pairs[1L, ]) & !duplicated(pairs[2L, ]), drop = FALSE]
    if (ncol(pairs) == 0L) break
    exchange_chains(p, graph, pair_chains(pairs), a, b)
  }
}

# The columns of a matrix as chains of two units.
pair_chains <- function(pairs) list(unit = as.vector(pairs), chain = as.vector(col(pairs)), count = ncol(pairs))

# The chains of clusters a and b, components of two units or more of the graph within them: list(unit, chain, count).
chains_between <- function(p, graph, a, b) {
  from <- p$label[graph$pairs[, 1L]]
  to <- p$label[graph$pairs[, 2L]]
  pairs <- graph$pairs[from == a & to == b | from == b & to == a, , drop = FALSE]
  if (nrow(pairs) == 0L) {
    return(NULL)
  }
  unit <- unique(as.vector(pairs))
  chain <- pair_components(matrix(match(pairs, unit), ncol = 2L), length(unit))
  keep <- tabulate(chain)[chain] <= links_defaults$chain
  chain <- match(chain[keep], unique(chain[keep]))
  order <- order(chain)
  if (length(order)) list(unit = unit[keep][order], chain = chain[order], count = max(chain))
}

# The change of W if a chain changes sides: with A its units in a and C those in b,
#   V_a' = V_a - 2 R_a(A) + V(A) + 2 R_a(C) - 2 X(A, C) + V(C),  and V_b' alike;
# X, V(A), V(C) are sums within the chain.
chain_changes <- function(p, chains, a, b, limits) {
  unit <- chains$unit
  w <- p$w[unit]
  in_a <- p$label[unit] == a
  sums <- function(value, chain = chains$chain) sum_by(value, chain, chains$count)
  size <- tabulate(chains$chain, chains$count)
  first <- cumsum(size) - size + 1L
  i <- rep(seq_along(unit), size[chains$chain])
  j <- sequence(size[chains$chain], first[chains$chain])
  chain <- chains$chain[i]
  value <- numeric(length(i))
  value[i == j] <- w[i[i == j]]^2 * p$units$self[unit[i[i == j]]]
  value[i < j] <- 2 * w[i[i < j]] * w[j[i < j]] * p$units$at(unit[i[i < j]], unit[j[i < j]])
  same <- sums(value * (in_a[i] == in_a[j]), chain)
  X <- sums(value * (in_a[i] != in_a[j]), chain) / 2
  side <- ifelse(in_a, -1, 1)
  gain <- sums(side * w)
  new_a <- p$V[a] + 2 * sums(side * w * p$R[unit, a]) - 2 * X + same
  new_b <- p$V[b] - 2 * sums(side * w * p$R[unit, b]) - 2 * X + same
  s_a <- p$s[a] + gain
  s_b <- p$s[b] - gain
  change <- -new_a / s_a - new_b / s_b + p$V[a] / p$s[a] + p$V[b] / p$s[b]
  moved <- sums(side * p$units$count[unit])
  after <- cbind(p$count[a] + moved, p$count[b] - moved)
  good <- within_limits(after, limits %||% c(1, Inf))
  change[rowSums(good) < 2L | s_a <= 0 | s_b <= 0] <- Inf
  change
}

# Units of weight 0 go to the nearest cluster that breaks no pair.
place_weightless <- function(p, graph) {
  for (i in which(p$w == 0)) {
    d2 <- mean_distances(p, i)[1L, ]
    d2[p$broken[i, ] > 0] <- Inf
    l <- which.min(d2)
    if (l != p$label[i]) move_unit(p, graph, i, l)
  }
}
