# Semimetrics: constructors, printing, and the values rho(x, y) themselves.

# The table of the semimetrics that C computes (src/kg_semimetric.c): name, scaling and negative_type of each family.
# It is read at load.
semimetric_families <- NULL

# c(family, parameter) as the C routines read it: the code of a family is its place in the table, from 0.
semimetric_code <- function(family, parameter) c(match(family, semimetric_families$name) - 1, parameter)

# The family of the semimetric of a store.
store_family <- function(rho) semimetric_families$name[rho[1L] + 1]

# Constructor: trusts its arguments. `parameter` may be NULL for a sigma that is still to
# be chosen from the data; `f` is the user's function for family "function".
new_semimetric <- function(family, parameter = NULL, label, f = NULL, vectorized = FALSE) {
  out <- list(family = family, parameter = parameter, label = label, f = f, vectorized = vectorized)
  class(out) <- "kgroups_semimetric"
  out
}

#' Semimetrics
#'
#' A semimetric \eqn{\rho}{rho} is a dissimilarity of two observations: symmetric, not negative, and 0 for equal ones.
#' These constructors define semimetrics by the Euclidean distance \eqn{d}{d} or by a function of your own, for the
#' argument `semimetric` of [kgroups()] and other functions.
#'
#' | constructor | \eqn{\rho(x, y)}{rho(x, y)} |
#' |---|---|
#' | `rho_power(alpha)` | \eqn{d^\alpha}{d^alpha} |
#' | `rho_exponential(sigma)` | \eqn{2 - 2 \exp(-d / (2 \sigma))}{2 - 2 exp(-d/(2 sigma))} |
#' | `rho_gaussian(sigma)` | \eqn{2 - 2 \exp(-d^2 / (2 \sigma^2))}{2 - 2 exp(-d^2/(2 sigma^2))} |
#' | `rho_function(f)` | the value of `f` |
#' | [rho_metric()] | a power of a named metric |
#' | [rho_connected()] | one of these plus the gaps of the spanning tree |
#'
#' The values of a `dist` object are \eqn{d}{d}: a built-in semimetric is applied to
#' them, and `rho_power(1)` does not change them.
#'
#' @section Choosing a semimetric:
#' `rho_power(1)` is the standard choice of energy statistics. It has no parameter to choose, is invariant
#' under rotation and equivariant under scaling, and distinguishes any two distributions with finite means.
#' Smaller powers such as `rho_power(1/2)` are more robust to heavy tails and in many dimensions.
#' `rho_power(2)` compares means only; kernel k-groups is then k-means. The bounded `rho_exponential()` and
#' `rho_gaussian()` depend on the bandwidth `sigma`, and can find clusters that are not convex, such as rings
#' or long cigars. [rho_connected()] finds such clusters without a bandwidth.
#'
#' The first three are of negative type (conditionally negative definite), which the theory
#' requires; see [is_negative_type()].
#'
#' @param alpha The power, a number in (0, 2].
#' @param sigma The bandwidth, a number above 0, in the units of the data. `NULL` takes the (weighted) median of all
#'   pair distances. Above 2000 observations it is that of a sample of 2000, which does not depend on the seed or on the
#'   order of the rows.
#' @param f A function. With `vectorized = FALSE`, `f(x, y)` takes two points
#'   (numeric vectors) and returns one number. With `vectorized = TRUE`, `f(x, y)`
#'   takes two matrices with points in rows and returns the matrix of values, one
#'   row for each row of `x`, one column for each row of `y`. It is evaluated once
#'   for every pair, and must be symmetric with `f(x, x) = 0`.
#' @param vectorized Are the arguments of `f` matrices? Default `FALSE`.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `kgroups_semimetric`.
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Székely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on
#' distances." *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#' @section Complexity: A built-in value costs \eqn{O(d)}{O(d)} in C, many at a time. `rho_function()`
#'   calls R: with `vectorized = FALSE` once for each of the \eqn{n (n - 1) / 2}{n(n - 1)/2} pairs,
#'   some microseconds each, with `vectorized = TRUE` once for a block of them.
#' @family semimetrics
#' @examples
#' # roots of distances, and a bounded semimetric of four numbers
#' rho_power(1/2)
#' semimetric_matrix(1:4, semimetric = rho_gaussian(2))
#'
#' # a function of one's own: differences relative to the sum
#' canberra <- rho_function(function(x, y) sum(abs(x - y) / (x + y)))
#' kgroups(USArrests, 3, semimetric = canberra)$sizes
#' @name semimetrics
NULL

