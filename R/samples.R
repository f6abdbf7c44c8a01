# Samples of tests and distances: observations with labels, a list of samples, or a formula `values ~ group`. One reader
# serves energy_test(), pairwise_energy_test(), dispersion_test() and energy_distance().

# The arguments that all tests have, from the frame of a test whose `x` was checked: read_samples() with `R` and `name`,
# the text of the data. `given` are quosures of the values of rows and of `subset`; `settings` is list(...).
read_test <- function(frame, given, settings, topic) {
  text <- vapply(c("x", "g"), function(arg) deparse_short(eval(call("substitute", as.name(arg)), frame)), "")
  hint <- "The smallest p-value possible is 1 / (R + 1); 999 permutations are usual."
  R <- check_count(frame$R, "R", 1, 1e7, hint, frame)
  local_threads(check_threads(frame$threads, call = frame), frame)
  samples <- read_samples(frame$x, frame$g, frame$data, given, settings, frame, topic)
  name <- paste(if (samples$form == "labels") text else text[1L], collapse = " by ")
  c(samples, list(R = R, name = name))
}

samples_text <- function(samples, sizes) {
  sprintf("%s, %d groups of sizes %s", samples$name, length(sizes), sizes_text(sizes))
}

# Return `points`, `labels` (or `factors`, two grouping variables), the `values` of rows that were given (weights,
# strata, units), `form` of the samples and `known`, whether a column of the data is the groups.
read_samples <- function(x, g, data, given, settings, call, topic) {
  context <- list(call = call, topic = topic)
  other <- settings[!names(settings) %in% table_settings]
  do.call(check_no_dots, c(other, context, list(also = table_settings)))
  g <- found_value(g, "g", "Columns are found in `x$g`, or by a formula: `values ~ g` with `data`.", call)
  if (inherits(x, "formula") && is.null(data) && is.data.frame(g)) {
    data <- g
    g <- NULL
  }
  samples <- if (inherits(x, "formula")) {
    if (!is.null(g)) abort_samples("You supplied a formula and `g`.", call)
    formula_samples(x, data, given, topic == "energy_test", call)
  } else {
    given_samples(x, g, data, given, call)
  }
  factors <- as.list(samples$factors)
  values <- c(list(labels = samples$labels), samples$values, factors)
  observed <- do.call(read_data, c(list(samples$x, values, context = context), settings), quote = TRUE)
  points <- observed$points
  # one preprocessing of all samples, with the weights as they are
  if (is_table(points) && !is_complete_matrix(points) && !is_points(points)) {
    points <- make_points(points, observed$weights, call = call)
  }
  known <- !is.null(samples$labels) && inform_group_column(observed$x, observed$labels) || samples$form == "list"
  list(
    points = points, labels = observed$labels, weights = observed$weights, strata = observed$strata,
    units = observed$units, factors = if (length(factors)) observed[names(factors)], form = samples$form, known = known
  )
}

# As read_samples(), of observations with labels or a list of samples.
given_samples <- function(x, g, data, given, call) {
  subset <- given$subset
  if (inherits(g, "formula")) abort_samples("You supplied a formula as `g`.", call)
  if (!is.null(data)) abort_samples("You supplied `x` and `data`.", call)
  if (!rlang::quo_is_missing(subset) && !rlang::quo_is_null(subset)) {
    abort_samples("You supplied `x` and `subset`.", call)
  }
  if (is_clustering(x)) {
    abort_samples("You supplied a clustering as `x`; its data and labels are `x` and `fit$cluster`.", call)
  }
  values <- lapply(
    given[names(given) != "subset"], function(one) if (!rlang::quo_is_missing(one)) rlang::eval_tidy(one)
  )
  if (!is.null(g)) {
    return(list(x = x, labels = g, values = values, form = "labels"))
  }
  if (!is.list(x) || is.object(x)) abort_samples("You supplied `x` alone.", call)
  bound <- bind_samples(x, call)
  list(x = bound$x, labels = bound$labels, values = values, form = "list")
}

