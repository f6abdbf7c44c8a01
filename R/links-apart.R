# The solver of pairs apart: moves of one row and exchanges along chains, none of which breaks a pair.

apart_defaults <- list(
  starts = c(30, 100), # local searches from k-means++ and from random labels (brute force in tests/testthat/test-links.R);
  work = c(1e4, 5e3), # at most these numbers divided by rows,
  few = 3L, # but some
  chain = 500L # longest chain that is exchanged
)

# ---- apart: the solver ----

#' @export
solve_problem.kgroups_apart_control <- function(problem, control, call = rlang::caller_env()) {
  problem <- code_categories(problem)
  check_solve_memory(problem, control, 1, call)
  k <- control$k
  graph <- conflict_graph(control$apart, problem$n)
  graph <- with_colours(graph, k, problem, call)
  free <- if (is.null(control$init)) solve_problem(problem, plain_control(replace(control, "nstart", list(NULL))), call)
  out <- if (!is.null(free) && !any(is_broken(graph, free$cluster))) free else solve_apart(problem, control, graph, free$cluster)
  out$extra <- list(constraints = list(apart = control$apart, W_free = if (!is.null(free)) true_units(problem, sum(free$cost))))
  out
}

# The best local search from the labels without constraints and from k-means++, or from the start of the user.
solve_apart <- function(problem, control, graph, free) {
  k <- control$k
  many <- control$nstart %||% if (is.null(free)) 1 else sum(apart_starts(problem$n, control$effort))
  values <- row_values(problem)
  if (is.null(free)) {
    starts <- start_labels(problem, control, many)
    kinds <- start_kinds(control$init, many)
  } else {
    random <- if (is.null(control$nstart)) apart_starts(problem$n, control$effort)[2L] else 0
    drawn <- many - random - 1
    starts <- cbind(
      free, if (drawn > 0) free_optima(problem, k, drawn), if (random > 0) random_labels(problem, k, random), deparse.level = 0
    )
    kinds <- c("free", rep("kmeans++", drawn), rep("random", random))
  }
  W <- moves <- numeric(many)
  same <- match(asplit(in_order(starts, k), 2), asplit(in_order(starts, k), 2))
  best <- NULL
  for (start in seq_len(many)) {
    check_interrupt()
    if (same[start] < start) next
    found <- descend_apart(repaired_partition(problem, values, graph, starts[, start], k), graph, control$iter.max)
    W[start] <- partition_W(found)
    moves[start] <- found$moves
    if (is.null(best) || is_lower(W[start], partition_W(best))) {
      best <- found
      at <- start
    }
  }
  out <- solution_of_labels(problem, k, place_weightless(best, graph)$label)
  out$objectives <- stats::setNames(W[same] + sum(out$cost) - W[at], kinds)
  out[c("best_start", "moves", "iterations", "converged")] <- list(at, moves[at], best$passes, best$converged)
  out$fall <- best$fall
  out
}

# The partition nearest to labels that breaks no pair: components with a broken pair are coloured again.
repaired_partition <- function(problem, values, graph, labels, k) {
  labels <- as.integer(labels)
  bad <- graph$pairs[is_broken(graph, labels), 1L]
  if (length(bad)) {
    cost <- mean_distances(new_partition(problem, values, graph, labels, k), seq_len(problem$n))
    cost[!is.finite(cost)] <- max(cost[is.finite(cost)])
    for (one in which(vapply(graph$component, function(rows) any(rows %in% bad), NA))) {
      rows <- graph$component[[one]]
      labels[rows] <- component_colours(graph, rows, cost[rows, , drop = FALSE], graph$colours[[one]])
    }
  }
  p <- new_partition(problem, values, graph, labels, k)
  for (l in which(p$count == 0L)) { # an empty cluster breaks no pair
    d2 <- mean_distances(p, seq_len(problem$n))[cbind(seq_len(problem$n), p$label)]
    d2[p$w == 0 | p$count[p$label] < 2L] <- -Inf
    p <- move_row(p, graph, which.max(d2), l)
    p$tolerance <- rounding * sum(abs(p$V / p$s)[p$s > 0])
  }
  p
}

# The solution that given labels are, also of rows of weight 0.
solution_of_labels <- function(problem, k, labels) {
  out <- solve_starts(problem, new_control(k, iter.max = 0), matrix(labels), "labels")
  out$cluster <- labels
  out$converged <- TRUE
  out
}

