# Conditions: every error, warning and message of the package is raised here. An error has the
# classes kg_error_<what> < kg_error_input < kg_error and states what was expected, what was
# supplied (x), and what to use instead (i).
#
# Messages are literal templates of cli. User text and computed values enter in braces and are
# never read as templates; tools/lint-words.R refuses others.

kg_abort <- function(message, what, call = rlang::caller_env(), parent = NULL, .envir = parent.frame()) {
  cli::cli_abort(
    message,
    parent = parent,
    class = c(paste0("kg_error_", what), "kg_error_input", "kg_error"),
    call = call,
    .envir = shorten_variables(message, .envir)
  )
}

# Raise an error of class `what` in templates: what is expected, what came, one or more hints.
abort_input <- function(what, call, must, came = NULL, hint = NULL, .envir = parent.frame()) {
  if (length(hint)) names(hint) <- rep("i", length(hint))
  kg_abort(c(must, "x" = came, hint), what, call = call, .envir = .envir)
}

# `once`: shown once a session, counted by rlang under this name; the option
# `rlib_warning_verbosity` overrules it.
kg_warn <- function(message, what, once = NULL, .envir = parent.frame()) {
  cli::cli_warn(
    message,
    class = c(paste0("kg_warning_", what), "kg_warning"),
    .frequency = if (is.null(once)) "always" else "once",
    .frequency_id = if (!is.null(once)) paste0("kgroups: ", once),
    .envir = shorten_variables(message, .envir)
  )
}

kg_inform <- function(message, what, .envir = parent.frame()) {
  cli::cli_inform(
    message,
    class = c(paste0("kg_message_", what), "kg_message"),
    .envir = shorten_variables(message, .envir)
  )
}

# Return a child of `envir` in which long text is shortened, in the variables that a message
# uses. cli takes seconds to wrap a megabyte of text, and does not end without a blank.
shorten_variables <- function(message, envir) {
  out <- new.env(parent = envir)
  for (name in names(envir)) {
    if (!any(grepl(name, message, fixed = TRUE))) next
    value <- tryCatch(get(name, envir), error = function(e) NULL)
    if (is.character(value)) {
      assign(name, shorten(value), out)
    } else if (is.list(value) && !is.object(value)) {
      assign(name, rapply(value, shorten, classes = "character", how = "replace"), out)
    }
  }
  out
}

# Bytes of a value in a message, and of a name in a plot or a table.
most_shown <- 400L
most_drawn <- 120L

# Return the text with at most `most` bytes each; invalid bytes are shown as `?`.
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
  text
}

first_bytes <- function(text, most) {
  out <- rawToChar(charToRaw(text)[seq_len(most)])
  Encoding(out) <- Encoding(text)
  out
}

plain_text <- function(text) {
  from <- switch(Encoding(text),
    latin1 = "latin1",
    "UTF-8"
  )
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

# Announce a call of more than 20 expected seconds, with the way to a shorter one.
inform_long <- function(seconds, way) {
  if (seconds < 20) {
    return(invisible())
  }
  unit <- findInterval(seconds, c(0, 120, 7200, 172800))
  about <- paste(signif(seconds / c(1, 60, 3600, 86400)[unit], 2), c("seconds", "minutes", "hours", "days")[unit])
  kg_inform(c("This call takes about {about} with one thread.", "i" = "{way}"), "long")
}

show_progress <- function() {
  isTRUE(getOption("kgroups.progress", rlang::is_interactive()))
}
