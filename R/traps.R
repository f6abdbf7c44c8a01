# Silent traps: input that is probably not what it was taken for. Every exported function
# that takes observations comes through as_problem(), whose front asks here, so that the same
# input is spoken of in the same words everywhere, and once a call. Nothing is changed and
# nothing refused: what is computed is what was asked for.

#' Input that is probably not what it was taken for
#'
#' Every function of the package that takes observations looks at them for the mistakes below and
#' says so, once a call. The result is what was asked for all the same.
#'
#' Of data:
#' * a square symmetric matrix, 0 on the diagonal, nothing below 0: warning
#'   `kg_warning_dissimilarities`. Distances go through [as.dist()];
#' * the same, of 0 and 1 only: warning `kg_warning_adjacency`. A graph is made by
#'   `igraph::graph_from_adjacency_matrix()`;
#' * another square symmetric matrix: message `kg_message_gram`. A Gram matrix is marked by
#'   [as_gram()];
#' * standard deviations of columns more than 100-fold apart: message `kg_message_scale`. See [scale()];
#' * a column that numbers the rows (0 or 1 to n in their order, from 10 rows on; other columns
#'   do not go up in equal steps), or different whole numbers in a column called `id` or the like:
#'   message `kg_message_id`. Leave it out;
#' * two columns that read as the ends of edges (the numbers 1 to m without a gap, or labels that
#'   occur in both; each row another pair, none a pair of equals; from 10 rows on): message
#'   `kg_message_edges`. A graph is made by `igraph::graph_from_edgelist()`.
#'
#' Of a data frame:
#' * numbers that all have a label, as `haven` reads them from files of SPSS, Stata and SAS: message
#'   `kg_message_labels`. They count as numbers, which is right for ratings; `haven::as_factor()`
#'   makes categories of them.
#'
#' Of a Gram matrix:
#' * 0 on the diagonal and nothing below 0: warning `kg_warning_dissimilarities`, or
#'   `kg_warning_adjacency` where there are only 0 and 1. Of sparse ones the latter only.
#'
#' Of a `dist`:
#' * values between 0 and 1 whose roots break the triangle inequality often, while 1 minus them hardly
#'   does: warning `kg_warning_similarities`. Similarities are turned round by `1 - x`. Nothing is
#'   said where an attribute tells the method of the distances.
#'
#' All are also of class `kg_warning` or `kg_message`, so that
#' `suppressMessages(kgroups(x, 3), classes = "kg_message_scale")` leaves out one kind.
#' @section Complexity: A look at the data: \eqn{O(n d)}{O(n d)}; above 4000 rows at 2000 of them; at
#'   24 observations of a `dist`.
#' @family inputs
#' @examples
#' x <- cbind(id = 1:150, iris[1:4])
#' fit <- kgroups(x, 3)
#' @name input-traps
NULL

inform_traps <- function(x, arg = "x") {
  if (!first_look(arg)) {
    return(invisible())
  }
  if (inherits(x, "AsIs")) x <- as_it_was(x)
  if (inherits(x, "dist")) {
    inform_dist(x, arg)
  } else if (is_gram(x) || inherits(x, "Matrix")) {
    inform_gram(x, arg)
  } else if (is.data.frame(x) || is.matrix(x)) {
    traps_of_points(x, arg)
  }
  invisible()
}

# Is this the first look at the argument within a call of an exported function? The outermost
# of our functions that is running remembers it. Methods for fits and workers of a plan look
# at data that were spoken of before.
first_look <- function(arg) {
  ours <- topenv()
  for (i in seq_len(sys.nframe())) {
    f <- sys.function(i)
    if (!identical(environment(f), ours)) next
    if (!is_exported(f, sys.call(i)[[1L]], ours)) {
      return(FALSE)
    }
    frame <- sys.frame(i)
    seen <- frame[[".looked_at"]]
    if (arg %in% seen) {
      return(FALSE)
    }
    assign(".looked_at", c(seen, arg), envir = frame)
    return(TRUE)
  }
  FALSE
}

# Is a running function one of those that users call? Most are called by their name.
is_exported <- function(f, called, ours) {
  exports <- ours[[".__NAMESPACE__."]][["exports"]]
  if (is.name(called) && exists(called, envir = exports, inherits = FALSE)) {
    return(TRUE)
  }
  any(vapply(names(exports), function(name) identical(f, ours[[name]]), NA))
}

