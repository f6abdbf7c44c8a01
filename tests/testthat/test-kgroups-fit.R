fit_of_iris <- function(...) {
  set.seed(1)
  kgroups(iris[1:4], 3, ...)
}

test_that("the fit has the components that it documents", {
  fit <- fit_of_iris()
  expect_s3_class(fit, "kgroups_fit", exact = TRUE)
  expect_true(all(c(
    "call", "cluster", "sizes", "within", "W", "count", "iterations", "k", "S", "total",
    "weights", "semimetric", "method", "init", "converged", "objectives", "best_start"
  ) %in% names(fit)))
  expect_identical(fit$call[1:3], quote(kgroups(x = iris[1:4], k = 3)))
  expect_identical(fit$k, 3L)
  expect_null(fit$weights)
  expect_equal(fit$W + fit$S, fit$total)
  expect_equal(sum(fit$within), fit$W)
  expect_identical(nobs(fit), 150L)
})

test_that("print, summary and as.data.frame show it", {
  set.seed(1)
  # a named start: the snapshot does not depend on the search
  fit <- fit_of_iris(init = "kmeans++", nstart = 4)
  expect_snapshot({
    print(fit)
    summary(fit)
    head(as.data.frame(fit), 3)
    fit_of_iris(weights = rep(1:3, 50), init = "random", nstart = 3)
    kgroups(as_gram(tcrossprod(as.matrix(iris[1:4]))), 2, init = rep(1:2, 75))
    kernel_kmeans(iris[1:4], 3, init = iris$Species, semimetric = rho_gaussian())
    energy_statistics(iris[1:4], iris$Species)
  })
  utils::capture.output(shown <- withVisible(print(fit)))
  expect_false(shown$visible)
  expect_identical(shown$value, fit)
  frame <- as.data.frame(fit)
  expect_identical(dim(frame), c(150L, 3L))
  expect_identical(frame$cluster, unname(fit$cluster))
})

test_that("fitted() gives the means of each observation's cluster, or labels, as of kmeans()", {
  set.seed(1)
  fit <- kgroups(iris[1:4], 3)
  expect_equal(fitted(fit), unname(fit$centers[fit$cluster, ]), ignore_attr = TRUE)
  expect_identical(dim(fitted(fit)), dim(stats::fitted(stats::kmeans(iris[1:4], 3))))
  expect_identical(fitted(fit, "classes"), fit$cluster)
  expect_error(fitted(fit, "means"), class = "kg_error_method")
  expect_error(fitted(kgroups(dist(iris[1:4]), 3)), "classes", class = "kg_error_method")
})

# Rousseeuw's width from the definition, with weights.
slow_silhouette <- function(P, cluster, w) {
  k <- max(cluster)
  vapply(seq_along(cluster), function(i) {
    mates <- setdiff(which(cluster == cluster[i] & w > 0), i)
    if (length(mates) == 0L) {
      return(0)
    }
    a <- sum(w[mates] * P[i, mates]) / sum(w[mates])
    b <- min(vapply(setdiff(seq_len(k), cluster[i]), function(l) {
      members <- cluster == l
      sum(w[members] * P[i, members]) / sum(w[members])
    }, 0))
    if (a == b) 0 else (b - a) / max(a, b)
  }, 0)
}

test_that("there is one silhouette, weighted, and it is that of the definition", {
  set.seed(1)
  x <- matrix(rnorm(80), 40)
  cluster <- rep(1:4, c(15, 14, 10, 1))
  for (w in list(rep(1, 40), sample(1:3, 40, TRUE), rexp(40))) {
    for (semimetric in list(rho_power(1), rho_power(2), rho_gaussian(1))) {
      P <- reference_rho(x, semimetric = semimetric)
      # one iteration may move points: the labels are those of the fit
      fit <- suppressWarnings(kgroups(x, 4, semimetric = semimetric, weights = w, init = cluster, iter.max = 1))
      right <- slow_silhouette(P, unname(fit$cluster), w)
      expect_equal(silhouette_widths(fit)$width, right)
      expect_equal(augment(fit)$.silhouette, right)
      expect_equal(mean_silhouette(as_problem(x, semimetric, w), unname(fit$cluster), 4L), sum(w * right) / sum(w))
      expect_equal(silhouette_figure(fit)$layers[[2]]$data$x, sum(w * right) / sum(w))
    }
  }
})

