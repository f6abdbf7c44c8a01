# Permutations of labels: all arrangements of few, or random ones, within strata.

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
  out <- matrix(values[1L], n, ncol(places) * ncol(rest))
  for (j in seq_len(ncol(places))) {
    out[-places[, j], (j - 1L) * ncol(rest) + seq_len(ncol(rest))] <- rest
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

# The labels and R random permutations of them as columns.
label_columns <- function(labels, strata, R) {
  cbind(labels, vapply(seq_len(R), function(r) permute_labels(labels, strata), labels), deparse.level = 0)
}
