# The metric learned with the partition, kgroups(standardize = "within"): adjusted Rand index at the true k on public tables
# of R packages, and on simulated designs, beside other methods on columns of standard deviation 1 (mixtures: the columns as
# they are); invariance; times.
#   Rscript bench/learned.R tables|designs|invariance|times   (minutes: 6, 6, 1, 1; seeds of designs from 1001)
# `tables` also writes vignettes/articles/public.csv, if every package is there.
# Constants of R/learned-metric.R were chosen after results on all of these tables had been seen. Tables of packages that are
# not installed are left out, methods too.
library(kgroups)

installed <- function(package) requireNamespace(package, quietly = TRUE)
data_of <- function(name, package) {
  e <- new.env()
  utils::data(list = name, package = package, envir = e)
  get(name, e)
}
some <- function(d, n) d[seq(1, nrow(d), length.out = n), ]

# name = list(package, function that returns list(columns, labels))
tables <- list(
  iris = list("datasets", function() list(iris[1:4], iris$Species)),
  crabs = list("MASS", function() with(list(d = MASS::crabs), list(d[4:8], interaction(d$sp, d$sex)))),
  banknote = list("mclust", function() with(list(d = data_of("banknote", "mclust")), list(d[-1], d$Status))),
  thyroid = list("mclust", function() with(list(d = data_of("thyroid", "mclust")), list(d[-1], d[[1]]))),
  diabetes = list("mclust", function() with(list(d = data_of("diabetes", "mclust")), list(d[-1], d[[1]]))),
  fgl = list("MASS", function() list(MASS::fgl[1:9], MASS::fgl$type)),
  vehicle = list("mlbench", function() with(list(d = data_of("Vehicle", "mlbench")), list(d[1:18], d$Class))),
  ionosphere = list("mlbench", function() with(list(d = data_of("Ionosphere", "mlbench")), list(d[3:34], d$Class))),
  sonar = list("mlbench", function() with(list(d = data_of("Sonar", "mlbench")), list(d[1:60], d$Class))),
  penguins = list("palmerpenguins", function() {
    d <- as.data.frame(palmerpenguins::penguins)
    d <- d[stats::complete.cases(d[3:6]), ]
    list(d[3:6], d$species)
  }),
  dermatology = list("kgroups", function() {
    d <- stats::na.omit(utils::read.csv(system.file("extdata", "dermatology.csv", package = "kgroups")))
    list(d[-ncol(d)], d[[ncol(d)]])
  }),
  wine13 = list("gclus", function() with(list(d = data_of("wine", "gclus")), list(d[-1], d[[1]]))),
  wine27 = list("pgmm", function() with(list(d = data_of("wine", "pgmm")), list(d[-1], d[[1]]))),
  biopsy = list("MASS", function() with(list(d = stats::na.omit(MASS::biopsy)), list(d[2:10], d$class))),
  pima = list("MASS", function() with(list(d = rbind(MASS::Pima.tr, MASS::Pima.te)), list(d[1:7], d$type))),
  satellite = list(
    "mlbench",
    function() with(list(d = some(data_of("Satellite", "mlbench"), 1200)), list(d[1:36], droplevels(d$classes)))
  ),
  letters5 = list("mlbench", function() {
    d <- data_of("LetterRecognition", "mlbench")
    d <- d[d$lettr %in% LETTERS[1:5], ][1:1000, ]
    list(d[-1], droplevels(d$lettr))
  }),
  olive3 = list("pgmm", function() with(list(d = data_of("olive", "pgmm")), list(d[3:10], d[[1]]))),
  olive9 = list("pgmm", function() with(list(d = data_of("olive", "pgmm")), list(d[3:10], d[[2]]))),
  coffee = list("pgmm", function() with(list(d = data_of("coffee", "pgmm")), list(d[3:14], d[[1]]))),
  fish = list("rrcov", function() with(list(d = stats::na.omit(data_of("fish", "rrcov"))), list(d[1:6], d$Species))),
  diabetes5 = list("rrcov", function() with(list(d = data_of("diabetes", "rrcov")), list(d[1:5], d$group))),
  salmon = list(
    "rrcov", function() with(list(d = data_of("salmon", "rrcov")), list(d[c("Freshwater", "Marine")], d$Origin))
  ),
  wdbc = list("mclust", function() with(list(d = data_of("wdbc", "mclust")), list(d[3:32], d$Diagnosis))),
  vowel = list("mlbench", function() with(list(d = data_of("Vowel", "mlbench")), list(d[2:10], d$Class))),
  ais = list("sn", function() with(list(d = data_of("ais", "sn")), list(d[3:13], d$sex))),
  hemophilia = list("rrcov", function() with(list(d = data_of("hemophilia", "rrcov")), list(d[1:2], d$gr))),
  olitos = list("rrcov", function() with(list(d = data_of("olitos", "rrcov")), list(d[1:25], d$grp))),
  body = list("gclus", function() with(list(d = data_of("body", "gclus")), list(d[1:24], d$Gender))),
  steel = list(
    "rebmix", function() with(list(d = some(data_of("steelplates", "rebmix"), 900)), list(d[1:27], d[[ncol(d)]]))
  ),
  spam = list("kernlab", function() with(list(d = some(data_of("spam", "kernlab"), 900)), list(d[1:57], d$type))),
  shuttle = list(
    "mlbench", function() with(list(d = some(data_of("Shuttle", "mlbench"), 900)), list(d[1:9], droplevels(d$Class)))
  ),
  zoo = list("mlbench", function() with(list(d = data_of("Zoo", "mlbench")), list(d[1:16], d$type))),
  twoclass = list("modeldata", function() with(list(d = data_of("two_class_dat", "modeldata")), list(d[1:2], d$Class)))
)