test_that("select_k() shows the mean of the widths of the same fit, whole weights as rows", {
  set.seed(2)
  x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 4), 30))
  w <- sample(1:3, 60, TRUE)
  choice <- select_k(x, 2:3, criterion = "silhouette", weights = w)
  fit <- kgroups(x, 2, weights = w)
  expect_equal(choice$table$silhouette[1], silhouette_figure(fit)$layers[[2]]$data$x)
  twice <- rep(1:60, w)
  expect_equal(
    mean_silhouette(as_problem(x, weights = w), unname(fit$cluster), 2L),
    mean_silhouette(as_problem(x[twice, ]), unname(fit$cluster)[twice], 2L),
    tolerance = 0.05
  )
})

test_that("fits of graphs show modularity and refuse distances", {
  fit <- kgroups(karate(), 2)
  modularity <- igraph::modularity(karate(), fit$cluster)
  expect_equal(fit$graph$modularity, modularity)
  expect_equal(glance(fit)$modularity, modularity)
  expect_named(glance(fit), c("clusters", "modularity", "W", "iterations", "converged", "nobs"))
  shown <- augment(fit)
  expect_false(any(c(".distance", ".next_distance", ".silhouette") %in% names(shown)))
  expect_identical(as.integer(shown$.cluster), unname(fit$cluster))
  expect_identical(predict(fit), fit$cluster)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  figures <- if (requireNamespace("ggplot2", quietly = TRUE)) {
    expression(ggplot2::autoplot(fit, type = "silhouette"), ggplot2::autoplot(fit, type = "dispersion"))
  }
  for (call in c(figures, expression(
    predict(fit, type = "distance"), predict(fit, type = "squared"), cluster::silhouette(fit),
    plot(fit, type = "silhouette"), plot(fit, type = "dispersion"), fit_dispersions(fit)
  ))) {
    expect_error(eval(call), "modularity", class = "kg_error_graph")
  }
  # the vertex with the most edges into its own group
  A <- as.matrix(igraph::as_adjacency_matrix(karate()))
  inside <- rowSums(A * outer(fit$cluster, fit$cluster, "=="))
  best <- vapply(1:2, function(l) which(fit$cluster == l)[which.max(inside[fit$cluster == l])], 0L)
  expect_identical(tidy(fit)$medoid, best)
  expect_snapshot(error = TRUE, {
    predict(fit, type = "distance")
    plot(fit, type = "dispersion")
    cluster::silhouette(fit)
  })
  expect_snapshot({
    fit
    glance(fit)
  })
})

test_that("silhouettes of equal observations in two clusters are 0 however they come", {
  set.seed(31)
  for (problem in 1:10) {
    x <- round(matrix(rnorm(16), 4), 1)[rep(1:4, c(5, 4, 4, 4)), ]
    labels <- c(1, 1, 1, 2, 2, rep(3:5, each = 4))
    G <- semimetric_matrix(x, semimetric = rho_power(0.7), x0 = colMeans(x), type = "gram")
    sparse <- methods::as(methods::as(Matrix::Matrix(unclass(G), sparse = TRUE), "generalMatrix"), "CsparseMatrix")
    for (input in list(G, sparse)) {
      fit <- suppressWarnings(suppressMessages(kgroups(input, 5, init = labels, iter.max = 1)))
      expect_identical(unname(augment(fit)$.silhouette[1:5]), numeric(5))
    }
  }
})

test_that("fits have the same fields whatever the input, and graph and landmark fits a class of their own", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  points <- kgroups(x, 3)
  for (fit in list(
    kgroups(dist(x), 3), kgroups(as_gram(tcrossprod(x)), 3), kgroups(x, 3, weights = rep(1:2, 75)),
    kgroups(x[, 1], 3),
    kgroups(x, 3, semimetric = rho_connected())
  )) {
    expect_identical(names(unclass(fit)), names(unclass(points)))
    expect_s3_class(fit, "kgroups_fit", exact = TRUE)
  }
  landmarks <- kgroups(x, 3, approx = nystroem(20))
  expect_s3_class(landmarks, c("kgroups_landmark_fit", "kgroups_fit"), exact = TRUE)
  expect_identical(names(unclass(landmarks)), c(names(unclass(points)), "approx", "W_exact"))
  graph <- kgroups(karate(), 2)
  expect_s3_class(graph, c("kgroups_graph_fit", "kgroups_fit"), exact = TRUE)
  expect_identical(names(unclass(graph)), c(names(unclass(points)), "graph"))
})

