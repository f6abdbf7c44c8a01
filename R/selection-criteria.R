# Criteria that need nothing but the fits to the data themselves. Each returns a list of
# value (one a k, NA where undefined) and reason (why it is NA, or NA).

undefined <- function(ks) list(value = rep(NA_real_, length(ks)), reason = rep(NA_character_, length(ks)))

# (W[k-1] - W[k]) / (W[k] - W[k+1]). `W` is named by k and holds the neighbours of ks too.
# Infinite where W falls to k and no further, as at the number of distinct observations.
drop_ratio <- function(W, ks, n, total) {
  out <- undefined(ks)
  at <- function(k) unname(W[as.character(k)])
  for (i in seq_along(ks)) {
    k <- ks[i]
    if (k == 1L || k == n) {
      out$reason[i] <- sprintf("there is no W for %d clusters", if (k == 1L) 0L else n + 1L)
      next
    }
    before <- at(k - 1L) - at(k)
    after <- at(k) - at(k + 1L)
    if (vanishes(before, total)) {
      out$reason[i] <- "W does not fall any more"
    } else {
      out$value[i] <- if (vanishes(after, total)) Inf else before / after
    }
  }
  out
}

# F = [S / (k - 1)] / [W / (s - k)], s the total weight (DISCO, Rizzo and Szekely 2010).
disco_ratio <- function(W, total, ks, s) {
  out <- undefined(ks)
  for (i in seq_along(ks)) {
    k <- ks[i]
    out$reason[i] <- if (k == 1L) {
      "one cluster has no between dispersion"
    } else if (vanishes(W[i], total)) {
      "W is not above 0"
    } else if (s <= k) {
      "the total weight is not above k"
    } else {
      NA_character_
    }
    if (is.na(out$reason[i])) out$value[i] <- (total - W[i]) / (k - 1) / (W[i] / (s - k))
  }
  out
}

# Mean silhouette of a partition: the widths of R/fit-geometry.R, from sums over the pairs.
mean_silhouette <- function(problem, cluster, k) {
  w <- problem$w
  self <- self_values(problem)
  R <- group_sums(problem, cluster, k)
  s <- sum_by(w, cluster, k)
  T <- sum_by(w * self, cluster, k)
  mean <- outer(self, T / s, "+") - 2 * t(t(R) / s)
  silhouette_mean(partition_silhouette(cluster, new_geometry(mean, w, s, cluster))$width, w)
}

# lambda[k+1] - lambda[k], lambda the ascending eigenvalues of I - D^-1 A with A = 1 - rho/2
# for the bounded semimetrics, exp(-rho / median rho) otherwise, D the row sums of A. With
# weights A_ij counts w_j times, as replicated observations would.
eigengaps <- function(problem, ks) {
  n <- problem$n
  out <- undefined(ks)
  out$reason[ks == n] <- "there are only n eigenvalues"
  inside <- ks < n
  if (!any(inside)) {
    return(out)
  }
  check_memory(24 * n^2, n, "the Laplacian", call = NULL)
  A <- normalized_affinity(problem)
  most <- max(ks[inside]) + 1L
  values <- if (n <= 300L || most > n / 3) {
    dense_eigenvalues(A)
  } else {
    eigs_of_matrix(A, most, "LA", opts = list(retvec = FALSE, ncv = min(n, max(2 * most + 1, 40))))$values
  }
  lambda <- 1 - sort(values, decreasing = TRUE)
  out$value[inside] <- lambda[ks[inside] + 1L] - lambda[ks[inside]]
  out
}

# D^-1/2 A D^-1/2, with the weights; one matrix, changed where it is.
normalized_affinity <- function(problem) {
  n <- problem$n
  B <- pair_values(problem)
  bounded <- !is.null(problem$semimetric) && problem$semimetric$family %in% c("exponential", "gaussian")
  if (!bounded) {
    pairs <- packed_pairs(B)
    middle <- weighted_median(pairs, if (problem$weighted) packed_pairs(outer(-problem$w / 2, problem$w)))
    if (middle <= 0) middle <- if (any(pairs > 0)) mean(pairs[pairs > 0]) else 1
  }
  degree <- numeric(n)
  for (columns in strips(n, n)) {
    check_interrupt()
    value <- B[, columns]
    value <- if (bounded) 1 + true_units(problem, value, "pair") else exp(2 * value / middle)
    degree[columns] <- crossprod(value, problem$w)
    B[, columns] <- value
  }
  root <- sqrt(problem$w / degree)
  for (columns in strips(n, n)) {
    check_interrupt()
    B[, columns] <- outer(root, root[columns]) * B[, columns]
  }
  B
}

# The first k whose gap is at least the next one's less its standard error (Tibshirani,
# Walther and Hastie 2001); the last k if there is none. Undefined values are passed over.
first_gap <- function(gap, se) {
  defined <- which(!is.na(gap))
  last <- length(defined)
  if (last == 0L) {
    return(NA_integer_)
  }
  f <- gap[defined]
  enough <- f[-last] >= f[-1L] - se[defined][-1L]
  defined[if (any(enough)) which.max(enough) else last]
}

# What a criterion is at the number it chooses.
extreme_text <- function(criterion) if (criterion == "evidence") "least" else "largest"
