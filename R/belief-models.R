# Six stochastic block models for one belief propagation (src/kg_belief.c), and their description lengths:
# free energy plus the code lengths of parameters and degrees, in nats.

# theta: degree-corrected; sizes: group sizes are learnt; norm: rho_q = N_q / S_q multiplies theta; bins: a
# degree distribution per group. Later models also start from the labels of earlier ones.
belief_models <- list(
  plain = list(theta = FALSE, sizes = FALSE, norm = FALSE, bins = FALSE),
  plain_p = list(theta = FALSE, sizes = TRUE, norm = FALSE, bins = FALSE),
  dc = list(theta = TRUE, sizes = FALSE, norm = FALSE, bins = FALSE),
  dc_p = list(theta = TRUE, sizes = TRUE, norm = FALSE, bins = FALSE),
  dc_norm = list(theta = TRUE, sizes = TRUE, norm = TRUE, bins = FALSE),
  dc_norm_bins = list(theta = TRUE, sizes = TRUE, norm = TRUE, bins = TRUE)
)

belief_choices <- c("auto", names(belief_models))

# Return the least degree of each bin up to that of `largest`: 0 to 5, then the integers d with
# floor(6 + 2 log2(d / 6)) = b, which are 6 to 8, 9 to 11, 12 to 16, ...
degree_bins <- function(largest) {
  more <- 0:(2 * max(ceiling(log2(max(largest, 6) / 6)), 0) + 2)
  lower <- c(0:5, ceiling(6 * 2^(more / 2) - 1e-9))
  lower[lower <= max(largest, 0)]
}

# Return list(bin, share, count, width): the bin of each degree, and for each bin its share and number of
# vertices and how many integers it holds.
bin_degrees <- function(degree) {
  lower <- degree_bins(max(degree))
  above <- degree_bins(4 * max(degree, 6))[seq_along(lower) + 1L]
  bin <- findInterval(degree, lower)
  count <- tabulate(bin, length(lower))
  list(bin = bin, share = count / length(degree), count = count, width = above - lower)
}

# Return the code length of the degrees by a distribution that is constant within bins, its parameters
# included.
degree_code_length <- function(bins) {
  there <- bins$count > 0
  count <- bins$count[there]
  n <- sum(count)
  -sum(count * log(count / (n * bins$width[there]))) + sum(there) / 2 * log(n)
}

# Return theta of every vertex, of mean 1, or NULL if all are 1. With edge weights it is the share in
# them, else the fugacity.
belief_theta <- function(simple, model) {
  strength <- Matrix::colSums(simple$adjacency)
  if (!belief_models[[model]]$theta || sum(strength) == 0) {
    return(NULL)
  }
  if (!simple$weighted) strength <- graph_fugacity(simple)$t
  strength / mean(strength)
}

# Return list(t, variance): the t at which the probabilities 1 - exp(-t_i t_j) give every vertex its degree
# in expectation, and the variance of its degree. Equal degrees are solved once; above 1000 they are rounded
# to three digits.
fugacities <- function(degree) {
  n <- length(degree)
  shown <- ifelse(degree > 1000, signif(degree, 3), degree)
  d <- sort(unique(shown[shown > 0]))
  if (length(d) == 0L) {
    return(list(t = numeric(n), variance = numeric(n)))
  }
  count <- tabulate(match(shown, d), length(d))
  # a vertex joined to all others would need t = Inf
  aim <- pmin(d, n - 1.5)
  t <- aim / sqrt(sum(count * aim))
  moments <- function(t) {
    p <- exp(-outer(t, t))
    total <- function(value) as.vector(value %*% count) - diag(value)
    list(mean = total(1 - p), slope = total(outer(t, t) * p), variance = total(p * (1 - p)))
  }
  for (step in 1:100) {
    now <- moments(t)
    # half of Newton's step in log t, because the others move alike
    move <- (aim - now$mean) / pmax(now$slope, 1e-300) / 2
    t <- t * exp(pmax(-0.5, pmin(0.5, move)))
    if (max(abs(aim - now$mean) / aim) < 1e-6) break
  }
  at <- match(shown, d)
  fill <- function(x) ifelse(is.na(at), 0, x[at])
  list(t = fill(t), variance = fill(moments(t)$variance))
}

