# A random sparse symmetric matrix, with or without a diagonal, indefinite.
random_sparse <- function(n, density = 0.2, diagonal = rnorm(n)) {
  B <- Matrix::rsparsematrix(n, n, density, symmetric = TRUE)
  Matrix::diag(B) <- diagonal
  B
}

as_sparse_problem <- function(B, w = rep(1, nrow(B))) {
  off <- methods::as(B, "generalMatrix")
  Matrix::diag(off) <- 0
  off <- methods::as(Matrix::drop0(off), "CsparseMatrix")
  new_problem(new_sparse_store(off, Matrix::diag(B)), NULL, as.double(w))
}

# One local search, with what is requested of it by the name it had before.
sparse_descent <- function(problem, labels, k, iter.max = 100, method = "hartigan") {
  solve_starts(problem, new_control(k, method, iter.max = iter.max), matrix(labels), "given")
}

start_for <- function(n, k, w) {
  labels <- sample.int(k, n, replace = TRUE)
  labels[which(w > 0)[seq_len(k)]] <- seq_len(k)
  labels
}

test_that("the moves are those of the definition, one for one", {
  set.seed(1)
  for (case in 1:60) {
    n <- sample(6:24, 1)
    k <- sample(1:5, 1)
    scale <- sample(c(0, 1, 4, -4), 1)
    B <- random_sparse(n, sample(c(0.05, 0.2, 0.6), 1), scale * abs(rnorm(n)))
    w <- sample(c(0, 0.5, 1, 3), n, replace = TRUE)
    w[seq_len(k)] <- 1
    labels <- start_for(n, k, w)
    found <- sparse_descent(as_sparse_problem(B, w), labels, k, 1000)
    expect_true(found$converged)
    right <- reference_descent(as.matrix(B), labels, k, w)
    expect_identical(found$cluster[w > 0], right[w > 0])
  }
})

test_that("no single move helps at the end, also with many clusters that share no entry", {
  set.seed(2)
  for (case in 1:6) {
    n <- 40
    k <- 14
    B <- random_sparse(n, 0.03, rnorm(n) - 1)
    w <- rexp(n)
    problem <- as_sparse_problem(B, w)
    found <- sparse_descent(problem, start_for(n, k, w), k, 1000)
    expect_true(found$converged)
    scale <- sum(w * abs(Matrix::diag(B)))
    expect_gte(reference_best_move(as.matrix(B), found$cluster, k, w), -1e-9 * scale)
    expect_identical(found$cluster, reference_descent(as.matrix(B), found$cluster, k, w))
  }
})

test_that("Hartigan reaches the best partition of small problems from some start", {
  set.seed(3)
  B <- as.matrix(random_sparse(8, 0.4))
  partitions <- expand.grid(rep(list(1:2), 7))
  best <- max(apply(partitions, 1, function(p) {
    cluster <- c(1L, p)
    if (length(unique(cluster)) < 2) -Inf else reference_Q(B, cluster)
  }))
  fit <- suppressWarnings(kgroups(methods::as(Matrix::Matrix(B, sparse = TRUE), "CsparseMatrix"), 2, nstart = 30))
  expect_equal(fit$W, sum(diag(B)) - best)
})

