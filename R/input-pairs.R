# Input checks of data that are pairs: square matrices, edges, Gram matrices, dissimilarities.

# ---- square matrices ----

# Square matrices of data: dissimilarities, whole or half, adjacency or Gram matrices.
inform_square <- function(x, arg = "x", matrix = arg) {
  n <- nrow(x)
  diagonal <- x[cbind(seq_len(n), seq_len(n))]
  if (anyNA(diagonal)) diag(x)[is.na(diagonal)] <- 0
  range <- value_range(x)
  largest <- max(range[["largest"]], -range[["smallest"]])
  empty <- all(is.na(diagonal) | abs(diagonal) <= 1e-8 * largest)
  blank <- function(values) all(is.na(values) | values == 0)
  # ones on the diagonal and one triangle of values from 0 to 1
  if (!empty && isTRUE(all(diagonal == largest)) && range[["smallest"]] >= 0 && largest %in% c(1, 100)) {
    half <- c(lower = blank(x[upper.tri(x)]), upper = blank(x[lower.tri(x)]))
    if (sum(half) == 1L) {
      full <- if (half[["lower"]]) arg else sprintf("t(%s)", arg)
      return(report("similarities_triangle", use = sprintf("as.dist(%g - %s)", largest, full)))
    }
  }
  if (!empty || largest == 0 || range[["smallest"]] < -1e-8 * largest) {
    if (range[["missing"]] == 0 && asymmetry(x, 1e-12 * largest) == 0) {
      report("gram")
    }
    return(invisible())
  }
  lower <- x[lower.tri(x)]
  upper <- x[upper.tri(x)]
  if (blank(upper) || blank(lower)) {
    full <- if (blank(upper)) lower else upper
    use <- sprintf(if (blank(upper)) "as.dist(%s)" else "as.dist(t(%s))", arg)
    if (mean(full > 0 & !is.na(full)) >= 0.5) report("dissimilarities", what = "one triangle of a matrix", use = use)
  } else if (anyNA(lower) || anyNA(upper)) {
    return(invisible())
  } else if (asymmetry(x, 1e-8 * largest) > 0) {
    # entries that are nearly all above 0 beside a diagonal of 0
    if (mean(c(lower, upper) > 0) > 0.9) {
      report("dissimilarities", what = "an asymmetric matrix", use = sprintf("as.dist((%s + t(%s)) / 2)", arg, arg))
    }
  } else if (isTRUE(all(diagonal == 0)) && largest == 1 && all(x == 0 | x == 1)) {
    report("adjacency", taken = "data", matrix = matrix)
  } else if (is_network(x)) {
    report("adjacency_weighted", use = sprintf("igraph::graph_from_adjacency_matrix(as.matrix(%s), mode = \"undirected\", weighted = TRUE)", arg))
  } else {
    report("dissimilarities", what = "a matrix", use = sprintf("as.dist(%s)", arg))
  }
}

# Are there many zeros, and not those of equal observations? Observations at distance 0 have the same zeros.
is_network <- function(x) {
  zero <- x == 0
  mean(zero) > 0.3 && any(zero != zero[max.col(zero, "first"), ])
}

# One triangle of dissimilarities beside cells that are missing, perhaps without the diagonal. Without its empty row a square
# matrix has a column more, of `total`.
inform_triangle <- function(points, total) {
  n <- nrow(points)
  p <- ncol(points)
  if (n < 4L || !p %in% (n + 0:1) || !total %in% (n + 0:1) || is.na(points[n, 1L]) == is.na(points[1L, p])) {
    return(invisible())
  }
  seen <- !is.na(points)
  i <- row(seen)
  j <- col(seen)
  lower <- all(seen == (j <= i))
  upper <- all(seen == (if (p > n) j > i else j >= i))
  if (!(lower || upper) || any(points[seen] < 0)) {
    return(invisible())
  }
  use <- if (total > n) {
    if (lower) "as.dist(x)" else "as.dist(t(x))"
  } else if (lower) {
    "as.dist(rbind(NA, cbind(as.matrix(x), NA)))"
  } else {
    "as.dist(t(rbind(cbind(NA, as.matrix(x)), NA)))"
  }
  report("dissimilarities", what = "one triangle of a matrix", use = use)
}

