# Calls that users of other packages type: each is answered by the way that this package has.

# The supplied part and the hint of the error of each call.
answers <- function(calls, env = parent.frame()) {
  unlist(lapply(calls, function(call) {
    error <- tryCatch(
      suppressMessages(suppressWarnings(eval(call, env))),
      kg_error = function(e) unname(e$body[c(length(e$body))]), error = function(e) paste("RAW:", conditionMessage(e))
    )
    c(deparse(call, width.cutoff = 200L)[1L], paste0("  ", if (is.character(error)) error else "no error"))
  }))
}

test_that("names of arguments and values of other packages: a table of call and hint", {
  x <- iris[1:4]
  f <- iris$Species
  v <- iris$Sepal.Length
  fit <- kgroups(x, 3)
  graph <- karate()
  kernel <- function(x, y) exp(-sum((x - y)^2))
  file <- "x.csv"
  autoplot <- function(...) if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(...) else as_figure(...)
  calls <- as.list(quote({
    kgroups(x, centers = 3)
    kgroups(x, n_clusters = 3)
    kgroups(x, 3, rho = rho_power(1))
    kgroups(x, 3, semimetrics = "manhattan")
    kgroups(x, 3, metric = "manhattan")
    kgroups(x, 3, kernel = "rbf")
    kgroups(x, 3, alpha = 0.05)
    kgroups(x, 3, cluster = f)
    kgroups(x, 3, min.size = 10)
    kgroups(x, 3, max_size = 60)
    kgroups(x, 3, size = 50)
    kgroups(x, 3, balanced = TRUE)
    kgroups(x, 3, must_link = cbind(1, 2))
    kgroups(X = x, k = 3)
    kgroups(x, 3, diss = TRUE)
    kgroups(x, 3, medoids = c(1, 60, 120))
    kgroups(x, 3, modelNames = "VVV")
    kgroups(x, 3, tol = 1e-4)
    kgroups(x, 3, eps = 0.5)
    kgroups(x, minPts = 5)
    kgroups(x, 3, fuzzy = 2)
    kgroups(x, 3, lambda = 2)
    kgroups(x, 3, max_iter = 10)
    kgroups(x, 3, random_state = 1)
    kgroups(x, 3, scale = TRUE)
    kgroups(x, 3, na.rm = TRUE)
    kgroups(x, 3, columns = 1:2)
    kgroups(x, 3, data = iris)
    kgroups(x, 3, weigths = 1:150)
    kgroups(x, 3, method = "macqueen")
    kgroups(x, 3, method = "ward.D2")
    kgroups(x, 3, method = "silhouette")
    kgroups(x, 3, init = "forgy")
    kgroups(x, 3, semimetric = "gaussian")
    kgroups(x, 3, semimetric = "bray")
    kgroups(x, 3, semimetric = "gower")
    kgroups(x, 3, semimetric = "mahalanobis")
    kgroups(x, 3, semimetric = rho_function(kernel))
    kernel_kmeans(x, 3, sigma = 1)
    select_k(x, index = "all")
    select_k(x, criteria = "gap")
    select_k(x, k.max = 9)
    select_k(x, method = "silhouette")
    select_k(x, criterion = "calinski")
    select_k(x, criterion = "wss")
    select_k(x, criterion = "BIC")
    select_k(x, min.size = 10)
    select_semimetric(x, 3, criteria = "stability")
    stability(fit, data = x)
    predict(fit, new_data = x)
    predict(fit, X = x)
    predict(fit, x, what = "z")
    predict(fit, x, type = "probability")
    predict(fit, x, type = "response")
    augment(fit, new_data = x)
    autoplot(fit, data = iris)
    energy_test(v, group = f)
    energy_test(v, groups = f)
    energy_test(v, sizes = c(50, 100))
    energy_test(v)
    energy_test(v, f, n.perm = 99)
    energy_test(v, f, method = "discoB")
    energy_test(v, f, alpha = 0.05)
    energy_distance(v, group = f)
    energy_statistics(x, group = f)
    energy_statistics(v ~ f, data = iris)
    pairwise_energy_test(v, group = f)
    dispersion_test(v, groups = f)
    cluster_test(graph)
    rho_gaussian(gamma = 2)
    rho_gaussian(bandwidth = 2)
    rho_exponential(1, 2)
    rho_connected(k = 5)
    rho_connected(eps = 0.3)
    rho_power(p = 2)
    rho_power(0.5, 0.3)
    rho_metric("minkowski", power = 3)
    rho_metric(method = "manhattan")
    rho_function(f = kernel, sigma = 1)
    nystroem(k = 5)
    as_gram(x, kernel = "rbf")
    as_points(x, scale = TRUE)
    compare_clusters(f, fit, type = "nmi")
    compare_clusters(f, fit, method = "rand")
    relabel(fit, order = "size")
    describe_clusters(fit, iris, n = 2)
    kgroups_tree(x, method = "average")
    kgroups_tree(x, k = 3)
    kgroups_changes(v, nbkps = 2)
    kgroups_1d(v, centers = 2)
    kgroups(x, x[c(1, 51, 101), ])
    kgroups(as.matrix(x), as.matrix(x)[1:3, ])
    kgroups(x, 3, std = TRUE)
    kgroups(x, 3, standardize = "range")
    kgroups(x, 3, standardize = "zscore")
    kgroups(x, 3, restr.fact = 12)
    kgroups(x, 3, weights = factor(v))
    kgroups(x, 3, weights = data.frame(v))
    kgroups(x, 3, semimetric = rho_function(dist))
    kgroups(NULL, 2)
    kgroups(list(cov = cov(x), n.obs = 150), 2)
    kgroups(complex(real = v, imaginary = 1), 2)
    kgroups_1d(as.Date("2020-02-01") + 1:20, 2)
    kgroups_1d(~v, 2)
    kgroups_1d(~v, 2, data = iris)
    select_k(x, paired = TRUE)
    energy_test(v, f, 99)
    energy_test(x, c(50, 50, 50))
    energy_test(v, rep(1:2, 75), strata = 1:75)
    energy_test(v, f, paired = TRUE)
    energy_test(v, mu = 0)
    energy_distance(v, v, squared = TRUE)
    dispersion_test(v, f, center = "mean")
    cluster_test(x, method = "hopkins")
    is_negative_type("manhattan")
    stability(x, 3)
    stability(fit, x)
    stability(fit, nboot = 5)
    predict(kgroups_tree(x), x, k = 3)
    plot(fit, which = 2)
    plot(fit, fit)
    plot(fit, x)
    compare_clusters(f, fit, method = "purity")
    compare_clusters(f, fit, method = "vi")
    compare_clusters(f, fit, method = "table")
    compare_clusters(f, fit, method = c("rand", "nmi"))
    compare_clusters(list(f, fit))
    compare_clusters(data.frame(a = f, b = f))
  }))[-1L]
  expect_snapshot(writeLines(answers(calls)))
})

