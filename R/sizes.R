# Limits on the sizes of clusters: a local search by moves and exchanges of observations (src/kg_balance.c), from
# the fit without limits and from k-means++ starts, each made feasible in the order of regret.

sizes_defaults <- list(
  starts = 50L, # at most, as many as the budget of a search has passes for;
  few = 3L # below so many passes the starts are compared on a sample
)

# A solution as in R/solve.R; without a start by the user the solution without limits is the first start.
#' @export
solve_problem.kgroups_sized_control <- function(problem, control, call = rlang::caller_env()) {
  limits <- size_limits(control$sizes, problem$n, control$k, call)
  bytes <- 8 * problem$n * (control$k + 10) + 32 * control$k^2
  check_memory(bytes, problem$n, "a partition with limits on sizes", hint = "Lower `k`.", call = call)
  free <- if (is.null(control$init)) solve_problem(problem, without(replace(control, "nstart", list(NULL))), call)
  held <- !is.null(free) && all(within_limits(tabulate(free$cluster, control$k), limits))
  out <- number_clusters(if (held) free else solve_sizes(problem, control, limits, free$cluster), control$k)
  out$extra <- list(limits = list(
    sizes = limits, binding = if (held) integer() else which(tabulate(out$cluster, control$k) %in% limits),
    W_free = if (!is.null(free)) true_units(problem, sum(free$cost))
  ))
  out
}

# Clusters of a sample have their share of the sizes.
restrict_sizes <- function(sizes, rows, n) if (is.numeric(sizes)) sizes_of_share(sizes, length(rows) / n) else sizes

sizes_of_share <- function(sizes, share) c(max(floor(sizes[1L] * share), 1), ceiling(sizes[length(sizes)] * share))

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
  start <- fill_clusters(free[rows], rep(1, size), control$k)
  range <- sizes_of_share(limits, size / problem$n)
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

check_sizes <- function(sizes, arg, call) {
  sizes <- plain_integers(sizes)
  good <- identical(sizes, "equal") || is.numeric(sizes) && length(sizes) %in% 1:2 && !anyNA(sizes) &&
    all(sizes == round(sizes)) && min(sizes) >= 0 && sizes[1L] <= sizes[length(sizes)] && is.finite(sizes[1L])
  if (good) {
    return(sizes)
  }
  abort_input(
    "sizes", call,
    "`sizes` must be the least and the largest size of a cluster, one size, or \"equal\".",
    "You supplied {value_text(sizes)}.",
    "For example `sizes = c(20, 40)`, or `sizes = c(20, Inf)` for a least size alone."
  )
}

# Return c(least, most), whole numbers that k clusters of n observations can have.
size_limits <- function(sizes, n, k, call) {
  if (identical(sizes, "equal")) {
    return(c(floor(n / k), ceiling(n / k)))
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
    "No partition of {n} observation{?s} into {k} cluster{?s} has these `sizes`.",
    "{k} cluster{?s} of at {which} {size} have at {which} {k * size} observation{?s}.",
    "{limit} {bound}."
  )
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
