# Shares that trim = "auto" takes of data without noise whose values repeat (counts, zeros, grids, rounded numbers), and of the
# same data with one row in twenty far away; and of exponential rows.
#   Rscript bench/trim-discrete.R > bench/trim-discrete.md     (1 minute)

suppressMessages(library(kgroups))
options(rlib_message_verbosity = "quiet")
n <- 200
designs <- list(
  "zeros and normals" = function() c(rep(0, 120), rnorm(80)),
  "half zeros, two columns" = function() cbind(rnorm(n) * rbinom(n, 1, .5), rnorm(n)),
  "zeros, exponential" = function() cbind(rexp(n) * rbinom(n, 1, .4), rexp(n) * rbinom(n, 1, .6)),
  "Poisson .3, two columns" = function() cbind(rpois(n, .3), rpois(n, .3)),
  "Poisson 1, two columns" = function() cbind(rpois(n, 1), rpois(n, 1)),
  "Poisson 1, five columns" = function() matrix(rpois(5 * n, 1), n),
  "Poisson 5, two columns" = function() cbind(rpois(n, 5), rpois(n, 5)),
  "Poisson 2, one column" = function() rpois(n, 2),
  "geometric" = function() rgeom(n, .5),
  "grid of six points" = function() cbind(rep(0:1, 100), rep(0:3, 50)),
  "grid of 25 points" = function() as.matrix(expand.grid(1:5, 1:5))[rep(1:25, 8), ],
  "five items, 1 to 5" = function() matrix(sample(5, 5 * n, TRUE), n),
  "ten items, 1 to 4, two groups" = function() matrix(
    pmin(4, pmax(1, round(rnorm(10 * n, rep(c(1.7, 3.3), n / 2), .8)))), n
  ),
  "four 0/1 columns" = function() matrix(rbinom(4 * n, 1, .4), n),
  "ten 0/1 columns" = function() matrix(rbinom(10 * n, 1, .2), n),
  "rounded normals, two groups" = function() round(cbind(rnorm(n, rep(c(0, 5), 100)), rnorm(n))),
  "rounded to halves" = function() round(2 * cbind(rnorm(n), rnorm(n))) / 2,
  "uniform integers" = function() cbind(sample(10, n, TRUE), sample(10, n, TRUE)),
  "insect sprays" = function() InsectSprays,
  "warp breaks" = function() warpbreaks
)
share <- function(x, k) mean(suppressMessages(suppressWarnings(kgroups(x, k, trim = "auto")))$noise)
far <- function(x) {
  x <- as.matrix(x)
  storage.mode(x) <- "double"
  size <- apply(x, 2, function(v) diff(range(v)))
  out <- seq_len(nrow(x) %/% 20)
  x[out, ] <- x[out, ] + 8 * rep(size, each = length(out)) * sign(rnorm(length(out)))
  list(x = x, out = out)
}
cat("# trim = \"auto\" on values that repeat\n\n")
cat("Shares trimmed without noise, the largest of three sets; and of one set with 1 row in 20 moved by eight ranges: share of these found, and of the others trimmed.\n\n")
cat("| data | k = 1 | k = 2 | k = 3 | found | others |\n|---|---|---|---|---|---|\n")
for (one in names(designs)) {
  set.seed(1)
  sets <- lapply(1:3, function(i) designs[[one]]())
  clean <- vapply(1:3, function(k) max(vapply(sets, share, 0, k = k)), 0)
  noisy <- if (is.data.frame(sets[[1]])) NULL else far(sets[[1]])
  noise <- if (!is.null(noisy)) kgroups(noisy$x, 2, trim = "auto")$noise
  cat(sprintf(
    "| %s | %s | %s |\n", one, paste(sprintf("%.3f", clean), collapse = " | "),
    if (is.null(noise)) " | " else sprintf("%.2f | %.3f", mean(noise[noisy$out]), mean(noise[-noisy$out]))
  ))
}
cat("\nShares trimmed of 200 exponential rows at k = 2, in 200 samples:\n\n| columns | mean | largest |\n|---|---|---|\n")
for (p in 1:2) {
  set.seed(5)
  shares <- replicate(200, share(matrix(rexp(200 * p), 200), 2))
  cat(sprintf("| %d | %.3f | %.3f |\n", p, mean(shares), max(shares)))
}
