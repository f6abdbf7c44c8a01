# The one reading of the data of an exported function, and as_points().

# Arguments of the preprocessing of a table, which exported functions take in their dots.
table_settings <- c("column_weights", "standardize", "missing")

# Read the observations `x` and the `values` that have one element a row. Return list(points, x, ...): what as_problem()
# takes, numbers as a matrix and points if a setting of the table is given; the rows of the user; and the values in the
# order of the rows. `context`: the `call` and the `topic` of the function, `also` what it takes in its dots, `as_data`:
# does the call take the rows as data?
read_data <- function(x, values = list(), ..., column_weights = NULL, standardize = FALSE,
                      missing = c("impute", "fail"), context) {
  call <- context$call
  if (inherits(x, "formula")) abort_no_data(x, call)
  if (...length()) check_no_dots(..., call = call, topic = context$topic, also = c(table_settings, context$also))
  if (!isFALSE(standardize) && is_within(standardize, call)) abort_within(context$topic, call)
  matrix <- bare_numbers(x)
  if (identical(matrix, x)) matrix <- bare_numbers(x <- plain_numbers(x, call))
  for (arg in names(values)) {
    if (is.null(values[[arg]])) next
    values[[arg]] <- match_rows(values[[arg]], names_of_rows(x), if (arg == "labels") "g" else arg, call)
  }
  table <- is.data.frame(matrix) || is.matrix(matrix) && is.numeric(matrix) && !is.object(matrix)
  points <- inherits(x, "kgroups_prepared")
  if (table) {
    inform_input(
      matrix, names(column_weights), isTRUE(context$as_data) || standardize, weights = unname(values$weights)
    )
  }
  stated <- length(missing) == 1L
  if (stated) check_choice(missing, "missing", c("impute", "fail"), call)
  set <- table_settings[c(!is.null(column_weights), standardize, identical(missing, "fail"))]
  if (length(set) || stated && table) {
    if (!table && !is_plain_vector(matrix)) abort_table_settings(set, x, points, call)
    matrix <- make_points(one_column(matrix), values$weights, column_weights, standardize, missing, call = call)
  }
  c(list(points = matrix, x = x), values)
}

abort_table_settings <- function(set, x, points, call) {
  abort_input(
    "column_weights", call, "{ticked(set)} {?is/are} for matrices of numbers and data frames.",
    if (points) "You supplied points of `as_points()`." else "You supplied {value_text(x)}.",
    if (points) {
      "Set {cli::qty(set)}{?it/them} in `as_points()`."
    } else if (inherits(x, "dist")) {
      "Pass the columns in place of their distances."
    }
  )
}

# Is a metric to be learned? TRUE for "within"; FALSE for TRUE and FALSE; an error for others.
is_within <- function(standardize, call) {
  if (identical(standardize, "within")) {
    return(TRUE)
  }
  if (isTRUE(standardize) || isFALSE(standardize)) {
    return(FALSE)
  }
  if (!is.character(standardize)) check_flag(standardize, "standardize", call)
  near <- if (is_string(standardize)) nearest_name(standardize, "within")
  abort_argument(
    standardize, "standardize", "be `FALSE`, `TRUE` or \"within\".",
    if (length(near)) {
      "Did you mean \"within\"?"
    } else {
      "\"within\" learns a metric from the clusters, see `help(\"kgroups-metric\")`."
    },
    call = call
  )
}

# A metric is learned for a number of clusters, which functions of a partition or of a tree do not have.
abort_within <- function(topic, call) {
  abort_input(
    "standardize", call,
    "`standardize = \"within\"` learns a metric for a number of clusters, which `{topic}()` does not have.",
    hint = if (topic == "kgroups_tree") {
      "Use `fit <- kgroups(x, k, standardize = \"within\")`, then `kgroups_tree(fit)`."
    } else {
      "Use `fit <- kgroups(x, k, standardize = \"within\")`, then `as_points(x, like = fit$blueprint)` here."
    }
  )
}