#' @rdname semimetrics
#' @export
rho_power <- function(alpha = 1, ...) {
  if (...length()) check_no_dots(..., call = rlang::current_env(), topic = "semimetrics")
  alpha <- check_number(alpha, "alpha", 0, 2, open = c(TRUE, FALSE))
  before <- c("", "squared ", "square root of the ")[match(alpha, c(1, 2, 0.5))]
  label <- if (is.na(before)) paste("Euclidean distance to the power", format(alpha))
  new_semimetric("power", alpha, label %||% paste0(before, "Euclidean distance"))
}

check_sigma <- function(sigma, call = rlang::caller_env()) {
  if (!is.null(sigma)) check_number(sigma, "sigma", 0, open = c(TRUE, FALSE), call = call)
}

#' @rdname semimetrics
#' @export
rho_exponential <- function(sigma = NULL, ...) {
  if (...length()) check_no_dots(..., call = rlang::current_env(), topic = "semimetrics")
  new_semimetric("exponential", check_sigma(sigma), "2 - 2 exp(-|x - y| / (2 sigma))")
}

#' @rdname semimetrics
#' @export
rho_gaussian <- function(sigma = NULL, ...) {
  if (...length()) check_no_dots(..., call = rlang::current_env(), topic = "semimetrics")
  new_semimetric("gaussian", check_sigma(sigma), "2 - 2 exp(-|x - y|^2 / (2 sigma^2))")
}

#' @rdname semimetrics
#' @export
rho_function <- function(f, vectorized = FALSE, ...) {
  if (...length()) check_no_dots(..., call = rlang::current_env(), topic = "semimetrics")
  check_given(f, "f")
  if (!is.function(f)) {
    abort_argument(
      f, "f", "be a function of two points.", "For example `rho_function(function(x, y) sum(abs(x - y)))`.",
      "semimetric"
    )
  }
  if (!check_flag(vectorized, "vectorized") && is_of_all_pairs(f)) {
    abort_argument(f, "f", "be a function of two points, which are vectors.", "{all_pairs_hint}", "semimetric")
  }
  new_semimetric("function", 0, "a function of the user's", f, vectorized)
}

# Functions that return the distances of all pairs of rows, by package.
all_pairs_functions <- c(stats = "dist", proxy = "dist", cluster = "daisy", vegan = "vegdist", parallelDist = "parDist")
all_pairs_hint <-
  "The function returns the distances of all rows: pass these in place of the data, `kgroups(dist(x), 3)`."

is_of_all_pairs <- function(f) {
  packages <- Filter(isNamespaceLoaded, names(all_pairs_functions))
  any(vapply(packages, function(one) identical(f, getExportedValue(one, all_pairs_functions[[one]])), NA))
}

#' @export
format.kgroups_semimetric <- function(x, ...) {
  if (!x$family %in% c("exponential", "gaussian")) {
    return(x$label)
  }
  sigma <- if (is.null(x$parameter)) "median pair distance" else format(x$parameter, digits = 4)
  paste0(x$label, ", sigma = ", sigma, if (!is.null(x$chosen)) paste0(", ", x$chosen))
}

#' @export
print.kgroups_semimetric <- function(x, ...) {
  cat("Semimetric: ", format(x, ...), "\n", sep = "")
  invisible(x)
}

# The user's function at all pairs of rows of x and y: a plain matrix, checked. An error of the function
# becomes the parent of ours.
evaluate_function <- function(semimetric, x, y, call = rlang::caller_env()) {
  must <- "The function in `rho_function()` must give finite, symmetric values."
  fail <- function(came, hint) abort_input("semimetric", call, must, "{came}", "{hint}")
  value <- catch_error(
    if (semimetric$vectorized) matrix_values(semimetric$f, x, y, fail) else point_values(semimetric$f, x, y, fail),
    error = function(e) {
      if (inherits(e, "kg_error")) stop(e)
      try_it <- if (semimetric$vectorized) {
        "It gets two matrices with rows of the data: `f(x[1:3, ], x[4:6, ])`."
      } else {
        c(
          "It gets two rows of the data as vectors: `f(x[1, ], x[2, ])`.",
          "Of a function of all rows, as `dist()`, pass the values: `kgroups(dist(x), k)`."
        )
      }
      abort_input("semimetric", call, must, "It stopped with an error.", try_it, parent = e)
    }
  )
  storage.mode(value) <- "double"
  if (!all_finite(value)) {
    at <- which(!is.finite(value), arr.ind = TRUE)[1L, ]
    fail(
      sprintf("At rows %d and %d it gave %s.", at[1L], at[2L], format(value[at[1L], at[2L]])),
      "Repair the function there, or drop those rows."
    )
  }
  unname(value)
}

