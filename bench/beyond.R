# Beyond the partition: trees, probabilities, noise, limits on sizes, change points, each beside its peers where these are
# installed. The tables of bench/beyond.md; bench/cluster-test.R has the test of one cluster.
#   Rscript bench/beyond.R PART        PART: trees (2 minutes), probabilities (2), noise (3), trimming (3), sizes (2),
#                                      changes (1)
library(kgroups)

user <- function(call) unname(system.time(call)[1])
installed <- function(package) requireNamespace(package, quietly = TRUE)
parts <- list()

# Time in bare passes (energy_statistics() of one partition), memory, and W of the cuts beside that of kgroups().
parts$trees <- function() {
  memory <- function() {
    lines <- tryCatch(readLines("/proc/self/status"), error = function(e) "VmHWM: NA kB")
    as.numeric(gsub("[^0-9]", "", grep("VmHWM", lines, value = TRUE))) / 1024
  }
  mixture <- function(n, d, k = 20) {
    mean <- matrix(rnorm(k * d, sd = 2), k)
    mean[sample.int(k, n, TRUE), ] + matrix(rnorm(n * d), n)
  }
  set.seed(44)
  x <- mixture(1e5, 10)
  before <- memory()
  tree_time <- user(tree <- kgroups_tree(x))
  peak <- memory()
  pass <- user(energy_statistics(x, predict(tree, 20)))
  cat(sprintf("n = 1e5, d = 10: %.1f s, %.2f bare passes (%.1f s each), %.0f MB above the data's %.0f\n",
    tree_time, tree_time / pass, pass, peak - before, before))
  x <- mixture(1e6, 10)
  cat(sprintf("n = 1e6, d = 10, 256 landmarks: %.1f s\n", user(kgroups_tree(x, approx = nystroem(256)))))
  cat("| n | k | cut, % above kgroups() | cut and local search, % |\n|---|---|---|---|\n")
  for (n in c(1000, 4000, 10000)) {
    x <- mixture(n, 5)
    tree <- kgroups_tree(x)
    for (k in c(3, 10, 20)) {
      W <- kgroups(x, k)$W
      cat(sprintf(
        "| %d | %d | %.1f | %.1f |\n", n, k, 100 * (tree$W[k] / W - 1), 100 * (kgroups(x, k, init = tree)$W / W - 1)
      ))
    }
  }
}

# Probabilities of clusters against the true posterior: three normals in 2, 5 and 10 dimensions, 300 rows, equal sizes and
# .6/.3/.1, and three of unequal scale: Kullback-Leibler divergence and calibration error (ten bins).
parts$probabilities <- function() {
  suppressPackageStartupMessages(library(mclust))
  runs <- 20

  # Rows, their posterior under the true mixture, and the components.
  draw <- function(p, share, sd, n = 300, apart = 3) {
    mean <- matrix(0, 3, p)
    mean[, 1:2] <- apart * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))
    truth <- rep(1:3, round(n * share))
    x <- mean[truth, ] + sd[truth] * matrix(rnorm(n * p), n)
    log_density <- sapply(
      1:3, function(l) log(share[l]) - p * log(sd[l]) - rowSums((x - rep(mean[l, ], each = n))^2) / (2 * sd[l]^2)
    )
    q <- exp(log_density - apply(log_density, 1, max))
    list(x = x, q = q / rowSums(q), truth = truth)
  }

  # Columns of p in the order of the components that agrees best.
  matched <- function(p, q) {
    orders <- rbind(1:3, c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), c(3, 2, 1))
    agree <- apply(orders, 1, function(o) sum(p[, o] * q))
    p[, orders[which.max(agree), ]]
  }
  divergence <- function(p, q) mean(rowSums(ifelse(q > 0, q * log(q / pmax(p, 1e-12)), 0)))
  calibration <- function(p, truth) {
    hit <- outer(truth, 1:3, "==")
    bin <- pmin(floor(10 * p), 9)
    sum(tapply(p - hit, bin, function(d) abs(sum(d)))) / length(p)
  }

  settings <- list(
    "equal, p = 2" = list(2, rep(1 / 3, 3), c(1, 1, 1)), "equal, p = 5" = list(5, rep(1 / 3, 3), c(1, 1, 1)),
    "equal, p = 10" = list(10, rep(1 / 3, 3), c(1, 1, 1)), "sizes .6/.3/.1, p = 5" = list(5, c(.6, .3, .1), c(1, 1, 1)),
    "scale 1/1/2, p = 5" = list(5, rep(1 / 3, 3), c(1, 1, 2)),
    "scale .5/1/1.5, p = 2" = list(2, rep(1 / 3, 3), c(0.5, 1, 1.5))
  )
  prob <- function(x, ...) predict(kgroups(x, 3, ...), type = "prob")
  methods <- list(
    "alpha 2" = function(x) prob(x, semimetric = rho_power(2)), "alpha 1" = prob,
    "alpha 1/2" = function(x) prob(x, semimetric = rho_power(1 / 2)),
    "gaussian" = function(x) prob(x, semimetric = rho_gaussian()),
    "mixture" = function(x) predict(kgroups_mixture(x, 3), type = "prob"),
    "mclust" = function(x) Mclust(x, 3, verbose = FALSE)$z
  )
  set.seed(41)
  cat("| setting | method | 100 KL | calibration error, % |\n|---|---|---|---|\n")
  for (setting in names(settings)) {
    found <- lapply(seq_len(runs), function(r) {
      data <- do.call(draw, settings[[setting]])
      sapply(methods, function(f) {
        p <- matched(f(data$x), data$q)
        c(divergence(p, data$q), calibration(p, data$truth))
      })
    })
    mean <- 100 * Reduce(`+`, found) / runs
    for (m in names(methods)) cat(sprintf("| %s | %s | %.1f | %.1f |\n", setting, m, mean[1, m], mean[2, m]))
  }
}

