# Every exported function that takes observations as `x`.
interfaces <- function(labels) {
  list(
    kgroups = function(x) kgroups(x, 2), kernel_kmeans = function(x) kernel_kmeans(x, 2),
    landmarks = function(x) kgroups(x, 2, approx = nystroem(5)),
    energy_statistics = function(x) energy_statistics(x, labels),
    energy_distance = function(x) energy_distance(x, g = labels),
    energy_test = function(x) energy_test(x, labels, R = 9),
    semimetric_matrix = semimetric_matrix, is_negative_type = is_negative_type,
    make_negative_type = make_negative_type,
    select_k = function(x) select_k(x, 2:3, criterion = "pseudo_f")
  )
}

# Those that take points or dissimilarities only.
interfaces_without_gram <- function() {
  list(
    select_semimetric = function(x) select_semimetric(x, 2, splits = 2, B = 2)
  )
}

# Each check is that of kgroups() and of another function, drawn; of all with KGROUPS_TESTS=all.
expect_conditions <- function(x, labels, what, gram = FALSE) {
  functions <- c(interfaces(labels), if (!gram) interfaces_without_gram())
  others <- sample(2:length(functions), repeats(1L, length(functions) - 1L))
  for (at in c(1L, others)) {
    expect_identical(conditions_of(functions[[at]](x)), what, info = names(functions)[at])
  }
}

test_that("every function reports the same input check, once a call", {
  skip_on_cran()
  set.seed(1)
  x <- as.matrix(iris[seq(1, 150, 5), 1:4])
  labels <- iris$Species[seq(1, 150, 5)]
  expect_conditions(x, labels, character())
  expect_conditions(iris[seq(1, 150, 5), 1:4], labels, character())
  expect_conditions(cbind(x, x[, 1] * 1000), labels, "kg_message_scale")
  expect_conditions(cbind(1:30, x), labels, "kg_message_id")
  expect_conditions(data.frame(id = sample(1000, 30), x), labels, "kg_message_id")
  expect_conditions(as.matrix(dist(x)), labels, "kg_warning_dissimilarities")
  expect_conditions(tcrossprod(x), labels, "kg_message_gram")
  expect_conditions(I(as.matrix(dist(x))), labels, "kg_warning_dissimilarities")
  rated <- data.frame(x)
  rated$mark <- structure(rep(c(1, 2, NA), 10), labels = c(low = 1, high = 2), class = c("haven_labelled", "vctrs_vctr", "double"))
  rated$mark[is.na(rated$mark)] <- 2
  expect_conditions(rated, labels, "kg_message_labels")
  attr(rated$mark, "labels") <- c(low = 1)
  expect_conditions(rated, labels, character())
  expect_conditions(as.dist(exp(-as.matrix(dist(x)))), labels, "kg_warning_similarities")
  adjacency <- as.matrix(dist(x)) < 1 & diag(30) == 0
  expect_conditions(adjacency + 0, labels, "kg_warning_adjacency")
  expect_conditions(as_gram(adjacency + 0), labels, "kg_warning_adjacency", gram = TRUE)
  expect_conditions(as_gram(as.matrix(dist(x))), labels, "kg_warning_dissimilarities", gram = TRUE)
})

test_that("edge lists are distinguished from points", {
  edges <- igraph::as_edgelist(karate())
  labels <- rep(1:2, length.out = nrow(edges))
  expect_conditions(edges, labels, "kg_message_edges")
  expect_conditions(as.data.frame(edges - 1), labels, "kg_message_edges")
  words <- matrix(paste0("v", edges), ncol = 2)
  expect_identical(conditions_of(kgroups(words, 2)), "kg_message_edges")
  expect_identical(conditions_of(kgroups(as.data.frame(words, stringsAsFactors = TRUE), 2)), "kg_message_edges")
  # a loop, a row twice, a gap in the numbers, few rows, answers to two questions
  expect_identical(conditions_of(kgroups(rbind(edges, c(1, 1)), 2)), character())
  expect_identical(conditions_of(kgroups(rbind(edges, edges[1, ]), 2)), character())
  expect_identical(conditions_of(kgroups(2 * edges, 2)), character())
  # under the names of ends pairs may occur twice
  again <- rbind(edges, edges[1, ], c(1, 1))
  for (names in list(c("from", "to"), c("Source", "Target"), c("sender_id", "receiver_id"))) {
    named <- stats::setNames(as.data.frame(again), names)
    expect_identical(conditions_of(kgroups(named, 2)), "kg_message_edges")
    expect_identical(conditions_of(kgroups(cbind(named, weight = rep(c(1, 2.5), 40)), 2)), "kg_message_edges")
  }
  apart <- data.frame(from = rep(1:10, 8), to = rep(101:120, 4))
  expect_identical(conditions_of(kgroups(apart, 2)), character())
  expect_identical(conditions_of(kgroups(edges[1:5, ], 2)), character())
  set.seed(2)
  expect_identical(conditions_of(kgroups(matrix(sample(5, 200, TRUE), ncol = 2), 2)), character())
  expect_identical(conditions_of(kgroups(expand.grid(1:6, 1:6), 2)), character())
  yes <- data.frame(a = sample(c("yes", "no"), 40, TRUE), b = sample(c("yes", "no"), 40, TRUE))
  expect_identical(conditions_of(kgroups(yes, 2)), character())
})

test_that("methods of fits report nothing, and every call reports once", {
  x <- cbind(1:150, iris[1:4])
  expect_identical(conditions_of(fit <- kgroups(x, 3)), "kg_message_id")
  grDevices::pdf(NULL)
  expect_identical(conditions_of({
    predict(fit)
    predict(fit, x, type = "distance")
    augment(fit)
    tidy(fit)
    plot(fit)
    stability(fit, B = 2)
  }), character())
  grDevices::dev.off()
  expect_identical(conditions_of(for (i in 1:3) kgroups(x, 2)), rep("kg_message_id", 3))
  expect_identical(conditions_of(lapply(1:3, function(k) kgroups(x, k))), rep("kg_message_id", 3))
  expect_identical(conditions_of(energy_distance(x[1:50, -1] * c(1, 1e4)[col(x[1:50, -1]) %% 2 + 1], x[51:150, -1])), "kg_message_scale")
  own <- rho_function(function(a, b) sum(abs(a - b)), vectorized = FALSE)
  expect_identical(conditions_of(fit <- kgroups(x[1:40, ], 2, semimetric = own)), "kg_message_id")
  expect_identical(conditions_of(fit_geometry(fit)), character())
})

