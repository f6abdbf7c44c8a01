# Every registered routine with valid calls, several where an argument has several forms.
# test-entries.R runs them under gctorture and changes one argument at a time.

# Listing them takes milliseconds, so it is done once.
routines <- local({
  known <- NULL
  function() {
    if (is.null(known)) known <<- getDLLRegisteredRoutines("kgroups")$.Call
    known
  }
})

entry_problem <- function() {
  x <- matrix(c(1, 2, 3, 7, 8, 9, 2, 1, 2, 5, 6, 5), 6)
  w <- c(1, 2, 0.5, 1, 3, 1)
  of <- function(store, w_ = w) list(w = w_, store = store)
  # plain values: their class restricts assignment
  gram <- as_problem(as_gram(tcrossprod(x)))$store
  gram$values <- unclass(gram$values)
  list(
    x = x, points = of(as_problem(x)$store), packed = of(as_problem(dist(x))$store),
    dense = of(gram), cached = of(cache_pairs(as_problem(dist(x)))$store),
    features = of(new_features_store(t(x), 6)), light = of(as_problem(x)$store, replace(w, 2, 0)), w = w,
    half = c(1L, 2L, 1L, 2L, 1L, 2L), uniforms = seq(0.05, 0.95, length.out = 12)
  )
}

entry_landmarks <- function(problem) {
  B <- .Call(ffi_pair_values, problem$points$store)[1:3, 1:3]
  means <- colMeans(B)
  centred <- t(t(B - means) - means) + mean(B)
  # the centred matrix of three landmarks has rank 2
  R <- chol(centred[1:2, 1:2])
  map <- list(
    m = 3, T = .Call(ffi_lowrank_inverse, R, 2, 1), offset = (means - mean(B))[1:2], constants = c(mean(B), 1)
  )
  z <- .Call(ffi_lowrank_features, problem$points$store, 1:3, map)$z
  list(
    A = centred, R = R, map = map, problem = list(w = problem$w, store = new_features_store(z, 6)),
    values = .Call(ffi_landmark_values, problem$points$store, 1:3, 1, 6)
  )
}

# A cycle of 6 vertices with one chord, in compressed columns.
entry_graph <- function() {
  from <- c(1, 2, 3, 4, 5, 6, 1)
  to <- c(2, 3, 4, 5, 6, 1, 4)
  A <- Matrix::sparseMatrix(c(from, to), c(to, from), x = rep(1, 14), dims = c(6, 6))
  list(start = A@p, row = A@i, value = A@x, diagonal = rep(2, 6))
}

# Points under the metric with this code, and sparse rows.
entry_metric <- function(code, p = 1) {
  x <- matrix(c(1, 2, 3, 7, 8, 9, 2, 1, 2, 5, 6, 5), 6)
  new_metric_store(x, c(code, 1), p)
}

entry_pairs <- function() {
  rows <- methods::as(Matrix::Matrix(matrix(c(1, 0, 2, 0, 3, 0, 0, 4, 1, 1, 0, 2), 6), sparse = TRUE), "CsparseMatrix")
  list(
    entry_metric(5), entry_metric(7, 3), new_rows_store(rows, NULL, c(0, 1)), new_rows_store(rows, rep(0.1, 6), c(0, 2))
  )
}

# name -> list of lists of arguments
# A ring of 20 vertices with chords: enough for a block of 16 vectors.
entry_ring <- function() {
  apart <- outer(seq_len(20), seq_len(20), function(i, j) (i - j) %% 20)
  off <- methods::as(Matrix::Matrix(0 + (apart %in% c(1, 19, 7, 13)), 20, 20, sparse = TRUE), "generalMatrix")
  list(start = off@p, row = off@i, value = seq(0.5, 1.5, length.out = length(off@i)), diagonal = rep(3, 20) + 1:20 / 9)
}

