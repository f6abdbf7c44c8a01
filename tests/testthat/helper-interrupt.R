# A job that a shell script starts in its background ignores SIGINT; R 4.2 takes it all the same, R 4.6
# and the R that it starts do not.
skip_if_interrupts_ignored <- function() {
  reported <- suppressWarnings(system("kill -INT $$; echo ignored", intern = TRUE, ignore.stderr = TRUE))
  testthat::skip_if("ignored" %in% reported, "SIGINT is ignored in this session")
}

# One child R process goes through long calls; each is interrupted from outside. `setup`
# makes the data, `calls` are expressions as text, each long enough to be caught.

long_setup <- '
  set.seed(1)
  points <- matrix(rnorm(60000 * 20), 60000)
  few <- points[1:2000, ]
  labels <- rep(1:10, length.out = 60000)
  dissimilarities <- dist(points[1:6000, ])
  short_fit <- kgroups(points[1:20000, ], 5, init = rep(1:5, 4000), iter.max = 1)
  graph <- igraph::sample_sbm(30000, diag(5.5e-4, 3) + 8e-5, rep(10000, 3))
  line <- rnorm(3e6)
  blocks <- row_blocks(function(i) points[seq(i, 60000, by = 20), ], 20)
  # an interrupt while R loads one of its own functions leaves that function undefined
  for (form in list(NULL, nystroem(20))) kgroups(points[1:400, ], 3, approx = form)
'

long_calls <- c(
  "exact fit" = "kgroups(points, 10, init = labels)",
  "search" = "kgroups(points, 10, nstart = 50)",
  "k-means++ start" = "kgroups(points, 500, init = 'kmeans++')",
  "swaps" = "kgroups(few, 200, nstart = 200)",
  "dissimilarities" = "kgroups(dissimilarities, 40, nstart = 200)",
  "Lloyd" = "kernel_kmeans(points, 10, init = 'random')",
  "spectral start" = "kgroups(points, 10, init = 'spectral')",
  "statistics" = "energy_statistics(points, labels)",
  "test" = "energy_test(points[1:5000, ], labels[1:5000], R = 1e5)",
  "prediction" = "predict(short_fit, rbind(points, points, points))",
  "negative type" = "is_negative_type(dissimilarities)",
  "user's function" = "kgroups(points[1:3000, ], 3, semimetric = rho_function(function(x, y) sum(abs(x - y))))",
  "one dimension" = "kgroups(line, 200)",
  "graph" = "cluster_belief_propagation(graph, 3, sweeps = 1e5)",
  "graph k-groups" = "for (i in 1:100) cluster_kgroups(graph, 3)",
  "landmark features" = "kgroups(points, 10, approx = nystroem(1000))",
  "local search on features" = "kgroups(points, 2000, init = 'random', approx = nystroem(200))",
  "blocks" = "kgroups(blocks, 300, approx = nystroem(200), tol = 0, nstart = 1)"
)

# A data frame: what the child reported of each call ("interrupted", "ended" or an error),
# seconds from the signal to its answer, and whether the next call was right. `pause`: seconds
# before the signal, or a function that draws them.
interrupt_calls <- function(calls, setup = long_setup, pause = 0.3, patience = 30) {
  folder <- tempfile("interrupt")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  code <- c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(kgroups)", setup,
    "expected <- kgroups(iris[1:4], 3, init = iris$Species)$W",
    unlist(lapply(seq_along(calls), function(at) {
      sprintf('
        answer <- tryCatch({
          file.create(file.path("%1$s", "ready%2$d"))
          %3$s
          "ended"
        }, interrupt = function(e) "interrupted", error = conditionMessage)
        now <- as.numeric(Sys.time())
        right <- identical(kgroups(iris[1:4], 3, init = iris$Species)$W, expected)
        writeLines(c(answer, format(now, digits = 17), right), file.path("%1$s", "part%2$d"))
        file.rename(file.path("%1$s", "part%2$d"), file.path("%1$s", "done%2$d"))
      ', folder, at, calls[at])
    }))
  )
  script <- file.path(folder, "child.R")
  writeLines(code, script)
  child <- processx::process$new(
    file.path(R.home("bin"), "R"), c("--vanilla", "--no-echo", "-f", script),
    stdout = file.path(folder, "out"), stderr = "2>&1"
  )
  on.exit(child$kill(), add = TRUE, after = FALSE)
  wait_for <- function(name) {
    path <- file.path(folder, name)
    end <- Sys.time() + patience
    while (!file.exists(path) && Sys.time() < end && child$is_alive()) Sys.sleep(0.01)
    file.exists(path)
  }
  out <- data.frame(
    call = if (is.null(names(calls))) calls else names(calls), answer = "none", seconds = NA_real_, right = FALSE
  )
  for (at in seq_along(calls)) {
    if (!wait_for(paste0("ready", at))) break
    Sys.sleep(if (is.function(pause)) pause() else pause)
    sent <- as.numeric(Sys.time())
    child$interrupt()
    if (!wait_for(paste0("done", at))) break
    reported <- readLines(file.path(folder, paste0("done", at)))
    out$answer[at] <- reported[1L]
    out$seconds[at] <- as.numeric(reported[2L]) - sent
    out$right[at] <- reported[3L] == "TRUE"
  }
  attr(out, "output") <- readLines(file.path(folder, "out"), warn = FALSE)
  out
}
