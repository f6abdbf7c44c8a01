flowers <- function() iris[seq(1, 150, 3), 1:4]

# The kinds of messages of one call.
kinds <- function(code) sub("kg_(message|warning)_", "", conditions_of(code))

# The text of the one message of a call, on one line.
text_of <- function(code) gsub("\\s+", " ", conditionMessage(testthat::expect_message(code, class = "kg_message")))

test_that("each kind of mistake is reported once, by every function of observations", {
  x <- as.matrix(flowers())
  D <- as.matrix(dist(x))
  set.seed(1)
  cases <- list(
    list("symmetric", D), list("symmetric", as.data.frame(D)), list("symmetric", I(D)), list("symmetric", (D < 0.6) - diag(50)),
    list("symmetric", exp(-D)), list("symmetric", cor(t(x))), list("symmetric", tcrossprod(x)),
    list("id", cbind(1:50, x)), list("id", data.frame(x, nr = 0:49)), list("code", cbind(x, replace(rnorm(50), 1:4, -999)))
  )
  g <- rep(1:2, 25)
  functions <- list(
    function(x) kgroups(x, 2), function(x) energy_statistics(x, g), function(x) energy_test(x, g, R = 9),
    function(x) kgroups_tree(x),
    function(x) select_k(x, 2:3, criterion = "pseudo_f"), function(x) energy_distance(x, g = g)
  )
  for (i in seq_along(cases)) {
    for (f in functions[c(1L, 2L + i %% 5L)]) expect_identical(kinds(f(cases[[i]][[2L]])), cases[[i]][[1L]], info = i)
  }
  expect_identical(kinds(energy_test(iris, iris$Species, R = 9)), "group")
  expect_identical(kinds(kgroups(iris, 3)), "separates")
})

test_that("a message is shown once a session, always or never by the option of rlang", {
  set.seed(1)
  x <- cbind(1:150, iris[1:4])
  withr::local_options(rlib_message_verbosity = "default")
  rm(list = ls(messages_shown), envir = messages_shown)
  expect_identical(kinds(for (i in 1:3) kgroups(x, 2)), "id")
  expect_identical(kinds(kgroups(iris, 3)), "separates")
  rm(list = ls(messages_shown), envir = messages_shown)
  withr::local_options(rlib_message_verbosity = "quiet")
  expect_identical(kinds(kgroups(x, 2)), character())
  expect_identical(kinds(kgroups(as.matrix(dist(x)), 2)), character())
  withr::local_options(rlib_message_verbosity = "verbose")
  expect_identical(kinds(for (i in 1:3) kgroups(x, 2)), rep("id", 3))
})

test_that("an explicit argument is an answer", {
  set.seed(1)
  x <- cbind(id = 1:50, flowers(), u = rep(c(-99, 1:9), c(4, rep(5, 8), 6)))
  expect_setequal(kinds(kgroups(x, 2)), c("id", "code"))
  expect_identical(kinds(kgroups(x, 2, column_weights = c(id = 1, u = 1))), character())
  expect_identical(kinds(kgroups(x, 2, column_weights = c(id = 0, u = 1))), character())
  D <- as.matrix(dist(flowers()))
  expect_identical(kinds(kgroups(D, 2, semimetric = "euclidean")), character())
  expect_identical(kinds(kgroups(D, 2, standardize = FALSE)), character())
  holes <- replace(as.matrix(flowers()), sample(150, 105), NA)
  expect_identical(kinds(kgroups(holes, 2)), "missing")
  expect_identical(kinds(fit <- kgroups(holes, 2, missing = "impute")), character())
  expect_equal(fit$W, suppressWarnings(kgroups(holes, 2))$W)
})

test_that("methods of fits report nothing", {
  set.seed(1)
  expect_identical(kinds(fit <- kgroups(cbind(1:150, iris[1:4]), 3)), "id")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(kinds({
    predict(fit)
    predict(fit, cbind(1:150, iris[1:4]), type = "distance")
    augment(fit)
    tidy(fit)
    plot(fit)
    stability(fit, B = 2)
  }), character())
})

test_that("messages have at most 140 characters whatever the names", {
  x <- as.matrix(flowers())
  D <- as.matrix(dist(x))
  long <- strrep("a long name ", 30)
  wide <- stats::setNames(data.frame(1:50, x, letters[rep(1:2, 25)], replace(1:50 / 7, 4:9, -999)), paste(1:7, long))
  inputs <- list(
    D, as.data.frame(D), (D < 0.6) - diag(50), exp(-D), tcrossprod(x), wide, iris
  )
  for (x in inputs) {
    texts <- character()
    suppressWarnings(withCallingHandlers(kgroups(x, 3), kg_message = function(m) {
      texts <<- c(texts, gsub("\\s+", " ", conditionMessage(m)))
      invokeRestart("muffleMessage")
    }))
    expect_true(length(texts) > 0L)
    expect_true(all(nchar(texts) <= 140L), info = texts)
  }
})

