#' Data in blocks
#'
#' `kgroups(row_blocks(reader, n), k, approx = nystroem(m))` clusters rows that come in `n`
#' blocks and are never in memory together. Each pass reads every block, in this process or
#' on the workers of a cluster. Rows stay where they are: apart from a sample, only sums over clusters are sent.
#' [describe_clusters()] describes the clusters by the rows of a block.
#'
#' @param x A function of one argument: `x(i)` returns block i as a numeric matrix or
#'   data frame with columns as in [as_points()], one observation per row, the same every time; random rows need [set.seed()]
#'   in it. On
#'   workers it runs in a fresh R process: everything it uses must be in its own environment or be
#'   loaded by it (`package::name`), and files must have the same path. Under a plan of
#'   \pkg{future} its globals and packages are sent with it.
#'
#'   Or the paths of delimited text files with the same columns, one observation per line, plain or compressed by gzip (then a
#'   copy is in the temporary folder as long as the value exists). They are read by [data.table::fread()].
#'   Columns of several files are matched by name. Names of the rows, as `write.table()` writes them, are left out. Text that is not
#'   UTF-8 is read as latin1.
#'
#'   Or a value of `row_blocks()`, whose blocks the function `f` changes.
#' @param n The number of blocks that the function gives, a whole number, at least 1.
#' @param rows Rows of a file in a block, at least 1. Default 100000.
#' @param header Is the first line of a file a header? Default (`NULL`): yes, unless the first line of the first file has a
#'   number; then a message (`kg_message_header`) reports that it is data.
#' @param sep The separator: one character. Default (`NULL`): the first of tab, semicolon, comma and blank that the first line of
#'   the first file has; a blank if the second line has one too.
#' @param dec The decimal mark, `"."` or `","`. Default (`NULL`): the comma in files with semicolons and numbers as 1,5.
#' @param f A function of a block, a data frame, that returns the block to use: with missing values for a code, for example.
#'   On workers the same holds as for the function `x`.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `kgroups_blocks`, for the argument `x` of [kgroups()]. No block is
#'   read yet; the rows of a file are counted.
#' @section Complexity: A pass of the fit reads every block once; memory for one block a process.
#' @family inputs
#' @seealso [kgroups.kgroups_blocks()] for the fit; `vignette("large")` has a reader of a database.
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
  if (missing(x)) check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_given(x, "x")
  UseMethod("row_blocks")
}

#' @export
row_blocks.default <- function(x, ...) {
  hint <- if (inherits(x, "connection")) {
    "Give the path of the file, {.code row_blocks(path)}; blocks are read more than once."
  } else if (is.data.frame(x) || is.matrix(x)) {
    "Data in memory need no blocks: {.code kgroups(x, k, approx = nystroem(256))}."
  } else if (is.list(x) && !is.object(x)) {
    "For a list of blocks use {.code row_blocks(function(i) x[[i]], length(x))}."
  } else {
    "For example {.code row_blocks(function(i) readRDS(files[i]), length(files))}."
  }
  abort_argument(x, "x", "be a function that returns block i, or paths of text files.", hint)
}

#' @rdname row_blocks
#' @export
row_blocks.function <- function(x, n, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  if (missing(n)) {
    abort_input("n", rlang::current_env(), "{.arg n}, the number of blocks, must be given.", "You left it out.", "For example {.code length(files)}.")
  }
  new_blocks(x, check_count(n, "n", 1, 1e7), "a reader")
}

#' @rdname row_blocks
#' @export
row_blocks.kgroups_blocks <- function(x, f, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_given(f, "f")
  if (!is.function(f)) abort_argument(f, "f", "be a function of a block.", "For example {.code function(x) replace(x, x == -999, NA)}.")
  new_blocks(changed_reader(x$reader, f), x$n, x$source)
}

# A factory, so that workers receive only the two functions.
changed_reader <- function(reader, f) {
  force(list(reader, f))
  function(i) {
    block <- reader(i)
    f(if (is.matrix(block)) as.data.frame(block) else block)
  }
}

# `rows` and `names` of the columns: of files, which are counted.
new_blocks <- function(reader, n, source, rows = NULL, names = NULL) {
  structure(list(reader = reader, n = n, source = source, rows = rows, names = names), class = "kgroups_blocks")
}

#' @export
format.kgroups_blocks <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  count <- if (is.null(x$rows)) "Observations" else sprintf("%s observation%s", format(x$rows, big.mark = ","), plural(x$rows))
  c(
    sprintf("%s in %s block%s (%s)", count, format(x$n), plural(x$n), x$source),
    if (!is.null(x$names)) paste0("Columns: ", collapse_values(shorten(x$names, most_drawn)))
  )
}

