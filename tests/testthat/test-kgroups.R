# A random problem as matrix, dist and Gram matrix, with the matrix P of rho.
random_problem <- function(n, semimetric, kind = "unit") {
  x <- matrix(rnorm(2 * n), n)
  list(
    x = x, d = dist(x), P = reference_rho(x, semimetric = semimetric),
    w = random_weights(n, kind)
  )
}

test_that("no single move lowers W at the end", {
  set.seed(1)
  semimetrics <- test_semimetrics()
  worst <- 0
  for (trial in seq_len(repeats(200, 1000))) {
    n <- sample(4:14, 1)
    semimetric <- semimetrics[[1 + trial %% length(semimetrics)]]
    p <- random_problem(n, semimetric, c("unit", "integer", "real", "zero")[1 + trial %% 4])
    k <- sample(seq_len(min(4, sum(p$w > 0))), 1)
    init <- c("kmeans++", "random")[1 + trial %% 2]
    fit <- suppressWarnings(kgroups(p$x, k, semimetric = semimetric, weights = p$w, init = init))
    fall <- reference_best_fall(p$P, fit$cluster, p$w, k)
    worst <- max(worst, fall / (sum(p$w) * max(abs(p$P))))
    expect_equal(sum(tabulate(fit$cluster[p$w > 0], k) == 0), 0)
  }
  expect_lt(worst, 1e-9)
})

test_that("the search finds the optimum over all partitions for small n", {
  set.seed(2)
  for (trial in 1:40) {
    semimetric <- test_semimetrics()[[1 + trial %% 7]]
    p <- random_problem(sample(5:8, 1), semimetric, c("unit", "integer", "real")[1 + trial %% 3])
    k <- sample(2:3, 1)
    fit <- kgroups(p$x, k, semimetric = semimetric, weights = p$w)
    expect_equal(fit$W, reference_optimum(p$P, k, p$w), tolerance = 1e-10)
  }
})

test_that("the fit's figures follow the definitions on every kind of input", {
  set.seed(3)
  for (semimetric in test_semimetrics()) {
    for (kind in c("unit", "real", "zero")) {
      p <- random_problem(25, semimetric, kind)
      init <- rep(1:3, length.out = 25)
      init[which(p$w > 0)[1:3]] <- 1:3
      G <- semimetric_matrix(p$x, semimetric = semimetric, type = "gram")
      fits <- suppressWarnings(list(
        kgroups(p$x, 3, semimetric = semimetric, weights = p$w, init = init),
        kgroups(p$d, 3, semimetric = semimetric, weights = p$w, init = init),
        kgroups(G, 3, weights = p$w, init = init)
      ))
      for (fit in fits) {
        right <- reference_statistics(p$P, fit$cluster, p$w)
        size <- abs(right$W) + abs(right$S)
        expect_lt(abs(fit$W - right$W), 1e-10 * size)
        expect_lt(abs(fit$S - right$S), 1e-10 * size)
        expect_lt(abs(fit$total - right$total), 1e-10 * size)
        expect_equal(fit$within, right$within, tolerance = 1e-9)
        expect_identical(fit$cluster, fits[[1]]$cluster)
        expect_identical(fit$sizes, tabulate(fit$cluster, 3))
      }
    }
  }
})

test_that("points of weight 0 take no part, in every position", {
  set.seed(4)
  n <- 12
  x <- matrix(rnorm(2 * n), n)
  labels <- rep(1:3, length.out = n - 1)
  for (position in seq_len(n)) {
    w <- replace(rexp(n), position, 0)
    init <- append(labels, 1L, after = position - 1)
    fit <- kgroups(x, 3, weights = w, init = init)
    without <- kgroups(x[-position, ], 3, weights = w[-position], init = labels)
    expect_true(same_partition(fit$cluster[-position], without$cluster))
    expect_equal(fit$W, without$W)
    d2 <- reference_d2(reference_rho(x, semimetric = rho_power(1)), fit$cluster, w, 3)
    expect_identical(unname(fit$cluster[position]), which.min(d2[position, ]))
  }
})

