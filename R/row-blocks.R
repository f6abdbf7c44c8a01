#' Data in blocks
#'
#' `kgroups(row_blocks(reader, n), k, approx = nystroem(m))` clusters rows that come in `n`
#' blocks and are never in memory together. Each pass reads every block, in this process or
#' on the workers of a cluster. Rows stay where they are; only sums over clusters are sent.
#'
#' @param x A function of one argument: `x(i)` returns block i as a numeric matrix or
#'   data frame with columns as in [as_points()], one observation a row, the same every time; random rows need [set.seed()] in it. On
#'   workers it runs in a fresh R process: everything it uses must be in its own environment or be
#'   loaded by it (`package::name`), and files must have the same path. Under a plan of
#'   \pkg{future} its globals and packages are sent with it.
#'
#'   Or the path of a delimited text file, one observation a line, plain or compressed by gzip (then a
#'   copy is in the temporary folder as long as the value exists). It is read by [data.table::fread()].
#' @param n The number of blocks that the function gives, a whole number, at least 1.
#' @param rows Rows of a file in a block, at least 1. Default 100000.
#' @param header Is the first line of the file a header? Default `TRUE`.
#' @param sep The separator: one character, default a comma.
#' @param dec The decimal mark, `"."` (default) or `","`.
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
  abort_argument(
    x, "x", "be a function that returns block i, or the path of a file.",
    "For example {.code function(i) readRDS(files[i])}."
  )
}

#' @rdname row_blocks
#' @export
row_blocks.function <- function(x, n, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  new_blocks(x, check_count(n, "n", 1, 1e7), "a reader")
}

new_blocks <- function(reader, n, source) {
  structure(list(reader = reader, n = n, source = source), class = "kgroups_blocks")
}

#' @export
format.kgroups_blocks <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  sprintf("Observations in %s block%s (%s)", format(x$n), plural(x$n), x$source)
}

#' @export
print.kgroups_blocks <- function(x, ...) {
  cat(format(x, ...), "\n", sep = "")
  invisible(x)
}

# ---- text files ----

#' @rdname row_blocks
#' @export
row_blocks.character <- function(x, rows = 1e5, header = TRUE, sep = ",", dec = ".", ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  if (!is_string(x) || !file.exists(x) || dir.exists(x)) {
    abort_argument(
      x, "x", "be a function that returns block i, or the path of a file.",
      if (is_string(x) && !file.exists(x)) "There is no such file; relative paths begin at {.fn getwd}.",
      what = "file"
    )
  }
  rows <- check_count(rows, "rows", 1, 1e9)
  header <- check_flag(header, "header")
  if (!is_string(sep) || nchar(sep, "bytes") != 1L) abort_argument(sep, "sep", "be one character.")
  dec <- check_choice(dec, "dec", c(".", ","))
  if (sep == dec) {
    abort_input(
      "dec", rlang::current_env(),
      "{.arg sep} and {.arg dec} must differ.",
      "Both are {.val {dec}}.",
      "Often {.code sep = \";\"}."
    )
  }
  check_package("data.table", "row_blocks() of a file")
  name <- basename(x)
  file <- normalizePath(x)
  path <- decompressed(file)
  held <- path == file
  on.exit(if (!held) unlink(path))
  first <- tryCatch(fread_rows(path, 0, 1, sep, dec, header), error = function(e) e)
  # one column suffices to count the rows
  total <- if (is.data.frame(first)) {
    tryCatch(nrow(fread_rows(path, 0, Inf, sep, dec, header, select = 1L)), error = function(e) e)
  } else {
    first
  }
  if (inherits(total, "error") || total < 1) {
    came <- if (inherits(total, "error")) conditionMessage(total) else "It has none."
    abort_input("file", rlang::current_env(), "The file must have lines of data.", "{.path {name}}: {came}")
  }
  if (count_lines(path) > total + header) {
    abort_input(
      "file", rlang::current_env(),
      "The file must have one observation a line.",
      "{.path {name}} has blank lines, or fields over several lines.",
      "Write it again without them, or pass a reader of your own to {.fn row_blocks}."
    )
  }
  names <- if (header) names(first)
  reader <- csv_reader(path, name, file.size(path), rows, total, sep, dec, names, length(first))
  # the copy of a compressed file goes with the reader
  if (!held) reg.finalizer(environment(reader), function(own) unlink(own$path), onexit = TRUE)
  held <- TRUE
  new_blocks(reader, ceiling(total / rows), paste("lines of", name))
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
