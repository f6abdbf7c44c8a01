# Ctrl-C and time limits. Three measurements:
#   Rscript tools/trust/interrupt.R --gaps yes [--seconds 12] [--size 1] [--only REGEX of call, k and threads]
#       [--record yes]
#     every exported function that can run for seconds, on one and two threads and for k = 3, 50 and 500:
#     the longest time between two checks for an interrupt (tools/trust/polls.c), which no signal can
#     take longer than, whenever it comes. A call is cut off after so many seconds: with a smaller size
#     calls come to their ends.
#   Rscript tools/trust/interrupt.R [--times 200] [--seed 1] [--record yes]
#     SIGINT at random moments of long routines: R stays usable, the next call is right, and memory
#     does not grow over one process that is interrupted again and again.
#   Rscript tools/trust/interrupt.R --limits yes [--times 200] [--seed 1] [--size .06] [--record yes]
#     a time limit of .02 to 1 second around the calls of --gaps, at random: it ends the call by its error or comes
#     too late; no handler of errors keeps it, R stays usable and the next call is right.
# (package installed, and compiled to bytes, from the root)
source("tools/trust/common.R")

gap_setup <- quote({
  suppressPackageStartupMessages(library(kgroups))
  set.seed(1)
  n_all <- round(size * 40000)
  n_few <- round(size * 8000)
  n_part <- round(size * 15000)
  n_dense <- round(size * 5000)
  n_band <- round(size * 60000)
  n_graph <- 5 * round(size * 2e4)
  points <- matrix(rnorm(10 * n_all), n_all) + 2 * rep_len(1:5, n_all)
  few <- points[seq_len(n_few), ]
  part <- points[seq_len(n_part), ]
  large <- matrix(rnorm(size * 3e6), ncol = 10)
  apart <- dist(few)
  flat <- dist(few[, 1:3])
  gram <- semimetric_matrix(points[seq_len(n_dense), ], type = "gram")
  band <- Matrix::bandSparse(
    n_band, k = 0:6, diagonals = lapply(0:6, function(i) rep(if (i) -1 else 14, n_band)), symmetric = TRUE
  )
  table <- data.frame(
    points[, 1:4], sex = factor(sample(c("a", "b"), n_all, TRUE)), level = factor(sample(letters, n_all, TRUE))
  )
  table$X1[sample.int(n_all, n_all / 10)] <- NA
  blocks <- row_blocks(function(i) points[seq(i, n_all, by = 20), ], 20)
  line <- rnorm(size * 3e6)
  many <- sample.int(500, size * 5e6, TRUE)
  graph <- igraph::sample_sbm(n_graph, diag(35 / n_graph, 5) + 5 / n_graph, rep(n_graph / 5, 5))
  labels <- function(n, k) rep_len(seq_len(k), n)
  grid <- igraph::make_lattice(c(50, n_dense / 50))
  near <- lapply(igraph::as_adj_list(igraph::make_lattice(c(50, n_all / 50))), as.integer)
  cells <- few[seq_len(igraph::vcount(grid)), ]
  pairs <- matrix(sample(nrow(cells), 0.6 * nrow(cells)), ncol = 2)
  crowded <- igraph::as_edgelist(igraph::sample_gnp(300, 0.05), names = FALSE)
  wide <- matrix(rnorm(size * 4e6), ncol = 400)
  wide[sample.int(length(wide), 1000)] <- NA
  wide <- as.data.frame(wide)
  broad <- matrix(rnorm(size * 64 * 6830), 64)
  deep <- matrix(rnorm(size * 7e6), ncol = 700)
  fits <- list()
  fit <- function(k) {
    if (is.null(fits[[paste(k)]])) {
      fits[[paste(k)]] <<- suppressWarnings(kgroups(part, k, init = labels(n_part, k), iter.max = 1))
    }
    fits[[paste(k)]]
  }
  for (k in c(3, 50, 500)) fit(k)
})