# ---- points ----

traps_of_points <- function(x, arg) {
  if (is.data.frame(x)) inform_labels(x, arg)
  n <- nrow(x)
  if (n < 3L || ncol(x) < 2L) {
    return(invisible())
  }
  if (ncol(x) == 2L && looks_like_edges(x)) {
    kg_inform(
      c(
        "{.arg {arg}} looks like a list of edges: two columns of the same labels.",
        "i" = "For the graph itself pass {.code igraph::graph_from_edgelist(as.matrix({arg}), directed = FALSE)}."
      ),
      "edges"
    )
  }
  # of a square matrix all rows tell whether it is symmetric
  some <- n > 4000L && (n != ncol(x) || n > 20000L)
  rows <- if (some) round(seq(1, n, length.out = 2000)) else seq_len(n)
  points <- numeric_look(x, rows)
  range <- if (!is.null(points)) value_range(points)
  if (is.null(points) || range[["missing"]] + range[["infinite"]] > 0) {
    return(invisible())
  }
  if (n == ncol(x) && n == nrow(points)) inform_square(points, arg)
  id <- id_columns(x, points, rows)
  if (any(id)) {
    names <- colnames(x)[id]
    if (is.null(names)) names <- character(sum(id))
    names[names == ""] <- which(id)[names == ""]
    kg_inform(
      c(
        "In {.arg {arg}} {cli::qty(names)}column{?s} {.field {names}} look{?s/} like the number of the observation.",
        "i" = "If so, leave {cli::qty(names)}{?it/them} out: such numbers say nothing of what an observation is like."
      ),
      "id"
    )
  }
  if (!any(id) && spread_alike(points, max(range[["largest"]], -range[["smallest"]]))) {
    return(invisible())
  }
  inform_scale(if (any(id)) points[, !id, drop = FALSE] else points, arg)
}

# Numbers whose values all have names, as files of SPSS, Stata and SAS hold categories.
inform_labels <- function(x, arg) {
  named <- vapply(x, function(column) {
    inherits(column, "haven_labelled") && is.numeric(unclass(column)) &&
      all(unclass(column) %in% c(attr(column, "labels"), NA))
  }, NA)
  if (any(named)) {
    kg_inform(
      c(
        "In {.arg {arg}} {cli::qty(sum(named))}column{?s} {.field {names(x)[named]}} ha{?s/ve} a label for every value and count{?s/} as numbers.",
        "i" = "If they are categories, pass {.code haven::as_factor({arg})}."
      ),
      "labels"
    )
  }
}

# Some rows as doubles; NULL where there are columns of other types.
numeric_look <- function(x, rows) {
  if (is.data.frame(x)) {
    plain <- vapply(x, function(column) is.numeric(column) && is.null(dim(column)), NA)
    if (!all(plain)) {
      return(NULL)
    }
    bare <- function(column) if (inherits(column, "integer64")) column else unclass(column)
    out <- vapply(x, function(column) as.double(bare(column))[rows], numeric(length(rows)))
  } else {
    # the bits of 64-bit integers are not their numbers
    if (!is.numeric(x) || inherits(x, "integer64")) {
      return(NULL)
    }
    out <- if (length(rows) < nrow(x)) x[rows, , drop = FALSE] else x
    if (!is.double(out)) storage.mode(out) <- "double"
  }
  out
}

inform_square <- function(points, arg) {
  look <- gram_look(points)
  if (look$gap > 1e-12 * look$largest) {
    return(invisible())
  }
  empty <- all(points[cbind(seq_len(nrow(points)), seq_len(nrow(points)))] == 0)
  if (empty && look$largest == 1 && all(points == 0 | points == 1)) {
    warn_adjacency(arg, "data")
  } else if (empty && min(points) >= 0) {
    kg_warn(
      c(
        "{.arg {arg}} looks like a matrix of dissimilarities, but was taken as data.",
        "i" = "Pass {.code as.dist({arg})} if it is one."
      ),
      "dissimilarities"
    )
  } else {
    kg_inform(
      c(
        "{.arg {arg}} is a symmetric matrix and was taken as data.",
        "i" = "Pass {.code as_gram({arg})} if it is a Gram matrix."
      ),
      "gram"
    )
  }
}

