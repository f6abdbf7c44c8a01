# Connected clusters: rho_connected() beside plain k-groups, Genie, HDBSCAN, mixtures of normals
# and spectral clustering. Mean adjusted Rand index over simulated data sets (connected-sets.R),
# the same for every method, with the right k (HDBSCAN takes none: its noise
# is one group more); seconds of CPU time; how often a rule for k is right with one to six groups; the
# cost of the tree in bare passes over all pairs. Stops if a requirement fails.
#   Rscript bench/connected.R vignettes/connected.csv [FOLDER] > bench/connected.md     (10 minutes)
# FOLDER: where the .rda files of the data of CRAN's FCPS lie (its folder data/).

library(kgroups)
suppressPackageStartupMessages(library(mclust))
arguments <- commandArgs(TRUE)
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "connected-sets.R"))

runs <- 10
runs_overlapping <- 40 # where methods are close, and one data set states little
runs_slow <- 1
runs_k <- 4
most_slow <- 700 # observations for mclust and specc

methods <- list(
  `k-groups` = function(x, k) kgroups(x, k)$cluster,
  connected = function(x, k) kgroups(x, k, semimetric = rho_connected())$cluster,
  cautious = function(x, k) kgroups(x, k, semimetric = rho_connected(level = 0.9))$cluster,
  Genie = function(x, k) as.vector(genieclust::genie(x, k, gini_threshold = 0.3)),
  HDBSCAN = function(x, k) dbscan::hdbscan(x, minPts = 5)$cluster,
  mclust = function(x, k) Mclust(x, k, verbose = FALSE)$classification,
  specc = function(x, k) as.vector(kernlab::specc(x, k))
)
slow <- c("mclust", "specc")
if (!requireNamespace("genieclust", quietly = TRUE)) methods$Genie <- NULL
if (!requireNamespace("dbscan", quietly = TRUE)) methods$HDBSCAN <- NULL

score <- function(truth, cluster) {
  inside <- !is.na(truth)
  compare_clusters(truth[inside], cluster[inside])
}

try_all <- function(data, k, tried) {
  do.call(rbind, lapply(tried, function(name) {
    seconds <- sum(system.time(
      cluster <- tryCatch(methods[[name]](data$x, k), error = function(e) NULL)
    )[1:2])
    # what failed or gave fewer groups is scored as one group
    if (is.null(cluster) || anyNA(cluster)) cluster <- rep(1, nrow(data$x))
    data.frame(method = name, rand = score(data$truth, cluster), seconds = seconds)
  }))
}

run_set <- function(group, set, make, runs) {
  do.call(rbind, lapply(seq_len(runs), function(run) {
    data <- make()
    k <- length(unique(stats::na.omit(data$truth)))
    tried <- if (run <= runs_slow && nrow(data$x) <= most_slow) names(methods) else setdiff(names(methods), slow)
    cbind(group = group, set = set, run = run, try_all(data, k, tried))
  }))
}

set.seed(20261123)
rows <- NULL
for (group in names(connected_sets)) {
  for (set in names(connected_sets[[group]])) {
    many <- if (group == "overlapping normals") runs_overlapping else runs
    rows <- rbind(rows, run_set(group, set, connected_sets[[group]][[set]], many))
    message(group, ": ", set)
  }
}

# circles and spirals as the paper's early drafts have them, without a bandwidth
paper <- list(
  `circles of the paper` = function() circles(c(1, 3), c(400, 400), 0.2),
  `spirals of the paper` = function() spirals(400, 0.1)
)
for (set in names(paper)) rows <- rbind(rows, run_set("paper", set, paper[[set]], 5))

# Every file holds an object of its name with Data and Cls. Outliers are classes as they are there.
if (length(arguments) > 1L) {
  sets <- c(
    "Atom", "Chainlink", "EngyTime", "GolfBall", "Hepta", "Lsun3D", "Target", "Tetra", "TwoDiamonds", "WingNut"
  )
  for (set in sets) {
    held <- new.env()
    load(file.path(arguments[2L], paste0(set, ".rda")), held)
    data <- list(x = as.matrix(held[[set]]$Data), truth = held[[set]]$Cls)
    rows <- rbind(rows, run_set("FCPS", set, function() data, 1))
  }
}

# ---- the number of clusters ----

