# Degenerate inputs through every exported function and the methods of every class of result: each outcome must be a result
# or a condition of a class of the package. Prints every raw error, and ends with code 1 if there was one.
#   Rscript tools/trust/degenerate.R [--short yes]       (4 minutes; 25 seconds if short, as in the check)

library(kgroups)
suppressPackageStartupMessages(library(generics))
short <- "--short" %in% commandArgs(TRUE)
options(rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet", cli.num_colors = 1L)
grDevices::pdf(NULL)
set.seed(1)

named <- function(x, rows, columns) `dimnames<-`(x, list(rows, columns))
odd <- c("a b", "", "`x`", "\u202eb", "if", strrep("n", 300), "a\nb", "\033[31m")
ring <- igraph::make_ring(8)
pairs <- igraph::disjoint_union(igraph::make_full_graph(4), igraph::make_full_graph(4))
with_weights <- function(g, w) igraph::set_edge_attr(g, "weight", value = rep_len(w, igraph::ecount(g)))
holes <- function(x, share) replace(x, sample(length(x), share * length(x)), NA)
inputs <- list(
  no_rows = matrix(0, 0, 2), no_columns = matrix(0, 3, 0), one = matrix(1, 1, 1), one_number = 3, two = matrix(1:4, 2),
  equal = matrix(1, 5, 2), equal_vector = rep(2, 6), constant_column = cbind(rnorm(8), 1),
  tiny = matrix(rnorm(16), 8) * 1e-300,
  huge = matrix(rnorm(16), 8) * 1e300, far = matrix(rnorm(16), 8) + 1e16, units = cbind(rnorm(8), rnorm(8) * 1e200),
  equal_names = named(matrix(rnorm(16), 8), rep("r", 8), c("v", "v")),
  odd_names = named(matrix(rnorm(64), 8), odd, odd),
  half_named = named(matrix(rnorm(24), 8), NULL, c("a", "", "")),
  missing_names = named(matrix(rnorm(16), 8), c(NA, 1:7), c(NA, "b")),
  missing_all = matrix(NA_real_, 4, 2), missing_row = rbind(matrix(rnorm(12), 6), NA),
  missing_half = holes(matrix(rnorm(48), 16), 0.5),
  infinite = rbind(matrix(rnorm(8), 4), Inf), wide = matrix(rnorm(120), 3),
  integers = matrix(.Machine$integer.max - 0:15, 8),
  empty_frame = data.frame(), text = data.frame(t = odd, u = rnorm(8)),
  one_level = data.frame(f = factor(rep("a", 6)), v = rnorm(6)),
  empty_levels = data.frame(f = factor(rep(1:2, 4), 1:9), v = rnorm(8)),
  factors = data.frame(f = factor(rep(1:2, 6)), o = ordered(rep(1:3, 4))),
  dates = data.frame(t = as.Date("2024-01-01") + c(1:7, NA), v = 1:8),
  dist_none = structure(numeric(), Size = 0L, class = "dist"), dist_one = dist(1), dist_two = dist(1:2),
  dist_zero = dist(rep(1, 5)),
  dist_odd = dist(named(matrix(rnorm(16), 8), odd, NULL)), dist_infinite = as.dist(matrix(Inf, 4, 4)),
  gram_one = as_gram(matrix(1)), gram_zero = as_gram(matrix(0, 4, 4)),
  gram_indefinite = as_gram(diag(c(3, -2, 1, -1, 2, 1))),
  sparse = Matrix::sparseMatrix(1:3, 1:3, x = c(1, 2, 0), dims = c(9, 4)), logical = matrix(c(TRUE, FALSE), 4, 2),
  null = NULL, list = list(),
  graph_none = igraph::make_empty_graph(0, FALSE), graph_one = igraph::make_empty_graph(1, FALSE),
  graph_isolates = igraph::make_empty_graph(5, FALSE), graph_edge = igraph::make_full_graph(2),
  graph_loop = igraph::make_graph(c(1, 1), 2, FALSE),
  graph_ring = ring, graph_pairs = pairs, graph_full = igraph::make_full_graph(6),
  graph_star = igraph::make_star(7, "undirected"),
  graph_directed = igraph::make_ring(6, TRUE), graph_bipartite = igraph::make_full_bipartite_graph(2, 3),
  graph_zero = with_weights(ring, 0), graph_tiny = with_weights(pairs, 1e-300),
  graph_huge = with_weights(pairs, c(1e300, 1)),
  graph_negative = with_weights(ring, -1), graph_missing = with_weights(ring, c(NA, 1)),
  graph_odd = igraph::set_vertex_attr(ring, "name", value = odd),
  graph_equal = igraph::set_vertex_attr(ring, "name", value = rep("v", 8)),
  normal = matrix(rnorm(40), 20)
)
classed <- function(e) inherits(e, c("kg_error", "rlang_error", "vctrs_error", "lifecycle_error_deprecated"))
raw <- list()
tried <- 0
attempt <- function(label, expr) {
  tried <<- tried + 1
  setTimeLimit(elapsed = 20, transient = TRUE)
  on.exit(setTimeLimit(), add = TRUE)
  tryCatch(
    suppressWarnings(suppressMessages({
      utils::capture.output(value <- withVisible(expr)$value)
      value
    })),
    error = function(e) {
      if (!classed(e)) {
        raw[[length(raw) + 1L]] <<- sprintf("%s: %s [%s]", label, conditionMessage(e), deparse(conditionCall(e))[1L])
      }
      structure(list(), class = "failed")
    }
  )
}
failed <- function(x) inherits(x, "failed")

ids <- function(x, k) rep_len(
  seq_len(k), if (igraph::is_igraph(x)) igraph::vcount(x) else if (inherits(x, "dist")) attr(x, "Size") else NROW(x)
)
two <- function(x) ids(x, 2)
calls <- list(
  kgroups = function(x) kgroups(x, 2), one_cluster = function(x) kgroups(x, 1),
  within = function(x) kgroups(x, 2, standardize = "within"),
  standardize = function(x) kgroups(x, 2, standardize = TRUE), trim = function(x) kgroups(x, 1, trim = "auto"),
  equal_sizes = function(x) kgroups(x, 2, sizes = "equal"),
  together = function(x) kgroups(x, 1, together = cbind(1, 2)),
  apart = function(x) kgroups(x, 2, apart = cbind(1, 2)),
  sizes_apart = function(x) kgroups(x, 2, sizes = "equal", apart = cbind(1, 2)),
  connected = function(x) kgroups(x, 2, semimetric = rho_connected()),
  landmarks = function(x) kgroups(x, 1, approx = nystroem(2)),
  weights_zero = function(x) kgroups(x, 1, weights = two(x) - 1),
  weights_huge = function(x) kgroups(x, 1, weights = 1e300^(two(x) - 1)),
  units = function(x) kgroups(x, 1, units = two(x)),
  init = function(x) kgroups(x, 2, init = two(x)), spectral = function(x) kgroups(x, 2, init = "spectral"),
  lloyd = function(x) kgroups(x, 2, method = "lloyd"),
  gaussian = function(x) kgroups(x, 2, semimetric = rho_gaussian()),
  exponential = function(x) kgroups(x, 2, semimetric = rho_exponential()),
  cosine = function(x) kgroups(x, 2, semimetric = rho_metric("cosine")),
  haversine = function(x) kgroups(x, 2, semimetric = rho_metric("haversine")),
  own_rho = function(x) kgroups(x, 2, semimetric = rho_function(function(a, b) sum(abs(a - b)))),
  manhattan = function(x) kgroups(x, 2, semimetric = "manhattan"), kernel_kmeans = function(x) kernel_kmeans(x, 2),
  blocks = function(x) kgroups(row_blocks(function(i) if (i == 1L) x), 1, approx = nystroem(2)),
  log1p = function(x) kgroups(x, 2, weights = "log1p"),
  tree = function(x) kgroups_tree(x),
  changes = function(x) kgroups_changes(x, R = 19),
  changes_given = function(x) kgroups_changes(x, k = 2), select_k = function(x) select_k(x, 1:3, splits = 2),
  select_all = function(x) select_k(x, 2:3, criterion = c("pseudo_f", "silhouette")),
  select_semimetric = function(x) select_semimetric(x, 2, splits = 2),
  cluster_test = function(x) cluster_test(x, R = 19),
  energy_test = function(x) energy_test(x, two(x), R = 19),
  units_test = function(x) energy_test(x, two(x), units = ids(x, 6), R = 19),
  two_factors = function(x) energy_test(x ~ a + b, data = list(x = x, a = two(x), b = ids(x, 3)), R = 19),
  pairwise = function(x) pairwise_energy_test(x, ids(x, 3), R = 19),
  dispersion = function(x) dispersion_test(x, two(x), R = 19),
  statistics = function(x) energy_statistics(x, two(x)), distance = function(x) energy_distance(x, g = two(x)),
  samples = function(x) energy_test(list(x, x), R = 19), semimetric_matrix = function(x) semimetric_matrix(x),
  as_points = function(x) as_points(x), as_gram = function(x) as_gram(x),
  negative_type = function(x) is_negative_type(x),
  make_negative_type = function(x) make_negative_type(x), mixture = function(x) kgroups_mixture(x, 2),
  mixture_own = function(x) kgroups_mixture(x, 1, "own"), describe = function(x) describe_clusters(two(x), x),
  compare = function(x) compare_clusters(x, x),
  communities = function(x) cluster_communities(x), beliefs = function(x) cluster_belief_propagation(x, 2),
  bethe_hessian = function(x) bethe_hessian(x), cluster_bethe_hessian = function(x) cluster_bethe_hessian(x),
  cluster_kgroups = function(x) cluster_kgroups(x, 2), count_communities = function(x) count_communities(x)
)
methods_of <- list(
  print = print, format = format, summary = function(x) print(summary(x)), plot = plot,
  as_figure = function(x) print(as_figure(x)),
  predict = predict, predict_prob = function(x) predict(x, type = "prob"), tidy = tidy, glance = glance,
  augment = augment,
  fitted = fitted, nobs = nobs, residuals = residuals, logLik = logLik, as.data.frame = as.data.frame,
  as.hclust = as.hclust,
  describe_clusters = describe_clusters, relabel = function(x) relabel(x, "size"),
  stability = function(x) stability(x, B = 2),
  kgroups_tree = kgroups_tree, silhouette = cluster::silhouette, update = function(x) update(x, evaluate = FALSE)
)
of_fits <- c("describe_clusters", "relabel", "stability", "kgroups_tree", "silhouette")
own <- function(x) any(grepl("^kgroups_|^htest|^energy_", class(x)))
has_method <- function(result, method) {
  if (method %in% c("print", "format", "summary")) {
    return(TRUE)
  }
  if (method == "as.hclust") {
    return(inherits(result, "kgroups_tree")) # igraph has its own for communities
  }
  if (method %in% of_fits) {
    return(inherits(result, "kgroups_fit"))
  }
  any(vapply(
    class(result), function(class) !is.null(utils::getS3method(sub("_prob$", "", method), class, optional = TRUE)), NA
  ))
}
is_graph <- function(x) igraph::is_igraph(x)
of_graphs <- c(
  "communities", "beliefs", "bethe_hessian", "cluster_bethe_hessian", "cluster_kgroups", "count_communities", "log1p"
)
if (short) {
  inputs <- inputs[c(
    "one", "equal", "huge", "odd_names", "half_named", "dist_one", "missing_all", "text", "graph_isolates",
    "graph_tiny", "graph_odd"
  )]
}
for (input in names(inputs)) {
  x <- inputs[[input]]
  # other kinds of objects are refused by one check, which few calls suffice to see
  kind <- if (is_graph(x)) {
    c("kgroups", "select_k", "energy_test", "cluster_test", of_graphs)
  } else {
    setdiff(names(calls), of_graphs[-1L])
  }
  for (one in kind) {
    result <- attempt(sprintf("%s(%s)", one, input), calls[[one]](x))
    if (failed(result) || !own(result)) next
    if (
      short && !one %in%
      c(
        "kgroups", "within", "trim", "apart", "connected", "units", "tree", "changes", "select_k", "mixture",
        "energy_test", "pairwise", "statistics", "describe", of_graphs
      )
    ) {
      next
    }
    for (method in names(methods_of)) {
      if (has_method(result, method)) attempt(sprintf("%s(%s(%s))", method, one, input), methods_of[[method]](result))
    }
    if (inherits(result, c("kgroups_fit", "kgroups_mixture")) && !is_graph(x) && !inherits(x, "dist")) {
      attempt(sprintf("predict(%s(%s), new)", one, input), predict(result, x))
    }
  }
}
cat(sprintf("%d calls, %d raw errors\n", tried, length(raw)))
writeLines(as.character(raw))
if (length(raw)) quit(status = 1)
