# Single arguments: labels as other packages hold them, names of other packages, text of files.

test_that("partitions of other packages are labels", {
  set.seed(1)
  x <- iris[1:4]
  km <- kmeans(x, 3)
  tree <- hclust(dist(x))
  partitions <- list(kmeans = km, kgroups = kgroups(x, 3), clue = clue::as.cl_partition(km))
  if (requireNamespace("cluster", quietly = TRUE)) partitions$pam <- cluster::pam(x, 3)
  for (name in names(partitions)) {
    labels <- as.vector(clue::cl_class_ids(partitions[[name]]))
    expect_identical(compare_clusters(labels, partitions[[name]]), 1, info = name)
    expect_equal(energy_statistics(x, partitions[[name]])$W, energy_statistics(x, labels)$W, info = name)
    expect_equal(kgroups(x, 3, init = partitions[[name]])$W, kgroups(x, 3, init = labels)$W, info = name)
  }
  expect_equal(kgroups(x, 3, init = tree)$W, kgroups(x, 3, init = cutree(tree, 3))$W)
  expect_error(energy_statistics(x, tree), "cutree", class = "kg_error_cluster")
})

test_that("a semimetric in the place of another argument is named", {
  x <- iris[1:20, 1:4]
  calls <- expression(
    kgroups(x, 2, rho_gaussian(1)), semimetric_matrix(x, rho_power(1)), semimetric_matrix(x, "manhattan"),
    is_negative_type(rho_power(1)),
    energy_distance(x, rho_power(1)), kgroups_tree(x, rho_power(1)), kgroups(rho_power(1), 2),
    energy_test(x, rho_power(1)), kgroups_changes(x, rho_power(1)), select_k(x, rho_power(1)), kgroups(x, rho_power(1))
  )
  for (call in calls) expect_error(eval(call), "semimetric = ", class = "kg_error_input")
})

test_that("sizes of groups have the labels that they stand for", {
  code <- function(condition) code_of(gsub("\n *", " ", conditionMessage(condition)))
  v <- iris[[1]]
  found <- tryCatch(energy_test(v, c(50, 60, 40), R = 9), kg_error_g = code)
  expect_true("g = rep(1:3, c(50, 60, 40))" %in% found)
  found <- tryCatch(energy_test(dist(v), c(50, 60, 40), R = 9), kg_error_g = code)
  expect_true("g = rep(1:3, c(50, 60, 40))" %in% found)
  expect_no_message(tryCatch(energy_test(v[1:20], c(3, 4, 6), R = 9), error = identity), message = "sizes")
})

test_that("labels are coded in the order of their levels or values, and what is no label has its hint", {
  set.seed(1)
  levels_of <- function(labels) attr(check_labels(labels, NULL), "levels")
  expect_identical(levels_of(factor(c("b", "a", "b"), c("c", "b", "a"))), c("b", "a"))
  expect_identical(levels_of(c("b", "a", "b")), c("a", "b"))
  expect_identical(levels_of(as.raw(c(9, 1))), c("1", "9"))
  hint <- function(code) unname(tryCatch(code, kg_error = function(e) e$body["i"]))
  x <- iris[1:6, 1:4]
  expect_match(hint(energy_statistics(x, data.frame(a = rep(1:2, 3)))), "Give its column: `cluster = cluster[[1]]`", fixed = TRUE)
  expect_match(hint(energy_test(x, data.frame(a = 1:6, b = 1:6))), "list(x, y)", fixed = TRUE)
  expect_match(hint(energy_statistics(x, 1:3)), "rep(1:3, c(1, 2, 3))", fixed = TRUE)
  expect_identical(hint(energy_statistics(x, 1:4)), NA_character_)
  # the first weight that is wrong, zeros are none
  came <- function(weights) tryCatch(kgroups(x, 2, weights = weights), kg_error_weights = function(e) e$body[["x"]])
  expect_identical(came(c(0, 1, 0, -1, 1, -2)), "Weight 4 is -1.")
  expect_identical(came(c(0, -1, NA, Inf, 1, 1)), "Weight 3 is NA.")
  expect_identical(came(numeric(6)), "They are all 0.")
})

