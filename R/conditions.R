# Conditions: all errors come from abort_input() and abort_argument(), all warnings from kg_warn(), all messages
# from kg_inform(). An error has the classes kg_error_<what> < kg_error_input < kg_error and three parts:
# the rule, the value supplied (x), and a remedy (i).
#
# Messages are literal templates. User text and computed values enter in braces and are never read as templates;
# tools/lint-words.R refuses others. Values are filled in at once, as plain text;
# cli breaks the lines and colours the bullets of an error when it is displayed.

#' Errors, warnings and messages by class
#'
#' Each condition of the package has a class, so that code can handle it:
#' `tryCatch(kgroups(x, 3), kg_error_x = function(e) NULL)`.
#'
#' An error has the class of its cause, and `kg_error_input` and `kg_error`. Its text gives the rule, the value
#' supplied and a remedy. A wrong argument raises the class of its name, such as `kg_error_k` or `kg_error_weights`.
#' Warnings have the class `kg_warning` and one of their cause, messages `kg_message` and one of their cause. A message
#' is shown once a session for a kind and its columns, a change of method always; `options(rlib_message_verbosity =
#' "quiet")` silences all of them, `"verbose"` repeats them.
#'
#' A vector with one value for each row (`weights`, `init`, `g`, `cluster` and others) whose names are the row names in
#' another order is an error of its argument. Two fits of the same rows are compared by row names.
#'
#' | class | cause |
#' |---|---|
#' | `kg_error_x`, `kg_error_data` | columns that cannot be used, infinite values |
#' | `kg_error_newdata` | new observations that do not fit the data |
#' | `kg_error_dots` | an unknown argument |
#' | `kg_error_dist`, `kg_error_gram` | dissimilarities or a kernel matrix that are not numeric, square, finite and symmetric |
#' | `kg_error_formula` | a formula that does not fit `data` |
#' | `kg_error_semimetric` | an object that is no semimetric, or a function whose values are not numbers, not symmetric, or not
#' 0 for equal points |
#' | `kg_error_base`, `kg_error_metric` | a base of [rho_connected()] whose mean is not positive; an unknown metric |
#' | `kg_error_standardize` | a learned metric of input without columns, or of a semimetric that is no function of the Euclidean distance |
#' | `kg_error_approx` | landmarks with an argument, or a semimetric, that needs all observations |
#' | `kg_error_graph` | no igraph graph, or distances of a fit of a graph, which has none |
#' | `kg_error_bipartite`, `kg_error_signed` | a bipartite graph; negative edge weights |
#' | `kg_error_beliefs` | predictions of communities that do not come from belief propagation |
#' | `kg_error_keep` | the fit was made with `keep.data = FALSE` |
#' | `kg_error_fit` | no fit, labels that are not one for each row, or a fit whose labels or components were changed |
#' | `kg_error_apart` | rows that contradict each other in `together` and `apart`, or more than k rows that are mutually apart |
#' | `kg_error_constraints` | no partition that satisfies all constraints was found, though there may be one |
#' | `kg_error_contiguous` | a graph that is none of the rows, or with more parts than clusters: `$components` has them |
#' | `kg_error_groups` | more groups than [compare_clusters()] can match |
#' | `kg_error_g` | fewer than two groups, more groups than a third of the observations, or groups of one observation only |
#' | `kg_error_reader`, `kg_error_blocks` | a reader that fails; blocks that differ |
#' | `kg_error_memory` | the result would not fit in memory, see `kgroups.memory` in [kgroups-package] |
#' | `kg_error_range` | W or distances above the range of doubles: rescale the data |
#' | `kg_warning_iterations` | `iter.max` was reached |
#' | `kg_warning_negative_type` | the semimetric is not of negative type; once per session and kind |
#' | `kg_warning_missing`, `kg_warning_empty` | cells, see [as_points()]; clusters without rows of [row_blocks()] |
#' | `kg_message_...` | preprocessing and probable mistakes, see [input-checks] |
#' @name kgroups-conditions
#' @examples
#' # the text of an error, and a value in its place
#' tryCatch(kgroups(iris, 200), kg_error_k = function(e) conditionMessage(e))
NULL

# Raise an error of class `what` in templates: what is expected, what came, one or more hints. `parent`: the
# error of a user's function that led to it; `...`: further fields.
abort_input <- function(what, call, must, came = NULL, hint = NULL, .envir = parent.frame(), parent = NULL, ...) {
  if (length(hint)) names(hint) <- rep("i", length(hint))
  rlang::abort(
    fill_templates(c(must, "x" = came, hint), .envir),
    class = c(paste0("kg_error_", what), "kg_error_input", "kg_error"),
    call = call, parent = parent, use_cli_format = TRUE, ...
  )
}

