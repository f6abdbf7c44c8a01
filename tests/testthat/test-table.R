# Tables through the entry points: what is fitted is what is predicted.

quiet <- function(expr) suppressWarnings(suppressMessages(expr))

test_that("predict() returns the labels of the training rows, with and without missing cells", {
  set.seed(1)
  for (missing in c(0, 0.15)) {
    data <- mixed_table(120, missing)
    # no row of the two numbers may be empty
    data$count[is.na(data$count)] <- 5L
    numbers <- as.matrix(data[c("size", "count")])
    for (x in list(data, data[c("size", "count")], numbers, quiet(as_points(data)))) {
      for (fit in list(
        quiet(kgroups(x, 3)), quiet(kgroups(x, 3, weights = rexp(120))), quiet(kernel_kmeans(x, 3)),
        quiet(kgroups(x, 3, approx = nystroem(30)))
      )) {
        expect_identical(quiet(predict(fit, x)), fit$cluster)
      }
    }
    fit <- quiet(kgroups(data, 3, column_weights = c(colour = 0.3, town = 0)))
    expect_identical(quiet(predict(fit, data)), fit$cluster)
    expect_identical(quiet(predict(fit, data[rev(seq_along(data))])), fit$cluster)
    expect_equal(quiet(predict(fit, type = "squared")), quiet(predict(fit, data, type = "squared")), ignore_attr = TRUE)
  }
})

test_that("a fit of a table is that of its points", {
  set.seed(2)
  data <- mixed_table(90, 0.1)
  init <- rep(1:3, 30)
  fit <- quiet(kgroups(data, 3, init = init))
  points <- quiet(unclass(as_points(data)))
  attr(points, "blueprint") <- NULL
  expect_equal(fit$W, kgroups(points, 3, init = init)$W)
  expect_equal(quiet(energy_statistics(data, init))$W, energy_statistics(points, init)$W)
  expect_equal(quiet(semimetric_matrix(data)), unname(semimetric_matrix(points)), ignore_attr = TRUE)
  scaled <- kgroups(iris[1:4], 3, standardize = TRUE, init = iris$Species)
  expect_equal(scaled$W, kgroups(scale(iris[1:4]), 3, init = iris$Species)$W)
  expect_identical(predict(scaled, iris[1:4]), scaled$cluster)
})

test_that("new rows are in the units of the fit: predict() of rows one by one is that of all", {
  set.seed(1)
  scaled <- scale(iris[1:4])
  by_fit <- function(x) scale(x, attr(scaled, "scaled:center"), attr(scaled, "scaled:scale"))
  mixed <- replace(mixed_table(60, 0.1), "colour", list(rep(c("a", "b", NA), 20)))
  fits <- list(
    list(kgroups(scaled, 3), by_fit(iris[1:4]), iris[1:4]), list(kgroups(iris[1:4], 3, standardize = TRUE), iris[1:4]),
    list(kgroups(iris[1:4], 3, standardize = "within"), iris[1:4]), list(quiet(kgroups(mixed, 3)), mixed)
  )
  for (one in fits) {
    expect_silent(labels <- predict(one[[1]], one[[2]]))
    expect_identical(unname(labels), unname(one[[1]]$cluster))
    for (new in one[-1]) {
      for (type in c("class", "squared")) {
        all <- predict(one[[1]], new, type = type)
        rows <- lapply(seq_len(nrow(new)), function(i) predict(one[[1]], new[i, , drop = FALSE], type = type))
        rows <- if (type == "class") unlist(rows) else do.call(rbind, rows)
        expect_equal(rows, all, ignore_attr = TRUE)
      }
    }
  }
})