test_that("text of files is read alike in UTF-8 and Latin-1, in any locale", {
  set.seed(1)
  file_of <- function(umlauts) {
    file <- withr::local_tempfile(fileext = ".csv", .local_envir = parent.frame(2))
    lines <- c("a,place", paste(1:20, rep(sprintf(c("Z%srich", "K%sln"), umlauts), 10), sep = ","))
    con <- file(file, "wb")
    on.exit(close(con))
    writeBin(charToRaw(paste0(paste(lines, collapse = "\n"), "\n")), con)
    file
  }
  files <- c(file_of(c("\xc3\xbc", "\xc3\xb6")), file_of(c("\xfc", "\xf6")))
  init <- rep(1:2, 10)
  reached <- NULL
  for (locale in c("C", "C.UTF-8")) {
    old <- Sys.getlocale("LC_CTYPE")
    withr::defer(Sys.setlocale("LC_CTYPE", old))
    if (!nzchar(suppressWarnings(Sys.setlocale("LC_CTYPE", locale)))) next
    for (file in files) {
      for (factors in c(FALSE, TRUE)) {
        data <- read.csv(file, stringsAsFactors = factors)
        fit <- suppressMessages(kgroups(data, 2, init = init))
        expect_identical(unname(predict(fit, data)), unname(fit$cluster))
        reached <- c(reached, fit$W)
        expect_identical(attr(as_points(data), "blueprint")$columns[[2]]$levels, c("K\u00f6ln", "Z\u00fcrich"))
      }
      expect_s3_class(suppressMessages(energy_test(data["a"], data$place, R = 9)), "htest")
      expect_identical(compare_clusters(data$place, init), 1)
    }
    Sys.setlocale("LC_CTYPE", old)
  }
  expect_equal(diff(range(reached)), 0)
})

test_that("names of a dist must be those of its observations", {
  d <- dist(iris[1:10, 1:4])
  wrong <- structure(d, Labels = letters[1:5])
  for (call in list(
    quote(kgroups(wrong, 2)), quote(semimetric_matrix(wrong)), quote(energy_statistics(wrong, rep(1:2, 5)))
  )) {
    expect_error(eval(call), "must name its 10 observations", class = "kg_error_dist")
  }
})

test_that("columns without a plain vector are taken or refused by name", {
  set.seed(1)
  x <- data.frame(a = c(1, 2, 3, 11, 12, 13))
  x$z <- array(1:12, c(6, 2, 1))
  expect_error(kgroups(x, 2), "Column z does not", class = "kg_error_x")
  x$z <- matrix(0, 6, 0)
  expect_equal(seeded(kgroups(x, 2))$W, seeded(kgroups(x["a"], 2))$W)
  x$z <- structure(c(1, 5, 2, 3, 4, 9), class = "difftime")
  fit <- kgroups(x, 2)
  expect_identical(predict(fit, x), fit$cluster)
})

