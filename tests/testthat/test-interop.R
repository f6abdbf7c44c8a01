test_that("silhouette widths are those of cluster, for every kind of input", {
  skip_if_not_installed("cluster")
  set.seed(1)
  x <- as.matrix(iris[1:4])
  for (semimetric in list(rho_power(1), rho_power(0.5), rho_gaussian(2))) {
    fit <- kgroups(x, 3, semimetric = semimetric)
    P <- semimetric_matrix(x, semimetric = semimetric)
    expected <- cluster::silhouette(unname(fit$cluster), stats::as.dist(P))
    found <- cluster::silhouette(fit)
    expect_s3_class(found, "silhouette")
    expect_equal(found[, "sil_width"], expected[, "sil_width"], ignore_attr = TRUE)
    expect_equal(found[, "neighbor"], expected[, "neighbor"], ignore_attr = TRUE)
  }
  fit <- kgroups(dist(x), 4)
  expect_equal(
    cluster::silhouette(fit)[, 3], cluster::silhouette(unname(fit$cluster), dist(x))[, 3],
    ignore_attr = TRUE
  )
  gram <- kgroups(semimetric_matrix(x, type = "gram"), 4, init = fit$cluster)
  expect_equal(cluster::silhouette(gram)[, 3], cluster::silhouette(fit)[, 3], ignore_attr = TRUE)
  expect_output(print(summary(cluster::silhouette(fit))), "Silhouette of 150 units")
  expect_identical(cluster::silhouette(kgroups(x, 1)), NA)
})

test_that("silhouettes respect weights as replications, and singletons get 0", {
  set.seed(4)
  x <- matrix(rnorm(40), 20)
  w <- sample(3, 20, replace = TRUE)
  labels <- rep(1:2, 10)
  fit <- kgroups(x, 2, weights = w, init = labels)
  many <- rep(seq_len(20), w)
  replicated <- kgroups(x[many, ], 2, init = fit$cluster[many])
  expect_identical(unname(replicated$cluster), unname(fit$cluster[many]))
  # a copy of the point itself lies at 0 in its own cluster, so a differs: compare b
  expect_equal(
    silhouette_widths(fit)$neighbor[many], silhouette_widths(replicated)$neighbor
  )
  geometry <- fit_geometry(fit)
  expect_equal(geometry$mean[many, ], fit_geometry(replicated)$mean)
  lonely <- kgroups(c(0, 1, 100), 2, init = c(1, 1, 2))
  expect_identical(silhouette_widths(lonely)$width[3], 0)
})

test_that("medoids and dispersions follow the definitions", {
  set.seed(5)
  x <- matrix(rnorm(60), 20)
  w <- rexp(20)
  fit <- kgroups(x, 3, weights = w, init = rep_len(1:3, 20))
  P <- as.matrix(dist(x))
  expected <- reference_statistics(P, unname(fit$cluster), w)
  expect_equal(fit_dispersions(fit), expected$g, ignore_attr = TRUE)
  expect_identical(
    medoids(fit),
    vapply(1:3, function(l) {
      inside <- which(fit$cluster == l)
      inside[which.min(P[inside, inside] %*% w[inside])]
    }, 0L)
  )
})

test_that("clusGap and daisy work with kgroups", {
  skip_if_not_installed("cluster")
  set.seed(1)
  gap <- cluster::clusGap(as.matrix(iris[1:4]), FUNcluster = kgroups, K.max = 3, B = 3, verbose = FALSE)
  expect_s3_class(gap, "clusGap")
  flowers <- cluster::daisy(iris, metric = "gower")
  fit <- kgroups(flowers, 3)
  expect_identical(compare_clusters(iris$Species, fit$cluster, "accuracy"), 1)
})

