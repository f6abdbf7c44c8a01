# Fits of blocks: passes, and what goes wrong with them.

test_that("all landmarks: labels and W are those of Lloyd's method on the data", {
  set.seed(1)
  blocks <- block_data(200, 4)
  x <- do.call(rbind, blocks)
  for (semimetric in list(rho_power(1), rho_gaussian(2))) {
    fit <- kgroups(
      row_blocks(list_reader(blocks), 4), 2, semimetric = semimetric, approx = nystroem(landmarks = x), tol = 0
    )
    exact <- energy_statistics(x, fit$cluster, semimetric)
    expect_equal(fit$W, exact$W, tolerance = 1e-6)
    expect_equal(fit$S, exact$S, tolerance = 1e-5)
    expect_equal(fit$within, unname(exact$within), tolerance = 1e-6)
    # a fixed point of Lloyd's method
    d2 <- reference_d2(reference_rho(x, x, semimetric), fit$cluster)
    expect_identical(max.col(-d2, "first"), unname(fit$cluster))
    expect_equal(predict(fit, x, type = "squared"), d2, tolerance = 1e-4, ignore_attr = TRUE)
  }
})

test_that("predict gives a block its labels; the estimate finds the exact W", {
  set.seed(2)
  blocks <- block_data(3000, 6)
  x <- do.call(rbind, blocks)
  fit <- kgroups(row_blocks(list_reader(blocks), 6), 3, approx = nystroem(30))
  expect_identical(unname(predict(fit, x)), unname(fit$cluster))
  exact <- energy_statistics(x, fit$cluster)$W
  expect_lt(abs(fit$approx$W_estimate - exact), 5 * fit$approx$W_se)
  expect_identical(fit$sizes, tabulate(fit$cluster, 3))
  expect_equal(fit$W + fit$S, fit$total)
  expect_identical(nobs(fit), 3000L)
  memory <- kgroups(x, 3, approx = nystroem(30))
  expect_lt(abs(fit$approx$W_estimate / memory$approx$W_estimate - 1), 0.02)
  expect_error(plot(fit), class = "kg_error_keep")
  expect_identical(nrow(tidy(fit)), 3L)
  table <- augment(fit, newdata = x[1:5, ])
  expect_identical(as.integer(table$.cluster), unname(fit$cluster)[1:5])
  expect_false(anyNA(table$.distance))
  expect_error(predict(fit, type = "distance"), class = "kg_error_keep")
})

test_that("objectives of all starts are of all rows, and a block of no more rows than are drawn is taken whole", {
  set.seed(3)
  blocks <- block_data(3000, 3)
  fit <- kgroups(row_blocks(list_reader(blocks), 3), 2, approx = nystroem(30), nstart = 3)
  expect_equal(unname(fit$objectives) / fit$W, rep(1, length(fit$objectives)), tolerance = 0.05)
  expect_equal(fit$objectives[[fit$best_start]], fit$W, tolerance = 1e-6)
  for (n in c(4, 5, 6)) {
    task <- list(i = 1, uniforms = c(0.5, 0.1, 0.9, 0.55, 0.2))
    found <- survey_block(task, list(reader = function(i) matrix(as.numeric(seq_len(n))), fail = FALSE))
    expect_setequal(found$rows, if (n <= 5) seq_len(n) else c(4, 1, 6, 2))
  }
})

test_that("weights: by name, by number, as replicated rows", {
  set.seed(4)
  blocks <- block_data(300, 3)
  landmarks <- do.call(rbind, blocks)[1:30, ]
  w <- lapply(blocks, function(block) sample(0:3, nrow(block), TRUE))
  named <- Map(function(block, weight) data.frame(block, w = weight), blocks, w)
  fit_of <- function(blocks, weights = NULL) {
    set.seed(5)
    kgroups(row_blocks(list_reader(blocks), 3), 2, weights = weights, approx = nystroem(landmarks = landmarks), tol = 0)
  }
  by_name <- fit_of(named, "w")
  by_number <- fit_of(blocks, unlist(w))
  often <- Map(function(block, weight) block[rep(seq_along(weight), weight), ], blocks, w)
  replicated <- fit_of(often)
  expect_identical(by_name$cluster, by_number$cluster)
  expect_equal(by_name$W, by_number$W)
  expect_equal(by_name$W, replicated$W, tolerance = 1e-5)
})

