# Trimmed k-groups: a share of the rows gets weight 0, and W of the others is minimised. Concentration steps
# (trim the rows farthest from their means, then local search) alternate from several starts, as in trimmed
# k-means (Cuesta-Albertos, Gordaliza and Matran 1997). Labels of trimmed rows are those of the nearest mean.

trim_defaults <- list(
  starts = 20L, # fits to 2 k + 1 random rows; from the plain fit alone groups of outliers are not found
  few_rows = 50L, # up to so many rows ..
  few_starts = 60L, # .. so many starts, each with exchanges: brute force in tests/testthat/test-trim.R
  steps = 30L, # concentration steps of one start; most end after five
  rows = 1000L, # starts are compared on a sample of so many rows, and exchanges are made up to so many
  auto_shares = c(0, 0.1, 0.25), # shares trimmed before "auto" estimates its own
  auto_cut = 2.5, # "auto" trims above median + 2.5 sd of d^(2/3), which is about normal in clusters
  ties = 0.05, # from this share of equal distances on values are discrete: bench/trim-discrete.R
  tied_cut = 3.5, # the cut is then so many deviations above the median,
  tied_scale = 0.25, # of at least this share of the median
  auto_loss = 2 # d^2 of a row counts at most so many times the least cut when the estimates are compared
)

# A solution as in R/solve.R, in which trimmed rows have weight 0.
#' @export
solve_problem.kgroups_trimmed_control <- function(problem, control, call = rlang::caller_env()) {
  trim <- control$trim
  inside <- count_inside(problem)
  least <- floor((1 - largest_share(trim)) * inside)
  if (least < control$k) {
    abort_input(
      "trim", call, "`trim` leaves fewer observations than clusters.",
      "{least} of {inside} observation{?s} are kept for {control$k} cluster{?s}.", "Lower `trim` or `k`."
    )
  }
  best <- if (identical(trim, "auto")) estimated_trim(problem, control) else best_trimmed_start(problem, control, trim)
  state <- searched_again(problem, control, best$state, trim)
  if (is.null(state)) {
    must <- "`trim` must leave observations for {control$k} clusters, which no start does."
    abort_input("trim", call, must, hint = "Lower `trim` or `k`.")
  }
  out <- state$out
  out$objectives <- replace(best$objectives, best$at, sum(out$cost))
  out$best_start <- best$at
  out$init <- "search"
  out$problem <- reweighted(problem, state$w)
  out$weights <- true_units(problem, state$w, "weight")
  out$drawn <- problem$w
  kept <- true_units(problem, state$own, "pair")[state$w > 0]
  out$extra <- list(
    noise = stats::setNames(state$w == 0 & problem$w > 0, problem$names), trim = trim,
    cut = max(kept), center = stats::median(kept^(1 / 3)), scale = stats::mad(kept^(1 / 3))
  )
  out
}

#' @export
least_rows.kgroups_trimmed_control <- function(control, k) ceiling(k / (1 - largest_share(control$trim)))

# The largest share of the rows that may be trimmed.
largest_share <- function(trim) if (identical(trim, "auto")) max(trim_defaults$auto_shares) else trim

# The problem with other weights (internal units).
reweighted <- function(problem, w) replace(problem, c("w", "weighted"), list(w, TRUE))

# As best_trimmed_start(), with the share estimated from each of `auto_shares`. The estimates are compared by the
# truncated loss sum w min(d2, c), with one c for all: W itself falls with each row trimmed.
estimated_trim <- function(problem, control) {
  all <- lapply(trim_defaults$auto_shares, function(share) {
    found <- best_trimmed_start(problem, control, share)
    if (share > 0 && !is.null(found$state)) {
      w <- outlying_weights(problem, found$state, lower_sd)
      found$state <- retrimmed_state(problem, control, w, found$state)
    }
    found$state <- concentrate(problem, control, found$state, "auto")
    found
  })
  all <- Filter(function(found) !is.null(found$state), all)
  if (length(all) == 0L) {
    return(list(state = NULL))
  }
  cut <- trim_defaults$auto_loss * min(vapply(all, function(found) outlying_cut(found$state)^3, 0))
  all[[which.min(vapply(all, function(found) sum(problem$w * pmin(found$state$own, cut)), 0))]]
}

