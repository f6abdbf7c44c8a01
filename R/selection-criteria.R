# The criteria of select_k(), and the rule of the choice. A criterion is a list of `value` (one per k, NA if undefined),
# `reason` (why it is NA, or NA), and further columns of the table.

# One row a criterion: its name in prints, its best value, and its value for what choose_k() has computed.
new_criterion <- function(name, best, value) list(name = name, best = best, value = value)

k_criteria <- list(
  elbow = new_criterion("elbow ratio of W", "largest", function(at) elbow_ratio(at$all_W, at$ks, at$n, at$total)),
  pseudo_f = new_criterion("pseudo-F (DISCO)", "largest", function(at) {
    pseudo_f(at$W, at$total, at$ks, true_units(at$problem, sum(at$problem$w), "weight"))
  }),
  silhouette = new_criterion("silhouette in the semimetric", "largest", function(at) {
    silhouettes(at$problem, at$fits, at$ks)
  }),
  stability = new_criterion("split-half stability", "largest", function(at) {
    split_half_stability(at$halves, at$problem, at$ks, at$all_fits, at$control)
  }),
  bic = new_criterion("BIC of t mixtures", "smallest", function(at) mixture_bics(at$problem, at$fits, at$ks)),
  description_length = new_criterion("description length of block models", "smallest", function(at) {
    description_lengths(at$problem, at$ks)
  })
)

# Names of the criteria, and of the columns of BIC that may choose in its place.
criterion_names <- c(
  vapply(k_criteria, `[[`, "", "name"),
  icl = "integrated completed likelihood of t mixtures", apart = "merging of the components of t mixtures"
)

# Is the best value of a criterion its smallest or its largest?
extreme_text <- function(criterion) if (criterion == "icl") "smallest" else k_criteria[[criterion]]$best

# Return (W[k-1] - W[k]) / (W[k] - W[k+1]), Inf if the denominator vanishes, undefined if W rises. `W` is named by k
# and holds the neighbours of ks.
elbow_ratio <- function(W, ks, n, total) {
  out <- undefined(ks)
  at <- function(k) unname(W[as.character(k)])
  for (i in seq_along(ks)) {
    k <- ks[i]
    none <- setdiff(c(k - 1L, k + 1L), names(W))
    if (k == n) none <- n + 1L
    if (length(none)) {
      out$reason[i] <- sprintf("there is no W for %s clusters", none[1L])
      next
    }
    before <- at(k - 1L) - at(k)
    after <- at(k) - at(k + 1L)
    if (vanishes(before, total)) {
      out$reason[i] <- "W does not decrease any more"
    } else if (!vanishes(-after, total)) {
      out$reason[i] <- "W of one more cluster is higher"
    } else {
      out$value[i] <- if (vanishes(after, total)) Inf else before / after
    }
  }
  out
}

# F = [S / (k - 1)] / [W / (s - k)], s the total weight (DISCO, Rizzo and Székely 2010).
pseudo_f <- function(W, total, ks, s) {
  out <- undefined(ks)
  out$reason[s <= ks] <- "the total weight is not above k"
  out$reason[vanishes(W, total)] <- "W is not above 0"
  out$reason[ks == 1L] <- "one cluster has no between dispersion"
  good <- is.na(out$reason)
  out$value[good] <- (total - W[good]) / (ks[good] - 1) / (W[good] / (s - ks[good]))
  out
}

silhouettes <- function(problem, fits, ks) {
  out <- undefined(ks)
  out$reason[ks == 1L] <- "there is no other cluster"
  out$reason[ks == problem$n] <- "every observation is a cluster of its own"
  for (i in which(ks > 1L & ks < problem$n)) {
    out$value[i] <- mean_silhouette(problem, fits[[i]]$cluster, ks[i])
  }
  out
}

