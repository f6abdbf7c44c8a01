#' Data in blocks
#'
#' `kgroups(row_blocks(reader, n), k, approx = nystroem(m))` clusters rows that come in `n`
#' blocks and are never in memory together. Each pass reads every block, in this process or
#' on the workers of a plan of \pkg{future}. Rows stay where they are: apart from a sample, only sums over clusters are
#' sent. [describe_clusters()] describes the clusters by the rows of a block.
#'
#' @param x One of:
#'   * A function of one argument: `x(i)` returns block i as a numeric matrix or data frame with columns as in
#'     [as_points()], one observation per row, the same every time; random rows need [set.seed()] in it. Its globals and
#'     packages are sent to workers, and files must have the same path there.
#'   * Paths of delimited text files with the same columns, plain or compressed by gzip. [data.table::fread()] reads
#'     them and detects header, separator, quotes and types of columns.
#'   * A connection of package \pkg{DBI} to a database (\pkg{RSQLite}, \pkg{duckdb}, \pkg{RPostgres}), or a
#'     [DBI::DBIConnector-class], with which workers connect too. A connection is used in this process alone.
#'   * A value of `row_blocks()`, whose blocks the function `f` changes.
#' @param n The number of blocks that the function gives, a whole number, at least 1.
#' @param rows Rows of a file or table in a block, at least 1. Default 100000.
#' @param table The name of a table or view, a [DBI::Id()], or a query in brackets with a name,
#'   as `DBI::SQL("(SELECT a, b FROM t) AS q")`.
#' @param order Names of columns that the rows are sorted by, needed if the database does not keep their order. Default
#'   `NULL`: none.
#' @param f A function of a block, a data frame, that returns the block to use: with missing values for a code, for
#'   example. On workers the same holds as for the function `x`.
#' @param ... For files arguments of [data.table::fread()], as `sep`, `dec`, `header`, `select` or `na.strings` (here
#'   `c("NA", "")` by default). Else not used: an unknown argument is an error.
#'
#' @return An object of class `kgroups_blocks`, for the argument `x` of [kgroups()]. No block is read yet.
#' @section Text files: The lines are counted once. Columns of several files are matched by name, and names of rows, as
#'   `write.table()` writes them, are left out. The decimal mark is the comma if more columns are numbers then. A line
#'   that `fread()` discards is an error with its file and line. A compressed file is decompressed up to the block each
#'   time: decompress large ones before.
#' @section Complexity: A pass of the fit reads every block once; memory for one block a process. A database counts
#'   `OFFSET` rows for each block.
#' @family inputs
#' @seealso [kgroups.kgroups_blocks()] for the fit; `vignette("large")` for files of other formats.
#' @examples
#' # four files with 250 points each, read one after another: two clusters of 500
#' folder <- tempfile()
#' dir.create(folder)
#' set.seed(1)
#' for (i in 1:4) {
#'   block <- matrix(rnorm(500), ncol = 2) + 5 * (i %% 2)
#'   saveRDS(block, file.path(folder, paste0("block", i, ".rds")))
#' }
#' files <- list.files(folder, full.names = TRUE)
#' x <- row_blocks(function(i) readRDS(files[i]), length(files))
#' kgroups(x, 2, approx = nystroem(50))
#' # the same with a missing value for each number above 7: three clusters of them have one
#' kgroups(row_blocks(x, function(x) replace(x, x > 7, NA)), 2, approx = nystroem(50))
#' unlink(folder, recursive = TRUE)
#' @export
row_blocks <- function(x, ...) {
  check_given(x, "x")
  UseMethod("row_blocks")
}

#' @export
row_blocks.default <- function(x, ...) {
  abort_argument(
    x, "x", "be a function that returns block i, paths of text files, or a database.",
    if (is.list(x)) "For a list of blocks use {.code row_blocks(function(i) x[[i]], length(x))}; a table needs none."
  )
}

#' @rdname row_blocks
#' @export
row_blocks.function <- function(x, n, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_given(n, "n")
  new_blocks(x, check_count(n, "n", 1, 1e7), "a reader")
}

#' @rdname row_blocks
#' @export
row_blocks.kgroups_blocks <- function(x, f, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_given(f, "f")
  if (!is.function(f)) {
    abort_argument(f, "f", "be a function of a block.", "For example {.code function(x) replace(x, x == -999, NA)}.")
  }
  reader <- x$reader
  x$reader <- function(i) {
    block <- reader(i)
    f(if (is.matrix(block)) as.data.frame(block) else block)
  }
  x
}

# `here`: the blocks can be read in this process alone.
new_blocks <- function(reader, n, source, here = FALSE) {
  structure(list(reader = reader, n = n, source = source, here = here), class = "kgroups_blocks")
}