test_that("every exported function refuses an unknown argument, and names one that is near", {
  functions <- setdiff(getNamespaceExports("kgroups"), c("tidy", "glance", "augment", "as_figure"))
  valid <- valid_arguments()
  for (name in functions) {
    f <- getExportedValue("kgroups", name)
    args <- valid[[name]][intersect(names(valid[[name]]), names(formals(f))[1:2])]
    error <- tryCatch(suppressMessages(suppressWarnings(do.call(f, c(args, list(zzzzzzzz = 1))))), error = identity)
    expect_s3_class(error, "kg_error_dots")
  }
  error <- tryCatch(kgroups(iris[1:4], 3, standardise_all = TRUE), error = identity)
  expect_match(conditionMessage(error), "See `?kgroups`", fixed = TRUE)
  error <- tryCatch(kgroups(iris[1:4], 3, threds = 2), error = identity)
  expect_match(conditionMessage(error), "Did you mean `threads`", fixed = TRUE)
  # a hint never names an argument that the function does not take
  error <- tryCatch(energy_test(iris[1:4], iris$Species, min.size = 3), error = identity)
  expect_no_match(conditionMessage(error), "sizes")
})

test_that("the calls that hints name work", {
  x <- iris[1:20, 1:4]
  kernel <- function(x, y) exp(-sum((x - y)^2))
  rho <- rho_function(function(x, y) kernel(x, x) + kernel(y, y) - 2 * kernel(x, y))
  K <- outer(1:20, 1:20, Vectorize(function(i, j) kernel(x[i, ], x[j, ])))
  expect_equal(kgroups(x, 2, semimetric = rho, init = rep(1:2, 10))$W, kgroups(as_gram(K), 2, init = rep(1:2, 10))$W)
  expect_s3_class(energy_test(x[[1]], g = rep(1:2, c(5, 15)), R = 9), "htest")
  expect_s3_class(kgroups(as.dist(1 - cor(t(x), method = "kendall")), 2), "kgroups_fit")
  tree <- kgroups_tree(x)
  expect_length(predict(tree, 3), 20L)
})

