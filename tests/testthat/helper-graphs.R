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

# Hartigan's method processing points in turn, everything from scratch at every point.
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

# Belief propagation of a stochastic block model with all messages in an n x n x k array, in
# logarithms, every mean y_ij(q, s) written out. An edge without weights has 1 - exp(-y), one of weight v
# has y^v exp(-y). has: theta (a vector), sizes, norm, bins (list(bin, share)) or NULL. rates: n a
# and n b. Returns P, rates, the free energy of the end, what stands for the vertices alone
# (alone, n x k) and for each edge (psi, a function of i and j).
reference_belief <- function(A, P, rates, sweeps, learn, has) {
  n <- nrow(A)
  k <- ncol(P)
  weighted <- !all(A %in% c(0, 1))
  theta <- if (is.null(has$theta)) rep(1, n) else has$theta
  M <- array(0, c(n, n, k)) # M[i, j, ]: what i determines j
  for (i in seq_len(n)) for (j in which(A[i, ] > 0)) M[i, j, ] <- P[i, ]
  shape <- function() {
    N <- colSums(P)
    S <- colSums(theta * P)
    log_g <- if (has$sizes) log(N / n) else rep(-log(k), k)
    rho <- if (has$norm) N / S else rep(1, k)
    X <- matrix(0, n, k)
    if (!is.null(has$bins)) {
      for (i in seq_len(n)) {
        p <- has$bins$share[has$bins$bin[i]]
        C <- colSums(P[has$bins$bin == has$bins$bin[i], , drop = FALSE])
        X[i, ] <- log((C + 20 * p) / (N + 20) / p)
      }
    }
    list(log_g = log_g, rho = rho, X = X, N = N)
  }
  y_of <- function(i, j) {
    W <- matrix(rates[2], k, k)
    diag(W) <- rates[1]
    theta[i] * theta[j] * outer(now$rho, now$rho) * W / n
  }
  psi <- function(i, j) if (weighted) y_of(i, j)^A[i, j] * exp(-y_of(i, j)) else -expm1(-y_of(i, j))
  h_of <- function(i) {
    h <- numeric(k)
    for (u in setdiff(which(A[i, ] == 0), i)) h <- h + as.vector(y_of(i, u) %*% P[u, ])
    h
  }
  L_of <- function(i) {
    L <- now$log_g + now$X[i, ] - h_of(i)
    for (j in which(A[i, ] > 0)) L <- L + log(as.vector(psi(i, j) %*% M[j, i, ]))
    L
  }
  now <- shape()
  for (sweep in seq_len(sweeps)) {
    for (i in if (sweep %% 2) seq_len(n) else rev(seq_len(n))) {
      L <- L_of(i)
      P[i, ] <- exp(L - max(L)) / sum(exp(L - max(L)))
      for (j in which(A[i, ] > 0)) {
        out <- L - log(as.vector(psi(i, j) %*% M[j, i, ]))
        M[i, j, ] <- exp(out - max(out)) / sum(exp(out - max(out)))
      }
    }
    # expected edges and pairs, with the parameters that the beliefs were made with
    E <- matrix(0, k, k)
    own <- matrix(0, k, k)
    for (i in seq_len(n)) {
      for (j in which(A[i, ] > 0)) {
        pair <- psi(i, j) * outer(M[i, j, ], M[j, i, ])
        E <- E + (if (weighted) A[i, j] else y_of(i, j) / psi(i, j)) * pair / sum(pair)
      }
      own <- own + theta[i]^2 * outer(now$rho * P[i, ], now$rho * P[i, ])
    }
    if (learn) {
      S <- if (has$norm) colSums(P) else colSums(theta * P)
      pairs <- outer(S, S) - own
      inside <- sum(diag(pairs))
      rates <- pmax(0.01, n * c(sum(diag(E)) / inside, (sum(E) - sum(diag(E))) / (sum(pairs) - inside)))
    }
    now <- shape()
  }
  energy <- 0
  alone <- matrix(0, n, k)
  for (i in seq_len(n)) {
    alone[i, ] <- exp(now$log_g + now$X[i, ] - h_of(i))
    energy <- energy - log(sum(exp(L_of(i)))) - sum(P[i, ] * h_of(i)) / 2
    for (j in which(A[i, ] > 0 & seq_len(n) > i)) {
      energy <- energy + log(sum(psi(i, j) * outer(M[i, j, ], M[j, i, ])))
    }
  }
  pairs <- list()
  for (i in seq_len(n)) for (j in which(A[i, ] > 0 & seq_len(n) > i)) pairs[[paste(i, j)]] <- psi(i, j)
  h <- t(vapply(seq_len(n), h_of, numeric(k)))
  list(P = P, rates = rates, energy = energy, alone = alone, psi = pairs, h = matrix(h, n))
}

