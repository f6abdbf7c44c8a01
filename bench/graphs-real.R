# Real graphs whose vertices have labels: Rscript bench/graphs-real.R [GRAPH ...]
#
# The cluster_communities(), its parts and igraph's Louvain, Leiden and Infomap: groups found, adjusted Rand index
# with the labels that authors gave, modularity, processor seconds. Means of ten seeds for igraph's three, of three
# for ours (one above 150 vertices). The graphs come from the sources of packages, which
# download.packages() gets (nothing is installed), and one from R itself: its functions and who calls whom.
# Writes the parts "real" and "weights" of vignettes/graphs.csv; of GRAPHs named, as parts of their names
# (or "weights"), only these.
library(kgroups)
source("bench/graphs-common.R")
only <- commandArgs(TRUE)

# An object of the data of a package that need not be installed.
sources <- tempfile("sources")
dir.create(sources)
got <- utils::download.packages(
  c("ergm", "greed", "gsbm", "igraphdata", "robin", "sand"), sources,
  type = "source", quiet = TRUE
)
for (one in got[, 2]) utils::untar(one, exdir = sources)
data_of <- function(package, file, name = sub("[.].*", "", basename(file))) {
  path <- file.path(sources, package, file)
  if (grepl("gml$", file)) {
    return(igraph::read_graph(path, "gml"))
  }
  there <- new.env()
  load(path, there)
  there[[name]]
}
simple_graph <- function(graph, label) {
  for (attribute in igraph::edge_attr_names(graph)) graph <- igraph::delete_edge_attr(graph, attribute)
  graph <- igraph::simplify(igraph::as.undirected(graph))
  for (attribute in igraph::vertex_attr_names(graph)) graph <- igraph::delete_vertex_attr(graph, attribute)
  igraph::set_vertex_attr(graph, "label", value = as.character(label))
}
from_matrix <- function(A, label) {
  A <- as.matrix(A)
  A[is.na(A)] <- 0
  simple_graph(igraph::graph_from_adjacency_matrix(1 * (A + t(A) > 0), "undirected"), label)
}
from_igraph <- function(graph, label) {
  graph <- igraph::upgrade_graph(graph)
  simple_graph(graph, igraph::vertex_attr(graph, label))
}
# an edge where one function's body names another
r_functions <- function(packages = c("stats", "utils", "graphics", "grDevices", "methods", "tools", "grid", "splines")) {
  all <- do.call(rbind, lapply(packages, function(package) {
    space <- asNamespace(package)
    name <- Filter(function(one) is.function(get(one, space)), ls(space))
    data.frame(package, name, body = I(lapply(name, function(one) body(get(one, space)))))
  }))
  all <- all[!duplicated(all$name), ]
  ends <- do.call(rbind, lapply(seq_len(nrow(all)), function(i) {
    to <- setdiff(match(unique(all.names(all$body[[i]])), all$name), c(NA, i))
    if (length(to)) cbind(i, to)
  }))
  graph <- igraph::make_graph(t(ends), n = nrow(all), directed = FALSE)
  part <- igraph::components(graph)
  inside <- part$membership == which.max(part$csize)
  simple_graph(igraph::induced_subgraph(graph, inside), all$package[inside])
}

graphs <- list(
  "karate club: side taken" = function() from_igraph(data_of("igraphdata", "data/karate.rda"), "Faction"),
  "monastery: groups" = function() {
    # a directed network of package network: of each tie, its two ends
    one <- data_of("ergm", "data/sampson.RData", "samplike")
    ends <- vapply(Filter(length, one$mel), function(tie) c(tie$outl[[1]], tie$inl[[1]]), numeric(2))
    label <- vapply(one$val, function(vertex) vertex$group, "")
    simple_graph(igraph::make_graph(as.vector(ends), n = length(label), directed = FALSE), label)
  },
  "lawyers: office" = function() from_igraph(data_of("sand", "data/lazega.rda"), "Office"),
  "faculty: school" = function() from_igraph(data_of("igraphdata", "data/UKfaculty.rda"), "Group"),
  "books: leaning" = function() {
    one <- data_of("greed", "data/Books.rda")
    from_matrix(one$X, one$label)
  },
  "football: conference" = function() {
    graph <- data_of("robin", "inst/example/football.gml")
    simple_graph(graph, igraph::V(graph)$value)
  },
  "French blogs: party" = function() from_igraph(data_of("sand", "data/fblog.rda"), "PolParty"),
  "school: class" = function() {
    one <- data_of("gsbm", "data/PrimarySchool.RData")
    from_matrix(one$A, one$class)
  },
  "US blogs: leaning" = function() {
    one <- data_of("gsbm", "data/blogosphere.RData")
    from_matrix(one$A, one$opinion)
  },
  "R's functions: package" = function() r_functions()
)
if (length(only)) graphs <- graphs[grepl(paste(only, collapse = "|"), names(graphs))]

