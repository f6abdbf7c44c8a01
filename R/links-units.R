# Units of the constraints: groups of rows that stay together, and single rows. They are observations in the feature
# space, the means of their rows, for which values of B are sums over rows; no matrix of pairs is made above `small_n`
# units.

# Return the units, a list:
#   group     the unit of each row
#   w, count  sums of weights, and numbers of rows of positive weight
#   problem   a problem of the units: exact if they are few or single rows, else with the coordinates of their means (or
#             one row of each), for starts
#   exact     is it?
#   within    dispersions within units that W of the exact problem lacks, NULL if it lacks none
#   own       weighted means of the values that W of the rows has beside -sum V / s
#   self      B_uu;   row(u)  B_u.;   at(u, v)  B_uv
#   sums(labels, k)  R_ul = sum over the units v of cluster l of w_v B_uv
new_units <- function(problem, together) {
  group <- if (is.null(together)) seq_len(problem$n) else unit_numbers(together)
  m <- max(group)
  weight <- if (m < problem$n) sum_by(problem$w, group, m) else problem$w
  inside <- problem$w > 0
  units <- list(group = group, w = weight, count = tabulate(group[inside], m), exact = TRUE, problem = problem)
  if (m == problem$n) {
    units$own <- self_values(problem)
    return(c(units, row_values(problem)))
  }
  # in a group of weight 0 all rows count alike
  even <- problem
  even$w <- replace(problem$w, weight[group] == 0, 1)
  if (m > small_n) {
    units$problem <- proxy_problem(even, group, weight)
    units$exact <- FALSE
    units$own <- sum_by(even$w * self_values(problem), group, m) / sum_by(even$w, group, m)
    return(c(units, group_values(problem, even, group, m)))
  }
  grouped <- grouped_problem(even, group, weight)
  units[c("problem", "within")] <- grouped
  units$own <- ifelse(weight > 0, grouped$within / weight, 0)
  c(units, row_values(units$problem))
}

# Number the units by first appearance: groups, and rows in none.
unit_numbers <- function(together) {
  key <- ifelse(is.na(together), -seq_along(together), together)
  match(key, unique(key))
}

# Values of B between the observations of a problem.
row_values <- function(problem) {
  store <- problem$store
  self <- self_values(problem)
  sums <- function(labels, k) group_sums(problem, labels, k)
  if (problem$n <= small_n) {
    B <- store_values(store)
    return(list(self = self, row = function(i) B[, i], at = function(i, j) B[cbind(i, j)], sums = sums))
  }
  at <- if (inherits(store, "kgroups_sparse")) {
    function(i, j) (self[i] + self[j] - store_rho(store, i, j)) / 2
  } else {
    function(i, j) .Call(ffi_pairs_at, store, as.integer(i), as.integer(j))
  }
  list(self = self, row = function(i) at(rep(i, problem$n), seq_len(problem$n)), at = at, sums = sums)
}

# list(problem, within): the problem of groups of rows, in whose store B = -rho/2 with rho half the energy distance, and
# the dispersions within groups (internal units).
grouped_problem <- function(problem, group, weight) {
  m <- length(weight)
  s <- sum_by(problem$w, group, m)
  sums <- dispersion_sums(problem, group, m)
  within <- sums$within %||% (sums$t - diag(sums$M) / s)
  # the mean of rho within a group is twice own: B_gh = M_gh / (s_g s_h) less half the means of B_xx, plus half of both
  # own
  half <- (within / s - sums$t / s) / 2
  B <- sums$M
  sums$M <- NULL
  # in place: m^2 values
  for (j in seq_len(m)) B[, j] <- B[, j] / (s * s[j]) + (half + half[j])
  diag(B) <- 0
  units <- new_problem(new_dense_store(B), problem$names[!duplicated(group)], weight)
  units[c("w", "w_unit")] <- list(weight, 1)
  list(problem = units, within = ifelse(weight > 0, within, 0))
}

