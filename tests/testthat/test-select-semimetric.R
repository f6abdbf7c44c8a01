two_candidates <- list(plain = rho_power(1), bounded = rho_gaussian(3))

candidates_of <- function(x, weights = NULL) default_candidates(as_problem(x, rho_power(1), weights), NULL)

test_that("default candidates: quantiles of the pair distances", {
  set.seed(1)
  x <- three_groups(10)
  d <- as.vector(dist(x))
  for (data in list(x, dist(x))) {
    found <- candidates_of(data)
    expect_named(found[5], "rho_connected()")
    expect_equal(found[[1]]$parameter, 0.5)
    expect_equal(found[[3]]$parameter, unname(quantile(d, 0.1)))
    expect_equal(found[[4]]$parameter, unname(quantile(d, 0.15)))
  }
  # weights: observations of weight 0 have no influence; half the pairs are 0
  w <- rep(1:0, c(20, 10))
  expect_equal(
    candidates_of(x, w)[[3]]$parameter,
    candidates_of(x[1:20, ])[[3]]$parameter,
    tolerance = 0.05
  )
  few <- c(x[, 1], x[1:4, 1]) # some distances are 0, and their quantiles are not
  expect_equal(candidates_of(few)[[3]]$parameter, unname(quantile(as.vector(dist(few)), 0.1)))
  ties <- candidates_of(c(rep(0, 30), 1, 2))
  expect_gt(ties[[3]]$parameter, 0)
  expect_identical(candidates_of(rep(1, 5))[[3]]$parameter, 1)
})

test_that("a choice is taken wherever a semimetric is, as the semimetric itself", {
  set.seed(3)
  x <- rbind(matrix(rnorm(60, sd = 0.2), 30), matrix(rnorm(60, 6, 0.2), 30))
  g <- rep(1:2, 30)
  for (candidate in list(rho_connected(), rho_power(0.5))) {
    choice <- select_semimetric(x, 2, list(one = candidate, other = candidate))
    uses <- list(
      function(m) energy_test(x, g, semimetric = m, R = 9)[c("statistic", "p.value")],
      function(m) energy_statistics(x, g, semimetric = m)$W, function(m) energy_distance(x, g = g, semimetric = m),
      function(m) dispersion_test(x, g, semimetric = m, R = 9)$p.value, function(m) semimetric_matrix(x, semimetric = m),
      function(m) kgroups(x, 2, semimetric = m)$W, function(m) kgroups_tree(x, semimetric = m)$height,
      function(m) kgroups_changes(x, 2, semimetric = m)$W,
      function(m) select_k(x, 1:3, semimetric = m, criterion = "silhouette")$table
    )
    for (use in uses) {
      set.seed(4)
      by_choice <- use(choice)
      set.seed(4)
      expect_equal(by_choice, use(candidate))
    }
  }
})

test_that("criteria agree with their parts and with select_k on the same halves", {
  set.seed(2)
  x <- three_groups(12, 4)
  set.seed(3)
  out <- select_semimetric(x, 3, two_candidates, splits = 5)
  set.seed(3)
  halves <- draw_halves(as_problem(x), 5)
  for (i in 1:2) {
    problem <- selection_problem(x, two_candidates[[i]], NULL, new_control())
    each <- vapply(halves, function(half) compare_halves(half, problem, 3, 3)$agreement, 0)
    expect_equal(out$table$stability[i], mean(each))
    expect_equal(out$table$stability_se[i], sd(each) / sqrt(5))
    expect_equal(unname(out$clusters[, i]), unname(kgroups(x, 3, semimetric = two_candidates[[i]])$cluster))
  }
  expect_identical(out$choice, names(two_candidates)[which.max(out$table$stability)])
  expect_equal(out$cluster, out$clusters[, out$choice])
  expect_identical(out$semimetric$family, two_candidates[[out$choice]]$family)
})

test_that("a local semimetric recovers circles, and stability chooses it", {
  set.seed(5)
  angle <- runif(200, 0, 2 * pi)
  radius <- rep(c(1, 6), each = 100)
  x <- radius * cbind(cos(angle), sin(angle)) + rnorm(400, sd = 0.1)
  out <- select_semimetric(x, 2, list(rho_power(1), rho_gaussian(2)), splits = 6)
  expect_identical(out$choice, "rho_gaussian(2)")
  expect_equal(compare_clusters(radius, out$cluster, "accuracy"), 1)
})

