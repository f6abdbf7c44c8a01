# W of the default call against the best of ten random starts, relative to the latter, and
# CPU seconds of both.
#   Rscript bench/quality.R     (a few minutes; writes bench/quality.csv; needs mlbench)

library(kgroups)
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))

set.seed(5)
mixture <- function(n, d, k, spread) {
  centres <- matrix(rnorm(k * d, sd = spread), k)
  centres[sample(k, n, TRUE), ] + matrix(rnorm(n * d), n)
}
numbers <- function(name) {
  shelf <- new.env()
  utils::data(list = name, package = "mlbench", envir = shelf)
  data <- shelf[[name]]
  data <- data[vapply(data, is.numeric, NA)]
  data <- as.matrix(data[stats::complete.cases(data), ])
  scale(data[, apply(data, 2, stats::sd) > 0])
}
dermatology <- utils::read.csv(kgroups_example("dermatology.csv"))
dermatology$class <- NULL
dermatology$age[is.na(dermatology$age)] <- mean(dermatology$age, na.rm = TRUE)
grid <- as.matrix(expand.grid(1:10, 1:5))
grid_of <- function(each) grid[rep(1:50, each), ] + matrix(rnorm(100 * each, sd = sqrt(0.1)), 50 * each)

sets <- list(
  dermatology = list(scale(dermatology), 6, rho_power(1 / 2)),
  iris = list(as.matrix(iris[1:4]), 3, rho_power(1)),
  Glass = list(numbers("Glass"), 6, rho_power(1)),
  Vehicle = list(numbers("Vehicle"), 4, rho_power(1)),
  Vowel = list(numbers("Vowel"), 11, rho_power(1)),
  "Vowel, rho_gaussian()" = list(numbers("Vowel"), 11, rho_gaussian()),
  Satellite = list(numbers("Satellite"), 6, rho_power(1)),
  "grid of 50, n = 500" = list(grid_of(10), 50, rho_power(1)),
  "grid of 50, n = 5000" = list(grid_of(100), 50, rho_power(1)),
  "mixture, d = 10" = list(mixture(10000, 10, 10, 1), 10, rho_power(1)),
  "mixture, d = 50" = list(mixture(10000, 50, 20, 0.5), 20, rho_power(1)),
  "sizes 9000, 800, 100" = list(
    rbind(mixture(9000, 5, 3, 2), mixture(800, 5, 4, 3), mixture(100, 5, 3, 6)), 10, rho_power(1)
  ),
  "no clusters: lognormal" = list(exp(matrix(rnorm(1e5), 1e4)), 10, rho_power(1)),
  "no clusters: normal" = list(matrix(rnorm(1e5), 1e4), 10, rho_power(1))
)

timed <- function(...) {
  seconds <- sum(system.time(fit <- suppressWarnings(kgroups(...)))[1:2])
  c(W = fit$W, seconds = seconds)
}
rows <- lapply(names(sets), function(name) {
  set <- sets[[name]]
  seeds <- if (nrow(set[[1L]]) > 2000) 1:2 else 1:10
  set.seed(1)
  ten <- timed(set[[1L]], set[[2L]], semimetric = set[[3L]], init = "random", nstart = 10)
  default <- vapply(seeds, function(seed) {
    set.seed(seed)
    timed(set[[1L]], set[[2L]], semimetric = set[[3L]])
  }, ten)
  excess <- default["W", ] / ten[["W"]] - 1
  row <- data.frame(
    set = name, n = nrow(set[[1L]]), d = ncol(set[[1L]]), k = set[[2L]], seeds = length(seeds),
    largest = max(excess), mean = mean(excess), default_seconds = mean(default["seconds", ]),
    ten_seconds = ten[["seconds"]]
  )
  print(row, row.names = FALSE)
  row
})
utils::write.csv(do.call(rbind, rows), file.path(here, "quality.csv"), row.names = FALSE)
