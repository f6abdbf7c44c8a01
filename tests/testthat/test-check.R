# Single arguments: labels as other packages hold them, names of other packages, text of files.

test_that("partitions of other packages are labels", {
  x <- iris[1:4]
  km <- kmeans(x, 3)
  tree <- hclust(dist(x))
  partitions <- list(kmeans = km, kgroups = kgroups(x, 3), clue = clue::as.cl_partition(km))
  if (requireNamespace("cluster", quietly = TRUE)) partitions$pam <- cluster::pam(x, 3)
  for (name in names(partitions)) {
    labels <- as.vector(clue::cl_class_ids(partitions[[name]]))
    expect_identical(compare_clusters(labels, partitions[[name]]), 1, info = name)
    expect_equal(energy_statistics(x, partitions[[name]])$W, energy_statistics(x, labels)$W, info = name)
    expect_equal(kgroups(x, 3, init = partitions[[name]])$W, kgroups(x, 3, init = labels)$W, info = name)
  }
  expect_equal(kgroups(x, 3, init = tree)$W, kgroups(x, 3, init = cutree(tree, 3))$W)
  expect_error(energy_statistics(x, tree), "cutree", class = "kg_error_cluster")
})

test_that("a semimetric in the place of another argument is named", {
  x <- iris[1:20, 1:4]
  calls <- expression(
    kgroups(x, 2, rho_gaussian(1)), semimetric_matrix(x, rho_power(1)), semimetric_matrix(x, "manhattan"), is_negative_type(rho_power(1)),
    energy_distance(x, rho_power(1)), kgroups_tree(x, rho_power(1)), kgroups(rho_power(1), 2),
    energy_test(x, rho_power(1)), kgroups_changes(x, rho_power(1)), select_k(x, rho_power(1)), kgroups(x, rho_power(1))
  )
  for (call in calls) expect_error(eval(call), "semimetric = ", class = "kg_error_input")
})

test_that("sizes of groups have the labels that they stand for", {
  code <- function(condition) code_of(gsub("\n *", " ", conditionMessage(condition)))
  v <- iris[[1]]
  found <- tryCatch(energy_test(v, c(50, 60, 40), R = 9), kg_message = code)
  expect_true("g = rep(1:3, c(50, 60, 40))" %in% found)
  found <- tryCatch(energy_test(dist(v), c(50, 60, 40), R = 9), kg_error_g = code)
  expect_true("g = rep(1:3, c(50, 60, 40))" %in% found)
  expect_no_message(tryCatch(energy_test(v[1:20], c(3, 4, 6), R = 9), error = identity), message = "sizes")
})

test_that("text of files is read alike in UTF-8 and Latin-1, in any locale", {
  file_of <- function(umlauts) {
    file <- withr::local_tempfile(fileext = ".csv", .local_envir = parent.frame(2))
    lines <- c("a,place", paste(1:20, rep(sprintf(c("Z%srich", "K%sln"), umlauts), 10), sep = ","))
    con <- file(file, "wb")
    on.exit(close(con))
    writeBin(charToRaw(paste0(paste(lines, collapse = "\n"), "\n")), con)
    file
  }
  files <- c(file_of(c("\xc3\xbc", "\xc3\xb6")), file_of(c("\xfc", "\xf6")))
  init <- rep(1:2, 10)
  reached <- NULL
  for (locale in c("C", "C.UTF-8")) {
    old <- Sys.getlocale("LC_CTYPE")
    withr::defer(Sys.setlocale("LC_CTYPE", old))
    if (!nzchar(suppressWarnings(Sys.setlocale("LC_CTYPE", locale)))) next
    for (file in files) {
      for (factors in c(FALSE, TRUE)) {
        data <- read.csv(file, stringsAsFactors = factors)
        fit <- suppressMessages(kgroups(data, 2, init = init))
        expect_identical(unname(predict(fit, data)), unname(fit$cluster))
        reached <- c(reached, fit$W)
        expect_identical(attr(as_points(data), "blueprint")$columns[[2]]$levels, c("K\u00f6ln", "Z\u00fcrich"))
      }
      expect_s3_class(suppressMessages(energy_test(data["a"], data$place, R = 9)), "htest")
      expect_identical(compare_clusters(data$place, init), 1)
    }
    Sys.setlocale("LC_CTYPE", old)
  }
  expect_equal(diff(range(reached)), 0)
})

test_that("names of a dist must be those of its observations", {
  d <- dist(iris[1:10, 1:4])
  wrong <- structure(d, Labels = letters[1:5])
  for (call in list(quote(kgroups(wrong, 2)), quote(semimetric_matrix(wrong)), quote(energy_statistics(wrong, rep(1:2, 5))))) {
    expect_error(eval(call), "must name its 10 observations", class = "kg_error_dist")
  }
})

test_that("columns without a plain vector are taken or refused by name", {
  x <- data.frame(a = c(1, 2, 3, 11, 12, 13))
  x$z <- array(1:12, c(6, 2, 1))
  expect_error(kgroups(x, 2), "Column z does not", class = "kg_error_x")
  x$z <- matrix(0, 6, 0)
  expect_equal(kgroups(x, 2)$W, kgroups(x["a"], 2)$W)
  x$z <- structure(c(1, 5, 2, 3, 4, 9), class = "difftime")
  fit <- kgroups(x, 2)
  expect_identical(predict(fit, x), fit$cluster)
})

