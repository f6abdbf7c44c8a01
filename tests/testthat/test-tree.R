cuts_of <- function(tree) lapply(seq_len(min(12, length(tree$W))), function(k) predict(tree, k))

test_that("W of every cut is that of its labels, for every store and with weights", {
  set.seed(1)
  x <- matrix(rnorm(80), 40)
  w <- sample(0:3, 40, TRUE)
  G <- semimetric_matrix(x, type = "gram")
  mixed <- data.frame(a = x[, 1], b = rep(c("u", "v", "w", NA), 10))
  forms <- list(
    list(x), list(x, weights = w), list(dist(x)), list(G), list(x, semimetric = rho_gaussian(1)),
    list(x, semimetric = rho_connected()),
    list(mixed), list(x, m = 12), list(dist(x), m = 12, weights = w), list(x, m = 9, semimetric = rho_power(1.5))
  )
  for (form in forms) {
    tree <- suppressMessages(do.call(kgroups_tree, form))
    plain <- form[setdiff(seq_along(form), which(names(form) == "m"))]
    W <- vapply(cuts_of(tree), function(cut) {
      suppressMessages(do.call(energy_statistics, c(plain[1], list(cluster = cut), plain[-1])))$W
    }, 0)
    expect_equal(tree$W[seq_along(W)], W, tolerance = 1e-10)
    expect_equal(tree$height, rev(-diff(tree$W)) * 2, tolerance = 1e-10)
    expect_false(is.unsorted(tree$height + 1e-12 * seq_along(tree$height)))
  }
})

test_that("a tree of all observations is that of ward.D, with weights as the sizes of its members", {
  set.seed(2)
  for (n in c(2, 3, 7, 30, 61)) {
    x <- matrix(rnorm(2 * n), n)
    for (w in list(rep(1, n), runif(n, 0.1, 3))) {
      theirs <- hclust(as.dist(outer(w, w) / outer(w, w, "+") * 2 * unname(as.matrix(dist(x)))), "ward.D", members = w)
      ours <- kgroups_tree(x, weights = if (w[1] != 1) w)
      expect_equal(ours$height, theirs$height)
      expect_identical(ours$merge, theirs$merge)
      expect_identical(ours$order, theirs$order)
      k <- min(4, n)
      expect_identical(cutree(ours, k), cutree(theirs, k))
      expect_equal(cophenetic(ours), cophenetic(theirs), ignore_attr = TRUE)
    }
  }
})

test_that("a tree of equal and of equidistant observations is whole, and its heights never fall", {
  for (x in list(rep(1, 9), rep(1:3, 4), as.dist(1 - diag(6)))) {
    tree <- kgroups_tree(x)
    m <- length(tree$order)
    expect_setequal(as.vector(tree$merge), c(-seq_len(m), seq_len(m - 2)))
    expect_setequal(tree$order, seq_len(m))
    expect_false(is.unsorted(tree$height))
  }
})

test_that("landmarks: W of the cuts is that of their features", {
  set.seed(3)
  x <- matrix(rnorm(1200), 300)
  tree <- kgroups_tree(x, m = 20, approx = nystroem(40))
  expect_length(predict(tree, 3), 300)
  problem <- selection_problem(x, rho_power(1), NULL, new_control(approx = nystroem(40)), NULL)
  labels <- sample(4L, 300, TRUE)
  found <- feature_statistics(problem, labels, 4)
  z <- t(take_features(problem$store$z, 300, 1:300, doubles = TRUE))
  right <- energy_statistics(z, labels, rho_power(2))
  expect_equal(found$W, right$W)
  expect_equal(found$g, right$g, ignore_attr = TRUE)
})

test_that("a cut is a start, and all cuts are compared at once", {
  set.seed(4)
  x <- three_groups(20, 6)
  tree <- kgroups_tree(x)
  fit <- kgroups(x, 3, init = tree)
  expect_lte(fit$W, tree$W[3] * (1 + 1e-12))
  choice <- select_k(tree)
  expect_identical(choice$k, 3L)
  expect_identical(choice$cluster, predict(tree, 3))
  expect_output(print(choice), "k = 3 by elbow ratio of W")
  expect_identical(predict(kgroups_tree(x, m = 15), 1), rep(1L, 60))
})

test_that("observations of weight 0 follow the nearest leaf, names stay", {
  set.seed(5)
  x <- three_groups(8, 6)
  rownames(x) <- paste0("r", 1:24)
  w <- rep(c(1, 0), 12)
  tree <- kgroups_tree(x, weights = w)
  expect_named(predict(tree, 3), rownames(x))
  expect_equal(compare_clusters(rep(1:3, each = 8), predict(tree, 3)), 1)
})

test_that("it prints and plots, and wrong input is a classed error", {
  set.seed(6)
  x <- three_groups(10, 6)
  tree <- kgroups_tree(x)
  expect_snapshot(tree)
  withr::local_pdf(NULL)
  expect_invisible(plot(tree, top = 6))
  expect_invisible(plot(tree, top = Inf))
  plot(as.hclust(tree))
  expect_no_error(rect.hclust(tree, 3))
  top <- top_of_tree(tree, 6)
  expect_identical(sum(as.integer(top$labels)), 30L)
  expect_equal(cutree(top, 3)[cutree(tree, 6)], cutree(tree, 3), ignore_attr = TRUE)
  expect_snapshot(error = TRUE, {
    kgroups_tree(x, m = 1)
    kgroups_tree(x, m = 31)
    kgroups_tree(igraph::make_ring(5))
    kgroups_tree(x[1, , drop = FALSE])
    kgroups_tree(x, k = 3)
    predict(tree, 31)
    plot(tree, top = 1)
    select_k(tree, 40)
  })
})

