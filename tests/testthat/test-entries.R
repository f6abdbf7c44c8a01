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
      gctorture2(repeats(9L, 1L)) # at some allocations, or at every one
      got <- eval(call)
      gctorture(FALSE)
      expect_identical(got, expected[[name]][[at]], info = name)
    }
  }
})

# The same values as ALTREP vectors, whose data R hands out when it needs them; compact
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

test_that("ALTREP arguments give the same result, and arguments are not modified", {
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
      gctorture2(repeats(15L, 5L)) # every allocation is the business of the test above
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
test_that("every routine checks for interrupts and can be interrupted", {
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
    "fit <- function() kgroups::kgroups(iris[1:4], 3, init = iris$Species, threads = 2)",
    "first <- fit()$W",
    "stopifnot('kgroups' %in% names(getLoadedDLLs()))",
    "unloadNamespace('kgroups')",
    "stopifnot(!'kgroups' %in% names(getLoadedDLLs()))",
    "stopifnot(identical(fit()$W, first))",
    "cat('as before')"
  )
  expect_match(run_script(code), "as before")
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
    NULL, list(), list(method = 2, iter_max = 10), list(method = 0), list(method = 0, iter_max = -1)
  )) {
    expect_error(descend_with(control = control))
  }
  attempts <- c(hartigan, list(patience = 2, fails = 2, idle = 0, again = 1, values = 1e9))
  expect_error(descend_with(control = c(attempts, list(uniforms = numeric()))), "uniforms")
  expect_error(descend_with(control = c(hartigan, list(uniforms = p$uniforms))), "a field is missing: patience")
  expect_error(.Call(ffi_plusplus, problem, 2, 1, numeric(3)))
  expect_error(.Call(ffi_extend, problem, 2, 7L, 1L))
  expect_error(.Call(ffi_cross_sums, problem, numeric(3), labels, 2))
  expect_error(.Call(ffi_dimension, NULL, 2, labels))
  expect_error(.Call(ffi_dimension, problem, 3, labels))
  expect_error(.Call(ffi_dimension, problem, 2, labels[-1]))
  expect_error(.Call(ffi_permute, NULL, p$w, labels, 1:2, NULL, 0))
  expect_error(.Call(ffi_permute, problem, labels, labels, 1:2, NULL, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels[-1], 1:2, NULL, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels + 1L, 1:2, NULL, 0))
  expect_error(.Call(ffi_permute, problem, p$w, replace(labels, 1, NA), 1:2, NULL, 0))
  expect_error(.Call(ffi_permute, problem, p$w, integer(), 1:2, NULL, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels, 1:2, NULL, 4))
  expect_error(.Call(ffi_permute, problem, p$w, labels, NULL, NULL, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels, 1:2, NULL, 3))
  expect_error(.Call(ffi_permute, problem, p$w, labels, 1:2, 1, 0))
  expect_error(.Call(ffi_permute, problem, p$w, labels, c(1L, 9L), NULL, 0))
  values <- .Call(ffi_pair_values, store)
  corrupted <- values
  corrupted[2, 2] <- 1
  expect_error(.Call(ffi_product, new_dense_store(corrupted), p$w), "diagonal")
})

# ---- misuse ----

# Every registered routine called with one argument that is not what it must be: an R
# error or a valid result, never a crash. A crash ends the whole run, so it cannot be
# overlooked; that what comes back is valid is checked below.

s4 <- function() methods::new("classRepresentation")

# Values of every type that an argument may not be.
foreign_values <- function() {
  list(
    NULL, NA, TRUE, "a", NA_character_, character(), list(), list(1), list(NULL, 1), sum,
    function(x) x, globalenv(), quote(x), quote(f(x)), expression(a), 1i, raw(), as.raw(1:8),
    s4(), routines()[[1]]$address, integer(), numeric(), 0L, 1L, -1L, NA_integer_,
    .Machine$integer.max, -.Machine$integer.max, 0, 1, -1, 0.5, NA_real_, NaN, Inf, -Inf, 1e300,
    -1e300, 5e-324, 2^31, 2^31 - 1, 2^32, 2^53, 1:6, 6:1, as.numeric(1:6), as.character(1:6),
    1:1000, as.numeric(1:1000), numeric(1000), matrix(0, 6, 6), array(0, c(2, 3, 2)),
    structure(numeric(3), class = "dist", Size = 6L), factor(c("a", "b")), Sys.Date(),
    structure(list(), class = "data.frame", row.names = .set_row_names(6))
  )
}

