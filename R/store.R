# Stores: how the pairwise dissimilarities of a problem are held, an S3 class each in a file of its own.
# A store is a named list that the compiled code reads by name; every store has n. B = -rho/2
# with B_ii = 0 throughout, so that an offset of the data changes nothing; only a sparse matrix
# has a diagonal of its own. A new kind of input is a new class with these few methods.

# The store on some of its observations (ascending row numbers).
store_subset <- function(store, rows) UseMethod("store_subset")

# B itself, n x n.
store_values <- function(store) UseMethod("store_values")

# B_ii
store_self <- function(store) UseMethod("store_self")

# rho at pairs of rows, in the units of the store.
store_rho <- function(store, i, j) UseMethod("store_rho")

# B v
store_product <- function(store, v) UseMethod("store_product")

# New observations in the units of the store, a list with `names`: `y` of a user is checked here, once. `of` is the
# problem or the landmark map; `diag` and `type` are those of predict().
read_new <- function(store, of, y, diag, type, call) UseMethod("read_new")

# list(R, self) of new observations that read_new() returned: m x k sums of w_y B(new, y) over the clusters, and
# B(new, new).
store_cross <- function(store, problem, new, cluster, k) UseMethod("store_cross")

# Kinds of start that this store can answer.
store_starts <- function(store) UseMethod("store_starts")

# Did kernel values come in, so that new observations bring kernel values too?
store_kernel <- function(store) UseMethod("store_kernel")

# Nanoseconds that a pairwise dissimilarity takes to compute, roughly; NA if a matrix of all of them
# never pays.
store_cost <- function(store) UseMethod("store_cost")

# Numbers that a pairwise dissimilarity costs to compute, roughly.
store_work <- function(store) UseMethod("store_work")

# The store without the observations, which the data of a fit hold, and with them again.
store_detach <- function(store) UseMethod("store_detach")
store_attach <- function(store, source) UseMethod("store_attach")

# Weights of a part of a problem: `w` by default; a graph recomputes vertex weights.
store_weights <- function(store, w, w_unit) UseMethod("store_weights")

# Landmarks: what is kept of them for new observations, B among them, features of all
# observations.
store_landmarks <- function(store, rows) UseMethod("store_landmarks")
store_among <- function(store, landmarks) UseMethod("store_among")
store_features <- function(store, map, call) UseMethod("store_features")

# list(z, rest) of new observations that read_new() returned.
store_new_features <- function(store, map, new, call) UseMethod("store_new_features")

#' @export
store_self.default <- function(store) numeric(store$n)

#' @export
store_rho.default <- function(store, i, j) -2 * .Call(ffi_pairs_at, store, as.integer(i), as.integer(j))

#' @export
store_product.default <- function(store, v) .Call(ffi_product, store, v)

#' @export
store_weights.default <- function(store, w, w_unit) w

#' @export
store_values.default <- function(store) .Call(ffi_pair_values, store)

#' @export
store_starts.default <- function(store) names(known_starts)

#' @export
store_kernel.default <- function(store) FALSE

#' @export
store_cost.default <- function(store) 12

#' @export
store_work.default <- function(store) 4

# Fields that hold observations.
observation_fields <- c(
  "x", "values", "start", "row", "value", "diagonal", "row_start", "column", "row_value", "column_start",
  "column_value", "centre"
)

#' @export
store_detach.default <- function(store) {
  store[names(store) %in% observation_fields] <- list(NULL)
  store
}

#' @export
store_attach.default <- function(store, source) {
  gone <- names(store)[vapply(store, is.null, NA)]
  store[gone] <- source$store[gone]
  store
}

#' @export
store_landmarks.default <- function(store, rows) rows

#' @export
store_among.default <- function(store, landmarks) {
  out <- .Call(ffi_landmark_values, store, landmarks, 1, as.numeric(store$n))
  unname(out[landmarks, , drop = FALSE])
}

#' @export
store_features.default <- function(store, map, call) {
  .Call(ffi_lowrank_features, store, map$landmarks, map[c("m", "T", "offset", "constants", "short", "bounded")])
}

# Sums of w over the clusters as columns: w_i in the column of the cluster of i.
weighted_indicator <- function(problem, cluster, k) {
  out <- matrix(0, problem$n, k)
  out[cbind(seq_len(problem$n), cluster)] <- problem$w
  out
}

# Arguments that the function of the distance takes of that: powers by roots and exponentials are computed many
# at a time.
function_cost <- function(rho) {
  switch(store_family(rho),
    power = ,
    manhattan = ,
    maximum = ,
    canberra = ,
    hamming = ,
    jaccard = if (rho[2L] %in% c(0.5, 1, 1.5, 2)) 0 else 10,
    exponential = ,
    gaussian = 0.7,
    10
  )
}

# ---- values against landmarks, and the features that a map makes of them (R/landmarks.R) ----

# Values of B between the rows of `data` and landmarks that are points, by the semimetric of
# the store.
landmark_values <- function(store, landmarks, data, call = rlang::caller_env()) UseMethod("landmark_values")

# Features of points (in the scale of the map): `z`, doubles or a raw vector, and `rest`, the squared norm orthogonal
# to the landmarks.
point_features <- function(map, data, call = rlang::caller_env()) {
  store <- map$store
  store$x <- data
  store$n <- as.numeric(nrow(data))
  store_features(store, map, call)
}

# Features from the values of B against the landmarks.
value_features <- function(map, values, self = NULL) {
  .Call(ffi_lowrank_convert, values, self, map[c("m", "T", "offset", "constants", "short", "bounded")])
}

# Above this many values 16 bits each suffice: the rounding is far below the approximation error.
most_doubles <- 2^20

# Coordinates of new points as the store of a problem or map holds them.
new_coordinates <- function(of, y, call, arg = "newdata") {
  scaled_new(metric_coordinates(of$semimetric, y, call, arg), of$exponent, call, arg)
}

# Features in strips of rows; `values` returns those of B against the landmarks, and `self` those of B(x, x).
features_of_strips <- function(store, map, values, self = function(rows) NULL) {
  parts <- lapply(strips(store$n, map$m, 2^21), function(rows) {
    value_features(map, as.double(values(rows)), self(rows))
  })
  list(z = unlist(lapply(parts, `[[`, "z")), rest = unlist(lapply(parts, `[[`, "rest")))
}

feature_width <- function(map) 16 * max(1, ceiling(map$rank / 16))