test_that("a semimetric in the place of another argument is named", {
  x <- iris[1:20, 1:4]
  calls <- expression(
    kgroups(x, 2, rho_gaussian(1)), semimetric_matrix(x, rho_power(1)), semimetric_matrix(x, "manhattan"), is_negative_type(rho_power(1)),
    energy_distance(x, rho_power(1)), kgroups_tree(x, rho_power(1)), kgroups(rho_power(1), 2),
    energy_test(x, rho_power(1)), kgroups_changes(x, rho_power(1)), select_k(x, rho_power(1)), kgroups(x, rho_power(1))
  )
  for (call in calls) expect_error(eval(call), "semimetric = ", class = "kg_error_input")
})

test_that("names of arguments of other packages have a hint in tests, changes and descriptions", {
  g <- rep(1:2, 10)
  x <- iris[1:20, 1]
  expect_hint <- function(call, hint) expect_error(call, hint, fixed = TRUE, class = "kg_error_dots")
  for (test in list(energy_test, dispersion_test, pairwise_energy_test)) expect_hint(test(x, g, alternative = "less"), "no direction")
  expect_hint(energy_test(x, g, paired = TRUE), "`strata`")
  expect_hint(dispersion_test(x, g, type = "median"), "to the spatial median")
  for (name in c("breaks", "max_changes", "Q")) expect_hint(do.call(kgroups_changes, stats::setNames(list(x, 2), c("", name))), "`ks`")
  for (name in c("h", "minseglen", "min.size")) expect_hint(do.call(kgroups_changes, stats::setNames(list(x, 2), c("", name))), "`least`")
  for (name in c("level", "sig.lvl")) expect_hint(do.call(kgroups_changes, stats::setNames(list(x, .1), c("", name))), "`alpha`")
  expect_hint(cluster_test(x, k = 2), "select_k()")
  expect_hint(describe_clusters(g, x, num.var = 2), "print(described, n = 2)")
})

test_that("objects in the place of the data have a hint, and its code works", {
  series <- lapply(1:10, function(i) c(i, i^2, -i))
  objects <- list(
    stats::prcomp(USArrests), stats::princomp(USArrests), stats::hclust(stats::dist(iris[1:20, 1:4])), stats::kmeans(iris[1:4], 3),
    kgroups(iris[1:4], 3), rho_gaussian(1), structure(list(), class = "recipe"), "file.csv", array(1:60, c(10, 3, 2)), series,
    stats::setNames(series, letters[1:10]), list(c("a", "b"), c("b", "c"), "x"), list(diag(2), diag(2) + 1)
  )
  for (object in objects) {
    error <- tryCatch(kgroups(object, 2), error = identity)
    expect_s3_class(error, "kg_error_x")
    expect_false(grepl("Pass a matrix or data frame", conditionMessage(error), fixed = TRUE), label = class(object)[1])
  }
  code <- function(x) {
    text <- gsub("\n *", " ", conditionMessage(tryCatch(kgroups(x, 2), error = identity)))
    eval(str2lang(gsub("`", "", regmatches(text, regexpr("`[^`]*\\([^`]*`", text)))), list(x = x))
  }
  expect_identical(code(series), do.call(rbind, series))
  expect_identical(dim(code(array(1:60, c(10, 3, 2)))), c(10L, 6L))
  expect_identical(unname(code(list(c("a", "b"), c("b", "c"), "x"))[1, ]), c(1L, 1L, 0L, 0L))
  expect_identical(dim(code(list(diag(2), diag(2) + 1))), c(2L, 4L))
})

