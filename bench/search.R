# Searches on fresh problems: W of the default beside 60 restarts and another installation, and CPU time.
#
#   Rscript bench/search.R run OUT FROM TO [LIBRARY] [starts] [tails|t|many]   appends W and seconds of problems FROM to TO to OUT
#   Rscript bench/search.R table OUT REFERENCE ...              tables of OUT beside files that `run` has written
#
# `starts`: also ten and sixty restarts of k-means++ with one local search each. `tails`: problems of heavy tails and few clusters;
# `t`: those of draw_t(); `many`: those of draw_many().

kinds <- list(
  mixture = function(n, d, k) centres(d, k, 4)[sample(k, n, TRUE), , drop = FALSE] + stats::rnorm(n * d),
  overlap = function(n, d, k) centres(d, k, 1.5)[sample(k, n, TRUE), , drop = FALSE] + stats::rnorm(n * d),
  uneven = function(n, d, k) {
    centres(d, k, 4)[sample(k, n, TRUE, stats::rexp(k)^2), , drop = FALSE] + stats::rnorm(n * d)
  },
  scales = function(n, d, k) {
    label <- sample(k, n, TRUE)
    centres(d, k, 4)[label, , drop = FALSE] + stats::rnorm(n * d) * stats::rexp(k)[label]
  },
  t2 = function(n, d, k) matrix(stats::rt(n * d, 2), n),
  t3 = function(n, d, k) centres(d, k, 4)[sample(k, n, TRUE), , drop = FALSE] + stats::rt(n * d, 3),
  lognormal = function(n, d, k) matrix(stats::rlnorm(n * d), n),
  uniform = function(n, d, k) matrix(stats::runif(n * d), n),
  rings = function(n, d, k) {
    angle <- stats::runif(n, 0, 2 * pi)
    x <- cbind(cos(angle), sin(angle)) * sample(5, n, TRUE) + stats::rnorm(2 * n, sd = 0.1)
    if (d > 2) cbind(x, matrix(stats::rnorm(n * (d - 2), sd = 0.1), n)) else x
  },
  grid = function(n, d, k) {
    side <- ceiling(sqrt(k))
    as.matrix(expand.grid(1:side, 1:side))[sample(side^2, n, TRUE), ] + stats::rnorm(2 * n, sd = 0.15)
  },
  stretched = function(n, d, k) {
    (centres(d, k, 3)[sample(k, n, TRUE), , drop = FALSE] + stats::rnorm(n * d)) %*% matrix(stats::rnorm(d * d), d)
  },
  noise = function(n, d, k) {
    x <- centres(d, k, 5)[sample(k, n, TRUE), , drop = FALSE] + stats::rnorm(n * d)
    far <- sample(n, n %/% 10)
    x[far, ] <- stats::runif(length(far) * d, -20, 20)
    x
  },
  counts = function(n, d, k) matrix(stats::rpois(n * d, stats::rgamma(n * d, 1)), n),
  sparse = function(n, d, k) sparse_blocks(n, k)
)

centres <- function(d, k, apart) matrix(stats::rnorm(d * k, sd = apart), k)

# A sparse Gram matrix: the adjacency matrix of blocks, with the degrees on its diagonal.
sparse_blocks <- function(n, k) {
  label <- sample(k, n, TRUE)
  edges <- 6 * n
  i <- sample(n, edges, TRUE)
  j <- sample(n, edges, TRUE)
  keep <- i < j & (label[i] == label[j] | stats::runif(edges) < 0.15)
  A <- Matrix::sparseMatrix(i[keep], j[keep], x = 1, dims = c(n, n), symmetric = TRUE)
  A@x[] <- 1
  A + Matrix::Diagonal(x = Matrix::colSums(A) + 1)
}

