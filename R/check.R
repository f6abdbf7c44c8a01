# Checks of single arguments. Each returns the value in the type that the package works with, or
# raises an error of the class of the argument.

# Return a short description of any value, for the "x" line of an error.
value_text <- function(x) {
  size <- paste(dim(x), collapse = " x ")
  if (is.null(x)) {
    "NULL"
  } else if (is.function(x)) {
    "a function"
  } else if (is.data.frame(x)) {
    sprintf("a data frame with %d row%s and %d column%s", nrow(x), plural(nrow(x)), ncol(x), plural(ncol(x)))
  } else if (is_one_value_each(x)) {
    sprintf("an object of class %s", class(x)[1L])
  } else if (is.matrix(x)) {
    sprintf("%s %s matrix, %s", article(typeof(x)), typeof(x), size)
  } else if (is.array(x) && length(dim(x)) > 1L) {
    paste0("an array, ", size)
  } else if (is.factor(x)) {
    sprintf("a factor of length %d", length(x))
  } else if (is_string(x)) {
    encodeString(shorten(x, 80L), quote = "\"")
  } else if (is.atomic(x) && length(x) == 1L && is.null(dim(x)) && !inherits(x, c("kgroups_blueprint", "connection"))) {
    format(x, digits = 15)
  } else if (is.object(x)) {
    sprintf("an object of class %s", shorten(paste(class(x), collapse = "/"), 80L))
  } else if (is.atomic(x)) {
    kind <- if (is.double(x)) "numeric" else typeof(x)
    sprintf("%s %s vector of length %d", article(kind), kind, length(x))
  } else if (is.list(x)) {
    sprintf("a list of length %d", length(x))
  } else {
    # the length of calls, symbols and environments has no meaning here
    if (is.call(x)) "a call" else paste(article(typeof(x)), typeof(x))
  }
}

# Is it a matrix whose rows are values of its class, as times of survival with their status?
is_one_value_each <- function(x) is.object(x) && is.matrix(x) && length(x) != length(unclass(x))

# Raise the usual error of an argument: "`arg` must ...", "You supplied ...", hint. `must` and
# `hint` are templates, evaluated where the function is called.
abort_argument <- function(x, arg, must, hint = NULL, what = arg, call = rlang::caller_env(),
                           .envir = parent.frame()) {
  if (inherits(x, "kgroups_semimetric") && !arg %in% c("semimetric", "base")) hint <- "Name it: `semimetric = `."
  values <- rlang::env(.envir, kg_arg = arg, kg_came = value_text(x))
  abort_input(what, call, paste("`{kg_arg}` must", must), "You supplied {kg_came}.", hint, values)
}

# Raise an error if an argument without a default was left out.
check_given <- function(x, arg, call = rlang::caller_env()) if (missing(x)) abort_left_out(arg, call)

abort_left_out <- function(arg, call) abort_input(arg, call, "`{arg}` must be given.", "You left it out.")

check_package <- function(package, purpose, call = rlang::caller_env()) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort_input(
      "package", call,
      "{purpose} needs the package {package}.",
      "It is not installed.",
      "Run `install.packages(\"{package}\")`."
    )
  }
}

# Return the number of an observation for a message, with its name if it has one.
observation_text <- function(at, names = NULL) {
  name <- if (length(names) >= at) as.character(names[at]) else NA
  if (is.na(name) || !nzchar(name) || name == as.character(at)) {
    return(as.character(at))
  }
  sprintf("%d (%s)", as.integer(at), shorten(name, 60L))
}

is_number <- function(x) {
  is.numeric(x) && length(x) == 1L && is.null(dim(x)) && !is.na(x)
}

# Return a whole number from `min` to `max` as a double, because n may exceed the integers.
# `hint` is text.
check_count <- function(x, arg, min = 1, max = Inf, hint = NULL, call = rlang::caller_env()) {
  if (missing(x)) abort_left_out(arg, call)
  if (is_number(x) && is.finite(x) && x == round(x) && x >= min && x <= max) {
    return(as.numeric(x))
  }
  range <- if (is.finite(max)) {
    sprintf("from %s to %s", format(min), format(max, scientific = FALSE))
  } else {
    sprintf("of at least %s", format(min))
  }
  if (arg == "k" && length(dim(x)) == 2L) {
    hint <- "The data come first: `kgroups(x, k)`; centres are no start."
  } else if (arg == "k" && is.numeric(x) && length(x) > 1L) {
    hint <- "To compare numbers of clusters use `select_k(x, ks)`; its $k is one number."
  }
  abort_argument(x, arg, "be a whole number {range}.", if (!is.null(hint)) "{hint}", call = call)
}

