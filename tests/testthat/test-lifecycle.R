# Objects outlive the session: every class is saved, and read again in a new process.

# Prints and predictions of the objects of a file in a new process: a list by name of list(print, predict).
in_new_process <- function(file) {
  code <- '
    args <- commandArgs(TRUE)
    .libPaths(strsplit(args[1], .Platform$path.sep, fixed = TRUE)[[1]])
    library(kgroups)
    objects <- readRDS(args[2])
    grDevices::pdf(NULL)
    try_it <- function(expression) tryCatch(suppressWarnings(suppressMessages(expression)), error = function(e) class(e))
    saveRDS(lapply(objects, function(x) list(
      print = try_it(utils::capture.output(print(x))),
      predict = if (inherits(x, "kgroups_fit")) try_it(predict(x)),
      new = if (inherits(x, "kgroups_fit") && is.matrix(x$data)) try_it(predict(x, x$data)),
      distances = if (inherits(x, "kgroups_fit")) try_it(predict(x, type = "squared")),
      summary = if (inherits(x, "kgroups_fit")) try_it(utils::capture.output(print(summary(x)))),
      plot = if (any(class(x) %in% sub("plot.", "", utils::.S3methods("plot", envir = asNamespace("kgroups")), fixed = TRUE))) {
        try_it({
          plot(x)
          "drawn"
        })
      }
    )), args[3])
  '
  script <- withr::local_tempfile(fileext = ".R")
  out <- withr::local_tempfile(fileext = ".rds")
  writeLines(code, script)
  paths <- paste(.libPaths(), collapse = .Platform$path.sep)
  reported <- system2(
    file.path(R.home("bin"), "Rscript"), shQuote(c("--vanilla", script, paths, file, out)),
    stdout = TRUE, stderr = TRUE
  )
  if (!file.exists(out)) stop(paste(reported, collapse = "\n"))
  readRDS(out)
}

test_that("every class is the same in a new process", {
  skip_on_cran()
  set.seed(1)
  x <- as.matrix(iris[c(1:20, 51:70, 101:120), 1:4])
  labels <- rep(1:3, each = 20)
  fit <- function(...) suppressMessages(kgroups(..., init = labels))
  G <- semimetric_matrix(x, type = "gram")
  graph <- sample_sparse_sbm(60, 2, 8, 2)
  found <- fit(x, 3)
  objects <- list(
    points = found, frame = fit(as.data.frame(x), 3), dist = fit(dist(x), 3), gram = fit(G, 3),
    sparse = fit(
      methods::as(methods::as(Matrix::Matrix(unclass(G), sparse = TRUE), "generalMatrix"), "CsparseMatrix"), 3
    ),
    weighted = fit(x, 3, weights = rep(1:2, 30)),
    gaussian = fit(x, 3, semimetric = rho_gaussian()), connected = fit(x, 3, semimetric = rho_connected()),
    mixed = fit(cbind(iris[c(1:20, 51:70, 101:120), ], a = ISOdate(2020, 1, 1) + 1:60), 3),
    landmarks = kgroups(x, 3, approx = nystroem(10)), exact = kgroups(x[, 1], 3),
    blocks = kgroups(row_blocks(function(i) x, 1), 3, approx = nystroem(10)), bare = fit(x, 3, keep.data = FALSE),
    graph = suppressMessages(kgroups(graph, 2)), communities = suppressMessages(cluster_communities(graph)),
    chosen_k = select_k(x, 2:3, criterion = "pseudo_f"), chosen_rho = select_semimetric(x, 2, splits = 2),
    stability = stability(found, B = 2), test = energy_test(x, labels, R = 9),
    statistics = energy_statistics(x, labels),
    description = describe_clusters(found, x), margins = is_negative_type(x, details = TRUE),
    spectrum = count_communities(graph, details = TRUE),
    semimetric = rho_gaussian(), approx = nystroem(5), reader = row_blocks(function(i) x, 1), kernel = G,
    summary = summary(found)
  )
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(objects, file)
  reported <- in_new_process(file)
  here <- function(expression) {
    tryCatch(suppressWarnings(suppressMessages(expression)), error = function(e) class(e))
  }
  for (name in names(objects)) {
    one <- objects[[name]]
    expect_identical(reported[[name]]$print, utils::capture.output(print(one)), info = name)
    # a plot of a fit without its data is an error
    drawn <- reported[[name]]$plot
    expect_true(is.null(drawn) || identical(drawn, "drawn") || "kg_error" %in% drawn, info = name)
    if (!inherits(one, "kgroups_fit")) next
    expect_identical(reported[[name]]$predict, predict(one), info = name)
    expect_identical(reported[[name]]$distances, here(predict(one, type = "squared")), info = name)
    if (!is.null(reported[[name]]$new)) {
      expect_identical(reported[[name]]$new, here(predict(one, one$data)), info = name)
    }
  }
})

