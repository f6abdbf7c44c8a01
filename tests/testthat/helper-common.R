# Helpers that several files of tests use: numbers of repeats, blocks of rows, figures.

# Returns `quick`, or `all` if the environment variable KGROUPS_TESTS is "all" (make test-all).
repeats <- function(quick, all) if (identical(Sys.getenv("KGROUPS_TESTS"), "all")) all else quick

# Every third element from `first` on, or all of them.
third <- function(x, first) x[repeats(seq(1L + (first - 1L) %% 3L, length(x), 3L), seq_along(x))]

# The value of an expression with the random numbers of one seed: searches that are compared draw the same starts.
seeded <- function(expr, seed = 1) {
  set.seed(seed)
  expr
}

# ---- blocks ----

# Two clouds in `n` blocks of unequal size, and a reader for them with a small environment.
block_data <- function(rows = 900, blocks = 5, d = 2) {
  x <- matrix(rnorm(rows * d), rows) + 4 * rep(0:1, length.out = rows)
  colnames(x) <- letters[seq_len(d)]
  at <- sort(c(seq_len(blocks), sample.int(blocks, rows - blocks, TRUE, prob = seq_len(blocks))))
  split.data.frame(x, at)
}

list_reader <- function(blocks) {
  force(blocks)
  function(i) blocks[[i]]
}

# A reader that returns `event` of block 3, and the other blocks as they are.
broken_reader <- function(blocks, event) {
  force(blocks)
  force(event)
  function(i) if (i == 3) event(blocks[[i]]) else blocks[[i]]
}

# ---- calls ----

