# Metrics by name: rho_metric(), the coordinates that a store holds for each, and what is
# known of their negative type.

# nolint start: line_length_linter.
#' Metrics by name
#'
#' `rho_metric()` is a power of a metric that is given by its name, for any number of observations
#' and without a matrix of distances. The names can be used as `semimetric` directly:
#' `kgroups(x, k, semimetric = "manhattan")`, as in [stats::dist()].
#'
#' | `metric` | d(x, y) | power `alpha` | of negative type |
#' |---|---|---|---|
#' | `"manhattan"` | \eqn{\sum |x_c - y_c|}{sum |x_c - y_c|} | (0, 1] | yes: \eqn{L_1}{L1} |
#' | `"minkowski"` | \eqn{(\sum |x_c - y_c|^p)^{1/p}}{(sum |x_c - y_c|^p)^(1/p)} | (0, min(p, 2)] for p <= 2, else (0, 1] | yes for p <= 2; for p > 2 in one or two columns |
#' | `"maximum"` | \eqn{\max |x_c - y_c|}{max |x_c - y_c|} | (0, 1] | in one or two columns |
#' | `"canberra"` | \eqn{\sum |x_c - y_c| / (|x_c| + |y_c|)}{sum |x_c - y_c|/(|x_c| + |y_c|)} | (0, 1] | yes |
#' | `"hamming"` | number of columns with \eqn{x_c \ne y_c}{x_c != y_c}, numbers or categories | (0, 1] | yes |
#' | `"jaccard"` | \eqn{1 - |A \cap B| / |A \cup B|}{1 - |A and B|/|A or B|}, columns not 0 | (0, 1] | yes |
#' | `"cosine"` | \eqn{1 - \cos(x, y)}{1 - cos(x, y)} | (0, 1] | yes |
#' | `"correlation"` | 1 - Pearson correlation of the rows | (0, 1] | yes |
#' | `"spearman"` | 1 - rank correlation of the rows | (0, 1] | yes |
#' | `"haversine"` | great-circle distance in km of (longitude, latitude) in degrees | (0, 1] | yes |
#'
#' Other names: `"euclidean"` is `rho_power(1)`, `"sqeuclidean"` is `rho_power(2)`; `"binary"` (as in
#' [stats::dist()]) is `"jaccard"`, `"chebyshev"` `"maximum"`, `"pearson"` `"correlation"`, `"cityblock"` `"manhattan"`.
#'
#' @section Details of the metrics:
#' * `"canberra"`: a column in which both values are 0 adds 0. [stats::dist()] takes it as missing and rescales the
#'   rest.
#' * `"hamming"`: weights of columns have no effect, but 0 leaves a column out. A missing category is the most probable
#'   one.
#' * `"jaccard"`: values are compared as 0 and not 0, so that counts count as presence. Two rows of zeros have
#'   distance 0. The quantitative index of other packages is `vegan::vegdist(x, "jaccard")`.
#' * Two categories of a column are 2 apart in Euclidean distance (see [as_points()]), 1 in `"hamming"`, 2.8 in
#'   `"manhattan"`, 1.4 in `"maximum"` and 2 in `"canberra"`.
#' * `"cosine"` of a row of zeros, `"correlation"` and `"spearman"` of a constant row are undefined: an error.
#' * `"haversine"`: two columns, longitude from -180 to 360 and latitude from -90 to 90, in this
#'   order or named (`lon`, `lng`, `long`, `longitude`, `x`; `lat`, `latitude`, `y`). The radius is 6371.0088 km.
#' * The distance between medians, means and plots of a fit are those of the columns, whatever the metric.
#'
#' @section Negative type: If d is of negative type, so is \eqn{d^\alpha}{d^alpha} for
#'   \eqn{0 < \alpha \le 1}{0 < alpha <= 1}. \eqn{L_p^\alpha}{L_p^alpha} is of negative type if and only if
#'   \eqn{\alpha \le p}{alpha <= p}, for \eqn{1 \le p \le 2}{1 <= p <= 2} (Schoenberg 1938). Every norm of the plane
#'   embeds in \eqn{L_1}{L1}; in three columns and more no power of \eqn{L_p}{L_p}, p > 2, is of negative type
#'   (Koldobsky 1991). Hamming and great-circle distances are \eqn{L_1}{L1} distances (Crofton's formula), the Jaccard
#'   index is a positive definite kernel (Gower 1971), cosine and correlation distances are half the squared distance of
#'   unit vectors. A term of the Canberra distance is 1 less a convex decreasing function of
#'   \eqn{|\log x - \log y|}{|log x - log y|}, which is positive definite (Polya).
#'
#' @param metric The name of the metric.
#' @param alpha The power, a number above 0; the largest is in the table. Default 1.
#' @param p The exponent of `"minkowski"`, a number of at least 1. Default 2.
#' @param ... Not used: an unknown argument is an error.
#' @return An object of class `kgroups_semimetric`.
#' @section Complexity: A value costs \eqn{O(d)}{O(d)}: by vector instructions, but for `"minkowski"`, which
#'   takes some 20 times as long as `"manhattan"`. Cosine, correlation, rank correlation and haversine are
#'   computed from unit vectors, as fast as `rho_power()`.
#' @references
#' Schoenberg IJ (1938). "Metric Spaces and Positive Definite Functions." *Transactions of the
#' American Mathematical Society*, 44(3), 522-536. \doi{10.2307/1989894}
#'
#' Gower JC (1971). "A General Coefficient of Similarity and Some of Its Properties." *Biometrics*,
#' 27(4), 857-871. \doi{10.2307/2528823}
#'
#' Koldobsky A (1991). "Schoenberg's Problem on Positive Definite Functions." *Algebra and Analysis*, 3, 78-85.
#' @family semimetrics
#' @seealso [semimetrics] for functions of the Euclidean distance.
#' @examples
#' # another distance of the same table
#' kgroups(USArrests, 3, semimetric = "manhattan", standardize = TRUE)$sizes
#' rho_metric("minkowski", p = 1.5)
#'
#' # two places beside the date line are near: great-circle distances in kilometres
#' places <- cbind(lon = c(179.9, -179.9, 0), lat = c(0, 0, 51.5))
#' semimetric_matrix(places, semimetric = rho_metric("haversine"))
#' @concept Manhattan
#' @concept cosine
#' @concept correlation distance
#' @concept Hamming
#' @concept haversine
#' @export
# nolint end
rho_metric <- function(metric, alpha = 1, p = 2, ...) {
  call <- rlang::current_env()
  check_no_dots(..., call = call, topic = "rho_metric")
  check_given(metric, "metric")
  metric <- check_metric_name(metric, "metric", call)
  if (metric != "minkowski" && !missing(p)) {
    abort_input("p", call, "`p` belongs to \"minkowski\".", "You supplied it for {quoted(metric)}.", "Leave it out.")
  }
  p <- if (metric != "minkowski") 1 else if (identical(p, Inf)) p else check_number(p, "p", 1, call = call)
  if (metric == "euclidean") {
    return(rho_power(alpha))
  }
  if (metric == "sqeuclidean") {
    return(rho_power(2 * check_number(alpha, "alpha", 0, 1, open = c(TRUE, FALSE))))
  }
  if (identical(p, Inf)) metric <- "maximum"
  most <- if (metric == "minkowski" && p <= 2) p else 1
  alpha <- check_number(alpha, "alpha", 0, most, open = c(TRUE, FALSE))
  new_metric(metric, alpha, p)
}

