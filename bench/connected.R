# Connected clusters: rho_connected() beside plain k-groups, Genie, HDBSCAN, mixtures of normals
# and spectral clustering. Mean adjusted Rand index over simulated data sets,
# the same for every method, with the right k (HDBSCAN takes none: its noise
# is one group more); seconds of CPU time; how often a rule for k is right with one to six groups; the
# cost of the tree in bare passes over all pairs. Stops if a requirement fails.
#   Rscript bench/connected.R vignettes/connected.csv [FOLDER] > bench/connected.md     (10 minutes)
# FOLDER: where the .rda files of the data of CRAN's FCPS lie (its folder data/).

library(kgroups)
suppressPackageStartupMessages(library(mclust))
arguments <- commandArgs(TRUE)

# ---- simulated data: a function a setting, each gives list(x, truth) ----

# Five groups of settings: shapes that gaps divide, the same among noise coordinates, with more noise, normals and their
# like, overlapping normals in the plane.

half_circles <- function(n, sd) {
  a <- runif(n[1L], 0, pi)
  b <- runif(n[2L], 0, pi)
  x <- rbind(cbind(cos(a), sin(a)), cbind(1 - cos(b), 0.5 - sin(b)))
  list(x = x + rnorm(length(x), sd = sd), truth = rep(1:2, n))
}

circles <- function(radii, n, sd) {
  truth <- rep(seq_along(radii), n)
  a <- runif(sum(n), 0, 2 * pi)
  x <- radii[truth] * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = sd), truth = truth)
}

# Annuli of equal width about different centres, one within the other or beside it.
rings <- function(n, width) {
  truth <- rep(1:3, n)
  a <- runif(sum(n), 0, 2 * pi)
  r <- c(1, 3, 1.2)[truth] + runif(sum(n), -width, width)
  centre <- cbind(c(0, 0, 6)[truth], 0)
  list(x = centre + r * cbind(cos(a), sin(a)), truth = truth)
}

cigars <- function(sd) {
  truth <- rep(1:3, each = 150)
  list(x = cbind(rnorm(450, sd = 4), 4 * (truth - 1) + rnorm(450, sd = sd)), truth = truth)
}

spirals <- function(n, sd) {
  truth <- rep(1:2, each = n)
  t <- sqrt(runif(2 * n, 0.05, 1)) * 2.5 * pi
  a <- t + pi * (truth - 1)
  x <- t * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = sd), truth = truth)
}

line_beside_cloud <- function(sd) {
  line <- cbind(runif(150, -8, 8), rnorm(150, -3.5, sd))
  cloud <- matrix(rnorm(400, sd = 0.8), 200)
  list(x = rbind(line, cloud), truth = rep(1:2, c(150, 200)))
}

# Among noise coordinates, turned at random.
among <- function(data, extra, sd) {
  x <- cbind(data$x, matrix(rnorm(nrow(data$x) * extra, sd = sd), nrow(data$x)))
  turn <- qr.Q(qr(matrix(rnorm(ncol(x)^2), ncol(x))))
  list(x = x %*% turn, truth = data$truth)
}

normals <- function(n, centres, sd) {
  truth <- rep(seq_along(n), n)
  d <- ncol(centres)
  x <- centres[truth, , drop = FALSE] + sd[truth] * matrix(rnorm(sum(n) * d), ncol = d)
  list(x = x, truth = truth)
}

triangle <- function(side) side * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))

heavy_tails <- function(side) {
  truth <- rep(1:3, each = 120)
  list(x = triangle(side)[truth, ] + matrix(rt(720, 2), 360), truth = truth)
}

# The 60 between the groups belong to none: they are skipped of the score.
among_uniform <- function(side) {
  data <- normals(rep(110, 3), triangle(side), rep(1, 3))
  stray <- matrix(runif(120, -3, side + 3), 60)
  list(x = rbind(data$x, stray), truth = c(data$truth, rep(NA, 60)))
}

any_of <- function(...) {
  sets <- list(...)
  function() sets[[sample.int(length(sets), 1L)]]()
}

connected_sets <- list(
  shapes = list(
    moons = function() half_circles(c(200, 200), runif(1, 0.05, 0.08)),
    circles = function() circles(c(1, 2.2), c(200, 200), runif(1, 0.1, 0.15)),
    cigars = function() cigars(runif(1, 0.3, 0.5)),
    rings = function() rings(c(120, 300, 140), 0.25),
    spirals = function() spirals(250, runif(1, 0.1, 0.25)),
    `unequal moons` = function() half_circles(c(300, 100), 0.06),
    `line and cloud` = function() line_beside_cloud(0.2)
  ),
  `in 10 to 50 dimensions` = list(
    moons = function() among(half_circles(c(200, 200), 0.05), sample(8:48, 1), runif(1, 0.1, 0.15)),
    circles = function() among(circles(c(1, 2.2), c(200, 200), 0.1), sample(8:48, 1), runif(1, 0.1, 0.3)),
    cigars = function() among(cigars(0.3), sample(8:48, 1), runif(1, 0.1, 0.3)),
    rings = function() among(rings(c(120, 300, 140), 0.25), sample(8:48, 1), runif(1, 0.1, 0.3)),
    spirals = function() among(spirals(250, 0.1), sample(8:48, 1), runif(1, 0.1, 0.3))
  ),
  `noisy shapes` = list(
    moons = function() half_circles(c(200, 200), runif(1, 0.1, 0.2)),
    circles = function() circles(c(1, 2.2), c(200, 200), runif(1, 0.2, 0.3)),
    cigars = function() cigars(runif(1, 0.7, 1)),
    rings = function() rings(c(120, 300, 140), 0.6),
    spirals = function() spirals(250, runif(1, 0.5, 0.8))
  ),
  `normals and their like` = list(
    `ten dimensions` = function() {
      normals(rep(100, 4), matrix(rnorm(40, sd = runif(1, 0.7, 1.2)), 4), rep(1, 4))
    },
    sizes = function() normals(c(300, 70, 30), triangle(runif(1, 3, 4.5)), rep(1, 3)),
    spreads = function() normals(rep(130, 3), triangle(8), c(0.3, runif(1, 1.5, 2.5), 1)),
    `heavy tails` = function() heavy_tails(runif(1, 5, 10)),
    `uniform noise` = function() among_uniform(runif(1, 5, 8))
  ),
  `overlapping normals` = list(
    plane = function() normals(rep(130, 3), triangle(runif(1, 2, 3.5)), rep(1, 3)),
    unequal = function() normals(c(200, 120, 70), triangle(runif(1, 2.5, 3.5)), c(1, 0.8, 1.2))
  )
)

