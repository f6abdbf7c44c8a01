# The EM algorithm against its definition, and the choice of the form.

# One step after another as the equations stand.
slow_mixture <- function(y, w, P, form, c, lambda, nu, steps) {
  n <- nrow(y)
  d <- ncol(y)
  k <- ncol(P)
  U <- matrix(1, n, k)
  shrunk <- function(A) (1 - lambda) * A + (lambda + 1e-6) * mean(diag(A)) * diag(d)
  for (step in seq_len(steps)) {
    N <- colSums(w * P)
    mu <- t(sapply(seq_len(k), function(l) colSums(w * P[, l] * U[, l] * y) / sum(w * P[, l] * U[, l])))
    mu <- matrix(mu, k)
    R <- lapply(seq_len(k), function(l) {
      e <- sweep(y, 2, mu[l, ])
      crossprod(e, w * P[, l] * U[, l] * e) / N[l]
    })
    pool <- shrunk(Reduce(`+`, Map(`*`, R, N)) / sum(N))
    v <- rep(1, k)
    if (form != "common") {
      v <- vapply(R, function(r) sum(diag(solve(pool, r))) / d, 0)
      v <- exp(log(v) * N / (N + c))
      if (step > 1) pool <- shrunk(Reduce(`+`, Map(function(r, m, a) r * m / a, R, N, v)) / sum(N))
    }
    S <- Map(function(r, m, a) if (form == "own") (m * r + c * d * a * pool) / (m + c * d) else a * pool, R, N, v)
    Q <- sapply(seq_len(k), function(l) mahalanobis(y, mu[l, ], S[[l]]))
    density <- sapply(seq_len(k), function(l) {
      N[l] / sum(N) * gamma((nu + d) / 2) / gamma(nu / 2) / (nu * pi)^(d / 2) / sqrt(det(S[[l]])) * (
        1 + Q[, l] / nu
      )^(-(nu + d) / 2)
    })
    P <- density / rowSums(density)
    U <- (nu + d) / (nu + Q)
  }
  list(P = P, value = sum(w * log(rowSums(density))), size = N, mean = t(mu), scatter = sapply(S, as.vector))
}

test_that("the steps are those of the definition, for every form and with weights", {
  set.seed(1)
  for (d in c(1, 3, 6)) {
    y <- matrix(rnorm(60 * d), 60) + rep(c(0, 3), 30)
    w <- sample(0:3, 60, TRUE)
    P <- soft_labels(rep(1:2, 30), 2)
    for (form in mixture_forms) {
      fast <- run_mixture(y, w, P, form, 0.05, fixed = 1, nu = 7, times = 4, tolerance = 0)
      slow <- slow_mixture(y, w, P, form, mixture_settings$shrink, 0.05, 7, 4)
      expect_equal(fast$value, slow$value, tolerance = 1e-10)
      expect_equal(fast$P, slow$P, tolerance = 1e-8)
      expect_equal(as.vector(fast$size), as.vector(slow$size), tolerance = 1e-10)
      expect_equal(fast$mean, slow$mean, tolerance = 1e-8, ignore_attr = TRUE)
      expect_equal(fast$scatter, slow$scatter, tolerance = 1e-8, ignore_attr = TRUE)
    }
  }
})

test_that("the degrees of freedom solve their score equation", {
  set.seed(2)
  y <- matrix(rnorm(2000), 1000) / sqrt(rchisq(1000, 4) / 4)
  m <- run_mixture(y, rep(1, 1000), matrix(1, 1000, 1), "common", 0, tolerance = 1e-10)
  q <- mahalanobis(y, m$mean[, 1], matrix(m$scatter, 2))
  value <- function(nu) sum(lgamma((nu + 2) / 2) - lgamma(nu / 2) - log(nu) - (nu + 2) / 2 * log1p(q / nu))
  best <- optimize(value, c(1, 200), maximum = TRUE)
  expect_equal(m$nu, best$maximum, tolerance = 0.02)
  expect_true(m$nu > 2.5 && m$nu < 7)
})

