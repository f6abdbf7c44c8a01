# print() and summary() of a fit: the clusters, whether the metric suits them, and how sure the optimum is.

#' @export
print.kgroups_fit <- function(x, digits = 7, ...) {
  check_fit(x)
  cat(within_width(c(format(x, digits = digits, ...), metric_text(x), alone_text(x))), sep = "\n")
  means <- fit_centers(x)
  if (!is.null(means)) {
    shown <- seq_len(min(ncol(means), most_means))
    cat(
      "Means", if (ncol(means) > most_means) sprintf(" of %d of %d columns", most_means, ncol(means)), ":\n", sep = ""
    )
    print(means[, shown, drop = FALSE], digits = min(digits, 4L))
    if (anyNA(means[, shown])) cat("NaN: all cells of the cluster are missing\n")
  }
  invisible(x)
}

# Columns of the means in a print, rows from which its line on the metric is computed, and the fall of W from which it
# stands.
most_means <- 8L
metric_rows <- 500L
metric_fall <- 0.25

# Return the line of the print on the metric if another one would lower W by a quarter or more; NULL if it suits, is
# learned or cannot be learned.
metric_text <- function(fit) {
  if (
    inherits(fit, c("kgroups_metric_fit", "kgroups_graph_fit")) || is.null(fit$kept$problem) || is.null(fit$blueprint)
  ) {
    return(NULL)
  }
  problem <- tryCatch(kept_problem(fit), kg_error = function(e) NULL) # data that were changed since
  if (NROW(problem$points) != fit$n || !is.null(no_metric(problem)) || !is.null(fit$blueprint$map)) {
    return(NULL)
  }
  fit <- observed_fit(fit)
  numbers <- problem$points[evenly_spaced(seq_len(problem$n), metric_rows), number_coordinates(
    problem$blueprint, ncol(problem$points)
  ), drop = FALSE]
  sd <- apply(numbers, 2L, stats::sd)
  sd <- sd[is.finite(sd) & sd > 0]
  if (length(sd) < 2L) {
    return(NULL)
  }
  share <- (sd / max(sd))^2 / sum((sd / max(sd))^2)
  given <- if (fit$blueprint$as_is) "columns as given" else "columns of sd 1"
  if (max(share) > 2 / 3) {
    name <- column_label(names(share), which.max(share))
    given <- sprintf("%s, %s %.0f %% of the variance", sub("columns ", "", given), shorten(name, 20L), 100 * max(share))
  }
  few <- 3 * length(sd) * fit$k > nrow(numbers)
  suits <- if (few) NULL else sphericity(problem, unname(fit$cluster), fit$k, metric_rows %/% fit$k)
  if (!is.null(suits) && suits <= 1 - metric_fall) {
    sprintf("Metric: %s; \"within\" would lower W by %.0f %%", given, 100 * (1 - suits))
  } else if (is.null(suits) && fit$blueprint$as_is && exp(mean(log(share))) * length(share) < (1 - metric_fall)^2) {
    sprintf("Metric: %s; try standardize = TRUE", given)
  }
}

# Return the line of the print on the first of several columns that alone gives all clusters, or some of them.
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
  most <- which.max(lengths(given))
  many <- length(given[[most]])
  if (many > 0L) {
    of <- if (many == fit$k) "the clusters" else sprintf("cluster%s %s", plural(many), in_words(given[[most]]))
    sprintf(
      "Column %s (%d values) alone gives %s", shorten(columns[[most]]$label, 20L),
      sum(!is.na(unique(columns[[most]]$values))), of
    )
  }
}

# ---- means of columns ----

# Return weighted means of numbers, dates and times in the data by cluster, named by their columns.
cluster_means <- function(x) {
  data <- x$data
  if (is.null(x$blueprint) || !identical(nrow(data), as.integer(x$n)) || inherits(data, "integer64")) {
    return(NULL)
  }
  columns <- Filter(function(column) !column$type %in% c("ordered", "categories"), read_table(data, "data")$columns)
  weight <- x$weights %||% rep(1, x$n)
  means <- lapply(columns, function(column) {
    seen <- !is.na(column$values)
    total <- sum_by(weight * ifelse(seen, column$values, 0), x$cluster, x$k)
    as_column_type(total / sum_by(weight * seen, x$cluster, x$k), column)
  })
  if (length(means)) stats::setNames(means, all_different(shorten(result_names(columns), most_drawn)))
}

