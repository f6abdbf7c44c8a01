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
    for (form in list(
      list(x), list(x[, 1]), list(dist(x)), list(semimetric_matrix(x, type = "gram")),
      list(x, semimetric = rho_gaussian(1))
    )) {
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
    kgroups_changes(x, 0)
    kgroups_changes(x, 2.5)
    kgroups_changes(x, 61)
    kgroups_changes(x, 2, least = 0)
    kgroups_changes(x, 2, colour = 1)
  })
})

test_that("the statistics of a test are the best falls of W within the runs, over the W/m of the run", {
  set.seed(3)
  for (draw in 1:6) {
    n <- 13
    x <- matrix(rnorm(2 * n), n)
    least <- draw %% 3 + 1
    starts <- c(1L, 6L)
    problem <- as_problem(x, rho_power(1), NULL)
    layout <- sequence_layout(n, starts, least)
    found <- falls_of_W(store_values(problem$store), layout)
    W <- function(rows, start = 1) energy_statistics(x[rows, , drop = FALSE], cumsum(seq_along(rows) %in% start))$W
    brute <- vapply(list(1:5, 6:13), function(rows) {
      m <- length(rows)
      best <- function(k) {
        if (m < k * least) return(W(rows))
        min(vapply(all_runs(m, k, least), function(start) W(rows, start), 0))
      }
      (W(rows) - c(best(2), min(best(2), best(3)))) / W(rows) * m
    }, c(0, 0))
    expect_equal(found[1, ], apply(brute, 1, max))
    expect_equal(found[2, ], apply(brute, 1, which.max))
  }
})

test_that("cells are blocks of adjacent observations of one run, and blocks of full size move", {
  for (n in c(5, 200, 2500)) for (starts in list(1L, c(1L, 4L))) {
    layout <- sequence_layout(n, starts, 2)
    expect_true(all(diff(layout$block) %in% 0:1))
    expect_true(all(diff(layout$cell) %in% 0:1))
    expect_identical(tabulate(layout$cell[layout$block]), as.integer(layout$size))
    run <- findInterval(seq_len(n), starts)
    for (i in seq_along(starts)) {
      own <- findInterval(seq_along(layout$size), layout$first) == i
      expect_identical(unique(run[layout$cell[layout$block] %in% which(own)]), i)
      expect_true(all(run[layout$block %in% layout$moving[[i]]] == i))
      expect_length(unique(tabulate(layout$block)[layout$moving[[i]]]), 1)
    }
  }
  set.seed(1)
  problem <- as_problem(rnorm(60))
  block <- rep(1:20, each = 3)
  B <- store_values(problem$store)
  expect_equal(sums_of_blocks(problem, block), unname(t(rowsum(t(rowsum(B, block)), block))))
})

test_that("tests find clear changes, none in one distribution, and an interior run", {
  set.seed(4)
  clear <- kgroups_changes(c(rnorm(40), rnorm(40, 4), rnorm(40, 4, 8)), R = 59, independent = TRUE)
  expect_identical(clear$k, 3L)
  expect_lt(max(abs(clear$changes[[1]] - c(41, 81))), 6)
  expect_identical(clear$tests$changes, 0:2)
  expect_identical(clear$tests$p.value <= 0.05, c(TRUE, TRUE, FALSE))
  expect_equal(clear$W, energy_statistics(clear$series, clear$run)$W)
  expect_output(print(clear), "2 changes at the level 0.05; a further one has p")
  interior <- kgroups_changes(rnorm(120, rep(c(0, 3, 0), c(50, 20, 50))), R = 59, independent = TRUE)
  expect_identical(interior$k, 3L)
  none <- replicate(20, kgroups_changes(rnorm(40), R = 39, independent = TRUE)$k)
  expect_gt(mean(none == 1), 0.7)
  # nothing to find
  expect_identical(kgroups_changes(rep(1, 30), R = 19)$k, 1L)
  expect_identical(kgroups_changes(1:3, least = 2)$k, 1L)
  expect_output(print(kgroups_changes(1:3)), "0 changes at the level 0.05")
  long <- kgroups_changes(rnorm(1500, rep(c(0, 2), c(1000, 500))), R = 39, independent = TRUE)
  expect_identical(long$k, 2L)
  expect_lt(abs(long$changes[[1]] - 1001), 30)
  # the least run is a tenth of the observations, 2 to 30, unless it is given
  expect_identical(
    c(interior$least, long$least, kgroups_changes(1:3)$least, kgroups_changes(1:40, 2)$least), c(12, 30, 2, 2)
  )
  expect_identical(
    kgroups_changes(rnorm(60, rep(c(0, 9, 0), c(30, 3, 27))), R = 59, least = 3, independent = TRUE)$k, 3L
  )
  by_dist <- kgroups_changes(dist(c(rnorm(20), rnorm(20, 5))), R = 39, independent = TRUE)
  expect_lt(abs(by_dist$changes[["2"]] - 21), 3)
  expect_snapshot(error = TRUE, {
    kgroups_changes(1:20, alpha = 2)
    kgroups_changes(1:20, R = 5)
  })
})

