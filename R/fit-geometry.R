# Mean semimetric values to clusters, silhouette widths, medoids: all from the n x k squared
# distances to the means, which take one pass over the pairs and no n x n matrix.

# Return a list in the units of the data: `d2`, n x k squared distances to the means; `mean`, n x k
# mean rho of an observation to each cluster; weights `w` and `s` of observations and clusters;
# `others`: does the own cluster hold another observation of positive weight?
fit_geometry <- function(fit, call = rlang::caller_env()) {
  check_distances(fit, "distances", call)
  problem <- kept_problem(fit, call)
  d2 <- predict(fit, type = "squared")
  w <- problem$w * problem$w_unit
  s <- sum_by(w, fit$cluster, fit$k)
  # the mean over y of |x - y|^2 is |x - mean|^2 plus the mean of |y - mean|^2
  rounding <- 1e-13 * problem$unit * abs(kernel_diagonal(problem))
  new_geometry(t(t(d2) + fit$within / s), w, s, fit$cluster, d2, rounding)
}

# `rounding` bounds the error of the means if they are differences of kernel values.
new_geometry <- function(mean, w, s, cluster, d2 = NULL, rounding = 0) {
  members <- tabulate(cluster[w > 0], length(s))
  list(d2 = d2, mean = mean, w = w, s = s, others = members[cluster] > (w > 0), rounding = rounding)
}

# Return silhouette widths (Rousseeuw 1987) in the semimetric: a is the weighted mean of rho to the
# other observations of the own cluster, b the least mean to another cluster. The width of an
# observation alone in its cluster is 0.
silhouette_widths <- function(fit, geometry = fit_geometry(fit)) {
  partition_silhouette(unname(fit$cluster), geometry)
}

partition_silhouette <- function(cluster, geometry) {
  n <- length(cluster)
  own <- cbind(seq_len(n), cluster)
  s <- geometry$s[cluster]
  a <- geometry$mean[own] * s / (s - geometry$w)
  other <- geometry$mean
  other[own] <- Inf
  other[is.na(other)] <- Inf
  neighbor <- max.col(-other, ties.method = "first")
  b <- other[cbind(seq_len(n), neighbor)]
  top <- pmax(a, b)
  # means can be negative if the semimetric is not of negative type
  width <- ifelse(top > 0, pmin(pmax((b - a) / top, -1), 1), 0)
  width[a == b | abs(b - a) <= geometry$rounding] <- 0
  width[!geometry$others] <- 0
  list(neighbor = neighbor, width = width)
}

# Return the weighted mean of the widths.
silhouette_mean <- function(width, w) sum(w * width) / sum(w)

# Return the medoid of each cluster: the observation of positive weight nearest to the mean, which
# has the least mean rho to its cluster. NA for a cluster without weight.
medoids <- function(fit) UseMethod("medoids")

#' @export
medoids.kgroups_fit <- function(fit) {
  geometry <- fit_geometry(fit)
  vapply(seq_len(fit$k), function(l) {
    inside <- which(fit$cluster == l & geometry$w > 0)
    d2 <- geometry$d2[inside, l]
    # the first of those that are equal up to rounding
    inside[which(d2 <= min(d2, Inf) + 1e-10 * max(abs(d2), 0))[1L]]
  }, 0L)
}

# Of a graph: the vertex with the largest weight of edges into its own group.
#' @export
medoids.kgroups_graph_fit <- function(fit) {
  A <- as_simple_adjacency(fit_graph_data(fit), fit$graph$weights)$adjacency
  cluster <- unname(fit$cluster)
  column <- column_index(A)
  same <- cluster[A@i + 1L] == cluster[column]
  inside <- sum_by(A@x * same, column, fit$n)
  vapply(seq_len(fit$k), function(l) {
    members <- which(cluster == l)
    members[which.max(inside[members])][1L]
  }, 0L)
}

# Return the k x k matrix g(C_i, C_j), Eq. (13).
fit_dispersions <- function(fit) {
  geometry <- fit_geometry(fit)
  g <- sum_by(geometry$w * geometry$mean, fit$cluster, fit$k) / geometry$s
  g <- (g + t(g)) / 2
  dimnames(g) <- list(seq_len(fit$k), seq_len(fit$k))
  g
}

# Is each cluster a union of whole branches, so that a gap surrounds it? At least 95 % of its weight
# must lie in branches that have at least 95 % of their weight in it.
separated_by_gaps <- function(fit) {
  shares <- branch_shares(fit)
  if (nrow(shares) == 1L) {
    return(rep(FALSE, fit$k))
  }
  whole <- shares >= 0.95 * rowSums(shares)
  colSums(shares * whole) >= 0.95 * colSums(shares) & colSums(shares) > 0
}

# Return the weight of every branch (rows) in every cluster.
branch_shares <- function(fit) {
  found <- fit$semimetric$found
  weights <- fit$weights %||% rep(1, fit$n)
  cell <- found$branch + found$branches * (fit$cluster - 1)
  matrix(sum_by(weights, cell, found$branches * fit$k), found$branches)
}