abort_samples <- function(came, call) {
  abort_input(
    "g", call, "The samples must be given as `x` with `g`, a list, or a formula with `data` and `subset`.", "{came}",
    "For example `g = group`, `x = list(a, b)`, or `values ~ group` with `data`."
  )
}

# ---- formulas ----

# As read_samples(), of a formula: as in stats::model.frame() its variables, the values of rows and `subset` are
# evaluated in `data`, then where they were written, all of full length; then `subset` takes its rows of all of them.
formula_samples <- function(formula, data, given, several, call) {
  variables <- group_variables(formula, several, call)
  if (!is.null(data) && !is.list(data) && !is.environment(data)) {
    abort_argument(data, "data", "be a data frame with the variables of the formula.", call = call)
  }
  x <- formula_values(formula, data, call)
  if (is.data.frame(data)) {
    at <- row_order(names_of_rows(data), names_of_rows(x), "data", call)
    if (!is.null(at)) data <- as.data.frame(data)[at, , drop = FALSE]
  }
  values <- Map(function(one, arg) formula_argument(one, data, arg, call), given, names(given))
  groups <- lapply(variables, function(term) check_group(formula_value(term, formula, data, call), term, call))
  if (is.factor(x) || is.character(x) && is.null(dim(x))) {
    x <- stats::setNames(data.frame(x), deparse_short(formula[[2L]]))
  }
  if (!is.null(values$subset)) {
    n <- attr(x, "Size") %||% NROW(x)
    rows <- subset_rows(values$subset, n, call)
    x <- take_rows(x, rows)
    groups <- lapply(groups, values_of_rows, rows, n)
    values <- lapply(values, values_of_rows, rows, n)
  }
  values$subset <- NULL
  if (length(groups) == 1L) {
    return(list(x = x, labels = groups[[1L]], values = values, form = "formula"))
  }
  names(groups) <- vapply(variables, deparse_short, "")
  list(x = x, factors = groups, values = values, form = "formula")
}

# Return the calls of the grouping variables: one, or with `several` the two of a + b.
group_variables <- function(formula, several, call) {
  group <- if (length(formula) == 3L) formula[[3L]]
  if (several && called_name(group) == "+" && length(group) == 3L && all(vapply(group[-1L], is_variable, NA))) {
    return(as.list(group)[-1L])
  }
  if (is_variable(group)) {
    return(list(group))
  }
  abort_input(
    "formula", call, "The formula must be `values ~ group`{if (several) ', or `values ~ a + b` of two factors'}.",
    "You supplied `{deparse_short(formula)}`.",
    "The units of `group / unit` are `units = unit`, blocks are `strata = block`, cells are `interaction(a, b)`."
  )
}

called_name <- function(term) if (is.call(term)) as.character(term[[1L]])[1L] else ""

# A column, or a function of columns that is no term of a model.
is_variable <- function(term) {
  if (called_name(term) == "(") {
    return(is_variable(term[[2L]]))
  }
  operators <- c("+", "*", ":", "-", "/", "%in%", "|", "^", "Error", "strata", "offset")
  !is.null(term) && !is.numeric(term) && !identical(term, quote(.)) && !called_name(term) %in% operators
}

check_group <- function(values, term, call) {
  if (!is.double(values) || is.object(values) || all(values == round(values), na.rm = TRUE)) {
    return(values)
  }
  abort_input(
    "formula", call, "A grouping variable must be a factor, text, or whole numbers.",
    "`{deparse_short(term)}` has the value {format(values[values != round(values)][1L])}.",
    "Groups of a measurement are `cut({deparse_short(term)}, 3)`."
  )
}

formula_value <- function(term, formula, data, call) {
  catch_error(eval(term, data, environment(formula)), error = function(e) {
    why <- conditionMessage(e)
    abort_input("formula", call, "The formula must name variables of `data`.", "`{deparse_short(term)}`: {why}.")
  })
}

