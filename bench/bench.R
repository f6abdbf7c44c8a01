# Times, memory and W of kgroups and its peers, for bench/bench.Rmd. Every call runs in an R
# process of its own, one thread, and is timed in CPU seconds, so that other work on the
# machine counts little; peak memory is the process's, less that before the call.
#   Rscript bench/bench.R     (about ten minutes; writes bench/bench.csv and bench/quality.csv)
# Needs cc, and for the peers energy, kernlab and kkmeans; a peer that is absent is left out.

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
floor_program <- tempfile("floor")
stopifnot(system2("cc", c("-O3", "-march=native", "-o", floor_program, file.path(here, "floor.c"), "-lm")) == 0)

pass_floor <- function(n, d) {
  out <- system2(
    floor_program, format(c(n, d, if (n > 50000) 1 else 7), scientific = FALSE, trim = TRUE),
    stdout = TRUE
  )
  as.numeric(strsplit(out, " ")[[1L]][1L])
}

# What a child process runs: a mixture of k normal clusters, the call, three numbers.
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
for (i in seq_len(%d)) {
  set.seed(i)
  times[i] <- sum(system.time(fit <- { %s })[1:2])
}
memory <- peak() - before
labels <- if (is.list(fit)) fit$cluster
if (methods::is(fit, "specc")) labels <- fit@.Data
if (!is.null(labels)) W <- kgroups::energy_statistics(x, labels)$W
cat("RESULT", min(times), memory, W, "\\n")
'

run <- function(method, call, n, d, k, repeats = 3, spread = if (d > 20) 0.5 else 1) {
  code <- sprintf(child, 1L, as.integer(n), as.integer(d), as.integer(k), spread, as.integer(repeats), call)
  file <- tempfile(fileext = ".R")
  writeLines(code, file)
  out <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), file, stdout = TRUE, stderr = FALSE, timeout = 240
  ))
  line <- grep("^RESULT", out, value = TRUE)
  value <- if (length(line)) as.numeric(strsplit(line, " ")[[1L]][2:4]) else rep(NA_real_, 3)
  row <- data.frame(
    method = method, n = n, d = d, k = k, seconds = value[1L], MB = value[2L], W = value[3L]
  )
  print(row, row.names = FALSE)
  row
}

ours <- c(
  "default call" = "kgroups::kgroups(x, k)",
  "given start" = "kgroups::kgroups(x, k, init = start)",
  "sample start" = paste(
    "{ s <- sample(n, 1000); part <- kgroups::kgroups(x[s, ], k, init = 'kmeans++', nstart = 3);",
    "kgroups::kgroups(x, k, init = predict(part, x)) }"
  ),
  "ten random starts" = "kgroups::kgroups(x, k, init = 'random', nstart = 10)"
)
peers <- c(
  energy = "energy::kgroups(x, k, cluster = start)",
  kkmeans = "kkmeans::kkmeans(x, k, kmat = -as.matrix(dist(x)) / 2, nstart = 1)",
  kernlab = "kernlab::kkmeans(kernlab::as.kernelMatrix(-as.matrix(dist(x)) / 2), k)",
  "stats::kmeans, 10 starts" = "kmeans(x, k, nstart = 10, iter.max = 100)",
  "stats::dist alone" = "dist(x)"
)

# Written after every row, so that what was measured before a stop is kept.
rows <- list()
keep <- function(row) {
  rows[[length(rows) + 1L]] <<- row
  utils::write.csv(do.call(rbind, rows), file.path(here, "bench.csv"), row.names = FALSE)
}
add <- function(...) keep(run(...))
add_floor <- function(n, d, k) {
  keep(data.frame(method = "floor", n = n, d = d, k = k, seconds = pass_floor(n, d), MB = NA, W = NA))
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
for (n in c(2500, 20000, 40000)) {
  add_floor(n, 10, 10)
  add("default call", ours[["default call"]], n, 10, 10, 1)
}
add_floor(1e5, 10, 10)
add("sample start", ours[["sample start"]], 1e5, 10, 10, 1)
add("default call", ours[["default call"]], 1e5, 10, 10, 1)
