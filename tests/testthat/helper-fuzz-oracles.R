# Properties that the answer to a random call must be: a valid result or a condition of ours.

# One call by its seed: character() if all is well, else what is wrong. `silent` keeps prints
# and drawings away.
fuzz_run <- function(seed, limit = 40) {
  set.seed(seed)
  call <- fuzz_call()
  problems <- character()
  note <- function(...) problems <<- unique(c(problems, paste0(...)))
  kept <- deep_copy(call$args)
  connections <- getAllConnections()
  grDevices::pdf(NULL)
  devices <- grDevices::dev.list()
  on.exit(grDevices::graphics.off())
  started <- proc.time()[["elapsed"]]
  value <- NULL
  text <- utils::capture.output(value <- withCallingHandlers(
    tryCatch(
      {
        setTimeLimit(elapsed = limit, transient = TRUE)
        on.exit(setTimeLimit(), add = TRUE)
        run_call(call)
      },
      error = identity
    ),
    warning = function(w) {
      if (!inherits(w, "kg_warning")) note("raw warning: ", first_line(w))
      invokeRestart("muffleWarning")
    },
    message = function(m) {
      if (!inherits(m, "kg_message")) note("raw message: ", first_line(m))
      invokeRestart("muffleMessage")
    }
  ))
  setTimeLimit()
  took <- proc.time()[["elapsed"]] - started
  if (took > limit) note("slow: ", round(took), " s")
  if (!same_arguments(call$args, kept)) note("an argument was written to")
  if (length(setdiff(getAllConnections(), connections))) note("a connection stays open")
  if (!identical(grDevices::dev.list(), devices)) note("a device stays open")
  error <- inherits(value, "error")
  if (error && !inherits(value, "kg_error")) note("raw error: ", first_line(value))
  if (error && inherits(value, "kg_error")) for (one in error_faults(value)) note(one)
  if (!error) {
    found <- tryCatch(fuzz_oracle(call, value), error = function(e) paste("oracle failed:", conditionMessage(e)))
    for (one in found) note(one)
  }
  structure(
    problems,
    f = call$f, answer = if (error) paste(class(value)[1L]) else "valid", seconds = took, value = value
  )
}

first_line <- function(condition) {
  call <- conditionCall(condition)
  where <- if (is.null(call)) "" else paste0(" <", deparse(call[[1L]])[1L], ">")
  paste0(strsplit(conditionMessage(condition), "\n")[[1L]][1L], where)
}

deep_copy <- function(args) lapply(args, function(x) if (is.numeric(x)) unserialize(serialize(x, NULL)))

same_arguments <- function(args, kept) {
  same <- vapply(seq_along(args), function(i) is.null(kept[[i]]) || identical(args[[i]], kept[[i]]), NA)
  all(same)
}

# The message of an error of ours: three-line form, and no word of the inside.
error_faults <- function(e) {
  text <- conditionMessage(e)
  call <- conditionCall(e)
  name <- if (is.call(call)) deparse(call[[1L]])[1L] else ""
  public <- c(
    getNamespaceExports("kgroups"), "kgroups_fit", "cl_predict", "predict", "plot", "autoplot", "summary", "print",
    "silhouette", "kgroups"
  )
  generics <- sub("[.](kgroups|default|igraph|Matrix).*$", "", name)
  c(
    if (!grepl("x ", text, fixed = TRUE) && !grepl("\u2716", text)) paste("no x line in the error:", first_line(e)),
    if (grepl("character of length|double of length 0x|\\{", text)) paste("odd words:", gsub("\n", " / ", text)),
    if (nzchar(name) && !generics %in% public) paste("error mentions", name)
  )
}

