# Input checks: numbers, dates and times as text. A reader is an expression of v that is evaluated before it is proposed.

# ---- dates and times ----

date_formats <- c(
  "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%y", "%d/%m/%y",
  "%m/%d/%y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d%b%Y", "%b %d, %Y", "%b %d %Y"
)
clock_formats <- c("%H:%M:%S", "%H:%M", "%I:%M %p", "%I:%M:%S %p")
month_formats <- c("%Y-%m", "%b %Y", "%b-%Y")
format_parts <- c(
  "%Y" = "(1[5-9]|2[01])[0-9]{2}", "%y" = "[0-9]{2}", "%m" = "(0?[1-9]|1[0-2])", "%d" = "(0?[1-9]|[12][0-9]|3[01])",
  "%b" = "[A-Za-z]{3,9}[.]?", "%H" = "([01]?[0-9]|2[0-4])", "%I" = "(0?[1-9]|1[0-2])", "%M" = "[0-5][0-9]",
  "%S" = "[0-5][0-9]([.][0-9]+)?", "%p" = "[AaPp][Mm]"
)

# Return the regular expression of all values of a format of strptime(), with a time zone after seconds.
format_pattern <- function(format) {
  out <- gsub(".", "[.]", format, fixed = TRUE)
  for (part in names(format_parts)) out <- sub(part, format_parts[[part]], out, fixed = TRUE)
  sprintf("^%s%s$", gsub(" ", " ?", out, fixed = TRUE), if (grepl("[0-9dY].*%S$", format)) "( ?Z|[-+][0-9]{2}:?[0-9]{2})?" else "")
}

# Return list(what, reader, or, other) for text of dates or times, with another reader if nothing decides; NULL for other text.
read_dates <- function(text) {
  first <- function(formats) {
    fits <- Filter(function(format) all(grepl(format_pattern(format), text)), formats)
    # versions of software have points as well
    if (any(nchar(text) != 8L)) setdiff(fits, "%d.%m.%y") else fits
  }
  fits <- first(date_formats)
  if (length(fits)) {
    out <- list(what = "dates", reader = bquote(as.Date(v, .(fits[1L]))))
    open <- startsWith(fits[1L], "%d") && any(startsWith(fits, "%m"))
    if (open) out[c("or", "other")] <- list("the month comes first", bquote(as.Date(v, .(fits[startsWith(fits, "%m")][1L]))))
    return(out)
  }
  fits <- first(paste0(rep(date_formats, each = 8L), c(paste0("T", clock_formats[1:2]), paste0(" ", clock_formats), paste0(", ", clock_formats[1:2]))))
  zones <- unique(sub("^.*[0-9]([-+][0-9]{2}:?[0-9]{2})$|.*", "\\1", text))
  if (length(fits) && length(zones) == 1L) {
    return(list(what = "dates and times", reader = bquote(as.POSIXct(v, tz = "UTC", format = .(fits[1L])))))
  }
  fits <- first(clock_formats)
  if (length(fits)) {
    return(list(what = "times", reader = bquote(as.numeric(as.difftime(as.character(v), .(fits[1L]), units = "hours")))))
  }
  fits <- first(month_formats)
  # 2009-10, 2010-11 and 2011-12 are seasons
  if (length(fits) && any(substr(text, 6L, 7L) != sprintf("%02d", (suppressWarnings(as.integer(substr(text, 3L, 4L))) + 1L) %% 100L))) {
    list(what = "dates", reader = bquote(as.Date(paste("1", v), .(paste("%d", fits[1L])))))
  }
}

# ---- numbers ----

plain_number <- "^[ \t]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$"
comma_number <- "^[ \t]*[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?[ \t]*$"
marks <- "[,'\u2019 \u00a0\u202f]"
english_number <- sprintf("^([0-9]{1,3}(%1$s[0-9]{2,3})*%1$s[0-9]{3}|[0-9]*)([.][0-9]*)?$", marks)
european_number <- sprintf("^([0-9]{1,3}(%s[0-9]{3})+|[0-9]*)(,[0-9]+)?$", sub(",", ".", marks, fixed = TRUE))

