# The metric in which the nearest neighbours lie alike in all directions: the scatter of the directions from each
# observation to its neighbours, found in its own metric, as Art, Gnanadesikan and Kettenring (1982) iterate that of the
# closest pairs. Directions and neighbours of each observation: one dense group does not outweigh the others.

neighbour_defaults <- list(
  # weight of an observation's neighbours, itself included (bench/connected-public.R), and that above this share of
  # shrinkage: among many columns a tenth of the observations is no longer near (moons in 10 to 50 dimensions)
  share = 0.1,
  sparse = c(share = 0.04, above = 0.1),
  few = 10, # .. in observations, at least
  least = 40, # fewer observations: the given metric is kept, as neighbours would be those of other groups
  rows = 600L, # larger data are represented by so many spaced rows
  columns = 100L, # more than so many: the given metric is kept
  rounds = 10L, # most end after five
  equal = 1e-6, # of the distance to the neighbours: closer ones are equal, distances that differ by less are ties
  level = 0.01, # of the test that directions are uniform in the given metric
  side = 0.05 # .. among the pairs on one side of the mean, half of them
)

# Return the matrix T, of determinant 1 or -1, for which x T has the metric; NULL if directions are uniform in the given
# metric up to their error, or if there are too few rows or too many columns. w: weights, above 0.
neighbour_transform <- function(x, w) {
  d <- ncol(x)
  if (d < 2L || d > neighbour_defaults$columns) {
    return(NULL)
  }
  rows <- seq_len(nrow(x))
  if (length(rows) > neighbour_defaults$rows) rows <- spaced_rows(rows, point_key(x), neighbour_defaults$rows)
  x <- x[rows, , drop = FALSE]
  count <- row_count(w[rows])
  w <- w[rows] * (count / sum(w[rows]))
  shrink <- min(1, 2 * d / count)
  share <- neighbour_defaults$share
  if (shrink > neighbour_defaults$sparse[["above"]]) share <- neighbour_defaults$sparse[["share"]]
  if (count < neighbour_defaults$least || uniform_directions(x, w, share)) {
    return(NULL)
  }
  x <- x - rep(colSums(w * x) / count, each = nrow(x))
  sd <- sqrt(colSums(w * x^2) / count)
  sd[!(sd > 0)] <- 1
  exp(mean(log(sd))) * neighbour_root(x / rep(sd, each = nrow(x)), w, shrink, share) / sd
}

# ---- scatters, also of R/learned-metric.R ----

scatter_least <- 1e-4 # least eigenvalue of a scatter, relative to the largest

# Shrink a scatter of whitened coordinates towards the total covariance, and scale it to determinant 1: its eigenvalues
# and eigenvectors.
unit_eigen <- function(M, lambda) {
  d <- ncol(M)
  e <- symmetric_eigen(M)
  size <- sum(e$values)
  v <- if (size > 0) (1 - lambda) * e$values * d / size + lambda else rep(1, d)
  v <- pmax(v, scatter_least * v[1L])
  list(values = v / exp(mean(log(v))), vectors = e$vectors)
}

matrix_of <- function(e) times_rows(e$vectors, e$values * t(e$vectors))

unit_scatter <- function(M, lambda) matrix_of(unit_eigen(M, lambda))

# V diag(v^-1/2): coordinates in the metric are z times this, the axis of the largest total variance first.
inverse_root <- function(M, e = symmetric_eigen(M)) {
  back <- rev(seq_along(e$values))
  e$vectors[, back, drop = FALSE] * rep(1 / sqrt(e$values[back]), each = length(back))
}

# Return M^(-1/2) of determinant 1 for scaled columns, from their covariance on; `lambda` is the share of the diagonal
# in M: few rows do not determine correlations.
neighbour_root <- function(x, w, lambda, share) {
  M <- towards_diagonal(crossprod(sqrt(w) * x), lambda)
  for (round in seq_len(neighbour_defaults$rounds)) {
    check_interrupt()
    G <- neighbour_weights(x %*% inverse_root(M), w, share)
    old <- M
    # sum over pairs of G_ij (x_i - x_j)(x_i - x_j)', as a Laplacian
    M <- towards_diagonal(crossprod(x, rowSums(G) * x) - crossprod(x, G %*% x), lambda)
    if (max(abs(M - old)) < 1e-3 * max(abs(M))) break
  }
  inverse_root(M)
}