# Valid arguments of every exported function, of few observations.
valid_arguments <- function() {
  x <- cbind(a = c(1, 2, 3, 11, 12, 13, 1, 12), b = c(0, 1, 0, 5, 6, 5, 0.5, 5.5))
  labels <- c(1, 1, 1, 2, 2, 2, 1, 2)
  graph <- igraph::make_graph(c(1, 2, 1, 3, 2, 3, 3, 4, 4, 5, 4, 6, 5, 6), directed = FALSE)
  groups <- c(1, 1, 1, 2, 2, 2)
  fit <- kgroups(x, 2, init = labels)
  score <- list(truth = labels, cluster = labels)
  graphs <- list(graph = graph, k = 2, weights = NULL)
  spectrum <- list(graph = graph, r = NULL, weights = NULL)
  plain <- list(x = x, semimetric = rho_power(1))
  fits <- list(
    x = x, k = 2, semimetric = rho_power(1), weights = rep(1, 8), init = labels, nstart = 1, iter.max = 10, threads = 1,
    keep.data = TRUE, column_weights = NULL, standardize = FALSE, missing = "fail", approx = nystroem(4)
  )
  out <- list(
    kgroups = c(fits, method = "hartigan"), kernel_kmeans = fits[names(fits) != "approx"],
    energy_statistics = c(plain, list(cluster = labels, weights = rep(1, 8), threads = 1)),
    energy_distance = c(plain, list(
      y = x, weights_x = rep(1, 8), weights_y = rep(1, 8), sqrt = FALSE, g = NULL, weights = NULL, data = NULL,
      subset = NULL, threads = 1
    )),
    energy_test = c(plain, list(
      g = labels, weights = rep(1, 8), R = 3, strata = rep(1:2, each = 4)[c(1, 2, 5, 6, 3, 4, 7, 8)], statistic = "S",
      units = NULL, unit_weights = "precision", data = NULL, subset = NULL, threads = 1
    )),
    dispersion_test = list(
      data = NULL, subset = NULL, x = x, g = labels, semimetric = rho_power(1), R = 3, strata = NULL, units = NULL,
      threads = 1
    ),
    semimetric_matrix = c(plain, list(y = x, type = "gram", x0 = c(0, 0))),
    is_negative_type = c(plain, list(details = TRUE)), make_negative_type = c(plain, list(weights = rep(1, 8))),
    as_gram = list(G = tcrossprod(x)),
    as_points = list(
      x = x, weights = rep(1, 8), column_weights = NULL, standardize = FALSE, missing = "fail", like = as_points(x)
    ),
    select_k = c(plain, list(
      ks = 2:3, criterion = "pseudo_f", weights = rep(1, 8), splits = 2, rows = 100,
      one_cluster = FALSE,
      method = "hartigan", iter.max = 10, approx = NULL, threads = 1
    )),
    select_semimetric = list(
      x = x, k = 2, candidates = list(one = rho_power(1), two = rho_power(2)), weights = rep(1, 8),
      splits = 2, rows = 100, method = "hartigan", iter.max = 10, threads = 1
    ),
    stability = list(fit = fit, B = 2, threads = 1), relabel = list(fit = fit, by = "size"), as_figure = list(x = fit),
    describe_clusters = list(
      fit = fit, data = as.data.frame(x), weights = rep(1, 8)
    ),
    kgroups_mixture = list(x = x, k = 2), bethe_hessian = spectrum, count_communities = c(spectrum, details = FALSE),
    kgroups_tree = list(
      x = x, m = 4, semimetric = rho_power(1), weights = rep(1, 8), approx = NULL, contiguous = NULL, threads = 1
    ),
    kgroups_changes = list(
      x = x, ks = 2, least = 2, semimetric = rho_power(1), alpha = 0.05, R = 19, independent = FALSE, threads = 1,
      time = NULL
    ),
    cluster_test = list(
      x = rbind(x, x + 0.5), semimetric = rho_power(1), tree = NULL, splits = 2, alpha = 0.05,
      threads = 1
    ),
    pairwise_energy_test = list(
      data = NULL, subset = NULL,
      x = x, g = labels, p.adjust.method = "holm", against = NULL, semimetric = rho_power(1), weights = rep(1, 8),
      R = 3,
      strata = NULL, units = NULL, unit_weights = "precision", threads = 1
    ),
    cluster_bethe_hessian = c(graphs, normalize = TRUE, nstart = 1),
    cluster_kgroups = c(graphs, list(
      vertex_weights = "unit", normalize = TRUE, init = groups, nstart = 1, method = "hartigan", gram = "bethe-hessian"
    )),
    cluster_belief_propagation = c(graphs, list(
      sweeps = 1, nstart = 1, model = "plain"
    )),
    cluster_communities = c(graphs, nstart = 1),
    compare_clusters = c(score, method = "nmi", mean = "max"),
    row_blocks = list(x = function(i) x, n = 2, rows = 4),
    nystroem = list(m = 4, landmarks = "uniform", polish = FALSE),
    rho_metric = list(metric = "manhattan", alpha = 1, p = 2), rho_power = list(alpha = 1),
    rho_exponential = list(sigma = 1), rho_gaussian = list(sigma = 1),
    rho_function = list(f = function(x, y) abs(x - y), vectorized = FALSE),
    rho_connected = list(
      base = rho_power(1), strength = 1, metric = "given", neighbours = 2, level = 0.5, least = 2, apart = NULL
    )
  )
  # generics of other packages: their methods are requested below, with fits
  out[c("tidy", "glance", "augment")] <- list(list())
  out
}

# ---- figures ----

# The text of a figure for snapshots: titles, axes, groups, and the kinds of its layers. Tests compare the numbers
# of a layer with the result that it shows.
described <- function(figure) {
  axis <- function(axis, name) {
    c(
      sprintf("%s: %s", name, axis$label),
      if (length(axis$breaks)) sprintf("  marks: %s", paste(axis$labels, collapse = ", "))
    )
  }
  groups <- figure$groups
  cat(c(
    figure$title, figure$subtitle, axis(figure$x, "x"), axis(figure$y, "y"),
    if (!is.null(groups)) sprintf("%s %s: %s, sign %d", groups$name, groups$level, groups$colour, groups$shape),
    if (!is.null(figure$panels)) sprintf("panel: %s", figure$panels),
    sprintf("%s, %d rows", kinds_of(figure), vapply(figure$layers, function(layer) nrow(layer$data), 0L))
  ), sep = "\n")
}

