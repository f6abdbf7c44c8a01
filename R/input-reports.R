# Input checks: the texts of the reports.

# One row a report: the text, and what to do. Values in braces are named by the check; the name of a
# row begins with the class of the condition.
input_reports <- list(
  labels = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} ha{?s/ve} a label for every value and count{?s/} as numbers.",
    "If they are categories, pass {.code haven::as_factor(x)}."
  ),
  labels_values = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} ha{?s/ve} a label for every value and count{?s/} as numbers.",
    "If they are categories, use {.code v <- attr({at}, \"{attribute}\")} and {.code {at} <- factor({at}, v, names(v))}."
  ),
  twice = c(
    # nolint start: line_length_linter.
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} equal{?s/} {cli::qty(names)}{?an earlier column, which counts/earlier columns, which count} twice.",
    # nolint end
    "Unless that is intended, use {.code {use}}."
  ),
  text = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} hold{?s/} {what} as text and count{?s/} as categories.",
    "For {what} use {.code {use}}."
  ),
  text_note = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} hold{?s/} {what} as text and count{?s/} as categories.",
    "For {what} use {.code {use}}.", "{note}"
  ),
  code = c(
    # nolint start: line_length_linter.
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} {cli::qty(names)}ha{?s/ve} {code}, which {cli::qty(count)}look{?s/} like {cli::qty(count)}{?a code/codes} for missing values.",
    # nolint end
    "If so, use {.code {use}}."
  ),
  groups = c(
    # nolint start: line_length_linter.
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} {cli::qty(names)}ha{?s/ve} {k} categories, as many as there are clusters.",
    # nolint end
    "If {cli::qty(names)}{?it holds/they hold} the known groups, leave {cli::qty(names)}{?it/them} out."
  ),
  groups_named = c(
    "In {.arg x} column {.field {name}} has {k} different whole numbers, which count as numbers.",
    "If it holds the known groups, leave it out."
  ),
  index_order = c(
    "The rows of {.arg x} are not in the order of {.field {names}}: changes are those of the rows as they are.",
    "If it is the time, use {.code x[order(x[[{quoted}]]), ]}."
  ),
  separates = c(
    # nolint start: line_length_linter.
    "{cli::qty(names)}Column{?s} {.field {names}} of {.arg x} alone {cli::qty(names)}give{?s/} {what}: each of {cli::qty(names)}{?its/their} values lies in one of them.",
    # nolint end
    "If {cli::qty(names)}{?it holds/they hold} the known groups, leave {cli::qty(names)}{?it/them} out: {.code {use}}."
  ),
  group = c(
    "Column {.field {name}} of {.arg x} is the groups themselves: it has one value in each of them.",
    "Leave it out: {.code {use}}."
  ),
  grouped = c(
    "{.arg x} is grouped by {.field {names}}: all rows are clustered together, and the grouping is one of the columns.",
    "Leave {cli::qty(names)}{?it/them} out, or call the function for each group."
  ),
  survival = c(
    "In {.arg x} column {.field {names}} holds survival times: the time and the status count as two numbers.",
    "Leave {cli::qty(names)}{?it/them} out, or keep the time alone."
  ),
  counts = c(
    "{.arg x} looks like a table of counts: column {.field {name}} counts as a measurement.",
    "For the counts as weights use {.code {use}} with {.code weights = x[[{quoted}]]}."
  ),
  index = c(
    "In {.arg x} column {.field {names}} rise{?s/} by the row: it looks like the time of the observation.",
    "If so, leave {cli::qty(names)}{?it/them} out, or the order of the rows decides."
  ),
  long = c(
    "{.arg x} looks like series in long form: {series} of {.field {name}} at {times} of {.field {time}}, one row each.",
    "For clusters of series use a row a series: {.code reshape(as.data.frame(x), idvar = {quoted}, timevar = {clock}, direction = \"wide\")[-1]}."
  ),
  edges = c(
    "{.arg x} looks like a list of edges: two columns of the same labels.",
    "For the graph itself pass {.code {use}}."
  ),
  dissimilarities_long = c(
    "{.arg x} looks like dissimilarities in long form: two columns of the same labels and a value for every pair.",
    "Use {.code x <- {table}}, {.code v <- unique(unlist(x[1:2]))} and {.code d <- matrix({rest}, length(v), length(v))}.{note}",
    "Then {.code i <- sapply(x[1:2], match, v)}, {.code d[i] <- d[i[, 2:1]] <- x[[3]]} and {.code as.dist(d)}."
  ),
  edges_weighted = c(
    "{.arg x} looks like a list of edges: two columns of the same labels and one of weights.",
    "For the graph itself pass {.code {use}}."
  ),
  id = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} look{?s/} like the number of the observation.",
    "If so, leave {cli::qty(names)}{?it/them} out: such numbers do not describe the observation."
  ),
  scale = c(
    "The standard deviation of column {.field {large}} of {.arg x} is {fold} times that of {.field {small}}: {.field {small}} hardly affects distances.",
    "Unless that is intended, use {reported$scale}."
  ),
  scale_share = c(
    "The variance of column {.field {large}} is {share} percent of that of all columns of {.arg x}: it alone decides most distances.",
    "Unless that is intended, use {reported$scale}."
  ),
  nominal = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} hold{?s/} codes, which count as numbers.",
    "Leave {cli::qty(names)}{?it/them} out, {.code {use}}, or make {?a factor/factors} of {cli::qty(names)}{?it/them}."
  ),
  direction = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} hold{?s/} directions in degrees: 359 and 1 count as far apart.",
    "For directions on the circle use {.code {use}}."
  ),
  text_day = c(
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} hold{?s/} dates such as 20240131, which count as numbers.",
    "For dates use {.code {use}}."
  ),
  calendar = c(
    # nolint start: line_length_linter.
    "In {.arg x} {cli::qty(names)}column{?s} {.field {names}} look{?s/} like {cli::qty(names)}{?a part/parts} of a date or time and count{?s/} as {cli::qty(names)}{?a measurement/measurements}.",
    # nolint end
    "Unless that is intended, leave {cli::qty(names)}{?it/them} out: {.code {use}}."
  ),
  degrees = c(
    "Columns {.field {names}} of {.arg x} look like degrees of longitude and latitude.",
    "Use {.code semimetric = rho_metric(\"haversine\")} for great-circle distances; others take degrees as coordinates in a plane."
  ),
  gram = c(
    "{.arg x} is a symmetric matrix and was taken as data.",
    "Pass {.code as_gram(x)} if it is a Gram matrix."
  ),
  gram_matrix = c(
    "{.arg x} is a symmetric {.cls Matrix} and was taken as a Gram matrix.",
    "Pass {.code as_gram(x)} if it is one, {.code as.matrix(x)} if its rows are data."
  ),
  adjacency = c(
    "{.arg x} looks like the adjacency matrix of a graph, but was taken as {taken}.",
    "For the graph itself pass {.code igraph::graph_from_adjacency_matrix({matrix}, mode = \"undirected\")}."
  ),
  adjacency_weighted = c(
    "{.arg x} looks like the weighted adjacency matrix of a graph, but was taken as data.",
    "For the graph itself pass {.code {use}}."
  ),
  dissimilarities = c(
    "{.arg x} looks like {what} of dissimilarities, but was taken as data.",
    "Pass {.code {use}} if it is one."
  ),
  dissimilarities_cross = c(
    "{.arg x} has the distances to other points in its columns, and was taken as data.",
    "For distances among its observations use {.fn proxy::dist} of these alone; for data {.code unclass(x)}."
  ),
  dissimilarities_gram = c(
    "{.arg x} is 0 on the diagonal: it looks like dissimilarities, but was taken as a Gram matrix.",
    "Pass {.code as.dist(as.matrix(x))} if they are."
  ),
  dissimilarities_sparse = c(
    "{.arg x} is 0 on the diagonal: it looks like dissimilarities, but was taken as a Gram matrix.",
    "Pass {.code as.dist(as.matrix(x))} if they are.",
    "For weights of a graph pass {.code igraph::graph_from_adjacency_matrix(x, mode = \"undirected\", weighted = TRUE)}."
  ),
  similarities = c(
    "{.arg x} looks like similarities, but was taken as dissimilarities.",
    "All values lie between 0 and 1, and {.code 1 - x} is nearer to the triangle inequality than {.arg x}.",
    "Pass {.code 1 - x} if large values mean similar observations."
  ),
  similarities_triangle = c(
    "{.arg x} looks like one triangle of a matrix of similarities, but was taken as data.",
    "Pass {.code {use}} if it is one."
  )
)

