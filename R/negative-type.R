# Is a semimetric of negative type on given data, by how much not, and how to repair it.

#' Test a semimetric for negative type
#'
#' Energy statistics rest on semimetrics of negative type: only then is the energy distance of two distributions never
#' negative, and \eqn{\rho}{rho} a squared distance in a feature space. On \eqn{n}{n} observations it holds exactly if
#' the centred matrix \eqn{-J P J / 2}{-J P J/2} with \eqn{P_{ij} = \rho(x_i, x_j)}{P_ij = rho(x_i, x_j)} has no
#' negative eigenvalue. For a Gram matrix the matrix is \eqn{J G J}{J G J}. Some dissimilarities in use are not of
#' negative type: the Chebyshev distance, Gower's coefficient with missing values, powers above 2 of a distance.
#'
#' @section What a failure means: Compare the constant c that [make_negative_type()] would add to all pairwise
#'   dissimilarities with their mean. If c is a few hundredths of it, the failure touches details; if it is of the order
#'   of the mean, the values are far from squared distances of any kind.
#' * [kgroups()] still ends in a partition that no single move improves; squared distances to a mean, W and energy
#'   distances can be negative.
#' * [kernel_kmeans()] can raise W; it then stops and reports it.
#' * [predict()][predict.kgroups_fit] can assign observations of the data to another cluster than the fit did.
#' * [energy_test()] keeps its level; it can miss differences of distributions.
#'
#' [make_negative_type()] leaves the partitions that Hartigan's method can end in as they were, so for [kgroups()] alone
#' there is no need of it.
#'
#' @inheritParams semimetric_matrix
#' @param x Numeric matrix, data frame, vector, `dist` object or Gram matrix
#'   ([as_gram()]).
#' @param details `TRUE` returns eigenvalues and the constant of [make_negative_type()] too.
#' @return Plain `TRUE` or `FALSE`, for use in [if()][base::Control], [ifelse()] and tables. With
#'   `details = TRUE` a list of class `kgroups_negative_type`:
#'   \item{negative_type}{the answer: `TRUE` if `smallest >= -tolerance`, or if all values are 0}
#'   \item{smallest, largest}{eigenvalues}
#'   \item{tolerance}{`1e-10 * largest`}
#'   \item{constant}{\eqn{c = 2 |\lambda|}{c = 2 |lambda|} with \eqn{\lambda}{lambda} the smallest
#'     eigenvalue; 0 if the answer is `TRUE`}
#'   \item{mean}{the mean pairwise dissimilarity}
#'   \item{n}{the number of observations}
#' @section Complexity: \eqn{O(n^3)}{O(n^3)} up to n = 2000; above, \eqn{O(n^2 d)}{O(n^2 d)} for each of some dozens of
#'   products by the Lanczos method (package \pkg{RSpectra}), at most some 3000. Points under `rho_power()`,
#'   `rho_gaussian()` and `rho_exponential()` need none: these are of negative type by theory.
#' @family semimetrics
#' @examples
#' # straight-line distances are of negative type, those by road are not
#' is_negative_type(UScitiesD)
#' is_negative_type(eurodist)
#' is_negative_type(eurodist, details = TRUE)
#' @export
is_negative_type <- function(x, semimetric = rho_power(1), details = FALSE, ...) {
  call <- rlang::current_env()
  check_data(x, call)
  details <- check_flag(details, "details")
  x <- read_data(x, ..., context = list(call = call, topic = "is_negative_type"))$points
  problem <- all_pairs_problem(x, semimetric, call = call)
  if (!details && known_negative_type(problem)) {
    return(TRUE)
  }
  out <- negative_type(problem)
  if (!details) {
    return(out$negative_type)
  }
  check_values_range(c(out$smallest, out$largest, out$mean), call)
  out
}

negative_type <- function(problem) {
  ends <- centred_extremes(problem)
  tolerance <- 1e-10 * max(ends$largest, 0)
  passes <- ends$smallest >= -tolerance
  structure(
    list(
      negative_type = passes,
      smallest = ends$smallest * problem$unit,
      largest = ends$largest * problem$unit,
      tolerance = tolerance * problem$unit,
      constant = if (passes) 0 else -2 * ends$smallest * problem$unit,
      mean = mean_pair_value(problem),
      n = problem$n
    ),
    class = "kgroups_negative_type"
  )
}

# Mean of rho over the pairs of different observations.
mean_pair_value <- function(problem) {
  n <- problem$n
  if (n == 1L) {
    return(0)
  }
  all <- sum(store_product(problem$store, rep(1, n)))
  problem$unit * 2 * (n * sum(self_values(problem)) - all) / (n * (n - 1))
}

#' @export
format.kgroups_negative_type <- function(x, digits = 3, ...) {
  number <- function(name) format(x[[name]], digits = digits)
  share <- function(part, whole) format(100 * part / whole, digits = 2)
  on <- sprintf(" on %d observation%s", x$n, plural(x$n))
  if (x$negative_type) {
    return(c(
      paste0("Of negative type", on, "."),
      paste0("No eigenvalue is below 0 up to rounding; the largest is ", number("largest"), ".")
    ))
  }
  c(
    paste0("NOT of negative type", on, "."),
    paste0(
      "Smallest eigenvalue: ", number("smallest"),
      if (x$largest > 1e-10 * -x$smallest) {
        sprintf(", %s %% of the largest (%s) below 0", share(-x$smallest, x$largest), number("largest"))
      }
    ),
    paste0(
      "Repaired by adding ", number("constant"), " to every pairwise dissimilarity",
      if (x$mean > 0) sprintf(", %s %% of their mean (%s)", share(x$constant, x$mean), number("mean")),
      ": make_negative_type()"
    ),
    "?is_negative_type describes the consequences for each function."
  )
}

