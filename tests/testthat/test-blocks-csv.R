skip_if_not_installed("data.table")

csv_file <- function(text, ..., env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  con <- file(file, "wb")
  writeBin(if (is.raw(text)) text else charToRaw(text), con)
  close(con)
  file
}

read_all <- function(data) do.call(rbind, lapply(seq_len(data$n), data$reader))

test_that("every number of rows a block gives the same table", {
  set.seed(1)
  x <- matrix(round(rnorm(90), 4), 30, dimnames = list(NULL, c("a", "b", "c")))
  lines <- c("a,b,c", apply(x, 1, paste, collapse = ","))
  forms <- list(
    plain = paste0(paste(lines, collapse = "\n"), "\n"), cut = paste(lines, collapse = "\n"),
    windows = paste0(paste(lines, collapse = "\r\n"), "\r\n"),
    blank = paste0(paste(lines, collapse = "\n"), "\n\n  \n\r\n"),
    mark = c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw(paste0(paste(lines, collapse = "\r\n"), "\r\n"))),
    quoted = paste0('"a","b","c"\n', paste(gsub("([^,]+)", "\"\\1\"", lines[-1]), collapse = "\n"))
  )
  for (form in forms) {
    file <- csv_file(form)
    for (rows in c(1, 7, 29, 30, 31)) {
      data <- row_blocks(file, rows)
      expect_equal(data$n, ceiling(30 / rows))
      expect_identical(read_all(data), x)
    }
  }
  bare <- csv_file(paste0(paste(lines[-1], collapse = "\n"), "\n"))
  expect_identical(read_all(row_blocks(bare, 8, header = FALSE)), unname(x))
  marked <- csv_file(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw(paste(lines[-1], collapse = "\n"))))
  expect_identical(read_all(row_blocks(marked, 8, header = FALSE)), unname(x))
  packed <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(packed, "wb")
  writeBin(charToRaw(forms$plain), con)
  close(con)
  expect_identical(read_all(row_blocks(packed, 11)), x)
  comma <- csv_file(paste(gsub(".", ",", gsub(",", ";", lines), fixed = TRUE), collapse = "\n"))
  expect_identical(read_all(row_blocks(comma, 11, sep = ";", dec = ",")), x)
  for (mark in c(" ", "\t")) {
    spaced <- csv_file(paste(gsub(",", mark, lines), collapse = "\n"))
    expect_identical(read_all(row_blocks(spaced, 11, sep = mark)), x)
  }
})

test_that("quoted fields may hold separators and quotes, but no line ends", {
  file <- csv_file('n,word\n1,"a,b"\n2,"c d"\n3,"e ""f"""\n4,g\n')
  for (rows in 1:5) {
    expect_identical(read_all(row_blocks(file, rows))$n, 1:4)
    expect_identical(read_all(row_blocks(file, rows))$word[1:2], c("a,b", "c d"))
  }
  file <- csv_file('n,word\n1,"a,b"\n2,"c\nd"\n4,g\n')
  expect_error(row_blocks(file), "one observation a line", class = "kg_error_file")
  # a quote within a word
  file <- csv_file("n,word\n1,5\" pipe\n2,b\n3,c\n")
  for (rows in 1:4) expect_identical(read_all(row_blocks(file, rows))$n, 1:3)
})

test_that("types of columns are those of the file", {
  file <- csv_file("day,big,who,yes,gone\n2021-03-04,9007199254740993,u,TRUE,\n2021-03-05,7,v,FALSE,\n")
  block <- row_blocks(file)$reader(1)
  expect_s3_class(block$day, "Date")
  expect_s3_class(block$big, "integer64")
  expect_type(block$who, "character")
  expect_type(block$yes, "logical")
  expect_true(all(is.na(block$gone)))
})

