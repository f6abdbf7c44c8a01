# The classes of what was said by us, in the order in which it was said.
said <- function(code) {
  out <- character()
  withCallingHandlers(
    tryCatch(code, error = function(e) NULL),
    kg_message = function(m) {
      out <<- c(out, class(m)[[1L]])
      tryInvokeRestart("muffleMessage")
    },
    kg_warning = function(w) {
      out <<- c(out, class(w)[[1L]])
      tryInvokeRestart("muffleWarning")
    }
  )
  # what is said of the result, not of the input
  out[!out %in% c("kg_warning_negative_type", "kg_warning_one_cluster", "kg_warning_rose")]
}

# Every exported function that takes observations as `x`.
doors <- function(labels) {
  list(
    kgroups = function(x) kgroups(x, 2), kernel_kmeans = function(x) kernel_kmeans(x, 2),
    landmarks = function(x) kgroups(x, 2, approx = nystroem(5)),
    energy_statistics = function(x) energy_statistics(x, labels),
    energy_distance = function(x) energy_distance(x, cluster = labels),
    energy_test = function(x) energy_test(x, labels, R = 9),
    semimetric_matrix = semimetric_matrix, is_negative_type = is_negative_type,
    make_negative_type = make_negative_type,
    select_k = function(x) select_k(x, 2:3, criterion = "disco")
  )
}

# Those that take points or dissimilarities only.
doors_without_gram <- function() {
  list(
    select_semimetric = function(x) select_semimetric(x, 2, splits = 2, B = 2),
    select_k = function(x) select_k(x, 2:3, "stability", list(rho_power(1), rho_power(0.5)), splits = 2, B = 2)
  )
}

expect_said <- function(x, labels, what, gram = FALSE) {
  for (name in names(doors(labels))) {
    expect_identical(said(doors(labels)[[name]](x)), what, info = name)
  }
  if (!gram) {
    for (name in names(doors_without_gram())) {
      expect_identical(said(doors_without_gram()[[name]](x)), what, info = name)
    }
  }
}

test_that("every function speaks of the same trap, once a call", {
  skip_on_cran()
  set.seed(1)
  x <- as.matrix(iris[seq(1, 150, 5), 1:4])
  labels <- iris$Species[seq(1, 150, 5)]
  expect_said(x, labels, character())
  expect_said(iris[seq(1, 150, 5), 1:4], labels, character())
  expect_said(cbind(x, x[, 1] * 1000), labels, "kg_message_scale")
  expect_said(cbind(1:30, x), labels, "kg_message_id")
  expect_said(data.frame(id = sample(1000, 30), x), labels, "kg_message_id")
  expect_said(as.matrix(dist(x)), labels, "kg_warning_dissimilarities")
  expect_said(tcrossprod(x), labels, "kg_message_gram")
  expect_said(I(as.matrix(dist(x))), labels, "kg_warning_dissimilarities")
  rated <- data.frame(x)
  rated$mark <- structure(rep(c(1, 2, NA), 10), labels = c(low = 1, high = 2), class = c("haven_labelled", "vctrs_vctr", "double"))
  rated$mark[is.na(rated$mark)] <- 2
  expect_said(rated, labels, "kg_message_labels")
  attr(rated$mark, "labels") <- c(low = 1)
  expect_said(rated, labels, character())
  expect_said(as.dist(exp(-as.matrix(dist(x)))), labels, "kg_warning_similarities")
  adjacency <- as.matrix(dist(x)) < 1 & diag(30) == 0
  expect_said(adjacency + 0, labels, "kg_warning_adjacency")
  expect_said(as_gram(adjacency + 0), labels, "kg_warning_adjacency", gram = TRUE)
  expect_said(as_gram(as.matrix(dist(x))), labels, "kg_warning_dissimilarities", gram = TRUE)
})

test_that("edge lists are told from points", {
  edges <- igraph::as_edgelist(karate())
  labels <- rep(1:2, length.out = nrow(edges))
  expect_said(edges, labels, "kg_message_edges")
  expect_said(as.data.frame(edges - 1), labels, "kg_message_edges")
  words <- matrix(paste0("v", edges), ncol = 2)
  expect_identical(said(kgroups(words, 2)), "kg_message_edges")
  expect_identical(said(kgroups(as.data.frame(words, stringsAsFactors = TRUE), 2)), "kg_message_edges")
  # a loop, a row twice, a gap in the numbers, few rows, answers to two questions
  expect_identical(said(kgroups(rbind(edges, c(1, 1)), 2)), character())
  expect_identical(said(kgroups(rbind(edges, edges[1, ]), 2)), character())
  expect_identical(said(kgroups(2 * edges, 2)), character())
  expect_identical(said(kgroups(edges[1:5, ], 2)), character())
  set.seed(2)
  expect_identical(said(kgroups(matrix(sample(5, 200, TRUE), ncol = 2), 2)), character())
  expect_identical(said(kgroups(expand.grid(1:6, 1:6), 2)), character())
  yes <- data.frame(a = sample(c("yes", "no"), 40, TRUE), b = sample(c("yes", "no"), 40, TRUE))
  expect_identical(said(kgroups(yes, 2)), character())
})