test_that("the time of a series, or the column that is named, comes out and is no part of the data", {
  set.seed(5)
  v <- c(rnorm(30), rnorm(30, 4))
  plain <- kgroups_changes(v, 2)
  at <- plain$changes[[1]]
  day <- as.Date("2020-01-01") + 0:59
  months <- structure(2000 + 0:59 / 12, class = "yearmon")
  monthly <- data.frame(t = 1:60, v)
  monthly$t <- months
  forms <- list(
    list(ts(v, start = 1990), NULL, 1990 + 0:59), list(structure(v, index = day, class = "zoo"), NULL, day),
    list(structure(
      cbind(v), index = structure(as.numeric(as.POSIXct(day)), tclass = "Date", tzone = "UTC"), class = c("xts", "zoo")
    ), NULL, day),
    list(data.frame(day = day, v = v), "day", day), list(data.frame(v = v, at = as.POSIXct(rev(day))), "at", as.POSIXct(rev(day))),
    list(data.frame(t = day - day[1], v), "t", day - day[1]), list(monthly, "t", months), list(cbind(v, n = 60:1), "n", 60:1)
  )
  for (one in forms) {
    expect_silent(found <- kgroups_changes(one[[1]], 2, time = one[[2]]))
    expect_identical(found$clock, one[[2]])
    expect_equal(found$W, plain$W)
    expect_identical(found$changes, plain$changes)
    expect_equal(found$time, one[[3]], ignore_attr = "names")
    expect_equal(as.data.frame(found)$from, one[[3]][c(1, at)], ignore_attr = "names")
    expect_identical(predict(found, one[[3]]), unname(found$run))
    expect_identical(predict(found), unname(found$run))
    expect_output(print(found), "times")
    if (!inherits(found$time, "yearmon")) expect_no_error(as_figure(found))
  }
  expect_output(print(kgroups_changes(forms[[4]][[1]], 2, time = "day")), "Time: column day, no part of the data")
  # no column is the time without its name
  expect_null(kgroups_changes(data.frame(year = 1900:1959, v), 2)$time)
  expect_identical(predict(plain, c(1, at - 1, at, 99)), c(1L, 1L, 2L, 2L))
  expect_identical(predict(kgroups_changes(v, 1:3), runs = 1), rep(1L, 60))
  expect_snapshot(error = TRUE, {
    predict(plain, day)
    predict(kgroups_changes(forms[[2]][[1]], 2), 3)
    predict(plain, runs = 5)
  })
})