test_that("there is no false alarm on data that R ships", {
  sets <- list(
    iris, women, cars, swiss, trees, attitude, stackloss, pressure, BOD, anscombe[-(2:3)], randu, esoph, freeny, Theoph, volcano,
    as.data.frame(Titanic), scale(USArrests), scale(stats::na.omit(airquality[1:4])), stats::prcomp(iris[1:4])$x, unname(stats::prcomp(iris[1:4])$x)
  )
  for (one in sets) {
    one <- as.data.frame(one)
    expect_identical(conditions_of(semimetric_matrix(one[vapply(one, is.numeric, NA)])), character())
  }
  # units 100-fold apart, or one column with most of the variance, are there, and nothing else
  sets <- list(
    mtcars, quakes[-2], rock, state.x77, LifeCycleSavings, attenu[-3], beaver1[-1], USArrests, faithful, stats::na.omit(airquality[1:4]), morley[-(1:2)],
    ToothGrowth[-2], ChickWeight[1:2], Orange[-1]
  )
  for (one in Filter(function(one) ncol(one) > 1L, sets)) {
    expect_identical(conditions_of(semimetric_matrix(one)), "kg_message_scale")
  }
})

test_that("dissimilarities between 0 and 1 are not taken for similarities", {
  set.seed(3)
  for (one in list(iris[1:4], mtcars, cars, faithful, swiss, USArrests, anscombe)) {
    D <- as.matrix(dist(scale(one)))
    D <- D / max(D)
    for (power in c(0.5, 1, 2)) expect_identical(conditions_of(semimetric_matrix(as.dist(D^power))), character())
    expect_identical(conditions_of(semimetric_matrix(as.dist(1 - abs(cor(one))))), character())
  }
  bits <- matrix(rbinom(400, 1, 0.4), 50)
  expect_identical(conditions_of(semimetric_matrix(dist(bits, "binary"))), character())
  expect_identical(conditions_of(semimetric_matrix(as.dist(as.matrix(dist(bits, "binary"))))), character())
  same <- outer(iris$Species, iris$Species, "==") + 0
  expect_identical(conditions_of(semimetric_matrix(as.dist(1 - same))), character())
  expect_identical(conditions_of(semimetric_matrix(as.dist(same))), "kg_warning_similarities")
  expect_identical(conditions_of(semimetric_matrix(as.dist(matrix(runif(900), 30)))), character())
})

test_that("sparse matrices with a diagonal of zeros are reported", {
  A <- igraph::as_adjacency_matrix(karate())
  expect_identical(conditions_of(kgroups(A, 2)), "kg_warning_adjacency")
  expect_identical(conditions_of(energy_statistics(A, rep(1:2, 17))), "kg_warning_adjacency")
  expect_identical(conditions_of(kgroups(A * 0.5, 2)), "kg_warning_dissimilarities")
  expect_identical(conditions_of(kgroups(A + Matrix::Diagonal(34), 2)), "kg_message_gram")
  # rows of a matrix that is not symmetric are observations, and so are those of a directed graph
  directed <- igraph::as_adjacency_matrix(igraph::make_ring(12, directed = TRUE))
  expect_warning(suppressMessages(kgroups(directed, 2)), "was taken as data", class = "kg_warning_adjacency")
  expect_identical(conditions_of(kgroups(directed * 0.5, 2)), "kg_message_sparse_rows")
})

test_that("errors of the input are raised all the same", {
  expect_error(kgroups(matrix(NA_real_, 20, 2), 2), class = "kg_error_x")
  expect_error(kgroups(structure(1:3, class = "dist"), 2), class = "kg_error_dist")
  expect_error(kgroups(data.frame(), 2), class = "kg_error_x")
  expect_error(kgroups(structure(c("a", "b", "c"), class = "dist", Size = 3), 2), class = "kg_error_dist")
  odd <- setNames(data.frame(1:20, rnorm(20)), c("{stop('run')} id", "b"))
  expect_message(kgroups(odd, 2), "{stop('run')} id", fixed = TRUE, class = "kg_message_id")
})

test_that("different scales are reported whatever the first rows hold", {
  set.seed(12)
  x <- matrix(rnorm(1200), 300)
  apart <- replace(x, cbind(101:300, 2), 1e4 * x[101:300, 2])
  expect_identical(conditions_of(semimetric_matrix(apart)), "kg_message_scale")
  # and not where the first rows alone are alike, or of no variance
  expect_identical(conditions_of(semimetric_matrix(replace(x, cbind(1:100, 2), 0))), character())
})

test_that("identifiers and scales are reported beside missing cells, factors and standardize", {
  set.seed(1)
  x <- data.frame(patient = sample(1000, 40), iris[1:40, 1:4])
  expect_identical(conditions_of(kgroups(x, 2)), "kg_message_id")
  expect_identical(conditions_of(kgroups(x, 2, standardize = TRUE)), "kg_message_id")
  expect_identical(conditions_of(kgroups(cbind(x, f = rep(c("a", "b", "c"), length.out = 40)), 2)), "kg_message_id")
  some <- replace(x, cbind(3, 4), NA)
  expect_setequal(conditions_of(kgroups(some, 2)), c("kg_message_id", "kg_message_missing"))
  some <- replace(x, cbind(3, 1), NA)
  expect_setequal(conditions_of(kgroups(some, 2)), c("kg_message_id", "kg_message_missing"))
  for (name in c("X", "...1", "Unnamed: 0", "id", "nr", "sample", "key", "case", "PatientID", "customer_id", "row.names")) {
    names(x)[1] <- name
    expect_identical(conditions_of(kgroups(x, 2)), "kg_message_id", info = name)
  }
  for (name in c("width", "X2", "price", "fluid", "liquid", "period")) {
    names(x)[1] <- name
    expect_identical(conditions_of(kgroups(x[rep(1, 40), ] * 0 + x, 2, standardize = TRUE)), character(), info = name)
  }
  # X beside Y is a coordinate
  places <- data.frame(X = sample(100, 40), Y = sample(100, 40))
  expect_identical(conditions_of(kgroups(places, 2)), character())
  far <- replace(data.frame(a = rnorm(40), b = 1000 * rnorm(40)), cbind(3, 2), NA)
  expect_setequal(conditions_of(kgroups(far, 2)), c("kg_message_scale", "kg_message_missing"))
})

