# Code that select_k(), select_semimetric() and stability() share: tasks with random streams, problems, fits
# and the result class.

selection_defaults <- list(
  rows = 5000L, # more observations are compared on a sample of so many, or of
  least = 20L, # so many for each of the largest k if these are more
  half = 1000L, # a half has at most so many, or `least` for each of the largest k
  starts = c(3L, 3L, 4L), # k-means++ starts of a fit of a half, until two agree
  share = 0.02 # of the budget of the search, where that makes these fits
)

# ---- arguments ----

# Read what both choices take: list(given, x, weights, control, splits, rows), `given` without rows in which nothing is
# observed, `x` as points. `values` are the arguments weights, splits, rows and threads.
read_selection <- function(x, values, topic, call, ...) {
  given <- list(...)
  if (topic == "select_semimetric" && "approx" %in% names(given)) {
    check_no_dots(approx = NULL, call = call, topic = topic)
  }
  context <- list(call = call, topic = topic, also = fit_settings)
  read <- do.call(read_data, c(list(x, values["weights"], context = context), settings_of_table(given)), quote = TRUE)
  list(
    given = read$x, x = read$points, weights = read$weights,
    control = selection_control(c(given, values["threads"]), call),
    splits = check_count(values$splits, "splits", 2, 1e6, call = call), rows = check_rows(values$rows, call)
  )
}

# Return the most observations that are compared, Inf for all.
check_rows <- function(rows, call) {
  hint <- "`Inf` compares all observations."
  if (identical(rows, Inf)) Inf else check_count(rows, "rows", 10, hint = hint, call = call)
}

# The control of fits that are made for a choice. Landmarks are taken once, before the fits.
selection_control <- function(settings, call) {
  control <- read_settings(settings, call)
  if (!is.null(control$approx)) check_unpolished(control$approx, call)
  without(control, "approx")
}

# Landmarks of a call that makes no final fit.
check_unpolished <- function(approx, call) {
  if (!approx$polish) {
    return(approx)
  }
  abort_input(
    "approx", call, "`polish = TRUE` is for one fit of points by `kgroups()`.", "You supplied it in `nystroem()`.",
    "Leave it out here."
  )
}

# ---- problems ----

# Return the problem of the observations of positive weight, of data or of a fit. If some have weight 0, `whole` and
# `rows` lead back to all of them. Landmarks are taken once, for all fits.
selection_problem <- function(x, semimetric, weights, control, call) {
  if (inherits(x, "kgroups_fit") && !is.null(x$units)) {
    weights <- x$units$weight
    semimetric <- rho_power(1)
    x <- energies_of_units(x, call)
  }
  problem <- if (inherits(x, "kgroups_fit")) {
    kept_problem(x, call)
  } else if (!is.null(control$approx)) {
    landmark_problem(x, semimetric, weights, call)
  } else if (igraph::is_igraph(x)) {
    vertex_problem(x, weights, call)
  } else {
    as_problem(x, semimetric, weights, call = call)
  }
  problem <- over_all_pairs(problem) %||% problem
  check_combination(control, problem, call)
  if (!is.null(control$approx)) problem <- landmark_features(problem, control$approx, call)
  rows <- inside_rows(problem)
  if (length(rows) == problem$n) {
    return(selection_part(problem))
  }
  part <- selection_part(subset_observations(problem, rows))
  part$whole <- problem
  part$rows <- rows
  part
}

# The principal coordinates of the test of one cluster need the distances themselves.
selection_part <- function(problem) {
  store <- if (inherits(problem$store, "kgroups_connected")) problem$store$base else problem$store
  if (inherits(store, "kgroups_packed") && is.null(problem$points)) {
    problem$distances <- times_power_of_two(as.vector(store$values), problem$exponent)
  }
  cache_if_pairs(problem)
}

# Return the rows of a sample of at most `most` observations, NULL if that is all of them. Graphs and sparse Gram
# matrices are not sampled, because few of their values are left in a sample.
draw_sample <- function(problem, most) {
  if (problem$n > most && !inherits(problem$store, "kgroups_sparse")) draw_rows(seq_len(problem$n), most)
}

