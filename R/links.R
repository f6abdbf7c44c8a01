# Constraints on pairs of observations.
#   together  groups of rows stay in one cluster. A group is one observation with the sum of the weights, at half the energy
#             distance from others: W is that of the groups plus their inner dispersions, the same for all partitions.
#   apart     pairs of rows are in different clusters: a proper colouring of their graph. Local search makes moves of one row,
#             and exchanges along chains: a component of the graph within two clusters changes sides, the least is two rows.

fit_variants$together <- list(
  class = "together", default = NULL, check = function(value, call) check_links(value, "together", call),
  excludes = c("approx", "size_term", "sizes", "trim"),
  settle = function(control, problem, call) settle_together(control, problem, call)
)

fit_variants$apart <- list(
  class = "apart", default = NULL, check = function(value, call) check_links(value, "apart", call),
  excludes = c("approx", "size_term", "sizes", "trim", "method = \"lloyd\""),
  settle = function(control, problem, call) settle_apart(control, problem, call)
)

# ---- together ----

# A solution as in R/solve.R of the groups as observations, by the solver that is left.
#' @export
solve_problem.kgroups_together_control <- function(problem, control, call = rlang::caller_env()) {
  problem <- code_categories(problem)
  group <- unit_numbers(control$together)
  units <- grouped_problem(problem, group, call)
  check_units(units$problem, control$k, call)
  inner <- inner_control(control)
  if (is.numeric(control$init)) inner$init <- majority_labels(control$init, problem$w, group, units$problem$w, control$k)
  if (!is.null(control$apart)) inner$apart <- distinct_pairs(matrix(group[control$apart], ncol = 2L))
  found <- solve_problem(units$problem, inner, call)
  out <- solution_of_labels(problem, control$k, found$cluster[group])
  rest <- sum(units$within)
  out$objectives <- true_units(units$problem, found$objectives) + rest
  kept <- c("best_start", "iterations", "moves", "converged", "rose", "search", "init")
  out[kept] <- found[kept]
  out$fall <- if (!is.null(found$fall)) true_units(units$problem, found$fall)
  W_free <- found$extra$constraints$W_free
  out$extra <- list(constraints = list(
    together = control$together, apart = control$apart, W_free = if (!is.null(W_free)) true_units(problem, W_free + rest)
  ))
  out
}

# Number the units by first appearance: groups, and rows in none.
unit_numbers <- function(together) {
  key <- ifelse(is.na(together), -seq_along(together), together)
  match(key, unique(key))
}

# list(problem, within): the problem of groups of rows, in whose store B = -rho/2 with rho half the energy distance, and the
# dispersions within groups (internal units). In a group of weight 0 all rows count alike.
grouped_problem <- function(problem, group, call) {
  m <- max(group)
  check_memory(
    40 * m^2, m, "the dissimilarities of groups",
    hint = fill_templates("{.arg together} needs those of all pairs of groups and single rows."), call = call
  )
  weight <- sum_by(problem$w, group, m)
  problem$w <- replace(problem$w, weight[group] == 0, 1)
  s <- sum_by(problem$w, group, m)
  sums <- dispersion_sums(problem, group, m)
  within <- sums$within %||% (sums$t - diag(sums$M) / s)
  self <- sums$t / s
  B <- sums$M / outer(s, s) - outer(self, self, "+") / 2
  own <- within / s
  B <- B + outer(own, own, "+") / 2
  B <- (B + t(B)) / 2
  diag(B) <- 0
  units <- new_problem(new_dense_store(B), problem$names, weight)
  units$unit_row <- which(!duplicated(group))
  list(problem = units, within = ifelse(weight > 0, within, 0))
}

# The label of the largest weight in each group; every cluster keeps a group.
majority_labels <- function(labels, w, group, weight, k) {
  w <- if (min(weight) > 0) w else w + max(w) * 1e-12
  shares <- vapply(seq_len(k), function(l) sum_by(w * (labels == l), group, length(weight)), numeric(length(weight)))
  fill_clusters(max.col(matrix(shares, ncol = k), ties.method = "first"), weight, k)
}