# Return list(state, objectives, at): the best of several starts, on a sample if there are many rows. Without trimming
# the plain solution is the only one.
best_trimmed_start <- function(problem, control, share) {
  k <- control$k
  rows <- draw_rows(inside_rows(problem), trim_defaults$rows)
  part <- cache_pairs(subset_problem(problem, rows))
  plain <- solve_problem(part, new_control(k))
  states <- list(plain = trimmed_state(part, control, part$w, plain$cluster))
  few <- min(2L * k + 1L, part$n)
  small <- part$n <= trim_defaults$few_rows
  starts <- control$nstart %||% if (small) trim_defaults$few_starts else trim_defaults$starts
  for (start in seq_len(if (share > 0) starts else 0L)) {
    some <- draw_rows(seq_len(part$n), few)
    labels <- extend(part, k, some, plusplus_labels(subset_problem(part, some), k, 1, 1)[, 1L])
    state <- trimmed_state(part, control, replace(numeric(part$n), some, part$w[some]), labels)
    states <- c(states, list(random = state))
  }
  states <- lapply(states, function(state) {
    state <- concentrate(part, control, state, share)
    if (small) exchanged(part, control, state, share) else state
  })
  W <- vapply(states, function(state) if (is.null(state)) Inf else sum(state$out$cost), 0)
  at <- unname(which.min(W))
  best <- states[[at]]
  if (length(rows) < problem$n && !is.null(best)) {
    inner <- rows[best$w > 0]
    labels <- extend(problem, k, inner, best$out$cluster[best$w > 0])
    best <- trimmed_state(problem, control, replace(numeric(problem$n), inner, problem$w[inner]), labels)
    best <- concentrate(problem, control, best, share)
  }
  finite <- is.finite(W)
  list(state = best, objectives = W[finite], at = match(at, which(finite)))
}

# Return list(w, out, own): weights, the solution of local search from `labels`, and squared distances of all rows
# to the nearest mean. NULL if a cluster has lost its weight.
trimmed_state <- function(problem, control, w, labels) {
  k <- control$k
  problem <- reweighted(problem, w)
  if (any(tabulate(labels[w > 0], k) == 0L)) {
    return(NULL)
  }
  control$init <- as.integer(labels)
  control$nstart <- 1
  out <- solve_named(problem, control)
  d2 <- squared_distances(
    group_sums(problem, out$cluster, k), self_values(problem), c(out[c("V", "s")], list(problem = problem)), NULL
  )
  own <- row_least(d2) / problem$unit
  list(w = w, out = out, own = pmax(own, 0), d2 = d2)
}

# Alternate trimming and local search until the trimmed rows stay the same.
concentrate <- function(problem, control, state, share) {
  for (step in seq_len(trim_defaults$steps)) {
    check_interrupt()
    if (is.null(state)) {
      return(NULL)
    }
    w <- if (identical(share, "auto")) {
      outlying_weights(problem, state)
    } else {
      trimmed_weights(problem$w, state$own, share)
    }
    if (identical(w > 0, state$w > 0)) break
    state <- retrimmed_state(problem, control, w, state)
  }
  state
}

# The state after a change of the trimmed rows: the others go to the nearest mean. A cluster that has lost all its rows
# gets the kept row that is farthest from its own mean.
retrimmed_state <- function(problem, control, w, state) {
  labels <- max.col(-state$d2, ties.method = "first")
  far <- order(-state$own)
  far <- far[w[far] > 0]
  for (empty in which(tabulate(labels[w > 0], control$k) == 0L)) {
    spare <- far[tabulate(labels[w > 0], control$k)[labels[far]] > 1L]
    if (length(spare)) labels[spare[1L]] <- empty
  }
  trimmed_state(problem, control, w, labels)
}

