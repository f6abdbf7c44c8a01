
test_that("silhouettes of equal observations in two clusters are 0 however they come", {
  set.seed(31)
  for (problem in 1:10) {
    x <- round(matrix(rnorm(16), 4), 1)[rep(1:4, c(5, 4, 4, 4)), ]
    labels <- c(1, 1, 1, 2, 2, rep(3:5, each = 4))
    G <- gram_matrix(x, rho_power(0.7), x0 = colMeans(x))
    sparse <- methods::as(methods::as(Matrix::Matrix(unclass(G), sparse = TRUE), "generalMatrix"), "CsparseMatrix")
    for (input in list(G, sparse)) {
      fit <- suppressWarnings(suppressMessages(kgroups(input, 5, init = labels, iter.max = 1)))
      expect_identical(unname(augment(fit)$.silhouette[1:5]), numeric(5))
    }
  }
})
