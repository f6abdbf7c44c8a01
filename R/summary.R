# summary() of a fit: the clusters, and how sure the optimum is.

#' @rdname fit-methods
#' @export
summary.kgroups_fit <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  weights <- object$weights %||% rep(1, object$n)
  weight <- sum_by(weights, object$cluster, object$k)
  out <- list(
    fit = object,
    clusters = data.frame(
      cluster = seq_len(object$k), size = object$sizes, weight = weight,
      within = object$within, mean = ifelse(weight > 0, object$within / weight, NA)
    ),
    starts = start_spread(object$objectives),
    moving = if (!isTRUE(object$converged)) still_moving(object)
  )
  if (is_connected(object$semimetric)) {
    out$clusters$rests_on <- ifelse(rests_on_gaps(object), "a gap", "distance")
  }
  out$advice <- summary_advice(out)
  structure(out, class = "summary.kgroups_fit")
}

start_spread <- function(W) {
  least <- min(W)
  largest <- max(W)
  found <- sum(W <= least + 1e-8 * abs(least))
  list(
    number = length(W), least = least, median = stats::median(W), largest = largest,
    spread = if (isTRUE(found == length(W))) 0 else (largest - least) / abs(least),
    found = found
  )
}

# Return the observations that would still move, and the decrease of W by each move alone. NULL if
# the fit keeps no pairwise dissimilarities.
still_moving <- function(fit) {
  problem <- fit$kept$problem
  if (is.null(problem) || !is.null(fit$kept$map) || !has_pairs(problem) || fit$k < 2L) {
    return(NULL)
  }
  geometry <- fit_geometry(fit)
  n <- fit$n
  own <- cbind(seq_len(n), unname(fit$cluster))
  w <- geometry$w
  s <- geometry$s
  gain <- if (fit$method == "lloyd") {
    geometry$d2[own] - geometry$d2
  } else {
    leave <- s[fit$cluster] / (s[fit$cluster] - w) * geometry$d2[own]
    leave - t(s / (s + t(outer(w, rep(1, fit$k)))) * t(geometry$d2))
  }
  gain <- w * gain
  if (!is.null(fit$size_term)) gain <- size_gain(fit, gain, w, s)
  gain[own] <- -Inf
  gain[!is.finite(gain)] <- -Inf
  keep <- if (is.null(fit$size_term)) 1L else 2L
  stays <- w == 0 | tabulate(fit$cluster[w > 0], fit$k)[fit$cluster] <= keep
  to <- max.col(gain, ties.method = "first")
  best <- gain[cbind(seq_len(n), to)]
  moving <- which(!stays & best > 1e-10 * abs(fit$total) / n)
  moving <- moving[order(-best[moving])]
  name <- names(fit$cluster)
  data.frame(
    observation = if (is.null(name)) as.character(moving) else name[moving],
    from = unname(fit$cluster)[moving], to = to[moving], fall = best[moving],
    stringsAsFactors = FALSE
  )
}

# The same for Phi, for fits with the size term; `gain` is the decrease of W.
size_gain <- function(fit, gain, w, s) {
  if (!is.finite(fit$size_term$dimension)) {
    return(gain)
  }
  h <- function(u) ifelse(u > 0, u * log(pmax(u, .Machine$double.xmin)), 0)
  from <- s[fit$cluster]
  into <- outer(w, s, "+")
  sizes <- h(pmax(from - w, 0)) - h(from) + h(into) - rep(h(s), each = length(w))
  sizes - sum(s) * fit$size_term$dimension / 2 * log1p(pmax(-gain / fit$W, -1 + 1e-12))
}

summary_advice <- function(x) {
  c(convergence_advice(x), start_advice(x))
}

convergence_advice <- function(x) {
  fit <- x$fit
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
  fell <- if (!is.null(fall) && is.null(fit$size_term)) {
    share <- if (fit$W > 0) sprintf(" (%s %%)", format(100 * fall / (fit$W + fall), digits = 2))
    paste0(" the last one still lowered W by ", format(fall, digits = 3), share, ".")
  }
  moving <- x$moving
  many <- if (!is.null(moving)) nrow(moving)
  who <- if (!is.null(many) && many > 0L) {
    sprintf(
      " %d observation%s would still move%s %s.", many, plural(many),
      if (many > 5L) ", first of all" else ":",
      paste(utils::head(moving$observation, 5L), collapse = ", ")
    )
  } else if (!is.null(many)) {
    " No single move helps now, so one more sweep will do."
  }
  paste0(
    "Not converged after ", fit$iterations, " sweep", plural(fit$iterations), if (is.null(fell)) "." else ":",
    fell, who, " Raise iter.max."
  )
}

start_advice <- function(x) {
  starts <- x$starts
  fit <- x$fit
  if (fit$method == "exact" || fit$k == 1L || anyNA(fit$objectives)) {
    return(NULL)
  }
  objective <- if (is.null(fit$size_term)) "W" else "Phi"
  if (!is.null(fit$search)) {
    return(search_advice(fit$search))
  }
  if (starts$number == 1L) {
    if (fit$init %in% c("search", "labels")) {
      return(NULL)
    }
    return(paste(
      "One start gives no information about other optima.",
      "Raise nstart, or leave init out for the search."
    ))
  }
  if (starts$found == starts$number) {
    return(paste0("All starts attained the same ", objective, ": more of them are unlikely to find a lower one."))
  }
  if (starts$found > 1L) {
    return(NULL)
  }
  paste0(
    "Only one start attained the least ", objective, ": another may be lower still. Raise nstart",
    if (fit$init != "search") ", or leave init out for the search", "."
  )
}

# Return the sentence about how sure the optimum of a search is.
search_advice <- function(search) {
  share <- sprintf("%d of %d members of the search attain the least W", as.integer(search$attained), as.integer(search$members))
  if (search$members < 2L) {
    return(NULL)
  }
  if (2 * search$attained >= search$members) {
    return(paste0(share, ": a lower one is unlikely."))
  }
  paste0(share, ": there may be a lower one. Use effort = 4 for a longer search.")
}

#' @export
print.summary.kgroups_fit <- function(x, digits = 5, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "fit-methods")
  print(x$fit)
  cat("\n")
  print(x$clusters, digits = digits, row.names = FALSE)
  starts <- x$starts
  if (starts$number > 1L && is.null(x$fit$search)) {
    objective <- if (is.null(x$fit$size_term)) "W" else "Phi"
    cat(
      "\n", objective, " over ", starts$number, " starts: ", format(starts$least, digits = 7), " to ",
      format(starts$largest, digits = 7),
      # Phi has no zero to which a share could refer
      if (starts$spread > 0 && is.finite(starts$spread) && objective == "W") {
        sprintf(" (%s %% apart)", format(100 * starts$spread, digits = 2))
      },
      "; the least was attained by ", starts$found, "\n",
      sep = ""
    )
  } else if (length(x$advice)) {
    cat("\n")
  }
  for (text in x$advice) cat(strwrap(text, prefix = "  ", initial = "* "), sep = "\n")
  invisible(x)
}