warn_adjacency <- function(arg, taken) {
  kg_warn(
    c(
      "{.arg {arg}} looks like the adjacency matrix of a graph, but was taken as {taken}.",
      "i" = "For the graph itself pass {.code igraph::graph_from_adjacency_matrix({arg}, mode = \"undirected\")}."
    ),
    "adjacency"
  )
}

# Do all columns surely spread alike, within a factor of 100? Most data tell by their first rows: a column spreads no
# wider than its `largest` value, and the squares about its mean add up to no less than those of some rows about theirs.
spread_alike <- function(points, largest, few = 64L) {
  if (largest < 2^-400 || largest > 2^400) {
    return(FALSE)
  }
  n <- nrow(points)
  m <- min(n, few)
  some <- points[seq_len(m), , drop = FALSE]
  squares <- .colSums(some^2, m, ncol(some)) - .colSums(some, m, ncol(some))^2 / m
  # a tenth short of the factor, for rounding
  min(squares) > n * (largest / 90)^2
}

inform_scale <- function(points, arg) {
  if (ncol(points) < 2L) {
    return(invisible())
  }
  points <- times_power_of_two(points, -scaling_exponent(points))
  squares <- colMeans(points^2)
  # an offset far above the spread leaves rounding, perhaps below 0
  spread <- sqrt(pmax(squares - colMeans(points)^2, 0))
  names(spread) <- if (is.null(colnames(points))) seq_along(spread) else colnames(points)
  spread <- spread[is.finite(spread) & spread > 1e-7 * sqrt(squares)]
  if (length(spread) > 1L && max(spread) > 100 * min(spread)) {
    large <- names(which.max(spread))
    small <- names(which.min(spread))
    fold <- format(signif(max(spread) / min(spread), 2), big.mark = ",", scientific = max(spread) / min(spread) > 1e6)
    kg_inform(
      c(
        "Column {.field {large}} of {.arg {arg}} spreads {fold} times as wide as {.field {small}}, which distances hardly see.",
        "i" = "Unless that is meant, use {.code scale({arg})}, or {.code standardize = TRUE} in {.fn kgroups}."
      ),
      "scale"
    )
  }
}

# Numbers of the rows: 0 or 1 to n in their order; or different whole numbers under a name
# that says so. Other rising whole numbers may be measurements (as in datasets::women).
id_columns <- function(x, points, rows) {
  if (nrow(x) < 10L) {
    return(logical(ncol(points)))
  }
  names <- colnames(x)
  called <- if (is.null(names)) {
    logical(ncol(points))
  } else {
    grepl("^(.*[._ ])?(id|uid|rowid|row[._ ]?(nr|no|num|number|index)|index)$", names, ignore.case = TRUE) |
      grepl("[a-z](ID|Id)$", names)
  }
  out <- called
  # the first number tells most columns
  for (j in which(called | points[1L, ] %in% 0:1)) {
    column <- points[, j]
    numbers <- column[1L] %in% 0:1 && (all(column == rows) || all(column == rows - 1))
    out[j] <- numbers || called[j] && all(column == round(column)) && !anyDuplicated(column)
  }
  # where every column goes up in equal steps, none stands out
  even <- function(column) length(unique(diff(column))) == 1L
  if (any(out) && all(vapply(seq_len(ncol(points)), function(j) even(points[, j]), NA))) out[] <- FALSE
  out
}

# Pairs of vertices: every row another pair, none a pair of equals, fewer vertices than rows;
# numbered 1 to m (0 to m - 1) without a gap, or labels most of which occur on both sides.
looks_like_edges <- function(x) {
  ends <- lapply(1:2, function(j) if (is.data.frame(x)) x[[j]] else x[, j])
  ends <- lapply(ends, function(v) if (is.factor(v)) as.character(v) else v)
  words <- all(vapply(ends, is.character, NA))
  numbers <- all(vapply(ends, function(v) is.numeric(v) && is.null(dim(v)), NA))
  if (length(ends[[1L]]) < 10L || !(words || numbers) || anyNA(ends[[1L]]) || anyNA(ends[[2L]])) {
    return(FALSE)
  }
  if (any(ends[[1L]] == ends[[2L]])) {
    return(FALSE)
  }
  if (numbers) {
    range <- range(ends[[1L]], ends[[2L]])
    # most data end here, before anything is sorted
    if (!range[1L] %in% 0:1 || range[2L] - range[1L] + 1 > length(ends[[1L]])) {
      return(FALSE)
    }
  }
  vertices <- unique(c(ends[[1L]], ends[[2L]]))
  m <- length(vertices)
  if (m < 5L || m > length(ends[[1L]])) {
    return(FALSE)
  }
  if (numbers && !(all(vertices == round(vertices)) && m == range[2L] - range[1L] + 1)) {
    return(FALSE)
  }
  both <- length(intersect(ends[[1L]], ends[[2L]]))
  if (both < 0.5 * min(length(unique(ends[[1L]])), length(unique(ends[[2L]])))) {
    return(FALSE)
  }
  code <- match(ends[[1L]], vertices) + (m + 1) * match(ends[[2L]], vertices)
  !anyDuplicated(code)
}