# Sign or bracket, a limit or a currency, the sign, the number, and the rest, as a unit.
number_parts <- paste0(
  "^[ \t]*([-(]?)((?:[<>~\u2264\u2265\u2248]=?|[$\u20ac\u00a3\u00a5]|US[$]|Rs[.]?|EUR|USD|GBP|CHF|JPY|CAD|AUD)?) *([-+]?)",
  "([0-9](?:[0-9.,'\u2019 \u00a0\u202f]*[0-9.])?|[.][0-9]+)[ \u00a0\u202f]*(.*?)[ \t]*$"
)

# Return list(what, reader, note, or, other) for text of numbers with marks; NULL for other text.
read_marked <- function(text) {
  minus <- any(grepl("\u2212", text, fixed = TRUE))
  parts <- regmatches(chartr("\u2212", "-", text), regexec(number_parts, chartr("\u2212", "-", text), perl = TRUE))
  if (any(lengths(parts) != 6L)) {
    return(NULL)
  }
  parts <- do.call(rbind, parts)
  number <- parts[, 5L]
  bracket <- parts[, 2L] == "("
  rest <- parts[, 6L]
  if (any(grepl("^0[0-9]", number)) || any(bracket != endsWith(rest, ")"))) {
    return(NULL)
  }
  rest <- sub("[)]$", "", rest)
  error <- "^(\u00b1|[+]/-) *[0-9.,]+$"
  limit <- grepl("^[<>~\u2264\u2265\u2248]", parts[, 3L]) | grepl("^([+]|[*]+)$", rest)
  unit <- setdiff(sub("^([+]|[*]+)$", "", rest), "")
  many <- length(text) > 5L
  inner <- if (all(grepl(error, rest))) {
    quote(sub("(.[0-9.]*) *[^-.,0-9 ].*", "\\1", v))
  } else if (length(unit) > 1L || length(unit) == 1L && !grepl(unit_pattern, unit) || !many && any(nchar(unit) > 3L)) {
    return(NULL)
  } else if (length(unit) && grepl("[-.,0-9]", unit)) {
    bquote(sub(.(unit), "", v, fixed = TRUE))
  } else {
    quote(v)
  }
  if (minus) inner <- bquote(chartr(intToUtf8(8722), "-", .(inner)))
  if (any(bracket)) inner <- bquote(sub("(", "-", .(inner), fixed = TRUE))
  reader <- number_reader(number, inner, affixes = any(nzchar(parts[, c(2L, 3L, 6L)])))
  if (is.null(reader)) {
    return(NULL)
  }
  # "2+" may be a grade
  if (any(limit) && any(nzchar(rest)) && length(text) < 8L) {
    return(NULL)
  }
  shown <- encodeString(utils::head(text[limit], 1L), quote = "\"")
  note <- if (any(limit)) sprintf("It takes values such as %s as the number itself.", shown)
  c(list(what = "numbers", note = note), reader)
}

unit_pattern <- "^(\u00b0[CFCK]?|[%\u2030\u20ac\u00a3$]|[a-zA-Z\u00b5\u03bc]{1,10}|[a-zA-Z\u00b5\u03bc]{1,5}/[a-zA-Z]{1,5}[23\u00b2\u00b3]?|[a-z]{1,2}[23\u00b2\u00b3])$"

# Return the reader of numbers in English or in European form, and the other one if nothing decides.
number_reader <- function(number, inner, affixes) {
  english <- bquote(as.numeric(gsub("[^-.0-9]", "", .(inner))))
  european <- bquote(as.numeric(sub(",", ".", gsub("[^-,0-9]", "", .(inner)))))
  comma <- grepl(",", number, fixed = TRUE)
  if (all(grepl(english_number, number))) {
    open <- any(comma) && all(grepl("^[1-9][0-9]{0,2},[0-9]{3}$", number[comma])) && !any(grepl(".", number, fixed = TRUE))
    c(list(reader = english), if (open) list(or = "the comma is the decimal mark", other = european))
  } else if (all(grepl("^[0-9]*([.,][0-9]+)?$", number)) && !affixes) {
    list(reader = bquote(as.numeric(sub(",", ".", .(inner)))))
  } else if (all(grepl(european_number, number))) {
    list(reader = european)
  }
}

# Two numbers a value, as coordinates.
read_pairs <- function(text) {
  number <- "[-+]?[0-9]+[.][0-9]+"
  if (all(grepl(sprintf("^[ (]*%s *[,;] *%s[ )]*$", number, number), text))) {
    reader <- quote(t(sapply(strsplit(gsub("[() ]", "", v), "[,;]"), function(p) as.numeric(p[1:2]))))
    list(what = "pairs of numbers", reader = reader)
  }
}

