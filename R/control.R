# The control of a fit: number of clusters, method, start and effort, and the variants of a fit.
#
#   k           clusters, an integer
#   method      "hartigan" or "lloyd"
#   init        NULL for the search, a name of the table of starts, or labels 1..k
#   nstart      number of starts, or NULL
#   iter.max    passes of one local search
#   effort      multiple of the budget of the search
#   threads     for the compiled loops
#   keep.data   does the fit keep the data?
#   and the setting of each variant

# The variants of a fit, each added by the file of its solver under the name of its argument of kgroups():
#   class     the class "kgroups_<class>_control" has a method of solve_problem(), and the fit the class
#             "kgroups_<class>_fit"
#   default   the value of the argument that leaves the variant out
#   check     function(value, call) that returns a valid value or raises an error
#   excludes  arguments that it cannot be combined with; a value is named if only that value is excluded
#   settle    optional: function(control, problem, call) that returns the control with the value for these observations
fit_variants <- list()

# Defaults of the settings, to which R/kgroups.R adds those of the variants.
default_settings <- list(
  k = NULL, method = "hartigan", init = NULL, nstart = NULL, iter.max = 100, effort = 1, threads = 1L, keep.data = TRUE
)

# Return a control; settings that are left out have their defaults.
new_control <- function(k = NULL, ...) control_of(list(k = k, ...))

control_of <- function(settings) {
  out <- all_defaults
  out[names(settings)] <- settings
  classes <- vapply(chosen_variants(out), function(one) fit_variants[[one]]$class, "")
  class(out) <- c(if (length(classes)) paste0("kgroups_", classes, "_control"), "kgroups_control")
  out
}

# Return the names of the variants that differ from their defaults.
chosen_variants <- function(settings) {
  names <- names(fit_variants)
  names[!vapply(names, function(one) identical(settings[[one]], all_defaults[[one]]), NA)]
}

# Divide arguments into the settings of a fit and others: list(fit, other). The metric is learned if `standardize` is
# "within".
split_settings <- function(...) {
  given <- list(...)
  within <- identical(given$standardize, "within")
  if (within) given$standardize <- TRUE
  own <- rlang::names2(given) %in% setdiff(fit_settings, "metric")
  list(fit = c(given[own], if (within) list(metric = TRUE)), other = given[!own])
}

# Return the control of the next variant, or of the plain fit: it solves the problem within a solver.
inner_control <- function(control) structure(control, class = class(control)[-1L])
plain_control <- function(control) structure(control, class = "kgroups_control")
is_plain_control <- function(control) identical(class(control), "kgroups_control")

# Return the number of observations that k clusters need, the control for a sample of some rows of n, and the least
# number of clusters that a partition may have.
least_rows <- function(control, k) UseMethod("least_rows")
control_on_sample <- function(control, rows, n) UseMethod("control_on_sample")
least_clusters <- function(control, n) UseMethod("least_clusters")
# The most clusters that the variant fits, and the control of samples that are fitted in the view of a solution for all.
most_clusters <- function(control, problem) UseMethod("most_clusters")
control_in_view <- function(control) UseMethod("control_in_view")

#' @export
least_rows.kgroups_control <- function(control, k) k

#' @export
control_on_sample.kgroups_control <- function(control, rows, n) control

#' @export
least_clusters.kgroups_control <- function(control, n) 1L

#' @export
most_clusters.kgroups_control <- function(control, problem) Inf

#' @export
control_in_view.kgroups_control <- function(control) control

# Check the settings that need no problem; those left out have their defaults.
read_control <- function(settings, call = rlang::caller_env()) {
  if (!"threads" %in% names(settings)) settings$threads <- getOption("kgroups.threads", 1L)
  # defaults are valid
  for (one in names(settings)) {
    value <- settings[[one]]
    if (identical(value, all_defaults[[one]])) next
    settings[one] <- list(switch(one,
      method = check_choice(value, "method", names(method_codes), call = call),
      iter.max = min(check_count(value, "iter.max", 1, call = call), 1e9),
      effort = check_effort(value, call),
      threads = check_threads(value, call),
      keep.data = check_flag(value, "keep.data", call = call),
      init = ,
      nstart = value,
      fit_variants[[one]]$check(value, call)
    ))
  }
  control_of(settings)
}

# ---- arguments that exclude each other ----

# Raise an error if a variant of the control cannot be combined with another setting, or with the problem.
check_combination <- function(control, problem, call) {
  variants <- chosen_variants(control)
  init <- control$init
  # as `excludes` names the settings
  chosen <- c(
    variants, sprintf("method = \"%s\"", control$method),
    if (!is.null(init)) "init", if (is.character(init)) sprintf("init = \"%s\"", init),
    if (max(problem$w) != min(problem$w)) "weights", if (is_connected(problem$semimetric)) "rho_connected()"
  )
  for (one in variants) {
    other <- intersect(fit_variants[[one]]$excludes, chosen)
    if (length(other)) {
      abort_input(
        one, call, "`{one}` cannot be combined with `{other[1L]}`.",
        "You supplied both.",
        "Leave one of them out."
      )
    }
  }
}

# Return the control for the observations of a problem: combinations are checked, and what names rows is found.
settle_control <- function(control, problem, call) {
  if (is_plain_control(control)) {
    return(control)
  }
  check_combination(control, problem, call)
  for (one in chosen_variants(control)) {
    settle <- fit_variants[[one]]$settle
    if (!is.null(settle)) control <- settle(control, problem, call)
  }
  control
}

