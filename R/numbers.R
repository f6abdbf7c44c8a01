# Numbers: scaling by powers of two, so that sums of squares neither overflow nor underflow,
# weighted order statistics, sums by group.

# floor(log2(max |x|)), 0 for all zero
binary_exponent <- function(x) {
  range <- value_range(x)
  largest <- max(range[["largest"]], -range[["smallest"]])
  if (largest == 0) 0 else floor(log2(largest))
}

# Return c(smallest, largest, missing, infinite) in one pass without a copy.
value_range <- function(x) {
  out <- .Call(ffi_range, if (is.double(x)) x else as.double(x))
  names(out) <- c("smallest", "largest", "missing", "infinite")
  out
}

# Split 1..n into blocks of about `values` numbers, `of_each` for each index, so that interrupts
# are checked between them.
strips <- function(n, of_each, values = 1e6) {
  step <- max(1, floor(values / max(of_each, 1)))
  lapply(if (n > 0) seq(1, n, by = step), function(at) seq.int(at, min(at + step - 1, n)))
}

# f() of a vector, of a long one in strips, between which an interrupt is answered.
by_strips <- function(x, f, values = 1e6) {
  if (length(x) <= values) {
    return(f(x))
  }
  parts <- lapply(strips(length(x), 1, values), function(at) {
    check_interrupt()
    f(x[at])
  })
  unlist(parts, recursive = FALSE)
}

# Return TRUE if no number is missing or infinite.
all_finite <- function(x) {
  if (!is.double(x)) {
    return(!anyNA(x))
  }
  range <- value_range(x)
  range[["missing"]] + range[["infinite"]] == 0
}

check_interrupt <- function() {
  value_range(0)
  invisible()
}

# t(x) y and x y in blocks of rows, between which an interrupt is answered; in one for all but large ones.
product_rows <- function(n, each) {
  step <- max(1, floor(1e8 / each))
  lapply(seq(1, n, by = step), function(from) from:min(n, from + step - 1))
}

cross_rows <- function(x, y) {
  blocks <- product_rows(nrow(x), as.numeric(ncol(x)) * ncol(y))
  if (length(blocks) == 1L) {
    return(crossprod(x, y))
  }
  out <- 0
  for (rows in blocks) {
    check_interrupt()
    out <- out + crossprod(x[rows, , drop = FALSE], y[rows, , drop = FALSE])
  }
  out
}

times_rows <- function(x, y) {
  if (as.numeric(length(x)) * ncol(y) <= 1e8) {
    return(x %*% y)
  }
  blocks <- product_rows(nrow(x), as.numeric(ncol(x)) * ncol(y))
  do.call(rbind, lapply(blocks, function(rows) {
    check_interrupt()
    x[rows, , drop = FALSE] %*% y
  }))
}

# x * 2^e in steps that neither over- nor underflow by themselves
times_power_of_two <- function(x, e) {
  if (e == 0) {
    return(x)
  }
  half <- trunc(e / 2)
  x * 2^half * 2^(e - half)
}

# Return 0 for exponents within 400: squares and sums of such data stay in range.
scaling_exponent <- function(x) {
  e <- binary_exponent(x)
  if (abs(e) > 400) e else 0
}

# Return the value with half of the weight below it, or the mean of two if the weight lies between. Half is taken up to
# rounding of the sums, so that integer weights equal replicated values.
weighted_median <- function(x, w) {
  by_size <- order(x)
  share <- cumsum(w[by_size])
  half <- share[length(share)] / 2
  middle <- c(which(share >= half * (1 - 1e-12))[1L], which(share > half * (1 + 1e-12))[1L])
  mean(x[by_size[middle]])
}

