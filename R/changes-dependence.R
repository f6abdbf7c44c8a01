# Series that depend on their past: an autoregression is chosen together with the number of changes, the test of changes
# is that of its residuals, and a sieve that refits both calibrates it.

dependence_defaults <- list(
  changes = 6, # that are considered beside an autoregression of order up to 3, at most
  coordinates = 8L, # principal ones of dissimilarities
  burn = 50L, # steps before a simulated series
  least = 20L, # observations
  long = 150L # observations from which a change costs .7 of (d + 1) log n, below it 1: bench/changes.R
)

# Return the series whose columns are whitened, list(x, problem): the points with their semimetric, or principal
# coordinates of rho, whose squared distances have the same W.
series_of <- function(problem) {
  if (!is.null(problem$points) && inherits(problem$store, "kgroups_points") && !is_connected(problem$semimetric)) {
    return(list(x = problem$store$x, problem = problem))
  }
  found <- classical_scaling(-pairwise_rho(problem) / 2, dependence_defaults$coordinates, 800L)
  keep <- which(found$values > 1e-8 * max(found$values, 0))
  keep <- keep[seq_len(min(length(keep), dependence_defaults$coordinates))]
  if (length(keep) == 0L) {
    return(NULL)
  }
  x <- found$vectors[, keep, drop = FALSE] * rep(sqrt(found$values[keep]), each = problem$n)
  list(x = x, problem = as_problem(x, rho_power(2), NULL))
}

# The problem of other points of the same kind.
with_points <- function(problem, x) {
  problem$store$x <- x
  problem$store$n <- problem$n <- as.double(nrow(x))
  problem$w <- rep(1, nrow(x))
  problem
}

# ---- the autoregression ----

# Return list(phi, changes): the coefficients of each column (order x d), chosen together with the changes that lower W
# most, by sum_j [n log v_j + p_j log n] + kappa m (d + 1) log n for m changes.
fit_dependence <- function(x, problem, least, layout = sequence_layout(nrow(x), 1L, least)) {
  n <- nrow(x)
  cells <- .Call(ffi_dispersion, with_points(problem, x), layout$cell[layout$block], as.numeric(length(layout$size)))
  .Call(ffi_dependence, x, cells, layout$size, list(
    least = as.numeric(least), changes = dependence_defaults$changes, width = ceiling(n / changes_defaults$cells),
    price = if (n < dependence_defaults$long) 1 else 0.7
  ))
}

# x_t - sum_h phi_h x_(t-h), without the first rows, as many as the order.
innovations_of <- function(x, phi) {
  order <- nrow(phi)
  n <- nrow(x)
  out <- x[-seq_len(order), , drop = FALSE]
  for (h in seq_len(order)) out <- out - rep(phi[h, ], each = n - order) * x[(order + 1 - h):(n - h), , drop = FALSE]
  out
}

# A series of the autoregression, from its residuals in an order, the last n steps of them.
simulated_series <- function(e, phi, n) {
  out <- vapply(seq_len(ncol(e)), function(j) {
    if (all(phi[, j] == 0)) e[, j] else as.vector(stats::filter(e[, j], phi[, j], "recursive"))
  }, numeric(nrow(e)))
  matrix(out, nrow(e))[nrow(e) - n + seq_len(n), , drop = FALSE]
}

# ---- the test ----

# Return list(problem, shift, phi, draw): the problem of the residuals, how many rows were lost, and a function of the
# first residuals of the runs that draws the problem of residuals of a simulated series. NULL if the series is too
# short.
whitened_problem <- function(problem, least) {
  series <- if (problem$n >= dependence_defaults$least) series_of(problem)
  if (is.null(series)) {
    return(NULL)
  }
  x <- series$x
  layout <- sequence_layout(nrow(x), 1L, least)
  fit <- fit_dependence(x, series$problem, least, layout)
  e <- innovations_of(x, fit$phi)
  order <- nrow(x) - nrow(e)
  draw <- function(starts) {
    run <- split(seq_len(nrow(e)), findInterval(seq_len(nrow(e)), starts))
    own <- unlist(lapply(run, function(rows) rows[sample.int(length(rows))]), use.names = FALSE)
    before <- run[[1L]][sample.int(length(run[[1L]]), dependence_defaults$burn + order, TRUE)]
    new <- simulated_series(centred[c(before, own), , drop = FALSE], fit$phi, nrow(x))
    with_points(series$problem, innovations_of(new, fit_dependence(new, series$problem, least, layout)$phi))
  }
  centred <- e - rep(colMeans(e), each = nrow(e))
  list(problem = with_points(series$problem, e), shift = order, phi = fit$phi, draw = draw)
}

# Is a straight line in time nearly as good as the steps?
follows_slope <- function(points, run) {
  if (is.null(points) || max(run) < 3L) {
    return(FALSE)
  }
  time <- seq_len(nrow(points))
  squares <- function(fitted) sum((points - fitted)^2)
  total <- squares(rep(colMeans(points), each = nrow(points)))
  line <- squares(stats::lm.fit(cbind(1, time), points)$fitted.values)
  steps <- squares(rowsum(points, run)[run, , drop = FALSE] / tabulate(run)[run])
  total - line >= 0.95 * (total - steps)
}