quiet <- suppressMessages
leiden <- function(graph) igraph::cluster_leiden(graph, objective_function = "modularity", n_iterations = 20)
methods <- list(
  "cluster_communities()" = function(graph, k) quiet(cluster_communities(graph)),
  "the same, k known" = function(graph, k) quiet(cluster_communities(graph, k)),
  "Bethe Hessian" = function(graph, k) quiet(cluster_bethe_hessian(graph)),
  "k-groups" = function(graph, k) quiet(cluster_kgroups(graph)),
  "belief propagation" = function(graph, k) quiet(cluster_belief_propagation(graph)),
  Leiden = function(graph, k) leiden(graph),
  Louvain = function(graph, k) igraph::cluster_louvain(graph),
  Infomap = function(graph, k) igraph::cluster_infomap(graph)
)

# Means over seeds; vertices without a label are skipped of the comparison with labels.
measured <- function(case, graph, method, k = NULL, seeds = 10) {
  label <- igraph::V(graph)$label
  known <- !is.na(label)
  if (is.null(k)) k <- length(unique(label[known]))
  runs <- vapply(seq_len(seeds), function(seed) {
    set.seed(seed)
    time <- sum(system.time(found <- methods[[method]](graph, k))[1:2])
    found <- as.integer(igraph::membership(found))
    c(
      k = max(found), value = compare_clusters(label[known], found[known]),
      modularity = igraph::modularity(graph, found, weights = rep(1, igraph::ecount(graph))), seconds = time
    )
  }, numeric(4))
  cbind(data.frame(case = case, method = method, graphs = seeds), t(round(rowMeans(runs), 4)))
}

options(width = 120)
for (case in names(graphs)) {
  graph <- graphs[[case]]()
  label <- igraph::V(graph)$label
  size <- data.frame(case = case, method = c("vertices", "edges", "labels"), graphs = NA, k = c(
    igraph::vcount(graph), igraph::ecount(graph), length(unique(label[!is.na(label)]))
  ), value = NA, modularity = NA, seconds = NA)
  out <- do.call(rbind, lapply(names(methods), function(method) {
    fast <- method %in% c("Leiden", "Louvain", "Infomap")
    measured(case, graph, method, seeds = if (fast) 10 else if (igraph::vcount(graph) > 150) 1 else 3)
  }))
  print(out, row.names = FALSE)
  page_rows("real", rbind(size, out), again = TRUE)
}

# ---- edge weights: as they are, damped, skipped ----

if (!length(only) || "weights" %in% only) {
  graph <- igraph::upgrade_graph(data_of("igraphdata", "data/UKfaculty.rda"))
  label <- igraph::V(graph)$Group
  ways <- list("as they are" = NULL, log1p = "log1p", "left out" = NA)
  rows <- do.call(rbind, lapply(names(ways), function(way) {
    do.call(rbind, lapply(c("cluster_communities()", "Bethe Hessian", "k-groups", "Leiden"), function(method) {
      runs <- vapply(1:3, function(seed) {
        set.seed(seed)
        one <- igraph::as.undirected(graph, edge.attr.comb = "sum")
        found <- quiet(switch(method,
          "cluster_communities()" = cluster_communities(one, weights = ways[[way]]),
          "Bethe Hessian" = cluster_bethe_hessian(one, weights = ways[[way]]),
          "k-groups" = cluster_kgroups(one, weights = ways[[way]]),
          Leiden = {
            weight <- igraph::E(one)$weight
            if (way != "as they are") weight <- if (way == "log1p") log1p(weight) else rep(1, length(weight))
            leiden(igraph::set_edge_attr(one, "weight", value = weight))
          }
        ))
        c(k = length(found), value = compare_clusters(label, as.integer(igraph::membership(found))))
      }, numeric(2))
      cbind(data.frame(case = way, method = method, graphs = 3), t(round(rowMeans(runs), 4)))
    }))
  }))
  print(rows, row.names = FALSE)
  page_rows("weights", rows)
}
