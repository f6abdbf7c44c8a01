# The number of clusters on sets where it is known, the choice on a sample beside that on all rows, and times.
# `sets` writes vignettes/selection-k.csv too.
#   Rscript bench/selection-k.R sets [draws]|within [draws]|sample [draws [rows]]|times >> bench/selection.md   (minutes: 8, 4, 2, 2)
# `sets`: two draws of each of 16 designs with clusters and of 4 with one, and 20 of the tables of bench/learned.R
# with columns of standard deviation 1. Seeds from 1; no constant of select_k() was set on them.
library(kgroups)

# ---- sets ----

normals <- function(sizes, d, apart, spread = 1, noise = stats::rnorm) {
  k <- length(sizes)
  means <- matrix(stats::rnorm(k * d), k)
  means <- means * apart / min(stats::dist(means))
  truth <- rep(seq_len(k), sizes)
  list(x = means[truth, ] + rep_len(spread, k)[truth] * matrix(noise(sum(sizes) * d), ncol = d), k = k)
}
drawn <- function(set) list(x = set$x, k = length(unique(set$classes)))
ball <- function(n, centre, radius = 1) {
  z <- matrix(stats::rnorm(n * length(centre)), n)
  z <- z / sqrt(rowSums(z^2)) * stats::runif(n)^(1 / length(centre)) * radius
  t(t(z) + centre)
}
balls <- function(centres, radius = 1) list(
  x = do.call(rbind, apply(centres, 1L, ball, n = 60, radius = radius, simplify = FALSE)), k = nrow(centres)
)

designs <- list(
  `two in the plane, 4 apart` = function() normals(c(100, 100), 2, 4),
  `three in the plane, 4 apart` = function() normals(rep(60, 3), 2, 4),
  `five in the plane, 4.5 apart` = function() normals(rep(60, 5), 2, 4.5),
  `eight in 5 dimensions, 5 apart` = function() normals(rep(50, 8), 5, 5),
  `five in 10 dimensions, 5 apart` = function() normals(rep(80, 5), 10, 5),
  `four in 30 dimensions, 6 apart` = function() normals(rep(50, 4), 30, 6),
  `sizes 200, 70, 30; 6 apart` = function() normals(c(200, 70, 30), 2, 6),
  `spread .5, 1, 2; 8 apart` = function() normals(rep(80, 3), 2, 8, c(0.5, 1, 2)),
  `four with t(3) tails, 8 apart` = function() normals(rep(80, 4), 2, 8, noise = function(n) stats::rt(n, 3)),
  `three exponential, 6 apart` = function() normals(rep(80, 3), 3, 6, noise = stats::rexp),
  `six on a ring` = function() drawn(mlbench::mlbench.2dnormals(360, 6, r = 4)),
  `mlbench shapes` = function() drawn(mlbench::mlbench.shapes(400)),
  `mlbench simplex` = function() drawn(mlbench::mlbench.simplex(400, 3, sd = 0.15)),
  `mlbench hypercube` = function() drawn(mlbench::mlbench.hypercube(400, 3, sd = 0.15)),
  `seven balls` = function() balls(rbind(0, diag(3), -diag(3)) * 3),
  `two cuboids` = function() list(
    x = rbind(
      cbind(stats::runif(150, 0, 4), stats::runif(150)), cbind(stats::runif(150, 0, 4), stats::runif(150, 2, 3))
    ),
    k = 2
  ),
  `one: normal` = function() list(x = matrix(stats::rnorm(1000), 200), k = 1),
  `one: uniform square` = function() list(x = matrix(stats::runif(400), 200), k = 1),
  `one: t(3)` = function() list(x = matrix(stats::rt(600, 3), 200), k = 1),
  `one: exponential` = function() list(x = matrix(stats::rexp(600), 200), k = 1)
)

# the tables and their readers are those of bench/learned.R
for (one in as.list(parse("bench/learned.R"))) {
  if (
    identical(one[[1L]], as.name("<-")) && deparse(one[[2L]])[1L] %in%
    c("data_of", "some", "installed", "tables", "draw")
  ) {
    eval(one)
  }
}
read_table <- function(name) {
  pair <- tables[[name]][[2L]]()
  x <- data.matrix(pair[[1L]])
  x <- x[, apply(x, 2L, stats::sd) > 0, drop = FALSE]
  list(x = scale(x), k = length(unique(pair[[2L]])))
}
known_tables <- function(most = 20L) {
  has <- names(tables)[vapply(tables, function(one) installed(one[[1L]]), NA)]
  sets <- lapply(stats::setNames(nm = has), read_table)
  utils::head(Filter(function(set) set$k <= 10 && nrow(set$x) <= 1300, sets), most)
}

