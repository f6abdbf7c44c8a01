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
  expect_error(row_blocks(function(i) mtcars, 2, rows = 3), class = "kg_error_dots")
})
