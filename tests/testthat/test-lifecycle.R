# Objects live longer than the session, and the version, that made them: every class goes to a
# file and is asked again in a new process; objects of version 0.1.0 are kept in fixtures/.

# What a new process says of the objects of a file: a list by name of list(print, predict).
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
  said <- system2(
    file.path(R.home("bin"), "Rscript"), shQuote(c("--vanilla", script, paths, file, out)),
    stdout = TRUE, stderr = TRUE
  )
  if (!file.exists(out)) stop(paste(said, collapse = "\n"))
  readRDS(out)
}

test_that("every class is the same in a new process", {
  skip_on_cran()
  set.seed(1)
  x <- as.matrix(iris[c(1:20, 51:70, 101:120), 1:4])
  labels <- rep(1:3, each = 20)
  fit <- function(...) suppressMessages(kgroups(..., init = labels))
  G <- gram_matrix(x)
  graph <- sample_sparse_sbm(60, 2, 8, 2)
  found <- fit(x, 3)
  objects <- list(
    points = found, frame = fit(as.data.frame(x), 3), dist = fit(dist(x), 3), gram = fit(G, 3),
    sparse = fit(methods::as(methods::as(Matrix::Matrix(unclass(G), sparse = TRUE), "generalMatrix"), "CsparseMatrix"), 3),
    weighted = fit(x, 3, weights = rep(1:2, 30)), size_term = fit(x, 3, size_term = TRUE),
    gaussian = fit(x, 3, semimetric = rho_gaussian()), connected = fit(x, 3, semimetric = rho_connected()),
    mixed = fit(cbind(iris[c(1:20, 51:70, 101:120), ], a = ISOdate(2020, 1, 1) + 1:60), 3),
    landmarks = kgroups(x, 3, approx = nystroem(10)), exact = kgroups_1d(x[, 1], 3),
    blocks = kgroups(chunks(function(i) x, 1), 3, approx = nystroem(10)), bare = fit(x, 3, keep.data = FALSE),
    graph = suppressMessages(kgroups(graph, 2)), communities = suppressMessages(cluster_communities(graph)),
    chosen_k = select_k(x, 2:3, criterion = "disco"), chosen_rho = select_semimetric(x, 2, splits = 2, B = 2),
    stability = stability(found, B = 2), test = energy_test(x, labels, R = 9), statistics = energy_statistics(x, labels),
    description = describe_clusters(found, x), margins = negative_type_margins(x), spectrum = community_spectrum(graph),
    semimetric = rho_sine(), approx = nystroem(5), reader = chunks(function(i) x, 1), kernel = G, summary = summary(found)
  )
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(objects, file)
  said <- in_new_process(file)
  here <- function(expression) {
    tryCatch(suppressWarnings(suppressMessages(expression)), error = function(e) class(e))
  }
  for (name in names(objects)) {
    one <- objects[[name]]
    expect_identical(said[[name]]$print, utils::capture.output(print(one)), info = name)
    # a fit without its data cannot be drawn, and says so
    drawn <- said[[name]]$plot
    expect_true(is.null(drawn) || identical(drawn, "drawn") || "kg_error" %in% drawn, info = name)
    if (!inherits(one, "kgroups_fit")) next
    expect_identical(said[[name]]$predict, predict(one), info = name)
    expect_identical(said[[name]]$distances, here(predict(one, type = "squared")), info = name)
    if (!is.null(said[[name]]$new)) expect_identical(said[[name]]$new, here(predict(one, one$data)), info = name)
  }
})

test_that("objects of version 0.1.0 print and predict, or say what to do", {
  skip_on_cran()
  old <- readRDS(test_path("fixtures", "objects-0.1.0.rds"))
  objects <- c(old$fits, old[names(old) != "fits"])
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(objects, file)
  said <- in_new_process(file)
  for (name in names(objects)) {
    for (question in names(said[[name]])) {
      answer <- said[[name]][[question]]
      if (is.character(answer) && "error" %in% answer) expect_true("kg_error" %in% answer, info = paste(name, question))
    }
    if (name %in% names(old$fits)) expect_identical(said[[name]]$predict, old$fits[[name]]$cluster, info = name)
    expect_gt(length(said[[name]]$print), 0)
  }
})
