# The object in the place of the data: of which kind it is, and what to pass in place of an object that is no data;
# 64-bit integers and times.

# Objects of other packages in the place of the data, by class, with what to pass; objects of the package itself.
other_objects <- c(
  formula = "It takes no formula: pass the columns, as `subset(data, select = c(a, b))`.",
  prcomp = "Use its scores: `x$x[, 1:2]`.",
  igraph = "Pass `as.dist(igraph::distances(x))`, or a kernel of its vertices by `as_gram()`.",
  simil = "These are similarities: turn them round by `proxy::as.dist(x)`.",
  crossdist = "Distances between two sets are `newdata` of predict(); those of one set are `proxy::dist(x)`.",
  connection = "Read it first, as `read.csv(x)`.",
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
      "x", call, "`x` must be numeric data, a <dist> object or a Gram matrix.", "You {came}.",
      if (!missing(x)) "Check how `x` was made."
    )
  }
  # before other arguments are refused
  foreign <- c("connection", "kgroups_semimetric", "kgroups_select_k", "prcomp", "crossdist")
  if (inherits(x, foreign)) abort_no_data(x, call)
  if (inherits(x, "Matrix")) check_matrix_object(x, call)
}

abort_no_data <- function(x, call, hint = object_hint(x)) {
  abort_input(
    "x", call, "`x` must be numeric data, a <dist> object or a Gram matrix.", "You supplied {value_text(x)}.", "{hint}"
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
    if (arg %in% c("x", "newdata", "graph")) arg else "x", call, "`{arg}` must be a valid <Matrix>.",
    "You supplied an invalid object of class <{class(x)[1L]}>: {fault[1L]}.",
    "Make it again, for example by `Matrix::sparseMatrix()`."
  )
}

# A dgCMatrix without names.
plain_columns <- function(x) {
  x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  dimnames(x) <- list(NULL, NULL)
  x
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

# Return 64-bit integers as numbers. Refuse those of more than the 53 bits of a double.
from_integer64 <- function(x, label, arg, what, call) {
  check_package("bit64", "An argument with 64-bit integers", call)
  refuse <- function(e) {
    abort_input(
      what, call, "64-bit integers must be below 2^53, up to which doubles represent them exactly.",
      if (is.null(label)) "`{arg}` has larger ones." else "Column {label} of `{arg}` has larger ones.",
      if (!is.null(label)) "If the column is an identifier, drop it."
    )
  }
  tryCatch(bit64::as.double.integer64(x), warning = refuse, error = refuse)
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
  if (inherits(x, c("Date", "POSIXt", "difftime"))) {
    structure(0, class = class(x), units = attr(x, "units"), tzone = attr(x, "tzone"))
  }
}

# Return numbers as dates or times of the class and unit of one value; as they are if that is NULL.
with_unit <- function(x, unit = attr(x, "unit", exact = TRUE)) {
  if (is.null(unit)) {
    return(x)
  }
  structure(as.vector(x), class = class(unit), units = attr(unit, "units"), tzone = attr(unit, "tzone"))
}

# Return a new vector that plain_numbers() returned in the unit of the data; numbers without a unit are taken as such.
in_unit_of_data <- function(x, unit, arg, call) {
  own <- attr(x, "unit", exact = TRUE)
  if (is.null(own) || is.null(unit)) {
    return(x)
  }
  values <- same_time(with_unit(x, own), arg, unit, call, arg, "The data")
  stats::setNames(as.vector(unclass(values)), names(x))
}