# ---- rules ----

criteria <- c("elbow", "stability", "pseudo_f", "silhouette")

chosen_by <- function(choice, criterion) choice$table$k[kgroups:::chosen_row(choice$table, criterion, choice$rows)]

# the number that most of the choices have, that of the first among equals
vote <- function(ks) {
  counts <- vapply(ks, function(k) sum(ks == k), 0L)
  ks[[which.max(counts)]]
}

rules_of <- function(x) {
  choice <- suppressMessages(select_k(x, 1:10, criteria))
  ks <- vapply(criteria, function(one) chosen_by(choice, one), 0L)
  c(
    ks,
    `vote of elbow, stability, silhouette` = vote(ks[c("elbow", "stability", "silhouette")]),
    `elbow, 1 if p > .05` = if (choice$p.value > 0.05) 1L else ks[["elbow"]]
  )
}

number <- function(x, digits = 2) formatC(x, digits, format = "f")
line <- function(cells) cat("|", paste(cells, collapse = " | "), "|\n")
header <- function(cells) {
  line(cells)
  line(rep("---", length(cells)))
}

run_sets <- function(draws = 2) {
  sets <- list()
  for (name in names(designs)) for (draw in seq_len(draws)) {
    set.seed(100 * match(name, names(designs)) + draw)
    sets[[paste(name, draw)]] <- c(designs[[name]](), kind = if (grepl("^one", name)) "one cluster" else "designs")
  }
  for (set in known_tables()) sets[[length(sets) + 1L]] <- c(set, kind = "tables")
  set.seed(1)
  right <- do.call(rbind, lapply(sets, function(set) {
    ks <- rules_of(set$x)
    message(set$kind, " ", set$k, ": ", toString(ks)) # progress
    ks == set$k
  }))
  kind <- vapply(sets, `[[`, "", "kind")
  cat("## Share of sets with the right number of clusters, 1 to 10\n\n")
  header(c("rule", sprintf("%s (%d)", c(unique(kind), "all"), c(table(kind)[unique(kind)], length(kind)))))
  shares <- t(apply(right, 2L, function(rule) c(tapply(rule, factor(kind, unique(kind)), mean), all = mean(rule))))
  for (rule in rownames(shares)) line(c(rule, number(shares[rule, ])))
  utils::write.csv(
    data.frame(rule = rownames(shares), round(shares, 2), check.names = FALSE), "vignettes/selection-k.csv",
    row.names = FALSE
  )
  cat("\n## The default on iris and penguins\n\n")
  header(c("set", "columns as they are", "standard deviation 1", "learned metric"))
  raw <- list(iris = iris[1:4], penguins = if (installed("palmerpenguins")) tables$penguins[[2L]]()[[1L]])
  for (name in names(raw)) {
    k <- function(...) suppressMessages(select_k(raw[[name]], ..., one_cluster = FALSE))$k
    line(c(name, k(), k(standardize = TRUE), k(standardize = "within")))
  }
  cat("\n")
}

# ---- a learned metric ----

