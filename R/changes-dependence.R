# Series that depend on their past: an autoregression is chosen together with the number of changes, the test of changes
# is that of its residuals, and a sieve that refits both calibrates it.

dependence_defaults <- list(
  order = 3L, # of the autoregression of a column, at most
  changes = 6L, # that are considered beside it, at most
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
fit_dependence <- function(x, problem, least) {
  n <- nrow(x)
  d <- ncol(x)
  price <- if (n < dependence_defaults$long) 1 else 0.7
  best <- NULL
  for (starts in best_cell_runs(with_points(problem, x), least)) {
    run <- findInterval(seq_len(n), settled_means(x, starts, least))
    rest <- x - rowsum(x, run)[run, , drop = FALSE] / tabulate(run)[run]
    found <- autoregressions(rest, run)
    value <- sum(found$value) + price * (length(starts) - 1) * (d + 1) * log(n)
    if (is.null(best) || value < best$value) best <- list(phi = found$phi, value = value, changes = length(starts) - 1L)
  }
  best
}

# The first observations of the best 1, 2, ... runs of cells of adjacent observations.
best_cell_runs <- function(problem, least) {
  layout <- sequence_layout(problem$n, 1L, least)
  number <- length(layout$size)
  cells <- .Call(ffi_dispersion, problem, layout$cell[layout$block], as.numeric(number))
  sum <- cumulated(t(cumulated(cells)))
  sum <- rbind(0, cbind(0, sum, deparse.level = 0), deparse.level = 0)
  end <- diag(sum)
  W <- (2 * sum - outer(end, end, "+")) / layout$lengths[[1L]]$length
  W[is.na(W)] <- Inf
  ends <- c(0, cumsum(layout$size))
  best <- W[1L, ]
  from <- list()
  out <- list(1L)
  for (m in seq_len(dependence_defaults$changes)) {
    costs <- best + W
    at <- max.col(-t(replace(costs, costs == Inf, .Machine$double.xmax)), ties.method = "first")
    best <- costs[cbind(at, seq_along(at))]
    from[[m]] <- at
    if (best[number + 1L] == Inf) break
    place <- number + 1L
    cuts <- integer(m)
    for (l in m:1) cuts[l] <- place <- from[[l]][place]
    out[[m + 1L]] <- c(1L, as.integer(ends[cuts]) + 1L)
  }
  out
}

# Changes moved by up to a cell to where the means of the runs have the least sum of squares: one row on the wrong side
# of a large shift would be two large innovations.
settled_means <- function(x, starts, least) {
  n <- nrow(x)
  sums <- rbind(0, apply(x, 2L, cumsum), deparse.level = 0)
  width <- ceiling(n / changes_defaults$cells)
  ends <- c(starts, n + 1L)
  for (i in seq_along(starts)[-1L]) {
    before <- ends[i - 1L] - 1L
    after <- ends[i + 1L] - 1L
    at <- seq(max(before + least, ends[i] - 1L - width), min(after - least, ends[i] - 1L + width))
    left <- sums[at + 1L, , drop = FALSE] - rep(sums[before + 1L, ], each = length(at))
    right <- rep(sums[after + 1L, ], each = length(at)) - sums[at + 1L, , drop = FALSE]
    ends[i] <- at[which.max(rowSums(left^2) / (at - before) + rowSums(right^2) / (after - at))] + 1L
  }
  as.integer(ends[seq_along(starts)])
}

# Autoregressions of the columns of deviations from the means of runs: `phi`, and n log v + p log n of each column.
# Means of runs take the long-run variance over their length from each autocovariance, which is given back.
autoregressions <- function(rest, run) {
  n <- nrow(rest)
  order <- dependence_defaults$order
  gamma <- vapply(0:order, function(h) {
    i <- seq_len(n - h)
    same <- run[i] == run[i + h]
    colSums(rest[i, , drop = FALSE] * rest[i + h, , drop = FALSE] * same) / max(sum(same), 1)
  }, numeric(ncol(rest)))
  gamma <- matrix(gamma, ncol(rest))
  found <- lapply(seq_len(ncol(rest)), function(j) autoregression(rest[, j], gamma[j, ], max(run), n))
  list(phi = vapply(found, `[[`, numeric(order), "phi"), value = vapply(found, `[[`, 0, "value"))
}

autoregression <- function(rest, raw, runs, n) {
  order <- length(raw) - 1L
  if (!(raw[1L] > 1e-12 * max(abs(rest))^2)) {
    return(list(phi = numeric(order), value = 0))
  }
  gamma <- raw
  for (again in 1:2) {
    one <- max(-0.98, min(0.98, gamma[2L] / gamma[1L]))
    gamma <- raw + gamma[1L] * (1 - one^2) / (1 - one)^2 * runs / n
  }
  best <- NULL
  phi <- numeric()
  v <- gamma[1L]
  for (p in seq_len(order)) {
    # Levinson
    partial <- (gamma[p + 1L] - sum(phi * gamma[p:2][seq_along(phi)])) / v
    partial <- max(-0.98, min(0.98, partial))
    phi <- c(phi - partial * rev(phi), partial)
    v <- v * (1 - partial^2)
    value <- n * log(v) + p * log(n)
    if (is.null(best) || value < best$value) best <- list(phi = phi, value = value, p = p)
  }
  phi <- steady(best$phi * (1 + 2 / n))
  innovations <- innovations_of(matrix(rest), matrix(c(phi, numeric(order - best$p))))
  list(phi = c(phi, numeric(order - best$p)), value = n * log(mean(innovations^2)) + best$p * log(n))
}

# Coefficients whose roots are outside the unit circle.
steady <- function(phi) {
  while (min(Mod(polyroot(c(1, -phi)))) < 1.01) phi <- 0.98 * phi
  phi
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
  fit <- fit_dependence(x, series$problem, least)
  e <- innovations_of(x, fit$phi)
  order <- nrow(x) - nrow(e)
  draw <- function(starts) {
    run <- split(seq_len(nrow(e)), findInterval(seq_len(nrow(e)), starts))
    own <- unlist(lapply(run, function(rows) rows[sample.int(length(rows))]), use.names = FALSE)
    before <- run[[1L]][sample.int(length(run[[1L]]), dependence_defaults$burn + order, TRUE)]
    new <- simulated_series(centred[c(before, own), , drop = FALSE], fit$phi, nrow(x))
    with_points(series$problem, innovations_of(new, fit_dependence(new, series$problem, least)$phi))
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
