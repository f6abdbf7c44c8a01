# The result class. new_kgroups_fit() is the only place where a fit is put together.

# From a problem and a control to a fit: what every door shares. `x` is what the user gave.
fit_problem <- function(call, x, problem, control, weights, env) {
  inform_distinct(problem, control$k)
  if (is.null(control$approx)) {
    warn_negative_type(problem, control$method)
    warn_light_weights(problem)
    progress_step(
      sprintf("Search and descent over the pairs of %d observations", as.integer(problem$n)),
      problem$n^2 * store_work(problem$store)
    )
    out <- solve_problem(problem, control, env)
    warn_unfinished(out, control$iter.max, problem, control$method)
  } else {
    out <- solve_landmarks(problem, control, env)
  }
  new_kgroups_fit(call, x, out$problem %||% problem, control, out, weights, env)
}

# `out` is a solution (R/solve.R) in internal units. `data` is what the user gave; `kept`, what
# predict() and others need beside it: the problem without what the data say already, the sums
# V and s or the landmarks and the means, and the control.
new_kgroups_fit <- function(call, data, problem, control, out, weights = NULL, error_call = rlang::caller_env(),
                            init = init_name(control$init), whole = FALSE) {
  k <- control$k
  method <- out$method %||% control$method
  # the exact method numbers its labels itself
  numbered <- isTRUE(out$numbered)
  first <- if (numbered) seq_len(k) else first_appearance(out$cluster, k)
  number <- integer(k)
  number[first] <- seq_len(k)
  cluster <- if (numbered) out$cluster else number[out$cluster]
  names(cluster) <- problem$names
  # pivots of landmarks end at 1e-10 of the largest
  rounding <- if (is.null(out$approx)) 1e-13 else 1e-9
  within <- true_units(problem, rounded_to_zero(problem, out$cost[first], out$total, rounding))
  total <- true_units(problem, out$total)
  check_range(out$total, total, within, error_call)
  W <- sum(within)
  fit <- list(
    call = call,
    cluster = cluster,
    sizes = tabulate(cluster, k),
    within = within,
    W = W,
    S = if (k == 1L) 0 else total - W,
    total = if (k == 1L) W else total,
    count = out$moves,
    iterations = out$iterations,
    k = k,
    weights = if (!is.null(weights)) as.numeric(weights),
    semimetric = problem$semimetric,
    method = method,
    init = if (method == "exact") "none" else init,
    converged = out$converged,
    objectives = if (is.null(out$size_term)) {
      true_units(problem, rounded_to_zero(problem, out$objectives, out$total, rounding))
    } else {
      out$objectives
    },
    best_start = out$best_start,
    n = as.integer(problem$n),
    blueprint = problem$blueprint,
    data = if (control$keep.data) data,
    kept = if (control$keep.data) kept_part(problem, control, out, first, whole)
  )
  class(fit) <- c("kgroups_fit", "kgroups")
  if (!is.null(out$size_term)) {
    offset <- true_units(problem, out$size_term$offset[first], "pair")
    fit$size_term <- list(dimension = out$size_term$dimension, offset = offset)
  }
  if (!isTRUE(out$converged) && is.null(out$size_term) && !is.null(out$fall)) {
    fit$last_fall <- true_units(problem, out$fall)
  }
  if (!is.null(out$approx)) {
    fit$approx <- out$approx
    fit["W_exact"] <- list(if (out$approx$polished) fit$W)
  }
  fit
}

# `whole`: the problem says more than the data do, as that of a graph.
kept_part <- function(problem, control, out, first, whole) {
  # the fit is the same for any number of threads
  control[c("threads", if (is.numeric(control$init)) "init")] <- list(NULL)
  kept <- list(problem = if (whole) problem else detach_problem(problem), whole = whole, control = control)
  if (is.null(out$map)) {
    return(c(kept, list(V = out$V[first], s = out$s[first])))
  }
  # the units of the data; those of the features are the map's
  kept$problem$unit <- out$map$unit
  c(kept, list(map = out$map, means = out$means[, first, drop = FALSE]))
}

# W outside the range of doubles is said, not returned as Inf or 0.
check_range <- function(internal, total, within, call) {
  vanished <- isTRUE(internal != 0 && abs(total) < .Machine$double.xmin)
  if (is.finite(total) && all(is.finite(within)) && !vanished) {
    return(invisible())
  }
  kg_abort(
    c(
      "W is {if (vanished) 'below' else 'above'} the range of double precision numbers.",
      "x" = "The pair values are of the order of {if (vanished) '1e-308 or less' else '1e308 or more'}.",
      "i" = "Rescale {.arg x}, for example divide it by {.code max(abs(x))}."
    ),
    "range",
    call = call
  )
}

