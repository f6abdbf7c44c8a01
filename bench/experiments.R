# The synthetic experiments of section 5.1 of the paper, those of its early drafts, and the public data of
# Table III: mean accuracies of every method over simulated data sets, NMI of single starts.
# The article "experiments" reads the two files that this writes into vignettes/articles/.
#   Rscript bench/experiments.R                 (about six minutes on one core)
#   Rscript bench/experiments.R PART ...        (experiments by name, such as "many clusters", or "public", or "chance" for
#                                               its random labels alone: the others keep their rows)
#   Rscript bench/experiments.R quick           (few runs, to see that it works; writes nothing)
# Uses mclust, mlbench, gclus and datasetsICR beside the package itself.

library(kgroups)
suppressPackageStartupMessages(library(mclust))

quick <- "quick" %in% commandArgs(TRUE)
parts <- setdiff(commandArgs(TRUE), "quick")
selected <- function(part) !length(parts) || part %in% parts
shortened <- function(runs) if (quick) 2 else runs
runs_mclust <- 5 # of the same data sets: a mixture takes longer than all the others together

# ---- methods: data, k, semimetric, number of starts -> labels ----

# Normalised Laplacian of the Gram matrix with base point at the origin, as scikit-learn does with an affinity.
spectral <- function(x, k, rho, nstart) {
  G <- unclass(semimetric_matrix(x, semimetric = rho, type = "gram"))
  degree <- rowSums(G)
  if (any(degree <= 0)) {
    return(rep(NA_integer_, nrow(x)))
  }
  vectors <- RSpectra::eigs_sym(G / sqrt(outer(degree, degree)), k)$vectors / sqrt(degree)
  kmeans(vectors, k, iter.max = 100, nstart = 10)$cluster
}

# Both k-means start from k-means++ centres of ours in the case of Lloyd, from random points in the other.
methods <- list(
  "k-means, Lloyd" = function(x, k, rho, nstart) {
    kernel_kmeans(x, k, semimetric = rho_power(2), init = "kmeans++", nstart = nstart)$cluster
  },
  "k-means, Hartigan-Wong" = function(x, k, rho, nstart) {
    suppressWarnings(kmeans(x, k, iter.max = 100, nstart = nstart)$cluster)
  },
  "spectral" = spectral,
  "kernel k-means" = function(x, k, rho, nstart) {
    kernel_kmeans(x, k, semimetric = rho, init = "kmeans++", nstart = nstart)$cluster
  },
  "kernel k-groups" = function(x, k, rho, nstart) {
    kgroups(x, k, semimetric = rho, init = "kmeans++", nstart = nstart)$cluster
  },
  "kgroups(), default call" = function(x, k, rho, nstart) kgroups(x, k, semimetric = rho)$cluster
)

mixture <- function(x, k) {
  fit <- Mclust(x, G = k, verbose = FALSE)
  if (is.null(fit)) rep(1L, nrow(x)) else fit$classification
}

quietly <- function(expr) suppressMessages(suppressWarnings(expr))

# ---- simulated data ----

halves <- function(n) rep(1:2, c(n - n %/% 2, n %/% 2))

normal_mixture <- function(truth, D, shift, sd_1 = rep(1, D), sd_2 = rep(1, D)) {
  x <- matrix(rnorm(length(truth) * D), ncol = D)
  second <- truth == 2
  x[!second, ] <- x[!second, ] * rep(sd_1, each = sum(!second))
  x[second, ] <- x[second, ] * rep(sd_2, each = sum(second))
  x[second, seq_along(shift)] <- x[second, seq_along(shift)] + rep(shift, each = sum(second))
  list(x = x, truth = truth)
}

variances <- c(1.367, 3.175, 3.247, 4.403, 1.249, 1.969, 4.035, 4.237, 2.813, 3.637)
dimension_a <- function(D) normal_mixture(halves(200), D, rep(0.7, 10))
dimension_b <- function(D) {
  normal_mixture(halves(200), D, rep(1, 10), sd_2 = c(sqrt(variances), rep(1, D - 10)))
}
sample_size <- function(n) normal_mixture(halves(n), 20, rep(0.5, 5), sd_1 = rep(sqrt(0.5), 20))
exponentiated <- function(data) list(x = exp(data$x), truth = data$truth)
unbalanced <- function(m) {
  normal_mixture(rep(1:2, c(300 - m, 300 + m)), 4, c(1.5, 1.5, 0, 0), sd_2 = sqrt(c(0.5, 0.5, 1, 1)))
}
grid <- function(k) {
  side <- ceiling(sqrt(k))
  centres <- as.matrix(expand.grid(seq_len(side), seq_len(side)))[seq_len(k), , drop = FALSE]
  truth <- rep(seq_len(k), each = 10)
  list(x = unname(centres[truth, ]) + matrix(rnorm(20 * k, sd = sqrt(0.1)), ncol = 2), truth = truth)
}
cigars <- function(n = 200) {
  normal_mixture(rep(1:2, each = n), 2, 6.5, sd_1 = sqrt(c(1, 20)), sd_2 = sqrt(c(1, 20)))
}
circles <- function(n = 400) {
  angle <- runif(2 * n, 0, 2 * pi)
  truth <- rep(1:2, each = n)
  list(x = c(1, 3)[truth] * cbind(cos(angle), sin(angle)) + rnorm(4 * n, sd = 0.1), truth = truth)
}

