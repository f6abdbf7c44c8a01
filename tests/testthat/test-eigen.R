# Eigenvalues and eigenvectors in pieces that an interrupt ends.

test_that("eigenvectors of large matrices are those of eigen()", {
  set.seed(1)
  for (n in c(1, 2, 63, 64, 65, 130)) {
    A <- crossprod(matrix(rnorm(n * (n %/% 2 + 1)), ncol = n)) * 1e200
    found <- .Call(ffi_eigen, A, as.numeric(n), 1)
    V <- found$vectors
    expect_equal(found$values, rev(eigen(A, TRUE)$values), tolerance = 1e-12)
    expect_equal(crossprod(V), diag(n), tolerance = 1e-12)
    expect_equal((V * rep(found$values, each = n)) %*% t(V) / 1e200, A / 1e200, tolerance = 1e-12)
    expect_identical(.Call(ffi_eigen, A, as.numeric(n), 0)$vectors, NULL)
  }
  A <- diag(501:1)
  expect_equal(symmetric_eigen(A)$values, 501:1)
  expect_equal(abs(symmetric_eigen(A)$vectors), diag(501))
})

test_that("axes of wide and of tall matrices are those of A'A", {
  set.seed(2)
  for (shape in list(c(5, 12), c(12, 5), c(7, 7))) {
    A <- matrix(rnorm(prod(shape)), shape[1])
    A[, 2] <- 0
    A[2, ] <- A[1, ]
    axes <- cross_axes(A, 1e-10)
    e <- eigen(crossprod(A), TRUE)
    rank <- sum(e$values > 1e-10 * e$values[1])
    expect_equal(axes$values, e$values[seq_len(rank)])
    expect_equal((axes$vectors * rep(axes$values, each = shape[2])) %*% t(axes$vectors), crossprod(A))
  }
})

test_that("products in blocks of rows are the products", {
  set.seed(3)
  x <- matrix(rnorm(700), 70)
  y <- matrix(rnorm(350), 70)
  with_replaced("product_rows", function(n, each) split(seq_len(n), (seq_len(n) - 1) %/% 9), {
    expect_equal(cross_rows(x, y), crossprod(x, y))
    expect_equal(times_rows(x, t(x)), x %*% t(x))
  })
  expect_identical(cross_rows(x, y), crossprod(x, y))
  expect_identical(product_rows(5, 1), list(1:5))
  expect_identical(unlist(product_rows(10, 3e7)), 1:10)
})
