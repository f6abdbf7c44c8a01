# Every method of every kind of fit.

# Calls of methods by name. New observations are rows of the data of a fit, in the form that it was made from.
fit_calls <- function() {
  in_file <- function(call) function(fit) {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    call(fit)
  }
  predicted <- c("class", "distance", "squared", "cluster", "prob", "noise")
  drawn <- c("coordinates", "pairs", "profile", "silhouette", "objective", "dispersion", "gaps")
  by_type <- function(types, call) lapply(stats::setNames(nm = types), function(type) function(fit) call(fit, type))
  out <- c(
    list(
      print = function(fit) utils::capture.output(print(fit)), format = format,
      summary = function(fit) utils::capture.output(print(summary(fit))), tidy = tidy, glance = glance,
      augment = augment,
      "augment, new data" = function(fit) augment(fit, new_rows(fit)), relabel = relabel,
      "relabel, reversed" = function(fit) relabel(fit, fit$k:1),
      fitted = fitted, nobs = nobs, data_frame = as.data.frame,
      stability = function(fit) utils::capture.output(print(stability(fit, B = 2))),
      "class ids" = function(fit) clue::cl_class_ids(fit),
      "clue, new data" = function(fit) clue::cl_predict(fit, new_rows(fit)),
      partition = function(fit) c(clue::is.cl_partition(fit), clue::is.cl_hard_partition(fit)),
      describe = function(fit) utils::capture.output(print(describe_clusters(fit))),
      compare = function(fit) compare_clusters(fit, fit), statistics = function(fit) energy_statistics(fit$data, fit),
      dollar = function(fit) fit$centers, again = function(fit) kgroups(fit$data, fit$k, init = fit),
      restored = function(fit) {
        file <- tempfile()
        on.exit(unlink(file))
        saveRDS(fit, file)
        predict(readRDS(file))
      }
    ),
    "predict," = by_type(predicted, function(fit, type) predict(fit, type = type)),
    "predict, new data," = by_type(predicted, function(fit, type) predict(fit, new_rows(fit), type = type)),
    "figure," = by_type(drawn, function(fit, type) as_figure(fit, type = type)),
    "plot," = by_type(drawn, function(fit, type) in_file(function(fit) plot(fit, type = type))(fit))
  )
  if (requireNamespace("cluster", quietly = TRUE)) out$silhouette <- function(fit) cluster::silhouette(fit)
  out
}

# Two of the observations, as new ones.
new_rows <- function(fit) {
  data <- fit$data
  rows <- seq_len(min(2, fit$n))
  if (inherits(data, "igraph")) {
    igraph::as_adjacency_matrix(data)[rows, ]
  } else if (inherits(data, "dist")) {
    as.matrix(data)[rows, ]
  } else if (is.null(dim(data))) {
    data[rows]
  } else {
    data[rows, , drop = FALSE]
  }
}

test_that("every method of every fit answers, or refuses by class", {
  fits <- every_fit()
  calls <- fit_calls()
  # drawing depends on the figure alone
  plotted <- repeats(c("points", "landmarks", "connected", "trimmed", "graph", "one cluster", "bare"), names(fits))
  for (kind in names(fits)) {
    named <- if (kind %in% plotted) names(calls) else grep("^plot", names(calls), value = TRUE, invert = TRUE)
    for (name in third(named, match(kind, names(fits)))) {
      bad <- tryCatch(
        withCallingHandlers(
          {
            withr::with_seed(1, calls[[name]](fits[[kind]]))
            NULL
          },
          kg_warning = function(w) invokeRestart("muffleWarning"),
          kg_message = function(m) invokeRestart("muffleMessage")
        ),
        kg_error = function(e) NULL, error = identity, warning = identity, message = identity
      )
      if (!is.null(bad)) fail(sprintf("%s of %s: %s", name, kind, conditionMessage(bad)))
    }
  }
  expect_gt(length(fits), 40)
})