test_that("readers that give wrong blocks are distinguished", {
  set.seed(9)
  blocks <- block_data(60, 4)
  fit_of <- function(event, ...) {
    kgroups(row_blocks(broken_reader(blocks, event), 4), 2, approx = nystroem(10), ...)
  }
  count <- 0
  later <- function(change) {
    function(block) {
      count <<- count + 1
      if (count > 1) change(block) else block
    }
  }
  expect_snapshot(error = TRUE, {
    fit_of(function(block) stop("no such file"))
    fit_of(function(block) "text")
    fit_of(function(block) block[, 1, drop = FALSE])
    fit_of(function(block) setNames(as.data.frame(block), c("a", "c")))
    fit_of(function(block) block[0, ])
    # missing cells are filled unless they are to be refused
    fit_of(function(block) replace(block, 2, NA), missing = "fail")
    fit_of(function(block) data.frame(a = "x", b = 1))
    fit_of(later(function(block) block[-1, ]))
  })
  count <- 0
  expect_error(fit_of(later(function(block) block[, 1])), class = "kg_error_blocks")
  for (wrong in list(function(block) "text", function(block) block[0, ])) {
    expect_error(fit_of(wrong), class = "kg_error_blocks")
  }
})

test_that("blocks that are not rows of data, or have one row out of all bounds, are refused", {
  set.seed(14)
  blocks <- block_data(60, 4)
  fit_of <- function(event) {
    kgroups(row_blocks(broken_reader(blocks, event), 4), 2, approx = nystroem(10))
  }
  for (wrong in list(dist, function(block) as_gram(tcrossprod(block)))) {
    expect_error(fit_of(wrong), class = "kg_error_blocks")
  }
  set.seed(1)
  far <- lapply(blocks, `*`, 1e200)
  expect_identical(length(kgroups(row_blocks(list_reader(far), 4), 2, approx = nystroem(10))$cluster), 60L)
})

test_that("a reader that sets a seed is read, and the generator goes on as before; one that sets none is refused", {
  set.seed(6)
  blocks <- block_data(900, 7)
  seeded <- function(i) {
    set.seed(i)
    matrix(rnorm(60) + 4 * (i %% 2), 30)
  }
  random <- function(i) matrix(rnorm(60), 30)
  environment(seeded) <- environment(random) <- globalenv()
  fitted <- function(reader, n = 7) {
    set.seed(7)
    c(kgroups(row_blocks(reader, n), 3, approx = nystroem(30))[c("cluster", "W")], next_number = runif(1))
  }
  expect_identical(fitted(list_reader(blocks)), fitted(list_reader(blocks)))
  expect_identical(fitted(seeded), fitted(seeded))
  expect_error(fitted(random), class = "kg_error_blocks")
  # the data of a call of the reader alone
  expect_identical(unname(predict(kgroups(row_blocks(seeded, 2), 2, approx = nystroem(9)), seeded(2))), rep(2L, 30))
  expect_error(
    fitted(broken_reader(blocks, function(block) stop("disk on fire"))), "disk on fire", class = "kg_error_reader"
  )
})

test_that("arguments are checked", {
  data <- row_blocks(list_reader(block_data(60, 2)), 2)
  expect_snapshot(error = TRUE, {
    kgroups(data, 2)
    kgroups(data, 2, approx = nystroem(10, polish = TRUE))
    kgroups(data, 2, approx = nystroem(landmarks = 1:10))
    kgroups(data, 2, approx = nystroem(10), weights = "w")
    kgroups(data, 2, approx = nystroem(10), weights = 1:3)
    kgroups(data, 61, approx = nystroem(10))
    kgroups(data, 2, approx = nystroem(10), init = "random")
  })
  expect_warning(
    kgroups(row_blocks(list_reader(block_data(500, 2)), 2), 7, approx = nystroem(10), iter.max = 1),
    class = "kg_warning_iterations"
  )
})

