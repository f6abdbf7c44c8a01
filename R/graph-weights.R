# Block model of edges and weights: a degree-corrected planted partition of the edges, and normal logarithms of their
# weights: an effect of each end, one mean within communities, one between, and one variance (after Aicher, Jacobs and
# Clauset 2015).

# Return list(A, Y, degree): the edges, and log w less the effects of both ends, in standard deviations. Vertices of
# heavy edges would be communities without these effects, as those of many edges are without degrees.
log_weights <- function(simple) {
  A <- simple$adjacency
  Y <- A
  Y@x <- log(A@x) - mean(log(A@x))
  for (step in 1:20) {
    effect <- Matrix::colSums(Y) / diff(A@p) / 2
    Y@x <- Y@x - effect[Y@i + 1L] - effect[column_index(Y)]
  }
  Y@x <- (Y@x - mean(Y@x)) / max(stats::sd(Y@x), 1e-9)
  A@x[] <- 1
  list(A = A, Y = Y, degree = diff(A@p))
}

# Return for the share Z of every vertex in every community the sums of its edges and weights, the degree of each
# community, and c(within, between) of rate and mean, the variance, and twice the edges. All count edges twice.
weighted_sums <- function(known, Z) {
  edges <- as.matrix(known$A %*% Z)
  weights <- as.matrix(known$Y %*% Z)
  degree <- colSums(Z * known$degree)
  total <- sum(degree)
  both <- function(inside, all) c(inside, all - inside)
  count <- both(sum(Z * edges), total)
  expected <- both(sum(degree^2) / total, total)
  weight <- both(sum(Z * weights), 0)
  mean <- weight / pmax(count, 1e-9)
  list(
    edges = edges, weights = weights, degree = degree, count = count, total = total, expected = expected,
    rate = pmax(count, 1e-6) / pmax(expected, 1e-6), mean = mean, variance = max(1 - sum(weight * mean) / total, 1e-6)
  )
}

# Return the labels after up to 40 steps of a mean-field fit from `labels`; communities may vanish.
fit_weighted <- function(known, labels) {
  Z <- 0.9 * as.matrix(label_matrix(labels, max(labels))) + 0.1 / max(labels)
  for (step in 1:40) {
    sums <- weighted_sums(known, Z)
    rate <- sums$rate
    mean <- sums$mean
    score <- sums$edges * log(rate[1L] / rate[2L]) + rep(log(colMeans(Z) + 1e-9), each = nrow(Z)) -
      outer(known$degree, sums$degree) * (rate[1L] - rate[2L]) / sums$total
    heavier <- sums$weights * (mean[1L] - mean[2L]) - sums$edges * (mean[1L]^2 - mean[2L]^2) / 2
    score <- score + heavier / max(sums$variance, 0.01)
    score <- exp(score - score[cbind(seq_len(nrow(Z)), max.col(score, "first"))])
    new <- (Z + score / rowSums(score)) / 2
    moved <- max(abs(new - Z))
    Z <- new
    if (moved < 1e-3) break
  }
  renumbered(max.col(Z, "first"))
}

# Return c(gain, dispersion): the nats by which the model of the labels describes edges and weights more shortly than
# one community, and the larger dispersion of the numbers of edges between vertices and communities and of the sums of
# their log weights, about 1 if the model fits.
weighted_fit <- function(known, labels) {
  k <- max(labels)
  n <- length(labels)
  if (k == 1L) {
    return(c(0, 1))
  }
  Z <- as.matrix(label_matrix(labels, k))
  sums <- weighted_sums(known, Z)
  parameter <- log(sums$total / 2) / 2
  edges <- sum(ifelse(sums$count > 0, sums$count * log(sums$rate), 0)) / 2 - parameter
  weights <- -sums$total / 4 * log(sums$variance) - parameter
  code <- lfactorial(n) - sum(lfactorial(tabulate(labels))) + lchoose(n - 1, k - 1) + log(n)
  expected <- outer(known$degree, sums$degree) / sums$total * sums$rate[2L - Z]
  some <- sums$edges > 0
  rest <- (sums$weights - sums$edges * sums$mean[2L - Z])[some]^2 / sums$edges[some]
  dispersion <- c(sum((sums$edges - expected)^2 / pmax(expected, 1e-9)) / (n * (k - 1)), mean(rest) / sums$variance)
  c(edges + max(0, weights) - code, max(dispersion))
}

# Return the candidate of largest gain among fits from the labels of partitions, with its dispersion, if it gains
# and fits; else NULL. The starts are those of fewest communities, until the work is spent.
weighted_model <- function(simple, partitions, k = NULL) {
  number <- vapply(partitions, `[[`, 0L, "k")
  of_size <- if (is.null(k)) number > 1L & number <= most_communities * simple$n else number == k
  at <- intersect(order(number), which(of_size))
  partitions <- partitions[at][cumsum(message_values(simple, number[at])) <= most_work]
  known <- log_weights(simple)
  progress_step("Block models of edges and weights", 40 * most_work)
  best <- NULL
  for (labels in unique(lapply(partitions, `[[`, "labels"))) {
    labels <- fit_weighted(known, labels)
    fit <- weighted_fit(known, labels)
    if (fit[1L] <= -(best$description_length %||% 0) || !is.null(k) && max(labels) != k) next
    best <- new_partition(simple, "edges and weights", labels)
    best[c("description_length", "dispersion", "trusted")] <- list(-fit[1L], fit[2L], TRUE)
  }
  if (!is.null(best) && best$k > 1L && best$dispersion <= most_dispersion) best
}
