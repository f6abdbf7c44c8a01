# Reductions: a problem whose optimal partition gives that of another one, or a start for it.

# The first reduction that applies, NULL if none does. A list: problem, or solution; labels(), which gives the labels of
# all rows from those of the reduced problem; keeps_W: is W of the two the same?
reduce_problem <- function(problem, control) {
  reductions <- list(reduce_sparse, reduce_equal_rows, reduce_weightless, reduce_line, reduce_coordinates)
  for (reduce in reductions) {
    smaller <- reduce(problem, control)
    if (!is.null(smaller)) {
      return(smaller)
    }
  }
}

# ---- sparse Gram matrices ----

reduce_sparse <- function(problem, control) {
  dense <- over_all_pairs(problem)
  if (!is.null(dense)) list(problem = dense, labels = identity, keeps_W = FALSE)
}

# The problem of a small sparse Gram matrix with a dense store, because a pass over values in order is faster; NULL for
# others.
over_all_pairs <- function(problem) {
  store <- problem$store
  if (!identical(class(store), "kgroups_sparse") || problem$n > small_n) {
    return(NULL)
  }
  problem$store <- new_dense_store(as.matrix(sparse_off(store)) + diag(store$diagonal, problem$n), store$diagonal / 2)
  problem
}

# ---- equal rows ----

# Equal rows summed. A move of weight t from cluster a to cluster b changes W by
#   t (s_b / (s_b + t) d_b^2 - s_a / (s_a - t) d_a^2),
# whose bracket decreases in t: hence an optimal partition never splits equal rows.
reduce_equal_rows <- function(problem, control) {
  group <- equal_rows(problem)
  if (is.null(group)) {
    return(NULL)
  }
  # fewer of them than clusters: some of the equal rows are single
  inside <- which(problem$w > 0)
  spare <- inside[duplicated(group[inside])]
  lacking <- max(0, control$k - length(inside) + length(spare))
  group[spare[seq_len(lacking)]] <- max(group) + seq_len(lacking)
  group <- match(group, unique(group))
  w <- sum_by(problem$w, group, max(group))
  part <- subset_problem(problem, which(!duplicated(group)))
  part$w <- w
  part$weighted <- TRUE
  # dissimilarities are equal up to rounding, and means of features are part of the solution
  list(problem = part, labels = function(cluster) cluster[group], keeps_W = inherits(problem$store, "kgroups_points"))
}

# The number of its distinct row for each row, in the order of the first ones; NULL if more than nine in ten are
# distinct.
equal_rows <- function(problem) {
  enough <- floor(0.9 * problem$n) + 1
  store <- problem$store
  if (inherits(store, "kgroups_points")) {
    return(row_groups(store$x, enough))
  }
  if (inherits(store, "kgroups_features")) {
    return(if (!is.null(problem$points)) row_groups(problem$points, enough))
  }
  if (inherits(store, c("kgroups_packed", "kgroups_dense")) && problem$n <= small_n) equal_values(problem, enough)
}

# Equal rows of dissimilarities, up to rounding: three columns first, then two random sums of all.
equal_values <- function(problem, enough) {
  n <- problem$n
  pivots <- evenly_spaced(seq_len(n), 3)
  some <- vapply(pivots, function(i) store_rho(problem$store, rep(i, n), seq_len(n)), numeric(n))
  if (is.null(row_groups(steps(some), enough))) {
    return(NULL)
  }
  values <- pair_values(problem)
  group <- row_groups(steps(values %*% cbind(sqrt(seq_len(n)) %% 1, sqrt(seq_len(n) + 0.5) %% 1)), enough)
  if (is.null(group)) {
    return(NULL)
  }
  first <- which(!duplicated(group))[group]
  rounding <- 1e-14 * max(abs(values), kernel_diagonal(problem))
  same <- all(abs(values - values[, first]) <= rounding) &&
    all(abs(values[cbind(seq_len(n), first)]) <= if (has_kernel(problem)) rounding else 0)
  if (same) group
}

# Numbers as multiples of the size of rounding.
steps <- function(x) round(x / max(abs(x), .Machine$double.xmin) * 1e11)