# Problem number `seed`: list(x, k, semimetric, weights, kind, form, n, d).
draw_problem <- function(seed) {
  set.seed(1e5 + seed)
  kind <- names(kinds)[(seed - 1) %% length(kinds) + 1]
  n <- round(exp(stats::runif(1, log(50), log(if (seed %% 4 == 0) 20000 else 3000))))
  k <- min(round(exp(stats::runif(1, log(2), log(100)))), n %/% 8)
  d <- if (kind == "grid") 2 else sample(c(1, 2, 2, 3, 4, 5, 8, 10, 20, 50), 1)
  if (kind == "rings") d <- max(2, d)
  x <- kinds[[kind]](n, d, k)
  form <- if (kind == "sparse") {
    "sparse"
  } else if (n > 4000) {
    "points"
  } else {
    sample(c("points", "dist", "gram"), 1, prob = c(7, 2, 1))
  }
  semimetric <- sample(list(
    kgroups::rho_power(0.5), kgroups::rho_power(1), kgroups::rho_power(1), kgroups::rho_power(1.5),
    kgroups::rho_power(2),
    kgroups::rho_exponential(), kgroups::rho_gaussian()
  ), 1)[[1]]
  weights <- if (stats::runif(1) < 0.15) sample(1:4, n, TRUE)
  if (form == "dist") x <- stats::dist(x)
  if (form == "gram") x <- kgroups::as_gram(tcrossprod(x))
  list(x = x, k = k, semimetric = semimetric, weights = weights, kind = kind, form = form, n = n, d = d)
}

# The same, of heavy tails and few clusters.
draw_tails <- function(seed) {
  set.seed(7e5 + seed)
  n <- round(exp(stats::runif(1, log(1500), log(9000))))
  d <- sample(2:10, 1)
  k <- sample(2:7, 1)
  df <- stats::runif(1, 1.5, 3.5)
  power <- sample(c(0.5, 1, 1, 1, 1.5), 1)
  kind <- c("t", "lognormal", "mixture")[seed %% 3 + 1]
  x <- switch(kind,
    t = matrix(stats::rt(n * d, df), n),
    lognormal = matrix(exp(stats::rnorm(n * d, sd = stats::runif(1, 0.7, 1.3))), n),
    mixture = matrix(stats::rnorm(4 * d, sd = 3), 4)[sample(4, n, TRUE), ] + stats::rt(n * d, df)
  )
  list(x = x, k = k, semimetric = kgroups::rho_power(power), weights = NULL, kind = kind, form = "points", n = n, d = d)
}

# t with 2 to 3 degrees of freedom, with or without clusters, in two to four clusters: where few members are judged by W.
draw_t <- function(seed) {
  set.seed(9e5 + seed)
  n <- round(exp(stats::runif(1, log(3000), log(8000))))
  d <- sample(2:10, 1)
  k <- sample(2:4, 1)
  x <- matrix(stats::rt(n * d, stats::runif(1, 2, 3)), n)
  kind <- c("t", "mixture")[seed %% 2 + 1]
  if (kind == "mixture") x <- x + centres(d, k, 3)[sample(k, n, TRUE), ]
  semimetric <- sample(list(
    kgroups::rho_power(0.5), kgroups::rho_power(1), kgroups::rho_power(1.5), kgroups::rho_exponential(),
    kgroups::rho_gaussian()
  ), 1)[[1]]
  list(x = x, k = k, semimetric = semimetric, weights = NULL, kind = kind, form = "points", n = n, d = d)
}

# Many clusters of points.
draw_many <- function(seed) {
  set.seed(3e5 + seed)
  n <- round(exp(stats::runif(1, log(2000), log(20000))))
  k <- min(round(exp(stats::runif(1, log(100), log(500)))), n %/% 12)
  d <- sample(2:10, 1)
  kind <- c("mixture", "overlap", "uneven", "t3", "uniform", "noise")[seed %% 6 + 1]
  x <- kinds[[kind]](n, d, k)
  semimetric <- sample(list(kgroups::rho_power(1), kgroups::rho_power(1.5), kgroups::rho_gaussian()), 1)[[1]]
  list(x = x, k = k, semimetric = semimetric, weights = NULL, kind = kind, form = "points", n = n, d = d)
}

# W and seconds of one method on one problem.
solve_one <- function(problem, seed, ...) {
  set.seed(seed)
  input <- list(problem$x, problem$k, weights = problem$weights, ...)
  if (problem$form %in% c("points", "dist")) input$semimetric <- problem$semimetric
  gc(FALSE)
  time <- system.time(fit <- suppressMessages(suppressWarnings(do.call(kgroups::kgroups, input))))
  data.frame(W = fit$W, seconds = sum(time[c(1, 2)]))
}

