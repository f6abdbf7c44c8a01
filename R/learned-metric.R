# A metric learned with the partition: kgroups(standardize = "within"). W is minimised over partitions P and scatters M,
#   W(P, M) = sum_l 1/(2 s_l) sum_{x, y in C_l} w_x w_y rho(|x - y|_M),  |v|_M^2 = v' M^-1 v,
# det M fixed to that of the total covariance. Both steps lower W: local search in the metric, and M from the pairs
# within clusters. All is done in coordinates z whose total covariance is the identity, so that nothing depends on
# units.

metric_defaults <- list(
  rows = 2000L, # the metric is learned from so many rows,
  refined = 20000L, # and up to so many refined on all,
  runs = 24L, # from short runs with means,
  run_rows = 500L, # on so many rows,
  passes = 20L, # of so many passes at most,
  kept = 2L, # of which the best continue with W; both times the effort, if that is above 1
  more = 4L, # more sets of short runs, at most, until two starts attain the least W
  rounds = 8L, # rounds of local search and scatter
  settled = 100L, # steps of the last scatter, until its entries change by less than 1e-10
  tolerance = 1e-4, # relative fall of W that ends them
  same = 1e-4, # two starts attain the same W up to this relative difference
  pairs = 300L, # rows of a cluster whose pairs give the scatter
  shrink = 0.5, # share of the total covariance in the scatter, times d k / n
  crowded = 0.1, # from this d k / n on one more start has columns of standard deviation 1
  few = 1 / 3, # from this d k / n on columns are standardised and nothing is learned
  counted = 500L, # rows and columns up to which dependent columns are found before rows are counted
  effort = 0.1, # of the search in the metric of close pairs, times that of the fit
  close = list(share = 0.05, rows = 300L, rounds = 8L) # the closest pairs (Art, Gnanadesikan and Kettenring 1982)
)

# A solution as in R/solve.R, whose `problem` is that of the points in the metric.
#' @export
solve_problem.kgroups_metric_control <- function(problem, control, call = rlang::caller_env()) {
  why <- no_metric(problem)
  if (!is.null(why)) {
    abort_input(
      "standardize", call,
      "`standardize = \"within\"` learns a metric for columns of numbers and the Euclidean distance.",
      "{why}",
      "Leave `standardize` out, or use `rho_power()`, `rho_exponential()` or `rho_gaussian()` on a table."
    )
  }
  if (is.null(problem$blueprint$normal)) {
    problem$blueprint <- learn_normal(problem$blueprint, problem$points, problem$w * problem$w_unit)
  }
  inner <- without(control, "metric")
  space <- metric_space(problem, control$k, call)
  spread <- if (!space$few && space$rank > 1L) spread_problem(problem)
  if (!is.null(spread)) {
    of_spread <- metric_space(spread, control$k, call)
    if (of_spread$few) space$few <- TRUE else space <- of_spread
  }
  if (space$few) {
    return(unlearned_solution(problem, space, inner, call))
  }
  if (space$rank < 2L) {
    return(metric_solution(problem, space, NULL, inner, call))
  }
  if (is.null(spread)) {
    return(learned_solution(problem, space, inner, call))
  }
  rows <- rows_to_spread(problem, inner)
  found <- if (is.null(rows)) {
    learned_solution(spread, space, inner, call)
  } else {
    learned_solution(subset_problem(spread, rows), space, without(inner, "approx"), call)
  }
  out <- on_values(found, rows, problem, inner, call)
  out$extra$few_values <- spread$few
  out
}

# A metric from some of the rows, and the solution of all in it.
learned_solution <- function(problem, space, control, call) {
  inside <- inside_rows(problem)
  many <- max(metric_defaults$rows, 50L * control$k)
  rows <- if (length(inside) > many) draw_rows(inside, many)
  part <- if (is.null(rows)) problem else subset_problem(problem, rows)
  learning <- restrict_settings(without(control, "approx"), rows, problem$n)
  if (is.numeric(control$init) && !is.null(rows)) learning$init <- fill_clusters(control$init[rows], part$w, control$k)
  metric_solution(problem, space, learn_metric(new_learner(part, space, learning, call)), control, call)
}

