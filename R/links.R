# Constraints on pairs of observations.
#   together  groups of rows stay in one cluster. A group is one observation with the sum of the weights, at half the energy
#             distance from others: W is that of the groups plus their inner dispersions, the same for all partitions.
#   apart     pairs of rows are in different clusters: a proper colouring of their graph. Local search makes moves of one row,
#             and exchanges along chains: a component of the graph within two clusters changes sides, the least is two rows.

link_defaults <- list(
  starts = c(30, 100), # local searches from k-means++ and from random labels (brute force in tests/testthat/test-links.R);
  work = c(1e4, 5e3), # at most these numbers divided by rows,
  few = 3L, # but some
  units = 50L, # up to so many groups the search without pairs apart is followed by random starts
  colourings = 30L, # greedy colourings of a component, from random costs;
  nodes = 20000L, # then so many steps with backtracking,
  tried = 500L, # of components of at most so many rows
  chain = 500L # longest chain that is exchanged
)

fit_variants$together <- list(
  class = "together", default = NULL, check = function(value, call) check_links(value, "together", call),
  excludes = c("approx", "size_term", "sizes", "trim"),
  settle = function(control, problem, call) settle_together(control, problem, call)
)

fit_variants$apart <- list(
  class = "apart", default = NULL, check = function(value, call) check_links(value, "apart", call),
  excludes = c("approx", "size_term", "sizes", "trim", "method = \"lloyd\""),
  settle = function(control, problem, call) settle_apart(control, problem, call)
)

# ---- together ----

# A solution as in R/solve.R of the groups as observations, by the solver that is left.
#' @export
solve_problem.kgroups_together_control <- function(problem, control, call = rlang::caller_env()) {
  problem <- code_categories(problem)
  group <- unit_numbers(control$together)
  units <- grouped_problem(problem, group, call)
  check_units(units$problem, control$k, call)
  inner <- inner_control(control)
  if (is.numeric(control$init)) inner$init <- majority_labels(control$init, problem$w, group, units$problem$w, control$k)
  if (!is.null(control$apart)) inner$apart <- distinct_pairs(matrix(group[control$apart], ncol = 2L))
  found <- searched_units(units$problem, inner, call)
  out <- solution_of_labels(problem, control$k, found$cluster[group])
  rest <- sum(units$within)
  out$objectives <- true_units(units$problem, found$objectives) + rest
  kept <- c("best_start", "iterations", "moves", "converged", "rose", "search", "init")
  out[kept] <- found[kept]
  out$fall <- if (!is.null(found$fall)) true_units(units$problem, found$fall)
  W_free <- found$extra$constraints$W_free
  out$extra <- list(constraints = list(
    together = control$together, apart = control$apart, W_free = if (!is.null(W_free)) true_units(problem, W_free + rest)
  ))
  out
}

# The solution for the units; a search of few of them ends when three members agree, so random starts follow.
searched_units <- function(units, control, call) {
  found <- solve_problem(units, control, call)
  small <- units$n <= link_defaults$units && control$k > 1L && is.null(control$init) && is.null(control$nstart)
  if (!small || !is_plain_control(control)) {
    return(found)
  }
  again <- solve_starts(units, control, random_labels(units, control$k, link_defaults$starts[2L]), "random")
  if (is_lower(sum(again$cost), sum(found$cost))) c(again, found["search"]) else found
}

# Number the units by first appearance: groups, and rows in none.
unit_numbers <- function(together) {
  key <- ifelse(is.na(together), -seq_along(together), together)
  match(key, unique(key))
}

# list(problem, within): the problem of groups of rows, in whose store B = -rho/2 with rho half the energy distance, and the
# dispersions within groups (internal units). In a group of weight 0 all rows count alike.
grouped_problem <- function(problem, group, call) {
  m <- max(group)
  check_memory(
    40 * m^2, m, "the dissimilarities of groups",
    hint = fill_templates("{.arg together} needs those of all pairs of groups and single rows."), call = call
  )
  weight <- sum_by(problem$w, group, m)
  problem$w <- replace(problem$w, weight[group] == 0, 1)
  s <- sum_by(problem$w, group, m)
  sums <- dispersion_sums(problem, group, m)
  within <- sums$within %||% (sums$t - diag(sums$M) / s)
  self <- sums$t / s
  B <- sums$M / outer(s, s) - outer(self, self, "+") / 2
  own <- within / s
  B <- B + outer(own, own, "+") / 2
  B <- (B + t(B)) / 2
  diag(B) <- 0
  units <- new_problem(new_dense_store(B), problem$names, weight)
  units$unit_row <- which(!duplicated(group))
  list(problem = units, within = ifelse(weight > 0, within, 0))
}