# Each function with a second argument that has one value a row: the answer of `f(x, value)`.
functions_of_two <- function(points, g, w) {
  rows <- rownames(points)
  pairs <- stats::setNames(rep(1:10, 2), rows)
  strata <- stats::setNames(rep(1:2, each = 10), rows)
  units <- stats::setNames(rep(1:10, each = 2), rows)
  halves <- stats::setNames(rep(1:2, each = 10), rows)
  of_units <- kgroups(points, 2, units = units)
  of_gram <- kgroups(as_gram(tcrossprod(points)), 2)
  list(
    weights = list(w, function(x, v) kgroups(x, 2, weights = v)),
    init = list(g, function(x, v) kgroups(x, 2, init = v)),
    init = list(structure(list(cluster = g), class = "kmeans"), function(x, v) kgroups(x, 2, init = v)),
    together = list(pairs, function(x, v) kgroups(x, 2, together = v)),
    apart = list(units, function(x, v) kgroups(x, 2, apart = v)),
    weights = list(w, function(x, v) kgroups_tree(x, weights = v)),
    weights = list(w, function(x, v) select_k(x, 1:3, weights = v, splits = 2)),
    cluster = list(g, function(x, v) energy_statistics(x, v)),
    weights = list(w, function(x, v) energy_statistics(x, unname(g), weights = v)),
    g = list(g, function(x, v) energy_test(x, v, R = 9)),
    g = list(factor(g), function(x, v) pairwise_energy_test(x, v, R = 9)),
    g = list(g, function(x, v) dispersion_test(x, v, R = 9)), g = list(g, function(x, v) energy_distance(x, g = v)),
    weights = list(w, function(x, v) energy_test(x, unname(g), weights = v, R = 9)),
    strata = list(strata, function(x, v) energy_test(x, unname(g), strata = v, R = 9)),
    units = list(units, function(x, v) energy_test(x, unname(halves), units = v, R = 9)),
    data = list(data.frame(h = g, row.names = rows), function(x, v) energy_test(x ~ h, v, R = 9)),
    data = list(
      data.frame(h = g, s = strata, row.names = rows),
      function(x, v) energy_test(x ~ h, v, strata = s, subset = s < 3, R = 9)
    ),
    units = list(units, function(x, v) kgroups(x, 2, units = v)[c("cluster", "units")]),
    units = list(units, function(x, v) predict(of_units, points, units = v)),
    units = list(units, function(x, v) predict(of_units, units = v)),
    diag = list(w, function(x, v) predict(of_gram, tcrossprod(points), "squared", diag = v)),
    data = list(data.frame(h = g, w, row.names = rows), function(x, v) energy_distance(x ~ h, data = v, weights = w)),
    data = list(data.frame(h = g, row.names = rows), function(x, v) dispersion_test(x ~ h, v, R = 9))
  )
}

test_that("values with names are matched to the rows by name or refused, in every function and for every form of rows",
  {
  x <- as.matrix(USArrests[1:20, ])
  rows <- rownames(x)
  w <- stats::setNames(as.numeric(1:20), rows)
  take <- function(v, at) if (is.data.frame(v)) v[at, , drop = FALSE] else if (is.list(v)) replace(
    v, 1, list(v$cluster[at])
  ) else v[at]
  rename <- function(v, names) {
    if (is.data.frame(v)) rownames(v) <- names else if (is.list(v)) names(v$cluster) <- names else names(v) <- names
    v
  }
  answer <- function(f, x, v) suppressWarnings(suppressMessages({
    set.seed(1)
    out <- f(x, v)
    if (is.list(out)) unclass(out)[setdiff(names(out), c("call", "data", "kept", "data.name", "runs"))] else out
  }))
  forms <- list(x, as.data.frame(x), dist(x), as_gram(tcrossprod(x)), Matrix::Matrix(x, sparse = TRUE))
  of_two <- functions_of_two(x, stats::setNames(rep(1:2, 10), rows), w)
  for (i in seq_along(of_two)) {
    arg <- names(of_two)[i]
    v <- of_two[[i]][[1]]
    f <- of_two[[i]][[2]]
    for (form in forms[if (arg %in% c("weights", "init") && i < 4) 1:5 else if (arg == "data") 1:3 else c(1, 3)]) {
      expected <- answer(f, form, v)
      expect_equal(answer(f, form, take(v, c(20:11, 1:10))), expected, info = paste(i, arg))
      if (!is.data.frame(v)) expect_equal(answer(f, form, rename(v, NULL)), expected, info = paste(i, arg))
      # as tapply() and `[, , drop = FALSE]` have them
      if (is.atomic(v)) for (d in list(20, c(20, 1))) {
        named <- array(v[20:1], d, c(list(rows[20:1]), list(NULL)[length(d) - 1]))
        expect_equal(answer(f, form, named), expected, info = paste(i, arg, length(d)))
      }
      expect_error(answer(f, form, rename(v, paste0("z", 1:20))), "names of the rows", class = paste0("kg_error_", arg))
      if (!is.data.frame(v)) {
        expect_error(
          answer(f, form, rename(v, replace(rows, 2, rows[1]))), "names of the rows", class = paste0("kg_error_", arg)
        )
      }
    }
  }
  g <- of_two$g[[1]]
  graph <- igraph::sample_gnm(20, 60)
  igraph::V(graph)$name <- rows
  fit <- kgroups(x, 2)
  expect_identical(
    suppressMessages(kgroups(graph, 2, init = rev(g)))$cluster, suppressMessages(kgroups(graph, 2, init = g))$cluster
  )
  expect_equal(relabel(fit, rev(g)), relabel(fit, g), ignore_function_env = TRUE, ignore_attr = TRUE)
  expect_equal(compare_clusters(fit, rev(fit$cluster)), 1)
  expect_equal(compare_clusters(as.matrix(rev(fit$cluster)), fit$cluster), 1)
  expect_equal(describe_clusters(rev(g), x)$table, describe_clusters(g, x)$table)
  expect_equal(describe_clusters(fit, x, weights = rev(w))$table, describe_clusters(fit, x, weights = w)$table)
  expect_equal(energy_distance(x, x + 1, weights_x = rev(w)), energy_distance(x, x + 1, weights_x = w))
  expect_equal(kgroups(w, 2, weights = rev(w))$cluster, kgroups(w, 2, weights = w)$cluster)
  expect_equal(as_points(x, weights = rev(w), standardize = TRUE), as_points(x, weights = w, standardize = TRUE))
})

