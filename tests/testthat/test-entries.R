# The compiled routines: garbage collection at every allocation changes nothing, and
# wrong arguments give an R error.

test_that("gctorture changes no result", {
  skip_on_cran()
  calls <- entry_calls()
  expected <- lapply(names(calls), function(name) lapply(calls[[name]], call_entry, name = name))
  names(expected) <- names(calls)
  level <- compiler::enableJIT(0)
  withr::defer(compiler::enableJIT(level))
  withr::defer(gctorture(FALSE)) # an error inside must not leave it on
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

# The same values as ALTREP vectors, whose data R hands out when asked for them; compact
# sequences where they are some.
wrap <- function(x) {
  if (is.list(x)) {
    out <- lapply(x, wrap)
    attributes(out) <- attributes(x) # a store is told by its class
    return(out)
  }
  if (is.integer(x) && is.null(attributes(x)) && identical(x, seq_along(x))) {
    return(seq_along(x))
  }
  if (is.numeric(x) || is.logical(x) || is.raw(x)) .Internal(wrap_meta(x, NA, FALSE)) else x
}

test_that("ALTREP arguments give the same, and no argument is written to", {
  skip_on_cran()
  calls <- entry_calls()
  level <- compiler::enableJIT(0)
  withr::defer(compiler::enableJIT(level))
  withr::defer(gctorture(FALSE)) # an error inside must not leave it on
  for (name in setdiff(names(calls), "ffi_choose_loops")) {
    for (at in seq_along(calls[[name]])) {
      plain <- calls[[name]][[at]]
      kept <- unserialize(serialize(plain, NULL))
      wrapped <- lapply(plain, wrap)
      expected <- call_entry(name, plain)
      expect_identical(plain, kept, info = name)
      call <- as.call(c(list(.Call, routines()[[name]]), unname(wrapped)))
      gctorture(TRUE)
      got <- eval(call)
      gctorture(FALSE)
      expect_identical(got, expected, info = name)
      expect_identical(lapply(wrapped, function(x) x), lapply(plain, function(x) x), info = name)
      # what came back is nobody else's: writing to the arguments leaves it as it is
      kept_result <- unserialize(serialize(got, NULL))
      rm(plain, wrapped, call)
      expect_identical(got, kept_result, info = name)
    }
  }
})

# A time limit that is over before the call begins ends it where it first looks for
# interrupts, so what jumps out of the routine there must leave nothing behind.
test_that("every routine looks for interrupts, and can be left there", {
  skip_on_cran()
  calls <- entry_calls()
  long <- as.numeric(seq_len(5e6)) + 0
  withr::defer(setTimeLimit())
  for (name in setdiff(names(calls), c("ffi_choose_loops", "ffi_choose_threads"))) {
    for (at in seq_along(calls[[name]])) {
      expected <- call_entry(name, calls[[name]][[at]])
      call <- as.call(c(list(.Call, routines()[[name]]), unname(calls[[name]][[at]])))
      Sys.sleep(0.06) # R compares the times 20 times a second at most,
      answer <- tryCatch(
        {
          setTimeLimit(elapsed = 1e-3, transient = TRUE)
          sum(long) # takes longer, and does not look
          for (again in 1:12) eval(call) # and at every sixth look
          "it did not look"
        },
        error = conditionMessage
      )
      setTimeLimit()
      expect_match(answer, "time limit", info = name)
      expect_identical(eval(call), expected, info = name)
    }
  }
})

test_that("the library can be unloaded and loaded again", {
  skip_on_cran()
  skip_on_covr()
  code <- c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "fit <- function() kgroups::kgroups(iris[1:4], 3, init = iris$Species, threads = 2)",
    "first <- fit()$W",
    "stopifnot('kgroups' %in% names(getLoadedDLLs()))",
    "unloadNamespace('kgroups')",
    "stopifnot(!'kgroups' %in% names(getLoadedDLLs()))",
    "stopifnot(identical(fit()$W, first))",
    "cat('as before')"
  )
  script <- withr::local_tempfile(lines = code, fileext = ".R")
  said <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = TRUE, stderr = TRUE
  )
  expect_match(paste(said, collapse = "\n"), "as before")
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
