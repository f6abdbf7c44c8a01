# Two factors, y ~ a + b and y ~ a * b: the dispersion of each term in the feature space, its F and a p-value by
# permutation.

# G is the centred matrix -rho/2 and H_X the projection on the columns of X: SS(term) = tr((H_1 - H_0) G), which for
# squared distances is the sum of squares of a (multivariate) analysis of variance (Rizzo and Szekely 2010; Anderson
# 2001).
factor_test <- function(samples, semimetric, R, data_name, call) {
  points <- samples$points
  problem <- all_pairs_problem(points, if (!brings_kernel(points) || is_connected(semimetric)) semimetric, NULL, call)
  n <- problem$n
  check_memory(64 * as.numeric(n)^2, n, "the pairwise dissimilarities of two factors", call = call)
  design <- two_factors(samples, n, call)
  Map(function(g, labels) warn_found_groups(g, problem, labels), samples$factors, design$labels)
  rho <- pairwise_rho(problem)
  G <- centred_gram(rho)
  alpha <- power_of_rho(problem)
  effect <- main_effects(G, design, samples$crossed)
  check_degrees(effect$df, design, samples$crossed, call)
  tests <- lapply(1:2, function(one) main_effect_p(G, design, one, samples$crossed, R))
  if (samples$crossed) {
    joint <- interaction_effect(G, design)
    aligned <- interaction_p(rho / power_near(max(rho, 1e-300)), G, alpha, design, R)
    if (alpha < 2) joint$F <- aligned$F
    effect <- rbind(effect[1:2, ], joint, effect[3L, ])
    tests <- c(tests, list(aligned))
  }
  total <- sum(diag(G))
  out <- data.frame(
    Df = c(effect$df, n - 1L), Dispersion = c(effect$ss, total), Share = c(effect$ss, total) / total,
    F = c(effect$F, NA), `Pr(>F)` = c(vapply(tests, `[[`, 0, "p.value"), NA, NA), check.names = FALSE,
    row.names = c(
      names(design$factors), if (samples$crossed) paste(names(design$factors), collapse = ":"), "Residuals", "Total"
    )
  )
  structure(
    out, heading = factor_heading(design, samples, alpha, data_name, R),
    class = c("kgroups_factor_test", "kgroups_result", "anova", "data.frame"),
    semimetric = problem$semimetric, permuted = lapply(tests, `[[`, "value")
  )
}

check_factor_arguments <- function(samples, statistic, approx, call) {
  wrong <- c(weights = !is.null(samples$weights), approx = !is.null(approx), statistic = !statistic %in% c("S", "F"))
  if (any(wrong)) {
    arg <- names(wrong)[wrong][1L]
    abort_input(
      arg, call, "`{arg}` goes with one grouping variable.", "You supplied two factors.",
      "Leave it out: the statistic is F."
    )
  }
}

# Each term and the residuals have degrees of freedom.
check_degrees <- function(df, design, crossed, call) {
  cells <- if (crossed) indicators(cell_code(design$labels[[1L]], design$labels[[2L]]))
  joint <- if (crossed) ncol(cells) - ncol(additive_basis(design))
  none <- which(c(df, joint) < 1)
  if (length(none)) {
    names <- names(design$factors)
    term <- c(names, "The residual", paste(names, collapse = ":"))[none[1L]]
    abort_input(
      "formula", call, "Both factors and the residual must have degrees of freedom.", "{term} has none.",
      if (crossed && none[1L] > 2L) {
        "Use `{names[1L]} + {names[2L]}`, without the interaction."
      } else {
        "One factor determines the other, or there are as many levels as rows: test one of them."
      }
    )
  }
}

# The factors of the rows, units and strata: `labels` a list of codes, `constant`: which factors are constant in a unit.
two_factors <- function(samples, n, call) {
  factors <- samples$factors
  labels <- Map(function(values, name) {
    code <- check_labels(values, n, "g", call)
    levels <- attr(code, "levels")
    if (length(levels) < 2L) {
      abort_input(
        "g", call, "Factors must have at least two levels.", "{name} has one.",
        "Use `values ~ group` for one factor."
      )
    }
    as.integer(code)
  }, factors, names(factors))
  unit <- if (!is.null(samples$units)) as.integer(check_labels(samples$units, n, "units", call))
  strata <- if (!is.null(samples$strata)) as.integer(check_labels(samples$strata, n, "strata", call))
  constant <- vapply(labels, function(code) !is.null(unit) && all(code == code[match(unit, unit)]), NA)
  list(factors = factors, labels = labels, unit = unit, strata = strata, constant = constant)
}