# `k` and `threads` stand for their values. Those of the first list are requested every k.
gap_calls_k <- expression(
  search = kgroups(points, k, threads = threads),
  "one start" = kgroups(points, k, init = labels(n_all, k), threads = threads),
  "many starts" = kgroups(few, k, init = "random", nstart = 16, threads = threads),
  "k-means++" = kgroups(points, k, init = "kmeans++", threads = threads),
  spectral = kgroups(few, k, init = "spectral", threads = threads),
  Lloyd = kernel_kmeans(points, k, init = "random", nstart = 4, threads = threads),
  dissimilarities = kgroups(apart, k, nstart = 8, threads = threads),
  Gram = kgroups(gram, k, nstart = 8, threads = threads),
  sparse = kgroups(band, k, nstart = 8, threads = threads),
  landmarks = kgroups(large, k, approx = nystroem(256), threads = threads),
  "many landmarks" = kgroups(points, k, approx = nystroem(round(size * 3000)), threads = threads),
  polish = kgroups(points, k, approx = nystroem(256, polish = TRUE), threads = threads),
  blocks = kgroups(blocks, k, approx = nystroem(500), threads = threads),
  table = kgroups(table, k, threads = threads),
  connected = kgroups(points, k, semimetric = rho_connected(), threads = threads),
  "own function" = kgroups(part, k, semimetric = rho_function(function(x, y) {
    as.matrix(kgroups::semimetric_matrix(x, y))
  }, vectorized = TRUE), init = labels(n_part, k)),
  prediction = predict(fit(k), large),
  "squared distances" = predict(fit(k), points, type = "squared"),
  "own distances" = predict(fit(k), type = "squared"),
  silhouettes = augment(fit(k)),
  summary = summary(fit(k)),
  statistics = energy_statistics(points, labels(n_all, k)),
  distances = energy_distance(points, g = labels(n_all, k)),
  description = describe_clusters(fit(k), as.data.frame(part)),
  stability = stability(fit(k), B = 20, threads = threads),
  "select k" = select_k(few, c(2, k), threads = threads),
  "one dimension" = kgroups(line, k),
  "graph k-groups" = cluster_kgroups(graph, k),
  "Bethe Hessian" = cluster_bethe_hessian(graph, k),
  beliefs = cluster_belief_propagation(graph, k),
  Minkowski = kgroups(few, k, semimetric = rho_metric("minkowski", p = 2.5), threads = threads),
  Manhattan = kgroups(points, k, semimetric = rho_metric("manhattan"), threads = threads),
  "power 1.3" = kgroups(points, k, semimetric = rho_power(1.3), threads = threads),
  sizes = kgroups(part, k, sizes = "equal", threads = threads),
  links = kgroups(part, k, together = cbind(seq(1, n_part - 1, by = 4), seq(2, n_part, by = 4)), threads = threads)
)
gap_calls <- expression(
  test = energy_test(few, labels(n_few, 3), R = 9999),
  "large test" = energy_test(points, labels(n_all, 50), R = 99),
  "two samples" = energy_distance(points, large[seq_len(1.5 * n_all), ]),
  "negative type" = is_negative_type(points),
  "margins, dense" = is_negative_type(apart, details = TRUE),
  "negative type made" = make_negative_type(dist(points[seq_len(0.6 * n_dense), ])),
  "matrix of semimetrics" = semimetric_matrix(points[seq_len(0.3 * n_all), ]),
  "matrix, own function" = semimetric_matrix(
    points[seq_len(0.6 * n_dense), ], semimetric = rho_function(function(x, y) sum(abs(x - y)))
  ),
  "Gram matrix" = semimetric_matrix(points[seq_len(0.3 * n_all), ], type = "gram"),
  "Gram matrix of a dist" = semimetric_matrix(apart, type = "gram"),
  "as Gram" = as_gram(unclass(gram)),
  "select semimetric" = select_semimetric(few, 5),
  "table of points" = as_points(table),
  gaps = plot(kgroups(part, 3, semimetric = rho_connected())),
  connected = kgroups(points, 7, semimetric = rho_connected()),
  communities = cluster_communities(graph),
  count = count_communities(graph),
  spectrum = count_communities(graph, 20, details = TRUE),
  accuracy = compare_clusters(many, rev(many), "accuracy"),
  rand = compare_clusters(many, rev(many)),
  information = compare_clusters(many, rev(many), "nmi"),
  "bigger k" = kgroups(few, round(0.4 * n_few), threads = 2),
  "negative type, all eigenvalues" = is_negative_type(points[seq_len(0.05 * n_all), ]),
  "negative type made, all eigenvalues" = make_negative_type(points[seq_len(0.05 * n_all), ]),
  "table of missing values" = as_points(wide),
  "many columns" = kgroups(wide, 5),
  "connected, dist" = kgroups(apart, 7, semimetric = rho_connected()),
  "margins of points" = is_negative_type(points[seq_len(n_dense), ], details = TRUE),
  "spectral, band" = kgroups(band, 20, init = "spectral"),
  mixtures = select_k(few, c(2, 20), criterion = "bic"),
  "axes of a dist" = plot(suppressWarnings(kgroups(apart, 3, init = labels(n_few, 3), iter.max = 1))),
  "stable k" = select_k(few, 2:6, criterion = "stability"),
  "learned metric" = kgroups(part, 5, standardize = "within"),
  "learned metric, many columns" = kgroups(deep, 2, standardize = "within"),
  "wide, learned metric" = kgroups(broad, 4, standardize = "within"),
  "wide, sd 1" = kgroups(broad, 4, standardize = TRUE),
  changes = kgroups_changes(few),
  "changes of independent rows" = kgroups_changes(few, independent = TRUE),
  "test of units" = energy_test(few, labels(n_few, 40) %% 2, units = labels(n_few, 40), R = 1e5),
  "two factors" = energy_test(
    few[seq_len(n_few / 8), ] ~ factor(labels(n_few / 8, 5)) + factor(labels(n_few / 8, 7)), R = 9999
  ),
  "clusters of units" = kgroups(part, 5, units = labels(n_part, 300)),
  tree = kgroups_tree(kgroups(part, 5)),
  mixture = kgroups_mixture(few, 5),
  "mixture, many rows" = kgroups_mixture(points, 10),
  "rows that repeat" = kgroups(rbind(points, points), 5),
  "low rank" = kgroups(flat, 5, semimetric = rho_power(2)),
  "apart, equal sizes" = kgroups(cells, 6, apart = pairs, sizes = "equal"),
  "apart, hard" = kgroups(cells[1:300, ], 6, apart = crowded),
  contiguous = kgroups(cells, 20, contiguous = grid),
  "contiguous, sizes" = kgroups(cells, 20, contiguous = grid, sizes = c(.8, 1.2) * nrow(cells) %/% 20),
  "contiguous, apart" = kgroups(cells, 20, contiguous = grid, apart = pairs[seq_len(min(200, nrow(pairs))), ]),
  "contiguous, list" = kgroups(points, 20, contiguous = near),
  "contiguous tree" = kgroups_tree(cells, contiguous = grid),
  "one cluster" = cluster_test(part),
  "one cluster, wide" = cluster_test(broad)
)