load_table <- function(table) {
  pair <- table[[2L]]()
  x <- data.matrix(as.data.frame(pair[[1L]])) * 1
  list(x = x[, apply(x, 2L, stats::sd) > 0, drop = FALSE], truth = as.integer(factor(pair[[2L]])))
}

# Labels of each method.
methods <- list(
  learned = function(x, k) kgroups(x, k, standardize = "within")$cluster,
  kgroups = function(x, k) kgroups(x, k)$cluster,
  "k-means" = function(x, k) stats::kmeans(x, k, nstart = 50, iter.max = 100)$cluster,
  PAM = function(x, k) cluster::pam(x, k)$clustering,
  Ward = function(x, k) stats::cutree(stats::hclust(stats::dist(x), "ward.D2"), k),
  mclust = function(x, k) if (ncol(x) <= widest) mclust::Mclust(x, k, verbose = FALSE)$classification,
  EEE = function(x, k) mclust::Mclust(x, k, "EEE", verbose = FALSE)$classification,
  HDBSCAN = function(x, k) dbscan::hdbscan(x, minPts = 10)$cluster,
  Genie = function(x, k) stats::cutree(genieclust::gclust(stats::dist(x)), k)
)
needs <- c(PAM = "cluster", mclust = "mclust", EEE = "mclust", HDBSCAN = "dbscan", Genie = "genieclust")
if (installed("mclust")) suppressPackageStartupMessages(library(mclust))
methods <- methods[vapply(names(methods), function(m) is.na(needs[m]) || installed(needs[m]), NA)]

widest <- 28 # columns of mclust, which takes minutes beyond: NA

score <- function(x, truth, which = names(methods)) {
  k <- length(unique(truth))
  scaled <- scale(x)
  vapply(which, function(name) {
    set.seed(1)
    columns <- if (name %in% c("mclust", "EEE")) x else scaled
    labels <- tryCatch(suppressWarnings(suppressMessages(methods[[name]](columns, k))), error = function(e) NULL)
    if (is.null(labels)) NA else compare_clusters(truth, labels)
  }, 0)
}

row_of <- function(name, values, digits = 2) cat(
  "|", paste(c(name, formatC(values, digits, format = "f")), collapse = " | "), "|\n"
)
head_of <- function(first, names) cat(
  "|", paste(c(first, names), collapse = " | "), "|\n|", strrep("---|", length(names) + 1L), "\n", sep = ""
)

parts <- list()

parts$tables <- function() {
  found <- names_of <- NULL
  which <- setdiff(names(methods), "EEE")
  head_of("table (package, n x d, k)", which)
  for (name in names(tables)[vapply(tables, function(table) installed(table[[1L]]), NA)]) {
    table <- load_table(tables[[name]])
    values <- score(table$x, table$truth, which)
    found <- rbind(found, values)
    title <- sprintf("%s (%s, %d x %d, %d)", name, tables[[name]][[1L]], nrow(table$x), ncol(table$x), max(table$truth))
    names_of <- c(names_of, title)
    row_of(title, values)
  }
  # the figure of vignettes/articles/when-not.Rmd has every table and method
  if (nrow(found) == length(tables) && all(vapply(needs, installed, NA))) {
    shown <- apply(found, 2L, formatC, digits = 2, format = "f")
    shown <- data.frame("table (package, n x d, k)" = names_of, shown, check.names = FALSE, row.names = NULL)
    utils::write.csv(shown, "vignettes/articles/public.csv", row.names = FALSE, quote = 1)
  }
  ended <- stats::complete.cases(found)
  later <- seq_len(nrow(found)) > 12L
  row_of(sprintf("mean of all (%d)", nrow(found)), colMeans(found), 3)
  row_of("mean without the first twelve", colMeans(found[later, ]), 3)
  # what always one of the two metrics loses against the better one
  row_of("mean loss against the better metric", colMeans(pmax(found[, 1L], found[, 2L]) - found[, 1:2]), 3)
  row_of(sprintf("mean where all ended (%d)", sum(ended)), colMeans(found[ended, ]), 3)
  row_of(sprintf("the same without the first twelve (%d)", sum(ended & later)), colMeans(found[ended & later, ]), 3)
}