# Labels of spread rows are only the start for the values. Of a large table a sample gives them, as in a search, unless
# constraints or labels are given for all rows. NULL: all rows.
rows_to_spread <- function(problem, control) {
  size <- max(search_defaults$part, 50L * control$k)
  inside <- inside_rows(problem)
  large <- length(inside) > max(search_defaults$whole, 2L * size)
  if (large && is.null(control$init) && has_no_variant(without(control, "approx"))) draw_rows(inside, size)
}

# From the solution of spread rows to that of the values: a local search in its metric, from its labels.
on_values <- function(spread, rows, problem, control, call) {
  problem <- spread$view(problem)
  labels <- if (is.null(rows)) spread$cluster else extend_level(problem, control$k, rows, spread$cluster)
  out <- solve_problem(problem, from_labels(control, labels, problem), call)
  out$extra[c("scatter", "rounded")] <- spread$extra[c("scatter", "rounded")]
  out$problem <- out$problem %||% problem
  out$objectives <- spread$objectives * sum(out$cost) / sum(spread$cost)
  out[c("best_start", "view")] <- spread[c("best_start", "view")]
  if (!is.null(spread$search)) {
    out$search <- replace(spread$search, c("levels", "evaluations"), list(
      unique(c(spread$search$levels, problem$n)),
      sum(spread$search$evaluations, out$search$evaluations %||% out$evaluations)
    ))
  }
  out
}

# With more, columns are standardised in place of a learned metric.
#' @export
most_clusters.kgroups_metric_control <- function(control, problem) {
  space <- total_space(problem, Inf)
  floor(metric_defaults$few * space$count / max(space$rank, 1L))
}

# ---- the space in which the metric is learned ----

# Return list(numbers, center, map, back, rank, few, lambda, rest, semimetric): z = (x - center) map has the identity as
# total covariance, (x - center) = z back; its axes are those of the scatter of close pairs, so that z is the same, up
# to signs, after every linear map of the columns.
metric_space <- function(problem, k, call) {
  x <- problem$points
  w <- problem$w
  space <- total_space(problem, k)
  inside <- inside_rows(problem)
  crowding <- space$rank * k / space$count
  space$few <- crowding > metric_defaults$few
  space$crowded <- crowding > metric_defaults$crowded
  space$lambda <- min(1, metric_defaults$shrink * crowding)
  if (space$rank > 1L && !space$few) {
    close <- symmetric_eigen(close_pairs(whitened(problem, space, inside), w[inside]))
    space$map <- space$map %*% close$vectors
    space$back <- crossprod(close$vectors, space$back)
    space$close <- close$values
  }
  space$semimetric <- problem$semimetric
  if (!is.null(problem$semimetric$chosen)) {
    free <- replace(problem$semimetric, c("parameter", "chosen"), list(NULL))
    free <- structure(free, class = class(problem$semimetric))
    total <- x %*% learned_map(problem, space)
    space$semimetric <- points_problem(total, free, w * problem$w_unit, call)$semimetric
  }
  space
}

# Return the whitening of a problem's numbers, with their places, the rows and the rank. Without axes if k clusters are
# too many for the shape of a table with so many rows and columns that axes take long: its columns count as independent.
total_space <- function(problem, k) {
  inside <- inside_rows(problem)
  numbers <- number_coordinates(problem$blueprint, ncol(problem$points))
  scaled <- scaled_columns(problem$points[, numbers, drop = FALSE], problem$w)
  count <- row_count(problem$w[inside] * problem$w_unit)
  most <- min(sum(scaled$sd > 0), count - 1)
  few <- most > metric_defaults$few * count / k && min(dim(scaled$z)) > metric_defaults$counted
  if (!few) scaled <- without_rounding(scaled)
  space <- if (few) c(scaled[c("center", "sd")], rank = most) else whitening(scaled)
  c(space, list(n = problem$n, numbers = numbers, count = count, rounded = scaled$rounded))
}

whitened <- function(problem, space, rows = NULL) {
  x <- problem$points[, space$numbers, drop = FALSE]
  if (!is.null(rows)) x <- x[rows, , drop = FALSE]
  times_rows(x - rep(space$center, each = nrow(x)), space$map)
}

