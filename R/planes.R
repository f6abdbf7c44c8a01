# Planes of the observations of a fit, and the columns of its data.

spaces <- c("cross-fitted", "points", "discriminant", "feature")

# Return `at`, named columns, two unless `axes` is more or the data have one; the `rows` they belong to, those above n
# are new; the `columns` of the data; `isometric`: are distances in the plane those of the data? `note`: how
# the plane was chosen.
fit_plane <- function(fit, columns, space, call, new = NULL, axes = 2L) {
  problem <- kept_problem(fit, call)
  usable <- !is.null(problem$points) && all(is.finite(problem$points))
  if (!is.null(columns)) {
    return(column_plane(fit, columns, call, new))
  }
  if (!usable && !is.null(space) && space != "feature") {
    abort_input(
      "space", call, "`space = \"{space}\"` needs observations with finite coordinates.",
      "You supplied a fit of dissimilarities, a kernel or a sparse matrix.", "Leave `space` out."
    )
  }
  space <- space %||% if (!usable) "feature" else if (
    is_learned(fit) && fit$k > 1L && ncol(problem$points) > 2L
  ) "cross-fitted" else "points"
  if (space == "feature") {
    rows <- thinned_rows(fit$cluster, small_n)
    return(new_plane(feature_plane(problem, rows, axes), rows))
  }
  # new rows have no weight in the choice of a plane
  problem$points <- rbind(problem$points, new$points)
  problem$w <- c(problem$w, numeric(length(new$cluster)))
  switch(space,
    "cross-fitted" = crossed_plane(fit, problem, call, new, axes),
    points = points_plane(fit, problem, call, new, axes),
    discriminant = discriminant_plane(problem, c(unname(fit$cluster), new$cluster), fit$k, axes)
  )
}

new_plane <- function(at, rows = seq_len(nrow(at)), columns = NULL, isometric = TRUE, note = NULL) {
  rownames(at) <- NULL
  list(at = at, rows = rows, columns = columns, isometric = isometric, note = note)
}

# Axes of that many columns with a name and their number.
numbered_axes <- function(at, name) {
  colnames(at) <- paste(name, seq_len(ncol(at)))
  at
}

discriminant_plane <- function(problem, cluster, k, axes) {
  white <- white_points(problem$points, cluster, problem$w, k)
  at <- means_plane(white, seq_len(nrow(white)), cluster, problem$w, k, axes)
  new_plane(numbered_axes(at, "Discriminant"), note = "axes chosen by the clusters: a single cloud appears divided too")
}

# One or two columns of numbers in their own units, else the points themselves or their components.
points_plane <- function(fit, problem, call, new, axes) {
  at <- problem$points
  if (ncol(at) > 2L) {
    note <- if (is_learned(fit)) "metric chosen by the clusters: a single cloud appears divided too"
    return(new_plane(principal_components(at, problem$w, axes), note = note))
  }
  own <- unit_columns(fit, call)
  if (!is.null(own)) {
    return(column_plane(fit, own, call, new))
  }
  colnames(at) <- colnames(at) %||% if (ncol(at) == 1L) line_label(fit) else c("x1", "x2")
  new_plane(at)
}

# Places of the one or two columns of a fit in which they were scaled; NULL if some are no complete numbers.
unit_columns <- function(fit, call) {
  blueprint <- fit$blueprint
  if (is.null(blueprint) || blueprint$as_is && is.null(blueprint$map)) {
    return(NULL)
  }
  at <- places_of(used_columns(blueprint))
  plain <- function(column) column$type != "categories" && all(is.finite(column$values))
  if (all(vapply(fit_columns(fit, call)[at], plain, NA))) at
}

# The cross-fitted plane; if the rows are too few for it, components of the columns before a metric was learned.
crossed_plane <- function(fit, problem, call, new, axes) {
  halves <- half_fits(fit, call)
  at <- cross_fitted_plane(fit, halves, problem, axes)
  if (!is.null(at)) {
    note <- sprintf("cross-fitted: fits of two halves agree with the clusters to %.2f", two_digits(halves$agreement))
    return(new_plane(numbered_axes(at, "Cross-fitted"), note = note))
  }
  blueprint <- fit$blueprint
  blueprint["map"] <- list(NULL)
  before <- function(data) suppressMessages(apply_blueprint(blueprint, data), classes = "kg_message")
  points <- rbind(before(fit$data), if (!is.null(new)) before(new$data)[new$known, , drop = FALSE])
  new_plane(
    principal_components(points, problem$w, axes), note = "too few rows to cross-fit: components of the columns"
  )
}

# One or two columns of the data by name or number, values of new rows below.
column_plane <- function(fit, columns, call, new) {
  table <- fit_columns(fit, call)
  at <- check_columns(columns, names(table), call)
  if (length(at) > 2L) {
    abort_input(
      "columns", call, "`columns` must be one or two columns if `type = \"coordinates\"`.",
      "You supplied {length(at)}.", "Use `type = \"pairs\"` for more."
    )
  }
  old <- vapply(table[at], function(column) as.numeric(column$values), numeric(fit$n))
  values <- rbind(matrix(old, fit$n), if (!is.null(new)) new_values(fit, table, at, new, call))
  colnames(values) <- names(table)[at]
  rows <- which(rowSums(!is.finite(values)) == 0)
  new_plane(values[rows, , drop = FALSE], rows, table[at], isometric = FALSE)
}

