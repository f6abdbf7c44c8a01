# The class of fits. new_kgroups_fit() is the constructor; fit_solution() builds a fit from a solution of
# R/solve.R. Fits of graphs and fits on landmarks are subclasses with methods of their own.

# All dissimilarities of different observations are 0, as those of a metric that does not suit the data.
inform_equal <- function(fit) {
  if (fit$total == 0 && fit$n > 2L && !inherits(fit, "kgroups_graph_fit")) {
    kg_inform(c(
      "All dissimilarities are 0: the clusters are arbitrary.", "i" = "Use another `semimetric`, or check `x`."
    ), "equal")
  }
}

# Is W an approximation? TRUE for a fit on landmarks that was not finished over all pairs.
is_approximate <- function(fit) inherits(fit, "kgroups_landmark_fit") && is.null(fit$W_exact)

# Return an object of the class from its fields, which `?kgroups-fit` lists; `class` names a subclass.
new_kgroups_fit <- function(fields, class = NULL) {
  class(fields) <- c(class, "kgroups_fit")
  fields
}

# Which rows are noise?
is_noise <- function(fit) unname(fit$noise) %||% logical(fit$n)

# Refuse a fit that lacks components, or has others than those of its size, as one that another version saved.
check_fit <- function(fit, call = rlang::caller_env()) {
  whole <- c("cluster", "sizes", "within", "W", "S", "total", "k", "n", "method", "iterations", "blueprint")
  lacks <- setdiff(whole, names(fit))
  if (is.null(.subset2(fit, "kept")) && !is.null(.subset2(fit, "data"))) lacks <- c(lacks, "kept")
  if (length(lacks) == 0L) lacks <- odd_components(fit)
  if (length(lacks) == 0L) {
    return(invisible(fit))
  }
  abort_input(
    "fit", call, "A fit must have the components of this version, {as.character(utils::packageVersion('kgroups'))}.",
    "It has no {lacks[1L]} of its size: another version made it, or it was changed.", "Fit again by `kgroups()`."
  )
}

# Names of numbers of a fit that have another length than k, n and the coordinates of a mixture give.
odd_components <- function(fit) {
  wrong <- function(x, lengths) {
    names(lengths)[!vapply(names(lengths), function(one) is.numeric(x[[one]]) && length(x[[one]]) == lengths[[one]], NA)]
  }
  is_mixture <- inherits(fit, "kgroups_mixture")
  fit <- unclass(fit)
  odd <- c(wrong(fit, c(k = 1, n = 1, iterations = 1)), if (!is_string(fit$method)) "method")
  if (is_mixture) odd <- c(odd, if (!is_string(fit$form)) "form", setdiff("mixture", names(fit)))
  if (length(odd)) {
    return(odd)
  }
  k <- fit$k
  n <- fit$n
  odd <- wrong(fit, c(cluster = n, sizes = k, within = k, W = 1, S = 1, total = 1))
  m <- fit$mixture
  if (!is_mixture || is.null(m)) {
    return(odd)
  }
  if (!is.list(m)) {
    return("mixture")
  }
  d <- length(m$at)
  c(
    odd, wrong(fit, c(probabilities = n * k, shares = k, nu = 1)),
    wrong(m, c(size = k, mean = d * k, scatter = d^2 * k, nu = 1, rows = 1, value = 1, parameters = 1, count = 1)),
    if (!is.matrix(fit$means)) "means", if (!is.numeric(fit$scatters) || length(dim(fit$scatters)) != 3L) "scatters"
  )
}

# Methods compute W, means and distances from the labels: they cannot be replaced, and other names are no components.
#' @export
`$<-.kgroups_fit` <- function(x, name, value) {
  check_component(x, name, rlang::current_env())
  NextMethod()
}

#' @export
`[[<-.kgroups_fit` <- function(x, i, value) {
  if (is_string(i)) check_component(x, i, rlang::current_env())
  NextMethod()
}

check_component <- function(fit, name, call) {
  if (name == "cluster" || !name %in% names(fit)) {
    abort_input(
      "fit", call, "The components of a fit must stay its own.",
      if (name == "cluster") "Its W, means and distances are those of its labels." else "It has no component {name}.",
      "For names of clusters use `factor(fit$cluster, labels = )`, for W of other labels `energy_statistics()`."
    )
  }
}

# Return a fit with the nearest cluster of noise, as its methods compute with it.
observed_fit <- function(fit, call = rlang::caller_env()) {
  check_fit(fit, call)
  if (!is.null(fit$nearest)) fit["cluster"] <- list(fit$nearest)
  fit
}

# Return the fit of a graph: `graph` holds the edge weights and what cluster_kgroups() needs.
new_graph_fit <- function(fit, graph) {
  new_kgroups_fit(c(unclass(fit), list(graph = graph)), "kgroups_graph_fit")
}

# Return the fit of a solution `out` in internal units (R/solve.R). `data` is the user's input.
fit_solution <- function(call, data, problem, control, out, weights = NULL, error_call = rlang::caller_env(),
                         init = init_name(control$init), detach = TRUE) {
  out <- with_partition(problem, out, control$k)
  cluster <- out$cluster
  names(cluster) <- problem$names
  noise <- out$extra$noise
  W <- solution_dispersions(problem, out, error_call)
  fields <- list(
    call = call,
    cluster = if (is.null(noise)) cluster else replace(cluster, noise, 0L),
    sizes = tabulate(if (is.null(noise)) cluster else cluster[!noise], control$k),
    within = W$within,
    W = W$W,
    S = W$S,
    total = W$total,
    count = out$moves,
    iterations = out$iterations,
    k = control$k,
    weights = if (!is.null(weights)) as.numeric(weights),
    semimetric = problem$semimetric,
    method = out$method %||% control$method,
    init = if (identical(out$method, "exact")) "none" else out$init %||% init,
    converged = out$converged,
    objectives = W$objectives,
    best_start = out$best_start,
    search = out$search,
    last_fall = if (!isTRUE(out$converged) && !is.null(out$fall)) true_units(problem, out$fall),
    n = as.integer(problem$n),
    blueprint = problem$blueprint,
    data = if (control$keep.data) own_copy(data),
    kept = if (control$keep.data) kept_part(problem, control, out, detach)
  )
  variant <- sub("_control$", "_fit", class(control)[-length(class(control))])
  new_kgroups_fit(c(fields, out$extra, if (!is.null(noise)) list(nearest = cluster)), variant)
}

