# All divisions of 1..n into k runs of at least `least`, by their first observations.
all_runs <- function(n, k, least) {
  if (k == 1) {
    return(list(1L))
  }
  starts <- utils::combn(2:n, k - 1)
  good <- apply(starts, 2, function(s) all(diff(c(1, s, n + 1)) >= least))
  lapply(which(good), function(j) c(1L, starts[, j]))
}

test_that("runs are the best of all divisions, for every store", {
  set.seed(1)
  for (least in 1:3) {
    x <- matrix(rnorm(18), 9)
    for (form in list(list(x), list(x[, 1]), list(dist(x)), list(semimetric_matrix(x, type = "gram")), list(x, semimetric = rho_gaussian(1)))) {
      found <- do.call(kgroups_changes, c(form, list(ks = 1:3, least = least)))
      for (k in 1:3) {
        W <- vapply(all_runs(9, k, least), function(start) {
          do.call(energy_statistics, c(form[1], list(cluster = cumsum(1:9 %in% start)), form[-1]))$W
        }, 0)
        expect_equal(found$W[k], min(W), tolerance = 1e-10)
        run <- found$run[, k]
        expect_equal(do.call(energy_statistics, c(form[1], list(cluster = run), form[-1]))$W, min(W), tolerance = 1e-10)
        expect_true(all(tabulate(run) >= least))
        expect_identical(found$changes[[k]], which(diff(run) == 1) + 1L)
      }
    }
  }
})

test_that("changes of location and of scale are found, and wrong input is a classed error", {
  set.seed(2)
  x <- c(rnorm(40), rnorm(40, 4), rnorm(40, 4, 8))
  found <- kgroups_changes(x, 3)
  expect_lt(max(abs(found$changes[[1]] - c(41, 81))), 6)
  expect_identical(found$run, cumsum(seq_along(x) %in% c(1, found$changes[[1]])))
  expect_output(print(found), "Change points of 120 observations")
  expect_snapshot(error = TRUE, {
    kgroups_changes(x)
    kgroups_changes(x, 0)
    kgroups_changes(x, 2.5)
    kgroups_changes(x, 61)
    kgroups_changes(x, 2, least = 0)
    kgroups_changes(x, 2, colour = 1)
  })
})