test_that("numbers read as text are reported, with a call that makes numbers of them", {
  set.seed(2)
  number <- c(rnorm(30), rnorm(30, 10))
  columns <- list(
    text = format(number), comma = sub(".", ",", format(number), fixed = TRUE),
    dash = replace(format(number), 7, "-"), factor = factor(number), whole = factor(sample(50, 60, TRUE)),
    ratings = replace(as.character(sample(10, 60, TRUE)), c(3, 9), "n/a")
  )
  for (name in names(columns)) {
    data <- data.frame(a = columns[[name]], b = number, stringsAsFactors = FALSE)
    shown <- expect_message(suppressWarnings(kgroups(data, 2)), class = "kg_message_text")
    use <- gsub("\\s+", " ", sub(".*use `x\\[\\[\"a\"\\]\\] <- ([^`]*)`.*", "\\1", conditionMessage(shown)))
    value <- suppressWarnings(eval(str2lang(use), list(x = data)))
    expect_true(is.numeric(value) && sum(is.na(value)) <= 2, info = name)
  }
  for (one in list(c("4", "6", "8"), c("007", "012", "13"), c("a1", "b2", "c3"), c("2 kg", "3 kg", "4 kg"))) {
    data <- data.frame(a = factor(rep(one, 20)), b = number)
    expect_identical(conditions_of(kgroups(data, 2)), character())
  }
})

test_that("dissimilarities are reported in every shape of a matrix", {
  d <- as.matrix(dist(iris[seq(1, 150, 6), 1:4]))
  noisy <- d + diag(1e-15, 25)
  one <- 1 - exp(-d)
  diag(one) <- rep(c(1e-16, -1e-16, 0, 2e-16, 0), 5)
  uneven <- d * rep(c(1, 1.1), length.out = 625)
  shapes <- list(d, noisy, one, uneven, d * lower.tri(d), d * upper.tri(d), replace(d, upper.tri(d), NA))
  for (shape in shapes) {
    expect_identical(setdiff(conditions_of(kgroups(shape, 2)), "kg_message_missing")[1L], "kg_warning_dissimilarities")
  }
  sparse <- Matrix::Matrix(d, sparse = TRUE)
  expect_identical(conditions_of(kgroups(sparse, 2))[1L], "kg_warning_dissimilarities")
  expect_identical(conditions_of(kgroups(as_gram(noisy), 2))[1L], "kg_warning_dissimilarities")
})

test_that("edge lists with weights, places on the globe and known groups are reported", {
  edges <- data.frame(igraph::as_data_frame(karate()), strength = seq(1, 2, length.out = 78))
  expect_true("kg_message_edges" %in% conditions_of(kgroups(edges[1:3], 2)))
  places <- data.frame(lon = seq(-170, 170, length.out = 20), lat = seq(-60, 60, length.out = 20)^2 / 60)
  expect_identical(conditions_of(kgroups(places, 2)), "kg_message_degrees")
  expect_identical(conditions_of(kgroups(places * 10, 2)), character())
  expect_identical(conditions_of(kgroups(iris, 3)), "kg_message_groups")
  expect_identical(conditions_of(kgroups(iris, 4)), character())
  expect_identical(conditions_of(kgroups(chickwts, 6)), "kg_message_groups")
})

test_that("numeric matrices with a class are taken as their numbers", {
  x <- as.matrix(iris[1:40, 1:4])
  plain <- kgroups(x, 2, init = rep(1:2, 20))
  classed <- list(
    ts(x), structure(x, class = c("xts", "zoo"), index = 1:40), structure(x, class = "loadings"),
    structure(x, class = "units", units = "m"), structure(x, class = c("table"))
  )
  for (one in classed) {
    expect_equal(kgroups(one, 2, init = rep(1:2, 20))$W, plain$W)
    expect_equal(semimetric_matrix(one), semimetric_matrix(x), ignore_attr = TRUE)
    expect_equal(unname(predict(plain, one)), unname(plain$cluster))
  }
  expect_equal(kgroups(AirPassengers, 2)$W, kgroups(as.vector(AirPassengers), 2)$W)
})

test_that("messages of the input checks", {
  x <- as.matrix(iris[1:20, 1:4])
  edges <- igraph::as_edgelist(karate())
  rated <- structure(rep(1:2, 10), labels = c(low = 1, high = 2), class = c("haven_labelled", "vctrs_vctr", "integer"))
  expect_snapshot({
    . <- semimetric_matrix(cbind(id = 1:20, nr = 0:19, x))
    . <- semimetric_matrix(cbind(1:20, x))
    . <- semimetric_matrix(data.frame(x, mark = rated))
    . <- semimetric_matrix(edges)
    . <- semimetric_matrix((as.matrix(dist(x)) < 0.5 & diag(20) == 0) + 0)
    . <- semimetric_matrix(as.matrix(dist(x)))
    . <- semimetric_matrix(tcrossprod(x))
    . <- semimetric_matrix(as_gram(as.matrix(dist(x))))
    . <- semimetric_matrix(as.dist(1 - as.matrix(dist(iris[1:4])) / 10)^4)
    . <- energy_distance(x, cbind(x[, 1:3], Petal.Width = 1000 * x[, 4]))
    . <- semimetric_matrix(as.matrix(dist(x)) * lower.tri(diag(20)))
    . <- semimetric_matrix(as.matrix(dist(x)) * rep(1:2, 200))
    . <- semimetric_matrix(data.frame(a = c("1,5", "2,5", "-", rep("3,5", 17)), x))
    . <- semimetric_matrix(data.frame(edges, weight = seq_len(nrow(edges)) %% 7 + 0.5))
    . <- semimetric_matrix(data.frame(lon = 1:20, lat = sqrt(1:20)))
    . <- kgroups(data.frame(x[, 1:2], group = rep(c("u", "v"), 10)), 2)
  })
})