# Return the median of the distances d of all pairs i < j of n observations with weights w, and
# of each observation to itself, so that a weight of 2 equals two rows.
median_distance <- function(d, n, w = NULL) {
  if (is.null(w)) {
    # n zeros, and every d twice, among n^2 pairs: half of them end with d number `rank`
    rank <- n * (n - 2) / 4
    at <- ceiling(rank)
    if (at > rank) {
      return(sort(d, partial = at)[at])
    }
    sorted <- sort(d, partial = c(if (at > 0) at, at + 1))
    return(mean(c(if (at > 0) sorted[at] else 0, sorted[at + 1])))
  }
  pairs <- as.vector(stats::as.dist(outer(w, w)))
  weighted_median(c(0, d), c(sum(w^2), 2 * pairs))
}

weighted_quantile <- function(x, p, w = NULL) {
  if (length(x) == 0L) {
    return(0)
  }
  if (is.null(w)) {
    return(unname(stats::quantile(x, p)))
  }
  by_size <- order(x)
  share <- cumsum(w[by_size])
  x[by_size][which(share >= p * share[length(share)])[1L]]
}

# At most `size` of some rows at random, in their order; without a random number if that is all of them.
draw_rows <- function(rows, size) {
  if (length(rows) <= size) {
    return(rows)
  }
  chosen <- logical(length(rows)) # sorting would take longer
  chosen[sample.int(length(rows), size)] <- TRUE
  rows[chosen]
}

# At most m of some rows, evenly spread.
evenly_spaced <- function(rows, m) {
  if (length(rows) <= m) rows else rows[round(seq(1, length(rows), length.out = m))]
}

# Return about m of some rows, the same each time: evenly spaced rows of every cluster, in proportion.
thinned_rows <- function(cluster, m, rows = seq_along(cluster)) {
  if (length(rows) <= m) {
    return(rows)
  }
  number <- length(rows)
  sort(unlist(lapply(split(rows, cluster[rows]), function(own) {
    evenly_spaced(own, max(1, round(m * as.numeric(length(own)) / number)))
  }), use.names = FALSE))
}

# Return `size` of more rows, one from each of as many parts of equal length in the order of their keys, so that they
# are a function of the data. The places in the parts follow the golden ratio, which has no period.
spaced_rows <- function(rows, key, size) {
  ends <- floor(seq(0, length(rows), length.out = size + 1L))
  place <- ends[-(size + 1L)] + floor(golden_fractions(size) * diff(ends)) + 1
  sort(rows[order(key[rows])[place]])
}

golden_fractions <- function(m) (seq_len(m) * 0.6180339887498949) %% 1

# A key of points: a combination of the columns that is the same for equal rows only, but for accidents.
point_key <- function(x) as.vector(x %*% (0.5 + golden_fractions(ncol(x))))

# Return the number of rows that weights represent: their sum if whole, else the number of positive ones.
row_count <- function(w) if (all(w == round(w))) sum(w) else sum(w > 0)

# Return the weighted mean and standard deviation, the latter with the divisor of scale(): the number of rows less 1,
# with weights s (1 - 1/number). Scaled, so that squares neither over- nor underflow.
weighted_moments <- function(x, w) {
  if (length(x) == 0L) {
    return(c(NA_real_, NA_real_))
  }
  unit <- power_near(max(abs(x)))
  x <- x / unit
  count <- row_count(w)
  w <- w / sum(w)
  mean <- sum(w * x)
  mean <- mean + sum(w * (x - mean))
  sd <- if (length(x) > 1L && count > 1) sqrt(sum(w * (x - mean)^2) / (1 - 1 / count)) else NA
  c(mean, sd) * unit
}

# Return list(center, sd, z, share): columns of mean 0 and standard deviation 1, and the shares of the rows.
scaled_columns <- function(x, w) {
  share <- w / sum(w)
  center <- colSums(share * x)
  z <- x - rep(center, each = nrow(x))
  sd <- sqrt(colSums(share * z^2))
  list(center = center, sd = sd, z = z / rep(ifelse(sd > 0, sd, Inf), each = nrow(x)), share = share)
}

few_most <- 5L # values of a column of few values: bench/few-values.md