# Adjusted Rand index of the clean rows, share of the noise that is found (recall) and of clean rows taken for noise, means
# over 10 sets: three normals of 100 rows in 2, 5 and 10 dimensions, 6 apart, and noise of three kinds.
parts$noise <- function() {
  runs <- 10

  draw <- function(p, kind, m) {
    truth <- c(rep(1:3, each = 100), rep(0, m))
    x <- matrix(rnorm(300 * p), 300)
    x[, 1:2] <- x[, 1:2] + 6 * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))[truth[1:300], ]
    noise <- switch(kind,
      none = NULL, box = matrix(runif(m * p, -6, 12), m), far = matrix(rnorm(m * p, sd = 100), m),
      clump = matrix(rnorm(m * p, 25, 0.5), m)
    )
    list(x = rbind(x, noise), truth = truth)
  }
  fitted <- function(x, ...) {
    fit <- kgroups(x, 3, ...)
    list(cluster = unname(fit$cluster), noise = if (is.null(fit$noise)) rep(FALSE, nrow(x)) else unname(fit$noise))
  }
  methods <- list(
    "kgroups" = function(x, ...) fitted(x),
    "kgroups, alpha 1/2" = function(x, ...) fitted(x, semimetric = rho_power(1 / 2)),
    "kgroups, trim given" = function(x, share) fitted(x, trim = max(share, 0.01)),
    "kgroups, trim auto" = function(x, ...) fitted(x, trim = "auto")
  )
  if (requireNamespace("tclust", quietly = TRUE)) methods$tclust <- function(x, share) {
    cluster <- tclust::tclust(x, 3, alpha = max(share, 0.01))$cluster
    list(cluster = cluster, noise = cluster == 0)
  }
  if (requireNamespace("dbscan", quietly = TRUE)) methods$hdbscan <- function(x, ...) {
    cluster <- dbscan::hdbscan(x, minPts = 10)$cluster
    list(cluster = cluster, noise = cluster == 0)
  }
  if (requireNamespace("mclust", quietly = TRUE)) {
    suppressPackageStartupMessages(library(mclust))
    methods$`mclust, noise` <- function(x, share) {
      first <- seq_len(nrow(x)) %in% order(-rowSums(scale(x)^2))[seq_len(ceiling(max(share, 0.01) * nrow(x)))]
      cluster <- Mclust(x, 3, initialization = list(noise = first), verbose = FALSE)$classification
      list(cluster = cluster, noise = cluster == 0)
    }
  }
  methods$kmeans <- function(x, ...) list(
    cluster = stats::kmeans(x, 3, nstart = 20)$cluster, noise = rep(FALSE, nrow(x))
  )

  set.seed(43)
  cat("| p | noise | method | ARI | recall | clean rows taken |\n|---|---|---|---|---|---|\n")
  for (p in c(2, 5, 10)) for (setting in list(c("none", 0), c("box", 30), c("far", 15), c("far", 75), c("clump", 30))) {
    m <- as.numeric(setting[2])
    found <- lapply(seq_len(runs), function(r) {
      data <- draw(p, setting[1], m)
      clean <- data$truth > 0
      sapply(methods, function(f) {
        fit <- tryCatch(f(data$x, m / nrow(data$x)), error = function(e) NULL)
        if (is.null(fit)) return(c(NA, NA, NA))
        c(compare_clusters(data$truth[clean], fit$cluster[clean]), mean(fit$noise[!clean]), mean(fit$noise[clean]))
      })
    })
    mean <- Reduce(`+`, found) / runs
    for (method in names(methods)) {
      cat(sprintf(
        "| %d | %s %d | %s | %.2f | %.2f | %.3f |\n", p, setting[1], m, method, mean[1, method], mean[2, method],
        mean[3, method]
      ))
    }
  }
}