test_that("every sparse class gives the fit of the dense Gram matrix", {
  set.seed(4)
  G <- Matrix::crossprod(Matrix::rsparsematrix(15, 40, 0.15))
  rownames(G) <- colnames(G) <- paste0("p", 1:40)
  dense <- as.matrix(G)
  w <- runif(40, 0.5, 2)
  init <- rep(1:4, 10)
  want <- kgroups(as_gram(dense), 4, weights = w, init = init)
  sparse <- methods::as(G, "CsparseMatrix")
  inputs <- list(
    methods::as(sparse, "generalMatrix"), Matrix::forceSymmetric(sparse, "U"),
    Matrix::forceSymmetric(sparse, "L"), methods::as(methods::as(sparse, "generalMatrix"), "TsparseMatrix"),
    methods::as(methods::as(sparse, "generalMatrix"), "RsparseMatrix")
  )
  for (input in inputs) {
    fit <- kgroups(input, 4, weights = w, init = init)
    expect_s3_class(fit, "kgroups_fit", exact = TRUE)
    expect_identical(fit$cluster, want$cluster)
    for (part in c("W", "S", "total", "within", "sizes", "weights", "converged")) {
      expect_equal(fit[[part]], want[[part]], info = part)
    }
    expect_equal(predict(fit, type = "squared"), predict(want, type = "squared"))
    new <- dense[1:3, ]
    expect_equal(
      predict(fit, new, type = "squared", diag = diag(dense)[1:3]),
      predict(want, new, type = "squared", diag = diag(dense)[1:3])
    )
    expect_identical(predict(fit, new), predict(want, new))
  }
  dense_symmetric <- methods::as(Matrix::Matrix(dense), "denseMatrix")
  expect_identical(kgroups(dense_symmetric, 4, weights = w, init = init)$cluster, want$cluster)
})

test_that("a diagonal matrix, one cluster, and a cluster a point", {
  set.seed(1)
  fit <- kgroups(Matrix::Diagonal(5), 2)
  # all points at distance sqrt(2): W = n - k whatever the partition
  expect_equal(fit$W, 3)
  expect_equal(kgroups(Matrix::Diagonal(5), 1)$W, 4)
  expect_equal(kgroups(Matrix::Diagonal(5), 5)$W, 0)
  expect_equal(kgroups(Matrix::Diagonal(x = c(1, 2, 3)), 3)$sizes, c(1, 1, 1))
})

test_that("points of weight 0 take no part and are placed at the nearest mean", {
  set.seed(5)
  B <- random_sparse(20, 0.3, runif(20, 1, 2))
  w <- c(rep(1, 15), rep(0, 5))
  fit <- kgroups(B, 3, weights = w)
  part <- kgroups(B[1:15, 1:15], 3, init = fit$cluster[1:15])
  expect_equal(fit$W, part$W)
  d2 <- predict(fit, type = "squared")
  expect_identical(unname(fit$cluster[16:20]), unname(max.col(-d2[16:20, ], "first")))
})

test_that("integer weights are replicated rows", {
  set.seed(6)
  B <- random_sparse(12, 0.4)
  w <- rep(1:3, 4)
  rows <- rep(1:12, w)
  cluster <- rep(1:2, 6)
  weighted <- sparse_solution_of(B, cluster, w)
  expect_equal(weighted, sparse_solution_of(B[rows, rows], cluster[rows], rep(1, sum(w))))
})

test_that("Lloyd's method ends in a fixed point, and W never rises on the way", {
  set.seed(7)
  for (case in 1:10) {
    B <- random_sparse(30, 0.2)
    w <- runif(30, 0.5, 2)
    problem <- as_sparse_problem(B, w)
    labels <- start_for(30, 4, w)
    Q <- vapply(0:8, function(sweeps) {
      reference_Q(as.matrix(B), sparse_descent(problem, labels, 4, sweeps, "lloyd")$cluster, w)
    }, 0)
    expect_true(all(diff(Q) >= -1e-9 * max(abs(Q))))
    end <- sparse_descent(problem, labels, 4, 1000, "lloyd")
    expect_true(end$converged)
    expect_identical(sort(unique(end$cluster)), 1:4)
    expect_identical(sparse_descent(problem, end$cluster, 4, 1000, "lloyd")$cluster, end$cluster)
  }
})

test_that("Hartigan's end is a fixed point of Lloyd's method", {
  set.seed(8)
  G <- Matrix::crossprod(Matrix::rsparsematrix(15, 40, 0.3))
  fit <- kgroups(G, 3)
  expect_identical(kernel_kmeans(G, 3, init = fit$cluster)$cluster, fit$cluster)
})

