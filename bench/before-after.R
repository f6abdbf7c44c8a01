# Times two installed versions of the package against each other: each row in a process of
# its own, the two versions in turn, CPU seconds, the least of the runs.
#   Rscript bench/before-after.R LIBRARY-BEFORE LIBRARY-AFTER [rows, a regular expression] [runs]

arguments <- commandArgs(TRUE)
libraries <- normalizePath(arguments[1:2])
wanted <- if (length(arguments) > 2L) arguments[3L] else "."
runs <- if (length(arguments) > 3L) as.integer(arguments[4L]) else 5L

mixture <- "
draw <- function(n, d, k, seed = 1, scale = if (d > 20) .5 else 1) {
  set.seed(seed)
  centres <- matrix(rnorm(k * d, sd = scale), k)
  centres[sample(k, n, TRUE), ] + matrix(rnorm(n * d), n)
}
"
# One row each: what is made before the clock starts, and what is timed.
rows <- list(
  `default, iris, k = 3` = c("x <- as.matrix(iris[1:4])", "for (i in 1:50) kgroups(x, k = 3)"),
  `default, n = 500, d = 5, k = 5` = c("x <- draw(500, 5, 5)", "for (i in 1:5) kgroups(x, k = 5)"),
  `default, n = 2000, d = 10, k = 10` = c("x <- draw(2000, 10, 10)", "kgroups(x, k = 10)"),
  `default, n = 10000, d = 10, k = 10` = c("x <- draw(1e4, 10, 10)", "kgroups(x, k = 10)"),
  `default, n = 10000, d = 10, k = 3` = c("x <- draw(1e4, 10, 3)", "kgroups(x, k = 3)"),
  `default, n = 10000, d = 50, k = 20` = c("x <- draw(1e4, 50, 20)", "kgroups(x, k = 20)"),
  `default, n = 5000, d = 10, k = 50` = c("x <- draw(5000, 10, 50)", "kgroups(x, k = 50)"),
  `default, n = 5000, d = 10, k = 100` = c("x <- draw(5000, 10, 100)", "kgroups(x, k = 100)"),
  `default, n = 1e5, d = 10, k = 10` = c("x <- draw(1e5, 10, 10)", "kgroups(x, k = 10)"),
  `default, dist, n = 3000` = c("x <- dist(draw(3000, 10, 10))", "kgroups(x, k = 10)"),
  `default, Gram, n = 3000` = c(
    "x <- semimetric_matrix(draw(3000, 10, 10), semimetric = rho_gaussian(3), type = 'gram')", "kgroups(x, k = 10)"
  ),
  `random start, n = 1000, k = 10` = c(
    "x <- draw(1000, 10, 10); s <- rep_len(1:10, 1000)", "for (i in 1:10) kgroups(x, k = 10, init = s)"
  ),
  `random start, n = 5000, k = 10` = c(
    "x <- draw(5000, 10, 10); s <- rep_len(1:10, 5000)", "kgroups(x, k = 10, init = s)"
  ),
  `sample start, n = 10000, d = 50` = c("x <- draw(1e4, 50, 20)", "kgroups(x, k = 20, init = 'sample')"),
  `weights, n = 3000` = c(
    "x <- draw(3000, 10, 10); w <- runif(3000) + .5; s <- rep_len(1:10, 3000)",
    "kgroups(x, k = 10, weights = w, init = s)"
  ),
  `Lloyd, n = 3000` = c(
    "x <- draw(3000, 10, 10); s <- rep_len(1:10, 3000)", "kernel_kmeans(x, k = 10, init = s)"
  ),
  `landmarks, n = 1e5, m = 256` = c("x <- draw(1e5, 10, 10)", "kgroups(x, k = 10, approx = nystroem(256))"),
  `landmarks, n = 1e6, m = 256` = c("x <- draw(1e6, 10, 10)", "kgroups(x, k = 10, approx = nystroem(256))"),
  `energy_test, n = 1000` = c(
    "x <- draw(1000, 10, 3); g <- rep_len(1:3, 1000)", "energy_test(x, g, R = 199)"
  ),
  `within, iris, k = 3` = c(
    "x <- as.matrix(iris[1:4])", "for (i in 1:20) kgroups(x, k = 3, standardize = 'within')"
  ),
  `within, n = 10000, d = 10, k = 10` = c("x <- draw(1e4, 10, 10)", "kgroups(x, 10, standardize = 'within')"),
  `mixture, n = 10000, d = 10, k = 10` = c("x <- draw(1e4, 10, 10)", "kgroups_mixture(x, 10)"),
  `default, n = 2000, d = 1000, k = 10` = c("x <- draw(2000, 1000, 10)", "kgroups(x, 10)"),
  `default, n = 20000, d = 10, k = 500` = c("x <- draw(2e4, 10, 500)", "kgroups(x, 500)"),
  `select_k, n = 5000, d = 10` = c("x <- draw(5000, 10, 5)", "select_k(x)"),
  `default, n = 5000, d = 10, k = 5` = c("x <- draw(5000, 10, 5)", "kgroups(x, 5)"),
  `select_k, n = 600` = c("x <- draw(600, 5, 4)", "select_k(x, 1:8)"),
  `one dimension, n = 1e6` = c("x <- draw(1e6, 1, 10)", "kgroups(x[, 1], k = 10)"),
  `sparse graph, n = 5000` = c(
    "set.seed(1); source('tests/testthat/helper-graphs.R'); g <- sample_sparse_sbm(5000, 4, 6, 1.5)",
    "cluster_kgroups(g, 4)"
  )
)

once <- function(library, row, seed) {
  code <- tempfile(fileext = ".R")
  on.exit(unlink(code))
  writeLines(c(
    sprintf(".libPaths(c(%s, .libPaths()))", deparse(library)),
    "suppressPackageStartupMessages(library(kgroups))", mixture,
    sprintf("suppressMessages({ %s })", row[1L]),
    sprintf("set.seed(%d)", seed),
    sprintf("time <- system.time(suppressWarnings(suppressMessages({ %s })))", row[2L]),
    "cat('RESULT', sum(time[1:2]), '\\n')"
  ), code)
  out <- suppressWarnings(system2("Rscript", code, stdout = TRUE, stderr = TRUE))
  line <- grep("^RESULT", out, value = TRUE)
  if (length(line) == 0L) {
    message(paste(tail(out, 3L), collapse = "\n"))
    return(NA_real_)
  }
  as.numeric(strsplit(line, " ")[[1L]][2L])
}

cat(sprintf("%-36s %9s %9s %6s\n", "row", "before s", "after s", "ratio"))
for (name in grep(wanted, names(rows), value = TRUE)) {
  times <- vapply(seq_len(runs), function(run) {
    vapply(libraries, once, 0, row = rows[[name]], seed = run)
  }, c(0, 0))
  least <- apply(times, 1L, min)
  cat(sprintf("%-36s %9.4f %9.4f %6.2f\n", name, least[1L], least[2L], least[2L] / least[1L]))
}
