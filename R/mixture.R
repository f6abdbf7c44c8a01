# Mixtures of t distributions in a learned metric, in three forms that BIC compares. Started from the labels of
# standardize = "within", which are kept unless a mixture is clearly better. bench/mixture.md has what set the
# constants.

mixture_settings <- list(
  shrink = 0.3, # rows per column of the common shape in the scatter of a component
  clear = 10, # what own volumes or scatters must gain in BIC,
  same = 5, # and one scatter from other starts
  skewed = c(common = 2, volumes = 1, own = 1), # components of this skewness must gain
  skewed_gain = 0.5, # so much in BIC a row
  halves = 5, # pairs of halves of the rows, which may agree
  less = 0.05, # so much less about the components than about the labels,
  certain = 0.5, # unless the rows are so much less uncertain
  least_nu = 1.2, # fewer degrees of freedom: ties, no mixture
  most_nu = 200,
  nu = 10, # at the start,
  run_nu = 5, # and in short runs
  soft = 0.1, # share of a row that its label leaves to all components
  runs = 48, # short runs from k-means++ centres
  run_steps = 8,
  run_rows = 2000, # on so many rows,
  kept = 3, # of which the best continue
  steps = 200,
  tolerance = 1e-5, # of the log likelihood, relative to it and to the number of rows, which ends the steps
  rows = 5000, # the EM algorithm takes at most so many rows,
  rate = 1.2e-7, # seconds of all forms per row, component and square of the number of columns
  symmetric = 1.5, # ratio of the distances of the median to the 5 and 95 percent quantiles: BIC tries logarithms
  overlap = 0.05, # skewed components of which so many rows are assigned to another count as one cluster
  compared = list(rows = 2000, runs = 12, run_rows = 1000, kept = 2), # and these if numbers of components are compared,
  # by components as skewed (more in more columns) or as flat as this
  doubtful = c(skewness = 0.8, column = 0.05, kurtosis = -1.5)
)

mixture_forms <- c("common", "volumes", "own")

# Return list(form, P, nu, size, mean, scatter, value, parameters, bic, why), the mixture of least BIC in the
# coordinates y. `form` is "within" if the labels z are kept, for the reason `why`: its components are those of one
# scatter from z, with equal sizes unless others have less BIC. NULL if there is no mixture. lambda: the share of the
# identity in the common scatter.
choose_mixture <- function(y, w, z, lambda) {
  starts <- mixture_starts(y, w, z, lambda, mixture_settings)
  found <- run_starts(starts, y, w, lambda)
  least <- vapply(found, function(tried) min_of(tried)$bic, 0)
  if (all(least == Inf)) {
    return(NULL)
  }
  form <- names(which.min(least))
  if (least[[form]] > least[["common"]] - mixture_settings$clear) form <- "common"
  best <- min_of(found[[form]])
  equal <- lapply(starts$common, function(P) run_mixture(y, w, P, "common", lambda, equal = 1))
  why <- kept_because(best, found$common[[1L]], min_of(equal), y, w)
  if (is.null(why) && !is_as_stable(best, equal[[1L]], y, w, z, lambda)) why <- "unstable"
  if (!is.null(why)) {
    best <- min_of(list(equal[[1L]], found$common[[1L]]))
    form <- "within"
    if (best$bic == Inf) {
      return(NULL)
    }
  }
  best$why <- why
  replace(best, c("form", "bic"), list(form, least))
}

# Probabilities to start each form from: of the labels z, and of the best short runs from the same k-means++ centres.
mixture_starts <- function(y, w, z, lambda, settings) {
  k <- max(z)
  if (k == 1L) {
    return(list(common = list(soft_labels(z, k))))
  }
  rows <- draw_rows(seq_along(w), max(settings$run_rows, 50L * k))
  part <- list(y = y[rows, , drop = FALSE], w = w[rows])
  drawn <- lapply(seq_len(settings$runs), function(run) spread_labels(part$y, part$w, k, 1 + run %% 3))
  drawn <- Filter(function(one) min(tabulate(one[part$w > 0], k)) >= 3, drawn)
  lapply(stats::setNames(nm = mixture_forms), function(form) {
    best <- short_mixtures(part$y, part$w, drawn, k, form, lambda, settings)
    whole <- length(rows) == nrow(y)
    c(list(soft_labels(z, k)), lapply(best, function(m) if (whole) m$P else assign_mixture(m, y)$P))
  })
}

run_starts <- function(starts, y, w, lambda) {
  lapply(stats::setNames(nm = names(starts)), function(form) {
    lapply(starts[[form]], function(P) run_mixture(y, w, P, form, lambda))
  })
}

# The mixture of least BIC in any form, from fewer starts; NULL if all fail.
least_mixture <- function(y, w, z, lambda) {
  found <- run_starts(mixture_starts(y, w, z, lambda, mixture_settings$compared), y, w, lambda)
  best <- min_of(unlist(unname(found), recursive = FALSE))
  if (best$bic < Inf) best
}