test_that("k = number of positive weights leaves every such point alone", {
  set.seed(1)
  w <- c(1, 0, 2, 3, 0)
  fit <- kgroups(c(1, 2, 3, 4, 5), 3, weights = w, init = "kmeans++")
  expect_length(unique(fit$cluster[w > 0]), 3)
  expect_equal(fit$W, 0)
  expect_error(kgroups(1:5, 4, weights = w), class = "kg_error_k")
})

test_that("very uneven weights neither empty a cluster nor break the sums", {
  set.seed(5)
  for (trial in 1:30) {
    n <- 12
    x <- matrix(rnorm(2 * n), n)
    w <- 10^runif(n, -14, 14)
    fit <- kgroups(x, 3, weights = w, init = "random")
    expect_true(all(tabulate(fit$cluster, 3) > 0))
    P <- reference_rho(x, semimetric = rho_power(1))
    expect_equal(fit$W, reference_W(P, fit$cluster, w), tolerance = 1e-9)
  }
})

test_that("labels given are used: exactly one local search, and extra starts are random", {
  set.seed(6)
  x <- matrix(rnorm(60), 30)
  start <- kgroups(x, 3, init = "random")$cluster
  fit <- kgroups(x, 3, init = start)
  expect_identical(fit$cluster, start)
  expect_identical(fit$count, 0)
  expect_identical(fit$iterations, 1L)
  expect_named(fit$objectives, "labels")
  many <- kgroups(x, 3, init = letters[start], nstart = 4)
  expect_named(many$objectives, c("labels", "random", "random", "random"))
  expect_equal(min(many$objectives), many$W)
  expect_equal(many$objectives[[many$best_start]], many$W)
})

test_that("naming init gives nstart local searches, reported one by one", {
  x <- as.matrix(iris[1:4])
  for (init in c("kmeans++", "random", "spectral")) {
    set.seed(7)
    fit <- kgroups(x, 3, init = init, nstart = 3)
    expect_named(fit$objectives, rep(init, 3))
    expect_equal(min(fit$objectives), fit$W)
    expect_length(kgroups(x, 3, init = init)$objectives, 1)
  }
  set.seed(8)
  a <- kgroups(x, 3, init = "k-means++")
  set.seed(8)
  b <- kgroups(x, 3, init = "kmeans++")
  expect_identical(a$cluster, b$cluster)
  expect_identical(a$init, "kmeans++")
})

test_that("one start of many is what it is alone: first passes shared change nothing", {
  set.seed(9)
  x <- matrix(rnorm(200), 50)
  starts <- replicate(20, sample(rep(1:4, length.out = 50)))
  problem <- as_problem(x)
  together <- solve_starts(problem, new_control(4), starts, rep("a", 20))
  alone <- apply(starts, 2, function(s) {
    solve_starts(problem, new_control(4), matrix(s), "a")$objectives
  })
  expect_equal(unname(together$objectives), unname(alone), tolerance = 1e-13)
  expect_equal(sum(together$cost), min(alone), tolerance = 1e-12)
})

test_that("the same seed gives the same answer", {
  sparse <- withr::with_seed(1, Matrix::rsparsematrix(60, 60, 0.1, symmetric = TRUE))
  graph <- withr::with_seed(1, sample_sparse_sbm(120, 4, 3, 1.3))
  methods <- list(
    cluster_bethe_hessian, cluster_kgroups, cluster_belief_propagation, function(...) cluster_bethe_hessian(..., normalize = FALSE)
  )
  for (x in list(iris[1:4], dist(iris[1:4]), as_gram(tcrossprod(as.matrix(iris[1:4]))), sparse, graph)) {
    for (init in list(NULL, "kmeans++", "random", "spectral")) {
      ask <- function() seeded(quietly(kgroups(x, 4, init = init)), 10)
      expect_equal(ask()[-1], ask()[-1])
    }
  }
  for (method in methods) expect_identical(seeded(quietly(method(graph, 4))), seeded(quietly(method(graph, 4))))
})

