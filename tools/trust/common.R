# Code that the campaigns share: arguments, the helpers of the tests, child processes.

argument <- function(name, default) {
  given <- commandArgs(TRUE)
  at <- match(paste0("--", name), given)
  if (is.na(at)) {
    return(default)
  }
  methods::as(given[at + 1L], class(default))
}

# Helpers of the tests in an environment with the internals of the package.
load_helpers <- function(...) {
  suppressPackageStartupMessages(library(kgroups))
  space <- new.env(parent = asNamespace("kgroups"))
  files <- list.files(
    "tests/testthat", sprintf("^helper-(%s).*[.]R$", paste(c(...), collapse = "|")), full.names = TRUE
  )
  for (file in files) sys.source(file, space)
  space
}

# A child process of a script: list(lines, status, hung). It is ended if it prints nothing for
# `quiet` seconds.
run_child <- function(script, arguments, quiet, env = character()) {
  child <- processx::process$new(
    file.path(R.home("bin"), "Rscript"), c(script, as.character(arguments)),
    stdout = "|", stderr = "2>&1", env = if (length(env)) c("current", env)
  )
  on.exit(child$kill())
  lines <- character()
  last <- Sys.time()
  hung <- FALSE
  while (child$is_alive() || child$is_incomplete_output()) {
    child$poll_io(500)
    new <- child$read_output_lines()
    if (length(new)) {
      lines <- c(lines, new)
      last <- Sys.time()
    } else if (Sys.time() - last > quiet && child$is_alive()) {
      hung <- TRUE
      child$kill()
    }
  }
  list(lines = lines, status = child$get_exit_status(), hung = hung)
}

# With `--record yes` a line of tools/trust/campaigns.csv: what ran, when, at which commit, how much,
# and how many findings. TESTING.md shows the last ones.
record <- function(campaign, count, findings, note = "") {
  if (argument("record", "no") != "yes") {
    return(invisible())
  }
  given <- commandArgs(TRUE)
  at <- match("--record", given)
  command <- paste(c(paste0("Rscript tools/trust/", campaign), given[-c(at, at + 1L)]), collapse = " ")
  record_row(command, count, findings, note)
}

record_row <- function(command, count, findings, note = "") {
  file <- "tools/trust/campaigns.csv"
  commit <- system2("git", c("rev-parse", "--short", "HEAD"), stdout = TRUE)
  row <- data.frame(command, date = format(Sys.Date()), commit, count, findings, note)
  utils::write.table(
    row, file,
    sep = ",", append = file.exists(file), col.names = !file.exists(file), row.names = FALSE, qmethod = "double"
  )
}