# Two spirals of one turn, radius 0.5 to 4. The draft does not define its spirals.
spirals <- function(n = 150) {
  truth <- rep(1:2, each = n)
  turn <- runif(2 * n)
  angle <- 2 * pi * turn + pi * truth
  list(x = (0.5 + 3.5 * turn) * cbind(cos(angle), sin(angle)) + rnorm(4 * n, sd = 0.1), truth = truth)
}

# ---- measuring ----

synthetic <- list()
measure <- function(experiment, setting, make, k, rho = rho_power(1), label = "rho_power(1)",
                    which = names(methods), runs = 50, nstart = 5, with_mclust = FALSE) {
  if (!selected(experiment)) return(invisible())
  runs <- shortened(runs)
  scores <- vapply(seq_len(runs), function(run) {
    # the data depend on no method, no method on another
    set.seed(run)
    data <- make()
    labels <- quietly(lapply(methods[which], function(f) {
      set.seed(1000 + run)
      f(data$x, k, rho, nstart)
    }))
    if (with_mclust) labels$mixture <- if (run <= runs_mclust) mixture(data$x, k) else NA
    vapply(labels, function(cluster) {
      if (anyNA(cluster)) {
        return(c(NA, NA))
      }
      c(compare_clusters(data$truth, cluster, "accuracy"), compare_clusters(data$truth, cluster))
    }, numeric(2))
  }, matrix(0, 2, length(which) + with_mclust))
  names <- c(which, if (with_mclust) "Gaussian mixture")
  accuracy <- matrix(scores[1, , ], length(names))
  rand <- matrix(scores[2, , ], length(names))
  count <- rowSums(!is.na(accuracy))
  synthetic[[length(synthetic) + 1]] <<- data.frame(
    experiment = experiment, setting = setting, semimetric = label, method = names, runs = count,
    accuracy = round(rowMeans(accuracy, na.rm = TRUE), 4),
    se = round(apply(accuracy, 1, sd, na.rm = TRUE) / sqrt(count), 4),
    adjusted_rand = round(rowMeans(rand, na.rm = TRUE), 4)
  )
  message(experiment, " ", setting, " ", label, " ", format(Sys.time(), "%H:%M:%S"))
}

for (D in c(10, 50, 100, 200)) {
  measure("dimension (a)", D, function() dimension_a(D), 2, with_mclust = D <= 50)
  measure("dimension (b)", D, function() dimension_b(D), 2, with_mclust = D <= 50)
}

semimetrics <- list(
  "rho_power(1)" = rho_power(1), "rho_power(1/2)" = rho_power(1 / 2), "rho_exponential(1)" = rho_exponential(1)
)
for (n in c(10, 25, 50, 100, 200, 400)) {
  for (lognormal in c(FALSE, TRUE)) {
    make <- if (lognormal) function() exponentiated(sample_size(n)) else function() sample_size(n)
    name <- if (lognormal) "sample size, lognormal" else "sample size, Gaussian"
    for (i in seq_along(semimetrics)) {
      last <- i == length(semimetrics) # the paper's choice for spectral clustering; k-means needs no semimetric
      measure(name, n, make, 2, semimetrics[[i]], names(semimetrics)[i],
        which = if (last) names(methods) else c("kernel k-means", "kernel k-groups"),
        with_mclust = last && n >= 100
      )
    }
  }
}

# the default call searches longer than five starts take: k-means with as much effort too
methods[["k-means, 100 starts"]] <- function(x, k, rho, nstart) {
  suppressWarnings(kmeans(x, k, iter.max = 100, nstart = 100)$cluster)
}
for (k in c(2, 5, 10, 20, 30, 40, 50)) {
  measure("many clusters", k, function() grid(k), k, runs = 20)
}
methods[["k-means, 100 starts"]] <- NULL

methods[["spectral, base at the mean"]] <- function(x, k, rho, nstart) spectral(scale(x, scale = FALSE), k, rho, nstart)
for (m in c(0, 80, 160, 200, 240)) {
  measure("unbalanced", m, function() unbalanced(m), 2, runs = 20, with_mclust = TRUE)
}
methods[["spectral, base at the mean"]] <- NULL

for (rho in c("rho_power(1)", "rho_power(1/2)", "rho_exponential(2)", "rho_gaussian(2)", "rho_connected()")) {
  measure("cigars", 200, cigars, 2, eval(str2lang(rho)), rho,
    runs = 20,
    with_mclust = rho == "rho_exponential(2)"
  )
}