# Equal groups with Pareto weights of the vertices as the expected degrees.
sample_hubs <- function(n, k, degree, snr, tail) {
  block <- rep(seq_len(k), length.out = n)
  theta <- runif(n)^(-1 / tail)
  theta <- theta / mean(theta)
  a <- degree + (k - 1) * snr * sqrt(degree)
  b <- degree - snr * sqrt(degree)
  P <- outer(theta, theta) * ifelse(outer(block, block, "=="), a, b) / n
  ends <- which(upper.tri(P) & matrix(runif(n * n), n) < P, arr.ind = TRUE)
  graph <- igraph::make_graph(t(ends), n = n, directed = FALSE)
  igraph::set_vertex_attr(graph, "block", value = block)
}

# The number of communities of vertices with edges; isolated ones have their own.
linked_communities <- function(found) length(found) - found$isolated

karate <- function() {
  edges <- utils::read.csv(system.file("extdata", "karate_edges.csv", package = "kgroups"))
  igraph::graph_from_edgelist(as.matrix(edges), directed = FALSE)
}

karate_classes <- function() {
  utils::read.csv(system.file("extdata", "karate_labels.csv", package = "kgroups"))$class
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
    large_clique = clique(repeats(120, 350)),
    large_star = igraph::make_star(repeats(150, 400), mode = "undirected")
  )
}

# The numbers of a partition of a sparse problem as the package computes them.
sparse_solution_of <- function(B, cluster, w) {
  off <- methods::as(methods::as(B, "CsparseMatrix"), "generalMatrix")
  diagonal <- Matrix::diag(off)
  Matrix::diag(off) <- 0
  problem <- new_problem(
    new_sparse_store(methods::as(Matrix::drop0(off), "CsparseMatrix"), diagonal), NULL, as.double(w)
  )
  found <- solve_starts(problem, new_control(max(cluster), iter.max = 0), matrix(cluster), "given")
  scale <- c(cost = problem$w_unit, V = problem$w_unit^2, s = problem$w_unit, total = problem$w_unit)
  Map(`*`, found[names(scale)], scale)
}

# Q = sum_l V_l / s_l, Eq. (41), of a problem in the units of the user.
objective_of <- function(problem, cluster, k) {
  sums <- dispersion_sums(problem, cluster, k)
  s <- sum_by(problem$w, cluster, k)
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


# The symmetric stochastic block model with k equal groups (the first ones a vertex larger if k does not
# divide n), mean degree d and lambda = (a - b) / (k sqrt(d)): probabilities a / n inside and b / n across.
sample_sparse_sbm <- function(n, k, degree, snr) {
  inside <- (degree + (k - 1) * snr * sqrt(degree)) / n
  outside <- if (k == 1) inside else (degree - snr * sqrt(degree)) / n
  # snr = sqrt(degree) leaves outside = 0 up to rounding
  probability <- matrix(max(outside, 0), k, k)
  diag(probability) <- max(inside, 0)
  sizes <- rep(n %/% k, k) + (seq_len(k) <= n %% k)
  graph <- igraph::sample_sbm(n, probability, sizes)
  igraph::set_vertex_attr(graph, "block", value = rep(seq_len(k), sizes))
}
