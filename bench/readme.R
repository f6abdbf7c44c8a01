# Measures the numbers of README.md that no other script has (bench/readme.csv, a row a number) and writes its marked parts:
# output of its first block, figure (man/figures/why.png) with its table, times (with those of bench.md).
#   Rscript bench/readme.R PART ...      facts, times, figure: what to measure again; none: the parts from readme.csv
# CPU seconds of one thread, of a machine that does nothing else.

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

cpu <- function(expression) {
  gc()
  sum(system.time(expression)[c("user.self", "sys.self")])
}
mixture <- function(n, d, k, sd, group = sample(k, n, TRUE)) {
  centres <- matrix(rnorm(k * d, sd = sd), k)
  centres[group, ] + rnorm(n * d)
}

measure_facts <- function() {
  rows <- list()
  add <- function(fact, value, digits) rows[[length(rows) + 1L]] <<- data.frame(fact = fact, value = signif(value, digits))

  # k-means: squared distances, 10,000 points around 50 centres in 10 dimensions
  set.seed(1)
  x <- mixture(10000, 10, 50, 3)
  add("squared, seconds of kgroups", cpu(ours <- kgroups(x, 50, semimetric = rho_power(2))), 2)
  add("squared, W of kgroups", ours$W, 6)
  theirs <- vapply(1:5, function(seed) {
    set.seed(seed)
    seconds <- cpu(fit <- suppressWarnings(kmeans(x, 50, nstart = 10, iter.max = 100)))
    c(fit$tot.withinss, seconds)
  }, numeric(2))
  add("squared, least sum of squares of kmeans, 5 seeds", min(theirs[1, ]), 6)
  add("squared, seconds of kmeans", stats::median(theirs[2, ]), 2)

  # many rows
  set.seed(2)
  x <- mixture(100000, 10, 10, 3)
  add("100,000 rows, seconds of kgroups", cpu(kgroups(x, 10)), 2)
  add("100,000 rows, seconds of kgroups, rho_power(2)", cpu(kgroups(x, 10, semimetric = rho_power(2))), 2)
  add("100,000 rows, seconds of kmeans, 10 starts", cpu(suppressWarnings(kmeans(x, 10, nstart = 10, iter.max = 100))), 2)

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

  # heavy tails: t with 1.5 degrees of freedom, three groups in 5 dimensions, adjusted Rand index
  rand <- vapply(seq_len(runs), function(seed) {
    set.seed(seed)
    truth <- rep(1:3, each = 100)
    x <- matrix(rt(1500, 1.5), 300)
    x[, 1] <- x[, 1] + 6 * truth
    x[, 2] <- x[, 2] + 6 * (truth == 2)
    c(compare_clusters(truth, kgroups(x, 3)$cluster), compare_clusters(truth, kmeans(x, 3, nstart = 20)$cluster))
  }, numeric(2))
  add("heavy tails, kgroups", mean(rand[1, ]), 2)
  add("heavy tails, kmeans", mean(rand[2, ]), 2)
  do.call(rbind, rows)
}
if ("facts" %in% parts) record(measure_facts())

