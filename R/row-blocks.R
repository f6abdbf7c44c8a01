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
#' @param n The number of blocks that the function gives, a whole number, at least 1.
#' @param rows Rows of a file in a block, at least 1. Default 100000.
#' @param header Is the first line of a file a header? Default (`NULL`): yes, unless the first line of the first file has a
#'   number; then a message (`kg_message_header`) reports that it is data.
#' @param sep The separator: one character. Default (`NULL`): a tab if the first line of the first file has one, else a semicolon
#'   if it has one, else a comma.
#' @param dec The decimal mark, `"."` or `","`. Default (`NULL`): the comma in files with semicolons and numbers as 1,5.
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
#' kgroups(row_blocks(function(i) readRDS(files[i]), length(files)), 2, approx = nystroem(50))
#' unlink(folder, recursive = TRUE)
#' @export
row_blocks <- function(x, ...) {
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
  for (i in seq_along(x)) {
    files[[i]] <- open_text(x[i], rows, form, env)
    form <- files[[i]]$form # that of the first file
  }
  total <- vapply(files, `[[`, 0, "total")
  names <- names(files[[1L]]$first)
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
  hint <- if (length(gone)) {
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

# Return list(reader, total, first, form) of a text file: its rows, the table of the first ones, and header, sep and dec,
# which are found from the first lines if they are NULL.
open_text <- function(x, rows, form, call) {
  name <- basename(x)
  file <- normalizePath(x)
  path <- decompressed(file)
  held <- path == file
  on.exit(if (!held) unlink(path))
  if (any(readBin(path, "raw", 1000L) == as.raw(0L))) {
    abort_input(
      "file", call, "The file must be text.", "{.path {name}} has bytes that text has not.",
      "Other files need a reader, as {.code row_blocks(function(i) readRDS(files[i]), length(files))}."
    )
  }
  form <- text_form(path, name, form)
  read <- function(rows, ...) {
    tryCatch(fread_rows(path, 0, rows, form$sep, form$dec, form$header, ...), error = function(e) e)
  }
  first <- read(1)
  # one column suffices to count the rows
  total <- if (is.data.frame(first)) read(Inf, select = 1L) else first
  total <- if (is.data.frame(total)) nrow(total) else total
  if (inherits(total, "error") || total < 1) {
    came <- if (inherits(total, "error")) conditionMessage(total) else "It has none."
    hint <- if (grepl("fields", came, fixed = TRUE)) "Lines must have as many fields as the header. Write tables with {.code row.names = FALSE}."
    abort_input("file", call, "The file must have lines of data.", "{.path {name}}: {came}", hint)
  }
  if (count_lines(path) > total + form$header) {
    abort_input(
      "file", call,
      "The file must have one observation a line.",
      "{.path {name}} has blank lines, or fields over several lines.",
      "Write it again without them, or pass a reader of your own to {.fn row_blocks}."
    )
  }
  names <- if (form$header) names(first)
  reader <- csv_reader(path, name, file.size(path), rows, total, form$sep, form$dec, names, length(first))
  # the copy of a compressed file goes with the reader
  if (!held) reg.finalizer(environment(reader), function(own) unlink(own$path), onexit = TRUE)
  held <- TRUE
  list(reader = reader, total = as.double(total), first = first, form = form)
}

# Return header, sep and dec of a text file; those that are NULL are found from its first lines.
text_form <- function(path, name, form) {
  line <- readLines(path, 1L, warn = FALSE, skipNul = TRUE)
  bare <- gsub("\"[^\"]*\"", "", line, useBytes = TRUE)
  has <- function(mark) any(grepl(mark, bare, fixed = TRUE, useBytes = TRUE))
  form$sep <- form$sep %||% if (has("\t")) "\t" else if (has(";")) ";" else ","
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
    number <- function(column) is.numeric(column) || like(column, plain_number) || like(column, comma_number)
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
  single <- function(text) gsub("\"\"", "\"", text, fixed = TRUE)
  names(out) <- single(names(out))
  text <- vapply(out, is.character, NA)
  out[text] <- lapply(out[text], single)
  out
}

# A factory, so that workers receive only what the reader needs.
csv_reader <- function(path, name, size, rows, total, sep, dec, names, width) {
  force(list(path, name, size, rows, total, sep, dec, names, width))
  function(i) {
    if (!identical(file.size(path), size)) {
      stop(if (file.exists(path)) "It changed after row_blocks(): " else "It is gone: ", name)
    }
    done <- (i - 1) * rows
    block <- fread_rows(path, done + length(names[1L]), min(rows, total - done), sep, dec, FALSE)
    if (nrow(block) != min(rows, total - done) || length(block) != width) {
      stop(sprintf("Rows %.0f to %.0f are not lines of %d fields: %s", done + 1, min(done + rows, total), width, name))
    }
    names(block) <- names %||% paste0("V", seq_along(block))
    if (all(vapply(block, function(x) is.numeric(x) && !is.object(x), NA))) {
      block <- as.matrix(block)
      storage.mode(block) <- "double"
      if (is.null(names)) colnames(block) <- NULL
    }
    block
  }
}