test_that("a fit from given labels does not depend on names, x0 or the scale of weights", {
  set.seed(11)
  x <- matrix(rnorm(80), 40)
  w <- rexp(40)
  init <- rep(1:4, 10)
  base <- kgroups(x, 4, weights = w, init = init)
  expect_identical(kgroups(x, 4, weights = w, init = c("d", "c", "b", "a")[init])$cluster, base$cluster)
  scaled <- kgroups(x, 4, weights = 1e6 * w, init = init)
  expect_identical(scaled$cluster, base$cluster)
  expect_equal(scaled$W, 1e6 * base$W)
  for (x0 in list(c(0, 0), c(3, -2))) {
    expect_identical(
      kgroups(semimetric_matrix(x, x0 = x0, type = "gram"), 4, weights = w, init = init)$cluster, base$cluster
    )
  }
})

test_that("labels are numbered by first appearance and carry the names", {
  set.seed(1)
  x <- as.matrix(iris[1:4])
  rownames(x) <- paste0("flower", 1:150)
  fit <- kgroups(x, 3)
  expect_identical(unique(unname(fit$cluster)), 1:3)
  expect_type(fit$cluster, "integer")
  expect_named(fit$cluster, rownames(x))
  expect_named(kgroups(dist(x), 3)$cluster, rownames(x))
  expect_named(kgroups(semimetric_matrix(x, type = "gram"), 3)$cluster, rownames(x))
  expect_named(kgroups(c(a = 1, b = 2, c = 9), 2, init = "random")$cluster, c("a", "b", "c"))
  expect_null(names(kgroups(unname(x), 3)$cluster))
})

test_that("alpha = 2 does what Hartigan-Wong's kmeans does, and not worse", {
  set.seed(12)
  x <- as.matrix(iris[1:4])
  km <- kmeans(x, 4, nstart = 50)
  fit <- kgroups(x, 4, semimetric = rho_power(2))
  expect_lte(fit$W, km$tot.withinss * (1 + 1e-9))
  expect_equal(kgroups(x, 4, semimetric = rho_power(2), init = km$cluster)$W, km$tot.withinss)
})

test_that("kernlab's kernelMatrix is a Gram matrix", {
  set.seed(1)
  skip_if_not_installed("kernlab")
  x <- as.matrix(iris[1:4])
  K <- kernlab::kernelMatrix(kernlab::rbfdot(0.5), x)
  a <- kgroups(K, 3, init = iris$Species)
  b <- kgroups(as_gram(methods::as(K, "matrix")), 3, init = iris$Species)
  expect_identical(a$cluster, b$cluster)
  # rho_gaussian(1) = 2 - 2 exp(-d^2/2) is generated by this kernel, up to the factor
  c <- kgroups(x, 3, semimetric = rho_gaussian(1), init = iris$Species)
  expect_identical(unname(c$cluster), unname(a$cluster))
  expect_equal(c$W, a$W)
})

test_that("the best known optimum of the dermatology data is found", {
  d <- utils::read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
  x <- d[setdiff(names(d), "class")]
  x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
  x <- scale(x)
  for (seed in 1:5) {
    set.seed(seed)
    fit <- kgroups(x, 6, semimetric = rho_power(1 / 2))
    expect_equal(fit$W, 414.3205185, tolerance = 1e-9)
  }
  population <- x * sqrt(366 / 365)
  expect_equal(
    kgroups(population, 6, semimetric = rho_power(1 / 2), init = "spectral")$W, 414.6040085, tolerance = 1e-9
  )
  expect_gte(compare_clusters(d$class, fit$cluster, "accuracy"), .961)
  expect_gte(compare_clusters(d$class, fit$cluster), .935)
  expect_gte(compare_clusters(d$class, fit$cluster, "nmi"), .93)
})