test_that("a misspelt setting gets its own hint", {
  hint <- function(code) gsub("\n *", " ", conditionMessage(tryCatch(code, error = identity)))
  expect_match(hint(kgroups(iris[1:4], 3, standardise = "within")), "Use `standardize`.", fixed = TRUE)
  expect_match(hint(kgroups(iris[1:4], 3, standardize = "withn")), "Did you mean \"within\"?", fixed = TRUE)
  expect_match(hint(kgroups(3, iris[1:4])), "The data come first", fixed = TRUE)
  expect_match(hint(kgroups(iris[1:4], "auto")), "kgroups(x, select_k(x))", fixed = TRUE)
  expect_match(hint(kgroups(dist(iris[1:4]), 3, standardize = TRUE)), "^`standardize` is for")
  expect_match(hint(kgroups(~ Sepal.Length | Species, 3, data = iris)), "behind |", fixed = TRUE)
  init <- replace(rep(NA, 150), c(1, 51, 101), 1:3)
  text <- hint(kgroups(iris[1:4], 3, init = init))
  # rows of one label share a cluster, rows of two do not
  for (known in list(c(1, 2, 1), c(2, 2, 2))) {
    init <- replace(rep(NA, 150), c(51, 52, 60), known)
    code <- code_of(hint(kgroups(iris[1:4], 3, init = init)))
    arguments <- eval(str2lang(sprintf("list(%s)", paste(code[grepl(" = ", code)], collapse = ", "))))
    fit <- do.call(kgroups, c(list(iris[1:4], 3), arguments))
    expect_identical(fit$cluster[[51]] == fit$cluster[[52]], known[1] == known[2])
    expect_identical(fit$cluster[[51]], fit$cluster[[60]])
  }
})

# ---- code in hints ----

test_that("code in texts of the package can be read, and its functions and arguments exist", {
  namespace <- asNamespace("kgroups")
  names <- ls(namespace, all.names = TRUE)
  code <- unique(unlist(lapply(mget(names, namespace), function(one) code_of(texts_of(one)))))
  expect_gt(length(code), 200)
  known <- unique(unlist(lapply(namespace_functions(), function(f) names(formals(f)))))
  faults <- vapply(code, function(one) {
    calls <- read_code(one)
    paste(if (is.null(calls)) "not read" else unlist(lapply(calls, faults_of, known)), collapse = ", ")
  }, "")
  expect_identical(names(faults)[nzchar(faults)], character())
  # the check has its power
  calls <- c("kgroups(x, 3, size = 2)", "as_pointz(x)", "centers = 3", "stats::cutree(tree, size = 3)", "select_k(x, 2:4, ssizes = 3)")
  for (call in calls) expect_length(faults_of(read_code(call)[[1L]], known), 1L)
})

test_that("code in the tables of names, values and semimetrics runs for tables of each class and for matrices", {
  set.seed(1)
  table <- data.frame(a = c(rnorm(10), rnorm(10, 4)), b = rnorm(20))
  forms <- list(frame = table, matrix = as.matrix(table))
  if (requireNamespace("tibble", quietly = TRUE)) forms$tibble <- tibble::as_tibble(table)
  if (requireNamespace("data.table", quietly = TRUE)) forms$table <- data.table::as.data.table(table)
  code <- code_of(c(unlist(lapply(other_names, `[[`, "hint")), unlist(other_values), semimetric_nicknames))
  # a page, a function by its name, a package that registers a distance
  code <- code[!grepl("^([?]|[a-zA-Z_.:]*[(][)]$|library|proxy)", code)]
  # code for files: row_blocks() has tests of it
  code <- code[!grepl("row_blocks\\(x|readLines\\(x", code)]
  homes <- sub("^.*?([a-zA-Z0-9.]+)::.*$", "\\1", code)
  code <- code[!grepl("::", code) | vapply(homes, requireNamespace, NA, quietly = TRUE)]
  if (requireNamespace("future", quietly = TRUE)) {
    old <- future::plan()
    withr::defer(future::plan(old)) # a hint sets one
  }
  for (form in names(forms)) {
    x <- forms[[form]]
    values <- list(
      x = x, data = x, d = x, y = x, newdata = x, k = 2, m = 5, alpha = 0.5, least = 2, largest = 15, rows = 1:5, truth = rep(1:2, 10),
      cluster = rep(1:2, c(5, 15)), fit = kgroups(x, 2), tree = kgroups_tree(x), file = tempfile(), D = as.matrix(dist(x)), described = describe_clusters(kgroups(x, 2))
    )
    values[c("a", "b")] <- values[c("truth", "cluster")]
    # a formula needs a data frame
    own <- if (form == "matrix") code[!grepl("~|[$]a$", code)] else code
    for (one in own) {
      for (call in Filter(is.call, read_code(one))) {
        works <- tryCatch(
          {
            utils::capture.output(suppressMessages(suppressWarnings(eval(call, list2env(values, parent = globalenv())))))
            "works"
          },
          error = conditionMessage
        )
        expect_identical(works, "works", label = paste(form, one))
      }
    }
    columns <- eval(str2lang("subset(x, select = 1:2)"), values)
    expect_identical(dim(columns), c(20L, 2L))
  }
})

