# Landmark fits beside the exact fit up to 50,000 rows: CPU time, and the exact W of both partitions. Writes bench/landmarks.md.
#   Rscript bench/landmarks.R     (from the root of the sources, package installed)
library(kgroups)

draw <- function(kind, n, d = 10, k = 10) {
  centres <- matrix(rnorm(k * d, sd = if (kind == "overlapping") 1.5 else 3), k)
  share <- if (kind == "overlapping") 1 / seq_len(k) else rep(1, k)
  noise <- if (kind == "heavy tails") rt(n * d, 3) else rnorm(n * d)
  matrix(noise, n) + if (kind == "no clusters") 0 else centres[sample(k, n, TRUE, prob = share), ]
}

compare <- function(kind, n) {
  set.seed(n)
  x <- draw(kind, n)
  cpu <- function(call) sum(system.time(call)[1:2])
  exact <- cpu(fit <- kgroups(x, 10))
  landmarks <- cpu(near <- kgroups(x, 10, approx = nystroem(256)))
  data.frame(data = kind, n = n, exact, landmarks, ratio = landmarks / exact,
    excess = energy_statistics(x, near$cluster)$W / fit$W - 1)
}

kinds <- c("separate", "heavy tails", "overlapping", "no clusters")
table <- do.call(
  rbind, unlist(lapply(kinds, function(kind) lapply(c(2000, 5000, 10000, 20000, 50000), compare, kind = kind)), FALSE)
)
table[3:5] <- lapply(table[3:5], round, 2)
table$excess <- sprintf("%.1e", table$excess)
lines <- c(
  "# Landmarks beside the exact fit", "",
  "Made by `bench/landmarks.R`: d = 10, k = 10, 256 landmarks, one draw a row. CPU seconds, their ratio, and the exact W of the",
  "landmark partition above that of the exact fit, relative to it.", "",
  knitr::kable(table, format = "pipe", row.names = FALSE)
)
writeLines(lines, "bench/landmarks.md")
cat(lines, sep = "\n")