test_that("files that vanish, were written by half or change are an error", {
  set.seed(12)
  x <- round(do.call(rbind, block_data(200, 4)), 3)
  folder <- withr::local_tempdir()
  path <- function(i) file.path(folder, sprintf("b%d.rds", i))
  for (i in 1:4) saveRDS(x[50 * (i - 1) + 1:50, ], path(i))
  expect_stops <- function(blocks, text) {
    expect_error(kgroups(blocks, 2, approx = nystroem(20)), text, class = "kg_error_reader")
  }
  blocks <- row_blocks(function(i) readRDS(path(i)), 4)
  bytes <- readBin(path(3), "raw", 1e6)
  writeBin(bytes[seq_len(length(bytes) %/% 2)], path(3))
  expect_stops(blocks, "block 3")
  unlink(path(3))
  suppressWarnings(expect_stops(blocks, "block 3"))
  # in the middle of a fit
  writeBin(bytes, path(3))
  reads <- 0
  vanishing <- row_blocks(function(i) {
    reads <<- reads + 1
    if (reads == 10) unlink(path(2))
    readRDS(path(i))
  }, 4)
  suppressWarnings(expect_stops(vanishing, "block 2"))
  expect_gt(reads, 9)
})

test_that("prints", {
  set.seed(11)
  blocks <- lapply(block_data(90, 3), round, 2)
  data <- row_blocks(list_reader(blocks), 3)
  expect_snapshot({
    data
    kgroups(data, 2, approx = nystroem(landmarks = do.call(rbind, blocks)))
  })
})

test_that("columns in blocks have the messages that they have in memory", {
  set.seed(1)
  flowers <- iris[sample(150), ]
  rownames(flowers) <- NULL
  tables <- list(
    id = cbind(V1 = 1:150, flowers[1:4]), id = cbind(number = 0:149, flowers[1:4]),
    code = replace(flowers[1:4], cbind(5:9, 1), -999)
  )
  kinds <- function(x, ...) {
    found <- character()
    withCallingHandlers(
      kgroups(x, 3, ...),
      message = function(m) {
        found <<- c(found, class(m)[1L])
        tryInvokeRestart("muffleMessage")
      }, warning = function(w) tryInvokeRestart("muffleWarning")
    )
    unique(found)
  }
  for (at in seq_along(tables)) {
    x <- tables[[at]]
    parts <- split(x, rep(1:4, c(20, 60, 30, 40)))
    blocks <- row_blocks(list_reader(parts), 4)
    expected <- kinds(x)
    expect_true(paste0("kg_message_", names(tables)[at]) %in% expected, info = names(tables)[at])
    expect_setequal(kinds(blocks, approx = nystroem(40)), expected)
  }
  expect_identical(kinds(row_blocks(list_reader(block_data(60, 2)), 2), approx = nystroem(9)), character())
})

test_that("weights in a column stay in the fit, as those that were given", {
  set.seed(31)
  blocks <- block_data(300, 3)
  w <- lapply(blocks, function(block) runif(nrow(block), 0.1, 9))
  named <- Map(function(block, weight) data.frame(block, w = weight), blocks, w)
  fit <- kgroups(row_blocks(list_reader(named), 3), 2, weights = "w", approx = nystroem(20))
  expect_equal(fit$weights, unlist(w, use.names = FALSE))
  expect_equal(as.data.frame(fit)$weight, unlist(w, use.names = FALSE))
  expect_equal(summary(fit)$clusters$weight, as.vector(rowsum(unlist(w), fit$cluster)))
  # all rows of a block may have the weight 0
  named[[2]]$w <- 0
  fit <- kgroups(row_blocks(list_reader(named), 3), 2, weights = "w", approx = nystroem(20))
  expect_identical(sum(fit$sizes), 300L)
  expect_equal(sum(summary(fit)$clusters$weight), sum(named[[1]]$w, named[[3]]$w))
})

# Rows of a table in blocks of unequal size; text in some blocks is a factor in others.
table_blocks <- function(data, blocks = 5) {
  at <- sort(c(seq_len(blocks), sample.int(blocks, nrow(data) - blocks, TRUE, prob = seq_len(blocks))))
  split(data, at)
}