fuzz_oracle <- function(call, value) {
  if (call$f %in% c("kgroups", "kernel_kmeans")) {
    fits <- if (inherits(value, "kgroups_fit")) list(value) else value
    return(unlist(lapply(fits, fit_faults, args = call$args)))
  }
  args <- call$args
  f <- call$f
  unit_interval <- function(x, open = FALSE) {
    if (is.numeric(x) && length(x) == 1L && !is.na(x) && x <= 1 + 1e-12 && x >= -1e-12) {
      NULL
    } else {
      paste("not in [0, 1]:", f)
    }
  }
  switch(f,
    energy_statistics = statistics_faults(value, args),
    energy_distance = distance_faults(value, args),
    energy_test = c(unit_interval(value$p.value), if (anyNA(value$permuted)) "NA among the permuted statistics"),
    predict = prediction_faults(value, args),
    as_gram = ,
    semimetric_matrix = if (!is.matrix(value) || anyNA(value)) "NA in a semimetric matrix",
    is_negative_type = if (!is.logical(value) || is.na(value)) "is_negative_type() gives NA",
    make_negative_type = if (anyNA(value)) "NA after make_negative_type()",
    select_k = if (!is_number(value$k)) "select_k() without k",
    stability = if (anyNA(value$observations) || any(value$observations < 0 | value$observations > 1)) {
      "observations of stability() out of range"
    },
    compare_clusters = if (!is_number(value) || value > 1 + 1e-12 || value < -1 - 1e-12) paste("out of range:", f),
    bethe_hessian = if (!all(is.finite(value@x))) "the Bethe Hessian is not finite",
    count_communities = if (is.na(value) || value < 0) "no count",
    cluster_bethe_hessian = ,
    cluster_kgroups = ,
    cluster_communities = ,
    cluster_belief_propagation = communities_faults(value, args),
    silhouette = if (
      is.matrix(value) && of_negative_type(args[[1L]]) && !all(abs(value[, 3L]) <= 1 + 1e-8, na.rm = FALSE)
    ) {
      "silhouette widths out of range"
    },
    augment = if (anyNA(value$.cluster)) "no cluster in augment()",
    tidy = if (anyNA(value$within)) "no within in tidy()",
    glance = if (anyNA(value[setdiff(names(value), "explained")])) "NA in glance()",
    NULL
  )
}

# Are all squared distances to means known to be at least 0?
of_negative_type <- function(fit) {
  (is.matrix(fit$data) || is.data.frame(fit$data)) &&
    isTRUE(fit$semimetric$family %in% c("power", "exponential", "gaussian"))
}

communities_faults <- function(value, args) {
  labels <- igraph::membership(value)
  c(
    if (!inherits(value, "communities")) "not communities",
    if (anyNA(labels) || !setequal(labels, seq_len(max(labels)))) "labels of communities are not 1..k",
    if (!is.finite(igraph::modularity(value))) "modularity is not finite"
  )
}

# ---- pairwise dissimilarities in a scale of their own: rho = P * unit, so that nothing over- or underflows ----

reference_pairs <- function(x, semimetric) {
  if (inherits(x, c("kgroups_gram", "kernelMatrix"))) {
    G <- unclass(as_gram(x))
    attributes(G) <- list(dim = dim(G))
    e <- binary_exponent(G)
    G <- times_power_of_two(G, -e)
    return(list(P = outer(diag(G), diag(G), "+") - 2 * G, exponent = e, size = max(abs(G))))
  }
  e <- 0
  if (inherits(x, "dist")) {
    d <- as.matrix(x)
    e <- binary_exponent(d)
    d <- times_power_of_two(d, -e)
  } else {
    x <- if (is.data.frame(x)) as.matrix(x) else as.matrix(x)
    storage.mode(x) <- "double"
    if (semimetric$family == "function") {
      f <- semimetric$f
      P <- if (semimetric$vectorized) f(x, x) else {
        outer(seq_len(nrow(x)), seq_len(nrow(x)), Vectorize(function(i, j) f(x[i, ], x[j, ])))
      }
      return(list(P = P, exponent = 0, size = max(abs(P))))
    }
    e <- binary_exponent(x)
    d <- as.matrix(stats::dist(times_power_of_two(x, -e)))
  }
  a <- semimetric$parameter
  if (semimetric$family == "power") {
    P <- d^a
    return(list(P = P, exponent = e * a, size = max(P)))
  }
  a <- times_power_of_two(a, -e)
  P <- if (semimetric$family == "gaussian") -2 * expm1(-(d / a)^2 / 2) else -2 * expm1(-d / (2 * a))
  P[d == 0] <- 0 # sigma may have vanished
  list(P = P, exponent = 0, size = 2)
}

