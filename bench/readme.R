# Measures the numbers of README.md that no other script has (bench/readme.csv, a row a number) and writes its marked parts:
# output of its first block with the figure (man/figures/fit.png) and public tables (those of bench/fair.md).
#   Rscript bench/readme.R PART ...      facts, times: what to measure again; none: the parts from readme.csv
# CPU seconds of one thread, all of one machine; of short calls the least of three runs.

library(kgroups)
parts <- commandArgs(TRUE)
recorded <- read.csv("bench/readme.csv")
# New values replace those of the same facts.
record <- function(rows) {
  recorded <<- rbind(recorded[!recorded$fact %in% rows$fact, ], rows)
  write.csv(recorded, "bench/readme.csv", row.names = FALSE, quote = 1)
}
fact <- function(name) recorded$value[match(name, recorded$fact)]

# ---- facts ----

cpu <- function(call, env = parent.frame()) {
  call <- substitute(call)
  once <- function() {
    gc()
    sum(system.time(eval(call, env))[c("user.self", "sys.self")])
  }
  first <- once()
  if (first > 2) first else min(first, once(), once())
}
mixture <- function(n, d, k, sd, group = sample(k, n, TRUE)) {
  centres <- matrix(rnorm(k * d, sd = sd), k)
  centres[group, ] + rnorm(n * d)
}

measure_facts <- function() {
  rows <- list()
  add <- function(fact, value, digits) rows[[length(rows) + 1L]] <<- data.frame(
    fact = fact, value = signif(value, digits)
  )

  # k-means: squared distances, 10,000 points around 50 centres in 10 dimensions
  set.seed(1)
  x <- mixture(10000, 10, 50, 3)
  ours <- function() kgroups(x, 50, semimetric = rho_power(2))
  theirs <- function(seed = 1) {
    set.seed(seed)
    suppressWarnings(kmeans(x, 50, nstart = 10, iter.max = 100))
  }
  add("squared, seconds of kgroups", cpu(ours()), 2)
  add("squared, W of kgroups", ours()$W, 6)
  add(
    "squared, least sum of squares of kmeans, 5 seeds", min(vapply(1:5, function(seed) theirs(seed)$tot.withinss, 0)), 6
  )
  add("squared, seconds of kmeans", cpu(theirs()), 2)

  # one centre, standard deviations 1 and 3, 100 points each: share of points in their group
  runs <- 20
  for (d in c(1, 2, 5, 10, 30)) {
    share <- vapply(seq_len(runs), function(seed) {
      set.seed(seed)
      x <- rbind(matrix(rnorm(100 * d), 100), matrix(rnorm(100 * d, sd = 3), 100))
      truth <- rep(1:2, each = 100)
      c(
        compare_clusters(truth, suppressMessages(kgroups(x, 2))$cluster, "accuracy"),
        compare_clusters(truth, kmeans(x, 2, nstart = 20)$cluster, "accuracy")
      )
    }, numeric(2))
    add(sprintf("scale only, d = %d, kgroups", d), mean(share[1, ]), 2)
    add(sprintf("scale only, d = %d, kmeans", d), mean(share[2, ]), 2)
  }

  do.call(rbind, c(rows, list(measure_tails(runs))))
}

# Heavy tails: t with 1.5 degrees of freedom, three groups in 5 dimensions, adjusted Rand index.
measure_tails <- function(runs = 20) {
  rand <- vapply(seq_len(runs), function(seed) {
    set.seed(seed)
    truth <- rep(1:3, each = 100)
    x <- matrix(rt(1500, 1.5), 300)
    x[, 1] <- x[, 1] + 6 * truth
    x[, 2] <- x[, 2] + 6 * (truth == 2)
    labels <- list(kgroups(x, 3)$cluster, kmeans(x, 3, nstart = 20)$cluster, cluster::pam(x, 3)$clustering)
    vapply(labels, compare_clusters, 0, truth = truth)
  }, numeric(3))
  data.frame(fact = paste("heavy tails,", c("kgroups", "kmeans", "PAM")), value = signif(rowMeans(rand), 2))
}
if ("tails" %in% parts) record(measure_tails())
if ("facts" %in% parts) record(measure_facts())