# Evaluate an expression whose errors show `call`, that of the user.
with_call <- function(call, expr) {
  withCallingHandlers(expr, kg_error = function(e) {
    e$call <- call
    rlang::cnd_signal(e)
  })
}

# `once`: shown once a session, counted by rlang under this name; the option
# `rlib_warning_verbosity` overrules it.
kg_warn <- function(message, what, once = NULL, .envir = parent.frame()) {
  rlang::warn(
    fill_templates(message, .envir),
    class = c(paste0("kg_warning_", what), "kg_warning"), use_cli_format = TRUE,
    .frequency = if (is.null(once)) "always" else "once",
    .frequency_id = if (!is.null(once)) paste0("kgroups: ", once)
  )
}

# Kinds of messages that were shown: each is shown once a session, unless the option `rlib_message_verbosity` of rlang
# is "verbose", and none if it is "quiet".
messages_shown <- new.env(parent = emptyenv())

# `of`: the columns or sizes that a message is about; it is shown once for each. `always`: of messages about the call
# itself, as its time, or a change of method. The line ends, because knitr joins messages of open lines.
kg_inform <- function(message, what, always = FALSE, of = NULL, .envir = parent.frame()) {
  verbosity <- getOption("rlib_message_verbosity", "default")
  key <- paste(c(what, of), collapse = "\r")
  seen <- !is.null(messages_shown[[key]]) && !always && !identical(verbosity, "verbose")
  if (seen || identical(verbosity, "quiet")) {
    return(invisible())
  }
  messages_shown[[key]] <- TRUE
  message <- fill_templates(message, .envir)
  message[[1L]] <- paste0(message[[1L]], "\n")
  rlang::inform(message, class = c(paste0("kg_message_", what), "kg_message"), use_cli_format = TRUE)
}

# tryCatch(expr, error = error) for errors, but a time limit of R ends the call, also one that other code has wrapped in
# an error of its own, as Rcpp does.
catch_error <- function(expr, error) {
  tryCatch(expr, error = function(e) {
    limits <- c("reached elapsed time limit", "reached CPU time limit", "reached session elapsed time limit")
    text <- conditionMessage(e)
    if (any(vapply(c(limits, gettext(limits, domain = "R")), grepl, NA, x = text, fixed = TRUE))) stop(e)
    error(e)
  })
}

# requireNamespace() would take a time limit that is reached meanwhile for a package that is not installed.
has_package <- function(package) {
  catch_error(is.environment(loadNamespace(package)), error = function(e) FALSE)
}

# Return the lines of a condition within the width of the console. R computes this text for every condition that
# is signalled, also for those that nobody reads, and cli takes 15 ms for it.
condition_text <- function(c) {
  if (!is.null(c$parent)) {
    return(rlang::cnd_message(c))
  }
  lines <- c(rlang::cnd_header(c), rlang::cnd_body(c), rlang::cnd_footer(c))
  signs <- c("x" = cli::symbol$cross, "i" = cli::symbol$info)[rlang::names2(lines)]
  signs <- ifelse(is.na(signs), "", paste0(signs, " "))
  width <- min(getOption("cli.condition_width", cli::console_width()), 1e4) + 1 - nchar(signs)
  paste(unlist(Map(strwrap, lines, width, prefix = strrep(" ", nchar(signs)), initial = signs)), collapse = "\n")
}

#' @export
conditionMessage.kg_error <- condition_text

#' @export
conditionMessage.kg_warning <- condition_text

#' @export
conditionMessage.kg_message <- condition_text

# ---- templates ----

# Return templates with the values of the expressions in braces, in words: "a, b, and c". {?s} is the plural of the
# value before it. Text enters shortened, on one line.
fill_templates <- function(templates, envir = parent.frame()) {
  templates[] <- vapply(templates, fill_template, "", envir)
  templates
}

