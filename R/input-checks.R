# Input checks: messages about input that is probably not of the kind it is taken for. An exported
# function calls inform_input() once, through read_input(). Nothing is changed or refused.

# nolint start: line_length_linter.
#' Checks of the input
#'
#' Every function of the package that takes observations checks them for the mistakes below and reports each once per call; of
#' [row_blocks()] it checks sampled rows.
#' The result is computed all the same. Names begin with `kg_warning_` or `kg_message_`.
#'
#' | class | input | use |
#' |---|---|---|
#' | warning `dissimilarities` | a square or Gram matrix of values from 0 with a diagonal of zeros; also asymmetric, or one triangle; distances to other points of package \pkg{proxy} | [as.dist()] |
#' | warning `adjacency` | the same, with 0 and 1 only, or with many zeros that are not those of equal observations | `igraph::graph_from_adjacency_matrix()` |
#' | message `gram` | another square symmetric matrix of data; a symmetric \pkg{Matrix} that is taken as a Gram matrix | [as_gram()] |
#' | warning `similarities` | a `dist` of values from 0 to 1 whose roots often violate the triangle inequality, unlike 1 minus them | `1 - x` |
#' | message `scale` | columns that keep their units, with standard deviations that differ by a factor above 100, or one column with more than .8 of the variance and 5 times the median standard deviation of the others | [scale()] |
#' | message `id` | a column that numbers the rows, or different whole numbers named `id`, `X`, `patient` or the like | leave it out |
#' | message `edges` | two columns that are the ends of edges, perhaps with a third of weights | `igraph::graph_from_data_frame()` |
#' | message `degrees` | columns named as longitude and latitude, within the ranges of degrees | `rho_metric("haversine")` |
#' | message `text` | text or a factor of numbers, also with a currency, a unit, a limit as in "<0.1", brackets or marks of thousands, or of dates and times | the code in the message; it names the values that become `NA` |
#' | message `groups` | one text column, factor, or block of columns of 0 and 1 with as many levels as there are clusters, or whole numbers named `class`, `label` or the like | leave it out if it holds the known groups |
#' | message `separates` | a column or block whose values give the clusters that were found, a division of a tree or the runs of a sequence, in 98 percent of the rows or more | leave it out if it holds the known groups |
#' | message `group` | in tests and statistics of groups: a column that has one value for each group and another for every other | leave it out |
#' | message `grouped` | a grouped table of \pkg{dplyr} or \pkg{nlme} | leave the grouping columns out |
#' | message `code` | "NA", ".", "?", "unknown", blanks and the like as text; -999, 9999, 99, 1e20 and the ends of integers far outside of the other values; dates such as 9999-12-31; labels such as "refused" | `NA` |
#' | message `survival` | a column of `survival::Surv()` | the columns that are meant |
#' | message `counts` | a table of all combinations with their counts `Freq` | `weights` |
#' | message `index` | dates that rise by the row; in [kgroups_changes()], where one column of dates is the time (message `time`), numbers in equal steps, or dates that do not rise | leave it out, or order the rows |
#' | message `calendar` | whole numbers named `year`, `month`, `day`, `hour` or the like, within their ranges | leave them out |
#' | message `nominal` | whole numbers named `zip`, `phone`, `stratum` or the like | leave them out, or [factor()] |
#' | message `direction` | numbers from 0 to 360 named `bearing`, `wind_dir` or the like | their cosine and sine |
#' | message `ids` | ids of `together` and `apart` of many rows that may stand for unknown: negative, 0, a word for missing | `NA` |
#' | message `equal` | dissimilarities that are all 0 | another semimetric |
#' | message `long` | series in long form: every label at every time | one row for each series |
#' | message `labels` | numbers that all have a label, as packages \pkg{haven} and \pkg{foreign} read them | `haven::as_factor()`, `factor()` |
#' | message `twice` | a column with more than 10 values, or the name of an earlier one, that equals it | leave it out |
#'
#' A `dist` with an attribute `method` is not checked; identifiers and edges need 10 rows. To suppress one kind: `suppressMessages(kgroups(x, 3), classes = "kg_message_scale")`.
#' @section Complexity: \eqn{O(n d)}{O(n d)}; above 4000 rows a sample of 2000 of them, of a `dist`
#'   24 observations.
#' @family inputs
#' @examples
#' # a message: the first column numbers the rows
#' fit <- kgroups(cbind(id = 1:50, USArrests), 3, standardize = TRUE)
#' @name input-checks
NULL
# nolint end