# rho of all pairs in true units.
pairwise_rho <- function(problem) {
  B <- store_values(problem$store)
  self <- diag(B)
  rho <- true_units(problem, outer(self, self, "+") - 2 * B, "pair")
  diag(rho) <- 0
  pmax(rho, 0)
}

# D = rho^(1/alpha) is the distance in which shifts are additive: powers of a distance, and dissimilarities as they are;
# kernels and others are taken as squared distances of their feature space.
power_of_rho <- function(problem) {
  semimetric <- base_semimetric(problem$semimetric)
  if (has_kernel(problem)) {
    return(2)
  }
  if (is.null(semimetric)) 1 else if (identical(semimetric$family, "power")) semimetric$parameter else 2
}

centred_gram <- function(rho) {
  B <- -rho / 2
  row <- rowMeans(B)
  B - outer(row, row, "+") + mean(row)
}

# ---- projections ----

indicators <- function(code) {
  levels <- sort(unique(code))
  outer(code, levels, "==") + 0
}

# An orthonormal basis of the columns of X beyond those of the basis Q.
basis_beyond <- function(X, Q = NULL) {
  size <- sqrt(sum(X^2))
  if (!is.null(Q)) X <- X - Q %*% crossprod(Q, X)
  decomposed <- qr(X, tol = 1e-8)
  kept <- abs(diag(as.matrix(decomposed$qr)))[seq_len(min(dim(X)))] > 1e-8 * size
  rank <- min(decomposed$rank, sum(kept))
  qr.Q(decomposed)[, seq_len(rank), drop = FALSE]
}

cell_code <- function(a, b) a + max(a) * (b - 1L)

# (I - Q Q') G (I - Q Q'), whose trace is the dispersion that the model Q leaves.
left_by <- function(G, Q) {
  G <- G - Q %*% crossprod(Q, G)
  G - tcrossprod(G %*% Q, Q)
}

# Dispersion and degrees of freedom of the levels of `code` beyond a model Q: tr(A^- B) with the products A of the
# indicators without Q and the sums B of `rest`, what Q leaves of G, over pairs of levels. Level 0 has no indicator.
beyond <- function(rest, Q, code) {
  levels <- unique(code)
  at <- which(levels > 0)
  of_levels <- function(x) rowsum(x, code, reorder = FALSE)[at, , drop = FALSE]
  size <- tabulate(match(code, levels[at], 0L), length(at))
  root <- suppressWarnings(
    chol(diag(size, length(at)) - tcrossprod(of_levels(Q)), pivot = TRUE, tol = 1e-8 * max(size))
  )
  own <- seq_len(attr(root, "rank"))
  own <- own[diag(root)[own]^2 > 1e-8 * max(size)] # LAPACK takes any first pivot above 0
  if (length(own) == 0L) {
    return(list(ss = 0, df = 0L))
  }
  used <- attr(root, "pivot")[own]
  root <- root[own, own, drop = FALSE]
  half <- backsolve(root, of_levels(t(of_levels(rest)))[used, used, drop = FALSE], transpose = TRUE)
  list(ss = sum(diag(backsolve(root, t(half), transpose = TRUE))), df = length(own))
}

# The same of cells, whose indicators span Q.
within_cells <- function(rest, Q, cell) {
  code <- match(cell, unique(cell))
  size <- tabulate(code)
  sums <- rowsum(rest, code, reorder = FALSE)
  list(ss = sum(sums[cbind(code, seq_along(code))] / size[code]), df = length(size) - ncol(Q))
}

# Codes of levels but the last one.
contrasts_of <- function(code) code * (code < max(code))

contrasts_of_cells <- function(a, b) cell_code(a, b) * (a < max(a) & b < max(b))

