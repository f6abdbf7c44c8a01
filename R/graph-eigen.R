# Smallest eigenvalues and eigenvectors of a Bethe Hessian, component by component: the
# spectrum of a graph is the union of those of its components. Small components are
# solved densely, large ones by Lanczos iterations on the sparse matrix. So many equal
# components, whose equal eigenvalues an iterative solver cannot tell apart, do no harm.

dense_limit <- 300L

# The rows of every component and two facts that tell which can be left out.
# Components with no more edges than vertices (trees, one cycle) have no eigenvalue below
# 0 for r >= 1; `bound` is what Gershgorin's circles leave of the smallest one.
component_table <- function(simple, parts) {
  size <- simple$component_size
  order <- order(simple$component)
  radius <- Matrix::colSums(abs(parts$off))
  entries <- rowsum(diff(parts$off@p), simple$component, reorder = TRUE)[, 1]
  bound <- tapply(parts$diagonal - radius, simple$component, min)
  list(
    order = order,
    start = cumsum(c(0, size)),
    size = size,
    cyclic = as.vector(entries / 2 > size) | abs(parts$r) < 1,
    bound = as.vector(bound)
  )
}

component_rows <- function(table, at) {
  table$order[(table$start[at] + 1):table$start[at + 1]]
}

# list(values, vectors, component, converged): k eigenpairs of H for an embedding, fewer if
# the solver fails. Those below 0 come first, and among them those of components of at
# least `min_size` vertices: a small dense component of its own has eigenvalues far below 0
# and would take the place of a community of the rest. Vectors are n x k, of unit length.
bethe_spectrum <- function(simple, parts, k, min_size = simple$n / (10 * k)) {
  table <- component_table(simple, parts)
  n <- simple$n
  found <- data.frame(value = numeric(), component = integer(), column = integer())
  kept <- list()
  converged <- TRUE
  rank_values <- function(found) {
    small <- table$size[found$component] < min_size
    order(found$value >= 0, found$value < 0 & small, found$value)
  }
  bar <- Inf
  take <- function(at) {
    rows <- component_rows(table, at)
    part <- component_eigen(parts, rows, k)
    converged <<- converged && part$sure
    if (length(part$values) == 0) {
      return(invisible())
    }
    kept[[as.character(at)]] <<- part$vectors
    found <<- rbind(found, data.frame(
      value = part$values, component = at, column = seq_along(part$values)
    ))
    found <<- found[rank_values(found), ]
    if (nrow(found) >= k) {
      found <<- found[seq_len(k), ]
      bar <<- max(found$value)
    }
  }
  component <- seq_along(table$size)
  first <- component == 1L | table$cyclic
  for (at in component[first]) take(at)
  # The others matter only while values above 0 are still in use.
  rest <- component[!first]
  alone <- table$size[rest] == 1L
  rest <- c(rest[!alone], utils::head(rest[alone], k))
  for (at in rest) {
    if (bar > 0 && table$bound[at] < bar) take(at)
  }
  vectors <- matrix(0, n, nrow(found))
  for (at in unique(found$component)) {
    mine <- which(found$component == at)
    vectors[component_rows(table, at), mine] <-
      kept[[as.character(at)]][, found$column[mine], drop = FALSE]
  }
  list(
    values = found$value, vectors = vectors, component = found$component,
    converged = converged
  )
}

# list(values, vectors, sure) of the k smallest eigenvalues of H restricted to a
# connected set of rows. The solver gets the matrix turned round, shift I - H, whose
# largest eigenvalues it finds: its tolerance is relative to the eigenvalue, and those of
# H that matter are near 0.
component_eigen <- function(parts, rows, k, vectors = TRUE, tol = NULL) {
  n <- length(rows)
  k <- min(k, n)
  if (n <= dense_limit || (k > n / 4 && n <= 3000)) {
    return(dense_eigen(parts, rows, k, vectors))
  }
  turned <- turned_matrix(parts, rows)
  if (is.null(tol)) tol <- if (n > 50000) 1e-6 else 1e-9
  found <- list(values = numeric())
  for (space in c(max(2L * k + 10L, 30L), max(4L * k + 40L, 100L))) {
    if (k < n && length(found$values) < k) {
      found <- lanczos(turned$matrix, k, min(space, n), tol, vectors)
    }
  }
  if (length(found$values) < k && n <= 3000) {
    return(dense_eigen(parts, rows, k, vectors))
  }
  list(
    values = turned$shift - found$values, vectors = found$vectors,
    sure = length(found$values) == k
  )
}

# shift I - H on the rows, shift no less than any eigenvalue of H.
turned_matrix <- function(parts, rows) {
  whole <- length(rows) == length(parts$diagonal) # then the rows are in order
  off <- if (whole) parts$off else parts$off[rows, rows, drop = FALSE]
  diagonal <- parts$diagonal[rows]
  shift <- max(diagonal + Matrix::colSums(abs(off)))
  list(
    matrix = methods::as(off + Matrix::Diagonal(x = shift - diagonal), "generalMatrix"),
    shift = shift
  )
}

# H on the rows as a plain matrix, straight from the compressed columns.
dense_block <- function(parts, rows) {
  off <- parts$off
  first <- off@p[rows]
  count <- off@p[rows + 1L] - first
  at <- sequence(count, first + 1L)
  block <- diag(parts$diagonal[rows], length(rows))
  column <- rep.int(seq_along(rows), count)
  block[cbind(match(off@i[at] + 1L, rows), column)] <- -off@x[at]
  block
}

dense_eigen <- function(parts, rows, k, vectors = TRUE) {
  found <- eigen(dense_block(parts, rows), symmetric = TRUE, only.values = !vectors)
  last <- rev(seq_along(found$values))[seq_len(k)]
  list(
    values = found$values[last],
    vectors = if (vectors) found$vectors[, last, drop = FALSE],
    sure = TRUE
  )
}

lanczos <- function(operator, k, space, tol, vectors = TRUE, ...) {
  solver <- if (is.function(operator)) eigs_of else RSpectra::eigs_sym
  found <- suppressWarnings(tryCatch(
    solver(
      operator, k,
      which = "LA",
      opts = list(ncv = space, tol = tol, maxitr = 1000, retvec = vectors),
      ...
    ),
    error = function(e) list(values = numeric())
  ))
  good <- which(is.finite(found$values))
  order <- good[order(found$values[good], decreasing = TRUE)]
  list(
    values = found$values[order],
    vectors = if (vectors && length(order)) found$vectors[, order, drop = FALSE]
  )
}