# The label of the largest weight in each group; every cluster keeps a group.
majority_labels <- function(labels, w, group, weight, k) {
  w <- if (min(weight) > 0) w else w + max(w) * 1e-12
  shares <- vapply(seq_len(k), function(l) sum_by(w * (labels == l), group, length(weight)), numeric(length(weight)))
  fill_clusters(max.col(matrix(shares, ncol = k), ties.method = "first"), weight, k)
}

# The solution that given labels are, also of rows of weight 0.
solution_of_labels <- function(problem, k, labels) {
  out <- solve_starts(problem, new_control(k, iter.max = 0), matrix(labels), "labels")
  out$cluster <- labels
  out$converged <- TRUE
  out
}

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

# How many starts are k-means++ (the labels without constraints are one of them), and random.
apart_starts <- function(n, effort) {
  ceiling(effort * pmax(link_defaults$few, pmin(link_defaults$starts, link_defaults$work / n)))
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
  keep <- tabulate(chain)[chain] <= link_defaults$chain
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

# ---- apart: the graph of the pairs and its colourings ----

# list(pairs, from, to, near, component): from and to hold each pair both ways, `near` the neighbours of each row, `component`
# the rows of each component of two or more.
conflict_graph <- function(pairs, n) {
  from <- c(pairs[, 1L], pairs[, 2L])
  to <- c(pairs[, 2L], pairs[, 1L])
  near <- vector("list", n)
  rows <- sort(unique(from))
  near[rows] <- split(to, factor(from, rows))
  member <- pair_components(pairs, n)[rows]
  list(pairs = pairs, from = from, to = to, near = near, component = unname(split(rows, member)))
}

pair_components <- function(pairs, n) igraph::components(igraph::make_graph(t(pairs), n = n, directed = FALSE))$membership

is_broken <- function(graph, labels) labels[graph$pairs[, 1L]] == labels[graph$pairs[, 2L]]

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

# Colours of a component by cost, else those known, matched to the clusters of least cost.
component_colours <- function(graph, rows, cost, known) {
  found <- greedy_colours(graph, rows, cost)
  if (!is.null(found)) {
    return(found)
  }
  total <- vapply(seq_len(ncol(cost)), function(l) sum_by(cost[, l], known, ncol(cost)), numeric(ncol(cost)))
  as.integer(clue::solve_LSAP(total - min(total)))[known]
}

# Colours of rows one after another, fewest colours left first (DSATUR, Brélaz 1979), then largest regret; NULL if a row
# has none left.
greedy_colours <- function(graph, rows, cost) {
  m <- length(rows)
  colour <- integer(m)
  near <- lapply(graph$near[rows], match, rows)
  left <- rep(ncol(cost), m)
  regret <- row_regret(cost)
  for (step in seq_len(m)) {
    open <- which(colour == 0L)
    i <- open[order(left[open], -regret[open])[1L]]
    l <- which.min(cost[i, ])
    if (!is.finite(cost[i, l])) {
      return(NULL)
    }
    colour[i] <- l
    next_to <- near[[i]]
    next_to <- next_to[colour[next_to] == 0L & is.finite(cost[next_to, l])]
    cost[next_to, l] <- Inf
    left[next_to] <- left[next_to] - 1L
    regret[next_to] <- row_regret(cost[next_to, , drop = FALSE])
  }
  colour
}

# The second least cost less the least; Inf if there is one alone.
row_regret <- function(cost) {
  least <- max.col(-cost, ties.method = "first")
  at <- cbind(seq_len(nrow(cost)), least)
  first <- cost[at]
  second <- row_least(replace(cost, at, Inf))
  ifelse(is.finite(second), second - first, Inf)
}

# The graph with `colours` of each component whose rows have k neighbours or more; an error if there are none.
with_colours <- function(graph, k, problem, call) {
  degree <- lengths(graph$near)
  graph$colours <- lapply(graph$component, function(rows) {
    if (max(degree[rows]) >= k) colours_of(graph, rows, k, problem, call)
  })
  graph
}

colours_of <- function(graph, rows, k, problem, call) {
  clique <- large_clique(graph, rows)
  if (length(clique) > k) abort_clique(clique, k, problem, call)
  cycle <- if (k == 2L) odd_cycle(graph, rows)
  if (!is.null(cycle)) abort_cycle(cycle, problem, call)
  for (attempt in seq_len(link_defaults$colourings)) {
    found <- greedy_colours(graph, rows, matrix(stats::runif(length(rows) * k), ncol = k))
    if (!is.null(found)) {
      return(found)
    }
  }
  found <- if (length(rows) <= link_defaults$tried) backtracked_colours(graph, rows, k)
  if (is.null(found)) abort_colouring(rows, k, problem, call)
  if (anyNA(found)) abort_no_colouring(rows, k, problem, call)
  found
}

# A clique by adding neighbours of the highest degree, from each row.
large_clique <- function(graph, rows) {
  degree <- lengths(graph$near)
  best <- integer()
  for (i in rows[order(-degree[rows])][seq_len(min(length(rows), 200L))]) {
    clique <- i
    open <- graph$near[[i]]
    while (length(open)) {
      shared <- vapply(open, function(j) sum(graph$near[[j]] %in% open), 0L)
      j <- open[which.max(shared)]
      clique <- c(clique, j)
      open <- intersect(open, graph$near[[j]])
    }
    if (length(clique) > length(best)) best <- clique
  }
  sort(best)
}

# Rows of a cycle of odd length, NULL if there is none.
odd_cycle <- function(graph, rows) {
  parent <- side <- integer(length(graph$near))
  side[rows[1L]] <- 1L
  queue <- rows[1L]
  while (length(queue)) {
    i <- queue[1L]
    queue <- queue[-1L]
    for (j in graph$near[[i]]) {
      if (side[j] == 0L) {
        side[j] <- 3L - side[i]
        parent[j] <- i
        queue <- c(queue, j)
      } else if (side[j] == side[i]) {
        up <- function(i) if (i == 0L) integer() else c(i, up(parent[i]))
        left <- up(i)
        right <- up(j)
        meet <- left[left %in% right][1L]
        return(c(left[seq_len(match(meet, left))], rev(right[seq_len(match(meet, right) - 1L)])))
      }
    }
  }
  NULL
}

# Colours by DSATUR with backtracking; NA if none exist, NULL if the steps do not suffice.
backtracked_colours <- function(graph, rows, k) {
  m <- length(rows)
  near <- lapply(graph$near[rows], match, rows)
  degree <- lengths(near)
  nodes <- 0L
  extend <- function(colour, taken) {
    nodes <<- nodes + 1L
    if (nodes > link_defaults$nodes) {
      return(NULL)
    }
    open <- which(colour == 0L)
    if (length(open) == 0L) {
      return(colour)
    }
    used <- rowSums(taken[open, , drop = FALSE] > 0L)
    i <- open[order(-used, -degree[open])[1L]]
    # colours that no row has yet are alike: one of them is tried
    for (l in which(taken[i, ] == 0L & seq_len(k) <= max(colour) + 1L)) {
      further <- taken
      further[near[[i]], l] <- further[near[[i]], l] + 1L
      found <- extend(replace(colour, i, l), further)
      if (is.null(found) || !anyNA(found)) {
        return(found)
      }
    }
    NA_integer_
  }
  extend(integer(m), matrix(0L, m, k))
}

# ---- settings ----

# Groups by number, NA for rows in none; of a sample those of its rows.
settle_together <- function(control, problem, call) {
  value <- read_links(control$together, "together", problem, call)
  if (is.matrix(value)) value <- pair_components(value, problem$n)
  control$together <- named_groups(value)
  control
}

# Groups of one row are none.
named_groups <- function(id) {
  id[!id %in% id[duplicated(id)]] <- NA
  match(id, unique(id[!is.na(id)]))
}

# Pairs of row numbers, each once.
settle_apart <- function(control, problem, call) {
  value <- read_links(control$apart, "apart", problem, call)
  if (!is.matrix(value)) {
    groups <- split(seq_along(value), value)
    large <- which(lengths(groups) > (control$k %||% Inf))
    if (length(large)) abort_clique(groups[[large[1L]]], control$k, problem, call)
    value <- do.call(rbind, c(list(matrix(0L, 0L, 2L)), lapply(groups[lengths(groups) > 1L], function(rows) t(utils::combn(rows, 2L)))))
  }
  both <- which(control$together[value[, 1L]] == control$together[value[, 2L]])
  if (length(both)) {
    pair <- rows_text(value[both[1L], ], problem)
    abort_input(
      "apart", call,
      "No pair can be both {.arg together} and {.arg apart}.",
      "{pair[1L]} and {pair[2L]} are, directly or through other rows.",
      "Leave the pair out of one of them."
    )
  }
  control$apart <- distinct_pairs(value)
  control
}

distinct_pairs <- function(pairs) {
  pairs <- cbind(pmin(pairs[, 1L], pairs[, 2L]), pmax(pairs[, 1L], pairs[, 2L]))
  storage.mode(pairs) <- "integer"
  unique(pairs)
}

#' @export
control_on_sample.kgroups_together_control <- function(control, rows, n) {
  control$together <- named_groups(control$together[rows])
  NextMethod()
}

#' @export
control_on_sample.kgroups_apart_control <- function(control, rows, n) {
  pairs <- matrix(match(control$apart, rows), ncol = 2L)
  control$apart <- pairs[!is.na(rowSums(pairs)), , drop = FALSE]
  NextMethod()
}

# The size of the largest clique that is found: fewer clusters break a pair.
#' @export
least_clusters.kgroups_apart_control <- function(control, n) {
  pairs <- control$apart
  if (!is.null(control$together)) pairs <- distinct_pairs(matrix(unit_numbers(control$together)[pairs], ncol = 2L))
  graph <- conflict_graph(pairs, n)
  cliques <- lapply(graph$component, function(rows) large_clique(graph, rows))
  odd <- vapply(graph$component, function(rows) !is.null(odd_cycle(graph, rows)), NA)
  max(1L, lengths(cliques), if (any(odd)) 3L)
}

#' @export
least_clusters.kgroups_together_control <- function(control, n) NextMethod()

# Settings of a fit whose constraints are those of the rows that are left, if some of n rows are out.
settings_without <- function(settings, out, n) {
  links <- intersect(c("together", "apart"), names(settings))
  settings[links] <- lapply(settings[links], links_without, out, n)
  settings
}

links_without <- function(value, out, n) {
  if (length(out) == 0L || is.null(value)) {
    return(value)
  }
  left <- seq_len(n)[-out]
  if (length(dim(value)) != 2L) {
    return(if (length(value) == n) value[left] else value)
  }
  pairs <- as.matrix(value)
  inside <- pairs %in% seq_len(n)
  pairs[inside] <- match(pairs[inside], left)
  pairs[rowSums(is.na(pairs)) == 0L, , drop = FALSE]
}

# ---- checks ----

# The form of `together` or `apart`; the rows are checked with the data.
check_links <- function(value, arg, call) {
  table <- is.data.frame(value) || is.matrix(value)
  if (if (table) ncol(value) == 2L else is.atomic(value) && !is.null(value) && is.null(dim(value))) {
    return(value)
  }
  abort_links(value, arg, call)
}

abort_links <- function(value, arg, call) {
  example <- if (arg == "together") "rows of a group have the same id" else "rows of the same id are in different clusters"
  abort_argument(
    value, arg, "be a two-column matrix of pairs of rows, or a vector with an id for each row.",
    "{.code cbind(1, 2)} is the pair of rows 1 and 2; in a vector {example}, and {.code NA} leaves a row free.",
    call = call
  )
}

# A two-column matrix of row numbers, or ids as integers.
read_links <- function(value, arg, problem, call) {
  n <- problem$n
  if (length(dim(value)) != 2L) {
    if (length(value) != n) abort_links(value, arg, call)
    return(match(value, unique(value[!is.na(value)])))
  }
  pairs <- unname(as.matrix(value))
  row <- if (is.character(pairs)) match(pairs, problem$names) else pairs
  good <- is.numeric(row) & is.finite(row)
  good[good] <- row[good] >= 1 & row[good] <= n & row[good] == round(row[good])
  if (!all(good)) {
    wrong <- value_text(pairs[!good][1L])
    abort_input(
      arg, call,
      "The pairs in {.arg {arg}} must be numbers from 1 to {n}, or names, of two rows.",
      "You supplied {wrong}.",
      "Rows are counted in the data that you supply."
    )
  }
  row <- matrix(as.integer(row), ncol = 2L)
  same <- which(row[, 1L] == row[, 2L])
  if (length(same)) {
    abort_input(
      arg, call, "A pair in {.arg {arg}} must be of two different rows.",
      "Pair {same[1L]} is of {observation_text(row[same[1L], 1L], problem$names)} and itself.", "Leave it out."
    )
  }
  row
}

# Rows as they are shown; a unit by its first row.
rows_text <- function(rows, problem) {
  first <- problem$unit_row %||% seq_len(problem$n)
  vapply(first[rows], observation_text, "", problem$names)
}

# Are there enough groups for k clusters?
check_units <- function(units, k, call) {
  many <- count_inside(units)
  if (many < k) {
    abort_input(
      "together", call,
      "{.arg together} must leave at least {.arg k} groups or single rows of positive weight.",
      "It leaves {many} for {k} clusters.",
      "Lower {.arg k}, or put fewer rows together."
    )
  }
}

abort_clique <- function(clique, k, problem, call) {
  rows <- rows_text(utils::head(clique, k + 1L), problem)
  abort_input(
    "apart", call,
    "No partition into {k} cluster{?s} keeps all pairs of {.arg apart} apart.",
    "More rows than clusters are mutually apart: {rows}.",
    "Raise {.arg k}, or leave one of these pairs out."
  )
}

abort_cycle <- function(cycle, problem, call) {
  rows <- rows_text(cycle, problem)
  abort_input(
    "apart", call,
    "No partition into 2 clusters keeps all pairs of {.arg apart} apart.",
    "An odd number of rows is apart in a circle: {rows}.",
    "Raise {.arg k}, or leave one of these pairs out."
  )
}

abort_no_colouring <- function(rows, k, problem, call) {
  rows <- rows_text(rows, problem)
  abort_input(
    "apart", call,
    "No partition into {k} clusters keeps all pairs of {.arg apart} apart.",
    "All ways were tried for {length(rows)} rows that pairs link: {rows}.",
    "Raise {.arg k}, or leave pairs out."
  )
}

abort_colouring <- function(rows, k, problem, call) {
  rows <- rows_text(rows, problem)
  abort_input(
    "colouring", call,
    "No partition into {k} clusters was found that keeps all pairs of {.arg apart} apart.",
    "There may be one; {length(rows)} rows are linked by pairs: {rows}.",
    "Raise {.arg k}, or leave pairs out."
  )
}

# ---- methods ----

#' @export
input_text.kgroups_together_fit <- function(fit) {
  together <- fit$constraints$together
  rows <- sum(!is.na(together))
  groups <- length(unique(together[!is.na(together)]))
  c(NextMethod(), sprintf("Together: %d row%s in %d group%s", rows, plural(rows), groups, plural(groups)))
}

#' @export
input_text.kgroups_apart_fit <- function(fit) {
  many <- nrow(fit$constraints$apart)
  W_free <- fit$constraints$W_free
  rise <- if (!is.null(W_free) && W_free > 0) 100 * (fit$W / W_free - 1)
  c(
    NextMethod(),
    paste0(
      sprintf("Apart: %d pair%s", many, plural(many)),
      if (!is.null(rise)) if (rise < 1e-8) ", W is as without" else sprintf(", W is %.3g %% above that without", rise)
    )
  )
}