# The scatter of the closest pairs in its own metric, of a sample of the rows.
close_pairs <- function(z, w) {
  close <- metric_defaults$close
  rows <- draw_rows(seq_len(nrow(z)), close$rows)
  z <- z[rows, , drop = FALSE]
  points <- scatter_points(z, z[, 0L, drop = FALSE], w[rows], rho_power(2), seq_along(rows), length(rows))
  all <- rep(1L, length(rows))
  .Call(ffi_scatter_steps, points, all, 1, diag(ncol(z)), scatter_settings(0, close$rounds, close$share))
}

# ---- scatters ----

# Steps of the majorise-minimise iteration for M given the labels: with the weights u of the present metric,
# M <- sum_l 1/s_l sum w_x w_y u (x - y)(x - y)'. Rho is concave in the squared distance, so W does not rise.
scatter_steps <- function(learner, labels, M, steps = 2L, w = learner$problem$w) {
  space <- learner$space
  points <- scatter_points(learner$z, learner$rest, w, space$semimetric, learner$order, metric_defaults$pairs)
  settings <- scatter_settings(space$lambda, steps)
  .Call(ffi_scatter_steps, points, as.integer(labels), as.numeric(learner$control$k), M, settings)
}

# Of each cluster the first `most` rows count, in an order that stays.
scatter_points <- function(x, rest, w, rho, order, most) {
  rho <- semimetric_code(rho$family, rho$parameter)
  list(x = x, rest = rest, w = as.numeric(w), rho = rho, order = order, most = as.numeric(most))
}

# `share`: of the closest pairs alone, without the slope of the semimetric.
scatter_settings <- function(lambda, steps, share = 0) {
  list(lambda = lambda, least = scatter_least, steps = as.numeric(steps), share = share)
}

# ---- learning ----

# List for the steps: a problem, the space, the control, the whitened numbers and other coordinates of all rows, and a
# random order of them.
new_learner <- function(problem, space, control, call) {
  list(
    problem = problem, space = space, control = control, call = call, z = whitened(problem, space),
    rest = problem$points[, -space$numbers, drop = FALSE],
    order = if (problem$n > metric_defaults$pairs) sample.int(problem$n) else seq_len(problem$n)
  )
}

# Return the solution of least objective as solve_in_metric() has it, of local searches by turns over labels and M.
learn_metric <- function(learner) {
  control <- learner$control
  k <- control$k
  total <- diag(learner$space$rank)
  if (k == 1L) {
    return(list(M = scatter_steps(learner, rep(1L, learner$problem$n), total, 20L), value = Inf))
  }
  best <- list(value = Inf)
  tried <- list() # labels from which a start went, or at which it ended, with its value
  start <- function(M, labels = NULL, kind = "search", times = 1L) {
    first <- if (!is.null(labels)) match(labels, unique(labels))
    before <- Find(function(one) identical(one$labels, first), tried)
    if (kind == "close") learner$control$effort <- metric_defaults$effort * control$effort
    found <- if (is.null(before)) alternate(learner, M, labels) else list(value = before$value)
    if (is.null(before) && !is.null(found$labels)) {
      last <- match(found$labels, unique(found$labels))
      tried <<- c(tried, lapply(list(first, last), function(one) list(labels = one, value = found$value)))
    }
    best <<- better(best, found, rep(kind, times))
    is.null(before)
  }
  if (is.numeric(control$init)) {
    start(scatter_steps(learner, control$init, total, 3L), control$init, "labels")
  } else if (is.character(control$init) || !is.null(control$nstart)) {
    start(unit_scatter(diag(learner$space$close), 0))
    start(total)
  } else if (inherits(control, "kgroups_trimmed_control")) {
    start(learn_metric(replace(learner, "control", list(without(control))))$M)
  } else {
    short <- function() any(vapply(short_runs(learner), function(run) start(run$M, run$labels, "means", run$times), NA))
    short()
    start(unit_scatter(diag(learner$space$close), 0), kind = "close")
    if (learner$space$crowded) {
      # the labels of a search on columns of standard deviation 1: means started elsewhere miss round clusters
      scaled <- metric_problem(learner$problem, replace(learner$space, "few", TRUE), NULL, learner$call)
      labels <- solve_problem(scaled, control, learner$call)$cluster
      start(scatter_steps(learner, labels, total, 3L), labels, "scaled")
    }
    # until two starts attain the least W, or a set starts from no new labels
    for (set in seq_len(metric_defaults$more)) if (count_least(best$values) > 1L || !short()) break
  }
  best
}