#' @export
print.kgroups_negative_type <- print_lines

# Smallest and largest eigenvalue of J B J, in the units of the store.
centred_extremes <- function(problem) {
  n <- problem$n
  if (n == 1L) {
    return(list(smallest = 0, largest = 0))
  }
  ends <- if (n <= most_dense) {
    symmetric_extremes(weighted_form(pair_values(problem), rep(1, n)))
  } else {
    iterative_centred(problem)
  }
  # the centring itself contributes an eigenvalue 0, known without rounding
  list(smallest = min(ends$smallest, 0), largest = max(ends$largest, 0))
}

iterative_centred <- function(problem) {
  iterative_extremes(function(v, ...) {
    v <- store_product(problem$store, v - mean(v))
    v - mean(v)
  }, problem$n)
}

#' Make a semimetric of negative type
#'
#' Adds the smallest constant to the semimetric off the diagonal that makes it of negative
#' type on the given observations: \eqn{c = 2 |\lambda|}{c = 2 |lambda|} with
#' \eqn{\lambda}{lambda} the smallest eigenvalue of [is_negative_type()].
#'
#' With unit weights the constant raises W by \eqn{c (n - k) / 2}{c (n - k)/2} for every partition into \eqn{k}{k}
#' clusters. So Hartigan's method can end in the same partitions as before, and W is not negative. With weights
#' \eqn{c (1/w_i + 1/w_j)}{c (1/w_i + 1/w_j)} is added instead, which raises W by \eqn{c (n - k)}{c (n - k)}.
#'
#' @inheritParams is_negative_type
#' @param weights Weights above 0, one per observation, or `NULL`.
#' @return For points and dissimilarities a `dist` object holding the values
#'   \eqn{\rho + c}{rho + c}, to be used with `rho_power(1)`; for a Gram matrix a Gram
#'   matrix. Attribute `constant` is \eqn{c}{c}; input of negative type comes back with
#'   constant 0.
#' @section Complexity: As [is_negative_type()], and \eqn{n^2}{n^2} doubles.
#' @family semimetrics
#' @examples
#' # distances by road, repaired by a constant: the partition of least W is the same
#' is_negative_type(eurodist)
#' repaired <- make_negative_type(eurodist)
#' is_negative_type(repaired)
#' kgroups(repaired, 3)$cluster
#' @export
make_negative_type <- function(x, semimetric = rho_power(1), weights = NULL, ...) {
  check_data(x, rlang::current_env())
  call <- rlang::current_env()
  x <- read_data(x, list(weights = weights), ..., context = list(call = call, topic = "make_negative_type"))$points
  problem <- all_pairs_problem(x, semimetric, weights)
  if (any(problem$w == 0)) {
    abort_input(
      "weights", rlang::current_env(), "`weights` must be above 0 here.", "{sum(problem$w == 0)} of them {?is/are} 0.",
      "Drop those observations first."
    )
  }
  n <- problem$n
  check_memory(40 * n^2, n, "the matrix")
  B <- check_values_range(pair_values(problem) * problem$unit, rlang::current_env())
  w <- if (problem$weighted) problem$w * problem$w_unit else rep(1, n)
  H <- check_values_range(weighted_form(B, w), rlang::current_env())
  ends <- symmetric_extremes(H)
  short <- max(-ends$smallest, 0)
  if (short <= 1e-10 * max(ends$largest, 0)) short <- 0
  short <- short * (1 + 1e-12)
  constant <- if (problem$weighted) short else 2 * short
  if (has_kernel(problem) && !is.null(problem$store$half)) {
    half <- problem$store$half * problem$unit
    for (columns in strips(n, n)) {
      check_interrupt()
      B[, columns] <- B[, columns] + outer(half, half[columns], "+")
    }
    diag(B) <- diag(B) + short / w
    out <- as_gram(named_matrix(B, problem$names, problem$names))
  } else {
    out <- packed_pairs(B, short / w, problem$names)
  }
  attr(out, "constant") <- constant
  out
}

# The form B centred with the weights, diag(sqrt w)(I - 1w'/s) B (I - w1'/s) diag(sqrt w): c / w on the
# diagonal of B adds c to its eigenvalues.
weighted_form <- function(B, w) {
  n <- length(w)
  mean <- as.vector(B %*% w) / sum(w)
  all <- sum(w * mean) / sum(w)
  root <- sqrt(w)
  for (columns in strips(n, n)) {
    check_interrupt()
    centred <- B[, columns] - outer(mean, mean[columns], "+") + all
    B[, columns] <- outer(root, root[columns]) * centred
  }
  B
}

# The dist of -2 B_ij + add_i + add_j.
packed_pairs <- function(B, add = numeric(nrow(B)), names = NULL) {
  n <- length(add)
  packed <- numeric(n * (n - 1) / 2)
  at <- 0
  for (columns in strips(n - 1L, n)) {
    check_interrupt()
    for (j in columns) {
      rows <- seq.int(j + 1L, n)
      packed[at + seq_along(rows)] <- -2 * B[rows, j] + (add[rows] + add[j])
      at <- at + length(rows)
    }
  }
  structure(packed, Size = n, Labels = names, Diag = FALSE, Upper = FALSE, class = "dist")
}
