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

# Return the value of an argument. One that R does not find, as a column without its data frame, is an error of it.
found_value <- function(value, arg, hint, call) {
  catch_error(value, error = function(e) {
    if (!inherits(e, "simpleError")) stop(e)
    what <- if (arg == "g") "labels" else "numbers"
    abort_input(arg, call, "`{arg}` must be {what}.", "{conditionMessage(e)}.", "{hint}")
  })
}

# Raise an error if an argument without a default was left out.
check_given <- function(x, arg, call = rlang::caller_env()) if (missing(x)) abort_left_out(arg, call)

abort_left_out <- function(arg, call) abort_input(arg, call, "`{arg}` must be given.", "You left it out.")

check_package <- function(package, purpose, call = rlang::caller_env()) {
  if (!has_package(package)) {
    abort_input(
      "package", call, "{purpose} needs the package {package}.", "It is not installed.",
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
    if (!is.null(other)) "{other}" else if (length(near)) "Did you mean {quoted(near)}?", call = call
  )
}

# Names of the dots, for R before 4.1.3 too.
...names_compat <- function(...) names(match.call(expand.dots = TRUE))[-1L]

# Refuse arguments that a function does not have. `also`: arguments that the function takes in its dots.
check_no_dots <- function(..., call, topic = "kgroups", also = NULL) {
  if (...length() == 0L) {
    return(invisible())
  }
  name <- c(...names_compat(...), "")[1L]
  taken <- arguments_of(call)
  page <- if (grepl("-", topic, fixed = TRUE)) sprintf("help(\"%s\")", topic) else paste0("?", topic)
  if (nzchar(name)) {
    hint <- argument_hint(name, unique(c(setdiff(taken, "..."), also)))
    see <- if (is.null(hint)) "See `{page}` for the arguments." else "{hint} See `{page}`."
    abort_input("dots", call, "Unknown argument.", "You supplied `{name}`.", see)
  }
  number <- ...length()
  named <- if ("..." %in% taken) taken[-seq_len(match("...", taken))]
  abort_input(
    "dots", call, "Unknown argument.", "You supplied {number} argument{?s} too many, without {?a name/names}.",
    if (inherits(..1, "kgroups_semimetric")) {
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
