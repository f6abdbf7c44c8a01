# The compiled routines: garbage collection at every allocation changes nothing, and
# wrong arguments give an R error.

test_that("gctorture changes no result", {
  skip_on_cran()
  calls <- entry_calls()
  expected <- lapply(names(calls), function(name) lapply(calls[[name]], call_entry, name = name))
  names(expected) <- names(calls)
  level <- compiler::enableJIT(0)
  withr::defer(compiler::enableJIT(level))
  for (name in names(calls)) {
    for (at in seq_along(calls[[name]])) {
      # the call is laid out before, so that the routine alone runs under torture
      call <- as.call(c(list(.Call, routines()[[name]]), unname(calls[[name]][[at]])))
      gctorture(TRUE)
      got <- eval(call)
      gctorture(FALSE)
      expect_identical(got, expected[[name]][[at]], info = name)
    }
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
