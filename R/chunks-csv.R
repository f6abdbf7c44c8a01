# Delimited text in blocks. One look at the bytes finds where every block of records starts;
# data.table::fread() parses the bytes of a block. It leaves out lines that do not fit, so rows and
# columns are counted, and a line that does not fit is found and named.

#' @rdname chunks
#' @export
chunks_csv <- function(file, rows = 1e5, header = TRUE, sep = ",", dec = ".") {
  file <- check_file(file, "file")
  rows <- check_count(rows, "rows", 1, 1e9)
  header <- check_flag(header, "header")
  check_sep(sep)
  dec <- check_choice(dec, "dec", c(".", ","))
  if (sep == dec) {
    kg_abort(
      c("{.arg sep} and {.arg dec} must differ.", "x" = "Both are {.val {dec}}.", "i" = "Often {.code sep = \";\"}."),
      "dec"
    )
  }
  check_package("data.table", "chunks_csv()")
  name <- basename(file)
  path <- plain_text_file(file)
  index <- record_index(path, rows, header)
  if (length(index$start) == 0L) {
    kg_abort(
      c("{.arg file} must have lines of data.", "x" = "{.path {file}} has none."),
      "file"
    )
  }
  if (sep == "") sep <- if (grepl("\t", index$first, fixed = TRUE, useBytes = TRUE)) "\t" else " "
  columns <- header_columns(index$first, header, sep)
  new_chunks(csv_reader(path, name, index, columns, header, sep, dec), length(index$start), paste("lines of", name))
}

check_sep <- function(sep, call = rlang::caller_env()) {
  if (!is.character(sep) || length(sep) != 1L || is.na(sep) || nchar(sep, "bytes") > 1L) {
    kg_abort(
      c("{.arg sep} must be one character, or \"\" for white space.", "x" = "You supplied {describe(sep)}."),
      "sep",
      call = call
    )
  }
}

# The file itself, or a copy without its compression. Bytes that are no text are refused.
plain_text_file <- function(file, call = rlang::caller_env()) {
  head <- readBin(file, "raw", 6L)
  starts <- function(...) identical(head[seq_along(c(...))], as.raw(c(...)))
  kind <- if (starts(0xff, 0xfe) || starts(0xfe, 0xff)) {
    "text in UTF-16"
  } else if (starts(0x42, 0x5a, 0x68)) {
    "compressed by bzip2"
  } else if (starts(0xfd, 0x37, 0x7a, 0x58, 0x5a)) {
    "compressed by xz"
  } else if (starts(0x50, 0x4b, 0x03, 0x04)) {
    "a zip archive or a spreadsheet"
  }
  if (!is.null(kind)) {
    kg_abort(
      c(
        "{.arg file} must be plain text or compressed by gzip.",
        "x" = "{.path {file}} is {kind}.",
        "i" = "Convert it to text in UTF-8 first."
      ),
      "file",
      call = call
    )
  }
  if (!starts(0x1f, 0x8b)) {
    return(file)
  }
  # blocks are read from their places, which a compressed file does not have
  copy <- tempfile("kgroups-", fileext = ".csv")
  from <- gzfile(file, "rb")
  to <- file(copy, "wb")
  on.exit({
    close(from)
    close(to)
  })
  repeat {
    bytes <- readBin(from, "raw", 2^24)
    if (length(bytes) == 0L) break
    writeBin(bytes, to)
  }
  copy
}

# Where every block of records starts and ends (in bytes), how many records it has, and the
# number of its first line. A line end within quotes ends no record; where quotes do not pair
# they are letters.
record_index <- function(file, rows, header) {
  found <- scan_records(file, rows, header, quotes = TRUE)
  if (found$inside) found <- scan_records(file, rows, header, quotes = FALSE)
  found
}

scan_records <- function(file, rows, header, quotes) {
  con <- file(file, "rb")
  on.exit(close(con))
  skip <- as.numeric(header)
  mark <- as.raw(c(0xef, 0xbb, 0xbf))
  at <- if (identical(readBin(con, "raw", 3L), mark)) 3 else 0
  seek(con, at)
  # `last` is where the text ends, blank last lines left out
  start <- line <- numeric()
  records <- lines <- 0
  last <- last_records <- 0
  inside <- FALSE
  next_start <- at
  first <- raw()
  pending <- TRUE
  repeat {
    bytes <- readBin(con, "raw", 2^24)
    if (length(bytes) == 0L) break
    feeds <- which(bytes == as.raw(10L))
    quoted <- logical(length(feeds))
    if (quotes) {
      marks <- bytes == as.raw(34L)
      if (inside || any(marks)) {
        odd <- (cumsum(marks) + inside) %% 2 == 1
        quoted <- odd[feeds]
        inside <- odd[length(odd)]
      }
    }
    if (pending) {
      # the header, or the first record of the data
      end <- feeds[!quoted][1L]
      first <- c(first, if (is.na(end)) bytes else bytes[seq_len(end - 1L)])
      pending <- is.na(end)
    }
    ends <- feeds[!quoted]
    # a record begins after each end; those that begin a block are kept
    number <- records + seq_along(ends) - skip
    begins <- which(number >= 0 & number %% rows == 0)
    if (records == 0 && !header && length(start) == 0L) {
      start <- next_start
      line <- 1
    }
    start <- c(start, at + ends[begins])
    line <- c(line, lines + match(ends[begins], feeds) + 1)
    text <- which(!(bytes == as.raw(10L) | bytes == as.raw(13L) | bytes == as.raw(32L) | bytes == as.raw(9L)))
    if (length(text)) {
      # the records that begin up to the last byte that is no blank
      final <- text[length(text)]
      last <- at + final
      last_records <- records + sum(ends < final) + 1
    }
    records <- records + length(ends)
    lines <- lines + length(feeds)
    at <- at + length(bytes)
  }
  keep <- start < last
  start <- start[keep]
  total <- last_records - skip
  count <- rep(rows, length(start))
  if (length(start)) count[length(start)] <- total - rows * (length(start) - 1)
  list(
    start = start, end = c(start[-1L], last), line = line[keep], records = count, size = file.size(file),
    first = sub("\r$", "", rawToChar(first[first != as.raw(0L)]), useBytes = TRUE), inside = inside
  )
}

