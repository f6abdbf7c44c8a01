# Level and power of cluster_test(): share of p <= .05 on ten single clouds and on groups of known distance.
#   Rscript bench/cluster-test.R [samples] > bench/cluster-test.md
suppressPackageStartupMessages(library(kgroups))
samples <- as.integer(c(commandArgs(TRUE), 500)[1])
test <- getFromNamespace("dip_test_halves", "kgroups")
as_problem <- getFromNamespace("as_problem", "kgroups")
reference <- getFromNamespace("dip_reference", "kgroups")()

share <- function(draw) {
  p <- replicate(samples, {
    x <- draw()
    test(as_problem(x), x, 5, reference)$p.value
  })
  mean(p <= 0.05)
}
normal <- function(n, d) matrix(rnorm(n * d), n)
groups <- function(sizes, d, gap, draw = normal) {
  x <- draw(sum(sizes), d)
  x[, 1] <- x[, 1] + gap * rep(seq_along(sizes) - 1, sizes)
  x
}
ball <- function(n, d) {
  x <- normal(n, d)
  x / sqrt(rowSums(x^2)) * runif(n)^(1 / d)
}
nulls <- list(
  "uniform, 1 column" = function() matrix(runif(100), 100),
  "normal, 2 columns" = function() normal(100, 2),
  "normal, 10 columns" = function() normal(100, 10),
  "normal, one column 10 times as wide" = function() normal(100, 3) %*% diag(c(10, 1, 1)),
  "t with 3 degrees of freedom" = function() matrix(rt(300, 3), 100),
  "exponential" = function() matrix(rexp(200), 100),
  "lognormal" = function() matrix(rlnorm(200), 100),
  "uniform square" = function() matrix(runif(200), 100),
  "uniform cube" = function() matrix(runif(300), 100),
  "disc" = function() ball(100, 2),
  "normal, correlation 0.9" = function() normal(100, 2) %*% chol(matrix(c(1, 0.9, 0.9, 1), 2))
)
others <- list(
  "two normals, 2 columns, 3 apart" = function() groups(c(100, 100), 2, 3),
  "two normals, 2 columns, 4 apart" = function() groups(c(100, 100), 2, 4),
  "two normals, 2 columns, 5 apart" = function() groups(c(100, 100), 2, 5),
  "two normals, 10 columns, 4 apart" = function() groups(c(100, 100), 10, 4),
  "two normals, 10 columns, 5 apart" = function() groups(c(100, 100), 10, 5),
  "170 and 30 of two normals, 6 apart" = function() groups(c(170, 30), 2, 6),
  "170 and 30 of two normals, 5 apart" = function() groups(c(170, 30), 2, 5),
  "three normals in a row, 4 apart" = function() groups(c(70, 70, 60), 2, 4),
  "two t with 3 degrees of freedom, 6 apart" = function() groups(
    c(100, 100), 2, 6, function(n, d) matrix(rt(n * d, 3), n)
  ),
  "iris, half of the rows" = function() as.matrix(iris[sample(150, 75), 1:4])
)
set.seed(20261125)
cat("# Level and power of cluster_test()\n\nShare of p <= .05 in", samples, "samples (`bench/cluster-test.R`).\n\n")
cat("| one cloud, 100 rows | share |\n|---|---|\n")
for (name in names(nulls)) cat(sprintf("| %s | %.3f |\n", name, share(nulls[[name]])))
cat("\n| clusters, 200 rows | share |\n|---|---|\n")
for (name in names(others)) cat(sprintf("| %s | %.2f |\n", name, share(others[[name]])))

# Rounded values: the table, its distances and its Gram matrix.
set.seed(20261129)
rounded <- list(
  "normal, 2 columns, whole numbers" = function() round(normal(100, 2)),
  "normal, 5 columns, sd .7, whole numbers" = function() round(0.7 * normal(100, 5)),
  "normal, 2 columns, halves" = function() round(2 * normal(100, 2)) / 2,
  "exponential, whole numbers" = function() round(matrix(rexp(200), 100)),
  "Poisson, mean 2" = function() matrix(rpois(200, 2), 100),
  "three coins" = function() matrix(rbinom(300, 1, 0.5), 100),
  "one normal, one in whole numbers" = function() cbind(rnorm(100), round(rnorm(100)))
)
forms <- list(table = identity, distances = dist, Gram = function(x) as_gram(tcrossprod(x)))
cat("\nRounded values, 100 rows,", samples %/% 5, "samples:\n\n|", paste(c("one cloud", names(forms)), collapse = " | "), "|\n|---|---|---|---|\n")
for (name in names(rounded)) {
  p <- replicate(samples %/% 5, {
    x <- rounded[[name]]()
    vapply(forms, function(form) cluster_test(form(x))$p.value, 0)
  })
  cat("|", name, "|", paste(sprintf("%.2f", rowMeans(p <= 0.05)), collapse = " | "), "|\n")
}
