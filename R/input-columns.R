# Input checks of columns: scales, places, identifiers.

# ---- scales of columns ----

inform_scale <- function(points) {
  if (ncol(points) < 2L) {
    return(invisible())
  }
  # a square matrix has all its rows here
  points <- points[evenly_spaced(seq_len(nrow(points)), 4000), , drop = FALSE]
  points <- times_power_of_two(points, -scaling_exponent(points))
  sd <- deviations(colMeans(points, na.rm = TRUE), colMeans(points^2, na.rm = TRUE), colnames(points))
  if (!report_ratio(sd) && length(sd) > 1L && dominates(sd) && !are_components(points)) report_share(sd)
}

# Return the standard deviations of columns from the means and mean squares, by name, without those that are constant up to
# rounding, which may make the variance negative.
deviations <- function(means, squares, names) {
  sd <- sqrt(pmax(squares - means^2, 0))
  names(sd) <- column_label(names, seq_along(sd))
  sd[is.finite(sd) & sd > 1e-7 * sqrt(squares)]
}

# Report two columns whose standard deviations are far apart. `scale`: by what the columns are chosen. Return whether there are.
report_ratio <- function(sd, scale = sd) {
  if (length(sd) < 2L) {
    return(FALSE)
  }
  large <- which.max(scale)
  small <- which.min(scale)
  ratio <- min(sd[large] / sd[small], scale[large] / scale[small])
  if (ratio > 100) {
    fold <- format(signif(ratio, 2), big.mark = ",", scientific = ratio > 1e6)
    report("scale", large = names(large), small = names(small), fold = fold)
  }
  ratio > 100
}

# Has one column most of the variance?
dominates <- function(sd) max(sd)^2 > 0.8 * sum(sd^2) && max(sd) > 5 * stats::median(sd[-which.max(sd)])

report_share <- function(sd) {
  report("scale_share", large = names(which.max(sd)), share = floor(100 * max(sd)^2 / sum(sd^2)))
}

# Are these principal coordinates, by their names or without any correlation? Their variances are meant.
are_components <- function(points) {
  named <- grepl("^(PC|Comp[.]?|Dim[.]?|MDS|PCoA|Axis[.]?|LD|V)[0-9]+$", colnames(points))
  r <- suppressWarnings(stats::cor(points))
  length(named) && all(named) || isTRUE(all(abs(r[upper.tri(r)]) < 1e-6))
}

# Parts of a date as whole numbers, by names and ranges; of a year at least two. `whole`: are these all columns?
inform_calendar <- function(points, whole = TRUE) {
  ranges <- list(year = c(1000, 2200), month = c(1, 12), day = c(1, 31), week = c(1, 53), weekday = c(0, 7), hour = c(0, 24), doy = c(1, 366), yday = c(0, 366))
  part <- match(lower_ascii(colnames(points) %||% character()), names(ranges))
  is_part <- vapply(seq_along(part), function(j) {
    if (is.na(part[j])) {
      return(FALSE)
    }
    values <- unique(points[, j])
    values <- values[!is.na(values)]
    range <- ranges[[part[j]]]
    length(values) > 1L && all(values == round(values) & values >= range[1L] & values <= range[2L])
  }, NA)
  if (any(is_part) && !(whole && all(is_part))) {
    names <- colnames(points)[is_part]
    report("calendar", names = names, use = code_without(names))
  }
}

is_number_column <- function(column, n) {
  is.numeric(column) && !isS4(column) && is.null(dim(column)) && length(column) == n && !inherits(column, c("Date", "POSIXct")) && !is_damaged(column)
}

# Columns of whole numbers that are codes or directions in degrees by their name, or dates as 20240131.
inform_nominal <- function(points, frame) {
  names <- lower_ascii(colnames(points) %||% character())
  whole <- function(v) length(v) > 4L && all(v == round(v))
  is_code <- grepl("^(.*[._ ])?(zip|zip_?code|post_?code|postal_?code|fips|ssn|phone|telephone|stratum|psu)$", names)
  is_angle <- grepl("^(.*[._ ])?(deg|degree|degrees|angle|direction|bearing|heading|azimuth|winddir|wind[._ ]?direction|wind[._ ]dir|aspect)$", names)
  kind <- vapply(seq_along(names), function(j) {
    v <- unique(points[!is.na(points[, j]), j])
    if (is_code[j] && whole(v)) {
      "nominal"
    } else if (is_angle[j] && length(v) > 4L && min(v) >= 0 && max(v) <= 360 && max(v) - min(v) > 180) {
      "direction"
    } else if (whole(v) && all(v >= 19000101 & v <= 21001231) && !anyNA(as.Date(as.character(v), "%Y%m%d"))) {
      "text_day"
    } else {
      ""
    }
  }, "")
  kind[colnames(points) %in% reported$names] <- ""
  for (one in setdiff(unique(kind), "")) {
    at <- colnames(points)[kind == one]
    quoted <- encodeString(at[1L], quote = "\"")
    column <- sprintf(if (frame) "x[[%s]]" else "x[, %s]", quoted)
    use <- switch(one,
      nominal = code_without(at),
      direction = sprintf("cbind(%s, cos = cospi(%s / 180), sin = sinpi(%s / 180))", code_without(at), column, column),
      text_day = sprintf("%1$s <- as.Date(as.character(%1$s), \"%%Y%%m%%d\")", column)
    )
    report(one, names = at, use = use)
  }
}

