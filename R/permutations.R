# Permutations of labels: all arrangements of few, or random ones, within strata; and p-values by them.

# Return `number`, `all` and `columns(turns)`, a matrix: the codes and all their other arrangements within strata if
# these are at most R + 1, else R random ones, drawn in the order of the turns.
permuted_labels <- function(codes, strata, R) {
  given <- all_arrangements(codes, strata, R)
  if (!is.null(given)) {
    return(list(number = ncol(given), all = TRUE, columns = function(turns) given[, turns, drop = FALSE]))
  }
  draw <- function(turn) if (turn == 1) codes else permute_labels(codes, strata)
  columns <- function(turns) vapply(turns, draw, codes)
  list(number = R + 1, all = FALSE, columns = function(turns) matrix(columns(turns), length(codes)))
}

# Return the p-value of the first of the values of a statistic, the share that attain it up to rounding, and the least
# one that these permutations allow. `size` is that of the numbers whose rounding the statistic has.
permutation_p <- function(values, labellings = list(all = FALSE), size = max(abs(values[is.finite(values)]), 0)) {
  attained <- function(value) mean(values >= value - 1e-12 * size)
  least <- if (labellings$all) attained(max(values)) else 1 / length(values)
  list(p.value = attained(values[1L]), all = labellings$all, least = least)
}

# All distinct arrangements of the codes within strata as columns, the given one first; NULL if they are more
# than R + 1 or too many to store.
all_arrangements <- function(codes, strata, R) {
  n <- length(codes)
  rows <- strata %||% list(seq_len(n))
  logs <- vapply(rows, function(r) lgamma(length(r) + 1) - sum(lgamma(tabulate(codes[r]) + 1)), 0)
  if (sum(logs) > log(min(R + 1, 2e7 / n)) + 1e-9) {
    return(NULL)
  }
  out <- matrix(0L, n, 1L)
  for (r in rows) {
    part <- arrange_labels(codes[r])
    old <- ncol(out)
    out <- out[, rep(seq_len(old), each = ncol(part)), drop = FALSE]
    out[r, ] <- part[, rep(seq_len(ncol(part)), old)]
  }
  first <- which(colSums(out == codes) == n)
  out[, c(first, seq_len(ncol(out))[-first]), drop = FALSE]
}

# All distinct permutations of a vector, as columns.
arrange_labels <- function(labels) {
  values <- unique(labels)
  if (length(values) == 1L) {
    return(matrix(labels))
  }
  n <- length(labels)
  rest <- arrange_labels(labels[labels != values[1L]])
  places <- utils::combn(n, n - nrow(rest))
  out <- matrix(values[1L], n, as.numeric(ncol(places)) * ncol(rest))
  for (j in seq_len(ncol(places))) {
    out[-places[, j], (j - 1L) * as.numeric(ncol(rest)) + seq_len(ncol(rest))] <- rest
  }
  out
}

permute_labels <- function(labels, strata) {
  if (is.null(strata)) {
    return(labels[sample.int(length(labels))])
  }
  for (rows in strata) labels[rows] <- labels[rows[sample.int(length(rows))]]
  labels
}

# A p-value above .05 that no data could have lowered.
inform_few_arrangements <- function(test) {
  if (!test$all || test$least <= 0.05 || test$least == 1) {
    return(invisible())
  }
  number <- length(test$value)
  least <- format(test$least, digits = 2)
  kg_inform(
    c(
      "The p-value cannot be below {least}: the labels have only {number} arrangement{?s}.",
      "i" = if (is.null(test$units)) "Use larger groups, or fewer strata." else "Use more units, or fewer strata."
    ),
    "arrangements"
  )
}

# F and H from W + S, S and W_l / s_l summed over two groups.
test_ratio <- function(sums, k, n, statistic) {
  S <- sums$S
  if (statistic == "F") {
    W <- sums$total - S
    # rounding of the total
    W <- ifelse(abs(W) <= 1e-14 * abs(sums$total), 0, W)
    return(ifelse(S == 0, 0, (S / (k - 1)) / (W / (n - k))))
  }
  E <- 2 * S * sum(sums$s) / prod(sums$s)
  ifelse(E == 0, 0, E / (E + 2 * sums$within))
}