# Values of B between units as means over their rows, from rows when requested. `even` has positive weights in each
# unit.
group_values <- function(problem, even, group, m) {
  n <- problem$n
  share <- even$w / sum_by(even$w, group, m)[group]
  first <- which(!duplicated(group))
  rows <- split(seq_len(n), factor(group, seq_len(m)))
  many <- lengths(rows)
  tied <- which(many > 1L)
  inside <- unlist(rows[tied], use.names = FALSE)
  at_tied <- match(group[inside], tied)
  values <- row_values(problem)
  # means over the rows of units, of the columns of x
  means <- function(x) {
    out <- x[first, , drop = FALSE]
    out[tied, ] <- sum_by(share[inside] * x[inside, , drop = FALSE], at_tied, length(tied))
    out
  }
  all_rows <- function(v) {
    slow <- length(v) * 20 < n && !inherits(problem$store, "kgroups_sparse")
    if (slow) {
      Reduce(`+`, lapply(v, function(i) share[i] * values$row(i)))
    } else {
      store_product(problem$store, replace(numeric(n), v, share[v]))
    }
  }
  at <- function(u, v) {
    times <- many[u] * many[v]
    pair <- rep(seq_along(u), times)
    within <- sequence(times) - 1L
    i <- unlist(rows[u], use.names = FALSE)[rep(cumsum(many[u]) - many[u], times) + within %/% many[v][pair] + 1L]
    j <- unlist(rows[v], use.names = FALSE)[rep(cumsum(many[v]) - many[v], times) + within %% many[v][pair] + 1L]
    sum_by(share[i] * share[j] * values$at(i, j), pair, length(u))
  }
  self <- values$self[first]
  for (u in tied) {
    v <- rows[[u]]
    self[u] <- if (many[u]^2 < n) at(u, u) else sum(share[v] * all_rows(v)[v])
  }
  list(
    self = self, row = function(u) means(as.matrix(all_rows(rows[[u]])))[, 1L], at = at,
    sums = function(labels, k) means(values$sums(labels[group], k))
  )
}

# A problem whose observations lie near the units: the means of coordinates, else the first rows of groups.
proxy_problem <- function(problem, group, weight) {
  first <- which(!duplicated(group))
  out <- subset_problem(problem, first)
  out$w <- weight
  out$weighted <- TRUE
  if (identical(class(problem$store), class(new_points_store(matrix(0), numeric())))) {
    m <- length(first)
    out$store$x <- sum_by(problem$w * problem$store$x, group, m) / sum_by(problem$w, group, m)
  }
  out
}

# The label of the largest weight in each unit; every cluster keeps a unit.
majority_labels <- function(labels, problem, units, k) {
  w <- problem$w
  w <- if (min(units$w) > 0) w else w + max(w) * 1e-12
  m <- length(units$w)
  shares <- vapply(seq_len(k), function(l) sum_by(w * (labels == l), units$group, m), numeric(m))
  fill_clusters(max.col(matrix(shares, ncol = k), ties.method = "first"), units$w, k)
}

# ---- the pairs apart as a graph ----

# list(pairs, from, to, near, component): from and to hold each pair both ways, `near` the neighbours of each unit,
# `component` the units of each component of two or more.
conflict_graph <- function(pairs, n) {
  from <- c(pairs[, 1L], pairs[, 2L])
  to <- c(pairs[, 2L], pairs[, 1L])
  near <- vector("list", n)
  linked <- sort(unique(from))
  near[linked] <- split(to, factor(from, linked))
  member <- pair_components(pairs, n)[linked]
  list(pairs = pairs, from = from, to = to, near = near, component = unname(split(linked, member)))
}

# The number of the component of each of n vertices, by first appearance.
pair_components <- function(pairs, n) {
  member <- igraph::components(igraph::make_graph(t(pairs), n = n, directed = FALSE))$membership
  match(member, unique(member))
}

distinct_pairs <- function(pairs) {
  pairs <- cbind(pmin(pairs[, 1L], pairs[, 2L]), pmax(pairs[, 1L], pairs[, 2L]))
  storage.mode(pairs) <- "integer"
  unique(pairs)
}

is_broken <- function(graph, labels) labels[graph$pairs[, 1L]] == labels[graph$pairs[, 2L]]

