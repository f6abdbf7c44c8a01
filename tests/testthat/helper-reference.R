# Slow references, written from the definitions. Nothing here calls the package's C code.

# rho between the rows of x and y, from the formulas of the semimetrics.
reference_rho <- function(x, y = x, semimetric) {
  x <- as.matrix(x)
  y <- as.matrix(y)
  d <- matrix(0, nrow(x), nrow(y))
  for (i in seq_len(nrow(x))) {
    for (j in seq_len(nrow(y))) d[i, j] <- sqrt(sum((x[i, ] - y[j, ])^2))
  }
  reference_transform(d, semimetric)
}

reference_transform <- function(d, semimetric) {
  a <- semimetric$parameter
  switch(semimetric$family,
    power = d^a,
    exponential = 2 - 2 * exp(-d / (2 * a)),
    gaussian = 2 - 2 * exp(-d^2 / (2 * a^2))
  )
}

# W, S, total, g of a partition from the matrix P of rho, Eqs. (13), (15), (16), (18).
reference_statistics <- function(P, cluster, w = rep(1, nrow(P))) {
  groups <- sort(unique(cluster))
  k <- length(groups)
  g <- matrix(0, k, k)
  s <- numeric(k)
  for (a in seq_len(k)) {
    A <- which(cluster == groups[a])
    s[a] <- sum(w[A])
    for (b in seq_len(k)) {
      B <- which(cluster == groups[b])
      g[a, b] <- sum(outer(w[A], w[B]) * P[A, B]) / (sum(w[A]) * sum(w[B]))
    }
  }
  S <- 0
  for (a in seq_len(k)) {
    for (b in seq_len(k)) {
      if (a < b) S <- S + s[a] * s[b] / (2 * sum(s)) * (2 * g[a, b] - g[a, a] - g[b, b])
    }
  }
  list(
    W = sum(s / 2 * diag(g)), S = S, g = g, s = s, within = s / 2 * diag(g),
    total = sum(outer(w, w) * P) / (2 * sum(w))
  )
}

# W of a partition of weighted points, only that.
reference_W <- function(P, cluster, w = rep(1, nrow(P))) {
  sum(vapply(unique(cluster), function(l) {
    A <- which(cluster == l)
    if (sum(w[A]) == 0) 0 else sum(outer(w[A], w[A]) * P[A, A]) / (2 * sum(w[A]))
  }, 0))
}

# d2_il from the matrix P, by the definition of the feature-space distance.
reference_d2 <- function(P, cluster, w = rep(1, nrow(P)), k = max(cluster)) {
  out <- matrix(0, nrow(P), k)
  for (l in seq_len(k)) {
    A <- which(cluster == l)
    s <- sum(w[A])
    out[, l] <- as.vector(P[, A, drop = FALSE] %*% w[A]) / s -
      sum(outer(w[A], w[A]) * P[A, A]) / (2 * s^2)
  }
  out
}

# Largest fall of W that any single move of a point of positive weight can bring, over
# clusters that keep a point of positive weight. 0 if none helps.
reference_best_fall <- function(P, cluster, w = rep(1, nrow(P)), k = max(cluster)) {
  now <- reference_W(P, cluster, w)
  best <- 0
  for (i in which(w > 0)) {
    if (sum(w > 0 & cluster == cluster[i]) < 2) next
    for (l in setdiff(seq_len(k), cluster[i])) {
      moved <- cluster
      moved[i] <- l
      best <- max(best, now - reference_W(P, moved, w))
    }
  }
  best
}

# All partitions of n points into exactly k groups, as restricted growth strings.
all_partitions <- function(n, k) {
  grow <- function(prefix, used) {
    if (length(prefix) == n) {
      return(if (used == k) list(prefix) else list())
    }
    if (used + n - length(prefix) < k) {
      return(list())
    }
    out <- list()
    for (l in seq_len(min(used + 1L, k))) {
      out <- c(out, grow(c(prefix, l), max(used, l)))
    }
    out
  }
  grow(1L, 1L)
}

