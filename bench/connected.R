# Connected clusters: rho_connected() in the given metric and in the default one, that of the neighbours, beside plain
# k-groups, Genie, HDBSCAN and mixtures of normals. Mean adjusted Rand index over simulated data sets
# (bench/connected-designs.R), the same for every method, with the right k (HDBSCAN takes none: its noise is one group
# more); how often a rule for k is right with two to six groups; CPU seconds. Stops if a requirement fails.
#   Rscript bench/connected.R vignettes/connected.csv [FOLDER] > bench/connected.md     (17 minutes of CPU)
# FOLDER: where the .rda files of the data of CRAN's FCPS lie (its folder data/).

library(kgroups)
suppressPackageStartupMessages(library(mclust))
arguments <- commandArgs(TRUE)
source("bench/connected-designs.R")

# ---- methods ----

runs <- 10
runs_overlapping <- 40 # methods are close, so one data set does not suffice
runs_slow <- 3
runs_k <- 4
most_slow <- 700 # observations for mclust

methods <- list(
  `k-groups` = function(x, k) kgroups(x, k)$cluster,
  given = function(x, k) kgroups(x, k, semimetric = rho_connected(metric = "given"))$cluster,
  default = function(x, k) kgroups(x, k, semimetric = rho_connected())$cluster,
  Genie = function(x, k) as.vector(genieclust::genie(x, k, gini_threshold = 0.3)),
  HDBSCAN = function(x, k) dbscan::hdbscan(x, minPts = 5)$cluster,
  mclust = function(x, k) Mclust(x, k, verbose = FALSE)$classification
)
slow <- "mclust"
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

# A seed a data set, so that the data do not depend on the methods that run.
setting <- 0
draw <- function(make, ..., run) {
  set.seed(20261100 + 1000 * setting + run)
  make(...)
}

run_set <- function(group, set, make, runs) {
  setting <<- setting + 1
  message(group, ": ", set)
  do.call(rbind, lapply(seq_len(runs), function(run) {
    data <- draw(make, run = run)
    k <- length(unique(stats::na.omit(data$truth)))
    tried <- if (run <= runs_slow && nrow(data$x) <= most_slow) names(methods) else setdiff(names(methods), slow)
    cbind(group = group, set = set, run = run, try_all(data, k, tried))
  }))
}