metric_families <- c(
  manhattan = "manhattan", minkowski = "minkowski", maximum = "maximum", canberra = "canberra", hamming = "hamming",
  jaccard = "jaccard", cosine = "power", correlation = "power", spearman = "power", haversine = "arc"
)

metric_labels <- c(
  manhattan = "Manhattan distance", minkowski = "Minkowski distance", maximum = "maximum distance",
  canberra = "Canberra distance", hamming = "Hamming distance", jaccard = "Jaccard distance of presence (not 0)",
  cosine = "1 - cosine",
  correlation = "1 - correlation", spearman = "1 - rank correlation", haversine = "great-circle distance (km)"
)

metric_aliases <- c(
  binary = "jaccard", chebyshev = "maximum", pearson = "correlation", cityblock = "manhattan", taxicab = "manhattan",
  l1 = "manhattan", l2 = "euclidean", squared = "sqeuclidean", geodesic = "haversine", "great-circle" = "haversine",
  "squared euclidean" = "sqeuclidean"
)

metric_names <- c("euclidean", "sqeuclidean", names(metric_families))

earth_radius <- 6371.0088

# `parameter` is the power of the value computed in C: a distance, or that of unit vectors.
new_metric <- function(metric, alpha, p) {
  unit <- metric_families[[metric]] == "power"
  label <- paste0(
    metric_labels[[metric]], if (metric == "minkowski") paste0(", p = ", format(p)),
    if (alpha != 1) paste0(", to the power ", format(alpha))
  )
  out <- new_semimetric(metric_families[[metric]], if (unit) 2 * alpha else alpha, label)
  out$metric <- metric
  out$alpha <- alpha
  out$p <- p
  out
}

