# Conditions. Every error the package raises on purpose goes through kg_abort(),
# so that it carries the classes kg_error_<what> < kg_error_input < kg_error and
# reads: what was expected, what came (x), how to mend it (i).

kg_abort <- function(message, what, call = rlang::caller_env(), parent = NULL, .envir = parent.frame()) {
  cli::cli_abort(
    message,
    parent = parent,
    class = c(paste0("kg_error_", what), "kg_error_input", "kg_error"),
    call = call,
    .envir = .envir
  )
}

kg_warn <- function(message, what, .envir = parent.frame()) {
  cli::cli_warn(
    message,
    class = c(paste0("kg_warning_", what), "kg_warning"),
    .envir = .envir
  )
}

kg_inform <- function(message, what, .envir = parent.frame()) {
  cli::cli_inform(
    message,
    class = c(paste0("kg_message_", what), "kg_message"),
    .envir = .envir
  )
}

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
