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