test_that("columns of new dissimilarities and kernel values are found by name or refused", {
  set.seed(1)
  x <- as.matrix(mtcars)
  D <- as.matrix(dist(x))
  G <- tcrossprod(scale(x))
  fits <- list(
    kgroups(dist(x), 3), kgroups(dist(x), 3, approx = nystroem(9)), kgroups(as_gram(G), 3),
    kgroups(dist(x), 3, trim = 0.1)
  )
  for (fit in fits) {
    new <- if (is.null(fit$semimetric)) G else D
    more <- if (is.null(fit$semimetric)) list(diag = diag(G)) else list()
    ask <- function(newdata, type) do.call(predict, c(list(fit, newdata, type = type), more))
    for (type in c("class", "distance", "prob", if (!is.null(fit$noise)) "noise")) {
      expected <- ask(new, type)
      expect_identical(ask(new[, 32:1], type), expected)
      expect_identical(ask(unname(new), type), expected, ignore_attr = TRUE)
      expect_identical(ask(as.data.frame(new)[, c(2:32, 1)], type), expected)
      expect_error(ask(`colnames<-`(new, paste0("z", 1:32)), type), class = "kg_error_newdata")
      expect_error(
        ask(`colnames<-`(new, replace(colnames(new), 2, colnames(new)[1])), type), class = "kg_error_newdata"
      )
    }
  }
  expect_identical(predict(fits[[1]], rev(D[3, ])), predict(fits[[1]], D[3, ]))
})

test_that("rows that share a name are not found by it", {
  set.seed(1)
  x <- matrix(rnorm(80), 40, dimnames = list(rep(c("a", "b"), 20), NULL))
  for (arg in c("together", "apart")) {
    expect_error(
      do.call(kgroups, c(list(x, 2), stats::setNames(list(cbind("a", "b")), arg))), "Several rows",
      class = paste0("kg_error_", arg)
    )
  }
  expect_no_error(kgroups(x, 2, weights = stats::setNames(1:40, rownames(x))))
})