# The least BIC of mixtures started from the clusters of each k, in the units of the points; `icl` adds twice the
# entropy of the probabilities, `doubt` is why the components are not normal or t, `apart` how many do not overlap.
mixture_bics <- function(problem, fits, ks) {
  out <- undefined(ks)
  part <- mixture_rows(problem)
  if (is.character(part)) {
    return(replace(out, "reason", list(rep(part, length(ks)))))
  }
  labels <- lapply(unname(fits), function(fit) fit$cluster[part$rows])
  tasks <- Map(function(z, k) list(z = match(z, unique(z)), k = k), labels, ks)
  found <- run_tasks(tasks, mixture_bic, part = part, purpose = "Mixtures")
  why <- vapply(found, is.character, NA)
  get <- function(one, none) replace(rep(none, length(ks)), !why, unlist(lapply(found[!why], `[[`, one)))
  out$reason[why] <- unlist(found[why])
  out$value <- get("bic", NA_real_)
  c(out, list(icl = get("icl", NA_real_), doubt = get("doubt", NA_character_), apart = get("apart", NA_integer_)))
}

# Return list(rows, w, scales) of a sample of the rows, or why there are no mixtures. `scales` are the columns as they
# are and, if some are skewed, on a logarithmic scale: list(points, volume, parameters), in coordinates of covariance
# matrix 1, with the logarithm of the volume of their map. Columns of few values or of counts are spread: a density has
# no bound on a lattice.
mixture_rows <- function(problem) {
  if (is.null(problem$points) || has_categories(problem)) {
    return("a mixture needs columns of numbers")
  }
  if (!is.null(problem$blueprint)) problem <- spread_problem(problem, lattice = TRUE) %||% problem
  rows <- draw_rows(seq_len(problem$n), mixture_settings$compared$rows)
  w <- problem$w[rows] * problem$w_unit
  points <- unname(problem$points[rows, , drop = FALSE])
  exponent <- binary_exponent(points)
  points <- times_power_of_two(points, -exponent)
  w <- w * (row_count(w) / sum(w))
  list(rows = rows, w = w, scales = lapply(c(list(list(points = points)), log_scale(points, w)), function(scale) {
    space <- whitening(without_rounding(scaled_columns(scale$points, w)))
    list(
      points = (scale$points - rep(space$center, each = nrow(points))) %*% space$map,
      volume = map_volume(space) - space$rank * exponent * log(2) + sum(scale$volume),
      parameters = length(scale$volume)
    )
  }))
}

# Return list(list(points, volume)), the columns with skewed ones as x -> log(1 + (x - median) / a), and the mean
# logarithm of the derivative of each; list() if none is skewed. Quantiles at 5 and 95 percent become symmetric, as
# those of a shifted log-normal variable; the lowest row stays in its range.
log_scale <- function(points, w) {
  volume <- numeric()
  for (j in seq_len(ncol(points))) {
    x <- points[, j]
    q <- vapply(c(0.05, 0.5, 0.95), function(p) weighted_quantile(x, p, w), 0)
    ratio <- (q[3L] - q[2L]) / (q[2L] - q[1L])
    side <- if (isTRUE(ratio < 1)) -1 else 1
    ratio <- max(ratio, 1 / ratio)
    if (!isTRUE(ratio > mixture_settings$symmetric && ratio < Inf)) next
    x <- side * (x - q[2L])
    a <- max((if (side > 0) q[3L] - q[2L] else q[2L] - q[1L]) / (ratio - 1), -1.05 * min(x))
    points[, j] <- log1p(x / a)
    volume <- c(volume, -sum(w * log(a + x)) / sum(w))
  }
  if (length(volume)) list(list(points = points, volume = volume)) else list()
}

map_volume <- function(space) sum(log(svd(space$map)$d))

# Return list(bic, icl, doubt, apart) of the mixture of least BIC on any scale, started from labels, or why there is
# none.
mixture_bic <- function(task, part) {
  found <- lapply(part$scales, scale_bic, task, part$w)
  why <- vapply(found, is.character, NA)
  if (why[1L]) found[[1L]] else min_of(found[!why])
}

