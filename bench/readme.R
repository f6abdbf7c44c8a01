# Writes what README.md shows between its marks: the picture of why (man/figures/why.png) with its
# numbers, the dermatology data by several methods, and the times of bench.csv.
#   Rscript bench/readme.R        with kgroups installed; times after bench/bench.R

library(kgroups)

readme <- readLines("README.md")
between <- function(readme, name, lines) {
  marks <- match(sprintf("<!-- %s: %s -->", name, c("begin", "end")), readme)
  stopifnot(!anyNA(marks))
  c(readme[seq_len(marks[1])], "", lines, "", readme[marks[2]:length(readme)])
}
two <- function(x) sub("^0", "", formatC(x, digits = 2, format = "f"))
row_of <- function(...) paste("|", paste(c(...), collapse = " | "), "|")
has <- function(name) name %in% getNamespaceExports("kgroups")

# ---- why, in one picture: a column a case, k-means (or Louvain) above, ours below ----

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
  title = "one centre, two spreads, 30 dimensions", data = clouds, k = 2,
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
  points(at, pch = c(16, 17, 15)[truth], col = colour, cex = 0.75)
  graphics::title(title, line = 0.4, cex.main = 1.25, font.main = 1)
  box(col = "grey80")
}
ari <- list()
grDevices::png("man/figures/why.png", width = 460 * max(2, length(cases)), height = if (length(cases) == 1) 480 else 920, res = 110)
single <- length(cases) == 1
par(mfcol = if (single) c(1, 2) else c(2, length(cases)), mar = c(0.6, 0.6, 2, 0.6), oma = c(0, 0, 1.8, 0))
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
  if (!single) mtext(case$title, 3, 0.3, outer = TRUE, font = 2, cex = 0.95, at = (match(case$title, names(ari)) - 0.5) / length(cases))
  show(at, case$ours(one$x), one$truth, paste0("kgroups: ", two(ari[[case$title]][3])), one$x)
}
invisible(grDevices::dev.off())

code <- vapply(cases, function(case) sprintf("%-44s # %s", case$code, case$title), "")
readme <- between(readme, "why", c(
  sprintf(
    "![%s; colours are the clusters found, signs the groups that are there](man/figures/why.png)",
    paste(vapply(cases, `[[`, "", "title"), collapse = "; ")
  ),
  "", "```r", "library(kgroups)", code, "```", "",
  row_of(
    "share of points in their group, mean of 20 data sets", if (has("cluster_communities")) "k-means (Louvain)" else "k-means",
    if (has("cluster_communities")) "PAM (Leiden)" else "PAM", "kgroups"
  ),
  "|---|---:|---:|---:|",
  vapply(cases, function(case) row_of(case$title, two(ari[[case$title]])), "")
))

# ---- dermatology, by what R has at hand ----

data <- read.csv(kgroups_example("dermatology.csv"))
x <- data[names(data) != "class"]
x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
x <- scale(x)
set.seed(1)
found <- list(
  "`kmeans(x, 6, nstart = 50)`" = kmeans(x, 6, iter.max = 100, nstart = 50)$cluster,
  "`cluster::pam(x, 6)`" = cluster::pam(x, 6)$clustering,
  "`hclust(dist(x), \"ward.D2\")`" = cutree(hclust(dist(x), "ward.D2"), 6),
  "`mclust::Mclust(x, 6)`" = local({
    mclustBIC <- mclust::mclustBIC
    mclust::Mclust(x, 6, verbose = FALSE)$classification
  }),
  "`kgroups(x, 6)`" = kgroups(x, 6)$cluster,
  "`kgroups(x, 6, semimetric = rho_power(1 / 2))`" = kgroups(x, 6, semimetric = rho_power(1 / 2))$cluster
)
readme <- between(readme, "dermatology", c(
  row_of("", "accuracy", "adjusted Rand"), "|---|---:|---:|",
  vapply(names(found), function(name) {
    row_of(name, two(compare_clusters(data$class, found[[name]], "accuracy")), two(compare_clusters(data$class, found[[name]])))
  }, "", USE.NAMES = FALSE)
))

# ---- times ----

bench <- read.csv("bench/bench.csv")
columns <- c(
  "`kgroups()`" = "default call", energy = "energy", kernlab = "kernlab", kkmeans = "kkmeans",
  "`stats::kmeans()`, 10 starts" = "stats::kmeans, 10 starts", "`stats::dist()` alone" = "stats::dist alone"
)
cell <- function(n, method) {
  seconds <- bench$seconds[bench$n == n & bench$d == 10 & bench$k == 10 & bench$method == method]
  if (length(seconds)) formatC(seconds, format = "f", digits = 2) else "not run"
}
sizes <- c(5000, 10000, 100000)
readme <- between(readme, "times", c(
  row_of("n", names(columns)), paste0("|", strrep("---:|", length(columns) + 1)),
  vapply(sizes, function(n) row_of(format(n, big.mark = ",", scientific = FALSE), vapply(columns, cell, "", n = n)), "")
))
# one empty line where there were several
writeLines(readme[!(readme == "" & c("x", readme[-length(readme)]) == "")], "README.md")