# Dissimilarities, Gram matrices and functions of the user's are checked where that is
# cheap beside the fit; the built-in semimetrics are known.
warn_negative_type <- function(problem, method, largest_n = 400L) {
  if (problem$n > largest_n || problem$n < 3L || known_negative_type(problem) || !has_pairs(problem)) {
    return(invisible())
  }
  type <- negative_type(problem)
  if (type$negative_type) {
    return(invisible())
  }
  size <- violation_text(type$smallest, type$largest)
  what <- if (has_kernel(problem)) "The Gram matrix" else "The semimetric"
  bad <- if (has_kernel(problem)) {
    "positive semidefinite on the centred space"
  } else {
    "of negative type on these data"
  }
  kind <- paste(what, class(problem$store)[1L], violation_size(-type$smallest / type$largest), method)
  kg_warn(
    c(
      "{what} is not {bad}: {size}.",
      "i" = if (method == "lloyd") {
        "Lloyd's method can raise W, and then stops and says so; {.code method = \"hartigan\"} cannot."
      } else {
        "Partitions stay optimal for single moves; W, distances to a mean and energy distances can come out below 0."
      },
      "i" = "{.fn negative_type_margins} says more, {.fn make_negative_type} mends the input."
    ),
    "negative_type",
    once = kind
  )
}

# Products of two weights below 1e-150 of the largest vanish, and W is made of such products.
warn_light_weights <- function(problem) {
  w <- problem$w
  light <- if (min(w) < 1e-150) sum(w > 0 & w < 1e-150) else 0
  if (light == 0) {
    return(invisible())
  }
  kg_warn(
    c(
      "{light} weight{?s} {?is/are} less than 1e-150 of the largest: W of clusters of such observations alone can come out as 0.",
      "i" = "Give them weight 0, or weights that are nearer to each other."
    ),
    "weights"
  )
}

#' @export
print.kgroups_fit <- function(x, ...) {
  cat(format(x, ...), sep = "\n")
  invisible(x)
}

#' @export
format.kgroups_fit <- function(x, digits = 7, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  number <- function(value) format(value, digits = digits)
  share <- if (x$total > 0 && x$W >= 0) sprintf(" (%.1f %% of the total)", 100 * x$S / x$total)
  c(
    sprintf(
      "Energy clustering: %d observation%s in %d cluster%s of size%s %s",
      x$n, plural(x$n), x$k, plural(x$k), plural(x$k), sizes_text(x$sizes)
    ),
    if (is.null(x$graph)) {
      paste0(
        "Within dispersion W = ", if (isFALSE(x$approx$polished)) "about ", number(x$W),
        ", between S = ", number(x$S), share
      )
    } else {
      paste0("Modularity ", format(fit_modularity(x), digits = min(digits, 4)))
    },
    if (!is.null(x$blueprint) && !is_plain(x$blueprint)) paste0("Columns: ", format(x$blueprint)),
    if (!is.null(x$approx)) approximation_text(x$approx),
    if (is.null(x$graph)) {
      paste0("Semimetric: ", if (is.null(x$semimetric)) "of the Gram matrix" else format(x$semimetric))
    } else {
      graph_text(x$graph)
    },
    paste0("Method: ", method_text(x))
  )
}

method_text <- function(x) {
  if (x$method == "exact") {
    return("exact (best partition into runs of the sorted data)")
  }
  name <- switch(x$method,
    hartigan = "Hartigan (kernel k-groups)",
    lloyd = "Lloyd (kernel k-means)",
    x$method
  )
  starts <- length(x$objectives)
  paste0(
    name, size_text(x$size_term), ", ", if (starts == 1L) "1 start" else paste(starts, "starts"), " (", x$init, "), ",
    x$iterations, " iteration", plural(x$iterations), ", ",
    if (isTRUE(x$converged)) "converged" else "NOT converged"
  )
}

size_text <- function(size_term) {
  if (is.null(size_term)) {
    return("")
  }
  if (is.finite(size_term$dimension)) {
    sprintf(" with size term (effective dimension %s)", format(size_term$dimension, digits = 3))
  } else {
    " with size term (without effect)"
  }
}

# The lines of the print that speak of the approximation.
approximation_text <- function(approx) {
  percent <- function(value) format(round(100 * value, 4), digits = 2)
  c(
    sprintf(
      "Landmarks: %d (%s), %d features%s", approx$m, approx$landmarks, approx$rank,
      if (approx$polished) "; finished exactly: W is exact" else ""
    ),
    if (!approx$polished) {
      sprintf(
        "W is approximate: about %s %% (+- %s) above the exact W of this partition (%d pairs)",
        percent(approx$error), percent(approx$error_se), approx$pairs
      )
    }
  )
}

graph_text <- function(graph) {
  sprintf(
    "Graph: %s edges, Gram matrix %s, vertex weights %s%s",
    format(graph$edges, big.mark = ","), graph$gram, graph$vertex_weights,
    if (identical(graph$result, "start")) "; the start, which the moves did not improve" else ""
  )
}

# The matrix whose partition a fit of a graph improves is -H or an adjacency matrix: it is not
# positive semidefinite, and what would be a squared distance there has any sign.
abort_graph <- function(fit, what, call = rlang::caller_env()) {
  if (is.null(fit$graph)) {
    return(invisible())
  }
  kg_abort(
    c(
      "A fit of a graph has no {what}.",
      "x" = "Its matrix ({.val {fit$graph$gram}}) is no kernel: squared distances would be of any sign.",
      "i" = "Its modularity is {format(fit_modularity(fit), digits = 3)}; see {.fn as_communities} for what igraph can do."
    ),
    "graph",
    call = call
  )
}

fit_modularity <- function(fit) fit$graph$modularity %||% NA_real_
