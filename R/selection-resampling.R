# Criteria that fit again: split-half stability, the gap statistic over reference sets, and the block models
# of graphs. Each fit is a task with its own random stream.

# ---- split-half stability ----

# Row numbers of one half, and of the other: all others, or both of `most` observations if that is fewer. Graphs and
# sparse Gram matrices are divided as a whole.
draw_half <- function(problem, most) {
  n <- problem$n
  size <- n %/% 2L
  if (size > most && !inherits(problem$store, "kgroups_sparse")) {
    rows <- sample.int(n, 2L * most)
    return(list(sort(rows[seq_len(most)]), sort(rows[-seq_len(most)])))
  }
  rows <- sort(sample.int(n, size))
  list(rows, seq_len(n)[-rows])
}

draw_halves <- function(problem, splits, k = 1L) {
  most <- max(selection_defaults$half, selection_defaults$least * k)
  lapply(seq_len(splits), function(split) draw_half(problem, most))
}

# Cluster both halves, extend each result to the other half by the nearest mean, and compare the two. `views`: the
# problem of all observations for each of all_ks, if that depends on k. Return `agreement` (adjusted Rand index for each
# of ks, NA if a half has fewer than k observations) and `W` (a row per half, a column for each of all_ks).
compare_halves <- function(halves, problem, ks, all_ks, control = new_control(), views = NULL) {
  controls <- lapply(halves, function(rows) restrict_settings(control, rows, problem$n))
  whole <- sum(lengths(halves)) == problem$n
  both <- sort(unlist(halves))
  on_both <- function(problem) {
    if (whole) problem else cache_if_pairs(subset_observations(problem, both), passes = length(all_ks))
  }
  halves <- lapply(halves, match, both)
  parts_of <- function(problem) lapply(halves, function(rows) cache_if_pairs(subset_observations(problem, rows)))
  if (is.null(views)) {
    problem <- on_both(problem)
    parts <- parts_of(problem)
  }
  W <- matrix(NA_real_, 2L, length(all_ks))
  agreement <- rep(NA_real_, length(ks))
  fits <- list(NULL, NULL)
  for (i in which(vapply(all_ks, function(k) least_rows(controls[[1L]], k), 0) <= length(halves[[1L]]))) {
    k <- all_ks[i]
    if (!is.null(views)) {
      problem <- on_both(views[[i]])
      parts <- parts_of(problem)
    }
    fits <- Map(quick_fit, parts, k, controls, fits)
    W[, i] <- vapply(1:2, function(side) true_W(parts[[side]], fits[[side]]), 0)
    at <- match(k, ks)
    if (is.na(at) || k == 1L) next
    labels <- lapply(1:2, function(side) extend(viewed(problem, fits[[side]]), k, halves[[side]], fits[[side]]$cluster))
    agreement[at] <- rand_of_labels(labels[[1L]], labels[[2L]], k)
  }
  list(agreement = agreement, W = W)
}

# The stability for each of ks. Halves are clustered in the metric that `fits` of all observations for all_ks have
# learned, if they have: a half has too few rows to learn one of many clusters.
split_half_stability <- function(halves, problem, ks, all_ks, control, fits = NULL) {
  views <- if (!is.null(fits[[1L]]$view)) lapply(unname(fits), viewed, problem = problem)
  found <- run_tasks(
    halves, compare_halves,
    problem = problem, ks = ks, all_ks = all_ks, control = if (is.null(views)) control else without(control, "metric"),
    views = views, purpose = "Split halves"
  )
  summarise_halves(found, ks, all_ks, length(halves[[1L]][[1L]]))
}

# Return means and standard errors over the splits, and the k that the elbow ratio chooses in each half.
summarise_halves <- function(found, ks, all_ks, half) {
  agreement <- matrix(vapply(found, function(one) one$agreement, numeric(length(ks))), nrow = length(ks))
  out <- undefined(ks)
  out$value <- rowMeans(agreement)
  out$se <- apply(agreement, 1L, stats::sd) / sqrt(length(found))
  out$reason[ks == 1L] <- "one cluster is the same in every sample"
  out$reason[ks > half] <- sprintf("a half has only %d observation%s", half, plural(half))
  possible <- ks[ks > 1L & ks < half]
  if (!all(c(possible - 1L, possible + 1L) %in% all_ks)) {
    return(out)
  }
  W <- do.call(rbind, lapply(found, function(one) one$W))
  out$choices <- apply(W, 1L, function(row) {
    row <- stats::setNames(row, all_ks)
    table <- data.frame(k = possible, elbow = elbow_ratio(row, possible, half, max(row, na.rm = TRUE))$value)
    possible[chosen_row(table, "elbow", half)]
  })
  out
}

# ---- reference sets ----

