# Constraints on pairs of observations.
#   together  groups of rows stay in one cluster. A group is one observation with the sum of the weights, at half the
#             energy distance from others: W is that of the groups plus their inner dispersions, the same for all
#             partitions.
#   apart     pairs of rows are in different clusters.

# ---- settings ----

# Groups by number, NA for rows in none; of a sample those of its rows.
settle_together <- function(control, problem, call) {
  value <- read_links(control$together, "together", problem, call)
  if (is.matrix(value)) value <- component_numbers(value, problem$n)
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
  least <- 2L
  if (!is.matrix(value)) {
    groups <- split(seq_along(value), value)
    least <- max(lengths(groups), 0L)
    large <- which(lengths(groups) > (control$k %||% Inf))
    if (length(large)) {
      abort_clique(rows_text(utils::head(groups[[large[1L]]], control$k + 1L), problem), control$k, call)
    }
    value <- do.call(
      rbind, c(list(matrix(0L, 0L, 2L)), lapply(groups[lengths(groups) > 1L], function(rows) t(utils::combn(rows, 2L))))
    )
  }
  both <- which(control$together[value[, 1L]] == control$together[value[, 2L]])
  if (length(both)) {
    pair <- rows_text(value[both[1L], ], problem)
    abort_input(
      "apart", call, "No pair can be both `together` and `apart`.",
      "{pair[1L]} and {pair[2L]} are, directly or through other rows.", "Leave the pair out of one of them."
    )
  }
  control$apart <- structure(distinct_pairs(value), least = least)
  control
}

restrict_together <- function(groups, rows, n) named_groups(groups[rows])

restrict_apart <- function(pairs, rows, n) {
  at <- matrix(match(pairs, rows), ncol = 2L)
  structure(at[!is.na(rowSums(at)), , drop = FALSE], least = attr(pairs, "least"))
}

# Rows of one id need as many clusters.
#' @export
least_clusters.kgroups_apart_control <- function(control, n) {
  max(NextMethod(), 1L, if (nrow(control$apart)) attr(control$apart, "least") %||% 2L)
}

# The number of the component of each of n vertices, by first appearance.
component_numbers <- function(pairs, n) {
  graph <- igraph::make_graph(as.vector(t(pairs)), n = n, directed = FALSE)
  part <- with_igraph(igraph::components(graph))$membership
  match(part, unique(part))
}

distinct_pairs <- function(pairs) {
  pairs <- cbind(pmin(pairs[, 1L], pairs[, 2L]), pmax(pairs[, 1L], pairs[, 2L]))
  storage.mode(pairs) <- "integer"
  unique(pairs)
}

# ---- checks ----

# The form of `together` or `apart`; the rows are checked with the data.
check_links <- function(value, arg, call) {
  if (
    is.list(value) && !is.data.frame(value) && length(value) && all(vapply(value, is.atomic, NA) & lengths(value) > 1L)
  ) {
    pairs <- lapply(lapply(value, plain_integers), function(rows) {
      if (arg == "apart") t(utils::combn(rows, 2L)) else cbind(rows[-length(rows)], rows[-1L])
    })
    value <- do.call(rbind, pairs)
  }
  if (is.data.frame(value)) value[] <- lapply(value, plain_integers) else value <- column_vector(plain_integers(value))
  table <- is.data.frame(value) || is.matrix(value)
  if (if (table) ncol(value) == 2L else is.atomic(value) && !is.null(value) && is.null(dim(value))) {
    return(value)
  }
  abort_links(value, arg, call)
}

abort_links <- function(value, arg, call) {
  example <- if (arg == "together") {
    "rows of a group have the same id"
  } else {
    "rows of the same id are in different clusters"
  }
  abort_argument(
    value, arg,
    "be a two-column matrix of pairs of rows, a list of groups of rows, or a vector with an id for each row.",
    "`cbind(1, 2)` is the pair of rows 1 and 2; in a vector {example}, and `NA` or `FALSE` leaves a row free.",
    call = call
  )
}

# A two-column matrix of row numbers, or ids as integers.
read_links <- function(value, arg, problem, call) {
  n <- problem$n
  if (length(dim(value)) != 2L) {
    value <- match_rows(value, problem$names, arg, call = call)
    if (length(value) != n) abort_links(value, arg, call)
    if (is.logical(value)) value[!value] <- NA
    return(match(value, unique(value[!is.na(value)])))
  }
  pairs <- unname(as.matrix(value))
  row <- if (is.character(pairs)) rows_by_name(pairs, problem$names, arg, call) else pairs
  good <- is.numeric(row) & is.finite(row)
  good[good] <- row[good] >= 1 & row[good] <= n & row[good] == round(row[good])
  if (!all(good)) {
    wrong <- value_text(pairs[!good][1L])
    abort_input(
      arg, call, "The pairs in `{arg}` must be numbers from 1 to {n}, or names, of two rows.", "You supplied {wrong}.",
      "Rows are counted in the data that you supply."
    )
  }
  row <- matrix(as.integer(row), ncol = 2L)
  same <- which(row[, 1L] == row[, 2L])
  if (length(same)) {
    abort_input(
      arg, call, "A pair in `{arg}` must be of two different rows.",
      "Pair {same[1L]} is of {observation_text(row[same[1L], 1L], problem$names)} and itself.", "Leave it out."
    )
  }
  row
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
  rise <- rise_text(fit, fit$constraints$W_free, ", W is %.3g %% above that without constraints")
  c(NextMethod(), paste0(sprintf("Apart: %d pair%s", many, plural(many)), rise))
}

rows_text <- function(rows, problem) vapply(rows, observation_text, "", problem$names)

abort_clique <- function(rows, k, call) {
  abort_input(
    "apart", call, "No partition into {k} cluster{?s} keeps all pairs of `apart` apart.",
    "More rows than clusters are mutually apart: {rows}.", "Raise `k`, or leave one of these pairs out."
  )
}