test_that("fitted() returns the mean of the run of every observation", {
  set.seed(9)
  x <- cbind(a = rnorm(30), b = rnorm(30, rep(c(0, 4), 15)))
  x[5, 1] <- NA
  found <- suppressMessages(kgroups_changes(x, 2:3))
  for (runs in 2:3) {
    run <- predict(found, runs = runs)
    expect_equal(
      fitted(found, runs), apply(found$series, 2, function(v) stats::ave(v, run, FUN = function(u) mean(u, na.rm = TRUE))),
      ignore_attr = TRUE
    )
  }
  one <- kgroups_changes(ts(x[-5, 1]), 2)
  expect_equal(unname(fitted(one)), stats::ave(x[-5, 1], one$run))
  expect_error(fitted(kgroups_changes(dist(x[-5, ]), 2)), class = "kg_error_object")
  expect_error(fitted(found, 9), class = "kg_error_runs")
})

test_that("one run is an answer: it has no message", {
  expect_no_message(one <- kgroups_changes(Nile, 1))
  expect_identical(one$k, 1L)
})

test_that("the time of every row must be known, and one observation is one run", {
  set.seed(11)
  v <- c(rnorm(20), rnorm(20, 4))
  for (day in list(as.Date("2024-01-01") + 1:40, as.POSIXct("2024-01-01", tz = "UTC") + 3600 * 40:1)) {
    d <- data.frame(day = replace(day, c(7, 9), NA), v)
    expect_error(kgroups_changes(d, time = "day"), class = "kg_error_time")
  }
  for (one in list(3, matrix(1:2, 1), ts(3), as.dist(matrix(0, 1, 1)), as_gram(matrix(2)))) {
    found <- kgroups_changes(one)
    expect_identical(found$k, 1L)
    expect_output(print(found), "1 observation")
    expect_identical(predict(found), 1L)
  }
})

test_that("a time that is given is the time, whatever the columns are", {
  set.seed(5)
  v <- c(rnorm(30), rnorm(30, 4))
  year <- c(1900:1929, 1940:1969)
  plain <- kgroups_changes(v, 2)
  times <- list(
    year, rev(year), stats::setNames(year, 1:60), as.Date("2020-01-01") + year, as.POSIXct("2020-01-01") + year, ts(year)
  )
  for (time in times) {
    forms <- list(v, data.frame(v), dist(v), ts(v))
    for (x in forms) {
      expect_silent(found <- kgroups_changes(x, 2, time = time))
      expect_identical(found$run, plain$run)
      expect_equal(found$time, if (is.ts(time)) as.numeric(time) else time, ignore_attr = "names")
      expect_identical(predict(found, found$time), unname(found$run))
    }
  }
  for (time in list(year[-1], letters, as.character(year), replace(year, 3, NA), sample(year), list(year))) {
    expect_error(kgroups_changes(data.frame(year, v), 2, time = time), class = "kg_error_time")
  }
})

test_that("more runs than memory holds are an error before the work", {
  set.seed(1)
  withr::local_options(kgroups.memory = 1e7)
  expect_error(kgroups_changes(rnorm(4000), 1:2000), class = "kg_error_memory")
  expect_identical(kgroups_changes(rnorm(40), 1:2)$k, 1:2)
})

test_that("the time of many runs of many observations is announced", {
  set.seed(1)
  stop_there <- function(...) stop("at the work")
  with_replaced("best_runs", stop_there, {
    expect_message(expect_error(kgroups_changes(rnorm(30000), 1000), "at the work"), "minutes", class = "kg_message_long")
    expect_no_message(expect_error(kgroups_changes(rnorm(3000), 1000), "at the work"))
  })
})

test_that("a time limit ends every stage of many runs within a second", {
  set.seed(1)
  withr::defer(setTimeLimit())
  x <- rnorm(40000)
  for (ks in list(1:20000, 2, 20000)) {
    seconds <- system.time(stated <- tryCatch(
      {
        setTimeLimit(elapsed = 0.5, transient = TRUE)
        suppressMessages(kgroups_changes(x, ks))
      },
      error = conditionMessage
    ))[[3L]]
    setTimeLimit()
    expect_identical(stated, "reached elapsed time limit")
    expect_lt(seconds, 5)
  }
  expect_identical(kgroups_changes(c(1, 1, 5, 5), 2)$changes[[1L]], 3L)
})