min_of <- function(tried) tried[[which.min(vapply(tried, `[[`, 0, "bic"))]]

# Return NULL if a mixture has clearly less BIC than labels, else "ties", "little" or "skewed". One scatter must beat
# the same from these labels, or equal sizes; other forms have beaten it. Skewed components: neither is the family, and
# the gain must be larger.
kept_because <- function(best, from_labels, equal, y, w) {
  if (best$nu <= mixture_settings$least_nu) {
    return("ties")
  }
  if (best$form == "common" && max(from_labels$bic, equal$bic) - best$bic <= mixture_settings$same) {
    return("little")
  }
  against <- min(from_labels$bic, equal$bic) - best$bic
  if (
    against <= mixture_settings$skewed_gain * sum(w) &&
      component_skewness(best, y, w) >= mixture_settings$skewed[[best$form]]
  ) {
    "skewed"
  }
}

# Are the components of a mixture as stable between two halves of the rows as the labels z? `same` is the mixture of
# these labels. Halves are of units of weight, so that a row of weight 2 is two rows.
is_as_stable <- function(best, same, y, w, z, lambda) {
  unsure <- function(m) sum(w * uncertainty_of(m$P))
  if (same$bic < Inf && unsure(best) < mixture_settings$certain * unsure(same)) {
    return(TRUE)
  }
  count <- min(round(sum(w)), mixture_settings$rows)
  rows <- findInterval((seq_len(count) - 0.5) / count * sum(w), cumsum(w), rightmost.closed = TRUE) + 1L
  y <- y[rows, , drop = FALSE]
  z <- z[rows]
  new <- max.col(best$P, "first")[rows]
  gain <- vapply(seq_len(mixture_settings$halves), function(run) {
    half <- seq_len(count) %in% sample.int(count, count %/% 2L)
    half_agreement(y, half, new, best$form, lambda) - half_agreement(y, half, z, "common", lambda, equal = 1)
  }, 0)
  mean(gain) >= -mixture_settings$less
}

# One minus the largest probability.
uncertainty_of <- function(P) if (!is.null(P)) 1 + row_least(-P)

# The adjusted Rand index of the labels of all rows by the mixtures of two halves, from labels; 0 if a half loses one.
half_agreement <- function(y, half, z, form, lambda, ...) {
  k <- max(z)
  labels <- lapply(list(half, !half), function(rows) {
    m <- run_mixture(y[rows, , drop = FALSE], rep(1, sum(rows)), soft_labels(z[rows], k), form, lambda, ...)
    if (m$bic < Inf) max.col(assign_mixture(m, y)$P, "first")
  })
  if (any(lengths(labels) == 0L)) 0 else rand_of_labels(labels[[1L]], labels[[2L]], k)
}

# The mean over rows of the skewness of their components (Mori, Rohatgi and Szekely 1994), n |mean of |e|^2 e|^2 / (2 d
# (d + 2)), 1 for normal rows; e are residuals, whitened, with the bounded weights of the t distribution.
component_skewness <- function(m, y, w) {
  d <- ncol(y)
  of_each <- vapply(seq_len(ncol(m$P)), function(l) {
    p <- w * m$P[, l]
    s <- sum(p)
    e <- t(backsolve(chol(matrix(m$scatter[, l], d)), t(y) - m$mean[, l], transpose = TRUE))
    e <- e * sqrt((m$nu + d) / (m$nu + rowSums(e^2)))
    space <- whitening(scaled_columns(e, p))
    e <- (e - rep(space$center, each = nrow(e))) %*% space$map
    s^2 * sum((colSums(p * rowSums(e^2) * e) / s)^2) / (2 * d * (d + 2))
  }, 0)
  sum(of_each) / sum(w)
}

# Why the components of a mixture are not normal or t: "ties", "skewed", or "flat" (with light tails); "" if they are.
component_doubt <- function(m, y, w) {
  limits <- mixture_settings$doubtful
  if (m$nu <= mixture_settings$least_nu) {
    "ties"
  } else if (!isTRUE(component_skewness(m, y, w) <= limits[["skewness"]] + limits[["column"]] * as.numeric(ncol(y)))) {
    "skewed"
  } else if (component_kurtosis(m, y, w) < limits[["kurtosis"]]) {
    "flat"
  } else {
    ""
  }
}

# The number of components after merging: by average linkage of the larger probability that a row of one is assigned to
# the other (Hennig 2010), down to a limit.
components_apart <- function(P, w) {
  k <- ncol(P)
  if (k == 1L) {
    return(1L)
  }
  taken <- t(sum_by(w * P, max.col(P, "first"), k)) / colSums(w * P)
  far <- 1 - stats::as.dist(pmax(taken, t(taken)))
  sum(stats::hclust(far, "average")$height > 1 - mixture_settings$overlap) + 1L
}