# Sum of squares of the levels of a term beyond Q, its degrees of freedom, F, and those of the residuals of the model
# with the cells `full`.
effect_of <- function(rest, Q, code, full = NULL, total = sum(diag(rest))) {
  term <- beyond(rest, Q, code)
  model <- if (is.null(full)) term else within_cells(rest, Q, full)
  left <- nrow(rest) - ncol(Q) - model$df
  size <- sum(diag(rest)) - model$ss
  c(
    term,
    list(F = if (term$ss <= 1e-14 * total) 0 else term$ss / term$df / (max(size, 0) / left), rest = size, left = left)
  )
}

# Each main effect given the other, and the residuals.
main_effects <- function(G, design, crossed) {
  full <- if (crossed) cell_code(design$labels[[1L]], design$labels[[2L]])
  found <- lapply(1:2, function(one) {
    Q <- basis_beyond(indicators(design$labels[[3L - one]]))
    effect_of(left_by(G, Q), Q, contrasts_of(design$labels[[one]]), full, sum(diag(G)))
  })
  data.frame(
    ss = c(found[[1L]]$ss, found[[2L]]$ss, found[[1L]]$rest), df = c(found[[1L]]$df, found[[2L]]$df, found[[1L]]$left),
    F = c(found[[1L]]$F, found[[2L]]$F, NA)
  )
}

additive_basis <- function(design) {
  first <- basis_beyond(indicators(design$labels[[1L]]))
  cbind(first, basis_beyond(indicators(design$labels[[2L]]), first))
}

interaction_effect <- function(G, design) {
  Q <- additive_basis(design)
  found <- effect_of(
    left_by(G, Q), Q, contrasts_of_cells(design$labels[[1L]], design$labels[[2L]]), total = sum(diag(G))
  )
  data.frame(found[c("ss", "df", "F")])
}

# ---- permutations ----

# Labels of a factor permuted within the levels of the other one: of whole units if it is constant in them, else within
# units. Rows are columns of R + 1 labels, the first as given.
factor_columns <- function(design, one, R) {
  other <- design$labels[[3L - one]]
  labels <- design$labels[[one]]
  strata <- design$strata
  whole <- design$constant[one]
  if (whole) {
    first <- match(sort(unique(design$unit)), design$unit)
    at <- match(design$unit, design$unit[first])
    if (!design$constant[3L - one]) other <- NULL
  } else {
    first <- at <- seq_along(labels)
    strata <- combined(strata, design$unit)
  }
  within <- combined(strata, other)
  parts <- if (!is.null(within)) unname(split(seq_along(first), within[first]))
  columns <- all_arrangements(labels[first], parts, R)
  if (is.null(columns)) columns <- label_columns(labels[first], parts, R)
  columns[at, , drop = FALSE]
}

combined <- function(a, b) if (is.null(a)) b else if (is.null(b)) a else match(paste(a, b), unique(paste(a, b)))

main_effect_p <- function(G, design, one, crossed, R) {
  other <- design$labels[[3L - one]]
  Q <- basis_beyond(indicators(other))
  rest <- left_by(G, Q)
  total <- sum(diag(G))
  permuted_F(factor_columns(design, one, R), function(labels) {
    effect_of(rest, Q, contrasts_of(labels), if (crossed) cell_code(labels, other), total)$F
  })
}

# p of F of each column of labels.
permuted_F <- function(columns, F_of) {
  value <- vapply(seq_len(ncol(columns)), function(p) {
    check_interrupt()
    F_of(columns[, p])
  }, 0)
  list(value = value, p.value = mean(value >= value[1L] * (1 - 1e-10)), F = value[1L])
}

# ---- interaction ----