#' A table as points
#'
#' Returns the coordinates that [kgroups()] clusters: one row for each observation, the columns on one scale, missing
#' cells filled.
#'
#' A table of numbers alone keeps its units; missing cells are computed on the scale of standard deviations. Otherwise:
#' * A column of numbers, dates, times or differences of times gives
#'   \eqn{(x - \bar x)/s}{(x - mean)/sd}, as [scale()]; an ordered factor the same of its level
#'   numbers \eqn{1, \ldots, L}{1, ..., L}.
#' * A column of categories (factor, text, logical) gives for each level \eqn{l}{l} that occurs
#'   \eqn{\sqrt 2 (1\{x = l\} - p_l)}{sqrt(2) (1(x = l) - p_l)}, \eqn{p_l}{p_l} its share: rows with
#'   different levels are 2 apart, as by two standard deviations, and a balanced column of two
#'   levels is nearly a standardised column of zeros and ones.
#' * Constant and empty columns, and categories that all differ, are left out; the print names them.
#' * `column_weights` multiply the share of a column in squared distances.
#'
#' @section Missing cells: They get their conditional means under one normal model of the coordinates,
#' \deqn{x_m = \mu_m + \Sigma_{mo} (\Sigma_{oo} + \epsilon I)^{-1} (x_o -
#' \mu_o),}{ x_m = mu_m + Sigma_mo (Sigma_oo + eps I)^-1 (x_o - mu_o),} with eps a millionth of the mean variance. Six
#' EM steps start from cells filled by 0. Each adds the conditional covariance of the missing cells, and shrinks
#' off-diagonal entries by the factor \eqn{1 - \min(0.9, D/n + 0.05)}{1 - min(0.9, D/n + 0.05)} for D coordinates. Of
#' more than 4000 rows, 4000 that are evenly spaced are used. Nothing is random or depends on k. Above 300 coordinates
#' cells get the means of their columns. The print of a fit counts them; there is a warning if they are more than half
#' of all and `missing` is not supplied.
#'
#' @section Where it fails:
#' A column of two levels that is unrelated to the clusters can dominate if k and the number of
#' columns are small; the remedy is a weight below 1, as `column_weights = c(sex = 0.3)`. If columns
#' are independent within clusters of very unequal sizes, a mixture model with that structure is better.
#'
#' @param x A data frame (also a tibble or a data.table) with columns of numbers, dates, times,
#'   categories, text and logical values, or a matrix or vector of numbers (a column). 64-bit integers are taken
#'   exactly up to \eqn{2^{53}}{2^53}.
#' @param weights Weights of the rows, for means, standard deviations, shares and the model of
#'   missing cells. Default all 1. Whole weights count rows.
#' @param column_weights Weights of columns: named numbers, others keep 1; or one number for each column.
#'   0 leaves a column out.
#' @param standardize Should numbers get mean 0 and standard deviation 1 although there is nothing but
#'   numbers? Default `FALSE`. `"within"` needs clusters, so it is for [kgroups()] alone; `like = fit$blueprint`
#'   returns its coordinates.
#' @param missing What to do with missing cells: `"impute"`, or `"fail"`, which refuses them.
#' @param like Points from an earlier call, or their blueprint. The coordinates of `x` are then computed with the means,
#'   levels and model of that call, and columns are found by name. The other arguments must be left out.
#' @param ... Not used: an unknown argument is an error.
#' @return A matrix of numbers with one row for each observation, and the attribute `"blueprint"`, which subsetting rows
#'   keeps. A row of `x` in which nothing is observed is an error; with `like` it gives `NA`, with a warning.
#' @section Complexity: \eqn{O(n D)}{O(n D)} time and memory; with missing cells \eqn{O(D^3)}{O(D^3)} more for the
#'   model, \eqn{O(m^3)}{O(m^3)} for a pattern of m missing coordinates, and \eqn{O(m D)}{O(m D)} for a row.
#' @family inputs
#' @examples
#' # numbers, two categories, three ordered levels and missing cells become coordinates of one unit
#' persons <- data.frame(
#'   age = c(31, 45, NA, 62, 27, 51),
#'   sex = c("f", "m", "f", "f", "m", NA),
#'   health = factor(c("poor", "good", "good", "fair", "good", "poor"), c("poor", "fair", "good"),
#'   ordered = TRUE)
#' )
#' points <- as_points(persons)
#' round(points, 2)
#' attr(points, "blueprint")
#'
#' # a new row in the same coordinates
#' as_points(data.frame(age = 40, sex = "m", health = "fair"), like = points)
#'
#' # the coordinates for another method: principal components of plants, their type at half weight
#' prcomp(as_points(CO2[c("Type", "conc", "uptake")], column_weights = c(Type = 0.5)))
#' @export
as_points <- function(x, weights = NULL, column_weights = NULL, standardize = FALSE, missing = c("impute", "fail"),
                      like = NULL, ...) {
  check_given(x, "x")
  if (inherits(x, "formula")) abort_no_data(x, rlang::current_env())
  check_no_dots(..., call = rlang::current_env(), topic = "as_points")
  if (is.null(like)) {
    check_flag(standardize, "standardize")
    check_choice(missing, "missing", c("impute", "fail"))
    points <- make_points(one_column(plain_numbers(x)), weights, column_weights, standardize, missing)
    blueprint <- attr(points, "blueprint")
    # new rows are filled by a model of these data
    if (is.null(blueprint$normal)) blueprint <- learn_normal(blueprint, points, weights)
    return(new_points(points, blueprint))
  }
  blueprint <- if (inherits(like, "kgroups_blueprint")) like else attr(like, "blueprint")
  if (!inherits(blueprint, "kgroups_blueprint")) {
    abort_argument(
      like, "like", "be points from `as_points()`, or their blueprint.",
      "Points that were changed lose their blueprint: keep `attr(points, \"blueprint\")`."
    )
  }
  if (!(is.null(weights) && is.null(column_weights) && identical(standardize, FALSE) && length(missing) == 2L)) {
    abort_input(
      "like", rlang::current_env(), "With `like` the other arguments must be left out.", "You supplied some of them.",
      "They were set when `like` was made."
    )
  }
  points <- apply_blueprint(blueprint, x, "x", rlang::current_env(), what = "x")
  new_points(points, blueprint)
}
