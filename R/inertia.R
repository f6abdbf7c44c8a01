# Counts of negative eigenvalues, by elimination (src/kg_inertia.c) where that goes: exact up to
# rounding, with no iteration that could miss one. On graphs without small separators it ends
# early; then blocks of vectors count (src/kg_chebyshev.c).

# Above so many entries of the small components' cubes elimination is the faster way.
count_dense_work <- 1e9

# Entries of fronts that an elimination may work on, a second or so.
inertia_budget <- 3e8

# How many eigenvalues of H are below `shift`, with the work as an attribute; NA if the budget
# ends.
eigenvalues_below <- function(parts, shift, budget = inertia_budget) {
  matrix <- list(
    start = parts$off@p, row = parts$off@i, diagonal = as.double(parts$diagonal),
    value = parts$every %||% parts$off@x
  )
  found <- .Call(ffi_inertia, matrix, as.double(shift), as.double(budget), 1e-14 * max(abs(parts$diagonal)))
  structure(found[1L], work = found[2L])
}

# list(count, below, above, sure, tolerance) as count_negative() needs it, or NULL. Two counts,
# a little to either side of 0, say whether a sign is in doubt.
inertia_negative <- function(parts, scale) {
  tolerance <- 1e-10 * scale
  low <- eigenvalues_below(parts, -tolerance)
  if (is.na(low)) {
    return(NULL)
  }
  high <- eigenvalues_below(parts, tolerance)
  if (is.na(high)) {
    return(NULL)
  }
  count <- as.integer(low)
  if (low != high) {
    # within the tolerance of 0, whatever the sign
    return(list(count = count, below = -Inf, above = 0, sure = FALSE, tolerance = tolerance))
  }
  margins <- c(below = -Inf, above = Inf)
  if (attr(low, "work") + attr(high, "work") < margin_work) {
    margins <- inertia_margins(parts, count, tolerance, scale)
  }
  list(
    count = count, below = margins[["below"]], above = margins[["above"]], sure = TRUE,
    tolerance = tolerance
  )
}

# The eigenvalues next to 0 cost some thirty counts more: only where these are next to nothing.
margin_work <- 1e6

inertia_margins <- function(parts, count, tolerance, scale) {
  # the least distance at which the count changes, to three digits, by bisection of its log
  change <- function(side) {
    changed <- function(distance) !identical(as.integer(eigenvalues_below(parts, side * distance)), count)
    low <- tolerance
    high <- 0.01
    while (!changed(high)) {
      low <- high
      high <- 4 * high
      if (high > 2 * scale) {
        return(Inf)
      }
    }
    while (high / low > 1.001) {
      middle <- sqrt(low * high)
      if (changed(middle)) high <- middle else low <- middle
    }
    sqrt(low * high)
  }
  c(below = if (count > 0L) -change(-1) else -Inf, above = change(1))
}

# By filtered blocks: the count of one cycle and the next must be the same and the value after
# the last one counted above 0. More vectors as long as all are below; NULL where blocks of
# vectors do not pay.
wide_negative <- function(parts, rows, most = 100) {
  k <- 12L
  repeat {
    if (!is_wide(length(rows), k)) {
      return(NULL)
    }
    found <- wide_solve(parts, rows, k, cycles = most, counting = TRUE)
    full <- !anyNA(found$values) && sum(found$values < 0) + 1L >= length(found$values)
    if (!full) break
    k <- 4L * (k + 4L) - 4L
  }
  values <- found$values[!is.na(found$values)]
  # single precision: what is nearer to 0 has no sign
  negative_of(values, found$converged, 1e-6 * found$bound)
}

negative_of <- function(values, sure, tolerance) {
  below <- values[values < 0]
  above <- values[values >= 0]
  list(
    count = length(below), below = max(below, -Inf), above = min(above, Inf),
    sure = sure, tolerance = tolerance
  )
}
