# Input checks of columns: codes for missing values.

# The same in every column; sentences in any case; and answers that are codes beside one of them.
missing_words <- c(
  ".", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "-", "--", "---", "\u2013", "\u2014", "?", "??", "NULL", "null", "NaN", "nan", "<NA>",
  "#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "(blank)", "(null)"
)
missing_phrases <- "^[ \t]*$|^(missing|unknown|not (known|available|stated|recorded)|no data|don'?t know|[(]?missing[)]?)$"
missing_answers <- "^(refused|no answer|not applicable)$"
is_missing_word <- function(x) {
  x <- as_utf8(x)
  x %in% missing_words | grepl(missing_phrases, lower_ascii(x)) & !is.na(x)
}

missing_numbers <- c(outer(c(1, -1), c(99, 98, 97, 88, 999, 998, 997, 888, 9999, 9998, 8888, 99999, 999999)), -9, -8, -7)
# of files of other programs: the ends of integers, and numbers from 1e15
missing_fills <- c(-32768, -32767, 32767, 65535, -2147483648, -2147483647, 2147483647)
is_missing_number <- function(x) x %in% c(missing_numbers, missing_fills) | abs(x) >= 1e15
missing_labels <- "refus|don.?t know|no answer|not (applicable|stated)|missing|unknown|n/a|weiss nicht|keine angabe"

# Numbers such as -999 that lie far outside of the other values of their column; of two digits at least twice, beside
# whole numbers.
inform_codes <- function(points, frame) {
  inform_shared_code(points, frame)
  found <- list()
  for (j in seq_len(ncol(points))) {
    column <- points[, j]
    ends <- suppressWarnings(range(column, na.rm = TRUE))
    if (!any(is_missing_number(ends))) next
    values <- unique(column[!is.na(column)])
    rest <- values[!is_missing_number(values)]
    # large numbers of different values are measurements
    if (sum(abs(values) >= 1e15) > 1L) next
    if (length(rest) < 2L) next
    low <- min(rest)
    high <- max(rest)
    coded <- values[is_missing_number(values) & (values > 2 * high - low | values < 2 * low - high)]
    short <- abs(coded) < 100
    often <- vapply(coded, function(code) sum(column == code, na.rm = TRUE), 0) > 1
    whole <- all(rest == round(rest))
    coded <- coded[!short | often & whole & (coded > 0 | low >= 0)]
    coded <- union(coded, nearer_codes(column[!is.na(column)], values))
    if (length(coded) == 0L) next
    name <- column_label(colnames(points), j)
    if (name %in% reported$names) next
    key <- paste(sort(coded), collapse = " ")
    found[[key]] <- list(names = c(found[[key]]$names, name), code = sort(coded))
  }
  for (one in found) report_code(one$names, one$code, frame, ncol(points))
}

# Codes that lie nearer: two or more of 97, 98, 99 and 88, twice each, beyond a gap of whole numbers; a few values such as
# -1 and -9 in a column of larger numbers above 0.
nearer_codes <- function(column, values) {
  top <- intersect(values, c(88, 97, 98, 99))
  rest <- setdiff(values, top)
  twice <- vapply(top, function(code) sum(column == code) > 1L, NA)
  beyond <- length(top) > 1L && length(rest) > 1L && all(twice) && all(rest == round(rest)) &&
    min(top) > max(rest) + 0.2 * (max(rest) - min(rest))
  below <- values[values < 0]
  few <- length(below) > 0L && all(below %in% c(-1, -2, missing_numbers)) && sum(column < 0) > 1L && mean(column < 0) < 0.2
  # one such code below a gap that is wide beside those of the lower half of the others
  above <- sort(values[values >= 0])
  gap <- length(below) == 1L && below %in% missing_numbers && few && sum(column < 0) > 2L && length(above) >= 10L &&
    above[1L] - below > 2 * max(diff(above[2:ceiling(length(above) / 2)]))
  c(if (beyond) top, if (gap || few && stats::median(column[column >= 0]) > 10 * max(-below)) below)
}

# Dates such as 9999-12-31 and 1900-01-01 that lie farther from the others than those from each other.
inform_far_dates <- function(x) {
  for (j in which(vapply(x, function(column) inherits(column, c("Date", "POSIXct")) && !is_damaged(column), NA))) {
    day <- unique(as.Date(x[[j]]))
    day <- day[is.finite(day)]
    special <- format(day) %in% c("9999-12-31", "9999-01-01", "2999-12-31", "1900-01-01", "1899-12-31", "1899-12-30", "1970-01-01", "0001-01-01", "1800-01-01")
    rest <- as.numeric(day[!special])
    if (!any(special) || length(rest) < 2L) next
    far <- day[special & (as.numeric(day) > 2 * max(rest) - min(rest) | as.numeric(day) < 2 * min(rest) - max(rest))]
    name <- column_label(names(x), j)
    at <- sprintf("x[[%s]]", encodeString(name, quote = "\""))
    set <- paste(sprintf("as.Date(\"%s\")", format(far)), collapse = ", ")
    if (length(far) > 1L) set <- sprintf("c(%s)", set)
    if (length(far)) report("code", names = name, code = format(far), count = length(far), use = sprintf("%s[as.Date(%s) %%in%% %s] <- NA", at, at, set))
  }
}