test_that("lines that do not fit are an error, and a text among numbers is refused", {
  set.seed(2)
  lines <- c("a,b", sprintf("%.2f,%.2f", rnorm(40), rnorm(40)))
  for (at in c(3, 16, 17, 30, 40)) {
    for (line in c("1", "1,2,3", "")) {
      file <- csv_file(paste0(paste(replace(lines, at, line), collapse = "\n"), "\n"))
      expect_error(kgroups(row_blocks(file, 15), 2, approx = nystroem(5)), class = "kg_error")
    }
    file <- csv_file(paste0(paste(replace(lines, at, "1,x"), collapse = "\n"), "\n"))
    expect_error(kgroups(row_blocks(file, 15), 2, approx = nystroem(5)), "must hold the same in all blocks", class = "kg_error_blocks")
    suppressWarnings(expect_message(kgroups(row_blocks(file, 100), 2, approx = nystroem(5)), class = "kg_message_text"))
  }
})

test_that("files and arguments that cannot be right are refused", {
  file <- csv_file("1 2\n3 4\n")
  empty <- csv_file("")
  blank <- csv_file("a,b\n\n \n")
  for (bytes in list(c(0xff, 0xfe, 0x31, 0x00), c(0x50, 0x4b, 0x03, 0x04, 0, 0))) {
    expect_error(row_blocks(csv_file(as.raw(bytes))), class = "kg_error_file")
  }
  hidden <- function(text) gsub("[^ ]*kgroups[^ ]*|/[^ ]*[.]csv|'[^']*[.]csv'|file[0-9a-f]+[.]csv", "<file>", text)
  expect_snapshot(error = TRUE, transform = hidden, {
    row_blocks(file, header = FALSE, sep = "||")
    row_blocks(file, header = FALSE, sep = NA)
    row_blocks(file, dec = ";")
    row_blocks(file, sep = ",", dec = ",")
    row_blocks(empty)
    row_blocks(blank)
    row_blocks(csv_file("a,b\n1,2,3\n4,5,6\n"))
    row_blocks(csv_file(as.raw(c(0x58, 0x0a, 0x00, 0x00))))
    row_blocks(file, read.csv)
    row_blocks(iris)
    row_blocks(list(1, 2))
    row_blocks(identity)
    row_blocks(character())
  })
})

test_that("text with quotes is read as read.csv() reads it, and predict() of its data gives the labels", {
  set.seed(1)
  table <- data.frame(
    x = rnorm(60) + 5 * rep(0:1, 30), kind = sample(c("q\"r", "\"", "a,\"b\"", "plain"), 60, TRUE), check.names = FALSE
  )
  names(table)[2] <- "ki\"nd"
  file <- withr::local_tempfile(fileext = ".csv")
  write.csv(table, file, row.names = FALSE)
  fit <- kgroups(row_blocks(file, rows = 20), 2, approx = nystroem(15))
  expect_identical(predict(fit, read.csv(file, check.names = FALSE)), fit$cluster, ignore_attr = TRUE)
})

test_that("the copy of a compressed file goes with the object", {
  file <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(file, "w")
  write.csv(iris[1:4], con, row.names = FALSE)
  close(con)
  copies <- function() list.files(tempdir(), "^kgroups-.*csv$")
  before <- copies()
  data <- row_blocks(file)
  expect_length(setdiff(copies(), before), 1)
  kgroups(data, 3, approx = nystroem(10))
  rm(data)
  gc()
  expect_length(setdiff(copies(), before), 0)
  empty <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(empty, "w")
  writeLines("a,b", con)
  close(con)
  expect_error(row_blocks(empty), class = "kg_error_file")
  expect_length(setdiff(copies(), before), 0)
})