# Return the problem of a sample; `whole` and `rows` lead back to all observations.
sampled_problem <- function(problem, rows) {
  if (is.null(rows)) {
    return(problem)
  }
  part <- subset_observations(problem, rows)
  if (!is.null(problem$distances)) part$distances <- packed_subset(problem$distances, problem$n, rows)
  part$rows <- if (is.null(problem$rows)) rows else problem$rows[rows]
  part$whole <- problem$whole %||% problem
  part$sampled <- TRUE
  cache_if_pairs(part)
}

landmark_features <- function(problem, approx, call) {
  map <- landmark_map(problem, choose_landmarks(problem, approx, call), call)
  semimetric <- problem$semimetric
  problem <- features_problem(problem, store_features(problem$store, map, call))
  problem$unit <- problem$unit * 4^map$scale
  problem["shown_semimetric"] <- list(semimetric)
  problem
}

# The vertices of a graph, by the Gram matrix and the weights that kgroups() takes for it.
vertex_problem <- function(x, weights, call) {
  simple <- as_simple_adjacency(x, weights, call = call)
  abort_bipartite(x, call = call)
  graph_problem(simple, bethe_parts(simple))
}

# Compute the pairwise dissimilarities once if they are shared; the exact method needs none.
cache_if_pairs <- function(problem, passes = search_defaults$reads) {
  if (is_1d_problem(problem) || has_features(problem)) problem else cache_pairs(problem, passes)
}

# Labels 1..k of all observations in the order of first appearance, from a solution for those that were compared. A
# variant of the fit that may refuse the nearest mean is fitted to all.
labels_of_all <- function(problem, fit, control) {
  k <- length(fit$s)
  whole <- problem$whole
  labels <- if (is.null(whole)) {
    fit$cluster
  } else if (is.null(problem$sampled)) {
    extend(viewed(whole, fit), k, problem$rows, fit$cluster)
  } else if (has_no_variant(control)) {
    replace(extend_level(whole, k, problem$rows, fit$cluster), problem$rows, fit$cluster)
  } else {
    search_task(k, whole, control)$cluster
  }
  stats::setNames(match(labels, first_appearance(labels, k)), (whole %||% problem)$names)
}

# ---- fits ----

# The fit that kgroups(x, k) makes, with the settings of the control.
search_task <- function(k, problem, control = new_control()) solve_problem(problem, control_for(control, k))

# A fit of a half: local searches from k-means++ and, after a fit of k - 1 clusters (`last`), from that fit with one
# cluster divided. Variants, graphs and the first k have the search of kgroups() with a share of its budget.
quick_fit <- function(problem, k, control = new_control(), last = NULL) {
  control <- control_for(control, k)
  known <- has_features(problem) || !is.null(last) && length(last$s) == k - 1L &&
    !inherits(problem$store, "kgroups_graph")
  if (known && k > 1L && k < problem$n && has_no_variant(control) && !is_exact(problem, control)) {
    divided <- if (k > 2L && !is.null(last)) divided_labels(problem, last)
    return(solve_until_settled(problem, control, divided))
  }
  control$effort <- control$effort * selection_defaults$share
  solve_problem(problem, control)
}

# The best local search from labels and from k-means++ starts, which end once two have the least W.
solve_until_settled <- function(problem, control, labels) {
  best <- NULL
  W <- numeric()
  for (some in selection_defaults$starts) {
    starts <- plusplus_labels(problem, control$k, some, greedy_candidates(control$k))
    out <- solve_starts(problem, control, if (is.null(best)) cbind(starts, labels) else starts, "start")
    if (is.null(best) || min(out$objectives) < min(W)) best <- out
    W <- c(W, out$objectives)
    if (sum(attains(W)) > 1L) break
  }
  best
}