test_that("normal clusters have many degrees of freedom, and no nu has a larger likelihood", {
  set.seed(8)
  y <- matrix(rnorm(900), 300) + 5 * rep(0:1, each = 150)
  m <- run_mixture(y, rep(1, 300), soft_labels(rep(1:2, each = 150), 2), "own", 0.01)
  value <- function(nu) assign_mixture(replace(m, "nu", nu), y)$value
  expect_gt(m$nu, 25)
  expect_lt(max(vapply(c(5, 10, 20, 50, 200), value, 0)) - value(m$nu), 0.5)
})

test_that("the log likelihood of one form does not fall much with more steps, and components keep their rows", {
  set.seed(3)
  y <- matrix(rnorm(400), 200) + rep(c(0, 4), 100)
  P <- soft_labels(rep(1:2, 100), 2)
  values <- vapply(
    c(1, 3, 10, 40),
    function(times) run_mixture(y, rep(1, 200), P, "common", 0, fixed = 1, times = times, tolerance = 0)$value, 0
  )
  expect_true(all(diff(values) > -1e-4))
})

test_that("a component that is lost has no BIC", {
  set.seed(1)
  y <- matrix(c(rnorm(40), 1e3), 41)
  lost <- run_mixture(y, rep(1, 41), soft_labels(rep(1:2, c(40, 1)), 2), "own", 0)
  expect_identical(lost$bic, Inf)
})

test_that("skewness is about 1 for normal rows and large for exponential ones, whatever the axes", {
  set.seed(4)
  of <- function(y) {
    m <- run_mixture(y, rep(1, nrow(y)), matrix(1, nrow(y), 1), "common", 0)
    component_skewness(m, y, rep(1, nrow(y)))
  }
  normal <- matrix(rnorm(900), 300)
  skewed <- matrix(rexp(900), 300)
  turn <- qr.Q(qr(matrix(rnorm(9), 3)))
  expect_lt(of(normal), 2)
  expect_gt(of(skewed), 4)
  expect_equal(of(skewed %*% turn), of(skewed), tolerance = 1e-2)
})

test_that("kurtosis is a normal score for normal rows, negative for uniform ones, whatever the axes and weights", {
  set.seed(9)
  one <- function(y, w = rep(1, nrow(y))) component_kurtosis(list(P = matrix(1, nrow(y), 1)), y, w)
  scores <- replicate(200, one(matrix(rnorm(300), 100)))
  expect_lt(abs(mean(scores)), 0.25)
  expect_equal(sd(scores), 1, tolerance = 0.2)
  y <- matrix(runif(900), 300)
  expect_lt(one(y), -3)
  expect_equal(one(y %*% matrix(c(2, 1, 0, 0, 1, 3, 1, 0, 1), 3)), one(y))
  expect_equal(one(y, rep(1:2, 150)), one(y[rep(seq_len(300), rep(1:2, 150)), ]))
  expect_identical(component_doubt(list(P = matrix(1, 300, 1), nu = 1), y, rep(1, 300)), "ties")
})

test_that("assigning the rows of a mixture gives its probabilities", {
  set.seed(5)
  y <- matrix(rnorm(300), 100) + rep(c(0, 5), 50)
  m <- run_mixture(y, rep(1, 100), soft_labels(rep(1:2, 50), 2), "own", 0)
  expect_equal(assign_mixture(m, y)$P, m$P, tolerance = 1e-2)
})

test_that("BIC of mixtures compares numbers of clusters in the units of the points", {
  set.seed(6)
  x <- matrix(rnorm(300), 150) + 5 * cbind(rep(0:2, 50), rep(c(0, 1, 0), 50))
  choice <- select_k(x, 1:4, criterion = "bic", one_cluster = FALSE)
  expect_identical(choice$k, 3L)
  one <- run_mixture(x, rep(1, 150), matrix(1, 150, 1), "common", 0)
  expect_equal(choice$table$bic[1], one$bic, tolerance = 0.01)
  set.seed(7)
  other <- select_k(x %*% matrix(c(2, 1, 0, 3), 2), 1:4, criterion = "bic", one_cluster = FALSE, standardize = "within")
  expect_identical(other$k, 3L)
})

