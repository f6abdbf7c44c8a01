#' Data in blocks: larger than memory, or on other machines
#'
#' `kgroups(chunks(reader, n), k, approx = nystroem(m))` clusters rows that come in `n`
#' blocks and are never in memory together. Each pass reads every block, in this process or
#' on the workers of a cluster; rows stay where they are, and only sums over clusters
#' travel.
#'
#' @param reader A function of one argument: `reader(i)` gives block i as a numeric matrix or
#'   data frame with columns as in [as_points()], one observation a row, every time the same. On workers it runs in a fresh R
#'   process: what it needs must be in its own environment or be loaded by it
#'   (`package::name`), and files must be reachable under the same path. Under a plan of \pkg{future} what
#'   it uses from the workspace and from attached packages goes with it.
#' @param n The number of blocks, a whole number, at least 1.
#' @param file A delimited text file, one observation a record, plain or compressed by gzip (then a
#'   copy is made in the folder of the session); quoted fields, also over several lines, line ends of any
#'   system, a byte-order mark of UTF-8 and blank last lines are all right.
#' @param rows Rows a block, at least 1. Default 100000: some megabytes, read in a second or less.
#' @param header Is the first line a header? Default `TRUE`.
#' @param sep The separator: one character, default a comma; `""` is white space.
#' @param dec The decimal mark, `"."` (default) or `","`.
#' @param folder A folder of RDS files, one block each, in the order of their names; or the
#'   paths of such files.
#' @param pattern Which files of the folder, a regular expression.
#' @param connect A function without arguments that opens a \pkg{DBI} connection (it is
#'   closed after each block), or an open connection (for work in this process only).
#' @param query A SELECT statement, with rows in an order that does not change
#'   (ORDER BY), without a LIMIT of its own, for databases that know LIMIT and OFFSET.
#'
#' @return An object of class `kgroups_chunks`, for the argument `x` of [kgroups()]. Nothing is read
#'   yet: the lines of `file` and the rows of `query` are only counted.
#' @section Complexity: A pass of the fit reads every block once; memory for one block a process.
#' @section Errors: `kg_error_reader`, `kg_error_n`, `kg_error_file`, `kg_error_rows`,
#'   `kg_error_header`, `kg_error_sep`, `kg_error_dec`, `kg_error_folder`, `kg_error_pattern`, `kg_error_connect`,
#'   `kg_error_query` for wrong arguments; `kg_error_package` without \pkg{DBI} or
#'   \pkg{data.table} (for text files). What is wrong with a block is said when it is read, by [kgroups()].
#' @family inputs
#' @seealso [kgroups.kgroups_chunks()] for the fit.
#' @examples
#' folder <- tempfile()
#' dir.create(folder)
#' set.seed(1)
#' for (i in 1:4) {
#'   block <- matrix(rnorm(1000), ncol = 2) + 5 * (i %% 2)
#'   saveRDS(block, file.path(folder, paste0("block", i, ".rds")))
#' }
#' fit <- kgroups(chunks_rds(folder), 2, approx = nystroem(50))
#' fit
#'
#' # the same through a reader of one's own
#' files <- list.files(folder, full.names = TRUE)
#' chunks(function(i) readRDS(files[i]), length(files))
#' unlink(folder, recursive = TRUE)
#' @export
chunks <- function(reader, n) {
  check_given(reader, "reader")
  if (!is.function(reader)) {
    kg_abort(
      c(
        "{.arg reader} must be a function that gives block i.",
        "x" = "You supplied {describe(reader)}.",
        "i" = "For example {.code function(i) readRDS(files[i])}."
      ),
      "reader"
    )
  }
  new_chunks(reader, check_count(n, "n", 1, 1e7), "a reader")
}

new_chunks <- function(reader, n, source) {
  structure(list(reader = reader, n = n, source = source), class = "kgroups_chunks")
}

#' @export
format.kgroups_chunks <- function(x, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "chunks")
  sprintf("Observations in %s block%s (%s)", format(x$n), plural(x$n), x$source)
}

#' @export
print.kgroups_chunks <- function(x, ...) {
  cat(format(x, ...), "\n", sep = "")
  invisible(x)
}

check_file <- function(file, arg, call = rlang::caller_env()) {
  check_given(file, arg, call)
  if (is.character(file) && length(file) == 1L && !is.na(file) && file.exists(file) && !dir.exists(file)) {
    return(normalizePath(file))
  }
  missing <- is.character(file) && length(file) == 1L && !is.na(file) && !file.exists(file)
  kg_abort(
    c(
      "{.arg {arg}} must be the path of a file.",
      "x" = "You supplied {describe(file)}.",
      "i" = if (missing) "There is no such file; relative paths begin at {.fn getwd}."
    ),
    arg,
    call = call
  )
}