test_that("an asymmetric matrix of dissimilarities may have some zeros", {
  x <- as.matrix(dist(iris[1:4]))
  x[2, 1] <- x[2, 1] + 1
  expect_identical(conditions_of(kgroups(x, 3)), "kg_warning_dissimilarities")
})

test_that("marked numbers, dates and blanks in text are reported with their conversion", {
  y <- withr::with_seed(1, rnorm(20))
  report <- function(a) {
    out <- character()
    withCallingHandlers(
      suppressWarnings(kgroups(data.frame(a = a, y = y), 2)),
      kg_message_text = function(m) out <<- cli::ansi_strip(conditionMessage(m)), message = function(m) invokeRestart("muffleMessage")
    )
    gsub("\\s+", " ", out)
  }
  values <- withr::with_seed(2, sample(1000, 20))
  marked <- list(
    paste0("$", values), paste0(values, "%"), paste0(values, " kg"), paste0("1,", 100 + values %% 800, ",000"),
    paste0("\u20ac ", values), paste0("2'", 100 + values %% 800)
  )
  for (a in marked) expect_match(report(a), "numbers as text.*as.numeric\\(gsub")
  dates <- list(
    "%Y-%m-%d" = paste0("2020-01-", 10:29), "%d.%m.%Y" = paste0(10:29, ".01.2020"), "%d/%m/%Y" = paste0(10:29, "/01/2020"),
    "%m/%d/%Y" = paste0("01/", 10:29, "/2020")
  )
  for (format in names(dates)) {
    expect_match(report(dates[[format]]), paste0("dates as text.*", format), fixed = FALSE)
    expect_false(anyNA(as.Date(dates[[format]], format)))
  }
  expect_match(report(c("", "", "", values[1:17])), "as.numeric\\(as.character")
  for (a in list(paste0("c", values), paste0(values, c("a", "b")), sprintf("%03d", 1:20), paste(values, "main street"))) {
    expect_length(report(a), 0L)
  }
})

test_that("columns and matrices that are damaged or half empty are answered or refused", {
  d <- data.frame(a = 1:10)
  d$z <- structure(rep(1:2, 5), class = "factor")
  expect_error(kgroups(d, 2), class = "kg_error_x")
  # methods of bit64 stop at integers
  requireNamespace("bit64", quietly = TRUE)
  d$z <- structure(1:10, class = "integer64")
  expect_error(kgroups(d, 2), class = "kg_error_x")
  D <- as.matrix(dist(iris[1:20, 1:4]))
  with_id <- cbind(id = 1:20, D)
  diag(D) <- NA
  expect_warning(suppressMessages(kgroups(D, 3)), class = "kg_warning_dissimilarities")
  expect_warning(suppressMessages(kgroups(with_id, 3)), class = "kg_warning_dissimilarities")
  places <- data.frame(decimalLongitude = seq(-5, 5, length.out = 20), decimalLatitude = seq(40, 50, length.out = 20)^1.1 / 1.5)
  expect_message(kgroups(places, 2), class = "kg_message_degrees")
})

test_that("the great-circle distance is not proposed where it is used", {
  places <- data.frame(lon = c(-10:9, 30), lat = c(40 + (1:20)^2 / 100, 41))
  expect_identical(conditions_of(kgroups(places, 2)), "kg_message_degrees")
  expect_identical(conditions_of(kgroups(places, 2, semimetric = rho_metric("haversine"))), character())
  expect_identical(conditions_of(kgroups(places, 2, semimetric = "haversine")), character())
})

test_that("columns that are no measurements, and codes for missing values, are named: a table of input and message", {
  set.seed(11)
  n <- 60
  z <- function(n = 60) rnorm(n)
  shifted <- data.frame(a = c(rnorm(40), rnorm(12, 9), rnorm(8, 18)), b = z())
  unequal <- rep(c("p", "q", "r"), c(40, 12, 8))
  crossed <- as.data.frame(table(u = sample(letters[1:3], 90, TRUE), v = sample(LETTERS[1:4], 90, TRUE)))
  panel <- expand.grid(firm = paste0("f", 1:12), quarter = 1:5)
  panel$sales <- z()
  labelled <- structure(sample(c(1:5, 97), n, TRUE), labels = c(`Refused` = 97), class = "haven_labelled")
  D <- as.matrix(dist(iris[sample(150, 15), 1:4]))
  pairs <- data.frame(t(combn(paste0("s", 1:7), 2)), value = runif(21))
  cases <- list(
    list("groups", data.frame(shifted, site = unequal)),
    list("separates", data.frame(shifted, site = rep(c("p1", "p2", "q", "r"), c(20, 20, 12, 8)))),
    list("separates", cbind(shifted, site = rep(c(1, 2, 3), c(40, 12, 8)))),
    list("groups", data.frame(shifted, Target = sample(0:4, n, TRUE))),
    list("grouped", structure(
      data.frame(shifted, g = unequal),
      class = c("grouped_df", "tbl_df", "tbl", "data.frame"), groups = data.frame(g = c("p", "q", "r"), .rows = I(list(1:40, 41:52, 53:60)))
    )),
    list("survival", structure(list(age = z(), S = structure(cbind(time = rexp(n), status = 1), class = "Surv")), class = "data.frame", row.names = 1:n)),
    list("counts", crossed), list("counts", stats::setNames(crossed, c("u", "v", "n"))),
    list("index", data.frame(when = as.Date("2021-03-01") + cumsum(sample(3, n, TRUE)), v = z())),
    list("long", panel),
    list("code", data.frame(v = z(), u = sample(c("a", "b", "n/a"), n, TRUE))),
    list("text", data.frame(v = z(), u = ifelse(runif(n) < 0.3, "?", as.character(round(z(), 2))))),
    list("code", replace(cbind(u = runif(n), v = z()), 3, 9999)),
    list("code", data.frame(v = z(), u = sample(c(0:10, 99, 98), n, TRUE))),
    list("code", structure(list(v = z(), u = labelled), class = "data.frame", row.names = 1:n)),
    list("text", data.frame(v = z(), u = sample(c("< 2", "3.1", "4", "2.7"), n, TRUE))),
    list("text", data.frame(v = z(), u = sample(c("1.250,75", "12,5", "3.000", "8,25"), n, TRUE))),
    list("id", data.frame(sid = sample(5000, n), u = z(), v = z())),
    list("dissimilarities", pairs),
    list("dissimilarities", data.frame(who = paste("person", 1:15), D)),
    list("similarities", replace(exp(-D), upper.tri(D), 0))
  )
  for (i in seq_along(cases)) {
    found <- character()
    withCallingHandlers(
      kgroups(cases[[i]][[2L]], 3),
      condition = function(c) {
        if (inherits(c, c("kg_message", "kg_warning"))) found <<- c(found, sub("kg_(message|warning)_", "", class(c)[1L]))
        tryInvokeRestart("muffleMessage")
        tryInvokeRestart("muffleWarning")
      }
    )
    expect_true(cases[[i]][[1L]] %in% found, label = paste(i, cases[[i]][[1L]], "in", toString(found)))
  }
  expect_message(kgroups_changes(cbind(year = 1951:2010, v = z()), 2), class = "kg_message_index")
  expect_message(kgroups_changes(data.frame(year = 1951:2010, v = z()), 2), class = "kg_message_index")
})