test_that("header, separator and decimal mark are found from the first lines, whatever the form of the file", {
  set.seed(1)
  x <- data.frame(a = round(rnorm(12), 2), b = c(1:11, -3) + 0, c = rep(c("u", "v;w"), 6))
  write <- function(sep, dec, header, quote, table = x) {
    file <- withr::local_tempfile(fileext = ".csv", .local_envir = parent.frame(2))
    write.table(table, file, sep = sep, dec = dec, col.names = header, row.names = FALSE, quote = quote)
    file
  }
  for (quote in c(TRUE, FALSE)) {
    for (header in c(TRUE, FALSE)) {
      for (form in list(c(",", "."), c(";", ","), c(";", "."), c("\t", "."))) {
        table <- if (quote || form[1] != ";") x else x[1:2]
        file <- write(form[1], form[2], header, quote, table)
        if (header) expect_silent(data <- row_blocks(file, 5)) else expect_message(data <- row_blocks(file, 5), class = "kg_message_header")
        expect_equal(as.data.frame(read_all(data)), if (header) table else setNames(table, paste0("V", seq_along(table))), ignore_attr = !header)
        expect_identical(data$rows, 12)
        given <- row_blocks(file, 5, header = header, sep = form[1], dec = form[2])
        expect_identical(read_all(given), read_all(data))
      }
    }
  }
  # years are names if `header` is TRUE
  file <- csv_file("1990,1991\n1,2\n3,4\n")
  expect_silent(named <- row_blocks(file, header = TRUE))
  expect_identical(colnames(named$reader(1)), c("1990", "1991"))
  expect_message(expect_identical(row_blocks(file)$rows, 3), class = "kg_message_header")
})

test_that("several files are one table", {
  parts <- split(round(iris[1:4], 1), rep(1:3, c(10, 100, 40)))
  files <- vapply(parts, function(part) {
    file <- withr::local_tempfile(fileext = ".csv", .local_envir = parent.frame(2))
    write.csv(part, file, row.names = FALSE)
    file
  }, "")
  for (rows in c(7, 50, 1000)) {
    data <- row_blocks(unname(files), rows)
    expect_equal(data$n, sum(ceiling(c(10, 100, 40) / rows)))
    expect_equal(read_all(data), as.matrix(do.call(rbind, unname(parts))), ignore_attr = TRUE)
  }
  expect_snapshot(row_blocks(unname(files), 50))
  expect_error(row_blocks(c(files[[1]], csv_file("a,b,c,d\n1,2,3,4\n"))), "the same columns", class = "kg_error_file")
})

test_that("columns of several files are matched by name; other names, numbers and separators are refused", {
  file <- csv_file("a,b,c\n1,2,u\n3,4,v\n")
  turned <- csv_file("c,a,b\nw,5,6\nx,7,8\n")
  expected <- data.frame(a = c(1L, 3L, 5L, 7L), b = c(2L, 4L, 6L, 8L), c = c("u", "v", "w", "x"))
  for (rows in 1:3) expect_identical(read_all(row_blocks(c(file, turned), rows)), expected)
  for (other in c("a,b\n1,2\n", "a,b,c,d\n1,2,3,4\n", "a,b,d\n1,2,u\n", "a;b;c\n1;2;u\n")) {
    expect_error(row_blocks(c(file, csv_file(other))), "the same columns", class = "kg_error_file")
  }
  expect_error(row_blocks(c(csv_file("1,2\n"), csv_file("1,2,3\n")), header = FALSE), "the same columns", class = "kg_error_file")
})

test_that("tables of write.table() are read as read.table() reads them, with and without names of rows", {
  x <- data.frame(height = c(1.5, 2, 7), `a b` = c(3, 4, 5), kind = c("u v", "w", "z"), check.names = FALSE)
  file <- withr::local_tempfile()
  for (sep in c(" ", "\t", ",", ";")) {
    for (names in list(TRUE, FALSE, c("first row", "b", "c"))) {
      write.table(x, file, sep = sep, row.names = names)
      expect_silent(data <- row_blocks(file, 2))
      expect_equal(read_all(data), x, ignore_attr = "row.names")
    }
  }
  # a header that is too short, or a separator at the end of the lines, is no name of rows
  for (text in c("a,b\n1,2,3\n4,5,6\n", "a,b\nu,1,\nv,2,\n")) expect_error(row_blocks(csv_file(text)), "line 2 has 3 fields", class = "kg_error_file")
})