# trim = "auto" on nine designs, means of 20 sets: adjusted Rand index of the clean rows, recall of the noise, and clean rows
# taken, beside methods that get the share of the noise. Then W of 200 sets of 7 to 9 rows beside brute force.
parts$trimming <- function() {
  triangle <- function(side) side * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))
  normals <- function(n, centre, noise = NULL, sd = 1) {
    truth <- rep(seq_along(n), n)
    x <- centre[truth, ] + rep_len(sd, length(n))[truth] * matrix(rnorm(sum(n) * ncol(centre)), sum(n))
    list(x = rbind(x, noise), truth = c(truth, rep(0, NROW(noise))))
  }
  box <- function(p = 2) matrix(runif(30 * p, -6, 12), 30)
  far <- function(m, sd) matrix(rnorm(2 * m, sd = sd), m)
  five <- rbind(c(0, 0), c(7, 0), c(0, 7), c(7, 7), c(14, 3))
  designs <- list(
    "200/70/30" = function() normals(c(200, 70, 30), triangle(6)),
    "100/100/100" = function() normals(rep(100, 3), triangle(6)),
    "100/100/100, box" = function() normals(rep(100, 3), triangle(6), box()),
    "100/100/100, 75 far" = function() normals(rep(100, 3), triangle(6), far(75, 100)),
    "100/100/100, clump" = function() normals(rep(100, 3), triangle(6), 25 + far(30, 0.5)),
    "200/70/30, box" = function() normals(c(200, 70, 30), triangle(6), box()),
    "150/90/60, ten columns, box" = function() normals(c(150, 90, 60), cbind(triangle(6), matrix(0, 3, 8)), box(10)),
    "150/50/50/30/20, far" = function() normals(c(150, 50, 50, 30, 20), five, far(30, 50)),
    "sd 0.6/1/1.5, far" = function() normals(rep(100, 3), triangle(9), far(30, 60), c(0.6, 1, 1.5))
  )
  share <- function(data) mean(data$truth == 0)
  methods <- list(
    "trim = \"auto\"" = function(data, k) {
      fit <- kgroups(data$x, k, trim = "auto")
      list(cluster = unname(fit$cluster), noise = unname(fit$noise))
    },
    "trim given" = function(data, k) {
      fit <- kgroups(data$x, k, trim = max(share(data), 0.01))
      list(cluster = unname(fit$cluster), noise = unname(fit$noise))
    }
  )
  if (installed("tclust")) methods$tclust <- function(data, k) {
    cluster <- tclust::tclust(data$x, k, alpha = max(share(data), 0.01), nstart = 20)$cluster
    list(cluster = cluster, noise = cluster == 0)
  }
  if (installed("trimcluster")) methods$trimkmeans <- function(data, k) {
    cluster <- trimcluster::trimkmeans(
      data$x, k, trim = max(share(data), 0.01), runs = 20, printcrit = FALSE
    )$classification
    list(cluster = cluster, noise = cluster == k + 1)
  }
  cat("| design | method | ARI | recall | clean rows taken | seconds |\n|---|---|---|---|---|---|\n")
  for (design in names(designs)) {
    set.seed(47 + match(design, names(designs)))
    found <- replicate(20, {
      data <- designs[[design]]()
      clean <- data$truth > 0
      vapply(methods, function(f) {
        time <- user(fit <- f(data, max(data$truth)))
        c(
          compare_clusters(data$truth[clean], fit$cluster[clean]), mean(fit$noise[!clean]), mean(fit$noise[clean]), time
        )
      }, numeric(4))
    })
    mean <- apply(found, 1:2, mean)
    for (m in names(methods)) {
      cat(
        sprintf("| %s | %s | %.3f | %.2f | %.3f | %.2f |\n", design, m, mean[1, m], mean[2, m], mean[3, m], mean[4, m])
      )
    }
  }

  labelings <- function(m, k) {
    all <- as.matrix(expand.grid(rep(list(seq_len(k)), m)))
    all[apply(all, 1, function(z) identical(unique(z), seq_len(k))), , drop = FALSE]
  }
  brute_force <- function(D, k, trimmed) {
    Z <- labelings(nrow(D) - trimmed, k)
    least <- function(rows) {
      min(Reduce(`+`, lapply(seq_len(k), function(l) {
        z <- (Z == l) + 0
        rowSums((z %*% D[rows, rows]) * z) / (2 * rowSums(z))
      })))
    }
    min(utils::combn(nrow(D), nrow(D) - trimmed, least))
  }
  set.seed(47)
  above <- replicate(200, {
    n <- sample(7:9, 1)
    k <- sample(2:3, 1)
    trimmed <- sample(1:3, 1)
    x <- matrix(rnorm(2 * n), n) * exp(rnorm(n) / 2)
    100 * (suppressMessages(kgroups(x, k, trim = trimmed / n))$W / brute_force(as.matrix(dist(x)), k, trimmed) - 1)
  })
  cat(sprintf("7 to 9 rows: %d of 200 above the optimum, by %.1f %% at most\n", sum(above > 1e-6), max(above)))
}