# Return the fugacities of a graph, which may hold them.
graph_fugacity <- function(simple) simple$fugacity %||% fugacities(diff(simple$adjacency@p))

# Return the log probability of the degrees in a model that fits them: Poisson numbers of mean d_i, with
# the variance of a sum of Bernoulli variables.
degree_log_chance <- function(degree, variance = fugacities(degree)$variance) {
  there <- degree > 0
  sum(stats::dpois(degree, degree, log = TRUE)) - sum(log(variance[there] / degree[there])) / 2
}

# Run sweeps from labels (NA: no information), or on from a run. Return list(marginals (k x n), rates, sweeps, change,
# energy). Given `rates` are kept.
propagate_beliefs <- function(simple, labels, k, sweeps = 40, model = "plain", rates = NULL, belief = 0.8,
                              tolerance = 1e-6) {
  A <- simple$adjacency
  has <- belief_models[[model]]
  weight <- if (simple$weighted) A@x / mean(A@x)
  theta <- belief_theta(simple, model)
  bins <- if (has$bins) bin_degrees(diff(A@p))
  learn <- is.null(rates)
  marginals <- if (is.list(labels)) labels$marginals else label_marginals(labels, k, belief)
  if (learn) {
    mass <- if (is.null(theta) || has$norm) rep(1, simple$n) else theta
    rates <- if (is.list(labels)) labels$rates else label_rates(simple, labels, k, mass)
  }
  progress_step("Belief propagation", 10 * sweeps * k * length(A@x))
  found <- .Call(
    ffi_belief,
    list(p = A@p, i = A@i, weight = weight),
    marginals,
    list(
      theta = theta, bin = if (has$bins) bins$bin - 1L, share = bins$share, learn_sizes = has$sizes,
      normed = has$norm, rates = as.double(rates)
    ),
    list(sweeps = as.double(sweeps), learn = learn, tolerance = as.double(tolerance))
  )
  if (!is.null(theta)) {
    strength <- Matrix::colSums(A) / if (is.null(weight)) 1 else mean(A@x)
    there <- strength > 0
    found$energy <- found$energy - sum(strength[there] * log(theta[there]))
  }
  found
}

# Return marginals (k x n) in which each label has the probability `belief`, and the other groups equal ones.
label_marginals <- function(labels, k, belief) {
  out <- matrix(1 / k, k, length(labels))
  known <- which(!is.na(labels))
  out[, known] <- (1 - belief) / k
  at <- cbind(labels[known], known)
  out[at] <- out[at] + belief
  out
}

# Return a = 2 n E_in / sum S_q^2 and b = 2 n E_out / ((sum S)^2 - sum S_q^2) of labels, at least .01, or
# the matrix of n E_qs / (S_q S_s). `mass` is the contribution of a vertex to S.
label_rates <- function(simple, labels, k, mass = rep(1, simple$n)) {
  A <- simple$adjacency
  weight <- if (simple$weighted) A@x / mean(A@x) else rep(1, length(A@i))
  from <- labels[A@i + 1L]
  to <- labels[column_index(A)]
  known <- !is.na(from) & !is.na(to)
  here <- !is.na(labels)
  S <- sum_by(mass[here], labels[here], k)
  same <- sum(weight[known & from == to], na.rm = TRUE)
  other <- sum(weight[known]) - same
  squares <- sum(S^2)
  across <- sum(S)^2 - squares
  pmax(0.01, c(
    if (squares > 0) simple$n * same / squares else 0,
    if (across > 1e-9 * sum(S)^2) simple$n * other / across else 0
  ))
}

# Weight of the pooled distribution in the estimate of each group's, as in src/kg_belief.c.
bin_prior <- 20