test_that("an empty start cluster is filled, and iter.max reports", {
  set.seed(9)
  B <- random_sparse(30, 0.2)
  problem <- as_sparse_problem(B)
  expect_identical(sort(unique(fill_empty(problem, rep(1L, 30), 4))), 1:4)
  expect_warning(kgroups(B, 4, init = rep(1:4, length.out = 30), iter.max = 1), class = "kg_warning_iterations")
})

test_that("wrong sparse matrices are classed errors", {
  set.seed(11)
  G <- Matrix::Diagonal(4)
  rectangular <- Matrix::sparseMatrix(i = 1:2, j = 1:2, x = 1, dims = c(3, 2))
  skew <- Matrix::sparseMatrix(i = 1:2, j = 2:3, x = 1, dims = c(3, 3))
  holed <- Matrix::sparseMatrix(i = 1:3, j = 1:3, x = c(1, NA, 1))
  expect_snapshot(error = TRUE, {
    kgroups(rectangular, 2)
    kgroups(skew, 2)
    kgroups(holed, 2)
    kgroups(G, 5)
    kgroups(G, 2, weights = 1:3)
    kgroups(G, 2, init = "best")
    kgroups(G, 2, method = "guess")
    kgroups(G, 2, colour = 1)
    kgroups(G, 3, weights = c(1, 1, 0, 0))
  })
  expect_message(suppressWarnings(kgroups(skew, 2)), "rows are taken as observations")
  expect_error(kgroups(G, 5), class = "kg_error_k")
  expect_warning(kgroups(G, 2, semimetric = rho_power(1)), class = "kg_warning_semimetric")
})

test_that("a fit of a sparse matrix prints and plots", {
  set.seed(10)
  G <- methods::as(Matrix::bdiag(matrix(1, 3, 3), matrix(1, 2, 2)), "CsparseMatrix")
  fit <- kgroups(G, 2)
  expect_snapshot(fit)
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_invisible(plot(fit))
})

test_that("W of a sparse matrix is that of its pairs, weights up to 1e15 apart", {
  set.seed(1)
  # from the pairs, w_i w_j (B_ii + B_jj - 2 B_ij) / 2: nothing cancels
  of_pairs <- function(G, w, cluster) {
    sum(vapply(split(seq_along(w), cluster), function(j) {
      rho <- outer(diag(G)[j], diag(G)[j], "+") - 2 * G[j, j, drop = FALSE]
      sum(outer(w[j], w[j]) * rho) / (2 * sum(w[j]))
    }, 0))
  }
  for (problem in seq_len(repeats(20, 60))) {
    n <- sample(8:30, 1)
    k <- sample(2:4, 1)
    A <- Matrix::crossprod(Matrix::rsparsematrix(n, n, runif(1, 0.1, 0.5)))
    A <- methods::as(methods::as(A, "generalMatrix"), "CsparseMatrix")
    w <- 10^runif(n, 0, 15)
    labels <- sample(rep_len(seq_len(k), n))
    expect_equal(
      suppressMessages(energy_statistics(A, labels, weights = w))$W / of_pairs(as.matrix(A), w, labels), 1,
      tolerance = 1e-9
    )
    fit <- suppressMessages(suppressWarnings(kgroups(A, k, weights = w, init = labels)))
    W <- of_pairs(as.matrix(A), w, fit$cluster)
    expect_equal(fit$W / W, 1, tolerance = 1e-9)
    again <- suppressMessages(energy_statistics(A, fit$cluster, weights = w))
    expect_equal(again$W / W, 1, tolerance = 1e-9)
    expect_equal(unname(again$within), fit$within, tolerance = 1e-9)
  }
})

