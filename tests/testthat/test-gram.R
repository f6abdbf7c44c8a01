gram_of_iris <- function() {
  G <- semimetric_matrix(as.matrix(iris[1:4]), type = "gram")
  dimnames(G) <- list(paste0("f", 1:150), paste0("f", 1:150))
  G
}

is_marked <- function(x) inherits(x, "kgroups_gram")

test_that("the same rows and columns are a Gram matrix, anything else is plain", {
  set.seed(1)
  G <- gram_of_iris()
  M <- as.matrix(G)
  expect_false(is_marked(M))
  marked <- list(
    G[1:3, 1:3], G[c("f2", "f9"), c("f2", "f9")], G[c("f2", "f9"), c(2, 9)], G[-1, -1], G[, ],
    G[rep(1:2, 3), rep(1:2, 3)], G[1, 1, drop = FALSE], G[1:4, 1:4, drop = TRUE], G[iris$Species == "setosa", 1:50]
  )
  for (part in marked) expect_true(is_marked(part))
  expect_identical(unclass(marked[[1L]]), M[1:3, 1:3])
  expect_identical(unclass(marked[[2L]]), M[c(2, 9), c(2, 9)])
  plain <- list(
    G[1, 1], G[1, ], G[, 1], G[1:3, 2:4], G[1:3, 3:1], G[1:2, ], G[1:10], G[cbind(1:2, 1:2)], G[1:3, 1, drop = FALSE],
    G[1, 1:2, drop = FALSE], G[integer(), integer()][0], G[["f1", "f2"]], G[M > 100]
  )
  for (part in plain) expect_false(is_marked(part))
  expect_identical(G[1:3, 2:4], M[1:3, 2:4])
  expect_identical(G["f1", "f2"], M["f1", "f2"])
  expect_equal(kgroups(G[1:100, 1:100], 2, init = rep(1:2, 50))$W, kgroups(iris[1:100, 1:4], 2, init = rep(1:2, 50))$W)
  expect_error(kgroups(G[1:100, 1:99], 2), NA)
})

test_that("a matrix that was changed is checked where it is used", {
  set.seed(1)
  G <- gram_of_iris()[1:4, 1:4]
  changes <- expression(G[1, 2] <- 99, G[2, 2] <- NA, G[2, 2] <- Inf, G[1, 1] <- "a", diag(G)[2] <- NaN)
  for (change in as.list(changes)) {
    G <- gram_of_iris()[1:4, 1:4]
    eval(change)
    expect_error(kgroups(G, 2), class = "kg_error_gram")
  }
  G <- gram_of_iris()[1:4, 1:4]
  G[1, 2] <- 5
  G[2, 1] <- 5
  expect_true(is_marked(G))
  expect_s3_class(suppressWarnings(kgroups(G, 2)), "kgroups_fit")
  expect_error(kgroups(structure(list(1), class = class(G)), 2), class = "kg_error_gram")
  expect_equal(kgroups(structure(matrix(c(2L, 1L, 1L, 2L), 2), class = class(G)), 1)$W, 4 - 3)
})

test_that("arithmetic keeps the class where the result is a symmetric finite matrix", {
  G <- gram_of_iris()[1:5, 1:5]
  M <- as.matrix(G)
  kept <- list(G + 1, 2 * G, G / 3, -G, G + G, G - G, G * G, G^2, exp(-G), round(G), t(G))
  values <- list(M + 1, 2 * M, M / 3, -M, M + M, M - M, M * M, M^2, exp(-M), round(M), t(M))
  for (at in seq_along(kept)) {
    expect_true(is_marked(kept[[at]]))
    expect_equal(as.matrix(kept[[at]]), values[[at]])
    expect_true(is_marked(as_gram(kept[[at]])))
  }
  plain <- list(G + 1:5, G + M, M + G, G / 0 * 0, G > 1, G == G, !G, G %*% G, as.matrix(G), unclass(G), G %/% 2)
  for (value in plain) expect_false(is_marked(value))
  expect_identical(G > 6, M > 6)
})