# Every figure by both drawers, on a device that keeps nothing.
expect_drawn <- function(figure) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  testthat::expect_silent(print(ggplot_figure(figure)))
  invisible(figure)
}

# ---- fits ----

# Every kind of fit, made once a session from few observations; the names of a test that fails name the kind.
every_fit <- function() {
  if (is.null(fits_of_session$fits)) fits_of_session$fits <- make_every_fit()
  fits_of_session$fits
}

fits_of_session <- new.env()

make_every_fit <- function() {
  x <- as.matrix(iris[c(1:14, 51:64, 101:112), 1:4])
  rownames(x) <- paste0("flower", seq_len(nrow(x)))
  table <- data.frame(x, kind = rep_len(c("a", "b", "c"), 40), ripe = rep_len(c(TRUE, FALSE), 40))
  holes <- replace(x, cbind(c(3, 20, 33), c(1, 2, 4)), NA)
  weights <- rep_len(c(1, 2, 0.5), 40)
  G <- tcrossprod(scale(x, scale = FALSE))
  rows <- methods::as(Matrix::Matrix(x * (x > 1.5), sparse = TRUE), "CsparseMatrix")
  graph <- karate()
  heavy <- igraph::set_edge_attr(graph, "weight", value = rep_len(1:3, igraph::ecount(graph)))
  blocks <- row_blocks(function(i) x[seq(i, 40, by = 2), ], 2)
  labels <- rep_len(1:3, 40)
  points <- kgroups(x, 3)
  makers <- list(
    points = function() points, vector = function() kgroups(x[, 3], 3), table = function() kgroups(table, 3),
    formula = function() kgroups(~ Sepal.Length + kind, 3, data = table), missing = function() kgroups(holes, 3),
    weights = function() kgroups(x, 3, weights = weights),
    weightless = function() kgroups(x, 3, weights = rep_len(0:2, 40)),
    dist = function() kgroups(dist(x), 3), "weighted dist" = function() kgroups(dist(x), 3, weights = weights),
    "one start" = function() kgroups(dist(x, "manhattan"), 3, nstart = 1), gram = function() kgroups(as_gram(G), 3),
    "sparse gram" = function() kgroups(Matrix::Matrix(G, sparse = TRUE), 3),
    "sparse rows" = function() kgroups(rows, 3),
    squared = function() kgroups(x, 3, semimetric = rho_power(2)),
    gaussian = function() kgroups(x, 3, semimetric = rho_gaussian()),
    exponential = function() kgroups(x, 3, semimetric = rho_exponential()),
    metric = function() kgroups(x, 3, semimetric = rho_metric("canberra")),
    "function" = function() kgroups(x, 3, semimetric = rho_function(function(x, y) sum(abs(x - y)))),
    connected = function() kgroups(x, 3, semimetric = rho_connected()),
    landmarks = function() kgroups(x, 3, approx = nystroem(9)),
    polished = function() kgroups(x, 3, approx = nystroem(9, polish = TRUE)),
    blocks = function() kgroups(blocks, 3, approx = nystroem(9)),
    limits = function() kgroups(x, 3, sizes = c(10, 16)), "equal sizes" = function() kgroups(x, 3, sizes = "equal"),
    together = function() kgroups(x, 3, together = rep(1:8, 5)),
    apart = function() kgroups(x, 3, apart = cbind(1:5, 6:10)),
    trimmed = function() kgroups(x, 3, trim = 0.1), "trimmed auto" = function() kgroups(x, 3, trim = "auto"),
    "learned metric" = function() kgroups(x, 3, standardize = "within"),
    "learned table" = function() kgroups(table, 2, standardize = "within"),
    spectral = function() kgroups(as_gram(G), 3, init = "spectral"),
    random = function() kgroups(x, 3, init = "random", nstart = 3), labels = function() kgroups(x, 3, init = labels),
    tree = function() kgroups(x, 3, init = kgroups_tree(x)), lloyd = function() kernel_kmeans(x, 3),
    exact = function() kgroups(x[, 3], 3), graph = function() kgroups(graph, 3),
    "weighted graph" = function() kgroups(heavy, 3),
    "graph by cut" = function() kgroups(graph, 2, gram = "normalized-cut"), "one cluster" = function() kgroups(x, 1),
    "many clusters" = function() kgroups(x[, 1:2], 14, init = "random"), singletons = function() kgroups(x[1:6, ], 6),
    "one observation" = function() kgroups(x[1, , drop = FALSE], 1),
    bare = function() kgroups(x, 3, keep.data = FALSE), "bare graph" = function() kgroups(graph, 2, keep.data = FALSE),
    "column weights" = function() kgroups(table, 3, column_weights = c(kind = 0.3)),
    standardized = function() kgroups(x, 3, standardize = TRUE),
    "learned metric" = function() kgroups(x, 3, standardize = "within"),
    "no names" = function() kgroups(unname(x), 3),
    "as points" = function() kgroups(as_points(table), 3), relabelled = function() relabel(points, c(3, 1, 2))
  )
  withr::with_seed(1, lapply(makers, function(make) suppressMessages(suppressWarnings(make()))))
}

