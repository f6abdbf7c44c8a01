every <- c("elbow", "pseudo_f", "silhouette", "stability")
quiet <- function(expr) suppressMessages(expr, classes = "kg_message_one_cluster")

test_that("criteria of the fits themselves agree with slow references", {
  set.seed(1)
  x <- three_groups(12, 6)
  for (semimetric in list(rho_power(1), rho_gaussian(2), rho_exponential(1))) {
    out <- quiet(select_k(x, 2:3, c("elbow", "pseudo_f", "silhouette"), semimetric))
    P <- reference_rho(x, semimetric = semimetric)
    fits <- lapply(1:4, function(k) kgroups(x, k, semimetric = semimetric, init = "random", nstart = 100))
    W <- vapply(fits, function(fit) fit$W, 0)
    clusters <- lapply(fits, function(fit) fit$cluster)
    expect_equal(out$table$W, W[2:3])
    expect_equal(out$table$elbow, (W[1:2] - W[2:3]) / (W[2:3] - W[3:4]))
    total <- sum(P) / 72
    expect_equal(out$table$pseudo_f, (total - W[2:3]) / (1:2) / (W[2:3] / (36 - 2:3)))
    expect_equal(out$table$silhouette, vapply(clusters[2:3], function(cl) reference_silhouette(P, cl), 0))
    expect_identical(out$k, out$table$k[which.max(out$table$elbow)])
    expect_equal(out$cluster, clusters[[out$k]])
  }
})

test_that("weights count in silhouette, pseudo-F and elbow ratio", {
  set.seed(3)
  x <- three_groups(8, 4)
  w <- sample(3, 24, replace = TRUE)
  P <- reference_rho(x, semimetric = rho_power(1))
  problem <- as_problem(x, weights = w)
  cluster <- rep(1:3, each = 8)
  expect_equal(mean_silhouette(problem, cluster, 3), reference_silhouette(P, cluster, w))
  many <- rep(1:24, w)
  a <- quiet(select_k(x, 2:4, c("elbow", "pseudo_f"), rho_gaussian(2), w))
  b <- quiet(select_k(x[many, ], 2:4, c("elbow", "pseudo_f"), rho_gaussian(2)))
  expect_equal(a$table, b$table)
})

test_that("observations of weight 0 take no part", {
  set.seed(4)
  x <- three_groups(10)
  far <- rbind(x, matrix(1e3, 5, 2))
  w <- rep(1:0, c(30, 5))
  set.seed(5)
  a <- quiet(select_k(x, 1:4, every, splits = 3))
  set.seed(5)
  b <- quiet(select_k(far, 1:4, every, weights = w, splits = 3))
  expect_equal(a$table, b$table)
  expect_identical(b$cluster[1:30], a$cluster)
  expect_identical(b$cluster, kgroups(far, b$k, weights = w)$cluster)
})

test_that("stability is the adjusted Rand index of two extended halves", {
  set.seed(6)
  x <- three_groups(8, 2.5)
  problem <- cache_pairs(as_problem(x))
  P <- reference_rho(x, semimetric = rho_power(1))
  for (half in draw_halves(problem, 6)) {
    other <- half[[2]]
    expect_identical(lengths(half), c(12L, 12L))
    expect_identical(sort(unlist(half)), 1:24)
    expect_false(is.unsorted(half[[1]], strictly = TRUE))
    found <- compare_halves(half, problem, 2:3, 1:4)
    for (k in 2:3) {
      labels <- lapply(half, function(rows) {
        reference_extend(P, rows, unname(kgroups(x[rows, ], k, init = "random", nstart = 100)$cluster), k)
      })
      expect_equal(found$agreement[k - 1], compare_clusters(labels[[1]], labels[[2]]))
    }
    expect_equal(found$W[2, ], vapply(1:4, function(k) kgroups(x[other, ], k, init = "random", nstart = 100)$W, 0))
  }
})