# ---- rows of weight 0 ----

# The rows of positive weight, if they are few or at most half.
reduce_weightless <- function(problem, control) {
  inside <- inside_rows(problem)
  many <- length(inside)
  if (many == problem$n || many > small_n && 2 * many > problem$n) {
    return(NULL)
  }
  list(
    problem = subset_observations(problem, inside), keeps_W = FALSE,
    labels = function(cluster) replace(rep(1L, problem$n), inside, cluster)
  )
}

# ---- points on a line ----

# The exact solution of points on a line, in several columns or as a `dist`; NULL if its table takes too much memory.
reduce_line <- function(problem, control) {
  if (!is.null(control$nstart) || control$method != "hartigan") {
    return(NULL)
  }
  line <- embed_line(problem)
  found <- if (!is.null(line)) tryCatch(solution_1d(line, control$k)[[1L]], kg_error_memory = function(e) NULL)
  if (is.null(found)) {
    return(NULL)
  }
  found$evaluations <- 0
  found <- with_search(found, list(members = 1, attained = 1), problem)
  list(solution = found, labels = identity, keeps_W = FALSE)
}

embed_line <- function(problem) {
  store <- problem$store
  rho <- problem$semimetric
  distances <- if (inherits(store, "kgroups_points")) {
    identical(store$rho, semimetric_code("power", 1)) && may_be_line(store$x)
  } else if (inherits(store, "kgroups_packed")) {
    rho$family == "function" || rho$family == "power" && rho$parameter == 1
  } else {
    inherits(store, "kgroups_dense")
  }
  x <- if (distances) scaled_points(store, 1, problem$n, 1L)
  if (is.null(x)) {
    return(NULL)
  }
  problem$store <- new_points_store(x, semimetric_code("power", 1))
  problem
}

# Are some of the points near one line? Without this test most data would pay for coordinates. Three that are far from
# a line suffice for the answer no.
may_be_line <- function(x, most = 40L, tolerance = 1e-6) {
  if (most > 3L && !may_be_line(x, 3L, 0.01)) {
    return(FALSE)
  }
  some <- x[evenly_spaced(seq_len(nrow(x)), most), , drop = FALSE]
  from_first <- some - rep(some[1L, ], each = nrow(some))
  from_first <- from_first / max(abs(from_first), .Machine$double.xmin)
  square <- rowSums(from_first^2)
  far <- which.max(square)
  # the squared distance from the line through the first and the farthest of them
  all(square * square[far] - as.vector(from_first %*% from_first[far, ])^2 <= tolerance * square[far]^2)
}

# ---- coordinates of dissimilarities ----

# Distances and Gram matrices of low rank as points (classical scaling).
reduce_coordinates <- function(problem, control) {
  k <- control$k
  # few clusters of few rows cost no more without coordinates, unless these are squared distances
  points <- embed(problem, squares = problem$n <= small_n && k <= 20L && problem$n * k <= 1e4)
  if (!is.null(points)) list(problem = points, labels = identity, keeps_W = FALSE)
}

# The problem with points for a store; NULL if the rank is above 100. `squares`: only squared distances, of rank 20.
embed <- function(problem, squares = FALSE) {
  store <- problem$store
  if (!inherits(store, c("kgroups_packed", "kgroups_dense"))) {
    return(NULL)
  }
  rho <- problem$semimetric
  given <- !inherits(store, "kgroups_packed") || rho$family == "function"
  # the values themselves; of distances these, before rho
  if (given) rho <- rho_power(1) else store$rho <- semimetric_code("power", 1)
  power <- if (rho$family == "power") rho$parameter else 0
  alphas <- if (power > 0 && power <= 1) 1:2 else 1
  if (squares) alphas <- if (given) 2 else if (power == 2) 1
  for (alpha in alphas) {
    x <- scaled_points(store, alpha, problem$n, if (squares) 20L else 100L)
    if (is.null(x)) next
    code <- if (power > 0) semimetric_code("power", alpha * power) else problem$store$rho
    problem$store <- new_points_store(x, code)
    return(problem)
  }
}

