# The control of a fit: number of clusters, method, start and effort. read_control() and complete_control() check the
# arguments for every interface.
#
#   k           clusters, an integer
#   method      "hartigan" or "lloyd"
#   init        NULL for the search, a name of the table of starts, or labels 1..k
#   nstart      number of starts, or NULL
#   iter.max    passes of one local search
#   size_term   clusters of unequal sizes?
#   approx      NULL, or landmarks
#   threads     for the compiled loops
#   keep.data   does the fit keep the data?
#   effort      multiple of the budget of the search

new_control <- function(k = NULL, method = "hartigan", init = NULL, nstart = NULL, iter.max = 100,
                        size_term = FALSE, approx = NULL, threads = 1, keep.data = TRUE, effort = 1) {
  out <- list(
    k = k, method = method, init = init, nstart = nstart, iter.max = iter.max,
    size_term = size_term, approx = approx, threads = threads, keep.data = keep.data,
    effort = effort
  )
  class(out) <- "kgroups_control"
  out
}

# Check the settings that need no problem.
read_control <- function(method = "hartigan", iter.max = 100, size_term = FALSE, approx = NULL,
                         threads = getOption("kgroups.threads", 1L), keep.data = TRUE, effort = 1,
                         call = rlang::caller_env()) {
  method <- check_choice(method, "method", names(method_codes), call = call)
  size_term <- check_size_term(size_term, method, approx, call)
  iter.max <- min(check_count(iter.max, "iter.max", 1, call = call), 1e9)
  keep.data <- check_flag(keep.data, "keep.data", call = call)
  threads <- check_threads(threads, call)
  effort <- check_effort(effort, call)
  if (!is.null(approx)) approx <- check_approx(approx, method, call)
  new_control(
    method = method, iter.max = iter.max, size_term = size_term, approx = approx,
    threads = threads, keep.data = keep.data, effort = effort
  )
}

check_effort <- function(effort, call = rlang::caller_env()) {
  if (is_number(effort) && effort > 0 && effort <= 1e6) {
    return(as.numeric(effort))
  }
  kg_abort(
    c(
      "{.arg effort} must be a number above 0.",
      "x" = "You supplied {describe(effort)}.",
      "i" = "1 is the default; 4 searches four times as long."
    ),
    "effort",
    call = call
  )
}

# The rest, for a problem: k, the number of starts, the start.
complete_control <- function(control, problem, k, init = NULL, nstart = NULL, call = rlang::caller_env()) {
  control["k"] <- list(check_k(k, problem, call))
  if (!is.null(nstart)) control$nstart <- check_count(nstart, "nstart", 1, 1e6, call = call)
  if (!is.null(init)) {
    if (!is.null(control$approx)) check_landmark_init(init, call)
    control$init <- check_init(init, problem, control$k, call)
  }
  control
}

# The same settings for another number of clusters, by the search.
control_for <- function(control, k) {
  control$k <- as.integer(k)
  control
}

check_k <- function(k, problem, call = rlang::caller_env()) {
  inside <- count_inside(problem)
  if (is_number(k) && k >= 1 && k <= inside && k == round(k)) {
    return(as.integer(k)) # the hints below cost more than a small fit
  }
  hint <- cli::format_inline(
    if (is.null(k)) {
      "State how many clusters to form; {.fn select_k} compares several numbers."
    } else if (length(k) > 1L && is.numeric(k)) {
      "One number of clusters a call; use {.fn lapply} for several."
    } else if (!is_number(k) || k <= inside) {
      "Give a whole number, such as {.code k = 3}."
    } else if (inside < problem$n) {
      "No more clusters than observations of positive weight ({inside} of {problem$n})."
    } else {
      "Lower {.arg k}, or pass more rows."
    }
  )
  k <- check_count(k, "k", 1, inside, hint = hint, call = call)
  as.integer(k)
}

# `init` as one of the names above, or labels as integers 1..k.
check_init <- function(init, problem, k, call = rlang::caller_env()) {
  if (is.null(init)) {
    return(NULL)
  }
  if (is.character(init) && length(init) == 1L && problem$n != 1L) {
    names <- store_starts(problem$store)
    if (identical(init, "k-means++")) init <- "kmeans++"
    if (init %in% names) {
      return(init)
    }
    kg_abort(
      c(
        "{.arg init} must be one of {.or {.val {names}}}, or labels.",
        "x" = "You supplied {.val {init}}."
      ),
      "init",
      call = call
    )
  }
  if (inherits(init, "kgroups_tree")) init <- stats::predict(init, k)
  if (is.data.frame(init) || is.matrix(init) && ncol(init) > 1L) {
    came <- describe(init)
    kg_abort(
      c(
        "{.arg init} must give one label for each of the {problem$n} observation{?s}.",
        "x" = "You supplied {came}.",
        "i" = "Centres cannot be given, as the means lie in the feature space: give the labels of a partition."
      ),
      "init",
      call = call
    )
  }
  if (is_numbered(init, problem, k)) {
    return(as.integer(init))
  }
  labels <- check_labels(init, problem$n, "init", call = call, names = problem$names, k = k)
  groups <- length(attr(labels, "levels"))
  filled <- length(unique(labels[problem$w > 0]))
  if (groups != k || filled != k) {
    kg_abort(
      c(
        "The labels in {.arg init} must form {.arg k} = {k} group{?s} of positive weight.",
        "x" = "They form {filled}.",
        "i" = "Ask for {filled} cluster{?s}, or give other labels."
      ),
      "init",
      call = call
    )
  }
  as.integer(labels)
}

