# Communities of a graph with edge weights. A partition is judged by the description length of the edges and of the
# logarithms of their weights, in nats below that of one community:
#   edges    a degree-corrected block model, a rate for each pair of communities, or one within and one between;
#   weights  a normal distribution of log w, a mean for each pair, or one within and one between; one variance;
#   cost     log(m)/2 a parameter, and the code length of the labels.

# Return the edges as the sums below take them: list(A, Y, degree, m, total), Y with log w about its mean, in sd.
log_weights <- function(simple) {
  A <- simple$adjacency
  y <- log(A@x)
  y <- y - mean(y)
  Y <- A
  Y@x <- y / sqrt(mean(y^2))
  A@x[] <- 1
  list(A = A, Y = Y, degree = diff(A@p), m = length(y) / 2, total = length(y) / 2)
}

# Return sums by vertex and community, list(edges, weights), n x k each. `Z` has the share of each vertex in each.
community_sums <- function(known, Z) {
  list(edges = as.matrix(known$A %*% Z), weights = as.matrix(known$Y %*% Z))
}

# Return the k x k sums of pairs of communities: list(edges, weights, expected), every edge counted twice.
community_pairs <- function(known, Z, sums = community_sums(known, Z)) {
  degree <- as.vector(Matrix::crossprod(Z, known$degree))
  list(
    edges = as.matrix(Matrix::crossprod(Z, sums$edges)), weights = as.matrix(Matrix::crossprod(Z, sums$weights)),
    expected = outer(degree, degree) / (2 * known$m)
  )
}

# Return the pair sums with one value for all pairs within and one for all between.
as_planted <- function(pairs) {
  within <- diag(nrow(pairs$edges)) == 1
  lapply(pairs, function(sum) ifelse(within, sum(sum[within]), sum(sum[!within])))
}

# Return the description length of one community less that of the labels, in nats.
weighted_gain <- function(known, labels, k) {
  if (k == 1L) {
    return(0)
  }
  pairs <- community_pairs(known, label_matrix(labels, k))
  upper <- upper.tri(pairs$edges, TRUE)
  once <- data.frame(lapply(pairs, function(sum) (sum / (1 + diag(nrow(sum))))[upper]))
  within <- (row(upper) == col(upper))[upper]
  gains <- lapply(list(seq_along(within), within), function(cell) cell_gains(known, rowsum(once, cell)))
  sizes <- tabulate(labels, k)
  n <- length(labels)
  code <- lfactorial(n) - sum(lfactorial(sizes)) + lchoose(n - 1, k - 1) + log(n)
  max(gains[[1L]][["edges"]], gains[[2L]][["edges"]]) + max(
    0, gains[[1L]][["weights"]], gains[[2L]][["weights"]]
  ) - code
}

# Return the gains of edges and of weights if each row of `cells` has a rate and a mean of its own.
cell_gains <- function(known, cells) {
  cells <- cells[cells$expected > 0, , drop = FALSE]
  full <- cells[cells$edges > 0, , drop = FALSE]
  parameter <- log(known$m) / 2
  rest <- 1 - sum(full$weights^2 / full$edges) / known$total
  c(
    edges = sum(full$edges * log(full$edges / full$expected)) - (nrow(cells) - 1) * parameter,
    # a variance near 0 would outweigh everything
    weights = -known$m / 2 * log(max(rest, 1e-6)) - (nrow(full) - 1) * parameter
  )
}

# Return the dispersion of the sums of edges and of log weights from each vertex to each community about their
# expectation, the larger of the two: about 1 if the model fits.
weighted_dispersion <- function(known, labels, k) {
  if (k == 1L) {
    return(1)
  }
  Z <- label_matrix(labels, k)
  sums <- community_sums(known, Z)
  pairs <- community_pairs(known, Z, sums)
  expected <- known$degree * (pairs$edges / rowSums(pairs$edges))[labels, , drop = FALSE]
  mean <- ifelse(pairs$edges > 0, pairs$weights / pairs$edges, 0)
  variance <- 1 - sum(pairs$weights * mean) / (2 * known$total)
  some <- expected > 0
  edges <- sum((sums$edges - expected)[some]^2 / expected[some]) / (length(labels) * (k - 1))
  some <- sums$edges > 0
  residual <- (sums$weights - sums$edges * mean[labels, , drop = FALSE])[some]
  weights <- mean(residual^2 / sums$edges[some]) / max(variance, 1e-6)
  max(edges, weights)
}