entry_calls <- function() {
  p <- entry_problem()
  l <- entry_landmarks(p)
  g <- entry_graph()
  sparse <- list(w = p$w, store = structure(c(g, n = 6), class = "kgroups_sparse"))
  ring <- entry_ring()
  starts <- cbind(p$half, rev(p$half))
  hartigan <- list(method = 0, iter_max = 10)
  lloyd <- list(method = 1, iter_max = 10, dimension = 0, threads = 1)
  size <- list(method = 0, iter_max = 10, dimension = 3)
  attempts <- c(
    hartigan, list(patience = 2, fails = 2, idle = 0, again = 1, values = 1e9, uniforms = p$uniforms)
  )
  pair_stores <- list(p$points, p$packed, p$dense, p$cached)
  means <- matrix(c(0.5, rep(0, 15), -0.5, rep(0, 15)), 16)
  U <- rbind(matrix(c(0.5, 0.2, 0.3, 0.1, 0.6, 0.3), 2, byrow = TRUE), matrix(0, 6, 3))
  every <- list(p$points, p$packed, p$dense, p$cached, sparse, p$features, l$problem)
  list(
    ffi_constrained = c(
      lapply(every, function(problem) {
        list(problem, 2, starts, list(
          uniforms = c(0.3, 0.6, 0.9), work = 1e6, amount = rep(1, 6), limits = c(2, 4), apart = cbind(1L, 2L)
        ), hartigan)
      }),
      list(
        list(p$points, 2, cbind(rep(0L, 6), rep(1:2, 3)), list(
          uniforms = c(0.3, 0.6, 0.9), work = 1e6, contiguous = cbind(1:5, 2:6)
        ), hartigan),
        list(p$points, 2, matrix(rep(1:2, c(4, 2))), list(
          uniforms = c(0.3, 0.6), work = 1e6, group = c(1:4, 4L, 5L), m = 5, contiguous = cbind(1:4, 2:5),
          amount = c(1, 1, 1, 2, 1), limits = c(2, 4), apart = cbind(1L, 3L)
        ), hartigan)
      )
    ),
    ffi_border = lapply(every, function(problem) list(problem, cbind(1:5, 2:6))),
    ffi_scatter_steps = lapply(c(0, 0.4), function(share) {
      x <- cbind(1:6 + 0, c(2, 1, 5, 3, 1, 4))
      points <- list(x = x, rest = x[, 1L, drop = FALSE], w = p$w, rho = c(0, 1), order = 6:1, most = 3)
      list(points, p$half, 2, diag(2), list(lambda = 0.1, least = 1e-4, steps = 3, share = share))
    }),
    ffi_learn_means = list(list(
      list(x = cbind(1:6 + 0, c(2, 1, 5, 3, 1, 4)), w = p$w), 2,
      list(M = c(1, 0, 0, 1, 2, 0, 0, 1), uniforms = c(0.1, 0.9, 0.4, 0.6), power = c(1, 2)),
      list(lambda = 0.1, power = 1, passes = 5)
    )),
    ffi_choose_loops = list(list(NULL), list("base"), list("auto")),
    ffi_choose_threads = list(list(1)),
    ffi_semimetrics = list(list()),
    ffi_pairs_at = lapply(entry_pairs(), function(store) list(store, 1:3, 4:6)),
    ffi_cross_sums = list(list(p$points, p$x[1:2, ], p$half, 2)),
    ffi_cross_values = list(list(p$points, p$x[1:2, ]), list(entry_metric(5), p$x[1:2, ])),
    ffi_descend = c(
      lapply(every, function(problem) list(problem, 2, starts, hartigan)),
      lapply(every, function(problem) list(problem, 2, starts, lloyd)),
      list(
        list(p$light, 2, starts, hartigan), list(p$points, 2, starts, size)
      ),
      lapply(every, function(problem) list(problem, 2, starts, attempts))
    ),
    ffi_dip = list(list(c(1, 2, 2, 5))),
    ffi_changes = list(list(p$points, 2, 2), list(p$points, 1, 1)),
    ffi_dependence = list(list(
      matrix(c(1, 2, 1, 5, 6, 5)), matrix(c(0, -1, -1, 0), 2), c(3, 3), list(least = 2, changes = 1, width = 1, price = 1)
    )),
    ffi_dimension = list(list(p$points, 1, rep(1L, 6))),
    ffi_falls = list(list(-as.matrix(dist(p$x)), c(1, 2, 1, 1, 1, 2), c(1L, 3L), 1)),
    ffi_dispersion = list(list(p$points, p$half, 2), list(p$packed, p$half, 2)),
    ffi_extend = list(list(p$points, 2, 1:3, c(1L, 2L, 1L)), list(p$dense, 2, 1:3, c(1L, 2L, 1L))),
    ffi_features_assign = list(list(l$problem, means)),
    ffi_features_distances = list(list(l$problem, means)),
    ffi_features_rho = list(list(l$problem, c(2L, 5L), c(1L, 5L)), list(p$features, c(2L, 5L), c(1L, 5L))),
    ffi_features_take = list(list(l$problem, c(2L, 5L), 1), list(l$problem, c(2L, 5L), 0)),
    ffi_from_distances = list(list(as.numeric(1:4), c(0, 1))),
    ffi_group_sums = list(list(p$points, 2, p$half)),
    ffi_impute = list(
      list(replace(p$x, c(2, 9), NA), c(2L, 3L), c(5, 4), diag(2) + 0.5, 1e-6, p$w),
      list(replace(p$x, c(1, 7), NaN), 1L, c(5, 4), diag(2), 0, NULL)
    ),
    ffi_swap_centroids = list(
      list(p$features, 2, p$half, list(patience = 3, work = 1e9), p$uniforms),
      list(p$features, 3, c(1L, 2L, 3L, 1L, 2L, 3L), list(patience = 3, work = 1e3), p$uniforms)
    ),
    ffi_view = list(list(p$points, 1:6, 3), list(p$features, c(1L, 3L, 6L), 0)),
    ffi_line = list(
      list(c(1, 2, 2, 5), c(2L, 1L, 4L, 3L), matrix(c(1L, 2L, 1L, 2L, 2L, 1L, 1L, 2L), 4), 1:2, NULL),
      list(c(1, 2, 2, 5), c(2L, 1L, 4L, 3L), matrix(c(1L, 2L, 1L, 2L), 4), 2:1, c(1, 3))
    ),
    ffi_mixture = lapply(
      c(0, 1, 2),
      function(form) list(list(y = p$x, w = p$w), outer(p$half, 1:2, "==") * 0.8 + 0.1, mixture_arguments(form))
    ),
    ffi_mixture_assign = list(
      list(
        list(y = p$x, w = p$w),
        list(size = c(3, 3), mean = matrix(c(2, 2, 8, 5), 2), scatter = matrix(c(1, 0, 0, 1), 4, 2), nu = 5)
      )
    ),
    ffi_landmark_values = list(list(p$points$store, 1:3, 1, 6), list(p$points$store, p$x[1:3, ], 2, 4)),
    ffi_lowrank_convert = list(list(l$values, NULL, l$map), list(l$values, rep(0, 6), l$map)),
    ffi_lowrank_features = list(list(p$points$store, 1:3, l$map), list(p$points$store, p$x[1:3, ], l$map)),
    ffi_cholesky = list(list(l$A, 3, 1e-10)),
    ffi_eigen = list(list(l$A, 3, 0), list(l$A, 3, 1)),
    ffi_lowrank_inverse = list(list(l$R, 2, 1)),
    ffi_pair_values = list(list(p$points$store), list(p$packed$store), list(p$dense$store)),
    ffi_possible = list(list(p$points$store, list(
      U = as.vector(t(U)), landmarks = p$x[1:3, ], own = c(-0.5, -0.4), error = matrix(0.01, 3, 2),
      norm = c(0.2, 0.3), rounding = c(1e-9, 1e-9)
    ))),
    ffi_permute = list(
      list(p$points, numeric(6), starts, 1:2, NULL, 0), list(p$points, numeric(6), starts, 1:2, c(1, 3), 1)
    ),
    ffi_plusplus = lapply(every, function(problem) list(problem, 2, 3, p$uniforms)),
    ffi_product = list(list(p$points$store, p$w)),
    ffi_gram_scan = list(list(diag(3) + 1, 3), list(matrix(c(1, 2, NA, 4), 2), 2)),
    ffi_range = list(list(c(3, NA, -Inf, 5))),
    ffi_runs = list(list(c(1, 2, 2, 5, 7, 8), p$w, 1:4), list(c(1, 2, 2, 5, 7, 8), NULL, 2L)),
    ffi_runs_label = list(list(c(3, 1, 2, 8, 5), c(3, 6))),
    ffi_belief = list(
      belief_arguments(g), belief_arguments(g, weight = g$value)
    ),
    ffi_chebyshev = list(
      list(replace(ring, "value", 1.5), 2, NULL, c(1e-3, 0.1), 20, FALSE),
      list(ring, 2, NULL, c(1e-3, 0.1), 20, TRUE)
    ),
    ffi_connected = lapply(p[c("points", "packed", "dense")], function(x) list(x, c(2, 2, 3, 0.8, 3))),
    ffi_nearest = list(list(p$points, p$x[1:2, ])),
    ffi_ward = list(list(p$points, p$w, 0), list(c(1, 2, 3), c(1, 1, 2), 0))
  )
}

mixture_arguments <- function(form) {
  list(
    form = form, shrink = 0.3, lambda = 0.1, nu = 5, least = 1, most_nu = 200, tolerance = 1e-5, times = 8
  )
}

# The arguments of ffi_belief for two groups.
belief_arguments <- function(g, weight = NULL, ...) {
  control <- utils::modifyList(list(sweeps = 5, learn = TRUE, tolerance = 1e-8), list(...))
  list(
    list(p = g$start, i = g$row, weight = weight), matrix(c(0.7, 0.3), 2, length(g$start) - 1L),
    list(
      theta = NULL, bin = NULL, share = NULL, learn_sizes = FALSE, normed = is.null(weight), rates = c(4, 1)
    ),
    control
  )
}

call_entry <- function(name, arguments) {
  do.call(.Call, c(list(routines()[[name]]), unname(arguments)))
}