#' @export
print.kgroups_blocks <- function(x, ...) {
  cat(within_width(format(x, ...)), sep = "\n")
  invisible(x)
}

# ---- text files ----

#' @rdname row_blocks
#' @export
row_blocks.character <- function(x, rows = 1e5, header = NULL, sep = NULL, dec = NULL, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  env <- rlang::current_env()
  check_paths(x, env)
  rows <- check_count(
    rows, "rows", 1, 1e9,
    if (is.function(rows)) "Text files need no reader; other files are read by row_blocks(function(i) reader(x[i]), length(x))."
  )
  if (!is.null(header)) header <- check_flag(header, "header")
  if (!is.null(sep) && (!is_string(sep) || nchar(sep, "bytes") != 1L)) abort_argument(sep, "sep", "be one character.")
  if (!is.null(dec)) dec <- check_choice(dec, "dec", c(".", ","))
  if (identical(sep %||% ";", dec)) {
    abort_input(
      "dec", env,
      "{.arg sep} and {.arg dec} must differ.",
      "Both are {.val {dec}}.",
      "Often {.code sep = \";\"}."
    )
  }
  check_package("data.table", "row_blocks() of a file")
  form <- list(header = header, sep = sep, dec = dec)
  files <- vector("list", length(x))
  columns <- NULL
  for (i in seq_along(x)) {
    files[[i]] <- open_text(x[i], rows, form, columns, env)
    form <- files[[i]]$form # that of the first file
    columns <- files[[i]]$columns
  }
  total <- vapply(files, `[[`, 0, "total")
  names <- if (form$header) columns else sprintf("V%d", seq_along(columns))
  source <- paste("lines of", if (length(x) == 1L) basename(x) else sprintf("%d files", length(x)))
  readers <- lapply(files, `[[`, "reader")
  reader <- if (length(x) == 1L) readers[[1L]] else reader_of_files(readers, ceiling(total / rows))
  new_blocks(reader, sum(ceiling(total / rows)), source, sum(total), names)
}

check_paths <- function(x, call) {
  gone <- which(is.na(x) | !file.exists(x))
  folder <- which(dir.exists(x))
  if (length(x) && !length(gone) && !length(folder)) {
    return(invisible())
  }
  hint <- if (length(gone) && any(grepl("[*?]", x[gone]))) {
    "For a pattern use {.code row_blocks(Sys.glob({encodeString(x[gone[1L]], quote = '\"')}))}."
  } else if (length(gone)) {
    "There is no file {.path {x[gone[1L]]}}; relative paths begin at {.fn getwd}."
  } else if (length(folder)) {
    "For the files of a folder use {.code row_blocks(list.files({encodeString(x[folder[1L]], quote = '\"')}, full.names = TRUE))}."
  }
  abort_argument(x, "x", "be a function that returns block i, or paths of text files.", hint, what = "file", call = call)
}

# A factory, so that workers receive only the readers.
reader_of_files <- function(readers, blocks) {
  before <- c(0, cumsum(blocks))
  function(i) {
    at <- findInterval(i - 1, before)
    readers[[at]](i - before[at])
  }
}

# Return list(reader, total, columns, form) of a text file: its rows, the names of its columns, or their numbers, and its form:
# name, header, sep, dec, row_names. Those that are NULL in the form are found from the first lines.
open_text <- function(x, rows, form, columns, call) {
  form$name <- basename(x)
  file <- normalizePath(x)
  path <- decompressed(file)
  held <- path == file
  on.exit(if (!held) unlink(path))
  if (any(readBin(path, "raw", 1000L) == as.raw(0L))) {
    abort_input(
      "file", call, "The file must be text.", "{.path {form$name}} has bytes that text has not.",
      "Other files need a reader, as {.code row_blocks(function(i) readRDS(files[i]), length(files))}."
    )
  }
  form <- text_form(path, form)
  read <- function(rows, ...) {
    tryCatch(fread_rows(path, as.numeric(form$row_names), rows, form$sep, form$dec, form$header && !form$row_names, ...), error = function(e) e)
  }
  first <- read(1)
  # one column suffices to count the rows
  total <- if (is.data.frame(first)) read(Inf, select = 1L) else first
  total <- if (is.data.frame(total)) nrow(total) else total
  if (inherits(total, "error") || total < 1 || count_lines(path) > total + form$header) abort_text(path, total, form, call)
  if (form$row_names) first <- stats::setNames(first[-1L], line_fields(readLines(path, 1L), form$sep))
  own <- if (form$header) names(first) else as.character(seq_along(first))
  columns <- columns %||% own
  if (length(own) != length(columns) || !identical(sort(own), sort(columns))) {
    abort_input(
      "file", call, "All files must have the same columns.",
      "{.path {form$name}} has {cli::qty(own)}{?column/columns} {.field {own}}, the first file {.field {columns}}."
    )
  }
  take <- if (anyDuplicated(own)) seq_along(own) else match(columns, own)
  reader <- csv_reader(path, file.size(path), rows, total, form, columns, take + form$row_names)
  # the copy of a compressed file goes with the reader
  if (!held) reg.finalizer(environment(reader), function(own) unlink(own$path), onexit = TRUE)
  held <- TRUE
  list(reader = reader, total = as.double(total), columns = columns, form = form)
}