test_that("what kmeans() takes is taken by every function, with the answer of the same numbers", {
  set.seed(6)
  n <- 24
  days <- as.Date("2021-01-01") + sort(sample(200, n))
  counts <- matrix(rpois(3 * n, rep(c(1, 6), each = n / 2)), n)
  at <- which(counts > 0, arr.ind = TRUE)
  triplets <- structure(
    list(i = at[, 1], j = at[, 2], v = counts[counts > 0], nrow = n, ncol = 3L, dimnames = NULL),
    class = "simple_triplet_matrix"
  )
  whole <- sample(50L, n)
  forms <- list(
    list(counts > 2, (counts > 2) + 0), list(counts[, 1] > 2, (counts[, 1] > 2) + 0), list(days, as.numeric(days)),
    list(as.POSIXct(days), as.numeric(as.POSIXct(days))), list(as.POSIXlt(days), as.numeric(as.POSIXct(days))),
    list(structure(2020 + (1:n)^2 / 4, class = "yearqtr"), 2020 + (1:n)^2 / 4),
    list(as.difftime(whole, units = "days"), whole + 0),
    list(Matrix::Matrix(counts + 0, sparse = FALSE), counts),
    list(Matrix::Matrix(counts > 2, sparse = FALSE), (counts > 2) + 0),
    list(Matrix::Matrix(counts[1:3, ] + 0, sparse = FALSE), counts[1:3, ]),
    list(triplets, Matrix::Matrix(counts + 0, sparse = TRUE)),
    list(
      structure(triplets, class = c("DocumentTermMatrix", "simple_triplet_matrix")),
      Matrix::Matrix(counts + 0, sparse = TRUE)
    )
  )
  if (requireNamespace("bit64", quietly = TRUE)) forms <- c(forms, list(list(bit64::as.integer64(whole), whole + 0)))
  answer <- function(f, x) {
    set.seed(1)
    out <- quiet(f(x))
    if (inherits(out, c("kgroups_fit", "kgroups_energy", "htest"))) {
      unclass(out)[intersect(names(out), c("cluster", "W", "S", "statistic", "p.value"))]
    } else {
      out
    }
  }
  g <- function(x) rep_len(1:2, NROW(as.matrix(plain_numbers(x))))
  functions <- list(
    function(x) kgroups(x, 2), function(x) energy_statistics(x, g(x)), function(x) energy_test(x, g(x), R = 9),
    function(x) kgroups_tree(x)$height,
    function(x) select_k(x, 1:2)$k, function(x) semimetric_matrix(x), function(x) energy_distance(x, g = g(x)),
    function(x) predict(kgroups(x, 2), x)
  )
  for (form in forms) {
    for (f in functions) expect_equal(answer(f, form[[1]]), answer(f, form[[2]]), ignore_attr = TRUE)
    column <- length(dim(form[[1]])) < 2L && !is.list(form[[1]]) || inherits(form[[1]], "POSIXlt")
    if (column) {
      expect_identical(quiet(kgroups(form[[1]], 2)$cluster), quiet(kgroups(form[[2]], 2)$cluster))
      expect_equal(quiet(energy_distance(form[[1]], form[[1]])), quiet(energy_distance(form[[2]], form[[2]])))
      expect_equal(
        answer(function(x) energy_test(list(x, x), R = 9), form[[1]]),
        answer(function(x) energy_test(list(x, x), R = 9), form[[2]])
      )
    }
  }
  # pairs of observations, and what I() and Matrix hold as they are
  x <- as.matrix(iris[seq(1, 150, 6), 1:4])
  G <- semimetric_matrix(x, type = "gram")
  S <- Matrix::forceSymmetric(Matrix::Matrix(as.matrix(G), sparse = FALSE))
  same <- list(
    list(I(x), x), list(I(as.data.frame(x)), x), list(I(dist(x)), dist(x)), list(I(G), G), list(S, G),
    list(Matrix::Matrix(x, sparse = FALSE), x), list(matrix(whole, 12), matrix(whole + 0, 12))
  )
  for (form in same) for (f in c(functions[-8], is_negative_type, make_negative_type)) {
    expect_equal(answer(f, form[[1]]), answer(f, form[[2]]), ignore_attr = TRUE)
  }
  for (form in list(S, I(as.matrix(G)))) expect_identical(as_gram(form), G)
  # a column of a class that is.numeric() denies, and for which data.frame() may have no method
  expect_equal(
    seeded(kgroups(list2DF(list(q = forms[[6]][[1]], b = 1:n)), 2))$W, seeded(kgroups(data.frame(q = forms[[6]][[2]], b = 1:n), 2))$W
  )
})

# 64-bit integers as bit64 keeps them: the bits of an integer in a double.
halves <- function(v) {
  bits <- as.vector(rbind(as.integer(v), 0L))
  out <- readBin(writeBin(bits, raw(), endian = "little"), "double", length(v), endian = "little")
  structure(out, dim = dim(v), class = "integer64")
}