check_metric_name <- function(metric, arg, call) {
  known <- c(metric_names, names(metric_aliases))
  name <- if (is.character(metric) && length(metric) == 1L && !is.na(metric)) lower_ascii(metric) else ""
  if (!name %in% known) {
    near <- if (nzchar(name)) nearest_name(name, known)
    hint <- c(if (length(near)) "Did you mean {quoted(near)}?", "Use one of {quoted(metric_names)}.")
    abort_argument(metric, arg, "be the name of a metric.", hint, call = call)
  }
  if (name %in% names(metric_aliases)) metric_aliases[[name]] else name
}

is_metric <- function(semimetric) !is.null(semimetric$metric)

# TRUE, FALSE or NA, on any points of d columns.
metric_negative_type <- function(semimetric, d) {
  switch(semimetric$metric, minkowski = semimetric$p <= 2 || d <= 2L, maximum = d <= 2L, TRUE)
}

# Is the metric defined at the origin?
has_origin <- function(semimetric) {
  !isTRUE(base_semimetric(semimetric)$metric %in% c("cosine", "correlation", "spearman", "haversine"))
}

# Return list(code, unit) for data divided by 2^exponent: the code for C, and the factor that the values of the store
# lack.
scaled_semimetric <- function(semimetric, exponent) {
  if (exponent == 0 && semimetric$family == "power" && !is_metric(semimetric)) {
    return(list(code = semimetric_code("power", semimetric$parameter), unit = 1))
  }
  if (semimetric$family == "function") semimetric[c("family", "parameter")] <- list("given", 0)
  scaling <- semimetric_families$scaling[match(semimetric$family, semimetric_families$name)]
  unit <- switch(scaling, power = 2^(exponent * semimetric$parameter), linear = 2^exponent, 1)
  if (is_metric(semimetric)) {
    alpha <- semimetric$alpha
    # C computes a half of a squared distance, or an angle
    unit <- unit * switch(metric_families[[semimetric$metric]], power = 2^-alpha, arc = earth_radius^alpha, 1)
  }
  if (scaling == "parameter") {
    # a sigma far from the data: 0 would make 0 / 0 of equal points
    sigma <- times_power_of_two(semimetric$parameter, -exponent)
    semimetric$parameter <- min(max(sigma, .Machine$double.xmin), .Machine$double.xmax)
  }
  list(code = semimetric_code(semimetric$family, semimetric$parameter), unit = unit)
}

