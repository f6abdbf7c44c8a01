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
    hint = "Use fewer clusters or starts, or cluster a sample and use `predict()`.",
    call = call
  )
}

# ---- instruction sets and threads ----

# The option kgroups.simd names an instruction set other than the one chosen at load.

simd_names <- c("auto", "avx512", "avx2", "base")

simd_state <- new.env(parent = emptyenv())
simd_state$requested <- "auto"

# Return the name of the loops in use. Called for every problem, so that the option works at any time.
use_simd <- function(call = rlang::caller_env()) {
  name <- getOption("kgroups.simd", "auto")
  if (identical(name, simd_state$requested)) {
    return(invisible(.Call(ffi_choose_loops, NULL)))
  }
  name <- check_choice(name, "kgroups.simd", simd_names, call = call)
  used <- .Call(ffi_choose_loops, name)
  if (is.null(used)) {
    abort_input(
      "simd", call, "The option kgroups.simd must name an instruction set of this processor.",
      "It does not have {quoted(name)}.",
      "Use `options(kgroups.simd = \"auto\")`."
    )
  }
  simd_state$requested <- name
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

# ---- workers ----

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

# lapply(tasks, f, ...) with a stream for each task, on the workers of the user's future plan if
# there are any; else a progress bar named `purpose` is shown in long calls. The answer and the caller's
# generator do not depend on the workers. Tasks that a lost worker had are done again once. `user`: a function of the
# user that f calls, whose globals and packages go with it.
run_tasks <- function(tasks, f, ..., purpose, user = NULL) {
  workers <- have_workers()
  streams <- task_streams(length(tasks))
  needs <- if (workers && !is.null(user)) needs_of(user)
  there <- function() {
    future.apply::future_lapply(
      tasks, f, ...,
      future.seed = streams, future.packages = c("kgroups", "Matrix", needs$packages),
      future.globals = needs$globals %||% TRUE
    )
  }
  kept_stream(if (length(tasks) > 1L && workers) {
    tryCatch(there(), FutureError = function(e) {
      tryCatch(there(), FutureError = function(e) abort_worker(conditionMessage(e), NULL))
    })
  } else {
    lapply_progress(seq_along(tasks), function(task) {
      set_stream(streams[[task]])
      f(tasks[[task]], ...)
    }, purpose)
  })
}

# A plan requires that the package future is loaded.
have_workers <- function() {
  isNamespaceLoaded("future") && requireNamespace("future.apply", quietly = TRUE) && future::nbrOfWorkers() > 1
}

# Return the globals and packages of a function as future finds them for a call of it: future_lapply() inspects the
# function that it calls alone.
needs_of <- function(user) {
  found <- future::getGlobalsAndPackages(quote(user(1)), envir = rlang::env(user = user))
  globals <- as.list(found$globals)
  list(globals = globals[setdiff(names(globals), "user")], packages = setdiff(found$packages, "kgroups"))
}

# ---- igraph ----

# Return the value of calls of igraph. A time limit that is reached inside igraph ends R in spite of tryCatch(), so
# limits and interrupts are suspended during the calls and answered after them.
with_igraph <- function(expr) {
  value <- suspendInterrupts(expr)
  Sys.sleep(0)
  value
}