# Raise the error of a file that is not one observation a line, with its first line that does not fit.
abort_text <- function(path, total, form, call) {
  name <- form$name
  if (identical(total, 0L) || file.size(path) == 0) {
    abort_input("file", call, "The file must have lines of data.", "{.path {name}}: It has none.")
  }
  fields <- suppressWarnings(count_fields(path, form$sep)) # an open quote is a warning
  at <- which(is.na(fields) | fields != fields[1L] + form$row_names & seq_along(fields) > 1L)[1L]
  top <- readLines(path, max(1L, at, na.rm = TRUE), warn = FALSE, skipNul = TRUE)
  comment <- which(startsWith(top[c(1L, length(top))], "#"))
  must <- "The file must have one observation a line, with as many fields in each line."
  again <- "Write it again without them, or pass a reader of your own to {.fn row_blocks}."
  if (length(comment)) {
    line <- c(1L, length(top))[comment[1L]]
    abort_input(
      "file", call, must, "{.path {name}}: line {line} looks like a comment.",
      "Write it again without: {.code writeLines(grep(\"^#\", readLines({encodeString(name, quote = '\"')}), invert = TRUE, value = TRUE), \"new.csv\")}."
    )
  }
  if (is.na(at)) {
    came <- if (inherits(total, "error")) conditionMessage(total) else "Lines are blank, or fields have several lines."
    if (grepl("Internal error", came, fixed = TRUE)) came <- "It cannot be read."
    abort_input("file", call, must, "{.path {name}}: {came}", "The separator was taken as {.code {encodeString(form$sep, quote = '\"')}}: {.arg sep} gives another one.")
  }
  if (is.na(fields[at])) abort_input("file", call, must, "{.path {name}}: a field of line {at} has several lines.", again)
  if (!nzchar(trimws(top[at], whitespace = "[ \t\r]"))) abort_input("file", call, must, "{.path {name}}: line {at} is blank.", again)
  abort_input(
    "file", call, must, "{.path {name}}: line {at} has {fields[at]} field{?s}, the first one has {fields[1L]}.",
    "Repair the line; write tables with {.code row.names = FALSE}. The separator was taken as {.code {encodeString(form$sep, quote = '\"')}}: {.arg sep} gives another one."
  )
}

count_fields <- function(file, sep) {
  utils::count.fields(file, if (sep == " ") "" else sep, quote = "\"", blank.lines.skip = FALSE, comment.char = "")
}

line_fields <- function(line, sep) {
  if (is.na(line)) {
    return(character())
  }
  fields <- suppressWarnings(scan(text = line, what = "", sep = if (sep == " ") "" else sep, quote = "\"", quiet = TRUE, comment.char = ""))
  sub("^\ufeff", "", as_utf8(fields))
}

# With a decimal point or comma.
block_number <- "^[ \t]*[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$"