test_that("halves and bootstrap samples of landmark features are bounded and disjoint", {
  n <- 10501
  x <- withr::with_seed(1, matrix(rnorm(2 * n, rep(c(0, 5), c(2000, 2 * n - 2000))), n))
  control <- selection_control(list(approx = nystroem(8), threads = 1), NULL)
  halves <- draw_halves(selection_problem(x, rho_power(1), NULL, control, NULL), 1)[[1]]
  expect_identical(lengths(halves), rep(1000L, 2))
  expect_identical(anyDuplicated(unlist(halves)), 0L)
  set.seed(2)
  out <- select_k(x, 2:3, "stability", approx = nystroem(8), splits = 2)
  expect_identical(out$k, 2L)
  expect_identical(out$rows, 5000L)
  expect_length(out$cluster, n)
  sure <- stability(kgroups(x, 2, approx = nystroem(8)))
  expect_length(sure$observations, n)
  expect_gt(min(sure$clusters$jaccard), 0.9)
})

test_that("a sample gives the criteria and clusters of its rows; the others have the nearest mean", {
  set.seed(30)
  x <- three_groups(40, 5)
  rownames(x) <- paste0("r", seq_len(120))
  w <- rep(c(1, 0, 1), 40)
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"))) {
    set.seed(31)
    out <- select_k(data, 1:3, c("elbow", "stability"), weights = w, rows = 60, splits = 2)
    inside <- which(w > 0)
    set.seed(31)
    rows <- inside[draw_rows(seq_along(inside), 60L)]
    expect_identical(out$rows, 60L)
    expect_equal(out$table$W, vapply(1:3, function(k) kgroups(x[rows, ], k)$W, 0))
    P <- reference_rho(x, semimetric = rho_power(1))
    labels <- reference_extend(P, rows, unname(kgroups(x[rows, ], 3)$cluster), 3)
    expect_identical(names(out$cluster), rownames(x))
    expect_equal(compare_clusters(labels, out$cluster), 1)
  }
  few <- quiet(select_k(x, c(2, 5), "stability", rows = 10, splits = 2))
  expect_identical(few$rows, 100L)
  sized <- quiet(select_k(x, 2:3, "stability", sizes = "equal", rows = 30, splits = 2))
  expect_lte(diff(range(table(sized$cluster))), 1)
  expect_identical(select_k(x, 2:3, "pseudo_f", rows = Inf)$rows, 120L)
  expect_match(format(few), "compared on a sample of 100", all = FALSE)
})

test_that("a small sparse Gram matrix is compared as the dense one", {
  set.seed(33)
  G <- exp(-as.matrix(dist(three_groups(20, 4)))^2 / 4)
  G[G < 1e-4] <- 0
  S <- Matrix::Matrix(G, sparse = TRUE)
  choose <- function(G) withr::with_seed(34, select_k(G, 1:4, one_cluster = FALSE, splits = 2))
  expect_equal(choose(S)$table, choose(as_gram(G))$table)
})

test_that("fits of halves attain the W of the search, or nearly", {
  set.seed(32)
  x <- three_groups(60, 3)
  problem <- cache_pairs(as_problem(x))
  last <- NULL
  W <- vapply(1:6, function(k) true_W(problem, last <<- quick_fit(problem, k, last = last)), 0)
  expect_equal(W, vapply(1:6, function(k) kgroups(x, k)$W, 0), tolerance = 0.01)
  skipped <- quick_fit(problem, 5, last = quick_fit(problem, 2))
  expect_equal(true_W(problem, skipped), W[5], tolerance = 0.01)
})

test_that("means, standard errors and choices of the halves are those of the splits", {
  set.seed(7)
  x <- three_groups(10, 12)
  problem <- cache_pairs(as_problem(x))
  halves <- draw_halves(problem, 4)
  found <- lapply(halves, compare_halves, problem = problem, ks = 1:4, all_ks = 1:5)
  out <- summarise_halves(found, 1:4, 1:5, 15L)
  each <- vapply(found, function(one) one$agreement, numeric(4))
  expect_equal(out$value, c(NA, rowMeans(each[2:4, ])))
  expect_equal(out$se, c(NA, apply(each[2:4, ], 1, sd) / 2))
  expect_identical(half_choices(out, 1:4), rep(3L, 8))
  expect_identical(out$reason[1], "one cluster is the same in every sample")
})

