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
    row_blocks(file, chunk_size = 10)
    row_blocks(file, select = 1:2)
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
  expect_hint(dispersion_test(x, g, type = "median"), "to the mean of the group")
  for (name in c("breaks", "max_changes", "Q")) expect_hint(do.call(kgroups_changes, stats::setNames(list(x, 2), c("", name))), "`ks`")
  for (name in c("h", "minseglen", "min.size")) expect_hint(do.call(kgroups_changes, stats::setNames(list(x, 2), c("", name))), "`least`")
  for (name in c("level", "sig.lvl")) expect_hint(do.call(kgroups_changes, stats::setNames(list(x, .1), c("", name))), "`alpha`")
  expect_hint(cluster_test(x, k = 2), "select_k()")
  expect_hint(describe_clusters(g, x, num.var = 2), "print(x, n = 2)")
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
  code <- regmatches(text, regexpr("replace\\(.*\\)", text))
  fit <- kgroups(iris[1:4], 3, together = eval(str2lang(code)))
  expect_length(unique(fit$cluster), 3)
})