# The number of starts that attain the least W.
count_least <- function(values) sum(values <= min(values) + metric_defaults$same * abs(min(values)))

# Scatters and labels of the best short runs with means in a learned metric, from k-means++ in several metrics, and how
# many of the runs end there.
short_runs <- function(learner) {
  space <- learner$space
  k <- learner$control$k
  inside <- draw_rows(inside_rows(learner$problem), max(metric_defaults$run_rows, 20L * k))
  d <- space$rank
  more <- max(1, learner$control$effort)
  many <- ceiling(metric_defaults$runs * more)
  close <- space$close / exp(mean(log(space$close)))
  metrics <- vapply(seq_len(many), function(run) {
    switch(run %% 4L + 1L, rep(1, d), close, exp(stats::rnorm(d)), close * exp(stats::rnorm(d)))
  }, numeric(d))
  power <- switch(space$semimetric$family, power = space$semimetric$parameter, exponential = 1, 2)
  starts <- list(
    M = unlist(lapply(seq_len(many), function(run) diag(metrics[, run], d))),
    uniforms = stats::runif(k * many), power = rep(c(power, power, power, power, 2, 2, 2, 2), length.out = many)
  )
  settings <- list(lambda = space$lambda, power = power, passes = as.numeric(metric_defaults$passes))
  points <- list(x = learner$z[inside, , drop = FALSE], w = as.numeric(learner$problem$w[inside]))
  out <- .Call(ffi_learn_means, points, as.numeric(k), starts, settings)
  found <- order(out$objective)
  found <- found[is.finite(out$objective[found])]
  same <- c(FALSE, diff(out$objective[found]) < 1e-6 * out$objective[found[-1L]])
  times <- tabulate(cumsum(!same))
  kept <- seq_len(min(length(times), ceiling(metric_defaults$kept * more)))
  Map(function(run, times) {
    labels <- replace(rep(1L, learner$problem$n), inside, out$label[, run])
    w <- replace(numeric(learner$problem$n), inside, learner$problem$w[inside])
    M <- scatter_steps(learner, labels, diag(d), 3L, w)
    if (length(inside) < learner$problem$n) {
      labels <- extend(metric_problem(learner$problem, space, M, learner$call), k, inside, out$label[, run])
    }
    list(M = M, labels = labels, times = times)
  }, found[!same][kept], times[kept])
}

# Return the better of two results, with the values and the evaluations of both.
better <- function(best, found, kind) {
  out <- if (found$value < best$value) found else best
  out$values <- c(best$values, stats::setNames(rep(found$value, length(kind)), kind))
  out$evaluations <- sum(best$evaluations, found$evaluations)
  out
}

# Rounds of local search in the metric and of the scatter of its clusters, until the objective or the labels stay.
alternate <- function(learner, M, labels) {
  best <- list(value = Inf)
  old <- Inf
  spent <- 0
  for (round in seq_len(metric_defaults$rounds)) {
    check_interrupt()
    now <- solve_in_metric(learner$problem, learner$space, M, learner$control, labels, learner$call)
    spent <- sum(spent, now$evaluations)
    if (is.finite(old) && now$value >= old - metric_defaults$tolerance * abs(old)) break
    old <- now$value
    if (now$value < best$value) best <- now
    if (identical(now$labels, labels)) break
    labels <- now$labels
    M <- scatter_steps(learner, labels, M, w = now$out$problem$w %||% learner$problem$w)
  }
  replace(best, "evaluations", spent)
}