test_that("beside kept labels stand the probabilities of the sizes that have less BIC", {
  set.seed(11)
  for (size in list(c(65, 65), c(80, 50))) {
    z <- rep(1:2, size)
    y <- matrix(rnorm(2 * sum(size)), ncol = 2) + 6 * (z == 2)
    w <- rep(1, length(z))
    kept <- choose_mixture(y, w, z, 0.01)
    expect_identical(kept$form, "within")
    P <- soft_labels(z, 2)
    both <- list(run_mixture(y, w, P, "common", 0.01, equal = 1), run_mixture(y, w, P, "common", 0.01))
    expect_identical(kept$P, both[[if (size[1] == size[2]) 1 else 2]]$P)
    expect_equal(as.vector(kept$size), size, tolerance = 0.05)
  }
})

test_that("halves agree about clusters and not about a cut through one, and a whole weight is so many rows", {
  set.seed(10)
  y <- rbind(matrix(rnorm(120), 60), matrix(rnorm(120, 5), 60))
  half <- rep(c(TRUE, FALSE), 60)
  clusters <- rep(1:2, each = 60)
  cut <- 1L + (y[, 2] > mean(y[clusters == 2, 2]))
  expect_gt(half_agreement(y, half, clusters, "common", 0.01), 0.95)
  expect_lt(half_agreement(y[clusters == 1, ], half[1:60], rep(1:2, 30), "common", 0.01), 0.8)
  expect_identical(half_agreement(y[1:6, ], rep(c(TRUE, FALSE), 3), rep(1:2, c(5, 1)), "own", 0.01), 0)
  decide <- function(z, other, y, w) {
    m <- function(z, ...) run_mixture(y, w, soft_labels(z, 2), "common", 0.01, ...)
    set.seed(1)
    is_as_stable(m(other), m(z, equal = 1), y, w, z, 0.01)
  }
  expect_true(decide(clusters, clusters, y, rep(1, 120)))
  w <- rep(1:3, 40)
  rows <- rep(1:120, w)
  for (z in list(clusters, cut)) {
    expect_identical(decide(clusters, z, y, w), decide(clusters[rows], z[rows], y[rows, ], rep(1, 240)))
  }
})

test_that("the reason why labels are kept is that of the rule that kept them", {
  y <- matrix(0, 100, 2)
  m <- function(bic, nu = 10, form = "own") list(bic = bic, nu = nu, form = form)
  reason <- function(..., from = 100) kept_because(m(...), m(from), m(from), y, rep(1, 100))
  expect_identical(reason(50, nu = 1), "ties")
  expect_identical(reason(96, form = "common"), "little")
  expect_null(reason(40))
  set.seed(13)
  y <- matrix(rexp(400), 200)
  w <- rep(1, 200)
  skewed <- run_mixture(y, w, soft_labels(rep(1:2, 100), 2), "own", 0.01)
  expect_identical(kept_because(skewed, m(skewed$bic + 20), m(skewed$bic + 20), y, w), "skewed")
  expect_null(kept_because(skewed, m(skewed$bic + 120), m(skewed$bic + 120), y, w))
})

test_that("skewed clusters lose little beside the labels of standardize = \"within\"", {
  truth <- rep(1:3, each = 100)
  gain <- vapply(1:12, function(seed) {
    set.seed(seed)
    x <- 2 * matrix(rnorm(6), 3)[truth, ] + matrix(rexp(600), 300)
    fit <- kgroups(x, 3, standardize = "within")
    compare_clusters(truth, kgroups_mixture(fit)) - compare_clusters(truth, fit)
  }, 0)
  expect_gt(mean(gain), -0.05)
})