# Return the model of a reference set: principal axes of the points, with the range ("box") or the
# standard deviation ("gaussian") along each. Dissimilarities and Gram matrices enter by principal
# coordinates. The data are compared by the model's `problem`.
reference_model <- function(problem, shape) {
  embedded <- if (is.null(problem$points)) embed_squared(problem)
  exponent <- if (is.null(embedded)) binary_exponent(problem$points)
  points <- embedded$coordinates %||% times_power_of_two(problem$points, -exponent)
  share <- problem$w / sum(problem$w)
  centre <- colSums(share * points)
  z <- t(t(points) - centre)
  axes <- principal_axes(z, share)
  z <- z %*% axes
  middle <- colSums(share * z)
  kernel <- !is.null(embedded) && has_kernel(problem)
  list(
    shape = shape, low = apply(z, 2L, min), high = apply(z, 2L, max),
    middle = middle, sd = sqrt(pmax(colSums(share * z^2) - middle^2, 0)),
    centre = centre, axes = axes, exponent = exponent, kernel = kernel, embedded = embedded[c("rest", "scale")],
    semimetric = if (kernel && !is_connected(problem$semimetric)) rho_power(1) else problem$semimetric,
    n = problem$n, w = problem$w, w_unit = problem$w_unit, problem = embedded$problem %||% problem
  )
}

# Return weighted principal axes with the largest score positive, so that points and their distances
# give the same reference sets.
principal_axes <- function(z, share) {
  rows <- sqrt(share) * z
  # svd() cannot be interrupted
  axes <- if (as.numeric(length(z)) * min(dim(z)) > 2e7) cross_axes(rows, 1e-14)$vectors else svd(rows, nu = 0)$v
  scores <- z %*% axes
  largest <- scores[cbind(max.col(t(abs(scores)), ties.method = "first"), seq_len(ncol(axes)))]
  t(t(axes) * ifelse(largest < 0, -1, 1))
}

# Return principal coordinates of the squared distances D2, on at most 200 axes; the mean of the other axes
# is added to every pair (`rest`). If D2 is not Euclidean, the least constant is added to it and
# to the dissimilarities of the data.
embed_squared <- function(problem, most = 200L) {
  n <- problem$n
  check_memory(40 * n^2, n, "the principal coordinates", call = NULL)
  squared <- squared_distance_matrix(problem)
  D2 <- squared$D2
  found <- classical_scaling(-D2 / 2, most, 800L)
  smallest <- if (n <= 800L) {
    min(found$values)
  } else {
    eigs_of_matrix(found$B, 1L, "SA", opts = list(retvec = FALSE))$values
  }
  short <- if (smallest < -1e-10 * max(found$values, 0)) -smallest else 0
  values <- found$values + short
  keep <- seq_len(min(most, n - 1L, sum(values > 1e-12 * max(values))))
  rest <- max(found$trace + (n - 1) * short - sum(values[keep]), 0)
  coordinates <- t(t(found$vectors[, keep, drop = FALSE]) * sqrt(values[keep]))
  if (short > 0) {
    D2 <- D2 + 2 * short
    diag(D2) <- 0
    problem <- squared_problem(D2[lower.tri(D2)], problem, has_kernel(problem), squared$scale)
  }
  list(coordinates = coordinates, rest = 2 * rest / (n - 1), scale = squared$scale, problem = problem)
}

# Classical scaling: return list(values, vectors, trace, B) of symmetric B about their centre, with all
# eigenvalues up to `few` rows and the m largest above.
classical_scaling <- function(B, m, few) {
  mean <- rowMeans(B)
  B <- B - outer(mean, mean, "+")
  check_interrupt()
  B <- B + mean(mean)
  found <- if (nrow(B) <= few) eigen(B, symmetric = TRUE) else eigs_of_matrix(B, m, "LA")
  list(values = found$values, vectors = found$vectors, trace = sum(diag(B)), B = B)
}

# Squared distances in units that neither over- nor underflow; `scale` is the unit of d, or of d^2 with a
# Gram matrix.
squared_distance_matrix <- function(problem) {
  if (has_kernel(problem)) {
    problem <- base_problem(problem)
    return(list(D2 = -2 * pair_values(problem), scale = problem$unit))
  }
  exponent <- binary_exponent(problem$distances)
  d <- times_power_of_two(problem$distances, -exponent)
  list(D2 = rho_values(packed_problem(d^2, problem$n, NULL, rho_power(1), rep(1, problem$n))), scale = 2^exponent)
}

# A problem like `like` from squared distances, packed, in the units above.
squared_problem <- function(D2, like, kernel, scale) {
  weights <- like$w * like$w_unit
  if (kernel && is_connected(like$semimetric)) { # the tree is that of the distances
    rho <- rho_values(packed_problem(D2 * scale, like$n, NULL, rho_power(1), weights))
    problem <- new_problem(new_dense_store(rho / -2), NULL, weights)
  } else if (kernel) {
    problem <- packed_problem(D2 * scale, like$n, NULL, rho_power(1), weights)
  } else {
    problem <- packed_problem(sqrt(D2) * scale, like$n, NULL, base_semimetric(like$semimetric), weights)
  }
  cache_if_pairs(connect_again(problem, like$semimetric))
}

