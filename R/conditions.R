# Conditions: the one door for all that the package says. Every error it raises on purpose
# goes through kg_abort(), so that it carries the classes kg_error_<what> < kg_error_input <
# kg_error and reads: what was expected, what came (x), how to mend it (i).
#
# A message is made of literal templates: what comes from the user, or is computed, enters as
# a value in braces and is never read as a template. tools/lint-messages.R refuses others.

kg_abort <- function(message, what, call = rlang::caller_env(), parent = NULL, .envir = parent.frame()) {
  short <- short_values(message, .envir)
  cli::cli_abort(
    short$message,
    parent = parent,
    class = c(paste0("kg_error_", what), "kg_error_input", "kg_error"),
    call = call,
    .envir = short$envir
  )
}

# `once`: said once a session for what it names, by rlang's count, which the option
# `rlib_warning_verbosity` overrules.
kg_warn <- function(message, what, .envir = parent.frame(), once = NULL) {
  short <- short_values(message, .envir)
  cli::cli_warn(
    short$message,
    class = c(paste0("kg_warning_", what), "kg_warning"),
    .frequency = if (is.null(once)) "always" else "once",
    .frequency_id = if (!is.null(once)) paste0("kgroups: ", once),
    .envir = short$envir
  )
}

kg_inform <- function(message, what, .envir = parent.frame()) {
  short <- short_values(message, .envir)
  cli::cli_inform(
    short$message,
    class = c(paste0("kg_message_", what), "kg_message"),
    .envir = short$envir
  )
}

# Text of the user's may be of any length, and wrapping it takes cli seconds a megabyte, or for
# ever without a blank: the values that a template names, variables or what is computed of them,
# are shown by their beginning. The template itself stays: its values are found under new names.
short_values <- function(message, envir) {
  out <- new.env(parent = envir)
  short <- function(code) {
    value <- tryCatch(eval(str2lang(code), envir), error = function(e) NULL)
    if (!is.character(value)) {
      return(NULL)
    }
    plain <- shorten(value)
    if (identical(plain, value)) NULL else plain
  }
  for (line in seq_along(message)) {
    # braces that stand for themselves are passed over, markup and plurals are left alone
    found <- gregexpr("\\{\\{|\\{(?![.?{])[^{}]*\\}", message[line], perl = TRUE)
    pieces <- regmatches(message[line], found)[[1L]]
    for (at in which(pieces != "{{")) {
      plain <- short(substr(pieces[at], 2L, nchar(pieces[at]) - 1L))
      if (is.null(plain)) next
      name <- sprintf("kgroups_value_%d_%d", line, at)
      assign(name, plain, envir = out)
      pieces[at] <- sprintf("{%s}", name)
    }
    regmatches(message[line], found) <- list(pieces)
  }
  list(message = message, envir = out)
}

# Bytes of a value in a message, and of a name in a picture or a table.
most_shown <- 400L
most_drawn <- 120L

# The first bytes before the first characters: those of a long text are slow to count. Bytes that
# are no text of this encoding are marks of a question.
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

# ---- progress: shown only in long interactive calls; scripts stay silent ----

# A line for one stage; `work` is its number of multiplications, about 1e9 a second. The
# line ends with the frame `envir`.
progress_step <- function(message, work, envir = parent.frame()) {
  if (work > 5e9 && show_progress()) {
    cli::cli_progress_step(literal(message), .envir = envir)
  }
  invisible()
}

show_progress <- function() {
  isTRUE(getOption("kgroups.progress", rlang::is_interactive()))
}
