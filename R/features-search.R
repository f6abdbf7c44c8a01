# Starts, search and descent on landmark features.

# A solution as R/solve.R describes it, with `means` (width x k).
solve_features <- function(z, problem, k, init, nstart, iter.max) {
  tryCatch(
    search_features(z, problem, k, init, nstart, iter.max),
    error = function(e) if (grepl("not finite", conditionMessage(e))) stop_features_range() else stop(e)
  )
}

# A function of the user's is not scaled as the built-in semimetrics are.
stop_features_range <- function() {
  kg_abort(
    c(
      "The features of the landmarks must be finite.",
      "x" = "The pair values are too near the ends of the range of double precision numbers.",
      "i" = "Rescale {.arg x}, for example divide it by {.code max(abs(x))}."
    ),
    "range",
    call = quote(kgroups())
  )
}

search_features <- function(z, problem, k, init, nstart, iter.max) {
  starts <- feature_starts(z, problem, k, init, nstart, iter.max)
  best <- NULL
  objectives <- starts$objectives
  for (at in seq_along(starts$labels)) {
    labels <- fill_clusters(starts$labels[[at]], problem$w, k)
    now <- descend(features_store(z, problem$n, problem$w), k, labels, iter.max = iter.max)
    place <- starts$place[at]
    objectives[place] <- sum(now$cost)
    if (is.null(best) || sum(now$cost) < sum(best$cost)) {
      best <- now
      best$best_start <- place
    }
  }
  best$objectives <- objectives
  best$iterations <- as.integer(best$iterations)
  best
}

warn_features <- function(out, iter.max) {
  if (out$converged) {
    return(invisible())
  }
  kg_warn(
    c(
      "Not converged after {iter.max} iteration{?s} on the landmark features.",
      "x" = "The last sweep still moved {out$last} observation{?s}.",
      "i" = "Raise {.arg iter.max}."
    ),
    "iterations"
  )
}

# Labels to start from; `place` says which of `objectives` (named) they continue.
feature_starts <- function(z, problem, k, init, nstart, iter.max) {
  count <- if (is.null(nstart)) 1 else nstart
  if (is.numeric(init)) {
    more <- replicate(count - 1, random_labels(problem, k, 1)[, 1L], simplify = FALSE)
    return(start_list(c(list(as.integer(init)), more), c("labels", rep("random", count - 1))))
  }
  if (is.character(init)) {
    one <- if (init == "random") {
      function() random_labels(problem, k, 1)[, 1L]
    } else {
      function() feature_plusplus(z, problem, k)
    }
    return(start_list(replicate(count, one(), simplify = FALSE), rep(init, count)))
  }
  searched_starts(z, problem, k, nstart, iter.max)
}

start_list <- function(labels, names) {
  list(
    labels = labels, place = seq_along(labels),
    objectives = stats::setNames(rep(NA_real_, length(labels)), names)
  )
}

# k-means++ on features: each next centre with probability ~ w d2 to the nearest.
feature_plusplus <- function(z, problem, k) {
  n <- problem$n
  uniforms <- stats::runif(k)
  nearest <- rep(1, n)
  labels <- rep(1L, n)
  for (l in seq_len(k)) {
    share <- cumsum(problem$w * nearest)
    centre <- if (share[n] > 0) {
      min(findInterval(uniforms[l] * share[n], share) + 1L, n)
    } else {
      which(problem$w > 0)[l]
    }
    mean <- take_features(z, n, centre, doubles = TRUE)
    d2 <- as.vector(.Call(ffi_features_distances, features_store(z, n), mean))
    closer <- if (l == 1L) rep(TRUE, n) else d2 < nearest
    nearest[closer] <- d2[closer]
    labels[closer] <- l
    labels[centre] <- l
  }
  labels
}

# The search on samples; small data at once.
searched_starts <- function(z, problem, k, nstart, iter.max) {
  inside <- which(problem$w > 0)
  if (length(inside) <= small_n || length(inside) <= 40 * k) {
    part <- feature_problem(z, problem$n, inside, problem$w[inside])
    found <- solve_search(part, k, nstart, "hartigan", iter.max)
    labels <- rep(1L, problem$n)
    labels[inside] <- found$cluster
    return(list(
      labels = list(labels), place = found$best_start,
      objectives = found$objectives * part$w_unit
    ))
  }
  samples <- if (is.null(nstart)) 4 else nstart
  size <- max(1000, 20 * k)
  middle <- if (length(inside) <= max(20000, 50 * k)) {
    inside
  } else {
    sort(inside[sample.int(length(inside), max(20000, 50 * k))])
  }
  z_middle <- take_features(z, problem$n, middle)
  w_middle <- problem$w[middle]
  fits <- lapply(seq_len(samples), function(sample) {
    rows <- sort(inside[sample.int(length(inside), size)])
    part <- feature_problem(z, problem$n, rows, problem$w[rows])
    found <- search_small(part, k, iter.max = iter.max)
    means <- means_by_label(part$points, problem$w[rows], found$cluster, k)
    near <- .Call(ffi_features_assign, features_store(z_middle, length(middle), w_middle), means)$cluster
    near <- fill_clusters(near, w_middle, k)
    descend(features_store(z_middle, length(middle), w_middle), k, near, iter.max = iter.max)
  })
  objectives <- vapply(fits, function(fit) sum(fit$cost), 0) * sum(problem$w) / sum(w_middle)
  best <- which.min(objectives)
  near <- .Call(ffi_features_assign, features_store(z, problem$n, problem$w), fits[[best]]$means)$cluster
  names(objectives) <- rep("sample", samples)
  list(labels = list(near), place = best, objectives = objectives)
}