#' @export
format.kgroups_blocks <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  sprintf("Observations in %s block%s (%s)", format(x$n), plural(x$n), x$source)
}

#' @export
print.kgroups_blocks <- function(x, ...) {
  cat(within_width(format(x, ...)), sep = "\n")
  invisible(x)
}

# ---- databases ----

#' @rdname row_blocks
#' @export
row_blocks.DBIConnection <- function(x, table, rows = 1e5, order = NULL, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_package("DBI", "row_blocks() of a database")
  check_given(table, "table")
  rows <- check_count(rows, "rows", 1, 1e9)
  connector <- methods::is(x, "DBIConnector")
  open <- function() {
    if (connector) loadNamespace(attr(class(x@.drv), "package")) # on workers
    if (connector) DBI::dbConnect(x) else x
  }
  close <- function(con) if (connector) DBI::dbDisconnect(con)
  con <- open()
  on.exit(close(con))
  name <- as.character(DBI::dbQuoteIdentifier(con, table))
  sorted <- if (!is.null(order)) paste(" ORDER BY", paste(DBI::dbQuoteIdentifier(con, order), collapse = ", "))
  total <- tryCatch(as.numeric(DBI::dbGetQuery(con, paste("SELECT COUNT(*) FROM", name))[[1L]]), error = function(e) {
    reason <- conditionMessage(e)
    abort_input("table", parent.frame(4L), "{.arg table} must be a table of the database.", "{reason}")
  })
  if (total == 0) abort_input("table", rlang::current_env(), "{.arg table} must have rows.", "{name} has none.")
  reader <- function(i) {
    con <- open()
    on.exit(close(con))
    DBI::dbGetQuery(
      con, sprintf("SELECT * FROM %s%s LIMIT %.0f OFFSET %.0f", name, sorted %||% "", rows, (i - 1) * rows)
    )
  }
  new_blocks(reader, ceiling(total / rows), sprintf("%s rows of %s", format(total, big.mark = ","), name), !connector)
}

#' @export
row_blocks.DBIConnector <- row_blocks.DBIConnection

# ---- text files ----

#' @rdname row_blocks
#' @export
row_blocks.character <- function(x, rows = 1e5, ...) {
  check_package("data.table", "row_blocks() of a file")
  known <- setdiff(names(formals(data.table::fread)), c("input", "file", "text", "cmd", "nrows", "data.table"))
  given <- rlang::list2(...)
  odd <- given[!rlang::names2(given) %in% known]
  if (length(odd)) do.call(check_no_dots, c(odd, list(call = rlang::current_env(), topic = "row_blocks", also = known)))
  rows <- check_count(rows, "rows", 1, 1e9)
  gone <- c(x[!file.exists(x)], x[dir.exists(x)])
  if (length(x) == 0L || length(gone)) {
    abort_argument(
      x, "x", "be a function that returns block i, paths of text files, or a database.",
      if (length(gone)) "There is no file {.path {gone[1L]}}; relative paths begin at {.fn getwd}."
    )
  }
  files <- lapply(x, open_text, rows, given, rlang::current_env())
  blocks <- do.call(rbind, Map(function(file, at) cbind(file = at, file$blocks), files, seq_along(files)))
  new_blocks(
    function(i) read_text_block(files[[blocks$file[i]]], blocks[i, ]), nrow(blocks),
    sprintf("lines of %s", if (length(x) == 1L) basename(x) else sprintf("%d files", length(x)))
  )
}

# Return a text file opened: list(path, name, size, args, top, kept, blocks). `top` are its first lines, which fread()
# reads before each block so that it detects the same header, separator, quotes and types; they hold `kept` rows.
# `blocks` has the first byte, the bytes and the first line of each block.
open_text <- function(path, rows, args, call) {
  file <- list(path = normalizePath(path), name = basename(path), size = file.size(path), call = call)
  args$na.strings <- args$na.strings %||% c("NA", "")
  args$nThread <- args$nThread %||% 1L
  file$args <- args
  most <- 100 + if (is.numeric(args$skip)) args$skip else 0
  ends <- record_ends(file$path, 0, 1, most)
  # a quotation mark without its partner
  if (any(ends$line > 100 * most)) ends <- record_ends(file$path, 0, 1, most, FALSE)
  if (is.null(ends)) abort_text(file, "it is empty.")
  file$top <- paste0(sub("[ \t\r\n]+$", "", read_bytes(file, 0, max(ends$at)), useBytes = TRUE), "\n")
  records <- sum(c(0, ends$at[-nrow(ends)]) < nchar(file$top, "bytes"))
  file$lines <- ends$line[max(records, 1)]
  first <- fread_text(file, file$top)
  if (is.null(args$dec)) {
    numbers <- function(x) sum(vapply(x, is.numeric, NA))
    file$args$dec <- ","
    comma <- tryCatch(fread_text(file, file$top), error = function(e) list())
    if (numbers(comma) > numbers(first)) first <- comma else file$args$dec <- NULL
  }
  file$kept <- nrow(first)
  if (file$kept == 0L) abort_text(file, "it has no rows.")
  ends <- record_ends(file$path, max(0, records - file$kept), rows)
  start <- ends[-nrow(ends), ]
  file$blocks <- data.frame(start = start$at, bytes = diff(ends$at), line = start$line)
  file$call <- NULL
  file
}

