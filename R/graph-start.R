# Starting labels of a graph: k-means on eigenvectors of the Bethe Hessian. A start has labels of the vertices, NA of those
# in components without an eigenvector.

# Squared norm below which a row of eigenvectors is 0 up to rounding.
row_floor <- 1e-12

# Return the k-means labels of the rows of eigenvectors, scaled to length 1; NA for rows of 0.
unit_row_labels <- function(vectors, k, nstart) {
  norm <- rowSums(vectors^2)
  rows <- which(norm >= row_floor)
  labels <- rep(NA_integer_, nrow(vectors))
  replace(labels, rows, embedding_labels(vectors[rows, , drop = FALSE] / sqrt(norm[rows]), k, nstart))
}

# Rows above which the starts are compared on a sample of half as many.
embedding_sample <- 40000L

# Return the k-means labels of the features.
embedding_labels <- function(features, k, nstart = 20) {
  n <- nrow(features)
  k <- min(k, n)
  if (k < 2L || ncol(features) == 0L) {
    return(rep(1L, n))
  }
  if (n <= embedding_sample) {
    return(feature_kmeans(features, k, nstart = nstart)$cluster)
  }
  part <- features[sample.int(n, embedding_sample / 2), , drop = FALSE]
  means <- feature_kmeans(part, k, nstart = nstart)$means
  score <- features %*% means - rep(colSums(means^2) / 2, each = n)
  feature_kmeans(features, k, starts = matrix(max.col(score, ties.method = "first"), ncol = 1L), iter.max = 20)$cluster
}

# Return labels of all vertices: those without one get the nearest cluster in the Bethe Hessian's feature space with
# degree weights.
place_outside <- function(simple, parts, labels, k) {
  outside <- is.na(labels)
  if (!any(outside)) {
    return(labels)
  }
  labels[outside] <- 1L
  problem <- graph_problem(simple, parts, "bethe-hessian", "degree")
  problem$w[outside] <- 0
  some <- inside_rows(problem)
  if (length(some) == 0L) labels else replace(labels, outside, extend(problem, k, some, labels[some])[outside])
}

# Return the smallest eigenpairs at the r of `parts`, with a warning if fewer than k converged.
graph_spectrum <- function(simple, parts, k) {
  progress_step("Eigenvectors of the Bethe Hessian", 300 * (length(parts$off@x) + simple$n * k))
  spectrum <- bethe_spectrum(simple, parts, k)
  if (!spectrum$converged) {
    kg_warn(c(
      "The eigenvectors of the Bethe Hessian did not all converge: {length(spectrum$values)} of {k} are used.",
      "i" = "The partition still has {k} cluster{?s}, but may be less accurate."
    ), "eigen")
  }
  spectrum
}

# Return list(parts, spectrum) at one r for the eigenvectors 2 to k, by up to three Newton steps. For the
# p-th unit eigenvector x, x'H_r x = 0 at q_p = (x'Ax - sqrt((x'Ax)^2 - 4 (x'Dx - 1))) / 2, and r becomes
# mean q_p, from 1.02 to the square root of the mean degree. x'Ax follows from the eigenvalue and x'Dx.
refine_spectrum <- function(simple, parts, spectrum, k) {
  if (simple$weighted || k < 2L || parts$r <= 1.02) {
    return(list(parts = parts, spectrum = spectrum))
  }
  largest <- parts$r
  degree <- diff(simple$adjacency@p)
  for (step in 1:3) {
    if (ncol(spectrum$vectors) < 2L) break
    stars <- colSums(spectrum$vectors[, -1L, drop = FALSE]^2 * degree)
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

# Return the parts at the refined r of k groups, with the spectrum for up to k + 1, so that starts of near numbers need
# no other; `parts` where one embedding is used as it is.
with_spectrum <- function(simple, parts, k) {
  if (k < 2L || k >= simple$n || many_groups(simple$n, k + 1L)) {
    return(parts)
  }
  refined <- refine_spectrum(simple, parts, graph_spectrum(simple, parts, k), k)
  more <- bethe_spectrum(simple, refined$parts, k + 1L, blocks = refined$spectrum$blocks)
  if (more$converged) replace(refined$parts, "spectrum", list(more)) else parts
}

# n k^2 above which the k-means of an embedding dominates the time: one embedding, 3 starts.
large_embedding <- 5e7

embedding_starts <- function(n, k) if (many_groups(n, k)) 1 else if (n * k^2 > large_embedding) 3 else 20

# Is the embedding so large that one start at one r takes seconds? It is for 200 groups of a grid of 4900 vertices.
many_groups <- function(n, k) min(n, embedding_sample) * k^2 > 3 * large_embedding

# Return the start of each embedding, the default one first; with `one`, of that alone.
graph_starts <- function(simple, parts, k, normalize, nstart, one = FALSE) {
  if (k == 1L) {
    return(list(only = rep(1L, simple$n)))
  }
  large <- simple$n * k^2 > large_embedding
  nstart <- nstart %||% embedding_starts(simple$n, k)
  start <- function(at) unit_row_labels(at$spectrum$vectors, k, nstart)
  # the paper uses all rows as they are, zeros included
  as_in_paper <- function(at) embedding_labels(at$spectrum$vectors, k, nstart)
  if (one && length(parts$spectrum$values) >= k) {
    return(list(refined = unit_row_labels(parts$spectrum$vectors[, seq_len(k), drop = FALSE], k, nstart)))
  }
  spectrum <- graph_spectrum(simple, parts, k)
  plain <- list(parts = parts, spectrum = spectrum)
  if (!normalize) {
    return(list(paper = as_in_paper(plain)))
  }
  if (many_groups(simple$n, k)) {
    return(list(scaled = start(plain)))
  }
  refined <- refine_spectrum(simple, parts, spectrum, k)
  first <- list(refined = start(refined))
  if (large && refined$parts$r != parts$r) {
    # with many groups in a real network the refined r can be the worse one
    other <- start(plain)
    modularity <- function(labels) adjacency_modularity(simple, place_outside(simple, parts, labels, k))
    if (modularity(other) > modularity(first$refined) + 1e-9) first <- list(scaled = other)
  }
  if (one || large || simple$n > 50000) {
    return(first)
  }
  c(first, list(scaled = start(plain), paper = as_in_paper(plain)), leiden_start(simple, k))
}

# Return labels in which all k groups occur: empty ones take the vertices furthest from their mean, isolated ones last.
fill_groups <- function(simple, parts, labels, k) {
  labels <- place_outside(simple, parts, labels, k)
  linked <- diff(simple$adjacency@p) > 0L
  if (sum(linked) < k) linked[] <- TRUE
  if (all(tabulate(labels[linked], k) > 0L)) {
    return(labels)
  }
  problem <- graph_problem(simple, parts, "bethe-hessian", "unit")
  problem$w <- ifelse(linked, problem$w, 0)
  fill_empty(problem, labels, k)
}
