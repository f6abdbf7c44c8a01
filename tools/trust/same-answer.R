# One fixed set of calls, every engine among them: a line a call with a hash of the labels and W
# to 17 digits. Prints a table, or writes it to the file --out. tools/trust/same-answer.sh runs it on
# every number of threads, instruction set, compiler, BLAS and version of R and compares. The graph
# and the sparse matrix are drawn by igraph and Matrix: the first calls show whether a version of
# them draws others.
#   Rscript tools/trust/same-answer.R [--threads 1] [--simd auto] [--out file.tsv]
#   Rscript tools/trust/same-answer.R --compare FOLDER     compares the tables of FOLDER with the first of them
source("tools/trust/common.R")

compare_tables <- function(folder) {
  files <- sort(list.files(folder, "[.]tsv$", full.names = TRUE))
  # Its first line has the version of R.
  made <- sub("^# ", "", vapply(files, readLines, "", n = 1L))
  tables <- lapply(files, utils::read.delim, colClasses = c("character", "numeric", "numeric"), skip = 1L)
  names(tables) <- gsub("_", " ", sub("^[0-9]_", "", sub("[.]tsv$", "", basename(files))))
  first <- tables[[1L]]
  cat(made[1L], "; ", nrow(first), " calls, compared with ", names(tables)[1L], "\n\n", sep = "")
  cat("| run | made in | labels equal | largest relative difference | call |\n|---|---|---|---|---|\n")
  worst <- 0
  for (i in seq_along(tables)[-1L]) {
    other <- tables[[i]]
    if (!identical(first$call, other$call)) {
      cat(
        "| ", names(tables)[i], " | ", made[i], " | other calls: made by another version of same-answer.R | | |\n",
        sep = ""
      )
      worst <- Inf
      next
    }
    same <- first$labels == other$labels
    # a count, or a statistic of 0, has no relative difference
    gap <- abs(first$value - other$value) / pmax(abs(first$value), 1e-300)
    gap[first$value == other$value] <- 0
    cat(sprintf(
      "| %s | %s | %d of %d%s | %.1e | %s |\n", names(tables)[i], made[i], sum(same), length(same),
      if (all(same)) "" else paste0(" (not: ", paste(first$call[!same], collapse = ", "), ")"), max(gap),
      if (max(gap) > 0) first$call[which.max(gap)] else ""
    ))
    worst <- max(worst, gap, !same)
  }
  cat(sprintf("\n%s\n", if (worst <= 1e-10) "All the same." else "DIFFERENT."))
  quit(status = as.integer(worst > 1e-10))
}
if (nzchar(argument("compare", ""))) compare_tables(argument("compare", ""))

source("tests/testthat/helper-graphs.R")
suppressPackageStartupMessages(library(kgroups))

threads <- argument("threads", 1)
options(kgroups.simd = argument("simd", "auto"), kgroups.threads = threads)
out <- argument("out", "")

set.seed(1)
x <- matrix(rnorm(6000 * 5), 6000) + rep(c(0, 3, 6), each = 2000)
small <- x[seq(1, 6000, by = 12), ]
w <- runif(500)
start <- sample(rep_len(1:5, 6000))
large_start <- sample(rep_len(1:60, 6000))
d <- dist(small)
G <- as_gram(tcrossprod(small))
line <- sort(rnorm(20000)) + rep(c(0, 5), 10000)
graph <- sample_sparse_sbm(2000, 3, 8, 2)
sparse <- Matrix::crossprod(Matrix::rsparsematrix(500, 500, 0.01))
blocks <- row_blocks(function(i) x[seq(i, 6000, by = 3), ], 3)
mixture <- matrix(rnorm(250), 50)[sample(50, 3000, TRUE), ] + matrix(rnorm(15000), 3000)
few <- rbind(matrix(rnorm(20, 60), 5), matrix(rnorm(48000), ncol = 4) + 4 * rep(1:4, each = 3000))
apart <- matrix(rnorm(100, sd = 20), 50)[sample(50, 2500, TRUE), ] + matrix(rnorm(5000), 2500)
rounded <- round(mixture[1:1000, 1:2], 1)
lattice <- as.matrix(expand.grid(1:20, 1:20)) + 0
manhattan <- rho_function(function(x, y) sum(abs(x - y)))

