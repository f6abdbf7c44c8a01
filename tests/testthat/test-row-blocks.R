# Readers of blocks: functions, text files, databases.

csv_file <- function(text, env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  writeBin(if (is.raw(text)) text else charToRaw(text), file)
  file
}

read_all <- function(data) do.call(rbind, lapply(seq_len(data$n), data$reader))

whole <- function(file, ...) data.table::fread(file, data.table = FALSE, na.strings = c("NA", ""), ...)

# A table with all that text files hold.
text_table <- function(n = 230) {
  data.frame(
    x = round(rnorm(n), 3), `a b` = sample(9L, n, TRUE), day = as.Date("2021-03-04") + seq_len(n),
    yes = rep_len(c(TRUE, FALSE), n),
    word = sample(c("a,b", "two\nlines", "q\"r", "plain", "semi;colon", NA), n, TRUE), check.names = FALSE
  )
}

test_that("blocks of a file are the rows that fread() reads, whatever the form of the file and the rows of a block", {
  skip_if_not_installed("data.table")
  set.seed(1)
  table <- text_table()
  file <- withr::local_tempfile(fileext = ".csv")
  forms <- list(
    comma = function(...) write.table(table, file, sep = ",", qmethod = "double", row.names = FALSE, ...),
    tab = function(...) write.table(table, file, sep = "\t", qmethod = "double", row.names = FALSE, ...),
    windows = function(...) write.table(
      table, file, sep = ";", qmethod = "double", row.names = FALSE, eol = "\r\n", ...
    ),
    plain = function(...) write.table(table[1:3], file, sep = ",", row.names = FALSE, quote = FALSE, ...)
  )
  for (form in forms) {
    for (header in c(TRUE, FALSE)) {
      form(col.names = header)
      expected <- whole(file)
      for (rows in c(1, 7, 130, 229, 230, 1000)) {
        if (rows == 1 && !header) next
        data <- row_blocks(file, rows)
        expect_equal(data$n, ceiling(nrow(expected) / rows))
        expect_equal(read_all(data), expected)
      }
    }
  }
  # no line feed at the end, blank lines at the end, a byte order mark, lines above the header
  lines <- c("a,b", sprintf("%d,%.2f", 1:120, rnorm(120)))
  text <- paste(lines, collapse = "\n")
  expected <- whole(csv_file(paste0(text, "\n")))
  for (form in list(
    text, paste0(text, "\n\n  \n\r\n"), c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw(text)),
    paste0("from a logger\n\n", text)
  )) {
    for (rows in c(1, 50, 500)) expect_equal(read_all(row_blocks(csv_file(form), rows)), expected)
  }
  # a quotation mark without its partner
  expect_identical(read_all(row_blocks(csv_file("n,word\n1,5\" pipe\n2,b\n3,c\n"), 1))$n, 1:3)
})

test_that("arguments of fread() are passed on; decimal commas, names of rows, gzip", {
  skip_if_not_installed("data.table")
  set.seed(2)
  table <- text_table()[1:4]
  file <- withr::local_tempfile(fileext = ".csv")
  write.csv(table, file, row.names = FALSE)
  expected <- read_all(row_blocks(file, 50))
  expect_equal(read_all(row_blocks(file, 50, select = c("yes", "x"))), expected[c("yes", "x")])
  expect_identical(is.na(read_all(row_blocks(file, 50, na.strings = "7"))[[2]]), table[[2]] == 7)
  expect_identical(names(row_blocks(file, skip = 120)$reader(1)), paste0("V", 1:4))
  for (write in list(
    function(x, file) write.csv2(x, file, row.names = FALSE), function(x, file) write.table(x, file, sep = ",")
  )) {
    write(table, file)
    expect_equal(read_all(row_blocks(file, 50)), expected)
  }
  packed <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(packed, "w")
  write.csv(table, con, row.names = FALSE)
  close(con)
  data <- row_blocks(packed, 50)
  for (i in c(4, 1, 3)) expect_equal(data$reader(i), expected[50 * (i - 1) + 1:50, ], ignore_attr = "row.names")
  expect_equal(read_all(data), expected)
})

test_that("a line that fread() discards is an error with its line in the file", {
  skip_if_not_installed("data.table")
  lines <- c("a,b", sprintf("%d,%d", 1:300, 300:1))
  for (at in c(3, 99, 100, 101, 102, 180, 299)) {
    for (bad in c("1,2,3", "9", "")) {
      file <- csv_file(paste(replace(lines, at, bad), collapse = "\n"))
      came <- expect_error(read_all(row_blocks(file, 40)), class = "kg_error_file")
      if (!grepl("footer", conditionMessage(came))) {
        expect_match(gsub("\\s+", " ", conditionMessage(came)), sprintf("early on line %d[.]", at))
      }
      expect_match(conditionMessage(came), basename(file), fixed = TRUE)
    }
  }
  expect_error(
    read_all(row_blocks(csv_file(paste(replace(lines, 301, "1,2,3"), collapse = "\n")), 40)), "footer",
    class = "kg_error_file"
  )
})

