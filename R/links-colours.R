# Pairs apart as a graph, and its colourings by as many colours as there are clusters.

colouring_defaults <- list(
  colourings = 30L, # greedy colourings of a component, from random costs;
  nodes = 20000L, # then so many steps with backtracking,
  tried = 500L # of components of at most so many rows
)

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
  if (length(clique) > k) abort_apart("clique", utils::head(clique, k + 1L), k, problem, call)
  cycle <- if (k == 2L) odd_cycle(graph, rows)
  if (!is.null(cycle)) abort_apart("cycle", cycle, k, problem, call)
  for (attempt in seq_len(colouring_defaults$colourings)) {
    found <- greedy_colours(graph, rows, matrix(stats::runif(length(rows) * k), ncol = k))
    if (!is.null(found)) {
      return(found)
    }
  }
  found <- if (length(rows) <= colouring_defaults$tried) backtracked_colours(graph, rows, k)
  if (is.null(found)) abort_colouring(rows, k, problem, call)
  if (anyNA(found)) abort_apart("all", rows, k, problem, call)
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
    if (nodes > colouring_defaults$nodes) {
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

# ---- errors ----

rows_text <- function(rows, problem) {
  first <- problem$unit_row %||% seq_len(problem$n)
  vapply(first[rows], observation_text, "", problem$names)
}

# No partition keeps the pairs apart. `why`: more than k rows are mutually apart (clique), an odd number is in a circle (cycle),
# all ways were tried (all).
abort_apart <- function(why, rows, k, problem, call) {
  rows <- rows_text(rows, problem)
  came <- switch(why,
    clique = "More rows than clusters are mutually apart: {rows}.",
    cycle = "An odd number of rows is apart in a circle: {rows}.",
    all = "All ways were tried for {length(rows)} rows that pairs link: {rows}."
  )
  hint <- "Raise {.arg k}, or leave one of these pairs out."
  abort_input("apart", call, "No partition into {k} cluster{?s} keeps all pairs of {.arg apart} apart.", came, hint)
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