# ---- columns ----

# Is a column text or an unordered factor?
is_text_column <- function(column) {
  (is.character(column) || is.factor(column) && !is.ordered(column) && is.character(levels(column))) && is.null(dim(column))
}

# Return list(what, reader, ..., lost) for a column of text whose values nearly all read as numbers, dates or times; NULL
# for others. `lost`: words that become NA.
text_numbers <- function(column) {
  if (!is_text_column(column)) {
    return(NULL)
  }
  values <- as.vector(column)
  values <- values[!is.na(values) & !is_missing_word(values)]
  text <- unique(values)
  is <- function(pattern, of = text) grepl(pattern, of, useBytes = TRUE)
  # a short first pass: most categories are words
  if (length(text) < 3L || !any(is("[0-9]", utils::head(text, 100L)))) {
    return(NULL)
  }
  count <- tabulate(match(values, text))
  few <- function(text) is.factor(column) && length(text) <= 10L
  share <- function(good) sum(count[good]) / sum(count)
  good <- is(plain_number)
  words <- !is("[0-9]")
  enough <- function(good) {
    some <- sum(good) >= 3L && sum(!good) <= 3L
    some && (share(good) >= 0.9 || sum(good) >= 10L && all(words[!good]) && share(good) >= 0.5)
  }
  # codes such as 007 are no numbers
  codes <- any(is("^0[0-9]+$"))
  dates <- good & is("^(19|20)[0-9]{6}$")
  found <- if (all(good) && all(dates) && !few(text)) read_dates(text)
  if (is.null(found) && enough(good) && !codes && !(few(text[good]) && all(is("^[0-9]+$", text[good])))) {
    marked <- if (any(!good & !words)) read_marked(as_utf8(text[!words]))
    if (is.null(marked)) {
      return(list(what = "numbers", reader = quote(as.numeric(as.character(v))), lost = text[!good]))
    }
    found <- marked
  }
  kept <- !words
  if (is.null(found) && !few(text) && enough(kept)) {
    # regular expressions on a part of many values
    some <- as_utf8(text[kept])[evenly_spaced(seq_len(sum(kept)), 5000)]
    for (read in list(read_dates, read_pairs, if (!codes) read_marked)) {
      if (is.null(found) && !is.null(read)) found <- read(some)
    }
  }
  if (is.null(found)) {
    return(NULL)
  }
  value <- suppressWarnings(tryCatch(eval(found$reader, list(v = text[kept])), error = function(e) NA))
  if (mean(is.na(value)) > 0.02) {
    return(NULL)
  }
  c(found, list(lost = text[words]))
}

# Report columns of text of numbers, dates or times, with the code that reads them.
inform_text <- function(x) {
  found <- lapply(x, text_numbers)
  names <- column_label(names(x), seq_along(x))
  kind <- vapply(found, function(one) if (is.null(one)) "" else paste(deparse1(one$reader), one$note), "")
  kind[names %in% reported$names] <- ""
  text <- vapply(x, is_text_column, NA)
  for (j in which(!text)) inform_missing_labels(x[[j]], names[j])
  # as.numeric() of numbers as text makes NA of such words
  words <- lapply(x[text & !nzchar(kind)], missing_in)
  for (set in setdiff(unique(words), list(NULL))) {
    same <- vapply(words, identical, NA, set)
    report_code(names[text & !nzchar(kind)][same], encodeString(set, quote = "\""), TRUE, 0)
  }
  for (one in setdiff(unique(kind), "")) {
    at <- which(kind == one)
    first <- found[[at[1L]]]
    column <- sprintf("x[[%s]]", encodeString(names[at[1L]], quote = "\""))
    code <- function(reader) code_to_change(paste(column, "<-", deparse1(do.call(substitute, list(reader, list(v = str2lang(column)))))))
    lost <- encodeString(unique(unlist(lapply(found[at], `[[`, "lost"))), quote = "\"")
    other <- if (!is.null(first$or)) sprintf("If %s, use `%s`.", first$or, code(first$other))
    note <- c(first$note, other, if (length(lost)) sprintf("It makes NA of %s.", in_words(utils::head(lost, 3L))))
    row <- if (length(note)) "text_note" else "text"
    report(row, names = names[at], what = first$what, use = code(first$reader), note = paste(note, collapse = " "))
  }
}
