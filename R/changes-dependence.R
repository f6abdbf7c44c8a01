# Series that depend on their past: an autoregression is chosen together with the number of changes, the test of changes
# is that of its residuals, and a sieve that refits both calibrates it.

dependence_defaults <- list(
  changes = 6, # that are considered beside an autoregression of order up to 3, at most
  coordinates = 8L, # principal ones of dissimilarities
  burn = 50L, # steps before a simulated series
  least = 20L, # observations
  window = 10, # its reciprocal is half the window of the running median, as a share of the observations
  far = 4, # robust standard deviations from the running median, beyond which a value does not count
  block = 4, # times n^(1/3), at most n / 6: adjacent residuals that are permuted together, if they depend
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
  phi_of <- function(x) fit_dependence(without_bursts(x), series$problem, least, layout)$phi
  phi <- phi_of(x)
  e <- innovations_of(x, phi)
  order <- nrow(x) - nrow(e)
  each <- if (is_dependent(e)) ceiling(min(dependence_defaults$block * nrow(e)^(1 / 3), nrow(e) / 6)) else 1
  if (each > 1) inform_dependent(each)
  centred <- e - rep(colMeans(e), each = nrow(e))
  draw <- function(starts) {
    run <- split(seq_len(nrow(e)), findInterval(seq_len(nrow(e)), starts))
    own <- unlist(lapply(run, permuted_blocks, each), use.names = FALSE)
    before <- run[[1L]][sample.int(length(run[[1L]]), dependence_defaults$burn + order, TRUE)]
    new <- simulated_series(centred[c(before, own), , drop = FALSE], phi, nrow(x))
    with_points(series$problem, innovations_of(new, phi_of(new)))
  }
  list(problem = with_points(series$problem, e), shift = order, phi = phi, draw = draw)
}

# Rows of a run in blocks of adjacent ones, which are permuted; the first block begins anywhere.
permuted_blocks <- function(rows, each) {
  n <- length(rows)
  if (each == 1) {
    return(rows[sample.int(n)])
  }
  block <- (seq_len(n) + sample.int(each, 1L)) %/% each
  unlist(split(rows, block)[sample.int(length(unique(block)))], use.names = FALSE)
}

# Return list(middle, deviation) of columns: their running median, of a window longer than a burst and shorter than most
# runs, and the deviations from it, 0 for those that are far: a few rows must not define an autoregression.
local_deviations <- function(x) {
  window <- max(3, 2 * (nrow(x) %/% dependence_defaults$window) + 1)
  middle <- apply(x, 2L, function(values) as.vector(stats::runmed(values, window, endrule = "constant")))
  deviation <- x - middle
  far <- abs(deviation) > dependence_defaults$far * rep(apply(deviation, 2L, stats::mad, 0), each = nrow(x))
  far <- far & rep(colMeans(far) < 0.1, each = nrow(x))
  list(middle = middle, deviation = replace(deviation, far, 0))
}

without_bursts <- function(x) Reduce(`+`, local_deviations(x))

# Do residuals depend on those before, in their signs, their sizes (sums of five autocorrelations) or across columns
# (lag one)? At the level of 1 in 20 together.
is_dependent <- function(e) {
  n <- nrow(e)
  lagged <- function(x, lag) {
    x <- scale(x)
    x[!is.finite(x)] <- 0
    crossprod(x[-seq_len(lag), , drop = FALSE], x[seq_len(n - lag), , drop = FALSE]) / n
  }
  e <- local_deviations(e)$deviation
  across <- lagged(e, 1)
  of <- list(sign(e), abs(e))
  own <- vapply(of, function(x) {
    Reduce(`+`, lapply(1:5, function(lag) diag(lagged(x, lag)))) / sqrt(5)
  }, numeric(ncol(e)))
  z <- sqrt(n) * abs(c(across[row(across) != col(across)], own))
  max(z) > stats::qnorm(0.025 / length(z), lower.tail = FALSE)
}

inform_dependent <- function(each) {
  kg_inform(
    c(
      "The series depends on its past beyond an autoregression of each column: p-values are approximate.",
      "i" = "Blocks of {each} adjacent residuals are permuted."
    ),
    "dependence"
  )
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
  steps <- squares(group_means(points, run, max(run))[run, , drop = FALSE])
  total - line >= 0.95 * (total - steps)
}