# 64-bit integers are doubles that hold the bits of an integer.
is_plain_numeric <- function(value) is.numeric(value) && !inherits(value, "integer64")

matrix_values <- function(f, x, y, fail) {
  value <- f(x, y)
  if (!is_plain_numeric(value) || !identical(dim(value), c(nrow(x), nrow(y)))) {
    fail(
      sprintf("For %d and %d points it gave %s.", nrow(x), nrow(y), value_text(value)),
      "With `vectorized = TRUE` it must return a numeric matrix, rows of x by rows of y."
    )
  }
  value
}

point_values <- function(f, x, y, fail) {
  value <- matrix(0, nrow(x), nrow(y))
  rows <- lapply(seq_len(nrow(x)), function(i) x[i, ])
  columns <- lapply(seq_len(nrow(y)), function(j) y[j, ])
  for (i in seq_along(rows)) {
    for (j in seq_along(columns)) {
      one <- f(rows[[i]], columns[[j]])
      if (!is_plain_numeric(one) || length(one) != 1L) {
        fail(
          sprintf("For points %d and %d it gave %s.", i, j, value_text(one)),
          "It must return one number; use `vectorized = TRUE` if it takes matrices."
        )
      }
      value[i, j] <- one
    }
  }
  value
}

# The lower triangle of the user's function over the rows of x, packed as in dist.
# With one call a pair; f(x, x) = 0 and symmetry are checked on the first few points.
packed_function_values <- function(semimetric, x, call = rlang::caller_env()) {
  n <- nrow(x)
  few <- x[seq_len(min(n, 5L)), , drop = FALSE]
  probe <- evaluate_function(semimetric, few, few, call = call)
  size <- max(abs(probe), 1e-300)
  symmetric <- max(abs(probe - t(probe))) <= 1e-8 * size
  if (max(abs(diag(probe))) > 1e-8 * size || !symmetric) {
    abort_input(
      "semimetric", call, "The function in `rho_function()` must be symmetric, with f(x, x) = 0.",
      "On the first {nrow(few)} point{?s} {if (symmetric) 'f(x, x) is not 0' else 'it is not symmetric'}.",
      if (symmetric) {
        paste(
          "If f is a kernel, use `rho_function(function(x, y) f(x, x) + f(y, y) - 2 * f(x, y))`,",
          "or `as_gram()` of its matrix."
        )
      } else {
        "Symmetrise it, for example by `(f(x, y) + f(y, x)) / 2`."
      }
    )
  }
  packed <- numeric(n * (n - 1) / 2)
  at <- 0
  # a function of two points column by column; one of matrices in strips of columns
  for (columns in strips(n - 1L, n, if (semimetric$vectorized) 1e6 else 0)) {
    check_interrupt()
    later <- seq.int(columns[1L] + 1L, n)
    value <- evaluate_function(semimetric, x[later, , drop = FALSE], x[columns, , drop = FALSE], call = call)
    for (j in seq_along(columns)) {
      rows <- seq.int(j, length(later))
      packed[at + seq_along(rows)] <- value[rows, j]
      at <- at + length(rows)
    }
  }
  packed
}

is_connected <- function(semimetric) inherits(chosen_semimetric(semimetric), "kgroups_rho_connected")

# The semimetric of a result of select_semimetric().
chosen_semimetric <- function(semimetric) {
  if (inherits(semimetric, "kgroups_select_semimetric")) semimetric$semimetric else semimetric
}

# The semimetric without the gaps.
base_semimetric <- function(semimetric) {
  semimetric <- chosen_semimetric(semimetric)
  if (is_connected(semimetric)) semimetric$base else semimetric
}