# The left side of a formula: `.` is all other columns, a + b a list of columns, as in kgroups(~ a + b).
formula_values <- function(formula, data, call) {
  left <- formula[[2L]]
  groups <- all.vars(formula[[3L]])
  if (identical(left, quote(.)) && is.data.frame(data)) {
    return(as.data.frame(data)[!names(data) %in% groups])
  }
  if (!is.call(left) || !as.character(left[[1L]])[1L] %in% c("+", "-")) {
    return(formula_value(left, formula, data, call))
  }
  if (!is.data.frame(data)) {
    names <- all.vars(left)
    data <- lapply(stats::setNames(names, names), function(name) formula_value(as.name(name), formula, data, call))
    data <- as.data.frame(data, optional = TRUE)
  }
  own <- stats::as.formula(call("~", left), environment(formula))
  structure(formula_columns(own, data[!names(data) %in% groups], call), formula = NULL)
}

# Some of the observations of any kind of data.
take_rows <- function(x, rows) {
  if (inherits(x, "dist")) {
    return(stats::as.dist(as.matrix(x)[rows, rows, drop = FALSE]))
  }
  if (brings_kernel(x)) {
    return(structure(x[rows, rows, drop = FALSE], class = oldClass(x)))
  }
  if (is.null(dim(x))) x[rows] else x[rows, , drop = FALSE]
}

# ---- lists ----

# Return all rows of a list of samples as one table, with the labels and sizes of the samples.
bind_samples <- function(samples, call) {
  names <- names(samples) %||% character(length(samples))
  unnamed <- !nzchar(names)
  names[unnamed] <- as.character(seq_along(samples))[unnamed]
  if (length(samples) < 2L || anyDuplicated(names)) {
    twice <- names[anyDuplicated(names)]
    abort_input(
      "x", call, "A list of samples must have at least two, with different names.",
      if (length(twice)) "You supplied the name {quoted(twice)} twice." else "You supplied {length(samples)}."
    )
  }
  shown <- ifelse(unnamed, sprintf("x[[%d]]", seq_along(samples)), names)
  samples <- Map(same_time, samples, shown, MoreArgs = list(first = samples[[1L]], call = call))
  rows <- unlist(lapply(samples, names_of_rows), use.names = FALSE)
  samples <- Map(as_sample, samples, shown, MoreArgs = list(first = samples[[1L]], call = call))
  sizes <- vapply(samples, nrow, 0L)
  if (min(sizes) == 0L) abort_no_observation(shown[sizes == 0L][1L], call)
  named <- Find(function(x) !is.null(colnames(x)), samples)
  samples <- lapply(samples, function(x) {
    if (is.null(colnames(x)) && ncol(x) == NCOL(named %||% x)) colnames(x) <- colnames(named)
    x
  })
  if (any(vapply(samples, is.data.frame, NA))) {
    samples <- lapply(samples, function(x) as.data.frame(if (isS4(x)) as.matrix(x) else x))
  }
  first <- samples[[1L]]
  others <- Map(function(y, name) paired_columns(first, y, name, call), samples[-1L], shown[-1L])
  x <- do.call(rbind, c(list(first), unname(others)))
  rownames(x) <- if (length(rows) == nrow(x) && !anyNA(rows) && !anyDuplicated(rows) && all(nzchar(rows))) rows
  list(x = x, labels = factor(rep(names, sizes), names), sizes = unname(sizes))
}

abort_no_observation <- function(name, call) {
  abort_input(
    "x", call, "Every sample must have an observation.", "`{name}` has none.", "Check how `{name}` was made."
  )
}

as_sample <- function(x, arg, first, call) {
  labels <- is.logical(x) && is.null(dim(x)) && !is.logical(first)
  x <- plain_numbers(check_matrix_object(x, call, arg))
  if (is_plain_vector(x)) x <- matrix(x, ncol = 1L)
  if (inherits(x, "simil")) abort_no_data(x, call)
  plain <- if (is.data.frame(x)) vapply(x, function(column) is.numeric(column) && !is.object(column), NA)
  if (length(plain) && all(plain)) x <- as.matrix(x)
  if (!is.matrix(x) && !is.data.frame(x) && !is_sparse_rows(x) || is_gram(x) || labels) {
    abort_argument(
      x, arg, "be a matrix, data frame or vector of numbers.",
      "Labels of groups, also of dissimilarities and Gram matrices, are `g`.", if (arg == "y") "y" else "x", call
    )
  }
  x
}

