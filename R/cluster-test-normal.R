# A test of one normal distribution against two: for clusters that overlap, without a valley between them.

normal_test_defaults <- list(
  starts = 6L, # of the algorithm, directions drawn at random
  steps = 60L, # at most
  rows = 3 # rows a column, at least
)

# Return list(value, p.value, projected): the likelihood ratio of two normal distributions of one covariance matrix
# against one, and its p-value among R samples of a standard normal distribution. The ratio is the same for all linear
# maps of the rows, so that its distribution under one normal distribution of any mean and covariance is that of the
# samples.
test_one_normal <- function(z, R) {
  n <- nrow(z)
  d <- ncol(z)
  own <- two_normals(sphered_rows(z))
  drawn <- vapply(seq_len(R), function(draw) {
    check_interrupt()
    two_normals(sphered_rows(matrix(stats::rnorm(n * d), n)))$value
  }, 0)
  list(value = own$value, p.value = (1 + sum(drawn >= own$value * (1 - 1e-9))) / (R + 1), projected = sort(own$along))
}

# Rows of mean 0 and covariance I.
sphered_rows <- function(z) {
  z <- z - rep(colMeans(z), each = nrow(z))
  qr.Q(qr(z)) * sqrt(nrow(z))
}

# Twice the logarithm of the largest likelihood ratio over some starts, and the rows along the difference of the means.
# With sphered rows the covariance within both is I - c u u' with u the difference of the means and c the product of the
# shares, so that the rows matter by their products with u alone.
two_normals <- function(y) {
  n <- nrow(y)
  best <- list(value = 0, along = y[, 1L])
  for (start in seq_len(normal_test_defaults$starts)) {
    along <- drop(y %*% stats::rnorm(ncol(y)))
    p <- as.numeric(along > stats::quantile(along, stats::runif(1, 0.2, 0.8)))
    old <- -Inf
    for (step in seq_len(normal_test_defaults$steps)) {
      share <- mean(p)
      if (share * n < 1 || (1 - share) * n < 1) break
      mean <- drop(crossprod(y, p)) / (n * share)
      # the other mean is -share / (1 - share) times this one
      u <- mean / (1 - share)
      rest <- 1 - share * (1 - share) * sum(u^2)
      if (rest < 1e-6) break
      along <- drop(y %*% u)
      log_odds <- log(share / (1 - share)) + (along - sum(u^2) * (1 - 2 * share) / 2) / rest
      p <- stats::plogis(log_odds)
      # densities over that of one normal distribution
      other <- -(along^2 * share * (1 - share) + 2 * along * share + share^2 * sum(u^2)) / (2 * rest)
      value <- 2 * sum(
        other + log(1 - share) - stats::plogis(log_odds, lower.tail = FALSE, log.p = TRUE)
      ) - n * log(rest)
      step_up <- value - old
      old <- max(old, value)
      if (step_up < 1e-4) break
    }
    if (is.finite(old) && old > best$value) best <- list(value = old, along = along)
  }
  best
}
