# Two normals, and noise: in a box around them, far away, or as a clump.
noisy <- function(n, m, kind, p = 2) {
  x <- matrix(rnorm(n * p), n)
  x[, 1] <- x[, 1] + rep_len(c(0, 8), n)
  noise <- switch(kind,
    box = matrix(runif(m * p, -10, 20), ncol = p), far = matrix(rnorm(m * p, sd = 1e3), m),
    clump = matrix(rnorm(m * p, 40, 0.5), m)
  )
  list(x = rbind(x, noise), truth = c(rep_len(1:2, n), rep(0, m)))
}

test_that("trim = 0 is the plain fit", {
  set.seed(1)
  plain <- kgroups(iris[1:4], 3)
  for (trim in list(0, 0L)) {
    set.seed(1)
    fit <- kgroups(iris[1:4], 3, trim = trim)
    expect_identical(class(fit), class(plain))
    expect_identical(fit$cluster, plain$cluster)
  }
})

test_that("noise of any kind is found, and clusters are those of the clean rows", {
  set.seed(2)
  for (kind in c("box", "far", "clump")) {
    data <- noisy(100, 10, kind)
    for (trim in list(0.12, "auto")) {
      fit <- kgroups(data$x, 2, trim = trim)
      clean <- data$truth > 0
      expect_gt(compare_clusters(data$truth[clean], fit$cluster[clean]), 0.9)
      # a box around the clusters has rows within them
      expect_gte(mean(fit$noise[!clean]), if (kind == "box") 0.4 else 1)
      expect_lte(mean(fit$noise[clean]), 0.1)
    }
  }
})

test_that("one row anywhere does not move the clusters", {
  set.seed(3)
  x <- noisy(60, 0, "box")$x
  clean <- kgroups(x, 2)
  for (far in c(1e3, 1e6, 1e9)) {
    fit <- kgroups(rbind(x, c(far, -far)), 2, trim = 0.02)
    expect_identical(unname(which(fit$noise)), 61L)
    expect_identical(unname(fit$cluster[1:60]), unname(clean$cluster))
    expect_equal(fit$W, clean$W)
  }
})

test_that("the fit is that of the kept rows, for every input and with weights", {
  set.seed(4)
  data <- noisy(60, 8, "far")
  w <- sample(1:3, 68, TRUE)
  for (weights in list(NULL, w)) {
    for (input in list(data$x, as.data.frame(data$x), dist(data$x), as_gram(-as.matrix(dist(data$x)) / 2))) {
      fit <- suppressWarnings(suppressMessages(kgroups(input, 2, trim = 0.15, weights = weights)))
      full <- weights %||% rep(1, 68)
      expect_lte(sum(full[fit$noise]), 0.15 * sum(full))
      expect_true(all(fit$noise[61:68]))
      expect_identical(fit$weights, ifelse(unname(fit$noise), 0, full))
      kept <- energy_statistics(data$x, unname(fit$cluster), weights = fit$weights)
      expect_equal(c(fit$W, fit$S), c(kept$W, kept$S), tolerance = 1e-6)
      expect_identical(fit$sizes, tabulate(fit$cluster[!fit$noise], 2))
      expect_s3_class(fit, c("kgroups_trimmed_fit", "kgroups_fit"), exact = TRUE)
    }
  }
})

test_that("concentration steps never raise W, and stop where no row would change", {
  set.seed(5)
  for (i in 1:10) {
    x <- noisy(50, 10, "box")$x
    problem <- as_problem(x)
    control <- new_control(2L)
    state <- trimmed_state(problem, control, trimmed_weights(problem$w, rnorm(60)^2, 0.2), sample(rep(1:2, 30)))
    for (step in 1:6) {
      following <- trimmed_state(problem, control, trimmed_weights(problem$w, state$own, 0.2), max.col(-state$d2))
      expect_lte(sum(following$out$cost), sum(state$out$cost) * (1 + 1e-9))
      state <- following
    }
  }
  fit <- kgroups(x, 2, trim = 0.2)
  own <- apply(predict(fit, type = "squared"), 1, min)
  expect_lte(max(own[!fit$noise]), min(own[fit$noise]) * (1 + 1e-9))
})

