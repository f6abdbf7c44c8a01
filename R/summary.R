# print() and summary() of a fit: the clusters, columns that alone give them, and how sure the optimum is.

#' @export
print.kgroups_fit <- function(x, digits = 7, ...) {
  check_fit(x)
  cat(within_width(c(format(x, digits = digits, ...), alone_text(x))), sep = "\n")
  table <- means_table(x, min(digits, 4L))
  if (!is.null(table)) {
    cat(table$title, ":\n", sep = "")
    print(table$text, quote = FALSE, right = TRUE)
    if (any(trimws(table$text) == "NaN")) cat("NaN: all cells of the cluster are missing\n")
  }
  invisible(x)
}

# Columns of the means in a print.
most_means <- 8L

# The clusters that a print shows: all, or the largest.
shown_clusters <- function(sizes) sort(utils::head(order(-sizes), most_sizes))

# Return list(title, text): means of numbers and dates and the commonest categories, by cluster. Of many columns
# those that separate a cluster most from the rest stand first. NULL without columns.
means_table <- function(fit, digits) {
  columns <- clustered_columns(fit)
  if (is.null(columns)) {
    return(NULL)
  }
  names <- all_different(shorten(result_names(columns), most_drawn))
  fit <- observed_fit(fit)
  weight <- fit$weights %||% rep(1, fit$n)
  shown <- seq_along(columns)
  if (length(columns) > most_means) {
    apart <- vapply(columns, column_separation, 0, code = unname(fit$cluster), k = fit$k, w = weight)
    shown <- utils::head(order(-apart), most_means)
  }
  rows <- shown_clusters(fit$sizes)
  text <- vapply(columns[shown], function(column) {
    if (column$type == "categories") {
      commonest_text(column, fit$cluster, fit$k, weight)[rows]
    } else {
      mean_text(column_means(column, fit$cluster, fit$k, weight)[rows], column, digits)
    }
  }, character(length(rows)))
  of <- c(
    if (length(columns) > most_means) sprintf("the %d of %d columns that separate most", most_means, length(columns)),
    if (fit$k > most_sizes) sprintf("the %d largest of %d clusters", most_sizes, fit$k)
  )
  list(
    title = paste(c("Means", if (length(of)) paste("of", paste(of, collapse = ", "))), collapse = " "),
    text = matrix(text, length(rows), dimnames = list(rows, names[shown]))
  )
}

# Return the means with the digits in which they differ: `digits` - 1 of their range, at least 7 of large numbers.
mean_text <- function(means, column, digits) {
  value <- as_column_type(means, column)
  if (column$type == "date") {
    return(format(value))
  }
  if (column$type == "time") {
    return(format(value, "%Y-%m-%d %H:%M"))
  }
  known <- means[is.finite(means)]
  if (length(known) == 0L) {
    return(format(means))
  }
  size <- floor(log10(max(abs(known), .Machine$double.xmin)))
  spread <- diff(range(known))
  places <- if (spread > 0) digits - 2 - floor(log10(spread)) else digits - 1 - size
  format(round(means, min(max(places, min(0, 6 - size)), 14 - size)), digits = 15L)
}

# Return the commonest category of each cluster and its share.
commonest_text <- function(column, cluster, k, weight) {
  size <- length(column$levels)
  seen <- !is.na(column$values)
  code <- column$values[seen] + size * (unname(cluster)[seen] - 1)
  shares <- matrix(sum_by(weight[seen], code, k * as.numeric(size)), size)
  most <- max.col(t(shares), ties.method = "first")
  share <- shares[cbind(most, seq_len(k))] / colSums(shares)
  ifelse(is.na(share), "-", sprintf("%s %.0f%%", shorten(column$levels[most], 20L), 100 * share))
}

