# The metric in which the nearest neighbours lie alike in all directions: the scatter of the directions from each
# observation to its neighbours, found in its own metric, as Art, Gnanadesikan and Kettenring (1982) iterate that of the
# closest pairs. Directions and neighbours of each observation: one dense group does not outweigh the others.

neighbour_defaults <- list(
  share = 0.1, # weight of an observation's neighbours, itself included; bench/connected-public.R
  few = 10, # .. in observations, at least
  least = 40, # fewer observations: the given metric is kept, as neighbours would be those of other groups
  rows = 600L, # larger data are represented by so many spaced rows
  columns = 100L, # more than so many: the given metric is kept
  rounds = 10L, # most end after five
  level = 0.01 # of the test that directions are uniform in the given metric
)

# Return the matrix T, of determinant 1, for which x T has the metric; NULL if the directions in the given metric are
# uniform up to their error, or if there are too few rows or too many columns. w: weights, above 0.
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
  if (count < neighbour_defaults$least || uniform_directions(x, w)) {
    return(NULL)
  }
  centre <- colSums(w * x) / count
  x <- x - rep(centre, each = nrow(x))
  sd <- sqrt(colSums(w * x^2) / count)
  sd[!(sd > 0)] <- 1
  x <- x / rep(sd, each = nrow(x))
  root <- neighbour_root(x, w, min(1, 2 * d / count))
  exp(mean(log(sd))) * root / sd
}

# Return M^(-1/2) of determinant 1 for scaled columns; `lambda` is the share of the diagonal in M.
neighbour_root <- function(x, w, lambda) {
  M <- neighbour_scatter(crossprod(sqrt(w) * x), lambda)
  for (round in seq_len(neighbour_defaults$rounds)) {
    check_interrupt()
    G <- neighbour_weights(x %*% M$root, w)
    old <- M
    # sum over pairs of G_ij (x_i - x_j)(x_i - x_j)', as a Laplacian
    M <- neighbour_scatter(crossprod(x, rowSums(G) * x) - crossprod(x, G %*% x), lambda)
    if (max(abs(M$scatter - old$scatter)) < 1e-3 * max(abs(M$scatter))) break
  }
  M$root
}

# Return list(scatter, root): a scatter of determinant 1, shrunk towards its diagonal, and its inverse square root.
neighbour_scatter <- function(S, lambda) {
  S <- (S + t(S)) / 2
  target <- diag(diag(S) + 1e-3 * mean(diag(S)), ncol(S))
  e <- eigen((1 - lambda) * S + lambda * target, symmetric = TRUE)
  values <- pmax(e$values, 1e-4 * e$values[1L])
  values <- values / exp(mean(log(values)))
  list(scatter = e$vectors %*% (values * t(e$vectors)), root = e$vectors %*% (t(e$vectors) / sqrt(values)))
}

# Return the n x n matrix of w_i w_j a_ij / d_ij^2, where a_ij counts whether j is a neighbour of i and i one of j. With
# it the sum over pairs of (x_i - x_j)(x_i - x_j)' is that of their directions. The neighbours of i are those within
# the least distance in which the share of the weight lies.
neighbour_weights <- function(y, w) {
  D <- as.matrix(stats::dist(y))
  wanted <- max(neighbour_defaults$share * sum(w), neighbour_defaults$few) * (1 - 1e-9)
  radius <- vapply(seq_len(nrow(y)), function(i) {
    by_distance <- order(D[, i])
    D[by_distance[which(cumsum(w[by_distance]) >= min(wanted, sum(w) * (1 - 1e-9)))[1L]], i]
  }, 0)
  near <- D <= radius * (1 + 1e-9)
  ifelse(D > 0, (near + t(near)) * outer(w, w) / D^2, 0)
}

# Are the directions between neighbours uniform, up to their sampling error? The squared deviation of their scatter
# from the identity, over its expectation if they are. Its variance is that of a U statistic, the sum of the squared
# influences of the observations, because the pairs of an observation depend on each other.
uniform_directions <- function(x, w) {
  d <- ncol(x)
  G <- neighbour_weights(x, w)
  if (!any(G > 0)) {
    return(TRUE)
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
  !isTRUE(stats::pchisq(ratio * freedom, freedom, lower.tail = FALSE) < neighbour_defaults$level)
}