test_that("a series whose index is text has no time", {
  v <- c(1, 1, 1, 5, 5, 5)
  found <- kgroups_changes(structure(v, index = letters[1:6], class = "zoo"), 2)
  expect_null(found$time)
  expect_no_warning(as_figure(found))
})

test_that("steps without noise are found", {
  set.seed(1)
  steps <- list(
    `21` = rep(c(TRUE, FALSE), each = 20), `31` = c(rep(1, 30), rep(5, 30)), `21, 41` = rep(c(1, 5, 2), each = 20),
    `26` = cbind(rep(3:4, each = 25), rnorm(50))
  )
  for (places in names(steps)) {
    for (independent in c(FALSE, TRUE)) {
      found <- kgroups_changes(steps[[places]], independent = independent, R = 99)
      expect_identical(toString(found$changes[[1L]]), places)
    }
  }
  expect_length(kgroups_changes(rep(1, 40) + 1e-300)$changes[[1L]], 0L)
})

test_that("the runs are labels wherever a partition is one", {
  set.seed(41)
  y <- c(rnorm(20), rnorm(25, 6))
  runs <- kgroups_changes(y, 2)
  expect_identical(unname(kgroups(y, 2, init = runs, nstart = 1)$cluster), unname(kgroups(y, 2)$cluster))
  expect_equal(compare_clusters(runs, rep(1:2, c(20, 25))), 1)
  expect_equal(energy_statistics(y, runs)$W, runs$W)
  expect_warning(energy_test(y, runs, R = 19), class = "kg_warning_level")
  expect_error(kgroups(y, 2, init = kgroups_changes(y, 2:3)), class = "kg_error_init")
})

test_that("a sparse Gram matrix has the changes of the dense one, and the time of tests is announced", {
  set.seed(10)
  x <- matrix(rnorm(60, rep(c(0, 3), each = 30)), 60)
  G <- tcrossprod(x)
  sparse <- Matrix::Matrix(G, sparse = TRUE)
  expect_identical(kgroups_changes(sparse, 1:3)$changes, kgroups_changes(as_gram(G), 1:3)$changes)
  reported <- function(...) tryCatch(kgroups_changes(rnorm(12000), ...), kg_message_long = function(c) "reported")
  expect_identical(reported(), "reported")
})

# The best runs by brute force over their starts.
reference_runs <- function(x, m, least) {
  n <- nrow(x)
  cuts <- utils::combn(2:n, m)
  cuts <- cuts[, apply(rbind(1, cuts, n + 1), 2L, function(one) all(diff(one) >= least)), drop = FALSE]
  W <- apply(cuts, 2L, function(one) energy_statistics(x, findInterval(seq_len(n), c(1, one)))$W)
  c(1, cuts[, which.min(W)])
}

# Each change moved by one row, to the least sum of squares about the means.
reference_settled <- function(x, starts, least) {
  n <- nrow(x)
  squares <- function(rows) sum((x[rows, ] - rep(colMeans(x[rows, , drop = FALSE]), each = length(rows)))^2)
  for (i in seq_along(starts)[-1L]) {
    before <- starts[i - 1L]
    after <- c(starts, n + 1)[i + 1L]
    at <- starts[i] + -1:1
    at <- at[at - before >= least & after - at >= least]
    starts[i] <- at[which.min(vapply(at, function(one) squares(before:(one - 1)) + squares(one:(after - 1)), 0))]
  }
  starts
}

