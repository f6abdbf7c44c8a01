# Contiguous clusters: W and seconds beside Ward along edges, skater (spdep), skater, redcap and azp (rgeoda) on six
# public maps, random fields and orders; seconds of the other constraints.
#   Rscript bench/constraints.R > bench/constraints.md
library(kgroups)

field <- function(seed, side = 20) {
  set.seed(seed)
  z <- matrix(rnorm(side^2), side)
  for (i in 1:4) {
    up <- z[c(2:side, side), ]
    down <- z[c(1, 1:(side - 1)), ]
    z <- (z + up + down + z[, c(2:side, side)] + z[, c(1, 1:(side - 1))]) / 5
  }
  cbind(c(z) / sd(z), rnorm(side^2, sd = 0.3))
}

# CPU seconds
seconds <- function(expr) sum(system.time(expr)[1:2])

as_nb <- function(near) structure(near, class = "nb", region.id = as.character(seq_along(near)))

# k - 1 cuts of a spanning tree, by squared distances of the columns
skater <- function(x, graph, k) {
  nb <- as_nb(lapply(igraph::as_adj_list(graph), as.integer))
  cost <- spdep::nbcosts(nb, x)
  tree <- spdep::mstree(spdep::nb2listw(nb, cost, style = "B"))
  spdep::skater(tree[, 1:2], x, k - 1)$groups
}

# Ward's merges of the pair of linked clusters whose merge raises the sum of squares least, all pairs at each step
ward_along_edges <- function(x, graph, k) {
  n <- nrow(x)
  label <- seq_len(n)
  size <- rep(1, n)
  mean <- x
  edges <- igraph::as_edgelist(graph, names = FALSE)
  for (step in seq_len(n - k)) {
    ends <- matrix(label[edges], ncol = 2)
    edges <- edges[ends[, 1] != ends[, 2], , drop = FALSE]
    ends <- ends[ends[, 1] != ends[, 2], , drop = FALSE]
    one <- ends[, 1]
    other <- ends[, 2]
    square <- rowSums((mean[one, , drop = FALSE] - mean[other, , drop = FALSE])^2)
    rise <- size[one] * size[other] / (size[one] + size[other]) * square
    at <- which.min(rise)
    a <- one[at]
    b <- other[at]
    mean[a, ] <- (size[a] * mean[a, ] + size[b] * mean[b, ]) / (size[a] + size[b])
    size[a] <- size[a] + size[b]
    label[label == b] <- a
  }
  match(label, unique(label))
}

rgeoda_weights <- function(graph) {
  near <- lapply(igraph::as_adj_list(graph), as.integer)
  w <- rgeoda::create_weights(as.numeric(length(near)))
  for (i in seq_along(near)) rgeoda::set_neighbors(w, i, near[[i]])
  rgeoda::update_weights(w)
  w
}

# The largest part of a map: columns of mean 0 and standard deviation 1, and the graph.
new_map <- function(x, nb) {
  near <- lapply(nb, function(to) to[to > 0])
  edges <- cbind(rep(seq_along(near), lengths(near)), unlist(near))
  graph <- igraph::simplify(igraph::make_graph(t(edges), n = length(near), directed = FALSE))
  part <- igraph::components(graph)
  rows <- which(part$membership == which.max(part$csize))
  list(x = scale(as.matrix(x)[rows, , drop = FALSE]), graph = igraph::induced_subgraph(graph, rows))
}

maps <- function() {
  data <- new.env()
  for (name in c("columbus", "boston", "nydata", "used.cars")) {
    utils::data(list = name, package = "spData", envir = data)
  }
  counties <- sf::st_read(system.file("shape/nc.shp", package = "sf"), quiet = TRUE)
  births <- sf::st_drop_geometry(counties)
  cases <- as.matrix(births[c("SID74", "SID79", "NWBIR74", "NWBIR79")])
  rates <- cases / as.matrix(births[c("BIR74", "BIR79")])[, c(1, 2, 1, 2)]
  wheat <- sf::st_read(system.file("shapes/wheat.shp", package = "spData"), quiet = TRUE)
  list(
    "Columbus, crime" = new_map(data$columbus[c("CRIME", "INC", "HOVAL")], data$col.gal.nb),
    "North Carolina, infant deaths" = new_map(rates, spdep::poly2nb(counties)),
    "New York, leukaemia" = new_map(
      data$nydata[c("PEXPOSURE", "PCTAGE65P", "PCTOWNHOME", "PROPCAS")], data$listw_NY$neighbours
    ),
    "Wheat, yields of plots" = new_map(sf::st_drop_geometry(wheat)["yield"], spdep::poly2nb(wheat)),
    "Boston, housing" = new_map(data$boston.c[c("CMEDV", "CRIM", "NOX", "RM", "LSTAT", "AGE")], data$boston.soi),
    "48 states, prices of used cars" = new_map(data$used.cars, data$usa48.nb)
  )
}

