# Graphs, measured: Rscript bench/graphs.R PART [ARGUMENTS]     (package installed, from the root)
#
#   girvan-newman [GRAPHS [METHOD ...]]   Table I of the paper: n = 128, four groups of 32, mean degree 16
#   girvan-newman-drawn                   the same, each vertex in a group drawn at random, so that sizes vary
#   phase [GRAPHS [METHOD ...]]           Figure 5 of the paper: n = 1000, mean degree 3, 2, 5 and 15 groups
#   models [GRAPHS [INTERFACES]]          block models by description length, hubs, uneven groups, no groups
#   real [GRAPH ...]                      real graphs whose vertices have labels
#   weights [GRAPHS]                      planted groups with random edge weights; printed only
#   size [SIZE,... [STEP,...]]            time and memory of graphs of up to 1e6 vertices
#   shapes                                seconds of cluster_communities() on shapes of up to 1e4 edges; printed only
#   interrupt [PAUSE,...]                 seconds until Ctrl-C is answered; printed only
#   report                                writes bench/graphs.md
#
# Means go to vignettes/graphs.csv. All methods have the same graphs; graph i of a setting has its own seed.
source("tests/testthat/helper-graphs.R")
library(kgroups)
arguments <- commandArgs(TRUE)
part <- if (length(arguments)) arguments[1] else ""
arguments <- arguments[-1]
graphs <- function(default) if (length(arguments)) as.integer(arguments[1]) else default
quiet <- function(code) suppressWarnings(suppressMessages(code))
leiden <- function(graph) igraph::cluster_leiden(graph, objective_function = "modularity", n_iterations = 20)

# ---- graphs with planted groups, the limit of what can be found, rows of the page ----

# n times the edge probabilities inside and across k equal groups at a signal to noise ratio.
sbm_rates <- function(k, degree, snr) {
  c(a = degree + (k - 1) * snr * sqrt(degree), b = degree - snr * sqrt(degree))
}

# Edges at random, expected degrees theta (mean 1) times the rates of the groups; probabilities cut at 1.
planted <- function(block, theta, a, b) {
  n <- length(block)
  P <- outer(theta, theta) * ifelse(outer(block, block, "=="), a, b) / n
  ends <- which(upper.tri(P) & matrix(runif(n * n), n) < P, arr.ind = TRUE)
  graph <- igraph::make_graph(t(ends), n = n, directed = FALSE)
  igraph::set_vertex_attr(graph, "block", value = block)
}
of_sizes <- function(sizes) rep(seq_along(sizes), sizes)
# Expected degrees with a tail like that of a Pareto law: hubs.
pareto <- function(n, tail) {
  theta <- runif(n)^(-1 / tail)
  theta / mean(theta)
}

# Puts rows of one part into vignettes/graphs.csv: in the place of the whole part, or, with `again`, of the rows
# of the same case and method, new ones after the others.
#   part, case, method; graphs: how many; k: groups found; value: overlap or adjusted Rand index,
#   se its standard error; modularity; seconds: processor time; mb: memory above the graph
page_rows <- function(part, rows, again = FALSE, file = "vignettes/graphs.csv") {
  columns <- c("part", "case", "method", "graphs", "k", "value", "se", "modularity", "seconds", "mb")
  rows$part <- part
  rows[setdiff(columns, names(rows))] <- NA
  rows <- rows[columns]
  there <- if (file.exists(file)) read.csv(file, colClasses = c(case = "character"))
  if (again) {
    at <- match(do.call(paste, rows[1:3]), do.call(paste, there[1:3]))
    there[stats::na.omit(at), ] <- rows[!is.na(at), ]
    rows <- rows[is.na(at), ]
  } else {
    there <- there[there$part != part, ]
  }
  write.csv(rbind(there, rows), file, row.names = FALSE, na = "", quote = 2:3)
}

# The best that any method can do on a graph of the stochastic block model: belief propagation
# with the true parameters, started from the planted groups. Plain R, nothing of the package.
#
# `a`, `b`: n times the edge probabilities inside and across groups; `share`: sizes of the
# groups as shares. Returns the most probable group of every vertex.
belief_limit <- function(graph, block, a, b, share = NULL, sweeps = 100) {
  n <- igraph::vcount(graph)
  k <- max(block)
  b <- max(b, 1e-6)
  prior <- if (is.null(share)) rep(0, k) else log(share)
  ends <- igraph::as_edgelist(graph, names = FALSE)
  from <- c(ends[, 1], ends[, 2]) # message e goes from[e] -> to[e]
  to <- c(ends[, 2], ends[, 1])
  m <- nrow(ends)
  back <- c(m + seq_len(m), seq_len(m))
  P <- matrix(0.2 / k, n, k)
  P[cbind(seq_len(n), block)] <- P[cbind(seq_len(n), block)] + 0.8
  M <- P[from, , drop = FALSE]
  softmax <- function(L) {
    L <- exp(L - L[cbind(seq_len(nrow(L)), max.col(L, ties.method = "first"))])
    L / rowSums(L)
  }
  for (sweep in seq_len(sweeps)) {
    field <- prior - (a - b) / n * colSums(P)
    term <- log(b + (a - b) * M)
    L <- matrix(field, n, k, byrow = TRUE)
    sums <- rowsum(term, to)
    at <- as.integer(rownames(sums))
    L[at, ] <- L[at, , drop = FALSE] + sums
    new <- softmax(L)
    M <- softmax(L[from, , drop = FALSE] - term[back, , drop = FALSE])
    change <- mean(abs(new - P))
    P <- new
    if (change < 1e-4) break
  }
  max.col(P, ties.method = "first")
}

