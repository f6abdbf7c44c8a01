# Level and power of the first test of kgroups_changes() on dependent series: 150 observations, R = 19, level .05.
#   Rscript bench/dependent-changes.R [draws, default 400] [first seed, default 81000] [series, an expression] [always]
# "always": blocks are permuted in every series, whether its residuals depend or not.
#   (ten minutes of one core)
suppressMessages(library(kgroups))
options(rlib_message_verbosity = "quiet")
given <- commandArgs(TRUE)
draws <- as.integer(c(given, 400L)[1L])
seed <- if (length(given) > 1L) as.integer(given[2L]) else 81000L
wanted <- if (length(given) > 2L) given[3L] else "."
always <- length(given) > 3L && given[4L] == "always"
if (always) utils::assignInNamespace("is_dependent", function(e) TRUE, "kgroups")
n <- 150L

# The last n steps of x_t = step(x_(t-1)).
steps <- function(step, first = 0) {
  path <- Reduce(function(x, t) step(x), seq_len(n + 50L), first, accumulate = TRUE)
  utils::tail(if (length(first) > 1L) do.call(rbind, path) else unlist(path), n)
}
arima <- function(...) as.numeric(stats::arima.sim(list(...), n))
volatility <- function(a, b) {
  out <- numeric(n + 50L)
  v <- 1
  for (t in seq_along(out)[-1L]) {
    v <- 1 - a - b + a * out[t - 1L]^2 + b * v
    out[t] <- sqrt(v) * rnorm(1)
  }
  utils::tail(out, n)
}
ring <- matrix(c(0.5, 0.3, 0, 0, 0.5, 0.3, 0.3, 0, 0.5), 3)

level <- list(
  "independent, 1 column" = function() rnorm(n),
  "independent, 3 columns" = function() matrix(rnorm(3 * n), n),
  "independent, t(2)" = function() rt(n, 2),
  "AR(1) .5" = function() arima(ar = 0.5),
  "AR(1) .8" = function() arima(ar = 0.8),
  "MA(1) .8" = function() arima(ma = 0.8),
  "AR(2), cycles" = function() arima(ar = c(1.2, -0.7)),
  "random walk" = function() cumsum(rnorm(n)),
  "columns that drive each other" = function() steps(function(x) drop(ring %*% x) + rnorm(3), numeric(3)),
  "two states and noise, .85" = function() steps(function(x) if (runif(1) < 0.15) 1 - x else x) * 2 + rnorm(n),
  "two states, .9" = function() steps(function(x) if (runif(1) < 0.1) 1 - x else x),
  "ARCH .7" = function() steps(function(x) rnorm(1) * sqrt(0.3 + 0.7 * x^2)),
  "GARCH .15, .8" = function() volatility(0.15, 0.8)
)
power <- list(
  "Nile, without its shift, in another order" = function() as.numeric(sample(Nile[29:100])),
  "shift of .8" = function() rnorm(n, rep(c(0, 0.8), each = n / 2)),
  "up and down by .9" = function() rnorm(n, rep(c(0, 0.9, 0), each = n / 3)),
  "AR(1) .5, shift of 2" = function() arima(ar = 0.5) + rep(c(0, 2), each = n / 2),
  "sd 1 : 1.8" = function() rnorm(n, 0, rep(c(1, 1.8), each = n / 2)),
  "sd 1 : 2.5, in the middle" = function() rnorm(n, 0, rep(c(1, 2.5, 1), each = n / 3)),
  "3 columns, shift of .7 in one" = function() matrix(rnorm(3 * n), n) + outer(rep(c(0, 0.7), each = n / 2), c(1, 0, 0)),
  "3 columns, sd 1 : 1.5" = function() matrix(rnorm(3 * n), n) * rep(c(1, 1.5), each = n / 2),
  "columns that drive each other, shift of 3" = function() level[["columns that drive each other"]]() + rep(c(0, 3), each = n / 2)
)

run <- function(designs) {
  cat("| series | p up to .05 | seconds a test |\n|---|---|---|\n")
  for (i in seq_along(designs)) {
    if (!grepl(wanted, names(designs)[i])) next
    set.seed(seed + i)
    seconds <- system.time(
      p <- replicate(draws, c(kgroups_changes(designs[[i]](), R = 19)$tests$p.value, 1)[1L])
    )[[1L]]
    cat(sprintf("| %s | %.3f | %.3f |\n", names(designs)[i], mean(p <= 0.05), seconds / draws))
  }
}
cat(sprintf("# Dependent series\n\n%d series of %d observations a row, R = 19, seed %d.\n\n", draws, n, seed))
run(level)
cat("\nWith changes:\n\n")
run(power)
for (name in c("Nile", "two shifts")) {
  set.seed(seed)
  x <- if (name == "Nile") as.numeric(Nile) else rnorm(240, rep(c(0, 2.5, 0), c(100, 60, 80)))
  found <- replicate(20, paste(kgroups_changes(x, R = 99)$changes[[1L]], collapse = ", "))
  cat(sprintf("\n%s, R = 99, 20 times: changes at %s.\n", name, names(which.max(table(found)))))
}
right <- mean(vapply(501:560, function(seed) {
  set.seed(seed)
  kgroups_changes(rnorm(200, rep(c(0, 2, 0, 2), each = 50)), R = 99)$k == 4L
}, NA))
cat(sprintf("\nThree shifts of 2 in 200 observations, R = 99: right number in %.2f of 60 series.\n", right))
