# Conditions: the one door for all that the package says. Every error it raises on purpose
# goes through kg_abort(), so that it carries the classes kg_error_<what> < kg_error_input <
# kg_error and reads: what was expected, what came (x), how to mend it (i).
#
# A message is made of literal templates: what comes from the user, or is computed, enters as
# a value in braces and is never read as a template. tools/lint-messages.R refuses others.

kg_abort <- function(message, what, call = rlang::caller_env(), parent = NULL, .envir = parent.frame()) {
  cli::cli_abort(
    message,
    parent = parent,
    class = c(paste0("kg_error_", what), "kg_error_input", "kg_error"),
    call = call,
    .envir = short_values(message, .envir)
  )
}

# `once`: said once a session for what it names, by rlang's count, which the option
# `rlib_warning_verbosity` overrules.
kg_warn <- function(message, what, .envir = parent.frame(), once = NULL) {
  cli::cli_warn(
    message,
    class = c(paste0("kg_warning_", what), "kg_warning"),
    .frequency = if (is.null(once)) "always" else "once",
    .frequency_id = if (!is.null(once)) paste0("kgroups: ", once),
    .envir = short_values(message, .envir)
  )
}

kg_inform <- function(message, what, .envir = parent.frame()) {
  cli::cli_inform(
    message,
    class = c(paste0("kg_message_", what), "kg_message"),
    .envir = short_values(message, .envir)
  )
}

# Text of the user's may be of any length, and wrapping it takes cli seconds a megabyte: the
# values that a message names are shown by their beginning.
short_values <- function(message, envir) {
  words <- unique(unlist(regmatches(message, gregexpr("[[:alpha:].][[:alnum:]._]*", message))))
  long <- Filter(function(word) {
    value <- get0(word, envir, mode = "character", inherits = FALSE)
    !is.null(value) && any(nchar(value, "bytes") > most_shown, na.rm = TRUE)
  }, words)
  if (length(long) == 0L) {
    return(envir)
  }
  out <- new.env(parent = envir)
  for (word in long) assign(word, shorten(get(word, envir)), envir = out)
  out
}

most_shown <- 400L

shorten <- function(text, most = most_shown) {
  long <- which(nchar(text, "bytes") > most)
  # the first bytes before the first characters: those of a long text are slow to count
  head <- iconv(substr(text[long], 1L, most), to = "UTF-8", sub = "?")
  text[long] <- paste0(head, "...")
  text
}

# Text as a template that says just that: for the few functions of cli that take no value.
literal <- function(text) gsub("}", "}}", gsub("{", "{{", text, fixed = TRUE), fixed = TRUE)

# Asks by name for a package of Suggests.
need_package <- function(package, purpose, call = rlang::caller_env()) {
  if (requireNamespace(package, quietly = TRUE)) {
    return(invisible(TRUE))
  }
  kg_abort(
    c(
      "{purpose} needs the package {.pkg {package}}.",
      "x" = "It is not installed.",
      "i" = "Run {.code install.packages(\"{package}\")}."
    ),
    "package",
    call = call
  )
}
