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

test_that("argument names of other packages lead to the argument or function to use", {
  x <- iris[1:4]
  expect_snapshot(error = TRUE, {
    kgroups(x, 3, kernel = "rbf")
    kgroups(x, K = 3)
    kgroups(x, 3, n_clusters = 3)
    kgroups(x, 3, seed = 1)
    kgroups(x, 3, scale = TRUE)
    kgroups(x, 3, na.rm = TRUE)
    energy_test(x, rep(1:3, each = 50), sizes = c(50, 100))
    kgroups(x, 3, groups = iris$Species)
    kgroups(x, 2:6)
    select_k(x, k.max = 6)
  })
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