test_that("several files are one table, with columns matched by name in the fit", {
  skip_if_not_installed("data.table")
  set.seed(3)
  x <- round(iris[sample(150), 1:4], 1)
  parts <- split(x, rep(1:3, c(10, 100, 40)))
  parts[[2]] <- parts[[2]][4:1]
  files <- vapply(parts, function(part) {
    file <- withr::local_tempfile(fileext = ".csv", .local_envir = parent.frame(2))
    write.csv(part, file, row.names = FALSE)
    file
  }, "")
  fits <- lapply(c(7, 50, 1000), function(rows) {
    data <- row_blocks(unname(files), rows)
    expect_equal(data$n, sum(ceiling(c(10, 100, 40) / rows)))
    kgroups(data, 3, approx = nystroem(landmarks = x[1:20, ]))
  })
  for (fit in fits) expect_identical(unname(fit$cluster), unname(predict(fit, x)))
  expect_identical(fits[[1]]$cluster, fits[[2]]$cluster)
  odd <- csv_file("a,b,c,d\n1,2,3,4\n")
  expect_error(
    kgroups(row_blocks(c(files[[1]], odd)), 3, approx = nystroem(9)), "Sepal.Length",
    class = "kg_error_blocks"
  )
})

test_that("blocks are those of the file when it was read; files that are no tables are an error", {
  skip_if_not_installed("data.table")
  text <- "a,b\n1,2\n3,4\n9,1\n"
  file <- csv_file(text)
  data <- row_blocks(file, 2)
  unlink(file)
  expect_equal(read_all(data), whole(csv_file(text)))
  for (bytes in list(raw(), charToRaw("a,b\n"), as.raw(c(0xff, 0xfe, 0x31, 0x00)), as.raw(c(0x50, 0x4b, 3, 4, 0, 0)))) {
    expect_error(row_blocks(csv_file(bytes)), class = "kg_error_file")
  }
  hidden <- function(text) gsub("file[0-9a-f]+[.]csv", "<file>", text)
  expect_snapshot(error = TRUE, transform = hidden, {
    row_blocks(csv_file("a,b\n1,2\n3,4,5\n6,7\n"))
    row_blocks(csv_file("a,b\n1,2\n"), foo = 1)
    row_blocks("nowhere.csv")
    row_blocks(iris)
    row_blocks(list(1, 2))
    row_blocks(identity)
    row_blocks(identity, 0)
    row_blocks(character())
  })
})

test_that("a table of a database has the fit of the data frame, by a connection here and by a connector on workers", {
  skip_if_not_installed("RSQLite")
  set.seed(4)
  table <- data.frame(id = sample(150), iris[1:4], kind = sample(c("u", "v", NA), 150, TRUE))
  path <- withr::local_tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  withr::defer(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "flowers of 1936", table)
  for (rows in c(1, 40, 150, 1000)) {
    data <- row_blocks(con, "flowers of 1936", rows = rows)
    expect_equal(data$n, ceiling(150 / rows))
    expect_equal(read_all(data), table)
  }
  expect_equal(
    read_all(row_blocks(con, "flowers of 1936", rows = 40, order = "id")), table[order(table$id), ],
    ignore_attr = "row.names"
  )
  query <- DBI::SQL("(SELECT \"Petal.Length\", \"Petal.Width\", kind FROM \"flowers of 1936\" WHERE id > 50) AS q")
  data <- row_blocks(con, query, rows = 30)
  expect_equal(read_all(data), table[table$id > 50, 4:6], ignore_attr = "row.names")
  fit_of <- function(data) suppressMessages(withr::with_seed(1, kgroups(data, 3, approx = nystroem(30))))
  fit <- fit_of(data)
  expect_identical(unname(suppressMessages(predict(fit, table[table$id > 50, ]))), unname(fit$cluster))
  expect_identical(fit_of(row_blocks(function(i) table[table$id > 50, 4:6], 1))$cluster, fit$cluster)
  expect_snapshot(row_blocks(con, "flowers of 1936"))
  expect_error(row_blocks(con, "no"), "no such table", class = "kg_error_table")
  expect_error(row_blocks(con), class = "kg_error_table")
  DBI::dbExecute(con, "CREATE TABLE bare (a REAL)")
  expect_error(row_blocks(con, "bare"), "has none", class = "kg_error_table")
  skip_on_cran()
  skip_if_not_installed("future.apply")
  connector <- methods::new("DBIConnector", .drv = RSQLite::SQLite(), .conn_args = list(dbname = path))
  plan <- future::plan(future::multisession, workers = 2)
  withr::defer(future::plan(plan))
  expect_identical(fit_of(row_blocks(connector, query, rows = 30))$cluster, fit$cluster)
  expect_identical(fit_of(data)$cluster, fit$cluster)
})

test_that("a function changes the blocks", {
  x <- data.frame(age = c(-999, 31, 45), y = 1:3)
  blocks <- row_blocks(row_blocks(function(i) x[i, ], 3), function(block) block["age"])
  expect_equal(read_all(blocks), x["age"])
  matrices <- row_blocks(row_blocks(function(i) as.matrix(x), 1), function(block) replace(block, block == -999, NA))
  expect_identical(matrices$reader(1)$age, c(NA, 31, 45))
  expect_error(row_blocks(blocks, 3), "must be a function", class = "kg_error_f")
})