calls <- expression(
  "input: graph" = igraph::as_edgelist(graph, names = FALSE),
  "input: sparse Gram" = which(as.matrix(sparse) != 0, arr.ind = TRUE),
  "search, small" = kgroups(small, 4),
  "search, weights" = kgroups(small, 4, weights = w),
  "search, large" = kgroups(x, 3),
  "search, 50 clusters" = kgroups(mixture, 50), "search, 15 clusters" = kgroups(mixture, 15),
  "search, 50 apart" = kgroups(apart, 50), "search, few far" = kgroups(few, 5),
  "search, dist, few far" = kgroups(dist(few[c(1:5, 5 + 5 * (1:2400)), ]), 5),
  "search, above 20000" = kgroups(rbind(few, few + 9), 6),
  "search, rounded" = kgroups(rounded, 30), "search, lattice" = kgroups(lattice, 20),
  "search, lattice, dist" = kgroups(dist(lattice), 40),
  "labels, large" = kgroups(x, 5, init = start),
  "labels, many clusters" = kgroups(x, 60, init = large_start),
  "k-means++" = kgroups(small, 8, init = "kmeans++", nstart = 3),
  "random" = kgroups(small, 8, init = "random", nstart = 3),
  "spectral" = kgroups(small, 4, init = "spectral"),
  "Lloyd" = kernel_kmeans(x, 5, init = start),
  "Lloyd, search" = kernel_kmeans(small, 5),
  "squared distances" = kgroups(x, 5, semimetric = rho_power(2), init = start),
  "root" = kgroups(x, 5, semimetric = rho_power(0.5), init = start),
  "power 1.5" = kgroups(small, 5, semimetric = rho_power(1.5)),
  "exponential" = kgroups(x, 5, semimetric = rho_exponential(2), init = start),
  "Gaussian" = kgroups(x, 5, semimetric = rho_gaussian(2), init = start),
  "own function" = kgroups(small[1:100, ], 3, semimetric = manhattan),
  "dist" = kgroups(d, 4), "dist, labels" = kgroups(d, 4, init = rep_len(1:4, 500)),
  "Gram" = kgroups(G, 4), "sparse Gram" = suppressWarnings(kgroups(sparse, 4)),
  "mixture" = kgroups_mixture(small, 3),
  "landmarks" = kgroups(x, 3, approx = nystroem(100)),
  "landmarks, finished" = kgroups(x, 3, approx = nystroem(50, polish = TRUE)),
  "blocks" = kgroups(blocks, 3, approx = nystroem(100)),
  "one dimension" = kgroups(line, 7),
  "one dimension, weights" = kgroups(line[1:2000], 5, weights = seq_len(2000)),
  "graph" = kgroups(graph, 3), "Bethe Hessian" = cluster_bethe_hessian(graph, 3),
  "belief propagation" = cluster_belief_propagation(graph, 3), "count" = count_communities(graph),
  "statistics" = energy_statistics(x, start), "test" = energy_test(small, rep_len(1:3, 500), R = 99),
  "negative type" = is_negative_type(small, details = TRUE),
  "distances to means" = predict(kgroups(small, 4), x[1:100, ], type = "squared")
)

# An integer that changes with any label.
hash <- function(labels) {
  value <- 7
  for (one in as.integer(labels)) value <- (value * 31 + one) %% 2147483647
  value
}

rows <- lapply(names(calls), function(name) {
  set.seed(2)
  # kgroups.threads is the default of `threads`, of the calls that have it
  value <- eval(calls[[name]])
  labels <- if (inherits(value, "kgroups_fit")) {
    value$cluster
  } else if (inherits(value, "communities")) {
    igraph::membership(value)
  } else if (startsWith(name, "input")) {
    value
  } else if (is.matrix(value)) {
    max.col(-value)
  }
  number <- if (inherits(value, "kgroups_fit") || inherits(value, "energy_statistics")) {
    value$W
  } else if (inherits(value, "communities")) {
    igraph::modularity(value)
  } else if (inherits(value, "htest")) {
    value$statistic
  } else if (is.matrix(value)) {
    sum(value)
  } else if (inherits(value, "kgroups_negative_type")) {
    value$largest
  } else {
    as.numeric(value)
  }
  data.frame(call = name, labels = hash(labels), value = sprintf("%.17g", number))
})
rows <- do.call(rbind, rows)
if (nzchar(out)) {
  file <- file(out, "w")
  blas <- basename(dirname(extSoftVersion()[["BLAS"]]))
  writeLines(sprintf("# R %s, igraph %s, %s", getRversion(), utils::packageVersion("igraph"), blas), file)
  utils::write.table(rows, file, row.names = FALSE, quote = FALSE, sep = "\t")
  close(file)
} else {
  print(rows, row.names = FALSE)
}
