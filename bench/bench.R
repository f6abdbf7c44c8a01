# Times, memory and W of kgroups and its peers: bench/bench.md. Every call runs in an R
# process of its own, one thread, and is timed in CPU seconds, so that other work on the
# machine counts little; peak memory is the process's, less that before the call.
#   Rscript bench/bench.R     (about ten minutes)
# Needs cc, and for the peers energy, kernlab and kkmeans; a peer that is absent is skipped.

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
compile <- function(name, flags, files) {
  program <- tempfile(name)
  stopifnot(system2("cc", c(flags, "-o", program, files, "-lm")) == 0)
  program
}
floor_program <- compile("floor", c("-O3", "-march=native"), file.path(here, "floor.c"))

timed <- function(program, ...) {
  out <- system2(program, format(c(...), scientific = FALSE, trim = TRUE), stdout = TRUE)
  as.numeric(strsplit(out, " ")[[1L]][1L])
}
pass_floor <- function(n, d, repeats = if (n > 50000) 1 else 7) timed(floor_program, n, d, repeats)

# The code that a child process runs: a mixture of k normal clusters, the call, three numbers.
child <- '
peak <- function() {
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}
set.seed(%d)
n <- %d; d <- %d; k <- %d
centres <- matrix(rnorm(k * d, sd = %s), k)
x <- centres[sample(k, n, TRUE), ] + matrix(rnorm(n * d), n)
start <- sample(k, n, TRUE)
rho <- kgroups::rho_power(1)
before <- { gc(); peak() }
times <- numeric(); W <- NA
call <- function() { %s }
set.seed(1)
once <- sum(system.time(fit <- call())[1:2])
memory <- peak() - before
each <- if (once < 0.05) ceiling(0.1 / max(once, 1e-3)) else 1 # the clock ticks in milliseconds
for (i in seq_len(%d)) {
  set.seed(i)
  times[i] <- sum(system.time(for (j in seq_len(each)) fit <- call())[1:2]) / each
}
labels <- if (is.list(fit)) fit$cluster
if (methods::is(fit, "specc")) labels <- fit@.Data
if (!is.null(labels)) W <- kgroups::energy_statistics(x, labels)$W
cat("RESULT", min(times), memory, W, "\\n")
'

# `floors`: the machine is shared, so the floor is taken right before and after.
run <- function(method, call, n, d, k, repeats = 3, spread = if (d > 20) 0.5 else 1) {
  code <- sprintf(child, 1L, as.integer(n), as.integer(d), as.integer(k), spread, call, as.integer(repeats))
  before <- pass_floor(n, d)
  file <- tempfile(fileext = ".R")
  writeLines(code, file)
  out <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), file, stdout = TRUE, stderr = FALSE, timeout = 240
  ))
  line <- grep("^RESULT", out, value = TRUE)
  value <- if (length(line)) as.numeric(strsplit(line, " ")[[1L]][2:4]) else rep(NA_real_, 3)
  row <- data.frame(
    method = method, n = n, d = d, k = k, seconds = value[1L],
    floors = value[1L] / mean(c(before, pass_floor(n, d))), MB = value[2L], W = value[3L]
  )
  print(row, row.names = FALSE)
  row
}

ours <- c(
  "default call" = "kgroups::kgroups(x, k)",
  "given start" = "kgroups::kgroups(x, k, init = start)",
  "sample start" = "kgroups::kgroups(x, k, init = 'sample')",
  "ten random starts" = "kgroups::kgroups(x, k, init = 'random', nstart = 10)"
)
peers <- c(
  energy = "energy::kgroups(x, k, cluster = start)",
  kkmeans = "kkmeans::kkmeans(x, k, kmat = -as.matrix(dist(x)) / 2, nstart = 1)",
  kernlab = "kernlab::kkmeans(kernlab::as.kernelMatrix(-as.matrix(dist(x)) / 2), k)",
  "stats::kmeans, 10 starts" = "kmeans(x, k, nstart = 10, iter.max = 100)",
  "stats::dist alone" = "dist(x)"
)

options(knitr.kable.NA = "")
head <- c(
  "# Time, memory and W, beside peers", "",
  "Made by `bench/bench.R`: mixtures of k normal clusters, CPU seconds of one thread, the least of some runs. `floor` is",
  "`floor.c`: one pass over the n (n - 1)/2 distances, added up and not stored. `floors` are times over that of the floor, taken",
  "right before and after. MB is the peak of the process above that before the call. `given start` is one local search from",
  "random labels, as energy's; kkmeans and kernlab get the kernel matrix, whose making is in their time. Threads are in",
  "`threads.md`, landmarks, blocks and workers in `scale.md`, W against time in `search.md`.", ""
)

# Written after every row, so that what was measured before a stop is kept.
rows <- list()
keep <- function(row) {
  rows[[length(rows) + 1L]] <<- row
  shown <- do.call(rbind, rows)
  shown <- shown[order(shown$n, shown$d, shown$seconds), c("n", "d", "k", "method", "seconds", "floors", "MB", "W")]
  shown$n <- as.integer(shown$n)
  writeLines(
    c(head, knitr::kable(shown, digits = c(0, 0, 0, 0, 3, 1, 0, 2), row.names = FALSE)), file.path(here, "bench.md")
  )
}
add <- function(...) keep(run(...))
add_floor <- function(n, d, k) {
  seconds <- min(vapply(1:3, function(turn) pass_floor(n, d), 0))
  keep(data.frame(method = "floor", n = n, d = d, k = k, seconds = seconds, floors = 1, MB = NA, W = NA))
}
sizes <- list(c(1000, 10, 5), c(5000, 10, 10), c(10000, 10, 10), c(10000, 50, 20))
for (size in sizes) {
  n <- size[1L]
  d <- size[2L]
  k <- size[3L]
  add_floor(n, d, k)
  for (method in names(ours)) if (n > 1000 || method != "sample start") add(method, ours[[method]], n, d, k)
  for (method in names(peers)) {
    slow <- method %in% c("energy", "kkmeans", "kernlab")
    if (slow && (n > 5000 && method != "energy" || d > 10)) next
    add(method, peers[[method]], n, d, k, repeats = if (slow && n > 1000) 1 else 3)
  }
}
# Growth with n, d and k.
for (n in c(2500, 20000, 40000)) {
  add_floor(n, 10, 10)
  add("default call", ours[["default call"]], n, 10, 10, 1)
}
for (d in c(2, 50, 200)) add("default call", ours[["default call"]], 5000, d, 10, 1, spread = 3 / sqrt(d))
for (k in c(2, 5, 20, 50)) add("default call", ours[["default call"]], 5000, 10, k, 1)
add_floor(1e5, 10, 10)
add("sample start", ours[["sample start"]], 1e5, 10, 10, 1)
add("default call", ours[["default call"]], 1e5, 10, 10, 1)
