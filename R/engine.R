# The one place where problems meet the compiled engines: descents, swaps, starts and sums, for
# every store. All of it is deterministic; what is random comes in as uniforms.

method_codes <- c(hartigan = 0, lloyd = 1)

# The store as the compiled code reads it.
store_kinds <- c(kgroups_points = 0, kgroups_packed = 1, kgroups_dense = 2)

c_store <- function(store) {
  if (inherits(store, "kgroups_connected")) store <- new_dense_store(store_values(store))
  kind <- store_kinds[[class(store)[1L]]]
  data <- switch(kind + 1, store$x, store$values, store_values(store))
  rho <- if (is.null(store$rho)) c(match("given", semimetric_families) - 1, 0) else store$rho
  list(kind, data, store$n, as.numeric(if (kind == 0) ncol(data) else 0), rho)
}

# Descents from every column of `starts`: the best, ties to the first. A list: cluster, cost, V,
# s, total, objectives, iterations, moves, converged, rose, fall (of each start), best; for
# features also means. `dimension` above 0 asks for the size term.
descend <- function(problem, k, starts, control, dimension = 0) {
  storage.mode(starts) <- "integer"
  if (inherits(problem$store, "kgroups_sparse")) {
    return(descend_sparse(problem, k, starts, control))
  }
  if (inherits(problem$store, "kgroups_features")) {
    return(descend_features(problem, k, starts, control))
  }
  if (dimension > 0) {
    out <- .Call(
      ffi_unbalanced, c_store(problem$store), problem$w, as.numeric(k), starts,
      as.numeric(dimension), as.numeric(control$iter.max)
    )
    plain <- control
    plain$iter.max <- 0
    sums <- descend(problem, k, matrix(out$cluster), plain)
    sums[c("cluster", "iterations", "moves", "converged", "fall", "best")] <-
      out[c("cluster", "iterations", "moves", "converged", "fall", "best")]
    sums$objectives <- out$phi
    sums$rose <- numeric(length(out$phi))
    return(sums)
  }
  out <- .Call(
    ffi_solve, c_store(problem$store), problem$w, as.numeric(k), starts,
    method_codes[[control$method]], as.numeric(control$iter.max)
  )
  c(
    out$fit[c("cluster", "cost", "V", "s")],
    list(total = -out$fit$all / sum(problem$w), objectives = -out$Q),
    out[c("iterations", "moves", "converged", "rose", "fall", "best")]
  )
}

descend_features <- function(problem, k, starts, control) {
  runs <- lapply(seq_len(ncol(starts)), function(a) {
    .Call(
      ffi_lowrank_fit, problem$store$z, problem$w, as.numeric(k), starts[, a],
      as.numeric(control$iter.max), lowrank_path()
    )
  })
  of <- function(name) vapply(runs, function(run) as.numeric(run[[name]]), 0)
  W <- vapply(runs, function(run) sum(run$cost), 0)
  best <- which.min(W)
  run <- runs[[best]]
  list(
    cluster = run$cluster, cost = run$cost, V = -run$cost * run$s, s = run$s, total = run$total,
    objectives = W, iterations = of("iterations"), moves = of("moves"), converged = of("converged"),
    rose = numeric(length(runs)), fall = of("last"), best = best, means = run$means
  )
}

# One more swap after another from a partition, two uniforms each: as descend() gives, of one
# start, with `kept`, the number of swaps that were.
swap <- function(problem, k, labels, control, uniforms, patience, again, near) {
  out <- .Call(
    ffi_swap, c_store(problem$store), problem$w, as.numeric(k), labels,
    method_codes[[control$method]], as.numeric(control$iter.max), uniforms,
    as.numeric(patience), as.numeric(again), near
  )
  c(
    out$fit[c("cluster", "cost", "V", "s")],
    list(total = -out$fit$all / sum(problem$w), objectives = -out$Q, best = 1),
    out[c("iterations", "moves", "converged", "rose", "fall", "kept")]
  )
}

# n x m labels of k-means++, `candidates` tried for every centre; k * candidates uniforms a start.
plusplus <- function(problem, k, candidates, uniforms) {
  if (inherits(problem$store, "kgroups_sparse")) {
    return(sparse_plusplus_old(problem, k, uniforms, candidates))
  }
  if (inherits(problem$store, "kgroups_features")) {
    return(features_plusplus_old(problem, k, uniforms, candidates))
  }
  .Call(ffi_plusplus, c_store(problem$store), problem$w, as.numeric(k), as.numeric(candidates), uniforms)
}

# Labels of all observations from those of some (row numbers), by the nearest mean.
extend <- function(problem, k, rows, labels) {
  if (inherits(problem$store, "kgroups_sparse")) {
    all <- replace(rep(1L, problem$n), rows, labels)
    problem$w <- replace(numeric(problem$n), rows, problem$w[rows])
    return(sparse_place_old(problem, all, k, which(problem$w == 0)))
  }
  if (inherits(problem$store, "kgroups_features")) {
    means <- feature_means(problem, rows, labels, k)
    return(.Call(ffi_lowrank_assign, problem$store$z, problem$w, means, as.numeric(k))$cluster)
  }
  .Call(ffi_extend, c_store(problem$store), problem$w, as.numeric(k), as.integer(rows), as.integer(labels))
}

# R_il, n x k: sums of w_y B_iy over the clusters of a given partition.
group_sums <- function(problem, cluster, k) {
  if (inherits(problem$store, "kgroups_sparse")) {
    Z <- weighted_indicator(problem, cluster, k)
    return(as.matrix(sparse_off(problem$store) %*% Z) + problem$store$diagonal * Z)
  }
  .Call(ffi_group_sums, c_store(problem$store), problem$w, as.integer(cluster), as.numeric(k))
}

# The same for new points (rows of y, in the scale of the store).
cross_sums <- function(problem, y, cluster, k) {
  .Call(ffi_cross_sums, c_store(problem$store), y, problem$w, as.integer(cluster), as.numeric(k))
}

# B between new points and those of the store.
cross_values <- function(problem, y) .Call(ffi_cross_values, c_store(problem$store), y)

# list(M, t): M_jl the sum of w_x w_y B_xy over clusters j and l, t_j that of w_x B_xx.
dispersion_sums <- function(problem, cluster, k) {
  if (inherits(problem$store, "kgroups_sparse")) {
    Z <- Matrix::sparseMatrix(seq_len(problem$n), as.integer(cluster), x = problem$w, dims = c(problem$n, k))
    B <- sparse_off(problem$store) + Matrix::Diagonal(x = problem$store$diagonal)
    return(list(
      M = unname(as.matrix(Matrix::crossprod(Z, B %*% Z))),
      t = as.vector(Matrix::crossprod(Z, problem$store$diagonal))
    ))
  }
  .Call(ffi_dispersion, c_store(problem$store), problem$w, as.integer(cluster), as.numeric(k))
}

# Effective dimension of the clusters in the feature space.
dimension_of <- function(problem, k, cluster) {
  .Call(ffi_dimension, c_store(problem$store), problem$w, as.numeric(k), as.integer(cluster))
}

# S (or, with `original`, the statistic of the first paper) of several columns of labels, from the
# values centred by `centre`.
permuted_sums <- function(problem, centre, labels, k, original) {
  .Call(ffi_permute, c_store(problem$store), problem$w, centre, labels, as.numeric(k), original)
}
