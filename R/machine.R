# The machine: memory, whose need is estimated before anything is allocated; instruction sets and threads.

# ---- memory ----

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
  lines <- catch_error(suppressWarnings(readLines("/proc/meminfo", n = 20L)), error = function(e) character())
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
    "memory", call, "This call needs more memory than is available.",
    "{n} observation{?s} need about {format_bytes(bytes)} for {purpose}; {format_bytes(limit)} are available.",
    c("{hint}", "Raise the limit by `options(kgroups.memory = bytes)` if the estimate is too high.")
  )
}

format_bytes <- function(bytes) {
  units <- c("bytes", "kB", "MB", "GB", "TB", "PB")
  power <- if (bytes < 1) 0 else min(floor(log(bytes, 1000)), length(units) - 1)
  paste(format(bytes / 1000^power, digits = 3), units[power + 1])
}

# The most rows of which all pairs are kept, by the number of columns: 32 MB, or four times the memory of a wide table
# up to 800 MB.
small_n <- 2000L
most_cached <- function(width) max(small_n, min(4 * width, 5 * small_n))

# Check the memory of a fit without the data: n x k sums, a copy of them, labels of all starts, a matrix of all pairs.
check_fit_memory <- function(n, k, nstart, width, call = rlang::caller_env()) {
  state <- 8 * n * (k + 2)
  bytes <- state * min(nstart + 1, max(2, 2^26 / state)) + 4 * n * nstart + if (n <= most_cached(width)) 8 * n^2 else 0
  check_memory(
    bytes, n, "their sums over clusters",
    hint = "Use fewer clusters or starts, or cluster a sample and use `predict()`.", call = call
  )
}

# ---- instruction sets and threads ----

simd_names <- c("auto", "avx512", "avx2", "base")

# Use the loops of the instruction set that the option kgroups.simd names, and return their name. Called for every
# problem, so that the option works at any time.
use_simd <- function(call = rlang::caller_env()) {
  name <- check_choice(getOption("kgroups.simd", "auto"), "kgroups.simd", simd_names, call = call)
  used <- .Call(ffi_choose_loops, name)
  if (is.null(used)) {
    abort_input(
      "simd", call, "The option kgroups.simd must name an instruction set of this processor.",
      "It does not have {quoted(name)}.", "Use `options(kgroups.simd = \"auto\")`."
    )
  }
  invisible(used)
}

# Set the threads of the compiled loops, or set them until the caller ends.
use_threads <- function(threads) invisible(.Call(ffi_choose_threads, as.numeric(threads)))

local_threads <- function(threads, frame = parent.frame()) {
  if (threads == 1) {
    return(invisible())
  }
  use_threads(threads)
  do.call(on.exit, list(quote(use_threads(1)), TRUE), envir = frame)
}

# ---- tasks with random numbers of their own ----

# Return one L'Ecuyer stream per task, started from the user's generator.
task_streams <- function(number) {
  stream <- c(10407L, sample.int(.Machine$integer.max, 6L))
  streams <- vector("list", number)
  for (task in seq_len(number)) {
    stream <- parallel::nextRNGStream(stream)
    streams[[task]] <- stream
  }
  streams
}

# lapply(tasks, f, ...) with a stream for each task, and a progress bar named `purpose` in long calls. The caller's
# generator goes on as after one draw.
run_tasks <- function(tasks, f, ..., purpose) {
  streams <- task_streams(length(tasks))
  kept_stream(lapply_progress(seq_along(tasks), function(task) {
    set_stream(streams[[task]])
    f(tasks[[task]], ...)
  }, purpose))
}

# ---- igraph ----

# Return the value of calls of igraph. A time limit that is reached inside igraph ends R in spite of tryCatch(), so
# limits and interrupts are suspended during the calls and answered after them.
with_igraph <- function(expr) {
  value <- suspendInterrupts(expr)
  Sys.sleep(0)
  value
}
