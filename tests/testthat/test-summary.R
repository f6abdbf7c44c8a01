test_that("the last fall is that of the last sweep", {
  set.seed(2)
  x <- matrix(rnorm(120), 60)
  start <- rep(1:4, 15)
  one <- suppressWarnings(kgroups(x, 4, init = start, iter.max = 1))
  two <- suppressWarnings(kgroups(x, 4, init = start, iter.max = 2))
  expect_equal(one$last_fall, energy_statistics(x, start)$W - one$W)
  expect_equal(two$last_fall, one$W - two$W)
  expect_null(kgroups(x, 4, init = start)$last_fall)
  near <- lapply(1:2, function(sweeps) {
    suppressWarnings(kgroups(x, 4, init = start, iter.max = sweeps, approx = nystroem(landmarks = 1:20)))
  })
  expect_equal(near[[2L]]$last_fall, near[[1L]]$W - near[[2L]]$W, tolerance = 1e-6)
  lloyd <- suppressWarnings(kernel_kmeans(x, 4, init = start, iter.max = 1))
  expect_equal(lloyd$last_fall, energy_statistics(x, start)$W - lloyd$W)
})

test_that("starts are summed up, and advice follows", {
  set.seed(4)
  x <- scale(iris[1:4])
  fit <- kgroups(x, 7, init = "random", nstart = 6)
  starts <- summary(fit)$starts
  expect_identical(starts$number, 6L)
  expect_equal(starts$least, fit$W)
  expect_identical(starts$largest, max(fit$objectives))
  expect_equal(starts$spread, max(fit$objectives) / fit$W - 1)
  expect_identical(starts$found, sum(fit$objectives <= fit$W * (1 + 1e-8)))
  expect_match(summary(kgroups(x, 7, init = "random"))$advice[1], "One start gives no information")
  expect_match(summary(kgroups(x, 2, init = "random", nstart = 4))$advice[1], "All starts attained")
  fit$objectives[] <- c(fit$W, fit$W + 1:5)
  expect_match(summary(fit)$advice[1], "Only one start.*Raise nstart")
  fit$init <- "search"
  expect_match(summary(fit)$advice[1], "another may be lower")
  expect_null(summary(kgroups(iris[[1]], 3))$advice)
  expect_null(summary(kgroups(x, 3, init = iris$Species))$advice)
  set.seed(5)
  unfinished <- suppressWarnings(kgroups(x, 7, init = "random", nstart = 5, iter.max = 1))
  expect_snapshot({
    summary(unfinished)
    summary(suppressWarnings(kernel_kmeans(x, 4, init = "random", iter.max = 2)))
  })
  dropped <- suppressWarnings(kgroups(x, 7, init = rep_len(1:7, 150), iter.max = 1, keep.data = FALSE))
  expect_match(summary(dropped)$advice[1], "lowered W by.*Raise iter.max")
})

test_that("a rise of W under Lloyd's method is found", {
  set.seed(6)
  x <- matrix(rnorm(60), 30)
  bad <- as_gram(-tcrossprod(x))
  fit <- suppressWarnings(kernel_kmeans(bad, 3, init = rep(1:3, 10)))
  expect_false(fit$converged)
  expect_match(summary(fit)$advice[1], "W rose")
})

fit_with_names <- function(...) {
  set.seed(3)
  x <- as.matrix(iris[1:4])
  rownames(x) <- paste0("flower", seq_len(nrow(x)))
  kgroups(x, 3, ...)
}