# The best result with the scatter at its least objective for the labels, which then does not depend on the start.
settle <- function(learner, best) {
  for (round in seq_len(metric_defaults$rounds)) {
    w <- best$out$problem$w %||% learner$problem$w
    M <- scatter_steps(learner, best$labels, best$M, metric_defaults$settled, w)
    now <- solve_in_metric(learner$problem, learner$space, M, learner$control, best$labels, learner$call)
    best$evaluations <- now$evaluations <- sum(best$evaluations, now$evaluations)
    if (now$value > best$value) break
    same <- identical(now$labels, best$labels)
    best <- now
    if (same) break
  }
  best
}

# Solve in a metric, from labels or by a search: list(value, M, labels, out, problem, evaluations).
solve_in_metric <- function(problem, space, M, control, labels, call) {
  problem <- metric_problem(problem, space, M, call)
  out <- solve_problem(problem, if (is.null(labels)) control else from_labels(control, labels, problem), call)
  list(
    value = true_units(out$problem %||% problem, sum(out$cost)), M = M, labels = out$cluster, out = out,
    problem = problem,
    evaluations = out$search$evaluations %||% out$evaluations
  )
}

# The control of a local search from labels; with `trim` a search, as its labels have noise.
from_labels <- function(control, labels, problem) {
  if (inherits(control, "kgroups_trimmed_control")) {
    return(control)
  }
  replace(control, c("init", "nstart"), list(fill_clusters(as.integer(labels), problem$w, control$k), 1))
}

# ---- the points in a metric ----

# The solution with columns of equal standard deviations, which those of a table have. `unlearned` has the counts for a
# message.
unlearned_solution <- function(problem, space, control, call) {
  sd <- space$sd[space$sd > 0]
  scaled <- !problem$blueprint$as_is && (length(sd) == 0L || max(sd) - min(sd) < 1e-8 * max(sd))
  out <- if (scaled) solve_problem(problem, control, call) else metric_solution(problem, space, NULL, control, call)
  out$extra$scatter <- scatter_in_units(problem$blueprint, space, NULL)
  out$unlearned <- list(rows = space$count, columns = space$rank, k = control$k)
  out
}

# The message of a fit for which nothing was learned.
inform_unlearned <- function(unlearned) {
  if (!is.null(unlearned)) {
    kg_inform(
      c(
        # nolint start: line_length_linter.
        paste(
          "The rows are too few to learn a metric: {unlearned$rows}, but {unlearned$columns} column{?s} and",
          "{unlearned$k} cluster{?s} need {ceiling(unlearned$columns * unlearned$k / metric_defaults$few)}."
        ),
        # nolint end
        "i" = "Columns have standard deviation 1 instead, as with `standardize = TRUE`."
      ),
      "few_rows", always = TRUE
    )
  }
}

# The solution for all observations in the metric found: a search, and further rounds from its labels if it lowers W or
# if the metric is that of a sample.
metric_solution <- function(problem, space, found, control, call) {
  given <- !is.null(control$init) || !is.null(control$nstart)
  whole <- length(found$labels) == problem$n && !inherits(control, "kgroups_landmark_control")
  again <- !(whole && given)
  last <- if (again) solve_in_metric(problem, space, found$M, control, NULL, call) else found
  # are more rounds over all observations worth their passes?
  refines <- problem$n <= metric_defaults$refined &&
    !inherits(control, c("kgroups_landmark_control", "kgroups_trimmed_control"))
  learner <- if (!is.null(found) && control$k > 1L && refines) new_learner(problem, space, control, call)
  if ((!whole || found$value > last$value) && !is.null(learner)) {
    more <- alternate(learner, scatter_steps(learner, last$labels, last$M), last$labels)
    last <- better(last, more, "search")
  }
  best <- if (whole && found$value <= last$value) found else last
  best$evaluations <- sum(found$evaluations, if (again) last$evaluations)
  if (!is.null(learner)) best <- settle(learner, best)
  out <- best$out
  M <- best$M
  if (is.null(control$init) && !is.null(found$values)) {
    out <- with_metric_search(out, found, last, whole, problem, best$evaluations)
  }
  out$extra$scatter <- scatter_in_units(problem$blueprint, space, M)
  out$extra$rounded <- rounded_columns(problem$blueprint, space)
  out$problem <- out$problem %||% best$problem
  out$view <- function(problem) metric_problem(problem, space, M, call)
  out
}