test_that("64-bit integers are numbers", {
  set.seed(1)
  v <- c(1, 2, 3, 50, 51, 52)
  data <- data.frame(b = c(1, 1, 2, 9, 9, 8))
  data$a <- halves(v)
  right <- kgroups(cbind(b = data$b, a = v), 2)
  expect_equal(kgroups(data, 2)$W, right$W)
  expect_identical(predict(right, data), unname(right$cluster))
  expect_equal(kgroups(halves(v), 2)$W, kgroups(v, 2)$W)
  # columns of scales that only their bits would have: nothing is reported of scales
  x <- cbind(v, rev(v))
  expect_silent(fit <- kgroups(halves(x), 2))
  expect_equal(fit$W, kgroups(x, 2)$W)
  expect_equal(energy_statistics(x, rep(1:2, 3), weights = halves(v)), energy_statistics(x, rep(1:2, 3), weights = v))
  large <- structure(rep(-1e-300, 6), class = "integer64")
  expect_error(energy_statistics(x, rep(1:2, 3), weights = large), "has larger ones", class = "kg_error_weights")
  # a function that gives them gives no numbers
  for (f in list(rho_function(function(x, y) halves(sum(abs(x - y)))), rho_function(function(x, y) {
    halves(abs(outer(x[, 1], y[, 1], "-")))
  }, vectorized = TRUE))) {
    expect_error(kgroups(v, 2, semimetric = f, init = rep(1:2, 3)), class = "kg_error_semimetric")
  }
})

test_that("64-bit integers are numbers in blocks", {
  set.seed(1)
  x <- matrix(sample.int(100, 600, TRUE), 200, dimnames = list(NULL, c("a", "b", "w")))
  rows <- function(i) x[seq(i, 200, by = 4), ]
  frame <- function(x) {
    x <- as.data.frame(x)
    x[] <- lapply(x, halves)
    x
  }
  fit <- function(reader, weights = NULL) {
    set.seed(2)
    quiet(kgroups(row_blocks(reader, 4), 2, weights = weights, approx = nystroem(20)))[c("W", "cluster", "S")]
  }
  expect_equal(fit(function(i) unname(halves(rows(i)))), fit(function(i) unname(rows(i))))
  expect_equal(fit(function(i) halves(rows(i)[, 1])), fit(function(i) rows(i)[, 1]))
  expect_equal(fit(function(i) frame(rows(i))), fit(rows))
  # some blocks have them, others not
  expect_equal(fit(function(i) if (i > 2) frame(rows(i)) else as.data.frame(rows(i)), "w"), fit(rows, "w"))
})

# Entry points that take observations: each with settings of the table, and with the points made beforehand.
entries <- function(labels) {
  list(
    kgroups = function(x, ...) kgroups(x, 3, init = labels, ...)$W,
    kernel_kmeans = function(x, ...) kernel_kmeans(x, 3, init = labels, ...)$W,
    energy_statistics = function(x, ...) energy_statistics(x, labels, ...)$S,
    energy_distance = function(x, ...) as.vector(energy_distance(x, g = labels, ...)),
    energy_test = function(x, ...) energy_test(x, labels, R = 1, ...)$statistic,
    semimetric_matrix = function(x, ...) as.vector(semimetric_matrix(x, ...)),
    gram = function(x, ...) as.vector(semimetric_matrix(x, ..., type = "gram")),
    is_negative_type = function(x, ...) is_negative_type(x, ...),
    eigenvalues = function(x, ...) is_negative_type(x, ..., details = TRUE)$largest,
    make_negative_type = function(x, ...) as.vector(make_negative_type(x, ...)),
    select_k = function(x, ...) select_k(x, 1:3, "pseudo_f", one_cluster = FALSE, ...)$table$W,
    select_semimetric = function(x, ...) {
      select_semimetric(x, 3, list(rho_power(2)), splits = 2, ...)$cluster
    },
    landmarks = function(x, ...) kgroups(x, 3, approx = nystroem(20), ...)$W
  )
}