# Symmetric sparse matrices by whether Lanczos' method finds their top eigenvectors apart.
spectra <- function(n) {
  band <- function(diagonals) {
    Matrix::bandSparse(n, k = seq_along(diagonals) - 1L, diagonals = lapply(diagonals, rep, n), symmetric = TRUE)
  }
  list(
    band = band(c(14, rep(-1, 6))), path = band(c(2, 1)), laplacian = band(c(2, -1)),
    identity = Matrix::Diagonal(n), ladder = Matrix::Diagonal(x = seq_len(n)),
    few = Matrix::Diagonal(x = rep_len(1:3, n)),
    "nearly diagonal" = Matrix::Diagonal(x = 1 + 1e-9 * sin(seq_len(n))) + band(c(0, 1e-10)),
    bumps = Matrix::bdiag(rep(list(matrix(1, 50, 50)), n / 50))
  )
}

test_that("a spectral start takes a bounded number of products, however the eigenvalues crowd", {
  n <- repeats(600, 1200)
  for (matrix in spectra(n)[repeats(c(2, 5, 8), 1:8)]) {
    problem <- as_sparse_problem(methods::as(methods::as(matrix, "generalMatrix"), "CsparseMatrix"))
    for (m in repeats(19, c(1, 19))) {
      products <- 0
      weighed <- function(v) {
        products <<- products + 1
        v <- v - mean(v)
        v <- store_product(problem$store, v)
        v - mean(v)
      }
      vectors <- top_vectors(weighed, n, m)
      # 30 restarts of a space of 40, then one space of 913
      expect_lte(products, 31 * 40 + 914)
      expect_equal(crossprod(vectors), diag(m), tolerance = 1e-8)
    }
    set.seed(1)
    expect_length(unique(suppressWarnings(kgroups(matrix, 20, init = "spectral"))$cluster), 20)
  }
})

test_that("vectors of a spectral start hold what the top eigenvectors hold, or nearly so", {
  n <- 300
  share <- function(matrix, m) {
    centred <- scale(t(scale(t(as.matrix(matrix)), scale = FALSE)), scale = FALSE)
    vectors <- top_vectors(function(v) as.vector(centred %*% v), n, m)
    sum(vectors * (centred %*% vectors)) / sum(eigen(centred, symmetric = TRUE)$values[seq_len(m)])
  }
  for (matrix in third(spectra(n), 2)) for (m in c(1, 5)) expect_equal(share(matrix, m), 1, tolerance = 1e-6)
  for (name in repeats("path", c("band", "path", "ladder"))) expect_equal(
    share(spectra(n)[[name]], 60), 1, tolerance = 1e-6
  )
  # a space of 223 cannot distinguish these: the eigenvalues are 2 + 2 cos(j pi / (n + 1))
  n <- 20000
  path <- spectra(n)$laplacian
  vectors <- top_vectors(function(v) as.vector(path %*% v), n, 19)
  expect_gt(sum(vectors * as.matrix(path %*% vectors)), 0.99 * sum(2 + 2 * cos(seq_len(19) * pi / (n + 1))))
})

test_that("a negative W is stated at every call, and damaged sparse matrices are refused", {
  R <- withr::with_seed(1, Matrix::rsparsematrix(40, 40, 0.1, symmetric = TRUE))
  Matrix::diag(R) <- 0.1
  for (call in 1:2) expect_warning(expect_lt(kgroups(R, 3)$W, 0), class = "kg_warning_negative_type")
  G <- as_gram(as.matrix(R))
  for (call in 1:2) expect_warning(kgroups(G, 3), class = "kg_warning_negative_type")
  bad <- methods::as(methods::as(R, "generalMatrix"), "CsparseMatrix")
  bad@i[2] <- 99999L
  expect_error(kgroups(bad, 3), class = "kg_error_x")
  expect_error(cluster_communities(bad), class = "kg_error_graph")
  expect_error(bethe_hessian(bad), class = "kg_error_graph")
  fit <- kgroups(igraph::make_ring(40), 2)
  expect_error(predict(fit, bad), class = "kg_error_newdata")
})

