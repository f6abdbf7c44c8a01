# Each cluster its own scatter: two prototypes, started from kgroups(x, k, standardize = "within"), beside it and mclust.
#   Rscript bench/learned-each.R      (3 minutes)
# "means": rows go to the least log det S_l / 2 + m_l / 2, m_l the Mahalanobis distance to a robust mean, S_l a scatter with
# weights |x - mean|^-1, shrunk towards the common one by d / s_l; a classification likelihood with a size term.
# "pairs": |M_l| = 1 and a variance each: rows go to the least p / 2 log v_l + e_l / v_l - log s_l / s, e_l the mean distance to
# the pairs of the cluster in its metric, M_l the scatter of its pairs. Only clusters of more than 5 d rows have their own.
library(kgroups)
source_parts <- function(file, names) {
  for (one in parse(file)) {
    if (identical(one[[1L]], quote(`<-`)) && deparse(one[[2L]])[1L] %in% names) eval(one, globalenv())
  }
}
source_parts("bench/learned.R", c("tables", "installed", "data_of", "some", "load_table", "draw"))

whitened_by <- function(x, S) x %*% solve(chol(S))

each_means <- function(x, z, k, rounds = 30) {
  n <- nrow(x)
  d <- ncol(x)
  for (round in seq_len(rounds)) {
    pooled <- Reduce(
      `+`, lapply(seq_len(k), function(l) crossprod(scale(x[z == l, , drop = FALSE], scale = FALSE)))
    ) / (n - k)
    cost <- tryCatch(vapply(seq_len(k), function(l) {
      y <- x[z == l, , drop = FALSE]
      s <- nrow(y)
      own <- if (s > 5 * d) stats::cov(y) else pooled * mean(diag(solve(pooled, stats::cov(y))))
      lambda <- min(1, d / s)
      S <- (1 - lambda) * own + lambda * pooled * exp(
        mean(log(eigen(solve(pooled, own), only.values = TRUE)$values |> Re()))
      )
      stats::mahalanobis(x, colMeans(y), S) / 2 + as.numeric(determinant(S)$modulus) / 2 - log(s / n)
    }, numeric(n)), error = function(e) NULL) # a singular scatter
    if (is.null(cost)) break
    now <- max.col(-cost, "first")
    if (min(tabulate(now, k)) <= d + 1 || all(now == z)) break
    z <- now
  }
  z
}

each_pairs <- function(x, z, k, rounds = 30) {
  n <- nrow(x)
  d <- ncol(x)
  for (round in seq_len(rounds)) {
    cost <- vapply(seq_len(k), function(l) {
      rows <- which(z == l)
      s <- length(rows)
      if (s > 200) rows <- sample(rows, 200)
      pair <- utils::combn(rows, 2)
      D <- x[pair[1L, ], , drop = FALSE] - x[pair[2L, ], , drop = FALSE]
      M <- stats::cov(x[rows, , drop = FALSE])
      if (s > 5 * d) {
        for (step in 1:4) {
          q <- sqrt(rowSums(whitened_by(D, M)^2))
          M <- crossprod(D / sqrt(pmax(q, 1e-3 * mean(q))))
          M <- (1 - d / s) * M / sum(diag(M)) + d / s * diag(d) / d
        }
      }
      M <- M / exp(as.numeric(determinant(M)$modulus) / d)
      y <- whitened_by(x, M)
      e <- rowMeans(as.matrix(stats::dist(rbind(y, y[rows, , drop = FALSE])))[seq_len(n), n + seq_along(rows)])
      v <- mean(e[z == l])^2 / (2 * d)
      pmax(e^2 - d * v, 0) / (2 * v) + d / 2 * log(v) - log(s / n)
    }, numeric(n))
    now <- max.col(-cost, "first")
    if (min(tabulate(now, k)) <= d + 1 || all(now == z)) break
    z <- now
  }
  z
}

row_for <- function(name, x, truth) {
  k <- max(truth)
  x <- scale(x)
  set.seed(1)
  z <- unname(kgroups(x, k, standardize = "within")$cluster)
  forms <- list(learned = z, means = each_means(x, z, k), pairs = each_pairs(x, z, k))
  if (installed("mclust")) forms$mclust <- mclust::Mclust(x, k, verbose = FALSE)$classification
  found <- vapply(forms, function(labels) compare_clusters(truth, labels), 0)
  if (nzchar(name)) cat("|", paste(c(name, formatC(found, 2, format = "f")), collapse = " | "), "|\n")
  invisible(found)
}
if (installed("mclust")) suppressPackageStartupMessages(library(mclust))
cat("| | learned | means | pairs | mclust |\n|---|---|---|---|---|\n")
for (name in c("thyroid", "diabetes", "crabs", "iris", "banknote", "penguins", "fish")) {
  table <- load_table(tables[[name]])
  row_for(name, table$x, table$truth)
}
for (one in list(
  list("own", 5), list("own", 2), list("own", 10), list("scale", 5), list("round", 5), list("common", 5),
  list("heavy", 5), list("uneven", 5)
)) {
  values <- rowMeans(vapply(4000 + 1:8, function(seed) {
    set.seed(seed)
    o <- do.call(draw, c(one, list(apart = 3.5)))
    row_for("", o$x, o$truth)
  }, numeric(4L)))
  cat("|", paste(c(paste(unlist(one), collapse = ", "), formatC(values, 2, format = "f")), collapse = " | "), "|\n")
}