fill_template <- function(template, envir) {
  at <- gregexpr("(\\{(?:[^{}]|(?1))*\\})", template, perl = TRUE)[[1L]]
  if (at[1L] < 0L) {
    return(template)
  }
  codes <- substring(template, at + 1L, at + attr(at, "match.length") - 2L)
  value <- NULL
  for (i in seq_along(codes)) {
    if (startsWith(codes[i], "?")) {
      codes[i] <- plural_form(substring(codes[i], 2L), value)
    } else {
      value <- eval(str2lang(codes[i]), envir)
      text <- if (is.character(value)) gsub("\n", " ", shorten(value), fixed = TRUE) else value
      codes[i] <- if (inherits(value, "cli_noprint")) "" else collapse_values(text, attr(value, "last") %||% " and ")
    }
  }
  regmatches(template, list(at)) <- list(codes)
  template
}

# Values in a message: text in quotation marks, code in backticks, "a or b".
quoted <- function(x) if (is.character(x)) encodeString(shorten(x, most_shown - 10L), quote = "\"") else x
ticked <- function(x) paste0("`", x, "`", recycle0 = TRUE)
either <- function(x) structure(x, last = " or ")

collapse_values <- function(value, last) {
  if (length(value) == 1L) {
    return(paste(value))
  }
  cli::ansi_collapse(value, last = if (length(value) > 2L) paste0(",", last) else last, trunc = 20L)
}

# Return the form in "many", "one/many" or "none/one/many" for a number, or for the length of other values.
plural_form <- function(forms, value) {
  number <- if (is.numeric(value) && length(value) == 1L) value else length(value)
  forms <- strsplit(paste0(forms, "/."), "/", fixed = TRUE)[[1L]]
  forms <- forms[-length(forms)]
  if (length(forms) == 1L) forms <- c("", forms)
  if (length(forms) == 2L) forms <- forms[c(2L, 1L, 2L)]
  forms[if (number == 0) 1L else if (number == 1) 2L else 3L]
}

# Bytes of a value in a message, and of a name in a plot or a table.
most_shown <- 400L
most_drawn <- 120L

# Return the text with at most `most` bytes each; invalid bytes, and characters that steer a terminal, are shown as `?`.
shorten <- function(text, most = most_shown) {
  long <- nchar(text, "bytes") > most
  odd <- which(long | Encoding(text) == "bytes" | !validEnc(text))
  if (length(odd)) {
    long <- long[odd]
    head <- text[odd]
    head[long] <- vapply(head[long], first_bytes, "", most)
    head <- vapply(head, plain_text, "")
    text[odd] <- paste0(head, ifelse(long, "...", ""))
  }
  steering <- which(grepl(steering_characters, text, perl = TRUE))
  if (length(steering)) text[steering] <- gsub(steering_characters, "?", cli::ansi_strip(text[steering]), perl = TRUE)
  text
}

# Control characters other than tabulators and ends of lines, and marks of the direction of writing.
steering_characters <- "[\u0001-\u0008\u000b-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"

first_bytes <- function(text, most) {
  out <- rawToChar(charToRaw(text)[seq_len(most)])
  Encoding(out) <- Encoding(text)
  out
}

plain_text <- function(text) {
  from <- switch(Encoding(text), latin1 = "latin1", "UTF-8")
  iconv(text, from, "UTF-8", sub = "?")
}

# Text as a template of itself, for the functions of cli that take no value.
literal <- function(text) gsub("}", "}}", gsub("{", "{{", text, fixed = TRUE), fixed = TRUE)

# ---- progress: shown in long interactive calls only ----

# Show a line for one stage until the frame `envir` ends. `work` is its number of multiplications.
progress_step <- function(message, work, envir = parent.frame()) {
  if (work > 5e9 && show_progress()) {
    cli::cli_progress_step(literal(message), .envir = envir)
  }
  invisible()
}

# lapply() with a progress bar named `purpose` in long calls.
lapply_progress <- function(x, f, purpose) {
  bar <- if (length(x) > 1L && show_progress()) cli::cli_progress_bar(literal(purpose), total = length(x))
  lapply(x, function(one) {
    out <- f(one)
    if (!is.null(bar)) cli::cli_progress_update(id = bar)
    out
  })
}

# Announce a call of more than 20 expected seconds, with the way to a shorter one.
inform_long <- function(seconds, way) {
  if (seconds < 20) {
    return(invisible())
  }
  unit <- findInterval(seconds, c(0, 120, 7200, 172800))
  about <- paste(signif(seconds / c(1, 60, 3600, 86400)[unit], 2), c("seconds", "minutes", "hours", "days")[unit])
  kg_inform(c("This call takes about {about} with one thread.", "i" = "{way}"), "long", always = TRUE)
}

show_progress <- function() {
  isTRUE(getOption("kgroups.progress", rlang::is_interactive()))
}
