# The one way into the moves on sparse symmetric matrices (src/kg_sparse.c). A sparse
# problem is a list: off, a dgCMatrix with both triangles and no diagonal; diagonal; w.

sparse_tolerance <- 1e-10

# One descent from labels 1..k: list(labels, moves, sweeps, converged).
sparse_descend <- function(problem, labels, k, iter.max = 100, w = problem$w) {
  labels <- sparse_fill_empty(problem, labels, k, w)
  .Call(
    ffi_sparse_descend, problem$off@p, problem$off@i, problem$off@x, as.double(problem$diagonal),
    as.double(w), labels, as.double(k), as.double(iter.max), sparse_tolerance
  )
}

# list(size, within, members): s_l, V_l from scratch, and the points of positive weight.
sparse_totals <- function(problem, labels, k, w = problem$w) {
  .Call(
    ffi_sparse_totals, problem$off@p, problem$off@i, problem$off@x, as.double(problem$diagonal),
    as.double(w), labels, as.double(k)
  )
}

# Q = sum_l V_l / s_l, Eq. (41).
sparse_objective <- function(problem, labels, k, w = problem$w) {
  totals <- sparse_totals(problem, labels, k, w)
  sum((totals$within / totals$size)[totals$size > 0])
}

# Labels of the points listed, all of weight 0, by smallest d2; the others keep theirs.
sparse_place <- function(problem, labels, k, points, w = problem$w) {
  if (length(points) == 0L) {
    return(labels)
  }
  .Call(
    ffi_sparse_place, problem$off@p, problem$off@i, problem$off@x, as.double(problem$diagonal),
    as.double(w), labels, as.double(k), as.integer(points)
  )
}

# A start may leave clusters without a point of positive weight. Each gets the point that
# costs most where it is, from a cluster that can spare one.
sparse_fill_empty <- function(problem, labels, k, w = problem$w) {
  labels <- as.integer(labels)
  inside <- which(w > 0)
  members <- tabulate(labels[inside], k)
  empty <- which(members == 0L)
  if (length(empty) == 0L) {
    return(labels)
  }
  distance <- .Call(
    ffi_sparse_distances, problem$off@p, problem$off@i, problem$off@x, as.double(problem$diagonal),
    as.double(w), labels, as.double(k)
  )
  cost <- w[inside] * distance[inside]
  for (point in inside[order(-cost, inside)]) {
    if (length(empty) == 0L) break
    if (members[labels[point]] > 1L) {
      members[labels[point]] <- members[labels[point]] - 1L
      labels[point] <- empty[1L]
      members[empty[1L]] <- 1L
      empty <- empty[-1L]
    }
  }
  labels
}

# What Hartigan's and Lloyd's method have in common: one start to its end.
sparse_solve <- function(problem, labels, k, method = "hartigan", iter.max = 100,
                         w = problem$w) {
  out <- if (method == "lloyd") {
    sparse_lloyd(problem, labels, k, iter.max, w)
  } else {
    sparse_descend(problem, labels, k, iter.max, w)
  }
  out$labels <- sparse_place(problem, out$labels, k, which(w == 0), w)
  out$Q <- sparse_objective(problem, out$labels, k, w)
  out
}

# Lloyd's method, Algorithm 1, on B + c / w_i on the diagonal: that changes Q by the
# constant c k only, and c makes the form positive semidefinite (Gershgorin's circles of
# diag(w)^(1/2) B diag(w)^(1/2)), so W cannot rise. c = 0 where none is needed.
sparse_lloyd <- function(problem, labels, k, iter.max, w = problem$w) {
  labels <- sparse_fill_empty(problem, labels, k, w)
  inside <- which(w > 0)
  off <- problem$off[inside, inside, drop = FALSE]
  diagonal <- problem$diagonal[inside]
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
      # An emptied cluster gets the point that costs most.
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

# A fit's numbers (see R/solve.R) for labels of a sparse problem; `solved` is the start
# they come from, `objectives` the W of all starts.
sparse_solution <- function(problem, labels, k, solved, Q, best) {
  totals <- sparse_totals(problem, labels, k)
  w <- problem$w
  self <- as.vector(rowsum(w * problem$diagonal, factor(labels, seq_len(k)), reorder = TRUE))
  self <- self[match(seq_len(k), sort(unique(labels)))]
  self[is.na(self)] <- 0
  share <- ifelse(totals$size > 0, totals$within / totals$size, 0)
  everything <- sum(w * as.vector(problem$off %*% w)) + sum(w^2 * problem$diagonal)
  base <- sum(w * problem$diagonal)
  list(
    cluster = labels, cost = self - share, V = totals$within, s = totals$size,
    total = base - if (sum(w) > 0) everything / sum(w) else 0,
    objectives = base - Q, best_start = best,
    iterations = as.integer(solved$sweeps), moves = solved$moves,
    converged = solved$converged
  )
}

warn_sparse_unfinished <- function(out, iter.max) {
  if (!out$converged) {
    kg_warn(
      c(
        "The best start had not converged after {iter.max} iteration{?s}.",
        "i" = "Raise {.arg iter.max}."
      ),
      "iterations"
    )
  }
}

# k-means++ in rho = B_ii + B_cc - 2 B_ic, which an indefinite B can make negative: then 0.
sparse_plusplus <- function(problem, k, w = problem$w) {
  n <- problem$n
  diagonal <- problem$diagonal
  off <- problem$off
  labels <- rep(1L, n)
  nearest <- rep(Inf, n)
  taken <- logical(n)
  for (l in seq_len(k)) {
    chance <- w * if (l == 1L) 1 else pmax(nearest, 0)
    chance[taken] <- 0
    if (sum(chance) == 0) chance <- w * !taken
    centre <- sample.int(n, 1L, prob = chance)
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
