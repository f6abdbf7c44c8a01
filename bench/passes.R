# Descents from random labels, with first visits to a part of the observations (src/ffi_leap.c)
# and without: W and CPU seconds from the same starts. About a minute of CPU time. Then energy from
# the same starts, if it is there. Then the bare pass in single precision (floor.c, needs a C compiler).
#   Rscript bench/passes.R > bench/passes.md           or the later parts alone, at its end:
#   Rscript bench/passes.R energy >> bench/passes.md
#   Rscript bench/passes.R single >> bench/passes.md

library(kgroups)
inner <- asNamespace("kgroups")
beside_energy <- function() {
  if (!requireNamespace("energy", quietly = TRUE)) return(invisible())
  cat("\n## The same start: energy::kgroups()\n\n")
  cat("n = 1000, d = 10, mixtures of k normals; CPU milliseconds a fit, the least of 5 runs for each of 3 starts.\n\n")
  cat("| k | energy | kgroups | times as fast |\n|---|---|---|---|\n")
  for (k in c(5, 10)) {
    set.seed(1)
    x <- matrix(rnorm(k * 10), k)[sample(k, 1000, TRUE), ] + rnorm(10000)
    starts <- replicate(3, sample(k, 1000, TRUE))
    ours <- theirs <- numeric()
    for (start in 1:3) {
      one <- function(code, many) min(replicate(5, sum(system.time(for (i in seq_len(many)) code())[1:2]))) / many
      ours[start] <- one(function() kgroups(x, k, init = starts[, start]), 20)
      theirs[start] <- one(function() energy::kgroups(x, k, cluster = starts[, start]), 1)
    }
    cat(sprintf("| %d | %.0f | %.2f | %.0f to %.0f |\n", k, 1e3 * mean(theirs), 1e3 * mean(ours),
      min(theirs / ours), max(theirs / ours)))
  }
}
single_precision <- function() {
  here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
  program <- tempfile()
  system2("cc", c("-O3", "-march=native", "-o", program, file.path(here, "floor.c"), "-lm"))
  pass <- function(...) as.numeric(strsplit(system2(program, c(...), stdout = TRUE), " ")[[1L]][1L])
  cat("\n## A pass in single precision\n\nThe bare pass of `floor.c`, CPU seconds, the least of 5.\n\n")
  cat("| n | d | double | single | ratio |\n|---|---|---|---|---|\n")
  for (size in list(c(10000, 2), c(10000, 10), c(10000, 50), c(40000, 10))) {
    double <- pass(size, 5)
    single <- pass(size, 5, "single")
    cat(sprintf("| %d | %d | %.4f | %.4f | %.2f |\n", size[1L], size[2L], double, single, single / double))
  }
  cat(paste0(
    "\nIt is not used. A fit reports the total dispersion, the sum over all pairs: in double precision that is one more bare\n",
    "pass, so a fit would cost the sum of the two, and the aim was .75. Without the total W of the labels would still need the\n",
    "pairs within clusters (1 / k of a pass) in double precision, and moves near the error bound their rows, beside what\n",
    "sums over clusters and the moves cost today; and a second row of loops for every shape.\n"
  ))
}
part <- commandArgs(TRUE)
if (identical(part, "energy") || identical(part, "single")) {
  if (part == "energy") beside_energy() else single_precision()
  quit()
}
kinds <- list(
  "overlapping normals" = function(n, d, k) matrix(rnorm(k * d), k)[sample(k, n, TRUE), ] + rnorm(n * d),
  "normals apart" = function(n, d, k) matrix(rnorm(k * d, sd = 3), k)[sample(k, n, TRUE), ] + rnorm(n * d),
  "uneven sizes" = function(n, d, k) {
    matrix(rnorm(k * d, sd = 2), k)[sample(k, n, TRUE, prob = seq_len(k)^2), ] + rnorm(n * d)
  },
  "lognormal" = function(n, d, k) exp(matrix(rnorm(n * d), n)),
  "uniform" = function(n, d, k) matrix(runif(n * d), n),
  "t(2)" = function(n, d, k) matrix(rt(n * d, 2), n)
)
sizes <- list(
  c(1000, 10, 10), c(1000, 2, 5), c(2000, 3, 8), c(3000, 5, 20), c(5000, 10, 10), c(4000, 20, 3), c(6000, 2, 50)
)
semimetrics <- list(rho_power(1), rho_power(0.5), rho_gaussian(2), rho_power(2))
starts <- 6

descend <- function(problem, k, start, leap) {
  time <- sum(system.time(
    fit <- inner$descend(problem, k, matrix(start), inner$new_control(k), leap = leap)
  )[1:2])
  c(fit$objectives, fit$moves, time)
}
set.seed(1)
rows <- NULL
for (problem in seq_len(42)) {
  size <- sizes[[(problem - 1) %% length(sizes) + 1]]
  kind <- (problem - 1) %% length(kinds) + 1
  x <- kinds[[kind]](size[1L], size[2L], size[3L])
  weights <- if (problem %% 4 == 0) rexp(size[1L]) + 0.1
  object <- inner$as_problem(x, semimetrics[[problem %% 5 %% 4 + 1]], weights)
  for (start in seq_len(starts)) {
    labels <- sample(size[3L], size[1L], TRUE)
    plain <- descend(object, size[3L], labels, FALSE)
    leap <- descend(object, size[3L], labels, TRUE)
    rows <- rbind(rows, data.frame(
      problem, kind = names(kinds)[kind], n = size[1L], k = size[3L], change = 1e4 * (leap[1L] / plain[1L] - 1),
      plain = plain[3L], leap = leap[3L], moves = plain[2L] / size[1L], left = leap[2L] / size[1L]
    ))
  }
}
one <- tapply(rows$change, rows$problem, mean)
cat("# Descents from random labels\n\n")
cat(sprintf(
  "Made by `bench/passes.R`: %d problems, %d random starts each, weights in every fourth.\n\n", length(one), starts
))
cat(sprintf(
  paste(
    "W with first visits to a part against W without, in 1e-4: mean %.1f (standard error over problems %.1f),",
    "median of the problems' means %.2g, median of all %.2g; lower %.0f %%, higher %.0f %%.\n\n"
  ),
  mean(one), sd(one) / sqrt(length(one)), median(one), median(rows$change),
  100 * mean(rows$change < -1e-5), 100 * mean(rows$change > 1e-5)
))
cat("| | W, mean change in 1e-4 | CPU time, of the plain descent | moves an observation: plain, left |\n|---|---|---|---|\n")
for (by in c("kind", "n", "k")) {
  for (part in split(rows, factor(rows[[by]], unique(rows[[by]])))) {
    name <- if (by == "kind") part$kind[1L] else paste(by, "=", part[[by]][1L])
    cat(sprintf(
      "| %s | %.1f | %.2f | %.2f, %.2f |\n", name, mean(part$change), sum(part$leap) / sum(part$plain),
      mean(part$moves), mean(part$left)
    ))
  }
}
beside_energy()
single_precision()