test_that("tidy has a row a cluster, with the medoid of the definition", {
  fit <- fit_with_names(weights = rep(c(1, 2, 0), 50))
  rows <- tidy(fit)
  w <- rep(c(1, 2, 0), 50)
  expect_identical(names(rows), c("cluster", "size", "weight", "within", "medoid", names(iris)[1:4]))
  expect_identical(rows$cluster, factor(1:3))
  expect_equal(rows$size, fit$sizes)
  expect_equal(rows$weight, vapply(1:3, function(l) sum(w[fit$cluster == l]), 0))
  expect_equal(sum(rows$within), fit$W)
  d <- as.matrix(dist(iris[1:4]))
  for (l in 1:3) {
    inside <- which(fit$cluster == l & w > 0)
    cost <- d[inside, inside] %*% w[inside]
    expect_identical(rows$medoid[l], names(fit$cluster)[inside[which.min(cost)]])
  }
  expect_identical(tidy(fit_with_names(keep.data = FALSE))$medoid, rep(NA_character_, 3))
  expect_type(tidy(kgroups(dist(iris[1:4]), 2))$medoid, "integer")
})

test_that("glance is one row of the fit's numbers", {
  fit <- fit_with_names()
  row <- glance(fit)
  expect_identical(
    names(row),
    c("clusters", "W", "S", "total", "explained", "exact", "iterations", "converged", "nobs")
  )
  expect_identical(nrow(row), 1L)
  expect_equal(row$explained, 1 - fit$W / fit$total)
  expect_identical(row$nobs, 150L)
})

test_that("augment adds columns to the data given, to the fit's own, or to names", {
  set.seed(1)
  fit <- fit_with_names()
  added <- c(".cluster", ".distance", ".next_cluster", ".next_distance", ".prob", ".silhouette")
  given <- augment(fit, iris)
  expect_identical(names(given), c(names(iris), added))
  expect_identical(as.integer(given$.cluster), unname(fit$cluster))
  own <- augment(fit)
  expect_identical(names(own), c(".rownames", names(iris)[1:4], added))
  expect_identical(own$.rownames, names(fit$cluster))
  expect_identical(
    names(augment(kgroups(dist(iris[1:4]), 3))),
    c(".rownames", added)
  )
  d2 <- reference_d2(as.matrix(dist(iris[1:4])), fit$cluster)
  expect_equal(given$.distance, sqrt(d2[cbind(1:150, fit$cluster)]))
  d2[cbind(1:150, fit$cluster)] <- Inf
  expect_identical(as.integer(given$.next_cluster), max.col(-d2))
  expect_equal(given$.next_distance, sqrt(apply(d2, 1, min)))
  expect_identical(names(augment(kgroups(iris[1:4], 1))), c(names(iris)[1:4], ".cluster", ".distance"))
})

test_that("augment assigns new observations", {
  fit <- fit_with_names()
  new <- iris[c(1, 51, 101), 1:4]
  out <- augment(fit, newdata = new)
  expect_identical(as.integer(out$.cluster), unname(predict(fit, new)))
  expect_false(".silhouette" %in% names(out))
  expect_equal(out$.distance, apply(predict(fit, new, type = "distance"), 1, min),
    ignore_attr = TRUE
  )
  G <- tcrossprod(as.matrix(iris[1:4]))
  by_gram <- kgroups(as_gram(G), 3)
  expect_identical(names(augment(by_gram, newdata = G[1:2, ])), c(".rownames", ".cluster", ".prob"))
})

test_that("data of another length, or a fit without data, are errors", {
  fit <- fit_with_names()
  expect_snapshot(error = TRUE, augment(fit, iris[1:3, ]))
  expect_error(augment(fit, iris[1:3, ]), class = "kg_error_data")
  expect_error(augment(fit, "iris"), class = "kg_error_data")
  expect_error(augment(fit_with_names(keep.data = FALSE), iris), class = "kg_error_keep")
  expect_error(
    augment(fit_with_names(keep.data = FALSE), newdata = iris[1:4]),
    class = "kg_error_keep"
  )
})

test_that("tables are tibbles where tibble is installed", {
  skip_if_not_installed("tibble")
  fit <- fit_with_names()
  expect_s3_class(tidy(fit), "tbl_df")
  expect_s3_class(glance(fit), "tbl_df")
  expect_s3_class(augment(fit), "tbl_df")
})