# Set the weights of the largest distances to 0, at most `share` of the total weight.
trimmed_weights <- function(w, own, share) {
  farthest <- order(-own, seq_along(own))
  out <- cumsum(w[farthest]) <= share * sum(w) * (1 + 1e-12)
  w[farthest[out]] <- 0
  w
}

# Exchange a kept and a trimmed row while that lowers W, then concentrate. A concentration step compares distances to
# means that the rows themselves have moved, as Lloyd's rule does; an exchange compares W, as Hartigan's.
exchanged <- function(problem, control, state, share) {
  if (is.null(state) || problem$n > trim_defaults$rows) {
    return(state)
  }
  B <- store_values(problem$store)
  for (step in seq_len(problem$n)) {
    check_interrupt()
    best <- best_exchange(B, problem$w, state, share)
    if (is.null(best)) break
    w <- replace(state$w, best[["kept"]], 0)
    w[best[["trimmed"]]] <- problem$w[best[["trimmed"]]]
    labels <- replace(state$out$cluster, best[["trimmed"]], best[["cluster"]])
    following <- trimmed_state(problem, control, w, labels)
    following <- concentrate(problem, control, following, share)
    if (is.null(following) || sum(following$out$cost) >= sum(state$out$cost)) break
    state <- following
  }
  state
}

# Return c(kept, trimmed, cluster): the exchange that lowers W most, NULL if none lowers it by more than rounding. With
# costs -V/s, x leaves cluster a and t joins cluster l; within one cluster the pair B_xt counts too.
best_exchange <- function(B, all_w, state, share) {
  w <- state$w
  cluster <- unname(state$out$cluster)
  kept <- which(w > 0)
  trimmed <- which(w == 0 & all_w > 0)
  if (length(trimmed) == 0L) {
    return(NULL)
  }
  s <- state$out$s
  V <- state$out$V
  R <- B %*% (w * outer(cluster, seq_along(s), "=="))
  own <- R[cbind(seq_along(w), cluster)]
  self <- diag(B)
  best <- c(change = -1e-9 * sum(abs(state$out$cost)), kept = 0, trimmed = 0, cluster = 0)
  for (t in trimmed) {
    room <- share * sum(all_w) * (1 + 1e-12) - sum(all_w[trimmed]) + all_w[t]
    x <- kept[w[kept] <= room]
    a <- cluster[x]
    u <- all_w[t]
    joins <- V / s - (V + 2 * u * R[t, ] + u^2 * self[t]) / (s + u)
    left <- s[a] - w[x]
    alone <- left <= 1e-12 * s[a]
    rest <- V[a] - 2 * w[x] * own[x] + w[x]^2 * self[x]
    leaves <- ifelse(alone, Inf, V[a] / s[a] - rest / left)
    for (l in seq_along(s)) {
      both <- rest + 2 * u * (R[t, l] - w[x] * B[x, t]) + u^2 * self[t]
      change <- ifelse(a == l, V[l] / s[l] - both / (left + u), leaves + joins[l])
      at <- which.min(change)
      if (length(at) && change[at] < best[["change"]]) best[] <- c(change[at], x[at], t, l)
    }
  }
  if (best[["kept"]] > 0) best[-1L]
}

# Set the weights of rows to 0 whose d^(2/3) exceeds the cut.
outlying_weights <- function(problem, state, sd = stats::mad) {
  replace(problem$w, state$own^(1 / 3) > outlying_cut(state, sd), 0)
}

