# A user at the console: input of the wrong kind, and what is reported about it.

x <- as.matrix(iris[1:4])

test_that("centres are no start", {
  expect_snapshot(error = TRUE, kgroups(x, 3, init = x[1:3, ]))
  expect_error(kgroups(x, 3, init = iris), class = "kg_error_init")
  expect_equal(kgroups(x, 3, init = matrix(rep(1:3, 50)))$k, 3)
})

test_that("surplus arguments are counted", {
  expect_error(
    kgroups(x, 3, semimetric = rho_power(1), NULL, 2),
    "2 arguments too many",
    class = "kg_error_dots"
  )
})

test_that("the error on another kind of input names the conversion", {
  expect_snapshot(error = TRUE, {
    kgroups(~Sepal.Length, iris)
    kgroups(ts(1:9), 2)
    kgroups(array(1:8, c(2, 2, 2)), 2)
    kgroups(data.frame(), 1)
    energy_statistics(x)
    predict(kgroups(x, 3), dist(x))
  })
  expect_error(energy_statistics(x), class = "kg_error_cluster")
  expect_error(predict(kgroups(x, 3), dist(x)), "class dist", class = "kg_error_newdata")
})

test_that("braces in what the user passes are shown, not interpreted", {
  expect_error(kgroups(x, 3, weights = "{stop('no')}"), "{stop('no')}", fixed = TRUE, class = "kg_error_weights")
  expect_error(as_gram("{a"), "{a", fixed = TRUE, class = "kg_error_gram")
  braces <- rho_function(function(x, y) "{a")
  expect_error(kgroups(x, 3, semimetric = braces), "{a", fixed = TRUE, class = "kg_error_semimetric")
})

test_that("a large offset gives no warning", {
  expect_warning(kgroups(x + 1e10, 3), NA)
})

test_that("points under a semimetric not of negative type give the warning that dissimilarities give", {
  expect_warning(
    kgroups(x, 3, semimetric = rho_function(function(x, y) sum((x - y)^2)^2)), class = "kg_warning_negative_type"
  )
  expect_warning(kgroups(x, 3, semimetric = rho_gaussian(1)), NA)
})

test_that("a Gram matrix gives its own semimetric", {
  G <- semimetric_matrix(x, x0 = c(1, 0, 3, 2), type = "gram")
  expect_equal(semimetric_matrix(G), as.matrix(dist(x)), ignore_attr = TRUE)
  expect_equal(semimetric_matrix(as_gram(tcrossprod(x))), as.matrix(dist(x))^2, ignore_attr = TRUE)
})

test_that("one bad dissimilarity is reported in the singular", {
  d <- dist(x)
  d[5] <- NA
  expect_error(kgroups(d, 3), "1 of them is missing", class = "kg_error_dist")
})

test_that("the overview page names every function", {
  pages <- tools::Rd_db("kgroups")
  map <- paste(unlist(pages[["kgroups-package.Rd"]]), collapse = "")
  exports <- getNamespaceExports("kgroups")
  named <- vapply(exports, function(name) grepl(paste0("\\b", name, "\\("), map), NA)
  expect_identical(exports[!named], character())
})

test_that("dermatology holds UCI's values", {
  data <- read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
  expect_identical(dim(data), c(366L, 35L))
  expect_identical(
    c(table(data$class)),
    c(
      "chronic dermatitis" = 52L, "lichen planus" = 72L, "pityriasis rosea" = 49L,
      "pityriasis rubra pilaris" = 20L, "psoriasis" = 112L, "seborrheic dermatitis" = 61L
    )
  )
  values <- data[names(data) != "class"]
  expect_true(all(vapply(values, is.integer, NA)))
  missing <- colSums(is.na(values))
  expect_identical(missing[missing > 0], c(age = 8))
  expect_true(all(values$family_history %in% 0:1))
  # The columns that show lichen planus is in the columns that bear its names.
  lichen <- data$class == "lichen planus"
  for (sign in c("polygonal_papules", "saw_tooth_appearance_of_retes", "band_like_infiltrate")) {
    expect_gt(mean(data[[sign]][lichen]), 2)
    expect_lt(mean(data[[sign]][!lichen]), 0.3)
  }
})

test_that("the karate club is igraph's, with Zachary's numbers", {
  edges <- read.csv(system.file("extdata", "karate_edges.csv", package = "kgroups"))
  labels <- read.csv(system.file("extdata", "karate_labels.csv", package = "kgroups"))
  graph <- igraph::graph_from_data_frame(edges, FALSE, labels)
  expect_identical(
    igraph::as_adjacency_matrix(graph, sparse = FALSE),
    igraph::as_adjacency_matrix(
      igraph::set_vertex_attr(igraph::make_graph("Zachary"), "name", value = as.character(1:34)),
      sparse = FALSE
    )
  )
  expect_identical(c(table(labels$class)), c("John A." = 18L, "Mr. Hi" = 16L))
  expect_identical(labels$class[c(1, 34)], c("Mr. Hi", "John A."))
})