# ---- settings ----

# Groups by number, NA for rows in none; of a sample those of its rows.
settle_together <- function(control, problem, call) {
  value <- read_links(control$together, "together", problem, call)
  if (is.matrix(value)) value <- pair_components(value, problem$n)
  control$together <- named_groups(value)
  control
}

# Groups of one row are none.
named_groups <- function(id) {
  id[!id %in% id[duplicated(id)]] <- NA
  match(id, unique(id[!is.na(id)]))
}

# Pairs of row numbers, each once.
settle_apart <- function(control, problem, call) {
  value <- read_links(control$apart, "apart", problem, call)
  if (!is.matrix(value)) {
    groups <- split(seq_along(value), value)
    large <- which(lengths(groups) > (control$k %||% Inf))
    if (length(large)) abort_apart("clique", utils::head(groups[[large[1L]]], control$k + 1L), control$k, problem, call)
    value <- do.call(rbind, c(list(matrix(0L, 0L, 2L)), lapply(groups[lengths(groups) > 1L], function(rows) t(utils::combn(rows, 2L)))))
  }
  both <- which(control$together[value[, 1L]] == control$together[value[, 2L]])
  if (length(both)) {
    pair <- rows_text(value[both[1L], ], problem)
    abort_input(
      "apart", call,
      "No pair can be both {.arg together} and {.arg apart}.",
      "{pair[1L]} and {pair[2L]} are, directly or through other rows.",
      "Leave the pair out of one of them."
    )
  }
  control$apart <- distinct_pairs(value)
  control
}

distinct_pairs <- function(pairs) {
  pairs <- cbind(pmin(pairs[, 1L], pairs[, 2L]), pmax(pairs[, 1L], pairs[, 2L]))
  storage.mode(pairs) <- "integer"
  unique(pairs)
}

#' @export
control_on_sample.kgroups_together_control <- function(control, rows, n) {
  control$together <- named_groups(control$together[rows])
  NextMethod()
}

#' @export
control_on_sample.kgroups_apart_control <- function(control, rows, n) {
  pairs <- matrix(match(control$apart, rows), ncol = 2L)
  control$apart <- pairs[!is.na(rowSums(pairs)), , drop = FALSE]
  NextMethod()
}

# The size of the largest clique that is found: fewer clusters break a pair.
#' @export
least_clusters.kgroups_apart_control <- function(control, n) {
  pairs <- control$apart
  if (!is.null(control$together)) pairs <- distinct_pairs(matrix(unit_numbers(control$together)[pairs], ncol = 2L))
  graph <- conflict_graph(pairs, n)
  cliques <- lapply(graph$component, function(rows) large_clique(graph, rows))
  odd <- vapply(graph$component, function(rows) !is.null(odd_cycle(graph, rows)), NA)
  max(1L, lengths(cliques), if (any(odd)) 3L)
}

# Settings of a fit whose constraints are those of the rows that are left, if some rows of x are out.
settings_without <- function(settings, out, x) {
  if (length(out)) {
    n <- NROW(x)
    links <- intersect(c("together", "apart"), names(settings))
    settings[links] <- lapply(settings[links], values_of_rows, seq_len(n)[-out], n, names_of_rows(x)$names)
  }
  settings
}

# ---- checks ----

# The form of `together` or `apart`; the rows are checked with the data.
check_links <- function(value, arg, call) {
  table <- is.data.frame(value) || is.matrix(value)
  if (if (table) ncol(value) == 2L else is.atomic(value) && !is.null(value) && is.null(dim(value))) {
    return(value)
  }
  abort_links(value, arg, call)
}