test_that("a table in blocks has the points of the table in memory", {
  set.seed(41)
  data <- mixed_table(400)
  blocks <- table_blocks(data)
  w <- sample(0:3, 400, TRUE)
  for (weights in list(NULL, w)) {
    fit <- kgroups(
      row_blocks(list_reader(blocks), 5), 3, weights = weights, approx = nystroem(40), column_weights = c(town = 0.5)
    )
    whole <- as_points(data, weights, column_weights = c(town = 0.5))
    expect_equal(apply_blueprint(fit$blueprint, data), whole, ignore_attr = TRUE)
    expect_identical(colnames(whole), fit$blueprint$coordinates)
    expect_identical(unname(predict(fit, data)), unname(fit$cluster))
  }
  # a matrix of numbers, standardised, far from 0
  x <- cbind(a = rnorm(300, 1e6), b = rnorm(300, 5, 1e-3))
  halves <- list(x[1:100, ], x[101:300, ])
  fit <- kgroups(row_blocks(list_reader(halves), 2), 2, standardize = TRUE, approx = nystroem(20))
  expect_equal(apply_blueprint(fit$blueprint, halves[[2]]), scale(x)[101:300, ], ignore_attr = TRUE, tolerance = 1e-9)
  # landmarks may be rows of the table
  set.seed(1)
  given <- kgroups(row_blocks(list_reader(blocks), 5), 3, approx = nystroem(landmarks = data[1:40, ]))
  expect_identical(given$approx$m, 40)
})

test_that("missing cells in blocks are filled as those of new rows, whatever a block lacks", {
  set.seed(42)
  data <- mixed_table(500, 0.1)
  blocks <- table_blocks(data)
  # a block without a value of a column, one with a factor for text, one whole
  blocks[[1]]$size <- NA
  blocks[[2]]$town <- factor(blocks[[2]]$town)
  fit <- kgroups(row_blocks(list_reader(blocks), 5), 3, approx = nystroem(40))
  data$size[seq_len(nrow(blocks[[1]]))] <- NA
  expect_identical(suppressMessages(unname(predict(fit, data))), unname(fit$cluster))
  memory <- make_blueprint_quietly(data)
  for (name in c("mean", "sd", "shares", "levels", "count")) {
    expect_equal(lapply(fit$blueprint$columns, `[[`, name), lapply(memory$columns, `[[`, name), ignore_attr = TRUE)
  }
  expect_equal(fit$blueprint$missing$cells, memory$missing$cells)
  # numbers keep their units, and new rows may have holes though the blocks had none
  set.seed(43)
  numbers <- block_data(300, 3)
  plain <- kgroups(row_blocks(list_reader(numbers), 3), 2, approx = nystroem(20))
  expect_true(is_plain(plain$blueprint))
  expect_false(anyNA(predict(plain, rbind(c(a = NA, b = 4), c(0, NA)))))
  holed <- lapply(numbers, function(block) replace(block, 3, NA))
  filled <- suppressMessages(kgroups(row_blocks(list_reader(holed), 3), 2, approx = nystroem(20)))
  expect_true(filled$blueprint$as_is)
  expect_gt(compare_clusters(filled$cluster, plain$cluster), 0.95)
})

test_that("tables in blocks that do not go together are refused by name", {
  set.seed(44)
  blocks <- table_blocks(mixed_table(100), 3)
  fit_of <- function(change, ...) {
    altered <- blocks
    altered[[2]] <- change(altered[[2]])
    suppressMessages(kgroups(row_blocks(list_reader(altered), 3), 2, approx = nystroem(10), ...))
  }
  set_column <- function(name, value) function(block) replace(block, name, list(rep(value, nrow(block))))
  ordered <- function(block) {
    block$grade <- factor(as.character(block$grade), c("high", "mid", "low"), ordered = TRUE)
    block
  }
  expect_snapshot(error = TRUE, {
    fit_of(set_column("size", "large"))
    fit_of(ordered)
    fit_of(set_column("size", NA), missing = "fail")
    fit_of(set_column("size", Inf))
    fit_of(identity, column_weights = c(siz = 0.5))
    fit_of(identity, column_weights = c(size = -1))
    fit_of(identity, standardize = NA)
  })
  # levels that come up only when the block is read again
  count <- 0
  changing <- function(i) {
    count <<- count + 1
    # of the same length
    if (count > 8) transform(blocks[[i]], town = chartr("aeiou", "eioua", town)) else blocks[[i]]
  }
  expect_error(kgroups(row_blocks(changing, 3), 2, approx = nystroem(10)), "first pass", class = "kg_error_blocks")
  constant <- lapply(blocks, set_column("size", 1))
  fit <- kgroups(row_blocks(list_reader(constant), 3), 2, approx = nystroem(10))
  expect_identical(fit$blueprint$left_out, "size (constant)")
  expect_false("size" %in% fit$blueprint$coordinates)
  empty <- lapply(blocks, set_column("size", NA))
  fit <- kgroups(row_blocks(list_reader(empty), 3), 2, approx = nystroem(10))
  expect_identical(fit$blueprint$left_out, "size (empty)")
})