# Return a line for the columns each of which alone gives all clusters, or the same ones of them.
alone_text <- function(fit) {
  fit <- observed_fit(fit)
  if (is.null(fit$blueprint) || fit$k == 1L || !identical(nrow(fit$data), as.integer(fit$n))) {
    return(NULL)
  }
  columns <- read_table(fit$data, "data")$columns
  # points of a table with categories have other columns
  if (length(columns) == fit$blueprint$width) columns <- columns[places_of(used_columns(fit$blueprint))]
  if (length(columns) < 2L) {
    return(NULL)
  }
  cluster <- unname(fit$cluster)
  if (!is.null(fit$noise)) cluster[fit$noise] <- NA
  given <- lapply(columns, function(column) given_clusters(column$values, cluster, fit$k))
  columns <- columns[lengths(given) > 0L]
  clusters <- vapply(given[lengths(given) > 0L], function(one) {
    if (length(one) == fit$k) "the clusters" else sprintf("cluster%s %s", plural(length(one)), in_words(one))
  }, "")
  if (length(columns) == 0L) {
    return(NULL)
  }
  labels <- vapply(columns, function(column) shorten(column$label, 20L), "")
  values <- vapply(columns, function(column) sum(!is.na(unique(column$values))), 0L)
  same <- split(seq_along(columns), factor(clusters, unique(clusters)))
  if (length(same) > 2L) {
    parts <- sprintf("%s (%s)", names(same), vapply(same, function(at) first_of(labels[at], 1L), ""))
    return(paste("Single columns of few values alone give", in_words(parts)))
  }
  named <- sprintf("%s (%d values)", labels, values)
  start <- ifelse(lengths(same) > 1L, "Each of columns", "Column")
  sprintf("%s %s alone gives %s", start, vapply(same, function(at) first_of(named[at], 4L), ""), names(same))
}

# ---- means of columns ----

# Return the columns of the data of a fit, NULL for dissimilarities and where the data are not kept.
clustered_columns <- function(fit) {
  data <- fit$data
  if (is.null(dim(data)) && is.numeric(data) && !is.object(data)) {
    data <- data.frame(with_unit(as.vector(data), fit$blueprint$unit))
    names(data) <- line_label(fit)
  }
  if (!is.null(fit$blueprint) && identical(nrow(data), as.integer(fit$n))) {
    # categories that are missing or different in all rows describe no cluster
    describes <- function(column) column$type != "categories" || length(column$levels) %in% seq_len(fit$n - 1L)
    Filter(describes, read_table(data, "data")$columns)
  }
}

# Return weighted means of numbers, dates and times in the data by cluster, named by their columns.
cluster_means <- function(x) {
  columns <- Filter(function(column) !column$type %in% c("ordered", "categories"), clustered_columns(x))
  weight <- x$weights %||% rep(1, x$n)
  means <- lapply(columns, function(column) as_column_type(column_means(column, x$cluster, x$k, weight), column))
  if (length(means)) stats::setNames(means, all_different(shorten(result_names(columns), most_drawn)))
}

column_means <- function(column, cluster, k, weight) {
  seen <- !is.na(column$values)
  group_means(ifelse(seen, column$values, 0), cluster, k, weight * seen)
}

# ---- how far a column separates each cluster from the rest: the coefficients of describe_clusters() ----

# The rows of one variable: a list for the table, and one for the shares of categories.
describe_variable <- function(column, variable, code, k, w) {
  seen <- !is.na(column$values) & w > 0
  x <- column$values[seen]
  code <- code[seen]
  w <- w[seen]
  row <- vctrs::data_frame(
    variable = variable, cluster = seq_len(k), type = column$type, coefficient = NA_real_, level = NA_character_,
    inside = NA_real_, outside = NA_real_, sd_inside = NA_real_, sd_outside = NA_real_
  )
  if (column$type != "categories") {
    row$coefficient <- number_coefficients(x, code, k, w)
    row[6:9] <- inside_and_outside(x, code, k, w)
    return(list(row = row))
  }
  size <- length(column$levels)
  if (size == 0L) {
    return(list(row = row))
  }
  counts <- matrix(sum_by(w, (x - 1L) * k + code, k * size), k)
  s <- rowSums(counts)
  inside <- counts / s
  outside <- t(colSums(counts) - t(counts)) / (sum(s) - s)
  row$coefficient <- share_coefficients(inside, outside)
  far <- replace(inside - outside, is.na(inside - outside), 0)
  most <- cbind(seq_len(k), max.col(abs(far), ties.method = "first"))
  known <- !is.na(row$coefficient)
  row$level[known] <- column$levels[most[known, 2L]]
  row$inside <- inside[most]
  row$outside <- outside[most]
  shares <- vctrs::data_frame(
    variable = variable, cluster = rep(seq_len(k), size), coefficient = rep(row$coefficient, size),
    level = rep(column$levels, each = k), inside = as.vector(inside), outside = as.vector(outside)
  )
  list(row = row, shares = shares)
}

