# Choices with known truth: what select_semimetric() chooses on simulated mixtures and on the dermatology data, beside
# the best candidate and the default. bench/selection-k.R has the number of clusters.
#   Rscript bench/selection.R [repetitions, default 12]
# writes vignettes/selection-semimetric.csv.

library(kgroups)
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
given <- commandArgs(TRUE)
repetitions <- if (length(given)) as.integer(given[1L]) else 12L

gaussian <- function() {
  means <- rbind(c(0, 0), c(4, 0), c(0, 4))
  truth <- rep(1:3, each = 60)
  list(x = means[truth, ] + matrix(rnorm(360), 180), truth = truth)
}
lognormal <- function() {
  truth <- rep(1:2, each = 100)
  list(x = exp(matrix(rnorm(2000, 0.7 * (truth - 1), 0.8), 200)), truth = truth)
}
cigars <- function() {
  truth <- rep(1:2, each = 100)
  list(x = cbind(rnorm(200, 6.5 * (truth - 1)), rnorm(200, 0, sqrt(20))), truth = truth)
}
circles <- function() {
  truth <- rep(1:2, each = 150)
  angle <- runif(300, 0, 2 * pi)
  radius <- c(1, 3)[truth]
  list(x = radius * cbind(cos(angle), sin(angle)) + rnorm(600, sd = 0.1), truth = truth)
}
settings <- list(gaussian = gaussian, lognormal = lognormal, cigars = cigars, circles = circles)

dermatology <- function() {
  data <- read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
  x <- data[names(data) != "class"]
  x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
  list(x = scale(x), truth = data$class)
}

# accuracy of the best candidate, of the default, of the choice and of one at random
one_semimetric <- function(data) {
  k <- length(unique(data$truth))
  out <- select_semimetric(data$x, k)
  accuracy <- apply(out$clusters, 2L, compare_clusters, truth = data$truth, method = "accuracy")
  c(
    best = max(accuracy), default = unname(accuracy[2L]), stability = accuracy[[out$choice]], random = mean(accuracy)
  )
}

rows <- list()
for (name in names(settings)) {
  set.seed(20 + match(name, names(settings)))
  found <- vapply(replicate(repetitions, settings[[name]](), simplify = FALSE), one_semimetric, numeric(4))
  rows[[name]] <- data.frame(
    data = name, runs = repetitions, t(round(rowMeans(found), 3)),
    default_se = round(sd(found["default", ]) / sqrt(repetitions), 3),
    stability_se = round(sd(found["stability", ]) / sqrt(repetitions), 3)
  )
}
set.seed(20)
rows$dermatology <- data.frame(
  data = "dermatology", runs = 1L, t(round(one_semimetric(dermatology()), 3)), default_se = NA, stability_se = NA
)
table <- do.call(rbind, unname(rows))
print(table)
write.csv(table, file.path("vignettes", "selection-semimetric.csv"), row.names = FALSE, quote = FALSE)