test_that("a number that repeats far outside of the others is a code; measurements are none", {
  set.seed(2)
  expect_identical(far_code(c(rnorm(40), -999, -999)), -999)
  expect_identical(far_code(c(sample(4, 91, TRUE), rep(99, 9))), 99)
  expect_identical(far_code(c(rexp(40), rep(1e20, 3))), 1e20)
  # once, near, most of the cells, few values
  for (v in list(
    c(rnorm(40), -999), c(rnorm(40), 4, 4), c(rep(-999, 50), rnorm(40)), rep(0:1, 20), rep(c(0, 40), 20), rep(-1:1, 9),
    sample(-9:30, 60, TRUE), rpois(60, 2), c(0, 0, exp(rnorm(60))), c(NA, NaN, 1, 2), numeric(), rep(NA_real_, 9)
  )) {
    expect_identical(far_code(v), NA_real_)
  }
  for (i in 1:50) expect_identical(far_code(round(rexp(80) * 10)), NA_real_)
})

test_that("there is no message on data that R ships", {
  sets <- list(
    iris[1:4], women, cars, swiss, trees, attitude, stackloss, pressure, BOD, anscombe[-(2:3)], randu, esoph, freeny,
    Theoph, volcano, mtcars, quakes, rock,
    state.x77, LifeCycleSavings, attenu, USArrests, faithful, airquality, morley, ToothGrowth, ChickWeight, Orange, CO2,
    warpbreaks, sleep, InsectSprays,
    as.data.frame(Titanic), scale(USArrests), Puromycin, chickwts, longley, infert, npk, PlantGrowth, eurodist,
    UScitiesD, precip
  )
  for (x in sets) expect_identical(setdiff(kinds(kgroups(x, 2)), "separates"), character())
})

test_that("a factor that gives the clusters is reported by every function that finds clusters", {
  set.seed(21)
  kind <- rep(c("p", "q", "r"), c(30, 24, 18))
  x <- data.frame(a = rnorm(72) / 9, b = rnorm(72) / 9, kind, far = 30 * match(kind, letters))
  alone <- function(code) expect_identical(kinds(code), "separates")
  alone(kgroups(x, 3))
  alone(kgroups(transform(x, kind = factor(kind)), 3))
  alone(select_k(x, 2:4, splits = 2))
  alone(select_semimetric(x, 3, splits = 2))
  alone(kgroups_tree(x))
  alone(kgroups_changes(x, 3))
  # numbers, other divisions, a factor that has no part in them
  none <- function(code) expect_identical(kinds(code), character())
  none(kgroups(x[-3], 3))
  none(kgroups(data.frame(x, b2 = x$far + rnorm(72), b3 = x$far + rnorm(72), u = c("a", "b"))[-3], 3))
  # subjects, each within one cluster
  x$kind <- paste(kind, rep(1:3, length.out = 72))
  none(fit <- kgroups(cbind(x, b2 = x$far + rnorm(72)), 3))
  expect_true(all(rowSums(table(x$kind, fit$cluster) > 0) == 1))
})

test_that("text whose values all differ is left out like a constant column, and the print has both", {
  set.seed(1)
  x <- data.frame(flowers(), name = paste("flower", 1:50), one = 1)
  expect_silent(fit <- kgroups(x, 3))
  text <- format(fit)
  expect_false(any(grepl("flower 1", utils::capture.output(print(fit)))))
  expect_match(text, "left out: name (different in all rows), one (constant)", fixed = TRUE, all = FALSE)
  expect_identical(fit$cluster, kgroups(flowers(), 3, standardize = TRUE)$cluster, ignore_attr = TRUE)
  expect_equal(fit$W, kgroups(flowers(), 3, standardize = TRUE)$W)
  expect_identical(unname(predict(fit, x[3:9, ])), unname(fit$cluster[3:9]))
  # whole weights count rows: a row of weight 2 is a value twice
  expect_null(attr(as_points(x[1:5], weights = rep(1:2, 25)), "blueprint")$left_out)
  # ranks are numbers
  ranks <- data.frame(flowers(), rank = factor(1:50, ordered = TRUE))
  expect_equal(seeded(kgroups(ranks, 3))$W, seeded(kgroups(transform(ranks, rank = 1:50), 3, standardize = TRUE))$W)
  expect_error(kgroups(x["name"], 2), "adist", class = "kg_error_x")
})