# Return a scatter of determinant 1, shrunk towards its diagonal.
towards_diagonal <- function(S, lambda) {
  S <- (S + t(S)) / 2
  target <- diag(diag(S) + 1e-3 * mean(diag(S)), ncol(S))
  unit_scatter((1 - lambda) * S + lambda * target, 0)
}

# Return the n x n matrix of w_i w_j a_ij / d_ij^2, where a_ij counts whether j is a neighbour of i and i one of j. With
# it the sum over pairs of (x_i - x_j)(x_i - x_j)' is that of their directions. The neighbours of i are those within
# the least distance in which the share of the weight lies. Pairs far closer than that are equal up to rounding: they
# have no direction, and 1 / d^2 would leave nothing of the others.
neighbour_weights <- function(y, w, share = neighbour_defaults$share) {
  D <- as.matrix(stats::dist(y))
  wanted <- max(share * sum(w), neighbour_defaults$few) * (1 - 1e-9)
  radius <- vapply(seq_len(nrow(y)), function(i) {
    by_distance <- order(D[, i])
    D[by_distance[which(cumsum(w[by_distance]) >= min(wanted, sum(w) * (1 - 1e-9)))[1L]], i]
  }, 0)
  near <- D <= radius * (1 + neighbour_defaults$equal)
  apart <- D > neighbour_defaults$equal * pmax(radius, rep(radius, each = length(w)))
  ifelse(apart, (near + t(near)) * outer(w, w) / D^2, 0)
}

# Are the directions between neighbours uniform, up to their sampling error? Overlapping groups that are uniform have
# neighbours along the axis that separates them. So pairs on one side of the mean of the leading axis may be uniform
# instead.
uniform_directions <- function(x, w, share = neighbour_defaults$share) {
  G <- neighbour_weights(x, w, share)
  all <- direction_test(x, w, G)
  if (all$p >= neighbour_defaults$level) {
    return(TRUE)
  }
  score <- drop(x %*% symmetric_eigen(all$S)$vectors[, 1L])
  side <- score > sum(w * score) / sum(w)
  direction_test(x, w, G * outer(side, side, "=="))$p >= neighbour_defaults$side
}

# Return list(p, S): S is the scatter of the directions between the pairs of G. The statistic is its squared
# deviation from the identity over its expectation. The variance is that of a U statistic, the sum of the squared
# influences of the observations, because the pairs of an observation depend on each other.
direction_test <- function(x, w, G) {
  d <- ncol(x)
  if (!any(G > 0)) {
    return(list(p = 1, S = NULL))
  }
  D2 <- as.matrix(stats::dist(x))^2
  pairs <- sum(G * D2) / 2
  S <- (crossprod(x, rowSums(G) * x) - crossprod(x, G %*% x)) / pairs
  influence <- vapply(seq_len(nrow(x)), function(i) {
    near <- which(G[, i] > 0)
    g <- G[near, i] / w[i]
    from <- x[near, , drop = FALSE] - rep(x[i, ], each = length(near))
    sum((crossprod(sqrt(g) * from) - sum(g * D2[near, i]) * S)^2)
  }, 0)
  # equal observations are one of summed weight
  key <- point_key(x)
  together <- sum_by(w, match(key, key), length(key))[match(key, key)]
  ratio <- sum((S - diag(1 / d, d))^2) / (sum(w * together * influence) / pairs^2)
  freedom <- (d + 2) * (d - 1) / 2
  p <- stats::pchisq(ratio * freedom, freedom, lower.tail = FALSE)
  list(p = if (is.na(p)) 1 else p, S = S)
}