cat("# Constraints\n\n`Rscript bench/constraints.R`\n\n")
cat("Six maps (packages spData and sf), columns of standard deviation 1, k clusters. The sum of squares, which is\n")
cat("W of `rho_power(2)` and the criterion of the other methods, relative to that of Ward's merges along edges.\n\n")
methods <- list(
  Ward = ward_along_edges,
  kgroups = function(x, graph, k) {
    kgroups(x, k, semimetric = rho_power(2), contiguous = graph, standardize = FALSE)$cluster
  },
  "skater (spdep)" = skater,
  "skater (rgeoda)" = function(x, graph, k) {
    rgeoda::skater(k, rgeoda_weights(graph), as.data.frame(x), scale_method = "raw")$Clusters
  },
  redcap = function(x, graph, k) {
    rgeoda::redcap(k, rgeoda_weights(graph), as.data.frame(x), "fullorder-wardlinkage", scale_method = "raw")$Clusters
  },
  azp = function(x, graph, k) {
    rgeoda::azp_greedy(k, rgeoda_weights(graph), as.data.frame(x), inits = 5, scale_method = "raw")$Clusters
  }
)
if (!requireNamespace("rgeoda", quietly = TRUE)) methods <- methods[1:3]
results <- do.call(rbind, lapply(maps(), function(map) {
  do.call(rbind, lapply(c(5, 10), function(k) {
    one <- vapply(methods, function(method) {
      set.seed(1)
      took <- seconds(label <- method(map$x, map$graph, k))
      stopifnot(length(unique(label)) == k)
      for (l in 1:k) stopifnot(igraph::is_connected(igraph::induced_subgraph(map$graph, which(label == l))))
      c(W = energy_statistics(map$x, label, semimetric = rho_power(2))$W, seconds = took)
    }, c(W = 0, seconds = 0))
    c(n = nrow(map$x), k = k, one["W", -1] / one["W", 1], one["seconds", ])
  }))
}))
peers <- names(methods)[-1]
name <- rep(names(maps()), each = 2)
cat("| map | n | k | ", paste(peers, "|", collapse = " "), "\n|", strrep("---|", 3 + length(peers)), "\n", sep = "")
cat(sprintf(
  "| %s | %d | %d | %s |\n", name, results[, 1], results[, 2],
  apply(results[, 2 + seq_along(peers)], 1, function(v) paste(sprintf("%.3f", v), collapse = " | "))
), sep = "")
cat("\nCPU seconds; those of Ward are of a reference in R.\n\n")
cat("| map | k | Ward | ", paste(peers, "|", collapse = " "), "\n|", strrep("---|", 3 + length(peers)), "\n", sep = "")
cat(sprintf(
  "| %s | %d | %s |\n", name, results[, 2],
  apply(results[, -seq_len(2 + length(peers))], 1, function(v) paste(sprintf("%.2f", v), collapse = " | "))
), sep = "")
cat("\nW by the Euclidean distance relative to Ward's merges along edges, k = 6, 20 random fields of 400 cells.\n\n")
graph <- igraph::make_lattice(c(20, 20))
found <- t(vapply(101:120, function(seed) {
  x <- field(seed)
  ward <- energy_statistics(x, predict(kgroups_tree(x, contiguous = graph), 6))$W
  took <- seconds(fit <- kgroups(x, 6, contiguous = graph))
  stopifnot(vapply(1:6, function(l) igraph::is_connected(igraph::induced_subgraph(graph, which(fit$cluster == l))), NA))
  tree <- energy_statistics(x, skater(x, graph, 6))$W
  c(kgroups = fit$W / ward, skater = tree / ward, seconds = took)
}, c(kgroups = 0, skater = 0, seconds = 0)))
cat("| | mean | worst |\n|---|---|---|\n")
cat(sprintf("| kgroups | %.3f | %.3f |\n", mean(found[, "kgroups"]), max(found[, "kgroups"])))
cat(sprintf("| skater (spdep) | %.3f | %.3f |\n", mean(found[, "skater"]), max(found[, "skater"])))
cat(sprintf("| CPU seconds of kgroups | %.2f | %.2f |\n", mean(found[, "seconds"]), max(found[, "seconds"])))

cat("\n`\"order\"` beside the exact segmentation, 100 series of 30 to 60 observations, k = 2 to 5: ")
same <- vapply(1:100, function(seed) {
  set.seed(seed)
  n <- sample(30:60, 1)
  k <- sample(2:5, 1)
  x <- cumsum(rnorm(n)) + rnorm(n)
  abs(kgroups(x, k, contiguous = "order")$W / kgroups_changes(x, k, least = 1)$W - 1) < 1e-8
}, NA)
cat(sprintf("equal in %d.\n\n", sum(same)))

cat("| | CPU seconds |\n|---|---|\n")
set.seed(1)
large <- igraph::make_lattice(c(100, 200))
x <- cbind(c(outer(sin(1:100 / 9), cos(1:200 / 15))), rnorm(20000, sd = 0.3))
cat(sprintf("| contiguous, 20,000 cells, k = 20 | %.1f |\n", seconds(kgroups(x, 20, contiguous = large))))
y <- matrix(rnorm(20000), 10000)
pairs <- matrix(sample(10000, 2000), ncol = 2)
cat(sprintf("| 1,000 pairs apart, n = 10,000, k = 5 | %.1f |\n", seconds(kgroups(y, 5, apart = pairs))))
z <- matrix(rnorm(5200), 2600)
cat(sprintf("| equal sizes, n = 2,600, k = 500 | %.1f |\n", seconds(kgroups(z, 500, sizes = "equal"))))
