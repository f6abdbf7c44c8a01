#' Data in blocks
#'
#' `kgroups(row_blocks(reader, n), k, approx = nystroem(m))` clusters rows that come in `n` blocks and are never in
#' memory together. Each pass reads every block. [describe_clusters()] describes the clusters by the rows of a block.
#'
#' @param x A function of one argument: `x(i)` returns block i as a numeric matrix or data frame with columns as in
#'   [as_points()], one observation per row, the same every time; random rows need [set.seed()] in it. Or a connection
#'   of package \pkg{DBI} to a database.
#' @param n The number of blocks that the function gives, a whole number, at least 1. For a connection: the name of a
#'   table or view, or a query (text that begins with `SELECT` or `WITH`). If the database does not keep the order of
#'   rows, let the query sort them by a key.
#' @param rows Of a connection: the number of rows in a block. Default 100,000.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `kgroups_blocks`, for the argument `x` of [kgroups()].
#' @section Complexity: A pass of the fit reads every block once; memory for one block a process.
#' @family inputs
#' @seealso [kgroups.kgroups_blocks()] for the fit; `vignette("large")` for readers of text files, databases and
#'   Parquet.
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
#' unlink(folder, recursive = TRUE)
#' @export
row_blocks <- function(x, n, ..., rows = 1e5) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_given(x, "x")
  if (inherits(x, "DBIConnection")) {
    check_given(n, "n")
    return(database_blocks(x, n, check_count(rows, "rows", 1, 1e9), rlang::current_env()))
  }
  if (!is.function(x)) {
    abort_argument(
      x, "x", "be a function that returns block i, or a connection of DBI.",
      "For a list of blocks use `row_blocks(function(i) x[[i]], length(x))`; for files see `vignette(\"large\")`."
    )
  }
  if (!missing(rows)) {
    abort_argument(rows, "rows", "be left out for a function.", "A function gives blocks of any numbers of rows.")
  }
  check_given(n, "n")
  structure(list(reader = x, n = check_count(n, "n", 1, 1e7)), class = "kgroups_blocks")
}

# Blocks of the rows of one table or query.
database_blocks <- function(con, table, rows, call) {
  check_package("DBI", "row_blocks() of a database")
  if (!is_string(table)) {
    abort_argument(
      table, "n", "be the name of one table, or one query.", "Several tables are joined by a query.", call = call
    )
  }
  is_query <- grepl("^\\s*(select|with)\\s", table, ignore.case = TRUE)
  from <- if (is_query) sprintf("(%s) AS q", table) else as.character(DBI::dbQuoteIdentifier(con, table))
  rows_of <- function(what) DBI::dbGetQuery(con, sprintf("SELECT %s FROM %s", what, from))
  count <- catch_error(as.numeric(rows_of("COUNT(*)")[[1L]]), error = function(e) {
    reason <- conditionMessage(e)
    abort_input("n", call, "`n` must be a table or a query of the database.", "{reason}", "See `DBI::dbListTables(x)`.")
  })
  if (count == 0) abort_input("n", call, "`n` must have rows.", "The table or query has none.", "Check the condition.")
  reader <- function(i) {
    DBI::dbGetQuery(con, sprintf("SELECT * FROM %s LIMIT %.0f OFFSET %.0f", from, rows, (i - 1) * rows))
  }
  structure(list(reader = reader, n = ceiling(count / rows)), class = "kgroups_blocks")
}

#' @export
format.kgroups_blocks <- function(x, ...) {
  sprintf("Observations in %s block%s", format(x$n), plural(x$n))
}

#' @export
print.kgroups_blocks <- print_lines
