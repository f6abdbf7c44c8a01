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
#' @return An object of class `kgroups_blocks`, for the argument `x` of [kgroups()].
#' @section Text files: Files are read once, by `row_blocks()`, which writes their blocks in R's format to the temporary
#'   folder of the session, some 8 bytes for each number; workers on other machines do not have it. Columns of several
#'   files are matched by name, and names of rows, as `write.table()` writes them, are left out. The decimal mark is the
#'   comma if more columns are numbers then. A line that `fread()` discards is an error with its file and line.
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
  x$reader <- function(i) f(as.data.frame(reader(i)))
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
  query <- function(what, sorted = NULL, limit = NULL) {
    if (connector) {
      loadNamespace(attr(class(x@.drv), "package")) # on workers
      x <- DBI::dbConnect(x)
      on.exit(DBI::dbDisconnect(x))
    }
    quoted <- function(name) toString(DBI::dbQuoteIdentifier(x, name))
    text <- c("SELECT", what, "FROM", quoted(table), if (!is.null(sorted)) c("ORDER BY", quoted(sorted)), limit)
    DBI::dbGetQuery(x, paste(text, collapse = " "))
  }
  name <- as.character(DBI::dbQuoteIdentifier(DBI::ANSI(), table))
  count <- tryCatch(as.numeric(query("COUNT(*)")[[1L]]), error = conditionMessage)
  if (is.character(count) || count == 0) {
    hint <- "{if (is.character(count)) count else paste(name, 'has none.')}"
    abort_input("table", rlang::current_env(), "{.arg table} must be a table of the database, with rows.", hint)
  }
  reader <- function(i) query("*", order, sprintf("LIMIT %.0f OFFSET %.0f", rows, (i - 1) * rows))
  new_blocks(reader, ceiling(count / rows), sprintf("%s rows of %s", format(count, big.mark = ","), name), !connector)
}

#' @export
row_blocks.DBIConnector <- row_blocks.DBIConnection

# ---- text files ----

#' @rdname row_blocks
#' @export
row_blocks.character <- function(x, rows = 1e5, ...) {
  check_package("data.table", "row_blocks() of a file")
  known <- names(formals(data.table::fread))
  odd <- list(...)[!rlang::names2(list(...)) %in% known]
  if (length(odd)) do.call(check_no_dots, c(odd, list(call = rlang::current_env(), topic = "row_blocks", also = known)))
  rows <- check_count(rows, "rows", 1, 1e9)
  gone <- x[!utils::file_test("-f", x)]
  if (length(x) == 0L || length(gone)) {
    abort_argument(
      x, "x", "be a function that returns block i, paths of text files, or a database.",
      if (length(gone)) "There is no file {.path {gone[1L]}}; relative paths begin at {.fn getwd}."
    )
  }
  folder <- tempfile("blocks")
  dir.create(folder)
  blocks <- unlist(lapply(x, store_text, rows, list(...), folder, rlang::current_env()))
  source <- sprintf("lines of %s", if (length(x) == 1L) basename(x) else sprintf("%d files", length(x)))
  new_blocks(function(i) readRDS(blocks[i]), length(blocks), source)
}

# Write the rows of a text file to a folder and return the files of its blocks. The first lines go before the others in
# each call of fread(), so that it detects the same header, separator, quotes and types.
store_text <- function(path, rows, args, folder, call) {
  args$na.strings <- args$na.strings %||% c("NA", "")
  read <- function(lines, offset = 0, dec = args$dec) {
    args$dec <- dec
    tryCatch(fread_text(lines, args, offset), error = function(e) {
      reason <- conditionMessage(e)
      abort_input(
        "file", call, "The file must be a table that {.fn data.table::fread} reads whole.",
        "{.path {basename(path)}}: {reason}",
        "Arguments of {.fn data.table::fread} go with the paths, as {.code sep}, {.code skip} or {.code fill}."
      )
    })
  }
  con <- gzfile(path, "rt")
  on.exit(close(con))
  top <- read_records(con, 100 + if (is.numeric(args$skip)) args$skip else 0)
  rest <- read(top)
  numbers <- function(x) sum(vapply(x, is.numeric, NA))
  if (is.null(args$dec) && numbers(comma <- tryCatch(read(top, dec = ","), error = function(e) NULL)) > numbers(rest)) {
    rest <- comma
    args$dec <- ","
  }
  kept <- seq_len(nrow(rest))
  line <- 0
  blocks <- character()
  repeat {
    while (nrow(rest) < rows && length(lines <- read_records(con, max(rows - nrow(rest), 1000)))) {
      more <- vctrs::vec_slice(read(c(top, lines), line), -kept)
      rest <- as.data.frame(data.table::rbindlist(list(rest, more)))
      line <- line + length(lines)
    }
    if (nrow(rest) == 0L) {
      return(blocks)
    }
    own <- seq_len(min(rows, nrow(rest)))
    blocks <- c(blocks, tempfile("block", folder))
    saveRDS(vctrs::vec_slice(rest, own), blocks[length(blocks)], compress = FALSE)
    rest <- vctrs::vec_slice(rest, -own)
  }
}

# Return the next lines of a text file: `n` and those that end a row with line feeds in quotes. Marks need not have a
# partner.
read_records <- function(con, n) {
  odd <- function(lines) nchar(gsub("[^\"]+", "", lines, useBytes = TRUE), "bytes") %% 2 == 1
  lines <- readLines(con, n, warn = FALSE)
  if (sum(odd(lines)) %% 2 == 0) {
    return(lines)
  }
  more <- readLines(con, 1000L, warn = FALSE)
  own <- seq_len(match(TRUE, odd(more), length(more)))
  pushBack(more[-own], con)
  c(lines, more[own])
}

# Return the table that fread() reads. That it has no rows or discards lines is an error; `offset`: lines of the file
# that are left out of the text.
fread_text <- function(lines, args, offset) {
  came <- character()
  text <- paste0(paste(lines, collapse = "\n"), "\n")
  out <- withCallingHandlers(
    do.call(data.table::fread, c(list(text = text, nrows = Inf, data.table = FALSE, showProgress = FALSE), args)),
    # raised behind the call, because fread() must end by itself
    warning = function(w) {
      came <<- c(came, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  )
  lost <- grep("^(Stopped early|Discarded)", came, value = TRUE)
  if (length(lost)) {
    at <- regexpr("(?<=line )[0-9]+", lost[1L], perl = TRUE)
    regmatches(lost[1L], at) <- sprintf("%.0f", as.numeric(regmatches(lost[1L], at)) + offset)
    stop(lost[1L])
  }
  if (nrow(out) == 0L) stop("it has no rows.")
  if (any(grepl("row names", came, fixed = TRUE))) out[-1L] else out
}