# The different values of a vector, sorted, or NULL if they are more than `most`.
few_values <- function(v, most) {
  if (length(unique(utils::head(v, 20L * most))) <= most && length(values <- unique(v)) <= most) sort(values)
}

# Refuse values in true units that overflow; NA is an undefined value.
check_values_range <- function(values, call) {
  if (!all_finite(values) && any(is.infinite(values) | is.nan(values))) {
    abort_input(
      "range", call, "The dissimilarities are above the range of double precision numbers.",
      "They are of the order of 1e308 or more.", "Rescale `x`, for example divide it by `max(abs(x))`."
    )
  }
  invisible(values)
}

# Return a matrix with names of rows and columns, unless both are NULL.
named_matrix <- function(value, rows, columns) {
  if (!is.null(rows) || !is.null(columns)) dimnames(value) <- list(rows, columns)
  value
}

is_plain_vector <- function(x) is.numeric(x) && !is.object(x) && is.null(dim(x))

# A vector of numbers as a matrix of one column, of the same unit, or of one row; other values as they are.
one_column <- function(x) {
  if (!is_plain_vector(x)) {
    return(x)
  }
  structure(named_matrix(matrix(as.numeric(x), ncol = 1L), names(x), NULL), unit = attr(x, "unit", exact = TRUE))
}

one_row <- function(x) if (is_plain_vector(x)) named_matrix(matrix(x, nrow = 1L), NULL, names(x)) else x

# The least value of each row.
row_least <- function(x) do.call(pmin, lapply(seq_len(ncol(x)), function(j) x[, j]))

# Return the power of two below x > 0, within the range of doubles; 1 for 0.
power_near <- function(x) if (x == 0) 1 else 2^max(-1000, min(1000, floor(log2(x))))

# Sums of a vector, or of the columns of a matrix, over the groups 1..k; 0 for an empty group.
sum_by <- function(x, group, k) {
  sums <- rowsum(x, group, reorder = FALSE)
  out <- matrix(0, k, ncol(sums))
  out[as.integer(rownames(sums)), ] <- sums
  if (is.matrix(x)) out else out[, 1L]
}

# Weighted means of a vector, or of the columns of a matrix, of the groups 1..k.
group_means <- function(x, group, k, w = rep(1, length(group)), empty = NaN) {
  size <- sum_by(w, group, k)
  replace(sum_by(w * x, group, k) / size, size == 0, empty)
}

# Evaluate code that may draw random numbers, and restore the user's stream.
kept_stream <- function(code) {
  old <- globalenv()[[".Random.seed"]]
  kind <- RNGkind()
  on.exit({
    # without a seed R keeps the kind of the generator alone
    if (is.null(old)) suppressWarnings(do.call(RNGkind, as.list(kind)))
    set_stream(old)
  })
  code
}

# Set the state of R's generator; NULL: none was drawn from yet.
set_stream <- function(state) {
  if (!is.null(state)) {
    assign(".Random.seed", state, envir = globalenv())
  } else if (!is.null(globalenv()[[".Random.seed"]])) {
    rm(".Random.seed", envir = globalenv())
  }
}

# The adjusted Rand index of labels 1..k.
rand_of_labels <- function(a, b, k) {
  count <- as.numeric(tabulate(a + k * (b - 1), k^2))
  rand_of_table(
    list(n = length(a), count = count, row_sums = as.numeric(tabulate(a, k)), column_sums = as.numeric(tabulate(b, k)))
  )
}

rand_of_table <- function(table) {
  pairs <- function(counts) sum(counts * (counts - 1) / 2)
  in_truth <- pairs(table$row_sums)
  in_cluster <- pairs(table$column_sums)
  all_pairs <- pairs(table$n)
  # 0/0: both one group, or both all single observations, hence equal.
  if (in_truth == in_cluster && (in_truth == 0 || in_truth == all_pairs)) {
    return(1)
  }
  expected <- in_truth / all_pairs * in_cluster
  (pairs(table$count) - expected) / ((in_truth + in_cluster) / 2 - expected)
}