test_that("k is found where it is plain, from every input, by every criterion", {
  set.seed(13)
  x <- three_groups(20, 6)
  for (data in list(x, as.data.frame(x), dist(x), semimetric_matrix(x, type = "gram"))) {
    set.seed(14)
    out <- select_k(data, 1:5, every, splits = 4)
    expect_identical(out$k, 3L)
    for (one in c("pseudo_f", "silhouette", "stability")) {
      expect_identical(which.max(out$table[[one]]), 3L)
    }
    expect_identical(as.vector(out$half_choices), c(0L, 0L, 8L, 0L, 0L))
    expect_equal(compare_clusters(rep(1:3, each = 20), out$cluster), 1)
  }
})

test_that("ks may hold 1 and n, with reasons where a criterion is undefined", {
  set.seed(15)
  x <- three_groups(4, 8)
  out <- quiet(select_k(x, c(12, 1:4, 3), every, splits = 3))
  expect_identical(out$table$k, c(1:4, 12L))
  missing <- which(is.na(out$table[every]), arr.ind = TRUE)
  expect_identical(nrow(missing), nrow(out$reasons))
  expect_setequal(paste(out$table$k[missing[, 1]], every[missing[, 2]]), paste(out$reasons$at, out$reasons$criterion))
  expect_false(anyNA(out$reasons$reason))
})

test_that("as many distinct observations as clusters: the elbow ratio is infinite there", {
  x <- rep(c(0, 5, 20), each = 4)
  out <- quiet(select_k(x, 1:6, "elbow"))
  expect_identical(out$k, 3L)
  expect_identical(out$table$elbow[3:6], c(Inf, NA, NA, NA))
})

test_that("a semimetric of the user's and W that is not positive are handled", {
  set.seed(16)
  x <- three_groups(6, 6)
  manhattan <- rho_function(function(x, y) sum(abs(x - y)))
  out <- quiet(select_k(x, 2:4, c("pseudo_f", "silhouette"), manhattan))
  expect_equal(out$table$W, vapply(2:4, function(k) kgroups(dist(x, "manhattan"), k)$W, 0))
  rising <- rho_function(function(x, y) sin(sum((x - y)^2)))
  odd <- suppressWarnings(select_k(x, 1:4, c("stability", "pseudo_f"), rising, one_cluster = FALSE))
  W <- odd$table$W
  expect_true(any(W <= 0))
  expect_true(all(is.na(odd$table$pseudo_f[W <= 0])))
})

test_that("the verdict on one cluster is that of cluster_test()", {
  set.seed(17)
  expect_message(out <- select_k(matrix(rnorm(160), 80), 1:5, "elbow"), class = "kg_message_one_cluster")
  expect_gt(out$p.value, 0.05)
  expect_match(
    format(out), sprintf("no valley between clusters was found; k = %d if there are clusters", out$k), all = FALSE
  )
  expect_no_message(two <- select_k(rbind(matrix(rnorm(100), 50), matrix(rnorm(100, 6), 50)), 1:4))
  expect_match(format(two), ": a valley between clusters$", all = FALSE)
  expect_lt(two$p.value, 0.05)
  expect_identical(select_k(matrix(rnorm(60), 30), 2:3, one_cluster = FALSE)$p.value, NA_real_)
  # rows that are kept together are not independent
  expect_identical(select_k(matrix(rnorm(60), 30), 2:3, "elbow", together = rep(1:10, 3))$p.value, NA_real_)
  # the same number after the same draws
  x <- three_groups(20, 2)
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"))) {
    semimetric <- if (is_gram(data)) NULL else rho_power(1)
    problem <- selection_problem(data, semimetric, NULL, new_control(), NULL)
    expect_identical(withr::with_seed(3, one_cluster_p(problem)), withr::with_seed(3, cluster_test(data)$p.value))
  }
  # no test with weights, categories, gaps, landmarks or on graphs
  w <- rep(1:2, 30)
  expect_identical(select_k(x, 2:3, "pseudo_f", weights = w)$p.value, NA_real_)
  expect_identical(select_k(x, 2:3, "pseudo_f", semimetric = rho_connected())$p.value, NA_real_)
  expect_identical(select_k(x, 2:3, "pseudo_f", approx = nystroem(9))$p.value, NA_real_)
  expect_identical(select_k(iris, 2:3, "pseudo_f")$p.value, NA_real_)
})

