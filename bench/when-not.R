# Cases in which another method does better than kgroups(), or a call of it better than its default:
# vignettes/articles/when-not.csv. Mean adjusted Rand index (share of points in their group for "scale only") and median
# CPU seconds over 20 data sets a case, fewer of large ones.
#   Rscript bench/when-not.R [METHOD or CASE ...]        packages mclust, dbscan, igraph, VarSelLCM, genieclust; rows of
# absent ones are skipped. With methods or cases named only these run, and the other rows stay.

library(kgroups)
has <- function(package) requireNamespace(package, quietly = TRUE)
runs <- 20

cases <- list(
  "unequal sizes, overlapping" = list(
    data = function() {
      truth <- rep(1:2, c(270, 30))
      list(x = matrix(rnorm(1200), 300) + 2.5 * (truth == 2) / 2, truth = truth, k = 2)
    },
    methods = c("kgroups", "kgroups_mixture", "mclust")
  ),
  "long parallel clusters" = list(
    data = function() {
      truth <- rep(1:3, each = 120)
      list(x = cbind(rnorm(360, sd = 6), rnorm(360, 5 * truth)), truth = truth, k = 3)
    },
    methods = c("kgroups", "kgroups, within", "kgroups, connected", "mclust")
  ),
  "three groups in uniform noise" = list(
    data = function() {
      truth <- rep(1:4, c(100, 100, 100, 200))
      centre <- cbind(c(2, 8, 5), c(2, 3, 8))
      x <- rbind(centre[truth[1:300], ] + rnorm(600, sd = 0.4), matrix(runif(400, 0, 10), 200))
      list(x = x, truth = truth, k = 3)
    },
    methods = c("kgroups", "kgroups, trim auto", "kgroups, trim 0.4", "kgroups, connected", "HDBSCAN")
  ),
  "60,000 rows, equal round clusters" = list(
    data = function() {
      truth <- rep(1:6, each = 10000)
      list(x = matrix(rnorm(6 * 8, sd = 3), 6)[truth, ] + rnorm(8 * 60000), truth = truth, k = 6)
    },
    methods = c("kgroups", "kgroups, rho_power(2)", "k-means"), runs = 3
  ),
  "graph, 40 communities, their number unknown" = list(
    data = function() {
      truth <- rep(1:40, each = 25)
      graph <- igraph::sample_sbm(1000, matrix(0.01, 40, 40) + diag(0.29, 40), rep(25, 40))
      list(x = graph, truth = truth)
    },
    methods = c("cluster_kgroups", "Leiden"), runs = 10
  ),
  "graph with hubs" = list(
    data = function() {
      truth <- rep(1:3, each = 100)
      degree <- pmin(8 * (1 - runif(300))^(-1 / 1.5) / 3, 120)
      rate <- outer(degree, degree) / sum(degree) * ifelse(outer(truth, truth, "=="), 2.4, 0.3)
      edge <- which(upper.tri(rate) & runif(length(rate)) < rate, arr.ind = TRUE)
      graph <- igraph::make_empty_graph(300, directed = FALSE)
      list(x = igraph::add_edges(graph, as.vector(t(edge))), truth = truth)
    },
    methods = c("cluster_kgroups", "Leiden")
  ),
  "mixed columns, most of them noise" = list(
    data = function() {
      truth <- rep(1:3, c(150, 60, 30))
      letter <- function(p) factor(letters[vapply(truth, function(g) sample(4, 1, prob = p[g, ]), 0L)])
      signal <- rbind(c(7, 1, 1, 1), c(1, 7, 1, 1), c(1, 1, 7, 1))
      noise <- matrix(1, 3, 4)
      x <- data.frame(
        a = rnorm(240, 1.8 * truth), b = rnorm(240, -1.8 * truth), c = letter(signal), d = letter(signal),
        replicate(5, rnorm(240)), lapply(stats::setNames(1:5, paste0("f", 1:5)), function(i) letter(noise))
      )
      list(x = x, truth = truth, k = 3)
    },
    methods = c("kgroups", "VarSelLCM")
  )
)