test_that("autoplot() draws the merges of the tree", {
  skip_if_not_installed("ggplot2")
  set.seed(7)
  tree <- kgroups_tree(three_groups(10, 6))
  for (top in list(6, Inf)) {
    figure <- ggplot2::autoplot(tree, top = top, horizontal = FALSE, k = 3)
    drawn <- do.call(
      rbind, lapply(1:2, function(i) ggplot2::layer_data(figure, i)[c("x", "y", "xend", "yend", "colour")])
    )
    expect_length(setdiff(drawn$colour, "grey30"), 3)
    merges <- if (is.finite(top)) top - 1 else 29
    expect_identical(nrow(drawn), as.integer(3 * merges))
    expect_equal(sort(unique(drawn$yend)), sort(unique(utils::tail(tree$height, merges) / 2)))
    # the segments of a merge begin at the height of what they join
    level <- drawn[drawn$y == drawn$yend, ]
    expect_true(all(drawn$y[drawn$y > 0 & drawn$y < drawn$yend] %in% (tree$height / 2)))
    expect_true(all(level$x < level$xend))
    # lying, the axes change places and the first leaf stands on top
    for (down in c(TRUE, FALSE)) {
      bare <- as_figure(tree, top = top, horizontal = down, labels = FALSE)
      named <- as_figure(tree, top = top, horizontal = down)
      expect_length(bare[[if (down) "y" else "x"]]$labels, 0)
      expect_identical(bare$layers, named$layers)
      expect_identical(bare[[if (down) "x" else "y"]], named[[if (down) "x" else "y"]])
    }
    lying <- as_figure(tree, top = top, horizontal = TRUE, k = 3)
    lying <- do.call(rbind, lapply(lying$layers, function(layer) layer$data[c("x", "y", "xend", "yend")]))
    ends <- merges + 1
    expect_equal(sort(ends + 1 - lying$y), sort(drawn$x))
    expect_equal(sort(lying$xend), sort(drawn$yend))
  }
  expect_error(plot(tree, k = 40), class = "kg_error_k")
  expect_s3_class(stats::as.hclust(tree), "hclust", exact = TRUE)
  expect_identical(stats::cutree(stats::as.hclust(tree), 4), stats::cutree(tree, 4))
  expect_error(ggplot2::autoplot(tree, top = 1), class = "kg_error_top")
})

test_that("dendextend accepts a tree", {
  skip_if_not_installed("dendextend")
  tree <- kgroups_tree(iris[1:4])
  dendrogram <- stats::as.dendrogram(tree)
  expect_equal(
    unname(dendextend::cutree(dendrogram, k = 3, order_clusters_as_data = TRUE)), unname(stats::cutree(tree, 3)),
    ignore_attr = TRUE
  )
})

test_that("leaves that stand for several observations are named so", {
  tree <- withr::with_seed(1, kgroups_tree(as.matrix(faithful), m = 20))
  expect_identical(names(stats::cutree(tree, 3))[c(1, 20)], c("micro-cluster 1", "micro-cluster 20"))
  expect_length(predict(tree, 3), nrow(faithful))
})

test_that("a tree of a fit has its observations, weights, semimetric and metric", {
  set.seed(5)
  w <- rep(0:2, 50)
  learned <- kgroups(iris[1:4], 3, standardize = "within", weights = w)
  points <- as_points(iris[1:4], like = learned$blueprint)
  fits <- list(
    kgroups(iris[1:4], 3, semimetric = rho_gaussian(), weights = w), learned, kgroups(dist(iris[1:4]), 3),
    kgroups(iris[1:4], 3, semimetric = rho_connected())
  )
  forms <- list(
    list(iris[1:4], semimetric = fits[[1]]$semimetric, weights = w), list(points, weights = w), list(dist(iris[1:4])),
    list(iris[1:4], semimetric = rho_connected())
  )
  for (i in seq_along(fits)) {
    tree <- kgroups_tree(fits[[i]])
    same <- do.call(kgroups_tree, forms[[i]])
    expect_equal(tree$W, same$W)
    expect_identical(predict(tree, 3), predict(same, 3))
  }
  expect_equal(energy_statistics(points, predict(kgroups_tree(learned), 3), weights = w)$W, kgroups_tree(learned)$W[3])
  expect_length(predict(kgroups_tree(learned, m = 20, approx = nystroem(40)), 3), 150)
  expect_error(kgroups_tree(learned, weights = w), class = "kg_error_x")
  expect_error(kgroups_tree(learned, standardize = TRUE), class = "kg_error_x")
  expect_error(kgroups_tree(kgroups(iris[1:4], 3, keep.data = FALSE)), class = "kg_error_keep")
  expect_error(kgroups_tree(iris[1:4], standardize = "within"), "kgroups_tree\\(fit\\)", class = "kg_error_standardize")
  expect_error(
    energy_statistics(iris[1:4], iris$Species, standardize = "within"), "like = fit", class = "kg_error_standardize"
  )
})

test_that("a plot of a tree without labels is drawn; arguments of plot.hclust() are refused", {
  tree <- kgroups_tree(iris[1:4])
  expect_drawn(as_figure(tree, labels = FALSE))
  expect_error(plot(tree, hang = -1), class = "kg_error_dots")
  expect_error(plot(tree, labels = 3), class = "kg_error_labels")
  expect_error(plot(kgroups(iris[1:4], 3), legend = FALSE), class = "kg_error_dots")
})

test_that("a tree of equal rows is drawn, and a number of clusters left out is a condition of its class", {
  tree <- kgroups_tree(matrix(1, 5, 2))
  expect_drawn(as_figure(tree))
  expect_error(predict(tree), class = "kg_error_k")
})
