source("tests/testthat/helper-sbm.R")
# Code that the benches of graphs share: graphs with planted groups, the limit of what can be found in
# them, and the csv of the page.

# n times the edge probabilities inside and across k equal groups at a signal to noise ratio.
sbm_rates <- function(k, degree, snr) {
  c(a = degree + (k - 1) * snr * sqrt(degree), b = degree - snr * sqrt(degree))
}

# Edges at random, expected degrees theta (mean 1) times the rates of the groups; probabilities cut at 1.
planted <- function(block, theta, a, b) {
  n <- length(block)
  P <- outer(theta, theta) * ifelse(outer(block, block, "=="), a, b) / n
  ends <- which(upper.tri(P) & matrix(runif(n * n), n) < P, arr.ind = TRUE)
  graph <- igraph::make_graph(t(ends), n = n, directed = FALSE)
  igraph::set_vertex_attr(graph, "block", value = block)
}
of_sizes <- function(sizes) rep(seq_along(sizes), sizes)
# Expected degrees with a tail like that of a Pareto law: hubs.
pareto <- function(n, tail) {
  theta <- runif(n)^(-1 / tail)
  theta / mean(theta)
}

# Puts rows of one part into vignettes/graphs.csv: in the place of the whole part, or, with `again`, of the rows
# of the same case and method, new ones after the others.
#   part, case, method; graphs: how many; k: groups found; value: overlap or adjusted Rand index,
#   se its standard error; modularity; seconds: processor time; mb: memory above the graph
page_rows <- function(part, rows, again = FALSE, file = "vignettes/graphs.csv") {
  columns <- c("part", "case", "method", "graphs", "k", "value", "se", "modularity", "seconds", "mb")
  rows$part <- part
  rows[setdiff(columns, names(rows))] <- NA
  rows <- rows[columns]
  there <- if (file.exists(file)) read.csv(file, colClasses = c(case = "character"))
  if (again) {
    at <- match(do.call(paste, rows[1:3]), do.call(paste, there[1:3]))
    there[stats::na.omit(at), ] <- rows[!is.na(at), ]
    rows <- rows[is.na(at), ]
  } else {
    there <- there[there$part != part, ]
  }
  write.csv(rbind(there, rows), file, row.names = FALSE, na = "", quote = 2:3)
}

# The best that any method can do on a graph of the stochastic block model: belief propagation
# with the true parameters, started from the planted groups. Plain R, nothing of the package.
#
# `a`, `b`: n times the edge probabilities inside and across groups; `share`: sizes of the
# groups as shares. Returns the most probable group of every vertex.
belief_limit <- function(graph, block, a, b, share = NULL, sweeps = 100) {
  n <- igraph::vcount(graph)
  k <- max(block)
  b <- max(b, 1e-6)
  prior <- if (is.null(share)) rep(0, k) else log(share)
  ends <- igraph::as_edgelist(graph, names = FALSE)
  from <- c(ends[, 1], ends[, 2]) # message e goes from[e] -> to[e]
  to <- c(ends[, 2], ends[, 1])
  m <- nrow(ends)
  back <- c(m + seq_len(m), seq_len(m))
  P <- matrix(0.2 / k, n, k)
  P[cbind(seq_len(n), block)] <- P[cbind(seq_len(n), block)] + 0.8
  M <- P[from, , drop = FALSE]
  softmax <- function(L) {
    L <- exp(L - L[cbind(seq_len(nrow(L)), max.col(L, ties.method = "first"))])
    L / rowSums(L)
  }
  for (sweep in seq_len(sweeps)) {
    field <- prior - (a - b) / n * colSums(P)
    term <- log(b + (a - b) * M)
    L <- matrix(field, n, k, byrow = TRUE)
    sums <- rowsum(term, to)
    at <- as.integer(rownames(sums))
    L[at, ] <- L[at, , drop = FALSE] + sums
    new <- softmax(L)
    M <- softmax(L[from, , drop = FALSE] - term[back, , drop = FALSE])
    change <- mean(abs(new - P))
    P <- new
    if (change < 1e-4) break
  }
  max.col(P, ties.method = "first")
}