# Coordinates of all rows, if some of the rows have them.
scaled_points <- function(store, alpha, n, most) {
  some <- evenly_spaced(seq_len(n), max(2 * most, 40))
  if (!is.null(scaled_rows(store, alpha, some, most))) scaled_rows(store, alpha, seq_len(n), most)
}

# Coordinates of some rows, the pivoted Cholesky factor of the inner products about the first of them,
#   <x_i - x_1, x_j - x_1> = (d2(i, 1) + d2(j, 1) - d2(i, j)) / 2,     d2 = rho^(2 / alpha)
# (Gower 1966), up to 1e-9 of the largest square. NULL if more than `most` are needed, or pairs here and there differ.
scaled_rows <- function(store, alpha, rows, most) {
  n <- length(rows)
  squares <- function(i, j) pmax(store_rho(store, rows[i], rows[j]), 0)^(2 / alpha)
  from <- function(i) squares(rep(i, n), seq_len(n))
  origin <- from(1L)
  left <- origin
  x <- matrix(0, n, most)
  for (d in 0:most) {
    pivot <- which.max(left)
    done <- left <= 1e-9 * max(origin) # further coordinates of these rows are rounding
    if (done[pivot]) break
    if (d == most) {
      return(NULL)
    }
    column <- (origin + origin[pivot] - from(pivot)) / 2
    for (c in seq_len(d)) column <- column - x[, c] * x[pivot, c] # libraries round products of matrices differently
    x[, d + 1L] <- ifelse(done, 0, column / sqrt(left[pivot]))
    left <- left - x[, d + 1L]^2
  }
  x <- x[, seq_len(d), drop = FALSE]
  i <- seq_len(n)
  j <- (i * 7919) %% n + 1
  d2 <- squares(i, j)
  if (d > 0L && all(abs(rowSums((x[i, , drop = FALSE] - x[j, , drop = FALSE])^2) - d2) <= 1e-3 * d2)) x
}

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
  values <- view_width(problem$store) * problem$n
  # a pass runs between two checks for an interrupt
  if (values == 0 || values > 2e7 || values * k > 2e9) {
    return(NULL)
  }
  # Single precision does not resolve smaller weights. If there are such rows, small problems are searched without
  # centroids; in large ones the local search assigns them.
  rows <- which(problem$w > 1e-6 * max(problem$w))
  if (length(rows) <= k || problem$n <= small_n && length(rows) < count_inside(problem)) {
    return(NULL)
  }
  exact <- has_features(problem) || store_family(problem$store$rho) == "power" && problem$store$rho[2L] == 2
  # far rows are drawn in, as the semimetric grows more slowly than squares
  view <- .Call(ffi_view, problem, rows, if (exact) 0 else search_defaults$far)
  if (is.null(view)) { # features may leave the range of numbers
    return(NULL)
  }
  some <- list(n = length(rows), w = problem$w[rows], store = new_features_store(view$z, length(rows)))
  list(
    some = some, rows = rows, exact = exact,
    pass = as.numeric(length(rows)) * k * min(nrow(view$z) + 4, 64), least = 1e-5 * view$total
  )
}

# The number of coordinates; 0 if there are none with whose distance the semimetric increases.
view_width <- function(store) {
  if (inherits(store, "kgroups_features")) {
    return(width_of_features(store))
  }
  rises <- inherits(store, "kgroups_points") && store_family(store$rho) %in% c("power", "exponential", "gaussian")
  if (rises) ncol(store$x) else 0
}

# Centroid swaps from labels of the rows, until `patience` of them in a row fail, or the cost of `passes`. Return
# list(cluster, cost, evaluations), the costs as sums of squares; NULL if single precision does not resolve the
# clusters.
swapped_means <- function(view, k, labels, passes, patience) {
  start <- fill_clusters(labels, view$some$w, k)
  found <- swap_centroids(view$some, k, start, patience, passes * view$pass, move_uniforms())
  if (isTRUE(sum(found$cost) >= view$least)) { # not NaN, of coordinates that are not finite
    evaluations <- found$work / view$pass * as.numeric(length(view$rows)) * k
    list(cluster = found$cluster, cost = found$cost, evaluations = evaluations)
  }
}
