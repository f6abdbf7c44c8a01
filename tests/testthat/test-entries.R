# The compiled routines: garbage collection at every allocation changes nothing, and
# wrong arguments give an R error.

entries <- function() {
  x <- matrix(c(1, 2, 3, 7, 8, 9, 2, 1, 2, 5, 6, 5), 6)
  problem <- as_problem(x)
  store <- problem$store
  w <- rep(1, 6)
  half <- c(1L, 2L, 1L, 2L, 1L, 2L)
  uniforms <- seq(0.05, 0.95, length.out = 12)
  list(
    function() .Call(ffi_pair_values, store),
    function() .Call(ffi_dispersion, store, w, half, 2),
    function() .Call(ffi_product, store, w),
    function() .Call(ffi_group_sums, store, w, half, 2),
    function() .Call(ffi_cross_sums, store, x[1:2, ], w, half, 2),
    function() .Call(ffi_cross_values, store, x[1:2, ]),
    function() .Call(ffi_from_distances, as.numeric(1:4), c(0, 1)),
    function() .Call(ffi_permute, store, w, numeric(6), cbind(half, rev(half)), 2, 0),
    function() .Call(ffi_permute, store, w, numeric(6), cbind(half, rev(half)), 2, 1),
    function() .Call(ffi_plusplus, store, w, 2, 3, uniforms),
    function() .Call(ffi_dimension, store, w, 1, rep(1L, 6)),
    function() .Call(ffi_unbalanced, store, w, 2, cbind(half, rev(half)), 3, 10),
    function() .Call(ffi_solve, store, w, 2, cbind(half, rev(half)), 0, 10),
    function() .Call(ffi_solve, store, w, 2, cbind(half, rev(half)), 1, 10),
    function() .Call(ffi_swap, store, w, 2, half, 0, 10, uniforms, 5, 5, 1e-9),
    function() .Call(ffi_extend, store, w, 2, 1:3, c(1L, 2L, 1L)),
    function() .Call(ffi_features, t(x), w, 2, NULL, 1, uniforms[1:4], 10),
    function() .Call(ffi_features, t(x), w, 2, half, 1, NULL, 10),
    function() .Call(ffi_runs, c(1, 2, 2, 5, 7, 8), w, 1:4),
    function() .Call(ffi_runs_label, c(3, 1, 2, 8, 5), c(3, 6))
  )
}

test_that("gctorture changes no result", {
  skip_on_cran()
  calls <- entries()
  expected <- lapply(calls, function(call) call())
  level <- compiler::enableJIT(0)
  withr::defer(compiler::enableJIT(level))
  for (i in seq_along(calls)) {
    call <- calls[[i]]
    gctorture(TRUE)
    got <- call()
    gctorture(FALSE)
    expect_identical(got, expected[[i]])
  }
})

test_that("wrong arguments are R errors", {
  store <- as_problem(matrix(rnorm(12), 6))$store
  w <- rep(1, 6)
  labels <- rep(1:2, 3)
  wrong_stores <- list(
    NULL, 1, list(), store[1:4], replace(store, 1, list(9)), replace(store, 2, list(1:12)),
    replace(store, 2, list(numeric(3))), replace(store, 3, list(7)), replace(store, 3, list(NULL)),
    replace(store, 3, list(-1)), replace(store, 4, list(0)), replace(store, 5, list(c(99, 1))),
    replace(store, 5, list("a")), replace(store, 3, list(NA_real_))
  )
  for (wrong in wrong_stores) {
    expect_error(.Call(ffi_pair_values, wrong))
    expect_error(.Call(ffi_solve, wrong, w, 2, labels, 0, 10))
  }
  expect_error(.Call(ffi_solve, store, 1:6, 2, labels, 0, 10))
  expect_error(.Call(ffi_solve, store, w[-1], 2, labels, 0, 10))
  expect_error(.Call(ffi_solve, store, replace(w, 1, NaN), 2, labels, 0, 10))
  expect_error(.Call(ffi_solve, store, -w, 2, labels, 0, 10))
  expect_error(.Call(ffi_solve, store, w, 0, labels, 0, 10))
  expect_error(.Call(ffi_solve, store, w, 7, labels, 0, 10))
  expect_error(.Call(ffi_solve, store, w, 2, labels[-1], 0, 10))
  expect_error(.Call(ffi_solve, store, w, 2, labels + 1L, 0, 10))
  expect_error(.Call(ffi_solve, store, w, 2, replace(labels, 1, NA), 0, 10))
  expect_error(.Call(ffi_solve, store, w, 3, labels, 0, 10))
  expect_error(.Call(ffi_solve, store, w, 2, labels, 2, 10))
  expect_error(.Call(ffi_solve, store, w, 2, labels, 0, NULL))
  expect_error(.Call(ffi_swap, store, w, 2, labels, 0, 10, "a", 5, 5, 0))
  expect_error(.Call(ffi_plusplus, store, w, 2, 1, numeric(3)))
  expect_error(.Call(ffi_extend, store, w, 2, 7L, 1L))
  expect_error(.Call(ffi_cross_sums, store, numeric(3), w, labels, 2))
  expect_error(.Call(ffi_features, matrix(0, 2, 5), w, 2, NULL, 1, numeric(2), 10))
})