test_that("tables and fits with the same row names are matched by them", {
  set.seed(1)
  fit <- kgroups(USArrests, 3)
  mixed <- USArrests[c(50:26, 1:25), ]
  expect_equal(describe_clusters(fit, mixed), describe_clusters(fit, USArrests))
  for (data in list(mixed, as.matrix(mixed))) {
    out <- augment(fit, data)
    expect_identical(out$.rownames, rownames(mixed))
    expect_identical(as.integer(out$.cluster), unname(fit$cluster[rownames(mixed)]))
    expect_equal(as.data.frame(augment(fit))[c(50:26, 1:25), -1], as.data.frame(out)[-1], ignore_attr = TRUE)
  }
  other <- list(
    kgroups(mixed, 3), kgroups(dist(mixed), 3), stats::kmeans(mixed, as.matrix(tidy(fit)[names(USArrests)])),
    cluster::pam(mixed, 3)
  )
  for (one in other) expect_equal(
    compare_clusters(fit, one), compare_clusters(fit$cluster, partition_labels(one)[names(fit$cluster)])
  )
  expect_identical(unname(kgroups(USArrests, 3, init = other[[1]])$cluster), unname(fit$cluster))
})

test_that("columns of a fit in another order of rows are refused; other values of the columns are not", {
  set.seed(1)
  plain <- iris[1:4]
  fits <- list(
    kgroups(plain, 3), kgroups(as.matrix(plain), 3), kgroups(iris$Sepal.Length, 3), kgroups(iris["Sepal.Width"], 3)
  )
  for (fit in fits[-3]) {
    mixed <- iris[order(iris$Sepal.Length), ]
    row.names(mixed) <- NULL
    for (data in list(mixed, iris[150:1, ], as.matrix(mixed[1:4]))) {
      expect_error(augment(fit, data), class = "kg_error_data")
      expect_error(describe_clusters(fit, data), class = "kg_error_data")
      new <- augment(fit, newdata = data)
      expect_identical(sort(as.integer(new$.cluster)), sort(unname(fit$cluster)))
    }
    expect_identical(nrow(augment(fit, iris)), 150L)
    expect_identical(nrow(augment(fit, scale(plain))), 150L)
    expect_no_error(describe_clusters(fit, data.frame(other = 1:150)))
  }
  expect_no_error(augment(fits[[3]], iris))
  # names of other rows are refused, as those of labels and weights are
  fit <- kgroups(USArrests, 3)
  other <- USArrests
  rownames(other)[50] <- "Guam"
  for (f in list(augment, describe_clusters)) expect_error(f(fit, other), "no name \"Wyoming\"", class = "kg_error_data")
  rownames(other) <- NULL
  expect_identical(augment(fit, other)$.cluster, augment(fit)$.cluster)
})

test_that("the unit of weights, data, dissimilarities and edges changes no labels, probabilities and p-values", {
  set.seed(11)
  x <- matrix(rnorm(80), 40) + rep(c(0, 3), each = 20)
  w <- rexp(40) + 0.2
  unit <- 1e4 / 7
  for (name in names(functions_of_weights)) {
    f <- functions_of_weights[[name]]
    expect_equal(quiet_answer(f, x, w * unit), quiet_answer(f, x, w), tolerance = 1e-6, info = name)
  }
  for (name in names(functions_of_distances)) {
    f <- functions_of_distances[[name]]
    for (form in list(x, dist(x))) expect_equal(
      quiet_answer(f, form * unit), quiet_answer(f, form), tolerance = 1e-6, info = name
    )
  }
  for (name in names(functions_of_points)) {
    f <- functions_of_points[[name]]
    expect_equal(quiet_answer(f, x * unit), quiet_answer(f, x), tolerance = 1e-5, info = name)
  }
  network <- weighted_graph(40)
  for (name in names(functions_of_graphs)) {
    f <- functions_of_graphs[[name]]
    once <- quiet_answer(f, network$graph(1), network$A)
    for (times in c(1e-3, unit)) {
      expect_equal(quiet_answer(f, network$graph(times), network$A * times), once, tolerance = 1e-6, info = name)
    }
  }
})