line_label <- function(fit) {
  given <- fit$call$x
  text <- if (is.language(given)) deparse_short(given) else "x"
  if (nchar(text) > 30L) "x" else text # data in the call
}

# Return the k x p weighted means of the columns of numbers, NULL if there are none.
fit_centers <- function(fit) {
  if (inherits(fit, "kgroups_graph_fit")) {
    return(NULL)
  }
  if (is.null(dim(fit$data)) && is.numeric(fit$data)) {
    fit["data"] <- list(matrix(fit$data, dimnames = list(NULL, line_label(fit))))
  }
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
  out$sphericity <- fit_sphericity(object)
  out$halves <- half_fits(object)$agreement
  out$learned <- fit_learned(object)
  out$advice <- c(
    convergence_advice(object), start_advice(out), metric_advice(out$sphericity), learned_advice(out$learned)
  )
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

# As sphericity() has it; NULL for a learned metric, and without the rows.
fit_sphericity <- function(fit) {
  if (inherits(fit, c("kgroups_metric_fit", "kgroups_graph_fit")) || is.null(fit$kept$problem)) {
    return(NULL)
  }
  sphericity(kept_problem(fit), unname(fit$cluster), fit$k)
}

# Return the fall of log W from one cluster to k in a learned metric, c(fit, normal): of the fit, and of a normal sample
# with as many rows and columns, on which alone it depends; where they are close, of the mean of two. NULL for other
# fits, and for many rows.
fit_learned <- function(fit) {
  plain <- identical(setdiff(class(fit), "kgroups_mixture"), c("kgroups_metric_fit", "kgroups_fit"))
  if (!plain || fit$k == 1L || fit$semimetric$family != "power" || has_few_rows(fit) || is.null(fit$kept$problem)) {
    return(NULL)
  }
  problem <- kept_problem(fit)
  inside <- inside_rows(problem)
  at <- learned_coordinates(fit$blueprint)
  n <- round(row_count(problem$w[inside] * problem$w_unit))
  if (length(at) < 2L || has_categories(problem) || n > metric_defaults$rows || fit$W <= 0) {
    return(NULL)
  }
  W <- function(x, k, weights = NULL) {
    suppressMessages(kgroups(x, k, standardize = "within", semimetric = fit$semimetric, weights = weights))$W
  }
  fall <- log(W(unname(problem$points[inside, at, drop = FALSE]), 1L, problem$w[inside]) / fit$W)
  of_normal <- function() {
    x <- matrix(stats::rnorm(n * as.numeric(length(at))), n)
    log(W(x, 1L) / W(x, fit$k))
  }
  kept_stream({
    set_stream(half_stream)
    normal <- of_normal()
    if (fall < 1.25 * normal) normal <- (normal + of_normal()) / 2 # standard deviation of a sample: at most 7 %
    c(fit = fall, normal = normal)
  })
}

learned_advice <- function(learned) {
  if (!is.null(learned) && learned[["fit"]] <= learned[["normal"]]) {
    paste(
      "W falls no more than in a normal sample of one cluster: the metric shows no clusters.",
      "Compare standardize = TRUE."
    )
  }
}

# Below this sphericity another metric is proposed; bench/learned.md, section Hints.
least_sphericity <- 0.9

metric_advice <- function(sphericity) {
  if (isTRUE(sphericity < least_sphericity)) {
    paste0(
      "Clusters are wider in some directions than in others: a metric fitted to their shape, of the same volume, ",
      "would lower W by ", round(100 * (1 - sphericity)), " %. Use standardize = \"within\" to learn one."
    )
  }
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
    many <- as.integer(c(search$attained, search$members))
    found <- "%d of %d candidate partitions of the search have the least %s: %s"
    return(if (many[2L] > 1L) sprintf(found, many[1L], many[2L], objective, how))
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
  print(
    x$clusters[if (graph) c("cluster", "size", "weight") else names(x$clusters)], digits = digits, row.names = FALSE
  )
  if (!is.null(x$halves)) {
    cat(sprintf("\nFits of two halves agree to %.2f (adjusted Rand index)\n", x$halves))
  } else if (x$fit$k > 1L && !graph && !is.null(x$fit$kept$problem)) {
    cat("\nHalves of the rows are too few for such a fit: no agreement is computed\n")
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