# Columns of new rows by the types and levels of those of the fit.
new_values <- function(fit, table, at, new, call) {
  blueprint <- fit$blueprint
  rows <- as_rows(formula_rows(plain_numbers(new$data, call), blueprint, call), blueprint)
  given <- read_table(rows, "newdata", call = call)
  places <- place_columns(
    at, blueprint$names, blueprint$width, given$names, length(given$columns), "newdata", "newdata", call
  )
  as_old <- function(one, old) as.numeric(as_old_column(one, old, "newdata", "newdata", call)$values)
  matrix(unlist(Map(as_old, given$columns[places], table[at])), given$n)[new$known, , drop = FALSE]
}

# The columns of the data of a fit, with their names.
fit_columns <- function(fit, call) {
  data <- fit$data
  if (is.null(fit$blueprint) || is.null(dim(data)) && !is.numeric(data)) abort_no_columns("data without columns", call)
  if (is.null(dim(data))) data <- matrix(data, dimnames = list(NULL, line_label(fit)))
  columns <- read_table(data, "data", call = call)$columns
  stats::setNames(columns, all_different(shorten(result_names(columns), most_drawn)))
}

abort_no_columns <- function(came, call) {
  abort_input(
    "columns", call, "`columns` needs a fit of a matrix or a data frame.", "You supplied a fit of {came}.",
    "Leave `columns` out; a fit holds its data: `plot(fit)`."
  )
}

check_columns <- function(columns, names, call) {
  at <- if (is.character(columns)) match(columns, names) else if (is.numeric(columns)) match(columns, seq_along(names))
  if (length(at) && !anyNA(at)) {
    return(at)
  }
  type <- if (is_string(columns)) nearest_name(columns, plot_types)
  abort_argument(
    columns, "columns", "be names or numbers of columns of the data.",
    if (length(type)) {
      "Use `type = \"{type}\"`."
    } else if (length(dim(columns)) == 2L || igraph::is_igraph(columns)) {
      "A fit holds its data: `plot(fit)`."
    } else if (is_clustering(columns)) {
      "To compare two fits use `compare_clusters(fit, other)`."
    } else {
      "The columns are {quoted(names)}."
    },
    call = call
  )
}

# Centred columns in units that neither over- nor underflow.
centred <- function(points, w) {
  points <- points / max(abs(points), .Machine$double.xmin)
  t(t(points) - colSums(w * points) / sum(w))
}

# The first principal components, in the units of the points, with the share of the variance.
principal_components <- function(points, w, axes = 2L) {
  scale <- max(abs(points), .Machine$double.xmin)
  z <- centred(points, w)
  weighted <- sqrt(w) * z
  wide <- ncol(z) > nrow(z)
  square <- if (wide) tcrossprod(weighted) else crossprod(weighted)
  found <- if (nrow(square) <= 500L) eigen(square, symmetric = TRUE) else eigs_of_matrix(square, axes, "LA")
  # one observation has one component
  many <- seq_len(min(axes, nrow(square)))
  share <- pmax(found$values[many], 0) / max(sum(diag(square)), .Machine$double.xmin)
  along <- found$vectors[, many, drop = FALSE]
  if (wide) along <- crossprod(weighted, along)
  along <- t(t(along) / pmax(sqrt(colSums(along^2)), .Machine$double.xmin))
  named_axes(scale * (z %*% turned(along)), axes, "Component", share, "of variance")
}

# Coordinates with names that have a share of something, 0 for axes beyond those that there are.
named_axes <- function(at, axes, name, share, of) {
  share <- c(share, numeric(axes))[seq_len(axes)]
  at <- cbind(at, matrix(0, nrow(at), axes))[, seq_len(axes), drop = FALSE]
  dimnames(at) <- list(
    NULL, sprintf("%s %d (%s%s)", name, seq_len(axes), percent(share), c(paste0(" ", of), rep("", axes - 1L)))
  )
  at
}

# The largest entry of each axis is positive.
turned <- function(axes) t(
  t(axes) * sign(axes[cbind(max.col(t(abs(axes)), ties.method = "first"), seq_len(ncol(axes)))])
)

# Points with the identity as their covariance within clusters; in these the axes along which the means differ most are
# linear discriminant coordinates.
white_points <- function(points, cluster, w, k) {
  z <- centred(points, w)
  means <- group_means(z, cluster, k, w, empty = 0)
  within <- cross_axes(sqrt(w / sum(w)) * (z - means[cluster, , drop = FALSE]), 1e-10)
  z %*% (within$vectors * rep(1 / sqrt(within$values), each = ncol(z)))
}

# Principal coordinates of the semimetric for some rows of a problem, by classical scaling.
feature_plane <- function(problem, rows, axes = 2L) {
  part <- subset_problem(problem, rows)
  scaled <- classical_scaling(pair_values(part) * part$unit, axes, 200L)
  many <- seq_len(min(axes, length(scaled$values)))
  values <- pmax(scaled$values[many], 0)
  at <- t(t(turned(scaled$vectors[, many, drop = FALSE])) * sqrt(values))
  share <- values / scaled$trace
  out <- named_axes(at, axes, "Principal coordinate", share, "of dispersion")
  if (all(is.finite(share) & share <= 1)) out else numbered_axes(out, "Principal coordinate")
}