test_that("a reader whose second pass differs is found out", {
  set.seed(21)
  x <- matrix(rnorm(200), 100)
  changing <- function(change) {
    passes <- integer(2)
    row_blocks(function(i) {
      passes[i] <<- passes[i] + 1L
      block <- cbind(x[50 * (i - 1) + 1:50, ], w = 1)
      if (i == 2 && passes[i] > 1L) change(block) else block
    }, 2)
  }
  changes <- list(
    function(block) block[rev(seq_len(nrow(block))), ], function(block) block[c(2, 1, 3:50), ],
    function(block) replace(block, 3, 17),
    function(block) replace(block, 101, 2), function(block) block[-1, ], function(block) block + 1e-3
  )
  for (change in changes) {
    expect_error(
      kgroups(changing(change), 2, weights = "w", approx = nystroem(10)), "first pass|rows now",
      class = "kg_error_blocks"
    )
  }
  expect_s3_class(kgroups(changing(identity), 2, weights = "w", approx = nystroem(10)), "kgroups_fit")
})

test_that("row names that belie the columns are an error, in a file as elsewhere", {
  columns <- list(a = c(1, 2, 3, 11, 12, 13), b = c(0, 1, 0, 5, 6, 5))
  file <- withr::local_tempfile(fileext = ".rds")
  for (names in list(1:10, 1:3, c(NA, -10L), c(NA, -3L), letters[1:9], c(NA, -2147483647L))) {
    x <- columns
    attr(x, "row.names") <- names
    class(x) <- "data.frame"
    saveRDS(x, file)
    expect_error(
      kgroups(row_blocks(function(i) readRDS(file), 1), 2, approx = nystroem(4)), "Column a has 6",
      class = "kg_error_blocks"
    )
    expect_error(kgroups(readRDS(file), 2), "Column a has 6", class = "kg_error_x")
    expect_error(energy_statistics(readRDS(file), rep(1:2, 3)), class = "kg_error_x")
    expect_error(predict(kgroups(as.data.frame(columns), 2), readRDS(file)), class = "kg_error_newdata")
  }
})

test_that("blocks take the columns that whole tables take", {
  set.seed(51)
  n <- 60
  table <- list(
    words = data.frame(s = rep(c("u", "v", "w"), 20)), factors = iris[c(1:20, 51:70, 101:120), "Species", drop = FALSE],
    logicals = data.frame(a = rep(c(TRUE, FALSE), 30), b = rep(c(TRUE, TRUE, FALSE), 20))
  )
  table$matrix <- data.frame(a = rnorm(n))
  table$matrix$m <- matrix(rnorm(2 * n), n, 2)
  table$frame <- data.frame(a = rnorm(n))
  table$frame$inner <- data.frame(u = rnorm(n), v = rep(c("x", "y"), n / 2))
  table$times <- data.frame(a = rnorm(n))
  table$times$t <- as.POSIXlt(as.POSIXct("2020-01-01", tz = "UTC") + 86400 * seq_len(n))
  for (name in names(table)) {
    data <- table[[name]]
    blocks <- lapply(split(seq_len(n), rep(1:3, each = 20)), function(at) data[at, , drop = FALSE])
    fit <- suppressWarnings(suppressMessages(kgroups(row_blocks(list_reader(blocks), 3), 2, approx = nystroem(3))))
    points <- suppressMessages(as_points(data))
    expect_equal(apply_blueprint(fit$blueprint, data), points, ignore_attr = TRUE, info = name)
    expect_identical(unname(predict(fit, data)), unname(fit$cluster), info = name)
  }
  short <- list(a = 1:4)
  short$t <- as.POSIXlt(as.POSIXct("2020-01-01", tz = "UTC") + 1:3)
  short <- structure(short, class = "data.frame", row.names = 1:4)
  expect_error(kgroups(row_blocks(function(i) short, 1), 2, approx = nystroem(3)), class = "kg_error")
})