# How many starts are k-means++ (the labels without constraints are one of them), and random.
apart_starts <- function(n, effort) {
  ceiling(effort * pmax(apart_defaults$few, pmin(apart_defaults$starts, apart_defaults$work / n)))
}

# Local optima without constraints, one a column.
free_optima <- function(problem, k, many) {
  problem <- cache_pairs(problem, passes = many)
  descend(problem, k, plusplus_labels(problem, k, many), new_control(k), each = TRUE)$labels
}

# ---- apart: a partition and its moves ----

# Values of B: list(self, row(i), at(i, j)).
row_values <- function(problem) {
  n <- problem$n
  self <- self_values(problem)
  if (n <= small_n) {
    B <- store_values(problem$store)
    return(list(self = self, row = function(i) B[, i], at = function(i, j) B[cbind(i, j)]))
  }
  at <- function(i, j) (self[i] + self[j] - store_rho(problem$store, i, j)) / 2
  list(self = self, row = function(i) at(rep(i, n), seq_len(n)), at = at)
}

# A partition, a list: label; R (n x k), V, s as in src/kg_state.h; count (rows of positive weight); broken (n x k: pairs of
# a row that would be broken in each cluster); values, w, tolerance.
new_partition <- function(problem, values, graph, labels, k) {
  w <- problem$w
  n <- problem$n
  R <- group_sums(problem, labels, k)
  at <- cbind(graph$from, labels[graph$to])
  out <- list(
    label = labels, R = R, V = sum_by(w * R[cbind(seq_len(n), labels)], labels, k), s = sum_by(w, labels, k),
    count = tabulate(labels[w > 0], k), broken = matrix(tabulate(at[, 1L] + n * (at[, 2L] - 1L), n * k), n),
    values = values, w = w, k = k, moves = 0L, passes = 0L, converged = FALSE, fall = 0
  )
  out$tolerance <- rounding * sum(abs(out$V / out$s)[out$s > 0])
  out
}

# W up to the sum of w B_ii, which is the same for all partitions.
partition_W <- function(p) -sum(p$V / p$s)

# Row i to cluster l.
move_row <- function(p, graph, i, l) {
  a <- p$label[i]
  w <- p$w[i]
  own <- w^2 * p$values$self[i]
  p$V[a] <- p$V[a] - 2 * w * p$R[i, a] + own
  p$V[l] <- p$V[l] + 2 * w * p$R[i, l] + own
  if (w > 0) {
    row <- w * p$values$row(i)
    p$R[, a] <- p$R[, a] - row
    p$R[, l] <- p$R[, l] + row
    p$count[c(a, l)] <- p$count[c(a, l)] + c(-1L, 1L)
  }
  p$s[c(a, l)] <- p$s[c(a, l)] + c(-w, w)
  p$label[i] <- l
  near <- graph$near[[i]]
  p$broken[near, a] <- p$broken[near, a] - 1L
  p$broken[near, l] <- p$broken[near, l] + 1L
  p$moves <- p$moves + 1L
  p
}

# d2 of some rows to all means.
mean_distances <- function(p, rows) {
  m <- length(rows)
  p$values$self[rows] - 2 * p$R[rows, , drop = FALSE] / rep(p$s, each = m) + rep(p$V / p$s^2, each = m)
}

# The change of W, Eq. (50), if rows move to each of the clusters; Inf if they must not.
move_changes <- function(p, rows) {
  m <- length(rows)
  d2 <- mean_distances(p, rows)
  own <- cbind(seq_len(m), p$label[rows])
  w <- p$w[rows]
  s <- rep(p$s, each = m)
  left <- p$s[own[, 2L]] - w
  change <- w * s / (s + w) * d2 - w * p$s[own[, 2L]] / left * d2[own]
  change[p$broken[rows, ] > 0] <- Inf
  change[own] <- Inf
  change[w == 0 | p$count[own[, 2L]] < 2L | left <= 0, ] <- Inf
  change
}