# `known`: `cross`: x has distances to other points; `as_is`: numbers keep their units; `places`: the columns are degrees
# of places; `sequence`: the rows are in an order; `weights` of the rows.
inform_input <- function(x, known) {
  reported$names <- reported$left <- NULL
  reported$blocks <- isTRUE(known$blocks)
  reported$sparse <- inherits(x, "sparseMatrix")
  reported$scale <- if (reported$sparse) {
    "`x %*% Matrix::Diagonal(x = 1 / sqrt(Matrix::colMeans(x^2) - Matrix::colMeans(x)^2))`"
  } else {
    paste(if (isTRUE(known$compares)) "`standardize = TRUE`" else "`standardize = \"within\"` in `kgroups()`, or `TRUE`", "or `scale(x)`", sep = ", ")
  }
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  if (isTRUE(known$cross)) {
    report("dissimilarities_cross")
  } else if (inherits(x, "dist")) {
    if (is_similarity(x)) report("similarities")
  } else if (is_gram(x) || inherits(x, "Matrix")) {
    rows <- is_sparse_rows(x)
    inform_gram(x, rows)
    if (rows) inform_sparse_rows(x, known)
  } else if (is.data.frame(x) && all(vapply(x, is_usable_column, NA)) || is.matrix(x)) {
    inform_table(x, known) # other tables are refused
  }
  invisible()
}

# ---- tables ----

inform_table <- function(x, known) {
  n <- nrow(x)
  # names of megabytes stand for no kind of column
  long <- which(nchar(colnames(x), "bytes") > 1000L)
  if (length(long)) colnames(x)[long] <- shorten(colnames(x)[long], 500L)
  if (n > 2L && ncol(x) %in% 2:5) inform_edges(x)
  if (is.data.frame(x)) {
    for (check in frame_checks) check(x, known)
    # beside other types numbers are standardized
    other <- vapply(x, function(column) {
      is.factor(column) || is.character(column) || is.logical(column) || inherits(column, c("Date", "POSIXt", "difftime"))
    }, NA)
    known$as_is <- known$as_is && !any(other)
  } else if (known$sequence) {
    frame_checks$index(as.data.frame(x), known)
  }
  if (n < 3L || ncol(x) < 1L) {
    return(invisible())
  }
  # symmetry is tested on all rows
  some <- n > 4000L && (n != ncol(x) || n > 20000L)
  rows <- if (some) round(seq(1, n, length.out = 2000)) else seq_len(n)
  points <- number_columns(x, rows)
  if (is.null(points) || value_range(points)[["infinite"]] > 0) {
    return(invisible())
  }
  # labelled codes are reported by their labels
  labelled <- if (is.data.frame(x)) names(x)[vapply(x, inherits, NA, "haven_labelled")]
  unlabelled <- if (length(labelled)) points[, !colnames(points) %in% labelled, drop = FALSE] else points
  inform_codes(unlabelled, is.data.frame(x))
  inform_nominal(points, is.data.frame(x))
  if (ncol(x) < 2L) {
    return(invisible())
  }
  inform_triangle(points, ncol(x))
  if (!known$places) inform_degrees(points)
  if (!known$sequence) inform_calendar(points)
  id <- id_columns(points, (known$rows %||% seq_len(n))[rows], n)
  if (n == ncol(points) - sum(id) && n == nrow(points)) {
    number <- if (is.data.frame(x)) which(vapply(x, is_number_column, NA, n = n)) else seq_len(ncol(x))
    left <- setdiff(seq_len(ncol(x)), number[!id])
    use <- if (length(left)) sprintf("x[, -%s]", deparse_short(as.numeric(left))) else "x"
    inform_square(points[, !id, drop = FALSE], use, if (is.data.frame(x)) sprintf("as.matrix(%s)", use) else use)
  } else {
    some <- points
    some[is.na(some)] <- 0
    number <- if (is.data.frame(x)) which(vapply(x, is_number_column, NA, n = n)) else seq_len(ncol(x))
    inform_equal_columns(x, number, as.vector(crossprod(some, sin(seq_len(nrow(some))))))
  }
  new <- setdiff(column_label(colnames(points), which(id)), reported$names)
  if (length(new)) report("id", names = new)
  # a code for missing values is the cause of a large scale
  if (known$as_is && !known$places) inform_scale(points[, !id & !column_label(colnames(points), seq_along(id)) %in% reported$names, drop = FALSE])
}