test_that("text that changes between passes, and rows that are exchanged, are found", {
  set.seed(1)
  blocks <- list(
    data.frame(a = c(rep("u", 1500), rep("v", 1500)), b = rnorm(3000)),
    data.frame(a = rep(c("u", "w"), 1500), b = rnorm(3000))
  )
  changing <- function(change) {
    reads <- 0
    row_blocks(function(i) {
      reads <<- reads + 1
      if (reads > 2 && i == 1) change(blocks[[1]]) else blocks[[i]]
    }, 2)
  }
  changes <- list(
    function(block) replace(block, cbind(1, 1), "v"), function(block) block[replace(1:3000, c(1, 1501), c(1501, 1)), ],
    function(block) block[replace(1:3000, c(1, 1022), c(1022, 1)), ], function(block) block[3000:1, ]
  )
  for (change in changes) {
    expect_error(kgroups(changing(change), 2, approx = nystroem(10)), "first pass", class = "kg_error_blocks")
  }
})

test_that("rows with missing cells are counted in the columns that are used", {
  set.seed(1)
  data <- data.frame(a = c(NA, rnorm(29)), b = c(rnorm(20), rep(NA, 10)), c = rnorm(30))
  blocks <- split(data, rep(1:3, each = 10))
  fit <- suppressMessages(
    kgroups(row_blocks(list_reader(blocks), 3), 2, approx = nystroem(5), column_weights = c(b = 0))
  )
  expect_equal(fit$blueprint$missing$rows, 1)
})

test_that("blocks without rows and rows with nothing observed are refused", {
  set.seed(1)
  data <- data.frame(a = rnorm(20), b = rnorm(20))
  fit_of <- function(x) kgroups(row_blocks(list_reader(list(x)), 1), 2, approx = nystroem(5))
  expect_error(fit_of(data[0, ]), "no rows", class = "kg_error_blocks")
  expect_error(fit_of(replace(data, cbind(3, 1:2), NA)), "observed in its row 3", class = "kg_error_blocks")
})

test_that("columns of blocks are matched by name and cast to their common type", {
  set.seed(4)
  data <- data.frame(
    a = rnorm(90), n = sample(9L, 90, TRUE), t = Sys.Date() + sample(90), g = sample(c("u", "v"), 90, TRUE)
  )
  parts <- split(data, rep(1:3, each = 30))
  fit_of <- function(x) {
    set.seed(1)
    suppressMessages(kgroups(row_blocks(list_reader(x), 3), 2, approx = nystroem(20)))
  }
  expected <- fit_of(parts)
  parts[[1]] <- transform(parts[[1]], n = n + 0, g = factor(g, c("v", "u")))
  parts[[2]] <- parts[[2]][4:1]
  parts[[3]] <- parts[[3]][c(2, 1, 4, 3)]
  expect_identical(fit_of(parts)$cluster, expected$cluster)
  numbers <- split(data[1:2], rep(1:3, each = 30))
  turned <- replace(numbers, 3, list(as.matrix(numbers[[3]][2:1])))
  expect_identical(fit_of(turned)$cluster, fit_of(numbers)$cluster)
  expect_error(fit_of(replace(parts, 2, list(replace(parts[[2]], "g", 1)))), "before[$]g. <factor", class = "kg_error_blocks")
  parts[[3]]$t <- as.POSIXct(parts[[3]]$t)
  expect_error(fit_of(parts), "holds dates; it held times", class = "kg_error_blocks")
})

test_that("tables without names of columns or with equal ones are blocks, beside matrices too", {
  set.seed(8)
  x <- rbind(matrix(rnorm(60), 30), matrix(rnorm(60, 5), 30))
  fit_of <- function(first, second) {
    set.seed(1)
    kgroups(row_blocks(function(i) if (i == 1) first else second, 2), 2, approx = nystroem(9))
  }
  empty <- replace(as.data.frame(x[1:30, ]), 1, NA)
  expected <- fit_of(empty, as.data.frame(x[31:60, ]))
  expect_identical(fit_of(empty, x[31:60, ])$cluster, expected$cluster)
  text <- data.frame(rep(c("u", "v"), 30), x[, 1])
  named <- fit_of(text[1:30, ], text[31:60, ])
  expect_identical(fit_of(unname(text[1:30, ]), unname(text[31:60, ]))$cluster, named$cluster)
  twice <- stats::setNames(cbind(text, x[, 2]), c("a", "b", "b"))
  other <- stats::setNames(twice, c("a", "b", "c"))
  expect_identical(fit_of(twice[1:30, ], twice[31:60, ])$cluster, fit_of(other[1:30, ], other[31:60, ])$cluster)
})

