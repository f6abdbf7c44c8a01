# Labels of observations: vectors, factors and partitions of this and other packages as codes 1, ..., k, and weights
# and values for each row in the order of the rows, by name where both have names.

# Return the weights of n observations; NULL means all 1.
check_weights <- function(weights, n, arg = "weights", call = rlang::caller_env(), names = NULL) {
  if (is.null(weights)) {
    return(rep(1, n))
  }
  weights <- match_rows(weights, names, arg, call)
  must <- "`{arg}` must be {n} finite number{?s} that are not negative, not all 0."
  if (!is.numeric(weights) || length(weights) != n) {
    hint <- if (inherits(weights, "formula") || is_string(weights)) {
      "Give the numbers, for example `{arg} = data$w`."
    } else {
      "Give one weight per observation."
    }
    abort_input("weights", call, must, "You supplied {value_text(weights)}.", hint)
  }
  names <- names %||% names(weights)
  weights <- as.numeric(weights)
  range <- value_range(weights)
  finite <- range[["missing"]] + range[["infinite"]] == 0
  if (finite && range[["smallest"]] >= 0 && range[["largest"]] > 0) {
    return(weights)
  }
  at <- which(if (finite) weights < 0 else !is.finite(weights))
  if (length(at) == 0L) {
    abort_input("weights", call, must, "They are all 0.", "Leave `weights` out to weigh all observations alike.")
  }
  abort_input(
    "weights", call, must, "Weight {observation_text(at[1L], names)} is {format(weights[at[1L]])}.",
    if (finite) "A weight of 0 leaves a point out." else "Drop or replace it."
  )
}

# Return the labels of n observations as integers from 1 in the order of the sorted labels, which
# are the attribute `levels`. Partitions of kmeans(), pam(), Mclust() and package clue are taken;
# `k` cuts a tree of hclust(). With n = NULL any positive number of labels is accepted.
check_labels <- function(labels, n, arg = "cluster", call = rlang::caller_env(), names = NULL, k = NULL) {
  check_given(labels, arg, call)
  labels <- match_rows(partition_labels(labels, k), names, arg, call)
  expected <- n %||% max(1L, length(labels))
  if (!is.atomic(labels) || is.null(labels) || length(labels) != expected || NCOL(labels) > 1L) {
    hint <- if (inherits(labels, "hclust")) {
      "Cut the tree: `cutree(tree, k)`."
    } else if (arg != "init" && are_sizes(labels, expected)) {
      "If they are sizes of groups, the labels are `{arg} = rep(1:{length(labels)}, c({sizes_text(labels)}))`."
    } else if (is.data.frame(labels) && length(labels) == 1L && nrow(labels) == expected) {
      "Give its column: `{arg} = {arg}[[1]]`."
    } else if (is.data.frame(labels) && nrow(labels) == expected && arg %in% c("strata", "units")) {
      "Make one label of the columns: `{arg} = interaction({arg})`."
    } else if (is_string(labels) || inherits(labels, "formula")) {
      "Give the labels, for example `{arg} = data$group`."
    } else if (arg == "g" && is.data.frame(labels) && nrow(labels) == expected) {
      "Two samples are `list(x, y)`; of several groupings make one, `interaction(g)`."
    } else if (arg == "g" && (is.numeric(labels) || is.data.frame(labels))) {
      "Two samples are `list(x, y)`."
    } else if (!is.atomic(labels) || is.null(labels) || NCOL(labels) > 1L) {
      "A vector, a factor, or a partition (by `kmeans()`, `kgroups()`, package clue) is accepted."
    }
    must <- if (is.null(n)) {
      "give the labels of at least one observation."
    } else {
      "give one label for each of the {n} observation{?s}."
    }
    abort_argument(labels, arg, must, hint, call = call)
  }
  if (anyNA(labels)) {
    at <- observation_text(which(is.na(labels))[1L], names %||% names(labels))
    abort_input(
      arg, call, "`{arg}` must not have missing labels.", "Label {at} is missing.",
      if (arg == "init") {
        c(
          "For known labels of some rows use `together = replace(-seq_along(init), !is.na(init), na.omit(init))`.",
          "Pairs of rows that must not share a cluster are `apart`."
        )
      } else {
        "Drop those observations, or give them a label of their own."
      }
    )
  }
  if (arg %in% c("g", "fit")) check_whole_labels(labels, arg, call)
  label_codes(labels)
}

# Numbers that are labels of groups must be whole.
check_whole_labels <- function(labels, arg, call) {
  if (!is.double(labels) || is.object(labels) || all(labels == round(labels))) {
    return(invisible())
  }
  at <- format(labels[labels != round(labels)][1L])
  samples <- if (arg == "g") "`list(x, y)` for two samples, " else ""
  abort_input(
    arg, call, "Numbers in `{arg}` must be whole, because they are labels of groups.",
    "You supplied {at}, as of a measurement.",
    "Use {samples}`factor()` for labels, `cut()` for groups of a measurement."
  )
}

# Are these two or more sizes of groups of n observations?
are_sizes <- function(x, n) {
  is.numeric(x) && !is.object(x) && length(x) > 1L && length(x) <= 20L && !anyNA(x) && all(x > 0 & x == round(x)) &&
    sum(x) == n
}

