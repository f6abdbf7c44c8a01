# Every registered routine with valid calls, several where an argument has several forms.
# test-entries.R runs them under gctorture, test-misuse.R changes one argument at a time.

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
  list(
    x = x, store = as_problem(x)$store, packed = as_problem(dist(x))$store,
    dense = as_problem(as_gram(tcrossprod(x)))$store, w = c(1, 2, 0.5, 1, 3, 1),
    half = c(1L, 2L, 1L, 2L, 1L, 2L), uniforms = seq(0.05, 0.95, length.out = 12)
  )
}

entry_landmarks <- function(problem) {
  B <- .Call(ffi_pair_values, problem$store)[1:3, 1:3]
  means <- colMeans(B)
  centred <- t(t(B - means) - means) + mean(B)
  # the centred matrix of three landmarks has rank 2
  R <- chol(centred[1:2, 1:2])
  T <- .Call(ffi_lowrank_inverse, R, 2, 1)
  map <- list(R = R, T = T, offset = (means - mean(B))[1:2], constants = c(mean(B), 1))
  map$z <- .Call(ffi_lowrank_features, problem$store, 1:3, T, map$offset, map$constants, 1)$z
  map$values <- .Call(ffi_landmark_values, problem$store, 1:3, 1, 6)
  map
}

# A cycle of 6 vertices with one chord, in compressed columns.
entry_graph <- function() {
  from <- c(1, 2, 3, 4, 5, 6, 1)
  to <- c(2, 3, 4, 5, 6, 1, 4)
  A <- Matrix::sparseMatrix(c(from, to), c(to, from), x = rep(1, 14), dims = c(6, 6))
  list(start = A@p, row = A@i, value = A@x, diagonal = rep(2, 6))
}

# name -> list of lists of arguments
entry_calls <- function() {
  p <- entry_problem()
  l <- entry_landmarks(p)
  g <- entry_graph()
  starts <- cbind(p$half, rev(p$half))
  zero_w <- replace(p$w, 2, 0)
  means <- matrix(c(0.5, rep(0, 15), -0.5, rep(0, 15)), 16)
  U <- rbind(matrix(c(0.5, 0.2, 0.3, 0.1, 0.6, 0.3), 2, byrow = TRUE), matrix(0, 6, 3))
  list(
    ffi_choose_loops = list(list(NULL), list("base"), list("auto")),
    ffi_choose_threads = list(list(1)),
    ffi_cross_sums = list(list(p$store, p$x[1:2, ], p$w, p$half, 2)),
    ffi_cross_values = list(list(p$store, p$x[1:2, ])),
    ffi_dimension = list(list(p$store, p$w, 1, rep(1L, 6))),
    ffi_dispersion = list(list(p$store, p$w, p$half, 2), list(p$packed, p$w, p$half, 2)),
    ffi_extend = list(
      list(p$store, p$w, 2, 1:3, c(1L, 2L, 1L)), list(p$dense, p$w, 2, 1:3, c(1L, 2L, 1L))
    ),
    ffi_features = list(
      list(t(p$x), p$w, 2, NULL, 1, p$uniforms[1:4], 10), list(t(p$x), p$w, 2, p$half, 1, NULL, 10)
    ),
    ffi_from_distances = list(list(as.numeric(1:4), c(0, 1))),
    ffi_group_sums = list(list(p$store, p$w, p$half, 2)),
    ffi_landmark_values = list(list(p$store, 1:3, 1, 6), list(p$store, p$x[1:3, ], 2, 4)),
    ffi_lowrank_assign = list(list(l$z, p$w, means, 2)),
    ffi_lowrank_convert = list(
      list(l$values, NULL, 3, l$T, l$offset, l$constants, 1),
      list(l$values, rep(0, 6), 3, l$T, l$offset, l$constants, 0)
    ),
    ffi_lowrank_distances = list(list(l$z, 6, means, 2)),
    ffi_lowrank_features = list(
      list(p$store, 1:3, l$T, l$offset, l$constants, 1),
      list(p$store, p$x[1:3, ], l$T, l$offset, l$constants, 0)
    ),
    ffi_lowrank_fit = list(list(l$z, p$w, 2, p$half, 10, 1)),
    ffi_lowrank_inverse = list(list(l$R, 2, 1)),
    ffi_lowrank_pass = list(list(l$values, p$w, as.vector(t(U)), c(0.1, 0.2), 0)),
    ffi_lowrank_take = list(list(l$z, 6, c(2L, 5L), 1), list(l$z, 6, c(2L, 5L), 0)),
    ffi_pair_values = list(list(p$store), list(p$packed), list(p$dense)),
    ffi_permute = list(
      list(p$store, p$w, numeric(6), starts, 2, 0), list(p$store, p$w, numeric(6), starts, 2, 1)
    ),
    ffi_plusplus = list(list(p$store, p$w, 2, 3, p$uniforms)),
    ffi_product = list(list(p$store, p$w)),
    ffi_gram_look = list(list(diag(3) + 1, 3), list(matrix(c(1, 2, NA, 4), 2), 2)),
    ffi_range = list(list(c(3, NA, -Inf, 5))),
    ffi_runs = list(list(c(1, 2, 2, 5, 7, 8), p$w, 1:4), list(c(1, 2, 2, 5, 7, 8), NULL, 2L)),
    ffi_runs_label = list(list(c(3, 1, 2, 8, 5), c(3, 6))),
    ffi_solve = list(
      list(p$store, zero_w, 2, starts, 0, 10), list(p$dense, p$w, 2, starts, 1, 10),
      list(p$packed, p$w, 2, starts, 0, 10)
    ),
    ffi_swap = list(list(p$store, p$w, 2, p$half, 0, 10, p$uniforms, 5, 5, 1e-9)),
    ffi_unbalanced = list(list(p$store, p$w, 2, starts, 3, 10)),
    ffi_sparse_descend = list(list(g$start, g$row, g$value, g$diagonal, p$w, p$half, 2, 10, 1e-10)),
    ffi_sparse_totals = list(list(g$start, g$row, g$value, g$diagonal, p$w, p$half, 2)),
    ffi_sparse_place = list(list(g$start, g$row, g$value, g$diagonal, zero_w, p$half, 2, 2L)),
    ffi_sparse_distances = list(list(g$start, g$row, g$value, g$diagonal, p$w, p$half, 2)),
    ffi_belief = list(
      list(g$start, g$row, NULL, matrix(c(0.7, 0.3), 2, 6), c(4, 1), 5, TRUE, FALSE, 1e-8),
      list(g$start, g$row, g$value, matrix(c(0.7, 0.3), 2, 6), c(4, 1), 5, FALSE, TRUE, 1e-8)
    )
  )
}

call_entry <- function(name, arguments) {
  do.call(.Call, c(list(routines()[[name]]), unname(arguments)))
}