# E|X - Y| of a cluster and the rest from sums over the cluster and all (A) and within it (B): with
# s and r the weights of both, (A - B)/(s r), B/s^2 and (T - 2 A + B)/r^2 for the rest.
number_coefficients <- function(x, code, k, w) {
  if (length(x) == 0L) {
    return(rep(NA_real_, k))
  }
  by_size <- order(x)
  code <- code[by_size]
  w <- w[by_size] / max(w)
  x <- about_middle(x[by_size])
  A <- sum_by(w * weighted_distance_sums(x, w), code, k)
  B <- s <- numeric(k)
  members <- split(seq_along(x), factor(code, seq_len(k)))
  for (l in seq_len(k)) {
    m <- members[[l]]
    B[l] <- sum(w[m] * weighted_distance_sums(x[m], w[m]))
    s[l] <- sum(w[m])
  }
  r <- sum(s) - s
  # rounding must not leave a weight outside a cluster that has all rows
  r[lengths(members) == length(x)] <- 0
  between <- (A - B) / s / r
  out <- 1 - (B / s^2 + (sum(A) - 2 * A + B) / r^2) / (2 * between)
  out[between <= 0] <- 0
  out[s == 0 | r == 0] <- NA
  pmin(pmax(out, 0), 1)
}

# Ascending values in a unit near their size, about their middle.
about_middle <- function(x) {
  x <- x / power_near(max(abs(x)))
  x - x[(length(x) + 1L) %/% 2L]
}

# The largest coefficient of a column among the clusters, 0 where none is known.
column_separation <- function(column, code, k, w) {
  max(0, describe_variable(column, column$label, code, k, w)$row$coefficient, na.rm = TRUE)
}

# Rows of the two matrices are clusters, columns levels.
share_coefficients <- function(inside, outside) {
  between <- 1 - rowSums(inside * outside)
  out <- rowSums((inside - outside)^2) / (2 * between)
  out[!is.na(between) & between <= 0] <- 0
  pmin(out, 1)
}

inside_and_outside <- function(x, code, k, w) {
  out <- vapply(seq_len(k), function(l) {
    inside <- weighted_moments(x[code == l], w[code == l])
    outside <- weighted_moments(x[code != l], w[code != l])
    c(inside[1L], outside[1L], inside[2L], outside[2L])
  }, numeric(4))
  lapply(1:4, function(j) out[j, ])
}

# ---- centers and summary ----

line_label <- function(fit) {
  given <- fit$call$x
  text <- if (is.language(given)) deparse_short(given) else "x"
  if (nchar(text) > 30L) "x" else text # data in the call
}

# Return the k x p weighted means of the columns of numbers, NULL if there are none.
fit_centers <- function(fit) {
  means <- cluster_means(observed_fit(fit))
  if (!is.null(means)) {
    matrix(unlist(lapply(means, as.numeric)), fit$k, dimnames = list(seq_len(fit$k), names(means)))
  }
}

#' @rdname fit-methods
#' @export
summary.kgroups_fit <- function(object, ...) {
  whole <- object
  object <- observed_fit(object)
  weights <- object$weights %||% rep(1, object$n)
  weight <- sum_by(weights, object$cluster, object$k)
  out <- list(
    fit = whole,
    clusters = data.frame(
      cluster = seq_len(object$k), size = object$sizes, weight = weight,
      within = object$within, half_mean = ifelse(weight > 0, object$within / weight, NA)
    ),
    starts = start_spread(object$objectives)
  )
  if (is_connected(object$semimetric)) {
    out$clusters$separated_by <- ifelse(separated_by_gaps(object), "gap", "distance")
  }
  out$halves <- half_fits(object)$agreement
  out$one_cluster <- one_cluster_of(object)$p
  out$advice <- c(convergence_advice(object), start_advice(out))
  structure(out, class = "summary.kgroups_fit")
}

start_spread <- function(W) {
  least <- min(W)
  found <- sum(attains(W))
  list(
    number = length(W), least = least, median = stats::median(W), largest = max(W),
    spread = if (isTRUE(found == length(W))) 0 else (max(W) - least) / abs(least), found = found
  )
}