# The autoregression of deviations by the equations of Yule and Walker: list(phi, value).
reference_autoregression <- function(rest, run) {
  n <- length(rest)
  raw <- vapply(0:3, function(h) {
    same <- which(run[seq_len(n - h)] == run[seq_len(n - h) + h])
    sum(rest[same] * rest[same + h]) / max(length(same), 1)
  }, 0)
  gamma <- raw
  for (again in 1:2) {
    one <- max(-0.98, min(0.98, gamma[2] / gamma[1]))
    gamma <- raw + gamma[1] * (1 - one^2) / (1 - one)^2 * max(run) / n
  }
  tried <- lapply(1:3, function(p) {
    phi <- solve(toeplitz(gamma[seq_len(p)]), gamma[1 + seq_len(p)])
    list(phi = phi, value = n * log(gamma[1] - sum(phi * gamma[1 + seq_len(p)])) + p * log(n))
  })
  phi <- tried[[which.min(vapply(tried, `[[`, 0, "value"))]]$phi * (1 + 2 / n)
  while (min(Mod(polyroot(c(1, -phi)))) < 1.01) phi <- 0.98 * phi
  e <- stats::filter(rest, c(1, -phi), sides = 1)[-(1:3)]
  list(phi = c(phi, numeric(3 - length(phi))), value = n * log(mean(e^2)) + length(phi) * log(n))
}

reference_dependence <- function(x, least, most) {
  n <- nrow(x)
  tried <- lapply(0:most, function(m) {
    run <- findInterval(seq_len(n), if (m > 0) reference_settled(x, reference_runs(x, m, least), least) else 1)
    rest <- x - rowsum(x, run)[run, , drop = FALSE] / tabulate(run)[run]
    fits <- lapply(seq_len(ncol(x)), function(j) reference_autoregression(rest[, j], run))
    value <- sum(vapply(fits, `[[`, 0, "value")) + m * (ncol(x) + 1) * log(n)
    list(phi = vapply(fits, `[[`, numeric(3), "phi"), changes = m, value = value)
  })
  tried[[which.min(vapply(tried, `[[`, 0, "value"))]][c("phi", "changes")]
}

test_that("the autoregression and its changes are those of brute force", {
  changes <- integer()
  for (seed in 1:20) {
    set.seed(seed)
    x <- matrix(as.numeric(replicate(1 + seed %% 2, stats::arima.sim(list(ar = runif(1, -0.5, 0.9)), 26))), 26)
    if (seed %% 3) x[(8 + seed %% 10):26, ] <- x[(8 + seed %% 10):26, ] + 4
    found <- fit_dependence(x, as_problem(x), 8)
    expect_equal(found, reference_dependence(x, 8, 2), tolerance = 1e-8)
    changes <- c(changes, found$changes)
  }
  expect_setequal(changes, 0:1)
})

test_that("residuals and series are inverse, for every order", {
  set.seed(2)
  e <- matrix(rnorm(400), 200)
  phi <- cbind(c(0.5, -0.2, 0.1), c(0.8, 0, 0))
  x <- simulated_series(e, phi, 200)
  expect_equal(innovations_of(x, phi), e[-(1:3), ])
  expect_equal(x[, 2], as.vector(stats::filter(e[, 2], 0.8, "recursive")))
  walk <- matrix(cumsum(rnorm(60)) + 1:60)
  found <- fit_dependence(walk, as_problem(walk), 30)$phi
  expect_gte(min(Mod(polyroot(c(1, -found)))), 1.01)
})

test_that("the autoregression is that of Yule and Walker without changes, whatever the shifts", {
  set.seed(3)
  x <- matrix(as.numeric(stats::arima.sim(list(ar = 0.6), 600)))
  problem <- as_problem(x)
  plain <- fit_dependence(x, problem, 30)
  expect_identical(plain$changes, 0L)
  expect_lt(abs(plain$phi[1] - 0.6), 0.12)
  shifted <- x + rep(c(0, 12, 0), each = 200)
  found <- fit_dependence(shifted, problem, 30)
  expect_identical(found$changes, 2L)
  expect_lt(abs(found$phi[1] - plain$phi[1]), 0.1)
  independent <- fit_dependence(matrix(rnorm(300) + rep(c(0, 3), 150)[rep(1:2, each = 150)]), problem, 30)
  expect_lt(max(abs(independent$phi)), 0.3)
  expect_identical(fit_dependence(matrix(1, 50), problem, 5)$phi, matrix(0, 3, 1))
})