test_that("every function has column_weights, standardize and missing", {
  set.seed(11)
  data <- mixed_table(60, 0.05)
  numbers <- iris[1:4][rep(c(1:20, 51:70, 101:120)), ]
  columns <- c(town = 0.2, size = 0)
  points <- quiet(as_points(data, column_weights = columns))
  standard <- as_points(numbers, standardize = TRUE)
  all <- entries(rep(1:3, 20))
  for (name in third(names(all), 1)) {
    entry <- function(...) {
      set.seed(1)
      quiet(all[[name]](...))
    }
    expect_equal(entry(data, column_weights = columns), entry(points), info = name)
    expect_equal(entry(numbers, standardize = TRUE), entry(standard), info = name)
    expect_error(entry(data, missing = "fail"), class = "kg_error_x", info = name)
    expect_error(
      entry(data, column_weights = c(twon = 1)), "Did you mean town", class = "kg_error_column_weights", info = name
    )
    expect_error(entry(data, standardise = TRUE), class = "kg_error_dots", info = name)
    expect_error(entry(dist(numbers), standardize = TRUE), class = "kg_error_column_weights", info = name)
    expect_error(entry(points, column_weights = columns), "as_points", class = "kg_error_column_weights", info = name)
  }
})

test_that("two samples share the preprocessing of one table", {
  set.seed(12)
  data <- mixed_table(80, 0.05)
  first <- 1:30
  columns <- c(town = 0.2, size = 0)
  points <- quiet(as_points(data, column_weights = columns))
  expect_equal(
    quiet(energy_distance(data[first, ], data[-first, rev(seq_along(data))], column_weights = columns)),
    energy_distance(points[first, ], points[-first, ])
  )
  x <- as.matrix(iris[1:4])
  standard <- scale(x)
  attributes(standard)[c("scaled:center", "scaled:scale")] <- NULL
  expect_equal(
    energy_distance(x[1:50, ], x[51:150, ], standardize = TRUE), energy_distance(standard[1:50, ], standard[51:150, ])
  )
  expect_error(energy_distance(x[1:50, ], x[51:150, ], standardise = TRUE), class = "kg_error_dots")
})

test_that("equal levels of a factor are one", {
  set.seed(1)
  twice <- function(codes, class = "factor") structure(codes, levels = c("a", "a", "b"), class = class)
  x <- data.frame(n = c(0, 1, 9, 8, 4, 5))
  codes <- c(1L, 2L, 3L, 3L, 2L, 1L)
  plain <- kgroups(cbind(x, f = c("a", "b")[c(1, 1, 2, 2, 1, 1)]), 2)
  fit <- kgroups(cbind(x, f = twice(codes)), 2)
  expect_equal(fit$W, plain$W)
  expect_identical(
    predict(fit, cbind(x, f = c("a", "b")[c(1, 1, 2, 2, 1, 1)])), unname(fit$cluster), ignore_attr = TRUE
  )
  expect_no_error(kgroups(cbind(x, f = twice(codes, c("ordered", "factor"))), 2))
})

test_that("64-bit integers that lost their class are refused by every function of a matrix", {
  skip_if_not_installed("bit64")
  x <- as.matrix(data.frame(a = bit64::as.integer64(c(1:10, 101:110)), b = 0.5 * 1:20))
  g <- rep(1:2, each = 10)
  plain <- cbind(a = c(1:10, 101:110), b = 0.5 * 1:20)
  calls <- list(
    function(x) kgroups(x, 2), function(x) kgroups_tree(x), function(x) select_k(x, 1:3),
    function(x) energy_test(x, g, R = 9),
    function(x) energy_test(list(x, x), R = 9), function(x) energy_statistics(x, g),
    function(x) energy_distance(x, g = g),
    function(x) describe_clusters(g, x), function(x) as_points(x), function(x) semimetric_matrix(x),
    function(x) cluster_test(x),
    function(x) kgroups_mixture(x, 2), function(x) kgroups_changes(x, R = 19)
  )
  for (call in calls) expect_error(suppressMessages(call(x)), "64-bit integers", class = "kg_error_x")
  expect_error(predict(kgroups(plain, 2), x), "64-bit integers", class = "kg_error_x")
  # numbers near 0 alone, and beside zeros, are numbers
  expect_no_error(suppressMessages(kgroups(cbind(plain[, 1], 0), 2)))
})