# The same as rows of a matrix, made once for every n and k.
partition_rows <- function(n, k) {
  key <- paste(n, k)
  if (is.null(partitions_of_session[[key]])) {
    partitions_of_session[[key]] <- matrix(as.integer(unlist(all_partitions(n, k))), ncol = n, byrow = TRUE)
  }
  partitions_of_session[[key]]
}

partitions_of_session <- new.env()

# W of each row of labels by its definition, all rows at once.
W_of_rows <- function(P, labels, w = rep(1, nrow(P))) {
  W <- numeric(nrow(labels))
  for (l in seq_len(max(labels, 0L))) {
    Z <- (labels == l) * rep(w, each = nrow(labels))
    total <- rowSums(Z)
    W <- W + ifelse(total > 0, rowSums(Z %*% P * Z) / (2 * total), 0)
  }
  W
}

reference_optimum <- function(P, k, w = rep(1, nrow(P))) min(W_of_rows(P, partition_rows(nrow(P), k), w))

# The built-in semimetrics, in a form that fits points of unit scale.
test_semimetrics <- function() {
  list(
    rho_power(1), rho_power(0.5), rho_power(1.5), rho_power(2), rho_power(0.7),
    rho_exponential(1), rho_gaussian(1)
  )
}

# A mixture whose clusters overlap, weighted or not.
overlapping <- function(n, k, d = 3) {
  centres <- matrix(rnorm(k * d, sd = 1.5), k)
  centres[sample(k, n, TRUE), ] + matrix(rnorm(n * d), n)
}

# A random problem: points, weights of several kinds.
random_weights <- function(n, kind) {
  switch(kind,
    unit = rep(1, n),
    integer = as.numeric(sample(3, n, replace = TRUE)),
    real = stats::rexp(n),
    zero = replace(stats::rexp(n), sample(n, max(1, n %/% 4)), 0)
  )
}

same_partition <- function(a, b) {
  identical(match(a, unique(a)), match(b, unique(b)))
}

# A message that is reported once a session is reported every time here.
options(rlib_warning_verbosity = "verbose")
# W, S and total by sums that carry what they lose (Neumaier's form of Kahan's sum), and
# coordinates that are differences first: the reference for ill-conditioned input.

exact_sum <- function(x) {
  sum <- 0
  lost <- 0
  for (one in x) {
    next_sum <- sum + one
    lost <- lost + if (abs(sum) >= abs(one)) (sum - next_sum) + one else (one - next_sum) + sum
    sum <- next_sum
  }
  sum + lost
}

# W of labels in units of 2^exponent, so that scales of 1e150 stay in range: x is divided by it.
exact_W <- function(x, cluster, alpha = 1, w = rep(1, nrow(x))) {
  x <- as.matrix(x)
  e <- floor(log2(max(abs(x - rep(x[1L, ], each = nrow(x))), 2^-1000)))
  terms <- lapply(unique(cluster), function(l) {
    rows <- which(cluster == l)
    if (length(rows) < 2L) {
      return(0)
    }
    pairs <- utils::combn(rows, 2L)
    d <- vapply(seq_len(ncol(pairs)), function(p) {
      apart <- (x[pairs[1L, p], ] - x[pairs[2L, p], ]) * 2^-e
      sqrt(exact_sum(apart^2))
    }, 0)
    exact_sum(w[pairs[1L, ]] * w[pairs[2L, ]] * d^alpha) / exact_sum(w[rows])
  })
  exact_sum(unlist(terms)) * (2^alpha)^e
}

# Landmark features from the definition: inner products phi(x).phi(y) = c(x)' A^+ c(y), with the
# values centred on the landmarks' mean and A^+ the pseudo-inverse of their own matrix. B is the
# full matrix -rho/2 or G, `rows` the landmarks.
reference_landmark_gram <- function(B, rows) {
  m <- length(rows)
  A <- B[rows, rows]
  C <- B[, rows]
  centre <- function(values) {
    t(t(values - rowMeans(values)) - (colMeans(A) - mean(A)))
  }
  e <- eigen((centre(A) + t(centre(A))) / 2, symmetric = TRUE)
  used <- e$values > 1e-10 * max(e$values)
  inverse <- e$vectors[, used, drop = FALSE] %*% (t(e$vectors[, used, drop = FALSE]) / e$values[used])
  C <- centre(C)
  C %*% inverse %*% t(C)
}