for (d in c(1, 2, 5, 10, 30)) {
  cases[[sprintf("scale only, d = %d", d)]] <- local({
    d <- d
    list(
      data = function() {
        x <- rbind(matrix(rnorm(100 * d), 100), matrix(rnorm(100 * d, sd = 3), 100))
        list(x = x, truth = rep(1:2, each = 100), k = 2)
      },
      methods = c("kgroups", "k-means", "mclust"), score = "accuracy"
    )
  })
}

# Two rings of n points, the inner one of a third.
for (n in c(1e5, 1e6)) {
  cases[[sprintf("two rings, %s points", if (n < 1e6) "100,000" else "a million")]] <- local({
    n <- n
    list(
      data = function() {
        truth <- rep(1:2, c(n %/% 3, n - n %/% 3))
        a <- runif(n, 0, 2 * pi)
        list(x = c(1, 2.5)[truth] * cbind(cos(a), sin(a)) + rnorm(2 * n, sd = 0.1), truth = truth, k = 2)
      },
      methods = c(if (n < 1e6) "kgroups, connected", "Genie"), runs = 3
    )
  })
}

method_of <- list(
  kgroups = function(one) kgroups(one$x, one$k)$cluster,
  "kgroups, rho_power(2)" = function(one) kgroups(one$x, one$k, semimetric = rho_power(2))$cluster,
  "kgroups, within" = function(one) kgroups(one$x, one$k, standardize = "within")$cluster,
  "kgroups, trim auto" = function(one) kgroups(one$x, one$k, trim = "auto")$cluster,
  "kgroups, trim 0.4" = function(one) kgroups(one$x, one$k, trim = 0.4)$cluster,
  "kgroups, connected" = function(one) kgroups(one$x, one$k, semimetric = rho_connected())$cluster,
  kgroups_mixture = function(one) kgroups_mixture(one$x, one$k)$cluster,
  "k-means" = function(one) kmeans(one$x, one$k, nstart = 50, iter.max = 100)$cluster,
  mclust = if (has("mclust")) {
    function(one) {
      mclustBIC <- mclust::mclustBIC
      mclust::Mclust(one$x, one$k, verbose = FALSE)$classification
    }
  },
  HDBSCAN = if (has("dbscan")) function(one) dbscan::hdbscan(one$x, 15)$cluster,
  Genie = if (has("genieclust")) function(one) genieclust::genie(one$x, one$k),
  cluster_kgroups = function(one) igraph::membership(cluster_kgroups(one$x)),
  Leiden = function(one) {
    igraph::membership(igraph::cluster_leiden(one$x, objective_function = "modularity", n_iterations = 20))
  },
  VarSelLCM = if (has("VarSelLCM")) {
    function(one) VarSelLCM::VarSelCluster(one$x, one$k, nbcores = 1)@partitions@zMAP
  }
)

only <- commandArgs(TRUE)
rows <- list()
for (name in names(cases)) {
  case <- cases[[name]]
  for (method in case$methods) {
    if (length(only) && !any(c(method, name) %in% only)) next
    if (is.null(method_of[[method]])) {
      message(method, " is not installed: skipped")
      next
    }
    n <- if (is.null(case$runs)) runs else case$runs
    found <- vapply(seq_len(n), function(seed) {
      set.seed(seed)
      one <- case$data()
      seconds <- sum(system.time(cluster <- suppressWarnings(suppressMessages(method_of[[method]](one))))[1:2])
      c(
        compare_clusters(one$truth, as.integer(cluster), if (is.null(case$score)) "adjusted_rand" else case$score),
        seconds
      )
    }, numeric(2))
    rows <- c(rows, list(data.frame(
      case = name, method = method, runs = n, adjusted_rand = round(mean(found[1, ]), 3),
      se = round(sd(found[1, ]) / sqrt(n), 3), seconds = signif(median(found[2, ]), 2)
    )))
    print(rows[[length(rows)]])
  }
}
rows <- do.call(rbind, rows)
if (length(only)) {
  old <- read.csv("vignettes/articles/when-not.csv")
  rows <- rbind(old[old$case %in% names(cases) & !(old$method %in% only | old$case %in% only), names(rows)], rows)
  rows <- rows[order(match(rows$case, names(cases))), ]
}
write.csv(rows, "vignettes/articles/when-not.csv", row.names = FALSE)
