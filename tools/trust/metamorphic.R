# Changes that must not change an answer, or must change it as reported, on random problems: duplicates with
# half weights, rows repeated by their weights, rows of weight 0, shifts, scales of data and of weights, permutations, constant
# columns, renamed columns, more starts. Prints what differs, ends with code 1 if anything did.
#   Rscript tools/trust/metamorphic.R [--calls 200] [--seed 1] [--record yes]
source("tools/trust/common.R")
suppressPackageStartupMessages(library(kgroups))
source("tests/testthat/helper-units.R")

calls <- argument("calls", 200)
seed <- argument("seed", 1)
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
options(rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet")

# A fit from labels, and what is reported of labels: W, within, g of the statistics, labels, W, d2 of the fit.
answers <- function(x, k, labels, rho, weights = NULL, rows = seq_len(NROW(x)), same_path = TRUE) {
  statistics <- energy_statistics(x, labels, rho, weights)
  out <- list(W = statistics$W, S = statistics$S, within = unname(statistics$within), g = unname(unclass(statistics$g)))
  # a weight is a number of equal rows; the pairs of label and weight are permuted, by the same draws
  set.seed(1)
  test <- energy_test(x, factor(labels), rho, weights, R = 19)
  out$test <- unname(test$statistic)
  if (same_path) {
    out$p <- test$p.value
    fit <- kgroups(x, k, semimetric = rho, weights = weights, init = labels)
    out <- c(out, list(
      fit = fit$W, total = fit$total, cluster = unname(fit$cluster)[rows],
      d2 = unname(predict(fit, type = "squared"))[rows, , drop = FALSE], new = unname(predict(fit, x))[rows]
    ))
  }
  out
}

unscaled <- c("cluster", "new", "p")

# Differences of two such lists, `units` of W, S, ... undone; d2 is held against the largest pairwise dissimilarity.
differ <- function(one, two, unit, unit_w, tolerance) {
  two <- Map(function(value, name) {
    if (name %in% unscaled) value else value / unit / (if (name %in% c("g", "d2")) 1 else unit_w)
  }, two, names(two))
  size <- max(abs(one$g), 1e-300)
  shared <- intersect(names(one), names(two))
  gaps <- vapply(shared, function(name) {
    a <- one[[name]]
    scale <- if (name %in% c("g", "d2")) size else if (name %in% unscaled) 1 else abs(one$W + one$S)
    max(abs(a - two[[name]])) / scale
  }, 0)
  shared[!(gaps <= tolerance)]
}

relations <- list(
  repeated = function(p) {
    times <- round(p$w)
    if (any(times != p$w) || max(times) > 4) {
      return(list())
    }
    rows <- rep(seq_len(p$n), times)
    list(x = p$x[rows, , drop = FALSE], labels = p$labels[rows], w = rep(1, length(rows)), same_path = FALSE)
  },
  halves = function(p) list(
    x = rbind(p$x, p$x), labels = c(p$labels, p$labels), w = c(p$w, p$w) / 2, same_path = FALSE
  ),
  nothing = function(p) {
    far <- p$x[sample.int(p$n, 3, TRUE), , drop = FALSE] + 100
    list(x = rbind(p$x, far), labels = c(p$labels, 1, 1, 1), w = c(p$w, 0, 0, 0))
  },
  shift = function(p) {
    by <- 10^stats::runif(1, 0, 6)
    list(x = p$x + by, tolerance = max(1e-9, 1e-13 * by))
  },
  scale = function(p) {
    factor <- 2^sample(-300:300, 1)
    if (is.null(p$alpha)) list() else list(x = p$x * factor, unit = factor^p$alpha)
  },
  weights = function(p) {
    factor <- 2^sample(-300:300, 1)
    list(w = p$w * factor, unit_w = factor)
  },
  permuted = function(p) {
    order <- sample.int(p$n)
    list(x = p$x[order, , drop = FALSE], labels = p$labels[order], w = p$w[order], same_path = FALSE)
  },
  constant = function(p) list(x = cbind(p$x, 17)),
  renamed = function(p) {
    x <- p$x
    dimnames(x) <- list(sample(paste("{row}", seq_len(p$n))), paste0("%s", seq_len(ncol(x))))
    list(x = x)
  },
  columns = function(p) list(x = p$x[, sample.int(ncol(p$x)), drop = FALSE]),
  relabelled = function(p) list(labels = letters[p$labels])
)

found <- 0
requested <- 0
report <- function(problem, ...) {
  found <<- found + 1
  cat("problem", problem, ..., "\n")
}
for (call in seq_len(calls)) {
  set.seed(seed * 1e6 + call)
  k <- sample(2:5, 1)
  n <- sample(seq(3 * k, 40), 1)
  d <- sample(c(1, 2, 3, 5, 9), 1)
  labels <- sample(rep_len(seq_len(k), n))
  labels <- match(labels, unique(labels))
  p <- list(
    n = n, x = matrix(stats::rnorm(n * d), n) + 2 * labels, labels = labels,
    w = switch(sample(3, 1), rep(1, n), as.numeric(sample(4, n, TRUE)), 10^stats::runif(n, 0, sample(c(0.5, 3), 1))),
    alpha = sample(list(1, 1, 0.5, 1.5, 2, NULL), 1)[[1L]]
  )
  if (stats::runif(1) < 0.2) p$x <- round(p$x)
  rho <- if (is.null(p$alpha)) rho_gaussian(2) else rho_power(p$alpha)
  ask <- function(x = p$x, labels = p$labels, w = p$w, same_path = TRUE) {
    tryCatch(
      suppressMessages(suppressWarnings(answers(x, k, labels, rho, w, seq_len(n), same_path))),
      error = function(e) list(failed = conditionMessage(e))
    )
  }
  first <- ask()
  if (!is.null(first$failed)) {
    report(seed * 1e6 + call, first$failed)
    next
  }
  for (name in names(relations)) {
    change <- relations[[name]](p)
    requested <- requested + 1
    given <- change[intersect(names(change), c("x", "labels", "w", "same_path"))]
    second <- do.call(ask, given)
    if (!is.null(second$failed)) {
      report(seed * 1e6 + call, name, second$failed)
      next
    }
    tolerance <- if (is.null(change$tolerance)) 1e-9 else change$tolerance
    unit <- if (is.null(change[["unit"]])) 1 else change[["unit"]]
    wrong <- differ(first, second, unit, if (is.null(change$unit_w)) 1 else change$unit_w, tolerance)
    # far from 0 a tie may fall the other way
    if (name == "shift" && change$tolerance > 1e-9) wrong <- setdiff(wrong, c("cluster", "new", "fit", "d2", "p"))
    if (length(wrong)) report(seed * 1e6 + call, name, paste(wrong, collapse = ", "))
  }
  # more starts, the same first of them: never worse
  requested <- requested + 1
  W <- vapply(c(1, 4), function(nstart) {
    set.seed(call)
    suppressMessages(kgroups(p$x, k, semimetric = rho, weights = p$w, init = p$labels, nstart = nstart)$W)
  }, 0)
  if (W[2L] > W[1L] + 1e-9 * first$W) report(seed * 1e6 + call, "more starts", format(W))
}
# every function of weights, distances and edges: names in another order, and values times a constant
for (call in seq_len(ceiling(calls / 20))) {
  set.seed(seed * 1e6 + call)
  x <- matrix(
    stats::rnorm(80), 40, dimnames = list(paste0("r", 1:40), c("a", "b"))
  ) + rep(c(0, stats::runif(1, 1, 4)), each = 20)
  w <- stats::setNames(stats::rexp(40) + 0.1, rownames(x))
  shuffled <- w[sample.int(40)]
  unit <- 10^stats::runif(1, -6, 6)
  alike <- function(name, ...) {
    requested <<- requested + 1
    answers <- lapply(list(...), function(one) tryCatch(one(), error = conditionMessage))
    if (!isTRUE(all.equal(answers[[1L]], answers[[2L]], tolerance = 1e-5))) {
      report(seed * 1e6 + call, name, format(unit))
    }
  }
  for (name in names(functions_of_weights)) {
    f <- functions_of_weights[[name]]
    alike(paste(name, "weights"), function() quiet_answer(f, x, w), function() quiet_answer(f, x, w * unit))
    if (name != "one_column") {
      alike(paste(name, "names"), function() quiet_answer(f, x, w), function() quiet_answer(f, x, shuffled))
    }
  }
  for (name in names(functions_of_distances)) {
    f <- functions_of_distances[[name]]
    for (form in list(x, stats::dist(x))) alike(
      name, function() quiet_answer(f, form), function() quiet_answer(f, form * unit)
    )
  }
  network <- weighted_graph(60)
  for (name in names(functions_of_graphs)) {
    f <- functions_of_graphs[[name]]
    alike(
      name, function() quiet_answer(f, network$graph(1), network$A),
      function() quiet_answer(f, network$graph(unit), network$A * unit)
    )
  }
}
cat(calls, "problems,", requested, "relations,", found, "differences\n")
record("metamorphic.R", sprintf("%d problems, %d relations", calls, requested), found)
quit(status = as.integer(found > 0))