test_that("sparse rows at some columns, more than a span apart or not, are those of the dense rows", {
  set.seed(5)
  x <- Matrix::rsparsematrix(2100, 30, 0.1) # above the size at which all pairs are kept
  x[1:700, 1] <- 4
  x[701:1400, 2] <- -4
  fit <- kgroups(x, 3)
  dense <- as.matrix(x)
  expect_equal(fit$W, energy_statistics(dense, fit$cluster)$W)
  set.seed(6)
  here <- kgroups(x, 3, init = fit)
  expect_equal(here$W, kgroups(dense, 3, init = fit)$W)
})

# Sparse rows as observations: the answers of the dense matrix.

sparse_counts <- function(n = 90, d = 40) {
  x <- matrix(rpois(n * d, 0.15), n, dimnames = list(paste0("r", seq_len(n)), NULL))
  x[1:30, 1:10] <- rpois(300, 2)
  x[31:60, 11:20] <- rpois(300, 2)
  x[5, ] <- x[9, ]
  x[rowSums(x) == 0, 1] <- 1
  x
}

sparse_of <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")

test_that("sparse rows and the dense matrix have the same values, fits and predictions", {
  x <- withr::with_seed(1, sparse_counts())
  s <- sparse_of(x)
  w <- withr::with_seed(2, runif(90))
  forms <- list(
    rho_power(1), rho_power(2), rho_power(0.5), rho_gaussian(), rho_exponential(2), rho_metric("cosine"),
    rho_metric("correlation"), rho_metric("cosine", 0.5)
  )
  for (rho in forms) {
    D <- semimetric_matrix(x, semimetric = rho)
    expect_equal(semimetric_matrix(s, semimetric = rho), D, tolerance = 1e-12)
    sparse <- kgroups(s, 3, semimetric = rho, weights = w, init = rep(1:3, 30))
    dense <- kgroups(x, 3, semimetric = rho, weights = w, init = rep(1:3, 30))
    expect_identical(sparse$cluster, dense$cluster)
    expect_equal(sparse$W, dense$W, tolerance = 1e-12)
    new <- x[c(80, 3, 45), ] + 1
    expect_equal(
      predict(sparse, sparse_of(new), type = "squared"), predict(dense, new, type = "squared"),
      tolerance = 1e-9
    )
    expect_identical(predict(sparse, new), predict(dense, new))
  }
})

test_that("other sparse classes, scales and landmarks", {
  x <- withr::with_seed(3, sparse_counts())
  s <- sparse_of(x)
  W <- kgroups(x, 3, init = rep(1:3, 30))$W
  for (class in c("RsparseMatrix", "TsparseMatrix")) {
    expect_equal(kgroups(methods::as(s, class), 3, init = rep(1:3, 30))$W, W)
  }
  for (scale in c(2^-600, 2^600)) expect_equal(
    kgroups(s * scale, 3, init = rep(1:3, 30))$W / scale, W, tolerance = 1e-10
  )
  fit <- kgroups(s, 3, semimetric = "cosine", init = rep(1:3, 30), approx = nystroem(90))
  expect_equal(fit$W, energy_statistics(x, fit$cluster, semimetric = "cosine")$W, tolerance = 1e-4)
  expect_identical(predict(fit, s), fit$cluster)
  test <- energy_test(s, rep(1:3, each = 30), R = 19)
  expect_identical(test$statistic, energy_test(x, rep(1:3, each = 30), R = 19)$statistic)
})

test_that("a message reports the reading of a square sparse matrix; sparse distances are warned about", {
  x <- withr::with_seed(4, sparse_counts())[1:40, ]
  s <- sparse_of(x)
  D <- sparse_of(as.matrix(dist(x)))
  expect_snapshot({
    fit <- kgroups(s, 2, init = rep(1:2, 20))
    fit <- kgroups(D, 2, init = rep(1:2, 20))
  })
  expect_equal(suppressMessages(kgroups(s, 2, init = rep(1:2, 20)))$W, kgroups(x, 2, init = rep(1:2, 20))$W)
})