# ---- sparse rows ----

# The same checks of a sparse matrix whose rows are observations: sums of all columns, and the columns themselves that are 0 in at
# most one row or hold a code for missing values.
inform_sparse_rows <- function(x, known) {
  n <- nrow(x)
  if (!isTRUE(methods::validObject(x, test = TRUE, complete = TRUE))) {
    return(invisible()) # refused where it is read
  }
  x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  if (n < 3L || ncol(x) < 2L || !all(is.finite(x@x))) {
    return(invisible())
  }
  filled <- diff(x@p)
  codes <- findInterval(which(x@x %in% missing_numbers) - 1L, x@p, left.open = FALSE)
  whole <- sort(union(which(filled >= n - 1L), utils::head(unique(codes), 1000L)))
  rows <- if (n > 4000L) round(seq(1, n, length.out = 2000)) else seq_len(n)
  id <- character()
  if (length(whole)) {
    points <- as.matrix(x[rows, whole, drop = FALSE])
    colnames(points) <- column_label(colnames(x), whole)
    inform_codes(points, FALSE)
    inform_nominal(points, FALSE)
    if (!known$places) inform_degrees(points)
    inform_calendar(points, whole = length(whole) == ncol(x))
    id <- column_label(colnames(points), which(id_columns(points, rows, n, length(whole) == ncol(x))))
    if (length(setdiff(id, reported$names))) report("id", names = setdiff(id, reported$names))
  }
  # few values are equal by chance
  some <- which(filled > 10L)
  inform_equal_columns(x, some, as.vector(Matrix::crossprod(x[, some, drop = FALSE], sin(seq_len(n)))))
  exponent <- scaling_exponent(x@x)
  x@x <- times_power_of_two(x@x, -exponent)
  means <- Matrix::colMeans(x)
  x@x <- x@x^2
  sd <- deviations(means, Matrix::colMeans(x), colnames(x))
  sd <- sd[!names(sd) %in% c(id, reported$names)]
  # rare values are compared where they occur
  share <- stats::setNames(filled / n, column_label(colnames(x), seq_along(filled)))[names(sd)]
  often <- share * n >= 10
  if (!report_ratio(sd[often], (sd / sqrt(share))[often]) && length(sd) > 1L && dominates(sd)) report_share(sd)
}

# ---- checks of data frames: one function a check ----

