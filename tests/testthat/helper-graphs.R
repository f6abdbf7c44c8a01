# Slow references for graphs, written from the definitions.

# H_r of an adjacency matrix; weighted form where the entries are not all 0 or 1.
reference_bethe <- function(A, r) {
  A <- as.matrix(A)
  if (all(A %in% c(0, 1))) {
    return(diag((r^2 - 1) + rowSums(A), nrow(A)) - r * A)
  }
  (r^2 - 1) * (diag(1 + rowSums(A^2 / (r^2 - A^2)), nrow(A)) - r * A / (r^2 - A^2))
}

# Q = sum_l V_l / s_l, Eq. (41).
reference_Q <- function(B, cluster, w = rep(1, nrow(B))) {
  sum(vapply(unique(cluster), function(l) {
    at <- cluster == l
    if (sum(w[at]) == 0) 0 else sum(outer(w[at], w[at]) * B[at, at]) / sum(w[at])
  }, 0))
}

# The change of W for every single move of a point of positive weight whose cluster keeps
# another such point: the smallest.
reference_best_move <- function(B, cluster, k, w = rep(1, nrow(B))) {
  now <- reference_Q(B, cluster, w)
  best <- Inf
  for (i in which(w > 0)) {
    if (sum(cluster == cluster[i] & w > 0) < 2) next
    for (l in setdiff(seq_len(k), cluster[i])) {
      best <- min(best, now - reference_Q(B, replace(cluster, i, l), w))
    }
  }
  best
}

# Hartigan's method visiting points in turn, everything from scratch at every point.
reference_descent <- function(B, cluster, k, w = rep(1, nrow(B))) {
  repeat {
    moved <- FALSE
    for (i in which(w > 0)) {
      s <- vapply(seq_len(k), function(l) sum(w[cluster == l]), 0)
      V <- vapply(seq_len(k), function(l) {
        sum(outer(w, w)[cluster == l, cluster == l] * B[cluster == l, cluster == l])
      }, 0)
      scale <- (sum(w * abs(diag(B))) + sum(abs(V) / s)) / nrow(B)
      j <- cluster[i]
      if (sum(cluster == j & w > 0) < 2) next
      R <- vapply(seq_len(k), function(l) sum(w[cluster == l] * B[i, cluster == l]), 0)
      d2 <- B[i, i] - 2 * R / s + V / s^2
      change <- w[i] * s / (s + w[i]) * d2 - w[i] * s[j] / (s[j] - w[i]) * d2[j]
      change[j] <- Inf
      if (min(change) < -1e-10 * scale) {
        cluster[i] <- which.min(change)
        moved <- TRUE
      }
    }
    if (!moved) {
      return(cluster)
    }
  }
}

# Sweeps of belief propagation with all messages in an n x n x k array, in logarithms.
reference_belief <- function(A, P, rates, sweeps, learn, size_prior = FALSE) {
  n <- nrow(A)
  k <- ncol(P)
  a <- rates[1]
  b <- rates[2]
  M <- array(0, c(n, n, k)) # M[i, j, ]: what i tells j
  for (i in seq_len(n)) for (j in which(A[i, ] > 0)) M[i, j, ] <- P[i, ]
  S <- colSums(P)
  for (sweep in seq_len(sweeps)) {
    field <- -(a - b) / n * S + if (size_prior) log(S / n) else 0
    term <- function(i, j) log(b^A[i, j] + (a^A[i, j] - b^A[i, j]) * M[j, i, ])
    new <- M
    for (i in seq_len(n)) {
      near <- which(A[i, ] > 0)
      L <- field
      for (j in near) L <- L + term(i, j)
      P[i, ] <- exp(L - max(L)) / sum(exp(L - max(L)))
      for (j in near) {
        out <- L - term(i, j)
        new[i, j, ] <- exp(out - max(out)) / sum(exp(out - max(out)))
      }
    }
    M <- new
    S <- colSums(P)
    inside <- 0
    for (i in seq_len(n)) {
      for (j in which(A[i, ] > 0 & seq_len(n) > i)) {
        z <- sum(M[i, j, ] * M[j, i, ])
        v <- A[i, j]
        inside <- inside + v * a^v * z / (b^v + (a^v - b^v) * z)
      }
    }
    if (learn) {
      a <- max(0.01, 2 * n * inside / sum(S^2))
      b <- max(0.01, 2 * n * (sum(A) / 2 - inside) / (sum(S)^2 - sum(S^2)))
    }
  }
  list(P = P, rates = c(a, b))
}

karate <- function() {
  edges <- utils::read.csv(kgroups_example("karate_edges.csv"))
  igraph::graph_from_edgelist(as.matrix(edges), directed = FALSE)
}

karate_classes <- function() {
  utils::read.csv(kgroups_example("karate_labels.csv"))$class
}

# Graphs in which something can go wrong.
odd_graphs <- function() {
  clique <- igraph::make_full_graph
  list(
    one = igraph::make_empty_graph(1, directed = FALSE),
    none = igraph::make_empty_graph(6, directed = FALSE),
    edge = clique(2),
    star = igraph::make_star(20, mode = "undirected"),
    clique = clique(10),
    two_cliques = igraph::disjoint_union(clique(6), clique(6)),
    many_cliques = igraph::disjoint_union(rep(list(clique(4)), 30)),
    ring = igraph::make_ring(20),
    forest = igraph::disjoint_union(rep(list(clique(2)), 12)),
    isolated = igraph::disjoint_union(clique(5), igraph::make_empty_graph(9, directed = FALSE)),
    large_clique = clique(350),
    large_star = igraph::make_star(400, mode = "undirected")
  )
}

# The numbers of a partition of a sparse problem as the package computes them.
sparse_solution_of <- function(B, cluster, w) {
  off <- methods::as(methods::as(B, "CsparseMatrix"), "generalMatrix")
  diagonal <- Matrix::diag(off)
  Matrix::diag(off) <- 0
  problem <- new_sparse_problem(methods::as(Matrix::drop0(off), "CsparseMatrix"), diagonal, w, NULL)
  found <- solve_starts(problem, new_control(max(cluster), iter.max = 0), matrix(cluster), "given")
  scale <- c(cost = problem$w_unit, V = problem$w_unit^2, s = problem$w_unit, total = problem$w_unit)
  Map(`*`, found[names(scale)], scale)
}

# Q = sum_l V_l / s_l, Eq. (41), of a problem in the units of the user.
objective_of <- function(problem, cluster, k) {
  sums <- dispersion_sums(problem, cluster, k)
  s <- sum_by_label(problem$w, cluster, k)
  true_units(problem, sum(diag(sums$M) / s))
}

# Runs code while a function of the package is another one.
with_replaced <- function(name, value, code) {
  space <- asNamespace("kgroups")
  old <- get(name, space)
  set <- function(value) {
    unlockBinding(name, space)
    assign(name, value, space)
    lockBinding(name, space)
  }
  on.exit(set(old))
  set(value)
  force(code)
}