convergence_advice <- function(fit) {
  if (isTRUE(fit$converged)) {
    return(NULL)
  }
  fall <- fit$last_fall
  if (fit$method == "lloyd" && !is.null(fall) && fall < 0) {
    return(paste(
      "Stopped because W rose, which happens only where the semimetric is not of negative type.",
      "Use method = \"hartigan\", or make_negative_type()."
    ))
  }
  share <- if (!is.null(fall) && fit$W > 0) sprintf(" (%s %%)", format(100 * fall / (fit$W + fall), digits = 2))
  fell <- if (!is.null(fall)) paste0(": the last one still lowered W by ", format(fall, digits = 3), share)
  paste0("Not converged after ", fit$iterations, " sweep", plural(fit$iterations), fell, ". Raise iter.max.")
}

start_advice <- function(x) {
  fit <- x$fit
  starts <- x$starts
  search <- fit$search
  objective <- if (inherits(fit, "kgroups_graph_fit")) "objective" else "W"
  if (fit$method == "exact" || fit$k == 1L || anyNA(fit$objectives)) {
    return(NULL)
  }
  if (!is.null(search)) {
    unlikely <- 2 * search$attained >= search$members
    how <- if (unlikely) "a lower one is unlikely." else "there may be a lower one. Use effort = 4 for a longer search."
    members <- as.integer(search$members)
    # moves and perturbation of the best went below all of them
    found <- if (search$attained == 0) {
      sprintf("The search ended below all %d candidate partitions", members)
    } else {
      reached <- "%d of %d candidate partitions of the search attained the least %s"
      sprintf(reached, as.integer(search$attained), members, objective)
    }
    return(if (members > 1L) paste0(found, ": ", how))
  }
  raise <- paste0("Raise nstart", if (fit$init != "search") ", or leave init out for the search", ".")
  if (starts$number == 1L) {
    if (!fit$init %in% c("search", "labels")) paste("One start gives no information about other optima.", raise)
  } else if (starts$found == starts$number) {
    sprintf("All starts attained the same %s: more of them are unlikely to find a lower one.", objective)
  } else if (starts$found == 1L) {
    sprintf("Only one start attained the least %s: another may be lower still. %s", objective, raise)
  } else if (2 * starts$found < starts$number) {
    many <- sprintf("%d of %d starts", starts$found, starts$number)
    sprintf("%s attained the least %s: there may be a lower one. %s", many, objective, raise)
  }
}

#' @export
print.summary.kgroups_fit <- function(x, digits = 5, ...) {
  print(x$fit)
  cat("\n")
  # the dispersions of a graph are those of its matrix, which is no kernel
  graph <- inherits(x$fit, "kgroups_graph_fit")
  shown <- shown_clusters(x$clusters$size)
  if (x$fit$k > most_sizes) cat("The ", most_sizes, " largest of ", x$fit$k, " clusters:\n", sep = "")
  print(
    x$clusters[shown, if (graph) c("cluster", "size", "weight") else names(x$clusters)],
    digits = digits, row.names = FALSE
  )
  if (!is.null(x$halves)) {
    cat(sprintf("\nFits of two halves agree with these clusters to %.2f (adjusted Rand index)\n", two_digits(x$halves)))
  } else if (x$fit$k > 1L && !graph && !is.null(x$fit$kept$problem)) {
    cat("\nHalves of the rows are too few for such a fit: no agreement is computed\n")
  }
  if (!is.null(x$one_cluster)) {
    p <- p_text(x$one_cluster)
    cat("One cluster is ", if (x$one_cluster > 0.05) "not ", "rejected, ", p, " (see ?cluster_test)\n", sep = "")
  }
  starts <- x$starts
  if (starts$number > 1L && is.null(x$fit$search) && !graph) {
    apart <- if (starts$spread > 0 && is.finite(starts$spread)) {
      sprintf(" (%s %% apart)", format(100 * starts$spread, digits = 2))
    }
    cat(
      "\nW over ", starts$number, " starts: ", format(starts$least, digits = 7), " to ",
      format(starts$largest, digits = 7), apart, "; the least was attained by ", starts$found, "\n", sep = ""
    )
  } else if (length(x$advice)) {
    cat("\n")
  }
  for (text in x$advice) cat(strwrap(text, prefix = "  ", initial = "* "), sep = "\n")
  invisible(x)
}