test_that("a fit of many rows ends where no move helps", {
  set.seed(13)
  n <- 2600
  x <- matrix(rnorm(2 * n), n) + 6 * rep(1:4, length.out = n)
  fit <- kgroups(x, 4)
  expect_true(fit$converged)
  again <- kgroups(x, 4, init = fit$cluster)
  expect_identical(again$cluster, fit$cluster)
  expect_equal(again$W, fit$W, tolerance = 1e-12)
  expect_equal(energy_statistics(x, fit)$W, fit$W, tolerance = 1e-12)
  from_dist <- kgroups(dist(x), 4)
  expect_equal(from_dist$W, fit$W, tolerance = 1e-4)
  expect_length(unique(kgroups(x, 150)$cluster), 150)
})

test_that("Lloyd's method ends in its fixed points, which Hartigan's ends are", {
  set.seed(14)
  for (trial in 1:20) {
    x <- matrix(rnorm(80), 40)
    w <- random_weights(40, c("unit", "real")[1 + trial %% 2])
    lloyd <- kernel_kmeans(x, 3, weights = w, init = "random")
    expect_identical(lloyd$method, "lloyd")
    expect_true(lloyd$converged)
    P <- reference_rho(x, semimetric = rho_power(1))
    d2 <- reference_d2(P, lloyd$cluster, w, 3)
    expect_identical(max.col(-d2, "first"), unname(lloyd$cluster))
    expect_equal(lloyd$W, reference_W(P, lloyd$cluster, w))
    hartigan <- kgroups(x, 3, weights = w, init = lloyd$cluster)
    expect_lte(hartigan$W, lloyd$W + 1e-9)
    stays <- kernel_kmeans(x, 3, weights = w, init = hartigan$cluster)
    expect_identical(stays$cluster, hartigan$cluster)
  }
})

test_that("Lloyd's passes are those of the definition", {
  set.seed(15)
  for (trial in 1:10) {
    n <- 30
    x <- matrix(rnorm(2 * n), n)
    P <- reference_rho(x, semimetric = rho_power(1))
    start <- rep(1:3, 10)
    slow <- start
    repeat {
      d2 <- reference_d2(P, slow, k = 3)
      new <- max.col(-d2, "first")
      if (identical(new, slow)) break
      slow <- new
      if (length(unique(slow)) < 3) break
    }
    if (length(unique(slow)) < 3) next
    fit <- kernel_kmeans(x, 3, init = start)
    expect_true(same_partition(unname(fit$cluster), slow))
  }
})

test_that("Lloyd's method refills clusters that empty", {
  x <- c(0, 0.1, 0.2, 10, 10.1, 10.2, 5)
  for (seed in 1:20) {
    set.seed(seed)
    fit <- kernel_kmeans(x, 4, init = "random")
    expect_true(all(fit$sizes > 0))
  }
})

test_that("Lloyd's method stops and reports it when W rises", {
  set.seed(16)
  rose <- FALSE
  for (trial in seq_len(repeats(20, 60))) {
    G <- matrix(rnorm(100), 10)
    G <- as_gram(G + t(G))
    warned <- FALSE
    fit <- withCallingHandlers(
      kernel_kmeans(G, 3, init = "random"),
      kg_warning_rose = function(c) {
        warned <<- TRUE
        invokeRestart("muffleWarning")
      },
      warning = function(c) invokeRestart("muffleWarning")
    )
    expect_true(all(fit$sizes > 0))
    if (warned) expect_false(fit$converged)
    rose <- rose || warned
  }
  expect_true(rose)
})

test_that("a local search cut short reports it", {
  set.seed(17)
  x <- matrix(rnorm(400), 200)
  expect_snapshot(fit <- kgroups(x, 5, init = rep(1:5, 40), iter.max = 1))
  expect_false(fit$converged)
  expect_identical(fit$iterations, 1L)
})

