test_that("NULL lists the files and each name gives its path", {
  files <- kgroups_example()
  expect_setequal(
    files,
    c("dermatology.csv", "karate_edges.csv", "karate_labels.csv", "SOURCES.md")
  )
  for (file in files) expect_true(file.exists(kgroups_example(file)))
})

test_that("an unknown file is a classed error", {
  wrong_ones <- list("iris.csv", character(), c("SOURCES.md", "x"), NA_character_, 1, "../x.csv")
  for (wrong in wrong_ones) {
    expect_error(kgroups_example(wrong), class = "kg_error_file")
  }
  expect_snapshot(kgroups_example("iris.csv"), error = TRUE)
  expect_snapshot(kgroups_example(1), error = TRUE)
})

test_that("dermatology holds UCI's values", {
  data <- read.csv(kgroups_example("dermatology.csv"))
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
  # What tells lichen planus is in the columns that bear its names.
  lichen <- data$class == "lichen planus"
  for (sign in c("polygonal_papules", "saw_tooth_appearance_of_retes", "band_like_infiltrate")) {
    expect_gt(mean(data[[sign]][lichen]), 2)
    expect_lt(mean(data[[sign]][!lichen]), 0.3)
  }
})

test_that("the karate club is igraph's, with Zachary's numbers", {
  edges <- read.csv(kgroups_example("karate_edges.csv"))
  labels <- read.csv(kgroups_example("karate_labels.csv"))
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