test_that("candidates that fail are reported, not fatal unless all fail", {
  set.seed(6)
  x <- three_groups(6, 4)
  broken <- rho_function(function(x, y) stop("out of luck"))
  out <- select_semimetric(x, 3, c(two_candidates, list(broken = broken)), splits = 3)
  expect_identical(is.na(out$table$stability), c(FALSE, FALSE, TRUE))
  expect_identical(out$reasons$at, "broken")
  expect_match(out$reasons$reason, "out of luck")
  expect_identical(colnames(out$clusters), names(two_candidates))
  expect_error(select_semimetric(x, 3, list(broken)), class = "kg_error_candidates")
  own <- select_semimetric(dist(x), 3, c(two_candidates, list(rho_function(function(x, y) 1))), splits = 3)
  expect_match(own$reasons$reason, "needs points")
})

test_that("weights, dissimilarities and one seed", {
  set.seed(7)
  x <- three_groups(8, 4)
  rownames(x) <- paste0("r", 1:24)
  w <- rep(c(1, 2, 0), 8)
  run <- function(data) {
    set.seed(8)
    out <- select_semimetric(data, 3, two_candidates, weights = w, splits = 3)
    out$call <- NULL
    out
  }
  a <- run(x)
  expect_identical(run(x), a)
  expect_equal(run(dist(x))$table, a$table)
  expect_identical(names(a$cluster), rownames(x))
})

test_that("prints and plots", {
  set.seed(9)
  x <- three_groups(8)
  out <- select_semimetric(x, 3, c(two_candidates, bad = list(rho_function(function(x, y) NA))), splits = 3)
  expect_snapshot(out)
  withr::local_pdf(NULL)
  expect_invisible(plot(out))
})

test_that("wrong input is refused", {
  set.seed(10)
  x <- three_groups(5)
  expect_error(select_semimetric(x, 1), class = "kg_error_k")
  expect_error(select_semimetric(x, 2, list(1)), class = "kg_error_candidates")
  expect_snapshot(error = TRUE, {
    select_semimetric()
    select_semimetric(x)
    select_semimetric(x, 1)
    select_semimetric(x, 8)
    select_semimetric(x, 2, list())
    select_semimetric(x, 2, "all")
    select_semimetric(x, 2, list(rho_power(1), "rho"))
    select_semimetric(x, 2, list(a = rho_power(1), a = rho_power(2)))
    select_semimetric(x, 2, criterion = "W")
    select_semimetric(x, 2, splits = 0)
    select_semimetric(semimetric_matrix(x, type = "gram"), 2)
    select_semimetric(matrix(3, 10, 2), 2)
    select_semimetric(x, 2, list(rho_function(function(x, y) stop("out of luck"))))
  })
})

test_that("input that has one kernel is refused, because candidates would not differ", {
  x <- scale(iris[1:30, 1:4], scale = FALSE)
  G <- tcrossprod(x)
  two <- list(rho_power(1), rho_power(1 / 2))
  for (input in list(as_gram(G), Matrix::Matrix(G, sparse = TRUE), karate())) {
    expect_error(select_semimetric(input, 2), class = "kg_error_x")
    expect_error(select_semimetric(input, 2, candidates = two), class = "kg_error_x")
  }
})

test_that("names of metrics are candidates", {
  set.seed(1)
  x <- iris[c(1:20, 60:79), 1:4]
  choice <- select_semimetric(x, 2, c("manhattan", city = "euclidean"), splits = 2)
  expect_identical(choice$table$semimetric, c('rho_metric("manhattan")', "city"))
  mixed <- select_semimetric(x, 2, list("manhattan", rho_power(1 / 2)), splits = 2)
  expect_length(mixed$table$semimetric, 2)
  expect_error(select_semimetric(x, 2, "nonesuch"), "nonesuch", class = "kg_error_semimetric")
})

test_that("a time limit is no failure of a candidate", {
  expect_error(try_candidate(rho_power(1), stop("reached elapsed time limit"), 2), "reached elapsed time limit")
  own <- try_candidate(rho_power(1), abort_input("x", NULL, "A sentence."), 2)
  expect_s3_class(own, "kg_error_x")
})

test_that("the figure names the candidates within one standard error of the choice", {
  set.seed(1)
  choice <- select_semimetric(matrix(rnorm(200), 100) + 20 * rep(0:1, 50), 2)
  figure <- as_figure(choice)
  others <- setdiff(choice$table$semimetric, choice$choice)
  expect_identical(figure$subtitle, paste("within one standard error:", toString(others)))
  choice$table$stability[choice$table$semimetric != choice$choice] <- 0.1
  choice$table$stability_se <- 0.01
  expect_null(as_figure(choice)$subtitle)
})