test_that("fits on landmarks have tables too", {
  set.seed(1)
  x <- rbind(matrix(rnorm(200), 100), matrix(rnorm(200, 5), 100))
  exact <- kgroups(x, 2)
  fit <- kgroups(x, 2, approx = nystroem(200), init = exact$cluster)
  expect_equal(tidy(fit)$medoid, tidy(exact)$medoid)
  expect_equal(augment(fit)$.silhouette, augment(exact)$.silhouette, tolerance = 1e-4)
})

test_that("tidy() has means of dates, times and differences of times too", {
  set.seed(3)
  data <- mixed_table(60, 0.05)
  fit <- suppressMessages(kgroups(data, 3))
  table <- tidy(fit)
  mean_of <- function(x) unname(tapply(as.numeric(x), fit$cluster, mean, na.rm = TRUE))
  for (name in c("count", "day", "lasts", "time")) {
    expect_equal(as.numeric(table[[name]]), as.vector(mean_of(data[[name]])))
  }
  expect_s3_class(table$day, "Date")
  expect_s3_class(table$time, "POSIXct")
  expect_identical(attr(table$lasts, "units"), "hours")
  expect_false(any(c("colour", "town", "grade", "member") %in% names(table)))
})

test_that("starts that rarely attain the least W give advice, also with trim", {
  fit <- kgroups(iris[1:4], 3, trim = 0.1)
  fit$objectives <- fit$W * rep(c(1, 1.2), c(3, 18))
  fit$best_start <- 1L
  expect_match(
    summary(fit)$advice, "3 of 21 starts attained the least W: there may be a lower one. Raise nstart.", all = FALSE
  )
  fit$objectives <- fit$W * rep(c(1, 1.2), c(12, 9))
  expect_false(any(grepl("starts", summary(fit)$advice)))
})

test_that("the print has the means of at most eight columns", {
  shown <- utils::capture.output(print(kgroups(iris[1:4], 3)))
  expect_match(shown, "^Means:", all = FALSE)
  expect_match(utils::capture.output(print(kgroups(mtcars, 3))), "Means of the 8 of 11 columns that separate most:", all = FALSE, fixed = TRUE)
  expect_false(any(grepl("Means", utils::capture.output(print(kgroups(UScitiesD, 3))))))
})

test_that("the print shows dates as dates, digits that differ, categories and the largest clusters", {
  shown <- function(...) utils::capture.output(print(kgroups(...)))
  d <- data.frame(d = as.Date("2024-01-01") + c(1:30, 201:230))
  expect_match(shown(d, 2), "^1 2024-01-16$", all = FALSE)
  lat <- 54.9 + 0.001 * (1:40) / 40 + rep(c(0, 0.03), 20)
  expect_match(shown(data.frame(lat, lon = rep(1:2, 20)), 2), "^1 54.900", all = FALSE)
  expect_match(shown(data.frame(lat, lon = rep(1:2, 20)), 2), "^2 54.930", all = FALSE)
  species <- shown(iris, 3)
  expect_match(species, "versicolor 100%$", all = FALSE)
  expect_false(any(grepl("Method|Semimetric|Clustered by", species)))
  expect_match(shown(iris[1:4], 3, method = "lloyd"), "^Method: Lloyd", all = FALSE)
  set.seed(1)
  wide <- data.frame(matrix(rnorm(600), 60), group = rep(c("a", "b"), each = 30), far = rep(c(0, 9), each = 30))
  expect_match(shown(wide, 2), "^ +(far +group|group +far)", all = FALSE)
  many <- shown(quakes, 20)
  expect_match(many, "^Means of the 12 largest of 20 clusters:$", all = FALSE)
  expect_length(grep("^[0-9]+ ", many), 12)
})

