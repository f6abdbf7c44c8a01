# Checks of single arguments. Each returns the value in the type the rest of the
# package works with, or raises a classed error that names the argument, says what
# was expected, what came and what to do.

# A short description of any value, for the "x" line of an error.
describe <- function(x) {
  if (is.null(x)) {
    return("NULL")
  }
  if (is.function(x)) {
    return("a function")
  }
  if (is.atomic(x) && length(x) == 1L && is.null(dim(x))) {
    return(if (is.character(x)) encodeString(shorten(x, 80L), quote = "\"") else format(x, digits = 15))
  }
  if (is.data.frame(x)) {
    return(sprintf(
      "a data frame with %d row%s and %d column%s", nrow(x), plural(nrow(x)), ncol(x), plural(ncol(x))
    ))
  }
  if (is.matrix(x)) {
    return(sprintf("%s %s matrix, %d x %d", article(typeof(x)), typeof(x), nrow(x), ncol(x)))
  }
  if (is.array(x) && length(dim(x)) > 1L) {
    return(sprintf("an array, %s", paste(dim(x), collapse = " x ")))
  }
  if (is.object(x)) {
    return(sprintf("an object of class %s", shorten(paste(class(x), collapse = "/"), 80L)))
  }
  if (is.atomic(x)) {
    kind <- if (is.double(x)) "numeric" else typeof(x)
    return(sprintf("%s %s vector of length %d", article(kind), kind, length(x)))
  }
  # calls, symbols and environments have no length that would say anything
  if (!is.list(x)) {
    return(if (is.call(x)) "a call" else paste(article(typeof(x)), typeof(x)))
  }
  sprintf("a list of length %d", length(x))
}

# An argument without a default that was left out.
check_given <- function(x, arg, call = rlang::caller_env()) {
  if (missing(x)) {
    kg_abort(
      c("{.arg {arg}} must be given.", "x" = "You left it out."),
      arg,
      call = call
    )
  }
}

# What an observation is called in a message: its number, and its name where it has one.
called <- function(at, names = NULL) {
  name <- if (length(names) >= at) as.character(names[at]) else NA
  if (is.na(name) || !nzchar(name) || name == as.character(at)) {
    return(as.character(at))
  }
  sprintf("%d (%s)", as.integer(at), shorten(name, 60L))
}

is_number <- function(x) {
  is.numeric(x) && length(x) == 1L && is.null(dim(x)) && !is.na(x)
}

# A whole number from `min` to `max`, as a double (n may exceed the integers). `hint` is text,
# made by cli::format_inline() where it has markup; it is looked at only when it is needed.
check_count <- function(x, arg, min = 1, max = Inf, hint = NULL, what = arg,
                        call = rlang::caller_env()) {
  check_given(x, arg, call)
  if (is_number(x) && is.finite(x) && x == round(x) && x >= min && x <= max) {
    return(as.numeric(x))
  }
  range <- if (is.finite(max)) {
    sprintf("from %s to %s", format(min), format(max, scientific = FALSE))
  } else {
    sprintf("of at least %s", format(min))
  }
  came <- describe(x)
  kg_abort(
    c(
      "{.arg {arg}} must be a whole number {range}.",
      "x" = "You supplied {came}.",
      "i" = if (!is.null(hint)) "{hint}"
    ),
    what,
    call = call
  )
}

# A finite number in an interval; `open` says which ends are left out.
check_number <- function(x, arg, min = -Inf, max = Inf, open = c(FALSE, FALSE),
                         hint = NULL, what = arg, call = rlang::caller_env()) {
  check_given(x, arg, call)
  inside <- is_number(x) && is.finite(x) &&
    (if (open[1]) x > min else x >= min) && (if (open[2]) x < max else x <= max)
  if (inside) {
    return(as.numeric(x))
  }
  range <- interval_text(min, max, open)
  came <- describe(x)
  kg_abort(
    c("{.arg {arg}} must be {range}.", "x" = "You supplied {came}.", "i" = if (!is.null(hint)) "{hint}"),
    what,
    call = call
  )
}

interval_text <- function(min, max, open) {
  lower <- if (is.finite(min)) paste(if (open[1]) "above" else "at least", format(min))
  upper <- if (is.finite(max)) paste(if (open[2]) "below" else "at most", format(max))
  ends <- c(lower, upper)
  if (length(ends)) paste("a number,", paste(ends, collapse = " and ")) else "a finite number"
}