# Labels of a solution with its cluster of largest W divided by k-means++.
divided_labels <- function(problem, fit) {
  inside <- fit$cluster == which.max(fit$cost) & problem$w > 0
  if (sum(inside) > 1L) {
    problem$w[!inside] <- 0
    parts <- plusplus_labels(problem, 2, 1, greedy_candidates(2))
    replace(fit$cluster, inside & parts == 2L, length(fit$s) + 1L)
  }
}

true_W <- function(problem, out) true_units(problem, sum(out$cost))

# W below this share of the total is 0 up to rounding.
vanishes <- function(W, total) W <= 1e-12 * abs(total)

# ---- the result class ----

new_selection <- function(fields, kind) {
  structure(fields, class = c(paste0("kgroups_select_", kind), "kgroups_selection", "kgroups_result"))
}

# The value of a criterion for each of ks, undefined yet.
undefined <- function(ks) list(value = rep(NA_real_, length(ks)), reason = rep(NA_character_, length(ks)))

# Reasons for undefined values: a data frame with a row for each of `at`.
new_reasons <- function(at, criterion, reason) {
  data.frame(at = at, criterion = rep_len(criterion, length(at)), reason = rep_len(reason, length(at)))
}

# The message of a condition, or of its first cause, as one line of plain text.
one_line <- function(condition) {
  while (!is.null(condition$parent)) condition <- condition$parent
  lines <- strsplit(cli::ansi_strip(conditionMessage(condition)), "\n", fixed = TRUE)[[1L]]
  bullet <- grepl("^([xi!*] |[^[:alnum:][:punct:][:space:]])", lines)
  lines <- trimws(ifelse(bullet, substring(lines, 3L), lines))
  paste(utils::head(lines[nzchar(lines)], 2L), collapse = " ")
}

selection_table <- function(table, best) {
  shown <- table
  numbers <- vapply(shown, is.numeric, NA)
  shown[numbers] <- lapply(shown[numbers], function(column) {
    ifelse(is.na(column), "-", trimws(format(signif(column, 4), digits = 4)))
  })
  marks <- ifelse(seq_len(nrow(table)) == best, "*", " ")
  text <- utils::capture.output(print(cbind(" " = marks, shown), row.names = FALSE))
  sub(" +$", "", text)
}

# Lines below a printed table: each reason once, with all places at which it holds.
reason_text <- function(reasons, what) {
  if (nrow(reasons) == 0L) {
    return(NULL)
  }
  failed <- reasons$criterion == "candidate"
  key <- paste(reasons$criterion, reasons$reason)
  lines <- vapply(which(!duplicated(key)), function(row) {
    at <- paste(reasons$at[key == key[row]], collapse = ", ")
    if (failed[row]) {
      return(sprintf("Failed: %s: %s", at, reasons$reason[row]))
    }
    sprintf("Not defined: %s at %s%s: %s", reasons$criterion[row], what, at, reasons$reason[row])
  }, "")
  c("", lines)
}

#' @export
print.kgroups_selection <- print_lines

# ---- checks ----

check_selected_semimetric <- function(semimetric, x, call) {
  semimetric <- chosen_semimetric(semimetric)
  if (is.list(semimetric) && !inherits(semimetric, "kgroups_semimetric")) {
    abort_argument(
      semimetric, "semimetric", "be one semimetric.", "Use `select_semimetric()` to compare several.", call = call
    )
  }
  if (brings_kernel(x) || inherits(x, "igraph")) {
    return(gram_semimetric(semimetric))
  }
  check_semimetric(semimetric %||% rho_power(1), call)
}

# Return whole numbers from 1 to `most`; `hint` is text.
check_counts <- function(x, arg, most, hint, call) {
  whole <- is.numeric(x) && length(x) > 0L && all(is.finite(x)) && all(x == round(x))
  if (whole && min(x) >= 1 && max(x) <= most) {
    return(as.integer(x))
  }
  wrong <- if (whole) x[x < 1 | x > most][1L] else x
  abort_argument(wrong, arg, "hold whole numbers from 1 to {most}.", "{hint}", call = call)
}

