# From the eigenvectors of the Bethe Hessian to starting labels of a graph, and the choice among what
# the moves make of them.

# The smallest sum of squares a row of eigenvectors must have to take part: rows of
# components that hold none of the eigenvectors are 0 up to rounding.
row_floor <- 1e-12

# list(rows, features): the vertices that take part and their coordinates.
embedding_rows <- function(vectors, normalize) {
  norm <- rowSums(vectors^2)
  rows <- which(norm >= row_floor)
  features <- vectors[rows, , drop = FALSE]
  if (normalize) features <- features / sqrt(norm[rows])
  list(rows = rows, features = features)
}

# k-means of the embedding; labels of the vertices that take part. Many vertices: the
# starts compete on a sample, the best means are polished on all.
embedding_labels <- function(features, k, nstart = 20, sample_size = 20000) {
  n <- nrow(features)
  k <- min(k, n)
  if (k < 2L || ncol(features) == 0L) {
    return(rep(1L, n))
  }
  if (n <= 2 * sample_size) {
    return(feature_kmeans(features, k, nstart = nstart)$cluster)
  }
  part <- features[sample.int(n, sample_size), , drop = FALSE]
  means <- feature_kmeans(part, k, nstart = nstart)$means
  feature_kmeans(
    features, k,
    starts = matrix(nearest_mean(features, t(means)), ncol = 1L), iter.max = 20
  )$cluster
}

# means: k x m
nearest_mean <- function(features, means) {
  score <- tcrossprod(features, means) - rep(rowSums(means^2) / 2, each = nrow(features))
  max.col(score, ties.method = "first")
}

# The graph as a sparse problem: one of three Gram matrices, vertex weights, SPEC of the
# ratio association (31), the ratio cut (32) and the Bethe Hessian.
gram_choices <- c("bethe-hessian", "adjacency", "normalized-cut")
vertex_weight_choices <- c("degree", "unit")

graph_problem <- function(simple, parts, gram, vertex_weights, normalize = TRUE) {
  new_problem(
    new_graph_store(simple, parts, gram, vertex_weights, normalize), simple$names,
    vertex_strength(simple, vertex_weights)
  )
}

# list(labels, inside): labels of all vertices in min(k, number inside) groups, from the
# eigenvectors. Inside are the vertices of components that hold one of the eigenvectors;
# the others get the nearest group by d2 of the Bethe Hessian with degree weights.
embedding_start <- function(simple, parts, spectrum, k, normalize, nstart = 20) {
  embedding <- embedding_rows(spectrum$vectors, normalize)
  rows <- embedding$rows
  if (!normalize) {
    # The paper's: all rows, also those that are 0.
    rows <- seq_len(simple$n)
    embedding$features <- spectrum$vectors
  }
  labels <- rep(1L, simple$n)
  labels[rows] <- embedding_labels(embedding$features, k, nstart)
  inside <- logical(simple$n)
  inside[rows] <- TRUE
  list(labels = place_outside(simple, parts, labels, k, inside), inside = inside)
}

place_outside <- function(simple, parts, labels, k, inside) {
  if (all(inside)) {
    return(labels)
  }
  problem <- graph_problem(simple, parts, "bethe-hessian", "degree")
  problem$w <- ifelse(inside, problem$w, 0)
  if (!any(problem$w > 0)) {
    return(labels)
  }
  some <- inside_rows(problem)
  replace(labels, !inside, extend(problem, k, some, labels[some])[!inside])
}

# The smallest eigenpairs at the r of `parts`, with the warning if the solver fell short.
graph_spectrum <- function(simple, parts, k) {
  progress_step("Eigenvectors of the Bethe Hessian", 300 * (length(parts$off@x) + simple$n * k))
  spectrum <- bethe_spectrum(simple, parts, k)
  if (!spectrum$converged) {
    kg_warn(
      c(
        "The eigenvectors of the Bethe Hessian did not all converge: {length(spectrum$values)} of {k} are used.",
        "i" = "The partition has {k} cluster{?s} all the same; its quality may suffer."
      ),
      "eigen"
    )
  }
  spectrum
}

# One r for all eigenvectors after the first, by up to three Newton steps: for the unit
# eigenvector x of the p-th eigenvalue, x'H_r x = 0 at
#     q_p = (x'Ax - sqrt((x'Ax)^2 - 4 (x'Dx - 1))) / 2,
# and r <- mean q_p, from 1.02 to the square root of the mean degree. The eigenvectors at
# that r tell more about the groups than those at the square root of the mean degree, most
# of all with groups of unequal size. x'Ax follows from the eigenvalue and x'Dx.
refine_spectrum <- function(simple, parts, spectrum, k, steps = 3L) {
  if (simple$weighted || k < 2L || parts$r <= 1.02) {
    return(list(parts = parts, spectrum = spectrum))
  }
  largest <- parts$r
  A <- simple$adjacency
  degree <- diff(A@p)
  for (step in seq_len(steps)) {
    if (ncol(spectrum$vectors) < 2L) break
    stars <- vapply(seq_len(ncol(spectrum$vectors))[-1L], function(l) {
      sum(spectrum$vectors[, l]^2 * degree)
    }, 0)
    edges <- (parts$r^2 - 1 + stars - spectrum$values[-1L]) / parts$r
    q <- (edges - sqrt(pmax(edges^2 - 4 * (stars - 1), 0))) / 2
    r <- min(max(mean(q), 1.02), largest)
    if (abs(r - parts$r) < 1e-3 * r) break
    next_parts <- bethe_parts(simple, r)
    next_spectrum <- bethe_spectrum(simple, next_parts, k, blocks = spectrum$blocks)
    if (!next_spectrum$converged) break
    parts <- next_parts
    spectrum <- next_spectrum
  }
  list(parts = parts, spectrum = spectrum)
}

# All k groups get a vertex: from groups of more than one, those furthest from their mean.
fill_groups <- function(simple, parts, labels, k) {
  if (all(tabulate(labels, k) > 0L)) {
    return(labels)
  }
  problem <- graph_problem(simple, parts, "bethe-hessian", "unit")
  fill_empty(problem, labels, k)
}

# Newman's modularity of labels.
adjacency_modularity <- function(simple, labels) {
  A <- simple$adjacency
  total <- sum(A@x)
  if (total == 0) {
    return(0)
  }
  column <- rep.int(seq_len(simple$n), diff(A@p))
  inside <- sum(A@x[labels[A@i + 1L] == labels[column]])
  share <- rowsum(Matrix::colSums(A), labels) / total
  inside / total - sum(share^2)
}
