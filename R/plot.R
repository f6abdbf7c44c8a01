#' Plot a fit
#'
#' Shows the observations in the plane, coloured by cluster: the two columns of two-column
#' data, else the first two principal coordinates of the semimetric (classical scaling of the
#' pair values). For one-column data the observations are shown against their cluster.
#'
#' @param x A fit from [kgroups()].
#' @param ... Passed to [plot.default()].
#' @return `x`, invisibly.
#' @details A fit of a graph is drawn by igraph's method for communities. Above 2000 observations a random sample of 2000 is drawn.
#' @family fits
#' @examples
#' plot(kgroups(iris[1:4], 3))
#' @export
plot.kgroups_fit <- function(x, ...) {
  if (!is.null(x$graph)) {
    plot(as_communities(x), x$graph$graph, ...)
    return(invisible(x))
  }
  problem <- kept_problem(x)
  shown <- seq_len(x$n)
  if (x$n > small_n) shown <- sort(sample.int(x$n, small_n))
  frame <- plane_coordinates(problem, shown)
  cluster <- x$cluster[shown]
  colours <- grDevices::hcl.colors(max(x$k, 2L), "Dark 3")
  if (ncol(frame) == 1L) {
    frame <- cbind(frame, cluster = cluster)
  }
  arguments <- utils::modifyList(
    list(
      x = frame[, 1L], y = frame[, 2L], xlab = colnames(frame)[1L], ylab = colnames(frame)[2L],
      col = colours[cluster], pch = (cluster - 1L) %% 25L + 1L,
      main = sprintf("%d clusters, W = %s", x$k, format(x$W, digits = 6))
    ),
    list(...)
  )
  do.call(graphics::plot.default, arguments)
  invisible(x)
}

# One or two named columns for some rows of a problem.
plane_coordinates <- function(problem, rows) {
  points <- problem$points
  if (!is.null(points) && ncol(points) <= 2L) {
    out <- points[rows, , drop = FALSE]
    if (is.null(colnames(out))) colnames(out) <- c("x1", "x2")[seq_len(ncol(out))]
    return(out)
  }
  out <- principal_coordinates(subset_problem(problem, rows), 2L)
  colnames(out) <- c("Principal coordinate 1", "Principal coordinate 2")
  out
}

# Classical scaling: the top m eigenvectors of the centred B, times the root of their
# eigenvalues; each axis has its largest entry positive.
principal_coordinates <- function(problem, m) {
  n <- problem$n
  B <- pair_values(problem) * problem$unit
  B <- B - rowMeans(B)
  B <- t(t(B) - colMeans(B))
  B <- (B + t(B)) / 2
  top <- if (n <= 200L) {
    eigen(B, symmetric = TRUE)
  } else {
    RSpectra::eigs_sym(B, m, which = "LA")
  }
  out <- matrix(0, n, m)
  for (axis in seq_len(min(m, length(top$values)))) {
    v <- top$vectors[, axis]
    out[, axis] <- v * sign(v[which.max(abs(v))]) * sqrt(max(top$values[axis], 0))
  }
  out
}