# Return within, W, S, total and the objectives of the starts in the units of the data.
solution_dispersions <- function(problem, out, call) {
  # pivots of landmarks end at 1e-10 of the largest
  rounding <- if (is.null(out$extra$approx)) 1e-13 else 1e-9
  within <- true_units(problem, rounded_to_zero(problem, out$cost, out$total, rounding))
  total <- true_units(problem, out$total)
  check_range(out$total, total, within, call)
  W <- sum(within)
  single <- length(within) == 1L
  objectives <- true_units(problem, rounded_to_zero(problem, out$objectives, out$total, rounding))
  list(
    within = within, W = W, S = if (single) 0 else total - W, total = if (single) W else total,
    objectives = objectives
  )
}

# Return what predict() needs besides the data: the problem, V and s of the clusters, or the
# landmark map and the means, and the control.
kept_part <- function(problem, control, out, detach) {
  # the fit is the same for any number of threads
  control[c("threads", if (is.numeric(control$init)) "init")] <- list(NULL)
  kept <- list(problem = if (detach) detach_problem(problem) else problem, control = control, w = out$drawn)
  if (is.null(out$map)) {
    return(c(kept, list(V = out$V, s = out$s)))
  }
  # the units of the data; those of the features are the map's
  kept$problem$unit <- out$map$unit
  c(kept, list(map = out$map, means = out$means))
}

# Return the data by value: a data.table can be changed in place after the fit.
own_copy <- function(data) {
  in_place <- inherits(data, "data.table") && has_package("data.table")
  if (in_place) data.table::copy(data) else data
}

# Raise an error if W lies outside the range of doubles.
check_range <- function(internal, total, within, call) {
  vanished <- isTRUE(internal != 0 && abs(total) < .Machine$double.xmin)
  if (vanished || !all(is.finite(c(total, within)))) {
    abort_input(
      "range", call, "W is {if (vanished) 'below' else 'above'} the range of double precision numbers.",
      "The pairwise dissimilarities are of the order of {if (vanished) '1e-308 or less' else '1e308 or more'}.",
      "Rescale `x`, for example divide it by `max(abs(x))`."
    )
  }
}

# Warn if W is negative; else if dissimilarities, a Gram matrix or a user's function are not of negative
# type, once a session, checked only if that costs little beside the fit.
warn_negative_type <- function(problem, method, W, largest_n = 400L) {
  kernel <- has_kernel(problem)
  what <- if (kernel) "The Gram matrix" else "The semimetric"
  bad <- if (kernel) "positive semidefinite on the centred space" else "of negative type on these data"
  hint <- "`is_negative_type(x, details = TRUE)` gives details, `make_negative_type()` repairs the input."
  if (W < 0) {
    kg_warn(c(
      "W is negative, {format(W, digits = 4)}: {sub('T', 't', what)} is not {bad}.",
      "i" = "The partition can be used, but W is no sum of squared distances.", "i" = hint
    ), "negative_type")
  }
  cheap <- problem$n >= 3L && problem$n <= largest_n && uses_all_pairs(problem)
  type <- if (W >= 0 && cheap && !known_negative_type(problem)) negative_type(problem)
  if (is.null(type) || type$negative_type) {
    return(invisible())
  }
  size <- violation_text(type$smallest, type$largest)
  kind <- paste(what, class(problem$store)[1L], violation_size(-type$smallest / type$largest), method)
  kg_warn(c(
    "{what} is not {bad}: {size}.",
    "i" = if (method == "lloyd") {
      "Lloyd's method can raise W, and then stops with a warning; `method = \"hartigan\"` cannot."
    } else {
      "The partition can be used; W, distances to a mean and energy distances can be negative."
    },
    "i" = hint
  ), "negative_type", once = kind)
}

# Raise an error for a fit without distances to the means: the matrix of a graph (-H or an
# adjacency matrix) is not positive semidefinite, so squared distances could have any sign.
check_distances <- function(fit, what, call = rlang::caller_env()) {
  if (!has_distances(fit)) {
    abort_input(
      "graph", call, "A fit of a graph has no {what}.",
      "Its matrix ({quoted(fit$graph$gram)}) is no kernel: squared distances would be of any sign.",
      "Its modularity is {format(fit$graph$modularity, digits = 3)}; see `cluster_kgroups()` for what igraph can do."
    )
  }
}

# Are there distances to the means? FALSE for a graph.
has_distances <- function(fit) !inherits(fit, "kgroups_graph_fit")

# Return d2 from the sums R (n x k) and the diagonal: B(x, x) - 2 R_l / s_l + V_l / s_l^2.
squared_distances <- function(R, self, kept, names) {
  k <- length(kept$s)
  for (l in seq_len(k)) {
    check_interrupt()
    own <- kept$V[l] / kept$s[l] / kept$s[l]
    # a cluster without weight has no mean
    R[, l] <- if (kept$s[l] == 0) Inf else true_units(kept$problem, self - 2 * (R[, l] / kept$s[l]) + own, "pair")
  }
  dimnames(R) <- list(names, seq_len(k))
  R
}