test_that("no method swallows an argument that it does not use", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  chosen_k <- select_k(iris[1:4], 2:3, criterion = "pseudo_f")
  communities <- cluster_communities(karate())
  beliefs <- cluster_belief_propagation(karate(), 2)
  mixture <- kgroups_mixture(iris[1:4], 3)
  objects <- list(
    kgroups_fit = fit, kgroups_graph_fit = kgroups(karate(), 2), kgroups_tree = kgroups_tree(iris[1:4]),
    kgroups_changes = kgroups_changes(iris[1:30, 1:4], 2), kgroups_gram = as_gram(diag(3)),
    kgroups_semimetric = rho_power(1),
    kgroups_nystroem = nystroem(5), kgroups_blocks = row_blocks(function(i) iris[1:4], 1),
    kgroups_select_k = chosen_k, kgroups_selection = chosen_k,
    kgroups_select_semimetric = select_semimetric(iris[1:4], 2, splits = 2),
    kgroups_stability = stability(fit, B = 2), summary.kgroups_fit = summary(fit),
    energy_statistics = energy_statistics(iris[1:4], iris$Species),
    kgroups_negative_type = is_negative_type(iris[1:4], details = TRUE),
    kgroups_blueprint = make_blueprint(iris[1:4])$blueprint, kgroups_rho_connected = rho_connected(),
    kgroups_description = describe_clusters(fit, iris[1:4]), kgroups_communities = communities,
    kgroups_beliefs = beliefs, summary.kgroups_beliefs = summary(beliefs),
    summary.kgroups_communities = summary(communities),
    kgroups_energy_test = energy_test(iris[1:4], iris$Species, R = 9),
    default = iris[1:4], matrix = as.matrix(iris[1:4]), data.frame = iris[1:4], igraph = karate(),
    kgroups_figure = as_figure(fit), kgroups_result = stability(fit, B = 2),
    summary.kgroups_result = summary(stability(fit, B = 2)),
    kgroups_selection = select_k(iris[1:4], 2:3, "pseudo_f"), kgroups_cluster_test = cluster_test(iris[1:4]),
    kgroups_dispersion_test = dispersion_test(iris[1:4], iris$Species, R = 9),
    kgroups_partition = cluster_kgroups(karate(), 2),
    kgroups_pairwise_test = pairwise_energy_test(iris[1:4], iris$Species, R = 9),
    kgroups_changes = kgroups_changes(Nile, ks = 2),
    kgroups_energy_distance = energy_distance(iris[1:4], g = iris$Species),
    kgroups_comparison = compare_clusters(fit, list(fit)),
    kgroups_test = energy_test(iris[1:4], iris$Species, R = 9),
    kgroups_mixture = mixture, summary.kgroups_mixture = summary(mixture),
    kgroups_factor_test = energy_test(breaks ~ wool + tension, warpbreaks, R = 9),
    Matrix = Matrix::Diagonal(4), `function` = identity, character = "none", formula = ~Petal.Length
  )
  methods <- getNamespaceInfo("kgroups", "S3methods")
  # a method that a test has registered is a function, those of the package are names
  methods <- methods[vapply(methods[, 3L], is.character, NA), , drop = FALSE]
  # figures hand their arguments on to the function that draws; operators and grid's own generic have none; generics that are not exported are
  # called by the package alone
  internal <- setdiff(ls(asNamespace("kgroups")), getNamespaceExports("kgroups"))
  shown <- c(
    "print", "format", "summary", "tidy", "glance", "nobs", "logLik", "fitted", "as.matrix", "as.hclust", "modularity",
    "silhouette", "as.data.frame"
  ) # ignore them, as in base R
  methods <- methods[!methods[, 1L] %in% c(
    "plot", "[", "$<-", "[[<-", "Ops", "conditionMessage", internal, shown
  ), , drop = FALSE]
  # these refuse every first argument
  methods <- methods[!methods[, 3L] %in% c(
    "stability.default", "stability.kgroups_mixture", "as_figure.default"
  ), , drop = FALSE]
  expect_gt(nrow(methods), 15)
  for (at in seq_len(nrow(methods))) {
    name <- methods[[at, 3L]]
    class <- methods[[at, 2L]]
    if (grepl("autoplot", name)) skip_if_not_installed("ggplot2")
    expect_true(class %in% names(objects), info = name)
    arguments <- list(objects[[class]], unknown_argument = 1)
    if (grepl("^kgroups\\.", name)) arguments$k <- 2
    if (identical(class, "formula")) arguments$data <- iris
    if (grepl("^kgroups\\.kgroups_blocks", name)) arguments$approx <- nystroem(5)
    method <- getFromNamespace(name, "kgroups")
    # NextMethod() needs a call of the generic, and as_figure() checks for its methods
    own <- "NextMethod" %in% all.names(body(method)) && identical(class(objects[[class]])[1L], class)
    if (own || methods[[at, 1L]] == "as_figure") {
      method <- get(methods[[at, 1L]], envir = asNamespace("kgroups"))
    }
    error <- tryCatch(
      {
        utils::capture.output(suppressMessages(do.call(method, arguments)))
        NULL
      },
      error = identity
    )
    refused <- !is.null(error) &&
      (inherits(error, "kg_error_dots") || grepl("unused argument", conditionMessage(error)))
    expect_true(refused, info = name)
  }
})