test_that("an observation is named by its row, if the name is more than its number", {
  expect_identical(observation_text(3, c("a", "b", "c")), "3 (c)")
  for (names in list(NULL, "1", c("1", "2", "3"), character(3), rep(NA_character_, 3))) {
    expect_identical(observation_text(3, names), "3")
  }
})

test_that("64-bit integers are numbers in every argument", {
  skip_if_not_installed("bit64")
  wide <- bit64::as.integer64
  set.seed(32)
  x <- rnorm(40) + rep(c(0, 3), each = 20)
  calls <- list(
    function(f) kgroups(x, f(2), sizes = f(c(10, 30)))[c("cluster", "limits")],
    function(f) kgroups(x, 2, together = list(f(c(1, 40))))$cluster,
    function(f) kgroups(x, 2, apart = data.frame(a = f(1:3), b = f(4:6)))$constraints$apart,
    function(f) kgroups(x, 3, apart = f(rep(1:20, 2)))$cluster,
    function(f) kgroups(x, 2, weights = f(rep(1:2, 20)))$W,
    function(f) kgroups(x, 2, init = f(rep(1:2, 20)))$W,
    function(f) energy_test(x, f(rep(c(-1, 10), each = 20)), units = f(rep(1:20, each = 2)), R = 19)$statistic,
    function(f) energy_test(x, gl(2, 20), strata = f(rep(1:2, 20)), R = 19)$p.value,
    function(f) names(energy_test(x, f(rep(c(10, 9), each = 20)), R = 19)$sizes),
    function(f) describe_clusters(f(rep(1:2, each = 20)), x)$sizes,
    function(f) cluster_kgroups(igraph::make_ring(8), 2, weights = f(1:8))$modularity
  )
  for (call in calls) {
    set.seed(1)
    one <- suppressMessages(call(wide))
    set.seed(1)
    expect_equal(one, suppressMessages(call(as.integer)))
  }
  # those that no double has stay different labels
  large <- wide("9007199254740993")
  expect_identical(attr(check_labels(c(large, large + 1L), 2), "levels"), c("9007199254740993", "9007199254740994"))
  expect_error(check_labels(wide(c(1, NA)), 2), class = "kg_error_cluster")
})

test_that("two samples of times are compared in one unit, or refused", {
  set.seed(1)
  minutes <- as.difftime(c(1, 2, 3, 7), units = "mins")
  seconds <- as.difftime(60 * c(1, 2, 3, 7), units = "secs")
  expect_equal(energy_distance(minutes, seconds), 0)
  one <- energy_test(list(minutes, seconds), R = 19)
  expect_equal(one$statistic, energy_test(list(minutes, minutes), R = 19)$statistic)
  expect_equal(semimetric_matrix(minutes, seconds), semimetric_matrix(minutes, minutes))
  day <- as.Date("2024-01-01") + 0:3
  expect_error(energy_distance(day, as.POSIXct(day)), class = "kg_error_y")
  expect_error(energy_distance(day, 1:4), class = "kg_error_y")
  expect_error(energy_test(list(day, minutes), R = 19), class = "kg_error_y")
  expect_error(semimetric_matrix(day, as.POSIXct(day)), class = "kg_error_y")
})

test_that("measurements are no labels of groups, whatever the function", {
  set.seed(33)
  x <- rnorm(12)
  for (call in list(
    quote(energy_statistics(x, x)), quote(describe_clusters(x, x)),
    quote(energy_test(x, x, R = 19)), quote(dispersion_test(x, x, R = 19)), quote(energy_distance(x, g = x)),
    quote(pairwise_energy_test(x, x, R = 19))
  )) {
    expect_error(eval(call), "must be whole", class = "kg_error_input")
  }
})