test_that("a Gram matrix that was corrupted is refused at every entry point", {
  for (spoil in list(
    function(M) replace(M, 2, 99), function(M) replace(M, 1, NA), function(M) replace(M, 1, Inf), function(M) M[, -1],
    function(M) M + seq_len(nrow(M)) * 1e-3
  )) {
    G <- gram_of_iris()
    bad <- structure(spoil(unclass(G)), class = class(G))
    labels <- iris$Species
    for (call in expression(
      kgroups(bad, 3), kernel_kmeans(bad, 3), kgroups(bad, 3, approx = nystroem(20)), energy_statistics(bad, labels),
      energy_distance(bad, g = labels), energy_test(bad, labels, R = 9), semimetric_matrix(bad),
      is_negative_type(bad), is_negative_type(bad, details = TRUE), make_negative_type(bad), select_k(bad, 2:3),
      as_gram(bad)
    )) {
      expect_error(eval(call), class = "kg_error_gram")
    }
  }
})

test_that("rounding is averaged away, and more than rounding is named", {
  M <- as.matrix(gram_of_iris())
  M[1, 2] <- M[1, 2] * (1 + 1e-12)
  G <- as_gram(M)
  expect_identical(G[1, 2], G[2, 1])
  marked <- structure(M, class = class(G))
  expect_equal(energy_statistics(marked, iris$Species)$W, energy_statistics(G, iris$Species)$W)
  M[7, 3] <- 50
  M[3, 70] <- 49
  expect_error(as_gram(M), "Entries \\(7, 3\\) and \\(3, 7\\)", class = "kg_error_gram")
})

test_that("the check of a matrix finds what a slow one finds, across tiles", {
  set.seed(1)
  for (n in c(1, 2, 63, 64, 65, 130, 200)) {
    M <- crossprod(matrix(rnorm(n * 3), 3))
    scan <- gram_scan(M)
    expect_identical(unlist(scan, use.names = FALSE), c(max(abs(M)), 0, 0, 0, 0, 0))
    if (n > 1) {
      for (trial in 1:5) {
        at <- sample(n, 2)
        bad <- M
        bad[at[1], at[2]] <- bad[at[1], at[2]] + 10
        scan <- gram_scan(bad)
        expect_equal(scan$gap, 10)
        expect_identical(c(scan$row, scan$column), as.numeric(c(max(at), min(at))))
        bad[at[1], at[2]] <- NaN
        scan <- gram_scan(bad)
        expect_identical(c(scan$odd_row, scan$odd_column), as.numeric(at))
      }
    }
  }
  # ties go to the first by columns
  M <- matrix(0, 150, 150)
  M[lower.tri(M)] <- 1
  expect_identical(gram_scan(M)[c("row", "column")], list(row = 2, column = 1))
})

test_that("the check copies nothing", {
  skip_on_cran()
  G <- as_gram(matrix(1, 2000, 2000))
  invisible(gc(reset = TRUE))
  before <- gc(reset = TRUE)[2L, 6L]
  check_gram_matrix(G)
  expect_lt(gc()[2L, 6L] - before, 8)
})

test_that("a Gram matrix prints with digits", {
  G <- as_gram(tcrossprod(c(1, 2, 3) / 3))
  expect_snapshot({
    print(G, digits = 2)
    print(as_gram(matrix(1)))
  })
})

test_that("as.dist() of a Gram matrix has the distances in the feature space", {
  set.seed(1)
  x <- as.matrix(iris[c(1:5, 51:55), 1:4])
  G <- as_gram(tcrossprod(x))
  expect_equal(stats::as.dist(G), dist(x), ignore_attr = TRUE)
  expect_identical(labels(stats::as.dist(G)), rownames(x))
  expect_equal(
    stats::as.dist(semimetric_matrix(x, semimetric = rho_power(2), type = "gram"))^2, 2 * dist(x)^2 / 2,
    ignore_attr = TRUE
  )
  for (semimetric in list(rho_power(1), rho_gaussian(2))) {
    K <- semimetric_matrix(x, semimetric = semimetric, type = "gram")
    expect_equal(
      as.matrix(stats::as.dist(K))^2, unclass(semimetric_matrix(x, semimetric = semimetric)), ignore_attr = TRUE
    )
  }
  expect_equal(
    kgroups(stats::as.dist(G), 2, semimetric = rho_power(2), init = rep(1:2, 5))$W, kgroups(G, 2, init = rep(1:2, 5))$W
  )
  expect_identical(attr(stats::as.dist(G, TRUE, TRUE), "Diag"), TRUE)
  bad <- as_gram(diag(c(1, 1, 1)) - 3 * diag(3) + 2)
  bad[1, 2] <- bad[2, 1] <- 9
  expect_error(stats::as.dist(bad), class = "kg_error_gram")
  expect_error(stats::as.dist(structure(matrix(c(1, 2, 3, 4), 2), class = class(G))), class = "kg_error_gram")
})