test_that("trimming few rows attains the optimum of all subsets and partitions", {
  # all labelings of m rows by k clusters, up to the names of the clusters
  labelings <- function(m, k) {
    all <- as.matrix(expand.grid(rep(list(seq_len(k)), m)))
    all[apply(all, 1, function(z) identical(unique(z), seq_len(k))), , drop = FALSE]
  }
  brute_force <- function(D, k, trimmed) {
    Z <- labelings(nrow(D) - trimmed, k)
    least <- function(rows) {
      W <- 0
      for (l in seq_len(k)) {
        z <- (Z == l) + 0
        W <- W + rowSums((z %*% D[rows, rows]) * z) / (2 * rowSums(z))
      }
      min(W)
    }
    min(utils::combn(nrow(D), nrow(D) - trimmed, least))
  }
  set.seed(31)
  missed <- 0
  for (i in 1:16) {
    n <- sample(7:8, 1)
    k <- sample(2:3, 1)
    trimmed <- sample(1:2, 1)
    x <- matrix(rnorm(2 * n), n) * exp(rnorm(n) / 2)
    W <- suppressMessages(kgroups(x, k, trim = trimmed / n))$W
    least <- brute_force(as.matrix(dist(x)), k, trimmed)
    expect_gte(W, least * (1 - 1e-9))
    missed <- missed + (W > least * (1 + 1e-9))
  }
  expect_lte(missed, 1)
})

test_that("no exchange of a kept and a trimmed row lowers W, with weights and for every input", {
  set.seed(32)
  x <- noisy(20, 6, "box")$x
  for (w in list(as.numeric(sample(1:2, 26, TRUE)), rep(1, 26))[seq_len(repeats(1, 2))]) {
    for (input in list(x, dist(x))) {
      fit <- kgroups(input, 2, trim = 0.25, weights = w)
      kept <- which(!fit$noise)
      for (i in kept) {
        for (j in which(fit$noise)) {
          for (l in 1:2) {
            v <- replace(replace(fit$weights, i, 0), j, w[j])
            if (sum(w) - sum(v) > 0.25 * sum(w)) next
            changed <- energy_statistics(x, replace(unname(fit$cluster), j, l), weights = v)
            expect_gte(changed$W, fit$W * (1 - 1e-8))
          }
        }
      }
    }
  }
})

test_that("trim = \"auto\" keeps small clusters, and cuts noise", {
  set.seed(33)
  truth <- rep(1:3, c(200, 70, 30))
  centre <- 6 * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))
  x <- centre[truth, ] + matrix(rnorm(600), 300)
  for (noise in list(NULL, matrix(rnorm(60, sd = 60), 30))) {
    fit <- kgroups(rbind(x, noise), 3, trim = "auto")
    expect_gt(compare_clusters(truth, unname(fit$cluster)[1:300]), 0.95)
    expect_lt(mean(fit$noise[1:300]), 0.05)
    if (!is.null(noise)) expect_gt(mean(fit$noise[301:330]), 0.8)
  }
})

test_that("a cluster that loses its rows to trimming gets another row", {
  set.seed(34)
  for (i in seq_len(repeats(7, 20))) {
    x <- matrix(rnorm(14), 7) * exp(rnorm(7) / 2)
    fit <- suppressMessages(kgroups(x, 3, trim = 0.35))
    expect_identical(sort(unique(fit$cluster[!fit$noise])), 1:3)
  }
})

test_that("print, tables, figures and predictions show noise", {
  set.seed(6)
  data <- noisy(60, 6, "far")
  fit <- kgroups(data$x, 2, trim = 0.1)
  expect_snapshot({
    fit
    kgroups(data$x, 2, trim = 0.1, weights = rep(2, 66))
  }, transform = function(lines) sub("W = [^(]*[(]", "W (", lines))
  table <- augment(fit)
  expect_identical(table$.noise, unname(fit$noise))
  expect_lt(max(table$.outlier[!fit$noise]), min(table$.outlier[fit$noise]))
  expect_identical(predict(fit, type = "noise"), fit$noise)
  new <- rbind(c(0, 0), c(500, 500), c(8, 0))
  expect_identical(unname(predict(fit, new, type = "noise")), c(FALSE, TRUE, FALSE))
  expect_identical(unname(predict(fit, data$x, type = "noise")), unname(fit$noise))
  expect_identical(augment(fit, newdata = new)$.noise, c(FALSE, TRUE, FALSE))
  expect_identical(unname(predict(fit, data$x)), unname(fit$cluster))
  figure <- expect_drawn(as_figure(fit))
  points <- figure$layers[kinds_of(figure) == "point"]
  expect_identical(vapply(points, function(layer) nrow(layer$data), 0L), c(60L, 6L))
  expect_match(figure$subtitle, "6 noise")
  for (type in c("silhouette", "dispersion")) expect_drawn(as_figure(fit, type = type))
  expect_identical(nrow(silhouette_figure(observed_fit(fit))$layers[[1]]$data), 60L)
  expect_output(print(summary(fit)), "Noise")
  expect_identical(summary(fit)$clusters$weight, fit$sizes + 0)
})