# Names of the columns, or their number alone.
header_columns <- function(first, header, sep) {
  parsed <- parse_records(first, sep, ".", header)
  if (header) list(number = length(parsed), names = names(parsed)) else list(number = length(parsed), names = NULL)
}

parse_records <- function(text, sep, dec, header = FALSE) {
  suppressWarnings(data.table::fread(
    # one line alone would be taken for the name of a file
    input = paste0(text, "\n"), sep = sep, dec = dec, header = header, fill = FALSE, na.strings = c("NA", ""),
    blank.lines.skip = FALSE, integer64 = "integer64", check.names = FALSE, data.table = FALSE,
    showProgress = FALSE, nThread = 1L
  ))
}

# Factories, so that what travels to workers is only what a reader needs.
csv_reader <- function(file, name, index, columns, header, sep, dec) {
  force(name)
  force(columns)
  force(header)
  force(sep)
  force(dec)
  function(i) {
    if (!identical(file.size(file), index$size)) {
      stop(if (file.exists(file)) "It changed after chunks_csv() had read it: " else "It is gone: ", name)
    }
    con <- file(file, "rb")
    on.exit(close(con))
    seek(con, index$start[i])
    bytes <- readBin(con, "raw", index$end[i] - index$start[i])
    if (any(bytes == as.raw(0L))) stop("It holds bytes of 0, which no text has: ", name)
    text <- rawToChar(bytes)
    block <- tryCatch(parse_records(text, sep, dec), error = function(e) {
      stop("It cannot be read as a table: ", name, " (", conditionMessage(e), ")")
    })
    if (nrow(block) != index$records[i] || length(block) != columns$number) {
      stop(wrong_line(text, columns$number, sep, index$line[i], name))
    }
    names(block) <- if (header) columns$names else paste0("V", seq_along(block))
    for (j in seq_along(block)) {
      if (is.character(block[[j]])) check_text_column(block[[j]], names(block)[j], dec, text, index$line[i], name)
    }
    if (all(vapply(block, function(x) is.numeric(x) && !is.object(x), NA))) {
      block <- as.matrix(block)
      storage.mode(block) <- "double"
      if (!header) colnames(block) <- NULL
    }
    block
  }
}

# The first line with more or fewer fields than there are columns.
wrong_line <- function(text, number, sep, line, name) {
  con <- textConnection(text, encoding = "bytes")
  on.exit(close(con))
  fields <- tryCatch(
    utils::count.fields(
      con,
      sep = if (sep == " ") "" else sep, quote = "\"", comment.char = "", blank.lines.skip = FALSE
    ),
    error = function(e) integer()
  )
  wrong <- which(!is.na(fields) & fields != number)
  if (length(wrong) == 0L) {
    return(sprintf("Lines from %.0f on are not records of %d fields in %s", line, number, name))
  }
  at <- wrong[1L]
  found <- if (fields[at] == 0L) "is blank" else sprintf("has %d field%s", fields[at], plural(fields[at]))
  sprintf("Line %.0f %s, but there are %d columns in %s", line + at - 1, found, number, name)
}

# A column of numbers becomes one of text by a single cell that is none, or by another decimal
# mark. Taken for categories it would change what is clustered, so it is refused.
check_text_column <- function(x, label, dec, text, line, name) {
  known <- x[!is.na(x)]
  other <- if (dec == ".") "," else "."
  pattern <- function(mark) sprintf("^ *[-+]?[0-9]*[%s]?[0-9]+([eE][-+]?[0-9]+)? *$", mark)
  number <- grepl(pattern(dec), known)
  if (mean(number) >= 0.5) {
    at <- which(!is.na(x))[!number][1L]
    stop(sprintf(
      "Line %.0f holds %s in column %s, which is no number, in %s",
      line + at - 1, encodeString(x[at], quote = "\""), label, name
    ))
  }
  if (mean(number | grepl(pattern(other), known)) >= 0.5) {
    at <- which(!is.na(x))[!number][1L]
    stop(sprintf(
      "Line %.0f holds %s in column %s: say dec = \"%s\" if it is a number, in %s",
      line + at - 1, encodeString(x[at], quote = "\""), label, other, name
    ))
  }
}