# The same on one scale. A direction without variance within the clusters has no density there, and BIC no bound.
scale_bic <- function(part, task, w) {
  n <- sum(w)
  k <- task$k
  z <- task$z
  d <- ncol(part$points)
  if (d < 1L || d * k > metric_defaults$few * n || max(z) < k) {
    return("too few rows for a mixture")
  }
  e <- part$points - group_means(part$points, z, k, w)[z, , drop = FALSE]
  space <- whitening(scaled_columns(e, w))
  if (space$rank < d || min(symmetric_eigen(crossprod(sqrt(w / n) * e))$values) < singular^2) {
    return("a column, or a sum of columns, is constant within the clusters")
  }
  y <- part$points %*% space$map
  if (!isTRUE(max(abs(y)) < 1e100)) {
    return("values lie too far apart for a mixture")
  }
  m <- least_mixture(y, w, z, min(1, metric_defaults$shrink * d * k / n))
  if (is.null(m)) {
    return("no mixture was found")
  }
  entropy <- -sum(w * ifelse(m$P > 0, m$P * log(m$P), 0))
  # the density of the points is that of y times the volumes of the maps
  bic <- m$bic + part$parameters * log(n) - 2 * n * (map_volume(space) + part$volume)
  list(bic = bic, icl = bic + 2 * entropy, doubt = component_doubt(m, y, w), apart = components_apart(m$P, w))
}

# Mean silhouette of a partition, from the sums over the pairs.
mean_silhouette <- function(problem, cluster, k) {
  w <- problem$w
  self <- self_values(problem)
  R <- group_sums(problem, cluster, k)
  s <- sum_by(w, cluster, k)
  T <- sum_by(w * self, cluster, k)
  mean <- outer(self, T / s, "+") - 2 * t(t(R) / s)
  silhouette_mean(partition_silhouette(cluster, new_geometry(mean, w, s, cluster))$width, w)
}

# ---- the rule ----

# Return the row that a criterion chooses, among the k that leave three observations a cluster unless
# none does; NA if it is undefined everywhere.
chosen_row <- function(table, criterion, n) {
  value <- table[[criterion]]
  value[!may_choose(table, criterion, n)] <- NA
  if (all(is.na(value))) {
    return(NA_integer_)
  }
  if (extreme_text(criterion) == "smallest") which.min(value) else which.max(value)
}

# The k that the elbow ratio chooses in each half sample.
half_choices <- function(stability, ks) {
  possible <- ks[ks > 1L & ks < stability$half]
  apply(stability$W, 1L, function(W) {
    table <- data.frame(k = possible, elbow = elbow_ratio(W, possible, stability$half, max(W, na.rm = TRUE))$value)
    possible[chosen_row(table, "elbow", stability$half)]
  })
}

# Which rows of the table a criterion chooses among.
may_choose <- function(table, criterion, n) {
  good <- !is.na(table[[criterion]])
  few <- good & 3 * table$k <= n
  if (any(few)) few else good
}

# Return list(row, by, doubt), the choice: by the first criterion; but by BIC with the elbow ratio beside it only if the
# components that BIC chooses are normal or t, because several of them describe one skewed cluster. `doubt` is why BIC
# did not choose: "undefined", or that of the mixture.
decide_k <- function(table, criterion, n, p) {
  first <- criterion[1L]
  row <- chosen_row(table, first, n)
  choice <- function(row, by = first, doubt = NULL) list(row = row, by = by, doubt = doubt)
  if (first != "bic" || !"elbow" %in% criterion || nrow(table) == 1L || all(is.na(table$elbow))) {
    return(choice(row))
  }
  defined <- which(!is.na(table$bic))
  if (is.na(row) || row == max(defined) && row < nrow(table)) {
    return(choice(chosen_row(table, "elbow", n), "elbow", "undefined"))
  }
  doubt <- table$doubt[row]
  if (may_be_one(table, row, n, p)) {
    return(if (table$k[row] == 1L) choice(row) else choice(match(1L, table$k), "icl", doubt))
  }
  switch(doubt,
    ties = choice(chosen_row(table, "elbow", n), "elbow", doubt),
    skewed = choice(max(which(table$k <= max(table$k[1L], table$apart[row]))), "apart", doubt),
    choice(row)
  )
}

# Are components of a mixture one cluster? They overlap, and are not normal or gain little.
may_be_one <- function(table, row, n, p) {
  one <- match(1L, table$k)
  overlap <- isTRUE(table$icl[one] - min(table$icl[may_choose(table, "icl", n)]) <= mixture_settings$clear)
  little <- isTRUE(table$bic[one] - table$bic[row] <= mixture_settings$clear)
  overlap && !isTRUE(p <= 0.05) && (little || table$doubt[row] %in% c("skewed", "flat"))
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
