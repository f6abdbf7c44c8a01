# Criteria that fit again: split-half stability, and the block models of graphs. Each fit is a task with its own
# random stream. And the principal coordinates of dissimilarities.

# ---- split-half stability ----

# For each split the row numbers of two halves, of at most so many rows as k clusters need. Rows of one `unit` are in
# the same half. Graphs and sparse Gram matrices are divided as a whole.
draw_halves <- function(problem, splits, k = 1L, unit = seq_len(problem$n)) {
  whole <- inherits(problem$store, "kgroups_sparse")
  most <- if (whole) Inf else max(selection_defaults$half, selection_defaults$least * k)
  inside <- inside_rows(problem)
  unit <- unit[inside]
  units <- unique(unit)
  lapply(seq_len(splits), function(split) {
    first <- unit %in% units[sample.int(length(units), length(units) %/% 2L)]
    list(draw_rows(inside[first], most), draw_rows(inside[!first], most))
  })
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

# The stability for each of ks. Halves are clustered in the metric that `fits` of all observations, named by k, have
# learned, if they have: a half has too few rows to learn one of many clusters.
split_half_stability <- function(halves, problem, ks, fits, control) {
  all_ks <- as.integer(names(fits))
  views <- if (!is.null(fits[[1L]]$view)) lapply(unname(fits), viewed, problem = problem)
  found <- run_tasks(
    halves, compare_halves,
    problem = problem, ks = ks, all_ks = all_ks, control = if (is.null(views)) control else without(control, "metric"),
    views = views, purpose = "Split halves"
  )
  summarise_halves(found, ks, all_ks, length(halves[[1L]][[1L]]))
}

# Return means and standard errors over the splits, and W of each half (rows) and number of clusters.
summarise_halves <- function(found, ks, all_ks, half) {
  agreement <- matrix(vapply(found, function(one) one$agreement, numeric(length(ks))), nrow = length(ks))
  out <- undefined(ks)
  out$value <- rowMeans(agreement)
  out$se <- apply(agreement, 1L, stats::sd) / sqrt(length(found))
  out$reason[ks == 1L] <- "one cluster is the same in every sample"
  out$reason[ks > half] <- sprintf("a half has only %d observation%s", half, plural(half))
  out$W <- do.call(rbind, lapply(found, function(one) one$W))
  colnames(out$W) <- all_ks
  out$half <- half
  out
}

# ---- principal coordinates ----

# Return principal coordinates of the squared distances, on at most 200 axes. If these are not Euclidean, the least
# constant is added to them.
principal_coordinates <- function(problem, most = 200L) {
  n <- problem$n
  check_memory(40 * n^2, n, "the principal coordinates", call = NULL)
  found <- classical_scaling(-squared_distance_matrix(problem) / 2, most, 800L)
  smallest <- if (n <= 800L) {
    min(found$values)
  } else {
    eigs_of_matrix(found$B, 1L, "SA", opts = list(retvec = FALSE))$values
  }
  values <- found$values + if (smallest < -1e-10 * max(found$values, 0)) -smallest else 0
  keep <- seq_len(min(most, n - 1L, sum(values > 1e-12 * max(values))))
  t(t(found$vectors[, keep, drop = FALSE]) * sqrt(values[keep]))
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

# Squared distances in units that neither over- nor underflow.
squared_distance_matrix <- function(problem) {
  if (has_kernel(problem)) {
    return(-2 * pair_values(base_problem(problem)))
  }
  d <- times_power_of_two(problem$distances, -binary_exponent(problem$distances))
  rho_values(packed_problem(d^2, problem$n, NULL, rho_power(1), rep(1, problem$n)))
}

# ---- block models of graphs ----

# The default numbers of groups: 1 and those around the first number of cluster_communities().
counted_ks <- function(simple) {
  linked <- linked_graph(simple)
  found <- judge_partitions(linked)
  count <- if (isTRUE(found$random)) {
    first_number(linked, bethe_parts(linked), found$candidates)
  } else {
    found$candidates[[found$at]]$k
  }
  ks <- c(1L, count + -2:3)
  unique(ks[ks >= 1L & ks <= simple$n])
}

# For each of ks the shortest description length of all models, with the model and its labels. If a partition comes back
# in samples of the vertices and has one of ks, the others are undefined. Isolated vertices are put into the largest
# group.
description_lengths <- function(problem, ks) {
  whole <- problem$store$simple
  simple <- linked_graph(whole)
  out <- undefined(ks)
  found <- judge_partitions(simple)
  chosen <- found$candidates[[found$at]]
  tasks <- if (!isTRUE(found$random) && chosen$k %in% ks) {
    out$reason[ks != chosen$k] <- "no block model is needed"
    one <- list(description_length = -chosen$gain, model = "stability", labels = chosen$labels)
    ifelse(ks == chosen$k, list(one), list(no_block_model_fits))
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