test_that("several semimetrics are compared by select_semimetric() alone", {
  x <- three_groups(8)
  for (several in list(list(rho_power(1), rho_power(0.5)), list(), list(1))) {
    expect_error(select_k(x, 2:3, semimetric = several), "select_semimetric", class = "kg_error_semimetric")
  }
  expect_error(select_k(as_gram(tcrossprod(x)), 2:3, semimetric = several), class = "kg_error_semimetric")
})

test_that("a criterion that is not available for the kind of data is refused, and names those that are", {
  set.seed(26)
  x <- three_groups(10)
  graph <- igraph::sample_gnm(30, 60)
  sparse <- Matrix::Matrix(round(abs(x)), sparse = TRUE)
  calls <- list(
    function(criterion) select_k(graph, 2:3, criterion), function(criterion) select_k(sparse, 2:3, criterion),
    function(criterion) select_k(x, 2:3, criterion, approx = nystroem(10))
  )
  for (kind in 1:3) {
    impossible <- setdiff(names(k_criteria), possible_criteria[[kind]])
    expect_gt(length(impossible), 0)
    for (criterion in impossible) {
      e <- expect_error(calls[[kind]](criterion), "must be available for", class = "kg_error_criterion")
      expect_match(conditionMessage(e), possible_criteria[[kind]][1L], fixed = TRUE)
    }
  }
})

test_that("the largest number of clusters is the number of observations", {
  set.seed(27)
  x <- three_groups(5)
  out <- quiet(select_k(x, c(2, 15), "pseudo_f"))
  expect_identical(out$table$k, c(2L, 15L))
  expect_error(select_k(x, c(2, 16), "pseudo_f"), class = "kg_error_ks")
})

test_that("one seed gives one answer, and the generator goes on from the same place", {
  set.seed(20)
  x <- three_groups(10, 2)
  run <- function() {
    set.seed(21)
    out <- quiet(select_k(x, 1:4, every, splits = 4))
    list(out, runif(1))
  }
  alone <- run()
  expect_identical(run(), alone)
})

test_that("the kind of generator the user has chosen is left as it was", {
  withr::local_seed(22, .rng_kind = "Wichmann-Hill")
  select_k(three_groups(), 2:3, one_cluster = FALSE)
  expect_identical(RNGkind()[1], "Wichmann-Hill")
})

test_that("above 2000 observations no table of all pairs is kept", {
  set.seed(23)
  x <- three_groups(700)
  problem <- selection_problem(x, rho_power(1), NULL, new_control(), NULL)
  expect_s3_class(problem$store, "kgroups_points")
  out <- suppressMessages(select_k(x, 3, "stability", splits = 2, one_cluster = FALSE))
  expect_gt(out$table$stability, 0.9)
})

test_that("prints and plots", {
  set.seed(24)
  x <- three_groups(10)
  out <- quiet(select_k(x, c(1:4, 30), c("elbow", "pseudo_f", "stability"), splits = 3))
  expect_snapshot(out)
  expect_invisible(print(out))
  withr::local_pdf(NULL, width = 6, height = 3.2)
  expect_invisible(plot(out))
  expect_invisible(plot(suppressMessages(select_k(x, 3, "silhouette"))))
})