# Return how many entries x[i, j] and x[j, i] differ by more than `tol`; 1 if the first ones do.
asymmetry <- function(x, tol) {
  n <- nrow(x)
  some <- cbind(seq_len(n), c(seq_len(n)[-1L], 1L))
  if (any(abs(x[some] - x[some[, 2:1]]) > tol)) {
    return(1)
  }
  sum(vapply(strips(n, n), function(columns) {
    check_interrupt()
    sum(abs(x[, columns] - t(x[columns, , drop = FALSE])) > tol)
  }, 0))
}

# ---- edges ----

# Two columns of ends, first in the table but for that of values; beside a value of nearly every pair further columns are allowed.
inform_edges <- function(x) {
  frame <- is.data.frame(x)
  column <- function(j) if (frame) x[[j]] else x[, j]
  starts <- if (frame) seq_len(ncol(x) - 1L) else 1L
  for (start in starts) {
    at <- start + 0:1
    values <- Filter(function(j) is.numeric(column(j)) && is.null(dim(column(j))), setdiff(seq_len(ncol(x)), at))
    if (length(values) > 1L || ncol(x) == 3L && length(values) == 0L || !resembles_edges(x[, at, drop = FALSE], has_edge_weights(colnames(x)[c(at, values)]))) next
    m <- length(unique(unlist(lapply(at, function(j) as.character(column(j))))))
    pairs <- m * (m - 1) / 2
    part <- nrow(x) < pairs && nrow(x) >= 0.9 * pairs && !is_weight_name(colnames(x)[values])
    every <- length(values) == 1L && frame && (part || nrow(x) %in% c(pairs, 2 * pairs, m^2))
    if (!every && (start > 1L || ncol(x) > 3L)) next
    reported$names <- c(reported$names, colnames(x)[c(at, values)])
    order <- c(at, values)
    table <- "as.data.frame(x)"
    if (!identical(order, seq_len(ncol(x)))) table <- sprintf("%s[c(%s)]", table, paste(order, collapse = ", "))
    if (!every) {
      if (length(values)) table <- sprintf("setNames(%s, c(\"from\", \"to\", \"weight\"))", table)
      return(report(if (length(values)) "edges_weighted" else "edges", use = sprintf("igraph::graph_from_data_frame(%s, directed = FALSE)", table)))
    }
    return(report(
      "dissimilarities_long",
      table = table, rest = if (part) "mean(x[[3]])" else "0",
      note = if (part) sprintf(" %d of the pairs have none and get the mean.", pairs - nrow(x)) else ""
    ))
  }
}

is_weight_name <- function(name) length(name) == 1L && grepl("^(w|wt|weights?|strength|similarity|sim|correlation|cor|r)$", lower_ascii(name))

# Return TRUE if the first two columns look like pairs of vertices: no pair twice, none of equals,
# fewer vertices than rows, numbered 1 to m (0 to m - 1) without a gap, or labels that mostly occur
# on both sides. `weighted`: beside a column of weights. Pairs under the names of ends, or of many vertices beside weights, may occur twice, or be of equals.
resembles_edges <- function(x, weighted = FALSE) {
  named <- has_end_names(colnames(x))
  ends <- lapply(1:2, function(j) if (is.data.frame(x)) x[[j]] else x[, j])
  # values alone: methods of classes may refuse to compare two columns
  ends <- lapply(ends, function(v) {
    if (is.factor(v) && is.character(levels(v))) as.character(v) else if (inherits(v, "haven_labelled")) as.vector(unclass(v)) else v
  })
  is_all <- function(test) all(vapply(ends, test, NA))
  numbers <- is_all(function(v) is.numeric(v) && is.null(dim(v)) && !is_damaged(v))
  a <- ends[[1L]]
  b <- ends[[2L]]
  if (length(a) < (if (named) 4L else if (weighted) 6L else 10L) || !(numbers || is_all(is.character)) || anyNA(a) || anyNA(b)) {
    return(FALSE)
  }
  # beside a column of weights many vertices suffice
  repeats <- named || weighted && length(unique(c(a, b))) >= 20L
  loops <- !repeats && any(a == b)
  if (numbers && loops) {
    return(FALSE)
  }
  if (numbers) range <- range(a, b)
  # most data fail here, before anything is sorted
  if (numbers && !named && (!range[1L] %in% 0:1 || range[2L] - range[1L] + 1 > length(a))) {
    return(FALSE)
  }
  vertices <- unique(c(a, b))
  m <- length(vertices)
  gap <- numbers && (any(vertices != round(vertices)) || !named && m != range[2L] - range[1L] + 1)
  # pairs of equals are there in a table of all pairs
  if (m < (if (named) 4L else 5L) || m > length(a) || gap || loops && length(a) != m^2) {
    return(FALSE)
  }
  both <- length(intersect(a, b)) >= 0.5 * min(length(unique(a)), length(unique(b)))
  both && (repeats || !anyDuplicated(match(a, vertices) + (m + 1) * match(b, vertices)))
}