# Columns that equal an earlier one. Few values may agree by chance, unless the names do.
# `sums`: of the columns `number`, by which equal ones are found.
inform_equal_columns <- function(x, number, sums) {
  names <- if (is.data.frame(x)) names(x) else colnames(x) %||% as.character(seq_len(ncol(x)))
  plain <- sub("([.](1|2|3|x|y)|[.]{3}[0-9]+)$", "", names)
  key <- rep(NA_character_, ncol(x))
  text <- vapply(seq_len(ncol(x)), function(j) is.data.frame(x) && is_text_column(x[[j]]), NA)
  key[number] <- format(sums, digits = 15)
  key[text] <- plain[text]
  column <- function(j) as.vector(if (is.data.frame(x)) x[[j]] else x[, j])
  equal <- which(!is.na(key) & duplicated(key))
  equal <- equal[vapply(equal, function(j) {
    first <- match(key[j], key)
    values <- column(j)
    identical(column(first), values) && length(unique(values)) > if (plain[j] == plain[first]) 1 else 10
  }, NA)]
  if (length(equal)) {
    shown <- ifelse(names[equal] == as.character(equal), names[equal], sprintf("%s (%d)", names[equal], equal))
    use <- if (isTRUE(reported$sparse)) "x[, -%s]" else "subset(x, select = -%s)"
    report("twice", names = shown, use = sprintf(use, deparse_short(as.numeric(equal))))
  }
}

# Degrees of longitude and latitude, by the names and ranges of columns.
inform_degrees <- function(points) {
  # decimalLongitude as decimal_longitude
  plain <- lower_ascii(gsub("([a-z])([A-Z])", "\\1_\\2", as_utf8(colnames(points) %||% rep("", ncol(points)))))
  lon <- which(grepl("^(.*[._ ])?(lon|lng|long|longitude)([._ ].*)?$", plain))[1L]
  lat <- which(grepl("^(.*[._ ])?(lat|latitude)([._ ].*)?$", plain))[1L]
  if (is.na(lon) || is.na(lat)) {
    return(invisible())
  }
  within <- function(x, low, high) all(is.na(x) | x >= low & x <= high)
  if (within(points[, lon], -180, 360) && within(points[, lat], -90, 90)) {
    report("degrees", names = colnames(points)[c(lon, lat)])
  }
}

# ---- identifiers ----

id_words <- paste0(
  "id|ids|[a-z]id|rn|nummer|uid|guid|uuid|identifier|key|nr|no|num|number|index|idx|rowid|rowname|rownames|row.names|row|rownum|",
  "obs|observation|case|caseno|record|patient|subject|participant|respondent|sample|sampleno|student|",
  "customer|client|person|animal|unnamed|code|barcode|serial|seq|sequence|x1|v1"
)

# Return which columns number the rows: 0 or 1 to n in order, or different whole numbers under the
# name of an identifier. Other rising whole numbers may be measurements (datasets::women). `whole`: are these all columns?
id_columns <- function(points, rows, n, whole = TRUE) {
  out <- logical(ncol(points))
  if (n < 10L) {
    return(out)
  }
  named <- is_id_name(colnames(points), ncol(points))
  # the first number suffices for most columns
  for (j in which(named | points[1L, ] %in% c(rows[1L] - 1:0, NA))) {
    column <- points[, j]
    seen <- !is.na(column)
    value <- column[seen]
    if (length(value) < 10L) next
    offset <- value[1L] - rows[seen][1L]
    numbers <- offset %in% c(-1, 0) && all(value == rows[seen] + offset)
    out[j] <- numbers || named[j] && all(value == round(value)) && !anyDuplicated(value)
  }
  # if every column goes up in equal steps, none stands out
  even <- function(column) length(unique(diff(column))) == 1L
  if (whole && any(out) && all(vapply(seq_len(ncol(points)), function(j) even(points[, j]), NA))) out[] <- FALSE
  out
}

# Names that identifiers and row numbers have, also as read.csv(), readr and pandas write them.
is_id_name <- function(names, p) {
  if (is.null(names)) {
    return(logical(p))
  }
  plain <- lower_ascii(names)
  # the last or the only word of the name; ID or Id after a lower-case letter
  word <- grepl(sprintf("^(.*[._ -])?(%s)$", id_words), plain) & !plain %in% c("x1", "v1") |
    grepl("^(id|nr|no|key)[._ -]", plain) | grepl("[a-z](ID|Id|Nr|No)$", names) | grepl("^(unnamed: *[0-9]+|[.]{3}[0-9]+)$", plain)
  # the first column without a name in the file; X beside Y is a coordinate
  first <- seq_along(names) == 1L & names %in% c("X", "X1", "V1", "...1", "Unnamed: 0", "") & !any(names %in% c("Y", "y"))
  word | first
}
