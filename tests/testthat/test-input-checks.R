flowers <- function() iris[seq(1, 150, 3), 1:4]

# The kinds of messages of one call.
kinds <- function(code) sub("kg_(message|warning)_", "", conditions_of(code))

# The text of the one message of a call, on one line.
text_of <- function(code) gsub("\\s+", " ", conditionMessage(testthat::expect_message(code, class = "kg_message")))

test_that("each kind of mistake is reported once, by every function of observations", {
  x <- as.matrix(flowers())
  D <- as.matrix(dist(x))
  near <- (D < 0.6) - diag(50)
  set.seed(1)
  cases <- list(
    list("dissimilarities", D), list("dissimilarities", as.data.frame(D)), list("dissimilarities", I(D)),
    list("dissimilarities", replace(D, cbind(1:50, 1:50), NA)), list("dissimilarities", D * rep(c(1, 1.1), each = 50)),
    list("adjacency", near), list("adjacency", near * D), list("similarities", exp(-D)),
    list("similarities", 100 * exp(-D)),
    list("similarities", cor(t(x))), list("similarities", as.dist(exp(-D))),
    list("similarities", as.dist(100 * exp(-D))),
    list("gram", tcrossprod(x)), list("id", cbind(1:50, x)), list("id", data.frame(x, nr = 0:49)),
    list("code", cbind(x, replace(rnorm(50), 1:4, -999))),
    list("code", data.frame(x, u = sample(c("a", "b", "."), 50, TRUE))),
    list("text", data.frame(x, u = sample(c("1.5", "2", "7", "2.5"), 50, TRUE), stringsAsFactors = FALSE))
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
  expect_identical(kinds(kgroups(Matrix::Matrix(near, sparse = TRUE), 2))[1L], "adjacency")
  expect_identical(kinds(kgroups(Matrix::Matrix(D), 2))[1L], "dissimilarities")
  expect_identical(kinds(energy_test(iris, iris$Species, R = 9)), "group")
  expect_identical(kinds(kgroups(iris, 3)), "separates")
})

test_that("a message is shown once a session, always or never by the option of rlang", {
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
  x <- cbind(id = 1:50, flowers(), u = rep(c(-99, 1:9), c(5, rep(5, 9))))
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
  wide[[6L]] <- replace(wide[[6L]], 3, "n/a")
  quoted <- stats::setNames(
    data.frame(rep(c("1", "2", "7.5"), length.out = 50), x, stringsAsFactors = FALSE), c("{stop('run')} \"", 1:4)
  )
  inputs <- list(
    D, as.data.frame(D), data.frame(n = paste0("a", 1:50), D), (D < 0.6) - diag(50), ((D < 0.6) - diag(50)) * D,
    exp(-D), as.dist(exp(-D)), tcrossprod(x),
    wide, quoted, iris, Matrix::Matrix(D), D * rep(c(1, 1.1), each = 50)
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
  expect_match(text_of(kgroups(quoted, 2)), "stop('run')", fixed = TRUE)
})

test_that("the code of a message gives what it names", {
  x <- flowers()
  D <- as.matrix(dist(x))
  code <- function(x) {
    text <- text_of(suppressWarnings(kgroups(x, 2)))
    eval(str2lang(regmatches(text, regexpr("(?<=pass `)[^`]*", text, perl = TRUE))), list(x = x))
  }
  for (one in list(D, as.data.frame(D), data.frame(n = paste0("a", 1:50), D), Matrix::Matrix(D))) {
    expect_equal(as.vector(code(one)), as.vector(dist(x)))
  }
  expect_equal(as.vector(code(cor(t(x)))), as.vector(as.dist(1 - cor(t(x)))))
  expect_equal(as.vector(code(as.dist(100 * exp(-D)))), as.vector(max(100 * exp(-dist(x))) - 100 * exp(-dist(x))))
  expect_s3_class(code(tcrossprod(as.matrix(x))), "kgroups_gram")
  expect_equal(igraph::E(code(((D < 0.6) - diag(50)) * D))$weight |> sum(), sum(((D < 0.6) - diag(50)) * D) / 2)
  d <- data.frame(x, v = rep(c("1.5", "2", "10", "?"), length.out = 50), stringsAsFactors = FALSE)
  text <- text_of(kgroups(d, 2))
  use <- regmatches(text, regexpr("(?<=use `)[^`]*", text, perl = TRUE))
  expect_equal(run_on(d, use)$v, rep(c(1.5, 2, 10, NA), length.out = 50))
})

test_that("numbers that repeat far outside of the others are codes, also two of them; measurements are not", {
  set.seed(2)
  found <- function(v) far_codes(v)
  expect_identical(found(c(rnorm(40), -999, -999)), -999)
  expect_identical(found(c(round(rnorm(95, 50, 10)), -1, -1, -1, -9, -9)), c(-9, -1))
  expect_identical(found(c(rnorm(40), -999, -999, -998, -998, -997, -997)), c(-999, -998, -997))
  expect_identical(found(c(sample(4, 85, TRUE), rep(99, 15))), 99)
  expect_identical(found(c(sample(4, 85, TRUE), rep(-3, 8), rep(77, 7))), c(-3, 77))
  expect_identical(found(c(sample(18:75, 90, TRUE), rep(c(998, 999), 5))), c(998, 999))
  expect_identical(found(c(runif(40, 160, 190), 0, 0, 0)), 0)
  expect_identical(found(c(rexp(40), rep(1e20, 3))), 1e20)
  # once, near, of geometric steps, most of the cells, few values
  for (v in list(
    c(rnorm(40), -999), c(rnorm(40), 4, 4), rep(10^(0:4), 5), rep(2^(0:6), 5), c(rep(-999, 50), rnorm(40)),
    rep(0:1, 20), rep(c(0, 40), 20), rep(-1:1, 9),
    sample(-9:30, 60, TRUE), rpois(60, 2), c(0, 0, exp(rnorm(60))), c(NA, NaN, 1, 2), numeric(), rep(NA_real_, 9),
    c(Inf, Inf, 1:5)
  )) {
    expect_identical(found(v), numeric())
  }
  for (i in 1:50) expect_identical(found(round(rexp(80) * 10)), numeric())
})

test_that("text of numbers is text of numbers; factors, ids and codes with leading zeros are not", {
  text <- function(v) "text" %in% kinds(kgroups(data.frame(v, y = seq_along(v) / 7, stringsAsFactors = FALSE), 2))
  expect_true(text(rep(c("1.5", "2", "3"), 10)))
  expect_true(text(c("n/a", format(1:29 * 1.5))))
  expect_true(text(format(1:30 / 7)))
  for (v in list(
    factor(rep(5:9, 6)), as.character(1001:1030), rep(c("007", "012", "013"), 10), rep(c("a1", "b2", "c3"), 10),
    rep("3", 30), rep(c("1", "2"), 15)
  )) {
    expect_false(text(v))
  }
})

test_that("blanks and signs for missing are named, categories are not", {
  code <- function(...) "code" %in% kinds(
    kgroups(data.frame(v = c(..., rep_len(c("p", "q"), 60 - ...length())), y = 1:60 / 7), 2)
  )
  for (word in c("?", ".", "-", "NA", "N/A", "n/a", "", "  ", "NaN", "NULL")) expect_true(code(word), info = word)
  for (word in c("None", "none", "Refused", "Other", "unknown", "0", "no")) expect_false(code(word), info = word)
  expect_false(code("+", "-"))
  expect_false(
    "code" %in% kinds(kgroups(data.frame(v = rep_len(c("NA", "DE", "FR", "US", "IT", "UK"), 60), y = 1:60 / 7), 2))
  )
})

test_that("dissimilarities of any range are not taken for similarities", {
  set.seed(3)
  for (one in list(iris[1:4], mtcars, cars, faithful, swiss, USArrests, anscombe)) {
    D <- as.matrix(dist(scale(one)))
    for (power in c(0.5, 1, 2, 3)) for (top in c(1, max(D))) expect_identical(
      kinds(semimetric_matrix(as.dist((D / top)^power))), character()
    )
    expect_identical(kinds(semimetric_matrix(as.dist(1 - abs(cor(one))))), character())
    expect_identical(kinds(semimetric_matrix(as.dist(exp(-D)))), "similarities")
  }
  bits <- matrix(rbinom(400, 1, 0.4), 50)
  expect_identical(kinds(semimetric_matrix(as.dist(as.matrix(dist(bits, "binary"))))), character())
  same <- outer(iris$Species, iris$Species, "==") + 0
  expect_identical(kinds(semimetric_matrix(as.dist(1 - same))), character())
  expect_identical(kinds(semimetric_matrix(as.dist(same))), "similarities")
  for (i in 1:20) expect_identical(kinds(semimetric_matrix(as.dist(matrix(runif(900), 30)))), character())
})

test_that("weighted graphs are not taken for dissimilarities, nor dissimilarities with zeros for graphs", {
  W <- as.matrix(igraph::as_adjacency_matrix(karate()))
  expect_identical(kinds(kgroups(W * 0.7, 2)), "adjacency")
  same <- as.matrix(dist(cbind(rep(c(0, 3.5), c(20, 10)))))
  expect_identical(kinds(kgroups(same, 2)), "dissimilarities")
  set.seed(4)
  S <- matrix(rnorm(400), 20)
  expect_identical(kinds(kgroups(S, 2)), character())
  expect_identical(kinds(kgroups(S + t(S), 2)), character())
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
  x <- data.frame(flowers(), name = paste("flower", 1:50), one = 1)
  expect_silent(fit <- kgroups(x, 3))
  text <- format(fit)
  expect_match(text, "left out: name (different in all rows), one (constant)", fixed = TRUE, all = FALSE)
  expect_identical(fit$cluster, kgroups(flowers(), 3, standardize = TRUE)$cluster, ignore_attr = TRUE)
  expect_equal(fit$W, kgroups(flowers(), 3, standardize = TRUE)$W)
  expect_identical(unname(predict(fit, x[3:9, ])), unname(fit$cluster[3:9]))
  # whole weights count rows: a row of weight 2 is a value twice
  expect_null(attr(as_points(x[1:5], weights = rep(1:2, 25)), "blueprint")$left_out)
  # ranks are numbers
  ranks <- data.frame(flowers(), rank = factor(1:50, ordered = TRUE))
  expect_equal(kgroups(ranks, 3)$W, kgroups(transform(ranks, rank = 1:50), 3, standardize = TRUE)$W)
  expect_error(kgroups(x["name"], 2), "adist", class = "kg_error_x")
})

test_that("a matrix of zeros is of no kind", {
  expect_identical(kinds(inform_square(matrix(0, 6, 6))), character())
})

test_that("similarities are found in any unit; dissimilarities of any shape and noise are not", {
  set.seed(1)
  z <- rep(1:3, each = 20)
  symmetric <- function(x) as.dist((x + t(x)) / 2)
  same <- outer(z, z, "==")
  similarities <- list(
    percent = symmetric(same * 50 + matrix(runif(3600, 0, 40), 60)),
    small = symmetric(same * 0.3 + matrix(runif(3600, 0.03, 0.14), 60)),
    counts = symmetric(matrix(rpois(3600, same * 8 + 1), 60)),
    tiny = symmetric(exp(-as.matrix(dist(matrix(rnorm(120), 60)))) * 1e-6)
  )
  for (name in names(similarities)) {
    expect_true("similarities" %in% kinds(kgroups(similarities[[name]], 3)), info = name)
    turned <- max(similarities[[name]]) - similarities[[name]]
    expect_false("similarities" %in% kinds(kgroups(turned, 3)), info = name)
  }
  points <- list(
    runif(60), matrix(rnorm(120), 60), matrix(rnorm(3000), 60), matrix(rt(120, 1), 60), matrix(rnorm(120) + 5 * z, 60)
  )
  for (x in points) for (power in c(0.5, 1, 2)) expect_false(is_similarity(as.dist(as.matrix(dist(x))^power)))
  for (i in 1:20) expect_false(is_similarity(symmetric(matrix(runif(144), 12))))
})