test_that("matrices of one value, and those that are not symmetric, are data", {
  set.seed(4)
  S <- matrix(rnorm(400), 20)
  for (x in list(matrix(0, 6, 6), S)) expect_identical(kinds(inform_input(x)), character())
})

test_that("a message is shown once for a kind and its columns, a change of method each time", {
  set.seed(1)
  withr::local_options(rlib_message_verbosity = "default")
  rm(list = ls(messages_shown), envir = messages_shown)
  x <- flowers()
  expect_identical(kinds(for (i in 1:2) kgroups(as.matrix(dist(x)), 3)), "symmetric")
  expect_identical(kinds(kgroups(as.matrix(dist(mtcars)), 3)), "symmetric")
  expect_identical(kinds(for (name in c("a", "b", "a")) kgroups(stats::setNames(cbind(1:50, x), c(name, names(x))), 2)), c("id", "id"))
  few <- as.matrix(mtcars[1:8, 1:6])
  expect_identical(kinds(for (i in 1:2) kgroups(few, 4, standardize = "within")), c("few_rows", "few_rows"))
})

test_that("a code is a whole number in less than a tenth of the rows, whatever lies near 0", {
  found <- vapply(1:40, function(seed) far_code(withr::with_seed(seed, c(rnorm(300), rep(-99, 5)))), 0)
  expect_identical(found, rep(-99, 40))
  expect_identical(far_code(scale(c(1:270, rep(-999, 5)))[, 1]), NA_real_)
  expect_identical(far_code(c(1:9, 99, 99)), NA_real_)
})

test_that("text that begins with numbers is named, whatever its number of levels", {
  v <- withr::with_seed(1, round(rnorm(40, 50), 2))
  forms <- list(
    as.character(v), sub(".", ",", format(v), fixed = TRUE), paste(v, "cm"), paste0("$", v), paste0(v, "%"),
    format(1e5 + 1:40, big.mark = ","), rep(c("1", "2", NA, "?"), 10), paste0("-", v)
  )
  for (text in forms) expect_identical(kinds(kgroups(data.frame(p = text, q = v[40:1] + 0.5), 2)), "text")
  codes <- sprintf("%05d", c(2139, 10001 + 1:39))
  for (text in list(rep(c("a1", "b2"), 20), rep(c("x", "y", "3", "z"), 10), factor(round(v)), codes)) {
    expect_false("text" %in% kinds(kgroups(data.frame(p = text, q = v + 0.5), 3)))
  }
})

test_that("one half of a square matrix is named, with the call that takes it", {
  D <- as.matrix(dist(flowers()[1:20, ]))
  for (lower in c(TRUE, FALSE)) {
    x <- D
    x[if (lower) upper.tri(x) else lower.tri(x)] <- 0
    expect_message(kgroups(x, 2), if (lower) "as.dist(x)" else "as.dist(t(x))", fixed = TRUE, class = "kg_message_symmetric")
    expect_equal(as.matrix(if (lower) as.dist(x) else as.dist(t(x))), D)
  }
})

test_that("rows without a column in common are reported as equal", {
  expect_message(kgroups(data.frame(a = c(1, NA), b = c(NA, 2)), 2), "without a column in common", class = "kg_message_distinct")
})

test_that("a column that is the weights is named, whatever the other columns", {
  table <- as.data.frame(Titanic)
  expect_message(kgroups(table, 3, weights = table$Freq), "Column Freq of `x` is the weights", class = "kg_message_weights")
  measured <- cbind(as.matrix(iris[1:4]), w = rep(1:3, 50))
  expect_message(kgroups(measured, 3, weights = measured[, "w"]), "Column w", class = "kg_message_weights")
  expect_message(
    energy_statistics(measured, iris$Species, weights = measured[, "w"]), "Column w", class = "kg_message_weights"
  )
  expect_no_message(kgroups(measured[, 1:4], 3, weights = measured[, "w"]), class = "kg_message_weights")
  expect_no_message(kgroups(cbind(measured[, 1:4], one = 1), 3, weights = rep(1, 150)), class = "kg_message_weights")
  expect_no_message(
    kgroups(measured, 3, weights = measured[, "w"], column_weights = c(w = 1)), class = "kg_message_weights"
  )
  # a number of the row beside categories alone
  expect_message(kgroups(data.frame(nr = 1:150, iris["Species"]), 3), "Column nr", class = "kg_message_id")
})