test_that("measurements are not taken for codes, classes or times", {
  set.seed(12)
  plain <- list(
    data.frame(a = rnorm(50), b = sample(90:110, 50, TRUE)), data.frame(a = rnorm(50), b = c(999, 950 + sample(40, 49, TRUE))),
    data.frame(a = rnorm(50), b = sample(-9:9, 50, TRUE)), data.frame(a = rnorm(50), country = sample(c("NA", letters), 50, TRUE)),
    women, attitude, cbind(a = rnorm(50), day = sample(50)), data.frame(a = rnorm(40), n = rpois(40, 5))
  )
  counts <- matrix(pmin(rpois(4000, 2), 6), 100)
  counts[cbind(1:6, 1:6)] <- 8
  for (x in c(plain, list(counts))) expect_no_message(kgroups(x, 3), class = "kg_message_code")
  for (x in plain) for (class in c("separates", "index", "counts", "long")) expect_no_message(suppressWarnings(kgroups(x, 3)), class = paste0("kg_message_", class))
  thousands <- data.frame(a = rnorm(20), b = sample(c("1,008", "2,350", "12,001", "640"), 20, TRUE))
  expect_message(kgroups(thousands, 2), "gsub", class = "kg_message_text")
})

test_that("the calls that messages name have the effect that they describe", {
  set.seed(13)
  x <- data.frame(a = rnorm(30), u = replace(runif(30), c(4, 9), -999))
  eval(str2lang('x[x[, "u"] %in% -999, "u"] <- NA'))
  expect_identical(which(is.na(x$u)), c(4L, 9L))
  x <- data.frame(t(combn(letters[1:5], 2)), value = as.numeric(1:10))
  v <- unique(unlist(x[1:2]))
  d <- matrix(0, length(v), length(v))
  i <- sapply(x[1:2], match, v)
  d[i] <- d[i[, 2:1]] <- x[[3]]
  expect_identical(as.vector(as.dist(d)), as.numeric(1:10))
  panel <- expand.grid(firm = 1:4, quarter = 1:3)
  panel$sales <- 1:12
  expect_identical(dim(reshape(panel, idvar = "firm", timevar = "quarter", direction = "wide")[-1]), c(4L, 3L))
})

test_that("a print names the columns by which rows were clustered, with the types of all that are no numbers", {
  set.seed(14)
  x <- data.frame(a = rnorm(30), b = rnorm(30), c = runif(30), d = runif(30), where = sample(letters[1:4], 30, TRUE), day = Sys.Date() + sample(30))
  line <- function(x) grep("^Clustered by", format(suppressMessages(kgroups(x, 2))), value = TRUE)
  expect_identical(line(x), "Clustered by: a, ..., d, where (categories), day (date)")
  expect_identical(line(x[1:2]), "Clustered by: a, b")
  expect_identical(line(as.matrix(x[1:4])), "Clustered by: a, ..., d")
  expect_identical(line(unname(as.matrix(x[1:4]))), character())
  expect_identical(line(dist(x[1:2])), character())
})

test_that("dissimilarities that are all 0 are reported", {
  expect_message(kgroups(stats::as.dist(matrix(0, 5, 5)), 2), class = "kg_message_equal")
  expect_message(kgroups(as_gram(matrix(2, 6, 6)), 2), class = "kg_message_equal")
  expect_no_message(kgroups(dist(c(0, 0, 0, 1)), 2), class = "kg_message_equal")
})

test_that("labelled codes are reported once, whichever packages are loaded", {
  skip_if_not_installed("ggplot2") # which loads vctrs
  loadNamespace("ggplot2")
  x <- data.frame(a = seq(0, 40, length.out = 60))
  x$q <- structure(rep(c(1:3, 5, -99), 12), labels = c(low = 1, refused = -99), class = c("haven_labelled", "vctrs_vctr", "double"))
  expect_identical(conditions_of(kgroups(x, 2)), "kg_message_code")
})

test_that("no function takes places for numbers if the metric is that of places", {
  places <- data.frame(lon = seq(-170, 170, length.out = 20), lat = seq(-60, 60, length.out = 20)^2 / 60)
  g <- rep(1:2, 10)
  calls <- list(
    function(m) kgroups(places, 2, semimetric = m), function(m) semimetric_matrix(places, semimetric = m),
    function(m) energy_statistics(places, g, semimetric = m), function(m) energy_distance(places, g = g, semimetric = m),
    function(m) energy_test(places, g, semimetric = m, R = 9), function(m) dispersion_test(places, g, semimetric = m, R = 9),
    function(m) pairwise_energy_test(places, g, semimetric = m, R = 9), function(m) kgroups_tree(places, semimetric = m),
    function(m) is_negative_type(places, m), function(m) make_negative_type(places, m), function(m) cluster_test(places, m),
    function(m) kgroups_changes(places, 1:2, semimetric = m),
    function(m) select_k(places, 2:3, criterion = "pseudo_f", semimetric = m)
  )
  for (call in calls) {
    expect_false("kg_message_degrees" %in% conditions_of(call(rho_metric("haversine"))))
    expect_false("kg_message_degrees" %in% conditions_of(call("great-circle")))
    expect_true("kg_message_degrees" %in% conditions_of(call(rho_power(1))))
  }
})