# ---- two to six groups, for the choice of k ----

some_sizes <- function(k) sample(90:220, k, TRUE)

# Half circles in a row, every second one upside down.
row_of_moons <- function(k) {
  truth <- rep(seq_len(k), some_sizes(k))
  a <- runif(length(truth), 0, pi)
  up <- ifelse(truth %% 2 == 1, 1, -1)
  x <- cbind(1.25 * truth + cos(a), up * sin(a) + 0.4 * (up < 0))
  list(x = x + rnorm(length(x), sd = runif(1, 0.04, 0.07)), truth = truth)
}

rings_beside <- function(k) {
  truth <- rep(seq_len(k), some_sizes(k))
  a <- runif(length(truth), 0, 2 * pi)
  x <- 3.2 * cbind(truth %% 3, truth %/% 3) + runif(k, 0.7, 1.3)[truth] * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = runif(1, 0.06, 0.12)), truth = truth)
}

parallel_cigars <- function(k) {
  truth <- rep(seq_len(k), some_sizes(k))
  list(
    x = cbind(rnorm(length(truth), sd = 4), 4 * truth + rnorm(length(truth), sd = runif(1, 0.3, 0.5))), truth = truth
  )
}

arms_of_spirals <- function(k) {
  truth <- rep(seq_len(k), each = sample(180:260, 1L))
  t <- sqrt(runif(length(truth), 0.1, 1)) * 2 * pi
  a <- t + 2 * pi * truth / k
  x <- k / 2 * t * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = runif(1, 0.1, 0.25)), truth = truth)
}

# A cloud, a line below a ring, the next cloud, ..
lines_and_clouds <- function(k) {
  one <- function(i, n) {
    a <- runif(n, 0, 2 * pi)
    shape <- switch(i %% 3 + 1L,
      2.3 * cbind(cos(a), sin(a)) + rnorm(2 * n, sd = 0.15),
      matrix(rnorm(2 * n, sd = 0.5), n),
      cbind(runif(n, -4, 4), rnorm(n, -3.6, 0.2))
    )
    t(t(shape) + c(9 * (i %/% 3), 0))
  }
  sizes <- some_sizes(k)
  list(x = do.call(rbind, Map(one, seq_len(k), sizes)), truth = rep(seq_len(k), sizes))
}

normals_apart <- function(k, apart) {
  d <- sample(c(2, 4, 8), 1L)
  repeat {
    centres <- matrix(rnorm(k * d), k) * apart
    if (min(stats::dist(centres)) > apart) break
  }
  normals(some_sizes(k), centres, rep(1, k))
}

grouped_sets <- list(
  moons = row_of_moons,
  `rings within rings` = function(k) circles(seq_len(k), 90 * seq_len(k), runif(1, 0.05, 0.09)),
  `rings beside` = rings_beside,
  cigars = parallel_cigars,
  spirals = arms_of_spirals,
  `lines and clouds` = lines_and_clouds,
  `normals apart` = function(k) normals_apart(k, runif(1, 5, 7)),
  `normals that touch` = function(k) normals_apart(k, runif(1, 3.2, 4.2))
)

# ---- methods ----

runs <- 10
runs_overlapping <- 40 # methods are close, so one data set does not suffice
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

# The number of clusters by each rule; NA if it was not computed.
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
utils::write.csv(summary_rows(rbind(rows, of_k[!is.na(of_k$rand), ])), arguments[1L], row.names = FALSE, na = "")

# ---- time ----

cpu <- function(expression) {
  taken <- system.time(expression)
  sum(taken[1:2])
}

elapsed <- function(expression) system.time(expression)[[3L]]

# Is the machine idle? Otherwise elapsed seconds do not measure threads.
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
cat(
  "\nData sets on which a method is worse and better than plain k-groups by more than .02, in per cent, of",
  paste0(length(of[[1L]]), ":\n\n")
)
header(c("", names(of)[-1L]))
line(c("worse", sapply(of[-1L], function(v) number(100 * mean(v < of[[1L]] - 0.02), 1))))
line(c("better", sapply(of[-1L], function(v) number(100 * mean(v > of[[1L]] + 0.02), 1))))

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
  "`heights`: the elbow ratio times the ratio of the height of the gap that k clusters need to that of the next; ",
  "`its fit`: adjusted Rand index of `rho_connected()` with the right k.\n\n",
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
must_hold(
  shares["all", "elbow ratio, connected"] >= shares["all", "elbow ratio, plain"] + 0.2, "the number of clusters"
)
must_hold(times$`fit after it`[1L] <= 1.2, "the fit after the tree")
must_hold(times$tree[1L] <= 6, "tree and cores in six bare passes")
must_hold(times$whole[2L] <= 6, "the whole call in six bare passes")