# k clusters, means `apart` on average; `design`: round, common (one random covariance), heavy (common, t with 2 degrees of
# freedom), own (a random covariance each), scale (a variance each), uneven (round, sizes 8:1:1), skew (8:1:1, common).
draw <- function(design, d, n = 300, k = 3, apart = 3) {
  share <- if (design %in% c("uneven", "skew")) c(8, rep(1, k - 1)) else rep(1, k)
  truth <- rep(seq_len(k), round(n * share / sum(share)))
  n <- length(truth)
  means <- matrix(stats::rnorm(k * d), k)
  means <- means * apart / mean(stats::dist(means))
  e <- matrix(stats::rnorm(n * d), n)
  mix <- function() {
    q <- qr.Q(qr(matrix(stats::rnorm(d * d), d)))
    q %*% (exp(stats::rnorm(d)) * t(q))
  }
  if (design == "heavy") e <- e / sqrt(stats::rchisq(n, 2) / 2)
  if (design == "own") for (l in seq_len(k)) e[truth == l, ] <- e[truth == l, ] %*% mix()
  if (design == "scale") e <- e * exp(stats::rnorm(k, sd = 0.5))[truth]
  x <- means[truth, ] + e
  list(x = if (design %in% c("common", "heavy", "skew")) x %*% mix() else x, truth = truth)
}

parts$designs <- function(runs = 12) {
  which <- setdiff(names(methods), c("HDBSCAN", "Genie"))
  head_of(sprintf("design, d, n (mean of %d)", runs), which)
  for (one in list(
    list("round", 2), list("round", 5), list("round", 10), list("common", 2), list("common", 5), list("common", 10),
    list("heavy", 2),
    list("heavy", 5), list("heavy", 10), list("own", 5), list("scale", 5), list("common", 20), list("round", 20, 90),
    list("common", 5, 60)
  )) {
    values <- rowMeans(vapply(1000 + seq_len(runs), function(seed) {
      set.seed(seed)
      o <- do.call(draw, c(one, list(apart = 3.5)))
      score(o$x, o$truth, which)
    }, numeric(length(which))), na.rm = TRUE)
    row_of(sprintf("%s, %d, %d", one[[1L]], one[[2L]], c(one[-(1:2)], 300)[[1L]]), values)
  }
}

# Equal labels after random invertible maps of the columns.
parts$invariance <- function(runs = 100) {
  equal <- 0
  for (seed in seq_len(runs)) {
    set.seed(seed)
    o <- if (seed %% 2L) list(x = as.matrix(iris[1:4])) else draw("common", 5, apart = 4)
    A <- matrix(stats::rnorm(ncol(o$x)^2), ncol(o$x))
    fits <- lapply(list(o$x, o$x %*% A), function(x) {
      set.seed(1)
      suppressMessages(kgroups(unname(x), 3, standardize = "within"))
    })
    equal <- equal + identical(fits[[1L]]$cluster, fits[[2L]]$cluster)
  }
  cat(sprintf(
    "Equal labels after a random invertible map: %d of %d (iris, and a common covariance in five dimensions).\n", equal,
    runs
  ))
}

parts$times <- function() {
  head_of("n, d, k", c("learned, s", "kgroups(), s", "ratio"))
  for (size in list(c(150, 4, 3), c(1000, 10, 3), c(10000, 10, 10), c(20000, 10, 10))) {
    set.seed(1)
    o <- draw("common", size[2], size[1], size[3], apart = 5)
    time <- function(form) {
      min(vapply(1:3, function(run) {
        set.seed(1)
        system.time(kgroups(o$x, size[3], standardize = form))[[1L]]
      }, 0))
    }
    values <- c(time("within"), time(TRUE))
    row_of(paste(size, collapse = ", "), c(values, values[1L] / values[2L]))
  }
}

for (part in commandArgs(TRUE)) parts[[part]]()