test_that("clue takes a fit for a hard partition", {
  skip_if_not_installed("clue")
  set.seed(1)
  odd <- seq(1, 150, by = 2)
  fits <- lapply(2:4, function(k) kgroups(iris[odd, 1:4], k))
  expect_true(clue::is.cl_partition(fits[[1]]))
  expect_true(clue::is.cl_hard_partition(fits[[1]]))
  ensemble <- clue::cl_ensemble(list = fits)
  agreement <- as.matrix(clue::cl_agreement(ensemble, method = "cRand"))
  expect_equal(agreement[1, 2], compare_clusters(fits[[1]], fits[[2]]))
  expect_identical(clue::n_of_classes(fits[[2]]), 3L)
  expect_equal(as.vector(clue::cl_class_ids(fits[[2]])), unname(fits[[2]]$cluster))
  new <- iris[-odd, 1:4]
  expect_equal(
    as.vector(clue::cl_predict(fits[[2]], new)), unname(predict(fits[[2]], new))
  )
  memberships <- clue::cl_predict(fits[[2]], new, type = "memberships")
  expect_equal(max.col(unclass(memberships)), unname(predict(fits[[2]], new)))
  expect_equal(
    unclass(clue::cl_membership(fits[[2]])), diag(3)[fits[[2]]$cluster, ],
    ignore_attr = TRUE
  )
  consensus <- clue::cl_consensus(ensemble, method = "HE", control = list(k = 3))
  expect_true(clue::is.cl_partition(consensus))
})

test_that("the next function takes the object of the last", {
  set.seed(1)
  x <- iris[1:4]
  choice <- suppressWarnings(select_k(x, 1:4, criterion = "elbow"))
  expect_identical(seeded(kgroups(x, choice))$cluster, seeded(kgroups(x, choice$k))$cluster)
  graph <- karate()
  chosen <- suppressWarnings(select_k(graph, 2:3))
  expect_identical(kgroups(graph, chosen)$k, chosen$k)
  fit <- kgroups(x, 3, weights = rep(1:2, 75), semimetric = rho_power(1.5))
  expect_equal(kgroups_tree(fit)$W, kgroups_tree(x, weights = rep(1:2, 75), semimetric = rho_power(1.5))$W)
  expect_equal(kgroups_tree(kgroups(dist(x), 3))$W, kgroups_tree(x)$W)
  expect_error(kgroups_tree(kgroups(graph, 2)), class = "kg_error_x")
  expect_s3_class(cluster_test(fit), "kgroups_cluster_test")
  expect_equal(describe_clusters(fit)$table, describe_clusters(fit, x)$table)
  expect_error(describe_clusters(kgroups(dist(x), 3)), class = "kg_error_data")
  expect_error(describe_clusters(fit$cluster), class = "kg_error_data")
  table <- compare_clusters(iris$Species, list(a = fit, b = stats::kmeans(x, 3)))
  expect_identical(table$partition, c("a", "b"))
  skip_if_not_installed("knitr")
  for (result in every_result()) expect_s3_class(knitr::kable(as.data.frame(result)), "knitr_kable")
  expect_s3_class(knitr::kable(describe_clusters(fit)), "knitr_kable")
})

test_that("igraph takes a graph fit: membership, sizes, modularity", {
  fit <- every_fit()$graph
  expect_equal(as.vector(igraph::membership(fit)), unname(fit$cluster))
  expect_equal(as.vector(igraph::sizes(fit)), fit$sizes)
  expect_identical(igraph::modularity(fit), fit$graph$modularity)
  expect_equal(as.vector(igraph::membership(cluster_kgroups(fit))), unname(fit$cluster))
})

test_that("an S4 class that holds a matrix is a matrix", {
  set.seed(1)
  methods::setClass("kg_counts", contains = "matrix", slots = c(rows = "logical"), where = globalenv())
  keep <- function(x, i, j, ..., drop = TRUE) methods::new(
    "kg_counts", methods::as(x, "matrix")[i, j, drop = FALSE], rows = TRUE
  )
  methods::setMethod("[", "kg_counts", keep, where = globalenv())
  withr::defer(methods::removeClass("kg_counts", where = globalenv()))
  plain <- as.matrix(iris[1:4])
  counts <- methods::new("kg_counts", plain, rows = TRUE)
  expect_silent(fit <- kgroups(counts, 3))
  expect_identical(fit$cluster, kgroups(plain, 3)$cluster)
  expect_silent(for (result in list(
    predict(fit, counts), tidy(fit), augment(fit), kgroups_tree(counts), describe_clusters(fit)
  )) result)
  expect_equal(semimetric_matrix(counts), semimetric_matrix(plain))
})

test_that("print() of a fit keeps to the width of the console", {
  withr::local_options(width = 60)
  for (fit in every_fit()) expect_lte(max(nchar(utils::capture.output(print(fit)))), 60)
})