test_that("autoregressions without a change have none, changes are found, and independent rows have the test of permutations", {
  set.seed(4)
  p <- replicate(60, kgroups_changes(as.numeric(stats::arima.sim(list(ar = 0.7), 60)), R = 19)$tests$p.value[1])
  # four standard errors
  expect_lt(mean(p <= 0.05), 0.21)
  x <- stats::arima.sim(list(ar = 0.5), 120) + rep(c(0, 5), each = 60)
  found <- kgroups_changes(as.numeric(x), R = 39)
  expect_identical(found$k, 2L)
  expect_lt(abs(found$changes[[1]] - 61), 4)
  expect_output(print(found), "Autocorrelation of adjacent observations within runs: 0")
  expect_identical(dim(found$dependence), c(3L, 1L))
  y <- rnorm(50)
  set.seed(5)
  a <- kgroups_changes(y, R = 39, independent = TRUE)
  set.seed(5)
  expect_identical(test_further_change(as_problem(y), 1L, 5, 39)$p.value, a$tests$p.value[1])
  expect_null(a$dependence)
})

test_that("dissimilarities, kernels and several columns are whitened too, and a trend is named", {
  set.seed(6)
  x <- cbind(as.numeric(stats::arima.sim(list(ar = 0.6), 60)), rnorm(60)) + rep(c(0, 6), each = 30)
  for (data in list(x, dist(x), semimetric_matrix(x, type = "gram"))) {
    found <- kgroups_changes(data, R = 19)
    expect_identical(found$k, 2L)
    expect_lt(abs(found$changes[[1]] - 31), 3)
  }
  expect_true(follows_slope(matrix(1:60), rep(1:3, each = 20)) && !follows_slope(x, rep(1:3, c(15, 15, 30))))
})

test_that("a burst of far values hides no shift and makes no autoregression", {
  set.seed(4)
  x <- c(rnorm(100), rnorm(60, 2.5), rnorm(80))
  found <- kgroups_changes(replace(x, 50:55, 9), R = 99)
  for (at in c(101, 161)) expect_lte(min(abs(found$changes[[1]] - at)), 3)
  expect_lt(abs(found$dependence[1]), 0.2)
  nile <- kgroups_changes(replace(Nile, 60:62, 3000), R = 99)
  expect_true(1899 %in% nile$time[nile$changes[[1]]])
  # what is no burst stays
  y <- cbind(as.numeric(stats::arima.sim(list(ar = 0.8), 120)), rep(0:1, 60))
  expect_equal(without_bursts(y), y)
})

test_that("dependence beyond an autoregression of each column is reported, and an autoregression is not", {
  set.seed(11)
  A <- matrix(c(0.5, 0.3, 0, 0, 0.5, 0.3, 0.3, 0, 0.5), 3)
  across <- function() Reduce(function(before, t) drop(A %*% before) + rnorm(3), 1:150, numeric(3), accumulate = TRUE)
  arch <- function() Reduce(function(x, t) rnorm(1) * sqrt(0.3 + 0.7 * x^2), 1:300, 0, accumulate = TRUE)
  reported <- function(x) {
    any <- FALSE
    withCallingHandlers(kgroups_changes(x, R = 19), message = function(c) {
      any <<- any || inherits(c, "kg_message_dependence")
      invokeRestart("muffleMessage")
    })
    any
  }
  withr::local_options(rlib_message_verbosity = "verbose")
  expect_gte(sum(replicate(5, reported(do.call(rbind, across())))), 4)
  expect_gte(sum(replicate(5, reported(unlist(arch())))), 3)
  expect_lte(sum(replicate(10, reported(as.numeric(stats::arima.sim(list(ar = 0.6), 100))))), 1)
  expect_lte(sum(replicate(10, reported(matrix(rnorm(300), 100)))), 1)
})

test_that("permuted blocks hold each row once and adjacent rows together", {
  set.seed(12)
  for (each in c(1, 3, 7)) {
    out <- permuted_blocks(11:40, each)
    expect_setequal(out, 11:40)
    if (each > 1) expect_gte(mean(diff(out) == 1), 1 - 1.2 / each - 0.05)
  }
})
