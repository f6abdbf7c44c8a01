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