# The valid value itself, changed: lengths, elements, attributes that lie, ALTREP.
changed_values <- function(value) {
  out <- list()
  add <- function(x) out[[length(out) + 1L]] <<- x
  if (!is.atomic(value) || is.null(value)) {
    return(out)
  }
  n <- length(value)
  add(value[-1L])
  add(value[-n])
  add(value[0L])
  add(c(value, value[1L]))
  add(rep(value, 16))
  add(rev(value))
  if (is.raw(value)) {
    add(rep(as.raw(255), n))
    add(as.raw(rep(c(0, 0, 0xc0, 0x7f), length.out = n)))
    return(out)
  }
  new <- if (is.integer(value)) {
    c(NA, 0L, -1L, 1000L, .Machine$integer.max, -.Machine$integer.max)
  } else if (is.numeric(value)) {
    c(NA, NaN, Inf, -Inf, 0, -1, 1e300, -1e300, 5e-324, 1e-320, 2^31, 0.5)
  }
  for (element in new) {
    for (at in unique(c(1L, (n + 1L) %/% 2L, n))) add(replace(value, at, element))
    add(rep(element, n))
  }
  add(structure(value, dim = c(1L, n)))
  add(structure(value, dim = c(n, 1L, 1L)))
  add(structure(value, Size = 1000L, class = "dist"))
  if (is.integer(value)) add(structure(value, class = "factor", levels = "a"))
  add(structure(as.vector(value), names = rep("a", n)))
  add(if (is.integer(value)) seq_len(n) else as.numeric(seq_len(n)))
  add(sort(value)) # an ALTREP wrapper where it is long enough
  if (is.integer(value)) add(as.numeric(value))
  if (is.double(value)) suppressWarnings(add(as.integer(value)))
  add(as.list(value))
  out
}

wrong_values <- function(value) {
  out <- c(foreign_values(), changed_values(value))
  if (is.list(value)) { # a store of pairwise dissimilarities
    out <- c(out, list(value[-1L], c(value, 1), rev(value)))
    for (a in seq_along(value)) {
      for (wrong in c(foreign_values(), changed_values(value[[a]]))) {
        out[[length(out) + 1L]] <- replace(value, a, list(wrong))
      }
    }
  }
  out
}

# Values that a routine may hand back: labels from 1, no index that is missing.
valid_result <- function(out) {
  parts <- if (is.list(out)) out else list(out)
  labels <- Filter(is.integer, parts[names(parts) %in% c("cluster", "labels", "run")])
  fine <- vapply(labels, function(l) !anyNA(l) && all(l >= 1L), NA)
  fits <- parts[names(parts) == "fit"]
  all(fine) && all(vapply(fits, function(fit) all(fit$cluster >= 1L), NA))
}

# The number of calls that gave an error, and of those whose result is not valid.
misuse <- function(name, arguments, at) {
  errors <- bad <- 0
  for (wrong in wrong_values(arguments[[at]])) {
    changed <- arguments
    changed[at] <- list(wrong)
    out <- tryCatch(list(call_entry(name, changed)), error = identity)
    if (inherits(out, "error")) {
      errors <- errors + 1
    } else if (!valid_result(out[[1L]])) {
      bad <- bad + 1
    }
  }
  c(errors = errors, bad = bad)
}

test_that("the table of valid calls has every routine", {
  expect_setequal(names(entry_calls()), names(routines()))
  for (name in names(routines())) {
    for (arguments in entry_calls()[[name]]) {
      expect_length(arguments, routines()[[name]]$numParameters)
      if (length(arguments)) expect_error(call_entry(name, arguments[-1L]))
      expect_error(call_entry(name, c(arguments, 1)))
    }
  }
})

calls <- entry_calls()
for (name in names(calls)) {
  test_that(paste("wrong arguments of", name, "are errors or do no harm"), {
    skip_on_cran()
    withr::defer({
      .Call(ffi_choose_loops, "auto")
      .Call(ffi_choose_threads, 1)
    })
    .Call(ffi_choose_loops, "auto")
    for (arguments in calls[[name]]) {
      before <- call_entry(name, arguments)
      for (at in seq_along(arguments)) {
        found <- misuse(name, arguments, at)
        # most of the foreign types cannot be right for any argument
        expect_gt(found[["errors"]], 25)
        expect_identical(found[["bad"]], 0)
      }
      .Call(ffi_choose_loops, "auto")
      expect_identical(call_entry(name, arguments), before)
    }
  })
}

test_that("compact sequences and wrapped vectors are used by their values", {
  set.seed(1)
  x <- matrix(rnorm(200), 100)
  store <- as_problem(x)$store
  problem <- list(w = rep(1, 100), store = store)
  wrapped <- sort(runif(100))
  plain <- wrapped + 0
  compact <- as.numeric(1:100)
  copied <- compact + 0
  copied[1L] <- 1
  expect_identical(.Call(ffi_product, store, wrapped), .Call(ffi_product, store, plain))
  expect_identical(.Call(ffi_product, store, compact), .Call(ffi_product, store, copied))
  labels <- 1:100
  listed <- replace(labels, 1L, 1L)
  expect_identical(
    .Call(ffi_dispersion, problem, labels, 100), .Call(ffi_dispersion, problem, listed, 100)
  )
  expect_identical(labels, 1:100)
})

