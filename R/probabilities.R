# Probabilities of clusters: p_l proportional to exp(-beta D_l / 2), where D_l is the squared distance to the
# mean of cluster l and beta = (a / 2) d (s - k) / W. d is the effective dimension of the clusters in
# feature space, a the local exponent of the semimetric. For a = 2 this is the normal model of k-means.

# Return probabilities (n x k, rows sum to 1) from squared distances; `own`: of the rows of the fit?
cluster_probabilities <- function(fit, kept, d2, own) {
  D <- if (own) left_out_distances(fit, kept, d2) else d2
  beta <- probability_rate(fit, kept$problem)
  least <- row_least(D)
  rise <- D - least
  rise[is.nan(rise)] <- 0
  p <- if (is.finite(beta)) exp(-beta / 2 * rise) else 0 + (rise == 0)
  p / rowSums(p)
}

# Squared distances of the rows of a fit by Hartigan's rule, which leaves the row out of its own cluster
# and adds it to the others: d2 s / (s - w) and d2 s / (s + w). Lloyd's rule compares d2 itself.
left_out_distances <- function(fit, kept, d2) {
  if (fit$method == "lloyd") {
    return(d2)
  }
  w <- kept$problem$w * kept$problem$w_unit
  cluster <- unname(fit$cluster)
  s <- sum_by(w, cluster, fit$k)
  at <- cbind(seq_along(cluster), cluster)
  s_of_row <- rep(s, each = length(w))
  D <- d2 * (s_of_row / (s_of_row + w))
  D[at] <- ifelse(s[cluster] > w, d2[at] * s[cluster] / (s[cluster] - w), 0)
  # rows of weight 0 belong to no cluster's mean
  D[w == 0, ] <- d2[w == 0, ]
  D
}

# beta; Inf if W is 0 or the dimension cannot be estimated: probabilities are then 0 and 1.
probability_rate <- function(fit, problem) {
  w <- fit$weights %||% rep(1, fit$n)
  # whole weights are numbers of rows; the unit of others has no meaning
  mean <- fit$W / sum(w)
  a <- local_exponent(fit$semimetric, 2 * mean)
  beta <- a / 2 * fitted_dimension(fit, problem) * (1 - fit$k / row_count(w)) / mean
  if (is.finite(beta) && beta > 0) beta else Inf
}

# The effective dimension of the clusters, from at most `most` rows (evenly spaced, the same each time).
fitted_dimension <- function(fit, problem, most = 2000) {
  # a function of the user is called once per pair
  if (inherits(problem$store, "kgroups_function")) most <- 300
  rows <- evenly_spaced(which(problem$w > 0), most)
  part <- subset_problem(problem, rows)
  B <- store_values(part$store)
  half <- diag(B) / 2
  part$store <- new_dense_store(B - outer(half, half, "+"))
  cluster <- unname(fit$cluster)[rows]
  found <- sort(unique(cluster))
  .Call(ffi_dimension, part, as.numeric(length(found)), match(cluster, found))
}

# The slope of log rho in log distance, at the mean value of rho within clusters.
local_exponent <- function(semimetric, within) {
  if (is.null(semimetric)) {
    return(2) # kernel values: a squared distance
  }
  # u e^-u / (1 - e^-u), where rho = 2 - 2 e^-u
  slope <- function() {
    u <- -log1p(-min(within / 2, 1 - 1e-12))
    if (u > 0) u * exp(-u) / -expm1(-u) else 1
  }
  switch(semimetric$family,
    power = semimetric$parameter,
    exponential = slope(),
    gaussian = 2 * slope(),
    semimetric$alpha %||% 1
  )
}

# Do probabilities exist for the fit? Not for graphs, fits of blocks, and rho_connected().
has_probabilities <- function(fit) has_distances(fit) && !is_connected(fit$semimetric) && !is.null(fit$kept$problem)

check_probabilities <- function(fit, call) {
  check_distances(fit, "probabilities", call)
  if (is_connected(fit$semimetric)) {
    abort_input(
      "type", call, "A fit under `rho_connected()` has no probabilities.",
      "The gaps of the sample determine its clusters, and no distribution around a mean.",
      "Use `type = \"distance\"`, or fit with another semimetric."
    )
  }
}
