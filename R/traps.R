# Input that is probably not what it was taken for.

# Silent traps: input that is probably not what it was taken for.
speak_of_traps <- function(x, problem) {
  points <- problem$points
  if (is.null(points) || problem$n < 3L) {
    return(invisible())
  }
  if (nrow(points) == ncol(points) && isSymmetric(unname(points))) {
    if (all(diag(points) == 0) && min(points) >= 0) {
      kg_warn(
        c(
          "{.arg x} looks like a matrix of dissimilarities, but was taken as data.",
          "i" = "Pass {.code as.dist(x)} if it is one."
        ),
        "dissimilarities"
      )
    } else {
      kg_inform(
        c(
          "{.arg x} is a symmetric matrix and was taken as data.",
          "i" = "Pass {.code as_gram(x)} if it is a Gram matrix."
        ),
        "gram"
      )
    }
  }
  if (ncol(points) > 1L) {
    # the hint is worth a look at some rows only
    if (problem$n > 20000L) {
      points <- points[round(seq(1, problem$n, length.out = 10000)), , drop = FALSE]
    }
    points <- times_power_of_two(points, -binary_exponent(points))
    # an offset far above the spread leaves rounding, perhaps below 0
    spread <- sqrt(pmax(colMeans(points^2) - colMeans(points)^2, 0))
    spread <- spread[is.finite(spread) & spread > 1e-7 * sqrt(colMeans(points^2))]
    if (length(spread) > 1L && max(spread) > 100 * min(spread)) {
      kg_inform(
        "The standard deviations of the columns differ more than 100-fold: consider {.code scale(x)}.",
        "scale"
      )
    }
  }
}