rows <- NULL
for (group in names(connected_sets)) {
  for (set in names(connected_sets[[group]])) {
    many <- if (group == "overlapping normals") runs_overlapping else runs
    rows <- rbind(rows, run_set(group, set, connected_sets[[group]][[set]], many))
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

# The number of clusters by each rule; NA if it was not computed.
choose_all <- function(x, slow) {
  elbow <- function(semimetric) which.max(select_k(x, 1:10, "elbow", semimetric, one_cluster = FALSE)$table$elbow)
  c(
    `elbow, distance` = elbow(rho_power(1)), `elbow, given` = elbow(rho_connected(metric = "given")),
    `elbow, default` = elbow(rho_connected()),
    HDBSCAN = if ("HDBSCAN" %in% names(methods)) max(dbscan::hdbscan(x, minPts = 5)$cluster) else NA,
    mclust = if (slow) Mclust(x, 1:10, verbose = FALSE)$G else NA
  )
}

chosen <- NULL
for (set in names(grouped_sets)) {
  for (k in 2:6) {
    setting <- setting + 1
    for (run in seq_len(runs_k)) {
      data <- draw(grouped_sets[[set]], k, run = run)
      own <- compare_clusters(data$truth, kgroups(data$x, k, semimetric = rho_connected())$cluster)
      right <- choose_all(data$x, run == 1L && nrow(data$x) <= most_slow) == k
      chosen <- rbind(chosen, data.frame(set = set, k = k, t(right), `its fit` = own, check.names = FALSE))
    }
  }
  message("k: ", set)
}

# For the page: `rand` is 1 if k was right, else 0, and `run` is k.
of_k <- do.call(rbind, lapply(setdiff(names(chosen), c("set", "k", "its fit")), function(rule) {
  data.frame(
    group = "number of clusters", set = chosen$set, run = chosen$k, method = rule, rand = as.numeric(chosen[[rule]]),
    seconds = NA
  )
}))
# One row for each setting and method: means, number of runs, and shares of runs that are worse or better than k-groups
# by more than .02. Rows of the number of clusters have k, and `rand` is the share in which k was right.
summary_rows <- function(rows) {
  rows$k <- ifelse(rows$group == "number of clusters", rows$run, NA)
  data <- paste(rows$group, rows$set, rows$run)
  plain <- rows$method == "k-groups"
  change <- rows$rand - rows$rand[plain][match(data, data[plain])]
  setting <- paste(rows$group, rows$set, rows$k, rows$method)
  parts <- split(seq_len(nrow(rows)), factor(setting, unique(setting)))
  of <- function(values) round(vapply(parts, function(i) mean(values[i]), 0), 4)
  data.frame(
    rows[vapply(parts, `[`, 0L, 1L), c("group", "set", "k", "method")],
    runs = lengths(parts), rand = of(rows$rand), seconds = of(rows$seconds), worse = of(change < -0.02),
    better = of(change > 0.02)
  )
}

# ---- time ----

cpu <- function(expression) {
  taken <- system.time(expression)
  sum(taken[1:2])
}

# CPU seconds of one call with five clusters, the least of some. `bare`: sums of the base over one cluster, all pairs
# once. `fit after it`: the fit from the same labels with the tree given, in those of the plain one.
cost <- function(n, d) {
  x <- matrix(rnorm(n * d), n)
  x[, 1L] <- x[, 1L] + 8 * sample(5L, n, TRUE)
  space <- asNamespace("kgroups")
  plain <- space$as_problem(x, rho_power(1))
  # a clock of milliseconds: short calls are timed ten at a time, long ones once
  many <- if (n < 50000) 10 else 1
  least <- function(f) min(replicate(if (many > 1) 4 else 1, cpu(for (i in seq_len(many)) f()))) / many
  given <- rho_connected(metric = "given")
  bare <- least(function() space$group_sums(plain, rep(1L, n), 1L))
  problem <- least(function() space$as_problem(x, given))
  best <- kgroups(x, 5, semimetric = given)$cluster
  fit <- least(function() kgroups(x, 5, init = best))
  both <- least(function() kgroups(x, 5, semimetric = given, init = best))
  data.frame(
    n = n, d = d, bare = bare, `k-groups` = least(function() kgroups(x, 5)),
    given = least(function() kgroups(x, 5, semimetric = given)),
    default = least(function() kgroups(x, 5, semimetric = rho_connected())),
    tree = problem / bare - 1, `fit after it` = (both - problem) / fit, check.names = FALSE
  )
}
times <- rbind(cost(1000, 2), cost(10000, 2), cost(1000, 10), cost(10000, 10), cost(100000, 2), cost(100000, 10))

# ---- the tables ----

of_time <- do.call(rbind, lapply(c("k-groups", "given", "default"), function(method) {
  data.frame(
    group = "time", set = paste(format(times$n, scientific = FALSE, trim = TRUE), times$d, sep = " x "), run = NA,
    method = method, rand = NA, seconds = times[[method]]
  )
}))
utils::write.csv(
  summary_rows(rbind(rows, of_k[!is.na(of_k$rand), ], of_time)), arguments[1L],
  row.names = FALSE, na = ""
)

table <- tapply(rows$rand, list(factor(rows$group, unique(rows$group)), factor(rows$method, names(methods))), mean)

line <- function(cells) cat("|", paste(cells, collapse = " | "), "|\n")
header <- function(cells) {
  line(cells)
  line(rep("---", length(cells)))
}
number <- function(x, digits = 3) ifelse(is.na(x), "", formatC(x, format = "f", digits = digits))

cat("# Connected clusters\n\nMean adjusted Rand index, written by `bench/connected.R`: ", runs, " data sets a setting, ",
  runs_overlapping, " of overlapping normals; the first ", runs_slow, " of them for mclust. `given` and `default`: ",
  "`rho_connected()` with `metric = \"given\"` and with its default.\n\n", sep = "")
header(c("", names(methods)))
for (group in rownames(table)) line(c(group, number(table[group, ])))

ours <- rows[!rows$method %in% slow & rows$group %in% names(connected_sets), ]
of <- split(ours$rand, factor(ours$method, setdiff(names(methods), slow)))
cat(
  "\nData sets on which a method is worse and better than plain k-groups by more than .02, in per cent, of",
  paste0(length(of[[1L]]), ":\n\n")
)
header(c("", names(of)[-1L]))
line(c("worse", sapply(of[-1L], function(v) number(100 * mean(v < of[[1L]] - 0.02), 1))))
line(c("better", sapply(of[-1L], function(v) number(100 * mean(v > of[[1L]] + 0.02), 1))))

# Data sets within designs.
error <- function(change, set) sqrt(sum(tapply(change, set, function(v) var(v) / length(v)))) / length(unique(set))
cat("\nDifference to plain k-groups with its standard error; on the data sets of mclust alone the means of all methods.\n\n")
compared <- setdiff(names(of), c("k-groups", "HDBSCAN"))
header(c("", compared, paste("sets of mclust:", names(methods)[names(methods) != "HDBSCAN"])))
for (group in names(connected_sets)) {
  one <- split(rows[rows$group == group, ], rows$method[rows$group == group])
  key <- function(rows) paste(rows$set, rows$run)
  same <- key(one[["mclust"]])
  differences <- vapply(compared, function(name) {
    change <- one[[name]]$rand - one[["k-groups"]]$rand
    paste(number(mean(change)), "\u00b1", number(error(change, one[[name]]$set)))
  }, "")
  means <- vapply(setdiff(names(methods), "HDBSCAN"), function(name) mean(one[[name]]$rand[key(one[[name]]) %in% same]), 0)
  line(c(group, differences, number(means)))
}

cat("\n## Setting by setting\n\n")
header(c("", names(methods)))
each <- tapply(
  rows$rand,
  list(
    factor(paste0(rows$group, ": ", rows$set), unique(paste0(rows$group, ": ", rows$set))),
    factor(rows$method, names(methods))
  ),
  mean
)
for (set in rownames(each)) line(c(set, number(each[set, ])))

cat(
  "\n## The number of clusters\n\nShare of right k among 1 to 10, data of 2 to 6 groups, ", runs_k,
  " of each number (mclust: 1, of at most ", most_slow, " observations); ",
  "`its fit`: adjusted Rand index of the default with the right k.\n\n",
  sep = ""
)
by_set <- function(columns, sets) vapply(
  columns, function(one) tapply(chosen[[one]], sets, mean, na.rm = TRUE), numeric(nlevels(sets))
)
rules <- names(chosen)[-(1:2)]
shares <- rbind(
  by_set(rules, factor(chosen$set, names(grouped_sets))),
  by_set(rules, factor(paste(chosen$k, "groups"))),
  all = colMeans(chosen[rules], na.rm = TRUE)
)
header(c("", rules))
for (row in rownames(shares)) line(c(row, number(shares[row, ], 2)))

cat("\n## Seconds of CPU time a data set, mean\n\n")
seconds <- tapply(rows$seconds, factor(rows$method, names(methods)), mean)
header(names(seconds))
line(number(seconds))

cat(
  "\n## Cost\n\nCPU seconds of a call with five clusters in n rows and d columns, one thread. `bare`: one pass over all pairs; ",
  "`tree`: the tree with its cores, in bare passes; `fit after it`: the fit after the tree beside the plain one from the same ",
  "labels.\n\n",
  sep = ""
)
header(names(times))
for (row in seq_len(nrow(times))) {
  line(c(format(times$n[row], scientific = FALSE), times$d[row], number(unlist(times[row, -(1:2)]), 2)))
}

# ---- what it must show ----

must_hold <- function(kept, what) if (!isTRUE(kept)) stop("broken: ", what)
for (metric in c("given", "default")) {
  must_hold(table["shapes", metric] >= 0.92, "clean shapes")
  must_hold(table["in 10 to 50 dimensions", metric] >= 0.67, "many dimensions")
  must_hold(table["noisy shapes", metric] >= 0.5, "noisy shapes")
  for (group in c("normals and their like", "overlapping normals")) {
    must_hold(table[group, metric] >= table[group, "k-groups"] - 0.03, group)
  }
  must_hold(table["paper", metric] >= 0.99, "circles and spirals")
  if ("FCPS" %in% rownames(table)) must_hold(table["FCPS", metric] >= 0.95, "FCPS")
}
must_hold(shares["all", "elbow, default"] >= shares["all", "elbow, distance"] + 0.2, "the number of clusters")
big <- times$n == 10000 & times$d == 10
must_hold(times$`fit after it`[big] <= 1.2, "the fit after the tree")
must_hold(times$tree[big] <= 6, "tree and cores in six bare passes")