test_that("a vector longer than 2^31 is refused before it is allocated", {
  p <- entry_problem()
  long <- seq_len(2^31 + 5)
  expect_error(.Call(ffi_product, p$points, long), "length")
  long_weights <- list(w = long, store = p$points$store)
  expect_error(.Call(ffi_descend, long_weights, 2, p$half, list(method = 0, iter_max = 10)), "length")
  expect_error(.Call(ffi_permute, p$points, long, p$half, 1:2, NULL, 0), "length")
})

test_that("a corrupted sparse pattern is an error", {
  g <- entry_graph()
  w <- rep(1, 6)
  half <- rep(1:2, 3)
  totals <- function(start = g$start, row = g$row, value = g$value, diagonal = g$diagonal) {
    store <- list(n = 6, start = start, row = row, value = value, diagonal = diagonal)
    problem <- list(w = w, store = structure(store, class = "kgroups_sparse"))
    .Call(ffi_descend, problem, 2, half, list(method = 0, iter_max = 0))
  }
  belief <- function(row) {
    call_entry("ffi_belief", belief_arguments(replace(g, "row", list(row))))
  }
  expect_error(totals(start = rev(g$start)), "start")
  expect_error(totals(start = replace(g$start, 3, 1000L)), "start")
  expect_error(totals(start = replace(g$start, 3, -5L)), "start")
  expect_error(totals(start = g$start + 1L), "start")
  expect_error(totals(row = replace(g$row, 1, 6L)), "row is out of range")
  expect_error(totals(row = replace(g$row, 1, -1L)), "row is out of range")
  expect_error(totals(row = replace(g$row, 1, NA)), "row is out of range")
  expect_error(totals(row = replace(g$row, 1, g$row[2])), "row must not repeat")
  for (value in list(replace(g$value, 1, NaN), replace(g$value, 1, Inf), g$value[-1])) expect_error(totals(value = value))
  for (diagonal in list(NULL, 1, replace(g$diagonal, 1, NA))) expect_error(totals(diagonal = diagonal))
  # unsorted rows are a valid sum, but not a graph whose messages can be paired
  unsorted <- g$row
  unsorted[1:3] <- rev(unsorted[1:3])
  value <- g$value
  expect_identical(totals(row = unsorted), totals())
  expect_error(belief(unsorted), "symmetric with rising rows")
  expect_error(belief(replace(g$row, 1, 2L)), "symmetric")
})

# SIGINT to a child R process in the middle of every long routine: the call answers, R stays
# usable, and the next result is right. How fast it answers is measured in tools/trust/interrupt.R.

test_that("every long routine answers an interrupt", {
  skip_on_cran()
  skip_on_covr() # code that counts its lines is too slow to be caught in time
  skip_on_os("windows")
  skip_if_not_installed("processx")
  skip_if_interrupts_ignored()
  found <- interrupt_calls(long_calls)
  info <- paste(c(utils::capture.output(print(found)), attr(found, "output")), collapse = "\n")
  expect_identical(found$answer, rep("interrupted", length(long_calls)), info = info)
  expect_identical(found$right, rep(TRUE, length(long_calls)), info = info)
})

test_that("routines refuse what would break their contracts", {
  x <- withr::with_seed(1, matrix(rnorm(60), 30))
  x[3, 1] <- 1e300
  store <- structure(list(x = x, rho = c(0, 1), n = 30), class = "kgroups_points")
  expect_error(.Call(ffi_connected, list(store = store, w = rep(1, 30)), c(3, 3, 1, 0.5, 2)), "not finite")
  expect_error(.Call(ffi_dip, c(NaN, 1, 2)), "finite")
  expect_error(.Call(ffi_dip, c(1, Inf)), "finite")
  expect_error(.Call(ffi_runs, c(2, 1, 3), NULL, 2L), "ascending")
  expect_error(.Call(ffi_runs, c(1, 2, NaN), NULL, 2L), "finite")
  expect_error(.Call(ffi_runs, c(1, 2, 3), c(1, -1, 1), 2L), "not negative")
  for (k in list(1, 0L, 4L, NA_integer_, 2:1)) expect_error(.Call(ffi_runs, c(1, 2, 4), NULL, k))
  for (ends in list("a", c(2, 4, 5), 9)) expect_error(.Call(ffi_runs_label, c(1, 2, 4), ends))
  store$x[3, 1] <- NaN
  expect_error(.Call(ffi_dispersion, list(store = store, w = rep(1, 30)), rep(1:2, 15), 2), "not finite")
})

test_that("the rule of gaps and mixtures without a component are refused", {
  p <- entry_problem()
  rule <- entry_calls()$ffi_connected[[1]][[2]]
  for (at in 1:5) for (wrong in c(NaN, -1)) {
    expect_error(.Call(ffi_connected, p$points, replace(rule, at, wrong)), "must")
  }
  expect_error(.Call(ffi_connected, p$points, replace(rule, 1, 0)), "above 0")
  none <- list(size = numeric(), mean = numeric(), scatter = numeric(), nu = 5)
  expect_error(.Call(ffi_mixture_assign, list(y = p$x, w = p$w), none), "component")
})