# ---- kernel values ----

inform_gram <- function(x, arg) {
  n <- nrow(x)
  if (is.null(n) || n < 3L || n != ncol(x)) {
    return(invisible())
  }
  if (inherits(x, "sparseMatrix")) {
    # an affinity with 0 on the diagonal is a usual sparse Gram matrix; 0 and 1 alone are not
    if (all(Matrix::diag(x) == 0)) {
      values <- Matrix::drop0(methods::as(methods::as(x, "dMatrix"), "generalMatrix"))@x
      if (length(values) && all(values == 1)) warn_adjacency(arg, "a Gram matrix")
    }
    return(invisible())
  }
  if (inherits(x, "kernelMatrix")) x <- methods::as(x, "matrix")
  if (inherits(x, "Matrix")) x <- as.matrix(x)
  if (!is.matrix(x) || !is.numeric(x)) {
    return(invisible())
  }
  at <- seq_len(n)
  if (!isTRUE(all(x[cbind(at, at)] == 0))) {
    return(invisible())
  }
  range <- value_range(x)
  if (range[["smallest"]] < 0 || range[["largest"]] == 0) {
    return(invisible())
  }
  if (range[["largest"]] == 1 && all(x == 0 | x == 1)) {
    return(warn_adjacency(arg, "a Gram matrix"))
  }
  kg_warn(
    c(
      "{.arg {arg}} is 0 on the diagonal: it looks like dissimilarities, but was taken as a Gram matrix.",
      "i" = "Pass {.code as.dist(as.matrix({arg}))} if they are."
    ),
    "dissimilarities"
  )
}

# ---- dissimilarities ----

# Similarities between 0 and 1 make large values of pairs that are alike, so that a third
# observation is far from both: the triangle inequality fails where clusters are. 1 minus
# them keeps it. Values by dist() and its kind say what they are in an attribute.
inform_dist <- function(x, arg) {
  n <- attr(x, "Size")
  sized <- is_number(n) && n >= 10 && length(x) == n * (n - 1) / 2
  if (!sized || !is.numeric(x) || !is.null(attr(x, "method")) || inherits(x, "dissimilarity")) {
    return(invisible())
  }
  m <- min(n, 24)
  d <- packed_subset(x, n, unique(round(seq(1, n, length.out = m))))
  if (anyNA(d) || min(d) < 0 || max(d) > 1) {
    return(invisible())
  }
  # the root, so that squared distances are not taken for what they are not
  broken <- broken_triangles(sqrt(d), m)
  if (broken < 0.05 || broken_triangles(1 - d, m) > 0.1 * broken) {
    return(invisible())
  }
  range <- value_range(x)
  if (range[["smallest"]] < 0 || range[["largest"]] > 1) {
    return(invisible())
  }
  kg_warn(
    c(
      "{.arg {arg}} looks like similarities, but was taken as dissimilarities.",
      "x" = "All values lie between 0 and 1, and {.code 1 - {arg}} is nearer to the triangle inequality than {.arg {arg}}.",
      "i" = "Pass {.code 1 - {arg}} if large values mean alike."
    ),
    "similarities"
  )
}

# The share of triples a, b, c with d(a, b) > d(a, c) + d(c, b).
broken_triangles <- function(d, m) {
  D <- matrix(0, m, m)
  D[lower.tri(D)] <- d
  D <- D + t(D)
  broken <- vapply(seq_len(m), function(c) sum(D > outer(D[, c], D[c, ], "+") + 1e-9), 0)
  sum(broken) / (m * (m - 1) * (m - 2))
}