# Weights in a scale of their own.
reference_weights <- function(weights, n) {
  if (is.null(weights)) weights <- rep(1, n)
  e <- binary_exponent(weights)
  list(w = times_power_of_two(as.numeric(weights), -e), exponent = e)
}

# The exponent of a product may be taken only where the result is in range.
in_true_units <- function(value, ...) times_power_of_two(value, sum(...))

fit_faults <- function(fit, args) {
  n <- fit$n
  k <- fit$k
  cluster <- unname(fit$cluster)
  # sizes count rows of positive weight; one that vanishes beside the largest is 0
  counted <- if (is.null(fit$weights) || inherits(fit, "kgroups_graph_fit")) {
    rep(TRUE, n)
  } else {
    fit$weights / max(fit$weights) > 0
  }
  out <- c(
    if (!is.integer(cluster) || length(cluster) != n || anyNA(cluster)) "labels are not n integers",
    if (any(cluster < 1 | cluster > k)) "labels out of range",
    if (length(unique(cluster)) != k && is.null(fit$graph)) "an empty cluster",
    if (is_number(args$k) && args$k != k && !inherits(args$x, "kgroups_blocks")) "k is not the k requested",
    if (!identical(as.integer(fit$sizes), tabulate(cluster[counted], k))) {
      "sizes are wrong"
    },
    if (!all(is.finite(c(fit$W, fit$S, fit$total, fit$within)))) "W, S or total is not finite",
    if (length(fit$objectives) && !fit$best_start %in% seq_along(fit$objectives)) "best_start is no start",
    if (!isTRUE(fit$converged) && !identical(fit$converged, FALSE)) "converged is neither TRUE nor FALSE",
    if (is.null(fit$graph) && !identical(unique(cluster), seq_len(k))) "labels are not numbered by first appearance"
  )
  size <- abs(fit$total) + sum(abs(fit$within))
  if (abs(sum(fit$within) - fit$W) > 1e-10 * size) out <- c(out, "W is not the sum of within")
  if (abs(fit$W + fit$S - fit$total) > 1e-10 * size) out <- c(out, "W + S is not the total")
  texts <- utils::capture.output(print(fit), print(summary(fit)))
  if (any(grepl("NaN|NULL", texts))) out <- c(out, paste("odd print:", grep("NaN|NULL", texts, value = TRUE)[1L]))
  if (length(out) || !is.null(fit$graph) || inherits(args$x, c("Matrix", "kgroups_blocks")) || !only_numbers(args$x)) {
    return(out)
  }
  c(out, dispersion_faults(fit, args$x, args$weights))
}

# Not a table of categories, dates or missing values: points are made of those, which test-blueprint.R
# holds against a reference of its own.
only_numbers <- function(x) {
  if (is.data.frame(x)) all(vapply(x, function(v) is.numeric(v) && !is.object(v) && !anyNA(v), NA)) else !anyNA(x)
}

# W, total and the end of the local search against the definitions.
dispersion_faults <- function(fit, x, weights) {
  pairs <- reference_pairs(x, fit$semimetric)
  scaled <- reference_weights(weights, fit$n)
  w <- scaled$w
  cluster <- unname(fit$cluster)
  W <- in_true_units(reference_W(pairs$P, cluster, w), pairs$exponent, scaled$exponent)
  rounding <- in_true_units(1e-10 * sum(w) * max(pairs$size, abs(pairs$P)), pairs$exponent, scaled$exponent)
  if (!is.null(fit$approx) && !isTRUE(fit$approx$polished)) {
    # the features hold the positive part of B only
    definite <- !inherits(x, "dist") && isTRUE(fit$semimetric$family %in% c("power", "exponential", "gaussian"))
    low <- definite && is.finite(W) && fit$W < W - 1e-3 * abs(W) - 1e5 * rounding
    return(if (low) sprintf("W of landmarks is below W: %g, %g", fit$W, W))
  }
  total <- in_true_units(sum(outer(w, w) * pairs$P) / (2 * sum(w)), pairs$exponent, scaled$exponent)
  out <- c(
    if (abs(fit$W - W) > rounding) sprintf("W is %.17g, not %.17g", fit$W, W),
    if (is.finite(total) && abs(fit$total - total) > rounding) sprintf("total is %.17g, not %.17g", fit$total, total)
  )
  if (isTRUE(fit$converged) && fit$method == "hartigan") {
    fall <- best_fall(pairs$P, cluster, w, fit$k)
    if (fall > 1e-8 * sum(w) * max(pairs$size, abs(pairs$P)) / fit$n) {
      out <- c(out, sprintf("a single move lowers W by %g", fall))
    }
  }
  out
}

