# Every instruction set that this processor has agrees with plain C.

sets <- function() {
  available <- Filter(function(name) !is.null(.Call(ffi_choose_loops, name)), c("avx2", "avx512"))
  .Call(ffi_choose_loops, "auto")
  available
}

test_that("pair values agree with plain C to 1e-14, for every semimetric, width and size", {
  set.seed(1)
  skip_if(length(sets()) == 0, "no vector instructions")
  semimetrics <- c(test_semimetrics(), list(rho_exponential(50), rho_gaussian(0.3), rho_gaussian(1e4)))
  for (d in c(1, 3, 10, 33)) {
    x <- matrix(rnorm(71 * d), 71)
    x[7, ] <- x[3, ] # distance 0
    x[8, ] <- x[3, ] * (1 + 1e-9)
    x[9, ] <- x[3, ] * 4
    for (semimetric in semimetrics) {
      withr::local_options(kgroups.simd = "base")
      # the sine changes sign: there an ulp of the distance is many of the value
      d1 <- as.matrix(dist(x))
      near_root <- if (semimetric$family == "sine") d1^3 else 0
      plain <- semimetric_matrix(x, semimetric = semimetric)
      plain_dist <- semimetric_matrix(dist(x), semimetric = semimetric)
      plain_fit <- suppressMessages(suppressWarnings(kgroups(x, 3, semimetric = semimetric, init = rep_len(1:3, 71))))
      for (set in sets()) {
        withr::local_options(kgroups.simd = set)
        got <- semimetric_matrix(x, semimetric = semimetric)
        expect_true(all(abs(got - plain) <= 1e-14 * (abs(plain) + near_root)))
        expect_identical(diag(got), numeric(71))
        expect_identical(got, t(got))
        got <- semimetric_matrix(dist(x), semimetric = semimetric)
        expect_true(all(abs(got - plain_dist) <= 1e-14 * abs(plain_dist)))
        fit <- suppressMessages(suppressWarnings(kgroups(x, 3, semimetric = semimetric, init = rep_len(1:3, 71))))
        expect_identical(fit$cluster, plain_fit$cluster)
        expect_equal(fit$W, plain_fit$W, tolerance = 1e-12)
      }
    }
  }
})

test_that("an unknown set is refused, and the option can be changed at any time", {
  withr::local_options(kgroups.simd = "mmx")
  expect_error(kgroups(1:5, 2, init = "random"), class = "kg_error_kgroups.simd")
  withr::local_options(kgroups.simd = "base")
  expect_identical(use_simd(), "base")
  withr::local_options(kgroups.simd = "auto")
  expect_true(use_simd() %in% simd_names)
})

test_that("rho_localized() vanishes at distances whose squares overflow", {
  x <- matrix(c(1:20 * 1e180, 1:20), 20)
  for (set in c("base", sets())) {
    withr::local_options(kgroups.simd = set)
    expect_identical(semimetric_matrix(x, semimetric = rho_localized()), matrix(0, 20, 20))
    d <- dist(x * 1e-100) * 1e100 # dist() itself would overflow
    expect_identical(unname(semimetric_matrix(d, semimetric = rho_localized())), matrix(0, 20, 20))
    expect_identical(kgroups(x, 2, semimetric = rho_localized(), init = rep(1:2, 10))$W, 0)
  }
})