# W of clusters of equal size in percent above the best of all methods, on five kinds of data.
parts$sizes <- function() {
  mixture <- function(n, d, k, sd) matrix(
    rnorm(k * d, sd = sd), k
  )[sample(k, n, TRUE, prob = seq_len(k)), ] + matrix(rnorm(n * d), n)
  sets <- list(
    normal = function() matrix(rnorm(1500), 500), mixture = function() mixture(600, 3, 8, 3),
    uniform = function() matrix(runif(800), 400),
    lognormal = function() matrix(exp(rnorm(900)), 300), "ten dimensions" = function() mixture(500, 10, 10, 1.4)
  )
  anticlust <- installed("anticlust")
  set.seed(45)
  cat("| data | k | kgroups | its seconds | 2000 starts | anticlust | anticlust and our search |\n|---|---|---|---|---|---|---|\n")
  for (set in names(sets)) {
    for (k in c(5, 10)) {
      x <- sets[[set]]()
      W <- function(labels) energy_statistics(x, labels)$W
      time <- user(fit <- kgroups(x, k, sizes = "equal"))
      found <- c(fit$W, kgroups(x, k, sizes = "equal", nstart = 2000)$W, NA, NA)
      if (anticlust) {
        peer <- anticlust::balanced_clustering(x, k)
        found[3:4] <- c(W(peer), kgroups(x, k, sizes = "equal", init = peer)$W)
      }
      above <- 100 * (found / min(found, na.rm = TRUE) - 1)
      cat(sprintf(
        "| %s | %d | %.2f | %.2f | %.2f | %.1f | %.2f |\n", set, k, above[1], time, above[2], above[3], above[4]
      ))
    }
  }
  x <- mixture(23000, 50, 50, 1)
  time <- user(fit <- kgroups(x, 50, sizes = "equal"))
  cat(sprintf("n = 23,000, d = 50, k = 50, equal sizes: %.1f s, W %.2f %% above that without limits\n",
    time, 100 * (fit$W / fit$limits$W_free - 1)))
}

# Change points of means and of scale: share of sets in which all are found within 3 rows, and seconds, beside ecp.
parts$changes <- function() {
  draw <- list(
    means = function(n) rbind(matrix(rnorm(n), ncol = 2), matrix(rnorm(n, 1.5), ncol = 2), matrix(rnorm(n), ncol = 2)),
    scale = function(n) rbind(
      matrix(rnorm(n), ncol = 2), matrix(rnorm(n, sd = 4), ncol = 2), matrix(rnorm(n), ncol = 2)
    )
  )
  ecp <- installed("ecp")
  set.seed(46)
  cat("| change | rows | kgroups_changes | seconds | ecp::e.divisive | seconds |\n|---|---|---|---|---|---|\n")
  for (kind in names(draw)) {
    for (n in c(100, 200)) {
      found <- replicate(10, {
        x <- draw[[kind]](n)
        true <- c(n / 2 + 1, n + 1)
        hit <- function(at) length(at) == 2 && all(abs(sort(at) - true) <= 3)
        time <- user(ours <- kgroups_changes(x, 3, least = 10)$changes[[1]])
        other <- c(NA, NA)
        if (ecp) {
          other[2] <- user(theirs <- ecp::e.divisive(x, k = 2, min.size = 10)$estimates)
          other[1] <- hit(setdiff(theirs, c(1, nrow(x) + 1)))
        }
        c(hit(ours), time, other)
      })
      cat(sprintf(
        "| %s | %.0f | %.1f | %.3f | %.1f | %.3f |\n", kind, 1.5 * n, mean(found[1, ]), mean(found[2, ]),
        mean(found[3, ]), mean(found[4, ])
      ))
    }
  }
  x <- matrix(rnorm(10000), 5000)
  cat(sprintf("kgroups_changes(), n = 5,000, 1 to 10 runs: %.2f s\n", user(kgroups_changes(x, 1:10))))
}

part <- c(commandArgs(TRUE), "")[1]
if (!part %in% names(parts)) stop("PART must be one of ", paste(names(parts), collapse = ", "))
parts[[part]]()
