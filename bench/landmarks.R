# Landmark fits beside the exact fit up to 100,000 rows: CPU time, and the exact W and labels of both partitions.
# Writes bench/landmarks.md. "small": how often a small distant cluster of 20,000 rows is found; printed; its table at the end of the file is kept.
#   Rscript bench/landmarks.R [DRAWS | small]     (5 minutes; from the root of the sources, package installed)
library(kgroups)
arguments <- commandArgs(TRUE)

# Two normal clusters, and one of few rows that is far from both.
found <- function(few, seed, approx) {
  set.seed(seed)
  group <- rep(1:3, c(10000, 10000 - few, few))
  x <- rbind(rep(0, 4), rep(8, 4), 40 * c(1, -1, 1, -1))[group, ] + rnorm(80000)
  compare_clusters(group, kgroups(x, 3, approx = approx)) > 0.99
}
if (identical(arguments, "small")) {
  approx <- list(
    "256 uniform" = nystroem(256), "256 kmeans++" = nystroem(256, landmarks = "kmeans++"),
    "256 uniform, polish" = nystroem(256, polish = TRUE)
  )
  cat("| rows of the small cluster |", paste(names(approx), collapse = " | "), "|\n|---|---|---|---|\n")
  for (few in c(20, 100, 400)) {
    shares <- vapply(approx, function(one) mean(vapply(1:20, function(seed) found(few, 9000 + seed, one), NA)), 0)
    cat("|", few, "|", paste(sprintf("%.2f", shares), collapse = " | "), "|\n")
  }
  quit()
}
draws <- if (length(arguments)) as.integer(arguments[1]) else 3L

draw <- function(kind, n, d = 10, k = 10) {
  centres <- matrix(rnorm(k * d, sd = if (kind == "overlapping") 1.5 else 3), k)
  share <- if (kind == "overlapping") 1 / seq_len(k) else rep(1, k)
  noise <- if (kind == "heavy tails") rt(n * d, 3) else rnorm(n * d)
  matrix(noise, n) + if (kind == "no clusters") 0 else centres[sample(k, n, TRUE, prob = share), ]
}

compare <- function(kind, n, seed) {
  set.seed(seed)
  x <- draw(kind, n)
  cpu <- function(call) sum(system.time(call)[1:2])
  exact <- cpu(fit <- kgroups(x, 10))
  landmarks <- cpu(near <- kgroups(x, 10, approx = nystroem(256)))
  data.frame(exact, landmarks,
    error = near$approx$error, excess = energy_statistics(x, near$cluster)$W / fit$W - 1,
    differ = 1 - compare_clusters(fit, near, "accuracy")
  )
}

kinds <- c("separate", "heavy tails", "overlapping", "no clusters")
settings <- expand.grid(n = c(10000, 20000, 50000, 100000), kind = kinds, stringsAsFactors = FALSE)
rows <- lapply(seq_len(nrow(settings)), function(i) {
  one <- settings[i, ]
  runs <- do.call(rbind, lapply(seq_len(draws), function(j) compare(one$kind, one$n, 100 * i + j)))
  message(one$kind, " ", one$n, " ", format(Sys.time(), "%H:%M:%S"))
  ratio <- runs$landmarks / runs$exact
  percent <- function(x) sprintf("%.2g", 100 * mean(x))
  data.frame(
    data = one$kind, n = one$n, exact = round(mean(runs$exact), 2), landmarks = round(mean(runs$landmarks), 2),
    ratio = sprintf("%.2f (%.2f to %.2f)", sum(runs$landmarks) / sum(runs$exact), min(ratio), max(ratio)),
    error = percent(runs$error), excess = percent(runs$excess), differ = percent(runs$differ)
  )
})
lines <- c(
  "# Landmarks beside the exact fit", "",
  sprintf("Made by `bench/landmarks.R`: d = 10, k = 10, 256 landmarks, means of %d draws. CPU seconds, their ratio (least and", draws),
  "largest), and in per cent: `error` of the W reported, `excess` of the exact W of the landmark partition over that of the exact",
  "fit, and labels that `differ` from the exact fit.", "",
  knitr::kable(do.call(rbind, rows), format = "pipe", row.names = FALSE, align = "lrrrrrrr")
)
kept <- readLines("bench/landmarks.md")
writeLines(c(lines, "", kept[cumsum(kept == "## Small clusters") > 0]), "bench/landmarks.md")
cat(lines, sep = "\n")