test_that("wrong input is refused", {
  set.seed(25)
  x <- three_groups(5)
  expect_error(select_k(x, 0:3), class = "kg_error_ks")
  expect_error(select_k(x, 1, "elbow"), class = "kg_error_criterion")
  expect_error(select_k(matrix(2, 10, 2), 1:3), class = "kg_error_x")
  expect_error(select_k(as_gram(matrix(2.1, 10, 10)), 1:3), class = "kg_error_x")
  expect_snapshot(error = TRUE, {
    select_k()
    select_k(x, 0:3)
    select_k(x, 2.5)
    select_k(x, "many")
    select_k(x, integer())
    select_k(x, 16)
    select_k(x, 1, "elbow")
    select_k(x, 1, "stability")
    select_k(x, c(1, 15), "silhouette")
    select_k(x, 1:3, "elbow")
    select_k(x, 1:3, 1)
    select_k(x, 1:3, "aic")
    select_k(x, 1:3, "stabilty")
    select_k(x, 1:3, splits = 1)
    select_k(x, 1:3, B = 5)
    select_k(x, 1:3, one_cluster = NA)
    select_k(x, 1:3, semimetric = 7)
    select_k(x, 1:3, semimetric = list(rho_power(1), rho_power(2)))
    select_k(x, 1:3, rows = 5)
    select_k(matrix(2, 10, 2), 1:3)
    select_k(x, 1:3, weights = -1)
    select_k(x, 1:3, colour = 1)
  })
})

test_that("in one dimension the exact method serves every fit", {
  set.seed(26)
  x <- c(rnorm(40), rnorm(40, 8))
  out <- quiet(select_k(x, 1:4, c("elbow", "stability", "silhouette"), splits = 3))
  expect_equal(out$table$W, vapply(1:4, function(k) kgroups(x, k)$W, 0))
  expect_identical(out$k, 2L)
  expect_equal(out$cluster, unname(kgroups(x, 2)$cluster))
})

test_that("a single number is tried alone, which the print states", {
  set.seed(1)
  expect_snapshot(select_k(faithful, 3, one_cluster = FALSE, splits = 2))
  expect_no_message(select_k(faithful, 3, "silhouette", one_cluster = FALSE))
})

test_that("the weighted median is that of replicated values, with ties", {
  for (seed in 1:5) {
    set.seed(seed)
    x <- c(rnorm(3000), round(rnorm(2000), 1), sort(runif(seed)))
    w <- sample(0:3, length(x), TRUE)
    expect_identical(weighted_median(x, rep(1, length(x))), stats::median(x))
    expect_identical(weighted_median(x, w), stats::median(rep(x, w)))
  }
})

test_that("the clusters of a graph are those of kgroups() for the k chosen", {
  set.seed(3)
  hubs <- igraph::sample_pa(150, m = 2, directed = FALSE)
  for (graph in list(hubs, karate())) {
    set.seed(1)
    fit <- suppressMessages(kgroups(graph, 4))
    set.seed(1)
    chosen <- suppressMessages(select_k(graph, 4, "stability", splits = 2))
    modularity <- igraph::modularity(graph, chosen$cluster)
    expect_gt(modularity, fit$graph$modularity - 0.02)
    expect_gt(adjusted_rand(fit$cluster, chosen$cluster), 0.8)
  }
})

test_that("fits of a choice take every setting of kgroups()", {
  set.seed(5)
  x <- rbind(matrix(rnorm(40), 20), matrix(rnorm(40, 6), 20), cbind(40, c(-40, 0)))
  trimmed <- select_k(x, 2:4, trim = 0.05, splits = 2, one_cluster = FALSE)
  expect_identical(trimmed$k, 2L)
  expect_equal(trimmed$table$W[1], kgroups(x, 2, trim = 0.05)$W)
  sized <- select_k(x, 2:3, "stability", sizes = "equal", splits = 2, one_cluster = FALSE)
  expect_equal(sized$table$W[1], kgroups(x, 2, sizes = "equal")$W, tolerance = 1e-3)
  expect_error(select_k(x, 2:3, sizes = "equal", trim = 0.1), class = "kg_error_sizes")
  expect_error(select_k(x, 2:3, sizes = "equal", weights = 1:42), class = "kg_error_sizes")
  expect_error(select_semimetric(x, 2, approx = nystroem(5)), class = "kg_error_dots")
  chosen <- select_semimetric(x, 2, list(rho_power(1), rho_power(1 / 2)), trim = 0.05, splits = 2)
  expect_s3_class(chosen, "kgroups_select_semimetric")
})