# Add the report of the search to a solution: how many of its starts end at the least objective. The last search
# improves the best of them.
with_metric_search <- function(out, found, last, whole, problem, evaluations) {
  values <- found$values
  if (whole) values[which.min(values)] <- min(values, last$value)
  least <- min(values)
  levels <- unique(c(length(found$labels), problem$n))
  members <- list(
    members = length(values), attained = count_least(values),
    evaluations = evaluations
  )
  if (whole) {
    out$objectives <- if (least > 0) values * (sum(out$cost) / least) else values
    out$best_start <- which.min(values)
  }
  with_search(replace(out, "evaluations", list(NULL)), members, problem, levels)
}

# The map to coordinates in the metric, for all coordinates: numbers get axes ordered by total variance in the metric,
# named as linear discriminants are, and 0 where there are fewer; categories stay. M = NULL: the total covariance.
learned_map <- function(problem, space, M = NULL) {
  at <- space$numbers
  p <- length(at)
  own <- if (space$few) {
    diag(1 / ifelse(space$sd > 0, space$sd, Inf), p)
  } else if (is.null(M)) {
    space$map
  } else {
    space$map %*% inverse_root(M)
  }
  map <- diag(ncol(problem$points))
  map[at, at] <- cbind(own, matrix(0, p, p - ncol(own)))
  names <- colnames(problem$points)
  if (!is.null(names) && !space$few) colnames(map) <- replace(names, at, paste0("LD", seq_len(p)))
  map
}

metric_problem <- function(problem, space, M, call) {
  weights <- problem$w * problem$w_unit
  points <- map_points(new_points(problem$points, problem$blueprint), learned_map(problem, space, M), weights)
  out <- points_problem(plain_points(points), space$semimetric, weights, call, attr(points, "blueprint"))
  out[c("w", "w_unit", "weighted")] <- problem[c("w", "w_unit", "weighted")]
  out["names"] <- list(problem$names)
  out
}

# The scatter in the units of the columns; its diagonal alone if nothing was learned, of which `$` makes the matrix.
scatter_in_units <- function(blueprint, space, M) {
  used <- used_columns(blueprint)
  numbers <- vapply(used, `[[`, "", "type") != "categories"
  unit <- vapply(used[numbers], function(column) (if (blueprint$as_is) 1 else column$sd) / sqrt(column$weight), 0)
  # the scale has no meaning; squares of these units would leave the range of doubles
  if (any(abs(log2(unit)) > 500)) unit <- unit / 2^round(log2(max(unit)))
  labels <- vapply(used[numbers], `[[`, "", "label")
  if (space$few) {
    return(stats::setNames((space$sd * unit)^2, labels))
  }
  S <- crossprod(space$back, (M %||% diag(space$rank)) %*% space$back)
  matrix(S * outer(unit, unit), length(unit), dimnames = list(labels, labels))
}

# The columns of the sums that were left out of the space.
rounded_columns <- function(blueprint, space) {
  if (!is.null(space$rounded)) {
    used <- used_columns(blueprint)
    labels <- vapply(used, `[[`, "", "label")[vapply(used, `[[`, "", "type") != "categories"]
    labels[rowSums(space$rounded^2) > 1e-3]
  }
}

fit_scatter <- function(scatter) if (is.null(scatter) || is.matrix(scatter)) scatter else diag(
  scatter, length(scatter), names = TRUE
)

# ---- checks ----

# Return why there is no metric to learn, or NULL.
no_metric <- function(problem) {
  semimetric <- problem$semimetric
  if (is.null(problem$points)) {
    "`x` has no columns of numbers."
  } else if (is.null(semimetric) || is_connected(semimetric) || is_metric(semimetric) ||
    !semimetric$family %in% c("power", "exponential", "gaussian")) {
    "The semimetric is no increasing function of the Euclidean distance alone."
  } else if (length(number_coordinates(problem$blueprint, ncol(problem$points))) == 0L) {
    "All columns of `x` are categories."
  }
}

