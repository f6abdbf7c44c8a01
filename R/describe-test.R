# Which variables differ between given groups: one set of permutations for all columns, and p-values adjusted by the
# maximum.

# T_j = S/(W + S) of column j, of numbers with |x - y|, of categories with 1{x != y}, without its missing rows. z_jp is
# T_jp less its mean over the permutations, over their standard deviation, and p_j the share of permutations whose
# largest z attains z_j of the data (Westfall and Young 1993). The observed labels count as one of them, so that the
# test is exact.
test_columns <- function(columns, labels, R) {
  kept <- vapply(columns, function(column) any(!is.na(column$values)), NA)
  share <- matrix(0, ncol(labels), length(columns))
  for (j in which(kept)) {
    check_interrupt()
    share[, j] <- if (columns[[j]]$type == "categories") {
      shares_of_levels(columns[[j]], labels)
    } else {
      shares_on_line(columns[[j]]$values, labels)
    }
  }
  centred <- share - rep(colMeans(share), each = nrow(share))
  sd <- sqrt(colMeans(centred^2))
  z <- centred / rep(ifelse(sd > 1e-12, sd, Inf), each = nrow(share))
  largest <- z[cbind(seq_len(nrow(z)), max.col(z, ties.method = "first"))]
  adjusted <- vapply(z[1L, ], function(value) mean(largest >= value - 1e-9), 0)
  own <- vapply(seq_len(ncol(share)), function(j) mean(share[, j] >= share[1L, j] - 1e-12), 0)
  rank <- floor(0.05 * length(largest))
  bound <- colMeans(share) + sd * if (rank > 0) sort(largest, decreasing = TRUE)[rank] else NA
  list(
    share = share[1L, ], p.value = ifelse(sd > 1e-12, own, 1), adjusted = ifelse(sd > 1e-12, adjusted, 1),
    bound = ifelse(sd > 1e-12, bound, NA), z = z[1L, ], largest = largest
  )
}

shares_on_line <- function(x, labels) {
  order <- order(x, na.last = NA)
  x <- about_middle(x[order])
  k <- max(labels)
  W <- colSums(.Call(ffi_line, as.double(x), order, labels, seq_len(k), NULL)[seq_len(k), , drop = FALSE])
  total <- .Call(ffi_line, as.double(x), order, labels[, 1L, drop = FALSE], rep(1L, k), NULL)[1L]
  if (total > 0) 1 - W / total else numeric(ncol(labels))
}

# Ascending values in a unit near their size, about their middle.
about_middle <- function(x) {
  x <- x / power_near(max(abs(x)))
  x - x[(length(x) + 1L) %/% 2L]
}

# W = sum_l [s_l - sum_b n_lb^2 / s_l] / 2 over groups l and levels b.
shares_of_levels <- function(column, labels) {
  seen <- which(!is.na(column$values))
  labels <- labels[seen, , drop = FALSE]
  levels <- column$values[seen]
  size <- tabulate(levels)
  total <- length(seen) - sum(size^2) / length(seen)
  if (!(total > 0)) {
    return(numeric(ncol(labels)))
  }
  used <- which(size > 0)
  Z <- Matrix::fac2sparse(factor(levels))
  within <- 0
  for (l in seq_len(max(labels))) {
    counts <- as.matrix(Z %*% (labels == l))
    s <- colSums(counts)
    within <- within + ifelse(s > 0, s - colSums(counts^2) / s, 0)
  }
  1 - within / total
}

# The labels of the groups and R permutations as columns, of whole units, within strata.
described_labels <- function(cluster, units, strata, R, call) {
  n <- length(cluster)
  units <- check_whole_units(
    units, c(list(fit = cluster), if (!is.null(strata)) list(strata = check_labels(strata, n, "strata", call))), n,
    seq_len(n), call
  )
  code <- if (is.null(units)) seq_len(n) else units$code
  first <- match(seq_len(max(code)), code)
  labels <- as.integer(cluster)[first]
  parts <- exchangeable(strata[first], labels, "strata", call)
  columns <- all_arrangements(labels, parts, R)
  if (is.null(columns)) columns <- label_columns(labels, parts, R)
  columns[code, , drop = FALSE]
}

# p-values of clusters that were found from the same columns mean nothing.
refuse_found_clusters <- function(fit, data, call) {
  named <- inherits(fit, "kgroups_fit") && !is.null(colnames(fit$data)) && !is.null(colnames(data))
  if (!is_clustering(fit) || named && !any(colnames(data) %in% colnames(fit$data))) {
    return(invisible())
  }
  abort_input(
    "test", call, "`test = TRUE` is for groups that were not found from the same columns.",
    "Clusters differ in the columns that made them by construction, so p-values have no level.",
    "Describe them without a test, or test columns that took no part in the clustering."
  )
}

# The message of the tests, of labels that may be clusters of the same rows.
inform_found_labels <- function(data, labels) {
  problem <- tryCatch(suppressWarnings(suppressMessages(as_problem(make_points(data)))), kg_error = function(e) NULL)
  if (!is.null(problem)) warn_found_groups(labels, problem, labels, inform_group_column(data, labels))
}

variable_tests <- function(table, cluster, units, strata, R, w, call) {
  R <- check_count(R, "R", 1, 1e7, call = call)
  if (any(w != w[1L])) {
    abort_input(
      "weights", call, "`weights` goes without `test = TRUE`.", "You supplied different weights.",
      "Leave them out, or leave out rows."
    )
  }
  if (length(attr(cluster, "levels")) < 2L) {
    abort_input(
      "fit", call, "A test needs at least two groups.", "All rows have the same label.", "Use one label for each group."
    )
  }
  check_memory(8 * (R + 1) * as.numeric(table$n), table$n, "the permutations of the labels", call = call)
  found <- test_columns(table$columns, described_labels(cluster, units, strata, R, call), R)
  data.frame(share = found$share, bound = found$bound, p.value = found$p.value, p.adjusted = found$adjusted)
}

# The variables of the least adjusted p.
tests_text <- function(tests, n) {
  shown <- utils::head(tests[order(tests$p.adjusted, -tests$share), ], n)
  few <- sum(tests$p.adjusted <= 0.05)
  columns <- cbind(
    c("variable", shown$variable), c("share", format(round(shown$share, 3), nsmall = 3)),
    c("p", format(shown$p.value, digits = 2)),
    c("adjusted", format(shown$p.adjusted, digits = 2))
  )
  c(
    sprintf("%d of %d variables differ between the groups at .05, adjusted for all:", few, nrow(tests)),
    aligned(columns)
  )
}

# The lines of a matrix of text, its columns of one width.
aligned <- function(text) sub(" +$", "", paste0("  ", apply(apply(text, 2L, format), 1L, paste, collapse = "  ")))