# |phi(x)|^2 in full, so that its excess over the diagonal above is what landmarks miss.
reference_self <- function(B, rows) {
  diag(B) - 2 * rowMeans(B[, rows]) + mean(B[rows, rows])
}

# Three clouds in the plane; well apart, so that every good method finds them.
three_clouds <- function(n = 60, shift = 6) {
  cbind(rnorm(n), rnorm(n)) + shift * cbind(rep(0:2, length.out = n) == 1, rep(0:2, length.out = n) == 2)
}

# Slow references for one dimension, from the definitions.

# Least W over ALL set partitions of the points into k groups that are not empty, by
# restricted growth strings, one W a partition.
best_of_all_partitions <- function(x, w, k) {
  P <- abs(outer(x, x, "-")) * outer(w, w)
  n <- length(x)
  subsets <- 2^n - 1
  bits <- bitwAnd(rep(seq_len(subsets), each = n), 2^(seq_len(n) - 1)) > 0
  member <- matrix(bits, n)
  cost <- colSums(member * (P %*% member)) / (2 * colSums(member * w))
  # best[S] for j groups: one group holds the first point of S, the rest is split in j - 1
  best <- cost
  for (j in seq_len(k - 1L)) {
    following <- rep(Inf, subsets)
    for (set in seq_len(subsets)) {
      lowest <- bitwAnd(set, -set)
      sub <- set
      while (sub > 0) {
        rest <- set - sub
        if (rest > 0 && bitwAnd(sub, lowest) > 0) {
          following[set] <- min(following[set], cost[sub] + best[rest])
        }
        sub <- bitwAnd(sub - 1L, set)
      }
    }
    best <- following
  }
  best[subsets]
}

# Least W over partitions into 1 to k runs of the sorted data: O(n^2 k) once all runs have
# their cost.
best_of_runs <- function(x, w, k) {
  ord <- order(x)
  x <- x[ord]
  w <- w[ord]
  n <- length(x)
  P <- abs(outer(x, x, "-")) * outer(w, w)
  cost <- matrix(Inf, n, n)
  for (a in seq_len(n)) {
    inner <- 0
    for (b in a:n) {
      inner <- inner + sum(P[a:b, b])
      cost[a, b] <- inner / sum(w[a:b])
    }
  }
  best <- cost[1, ]
  least <- best[n]
  for (j in seq_len(k - 1L)) {
    best <- vapply(seq_len(n), function(b) {
      if (b == 1L) Inf else min(best[seq_len(b - 1L)] + cost[2:b, b])
    }, 0)
    least <- c(least, best[n])
  }
  least
}

# ---- choice of k ----

# Slow references for the criteria, from their definitions.

reference_silhouette <- function(P, cluster, w = rep(1, nrow(P))) {
  width <- vapply(seq_len(nrow(P)), function(i) {
    own <- setdiff(which(cluster == cluster[i]), i)
    if (length(own) == 0) {
      return(0)
    }
    a <- sum(w[own] * P[i, own]) / sum(w[own])
    b <- min(vapply(setdiff(unique(cluster), cluster[i]), function(l) {
      other <- which(cluster == l)
      sum(w[other] * P[i, other]) / sum(w[other])
    }, 0))
    (b - a) / max(a, b)
  }, 0)
  sum(w * width) / sum(w)
}

# Labels of all points from the clusters of some: nearest mean, the members keep theirs.
reference_extend <- function(P, rows, labels, k) {
  out <- vapply(seq_len(nrow(P)), function(i) {
    d2 <- vapply(seq_len(k), function(l) {
      A <- rows[labels == l]
      mean(P[i, A]) - sum(P[A, A]) / (2 * length(A)^2)
    }, 0)
    which.min(d2)
  }, 1L)
  out[rows] <- labels
  out
}

three_groups <- function(n = 20, apart = 5, columns = 2) {
  x <- matrix(rnorm(3 * n * columns), ncol = columns)
  x[, 1] <- x[, 1] + rep(c(0, apart, 2 * apart), each = n)
  x
}