# The numbers that each rule states of k; NA where it was not tried.
choose_all <- function(x, slow) {
  ratios <- function(semimetric) {
    choice <- select_k(x, 1:10, "elbow", semimetric, one_cluster = FALSE)
    list(value = choice$table$elbow, found = choice$semimetric$found)
  }
  connected <- ratios(rho_connected())
  # how much higher the gap is that k clusters need than the next, in the tree of branches
  h <- with(connected$found, c(sort(merges$height, decreasing = TRUE), rep(threshold, 10)))
  heights <- c(NA, h[1:9] / h[2:10])
  c(
    `elbow ratio, plain` = which.max(ratios(rho_power(1))$value),
    `elbow ratio, connected` = which.max(connected$value),
    `heights, connected` = which.max(connected$value * heights),
    HDBSCAN = if ("HDBSCAN" %in% names(methods)) max(dbscan::hdbscan(x, minPts = 5)$cluster) else NA,
    mclust = if (slow) Mclust(x, 1:10, verbose = FALSE)$G else NA
  )
}

chosen <- NULL
for (set in names(grouped_sets)) {
  for (k in 2:6) {
    for (run in seq_len(runs_k)) {
      data <- grouped_sets[[set]](k)
      own <- compare_clusters(data$truth, kgroups(data$x, k, semimetric = rho_connected())$cluster)
      right <- choose_all(data$x, run == 1L && nrow(data$x) <= most_slow) == k
      chosen <- rbind(chosen, data.frame(set = set, k = k, t(right), `its fit` = own, check.names = FALSE))
    }
  }
  message("k: ", set)
}

# One file for the page: there `rand` states whether k was right, and `run` is k.
of_k <- do.call(rbind, lapply(setdiff(names(chosen), c("set", "k", "its fit")), function(rule) {
  data.frame(group = "number of clusters", set = chosen$set, run = chosen$k, method = rule, rand = as.numeric(chosen[[rule]]), seconds = NA)
}))
kept <- rbind(rows, of_k[!is.na(of_k$rand), ])
utils::write.csv(
  cbind(kept[1:4], rand = round(kept$rand, 4), seconds = round(kept$seconds, 3)),
  arguments[1L], row.names = FALSE
)

# Does select_k() warn that one normal distribution would do? Of what is one group, and of what is not.
warned <- function(make, runs = 5) {
  mean(replicate(runs, isTRUE(suppressWarnings(
    select_k(make(), 1:6, "elbow", rho_connected(), B = 20)
  )$one_cluster)))
}
set.seed(20261124)
warnings_of <- c(
  vapply(single_sets, warned, 0),
  vapply(grouped_sets, function(make) warned(function() make(3)$x), 0)
)

# ---- time ----

cpu <- function(expression) {
  taken <- system.time(expression)
  sum(taken[1:2])
}

elapsed <- function(expression) system.time(expression)[[3L]]

# Is nobody else at work here? Else elapsed seconds state nothing of threads.
quiet <- function(expression) {
  taken <- system.time(expression)
  taken[[3L]] < 1.1 * sum(taken[1:2])
}

# The bare pass: sums of the base over one cluster, all pairs once.
cost <- function(n, d) {
  x <- matrix(rnorm(n * d), n)
  x[, 1L] <- x[, 1L] + 8 * sample(5L, n, TRUE)
  space <- asNamespace("kgroups")
  plain <- space$as_problem(x, rho_power(1))
  bare <- min(replicate(if (n < 50000) 5 else 2, cpu(space$group_sums(plain, rep(1L, n), 1L))))
  # a clock of milliseconds: short calls are timed ten at a time
  many <- if (n < 50000) 10 else 1
  least <- function(f) min(replicate(if (many > 1) 4 else 2, cpu(for (i in seq_len(many)) f()))) / many
  problem <- least(function() space$as_problem(x, rho_connected()))
  best <- kgroups(x, 5, semimetric = rho_connected())$cluster
  fit <- least(function() kgroups(x, 5, init = best))
  both <- least(function() kgroups(x, 5, semimetric = rho_connected(), init = best))
  search <- cpu(kgroups(x, 5))
  whole <- cpu(kgroups(x, 5, semimetric = rho_connected()))
  # pairs of runs, as other work on the machine comes and goes: the best of them
  alone <- quiet(kgroups(x, 5, semimetric = rho_connected()))
  threads <- if (!alone) NA else replicate(3, elapsed(kgroups(x, 5, semimetric = rho_connected())) /
    elapsed(kgroups(x, 5, semimetric = rho_connected(), threads = 2)))
  data.frame(
    n = n, d = d, bare = bare, tree = problem / bare - 1, whole = whole / bare, plain = search / bare,
    `fit after it` = (both - problem) / fit, `two threads` = max(threads), check.names = FALSE
  )
}
times <- rbind(cost(10000, 10), cost(100000, 2))

# ---- the page ----