# In the feature space of rho two plain shifts are an interaction (the null there is additive distribution functions),
# so rows are aligned first: residuals of the additive model in the space of D = rho^(1/alpha), and their distances to
# the power alpha.
interaction_p <- function(rho, G, alpha, design, R) {
  split <- any(design$constant) && !all(design$constant)
  if (split) {
    return(split_plot_p(rho, alpha, design, R))
  }
  if (alpha < 2) G <- aligned_gram(rho^(2 / alpha), alpha, additive_residuals(rho^(2 / alpha), design))
  Q0 <- additive_basis(design)
  Qt <- basis_beyond(indicators(cell_code(design$labels[[1L]], design$labels[[2L]])), Q0)
  scaled <- 1 / sqrt(pmax(1e-8, 1 - rowSums(Q0^2)))
  E <- left_by(G, Q0) * outer(scaled, scaled)
  flipped <- design$unit %||% seq_len(nrow(G))
  signs <- cbind(1, matrix(sample(c(-1, 1), max(flipped) * R, TRUE), max(flipped)))[flipped, , drop = FALSE]
  ss <- function(Q) {
    parts <- lapply(strips(ncol(signs), nrow(G) * 4), function(at) {
      part <- signs[, at, drop = FALSE]
      Reduce(`+`, lapply(seq_len(ncol(Q)), function(j) {
        check_interrupt()
        colSums((Q[, j] * part) * (E %*% (Q[, j] * part)))
      }))
    })
    unlist(parts)
  }
  term <- ss(Qt)
  rest <- sum(diag(E)) - ss(Q0) - term
  value <- (term / ncol(Qt)) / (pmax(rest, 0) / (nrow(G) - ncol(Q0) - ncol(Qt)))
  list(value = value, p.value = mean(value >= value[1L] * (1 - 1e-10)), F = value[1L])
}

# I - H of the additive model by least squares; cells weigh by the inverse of their dispersion, shrunk with 3 degrees
# of freedom.
additive_residuals <- function(squared, design) {
  cell <- cell_code(design$labels[[1L]], design$labels[[2L]])
  cell <- match(cell, sort(unique(cell)))
  size <- tabulate(cell)
  within <- diag(as.matrix(rowsum(t(rowsum(squared, cell)), cell))) / (2 * size)
  pooled <- sum(within) / max(1, length(cell) - length(size))
  weight <- if (pooled > 0) 1 / ((within + 3 * pooled) / (size - 1 + 3))[cell] else rep(1, length(cell))
  X <- additive_basis(design)
  diag(length(cell)) - X %*% solve(crossprod(X, weight * X), t(weight * X))
}

# G of the distances, to the power alpha, of the residuals of squared distances; negative ones of dissimilarities that
# are not Euclidean count as 0.
aligned_gram <- function(squared, alpha, residual) {
  E <- residual %*% tcrossprod(centred_gram(squared), residual)
  self <- diag(E)
  centred_gram(pmax(outer(self, self, "+") - 2 * E, 0)^(alpha / 2))
}

# One factor between units, the other within: rows are aligned by units and the levels of the other, and whole units
# are permuted.
split_plot_p <- function(rho, alpha, design, R) {
  one <- which(design$constant)
  other <- design$labels[[3L - one]]
  Q0 <- basis_beyond(indicators(design$unit))
  Q0 <- cbind(Q0, basis_beyond(indicators(other), Q0))
  G <- aligned_gram(rho^(2 / alpha), alpha, diag(nrow(rho)) - tcrossprod(Q0))
  rest <- left_by(G, Q0)
  total <- sum(diag(G))
  permuted_F(
    factor_columns(design, one, R),
    function(labels) effect_of(rest, Q0, contrasts_of_cells(labels, other), total = total)$F
  )
}

# ---- print ----

factor_heading <- function(design, samples, alpha, data_name, R) {
  names <- names(design$factors)
  units <- if (!is.null(design$unit)) {
    how <- ifelse(design$constant, "among", "within")
    sprintf("Units: %d; labels are permuted %s", max(design$unit), paste(how, "units for", names, collapse = ", "))
  }
  joint <- if (samples$crossed && alpha < 2) {
    sprintf("%s: F and p after alignment, so that additive shifts are no interaction", paste(names, collapse = ":"))
  }
  lines <- c(
    sprintf("Energy test of two factors (%d permutations of each within the levels of the other)", R),
    paste("data:", data_name), units, joint
  )
  paste0(paste(lines, collapse = "\n"), "\n")
}

#' @export
print.kgroups_factor_test <- function(x, ...) {
  out <- x
  class(out) <- c("anova", "data.frame")
  print(out)
  invisible(x)
}

#' @export
result_table.kgroups_factor_test <- function(x) {
  data.frame(
    term = attr(x, "row.names"), df = x[["Df"]], dispersion = x[["Dispersion"]], share = x[["Share"]],
    statistic = x[["F"]],
    p.value = x[["Pr(>F)"]]
  )
}