test_that("functions that take no formula refuse it before its `data`", {
  set.seed(1)
  d <- data.frame(a = rnorm(20), b = rnorm(20))
  for (f in list(
    as_points, select_k, kgroups_tree, cluster_test, kgroups_changes, is_negative_type,
    function(...) select_semimetric(..., k = 2), function(...) energy_statistics(..., cluster = gl(2, 10))
  )) {
    expect_error(f(~ a + b), "takes no formula")
    expect_error(f(~ a + b, data = d), "takes no formula")
  }
})

test_that("arguments that users of kmeans(), pam(), hclust(), dbscan() and Mclust() type have a hint", {
  x <- iris[1:4]
  hint <- function(code) unname(utils::tail(tryCatch(code, kg_error = identity)$body, 1L))
  cases <- list(
    "Use `k`." = list(kgroups, list(x, centers = 3)), "Use `k`." = list(kgroups, list(x, n_clusters = 3)),
    "Use `k`." = list(kgroups, list(x, G = 3)),
    "Use `ks`" = list(select_k, list(x, k.max = 6)), "select_k()" = list(kgroups, list(x, 3, kmax = 6)),
    "Use `iter.max`" = list(kgroups, list(x, 3, max.iter = 6)),
    "Use `method`" = list(kgroups, list(x, 3, algorithm = "Lloyd")),
    "Use `semimetric`" = list(kgroups, list(x, 3, metric = "manhattan")),
    "Use `semimetric`" = list(kgroups, list(x, 3, kernel = "rbf")),
    "as.dist(D)" = list(kgroups, list(x, 3, diss = TRUE)),
    "standardize = TRUE" = list(kgroups, list(x, 3, stand = TRUE)),
    "within" = list(kgroups, list(x, 3, modelNames = "VVV")),
    "rho_connected" = list(kgroups, list(x, 3, eps = 1)), "set.seed()" = list(kgroups, list(x, 3, seed = 1)),
    "`trim`" = list(kgroups, list(x, 3, noise = 0.1)),
    "`missing = " = list(kgroups, list(x, 3, na.rm = TRUE)), "`threads`" = list(kgroups, list(x, 3, cores = 2)),
    "quiet" = list(kgroups, list(x, 3, trace = 1)),
    "`R`" = list(energy_test, list(x, iris$Species, nperm = 9)),
    "`g`" = list(energy_test, list(x, groups = iris$Species)),
    "Use `semimetric`" = list(energy_test, list(x, iris$Species, method = "bray")),
    "Use `semimetric`" = list(dispersion_test, list(x, iris$Species, method = "euclidean")),
    "a + b" = list(energy_test, list(x, iris$Species, by = "margin")),
    "`g`" = list(pairwise_energy_test, list(x, factors = iris$Species)),
    "`p.adjust.method`" = list(pairwise_energy_test, list(x, iris$Species, method = "bonferroni")),
    "linkages" = list(kgroups_tree, list(x, method = "ward.D2"))
  )
  for (i in seq_along(cases)) expect_match(
    hint(do.call(cases[[i]][[1L]], cases[[i]][[2L]])), names(cases)[i], fixed = TRUE, info = i
  )
})

test_that("other names have the nearest argument, no further than two letters, or none", {
  text <- function(code) conditionMessage(tryCatch(code, kg_error = identity))
  x <- iris[1:4]
  expect_match(text(kgroups(x, 3, threds = 2)), "Did you mean `threads`?", fixed = TRUE)
  expect_match(text(kgroups(x, 3, standardise = TRUE)), "Did you mean `standardize`?", fixed = TRUE)
  expect_match(text(kgroups(x, 3, standardize = "withn")), "Did you mean \"within\"?", fixed = TRUE)
  for (code in expression(kgroups(x, 3, standardise_all = 1), kgroups(x, 3, legend = 1))) {
    expect_no_match(text(eval(code)), "Did you mean")
  }
})

