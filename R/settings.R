# The settings of a fit: one table, and three verbs.
#
#   read_settings()      checks what needs no data; settings that are left out have their defaults
#   complete_settings()  adds what needs a problem: k, the start, exclusions, rows by their numbers
#   restrict_settings()  returns the settings for a sample of the rows
#
# They return a control, a list with one element a setting. Its classes are those of the variants that are chosen:
# solve_problem() and least_rows() dispatch on them.

# A row of the table. Functions are given by name, because those of variants are defined in higher layers:
#   default   the value of a setting that is left out
#   check     function(value, arg, call) that returns a valid value or raises an error; NULL: with the problem
#   class     of a variant: "kgroups_<class>_control" has a method of solve_problem(), fits are "kgroups_<class>_fit"
#   excludes  arguments that it cannot be combined with; a value is named if only that value is excluded
#   hint      of the error that names the exclusion
#   settle    function(control, problem, call) that returns the control with the value for these observations
#   restrict  function(value, rows, n) that returns the value for some rows of n
setting <- function(default = NULL, check = NULL, class = NULL, excludes = NULL, hint = "Leave one of them out.",
                    settle = NULL, restrict = NULL) {
  as.list(environment())
}

# Variants are solved in the order of their rows, each within the one before.
settings_table <- list(
  k = setting(),
  method = setting("hartigan", "check_method"),
  init = setting(),
  nstart = setting(),
  iter.max = setting(100, "check_iterations"),
  effort = setting(1, "check_effort"),
  threads = setting(1L, "check_threads"),
  keep.data = setting(TRUE, "check_flag"),
  units = setting(
    excludes = c("together", "apart", "approx"), hint = "A unit is a group of rows that stay together."
  ),
  metric = setting(FALSE, class = "metric"),
  approx = setting(
    check = "check_approx", class = "landmark",
    excludes = c("method = \"lloyd\"", "init = \"spectral\"", "init = \"sample\"")
  ),
  together = setting(
    check = "check_links", class = "together", excludes = c("approx", "trim"), settle = "settle_together",
    restrict = "restrict_together"
  ),
  apart = setting(
    check = "check_links", class = "apart", excludes = c("approx", "trim", "method = \"lloyd\""),
    settle = "settle_apart", restrict = "restrict_apart"
  ),
  contiguous = setting(
    check = "check_contiguous", class = "contiguous", excludes = c("approx", "trim", "method = \"lloyd\""),
    settle = "settle_contiguous", restrict = "restrict_contiguous"
  ),
  sizes = setting(
    check = "check_sizes", class = "sized", excludes = c("approx", "method = \"lloyd\"", "trim"),
    settle = "settle_sizes", restrict = "restrict_sizes"
  ),
  trim = setting(0, "check_trim", class = "trimmed", excludes = c("approx", "init", "rho_connected()"))
)

all_defaults <- lapply(settings_table, `[[`, "default")
control_classes <- unlist(lapply(settings_table, function(row) {
  if (!is.null(row$class)) sprintf("kgroups_%s_control", row$class)
}))

# The settings that functions which make fits take in their dots.
fit_settings <- c("method", "iter.max", "effort", names(control_classes))

# Return a control; settings that are left out have their defaults.
new_control <- function(k = NULL, ...) control_of(list(k = k, ...))

control_of <- function(settings) {
  out <- all_defaults
  out[names(settings)] <- settings
  chosen <- intersect(names(settings), names(control_classes))
  chosen <- chosen[!vapply(chosen, function(one) identical(settings[[one]], all_defaults[[one]]), NA)]
  class(out) <- c(unname(control_classes[names(control_classes) %in% chosen]), "kgroups_control")
  out
}

# Return the names of the variants that a control solves.
chosen_variants <- function(control) names(control_classes)[control_classes %in% class(control)]

# Return the control without some variants: it solves the problem within the solver of one of them.
without <- function(control, variants = names(control_classes)) {
  structure(control, class = setdiff(class(control), control_classes[variants]))
}
has_no_variant <- function(control) identical(class(control), "kgroups_control")

# Return the settings of a table among those in the dots of a function that makes fits, and unknown ones.
settings_of_table <- function(given) {
  given <- given[!rlang::names2(given) %in% setdiff(fit_settings, "metric")]
  if (identical(given$standardize, "within")) given$standardize <- TRUE
  given
}

