test_that("no method swallows an argument that it does not use", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  chosen_k <- select_k(iris[1:4], 2:3, criterion = "disco")
  communities <- cluster_communities(karate())
  beliefs <- cluster_belief_propagation(karate(), 2)
  objects <- list(
    kgroups_fit = fit, kgroups_gram = as_gram(diag(3)), kgroups_semimetric = rho_power(1),
    kgroups_nystroem = nystroem(5), kgroups_chunks = chunks(function(i) iris[1:4], 1),
    kgroups_select_k = chosen_k, kgroups_selection = chosen_k,
    kgroups_select_semimetric = select_semimetric(iris[1:4], 2, splits = 2, B = 2),
    kgroups_stability = stability(fit, B = 2), summary.kgroups_fit = summary(fit),
    energy_statistics = energy_statistics(iris[1:4], iris$Species),
    kgroups_negative_type = negative_type_margins(iris[1:4]),
    kgroups_community_spectrum = community_spectrum(karate()),
    kgroups_blueprint = make_blueprint(iris[1:4])$blueprint, kgroups_rho_connected = rho_connected(),
    kgroups_description = describe_clusters(fit, iris[1:4]), kgroups_communities = communities,
    kgroups_beliefs = beliefs, summary.kgroups_beliefs = summary(beliefs),
    summary.kgroups_communities = summary(communities), kgroups_energy_test = energy_test(iris[1:4], iris$Species, R = 9),
    default = iris[1:4], matrix = as.matrix(iris[1:4]), data.frame = iris[1:4], igraph = karate(),
    Matrix = Matrix::Diagonal(4), formula = ~Petal.Length
  )
  methods <- getNamespaceInfo("kgroups", "S3methods")
  # pictures hand their arguments on to the function that draws; operators have none
  methods <- methods[!methods[, 1L] %in% c("plot", "[", "[<-", "[[<-", "Ops", "as_problem"), , drop = FALSE]
  # those of stores are called by the package alone
  methods <- methods[!grepl("^(store_|search_store|worth_caching|landmark_values)", methods[, 1L]), , drop = FALSE]
  expect_gt(nrow(methods), 30)
  for (at in seq_len(nrow(methods))) {
    name <- methods[[at, 3L]]
    class <- methods[[at, 2L]]
    if (grepl("autoplot", name)) skip_if_not_installed("ggplot2")
    expect_true(class %in% names(objects), info = name)
    arguments <- list(objects[[class]], unknown_argument = 1)
    if (grepl("^kgroups\\.", name)) arguments$k <- 2
    if (identical(class, "formula")) arguments$data <- iris
    if (grepl("^kgroups\\.kgroups_chunks", name)) arguments$approx <- nystroem(5)
    error <- tryCatch(
      {
        utils::capture.output(suppressMessages(do.call(getFromNamespace(name, "kgroups"), arguments)))
        NULL
      },
      error = identity
    )
    refused <- !is.null(error) && (inherits(error, "kg_error_dots") || grepl("unused argument", conditionMessage(error)))
    expect_true(refused, info = name)
  }
})

test_that("print() and format() take digits", {
  fit <- kgroups(iris[1:4], 3)
  expect_output(print(fit, digits = 3), "W = 67.5,")
  expect_match(format(negative_type_margins(iris[1:4]), digits = 2)[2], "largest is [0-9]+\\.$")
  expect_output(print(summary(fit), digits = 3), "W = ")
})

test_that("tables of fits can be bound and converted", {
  fit <- kgroups(iris[1:4], 3)
  expect_identical(nrow(data.frame(as.data.frame(fit), iris)), 150L)
  expect_identical(nrow(as.data.frame(fit, stringsAsFactors = TRUE)), 150L)
})