test_that("edges: k = 1, k = n, equal points, few distinct points", {
  set.seed(1)
  x <- matrix(rnorm(20), 10)
  P <- reference_rho(x, semimetric = rho_power(1))
  one <- kgroups(x, 1)
  expect_equal(one$W, reference_W(P, rep(1, 10)))
  expect_identical(one$S, 0)
  expect_identical(one$total, one$W)
  all <- kgroups(x, 10)
  expect_equal(all$W, 0)
  expect_identical(unname(all$cluster), 1:10)
  equal <- kgroups(matrix(3, 8, 2), 3)
  expect_identical(equal$W, 0)
  expect_true(all(equal$sizes > 0))
  few <- kgroups(rep(c(1, 5), each = 5), 4, init = "kmeans++")
  expect_true(all(few$sizes > 0))
  expect_lt(few$W, 1e-12)
  single <- kgroups(matrix(1:3, 1), 1)
  expect_identical(single$W, 0)
  pair <- kgroups(rbind(0, 1), 2)
  expect_identical(pair$sizes, c(1L, 1L))
  for (init in c("kmeans++", "random", "spectral")) {
    expect_true(all(kgroups(matrix(3, 8, 2), 3, init = init)$sizes > 0))
  }
  expect_true(all(kernel_kmeans(matrix(3, 8, 2), 3)$sizes > 0))
})

test_that("values of 1e200 and 1e-200 work as far as W can be represented", {
  set.seed(18)
  x <- matrix(rnorm(40), 20)
  init <- rep(1:2, 10)
  base <- kgroups(x, 2, init = init)
  for (unit in c(1e200, 1e-200, 1e-300)) {
    fit <- kgroups(x * unit, 2, init = init)
    expect_identical(fit$cluster, base$cluster)
    expect_equal(fit$W / unit, base$W, tolerance = 1e-12)
    expect_equal(predict(fit, x * unit, type = "squared") / unit, predict(base, x, type = "squared"))
    from_dist <- kgroups(dist(x) * unit, 2, init = init)
    expect_equal(from_dist$W / unit, base$W, tolerance = 1e-12)
    half <- kgroups(x * unit, 2, semimetric = rho_power(0.5), init = init)
    expect_equal(half$W / sqrt(unit), kgroups(x, 2, semimetric = rho_power(0.5), init = init)$W)
    expect_equal(
      kgroups(x * unit, 2, semimetric = rho_gaussian(2 * unit), init = init)$W,
      kgroups(x, 2, semimetric = rho_gaussian(2), init = init)$W
    )
    expect_equal(
      kgroups(x * unit, 2, semimetric = rho_exponential(), init = init)$semimetric$parameter,
      unit * median(as.matrix(dist(x)))
    )
  }
  expect_error(kgroups(x * 1e200, 2, semimetric = rho_power(2)), class = "kg_error_range")
  expect_error(kgroups(x * 1e-200, 2, semimetric = rho_power(2)), class = "kg_error_range")
  expect_error(energy_statistics(x * 1e200, init, rho_power(2)), class = "kg_error_range")
  gram <- kgroups(as_gram(tcrossprod(x) * 1e200), 2, init = init)
  expect_equal(gram$W / 1e200, kgroups(as_gram(tcrossprod(x)), 2, init = init)$W)
  heavy <- kgroups(x, 2, weights = rep(1e300, 20), init = init)
  expect_equal(heavy$W / 1e300, base$W)
})

test_that("indefinite input is warned about once and still served", {
  set.seed(20)
  d <- dist(matrix(rnorm(60), 20), method = "maximum")
  d[1:5] <- 10
  warnings <- 0
  fit <- withCallingHandlers(
    kgroups(d, 3, init = rep(1:3, length.out = 20)),
    kg_warning_negative_type = function(c) {
      warnings <<- warnings + 1
      invokeRestart("muffleWarning")
    }
  )
  expect_identical(warnings, 1)
  expect_equal(reference_best_fall(as.matrix(d), fit$cluster), 0, tolerance = 1e-9)
})

test_that("memory is estimated first, and the refusal names the figure and the way out", {
  withr::local_options(kgroups.memory = 1e5)
  expect_snapshot(kgroups(matrix(0, 3000, 2), 20), error = TRUE)
  expect_error(kgroups(matrix(0, 3000, 2), 20), class = "kg_error_memory")
  expect_error(semimetric_matrix(matrix(0, 3000, 2)), class = "kg_error_memory")
  withr::local_options(kgroups.memory = Inf)
  expect_length(semimetric_matrix(matrix(0, 300, 2)), 9e4)
})