test_that("centers and size are those of kmeans(), and other components of other packages are NULL", {
  set.seed(1)
  w <- rep_len(1:3, 150)
  fit <- kgroups(iris[1:4], 3, weights = w)
  means <- t(
    sapply(1:3, function(l) sapply(iris[1:4], function(v) weighted.mean(v[fit$cluster == l], w[fit$cluster == l])))
  )
  expect_equal(fit$centers, `rownames<-`(means, 1:3))
  squared <- kgroups(iris[1:4], 3, semimetric = rho_power(2), init = rep(1:3, each = 50))
  km <- stats::kmeans(iris[1:4], squared$centers)
  # a column may have the name of a column of tidy()
  taken <- data.frame(size = rnorm(20), weight = rnorm(20), cluster = rnorm(20))
  expect_identical(colnames(kgroups(taken, 2)$centers), names(taken))
  expect_identical(colnames(kgroups_mixture(taken, 2)$centers), names(taken))
  expect_identical(anyDuplicated(names(tidy(kgroups(taken, 2)))), 0L)
  for (name in c("centers", "size")) {
    expect_equal(eval(call("$", squared, name)), km[[name]], ignore_attr = TRUE, info = name)
  }
  expect_equal(c(squared$W, squared$S, squared$total), c(km$tot.withinss, km$betweenss, km$totss))
  for (kind in names(every_fit())) {
    one <- every_fit()[[kind]]
    for (name in c("foo", "BIC", "withinss", "tot.withinss", "betweenss", "totss", "iter", "clus", "medoids")) expect_null(eval(call("$", one, name)), info = kind)
    expect_identical(one$size, as.vector(table(factor(one$cluster, seq_len(one$k)))), info = kind)
  }
  expect_null(kgroups(UScitiesD, 2)$centers)
  expect_equal(
    kgroups(iris[[1]], 2)$centers[, 1], as.vector(tapply(iris[[1]], kgroups(iris[[1]], 2)$cluster, mean)),
    ignore_attr = TRUE
  )
  expect_null(select_k(iris[1:4], 2:3, criterion = "pseudo_f")$withinss)
})

test_that("a data.table that changes in place after the fit does not change the fit", {
  skip_if_not_installed("data.table")
  set.seed(5)
  table <- data.table::data.table(a = rnorm(40), b = rnorm(40), g = sample(letters[1:3], 40, TRUE))
  for (call in expression(
    kgroups(table, 3), kgroups(~ a + b, 3, data = table), kgroups(table[, 1:2], 3, approx = nystroem(10))
  )) {
    fit <- eval(call)
    new <- as.data.frame(table)[1:9, ]
    before <- list(predict(fit, new), predict(fit, type = "squared"), augment(fit), tidy(fit))
    data.table::setorder(table, b)
    data.table::set(table, j = "a", value = rev(table$a))
    expect_identical(list(predict(fit, new), predict(fit, type = "squared"), augment(fit), tidy(fit)), before)
  }
})

test_that("print and summary contain weights and the distance; glance() marks an approximate W", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  weighted <- kgroups(x, 3, weights = rep(c(0, 1, 2), 50))
  expect_match(format(weighted), "Weights: total 150", fixed = TRUE, all = FALSE)
  expect_output(print(summary(weighted)), "Weights: total 150")
  expect_false(any(grepl("Weights", format(kgroups(x, 3)))))
  semimetric <- function(...) grep("Semimetric", format(kgroups(...)), value = TRUE)
  expect_identical(semimetric(x, 2), character())
  expect_identical(semimetric(x, 2, semimetric = rho_power(0.5)), "Semimetric: square root of the Euclidean distance")
  expect_identical(semimetric(dist(x), 2), "Semimetric: given dissimilarities")
  expect_identical(
    semimetric(dist(x), 2, semimetric = rho_power(0.5)), "Semimetric: square root of the given dissimilarities"
  )
  expect_identical(glance(kgroups(x, 3))$exact, TRUE)
  expect_identical(glance(kgroups(x, 3, approx = nystroem(10)))$exact, FALSE)
  expect_identical(glance(kgroups(x, 3, approx = nystroem(10, polish = TRUE)))$exact, TRUE)
})