test_that("sparse rows and dense ones are the same samples, and the same new rows of a fit of dense rows", {
  x <- withr::with_seed(8, sparse_counts())
  colnames(x) <- paste0("w", 1:40)
  s <- sparse_of(x)
  fit <- kgroups(x, 3)
  expect_identical(predict(fit, s[1:30, 40:1]), predict(fit, x[1:30, ]))
  expect_equal(energy_distance(s[1:30, ], s[31:90, 40:1]), energy_distance(x[1:30, ], x[31:90, ]))
  p <- function(...) withr::with_seed(1, energy_test(list(...), R = 99)$p.value)
  expect_identical(p(s[1:30, ], s[31:90, ]), p(x[1:30, ], x[31:90, ]))
  expect_identical(p(x[1:30, ], s[31:90, ]), p(x[1:30, ], x[31:90, ]))
  expect_error(energy_distance(s, sparse_of(crossprod(x))), class = "kg_error_y")
})

test_that("an invalid sparse Matrix is a classed error in every function that takes one", {
  x <- withr::with_seed(5, sparse_counts())
  s <- sparse_of(x)
  bad <- s
  bad@i[1] <- 1000000L
  fit <- kgroups(s, 2, init = rep(1:2, 45))
  calls <- list(
    function() kgroups(bad, 2), function() kernel_kmeans(bad, 2), function() kgroups(bad, 2, approx = nystroem(5)),
    function() energy_statistics(bad, rep(1:2, 45)), function() energy_distance(bad, g = rep(1:2, 45)),
    function() energy_test(bad, rep(1:2, 45), R = 9), function() select_k(bad, 2:3), function() semimetric_matrix(bad),
    function() is_negative_type(bad), function() make_negative_type(bad), function() predict(fit, bad),
    function() as_gram(bad)
  )
  for (call in calls) expect_error(call(), class = "kg_error_input")
})

test_that("wrong sparse rows are classed errors", {
  s <- sparse_of(withr::with_seed(6, sparse_counts()))
  odd <- s
  odd@x[3] <- NA
  fit <- kgroups(s, 2, init = rep(1:2, 45))
  expect_snapshot(error = TRUE, {
    kgroups(odd, 2)
    kgroups(s, 2, semimetric = "manhattan")
    kgroups(rbind(s, 0), 2, semimetric = "cosine")
    predict(fit, s[, 1:3])
    predict(fit, "a")
  })
})

test_that("sparse rows without rows, without columns or with missing entries are refused", {
  for (x in list(matrix(0, 0, 3), matrix(0, 3, 0), rbind(c(1, NA), c(0, 2)))) {
    expect_error(kgroups(Matrix::Matrix(x, sparse = TRUE), 1), class = "kg_error_x")
  }
})

test_that("columns of new sparse rows are matched by name", {
  s <- sparse_of(withr::with_seed(6, sparse_counts()))
  colnames(s) <- paste0("term", seq_len(ncol(s)))
  turned <- rev(seq_len(ncol(s)))
  fits <- list(
    kgroups(s, 2, init = rep(1:2, 45)), kgroups(s, 2, semimetric = "correlation", init = rep(1:2, 45)),
    withr::with_seed(1, kgroups(s, 2, approx = nystroem(20)))
  )
  for (fit in fits) {
    expected <- predict(fit, s, type = "distance")
    for (new in list(s[, turned], as.matrix(s[, turned]), as.data.frame(as.matrix(s)), cbind(more = 1, s))) {
      expect_equal(predict(fit, new, type = "distance"), expected, ignore_attr = TRUE)
    }
    odd <- s
    colnames(odd) <- paste0("word", seq_len(ncol(s)))
    expect_error(predict(fit, odd), class = "kg_error_newdata")
  }
})