# Return values, one for each of the rows with the names `rows`, in the order of the rows: by name if both have the same
# names, by position if one has none. Other names are refused.
match_rows <- function(values, rows, arg, call = rlang::caller_env()) {
  values <- column_vector(values)
  values <- if (arg == "weights" && inherits(values, "integer64")) {
    stats::setNames(from_integer64(values, NULL, arg, "weights", call), names(values))
  } else {
    plain_integers(values)
  }
  # a second sample, which check_whole_labels() refuses
  if (arg == "g" && is.double(values) && !is.object(values) && any(values != round(values), na.rm = TRUE)) {
    return(values)
  }
  labels <- if (is.list(values) && !is.data.frame(values)) partition_labels(values) else values
  at <- row_order(if (is.atomic(labels) && is.null(dim(labels))) names(labels), rows, arg, call)
  if (is.null(at)) values else labels[at]
}

# Return the names of observations that x has of its own.
names_of_rows <- function(x) {
  if (inherits(x, "dist")) {
    attr(x, "Labels")
  } else if (is.null(dim(x))) {
    if (is.atomic(x)) names(x)
  } else if (!is.data.frame(x) || .row_names_info(x) > 0L) {
    rownames(x)
  }
}

# Return an array of one dimension, as of tapply() or table(), or a matrix of one column as a vector with the names of
# its rows; other values as they are.
column_vector <- function(x) {
  if (!is.atomic(x) || !length(dim(x)) %in% 1:2 || NCOL(x) != 1L) {
    return(x)
  }
  names <- rownames(x)
  dim(x) <- NULL
  if (inherits(x, "table")) x <- unclass(x)
  stats::setNames(x, names)
}

# Return the places of the rows with the names `rows` in values or a table with the names `own`; NULL: by position.
row_order <- function(own, rows, arg, call = rlang::caller_env()) {
  if (
    is.null(own) || is.null(rows) || length(own) != length(rows) || identical(own, rows) || !all(nzchar(own)) ||
    !all(nzchar(rows))
  ) {
    return(NULL)
  }
  at <- match(rows, own)
  if (!anyNA(at) && !anyDuplicated(at)) {
    return(if (is.unsorted(at)) at)
  }
  came <- if (anyNA(at)) {
    "There is no name {quoted(rows[is.na(at)][1L])} of a row."
  } else {
    "{quoted(rows[duplicated(at)][1L])} stands twice."
  }
  hint <- if (arg == "data") {
    "Use `rownames(data) <- NULL` for the order of the observations."
  } else if (arg == "newdata") {
    "Its columns are the observations of the fit; without names they are taken in their order."
  } else if (arg == "contiguous") {
    "Vertices without names are taken in the order of the rows."
  } else if (arg == "by") {
    "Of a fit of other rows use its labels of these: `relabel(fit, predict(by, x))`."
  } else {
    "Use `unname({arg})` for the order of the rows."
  }
  abort_input(
    if (arg %in% c("weights_x", "weights_y")) "weights" else arg, call,
    "`{arg}` must have the names of the rows, each once, or no names.", came, hint
  )
}

# Return the numbers of rows that are named. Names that several rows have name none.
rows_by_name <- function(named, rows, arg, call) {
  twice <- named[named %in% rows[duplicated(rows)]]
  if (length(twice)) {
    abort_input(
      arg, call, "Names in `{arg}` must be those of one row each.", "Several rows have the name {quoted(twice[1L])}.",
      "Use numbers of rows."
    )
  }
  match(named, rows)
}

# Return the labels of a partition object; other values as they are.
partition_labels <- function(x, k = NULL) {
  if (inherits(x, "communities")) {
    return(igraph::membership(x))
  }
  if (inherits(x, c("kgroups_fit", "kgroups"))) { # also of package energy
    return(x$cluster)
  }
  if (inherits(x, "kgroups_changes") && is.null(dim(x$run))) {
    return(x$run)
  }
  if (inherits(x, "hclust") && !is.null(k) && !is.null(x$merge)) {
    return(catch_error(stats::cutree(x, k), error = function(e) x))
  }
  if (!is.list(x) || is.data.frame(x)) {
    return(x)
  }
  if (!isTRUE(catch_error(clue::is.cl_partition(x), error = function(e) FALSE))) {
    return(if (has_clusters(x)) .subset2(x, "cluster") else x)
  }
  named <- c("cluster", "clustering", "classification")
  names <- unlist(lapply(named, function(one) list(names(x[[one]]))), recursive = FALSE)
  ids <- catch_error(as.vector(unclass(clue::cl_class_ids(x))), error = function(e) x)
  if (is.atomic(ids)) stats::setNames(ids, Find(function(one) length(one) == length(ids), names)) else ids
}

# Has an object one label an observation as `cluster`, as those of packages dbscan and tclust (0 for noise)?
has_clusters <- function(x) {
  cluster <- if (is.object(x) && is.list(x) && !is.data.frame(x)) .subset2(x, "cluster")
  length(cluster) > 1L && is.null(dim(cluster)) && (is.numeric(cluster) || is.factor(cluster))
}

# Is it an object of a clustering?
is_clustering <- function(g) {
  inherits(g, c("kgroups_changes", "membership")) || !identical(partition_labels(g), g)
}

# Return the codes and levels of factor() without its conversion to text, which takes seconds for a
# million numbers and merges numbers that print alike. A factor keeps the order of its levels.
label_codes <- function(labels) {
  if (is.factor(labels)) {
    values <- seq_len(nlevels(labels))
    names <- levels(labels)
    labels <- as.integer(labels)
    used <- tabulate(labels, length(values)) > 0L
    values <- values[used]
    names <- names[used]
  } else {
    labels <- if (is.raw(labels)) as.integer(labels) else as.vector(labels)
    values <- unique(by_strips(labels, unique))
    values <- if (is.character(values)) sort_text(values) else values[order(values)]
    names <- as.character(values)
  }
  if (is.character(labels)) labels <- as_utf8(labels)
  codes <- by_strips(labels, function(some) match(some, values))
  attr(codes, "levels") <- names
  codes
}