# Fits, landmarks and the choice of k, ten normal clusters in 10 dimensions.
measure_times <- function() {
  set.seed(3)
  group <- sample(10L, 10000L, TRUE)
  x <- mixture(10000, 10, 10, 3, group)
  more <- mixture(1e5, 10, 10, 3)
  large <- mixture(1e6, 10, 10, 3)
  ten <- function(x) suppressWarnings(kmeans(x, 10, nstart = 10, iter.max = 100))
  seconds <- c(
    "10,000 rows, seconds of kgroups" = cpu(kgroups(x, 10)),
    "10,000 rows, seconds of kgroups, within" = cpu(kgroups(x, 10, standardize = "within")),
    "10,000 rows, seconds of kmeans, 10 starts" = cpu(ten(x)),
    "100,000 rows, seconds of kgroups" = cpu(kgroups(more, 10)),
    "100,000 rows, seconds of kgroups, within" = cpu(kgroups(more, 10, standardize = "within")),
    "100,000 rows, seconds of kgroups, rho_power(2)" = cpu(kgroups(more, 10, semimetric = rho_power(2))),
    "100,000 rows, seconds of kgroups, landmarks" = cpu(kgroups(more, 10, approx = nystroem())),
    "100,000 rows, seconds of kmeans, 10 starts" = cpu(ten(more)),
    "10,000 rows, seconds of select_k" = cpu(select_k(x)),
    "1,000,000 rows, seconds of kgroups, landmarks" = cpu(kgroups(large, 10, approx = nystroem()))
  )
  data.frame(fact = names(seconds), value = signif(unname(seconds), 2))
}
if ("times" %in% parts) record(measure_times())

# ---- README.md ----

between <- function(readme, name, lines) {
  marks <- match(sprintf("<!-- %s: %s -->", name, c("begin", "end")), readme)
  stopifnot(!anyNA(marks))
  c(readme[seq_len(marks[1])], "", lines, "", readme[marks[2]:length(readme)])
}
row_of <- function(...) paste("|", paste(c(...), collapse = " | "), "|")

# ---- the first block: its code as it stands, its output as comments ----

run_block <- function(lines) {
  inside <- which(startsWith(lines, "```"))
  code <- lines[(inside[1] + 1):(inside[2] - 1)]
  parsed <- parse(text = code[!startsWith(code, "#>")], keep.source = TRUE)
  envir <- new.env(parent = globalenv())
  out <- unlist(Map(function(expression, source) {
    output <- utils::capture.output({
      value <- withVisible(eval(expression, envir))
      if (value$visible) print(value$value)
    })
    c(as.character(source), if (length(output)) paste("#>", output))
  }, as.list(parsed), lapply(attr(parsed, "srcref"), as.character)))
  # comments at the end of a line are kept by the file, not by srcref
  ends <- code[match(out, sub("\\s+#.*$", "", code))]
  out[!is.na(ends)] <- ends[!is.na(ends)]
  c("```r", trimws(out, "right"), "```")
}
options(width = 100)
readme <- readLines("README.md")
grDevices::pdf(NULL)
marks <- match(sprintf("<!-- run: %s -->", c("begin", "end")), readme)
readme <- between(readme, "run", suppressMessages(run_block(readme[marks[1]:marks[2]])))
invisible(grDevices::dev.off())