# Colours of some members one after another: the fewest colours left first (DSATUR, Brélaz 1979), then most rows, then
# the largest regret; NULL if a unit has none left. `limits`: the least and the largest number of rows of a colour;
# `fixed`: colours of the other units, 0 for members.
greedy_colours <- function(graph, members, cost, count = NULL, limits = NULL, fixed = NULL) {
  k <- ncol(cost)
  colour <- integer(length(members))
  if (any(fixed > 0L)) {
    at <- which(fixed[graph$to] > 0L & graph$from %in% members)
    cost[cbind(match(graph$from[at], members), fixed[graph$to[at]])] <- Inf
  }
  filled <- if (any(fixed > 0L)) sum_by(count[fixed > 0L], fixed[fixed > 0L], k) else numeric(k)
  count <- count[members] %||% numeric(length(members))
  if (!is.null(limits)) cost[outer(count, filled, "+") > limits[2L]] <- Inf
  near <- lapply(graph$near[members], function(near) stats::na.omit(match(near, members)))
  left <- rowSums(is.finite(cost))
  regret <- row_regret(cost)
  for (step in seq_along(members)) {
    open <- which(colour == 0L)
    i <- open[order(left[open], -count[open], -regret[open])[1L]]
    own <- cost[i, ]
    if (!is.null(limits) && sum(count[open]) <= sum(pmax(limits[1L] - filled, 0))) own[filled >= limits[1L]] <- Inf
    l <- which.min(own)
    if (!is.finite(own[l])) {
      return(NULL)
    }
    colour[i] <- l
    filled[l] <- filled[l] + count[i]
    barred <- near[[i]][colour[near[[i]]] == 0L]
    if (!is.null(limits)) barred <- union(barred, open[open != i & filled[l] + count[open] > limits[2L]])
    barred <- barred[is.finite(cost[barred, l])]
    cost[barred, l] <- Inf
    left[barred] <- left[barred] - 1L
    regret[barred] <- row_regret(cost[barred, , drop = FALSE])
  }
  if (is.null(limits) || all(within_limits(filled, limits))) colour
}

# The second least cost less the least; Inf if there is one alone.
row_regret <- function(cost) {
  if (nrow(cost) == 0L) {
    return(numeric())
  }
  at <- cbind(seq_len(nrow(cost)), max.col(-cost, ties.method = "first"))
  second <- row_least(replace(cost, at, Inf))
  ifelse(is.finite(second), second - cost[at], Inf)
}

# The graph with `colours` of each component whose units have k neighbours or more, from random costs; an error if none
# are found.
with_colours <- function(graph, k, rows, call) {
  degree <- lengths(graph$near)
  graph$colours <- lapply(graph$component, function(members) {
    if (max(degree[members]) < k) {
      return(NULL)
    }
    for (attempt in seq_len(links_defaults$colourings)) {
      found <- greedy_colours(graph, members, matrix(stats::runif(length(members) * k), ncol = k))
      if (!is.null(found)) {
        return(found)
      }
    }
    clique <- large_clique(graph, members)
    if (length(clique) > k) abort_clique(rows(utils::head(clique, k + 1L)), k, call)
    abort_colouring(rows(members), k, call)
  })
  graph
}

# A clique by adding neighbours of the highest degree, from each unit.
large_clique <- function(graph, members) {
  degree <- lengths(graph$near)
  best <- integer()
  for (i in members[order(-degree[members])][seq_len(min(length(members), 200L))]) {
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

# ---- errors ----

rows_text <- function(rows, problem) vapply(rows, observation_text, "", problem$names)

abort_clique <- function(rows, k, call) {
  abort_input(
    "apart", call, "No partition into {k} cluster{?s} keeps all pairs of `apart` apart.",
    "More rows than clusters are mutually apart: {rows}.",
    "Raise `k`, or leave one of these pairs out."
  )
}

# Two colours are found if there are any.
abort_colouring <- function(rows, k, call) {
  if (k <= 2L) {
    abort_input(
      "apart", call, "No partition into {k} cluster{?s} keeps all pairs of `apart` apart.",
      "An odd number of these rows is apart in a circle: {rows}.",
      "Raise `k`, or leave one of these pairs out."
    )
  }
  abort_input(
    "colouring", call, "No partition into {k} clusters was found that keeps all pairs of `apart` apart.",
    "There may be one; {length(rows)} rows are linked by pairs: {rows}.",
    "Raise `k`, or leave pairs out."
  )
}

abort_no_start <- function(graph, k, call) {
  limits <- graph$limits
  came <- if (is.null(limits)) {
    "Each cluster needs a row of positive weight."
  } else {
    "Sizes are from {limits[1L]} to {limits[2L]}; {nrow(graph$pairs)} pair{?s} of groups or rows must be apart."
  }
  abort_input(
    "colouring", call, "No partition into {k} cluster{?s} was found that satisfies all constraints.", came,
    "Raise `k`, leave pairs out, or allow other sizes."
  )
}