test_that("the print names a column of few values that alone gives clusters", {
  line <- function(x, k, ...) {
    set.seed(4)
    fit <- suppressWarnings(kgroups(x, k, ...))
    list(fit = fit, text = grep("alone gives?", utils::capture.output(print(fit)), value = TRUE))
  }
  withr::local_options(rlib_message_verbosity = "quiet")
  set.seed(4)
  coin <- rbinom(150, 1, 0.5)
  beside <- function(coin) cbind(iris[1:4], coin = coin)
  coin <- 20 * coin
  for (x in list(beside(coin), as.matrix(beside(coin)), cbind(coin, iris[1:4]))) {
    expect_identical(line(x, 2)$text, "Column coin (2 values) alone gives the clusters")
  }
  three <- line(beside(coin), 3)
  whole <- three$fit$cluster[match(c(0, 20), coin)]
  l <- whole[vapply(c(0, 20), function(v) length(unique(three$fit$cluster[coin == v])) == 1L, NA)]
  expect_identical(three$text, sprintf("Column coin (2 values) alone gives cluster %d", l))
  expect_identical(line(iris, 3)$text, "Column Species (3 values) alone gives the clusters")
  expect_match(line(as_points(iris), 3)$text, "^Single columns of few values alone give cluster 1 \\(Species=setosa\\), ")
  # data that were changed since
  changed <- kgroups(iris[1:4], 3)
  for (data in list(iris[1:20, 1:4], iris[1:2], "a", NULL)) {
    changed["data"] <- list(data)
    expect_output(print(changed), "k-groups clustering")
  }
  # an empty cell of the column is not in its value
  holes <- beside(coin)
  holes$coin[1L] <- NA
  named <- line(holes, 2, missing = "impute")
  expect_identical(named$text, "Column coin (2 values) alone gives the clusters")
  # columns that give the same clusters have one line, in the print and in the subtitle of the plot
  both <- line(cbind(beside(coin), copy = coin), 2)
  expect_identical(both$text, "Each of columns coin (2 values) and copy (2 values) alone gives the clusters")
  expect_match(as_figure(both$fit)$subtitle, "each of columns coin (2 values) and copy (2 values) alone", fixed = TRUE)
  sure <- utils::capture.output(print(stability(both$fit, B = 2)))
  expect_match(sure, "Each of columns coin .* alone gives the clusters, so that they", all = FALSE)
  copies <- cbind(iris[1:4], stats::setNames(as.data.frame(matrix(coin, 150, 7)), paste0("c", 1:7)))
  many <- alone_text(line(copies, 2)$fit)
  expect_identical(many, paste(
    "Each of columns c1 (2 values), c2 (2 values), c3 (2 values), c4 (2 values) and 3 others alone gives the clusters"
  ))
  # one line for several clusters
  one <- function(l, size = 30) rep(20 * (seq_len(4 * size) > (l - 1) * size & seq_len(4 * size) <= l * size), 1)
  apart <- alone_text(line(cbind(a = one(1), b = one(2), c = one(3), d = one(3)), 4)$fit)
  expect_identical(
    apart, "Single columns of few values alone give cluster 1 (a), cluster 2 (b) and cluster 3 (c and 1 other)"
  )
  expect_match(sure, "Fits of two halves agree with these clusters to 1.00", all = FALSE)
  # other clusters, many values, one column, no columns
  expect_identical(line(beside(coin), 3, standardize = TRUE)$text, character())
  expect_identical(line(beside(round(rnorm(150) + coin, 1)), 2)$text, character())
  expect_identical(line(coin, 2)$text, character())
  expect_identical(line(dist(coin), 2)$text, character())
  expect_identical(line(beside(coin), 1)$text, character())
})

