# Odd names, damaged columns and changed objects are answered, or refused by an error of the package.

expect_answered <- function(code, info) {
  condition <- tryCatch(
    withCallingHandlers(
      {
        force(code)
        NULL
      },
      message = function(m) tryInvokeRestart("muffleMessage"),
      kg_warning = function(w) tryInvokeRestart("muffleWarning")
    ),
    error = identity, warning = identity
  )
  testthat::expect(
    is.null(condition) || inherits(condition, "kg_error"),
    paste0(info, ": ", if (!is.null(condition)) conditionMessage(condition))
  )
}

quietly_points <- function(x) {
  points <- suppressWarnings(as_points(x))
  attributes(points) <- attributes(points)["dim"]
  points
}

test_that("columns with names that are hard to write", {
  set.seed(1)
  names <- c(
    "", NA, "..1", "...", "a\u202eb", "a`b", "if", "NULL", "\x80\xff", ".", ".data", "a\nb", "{x}", "~", "\u200b"
  )
  for (name in names) {
    data <- stats::setNames(data.frame(rnorm(12), rnorm(12), rep(c("a", "b"), 6)), c(name, "b", "c"))
    twice <- stats::setNames(data[1:2], rep(name, 2))
    fit <- suppressMessages(kgroups(data, 2))
    calls <- list(
      formula = function() predict(kgroups(~., 2, data), data),
      computed = function() predict(kgroups(~ exp(b) + ., 2, data), data),
      augment = function() augment(fit), new = function() augment(fit, newdata = data), tidy = function() tidy(fit),
      describe = function() tidy(describe_clusters(fit, data)),
      points = function() as_points(data, like = as_points(data)),
      weights = function() kgroups(data, 2, column_weights = stats::setNames(0.5, name)),
      relabel = function() relabel(fit, name),
      test = function() energy_test(. ~ c, data, R = 9), pairs = function() as_figure(fit, type = "pairs"),
      twice = function() list(augment(kgroups(twice, 2)), tidy(kgroups(twice, 2)), predict(kgroups(twice, 2), twice))
    )
    for (call in names(calls)) expect_answered(calls[[call]](), paste(encodeString(name), call))
  }
})

test_that("columns of odd classes", {
  codes <- rep(1:2, 6)
  columns <- list(
    twice = structure(codes, levels = c("a", "a"), class = "factor"),
    missing = structure(codes, levels = c("a", NA), class = "factor"),
    labels = structure(codes, class = "haven_labelled", labels = "x"),
    metres = structure(1:12 + 0.5, units = "m", class = "units"), other = structure(codes, class = "whatever"),
    raw = as.raw(1:12)
  )
  set.seed(1)
  base <- data.frame(a = rnorm(12), b = rnorm(12))
  for (name in names(columns)) {
    column <- columns[[name]]
    data <- structure(c(unclass(base), list(c = column)), row.names = 1:12, class = "data.frame")
    calls <- list(
      fit = function() {
        fit <- kgroups(data, 2)
        list(predict(fit, data), tidy(fit), augment(fit), augment(fit, newdata = data), as_figure(fit, type = "pairs"))
      },
      points = function() as_points(data), labels = function() energy_statistics(base, column),
      describe = function() describe_clusters(kgroups(base, 2), data),
      by = function() relabel(kgroups(base, 2), column),
      init = function() kgroups(base, 2, init = column), alone = function() kgroups(column, 2)
    )
    for (call in names(calls)) expect_answered(calls[[call]](), paste(name, call))
  }
  # levels of the same name are one
  data <- structure(list(a = base$a, f = columns$twice), row.names = 1:12, class = "data.frame")
  expect_identical(unname(quietly_points(data)), unname(quietly_points(data.frame(a = base$a, f = "a"))))
})

test_that("settings that are NA", {
  x <- iris[1:20, 1:4]
  g <- rep(1:2, 10)
  fit <- kgroups(x, 2)
  calls <- as.list(quote({
    select_k(x, 2:3, NA)
    select_k(x, 2:3, NA_character_)
    select_k(x, 2:3, c("elbow", NA))
    select_k(x, NA)
    select_semimetric(x, 2, splits = NA_integer_)
    kgroups(x, NA_integer_)
    kgroups(x, 2, method = NA)
    kgroups(x, 2, init = NA_character_)
    kgroups(x, 2, semimetric = NA_character_)
    kgroups(x, 2, column_weights = stats::setNames(1, NA))
    predict(fit, type = NA_character_)
    relabel(fit, NA)
    as_figure(fit, columns = NA)
    energy_test(x, g, statistic = NA_character_)
    rho_metric(NA_character_)
  }))[-1L]
  for (call in calls) expect_answered(eval(call), deparse(call))
})

