# The compiled routines: garbage collection at every allocation changes nothing, and
# wrong arguments give an R error.

# One call of each routine, or every call.
torture_calls <- function() {
  calls <- entry_calls()
  repeats(lapply(calls, utils::head, 1L), calls)
}

test_that("gctorture changes no result", {
  skip_on_cran()
  calls <- torture_calls()
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

# The same values as ALTREP vectors, whose data R hands out when requested them; compact
# sequences where they are some.
wrap <- function(x) {
  if (is.list(x)) {
    out <- lapply(x, wrap)
    attributes(out) <- attributes(x) # a store is found by its class
    return(out)
  }
  if (is.integer(x) && is.null(attributes(x)) && identical(x, seq_along(x))) {
    return(seq_along(x))
  }
  if (is.numeric(x) || is.logical(x) || is.raw(x)) .Internal(wrap_meta(x, NA, FALSE)) else x
}

test_that("ALTREP arguments give the same, and no argument is written to", {
  skip_on_cran()
  calls <- torture_calls()
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
      gctorture2(5) # every allocation is the business of the test above
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

# A time limit that is over before the call begins ends it where it first checks for
# interrupts, so what jumps out of the routine there must leave nothing behind.
test_that("every routine checks for interrupts, and can be left there", {
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
          sum(long) # takes longer, and does not check
          for (again in 1:12) eval(call) # and at every sixth check
          "it did not check"
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
  reported <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = TRUE, stderr = TRUE
  )
  expect_match(paste(reported, collapse = "\n"), "as before")
})

test_that("wrong arguments are R errors", {
  p <- entry_problem()
  problem <- p$points
  store <- problem$store
  hartigan <- list(method = 0, iter_max = 10)
  labels <- rep(1:2, 3)
  wrong_stores <- list(
    NULL, 1, list(), unclass(store), structure(unclass(store), class = "other"), replace(store, "x", list(1:12)),
    replace(store, "x", list(numeric(3))), replace(store, "n", list(7)), replace(store, "n", list(NULL)),
    replace(store, "n", list(-1)), replace(store, "rho", list(c(99, 1))), replace(store, "rho", list("a")),
    replace(store, "n", list(NA_real_))
  )
  for (wrong in wrong_stores) {
    expect_error(.Call(ffi_pair_values, wrong))
    expect_error(.Call(ffi_descend, list(w = p$w, store = wrong), 2, labels, hartigan))
  }
  descend_with <- function(problem = p$points, k = 2, starts = labels, control = hartigan) {
    .Call(ffi_descend, problem, k, starts, control)
  }
  of <- function(w) list(w = w, store = store)
  for (w in list(1:6, p$w[-1], replace(p$w, 1, NaN), -p$w, NULL)) expect_error(descend_with(of(w)))
  for (k in list(0, 7, NULL, 2L)) expect_error(descend_with(k = k))
  for (starts in list(labels[-1], labels + 1L, replace(labels, 1, NA), integer())) {
    expect_error(descend_with(starts = starts))
  }
  # a third cluster is filled, where there is a sweep to come
  expect_setequal(descend_with(k = 3)$cluster, 1:3)
  for (control in list(
    NULL, list(), list(method = 2, iter_max = 10), list(method = 0), list(method = 0, iter_max = -1),
    list(method = 0, iter_max = 10, dimension = -1), list(method = 0, iter_max = 10, dimension = NaN),
    list(method = 1, iter_max = 10, dimension = 3)
  )) {
    expect_error(descend_with(control = control))
  }
  attempts <- c(hartigan, list(patience = 2, fails = 2, idle = 0, again = 1, halves = 2, values = 1e9))
  expect_error(.Call(ffi_split, problem, 2, labels, attempts, numeric()), "uniforms")
  expect_error(.Call(ffi_split, problem, 2, labels[-1], attempts, p$uniforms), "rows")
  expect_error(.Call(ffi_split, problem, 2, labels, hartigan, p$uniforms), "patience")
  expect_error(.Call(ffi_split, problem, 2, labels, c(attempts, dimension = 3), p$uniforms), "W alone")
  expect_error(.Call(ffi_plusplus, problem, 2, 1, numeric(3)))
  expect_error(.Call(ffi_extend, problem, 2, 7L, 1L))
  expect_error(.Call(ffi_cross_sums, problem, numeric(3), labels, 2))
  expect_error(.Call(ffi_dimension, NULL, 2, labels))
  expect_error(.Call(ffi_dimension, problem, 3, labels))
  expect_error(.Call(ffi_dimension, problem, 2, labels[-1]))
  expect_error(.Call(ffi_permute, NULL, p$w, labels, 2, 0))
  expect_error(.Call(ffi_permute, problem, labels, labels, 2, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels[-1], 2, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels + 1L, 2, 0))
  expect_error(.Call(ffi_permute, problem, p$w, replace(labels, 1, NA), 2, 0))
  expect_error(.Call(ffi_permute, problem, p$w, integer(), 2, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels, 2, 2))
  expect_error(.Call(ffi_permute, problem, p$w, labels, NULL, 0))
  values <- .Call(ffi_pair_values, store)
  corrupted <- values
  corrupted[2, 2] <- 1
  expect_error(.Call(ffi_product, new_dense_store(corrupted), p$w), "diagonal")
})