test_that("a vector with the names of the rows in another order is refused, for every form of rows", {
  x <- as.matrix(USArrests[1:20, ])
  g <- stats::setNames(rep(1:2, 10), rownames(x))
  w <- stats::setNames(as.numeric(1:20), rownames(x))
  graph <- igraph::sample_gnm(20, 60)
  igraph::V(graph)$name <- rownames(x)
  fit <- kgroups(x, 2)
  calls <- list(
    weights = function(x, v) kgroups(x, 2, weights = v), init = function(x, v) kgroups(x, 2, init = v),
    g = function(x, v) energy_test(x, v, R = 9), cluster = function(x, v) energy_statistics(x, v),
    g = function(x, v) energy_distance(x, g = v), strata = function(x, v) energy_test(x, unname(g), strata = v, R = 9),
    together = function(x, v) kgroups(x, 2, together = v), weights = function(x, v) kgroups_tree(x, weights = v)
  )
  forms <- list(x, as.data.frame(x), dist(x), as_gram(tcrossprod(x)), Matrix::Matrix(x, sparse = TRUE))
  for (i in seq_along(calls)) {
    arg <- names(calls)[i]
    v <- if (arg == "weights") w else if (arg == "together") stats::setNames(rep(1:10, 2), names(g)) else if (arg == "strata") rep(1:2, each = 10) else g
    names(v) <- names(g)
    for (form in if (arg %in% c("weights", "init")) forms else forms[1:3]) {
      mixed <- v[c(20:11, 1:10)]
      expect_error(suppressMessages(calls[[i]](form, mixed)), "in another order", class = paste0("kg_error_", arg))
      same <- function(value) suppressWarnings(suppressMessages({
        set.seed(1)
        out <- calls[[i]](form, value)
        unclass(out)[setdiff(names(out), c("call", "data", "kept", "data.name"))]
      }))
      expect_equal(same(mixed[rownames(x)]), same(unname(v)))
      # other names, or names of some rows, are no order
      expect_no_error(same(stats::setNames(v, paste0("z", 1:20))))
      expect_no_error(same(stats::setNames(v, rep("a", 20))))
    }
  }
  expect_error(kgroups(graph, 2, init = rev(g)), class = "kg_error_init")
  expect_error(relabel(fit, rev(g)), class = "kg_error_by")
  expect_error(compare_clusters(fit, rev(fit$cluster)), class = "kg_error_cluster")
  expect_error(describe_clusters(rev(fit$cluster), x), class = "kg_error_fit")
  expect_error(describe_clusters(fit, x, weights = rev(w)), class = "kg_error_weights")
  expect_error(energy_distance(x, x + 1, weights_x = rev(w)), class = "kg_error_weights")
  expect_error(kgroups_1d(w, 2, weights = rev(w)), class = "kg_error_weights")
})

test_that("tables and fits with the same row names are matched by them", {
  fit <- kgroups(USArrests, 3)
  mixed <- USArrests[c(50:26, 1:25), ]
  expect_equal(describe_clusters(fit, mixed), describe_clusters(fit, USArrests))
  for (data in list(mixed, as.matrix(mixed))) {
    out <- augment(fit, data)
    expect_identical(out$.rownames, rownames(mixed))
    expect_identical(as.integer(out$.cluster), unname(fit$cluster[rownames(mixed)]))
    expect_equal(as.data.frame(augment(fit))[c(50:26, 1:25), -1], as.data.frame(out)[-1], ignore_attr = TRUE)
  }
  other <- list(kgroups(mixed, 3), kgroups(dist(mixed), 3), stats::kmeans(mixed, as.matrix(tidy(fit)[names(USArrests)])), cluster::pam(mixed, 3))
  for (one in other) expect_equal(compare_clusters(fit, one), compare_clusters(fit$cluster, partition_labels(one)[names(fit$cluster)]))
  expect_identical(unname(kgroups(USArrests, 3, init = other[[1]])$cluster), unname(fit$cluster))
})

test_that("columns of a fit in another order of rows are refused; other values of the columns are not", {
  plain <- iris[1:4]
  fits <- list(kgroups(plain, 3), kgroups(as.matrix(plain), 3), kgroups(iris$Sepal.Length, 3), kgroups(iris["Sepal.Width"], 3))
  for (fit in fits[-3]) {
    mixed <- iris[order(iris$Sepal.Length), ]
    row.names(mixed) <- NULL
    for (data in list(mixed, iris[150:1, ], as.matrix(mixed[1:4]))) {
      expect_error(augment(fit, data), class = "kg_error_data")
      expect_error(describe_clusters(fit, data), class = "kg_error_data")
      new <- augment(fit, newdata = data)
      expect_identical(sort(as.integer(new$.cluster)), sort(unname(fit$cluster)))
    }
    expect_identical(nrow(augment(fit, iris)), 150L)
    expect_identical(nrow(augment(fit, scale(plain))), 150L)
    expect_no_error(describe_clusters(fit, data.frame(other = 1:150)))
  }
  expect_no_error(augment(fits[[3]], iris))
})