table <- tapply(rows$rand, list(factor(rows$group, unique(rows$group)), factor(rows$method, names(methods))), mean)

line <- function(cells) cat("|", paste(cells, collapse = " | "), "|\n")
header <- function(cells) {
  line(cells)
  line(rep("---", length(cells)))
}
number <- function(x, digits = 3) ifelse(is.na(x), "", formatC(x, format = "f", digits = digits))

cat("# Connected clusters\n\nMean adjusted Rand index, written by `bench/connected.R`:", runs, "data sets a setting,",
  runs_overlapping, "of overlapping normals;", runs_slow, "for mclust and specc.\n\n")
header(c("", names(methods)))
for (group in rownames(table)) line(c(group, number(table[group, ])))

ours <- rows[!rows$method %in% slow & rows$group %in% names(connected_sets), ]
of <- split(ours$rand, factor(ours$method, setdiff(names(methods), slow)))
cat("\nData sets on which a method is worse and better than plain k-groups by more than .02, in per cent, of", paste0(length(of[[1L]]), ":\n\n"))
header(c("", names(of)[-1L]))
line(c("worse", sapply(of[-1L], function(v) number(100 * mean(v < of[[1L]] - 0.02), 1))))
line(c("better", sapply(of[-1L], function(v) number(100 * mean(v > of[[1L]] + 0.02), 1))))

cat("\n## Setting by setting\n\n")
header(c("", names(methods)))
each <- tapply(rows$rand, list(factor(paste0(rows$group, ": ", rows$set), unique(paste0(rows$group, ": ", rows$set))), factor(rows$method, names(methods))), mean)
for (set in rownames(each)) line(c(set, number(each[set, ])))

cat(
  "\n## The number of clusters\n\nShare of right k among 1 to 10, data of 2 to 6 groups, ", runs_k, " of each number (mclust: 1, of at most ", most_slow, " observations); ",
  "`heights`: the elbow ratio times the ratio of the height of the gap that k clusters need to that of the next; ",
  "`its fit`: adjusted Rand index of `rho_connected()` with the right k.\n\n",
  sep = ""
)
by_set <- function(columns, sets) vapply(columns, function(one) tapply(chosen[[one]], sets, mean, na.rm = TRUE), numeric(nlevels(sets)))
rules <- names(chosen)[-(1:2)]
shares <- rbind(
  by_set(rules, factor(chosen$set, names(grouped_sets))),
  by_set(rules, factor(paste(chosen$k, "groups"))),
  all = colMeans(chosen[rules], na.rm = TRUE)
)
header(c("", rules))
for (row in rownames(shares)) line(c(row, number(shares[row, ], 2)))
cat("\nShare of data sets for which `select_k()` warns that one normal distribution would do (the others in 3 groups):\n\n")
header(names(warnings_of))
line(number(warnings_of, 1))

cat("\n## Seconds of CPU time a data set, mean\n\n")
seconds <- tapply(rows$seconds, factor(rows$method, names(methods)), mean)
header(names(seconds))
line(number(seconds))

cat(
  "\n## Cost\n\nIn bare passes over all pairs (", paste(number(times$bare), collapse = ", "),
  " s of CPU time): the tree with its cores, the whole call, the whole call of plain k-groups; ",
  "the fit after the tree beside the plain one from the same labels; how much faster two threads are (no figure where other work took part of the processors).\n\n",
  sep = ""
)
header(names(times))
for (row in seq_len(nrow(times))) line(c(format(times$n[row]), times$d[row], number(unlist(times[row, -(1:2)]), 2)))

# ---- what it must show ----

must_hold <- function(kept, what) if (!isTRUE(kept)) stop("broken: ", what)
must_hold(table["shapes", "connected"] >= 0.92, "clean shapes")
must_hold(table["in 10 to 50 dimensions", "connected"] >= 0.67, "many dimensions")
must_hold(table["noisy shapes", "connected"] >= 0.5, "noisy shapes")
for (group in c("normals and their like", "overlapping normals")) {
  must_hold(table[group, "connected"] >= table[group, "k-groups"] - 0.03, group)
}
must_hold(table["paper", "connected"] >= 0.99, "circles and spirals")
if ("FCPS" %in% rownames(table)) must_hold(table["FCPS", "connected"] >= 0.95, "FCPS")
must_hold(shares["all", "elbow ratio, connected"] >= shares["all", "elbow ratio, plain"] + 0.2, "the number of clusters")
must_hold(times$`fit after it`[1L] <= 1.2, "the fit after the tree")
must_hold(times$tree[1L] <= 6, "tree and cores in six bare passes")
must_hold(times$whole[2L] <= 6, "the whole call in six bare passes")