# ---- the experiments of the paper ----

paper_methods <- list(
  "paper Bethe" = function(g, k) cluster_bethe_hessian(g, k, normalize = FALSE),
  "paper k-groups" = function(g, k) cluster_kgroups(g, k, normalize = FALSE, vertex_weights = "degree"),
  "Bethe Hessian" = function(g, k) cluster_bethe_hessian(g, k),
  "k-groups" = function(g, k) quiet(cluster_kgroups(g, k)),
  "belief propagation" = function(g, k) quiet(cluster_belief_propagation(g, k))
)

if (length(arguments) > 1) paper_methods <- paper_methods[arguments[-1]]

# Mean overlap of every method at every setting.
overlaps <- function(settings, n, degree, graphs, drawn = FALSE) {
  do.call(rbind, lapply(seq_len(nrow(settings)), function(row) {
    k <- settings$k[row]
    snr <- settings$snr[row]
    rate <- sbm_rates(k, degree, snr)
    scores <- do.call(rbind, lapply(seq_len(graphs), function(i) {
      set.seed(i)
      graph <- if (drawn) {
        sizes <- tabulate(sample.int(k, n, replace = TRUE), k)
        planted(of_sizes(sizes), rep(1, n), rate[["a"]], rate[["b"]])
      } else {
        sample_sparse_sbm(n, k, degree, snr)
      }
      block <- igraph::V(graph)$block
      got <- vapply(paper_methods, function(method) compare_clusters(block, method(graph, k), "overlap"), 0)
      if (drawn || length(arguments) > 1) {
        return(got)
      }
      c(got, limit = compare_clusters(block, belief_limit(graph, block, rate[["a"]], rate[["b"]]), "overlap"))
    }))
    message("k = ", k, ", lambda = ", snr)
    data.frame(
      case = if (nlevels(factor(settings$k)) > 1) sprintf("k = %d, lambda = %g", k, snr) else format(snr),
      method = colnames(scores), graphs = graphs, value = round(colMeans(scores), 4),
      se = round(apply(scores, 2, sd) / sqrt(graphs), 4), row.names = NULL
    )
  }))
}

# ---- block models chosen by description length ----

# Families of planted groups, GRAPHS of each, graph i from seed 640000 + i; `cluster_communities()` on the first INTERFACES.
#   accuracy  every way that was passed over beside the one taken, and the same belief propagation
#             started from the planted groups: adjusted Rand index; overlap where the limit is known
#   models    which model the description length selects, 10 graphs from each of the six models
#   none      graphs without groups, 20 of each kind: is the answer of cluster_communities() one group?
# Writes .build/graphs-models.csv, a row a graph, and goes on where it was stopped.
models_file <- ".build/graphs-models.csv"
models <- c("plain", "plain_p", "dc", "dc_p", "dc_norm", "dc_norm_bins")

hubs <- function(sizes, tail) {
  rate <- sbm_rates(length(sizes), 8, 1.4)
  planted(of_sizes(sizes), pareto(sum(sizes), tail), rate[["a"]], rate[["b"]])
}
even <- rep(250, 4)

# the graph, the number of groups and, where the limit is known, lambda
families <- list(
  "planted partition, lambda 1.553" = list(function() sample_sparse_sbm(1000, 5, 3, 1.553), 5, 1.553),
  "planted partition, lambda 1.237" = list(function() sample_sparse_sbm(1000, 5, 3, 1.237), 5, 1.237),
  "degrees of tail 2.5" = list(function() hubs(even, 2.5), 4),
  "degrees of tail 2" = list(function() hubs(even, 2), 4),
  "degrees of tail 1.5" = list(function() hubs(even, 1.5), 4),
  "tail 2, sizes 450/300/150/100" = list(function() {
    planted(of_sizes(c(450, 300, 150, 100)), pareto(1000, 2), 22, 2.5)
  }, 4),
  "sizes 600/200/100/100" = list(function() planted(of_sizes(c(600, 200, 100, 100)), rep(1, 1000), 13, 2), 4),
  "sizes 500/300/200" = list(function() planted(of_sizes(c(500, 300, 200)), rep(1, 1000), 12, 2.2), 3)
)