# Classes of warnings; others are messages.
reported_as_warning <- c("adjacency", "dissimilarities", "similarities")

# Columns that a call has reported (the first report of a column is the cause of others), and those `left` out.
reported <- new.env()

# Hints for row_blocks() where those of a table differ.
block_hints <- c(
  labels = "If they are categories, use {.code x <- row_blocks(x, haven::as_factor)}.",
  counts = "For the counts as weights use {.code weights = {quoted}}.",
  scale = "Unless that is intended, use {.code standardize = \"within\"}, or {.code TRUE}.",
  scale_share = "Unless that is intended, use {.code standardize = \"within\"}, or {.code TRUE}."
)
bound_reports <- c("long", "edges", "adjacency", "dissimilarities", "similarities", "gram")

# Report a row with the values of its braces.
report <- function(row, ...) {
  text <- input_reports[[row]]
  if (isTRUE(reported$blocks)) {
    if (row %in% names(block_hints)) text[2L] <- block_hints[[row]]
    if (sub("_.*", "", row) %in% bound_reports) {
      text <- append(text, "Bind the blocks first: {.code x <- do.call(rbind, lapply(seq_len(x$n), x$reader))}.", 1L)
    }
  }
  names(text) <- c("", rep("i", length(text) - 1L))
  class <- sub("_.*", "", row)
  values <- list(...)
  if (class == "code") values$use <- code_to_change(values$use)
  reported$names <- c(reported$names, values$names)
  raise <- if (class %in% reported_as_warning) kg_warn else kg_inform
  raise(text, class, .envir = list2env(values, parent = environment()))
}

# Code that changes the table x; for blocks within a function of a block.
code_to_change <- function(code) if (isTRUE(reported$blocks)) sprintf("x <- row_blocks(x, function(x) {%s; x})", code) else code

# Code for the table x without some columns, for data frames of any class and for matrices; for blocks an argument.
code_without <- function(names) {
  if (isTRUE(reported$sparse)) {
    return(sprintf("x[, !colnames(x) %%in%% %s]", deparse_short(names)))
  }
  names <- vapply(names, function(name) deparse1(as.name(name), backtick = TRUE), "", USE.NAMES = FALSE)
  if (isTRUE(reported$blocks)) {
    return(sprintf("column_weights = c(%s)", paste(names, "= 0", collapse = ", ")))
  }
  sprintf("subset(x, select = -%s)", if (length(names) > 1L) sprintf("c(%s)", paste(names, collapse = ", ")) else names)
}