check_flag <- function(x, arg, call = rlang::caller_env()) {
  if (is.logical(x) && length(x) == 1L && !is.na(x)) {
    return(x)
  }
  came <- describe(x)
  kg_abort(
    c("{.arg {arg}} must be TRUE or FALSE.", "x" = "You supplied {came}."),
    arg,
    call = call
  )
}

# The candidate that differs from a name by the fewest letters, if that is few.
nearest_name <- function(name, candidates) {
  # a single letter is no word that was misspelt
  candidates <- candidates[nchar(candidates) > 1L]
  if (length(candidates) == 0L) {
    return(NULL)
  }
  # what is far longer is no slip, and takes long to compare
  name <- shorten(name, 80L)
  far <- drop(utils::adist(name, candidates, ignore.case = TRUE))
  few <- if (nchar(name) < 4L) 1 else max(2, nchar(name) %/% 3)
  if (min(far) <= few) candidates[which.min(far)]
}

# One of a set of names; a default given as the whole set means its first.
check_choice <- function(x, arg, choices, call = rlang::caller_env()) {
  if (identical(x, choices)) {
    return(choices[[1L]])
  }
  if (is.character(x) && length(x) == 1L && !is.na(x) && x %in% choices) {
    return(x)
  }
  came <- describe(x)
  near <- if (is.character(x) && length(x) == 1L && !is.na(x)) nearest_name(x, choices)
  kg_abort(
    c(
      "{.arg {arg}} must be one of {.or {.val {choices}}}.",
      "x" = "You supplied {came}.",
      "i" = if (length(near)) "Did you mean {.val {near}}?"
    ),
    arg,
    call = call
  )
}

# Weights of n observations: NULL means all 1. `names`, what the observations are called.
check_weights <- function(weights, n, arg = "weights", call = rlang::caller_env(), names = NULL) {
  if (is.null(weights)) {
    return(rep(1, n))
  }
  fail <- function(came, hint) {
    kg_abort(
      c(
        "{.arg {arg}} must be {n} finite number{?s} that are not negative, not all 0.",
        "x" = "{came}",
        "i" = "{hint}"
      ),
      "weights",
      call = call
    )
  }
  if (!is.numeric(weights) || length(weights) != n) {
    fail(paste0("You supplied ", describe(weights), "."), "Give one weight per observation.")
  }
  if (is.null(names)) names <- names(weights)
  weights <- if (inherits(weights, "integer64")) from_integer64(weights, NULL, arg, "weights", call) else as.numeric(weights)
  if (anyNA(weights) || any(is.infinite(weights))) {
    at <- which(!is.finite(weights))[1L]
    fail(sprintf("Weight %s is %s.", called(at, names), format(weights[at])), "Drop or replace it.")
  }
  if (any(weights < 0)) {
    at <- which(weights < 0)[1L]
    fail(sprintf("Weight %s is %s.", called(at, names), format(weights[at])), "A weight of 0 leaves a point out.")
  }
  if (all(weights == 0)) {
    fail("They are all 0.", "Leave `weights` out to weigh all observations alike.")
  }
  weights
}

# 64-bit integers come as doubles with the bits of an integer. Taken exactly, or not at all:
# half of 64 bits each, where the sum needs at most the 53 bits of a double.
from_integer64 <- function(x, label, arg, what, call) {
  bits <- writeBin(as.vector(unclass(x)), raw(), endian = "little")
  halves <- readBin(bits, "integer", 2L * length(x), size = 4L, endian = "little")
  low <- as.double(halves[c(TRUE, FALSE)])
  high <- as.double(halves[c(FALSE, TRUE)])
  low[is.na(low)] <- -2^31 # the bits of NA_integer_
  high[is.na(high)] <- -2^31
  low <- low + 2^32 * (low < 0)
  missing <- high == -2^31 & low == 0
  large <- !missing & (high < -2^21 | high > 2^21 | (high == 2^21 & low > 0))
  if (any(large)) {
    kg_abort(
      c(
        "64-bit integers must not exceed 2^53, the largest that numbers tell apart.",
        "x" = if (is.null(label)) {
          "{.arg {arg}} has larger ones, the first in place {which(large)[1L]}."
        } else {
          "Column {.field {label}} of {.arg {arg}} has larger ones, the first in row {which(large)[1L]}."
        },
        "i" = if (!is.null(label)) "An identifier is no measurement: drop the column."
      ),
      what,
      call = call
    )
  }
  out <- high * 2^32 + low
  out[missing] <- NA
  out
}