test_that("a metric is learned by standardize alone", {
  set.seed(1)
  expect_error(select_k(iris[1:4], 2:3, metric = TRUE), class = "kg_error_dots")
  expect_error(select_semimetric(iris[1:4], 2, metric = TRUE), class = "kg_error_dots")
  set.seed(1)
  within <- select_k(iris[1:4], 2:3, "stability", standardize = "within", splits = 2, one_cluster = FALSE)
  expect_equal(within$table$W[2], kgroups(iris[1:4], 3, standardize = "within")$W, tolerance = 1e-3)
})

test_that("the elbow ratio is undefined if W of one more cluster is higher", {
  W <- c("1" = 10, "2" = 5, "3" = 6, "4" = 4)
  out <- elbow_ratio(W, 2:3, 10, 10)
  expect_identical(out$value, c(NA_real_, NA_real_))
  expect_match(out$reason[1], "higher")
  expect_identical(elbow_ratio(c("1" = 10, "2" = 5, "3" = 5), 2, 10, 10)$value, Inf)
})

test_that("a graph with edge weights has default numbers of clusters", {
  set.seed(3)
  g <- igraph::sample_islands(2, 8, 0.9, 1)
  igraph::E(g)$weight <- runif(igraph::ecount(g), 0.5, 2)
  chosen <- select_k(g, splits = 2)
  expect_identical(chosen$table$k, 1:10)
  expect_identical(chosen$criterion, "stability")
})

test_that("tables of numbers are compared by BIC first, other input by the elbow ratio", {
  set.seed(1)
  x <- three_groups(8, 6)
  mixed <- data.frame(x, g = rep(c("a", "b"), 12))
  criterion <- function(x, ...) quiet(select_k(x, 2:3, splits = 2, one_cluster = FALSE, ...))$criterion
  others <- c("elbow", "stability")
  for (data in list(x, as.data.frame(x), x[, 1])) expect_identical(criterion(data), c("bic", others))
  expect_identical(criterion(x, standardize = "within"), c("bic", others))
  for (data in list(dist(x), semimetric_matrix(x, type = "gram"), mixed)) expect_identical(criterion(data), others)
  for (setting in list(
    list(trim = 0.1), list(sizes = "equal"), list(approx = nystroem(9)), list(semimetric = "manhattan")
  )) {
    expect_identical(do.call(criterion, c(list(x), setting)), others)
  }
})

test_that("components that are not normal or t are merged, are one cluster, or leave the choice to the elbow ratio", {
  table <- data.frame(
    k = 1:5, bic = c(200, 100, 90, 80, 85), icl = c(200, 110, 120, 130, 140), elbow = c(NA, 2, 3, 1, 9)
  )
  chosen <- function(doubt, table, p = 0.5, criterion = c("bic", "elbow")) {
    table <- cbind(table, doubt = doubt, apart = c(1, 2, 2, 3, 3)[seq_len(nrow(table))])
    found <- decide_k(table, criterion, 100, p)
    paste(table$k[found$row], found$by)
  }
  expect_identical(chosen("", table), "4 bic")
  expect_identical(chosen("flat", table), "4 bic")
  expect_identical(chosen("skewed", table), "3 apart")
  expect_identical(chosen("skewed", table[c(1, 2, 4, 5), ]), "2 apart")
  expect_identical(chosen("ties", table), "5 elbow")
  expect_identical(chosen("skewed", table, criterion = "bic"), "4 bic")
  expect_identical(chosen("skewed", table, criterion = c("elbow", "bic")), "5 elbow")
  # components that overlap are one cluster, if the test of one cluster does not reject
  overlap <- replace(table, "icl", list(c(200, 210, 220, 230, 240)))
  expect_identical(chosen("", overlap), "4 bic")
  for (doubt in c("skewed", "flat")) {
    expect_identical(chosen(doubt, overlap), "1 icl")
    expect_identical(chosen(doubt, overlap, NA), "1 icl")
  }
  expect_identical(chosen("skewed", overlap, 0.01), "3 apart")
  expect_identical(chosen("", replace(overlap, "bic", list(c(85, 84, 83, 80, 88)))), "1 icl")
  expect_identical(chosen("skewed", replace(overlap, "bic", list(80 + 1:5))), "1 bic")
  # without 1 among the numbers compared
  expect_identical(chosen("skewed", overlap[-1, ]), "2 apart")
  # too few rows for more components
  short <- replace(table, "bic", list(c(200, 100, NA, NA, NA)))
  expect_identical(chosen("", short), "5 elbow")
})