test_that("text that is not UTF-8 is that of a data frame with the same bytes", {
  bytes <- c(charToRaw("a,b"), as.raw(0xe9), charToRaw("\n1,caf"), as.raw(0xe9), charToRaw("\n2,t\n8,t\n9,caf"), as.raw(0xe9), charToRaw("\n"))
  file <- csv_file(bytes)
  block <- row_blocks(file, 9)$reader(1)
  expect_identical(names(block), c("a", "b\u00e9"))
  expect_identical(block[[2]], c("caf\u00e9", "t", "t", "caf\u00e9"))
  fit <- kgroups(row_blocks(file, 2), 2, approx = nystroem(4))
  expect_identical(predict(fit, read.csv(file, check.names = FALSE)), fit$cluster, ignore_attr = TRUE)
})

test_that("the error of a file names its first line that does not fit", {
  top <- "a,b\n1,2\n3,4\n"
  cases <- c(
    "1,2,3\n" = "line 4 has 3 fields, the first one has 2", "5\n6,7\n" = "line 4 has 1 field,", "\n6,7\n" = "line 4 is blank",
    "# note\n5,6\n" = "line 4 looks like a comment", "\"u\nv\",2\n" = "a field of line 4 has several lines"
  )
  for (end in names(cases)) {
    file <- csv_file(paste0(top, end))
    expect_error(row_blocks(file), cases[[end]], class = "kg_error_file")
    expect_error(row_blocks(file), "one observation a line")
  }
  file <- csv_file(paste0("# made by a logger\n", top))
  error <- expect_error(row_blocks(file), "line 1 looks like a comment", class = "kg_error_file")
  # the code of the hint makes a file that is read
  withr::local_dir(dirname(file))
  withr::defer(unlink("new.csv"))
  eval(parse(text = sub(".*`(writeLines.*)`.*", "\\1", gsub("\n", " ", conditionMessage(error)))))
  expect_identical(row_blocks("new.csv")$rows, 2)
  # a wrong separator
  expect_error(row_blocks(csv_file("\"a\" \"b\"\n\"x\" 1\n"), sep = ","), "gives another one")
})

test_that("a function changes the blocks, here and on workers", {
  set.seed(3)
  x <- data.frame(
    age = replace(round(rnorm(80, 50, 3)), 1:8, -999), mass = paste(round(rnorm(80, 70, 5)), "kg"),
    kind = sample(c("A", "B", "?"), 80, TRUE), y = rnorm(80, 0, 1)
  )
  file <- withr::local_tempfile(fileext = ".csv")
  write.csv(x, file, row.names = FALSE)
  file_blocks <- row_blocks(file, 30)
  blocks <- row_blocks(file_blocks, function(block) block[c("age", "y")])
  expect_equal(read_all(blocks), x[c("age", "y")], ignore_attr = TRUE)
  expect_error(row_blocks(blocks, 3), "must be a function", class = "kg_error_f")
  skip_on_cran()
  cluster <- parallel::makeCluster(1)
  withr::defer(parallel::stopCluster(cluster))
  set.seed(1)
  here <- kgroups(env$x, 2, approx = nystroem(20))
  set.seed(1)
  expect_identical(kgroups(env$x, 2, approx = nystroem(20), cl = cluster)$cluster, here$cluster)
})

test_that("arguments of other readers, patterns and connections are answered by the way to the same", {
  file <- csv_file("a,b\n1,2\n")
  expect_error(row_blocks(file = file), "first argument", class = "kg_error_dots")
  expect_error(row_blocks(file, na.strings = "."), "Change the blocks")
  expect_error(row_blocks(file, comment.char = "#"), "grep\\(")
  expect_error(row_blocks(file, fileEncoding = "latin1"), "latin1")
  expect_error(row_blocks(file, delim = ";"), "Use `sep`")
  expect_error(row_blocks(file.path(dirname(file), "no*.csv")), "Sys.glob", fixed = TRUE)
  con <- file(file)
  withr::defer(close(con))
  expect_error(row_blocks(con), "path of the file")
  data <- row_blocks(file)
  unlink(file)
  expect_error(kgroups(data, 1, approx = nystroem(2)), "it is gone", class = "kg_error_reader")
})
