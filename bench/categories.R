# User CPU of fits with and without a column of many categories: Rscript bench/categories.R
# 4000 rows of 4 numbers, 5 clusters. `codes` compares categories by code, `coordinates` has one for each.

library(kgroups)
internal <- asNamespace("kgroups")
unlockBinding("many_categories", internal)

user <- function(x, from = 50L) {
  assign("many_categories", from, internal)
  time <- replicate(
    5, system.time(suppressWarnings(suppressMessages(kgroups(x, 5, standardize = TRUE))))[["user.self"]]
  )
  min(time)
}

set.seed(1)
n <- 4000
numbers <- list(
  separated = as.data.frame(matrix(rnorm(4 * n), n) + 4 * rep(1:5, length.out = n)),
  noise = as.data.frame(matrix(rnorm(4 * n), n))
)
for (kind in names(numbers)) {
  x <- numbers[[kind]]
  cat(sprintf("%-9s without: %.3f s\n", kind, user(x)))
  for (levels in c(20, 50, 100, 500)) {
    x$code <- factor(sample(levels, n, TRUE))
    cat(sprintf("%-9s %3d levels: codes %.3f s, coordinates %.3f s\n", kind, levels, user(x, 2L), user(x, Inf)))
  }
}