# Are there weights beside two columns without names of their own?
has_edge_weights <- function(names) {
  plain <- lower_ascii(as.character(names))
  length(plain) == 3L && plain[3L] %in% c("w", "wt", "weight", "weights") &&
    paste(plain[1:2], collapse = " ") %in% c(" ", "a b", "v1 v2", "x1 x2", "i j", "u v", "row col", "i1 i2")
}

# Return TRUE if the first two names are those of the ends of edges.
has_end_names <- function(names) {
  pairs <- c("from to", "source target", "src dst", "head tail", "sender receiver", "node1 node2")
  length(names) >= 2L && paste(gsub("[._ -]|id$", "", lower_ascii(names[1:2])), collapse = " ") %in% pairs
}

# ---- Gram matrices ----

# `rows`: the rows of a sparse matrix are observations.
inform_gram <- function(x, rows = FALSE) {
  n <- nrow(x)
  if (is.null(n) || n < 3L || n != ncol(x)) {
    return(invisible())
  }
  sparse <- inherits(x, "sparseMatrix")
  unmarked <- inherits(x, "Matrix") && is.null(attr(x, "kgroups_gram"))
  if (inherits(x, "kernelMatrix")) x <- methods::as(x, "matrix")
  if (sparse) {
    x <- methods::as(methods::as(x, "dMatrix"), "TsparseMatrix")
    diagonal <- Matrix::diag(x)
    # one triangle of a symmetric matrix suffices
    values <- x@x[x@x != 0]
  } else {
    if (inherits(x, "Matrix")) x <- as.matrix(x)
    if (!is.matrix(x) || !is.numeric(x)) {
      return(invisible())
    }
    diagonal <- x[cbind(seq_len(n), seq_len(n))]
    values <- x
  }
  if (length(values) == 0L || anyNA(values) || !all(is.finite(diagonal))) {
    return(invisible())
  }
  range <- value_range(values)
  largest <- range[["largest"]]
  if (largest <= 0 || range[["smallest"]] < -1e-8 * largest || any(abs(diagonal) > 1e-8 * largest)) {
    if (unmarked && !rows) report("gram_matrix")
    return(invisible())
  }
  if (all(diagonal == 0) && largest == 1 && all(values == 0 | values == 1)) {
    report("adjacency", taken = if (rows) "data" else "a Gram matrix", matrix = "x")
  } else if (!rows) {
    report(if (sparse) "dissimilarities_sparse" else "dissimilarities_gram")
  }
}

# ---- dissimilarities ----

# Is a `dist` one of similarities? Similarities between 0 and 1 violate the triangle inequality within
# clusters, where pairs have large values; 1 minus them obeys it. dist() names its method in an attribute.
is_similarity <- function(x) {
  n <- attr(x, "Size")
  sized <- is_number(n) && n >= 10 && length(x) == n * (n - 1) / 2
  if (!sized || !is.numeric(x) || !is.null(attr(x, "method")) || inherits(x, "dissimilarity")) {
    return(FALSE)
  }
  m <- min(n, 24)
  at <- unique(round(seq(1, n, length.out = m)))
  i <- rep(at, rev(seq_along(at)) - 1)
  j <- at[sequence(rev(seq_along(at)) - 1, seq_along(at) + 1)]
  d <- .subset(x, n * (i - 1) - i * (i - 1) / 2 + j - i)
  if (anyNA(d) || min(d) < 0 || max(d) > 1) {
    return(FALSE)
  }
  # roots, because squared distances violate it too
  broken <- broken_triangles(sqrt(d), m)
  if (broken < 0.05 || broken_triangles(1 - d, m) > 0.1 * broken) {
    return(FALSE)
  }
  range <- value_range(x)
  range[["smallest"]] >= 0 && range[["largest"]] <= 1
}

# Return the share of triples a, b, c with d(a, b) > d(a, c) + d(c, b).
broken_triangles <- function(d, m) {
  D <- matrix(0, m, m)
  D[lower.tri(D)] <- d
  D <- D + t(D)
  broken <- vapply(seq_len(m), function(c) sum(D > outer(D[, c], D[c, ], "+") + 1e-9), 0)
  sum(broken) / (m * (m - 1) * (m - 2))
}