frame_checks <- list(
  function(x, known) {
    if (inherits(x, "grouped_df")) report("grouped", names = setdiff(names(attr(x, "groups")), ".rows"))
    # of package nlme: y ~ x | group
    groups <- if (inherits(x, "groupedData")) all.vars(attr(x, "formula")[[3L]][[3L]])
    if (length(intersect(groups, names(x)))) report("grouped", names = intersect(groups, names(x)))
  },
  function(x, known) {
    survival <- vapply(x, inherits, NA, "Surv")
    if (any(survival)) report("survival", names = names(x)[survival])
  },
  function(x, known) inform_labelled(x),
  function(x, known) inform_text(x),
  function(x, known) inform_named_groups(x),
  # all combinations of categories, with their counts
  function(x, known) {
    count <- which(names(x) %in% c("Freq", "n", "count"))
    if (length(count) != 1L || !is.null(known$weights) || length(x) < 2L) {
      return(invisible())
    }
    others <- x[-count]
    values <- x[[count]]
    words <- all(vapply(others, function(column) is.factor(column) || is.character(column), NA))
    whole <- is.numeric(values) && !anyNA(values) && all(values == round(values) & values >= 0)
    cells <- prod(vapply(others, function(column) length(unique(column)), 0))
    if (words && whole && nrow(x) > 2L && nrow(x) <= cells && !anyDuplicated(as.data.frame(others))) {
      report(
        "counts",
        name = names(x)[count], quoted = encodeString(names(x)[count], quote = "\""), use = code_without(names(x)[count])
      )
    }
  },
  # dates in their order; in a sequence also numbers in equal steps
  index = function(x, known) {
    rising <- vapply(x, function(column) {
      date <- inherits(column, c("Date", "POSIXct")) && !is_damaged(column)
      steps <- if (date || known$sequence && is.numeric(column) && is.null(dim(column))) diff(as.double(column))
      length(steps) > 8L && !anyNA(steps) && all(steps > 0) && (date || diff(range(steps)) <= 1e-9 * steps[1L])
    }, NA)
    if (any(rising) && !all(rising)) report("index", names = names(x)[rising])
    date <- vapply(x, function(column) inherits(column, c("Date", "POSIXct")) && !is_damaged(column), NA)
    if (known$sequence && sum(date) == 1L && !all(date) && is.unsorted(x[[which(date)]], na.rm = TRUE)) {
      report("index_order", names = names(x)[date], quoted = encodeString(names(x)[date], quote = "\""))
    }
  },
  function(x, known) inform_long_form(x),
  function(x, known) inform_far_dates(x)
)

# Series in long form: a label and a time that cross completely, one row each.
inform_long_form <- function(x) {
  n <- nrow(x)
  clocks <- which(grepl("^(.*[._ ])?(t|time|date|day|week|month|quarter|year|hour|wave|step|period)$", lower_ascii(names(x))))
  for (clock in clocks) {
    times <- length(unique(x[[clock]]))
    if (n < 10L || times < 3L || times > n / 2) next
    for (label in setdiff(seq_along(x), clock)) {
      column <- x[[label]]
      plain <- is.null(dim(column)) && (is.factor(column) || is.character(column) || is.integer(column))
      if (!plain || length(unique(column)) * times != n || length(x) < 3L) next
      if (!anyDuplicated(data.frame(column, x[[clock]]))) {
        quote <- function(j) encodeString(names(x)[j], quote = "\"")
        return(report(
          "long",
          names = names(x)[c(label, clock)], series = n / times, name = names(x)[label], times = times, time = names(x)[clock],
          quoted = quote(label), clock = quote(clock)
        ))
      }
    }
  }
}

# ---- numbers of a table ----

# Return the columns of numbers as doubles, for some rows; NULL if there are none.
number_columns <- function(x, rows) {
  if (is.data.frame(x)) {
    number <- vapply(x, is_number_column, NA, n = nrow(x))
    if (!any(number)) {
      return(NULL)
    }
    bare <- function(column) if (inherits(column, "integer64")) column else unclass(column)
    out <- vapply(which(number), function(j) as.double(bare(x[[j]]))[rows], numeric(length(rows)))
    dim(out) <- c(length(rows), sum(number))
    colnames(out) <- column_label(names(x), which(number))
    return(out)
  }
  # the bits of 64-bit integers are not their numbers
  if (!is.numeric(x) || inherits(x, "integer64")) {
    return(NULL)
  }
  out <- if (length(rows) < nrow(x)) x[rows, , drop = FALSE] else x
  if (!is.double(out)) storage.mode(out) <- "double"
  out
}