test_that("labels and components of a fit are not replaced in silence", {
  set.seed(60)
  fit <- kgroups(faithful, 2)
  for (change in expression(
    fit$labels <- c("a", "b"), fit$cluster <- factor(fit$cluster), fit$cluster <- rev(fit$cluster),
    fit[["cluster"]] <- 1:2, fit[["names"]] <- 1, names(fit$cluster) <- "a", levels(fit$cluster) <- c("a", "b")
  )) {
    expect_error(eval(change), class = "kg_error_fit")
  }
  fit$call <- NULL
  expect_null(fit$call)
  expect_identical(predict(fit), fit$cluster)
  for (lacks in c("sizes", "iterations", "blueprint")) {
    saved <- structure(unclass(fit)[setdiff(names(fit), lacks)], class = class(fit))
    for (one in expression(print(saved), predict(saved), summary(saved), tidy(saved), relabel(saved))) {
      expect_error(eval(one), "another version", class = "kg_error_fit")
    }
  }
  of_mixture <- kgroups_mixture(faithful, 2)
  for (lacks in c("mixture", "method", "iterations")) {
    saved <- structure(unclass(of_mixture)[setdiff(names(of_mixture), lacks)], class = class(of_mixture))
    for (one in expression(print(saved), predict(saved, faithful))) {
      expect_error(eval(one), "another version", class = "kg_error_fit")
    }
  }
})

test_that("sizes are those of the labels: of rows of weight 0, without noise", {
  set.seed(1)
  for (fit in list(
    kgroups(iris[1:4], 3, trim = 0.06), kgroups(iris[1:4], 3, trim = "auto"), kgroups(dist(iris[1:4]), 2, trim = 0.1),
    kgroups(iris[1:4], 3, weights = rep(c(0, 1, 2), 50)), relabel(kgroups(iris[1:4], 3, trim = 0.06), 3:1),
    kgroups(karate(), 2)
  )) {
    sizes <- as.vector(table(fit$cluster[fit$cluster > 0]))
    expect_identical(fit$size, sizes)
    expect_identical(fit$sizes, sizes)
    expect_match(format(fit)[1L], paste(sizes, collapse = ", "), fixed = TRUE)
    expect_identical(tidy(fit)$size, sizes)
    expect_identical(unname(fit$cluster == 0L), unname(fit$noise) %||% logical(fit$n))
    if (!is.null(fit$noise)) {
      expect_identical(is.na(augment(fit)$.cluster), unname(fit$noise))
      expect_identical(predict(fit), fit$cluster)
      if (!is.null(fit$blueprint)) expect_identical(predict(fit, iris[1:4]), fit$cluster)
      expect_identical(sum(as.data.frame(fit)$cluster > 0), sum(sizes))
    }
  }
})

test_that("a partition has one W, whatever the way to it, the numbers of the clusters and the instruction set", {
  withr::local_options(kgroups.simd = "auto")
  x <- as.matrix(iris[1:4])
  for (set in setdiff(simd_names, "auto")) {
    options(kgroups.simd = set)
    if (inherits(try(use_simd(), silent = TRUE), "try-error")) next
    for (form in list(x, dist(x), as_gram(tcrossprod(x)))) {
      fits <- lapply(1:20, function(seed) seeded(kgroups(form, 3, init = if (seed %% 2) "random"), seed))
      key <- vapply(fits, function(fit) paste(fit$cluster, collapse = ""), "")
      W <- vapply(fits, function(fit) sprintf("%.17g", c(fit$W, fit$S, fit$within)), character(5))
      for (one in unique(key)) expect_length(unique(as.vector(W[1L, key == one])), 1L)
      for (one in unique(key)) expect_identical(nrow(unique(t(W[, key == one, drop = FALSE]))), 1L)
      again <- kgroups(form, 3, init = 4L - fits[[1L]]$cluster)
      expect_identical(again$W, fits[[match(paste(again$cluster, collapse = ""), key)]]$W)
      expect_identical(again$W, energy_statistics(form, again$cluster)$W)
    }
  }
})