test_that("BIC is not defined where a sum of columns is constant within the clusters", {
  set.seed(12)
  coin <- rep(0:1, 60)
  x <- matrix(rnorm(240), 120)
  turned <- cbind(x, x[, 1] + 3 * coin)
  chosen <- function(x) quiet(select_k(x, 1:3, c("bic", "elbow"), standardize = "within", one_cluster = FALSE))
  choice <- chosen(turned)
  expect_identical(is.na(choice$table$bic), c(FALSE, TRUE, TRUE))
  expect_match(choice$reasons$reason[choice$reasons$criterion == "bic"], "constant within the clusters")
  expect_identical(choice$by, "elbow")
  expect_match(choice$why, "BIC is not defined at k = 2: .* constant within")
  # a column of few values is spread within them, nearly constant is a density
  for (data in list(cbind(x, coin), 1e6 * cbind(x, coin / 7 + 0.3))) expect_false(anyNA(chosen(data)$table$bic))
  near <- chosen(cbind(x, coin + rnorm(120, sd = 1e-3)))
  expect_false(anyNA(near$table$bic))
  expect_identical(near$k, 2L)
})

test_that("counts, genotypes, answers and rounded numbers of one cluster are one; clusters of counts are found", {
  set.seed(1)
  n <- 200
  ones <- list(
    matrix(rpois(3 * n, rep(c(1, 3, 6), each = n)), n), matrix(rbinom(4 * n, 2, 0.3), n),
    matrix(pmin(5, pmax(1, round(rnorm(4 * n, 3)))), n), round(matrix(rnorm(3 * n, 0, 2), n))
  )
  k <- function(x) quiet(select_k(x, 1:5, c("bic", "elbow"), one_cluster = FALSE))$k
  for (x in ones) expect_identical(k(x), 1L)
  means <- rbind(c(2, 10, 2), c(10, 2, 2), c(5, 5, 14))
  expect_identical(k(matrix(rpois(3 * n, means[rep(1:3, length.out = n), ]), n)), 3L)
  coins <- matrix(rbinom(10 * n, 1, rep(c(0.1, 0.9), length.out = n)), n)
  expect_identical(k(coins), 2L)
})

test_that("components are merged while rows of one are assigned to another, whatever their order and weights", {
  P <- rbind(
    matrix(c(0.9, 0.1, 0, 0), 20, 4, byrow = TRUE), matrix(c(0.4, 0.6, 0, 0), 20, 4, byrow = TRUE),
    matrix(c(0, 0, 0.99, 0.01), 20, 4, byrow = TRUE), matrix(c(0, 0, 0.01, 0.99), 20, 4, byrow = TRUE)
  )
  expect_identical(components_apart(P, rep(1, 80)), 3L)
  expect_identical(components_apart(P[80:1, c(3, 1, 4, 2)], rep(1, 80)), 3L)
  expect_identical(components_apart(P, rep(c(1, 0), c(60, 20))), 2L) # no rows of the last one
  expect_identical(components_apart(P[1:40, 1:2], rep(2, 40)), 1L)
  expect_identical(components_apart(diag(3), rep(1, 3)), 3L)
})

test_that("several components of one skewed cluster count as one", {
  set.seed(1)
  x <- rbind(matrix(rexp(600), 300), matrix(rexp(600) + 8, 300))
  out <- select_k(x, 1:6, splits = 2)
  expect_identical(out$k, 2L)
  expect_gt(out$table$k[which.min(out$table$bic)], 2L)
  expect_identical(out$by, "apart")
  expect_output(print(out), "merging of the components")
  expect_identical(glance(out)$value, 2L)
})