# Return a list of semimetrics with different names.
check_candidates <- function(candidates, call) {
  if (inherits(candidates, "kgroups_semimetric")) candidates <- list(candidates)
  if (is.character(candidates)) candidates <- as.list(candidates)
  if (!is.list(candidates) || length(candidates) == 0L) {
    abort_candidates(paste("You supplied", if (is.list(candidates)) "an empty list" else value_text(candidates)), call)
  }
  # metrics by name
  candidates <- lapply(candidates, function(one) if (is_string(one)) check_semimetric(one, call) else one)
  wrong <- which(!vapply(candidates, inherits, NA, what = "kgroups_semimetric"))
  if (length(wrong)) {
    abort_candidates(sprintf("Candidate %d is %s", wrong[1L], value_text(candidates[[wrong[1L]]])), call)
  }
  given <- names(candidates) %||% character(length(candidates))
  names(candidates) <- ifelse(nzchar(given), given, make.unique(vapply(candidates, short_name, "")))
  twice <- names(candidates)[anyDuplicated(names(candidates))]
  if (length(twice)) abort_candidates(paste("You supplied the name", quoted(twice), "twice"), call)
  candidates
}

abort_candidates <- function(came, call) {
  abort_input(
    "candidates", call, "Candidates must be a list of at least one semimetric, with different names.", "{came}.",
    "For example `list(rho_power(1/2), rho_power(1))`."
  )
}

# The call of the constructor: rho_gaussian(0.31)
short_name <- function(semimetric) {
  if (is_metric(semimetric)) {
    return(sprintf(
      'rho_metric("%s"%s)', semimetric$metric, if (semimetric$alpha != 1) paste0(", ", semimetric$alpha) else ""
    ))
  }
  value <- semimetric$parameter
  inside <- if (!is.numeric(value) || semimetric$family == "function") "" else format(signif(value, 3))
  sprintf("rho_%s(%s)", semimetric$family, inside)
}

# Semimetrics of a Gram matrix or a graph cannot be compared: it has one kernel.
abort_gram <- function(x, call) {
  graph <- inherits(x, "igraph")
  if (!brings_kernel(x) && !graph) {
    return(invisible())
  }
  abort_input(
    "x", call, "`x` must be points or dissimilarities.",
    if (graph) {
      "You supplied a graph, which has one kernel."
    } else {
      "You supplied a Gram matrix, which has its own semimetric."
    },
    "Supply the points or a <dist>; compare kernels by `select_k()` with \"stability\"."
  )
}

# Return which results are errors, and these as reasons; an error if all are.
failed_candidates <- function(results, call) {
  failed <- vapply(results, inherits, NA, what = "error")
  why <- vapply(results[failed], one_line, "", USE.NAMES = FALSE)
  if (all(failed)) {
    abort_input(
      "candidates", call, "At least one candidate must work on these data.",
      "{cli::qty(length(results))}{?It/All} failed. {names(results)[1L]}: {why[1L]}", "Try one alone by `kgroups()`."
    )
  }
  list(failed = failed, reasons = new_reasons(names(results)[failed], "candidate", why))
}

# Raise an error if all dissimilarities are 0, up to the rounding of a Gram matrix.
abort_all_equal <- function(problem, total, call) {
  self <- true_units(problem, sum(problem$w * abs(kernel_diagonal(problem))))
  if (abs(total) <= 1e-14 * self) {
    abort_input(
      "x", call, "The observations in `x` must not all be equal.", "All pairwise dissimilarities are 0.",
      "Check the columns and rows that you supplied."
    )
  }
}

abort_undefined <- function(criterion, reasons, call) {
  rows <- reasons[reasons$criterion == criterion, ]
  why <- paste0("At ", rows$at[1L], ": ", rows$reason[1L], ".")
  abort_input(
    "criterion", call, "Criterion {quoted(criterion)} must be defined somewhere among those compared.",
    "It is undefined everywhere. {why}", "Compare others, or use another criterion."
  )
}
