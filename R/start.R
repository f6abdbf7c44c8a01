# Starting points. All randomness of a fit is drawn here, through R's generator; the C
# routines are deterministic.

start_names <- c("kmeans++", "random", "sample", "spectral")

# `init` as one of the names above, or labels as integers 1..k.
check_init <- function(init, problem, k, call = rlang::caller_env(), names = start_names) {
  if (is.null(init)) {
    return(NULL)
  }
  if (is.character(init) && length(init) == 1L && problem$n != 1L) {
    if (identical(init, "k-means++")) init <- "kmeans++"
    if (init %in% names) {
      return(init)
    }
    kg_abort(
      c(
        "{.arg init} must be one of {.or {.val {names}}}, or labels.",
        "x" = "You supplied {.val {init}}."
      ),
      "init",
      call = call
    )
  }
  if (is.data.frame(init) || is.matrix(init) && ncol(init) > 1L) {
    came <- describe(init)
    kg_abort(
      c(
        "{.arg init} must give one label for each of the {problem$n} observation{?s}.",
        "x" = "You supplied {came}.",
        "i" = "Centres cannot be given, as the means lie in the feature space: give the labels of a partition."
      ),
      "init",
      call = call
    )
  }
  labels <- check_labels(init, problem$n, "init", call = call)
  groups <- length(attr(labels, "levels"))
  filled <- length(unique(labels[problem$w > 0]))
  if (groups != k || filled != k) {
    kg_abort(
      c(
        "The labels in {.arg init} must form {.arg k} = {k} group{?s} of positive weight.",
        "x" = "They form {filled}.",
        "i" = "Ask for {filled} cluster{?s}, or give other labels."
      ),
      "init",
      call = call
    )
  }
  as.integer(labels)
}

# n x nstart matrix of labels. Greedy k-means++ tries several candidates a centre.
start_labels <- function(problem, k, init, nstart, candidates = 1) {
  if (is.numeric(init)) {
    more <- if (nstart > 1) random_labels(problem, k, nstart - 1)
    return(cbind(init, more, deparse.level = 0))
  }
  switch(init,
    "kmeans++" = plusplus_labels(problem, k, nstart, candidates),
    random = random_labels(problem, k, nstart),
    sample = sample_labels(problem, k, nstart),
    spectral = spectral_labels(problem, k, nstart)
  )
}

# The best of three k-means++ fits on some points, extended to all. With m of them the
# extension costs n m pair values, and the moves that are left n times about n/sqrt(m): so m
# grows as n^(2/3).
sample_labels <- function(problem, k, nstart) {
  inside <- which(problem$w > 0)
  size <- min(length(inside), max(500, 20 * k, ceiling(problem$n^(2 / 3))))
  vapply(seq_len(nstart), function(start) {
    part <- sample_partition(problem, k, inside[sample.int(length(inside), size)], swaps = 0)
    extend_labels(part, problem, k)
  }, integer(problem$n))
}

plusplus_labels <- function(problem, k, nstart, candidates = 1) {
  uniforms <- stats::runif(k * candidates * nstart)
  .Call(ffi_plusplus, c_problem(problem), as.numeric(k), as.numeric(candidates), uniforms)
}

greedy_candidates <- function(k) 2 + floor(log(k))

# Every point a cluster at random; k points are dealt first, so none is empty.
random_labels <- function(problem, k, nstart) {
  inside <- which(problem$w > 0)
  vapply(seq_len(nstart), function(start) {
    labels <- sample.int(k, problem$n, replace = TRUE)
    labels[inside[sample.int(length(inside), k)]] <- seq_len(k)
    labels
  }, integer(problem$n))
}

# SPEC of the relaxation, Eq. (29): rows of the top eigenvectors, scaled to unit length,
# then weighted k-means: the best of ten for the first start, one k-means each after it.
spectral_labels <- function(problem, k, nstart) {
  if (k == 1L) {
    return(matrix(1L, problem$n, nstart))
  }
  embedding <- spectral_embedding(problem, k - 1)
  vapply(seq_len(nstart), function(start) {
    fit <- feature_kmeans(embedding, k, problem$w, nstart = if (start == 1L) 10 else 1)
    fill_clusters(fit$cluster, problem$w, k)
  }, integer(problem$n))
}

# Labels in which every cluster has a point of positive weight: the feature k-means
# guarantees it among the points it saw, so this only guards its contract.
fill_clusters <- function(labels, w, k) {
  counts <- tabulate(labels[w > 0], k)
  for (l in which(counts == 0)) {
    from <- which(w > 0 & counts[labels] > 1)[1L]
    counts[labels[from]] <- counts[labels[from]] - 1
    labels[from] <- l
    counts[l] <- 1
  }
  labels
}

# Top m eigenvectors of diag(sqrt w)(I - 1w'/s) B (I - w1'/s) diag(sqrt w), rows of unit
# length; rows with norm^2 < 1e-12 become 0. Matrix-free for points.
spectral_embedding <- function(problem, m) {
  n <- problem$n
  root <- sqrt(problem$w)
  share <- problem$w / sum(problem$w)
  multiply <- if (problem$kind == "dense") {
    B <- problem$store[[2L]]
    function(v) as.vector(B %*% v)
  } else if (problem$kind == "sparse") {
    function(v) as.vector(problem$off %*% v) + problem$diagonal * v
  } else {
    function(v) .Call(ffi_product, c_problem(problem), v)
  }
  product <- function(v, ...) {
    v <- root * v
    v <- multiply(v - share * sum(v))
    root * (v - sum(share * v))
  }
  vectors <- if (n <= 100L || m >= n - 1L) {
    H <- vapply(seq_len(n), function(i) product(as.numeric(seq_len(n) == i)), numeric(n))
    eigen((H + t(H)) / 2, symmetric = TRUE)$vectors[, seq_len(m), drop = FALSE]
  } else {
    found <- eigs_of(
      product,
      k = m, n = n, which = "LA",
      opts = list(tol = 1e-8, ncv = min(n, max(2 * m + 1, 40)), maxitr = 1000)
    )
    matrix(found$vectors, nrow = n)
  }
  norm2 <- rowSums(vectors^2)
  vectors <- vectors / sqrt(ifelse(norm2 < 1e-12, 1, norm2))
  vectors[norm2 < 1e-12, ] <- 0
  vectors
}