# Clusters of one covariance, the same with heavy tails, round ones, one normal, and tables of at most 600 rows in 13 columns.
run_within <- function(draws = 6) {
  plan <- list(
    common = c(2, 200), common = c(4, 100), common = c(5, 300), common = c(8, 300), heavy = c(4, 300),
    round = c(5, 300),
    round = c(4, 100), one = c(4, 200), one = c(8, 100)
  )
  sets <- list()
  for (i in seq_along(plan)) {
    for (run in seq_len(draws)) {
      set.seed(7000 + run)
      kind <- names(plan)[i]
      k <- if (kind == "one") 1 else 2 + (run - 1) %% 3
      d <- plan[[i]][1L]
      n <- plan[[i]][2L]
      x <- if (k == 1) {
        matrix(stats::rnorm(n * d), n) %*% matrix(stats::rnorm(d^2), d)
      } else {
        draw(kind, d, n, k, apart = 5)$x
      }
      sets[[length(sets) + 1L]] <- list(x = x, k = k, kind = kind)
    }
  }
  for (set in Filter(function(set) ncol(set$x) <= 13 && nrow(set$x) <= 600, known_tables(Inf))) {
    sets[[length(sets) + 1L]] <- c(set, kind = "tables")
  }
  figures <- vapply(sets, function(set) {
    set.seed(1)
    time <- system.time(choice <- suppressWarnings(suppressMessages(select_k(set$x, standardize = "within"))))[[1L]]
    table <- choice$table
    # k^2 |S_W|, with W in place of the determinant
    marriott <- table$k[which.min(2 * qr(set$x)$rank * log(table$W) + 2 * log(table$k))]
    halves <- choice$half_choices
    c(
      choice$k == set$k, chosen_by(choice, "elbow") == set$k, chosen_by(choice, "stability") == set$k,
      marriott == set$k, marriott == max(table$k),
      sum(halves[names(halves) == set$k]) / max(1, sum(halves)), choice$p.value <= 0.05, time
    )
  }, numeric(8L))
  kind <- vapply(sets, `[[`, "", "kind")
  cat("## With a learned metric: shares, and mean seconds\n\n")
  header(c(
    "sets", "default right", "elbow right", "stability right", "Marriott right", "Marriott largest", "halves right",
    "p at most .05", "seconds"
  ))
  for (one in unique(kind)) line(
    c(sprintf("%s (%d)", one, sum(kind == one)), number(rowMeans(figures[, kind == one, drop = FALSE])))
  )
  cat("\n")
}

# ---- a sample beside all rows ----

# a fifth of the default sample, so that all rows are compared in a second a draw
run_sample <- function(draws = 100, rows = 1000) {
  same <- vapply(seq_len(draws), function(draw) {
    set.seed(draw)
    set <- normals(sample(seq(400, 700), sample(3:6, 1L), replace = TRUE), sample(2:8, 1L), stats::runif(1, 3.5, 6))
    some <- select_k(set$x, 1:8, "elbow", rows = rows, one_cluster = FALSE)$k
    all <- select_k(set$x, 1:8, "elbow", rows = Inf, one_cluster = FALSE)$k
    c(same = some == all, sample = some == set$k, all = all == set$k, n = nrow(set$x))
  }, c(same = 0, sample = 0, all = 0, n = 0))
  count <- function(row) sum(same[row, ])
  cat(sprintf("## The choice on %d rows beside that on all rows\n\n", rows))
  cat(sprintf(
    "%d draws of 3 to 6 normal clusters in 2 to 8 dimensions, 3.5 to 6 apart, %d to %d rows, elbow ratio, k to 8: %s\n\n",
    draws, min(same["n", ]), max(same["n", ]),
    sprintf(
      "the same k in %d; right in %d by the sample and %d by all rows.", count("same"), count("sample"), count("all")
    )
  ))
}

# ---- times ----

run_times <- function() {
  cpu <- function(expr) sum(system.time(expr)[1:2])
  cat("## Seconds of CPU time of select_k(x), k to 10, two criteria and the test\n\n")
  header(c("rows x columns", "select_k(x)", "its k (5 clusters)"))
  for (n in c(1000, 5000, 1e4, 1e5)) {
    set.seed(3)
    set <- normals(rep(n / 5, 5), 10, 6)
    time <- cpu(choice <- select_k(set$x))
    line(c(sprintf("%d x 10", n), number(time, 1), choice$k))
  }
  set.seed(4)
  set <- normals(rep(200, 5), 10, 6)
  G <- exp(-as.matrix(stats::dist(set$x))^2 / 20)
  G[G < 1e-3] <- 0
  S <- Matrix::Matrix(G, sparse = TRUE)
  time <- cpu(choice <- suppressWarnings(select_k(S)))
  line(c("sparse Gram matrix of 1000", number(time, 1), choice$k))
  cat("\n")
}

given <- commandArgs(TRUE)
part <- list(sets = run_sets, within = run_within, sample = run_sample, times = run_times)[[given[1L]]]
do.call(part, as.list(as.integer(given[-1L])))