test_that("a negative W of the kept rows is reported", {
  G <- as_gram(-tcrossprod(as.matrix(iris[1:30, 1:4])))
  expect_warning(fit <- kgroups(G, 2, trim = 0.1), "negative", class = "kg_warning_negative_type")
  expect_lt(fit$W, 0)
})

test_that("sizes count rows of weight 0, also of blocks, whose sample is only a part of the rows", {
  x <- as.matrix(iris[1:4])
  w <- rep(c(0, 1, 1), 50)
  blocks <- kgroups(row_blocks(function(i) x, 1), 3, approx = nystroem(20), weights = w)
  expect_identical(blocks$sizes, tabulate(blocks$cluster, 3))
})

test_that("wrong trim is a classed error", {
  x <- as.matrix(iris[1:4])
  expect_snapshot(error = TRUE, {
    kgroups(x, 3, trim = 0.5)
    kgroups(x, 3, trim = -0.1)
    kgroups(x, 3, trim = "some")
    kgroups(x, 3, trim = c(0.1, 0.2))
    kgroups(x[1:5, ], 5, trim = 0.2)
    kgroups(x, 3, trim = 0.1, approx = nystroem(10))
    kgroups(x, 3, trim = 0.1, semimetric = rho_connected())
    kgroups(karate(), 2, trim = 0.1)
    predict(kgroups(x, 3), type = "noise")
  })
})

test_that("trim = \"auto\" takes at most some rows of values that repeat, and finds noise among them", {
  set.seed(6)
  designs <- list(
    c(rep(0, 120), rnorm(80)), cbind(rpois(200, 0.3), rpois(200, 0.3)), InsectSprays, cbind(rep(0:1, 30), rep(0:2, 20)),
    matrix(rbinom(800, 1, 0.4), 200), round(matrix(rnorm(200), 100))
  )
  for (x in designs) expect_lte(mean(kgroups(x, 2, trim = "auto")$noise), 0.02)
  x <- cbind(rep(0:1, 60), rep(0:2, 40))
  x[1:4, ] <- rbind(c(60, 10), c(-40, 90), c(10, -80), c(-70, -20))
  expect_true(all(kgroups(x, 1, trim = "auto")$noise[1:4]))
})

test_that("columns with many equal values have no noise of their own, and far rows are found", {
  for (seed in c(8102, 8103)) {
    set.seed(seed)
    x <- cbind(rnorm(200) * rbinom(200, 1, 0.5), rnorm(200))
    for (k in 2:3) expect_lte(mean(kgroups(x, k, trim = "auto")$noise), 0.02)
    x[1:10, ] <- x[1:10, ] + 50 * sign(rnorm(20))
    expect_true(all(kgroups(x, 2, trim = "auto")$noise[1:10]))
  }
})

test_that("trim = \"auto\" keeps the tails of skewed columns, and still cuts a fifth of noise", {
  share <- vapply(1:5, function(seed) {
    set.seed(seed)
    mean(kgroups(matrix(rexp(400), 200), 2, trim = "auto")$noise)
  }, 0)
  expect_lt(mean(share), 0.12)
  set.seed(1)
  x <- rbind(matrix(rnorm(320), 160) + rep(c(0, 8), each = 80), matrix(runif(80, -30, 40), 40))
  noise <- kgroups(x, 2, trim = "auto")$noise
  expect_gt(mean(noise[161:200]) - mean(noise[1:160]), 0.9)
})

test_that("an estimated share above a tenth is printed with what may be its cause", {
  set.seed(1)
  skewed <- kgroups(rexp(200), 2, trim = "auto")
  expect_gt(mean(skewed$noise), 0.1)
  expect_match(paste(format(skewed), collapse = "\n"), "it may be the tail of skewed columns")
  expect_no_match(paste(format(kgroups(rnorm(200), 2, trim = "auto")), collapse = "\n"), "skewed")
})
