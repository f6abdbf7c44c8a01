# Where the observations of a fit lie: mean semimetric values to clusters, silhouette
# widths, medoids. All follow from the n x k sums R that one pass over the pairs gives, so
# nothing of size n^2 is made.

# A list in true units: `mean`, n x k mean rho of an observation to each cluster (itself
# counted in its own); `d2`, n x k squared distances to the means; `s`, cluster weights;
# `w`, weights (all up to one common factor); `members`, n x k the number of observations
# of positive weight an observation finds in a cluster besides itself.
fit_geometry <- function(fit, call = rlang::caller_env()) {
  kept <- kept_data(fit, call)
  problem <- kept$problem
  w <- problem$w
  self <- self_values(problem)
  R <- own_sums(fit, problem)
  indicator <- weighted_indicator(fit, problem)
  s <- kept$s
  # mean of rho = B_xx + B_yy - 2 B_xy over y in C_l
  mean <- self - 2 * t(t(R) / s)
  mean <- t(t(mean) + colSums(self * indicator) / s) * problem$unit
  d2 <- squared_distances(R, self, kept, problem$unit, problem$names)
  members <- matrix(colSums(indicator > 0), problem$n, fit$k, byrow = TRUE) - (indicator > 0)
  list(mean = mean, d2 = d2, s = s, w = w, members = members)
}

# Silhouette widths (Rousseeuw 1987) in the semimetric, with weights: a is the weighted
# mean of rho to the other observations of the own cluster, b the least mean to another
# cluster; 0 for an observation alone in its cluster.
silhouette_widths <- function(fit, geometry = fit_geometry(fit)) {
  n <- fit$n
  own <- cbind(seq_len(n), unname(fit$cluster))
  rest <- geometry$s[fit$cluster] - geometry$w
  a <- geometry$mean[own] * geometry$s[fit$cluster] / rest
  other <- geometry$mean
  other[own] <- Inf
  other[is.na(other)] <- Inf
  neighbor <- max.col(-other, ties.method = "first")
  b <- other[cbind(seq_len(n), neighbor)]
  width <- (b - a) / pmax(a, b)
  width[a == b] <- 0
  width[geometry$members[own] == 0] <- 0
  list(neighbor = neighbor, width = width)
}

# The observation of positive weight nearest to each cluster's mean, which is the one with
# the least mean rho to its cluster. NA for a cluster without weight.
medoids <- function(fit, geometry = fit_geometry(fit)) {
  vapply(seq_len(fit$k), function(l) {
    inside <- which(fit$cluster == l & geometry$w > 0)
    inside[which.min(geometry$d2[inside, l])][1L]
  }, 0L)
}

# g(C_i, C_j), Eq. (13), k x k
fit_dispersions <- function(fit, geometry = fit_geometry(fit)) {
  indicator <- weighted_indicator(fit, fit$data$problem)
  g <- crossprod(indicator, geometry$mean) / geometry$s
  g <- (g + t(g)) / 2
  dimnames(g) <- list(seq_len(fit$k), seq_len(fit$k))
  g
}
