# rho_connected() in the given metric and in the default one, that of the neighbours, beside Genie (genieclust) on public
# sets of known classes: adjusted Rand index with the right k. The tables and the first draws of the generators are those on which the rules were chosen; the
# `other` sets and the draws here are fresh. Also: regret of select_semimetric() and of always rho_connected().
#   Rscript bench/connected-public.R FOLDER > bench/connected-public.md     (10 minutes)
# FOLDER: unpacked sources of FCPS, mlbench, clusterSim, pgmm, gclus, tclust, MixGHD, HDclassif, EMCluster, RSKC, datasetsICR
# and palmerpenguins of CRAN; mlbench, kernlab, mclust and MASS are installed.
library(kgroups)
folder <- commandArgs(TRUE)[1L]
source("bench/connected-sets.R")
source("bench/connected-designs.R")

quietly <- function(call) suppressMessages(suppressWarnings(call))
score <- function(set, cluster) {
  known <- !is.na(set$truth)
  compare_clusters(set$truth[known], cluster[known])
}
fitted <- function(set, ...) {
  k <- length(unique(stats::na.omit(set$truth)))
  score(set, quietly(kgroups(set$x, k, ...))$cluster)
}
scores <- function(set) {
  c(
    `k-groups` = fitted(set), given = fitted(set, semimetric = rho_connected(metric = "given")),
    default = fitted(set, semimetric = rho_connected()),
    Genie = score(set, genieclust::genie(set$x, length(unique(stats::na.omit(set$truth)))))
  )
}
number <- function(x) formatC(x, format = "f", digits = 3)
line <- function(...) cat("|", paste(..., sep = " | "), "|\n")
rows_of <- function(sets) t(vapply(sets, scores, numeric(4)))

set.seed(20261126)
runs <- 3
groups <- list(
  tables = rows_of(public_tables(folder)), shapes = rows_of(public_shapes(folder)),
  `other tables` = rows_of(other_tables(folder))
)
drawn <- replicate(runs, rows_of(public_generators(folder)))
groups$`generators of mlbench and clusterSim` <- apply(drawn, 1:2, mean)
own <- replicate(
  runs, rows_of(unlist(lapply(connected_sets, function(group) lapply(group, function(make) make())), FALSE))
)
groups$`designs of bench/connected.R` <- apply(own, 1:2, mean)

cat("# `rho_connected()` on public sets\n\nAdjusted Rand index with the right k, written by `bench/connected-public.R`: the base alone, `metric = \"given\"`, the\n")
cat("default metric, and Genie. Means of", runs, "fresh draws for generators. `used`: the rules of the default were chosen on these sets.\n\n")
line("sets", "number", "used", "k-groups", "given", "default", "Genie", "default better than given by .02", "worse", "better than Genie", "worse")
cat("|---|---|---|---|---|---|---|---|---|---|---|\n")
for (group in names(groups)) {
  rand <- groups[[group]]
  change <- rand[, "default"] - rand[, c("given", "Genie")]
  line(
    group, nrow(rand), if (group == "other tables") "no" else if (grepl("of", group)) "other draws" else "yes",
    paste(number(colMeans(rand)), collapse = " | "),
    paste(rbind(colSums(change > 0.02), colSums(change < -0.02)), collapse = " | ")
  )
}
cat("\n| set | k-groups | given | default | Genie |\n|---|---|---|---|---|\n")
for (group in names(groups)) {
  rand <- groups[[group]]
  for (set in rownames(rand)) line(set, paste(number(rand[set, ]), collapse = " | "))
}

# ---- select_semimetric() ----

small <- Filter(
  function(set) nrow(set$x) <= 600 && ncol(set$x) <= 30,
  c(public_tables(folder), public_shapes(folder), public_generators(folder))
)
regret <- t(vapply(small, function(set) {
  k <- length(unique(set$truth))
  choice <- quietly(select_semimetric(set$x, k))
  rand <- vapply(seq_len(ncol(choice$clusters)), function(i) score(set, choice$clusters[, i]), 0)
  names(rand) <- colnames(choice$clusters)
  max(rand) - c(
    choice = rand[[choice$choice]], connected = rand[["rho_connected()"]], distance = rand[["rho_power(1)"]]
  )
}, numeric(3)))
cat(sprintf(
  paste0(
    "\n## `select_semimetric()`\n\nAdjusted Rand index lost against the best of the five default candidates, mean of %d sets: ",
    "choice by stability %s, always `rho_connected()` %s, always `rho_power(1)` %s.\n"
  ),
  nrow(regret), number(mean(regret[, 1L])), number(mean(regret[, 2L])), number(mean(regret[, 3L]))
))

# Lower levels of the same tree if it has two or more branches but fewer than k.
lower <- function(set) {
  k <- length(unique(stats::na.omit(set$truth)))
  fit <- quietly(kgroups(set$x, k, semimetric = rho_connected()))
  branches <- fit$semimetric$found$branches
  other <- fit
  if (branches >= 2L && branches < k) {
    for (level in c(0.75, 0.6)) {
      other <- quietly(kgroups(set$x, k, semimetric = rho_connected(level = level)))
      if (other$semimetric$found$branches >= k) break
    }
  }
  c(score(set, fit$cluster), score(set, other$cluster), branches >= 2L && branches < k)
}
set.seed(20261126)
sets <- c(public_tables(folder), public_shapes(folder), other_tables(folder), public_generators(folder))
sets <- Filter(function(set) nrow(set$x) <= 1200L && length(unique(stats::na.omit(set$truth))) >= 3L, sets)
found <- vapply(sets, lower, numeric(3L))
change <- found[2L, ] - found[1L, ]
cat(sprintf(
  "\nLower levels (.75, .6) if the tree has two or more branches but fewer than k, %d sets of k >= 3: mean %.3f -> %.3f; it applies to %d, better by .02 on %d, worse on %d.\n",
  ncol(found), mean(found[1L, ]), mean(found[2L, ]), sum(found[3L, ]), sum(change > 0.02), sum(change < -0.02)
))