check_effort <- function(effort, call = rlang::caller_env()) {
  if (is_number(effort) && effort > 0 && effort <= 1e6) {
    return(as.numeric(effort))
  }
  abort_input(
    "effort", call, "`effort` must be a number above 0.",
    "You supplied {value_text(effort)}.",
    "1 is the default; 4 searches four times as long."
  )
}

# The rest, for a problem: k, the number of starts, the start.
complete_control <- function(control, problem, k, init = NULL, nstart = NULL, call = rlang::caller_env()) {
  control["k"] <- list(check_k(k, problem, call))
  if (!is.null(nstart)) control$nstart <- check_count(nstart, "nstart", 1, 1e6, call = call)
  if (!is.null(init)) control$init <- check_init(init, problem, control$k, call)
  settle_control(control, problem, call)
}

# The same settings for another number of clusters, by the search.
control_for <- function(control, k) {
  control$k <- as.integer(k)
  control
}

check_k <- function(k, problem, call = rlang::caller_env()) {
  if (inherits(k, "kgroups_select_k")) {
    if (!identical(as.integer(k$n), as.integer(problem$n))) {
      kg_inform("`k` was chosen on {k$n} observations; these are {problem$n}: choose it on the same.", "choice")
    }
    k <- k$k
  }
  inside <- count_inside(problem)
  if (is_number(k) && k >= 1 && k <= inside && k == round(k)) {
    return(as.integer(k)) # the hints below cost more than a small fit
  }
  hint <- if (is.null(k)) {
    "Supply the number of clusters; `select_k()` compares several numbers."
  } else if (!is_number(k) || k <= inside) {
    "Give a whole number, such as `k = 3`."
  } else if (inside < problem$n) {
    sprintf("No more clusters than observations of positive weight (%d of %d).", inside, problem$n)
  } else {
    "Lower `k`, or pass more rows."
  }
  k <- check_count(k, "k", 1, inside, hint = hint, call = call)
  as.integer(k)
}

# `init` as one of the names above, or labels as integers 1..k.
check_init <- function(init, problem, k, call = rlang::caller_env()) {
  if (is.null(init)) {
    return(NULL)
  }
  if (is.character(init) && length(init) == 1L && problem$n != 1L) {
    names <- store_starts(problem$store)
    if (identical(init, "k-means++")) init <- "kmeans++"
    if (init %in% names) {
      return(init)
    }
    abort_input(
      "init", call, "`init` must be one of {either(quoted(names))}, or labels.",
      "You supplied {quoted(init)}."
    )
  }
  if (inherits(init, "kgroups_tree")) init <- stats::predict(init, k)
  init <- match_rows(init, problem$names, "init", call = call)
  if (is.data.frame(init) || is.matrix(init) && ncol(init) > 1L) {
    abort_argument(
      init, "init", "give one label for each of the {problem$n} observation{?s}.",
      "Give the labels of a partition, not centres: `init = kmeans(x, centers)$cluster`.", call = call
    )
  }
  if (is_numbered(init, problem, k)) {
    return(as.integer(init))
  }
  labels <- check_labels(init, problem$n, "init", call = call, names = problem$names, k = k)
  groups <- length(attr(labels, "levels"))
  filled <- length(unique(labels[problem$w > 0]))
  if (groups != k || filled != k) {
    abort_input(
      "init", call, "The labels in `init` must form `k` = {k} group{?s} of positive weight.",
      "They form {filled}.",
      "Ask for {filled} cluster{?s}, or give other labels."
    )
  }
  as.integer(labels)
}

# Are these the integers 1..k already, one for each observation and all of them used? Most starts are.
is_numbered <- function(init, problem, k) {
  if (!is.integer(init) || is.object(init) || length(init) != problem$n || min(problem$w) == 0) {
    return(FALSE)
  }
  sizes <- tabulate(init, k)
  sum(sizes) == problem$n && min(sizes) > 0L
}

init_name <- function(init) {
  if (is.null(init)) {
    return("search")
  }
  if (is.numeric(init)) "labels" else init
}

# More clusters than distinct rows must separate equal rows. The first rows often suffice.
inform_distinct <- function(problem, k) {
  x <- problem$points
  rows <- if (min(problem$w) == 0) inside_rows(problem)
  if (is.null(x) || is.null(rows) && is.null(row_groups(x, k, seq_len(min(10 * k, nrow(x)))))) {
    return(invisible())
  }
  group <- row_groups(x, k, rows)
  if (!is.null(group)) {
    kg_inform(
      c(
        "There are fewer distinct observations ({max(group)}) than clusters ({k}).",
        "i" = "Equal observations are divided at will, and W is 0 from `k` = {max(group)} on."
      ),
      "distinct"
    )
  }
}

# Which rows are equal: each gets the number of its distinct row, in the order of the first ones. NULL from `enough`
# distinct rows on: column by column, so that the usual case is over after one.
row_groups <- function(x, enough, rows = NULL) {
  group <- NULL
  for (column in seq_len(ncol(x))) {
    value <- if (is.null(rows)) x[, column] else x[rows, column]
    values <- unique(value)
    if (length(values) >= enough) {
      return(NULL)
    }
    code <- match(value, values)
    if (!is.null(group)) code <- code + length(values) * (group - 1)
    codes <- unique(code)
    if (length(codes) >= enough) {
      return(NULL)
    }
    group <- match(code, codes)
  }
  group
}