test_that("vertices without a name", {
  graph <- karate()
  for (odd in list("", NA, c("a", ""), c("a", NA))) {
    named <- igraph::set_vertex_attr(graph, "name", value = c(odd, paste0("v", seq_len(34 - length(odd)))))
    fit <- suppressMessages(kgroups(named, 2))
    edges <- matrix(0, 2, 34, dimnames = list(c("", NA), igraph::V(named)$name))
    edges[cbind(1:2, c(1, 3))] <- 1
    new <- data.frame(from = c("", NA, "new"), to = c("v1", "v2", odd[1]))
    calls <- list(
      matrix = function() predict(fit, edges), frame = function() predict(fit, new), augment = function() augment(fit),
      tidy = function() tidy(fit), print = function() format(fit), figure = function() as_figure(fit)
    )
    for (call in names(calls)) expect_answered(calls[[call]](), paste(toString(odd), call))
  }
})

test_that("fits without components are refused by every method that uses their sums", {
  uses <- list(
    print = print, format = format, summary = summary, tidy = tidy, glance = glance, augment = augment,
    predict = predict,
    new = function(fit) predict(fit, fit$data), plot = plot, figure = as_figure,
    stability = function(fit) stability(fit, B = 2),
    relabel = relabel, centers = function(fit) fit$centers, silhouette = cluster::silhouette
  )
  fits <- every_fit()
  for (name in names(fits)) {
    expect_no_error(check_fit(fits[[name]]))
    expect_no_error(check_fit(relabel(fits[[name]], "size")))
  }
  fit <- fits$points
  damaged <- c(
    lapply(c("cluster", "sizes", "W", "n"), function(part) fit[part != names(fit)]), list(list(cluster = 1:3), list())
  )
  damaged <- lapply(damaged, structure, class = "kgroups_fit")
  for (i in seq_along(damaged)) {
    for (use in names(uses)) expect_error(uses[[use]](damaged[[i]]), class = "kg_error_fit", info = paste(i, use))
  }
  expect_error(
    plot(fit["kept" != names(fit)] |> structure(class = "kgroups_fit")), "has no kept", class = "kg_error_fit"
  )
})

test_that("fits whose components have another size are refused, mixtures included", {
  changed <- function(fit, part, value, inside = NULL) {
    parts <- unclass(fit)
    if (is.null(inside)) parts[part] <- list(value) else parts[[inside]][part] <- list(value)
    structure(parts, class = class(fit))
  }
  set.seed(1)
  fit <- kgroups_mixture(faithful, 2)
  P <- fit$probabilities
  forged <- list(
    changed(fit, "k", 5L), changed(fit, "n", NULL), changed(fit, "cluster", 1:9), changed(fit, "within", "a"),
    changed(fit, "probabilities", NULL), changed(fit, "probabilities", P[1:5, ]), changed(fit, "shares", NULL),
    changed(fit, "form", NULL), changed(fit, "nu", "a"), changed(fit, "means", 1:2), changed(fit, "scatters", 1),
    changed(fit, "mixture", "a"), changed(fit, "mixture", list()), changed(fit, "size", 1, "mixture"),
    changed(fit, "mean", NULL, "mixture"), changed(fit, "scatter", "a", "mixture"), changed(fit, "at", 1L, "mixture"),
    changed(fit, "value", "x", "mixture"), changed(fit, "rows", NULL, "mixture")
  )
  uses <- list(
    print, summary, tidy, glance, augment, plot, as_figure, kgroups_mixture, stats::logLik,
    predict, function(fit) predict(fit, type = "prob"), function(fit) predict(fit, faithful[1:3, ]),
    function(fit) relabel(fit, "size")
  )
  expect_no_error(check_fit(fit))
  for (i in seq_along(forged)) {
    for (j in seq_along(uses)) expect_error(uses[[j]](forged[[i]]), class = "kg_error_fit", info = paste(i, j))
  }
})

test_that("columns of an earlier augment() are replaced with a message", {
  fit <- every_fit()$points
  first <- augment(fit)
  expect_message(
    again <- augment(fit, first[setdiff(names(first), ".prob")]), ".cluster", class = "kg_message_replaced"
  )
  expect_identical(again$.cluster, first$.cluster)
  expect_message(augment(fit, newdata = first), class = "kg_message_replaced")
  expect_no_message(augment(fit, fit$data), class = "kg_message_replaced")
})
