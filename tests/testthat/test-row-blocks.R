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
