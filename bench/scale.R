# Large data: the exact call at n = 100000, landmarks at n = 1000000, the same rows from files, and a
# table of 1000 columns. Each part runs in a fresh R process, on one thread; memory is the
# peak of that process. Writes bench/scale.md, and vignettes/large.csv for the vignette. Under a minute of CPU time.
#   Rscript bench/scale.R        (from the root of the sources, package installed)

data_code <- '
  make_data <- function(n, d = 10, k = 10) {
    set.seed(1)
    centres <- matrix(rnorm(k * d, sd = if (d > 100) 0.3 else 2), k)
    groups <<- sample.int(k, n, TRUE)
    centres[groups, ] + matrix(rnorm(n * d), n)
  }
  # the peak from here on, where the system can forget the one before
  forget <- function() {
    invisible(gc())
    try(writeLines("5", "/proc/self/clear_refs"), silent = TRUE)
    peak()
  }
  peak <- function() {
    line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
    as.numeric(gsub("[^0-9]", "", line)) / 1024
  }
'

# Runs code in a fresh process; it leaves a list called `result`.
part <- function(name, code) {
  file <- tempfile(fileext = ".rds")
  script <- tempfile(fileext = ".R")
  writeLines(c("library(kgroups)", data_code, code, sprintf("saveRDS(result, '%s')", file)), script)
  status <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script))
  if (status != 0) stop(name, " failed")
  data.frame(part = name, readRDS(file))
}

timed <- function(call, n, d = 10) {
  sprintf('
    kgroups(iris[1:4], 3)
    x <- make_data(%s, %d)
    before <- forget()
    set.seed(2)
    time <- system.time(fit <- %s)
    result <- list(n = nrow(x), cpu = time[["user.self"]] + time[["sys.self"]],
      megabytes = peak(), above_data = peak() - before, W = fit$W, W_estimate = NA)
    if (!is.null(fit$approx)) result$W_estimate <- fit$approx$W_estimate
    result$rand <- compare_clusters(groups, fit)
  ', n, d, call)
}

folder <- file.path(tempdir(), "blocks")
truth <- tempfile(fileext = ".rds")
dir.create(folder)
files_code <- sprintf('
  x <- make_data(1e6)
  rows <- split(seq_len(1e6), rep(1:20, each = 50000))
  for (i in 1:20) saveRDS(x[rows[[i]], ], file.path("%s", sprintf("b%%02d.rds", i)), compress = FALSE)
  saveRDS(groups, "%s", compress = FALSE)
  result <- list(n = 1e6)
', folder, truth)
invisible(part("files", files_code))

blocks_code <- sprintf('
  files <- list.files("%s", full.names = TRUE)
  before <- forget()
  set.seed(2)
  time <- system.time(
    fit <- kgroups(row_blocks(function(i) readRDS(files[i]), length(files)), 10, approx = nystroem(256))
  )
  result <- list(n = length(fit$cluster), cpu = time[["user.self"]] + time[["sys.self"]],
    megabytes = peak(), above_data = peak() - before, W = fit$W, W_estimate = fit$approx$W_estimate,
    rand = compare_clusters(readRDS("%s"), fit))
', folder, truth)

results <- list(
  part("exact, n = 1e5", timed("kgroups(x, 10)", "1e5")),
  part("nystroem(256), n = 1e6, in memory", timed("kgroups(x, 10, approx = nystroem(256))", "1e6")),
  part("nystroem(256), n = 1e6, 20 files", blocks_code),
  part("exact, n = 2000, d = 1000", timed("kgroups(x, 10)", "2000", 1000))
)
table <- do.call(rbind, results)
unlink(folder, recursive = TRUE)
number <- vapply(table, is.numeric, NA)
table[number] <- lapply(table[number], signif, 3)
utils::write.csv(table[1:3, ], "vignettes/large.csv", row.names = FALSE)

lines <- c(
  "# Large data", "",
  "Made by `bench/scale.R`: ten normal clouds, d = 10, k = 10, one thread a process. `above_data`: peak memory",
  "of the process above its data, MB. `rand`: adjusted Rand index with the clouds.", "",
  knitr::kable(table, format = "pipe"), "",
  sprintf("- Landmarks at n = 1e6 take %.2f times the CPU time of the exact call at n = 1e5.", table$cpu[2] / table$cpu[1]),
  sprintf("- From files: %.2f times the time in memory.", table$cpu[3] / table$cpu[2]),
  sprintf("- A table of 1000 columns takes %.1f times its own memory beside it.", table$above_data[4] / (8 * 2e6 / 2^20))
)
writeLines(lines, "bench/scale.md")
cat(lines, sep = "\n")