test_that("code for objects and components of other packages runs", {
  x <- iris[1:20, 1:4]
  tree <- stats::hclust(stats::dist(x))
  objects <- list(
    prcomp = stats::prcomp(x), princomp = stats::princomp(x), hclust = tree, dendrogram = stats::as.dendrogram(tree),
    raw = as.raw(1:20), bytes = matrix(as.raw(1:20), 10), complex = complex(real = 1:9, imaginary = 2), wide = matrix(1i^(1:20), 10),
    cov = stats::cov.wt(iris[1:4]), list = list(data = x, name = "flowers"), odd = list(`my "x"` = as.matrix(x), name = "flowers")
  )
  if (requireNamespace("recipes", quietly = TRUE)) objects$recipe <- recipes::recipe(~ ., x)
  for (name in names(objects)) {
    error <- tryCatch(kgroups(objects[[name]], 2, data = x), kg_error_x = identity, kg_error_dots = function(e) tryCatch(kgroups(objects[[name]], 2), error = identity))
    expect_s3_class(error, "kg_error_x")
    code <- setdiff(code_of(error$body), "x")
    expect_gt(length(code), 0L)
    for (one in code) {
      value <- eval(str2lang(one), list(x = objects[[name]], k = 2))
      if (!is.integer(value) || is.matrix(value)) expect_s3_class(suppressMessages(suppressWarnings(kgroups(value, 2))), "kgroups_fit")
    }
  }
  # components, by class of the result
  set.seed(1)
  g <- rep(1:2, 10)
  results <- list(
    kgroups_metric_fit = kgroups(x, 2, standardize = "within"), kgroups_trimmed_fit = kgroups(x, 2, trim = 0.1), kgroups_fit = kgroups(x, 2),
    kgroups_select_k = select_k(x, 2:3, criterion = "elbow"), kgroups_select_semimetric = select_semimetric(x, 2, B = 3),
    kgroups_stability = stability(kgroups(x, 2), B = 3), kgroups_tree = kgroups_tree(x), kgroups_changes = kgroups_changes(x[[1]], 2),
    kgroups_test = energy_test(x, g, R = 19), kgroups_pairwise_test = pairwise_energy_test(x, g, R = 19), kgroups_result = stability(kgroups(x, 2), B = 3)
  )
  expect_named(results, names(other_components))
  for (class in names(results)) {
    for (one in setdiff(unique(other_components[[class]]), "cluster::silhouette(x)")) {
      value <- suppressMessages(eval(str2lang(one), list(x = results[[class]], data = if (grepl("tapply", one)) x[[1]] else x, k = 2)))
      expect_false(is.null(value), label = paste(class, one))
    }
  }
})

test_that("sizes of groups have the labels that they stand for", {
  code <- function(condition) code_of(gsub("\n *", " ", conditionMessage(condition)))
  v <- iris[[1]]
  found <- tryCatch(energy_test(v, c(50, 60, 40), R = 9), kg_message = code)
  expect_true("g = rep(1:3, c(50, 60, 40))" %in% found)
  found <- tryCatch(energy_test(dist(v), c(50, 60, 40), R = 9), kg_error_g = code)
  expect_true("g = rep(1:3, c(50, 60, 40))" %in% found)
  expect_no_message(tryCatch(energy_test(v[1:20], c(3, 4, 6), R = 9), error = identity), message = "sizes")
})

test_that("other objects are refused before other arguments", {
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(~., iris[1:4])
  for (call in expression(kgroups(recipe, iris, 3), kgroups(recipe, 3, data = iris), select_k(recipe, data = iris), kgroups_tree(recipe, iris))) {
    expect_error(eval(call), "bake", class = "kg_error_x")
  }
})