# Are these the integers 1..k already, one for each observation and all of them used? They are what most starts are.
is_numbered <- function(init, problem, k) {
  if (!is.integer(init) || is.object(init) || length(init) != problem$n || min(problem$w) == 0) {
    return(FALSE)
  }
  sizes <- tabulate(init, k)
  sum(sizes) == problem$n && min(sizes) > 0L
}

init_name <- function(init) {
  if (is.null(init)) {
    return("search")
  }
  if (is.numeric(init)) "labels" else init
}

check_landmark_init <- function(init, call) {
  if (identical(init, "spectral") || identical(init, "sample")) {
    kg_abort(
      c(
        "{.arg init} with landmarks must be NULL, {.val kmeans++}, {.val random} or labels.",
        "x" = "You supplied {.val {init}}.",
        "i" = "Leave {.arg init} out for the search."
      ),
      "approx",
      call = call
    )
  }
}

check_size_term <- function(size_term, method, approx, call) {
  size_term <- check_flag(size_term, "size_term", call = call)
  if (size_term && !is.null(approx)) {
    kg_abort(
      c(
        "{.code size_term = TRUE} needs the pairwise dissimilarities themselves.",
        "x" = "You supplied {.arg approx} too.",
        "i" = "Leave one of the two out."
      ),
      "size_term",
      call = call
    )
  }
  if (size_term && method != "hartigan") {
    kg_abort(
      c(
        "{.code size_term = TRUE} works with {.code method = \"hartigan\"}.",
        "x" = "You supplied {.val {method}}.",
        "i" = "Leave {.arg method} out."
      ),
      "size_term",
      call = call
    )
  }
  size_term
}

check_approx <- function(approx, method, call) {
  if (!inherits(approx, "kgroups_nystroem")) {
    kg_abort(
      c(
        "{.arg approx} must be NULL or {.fn nystroem}.",
        "x" = "You supplied {describe(approx)}.",
        "i" = "For example {.code approx = nystroem(256)}."
      ),
      "approx",
      call = call
    )
  }
  if (method != "hartigan") {
    kg_abort(
      c(
        "Landmarks go with {.code method = \"hartigan\"}.",
        "x" = "You supplied {.val {method}}.",
        "i" = "Leave {.arg approx} or {.arg method} out."
      ),
      "approx",
      call = call
    )
  }
  approx
}

# More clusters than distinct rows can only cut equal rows apart.
inform_distinct <- function(problem, k) {
  distinct <- distinct_rows(problem$points, k, if (min(problem$w) == 0) inside_rows(problem))
  if (distinct >= k) {
    return(invisible())
  }
  kg_inform(
    c(
      "There are fewer distinct observations ({distinct}) than clusters ({k}).",
      "i" = "Equal observations are divided at will, and W is 0 from {.arg k} = {distinct} on."
    ),
    "distinct"
  )
}

# Number of distinct rows, or anything from `enough` on: the first rows before all.
distinct_rows <- function(x, enough, rows = NULL, head = 10 * enough) {
  if (is.null(x)) {
    return(Inf)
  }
  if (is.null(rows) && head < nrow(x)) {
    some <- row_groups(x[seq_len(head), , drop = FALSE], enough)
    if (is.null(some)) {
      return(enough)
    }
  }
  group <- row_groups(x, enough, rows)
  if (is.null(group)) enough else max(group)
}

# Which rows are equal: each gets the number of its distinct row, in the order of the first ones. NULL from `enough` distinct
# rows on: column by column, so that the usual case is over after one.
row_groups <- function(x, enough, rows = NULL) {
  group <- NULL
  for (column in seq_len(ncol(x))) {
    value <- if (is.null(rows)) x[, column] else x[rows, column]
    values <- unique(value)
    if (length(values) >= enough) {
      return(NULL)
    }
    code <- match(value, values)
    if (!is.null(group)) code <- code + length(values) * (group - 1)
    codes <- unique(code)
    if (length(codes) >= enough) {
      return(NULL)
    }
    group <- match(code, codes)
  }
  group
}
