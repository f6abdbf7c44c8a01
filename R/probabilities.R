# Probabilities of clusters: p_l proportional to exp(-beta D_l / 2), where D_l is the squared distance to the
# mean of cluster l and beta = (a / 2) d (s - k) / W. d is the effective dimension of the clusters in
# feature space, a the local exponent of the semimetric. For a = 2 this is the normal model of k-means.

# Return probabilities (n x k, rows sum to 1) from squared distances; `own`: of the rows of the fit?
cluster_probabilities <- function(fit, kept, d2, own) {
  D <- if (own) left_out_distances(fit, kept, d2) else d2
  beta <- probability_rate(fit, kept$problem)
  if (!is.null(fit$size_term)) {
    D <- D + rep(fit$size_term$offset, each = nrow(D))
    if (own) D <- hold_pairs(D, fit, kept$problem$w > 0, 1e-9 / beta)
  }
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

# With the size term a cluster keeps two observations, which may be nearer to another mean: their own cluster is then
# as probable as the nearest, up to `gap`.
hold_pairs <- function(D, fit, inside, gap) {
  cluster <- unname(fit$cluster)
  held <- which(inside & tabulate(cluster[inside], fit$k)[cluster] <= 2L)
  at <- cbind(held, cluster[held])
  D[at] <- pmin(D[at], row_least(replace(D, at, Inf)[held, , drop = FALSE]) - gap)
  D
}

# beta; Inf if W is 0 or the dimension cannot be estimated: probabilities are then 0 and 1.
probability_rate <- function(fit, problem) {
  s <- sum(fit$weights %||% rep(1, fit$n))
  beta <- local_exponent(fit$semimetric, 2 * fit$W / s) / 2 * fitted_dimension(fit, problem) * (s - fit$k) / fit$W
  if (is.finite(beta) && beta > 0) beta else Inf
}

# The effective dimension of the clusters, from at most `most` rows (evenly spaced, the same each time).
fitted_dimension <- function(fit, problem, most = 2000) {
  known <- fit$size_term$dimension
  if (!is.null(known) && is.finite(known)) {
    return(known / 0.95) # effective_dimension() subtracts 5 %
  }
  # a function of the user is called once per pair
  if (inherits(problem$store, "kgroups_function")) most <- 300
  inside <- which(problem$w > 0)
  rows <- inside[unique(round(seq(1, length(inside), length.out = min(most, length(inside)))))]
  part <- subset_problem(problem, rows)
  B <- store_values(part$store)
  half <- diag(B) / 2
  part$store <- new_dense_store(B - outer(half, half, "+"))
  cluster <- unname(fit$cluster)[rows]
  found <- sort(unique(cluster))
  dimension_of(part, length(found), match(cluster, found))
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

# ---- a variance of each cluster ----

# In p dimensions the mean of rho(x, X) over a normal cluster of variance s2 is about (r^2 + p s2)^(a/2), r the distance of x to
# its centre, and its mean within the cluster (2 p s2)^(a/2). So means of rho alone give r, s2 and the posterior of a normal
# mixture, n_l s2_l^(-p/2) exp(-r_l^2 / (2 s2_l)), by an EM algorithm over soft clusters.

mixture_defaults <- list(
  rows = 1000L, # evenly spaced rows from which the mixture is estimated
  steps = 50L, # of the EM algorithm
  tolerance = 1e-4, # largest change of a probability that ends it
  agree = 0.8 # least share of rows whose most probable cluster is the label; bench/beyond.R
)

# Return list(rows, part, share, U, s2, p, a), the mixture of normals with one variance or with one for each cluster, by BIC;
# NULL if it leaves the clusters of the fit, as with heavy tails.
fit_mixture <- function(fit, problem) {
  inside <- which(problem$w > 0)
  rows <- inside[unique(round(seq(1, length(inside), length.out = min(mixture_defaults$rows, length(inside)))))]
  part <- subset_problem(problem, rows)
  B <- store_values(part$store)
  half <- diag(B) / 2
  rho <- true_units(problem, pmax(-2 * (B - outer(half, half, "+")), 0), "pair")
  w <- part$w / mean(part$w) * row_count(part$w * part$w_unit) / length(rows)
  a <- local_exponent(fit$semimetric, 2 * fit$W / sum(fit$weights %||% rep(1, fit$n)))
  p <- (a / 2)^2 * fitted_dimension(fit, problem)
  label <- unname(fit$cluster)[rows]
  P <- matrix(0.1 / fit$k, length(rows), fit$k)
  P[cbind(seq_along(rows), label)] <- 0.9 + 0.1 / fit$k
  if (!is.finite(p) || p <= 0) {
    return(NULL)
  }
  found <- lapply(c(one = FALSE, each = TRUE), function(each) mixture_steps(rho, P, w, a, p, each))
  better <- isTRUE(2 * (found$each$fit - found$one$fit) > (fit$k - 1) * log(sum(w)))
  best <- if (better) found$each else found$one
  if (is.null(best) || sum(w[max.col(best$P, "first") == label]) < mixture_defaults$agree * sum(w)) {
    return(NULL)
  }
  c(list(rows = rows, part = part), best)
}

# The EM algorithm from the probabilities P; NULL if a cluster gets less than three observations.
mixture_steps <- function(rho, P, w, a, p, each) {
  for (step in seq_len(mixture_defaults$steps)) {
    check_interrupt()
    U <- w * P
    s <- colSums(U)
    if (min(s) < 3) {
      return(NULL)
    }
    E <- rho %*% U / rep(s, each = nrow(rho))
    V <- colSums(U * E) / (s - 1)
    if (!each) V[] <- sum(s * V) / sum(s)
    if (!all(V > 0)) {
      return(NULL)
    }
    mixture <- list(share = s / sum(s), U = U / rep(s, each = nrow(U)), s2 = V^(2 / a) / (2 * p), p = p, a = a)
    now <- mixture_probabilities(mixture, E)
    change <- max(abs(now$P - P))
    P <- now$P
    if (change < mixture_defaults$tolerance) break
  }
  c(mixture, list(P = P, fit = sum(w * now$log_density)))
}

# Return list(P, log_density) from the means E of rho over the clusters.
mixture_probabilities <- function(mixture, E) {
  spread <- rep(mixture$s2, each = nrow(E))
  r2 <- pmax(pmax(E, 0)^(2 / mixture$a) - mixture$p * spread, 0)
  log_p <- rep(log(mixture$share), each = nrow(E)) - mixture$p / 2 * log(spread) - r2 / (2 * spread)
  most <- -row_least(-log_p)
  P <- exp(log_p - most)
  list(P = P / rowSums(P), log_density = most + log(rowSums(P)))
}

# Return the means of rho of new rows (NULL: of those of the fit) over the clusters of the mixture.
mixture_means <- function(mixture, problem, y, diag, call) {
  rows <- mixture$rows
  # points are compared with the rows of the mixture alone; dissimilarities of new rows are those to all rows
  part <- if (is.null(problem$points)) reweighted_rows(problem, rows) else mixture$part
  label <- if (is.null(problem$points)) replace(rep(1L, problem$n), rows, seq_along(rows)) else seq_along(rows)
  self <- store_self(mixture$part$store)
  means <- function(R, own) {
    rho <- outer(own, self, "+") - 2 * R / rep(mixture$part$w, each = nrow(R))
    true_units(problem, pmax(rho, 0), "pair") %*% mixture$U
  }
  if (is.null(y) && is.null(problem$points)) {
    return(means(group_sums(part, label, length(rows)), store_self(problem$store)))
  }
  y <- y %||% unname(problem$points)
  blocks <- strips(NROW(y), length(rows))
  do.call(rbind, lapply(blocks, function(block) {
    check_interrupt()
    new <- read_new(part$store, part, if (is.matrix(y)) y[block, , drop = FALSE] else y, if (is.null(diag)) NULL else diag[block], "squared", call)
    cross <- store_cross(part$store, part, new, label, length(rows))
    means(cross$R, rep_len(cross$self, nrow(cross$R)))
  }))
}

# The problem in which only these rows have weight.
reweighted_rows <- function(problem, rows) {
  problem$w <- replace(numeric(problem$n), rows, problem$w[rows])
  problem
}

# Do probabilities exist for the fit? Not for graphs, fits of blocks, and rho_connected().
has_probabilities <- function(fit) has_distances(fit) && !is_connected(fit$semimetric) && !is.null(fit$kept$problem)

check_probabilities <- function(fit, call) {
  check_distances(fit, "probabilities", call)
  if (!is_connected(fit$semimetric)) {
    return(invisible())
  }
  abort_input(
    "type", call,
    "A fit under {.fn rho_connected} has no probabilities.",
    "The gaps of the sample determine its clusters, and no distribution around a mean.",
    "Use {.code type = \"distance\"}, or fit with another semimetric."
  )
}