# Labels by the six models, each from the planted groups, and by the one of least description length. Isolated vertices are
# groups of their own, as in the functions of the package.
from_planted <- function(graph, block, k) {
  simple <- kgroups:::as_simple_adjacency(graph)
  tried <- lapply(models, function(model) {
    run <- kgroups:::propagate_beliefs(simple, block, k, model = model)
    kgroups:::belief_candidate(simple, run, model)
  })
  alone <- which(igraph::degree(graph) == 0)
  labels <- lapply(tried, function(one) replace(one$labels, alone, k + seq_along(alone)))
  names(labels) <- paste("planted", models, sep = "_")
  c(labels, list(planted = labels[[kgroups:::belief_choice(tried)]]))
}

measure_accuracy <- function(name, i, interfaces) {
  family <- families[[name]]
  k <- family[[2]]
  set.seed(640000 + i)
  graph <- family[[1]]()
  block <- igraph::V(graph)$block
  time <- system.time(picked <- quiet(cluster_belief_propagation(graph, k)))
  # the cluster_communities() fits some dozens of times: on the first graphs only
  interface_time <- system.time(interface <- if (i <= interfaces) quiet(cluster_communities(graph)))
  labels <- c(
    list(
      start = quiet(cluster_bethe_hessian(graph, k)), kgroups = quiet(cluster_kgroups(graph, k)),
      plain = quiet(cluster_belief_propagation(graph, k, model = "plain")), picked = picked
    ),
    from_planted(graph, block, k),
    if (i <= interfaces) list(interface = interface),
    list(
      leiden = leiden(graph),
      louvain = igraph::cluster_louvain(graph)
    )
  )
  labels <- lapply(labels, function(one) if (is.list(one)) as.integer(igraph::membership(one)) else one)
  row <- data.frame(part = "accuracy", family = name, graph = i, lapply(labels, compare_clusters, truth = block))
  if (length(family) > 2) {
    rate <- sbm_rates(k, 3, family[[3]])
    row$overlap <- compare_clusters(block, labels$picked, "overlap")
    row$overlap_limit <- compare_clusters(block, belief_limit(graph, block, rate[["a"]], rate[["b"]]), "overlap")
  }
  row$interface_k <- if (i <= interfaces) length(interface) - interface$isolated else NA_integer_
  row$leiden_k <- max(labels$leiden)
  row$model <- attr(picked, "model")
  row$seconds <- sum(time[1:2])
  row$interface_seconds <- if (i <= interfaces) sum(interface_time[1:2]) else NA_real_
  row
}

# Ten graphs from each of the six models, groups clear enough to be found.
of_model <- list(
  plain = function() sample_sparse_sbm(1000, 4, 6, 1.8),
  plain_p = function() planted(of_sizes(c(450, 300, 150, 100)), rep(1, 1000), 16, 2),
  dc = function() planted(of_sizes(even), pareto(1000, 2.5), 20, 2),
  # groups of different size, but of one sum of degrees
  dc_p = function() {
    block <- of_sizes(c(400, 300, 200, 100))
    theta <- pareto(1000, 2.5)
    planted(block, 250 * theta / ave(theta, block, FUN = sum), 20, 2)
  },
  # one law of theta: degrees rise with the size of the group, mildly
  dc_norm = function() {
    block <- of_sizes(c(310, 270, 230, 190))
    theta <- pareto(1000, 2.5)
    planted(block, theta / ave(theta, block), 20, 2)
  },
  # hubs and leaves in one group, equals in the others
  dc_norm_bins = function() {
    block <- of_sizes(even)
    theta <- ifelse(block == 1, pareto(1000, 1.3), ifelse(block == 2, runif(1000), 1))
    planted(block, theta / ave(theta, block), 40, 6)
  }
)
measure_choice <- function(name, i) {
  set.seed(640500 + i)
  graph <- of_model[[name]]()
  block <- igraph::V(graph)$block
  found <- quiet(cluster_belief_propagation(graph, max(block)))
  data.frame(
    part = "models", family = name, graph = i, picked = compare_clusters(block, found), model = attr(found, "model")
  )
}

without <- list(
  "random graph" = function(i) igraph::sample_gnm(1000, c(1500, 3000, 5000)[1 + i %% 3]),
  "random graph with hubs" = function(i) planted(rep(1L, 1000), pareto(1000, c(1.5, 2, 2.5)[1 + i %% 3]), 8, 8)
)
measure_none <- function(name, i) {
  set.seed(641000 + i)
  graph <- without[[name]](i)
  found <- quiet(cluster_communities(graph))
  leiden <- leiden(graph)
  data.frame(
    part = "none", family = name, graph = i, interface_k = length(found) - found$isolated, leiden_k = length(leiden),
    model = attr(found, "model")
  )
}