# Return a finite number in an interval; `open` marks the ends that are left out.
check_number <- function(x, arg, min = -Inf, max = Inf, open = c(FALSE, FALSE), call = rlang::caller_env()) {
  if (missing(x)) abort_left_out(arg, call)
  inside <- is_number(x) && is.finite(x) &&
    (if (open[1]) x > min else x >= min) && (if (open[2]) x < max else x <= max)
  if (inside) {
    return(as.numeric(x))
  }
  lower <- if (is.finite(min)) paste(if (open[1]) "above" else "at least", format(min))
  upper <- if (is.finite(max)) paste(if (open[2]) "below" else "at most", format(max))
  ends <- c(lower, upper)
  range <- if (length(ends)) paste("a number,", paste(ends, collapse = " and ")) else "a finite number"
  abort_argument(x, arg, "be {range}.", call = call)
}

check_flag <- function(x, arg, call = rlang::caller_env()) {
  if (is.logical(x) && length(x) == 1L && !is.na(x)) {
    return(x)
  }
  abort_argument(x, arg, "be TRUE or FALSE.", call = call)
}

# Return one of a set of names; a default given as the whole set means its first. `several`: the hint for more than
# one, `else_hint` for a name that is near none.
check_choice <- function(x, arg, choices, call = rlang::caller_env(), several = NULL, else_hint = NULL) {
  if (identical(x, choices)) {
    return(choices[[1L]])
  }
  if (is_string(x) && x %in% choices) {
    return(x)
  }
  near <- if (is_string(x)) nearest_name(x, choices)
  other <- if (is.character(x) && length(x) > 1L) several else if (length(near) == 0L) else_hint
  abort_argument(
    x, arg, "be one of {either(quoted(choices))}.",
    if (!is.null(other)) "{other}" else if (length(near)) "Did you mean {quoted(near)}?",
    call = call
  )
}

# Return the weights of n observations; NULL means all 1.
check_weights <- function(weights, n, arg = "weights", call = rlang::caller_env(), names = NULL) {
  if (is.null(weights)) {
    return(rep(1, n))
  }
  weights <- match_rows(weights, names, arg, call)
  given <- value_text(weights)
  one_each <- is.numeric(weights) && length(weights) == n
  at <- NULL
  if (one_each) {
    names <- names %||% names(weights)
    weights <- as.numeric(weights)
    range <- value_range(weights)
    finite <- range[["missing"]] + range[["infinite"]] == 0
    if (finite && range[["smallest"]] >= 0 && range[["largest"]] > 0) {
      return(weights)
    }
    at <- which(if (finite) weights < 0 else !is.finite(weights))
  }
  if (!one_each) {
    came <- sprintf("You supplied %s.", given)
    hint <- if (inherits(weights, "formula") || is_string(weights)) {
      sprintf("Give the numbers, for example `%s = data$w`.", arg)
    } else {
      "Give one weight per observation."
    }
  } else if (length(at) == 0L) {
    came <- "They are all 0."
    hint <- "Leave `weights` out to weigh all observations alike."
  } else {
    came <- sprintf("Weight %s is %s.", observation_text(at[1L], names), format(weights[at[1L]]))
    hint <- if (finite) "A weight of 0 leaves a point out." else "Drop or replace it."
  }
  must <- "`{arg}` must be {n} finite number{?s} that are not negative, not all 0."
  abort_input("weights", call, must, "{came}", "{hint}")
}

