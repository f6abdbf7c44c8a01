# Too little memory: the address space of a child process is limited at a random point above
# what it holds (prlimit, of util-linux), a call is made, the limit is lifted, and the next
# call must be right. An error of R or of ours is the answer wanted, a crash is a finding.
#   Rscript tools/trust/memory.R [--times 200] [--seed 1]     (package installed, from the root)
source("tools/trust/common.R")
suppressPackageStartupMessages(library(kgroups))

times <- argument("times", 200)
seed <- argument("seed", 1)

setup <- quote({
  set.seed(1)
  points <- matrix(rnorm(20000 * 10), 20000)
  labels <- rep(1:10, length.out = 20000)
  few <- points[1:1500, ]
  d <- dist(points[1:3000, ])
  G <- as_gram(tcrossprod(few))
  graph <- igraph::sample_sbm(10000, diag(1.3e-3, 3) + 3.8e-4, c(3334, 3333, 3333))
  line <- rnorm(1e6)
  blocks <- row_blocks(function(i) points[seq(i, 20000, by = 4), ], 4)
  sparse <- Matrix::crossprod(Matrix::rsparsematrix(2000, 2000, 1e-3))
})

# Memory that a call needs at most, in MB, so that limits fall within.
calls <- expression(
  kgroups(points, 10, iter.max = 2), kgroups(points, 300, init = "random", iter.max = 1), kgroups(few, 5),
  kgroups(d, 4, nstart = 2),
  kgroups(G, 4), kernel_kmeans(points, 5, init = "random", iter.max = 3), kgroups(points, 4, init = "spectral"),
  energy_statistics(points, labels), energy_test(points[1:2000, ], labels[1:2000], R = 99), semimetric_matrix(few),
  semimetric_matrix(few, type = "gram"), make_negative_type(few[1:500, ]), is_negative_type(points[1:3000, ]),
  kgroups(line, 20),
  kgroups(points, 5, approx = nystroem(500)), kgroups(blocks, 5, approx = nystroem(100)), cluster_kgroups(graph, 3),
  cluster_belief_propagation(graph, 20), count_communities(graph), kgroups(sparse, 5),
  stability(kgroups(few, 3), B = 3),
  select_k(few[1:200, ], 1:3, splits = 2),
  predict(kgroups(few, 3), points, type = "squared"),
  kgroups(few, 3, semimetric = rho_function(function(x, y) as.matrix(tcrossprod(x, y)^0 * 0 + 1) - 1, TRUE))
)

if (argument("child", 0) == 1) {
  eval(setup)
  # The stack of C grows within the same limit, and R can only die when it cannot: it is grown
  # beforehand, so that what is short is memory that is requested.
  deep <- function(n) if (n > 0) c(deep(n - 1), 1) else 0
  options(expressions = 50000)
  invisible(tryCatch(deep(1500), error = identity))
  set.seed(seed)
  expected <- kgroups(iris[1:4], 3, init = iris$Species)$W
  held <- function() {
    line <- grep("VmSize", readLines("/proc/self/status"), value = TRUE)
    1024 * as.numeric(gsub("[^0-9]", "", line))
  }
  limit <- function(bytes) system2("prlimit", c("--pid", Sys.getpid(), sprintf("--as=%s:", bytes)))
  for (time in seq_len(times)) {
    at <- sample(length(calls), 1L)
    more <- 2^stats::runif(1L, 10, 28) # from a kilobyte to 256 MB
    invisible(gc())
    cat("start", at, format(more / 2^20, digits = 3), "\n")
    limit(format(held() + more, scientific = FALSE, digits = 15))
    answer <- tryCatch(
      {
        suppressWarnings(suppressMessages(eval(calls[[at]])))
        "ended"
      },
      error = function(e) if (inherits(e, "kg_error")) class(e)[1L] else "error of R"
    )
    limit("unlimited")
    right <- identical(kgroups(iris[1:4], 3, init = iris$Species)$W, expected)
    cat("done", at, answer, right, "\n", sep = "\t")
  }
  quit()
}

batch <- 20
answers <- NULL
crashes <- 0
in_r <- 0 # crashes of R itself: no routine of ours on top of the stack
for (part in seq_len(ceiling(times / batch))) {
  child <- run_child("tools/trust/memory.R", c("--child", 1, "--seed", seed + part, "--times", batch), quiet = 120)
  lines <- strsplit(grep("^done\t", child$lines, value = TRUE), "\t")
  answers <- rbind(answers, do.call(rbind, lapply(lines, function(x) x[2:4])))
  if (child$status != 0 || child$hung) {
    top <- grep("^ *1: ", child$lines, value = TRUE)
    ours <- child$hung || !length(top) || any(grepl(".Call(ffi", top, fixed = TRUE))
    if (ours) crashes <- crashes + 1 else in_r <- in_r + 1
    last <- utils::tail(grep("^start", child$lines, value = TRUE), 1L)
    call <- as.integer(strsplit(last, " ")[[1L]][2L])
    cat(if (child$hung) "hang:" else "crash:", last, deparse(calls[[call]])[1L], "\n")
    cat(paste("   ", utils::tail(child$lines, 30)), sep = "\n")
  }
}
name <- vapply(calls, function(call) substr(deparse(call)[1L], 1, 60), "")
print(table(call = name[as.integer(answers[, 1L])], answer = answers[, 2L]))
wrong <- sum(answers[, 3L] != "TRUE")
cat(
  nrow(answers) + crashes + in_r, "calls under a limit:", sum(answers[, 2L] == "ended"), "ended,",
  sum(answers[, 2L] == "error of R"),
  "errors of R,", sum(grepl("^kg_", answers[, 2L])), "errors of ours,", crashes, "crashes in our routines,", in_r,
  "in R itself; next call wrong", wrong, "times\n"
)
record(
  "memory.R",
  sprintf(
    "%d calls: %d ended, %d errors of R, %d of ours", nrow(answers) + crashes + in_r, sum(answers[, 2L] == "ended"),
    sum(answers[, 2L] == "error of R"), sum(grepl("^kg_", answers[, 2L]))
  ),
  crashes + wrong, if (in_r > 0) sprintf("%d crashes in R itself", in_r) else ""
)
quit(status = as.integer(crashes + wrong > 0))