test_that("a column gives a cluster as defined", {
  set.seed(5)
  reference <- function(column, cluster, k) {
    values <- setdiff(unique(column), NA)
    n <- length(cluster)
    if (length(values) < 2 || length(values) > 2 * k || n < 5 * length(values)) {
      return(integer())
    }
    in_cluster <- function(v) vapply(1:k, function(l) sum(column == v & cluster == l, na.rm = TRUE), 0)
    home <- vapply(values, function(v) which.max(in_cluster(v)), 0L)
    is_given <- vapply(1:k, function(l) {
      of_values <- column %in% values[home == l] & !is.na(cluster)
      inside <- !is.na(cluster) & cluster == l
      any(of_values & inside) &&
        max(sum(inside & !of_values), sum(of_values & !inside)) <= 0.1 * sum(inside)
    }, NA)
    missed <- vapply(which(is_given), function(l) sum(cluster == l & !column %in% values[home == l], na.rm = TRUE), 0)
    if (sum(missed) <= 0.02 * n) which(is_given) else integer()
  }
  sizes <- vapply(1:300, function(i) {
    k <- sample(2:4, 1)
    n <- sample(c(12, 40, 200), 1)
    cluster <- sample(k, n, TRUE)
    column <- sample(c("a", "b", "c", "d", "e", "f", "g"))[cluster + k * sample(0:1, n, TRUE, c(0.8, 0.2))]
    some <- sample(n, n * sample(c(0, 0.01, 0.03, 0.2), 1))
    column[some] <- sample(c(column, NA), length(some), TRUE)
    if (i %% 5 == 0) cluster[sample(n, 2)] <- NA
    found <- given_clusters(column, cluster, k)
    expect_identical(found, reference(column, cluster, k), info = i)
    length(found) / k
  }, 0)
  expect_true(all(c(0, 1) %in% sizes) && any(sizes > 0 & sizes < 1))
})

test_that("the print has the reason for which halves are not compared, and what NaN among the means is", {
  few <- function(fit) any(grepl("Halves of the rows are too few", capture.output(summary(fit))))
  set.seed(5)
  x <- matrix(rnorm(60), 20)
  expect_true(few(kgroups(x, 2, standardize = "within")))
  expect_false(few(kgroups(iris[1:4], 3, standardize = "within")))
  expect_false(few(kgroups(x, 1)))
  far <- data.frame(a = rep(c(0, 9), each = 10) + x[, 1], b = replace(x[, 2], 1:10, NA))
  fit <- suppressMessages(kgroups(far, 2), classes = "kg_message")
  expect_true(any(grepl("NaN: all cells", capture.output(print(fit)))))
  expect_false(any(grepl("NaN", capture.output(print(kgroups(x, 2))))))
})

test_that("summary() has the test of one cluster, of noise of several kinds and of a clustered table", {
  set.seed(1)
  noise <- list(
    normal = matrix(rnorm(600), 200), rounded = round(matrix(rnorm(600), 200)), skewed = matrix(rexp(600)^1.5, 200),
    uniform = matrix(runif(600), 200), counts = matrix(rpois(600, 1.5), 200), long = cbind(rlnorm(200, 0, 1.2), rnorm(200))
  )
  for (x in noise) {
    one <- summary(kgroups(x, 3))
    expect_gt(one$one_cluster, 0.05)
    expect_output(print(one), "One cluster is not rejected, p = ", fixed = TRUE)
    expect_match(as_figure(one$fit)$subtitle, "one cluster not rejected")
  }
  state <- .Random.seed
  two <- summary(kgroups(rbind(noise$normal, noise$normal + 10), 2, init = rep(1:2, each = 200)))
  expect_identical(.Random.seed, state)
  expect_output(print(two), "One cluster is rejected, p")
  expect_gt(summary(kgroups(dist(faithful[1:30, ]), 2))$one_cluster, 0)
  # rows that differ in weight, and rows of units, are no sample of one distribution
  far <- rbind(noise$normal, noise$normal + 20)
  unit <- rep(1:20, 10)
  expect_null(summary(kgroups(far, 2, weights = rep(1:0, each = 200)))$one_cluster)
  expect_equal(summary(kgroups(far, 2, weights = rep(2, 400)))$one_cluster, summary(kgroups(far, 2))$one_cluster)
  expect_null(summary(kgroups(noise$normal, 2, together = unit))$one_cluster)
  expect_null(summary(suppressWarnings(kgroups(noise$normal, 2, units = unit)))$one_cluster)
})