# Return for the bins with vertices list(p, C, X): the pooled shares, the expected numbers of vertices of each
# group, and X, the log ratio of the group's share to p. `P` are marginals, n x k.
bin_distributions <- function(bins, P) {
  p <- bins$share[bins$count > 0]
  C <- rowsum(P, bins$bin)
  list(p = p, C = C, X = log((C + bin_prior * p) / rep(colSums(P) + bin_prior, each = length(p)) / p))
}

# Return the cost of learnt degree distributions: the log ratio of the probability of the degrees under the
# learnt X to that under a Dirichlet prior of 20 p_b. A cost of (k - 1)(bins - 1) / 2 log n would charge
# bins of one vertex as much as the others.
degree_distribution_cost <- function(bins, P) {
  learnt <- bin_distributions(bins, P)
  C <- learnt$C
  prior <- bin_prior * learnt$p
  average <- sum(lgamma(bin_prior) - lgamma(colSums(P) + bin_prior)) + sum(lgamma(C + prior) - lgamma(prior))
  sum(C * learnt$X) - (average - sum(C * log(learnt$p)))
}

# Return the code length of the parameters of a model: half a logarithm each, and the degree
# distributions. `marginals` is k x n.
parameter_cost <- function(simple, marginals, model) {
  degree <- diff(simple$adjacency@p)
  has <- belief_models[[model]]
  k <- nrow(marginals)
  rates <- if (k == 1L) 1 else 2 + k * has$norm
  sizes <- if (has$sizes) (k - 1) / 2 * log(simple$n) else 0
  distributions <- if (has$bins && k > 1L) degree_distribution_cost(bin_degrees(degree), t(marginals)) else 0
  rates / 2 * log(max(sum(degree) / 2, 1)) + sizes + distributions
}

# Return the description length of a run, comparable between models and numbers of groups; unweighted graphs only.
# Models without degrees would waste probability on isolated vertices: without any, theirs is that of a graph given to
# have none.
description_length <- function(simple, run, model) {
  degree <- diff(simple$adjacency@p)
  degrees <- if (belief_models[[model]]$theta) {
    degree_log_chance(degree, graph_fugacity(simple)$variance) + degree_code_length(bin_degrees(degree))
  } else if (all(degree > 0L)) {
    simple$n * log(-expm1(-mean(degree)))
  } else {
    0
  }
  run$energy + degrees + parameter_cost(simple, run$marginals, model)
}

label_matrix <- function(labels, k) {
  Matrix::sparseMatrix(seq_along(labels), labels, x = 1, dims = c(length(labels), k))
}

# Return the dispersion of the numbers of edges from vertices to groups: Pearson's chi-square over its
# degrees of freedom, 1 in expectation under the model.
belief_dispersion <- function(simple, candidate) {
  n <- simple$n
  labels <- match(candidate$labels, sort(unique(candidate$labels)))
  k <- max(labels)
  has <- belief_models[[candidate$model]]
  freedom <- n * k - 2 - if (has$theta) n else 0
  if (k == 1L || freedom < 1) {
    return(1)
  }
  theta <- belief_theta(simple, candidate$model) %||% rep(1, n)
  if (has$norm) theta <- theta * (tabulate(labels, k) / sum_by(theta, labels, k))[labels]
  seen <- simple$adjacency %*% label_matrix(labels, k)
  vertex <- seen@i + 1L
  column <- column_index(seen)
  inside <- labels[vertex] == column
  S <- sum_by(theta, labels, k)
  rate <- function(at, pairs) if (pairs > 0) sum(seen@x[at]) / pairs else 0
  rates <- c(rate(!inside, sum(S)^2 - sum(S^2)), rate(inside, sum(S^2) - sum(theta^2)))
  mean <- (theta[vertex] * S[column] - inside * theta[vertex]^2) * rates[1L + inside]
  there <- mean > 0
  # means and numbers of edges have the same sum, and pairs without edges add their mean
  sum(seen@x[there]^2 / mean[there] - seen@x[there]) / freedom
}
