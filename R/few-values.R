# Columns of few values in a learned metric, a mixture and BIC. A column of at most k values can be constant within k
# clusters, and so can a sum of columns but for rounding: no criterion that compares variances has a bound there.
# A column of at most few_most values is taken as a normal variable that was cut into them: its rows are spread within
# their value; in another column those of a value that is as frequent. A sum of columns with no more variance than
# their rounding is left out. bench/few-values.md has the measurements.

few_defaults <- list(
  rounding = 2, # a sum of columns is left out up to so many times the variance of their rounding
  step = 1e-6 # the least step of a lattice, in ranges of the column
)

# Return a problem whose rows are spread within the values of the columns of few values, with the labels of these as
# `few`; NULL if there is none. `lattice`: columns with more values, all multiples of a step, are spread over one step.
spread_problem <- function(problem, lattice = FALSE) {
  at <- number_coordinates(problem$blueprint, ncol(problem$points))
  used <- used_columns(problem$blueprint)
  used <- used[vapply(used, `[[`, "", "type") != "categories"]
  seen <- lapply(used, seen_values, problem$blueprint)
  spread <- spread_columns(problem$points[, at, drop = FALSE], problem$w, seen, lattice)
  if (!any(spread$few | spread$lattice)) {
    return(NULL)
  }
  points <- problem$points
  points[, at] <- spread$points
  out <- moved_problem(problem, points, problem$semimetric)
  out$few <- vapply(used[spread$few], `[[`, "", "label")
  out
}

# The values of a column with missing cells among its coordinates, of which others were imputed.
seen_values <- function(column, blueprint) {
  if (is.null(column$seen) || !is.null(blueprint$map)) {
    return(NULL)
  }
  (if (blueprint$as_is) column$seen else (column$seen - column$mean) / column$sd) * sqrt(column$weight)
}

# Return list(points, few, lattice): columns of numbers, spread, and which of them were. The result depends on the rows,
# not on their order; in units of the column it does not depend on its unit, nor on the sign of two values. `seen`: for
# each column NULL or its values, if others are imputed. Rows of weight 0 and of imputed values stay.
spread_columns <- function(x, w, seen = vector("list", ncol(x)), lattice = FALSE) {
  inside <- which(w > 0)
  values <- lapply(seq_len(ncol(x)), function(j) frequent_values(x[inside, j], w[inside], seen[[j]]))
  few <- lengths(values) > 0L
  step <- numeric(ncol(x))
  if (lattice) step[!few] <- apply(x[inside, !few, drop = FALSE], 2L, lattice_step)
  if (any(few | step > 0)) {
    z <- scaled_columns(x, w)$z
    # equal keys of different rows: columns of two values as frequent as one another
    along <- intersect(order(round(point_key(abs(z)), 8L), point_key(z)), inside)
  }
  for (j in which(few | step > 0)) {
    v <- x[along, j]
    x[along, j] <- if (few[j]) {
      spread_values(v, w[along], j, values[[j]])
    } else {
      v + step[j] * (even_within(match(v, unique(v)), w[along], j) - 0.5)
    }
  }
  list(points = x, few = few, lattice = step > 0)
}

# The values within which the rows of a column are spread: all if they are few, else those of more than a fifth of the
# rows, as the zeros of an amount or of a count. A constant has none.
frequent_values <- function(v, w, seen) {
  few <- seen %||% few_values(v, few_most)
  if (!is.null(few)) {
    return(if (length(few) > 1L) few)
  }
  values <- unique(v[duplicated(v)])
  share <- sum_by(w, match(v, values, length(values) + 1L), length(values) + 1L) / sum(w)
  values[share[seq_along(values)] > 1 / few_most]
}

# Spread the rows of frequent values of a column as a normal variable that was cut into its values: value + c (y - s),
# y the quantiles of the normal distribution of which the value has its share, s their mean, c so that c s has the
# variance of the values. Two values are then c s, but for a constant.
spread_values <- function(v, w, j, frequent) {
  nearest <- frequent[max.col(-abs(outer(v, frequent, "-")), ties.method = "first")]
  often <- abs(v - nearest) < 1e-8 * diff(range(v))
  near <- replace(v, often, nearest[often])
  values <- sort(unique(near))
  at <- match(near, values)
  share <- sum_by(w, at, length(values)) / sum(w)
  end <- cumsum(share)
  # away from the middle of the distribution, so that -v is spread as -(v spread)
  u <- rep(0.5, length(v))
  u[often] <- even_within(at[often], w[often], j)
  low <- (end - share / 2 <= 0.5)[at]
  y <- stats::qnorm(end[at] - share[at] * ifelse(low, u, 1 - u))
  s <- group_means(y, at, length(values), w)[at]
  sd <- function(x) sqrt(sum(w * (x - sum(w * x) / sum(w))^2))
  v + (y - s) * sd(v) / sd(s)
}

# Numbers of (0, 1) for rows in the order of a key, even within each value `at` and along the key: ranks, by weight, of
# multiples of an irrational number, another for each column j.
even_within <- function(at, w, j) {
  u <- numeric(length(at))
  for (rows in split(seq_along(at), at)) {
    rows <- rows[order((seq_along(rows) * sqrt(j + 0.5)) %% 1)]
    u[rows] <- (cumsum(w[rows]) - w[rows] / 2) / sum(w[rows])
  }
  u
}

# The largest step of which all differences of some numbers are multiples, but for rounding of doubles (Euclid); 0 if
# there is none. Values that occur once may be imputed, and do not count if others occur more often.
lattice_step <- function(x) {
  more <- unique(x[duplicated(x)])
  gaps <- diff(sort(if (length(more) > few_most) more else unique(x)))
  range <- sum(gaps)
  while (length(gaps) && min(gaps) > few_defaults$step * range) {
    step <- min(gaps)
    rest <- gaps %% step
    rest <- pmin(rest, step - rest)
    rest <- rest[rest > 1e-2 * few_defaults$step * range]
    if (length(rest) == 0L) {
      return(step)
    }
    gaps <- c(step, rest)
  }
  0
}

# Return columns as scaled_columns() has them, without the directions that rounding alone explains, whose forms are the
# columns of `rounded`: u_j = step_j / sqrt(12) is the standard deviation of rounding of column j, and they are the
# eigenvectors of Cov(x_i, x_j) / (u_i u_j) of eigenvalues of at most 2, where rounding has 1.
without_rounding <- function(scaled) {
  z <- scaled$z
  inside <- scaled$share > 0
  if (ncol(z) < 2L || 2L * ncol(z) > sum(inside)) {
    return(scaled)
  }
  step <- apply(z[inside, , drop = FALSE], 2L, lattice_step)
  if (!any(step > 0)) {
    return(scaled)
  }
  unit <- pmax(step / sqrt(12), few_defaults$step)
  e <- symmetric_eigen(cross_rows(z, scaled$share * z) / outer(unit, unit))
  out <- e$values <= few_defaults$rounding
  if (any(out)) {
    scaled$rounded <- qr.Q(qr(e$vectors[, out, drop = FALSE] / unit))
    scaled$z <- z - times_rows(times_rows(z, scaled$rounded), t(scaled$rounded))
  }
  scaled
}