# Return 64-bit integers as numbers. Refuse those of more than the 53 bits of a double.
from_integer64 <- function(x, label, arg, what, call) {
  check_package("bit64", "An argument with 64-bit integers", call)
  refuse <- function(e) {
    abort_input(
      what, call,
      "64-bit integers must be below 2^53, up to which doubles represent them exactly.",
      if (is.null(label)) {
        "`{arg}` has larger ones."
      } else {
        "Column {label} of `{arg}` has larger ones."
      },
      if (!is.null(label)) "If the column is an identifier, drop it."
    )
  }
  tryCatch(bit64::as.double.integer64(x), warning = refuse, error = refuse)
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
      arg, call,
      "`{arg}` must not have missing labels.",
      "Label {at} is missing.",
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
  abort_input(
    arg, call,
    "Numbers in `{arg}` must be whole, because they are labels of groups.",
    "You supplied {at}, as of a measurement.",
    if (arg == "g") {
      "Use `list(x, y)` for two samples, `factor()` for labels, `cut()` for groups of a measurement."
    } else {
      "Use `factor()` for labels, `cut()` for groups of a measurement."
    }
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

# A vector of times in the unit of the first one. Dates and times do not compare.
same_time <- function(x, arg, first, call, what = "y", of = "`x`") {
  if (!is.null(dim(x)) || !is.null(dim(first))) {
    return(x)
  }
  if (inherits(x, "difftime") && inherits(first, "difftime")) units(x) <- attr(first, "units")
  kind <- function(x) intersect(class(x), c("Date", "POSIXt", "difftime"))
  if (!identical(kind(x), kind(first))) {
    abort_input(
      what, call, "{of} and `{arg}` must be of the same type.",
      "You supplied {value_text(first)} and {value_text(x)}.", "Convert one of them."
    )
  }
  x
}

# Return one value of the class and unit of dates or times; NULL of others.
unit_of <- function(x) {
  if (inherits(x, c("Date", "POSIXt", "difftime"))) structure(0, class = class(x), units = attr(x, "units"))
}

# Return a new vector that plain_numbers() returned in the unit of the data; numbers without a unit are taken as such.
in_unit_of_data <- function(x, unit, arg, call) {
  own <- attr(x, "unit", exact = TRUE)
  if (is.null(own) || is.null(unit)) {
    return(x)
  }
  values <- structure(as.vector(x), class = class(own), units = attr(own, "units"))
  values <- same_time(values, arg, unit, call, arg, "The data")
  stats::setNames(as.vector(unclass(values)), names(x))
}

# Return 64-bit integers of an argument as numbers, or as text if these are inexact.
plain_integers <- function(x) {
  if (!inherits(x, "integer64") || !is.double(x)) {
    return(x)
  }
  text <- bit64::as.character.integer64(x)
  x <- unclass(x)
  x[] <- seq_along(x) # keeps names and dimensions
  storage.mode(x) <- typeof(values <- utils::type.convert(text, as.is = TRUE, numerals = "no.loss"))
  x[] <- values
  x
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
      arg, call, "Names in `{arg}` must be those of one row each.",
      "Several rows have the name {quoted(twice[1L])}.",
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
  known <- c("kgroups_fit", "kgroups", "kgroups_changes", "communities", "membership")
  inherits(g, known) || is.list(g) && !is.data.frame(g) &&
    (has_clusters(g) || isTRUE(catch_error(clue::is.cl_partition(g), error = function(e) FALSE)))
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

# Objects of other packages in the place of the data, by class, with what to pass; objects of the package itself.
other_objects <- c(
  formula = "It takes no formula: pass the columns, as `subset(data, select = c(a, b))`.",
  prcomp = "Use its scores: `x$x[, 1:2]`.",
  crossdist = "Distances between two sets are `newdata` of predict(); those of one set are `proxy::dist(x)`.",
  hclust = "`cutree(x, k)` cuts the tree, and `cophenetic(x)` has its distances.",
  kmeans = "The data come first; a partition is `init`.",
  pam = "The data come first; a partition is `init`.",
  Mclust = "The data come first; a partition is `init`.",
  kgroups_fit = "The data come first; a fit is `init`, `cluster` or `fit` of other functions.",
  kgroups_semimetric = "The data come first, and the semimetric has its name: `semimetric = rho_power(1)`.",
  kgroups_blocks = "`kgroups()` alone takes blocks; other functions take the rows of one, or a sample of the rows.",
  kgroups_select_k = "The data come first: `kgroups(data, x)`.",
  transactions = "Use `methods::as(x, \"matrix\") + 0` with `semimetric = \"jaccard\"`."
)

# Return a hint for an object that is no data, or NULL.
object_hint <- function(x) {
  known <- intersect(class(x), names(other_objects))
  if (length(known)) {
    other_objects[[known[1L]]]
  } else if (is_string(x) && grepl("[./\\\\]", x)) {
    "Read the file first; for one larger than memory see `vignette(\"large\")`."
  } else if (inherits(x, "connection")) {
    "Read it first, as `read.csv(x)`."
  } else if (is.list(x) && !is.object(x)) {
    list_hint(x)
  }
}

# Elements of one length may be columns; others are samples of units, or parts of which one is the data.
list_hint <- function(x) {
  vectors <- length(x) > 0L && all(vapply(x, function(one) is.numeric(one) && is.null(dim(one)), NA))
  if (!vectors) {
    table <- which(vapply(x, function(one) is.data.frame(one) || is.matrix(one), NA))
    at <- if (length(table) && nzchar(rlang::names2(x)[table[1L]])) names(x)[table[1L]]
    if (is.null(at)) "Pass one element, as `x[[1]]`." else sprintf("Pass one element, as `x$%s`.", at)
  } else if (length(unique(lengths(x))) == 1L) {
    "Use `as.data.frame(x)` if its elements are columns, `do.call(rbind, x)` if they are rows."
  } else {
    "If an element is a unit of several rows: `kgroups(unlist(x), k, units = rep(seq_along(x), lengths(x)))`."
  }
}

check_data <- function(x, call) {
  if (missing(x) || is.null(x)) {
    came <- if (missing(x)) "left it out" else "supplied NULL"
    abort_input(
      "x", call,
      "`x` must be numeric data, a <dist> object or a Gram matrix.",
      "You {came}.",
      if (!missing(x)) "Check how `x` was made."
    )
  }
  # before other arguments are refused
  foreign <- c("connection", "kgroups_semimetric", "kgroups_select_k", "prcomp", "crossdist")
  if (inherits(x, foreign)) abort_no_data(x, object_hint(x), call)
  if (inherits(x, "Matrix")) check_matrix_object(x, call)
}

abort_no_data <- function(x, hint, call) {
  abort_input(
    "x", call, "`x` must be numeric data, a <dist> object or a Gram matrix.", "You supplied {value_text(x)}.",
    "{hint}"
  )
}

# A damaged sparse Matrix would make compiled code read outside of its arrays.
check_matrix_object <- function(x, call, arg = "x") {
  if (!inherits(x, "Matrix")) {
    return(invisible(x))
  }
  fault <- catch_error(methods::validObject(x, test = TRUE, complete = TRUE), error = conditionMessage)
  if (isTRUE(fault)) {
    return(invisible(x))
  }
  abort_input(
    if (arg %in% c("x", "newdata", "graph")) arg else "x", call,
    "`{arg}` must be a valid <Matrix>.",
    "You supplied an invalid object of class <{class(x)[1L]}>: {fault[1L]}.",
    "Make it again, for example by `Matrix::sparseMatrix()`."
  )
}

# I() and a dense symmetric Matrix around a Gram matrix change nothing.
is_gram <- function(x) {
  inherits(x, c("kgroups_gram", "kernelMatrix")) ||
    inherits(x, "denseMatrix") && nrow(x) == ncol(x) && Matrix::isSymmetric(x, checkDN = FALSE)
}

# Is it a matrix of numbers or a data frame, one observation a row?
is_table <- function(x) is.data.frame(x) || is.matrix(x) && is.numeric(x) && !is_gram(x)

# Is a sparse Matrix data, a row each observation? A square symmetric one is a Gram matrix.
is_sparse_rows <- function(x) {
  inherits(x, "sparseMatrix") && (nrow(x) != ncol(x) || !Matrix::isSymmetric(x, tol = 1e-8, checkDN = FALSE))
}

# Return x without I().
drop_as_is <- function(x) {
  class(x) <- setdiff(class(x), "AsIs")
  if (identical(oldClass(x), c("matrix", "array"))) oldClass(x) <- NULL
  x
}

# Names of the dots, for R before 4.1.3 too.
...names_compat <- function(...) names(match.call(expand.dots = TRUE))[-1L]

# Refuse arguments that a function does not have. `also`: arguments that the function takes in its dots.
check_no_dots <- function(..., call, topic = "kgroups", also = NULL) {
  if (...length() == 0L) {
    return(invisible())
  }
  names <- ...names_compat(...)
  name <- if (is.null(names)) "" else names[[1L]]
  number <- ...length()
  taken <- arguments_of(call)
  known <- unique(c(setdiff(taken, "..."), also))
  hint <- if (nzchar(name)) {
    argument_hint(name, known)
  }
  named <- if ("..." %in% taken) taken[-seq_len(match("...", taken))]
  page <- if (grepl("-", topic, fixed = TRUE)) sprintf("help(\"%s\")", topic) else paste0("?", topic)
  abort_input(
    "dots", call,
    "Unknown argument.",
    if (nzchar(name)) {
      "You supplied `{name}`."
    } else {
      "You supplied {number} argument{?s} too many, without {?a name/names}."
    },
    if (!is.null(hint)) {
      "{hint} See `{page}`."
    } else if (nzchar(name)) {
      "See `{page}` for the arguments."
    } else if (inherits(..1, "kgroups_semimetric")) {
      "Name it: `semimetric = `."
    } else if (inherits(..1, "formula")) {
      "A formula comes first; the data are `data`."
    } else if (length(named)) {
      "Name it, as `{named[1L]} = ...`; see `{page}`."
    } else {
      "See `{page}` for the arguments."
    }
  )
}

# Return the names of the arguments of the function with a frame.
arguments_of <- function(frame) {
  at <- Find(function(i) identical(sys.frame(i), frame), rev(seq_len(sys.nframe())))
  if (is.null(at)) character() else as.character(names(formals(sys.function(at))))
}

check_threads <- function(threads, arg = "threads", call = rlang::caller_env()) {
  check_count(
    threads, arg, 1, 1024, if (is.character(threads)) "For all cores use parallel::detectCores().", call
  )
}