# Move rows while that lowers W, those of the largest gain first, then exchange chains.
descend_apart <- function(p, graph, passes) {
  inside <- which(p$w > 0)
  while (p$passes < passes) {
    check_interrupt()
    before <- partition_W(p)
    moves <- p$moves
    change <- row_least(move_changes(p, inside))
    for (i in inside[order(change)][seq_len(sum(change < -p$tolerance))]) {
      own <- move_changes(p, i)
      l <- which.min(own)
      if (own[l] < -p$tolerance) p <- move_row(p, graph, i, l)
    }
    if (p$moves == moves) p <- exchange_chains(p, graph)
    p$passes <- p$passes + 1L
    p$fall <- before - partition_W(p)
    if (p$moves == moves) {
      p$converged <- TRUE
      break
    }
  }
  p
}

# Exchange chains of all pairs of clusters that lower W.
exchange_chains <- function(p, graph) {
  for (a in seq_len(p$k - 1L)) {
    for (b in seq.int(a + 1L, p$k)) {
      chains <- chains_between(p, graph, a, b)
      if (is.null(chains)) next
      change <- chain_changes(p, chains, a, b)
      for (one in order(change)[seq_len(sum(change < -p$tolerance))]) {
        rows <- chains$row[chains$chain == one]
        alone <- list(row = rows, chain = rep(1L, length(rows)), count = 1L)
        if (chain_changes(p, alone, a, b) < -p$tolerance) {
          to <- a + b - p$label[rows]
          for (i in seq_along(rows)) p <- move_row(p, graph, rows[i], to[i])
        }
      }
    }
  }
  p
}

# The chains of clusters a and b, components of two rows or more of the graph within them: list(row, chain, count).
chains_between <- function(p, graph, a, b) {
  from <- p$label[graph$pairs[, 1L]]
  to <- p$label[graph$pairs[, 2L]]
  pairs <- graph$pairs[from == a & to == b | from == b & to == a, , drop = FALSE]
  if (nrow(pairs) == 0L) {
    return(NULL)
  }
  rows <- unique(as.vector(pairs))
  chain <- pair_components(matrix(match(pairs, rows), ncol = 2L), length(rows))
  keep <- tabulate(chain)[chain] <= apart_defaults$chain
  chain <- match(chain[keep], unique(chain[keep]))
  order <- order(chain)
  if (length(order)) list(row = rows[keep][order], chain = chain[order], count = max(chain))
}

# The change of W if a chain changes sides: with A its rows in a and C those in b,
#   V_a' = V_a - 2 R_a(A) + V(A) + 2 R_a(C) - 2 X(A, C) + V(C),  and V_b' alike;  X, V(A), V(C) are sums within the chain.
chain_changes <- function(p, chains, a, b) {
  row <- chains$row
  w <- p$w[row]
  in_a <- p$label[row] == a
  sums <- function(value, chain = chains$chain) sum_by(value, chain, chains$count)
  size <- tabulate(chains$chain, chains$count)
  first <- cumsum(size) - size + 1L
  i <- rep(seq_along(row), size[chains$chain])
  j <- sequence(size[chains$chain], first[chains$chain])
  chain <- chains$chain[i]
  value <- w[i] * w[j] * p$values$at(row[i], row[j])
  same <- sums(value * (in_a[i] == in_a[j]), chain)
  X <- sums(value * (in_a[i] != in_a[j]), chain) / 2
  side <- ifelse(in_a, -1, 1)
  gain <- sums(side * w)
  new_a <- p$V[a] + 2 * sums(side * w * p$R[row, a]) - 2 * X + same
  new_b <- p$V[b] - 2 * sums(side * w * p$R[row, b]) - 2 * X + same
  s_a <- p$s[a] + gain
  s_b <- p$s[b] - gain
  change <- -new_a / s_a - new_b / s_b + p$V[a] / p$s[a] + p$V[b] / p$s[b]
  moved <- sums(side * (w > 0))
  change[p$count[a] + moved < 1 | p$count[b] - moved < 1 | s_a <= 0 | s_b <= 0] <- Inf
  change
}

# Rows of weight 0 in the graph go to the nearest cluster that breaks no pair, others to the nearest.
place_weightless <- function(p, graph) {
  for (i in which(p$w == 0)) {
    d2 <- mean_distances(p, i)[1L, ]
    d2[p$broken[i, ] > 0] <- Inf
    l <- which.min(d2)
    if (l != p$label[i]) p <- move_row(p, graph, i, l)
  }
  p
}
