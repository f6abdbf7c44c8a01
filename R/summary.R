# print() and summary() of a fit: the clusters, columns that alone give them, and how sure the optimum is.

#' @export
print.kgroups_fit <- function(x, digits = 7, ...) {
  check_fit(x)
  cat(within_width(c(format(x, digits = digits, ...), alone_text(x))), sep = "\n")
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

# Columns of the means in a print.
most_means <- 8L

# Return a line for each of several columns that alone gives all clusters, or some of them.
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
  unlist(lapply(columns, function(column) {
    given <- given_clusters(column$values, cluster, fit$k)
    if (length(given)) {
      of <- if (length(given) == fit$k) {
        "the clusters"
      } else {
        sprintf("cluster%s %s", plural(length(given)), in_words(given))
      }
      values <- sum(!is.na(unique(column$values)))
      sprintf("Column %s (%d values) alone gives %s", shorten(column$label, 20L), values, of)
    }
  }))
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
  out$halves <- half_fits(object)$agreement
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
    cat(sprintf("\nFits of two halves agree with these clusters to %.2f (adjusted Rand index)\n", x$halves))
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