run <- function(out, from, to, library = NULL, starts = FALSE, draw = draw_problem) {
  loadNamespace("kgroups", lib.loc = library)
  methods <- list(default = list())
  if (starts) {
    methods <- c(
      methods, list(ten = list(init = "kmeans++", nstart = 10), sixty = list(init = "kmeans++", nstart = 60))
    )
  }
  for (seed in from:to) {
    problem <- draw(seed)
    for (name in names(methods)) {
      found <- do.call(solve_one, c(list(problem, seed), methods[[name]]))
      row <- cbind(seed, problem[c("kind", "form", "n", "d", "k")] |> as.data.frame(), method = name, found)
      utils::write.table(
        row, out, append = file.exists(out), col.names = !file.exists(out), row.names = FALSE, sep = ","
      )
    }
  }
}

# Excess over the best of all (1e-4), and seconds as shares of those of the reference's default and of ten restarts.
table_of <- function(out, references) {
  new <- utils::read.csv(out)
  new <- new[new$method == "default", ]
  old <- do.call(rbind, lapply(references, utils::read.csv))
  base <- old[old$method == "default", ]
  seeds <- intersect(new$seed, base$seed)
  new <- new[match(seeds, new$seed), ]
  base <- base[match(seeds, base$seed), ]
  ten <- old[old$method == "ten", ]
  ten <- ten[match(seeds, ten$seed), ]
  best <- vapply(seeds, function(seed) min(old$W[old$seed == seed], new$W[new$seed == seed]), 0)
  excess <- function(W) 1e4 * pmax(W - best, 0) / pmax(abs(best), 1e-300)
  rows <- data.frame(
    kind = new$kind, form = new$form, new = excess(new$W), base = excess(base$W), time = new$seconds,
    base_time = base$seconds,
    ten_time = ten$seconds, n = cut(new$n, c(0, 300, 1000, 5000, Inf)), k = cut(new$k, c(0, 10, 20, 40, Inf)),
    seed = seeds,
    rows = new$n, clusters = new$k, d = new$d
  )
  summary_of <- function(rows) {
    ratio <- (rows$time + 0.005) / (rows$base_time + 0.005)
    data.frame(
      problems = nrow(rows), new = mean(rows$new), worst = max(rows$new), base = mean(rows$base),
      base_worst = max(rows$base),
      total = sum(rows$time) / sum(rows$base_time), geometric = exp(mean(log(ratio))), slowest = max(ratio),
      ten = sum(rows$time) / sum(rows$ten_time)
    )
  }
  show <- function(groups) print(do.call(rbind, lapply(split(rows, groups, drop = TRUE), summary_of)), digits = 3)
  show(rep("all", nrow(rows)))
  show(rows$n)
  show(rows$k)
  show(rows$kind)
  show(rows$form)
  worst <- rows[order(-rows$new), ][1:12, c(
    "seed", "kind", "form", "rows", "clusters", "d", "new", "base", "time", "base_time", "ten_time"
  )]
  print(worst, digits = 3, row.names = FALSE)
  slow <- rows[order(-rows$time / (rows$base_time + 0.005)), ][1:12, c(
    "seed", "kind", "form", "rows", "clusters", "d", "new", "base", "time", "base_time", "ten_time"
  )]
  print(slow, digits = 3, row.names = FALSE)
}

options(width = 130)
arguments <- commandArgs(TRUE)
if (length(arguments) > 3L && arguments[1L] == "run") {
  draws <- list(tails = draw_tails, t = draw_t, many = draw_many)
  library <- setdiff(arguments[-(1:4)], c("starts", names(draws)))
  draw <- c(draws[intersect(names(draws), arguments)], draw_problem)[[1L]]
  run(
    arguments[2L], as.integer(arguments[3L]), as.integer(arguments[4L]), if (length(library)) library,
    "starts" %in% arguments, draw
  )
} else if (length(arguments) > 2L && arguments[1L] == "table") {
  table_of(arguments[2L], arguments[-(1:2)])
}