# One reference set, drawn here, as a problem.
draw_reference <- function(model) {
  axes <- length(model$low)
  z <- if (model$shape == "box") {
    model$low + matrix(stats::runif(model$n * axes), axes) * (model$high - model$low)
  } else {
    model$middle + matrix(stats::rnorm(model$n * axes), axes) * model$sd
  }
  if (is.null(model$embedded)) {
    points <- times_power_of_two(t(model$axes %*% z + model$centre), model$exponent)
    problem <- points_problem(points, base_semimetric(model$semimetric), model$w * model$w_unit, NULL)
    return(cache_if_pairs(connect_again(problem, model$semimetric)))
  }
  # stats::dist() cannot be interrupted
  D2 <- rho_values(points_problem(t(z), rho_power(2), NULL, NULL))
  squared_problem(D2[lower.tri(D2)] + model$embedded$rest, model, model$kernel, model$embedded$scale)
}

# log W of each k, of the data for task 0, of a new reference set otherwise; NA if W is not above 0.
log_dispersions <- function(task, model, ks, control = new_control()) {
  problem <- if (task == 0L) model$problem else draw_reference(model)
  total <- true_W(problem, quick_fit(problem, 1L))
  W <- vapply(quick_fits(problem, ks, control), function(fit) true_W(problem, fit), 0)
  ifelse(vanishes(W, total), NA_real_, log(pmax(W, 0)))
}

# gap(k) = mean log W* - log W, its standard error sd (1 + 1/B)^(1/2), and sd. `logs` has a row for the
# data, then one for each reference set.
gap_statistic <- function(logs, ks) {
  B <- nrow(logs) - 1L
  reference <- logs[-1L, , drop = FALSE]
  centre <- colMeans(reference)
  sd <- sqrt(colMeans(t(t(reference) - centre)^2))
  out <- undefined(ks)
  out$value <- centre - logs[1L, ]
  out$se <- sd * sqrt(1 + 1 / B)
  out$sd <- sd
  out$reason[is.na(out$value)] <- "W, or that of a reference set, is not above 0"
  out
}

run_gap <- function(problem, ks, shape, B, control = new_control()) {
  most <- max(selection_defaults$reference, selection_defaults$least * max(ks))
  model <- reference_model(sampled_problem(problem, draw_sample(problem, most)), shape)
  logs <- run_tasks(
    as.list(0:B), log_dispersions, model = model, ks = ks, control = control, purpose = "Reference sets"
  )
  gap_statistic(do.call(rbind, logs), ks)
}

# ---- block models of graphs ----

# The default numbers of groups: 1 and those around the first number of cluster_communities().
counted_ks <- function(simple) {
  linked <- linked_graph(simple)
  found <- plain_rule(linked)
  count <- separated_number(found) %||% first_number(linked, bethe_parts(linked), found$best)
  ks <- c(1L, count + -2:3)
  unique(ks[ks >= 1L & ks <= simple$n])
}

# Return the number of communities by separation, NULL if block models describe the graph.
separated_number <- function(found) if (!is.null(found$separated)) found$separated$candidates[[found$separated$at]]$k

# For each of ks the shortest description length of all models, with the model and its labels. If no model describes the
# graph and separation chooses one of ks, the others are undefined. Isolated vertices are put into the largest group.
description_lengths <- function(problem, ks) {
  whole <- problem$store$simple
  simple <- linked_graph(whole)
  out <- undefined(ks)
  found <- plain_rule(simple)
  number <- separated_number(found)
  tasks <- if (!is.null(number) && number %in% ks) {
    out$reason[ks != number] <- "no block model describes the graph"
    chosen <- found$separated$candidates[[found$separated$at]]
    chosen$model <- "separation"
    ifelse(ks == number, list(chosen), list(no_block_model_fits))
  } else {
    run_tasks(as.list(ks), block_model_task, simple = simple, parts = bethe_parts(simple), purpose = "Block models")
  }
  out$value <- vapply(tasks, `[[`, 0, "description_length")
  out$reason[is.na(out$value) & is.na(out$reason)] <- "no model keeps so many groups"
  out$model <- vapply(tasks, `[[`, "", "model")
  out$labels <- lapply(tasks, function(one) {
    if (!is.null(one$labels)) of_all_vertices(one$labels, simple, whole$n, which.max(tabulate(one$labels)))
  })
  out
}

no_block_model_fits <- list(description_length = NA_real_, model = NA_character_, labels = NULL)

block_model_task <- function(k, simple, parts) {
  tried <- belief_candidates(simple, c(belief_starts(simple, parts, k, 20), leiden_start(simple, k)), k)
  whole <- Filter(function(one) one$k == k && one$trusted, tried)
  if (length(whole) == 0L) {
    return(no_block_model_fits)
  }
  best <- whole[[which.min(vapply(whole, `[[`, 0, "description_length"))]]
  best[c("description_length", "model", "labels")]
}
