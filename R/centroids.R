# Centroid swaps: k-means of coordinates, whose sum of squares equals W for squared distances. For other semimetrics
# that increase with the distance, its minima are starts.

# The coordinates of the rows that take part, as the compiled routines take them; NULL if there are none or too many. A
# list:
#   some    a problem of features, centred and scaled
#   rows    the rows of it
#   exact   is the within-cluster sum of squares W?
#   pass    products of a pass over all rows
#   least   the sum of squares below which single precision does not resolve the clusters
centroid_view <- function(problem, k) {
  z <- coordinates_of(problem$store)
  # a pass runs between two checks for an interrupt; features may leave the range of numbers
  if (is.null(z) || length(z) > 2e7 || as.numeric(length(z)) * k > 2e9 || !is.finite(sum(z))) {
    return(NULL)
  }
  # Single precision does not resolve smaller weights. If there are such rows, small problems are searched without
  # centroids; in large ones the local search assigns them.
  rows <- which(problem$w > 1e-6 * max(problem$w))
  if (length(rows) <= k || problem$n <= small_n && length(rows) < count_inside(problem)) {
    return(NULL)
  }
  if (length(rows) < problem$n) z <- z[, rows, drop = FALSE]
  exact <- has_features(problem) || store_family(problem$store$rho) == "power" && problem$store$rho[2L] == 2
  middle <- row_medians(evenly_spaced_columns(z))
  z <- limit_far(z, middle) # has the same medians
  if (!exact) z <- draw_in(z, middle)
  z <- z - rowMeans(z)
  z <- z / max(z, -min(z), .Machine$double.xmin)
  some <- list(n = length(rows), w = problem$w[rows], store = new_features_store(z, length(rows)))
  list(
    some = some, rows = rows, exact = exact,
    pass = as.numeric(length(rows)) * k * min(nrow(z) + 4, 64), least = 1e-5 * sum(some$w * colSums(z^2))
  )
}

# Coordinates with far rows drawn in, as the semimetric grows more slowly than squares: a distance from the medians
# above `far` times the median one becomes the geometric mean of both.
draw_in <- function(z, middle, far = search_defaults$far) {
  z <- z - middle
  distance <- sqrt(colSums(z^2))
  limit <- far * stats::median(distance)
  if (limit == 0) z else z * rep(sqrt(limit / pmax(distance, limit)), each = nrow(z))
}

# Coordinates with those of far rows at 1000 median deviations, so that single precision resolves the others.
limit_far <- function(z, middle) {
  limit <- 1000 * row_medians(abs(evenly_spaced_columns(z) - middle))
  limit[limit == 0] <- Inf
  # columns of z are rows of the data: the limits recycle
  if (all(abs(z - middle) <= limit)) z else middle + pmax(pmin(z - middle, limit), -limit)
}

evenly_spaced_columns <- function(z) z[, evenly_spaced(seq_len(ncol(z)), 1000L), drop = FALSE]

# Coordinates as columns, if the semimetric increases with their distance.
coordinates_of <- function(store) {
  if (inherits(store, "kgroups_features")) {
    return(take_features(store$z, store$n, seq_len(store$n), doubles = TRUE))
  }
  rises <- inherits(store, "kgroups_points") && store_family(store$rho) %in% c("power", "exponential", "gaussian")
  # codes of many categories hardly affect a choice of centroids
  if (rises) t(store$numbers %||% store$x)
}

# Centroid swaps from labels of the rows, until `patience` of them in a row fail, or the cost of `passes`. Return
# list(cluster, cost, evaluations), the costs as sums of squares; NULL if single precision does not resolve the
# clusters.
swapped_means <- function(view, k, labels, passes, patience) {
  start <- fill_clusters(labels, view$some$w, k)
  found <- swap_centroids(view$some, k, start, patience, passes * view$pass, move_uniforms())
  if (isTRUE(sum(found$cost) >= view$least)) { # not NaN, of coordinates that are not finite
    list(cluster = found$cluster, cost = found$cost, evaluations = found$work / view$pass * as.numeric(length(view$rows)) * k)
  }
}