abort_text <- function(file, came) {
  abort_input(
    "file", file$call %||% quote(kgroups()), "The file must be a table that {.fn data.table::fread} reads whole.",
    "{.path {file$name}}: {came}",
    "Arguments of {.fn data.table::fread} go with the paths, as {.code sep}, {.code skip} or {.code fill}."
  )
}

# Return the byte and the line behind record `skip`, behind every `step` records after it, and the end of the text; the
# first `most` of them. Line feeds in quotes end no record, unless the quotes of the file are unbalanced.
record_ends <- function(path, skip, step, most = Inf, quotes = TRUE) {
  con <- gzfile(path, "rb")
  on.exit(close(con))
  at <- records <- lines <- quoted <- last <- last_line <- 0
  found <- list(if (skip == 0 && most == Inf) data.frame(at = 0, line = 0))
  while (length(bytes <- readBin(con, "raw", 2^24)) && records < most) {
    feeds <- which(bytes == as.raw(10L))
    marks <- if (quotes) which(bytes == as.raw(34L)) else integer()
    ends <- which((findInterval(feeds, marks) + quoted) %% 2 == 0)
    number <- records + seq_along(ends) - skip
    cut <- ends[number >= 0 & number %% step == 0 & number + skip <= most]
    found[[length(found) + 1L]] <- data.frame(at = at + feeds[cut], line = lines + cut)
    text <- which(bytes > as.raw(32L))
    if (length(text)) {
      last <- at + text[length(text)]
      last_line <- lines + sum(feeds < text[length(text)]) + 1
    }
    records <- records + length(ends)
    lines <- lines + length(feeds)
    quoted <- quoted + length(marks)
    at <- at + length(bytes)
  }
  if (quotes && quoted %% 2 == 1 && records < most) {
    return(record_ends(path, skip, step, most, FALSE))
  }
  found <- do.call(rbind, found)
  # the last record need not end with a line feed; blank lines at the end are no records
  if (records < most && last > 0) found <- rbind(found[found$at < last, ], data.frame(at = last, line = last_line))
  found
}

# A file by gzip (bzip2, xz) cannot be entered in the middle.
read_bytes <- function(file, start, bytes) {
  packed <- paste(readBin(file$path, "raw", 2L), collapse = "") %in% c("1f8b", "425a", "fd37")
  con <- if (packed) gzfile(file$path, "rb") else file(file$path, "rb")
  on.exit(close(con))
  if (packed) {
    while (start > 0 && length(some <- readBin(con, "raw", min(start, 2^24)))) start <- start - length(some)
  } else {
    seek(con, start)
  }
  tryCatch(rawToChar(readBin(con, "raw", bytes)), error = function(e) abort_text(file, conditionMessage(e)))
}

read_text_block <- function(file, block) {
  if (!identical(file.size(file$path), file$size)) abort_text(file, "it changed since it was opened.")
  text <- paste0(file$top, read_bytes(file, block$start, block$bytes))
  out <- fread_text(file, text, block$line - file$lines)
  out <- out[-seq_len(file$kept), , drop = FALSE]
  rownames(out) <- NULL
  out
}

# Return the table that fread() reads. That it discards lines is an error; `offset`: lines of the file minus lines of
# the text.
fread_text <- function(file, text, offset = 0) {
  came <- character()
  out <- tryCatch(
    withCallingHandlers(
      do.call(data.table::fread, c(list(text = text, data.table = FALSE, showProgress = FALSE), file$args)),
      # raised behind the call, because fread() must end by itself
      warning = function(w) {
        came <<- c(came, conditionMessage(w))
        tryInvokeRestart("muffleWarning")
      }
    ),
    error = function(e) abort_text(file, conditionMessage(e))
  )
  lost <- grep("^(Stopped early|Discarded)", came, value = TRUE)
  if (length(lost)) {
    at <- regmatches(lost[1L], regexpr("(?<=line )[0-9]+", lost[1L], perl = TRUE))
    if (length(at)) {
      lost <- sub(paste("line", at), sprintf("line %.0f", as.numeric(at) + offset), lost[1L], fixed = TRUE)
    }
    abort_text(file, lost[1L])
  }
  if (any(grepl("row names", came, fixed = TRUE))) out[-1L] else out
}