# The median of d^(2/3) of the kept rows, and 2.5 of their standard deviations. The upper tenth bounds the deviation of
# skewed columns and of those with many zeros. Of values that repeat (counts, grids) the median deviation is 0 or too
# small: then 3.5 of the deviations, bounded by a share of the median too.
outlying_cut <- function(state, sd = stats::mad) {
  kept <- state$own[state$w > 0]^(1 / 3)
  center <- stats::median(kept)
  scale <- sd(kept)
  upper <- (stats::quantile(kept, 0.9, names = FALSE) - center) / stats::qnorm(0.9)
  if (mean(duplicated(signif(kept, 8))) <= trim_defaults$ties) {
    return(center + trim_defaults$auto_cut * max(scale, upper))
  }
  center + trim_defaults$tied_cut * max(scale, upper, trim_defaults$tied_scale * center)
}

# The standard deviation of normal values of which the largest are missing, by their lower part.
lower_sd <- function(x) (stats::median(x) - stats::quantile(x, 0.1, names = FALSE)) / stats::qnorm(0.9)

# Search the kept rows from the start, and keep the result if its W is lower.
searched_again <- function(problem, control, state, share) {
  if (is.null(state)) {
    return(NULL)
  }
  plain <- without(replace(control, c("init", "nstart"), list(NULL)))
  out <- solve_problem(reweighted(problem, state$w), plain)
  again <- concentrate(problem, control, trimmed_state(problem, control, state$w, out$cluster), share)
  if (!is.null(again) && sum(again$out$cost) < sum(state$out$cost)) state <- again
  if (identical(share, "auto")) state else exchanged(problem, control, state, share)
}

# ---- checks ----

check_trim <- function(trim, arg, call) {
  if (identical(trim, "auto")) {
    return(trim)
  }
  if (is_number(trim) && trim >= 0 && trim < 0.5) {
    return(as.numeric(trim))
  }
  hint <- "`trim = 0.1` leaves the tenth of the rows out that lies farthest from the means."
  abort_argument(trim, arg, "be a share from 0 to below 0.5, or \"auto\".", hint, call = call)
}

# ---- methods ----

#' @export
input_text.kgroups_trimmed_fit <- function(fit) {
  share <- if (identical(fit$trim, "auto")) {
    paste0("the share is estimated", if (mean(fit$noise) > 0.1) "; it may be the tail of skewed columns")
  } else {
    sprintf("at most %g %% of the weight", 100 * fit$trim)
  }
  c(
    semimetric_line(fit),
    sprintf("Noise: %d observation%s trimmed (%s)", sum(fit$noise), plural(sum(fit$noise)), share),
    if (any(fit$noise)) "  $noise marks them; their $cluster is 0",
    if (any(fit$weights[!fit$noise] != 1)) weights_text(fit$weights)
  )
}

# Are rows farther from all means than every kept row of a trimmed fit from its own?
beyond_kept <- function(fit, nearest) nearest > fit$cut * (1 + 1e-9)

# Return which rows are noise, a logical vector.
predicted_noise <- function(object, newdata, diag, threads, call) {
  if (!inherits(object, "kgroups_trimmed_fit")) {
    abort_input(
      "type", call, "`type = \"noise\"` needs a fit with `trim`.", "This fit trimmed no observation.",
      "Fit with `trim = 0.1` or `trim = \"auto\"`."
    )
  }
  if (is.null(newdata)) {
    return(object$noise)
  }
  d2 <- stats::predict(object, newdata, "squared", diag = diag, threads = threads)
  stats::setNames(beyond_kept(object, row_least(d2)), rownames(d2))
}

# Columns of augment() about noise.
noise_columns <- function(out, fit, d2, noise) {
  if (!inherits(fit, "kgroups_trimmed_fit") || is.null(d2)) {
    return(out)
  }
  nearest <- row_least(d2)
  out$.noise <- unname(noise %||% beyond_kept(fit, nearest))
  out$.cluster[out$.noise] <- NA
  # standardised d^(2/3), by median and mad of the kept rows
  out$.outlier <- unname((pmax(nearest, 0)^(1 / 3) - fit$center) / max(fit$scale, .Machine$double.xmin))
  out
}
