# The one way into the moves on sparse symmetric matrices (src/kg_sparse.c). A sparse
# problem is a list: off, a dgCMatrix with both triangles and no diagonal; diagonal; w.

# One descent from labels 1..k: list(labels, moves, sweeps, converged). Points of weight 0
# keep their labels; out$totals$cluster has them placed.
sparse_descend <- function(problem, labels, k, iter.max = 100, w = problem$w,
                           method = "hartigan", fill = iter.max > 0) {
  out <- descend(c_problem(problem, w), k, labels, method, iter.max, fill = fill)
  list(
    labels = ifelse(w > 0, out$cluster, labels), moves = out$moves, sweeps = as.integer(out$iterations),
    converged = out$converged, Q = sum(w * problem$diagonal) - out$objectives, totals = out
  )
}

sparse_lloyd <- function(problem, labels, k, iter.max, w = problem$w) {
  sparse_descend(problem, labels, k, iter.max, w, "lloyd")
}

# list(size, within, members): s_l, V_l from scratch, and the points of positive weight.
sparse_totals <- function(problem, labels, k, w = problem$w) {
  totals <- sparse_descend(problem, labels, k, 0, w)$totals
  list(size = totals$s, within = totals$V, members = as.numeric(tabulate(labels[w > 0], k)))
}

# Q = sum_l V_l / s_l, Eq. (41).
sparse_objective <- function(problem, labels, k, w = problem$w) {
  sparse_descend(problem, labels, k, 0, w)$Q
}

# Labels of the points listed, all of weight 0, by smallest d2; the others keep theirs.
sparse_place <- function(problem, labels, k, points, w = problem$w) {
  if (length(points) == 0L) {
    return(labels)
  }
  labels[points] <- sparse_descend(problem, labels, k, 0, w)$totals$cluster[points]
  labels
}

# A start may leave clusters without a point of positive weight. Each gets the point that
# costs most where it is, from a cluster that can spare one.
sparse_fill_empty <- function(problem, labels, k, w = problem$w) {
  sparse_descend(problem, as.integer(labels), k, 0, w, fill = TRUE)$labels
}

# What Hartigan's and Lloyd's method have in common: one start to its end.
sparse_solve <- function(problem, labels, k, method = "hartigan", iter.max = 100,
                         w = problem$w) {
  out <- sparse_descend(problem, labels, k, iter.max, w, method)
  out$labels <- out$totals$cluster
  out
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

sparse_plusplus <- function(problem, k, w = problem$w) {
  .Call(ffi_plusplus, c_problem(problem, w), as.numeric(k), 1, stats::runif(k))[, 1L]
}