abort_links <- function(value, arg, call) {
  example <- if (arg == "together") "rows of a group have the same id" else "rows of the same id are in different clusters"
  abort_argument(
    value, arg, "be a two-column matrix of pairs of rows, or a vector with an id for each row.",
    "{.code cbind(1, 2)} is the pair of rows 1 and 2; in a vector {example}, and {.code NA} or {.code FALSE} leaves a row free.",
    call = call
  )
}

# A two-column matrix of row numbers, or ids as integers.
read_links <- function(value, arg, problem, call) {
  n <- problem$n
  if (length(dim(value)) != 2L) {
    value <- match_rows(value, problem$names, arg, call = call)
    if (length(value) != n) abort_links(value, arg, call)
    if (is.logical(value)) value[!value] <- NA else inform_unknown_ids(value, arg)
    return(match(value, unique(value[!is.na(value)])))
  }
  pairs <- unname(as.matrix(value))
  row <- if (is.character(pairs)) match(pairs, problem$names) else pairs
  good <- is.numeric(row) & is.finite(row)
  good[good] <- row[good] >= 1 & row[good] <= n & row[good] == round(row[good])
  if (!all(good)) {
    wrong <- value_text(pairs[!good][1L])
    abort_input(
      arg, call,
      "The pairs in {.arg {arg}} must be numbers from 1 to {n}, or names, of two rows.",
      "You supplied {wrong}.",
      "Rows are counted in the data that you supply."
    )
  }
  row <- matrix(as.integer(row), ncol = 2L)
  same <- which(row[, 1L] == row[, 2L])
  if (length(same)) {
    abort_input(
      arg, call, "A pair in {.arg {arg}} must be of two different rows.",
      "Pair {same[1L]} is of {observation_text(row[same[1L], 1L], problem$names)} and itself.", "Leave it out."
    )
  }
  row
}

# Many rows of an id that stands for unknown elsewhere: a negative number or a word for missing values, or 0 if no id is as frequent.
inform_unknown_ids <- function(ids, arg) {
  ids <- as.character(ids)
  values <- unique(ids[!is.na(ids)])
  size <- tabulate(match(ids, values), length(values))
  code <- is_missing_word(values) | grepl("^-[0-9.]+$", values) | values == "0" & sum(size == max(size, 0L)) == 1L
  at <- which(code & size > 1L)
  if (length(at) && length(values) > 1L) {
    id <- encodeString(values[at[1L]], quote = "\"")
    many <- size[at[1L]]
    kg_inform(
      c(
        "{many} rows have the id {id} in {.arg {arg}}: they are {if (arg == 'together') 'in one cluster' else 'all in different clusters'}.",
        "i" = "If it stands for unknown, {.code NA} leaves them free: {.code {arg} = replace(ids, ids == {id}, NA)}."
      ),
      "ids"
    )
  }
}

# Are there enough groups for k clusters?
check_units <- function(units, k, call) {
  many <- count_inside(units)
  if (many < k) {
    abort_input(
      "together", call,
      "{.arg together} must leave at least {.arg k} groups or single rows of positive weight.",
      "It leaves {many} for {k} clusters.",
      "Lower {.arg k}, or put fewer rows together."
    )
  }
}

# ---- methods ----

#' @export
input_text.kgroups_together_fit <- function(fit) {
  together <- fit$constraints$together
  rows <- sum(!is.na(together))
  groups <- length(unique(together[!is.na(together)]))
  c(NextMethod(), sprintf("Together: %d row%s in %d group%s", rows, plural(rows), groups, plural(groups)))
}

#' @export
input_text.kgroups_apart_fit <- function(fit) {
  many <- nrow(fit$constraints$apart)
  W_free <- fit$constraints$W_free
  rise <- if (!is.null(W_free) && W_free > 0) 100 * (fit$W / W_free - 1)
  c(
    NextMethod(),
    paste0(
      sprintf("Apart: %d pair%s", many, plural(many)),
      if (!is.null(rise)) if (rise < 1e-8) ", W is the same without them" else sprintf(", W is %.3g %% above that without these pairs", rise)
    )
  )
}
