# Criteria that are computed from the fits to the data. Each returns a list of `value` (one per k, NA if
# undefined) and `reason` (why it is NA, or NA).

undefined <- function(ks) list(value = rep(NA_real_, length(ks)), reason = rep(NA_character_, length(ks)))

# Return (W[k-1] - W[k]) / (W[k] - W[k+1]), Inf if the denominator vanishes, undefined if W rises. `W` is named by k
# and holds the neighbours of ks.
elbow_ratio <- function(W, ks, n, total) {
  out <- undefined(ks)
  at <- function(k) unname(W[as.character(k)])
  for (i in seq_along(ks)) {
    k <- ks[i]
    none <- setdiff(c(k - 1L, k + 1L), names(W))
    if (k == n) none <- n + 1L
    if (length(none)) {
      out$reason[i] <- sprintf("there is no W for %s clusters", none[1L])
      next
    }
    before <- at(k - 1L) - at(k)
    after <- at(k) - at(k + 1L)
    if (vanishes(before, total)) {
      out$reason[i] <- "W does not decrease any more"
    } else if (!vanishes(-after, total)) {
      out$reason[i] <- "W of one more cluster is higher"
    } else {
      out$value[i] <- if (vanishes(after, total)) Inf else before / after
    }
  }
  out
}

# F = [S / (k - 1)] / [W / (s - k)], s the total weight (DISCO, Rizzo and Székely 2010).
pseudo_f <- function(W, total, ks, s) {
  out <- undefined(ks)
  out$reason[s <= ks] <- "the total weight is not above k"
  out$reason[vanishes(W, total)] <- "W is not above 0"
  out$reason[ks == 1L] <- "one cluster has no between dispersion"
  good <- is.na(out$reason)
  out$value[good] <- (total - W[good]) / (ks[good] - 1) / (W[good] / (s - ks[good]))
  out
}

silhouettes <- function(problem, fits, ks) {
  out <- undefined(ks)
  out$reason[ks == 1L] <- "there is no other cluster"
  out$reason[ks == problem$n] <- "every observation is a cluster of its own"
  for (i in which(ks > 1L & ks < problem$n)) {
    out$value[i] <- mean_silhouette(problem, fits[[i]]$cluster, ks[i])
  }
  out
}

# The least BIC of mixtures started from the clusters of each k, in the units of the points.
mixture_bics <- function(problem, fits, ks) {
  out <- undefined(ks)
  for (i in seq_along(ks)) {
    found <- mixture_bic(problem, fits[[i]]$cluster, ks[i])
    if (is.character(found)) out$reason[i] <- found else out$value[i] <- found
  }
  out
}

# Return the BIC, or why there is none.
mixture_bic <- function(problem, cluster, k) {
  if (is.null(problem$points) || has_categories(problem)) {
    return("a mixture needs columns of numbers")
  }
  z <- match(cluster, unique(cluster))
  w <- problem$w * problem$w_unit
  n <- row_count(w)
  w <- w * (n / sum(w))
  means <- sum_by(w * problem$points, z, k) / sum_by(w, z, k)
  space <- whitening(scaled_columns(problem$points - means[z, , drop = FALSE], w))
  d <- ncol(space$map)
  if (d < 1L || d * k > metric_defaults$few * n) {
    return("too few rows for a mixture")
  }
  y <- unname(problem$points %*% space$map)
  m <- choose_mixture(y, w, z, min(1, metric_defaults$shrink * d * k / n))
  # the density of the points is that of y times the volume of the map
  if (is.null(m)) "no mixture was found" else min(m$bic) - 2 * n * sum(log(svd(space$map)$d))
}

# Mean silhouette of a partition, from the sums over the pairs.
mean_silhouette <- function(problem, cluster, k) {
  w <- problem$w
  self <- self_values(problem)
  R <- group_sums(problem, cluster, k)
  s <- sum_by(w, cluster, k)
  T <- sum_by(w * self, cluster, k)
  mean <- outer(self, T / s, "+") - 2 * t(t(R) / s)
  silhouette_mean(partition_silhouette(cluster, new_geometry(mean, w, s, cluster))$width, w)
}

# Return lambda[k+1] - lambda[k] of the ascending eigenvalues of I - D^-1 A, with A = 1 - rho/2 for
# bounded semimetrics and exp(-rho / median rho) otherwise. Column j of A counts w_j times.
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

# Return D^-1/2 A D^-1/2 with the weights, in the memory of A.
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

# The first k whose gap is at least that of the next defined k less its standard error (Tibshirani,
# Walther and Hastie 2001); the last defined k if there is none.
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

# Is the best value of a criterion its smallest or its largest?
extreme_text <- function(criterion) if (criterion == "description_length") "smallest" else "largest"

# Return the row that a criterion chooses, among the k that leave three observations a cluster unless
# none does; NA if it is undefined everywhere.
chosen_row <- function(table, criterion, n) {
  value <- table[[criterion]]
  if (all(is.na(value))) {
    return(NA_integer_)
  }
  value[!may_choose(table, criterion, n)] <- NA
  if (criterion == "gap") {
    return(first_gap(value, table$gap_se))
  }
  if (criterion %in% c("bic", "description_length")) which.min(value) else which.max(value)
}

# Which rows of the table a criterion chooses among. The second eigenvalue is large for every affinity
# without values near 0, so the eigengap at k = 1 does not count.
may_choose <- function(table, criterion, n) {
  good <- !is.na(table[[criterion]])
  few <- good & 3 * table$k <= n
  if (any(few)) good <- few
  above <- good & table$k > 1L
  if (criterion == "eigengap" && any(above)) above else good
}
