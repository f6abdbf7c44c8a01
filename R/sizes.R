# Limits on the sizes of clusters: a local search by moves and exchanges of observations (src/kg_balance.c), from
# the fit without limits and from k-means++ starts, each put within the limits in the order of regret.

sizes_defaults <- list(
  starts = 50L, # at most, as many as the budget of a search has passes for;
  few = 3L # below so many passes the starts are compared on a sample
)

# Return the fit within limits on the sizes; without a start by the user the fit without limits is the first start.
sized_fit <- function(call, x, problem, control, weights, sizes, env) {
  limits <- check_sizes(sizes, problem$n, control$k, env)
  inform_distinct(problem, control$k)
  check_sizes_memory(problem$n, control$k, env)
  coded <- code_categories(problem)
  free <- if (is.null(control$init)) solve_problem(coded, replace(control, "nstart", list(NULL)), env)
  held <- !is.null(free) && all(within_limits(tabulate(free$cluster, control$k), limits))
  out <- if (held) free else solve_sizes(coded, control, limits, free$cluster)
  warn_unfinished(out, control$iter.max, problem, control$method)
  fit <- fit_solution(call, x, problem, control, out, weights, env)
  warn_negative_type(problem, control$method, fit$W)
  fit <- c(unclass(fit), list(limits = list(
    sizes = limits, binding = if (held) integer() else which(fit$sizes %in% limits),
    W_free = if (!is.null(free)) true_units(problem, sum(free$cost))
  )))
  new_kgroups_fit(fit, "kgroups_sized_fit")
}

within_limits <- function(sizes, limits) sizes >= limits[1L] & sizes <= limits[2L]

# The best of several local searches within the limits. `free`: labels without limits, the first start.
solve_sizes <- function(problem, control, limits, free = NULL) {
  k <- control$k
  if (is.null(free)) {
    many <- control$nstart %||% 1
    return(balance(problem, control, limits, start_labels(problem, control, many), start_kinds(control$init, many)))
  }
  passes <- floor(control$effort * search_defaults$evaluations / pass_cost(problem))
  many <- control$nstart %||% max(1, min(passes, sizes_defaults$starts * control$effort))
  if (passes < sizes_defaults$few) {
    return(solve_sizes_sample(problem, control, limits, free))
  }
  problem <- cache_pairs(problem, passes = many)
  starts <- cbind(free, if (many > 1) plusplus_labels(problem, k, many - 1), deparse.level = 0)
  balance(problem, control, limits, starts, c("free", rep("kmeans++", many - 1)))
}

# The starts are compared on a sample, and the best is extended by the nearest mean.
solve_sizes_sample <- function(problem, control, limits, free) {
  size <- max(search_defaults$part, 20 * control$k)
  if (2 * size > problem$n) {
    return(balance(problem, control, limits, matrix(free), "free"))
  }
  rows <- sample_rows(seq_len(problem$n), size)
  share <- size / problem$n
  range <- c(max(floor(limits[1L] * share), 1), ceiling(limits[2L] * share))
  start <- fill_clusters(free[rows], rep(1, size), control$k)
  part <- solve_sizes(subset_problem(problem, rows), coarse_control(control), range, start)
  labels <- extend_level(problem, control$k, rows, part$cluster)
  balance(problem, control, limits, matrix(labels), "sample")
}

# Local searches from every column of labels, which need not be within the limits.
balance <- function(problem, control, limits, starts, kinds) {
  storage.mode(starts) <- "integer"
  # a round changes one pair of observations of every two clusters
  rounds <- min(control$iter.max * ceiling(problem$n / control$k), 1e9)
  settings <- list(method = method_codes[["hartigan"]], iter_max = rounds)
  solution(.Call(ffi_balance, problem, as.numeric(control$k), starts, as.numeric(limits), settings), kinds)
}

# ---- checks ----

# Return c(least, most), whole numbers that k clusters of n observations can have.
check_sizes <- function(sizes, n, k, call = rlang::caller_env()) {
  if (identical(sizes, "equal")) {
    return(c(floor(n / k), ceiling(n / k)))
  }
  good <- is.numeric(sizes) && length(sizes) %in% 1:2 && !anyNA(sizes) && all(sizes == round(sizes)) &&
    min(sizes) >= 0 && sizes[1L] <= sizes[length(sizes)] && is.finite(sizes[1L])
  if (!good) {
    abort_input(
      "sizes", call,
      "{.arg sizes} must be the least and the largest size of a cluster, one size, or {.val equal}.",
      "You supplied {describe(sizes)}.",
      "For example {.code sizes = c(20, 40)}, or {.code sizes = c(20, Inf)} for a least size alone."
    )
  }
  least <- max(sizes[1L], 1)
  most <- min(sizes[length(sizes)], n)
  if (k * least > n) abort_infeasible(n, k, "least", least, floor(n / k), call)
  if (k * most < n) abort_infeasible(n, k, "most", most, ceiling(n / k), call)
  c(least, most)
}

abort_infeasible <- function(n, k, which, size, bound, call) {
  limit <- if (which == "least") "The least size can be at most" else "The largest size must be at least"
  abort_input(
    "sizes", call,
    "No partition of {n} observation{?s} into {k} cluster{?s} has these {.arg sizes}.",
    "{k} cluster{?s} of at {which} {size} have at {which} {k * size} observation{?s}.",
    "{limit} {bound}."
  )
}

check_sizes_alone <- function(problem, control, trim, call) {
  bad <- if (max(problem$w) != min(problem$w)) {
    "weights"
  } else if (!is.null(control$approx)) {
    "approx"
  } else if (control$size_term) {
    "size_term"
  } else if (control$method != "hartigan") {
    "method"
  } else if (!identical(trim, 0)) {
    "trim"
  }
  if (is.null(bad)) {
    return(invisible())
  }
  abort_input(
    "sizes", call,
    "{.arg sizes} cannot be combined with {.arg {bad}}.",
    "You supplied both.",
    "Leave one of them out."
  )
}

check_sizes_memory <- function(n, k, call) {
  bytes <- 8 * n * (k + 10) + 32 * k^2
  check_memory(bytes, n, "a partition with limits on sizes", hint = "Lower {.arg k}.", call = call)
}

# ---- methods ----

#' @export
input_text.kgroups_sized_fit <- function(fit) {
  limits <- fit$limits
  range <- unique(limits$sizes)
  many <- length(limits$binding)
  c(
    NextMethod(),
    paste0(
      "Sizes: ", paste(range, collapse = " to "), "; ",
      if (many == 0L) "no limit is attained" else sprintf("attained by %d cluster%s", many, plural(many)),
      if (many > 0L && !is.null(limits$W_free) && limits$W_free > 0) {
        sprintf(", W is %.3g %% above that without limits", max(0, 100 * (fit$W / limits$W_free - 1)))
      }
    )
  )
}