test_that("an agreement is never printed as -0.00", {
  expect_identical(sprintf("%.2f", two_digits(c(-0.001, 0.004, -0.006, 1))), c("0.00", "0.00", "-0.01", "1.00"))
  one <- summary(kgroups(iris[1:4], 3))
  one$halves <- -0.001
  expect_output(print(one), "agree with these clusters to 0.00", fixed = TRUE)
})

test_that("a prefix replaces the dot of the added columns alone", {
  set.seed(1)
  d <- data.frame(.own = rnorm(20), b = rnorm(20))
  fit <- kgroups(d, 2)
  out <- augment(fit, d, prefix = "")
  expect_identical(names(out)[1:3], c(".own", "b", "cluster"))
  expect_identical(unname(as.list(out)), unname(as.list(augment(fit, d))))
  expect_error(augment(fit, d, prefix = 1), class = "kg_error_prefix")
  # a column of the data keeps its values under a name that the prefix leaves free
  d$.cluster <- "mine"
  out <- augment(fit, d, prefix = "p_")
  expect_identical(out$.cluster, d$.cluster)
  expect_identical(as.integer(out$p_cluster), unname(fit$cluster))
})

test_that("columns without a name are described too", {
  set.seed(1)
  a <- rnorm(20)
  expect_s3_class(describe_clusters(kgroups(cbind(a, 2 * a, -a), 2)), "kgroups_description")
})

test_that("augment() has the names of rows as they are: empty, missing, equal or not syntactic", {
  for (names in list(c("", NA, "b", "c"), c("b", "b", "b", "c"), c("1", "2", "a b", "-"))) {
    x <- matrix(c(1:3, 9), dimnames = list(names, NULL))
    shown <- replace(names, is.na(names), "")
    fit <- kgroups(x, 2)
    expect_identical(augment(fit)$.rownames, shown)
    expect_identical(augment(fit, newdata = x)$.rownames, shown)
  }
})

test_that("augment() takes the observations that predict() takes, one row each", {
  x <- withr::with_seed(1, matrix(rpois(60, 9) + 10 * (1:20 > 9), 20, dimnames = list(NULL, c("a", "b", "c"))))
  fit <- kgroups(x, 2)
  known <- augment(fit, newdata = x)
  for (other in list(as.table(x), noquote(x), structure(x, class = "zoo"), Matrix::Matrix(x + 0, sparse = TRUE))) {
    expect_equal(augment(fit, newdata = other)$.distance, known$.distance)
    expect_identical(augment(fit, other)$.cluster, known$.cluster)
  }
  expect_equal(augment(fit, newdata = x[3, ])$.distance, known$.distance[3])
  expect_equal(augment(fit, newdata = unname(x[3, ]))$.distance, known$.distance[3])
})

test_that("means of dates and times have their class and zone, of a vector and of a column", {
  set.seed(1)
  day <- as.Date("2024-01-01") + c(1:10, 100:110)
  for (x in list(
    day, as.POSIXct("2024-01-01", tz = "America/New_York") + 3600 * c(1:10, 100:110), as.POSIXct(format(day), tz = "UTC")
  )) {
    fits <- list(kgroups(x, 2), kgroups(data.frame(x), 2))
    means <- c(mean(x[1:10]), mean(x[11:21]))
    shown <- format(means[1], if (inherits(x, "Date")) "%Y-%m-%d" else "%Y-%m-%d %H:%M")
    for (fit in fits) {
      expect_s3_class(tidy(fit)$x, class(x), exact = TRUE)
      expect_equal(format(tidy(fit)$x), format(means))
      expect_output(print(fit), shown, fixed = TRUE)
      expect_output(print(describe_clusters(fit)), shown, fixed = TRUE)
      expect_output(print(describe_clusters(fit, x)), shown, fixed = TRUE)
      expect_output(print(describe_clusters(unname(fit$cluster), x)), shown, fixed = TRUE)
    }
  }
})