test_that("fits are not spoken of again, and every call speaks for itself", {
  x <- cbind(1:150, iris[1:4])
  expect_identical(said(fit <- kgroups(x, 3)), "kg_message_id")
  grDevices::pdf(NULL)
  expect_identical(said({
    predict(fit)
    predict(fit, x, type = "distance")
    augment(fit)
    tidy(fit)
    plot(fit)
    stability(fit, B = 2)
  }), character())
  grDevices::dev.off()
  expect_identical(said(for (i in 1:3) kgroups(x, 2)), rep("kg_message_id", 3))
  expect_identical(said(lapply(1:3, function(k) kgroups(x, k))), rep("kg_message_id", 3))
  expect_identical(said(energy_distance(x, x)), rep("kg_message_id", 2))
  own <- rho_function(function(a, b) sum(abs(a - b)), vectorized = FALSE)
  expect_identical(said(fit <- kgroups(x[1:40, ], 2, semimetric = own)), "kg_message_id")
  expect_identical(said(fit_geometry(fit)), character())
})

test_that("there is no false alarm on data that R ships", {
  sets <- list(
    iris, women, cars, faithful, swiss, trees, attitude, longley, stackloss, pressure, USArrests, ToothGrowth,
    ChickWeight, infert, BOD, Orange, anscombe, morley, randu, esoph, freeny, Theoph, volcano, as.data.frame(Titanic)
  )
  for (one in sets) {
    one <- as.data.frame(one)
    expect_identical(said(semimetric_matrix(one[vapply(one, is.numeric, NA)])), character())
  }
  # units 100-fold apart are there, and nothing else
  for (one in list(mtcars, quakes, rock, state.x77, LifeCycleSavings, attenu[-3], beaver1)) {
    expect_identical(said(semimetric_matrix(one)), "kg_message_scale")
  }
})

test_that("dissimilarities between 0 and 1 are not taken for similarities", {
  set.seed(3)
  for (one in list(iris[1:4], mtcars, cars, faithful, swiss, USArrests, anscombe)) {
    D <- as.matrix(dist(scale(one)))
    D <- D / max(D)
    for (power in c(0.5, 1, 2)) expect_identical(said(semimetric_matrix(as.dist(D^power))), character())
    expect_identical(said(semimetric_matrix(as.dist(1 - abs(cor(one))))), character())
  }
  bits <- matrix(rbinom(400, 1, 0.4), 50)
  expect_identical(said(semimetric_matrix(dist(bits, "binary"))), character())
  expect_identical(said(semimetric_matrix(as.dist(as.matrix(dist(bits, "binary"))))), character())
  same <- outer(iris$Species, iris$Species, "==") + 0
  expect_identical(said(semimetric_matrix(as.dist(1 - same))), character())
  expect_identical(said(semimetric_matrix(as.dist(same))), "kg_warning_similarities")
  expect_identical(said(semimetric_matrix(as.dist(matrix(runif(900), 30)))), character())
})

test_that("sparse matrices of 0 and 1 are named, weighted ones are not", {
  A <- igraph::as_adjacency_matrix(karate())
  expect_identical(said(kgroups(A, 2)), "kg_warning_adjacency")
  expect_identical(said(energy_statistics(A, rep(1:2, 17))), "kg_warning_adjacency")
  expect_identical(said(kgroups(A * 0.5, 2)), character())
  expect_identical(said(kgroups(A + Matrix::Diagonal(34), 2)), character())
})

test_that("what is wrong with the input is said all the same", {
  expect_error(kgroups(matrix(NA_real_, 20, 2), 2), class = "kg_error_x")
  expect_error(kgroups(structure(1:3, class = "dist"), 2), class = "kg_error_dist")
  expect_error(kgroups(data.frame(), 2), class = "kg_error_x")
  expect_error(kgroups(structure(c("a", "b", "c"), class = "dist", Size = 3), 2), class = "kg_error_dist")
  odd <- setNames(data.frame(1:20, rnorm(20)), c("{stop('run')} id", "b"))
  expect_message(kgroups(odd, 2), "{stop('run')} id", fixed = TRUE, class = "kg_message_id")
})

test_that("units far apart are spoken of whatever the first rows say", {
  set.seed(12)
  x <- matrix(rnorm(1200), 300)
  apart <- replace(x, cbind(101:300, 2), 1e4 * x[101:300, 2])
  expect_identical(said(semimetric_matrix(apart)), "kg_message_scale")
  # and not where the first rows alone are alike, or of no spread
  expect_identical(said(semimetric_matrix(replace(x, cbind(1:100, 2), 0))), character())
  # what is told soonest is what all rows say
  for (fold in c(1, 10, 50, 80, 99, 101, 200, 1e4)) {
    wide <- x %*% diag(c(1, fold, 1, 1))
    spread <- sqrt(colMeans(wide^2) - colMeans(wide)^2)
    if (spread_alike(wide, max(abs(wide)))) expect_lt(max(spread) / min(spread), 100)
  }
  expect_true(spread_alike(x, max(abs(x))))
  for (size in c(0, 1e-300, 1e300)) expect_false(spread_alike(x * size, max(abs(x * size))))
})

test_that("the words of the traps", {
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
  })
})