test_that("the call that a hint names runs on the data of the error", {
  x <- iris[1:4]
  rownames(x) <- paste0("r", 1:150)
  D <- dist(x)
  correlations <- as.dist(cor(t(scale(x))))
  units <- list(c(1:5, 7), c(9, 8, 6, 1), 30:34)
  parts <- list(data = x, labs = iris$Species)
  path <- withr::local_tempfile(lines = c("a,b", "1,2", "3,4", "9,7"))
  text <- c("ab", "abd", "xyz", "xyw")
  f <- function(x, y) sum(abs(x - y))
  holes <- replace(as.matrix(x), cbind(3, 1:4), NA)
  sparse <- Matrix::Matrix(as.matrix(x), sparse = TRUE)
  set.seed(1)
  fit <- kgroups(x, 3)
  later <- kgroups(x[51:150, ], 3)
  first <- kgroups(x[1:100, ], 3)
  few <- kgroups(x[1:40, ], 3)
  bare <- kgroups(x, 3, keep.data = FALSE)
  tree <- kgroups_tree(x)
  d <- data.frame(x, y = rnorm(150), g = gl(2, 75), h = gl(3, 1, 150), unit = gl(30, 5))
  days <- as.Date("2024-01-01") + c(3, 1, 2, 4:150)
  graph <- karate()
  ends <- rep(1:2, 17)
  edges <- igraph::as_data_frame(graph)
  as_graph <- function(edges) igraph::graph_from_data_frame(edges, directed = FALSE)
  A <- as.matrix(igraph::as_adjacency_matrix(graph))
  sign <- ifelse(row(A) + col(A) == 3, -1, 1)
  signed <- igraph::graph_from_adjacency_matrix(A * sign, mode = "max", weighted = TRUE)
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  for (case in as.list(hints_followed)) {
    name <- deparse(case[[2L]])[1L]
    error <- tryCatch(suppressMessages(eval(case[[2L]])), error = identity)
    expect_true(inherits(error, "kg_error_input"), info = name)
    stated <- gsub("\\s+", " ", paste(c(error$message, error$body), collapse = " "))
    expect_true(grepl(case[[3L]], stated, fixed = TRUE), info = paste(name, stated))
    followed <- tryCatch(suppressMessages(eval(case[[4L]])), error = identity)
    expect_false(inherits(followed, "error"), info = paste(name, deparse(case[[4L]])[1L]))
  }
})

test_that("an argument that a hint names is one of the function that gave it", {
  set.seed(1)
  x <- iris[c(1:10, 51:60), 1:4]
  g <- rep(1:2, each = 10)
  fit <- kgroups(x, 2, init = g)
  calls <- list(
    kgroups = list(x, 2), kernel_kmeans = list(x, 2), kgroups_mixture = list(x, 2), kgroups_tree = list(x),
    select_k = list(x, 2), select_semimetric = list(x, 2), kgroups_changes = list(x, 2), cluster_test = list(x),
    energy_test = list(x, g), energy_distance = list(x, g = g), energy_statistics = list(x, g),
    dispersion_test = list(x, g), pairwise_energy_test = list(x, g), stability = list(fit)
  )
  # the hint about an argument that the function does not take, NULL if it takes it
  hint_about <- function(f, name) {
    error <- tryCatch(
      suppressMessages(do.call(f, c(calls[[f]], stats::setNames(list(quote(stop("taken"))), name)))), error = identity
    )
    if (inherits(error, "kg_error_dots")) gsub("\\s+", " ", conditionMessage(error))
  }
  followed <- 0
  for (f in names(calls)) {
    for (name in unique(unlist(lapply(other_names, `[[`, "names")))) {
      hint <- hint_about(f, name) %||% ""
      named <- regmatches(hint, regexpr("(?<=Use `|mean `)[a-z._A-Z]+(?=`| = )", hint, perl = TRUE))
      if (length(named)) {
        followed <- followed + 1
        expect_null(hint_about(f, named), info = paste(f, name, named))
      }
    }
  }
  expect_gt(followed, 200)
})