# Report codes of some of p columns, with code that works for frames of any class, or for matrices.
report_code <- function(names, code, frame, p) {
  quoted <- ifelse(names %in% as.character(seq_len(p)), names, encodeString(names, quote = "\""))
  set <- if (is.numeric(code)) deparse1(as.numeric(code), control = "digits17") else paste(code, collapse = ", ")
  if (!is.numeric(code) && length(code) > 1L) set <- sprintf("c(%s)", set)
  use <- if (length(names) == 1L) {
    # x[, j] of a tibble is a table
    sprintf(if (frame) "x[[%1$s]][x[[%1$s]] %%in%% %2$s] <- NA" else "x[x[, %1$s] %%in%% %2$s, %1$s] <- NA", quoted, set)
  } else if (length(names) == p && length(code) == 1L) {
    sprintf("x[x == %s] <- NA", set)
  } else if (frame) {
    sprintf("for (j in c(%s)) x[[j]][x[[j]] %%in%% %s] <- NA", paste(quoted, collapse = ", "), set)
  } else {
    sprintf("for (j in c(%s)) x[x[, j] %%in%% %s, j] <- NA", paste(quoted, collapse = ", "), set)
  }
  if (isTRUE(reported$sparse)) use <- paste("x <- as.matrix(x);", use)
  report("code", names = names, code = code, count = length(code), use = use)
}

# Three or more columns of answers 1, ..., m (or 0, ...), at most 7, of which some have the same number beyond a gap.
inform_shared_code <- function(points, frame) {
  if (ncol(points) < 3L || nrow(points) < 10L) {
    return(invisible())
  }
  beyond <- vapply(seq_len(ncol(points)), function(j) {
    first <- points[seq_len(10L), j]
    if (!all(first %in% c(0:9, 88, 99, NA))) {
      return(0)
    }
    values <- sort(unique(points[, j]))
    m <- length(values)
    code <- values[m]
    short <- m >= 4L && code %in% c(8, 9, 88, 99) && values[m - 1L] <= 7 && code - values[m - 1L] >= 2
    often <- short && sum(points[, j] == code, na.rm = TRUE) > 1L
    if (often && values[1L] %in% 0:1 && all(diff(values[-m]) == 1)) code else 0
  }, 0)
  code <- unique(beyond[beyond > 0])
  code <- code[vapply(code, function(one) sum(beyond == one) >= 3L, NA)]
  if (length(code) == 1L) {
    report_code(column_label(colnames(points), which(beyond == code)), code, frame, ncol(points))
  }
}

# Return the words for missing values in a text column.
missing_in <- function(column) {
  values <- unique(as.vector(column))
  values <- values[!is.na(values)]
  words <- values[is_missing_word(values)]
  others <- setdiff(values, words)
  # signs, and countries of two letters
  if ("+" %in% others) words <- setdiff(words, c("-", "--", "---"))
  if (length(others) > 4L && all(grepl("^[A-Za-z]{1,2}$", others))) words <- setdiff(words, "NA")
  if (length(words) && length(others)) sort_text(c(words, others[grepl(missing_answers, lower_ascii(others))]))
}

# Labels of a code for missing values, as haven reads them.
inform_missing_labels <- function(column, name) {
  labels <- attr(column, "labels")
  if (!inherits(column, "haven_labelled") || !is.numeric(labels) || is_labelled(column)) {
    return(invisible())
  }
  # values that the file declares missing are so already
  coded <- labels[grepl(missing_labels, lower_ascii(names(labels))) & labels %in% without_user_missing(column)]
  if (length(coded)) {
    at <- sprintf("x[[%s]]", encodeString(name, quote = "\""))
    report(
      "code",
      names = name, code = sprintf("%s (%s)", coded, names(coded)), count = length(coded),
      use = sprintf("%s[%s %%in%% %s] <- NA", at, at, deparse_short(as.numeric(coded)))
    )
  }
}

# Are these numbers whose values all have labels, as in files of SPSS, Stata and SAS? Package haven has them in the attribute
# "labels", package foreign in "value.labels".
is_labelled <- function(column, attribute = if (inherits(column, "haven_labelled")) "labels" else "value.labels") {
  labels <- attr(column, attribute, exact = TRUE)
  is.numeric(unclass(column)) && length(names(labels)) > 0L && !is.factor(column) && all(unclass(column) %in% c(labels, NA))
}

inform_labelled <- function(x) {
  labelled <- vapply(x, is_labelled, NA)
  by_haven <- vapply(x, inherits, NA, "haven_labelled")
  if (any(labelled & by_haven)) report("labels", names = names(x)[labelled & by_haven])
  others <- names(x)[labelled & !by_haven]
  if (length(others)) {
    report("labels_values", names = others, at = sprintf("x[[%s]]", encodeString(others[1L], quote = "\"")), attribute = "value.labels")
  }
}