test_that("levels that no row of the sample has are taken as missing", {
  # one row in 30,000 has another level; the sample has 20,000
  set.seed(5)
  reader <- function(i) data.frame(
    a = seq_len(10000) %% 97, g = replace(rep(c("u", "v"), 5000), if (i == 2) 5000, "rare")
  )
  for (seed in 1:9) {
    set.seed(seed)
    came <- NULL
    fit <- withCallingHandlers(
      kgroups(row_blocks(reader, 3), 2, approx = nystroem(5)),
      warning = function(w) {
        came <<- class(w)[1]
        invokeRestart("muffleWarning")
      }
    )
    known <- "rare" %in% fit$blueprint$columns[[2]]$levels
    expect_identical(came, if (!known) "kg_warning_levels")
    if (!known) break
  }
  expect_false(known)
  expect_false(anyNA(fit$cluster))
})

test_that("functions that take no blocks name what they take", {
  set.seed(1)
  blocks <- row_blocks(function(i) iris[1:4], 1)
  fit <- kgroups(iris[1:4], 3)
  for (f in list(select_k, kgroups_tree, cluster_test)) expect_error(f(blocks), "takes blocks", class = "kg_error")
  expect_error(predict(fit, blocks), "one block at a time", class = "kg_error")
  expect_equal(predict(fit, blocks$reader(1)), fit$cluster)
})

test_that("a fit of blocks is described by the rows of a block", {
  set.seed(2)
  x <- data.frame(a = c(rnorm(60), rnorm(60, 6)), b = rnorm(120))
  blocks <- split(x, rep(1:3, 40))
  fit <- kgroups(row_blocks(list_reader(blocks), 3), 2, approx = nystroem(20))
  found <- describe_clusters(fit, blocks[[2]])
  expect_identical(found$table, describe_clusters(predict(fit, blocks[[2]]), blocks[[2]])$table)
  expect_null(fit$centers)
  expect_error(describe_clusters(fit), "one block or a sample")
})

# Readers of blocks.

test_that("a reader and its number of blocks are blocks; other input is refused", {
  blocks <- row_blocks(function(i) mtcars[i, 1:2], 2)
  expect_identical(blocks$reader(2), mtcars[2, 1:2])
  expect_output(print(blocks), "Observations in 2 blocks")
  expect_error(row_blocks(list(mtcars, mtcars), 2), "x[[i]]", fixed = TRUE, class = "kg_error_x")
  expect_error(row_blocks(mtcars, 2), class = "kg_error_x")
  expect_error(row_blocks("file.csv"), "vignette", class = "kg_error_x")
  expect_error(row_blocks(function(i) mtcars), class = "kg_error_n")
  expect_error(row_blocks(function(i) mtcars, 0), class = "kg_error_n")
  expect_error(row_blocks(function(i) mtcars, 2, rows = 3), class = "kg_error_rows")
})

test_that("a table or a query of a database is read in blocks; anything else is refused", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  set.seed(1)
  x <- data.frame(a = c(rnorm(50), rnorm(55, 6)), b = rnorm(105))
  DBI::dbWriteTable(con, "my table", x)
  DBI::dbWriteTable(con, "b", x)
  blocks <- row_blocks(con, "my table", rows = 50)
  expect_identical(blocks$n, 3)
  expect_equal(do.call(rbind, lapply(1:3, blocks$reader)), x)
  query <- row_blocks(con, "SELECT a FROM \"my table\" WHERE a > 3 ORDER BY a", rows = 20)
  expect_equal(do.call(rbind, lapply(seq_len(query$n), query$reader))$a, sort(x$a[x$a > 3]))
  fit <- function(blocks) withr::with_seed(1, kgroups(blocks, 2, approx = nystroem(20)))
  parts <- split(x, c(rep(1:2, each = 50), rep(3, 5)))
  expect_identical(fit(blocks)$cluster, fit(row_blocks(function(i) parts[[i]], 3))$cluster)
  for (wrong in list(c("my table", "b"), NA, NULL, 1, NA_character_, character(), "no table", "SELECT nothing FROM b")) {
    expect_error(row_blocks(con, wrong), class = "kg_error_n")
  }
  expect_error(row_blocks(con, "SELECT * FROM b WHERE a > 1000"), class = "kg_error_n")
  expect_error(row_blocks(con), class = "kg_error_n")
  expect_error(row_blocks(con, "b", rows = 0), class = "kg_error_rows")
})