# The most a single move lowers W, by the change in W of SPEC's section 2.
best_fall <- function(P, cluster, w, k) {
  inside <- w > 0
  members <- tabulate(cluster[inside], k)
  d2 <- reference_d2(P, cluster, w, k)
  s <- as.vector(rowsum(w, factor(cluster, seq_len(k))))
  own <- cbind(seq_along(cluster), cluster)
  leave <- w * s[cluster] / (s[cluster] - w) * d2[own]
  join <- outer(w, s, function(w, s) w * s / (s + w)) * d2
  join[own] <- Inf
  free <- inside & members[cluster] > 1
  fall <- (leave - join)[free, ]
  max(0, fall[is.finite(fall)])
}

statistics_faults <- function(value, args) {
  if (!all(is.finite(c(value$W, value$S, value$total, value$within)))) {
    return("energy_statistics() is not finite")
  }
  if (inherits(args$x, "Matrix") || !only_numbers(args$x)) {
    return(NULL)
  }
  semimetric <- if (is.null(args$semimetric)) rho_power(1) else args$semimetric
  if (!is_gram(args$x) && semimetric$family %in% c("exponential", "gaussian") && is.null(semimetric$parameter)) {
    return(NULL) # sigma is drawn from the data, and not part of the value
  }
  pairs <- reference_pairs(args$x, semimetric)
  labels <- args$cluster
  if (inherits(labels, "kgroups_fit")) labels <- unname(labels$cluster)
  labels <- as.integer(label_codes(labels))
  scaled <- reference_weights(args$weights, nrow(pairs$P))
  W <- in_true_units(reference_W(pairs$P, labels, scaled$w), pairs$exponent, scaled$exponent)
  rounding <- in_true_units(1e-10 * sum(scaled$w) * pairs$size, pairs$exponent, scaled$exponent)
  c(
    if (abs(value$W - W) > rounding) sprintf("W is %.17g, not %.17g", value$W, W),
    if (abs(value$W + value$S - value$total) > rounding) "W + S is not the total"
  )
}

distance_faults <- function(value, args) {
  if (inherits(value, "dist")) {
    positive <- if (is.null(args$weights)) rep(TRUE, length(args$g)) else args$weights > 0
    empty <- inherits(args$g, "kgroups") || !all(args$g %in% args$g[positive])
    return(if (anyNA(value) && !empty) "NA in energy_distance()")
  }
  if (!is_number(value) || !is.finite(value)) "energy_distance() is not a finite number"
}

prediction_faults <- function(value, args) {
  fit <- args$object
  type <- if (is.null(args$type)) "class" else args$type
  # a row with nothing observed has no answer, and all others have one
  new <- args$newdata
  unseen <- if (!is.null(dim(new))) rowSums(!is.na(new)) == 0 else is.na(new)
  if (any(unseen)) {
    value <- if (is.matrix(value)) value[!unseen, , drop = FALSE] else value[!unseen]
    if (!length(value)) {
      return(NULL)
    }
  }
  if (type == "class") {
    return(c(
      if (!is.integer(value) || anyNA(value) || any(value < 1 | value > fit$k)) "predicted labels are not 1..k",
      if (is.null(args$newdata) && !identical(value, fit$cluster)) "predict(fit) is not the fit"
    ))
  }
  weightless <- as.vector(
    rowsum(if (is.null(fit$weights)) rep(1, fit$n) else fit$weights, factor(fit$cluster, seq_len(fit$k)))
  ) == 0
  c(
    if (!is.matrix(value) || ncol(value) != fit$k) "distances are not m x k",
    if (anyNA(value)) "NaN among predicted distances",
    if (type == "distance" && any(value < 0)) "negative distances"
  )
}