# Names of kernels and metrics that are no metrics of columns, and what to use.
semimetric_nicknames <- c(
  gaussian = "Use `rho_gaussian()`.", rbf = "Use `rho_gaussian()`.", laplacian = "Use `rho_exponential()`.",
  bray = "Pass its values as `x`: `vegan::vegdist(x, \"bray\")`.",
  mahalanobis = "Use `standardize = \"within\"` of `kgroups()`.",
  gower = "`kgroups()` scales columns of mixed types itself; or pass `cluster::daisy(x, \"gower\")` as `x`."
)

check_semimetric <- function(semimetric, call = rlang::caller_env()) {
  if (!inherits(semimetric, "kgroups_semimetric")) semimetric <- chosen_semimetric(semimetric)
  if (inherits(semimetric, "kgroups_semimetric")) {
    return(semimetric)
  }
  name <- if (is.character(semimetric) && length(semimetric) == 1L) lower_ascii(semimetric) else NA
  if (name %in% c(metric_names, names(metric_aliases))) {
    return(rho_metric(name))
  }
  near <- if (!is.na(name)) nearest_name(name, c(metric_names, names(metric_aliases)))
  hint <- if (is.function(semimetric) && is_of_all_pairs(semimetric)) {
    "{all_pairs_hint}"
  } else if (is.function(semimetric)) {
    "Wrap a function of your own in `rho_function()`; call a constructor: `rho_power()`."
  } else if (is_number(semimetric) && "R" %in% arguments_of(call)) {
    "A number of permutations has its name: `R = {semimetric}`."
  } else if (name %in% names(semimetric_nicknames)) {
    "{semimetric_nicknames[[name]]}"
  } else if (length(near)) {
    "Did you mean {quoted(near)}?"
  } else if (!is.na(name)) {
    "The metrics by name are {quoted(metric_names)}; see `?rho_metric`."
  } else {
    "Use `rho_power(1)` or another of those on `?semimetrics`."
  }
  abort_argument(semimetric, "semimetric", "be a semimetric.", hint, call = call)
}

# ---- coordinates ----

# The coordinates that a store holds for points, before scaling.
metric_coordinates <- function(semimetric, x, call, arg = "x") {
  semimetric <- base_semimetric(semimetric)
  if (!is.null(semimetric$transform)) {
    return(structure(x %*% semimetric$transform, dimnames = dimnames(x)))
  }
  if (!is_metric(semimetric)) {
    return(x)
  }
  switch(semimetric$metric,
    cosine = unit_rows(x, semimetric, call, arg),
    correlation = unit_rows(x - rowMeans(x), semimetric, call, arg, x),
    spearman = unit_rows(centred_ranks(x), semimetric, call, arg, x),
    haversine = unit_places(x, call, arg),
    jaccard = cbind(1 * (x != 0), rowSums(x != 0)), # and the number of ones
    hamming = if (is.null(semimetric$columns)) x else category_columns(x, semimetric$columns),
    x
  )
}

# Rows of unit length; `from` are the data, by which rounding of a centred row is measured.
unit_rows <- function(x, semimetric, call, arg, from = x) {
  force(from)
  exponent <- scaling_exponent(x)
  x <- times_power_of_two(x, -exponent)
  size <- row_largest(x)
  limit <- 1e-14 * row_largest(times_power_of_two(from, -exponent))
  bad <- which(!(size > limit))
  if (length(bad)) abort_metric_rows(semimetric, bad, rownames(from), call, arg)
  x <- x / size
  x / sqrt(rowSums(x^2))
}

row_largest <- function(x) -row_least(-abs(x))

centred_ranks <- function(x) {
  ranks <- t(apply(x, 1L, rank))
  dim(ranks) <- dim(x)
  ranks - (ncol(x) + 1) / 2
}