test_that("BIC is that of the density in the unit of the data, whatever the unit and the offset", {
  set.seed(3)
  x <- three_groups(20, 5)
  bic <- function(x) withr::with_seed(4, select_k(x, 1:4, "bic", one_cluster = FALSE))$table$bic
  plain <- bic(x)
  expect_true(all(is.finite(plain)))
  for (unit in 2^c(-900, -3, 900)) expect_equal(bic(x * unit), plain + 2 * 60 * 2 * log(unit))
  expect_equal(bic(x + 1e6), plain, tolerance = 1e-6)
  expect_equal(bic(cbind(x, 1)), plain)
})

test_that("one skewed or uniform cluster is one", {
  set.seed(2)
  for (x in list(matrix(rexp(600), 300), matrix(runif(400), 200))) {
    out <- select_k(x, 1:4, splits = 2)
    expect_identical(out$k, 1L)
    expect_identical(glance(out)$criterion, out$by)
  }
})

test_that("the print names the numbers that no criterion chooses, if some were compared", {
  line <- "no criterion chooses k above 2, a third of the observations"
  shown <- format(quiet(select_k(c(1, 2, 3, 6, 6, 7, 8, 120), 1:5)))
  expect_true(any(grepl(line, shown, fixed = TRUE)))
  expect_true(any(grepl("other criteria up to there: ", shown, fixed = TRUE)))
  expect_false(any(grepl("no criterion chooses", format(quiet(select_k(iris[1:4], 1:5))))))
})

test_that("fewer than three observations are the reason of an error, by any criterion", {
  x <- matrix(1:6, 3)
  for (criterion in list(NULL, "elbow", "stability", "silhouette")) {
    expect_error(select_k(x[1:2, ], criterion = criterion), "at least three observations", class = "kg_error_x")
    expect_error(select_k(x, weights = c(1, 1, 0), criterion = criterion), "at least three observations")
  }
  expect_error(select_k(dist(1:2)), "at least three observations", class = "kg_error_x")
})

test_that("fits of dissimilarities and Gram matrices are compared as their data", {
  set.seed(5)
  x <- three_groups(12)
  for (data in list(dist(x), semimetric_matrix(x, type = "gram"), dist(x, "manhattan"))) {
    choose <- function(x) withr::with_seed(6, quiet(select_k(x, 1:3, splits = 2)))
    fit <- kgroups(data, 3)
    same <- c("k", "table", "p.value", "cluster")
    expect_equal(choose(fit)[same], choose(data)[same])
  }
})

test_that("clear groups of one variable are not doubted because one valley is hard to find beside many", {
  set.seed(1)
  x <- rep(100 * 1:10, each = 8) + rnorm(80, 0, 6)
  expect_no_message(out <- select_k(x, 1:12, splits = 2))
  expect_identical(out$k, 10L)
  expect_gt(out$p.value, 0.05)
  expect_match(format(out)[1], "k = 10 by .*; one cluster: p = ")
  expect_match(format(out), "components of the mixture are separate", all = FALSE)
})

test_that("one cluster of skewed columns is one, and BIC on the logarithmic scale is of the density in the units given", {
  set.seed(3)
  for (x in list(exp(matrix(rnorm(600), 200)), -exp(matrix(rnorm(400), 200)), cbind(rnorm(200), exp(rnorm(200))))) {
    out <- quiet(select_k(x, 1:4, c("bic", "elbow"), one_cluster = FALSE))
    expect_identical(out$k, 1L)
  }
  x <- exp(rnorm(300))
  w <- rep(1:3, 100)
  scale <- log_scale(cbind(x), w)[[1]]
  d <- 1e-6
  slope <- (log_scale(cbind(c(x, x + d)), c(w, 0 * w))[[1]]$points[301:600] - scale$points) / d
  expect_equal(scale$volume, weighted.mean(log(slope), w), tolerance = 1e-4)
  expect_equal(unname(log_scale(cbind(-5 * x), w)[[1]]$points), unname(scale$points), tolerance = 0.1)
  expect_identical(log_scale(matrix(rnorm(400), 200), rep(1, 200)), list())
})
