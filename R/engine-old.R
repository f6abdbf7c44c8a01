# Until the compiled engines take every store: what sparse rows and features do here.

descend_sparse <- function(problem, k, starts, control) {
  w <- problem$w
  store <- problem$store
  base <- sum(w * store$diagonal)
  runs <- lapply(seq_len(ncol(starts)), function(a) {
    run <- if (control$method == "lloyd") {
      sparse_lloyd_old(problem, starts[, a], k, control$iter.max)
    } else {
      .Call(
        ffi_sparse_descend, store$start, store$row, store$value, store$diagonal, w, starts[, a],
        as.double(k), as.double(control$iter.max), 1e-10
      )
    }
    run$labels <- sparse_place_old(problem, run$labels, k, which(w == 0))
    run$totals <- .Call(
      ffi_sparse_totals, store$start, store$row, store$value, store$diagonal, w, run$labels, as.double(k)
    )
    run$share <- with(run$totals, ifelse(size > 0, within / size, 0))
    run
  })
  W <- base - vapply(runs, function(run) sum(run$share), 0)
  best <- which.min(W)
  run <- runs[[best]]
  self <- rowsum(w * store$diagonal, factor(run$labels, seq_len(k)))
  D <- numeric(k)
  D[as.integer(rownames(self))] <- self
  everything <- sum(w * store_product(store, w))
  of <- function(name) vapply(runs, function(run) as.numeric(run[[name]]), 0)
  list(
    cluster = run$labels, cost = D - run$share, V = run$totals$within, s = run$totals$size,
    total = base - if (sum(w) > 0) everything / sum(w) else 0, objectives = W,
    iterations = of("sweeps"), moves = of("moves"), converged = of("converged"),
    rose = numeric(length(runs)), fall = rep(NA_real_, length(runs)), best = best
  )
}

sparse_place_old <- function(problem, labels, k, points) {
  store <- problem$store
  if (length(points) == 0L) {
    return(labels)
  }
  .Call(
    ffi_sparse_place, store$start, store$row, store$value, store$diagonal, problem$w, labels,
    as.double(k), as.integer(points)
  )
}

sparse_lloyd_old <- function(problem, labels, k, iter.max) {
  w <- problem$w
  inside <- which(w > 0)
  off <- sparse_off(problem$store)[inside, inside, drop = FALSE]
  diagonal <- problem$store$diagonal[inside]
  w <- w[inside]
  label <- labels[inside]
  n <- length(inside)
  root <- Matrix::Diagonal(x = sqrt(w))
  c <- max(Matrix::colSums(abs(root %*% off %*% root)) - w * diagonal, 0)
  diagonal <- diagonal + c / w
  converged <- FALSE
  moves <- 0
  sweeps <- 0L
  while (!converged && sweeps < iter.max) {
    sweeps <- sweeps + 1L
    own <- cbind(seq_len(n), label)
    members <- Matrix::sparseMatrix(i = seq_len(n), j = label, x = w, dims = c(n, k))
    reach <- as.matrix(off %*% members)
    reach[own] <- reach[own] + w * diagonal
    s <- Matrix::colSums(members)
    V <- as.vector(rowsum(w * reach[own], factor(label, seq_len(k))))
    d2 <- rep(V / s^2, each = n) - 2 * t(t(reach) / s)
    target <- max.col(-d2, ties.method = "first")
    best <- d2[cbind(seq_len(n), target)]
    stays <- d2[own] <= best + 1e-12 * (abs(best) + diagonal)
    target[stays] <- label[stays]
    for (l in which(tabulate(target, k) == 0L)) {
      cost <- w * (best + diagonal)
      cost[tabulate(target, k)[target] < 2L] <- -Inf
      target[which.max(cost)] <- l
      best[which.max(cost)] <- -diagonal[which.max(cost)]
    }
    changed <- sum(target != label)
    moves <- moves + changed
    converged <- changed == 0L
    label <- target
  }
  labels[inside] <- label
  list(labels = labels, moves = moves, sweeps = sweeps, converged = converged)
}

sparse_plusplus_old <- function(problem, k, uniforms, candidates) {
  draw <- function(u) {
    n <- problem$n
    w <- problem$w
    diagonal <- problem$store$diagonal
    off <- sparse_off(problem$store)
    labels <- rep(1L, n)
    nearest <- rep(Inf, n)
    taken <- logical(n)
    for (l in seq_len(k)) {
      chance <- w * if (l == 1L) 1 else pmax(nearest, 0)
      chance[taken] <- 0
      if (sum(chance) == 0) chance <- w * !taken
      share <- cumsum(chance)
      centre <- min(findInterval(u[l] * share[n], share) + 1L, n)
      taken[centre] <- TRUE
      rho <- diagonal + diagonal[centre]
      at <- seq.int(off@p[centre] + 1L, length.out = off@p[centre + 1L] - off@p[centre])
      near <- off@i[at] + 1L
      rho[near] <- rho[near] - 2 * off@x[at]
      rho[centre] <- -Inf
      closer <- rho < nearest
      labels[closer] <- l
      nearest[closer] <- rho[closer]
    }
    labels
  }
  apply(matrix(uniforms, k * candidates), 2L, draw)
}

features_plusplus_old <- function(problem, k, uniforms, candidates) {
  z <- problem$store$z
  n <- problem$n
  draw <- function(u) {
    nearest <- rep(1, n)
    labels <- rep(1L, n)
    for (l in seq_len(k)) {
      share <- cumsum(problem$w * nearest)
      centre <- if (share[n] > 0) {
        min(findInterval(u[l] * share[n], share) + 1L, n)
      } else {
        which(problem$w > 0)[l]
      }
      mean <- take_features(z, n, centre, doubles = TRUE)
      d2 <- as.vector(.Call(ffi_lowrank_distances, z, as.numeric(n), mean, 1))
      closer <- if (l == 1L) rep(TRUE, n) else d2 < nearest
      nearest[closer] <- d2[closer]
      labels[closer] <- l
      labels[centre] <- l
    }
    fill_clusters(labels, problem$w, k)
  }
  labels <- apply(matrix(uniforms, k * candidates), 2L, draw)
  storage.mode(labels) <- "integer"
  labels
}