bind_rows <- function(above, row) {
  for (name in setdiff(names(row), names(above))) above[[name]] <- rep(NA, nrow(above))
  for (name in setdiff(names(above), names(row))) row[[name]] <- NA
  rbind(above, row[names(above)])
}
none_yet <- data.frame(part = character(), family = character(), graph = integer())
run_models <- function(graphs, interfaces, file = models_file) {
  dir.create(dirname(file), showWarnings = FALSE)
  rows <- if (file.exists(file)) read.csv(file) else none_yet
  keep <- function(part, name, i, measure) {
    if (any(rows$part == part & rows$family == name & rows$graph == i)) {
      return(invisible())
    }
    row <- measure(name, i)
    numbers <- vapply(row, is.double, NA)
    row[numbers] <- lapply(row[numbers], round, 4)
    rows <<- bind_rows(rows, row)
    write.csv(rows, file, row.names = FALSE, na = "")
  }
  # a graph of every family in turn, so that a run that is stopped has the same number of each
  for (i in seq_len(graphs)) {
    for (name in names(families)) keep("accuracy", name, i, function(name, i) measure_accuracy(name, i, interfaces))
    if (i <= 10) for (name in names(of_model)) keep("models", name, i, measure_choice)
    if (i <= 20) for (name in names(without)) keep("none", name, i, measure_none)
  }

  # what the page shows

  page <- c(
    start = "Bethe Hessian", kgroups = "k-groups", plain = "plain model", picked = "model by description length",
    interface = "k by description length too", leiden = "Leiden", louvain = "Louvain",
    planted = "from planted"
  )
  part <- rows[rows$part == "accuracy", ]
  page_rows("models", do.call(rbind, lapply(names(families), function(name) {
    one <- part[part$family == name, ]
    data.frame(
      case = name, method = page, graphs = colSums(!is.na(one[names(page)])),
      value = round(colMeans(one[names(page)], na.rm = TRUE), 4),
      se = round(apply(one[names(page)], 2, function(x) sd(x, na.rm = TRUE) / sqrt(sum(!is.na(x)))), 4)
    )
  })))
  part <- rows[rows$part == "none", ]
  page_rows("none", do.call(rbind, lapply(names(without), function(name) {
    one <- part[part$family == name, ]
    # value: share of graphs that were left as one group; k: mean number of groups
    data.frame(
      case = name, method = c("k by description length too", "Leiden"), graphs = nrow(one),
      k = round(c(mean(one$interface_k), mean(one$leiden_k)), 1),
      value = c(mean(one$interface_k == 1), mean(one$leiden_k == 1))
    )
  })))
  part <- rows[rows$part == "models", ]
  page_rows("choice", do.call(rbind, lapply(models, function(name) {
    one <- part[part$family == name, ]
    data.frame(case = name, method = "model by description length", graphs = nrow(one), value = mean(one$model == name))
  })))
}

# ---- real graphs ----