# Mardia's kurtosis of the components, a standard normal variate for normal rows.
component_kurtosis <- function(m, y, w) {
  d <- ncol(y)
  of_each <- vapply(seq_len(ncol(m$P)), function(l) {
    p <- w * m$P[, l]
    space <- whitening(scaled_columns(y, p))
    q <- rowSums(((y - rep(space$center, each = nrow(y))) %*% space$map)^2)
    s <- sum(p)
    sqrt(s * d * (d + 2) / 8) * (sum(p * q^2) / s / (d * (d + 2)) - (s - 1) / (s + 1))
  }, 0)
  sum(of_each) / sqrt(length(of_each))
}

# The EM algorithm from probabilities; bic is Inf if a component is lost or no row has it as the most probable.
run_mixture <- function(y, w, P, form, lambda, ...) {
  check_interrupt()
  k <- ncol(P)
  d <- ncol(y)
  s <- sum(w)
  settings <- utils::modifyList(list(
    form = match(form, mixture_forms) - 1, shrink = mixture_settings$shrink, lambda = lambda, nu = mixture_settings$nu,
    least = max(2, min(d + 1, s / (10 * k))), most_nu = mixture_settings$most_nu,
    tolerance = mixture_settings$tolerance, times = mixture_settings$steps
  ), list(...))
  out <- .Call(ffi_mixture, list(y = y, w = as.numeric(w)), P, settings)
  equal <- isTRUE(settings$equal == 1)
  parameters <- mixture_parameters(form, k, d, out$size) - if (equal) k - 1 else 0
  if (equal) out$size[] <- s / k
  lost <- !is.finite(out$value) || length(unique(max.col(out$P[w > 0, , drop = FALSE], "first"))) < k
  c(out, list(form = form, parameters = parameters, bic = if (lost) Inf else parameters * log(s) - 2 * out$value))
}

# The number of parameters; a shrunk scatter has the share n_l / (n_l + c d) of its own.
mixture_parameters <- function(form, k, d, size) {
  own <- d * (d + 1) / 2
  share <- sum(size / (size + mixture_settings$shrink * d)) * (k - 1) / k
  k * d + k + own + switch(form, common = 0, volumes = k - 1, own = k - 1 + (own - 1) * share)
}

soft_labels <- function(z, k) outer(z, seq_len(k), "==") * (1 - mixture_settings$soft) + mixture_settings$soft / k

# The best mixtures of short runs from labels.
short_mixtures <- function(y, w, drawn, k, form, lambda, settings) {
  found <- lapply(drawn, function(z) {
    run_mixture(
      y, w, soft_labels(z, k), form, lambda,
      nu = mixture_settings$run_nu, fixed = 1, times = mixture_settings$run_steps, tolerance = 0
    )
  })
  value <- vapply(found, `[[`, 0, "value")
  best <- order(-value)
  best <- best[value[best] > -Inf]
  # values so close are of the same optimum
  differ <- c(TRUE, diff(value[best]) < -1)[seq_along(best)]
  found[utils::head(best[differ], settings$kept)]
}

# The nearest of k rows, each drawn with probability proportional to a power of its distance to those before: squares
# find small clusters that lie apart.
spread_labels <- function(y, w, k, power) {
  columns <- t(y)
  near <- rep(Inf, nrow(y))
  label <- rep(1L, nrow(y))
  for (l in seq_len(k)) {
    mass <- cumsum(if (l == 1L) w else w * (near / max(near))^power)
    row <- findInterval(stats::runif(1L) * mass[length(mass)], mass, rightmost.closed = TRUE) + 1L
    apart <- sqrt(colSums((columns - columns[, row])^2))
    label[apart < near] <- l
    near <- pmin(near, apart)
    if (!any(near > 0)) break
  }
  label
}

# Return list(P, value) of rows under a mixture.
assign_mixture <- function(m, y, w = rep(1, nrow(y))) {
  .Call(ffi_mixture_assign, list(y = y, w = as.numeric(w)), m[c("size", "mean", "scatter", "nu")])
}

# ---- the mixture of a fit ----