# Choice of k, test and landmarks, ten normal clusters in 10 dimensions.
measure_times <- function() {
  set.seed(3)
  group <- sample(10L, 10000L, TRUE)
  x <- mixture(10000, 10, 10, 3, group)
  large <- mixture(1e6, 10, 10, 3)
  seconds <- c(
    "10,000 rows, seconds of select_k" = cpu(select_k(x)),
    "10,000 rows, seconds of energy_test" = cpu(suppressMessages(energy_test(x, group))),
    "10,000 rows, seconds of energy_test, landmarks" = cpu(energy_test(x, group, approx = nystroem())),
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
two <- function(x) sub("^0", "", formatC(x, digits = 2, format = "f"))
row_of <- function(...) paste("|", paste(c(...), collapse = " | "), "|")
has <- function(name) name %in% getNamespaceExports("kgroups")

# ---- figure: a column a case, k-means (or Louvain) above, kgroups below ----

clouds <- function() {
  n <- 100
  list(x = rbind(matrix(rnorm(n * 30), n), matrix(rnorm(n * 30, sd = 3), n)), truth = rep(1:2, each = n))
}
# The ring has four times the length of a moon, and as many points a length.
moons <- function() {
  n <- 100
  angle <- runif(n, 0, pi)
  other <- runif(n, 0, pi)
  ring <- runif(4 * n, 0, 2 * pi)
  list(
    x = rbind(
      cbind(cos(angle), sin(angle)), cbind(1 - cos(other), 0.5 - sin(other)),
      cbind(0.5 + 2.2 * cos(ring), 0.25 + 2.2 * sin(ring))
    ) + rnorm(12 * n, sd = 0.07),
    truth = rep(1:3, c(n, n, 4 * n))
  )
}
# Groups of three sizes whose vertices differ much in degree: hubs.
hubs <- function() {
  truth <- rep(1:3, c(150, 90, 60))
  degree <- pmin(8 * (1 - runif(300))^(-1 / 1.5) / 3, 120)
  rate <- outer(degree, degree) / sum(degree) * ifelse(outer(truth, truth, "=="), 2.6, 0.2)
  edge <- which(upper.tri(rate) & runif(length(rate)) < rate, arr.ind = TRUE)
  graph <- igraph::make_empty_graph(300, directed = FALSE)
  list(x = igraph::add_edges(graph, as.vector(t(edge))), truth = truth)
}
cases <- list(list(
  title = "one centre, two scales, 30 dimensions", data = clouds, k = 2,
  theirs = c("k-means", "PAM"), code = "kgroups(x, 2)",
  peer = list(function(x) stats::kmeans(x, 2, nstart = 20)$cluster, function(x) cluster::pam(x, 2)$clustering),
  ours = function(x) kgroups(x, 2)$cluster
))
if (has("rho_connected")) {
  cases <- c(cases, list(list(
    title = "a ring around two moons", data = moons, k = 3, theirs = c("k-means", "PAM"),
    code = "kgroups(x, 3, semimetric = rho_connected())",
    peer = list(function(x) stats::kmeans(x, 3, nstart = 20)$cluster, function(x) cluster::pam(x, 3)$clustering),
    ours = function(x) kgroups(x, 3, semimetric = rho_connected())$cluster
  )))
}
if (has("cluster_communities")) {
  cases <- c(cases, list(list(
    title = "a graph with hubs", data = hubs, k = 3, theirs = c("Louvain", "Leiden"),
    code = "cluster_communities(graph)",
    peer = list(
      function(g) igraph::membership(igraph::cluster_louvain(g)),
      function(g) igraph::membership(igraph::cluster_leiden(g, objective_function = "modularity", n_iterations = 20))
    ),
    # which models drop groups on the way is no matter here
    ours = function(g) igraph::membership(suppressMessages(kgroups::cluster_communities(g)))
  )))
}

ink <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6F7782", "#B5A800")
place <- function(x) if (igraph::is_igraph(x)) igraph::layout_with_fr(x) else if (ncol(x) == 2) x else stats::cmdscale(dist(x))
# clusters in the colours of the groups they share most with
matched <- function(cluster, truth) {
  shared <- table(cluster, truth)
  best <- integer(nrow(shared))
  for (at in order(-apply(shared, 1, max))) {
    free <- setdiff(seq_len(max(dim(shared))), best)
    counts <- c(shared[at, ], rep(0, length(free)))[seq_len(max(dim(shared)))]
    counts[is.na(counts)] <- 0
    best[at] <- free[which.max(counts[free])]
  }
  best[match(cluster, rownames(shared))]
}
show <- function(at, cluster, truth, title, x) {
  colour <- ink[(matched(cluster, truth) - 1) %% 8 + 1]
  plot(at, asp = 1, type = "n", axes = FALSE, xlab = "", ylab = "")
  if (igraph::is_igraph(x)) {
    ends <- igraph::as_edgelist(x, names = FALSE)
    segments(at[ends[, 1], 1], at[ends[, 1], 2], at[ends[, 2], 1], at[ends[, 2], 2], col = "grey90", lwd = 0.7)
  }
  points(at, pch = c(16, 17, 15)[truth], col = colour, cex = 0.9)
  graphics::title(title, line = 0.4, cex.main = 1.5, font.main = 1)
  box(col = "grey80")
}
draw_why <- function() {
  ari <- list()
  grDevices::png("man/figures/why.png", width = 460 * max(2, length(cases)), height = if (length(cases) == 1) 480 else 980, res = 130)
  single <- length(cases) == 1
  par(mfcol = if (single) c(1, 2) else c(2, length(cases)), mar = c(0.6, 0.6, 2.2, 0.6), oma = c(0, 0, 3.6, 0))
  for (case in cases) {
    runs <- lapply(1:20, function(seed) {
      set.seed(seed)
      one <- case$data()
      c(
        lapply(case$peer, function(f) compare_clusters(one$truth, f(one$x), "accuracy")),
        compare_clusters(one$truth, case$ours(one$x), "accuracy")
      )
    })
    ari[[case$title]] <- colMeans(do.call(rbind, lapply(runs, unlist)))
    set.seed(1)
    one <- case$data()
    set.seed(1)
    at <- place(one$x)
    show(at, case$peer[[1]](one$x), one$truth, paste0(case$theirs[1], ": ", two(ari[[case$title]][1])), one$x)
    if (single) mtext(case$title, 3, 0.3, outer = TRUE, font = 2)
    if (!single) {
      title <- sub(", ", "\n", case$title)
      mtext(title, 3, 0.3, outer = TRUE, font = 2, cex = 1.05, at = (match(case$title, names(ari)) - 0.5) / length(cases))
    }
    show(at, case$ours(one$x), one$truth, paste0("kgroups: ", two(ari[[case$title]][3])), one$x)
  }
  invisible(grDevices::dev.off())
  do.call(rbind, lapply(cases, function(case) {
    data.frame(fact = paste(case$title, c(case$theirs, "kgroups"), sep = ", "), value = round(ari[[case$title]], 5))
  }))
}
if ("figure" %in% parts) record(draw_why())

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
marks <- match(sprintf("<!-- run: %s -->", c("begin", "end")), readme)
readme <- between(readme, "run", suppressMessages(run_block(readme[marks[1]:marks[2]])))

readme <- between(readme, "why", c(
  sprintf(
    "![%s. Colours are the clusters found, symbols the true groups](man/figures/why.png)",
    paste(vapply(cases, `[[`, "", "title"), collapse = "; ")
  ),
  "",
  row_of(
    "accuracy, mean of 20 data sets", "kgroups", if (has("cluster_communities")) "k-means (Louvain)" else "k-means",
    if (has("cluster_communities")) "PAM (Leiden)" else "PAM"
  ),
  "|------------------------|---:|---:|---:|",
  vapply(cases, function(case) {
    row_of(sprintf("%s: `%s`", case$title, case$code), two(fact(paste(case$title, c("kgroups", case$theirs), sep = ", "))))
  }, "")
))

# ---- times ----

bench <- local({
  rows <- grep("^[|]", readLines("bench/bench.md"), value = TRUE)
  table <- read.table(text = gsub(" *[|] *", "|", rows[-2]), sep = "|", header = TRUE, strip.white = TRUE)
  table[-c(1, ncol(table))]
})
columns <- c("`kgroups()`" = "default call", "`kmeans()`, 10 starts" = "stats::kmeans, 10 starts", energy = "energy", kernlab = "kernlab")
cell <- function(n, method) {
  seconds <- bench$seconds[bench$n == n & bench$d == 10 & bench$k == 10 & bench$method == method]
  if (n == 1e5) {
    name <- c("default call" = "100,000 rows, seconds of kgroups", "stats::kmeans, 10 starts" = "100,000 rows, seconds of kmeans, 10 starts")
    seconds <- fact(name[method])
  }
  if (length(seconds) && !is.na(seconds)) formatC(seconds, format = "f", digits = 2) else "-"
}
readme <- between(readme, "times", c(
  row_of("n", names(columns)), paste0("|", strrep("---:|", length(columns) + 1)),
  vapply(c(5000, 10000, 1e5), function(n) row_of(format(n, big.mark = ",", scientific = FALSE), vapply(columns, cell, "", n = n)), ""),
  "", sprintf(c(
    "- 100,000 rows with `rho_power(2)`, the criterion of `kmeans()`: %g s.",
    "- 1,000,000 rows on landmarks, `kgroups(x, 10, approx = nystroem())`: %g s.",
    "- `select_k()` of 10,000 rows, k from 1 to 10 by two criteria: %g s.",
    "- `energy_test()` of 10,000 rows in 10 groups, 999 permutations: %g s; with `approx = nystroem()` %g s."
  ), fact(c(
    "100,000 rows, seconds of kgroups, rho_power(2)", "1,000,000 rows, seconds of kgroups, landmarks",
    "10,000 rows, seconds of select_k", "10,000 rows, seconds of energy_test"
  )), fact("10,000 rows, seconds of energy_test, landmarks"))
))
# One empty line instead of several.
writeLines(readme[!(readme == "" & c("x", readme[-length(readme)]) == "")], "README.md")