test_that("the code of a message works for every class of table", {
  code_of <- function(x, what, k = 2) {
    text <- NULL
    withCallingHandlers(kgroups(x, k), kg_message = function(m) {
      if (inherits(m, paste0("kg_message_", what))) text <<- gsub("\n *", " ", conditionMessage(m))
      invokeRestart("muffleMessage")
    }, kg_warning = function(w) {
      if (inherits(w, paste0("kg_warning_", what))) text <<- gsub("\n *", " ", conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    regmatches(text, regexpr("`[^`]*(subset|dist|<-)[^`]*`", text))
  }
  run <- function(code, x) {
    env <- list2env(list(x = x), parent = globalenv())
    value <- eval(str2lang(gsub("`", "", code)), env)
    if (grepl("<-", code)) env$x else value
  }
  classes <- list(as.matrix, as.data.frame)
  if (requireNamespace("tibble", quietly = TRUE)) classes$tibble <- function(x) tibble::as_tibble(as.data.frame(x))
  if (requireNamespace("data.table", quietly = TRUE)) classes$data.table <- function(x) data.table::as.data.table(as.data.frame(x))
  set.seed(1)
  coded <- cbind(a = c(rnorm(28, 50, 9), 9999, 9999), b = rnorm(30))
  kinds <- cbind(a = rnorm(60), b = rnorm(60), kind = rep(c(0, 30), 30))
  labelled <- cbind(id = 1:20, as.matrix(dist(iris[seq(1, 100, 5), 1:4])))
  whole <- unname(utils::adist(c("kitten", "sitting", "mitten", "carrot", "carrots", "parrot", "rot", "bitten", "sit", "rat")))
  answers <- matrix(sample(c(1:5, 9), 200, TRUE), 40, dimnames = list(NULL, paste0("q", 1:5)))
  for (as_class in classes) {
    x <- as_class(coded)
    expect_identical(sum(is.na(as.data.frame(run(code_of(x, "code"), x))$a)), 2L)
    x <- as_class(answers)
    expect_identical(sum(is.na(run(code_of(x, "code"), x))), sum(answers == 9))
    x <- as_class(cbind(answers[, 1:3], coded = rnorm(40)))
    expect_identical(sum(is.na(run(code_of(x, "code"), x))), sum(answers[, 1:3] == 9))
    x <- as_class(cbind(coded, c = coded[, 1], d = replace(coded[, 2], 3:4, -999)))
    expect_identical(sum(is.na(run(code_of(x, "code"), x))), 2L)
    x <- as_class(kinds)
    expect_identical(names(as.data.frame(run(code_of(x, "separates"), x))), c("a", "b"))
    x <- as_class(labelled)
    expect_equal(as.vector(run(code_of(x, "dissimilarities"), x)), as.vector(dist(iris[seq(1, 100, 5), 1:4])))
    x <- as_class(whole)
    expect_equal(as.vector(run(code_of(x, "dissimilarities"), x)), whole[lower.tri(whole)])
  }
})

test_that("codes near the other values are reported, measurements are not", {
  set.seed(1)
  y <- rnorm(40)
  code <- function(column) "kg_message_code" %in% conditions_of(kgroups(data.frame(y, column), 2))
  expect_true(code(c(sample(18:75, 36, TRUE), 99, 98, 99, 98)))
  expect_true(code(c(rexp(37) * 1e3, -1, -1, -9)))
  expect_false(code(sample(18:99, 40, TRUE)))
  expect_false(code(c(sample(18:75, 39, TRUE), 99)))
  expect_false(code(sample(-9:30, 40, TRUE)))
  expect_false(code(rnorm(40, 100, 60)))
  expect_false(code(sample(c(-1, 0, 1), 40, TRUE)))
})

test_that("one message a column: the first cause", {
  set.seed(2)
  y <- rnorm(30)
  alone <- function(column, what) expect_identical(conditions_of(kgroups(data.frame(column, y, z = rev(y)), 2)), what)
  alone(c("1,5", "2,3", format(2 + 1:28 / 7, decimal.mark = ",")), "kg_message_text")
  alone(format(as.Date("2020-03-01") + sample(500, 30)), "kg_message_text")
  alone(sprintf("%02d:%02d", sample(0:23, 30, TRUE), sample(0:59, 30, TRUE)), "kg_message_text")
  alone(sprintf("%02d:%02d:30", sample(0:23, 30, TRUE), sample(0:59, 30, TRUE)), "kg_message_text")
  alone(c("n/a", 1:29 * 1.5), "kg_message_text")
  alone(c(-999, -999, rnorm(28)), "kg_message_code")
  alone(sample(c("yes", "no", ""), 30, TRUE), "kg_message_code")
  alone(sample(c("yes", "no", "  ", "perhaps"), 30, TRUE), "kg_message_code")
  marked <- structure(sample(c(1:5, 99), 30, TRUE), labels = c("no answer" = 99), class = "haven_labelled")
  rated <- data.frame(y, z = rev(y))
  rated$mark <- marked
  expect_identical(conditions_of(kgroups(rated, 2)), "kg_message_code")
  # numbers beside dates are standardized
  dated <- data.frame(day = as.Date("2024-01-01") + sample(30), a = y, b = rnorm(30) * 1e5)
  expect_identical(conditions_of(kgroups(dated, 2)), character())
  timed <- data.frame(time = as.POSIXct("2024-01-01") + sample(3e5, 30), a = y, b = rnorm(30) * 1e5)
  expect_identical(conditions_of(kgroups(timed, 2)), character())
  expect_identical(conditions_of(kgroups(airquality, 2))[1], "kg_message_calendar")
  expect_identical(conditions_of(kgroups(data.frame(y, month = y + 7), 2)), character())
})

test_that("short lists of edges and tables of pairs are reported", {
  edges <- data.frame(from = c("ann", "ann", "bob", "dan", "dan", "eve", "cat"), to = c("bob", "cat", "cat", "eve", "fay", "fay", "dan"))
  expect_identical(conditions_of(kgroups(edges, 2)), "kg_message_edges")
  numbers <- as.data.frame(lapply(edges, match, sort(unique(unlist(edges)))))
  expect_identical(conditions_of(kgroups(numbers, 2)), "kg_message_edges")
  set.seed(1)
  pairs <- expand.grid(a = letters[1:6], b = letters[1:6])
  pairs$dist <- stats::runif(36)
  expect_identical(conditions_of(kgroups(pairs, 2)), "kg_warning_dissimilarities")
})

test_that("a column of an S4 class is refused by name", {
  methods::setClass("kg_period", contains = "numeric", methods::representation(hour = "numeric"), where = globalenv())
  on.exit(methods::removeClass("kg_period", where = globalenv()))
  x <- data.frame(y = 1:10 + 0.5)
  x$span <- methods::new("kg_period", as.numeric(1:10), hour = as.numeric(10:1))
  expect_error(suppressMessages(kgroups(x, 2)), "span", class = "kg_error_x")
})

test_that("dates of a sequence that do not rise are reported", {
  set.seed(1)
  days <- data.frame(day = as.Date("2020-01-01") + sample(0:59), y = rnorm(60))
  expect_true("kg_message_index" %in% conditions_of(kgroups_changes(days, 2)))
})

test_that("a column that is the known groups is reported by every function that finds clusters", {
  set.seed(21)
  site <- rep(c("p", "q", "r"), c(30, 24, 18))
  x <- data.frame(a = rnorm(72), b = rnorm(72), site = site)
  far <- data.frame(a = x$a, b = x$b, site = 40 * match(site, letters))
  known <- c("kg_message_groups", "kg_message_separates")
  answered <- function(code) intersect(conditions_of(code), known)
  expect_identical(answered(kgroups(x, 3)), "kg_message_groups")
  expect_identical(answered(select_k(x, 2:4, splits = 2)), "kg_message_groups")
  expect_identical(answered(select_k(x, 2:4, criterion = "elbow", approx = nystroem(30))), "kg_message_groups")
  expect_identical(answered(select_semimetric(x, 3, splits = 2)), "kg_message_groups")
  expect_identical(answered(kgroups(as_points(x), 3)), "kg_message_groups")
  expect_identical(answered(kgroups(as_points(x, column_weights = c(site = 2, a = 0.5)), 3)), "kg_message_groups")
  expect_identical(answered(kgroups(row_blocks(function(i) x[seq(i, 72, 2), ], 2), 3, approx = nystroem(30))), "kg_message_groups")
  expect_identical(answered(kgroups(as_points(far), 3)), "kg_message_separates")
  expect_identical(answered(kgroups_tree(far)), "kg_message_separates")
  expect_identical(answered(kgroups_tree(data.frame(x[-3], u = site, v = site), column_weights = c(v = 0))), character())
  expect_identical(answered(kgroups_changes(far, 2:4)), "kg_message_separates")
  expect_identical(answered(kgroups_changes(far, 3)), "kg_message_separates")
  # and not if another number of clusters is chosen, or the column has no part in them
  expect_identical(answered(kgroups(x, 4)), character())
  expect_identical(answered(kgroups_tree(data.frame(a = x$a, b = x$b, u = rep(0:1, 36)))), character())
  # one cluster of two rows: no column gives it
  set.seed(22)
  rare <- data.frame(a = c(rnorm(98), 90, 91), b = rnorm(100), u = sample(0:1, 100, TRUE))
  expect_identical(answered(kgroups(rare, 2)), character())
})

test_that("known groups as columns of 0 and 1 are reported", {
  set.seed(23)
  kind <- factor(sample(letters[1:4], 80, TRUE, c(4, 3, 2, 2)))
  x <- data.frame(u = rnorm(80) / 9, v = rnorm(80) / 9, w = rnorm(80) / 9)
  known <- function(x, k) intersect(conditions_of(kgroups(x, k)), c("kg_message_groups", "kg_message_separates"))
  expect_identical(known(model.matrix(~ . - 1, cbind(kind, x)), 4), "kg_message_groups")
  expect_identical(known(as.data.frame(model.matrix(~ . - 1, cbind(kind, x))), 4), "kg_message_groups")
  expect_identical(known(model.matrix(~., cbind(x, kind))[, -1], 4), "kg_message_separates")
  expect_identical(known(Matrix::Matrix(model.matrix(~ . - 1, cbind(kind, x)), sparse = TRUE), 4), "kg_message_groups")
  expect_message(kgroups(model.matrix(~ . - 1, cbind(kind, x)), 4), "kinda, kindb, kindc, and kindd have 4 categories", class = "kg_message_groups")
  # answers of yes and no that exclude each other now and then, or never sum to 1
  answers <- matrix(rbinom(480, 1, 0.4), 80, dimnames = list(NULL, paste0("q", 1:6)))
  expect_identical(known(answers, 3), character())
  # a matrix without names, and several blocks
  expect_identical(known(unname(model.matrix(~ . - 1, cbind(kind, x))), 4), character())
})

test_that("what a table holds twice, in circles, by labels or as distances to others is reported", {
  set.seed(41)
  z <- function(n = 50) rnorm(n)
  has <- function(code, what) expect_true(paste0("kg_message_", what) %in% conditions_of(code), label = what)
  # equal columns
  two <- data.frame(u = z(), v = z(), g = sample(0:1, 50, TRUE))
  again <- list(cbind(two[1:2], two[1:2]), as.matrix(two[c(1, 2, 1)]), data.frame(two, w = two$v), cbind(two, two["g"]))
  for (x in again) has(kgroups(x, 2), "twice")
  expect_message(kgroups(again[[1L]], 2), "u \\(3\\) and v \\(4\\) equal.*subset\\(x, select = -c\\(3, 4\\)\\)", class = "kg_message_twice")
  expect_identical(names(subset(again[[1L]], select = -c(3, 4))), c("u", "v"))
  expect_no_message(kgroups(data.frame(two, h = two$g), 2), class = "kg_message_twice")
  # angles
  has(kgroups(data.frame(deg = c(350, 3, 10, 170, 181, 95, 260), y = 1:7 / 3), 2), "direction")
  expect_no_message(kgroups(data.frame(angle = runif(50, 0, 90), y = z()), 2), class = "kg_message_direction")
  expect_no_message(kgroups(data.frame(direction = sample(4, 50, TRUE), y = z()), 2), class = "kg_message_direction")
  # labels of package foreign
  coded <- two
  coded$g <- structure(coded$g, value.labels = c(yes = 1, no = 0))
  has(kgroups(coded, 2), "labels")
  expect_no_message(kgroups(transform(two, g = structure(g, value.labels = c(yes = 1))), 2), class = "kg_message_labels")
  # edges beside weights
  edges <- cbind(c(1, 2, 3, 4, 5, 1, 2), c(2, 3, 4, 5, 6, 6, 5), w = 1:7 / 2)
  has(kgroups(edges, 2), "edges")
  many <- cbind(sample(25, 90, TRUE), sample(25, 90, TRUE), weight = runif(90))
  has(kgroups(rbind(many, c(1, 25, 1), c(25, 1, 1)), 2), "edges")
  expect_no_message(kgroups(data.frame(a = sample(5, 50, TRUE), b = sample(5, 50, TRUE), w = z()), 2), class = "kg_message_edges")
  # distances to other points
  cross <- structure(as.matrix(dist(iris[1:20, 1:4]))[1:12, 13:20], class = "crossdist")
  expect_warning(kgroups(cross, 2), "distances to other points", class = "kg_warning_dissimilarities")
})

test_that("a symmetric Matrix is taken as a Gram matrix with a message, unless it is marked", {
  set.seed(42)
  S <- Matrix::crossprod(Matrix::rsparsematrix(30, 12, 0.3))
  for (one in list(S, methods::as(S, "generalMatrix"), Matrix::Matrix(as.matrix(S), sparse = FALSE))) {
    expect_identical(conditions_of(kgroups(one, 2)), "kg_message_gram")
    expect_identical(conditions_of(marked <- kgroups(as_gram(one), 2, init = rep(1:2, 6))), character())
    expect_equal(marked$W, kgroups(as_gram(as.matrix(S)), 2, init = rep(1:2, 6))$W)
  }
  expect_error(as_gram(Matrix::rsparsematrix(9, 9, 0.4)), class = "kg_error_gram")
  expect_error(as_gram(Matrix::rsparsematrix(9, 5, 0.4)), class = "kg_error_gram")
})

test_that("a table that is refused gives no message before", {
  x <- data.frame(a = c(rnorm(19), 900), b = 1e6 * rnorm(20), id = 1:20)
  x$tags <- as.list(1:20)
  expect_identical(conditions_of(kgroups(x, 2)), character())
  expect_error(kgroups(x, 2), "lengths", class = "kg_error_x")
  x$tags <- numeric_version(rep("1.2", 20))
  expect_error(kgroups(x, 2), "Drop it[.]", class = "kg_error_x")
  x$tags <- complex(real = 1:20, imaginary = 1)
  expect_error(kgroups(x, 2), 'Re(x[["tags"]])', fixed = TRUE, class = "kg_error_x")
  expect_error(kgroups(as.matrix(iris), 3), "before `as.matrix()`", fixed = TRUE, class = "kg_error_x")
  expect_error(kgroups(as.matrix(chickwts["feed"]), 3), "if its columns are categories", class = "kg_error_x")
})

test_that("functions of all pairs are no semimetrics", {
  expect_error(kgroups(iris[1:4], 3, semimetric = dist), "kgroups\\(dist\\(x\\), 3\\)", class = "kg_error_semimetric")
  expect_error(rho_function(stats::dist), "kgroups\\(dist\\(x\\), 3\\)", class = "kg_error_semimetric")
  expect_s3_class(rho_function(function(x, y) sum(abs(x - y))), "kgroups_semimetric")
})

test_that("series in long form and times get one message a column", {
  long <- data.frame(unit = rep(1:8, each = 4), wave = rep(1:4, 8), y = rnorm(32) / 99)
  expect_identical(conditions_of(kgroups(long, 2)), "kg_message_long")
  expect_identical(conditions_of(kgroups_changes(data.frame(t = 1:40, y = rnorm(40)), 2)), "kg_message_index")
})

test_that("columns of sparse matrices are checked as those of dense ones", {
  set.seed(51)
  words <- Matrix::rsparsematrix(200, 40, 0.15, rand.x = function(n) rpois(n, 2) + 1)
  colnames(words) <- paste0("w", 1:40)
  beside <- function(...) methods::as(cbind(words, ...), "CsparseMatrix")
  number <- cbind(id = sample(1000, 200))
  cases <- list(
    list(character(), beside()), list("kg_message_id", beside(number)), list("kg_message_id", beside(cbind(nr = 1:200))),
    list("kg_message_scale", beside(cbind(pay = 1e5 * rnorm(200)))), list("kg_message_scale", beside(cbind(pay = rnorm(200, 0, 60)))),
    list("kg_message_code", beside(cbind(u = replace(rnorm(200), 3:5, -999)))),
    list("kg_message_twice", beside(cbind(u = runif(200)), cbind(w = runif(200)))[, c(1:42, 41)]),
    list("kg_message_calendar", beside(cbind(year = rep(1990:1999, 20) / 1, month = rep(1:12, length.out = 200)))),
    list("kg_message_separates", beside(cbind(kind = rep(c(0, 45), 100))))
  )
  for (one in cases) {
    found <- conditions_of(fit <- kgroups(one[[2L]], 2))
    expect_true(all(one[[1L]] %in% found), label = paste(toString(one[[1L]]), "in", toString(found)))
    expect_setequal(found, conditions_of(kgroups(as.matrix(one[[2L]]), 2)))
  }
  expect_identical(conditions_of(kgroups(beside(), 2)), character())
  x <- beside(cbind(kind = rep(c(0, 45), 100)))
  expect_message(kgroups(x, 2), 'x[, !colnames(x) %in% "kind"]', fixed = TRUE, class = "kg_message_separates")
  expect_identical(ncol(x[, !colnames(x) %in% "kind"]), 40L)
  pay <- beside(cbind(pay = 1e5 * rnorm(200)))
  scaled <- pay %*% Matrix::Diagonal(x = 1 / sqrt(Matrix::colMeans(pay^2) - Matrix::colMeans(pay)^2))
  expect_equal(range(apply(as.matrix(scaled), 2, sd)), c(1, 1) * sqrt(200 / 199))
  expect_match(format(kgroups(beside(), 2)), "Clustered by: w1, ..., w40", fixed = TRUE, all = FALSE)
})