# Check the settings of a fit among named values, which may hold others. The metric is learned if `standardize` is
# "within".
read_settings <- function(given, call = rlang::caller_env()) {
  if (identical(given$standardize, "within")) given$metric <- TRUE
  if (!"threads" %in% names(given)) given$threads <- getOption("kgroups.threads", 1L)
  given <- given[names(given) %in% names(all_defaults)]
  # defaults are valid
  for (one in names(given)) {
    check <- settings_table[[one]]$check
    if (is.null(check) || identical(given[[one]], all_defaults[[one]])) next
    given[one] <- list(get(check, mode = "function")(given[[one]], one, call = call))
  }
  control_of(given)
}

# The rest, for a problem: k, the number of starts, the start, exclusions, and the rows that a setting names.
complete_settings <- function(control, problem, k, init = NULL, nstart = NULL, call = rlang::caller_env()) {
  control["k"] <- list(check_k(k, problem, call))
  if (!is.null(nstart)) control$nstart <- check_count(nstart, "nstart", 1, 1e6, call = call)
  if (!is.null(init)) control$init <- check_init(init, problem, control$k, call)
  if (identical(class(control), "kgroups_control")) {
    return(control)
  }
  check_combination(control, problem, call)
  for (one in chosen_variants(control)) {
    settle <- settings_table[[one]]$settle
    if (!is.null(settle)) control <- get(settle, mode = "function")(control, problem, call)
  }
  control
}

# The settings for some rows of n; NULL are all rows.
restrict_settings <- function(control, rows, n) {
  for (one in if (!is.null(rows)) chosen_variants(control)) {
    restrict <- settings_table[[one]]$restrict
    if (!is.null(restrict)) control[one] <- list(get(restrict, mode = "function")(control[[one]], rows, n))
  }
  control
}

# The same settings for another number of clusters, by the search.
control_for <- function(control, k) {
  control$k <- as.integer(k)
  control
}

# ---- what variants permit: observations that k clusters need, the least and the most clusters ----

least_rows <- function(control, k) UseMethod("least_rows")
least_clusters <- function(control, n) UseMethod("least_clusters")
most_clusters <- function(control, problem) UseMethod("most_clusters")

#' @export
least_rows.kgroups_control <- function(control, k) k

#' @export
least_clusters.kgroups_control <- function(control, n) 1L

#' @export
most_clusters.kgroups_control <- function(control, problem) Inf

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
  for (one in setdiff(variants, "metric")) check_excluded(one, chosen, call)
}

check_excluded <- function(one, chosen, call) {
  other <- intersect(settings_table[[one]]$excludes, chosen)
  if (length(other)) {
    hint <- settings_table[[one]]$hint
    abort_input(one, call, "`{one}` cannot be combined with `{other[1L]}`.", "You supplied both.", "{hint}")
  }
}

# ---- checks ----

check_method <- function(method, arg, call) {
  hint <- "Criteria are `criterion` of `select_k()`; linkages are those of `hclust()`."
  check_choice(method, arg, names(method_codes), call = call, else_hint = hint)
}

check_iterations <- function(iter.max, arg, call) min(check_count(iter.max, arg, 1, call = call), 1e9)

check_effort <- function(effort, arg, call) {
  if (is_number(effort) && effort > 0 && effort <= 1e6) {
    return(as.numeric(effort))
  }
  abort_argument(effort, arg, "be a number above 0.", "1 is the default; 4 searches four times as long.", call = call)
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
      "init", call, "`init` must be one of {either(quoted(names))}, or labels.", "You supplied {quoted(init)}."
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
      "init", call, "The labels in `init` must form `k` = {k} group{?s} of positive weight.", "They form {filled}.",
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

# More clusters than distinct rows must separate equal rows.
inform_distinct <- function(problem, k) {
  group <- if (!is.null(problem$points)) row_groups(problem$points, k, inside_rows(problem))
  if (!is.null(group)) {
    kg_inform(c(
      "There are fewer distinct observations ({max(group)}) than clusters ({k}).",
      "i" = if (missing_cells(problem$blueprint) > 0) {
        "Missing cells were filled: rows without a column in common are equal."
      } else {
        "Equal observations are divided at will, and W is 0 from `k` = {max(group)} on."
      }
    ), "distinct", of = problem$n)
  }
}

# Which rows are equal: each gets the number of its distinct row, in the order of the first ones. NULL from `enough`
# distinct rows on: often after the first column.
row_groups <- function(x, enough, rows = seq_len(nrow(x))) {
  if (length(unique(x[rows, 1L])) >= enough) {
    return(NULL)
  }
  group <- as.integer(vctrs::vec_group_id(x[rows, , drop = FALSE]))
  if (max(group) < enough) group
}
