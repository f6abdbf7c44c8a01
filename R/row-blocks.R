#' Data in blocks
#'
#' `kgroups(row_blocks(reader, n), k, approx = nystroem(m))` clusters rows that come in `n`
#' blocks and are never in memory together. Each pass reads every block, in this process or
#' on the workers of a plan of \pkg{future}. Rows stay where they are: apart from a sample, only sums over clusters are
#' sent. [describe_clusters()] describes the clusters by the rows of a block.
#'
#' @param x A function of one argument: `x(i)` returns block i as a numeric matrix or data frame with columns as in
#'   [as_points()], one observation per row, the same every time; random rows need [set.seed()] in it. Its globals and
#'   packages are sent to workers, and files must have the same path there.
#' @param n The number of blocks that the function gives, a whole number, at least 1.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `kgroups_blocks`, for the argument `x` of [kgroups()].
#' @section Complexity: A pass of the fit reads every block once; memory for one block a process.
#' @family inputs
#' @seealso [kgroups.kgroups_blocks()] for the fit; `vignette("large")` for readers of text files, databases and Parquet.
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
row_blocks <- function(x, n, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "row_blocks")
  check_given(x, "x")
  if (!is.function(x)) {
    abort_argument(
      x, "x", "be a function that returns block i.",
      "For a list of blocks use `row_blocks(function(i) x[[i]], length(x))`; for files see `vignette(\"large\")`."
    )
  }
  check_given(n, "n")
  structure(list(reader = x, n = check_count(n, "n", 1, 1e7)), class = "kgroups_blocks")
}

#' @export
format.kgroups_blocks <- function(x, ...) {
  sprintf("Observations in %s block%s", format(x$n), plural(x$n))
}

#' @export
print.kgroups_blocks <- print_lines
