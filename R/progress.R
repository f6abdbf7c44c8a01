# Progress: shown only in long interactive calls; scripts stay silent.

# A line for one stage; `work` is its number of multiplications, about 1e9 a second. The
# line ends with the frame `envir`.
progress_step <- function(message, work, envir = parent.frame()) {
  if (show_progress() && work > 5e9) {
    cli::cli_progress_step(literal(message), .envir = envir)
  }
  invisible()
}

show_progress <- function() {
  isTRUE(getOption("kgroups.progress", rlang::is_interactive()))
}