# The columns of a sample in the order and with the names of those of x: by name if both have names, else by
# position. Columns of data frames must be of the same types.
paired_columns <- function(x, y, arg, call) {
  if (ncol(x) != ncol(y)) {
    abort_input(
      "y", call, "`x` and `{arg}` must have the same columns.", "They have {ncol(x)} and {ncol(y)}.",
      "Labels of the observations in `x` are `g`."
    )
  }
  at <- place_columns(
    seq_len(ncol(x)), plain_names(colnames(x)), ncol(x), plain_names(colnames(y)), ncol(y), arg, "y", call
  )
  y <- y[, at, drop = FALSE]
  colnames(y) <- colnames(x)
  if (is.data.frame(x)) {
    Map(
      function(old, new) if (!all(is.na(old$values))) as_old_column(new, old, arg, "y", call),
      read_table(x, "x", "x", call)$columns, read_table(y, arg, "y", call)$columns
    )
  }
  y
}

# ---- checks ----

# The problem of the points of samples, made by `make`.
samples_problem <- function(samples, semimetric, call, make = all_pairs_problem) {
  points <- samples$points
  make(points, if (!brings_kernel(points) || is_connected(semimetric)) semimetric, samples$weights, call)
}

# Return the `problem` of the observations of positive weight, their `labels`, `strata` and `units`, and names
# (`groups`) and `sizes` of the groups, after the message about groups that were found from the data.
test_problem <- function(samples, semimetric, call, make = all_pairs_problem, statistic = "S") {
  problem <- samples_problem(samples, semimetric, call, make)
  labels <- check_groups(samples$labels, problem, statistic, call)
  groups <- attr(labels, "levels")
  rows <- inside_rows(problem)
  strata <- if (!is.null(samples$strata)) check_labels(samples$strata, problem$n, "strata", call)
  units <- check_whole_units(
    samples$units, list(g = labels, strata = strata)[c(TRUE, !is.null(strata))], problem$n, rows, call
  )
  sizes <- stats::setNames(tabulate(labels, length(groups)), groups)
  if (length(rows) < problem$n) problem <- subset_problem(problem, rows)
  labels <- as.integer(labels)[rows]
  first <- if (is.null(units)) seq_along(rows) else match(seq_along(units$names), units$code)
  if (all(tabulate(labels[first]) == 1L)) {
    abort_input(
      "units", call, "At least one group must have more than one unit.",
      "You supplied {length(first)} unit{?s} in {length(groups)} groups.",
      "Use smaller units, if their rows are independent."
    )
  }
  strata <- exchangeable(strata[rows][first], labels[first], if (is.null(units)) "strata" else "units", call)
  warn_found_groups(samples$labels, problem, labels, samples$known)
  if (!is.null(units)) inform_unit_sizes(labels[first], tabulate(units$code))
  list(problem = problem, labels = labels, strata = strata, units = units, groups = groups, sizes = sizes)
}

check_groups <- function(g, problem, statistic, call = rlang::caller_env()) {
  labels <- check_labels(g, problem$n, "g", call, problem$names)
  groups <- attr(labels, "levels")
  k <- length(groups)
  size <- tabulate(labels[problem$w > 0], k)
  if (k < 2L || any(size == 0) || all(size == 1)) {
    abort_input(
      "g", call, "`g` must form at least two groups, each with an observation of positive weight, one with two.",
      if (any(size == 0)) "Group {quoted(groups[size == 0][1L])} has none." else "Their sizes are {sizes_text(size)}.",
      "Use one label for each sample; drop groups without observations."
    )
  }
  if (statistic == "H" && k != 2L) {
    abort_input(
      "statistic", call, "`statistic = \"H\"` compares two groups.", "`g` forms {k}.",
      "Use \"S\", \"F\" or \"original\" for more than two."
    )
  }
  labels
}