# Return the mixture of a fit in a learned metric, of at most so many of its rows, spread within few values, with
# `rows`, `count` (that they stand for) and the `unit` of its coordinates; NULL if nothing was learned or all starts
# fail.
mixture_of_fit <- function(fit, problem) {
  at <- learned_coordinates(fit$blueprint)
  inside <- inside_rows(problem)
  w <- problem$w * problem$w_unit
  count <- row_count(w[inside])
  z <- unname(fit$cluster)
  if (length(at) == 0L || as.numeric(length(at)) * fit$k > metric_defaults$few * count || fit$W <= 0) {
    return(NULL)
  }
  rows <- draw_rows(inside, max(mixture_settings$rows, 50 * fit$k))
  y <- unname(spread_points(fit, problem)[rows, at, drop = FALSE])
  w <- w[rows] * (row_count(w[rows]) / sum(w[rows]))
  z <- z[rows]
  means <- group_means(y, z, fit$k, w)
  if (anyNA(means)) {
    return(NULL)
  }
  unit <- sqrt(sum(w * (y - means[z, , drop = FALSE])^2) / (sum(w) * ncol(y)))
  m <- choose_mixture(y / unit, w, z, min(1, metric_defaults$shrink * as.numeric(ncol(y)) * fit$k / count))
  if (is.null(m)) {
    return(NULL)
  }
  # the density of the columns is that of y times the volume of the map
  more <- sum(w) * (log_volume(fit$blueprint, at) - length(at) * log(unit))
  m[c("value", "bic")] <- list(m$value + more, m$bic - 2 * more)
  c(m, list(unit = unit, at = at, rows = length(rows), count = sum(w)))
}

# The points of a fit in its metric, spread within the values of columns of few values.
spread_points <- function(fit, problem) {
  if (is.null(fit$few_values)) {
    return(problem$points)
  }
  plain <- attach_problem(problem, fit$data, replace(fit$blueprint, "map", list(NULL)))
  map_coordinates(spread_problem(plain)$points, fit$blueprint$map)
}

# The logarithm of the volume of the map from columns of numbers to coordinates, of their span if they are dependent.
log_volume <- function(blueprint, at) {
  units <- number_units(blueprint)
  A <- blueprint$map[number_coordinates(blueprint, nrow(blueprint$map)), at, drop = FALSE]
  if (nrow(A) == ncol(A)) {
    return(as.numeric(determinant(A)$modulus) - sum(log(units$unit)))
  }
  sum(log(svd(A / units$unit)$d))
}

# The coordinates of points in a learned metric that belong to numbers, without those beyond the rank.
learned_coordinates <- function(blueprint) {
  if (is.null(blueprint$map)) {
    return(NULL)
  }
  at <- number_coordinates(blueprint, ncol(blueprint$map))
  at[colSums(abs(blueprint$map[at, at, drop = FALSE])) > 0]
}

# Probabilities of points in the metric.
mixture_memberships <- function(m, points) {
  P <- assign_mixture(m, unname(points[, m$at, drop = FALSE]) / m$unit)$P
  dimnames(P) <- list(rownames(points), seq_len(ncol(P)))
  P
}

# Means (k x p) and scatters (p x p x k) in the units of the numeric columns.
mixture_in_units <- function(m, blueprint) {
  numbers <- number_units(blueprint)
  # coordinates of standard deviation 1, in which the map is well conditioned
  sd <- numbers$size * if (blueprint$as_is) numbers$sd else 1
  A <- blueprint$map[number_coordinates(blueprint, nrow(blueprint$map)), m$at, drop = FALSE]
  e <- svd(A * sd)
  back <- e$v %*% (t(e$u) / e$d) * rep(sd, each = length(m$at)) # y - y0 = (x - x0) A; x - x0 = (y - y0) back
  origin <- if (blueprint$as_is) numbers$mean * numbers$size else numeric(length(sd))
  y <- t(m$mean) * m$unit - rep(as.vector(origin %*% A), each = ncol(m$mean))
  back <- back * rep(numbers$unit, each = nrow(back))
  k <- ncol(m$mean)
  scatters <- vapply(seq_len(k), function(l) {
    m$unit^2 * crossprod(back, matrix(m$scatter[, l], nrow(back)) %*% back)
  }, matrix(0, ncol(back), ncol(back)))
  labels <- numbers$label
  list(
    means = matrix(y %*% back + rep(numbers$mean, each = k), k, dimnames = list(seq_len(k), labels)),
    scatters = array(scatters, c(ncol(back), ncol(back), k), list(labels, labels, seq_len(k)))
  )
}

# The numeric columns, each with its label, mean, sd, size (root of its weight) and the unit of its coordinate.
number_units <- function(blueprint) {
  used <- used_columns(blueprint)
  used <- used[vapply(used, `[[`, "", "type") != "categories"]
  get <- function(part, none = 0) vapply(used, `[[`, none, part)
  size <- sqrt(get("weight"))
  list(
    label = get("label", ""), mean = get("mean"), sd = get("sd"), size = size,
    unit = (if (blueprint$as_is) 1 else get("sd")) / size
  )
}

# The mixture with other numbers of its components: `first` are the present numbers in the new order.
permute_mixture <- function(m, first) {
  m$size <- m$size[first]
  for (part in c("P", "mean", "scatter")) if (!is.null(m[[part]])) m[[part]] <- m[[part]][, first, drop = FALSE]
  m
}