gaps_here <- function() {
  assign("size", argument("size", 1), globalenv())
  eval(gap_setup, globalenv())
  dyn.load(Sys.getenv("LD_PRELOAD"))
  grDevices::pdf(NULL)
  options(rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet")
  requested <- rbind(
    expand.grid(threads = 1:2, k = c(3, 50, 500), call = names(gap_calls_k), stringsAsFactors = FALSE),
    data.frame(threads = 1, k = NA, call = names(gap_calls))
  )
  one_way <- !vapply(gap_calls_k, function(call) "threads" %in% all.names(call), NA)
  requested <- requested[!(
    requested$threads == 2 & requested$call %in% names(gap_calls_k)[one_way] & !is.na(requested$k)
  ), ]
  requested <- requested[grepl(argument("only", "."), paste(requested$call, requested$k, requested$threads)), ]
  for (at in seq_len(nrow(requested))) {
    here <- requested[at, ]
    assign("k", here$k, globalenv())
    assign("threads", here$threads, globalenv())
    call <- if (is.na(here$k)) gap_calls[[here$call]] else gap_calls_k[[here$call]]
    gc(FALSE)
    cat("begin", here$call, here$k, here$threads, "\n")
    .C("polls_begin", as.double(argument("seconds", 12)))
    end <- tryCatch(
      {
        suppressMessages(suppressWarnings(eval(call, globalenv())))
        "ended"
      },
      error = function(e) conditionMessage(e),
      interrupt = function(e) "interrupted"
    )
    seen <- .C("polls_end", double(4))[[1L]]
    where <- if (seen[1L] > 0.1) .C("polls_where", "")[[1L]] else ""
    cat("gap\t", paste(c(here$call, here$k, here$threads, round(seen, 3), end, where), collapse = "\t"), "\n", sep = "")
  }
}

gaps <- function() {
  library <- file.path(tempdir(), "polls.so")
  compiled <- system2("cc", c("-O2", "-shared", "-fPIC", "tools/trust/polls.c", "-o", library, "-ldl"))
  stopifnot(compiled == 0)
  child <- run_child(
    "tools/trust/interrupt.R", c("--child", "yes", commandArgs(TRUE)), 600, c(LD_PRELOAD = library)
  )
  lines <- strsplit(sub("^gap\t", "", grep("^gap\t", child$lines, value = TRUE)), "\t")
  if (!length(lines) || !identical(child$status, 0L)) {
    writeLines(c(child$lines, if (child$hung) "The child printed nothing for ten minutes." else "The child ended."))
    quit(status = 1L)
  }
  found <- as.data.frame(do.call(rbind, lapply(lines, `[`, 1:8)))
  names(found) <- c("call", "k", "threads", "longest", "by the clock", "seconds", "looks", "end")
  found$where <- vapply(lines, `[`, "", 9L)
  found[2:7] <- lapply(found[2:7], function(value) suppressWarnings(as.numeric(value)))
  found <- found[order(-found$longest), ]
  print(utils::head(found, 25), row.names = FALSE, right = FALSE)
  # the median machine under other work needs more than a quiet one: what counts is the processor's time
  late <- found$longest > 0.5
  cat(
    nrow(found), "calls,", sum(late), "of them without a check for more than .5 s; longest", max(found$longest), "s\n"
  )
  record(
    "interrupt.R", sprintf("%d calls, longest time without a check %.2f s", nrow(found), max(found$longest)), sum(late),
    paste(unique(found$call[late]), collapse = ", ")
  )
  quit(status = as.integer(any(late)))
}

limits_here <- function() {
  assign("size", argument("size", 0.06), globalenv())
  eval(gap_setup, globalenv())
  compiler::enableJIT(0L) # the compiler takes an error that is raised meanwhile for one of its own
  for (package in c("ggplot2", "Matrix")) loadNamespace(package)
  grDevices::pdf(NULL)
  options(rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet")
  calls <- c(as.list(gap_calls), as.list(gap_calls_k))
  set.seed(argument("seed", 1))
  for (turn in seq_len(argument("times", 200))) {
    name <- sample(names(calls), 1L)
    assign("k", sample(c(3, 50), 1L), globalenv())
    assign("threads", sample(2L, 1L), globalenv())
    limit <- exp(stats::runif(1, log(0.02), 0))
    cat("begin", name, globalenv()$k, limit, "\n")
    from <- proc.time()[["elapsed"]]
    end <- tryCatch(
      {
        setTimeLimit(elapsed = limit, transient = TRUE)
        suppressMessages(suppressWarnings(eval(calls[[name]], globalenv())))
        "ended"
      },
      error = conditionMessage
    )
    seconds <- proc.time()[["elapsed"]] - from
    # a limit that no check has met is met here
    late <- tryCatch(
      {
        for (i in 1:20) Sys.sleep(0.001)
        FALSE
      },
      error = function(e) TRUE
    )
    setTimeLimit()
    lost <- if (end == "ended") seconds > limit + 0.05 && !late else !grepl("reached elapsed time limit", end)
    right <- isTRUE(kgroups(iris[1:4], 3, init = iris$Species)$k == 3L)
    row <- c(name, globalenv()$k, round(limit, 3), round(seconds, 2), lost, right, gsub("\\s+", " ", substr(end, 1, 200)))
    cat("limit\t", paste(row, collapse = "\t"), "\n", sep = "")
  }
}

limits <- function() {
  child <- run_child("tools/trust/interrupt.R", c("--child", "limits", commandArgs(TRUE)), 600)
  lines <- strsplit(sub("^limit\t", "", grep("^limit\t", child$lines, value = TRUE)), "\t")
  if (!identical(child$status, 0L)) {
    writeLines(c(utils::tail(child$lines, 5), if (child$hung) "The child printed nothing for ten minutes." else "R ended."))
    quit(status = 1L)
  }
  found <- as.data.frame(do.call(rbind, lines))
  names(found) <- c("call", "k", "limit", "seconds", "lost", "right", "end")
  bad <- found$lost == "TRUE" | found$right != "TRUE"
  if (any(bad)) print(found[bad, ], row.names = FALSE, right = FALSE)
  ended <- sum(grepl("time limit", found$end))
  text <- sprintf("%d limits, %d calls ended by them", nrow(found), ended)
  cat(text, ",", sum(bad), "lost\n")
  record("interrupt.R", text, sum(bad), toString(unique(found$call[bad])))
  quit(status = as.integer(any(bad)))
}

# The calls in one process, again and again in random order; the pause before the signal is
# anything from nothing to a second. Memory is read by the child after a collection.
signals <- function() {
  source("tests/testthat/helper-interrupt.R")
  suppressPackageStartupMessages(library(kgroups))
  times <- argument("times", 200)
  set.seed(argument("seed", 1))
  rounds <- ceiling(times / length(long_calls))
  memory <- tempfile()
  note <- sprintf('{
    status <- grep("VmRSS", readLines("/proc/self/status"), value = TRUE)
    cat(sum(gc()[, 2]), as.numeric(gsub("[^0-9]", "", status)) / 1024, "\\n", file = "%s", append = TRUE)
  }', memory)
  turn <- unlist(lapply(seq_len(rounds), function(round) sample(length(long_calls))))[seq_len(times)]
  calls <- long_calls[turn]
  setup <- paste(long_setup, "invisible(gc())", sep = "\n")
  calls[] <- sprintf("{ %s; %s }", note, calls)
  found <- interrupt_calls(calls, setup, pause = function() stats::runif(1), patience = 60)

  print(table(found$answer))
  lines <- utils::read.table(memory, col.names = c("heap", "resident"))
  # Memory that a condition or a lazy argument still holds when the next call begins comes and goes; a leak
  # would lift the least of a quarter.
  quarter <- ceiling(4 * seq_len(nrow(lines)) / nrow(lines))
  least <- function(x) paste(round(tapply(x, quarter, min)), collapse = ", ")
  reported <- c(
    sprintf(
      "%d signals: %d calls interrupted, %d had ended before; next call right %d times",
      nrow(found), sum(found$answer == "interrupted"), sum(found$answer == "ended"), sum(found$right)
    ),
    sprintf(
      "answer after the signal: median %.3f s, 95 %% %.3f s, longest %.3f s (%s)",
      stats::median(found$seconds, na.rm = TRUE),
      stats::quantile(found$seconds, 0.95, na.rm = TRUE), max(found$seconds, na.rm = TRUE),
      found$call[which.max(found$seconds)]
    )
  )
  cat(reported, sep = "\n")
  cat(sprintf(
    "memory before a call, MB, least of each quarter of the run: heap of R %s; resident %s\n",
    least(lines$heap), least(lines$resident)
  ))
  slowest <- stats::aggregate(seconds ~ call, found[found$answer == "interrupted", ], max)
  print(utils::head(slowest[order(-slowest$seconds), ], 6), row.names = FALSE)
  bad <- !found$answer %in% c("interrupted", "ended") | !found$right
  if (any(bad)) {
    print(found[bad, ])
    cat(utils::tail(attr(found, "output"), 20), sep = "\n")
  }
  record("interrupt.R", reported[1L], sum(bad), reported[2L])
  quit(status = as.integer(any(bad)))
}

switch(argument("child", "no"),
  yes = gaps_here(), limits = limits_here(),
  if (argument("gaps", "no") == "yes") gaps() else if (argument("limits", "no") == "yes") limits() else signals()
)