test_that("errors within have the call that was typed", {
  typed <- function(code) deparse(conditionCall(tryCatch(suppressMessages(code), kg_error = identity)))[1L]
  expect_identical(typed(kgroups(~ mpg + wt, 2, data = mtcars, weights = 1:3)), "kgroups(x = ~mpg + wt, k = 2, data = mtcars, weights = 1:3)")
  expect_identical(typed(mtcars |> kgroups(~ mpg + wt, k = 2, trim = 3)), "kgroups(x = mtcars, k = 2, ~mpg + wt, trim = 3)")
  expect_identical(typed(kernel_kmeans(mtcars, 2, nstart = -1)), "kernel_kmeans(x = mtcars, k = 2, nstart = -1)")
})

test_that("settings of other packages, row numbers as a start and choices on other data have a way", {
  set.seed(1)
  x <- as.matrix(USArrests[1:30, ])
  fit <- suppressMessages(kgroups(x, 3))
  graph <- karate()
  groups <- rep(1:3, 10)
  calls <- list(
    list(function() stability(fit, cl = 2), "threads"), list(function() select_k(x, 2:3, nstart = 4), "effort"),
    list(function() kgroups_changes(Nile, 2, index = 1:100), "ts(x"), list(function() plot(fit, data = x), "describe_clusters(fit, data)"),
    list(function() kgroups(x, 3, control = list()), "`effort`"), list(function() kgroups(x, 3, plot = TRUE), "plot()"),
    list(function() cluster_communities(graph, no = 3), "Use `k`"), list(function() cluster_kgroups(graph, 3, spins = 3), "Use `k`"),
    list(function() cluster_communities(graph, steps = 3), "no steps"),
    list(function() cluster_kgroups(graph, 2, initial.membership = 1), "`init` of `kgroups()`"),
    list(function() pairwise_energy_test(x, groups, paired = TRUE), "`strata` of `energy_test()`"),
    list(function() cluster_test(x, R = 9), "splits"), list(function() select_k(x, 2:3, FUN = kmeans), "kgroups()"),
    list(function() stability(fit, bootmethod = "noise"), "bootstrap")
  )
  for (one in calls) {
    text <- conditionMessage(expect_error(suppressMessages(one[[1]]()), class = "kg_error_dots"))
    expect_match(gsub("\\s+", " ", text), one[[2]], fixed = TRUE)
  }
  # their code
  expect_no_error(suppressMessages({
    select_k(x, 2:3, effort = 0.5)
    kgroups_changes(ts(as.numeric(Nile), start = 1871), 2)
    describe_clusters(fit, data = x)
    energy_test(x[1:20, ], groups[1:20] > 1, strata = rep(1:10, 2), R = 9)
    cluster_test(x, splits = 2)
    kgroups(graph, 2, init = rep(1:2, 17))
  }))
  # a start from rows
  for (data in list(x, as.data.frame(x), dist(x))) {
    init <- c(2, 9, 30)
    error <- expect_error(suppressMessages(kgroups(data, 3, init = init)), class = "kg_error_init")
    code <- sub(".*`init =\\s+([^`]*)`.*", "\\1", conditionMessage(error))
    start <- eval(str2lang(code), list(x = data, init = init))
    expect_identical(start[init], 1:3)
    expect_no_error(suppressMessages(kgroups(data, 3, init = start)))
  }
  choice <- suppressMessages(select_k(x, 2:4))
  expect_message(kgroups(x[1:20, ], choice), "30 observations", class = "kg_message_choice")
  expect_no_message(kgroups(x, choice), class = "kg_message_choice")
  # neighbours and trees of other packages are no data; the hints name the object of the user
  neighbours <- structure(list(id = matrix(1:6, 3), dist = matrix(1, 3, 2)), class = c("kNN", "NN"))
  expect_error(kgroups(neighbours, 2), "rho_connected", class = "kg_error_x")
  expect_error(kgroups(choice, 2), "data come first", class = "kg_error_x")
  expect_error(kgroups(structure(list(edge = matrix(1, 2, 2)), class = "phylo"), 2), "cophenetic", class = "kg_error_x")
  mine <- fit
  expect_error(mine$tot.withinss, "mine$W", fixed = TRUE, class = "kg_error_component")
})