test_that("missing names of rows and columns are no names", {
  set.seed(1)
  x <- matrix(rnorm(24), 12, dimnames = list(c(NA, letters[1:11]), c(NA, "b")))
  fit <- kgroups(x, 2)
  expect_equal(fit$W, kgroups(unname(x), 2)$W)
  expect_identical(predict(fit, x), fit$cluster)
  expect_s3_class(describe_clusters(fit), "kgroups_description")
  frame <- stats::setNames(as.data.frame(x), c(NA, "b"))
  expect_equal(kgroups(frame, 2)$W, fit$W)
})

test_that("numbers with a unit, times with their status and places are refused, alone and in a table", {
  set.seed(1)
  values <- list(
    units = structure(1:20 + 0.5, units = "m", class = "units"),
    Surv = structure(cbind(time = 1:20, status = 0:1), type = "right", class = "Surv"),
    places = structure(lapply(1:20, c, 1), class = c("sfc_POINT", "sfc"))
  )
  registerS3method("length", "Surv", function(x) nrow(unclass(x)))
  for (name in names(values)) {
    column <- values[[name]]
    x <- structure(list(a = 1:20, b = column), class = "data.frame", row.names = 1:20)
    for (f in list(kgroups, select_k)) {
      expect_error(f(x, 2), "numbers", class = "kg_error_x")
      expect_error(f(column, 2), class = "kg_error_x")
    }
    expect_error(energy_test(x, gl(2, 10)), class = "kg_error_x")
    expect_error(predict(kgroups(data.frame(a = 1:20, b = rnorm(20)), 2), x), class = "kg_error_newdata")
  }
})

test_that("numbers of a class whose operators are errors, and arrays of one dimension, are numbers", {
  registerS3method("-", "kg_closed", function(e1, e2) stop("not permitted"))
  registerS3method("[", "kg_closed", function(x, i) stop("not permitted"))
  registerS3method("as.double", "kg_closed", function(x, ...) stop("not permitted"))
  x <- withr::with_seed(1, matrix(rnorm(40) + 9 * (1:20 > 9), 20))
  own <- function(x) structure(x, class = c("kg_closed", "haven_labelled"))
  expect_identical(seeded(kgroups(own(x), 2))$cluster, seeded(kgroups(x, 2))$cluster)
  expect_identical(seeded(kgroups(data.frame(a = I(x[, 1]), b = x[, 2]), 2))$cluster, seeded(kgroups(x, 2))$cluster)
  d <- data.frame(a = x[, 1], b = x[, 2])
  d$a <- own(d$a)
  expect_identical(seeded(kgroups(d, 2))$cluster, seeded(kgroups(x, 2))$cluster)
  means <- tapply(x[, 1], 1:20, mean)
  fit <- kgroups(means, 2)
  expect_identical(predict(fit, means), fit$cluster)
  expect_identical(names(fit$cluster), as.character(1:20))
  expect_identical(tidy(fit)$size, fit$sizes)
  expect_identical(kgroups(means, 2, standardize = TRUE)$cluster, fit$cluster)
})

test_that("rows with nothing observed are an error that names them, and its hint leaves them out", {
  set.seed(1)
  x <- iris[1:4]
  x[c(3, 9), ] <- NA
  v <- replace(as.numeric(1:9), 4, NA)
  for (case in list(list(x, 3), list(as.matrix(x), 3), list(v, 2), list(data.frame(v = v), 2))) {
    x <- case[[1L]]
    error <- expect_error(kgroups(x, case[[2L]]), class = "kg_error_x")
    expect_match(conditionMessage(error), "Rows? [349]")
    hint <- regmatches(conditionMessage(error), regexpr("x\\[[^`]*\\](?=`)", conditionMessage(error), perl = TRUE))
    fit <- kgroups(eval(str2lang(gsub("\\s+", " ", hint))), case[[2L]])
    expect_identical(fit$n, NROW(x) - sum(rowSums(!is.na(as.matrix(x))) == 0))
  }
  expect_error(energy_test(x, rep(1:2, length.out = NROW(x))), class = "kg_error_x")
  expect_warning(new <- predict(kgroups(iris[1:4], 3), iris[1:2, 1:4] * c(NA, 1)), class = "kg_warning_missing")
  expect_identical(is.na(unname(new)), c(TRUE, FALSE))
})
