# Values of B against landmarks, and the features that a map makes of them. With landmarks
# z_1..z_m and B centred on their mean, phi(x) = L^-1 c(x), c_a(x) = B(x, z_a) centred, L the
# Cholesky factor of the landmarks' own centred matrix (R/landmarks.R).

# Values of B between the rows of `data` and landmarks that are points, by the semimetric of
# the store.
landmark_values <- function(store, landmarks, data, call = rlang::caller_env()) UseMethod("landmark_values")

# ---- features ----

# Features of points (in the scale of the map): `z`, doubles or a raw vector, and `rest`, what of the squared
# norms the landmarks do not span.
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

# Above this many values 16 bits each are enough: what they lose lies far below what the landmarks
# do not span.
most_doubles <- 2^20

# Coordinates of new points as the store of a problem or map holds them.
new_coordinates <- function(of, y, call, arg = "newdata") {
  scaled_new(metric_coordinates(of$semimetric, y, call, arg), of$exponent, call, arg)
}

# Features of a store whose values against points come from R, strip by strip.
features_of_strips <- function(store, map, call) {
  parts <- lapply(strips(store$n, map$m, 2^21), function(rows) {
    value_features(map, as.double(landmark_values(store, map$landmarks, store_landmarks(store, rows), call)))
  })
  list(z = unlist(lapply(parts, `[[`, "z")), rest = unlist(lapply(parts, `[[`, "rest")))
}

feature_width <- function(map) 16 * max(1, ceiling(map$rank / 16))

new_point_features <- function(map, y, call) {
  y <- unclass(y)
  c(point_features(map, new_coordinates(map, y, call), call), list(names = rownames(y)))
}