# `cluster_communities()`, its parts and igraph's Louvain, Leiden and Infomap: groups found, adjusted Rand index with the labels
# that authors gave, modularity, processor seconds. Means of ten seeds for igraph's three, of three for ours (one above 150
# vertices). The graphs come from the sources of packages, of which nothing is installed, and one from R itself.
# An object of the data of a package that need not be installed.
sources <- tempfile("sources")
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
r_functions <- function(
  packages = c("stats", "utils", "graphics", "grDevices", "methods", "tools", "grid", "splines")
) {
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

real_graphs <- list(
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
real_methods <- list(
  "cluster_communities()" = function(graph, k) quiet(cluster_communities(graph)),
  "the same, k known" = function(graph, k) quiet(cluster_communities(graph, k)),
  "Bethe Hessian" = function(graph, k) quiet(cluster_bethe_hessian(graph)),
  "k-groups" = function(graph, k) quiet(cluster_kgroups(graph)),
  "belief propagation" = function(graph, k) quiet(cluster_belief_propagation(graph)),
  Leiden = function(graph, k) leiden(graph),
  Louvain = function(graph, k) igraph::cluster_louvain(graph),
  Infomap = function(graph, k) igraph::cluster_infomap(graph)
)

# Means over seeds; vertices without a label or without edges are left out.
measured <- function(case, graph, method, k = NULL, seeds = 10) {
  label <- igraph::V(graph)$label
  known <- !is.na(label) & igraph::degree(graph) > 0
  if (is.null(k)) k <- length(unique(label[known]))
  runs <- vapply(seq_len(seeds), function(seed) {
    set.seed(seed)
    time <- sum(system.time(found <- real_methods[[method]](graph, k))[1:2])
    found <- as.integer(igraph::membership(found))
    c(
      k = length(unique(found[known])), value = compare_clusters(label[known], found[known]),
      modularity = igraph::modularity(graph, found, weights = rep(1, igraph::ecount(graph))), seconds = time
    )
  }, numeric(4))
  cbind(data.frame(case = case, method = method, graphs = seeds), t(round(rowMeans(runs), 4)))
}

run_real <- function(only) {
  dir.create(sources)
  got <- utils::download.packages(
    c("ergm", "greed", "gsbm", "igraphdata", "robin", "sand"), sources,
    type = "source", quiet = TRUE
  )
  for (one in got[, 2]) utils::untar(one, exdir = sources)
  if (length(only)) real_graphs <- real_graphs[grepl(paste(only, collapse = "|"), names(real_graphs))]
  options(width = 120)
  for (case in names(real_graphs)) {
    graph <- real_graphs[[case]]()
    label <- igraph::V(graph)$label
    size <- data.frame(case = case, method = c("vertices", "edges", "labels"), graphs = NA, k = c(
      igraph::vcount(graph), igraph::ecount(graph), length(unique(label[!is.na(label)]))
    ), value = NA, modularity = NA, seconds = NA)
    out <- do.call(rbind, lapply(names(real_methods), function(method) {
      fast <- method %in% c("Leiden", "Louvain", "Infomap")
      measured(case, graph, method, seeds = if (fast) 10 else if (igraph::vcount(graph) > 150) 1 else 3)
    }))
    print(out, row.names = FALSE)
    page_rows("real", rbind(size, out), again = TRUE)
  }

  # edge weights: as they are, damped, skipped
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
}

# ---- heavy edges: weights above 3 medians are lowered for counts, starts and block models ----

draws <- list(
  "one edge of 10" = function(m) replace(rep(1, m), 5, 10), "one edge of 100" = function(m) replace(rep(1, m), 5, 100),
  "one edge of 1000" = function(m) replace(rexp(m), 5, 1000), "gamma, shape .2" = function(m) rgamma(m, 0.2),
  "Pareto, tail 1" = function(m) runif(m)^-1, "Pareto, tail .6" = function(m) runif(m)^(-1 / 0.6),
  uniform = function(m) runif(m, 0.5, 1.5), exponential = rexp,
  "log-normal, sigma 1.5" = function(m) exp(rnorm(m, 0, 1.5)),
  "karate, exponential" = rexp
)
run_weights <- function(graphs) {
  for (name in names(draws)) {
    scores <- vapply(seq_len(graphs), function(i) {
      set.seed(i)
      graph <- if (grepl("karate", name)) {
        igraph::set_vertex_attr(karate(), "block", value = karate_classes())
      } else {
        sample_sparse_sbm(300, 3, 12, 1.8)
      }
      weights <- draws[[name]](igraph::ecount(graph))
      found <- quiet(list(
        cluster_bethe_hessian(graph, 3, weights), cluster_kgroups(graph, 3, weights),
        cluster_belief_propagation(graph, 3, weights), cluster_communities(graph, weights = weights)
      ))
      c(
        vapply(found, function(one) compare_clusters(igraph::V(graph)$block, one), 0),
        length(found[[4L]]) - found[[4L]]$isolated
      )
    }, numeric(5))
    cat(sprintf("%-22s Bethe Hessian %.3f  k-groups %.3f  belief propagation %.3f  communities %.3f (k %.1f)\n",
      name, mean(scores[1, ]), mean(scores[2, ]), mean(scores[3, ]), mean(scores[4, ]), mean(scores[5, ])))
  }
}

# ---- time and memory ----

# 1e5, 3e5 and 1e6 vertices, five edges a vertex, ten groups, lambda 2; 5000 vertices that publish together in 150 fields:
# hundreds of components, cliques, hubs. Every step runs in a process of its own that has read the graph from a file; one that
# has not ended after ten minutes is stopped and leaves no row. Memory is that at the peak above the process with the graph.
megabytes <- function(field) {
  line <- tryCatch(grep(field, readLines("/proc/self/status"), value = TRUE), error = function(e) "")
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

# Papers of one field: fields differ in size and authors in how much they write, a tenth of the
# authors of a paper comes from anywhere.
authors <- function(n = 5000, fields = 150, papers = 6000) {
  field <- sort(sample.int(fields, n, replace = TRUE, prob = pareto(fields, 3)))
  writes <- pareto(n, 2)
  ends <- lapply(sample.int(fields, papers, replace = TRUE, prob = tabulate(field, fields)), function(one) {
    size <- min(1 + rgeom(1, 0.4), 12)
    mine <- which(field == one)
    guests <- rbinom(1, size, 0.1)
    who <- unique(c(
      mine[sample.int(length(mine), min(size - guests, length(mine)), prob = writes[mine])], sample.int(n, guests)
    ))
    if (length(who) > 1) t(utils::combn(who, 2))
  })
  graph <- igraph::simplify(igraph::make_graph(t(do.call(rbind, ends)), n = n, directed = FALSE))
  igraph::set_vertex_attr(graph, "block", value = field)
}

steps <- list(
  count = function(graph, k) count_communities(graph),
  eigenvectors = function(graph, k) {
    simple <- kgroups:::as_simple_adjacency(graph)
    parts <- kgroups:::bethe_parts(simple)
    # the matrix is not part of what is timed
    list(time = system.time(kgroups:::bethe_spectrum(simple, parts, k)))
  },
  cluster_bethe_hessian = function(graph, k) cluster_bethe_hessian(graph, k),
  cluster_kgroups = function(graph, k) cluster_kgroups(graph, k),
  cluster_belief_propagation = function(graph, k) cluster_belief_propagation(graph, k),
  cluster_communities = function(graph, k) cluster_communities(graph),
  cluster_leiden = function(graph, k) igraph::cluster_leiden(
    graph, objective_function = "modularity", n_iterations = 10
  )
)

# Every graph function again and again for k = 3, 50 and 500, SIGINT after each of the pauses: seconds until R has it.
interrupts <- function(pauses) {
  source("tests/testthat/helper-interrupt.R")
  setup <- sprintf("suppressMessages({
    source('%s')
    set.seed(1)
    near <- igraph::sample_grg(20000, 0.02)
    weighted <- igraph::set_edge_attr(near, 'weight', value = runif(igraph::ecount(near)))
    blocks <- sample_sparse_sbm(20000, 50, 20, 3)
    wide <- sample_sparse_sbm(2e5, 10, 10, 2)
    hubs <- igraph::sample_pa(20000, 1.2, 8, directed = FALSE)
    dense <- igraph::sample_gnp(1500, 0.5)
  })", normalizePath("tests/testthat/helper-graphs.R"))
  interfaces <- c("cluster_bethe_hessian", "cluster_kgroups", "cluster_belief_propagation", "cluster_communities")
  each <- expand.grid(interface = interfaces, graph = c("blocks", "hubs"), k = c(3, 50, 500))
  calls <- c(
    sprintf("%s(%s, %d)", each$interface, each$graph, each$k), "cluster_communities(blocks)",
    "cluster_communities(near)", "cluster_communities(weighted)", "select_k(weighted)", "select_k(near)",
    "cluster_belief_propagation(dense, 3)", "count_communities(wide)", "count_communities(hubs)",
    "bethe_hessian(wide)", "select_k(blocks, 45:55)", "stability(kgroups(blocks, 50))"
  )
  found <- do.call(rbind, lapply(pauses, function(pause) {
    # a call that ends begins again, so there is always one to be interrupted
    cbind(call = calls, pause, interrupt_calls(sprintf("repeat { %s }", calls), setup, pause, patience = 60)[-1])
  }))
  print(found[order(-found$seconds), c("call", "pause", "answer", "seconds", "right")], row.names = FALSE, digits = 3)
  cat(sprintf("%d signals, %d interrupted, longest %.2f s\n",
    nrow(found), sum(found$answer == "interrupted"), max(found$seconds, na.rm = TRUE)
  ))
}

# One step, in the process that measures it.
measure_step <- function(file, step, k) {
  graph <- readRDS(file)
  block <- igraph::V(graph)$block
  # what is loaded at a first call is no part of the step
  invisible(cluster_kgroups(igraph::make_ring(10), 2))
  invisible(gc())
  # from here on, the peak
  try(writeLines("5", "/proc/self/clear_refs"), silent = TRUE)
  before <- megabytes("VmRSS")
  set.seed(1)
  time <- system.time(found <- suppressMessages(steps[[step]](graph, k)))
  peak <- megabytes("VmHWM")
  if (is.list(found) && !is.null(found$time)) time <- found$time
  labels <- if (inherits(found, "communities")) as.integer(igraph::membership(found))
  cat(sprintf(
    "%s,%d,%.2f,%.0f,%s,%s\n", step, igraph::vcount(graph), sum(time[1:2]), peak - before,
    if (is.integer(found)) found else if (is.null(labels)) "" else max(labels),
    if (is.null(labels)) "" else sprintf("%.4f", compare_clusters(block, labels))
  ))
}

run_size <- function(sizes, wanted) {
  one <- function(graph, k) {
    kept <- tempfile(fileext = ".rds")
    saveRDS(graph, kept, compress = FALSE)
    on.exit(unlink(kept))
    for (name in wanted) {
      row <- suppressWarnings(system2(
        "Rscript", c("bench/graphs.R", "step", kept, name, k),
        stdout = TRUE, stderr = FALSE, timeout = 600
      ))
      row <- grep(paste0("^", name, ","), row, value = TRUE)
      message(name, ": ", if (length(row)) row else "no answer")
      if (!length(row)) next
      row <- strsplit(paste0(row, ","), ",")[[1]]
      number <- suppressWarnings(as.numeric(row[3:6]))
      page_rows("size", again = TRUE, data.frame(
        case = row[2], method = name, graphs = 1, k = number[3], value = number[4], seconds = number[1], mb = number[2]
      ))
    }
  }
  for (n in sizes) {
    set.seed(1)
    if (n == 5000) one(authors(), 150) else one(sample_sparse_sbm(n, 10, 10, 2), 10)
  }
}

# ---- the report ----

run_report <- function() {
  page <- read.csv("vignettes/graphs.csv", colClasses = c(case = "character"))
  part_of <- function(part, column = "value") {
    rows <- page[page$part == part, ]
    of <- function(x) factor(x, unique(x))
    tapply(rows[[column]], list(of(rows$case), of(rows$method)), identity)
  }
  shown <- function(x, digits = 3, ...) knitr::kable(round(x, digits), ...)
  raw <- read.csv(models_file)
  size <- page[page$part == "size", c("method", "case", "k", "value", "seconds", "mb")]
  names(size) <- c("step", "n", "groups", "adjusted Rand", "seconds", "MB above the graph")

  # planted groups: what was aimed at, what came out
  accuracy <- raw[raw$part == "accuracy", ]
  accuracy <- split(accuracy, factor(accuracy$family, unique(accuracy$family)))
  started <- paste("planted", c("plain", "plain_p", "dc", "dc_p", "dc_norm", "dc_norm_bins"), sep = "_")
  aims <- c(
    "planted partition, lambda 1.553" = 0.002, "planted partition, lambda 1.237" = 0.015, "degrees of tail 2.5" = 0.015,
    "degrees of tail 2" = 0.015, "degrees of tail 1.5" = 0.015, "tail 2, sizes 450/300/150/100" = 0.015,
    "sizes 600/200/100/100" = 0.01, "sizes 500/300/200" = 0.01
  )
  gap <- function(one) {
    if (!anyNA(one$overlap_limit)) {
      return(mean(one$overlap_limit - one$overlap))
    }
    max(colMeans(one[started])) - mean(one$picked)
  }
  short <- do.call(rbind, lapply(names(accuracy), function(name) {
    one <- accuracy[[name]]
    best <- started[which.max(colMeans(one[started]))]
    data.frame(
      family = name, graphs = nrow(one),
      round(rbind(colMeans(one[c("start", "kgroups", "plain", "picked", "planted")])), 3),
      "best from planted" = sprintf("%.3f (%s)", mean(one[[best]]), sub("planted_", "", best)),
      "short by" = sprintf("%.4f", gap(one)), aim = sprintf("%.3f", aims[[name]]),
      "cluster_communities()" = sprintf("%.3f (%d)", mean(one$interface, na.rm = TRUE), sum(!is.na(one$interface))),
      "its k" = sprintf("%.1f", mean(one$interface_k, na.rm = TRUE)),
      Leiden = sprintf("%.3f", mean(one$leiden)), check.names = FALSE
    )
  }))
  models <- raw[raw$part == "models", ]
  none <- raw[raw$part == "none", ]
  real <- part_of("real")
  modularity <- part_of("real", "modularity")
  parts <- c("Bethe Hessian", "k-groups")
  below <- rownames(real)[real[, "cluster_communities()"] < apply(real[, parts], 1, max) - 1e-4]

  text <- c(
    "# Graphs", "",
    "Made by `bench/graphs.R report`. Adjusted Rand index where nothing else is reported; all methods have the same graphs.",
    "",
    "## Planted groups, the model chosen by description length", "",
    "`picked` is `cluster_belief_propagation(graph, k)`; beside it what was passed over: the eigenvectors (`start`),",
    "k-groups, the plain model. `planted` is the model of least description length among six started from the planted groups, `best from planted` the model that is best of",
    "these in the mean. `short by`: overlap below the limit for the planted partition (`belief_limit()`), else `picked` below",
    "the best from planted. The cluster_communities() chooses k too (in brackets: on how many of the graphs).", "",
    knitr::kable(short, align = "r"), "",
    sprintf(
      paste(
        "Description length selects the generating model for %d of %d graphs (aim: 90 %%). Without groups the cluster_communities() answers one",
        "group for %d of %d (aim: 95 %%), Leiden for %d."
      ),
      sum(models$family == models$model), nrow(models), sum(none$interface_k == 1), nrow(none), sum(none$leiden_k == 1)
    ),
    sprintf(
      "Processor seconds, mean: `cluster_belief_propagation()` %.2f, `cluster_communities()` %.2f.",
      mean(raw$seconds, na.rm = TRUE), mean(raw$interface_seconds, na.rm = TRUE)
    ), "",
    knitr::kable(
      table(from = factor(models$family, unique(models$family)), picked = factor(models$model, unique(models$family)))
    ),
    "",
    "## Real graphs", "",
    "`cluster_communities()` chooses k; so do the Bethe Hessian, k-groups and belief propagation, by the count. Means of ten seeds, for our",
    "methods of three, of one above 150 vertices.", "", shown(real[, -(1:3)]), "", "Groups:", "",
    shown(part_of("real", "k"), 1), "",
    "Modularity:", "", shown(modularity[, -(1:3)]), "", "Processor seconds:", "",
    shown(part_of("real", "seconds")[, -(1:3)], 2), "",
    sprintf(
      paste(
        "Mean: cluster_communities() %.3f, Leiden %.3f (aim: at most .02 below). cluster_communities() below the better of start and k-groups",
        "(aim: nowhere): %s."
      ),
      mean(real[, "cluster_communities()"]), mean(real[, "Leiden"]),
      if (length(below)) paste(below, collapse = "; ") else "none"
    ), "",
    if (any(page$part == "weights")) c("Edge weights of the faculty's graph:", "", shown(part_of("weights")), ""),
    "## Size", "",
    "Processor seconds on one core; memory above the process that holds the graph. Aims: count at 5000 vertices .2 s and at 1e6 40 s; at 1e6",
    "vertices eigenvectors 20 s, a call 30 s, 1000 MB; k = 150 on 5000 vertices 12 s.", "",
    knitr::kable(size, row.names = FALSE), "",
    "## The paper: Girvan and Newman's graphs, mean overlap", "",
    shown(part_of("girvan-newman")), "", "The same, each vertex in a group drawn at random, so that sizes vary:", "",
    shown(part_of("girvan-newman-drawn")), "",
    "The paper, 500 graphs (Bethe, k-groups): .183 .177, .485 .489, .840 .870, .943 .960, .975 .982, .997 .998, 1 1. Its figures",
    "are those of groups drawn at random.", "",
    sprintf("## The paper: n = 1000, mean degree 3, mean overlap of %d graphs", page$graphs[page$part == "phase"][1]),
    "",
    sprintf("Standard errors are at most %.3f. The part `phase` was measured with an earlier state of version 0.1.0, whose belief", max(page$se[page$part == "phase"])),
    "propagation had the plain model alone.", "", shown(part_of("phase"))
  )
  writeLines(text, "bench/graphs.md")
}

# ---- shapes without a number of groups, or with very many: every call within ten seconds ----

run_shapes <- function() {
  shapes <- list(
    grid = igraph::make_lattice(c(70, 70)), ring = igraph::make_ring(3000), path = igraph::make_lattice(8000),
    star = igraph::make_star(5000, "undirected"), tree = igraph::sample_tree(8000),
    cliques = do.call(igraph::disjoint_union, rep(list(igraph::make_full_graph(5)), 1000)),
    attachment = igraph::simplify(igraph::sample_pa(755, power = 1.2, m = 6, directed = FALSE)),
    "small world" = igraph::sample_smallworld(1, 2000, 5, 0.05)
  )
  for (name in names(shapes)) {
    time <- system.time(found <- quiet(cluster_communities(shapes[[name]])))
    cat(sprintf(
      "%-12s %5d edges  %5.1f s  %4d communities\n", name, igraph::ecount(shapes[[name]]), sum(time[1:2]),
      length(found) - found$isolated
    ))
  }
}

# ---- the part that the call names ----

numbers <- function(text) as.numeric(strsplit(text, ",")[[1]])
put <- function(rows) page_rows(part, rows, again = length(arguments) > 1)
lambdas <- c(0.8, 1, 1.1, 1.237, 1.395, 1.553, 1.658)
switch(part,
  "girvan-newman" = put(overlaps(data.frame(k = 4, snr = c(0.6, 1.1, 1.5, 1.8, 2, 2.5, 3.5)), 128, 16, graphs(100L))),
  "girvan-newman-drawn" = put(overlaps(data.frame(k = 4, snr = c(1.5, 1.8, 2)), 128, 16, graphs(100L), drawn = TRUE)),
  phase = put(overlaps(expand.grid(snr = lambdas, k = c(2, 5, 15)), 1000, 3, graphs(24L))),
  models = run_models(graphs(24L), if (length(arguments) > 1) as.integer(arguments[2]) else 4L),
  real = run_real(arguments),
  weights = run_weights(graphs(6L)),
  size = run_size(
    if (length(arguments)) numbers(arguments[1]) else c(5000, 1e5, 3e5, 1e6),
    if (length(arguments) > 1) strsplit(arguments[2], ",")[[1]] else names(steps)
  ),
  step = measure_step(arguments[1], arguments[2], as.numeric(arguments[3])),
  shapes = run_shapes(),
  interrupt = interrupts(if (length(arguments)) numbers(arguments[1]) else c(0.4, 1.3, 3.1, 6.7)),
  report = run_report(),
  stop("PART is one of girvan-newman, girvan-newman-drawn, phase, models, real, weights, size, shapes, interrupt, report")
)