# Three planes: the flowers, normal noise, and normal noise rounded to whole numbers, by the same call.
set.seed(1)
flowers <- kgroups(iris[1:4], 3, standardize = "within")
noise <- matrix(stats::rnorm(900), 300)
grDevices::pdf(NULL, 3.6, 3)
fits <- list(
  iris = flowers, "normal noise" = kgroups(noise, 3, standardize = "within"),
  "normal noise, rounded" = kgroups(round(noise), 3, standardize = "within")
)
planes <- Map(function(fit, name) ggplot2::autoplot(fit) + ggplot2::ggtitle(name), fits, names(fits))
invisible(grDevices::dev.off())
grDevices::png("man/figures/fit.png", width = 1404, height = 390, res = 130)
for (i in 1:3) print(planes[[i]], vp = grid::viewport((i - 0.5) / 3, 0.5, 1 / 3, 1), newpage = i == 1)
invisible(grDevices::dev.off())

# ---- public tables ----

# all tables and methods for the article "When not to use it"
fair <- list(
  fresh = read.csv("bench/fair-fresh.csv", check.names = FALSE),
  new = read.csv("bench/fair-new.csv", check.names = FALSE), old = read.csv("bench/fair-old.csv", check.names = FALSE)
)
public <- read.csv("vignettes/articles/public.csv", check.names = FALSE, colClasses = "character")
unknown <- public$mclust %in% c(NA, "", "NA")
public$mclust[unknown] <- formatC(
  fair$old$mclust[match(sub(" [(].*", "", public[[1L]][unknown]), fair$old$table)], digits = 2, format = "f"
)
write.csv(public, "vignettes/articles/public.csv", row.names = FALSE, quote = 1)
# of columns as given and scaled the better
better_of <- function(scores, method) {
  columns <- intersect(c(method, paste(method, "scaled")), names(scores))
  columns <- columns[colSums(!is.na(scores[columns])) > 0]
  columns[which.max(colMeans(scores[columns], na.rm = TRUE))]
}
cell <- function(scores, method) {
  column <- better_of(scores, method)
  if (length(column)) formatC(mean(scores[[column]], na.rm = TRUE), digits = 2, format = "f") else "-"
}
shown <- c("within", "mixture", "k-means", "PAM", "Ward", "mclust", "Genie")
row_fair <- function(label, scores) row_of(label, vapply(shown, cell, "", scores = scores))
# One of the two less each other method on the fresh tables.
row_of_differences <- function(label, text, ours = "within") {
  row_of(label, vapply(shown, function(method) {
    column <- better_of(fair$fresh, method)
    difference <- fair$fresh[[ours]] - if (length(column)) fair$fresh[[column]] else NA
    if (method == ours || method == "mixture" || all(is.na(difference))) "-" else text(difference[!is.na(difference)])
  }, ""))
}
mean_and_error <- function(d) sprintf("%.3f (%.3f)", mean(d), stats::sd(d) / sqrt(length(d)))
better_and_worse <- function(d) sprintf("%d, %d", sum(d > 0.05), sum(d < -0.05))
readme <- between(readme, "public", c(
  row_of("", c("`\"within\"`", "`kgroups_mixture()`", shown[-(1:2)])), paste0("|---|", strrep("---:|", length(shown))),
  row_fair(sprintf("**mean of %d fresh tables**, chosen by a rule", nrow(fair$fresh)), fair$fresh),
  row_of_differences("there `\"within\"` less the method (standard error)", mean_and_error),
  row_of_differences("there `kgroups_mixture()` less the method (standard error)", mean_and_error, "mixture"),
  row_of_differences("tables on which `\"within\"` is better, worse by more than .05", better_and_worse),
  row_of_differences("tables on which `kgroups_mixture()` is", better_and_worse, "mixture"),
  row_fair(sprintf("mean of %d older tables, chosen by a rule; one constant chosen on 3", nrow(fair$new)), fair$new),
  row_fair(sprintf("mean of %d tables, constants chosen on them", nrow(fair$old)), fair$old)
))

# One empty line instead of several.
writeLines(readme[!(readme == "" & c("x", readme[-length(readme)]) == "")], "README.md")