test_that("print() and format() take digits", {
  fit <- kgroups(iris[1:4], 3)
  expect_output(print(fit, digits = 3), "W = 67.5,")
  expect_match(format(is_negative_type(iris[1:4], details = TRUE), digits = 2)[2], "largest is [0-9]+\\.$")
  expect_output(print(summary(fit), digits = 3), "W = ")
})

test_that("an argument that has no effect is an error", {
  x <- iris[1:4]
  refused <- function(call, class) expect_error(call, class = class)
  refused(energy_test(x, iris$Species, data = iris), "kg_error_g")
  refused(energy_test(x, x, data = iris), "kg_error_g")
  refused(energy_test(list(1:5, 2:6), data = iris), "kg_error_g")
  refused(energy_test(. ~ Species, iris$Species, data = iris), "kg_error_g")
  refused(energy_distance(x, g = iris$Species, data = iris), "kg_error_g")
  refused(energy_distance(. ~ Species, g = iris$Species, data = iris), "kg_error_g")
  for (method in c("adjusted_rand", "accuracy", "overlap")) {
    refused(compare_clusters(1:3, 1:3, method, mean = "min"), "kg_error_mean")
  }
  for (metric in setdiff(metric_names, "minkowski")) refused(rho_metric(metric, p = 3), "kg_error_p")
  fit <- kgroups(karate(), 2)
  refused(cluster_kgroups(fit, k = 4), "kg_error_dots")
  refused(cluster_kgroups(fit, gram = "adjacency"), "kg_error_dots")
  tree <- kgroups_tree(x)
  refused(select_k(tree, criterion = "silhouette"), "kg_error_dots")
  refused(select_k(tree, 2:5, weights = rep(1, 150)), "kg_error_dots")
})

test_that("no exported function swallows an argument that it does not have", {
  valid <- valid_arguments()
  skip_if_not_installed("data.table")
  for (f in setdiff(names(valid), c("tidy", "glance", "augment"))) {
    error <- tryCatch(suppressMessages(suppressWarnings(do.call(f, c(valid[[f]], bogus = 1)))), error = identity)
    dots <- "..." %in% names(formals(getExportedValue("kgroups", f)))
    expect_true(if (dots) inherits(error, "kg_error_dots") else inherits(error, "simpleError"), info = f)
  }
  # before a function returns early
  expect_error(cluster_kgroups(kgroups(karate(), 2), bogus = 1), class = "kg_error_dots")
  expect_error(select_k(kgroups_tree(iris[1:4]), bogus = 1), class = "kg_error_dots")
})
