# Smallest eigenvalues and eigenvectors of a Bethe Hessian, component by component: the
# spectrum of a graph is the union of those of its components. Small components are
# solved densely, those up to 3000 vertices by Lanczos iterations on the sparse matrix, larger
# ones by filtered blocks of vectors (src/kg_chebyshev.c). So many equal components, whose equal
# eigenvalues an iterative solver cannot tell apart, do no harm.

dense_limit <- 300L
wide_limit <- 3000L

# The rows of every component and two facts that tell which can be left out.
# Components with no more edges than vertices (trees, one cycle) have no eigenvalue below
# 0 for r >= 1; `bound` is what Gershgorin's circles leave of the smallest one.
component_table <- function(simple, parts) {
  size <- simple$component_size
  order <- order(simple$component)
  radius <- off_sums(parts)
  entries <- sum_by(diff(parts$off@p), simple$component, max(simple$component))
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

# list(values, vectors, component, converged, blocks): k eigenpairs of H for an embedding, fewer
# if the solver fails. `blocks` of an earlier spectrum, at another r, are where to go on from.
# Those below 0 come first, and among them those of components of at
# least `min_size` vertices: a small dense component of its own has eigenvalues far below 0
# and would take the place of a community of the rest. Vectors are n x k, of unit length.
bethe_spectrum <- function(simple, parts, k, min_size = simple$n / (10 * k), blocks = list()) {
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
    part <- component_eigen(parts, rows, k, block = blocks[[as.character(at)]])
    converged <<- converged && part$sure
    blocks[[as.character(at)]] <<- part$block
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
  kept <- kept[unique(as.character(found$component))]
  vectors <- matrix(0, n, nrow(found))
  for (at in unique(found$component)) {
    mine <- which(found$component == at)
    vectors[component_rows(table, at), mine] <-
      kept[[as.character(at)]][, found$column[mine], drop = FALSE]
    kept[[as.character(at)]] <- NULL
  }
  list(
    values = found$value, vectors = vectors, component = found$component,
    converged = converged, blocks = blocks
  )
}

# list(values, vectors, sure) of the k smallest eigenvalues of H restricted to a
# connected set of rows. The solver gets the matrix turned round, shift I - H, whose
# largest eigenvalues it finds: its tolerance is relative to the eigenvalue, and those of
# H that matter are near 0.
component_eigen <- function(parts, rows, k, vectors = TRUE, tol = NULL, block = NULL) {
  n <- length(rows)
  k <- min(k, n)
  if (n <= dense_limit || (k > n / 4 && n <= 3000)) {
    return(dense_eigen(parts, rows, k, vectors))
  }
  if (is_wide(n, k)) {
    return(wide_eigen(parts, rows, k, block))
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

# Filtered blocks pay where the graph is large and k a small part of it.
is_wide <- function(n, k) n > wide_limit && 4 * (k + 20) <= n

# How far |H x - theta x| may be from 0: a share of the largest eigenvalue, which is far below
# the noise of the vectors of a random graph, or one of theta.
wide_tolerance <- c(5e-4, 0.03)

# As component_eigen(), with the block that a solution at another r can go on from.
wide_eigen <- function(parts, rows, k, block = NULL, cycles = 60) {
  found <- wide_solve(parts, rows, k, block, cycles)
  good <- seq_len(k)
  if (!found$converged) {
    bound <- pmax(wide_tolerance[1L] * found$bound, wide_tolerance[2L] * abs(found$values))
    good <- which(!is.na(found$values) & found$residuals <= bound)
    good <- good[good <= k]
  }
  list(
    values = found$values[good],
    vectors = if (length(good) == k) found$vectors else found$vectors[, good, drop = FALSE],
    sure = length(good) == k, block = if (length(good)) found$block
  )
}

wide_solve <- function(parts, rows, k, block = NULL, cycles = 60, counting = FALSE) {
  part <- pattern_on(parts, rows)
  .Call(
    ffi_chebyshev, part[c("start", "row", "value", "diagonal")], as.double(k), block,
    wide_tolerance, as.double(cycles), counting
  )
}

# The columns of a component as the kernels read them, without an array of values where all are
# equal. No entry of these columns is in another component's rows.
pattern_on <- function(parts, rows) {
  off <- parts$off
  value <- parts$every %||% off@x
  if (length(rows) == length(parts$diagonal)) {
    return(list(start = off@p, row = off@i, value = value, diagonal = parts$diagonal))
  }
  inside <- logical(length(parts$diagonal))
  inside[rows] <- TRUE
  count <- diff(off@p)
  keep <- rep.int(inside, count)
  place <- cumsum(inside) - 1L # rows of a component are in rising order
  list(
    start = c(0L, cumsum(count[rows])), row = place[off@i[keep] + 1L],
    value = if (is.null(parts$every)) value[keep] else value, diagonal = parts$diagonal[rows]
  )
}

# H on the rows of a component.
part_on <- function(parts, rows) {
  if (length(rows) < length(parts$diagonal)) { # else the rows are in order
    parts$off <- parts$off[rows, rows, drop = FALSE]
    parts$diagonal <- parts$diagonal[rows]
  }
  parts
}

# shift I - H on the rows, shift no less than any eigenvalue of H.
turned_matrix <- function(parts, rows) {
  part <- part_on(parts, rows)
  diagonal <- part$diagonal
  shift <- max(diagonal + off_sums(part))
  list(
    matrix = methods::as(off_matrix(part) + Matrix::Diagonal(x = shift - diagonal), "generalMatrix"),
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
  block[cbind(match(off@i[at] + 1L, rows), column)] <- if (is.null(parts$every)) -off@x[at] else -parts$every
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

# A matrix is multiplied here, not by RSpectra, which would hear of no interrupt until its end.
lanczos <- function(operator, k, space, tol, vectors = TRUE, n = nrow(operator)) {
  product <- operator
  if (!is.function(operator)) product <- function(v, args) as.vector(operator %*% v)
  found <- suppressWarnings(tryCatch(
    eigs_of(
      product, k,
      which = "LA",
      opts = list(ncv = space, tol = tol, maxitr = 1000, retvec = vectors),
      n = n
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