# Return the form of a text file with header, sep, dec and row_names: those that are NULL are found from its first lines.
text_form <- function(path, form) {
  name <- form$name
  lines <- readLines(path, 2L, warn = FALSE, skipNul = TRUE)
  bare <- gsub("\"[^\"]*\"", "", lines, useBytes = TRUE)
  has <- function(mark, line = 1L) isTRUE(grepl(mark, bare[line], fixed = TRUE, useBytes = TRUE))
  marks <- c("\t", ";", ",", if (has(" ", 2L)) " ")
  form$sep <- form$sep %||% c(marks[vapply(marks, has, NA)], ",")[1L]
  top <- function(rows, header) tryCatch(fread_rows(path, 0, rows, form$sep, ".", header), error = function(e) data.frame())
  like <- function(column, pattern) {
    text <- column[!is.na(column)]
    is.character(text) && length(text) > 0L && all(grepl(pattern, text, useBytes = TRUE))
  }
  if (is.null(form$dec)) {
    commas <- function(column) any(grepl(",", column, fixed = TRUE)) && like(column, "^[-+]?[0-9]*(,[0-9]+)?$")
    comma <- form$sep == ";" && any(vapply(top(100, FALSE), function(column) commas(column[-1L]), NA))
    form$dec <- if (comma) "," else "."
  }
  if (is.null(form$header)) {
    number <- function(column) is.numeric(column) || like(column, block_number)
    values <- vapply(top(1, FALSE), function(column) !is.na(column[1L]) && number(column), NA)
    form$header <- !any(values)
    if (any(values)) {
      kg_inform(
        c(
          "The first line of {.path {name}} has numbers and was taken as data, not as names of columns.",
          "i" = "If it has the names, use {.code header = TRUE}."
        ),
        "header"
      )
    }
  }
  # the header of write.table() lacks the names of the rows; a comment or a separator at the end of a line is another thing
  names <- line_fields(lines[1L], form$sep)
  values <- line_fields(lines[2L], form$sep)
  named <- length(values) == length(names) + 1L && nzchar(values[length(values)]) && !startsWith(names[1L], "#") &&
    (startsWith(lines[2L], "\"") || !grepl(block_number, values[1L]))
  form$row_names <- form$header && named
  form
}

# Return the file, or a copy without the compression by gzip: blocks are read from any place.
decompressed <- function(file) {
  if (!identical(readBin(file, "raw", 2L), as.raw(c(0x1f, 0x8b)))) {
    return(file)
  }
  copy <- tempfile("kgroups-", fileext = ".csv")
  from <- gzfile(file, "rb")
  to <- file(copy, "wb")
  on.exit({
    close(from)
    close(to)
  })
  while (length(bytes <- readBin(from, "raw", 2^24)) > 0L) writeBin(bytes, to)
  copy
}

# Return the number of lines up to the last one that is not blank.
count_lines <- function(path) {
  con <- file(path, "rb")
  on.exit(close(con))
  before <- lines <- 0
  while (length(bytes <- readBin(con, "raw", 2^24)) > 0L) {
    text <- which(bytes > as.raw(32L))
    feeds <- bytes == as.raw(10L)
    if (length(text)) lines <- before + sum(feeds[seq_len(text[length(text)])]) + 1
    before <- before + sum(feeds)
  }
  lines
}

# Return some rows of a text file; a warning of fread(), as of lines that do not fit, is an error.
fread_rows <- function(path, skip, rows, sep, dec, header, select = NULL) {
  reason <- NULL
  out <- withCallingHandlers(
    data.table::fread(
      file = path, skip = skip, nrows = rows, sep = sep, dec = dec, header = header, select = select,
      na.strings = c("NA", ""), data.table = FALSE, showProgress = FALSE, nThread = 1L
    ),
    # raised after the call, because fread() must end by itself
    warning = function(w) {
      reason <<- conditionMessage(w)
      tryInvokeRestart("muffleWarning")
    }
  )
  if (!is.null(reason)) stop(reason, call. = FALSE)
  # fread() leaves quotes doubled that a quoted field holds
  single <- function(text) gsub("\"\"", "\"", as_utf8(text), fixed = TRUE)
  names(out) <- single(names(out))
  text <- vapply(out, is.character, NA)
  out[text] <- lapply(out[text], single)
  out
}

# A factory, so that workers receive only what the reader needs.
csv_reader <- function(path, size, rows, total, form, names, take) {
  force(list(path, size, rows, total, form, names, take))
  function(i) {
    changed <- function(came) {
      abort_input(
        "reader", quote(kgroups()), "The file must be as it was at {.fn row_blocks}.", "{.path {form$name}}: {came}",
        "Use {.fn row_blocks} again."
      )
    }
    if (!identical(file.size(path), size)) changed(if (file.exists(path)) "it changed." else "it is gone.")
    done <- (i - 1) * rows
    block <- tryCatch(fread_rows(path, done + form$header, min(rows, total - done), form$sep, form$dec, FALSE), error = conditionMessage)
    if (is.character(block)) changed(block)
    if (nrow(block) != min(rows, total - done) || length(block) != length(take) + form$row_names) {
      changed(sprintf("rows %.0f to %.0f are not lines of %d fields.", done + 1, min(done + rows, total), length(take) + form$row_names))
    }
    block <- block[take]
    names(block) <- if (form$header) names else paste0("V", seq_along(block))
    if (all(vapply(block, function(x) is.numeric(x) && !is.object(x), NA))) {
      block <- as.matrix(block)
      storage.mode(block) <- "double"
      if (!form$header) colnames(block) <- NULL
    }
    block
  }
}
