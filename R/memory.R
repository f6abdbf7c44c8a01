# Memory: the need of a call is estimated before anything is allocated.

# Return the bytes that may be used: the option kgroups.memory, else the available memory of the
# system, else Inf.
available_memory <- function() {
  limit <- getOption("kgroups.memory")
  if (identical(limit, Inf)) {
    return(limit)
  }
  if (!is.null(limit)) {
    return(check_number(limit, "kgroups.memory", 0))
  }
  lines <- tryCatch(
    suppressWarnings(readLines("/proc/meminfo", n = 20L)),
    error = function(e) character()
  )
  line <- grep("^MemAvailable:", lines, value = TRUE)
  if (length(line) != 1L) {
    return(Inf)
  }
  1024 * as.numeric(gsub("[^0-9]", "", line))
}

check_memory <- function(bytes, n, purpose, hint = NULL, call = rlang::caller_env()) {
  # reading the system's figure costs more than a small fit
  if (bytes < 2^27 && is.null(getOption("kgroups.memory"))) {
    return(invisible(bytes))
  }
  limit <- available_memory()
  if (bytes <= limit) {
    return(invisible(bytes))
  }
  if (is.null(hint)) hint <- "Use fewer observations."
  abort_input(
    "memory", call,
    "This call needs more memory than is available.",
    "{n} observation{?s} need about {format_bytes(bytes)} for {purpose}; {format_bytes(limit)} are available.",
    c(
      "{hint}",
      "Raise the limit by {.code options(kgroups.memory = bytes)} if the estimate is too high."
    )
  )
}

# Trigger a minor garbage collection: R's own trigger would come after another 100 MB.
collect_garbage <- function() invisible(gc(full = FALSE))

format_bytes <- function(bytes) {
  units <- c("bytes", "kB", "MB", "GB", "TB", "PB")
  power <- if (bytes < 1) 0 else min(floor(log(bytes, 1000)), length(units) - 1)
  paste(format(bytes / 1000^power, digits = 3), units[power + 1])
}

# Check the memory of a fit beside the data: R, its copy, labels of all starts.
check_fit_memory <- function(n, k, nstart, call = rlang::caller_env()) {
  state <- 8 * n * (k + 2)
  bytes <- state * min(nstart + 1, max(2, 2^26 / state)) + 4 * n * nstart +
    if (n <= small_n) 8 * n^2 else 0
  check_memory(
    bytes, n, "their sums over clusters",
    hint = cli::format_inline("Use fewer clusters or starts, or cluster a sample and use {.fn predict}."),
    call = call
  )
}