abort_metric_rows <- function(semimetric, rows, names, call, arg) {
  what <- if (semimetric$metric == "cosine") "all zero" else "constant"
  first <- observation_text(rows[1L], names)
  abort_input(
    "metric", call, "{quoted(semimetric$metric)} needs rows that are not {what}.",
    "`{arg}` has {length(rows)} such row{?s}, the first {first}.",
    "Drop them, or use another metric; see `?rho_metric`."
  )
}

# Longitude and latitude in degrees as unit vectors.
unit_places <- function(x, call, arg) {
  at <- place_order(colnames(x))
  if (ncol(x) != 2L) abort_places(sprintf("It has %d column%s.", ncol(x), plural(ncol(x))), call, arg)
  lon <- x[, at[1L]]
  lat <- x[, at[2L]]
  bad <- which(lon < -180 | lon > 360 | abs(lat) > 90)
  if (length(bad)) {
    first <- bad[1L]
    abort_places(
      sprintf(
        "Row %s has longitude %s, latitude %s.", observation_text(first, rownames(x)), format(lon[first]),
        format(lat[first])
      ),
      call, arg
    )
  }
  lon <- lon / 180
  lat <- lat / 180
  out <- cbind(cospi(lat) * cospi(lon), cospi(lat) * sinpi(lon), sinpi(lat))
  rownames(out) <- rownames(x)
  out
}

# Which column is the longitude, which the latitude: by the words of their names, as in "decimalLatitude", else in this
# order.
place_order <- function(names) {
  words <- strsplit(lower_ascii(gsub("([a-z])([A-Z])", "\\1 \\2", as.character(names))), "[^a-z]+")
  has <- function(j, known) length(words) == 2L && any(words[[j]] %in% known)
  latitude <- has(1L, c("lat", "latitude", "y")) && !has(1L, c("lon", "lng", "long", "longitude", "x"))
  if (latitude || has(2L, c("lon", "lng", "long", "longitude"))) 2:1 else 1:2
}

abort_places <- function(came, call, arg) {
  abort_input(
    "metric", call, "`{arg}` must have two columns, longitude (-180 to 360) and latitude (-90 to 90), in degrees.",
    "{came}", "Name the columns lon and lat if their order is another one."
  )
}

# Return a metric by name for the points of a blueprint: that of differing columns needs their categories.
resolve_columns <- function(semimetric, blueprint) {
  if (identical(semimetric$metric, "hamming")) {
    apart <- is.null(blueprint$map) && !isTRUE(blueprint$as_is)
    semimetric$columns <- if (apart) lapply(blueprint$columns, `[`, c("type", "size", "shares", "weight"))
  }
  semimetric
}

# Points with one column for each column of the table: of categories the number of the level, of missing ones the most
# probable.
category_columns <- function(x, columns) {
  first <- first_coordinates(columns)
  out <- vapply(seq_along(columns), function(j) {
    column <- columns[[j]]
    if (column$type != "categories") {
      return(x[, first[j]])
    }
    levels <- x[, first[j] - 1L + seq_len(column$size), drop = FALSE]
    as.double(max.col(levels / sqrt(2 * column$weight) + rep(column$shares, each = nrow(x)), "first"))
  }, numeric(nrow(x)))
  named_matrix(matrix(out, nrow(x)), rownames(x), NULL)
}

# By how much two categories are apart, as text; NULL if this depends on the other columns.
mismatch_text <- function(semimetric) {
  semimetric <- base_semimetric(semimetric)
  p <- if (is_metric(semimetric)) {
    switch(semimetric$metric, manhattan = 1, minkowski = semimetric$p, maximum = Inf, 0)
  } else {
    2
  }
  if (p > 0) {
    sprintf("a mismatch counts %s sd", format(sqrt(2) * 2^(1 / p), digits = 2))
  } else if (semimetric$metric %in% c("hamming", "canberra")) {
    sprintf("a mismatch counts %d", 1 + (semimetric$metric == "canberra"))
  }
}
