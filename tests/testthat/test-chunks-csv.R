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
      data <- chunks_csv(file, rows)
      expect_equal(data$n, ceiling(30 / rows))
      expect_identical(read_all(data), x)
    }
  }
  bare <- csv_file(paste0(paste(lines[-1], collapse = "\n"), "\n"))
  expect_identical(read_all(chunks_csv(bare, 8, header = FALSE)), unname(x))
  marked <- csv_file(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw(paste(lines[-1], collapse = "\n"))))
  expect_identical(read_all(chunks_csv(marked, 8, header = FALSE)), unname(x))
  packed <- withr::local_tempfile(fileext = ".csv.gz")
  con <- gzfile(packed, "wb")
  writeBin(charToRaw(forms$plain), con)
  close(con)
  expect_identical(read_all(chunks_csv(packed, 11)), x)
  comma <- csv_file(paste(gsub(".", ",", gsub(",", ";", lines), fixed = TRUE), collapse = "\n"))
  expect_identical(read_all(chunks_csv(comma, 11, sep = ";", dec = ",")), x)
  for (mark in c(" ", "\t")) {
    spaced <- csv_file(paste(gsub(",", mark, lines), collapse = "\n"))
    expect_identical(read_all(chunks_csv(spaced, 11, sep = "")), x)
  }
})

test_that("quoted fields may hold separators, line ends and quotes", {
  file <- csv_file('n,word\n1,"a,b"\n2,"c\nd"\n3,"e ""f"""\n4,g\n')
  for (rows in 1:5) {
    expect_identical(read_all(chunks_csv(file, rows))$n, 1:4)
    expect_identical(read_all(chunks_csv(file, rows))$word[1:2], c("a,b", "c\nd"))
  }
  # a quote that is a letter
  file <- csv_file("n,word\n1,5\" pipe\n2,b\n3,c\n")
  for (rows in 1:4) expect_identical(read_all(chunks_csv(file, rows))$n, 1:3)
})

test_that("types of columns are those of the file", {
  file <- csv_file("day,big,who,yes,gone\n2021-03-04,9007199254740993,u,TRUE,\n2021-03-05,7,v,FALSE,\n")
  block <- chunks_csv(file)$reader(1)
  expect_s3_class(block$day, "Date")
  expect_s3_class(block$big, "integer64")
  expect_type(block$who, "character")
  expect_type(block$yes, "logical")
  expect_true(all(is.na(block$gone)))
})

test_that("records are found across reads of the file", {
  file <- withr::local_tempfile()
  lines <- sprintf("%09d", 1:5000)
  writeLines(lines, file)
  index <- record_index(file, 1000, TRUE)
  expect_identical(index$records, c(1000, 1000, 1000, 1000, 999))
  expect_identical(index$start, 10 * (1 + 1000 * (0:4)))
  expect_identical(index$line, 2 + 1000 * (0:4))
  expect_identical(index$end, c(10 * (1 + 1000 * (1:4)), 49999))
})

test_that("a line that does not fit is named, whatever fread() would do about it", {
  set.seed(2)
  lines <- c("a,b", sprintf("%.2f,%.2f", rnorm(40), rnorm(40)))
  stops <- function(at, line, says, rows = 15) {
    file <- csv_file(paste0(paste(replace(lines, at, line), collapse = "\n"), "\n"))
    expect_error(read_all(chunks_csv(file, rows)), says)
    expect_error(kgroups(chunks_csv(file, rows), 2, approx = nystroem(5)), says, class = "kg_error_reader")
  }
  for (at in c(2, 3, 16, 17, 30, 40, 41)) {
    stops(at, "1", sprintf("Line %d has 1 field, but there are 2 columns", at))
    stops(at, "1,2,3", sprintf("Line %d has 3 fields", at))
    if (at < 41) stops(at, "", sprintf("Line %d is blank", at))
    stops(at, "1,x", sprintf("Line %d holds \"x\" in column b", at))
    stops(at, "\"1,5\",2", sprintf("Line %d holds \"1,5\" in column a", at))
  }
  stops(2:41, gsub(".", ",", sub(",", ";", lines[2:41]), fixed = TRUE), "has [23] fields|dec")
  file <- csv_file(paste(gsub(".", ",", gsub(",", ";", lines), fixed = TRUE), collapse = "\n"))
  expect_error(read_all(chunks_csv(file, sep = ";")), "say dec")
})

test_that("files and arguments that cannot be right are refused", {
  file <- csv_file("1 2\n3 4\n")
  empty <- csv_file("")
  blank <- csv_file("a,b\n\n \n")
  wide <- csv_file(as.raw(c(0xff, 0xfe, 0x31, 0x00)))
  zip <- csv_file(as.raw(c(0x50, 0x4b, 0x03, 0x04, 0, 0)))
  hidden <- function(text) gsub("[^ ]*kgroups[^ ]*|/[^ ]*[.]csv|'[^']*[.]csv'|file[0-9a-f]+[.]csv", "<file>", text)
  expect_snapshot(error = TRUE, transform = hidden, {
    chunks_csv(file, header = FALSE, sep = "||")
    chunks_csv(file, header = FALSE, sep = NA)
    chunks_csv(file, dec = ";")
    chunks_csv(file, sep = ",", dec = ",")
    chunks_csv(empty)
    chunks_csv(blank)
    chunks_csv(wide)
    chunks_csv(zip)
  })
  zeros <- csv_file(c(charToRaw("a,b\n1,2\n3,"), as.raw(0), charToRaw("\n")))
  expect_error(read_all(chunks_csv(zeros)), "bytes of 0")
})