# ---- results ----

# A result of every class but fits, by the function that made it; made once, as every_fit().
every_result <- function() {
  if (is.null(fits_of_session$results)) fits_of_session$results <- withr::with_seed(1, make_every_result())
  fits_of_session$results
}

make_every_result <- function() {
  x <- iris[c(1:20, 51:70, 101:120), 1:4]
  g <- iris$Species[c(1:20, 51:70, 101:120)]
  fit <- kgroups(x, 3)
  graph <- karate()
  quietly <- function(code) suppressWarnings(suppressMessages(code))
  list(
    select_k = quietly(select_k(x, 1:4, criterion = "elbow")),
    select_k_graph = quietly(select_k(graph, 2:3)),
    select_semimetric = select_semimetric(x, 3, splits = 2), stability = stability(fit, B = 5),
    tree = kgroups_tree(x), micro_tree = kgroups_tree(x, m = 10), changes = kgroups_changes(Nile, ks = 1:3),
    changes_of_distances = kgroups_changes(dist(x), ks = 2), tested_changes = kgroups_changes(x, R = 19),
    communities = quietly(cluster_communities(graph)), beliefs = quietly(cluster_belief_propagation(graph, 2)),
    kgroups_communities = quietly(cluster_kgroups(graph, 2)), bethe = quietly(cluster_bethe_hessian(graph, 2)),
    energy_test = energy_test(x, g, R = 19), pairwise = pairwise_energy_test(x, g, R = 19),
    dispersion = dispersion_test(x, g, R = 19), cluster_test = cluster_test(x), distance = energy_distance(x, g = g),
    statistics = energy_statistics(x, g), description = describe_clusters(fit, x),
    comparison = compare_clusters(g, list(fit, halves = rep(1:2, 30)))
  )
}

# Return the classes of the messages and warnings of a call, in their order.
conditions_of <- function(code) {
  out <- character()
  withCallingHandlers(
    tryCatch(code, error = function(e) NULL),
    kg_message = function(m) {
      out <<- c(out, class(m)[[1L]])
      tryInvokeRestart("muffleMessage")
    },
    kg_warning = function(w) {
      out <<- c(out, class(w)[[1L]])
      tryInvokeRestart("muffleWarning")
    }
  )
  # leave out those about the result
  out[!out %in% c(
    "kg_warning_negative_type", "kg_warning_one_cluster", "kg_message_one_cluster", "kg_warning_rose",
    "kg_message_level"
  )]
}

# Return what code prints in an R process of its own.
run_script <- function(code) {
  paths <- sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = ""))
  script <- withr::local_tempfile(lines = c(paths, code), fileext = ".R")
  reported <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = TRUE, stderr = TRUE
  )
  paste(reported, collapse = "\n")
}