# Group labels of n observations (any type that factor() takes, or a clustering) as
# integers from 1, numbered in the order of sorted levels; the levels come as an
# attribute. With n = NULL any number of labels but none will do.
check_labels <- function(labels, n, arg = "cluster", call = rlang::caller_env(), names = NULL) {
  check_given(labels, arg, call)
  if (inherits(labels, "communities")) {
    labels <- igraph::membership(labels)
  } else if (inherits(labels, "kgroups")) {
    labels <- labels$cluster
  }
  expected <- n %||% max(1L, length(labels))
  if (!is.atomic(labels) || is.null(labels) || length(labels) != expected) {
    came <- describe(labels)
    each <- "{.arg {arg}} must give one label for each of the {n} observation{?s}."
    kg_abort(
      c(
        if (is.null(n)) "{.arg {arg}} must give the labels of at least one observation." else each,
        "x" = "You supplied {came}.",
        "i" = "A vector, a factor, a {.cls communities} or a fit will do."
      ),
      arg,
      call = call
    )
  }
  if (anyNA(labels)) {
    if (is.null(names)) names <- names(labels)
    at <- called(which(is.na(labels))[1L], names)
    kg_abort(
      c(
        "{.arg {arg}} must not have missing labels.",
        "x" = "Label {at} is missing.",
        "i" = "Drop those observations, or give them a label of their own."
      ),
      arg,
      call = call
    )
  }
  label_codes(labels)
}

# What factor() would give, without its detour through text, which takes seconds for a
# million numbers and merges numbers that print alike. A factor keeps its order of levels.
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
    # R sorts no text of unknown bytes
    bytes <- if (is.character(labels)) which(Encoding(labels) == "bytes")
    if (length(bytes)) labels[bytes] <- iconv(labels[bytes], "ASCII", "ASCII", sub = "byte")
    values <- unique(labels)
    values <- values[order(values)]
    names <- as.character(values)
  }
  codes <- match(labels, values)
  attr(codes, "levels") <- names
  codes
}

# Objects that look like data but are not: said before anything is computed.
check_kind <- function(x, call, arg = "x") {
  if (missing(x) || is.null(x)) {
    came <- if (missing(x)) "left it out" else "supplied NULL"
    kg_abort(
      c(
        "{.arg {arg}} must be numeric data, a {.cls dist} object or a Gram matrix.",
        "x" = "You {came}."
      ),
      "x",
      call = call
    )
  }
}

# I() and a dense symmetric Matrix around one change nothing
is_gram <- function(x) inherits(x, c("kgroups_gram", "kernelMatrix", "denseMatrix"))

# names of the dots, for R before 4.1.3 too
...names_compat <- function(...) names(match.call(expand.dots = TRUE))[-1L]

check_no_dots <- function(..., call, topic = "kgroups") {
  if (...length() == 0L) {
    return(invisible())
  }
  names <- ...names_compat(...)
  what <- if (is.null(names)) "" else names[[1L]]
  number <- ...length()
  # what users of kmeans() and kernlab try first
  ours <- c(
    centers = "k", centres = "k", algorithm = "method", kernel = "semimetric", metric = "semimetric",
    w = "weights", weight = "weights", nthreads = "threads"
  )
  elsewhere <- c("semimetric", "approx", "threads", "size_term", "weights", "init", "nstart", "iter.max", "keep.data")
  kg_abort(
    c(
      "Unknown argument.",
      "x" = if (nzchar(what)) "You supplied {.arg {what}}." else "You supplied {number} too many, without a name.",
      "i" = if (what %in% names(ours)) {
        "It is called {.arg {ours[[what]]}} here; see {.code ?{topic}}."
      } else if (what == "data") {
        "{.arg data} goes with a formula: {.code kgroups(~ a + b, k, data = data)}."
      } else if (what %in% elsewhere) {
        "It is an argument for other kinds of input; see {.code ?{topic}}."
      } else if (nzchar(what)) {
        "See {.code ?{topic}} for the arguments."
      } else {
        "All but the first arguments are given by name; see {.code ?{topic}}."
      }
    ),
    "dots",
    call = call
  )
}

check_threads <- function(threads, call = rlang::caller_env()) check_count(threads, "threads", 1, 1024, call = call)