#' @rdname chunks
#' @export
chunks_rds <- function(folder, pattern = "[.][rR][dD][sS]$") {
  check_given(folder, "folder")
  check_pattern(pattern)
  one <- is.character(folder) && length(folder) == 1L && dir.exists(folder)
  files <- if (one) list.files(folder, pattern, full.names = TRUE) else folder
  if (!is.character(files) || length(files) == 0L || !all(file.exists(files))) {
    kg_abort(
      c(
        "{.arg folder} must hold RDS files, or be their paths.",
        "x" = if (one) "{.path {folder}} has none." else "You supplied {describe(folder)}."
      ),
      "folder"
    )
  }
  new_chunks(rds_reader(normalizePath(files)), length(files), "RDS files")
}

check_pattern <- function(pattern, call = rlang::caller_env()) {
  good <- is.character(pattern) && length(pattern) == 1L && !is.na(pattern) &&
    tryCatch(is.integer(grep(pattern, "")), error = function(e) FALSE, warning = function(w) FALSE)
  if (!good) {
    kg_abort(
      c("{.arg pattern} must be one regular expression.", "x" = "You supplied {describe(pattern)}."),
      "pattern",
      call = call
    )
  }
}

rds_reader <- function(files) {
  force(files)
  function(i) {
    if (!file.exists(files[i])) stop("It is gone: ", files[i])
    tryCatch(readRDS(files[i]), error = function(e) {
      stop("It cannot be read: ", files[i], " (", conditionMessage(e), ")")
    })
  }
}

#' @rdname chunks
#' @export
chunks_dbi <- function(connect, query, rows = 1e5) {
  check_given(connect, "connect")
  check_given(query, "query")
  rows <- check_count(rows, "rows", 1, 1e9)
  if (!is.character(query) || length(query) != 1L || is.na(query)) {
    kg_abort(
      c("{.arg query} must be one SELECT statement.", "x" = "You supplied {describe(query)}."),
      "query"
    )
  }
  if (!is.function(connect) && !inherits(connect, "DBIConnection")) {
    kg_abort(
      c(
        "{.arg connect} must be a function that opens a connection, or a connection.",
        "x" = "You supplied {describe(connect)}.",
        "i" = "For example {.code function() DBI::dbConnect(RSQLite::SQLite(), path)}."
      ),
      "connect"
    )
  }
  check_package("DBI", "chunks_dbi()")
  ask <- dbi_asker(connect)
  total <- tryCatch(
    as.numeric(ask(sprintf("SELECT COUNT(*) FROM (%s) AS kgroups_count", query))[[1L]]),
    error = function(e) {
      kg_abort(
        c(
          "The database must answer {.arg query}.",
          "x" = "It did not.",
          "i" = "Is the connection open, and {.arg query} one SELECT statement without a semicolon?"
        ),
        "query",
        call = rlang::caller_env(4L), parent = e
      )
    }
  )
  if (total < 1) {
    kg_abort(c("{.arg query} must give rows.", "x" = "It gives none."), "query")
  }
  tryCatch(ask(limited(query, 1, 0)), error = function(e) {
    kg_abort(
      c(
        "{.arg query} must be a SELECT statement that LIMIT and OFFSET can follow.",
        "x" = "The database refused them.",
        "i" = "One with a LIMIT of its own: {.code SELECT * FROM (...) AS part ORDER BY key}."
      ),
      "query",
      call = rlang::caller_env(4L), parent = e
    )
  })
  new_chunks(dbi_reader(ask, query, rows), ceiling(total / rows), "a database")
}

dbi_asker <- function(connect) {
  force(connect)
  function(statement) {
    con <- if (is.function(connect)) connect() else connect
    if (is.function(connect)) on.exit(DBI::dbDisconnect(con))
    DBI::dbGetQuery(con, statement)
  }
}

dbi_reader <- function(ask, query, rows) {
  force(ask)
  function(i) ask(limited(query, rows, (i - 1) * rows))
}

# On the query itself, whose ORDER BY then holds: the order of a subquery is a database's to drop.
limited <- function(query, rows, offset) sprintf("%s\nLIMIT %.0f OFFSET %.0f", query, rows, offset)