# Return NULL, or the numbers of each stratum; some stratum must hold labels of more than one group.
exchangeable <- function(strata, labels, arg, call) {
  parts <- if (is.null(strata)) list(seq_along(labels)) else unname(split(seq_along(labels), strata))
  if (!any(vapply(parts, function(rows) any(labels[rows] != labels[rows[1L]]), NA))) {
    abort_input(
      arg, call, "Some stratum must hold observations of more than one group.",
      "Within each of the {length(parts)} strata all labels are the same.",
      "Leave `strata` out, or use coarser ones: no permutation within these changes a label."
    )
  }
  if (!is.null(strata)) parts
}

# Return list(code, names): the unit of each of the observations `rows`; NULL without units. Values such as labels and
# strata must be constant in a unit.
check_whole_units <- function(units, values, n, rows, call = rlang::caller_env()) {
  if (is.null(units)) {
    return(NULL)
  }
  code <- check_labels(units, n, "units", call)
  names <- attr(code, "levels")
  for (arg in names(values)) {
    value <- as.integer(values[[arg]])
    first <- value[match(code, code)]
    if (any(first != value)) {
      at <- which(first != value)[1L]
      unit <- names[code[at]]
      abort_input(
        "units", call, "`{arg}` must be constant in a unit: labels are permuted among whole units.",
        "Unit {quoted(unit)} has several values.",
        "Use units within which it is constant, or `strata` for values compared within units."
      )
    }
  }
  present <- sort(unique(code[rows]))
  list(code = match(code[rows], present), names = names[present])
}

# Warn of groups that are a clustering. A message reports labels that no move of a single observation improves, in the
# units of the data or in standard deviations: they may be clusters too; not of a list of samples, or of groups that are
# a column of the data (`known`).
warn_found_groups <- function(g, problem, labels, known = FALSE) {
  if (is_clustering(g)) {
    kg_warn(c(
      "The groups are clusters found from data: the test has no level.",
      "x" = "Clusters differ by construction, so the p-value is small even for one distribution.",
      "i" = "Test groups that were fixed beforehand, or cluster one half of the data and test the other half."
    ), "level")
  } else if (!known && is_local_optimum(problem, labels)) {
    kg_inform(c(
      "The groups may be clusters found from the same data: they fit it as the clusters of a search do.",
      "i" = "If so, p-values are too small: clusters differ by construction.",
      "i" = "Fixed groups that are far apart also give this message."
    ), "level")
  }
}

# Ten or more observations a group: random labels of few are optimal by chance.
is_local_optimum <- function(problem, labels) {
  labels <- as.integer(labels)
  k <- max(labels)
  if (problem$n < 10L * k || k < 2L) {
    return(FALSE)
  }
  scalable <- !is.null(problem$points) && !is_line_problem(problem) && !is_connected(problem$semimetric)
  others <- if (scalable) in_sd_units(problem)
  no_move_improves(problem, labels, k) || !is.null(others) && no_move_improves(others, labels, k)
}

# Does every move of a single observation raise W (?kgroups, Algorithm), some of them really? Groups that do not differ,
# as those of equal values, are no optimum of a search.
no_move_improves <- function(problem, labels, k) {
  w <- problem$w
  s <- sum_by(w, labels, k)
  sums <- if (is_line_problem(problem)) sums_on_line(problem, labels, k) else group_sums(problem, labels, k)
  own <- cbind(seq_along(w), labels)
  V <- sum_by(w * sums[own], labels, k)
  s_of <- rep(s, each = length(w))
  d2 <- self_values(problem) + rep(V / s^2, each = length(w)) - 2 * sums / s_of
  come <- w * s_of / (s_of + w) * d2
  come[own] <- Inf
  left <- s[labels] - w
  gone <- ifelse(left > 0 & w > 0, w * s[labels] / left * d2[own], 0)
  change <- row_least(come) - gone
  slack <- 1e-10 * mean(abs(w * d2[own]))
  all(change >= -slack) && any(change > slack)
}

# The problem of the same points in columns of standard deviation 1, under rho_power(1).
in_sd_units <- function(problem) {
  x <- unname(problem$points)
  sd <- apply(x, 2L, stats::sd)
  varies <- is.finite(sd) & sd > 0
  if (any(varies)) {
    points_problem(x[, varies, drop = FALSE] / rep(sd[varies], each = nrow(x)), rho_power(1), problem$w, NULL)
  }
}