# Return the labels after up to 40 steps of a mean-field fit of the planted model from `labels` (Aicher, Jacobs and
# Clauset 2015).
fit_weighted <- function(known, labels, k) {
  if (k == 1L) {
    return(labels)
  }
  Z <- as.matrix(label_matrix(labels, k)) * 0.9 + 0.1 / k
  for (step in 1:40) {
    sums <- community_sums(known, Z)
    pairs <- as_planted(community_pairs(known, Z, sums))
    mean <- pairs$weights / pmax(pairs$edges, 1e-9)
    within <- diag(k) == 1
    explained <- sum(pairs$weights[1L] * mean[1L], pairs$weights[2L] * mean[2L])
    variance <- max(1 - explained / (2 * known$total), 0.01)
    rate <- pmax(pairs$edges, 1e-6) / pairs$expected
    degree <- as.vector(crossprod(Z, known$degree))
    score <- sums$edges %*% log(rate) - outer(known$degree, as.vector(rate %*% degree) / (2 * known$m)) +
      (sums$weights %*% mean - sums$edges %*% mean^2 / 2) / variance + rep(log(colMeans(Z) + 1e-9), each = nrow(Z))
    score <- exp(score - score[cbind(seq_len(nrow(Z)), max.col(score, "first"))])
    new <- (Z + score / rowSums(score)) / 2
    moved <- max(abs(new - Z))
    Z <- new
    if (moved < 1e-3) break
  }
  max.col(Z, "first")
}

# Return the candidates of a weighted graph and the choice: list(candidates, at, compared, dispersion). `plain` are
# labels from the edges alone, `leiden` partitions of largest modularity, `count` a first number. If the edges have
# communities, one is no answer.
weighted_candidates <- function(input, plain, leiden, count, nstart) {
  known <- log_weights(input$simple)
  k <- input$k
  candidate <- function(method, requested, labels, k = max(labels)) {
    list(
      model = method, algorithm = method, requested = requested, labels = labels, k = k,
      description_length = -weighted_gain(known, labels, k), trusted = TRUE,
      modularity = adjacency_modularity(input$damped, labels)
    )
  }
  fitted <- function(labels, requested) {
    new <- fit_weighted(known, labels, max(labels))
    new <- if (is.null(k)) match(new, sort(unique(new))) else fill_groups(input$damped, input$parts, new, max(labels))
    candidate("weighted block model", requested, new)
  }
  both <- function(method, requested, labels) {
    list(candidate(method, requested, labels), fitted(labels, if (is.na(requested)) max(labels) else requested))
  }
  at_number <- function(number) {
    found <- embedded_partitions(input, number, nstart)
    c(both("Bethe Hessian", number, found[[1L]]), both("k-groups", number, found[[2L]]))
  }
  free <- is.null(k)
  candidates <- c(
    if (free) list(candidate("one community", 1L, rep(1L, input$simple$n))),
    if (free || max(plain) == k) both("edges without weights", max(plain), plain),
    unlist(lapply(leiden, function(one) both("Leiden", NA_integer_, one$labels)), recursive = FALSE)
  )
  tried <- integer()
  numbers <- weighted_numbers(input, k, c(count, max(plain)), max(1L, vapply(leiden, `[[`, 0L, "k")))
  repeat {
    for (number in numbers) candidates <- c(candidates, at_number(number))
    tried <- c(tried, numbers)
    compared <- vapply(candidates, `[[`, 0, "description_length")
    if (free && max(plain) > 1L) compared[vapply(candidates, `[[`, 0L, "k") == 1L] <- Inf
    at <- which.min(compared)
    near <- candidates[[at]]$k + c(-1L, 1L)
    numbers <- if (free && weighted_small(input, near[2L])) setdiff(near, c(0L, 1L, tried))
    if (length(numbers) == 0L || length(tried) > 20L) break
  }
  best <- candidates[[at]]
  list(
    candidates = candidates, at = at, compared = compared, dispersion = weighted_dispersion(known, best$labels, best$k)
  )
}

# Is the graph so small that several numbers of communities are compared?
weighted_small <- function(input, k) message_values(input$damped, k) <= few_models_work && k < input$simple$n

# Return the numbers of communities that are compared first: about the counts, and up to `modular`, Leiden's number.
weighted_numbers <- function(input, k, counts, modular) {
  if (!is.null(k)) {
    return(as.integer(k))
  }
  numbers <- counts
  if (weighted_small(input, 6L)) numbers <- c(2:6, counts, counts[1L] + 1L, modular)
  numbers <- unique(as.integer(numbers))
  numbers[numbers > 1L & numbers <= input$simple$n]
}