methods[["25 random starts"]] <- function(x, k, rho, nstart) {
  kgroups(x, k, semimetric = rho, init = "random", nstart = 25)$cluster
}
for (rho in c("rho_power(1)", "rho_gaussian(1)", "rho_connected()")) {
  measure("circles", 400, circles, 2, eval(str2lang(rho)), rho,
    runs = 20,
    with_mclust = rho == "rho_gaussian(1)"
  )
}
for (rho in c("rho_power(1)", "rho_gaussian(0.5)", "rho_connected()")) {
  measure("spirals", 150, spirals, 2, eval(str2lang(rho)), rho,
    runs = 20,
    with_mclust = rho == "rho_gaussian(0.5)"
  )
}
synthetic <- do.call(rbind, synthetic)
synthetic$method[synthetic$method == "25 random starts"] <- "kernel k-groups, 25 random starts"
methods[["25 random starts"]] <- NULL
# Rows of the same parts are replaced; `by` is the column of the parts.
save_table <- function(table, file, by) {
  if (is.null(table)) return(invisible())
  if (quick) return(invisible(print(utils::head(table))))
  file <- file.path("vignettes/articles", file)
  if (length(parts)) {
    old <- read.csv(file)
    table <- rbind(old[!old[[by]] %in% table[[by]], ], table)
  }
  write.csv(table, file, row.names = FALSE)
}
save_table(synthetic, "experiments-synthetic.csv", "experiment")

# ---- public data ----

if (!selected("public") && !selected("chance")) quit("no")

from_package <- function(package, name) {
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  place[[name]]
}
glass <- from_package("mlbench", "Glass")
ionosphere <- from_package("mlbench", "Ionosphere")
vehicle <- from_package("mlbench", "Vehicle")
wine <- from_package("gclus", "wine")
seeds <- from_package("datasetsICR", "seeds")
sonar <- from_package("mlbench", "Sonar")
thyroid <- from_package("mclust", "thyroid")
wdbc <- from_package("mclust", "wdbc")
banknote <- from_package("mclust", "banknote")
constant <- function(x) apply(x, 2, function(column) all(column == column[1]))
numbers <- function(data) {
  x <- vapply(data, function(column) as.numeric(as.character(column)), numeric(nrow(data)))
  x[, !constant(x)]
}
public <- list(
  vehicle = list(x = numbers(vehicle[-19]), truth = vehicle$Class),
  wine = list(x = numbers(wine[-1]), truth = wine$Class),
  glass = list(x = numbers(glass[-10]), truth = glass$Type),
  ionosphere = list(x = numbers(ionosphere[-35]), truth = ionosphere$Class),
  iris = list(x = as.matrix(iris[1:4]), truth = iris$Species),
  seeds = list(x = numbers(seeds[1:7]), truth = seeds$variety),
  # not in the paper
  sonar = list(x = numbers(sonar[-61]), truth = sonar$Class),
  thyroid = list(x = numbers(thyroid[-1]), truth = thyroid$Diagnosis),
  wdbc = list(x = numbers(wdbc[3:12]), truth = wdbc$Diagnosis), # the ten means: mclust takes minutes for all
  banknote = list(x = numbers(banknote[-1]), truth = banknote$Status)
)

# Many starts end in the same place: each value once, with the number of starts.
counted <- function(data, standardised, method, nmi) {
  starts <- table(round(nmi, 4))
  data.frame(data, standardised, method, nmi = as.numeric(names(starts)), starts = as.vector(starts))
}

rho <- rho_exponential(2)
table_3 <- list()
add <- function(...) table_3[[length(table_3) + 1]] <<- counted(...)
for (name in names(public)) {
  truth <- public[[name]]$truth
  k <- length(unique(truth))
  nmi <- function(cluster) if (anyNA(cluster)) NA else compare_clusters(truth, cluster, "nmi")
  over_seeds <- function(labels) vapply(seq_len(shortened(100)), function(seed) {
    set.seed(seed)
    nmi(quietly(labels()))
  }, 0)
  # mean of random labels of the sizes of the classes
  by_chance <- if (selected("public") || selected("chance")) mean(over_seeds(function() sample(truth)))
  for (standardised in c(TRUE, FALSE)) {
    if (length(by_chance)) add(name, standardised, "random labels", by_chance)
    if (!selected("public")) next
    x <- public[[name]]$x
    if (standardised) x <- scale(x)
    for (method in names(methods)) add(name, standardised, method, over_seeds(function() methods[[method]](x, k, rho, 1)))
    add(name, standardised, "Gaussian mixture", nmi(mixture(x, k)))
    message(name, " ", standardised, " ", format(Sys.time(), "%H:%M:%S"))
  }
}
save_table(do.call(rbind, table_3), "experiments-public.csv", "method")