# ---- methods ----

# Was the metric of a fit chosen with its labels?
is_learned <- function(fit) inherits(fit, "kgroups_metric_fit") && !has_few_rows(fit)

# Were the rows of a fit too few to learn a metric?
has_few_rows <- function(fit) !is.matrix(.subset2(fit, "scatter"))

#' @export
input_text.kgroups_metric_fit <- function(fit) {
  c(
    NextMethod(),
    paste(
      "Metric:",
      if (has_few_rows(fit)) {
        "columns of standard deviation 1, from too few rows to learn one"
      } else {
        "learned from the clusters, see $scatter"
      }
    ),
    columns_line("Taken as cut normal variables:", fit$few_values),
    columns_line("Left out, constant but for rounding: a sum of", fit$rounded)
  )
}

columns_line <- function(text, labels, most = 8L) {
  more <- if (length(labels) > most) sprintf("%d more", length(labels) - most + 1L)
  if (length(labels)) paste(text, toString(c(utils::head(labels, if (is.null(more)) most else most - 1L), more)))
}

#' A metric learned from the clusters
#'
#' `kgroups(x, k, standardize = "within")` measures differences relative to the standard deviations within the clusters,
#' and does not count correlated columns twice. It is a Mahalanobis distance, whose covariance is estimated together
#' with the clusters.
#'
#' The within dispersion is minimised over the partition and over the metric. For a positive definite scatter M let
#' \eqn{|v|_M = (v' M^{-1} v)^{1/2}}{|v|_M = sqrt(v' M^-1 v)}. The objective is
#' \deqn{W(P, M) = \sum_l \frac{1}{2 s_l} \sum_{x, y \in C_l} w_x w_y\, \rho(|x - y|_M)}{
#' W(P, M) = sum_l 1/(2 s_l) sum_{x, y in C_l} w_x w_y rho(|x - y|_M)}
#' with det M equal to that of the total covariance of the columns. For `rho_power(2)` its least value over M is
#' proportional to a power of the determinant of the within scatter (Friedman and Rubin 1967). For `rho_power(1)` M is a
#' scatter of pairs, which heavy tails affect less.
#'
#' Units of the numeric columns do not matter, nor do correlations of continuous ones: after any invertible linear map of
#' columns without frequent values the objective attains the same minimum at the same partition. Columns of categories
#' keep their coding. Missing cells
#' are imputed first. `sigma` of [rho_gaussian()] and [rho_exponential()] is in the unit of the metric, in which the
#' determinant of the total covariance is 1.
#'
#' @section Algorithm: Two steps alternate, neither of which raises W:
#' 1. *Labels*: local search, as in [kgroups-search], on the points in the metric.
#' 2. *Metric*: \eqn{M \leftarrow \sum_l s_l^{-1} \sum w_x w_y u_{xy} (x - y)(x -
#'    y)'}{M <- sum_l 1/s_l sum w_x w_y u_xy (x - y)(x - y)'} over pairs within clusters. u is the derivative of the
#'    semimetric with respect to the squared distance, \eqn{|x - y|_M^{\alpha - 2}}{|x - y|_M^(alpha - 2)} for
#'    `rho_power(alpha)`. These semimetrics are concave in the squared distance, so this step minimises an upper bound
#'    of W that is equal to W at the present metric.
#'
#' Starts are short runs with means in place of pairs (more with `effort` above 1), and a search in the metric of the
#' closest pairs (Art, Gnanadesikan and Kettenring 1982). Further sets of short runs follow, at most four, until two
#' starts attain the least W or a set gives no new labels. With fewer than \eqn{10 d k}{10 d k} rows in d columns W has
#' many minima, and a search on columns of standard deviation 1 is one more start. Then the minimum found can depend on
#' linear maps of the columns. Large tables are sampled first, and the metric is refined on more rows. `fit$search`
#' holds the number of starts (`members`) and how many of them ended at the least W, up to 1e-4 of it.
#'
#' M is shrunk towards the total covariance, the more the fewer rows there are. With fewer than \eqn{3 d k}{3 d k} rows
#' nothing is learned: the fit is that of `standardize = TRUE`, with a message of class `kg_message_few_rows`. The sum
#' of whole `weights` is the number of rows; other weights have no unit. With [nystroem()] the metric is learned without
#' landmarks. Labels in `init` are the only start.
#'
#' @section The scatter: `fit$scatter` is M in the units of the columns, the shape of a cluster. Ratios of its diagonal
#'   compare squared widths of the columns, and [cov2cor()] of it gives the correlations within clusters. Its scale has
#'   no meaning. `stats::mahalanobis(x, y, fit$scatter)` is the squared distance that was used. The scatter is singular
#'   if columns are linearly dependent. The coordinates of the points that were clustered, `LD1`, `LD2`, ..., are
#'   ordered by total variance in the metric. [as_points()] with `like = fit$blueprint` returns them for new rows, and
#'   [`kgroups_tree(fit)`][kgroups_tree] is a tree of them.
#' @section Columns of few values: A column of at most k values can be constant within k clusters, which then are its
#'   values. So a numeric column of at most five values is taken as a normal variable that was cut into them. In another
#'   column this holds for a value of more than a fifth of the rows, such as the zeros of an amount. The metric and the
#'   partition are first learned from rows that are spread evenly within the part of their value, without random
#'   numbers. A local search from these labels on the values themselves, in that metric, gives the labels, W and the
#'   predictions. A sum of columns with no more than twice the variance of their rounding is left out of the metric. The
#'   print names both. Such columns as factors keep their coding instead.
#' @section When to use it: For columns of different units, and for clusters that are longer in some directions than in
#'   others. Compare it with `standardize = TRUE`: no rule chooses between the two reliably (`bench/fair.md`).
#' @section Where it fails: Clusters have one common shape. A normal mixture finds clusters of different shapes better
#'   (thyroid, diabetes: `bench/fair.md`). For columns of long tails try logarithms or normal scores. W cannot be
#'   compared between settings of `standardize`.
#' @section Complexity: The time of ten columns is about five times that of `standardize = TRUE`, for 1000 rows in three
#'   clusters and for 10,000 rows in ten (`tools/claims.R`).
#' @references
#' Art D, Gnanadesikan R, Kettenring JR (1982). "Data-based metrics for cluster analysis." *Utilitas Mathematica*, 21A,
#' 75-99.
#'
#' Friedman HP, Rubin J (1967). "On some invariant criteria for grouping data." *Journal of the American Statistical
#' Association*, 62(320), 1159-1178. \doi{10.1080/01621459.1967.10500923}
#' @family clustering
#' @seealso [kgroups()]
#' @concept Mahalanobis
#' @concept covariance
#' @concept scaling
#' @concept metric learning
#' @examples
#' # five highly correlated measurements of crabs: in the metric within the clusters size hardly
#' # counts, and species and sex are found; with standard deviations over all rows they are not
#' if (requireNamespace("MASS", quietly = TRUE)) {
#'   crabs <- MASS::crabs[c("FL", "RW", "CL", "CW", "BD")]
#'   kind <- with(MASS::crabs, paste(sp, sex))
#'   set.seed(1)
#'   fit <- kgroups(crabs, 4, standardize = "within")
#'   print(table(fit$cluster, kind))
#'   print(table(kgroups(crabs, 4, standardize = TRUE)$cluster, kind))
#' }
#'
#' # flowers: petals vary little within the clusters, so they count most
#' set.seed(1)
#' fit <- kgroups(iris[1:4], 3, standardize = "within")
#' sqrt(diag(fit$scatter)) / vapply(iris[1:4], sd, 0)
#'
#' # other units, the same labels
#' inches <- as.matrix(iris[1:4]) %*% diag(c(1, 10, 0.1, 2.54))
#' set.seed(1)
#' identical(unname(kgroups(inches, 3, standardize = "within")$cluster), unname(fit$cluster))
#'
#' # in the coordinates of the metric the clusters are about round
#' plot(as_points(iris[1:4], like = fit$blueprint)[, 1:2], col = fit$cluster, asp = 1)
#' @name kgroups-metric
NULL
